//! The graph store: documents, text units, their evidence, what is summed up from it, and the hierarchy above it.
//!
//! Evidence comes in whole text units ([`UnitWrite`]); a store replaces what the unit said before and marks every
//! entity and relationship that it touched as dirty, all in one transaction. Dirty ones are then read with all
//! their evidence, summed up by `index/graph` and written back. Readers see an entity as soon as its first
//! sum is in, and which units mention it before.
//!
//! There is one writer, and it sums up what it read: no evidence is written between reading dirty ones and writing
//! their sums. Other workers of a run write only the evidence of pending text units that they have leased, and
//! nothing is summed up while there are such.

pub mod found_by;
mod checks;
pub mod sqlite;
pub mod neo4j;
mod workers;

pub use checks::Check;
pub use workers::{Leased, Part};

use super::StoreResult;
use crate::domain::{
    Claim, Community, Counts, Document, DocumentFacts, DocumentStatus, Edit, Entity, EntityEvidence, Id,
    LedgerRow, LineageStep, Relationship, RelationshipEvidence, Spent, Stage, Stale, StaleMarks, StoredUnit,
    TextUnit, TreeNode, UnitEvidence, UnitState, Verdict, Worker,
};
use async_trait::async_trait;
use fail::fail_point;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Version of the stored shape (design 20).
pub const SCHEMA_VERSION: u32 = 1;

/// Pieces of evidence after which [`GraphStore::dirty_entities`] and [`GraphStore::dirty_relationships`] end a batch, so
/// that memory does not grow with what is said everywhere; the last node's come whole.
pub const EVIDENCE_AT_ONCE: usize = 10_000;

/// The kinds of nodes that have vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VectorKind {
    /// Entities: name, aliases and description.
    Entities,
    /// Text units: their text.
    TextUnits,
    /// Communities: title, summary and findings.
    Reports,
    /// Nodes of summary trees: passages and summaries.
    Summaries,
}

impl VectorKind {
    /// All kinds, in the order they are brought up to date.
    pub const ALL: [Self; 4] = [Self::TextUnits, Self::Entities, Self::Reports, Self::Summaries];

    /// Name of the collection's last part: `entities`, `text_units`, `reports`, `summaries`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Entities => "entities",
            Self::TextUnits => "text_units",
            Self::Reports => "reports",
            Self::Summaries => "summaries",
        }
    }
}

/// What the workspace's own node says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspaceState {
    /// The generation that readers use; 0 before the first.
    pub generation: u64,
    /// What it was built with: `text_units`, `extraction`, `vectors`, … each a short text; sorted.
    pub settings: BTreeMap<String, String>,
}

/// One text unit's new state and evidence; replaces the old as a whole.
#[derive(Clone, Debug)]
pub struct UnitWrite {
    /// The unit.
    pub text_unit: Id,
    /// Its new state.
    pub state: UnitState,
    /// Its evidence under the current resolution and edits.
    pub evidence: UnitEvidence,
    /// True where the unit may have had evidence before; false lets a store skip looking for it.
    pub replaces: bool,
    /// Fencing token of the lease under which the unit was read: where another process has taken the unit over since, it
    /// is passed over. Absent for what only the writer does.
    pub lease: Option<u64>,
}

/// A dirty entity's new sum: `entity` is `None` where it has no mention left and goes.
#[derive(Clone, Debug)]
pub struct EntityWrite {
    /// Its id.
    pub id: Id,
    /// The sum, or nothing.
    pub entity: Option<Entity>,
    /// Fingerprint of the descriptions behind `description`, and the summary, where one was written.
    pub summary: Option<(String, String)>,
    /// Type label for the graph (`UpperCamelCase`, sanitised), decided over the whole corpus; empty for none.
    pub label: String,
}

/// A dirty relationship's new sum: `relationship` is `None` where it has no evidence left and goes.
#[derive(Clone, Debug)]
pub struct RelationshipWrite {
    /// Its id.
    pub id: Id,
    /// The sum, or nothing.
    pub relationship: Option<Relationship>,
    /// As in [`EntityWrite::summary`].
    pub summary: Option<(String, String)>,
}

/// A name as one entity's units write it: the dictionary's and resolution's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameUse {
    /// [`crate::domain::name_key`].
    pub key: String,
    /// The spelling most units use, then code point order.
    pub name: String,
    /// Types given to it with the number of records, sorted by type.
    pub kinds: Vec<(String, u32)>,
    /// Number of text units whose own records hold it.
    pub text_unit_count: u32,
}

/// A node whose vectors are not up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingVector {
    /// Its id.
    pub id: Id,
    /// The text to be found by.
    pub text: String,
    /// Fingerprint stored at the node, if any.
    pub stored_fingerprint: Option<String>,
    /// Document of a text unit.
    pub document_id: Option<Id>,
    /// Level of a report.
    pub level: Option<u32>,
    /// Type of an entity.
    pub kind: Option<String>,
}

/// A node that has vectors, or is to have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorNode {
    /// Its id.
    pub id: Id,
    /// Of what its vectors were made from.
    pub fingerprint: Option<String>,
    /// Whether new ones are to be made.
    pub pending: bool,
}

/// What people changed at an entity by hand; `None` where they did not.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct HandChange {
    /// The entity.
    pub id: Id,
    /// Its new name.
    pub name: Option<String>,
    /// Its pinned type.
    pub kind: Option<String>,
    /// Its pinned description.
    pub description: Option<String>,
}

/// What people made by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adopted {
    /// Names of what is part of the graph from now on.
    pub names: Vec<String>,
    /// Names of what is in the graph already.
    pub refused: Vec<String>,
}

/// A mention as a graph edge: which unit mentions which entity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MentionEdge {
    /// The text unit.
    pub text_unit: Id,
    /// The entity.
    pub entity: Id,
    /// Number of records; 0 for a linked mention.
    pub records: u32,
}

/// A text unit without its text and records: what it stands under.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct UnitHeading {
    /// The text unit.
    pub id: Id,
    /// Its document.
    pub document_id: Id,
    /// The document's title.
    pub document_title: String,
    /// The section's headings, outermost first.
    pub headings: Vec<String>,
}

/// The graph as dense integers: what community detection works on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeList {
    /// Entities, sorted by id.
    pub ids: Vec<Id>,
    /// Relationships as places in `ids` (low, high), weight and strength; sorted.
    pub edges: Vec<(u32, u32, u32, u32)>,
}

/// What a clustering worked on, so that the next can tell what has changed since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clustered {
    /// The generation that it led to.
    pub generation: u64,
    /// How it was made, a short text.
    pub settings: String,
    /// Of each entity its key and a sum over its relationships; sorted.
    pub marks: Vec<(u64, u64)>,
}

/// What is asked of a store that can cluster by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct GdsRequest {
    /// Greater: more and smaller communities.
    pub resolution: f64,
    /// Seed of every random choice.
    pub seed: u64,
    /// `count` or `strength`.
    pub weight: String,
}

/// What changed when a document was replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocumentChange {
    /// Units that are new.
    pub added: u64,
    /// Units that stayed.
    pub kept: u64,
    /// Units that went.
    pub removed: u64,
}

/// Reads of the graph; what a query sees. All lists come sorted by id unless said otherwise. Entities and
/// relationships still without a sum are left out of all of them but [`Self::mentions_of_entities`] and
/// [`Self::mentions_in_units`].
#[async_trait]
pub trait GraphReader: Send + Sync {
    /// The workspace's state.
    async fn state(&self) -> StoreResult<WorkspaceState>;
    /// What is stored, of the current generation.
    async fn counts(&self) -> StoreResult<Counts>;
    /// How much was made with other settings than these.
    async fn stale(&self, marks: &StaleMarks) -> StoreResult<Stale>;
    /// Documents with a key greater than `after`, by key, at most `limit`.
    async fn documents(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<Document>>;
    /// The documents of these ids that exist.
    async fn documents_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Document>>;
    /// How far each document has come, by key, from behind `after`, at most `limit`.
    async fn document_status(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<DocumentStatus>>;
    /// The units of a document, by index.
    async fn text_units_of(&self, document: &Id) -> StoreResult<Vec<StoredUnit>>;
    /// The units of these ids that exist.
    async fn text_units_by_id(&self, ids: &[Id]) -> StoreResult<Vec<StoredUnit>>;
    /// As [`Self::text_units_by_id`], for showing them: their state is not read and stands at its default, for the records
    /// of a unit can be longer than its text.
    async fn passages_by_id(&self, ids: &[Id]) -> StoreResult<Vec<StoredUnit>>;
    /// As [`Self::text_units_by_id`], without texts and records.
    async fn unit_headings(&self, ids: &[Id]) -> StoreResult<Vec<UnitHeading>>;
    /// Units with an id greater than `after`, at most `limit`.
    async fn text_units(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<StoredUnit>>;
    /// Entities with an id greater than `after`, at most `limit`.
    async fn entities(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Entity>>;
    /// The entities of these ids that exist.
    async fn entities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Entity>>;
    /// Relationships with an id greater than `after`, at most `limit`.
    async fn relationships(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Relationship>>;
    /// All entities and relationships as dense integers, in memory of some 100 bytes an entity and 16 a
    /// relationship. Stores override it where they have something faster.
    async fn edge_list(&self) -> StoreResult<EdgeList> {
        const PAGE: usize = 5000;
        let mut list = EdgeList::default();
        loop {
            let page = self.entities(list.ids.last(), PAGE).await?;
            let done = page.len() < PAGE;
            list.ids.extend(page.into_iter().map(|entity| entity.id));
            if done {
                break;
            }
        }
        let mut after: Option<Id> = None;
        loop {
            let page = self.relationships(after.as_ref(), PAGE).await?;
            for relationship in &page {
                let source = list.ids.binary_search(&relationship.source);
                let target = list.ids.binary_search(&relationship.target);
                if let (Ok(source), Ok(target)) = (source, target)
                    && let (Ok(source), Ok(target)) = (u32::try_from(source), u32::try_from(target))
                {
                    let (low, high) = if source < target { (source, target) } else { (target, source) };
                    list.edges.push((low, high, relationship.weight, relationship.strength));
                }
            }
            if page.len() < PAGE {
                break;
            }
            after = page.into_iter().next_back().map(|relationship| relationship.id);
        }
        list.edges.sort_unstable();
        Ok(list)
    }
    /// The relationships of these ids that exist.
    async fn relationships_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Relationship>>;
    /// For each of these entities its `limit` heaviest relationships (weight, then id); each relationship once.
    async fn relationships_of(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<Relationship>>;
    /// For each of these relationships the units that support it, by place, at most `limit` each. Relationships
    /// without any are left out.
    async fn units_of_relationships(&self, ids: &[Id], limit: usize) -> StoreResult<Vec<(Id, Vec<Id>)>>;
    /// For each of these entities, by id, its mentions, most records first, then unit id, at most `limit` each.
    async fn mentions_of_entities(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<MentionEdge>>;
    /// Every mention in these units, by unit, then entity.
    async fn mentions_in_units(&self, text_units: &[Id]) -> StoreResult<Vec<MentionEdge>>;
    /// Every mention of these entities in these units, by unit, then entity.
    async fn mentions_between(&self, text_units: &[Id], entities: &[Id]) -> StoreResult<Vec<MentionEdge>>;
    /// Claims with an id greater than `after`, at most `limit`.
    async fn claims(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Claim>>;
    /// The claims of these ids that exist.
    async fn claims_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Claim>>;
    /// The claims whose subject is one of these entities.
    async fn claims_of(&self, entities: &[Id]) -> StoreResult<Vec<Claim>>;
    /// All communities valid in a generation, by level, then id, each with the parent it has there. Members that
    /// have left the graph since are left out.
    async fn communities(&self, generation: u64) -> StoreResult<Vec<Community>>;
    /// The communities of these ids that are valid in the generation that readers use.
    async fn communities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Community>>;
    /// The communities of every level that hold these entities: (entity, community), by entity, then level,
    /// then community.
    async fn communities_of(&self, entities: &[Id], generation: u64) -> StoreResult<Vec<(Id, Id)>>;
    /// The roots of all summary trees in a generation, by document, the top tree's first, then id.
    async fn tree_roots(&self, generation: u64) -> StoreResult<Vec<TreeNode>>;
    /// The nodes of summary trees of these ids that are valid in the generation that readers use.
    async fn tree_nodes_by_id(&self, ids: &[Id]) -> StoreResult<Vec<TreeNode>>;
    /// Nodes of summary trees in the generation that readers use, with an id greater than `after`, at most `limit`.
    async fn tree_nodes(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<TreeNode>>;
    /// The atomic facts of these documents, by document; those without any are left out.
    async fn facts_of(&self, documents: &[Id]) -> StoreResult<Vec<DocumentFacts>>;
    /// The history of lines of communities up to the generation that readers use, by line, then generation.
    async fn lineage_steps(&self) -> StoreResult<Vec<LineageStep>>;
    /// What was saved by [`GraphStore::save_clustered`]; empty where nothing was.
    async fn clustered(&self) -> StoreResult<Clustered>;
    /// Communities of each entity as the store itself finds them, finest level first; by entity.
    ///
    /// # Errors
    /// [`super::StoreError::Unusable`] where it cannot, saying what is needed.
    async fn gds_communities(&self, request: &GdsRequest) -> StoreResult<Vec<(Id, Vec<i64>)>>;
    /// The resolution table: name key to the key of the canonical name; only where they differ. Sorted.
    async fn resolution(&self) -> StoreResult<BTreeMap<String, String>>;
    /// The entries of the resolution table for these name keys, where there are any.
    async fn resolved(&self, keys: &[String]) -> StoreResult<BTreeMap<String, String>>;
    /// Keys of names in own entity records that begin with `prefix`, which is not empty, and have from `shortest` to
    /// `longest` characters; sorted. Names of more than 200 characters may be left out.
    async fn name_keys(&self, prefix: &str, shortest: usize, longest: usize) -> StoreResult<Vec<String>>;
    /// Edits by sequence, then id.
    async fn edits(&self) -> StoreResult<Vec<Edit>>;
    /// What models said of pairs of names, by pair.
    async fn verdicts(&self) -> StoreResult<Vec<Verdict>>;
    /// What all processes have asked of models for this workspace, by task, then model.
    async fn ledger(&self) -> StoreResult<Vec<LedgerRow>>;
    /// The processes that may write and whose lease lasts, by name. A store without leases has none.
    async fn workers(&self) -> StoreResult<Vec<Worker>> {
        Ok(Vec::new())
    }
}

/// The whole graph store. One writer at a time ([`Self::lock_writer`]); readers any number.
#[async_trait]
pub trait GraphStore: GraphReader {
    /// A reader that sees one state throughout, as far as the store can give it: one generation always.
    async fn snapshot(&self) -> StoreResult<Arc<dyn GraphReader>>;
    /// "SQLite file …" or "Neo4j at …".
    fn describe(&self) -> String;
    /// Creates the schema and the workspace's node where they are missing; refuses a newer schema and a server
    /// that is too old.
    async fn prepare(&self) -> StoreResult<()>;
    /// Becomes the workspace's only writer until the guard is dropped or [`Self::unlock_writer`] is called;
    /// `owner` says who we are.
    ///
    /// # Errors
    /// [`super::StoreError::Held`] where somebody else is.
    async fn lock_writer(&self, owner: &str) -> StoreResult<()>;
    /// Takes part in the workspace's run, or begins one, and leads it where nobody does; called again, it stays, and
    /// leads where the one who did has ended or died. `settings` are those that all workers of a run share. A store for
    /// one process lets in one writer.
    ///
    /// # Errors
    /// [`super::StoreError::Held`] where somebody writes alone, [`super::StoreError::Unusable`] where the run has other
    /// settings.
    async fn join_run(&self, owner: &str, _settings: &BTreeMap<String, String>) -> StoreResult<Part> {
        self.lock_writer(owner).await?;
        Ok(Part::Leads { complete: false })
    }
    /// Ends being the writer, or a worker.
    async fn unlock_writer(&self) -> StoreResult<()>;
    /// Replaces the settings that the workspace was built with.
    async fn save_settings(&self, settings: &BTreeMap<String, String>) -> StoreResult<()>;

    /// Makes a document and its units what is given, in one transaction: units of equal id stay with their state
    /// and get the new index, offsets and headings; gone ones go with their evidence and leave a tombstone; new
    /// ones are pending. Where a kept unit's index changed, all that it supports becomes dirty; where its headings
    /// or the document's title changed, its extraction (unless it failed) and its vectors become pending.
    async fn replace_document(&self, document: &Document, units: &[TextUnit]) -> StoreResult<DocumentChange>;
    /// [`Self::replace_document`] for each, in their order; where a transaction costs much, several share one.
    async fn replace_documents(&self, documents: &[(Document, Vec<TextUnit>)]) -> StoreResult<()> {
        for (document, units) in documents {
            self.replace_document(document, units).await?;
            fail_point!("document-committed");
        }
        Ok(())
    }
    /// Removes documents with all they support, their summary trees included, each in one transaction. Unknown ids are passed over.
    async fn remove_documents(&self, ids: &[Id]) -> StoreResult<()>;

    /// Units whose stage is pending (`extraction` absent, or `linking_done` false with extraction present), failed
    /// ones not included; by id, from behind `after`, at most `limit`.
    async fn pending_units(
        &self,
        stage: Stage,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<StoredUnit>>;
    /// Pending units (extraction) from behind `after` that no other living worker has, at most `limit`, by id: they are
    /// the caller's until they are saved or its lease ends. Whoever only helps gets none before the one who leads has
    /// asked.
    async fn lease_units(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Leased>> {
        let units = self.pending_units(Stage::Extraction, after, limit).await?;
        Ok(units.into_iter().map(|unit| Leased { unit, fence: None, turn: 0 }).collect())
    }
    /// Makes every unit pending that failed, or whose extraction's fingerprint is neither `settings` nor begins with
    /// it and `/`, imported ones not included; records and evidence stay until they are replaced. Returns how many.
    async fn expire_extraction(&self, settings: &str) -> StoreResult<u64>;
    /// Takes summaries away whose fingerprint does not begin with `settings` and `/`; what they describe becomes
    /// dirty. Returns how many.
    async fn expire_summaries(&self, settings: &str) -> StoreResult<u64>;
    /// Makes failed units pending again. Returns how many.
    async fn retry_failed(&self) -> StoreResult<u64>;
    /// Replaces state and evidence of units, in one transaction; what differs from before becomes dirty. Units that
    /// are not there are passed over, and those that another worker has leased since ([`UnitWrite::lease`]).
    async fn save_units(&self, writes: &[UnitWrite]) -> StoreResult<()>;
    /// Units whose own records or linked names hold one of these name keys; by id.
    async fn units_with_names(&self, name_keys: &[String]) -> StoreResult<Vec<Id>>;
    /// Names of all own entity records from behind `after` (a key), by key, at most `limit`.
    async fn names(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<NameUse>>;
    /// The dictionary of the last linking: name keys, sorted.
    async fn dictionary(&self) -> StoreResult<Vec<String>>;
    /// Changes the dictionary, not always in one transaction: of a call that ends early a part may be saved.
    async fn save_dictionary(&self, added: &[String], removed: &[String]) -> StoreResult<()>;
    /// Changes the resolution table: `None` removes a name's entry. As [`Self::save_dictionary`], a part may be saved.
    async fn save_resolution(&self, changes: &BTreeMap<String, Option<String>>) -> StoreResult<()>;
    /// Keeps verdicts, in place of those of the same pairs, and forgets those of the pairs in `gone` (smaller key,
    /// greater key). Unknown ones are passed over.
    async fn save_verdicts(&self, kept: &[Verdict], gone: &[(String, String)]) -> StoreResult<()>;
    /// Adds to the ledger, in one transaction; whoever asks models may, not only the writer. Returns what all workers
    /// of the caller's run have added since it began; nothing where it is in none.
    async fn add_to_ledger(&self, rows: &[LedgerRow]) -> StoreResult<Spent>;
    /// Appends an edit, or takes the one with this id back.
    async fn save_edit(&self, edit: &Edit, undo: bool) -> StoreResult<()>;

    /// What people changed at entities in the store's own tools: names that are not those of the last sum, and pinned
    /// properties; by id. A store without such tools has none, here and below.
    async fn changes_by_hand(&self) -> StoreResult<Vec<HandChange>> {
        Ok(Vec::new())
    }
    /// Makes entities and relationships that people made by hand (`manual: true`) a part of the graph.
    async fn adopt_by_hand(&self) -> StoreResult<Adopted> {
        Ok(Adopted::default())
    }
    /// Whether entities may have been deleted by hand since [`Self::end_run`].
    async fn may_miss_entities(&self) -> StoreResult<bool> {
        Ok(false)
    }
    /// Those of these entities that are not there.
    async fn missing_entities(&self, _ids: &[Id]) -> StoreResult<Vec<Id>> {
        Ok(Vec::new())
    }
    /// Notes that nothing is left to be done, for the run's other workers, and how many entities there are.
    async fn end_run(&self) -> StoreResult<()> {
        Ok(())
    }
    /// Dirty relationships with all their evidence: at most `limit` of them, of the store's choice, by id; fewer where
    /// they have more than [`EVIDENCE_AT_ONCE`], none only where nothing is dirty.
    async fn dirty_relationships(&self, limit: usize) -> StoreResult<Vec<RelationshipEvidence>>;
    /// Writes sums and clears the dirt. Where a relationship came or went, both ends become dirty.
    async fn save_relationships(&self, writes: &[RelationshipWrite]) -> StoreResult<()>;
    /// Dirty entities with all their evidence, as [`Self::dirty_relationships`].
    async fn dirty_entities(&self, limit: usize) -> StoreResult<Vec<EntityEvidence>>;
    /// Makes these entities dirty: their sums are to be written anew, whatever their evidence. Unknown ones are
    /// passed over.
    async fn expire_entities(&self, ids: &[Id]) -> StoreResult<()>;
    /// Writes sums and clears the dirt; where the text to be found by changed, vectors become pending; entities
    /// without a sum, which have no mention and no relationship left, go, also from communities, and leave a
    /// tombstone. A node that comes back loses its tombstone when
    /// its vectors become pending.
    async fn save_entities(&self, writes: &[EntityWrite]) -> StoreResult<()>;
    /// Types of all entities with their number, most frequent first, then code point order.
    async fn kinds(&self) -> StoreResult<Vec<(String, u64)>>;
    /// Sets type labels: each kind's label as given, all others `Other`. Only what differs is written. A store
    /// without labels does nothing.
    async fn save_labels(&self, labels: &BTreeMap<String, String>) -> StoreResult<()>;

    /// Undoes what an unfinished build left behind: communities, parents and tree nodes that begin behind the current
    /// generation go, with a tombstone; those that end behind it are open again.
    async fn sweep_unfinished(&self) -> StoreResult<()>;
    /// Adds communities that are valid from `generation` on, members, parents and findings included.
    async fn add_communities(&self, generation: u64, communities: &[Community]) -> StoreResult<()>;
    /// Ends the validity of communities before `generation` (the last in which they are valid is the one before
    /// it), and gives kept ones the parent that they have from `generation` on.
    async fn end_communities(
        &self,
        generation: u64,
        ended: &[Id],
        parents: &[(Id, Option<Id>)],
    ) -> StoreResult<()>;
    /// Makes these nodes the summary tree of a document (of the workspace: the top tree) from `generation` on, in one
    /// transaction: new ones begin, missing ones end, the others stay.
    async fn save_tree(&self, generation: u64, document: Option<&Id>, nodes: &[TreeNode]) -> StoreResult<()>;
    /// Makes the atomic facts of a document what is given, none where there are no chunks. They go with their document.
    async fn save_facts(&self, facts: &DocumentFacts) -> StoreResult<()>;
    /// Adds steps to the history of lines of communities; those of a generation that is never published go with it.
    async fn add_lineage_steps(&self, steps: &[LineageStep]) -> StoreResult<()>;
    /// Replaces what the last clustering worked on.
    async fn save_clustered(&self, clustered: &Clustered) -> StoreResult<()>;
    /// Makes `generation` the one that readers use.
    async fn publish_generation(&self, generation: u64) -> StoreResult<()>;
    /// Removes communities and tree nodes that ended before `generation`, the oldest that is still read, with a
    /// tombstone each.
    async fn sweep_communities(&self, generation: u64) -> StoreResult<()>;

    /// Nodes whose vectors are pending, by id, at most `limit`, with the texts of [`found_by`]. Entities without a
    /// sum wait for it.
    async fn pending_vectors(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<PendingVector>>;
    /// The vector store has these: sets their fingerprint and clears pending. Unknown ids are passed over.
    async fn acknowledge_vectors(&self, kind: VectorKind, done: &[(Id, String)]) -> StoreResult<()>;
    /// Writes dense vectors beside the nodes too, for clients that look for them in the graph (`[graph]
    /// mirror_vectors`). Unknown ids are passed over; a store that has no such clients does nothing.
    async fn mirror_vectors(&self, _kind: VectorKind, _vectors: &[(Id, Vec<f32>)]) -> StoreResult<()> {
        Ok(())
    }
    /// Makes all vectors of a kind pending (another model, another dimension).
    async fn expire_vectors(&self, kind: VectorKind) -> StoreResult<()>;
    /// Nodes that have vectors or are to have them, with an id greater than `after`, by id, at most `limit`; for reports
    /// those of every generation that is kept.
    async fn vector_nodes(
        &self,
        kind: VectorKind,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<VectorNode>>;
    /// Makes the vectors of these nodes pending.
    async fn mark_vectors_pending(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()>;
    /// Ids of what a check finds damaged, sorted, at most `limit`.
    async fn examine(&self, check: Check, limit: usize) -> StoreResult<Vec<Id>>;
    /// Mends what a check found, as it says; in one transaction. What it makes dirty or pending is brought up to date
    /// by the stages.
    async fn mend(&self, check: Check, ids: &[Id]) -> StoreResult<()>;
    /// Takes the evidence of relationships away, which become dirty: the text units that relate them are to be
    /// projected anew.
    async fn forget_evidence(&self, relationships: &[Id]) -> StoreResult<()>;
    /// Nodes that are gone and whose vectors may not be: at most `limit`.
    async fn tombstones(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<Id>>;
    /// The vector store has forgotten these.
    async fn clear_tombstones(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()>;
    /// Removes the whole workspace.
    async fn wipe(&self) -> StoreResult<()>;
}
