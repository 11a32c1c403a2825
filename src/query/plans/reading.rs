//! What plans read of the graph: in pages and by ids, each read asked of the budget before.

use super::budget::RowBudget;
use super::rows::{Cell, PlanRow, RowEvidence};
use super::states::{
    RecordStates, StateStatement, mark_given_away, mark_succeeded, states_of as told_of_states,
};
use super::time::{DaySpan, Within, days_in_text, of_document};
use super::wording::{Wording, WordingFit, is_given_away};
use crate::domain::{
    Claim, Day, Document, Entity, FiscalCalendar, Id, Ids, RecordKind, RelationItem, Relationship,
    RelationshipEvidence, kind_class,
};
use crate::language::{one_line, sentences};
use crate::stores::graph::{EntitySum, GraphReader};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Rows of one read.
const PAGE: usize = 1000;
/// Entities or relationships of one read by ids.
const BATCH: usize = 500;
/// Entities of a type that are counted to know whether most have none.
const LOOKED_AT: u64 = 20_000;
/// Bytes between a name and the wording within which a description tells who does what to whom; fewer where the record
/// has a type that says something else.
const NEAR: usize = 40;
const CLOSE: usize = 12;
/// Types of a relationship beyond which its sum may leave some out.
const SUMMED_KINDS: usize = 5;

/// Reads for one plan.
pub(super) struct PlanReader<'a> {
    pub(super) reader: &'a dyn GraphReader,
    pub(super) ids: &'a Ids,
    pub(super) calendar: FiscalCalendar,
    pub(super) budget: RowBudget,
    /// Documents that were read, by id.
    documents: BTreeMap<Id, Document>,
    /// Entities that were read, by id.
    entities: BTreeMap<Id, Arc<Entity>>,
    pub(super) types: Arc<Types<'a>>,
    /// Whether sentences are asked for the days that records do not give themselves.
    pub(super) wants_days: bool,
    /// Whether a relationship's sum may stand for its only record.
    pub(super) by_sums: bool,
}

/// The types of the graph's entities, read when they are first asked for: most questions are about no rows.
pub(super) struct Types<'a> {
    reader: &'a dyn GraphReader,
    kinds: OnceCell<Vec<String>>,
    are_few: OnceCell<bool>,
}

impl Types<'_> {
    /// All types, in code point order.
    pub(super) async fn all(&self) -> Result<&[String]> {
        let kinds = self.kinds.get_or_try_init(|| self.reader.kinds()).await?;
        Ok(kinds.as_slice())
    }

    /// Those that were read; none before.
    pub(super) fn read(&self) -> &[String] {
        self.kinds.get().map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether what has no type stands for these classes: the graph knows none of them, or at least half of its entities, of
    /// as many as are looked at, have no type.
    pub(super) async fn leave_open(&self, classes: &[String]) -> Result<bool> {
        if !self.all().await?.iter().any(|kind| classes.contains(&kind_class(kind))) {
            return Ok(true);
        }
        Ok(*self.are_few.get_or_try_init(|| self.count()).await?)
    }

    async fn count(&self) -> Result<bool> {
        let (mut typed, mut untyped) = (0, 0);
        for kind in self.all().await? {
            let count = self.reader.count_of_kind(kind, LOOKED_AT).await?;
            *(if kind.is_empty() { &mut untyped } else { &mut typed }) += count;
        }
        Ok(untyped > 0 && untyped >= typed)
    }
}

impl<'a> PlanReader<'a> {
    pub(super) fn new(
        reader: &'a dyn GraphReader,
        ids: &'a Ids,
        calendar: FiscalCalendar,
        budget: RowBudget,
    ) -> Self {
        Self {
            reader,
            ids,
            calendar,
            budget,
            documents: BTreeMap::new(),
            entities: BTreeMap::new(),
            types: Arc::new(Types { reader, kinds: OnceCell::new(), are_few: OnceCell::new() }),
            wants_days: false,
            by_sums: false,
        }
    }

    /// All entities of these classes; all where none is given, those without a type too where the graph knows none of them or
    /// types hardly any.
    pub(super) async fn entities_of(&mut self, classes: &[String]) -> Result<Vec<Id>> {
        let wanted = self.kinds_of(classes).await?;
        for kind in &wanted {
            // one more than may be read is as good as all of them
            let most = self.budget.left().saturating_add(1);
            self.budget.take(self.reader.count_of_kind(kind, most).await?, "entities")?;
        }
        let mut found = BTreeSet::new();
        for kind in wanted {
            let mut after: Option<Id> = None;
            loop {
                let page = self.reader.entities_of_kind(&kind, after.as_ref(), PAGE).await?;
                let done = page.len() < PAGE;
                after = page.last().map(|entity| entity.id.clone());
                for entity in page {
                    found.insert(entity.id.clone());
                    self.entities.insert(entity.id.clone(), Arc::new(entity));
                }
                if done {
                    break;
                }
            }
        }
        Ok(found.into_iter().collect())
    }

    /// The types of these classes, as in [`Self::entities_of`].
    async fn kinds_of(&self, classes: &[String]) -> Result<Vec<String>> {
        let is_open = self.types.leave_open(classes).await?;
        let is_wanted = |kind: &&String| {
            classes.is_empty() || is_open && kind.is_empty() || classes.contains(&kind_class(kind))
        };
        Ok(self.types.all().await?.iter().filter(is_wanted).cloned().collect())
    }

    /// The entities of these classes with one of their sums, the greatest first.
    pub(super) async fn greatest_of(
        &self,
        classes: &[String],
        sum: EntitySum,
        most: usize,
    ) -> Result<Vec<(Id, u32)>> {
        let mut found = Vec::new();
        for kind in self.kinds_of(classes).await? {
            found.extend(self.reader.greatest_of_kind(&kind, sum, most).await?);
        }
        found.sort_unstable_by(|(id, sum), (other_id, other)| (other, other_id).cmp(&(sum, id)));
        found.truncate(most);
        Ok(found)
    }

    /// These entities, by id.
    pub(super) async fn entities(&mut self, ids: &[Id]) -> Result<BTreeMap<Id, Arc<Entity>>> {
        let missing: Vec<Id> = ids.iter().filter(|id| !self.entities.contains_key(*id)).cloned().collect();
        self.budget.take(missing.len() as u64, "entities")?;
        for part in missing.chunks(BATCH) {
            for entity in self.reader.entities_by_id(part).await? {
                self.entities.insert(entity.id.clone(), Arc::new(entity));
            }
        }
        Ok(ids.iter().filter_map(|id| self.entities.get(id)).map(|e| (e.id.clone(), Arc::clone(e))).collect())
    }

    /// All relationships of these entities, each once.
    pub(super) async fn relationships(&mut self, entities: &[Id]) -> Result<Vec<Relationship>> {
        let known = self.entities(entities).await?;
        let degrees = |ids: &[Id]| -> u64 {
            ids.iter().filter_map(|id| known.get(id)).map(|e| u64::from(e.degree)).sum()
        };
        self.budget.take(degrees(entities), "relationships")?;
        let mut found: BTreeMap<Id, Relationship> = BTreeMap::new();
        for part in entities.chunks(BATCH) {
            let most = part.iter().filter_map(|id| known.get(id)).map(|entity| entity.degree).max();
            let limit = most.unwrap_or_default() as usize;
            if limit == 0 {
                continue;
            }
            for relationship in self.reader.relationships_of(part, limit).await? {
                found.insert(relationship.id.clone(), relationship);
            }
        }
        Ok(found.into_values().collect())
    }

    /// All records of relationships.
    pub(super) async fn evidence(&mut self, of: &[&Relationship]) -> Result<Vec<RelationshipEvidence>> {
        self.budget.take(of.iter().map(|r| u64::from(r.weight)).sum(), "records of relationships")?;
        let ids: Vec<Id> = of.iter().map(|relationship| relationship.id.clone()).collect();
        let mut found = Vec::new();
        for part in ids.chunks(BATCH) {
            found.extend(self.reader.evidence_of_relationships(part).await?);
        }
        Ok(found)
    }

    /// Documents of text units, by unit.
    pub(super) async fn documents_of_units(&mut self, units: &[Id]) -> Result<BTreeMap<Id, Id>> {
        let mut found = BTreeMap::new();
        for part in units.chunks(BATCH) {
            for heading in self.reader.unit_headings(part).await? {
                found.insert(heading.id, heading.document_id);
            }
        }
        let documents: BTreeSet<Id> = found.values().cloned().collect();
        self.read_documents(documents).await?;
        Ok(found)
    }

    /// Makes documents known.
    pub(super) async fn read_documents(&mut self, ids: BTreeSet<Id>) -> Result<()> {
        let missing: Vec<Id> = ids.into_iter().filter(|id| !self.documents.contains_key(id)).collect();
        self.budget.take(missing.len() as u64, "documents")?;
        for part in missing.chunks(BATCH) {
            for document in self.reader.documents_by_id(part).await? {
                self.documents.insert(document.id.clone(), document);
            }
        }
        Ok(())
    }

    /// All documents.
    pub(super) async fn all_documents(&mut self) -> Result<Vec<Id>> {
        self.budget.take(self.reader.text_counts().await?.documents, "documents")?;
        let (mut found, mut after) = (Vec::new(), None::<String>);
        loop {
            let page = self.reader.documents(after.as_deref(), PAGE).await?;
            let done = page.len() < PAGE;
            after = page.last().map(|document| document.key.clone());
            for document in page {
                found.push(document.id.clone());
                self.documents.insert(document.id.clone(), document);
            }
            if done {
                found.sort_unstable();
                return Ok(found);
            }
        }
    }

    /// Entities that were read, of these those that were.
    pub(super) fn known_entities(&self, ids: &BTreeSet<Id>) -> BTreeMap<Id, Arc<Entity>> {
        ids.iter().filter_map(|id| Some((id.clone(), Arc::clone(self.entities.get(id)?)))).collect()
    }

    /// A document that was read.
    pub(super) fn document(&self, id: &Id) -> Option<&Document> {
        self.documents.get(id)
    }

    /// First and last day of a document that was read.
    pub(super) fn date(&self, document: &Id) -> Option<(Day, Day)> {
        self.documents.get(document).and_then(of_document)
    }

    /// What records of relationships say of entities in this wording, in this span: pairs of who does it and whom it is
    /// done to, as rows of two cells.
    pub(super) async fn statements(
        &mut self,
        relationships: &[Relationship],
        wording: &Wording,
        during: &DaySpan,
    ) -> Result<Vec<StateStatement>> {
        let mut fitting: BTreeMap<&str, bool> = BTreeMap::new();
        let candidates: Vec<&Relationship> =
            relationships.iter().filter(|r| may_say(r, wording, &mut fitting)).collect();
        let (mut statements, candidates) = self.of_sums(candidates, wording);
        let ends: BTreeSet<Id> =
            candidates.iter().flat_map(|r| [r.source.clone(), r.target.clone()]).collect();
        let evidence = self.evidence(&candidates).await?;
        let keys: BTreeSet<Id> = evidence
            .iter()
            .flat_map(|found| found.items.iter().map(|(place, _)| self.ids.document(&place.document_key)))
            .collect();
        self.read_documents(keys).await?;
        let ends: Vec<Id> = ends.into_iter().collect();
        let names = if wording.written.is_empty() { BTreeMap::new() } else { self.entities(&ends).await? };
        let in_sentences = if self.wants_days || during.from.is_some() || during.to.is_some() {
            self.dates_of_sentences(&evidence).await?
        } else {
            BTreeMap::new()
        };
        let mut states: BTreeMap<String, RecordStates> = BTreeMap::new();
        let mut by_kind: BTreeMap<&str, Option<WordingFit>> = BTreeMap::new();
        let asked = told_of_states(&wording.written);
        for found in &evidence {
            let endings = self.endings(found, &mut states);
            for (place, items) in &found.items {
                let document = self.date(&self.ids.document(&place.document_key));
                for item in items {
                    let (source, target) =
                        if item.forward { (&found.low, &found.high) } else { (&found.high, &found.low) };
                    let said = DirectedRelationship {
                        kind: &item.kind,
                        description: &item.description,
                        source,
                        target,
                    };
                    let fit = *by_kind.entry(&item.kind).or_insert_with(|| wording.fits(&item.kind));
                    let fit = fit.map(|fit| (fit, item.kind.as_str()));
                    let Some((fit, words)) = fit.or_else(|| said.in_description(wording, &names)) else {
                        continue;
                    };
                    let text = format!("{} {}", item.kind, item.description);
                    let when = days_in_text(&text, self.calendar)
                        .or_else(|| in_sentences.get(&(found.id.clone(), place.text_unit.clone())).copied());
                    let within = during.holds(when, document);
                    if within == Within::No {
                        continue;
                    }
                    let (subject, object) = if fit.reversed { (target, source) } else { (source, target) };
                    let told = states_of(&mut states, item);
                    // who gave an office up is not who has it
                    let sure = fit.sure && !asked.is_ended_by(&told);
                    let is_later = |day: Day| document.or(when).is_some_and(|(_, to)| day > to);
                    let ended =
                        endings.iter().find(|ending| is_later(ending.day) && told.is_ended_by(&ending.told));
                    statements.push(StateStatement {
                        symmetric: fit.symmetric,
                        owned: told.owned(&item.kind, [source, target]).cloned(),
                        place: told.place(source, target),
                        ground: RowEvidence {
                            record: RecordKind::Relationships,
                            id: found.id.clone(),
                            text_unit: place.text_unit.clone(),
                            kind: one_line(&item.kind),
                            said: item.description.clone(),
                            words: words.to_owned(),
                            about: vec![subject.clone(), object.clone()],
                            when: when.or(document),
                            written: document,
                            dated: when.is_some(),
                            sure: sure && within == Within::Yes,
                            former: told.former,
                            superseded: ended.map(|ending| Box::new(ending.ground.clone())),
                        },
                    });
                }
            }
        }
        mark_succeeded(&mut statements);
        let owned: BTreeSet<Id> = statements.iter().filter_map(|statement| statement.owned.clone()).collect();
        if !wording.written.is_empty() && !owned.is_empty() {
            let given = self.given_away(&owned.into_iter().collect::<Vec<_>>(), during).await?;
            mark_given_away(&mut statements, &given);
        }
        Ok(statements)
    }

    /// What the sums of relationships say that have one record and say it by their type, and the relationships whose records
    /// are to be read: all, where sums may not stand for them.
    fn of_sums<'r>(
        &self,
        relationships: Vec<&'r Relationship>,
        wording: &Wording,
    ) -> (Vec<StateStatement>, Vec<&'r Relationship>) {
        if !self.by_sums || wording.written.is_empty() {
            return (Vec::new(), relationships);
        }
        let mut by_kind: BTreeMap<&str, Option<(WordingFit, RecordStates)>> = BTreeMap::new();
        let (mut statements, mut others) = (Vec::new(), Vec::new());
        for relationship in relationships {
            let said = by_kind.entry(&relationship.kind).or_insert_with(|| {
                Some((wording.fits(&relationship.kind)?, told_of_states(&relationship.kind)))
            });
            match said.as_ref().filter(|_| relationship.weight == 1) {
                Some((fit, told)) if told.is_of_no_state() => {
                    statements.push(of_sum(relationship, *fit, told, self.calendar));
                }
                _ => others.push(relationship),
            }
        }
        (statements, others)
    }

    /// The records of relationships for what their sums said: the text unit, and when it was written.
    pub(super) async fn complete<'r>(
        &mut self,
        grounds: impl Iterator<Item = &'r mut RowEvidence>,
    ) -> Result<()> {
        let grounds: Vec<&mut RowEvidence> = grounds.filter(|ground| ground.is_of_a_sum()).collect();
        let ids: BTreeSet<Id> = grounds.iter().map(|ground| ground.id.clone()).collect();
        let mut places: BTreeMap<Id, (Id, Id)> = BTreeMap::new();
        for part in ids.into_iter().collect::<Vec<_>>().chunks(BATCH) {
            for found in self.reader.evidence_of_relationships(part).await? {
                if let Some((place, _)) = found.items.first() {
                    let document = self.ids.document(&place.document_key);
                    places.insert(found.id, (place.text_unit.clone(), document));
                }
            }
        }
        self.read_documents(places.values().map(|(_, document)| document.clone()).collect()).await?;
        for ground in grounds {
            let Some((text_unit, document)) = places.get(&ground.id) else { continue };
            ground.text_unit.clone_from(text_unit);
            ground.written = self.date(document);
            ground.when = ground.when.or(ground.written);
        }
        Ok(())
    }

    /// What records of dated documents say was given away, of these entities, each with the record.
    async fn given_away(&mut self, entities: &[Id], during: &DaySpan) -> Result<Vec<(Id, RowEvidence)>> {
        let relationships = self.relationships(entities).await?;
        let kinds = |r: &Relationship| {
            let all = std::iter::once(&r.kind).chain(&r.other_kinds).chain(&r.reverse_kinds);
            all.clone().any(|kind| is_given_away(kind)) || r.other_kinds.len() >= SUMMED_KINDS
        };
        let telling: Vec<&Relationship> = relationships.iter().filter(|r| kinds(r)).collect();
        let evidence = self.evidence(&telling).await?;
        let keys = evidence.iter().flat_map(|found| found.items.iter().map(|(place, _)| place));
        let keys: BTreeSet<Id> = keys.map(|place| self.ids.document(&place.document_key)).collect();
        self.read_documents(keys).await?;
        let mut given = Vec::new();
        for found in &evidence {
            for (place, items) in &found.items {
                let Some(written) = self.date(&self.ids.document(&place.document_key)) else { continue };
                let known = during.as_of.is_none_or(|day| written.0 <= day);
                for item in items.iter().filter(|item| known && is_given_away(&item.kind)) {
                    let ground = ending(found, &place.text_unit, item, written);
                    given.extend(ground.about.first().cloned().map(|what| (what, ground)));
                }
            }
        }
        Ok(given)
    }

    /// What the sentences that name both ends say of when, for records that say nothing of it themselves: a triple has no
    /// place for a date.
    async fn dates_of_sentences(
        &mut self,
        evidence: &[RelationshipEvidence],
    ) -> Result<BTreeMap<(Id, Id), (Day, Day)>> {
        let undated = |item: &RelationItem| {
            days_in_text(&format!("{} {}", item.kind, item.description), self.calendar).is_none()
        };
        let mut wanted: Vec<(&RelationshipEvidence, &Id)> = Vec::new();
        for found in evidence {
            let places = found.items.iter().filter(|(_, items)| items.iter().any(undated));
            wanted.extend(places.map(|(place, _)| (found, &place.text_unit)));
        }
        let units: BTreeSet<Id> = wanted.iter().map(|(_, unit)| (*unit).clone()).collect();
        let ends: BTreeSet<Id> =
            wanted.iter().flat_map(|(found, _)| [found.low.clone(), found.high.clone()]).collect();
        self.budget.take(units.len() as u64, "text units")?;
        let names = self.entities(&ends.into_iter().collect::<Vec<_>>()).await?;
        let mut texts: BTreeMap<Id, String> = BTreeMap::new();
        for part in units.into_iter().collect::<Vec<_>>().chunks(BATCH) {
            let passages = self.reader.passages_by_id(part).await?;
            texts.extend(passages.into_iter().map(|passage| (passage.unit.id, passage.unit.text)));
        }
        let mut found_dates = BTreeMap::new();
        for (found, unit) in wanted {
            let Some(text) = texts.get(unit) else { continue };
            let (one, other) = (spellings(&names, &found.low), spellings(&names, &found.high));
            let date = sentences(text)
                .into_iter()
                .filter_map(|span| text.get(span))
                .filter(|sentence| {
                    [&one, &other].iter().all(|names| names.iter().any(|name| sentence.contains(*name)))
                })
                .find_map(|sentence| days_in_text(sentence, self.calendar));
            if let Some(date) = date {
                found_dates.insert((found.id.clone(), unit.clone()), date);
            }
        }
        Ok(found_dates)
    }

    /// Records of a relationship that say of a state that it is over, of dated documents, the earliest first.
    fn endings(
        &self,
        found: &RelationshipEvidence,
        states: &mut BTreeMap<String, RecordStates>,
    ) -> Vec<Ending> {
        let mut endings = Vec::new();
        if found.items.len() < 2 {
            return endings;
        }
        for (place, items) in &found.items {
            let Some(document) = self.date(&self.ids.document(&place.document_key)) else { continue };
            for item in items {
                let told = states_of(states, item);
                if told.over.is_empty() {
                    continue;
                }
                let ground = ending(found, &place.text_unit, item, document);
                endings.push(Ending { day: document.0, told, ground });
            }
        }
        endings.sort_by_key(|ending| ending.day);
        endings
    }

    /// Claims about entities.
    pub(super) async fn claims(&mut self, entities: &[Id]) -> Result<Vec<Claim>> {
        let mut found = Vec::new();
        for part in entities.chunks(BATCH) {
            let most = usize::try_from(self.budget.left()).unwrap_or(usize::MAX).saturating_add(1);
            let claims = self.reader.first_claims_of(part, most).await?;
            self.budget.take(claims.len() as u64, "claims")?;
            found.extend(claims);
        }
        Ok(found)
    }
}

/// The names that an entity goes by.
fn spellings<'a>(names: &'a BTreeMap<Id, Arc<Entity>>, id: &Id) -> Vec<&'a str> {
    let entity = names.get(id);
    entity
        .map(|e| std::iter::once(&e.name).chain(&e.aliases).map(String::as_str).collect())
        .unwrap_or_default()
}

/// A record that says that something is over.
struct Ending {
    day: Day,
    told: RecordStates,
    ground: RowEvidence,
}

/// What the sum of a relationship says that has one record.
fn of_sum(
    relationship: &Relationship,
    fit: WordingFit,
    told_of: &RecordStates,
    calendar: FiscalCalendar,
) -> StateStatement {
    let Relationship { id, source, target, kind, description, .. } = relationship;
    let (subject, object) = if fit.reversed { (target, source) } else { (source, target) };
    let when = days_in_text(&format!("{kind} {description}"), calendar);
    StateStatement {
        symmetric: fit.symmetric,
        owned: None,
        place: None,
        ground: RowEvidence {
            record: RecordKind::Relationships,
            id: id.clone(),
            text_unit: Id::from_stored(""),
            kind: one_line(kind),
            said: description.clone(),
            words: kind.clone(),
            about: vec![subject.clone(), object.clone()],
            when,
            written: None,
            dated: when.is_some(),
            sure: fit.sure,
            former: told_of.former,
            superseded: None,
        },
    }
}

/// A record that ends something, as a ground.
fn ending(
    found: &RelationshipEvidence,
    text_unit: &Id,
    item: &RelationItem,
    document: (Day, Day),
) -> RowEvidence {
    let (source, target) = if item.forward { (&found.low, &found.high) } else { (&found.high, &found.low) };
    RowEvidence {
        record: RecordKind::Relationships,
        id: found.id.clone(),
        text_unit: text_unit.clone(),
        kind: one_line(&item.kind),
        said: item.description.clone(),
        words: item.kind.clone(),
        about: vec![source.clone(), target.clone()],
        when: Some(document),
        written: Some(document),
        dated: false,
        sure: true,
        former: false,
        superseded: None,
    }
}

/// What a record says of states, read once for each wording.
fn states_of(known: &mut BTreeMap<String, RecordStates>, item: &RelationItem) -> RecordStates {
    let words = if item.kind.is_empty() { &item.description } else { &item.kind };
    known.entry(words.clone()).or_insert_with(|| told_of_states(words)).clone()
}

/// A record of a relationship with its ends.
struct DirectedRelationship<'a> {
    kind: &'a str,
    description: &'a str,
    source: &'a Id,
    target: &'a Id,
}

impl<'a> DirectedRelationship<'a> {
    /// How the record says it where its type does not, and in which words: those of the part of its description that says it
    /// best.
    fn in_description(
        &self,
        wording: &Wording,
        names: &BTreeMap<Id, Arc<Entity>>,
    ) -> Option<(WordingFit, &'a str)> {
        let of = |id: &Id| {
            let entity = names.get(id);
            entity.map(|e| std::iter::once(&e.name).chain(&e.aliases).cloned().collect()).unwrap_or_default()
        };
        let (source, target): (Vec<String>, Vec<String>) = (of(self.source), of(self.target));
        let near = if self.kind.is_empty() { NEAR } else { CLOSE };
        let fits = |text: &str| wording.fits_description(text, [&source, &target], near);
        let whole = fits(self.description)?;
        // a reader that joins what it reads of two puts its statements one behind the other
        let mut parts = self.description.split("; ").filter(|part| part.len() < self.description.len());
        let part = parts.find_map(|part| Some((fits(part).filter(|fit| fit.sure)?, part)));
        Some(part.unwrap_or((whole, self.description)))
    }
}

/// Whether a relationship's sum leaves it open that one of its records says it; types are asked for once each.
fn may_say<'a>(
    relationship: &'a Relationship,
    wording: &Wording,
    fitting: &mut BTreeMap<&'a str, bool>,
) -> bool {
    let all = std::iter::once(&relationship.kind)
        .chain(&relationship.other_kinds)
        .chain(&relationship.reverse_kinds)
        .any(|kind| *fitting.entry(kind).or_insert_with(|| wording.fits(kind).is_some()));
    let cut =
        relationship.other_kinds.len() >= SUMMED_KINDS || relationship.reverse_kinds.len() >= SUMMED_KINDS;
    all || cut
        || relationship.kind.is_empty()
        || wording.fits_description(&relationship.description, [&[], &[]], NEAR).is_some()
}

/// A mention as a ground.
pub(super) fn mention(entity: &Entity, text_unit: &Id, when: Option<(Day, Day)>, sure: bool) -> RowEvidence {
    RowEvidence {
        record: RecordKind::Sources,
        id: text_unit.clone(),
        text_unit: text_unit.clone(),
        kind: String::new(),
        said: entity.name.clone(),
        words: String::new(),
        about: vec![entity.id.clone()],
        when,
        written: when,
        dated: false,
        sure,
        former: false,
        superseded: None,
    }
}

/// A claim as a ground.
pub(super) fn claimed(claim: &Claim, when: Option<(Day, Day)>, sure: bool) -> RowEvidence {
    RowEvidence {
        record: RecordKind::Claims,
        id: claim.id.clone(),
        text_unit: claim.text_unit.clone(),
        kind: claim.kind.clone(),
        said: claim.statement(),
        words: String::new(),
        about: std::iter::once(claim.subject.clone()).chain(claim.object.clone()).collect(),
        when,
        written: when,
        dated: false,
        sure,
        former: false,
        superseded: None,
    }
}

/// Rows by the id in a column, so that what is read once for an id is given to each.
pub(super) fn rows_by_id(rows: &[PlanRow], column: usize) -> BTreeMap<&Id, Vec<&PlanRow>> {
    let mut by_id: BTreeMap<&Id, Vec<&PlanRow>> = BTreeMap::new();
    for row in rows {
        if let Some(id) = row.cells.get(column).and_then(Cell::id) {
            by_id.entry(id).or_default().push(row);
        }
    }
    by_id
}
