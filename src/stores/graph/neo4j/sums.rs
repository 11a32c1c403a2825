//! Entities and relationships: dirty ones read with all their evidence, their sums written back.

use super::Neo4jGraph;
use super::connection::{Transaction, id, in_batches, map, number, sorted, texts};
use super::reader::IdRow;
use super::vectors::{clear_tombstones, save_tombstones};
use crate::domain::{
    Entity, EntityEvidence, Id, Mention, Place, RelationItem, Relationship, RelationshipEvidence,
};
use crate::stores::StoreResult;
use crate::stores::graph::{EVIDENCE_AT_ONCE, EntityWrite, RelationshipWrite, VectorKind};
use neo4rs::{BoltMap, BoltType};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

const DIRTY_RELATIONSHIPS: &str = include_str!("../../../../cypher/store/dirty_relationships.cypher");
const RELATIONSHIP_EVIDENCE: &str =
    include_str!("../../../../cypher/store/dirty_relationships_evidence.cypher");
const PLACES: &str = include_str!("../../../../cypher/store/places.cypher");
const SAVE_RELATIONSHIPS: &str = include_str!("../../../../cypher/store/save_relationships.cypher");
const TURN_RELATIONSHIPS: &str = include_str!("../../../../cypher/store/save_relationships_turn.cypher");
const GONE_RELATIONSHIPS: &str = include_str!("../../../../cypher/store/save_relationships_gone.cypher");
const MARK_ENTITIES: &str = include_str!("../../../../cypher/store/mark_entities_dirty.cypher");
const DIRTY_ENTITIES: &str = include_str!("../../../../cypher/store/dirty_entities.cypher");
const ENTITIES: &str = include_str!("../../../../cypher/store/dirty_entities_sums.cypher");
const DIRTY_MENTIONS: &str = include_str!("../../../../cypher/store/dirty_entities_mentions.cypher");
const SAVE_ENTITIES: &str = include_str!("../../../../cypher/store/save_entities.cypher");
const SAVE_TOP: &str = include_str!("../../../../cypher/store/save_entities_top.cypher");
const GONE_ENTITIES: &str = include_str!("../../../../cypher/store/save_entities_gone.cypher");
const KINDS: &str = include_str!("../../../../cypher/store/kinds.cypher");
const FIND_LABELS: &str = include_str!("../../../../cypher/store/save_labels_find.cypher");
const REMOVE_LABELS: &str = include_str!("../../../../cypher/store/save_labels_remove.cypher");
const SET_LABELS: &str = include_str!("../../../../cypher/store/save_labels_set.cypher");

/// Mentions that are kept beside an entity that has more, those with most records: as many as a search reads of one.
const TOP_TEXT_UNITS: usize = 50;
/// Entities whose labels change in one transaction.
const LABELS_PER_TRANSACTION: usize = 5_000;

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

#[derive(Deserialize)]
struct DirtyEntity {
    id: Id,
    degree: u32,
    summary_fingerprint: Option<String>,
    summary: Option<String>,
}

#[derive(Deserialize)]
struct PlacedMention {
    #[serde(flatten)]
    place: Place,
    #[serde(flatten)]
    mention: Mention,
}

#[derive(Deserialize)]
struct SavedRelationship {
    id: Id,
    came: bool,
    one: Id,
    other: Id,
}

#[derive(Deserialize)]
struct Ends {
    one: Id,
    other: Id,
}

#[derive(Deserialize)]
struct KindCount {
    kind: String,
    count: u64,
}

#[derive(Deserialize)]
struct LabelChange {
    id: Id,
    old_label: String,
    label: String,
}

#[derive(Deserialize)]
struct DirtyNode {
    id: Id,
    pieces: usize,
}

impl Neo4jGraph {
    /// Ids of dirty nodes, until their pieces of evidence are [`EVIDENCE_AT_ONCE`].
    async fn dirty_ids(&self, statement: &'static str, limit: usize) -> StoreResult<Vec<Id>> {
        let query = self.connection.query(statement).param("limit", number(limit));
        let rows: Vec<DirtyNode> = self.connection.read(query).await?;
        let mut pieces = 0;
        let batch = rows.into_iter().take_while(|row| {
            let room = pieces < EVIDENCE_AT_ONCE;
            pieces += row.pieces;
            room
        });
        Ok(batch.map(|row| row.id).collect())
    }

    pub(super) async fn read_dirty_relationships(
        &self,
        limit: usize,
    ) -> StoreResult<Vec<RelationshipEvidence>> {
        let ids = self.dirty_ids(DIRTY_RELATIONSHIPS, limit).await?;
        let query = self.connection.query(RELATIONSHIP_EVIDENCE).param("ids", texts(&ids));
        let rows: Vec<DirtyRelationship> = self.connection.read(query).await?;
        let units = sorted(rows.iter().flat_map(|row| row.text_unit_ids.iter().cloned()));
        let places: Vec<Place> =
            self.connection.read(self.connection.query(PLACES).param("ids", texts(&units))).await?;
        let places: HashMap<Id, Place> =
            places.into_iter().map(|place| (place.text_unit.clone(), place)).collect();
        let mut evidence: Vec<_> = rows.into_iter().map(|row| row.into_evidence(&places)).collect();
        evidence.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(evidence)
    }

    pub(super) async fn write_relationships_once(&self, writes: &[RelationshipWrite]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        let writes: BTreeMap<&Id, &RelationshipWrite> =
            writes.iter().map(|write| (&write.id, write)).collect();
        let sums: BTreeMap<&Id, &Relationship> =
            writes.iter().filter_map(|(id, write)| Some((*id, write.relationship.as_ref()?))).collect();
        let rows = sums
            .iter()
            .map(|(id, sum)| relationship_row(sum, writes.get(id).and_then(|w| w.summary.as_ref())));
        let saved: Vec<SavedRelationship> = transaction.rows_of(SAVE_RELATIONSHIPS, rows.collect()).await?;
        let turned = sorted(
            saved
                .iter()
                .filter(|row| sums.get(&row.id).is_some_and(|sum| sum.source != row.one))
                .map(|row| row.id.clone()),
        );
        transaction.run_ids(TURN_RELATIONSHIPS, &turned).await?;
        let gone = sorted(writes.values().filter(|w| w.relationship.is_none()).map(|w| w.id.clone()));
        let gone: Vec<Ends> = transaction.rows_of_ids(GONE_RELATIONSHIPS, &gone).await?;
        let came = saved.into_iter().filter(|row| row.came).flat_map(|row| [row.one, row.other]);
        let ends = sorted(came.chain(gone.into_iter().flat_map(|row| [row.one, row.other])));
        transaction.run_ids(MARK_ENTITIES, &ends).await?;
        self.commit(transaction).await
    }

    pub(super) async fn mark_entities_once(&self, ids: &[Id]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        transaction.run_ids(MARK_ENTITIES, &sorted(ids.iter().cloned())).await?;
        self.commit(transaction).await
    }

    pub(super) async fn read_dirty_entities(&self, limit: usize) -> StoreResult<Vec<EntityEvidence>> {
        let ids = self.dirty_ids(DIRTY_ENTITIES, limit).await?;
        let query = self.connection.query(ENTITIES).param("ids", texts(&ids));
        let rows: Vec<DirtyEntity> = self.connection.read(query).await?;
        let query = self.connection.query(DIRTY_MENTIONS).param("ids", texts(&ids));
        let mentions: Vec<PlacedMention> = self.connection.read(query).await?;
        let mut by_entity: HashMap<Id, Vec<(Place, Mention)>> = HashMap::new();
        for PlacedMention { place, mention } in mentions {
            by_entity.entry(mention.entity.clone()).or_default().push((place, mention));
        }
        let mut evidence: Vec<EntityEvidence> = rows
            .into_iter()
            .map(|row| {
                let mut mentions = by_entity.remove(&row.id).unwrap_or_default();
                mentions.sort_unstable_by(|a, b| a.0.cmp(&b.0));
                let summary = row.summary_fingerprint.zip(row.summary);
                EntityEvidence { id: row.id, mentions, degree: row.degree, summary }
            })
            .collect();
        evidence.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(evidence)
    }

    pub(super) async fn write_entities_once(&self, writes: &[EntityWrite]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        let writes: BTreeMap<&Id, &EntityWrite> = writes.iter().map(|write| (&write.id, write)).collect();
        let sums = writes.values().filter_map(|write| Some(entity_row(write.entity.as_ref()?, write)));
        let labels: Vec<LabelChange> = transaction.rows_of(SAVE_ENTITIES, sums.collect()).await?;
        change_labels(&mut transaction, &labels).await?;
        let hubs = writes.values().filter_map(|write| write.entity.as_ref()).filter(|sum| is_hub(sum));
        let query = self.connection.query(SAVE_TOP).param("limit", number(TOP_TEXT_UNITS));
        transaction.run_rows_with(query, hubs.map(|sum| id(&sum.id)).collect()).await?;
        let kept =
            sorted(writes.values().filter(|write| write.entity.is_some()).map(|write| write.id.clone()));
        clear_tombstones(&mut transaction, &kept).await?;
        let gone =
            sorted(writes.values().filter(|write| write.entity.is_none()).map(|write| write.id.clone()));
        let gone: Vec<IdRow> = transaction.rows_of_ids(GONE_ENTITIES, &gone).await?;
        let gone = sorted(gone.into_iter().map(|row| row.id));
        save_tombstones(&mut transaction, VectorKind::Entities, &gone).await?;
        self.commit(transaction).await
    }

    pub(super) async fn read_kinds(&self) -> StoreResult<Vec<(String, u64)>> {
        let rows: Vec<KindCount> = self.connection.read(self.connection.query(KINDS)).await?;
        let mut kinds: Vec<(String, u64)> = rows.into_iter().map(|row| (row.kind, row.count)).collect();
        kinds.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(kinds)
    }

    pub(super) async fn write_labels(&self, labels: &BTreeMap<String, String>) -> StoreResult<()> {
        let mut map = BoltMap::with_capacity(labels.len());
        for (kind, label) in labels {
            map.put(kind.as_str().into(), label.as_str().into());
        }
        let query = self.connection.query(FIND_LABELS).param("labels", BoltType::Map(map));
        let mut changes: Vec<LabelChange> = self.connection.read(query).await?;
        changes.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        let label = |part| self.write(move || self.write_labels_once(part));
        in_batches(&changes, LABELS_PER_TRANSACTION, label).await
    }

    async fn write_labels_once(&self, changes: &[LabelChange]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        change_labels(&mut transaction, changes).await?;
        self.commit(transaction).await
    }
}

/// Removes old labels and sets new ones.
async fn change_labels(transaction: &mut Transaction<'_>, changes: &[LabelChange]) -> StoreResult<()> {
    let old = changes.iter().filter(|change| !change.old_label.is_empty());
    let rows =
        old.map(|change| map([("id", id(&change.id)), ("old_label", change.old_label.as_str().into())]));
    transaction.run_rows(REMOVE_LABELS, rows.collect()).await?;
    let rows =
        changes.iter().map(|change| map([("id", id(&change.id)), ("label", change.label.as_str().into())]));
    transaction.run_rows(SET_LABELS, rows.collect()).await
}

impl DirtyRelationship {
    fn into_evidence(self, places: &HashMap<Id, Place>) -> RelationshipEvidence {
        let mut by_place: BTreeMap<&Place, Vec<RelationItem>> = BTreeMap::new();
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

fn relationship_row(sum: &Relationship, summary: Option<&(String, String)>) -> BoltType {
    map([
        ("id", id(&sum.id)),
        (
            "properties",
            map([
                ("type", sum.kind.as_str().into()),
                ("description", sum.description.as_str().into()),
                ("weight", number(sum.weight)),
                ("strength", number(sum.strength)),
                ("text_unit_count", number(sum.text_unit_count)),
                ("summary_fingerprint", summary.map(|summary| summary.0.as_str()).into()),
                ("summary", summary.map(|summary| summary.1.as_str()).into()),
            ]),
        ),
    ])
}

/// Whether reading the mentions of an entity takes so long that those with most records are kept beside it.
fn is_hub(sum: &Entity) -> bool {
    usize::try_from(sum.text_unit_count).is_ok_and(|count| count > TOP_TEXT_UNITS)
}

fn entity_row(sum: &Entity, write: &EntityWrite) -> BoltType {
    let summary = write.summary.as_ref();
    map([
        ("id", id(&write.id)),
        ("label", write.label.as_str().into()),
        (
            "properties",
            map([
                ("name", sum.name.as_str().into()),
                ("type", sum.kind.as_str().into()),
                ("description", sum.description.as_str().into()),
                ("aliases", sum.aliases.clone().into()),
                ("degree", number(sum.degree)),
                ("text_unit_count", number(sum.text_unit_count)),
                ("summary_fingerprint", summary.map(|summary| summary.0.as_str()).into()),
                ("summary", summary.map(|summary| summary.1.as_str()).into()),
            ]),
        ),
    ])
}
