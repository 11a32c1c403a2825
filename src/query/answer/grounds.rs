//! What cited records rest on: their text units, what they say there in their own words, and what claims quote.

use super::passages::{Ground, Grounds, Sentence, best_sentence, headings_at, meaning, sentences_of};
use super::statements::Statement;
use crate::domain::LibraryEntry;
use crate::domain::{
    Claim, Community, Entity, Finding, Id, Record, RecordKind, RecordRef, Relationship, SourceSentence,
    StoredUnit,
};
use crate::query::question::flatten;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Text units looked through for one cited record.
const UNITS: usize = 12;
/// Records that a report's citation is followed to.
const RECORDS: usize = 12;
/// Findings of a report that may be what an answer repeats.
const FINDINGS: usize = 1;
/// Members whose text units are looked through where a report's finding cites nothing.
const MEMBERS: usize = 8;

/// All that cited records rest on.
#[derive(Default)]
pub(super) struct Support {
    communities: BTreeMap<Id, Community>,
    entities: BTreeMap<Id, Entity>,
    relationships: BTreeMap<Id, Relationship>,
    claims: BTreeMap<Id, Claim>,
    answers: BTreeMap<Id, LibraryEntry>,
    units_of: BTreeMap<Id, Vec<Id>>,
    units: BTreeMap<Id, StoredUnit>,
}

/// A cited record with the statement that cites it.
pub(super) type Cited<'a> = (RecordKind, &'a Id, Statement<'a>);

impl Support {
    /// Reads it for all cited records at once.
    ///
    /// # Errors
    /// What the store says.
    pub(super) async fn read(reader: &dyn GraphReader, cited: &[Cited<'_>]) -> Result<Self> {
        let mut wanted: BTreeMap<RecordKind, BTreeSet<Id>> = BTreeMap::new();
        for (kind, id, _) in cited {
            wanted.entry(*kind).or_default().insert((*id).clone());
        }
        let mut support = Self::default();
        let reports = list(wanted.remove(&RecordKind::Reports));
        if !reports.is_empty() {
            for community in reader.communities_by_id(&reports).await? {
                support.communities.insert(community.id.clone(), community);
            }
        }
        for (_, id, statement) in cited.iter().filter(|(kind, ..)| *kind == RecordKind::Reports) {
            let records =
                support.report_rests_on(id, *statement).into_iter().flat_map(|(_, records)| records);
            for record in records {
                wanted.entry(record.kind).or_default().insert(record.id);
            }
        }
        let claims = list(wanted.remove(&RecordKind::Claims));
        if !claims.is_empty() {
            for claim in reader.claims_by_id(&claims).await? {
                support.claims.insert(claim.id.clone(), claim);
            }
        }
        let answers = list(wanted.remove(&RecordKind::Answers));
        if !answers.is_empty() {
            for entry in reader.library_entries(&answers).await? {
                let units = entry.citations.iter().map(|cited| cited.text_unit.clone());
                wanted.entry(RecordKind::Sources).or_default().extend(units);
                support.answers.insert(entry.id.clone(), entry);
            }
        }
        support.read_graph(reader, wanted).await
    }

    async fn read_graph(
        mut self,
        reader: &dyn GraphReader,
        mut wanted: BTreeMap<RecordKind, BTreeSet<Id>>,
    ) -> Result<Self> {
        let mut entities = wanted.remove(&RecordKind::Entities).unwrap_or_default();
        let relationships = list(wanted.remove(&RecordKind::Relationships));
        if !relationships.is_empty() {
            for relationship in reader.relationships_by_id(&relationships).await? {
                entities.extend([relationship.source.clone(), relationship.target.clone()]);
                self.relationships.insert(relationship.id.clone(), relationship);
            }
            self.units_of.extend(reader.units_of_relationships(&relationships, UNITS).await?);
        }
        let entities = list(Some(entities));
        if !entities.is_empty() {
            for entity in reader.entities_by_id(&entities).await? {
                self.entities.insert(entity.id.clone(), entity);
            }
            for edge in reader.mentions_of_entities(&entities, UNITS).await? {
                self.units_of.entry(edge.entity).or_default().push(edge.text_unit);
            }
        }
        let mut units = wanted.remove(&RecordKind::Sources).unwrap_or_default();
        units.extend(self.units_of.values().flatten().cloned());
        units.extend(self.claims.values().map(|claim| claim.text_unit.clone()));
        for unit in reader.text_units_by_id(&list(Some(units))).await? {
            self.units.insert(unit.unit.id.clone(), unit);
        }
        Ok(self)
    }

    /// What stands behind a report where a statement cites it: of the findings that say it best the words, and what they
    /// cite; the summary and the first members where no finding says it, or that cites nothing.
    fn report_rests_on(&self, id: &Id, statement: Statement<'_>) -> Vec<(String, Vec<RecordRef>)> {
        let Some(community) = self.communities.get(id) else { return Vec::new() };
        let report = &community.report;
        let said: Vec<BTreeSet<String>> = report
            .findings
            .iter()
            .map(|finding| meaning(&format!("{} {}", finding.summary, finding.explanation)))
            .collect();
        let wanted = [(statement.sentence, 1.0), (statement.before, 0.5), (statement.listed, 0.5)];
        let wanted: Vec<(BTreeSet<String>, f64)> =
            wanted.map(|(part, weight)| (meaning(part), weight)).into();
        let rarity = |term: &String| {
            let held = said.iter().filter(|terms| terms.contains(term)).count() as f64;
            (1.0 + said.len() as f64 / (1.0 + held)).ln()
        };
        let score = |terms: &BTreeSet<String>| -> f64 {
            let of = |(part, weight): &(BTreeSet<String>, f64)| {
                weight * part.intersection(terms).map(rarity).sum::<f64>()
            };
            wanted.iter().map(of).sum::<f64>() / (20.0 + terms.len() as f64).sqrt()
        };
        let mut scored: Vec<(f64, &Finding)> = said.iter().map(score).zip(&report.findings).collect();
        scored.retain(|(score, _)| *score > 0.0);
        // a stable order: of equal ones the first
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let members = || {
            let members = community.members.iter().take(MEMBERS);
            members.map(|id| RecordRef { kind: RecordKind::Entities, id: id.clone() }).collect()
        };
        if scored.is_empty() {
            let words: Vec<&str> = report.findings.iter().map(|finding| finding.summary.as_str()).collect();
            return vec![(format!("{} {}", report.summary, words.join(" ")), members())];
        }
        let rests_on = |finding: &Finding| {
            let records = finding.citations.iter().filter(|record| record.kind != RecordKind::Reports);
            let records: Vec<RecordRef> = records.take(RECORDS).cloned().collect();
            let words = format!("{} {}", finding.summary, finding.explanation);
            (words, if records.is_empty() { members() } else { records })
        };
        scored.into_iter().take(FINDINGS).map(|(_, finding)| rests_on(finding)).collect()
    }

    fn entity_names(&self, id: &Id) -> Vec<String> {
        let Some(entity) = self.entities.get(id) else { return Vec::new() };
        std::iter::once(&entity.name).chain(&entity.aliases).map(|name| flatten(name)).collect()
    }

    /// What an entity or a relationship says in a text unit: the descriptions of its records there, of all of it where
    /// none is kept.
    fn words_in(&self, id: &Id, unit: &StoredUnit) -> String {
        let mut words: Vec<&str> = Vec::new();
        if let Some(relationship) = self.relationships.get(id) {
            let ends = [self.entity_names(&relationship.source), self.entity_names(&relationship.target)];
            for record in &unit.state.records {
                let Record::Relationship(record) = record else { continue };
                let written = [flatten(&record.source), flatten(&record.target)];
                let [source, target] = &ends;
                let [one, other] = &written;
                if source.contains(one) && target.contains(other)
                    || source.contains(other) && target.contains(one)
                {
                    words.extend([record.kind.as_str(), record.description.as_str()]);
                }
            }
            if words.is_empty() {
                words.push(&relationship.description);
            }
        } else if let Some(entity) = self.entities.get(id) {
            let names = self.entity_names(id);
            for record in &unit.state.records {
                if let Record::Entity(record) = record
                    && names.contains(&flatten(&record.name))
                {
                    words.push(&record.description);
                }
            }
            if words.is_empty() {
                words.push(&entity.description);
            }
        }
        words.join(" ")
    }
}

/// What is read of the text units: their sentences, ready to be compared.
pub(super) struct Readings<'a> {
    support: &'a Support,
    sentences: BTreeMap<&'a Id, Vec<Sentence<'a>>>,
}

impl<'a> Readings<'a> {
    pub(super) fn new(support: &'a Support) -> Self {
        let sentences = support.units.iter().map(|(id, unit)| (id, sentences_of(&unit.unit.text))).collect();
        Self { support, sentences }
    }

    /// The sentence behind a cited record, with the headings above it. `beside` are the other records that the same
    /// statement cites: where it shares no word with a source, theirs decide.
    pub(super) fn sentence(
        &'a self,
        cited: &Cited<'_>,
        beside: &[(RecordKind, &Id)],
    ) -> (Option<SourceSentence>, Vec<String>) {
        let grounds = self.grounds(cited, beside);
        // of several findings the one whose sentence fits best
        let sentence = grounds
            .iter()
            .filter_map(|grounds| best_sentence(cited.2, grounds))
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .map(|(_, sentence)| sentence);
        let unit = sentence.as_ref().and_then(|sentence| self.support.units.get(&sentence.text_unit_id));
        let headings = match (&sentence, unit) {
            (Some(sentence), Some(unit)) => headings_at(unit, sentence.start),
            _ => Vec::new(),
        };
        (sentence, headings)
    }

    /// What a sentence is chosen from: one for each finding of a report.
    fn grounds(&'a self, cited: &Cited<'_>, beside: &[(RecordKind, &Id)]) -> Vec<Grounds<'a>> {
        let support = self.support;
        let (kind, id, statement) = *cited;
        let mut all = match kind {
            RecordKind::Reports => {
                let rests_on = support.report_rests_on(id, statement);
                rests_on.iter().map(|(words, records)| self.finding(words, records)).collect()
            }
            _ => vec![self.one(kind, id)],
        };
        // a relationship says enough by itself
        let telling = |(other, _): &&(RecordKind, &Id)| {
            kind != RecordKind::Relationships
                && matches!(other, RecordKind::Relationships | RecordKind::Claims)
        };
        for ground in all.iter_mut().flat_map(|grounds| &mut grounds.passages) {
            for (_, other) in beside.iter().filter(telling) {
                ground.beside.extend(meaning(&support.words_in(other, ground.unit)));
                if let Some(claim) = support.claims.get(other) {
                    ground.beside.extend(meaning(&claim.description));
                }
            }
        }
        all
    }

    fn one(&'a self, kind: RecordKind, id: &Id) -> Grounds<'a> {
        let mut grounds = Grounds { passages: Vec::new(), names: Vec::new(), kind };
        match (kind, self.support.claims.get(id)) {
            (RecordKind::Sources, _) => self.ground(&mut grounds, id, &BTreeSet::new(), None),
            (RecordKind::Answers, _) => {
                // the sentences that a standard answer rests on
                for cited in self.support.answers.get(id).into_iter().flat_map(|entry| &entry.citations) {
                    self.ground(&mut grounds, &cited.text_unit, &BTreeSet::new(), Some(&cited.quote));
                }
            }
            (RecordKind::Claims, Some(claim)) => {
                let words = meaning(&claim.description);
                self.ground(&mut grounds, &claim.text_unit, &words, Some(&claim.source_text));
            }
            _ => self.record(&mut grounds, id),
        }
        grounds
    }

    /// What a report's finding rests on: it speaks of some of what it cites, so that all of its words count everywhere.
    fn finding(&'a self, words: &str, records: &[RecordRef]) -> Grounds<'a> {
        let mut grounds = Grounds { passages: Vec::new(), names: Vec::new(), kind: RecordKind::Reports };
        for record in records {
            match (record.kind, self.support.claims.get(&record.id)) {
                (RecordKind::Claims, Some(claim)) => {
                    let quote = Some(claim.source_text.as_str());
                    self.ground(&mut grounds, &claim.text_unit, &BTreeSet::new(), quote);
                }
                (RecordKind::Sources, _) => self.ground(&mut grounds, &record.id, &BTreeSet::new(), None),
                _ => self.record(&mut grounds, &record.id),
            }
        }
        let words = meaning(words);
        for ground in &mut grounds.passages {
            ground.own.clone_from(&words);
        }
        grounds
    }

    /// Adds the text units of an entity or a relationship, and the names that its sentence should hold.
    fn record(&'a self, grounds: &mut Grounds<'a>, id: &Id) {
        let support = self.support;
        for unit in support.units_of.get(id).into_iter().flatten() {
            let Some(stored) = support.units.get(unit) else { continue };
            self.ground(grounds, unit, &meaning(&support.words_in(id, stored)), None);
        }
        let ends = match support.relationships.get(id) {
            Some(relationship) => vec![&relationship.source, &relationship.target],
            None => vec![id],
        };
        for names in ends.into_iter().map(|end| support.entity_names(end)).filter(|names| !names.is_empty()) {
            if !grounds.names.contains(&names) {
                grounds.names.push(names);
            }
        }
    }

    /// Adds a text unit, or what is said of one that is there.
    fn ground(
        &'a self,
        grounds: &mut Grounds<'a>,
        unit: &Id,
        own: &BTreeSet<String>,
        quote: Option<&'a str>,
    ) {
        let quote = quote.filter(|quote| !quote.trim().is_empty());
        if let Some(known) = grounds.passages.iter_mut().find(|known| known.unit.unit.id == *unit) {
            known.own.extend(own.iter().cloned());
            known.quotes.extend(quote);
        } else if let (Some(stored), Some(sentences)) =
            (self.support.units.get(unit), self.sentences.get(unit))
        {
            let quotes = quote.into_iter().collect();
            let (own, beside) = (own.clone(), BTreeSet::new());
            grounds.passages.push(Ground { unit: stored, sentences, own, beside, quotes });
        }
    }
}

fn list(ids: Option<BTreeSet<Id>>) -> Vec<Id> {
    ids.into_iter().flatten().collect()
}
