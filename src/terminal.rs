//! Text of others on a terminal: shown, never obeyed.

use std::borrow::Cow;
use std::io::{self, Write};

/// A text in which a terminal finds nothing to do but to show it: escape sequences, other control characters and those
/// that turn the direction of writing stand there visibly. Line breaks and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            // a line break of Windows is one
            '\r' if characters.peek() == Some(&'\n') => {}
            // control characters have pictures of their own: ␛ is U+001B
            '\0'..='\u{1f}' if is_harmful(c) => {
                shown.extend(char::from_u32(0x2400 + u32::from(c)));
            }
            '\u{7f}' => shown.push('␡'),
            c if is_harmful(c) => shown.push_str(&format!("<U+{:04X}>", u32::from(c))),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// JSON that says the same and in which a terminal finds nothing to do either: such characters stand there as
/// escapes.
pub fn harmless_json(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_harmful(c) {
            // all of them have four digits
            shown.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Control characters but line breaks and tabs, and those that turn the direction of writing (Unicode, UAX 9).
fn is_harmful(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What is written to it is harmless where it arrives: for logs, each of which is written at once.
#[derive(Debug)]
pub struct Harmless<W>(pub W);

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(harmless(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        let check = |text: &str, expected: &str| assert_eq!(harmless(text), expected);
        check("plain\tline\n曹操 — «Bob»", "plain\tline\n曹操 — «Bob»");
        check("\u{1b}]52;c;Zm9v\u{7}", "␛]52;c;Zm9v␇");
        check("\u{1b}]0;title\u{9c}", "␛]0;title<U+009C>");
        check("\u{1b}[2Jgone\rover\r\nnext", "␛[2Jgone␍over\nnext");
        check("\u{9b}31m \u{7f}\u{8}", "<U+009B>31m ␡␈");
        check("a\u{202e}b\u{2066}c\u{200f}", "a<U+202E>b<U+2066>c<U+200F>");
    }

    #[test]
    fn json_says_the_same_in_escapes() {
        let check = |text: &str, expected: &str| assert_eq!(harmless_json(text), expected);
        check("{\"name\":\"曹操 — «Bob»\"}", "{\"name\":\"曹操 — «Bob»\"}");
        check("[\"\u{9b}31m \u{7f}\",\n1]", "[\"\\u009b31m \\u007f\",\n1]");
        check("[\"a\u{202e}b\u{2066}c\u{61c}\"]", "[\"a\\u202eb\\u2066c\\u061c\"]");
    }

    #[test]
    fn a_log_is_harmless_where_it_arrives() {
        let mut written = Vec::new();
        Harmless(&mut written).write_all("WARN \u{1b}[2J \u{202e}\n".as_bytes()).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), "WARN ␛[2J <U+202E>\n");
    }

    proptest! {
        #[test]
        fn nothing_harmful_is_left(text in any::<String>()) {
            prop_assert!(!harmless(&text).contains(is_harmful));
        }

        #[test]
        fn json_is_the_same_to_programs(
            text in any::<String>(),
            more in "[\u{7f}-\u{9f}\u{202a}-\u{202e}\"\\\\]*",
        ) {
            let texts = vec![text, more];
            let shown = serde_json::to_string(&texts).unwrap();
            let shown = harmless_json(&shown);
            prop_assert!(!shown.contains(is_harmful));
            prop_assert_eq!(serde_json::from_str::<Vec<String>>(&shown).unwrap(), texts);
        }
    }
}
