//! Mentions into entities: one a name key, with its most frequent spelling, its kind and the best sentence on it.

use super::NlpSettings;
use super::evidence::{describe, score};
use super::subjects::{UnitSubject, fallback_kind};
use crate::domain::EntityRecord;
use crate::language::Language;
use crate::language::mention::{MentionRank, NameKind, NameMention, ParsedSentence};
use crate::language::vocabulary::gazetteer::{is_known_organization, is_known_product};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::ops::Range;

/// Least weight of the rules behind a kind.
const LEAST_WEIGHT: u32 = 2;
/// Most that hints of weight 1 count together: "in Azure" ten times makes no place of it.
const HINTS: u32 = 2;

/// An entity of the unit.
#[derive(Debug)]
pub(super) struct UnitEntity {
    pub(super) rank: MentionRank,
    /// Times its name is written.
    pub(super) count: u32,
    pub(super) record: EntityRecord,
    spellings: Vec<(String, u32)>,
    kinds: [u32; NameKind::COUNT],
    hints: [u32; NameKind::COUNT],
    language: Language,
    best: Option<Best>,
}

/// The sentence that speaks best of an entity.
#[derive(Clone, Debug)]
struct Best {
    score: i32,
    sentence: usize,
    focus: Range<usize>,
}

/// The entities of a unit, by first occurrence: title and headings stand before the text.
#[derive(Debug, Default)]
pub(super) struct UnitEntities {
    all: Vec<UnitEntity>,
    by_key: FxHashMap<String, usize>,
}

impl UnitEntities {
    /// Place of a name.
    pub(super) fn index_of(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    pub(super) fn get(&self, index: usize) -> Option<&UnitEntity> {
        self.all.get(index)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &UnitEntity)> {
        self.all.iter().enumerate()
    }

    pub(super) fn records(&self) -> impl Iterator<Item = EntityRecord> {
        self.all.iter().map(|entity| entity.record.clone())
    }

    fn add(&mut self, mention: &NameMention, language: Language, spelled: bool) -> usize {
        let place = self.all.len();
        let index = *self.by_key.entry(mention.key.clone()).or_insert(place);
        if index == place {
            self.all.push(UnitEntity {
                rank: mention.rank,
                count: 0,
                record: EntityRecord::default(),
                spellings: Vec::new(),
                kinds: [0; NameKind::COUNT],
                hints: [0; NameKind::COUNT],
                language,
                best: None,
            });
        }
        if let Some(entity) = self.all.get_mut(index) {
            entity.take(mention, spelled);
        }
        index
    }

    /// Keeps what passes, in order.
    fn retain(&mut self, keep: &[bool]) {
        let mut index = 0;
        let mut place = vec![None; self.all.len()];
        let mut kept = 0;
        self.all.retain(|_| {
            let stays = keep.get(index).copied().unwrap_or(false);
            if let Some(slot) = place.get_mut(index).filter(|_| stays) {
                *slot = Some(kept);
                kept += 1;
            }
            index += 1;
            stays
        });
        self.by_key.retain(|_, old| match place.get(*old).copied().flatten() {
            Some(new) => {
                *old = new;
                true
            }
            None => false,
        });
    }
}

impl UnitEntity {
    fn take(&mut self, mention: &NameMention, spelled: bool) {
        self.rank = self.rank.min(mention.rank);
        for (kind, weight) in &mention.kinds {
            let sums = if *weight == 1 { &mut self.hints } else { &mut self.kinds };
            if let Some(sum) = sums.get_mut(*kind as usize) {
                *sum += weight;
            }
        }
        if mention.is_implied() && !spelled {
            return;
        }
        self.count += u32::from(!mention.is_implied());
        match self.spellings.iter_mut().find(|(spelling, _)| *spelling == mention.name) {
            Some((_, count)) => *count += 1,
            None => self.spellings.push((mention.name.clone(), 1)),
        }
    }

    /// The kind with the most weight, the first of equals; a hint alone ("from X") decides nothing.
    fn kind(&self) -> Option<NameKind> {
        let sums = self.kinds.iter().zip(&self.hints).map(|(sum, hints)| sum + hints.min(&HINTS));
        let (index, weight) = sums.enumerate().max_by_key(|(index, weight)| (*weight, Reverse(*index)))?;
        NameKind::from_index(index)
            .filter(|kind| weight >= LEAST_WEIGHT || *kind == NameKind::Concept && weight > 0)
    }

    /// Whether more than hints say what it is.
    fn is_kind_sure(&self) -> bool {
        self.kinds.iter().any(|weight| *weight > 0)
    }

    fn name(&self) -> &str {
        let most = self.spellings.iter().max_by(|(a, n), (b, m)| n.cmp(m).then_with(|| b.cmp(a)));
        most.map_or("", |(spelling, _)| spelling)
    }
}

/// Entities of all mentions that are worth a node.
pub(super) fn collect(
    text: &str,
    subjects: &[UnitSubject],
    sentences: &[ParsedSentence],
    settings: &NlpSettings,
) -> UnitEntities {
    let mut entities = UnitEntities::default();
    for subject in subjects {
        entities.add(&subject.mention, subject.language, true);
        if let Some(full) = &subject.full {
            entities.add(full, subject.language, true);
        }
    }
    for (index, sentence) in sentences.iter().enumerate() {
        for mention in &sentence.mentions {
            let entity = entities.add(mention, sentence.language, false);
            let score = score(text, sentence, mention);
            if let Some(entity) = entities.all.get_mut(entity)
                && entity.best.as_ref().is_none_or(|best| best.score < score)
            {
                entity.best = Some(Best { score, sentence: index, focus: mention.range.clone() });
            }
        }
    }
    complete(text, subjects, sentences, &mut entities);
    inherit_kinds(&mut entities);
    let keep = chosen(&entities, settings);
    entities.retain(&keep);
    entities
}

/// Fills in the records.
fn complete(text: &str, subjects: &[UnitSubject], sentences: &[ParsedSentence], entities: &mut UnitEntities) {
    for entity in &mut entities.all {
        let sentence =
            entity.best.as_ref().and_then(|best| Some((sentences.get(best.sentence)?, &best.focus)));
        entity.record = EntityRecord {
            name: entity.name().to_owned(),
            kind: entity.kind().map_or("", |kind| kind.label(entity.language)).to_owned(),
            description: sentence.map_or_else(String::new, |(s, focus)| describe(text, s, focus)),
            aliases: Vec::new(),
            sentiment: None,
        };
    }
    // a title that the text does not repeat is described by how the text begins
    let opening = sentences.iter().find(|s| s.range.len() >= 40).or_else(|| sentences.first());
    let opening = opening.map_or_else(String::new, |s| describe(text, s, &(s.range.start..s.range.start)));
    for subject in subjects {
        let Some(entity) = entities.index_of(&subject.mention.key).and_then(|i| entities.all.get_mut(i))
        else {
            continue;
        };
        if entity.record.description.is_empty() {
            entity.record.description.clone_from(&opening);
        }
        if let Some(kind) = fallback_kind(subject).filter(|_| entity.record.kind.is_empty()) {
            kind.label(subject.language).clone_into(&mut entity.record.kind);
        }
        let record = entity.record.clone();
        let full = subject.full.as_ref().and_then(|full| entities.index_of(&full.key));
        if let Some(entity) =
            full.and_then(|i| entities.all.get_mut(i)).filter(|e| e.record.description.is_empty())
        {
            entity.record.description = record.description;
            entity.record.kind = record.kind;
        }
    }
}

/// A name of which nothing is said has the kind of the longer one that it is a part of ("Herbst" of "Manasse Herbst"), or
/// that of the product that its first word names ("Surface Go"). A listed company is a person where a full name ends so
/// ("Ford" of "Henry Ford").
fn inherit_kinds(entities: &mut UnitEntities) {
    let mut by_end: FxHashMap<String, String> = FxHashMap::default();
    let mut products: FxHashSet<String> = FxHashSet::default();
    let mut by_surname: FxHashSet<String> = FxHashSet::default();
    let person = NameKind::Person.label(Language::English);
    for entity in entities.all.iter().filter(|entity| !entity.record.kind.is_empty()) {
        let words: Vec<&str> = entity.record.name.split(' ').collect();
        match words[..] {
            [word] if entity.record.kind == NameKind::Product.label(Language::English) => {
                products.insert(word.to_owned());
            }
            [first, .., last] if entity.is_kind_sure() => {
                if entity.record.kind == person {
                    by_surname.insert(last.to_owned());
                }
                for word in [last, first] {
                    by_end.entry(word.to_owned()).or_insert_with(|| entity.record.kind.clone());
                }
            }
            _ => {}
        }
    }
    let names =
        entities.all.iter_mut().filter(|e| e.rank == MentionRank::Name && e.language == Language::English);
    for entity in names {
        let name = &entity.record.name;
        if entity.is_kind_sure() {
            let is_listed = |lower: &str| is_known_organization(lower) || is_known_product(lower);
            if by_surname.contains(name.as_str()) && is_listed(&name.to_lowercase()) {
                person.clone_into(&mut entity.record.kind);
            }
            continue;
        }
        match name.split_once(' ') {
            Some((first, _)) if products.contains(first) => {
                NameKind::Product.label(Language::English).clone_into(&mut entity.record.kind);
            }
            None => {
                if let Some(kind) = by_end.get(name.as_str()) {
                    entity.record.kind.clone_from(kind);
                }
            }
            Some(_) => {}
        }
    }
}

/// Which entities stay: those of the wanted types, at most so many, subjects and names first, then the frequent ones.
fn chosen(entities: &UnitEntities, settings: &NlpSettings) -> Vec<bool> {
    let wanted = |entity: &UnitEntity| {
        entity.rank == MentionRank::Subject
            || settings.entity_types.is_empty()
            || settings.entity_types.iter().any(|kind| kind.eq_ignore_ascii_case(&entity.record.kind))
    };
    let mut order: Vec<usize> = entities.iter().filter(|(_, e)| wanted(e)).map(|(index, _)| index).collect();
    order.sort_by_key(|index| entities.get(*index).map(|e| (e.rank, Reverse(e.count), *index)));
    let mut keep = vec![false; entities.all.len()];
    for index in order.into_iter().take(settings.entity_limit.max(1)) {
        if let Some(slot) = keep.get_mut(index) {
            *slot = true;
        }
    }
    keep
}
