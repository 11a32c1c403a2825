//! The library in memory: which entries a question may mean, and how sure that is.
//!
//! Two figures decide: how much of what is asked the entry speaks of, and how much of the entry's question is asked. Words
//! count by how rare they are; words of one meaning, parts of words and misspelt ones count a little less. Then what
//! must not differ is compared. A question that only looks like an entry has a word that the entry has not: so the
//! first figure counts most.

use super::alike::{alike, opposite};
use super::kinds::{Kinds, named_by};
use super::lexicon::{self, Group};
use super::weights::MatchWeights;
use super::words::{DirectionEnd, ParsedQuestion, QuestionToken};
use crate::domain::LibraryEntry;
use crate::language::words::is_han;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeSet;
use unicode_segmentation::UnicodeSegmentation;

/// Entries that are compared in full.
const COMPARED: usize = 64;

/// An entry that a question may mean.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryMatch {
    /// Place of the entry in the list that the matcher was made from.
    pub place: usize,
    /// From 0 to 1: how sure it is that the entry answers the question.
    pub confidence: f64,
}

/// What a question has to do with one entry, whatever its likeness by words.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct EntryFit {
    /// From 0 to 1: how much of the entry's question is asked in the very same words.
    pub(crate) literal: f64,
    /// From 0 to 1: what is left after what must not differ was compared.
    pub(crate) against: f64,
    /// Words of the question, whatever they say; of Chinese two thirds of its characters.
    pub(crate) words: usize,
    /// Whether it asks in one clause, and says nothing beside.
    pub(crate) is_one_clause: bool,
}

/// The library in memory.
#[derive(Debug, Default)]
pub struct Matcher {
    weights: MatchWeights,
    texts: Texts,
    /// What each word weighs.
    word_weights: Vec<f64>,
    /// Which words say what is done with a thing.
    actions: Vec<bool>,
    /// What entries are found by, each with its number.
    features: FxHashMap<Feature, u32>,
    /// In how many entries what has a number stands.
    frequency: Vec<u32>,
    postings: Vec<Vec<u32>>,
}

/// The entries taken apart: what is made once and kept, because taking questions apart costs most.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Texts {
    /// Every word of the library once.
    words: Vec<QuestionToken>,
    entries: Vec<IndexedEntry>,
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

/// A word of the library where it stands: its place in the list of words, six times, which end of a way it is, twice, and
/// one more where it is denied.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Placed(u32);

impl Placed {
    fn new(word: u32, end: DirectionEnd, denied: bool) -> Self {
        let end = match end {
            DirectionEnd::Open => 0,
            DirectionEnd::To => 1,
            DirectionEnd::From => 2,
        };
        Self(word * 6 + end * 2 + u32::from(denied))
    }

    fn word(self) -> u32 {
        self.0 / 6
    }

    fn end(self) -> DirectionEnd {
        match self.0 / 2 % 3 {
            0 => DirectionEnd::Open,
            1 => DirectionEnd::To,
            _ => DirectionEnd::From,
        }
    }

    fn denied(self) -> bool {
        self.0 % 2 == 1
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct IndexedEntry {
    phrasings: Vec<Vec<Placed>>,
    terms: Vec<Placed>,
    answer: Vec<Placed>,
    kinds: Kinds,
    has_numbers: bool,
}

/// The words of an entry.
struct EntryWords {
    phrasings: Vec<ParsedQuestion>,
    terms: Vec<QuestionToken>,
    answer: Vec<QuestionToken>,
}

impl EntryWords {
    fn of(entry: &LibraryEntry) -> Self {
        let mut terms: Vec<QuestionToken> = entry
            .terms
            .iter()
            .chain(&entry.tags)
            .flat_map(|term| ParsedQuestion::read(term).tokens)
            .collect();
        terms.retain(|token| !token.light);
        let mut answer = ParsedQuestion::read(&entry.answer).tokens;
        answer.retain(|token| !token.light);
        Self { phrasings: entry.phrasings().map(ParsedQuestion::read).collect(), terms, answer }
    }
}

/// A question with what its words weigh and how they stand to words of the library.
struct WeighedQuestion<'a> {
    question: &'a ParsedQuestion,
    weights: Vec<f64>,
    pairs: RefCell<WordPairs>,
}

/// How each word of a question stands to the words of the library that came up.
#[derive(Default)]
struct WordPairs {
    /// The row of each word of the library, `u32::MAX` where it did not come up yet.
    rows: Vec<u32>,
    cells: Vec<Option<Pair>>,
}

/// How a word of a question stands to one of the library.
#[derive(Clone, Copy, Default)]
struct Pair {
    likeness: f64,
    opposite: bool,
}

impl WordPairs {
    /// The cell of a word of the question, which has `length` of them, and a word of the library.
    fn cell(&mut self, (place, length): (usize, usize), word: u32) -> Option<&mut Option<Pair>> {
        let row = self.rows.get_mut(word as usize)?;
        if *row == u32::MAX {
            *row = u32::try_from(self.cells.len() / length.max(1)).ok()?;
            self.cells.resize(self.cells.len() + length, None);
        }
        self.cells.get_mut(*row as usize * length + place)
    }
}

impl Matcher {
    /// Takes the entries in; those of them that may not be given are asked for at each question.
    pub fn new(entries: &[LibraryEntry]) -> Self {
        Self::weighing(entries, MatchWeights::default())
    }

    pub(crate) fn weighing(entries: &[LibraryEntry], weights: MatchWeights) -> Self {
        Self::of(Texts::of(entries), weights)
    }

    /// Takes entries in that were taken apart before.
    pub(crate) fn of(texts: Texts, weights: MatchWeights) -> Self {
        let mut matcher = Self { weights, texts, ..Self::default() };
        let mut features_of: Vec<Vec<u32>> = Vec::with_capacity(matcher.texts.words.len());
        for word in &matcher.texts.words {
            let mut numbers = Vec::new();
            for feature in features(word) {
                let next = u32::try_from(matcher.features.len()).unwrap_or(u32::MAX);
                numbers.push(*matcher.features.entry(feature).or_insert(next));
            }
            features_of.push(numbers);
        }
        let count = matcher.features.len();
        matcher.frequency = vec![0; count];
        matcher.postings = vec![Vec::new(); count];
        // which entry counted last for a feature: each counts once
        let mut counted = vec![u32::MAX; count];
        for (place, entry) in (0_u32..).zip(&matcher.texts.entries) {
            let asked = entry.phrasings.iter().flatten().chain(&entry.terms);
            for number in asked.filter_map(|placed| features_of.get(placed.word() as usize)).flatten() {
                let at = *number as usize;
                let (Some(last), Some(frequency), Some(posting)) =
                    (counted.get_mut(at), matcher.frequency.get_mut(at), matcher.postings.get_mut(at))
                else {
                    continue;
                };
                if *last != place {
                    *last = place;
                    *frequency += 1;
                    posting.push(place);
                }
            }
            // an answer is found by its words as they stand
            for placed in &entry.answer {
                let first = features_of.get(placed.word() as usize).and_then(|numbers| numbers.first());
                let Some(at) = first.map(|number| *number as usize) else { continue };
                if let (Some(last), Some(posting)) = (counted.get_mut(at), matcher.postings.get_mut(at))
                    && *last != place
                {
                    *last = place;
                    posting.push(place);
                }
            }
        }
        matcher.word_weights = matcher.texts.words.iter().map(|word| matcher.weight(word)).collect();
        matcher.actions = matcher.texts.words.iter().map(is_action).collect();
        matcher
    }

    /// What was taken apart.
    pub(crate) fn texts(&self) -> &Texts {
        &self.texts
    }
}

impl Texts {
    fn of(entries: &[LibraryEntry]) -> Self {
        let mut texts = Self::default();
        let mut known: FxHashMap<String, u32> = FxHashMap::default();
        // taking questions apart costs most, and each apart from all others
        let read: Vec<EntryWords> = entries.par_iter().map(EntryWords::of).collect();
        for EntryWords { phrasings, terms, answer } in read {
            let mut placed = |tokens: &[QuestionToken]| -> Vec<Placed> {
                tokens.iter().map(|token| texts.placed(token, &mut known)).collect()
            };
            let indexed = IndexedEntry {
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
            texts.entries.push(indexed);
        }
        texts
    }

    fn placed(&mut self, token: &QuestionToken, known: &mut FxHashMap<String, u32>) -> Placed {
        let word = *known.entry(token.text.clone()).or_insert_with(|| {
            self.words.push(QuestionToken { denied: false, end: DirectionEnd::Open, ..token.clone() });
            u32::try_from(self.words.len() - 1).unwrap_or(u32::MAX)
        });
        Placed::new(word, token.end, token.denied)
    }
}

impl Matcher {
    fn entry(&self, place: usize) -> Option<&IndexedEntry> {
        self.texts.entries.get(place)
    }

    fn word(&self, placed: Placed) -> Option<&QuestionToken> {
        self.texts.words.get(placed.word() as usize)
    }

    fn count(&self, feature: &Feature) -> u32 {
        let number = self.features.get(feature);
        number.and_then(|number| self.frequency.get(*number as usize)).copied().unwrap_or(0)
    }

    /// What a question has to do with an entry besides its words of one meaning.
    pub(crate) fn fit(&self, question: &str, place: usize) -> EntryFit {
        let asked = ParsedQuestion::read(question);
        let words = question.unicode_words().count();
        let words = if asked.chinese { words * 2 / 3 } else { words };
        let Some(entry) = self.entry(place) else { return EntryFit::default() };
        let mut best =
            EntryFit { words, is_one_clause: parts(question, 1.0).len() == 1, ..EntryFit::default() };
        for phrasing in &entry.phrasings {
            let own: Vec<(&QuestionToken, Placed)> = phrasing
                .iter()
                .filter_map(|placed| Some((self.word(*placed)?, *placed)))
                .filter(|(token, _)| !token.light)
                .collect();
            let said =
                own.iter().filter(|(token, _)| asked.content().any(|word| word.text == token.text)).count();
            best.literal = best.literal.max(said as f64 / own.len().max(1) as f64);
            let mut against = 1.0_f64;
            for token in asked.content() {
                let mut here =
                    own.iter().filter(|(own, _)| alike(token, own, &self.weights) >= self.weights.said);
                let ends = here.clone().all(|(_, placed)| placed.end().differs(token.end));
                match here.next() {
                    Some(_) if ends => against = against.min(self.weights.opposite),
                    Some((_, placed)) if placed.denied() != token.denied => {
                        against = against.min(self.weights.denied);
                    }
                    None if own.iter().any(|(own, _)| opposite(token, own)) => {
                        against = against.min(self.weights.opposite);
                    }
                    None if token.number && entry.has_numbers => {
                        against = against.min(self.weights.other_number);
                    }
                    _ => {}
                }
            }
            let mut light = asked.tokens.iter().filter(|token| token.light);
            let all = || phrasing.iter().filter_map(|placed| self.word(*placed));
            // 每月 and 每年 say little by themselves
            if light.any(|token| all().any(|own| opposite(token, own))) {
                against = against.min(self.weights.opposite);
            }
            best.against = best.against.max(against);
        }
        // a long question tells a story; how it asks stands at its end
        let asks = match parts(question, 1.0).as_slice() {
            [_, (last, _), ..] => ParsedQuestion::read(last).kinds,
            _ => asked.kinds,
        };
        // "which part of the hall", "what's the normal time": in other words a noun asks where, or how long
        if asks != Kinds::WHAT {
            best.against *= self.kinds_share(asked.chinese, asks, entry.kinds);
        }
        best
    }

    /// Words that a question is about and that none of these entries says.
    pub(crate) fn unsaid(&self, question: &str, places: &[usize]) -> BTreeSet<String> {
        let entries: Vec<&IndexedEntry> = places.iter().filter_map(|place| self.entry(*place)).collect();
        let said = |token: &QuestionToken| {
            let words = entries
                .iter()
                .flat_map(|entry| entry.phrasings.iter().flatten().chain(&entry.terms).chain(&entry.answer));
            words
                .filter_map(|placed| self.word(*placed))
                .any(|word| word.text == token.text || alike(token, word, &self.weights) >= self.weights.said)
        };
        ParsedQuestion::read(question)
            .content()
            .filter(|token| !said(token))
            .map(|token| token.text.clone())
            .collect()
    }

    /// The entries that a question may mean, surest first, at most `limit`. Words of `given` entries, of which the
    /// conversation speaks, need not be said again.
    pub fn matches(
        &self,
        question: &str,
        given: &[usize],
        allowed: &dyn Fn(usize) -> bool,
        limit: usize,
    ) -> Vec<EntryMatch> {
        let mut best: FxHashMap<usize, f64> = FxHashMap::default();
        for (part, share) in parts(question, self.weights.clause) {
            let question = ParsedQuestion::read(part);
            if question.content().next().is_none() {
                continue;
            }
            let asked = WeighedQuestion {
                weights: question.tokens.iter().map(|token| self.weight(token)).collect(),
                question: &question,
                pairs: RefCell::new(WordPairs {
                    rows: vec![u32::MAX; self.texts.words.len()],
                    cells: Vec::new(),
                }),
            };
            for place in self.candidates(&asked, allowed) {
                let Some(entry) = self.entry(place) else { continue };
                let confidence = share * self.confidence(&asked, entry, given);
                let known = best.entry(place).or_default();
                *known = known.max(confidence);
            }
        }
        let mut found: Vec<EntryMatch> =
            best.into_iter().map(|(place, confidence)| EntryMatch { place, confidence }).collect();
        found.retain(|found| found.confidence > 0.0);
        found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.place.cmp(&b.place)));
        self.doubt_rivals(question, &mut found);
        found.truncate(limit);
        found
    }

    /// Two that fit as well: neither is sure, unless the question says all of one, or asks in the way of the first alone.
    fn doubt_rivals(&self, question: &str, found: &mut [EntryMatch]) {
        let [first, second, ..] = &*found else { return };
        let (most, next) = (first.confidence, second.confidence);
        if most >= self.weights.literally || next < most * self.weights.near_tie {
            return;
        }
        let asked = ParsedQuestion::read(question).kinds;
        let asks_so =
            |found: &EntryMatch| self.entry(found.place).is_some_and(|entry| entry.kinds.has(asked));
        if asks_so(first) && !asks_so(second) {
            return;
        }
        for found in found.iter_mut() {
            found.confidence *= self.weights.rival;
        }
    }

    /// Places of the entries that share most with a question.
    fn candidates(&self, asked: &WeighedQuestion<'_>, allowed: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let mut shared = vec![0.0_f64; self.texts.entries.len()];
        // which word counted last for an entry: each counts once
        let mut counted = vec![usize::MAX; self.texts.entries.len()];
        let mut found: Vec<u32> = Vec::new();
        for (place, (token, weight)) in asked.question.tokens.iter().zip(&asked.weights).enumerate() {
            let known = self.count(&Feature::Word(token.text.clone())) > 0;
            for feature in features(token) {
                let exact = match feature {
                    Feature::Word(_) => 1.0,
                    Feature::Group(..) => 0.8,
                    Feature::Character(_) => 0.4,
                    Feature::Initial(_) if known || !token.unknown => continue,
                    Feature::Initial(_) => 0.1,
                };
                let number = self.features.get(&feature).copied();
                let postings = number.and_then(|number| self.postings.get(number as usize));
                for entry in postings.into_iter().flatten() {
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
        // of many that share as much the shortest says least beside it
        let length = |entry: &u32| {
            let phrasings = self.entry(*entry as usize).map(|entry| entry.phrasings.as_slice());
            phrasings.unwrap_or_default().iter().map(Vec::len).min()
        };
        let by_share = |a: &u32, b: &u32| {
            share(b).total_cmp(&share(a)).then_with(|| length(a).cmp(&length(b))).then(a.cmp(b))
        };
        if found.len() > COMPARED {
            found.select_nth_unstable_by(COMPARED, by_share);
            found.truncate(COMPARED);
        }
        found.into_iter().map(|entry| entry as usize).collect()
    }

    /// From about 0 to 1: how much a word says, by how rare it is in the library.
    fn weight(&self, token: &QuestionToken) -> f64 {
        if token.light {
            return self.weights.light;
        }
        let count = |feature: &Feature| self.count(feature);
        let word = count(&Feature::Word(token.text.clone()));
        let group = token.groups.iter().map(|group| count(&Feature::Group(token.han, *group))).min();
        let entries = self.texts.entries.len().max(30) as f64;
        let idf = |n: u32| ((entries - f64::from(n) + 0.5).max(0.5) / (f64::from(n) + 0.5)).ln_1p();
        let n = if word > 0 { word } else { group.unwrap_or(0) };
        let rare = (idf(n) / idf(1)).clamp(0.0, 1.0);
        self.weights.common + (1.0 - self.weights.common) * rare
    }

    fn pair(&self, asked: &WeighedQuestion<'_>, place: usize, word: u32) -> Pair {
        let tokens = &asked.question.tokens;
        let mut pairs = asked.pairs.borrow_mut();
        let Some(cell) = pairs.cell((place, tokens.len()), word) else { return Pair::default() };
        *cell.get_or_insert_with(|| {
            let known = tokens.get(place).zip(self.texts.words.get(word as usize));
            known.map_or_else(Pair::default, |(token, stored)| Pair {
                likeness: alike(token, stored, &self.weights),
                opposite: opposite(token, stored),
            })
        })
    }

    /// The likeness of the word that is most like one of the question's, and where it stands.
    fn best<'p>(
        &self,
        asked: &WeighedQuestion<'_>,
        place: usize,
        among: impl IntoIterator<Item = &'p Placed>,
    ) -> (f64, Option<&'p Placed>) {
        let mut found = (0.0, None);
        for placed in among {
            let likeness = self.pair(asked, place, placed.word()).likeness;
            if likeness > found.0 {
                found = (likeness, Some(placed));
                if likeness >= 1.0 {
                    break;
                }
            }
        }
        found
    }

    /// Whether another word of the question is this very word of the entry: who asks how many books can be reserved does
    /// not ask how to book.
    fn is_taken(&self, asked: &WeighedQuestion<'_>, place: usize, found: Placed) -> bool {
        let Some(stored) = self.word(found) else { return false };
        let others = asked.question.tokens.iter().enumerate().filter(|(other, _)| *other != place);
        others.into_iter().any(|(_, other)| other.text == stored.text)
    }

    /// Whether a word of the question stands in a phrasing as the other end of a way alone.
    fn is_other_end(&self, asked: &WeighedQuestion<'_>, place: usize, own: &[Placed]) -> bool {
        let Some(token) = asked.question.tokens.get(place) else { return false };
        let said = |placed: &&Placed| self.pair(asked, place, placed.word()).likeness >= self.weights.said;
        let mut same = own.iter().filter(said).peekable();
        same.peek().is_some() && same.all(|placed| placed.end().differs(token.end))
    }

    /// Whether what one of the two goes to is what the other begins with: "dollars to pounds", "pounds to dollars".
    fn are_exchanged(&self, asked: &WeighedQuestion<'_>, own: &[Placed]) -> bool {
        let ends = |asked_end: DirectionEnd, own_end: DirectionEnd| {
            let tokens = asked.question.tokens.iter().enumerate();
            tokens.filter(|(_, token)| !token.light && token.end == asked_end).any(|(place, _)| {
                let same = |placed: &Placed| {
                    placed.end() == own_end && self.pair(asked, place, placed.word()).likeness >= 1.0
                };
                own.iter().any(same)
            })
        };
        ends(DirectionEnd::To, DirectionEnd::Open) && ends(DirectionEnd::Open, DirectionEnd::To)
    }

    /// Whether who does something and whom it is done to have changed places: "a driver reports a passenger". Words on both
    /// sides of one that both have, in the other order.
    fn are_turned_round(&self, asked: &WeighedQuestion<'_>, own: &[Placed]) -> bool {
        let Some(subject) = &asked.question.subject else { return false };
        let own: Vec<&Placed> =
            own.iter().filter(|placed| self.word(**placed).is_some_and(|word| !word.light)).collect();
        let content: Vec<usize> =
            (0..).zip(&asked.question.tokens).filter(|(_, token)| !token.light).map(|(at, _)| at).collect();
        content.windows(3).any(|asked_three| {
            let &[first, middle, last] = asked_three else { return false };
            if asked.question.tokens.get(first).is_none_or(|token| token.text != *subject) {
                return false;
            }
            own.windows(3).any(|own_three| {
                let &[one, between, other] = own_three else { return false };
                let same = |place: usize, placed: &Placed| {
                    self.pair(asked, place, placed.word()).likeness >= self.weights.synonym
                };
                let ends =
                    asked.question.tokens.get(first).into_iter().chain(asked.question.tokens.get(last));
                same(middle, between)
                    && same(first, other)
                    && same(last, one)
                    && !same(first, one)
                    && ends.into_iter().all(|token| named_by(&token.text).is_empty() && !token.number)
            })
        })
    }

    fn confidence(&self, asked: &WeighedQuestion<'_>, entry: &IndexedEntry, given: &[usize]) -> f64 {
        let context: FxHashSet<u32> = given
            .iter()
            .filter_map(|place| self.entry(*place))
            .flat_map(|given| given.phrasings.iter().flatten().chain(&given.terms))
            .map(|placed| placed.word())
            .collect();
        let likeness = |place: usize| self.compared(asked, entry, place, &context);
        let mut best = (0..entry.phrasings.len()).map(likeness).fold(0.0, f64::max);
        let names = |token: &QuestionToken| !named_by(&token.text).is_empty();
        if asked.question.kinds.is_empty()
            && !entry.kinds.tells_in_general()
            && !asked.question.tokens.iter().any(names)
        {
            best *= self.weights.keywords;
        }
        best * self.kinds_share(asked.question.chinese, asked.question.kinds, entry.kinds)
    }

    /// How well an entry of these kinds serves what is asked. 怎么 and 能…吗 are put for one another, "how do I" and "can I"
    /// are not.
    fn kinds_share(&self, chinese: bool, asked: Kinds, stored: Kinds) -> f64 {
        if !chinese && asked.asks_more_than(stored) {
            return self.weights.only_whether;
        }
        asked.served_by(stored)
    }

    /// How much of a phrasing the question names, and what is left where it does not name what is done, but asks what that
    /// takes.
    fn stored_share(
        &self,
        asked: &WeighedQuestion<'_>,
        own: &[Placed],
        context: &FxHashSet<u32>,
    ) -> (f64, f64) {
        let asks_of_it = asked.question.kinds.has(Kinds::COST | Kinds::DURATION | Kinds::WHEN);
        let (mut named, mut whole, mut factor) = (0.0, 0.0, 1.0_f64);
        for placed in own {
            let at = placed.word() as usize;
            let weight = self.word_weights.get(at).copied().unwrap_or_default();
            let likeness = if context.contains(&placed.word()) {
                1.0
            } else {
                (0..asked.weights.len())
                    .map(|place| self.pair(asked, place, placed.word()).likeness)
                    .fold(0.0, f64::max)
            };
            let is_action = self.actions.get(at).copied().unwrap_or_default();
            if asks_of_it && is_action && likeness < self.weights.said {
                factor = factor.min(self.weights.other_action);
            }
            named += weight * likeness;
            whole += weight;
        }
        (if whole > 0.0 { named / whole } else { 0.0 }, factor)
    }

    /// What is left where one character that is a verb as well is denied by one side only: 能吃 and 不能吃.
    fn denied_alone(&self, token: &QuestionToken, found: Option<&Placed>) -> f64 {
        let differs = found.is_some_and(|found| found.denied() != token.denied);
        if token.han && differs && !lexicon::chinese().is_light(&token.text) {
            return self.weights.denied;
        }
        1.0
    }

    /// Whether the phrasings of an entry name another kind of a class than a word does, and none of them that kind.
    fn is_other_kind(&self, token: &QuestionToken, entry: &IndexedEntry) -> bool {
        let lexicon = if token.han { lexicon::chinese() } else { lexicon::english() };
        let words = || entry.phrasings.iter().flatten().filter_map(|placed| self.word(*placed));
        words().any(|word| lexicon.are_different_kinds(&token.text, &word.text))
            && !words().any(|word| lexicon.are_of_one_kind(&token.text, &word.text))
    }

    /// Whether every phrasing that says a word denies it where the question does not, or the other way round.
    fn is_denied_elsewhere(&self, token: &QuestionToken, entry: &IndexedEntry) -> bool {
        let mut said = entry
            .phrasings
            .iter()
            .flatten()
            .filter(|placed| self.word(**placed).is_some_and(|word| word.text == token.text))
            .peekable();
        said.peek().is_some() && said.all(|placed| placed.denied() != token.denied)
    }

    /// How well one phrasing of an entry fits a question.
    fn compared(
        &self,
        asked: &WeighedQuestion<'_>,
        entry: &IndexedEntry,
        phrasing: usize,
        context: &FxHashSet<u32>,
    ) -> f64 {
        let w = &self.weights;
        let own = entry.phrasings.get(phrasing).map(Vec::as_slice).unwrap_or_default();
        let others = || {
            let others = entry.phrasings.iter().enumerate().filter(|(place, _)| *place != phrasing);
            others.flat_map(|(_, other)| other)
        };
        let (mut said, mut all, mut factor) = (0.0, 0.0, 1.0_f64);
        for (place, (token, weight)) in asked.question.tokens.iter().zip(&asked.weights).enumerate() {
            let (mut here, found) = self.best(asked, place, own);
            let taken = here < 1.0 && found.is_some_and(|found| self.is_taken(asked, place, *found));
            let ambiguous =
                || found.and_then(|found| self.word(*found)).is_some_and(|word| word.groups.len() > 1);
            if taken && ambiguous() {
                here = here.min(w.taken);
            }
            let mut likeness = here;
            if likeness < 1.0 {
                likeness = likeness
                    .max(w.other_phrasing * self.best(asked, place, others()).0)
                    .max(w.term * self.best(asked, place, &entry.terms).0)
                    .max(w.answer * self.best(asked, place, &entry.answer).0);
                if entry.kinds.has(named_by(&token.text)) {
                    likeness = likeness.max(w.kind);
                }
            }
            said += weight * likeness;
            all += weight;
            // "my bike on the train" says the train itself, so that it has no other in its place
            let opposed = |placed: &Placed| {
                self.pair(asked, place, placed.word()).opposite && !self.is_taken(asked, place, *placed)
            };
            // also in another phrasing, unless that has both
            let elsewhere = || {
                let exact = |placed: &Placed| self.pair(asked, place, placed.word()).likeness >= 1.0;
                others().any(opposed) && !others().any(exact)
            };
            // a word for all of a class is like each of its kinds: 猫咪 and 狗 are both 宠物
            let other_kind = || here < 1.0 && self.is_other_kind(token, entry);
            let against =
                (here < w.said || taken) && (own.iter().any(opposed) || elsewhere()) || other_kind();
            if against {
                factor = factor.min(w.opposite);
            }
            if token.light {
                if here >= 1.0 {
                    factor = factor.min(self.denied_alone(token, found));
                }
                continue;
            }
            if let Some(found) = found.filter(|_| here >= w.said) {
                if token.end != DirectionEnd::Open && self.is_other_end(asked, place, own) {
                    factor = factor.min(w.opposite);
                }
                if found.denied() != token.denied {
                    factor = factor.min(w.denied);
                }
            } else if self.is_denied_elsewhere(token, entry) {
                factor = factor.min(w.denied);
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
        if self.are_exchanged(asked, own) || self.are_turned_round(asked, own) {
            factor = factor.min(w.opposite);
        }
        let (stored_share, action) = self.stored_share(asked, own, context);
        factor = factor.min(action);
        let asked_share: f64 = said / all;
        // one word alone may mean anything: the fewer there are, the more of the entry must be among them
        let one_word = !asked.question.chinese && asked.question.content().nth(1).is_none();
        let floor = if one_word { 0.0 } else { w.stored_floor * (1.0 - 0.5_f64.powf(all)) };
        factor * asked_share.powf(w.asked_power) * (floor + (1.0 - floor) * stored_share)
    }
}

fn is_action(word: &QuestionToken) -> bool {
    let lexicon = if word.han { lexicon::chinese() } else { lexicon::english() };
    !word.light && lexicon.is_action(&word.text)
}

/// The question as a whole, and its last clauses where it is long, with what their likeness counts.
pub(crate) fn parts(question: &str, share: f64) -> Vec<(&str, f64)> {
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
fn features(token: &QuestionToken) -> Vec<Feature> {
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
