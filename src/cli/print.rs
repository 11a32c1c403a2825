//! The one place that writes to stdout.

use std::io::Write;

/// Writes a line of the answer. A reader that went away is no error.
pub(super) fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}");
}

/// Writes a piece of the answer as it comes.
pub(super) fn piece(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}
