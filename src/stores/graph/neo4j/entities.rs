//! Entities: read with their sums; dirty ones with all their evidence, their sums written back.

use super::CountRow;
use super::Neo4jGraph;
use super::collected::Keyed;
use super::connection::{Transaction, id, in_batches, in_parts, map, number, sorted, texts};
use super::periods::{MentionSentimentRow, remove_unused_periods};
use super::queries::IdRow;
use super::unreported;
use super::vectors::{clear_tombstones, save_tombstones};
use crate::domain::{Entity, EntityEvidence, EvidencePlace, Id, Interval, Mention, PeriodCount};
use crate::stores::StoreResult;
use crate::stores::graph::{EntityReader, EntityStore, EntitySum, EntityWrite, VectorKind, reserved_labels};
use async_trait::async_trait;
use neo4rs::{BoltMap, BoltType, Query};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

const DIRTY_ENTITIES: &str = include_str!("../../../../cypher/store/dirty_entities.cypher");
const DIRTY_ENTITIES_CLAIMS: &str = include_str!("../../../../cypher/store/dirty_entities_claims.cypher");
const DIRTY_ENTITIES_MENTIONS: &str = include_str!("../../../../cypher/store/dirty_entities_mentions.cypher");
const DIRTY_ENTITIES_SUMS: &str = include_str!("../../../../cypher/store/dirty_entities_sums.cypher");
const ENTITIES: &str = include_str!("../../../../cypher/store/entities.cypher");
const ENTITIES_BY_ID: &str = include_str!("../../../../cypher/store/entities_by_id.cypher");
const ENTITY_OUTLINES: &str = include_str!("../../../../cypher/store/entity_outlines.cypher");
const ENTITIES_OF_KIND: &str = include_str!("../../../../cypher/store/entities_of_kind.cypher");
const ENTITY_KINDS: &str = include_str!("../../../../cypher/store/entity_kinds.cypher");
const KINDS_NEXT: &str = include_str!("../../../../cypher/store/kinds_next.cypher");
const COUNT_OF_KIND: &str = include_str!("../../../../cypher/store/count_of_kind.cypher");
const GREATEST_OF_KIND_DEGREE: &str = include_str!("../../../../cypher/store/greatest_of_kind_degree.cypher");
const GREATEST_OF_KIND_TEXT_UNITS: &str =
    include_str!("../../../../cypher/store/greatest_of_kind_text_units.cypher");
const EXPIRE_SUMMARIES_ENTITIES: &str =
    include_str!("../../../../cypher/store/expire_summaries_entities.cypher");
const EXPIRE_SUMMARIES_RELATIONSHIPS: &str =
    include_str!("../../../../cypher/store/expire_summaries_relationships.cypher");
const MARK_ENTITIES_DIRTY: &str = include_str!("../../../../cypher/store/mark_entities_dirty.cypher");
const SAVE_ENTITIES: &str = include_str!("../../../../cypher/store/save_entities.cypher");
const SAVE_ENTITIES_GONE: &str = include_str!("../../../../cypher/store/save_entities_gone.cypher");
pub(super) const SAVE_ENTITIES_TOP: &str = include_str!("../../../../cypher/store/save_entities_top.cypher");
const SAVE_LABELS_FIND: &str = include_str!("../../../../cypher/store/save_labels_find.cypher");
const SAVE_LABELS_REMOVE: &str = include_str!("../../../../cypher/store/save_labels_remove.cypher");
const SAVE_LABELS_SET: &str = include_str!("../../../../cypher/store/save_labels_set.cypher");

/// Mentions, and relationships, that are kept beside an entity that has more, those with most records or the greatest
/// weight: as many as a search reads of one.
pub(super) const TOP: usize = 50;
/// Entities whose labels change in one transaction.
const LABELS_PER_TRANSACTION: usize = 5_000;
/// Sums made dirty in one transaction.
const SUMS_PER_TRANSACTION: usize = 2_000;

/// Types that are looked up one after another, each by the index; of more, all entities are read in one statement.
const KINDS_BY_STEPS: usize = 64;

#[derive(Deserialize)]
struct NextKind {
    kind: String,
}

#[derive(Deserialize)]
struct SumRow {
    id: Id,
    sum: u32,
}

#[derive(Deserialize)]
struct DirtyEntity {
    id: Id,
    degree: u32,
    summary_fingerprint: Option<String>,
    summary: Option<String>,
}

#[derive(Deserialize)]
struct PlacedMentionRow {
    #[serde(flatten)]
    place: EvidencePlace,
    #[serde(flatten)]
    mention: Mention,
    #[serde(flatten)]
    sentiment: MentionSentimentRow,
}

/// Claims about an entity in text units of the same days.
#[derive(Deserialize)]
struct ClaimsRow {
    entity: Id,
    period: Interval,
    claims: u32,
}

#[derive(Deserialize)]
struct KindCountRow {
    kind: String,
    count: u64,
}

/// An entity that was written, with its labels before and now.
#[derive(Deserialize)]
struct SavedEntity {
    #[serde(flatten)]
    label: LabelChange,
    renamed: bool,
}

#[derive(Deserialize)]
struct LabelChange {
    id: Id,
    old_label: String,
    label: String,
}

impl LabelChange {
    fn is_one(&self) -> bool {
        !self.label.is_empty() && self.label != self.old_label
    }
}

#[derive(Deserialize)]
struct Expired {
    last: Option<Id>,
    count: u64,
}

/// Name, type, other spellings, degree, number of text units.
type Outline = Keyed<(String, String, Vec<String>, u32, u32)>;

fn outlined(row: Outline) -> Entity {
    let (name, kind, aliases, degree, text_unit_count) = row.values;
    Entity { id: row.id, name, kind, description: String::new(), aliases, degree, text_unit_count }
}

#[async_trait]
impl EntityReader for Neo4jGraph {
    async fn entities(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Entity>> {
        self.read_entities(vec![self.page(ENTITIES, after.map(Id::as_str), limit)]).await
    }

    async fn entities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Entity>> {
        self.read_entities(self.of_ids(ENTITIES_BY_ID, ids)).await
    }

    async fn entity_outlines(&self, ids: &[Id]) -> StoreResult<Vec<Entity>> {
        let (kept, others) = match &self.pinned {
            Some(pinned) => pinned.outlines.split(&sorted(ids.iter().cloned())),
            None => (Vec::new(), ids.to_vec()),
        };
        let mut entities: Vec<Entity> = kept.into_iter().map(|(_, entity)| entity).collect();
        if !others.is_empty() {
            let queries = self.parts_of_ids(ENTITY_OUTLINES, &others);
            let rows: Vec<Outline> = self.connection.read_collected(queries).await?;
            let read = entities.len();
            entities.extend(rows.into_iter().map(outlined));
            if let Some(pinned) = &self.pinned {
                pinned.outlines.keep(entities.iter().skip(read).map(|e| (e.id.clone(), e.clone())));
            }
        }
        entities.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(entities)
    }

    async fn entities_of_kind(
        &self,
        kind: &str,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<Entity>> {
        let query = self.page(ENTITIES_OF_KIND, after.map(Id::as_str), limit).param("kind", kind);
        self.read_entities(vec![query]).await
    }

    async fn entity_kinds(&self) -> StoreResult<Vec<(String, u64)>> {
        let rows: Vec<KindCountRow> = self.connection.read(self.connection.query(ENTITY_KINDS)).await?;
        let mut kinds: Vec<(String, u64)> = rows.into_iter().map(|row| (row.kind, row.count)).collect();
        kinds.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(kinds)
    }

    async fn kinds(&self) -> StoreResult<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        if self.count_of_kind("", 1).await? > 0 {
            found.push(String::new());
        }
        let mut after = String::new();
        for _ in 0..KINDS_BY_STEPS {
            let query = self.connection.query(KINDS_NEXT).param("after", after.as_str());
            let rows: Vec<NextKind> = self.connection.read(query).await?;
            let Some(NextKind { kind }) = rows.into_iter().next() else { return Ok(found) };
            after.clone_from(&kind);
            found.push(kind);
        }
        let mut all: Vec<String> = self.entity_kinds().await?.into_iter().map(|(kind, _)| kind).collect();
        all.sort_unstable();
        Ok(all)
    }

    async fn count_of_kind(&self, kind: &str, most: u64) -> StoreResult<u64> {
        let query = self.connection.query(COUNT_OF_KIND).param("kind", kind).param("most", number(most));
        let rows: Vec<CountRow> = self.connection.read(query).await?;
        Ok(rows.into_iter().next().map_or(0, |row| row.count))
    }

    async fn greatest_of_kind(
        &self,
        kind: &str,
        sum: EntitySum,
        limit: usize,
    ) -> StoreResult<Vec<(Id, u32)>> {
        let text = match sum {
            EntitySum::Degree => GREATEST_OF_KIND_DEGREE,
            EntitySum::TextUnits => GREATEST_OF_KIND_TEXT_UNITS,
        };
        let query = self.connection.query(text).param("kind", kind).param("limit", number(limit));
        let rows: Vec<SumRow> = self.connection.read(query).await?;
        Ok(rows.into_iter().map(|row| (row.id, row.sum)).collect())
    }
}

#[async_trait]
impl EntityStore for Neo4jGraph {
    async fn dirty_entities(&self, limit: usize) -> StoreResult<Vec<EntityEvidence>> {
        let ids = self.dirty_ids(DIRTY_ENTITIES, limit).await?;
        let query = self.connection.query(DIRTY_ENTITIES_SUMS).param("ids", texts(&ids));
        let rows: Vec<DirtyEntity> = self.connection.read(query).await?;
        let query = self.connection.query(DIRTY_ENTITIES_MENTIONS).param("ids", texts(&ids));
        let mentions: Vec<PlacedMentionRow> = self.connection.read(query).await?;
        let mut by_entity: HashMap<Id, Vec<(EvidencePlace, Mention)>> = HashMap::new();
        for PlacedMentionRow { place, mention, sentiment } in mentions {
            let mention = sentiment.told_by(mention);
            by_entity.entry(mention.entity.clone()).or_default().push((place, mention));
        }
        let query = self.connection.query(DIRTY_ENTITIES_CLAIMS).param("ids", texts(&ids));
        let counted: Vec<ClaimsRow> = self.connection.read(query).await?;
        let mut claims: HashMap<Id, BTreeMap<Interval, u32>> = HashMap::new();
        for row in counted {
            claims.entry(row.entity).or_default().insert(row.period, row.claims);
        }
        let mut evidence: Vec<EntityEvidence> = rows
            .into_iter()
            .map(|row| {
                let mut mentions = by_entity.remove(&row.id).unwrap_or_default();
                mentions.sort_unstable_by(|a, b| a.0.cmp(&b.0));
                let summary = row.summary_fingerprint.zip(row.summary);
                let claims = claims.remove(&row.id).unwrap_or_default();
                EntityEvidence { id: row.id, mentions, claims, degree: row.degree, summary }
            })
            .collect();
        evidence.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(evidence)
    }

    async fn expire_entities(&self, ids: &[Id]) -> StoreResult<()> {
        in_parts(ids, |part| self.write(|| self.expire_entities_once(part))).await
    }

    async fn save_entities(&self, writes: &[EntityWrite]) -> StoreResult<()> {
        in_parts(writes, |part| self.write(|| self.save_entities_once(part))).await
    }

    async fn save_labels(&self, labels: &BTreeMap<String, String>) -> StoreResult<()> {
        let mut map = BoltMap::with_capacity(labels.len());
        for (kind, label) in labels {
            map.put(kind.as_str().into(), label.as_str().into());
        }
        let query = self.connection.query(SAVE_LABELS_FIND).param("labels", BoltType::Map(map));
        let mut changes: Vec<LabelChange> = self.connection.read(query).await?;
        changes.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        let label = |part| self.write(move || self.save_labels_once(part));
        in_batches(&changes, LABELS_PER_TRANSACTION, label).await
    }

    async fn expire_summaries(&self, settings: &str) -> StoreResult<u64> {
        let mut expired = 0;
        for text in [EXPIRE_SUMMARIES_ENTITIES, EXPIRE_SUMMARIES_RELATIONSHIPS] {
            let mut after = String::new();
            loop {
                let page = self.write(|| self.expire_summaries_once(text, settings, &after)).await?;
                expired += page.count;
                let Some(last) = page.last else { break };
                after = last.to_string();
            }
        }
        Ok(expired)
    }
}

impl Neo4jGraph {
    async fn read_entities(&self, queries: Vec<Query>) -> StoreResult<Vec<Entity>> {
        let mut entities: Vec<Entity> = self.connection.read_all(queries).await?;
        entities.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(entities)
    }

    pub(super) async fn expire_entities_once(&self, ids: &[Id]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        transaction.run_ids(MARK_ENTITIES_DIRTY, &sorted(ids.iter().cloned())).await?;
        self.commit(transaction).await
    }

    pub(super) async fn save_entities_once(&self, writes: &[EntityWrite]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        let writes: BTreeMap<&Id, &EntityWrite> = writes.iter().map(|write| (&write.id, write)).collect();
        let sums = writes.values().filter_map(|write| Some(entity_row(write.entity.as_ref()?, write)));
        let kept =
            sorted(writes.values().filter(|write| write.entity.is_some()).map(|write| write.id.clone()));
        let saved: Vec<SavedEntity> = transaction.rows_of(SAVE_ENTITIES, sums.collect()).await?;
        let renamed =
            sorted(saved.iter().filter(|entity| entity.renamed).map(|entity| entity.label.id.clone()));
        unreported::mark(&mut transaction, &kept).await?;
        unreported::mark_concerned(&mut transaction, &renamed).await?;
        let labels: Vec<LabelChange> =
            saved.into_iter().map(|entity| entity.label).filter(LabelChange::is_one).collect();
        change_labels(&mut transaction, &labels).await?;
        let hubs = writes.values().filter_map(|write| write.entity.as_ref()).filter(|sum| is_hub(sum));
        let query = self.connection.query(SAVE_ENTITIES_TOP).param("limit", number(TOP));
        transaction.run_rows_with(query, hubs.map(|sum| id(&sum.id)).collect()).await?;
        let counts: Vec<(&Id, &[PeriodCount])> = writes
            .values()
            .filter(|write| write.entity.is_some())
            .map(|write| (&write.id, write.periods.as_slice()))
            .collect();
        self.save_periods(&mut transaction, &counts).await?;
        clear_tombstones(&mut transaction, &kept).await?;
        let gone =
            sorted(writes.values().filter(|write| write.entity.is_none()).map(|write| write.id.clone()));
        let gone: Vec<IdRow> = transaction.rows_of_ids(SAVE_ENTITIES_GONE, &gone).await?;
        let gone = sorted(gone.into_iter().map(|row| row.id));
        save_tombstones(&mut transaction, VectorKind::Entities, &gone).await?;
        remove_unused_periods(&mut transaction).await?;
        self.commit(transaction).await
    }

    async fn save_labels_once(&self, changes: &[LabelChange]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        change_labels(&mut transaction, changes).await?;
        self.commit(transaction).await
    }

    async fn expire_summaries_once(&self, text: &str, settings: &str, after: &str) -> StoreResult<Expired> {
        let mut transaction = self.connection.begin().await?;
        let query = self.connection.query(text).param("settings", settings).param("after", after);
        let rows: Vec<Expired> = transaction.rows(query.param("limit", number(SUMS_PER_TRANSACTION))).await?;
        self.commit(transaction).await?;
        Ok(rows.into_iter().next().unwrap_or(Expired { last: None, count: 0 }))
    }
}

/// Removes old labels and sets new ones.
async fn change_labels(transaction: &mut Transaction<'_>, changes: &[LabelChange]) -> StoreResult<()> {
    // somebody may have written there what makes it an entity
    let is_a_type = |label: &str| !label.is_empty() && !reserved_labels().contains(label);
    let old = changes.iter().filter(|change| is_a_type(&change.old_label));
    let rows =
        old.map(|change| map([("id", id(&change.id)), ("old_label", change.old_label.as_str().into())]));
    transaction.run_rows(SAVE_LABELS_REMOVE, rows.collect()).await?;
    let rows =
        changes.iter().map(|change| map([("id", id(&change.id)), ("label", change.label.as_str().into())]));
    transaction.run_rows(SAVE_LABELS_SET, rows.collect()).await
}

/// Whether reading what an entity stands in takes so long that the first of it are kept beside the entity.
fn is_hub(sum: &Entity) -> bool {
    [sum.text_unit_count, sum.degree]
        .into_iter()
        .any(|count| usize::try_from(count).is_ok_and(|count| count > TOP))
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
