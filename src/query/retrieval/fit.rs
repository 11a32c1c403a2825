//! How well records fit a question by their words, and which are worth showing.

use super::context::Candidate;
use crate::language;
use crate::language::questions::stem;
use crate::language::words::{for_each_word, is_han};
use crate::query::question::flatten;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Weight of the graph's order beside that of the words.
const ORDER: f64 = 0.5;
/// Records of a kind that are shown however badly they fit.
const LEAST: usize = 3;
/// Claims of the category of the one that fits best that are shown however badly they fit.
const SAME: usize = 8;

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

/// Finds which of the wanted terms texts have; each word is stemmed once for all of them.
struct TermFinder<'a> {
    wanted: &'a BTreeSet<String>,
    /// What each word met so far is among the wanted.
    met: FxHashMap<String, Option<&'a String>>,
}

impl<'a> TermFinder<'a> {
    fn new(wanted: &'a BTreeSet<String>) -> Self {
        Self { wanted, met: FxHashMap::default() }
    }

    /// Those of the wanted terms that are among the [`terms`] of a text.
    fn shared(&mut self, text: &str) -> BTreeSet<&'a String> {
        let flat = flatten(text);
        let mut shared = BTreeSet::new();
        for_each_word(&flat, |word| {
            let known = self.met.get(word.as_ref()).copied();
            let term = known.unwrap_or_else(|| {
                let told = Some(&word).filter(|word| !language::is_stop_word(word));
                let term = told.and_then(|word| self.wanted.get(&stem(word)));
                self.met.insert(word.into_owned(), term);
                term
            });
            shared.extend(term);
        });
        for (one, other) in flat.chars().zip(flat.chars().skip(1)) {
            if is_han(one) && is_han(other) {
                shared.extend(self.wanted.get(&String::from_iter([one, other])));
            }
        }
        shared
    }
}

/// Candidates, given best first by the graph, in the order of how well they fit the question, too; those that fit
/// worse than a share of the best are left out. Where no word of the question is shared, as in another language, all stay as they
/// are.
pub(in crate::query) fn fitting(
    question: &str,
    candidates: Vec<Candidate>,
    threshold: f64,
) -> Vec<Candidate> {
    let scored = match scored(question, candidates) {
        Ok(scored) => scored,
        Err(candidates) => return candidates,
    };
    let least = scored.first().map_or(0.0, |best| best.of.score * threshold);
    let fitting = scored.into_iter().enumerate();
    let fitting = fitting.filter(|(place, fit)| *place < LEAST || fit.of.score >= least);
    fitting.map(|(_, fit)| fit.of).collect()
}

/// As [`fitting`], of claims, whose names are their categories: none that shares no word with the question stays for want
/// of others, and with the one that fits best stays what is claimed of the same, as who denies it need not use the
/// question's words.
pub(in crate::query) fn fitting_claims(
    question: &str,
    candidates: Vec<Candidate>,
    threshold: f64,
) -> Vec<Candidate> {
    let scored = match scored(question, candidates) {
        Ok(scored) => scored,
        Err(candidates) => return candidates,
    };
    if threshold <= 0.0 {
        return scored.into_iter().map(|fit| fit.of).collect();
    }
    let Some(best) = scored.iter().find(|fit| fit.shares) else { return Vec::new() };
    let (least, category) = (best.of.score * threshold, best.of.name.clone());
    let fits = |fit: &ScoredCandidate| fit.shares && fit.of.score >= least;
    let (of_the_same, others): (Vec<ScoredCandidate>, Vec<ScoredCandidate>) =
        scored.into_iter().partition(|fit| fit.of.name == category);
    let (fitting, rest): (Vec<ScoredCandidate>, Vec<ScoredCandidate>) =
        of_the_same.into_iter().partition(fits);
    let same = fitting.into_iter().chain(rest.into_iter().take(SAME));
    same.chain(others.into_iter().filter(fits)).map(|fit| fit.of).collect()
}

/// Sources, best first, without those that have nothing to do with a question: neither a word of it nor one of `names`, of
/// what it names and what is related with that. The first stays, and all where none has; where it names nothing, those in
/// another language, too.
pub(in crate::query) fn telling_sources(
    question: &str,
    names: &[String],
    candidates: Vec<Candidate>,
) -> Vec<Candidate> {
    let wanted = terms(question);
    let names: Vec<String> = names.iter().map(|name| flatten(name)).filter(|name| !name.is_empty()).collect();
    let mut finder = TermFinder::new(&wanted);
    let tells = |source: &Candidate| {
        let flat = flatten(&source.text);
        names.iter().any(|name| flat.contains(name.as_str())) || !finder.shared(&source.text).is_empty()
    };
    let told: Vec<bool> = candidates.iter().map(tells).collect();
    if !told.contains(&true) {
        return candidates;
    }
    let own = language::language_of(question);
    let foreign = |source: &Candidate| names.is_empty() && language::language_of(&source.text) != own;
    let kept = candidates.into_iter().zip(told).enumerate();
    let kept = kept.filter(|(place, (source, told))| *place == 0 || *told || foreign(source));
    kept.map(|(_, (source, _))| source).collect()
}

/// A candidate, scored by how well it fits a question.
struct ScoredCandidate {
    /// Whether it shares a word with it.
    shares: bool,
    of: Candidate,
}

/// Candidates, given best first by the graph, by how well they fit a question; as they are where no word of it is shared.
fn scored(question: &str, candidates: Vec<Candidate>) -> Result<Vec<ScoredCandidate>, Vec<Candidate>> {
    let wanted = terms(question);
    let mut finder = TermFinder::new(&wanted);
    let held: Vec<BTreeSet<&String>> =
        candidates.iter().map(|candidate| finder.shared(&candidate.text)).collect();
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for term in held.iter().flatten() {
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
        return Err(candidates);
    }
    let mut scored: Vec<ScoredCandidate> = candidates
        .into_iter()
        .zip(&held)
        .enumerate()
        .map(|(place, (candidate, held))| {
            let shared: f64 = held.iter().map(|term| rarity(term)).sum();
            let order = 1.0 - place as f64 / total;
            let score = shared / most + ORDER * order * order;
            ScoredCandidate { shares: shared > 0.0, of: Candidate { score, ..candidate } }
        })
        .collect();
    scored.sort_by(|a, b| b.of.score.total_cmp(&a.of.score));
    Ok(scored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Id, Ids};

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
    fn what_texts_share_with_a_question_are_the_terms_of_both() {
        let wanted = terms("How fast did the revenues of 青石茶厂 grow in Colour TV?");
        let texts = [
            "The revenue grew faster than colours do, the revenue of TVs",
            "青石茶厂创办于1931年，茶厂的年收入。",
            "青 石 apart",
            "the of how did",
            "",
        ];
        let mut finder = TermFinder::new(&wanted);
        for text in texts.iter().chain(&texts) {
            let held = terms(text);
            assert_eq!(finder.shared(text), wanted.intersection(&held).collect(), "{text}");
        }
        assert!(finder.shared(texts[0]).len() > 2 && finder.shared(texts[1]).len() > 2);
    }

    #[test]
    fn claims_of_what_is_asked_about_stay_together_and_others_go() {
        let ids = Ids::new("w");
        let claim = |(kind, text): &(&str, &str)| Candidate {
            id: ids.other("c", &[text]),
            name: (*kind).to_owned(),
            text: format!("{kind} | {text}"),
            score: 0.0,
        };
        let check = |question: &str, claims: &[(&str, &str)], expected: &[usize]| {
            let fitting = fitting_claims(question, claims.iter().map(claim).collect(), 0.35);
            let expected: Vec<Id> = expected.iter().map(|at| claim(&claims[*at]).id).collect();
            assert_eq!(fitting.into_iter().map(|c| c.id).collect::<Vec<_>>(), expected, "{question}");
        };
        let claims = [
            ("fares", "The Trust took more in the quarter."),
            ("sale of the mill", "Old Gu sold the mill's flour to the enemy, people say."),
            ("sale of the mill", "His granddaughter holds it to be untrue."),
        ];
        check("Did Gu sell flour to the enemy?", &claims, &[1, 2]);
        check("Where does the moon rise?", &claims, &[0, 1, 2]);
    }

    #[test]
    fn sources_that_share_neither_word_nor_name_are_left_out() {
        let texts = [
            "Lena Voss took over Bramley Marine in April.",
            "青石茶厂创办于1931年。",
            "Peg thanked the board.",
            "The tide rises at noon.",
        ];
        let check = |question: &str, names: &[&str], expected: &[usize]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let told = telling_sources(question, &names, candidates(&texts));
            let expected: Vec<&str> = expected.iter().map(|at| texts[*at]).collect();
            assert_eq!(told.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), expected, "{question}");
        };
        check("Who took over Bramley Marine?", &["Bramley Marine"], &[0]);
        check("Who took over from Margaret Oyelaran?", &["Margaret Oyelaran", "Peg"], &[0, 2]);
        check("Who founded the factory on the tide?", &[], &[0, 1, 3]);
        check("What of zebras?", &["zebra"], &[0, 1, 2, 3]);
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
