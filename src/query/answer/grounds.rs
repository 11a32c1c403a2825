//! What cited records rest on: their text units, what they say there in their own words, and what claims quote.

use super::chains::chain;
use super::findings::{self, Behind, Communities};
use super::headings::headings_at;
use super::passages::{
    Grounds, Rarity, SentenceTerms, SupportingUnit, best_sentence, fits, meaning, sentence_at, sentences_of,
    source_of,
};
use super::statements::{Cited, CitedStatement};
use super::verbatim::{Repeated, SaidLetters};
use crate::domain::LibraryEntry;
use crate::domain::{
    Claim, Entity, Id, Record, RecordKind, RecordRef, Relationship, SourceSentence, StoredUnit,
};
use crate::language::words::is_han;
use crate::query::question::flatten;
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Text units looked through for one cited record.
const UNITS: usize = 12;
/// Share of the best record's fit from which what a finding cites may be what its clause says.
const FITS: f64 = 0.6;
/// Weight of what a record shares with the finding's clause, against what it shares with the statement.
const CLAUSE: f64 = 0.3;
/// Share of the best claim's fit to the statement alone from which a claim that the same finding cites is meant, too.
const CLAIMED: f64 = 0.8;
/// Words that are added to a record's length: short ones are not better for being short.
const TOLD: f64 = 12.0;

/// All that cited records rest on.
#[derive(Default)]
pub(super) struct Support {
    communities: Communities,
    entities: BTreeMap<Id, Entity>,
    relationships: BTreeMap<Id, Relationship>,
    claims: BTreeMap<Id, Claim>,
    answers: BTreeMap<Id, LibraryEntry>,
    repeated: Repeated,
    units_of: BTreeMap<Id, Vec<Id>>,
    units: BTreeMap<Id, StoredUnit>,
}

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
        wanted.remove(&RecordKind::Reports);
        support.communities = findings::read(reader, cited).await?;
        for behind in cited.iter().flat_map(|cited| support.behind(cited)) {
            for record in behind.records {
                wanted.entry(record.kind).or_default().insert(record.id);
            }
        }
        let candidates = Repeated::candidates(cited, &support.communities);
        let all: BTreeSet<Id> = candidates.values().flatten().cloned().collect();
        if !all.is_empty() {
            let read = reader.relationships_by_id(&list(Some(all))).await?;
            support.repeated = Repeated::among(cited, &candidates, &read);
            wanted.entry(RecordKind::Relationships).or_default().extend(support.repeated.ids().cloned());
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

    /// The texts of all that is cited.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.units.values().map(|unit| unit.unit.text.as_str())
    }

    /// What stands behind a citation of a report.
    fn behind(&self, (kind, id, statement): &Cited<'_>) -> Vec<Behind> {
        match kind {
            RecordKind::Reports => findings::behind(&self.communities, id, *statement),
            _ => Vec::new(),
        }
    }

    /// Those of the records that a finding cites which the clause that a statement repeats speaks of most, and of them
    /// those that the statement does. Where it names some in full, these.
    pub(super) fn spoken_of<'b>(
        &self,
        behind: &'b Behind,
        statement: CitedStatement<'_>,
    ) -> Vec<&'b RecordRef> {
        if behind.clause.is_empty() {
            return behind.records.iter().collect();
        }
        let (said, clause) = (meaning(statement.sentence), meaning(&behind.clause));
        let told: Vec<BTreeSet<String>> =
            behind.records.iter().map(|record| meaning(&self.words_of(record))).collect();
        let rarity = |term: &String| {
            let held = told.iter().filter(|terms| terms.contains(term)).count() as f64;
            (1.0 + told.len() as f64 / (1.0 + held)).ln()
        };
        let shared = |terms: &BTreeSet<String>, with: &BTreeSet<String>| {
            terms.intersection(with).map(rarity).sum::<f64>() / (TOLD + terms.len() as f64).sqrt()
        };
        let fits: Vec<(f64, f64)> = told
            .iter()
            .map(|terms| {
                let in_statement = shared(terms, &said);
                (CLAUSE * shared(terms, &clause) + in_statement, in_statement)
            })
            .collect();
        let most = fits.iter().map(|(fit, _)| *fit).fold(0.0, f64::max);
        let records = || behind.records.iter().zip(&fits);
        // a claim is led to by its quote: where that shares no word with the statement, what it claims must
        let is_claim = |record: &RecordRef| record.kind == RecordKind::Claims;
        let quotes_it = |record: &RecordRef| {
            let quote = self.claims.get(&record.id).map(|claim| meaning(&claim.source_text));
            quote.is_some_and(|quote| !quote.is_disjoint(&said))
        };
        let claims = records().filter(|(record, _)| is_claim(record));
        let claimed = claims.map(|(_, (_, fit))| *fit).fold(0.0, f64::max);
        let is_meant = |record: &RecordRef, (fit, in_statement): &(f64, f64)| {
            let is_told = || !is_claim(record) || *in_statement >= CLAIMED * claimed || quotes_it(record);
            *fit >= FITS * most && is_told()
        };
        records().filter(|(record, fits)| is_meant(record, fits)).map(|(record, _)| record).collect()
    }

    /// What a record says, with its names.
    fn words_of(&self, record: &RecordRef) -> String {
        let id = &record.id;
        if let Some(claim) = self.claims.get(id) {
            return format!("{} {} {}", claim.kind, claim.description, claim.source_text);
        }
        if let Some(relationship) = self.relationships.get(id) {
            let ends = [&relationship.source, &relationship.target];
            let names: Vec<String> = ends.into_iter().flat_map(|end| self.entity_names(end)).collect();
            return format!("{} {} {}", names.join(" "), relationship.kinds(), relationship.description);
        }
        if let Some(entity) = self.entities.get(id) {
            return format!("{} {}", self.entity_names(id).join(" "), entity.description);
        }
        self.units.get(id).map(|unit| unit.unit.text.clone()).unwrap_or_default()
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

#[cfg(test)]
impl Support {
    /// Of text units that entities, relationships and claims rest on.
    pub(super) fn of(units: &[StoredUnit], entities: &[Entity], claims: &[Claim]) -> Self {
        let ids: Vec<Id> = units.iter().map(|unit| unit.unit.id.clone()).collect();
        Self {
            units: units.iter().map(|unit| (unit.unit.id.clone(), unit.clone())).collect(),
            units_of: entities.iter().map(|entity| (entity.id.clone(), ids.clone())).collect(),
            entities: entities.iter().map(|entity| (entity.id.clone(), entity.clone())).collect(),
            claims: claims.iter().map(|claim| (claim.id.clone(), claim.clone())).collect(),
            ..Self::default()
        }
    }
}

/// A sentence with the headings above it.
pub(super) type Found = (Option<SourceSentence>, Vec<String>);

/// A sentence that holds words of a clause.
pub(super) struct ClauseProof {
    /// Share of the clause that it holds, from 0 to 1: of its words, by how rare they are.
    pub(super) share: f64,
    /// The same of what was known.
    pub(super) known: f64,
    pub(super) found: Found,
}

/// The clause of a finding that the statement repeats; empty where the statement stands for itself.
#[derive(Default)]
struct RepeatedClause(String);

impl RepeatedClause {
    /// The statement, with the clause around it.
    fn of<'b>(&'b self, statement: CitedStatement<'b>) -> CitedStatement<'b> {
        if self.0.is_empty() { statement } else { CitedStatement { before: &self.0, ..statement } }
    }
}

/// What is read of the text units: their sentences, ready to be compared.
pub(super) struct Readings<'a> {
    support: &'a Support,
    sentences: BTreeMap<&'a Id, Vec<SentenceTerms<'a>>>,
}

impl<'a> Readings<'a> {
    pub(super) fn new(support: &'a Support) -> Self {
        let sentences = support.units.iter().map(|(id, unit)| (id, sentences_of(&unit.unit.text))).collect();
        Self { support, sentences }
    }

    /// The sentence behind a cited record, with the headings above it. `beside` are the other records that the same
    /// statement cites: where it shares no word with a source, theirs decide.
    pub(super) fn sentence(&'a self, cited: &Cited<'_>, beside: &[(RecordKind, &Id)]) -> Found {
        let grounds = self.grounds(cited, beside);
        let passages = grounds.iter().flat_map(|(_, grounds)| &grounds.passages);
        let mut sentences = passages.flat_map(|ground| ground.sentences.iter().map(move |one| (ground, one)));
        let said = SaidLetters::of(cited.2.sentence);
        if let Some((ground, repeated)) = sentences.find(|(_, one)| !one.heading && said.repeats(one.text)) {
            let sentence = Some(source_of(ground, repeated));
            let headings = self.headings(sentence.as_ref());
            return (sentence, headings);
        }
        // of several findings the one whose sentence fits best
        let sentence = grounds
            .iter()
            .filter_map(|(statement, grounds)| best_sentence(statement.of(cited.2), grounds))
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .map(|(_, sentence)| sentence);
        let headings = self.headings(sentence.as_ref());
        (sentence, headings)
    }

    /// The sentences behind several citations of one source, in the order of the text that cites it.
    pub(super) fn of_source(&'a self, cited: &[(&Cited<'_>, &[(RecordKind, &Id)])]) -> Vec<Found> {
        let of_each = cited.iter().map(|(one, beside)| Some(self.grounds(one, beside).pop()?.1));
        let Some(grounds) = of_each.collect::<Option<Vec<Grounds<'a>>>>() else {
            return cited.iter().map(|_| (None, Vec::new())).collect();
        };
        let rows: Vec<Vec<f64>> = cited
            .iter()
            .zip(&grounds)
            .map(|(((_, _, statement), _), grounds)| fits(*statement, grounds))
            .collect();
        chain(&rows)
            .into_iter()
            .zip(&grounds)
            .map(|(place, grounds)| {
                let sentence = sentence_at(grounds, place);
                let headings = self.headings(sentence.as_ref());
                (sentence, headings)
            })
            .collect()
    }

    /// The texts that a cited record rests on.
    pub(super) fn texts(&'a self, cited: &Cited<'_>) -> Vec<&'a str> {
        let all = self.grounds(cited, &[]).into_iter().flat_map(|(_, grounds)| grounds.passages);
        all.map(|ground| ground.unit.unit.text.as_str()).collect()
    }

    /// Of the sentences that a cited record rests on the first that holds most of a clause, by its words; `known` are words
    /// that stand in what is cited already.
    pub(super) fn proof(
        &'a self,
        (kind, id): (RecordKind, &Id),
        clause: &str,
        known: &BTreeSet<String>,
    ) -> Option<ClauseProof> {
        let statement = CitedStatement { sentence: clause, ..CitedStatement::default() };
        let all = self.grounds(&(kind, id, statement), &[]);
        let pool = || all.iter().flat_map(|(_, grounds)| &grounds.passages);
        let rarity = Rarity::among(pool().flat_map(|ground| ground.sentences));
        let words = meaning(clause);
        let (share, ground, sentence) = pool()
            .flat_map(|ground| ground.sentences.iter().map(move |sentence| (ground, sentence)))
            .filter(|(_, sentence)| !sentence.heading)
            .map(|(ground, sentence)| (rarity.share(&words, &sentence.terms), ground, sentence))
            .reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        let sentence = source_of(ground, sentence);
        let headings = self.headings(Some(&sentence));
        Some(ClauseProof { share, known: rarity.share(&words, known), found: (Some(sentence), headings) })
    }

    /// The shares of what is said of an entity, its names aside, that some texts hold.
    pub(super) fn shares_beside_names(&self, id: &Id, said: &str, texts: &[&str]) -> Vec<f64> {
        let names: BTreeSet<String> =
            self.support.entity_names(id).iter().flat_map(|name| meaning(name)).collect();
        let words: BTreeSet<String> = meaning(said).difference(&names).cloned().collect();
        let units = self.support.units_of.get(id).into_iter().flatten();
        let rarity = Rarity::among(units.filter_map(|unit| self.sentences.get(unit)).flatten());
        texts.iter().map(|text| rarity.share(&words, &meaning(text))).collect()
    }

    fn headings(&self, sentence: Option<&SourceSentence>) -> Vec<String> {
        let unit = sentence.and_then(|sentence| self.support.units.get(&sentence.text_unit_id));
        match (sentence, unit) {
            (Some(sentence), Some(unit)) => headings_at(unit, sentence.start),
            _ => Vec::new(),
        }
    }

    /// What a sentence is chosen from, and the clause that it is chosen by: one for each finding of a report.
    fn grounds(
        &'a self,
        cited: &Cited<'_>,
        beside: &[(RecordKind, &Id)],
    ) -> Vec<(RepeatedClause, Grounds<'a>)> {
        let support = self.support;
        let (kind, id, statement) = *cited;
        let mut all = match kind {
            RecordKind::Reports if !support.repeated.of(id, statement).is_empty() => {
                let telling = support.repeated.of(id, statement).iter();
                telling
                    .map(|id| (RepeatedClause::default(), self.one(RecordKind::Relationships, id)))
                    .collect()
            }
            RecordKind::Reports => {
                let all = support.behind(cited).into_iter();
                all.map(|behind| (RepeatedClause(behind.clause.clone()), self.finding(&behind, statement)))
                    .collect()
            }
            _ => vec![(RepeatedClause::default(), self.one(kind, id))],
        };
        // a relationship says enough by itself
        let telling = |(other, _): &&(RecordKind, &Id)| {
            kind != RecordKind::Relationships
                && matches!(other, RecordKind::Relationships | RecordKind::Claims)
        };
        for ground in all.iter_mut().flat_map(|(_, grounds)| &mut grounds.passages) {
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

    /// What a report's finding rests on: those of the records that it cites which its clause speaks of.
    fn finding(&'a self, behind: &Behind, statement: CitedStatement<'_>) -> Grounds<'a> {
        let support = self.support;
        let records = support.spoken_of(behind, statement);
        let all_claims = records.iter().all(|record| record.kind == RecordKind::Claims);
        let kind = if all_claims { RecordKind::Claims } else { RecordKind::Reports };
        let mut grounds = Grounds { passages: Vec::new(), names: Vec::new(), kind };
        for record in records {
            match (record.kind, support.claims.get(&record.id)) {
                (RecordKind::Claims, Some(claim)) => {
                    let quote = Some(claim.source_text.as_str());
                    self.ground(&mut grounds, &claim.text_unit, &meaning(&claim.description), quote);
                }
                (RecordKind::Sources, _) => self.ground(&mut grounds, &record.id, &BTreeSet::new(), None),
                _ => self.record(&mut grounds, &record.id),
            }
        }
        // what other clauses of the finding say is not what is repeated
        let clause = meaning(&behind.clause);
        let words = meaning(&behind.words);
        for ground in &mut grounds.passages {
            // a clause of Chinese is too few pairs of characters to tell by
            if clause.is_empty() || behind.clause.chars().any(is_han) {
                ground.own.extend(words.iter().cloned());
            } else {
                ground.own.clone_from(&clause);
            }
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
            grounds.passages.push(SupportingUnit { unit: stored, sentences, own, beside, quotes });
        }
    }
}

fn list(ids: Option<BTreeSet<Id>>) -> Vec<Id> {
    ids.into_iter().flatten().collect()
}
