//! Entries of a text: paragraphs that a label or a day opens, as in a log, a handover or a newsletter. What follows in such
//! a paragraph leaves out whom or what it is about, and when it was.

use super::fields::{FieldBlock, HAN_SAYING, field_blocks, label_end, label_of, without_mark};
use super::questions::holds_verb;
use super::record_subjects::record_subjects;
use super::sentences;
use super::speech::speaker;
use super::vocabulary::calendar::{is_short_weekday, is_weekday, month_of};
use super::words::{is_han, segmenter};
use std::collections::BTreeMap;
use std::ops::Range;

/// Most characters of what names somebody, of a Chinese name of what follows, and most words of both.
const LABEL: usize = 40;
const HAN_LABEL: usize = 12;
const WORDS: usize = 5;
/// Most characters of what stands at the head of an entry.
const HEAD: usize = 160;
/// Most characters of a section's heading, and bytes of the section.
const TITLE: usize = 60;
const SECTION: usize = 1500;
/// Most characters of a day with its hour.
const DAY: usize = 40;

/// What an entry is opened by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeadKind {
    /// The day of what it tells.
    Day,
    /// Whom or what it is about: "Bed 4: Mr Lee, 61."
    Subject,
    /// A name of what follows, which tells nothing: "**Summer fete.**"
    Label,
    /// The heading of a short section, where it names nobody.
    Section,
}

/// A paragraph with what opens it; bytes of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) kind: HeadKind,
    pub(crate) head: Range<usize>,
    /// Up to where it goes.
    pub(crate) end: usize,
}

/// The entries of a text, in their order. One that holds nothing behind its head is none.
pub(crate) fn entries(text: &str) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    let mut at = 0;
    let (mut opened, mut section): (Option<Entry>, Option<Entry>) = (None, None);
    let (mut is_first, mut below_whole) = (true, false);
    let mut records = Records::of(text);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let body = line.trim();
        let ends = body.is_empty() || body.starts_with(['#', '|']);
        let is_alone =
            text.get(at..).is_none_or(|rest| rest.lines().next().is_none_or(|next| next.trim().is_empty()));
        let is_whole = is_first && !ends && !is_alone && is_somebody(body);
        // lines with labels go on below one that says whom they are about
        let head = if ends || below_whole || records.hold(start..at, below_whole) {
            None
        } else if is_whole {
            Some((HeadKind::Subject, 0..body.len()))
        } else {
            head_of(body)
        };
        below_whole = is_whole || below_whole && !ends;
        is_first = ends;
        if ends || head.is_some() {
            found.extend(opened.take());
        }
        if body.starts_with('#') {
            let title = body.trim_start_matches('#').trim();
            let begin = start + line.rfind(title).unwrap_or_default();
            found.extend(section.take());
            let kind = if is_somebody(title) { HeadKind::Subject } else { HeadKind::Section };
            let is_part =
                kind == HeadKind::Subject || body.starts_with("##") && title.chars().count() <= TITLE;
            section = is_part.then(|| Entry { kind, head: begin..begin + title.len(), end: at });
        } else if let Some(section) = &mut section {
            section.end = at;
        }
        if let Some((kind, head)) = head {
            let begin = start + line.len() - line.trim_start().len();
            opened = Some(Entry { kind, head: begin + head.start..begin + head.end, end: at });
        } else if let Some(open) = &mut opened {
            open.end = at;
        }
    }
    found.extend(opened);
    found.extend(section);
    found.sort_by_key(|entry| entry.head.start);
    found.retain(|entry| entry.kind != HeadKind::Section || entry.end - entry.head.end <= SECTION);
    without_speakers(text, &mut found);
    found.extend(records.entries(text));
    found.sort_by_key(|entry| entry.head.start);
    // all of a record is about whom its head names
    if let Some(subject) = record_subjects(text).into_iter().next() {
        let head = subject.labelled;
        found.retain(|entry| !(entry.head.start <= head.start && head.end <= entry.head.end));
        found.push(Entry { kind: HeadKind::Subject, head, end: text.len() });
        found.sort_by_key(|entry| entry.head.start);
    }
    found.retain(|entry| text.get(entry.head.end..entry.end).is_some_and(|rest| !is_bare(rest)));
    found
}

/// The records of a text, line by line.
struct Records {
    blocks: Vec<FieldBlock>,
    place: usize,
    /// Those that go on below a line that says whom they are about.
    below_whole: Vec<usize>,
}

impl Records {
    fn of(text: &str) -> Self {
        let blocks = field_blocks(text).into_iter().filter(|block| block.is_record).collect();
        Self { blocks, place: 0, below_whole: Vec::new() }
    }

    /// Whether a line, which stands behind those asked about before, is part of one.
    fn hold(&mut self, line: Range<usize>, below_whole: bool) -> bool {
        while self.blocks.get(self.place).is_some_and(|block| block.range().end <= line.start) {
            self.place += 1;
        }
        let is_part = self.blocks.get(self.place).is_some_and(|block| block.range().start < line.end);
        if is_part && below_whole {
            self.below_whole.push(self.place);
        }
        is_part
    }

    /// What each is about, where its first field names that: in a register it does, whatever its label is.
    fn entries(&self, text: &str) -> impl Iterator<Item = Entry> {
        let label_of_first = |block: &FieldBlock| label_of(text.get(block.fields.first()?.clone())?);
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        for label in self.blocks.iter().filter_map(label_of_first) {
            *times.entry(label).or_default() += 1;
        }
        let own = self.blocks.iter().enumerate().filter(|(place, _)| !self.below_whole.contains(place));
        own.filter_map(move |(_, block)| {
            let label = label_of_first(block)?;
            let is_register = times.get(label).is_some_and(|times| *times > 1);
            let is_name = label.to_lowercase().ends_with("name") || label.ends_with("名称");
            let field = block.fields.first()?.clone();
            let first = without_mark(text.get(field.clone())?);
            let head = field.end - first.len()..field.end;
            let names = (is_register || is_name || is_of_something(first, label_end(first)?))
                && first.chars().count() <= HEAD;
            names.then(|| Entry { kind: HeadKind::Subject, head, end: block.range().end })
        })
    }
}

/// Leaves out the labels that open one paragraph after the other: who speaks in an interview, the fields of a form.
fn without_speakers(text: &str, found: &mut Vec<Entry>) {
    let label = |entry: &Entry| -> Option<String> {
        let head = text.get(entry.head.clone()).filter(|_| entry.kind == HeadKind::Subject)?;
        let (label, _) = head.split_once([':', '：'])?;
        let plain = label.trim_matches(['*', '_', ' ']);
        (!plain.chars().any(|c| c.is_ascii_digit())).then(|| plain.to_owned())
    };
    let labels: Vec<Option<String>> = found.iter().map(label).collect();
    let mut place = 0;
    found.retain(|_| {
        let own = labels.get(place).and_then(Option::as_ref);
        place += 1;
        own.is_none_or(|own| labels.iter().flatten().filter(|other| *other == own).count() < 2)
    });
}

fn is_bare(text: &str) -> bool {
    !text.chars().any(char::is_alphanumeric)
}

/// What a line is opened by, with its bytes.
fn head_of(line: &str) -> Option<(HeadKind, Range<usize>)> {
    let mark =
        ["- ", "* ", "+ ", "• "].iter().find(|mark| line.starts_with(**mark)).map_or(0, |mark| mark.len());
    let rest = line.get(mark..)?;
    let bold = rest.strip_prefix("**").and_then(|inside| inside.find("**")).map(|end| end + 4);
    let first = sentences(rest).into_iter().next()?;
    if let Some(end) = day_ahead(rest) {
        return Some((HeadKind::Day, mark..mark + end));
    }
    let label = label_ahead(rest).filter(|end| is_of_something(rest, *end));
    let head = mark + first.start..mark + first.end;
    let is_short = rest.get(first.clone()).is_some_and(|head| head.chars().count() <= HEAD);
    if label.is_some() && is_short && speaker(rest).is_none() {
        return Some((HeadKind::Subject, head));
    }
    let name = bold.filter(|end| *end <= first.end + 2).and_then(|end| Some((rest.get(..end)?, end)));
    let (name, end) = match name {
        Some(bold) => bold,
        None => (rest.get(first.clone())?, first.end),
    };
    is_name(name).then_some((HeadKind::Label, mark..mark + end))
}

/// Whether a short line says whom what follows is about: somebody with a form of address, or in a bed, a room or a house with a
/// number ("Room 22 – Mr Hill", 8床 莫秋云 女 66岁).
fn is_somebody(line: &str) -> bool {
    const TITLES: [&str; 7] = ["mr", "mrs", "ms", "miss", "dr", "prof", "sister"];
    const PLACES: [&str; 12] = [
        "room",
        "bed",
        "run",
        "flat",
        "cabin",
        "kennel",
        "stall",
        "plot",
        "house",
        "apartment",
        "berth",
        "unit",
    ];
    let line = line.trim_matches(['*', '_', ' ']);
    if line.chars().count() > LABEL || line.ends_with(['.', '。', '?', '？', '!', '！', ':', '：']) {
        return false;
    }
    if line.chars().any(is_han) {
        let bare: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        let behind = bare.trim_start_matches(|c: char| c.is_ascii_digit());
        return behind.len() < bare.len() && behind.starts_with(['床', '房', '室'])
            || bare.contains('岁') && bare.contains(['男', '女']);
    }
    let lower = line.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    let is_numbered = words.first().is_some_and(|word| PLACES.contains(word))
        && words.get(1).is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()) || word.len() == 1);
    let is_addressed = words.len() <= WORDS && words.iter().any(|word| TITLES.contains(word));
    (is_numbered || is_addressed) && !holds_verb(&lower)
}

/// Whether a text names something and tells nothing.
fn is_name(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    let ends = text.trim_end_matches(['*', '_', ' ']);
    let han = bare.chars().filter(|c| is_han(*c)).count();
    let is_short = if han > 0 {
        han <= HAN_LABEL / 2 && !segmenter().tag(bare, false).iter().any(|token| token.tag.starts_with('v'))
    } else {
        bare.split_whitespace().count() <= WORDS - 2 && !holds_verb(&bare.to_lowercase())
    };
    // an item with its number is none: "1. Buy bread."
    is_short
        && !bare.is_empty()
        && ends.ends_with(['.', '。'])
        && bare.starts_with(|c: char| c.is_uppercase() || is_han(c))
        && text.starts_with("**")
}

/// Labels of the parts of a text.
const PARTS: &str = "item agenda topic section chapter part point step article appendix";
const HAN_PARTS: &str = "议题 议程 事项 主题 步骤 附件 第";
/// Labels of a property of what a text is about.
const FIELDS: &str = "phone tel telephone time date place address cost price fee note notes contact email e-mail owner present \
                      apologies ingredients method cause remedy status master";
const HAN_FIELDS: &str =
    "电话 联系 时间 地点 地址 费用 日期 备注 说明 原因 处理 故障 诊断 修理人 负责人 单位 来源 名称";

/// Whether a label and what stands behind it name somebody or something that the entry is about: no item of an agenda, no
/// part of a text, and no Chinese sentence that tells something itself.
fn is_of_something(line: &str, end: usize) -> bool {
    let names = |list: &str, word: &str| list.split(' ').any(|name| name == word);
    let label = line.get(..end).unwrap_or_default().trim_matches(['*', '_', ' ']).to_lowercase();
    let first = label.split(' ').next().unwrap_or_default();
    let is_part = names(PARTS, first) || HAN_PARTS.split(' ').any(|part| label.starts_with(part));
    let behind = line.get(end..).unwrap_or_default();
    let said = sentences(behind).into_iter().next().and_then(|first| behind.get(first)).unwrap_or_default();
    let tells = said.chars().any(is_han) && segmenter().tag(said, false).iter().any(|token| token.tag == "v");
    let is_field = names(FIELDS, &label) || HAN_FIELDS.split(' ').any(|field| label.ends_with(field));
    !is_part && !is_field && !tells
}

/// The bytes of the label that a line begins with, up to its colon; not of who says something.
fn label_ahead(line: &str) -> Option<usize> {
    let at = label_end(line)?;
    let (label, behind) = line.split_at_checked(at)?;
    let label = label.trim_matches(['*', '_', ' ']);
    let behind = behind.trim_start_matches([':', '：']).trim_start();
    let speaks = label.ends_with(HAN_SAYING)
        || behind.starts_with(['“', '「', '"', '‘'])
        || holds_verb(&label.to_lowercase());
    (!speaks).then_some(at)
}

/// The bytes of the day that a line begins with, its mark with it: "14 May 2023.", "Mon 3 June, 06:40:", 5月20日：
fn day_ahead(line: &str) -> Option<usize> {
    let ends = |c: char| matches!(c, '.' | ':' | '：' | '。' | '–' | '—');
    let close = line.char_indices().take(DAY).filter(|(_, c)| ends(*c) || *c == '*');
    for (at, mark) in close {
        let behind = line.get(at + mark.len_utf8()..)?;
        // 06:40 and 3.5 go on
        if behind.starts_with(|c: char| c.is_ascii_digit()) || at == 0 {
            continue;
        }
        let day = line.get(..at)?.trim_matches(['*', '_', ' ', '.', ':']);
        if is_day(day) {
            let marks = behind.len() - behind.trim_start_matches(['*', '_', '.', ':']).len();
            return Some(at + mark.len_utf8() + marks);
        }
    }
    None
}

/// Whether a text is a day and nothing else: with or without its year, its day of the week and an hour.
pub(crate) fn is_day(text: &str) -> bool {
    if text.chars().any(is_han) {
        return is_chinese_day(text);
    }
    let lower = text.to_lowercase();
    let only_digits = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let number = |word: &str| {
        let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
        !digits.is_empty() && digits.len() <= 4 && only_digits(digits)
    };
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '/' | ':'))
        .filter(|word| !word.is_empty())
        .collect();
    let as_digits = |word: &&str| {
        let parts: Vec<&str> = word.split(['-', '/']).collect();
        parts.len() == 3 && parts.iter().all(|part| number(part))
    };
    let hour = |word: &str| matches!(word, "am" | "pm") || word.split(':').all(&number);
    let is_part = |word: &&str| {
        number(word)
            || hour(word)
            || as_digits(word)
            || month_of(word).is_some()
            || is_weekday(word)
            || is_short_weekday(word)
            || matches!(*word, "of" | "the")
    };
    let months = words.iter().filter(|word| month_of(word).is_some()).count();
    let has_number = words.iter().any(|word| number(word));
    let is_week = words.iter().any(|word| is_weekday(word));
    let is_dated = months == 1 && has_number || words.iter().any(as_digits) || is_week && words.len() == 1;
    is_dated && months <= 1 && words.iter().all(is_part)
}

fn is_chinese_day(text: &str) -> bool {
    const PARTS: &str = "0123456789〇零一二三四五六七八九十廿正腊冬初年月日号星期周礼拜天上下午晚早中晨夜时点分半刻（）()、，, :：闰";
    let has = |c: char| text.contains(c);
    let is_week =
        ["星期", "周", "礼拜"].iter().any(|form| text.starts_with(form)) && text.chars().count() <= 3;
    let is_dated = has('月')
        && (has('日')
            || has('号')
            || has('初')
            || text.ends_with(|c: char| "一二三四五六七八九十".contains(c)));
    (is_dated || is_week) && text.chars().all(|c| PARTS.contains(c))
}

/// Whether a flat sentence leaves out whom or what it is about: "Allergic to penicillin.", "Was moved to bed 3.",
/// 对青霉素过敏。
pub(crate) fn lacks_subject(flat: &str) -> bool {
    if flat.chars().any(is_han) { lacks_chinese_subject(flat) } else { lacks_english_subject(flat) }
}

fn lacks_english_subject(flat: &str) -> bool {
    const AUXILIARIES: [&str; 17] = [
        "is", "are", "was", "were", "has", "have", "had", "can", "could", "may", "might", "must", "should",
        "will", "would", "does", "did",
    ];
    const PREPOSITIONS: [&str; 14] = [
        "to", "on", "in", "at", "with", "from", "for", "by", "of", "under", "without", "into", "off", "until",
    ];
    const OBJECTS: [&str; 14] =
        ["a", "an", "the", "one", "two", "three", "four", "five", "no", "his", "her", "its", "some", "to"];
    if flat.ends_with('?') {
        return false;
    }
    let words: Vec<&str> = flat
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    let (Some(first), Some(second)) = (words.first(), words.get(1)) else { return false };
    let pronouns = ["he", "she", "it", "they", "i", "we", "you", "there", "this", "that", "who"];
    let first_clause = flat.split([',', ';']).next().unwrap_or(flat);
    let names_another = first_clause.len() < flat.len()
        && flat.get(first_clause.len()..).is_some_and(|rest| {
            let next = rest.split_whitespace().nth(1).unwrap_or_default();
            pronouns.contains(&next) || matches!(next, "the" | "a" | "an")
        });
    if AUXILIARIES.contains(first) {
        return true;
    }
    let is_second = |list: &[&str]| list.contains(second) || second.starts_with(|c: char| c.is_ascii_digit());
    let is_past = first.len() > 4 && first.ends_with("ed") || is_past_form(first);
    let acts = is_past && !names_another && !pronouns.iter().any(|word| second == word)
        || first.len() > 3 && first.ends_with('s') && !first.ends_with("ss") && is_second(&OBJECTS);
    // the side, not the verb
    let only_tells = !holds_verb(&flat.replace(" the left ", " "))
        && (PREPOSITIONS.contains(first) || PREPOSITIONS.contains(second));
    acts || only_tells
}

/// Whether a word is the past of an irregular verb, which stands behind its subject.
fn is_past_form(word: &str) -> bool {
    super::questions::is_irregular_past(word) && !matches!(word, "left" | "found" | "lit" | "death" | "dead")
}

fn lacks_chinese_subject(flat: &str) -> bool {
    let clause = flat.split(['，', '；', '。', ',']).next().unwrap_or(flat);
    let tokens = segmenter().tag(clause, false);
    if tokens.iter().any(|token| token.tag == "r") {
        return false;
    }
    let first = tokens.iter().find(|token| !matches!(token.tag, "t" | "d" | "c" | "x"));
    // whoever does it stands behind 由
    first.is_some_and(|token| {
        matches!(token.tag, "v" | "p" | "a") && !matches!(token.word, "由" | "被" | "经")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_with_a_label_or_a_day_is_an_entry() {
        let check = |text: &str, expected: &[(HeadKind, &str)]| {
            let found = entries(text);
            let found: Vec<(HeadKind, &str)> =
                found.iter().map(|one| (one.kind, &text[one.head.clone()])).collect();
            assert_eq!(found, expected, "{text}");
        };
        let (day, subject, label) = (HeadKind::Day, HeadKind::Subject, HeadKind::Label);
        check(
            "14 May 2023. Sailed at 0800. Rain.\n\n16 May. Fog.",
            &[(day, "14 May 2023."), (day, "16 May.")],
        );
        check("Monday 3 June, 06:40: sailed.", &[(day, "Monday 3 June, 06:40:")]);
        check("**2024-05-03** – The pump failed.", &[(day, "**2024-05-03**")]);
        check("5月20日：泵坏了。换了新的。\n六月初三。下雨。", &[(day, "5月20日："), (day, "六月初三。")]);
        check(
            "Room 4: Mr Lee, 61, asthma. Slept well.\nRoom 5: empty.",
            &[(subject, "Room 4: Mr Lee, 61, asthma.")],
        );
        check("4床：王建国，61岁。对青霉素过敏。", &[(subject, "4床：王建国，61岁。")]);
        check("**Summer fete.** The fete is on 3 May.", &[(label, "**Summer fete.**")]);
        check("**The bridge is open.** Walkers use it.\n\nMay I come? Yes.\n\nHe said: no. It was.", &[]);
        check(
            "## Root cause\n\nThe key was gone.\n\n**Ann:** It was late. I slept.\n\n**Bea:** Was it?\n\n**Ann:** Yes. Very.",
            &[(HeadKind::Section, "Root cause")],
        );
        check("抢修电话：96510。柳荫里物业中心。\n\nOwner: Tobias Lenz. Was told.", &[]);
        check("12 March 2024\n\nDear all, come.", &[]);
        check("议题一：自行车棚\n与会人员表决。\n\nItem 2: Summer fete\nWas postponed.", &[]);
        check(
            "## Room 22 – Mr Hill\n\nFell at two.\n\nBed 3: Ann. Slept.\n\nIs well.\n\n## Kitchen\n\nWas cleaned.",
            &[(subject, "Room 22 – Mr Hill"), (subject, "Bed 3: Ann."), (HeadKind::Section, "Kitchen")],
        );
        check(
            "8 床 莫秋云 女 66 岁\n诊断：慢性心力衰竭。\n夜间不能平卧。",
            &[(subject, "8 床 莫秋云 女 66 岁")],
        );
        check("交通：从高铁站乘坐7路公交车到老街站下车。馆内禁止吸烟。", &[]);
    }

    #[test]
    fn sentences_without_a_subject_are_known() {
        for text in [
            "allergic to penicillin.",
            "was moved to bed 3.",
            "fell on the way.",
            "on apixaban 10 mg twice daily.",
            "needs two people to walk.",
            "can go home today.",
            "lame on the left hind leg.",
            "arrived hammerfest at 0425.",
            "对青霉素过敏。",
            "夜间拔出留置针。",
        ] {
            assert!(lacks_subject(text), "{text}");
        }
        for text in [
            "masks are to be worn.",
            "his daughter visits at two.",
            "founded in 1920, the club is old.",
            "lucía was landed by boat.",
            "the tank holds two litres.",
            "他对青霉素过敏。",
            "王建国对青霉素过敏。",
            "水箱容量两升。",
        ] {
            assert!(!lacks_subject(text), "{text}");
        }
    }
}
