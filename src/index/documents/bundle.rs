//! Zip archives as folders: each file in them is read as if it lay beside the others.

use super::archive::Archive;
use super::discovery::note_of;
use super::kinds::{FileKind, HEAD, begins_known, is_log};
use super::{Foreign, LINE_BREAK, ReaderInput, Reading, SourceProblem, breaks_lines, extension};
use crate::language::is_line_break;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Reads what an archive holds.
///
/// # Errors
/// It is damaged, too large, or holds nothing.
pub(super) fn read(input: &ReaderInput<'_>) -> Result<Foreign, String> {
    let mut archive = Archive::open(input.bytes, &input.options.limits)?;
    let mut foreign = Foreign::default();
    let mut entries = Vec::new();
    for index in 0..archive.len() {
        match archive.read_entry(index, input.around.budget) {
            Ok(Some(entry)) => entries.push(entry),
            Ok(None) => {}
            Err(reason) => foreign.problems.push(reason),
        }
    }
    if entries.is_empty() && foreign.problems.is_empty() {
        return Err("is an empty archive".into());
    }
    for name in archive.names_given_twice() {
        let reason = "the archive holds more than one file of this name, of which the last was read; give each its own name";
        foreign.inner.push(refused(input, &name.replace(is_line_break, " "), reason));
    }
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    for entry in entries {
        let Some(name) = entry.safe else {
            foreign.inner.push(refused(input, &entry.name, "leads out of the archive; passed over"));
            continue;
        };
        if is_hidden(&name) || entry.bytes.is_empty() {
            continue;
        }
        if breaks_lines(&name) {
            foreign.inner.push(refused(input, &name.replace(is_line_break, " "), LINE_BREAK));
            continue;
        }
        let path = Path::new(&name);
        let named = FileKind::of(path);
        let is_named = named.is_some_and(|kind| kind != FileKind::Picture || input.options.reads_pictures());
        if is_log(path) || !is_named && !begins_known(path, entry.bytes.get(..HEAD).unwrap_or(&entry.bytes)) {
            *skipped.entry(extension(path)).or_default() += 1;
            continue;
        }
        foreign.inner.push(input.member(&name, input.key, &entry.bytes));
    }
    if let Some(note) = note_of(&skipped) {
        foreign.notes.push(format!("{note} inside it, which cannot be indexed"));
    }
    Ok(foreign)
}

fn refused(input: &ReaderInput<'_>, name: &str, reason: &str) -> Reading {
    let path = PathBuf::from(format!("{}#{name}", input.path.display()));
    Reading { problems: vec![SourceProblem::new(path, reason)], ..Reading::default() }
}

/// Hidden files, and what archivers put beside them.
fn is_hidden(name: &str) -> bool {
    name.split('/').any(|part| part.starts_with('.') || part == "__MACOSX")
}
