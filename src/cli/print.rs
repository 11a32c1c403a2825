//! The one place that writes to stdout. What others wrote is shown and not obeyed: see [`crate::terminal`].

use crate::terminal::harmless;
use std::io::Write;

/// Writes a line of the answer. A reader that went away is no error.
pub(super) fn line(text: &str) {
    raw(&harmless(text));
}

/// Writes a line for programs, which want every character as it is: JSON.
pub(super) fn raw(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}");
}
