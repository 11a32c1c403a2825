//! The library in memory: which entries a question may mean, and how sure that is.
//!
//! Two figures decide: how much of what is asked the entry speaks of, and how much of the entry's question is asked. Words
//! count by how rare they are; words of one meaning, parts of words and misspelt ones count a little less. Then what
//! must not differ is compared. A question that only looks like an entry has a word that the entry has not: so the
//! first figure counts most.

use super::alike::{alike, opposite};
use super::kinds::Kinds;
use super::lexicon::Group;
use super::weights::Weights;
use super::words::{Question, Token};
use crate::domain::LibraryEntry;
use crate::language::words::is_han;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Entries that are compared in full.
const COMPARED: usize = 64;

/// An entry that a question may mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Place of the entry in the list that the matcher was made from.
    pub place: usize,
    /// From 0 to 1: how sure it is that the entry answers the question.
    pub confidence: f64,
}

/// The library in memory.
#[derive(Debug, Default)]
pub struct Matcher {
    weights: Weights,
    /// Every word of the library once.
    words: Vec<Token>,
    /// What each of them weighs.
    word_weights: Vec<f64>,
    entries: Vec<Indexed>,
    /// In how many entries a word, or a group of words, stands.
    frequency: FxHashMap<Feature, u32>,
    postings: FxHashMap<Feature, Vec<u32>>,
}

/// What entries are found by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Feature {
    Word(String),
    Group(bool, Group),
    /// A Han character of a word.
    Character(char),
    /// The first letter of a word, for misspelt ones.
    Initial(char),
}

/// A word of the library where it stands.
#[derive(Clone, Copy, Debug)]
struct Placed {
    /// Place in the list of words.
    word: u32,
    denied: bool,
}

#[derive(Debug)]
struct Indexed {
    phrasings: Vec<Vec<Placed>>,
    terms: Vec<Placed>,
    answer: Vec<Placed>,
    kinds: Kinds,
    has_numbers: bool,
}

/// The words of an entry.
struct Read {
    phrasings: Vec<Question>,
    terms: Vec<Token>,
    answer: Vec<Token>,
}

impl Read {
    fn of(entry: &LibraryEntry) -> Self {
        let mut terms: Vec<Token> =
            entry.terms.iter().chain(&entry.tags).flat_map(|term| Question::read(term).tokens).collect();
        terms.retain(|token| !token.light);
        let mut answer = Question::read(&entry.answer).tokens;
        answer.retain(|token| !token.light);
        Self { phrasings: entry.phrasings().map(Question::read).collect(), terms, answer }
    }
}

/// A question with what its words weigh and how like they are to words of the library.
struct Asked<'a> {
    question: &'a Question,
    weights: Vec<f64>,
    likeness: RefCell<FxHashMap<(usize, u32), f64>>,
}

impl Matcher {
    /// Takes the entries in; those of them that may not be given are asked for at each question.
    pub fn new(entries: &[LibraryEntry]) -> Self {
        Self::weighing(entries, Weights::default())
    }

    pub(crate) fn weighing(entries: &[LibraryEntry], weights: Weights) -> Self {
        let mut matcher = Self { weights, ..Self::default() };
        let mut known: FxHashMap<String, u32> = FxHashMap::default();
        // taking questions apart costs most, and each apart from all others
        let read: Vec<Read> = entries.par_iter().map(Read::of).collect();
        for (place, Read { phrasings, terms, answer }) in (0_u32..).zip(read) {
            let mut found_by: FxHashSet<Feature> = FxHashSet::default();
            for token in phrasings.iter().flat_map(|phrasing| &phrasing.tokens).chain(&terms) {
                found_by.extend(features(token));
            }
            for feature in &found_by {
                *matcher.frequency.entry(feature.clone()).or_default() += 1;
            }
            found_by.extend(answer.iter().map(|token| Feature::Word(token.text.clone())));
            for feature in found_by {
                matcher.postings.entry(feature).or_default().push(place);
            }
            let mut placed = |tokens: &[Token]| -> Vec<Placed> {
                tokens.iter().map(|token| matcher.placed(token, &mut known)).collect()
            };
            let indexed = Indexed {
                phrasings: phrasings.iter().map(|phrasing| placed(&phrasing.tokens)).collect(),
                terms: placed(&terms),
                answer: placed(&answer),
                kinds: phrasings.iter().fold(Kinds::default(), |all, phrasing| all | phrasing.kinds),
                has_numbers: phrasings
                    .iter()
                    .flat_map(|phrasing| &phrasing.tokens)
                    .chain(&terms)
                    .any(|token| token.number),
            };
            matcher.entries.push(indexed);
        }
        matcher.word_weights = matcher.words.iter().map(|word| matcher.weight(word)).collect();
        matcher
    }

    fn placed(&mut self, token: &Token, known: &mut FxHashMap<String, u32>) -> Placed {
        let word = *known.entry(token.text.clone()).or_insert_with(|| {
            self.words.push(Token { denied: false, ..token.clone() });
            u32::try_from(self.words.len() - 1).unwrap_or(u32::MAX)
        });
        Placed { word, denied: token.denied }
    }

    /// The entries that a question may mean, surest first, at most `limit`. Words of `given` entries, of which the
    /// conversation speaks, need not be said again.
    pub fn matches(
        &self,
        question: &str,
        given: &[usize],
        allowed: &dyn Fn(usize) -> bool,
        limit: usize,
    ) -> Vec<Match> {
        let mut best: FxHashMap<usize, f64> = FxHashMap::default();
        for (part, share) in parts(question, self.weights.clause) {
            let question = Question::read(part);
            if question.content().next().is_none() {
                continue;
            }
            let asked = Asked {
                weights: question.tokens.iter().map(|token| self.weight(token)).collect(),
                question: &question,
                likeness: RefCell::default(),
            };
            for place in self.candidates(&asked, allowed) {
                let Some(entry) = self.entries.get(place) else { continue };
                let confidence = share * self.confidence(&asked, entry, given);
                let known = best.entry(place).or_default();
                *known = known.max(confidence);
            }
        }
        let mut found: Vec<Match> =
            best.into_iter().map(|(place, confidence)| Match { place, confidence }).collect();
        found.retain(|found| found.confidence > 0.0);
        found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.place.cmp(&b.place)));
        if let [first, second, ..] = found.as_mut_slice() {
            // two that fit as well: neither is sure
            let near = (second.confidence / first.confidence - 0.85).max(0.0) / 0.15;
            first.confidence = (first.confidence * (1.0 - self.weights.rival * near)).max(second.confidence);
        }
        found.truncate(limit);
        found
    }

    /// Places of the entries that share most with a question.
    fn candidates(&self, asked: &Asked<'_>, allowed: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let mut shared = vec![0.0_f64; self.entries.len()];
        // which word counted last for an entry: each counts once
        let mut counted = vec![usize::MAX; self.entries.len()];
        let mut found: Vec<u32> = Vec::new();
        for (place, (token, weight)) in asked.question.tokens.iter().zip(&asked.weights).enumerate() {
            let known = self.frequency.contains_key(&Feature::Word(token.text.clone()));
            for feature in features(token) {
                let exact = match feature {
                    Feature::Word(_) => 1.0,
                    Feature::Group(..) => 0.8,
                    Feature::Character(_) => 0.4,
                    Feature::Initial(_) if known || !token.unknown => continue,
                    Feature::Initial(_) => 0.1,
                };
                for entry in self.postings.get(&feature).into_iter().flatten() {
                    let at = *entry as usize;
                    let (Some(sum), Some(last)) = (shared.get_mut(at), counted.get_mut(at)) else { continue };
                    if *last == place {
                        continue;
                    }
                    *last = place;
                    if *sum <= 0.0 {
                        found.push(*entry);
                    }
                    *sum += weight * exact;
                }
            }
        }
        let share = |entry: &u32| shared.get(*entry as usize).copied().unwrap_or_default();
        found.retain(|entry| allowed(*entry as usize));
        let by_share = |a: &u32, b: &u32| share(b).total_cmp(&share(a)).then(a.cmp(b));
        if found.len() > COMPARED {
            found.select_nth_unstable_by(COMPARED, by_share);
            found.truncate(COMPARED);
        }
        found.into_iter().map(|entry| entry as usize).collect()
    }

    /// From about 0 to 1: how much a word says, by how rare it is in the library.
    fn weight(&self, token: &Token) -> f64 {
        if token.light {
            return self.weights.light;
        }
        let count = |feature: &Feature| self.frequency.get(feature).copied().unwrap_or(0);
        let word = count(&Feature::Word(token.text.clone()));
        let group = token.groups.iter().map(|group| count(&Feature::Group(token.han, *group))).min();
        let entries = self.entries.len().max(30) as f64;
        let idf = |n: u32| ((entries - f64::from(n) + 0.5).max(0.5) / (f64::from(n) + 0.5)).ln_1p();
        let n = if word > 0 { word } else { group.unwrap_or(0) };
        let rare = (idf(n) / idf(1)).clamp(0.0, 1.0);
        self.weights.common + (1.0 - self.weights.common) * rare
    }

    fn likeness(&self, asked: &Asked<'_>, place: usize, word: u32) -> f64 {
        if let Some(known) = asked.likeness.borrow().get(&(place, word)) {
            return *known;
        }
        let (token, stored) = (asked.question.tokens.get(place), self.words.get(word as usize));
        let found = token.zip(stored).map_or(0.0, |(token, stored)| alike(token, stored, &self.weights));
        asked.likeness.borrow_mut().insert((place, word), found);
        found
    }

    /// The likeness of the word that is most like one of the question's, and where it stands.
    fn best<'p>(
        &self,
        asked: &Asked<'_>,
        place: usize,
        among: impl IntoIterator<Item = &'p Placed>,
    ) -> (f64, Option<&'p Placed>) {
        let mut found = (0.0, None);
        for placed in among {
            let likeness = self.likeness(asked, place, placed.word);
            if likeness > found.0 {
                found = (likeness, Some(placed));
                if likeness >= 1.0 {
                    break;
                }
            }
        }
        found
    }

    fn confidence(&self, asked: &Asked<'_>, entry: &Indexed, given: &[usize]) -> f64 {
        let context: FxHashSet<u32> = given
            .iter()
            .filter_map(|place| self.entries.get(*place))
            .flat_map(|given| given.phrasings.iter().flatten().chain(&given.terms))
            .map(|placed| placed.word)
            .collect();
        let likeness = |place: usize| self.compared(asked, entry, place, &context);
        let best = (0..entry.phrasings.len()).map(likeness).fold(0.0, f64::max);
        best * asked.question.kinds.served_by(entry.kinds)
    }

    /// How well one phrasing of an entry fits a question.
    fn compared(&self, asked: &Asked<'_>, entry: &Indexed, phrasing: usize, context: &FxHashSet<u32>) -> f64 {
        let w = &self.weights;
        let own = entry.phrasings.get(phrasing).map(Vec::as_slice).unwrap_or_default();
        let others = || {
            let others = entry.phrasings.iter().enumerate().filter(|(place, _)| *place != phrasing);
            others.flat_map(|(_, other)| other)
        };
        let (mut said, mut all, mut factor) = (0.0, 0.0, 1.0_f64);
        for (place, (token, weight)) in asked.question.tokens.iter().zip(&asked.weights).enumerate() {
            let (here, found) = self.best(asked, place, own);
            let mut likeness = here;
            if likeness < 1.0 {
                likeness = likeness
                    .max(w.other_phrasing * self.best(asked, place, others()).0)
                    .max(w.term * self.best(asked, place, &entry.terms).0)
                    .max(w.answer * self.best(asked, place, &entry.answer).0);
            }
            said += weight * likeness;
            all += weight;
            let against = here < w.said && {
                let stored = own.iter().filter_map(|placed| self.words.get(placed.word as usize));
                stored.into_iter().any(|stored| opposite(token, stored))
            };
            if against {
                factor = factor.min(w.opposite);
            }
            if token.light {
                continue;
            }
            if let Some(found) = found.filter(|_| here >= w.said) {
                if found.denied != token.denied {
                    factor = factor.min(w.denied);
                }
            } else if likeness < w.said {
                if token.number && entry.has_numbers {
                    factor = factor.min(w.other_number);
                }
                factor = factor.min(1.0 - (1.0 - w.unsaid) * weight);
            }
        }
        if all <= 0.0 {
            return 0.0;
        }
        let (mut named, mut whole) = (0.0, 0.0);
        for placed in own {
            let weight = self.word_weights.get(placed.word as usize).copied().unwrap_or_default();
            let likeness = if context.contains(&placed.word) {
                1.0
            } else {
                (0..asked.weights.len())
                    .map(|place| self.likeness(asked, place, placed.word))
                    .fold(0.0, f64::max)
            };
            named += weight * likeness;
            whole += weight;
        }
        let stored_share = if whole > 0.0 { named / whole } else { 0.0 };
        let asked_share: f64 = said / all;
        // one word alone may mean anything: the fewer there are, the more of the entry must be among them
        let floor = w.stored_floor * (1.0 - 0.5_f64.powf(all));
        factor * asked_share.powf(w.asked_power) * (floor + (1.0 - floor) * stored_share)
    }
}

/// The question as a whole, and its last clauses where it is long, with what their likeness counts.
fn parts(question: &str, share: f64) -> Vec<(&str, f64)> {
    let question = question.trim();
    let mut parts = vec![(question, 1.0)];
    let trimmed = question.trim_end_matches(['?', '？', '.', '。', '!', '！', ' ']);
    let borders: Vec<(usize, char)> = trimmed
        .char_indices()
        .filter(|(_, c)| matches!(c, ',' | ';' | '.' | '?' | '!' | '，' | '；' | '。' | '？' | '！'))
        .collect();
    let ends_sentence = |c: char| !matches!(c, ',' | '，');
    if borders.len() < 2 && !borders.iter().any(|(_, c)| ends_sentence(*c)) {
        return parts;
    }
    for (at, c) in borders.iter().rev().take(2) {
        let Some(last) = question.get(at + c.len_utf8()..).map(str::trim) else { continue };
        if !last.is_empty() {
            parts.push((last, share));
        }
    }
    parts
}

/// What entries with a word like this one are found by.
fn features(token: &Token) -> Vec<Feature> {
    let mut features = vec![Feature::Word(token.text.clone())];
    if !token.light {
        features.extend(token.groups.iter().map(|group| Feature::Group(token.han, *group)));
        if token.han {
            features.extend(token.text.chars().filter(|c| is_han(*c)).map(Feature::Character));
        } else {
            features.extend(token.text.chars().next().map(Feature::Initial));
        }
    }
    features
}
