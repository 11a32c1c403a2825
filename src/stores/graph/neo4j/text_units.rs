//! Text units: their text, and which of them wait for a stage.

use super::Neo4jGraph;
use super::collected::Keyed;
use super::connection::{in_batches, number, sorted};
use super::documents::date_of;
use super::pinned::listed;
use super::queries::IdRow;
use crate::domain::{Id, Interval, Stage, StoredUnit, TextUnit, UnitState, date_of_section};
use crate::stores::StoreResult;
use crate::stores::graph::{TextUnitReader, TextUnitStore, UnitHeading};
use async_trait::async_trait;
use neo4rs::Query;
use serde::Deserialize;

const EXPIRE_EXTRACTION: &str = include_str!("../../../../cypher/store/expire_extraction.cypher");
const EXPIRE_EXTRACTION_FIND: &str = include_str!("../../../../cypher/store/expire_extraction_find.cypher");
const HEADINGS_WITH_MENTIONS: &str = include_str!("../../../../cypher/store/headings_with_mentions.cypher");
const PASSAGES_BY_ID: &str = include_str!("../../../../cypher/store/passages_by_id.cypher");
const PENDING_UNITS_EXTRACTION: &str =
    include_str!("../../../../cypher/store/pending_units_extraction.cypher");
const PENDING_UNITS_LINKING: &str = include_str!("../../../../cypher/store/pending_units_linking.cypher");
const RETRY_FAILED: &str = include_str!("../../../../cypher/store/retry_failed.cypher");
const RETRY_FAILED_FIND: &str = include_str!("../../../../cypher/store/retry_failed_find.cypher");
const TEXT_UNITS: &str = include_str!("../../../../cypher/store/text_units.cypher");
const TEXT_UNITS_BY_ID: &str = include_str!("../../../../cypher/store/text_units_by_id.cypher");
const TEXT_UNITS_OF: &str = include_str!("../../../../cypher/store/text_units_of.cypher");
const UNIT_HEADINGS: &str = include_str!("../../../../cypher/store/unit_headings.cypher");

/// Units made pending in one transaction.
const UNITS_PER_TRANSACTION: usize = 5_000;

/// The document of a text unit, its title, and the headings.
type Heading = Keyed<(Id, String, Vec<String>)>;

/// As [`Heading`], and what stands on the unit of what it mentions, where that is listed there.
type HeadingWithMentions = Keyed<(Id, String, Vec<String>, Option<Vec<Id>>, Option<Vec<u32>>)>;

/// A text unit as it is shown.
#[derive(Deserialize)]
struct PassageRow {
    id: Id,
    document_id: Id,
    document_key: String,
    document_title: String,
    document_date: Option<Vec<String>>,
    index: u32,
    text: String,
    token_count: u32,
    start_offset: u64,
    end_offset: u64,
    headings: Vec<String>,
    /// JSON.
    sections: Option<String>,
    /// JSON.
    locators: Option<String>,
    header: Option<String>,
    period: Option<Interval>,
}

impl PassageRow {
    fn into_stored(self) -> StoredUnit {
        StoredUnit {
            state: UnitState::default(),
            unit: TextUnit {
                id: self.id,
                document_id: self.document_id,
                index: self.index,
                text: self.text,
                token_count: self.token_count,
                start_offset: self.start_offset,
                end_offset: self.end_offset,
                headings: self.headings,
                sections: self.sections.and_then(|sections| serde_json::from_str(&sections).ok()),
                // what is not understood is no place
                locators: self
                    .locators
                    .and_then(|marks| serde_json::from_str(&marks).ok())
                    .unwrap_or_default(),
                header: self.header.unwrap_or_default(),
                period: self.period,
            },
            document_key: self.document_key,
            document_title: self.document_title,
            document_date: date_of_section(date_of(self.document_date), self.period),
        }
    }
}

#[derive(Deserialize)]
struct UnitRow {
    #[serde(flatten)]
    passage: PassageRow,
    /// JSON.
    records: String,
    extraction: Option<String>,
    error: Option<String>,
    linked: Vec<String>,
    linking_done: bool,
    records_lost: u32,
    records_pruned: u32,
    records_gleaned: u32,
}

#[async_trait]
impl TextUnitReader for Neo4jGraph {
    async fn text_units_of(&self, document: &Id) -> StoreResult<Vec<StoredUnit>> {
        let query = self.connection.query(TEXT_UNITS_OF).param("document", document.as_str());
        let mut units = self.text_units_from(vec![query]).await?;
        units.sort_unstable_by(|a, b| (a.unit.index, &a.unit.id).cmp(&(b.unit.index, &b.unit.id)));
        Ok(units)
    }

    async fn text_units_by_id(&self, ids: &[Id]) -> StoreResult<Vec<StoredUnit>> {
        let mut units = self.text_units_from(self.of_ids(TEXT_UNITS_BY_ID, ids)).await?;
        units.sort_unstable_by(|a, b| a.unit.id.cmp(&b.unit.id));
        Ok(units)
    }

    async fn passages_by_id(&self, ids: &[Id]) -> StoreResult<Vec<StoredUnit>> {
        let mut rows: Vec<PassageRow> = self.connection.read_all(self.of_ids(PASSAGES_BY_ID, ids)).await?;
        rows.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(rows.into_iter().map(PassageRow::into_stored).collect())
    }

    async fn unit_headings(&self, ids: &[Id]) -> StoreResult<Vec<UnitHeading>> {
        let rows: Vec<Heading> =
            self.connection.read_collected(self.parts_of_ids(UNIT_HEADINGS, ids)).await?;
        let unit = |Keyed { id, values: (document_id, document_title, headings) }: Heading| UnitHeading {
            id,
            document_id,
            document_title,
            headings,
        };
        let mut units: Vec<UnitHeading> = rows.into_iter().map(unit).collect();
        units.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(units)
    }

    async fn headings_with_mentions(&self, ids: &[Id]) -> StoreResult<Vec<UnitHeading>> {
        let Some(pinned) = &self.pinned else { return self.unit_headings(ids).await };
        let queries = self.parts_of_ids(HEADINGS_WITH_MENTIONS, ids);
        let rows: Vec<HeadingWithMentions> = self.connection.read_collected(queries).await?;
        let (mut units, mut mentions) = (Vec::new(), Vec::new());
        for Keyed { id, values: (document_id, document_title, headings, mentioned, records) } in rows {
            mentions.extend(listed(mentioned, records).map(|values| (id.clone(), values)));
            units.push(UnitHeading { id, document_id, document_title, headings });
        }
        pinned.mentions.keep(mentions.into_iter());
        units.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(units)
    }

    async fn text_units(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<StoredUnit>> {
        let query = self.page(TEXT_UNITS, after.map(Id::as_str), limit);
        let rows: Vec<IdRow> = self.connection.read(query).await?;
        let ids: Vec<Id> = rows.into_iter().map(|row| row.id).collect();
        self.text_units_by_id(&ids).await
    }
}

#[async_trait]
impl TextUnitStore for Neo4jGraph {
    async fn pending_units(
        &self,
        stage: Stage,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<StoredUnit>> {
        let text = match stage {
            Stage::Extraction => PENDING_UNITS_EXTRACTION,
            Stage::Linking => PENDING_UNITS_LINKING,
        };
        let query = self.connection.query(text).param("after", after.map_or("", Id::as_str));
        let rows: Vec<IdRow> = self.connection.read(query.param("limit", number(limit))).await?;
        let ids: Vec<Id> = rows.into_iter().map(|row| row.id).collect();
        self.text_units_by_id(&ids).await
    }

    async fn expire_extraction(&self, settings: &str) -> StoreResult<u64> {
        let query = self
            .connection
            .query(EXPIRE_EXTRACTION_FIND)
            .param("settings", settings)
            .param("read_elsewhere", vec![UnitState::IMPORTED, UnitState::ADOPTED]);
        self.make_pending(EXPIRE_EXTRACTION, self.connection.read(query).await?).await
    }

    async fn retry_failed(&self) -> StoreResult<u64> {
        self.make_pending(RETRY_FAILED, self.connection.read(self.connection.query(RETRY_FAILED_FIND)).await?)
            .await
    }
}

impl Neo4jGraph {
    async fn text_units_from(&self, queries: Vec<Query>) -> StoreResult<Vec<StoredUnit>> {
        let rows: Vec<UnitRow> = self.connection.read_all(queries).await?;
        let unit = |row: UnitRow| {
            let state = UnitState {
                records: self.parsed(&row.records, "records of a text unit")?,
                extraction: row.extraction,
                error: row.error,
                linked: row.linked,
                linking_done: row.linking_done,
                records_lost: row.records_lost,
                records_pruned: row.records_pruned,
                records_gleaned: row.records_gleaned,
            };
            Ok(StoredUnit { state, ..row.passage.into_stored() })
        };
        rows.into_iter().map(unit).collect()
    }

    async fn make_pending(&self, text: &str, rows: Vec<IdRow>) -> StoreResult<u64> {
        let ids = sorted(rows.into_iter().map(|row| row.id));
        let mark = |part| self.write(move || self.run_ids_once(text, part));
        in_batches(&ids, UNITS_PER_TRANSACTION, mark).await?;
        Ok(ids.len() as u64)
    }
}
