//! Reads: what a query sees. Every list is sorted here, whatever order the server gave it.

use super::connection::{number, sorted, texts};
use super::{Neo4jGraph, communities, facts, trees};
use crate::domain::{
    Claim, ClaimStatus, Community, Counts, Document, DocumentFacts, DocumentStatus, Edit, EditKind, Entity,
    Id, LedgerRow, LineageStep, Place, Relationship, Stale, StaleMarks, StoredUnit, TextUnit, TreeNode,
    UnitState, Verdict, Worker,
};
use crate::stores::graph::{
    Clustered, EdgeList, GdsRequest, GraphReader, MentionEdge, UnitHeading, WorkspaceState,
};
use crate::stores::{StoreError, StoreResult};
use async_trait::async_trait;
use neo4rs::{BoltType, Query};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use std::collections::BTreeMap;

const STATE: &str = include_str!("../../../../cypher/store/state.cypher");
const COUNTS: &str = include_str!("../../../../cypher/store/counts.cypher");
const DOCUMENTS: &str = include_str!("../../../../cypher/store/documents.cypher");
const DOCUMENTS_BY_ID: &str = include_str!("../../../../cypher/store/documents_by_id.cypher");
const DOCUMENT_STATUS: &str = include_str!("../../../../cypher/store/document_status.cypher");
const TEXT_UNITS_OF: &str = include_str!("../../../../cypher/store/text_units_of.cypher");
const TEXT_UNITS_BY_ID: &str = include_str!("../../../../cypher/store/text_units_by_id.cypher");
const PASSAGES_BY_ID: &str = include_str!("../../../../cypher/store/passages_by_id.cypher");
const UNIT_HEADINGS: &str = include_str!("../../../../cypher/store/unit_headings.cypher");
const TEXT_UNITS: &str = include_str!("../../../../cypher/store/text_units.cypher");
const ENTITIES: &str = include_str!("../../../../cypher/store/entities.cypher");
const ENTITIES_BY_ID: &str = include_str!("../../../../cypher/store/entities_by_id.cypher");
const RELATIONSHIPS: &str = include_str!("../../../../cypher/store/relationships.cypher");
const RELATIONSHIPS_BY_ID: &str = include_str!("../../../../cypher/store/relationships_by_id.cypher");
const EDGE_LIST_NODES: &str = include_str!("../../../../cypher/store/edge_list_nodes.cypher");
const EDGE_LIST_EDGES: &str = include_str!("../../../../cypher/store/edge_list_edges.cypher");
const RELATIONSHIPS_OF: &str = include_str!("../../../../cypher/store/relationships_of.cypher");
const UNITS_OF_RELATIONSHIPS: &str = include_str!("../../../../cypher/store/units_of_relationships.cypher");
const MENTIONS_OF_ENTITIES: &str = include_str!("../../../../cypher/store/mentions_of_entities.cypher");
const MENTIONS_IN_UNITS: &str = include_str!("../../../../cypher/store/mentions_in_units.cypher");
const CLAIMS: &str = include_str!("../../../../cypher/store/claims.cypher");
const CLAIMS_BY_ID: &str = include_str!("../../../../cypher/store/claims_by_id.cypher");
const CLAIMS_OF: &str = include_str!("../../../../cypher/store/claims_of.cypher");
const COMMUNITIES_OF: &str = include_str!("../../../../cypher/store/communities_of.cypher");
const RESOLUTION: &str = include_str!("../../../../cypher/store/resolution.cypher");
const RESOLVED: &str = include_str!("../../../../cypher/store/resolved.cypher");
const EDITS: &str = include_str!("../../../../cypher/store/edits.cypher");

/// Ids of one message: statements over more are sent side by side.
const IDS_PER_MESSAGE: usize = 200;
/// Ids beyond which one large message costs less than many small ones.
const IDS_SIDE_BY_SIDE: usize = 1_600;

#[derive(Deserialize)]
pub(super) struct IdRow {
    pub(super) id: Id,
}

#[derive(Deserialize)]
struct StateRow {
    generation: u64,
    /// JSON.
    settings: String,
}

#[derive(Deserialize)]
struct CountsRow {
    documents: u64,
    text_units: u64,
    all_entities: u64,
    new_entities: u64,
    all_relationships: u64,
    new_relationships: u64,
    claims: u64,
    communities: u64,
    reports: u64,
    atomic_facts: u64,
}

#[derive(Deserialize)]
struct DocumentRow {
    id: Id,
    key: String,
    title: String,
    content_hash: String,
    character_count: u64,
    text_unit_count: u32,
    /// JSON.
    metadata: String,
}

/// A text unit as it is shown.
#[derive(Deserialize)]
struct PassageRow {
    id: Id,
    document_id: Id,
    document_key: String,
    document_title: String,
    index: u32,
    text: String,
    token_count: u32,
    start_offset: u64,
    end_offset: u64,
    headings: Vec<String>,
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
}

#[derive(Deserialize)]
struct SupportRow {
    id: Id,
    #[serde(flatten)]
    place: Place,
}

#[derive(Deserialize)]
struct MentionsRow {
    id: Id,
    /// What stands at the other ends, side by side with how often.
    mentioned: Vec<Id>,
    records: Vec<u32>,
}

#[derive(Deserialize)]
struct ClaimRow {
    id: Id,
    text_unit: Id,
    subject: Id,
    object: Option<Id>,
    kind: String,
    status: String,
    description: String,
    start_date: String,
    end_date: String,
    source_text: String,
}

#[derive(Deserialize)]
struct CommunityOfRow {
    entity: Id,
    level: u32,
    community: Id,
}

#[derive(Deserialize)]
struct AliasRow {
    key: String,
    canonical: String,
}

#[derive(Deserialize)]
struct EditRow {
    id: Id,
    sequence: u64,
    /// JSON.
    edit: String,
}

/// An entity under the number that the server has for it while we read.
#[derive(Deserialize)]
struct NodeRow {
    node: i64,
    id: Id,
}

#[derive(Deserialize)]
struct EdgesRow {
    node: i64,
    others: Vec<i64>,
    weights: Vec<u32>,
    strengths: Vec<u32>,
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
            },
            document_key: self.document_key,
            document_title: self.document_title,
        }
    }
}

#[async_trait]
impl GraphReader for Neo4jGraph {
    async fn state(&self) -> StoreResult<WorkspaceState> {
        let rows: Vec<StateRow> = self.connection.read(self.connection.query(STATE)).await?;
        let Some(row) = rows.into_iter().next() else { return Ok(WorkspaceState::default()) };
        let settings = self.parsed(&row.settings, "settings")?;
        Ok(WorkspaceState { generation: self.pinned.unwrap_or(row.generation), settings })
    }

    async fn counts(&self) -> StoreResult<Counts> {
        let generation = self.generation().await?;
        let query = self.connection.query(COUNTS).param("generation", number(generation));
        let rows: Vec<CountsRow> = self.connection.read(query).await?;
        let Some(row) = rows.into_iter().next() else { return Ok(Counts::default()) };
        Ok(Counts {
            documents: row.documents,
            text_units: row.text_units,
            entities: row.all_entities.saturating_sub(row.new_entities),
            relationships: row.all_relationships.saturating_sub(row.new_relationships),
            claims: row.claims,
            communities: row.communities,
            reports: row.reports,
            atomic_facts: row.atomic_facts,
        })
    }

    async fn stale(&self, marks: &StaleMarks) -> StoreResult<Stale> {
        self.count_stale(marks, self.generation().await?).await
    }

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

    async fn text_units_of(&self, document: &Id) -> StoreResult<Vec<StoredUnit>> {
        let query = self.connection.query(TEXT_UNITS_OF).param("document", document.as_str());
        let mut units = self.units(vec![query]).await?;
        units.sort_unstable_by(|a, b| (a.unit.index, &a.unit.id).cmp(&(b.unit.index, &b.unit.id)));
        Ok(units)
    }

    async fn text_units_by_id(&self, ids: &[Id]) -> StoreResult<Vec<StoredUnit>> {
        let mut units = self.units(self.of_ids(TEXT_UNITS_BY_ID, ids)).await?;
        units.sort_unstable_by(|a, b| a.unit.id.cmp(&b.unit.id));
        Ok(units)
    }

    async fn passages_by_id(&self, ids: &[Id]) -> StoreResult<Vec<StoredUnit>> {
        let mut rows: Vec<PassageRow> = self.connection.read_all(self.of_ids(PASSAGES_BY_ID, ids)).await?;
        rows.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(rows.into_iter().map(PassageRow::into_stored).collect())
    }

    async fn unit_headings(&self, ids: &[Id]) -> StoreResult<Vec<UnitHeading>> {
        let mut units: Vec<UnitHeading> = self.connection.read_all(self.of_ids(UNIT_HEADINGS, ids)).await?;
        units.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(units)
    }

    async fn text_units(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<StoredUnit>> {
        let query = self.page(TEXT_UNITS, after.map(Id::as_str), limit);
        let rows: Vec<IdRow> = self.connection.read(query).await?;
        let ids: Vec<Id> = rows.into_iter().map(|row| row.id).collect();
        self.text_units_by_id(&ids).await
    }

    async fn entities(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Entity>> {
        self.read_entities(vec![self.page(ENTITIES, after.map(Id::as_str), limit)]).await
    }

    async fn entities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Entity>> {
        self.read_entities(self.of_ids(ENTITIES_BY_ID, ids)).await
    }

    async fn relationships(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Relationship>> {
        self.read_relationships(vec![self.page(RELATIONSHIPS, after.map(Id::as_str), limit)]).await
    }

    async fn edge_list(&self) -> StoreResult<EdgeList> {
        let nodes: Vec<NodeRow> = self.connection.read(self.connection.query(EDGE_LIST_NODES)).await?;
        let edges: Vec<EdgesRow> = self.connection.read(self.connection.query(EDGE_LIST_EDGES)).await?;
        Ok(edge_list(nodes, edges))
    }

    async fn relationships_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Relationship>> {
        self.read_relationships(self.of_ids(RELATIONSHIPS_BY_ID, ids)).await
    }

    async fn relationships_of(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<Relationship>> {
        self.read_relationships(with(self.of_ids(RELATIONSHIPS_OF, entities), "limit", &number(limit))).await
    }

    async fn units_of_relationships(&self, ids: &[Id], limit: usize) -> StoreResult<Vec<(Id, Vec<Id>)>> {
        let queries = with(self.of_ids(UNITS_OF_RELATIONSHIPS, ids), "limit", &number(limit));
        let mut rows: Vec<SupportRow> = self.connection.read_all(queries).await?;
        rows.sort_unstable_by(|a, b| (&a.id, &a.place).cmp(&(&b.id, &b.place)));
        let mut units: Vec<(Id, Vec<Id>)> = Vec::new();
        for row in rows {
            match units.last_mut() {
                Some((relationship, list)) if *relationship == row.id => list.push(row.place.text_unit),
                _ => units.push((row.id, vec![row.place.text_unit])),
            }
        }
        Ok(units)
    }

    async fn mentions_of_entities(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<MentionEdge>> {
        let queries = with(self.of_ids(MENTIONS_OF_ENTITIES, entities), "limit", &number(limit));
        let edge =
            |entity: &Id, text_unit: Id, records| MentionEdge { text_unit, entity: entity.clone(), records };
        let mut mentions = self.read_mentions(queries, edge).await?;
        mentions.sort_unstable_by(|a, b| {
            a.entity
                .cmp(&b.entity)
                .then(b.records.cmp(&a.records))
                .then_with(|| a.text_unit.cmp(&b.text_unit))
        });
        Ok(mentions)
    }

    async fn mentions_in_units(&self, text_units: &[Id]) -> StoreResult<Vec<MentionEdge>> {
        let queries = self.of_ids(MENTIONS_IN_UNITS, text_units);
        let edge = |text_unit: &Id, entity: Id, records| MentionEdge {
            text_unit: text_unit.clone(),
            entity,
            records,
        };
        let mut mentions = self.read_mentions(queries, edge).await?;
        mentions.sort_unstable();
        Ok(mentions)
    }

    /// All that the units mention, then what is asked for: entities sent along would have each unit looked at once a
    /// message of theirs, and the server reads every mention's entity either way.
    async fn mentions_between(&self, text_units: &[Id], entities: &[Id]) -> StoreResult<Vec<MentionEdge>> {
        if entities.is_empty() {
            return Ok(Vec::new());
        }
        let entities: FxHashSet<&Id> = entities.iter().collect();
        let mut mentions = self.mentions_in_units(text_units).await?;
        mentions.retain(|edge| entities.contains(&edge.entity));
        Ok(mentions)
    }

    async fn claims(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Claim>> {
        self.read_claims(vec![self.page(CLAIMS, after.map(Id::as_str), limit)]).await
    }

    async fn claims_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Claim>> {
        self.read_claims(self.of_ids(CLAIMS_BY_ID, ids)).await
    }

    async fn claims_of(&self, entities: &[Id]) -> StoreResult<Vec<Claim>> {
        self.read_claims(self.of_ids(CLAIMS_OF, entities)).await
    }

    async fn communities(&self, generation: u64) -> StoreResult<Vec<Community>> {
        communities::read_generation(&self.connection, generation).await
    }

    async fn communities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Community>> {
        let ids = sorted(ids.iter().cloned());
        communities::read_by_id(&self.connection, &ids, self.generation().await?).await
    }

    async fn communities_of(&self, entities: &[Id], generation: u64) -> StoreResult<Vec<(Id, Id)>> {
        let queries = with(self.of_ids(COMMUNITIES_OF, entities), "generation", &number(generation));
        let mut rows: Vec<CommunityOfRow> = self.connection.read_all(queries).await?;
        rows.sort_unstable_by(|a, b| {
            (&a.entity, a.level, &a.community).cmp(&(&b.entity, b.level, &b.community))
        });
        Ok(rows.into_iter().map(|row| (row.entity, row.community)).collect())
    }

    async fn tree_roots(&self, generation: u64) -> StoreResult<Vec<TreeNode>> {
        trees::read_roots(&self.connection, generation).await
    }

    async fn tree_nodes_by_id(&self, ids: &[Id]) -> StoreResult<Vec<TreeNode>> {
        trees::read_by_id(&self.connection, ids, self.generation().await?).await
    }

    async fn tree_nodes(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<TreeNode>> {
        let query = self.page(trees::TREE_PAGE, after.map(Id::as_str), limit);
        trees::read_page(&self.connection, query, self.generation().await?).await
    }

    async fn facts_of(&self, documents: &[Id]) -> StoreResult<Vec<DocumentFacts>> {
        facts::read(&self.connection, documents).await
    }

    async fn lineage_steps(&self) -> StoreResult<Vec<LineageStep>> {
        self.read_lineage_steps().await
    }

    async fn clustered(&self) -> StoreResult<Clustered> {
        self.read_clustered().await
    }

    async fn gds_communities(&self, request: &GdsRequest) -> StoreResult<Vec<(Id, Vec<i64>)>> {
        self.run_gds(request).await
    }

    async fn resolution(&self) -> StoreResult<BTreeMap<String, String>> {
        let rows: Vec<AliasRow> = self.connection.read(self.connection.query(RESOLUTION)).await?;
        Ok(rows.into_iter().map(|row| (row.key, row.canonical)).collect())
    }

    async fn resolved(&self, keys: &[String]) -> StoreResult<BTreeMap<String, String>> {
        let ids = sorted(keys.iter().map(|key| self.connection.ids.other("alias", &[key])));
        let rows: Vec<AliasRow> = self.connection.read_all(self.of_ids(RESOLVED, &ids)).await?;
        Ok(rows.into_iter().map(|row| (row.key, row.canonical)).collect())
    }

    async fn name_keys(&self, prefix: &str, shortest: usize, longest: usize) -> StoreResult<Vec<String>> {
        self.read_name_keys(prefix, shortest, longest).await
    }

    async fn ledger(&self) -> StoreResult<Vec<LedgerRow>> {
        self.read_ledger().await
    }

    async fn workers(&self) -> StoreResult<Vec<Worker>> {
        self.read_workers().await
    }

    async fn edits(&self) -> StoreResult<Vec<Edit>> {
        let rows: Vec<EditRow> = self.connection.read(self.connection.query(EDITS)).await?;
        let mut edits = Vec::with_capacity(rows.len());
        for row in rows {
            let kind: EditKind = self.parsed(&row.edit, "an edit")?;
            edits.push(Edit { id: row.id, sequence: row.sequence, kind });
        }
        edits.sort_unstable_by(|a, b| (a.sequence, &a.id).cmp(&(b.sequence, &b.id)));
        Ok(edits)
    }

    async fn verdicts(&self) -> StoreResult<Vec<Verdict>> {
        self.read_verdicts().await
    }
}

/// Statements with one more parameter.
fn with(queries: Vec<Query>, name: &str, value: &(impl Into<BoltType> + Clone)) -> Vec<Query> {
    queries.into_iter().map(|query| query.param(name, value.clone())).collect()
}

impl Neo4jGraph {
    async fn generation(&self) -> StoreResult<u64> {
        match self.pinned {
            Some(generation) => Ok(generation),
            None => Ok(self.state().await?.generation),
        }
    }

    fn page(&self, text: &str, after: Option<&str>, limit: usize) -> Query {
        self.connection.query(text).param("after", after.unwrap_or_default()).param("limit", number(limit))
    }

    /// A statement over ids, each once, in parts that are sent side by side.
    fn of_ids(&self, text: &str, ids: &[Id]) -> Vec<Query> {
        let ids = sorted(ids.iter().cloned());
        let part = if ids.len() <= IDS_SIDE_BY_SIDE { IDS_PER_MESSAGE } else { ids.len() };
        ids.chunks(part).map(|ids| self.connection.query(text).param("ids", texts(ids))).collect()
    }

    async fn units(&self, queries: Vec<Query>) -> StoreResult<Vec<StoredUnit>> {
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
            };
            Ok(StoredUnit { state, ..row.passage.into_stored() })
        };
        rows.into_iter().map(unit).collect()
    }

    fn documents_from(&self, rows: Vec<DocumentRow>) -> StoreResult<Vec<Document>> {
        let document = |row: DocumentRow| {
            Ok(Document {
                metadata: self.parsed(&row.metadata, "metadata of a document")?,
                id: row.id,
                key: row.key,
                title: row.title,
                content_hash: row.content_hash,
                character_count: row.character_count,
                text_unit_count: row.text_unit_count,
            })
        };
        rows.into_iter().map(document).collect()
    }

    async fn read_entities(&self, queries: Vec<Query>) -> StoreResult<Vec<Entity>> {
        let mut entities: Vec<Entity> = self.connection.read_all(queries).await?;
        entities.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(entities)
    }

    async fn read_relationships(&self, queries: Vec<Query>) -> StoreResult<Vec<Relationship>> {
        let mut relationships: Vec<Relationship> = self.connection.read_all(queries).await?;
        relationships.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        // one between entities of two messages comes twice
        relationships.dedup_by(|a, b| a.id == b.id);
        Ok(relationships)
    }

    async fn read_mentions(
        &self,
        queries: Vec<Query>,
        edge: impl Fn(&Id, Id, u32) -> MentionEdge,
    ) -> StoreResult<Vec<MentionEdge>> {
        let rows: Vec<MentionsRow> = self.connection.read_all(queries).await?;
        let edges = rows.into_iter().flat_map(|row| {
            let ends = row.mentioned.into_iter().zip(row.records);
            ends.map(|(end, records)| edge(&row.id, end, records)).collect::<Vec<_>>()
        });
        Ok(edges.collect())
    }

    async fn read_claims(&self, queries: Vec<Query>) -> StoreResult<Vec<Claim>> {
        let rows: Vec<ClaimRow> = self.connection.read_all(queries).await?;
        let claim = |row: ClaimRow| Claim {
            id: row.id,
            text_unit: row.text_unit,
            subject: row.subject,
            object: row.object,
            kind: row.kind,
            status: ClaimStatus::from_text(&row.status),
            description: row.description,
            start_date: row.start_date,
            end_date: row.end_date,
            source_text: row.source_text,
        };
        let mut claims: Vec<Claim> = rows.into_iter().map(claim).collect();
        claims.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(claims)
    }

    fn parsed<T: serde::de::DeserializeOwned>(&self, json: &str, what: &str) -> StoreResult<T> {
        serde_json::from_str(json).map_err(|error| StoreError::Failed {
            service: self.connection.service.clone(),
            reason: format!("cannot read {what}: {error}"),
        })
    }
}

/// Edges to entities that came after the nodes were read are left out.
fn edge_list(mut nodes: Vec<NodeRow>, rows: Vec<EdgesRow>) -> EdgeList {
    nodes.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    let places: FxHashMap<i64, u32> = nodes.iter().map(|row| row.node).zip(0..).collect();
    let mut edges = Vec::new();
    for row in rows {
        let Some(&place) = places.get(&row.node) else { continue };
        for ((other, weight), strength) in row.others.iter().zip(row.weights).zip(row.strengths) {
            if let Some(&other) = places.get(other) {
                edges.push((place.min(other), place.max(other), weight, strength));
            }
        }
    }
    edges.sort_unstable();
    EdgeList { ids: nodes.into_iter().map(|row| row.id).collect(), edges }
}
