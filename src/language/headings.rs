//! Lines that are headings by their own look, whatever stands around them.

/// What a heading line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadingLine<'a> {
    /// 1 is the outermost.
    pub level: u8,
    /// Its words without markup.
    pub title: &'a str,
}

/// Characters of the longest Chinese chapter line.
const LONGEST_CHAPTER: usize = 60;

/// A Markdown `#` heading; up to three spaces may stand before it.
pub fn atx_heading(line: &str) -> Option<HeadingLine<'_>> {
    let body = line.trim_end();
    let indent = body.len() - body.trim_start_matches(' ').len();
    let body = body.trim_start_matches(' ');
    let hashes = body.bytes().take_while(|&byte| byte == b'#').count();
    if indent > 3 || !(1..=6).contains(&hashes) {
        return None;
    }
    let title = body.get(hashes..)?;
    if !title.starts_with([' ', '\t']) {
        return None;
    }
    let title = title.trim();
    let without_hashes = title.trim_end_matches('#');
    let title = if without_hashes.ends_with([' ', '\t']) { without_hashes.trim_end() } else { title };
    let level = u8::try_from(hashes).unwrap_or(6);
    (!title.is_empty()).then_some(HeadingLine { level, title })
}

/// A Chinese `第…回`, `第…章`, `第…节`, `第…卷` line.
///
/// ```
/// # use graphwright::language::chinese_chapter;
/// assert!(chinese_chapter("第一回 宴桃园豪杰三结义").is_some());
/// assert!(chinese_chapter("第一回出场，他便胜了。").is_none());
/// ```
pub fn chinese_chapter(line: &str) -> Option<HeadingLine<'_>> {
    let title = line.trim();
    let after_first = title.strip_prefix('第')?;
    let number: usize = after_first.chars().take_while(|&c| is_chinese_number(c)).map(char::len_utf8).sum();
    let mut rest = after_first.get(number..)?.chars();
    let level = match rest.next()? {
        '卷' | '部' | '篇' | '集' | '编' => 1,
        '回' | '章' | '幕' | '讲' => 2,
        '节' | '節' | '條' | '条' => 3,
        _ => return None,
    };
    let separated =
        rest.next().is_none_or(|c| c.is_whitespace() || matches!(c, '：' | ':' | '、' | '·' | '.' | '—'));
    let fits =
        number > 0 && number <= 24 && title.chars().take(LONGEST_CHAPTER + 1).count() <= LONGEST_CHAPTER;
    let ends_open = !title.ends_with(['。', '；', '，', '？', '！', ',', ';']);
    (separated && fits && ends_open).then_some(HeadingLine { level, title })
}

/// Whether a line is the underline of a Markdown setext heading: only `=` or only `-`, three or more.
pub fn is_underline(line: &str) -> bool {
    let line = line.trim_end();
    line.len() >= 3 && (line.bytes().all(|byte| byte == b'=') || line.bytes().all(|byte| byte == b'-'))
}

/// Whether a line ends the paragraph around it: a heading, or the underline of one.
pub(super) fn is_heading_line(line: &str) -> bool {
    atx_heading(line).is_some() || chinese_chapter(line).is_some()
}

fn is_chinese_number(character: char) -> bool {
    "零〇一二三四五六七八九十百千两廿卅".contains(character)
        || character.is_ascii_digit()
        || ('０'..='９').contains(&character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_atx(line: &str, expected: Option<(u8, &str)>) {
        assert_eq!(atx_heading(line).map(|heading| (heading.level, heading.title)), expected, "{line:?}");
    }

    fn check_chapter(line: &str, expected: Option<u8>) {
        assert_eq!(chinese_chapter(line).map(|heading| heading.level), expected, "{line:?}");
    }

    #[test]
    fn hashes_and_a_space_make_a_heading() {
        check_atx("# One", Some((1, "One")));
        check_atx("### Three ##\r\n", Some((3, "Three")));
        check_atx("  ## C#", Some((2, "C#")));
        check_atx("#tag", None);
        check_atx("####### seven", None);
        check_atx("#", None);
        check_atx("    # code", None);
    }

    #[test]
    fn chinese_chapters_are_counted_lines() {
        check_chapter("第一回 宴桃园豪杰三结义,斩黄巾英雄首立功\n", Some(2));
        check_chapter("　　第12章：开端", Some(2));
        check_chapter("第三卷", Some(1));
        check_chapter("第一百二十节 总则", Some(3));
        check_chapter("第一回合他便输了", None);
        check_chapter("第一章 说的是这样一件事。", None);
        check_chapter("第章", None);
    }
}
