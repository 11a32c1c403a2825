//! Evidence, with the states of text units: replaced as a whole, many units in one transaction.

use super::Neo4jGraph;
use super::claims::claim_row;
use super::collected::Keyed;
use super::connection::{Transaction, id, in_parts, map, number, sorted, texts};
use super::names::{NameChanges, name_id, unit_names};
use super::periods::MentionSentimentRow;
use super::pinned::{MentionedBy, UnitMentions, listed};
use super::queries::with;
use super::unreported;
use crate::domain::{EvidencePlace, Id, Mention, Opinion, RelationItem, RelationshipEvidence, UnitState};
use crate::stores::StoreResult;
use crate::stores::graph::evidence::recounted;
use crate::stores::graph::{EvidenceReader, EvidenceStore, MentionEdge, UnitWrite};
use async_trait::async_trait;
use neo4rs::BoltType;
use rustc_hash::FxHashSet;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const FORGET_EVIDENCE: &str = include_str!("../../../../cypher/doctor/forget_evidence.cypher");
const MENTIONS_AS_STORED: &str = include_str!("../../../../cypher/store/mentions_as_stored.cypher");
const MENTIONS_IN_UNITS: &str = include_str!("../../../../cypher/store/mentions_in_units.cypher");
const MENTIONS_IN_UNITS_UNLISTED: &str =
    include_str!("../../../../cypher/store/mentions_in_units_unlisted.cypher");
const MENTIONS_OF_ENTITIES: &str = include_str!("../../../../cypher/store/mentions_of_entities.cypher");
const EVIDENCE_OF_RELATIONSHIPS: &str =
    include_str!("../../../../cypher/store/evidence_of_relationships.cypher");
const REMOVE_CLAIMS: &str = include_str!("../../../../cypher/store/remove_claims.cypher");
const SAVE_UNITS_CLAIMS: &str = include_str!("../../../../cypher/store/save_units_claims.cypher");
const SAVE_UNITS_ENTITIES: &str = include_str!("../../../../cypher/store/save_units_entities.cypher");
const SAVE_UNITS_GONE_MENTIONS: &str =
    include_str!("../../../../cypher/store/save_units_gone_mentions.cypher");
const SAVE_UNITS_MENTIONS: &str = include_str!("../../../../cypher/store/save_units_mentions.cypher");
const SAVE_UNITS_OLD_CLAIMS: &str = include_str!("../../../../cypher/store/save_units_old_claims.cypher");
const SAVE_UNITS_OLD_MENTIONS: &str = include_str!("../../../../cypher/store/save_units_old_mentions.cypher");
const SAVE_UNITS_OLD_RELATIONS: &str =
    include_str!("../../../../cypher/store/save_units_old_relations.cypher");
const SAVE_UNITS_RELATIONSHIPS: &str =
    include_str!("../../../../cypher/store/save_units_relationships.cypher");
const SAVE_UNITS_STATE: &str = include_str!("../../../../cypher/store/save_units_state.cypher");
const UNITS_OF_RELATIONSHIPS: &str = include_str!("../../../../cypher/store/units_of_relationships.cypher");

/// Units whose mentions travel in one statement.
const UNITS_PER_STATEMENT: usize = 64;

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
    #[serde(flatten)]
    sentiment: MentionSentimentRow,
}

/// How many claims about an entity a text unit made.
#[derive(Deserialize)]
struct OldClaims {
    text_unit: Id,
    subject: Id,
    claims: u64,
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

/// What units said of a relationship before, by unit and relationship.
type OldRelations = BTreeMap<(Id, Id), Vec<RelationItem>>;

#[derive(Deserialize)]
struct SupportRow {
    id: Id,
    #[serde(flatten)]
    place: EvidencePlace,
}

/// What stands at the other ends, side by side with how often.
type Mentions = Keyed<UnitMentions>;

/// What stands on the text unit itself; absent on one that an earlier version wrote.
type ListedMentions = Keyed<(Option<Vec<Id>>, Option<Vec<u32>>)>;

#[async_trait]
impl EvidenceReader for Neo4jGraph {
    async fn mentions_of_entities(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<MentionEdge>> {
        let mut found: Vec<(Id, MentionedBy)> = Vec::new();
        let mut others = sorted(entities.iter().cloned());
        if let Some(pinned) = &self.pinned {
            let (kept, unread) = pinned.mentioned_by.split(&others);
            others = unread;
            for (id, mentioned) in kept {
                match mentioned.first(limit) {
                    Some(first) => found.push((id, first)),
                    None => others.push(id),
                }
            }
        }
        if !others.is_empty() {
            let queries = with(self.parts_of_ids(MENTIONS_OF_ENTITIES, &others), "limit", &number(limit));
            let rows: Vec<Mentions> = self.connection.read_collected(queries).await?;
            let read = found.len();
            found.extend(rows.into_iter().map(|Keyed { id, values: (text_units, records) }| {
                (id, MentionedBy { limit, text_units, records })
            }));
            if let Some(pinned) = &self.pinned {
                pinned.mentioned_by.keep(found.iter().skip(read).cloned());
            }
        }
        let mut mentions: Vec<MentionEdge> = found
            .into_iter()
            .flat_map(|(entity, MentionedBy { text_units, records, .. })| {
                let ends = text_units.into_iter().zip(records);
                ends.map(move |(text_unit, records)| MentionEdge {
                    text_unit,
                    entity: entity.clone(),
                    records,
                })
            })
            .collect();
        mentions.sort_unstable_by(|a, b| {
            a.entity
                .cmp(&b.entity)
                .then(b.records.cmp(&a.records))
                .then_with(|| a.text_unit.cmp(&b.text_unit))
        });
        Ok(mentions)
    }

    async fn mentions_in_units(&self, text_units: &[Id]) -> StoreResult<Vec<MentionEdge>> {
        let (kept, others) = match &self.pinned {
            Some(pinned) => pinned.mentions.split(&sorted(text_units.iter().cloned())),
            None => (Vec::new(), text_units.to_vec()),
        };
        let mut rows: Vec<Mentions> = kept.into_iter().map(|(id, values)| Keyed { id, values }).collect();
        let found: Vec<ListedMentions> =
            self.connection.read_collected(self.parts_of_ids(MENTIONS_IN_UNITS, &others)).await?;
        let mut unlisted = Vec::new();
        for Keyed { id, values: (mentioned, records) } in found {
            match listed(mentioned, records) {
                Some(values) => rows.push(Keyed { id, values }),
                None => unlisted.push(id),
            }
        }
        if !unlisted.is_empty() {
            let queries = self.parts_of_ids(MENTIONS_IN_UNITS_UNLISTED, &unlisted);
            rows.extend(self.connection.read_collected::<Mentions>(queries).await?);
        }
        Ok(mentions_of_units(rows))
    }

    async fn mentions_as_stored(&self, text_units: &[Id]) -> StoreResult<Vec<MentionEdge>> {
        let queries = self.parts_of_ids(MENTIONS_AS_STORED, text_units);
        Ok(mentions_of_units(self.connection.read_collected(queries).await?))
    }

    /// All that the units mention, then what is asked for: it stands on each unit, in two lists.
    async fn mentions_between(&self, text_units: &[Id], entities: &[Id]) -> StoreResult<Vec<MentionEdge>> {
        if entities.is_empty() {
            return Ok(Vec::new());
        }
        let entities: FxHashSet<&Id> = entities.iter().collect();
        let mut mentions = self.mentions_in_units(text_units).await?;
        mentions.retain(|edge| entities.contains(&edge.entity));
        Ok(mentions)
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

    async fn evidence_of_relationships(&self, ids: &[Id]) -> StoreResult<Vec<RelationshipEvidence>> {
        let mut evidence = self.read_evidence(self.of_ids(EVIDENCE_OF_RELATIONSHIPS, ids)).await?;
        evidence.retain(|relationship| !relationship.items.is_empty());
        Ok(evidence)
    }
}

#[async_trait]
impl EvidenceStore for Neo4jGraph {
    async fn save_units(&self, writes: &[UnitWrite]) -> StoreResult<()> {
        in_parts(writes, |part| self.write(|| self.save_units_once(part))).await
    }

    async fn forget_evidence(&self, relationships: &[Id]) -> StoreResult<()> {
        in_parts(relationships, |part| self.write(|| self.run_ids_once(FORGET_EVIDENCE, part))).await
    }
}

impl Neo4jGraph {
    pub(super) async fn save_units_once(&self, writes: &[UnitWrite]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        let mut writes: BTreeMap<&Id, &UnitWrite> =
            writes.iter().map(|write| (&write.text_unit, write)).collect();
        let rows = writes.values().map(|write| self.state_row(write)).collect::<StoreResult<_>>()?;
        let old_units: Vec<OldUnit> = transaction.rows_of(SAVE_UNITS_STATE, rows).await?;
        let found: BTreeSet<&Id> = old_units.iter().map(|unit| &unit.id).collect();
        writes.retain(|id, _| found.contains(id));

        let had_evidence = sorted(
            old_units.iter().filter(|unit| unit.relationship_ids.is_some()).map(|unit| unit.id.clone()),
        );
        let old_mentions: Vec<OldMention> =
            transaction.rows_of_ids(SAVE_UNITS_OLD_MENTIONS, &had_evidence).await?;
        let old_mentions: Vec<(Id, Mention)> =
            old_mentions.into_iter().map(|row| (row.text_unit, row.sentiment.told_by(row.mention))).collect();
        let old_claims: Vec<OldClaims> =
            transaction.rows_of_ids(SAVE_UNITS_OLD_CLAIMS, &had_evidence).await?;
        let new_claims = || writes.values().flat_map(|write| &write.evidence.claims);
        let subjects =
            old_claims.iter().map(|row| &row.subject).chain(new_claims().map(|claim| &claim.subject));
        let subjects = sorted(subjects.cloned());
        let recounted = recounted_subjects(&writes, old_claims);
        save_mentions(&mut transaction, &writes, &old_mentions, &recounted).await?;
        let old_relations = read_old_relations(&mut transaction, &old_units, &had_evidence).await?;
        save_relationships(&mut transaction, &writes, &old_relations).await?;
        transaction.run_ids(REMOVE_CLAIMS, &had_evidence).await?;
        transaction.run_rows(SAVE_UNITS_CLAIMS, new_claims().map(claim_row).collect()).await?;
        unreported::mark(&mut transaction, &subjects).await?;
        let mut names = NameChanges::default();
        for old in &old_units {
            if let Some(write) = writes.get(&old.id) {
                names.add(&self.stored_records(&old.records)?, -1);
                names.add(&write.state.records, 1);
            }
        }
        names.apply(&self.connection.ids, &mut transaction).await?;
        self.commit(transaction).await
    }

    fn state_row(&self, write: &UnitWrite) -> StoreResult<BoltType> {
        let state = &write.state;
        let relationships: Vec<&str> =
            write.evidence.relations.iter().map(|relation| relation.relationship.as_str()).collect();
        let mentions = &write.evidence.mentions;
        let mentioned: BTreeMap<&str, usize> =
            mentions.iter().map(|mention| (mention.entity.as_str(), record_count(mention))).collect();
        let marker = |pending: bool| BoltType::from(pending.then(|| write.text_unit.as_str()));
        Ok(map([
            ("id", id(&write.text_unit)),
            ("fence", write.lease.map(number).into()),
            ("worker", self.connection.worker.as_str().into()),
            (
                "state",
                map([
                    ("records", self.json(&state.records)?.into()),
                    ("extraction", state.extraction.clone().into()),
                    ("extraction_error", state.error.clone().into()),
                    ("linked", state.linked.clone().into()),
                    ("linking_done", state.linking_done.into()),
                    ("records_lost", number(state.records_lost)),
                    ("records_pruned", number(state.records_pruned)),
                    ("records_gleaned", number(state.records_gleaned)),
                    ("todo_extraction", marker(state.extraction.is_none() && state.error.is_none())),
                    (
                        "todo_linking",
                        marker(state.extraction.is_some() && state.error.is_none() && !state.linking_done),
                    ),
                    ("relationship_ids", relationships.into()),
                    ("mentioned", mentioned.keys().copied().collect()),
                    ("mentioned_records", mentioned.values().map(|records| number(*records)).collect()),
                    ("name_ids", self.name_ids(state).into()),
                ]),
            ),
        ]))
    }

    /// A word for each name that the unit's records or linked names hold.
    fn name_ids(&self, state: &UnitState) -> Vec<String> {
        let mut keys: BTreeSet<String> = unit_names(&state.records).into_keys().collect();
        keys.extend(state.linked.iter().cloned());
        keys.iter().map(|key| name_id(&self.connection.ids, key).to_string()).collect()
    }
}

/// Entities of which a text unit makes more claims or fewer than it did.
fn recounted_subjects(writes: &BTreeMap<&Id, &UnitWrite>, old_claims: Vec<OldClaims>) -> BTreeSet<Id> {
    let mut stored: BTreeMap<Id, BTreeMap<Id, u64>> = BTreeMap::new();
    for row in old_claims {
        stored.entry(row.text_unit).or_default().insert(row.subject, row.claims);
    }
    let none = BTreeMap::new();
    let changed = |(unit, write): (&&Id, &&UnitWrite)| {
        recounted(stored.get(*unit).unwrap_or(&none), &write.evidence.claims)
    };
    writes.iter().flat_map(changed).collect()
}

/// Writes the mentions that differ from what is stored, and makes their entities dirty, or makes them at all; those that are
/// recounted are dirty as well.
async fn save_mentions(
    transaction: &mut Transaction<'_>,
    writes: &BTreeMap<&Id, &UnitWrite>,
    old_mentions: &[(Id, Mention)],
    recounted: &BTreeSet<Id>,
) -> StoreResult<()> {
    let mut old: BTreeMap<(&Id, &Id), &Mention> =
        old_mentions.iter().map(|mention| ((&mention.0, &mention.1.entity), &mention.1)).collect();
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
    for subject in recounted {
        entities.entry(subject).or_default();
    }
    let entities =
        entities.into_iter().map(|(entity, name)| map([("id", id(entity)), ("name", name.into())]));
    transaction.run_rows(SAVE_UNITS_ENTITIES, entities.collect()).await?;
    let gone = gone
        .iter()
        .map(|(text_unit, entities)| map([("text_unit", id(text_unit)), ("entities", texts(entities))]));
    transaction.run_rows(SAVE_UNITS_GONE_MENTIONS, gone.collect()).await?;
    for batch in rows.chunks(UNITS_PER_STATEMENT) {
        transaction.run_rows(SAVE_UNITS_MENTIONS, batch.to_vec()).await?;
    }
    Ok(())
}

async fn read_old_relations(
    transaction: &mut Transaction<'_>,
    old_units: &[OldUnit],
    had_evidence: &[Id],
) -> StoreResult<OldRelations> {
    let ids = sorted(old_units.iter().flat_map(|unit| unit.relationship_ids.iter().flatten().cloned()));
    if ids.is_empty() {
        return Ok(OldRelations::new());
    }
    let query =
        transaction.connection.query(SAVE_UNITS_OLD_RELATIONS).param("text_units", texts(had_evidence));
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

/// Removes the claims of units that go, whose subjects are not reported of as they are.
pub(super) async fn remove_claims(transaction: &mut Transaction<'_>, units: &[Id]) -> StoreResult<()> {
    let claims: Vec<OldClaims> = transaction.rows_of_ids(SAVE_UNITS_OLD_CLAIMS, units).await?;
    unreported::mark(transaction, &sorted(claims.into_iter().map(|row| row.subject))).await?;
    transaction.run_ids(REMOVE_CLAIMS, units).await
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
    transaction.run_rows(SAVE_UNITS_RELATIONSHIPS, rows.collect()).await
}

fn relationship_row(relationship: &Id, change: &RelationshipChange<'_>) -> BoltType {
    let items = || change.items.iter().map(|(_, item)| item);
    // one that comes points as the first that is said of it; where the sum of all points otherwise, it is turned then
    let points_back = change.items.first().is_some_and(|(_, item)| !item.forward);
    let (source, target) =
        change.ends.map(|(low, high)| if points_back { (high, low) } else { (low, high) }).unzip();
    map([
        ("id", id(relationship)),
        ("source", source.map(Id::as_str).into()),
        ("target", target.map(Id::as_str).into()),
        ("replaced", change.replaced.iter().map(|unit| unit.as_str()).collect()),
        ("text_unit_ids", change.items.iter().map(|(unit, _)| unit.as_str()).collect()),
        ("types", items().map(|item| item.kind.as_str()).collect()),
        ("descriptions", items().map(|item| item.description.as_str()).collect()),
        ("strengths", items().map(|item| number(item.strength)).collect()),
        ("forwards", items().map(|item| item.forward).collect()),
    ])
}

fn mention_row(mention: &Mention) -> BoltType {
    let sentiment = mention.sentiment.as_ref();
    let opinions = sentiment.map_or(&[][..], |sentiment| sentiment.opinions.as_slice());
    let lists = |of: fn(&Opinion) -> BoltType| -> BoltType {
        if opinions.is_empty() {
            BoltType::from(None::<&str>)
        } else {
            opinions.iter().map(of).collect::<Vec<_>>().into()
        }
    };
    map([
        ("entity", id(&mention.entity)),
        (
            "properties",
            map([
                ("names", mention.names.clone().into()),
                ("types", mention.kinds.clone().into()),
                ("descriptions", mention.descriptions.clone().into()),
                ("linked", mention.linked.into()),
                ("record_count", number(record_count(mention))),
                ("sentiment", sentiment.map(|sentiment| f64::from(sentiment.score) / 1000.0).into()),
                ("sentiment_words", sentiment.map(|sentiment| sentiment.words.clone()).into()),
                ("opinion_holders", lists(|opinion| opinion.holder.as_str().into())),
                ("opinion_scores", lists(|opinion| number(opinion.score))),
                ("opinion_quotes", lists(|opinion| opinion.quote.as_str().into())),
            ]),
        ),
    ])
}

fn record_count(mention: &Mention) -> usize {
    if mention.linked { 0 } else { mention.records() }
}

/// Mentions by unit, then entity.
fn mentions_of_units(rows: Vec<Mentions>) -> Vec<MentionEdge> {
    let mut mentions: Vec<MentionEdge> = rows
        .into_iter()
        .flat_map(|Keyed { id, values: (mentioned, records) }| {
            let ends = mentioned.into_iter().zip(records);
            ends.map(|(entity, records)| MentionEdge { text_unit: id.clone(), entity, records })
                .collect::<Vec<_>>()
        })
        .collect();
    mentions.sort_unstable();
    mentions
}
