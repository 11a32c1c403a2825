//! Pairs of entities that a sentence holds together.

use super::NlpSettings;
use super::entities::UnitEntities;
use super::evidence::describe;
use super::subjects::UnitSubject;
use crate::domain::RelationshipRecord;
use crate::language::Language;
use crate::language::mention::{MentionRank, ParsedSentence, ParsedWord, WordRole};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::ops::Range;

/// Most entities of a sentence that are paired.
const SENTENCE_ENTITIES: usize = 12;
/// Most mentions of a sentence that are looked at.
const SENTENCE_MENTIONS: usize = 60;
/// Names that a title or heading is related to where no sentence does: in a short text, and in one unit of a long one.
const SUBJECT_PARTNERS: usize = 3;
const SUBJECT_PARTNERS_OF_LONG: usize = 1;
/// Sentences beyond which a text is long.
const SHORT_SENTENCES: usize = 15;
/// Words behind two names among which a verb is looked for that speaks of them.
const CLAUSE: usize = 6;
/// Adverbs that are kept with their verb: without them it says the opposite.
const DENYING: [&str; 19] = [
    "not", "n't", "never", "no", "longer", "neither", "nor", "未", "从未", "尚未", "并未", "没", "没有",
    "不", "不再", "从不", "从没", "未曾", "未能",
];
/// Verbs whose object is a whole clause.
const REPORTS: [&str; 20] = [
    "says", "said", "thinks", "thought", "believes", "believed", "hopes", "hoped", "claims", "claimed",
    "reports", "reported", "说", "表示", "宣布", "认为", "指出", "强调", "透露", "提议",
];
/// Most words between two names that still make a phrase.
const PHRASE_GAP: usize = 8;

/// A pair and what the sentences say of it.
struct MentionPair {
    source: usize,
    target: usize,
    kind: String,
    description: String,
    sentence_count: u32,
    strength: u32,
    /// Closeness in the sentence that the description is.
    best: u32,
}

/// Relationships by first co-occurrence, one a pair.
pub(super) fn collect(
    text: &str,
    subjects: &[UnitSubject],
    sentences: &[ParsedSentence],
    entities: &UnitEntities,
    settings: &NlpSettings,
) -> Vec<RelationshipRecord> {
    let mut pairs = MentionPairs::default();
    for sentence in sentences {
        let places = places(sentence, entities);
        for (index, one) in places.iter().enumerate() {
            for other in places.iter().skip(index + 1) {
                pairs.add(text, sentence, entities, [one, other]);
            }
        }
    }
    let keep = pairs.chosen(entities.iter().count(), settings.relationships_per_entity);
    let mut index = 0;
    pairs.all.retain(|_| {
        index += 1;
        keep.get(index - 1).copied().unwrap_or(false)
    });
    pairs.by_ends = pairs.all.iter().enumerate().map(|(i, p)| (ends(p.source, p.target), i)).collect();
    let is_long = sentences.len() > SHORT_SENTENCES;
    pairs.add_subjects(subjects, entities, if is_long { SUBJECT_PARTNERS_OF_LONG } else { SUBJECT_PARTNERS });
    let name =
        |index: usize| entities.get(index).map_or_else(String::new, |entity| entity.record.name.clone());
    pairs
        .all
        .into_iter()
        .map(|pair| RelationshipRecord {
            source: name(pair.source),
            target: name(pair.target),
            kind: pair.kind,
            description: pair.description,
            strength: pair.strength.clamp(1, 10),
        })
        .collect()
}

/// An entity in a sentence, with the bytes and words of its mentions.
struct PlacedMention {
    entity: usize,
    rank: MentionRank,
    mentions: Vec<(Range<usize>, Range<usize>)>,
}

/// Entities of a sentence by place; of many the most frequent of the unit.
fn places(sentence: &ParsedSentence, entities: &UnitEntities) -> Vec<PlacedMention> {
    let mut found: Vec<PlacedMention> = Vec::new();
    let mut known: FxHashMap<usize, usize> = FxHashMap::default();
    for mention in sentence.mentions.iter().take(SENTENCE_MENTIONS) {
        let Some(index) = entities.index_of(&mention.key) else { continue };
        let first = sentence.words.partition_point(|word| word.range.end <= mention.range.start);
        let end = sentence.words.partition_point(|word| word.range.start < mention.range.end);
        // a name that is only meant stands where the pronoun or "the film" stands
        let end = if mention.is_implied() { first + sentence.opening_word_count } else { end };
        let place = *known.entry(index).or_insert_with(|| {
            let rank = entities.get(index).map_or(mention.rank, |entity| entity.rank);
            found.push(PlacedMention { entity: index, rank, mentions: Vec::new() });
            found.len() - 1
        });
        if let Some(placed) = found.get_mut(place) {
            placed.mentions.push((mention.range.clone(), first..end.max(first)));
        }
    }
    if found.len() > SENTENCE_ENTITIES {
        let mut order: Vec<usize> = (0..found.len()).collect();
        let weight = |i: &usize| {
            let entity = found.get(*i).and_then(|placed| entities.get(placed.entity));
            entity.map(|e| (e.rank, Reverse(e.count), *i))
        };
        order.sort_by_key(weight);
        let kept: FxHashSet<usize> = order.into_iter().take(SENTENCE_ENTITIES).collect();
        let mut index = 0;
        found.retain(|_| {
            index += 1;
            kept.contains(&(index - 1))
        });
    }
    found
}

#[derive(Default)]
struct MentionPairs {
    all: Vec<MentionPair>,
    by_ends: FxHashMap<(usize, usize), usize>,
}

fn ends(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

impl MentionPairs {
    fn add(
        &mut self,
        text: &str,
        sentence: &ParsedSentence,
        entities: &UnitEntities,
        [one, other]: [&PlacedMention; 2],
    ) {
        let Some(near) = nearest(one, other) else { return };
        let dates = usize::from(one.rank == MentionRank::Date) + usize::from(other.rank == MentionRank::Date);
        let terms = usize::from(one.rank == MentionRank::Term) + usize::from(other.rank == MentionRank::Term);
        // two dates, a date and a term, or terms far apart say nothing of each other
        if dates == 2 || dates + terms == 2 && (dates > 0 || near.gap > 6) || terms == 1 && near.gap > 12 {
            return;
        }
        let closeness = match near.gap {
            0..=4 => 3,
            5..=12 => 2,
            _ => 1,
        };
        let (first, second) = if near.forward { (one, other) } else { (other, one) };
        // what stands behind a date is said of somebody else: "founded in 2011 by Ann Lee"
        let is_said = first.rank != MentionRank::Date;
        let owned = is_said.then(|| owned_by_second(text, sentence, &near)).flatten();
        // 周国强是周立群的叔叔 says what 周立群的叔叔周国强 does
        let is_turned = owned.is_some();
        let kind = match owned {
            Some(kind) => kind,
            None if is_said => phrase(text, sentence, &near),
            None => String::new(),
        };
        let closeness = closeness + u32::from(!kind.is_empty());
        let (source, target) =
            if is_turned { (second.entity, first.entity) } else { (first.entity, second.entity) };
        let place = self.all.len();
        let index = *self.by_ends.entry(ends(source, target)).or_insert(place);
        if index == place {
            let (kind, description, best) = (String::new(), String::new(), 0);
            self.all.push(MentionPair {
                source,
                target,
                kind,
                description,
                sentence_count: 0,
                strength: 0,
                best,
            });
        }
        let Some(pair) = self.all.get_mut(index) else { return };
        pair.sentence_count += 1;
        pair.strength += closeness;
        if closeness > pair.best {
            let focus = near.focus.clone();
            *pair = MentionPair {
                source,
                target,
                kind,
                description: describe(text, sentence, &focus),
                best: closeness,
                sentence_count: pair.sentence_count,
                strength: pair.strength,
            };
        }
        debug_assert!(entities.get(source).is_some());
    }

    /// Those of more than one sentence, and of the others the strongest so far as an end has room for them.
    fn chosen(&self, entity_count: usize, limit: usize) -> Vec<bool> {
        let mut keep: Vec<bool> = self.all.iter().map(|pair| pair.sentence_count > 1).collect();
        let mut order: Vec<usize> =
            (0..self.all.len()).filter(|i| !keep.get(*i).copied().unwrap_or(true)).collect();
        order.sort_by_key(|i| self.all.get(*i).map(|pair| (Reverse(pair.strength), *i)));
        let mut used = vec![0_usize; entity_count];
        for index in order {
            let Some(pair) = self.all.get(index) else { continue };
            let of = |entity: usize| used.get(entity).copied().unwrap_or(0);
            let (one, other) = (of(pair.source), of(pair.target));
            let has_room = one < limit || other < limit;
            if !has_room {
                continue;
            }
            for entity in [pair.source, pair.target] {
                if let Some(count) = used.get_mut(entity) {
                    *count += 1;
                }
            }
            if let Some(slot) = keep.get_mut(index) {
                *slot = true;
            }
        }
        keep
    }

    /// Relates each subject to the names that the unit speaks most of, headings to the title, and a title with
    /// brackets to its name.
    fn add_subjects(&mut self, subjects: &[UnitSubject], entities: &UnitEntities, partner_count: usize) {
        let mut main: Vec<usize> =
            entities.iter().filter(|(_, e)| e.rank == MentionRank::Name).map(|(index, _)| index).collect();
        main.sort_by_key(|index| entities.get(*index).map(|e| (Reverse(e.count), *index)));
        let title = subjects.first().and_then(|subject| entities.index_of(&subject.mention.key));
        for subject in subjects {
            let Some(index) = entities.index_of(&subject.mention.key) else { continue };
            if let Some(title) = title.filter(|title| *title != index) {
                let part = if subject.language == Language::Chinese { "属于" } else { "part of" };
                let named = |i: usize| entities.get(i).map_or("", |entity| entity.record.name.as_str());
                self.join(index, title, part, format!("{}: {}", named(title), named(index)));
            }
            if let Some(full) = subject.full.as_ref().and_then(|full| entities.index_of(&full.key)) {
                let description =
                    entities.get(index).map_or_else(String::new, |e| e.record.description.clone());
                self.join(full, index, "", description);
            }
            for partner in main.iter().filter(|partner| **partner != index).take(partner_count) {
                let description =
                    entities.get(*partner).map_or_else(String::new, |e| e.record.description.clone());
                self.join(index, *partner, "", description);
            }
        }
    }

    fn join(&mut self, source: usize, target: usize, kind: &str, description: String) {
        let place = self.all.len();
        if *self.by_ends.entry(ends(source, target)).or_insert(place) == place {
            let kind = kind.to_owned();
            self.all.push(MentionPair {
                source,
                target,
                kind,
                description,
                sentence_count: 1,
                strength: 1,
                best: 1,
            });
        }
    }
}

/// Where two entities stand nearest in a sentence.
struct NearestPlaces {
    /// Words between them.
    gap: usize,
    /// Those words.
    between: Range<usize>,
    /// The first word of the one that stands first, and the first word behind both.
    before: usize,
    after: usize,
    /// Whether the first entity stands first.
    forward: bool,
    /// From the one to the other, in bytes.
    focus: Range<usize>,
}

fn nearest(one: &PlacedMention, other: &PlacedMention) -> Option<NearestPlaces> {
    let mut best: Option<NearestPlaces> = None;
    for (bytes, words) in one.mentions.iter().take(8) {
        for (other_bytes, other_words) in other.mentions.iter().take(8) {
            let forward = bytes.start <= other_bytes.start;
            let between = if forward { words.end..other_words.start } else { other_words.end..words.start };
            let gap = between.end.saturating_sub(between.start);
            if best.as_ref().is_none_or(|near| gap < near.gap) {
                let focus = bytes.start.min(other_bytes.start)..bytes.end.max(other_bytes.end);
                let (before, after) = (words.start.min(other_words.start), words.end.max(other_words.end));
                best = Some(NearestPlaces { gap, between, before, after, forward, focus });
            }
        }
    }
    best
}

/// The short phrase between two names: "was married to", "clerk to", "nephew"; empty where there is none.
fn phrase(text: &str, sentence: &ParsedSentence, near: &NearestPlaces) -> String {
    let Some(words) = sentence.words.get(near.between.clone()).filter(|words| words.len() <= PHRASE_GAP)
    else {
        return String::new();
    };
    if let [comma] = words
        && comma.role == WordRole::Comma
        && sentence.language != Language::Chinese
    {
        return apposition(text, sentence, near.after);
    }
    let words = trim(words, |role| role == WordRole::Comma);
    if is_agent_of_another(text, sentence, near, words) {
        return String::new();
    }
    if sentence.language != Language::Chinese && is_only_to_be(text, words) {
        let of = apposition(text, sentence, near.after);
        if !of.is_empty() {
            return of;
        }
    }
    if let Some(kin) = of_the_one_before(text, words) {
        return kin;
    }
    let turned = if sentence.language == Language::Chinese {
        turned_chinese(text, sentence, near, words)
    } else {
        given_by(text, sentence, near, words)
    };
    if let Some(turned) = turned {
        return turned;
    }
    let denies = |word: &ParsedWord| {
        text.get(word.range.clone()).is_some_and(|word| DENYING.contains(&word.to_lowercase().as_str()))
    };
    let chosen = match words {
        [first, rest @ ..] if first.role == WordRole::Possessive => {
            owned(trim(rest, |role| role == WordRole::Comma))
        }
        _ if words
            .iter()
            .any(|w| matches!(w.role, WordRole::Other | WordRole::Comma | WordRole::Possessive)) =>
        {
            Vec::new()
        }
        _ => verb(words, &denies).or_else(|| noun(words)).unwrap_or_default(),
    };
    let separator = if sentence.language == Language::Chinese { "" } else { " " };
    let parts: Vec<String> =
        chosen.iter().filter_map(|word| Some(text.get(word.range.clone())?.to_lowercase())).collect();
    match parts.as_slice() {
        // "Ann says Acme pays": what is said is no deed of hers towards Acme
        [verb] if REPORTS.contains(&verb.as_str()) => String::new(),
        // "Ann is the deputy whenever Tom is away": what she is stands between
        [be] if is_to_be(be) && !is_only_to_be(text, words) => String::new(),
        parts => parts.join(separator),
    }
}

/// Whether "by" stands between two names and a preposition before the first: "recorded in Suzhou by Chen Meiling".
fn is_agent_of_another(
    text: &str,
    sentence: &ParsedSentence,
    near: &NearestPlaces,
    between: &[ParsedWord],
) -> bool {
    let is_by = matches!(between, [by] if text.get(by.range.clone()) == Some("by"));
    let before = near.before.checked_sub(1).and_then(|at| sentence.words.get(at));
    is_by && before.is_some_and(|word| word.role == WordRole::Preposition)
}

/// "Fred, Scrooge's nephew": what the first is to the second.
fn apposition(text: &str, sentence: &ParsedSentence, after: usize) -> String {
    let rest = sentence.words.get(after..).unwrap_or(&[]);
    let [owner, rest @ ..] = rest else { return String::new() };
    let length =
        rest.iter().take_while(|word| matches!(word.role, WordRole::Noun | WordRole::Adjective)).count();
    let noun = rest.get(..length).and_then(|nouns| owned(nouns).into_iter().next());
    match noun.and_then(|noun| text.get(noun.range.clone())) {
        Some(noun) if owner.role == WordRole::Possessive => format!("{} of", noun.to_lowercase()),
        _ => String::new(),
    }
}

fn is_to_be(word: &str) -> bool {
    matches!(word, "is" | "was" | "are" | "were")
}

/// "is", "was once": whether two names are only said to be.
fn is_only_to_be(text: &str, words: &[ParsedWord]) -> bool {
    let [be, rest @ ..] = words else { return false };
    text.get(be.range.clone()).is_some_and(is_to_be)
        && rest.iter().all(|word| {
            word.role == WordRole::Adverb
                && text.get(word.range.clone()).is_none_or(|word| !DENYING.contains(&word))
        })
}

/// "Ann and her brother Tom", 周立群和他的叔叔周国强: what the second is to the first.
fn of_the_one_before(text: &str, words: &[ParsedWord]) -> Option<String> {
    let written = |word: &ParsedWord| text.get(word.range.clone()).unwrap_or_default();
    let words = match words {
        [and, rest @ ..] if matches!(written(and), "and" | "with" | "和" | "与" | "跟" | "同") => rest,
        words => words,
    };
    let [whose, rest @ ..] = words else { return None };
    let noun = match (written(whose), rest) {
        ("his" | "her" | "their", rest) => owned(rest).into_iter().next()?,
        ("他" | "她" | "其", [of, noun]) if of.role == WordRole::Possessive => noun,
        _ => return None,
    };
    (noun.role == WordRole::Noun).then(|| written(noun).to_lowercase())
}

/// 周国强是周立群的叔叔: what the first is to the second, where the second owns it.
fn owned_by_second(text: &str, sentence: &ParsedSentence, near: &NearestPlaces) -> Option<String> {
    if sentence.language != Language::Chinese {
        return None;
    }
    let written = |word: &ParsedWord| text.get(word.range.clone()).unwrap_or_default();
    let [be] = sentence.words.get(near.between.clone())? else { return None };
    let [of, noun, behind @ ..] = sentence.words.get(near.after..)? else { return None };
    let ends = behind.first().is_none_or(|word| matches!(word.role, WordRole::Comma | WordRole::Other));
    let fits = matches!(written(be), "是" | "为" | "乃")
        && of.role == WordRole::Possessive
        && noun.role == WordRole::Noun
        && ends;
    fits.then(|| written(noun).to_owned())
}

fn trim(words: &[ParsedWord], is_edge: impl Fn(WordRole) -> bool) -> &[ParsedWord] {
    let mut words = words;
    while let [first, rest @ ..] = words {
        if !is_edge(first.role) {
            break;
        }
        words = rest;
    }
    while let [rest @ .., last] = words {
        if !is_edge(last.role) {
            break;
        }
        words = rest;
    }
    words
}

/// "'s nephew": the noun.
fn owned(words: &[ParsedWord]) -> Vec<&ParsedWord> {
    let fits = !words.is_empty()
        && words.len() <= 3
        && words.iter().all(|word| matches!(word.role, WordRole::Adjective | WordRole::Noun));
    words.last().filter(|word| fits && word.role == WordRole::Noun).into_iter().collect()
}

/// What 把 and 被 say of the two around them: the verb stands behind both. "甲把乙卖给了丙" tells 卖 of 甲 and 乙, and of 乙
/// and 丙 that the one was sold to the other.
fn turned_chinese(
    text: &str,
    sentence: &ParsedSentence,
    near: &NearestPlaces,
    between: &[ParsedWord],
) -> Option<String> {
    const TAKES: [&str; 2] = ["把", "将"];
    const BY: [&str; 3] = ["被", "由", "遭"];
    let written = |word: &ParsedWord| text.get(word.range.clone()).unwrap_or_default();
    let verb_behind = || {
        let behind = sentence.words.get(near.after..)?;
        let clause = behind.iter().take(CLAUSE).take_while(|word| word.role != WordRole::Comma);
        let verb = clause.into_iter().find(|word| word.role == WordRole::Verb).map(written)?;
        let bare = verb.trim_end_matches('给');
        Some(if bare.is_empty() { verb } else { bare })
    };
    if let [word] = between {
        if TAKES.contains(&written(word)) {
            return verb_behind().map(str::to_owned);
        }
        if BY.contains(&written(word)) {
            return verb_behind().map(|verb| format!("被{verb}"));
        }
    }
    let taken = near.before.checked_sub(1).and_then(|at| sentence.words.get(at))?;
    let first = between.iter().find(|word| word.role == WordRole::Verb)?;
    (near.before > 1 && TAKES.contains(&written(taken))).then(|| {
        let is_to = between.iter().any(|word| written(word).contains('给')) && !written(first).contains('给');
        format!("被{}{}", written(first), if is_to { "给" } else { "" })
    })
}

/// "Harrow Mills was sold by Tarn to N": of Tarn and N what "Tarn sold Harrow Mills to N" says of them.
fn given_by(
    text: &str,
    sentence: &ParsedSentence,
    near: &NearestPlaces,
    between: &[ParsedWord],
) -> Option<String> {
    let [preposition] = between else { return None };
    let before = sentence.words.get(..near.before)?;
    let [rest @ .., verb, by] = before else { return None };
    let written = |word: &ParsedWord| text.get(word.range.clone()).unwrap_or_default().to_lowercase();
    if preposition.role != WordRole::Preposition || verb.role != WordRole::Verb || written(by) != "by" {
        return None;
    }
    let rest = trim(rest, |role| matches!(role, WordRole::Adverb | WordRole::Auxiliary));
    if rest.len() + 2 == before.len() {
        return None;
    }
    let start = rest.iter().rposition(|word| word.role != WordRole::Noun).map_or(0, |at| at + 1);
    let what = rest.get(start..).filter(|what| !what.is_empty() && what.len() <= PHRASE_GAP)?;
    let mut said = vec![written(verb)];
    said.extend(what.iter().map(written));
    said.push(written(preposition));
    Some(said.join(" "))
}

/// "was born in", "met": from the first verb to the last verb or preposition, articles and adverbs left out, but for those
/// that deny it.
fn verb<'a>(words: &'a [ParsedWord], is_denial: &dyn Fn(&ParsedWord) -> bool) -> Option<Vec<&'a ParsedWord>> {
    let is_verb = |word: &ParsedWord| matches!(word.role, WordRole::Verb | WordRole::Auxiliary);
    let first = words.iter().position(is_verb)?;
    // what stands before the verb belongs to the first name or is an adverb
    let before = words.get(..first)?;
    if before
        .iter()
        .any(|word| !matches!(word.role, WordRole::Adverb | WordRole::Auxiliary) && !is_denial(word))
    {
        return None;
    }
    let denied = before.iter().filter(|word| is_denial(word));
    let last = words.iter().rposition(|word| is_verb(word) || word.role == WordRole::Preposition)?;
    let loose = words.get(last + 1..)?.iter().any(|word| word.role == WordRole::Noun);
    let end = if loose { words.iter().rposition(is_verb)? } else { last };
    let is_kept = |word: &&ParsedWord| {
        is_denial(word) || !matches!(word.role, WordRole::Determiner | WordRole::Adverb | WordRole::Adjective)
    };
    let said = words.get(first..=end)?;
    // "founded in 2011 by": of two prepositions with something left out between them the first has lost its object
    let has_lost = |at: usize| {
        let behind = said.get(at + 1..).unwrap_or_default();
        said.get(at).is_some_and(|word| word.role == WordRole::Preposition && !is_denial(word))
            && behind.first().is_some_and(|next| !is_kept(&next))
            && behind.iter().find(|word| is_kept(word)).is_some_and(|next| next.role == WordRole::Preposition)
    };
    let kept =
        said.iter().enumerate().filter(|(at, word)| is_kept(word) && !has_lost(*at)).map(|(_, word)| word);
    let kept: Vec<&ParsedWord> = denied.chain(kept).collect();
    (kept.iter().filter(|word| !is_denial(word)).count() <= 5).then_some(kept)
}

/// "clerk to", "the capital of", "in".
fn noun(words: &[ParsedWord]) -> Option<Vec<&ParsedWord>> {
    let words = trim(words, |role| role == WordRole::Determiner);
    let (last, before) = words.split_last()?;
    if last.role != WordRole::Preposition
        || before.iter().any(|w| !matches!(w.role, WordRole::Adjective | WordRole::Noun))
    {
        return None;
    }
    let noun = before.last().filter(|word| word.role == WordRole::Noun);
    (before.len() <= 3).then(|| noun.into_iter().chain(std::iter::once(last)).collect())
}
