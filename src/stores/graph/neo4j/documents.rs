//! Documents: a document and its units are made what is given, or go with all they support, in one transaction.

use super::connection::{Transaction, id, in_parts, map, number, sorted};
use super::evidence::{remove_claims, remove_relationship_evidence};
use super::metadata::{property_keys, read_metadata};
use super::names::NameChanges;
use super::queries::IdRow;
use super::vectors::{clear_tombstones, save_tombstones};
use super::{Neo4jGraph, facts};
use crate::domain::{Document, DocumentStatus, Id, LocatorKind, LocatorMark, Period, TextUnit};
use crate::stores::graph::{DocumentChange, DocumentReader, DocumentStore, VectorKind};
use crate::stores::{StoreError, StoreResult};
use async_trait::async_trait;
use fail::fail_point;
use neo4rs::{BoltMap, BoltType};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const DOCUMENTS: &str = include_str!("../../../../cypher/store/documents.cypher");
const DOCUMENTS_BY_ID: &str = include_str!("../../../../cypher/store/documents_by_id.cypher");
const DOCUMENT_STATUS: &str = include_str!("../../../../cypher/store/document_status.cypher");
const DOCUMENTS_INDEXED_AT: &str = include_str!("../../../../cypher/store/documents_indexed_at.cypher");
const MARK_ENTITIES_DIRTY: &str = include_str!("../../../../cypher/store/mark_entities_dirty.cypher");
const MARK_RELATIONSHIPS_DIRTY: &str =
    include_str!("../../../../cypher/store/mark_relationships_dirty.cypher");
const REMOVE_DOCUMENTS: &str = include_str!("../../../../cypher/store/remove_documents.cypher");
const REMOVE_DOCUMENTS_UNITS: &str = include_str!("../../../../cypher/store/remove_documents_units.cypher");
const REMOVE_UNITS: &str = include_str!("../../../../cypher/store/remove_units.cypher");
const REPLACE_DOCUMENT_CHAIN: &str = include_str!("../../../../cypher/store/replace_document_chain.cypher");
const REPLACE_DOCUMENT_FIRST: &str = include_str!("../../../../cypher/store/replace_document_first.cypher");
const REPLACE_DOCUMENT_KEPT_UNITS: &str =
    include_str!("../../../../cypher/store/replace_document_kept_units.cypher");
const REPLACE_DOCUMENT_LOCK: &str = include_str!("../../../../cypher/store/replace_document_lock.cypher");
const REPLACE_DOCUMENT_NEW_UNITS: &str =
    include_str!("../../../../cypher/store/replace_document_new_units.cypher");
const REPLACE_DOCUMENT_OLD_UNITS: &str =
    include_str!("../../../../cypher/store/replace_document_old_units.cypher");
const REPLACE_DOCUMENT_REREAD_UNITS: &str =
    include_str!("../../../../cypher/store/replace_document_reread_units.cypher");
const REPLACE_DOCUMENT_SAVE: &str = include_str!("../../../../cypher/store/replace_document_save.cypher");
const REPLACE_DOCUMENT_UNCHAIN: &str =
    include_str!("../../../../cypher/store/replace_document_unchain.cypher");
const SAVE_INDEXED_AT: &str = include_str!("../../../../cypher/store/save_indexed_at.cypher");
const UNITS_EVIDENCE: &str = include_str!("../../../../cypher/store/units_evidence.cypher");

/// Documents stored in one transaction at most.
const DOCUMENTS_TOGETHER: usize = 16;
/// Their text units at most, but for a single document.
const UNITS_TOGETHER: usize = 256;

#[derive(Deserialize)]
struct OldDocument {
    key: Option<String>,
    title: Option<String>,
}

#[derive(Deserialize)]
struct StoredUnitRow {
    id: Id,
    index: u32,
    headings: Vec<String>,
    header: Option<String>,
    period: Option<String>,
}

#[derive(Deserialize)]
struct EvidenceRow {
    id: Id,
    entities: Vec<Id>,
    relationship_ids: Vec<Id>,
    records: String,
}

#[derive(Deserialize)]
struct DocumentRow {
    id: Id,
    key: String,
    title: String,
    content_hash: String,
    character_count: u64,
    text_unit_count: u32,
    date: Option<Vec<String>>,
    /// JSON.
    metadata: String,
    /// JSON.
    origin: Option<String>,
}

#[derive(Deserialize)]
struct IndexedAt {
    id: Id,
    indexed_at: String,
}

#[async_trait]
impl DocumentReader for Neo4jGraph {
    async fn documents(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<Document>> {
        let rows: Vec<DocumentRow> = self.connection.read(self.page(DOCUMENTS, after, limit)).await?;
        let mut documents = self.documents_from(rows)?;
        documents.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(documents)
    }

    async fn documents_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Document>> {
        let rows: Vec<DocumentRow> = self.connection.read_all(self.of_ids(DOCUMENTS_BY_ID, ids)).await?;
        let mut documents = self.documents_from(rows)?;
        documents.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(documents)
    }

    async fn document_status(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<DocumentStatus>> {
        let mut status: Vec<DocumentStatus> =
            self.connection.read(self.page(DOCUMENT_STATUS, after, limit)).await?;
        status.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(status)
    }

    async fn documents_indexed_at(&self, ids: &[Id]) -> StoreResult<Vec<(Id, String)>> {
        let rows: Vec<IndexedAt> = self.connection.read_all(self.of_ids(DOCUMENTS_INDEXED_AT, ids)).await?;
        let mut times: Vec<(Id, String)> = rows.into_iter().map(|row| (row.id, row.indexed_at)).collect();
        times.sort_unstable();
        Ok(times)
    }
}

#[async_trait]
impl DocumentStore for Neo4jGraph {
    async fn replace_document(&self, document: &Document, units: &[TextUnit]) -> StoreResult<DocumentChange> {
        self.write(|| self.replace_document_once(document, units)).await
    }

    async fn replace_documents(&self, documents: &[(Document, Vec<TextUnit>)]) -> StoreResult<()> {
        for group in stored_together(documents) {
            in_parts(group, |part| self.replace_group(part)).await?;
            fail_point!("document-committed");
        }
        Ok(())
    }

    async fn project_metadata(&self) -> StoreResult<()> {
        let keys = self.frequent_metadata().await?;
        self.show_metadata(&keys).await
    }

    async fn remove_documents(&self, ids: &[Id]) -> StoreResult<()> {
        for document in ids {
            self.write(|| self.remove_document_once(document)).await?;
        }
        Ok(())
    }

    async fn save_indexed_at(&self, times: &[(Id, Option<String>)]) -> StoreResult<()> {
        in_parts(times, |part| self.write(|| self.save_indexed_at_once(part))).await
    }
}

impl Neo4jGraph {
    pub(super) async fn replace_document_once(
        &self,
        document: &Document,
        units: &[TextUnit],
    ) -> StoreResult<DocumentChange> {
        let mut transaction = self.connection.begin().await?;
        let change = self.replace_in(&mut transaction, document, units).await?;
        self.commit(transaction).await?;
        Ok(change)
    }

    async fn save_indexed_at_once(&self, times: &[(Id, Option<String>)]) -> StoreResult<()> {
        let rows = times.iter().map(|(document, at)| {
            let row = map([("id", id(document)), ("indexed_at", at.as_deref().into())]);
            (document, row)
        });
        self.save_rows_once(SAVE_INDEXED_AT, rows.collect()).await
    }

    /// Stores documents in one transaction; one that is too large for it alone is named.
    pub(super) async fn replace_group(&self, documents: &[(Document, Vec<TextUnit>)]) -> StoreResult<()> {
        match (documents, self.write(|| self.replace_group_once(documents)).await) {
            ([(document, units)], Err(StoreError::TooLarge { service, reason })) => {
                let reason = format!("{} with {} text units: {reason}", document.key, units.len());
                Err(StoreError::TooLarge { service, reason })
            }
            (_, written) => written,
        }
    }

    async fn replace_group_once(&self, documents: &[(Document, Vec<TextUnit>)]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        for (document, units) in documents {
            self.replace_in(&mut transaction, document, units).await?;
        }
        self.commit(transaction).await
    }

    async fn replace_in(
        &self,
        transaction: &mut Transaction<'_>,
        document: &Document,
        units: &[TextUnit],
    ) -> StoreResult<DocumentChange> {
        let query = self.connection.query(REPLACE_DOCUMENT_LOCK).param("id", document.id.as_str());
        let old_document: Vec<OldDocument> = transaction.rows(query).await?;
        let query = self.connection.query(REPLACE_DOCUMENT_OLD_UNITS).param("id", document.id.as_str());
        let old_units: Vec<StoredUnitRow> = transaction.rows(query).await?;
        let old: BTreeMap<&Id, &StoredUnitRow> = old_units.iter().map(|unit| (&unit.id, unit)).collect();
        let given: BTreeSet<&Id> = units.iter().map(|unit| &unit.id).collect();

        let gone = sorted(old.keys().filter(|id| !given.contains(*id)).map(|id| (*id).clone()));
        self.take_units_out(transaction, &gone).await?;
        self.save_document(transaction, document).await?;

        // the order of evidence depends on key and index, the counts of periods on the days
        let stored = old_document.first();
        let renamed = stored.is_some_and(|stored| stored.key.as_ref() != Some(&document.key));
        let retitled = stored.is_some_and(|stored| stored.title.as_ref() != Some(&document.title));
        let (kept, new): (Vec<&TextUnit>, Vec<&TextUnit>) =
            units.iter().partition(|unit| old.contains_key(&unit.id));
        let is_moved = |unit: &TextUnit, stored: &StoredUnitRow| {
            stored.index != unit.index || stored.period != unit.period.map(|period| period.to_string())
        };
        let moved = kept
            .iter()
            .filter(|unit| renamed || old.get(&unit.id).is_some_and(|stored| is_moved(unit, stored)));
        mark_supported(transaction, &sorted(moved.map(|unit| unit.id.clone()))).await?;

        let rows = self.unit_rows(&kept, document)?;
        transaction.run_rows(REPLACE_DOCUMENT_KEPT_UNITS, rows).await?;
        // its records may depend on what its section is about, and it is found by that
        let reread = kept.iter().filter(|unit| {
            retitled
                || old.get(&unit.id).is_some_and(|stored| {
                    let header = stored.header.as_deref().unwrap_or_default();
                    stored.headings != unit.headings || unit.is_read_anew(header)
                })
        });
        let reread = sorted(reread.map(|unit| unit.id.clone()));
        transaction.run_ids(REPLACE_DOCUMENT_REREAD_UNITS, &reread).await?;
        let rows = self.unit_rows(&new, document)?;
        let query = self.connection.query(REPLACE_DOCUMENT_NEW_UNITS).param("document", document.id.as_str());
        transaction.run_rows_with(query, rows).await?;
        let new_ids = sorted(new.iter().map(|unit| unit.id.clone()));
        clear_tombstones(transaction, &new_ids).await?;
        if !new.is_empty() || !gone.is_empty() || kept.iter().any(|unit| old[&unit.id].index != unit.index) {
            if !old.is_empty() {
                let query =
                    self.connection.query(REPLACE_DOCUMENT_UNCHAIN).param("document", document.id.as_str());
                transaction.run(query).await?;
            }
            self.chain(transaction, &document.id, units).await?;
        }
        Ok(DocumentChange { added: new.len() as u64, kept: kept.len() as u64, removed: gone.len() as u64 })
    }

    fn unit_rows(&self, units: &[&TextUnit], document: &Document) -> StoreResult<Vec<BoltType>> {
        let rows = units.iter().map(|unit| {
            let locators = (!unit.locators.is_empty()).then(|| self.json(&unit.locators)).transpose()?;
            let sections = unit.sections.as_ref().map(|sections| self.json(sections)).transpose()?;
            Ok(unit_row(unit, document, locators, sections))
        });
        rows.collect()
    }

    async fn save_document(&self, transaction: &mut Transaction<'_>, document: &Document) -> StoreResult<()> {
        let part = |of: fn(&Period) -> String| BoltType::from(document.date.as_ref().map(of));
        let properties = map([
            ("id", id(&document.id)),
            ("workspace", self.connection.ids.workspace().into()),
            ("key", document.key.as_str().into()),
            ("title", document.title.as_str().into()),
            ("content_hash", document.content_hash.as_str().into()),
            ("character_count", number(document.character_count)),
            ("text_unit_count", number(document.text_unit_count)),
            ("date_from", part(|date| date.from.to_string())),
            ("date_to", part(|date| date.to.to_string())),
            ("date_granularity", part(|date| date.granularity.to_string())),
            ("date_written", part(|date| date.written.clone())),
            ("origin", document.origin.as_ref().map(|origin| self.json(origin)).transpose()?.into()),
            ("metadata", self.json(&document.metadata)?.into()),
            ("metadata_keys", property_keys(&document.metadata).collect()),
        ]);
        let query = self.connection.query(REPLACE_DOCUMENT_SAVE).param("id", document.id.as_str());
        transaction.run(query.param("properties", properties)).await
    }

    /// Chains the document's units, which are not chained, in the order of their indexes.
    async fn chain(
        &self,
        transaction: &mut Transaction<'_>,
        document: &Id,
        units: &[TextUnit],
    ) -> StoreResult<()> {
        let with_document = |text| self.connection.query(text).param("document", document.as_str());
        let mut ordered: Vec<&TextUnit> = units.iter().collect();
        ordered.sort_unstable_by(|a, b| (a.index, &a.id).cmp(&(b.index, &b.id)));
        if let Some(first) = ordered.first() {
            transaction.run(with_document(REPLACE_DOCUMENT_FIRST).param("first", first.id.as_str())).await?;
        }
        let rows = ordered.windows(2).filter_map(|pair| match pair {
            [unit, next] => Some(map([("id", id(&unit.id)), ("next", id(&next.id))])),
            _ => None,
        });
        transaction.run_rows(REPLACE_DOCUMENT_CHAIN, rows.collect()).await
    }

    pub(super) async fn remove_document_once(&self, document: &Id) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        let documents = std::slice::from_ref(document);
        let units: Vec<IdRow> = transaction.rows_of_ids(REMOVE_DOCUMENTS_UNITS, documents).await?;
        let units = sorted(units.into_iter().map(|row| row.id));
        self.take_tree_out(&mut transaction, document).await?;
        facts::take_out(&mut transaction, document).await?;
        self.take_units_out(&mut transaction, &units).await?;
        transaction.run_ids(REMOVE_DOCUMENTS, documents).await?;
        self.commit(transaction).await
    }

    /// Removes units with all their evidence; what they supported becomes dirty.
    pub(super) async fn take_units_out(
        &self,
        transaction: &mut Transaction<'_>,
        units: &[Id],
    ) -> StoreResult<()> {
        if units.is_empty() {
            return Ok(());
        }
        let evidence: Vec<EvidenceRow> = transaction.rows_of_ids(UNITS_EVIDENCE, units).await?;
        let entities = sorted(evidence.iter().flat_map(|unit| unit.entities.iter().cloned()));
        transaction.run_ids(MARK_ENTITIES_DIRTY, &entities).await?;
        let supports = evidence.iter().map(|unit| (&unit.id, unit.relationship_ids.as_slice()));
        remove_relationship_evidence(transaction, supports).await?;
        remove_claims(transaction, units).await?;
        let mut names = NameChanges::default();
        for unit in &evidence {
            names.add(&self.stored_records(&unit.records)?, -1);
        }
        names.apply(&self.connection.ids, transaction).await?;
        save_tombstones(transaction, VectorKind::TextUnits, units).await?;
        transaction.run_ids(REMOVE_UNITS, units).await
    }

    fn documents_from(&self, rows: Vec<DocumentRow>) -> StoreResult<Vec<Document>> {
        let document = |row: DocumentRow| {
            Ok(Document {
                metadata: read_metadata(&row.metadata, &row.key),
                id: row.id,
                key: row.key,
                title: row.title,
                content_hash: row.content_hash,
                character_count: row.character_count,
                text_unit_count: row.text_unit_count,
                date: date_of(row.date),
                origin: match &row.origin {
                    Some(origin) => self.parsed(origin, "origin of a document")?,
                    None => None,
                },
            })
        };
        rows.into_iter().map(document).collect()
    }
}

/// The date that four properties tell: first day, last day, granularity, as written.
pub(super) fn date_of(properties: Option<Vec<String>>) -> Option<Period> {
    let [from, to, granularity, written] = <[String; 4]>::try_from(properties?).ok()?;
    let (from, to, granularity) = (from.parse().ok()?, to.parse().ok()?, granularity.parse().ok()?);
    Some(Period { from, to, granularity, written })
}

/// Documents in groups for one transaction each: some files of one unit, or one that is long.
pub(super) fn stored_together(
    mut documents: &[(Document, Vec<TextUnit>)],
) -> Vec<&[(Document, Vec<TextUnit>)]> {
    let mut groups = Vec::new();
    while !documents.is_empty() {
        let mut units = 0;
        let fits = |(_, of_one): &&(Document, Vec<TextUnit>)| {
            units += of_one.len();
            units <= UNITS_TOGETHER
        };
        let count = documents.iter().take(DOCUMENTS_TOGETHER).take_while(fits).count().max(1);
        let (group, rest) = documents.split_at(count);
        groups.push(group);
        documents = rest;
    }
    groups
}

/// Marks all that these units support as dirty: their place in the order of evidence has changed.
async fn mark_supported(transaction: &mut Transaction<'_>, units: &[Id]) -> StoreResult<()> {
    let evidence: Vec<EvidenceRow> = transaction.rows_of_ids(UNITS_EVIDENCE, units).await?;
    let entities = sorted(evidence.iter().flat_map(|unit| unit.entities.iter().cloned()));
    transaction.run_ids(MARK_ENTITIES_DIRTY, &entities).await?;
    let relationships = sorted(evidence.iter().flat_map(|unit| unit.relationship_ids.iter().cloned()));
    transaction.run_ids(MARK_RELATIONSHIPS_DIRTY, &relationships).await
}

/// A text unit's properties. Pages are numbers of their own, so that a query can ask for them.
fn unit_row(
    unit: &TextUnit,
    document: &Document,
    locators: Option<String>,
    sections: Option<String>,
) -> BoltType {
    let mut row = BoltMap::with_capacity(15);
    let mut put = |key: &str, value: BoltType| row.put(key.into(), value);
    put("id", id(&unit.id));
    put("document_key", document.key.as_str().into());
    put("index", number(unit.index));
    put("text", unit.text.as_str().into());
    put("token_count", number(unit.token_count));
    put("start_offset", number(unit.start_offset));
    put("end_offset", number(unit.end_offset));
    put("headings", unit.headings.clone().into());
    put("sections", sections.into());
    put("locators", locators.into());
    put("header", Some(unit.header.as_str()).filter(|header| !header.is_empty()).into());
    put("period", unit.period.map(|period| period.to_string()).into());
    let pages = |mark: Option<&LocatorMark>| {
        let page = mark.filter(|mark| mark.locator.kind == LocatorKind::Page);
        page.and_then(|mark| i64::try_from(mark.locator.number).ok())
    };
    put("page", pages(unit.locators.first()).into());
    put("last_page", pages(unit.locators.last()).into());
    BoltType::Map(row)
}
