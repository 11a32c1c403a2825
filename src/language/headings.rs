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

/// Words of the longest heading that stands right above its text.
const WORDS_ABOVE_TEXT: usize = 6;

/// Whether a line that opens a paragraph is a heading with its text right below: a short one in capitals ("FIRST USE" above
/// "Fill the kettle to the mark"), or with a number and no stop ("1. Roof" above "Jon has two quotes.").
pub(crate) fn stands_right_above(line: &str, next: &str) -> bool {
    let (line, next) = (line.trim(), next.trim());
    let begins = next.starts_with(|c: char| c.is_uppercase() || c.is_numeric() || c.is_ascii_punctuation());
    let is_short = line.split_whitespace().count() <= WORDS_ABOVE_TEXT;
    is_short
        && is_running_text(next)
        && (is_in_capitals(line) && begins
            || is_numbered_above(line, next)
            || is_chinese_number_above(line, next))
}

/// Whether a line is a number and a few words, which end though the next word would have found room in a line as long as the next.
fn is_numbered_above(line: &str, next: &str) -> bool {
    let Some((number, title)) = line.split_once(' ') else { return false };
    let digits = number.trim_end_matches(['.', ')']);
    let is_number =
        digits.len() < number.len() && digits.len() <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_title = title.starts_with(char::is_uppercase) && title.ends_with(char::is_alphanumeric);
    let first = next.split_whitespace().next().unwrap_or_default();
    let room = next.chars().count().saturating_sub(line.chars().count() + 1);
    is_number
        && !digits.is_empty()
        && is_title
        && next.starts_with(char::is_uppercase)
        && first.chars().count() <= room
}

/// Characters of the longest Chinese heading with a number, right above its text.
const LONGEST_NUMBERED: usize = 18;

/// 三、关于流浪猫, or （二）经费, in a line that is shorter than the next.
fn is_chinese_number_above(line: &str, next: &str) -> bool {
    let bare = line.trim_start_matches(['（', '(']);
    let behind = bare.trim_start_matches(|c| "一二三四五六七八九十".contains(c));
    let title = behind.trim_start_matches(['、', '）', ')']);
    let length = line.chars().count();
    behind.len() < bare.len()
        && title.len() < behind.len()
        && !title.is_empty()
        && title.chars().all(char::is_alphanumeric)
        && length <= LONGEST_NUMBERED
        && length < next.chars().count()
}

/// "MARLEY'S GHOST".
pub(crate) fn is_in_capitals(line: &str) -> bool {
    let letters = line.chars().filter(|c| c.is_alphabetic()).count();
    let is_capitals =
        !line.chars().any(char::is_lowercase) && line.chars().filter(|c| c.is_uppercase()).count() >= 4;
    let is_wordy = letters * 3 >= line.chars().count() * 2;
    let has_border = line.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '\'' | '"' | '“' | '‘'))
        && !line.ends_with(['.', ',', ';', ':']);
    is_capitals && is_wordy && has_border
}

/// Whether a line belongs to a paragraph rather than to a title page or list.
pub(crate) fn is_running_text(line: &str) -> bool {
    let characters = line.chars().take(20).count();
    let has_han = line.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    has_han && characters >= 12 || characters >= 20 && line.chars().any(char::is_lowercase)
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
    fn a_short_line_right_above_its_text_is_a_heading() {
        let text = "Jon Pask has two quotes for it.";
        for line in ["FIRST USE", "1. Roof", "12) Heating and lighting"] {
            assert!(stands_right_above(line, text), "{line}");
        }
        for line in ["First use", "1. Roof.", "1.5 Roof", "1. roof", "FIRST USE:", "2026 Roof"] {
            assert!(!stands_right_above(line, text), "{line}");
        }
        assert!(
            !stands_right_above("1. Buy bread and butter at", "Tesco on the way home."),
            "a line that is full"
        );
        assert!(!stands_right_above("FIRST USE", "SECOND USE"));
        let text = "有业主提议在地下车库设置喂养点，会议没有通过。";
        assert!(stands_right_above("三、关于流浪猫", text) && stands_right_above("（二）经费", text));
        assert!(!stands_right_above("三、会议没有通过，", text) && !stands_right_above("三只流浪猫", text));
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
