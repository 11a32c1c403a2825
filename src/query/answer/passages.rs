//! The sentence of a text that says what a statement says: chosen by the words that both share, by those of the record
//! that is cited, and by the names that it should hold.

use super::concepts::same;
use super::numbers::number_terms;
use super::quotes::citable;
use super::statements::CitedStatement;
use crate::domain::{Record, RecordKind, SourceSentence, StoredUnit};
use crate::language::questions::{find_name, stem};
use crate::language::vocabulary::classical::RETOLD;
use crate::language::words::is_han;
use crate::language::{self, Speakers, atx_heading, chinese_chapter, letters};
use crate::llm::reply;
use crate::query::question::flatten;
use crate::query::retrieval::fit::terms;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Weight of the statement's words before its last sentence, and of a list that it announces.
const AROUND: f64 = 0.5;
/// Weight of a word of the statement that the record does not speak of, where the record has words of its own.
const BESIDE: f64 = 0.5;
/// Weight of a clause that says nothing of what the record speaks of, against the one that says most.
const CLAUSE: f64 = 0.35;
/// What each clause of the statement more that a sentence speaks of adds to its score, and the share of a clause's words
/// that it must hold: a sentence that tells a little of all says more of it than one that tells a part in its words.
const CLAUSES: f64 = 0.3;
const CLAUSE_HELD: f64 = 0.2;
/// Weight of a word that only the record has.
const RECORD: f64 = 0.2;
/// The same where the statement shares no word with any sentence: it is in another language. What the records say that
/// it cites together counts more than what one of them says of everything.
const RECORD_ALONE: f64 = 0.6;
const TOGETHER: f64 = 1.0;
/// Weight of a number against that of a word as rare.
const NUMBERS: f64 = 1.6;
/// The same of one that tells much where the statement is in another language: numbers are all that both share.
const NUMBERS_ALONE: f64 = 4.0;
/// Weight of a word of an entity's name: whether a sentence holds the name counts by itself.
const NAME: f64 = 0.25;
/// Weight of a word of the title of a source's document: all of it is about that.
const TITLED: f64 = 0.4;
/// Share of the words of a name from which a part of it counts as the name.
const PART: f64 = 0.5;
/// Weight of the names that a sentence holds, against the best score of its words; of the two ends of a relationship.
const NAMED: f64 = 0.35;
const BOTH_NAMED: f64 = 0.6;
/// Weight of a sentence that holds the record's quote.
const QUOTED: f64 = 0.5;
/// Weight of a sentence that holds what the statement quotes word by word, and bytes from which a quotation tells one
/// sentence from another: six Chinese characters, some three words.
const VERBATIM: f64 = 1.0;
const VERBATIM_BYTES: usize = 16;
/// The same of what stands between quotation marks: four Chinese characters, as names of deeds and sayings have.
const QUOTATION_BYTES: usize = 12;
/// What is left of the score of a sentence that says nothing of the names that it holds.
const BARE: f64 = 0.4;
/// Words beside names below which a sentence says nothing; the same of Chinese characters: two are a word.
const SAYS: usize = 3;
const SAYS_HAN: usize = 2;
/// Chinese characters that say nothing by themselves.
const EMPTY: [char; 14] =
    ['乃', '之', '也', '者', '曰', '其', '是', '的', '了', '而', '矣', '人', '此', '这'];
/// Weight of a Chinese character of a source's sentence against that of a word: what is said in modern words shares single
/// characters with a classical text, 为自己打算 with 各自为己.
const CHARACTER: f64 = 0.35;
/// Weight of another word for one of the statement, of what is said in modern words of a classical text above all: 到 and 至.
const SAME: f64 = 0.5;
/// The same of a classical word that stands for one of today and for nothing else: 次日 and 第二天.
const CLASSICAL: f64 = 0.8;
/// Words that are added to a sentence's length: short ones are not better for being short.
const LENGTH: f64 = 12.0;

/// What a sentence says, ready to be compared.
pub(super) struct SentenceTerms<'a> {
    /// First character in the text, and one behind the last.
    pub(super) place: (u64, u64),
    pub(super) text: &'a str,
    flat: String,
    /// The words that carry its meaning: who speaks is none of it.
    pub(super) terms: BTreeSet<String>,
    /// Those of who speaks: names that stand before every turn are not rare for being in few sentences.
    speaker: BTreeSet<String>,
    characters: BTreeSet<char>,
    pub(super) heading: bool,
}

impl<'a> SentenceTerms<'a> {
    fn of((start, end, text): (u64, u64, &'a str), speakers: &Speakers) -> Self {
        let said = speakers.said_in(text);
        let label = text.get(..text.len() - said.len()).unwrap_or_default();
        Self {
            place: (start, end),
            text,
            flat: flatten(text),
            terms: meaning(said),
            speaker: meaning(label),
            characters: telling(said),
            heading: is_heading(text),
        }
    }
}

/// The sentences of a text that may be quoted.
pub(super) fn sentences_of(text: &str) -> Vec<SentenceTerms<'_>> {
    let speakers = Speakers::of(text);
    citable(text).into_iter().map(|place| SentenceTerms::of(place, &speakers)).collect()
}

/// The sentences of a text that hold one of these names at least: each by its spellings in lower case.
pub(super) fn sentences_naming<'a>(text: &'a str, names: &[Vec<String>]) -> Vec<SentenceTerms<'a>> {
    let speakers = Speakers::of(text);
    let holds = |text: &str| {
        let flat = flatten(text);
        names.iter().flatten().any(|name| flat.contains(name.as_str()))
    };
    let found = citable(text).into_iter().filter(|(_, _, text)| holds(text));
    found.map(|place| SentenceTerms::of(place, &speakers)).collect()
}

/// Those sentences that hold the words of a short phrase and most of these names; none where none does.
pub(super) fn in_words<'a>(
    mut sentences: Vec<SentenceTerms<'a>>,
    phrase: &str,
    names: &[Vec<String>],
) -> Vec<SentenceTerms<'a>> {
    let said = letters(phrase);
    let word_by_word = |sentence: &SentenceTerms<'_>| letters(sentence.text).contains(&said);
    if said.len() >= VERBATIM_BYTES && sentences.iter().any(word_by_word) {
        sentences.retain(word_by_word);
        return sentences;
    }
    let words = stems(phrase);
    if words.is_empty() {
        return Vec::new();
    }
    let held = |sentence: &SentenceTerms<'_>| -> usize {
        let is_held =
            |spellings: &&Vec<String>| spellings.iter().any(|name| find_name(&sentence.flat, name).is_some());
        let count = names.iter().filter(is_held).count();
        if count == 0 || sentence.heading {
            return 0;
        }
        let own = stems(sentence.text);
        let says = words.iter().all(|word| {
            if word.chars().any(is_han) { sentence.flat.contains(word.as_str()) } else { own.contains(word) }
        });
        if says { count } else { 0 }
    };
    let counts: Vec<usize> = sentences.iter().map(held).collect();
    let most = counts.iter().copied().max().unwrap_or_default();
    let mut counts = counts.into_iter();
    sentences.retain(|_| counts.next().is_some_and(|count| count > 0 && count == most));
    sentences
}

/// The stems of a text's words that carry meaning; a run of Chinese characters as it is.
fn stems(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let mut found = BTreeSet::new();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if word.chars().any(is_han) {
            found.insert(word.trim_start_matches(['被', '是']).trim_end_matches(['了', '于']).to_owned());
        } else if !language::is_stop_word(word) {
            found.insert(stem(word));
        }
    }
    found.remove("");
    found
}

/// A line that only names what stands below it.
fn is_heading(text: &str) -> bool {
    let one_line = !text.trim_end().contains('\n');
    let label =
        text.trim_end().ends_with(':') && !text.chars().any(char::is_lowercase) && !text.contains('"');
    one_line && (atx_heading(text).is_some() || chinese_chapter(text).is_some() || (label && text.is_ascii()))
}

/// A text unit that a record rests on, with what the record says there.
pub(super) struct SupportingUnit<'a> {
    pub(super) unit: &'a StoredUnit,
    pub(super) sentences: &'a [SentenceTerms<'a>],
    /// What the record says in its own words.
    pub(super) own: BTreeSet<String>,
    /// What other records say there that the same statement cites: they decide where no word is shared.
    pub(super) beside: BTreeSet<String>,
    /// The words of the text that claims quote.
    pub(super) quotes: Vec<&'a str>,
}

impl<'a> SupportingUnit<'a> {
    /// A text unit that stands for itself.
    pub(super) fn of(unit: &'a StoredUnit, sentences: &'a [SentenceTerms<'a>]) -> Self {
        Self { unit, sentences, own: BTreeSet::new(), beside: BTreeSet::new(), quotes: Vec::new() }
    }
}

/// What a sentence is chosen by beside the statement.
pub(super) struct Grounds<'a> {
    pub(super) passages: Vec<SupportingUnit<'a>>,
    /// Names that it should hold, each by its spellings in lower case.
    pub(super) names: Vec<Vec<String>>,
    /// The kind of the record that is cited.
    pub(super) kind: RecordKind,
}

/// The words of a text that carry its meaning, numbers by their value.
pub(super) fn meaning(text: &str) -> BTreeSet<String> {
    let mut meaning = number_terms(text);
    meaning.extend(terms(text).into_iter().filter(|term| !term.starts_with(|c: char| c.is_ascii_digit())));
    meaning
}

/// The Chinese characters of a text that say something by themselves.
fn telling(text: &str) -> BTreeSet<char> {
    let says =
        |c: &char| is_han(*c) && !EMPTY.contains(c) && !language::is_stop_word(c.encode_utf8(&mut [0; 4]));
    text.chars().filter(says).collect()
}

/// The sentence that says best what a statement says, by what a record rests on; and how well it does.
pub(super) fn best_sentence(
    statement: CitedStatement<'_>,
    grounds: &Grounds<'_>,
) -> Option<(f64, SourceSentence)> {
    let (weights, judged) = judge(statement, grounds);
    let (_, ground, sentence) =
        judged.into_iter().reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    Some((weights.statement_score(sentence), source_of(ground, sentence)))
}

/// How well each sentence that a record rests on says what a statement says, in their order.
pub(super) fn fits(statement: CitedStatement<'_>, grounds: &Grounds<'_>) -> Vec<f64> {
    judge(statement, grounds).1.into_iter().map(|(score, ..)| score).collect()
}

/// The sentence at a place of [`fits`].
pub(super) fn sentence_at(grounds: &Grounds<'_>, place: usize) -> Option<SourceSentence> {
    let all = grounds.passages.iter();
    let mut all = all.flat_map(|ground| ground.sentences.iter().map(move |sentence| (ground, sentence)));
    all.nth(place).map(|(ground, sentence)| source_of(ground, sentence))
}

pub(super) fn source_of(ground: &SupportingUnit<'_>, sentence: &SentenceTerms<'_>) -> SourceSentence {
    let text = reply::without_citations(sentence.text).into_owned();
    SourceSentence::of(ground.unit, sentence.place, text)
}

/// A sentence with how well it says what a statement says.
type Judged<'g, 's> = (f64, &'g SupportingUnit<'s>, &'g SentenceTerms<'s>);

/// Every sentence that may be cited; of a claim whose quote is found those that hold it.
fn judge<'g, 's>(
    statement: CitedStatement<'_>,
    grounds: &'g Grounds<'s>,
) -> (WordWeights, Vec<Judged<'g, 's>>) {
    let pool: Vec<(&'g SupportingUnit<'s>, &'g SentenceTerms<'s>, bool)> = grounds
        .passages
        .iter()
        .flat_map(|ground| {
            let quoted = quoted_ranges(ground);
            ground.sentences.iter().map(move |sentence| {
                let (start, end) = sentence.place;
                let within = |(from, to): &(u64, u64)| {
                    end.min(*to).saturating_sub(start.max(*from)) * 3 > (end - start).min(to - from)
                };
                (ground, sentence, quoted.iter().any(within))
            })
        })
        .collect();
    let meant = ExpectedNames::by(statement, grounds);
    let weights = WordWeights::new(statement, (grounds, &meant), &pool);
    let only_quoted = grounds.kind == RecordKind::Claims && pool.iter().any(|(_, _, quoted)| *quoted);
    let scored: Vec<(f64, f64)> = pool
        .iter()
        .map(|(ground, sentence, _)| (weights.score(ground, sentence), meant.share_named(sentence)))
        .collect();
    let top = scored.iter().map(|(score, _)| *score).fold(0.0, f64::max);
    let named = match grounds.kind {
        RecordKind::Relationships => BOTH_NAMED,
        _ => NAMED,
    };
    let quotations = quotations(statement.sentence);
    let judged = pool.iter().zip(&scored).filter(|((.., quoted), _)| !only_quoted || *quoted).map(
        |((ground, sentence, quoted), (words, held))| {
            let verbatim = VERBATIM * share_quoted(&quotations, sentence.text);
            let score = words + top * (named * held + verbatim + if *quoted { QUOTED } else { 0.0 });
            let bare = if sentence.heading {
                BARE * BARE
            } else if is_bare(sentence, ground, grounds) {
                BARE
            } else {
                1.0
            };
            (score * bare, *ground, *sentence)
        },
    );
    let judged = judged.collect();
    (weights, judged)
}

/// What a statement has between quotation marks, letters alone.
fn quotations(statement: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (open, close) in [('“', '”'), ('「', '」'), ('『', '』'), ('"', '"')] {
        let mut rest = statement;
        while let Some((_, behind)) = rest.split_once(open) {
            let Some((inside, after)) = behind.split_once(close) else { break };
            rest = after;
            found.push(letters(inside));
        }
    }
    found.retain(|quotation| quotation.len() >= QUOTATION_BYTES);
    found
}

/// The largest share of a quotation that stands in a sentence word by word: all of it, or the sentence itself.
fn share_quoted(quotations: &[String], sentence: &str) -> f64 {
    if quotations.is_empty() {
        return 0.0;
    }
    let held = letters(sentence);
    let share = |quotation: &String| {
        if held.contains(quotation.as_str()) {
            1.0
        } else if held.len() >= VERBATIM_BYTES && quotation.contains(held.as_str()) {
            held.len() as f64 / quotation.len() as f64
        } else {
            0.0
        }
    };
    quotations.iter().map(share).fold(0.0, f64::max)
}

/// The names that a sentence should hold. Of the things that a report's finding is about one is not meant whose name only
/// goes on from a name that the statement has: Teams Premium where it speaks of Teams.
struct ExpectedNames<'g> {
    /// Each by its spellings.
    names: Vec<&'g Vec<String>>,
    /// Those of what is not meant, the longest first.
    around: Vec<&'g String>,
    /// Words of these names alone.
    beside: BTreeSet<String>,
}

impl<'g> ExpectedNames<'g> {
    fn by(statement: CitedStatement<'_>, grounds: &'g Grounds<'_>) -> Self {
        let said = flatten(statement.sentence);
        let is_said = |names: &&'g Vec<String>| names.iter().any(|name| find_name(&said, name).is_some());
        let of_reports = grounds.names.iter().filter(|_| grounds.kind == RecordKind::Reports);
        let (spoken_of, others): (Vec<_>, Vec<_>) = of_reports.partition(is_said);
        let goes_on = |names: &&&'g Vec<String>| {
            let mut pairs = names
                .iter()
                .flat_map(|other| spoken_of.iter().copied().flatten().map(move |name| (other, name)));
            pairs.any(|(other, name)| name.len() < other.len() && find_name(other, name).is_some())
        };
        let longer: Vec<&'g Vec<String>> = others.iter().filter(goes_on).copied().collect();
        let mut around: Vec<&'g String> = longer.iter().copied().flatten().collect();
        around.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let mut beside: BTreeSet<String> = around.iter().flat_map(|name| meaning(name)).collect();
        if !beside.is_empty() {
            let kept = grounds.names.iter().filter(|names| !longer.contains(names)).flatten();
            for word in kept.flat_map(|name| meaning(name)).chain(meaning(statement.sentence)) {
                beside.remove(&word);
            }
        }
        let names = grounds.names.iter().filter(|names| !longer.contains(names)).collect();
        Self { names, around, beside }
    }

    /// The share of the names that a sentence holds.
    fn share_named(&self, sentence: &SentenceTerms<'_>) -> f64 {
        let mut flat = Cow::Borrowed(sentence.flat.as_str());
        for name in self.around.iter().filter(|name| sentence.flat.contains(name.as_str())) {
            flat = Cow::Owned(flat.replace(name.as_str(), " "));
        }
        let of_name = |name: &String| {
            if find_name(&flat, name).is_some() {
                return 1.0;
            }
            let words = terms(name);
            let share = words.intersection(&sentence.terms).count() as f64 / words.len().max(1) as f64;
            let share = if flat.len() < sentence.flat.len() { share * PART } else { share };
            if words.len() > 1 && share >= PART { share * share } else { 0.0 }
        };
        let held = self.names.iter().map(|spellings| spellings.iter().map(of_name).fold(0.0, f64::max));
        held.sum::<f64>() / self.names.len().max(1) as f64
    }
}

/// Whether a sentence says nothing beside names: those of what it is to speak of, and whatever else its text unit names.
fn is_bare(sentence: &SentenceTerms<'_>, ground: &SupportingUnit<'_>, grounds: &Grounds<'_>) -> bool {
    let mut rest = sentence.flat.clone();
    let is_chinese = rest.chars().any(is_han);
    // what a text of an alphabet names may be any word of it
    let of_unit = ground.unit.state.records.iter().filter(|_| is_chinese).filter_map(|record| match record {
        Record::Entity(entity) => Some(flatten(&entity.name)),
        _ => None,
    });
    let mut names: Vec<String> = grounds.names.iter().flatten().cloned().chain(of_unit).collect();
    // a long name before one that is a part of it
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    for name in names.iter().filter(|name| !name.is_empty()) {
        rest = rest.replace(name.as_str(), " ");
    }
    let words = language::words(&rest);
    let words =
        words.iter().filter(|word| !word.chars().any(is_han) && !language::is_stop_word(word)).count();
    let characters = rest.chars().filter(|c| is_han(*c) && !EMPTY.contains(c)).count();
    words + characters < if words == 0 && is_chinese { SAYS_HAN } else { SAYS }
}

/// The clauses of a statement.
pub(super) fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let border = rest.char_indices().find(|(at, character)| match character {
            '，' | '；' | '：' | '。' | '！' | '？' | '\n' | '—' | '–' => true,
            // not the mark inside a number
            ',' | ';' | ':' | '.' | '!' | '?' => {
                rest.get(at + 1..).is_none_or(|rest| !rest.starts_with(char::is_alphanumeric))
            }
            _ => false,
        });
        let end = border.map_or(rest.len(), |(at, character)| at + character.len_utf8());
        let (clause, behind) = rest.split_at(end);
        rest = behind;
        Some(clause)
    })
}

/// How rare words are among some sentences.
pub(super) struct Rarity<'a> {
    held: FxHashMap<&'a str, usize>,
    sentences: usize,
}

impl<'a> Rarity<'a> {
    pub(super) fn among<'s: 'a>(sentences: impl Iterator<Item = &'a SentenceTerms<'s>>) -> Self {
        let mut rarity = Self { held: FxHashMap::default(), sentences: 0 };
        for sentence in sentences {
            rarity.sentences += 1;
            for term in sentence.terms.union(&sentence.speaker) {
                *rarity.held.entry(term).or_default() += 1;
            }
        }
        rarity
    }

    fn of(&self, term: &str) -> f64 {
        let held = self.held.get(term).copied().unwrap_or_default();
        (1.0 + self.sentences as f64 / (1.0 + held as f64)).ln()
    }

    /// The share of some words that others hold, from 0 to 1, by how rare each is.
    pub(super) fn share(&self, words: &BTreeSet<String>, held: &BTreeSet<String>) -> f64 {
        let all: f64 = words.iter().map(|word| self.of(word)).sum();
        let shared: f64 = words.intersection(held).map(|word| self.of(word)).sum();
        if all > 0.0 { shared / all } else { 0.0 }
    }
}

/// How much each word of a statement and of records counts among some sentences.
struct WordWeights {
    statement: FxHashMap<String, f64>,
    rarity: FxHashMap<String, f64>,
    /// The same of Chinese characters, where a source is cited.
    characters: FxHashMap<char, f64>,
    /// The words of each clause of the statement's sentence, by how rare they are.
    clauses: Vec<Vec<(String, f64)>>,
    /// Whether any sentence shares a word with the statement.
    shared: bool,
}

impl WordWeights {
    fn new(
        statement: CitedStatement<'_>,
        (grounds, meant): (&Grounds<'_>, &ExpectedNames<'_>),
        pool: &[(&SupportingUnit<'_>, &SentenceTerms<'_>, bool)],
    ) -> Self {
        let names: BTreeSet<String> = grounds.names.iter().flatten().flat_map(|name| terms(name)).collect();
        let sources = grounds.passages.iter().filter(|_| grounds.kind == RecordKind::Sources);
        let titled: BTreeSet<String> =
            sources.flat_map(|ground| terms(&ground.unit.document_title)).collect();
        let among = Rarity::among(pool.iter().map(|(_, sentence, _)| *sentence));
        let said = [statement.sentence, statement.before, statement.listed].map(terms);
        let shared = said.iter().flatten().any(|term| {
            among.held.contains_key(term.as_str()) && !term.starts_with(|c: char| c.is_ascii_digit())
        });
        let rarity: FxHashMap<String, f64> = among
            .held
            .keys()
            .map(|term| {
                let weight = match *term {
                    term if term.starts_with("##") => {
                        if shared {
                            NUMBERS
                        } else {
                            NUMBERS_ALONE
                        }
                    }
                    term if term.starts_with('#') => NUMBERS,
                    term if grounds.kind == RecordKind::Entities && names.contains(term) => NAME,
                    term if titled.contains(term) => TITLED,
                    _ => 1.0,
                };
                ((*term).to_owned(), among.of(term) * weight)
            })
            .collect();
        let mut weights: FxHashMap<String, f64> = FxHashMap::default();
        let known =
            |term: &String| names.contains(term) || pool.iter().any(|(ground, ..)| ground.own.contains(term));
        let parts = [(statement.sentence, 1.0), (statement.before, AROUND), (statement.listed, AROUND)];
        // of each clause its words, and how much of it the record speaks of
        let clauses: Vec<(&str, BTreeSet<String>, f64, f64)> = parts
            .iter()
            .flat_map(|(part, weight)| clauses(part).map(move |clause| (clause, meaning(clause), *weight)))
            .map(|(clause, terms, weight)| {
                let fit = terms.iter().filter(|term| known(term)).filter_map(|term| rarity.get(term)).sum();
                (clause, terms, weight, fit)
            })
            .collect();
        let most = clauses.iter().map(|(.., fit)| *fit).fold(0.0, f64::max);
        for (clause, terms, weight, fit) in clauses {
            let share = if most > 0.0 { fit / most } else { 1.0 };
            let weight = weight * (CLAUSE + (1.0 - CLAUSE) * share);
            let others = terms.iter().flat_map(|term| same(term)).map(|other| (other, SAME));
            let others = others.chain(classical(clause).map(|other| (other.to_owned(), CLASSICAL)));
            for (other, share) in others.filter(|(other, _)| rarity.contains_key(other)) {
                let known = weights.entry(other).or_default();
                *known = f64::max(*known, weight * share);
            }
            for term in terms {
                let known = weights.entry(term).or_default();
                *known = weight.max(*known);
            }
        }
        weights.retain(|term, _| !meant.beside.contains(term));
        let rare = |term: String| {
            let weight = rarity.get(&term).copied().unwrap_or(1.0);
            (term, weight)
        };
        let of_clauses =
            self::clauses(statement.sentence).map(|clause| meaning(clause).into_iter().map(rare).collect());
        let clauses = of_clauses.filter(|words: &Vec<_>| !words.is_empty()).collect();
        let characters = match grounds.kind {
            RecordKind::Sources => character_weights(statement, pool),
            _ => FxHashMap::default(),
        };
        Self { statement: weights, rarity, characters, clauses, shared }
    }

    /// What a sentence shares with the statement alone.
    fn statement_score(&self, sentence: &SentenceTerms<'_>) -> f64 {
        let of = |term: &String| {
            self.statement.get(term).copied().unwrap_or(0.0) * self.rarity.get(term).copied().unwrap_or(0.0)
        };
        sentence.terms.iter().map(of).sum::<f64>() / (LENGTH + sentence.terms.len() as f64).sqrt()
    }

    /// How many clauses of the statement a sentence speaks of.
    fn clauses_held(&self, sentence: &SentenceTerms<'_>) -> usize {
        let is_held = |words: &&Vec<(String, f64)>| {
            let all: f64 = words.iter().map(|(_, weight)| weight).sum();
            let held =
                words.iter().filter(|(term, _)| sentence.terms.contains(term)).map(|(_, weight)| weight);
            let held: f64 = held.sum();
            held > 0.0 && held >= CLAUSE_HELD * all
        };
        self.clauses.iter().filter(is_held).count()
    }

    /// What only the record says counts up to what the statement says: a long record would else lead to whatever it is about.
    fn score(&self, ground: &SupportingUnit<'_>, sentence: &SentenceTerms<'_>) -> f64 {
        let (mut stated, mut told) = (0.0, 0.0);
        for term in &sentence.terms {
            let own = ground.own.contains(term);
            let rarity = self.rarity.get(term).copied().unwrap_or(0.0);
            match self.statement.get(term) {
                Some(weight) if own || ground.own.is_empty() || term.starts_with('#') => {
                    stated += weight * rarity;
                }
                Some(weight) => stated += weight * BESIDE * rarity,
                None if self.shared => told += if own { RECORD * rarity } else { 0.0 },
                None => {
                    let together = if ground.beside.contains(term) { TOGETHER } else { 0.0 };
                    let alone = if ground.beside.is_empty() { RECORD_ALONE } else { RECORD };
                    told += (together + if own { alone } else { 0.0 }) * rarity;
                }
            }
        }
        let told = if self.shared { f64::min(told, stated) } else { told };
        stated += sentence.characters.iter().filter_map(|c| self.characters.get(c)).sum::<f64>();
        stated *= 1.0 + CLAUSES * self.clauses_held(sentence).saturating_sub(1) as f64;
        (stated + told) / (LENGTH + sentence.terms.len() as f64).sqrt()
    }
}

/// Single Chinese characters that say the same as words of a statement: 惧 for 害怕.
fn characters_for(statement: &str) -> BTreeSet<char> {
    let single = statement.chars().filter(|c| is_han(*c)).map(String::from);
    let words = single.chain(terms(statement).into_iter().filter(|term| term.chars().all(is_han)));
    let other = |word: String| same(&word).into_iter();
    let single = |word: String| {
        let mut characters = word.chars();
        characters.next().filter(|c| is_han(*c) && characters.next().is_none())
    };
    words.flat_map(other).chain(classical(statement).map(str::to_owned)).filter_map(single).collect()
}

/// What a classical text may say instead of the words of a statement, which has them in those of today.
fn classical(statement: &str) -> impl Iterator<Item = &'static str> {
    let is_word = |word: &str| word.chars().nth(1).is_some() && statement.contains(word);
    let groups = RETOLD.iter().map(|group| group.split(' '));
    groups.filter(move |group| group.clone().any(is_word)).flatten()
}

/// How much each Chinese character of a statement counts among some sentences.
fn character_weights(
    statement: CitedStatement<'_>,
    pool: &[(&SupportingUnit<'_>, &SentenceTerms<'_>, bool)],
) -> FxHashMap<char, f64> {
    let mut held: FxHashMap<char, usize> = FxHashMap::default();
    for character in pool.iter().flat_map(|(_, sentence, _)| &sentence.characters) {
        *held.entry(*character).or_default() += 1;
    }
    let mut weights: FxHashMap<char, f64> = FxHashMap::default();
    let parts = [(statement.sentence, 1.0), (statement.before, AROUND), (statement.listed, AROUND)];
    for (part, weight) in parts {
        let own = telling(part);
        let others = characters_for(part).into_iter().filter(|other| !own.contains(other)).map(|c| (c, SAME));
        for (character, share) in own.iter().map(|character| (*character, 1.0)).chain(others) {
            let Some(count) = held.get(&character) else { continue };
            let rare = (1.0 + pool.len() as f64 / (1.0 + *count as f64)).ln();
            let known = weights.entry(character).or_default();
            *known = known.max(CHARACTER * weight * share * rare);
        }
    }
    weights
}

/// Where the quotes of a record stand in a text unit: characters from its beginning.
fn quoted_ranges(ground: &SupportingUnit<'_>) -> Vec<(u64, u64)> {
    ground.quotes.iter().filter_map(|quote| find_quote(&ground.unit.unit.text, quote)).collect()
}

/// Where a quote stands in a text, white space, marks and case aside.
pub(super) fn find_quote(text: &str, quote: &str) -> Option<(u64, u64)> {
    let mut held: Vec<(char, u64)> = Vec::new();
    for (place, character) in text.chars().enumerate().filter(|(_, c)| c.is_alphanumeric()) {
        held.extend(character.to_lowercase().map(|letter| (letter, place as u64)));
    }
    let wanted: Vec<char> = letters(quote).chars().collect();
    if wanted.is_empty() {
        return None;
    }
    let at = held.windows(wanted.len()).position(|window| window.iter().map(|(c, _)| c).eq(&wanted))?;
    let (_, first) = held.get(at)?;
    let (_, last) = held.get(at + wanted.len() - 1)?;
    Some((*first, last + 1))
}

#[cfg(test)]
mod tests {
    use super::{quotations, share_quoted};

    #[test]
    fn what_is_quoted_leads_where_it_stands_from_four_chinese_characters_on() {
        let found = quotations("他自称“鞠躬尽瘁”，又答“好吧”，信里写「来日方长」。");
        assert_eq!(found, ["鞠躬尽瘁", "来日方长"]);
        assert_eq!(
            quotations("She said \"no\" and \"the mill is ours\".").len(),
            1,
            "three words say enough"
        );
        assert!(share_quoted(&found, "臣鞠躬尽瘁，死而后已。") > 0.9);
        assert!(share_quoted(&found, "臣尽力而为。") < 0.1);
    }
}
