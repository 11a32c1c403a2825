//! What shows in a question that patterns do not read whole: that it asks for rows, and names that the graph does not know.

use super::form::{Condition, Form};
use super::questions::{QuestionForm, is_name, read_marked};
use super::{nouns, wording};
use crate::domain::{FiscalCalendar, Ids};
use crate::language::words::is_han;
use crate::query::question::names::named_at;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::ops::Range;

/// Characters of the longest question that is looked at.
const LONGEST: usize = 400;
/// Characters of a Chinese name that nobody knows.
const HAN_NAME: [usize; 3] = [4, 3, 2];
/// Characters that a Chinese name hardly begins or ends with.
const NO_END: [char; 20] = [
    '了', '过', '着', '把', '将', '向', '被', '与', '和', '跟', '同', '给', '对', '在', '是', '到', '于',
    '从', '及', '都',
];
/// Units and measures: how many of them there are is told by a text, not by rows.
const MEASURES: [&str; 24] = [
    "years",
    "months",
    "weeks",
    "days",
    "hours",
    "minutes",
    "seconds",
    "dollars",
    "euros",
    "pounds",
    "percent",
    "percentage",
    "points",
    "basis",
    "million",
    "millions",
    "billion",
    "billions",
    "times",
    "shares",
    "units",
    "miles",
    "kilometers",
    "tons",
];

/// Whether a question asks for rows in so many words: how many, list, which … most; 多少, 列出, 最多.
pub fn asks_for_rows(question: &str) -> bool {
    if question.chars().count() > LONGEST {
        return false;
    }
    let flat = question.to_lowercase();
    if flat.chars().any(is_han) {
        let measured = ["多少钱", "多少年", "多少岁", "多少天", "多少斤", "多少里", "多少万", "多少亿"];
        let asks =
            ["多少", "几个", "几位", "几家", "几名", "几次", "哪些", "哪几", "列出", "列举", "最多", "最少"];
        return asks.iter().any(|sign| flat.contains(sign))
            && !measured.iter().any(|sign| flat.contains(sign));
    }
    let words: Vec<&str> =
        flat.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let counted =
        words.windows(3).any(|run| matches!(run, ["how", "many", thing] if !MEASURES.contains(thing)));
    let begins = |with: &[&str]| words.starts_with(with);
    let lists = begins(&["list"])
        || begins(&["enumerate"])
        || begins(&["count"])
        || begins(&["name", "all"])
        || begins(&["name", "every"])
        || begins(&["show", "me", "all"]);
    let asks = ["which", "who"].iter().any(|head| words.first() == Some(head));
    let ranked = asks && (words.contains(&"most") || words.contains(&"fewest"));
    counted || lists || ranked
}

/// The form that a question would have if a name in it were known; nothing where it has none all the same.
///
/// # Errors
/// What the store says.
pub async fn with_unknown_names(
    reader: &dyn GraphReader,
    ids: &Ids,
    calendar: FiscalCalendar,
    question: &str,
) -> Result<Option<Form>> {
    if question.chars().count() > LONGEST {
        return Ok(None);
    }
    let known: Vec<Range<usize>> = named_at(reader, ids, question)
        .await?
        .into_iter()
        .map(|(span, _)| span)
        .filter(|span| question.get(span.clone()).is_some_and(|name| is_name(name, question, calendar)))
        .collect();
    let form = if question.chars().any(is_han) {
        chinese(question, &known, calendar)
    } else {
        english(question, &known, calendar)
    };
    Ok(form)
}

/// Words with a capital that stand together are a name.
fn english(question: &str, known: &[Range<usize>], calendar: FiscalCalendar) -> Option<Form> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for span in words(question) {
        let word = question.get(span.clone())?;
        if overlaps(&span, known) || !is_name(word, question, calendar) {
            continue;
        }
        match runs.last_mut() {
            Some(run) if question.get(run.end..span.start) == Some(" ") => run.end = span.end,
            _ => runs.push(span),
        }
    }
    if runs.is_empty() {
        return None;
    }
    runs.extend(known.iter().cloned());
    runs.sort_by_key(|span| span.start);
    read_marked(question, &runs).filter(|asked| asked.sure).map(|asked| asked.form)
}

/// The bytes of words, without what stands around them.
fn words(question: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for part in question.split(' ') {
        let word = part.trim_matches(|c: char| !c.is_alphanumeric());
        let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
        if let Some(offset) = part.find(word).filter(|_| !word.is_empty()) {
            found.push(at + offset..at + offset + word.len());
        }
        at += part.len() + 1;
    }
    found
}

/// The first characters that a pattern reads the question with, where its relation is a known one.
fn chinese(question: &str, known: &[Range<usize>], calendar: FiscalCalendar) -> Option<Form> {
    let places: Vec<usize> = question.char_indices().map(|(at, _)| at).chain([question.len()]).collect();
    for first in 0..places.len() {
        for length in HAN_NAME {
            let (Some(&from), Some(&to)) = (places.get(first), places.get(first + length)) else { continue };
            let span = from..to;
            let Some(name) = question.get(span.clone()) else { continue };
            let ends = [name.chars().next(), name.chars().last()];
            if ends.iter().flatten().any(|end| NO_END.contains(end)) {
                continue;
            }
            if !name.chars().all(is_han) || overlaps(&span, known) || !is_name(name, question, calendar) {
                continue;
            }
            let mut spans = known.to_vec();
            spans.push(span);
            spans.sort_by_key(|span| span.start);
            let read = read_marked(question, &spans).filter(is_plain);
            if let Some(asked) = read {
                return Some(asked.form);
            }
        }
    }
    None
}

/// Whether every relation and noun of a form is one that tables of words know: nothing of a name was left over.
fn is_plain(asked: &QuestionForm) -> bool {
    fn all(conditions: &[Condition]) -> bool {
        conditions.iter().all(|condition| {
            let wording = &condition.wording;
            let told = wording.is_empty()
                || wording::says_nothing(wording)
                || wording::Wording::read(wording).is_known();
            let thing = &condition.others.thing;
            told && (thing.is_empty() || nouns::is_known(thing)) && all(&condition.others.conditions)
        })
    }
    let form = &asked.form;
    !form.conditions.is_empty()
        && all(&form.conditions)
        && (form.thing.is_empty() || nouns::is_known(&form.thing))
}

fn overlaps(span: &Range<usize>, known: &[Range<usize>]) -> bool {
    known.iter().any(|other| span.start < other.end && other.start < span.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_rows_show_it_and_others_do_not() {
        for question in [
            "How many of the firms that Contoso took over are in games?",
            "List everybody who has ever worked with Contoso",
            "Which speaker has said the most about Azure?",
            "跟曹操打过仗的将领一共有多少位？",
            "列出所有背叛过刘备的人",
        ] {
            assert!(asks_for_rows(question), "{question}");
        }
        for question in [
            "How many years did it take?",
            "Why did Contoso buy Litware?",
            "What is the most important risk of this?",
            "Who is Bob Cratchit?",
            "青龙偃月刀值多少钱？",
        ] {
            assert!(!asks_for_rows(question), "{question}");
        }
    }

    #[test]
    fn a_name_that_nobody_knows_is_found_in_its_place() {
        let calendar = FiscalCalendar::default();
        let of = |form: Option<Form>| form.map(|form| form.conditions[0].others.names.clone());
        let read = |question: &str| of(english(question, &[], calendar));
        assert_eq!(
            read("Which companies did Wide World Importers acquire?"),
            Some(vec!["Wide World Importers".into()])
        );
        assert_eq!(read("How many people work for Proseware's?"), Some(vec!["Proseware".into()]));
        assert_eq!(read("which companies did they acquire?"), None);
        let read = |question: &str| of(chinese(question, &[], calendar));
        assert_eq!(read("典韦杀了谁？"), Some(vec!["典韦".into()]));
        assert_eq!(read("谁杀了典韦？"), Some(vec!["典韦".into()]));
        assert_eq!(read("为什么会这样？"), None);
    }
}
