//! The one place that writes to stdout. What others wrote is shown and not obeyed: see [`crate::terminal`].

use crate::terminal::{harmless, harmless_json};
use std::borrow::Cow;
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

/// Writes a line for programs, which want every character as it is: JSON. For a terminal what harms is escaped.
pub(super) fn raw(text: &str) {
    let mut out = std::io::stdout().lock();
    let shown = for_programs(text, out.is_terminal());
    let _ = writeln!(out, "{shown}");
}

/// JSON as it is written to programs and files, and as it is shown to people.
fn for_programs(text: &str, is_shown: bool) -> Cow<'_, str> {
    if is_shown { harmless_json(text) } else { Cow::Borrowed(text) }
}

/// A word of a command line, in quotation marks where a shell would read it otherwise.
pub(super) fn shell_word(word: &str) -> String {
    let is_plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./:=@%+".contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_on_a_terminal_is_escaped_and_elsewhere_is_as_it_is() {
        let text = "{\"name\":\"a\u{9b}2J\u{7f}\u{202e}\"}";
        assert_eq!(for_programs(text, false), text);
        assert_eq!(for_programs(text, true), "{\"name\":\"a\\u009b2J\\u007f\\u202e\"}");
    }
}
