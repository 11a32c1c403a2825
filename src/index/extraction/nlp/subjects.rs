//! What a unit is about: the document's title and the headings above and in it.

use super::super::UnitText;
use crate::domain::{FiscalCalendar, name_key};
use crate::language::dates::date_in_name;
use crate::language::english::is_plain_word;
use crate::language::english::nouns::noun_kind;
use crate::language::mention::{MentionRank, NameKind, NameMention, ParsedSentence, squeeze};
use crate::language::vocabulary::english::GENERIC_HEADINGS;
use crate::language::vocabulary::holds;
use crate::language::words::is_han;
use crate::language::{Language, language_of, opens_with_headline};

/// Numbers of parts that are written out.
const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Longer titles are sentences and no names.
const SUBJECT_CHARACTERS: usize = 120;

/// Something that the unit is about.
#[derive(Clone, Debug)]
pub(super) struct UnitSubject {
    pub(super) mention: NameMention,
    pub(super) language: Language,
    /// The title with the brackets that tell it from others of its name ("Mercury (planet)").
    pub(super) full: Option<NameMention>,
}

/// The title first, then the headings, outermost first, then headings in the text; each name once.
pub(super) fn read(input: &UnitText<'_>, sentences: &[ParsedSentence]) -> Vec<UnitSubject> {
    let mut found: Vec<UnitSubject> = Vec::new();
    let lines = input.text.lines().filter_map(|line| {
        let line = line.trim();
        let title = line.trim_start_matches('#');
        (title.len() < line.len() && line.len() - title.len() <= 6 && title.starts_with(' ')).then_some(title)
    });
    let title = [file_name_apart(input.title)];
    let headings = input.headings.iter().map(String::as_str).chain(lines);
    for (written, is_title) in title.iter().map(|t| (t.as_str(), true)).chain(headings.map(|h| (h, false))) {
        // a notice brings its title: what its file is called is none
        let is_stem = || opens_with_headline(input.text) && !input.text.contains(written);
        if is_title && (is_foreign(written, input.text) || is_dated_file(written, input.text) || is_stem()) {
            continue;
        }
        let Some(subject) = subject(named_part(written, input.text), is_title, sentences) else { continue };
        if !is_subject(&subject.mention, is_title, input.text, sentences) {
            continue;
        }
        if found.iter().all(|other| other.mention.key != subject.mention.key) {
            found.push(subject);
        }
    }
    found
}

/// "Kestrel: architecture of the broker" of a text that names Kestrel: what the title begins with; all other titles whole.
fn named_part<'a>(written: &'a str, text: &str) -> &'a str {
    let head = written.split_once([':', '：']).map(|(head, _)| head.trim());
    let is_named = |head: &&str| {
        let body = text.lines().filter(|line| !line.contains(written));
        head.starts_with(|c: char| c.is_uppercase() || is_han(c))
            && body.into_iter().any(|line| line.contains(*head))
    };
    head.filter(is_named).unwrap_or(written)
}

/// What a text begins with that goes on about its title.
const GOING_ON: [&str; 8] = ["He", "Her", "His", "It", "Its", "She", "Their", "They"];
/// Words, and Chinese characters, of the longest title that is taken for a name though its text does not hold it.
const TITLE: (usize, usize) = (8, 10);

/// Whether a title or heading is a name: one that the text under it uses. A title that the text does not use is one as
/// well, but for a date, a file with its number ("Visit 48") whose text does not begin by going on about it, and a whole sentence.
fn is_subject(heading: &NameMention, is_title: bool, text: &str, sentences: &[ParsedSentence]) -> bool {
    let name = heading.name.as_str();
    let body = || {
        sentences.iter().filter(|sentence| {
            let line =
                text.get(sentence.range.clone()).unwrap_or("").trim_matches(|c: char| !c.is_alphanumeric());
            !line.contains(name) || line.len() > name.len() + HEADING_MARKS
        })
    };
    let dates = |mention: &NameMention| mention.key == heading.key && mention.rank == MentionRank::Date;
    if sentences.iter().flat_map(|sentence| &sentence.mentions).any(dates) {
        return false;
    }
    let bare = heading.key.strip_prefix("the ").unwrap_or(&heading.key);
    let is_named = |sentence: &ParsedSentence| {
        sentence.mentions.iter().any(|mention| mention.key == heading.key || mention.key == bare)
            || written_at(text, sentence, name).is_some()
    };
    // "## Dogs", above "Dogs are not admitted.": what a part is about is no name for being a sentence's first word
    let is_plain = !is_title && !name.contains(' ') && is_plain_word(&name.to_lowercase());
    if body().any(is_named) && !is_plain {
        return true;
    }
    let words = name.split_whitespace().count();
    // "Windows 95", whose text begins with "It was sold", is what is spoken of
    let opens =
        body().next().and_then(|sentence| text.get(sentence.range.clone())?.split_whitespace().next());
    let goes_on = opens.is_some_and(|word| GOING_ON.contains(&word));
    let has_number =
        !goes_on && name.split_whitespace().any(|word| word.contains(|c: char| c.is_ascii_digit()));
    let han = name.chars().filter(|c| is_han(*c)).count();
    is_title
        && !has_number
        && words <= TITLE.0
        && han <= TITLE.1
        && !name.contains(['。', '，'])
        && !names_a_document(name)
}

/// What a message answers or passes on says no name: "Re: Mast fault".
const ANSWERS: [&str; 9] = ["re:", "fw:", "fwd:", "aw:", "wg:", "回复:", "回复：", "转发:", "转发："];
/// Last words of titles that say what a document is.
const DOCUMENTS: [&str; 34] = [
    "agenda",
    "chat",
    "contacts",
    "contract",
    "diary",
    "directory",
    "faq",
    "form",
    "handbook",
    "invoice",
    "list",
    "log",
    "mail",
    "mails",
    "manual",
    "memo",
    "memorandum",
    "minutes",
    "newsletter",
    "note",
    "notes",
    "policy",
    "readme",
    "record",
    "records",
    "register",
    "release",
    "report",
    "rota",
    "rules",
    "schedule",
    "statement",
    "timetable",
    "transcript",
];
const HAN_DOCUMENTS: [&str; 24] = [
    "备忘录",
    "公告",
    "通知",
    "通告",
    "通讯录",
    "纪要",
    "会议记录",
    "记录",
    "名单",
    "清单",
    "须知",
    "合同",
    "协议",
    "章程",
    "总结",
    "简报",
    "启事",
    "声明",
    "申请书",
    "说明书",
    "日志",
    "台账",
    "登记表",
    "值班表",
];

/// Whether a title says what kind of document it is, answers a message, or is one plain word: "Staff", "Board minutes".
fn names_a_document(title: &str) -> bool {
    let lower = title.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    speaks_to_readers(&words)
        || ANSWERS.iter().any(|mark| lower.starts_with(mark))
        || words.len() > 1 && words.last().is_some_and(|last| DOCUMENTS.contains(last))
        || HAN_DOCUMENTS.iter().any(|end| title.ends_with(end))
        || words.len() == 1 && is_plain_word(&lower)
}

/// "Who we are", "About us", "If you break the rules".
fn speaks_to_readers(words: &[&str]) -> bool {
    words.iter().any(|word| matches!(*word, "we" | "us" | "our" | "you" | "your"))
}

/// Bytes of "## 2.1 " and the like before a heading.
const HEADING_MARKS: usize = 12;

/// Whether a title is in another script than the text, which does not hold it: a file's name, not what the text is
/// about.
fn is_foreign(title: &str, text: &str) -> bool {
    language_of(text) == Language::Chinese && language_of(title) != Language::Chinese && !text.contains(title)
}

/// Whether a title is the name of a file that gives its date, and which the text does not hold: `2015-03-12 Founding`,
/// `TranscriptFY15Q3`, `20231024 notes`. A year alone is part of many names.
fn is_dated_file(title: &str, text: &str) -> bool {
    let is_date = |word: &str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let mixed = word.chars().any(char::is_alphabetic);
        let is_day = digits >= 6 && !mixed || mixed && digits >= 2 && word.chars().count() > digits + 1;
        is_day && date_in_name(word, FiscalCalendar::default()).is_some()
    };
    title.split([' ', '_']).any(is_date) && !text.contains(title)
}

/// A file's name as words: without its ending, `_` and `-` read as spaces.
fn file_name_apart(title: &str) -> String {
    let title = title.trim();
    let endings = [".txt", ".md", ".markdown", ".html", ".htm", ".json", ".jsonl", ".csv"];
    let stem = endings.iter().find_map(|end| title.strip_suffix(end)).unwrap_or(title);
    let is_file = stem.len() < title.len() || !stem.contains(char::is_whitespace);
    let lower = !stem.chars().any(char::is_uppercase);
    if stem.contains('_') {
        stem.replace('_', " ")
    } else if is_file && lower && stem.contains('-') {
        stem.replace('-', " ")
    } else {
        stem.to_owned()
    }
}

fn subject(written: &str, is_title: bool, sentences: &[ParsedSentence]) -> Option<UnitSubject> {
    let whole =
        squeeze(written.trim_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '*' | '_' | '=')));
    let whole = without_number(&whole, is_title);
    let whole = whole.strip_prefix("The Project Gutenberg eBook of ").unwrap_or(whole);
    let (base, apart) = without_brackets(whole);
    let characters = base.chars().count();
    let letters = base.chars().filter(|c| c.is_alphanumeric()).count();
    if letters < 2 || characters > SUBJECT_CHARACTERS || !base.chars().any(char::is_alphabetic) {
        return None;
    }
    let key = name_key(base);
    if holds(GENERIC_HEADINGS, &key.replace(' ', "-")) || !is_title && is_generic_chinese(&key) {
        return None;
    }
    let spelling = spelling(base, &key, sentences);
    let mut kinds = Vec::new();
    if let Some(kind) =
        apart.and_then(|words| words.split_whitespace().rev().find_map(|w| noun_kind(&w.to_lowercase())))
    {
        kinds.push((kind, 12));
    }
    let full = apart.map(|_| NameMention::new(whole, 0..0, MentionRank::Subject, kinds.clone()));
    Some(UnitSubject {
        mention: NameMention::new(&spelling, 0..0, MentionRank::Subject, kinds),
        language: language_of(base),
        full,
    })
}

/// A title in capitals or in small letters only is spelled as the text spells it, or with capitals.
fn spelling(base: &str, key: &str, sentences: &[ParsedSentence]) -> String {
    let has_lower = base.chars().any(char::is_lowercase);
    let has_upper = base.chars().any(char::is_uppercase);
    if has_lower && has_upper || !has_lower && !has_upper || base.len() <= 5 {
        return base.to_owned();
    }
    if let Some(mention) = sentences.iter().flat_map(|s| &s.mentions).find(|mention| mention.key == key) {
        return mention.name.clone();
    }
    if has_lower {
        return base.to_owned();
    }
    let mut out = String::with_capacity(base.len());
    for (index, word) in base.to_lowercase().split(' ').enumerate() {
        if index > 0 {
            out.push(' ');
        }
        let small =
            ["of", "the", "a", "an", "and", "in", "to", "for", "on", "at", "by", "or"].contains(&word);
        let mut characters = word.chars();
        match characters.next() {
            Some(first) if !(small && index > 0) => out.extend(first.to_uppercase()),
            Some(first) => out.push(first),
            None => {}
        }
        out.push_str(characters.as_str());
    }
    out
}

/// Without "1.2", "Chapter One:", "STAVE ONE--", "第一回" in front of a heading that says more.
fn without_number(heading: &str, is_title: bool) -> &str {
    let numbered = heading.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | '§'));
    let heading = if !is_title && numbered.len() < heading.len() && numbered.starts_with(' ') {
        numbered.trim()
    } else {
        heading
    };
    if let Some(rest) = heading.strip_prefix('第') {
        let end =
            rest.char_indices().take(8).find(|(_, c)| matches!(c, '回' | '章' | '节' | '卷' | '部' | '篇'));
        if let Some((at, mark)) = end {
            let rest = rest
                .get(at + mark.len_utf8()..)
                .unwrap_or("")
                .trim_start_matches([' ', '：', ':', '、', '　']);
            // a bare number is nothing to be about
            return rest;
        }
    }
    let lower = heading.to_lowercase();
    let is_part =
        ["chapter ", "section ", "part ", "book ", "act ", "volume ", "appendix ", "figure ", "table "]
            .iter()
            .any(|word| lower.starts_with(word))
            || is_word_and_number(&lower);
    if !is_part || is_title {
        return heading;
    }
    let rest = ["--", "—", ":", " – ", ". ", " - "]
        .iter()
        .find_map(|mark| heading.split_once(mark))
        .map(|(_, rest)| rest);
    let short = heading.split_whitespace().count() <= 2;
    rest.map_or(if short { "" } else { heading }, str::trim)
}

/// "stave one--…", "lesson two": a word and a number written out number a part, whatever it is called.
fn is_word_and_number(heading: &str) -> bool {
    let head = heading.split(['-', '—', ':', '–', '.']).next().unwrap_or_default();
    let mut words = head.split_whitespace();
    words.next().is_some()
        && words.next().is_some_and(|word| NUMBERS.contains(&word))
        && words.next().is_none()
}

/// "Mercury (planet)" → "Mercury" and "planet".
fn without_brackets(title: &str) -> (&str, Option<&str>) {
    let Some(open) = title.strip_suffix(')').and_then(|rest| rest.rfind(" (")) else { return (title, None) };
    let base = title.get(..open).unwrap_or(title).trim();
    let inside = title.get(open + 2..title.len() - 1).unwrap_or("");
    if base.is_empty() || inside.is_empty() { (title, None) } else { (base, Some(inside)) }
}

fn is_generic_chinese(key: &str) -> bool {
    [
        "目录",
        "前言",
        "序",
        "序言",
        "引言",
        "简介",
        "概述",
        "结论",
        "总结",
        "参考文献",
        "附录",
        "致谢",
        "摘要",
        "后记",
        "介绍",
    ]
    .contains(&key)
}

/// Marks the subjects among the mentions: a mention that differs by an article only is the subject's, and a sentence
/// that opens with a pronoun after the title has been named is taken to speak of it.
pub(super) fn mark(text: &str, subjects: &[UnitSubject], sentences: &mut [ParsedSentence]) {
    for subject in subjects {
        let bare = subject.mention.key.strip_prefix("the ").filter(|rest| !rest.is_empty());
        for sentence in &mut *sentences {
            for mention in &mut sentence.mentions {
                let same = mention.key == subject.mention.key;
                if same || bare == Some(mention.key.as_str()) {
                    mention.rank = MentionRank::Subject;
                    mention.name.clone_from(&subject.mention.name);
                    mention.key.clone_from(&subject.mention.key);
                }
            }
            let is_found = sentence.mentions.iter().any(|mention| mention.key == subject.mention.key);
            if !is_found && let Some(at) = written_at(text, sentence, &subject.mention.name) {
                let range = at..at + subject.mention.name.len();
                let inside = |mention: &NameMention| {
                    range.start <= mention.range.start && mention.range.end <= range.end
                };
                sentence.mentions.retain(|mention| !inside(mention));
                sentence.mentions.push(NameMention { range, ..subject.mention.clone() });
                sentence.mentions.sort_by_key(|m| (m.range.start, std::cmp::Reverse(m.range.end)));
            }
        }
    }
    if let Some(title) = subjects.first() {
        imply(title, sentences);
    }
}

/// Where a sentence holds the name as written, at word borders.
fn written_at(text: &str, sentence: &ParsedSentence, name: &str) -> Option<usize> {
    let body = text.get(sentence.range.clone())?;
    let at = body.find(name)?;
    let before = body.get(..at)?.chars().next_back();
    let after = body.get(at + name.len()..)?.chars().next();
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_han(c));
    (!joins(before) && !joins(after)).then_some(sentence.range.start + at)
}

fn imply(title: &UnitSubject, sentences: &mut [ParsedSentence]) {
    let opens = |s: &ParsedSentence| s.mentions.iter().any(|m| m.key == title.mention.key);
    let Some(first) = sentences.iter().take(3).position(opens) else { return };
    for sentence in sentences.iter_mut().skip(first + 1) {
        if sentence.opening_word_count > 0 && !sentence.mentions.iter().any(|m| m.key == title.mention.key) {
            let at = sentence.range.start;
            sentence.mentions.insert(0, NameMention { range: at..at, ..title.mention.clone() });
        }
    }
}

/// The kind of a subject that no rule gave one: what a Chinese heading is about is a concept.
pub(super) fn fallback_kind(subject: &UnitSubject) -> Option<NameKind> {
    (subject.language == Language::Chinese && subject.mention.name.chars().count() > 4)
        .then_some(NameKind::Concept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(title: &str, headings: &[&str]) -> Vec<String> {
        let title = file_name_apart(title);
        let all =
            [(title.as_str(), true)].into_iter().chain(headings.iter().map(|heading| (*heading, false)));
        all.filter_map(|(written, is_title)| subject(written, is_title, &[]))
            .map(|subject| subject.mention.name)
            .collect()
    }

    #[test]
    fn dates_files_with_a_number_and_sentences_are_no_subjects() {
        let check = |title: &str, expected: &[&str]| {
            let input = UnitText { title, headings: &[], text: "", header: "" };
            let found: Vec<String> =
                read(&input, &[]).into_iter().map(|subject| subject.mention.name).collect();
            assert_eq!(found, expected, "{title}");
        };
        check("Visit 48", &[]);
        check("FY23Q2_lumora.txt", &[]);
        check("Rotterdam shipyard buys its old Danish rival for a great sum", &[]);
        check("云帆新能源与海川动力达成战略合作", &[]);
        check("三国演义", &["三国演义"]);
        check("A Christmas Carol", &["A Christmas Carol"]);
    }

    #[test]
    fn titles_and_headings_lose_what_is_not_their_name() {
        assert_eq!(names("Mercury (planet)", &["2.1 Orbit", "Introduction"]), ["Mercury", "Orbit"]);
        assert_eq!(
            names("a-christmas-carol.txt", &["STAVE ONE--MARLEY'S GHOST", "Chapter 3"]),
            ["a christmas carol", "Marley's Ghost"]
        );
        assert_eq!(names("Ep_44_with_David.txt", &[]), ["Ep 44 with David"]);
        assert_eq!(
            names("三国演义", &["第一回 宴桃园豪杰三结义", "第二章", "前言"]),
            ["三国演义", "宴桃园豪杰三结义"]
        );
        assert_eq!(names("The Project Gutenberg eBook of A Christmas Carol", &[]), ["A Christmas Carol"]);
        assert_eq!(names("", &["---", "12"]), Vec::<String>::new());
        assert_eq!(names("Coca-Cola", &[]), ["Coca-Cola"]);
    }

    #[test]
    fn brackets_tell_the_kind_and_are_kept_as_the_full_title() {
        let input = UnitText { title: "Lloyd (2001 film)", headings: &[], text: "", header: "" };
        let subjects = read(&input, &[]);
        assert_eq!(subjects[0].mention.kinds, [(NameKind::Work, 12)]);
        assert_eq!(subjects[0].full.as_ref().map(|m| m.name.as_str()), Some("Lloyd (2001 film)"));
    }
}
