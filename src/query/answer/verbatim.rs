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

/// What a statement says, in letters alone.
pub(super) struct SaidLetters {
    /// All of it, and what stands behind each colon: a label may stand before what is repeated.
    wholes: Vec<String>,
    is_cut: bool,
}

impl SaidLetters {
    pub(super) fn of(statement: &str) -> Self {
        let behind = |mark: &str| {
            let places = statement.match_indices(mark).map(|(at, mark)| at + mark.len());
            places.filter_map(|at| statement.get(at..)).map(letters).collect::<Vec<String>>()
        };
        let mut wholes = vec![letters(statement)];
        wholes.extend(behind(": ").into_iter().chain(behind("：")));
        wholes.retain(|whole| whole.len() >= LEAST);
        Self { wholes, is_cut: statement.trim_end().ends_with(CUT) }
    }

    /// Whether the statement is a text word by word, but for a label; of one that was shortened, whether its end is there.
    pub(super) fn repeats(&self, text: &str) -> bool {
        if self.wholes.is_empty() {
            return false;
        }
        let told = letters(text);
        self.wholes.iter().any(|whole| *whole == told || self.is_cut && told.contains(end_of(whole)))
    }
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
        for (id, community) in communities {
            let mut statements =
                cited.iter().filter(|(kind, of, _)| *kind == RecordKind::Reports && *of == id);
            let told = letters(&community.report.full_content());
            let is_of_report = |statement: &CitedStatement<'_>| {
                let said = letters(statement.sentence);
                said.len() >= LEAST && told.contains(end_of(&said))
            };
            if statements.any(|(.., statement)| is_of_report(statement)) {
                let records = community.report.findings.iter().flat_map(|finding| &finding.citations);
                let relationships = records.filter(|record| record.kind == RecordKind::Relationships);
                candidates.insert(id.clone(), relationships.map(|record| record.id.clone()).collect());
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
            let said = SaidLetters::of(statement.sentence);
            let of_report = relationships.iter().filter(|relationship| candidates.contains(&relationship.id));
            let telling = of_report.filter(|one| one.description.lines().any(|line| said.repeats(line)));
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
            assert_eq!(SaidLetters::of(statement).repeats(text), expected, "{statement} / {text}");
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
        // what only ends like a sentence or a heading of the texts is no repetition of it
        check("Scrooge is the miser of A Christmas Carol.", "A Christmas Carol", false);
        check("于是袁绍、曹操皆大怒。", "曹操皆大怒。", false);
    }
}
