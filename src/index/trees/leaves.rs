//! The leaves of a document's tree: whole sentences of its text units, packed up to a number of tokens.

use crate::domain::{Ids, StoredUnit, TreeNode, TreePassage};
use crate::language::sentences;
use crate::tokens::Tokens;
use std::collections::HashSet;
use std::ops::Range;

/// The leaves of a document, in the order of its text. What a unit repeats of the one before it is left out, and so
/// are passages without a letter or digit and those that have stood in the document before.
pub(super) fn leaves(units: &[StoredUnit], ids: &Ids, tokens: Tokens, leaf_tokens: usize) -> Vec<TreeNode> {
    let mut seen: HashSet<String> = HashSet::new();
    let mut found = Vec::new();
    let mut done = 0;
    for stored in units {
        let unit = &stored.unit;
        let repeated = usize::try_from(done.max(unit.start_offset) - unit.start_offset).unwrap_or(usize::MAX);
        done = done.max(unit.end_offset);
        let from = unit.text.char_indices().nth(repeated).map_or(unit.text.len(), |(at, _)| at);
        let mut place = CharacterCounter::default();
        for range in passages(unit.text.get(from..).unwrap_or_default(), tokens, leaf_tokens) {
            let range = from + range.start..from + range.end;
            let text = unit.text.get(range.clone()).unwrap_or_default();
            let (start, end) = place.of(&unit.text, &range);
            if !text.contains(char::is_alphanumeric) || !seen.insert(text.to_owned()) {
                continue;
            }
            found.push(TreeNode {
                id: ids.other("leaf", &[unit.id.as_str(), &start.to_string(), &end.to_string()]),
                document: Some(unit.document_id.clone()),
                level: 0,
                text: text.to_owned(),
                token_count: u32::try_from(tokens.count(text)).unwrap_or(u32::MAX),
                children: Vec::new(),
                passage: Some(TreePassage { text_unit: unit.id.clone(), start, end }),
                stamp: None,
            });
        }
    }
    found
}

/// Sentences one after another as long as they have at most so many tokens; a longer one stands alone.
fn passages(text: &str, tokens: Tokens, leaf_tokens: usize) -> Vec<Range<usize>> {
    let mut passages: Vec<Range<usize>> = Vec::new();
    let mut used = 0;
    for range in sentences(text) {
        let count = tokens.count(text.get(range.clone()).unwrap_or_default());
        match passages.last_mut() {
            Some(open) if used + count <= leaf_tokens => {
                open.end = range.end;
                used += count;
            }
            _ => {
                passages.push(range);
                used = count;
            }
        }
    }
    passages
}

/// Turns ascending bytes into characters.
#[derive(Default)]
struct CharacterCounter {
    byte: usize,
    character: u64,
}

impl CharacterCounter {
    fn of(&mut self, text: &str, range: &Range<usize>) -> (u64, u64) {
        let length = |range: Range<usize>| text.get(range).unwrap_or_default().chars().count() as u64;
        let start = self.character + length(self.byte..range.start);
        let end = start + length(range.clone());
        (self.byte, self.character) = (range.end, end);
        (start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{TextUnit, UnitState};

    /// Units of one document, the second beginning with what the first ends with.
    fn units(texts: &[(&str, u64)]) -> Vec<StoredUnit> {
        let ids = Ids::new("w");
        let document = ids.document("d");
        texts
            .iter()
            .zip(0..)
            .map(|((text, start), index)| StoredUnit {
                unit: TextUnit {
                    id: ids.text_unit(&document, text, 0),
                    document_id: document.clone(),
                    index,
                    text: (*text).to_owned(),
                    token_count: 0,
                    start_offset: *start,
                    end_offset: start + text.chars().count() as u64,
                    headings: Vec::new(),
                    sections: None,
                    locators: Vec::new(),
                    header: String::new(),
                    period: None,
                },
                document_key: "d".to_owned(),
                document_title: "d".to_owned(),
                document_date: None,
                state: UnitState::default(),
            })
            .collect()
    }

    fn texts(units: &[StoredUnit], leaf_tokens: usize) -> Vec<String> {
        let leaves = leaves(units, &Ids::new("w"), Tokens::O200kBase, leaf_tokens);
        for leaf in &leaves {
            let passage = leaf.passage.as_ref().unwrap();
            let unit = units.iter().find(|unit| unit.unit.id == passage.text_unit).unwrap();
            let (start, end) =
                (usize::try_from(passage.start).unwrap(), usize::try_from(passage.end).unwrap());
            let shown: String = unit.unit.text.chars().skip(start).take(end - start).collect();
            assert_eq!(shown, leaf.text, "offsets lead to the text");
        }
        leaves.into_iter().map(|leaf| leaf.text).collect()
    }

    #[test]
    fn sentences_stay_whole_and_keep_their_stops() {
        let one = "“Marley was dead,” he said! Was he? Yes. 他死了。 A sentence that is a good deal longer than the limit allows it to be.";
        let found = texts(&units(&[(one, 0)]), 12);
        assert_eq!(found.first().map(String::as_str), Some("“Marley was dead,” he said! Was he?"));
        assert_eq!(
            found.last().map(String::as_str),
            Some("A sentence that is a good deal longer than the limit allows it to be.")
        );
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(squeezed(&found.concat()), squeezed(one), "nothing is lost");
    }

    #[test]
    fn what_is_repeated_or_empty_is_no_leaf() {
        let found =
            texts(&units(&[("One é. Two.", 0), ("Two. Three.", 7), ("* * *", 18), ("Three.", 23)]), 2);
        assert_eq!(found, ["One é.", "Two.", "Three."]);
        assert_eq!(texts(&units(&[("", 0), ("  \n ", 0)]), 10), Vec::<String>::new());
    }
}
