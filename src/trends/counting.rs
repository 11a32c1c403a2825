//! How often each period names an entity, a pair that is related, a community: sentences that count, each with the place
//! to quote.

use super::passages::{CountedSentence, Customs};
use super::relation::RelationshipKind;
use super::tally::{NameTally, TallyQuote};
use super::timeline::Timeline;
use crate::domain::{Community, Entity, Id};
use crate::language::words::is_han;
use crate::language::{dates, is_stop_word, sentiment, vocabulary, words};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Characters that a quoted sentence has at best.
const GOOD_LENGTH: Range<usize> = 50..280;
/// What each further member that a sentence names adds to its worth for a community.
const MEMBER: f64 = 0.5;

/// A document's part in one period, and that period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DocumentPart {
    pub(super) piece: u32,
    pub(super) period: u32,
}

/// An entity as texts name it.
#[derive(Debug)]
pub(super) struct SpelledEntity {
    pub(super) entity: Entity,
    /// Name and aliases, the longest first.
    spellings: Vec<String>,
    /// Whether it is nothing that a trend could be of: a speaker, a date, a word without meaning.
    pub(super) is_idle: bool,
    /// The smallest community that holds it.
    community: Option<u32>,
}

impl SpelledEntity {
    /// Whether it is a term, and no name.
    pub(super) fn is_term(&self) -> bool {
        let name = &self.entity.name;
        if name.chars().any(is_han) {
            return self.entity.kind == "概念";
        }
        !name.chars().any(|c| c.is_uppercase() || c.is_numeric())
    }

    /// Whether it is a term for how figures are told, of which more sentences tell only how reports are written:
    /// "constant currency".
    pub(super) fn is_measure(&self, tally: &NameTally) -> bool {
        let sentences = tally.counts.sum();
        let share = f64::from(tally.amounts) / f64::from(sentences.max(1));
        self.is_term() && sentences >= MEASURED && share >= AMOUNTS
    }

    /// The smallest community that holds it.
    pub(super) fn community(&self) -> Option<u32> {
        self.community
    }
}

/// All that is counted.
#[derive(Debug, Default)]
pub(super) struct Tallies {
    pub(super) entities: Vec<NameTally>,
    pub(super) pairs: FxHashMap<(u32, u32), NameTally>,
    pub(super) communities: FxHashMap<u32, NameTally>,
    /// By the words that watches wait for.
    pub(super) queries: Vec<NameTally>,
    /// Text units, by the numbers of quotes.
    pub(super) units: Vec<Id>,
    /// Sentences that count, by period.
    pub(super) sentences: Vec<u64>,
}

/// Tallies the sentences of text units, one after another.
#[derive(Debug)]
pub(super) struct Counter<'a> {
    customs: &'a Customs,
    named: &'a [SpelledEntity],
    by_id: FxHashMap<&'a Id, u32>,
    related: &'a FxHashMap<(u32, u32), RelationshipKind>,
    /// The entities whose sentiment is summed, besides.
    judged: &'a FxHashSet<u32>,
    /// Words that sentences are looked for by.
    queries: &'a [Vec<String>],
    /// Spellings of all that could have a trend, by their first words.
    by_first: FxHashMap<String, Spellings<'a>>,
    counts: Tallies,
}

/// Spellings that begin with one word, each with its entity. As many people as like may be called Ada: where there is a second
/// word, a text must hold it, too.
#[derive(Debug, Default)]
struct Spellings<'a> {
    of_one_word: Vec<(&'a str, u32)>,
    by_second: FxHashMap<String, Vec<(&'a str, u32)>>,
}

impl<'a> Spellings<'a> {
    /// Those that a text with these words may hold.
    fn among<'s>(&'s self, words: &BTreeSet<&str>) -> impl Iterator<Item = &'s (&'a str, u32)> {
        let few = self.by_second.len() <= words.len();
        let by_word = self.by_second.iter().filter(move |(second, _)| few && words.contains(second.as_str()));
        let by_text = words.iter().filter(move |_| !few).filter_map(|word| self.by_second.get(*word));
        let several = by_word.map(|(_, spellings)| spellings).chain(by_text.collect::<Vec<_>>());
        self.of_one_word.iter().chain(several.flatten())
    }
}

/// The spellings of what is tested and that mean one entity alone, by their first words.
fn by_first(named: &[SpelledEntity]) -> FxHashMap<String, Spellings<'_>> {
    let mut by_spelling: FxHashMap<String, Vec<(&str, u32)>> = FxHashMap::default();
    for (number, one) in (0_u32..).zip(named).filter(|(_, one)| !one.is_idle) {
        for spelling in &one.spellings {
            let lower = spelling.to_lowercase();
            if spelling.chars().nth(1).is_some() && !is_stop_word(&lower) {
                by_spelling.entry(lower).or_default().push((spelling, number));
            }
        }
    }
    let of_one = by_spelling.into_iter().filter_map(|(lower, meant)| {
        let first = *meant.first()?;
        meant.iter().all(|(_, entity)| *entity == first.1).then_some((lower, first))
    });
    by_leading_words(of_one)
}

/// Spellings, each with itself in small letters, by their first words and those by their second.
fn by_leading_words<'a>(
    spellings: impl Iterator<Item = (String, (&'a str, u32))>,
) -> FxHashMap<String, Spellings<'a>> {
    let mut by_first: FxHashMap<String, Spellings<'a>> = FxHashMap::default();
    for (lower, spelling) in spellings {
        let mut leading = leading_words(&lower);
        let Some(first) = leading.next() else { continue };
        let alike = by_first.entry(first.to_owned()).or_default();
        match leading.next() {
            Some(second) => alike.by_second.entry(second.to_owned()).or_default().push(spelling),
            None => alike.of_one_word.push(spelling),
        }
    }
    by_first
}

/// The words of a name in small letters, of one that is Chinese its first character: what [`first_words`] of a text that holds
/// the name are.
fn leading_words(lower: &str) -> impl Iterator<Item = &str> {
    lower.split(|c: char| !c.is_alphanumeric()).filter_map(|word| {
        let first = word.chars().next()?;
        if is_han(first) { word.get(..first.len_utf8()) } else { Some(word) }
    })
}

/// The words of a text in small letters that a name may begin with, each once and without its plural; a Chinese character is
/// one.
fn first_words(lower: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if word.chars().any(is_han) {
            let characters = word.char_indices().filter(|(_, c)| is_han(*c));
            found.extend(characters.filter_map(|(at, c)| word.get(at..at + c.len_utf8())));
            continue;
        }
        found.insert(word.strip_suffix('s').map_or(word, |stem| stem.strip_suffix('e').unwrap_or(stem)));
        found.insert(word.strip_suffix('s').unwrap_or(word));
        found.insert(word);
    }
    found
}

/// Entities ready to be looked for; `titles` are those of chapters and of documents in a row, in small letters.
pub(super) fn named(
    entities: Vec<Entity>,
    customs: &Customs,
    communities: &[Community],
    titles: &FxHashSet<String>,
) -> Vec<SpelledEntity> {
    let mut smallest: FxHashMap<&Id, u32> = FxHashMap::default();
    for (number, community) in (0_u32..).zip(communities) {
        for member in &community.members {
            smallest.insert(member, number);
        }
    }
    entities
        .into_iter()
        .map(|entity| {
            let mut spellings: Vec<String> =
                std::iter::once(&entity.name).chain(&entity.aliases).cloned().collect();
            spellings.sort_by_key(|name| std::cmp::Reverse(name.len()));
            let is_idle = is_idle_name(&entity.name)
                || is_measure_of_time(&entity.name)
                || titles.contains(&entity.name.to_lowercase())
                || spellings.iter().any(|name| customs.is_speaker(name));
            SpelledEntity { community: smallest.get(&entity.id).copied(), spellings, is_idle, entity }
        })
        .collect()
}

/// Whether a name is a date, a number, or a word that says nothing by itself.
fn is_idle_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let says_nothing = |word: &&str| {
        is_stop_word(word)
            || word.chars().all(|c| c.is_ascii_digit())
            || vocabulary::calendar::is_calendar(word)
            || PARTS_OF_TIME.contains(word)
    };
    words.iter().all(says_nothing)
        || dates::dates(name, crate::domain::FiscalCalendar::default())
            .first()
            .is_some_and(|found| found.range.len() * 2 > name.len())
}

/// Whether a term only tells of which time something is that every period has: "quarter revenue", "upcoming quarter".
fn is_measure_of_time(name: &str) -> bool {
    let words: Vec<&str> = name.split([' ', '-']).filter(|word| !word.is_empty()).collect();
    let is_term = !name.chars().any(|c| c.is_uppercase() || is_han(c));
    let of_quarter = words.iter().any(|word| matches!(*word, "quarter" | "quarters"));
    is_term && (2..=MEASURE).contains(&words.len()) && (of_quarter || name.starts_with("in-period "))
}

/// Sentences of a term that could be one for figures, and the share of them that tell amounts.
const MEASURED: u32 = 10;
const AMOUNTS: f64 = 0.7;

/// Whether a sentence tells a share or a sum of money: "12 percent", "$3", "40亿".
fn tells_amount(text: &str) -> bool {
    let amounts =
        ["%", "％", "percent", " million", " billion", " points", "$", "€", "£", "亿", "万", "百分"];
    text.chars().any(|c| c.is_ascii_digit() || "百一二三四五六七八九十".contains(c))
        && amounts.iter().any(|amount| text.contains(amount))
}

/// Words of a term that tells a time, at most.
const MEASURE: usize = 3;
/// Words of reporting on time, which every period has.
const PARTS_OF_TIME: [&str; 28] = [
    "next", "last", "upcoming", "previous", "prior", "current", "coming", "period", "ago", "first", "second",
    "third", "fourth", "half", "quarter", "quarters", "year", "years", "month", "months", "week", "weeks",
    "day", "days", "today", "fiscal", "fy", "thanks",
];

impl<'a> Counter<'a> {
    /// Of these entities, these pairs of them (by number, the smaller first), and the sentiment towards some of them.
    pub(super) fn new(
        customs: &'a Customs,
        named: &'a [SpelledEntity],
        related: &'a FxHashMap<(u32, u32), RelationshipKind>,
        judged: &'a FxHashSet<u32>,
        timeline: &Timeline,
    ) -> Self {
        let by_id = (0_u32..).zip(named).map(|(number, one)| (&one.entity.id, number)).collect();
        let counts = Tallies {
            entities: vec![NameTally::default(); named.len()],
            sentences: vec![0; timeline.periods.len()],
            ..Tallies::default()
        };
        Self { customs, named, by_id, related, judged, queries: &[], by_first: by_first(named), counts }
    }

    /// Tallies, besides, the sentences that hold all of some words.
    pub(super) fn waiting_for(mut self, queries: &'a [Vec<String>]) -> Self {
        self.queries = queries;
        self.counts.queries = vec![NameTally::default(); queries.len()];
        self
    }

    fn count_queries(&mut self, passage: &CountedSentence<'_>, unit: u32, place: DocumentPart) {
        if self.queries.is_empty() {
            return;
        }
        let held: FxHashSet<String> = words(passage.text).into_iter().collect();
        for (query, tally) in self.queries.iter().zip(&mut self.counts.queries) {
            let (Some(first), true) = (query.first(), query.iter().all(|word| held.contains(word))) else {
                continue;
            };
            tally.counts.add(place.piece, 1);
            tally.quotes.offer(place.period, quote(passage, unit, rate_sentence(passage.text, 0)));
            let at = passage.text.to_lowercase().find(first.as_str());
            let written = at.and_then(|at| passage.text.get(at..at + first.len())).unwrap_or(first);
            if let Some(found) = sentiment::of(passage.text, &[written]).first() {
                tally.judge(place.period, found.score, quote(passage, unit, 0.0));
            }
        }
    }

    /// Tallies one text unit and the entities that it mentions.
    pub(super) fn count(&mut self, unit: &Id, text: &str, place: DocumentPart, mentioned: &[&Id]) {
        let number = u32::try_from(self.counts.units.len()).unwrap_or(u32::MAX);
        self.counts.units.push(unit.clone());
        let passages = self.customs.passages(text);
        if let Some(sum) = self.counts.sentences.get_mut(place.period as usize) {
            *sum += passages.len() as u64;
        }
        let entities: Vec<u32> = mentioned.iter().filter_map(|id| self.by_id.get(id).copied()).collect();
        let mut spellings: Vec<(&str, u32)> = Vec::new();
        for &entity in &entities {
            let Some(named) = self.named.get(entity as usize) else { continue };
            spellings.extend(named.spellings.iter().map(|spelling| (spelling.as_str(), entity)));
        }
        // what extraction passed over here is named all the same: else what is old would seem new
        let lower = text.to_lowercase();
        let held = first_words(&lower);
        for known in held.iter().filter_map(|word| self.by_first.get(*word)) {
            spellings.extend(
                known.among(&held).filter(|(name, entity)| {
                    !entities.contains(entity) && lower.contains(&name.to_lowercase())
                }),
            );
        }
        spellings.sort_by_key(|(spelling, entity)| (std::cmp::Reverse(spelling.len()), *entity));
        let mut sums: BTreeMap<u32, u32> = BTreeMap::new();
        for passage in &passages {
            self.count_queries(passage, number, place);
            let found = names_in(passage.text, &spellings);
            if found.is_empty() {
                continue;
            }
            for (entity, _) in &found {
                *sums.entry(*entity).or_default() += 1;
            }
            self.note(passage, number, place, &found);
        }
        // a model may put a name's words in another order than the text
        for &entity in &entities {
            let Some(named) = self.named.get(entity as usize) else { continue };
            if sums.contains_key(&entity) || stands_in(text, named) {
                continue;
            }
            let holds = |passage: &&CountedSentence<'_>| holds_words(passage.text, &named.entity.name);
            if let Some(passage) = passages.iter().find(holds) {
                sums.insert(entity, 1);
                if let Some(tally) = self.counts.entities.get_mut(entity as usize) {
                    tally.quotes.offer(place.period, quote(passage, number, 0.0));
                }
            }
        }
        for (entity, sentences) in sums {
            if let Some(tally) = self.counts.entities.get_mut(entity as usize) {
                tally.counts.add(place.piece, sentences);
            }
        }
    }

    /// Quotes, pairs and communities of a sentence, and its sentiment.
    fn note(
        &mut self,
        passage: &CountedSentence<'_>,
        unit: u32,
        place: DocumentPart,
        found: &[(u32, usize)],
    ) {
        // members that the sentence names, and the first place of one
        let mut communities: BTreeMap<u32, (u32, usize)> = BTreeMap::new();
        let tells_amount = tells_amount(passage.text);
        for &(entity, at) in found {
            let named = self.named.get(entity as usize);
            if let Some(tally) = self.counts.entities.get_mut(entity as usize) {
                tally.amounts += u32::from(tells_amount);
                tally.quotes.offer(place.period, quote(passage, unit, rate_sentence(passage.text, at)));
                if let Some(named) = named.filter(|_| self.judged.contains(&entity)) {
                    let spelling = named.spellings.iter().find(|name| passage.text.contains(name.as_str()));
                    let target = spelling.unwrap_or(&named.entity.name);
                    if let Some(found) = sentiment::of(passage.text, &[target]).first() {
                        tally.judge(place.period, found.score, quote(passage, unit, 0.0));
                    }
                }
            }
            let of_named = named.filter(|named| !named.is_idle).and_then(|named| named.community);
            if let Some(community) = of_named {
                let (members, first) = communities.entry(community).or_insert((0, at));
                *members += 1;
                *first = (*first).min(at);
            }
        }
        for (community, (members, first)) in communities {
            let worth = rate_sentence(passage.text, first) + MEMBER * f64::from(members - 1);
            let tally = self.counts.communities.entry(community).or_default();
            tally.counts.add(place.piece, 1);
            tally.quotes.offer(place.period, quote(passage, unit, worth));
        }
        for (at, &(one, first)) in found.iter().enumerate() {
            for &(other, _) in found.get(at + 1..).unwrap_or_default() {
                let pair = (one.min(other), one.max(other));
                if self.related.contains_key(&pair) {
                    let tally = self.counts.pairs.entry(pair).or_default();
                    tally.counts.add(place.piece, 1);
                    tally
                        .quotes
                        .offer(place.period, quote(passage, unit, rate_sentence(passage.text, first)));
                }
            }
        }
    }

    /// What was counted.
    pub(super) fn end(mut self) -> Tallies {
        let counts = &mut self.counts;
        let others = counts.pairs.values_mut().chain(counts.communities.values_mut());
        for tally in counts.entities.iter_mut().chain(&mut counts.queries).chain(others) {
            tally.counts.settle();
        }
        self.counts
    }
}

fn quote(passage: &CountedSentence<'_>, unit: u32, worth: f64) -> TallyQuote {
    let length = u32::try_from(passage.text.chars().count()).unwrap_or(u32::MAX);
    TallyQuote { worth, unit, start: passage.start, end: passage.start.saturating_add(length) }
}

/// A sentence shows a name well that has a good length, puts it near its beginning, and asks nothing.
fn rate_sentence(text: &str, at: usize) -> f64 {
    let length = text.chars().count() * if text.chars().any(is_han) { 3 } else { 1 };
    let mut worth = 1.0 - 0.5 * at as f64 / text.len().max(1) as f64;
    if GOOD_LENGTH.contains(&length) {
        worth += 1.0;
    }
    if text.ends_with(['?', '？']) {
        worth -= 1.0;
    }
    worth
}

/// Whether any spelling stands anywhere in a text.
fn stands_in(text: &str, named: &SpelledEntity) -> bool {
    let lower = text.to_lowercase();
    named.spellings.iter().any(|name| lower.contains(&name.to_lowercase()))
}

/// Whether a sentence holds all words of a name of several, in any order.
fn holds_words(text: &str, name: &str) -> bool {
    let lower = text.to_lowercase();
    let words: FxHashSet<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let name = name.to_lowercase();
    let mut wanted = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    let several = name.split_whitespace().count() > 1;
    several && wanted.peek().is_some() && wanted.all(|word| words.contains(word))
}

/// The entities that a sentence names, each once, with the first byte of the name. A name inside of a longer one is not
/// meant.
fn names_in(text: &str, spellings: &[(&str, u32)]) -> Vec<(u32, usize)> {
    let lower = text.to_ascii_lowercase();
    let mut taken: Vec<Range<usize>> = Vec::new();
    let mut found: Vec<(u32, usize)> = Vec::new();
    for &(name, entity) in spellings {
        if name.is_empty() {
            continue;
        }
        let (within, wanted) = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            (text, name.to_owned())
        } else {
            (lower.as_str(), name.to_ascii_lowercase())
        };
        for (at, _) in within.match_indices(wanted.as_str()) {
            let Some(end) = end_of_name(within, at, at + wanted.len()) else { continue };
            if taken.iter().any(|range| range.start < end && at < range.end) {
                continue;
            }
            taken.push(at..end);
            match found.iter_mut().find(|(known, _)| *known == entity) {
                Some((_, first)) => *first = (*first).min(at),
                None => found.push((entity, at)),
            }
        }
    }
    found.sort_unstable();
    found
}

/// Where a name ends that stands by itself, an English plural included; nothing where it is a piece of a word.
fn end_of_name(text: &str, start: usize, end: usize) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() && !is_han(c);
    let before = text.get(..start)?.chars().next_back();
    let first = text.get(start..)?.chars().next()?;
    if before.is_some_and(is_word) && is_word(first) {
        return None;
    }
    let last = text.get(..end)?.chars().next_back()?;
    if !is_word(last) {
        return Some(end);
    }
    let behind = text.get(end..)?;
    ["es", "s", ""].iter().find_map(|ending| {
        let rest = behind.strip_prefix(ending)?;
        (!rest.chars().next().is_some_and(is_word)).then_some(end + ending.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_at_a_place_is_meant() {
        let check = |text: &str, spellings: &[(&str, u32)], expected: &[u32]| {
            let mut spellings = spellings.to_vec();
            spellings.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
            let found: Vec<u32> = names_in(text, &spellings).into_iter().map(|(entity, _)| entity).collect();
            assert_eq!(found, expected, "{text}");
        };
        let names = [("Office", 0), ("Office 365", 1), ("cloud", 2), ("AI", 3), ("刘备", 4)];
        check("Office 365 grew.", &names, &[1]);
        check("Office 365 and Office grew.", &names, &[0, 1]);
        check("Clouds of AIs, said nobody", &names, &[2, 3]);
        check("AIR, officer, Cloudy", &names, &[]);
        check("却说刘备走了", &names, &[4]);
    }

    #[test]
    fn a_name_is_counted_where_extraction_passed_it_over() {
        let ids = crate::domain::Ids::new("w");
        let entity = |name: &str, aliases: &[&str]| Entity {
            id: ids.entity(name),
            name: name.to_owned(),
            aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
            ..Entity::default()
        };
        let all = vec![entity("cash flow", &[]), entity("Ann Lee", &["Lee"]), entity("Bob Lee", &["Lee"])];
        let customs = Customs::default();
        let named = named(all, &customs, &[], &FxHashSet::default());
        let document = crate::domain::Document {
            id: ids.document("2023-10-24"),
            key: "2023-10-24".to_owned(),
            title: String::new(),
            content_hash: String::new(),
            character_count: 0,
            text_unit_count: 1,
            date: dates::date_of("2023-10-24", crate::domain::FiscalCalendar::default()),
            metadata: BTreeMap::new(),
            origin: None,
        };
        let mut documents = super::super::documents::TimedDocuments::default();
        documents.add(&document);
        documents.settle();
        let timeline =
            Timeline::of_dates(documents, &[], None, crate::domain::FiscalCalendar::default()).unwrap();
        let (related, judged) = (FxHashMap::default(), FxHashSet::default());
        let mut counter = Counter::new(&customs, &named, &related, &judged, &timeline);
        let unit = ids.other("u", &["1"]);
        counter.count(&unit, "Cash flows grew. Lee spoke.", DocumentPart { piece: 0, period: 0 }, &[]);
        let sums: Vec<u32> = counter.end().entities.iter().map(|tally| tally.counts.sum()).collect();
        // a name that two have is counted for neither
        assert_eq!(sums, [1, 0, 0]);
    }

    #[test]
    fn of_names_that_begin_alike_those_are_looked_for_that_a_text_can_hold() {
        let names =
            ["Ada", "Ada Miller", "Ada King", "Ada 王朗", "Ada-Lou Berg", "Ada King of York", "Ann Miller"];
        let by_first = by_leading_words(names.into_iter().map(|name| (name.to_lowercase(), (name, 0))));
        let check = |text: &str, expected: &[&str]| {
            let lower = text.to_lowercase();
            let words = first_words(&lower);
            let mut found: Vec<&str> = by_first["ada"].among(&words).map(|(name, _)| *name).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{text}");
        };
        check("Ada spoke.", &["Ada"]);
        check("The Ada Millers met Ada.", &["Ada", "Ada Miller"]);
        check("Ada 王朗说", &["Ada", "Ada 王朗"]);
        check("Ada-Lou Berg is no king", &["Ada", "Ada King", "Ada King of York", "Ada-Lou Berg"]);
        let long = format!("{} Ada King", "word after word and another ".repeat(3));
        check(&long, &["Ada", "Ada King", "Ada King of York"]);
    }

    #[test]
    fn a_term_that_figures_are_told_in_is_a_measure() {
        for text in
            ["Sales grew 12% in May.", "We paid $3 for it.", "收入增长百分之五。", "It lost 2 million."]
        {
            assert!(tells_amount(text), "{text}");
        }
        for text in ["Office 365 is here.", "Sales grew.", "第三季度很好。"] {
            assert!(!tells_amount(text), "{text}");
        }
        let named = |name: &str| {
            let entity = Entity { name: name.to_owned(), ..Entity::default() };
            named(vec![entity], &Customs::default(), &[], &FxHashSet::default()).remove(0)
        };
        let tally = |sentences: u32, amounts: u32| NameTally {
            counts: std::iter::once((0, sentences)).collect(),
            amounts,
            ..NameTally::default()
        };
        assert!(named("constant currency").is_measure(&tally(20, 16)));
        assert!(!named("constant currency").is_measure(&tally(20, 9)), "other things are said of it");
        assert!(!named("constant currency").is_measure(&tally(5, 5)), "too few to know");
        assert!(!named("Azure").is_measure(&tally(20, 20)), "a name is what the figures are of");
    }

    #[test]
    fn words_of_time_and_dates_are_no_trends() {
        for name in ["quarter", "third quarter", "FY20", "May", "2019", "the", "Q3 2019", "Thanks"] {
            assert!(is_idle_name(name), "{name}");
        }
        for name in ["quarter revenue", "in-period revenue"] {
            assert!(is_measure_of_time(name), "{name}");
        }
        for name in ["Latin Quarter", "cloud revenue", "quarterback", "five-year plan"] {
            assert!(!is_measure_of_time(name), "{name}");
        }
        for name in ["Azure", "Office 365", "cloud", "May Lee", "quarterback", "曹操"] {
            assert!(!is_idle_name(name), "{name}");
        }
    }
}
