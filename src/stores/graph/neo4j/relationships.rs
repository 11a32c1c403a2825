//! Relationships: read with their sums; dirty ones with all their evidence, their sums written back.

use super::Neo4jGraph;
use super::collected::Keyed;
use super::connection::{id, in_parts, map, number, sorted, texts};
use super::queries::with;
use super::unreported;
use crate::domain::{EvidencePlace, Id, PeriodCount, RelationItem, Relationship, RelationshipEvidence, word};
use crate::stores::StoreResult;
use crate::stores::graph::{
    EdgeList, RelationshipReader, RelationshipStore, RelationshipWrite, WeightedLink,
};
use async_trait::async_trait;
use neo4rs::{BoltType, Query};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

const DIRTY_RELATIONSHIPS: &str = include_str!("../../../../cypher/store/dirty_relationships.cypher");
const DIRTY_RELATIONSHIPS_EVIDENCE: &str =
    include_str!("../../../../cypher/store/dirty_relationships_evidence.cypher");
const DIRTY_RELATIONSHIPS_PLACES: &str =
    include_str!("../../../../cypher/store/dirty_relationships_places.cypher");
const EDGE_LIST_EDGES: &str = include_str!("../../../../cypher/store/edge_list_edges.cypher");
const EDGE_LIST_NODES: &str = include_str!("../../../../cypher/store/edge_list_nodes.cypher");
const MARK_ENTITIES_DIRTY: &str = include_str!("../../../../cypher/store/mark_entities_dirty.cypher");
const RELATIONSHIPS: &str = include_str!("../../../../cypher/store/relationships.cypher");
const LINKS_OF: &str = include_str!("../../../../cypher/store/links_of.cypher");
const RELATIONSHIPS_BY_ID: &str = include_str!("../../../../cypher/store/relationships_by_id.cypher");
const RELATIONSHIPS_OF: &str = include_str!("../../../../cypher/store/relationships_of.cypher");
const SAVE_RELATIONSHIPS: &str = include_str!("../../../../cypher/store/save_relationships.cypher");
const SAVE_RELATIONSHIPS_GONE: &str = include_str!("../../../../cypher/store/save_relationships_gone.cypher");
const SAVE_RELATIONSHIPS_TURN: &str = include_str!("../../../../cypher/store/save_relationships_turn.cypher");

#[derive(Deserialize)]
struct DirtyRelationship {
    id: Id,
    one: Id,
    other: Id,
    text_unit_ids: Vec<Id>,
    kinds: Vec<String>,
    descriptions: Vec<String>,
    strengths: Vec<u32>,
    forwards: Vec<bool>,
    summary_fingerprint: Option<String>,
    summary: Option<String>,
}

impl DirtyRelationship {
    fn into_evidence(self, places: &HashMap<Id, EvidencePlace>) -> RelationshipEvidence {
        let mut by_place: BTreeMap<&EvidencePlace, Vec<RelationItem>> = BTreeMap::new();
        let entries = self.kinds.into_iter().zip(self.descriptions).zip(self.strengths).zip(self.forwards);
        for (unit, (((kind, description), strength), forward)) in self.text_unit_ids.iter().zip(entries) {
            if let Some(place) = places.get(unit) {
                let item = RelationItem { kind, description, strength, forward };
                by_place.entry(place).or_default().push(item);
            }
        }
        let (low, high) =
            if self.one <= self.other { (self.one, self.other) } else { (self.other, self.one) };
        RelationshipEvidence {
            id: self.id,
            low,
            high,
            items: by_place.into_iter().map(|(place, items)| (place.clone(), items)).collect(),
            summary: self.summary_fingerprint.zip(self.summary),
        }
    }
}

#[derive(Deserialize)]
struct SavedRelationship {
    id: Id,
    came: bool,
    one: Id,
    other: Id,
}

#[derive(Deserialize)]
struct EndsRow {
    one: Id,
    other: Id,
}

/// An entity under the number that the server has for it while we read.
#[derive(Deserialize)]
struct NodeRow {
    node: i64,
    id: Id,
    name: Option<String>,
}

#[derive(Deserialize)]
struct EdgesRow {
    node: i64,
    others: Vec<i64>,
    weights: Vec<u32>,
    strengths: Vec<u32>,
}

/// Source, target, type, description, weight, strength, number of text units, other types, types the other way.
type ListedRelationship = Keyed<(Id, Id, String, String, u32, u32, u32, Vec<String>, Vec<String>)>;

fn relationship(row: ListedRelationship) -> Relationship {
    let (source, target, kind, description, weight, strength, text_unit_count, other_kinds, reverse_kinds) =
        row.values;
    Relationship {
        id: row.id,
        source,
        target,
        kind,
        description,
        weight,
        strength,
        text_unit_count,
        other_kinds,
        reverse_kinds,
    }
}

/// By id; one between entities of two messages comes twice.
fn each_once(mut relationships: Vec<Relationship>) -> Vec<Relationship> {
    relationships.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    relationships.dedup_by(|a, b| a.id == b.id);
    relationships
}

#[async_trait]
impl RelationshipReader for Neo4jGraph {
    async fn relationships(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Relationship>> {
        self.read_relationships(vec![self.page(RELATIONSHIPS, after.map(Id::as_str), limit)]).await
    }

    async fn relationships_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Relationship>> {
        self.read_relationships(self.of_ids(RELATIONSHIPS_BY_ID, ids)).await
    }

    async fn relationships_of(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<Relationship>> {
        let queries = with(self.parts_of_ids(RELATIONSHIPS_OF, entities), "limit", &number(limit));
        let rows: Vec<ListedRelationship> = self.connection.read_collected(queries).await?;
        Ok(each_once(rows.into_iter().map(relationship).collect()))
    }

    async fn links_of(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<WeightedLink>> {
        let queries = with(self.parts_of_ids(LINKS_OF, entities), "limit", &number(limit));
        let mut rows: Vec<Keyed<(Id, Id, u32)>> = self.connection.read_collected(queries).await?;
        rows.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        rows.dedup_by(|a, b| a.id == b.id);
        let link = |Keyed { values: (source, target, weight), .. }| WeightedLink { source, target, weight };
        Ok(rows.into_iter().map(link).collect())
    }

    async fn edge_list(&self) -> StoreResult<EdgeList> {
        let (nodes, edges): (Vec<NodeRow>, Vec<EdgesRow>) = futures::try_join!(
            self.connection.read_beside(self.connection.query(EDGE_LIST_NODES)),
            self.connection.read_beside(self.connection.query(EDGE_LIST_EDGES)),
        )?;
        Ok(edge_list(nodes, edges))
    }
}

#[async_trait]
impl RelationshipStore for Neo4jGraph {
    async fn dirty_relationships(&self, limit: usize) -> StoreResult<Vec<RelationshipEvidence>> {
        let ids = self.dirty_ids(DIRTY_RELATIONSHIPS, limit).await?;
        let query = self.connection.query(DIRTY_RELATIONSHIPS_EVIDENCE).param("ids", texts(&ids));
        self.read_evidence(vec![query]).await
    }

    async fn save_relationships(&self, writes: &[RelationshipWrite]) -> StoreResult<()> {
        in_parts(writes, |part| self.write(|| self.save_relationships_once(part))).await
    }
}

impl Neo4jGraph {
    /// Relationships with all their evidence, by id.
    pub(super) async fn read_evidence(&self, queries: Vec<Query>) -> StoreResult<Vec<RelationshipEvidence>> {
        let rows: Vec<DirtyRelationship> = self.connection.read_all(queries).await?;
        let units = sorted(rows.iter().flat_map(|row| row.text_unit_ids.iter().cloned()));
        let places: Vec<EvidencePlace> = self
            .connection
            .read(self.connection.query(DIRTY_RELATIONSHIPS_PLACES).param("ids", texts(&units)))
            .await?;
        let places: HashMap<Id, EvidencePlace> =
            places.into_iter().map(|place| (place.text_unit.clone(), place)).collect();
        let mut evidence: Vec<_> = rows.into_iter().map(|row| row.into_evidence(&places)).collect();
        evidence.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(evidence)
    }

    async fn read_relationships(&self, queries: Vec<Query>) -> StoreResult<Vec<Relationship>> {
        Ok(each_once(self.connection.read_all(queries).await?))
    }

    pub(super) async fn save_relationships_once(&self, writes: &[RelationshipWrite]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        let writes: BTreeMap<&Id, &RelationshipWrite> =
            writes.iter().map(|write| (&write.id, write)).collect();
        let sums: BTreeMap<&Id, &Relationship> =
            writes.iter().filter_map(|(id, write)| Some((*id, write.relationship.as_ref()?))).collect();
        let rows = sums.iter().filter_map(|(id, sum)| Some(relationship_row(sum, writes.get(id)?)));
        let saved: Vec<SavedRelationship> = transaction.rows_of(SAVE_RELATIONSHIPS, rows.collect()).await?;
        let turned = sorted(
            saved
                .iter()
                .filter(|row| sums.get(&row.id).is_some_and(|sum| sum.source != row.one))
                .map(|row| row.id.clone()),
        );
        transaction.run_ids(SAVE_RELATIONSHIPS_TURN, &turned).await?;
        let gone = sorted(writes.values().filter(|w| w.relationship.is_none()).map(|w| w.id.clone()));
        let gone: Vec<EndsRow> = transaction.rows_of_ids(SAVE_RELATIONSHIPS_GONE, &gone).await?;
        let ends = saved.iter().flat_map(|row| [&row.one, &row.other]);
        let ends = ends.chain(gone.iter().flat_map(|row| [&row.one, &row.other]));
        unreported::mark(&mut transaction, &sorted(ends.cloned())).await?;
        let came = saved.into_iter().filter(|row| row.came).flat_map(|row| [row.one, row.other]);
        let ends = sorted(came.chain(gone.into_iter().flat_map(|row| [row.one, row.other])));
        transaction.run_ids(MARK_ENTITIES_DIRTY, &ends).await?;
        self.commit(transaction).await
    }
}

fn relationship_row(sum: &Relationship, write: &RelationshipWrite) -> BoltType {
    let summary = write.summary.as_ref();
    let counts = |of: fn(&PeriodCount) -> u32| -> BoltType {
        write.periods.iter().map(|count| number(of(count))).collect::<Vec<_>>().into()
    };
    let periods: Vec<String> = write.periods.iter().map(|count| count.period.to_string()).collect();
    map([
        ("id", id(&sum.id)),
        (
            "properties",
            map([
                ("type", sum.kind.as_str().into()),
                ("other_types", sum.other_kinds.clone().into()),
                ("reverse_types", sum.reverse_kinds.clone().into()),
                ("description", sum.description.as_str().into()),
                ("weight", number(sum.weight)),
                ("strength", number(sum.strength)),
                ("text_unit_count", number(sum.text_unit_count)),
                ("summary_fingerprint", summary.map(|summary| summary.0.as_str()).into()),
                ("summary", summary.map(|summary| summary.1.as_str()).into()),
                ("periods", periods.into()),
                ("period_documents", counts(|count| count.documents)),
                ("period_text_units", counts(|count| count.text_units)),
                ("period_mentions", counts(|count| count.mentions)),
                ("period_strengths", counts(|count| count.strength)),
            ]),
        ),
    ])
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
    let names = nodes.iter().map(|row| word(row.name.as_deref().unwrap_or_default())).collect();
    EdgeList { ids: nodes.into_iter().map(|row| row.id).collect(), names, edges }
}
