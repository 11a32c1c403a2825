//! What a corpus shows without a model: languages, kinds of documents, words of the field, types that carry it, short
//! forms that it explains, and names of its form.

use super::field::{Field, FoundType};
use crate::config::KnownName;
use crate::domain::{Record, name_key};
use crate::index::extraction::nlp::{self, NlpSettings};
use crate::index::extraction::schema::place_of;
use crate::index::passages::UnitPassage;
use crate::language::words::{is_han, segmenter};
use crate::language::{Language, is_stop_word, language_of, one_line, sentences, words};
use rayon::prelude::*;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Passages that are read for it.
const READ: usize = 400;
/// Words of the field that are told.
const WORDS: usize = 15;
/// Percent of the documents in which a line stands that is of their form.
const OF_FORM: usize = 30;
/// Documents or passages in which it must stand at least.
const LEAST: usize = 3;
/// Share of a name's places in such lines from which it is of the form, too.
const IN_FORM: f64 = 0.8;
/// Percent of the passages that a type must stand in where the types themselves show no border.
const OF_TYPE: usize = 5;
/// Percent of the passages above which no type is rare.
const NOT_RARE: usize = 20;
/// How many times more passages the last common type has to stand in than the first rare one.
const GAP: usize = 2;
/// Names that are listed.
const NAMES: usize = 40;

/// "Intelligent Cloud (IC)": a full name and its short form behind it.
static SHORT_FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"((?:[\p{L}&-]+ ){1,7}[\p{L}-]+) ?\((?:the )?[“”\x22']?([\p{Lu}][\p{Lu}\p{Nd}&-]{1,9})[“”\x22']?\)",
    )
    .ok()
});
/// "中国石油化工集团（以下简称中石化）": what a short form is said to stand for, with whatever stands before it.
static CHINESE_SHORT_FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"([\p{Han}A-Za-z\p{Nd}·]{3,40})[（(，,](?:以下)?简称(?:为|作|：|:)?[“\x22「『]?([\p{Han}A-Za-z\p{Nd}]{2,10}?)[”\x22」』]?[）)，,。；;]",
    )
    .ok()
});
/// A speaker before a colon, alone in its line or at its beginning.
static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^\s{0,3}([\p{Lu}][\p{L}.'’-]*(?: [\p{Lu}][\p{L}.'’-]*){0,3}):(?:\s|$)").ok()
});
/// A time at the beginning of a line, as logs have it.
static STAMP: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^\W{0,2}(?:\d{4}-\d\d-\d\d|\w{3} +\d{1,2}) ?T?\d\d:\d\d:\d\d").ok());

/// Words that give a kind of document away.
const NOTICE: [&str; 10] = [
    "notice is hereby given",
    "public notice",
    "hereby notified",
    "please take notice",
    "please be advised",
    "notice to all",
    "公告",
    "通告",
    "特此通知",
    "现将有关事项",
];
const CONTRACT: [&str; 8] = ["hereby", "herein", "shall", "party", "parties", "thereof", "甲方", "乙方"];
const PAPER: [&str; 8] = ["et al", "abstract", "doi", "[1]", "theorem", "we propose", "摘要", "参考文献"];
const MANUAL: [&str; 9] =
    ["click", "press", "install", "configure", "step 1", "step 2", "settings", "点击", "按下"];
const NOVEL: [&str; 6] = ["\" ", "” ", "said", "曰", "道：", "说道"];

/// Reads passages of a corpus by rules, and counts.
pub(super) fn find(passages: &[UnitPassage]) -> Field {
    let read: Vec<&UnitPassage> = passages.iter().take(READ).collect();
    let records: Vec<Vec<Record>> = read
        .par_iter()
        .map(|passage| nlp::extract(&passage.input(), &NlpSettings::default()).records)
        .collect();
    let types = types(&records);
    Field {
        languages: languages(&read),
        kinds: kinds(&read),
        type_threshold: type_threshold(&types, read.len()),
        types,
        names: short_forms(passages)
            .into_iter()
            .map(|(short, full)| KnownName { name: full, kind: String::new(), also: vec![short] })
            .take(NAMES)
            .collect(),
        stop_names: stop_names(&read, &records),
        words: telling_words(&read, &records),
        ..Field::default()
    }
}

fn by_count<K: Ord>(counts: BTreeMap<K, usize>) -> Vec<(K, usize)> {
    let mut all: Vec<(K, usize)> = counts.into_iter().collect();
    all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    all
}

fn languages(passages: &[&UnitPassage]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for passage in passages {
        let name = match language_of(&passage.unit.text) {
            Language::English => "English",
            Language::Chinese => "Chinese",
            Language::Other => "another",
        };
        *counts.entry(name).or_default() += 1;
    }
    let twentieth = passages.len() / 20;
    by_count(counts)
        .into_iter()
        .filter(|(_, count)| *count > twentieth)
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// Kinds of documents by what gives them away, those of a fifth of the passages at least.
fn kinds(passages: &[&UnitPassage]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for kind in passages.iter().flat_map(|passage| kinds_of(passage)) {
        *counts.entry(kind).or_default() += 1;
    }
    let fifth = passages.len() / 5;
    by_count(counts)
        .into_iter()
        .filter(|(_, count)| *count > fifth)
        .map(|(kind, _)| kind.to_owned())
        .collect()
}

/// Kinds that one passage shows: by the form of its lines, else by words that stand there often enough for its length.
fn kinds_of(passage: &UnitPassage) -> Vec<&'static str> {
    let text = &passage.unit.text;
    let lower = text.to_lowercase();
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count().max(1);
    let found = |pattern: &Option<Regex>| pattern.as_ref().map_or(0, |one| one.find_iter(text).count());
    let has = |marks: &[&str]| marks.iter().map(|mark| times_written(&lower, mark)).sum::<usize>();
    let long = (passage.unit.token_count as usize).max(100);
    let notice = has(&NOTICE) * 200 >= long;
    let signs = [
        ("transcript", found(&LABEL) >= 2),
        ("log", found(&STAMP) * 3 >= lines),
        ("notice", notice),
        // a notice is hereby given as well
        ("contract", !notice && has(&CONTRACT) * 120 >= long),
        ("paper", has(&PAPER) * 200 >= long),
        ("manual", has(&MANUAL) * 120 >= long),
        ("novel", has(&NOVEL) * 80 >= long),
    ];
    signs.into_iter().filter(|(_, shows)| *shows).map(|(kind, _)| kind).collect()
}

/// How often a mark stands in a text, as words of its own where it begins and ends with a letter of an alphabet.
fn times_written(text: &str, mark: &str) -> usize {
    let inside = |c: Option<char>| c.is_some_and(|c| c == '-' || c.is_alphanumeric() && !is_han(c));
    let (first, last) = (mark.chars().next(), mark.chars().next_back());
    text.match_indices(mark)
        .filter(|(start, _)| {
            let before = text.get(..*start).and_then(|text| text.chars().next_back());
            let behind = text.get(start + mark.len()..).and_then(|text| text.chars().next());
            !(inside(first) && inside(before) || inside(last) && inside(behind))
        })
        .count()
}

/// Types as rules of language see them, by the passages that have one.
fn types(records: &[Vec<Record>]) -> Vec<FoundType> {
    let mut found: BTreeMap<String, (BTreeSet<usize>, BTreeMap<String, usize>)> = BTreeMap::new();
    for (place, records) in records.iter().enumerate() {
        for record in records {
            if let Record::Entity(entity) = record
                && !entity.kind.is_empty()
            {
                let (passages, names) = found.entry(entity.kind.clone()).or_default();
                passages.insert(place);
                *names.entry(entity.name.clone()).or_default() += 1;
            }
        }
    }
    let mut types: Vec<FoundType> = found
        .into_iter()
        .map(|(kind, (passages, names))| FoundType {
            kind,
            description: String::new(),
            passages: passages.len(),
            names: by_count(names).into_iter().take(6).map(|(name, _)| name).collect(),
        })
        .collect();
    types.sort_by(|a, b| b.passages.cmp(&a.passages).then_with(|| a.kind.cmp(&b.kind)));
    types
}

/// Passages that a type must stand in not to be rare: the widest gap among the types of the corpus is the border, if what
/// is behind it stands in a fifth of the passages at most. Where no type stands in twice as many passages as the next one,
/// nothing parts them, and it is 5 % of the passages.
fn type_threshold(types: &[FoundType], read: usize) -> usize {
    let gaps = types.windows(2).filter_map(|pair| match pair {
        [common, rare]
            if 100 * rare.passages <= NOT_RARE * read && common.passages >= GAP * rare.passages =>
        {
            Some((common.passages as f64 / rare.passages.max(1) as f64, rare.passages + 1))
        }
        _ => None,
    });
    let widest = gaps.max_by(|(a, at), (b, other)| a.total_cmp(b).then(at.cmp(other)));
    widest.map_or_else(|| (OF_TYPE * read).div_ceil(100).max(2), |(_, threshold)| threshold)
}

/// Short forms that the corpus explains itself, with the full name: the letters are those that its words begin with.
pub(super) fn short_forms(passages: &[UnitPassage]) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for passage in passages {
        for parts in SHORT_FORM.iter().flat_map(|pattern| pattern.captures_iter(&passage.unit.text)) {
            let (Some(before), Some(short)) = (parts.get(1), parts.get(2)) else { continue };
            if let Some(full) = full_name(before.as_str(), short.as_str()) {
                *found.entry(short.as_str().to_owned()).or_default().entry(full).or_default() += 1;
            }
        }
        for parts in CHINESE_SHORT_FORM.iter().flat_map(|pattern| pattern.captures_iter(&passage.unit.text)) {
            let (Some(before), Some(short)) = (parts.get(1), parts.get(2)) else { continue };
            if let Some(full) = chinese_full_name(before.as_str(), short.as_str()) {
                *found.entry(short.as_str().to_owned()).or_default().entry(full).or_default() += 1;
            }
        }
    }
    // one that stands for two things is none
    found
        .into_iter()
        .filter_map(|(short, names)| {
            let one: BTreeSet<String> = names.keys().map(|name| name_key(name)).collect();
            (one.len() == 1).then(|| by_count(names).into_iter().next().map(|(name, _)| (short, name)))?
        })
        .collect()
}

/// The words at the end of `before` whose first letters are the short form's; small words may be left out of it.
fn full_name(before: &str, short: &str) -> Option<String> {
    let letters: Vec<char> =
        short.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
    let words: Vec<&str> = before.split_whitespace().collect();
    let mut left = letters.len();
    for (place, word) in words.iter().enumerate().rev() {
        let mut parts = word.split('-').rev().filter_map(|part| part.chars().next()).peekable();
        let mut met = false;
        while let Some(first) = parts.next() {
            let wanted = left.checked_sub(1).and_then(|at| letters.get(at)).copied();
            if first.to_lowercase().next() == wanted {
                left -= 1;
                met = true;
            } else if parts.peek().is_none() && !met && !is_stop_word(&word.to_lowercase()) {
                return None;
            }
        }
        if left == 0 {
            let name = words.get(place..)?.join(" ");
            return (letters.len() > 1 && name.chars().any(char::is_uppercase)).then_some(name);
        }
    }
    None
}

/// The shortest end of `before` that begins with a word and has the short form's characters in their order.
fn chinese_full_name(before: &str, short: &str) -> Option<String> {
    let (mut starts, mut at) = (Vec::new(), 0);
    for token in segmenter().cut(before, false) {
        starts.push(at);
        at += token.word.len();
    }
    let holds = |name: &str| {
        let mut letters = name.chars();
        short.chars().all(|wanted| letters.any(|letter| letter == wanted))
    };
    let name = starts.into_iter().rev().filter_map(|start| before.get(start..)).find(|name| holds(name))?;
    (name.chars().count() > short.chars().count()).then(|| name.to_owned())
}

/// Names that stand for the most part in lines that many documents share (headers, footers, who opens every call) or
/// before a colon without anything being said of them.
fn stop_names(passages: &[&UnitPassage], records: &[Vec<Record>]) -> Vec<String> {
    let documents: BTreeSet<&str> = passages.iter().map(|passage| passage.document.as_str()).collect();
    let several = documents.len() >= LEAST;
    let line_key = |line: &str| -> String {
        one_line(line).to_lowercase().chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
    };
    let mut holders: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for passage in passages {
        let holder = if several { passage.document.as_str() } else { passage.unit.id.as_str() };
        for piece in pieces(&passage.unit.text).map(line_key).filter(|line| line.chars().count() > 3) {
            holders.entry(piece).or_default().insert(holder);
        }
    }
    let all = if several { documents.len() } else { passages.len() };
    let least = LEAST.max((OF_FORM * all).div_ceil(100));
    let of_form: BTreeSet<&String> =
        holders.iter().filter(|(_, holders)| holders.len() >= least).map(|(line, _)| line).collect();
    if of_form.is_empty() {
        return Vec::new();
    }
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for record in records.iter().flatten() {
        if let Record::Entity(entity) = record
            && of_form.iter().any(|line| line.contains(&entity.name.to_lowercase()))
        {
            names.insert(&entity.name);
        }
    }
    let mut found = Vec::new();
    for name in names {
        let (mut in_form, mut elsewhere) = (0_usize, 0_usize);
        for line in passages.iter().flat_map(|passage| pieces(&passage.unit.text)) {
            if place_of(line, name).is_none() {
                continue;
            }
            let label = line.trim().trim_end_matches(':') == name
                || line.trim_start().strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
            if label || of_form.contains(&line_key(line)) { in_form += 1 } else { elsewhere += 1 }
        }
        if in_form >= least && in_form as f64 >= IN_FORM * (in_form + elsewhere) as f64 {
            found.push((in_form, name.to_owned()));
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.into_iter().map(|(_, name)| name).take(NAMES).collect()
}

/// Lines of a text, long ones by sentence: what is said in every call stands in a paragraph.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| sentences(line).into_iter().filter_map(|range| line.get(range)).collect::<Vec<_>>())
}

/// Words of several passages that come often where they come: frequency within passages times rarity among them. Of an
/// alphabet only those that are part of what rules see as a thing and not as somebody: talk has many others.
fn telling_words(passages: &[&UnitPassage], records: &[Vec<Record>]) -> Vec<String> {
    let mut of_things: BTreeSet<String> = BTreeSet::new();
    for record in records.iter().flatten() {
        if let Record::Entity(entity) = record
            && !matches!(entity.kind.as_str(), "Person" | "Date")
        {
            of_things.extend(words(&entity.name).into_iter().map(|word| word.to_lowercase()));
        }
    }
    let (mut documents, mut total): (BTreeMap<String, usize>, BTreeMap<String, usize>) = Default::default();
    for passage in passages {
        let mut here: BTreeSet<String> = BTreeSet::new();
        for word in words(&passage.unit.text) {
            let word = word.to_lowercase();
            let long = word.chars().count() >= if word.is_ascii() { 4 } else { 2 };
            let thing = word.chars().any(is_han) || of_things.contains(&word);
            if long && thing && !is_stop_word(&word) && !word.chars().any(char::is_numeric) {
                *total.entry(word.clone()).or_default() += 1;
                here.insert(word);
            }
        }
        for word in here {
            *documents.entry(word).or_default() += 1;
        }
    }
    let count = passages.len() as f64;
    let mut scored: Vec<(f64, String)> = documents
        .into_iter()
        .filter(|(_, holders)| *holders >= 2 && (*holders as f64) < 0.8 * count.max(3.0))
        .map(|(word, holders)| {
            let often = total.get(&word).copied().unwrap_or(0) as f64;
            (often * (1.0 + count / holders as f64).ln(), word)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut told: Vec<String> = Vec::new();
    for (_, word) in scored {
        // a Chinese word comes with the words inside it
        let is_inside = word.chars().any(is_han) && told.iter().any(|longer| longer.contains(&word));
        if told.len() < WORDS && !is_inside {
            told.push(word);
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::super::sample::passage;
    use super::*;

    #[test]
    fn short_forms_are_those_that_the_text_explains() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let found = short_forms(&[passage("a", 0, text)]);
            let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("Our Intelligent Cloud (IC) grew.", &[("IC", "Intelligent Cloud")]);
        check("the United States of America (USA) and", &[("USA", "United States of America")]);
        check(
            "in Customer Relationship Management (“CRM”) we",
            &[("CRM", "Customer Relationship Management")],
        );
        check("It grew a lot (IC) there.", &[]);
        check("Alpha Beta (AB). Anna Berg (AB).", &[]);
        check("近日，中国石油化工集团（以下简称“中石化”）宣布", &[("中石化", "中国石油化工集团")]);
        check("世界贸易组织，简称世贸组织。", &[("世贸组织", "世界贸易组织")]);
        check("他说（简称甲乙）", &[]);
    }

    #[test]
    fn names_of_the_form_are_those_of_lines_that_documents_share() {
        let text = |number: usize, name: &str| {
            format!(
                "Northwind Investor Relations {number}\n\n{name} Smith sold the Harbour Bridge to Brandt Lines.\n\nContact Northwind Investor Relations today.\n"
            )
        };
        let passages: Vec<UnitPassage> = ["Ida", "Tom", "Eva", "Kim"]
            .iter()
            .zip(0..)
            .map(|(name, number)| passage(&format!("d{number}"), 0, &text(number, name)))
            .collect();
        let field = find(&passages);
        assert!(field.stop_names.iter().any(|name| name.contains("Northwind")), "{field:?}");
        assert!(!field.stop_names.iter().any(|name| name.contains("Brandt")), "{field:?}");
        assert_eq!(field.languages, ["English"]);
    }

    #[test]
    fn a_type_of_few_passages_is_below_the_threshold() {
        let mut passages: Vec<UnitPassage> = (0..40)
            .map(|number| passage(&format!("d{number}"), 0, "Mr. Bob Smith met Mrs. Ann Hall in London."))
            .collect();
        passages.push(passage("last", 0, "Mr. Bob Smith read on 4 May 1843."));
        let field = find(&passages);
        assert_eq!(field.type_threshold, 2, "what stands in one passage is far behind the others");
        let kinds = |types: Vec<crate::config::EntityType>| -> Vec<String> {
            types.into_iter().map(|found| found.kind).collect()
        };
        let (all, common) = (kinds(field.entity_types()), kinds(field.common_types()));
        assert!(common.contains(&"Person".to_owned()), "{common:?}");
        assert!(common.len() <= all.len() && field.has_rare_types() == (common.len() < all.len()), "{all:?}");
    }

    #[test]
    fn the_border_of_rare_types_is_where_the_corpus_has_a_gap() {
        let check = |passages: &[usize], read: usize, expected: usize| {
            let types: Vec<FoundType> =
                passages.iter().map(|&passages| FoundType { passages, ..FoundType::default() }).collect();
            assert_eq!(type_threshold(&types, read), expected, "{passages:?}");
        };
        check(&[90, 80, 70, 12, 10, 9], 100, 13);
        check(&[90, 60, 40, 30, 25], 100, 5);
        check(&[50, 30, 18, 11, 8, 5, 1], 100, 2);
        check(&[], 100, 5);
    }

    #[test]
    fn kinds_are_told_by_what_gives_them_away() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(find(&[passage("a", 0, text)]).kinds, expected, "{text}");
        };
        check("Amy Hood: Thank you.\nSatya Nadella: Good morning.\nAmy Hood: Yes.", &["transcript"]);
        check("2024-01-01 10:00:00 start\n2024-01-01 10:00:01 end", &["log"]);
        check(
            "Notice is hereby given that Mill Lane will be closed from 3 May. Objections go to the clerk.",
            &["notice"],
        );
        check("关于暂停供水的公告。因管道检修，全区五月三日停水一天。", &["notice"]);
        check(
            "The Supplier shall deliver to the other party, and either party may terminate.",
            &["contract"],
        );
        check("A third-party report says that the shallow harbour is expressed in metres.", &[]);
        check("Click Save, then press Enter. Step 2: install the driver.", &["manual"]);
        check("Abstract. We propose a method that follows Lovelace et al [1].", &["paper"]);
        check("“Humbug!” said Scrooge. “Uncle!” said his nephew.", &["novel"]);
    }
}
