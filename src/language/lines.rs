//! Texts as values of a line.

/// A value as part of a line: no line break, no column border.
pub fn one_line(text: &str) -> String {
    let line = unbroken(text);
    if line.contains('|') { line.replace('|', "/") } else { line }
}

/// A text in one line, word for word.
pub fn unbroken(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Whether a line is the one below the names of a table's columns in Markdown: `| --- | :-: |`, `|---|---|`.
pub fn is_table_rule(line: &str) -> bool {
    line.contains("--") && line.trim_end().chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// Whether a character ends a line.
pub fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// At most so many characters, with an ellipsis where some are left out.
pub fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
        None => text.to_owned(),
    }
}

/// The letters and digits of a text in lower case, without spaces and signs: by these two spellings are compared.
pub(crate) fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
