//! Texts as values of a line.

/// A value as part of a line: no line break, no column border.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if line.contains('|') { line.replace('|', "/") } else { line }
}
