//! The entities that a question names.

use crate::domain::{Entity, Id, Ids, name_key};
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
    let keyed: Vec<(Range<usize>, String)> = candidate_spans(question)
        .into_iter()
        .map(|span| (span.clone(), name_key(question.get(span).unwrap_or_default())))
        .collect();
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
