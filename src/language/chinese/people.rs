//! Chinese persons whom what stands before their names tells: an office, a profession, kin, a label of a form.

use super::candidate::NameCandidate;
use crate::language::mention::NameKind;
use crate::language::vocabulary::chinese::{
    COMMON, DOUBLE_SURNAMES, FALSE_NAMES, GENERAL_NOUNS_CHINESE, PLAIN_SURNAMES, SURNAMES, TAIL, TITLES,
    is_frequent_surname,
};
use crate::language::vocabulary::holds;
use crate::language::vocabulary::roles::{AGENT_VERBS, BEHIND_NAMES, KIN, NO_GIVEN, PERSON_LABELS, ROLES};
use crate::language::words::{is_han, segmenter, whole_tag};
use std::ops::Range;

/// Characters of the longest role.
const ROLE_CHARACTERS: usize = 5;

/// The persons of a sentence that something before their names shows to be ones.
pub(super) fn introduced(text: &str, range: &Range<usize>) -> Vec<NameCandidate> {
    let sentence = text.get(range.clone()).unwrap_or("");
    let mut found = Vec::new();
    for (at, first) in sentence.char_indices() {
        if !SURNAMES.contains(first) && !is_frequent_surname(first) {
            continue;
        }
        let (before, rest) = sentence.split_at(at);
        let by_kin = has_kin(before, first);
        let by_role = has_role(before) || by_kin;
        let named = if by_role || before.ends_with('由') || is_called(before) {
            name_length(rest)
        } else if is_labelled(before) {
            isolated_length(rest)
        } else {
            None
        };
        let named = named.filter(|length| {
            !before.ends_with('由')
                || by_role
                || starts_with_any(rest.get(*length..).unwrap_or(""), AGENT_VERBS)
        });
        if let Some(length) = named {
            found.push(person(range.start + at..range.start + at + length));
        }
    }
    found.extend(
        called(sentence).into_iter().map(|name| person(range.start + name.start..range.start + name.end)),
    );
    found.extend(
        clans(sentence).into_iter().map(|clan| person(range.start + clan.start..range.start + clan.end)),
    );
    found
}

/// The names that stand beside a person's in a list or in a row of a table: 王芳、石磊和龙伯年; | 罗建国 | 朱小兰 |. `is_person`
/// tells names that are known to be ones.
pub(super) fn listed_beside(
    text: &str,
    range: &Range<usize>,
    is_person: impl Fn(&str) -> bool + Copy,
) -> Vec<Range<usize>> {
    let sentence = text.get(range.clone()).unwrap_or("");
    let mut found = Vec::new();
    for (at, mark) in sentence.char_indices().filter(|(_, c)| matches!(c, '、' | '和' | '与' | '及')) {
        let (before, rest) =
            (sentence.get(..at).unwrap_or(""), sentence.get(at + mark.len_utf8()..).unwrap_or(""));
        let begins_with_person = rest
            .char_indices()
            .map(|(at, c)| at + c.len_utf8())
            .take(4)
            .any(|end| rest.get(..end).is_some_and(&is_person));
        let ends_in_person = endings(before).any(&is_person);
        let length = if ends_in_person && !begins_with_person { name_length(rest) } else { None };
        if let Some(length) = length {
            let start = range.start + at + mark.len_utf8();
            found.push(start..start + length);
        }
        let item = endings(before).find(|item| {
            let border = before.strip_suffix(item).and_then(|rest| rest.chars().next_back());
            border.is_none_or(|c| !is_han(c)) && isolated_length(item) == Some(item.len())
        });
        if let Some(item) = item.filter(|_| mark == '、' && begins_with_person) {
            found.push(range.start + at - item.len()..range.start + at);
        }
    }
    found.extend(
        cells_beside(sentence, is_person)
            .into_iter()
            .map(|cell| range.start + cell.start..range.start + cell.end),
    );
    found
}

/// Cells of a row that are a name by their looks and stand beside a person's.
fn cells_beside(row: &str, is_person: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut cells: Vec<(usize, &str)> = Vec::new();
    for part in row.split('|') {
        let cell = part.trim();
        cells.push((at + part.len() - part.trim_start().len(), cell));
        at += part.len() + 1;
    }
    let is_name = |cell: &str| !is_person(cell) && isolated_length(cell) == Some(cell.len());
    let pairs = cells.windows(2).flat_map(|pair| [(pair.first(), pair.last()), (pair.last(), pair.first())]);
    pairs
        .filter_map(|(one, other)| Some((one?, other?)))
        .filter(|(one, other)| is_person(one.1) && is_name(other.1))
        .map(|(_, other)| other.0..other.0 + other.1.len())
        .collect()
}

fn person(range: Range<usize>) -> NameCandidate {
    NameCandidate { range, kind: NameKind::Person, is_known: false, is_sure: true }
}

fn starts_with_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.starts_with(word))
}

/// The last characters of a text, shortest first, each a slice.
fn endings(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().rev().take(ROLE_CHARACTERS).filter_map(|(at, _)| text.get(at..))
}

/// Whether an office or a profession ends here.
fn has_role(before: &str) -> bool {
    endings(before).any(|end| holds(ROLES, end) && !holds(KIN, end))
}

/// Whether kin ends here, and 其 or 之 stands before it or the clause begins with it; a word of one character that
/// begins a clause begins other words as well, so the surname behind it has to be no plain word.
fn has_kin(before: &str, surname: char) -> bool {
    endings(before).any(|end| {
        let rest = before.strip_suffix(end).unwrap_or("");
        let border = rest.chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        let single = end.chars().nth(1).is_none();
        let owned = rest.ends_with(['其', '之', '与', '和']) || !single && rest.ends_with('的');
        let begins = border && !(single && (PLAIN_SURNAMES.contains(surname) || "子兄弟夫".contains(end)));
        holds(KIN, end) && (owned || begins)
    })
}

/// 长曰沈维, 次曰沈缜.
fn is_called(before: &str) -> bool {
    ["长曰", "次曰", "三曰", "幼曰", "季曰", "长子曰", "名叫", "叫做"].iter().any(|end| before.ends_with(end))
}

/// 记录：办公室 谢敏: a label for persons in the same line, and a border right before the name.
fn is_labelled(before: &str) -> bool {
    if before.chars().next_back().is_none_or(char::is_alphanumeric) {
        return false;
    }
    let line = before.rsplit('\n').next().unwrap_or(before);
    let Some((label, _)) = line.split_once(['：', ':']) else { return false };
    let label = label.trim_start_matches(|c: char| !c.is_alphanumeric()).trim();
    holds(PERSON_LABELS, label)
}

/// Bytes of the name that a text begins with and that no other Chinese character follows.
fn isolated_length(rest: &str) -> Option<usize> {
    let length: usize = rest.chars().take_while(|c| is_han(*c)).map(char::len_utf8).sum();
    let name = rest.get(..length)?;
    let surname = surname_length(name)?;
    let given = name.chars().count().checked_sub(surname)?;
    ((1..=2).contains(&given) && !is_common_word(name)).then_some(length)
}

/// Characters of the surname.
fn surname_length(text: &str) -> Option<usize> {
    if DOUBLE_SURNAMES.iter().any(|surname| text.starts_with(surname) && !holds(TITLES, surname)) {
        return Some(2);
    }
    let first = text.chars().next()?;
    (SURNAMES.contains(first) || is_frequent_surname(first)).then_some(1)
}

/// Whether a word of the dictionary is no person's name.
fn is_common_word(word: &str) -> bool {
    holds(FALSE_NAMES, word)
        || holds(GENERAL_NOUNS_CHINESE, word)
        || holds(TITLES, word)
        || holds(ROLES, word)
        || segmenter().has_word(word)
            && !segmenter()
                .tag(word, false)
                .first()
                .is_some_and(|first| first.word == word && (first.tag.starts_with("nr") || first.tag == "ns"))
}

/// Bytes of the full name that a text begins with: a surname and one or two characters, the second only where it does
/// not begin the word behind the name.
fn name_length(rest: &str) -> Option<usize> {
    let surname = surname_length(rest)?;
    let characters: Vec<(usize, char)> = rest.char_indices().take(surname + 5).collect();
    let at = |count: usize| characters.get(count).map_or(rest.len(), |(at, _)| *at);
    let part = |from: usize, to: usize| rest.get(at(from)..at(to)).unwrap_or("");
    let given = |index: usize, stops: &str| {
        characters.get(surname + index).map(|(_, c)| *c).filter(|c| is_han(*c) && !stops.contains(*c))
    };
    let first = given(0, NO_GIVEN)?;
    let (short, long) = (part(0, surname + 1), part(0, surname + 2));
    if is_common_word(short) || segmenter().has_word(part(0, 2)) && surname == 1 && is_common_word(part(0, 2))
    {
        return None;
    }
    let is_long = given(1, BEHIND_NAMES).is_some_and(|_| {
        let next = part(surname + 1, surname + 3);
        let is_word =
            |part: &str| part.chars().count() == 2 && part.chars().all(is_han) && segmenter().has_word(part);
        // 罗建国｜外号, not 罗建｜国外: the given name is a name of the dictionary, and a word stands behind it
        let names_given =
            is_word(part(surname + 2, surname + 4)) && is_name_of_dictionary(part(surname, surname + 2));
        let begins_word = is_word(next) && !names_given;
        // 代表魏国强，: one character before a mark is no clause
        let closes = !rest.get(long.len()..).unwrap_or("").starts_with(char::is_alphanumeric)
            && given(1, TAIL).is_some();
        let ends_short =
            (segmenter().has_word(short) && !segmenter().has_word(long) || begins_word) && !closes;
        !is_common_word(long) && (segmenter().has_word(long) || !ends_short) || is_listed(long)
    });
    let name = if is_long { long } else { short };
    let plain = surname == 1 && name.chars().next().is_some_and(|c| PLAIN_SURNAMES.contains(c));
    let closes = !rest.get(name.len()..).unwrap_or("").starts_with(char::is_alphanumeric);
    let vague = !is_long && !closes && (COMMON.contains(first) || TAIL.contains(first));
    (!(vague && plain) && (!is_common_word(name) || is_listed(name))).then_some(name.len())
}

/// Whether the dictionary holds a word as somebody's name or a place's.
fn is_name_of_dictionary(word: &str) -> bool {
    whole_tag(word).is_some_and(|tag| tag.starts_with("nr") || matches!(tag, "ns" | "nz"))
}

/// Whether the dictionary holds a word of three characters that begins with a surname as a noun: 周作人.
fn is_listed(word: &str) -> bool {
    let mut characters = word.chars();
    let surname = characters.next().is_some_and(|c| is_frequent_surname(c) && !PLAIN_SURNAMES.contains(c));
    surname && characters.count() == 2 && segmenter().has_word(word) && !holds(GENERAL_NOUNS_CHINESE, word)
}

/// What somebody is called behind a surname alone: 田阿姨.
const CALLED: [&str; 14] = [
    "阿姨", "叔叔", "师傅", "大爷", "大妈", "大叔", "大婶", "大嫂", "大哥", "大姐", "奶奶", "爷爷", "婆婆",
    "老板",
];
/// Characters behind which a surname begins a name, not the end of a word.
const BEFORE_NAMES: &str = "和与跟给请由让叫找问向对把被是归替同及到";

/// 田阿姨, and 小丁 behind an office: 司机小丁.
fn called(sentence: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (at, first) in sentence.char_indices() {
        let (before, rest) = sentence.split_at(at);
        let opens = before.chars().next_back().is_none_or(|c| !is_han(c) || BEFORE_NAMES.contains(c));
        let behind = rest.get(first.len_utf8()..).unwrap_or("");
        if opens && is_frequent_surname(first) {
            let call = CALLED.iter().find(|call| behind.starts_with(**call));
            found.extend(call.map(|call| at..at + first.len_utf8() + call.len()));
        }
        let surname =
            behind.chars().next().filter(|c| matches!(first, '小' | '老') && is_frequent_surname(*c));
        let closes = |surname: char| {
            let next = behind.get(surname.len_utf8()..).and_then(|rest| rest.chars().next());
            next.is_none_or(|c| !is_han(c) || BEHIND_NAMES.contains(c))
        };
        if let Some(surname) = surname.filter(|surname| closes(*surname) && has_role(before)) {
            found.push(at..at + first.len_utf8() + surname.len_utf8());
        }
    }
    found
}

/// 妻王氏: a wife or mother by her family.
fn clans(sentence: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (at, clan) in sentence.match_indices('氏') {
        let before = sentence.get(..at).unwrap_or("");
        let Some(surname) = before.chars().next_back().filter(|c| is_frequent_surname(*c)) else { continue };
        let start = at - surname.len_utf8();
        let kin = before.get(..start).and_then(|rest| rest.chars().next_back());
        if kin.is_some_and(|c| "妻母妾妇嫂娶祖人女".contains(c)) {
            found.push(start..at + clan.len());
        }
    }
    found
}
