//! Files of questions, passages and labels that a person names: long ones, and still with an end.

use crate::json::value_count;
use crate::small_file;
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// Most megabytes of such a file.
const LONGEST_MB: u64 = 256;
/// Values of JSON that it may hold: each takes some hundred bytes of memory.
const MOST_VALUES: usize = 8_000_000;

/// The text of such a file.
///
/// # Errors
/// It cannot be read, is not UTF-8, is longer than 256 MB, or holds more than 8 million values where it is JSON.
pub(crate) fn read(path: &Path) -> Result<String> {
    let text = small_file::read_longer_text(path, LONGEST_MB)
        .with_context(|| format!("cannot read {}", path.display()))?;
    ensure!(
        value_count(text.as_bytes()) <= MOST_VALUES,
        "{} holds more than {MOST_VALUES} values; split it",
        path.display()
    );
    Ok(text)
}
