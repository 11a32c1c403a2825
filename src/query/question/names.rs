//! The entities that a question names.

use crate::domain::{Entity, Id, Ids, name_key};
use crate::language::folding::{FoldedPlaces, simplify, writings};
use crate::language::words::is_han;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Words of the longest name looked for.
const LONGEST_WORDS: usize = 8;
/// Characters of the longest Chinese name looked for.
const LONGEST_HAN: usize = 8;
/// Characters of the longest question whose names are looked for in other ways to write them.
const LONGEST_QUESTION: usize = 200;

/// Entities whose name or alias stands in the question, in the order of the question; of overlapping names the
/// longest counts.
///
/// # Errors
/// What the store says.
pub async fn named(reader: &dyn GraphReader, ids: &Ids, question: &str) -> Result<Vec<Entity>> {
    let mut names: Vec<Entity> = Vec::new();
    for (_, entity) in named_at(reader, ids, question).await? {
        if names.iter().all(|known| known.id != entity.id) {
            names.push(entity);
        }
    }
    Ok(names)
}

/// As [`named`], with the bytes where each name stands; an entity that is named twice comes twice.
///
/// # Errors
/// What the store says.
pub async fn named_at(
    reader: &dyn GraphReader,
    ids: &Ids,
    question: &str,
) -> Result<Vec<(Range<usize>, Entity)>> {
    let keyed = keyed_spans(question);
    let keys: BTreeSet<&String> = keyed.iter().map(|(_, key)| key).collect();
    let resolution = reader.resolution_of(&keys.into_iter().cloned().collect::<Vec<_>>()).await?;
    let mut spans: Vec<(Range<usize>, Id)> = Vec::new();
    for (span, key) in keyed {
        let key = resolution.get(&key).unwrap_or(&key);
        if !key.is_empty() && !crate::language::is_stop_word(key) {
            spans.push((span, ids.entity(key)));
        }
    }
    let mut wanted: Vec<Id> = spans.iter().map(|(_, id)| id.clone()).collect();
    wanted.sort();
    wanted.dedup();
    let found: BTreeMap<Id, Entity> =
        reader.entities_by_id(&wanted).await?.into_iter().map(|entity| (entity.id.clone(), entity)).collect();
    spans.retain(|(_, id)| found.contains_key(id));
    spans.sort_by_key(|(span, _)| (std::cmp::Reverse(span.len()), span.start));
    let mut taken: Vec<(Range<usize>, Entity)> = Vec::new();
    for (span, id) in spans {
        if taken.iter().all(|(other, _)| span.end <= other.start || span.start >= other.end)
            && let Some(entity) = found.get(&id)
        {
            taken.push((span, entity.clone()));
        }
    }
    taken.sort_by_key(|(span, _)| span.start);
    Ok(taken)
}

/// Each span that may be a name with its key as it is written, and then with those of the other ways to write it.
fn keyed_spans(question: &str) -> Vec<(Range<usize>, String)> {
    let spans = candidate_spans(question);
    let keyed = |span: &Range<usize>, text: &str| (span.clone(), name_key(text));
    let as_written = spans.iter().map(|span| keyed(span, question.get(span.clone()).unwrap_or_default()));
    let mut all: Vec<(Range<usize>, String)> = as_written.collect();
    if question.chars().nth(LONGEST_QUESTION).is_some() {
        return all;
    }
    let mut seen: BTreeSet<(usize, String)> = BTreeSet::new();
    for writing in writings(question) {
        let places = FoldedPlaces::of(&writing, question);
        for span in &spans {
            let other = writing.get(places.in_text(span)).unwrap_or_default();
            // names are compared without regard to their width
            if question
                .get(span.clone())
                .is_some_and(|written| simplify(written) == simplify(other) && written != other)
                && seen.insert((span.start, other.to_owned()))
            {
                all.push(keyed(span, other));
            }
        }
    }
    all
}

/// Every run of up to eight words, and of up to eight Chinese characters.
fn candidate_spans(question: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let words: Vec<(usize, &str)> = question.unicode_word_indices().collect();
    for (first, (start, _)) in words.iter().enumerate() {
        for (last, word) in words.iter().skip(first).take(LONGEST_WORDS) {
            spans.push(*start..last + word.len());
            if let Some(owner) = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")) {
                spans.push(*start..last + owner.len());
            }
        }
    }
    let han: Vec<(usize, char)> = question.char_indices().collect();
    for (first, &(start, c)) in han.iter().enumerate() {
        if !is_han(c) {
            continue;
        }
        let mut length = 0;
        for &(at, c) in han.iter().skip(first).take(LONGEST_HAN) {
            if !is_han(c) {
                break;
            }
            length += 1;
            if length > 1 {
                spans.push(start..at + c.len_utf8());
            }
        }
    }
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup();
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_looked_for_in_both_scripts() {
        let keys = |question: &str| -> Vec<String> {
            keyed_spans(question).into_iter().map(|(_, key)| key).collect()
        };
        assert!(keys("储德润为什么迁居？").contains(&"儲德潤".to_owned()));
        assert!(keys("涂国栋是谁？").contains(&"涂國棟".to_owned()));
        assert!(keys("儲德潤為什麼遷居？").contains(&"储德润".to_owned()));
        let span = keyed_spans("问：储德润").into_iter().find(|(_, key)| key == "儲德潤").unwrap().0;
        assert_eq!(&"问：储德润"[span], "储德润");
        assert_eq!(
            keys("Who met Bob Cratchit in 1843?").len(),
            candidate_spans("Who met Bob Cratchit in 1843?").len()
        );
    }

    #[test]
    fn spans_hold_names_of_several_words_and_of_han() {
        let check = |question: &str, name: &str| {
            let spans = candidate_spans(question);
            assert!(spans.iter().any(|s| &question[s.clone()] == name), "{name} in {question}");
        };
        check("Who is Bob Cratchit?", "Bob Cratchit");
        check("Who is \"Bob\" Cratchit's son?", "Bob");
        check("刘备、关羽、张飞是什么关系？", "关羽");
        check("Who is Bob Cratchit's wife?", "Bob Cratchit");
        check("What is the Ghost of Christmas Past?", "Ghost of Christmas Past");
    }
}
