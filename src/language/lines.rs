//! Texts as values of a line.

use super::words::is_han;

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

/// A text without the spaces that some put between Chinese and numbers or letters: 7 号楼 reads 7号楼.
pub(crate) fn without_inner_spaces(text: String) -> String {
    if text.is_ascii() || !text.contains(' ') {
        return text;
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric();
    let mut closed = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let (before, after) = (closed.chars().next_back(), rest.peek().copied());
        let is_inner = c == ' '
            && before.zip(after).is_some_and(|(before, after)| {
                is_han(before) && is_plain(after) || is_plain(before) && is_han(after)
            });
        if !is_inner {
            closed.push(c);
        }
    }
    closed
}

/// A text whose Chinese is written with the marks of English, with those of Chinese: 他来了,没走 reads 他来了，没走.
pub(crate) fn with_wide_marks(text: String) -> String {
    if text.is_ascii() || !text.contains([',', ';', ':', '?', '!']) {
        return text;
    }
    let mut wide = String::with_capacity(text.len());
    for c in text.chars() {
        let mark = match c {
            ',' => '，',
            ';' => '；',
            ':' => '：',
            '?' => '？',
            '!' => '！',
            _ => c,
        };
        wide.push(if mark != c && wide.chars().next_back().is_some_and(is_han) { mark } else { c });
    }
    wide
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_behind_chinese_are_chinese() {
        let check = |text: &str, wanted: &str| assert_eq!(with_wide_marks(text.to_owned()), wanted);
        check("他来了,没走;真的?3:30 到", "他来了，没走；真的？3:30 到");
        check("time: 3:30, 好!", "time: 3:30, 好！");
    }

    #[test]
    fn spaces_around_numbers_in_chinese_go() {
        let check = |text: &str, wanted: &str| assert_eq!(without_inner_spaces(text.to_owned()), wanted);
        check("5 月 6 日 7 号楼停水", "5月6日7号楼停水");
        check("代码 E3 是什么", "代码E3是什么");
        check("王明 李华 on 5 May", "王明 李华on 5 May");
        check("bed 4 is free", "bed 4 is free");
    }
}
