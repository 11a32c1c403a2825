//! The rows of a table that a column of yes and no chooses: "Which plots have no water tap?", 哪些地块没有水龙头.
//!
//! As with the greatest row, only tables of which every row was retrieved are looked at.

use super::candidates::AnswerCandidate;
use super::cells::{column_words, is_asked_about};
use super::concepts::{Concept, IndexedSentence, StemsOf};
use super::extremes::{SAYS, WholeTable, is_sum, tables};
use crate::domain::{Id, TextUnit};
use crate::query::question::{Question, flatten};
use std::collections::BTreeSet;

/// Fewest rows among which a column chooses.
const ROWS: usize = 2;
/// What a column of yes and no is called beside what it is about.
const WHETHER: [&str; 6] = ["是否有", "是否", "有没有", "有无", "has ", "is "];
/// The same behind it: "Materials included".
const BEHIND: [&str; 10] = [
    " included",
    " available",
    " provided",
    " needed",
    " required",
    " allowed",
    " possible",
    " access",
    " supplied",
    " offered",
];
/// Verbs that only join what a row is of with what a column says of it.
const HAVING: [&str; 20] = [
    "provide", "provides", "provided", "include", "includes", "included", "offer", "offers", "offered",
    "supply", "supplied", "need", "needs", "require", "requires", "allow", "allows", "come", "have", "has",
];

/// Whether a question asks which ones of several have something, or are so.
pub(super) fn asks_which(question: &Question) -> bool {
    const ENGLISH: [&str; 4] = ["which ", "who ", "list ", "name "];
    const CHINESE: [&str; 7] = ["哪些", "哪几", "哪个", "哪位", "谁", "哪间", "哪家"];
    let flat = flatten(&question.text);
    ENGLISH.iter().any(|form| flat.starts_with(form)) || CHINESE.iter().any(|form| flat.contains(form))
}

/// Whether a flat question asks who has something or is so: "Who looks after the cutter?" asks for another thing than whom the cutter is
/// allowed.
fn asks_having(flat: &str) -> bool {
    const WORDS: [&str; 12] =
        ["have", "has", "had", "with", "are", "is", "can", "get", "gets", "do", "does", "did"];
    const HAN: [&str; 10] = ["有", "没", "带", "未", "不", "含", "提供", "可以", "能", "了"];
    let mut words = flat.split(|c: char| !c.is_alphanumeric() && c != '\'');
    denies(flat)
        || HAN.iter().any(|word| flat.contains(word))
        || words.any(|word| WORDS.contains(&word) || HAVING.contains(&word))
}

/// The places among the candidates of the rows that say yes, or no, to what a question asks.
pub(super) fn chosen(
    question: &Question,
    concepts: &[Concept],
    candidates: &[AnswerCandidate<'_>],
    whole: &BTreeSet<Id>,
) -> BTreeSet<usize> {
    if !asks_which(question) || !asks_having(&flatten(&question.text)) {
        return BTreeSet::new();
    }
    let tables = tables(candidates, whole);
    tables.iter().filter_map(|table| chosen_of(table, question, concepts, candidates)).flatten().collect()
}

/// The same of a table; nothing where it is of something else, or no column of it is of yes and no.
fn chosen_of(
    table: &WholeTable<'_>,
    question: &Question,
    concepts: &[Concept],
    candidates: &[AnswerCandidate<'_>],
) -> Option<Vec<usize>> {
    let mut stems = StemsOf::default();
    let flat = flatten(&question.text);
    let asked = IndexedSentence::of(&question.text, &mut stems);
    let rows = || table.rows.iter().filter(|(_, cells)| !is_sum(cells.first().copied().unwrap_or_default()));
    let answers = |column: usize| -> Option<Vec<bool>> {
        let answers = rows().map(|(_, cells)| yes_or_no(cells.get(column).copied().unwrap_or_default()));
        let answers: Vec<bool> = answers.collect::<Option<_>>()?;
        (answers.len() >= ROWS && answers.contains(&true)).then_some(answers)
    };
    let column = (1..table.header.len()).find(|column| {
        let name = table.header.get(*column).copied().unwrap_or_default().to_lowercase();
        let name = WHETHER.iter().find_map(|form| name.strip_prefix(form)).unwrap_or(&name);
        let name = BEHIND.iter().find_map(|form| name.strip_suffix(form)).unwrap_or(name);
        is_asked_about(&column_words(name), &asked, &mut stems) && answers(*column).is_some()
    })?;
    let answers = answers(column)?;
    let above = candidates.get(table.rows.first()?.0).map(|one| &one.above)?;
    let names: Vec<IndexedSentence> =
        table.header.iter().map(|name| IndexedSentence::of(&column_words(name), &mut stems)).collect();
    let cells: Vec<IndexedSentence> =
        rows().map(|(_, cells)| IndexedSentence::of(&cells.join(" "), &mut stems)).collect();
    let mut kept: Vec<bool> = answers.iter().map(|yes| *yes != denies(&flat)).collect();
    let counts = |concept: &Concept| !concept.is_light && !HAVING.contains(&concept.text.as_str());
    for (place, concept) in concepts.iter().enumerate().filter(|(_, concept)| counts(concept)) {
        let is_said = names.iter().any(|name| concept.find(name, "").strength >= SAYS)
            || above.get(place).is_some_and(|above| *above >= SAYS);
        if is_said {
            continue;
        }
        let of_rows: Vec<bool> = cells.iter().map(|row| concept.find(row, "").strength >= SAYS).collect();
        // what neither the table nor a row of it says is of something else
        if !of_rows.contains(&true) {
            return None;
        }
        kept.iter_mut().zip(of_rows).for_each(|(kept, of_row)| *kept = *kept && of_row);
    }
    let found: Vec<usize> =
        rows().zip(kept).filter(|(_, kept)| *kept).map(|((place, _), _)| *place).collect();
    (!found.is_empty()).then_some(found)
}

/// Whether a text unit holds a row of a table with a yes or a no in it.
pub(super) fn has_choices(unit: &TextUnit) -> bool {
    let rows = unit.text.lines().filter(|line| line.starts_with('|'));
    rows.flat_map(|row| row.split('|').map(str::trim))
        .any(|cell| !cell.is_empty() && yes_or_no(cell).is_some())
}

/// What a cell says to a question of yes and no.
fn yes_or_no(cell: &str) -> Option<bool> {
    const YES: [&str; 11] = ["yes", "y", "true", "✓", "✔", "√", "是", "有", "已", "对", "✅"];
    const NO: [&str; 16] =
        ["no", "n", "false", "none", "not yet", "✗", "✘", "×", "-", "–", "—", "否", "无", "没有", "未", "❌"];
    let cell = cell.trim_matches(['*', '_', ' ', '.']).to_lowercase();
    if cell.is_empty() || NO.contains(&cell.as_str()) {
        return Some(false);
    }
    YES.contains(&cell.as_str()).then_some(true)
}

/// Whether a flat question asks for those that say no.
fn denies(flat: &str) -> bool {
    const WORDS: [&str; 8] = ["no", "not", "without", "lack", "lacks", "never", "cannot", "aren't"];
    let words = flat.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'));
    words.into_iter().any(|word| WORDS.contains(&word) || word.ends_with("n't") || word.ends_with("n’t"))
        || ["没", "無", "无", "未", "不"].iter().any(|word| flat.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_say_yes_or_no_in_many_ways() {
        for yes in ["Yes", "✓", "**yes**", "是", "有"] {
            assert_eq!(yes_or_no(yes), Some(true), "{yes}");
        }
        for no in ["No", "-", "", "not yet", "无"] {
            assert_eq!(yes_or_no(no), Some(false), "{no}");
        }
        assert_eq!(yes_or_no("two"), None);
    }

    #[test]
    fn a_question_may_ask_for_those_that_say_no() {
        for text in ["which plots have no tap?", "who hasn't paid?", "哪些地块没有水龙头？"] {
            assert!(denies(text), "{text}");
        }
        assert!(!denies("which plots have a tap?") && !denies("who knows the north plot?"));
    }
}
