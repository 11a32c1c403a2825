//! Text units' states and evidence: replaced as a whole, many units in one transaction.

use super::Neo4jGraph;
use super::connection::{Transaction, id, in_batches, map, number, sorted, texts};
use super::names::{NameChanges, name_id, unit_names};
use super::reader::IdRow;
use crate::domain::{Claim, Id, Mention, RelationItem, Stage, StoredUnit, UnitState};
use crate::stores::StoreResult;
use crate::stores::graph::{GraphReader, UnitWrite};
use neo4rs::BoltType;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const SAVE_STATE: &str = include_str!("../../../../cypher/store/save_units_state.cypher");
const OLD_MENTIONS: &str = include_str!("../../../../cypher/store/save_units_old_mentions.cypher");
const SAVE_ENTITIES: &str = include_str!("../../../../cypher/store/save_units_entities.cypher");
const GONE_MENTIONS: &str = include_str!("../../../../cypher/store/save_units_gone_mentions.cypher");
const SAVE_MENTIONS: &str = include_str!("../../../../cypher/store/save_units_mentions.cypher");
const SAVE_RELATIONSHIPS: &str = include_str!("../../../../cypher/store/save_units_relationships.cypher");
const SAVE_CLAIMS: &str = include_str!("../../../../cypher/store/save_units_claims.cypher");
const REMOVE_CLAIMS: &str = include_str!("../../../../cypher/store/remove_claims.cypher");
const PENDING_EXTRACTION: &str = include_str!("../../../../cypher/store/pending_extraction.cypher");
const PENDING_LINKING: &str = include_str!("../../../../cypher/store/pending_linking.cypher");
const EXPIRED: &str = include_str!("../../../../cypher/store/expire_extraction_find.cypher");
const FAILED: &str = include_str!("../../../../cypher/store/retry_failed_find.cypher");
const EXPIRE: &str = include_str!("../../../../cypher/store/expire_extraction.cypher");
const RETRY: &str = include_str!("../../../../cypher/store/retry_failed.cypher");
const OLD_RELATIONS: &str = include_str!("../../../../cypher/store/save_units_old_relations.cypher");

/// Units whose mentions travel in one statement.
const UNITS_PER_STATEMENT: usize = 64;
/// Units made pending in one transaction.
const UNITS_PER_TRANSACTION: usize = 5_000;

#[derive(Deserialize)]
struct OldUnit {
    id: Id,
    /// Absent where the unit has had no evidence yet.
    relationship_ids: Option<Vec<Id>>,
    records: String,
}

#[derive(Deserialize)]
struct OldMention {
    text_unit: Id,
    #[serde(flatten)]
    mention: Mention,
}

#[derive(Deserialize)]
struct OldRelation {
    id: Id,
    text_unit_ids: Vec<Id>,
    kinds: Vec<String>,
    descriptions: Vec<String>,
    strengths: Vec<u32>,
    forwards: Vec<bool>,
}

/// What changes at one relationship: entries of `replaced` units go, `items` come.
#[derive(Default)]
struct RelationshipChange<'a> {
    ends: Option<(&'a Id, &'a Id)>,
    replaced: Vec<&'a Id>,
    items: Vec<(&'a Id, &'a RelationItem)>,
}

impl Neo4jGraph {
    pub(super) async fn write_units_once(&self, writes: &[UnitWrite]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        let mut writes: BTreeMap<&Id, &UnitWrite> =
            writes.iter().map(|write| (&write.text_unit, write)).collect();
        let rows = writes.values().map(|write| self.state_row(write)).collect();
        let old_units: Vec<OldUnit> = transaction.rows_of(SAVE_STATE, rows).await?;
        let found: BTreeSet<&Id> = old_units.iter().map(|unit| &unit.id).collect();
        writes.retain(|id, _| found.contains(id));

        let had_evidence = sorted(
            old_units.iter().filter(|unit| unit.relationship_ids.is_some()).map(|unit| unit.id.clone()),
        );
        let old_mentions: Vec<OldMention> = transaction.rows_of_ids(OLD_MENTIONS, &had_evidence).await?;
        save_mentions(&mut transaction, &writes, &old_mentions).await?;
        let old_relations = read_old_relations(&mut transaction, &old_units, &had_evidence).await?;
        save_relationships(&mut transaction, &writes, &old_relations).await?;
        transaction.run_ids(REMOVE_CLAIMS, &had_evidence).await?;
        let claims = writes.values().flat_map(|write| &write.evidence.claims);
        transaction.run_rows(SAVE_CLAIMS, claims.map(claim_row).collect()).await?;
        let mut names = NameChanges::default();
        for old in &old_units {
            if let Some(write) = writes.get(&old.id) {
                names.take_back_stored(&old.records);
                names.add(&write.state.records, 1);
            }
        }
        names.apply(&self.connection.ids, &mut transaction).await?;
        self.commit(transaction).await
    }

    fn state_row(&self, write: &UnitWrite) -> BoltType {
        let state = &write.state;
        let relationships: Vec<&str> =
            write.evidence.relations.iter().map(|relation| relation.relationship.as_str()).collect();
        let marker = |pending: bool| BoltType::from(pending.then(|| write.text_unit.as_str()));
        map([
            ("id", id(&write.text_unit)),
            ("fence", write.lease.map(number).into()),
            ("worker", self.connection.worker.as_str().into()),
            (
                "state",
                map([
                    ("records", serde_json::to_string(&state.records).unwrap_or_default().into()),
                    ("extraction", state.extraction.clone().into()),
                    ("extraction_error", state.error.clone().into()),
                    ("linked", state.linked.clone().into()),
                    ("linking_done", state.linking_done.into()),
                    ("records_lost", number(state.records_lost)),
                    ("records_pruned", number(state.records_pruned)),
                    ("todo_extraction", marker(state.extraction.is_none() && state.error.is_none())),
                    (
                        "todo_linking",
                        marker(state.extraction.is_some() && state.error.is_none() && !state.linking_done),
                    ),
                    ("relationship_ids", relationships.into()),
                    ("name_ids", self.name_ids(state).into()),
                ]),
            ),
        ])
    }

    /// A word for each name that the unit's records or linked names hold.
    fn name_ids(&self, state: &UnitState) -> Vec<String> {
        let mut keys: BTreeSet<String> = unit_names(&state.records).into_keys().collect();
        keys.extend(state.linked.iter().cloned());
        keys.iter().map(|key| name_id(&self.connection.ids, key).to_string()).collect()
    }

    pub(super) async fn read_pending_units(
        &self,
        stage: Stage,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<StoredUnit>> {
        let text = match stage {
            Stage::Extraction => PENDING_EXTRACTION,
            Stage::Linking => PENDING_LINKING,
        };
        let query = self.connection.query(text).param("after", after.map_or("", Id::as_str));
        let rows: Vec<IdRow> = self.connection.read(query.param("limit", number(limit))).await?;
        let ids: Vec<Id> = rows.into_iter().map(|row| row.id).collect();
        self.text_units_by_id(&ids).await
    }

    pub(super) async fn make_expired_pending(&self, settings: &str) -> StoreResult<u64> {
        let query =
            self.connection.query(EXPIRED).param("settings", settings).param("imported", UnitState::IMPORTED);
        self.make_pending(EXPIRE, self.connection.read(query).await?).await
    }

    pub(super) async fn make_failed_pending(&self) -> StoreResult<u64> {
        self.make_pending(RETRY, self.connection.read(self.connection.query(FAILED)).await?).await
    }

    async fn make_pending(&self, text: &str, rows: Vec<IdRow>) -> StoreResult<u64> {
        let ids = sorted(rows.into_iter().map(|row| row.id));
        let mark = |part| self.write(move || self.write_ids_once(text, part));
        in_batches(&ids, UNITS_PER_TRANSACTION, mark).await?;
        Ok(ids.len() as u64)
    }

    /// One statement over ids in a transaction of its own.
    pub(super) async fn write_ids_once(&self, text: &str, ids: &[Id]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        transaction.run_ids(text, ids).await?;
        self.commit(transaction).await
    }
}

/// Writes the mentions that differ from what is stored, and makes their entities dirty, or makes them at all.
async fn save_mentions(
    transaction: &mut Transaction<'_>,
    writes: &BTreeMap<&Id, &UnitWrite>,
    old_mentions: &[OldMention],
) -> StoreResult<()> {
    let mut old: BTreeMap<(&Id, &Id), &Mention> =
        old_mentions.iter().map(|row| ((&row.text_unit, &row.mention.entity), &row.mention)).collect();
    let mut entities: BTreeMap<&Id, &str> = BTreeMap::new();
    let (mut rows, mut gone): (Vec<BoltType>, BTreeMap<&Id, Vec<Id>>) = Default::default();
    for (text_unit, write) in writes {
        let mut mentions = Vec::new();
        for mention in &write.evidence.mentions {
            let stored = old.remove(&(*text_unit, &mention.entity));
            if stored == Some(mention) {
                continue;
            }
            if stored.is_some() {
                gone.entry(text_unit).or_default().push(mention.entity.clone());
            }
            entities.insert(&mention.entity, mention.names.first().map_or("", String::as_str));
            mentions.push(mention_row(mention));
        }
        if !mentions.is_empty() {
            rows.push(map([("text_unit", id(text_unit)), ("mentions", mentions.into())]));
        }
    }
    for (text_unit, entity) in old.into_keys() {
        entities.entry(entity).or_default();
        gone.entry(text_unit).or_default().push(entity.clone());
    }
    let entities =
        entities.into_iter().map(|(entity, name)| map([("id", id(entity)), ("name", name.into())]));
    transaction.run_rows(SAVE_ENTITIES, entities.collect()).await?;
    let gone = gone
        .iter()
        .map(|(text_unit, entities)| map([("text_unit", id(text_unit)), ("entities", texts(entities))]));
    transaction.run_rows(GONE_MENTIONS, gone.collect()).await?;
    for batch in rows.chunks(UNITS_PER_STATEMENT) {
        transaction.run_rows(SAVE_MENTIONS, batch.to_vec()).await?;
    }
    Ok(())
}

/// What units said of a relationship before, by unit and relationship.
type OldRelations = BTreeMap<(Id, Id), Vec<RelationItem>>;

async fn read_old_relations(
    transaction: &mut Transaction<'_>,
    old_units: &[OldUnit],
    had_evidence: &[Id],
) -> StoreResult<OldRelations> {
    let ids = sorted(old_units.iter().flat_map(|unit| unit.relationship_ids.iter().flatten().cloned()));
    if ids.is_empty() {
        return Ok(OldRelations::new());
    }
    let query = transaction.connection.query(OLD_RELATIONS).param("text_units", texts(had_evidence));
    let rows: Vec<OldRelation> = transaction.rows(query.param("ids", texts(&ids))).await?;
    let mut relations = OldRelations::new();
    for row in rows {
        let entries = row.kinds.into_iter().zip(row.descriptions).zip(row.strengths).zip(row.forwards);
        for (text_unit, (((kind, description), strength), forward)) in
            row.text_unit_ids.into_iter().zip(entries)
        {
            let item = RelationItem { kind, description, strength, forward };
            relations.entry((text_unit, row.id.clone())).or_default().push(item);
        }
    }
    Ok(relations)
}

/// Writes the evidence that differs from what is stored; its relationships become dirty.
async fn save_relationships(
    transaction: &mut Transaction<'_>,
    writes: &BTreeMap<&Id, &UnitWrite>,
    old_relations: &OldRelations,
) -> StoreResult<()> {
    let mut old: BTreeMap<(&Id, &Id), &Vec<RelationItem>> = old_relations
        .iter()
        .map(|((text_unit, relationship), items)| ((text_unit, relationship), items))
        .collect();
    let mut changes: BTreeMap<&Id, RelationshipChange<'_>> = BTreeMap::new();
    for (text_unit, write) in writes {
        for relation in &write.evidence.relations {
            let stored = old.remove(&(*text_unit, &relation.relationship));
            if stored == Some(&relation.items) {
                continue;
            }
            let change = changes.entry(&relation.relationship).or_default();
            if stored.is_some() {
                change.replaced.push(text_unit);
            }
            change.ends = Some((&relation.low, &relation.high));
            change.items.extend(relation.items.iter().map(|item| (*text_unit, item)));
        }
    }
    for (text_unit, relationship) in old.into_keys() {
        changes.entry(relationship).or_default().replaced.push(text_unit);
    }
    apply_relationship_changes(transaction, &changes).await
}

/// Takes the evidence of units that go from their relationships, which become dirty.
pub(super) async fn remove_relationship_evidence<'a>(
    transaction: &mut Transaction<'_>,
    supports: impl IntoIterator<Item = (&'a Id, &'a [Id])>,
) -> StoreResult<()> {
    let mut changes: BTreeMap<&Id, RelationshipChange<'_>> = BTreeMap::new();
    for (text_unit, relationships) in supports {
        for relationship in relationships {
            changes.entry(relationship).or_default().replaced.push(text_unit);
        }
    }
    apply_relationship_changes(transaction, &changes).await
}

async fn apply_relationship_changes(
    transaction: &mut Transaction<'_>,
    changes: &BTreeMap<&Id, RelationshipChange<'_>>,
) -> StoreResult<()> {
    let rows = changes.iter().map(|(relationship, change)| relationship_row(relationship, change));
    transaction.run_rows(SAVE_RELATIONSHIPS, rows.collect()).await
}

fn relationship_row(relationship: &Id, change: &RelationshipChange<'_>) -> BoltType {
    let items = || change.items.iter().map(|(_, item)| item);
    let (low, high) = change.ends.unzip();
    map([
        ("id", id(relationship)),
        ("low", low.map(Id::as_str).into()),
        ("high", high.map(Id::as_str).into()),
        ("replaced", change.replaced.iter().map(|unit| unit.as_str()).collect()),
        ("text_unit_ids", change.items.iter().map(|(unit, _)| unit.as_str()).collect()),
        ("types", items().map(|item| item.kind.as_str()).collect()),
        ("descriptions", items().map(|item| item.description.as_str()).collect()),
        ("strengths", items().map(|item| number(item.strength)).collect()),
        ("forwards", items().map(|item| item.forward).collect()),
    ])
}

fn mention_row(mention: &Mention) -> BoltType {
    let record_count = if mention.linked { 0 } else { mention.names.len() };
    map([
        ("entity", id(&mention.entity)),
        (
            "properties",
            map([
                ("names", mention.names.clone().into()),
                ("types", mention.kinds.clone().into()),
                ("descriptions", mention.descriptions.clone().into()),
                ("linked", mention.linked.into()),
                ("record_count", number(record_count)),
            ]),
        ),
    ])
}

fn claim_row(claim: &Claim) -> BoltType {
    map([
        ("id", id(&claim.id)),
        ("text_unit", id(&claim.text_unit)),
        ("subject", id(&claim.subject)),
        ("object", claim.object.as_ref().map(Id::as_str).into()),
        (
            "properties",
            map([
                ("type", claim.kind.as_str().into()),
                ("status", claim.status.as_str().into()),
                ("description", claim.description.as_str().into()),
                ("start_date", claim.start_date.as_str().into()),
                ("end_date", claim.end_date.as_str().into()),
                ("source_text", claim.source_text.as_str().into()),
            ]),
        ),
    ])
}
