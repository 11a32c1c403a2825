//! Statements that repeat a sentence of the texts word by word, as answers without a model do: that sentence is what they
//! rest on, and nothing else.

use super::statements::{Cited, CitedStatement};
use crate::domain::{Community, Id, RecordKind, Relationship};
use crate::language::letters;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of letters from which words that are the same are no chance.
const LEAST: usize = 12;
/// Bytes of letters at the end of a sentence that was shortened by which it is known.
const END: usize = 48;
/// What stands where a sentence was shortened.
const CUT: char = '…';

/// Whether a statement ends with a text word by word; one that was shortened, with a part of it.
pub(super) fn repeats(statement: &str, text: &str) -> bool {
    let (said, told) = (letters(statement), letters(text));
    told.len() >= LEAST && said.ends_with(&told)
        || statement.trim_end().ends_with(CUT) && said.len() >= LEAST && told.contains(end_of(&said))
}

fn end_of(letters: &str) -> &str {
    let from = (letters.len().saturating_sub(END)..letters.len()).find(|at| letters.is_char_boundary(*at));
    letters.get(from.unwrap_or(0)..).unwrap_or(letters)
}

/// Relationships whose first evidence a statement repeats, for each report and statement.
#[derive(Default)]
pub(super) struct Repeated(BTreeMap<(Id, String), Vec<Id>>);

impl Repeated {
    /// The relationships that may tell what statements repeat of the reports that they cite: those of all findings, as the
    /// summary is made of them as well.
    pub(super) fn candidates(
        cited: &[Cited<'_>],
        communities: &BTreeMap<Id, Community>,
    ) -> BTreeMap<Id, BTreeSet<Id>> {
        let mut candidates: BTreeMap<Id, BTreeSet<Id>> = BTreeMap::new();
        for (kind, id, statement) in cited {
            let Some(community) = communities.get(*id).filter(|_| *kind == RecordKind::Reports) else {
                continue;
            };
            let said = letters(statement.sentence);
            let is_of_report = || letters(&community.report.full_content()).contains(end_of(&said));
            if said.len() >= LEAST && is_of_report() {
                let records = community.report.findings.iter().flat_map(|finding| &finding.citations);
                let relationships = records.filter(|record| record.kind == RecordKind::Relationships);
                candidates
                    .entry((*id).clone())
                    .or_insert_with(|| relationships.map(|record| record.id.clone()).collect());
            }
        }
        candidates
    }

    /// Those that do.
    pub(super) fn among(
        cited: &[Cited<'_>],
        candidates: &BTreeMap<Id, BTreeSet<Id>>,
        relationships: &[Relationship],
    ) -> Self {
        let mut found = BTreeMap::new();
        for (_, id, statement) in cited {
            let Some(candidates) = candidates.get(*id) else { continue };
            let of_report = relationships.iter().filter(|relationship| candidates.contains(&relationship.id));
            let telling =
                of_report.filter(|one| one.description.lines().any(|line| repeats(statement.sentence, line)));
            let telling: Vec<Id> = telling.map(|relationship| relationship.id.clone()).collect();
            if !telling.is_empty() {
                found.insert(((*id).clone(), statement.sentence.to_owned()), telling);
            }
        }
        Self(found)
    }

    /// All of them.
    pub(super) fn ids(&self) -> impl Iterator<Item = &Id> {
        self.0.values().flatten()
    }

    /// The relationships that tell what a statement repeats of a report.
    pub(super) fn of(&self, report: &Id, statement: CitedStatement<'_>) -> &[Id] {
        self.0.get(&(report.clone(), statement.sentence.to_owned())).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_repeats_a_sentence_whatever_label_stands_before_it() {
        let check = |statement: &str, text: &str, expected: bool| {
            assert_eq!(repeats(statement, text), expected, "{statement} / {text}");
        };
        check("- Christmas, Fred: A merry Christmas to you!", "A merry\nChristmas to you!", true);
        check("A merry Christmas to you!", "'A merry Christmas to you, whoever he is!'", false);
        check("- 袁绍等: 于是袁绍、曹操各选精兵五百。", "于是袁绍、曹操各选精兵五百。", true);
        check(
            "The Lord Mayor gave orders to his fifty cooks …",
            "The Lord Mayor gave orders to his fifty cooks and butlers.",
            true,
        );
        check("The Lord Mayor gave orders to his fifty cooks …", "The cooks came.", false);
        check("He came.", "He came.", false);
    }
}
