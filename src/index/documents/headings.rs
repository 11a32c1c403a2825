//! Headings of plain text and Markdown.
//!
//! Plain text marks nothing, so only lines that stand alone and look like a heading count, and most kinds only with
//! a paragraph or a deeper heading under them: a table of contents or a title page makes no sections. A short line in
//! capitals or with a number may stand right above its text.

use super::Heading;
use crate::language::headings::{is_in_capitals, is_running_text, stands_right_above};
use crate::language::{atx_heading, chinese_chapter, is_underline};
use std::collections::BTreeMap;

/// Headings of plain text, in order.
pub(super) fn of_plain_text(text: &str) -> Vec<Heading> {
    // with whether a heading stands right above its text
    let mut found: Vec<(Heading, bool)> = Vec::new();
    let mut pending: Option<PendingHeading> = None;
    let mut after_blank = true;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.chars().count() as u64;
        let title = line.trim();
        if title.is_empty() {
            after_blank = true;
            if let Some(pending) = pending.as_mut() {
                pending.stands_alone = true;
            }
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let start = start + line.get(..indent).unwrap_or("").chars().count() as u64;
        let chapter =
            chinese_chapter(line).map(|chapter| LineLook { level: chapter.level, needs_text: false });
        let look = chapter.clone().or_else(|| look_of(title).filter(|_| after_blank));
        if let Some(before) = pending.take() {
            let is_right_above = before.stands_right_above(title);
            if is_right_above || before.is_confirmed_by(title, look.as_ref()) {
                found.push((before.heading, is_right_above));
            }
        }
        if let Some(look) = look {
            let heading = Heading { offset: start, level: look.level, title: title.to_owned() };
            if chapter.is_some() {
                found.push((heading, false));
            } else {
                pending = Some(PendingHeading { heading, needs_text: look.needs_text, stands_alone: false });
            }
        }
        after_blank = false;
    }
    // what comes again right above text is who speaks there
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for (heading, _) in &found {
        *times.entry(heading.title.clone()).or_default() += 1;
    }
    let is_speaker = |heading: &Heading| times.get(&heading.title) > Some(&1);
    let kept = found.into_iter().filter(|(heading, is_right_above)| !is_right_above || !is_speaker(heading));
    kept.map(|(heading, _)| heading).collect()
}

/// A line that is a heading if what follows agrees.
struct PendingHeading {
    heading: Heading,
    needs_text: bool,
    stands_alone: bool,
}

impl PendingHeading {
    fn is_confirmed_by(&self, next: &str, look: Option<&LineLook>) -> bool {
        let is_outer = look.is_some_and(|look| look.level > self.heading.level);
        self.stands_alone && (!self.needs_text || is_outer || is_running_text(next))
    }

    /// Whether its text is the next line, with no blank one between.
    fn stands_right_above(&self, next: &str) -> bool {
        !self.stands_alone && stands_right_above(&self.heading.title, next)
    }
}

/// How a line looks on its own.
#[derive(Clone, Debug)]
struct LineLook {
    level: u8,
    needs_text: bool,
}

/// Characters of the longest heading.
const LONGEST: usize = 80;

/// Bytes of the longest line that is looked at in Markdown.
const LONGEST_LINE: usize = 1000;

const PARTS: [(&str, u8); 13] = [
    ("book", 1),
    ("part", 1),
    ("volume", 1),
    ("act", 1),
    ("chapter", 2),
    ("stave", 2),
    ("canto", 2),
    ("letter", 2),
    ("appendix", 2),
    ("lecture", 2),
    ("section", 3),
    ("scene", 3),
    ("article", 3),
];

const NUMBER_WORDS: [&str; 24] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "twenty", "first", "second", "third", "fourth", "fifth",
    "last", "the",
];

const ALONE: [&str; 20] = [
    "prologue",
    "epilogue",
    "preface",
    "foreword",
    "introduction",
    "afterword",
    "conclusion",
    "abstract",
    "appendix",
    "楔子",
    "序",
    "序言",
    "前言",
    "引言",
    "自序",
    "后记",
    "後記",
    "尾声",
    "附录",
    "结语",
];

fn look_of(line: &str) -> Option<LineLook> {
    if line.chars().take(LONGEST + 1).count() > LONGEST {
        return None;
    }
    named_part(line).or_else(|| numbered(line)).or_else(|| capitals(line))
}

/// "CHAPTER I", "Stave Two: …", "Prologue".
fn named_part(line: &str) -> Option<LineLook> {
    let lower = line.to_lowercase();
    if ALONE.contains(&lower.trim_end_matches('.')) && !line.starts_with(char::is_lowercase) {
        return Some(LineLook { level: 2, needs_text: false });
    }
    let (name, rest) = line.split_once(' ')?;
    let lower = name.to_lowercase();
    let &(_, level) = PARTS.iter().find(|(part, _)| *part == lower)?;
    let number: &str = rest.split(|c: char| !c.is_alphanumeric()).next()?;
    let after = rest.get(number.len()..)?.trim_start();
    let is_number = is_roman(number)
        || number.chars().all(|c| c.is_ascii_digit())
        || NUMBER_WORDS.contains(&number.to_lowercase().as_str());
    let goes_on = after.starts_with(char::is_lowercase) || after.starts_with([',', ')', ';', '\'', '’']);
    let is_sentence = !after.is_empty() && line.ends_with(['.', ',', ';']) && after.len() > 1;
    let fits = name.starts_with(char::is_uppercase) && !number.is_empty() && is_number;
    (fits && !goes_on && !is_sentence).then_some(LineLook { level, needs_text: false })
}

/// "I. A SCANDAL IN BOHEMIA", "IV", "2.1 Methods", "三、总则".
fn numbered(line: &str) -> Option<LineLook> {
    if line.ends_with([',', ';', ':', '。', '；', '，', '：']) {
        return None;
    }
    let end = line.find([' ', '\t', '、']).unwrap_or(line.len());
    let (number, title) = (line.get(..end)?, line.get(end..)?.trim_start_matches([' ', '\t', '、']));
    let bare = number.trim_end_matches('.');
    let starts_as_title =
        title.starts_with(|c: char| c.is_uppercase() || c.is_numeric() || c == '“' || c == '"');
    if is_roman(bare) && (title.is_empty() || number.ends_with('.') && starts_as_title && is_title(title)) {
        return Some(LineLook { level: if title.is_empty() { 3 } else { 2 }, needs_text: title.is_empty() });
    }
    let is_short = title.split_whitespace().count() <= 10 && !title.ends_with(['.', '?', '!']);
    let groups = bare.split('.').count();
    let is_decimal = groups <= 4
        && bare
            .split('.')
            .all(|group| (1..=2).contains(&group.len()) && group.bytes().all(|b| b.is_ascii_digit()));
    if is_decimal && starts_as_title && is_short {
        return Some(LineLook { level: u8::try_from(groups).unwrap_or(4) + 1, needs_text: true });
    }
    let is_chinese = line.contains('、')
        && (1..=3).contains(&number.chars().count())
        && number.chars().all(|c| "一二三四五六七八九十".contains(c));
    (is_chinese && title.chars().count() <= 30).then_some(LineLook { level: 3, needs_text: true })
}

/// "MARLEY'S GHOST".
fn capitals(line: &str) -> Option<LineLook> {
    is_in_capitals(line).then_some(LineLook { level: 3, needs_text: true })
}

/// Whether most longer words start with a capital.
pub(super) fn is_title(text: &str) -> bool {
    let long = || text.split_whitespace().filter(|word| word.chars().count() > 3);
    let small = long().filter(|word| word.starts_with(char::is_lowercase)).count();
    !text.ends_with(['.', ',', ';', ':']) && small * 4 <= long().count()
}

fn is_roman(text: &str) -> bool {
    (1..=8).contains(&text.len()) && text.bytes().all(|byte| b"IVXLC".contains(&byte))
}

/// Headings of Markdown from a byte on, in order; code blocks have none.
pub(super) fn of_markdown(text: &str, from: usize) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    let mut offset = text.get(..from).unwrap_or("").chars().count() as u64;
    let mut fence: Option<&str> = None;
    let mut paragraph: Option<(u64, &str, usize)> = None;
    for line in text.get(from..).unwrap_or("").split_inclusive('\n') {
        let start = offset;
        offset += line.chars().count() as u64;
        let body = line.trim();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| body.starts_with(mark)) {
            fence = if fence == Some(mark) { None } else { fence.or(Some(mark)) };
            paragraph = None;
        } else if fence.is_some() || line.len() > LONGEST_LINE {
            paragraph = None;
        } else if let Some(heading) = atx_heading(line) {
            let indent = (line.len() - line.trim_start().len()) as u64;
            headings.push(Heading {
                offset: start + indent,
                level: heading.level,
                title: plain_words(heading.title),
            });
            paragraph = None;
        } else if let Some((at, title, 1)) = paragraph.filter(|_| is_underline(line)) {
            let level = if body.starts_with('=') { 1 } else { 2 };
            headings.push(Heading { offset: at, level, title: plain_words(title) });
            paragraph = None;
        } else if body.is_empty()
            || line.starts_with("    ")
            || body.starts_with(['-', '*', '+', '>', '|', '<'])
        {
            paragraph = None;
        } else {
            let indent = (line.len() - line.trim_start().len()) as u64;
            let (at, title, lines) = paragraph.unwrap_or((start + indent, body, 0));
            paragraph = Some((at, title, lines + 1));
        }
    }
    headings.retain(|heading| !heading.title.is_empty());
    headings
}

/// A heading without emphasis, code marks, link addresses and `{#anchors}`.
fn plain_words(title: &str) -> String {
    let mut words = String::with_capacity(title.len());
    let mut rest = title.split(" {#").next().unwrap_or(title);
    while let Some(at) = rest.find(['*', '`', '[']) {
        words.push_str(rest.get(..at).unwrap_or(""));
        let after = rest.get(at + 1..).unwrap_or("");
        let link = rest.get(at..).filter(|link| link.starts_with('['));
        let link = link
            .and_then(|_| after.split_once("]("))
            .and_then(|(label, tail)| Some((label, tail.find(')')?, tail)));
        if let Some((label, end, tail)) = link {
            words.push_str(label);
            rest = tail.get(end + 1..).unwrap_or("");
        } else {
            words.push_str(if rest.get(at..).is_some_and(|mark| mark.starts_with('[')) { "[" } else { "" });
            rest = after;
        }
    }
    words.push_str(rest);
    words.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: &[Heading], text: &str, expected: &[(u8, &str)]) {
        let names: Vec<(u8, &str)> =
            found.iter().map(|heading| (heading.level, heading.title.as_str())).collect();
        assert_eq!(names, expected);
        for heading in found {
            let at = usize::try_from(heading.offset).unwrap();
            assert!(!text.chars().nth(at).unwrap().is_whitespace());
        }
    }

    fn check_plain(text: &str, expected: &[(u8, &str)]) {
        check(&of_plain_text(text), text, expected);
    }

    const PROSE: &str = "There is no doubt whatever about that.";

    #[test]
    fn books_have_parts_chapters_and_sections() {
        check_plain(
            &format!("STAVE ONE\r\n\r\n[Illustration]\r\n\r\nMARLEY'S GHOST\r\n\r\n{PROSE}\r\n"),
            &[(2, "STAVE ONE"), (3, "MARLEY'S GHOST")],
        );
        check_plain(&format!("  Part I\n\nCHAPTER I.\n\n{PROSE}\n"), &[(1, "Part I"), (2, "CHAPTER I.")]);
        check_plain(
            &format!("I. A SCANDAL IN BOHEMIA\n\nI.\n\n{PROSE}"),
            &[(2, "I. A SCANDAL IN BOHEMIA"), (3, "I.")],
        );
        check_plain(&format!("1. Work\n\n1.2 Methods\n\n{PROSE}"), &[(2, "1. Work"), (3, "1.2 Methods")]);
        check_plain("第一回 宴桃园豪杰\n<p> 话说天下大势", &[(2, "第一回 宴桃园豪杰")]);
        check_plain(
            "前言\n\n话说\n\n一、总则\n\n本办法适用于全国各地的企业。",
            &[(2, "前言"), (3, "一、总则")],
        );
    }

    #[test]
    fn a_line_in_capitals_right_above_its_text_is_a_heading() {
        check_plain(
            "GUIDE TO THE KETTLE\n\nTECHNICAL DATA\nCapacity: 1.7 litres\nPower: 2200 watts\n\nFIRST USE\nFill the kettle to the mark.\n",
            &[(3, "TECHNICAL DATA"), (3, "FIRST USE")],
        );
        // a sentence that goes on, who speaks, a list
        check_plain("NO PART OF THIS BOOK MAY BE\nreproduced without the leave of its author.\n", &[]);
        check_plain(
            "\nHAMLET\nTo be, or not to be: that is it.\n\nHAMLET\nSoft you now, the fair Ophelia!\n",
            &[],
        );
        check_plain("\nTO BUY\nMilk\nEggs\n", &[]);
    }

    #[test]
    fn title_pages_contents_lists_and_sentences_are_no_headings() {
        check_plain("A CAROL\n\nBY\n\nCHARLES DICKENS\n\nFIRST PUBLISHED 1915\n\n[Illustration]\n", &[]);
        check_plain(
            "  STAVE ONE--GHOST   3\n  STAVE TWO--SPIRITS  37\n  STAVE THREE--THE SECOND 69\n\nx",
            &[],
        );
        check_plain("1. Buy milk\n\n2. Buy eggs\n\n3. Sleep\n", &[]);
        check_plain(&format!("Chapter two of the story tells\n\n{PROSE}"), &[]);
        check_plain(&format!("Part one was long, and it ended.\n\n{PROSE}"), &[]);
        check_plain(&format!("I am here\n\n{PROSE}\n\n* * * * *\n\n{PROSE}"), &[]);
    }

    #[test]
    fn markdown_has_both_kinds_and_none_in_code() {
        let text = "---\ntitle: x\n---\n# A *b* `c`\n```\n# no\n```\nTwo [l](u) [m]\n---\ntext\nmore\n---\n## é ##\n- item\n---\n";
        check(&of_markdown(text, 17), text, &[(1, "A b c"), (2, "Two l [m]"), (2, "é")]);
    }
}
