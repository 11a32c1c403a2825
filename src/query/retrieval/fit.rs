//! How well records fit a question by their words, and which are worth showing.

use super::context::Candidate;
use crate::language;
use crate::language::questions::stem;
use crate::language::words::is_han;
use crate::query::question::flatten;
use std::collections::{BTreeMap, BTreeSet};

/// Weight of the graph's order beside that of the words.
const ORDER: f64 = 0.5;
/// Records of a kind that are shown however badly they fit.
const LEAST: usize = 3;

/// The words of a text that carry its meaning: stems, and every two Han characters that stand together.
pub(in crate::query) fn terms(text: &str) -> BTreeSet<String> {
    let flat = flatten(text);
    let mut terms: BTreeSet<String> = language::words(&flat)
        .iter()
        .filter(|word| !language::is_stop_word(word))
        .map(|word| stem(word))
        .collect();
    let mut last = None;
    for character in flat.chars() {
        let han = Some(character).filter(|c| is_han(*c));
        if let (Some(one), Some(other)) = (last, han) {
            terms.insert([one, other].iter().collect());
        }
        last = han;
    }
    terms
}

/// Candidates, given best first by the graph, in the order of how well they fit the question, too; those that fit
/// worse than a share of the best are left out. Where no word of the question is shared, as in another language, all stay as they
/// are.
pub(in crate::query) fn fitting(
    question: &str,
    candidates: Vec<Candidate>,
    threshold: f64,
) -> Vec<Candidate> {
    let wanted = terms(question);
    let held: Vec<BTreeSet<String>> = candidates.iter().map(|candidate| terms(&candidate.text)).collect();
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for term in held.iter().flatten().filter(|term| wanted.contains(*term)) {
        *counts.entry(term).or_default() += 1;
    }
    // a word that all records have, as a name that they were found by, tells them apart no more
    let total = candidates.len().max(1) as f64;
    let rarity = |term: &String| {
        let count = counts.get(term).copied().unwrap_or_default() as f64;
        if count == 0.0 { 0.0 } else { (1.0 + total / count).ln() }
    };
    let most: f64 = wanted.iter().map(rarity).sum();
    if most <= 0.0 {
        return candidates;
    }
    let mut scored: Vec<(f64, Candidate)> = candidates
        .into_iter()
        .zip(&held)
        .enumerate()
        .map(|(place, (candidate, held))| {
            let shared: f64 = wanted.intersection(held).map(rarity).sum();
            let order = 1.0 - place as f64 / total;
            (shared / most + ORDER * order * order, candidate)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let least = scored.first().map_or(0.0, |(best, _)| best * threshold);
    scored
        .into_iter()
        .enumerate()
        .filter(|(place, (score, _))| *place < LEAST || *score >= least)
        .map(|(_, (score, candidate))| Candidate { score, ..candidate })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    fn candidates(texts: &[&str]) -> Vec<Candidate> {
        let ids = Ids::new("w");
        let candidate = |text: &&str| Candidate {
            id: ids.other("c", &[text]),
            name: String::new(),
            text: (*text).to_owned(),
            score: 0.0,
        };
        texts.iter().map(candidate).collect()
    }

    fn check(question: &str, texts: &[&str], expected: &[&str]) {
        let fitting = fitting(question, candidates(texts), 0.35);
        assert_eq!(fitting.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), expected, "{question}");
    }

    #[test]
    fn records_that_have_nothing_to_do_with_a_question_are_left_out() {
        check(
            "How fast did the revenue of Azure grow?",
            &[
                "Azure | Microsoft | is run by Microsoft",
                "Azure | revenue | revenue grew by 29%",
                "Azure | Oracle | runs databases",
                "Azure | SAP | runs workloads",
                "Elder Scrolls | Microsoft | a game",
                "Halo | Microsoft | a game",
                "Xbox | Microsoft | a console",
                "Azure | customers | its customers grow",
            ],
            &[
                "Azure | revenue | revenue grew by 29%",
                "Azure | Microsoft | is run by Microsoft",
                "Azure | customers | its customers grow",
            ],
        );
    }

    #[test]
    fn in_another_language_the_order_stays() {
        let texts = [
            "曹操 | 荆州 | 曹操得荆州",
            "孙权 | 江东 | 江东之主",
            "赵云 | 刘备 | 将军",
            "周瑜 | 孙策 | 托付",
        ];
        check("What did he tell them?", &texts, &texts);
    }
}
