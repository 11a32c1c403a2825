//! The one place that writes to stdout. What others wrote is shown and not obeyed: see [`crate::terminal`].

use crate::terminal::harmless;
use std::io::{IsTerminal, Write};

/// Writes a line of the answer. A reader that went away is no error.
pub(super) fn line(text: &str) {
    raw(&harmless(text));
}

/// Writes a piece of an answer as it comes.
pub(super) fn piece(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = write!(out, "{}", harmless(text));
    let _ = out.flush();
}

/// Whether an answer is written as it comes: to people, not to programs or files.
pub(super) fn is_read_as_it_comes() -> bool {
    std::io::stdout().is_terminal()
}

/// Writes a line for programs, which want every character as it is: JSON.
pub(super) fn raw(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}");
}
