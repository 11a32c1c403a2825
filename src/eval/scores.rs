//! Scores of a retrieved list and of an answer's words.

use crate::language::words::is_han;
use std::collections::{BTreeMap, BTreeSet};

/// Share of the right answer's words below which F1* is 0.
const LEAST_RECALL: f64 = 0.2;

/// Share of the gold that stands among the first `k`, from 0 to 1; nothing where there is no gold.
pub fn recall(ranked: &[usize], gold: &[BTreeSet<usize>], k: usize) -> Option<f64> {
    let top: BTreeSet<&usize> = ranked.iter().take(k).collect();
    let found = gold.iter().filter(|places| places.iter().any(|place| top.contains(place))).count();
    (!gold.is_empty()).then(|| found as f64 / gold.len() as f64)
}

/// How an answer's words agree with the right ones, the best over all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    /// 1 where the normalised answer is a right one.
    pub exact: f64,
    /// Harmonic mean of precision and recall of words.
    pub f1: f64,
    /// F1 where enough of a right answer's words are there, else 0 (Yuan et al. 2024, LV-Eval; there with keywords
    /// chosen by hand, here the answer's own words).
    pub f1_star: f64,
}

/// Compares an answer with the right ones; nothing where there are none. Normalised as in `SQuAD` (Rajpurkar et al.
/// 2016): small letters, no punctuation, no articles; Chinese by characters.
pub fn agreement(answer: &str, right: &[String]) -> Option<Agreement> {
    let given = tokens(answer);
    let mut best: Option<Agreement> = None;
    for right in right {
        let right = tokens(right);
        let (f1, recall) = overlap(&given, &right);
        let one = Agreement {
            exact: f64::from(u8::from(given == right)),
            f1,
            f1_star: if recall >= LEAST_RECALL { f1 } else { 0.0 },
        };
        let known = best.get_or_insert(one);
        known.exact = known.exact.max(one.exact);
        known.f1 = known.f1.max(one.f1);
        known.f1_star = known.f1_star.max(one.f1_star);
    }
    best
}

/// An answer without its citations.
pub fn without_citations(answer: &str) -> String {
    let mut plain = String::new();
    let mut rest = answer;
    while let Some(start) = rest.find("[Data:") {
        plain.push_str(rest.get(..start).unwrap_or_default().trim_end_matches(' '));
        let behind = rest.get(start..).unwrap_or_default();
        rest = behind.find(']').and_then(|end| behind.get(end + 1..)).unwrap_or_default();
    }
    plain.push_str(rest);
    plain.trim().to_owned()
}

/// Normalised words; Han characters one by one.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut word = String::new();
    let end = |word: &mut String, tokens: &mut Vec<String>| {
        if !word.is_empty() && !["a", "an", "the"].contains(&word.as_str()) {
            tokens.push(word.clone());
        }
        word.clear();
    };
    for c in text.chars().flat_map(char::to_lowercase) {
        if is_han(c) {
            end(&mut word, &mut tokens);
            tokens.push(c.to_string());
        } else if c.is_whitespace() {
            end(&mut word, &mut tokens);
        } else if c.is_alphanumeric() {
            word.push(c);
        }
    }
    end(&mut word, &mut tokens);
    tokens
}

/// F1 and recall of two bags of words.
fn overlap(given: &[String], right: &[String]) -> (f64, f64) {
    if given.is_empty() || right.is_empty() {
        let same = f64::from(u8::from(given.is_empty() && right.is_empty()));
        return (same, same);
    }
    let mut left: BTreeMap<&String, usize> = BTreeMap::new();
    for token in right {
        *left.entry(token).or_default() += 1;
    }
    let mut same = 0_usize;
    for token in given {
        if let Some(count) = left.get_mut(token)
            && *count > 0
        {
            *count -= 1;
            same += 1;
        }
    }
    if same == 0 {
        return (0.0, 0.0);
    }
    let (precision, recall) = (same as f64 / given.len() as f64, same as f64 / right.len() as f64);
    (2.0 * precision * recall / (precision + recall), recall)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_agree_by_words() {
        let check = |answer: &str, right: &[&str], exact: f64, f1: f64| {
            let right: Vec<String> = right.iter().map(|text| (*text).to_owned()).collect();
            let found = agreement(answer, &right).expect("there is a right answer");
            assert!((found.exact - exact).abs() < 1e-9, "{answer}: {found:?}");
            assert!((found.f1 - f1).abs() < 1e-9, "{answer}: {found:?}");
        };
        check("The Dodgers!", &["Los Angeles Dodgers", "Dodgers"], 1.0, 1.0);
        check("Houston Astros", &["Los Angeles Dodgers"], 0.0, 0.0);
        check(
            "the team of Los Angeles",
            &["Los Angeles Dodgers"],
            0.0,
            2.0 * (0.5 * 2.0 / 3.0) / (0.5 + 2.0 / 3.0),
        );
        check("刘备与张飞", &["刘备"], 0.0, 2.0 * (0.4 * 1.0) / 1.4);
        check("yes", &["yes"], 1.0, 1.0);
        assert_eq!(agreement("x", &[]), None);
        let long = agreement("west of the world", &["one two three four five six west".to_owned()]).unwrap();
        assert!(long.f1 > 0.0 && long.f1_star == 0.0, "{long:?}");
    }

    #[test]
    fn recall_counts_gold_not_places() {
        let gold = [BTreeSet::from([1, 2]), BTreeSet::from([5])];
        assert_eq!(recall(&[2, 1, 5], &gold, 2), Some(0.5));
        assert_eq!(recall(&[2, 1, 5], &gold, 3), Some(1.0));
        assert_eq!(recall(&[2], &[], 3), None);
    }

    #[test]
    fn citations_are_no_words_of_the_answer() {
        let answer = "He was a clerk [Data: Sources (1, 2)]. Yes [Data: Sources (3)]";
        assert_eq!(without_citations(answer), "He was a clerk. Yes");
    }
}
