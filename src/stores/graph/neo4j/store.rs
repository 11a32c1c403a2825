//! The contract, method by method; the work is in the files named after the nouns.

use super::Neo4jGraph;
use super::connection::{in_batches, in_parts, number};
use super::documents::stored_together;
use crate::domain::{
    Community, Document, DocumentFacts, Edit, EntityEvidence, Id, LedgerRow, LineageStep,
    RelationshipEvidence, Spent, Stage, StoredUnit, TextUnit, TreeNode, Verdict,
};
use crate::stores::StoreResult;
use crate::stores::graph::{
    Adopted, Check, Clustered, DocumentChange, EntityWrite, GraphReader, GraphStore, HandChange, Leased,
    NameUse, Part, PendingVector, RelationshipWrite, SCHEMA_VERSION, UnitWrite, VectorKind, VectorNode,
};
use async_trait::async_trait;
use fail::fail_point;
use neo4rs::Query;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

const SAVE_SETTINGS: &str = include_str!("../../../../cypher/store/save_settings.cypher");
const PUBLISH_GENERATION: &str = include_str!("../../../../cypher/store/publish_generation.cypher");
const PUBLISH_GENERATION_MEMBERS: &str =
    include_str!("../../../../cypher/store/publish_generation_members.cypher");
const EDIT_SAVE: &str = include_str!("../../../../cypher/store/edit_save.cypher");
const EDIT_UNDO: &str = include_str!("../../../../cypher/store/edit_undo.cypher");
const WIPE_TEXT_UNITS: &str = include_str!("../../../../cypher/store/wipe_text_units.cypher");
const WIPE_ENTITIES: &str = include_str!("../../../../cypher/store/wipe_entities.cypher");
const WIPE_CLAIMS: &str = include_str!("../../../../cypher/store/wipe_claims.cypher");
const WIPE_OTHERS: &str = include_str!("../../../../cypher/store/wipe_others.cypher");

/// Names, of which there may be millions, in one transaction.
const NAMES_PER_TRANSACTION: usize = 2_000;
/// Communities that end or change their parent in one transaction.
const COMMUNITIES_PER_TRANSACTION: usize = 2_000;

/// Nodes removed in one transaction.
const WIPED_PER_TRANSACTION: usize = 2_000;

#[derive(Deserialize)]
struct CountRow {
    count: u64,
}

#[async_trait]
impl GraphStore for Neo4jGraph {
    async fn snapshot(&self) -> StoreResult<Arc<dyn GraphReader>> {
        let generation = self.state().await?.generation;
        Ok(Arc::new(Self { pinned: Some(generation), ..self.clone() }))
    }

    fn describe(&self) -> String {
        self.connection.service.clone()
    }

    async fn prepare(&self) -> StoreResult<()> {
        self.prepare_schema().await
    }

    async fn lock_writer(&self, owner: &str) -> StoreResult<()> {
        self.enter(owner, None).await.map(drop)
    }

    async fn join_run(&self, owner: &str, settings: &BTreeMap<String, String>) -> StoreResult<Part> {
        self.join(owner, settings).await
    }

    async fn unlock_writer(&self) -> StoreResult<()> {
        self.leave().await
    }

    async fn save_settings(&self, settings: &BTreeMap<String, String>) -> StoreResult<()> {
        let settings = serde_json::to_string(settings).unwrap_or_default();
        let query = self.workspace_query(SAVE_SETTINGS).param("settings", settings);
        self.write(|| self.write_query_once(query.clone())).await
    }

    async fn replace_document(&self, document: &Document, units: &[TextUnit]) -> StoreResult<DocumentChange> {
        self.write(|| self.write_document_once(document, units)).await
    }

    async fn replace_documents(&self, documents: &[(Document, Vec<TextUnit>)]) -> StoreResult<()> {
        for group in stored_together(documents) {
            in_parts(group, |part| self.write_documents(part)).await?;
            fail_point!("document-committed");
        }
        Ok(())
    }

    async fn remove_documents(&self, ids: &[Id]) -> StoreResult<()> {
        for document in ids {
            self.write(|| self.remove_document_once(document)).await?;
        }
        Ok(())
    }

    async fn pending_units(
        &self,
        stage: Stage,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<StoredUnit>> {
        self.read_pending_units(stage, after, limit).await
    }

    async fn lease_units(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Leased>> {
        self.lease_pending(after, limit).await
    }

    async fn expire_extraction(&self, settings: &str) -> StoreResult<u64> {
        self.make_expired_pending(settings).await
    }

    async fn expire_summaries(&self, settings: &str) -> StoreResult<u64> {
        self.take_summaries(settings).await
    }

    async fn retry_failed(&self) -> StoreResult<u64> {
        self.make_failed_pending().await
    }

    async fn save_units(&self, writes: &[UnitWrite]) -> StoreResult<()> {
        in_parts(writes, |part| self.write(|| self.write_units_once(part))).await
    }

    async fn units_with_names(&self, name_keys: &[String]) -> StoreResult<Vec<Id>> {
        self.find_units_with_names(name_keys).await
    }

    async fn names(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<NameUse>> {
        self.read_names(after, limit).await
    }

    async fn dictionary(&self) -> StoreResult<Vec<String>> {
        self.read_dictionary().await
    }

    async fn save_dictionary(&self, added: &[String], removed: &[String]) -> StoreResult<()> {
        // what a run that ends halfway has saved is linked, the rest is found again
        let remove = |part| self.write(move || self.write_dictionary_once(&[], part));
        in_batches(removed, NAMES_PER_TRANSACTION, remove).await?;
        let add = |part| self.write(move || self.write_dictionary_once(part, &[]));
        in_batches(added, NAMES_PER_TRANSACTION, add).await
    }

    async fn save_resolution(&self, changes: &BTreeMap<String, Option<String>>) -> StoreResult<()> {
        let changes: Vec<(&String, &Option<String>)> = changes.iter().collect();
        let save = |part| self.write(move || self.write_resolution_once(part));
        in_batches(&changes, NAMES_PER_TRANSACTION, save).await
    }

    async fn save_verdicts(&self, kept: &[Verdict], gone: &[(String, String)]) -> StoreResult<()> {
        in_parts(gone, |part| self.write(|| self.write_verdicts_once(&[], part))).await?;
        in_parts(kept, |part| self.write(|| self.write_verdicts_once(part, &[]))).await
    }

    async fn add_to_ledger(&self, rows: &[LedgerRow]) -> StoreResult<Spent> {
        self.write(|| self.add_to_ledger_once(rows)).await
    }

    async fn save_edit(&self, edit: &Edit, undo: bool) -> StoreResult<()> {
        let query = if undo {
            self.connection.query(EDIT_UNDO).param("id", edit.id.as_str())
        } else {
            let query = self.connection.query(EDIT_SAVE).param("id", edit.id.as_str());
            let query = query.param("sequence", number(edit.sequence));
            query.param("edit", serde_json::to_string(&edit.kind).unwrap_or_default())
        };
        self.write(|| self.write_query_once(query.clone())).await
    }

    async fn changes_by_hand(&self) -> StoreResult<Vec<HandChange>> {
        self.read_changes_by_hand().await
    }

    async fn adopt_by_hand(&self) -> StoreResult<Adopted> {
        self.adopt().await
    }

    async fn may_miss_entities(&self) -> StoreResult<bool> {
        self.count_differs().await
    }

    async fn missing_entities(&self, ids: &[Id]) -> StoreResult<Vec<Id>> {
        self.find_missing(ids).await
    }

    async fn end_run(&self) -> StoreResult<()> {
        self.write(|| self.end_run_once()).await
    }

    async fn dirty_relationships(&self, limit: usize) -> StoreResult<Vec<RelationshipEvidence>> {
        self.read_dirty_relationships(limit).await
    }

    async fn save_relationships(&self, writes: &[RelationshipWrite]) -> StoreResult<()> {
        in_parts(writes, |part| self.write(|| self.write_relationships_once(part))).await
    }

    async fn dirty_entities(&self, limit: usize) -> StoreResult<Vec<EntityEvidence>> {
        self.read_dirty_entities(limit).await
    }

    async fn expire_entities(&self, ids: &[Id]) -> StoreResult<()> {
        in_parts(ids, |part| self.write(|| self.mark_entities_once(part))).await
    }

    async fn save_entities(&self, writes: &[EntityWrite]) -> StoreResult<()> {
        in_parts(writes, |part| self.write(|| self.write_entities_once(part))).await
    }

    async fn kinds(&self) -> StoreResult<Vec<(String, u64)>> {
        self.read_kinds().await
    }

    async fn save_labels(&self, labels: &BTreeMap<String, String>) -> StoreResult<()> {
        self.write_labels(labels).await
    }

    async fn sweep_unfinished(&self) -> StoreResult<()> {
        self.remove_unfinished().await?;
        self.remove_unfinished_trees().await
    }

    async fn add_communities(&self, generation: u64, communities: &[Community]) -> StoreResult<()> {
        in_parts(communities, |part| self.write(|| self.add_communities_once(generation, part))).await
    }

    async fn end_communities(
        &self,
        generation: u64,
        ended: &[Id],
        parents: &[(Id, Option<Id>)],
    ) -> StoreResult<()> {
        // nothing of it is seen before the generation is published
        let end = |part| self.write(move || self.end_communities_once(generation, part, &[]));
        in_batches(ended, COMMUNITIES_PER_TRANSACTION, end).await?;
        let link = |part| self.write(move || self.end_communities_once(generation, &[], part));
        in_batches(parents, COMMUNITIES_PER_TRANSACTION, link).await
    }

    async fn save_tree(&self, generation: u64, document: Option<&Id>, nodes: &[TreeNode]) -> StoreResult<()> {
        self.write(|| self.save_tree_once(generation, document, nodes)).await
    }

    async fn save_facts(&self, facts: &DocumentFacts) -> StoreResult<()> {
        self.write(|| self.save_facts_once(facts)).await
    }

    async fn add_lineage_steps(&self, steps: &[LineageStep]) -> StoreResult<()> {
        in_parts(steps, |part| self.write(|| self.add_steps_once(part))).await
    }

    async fn save_clustered(&self, clustered: &Clustered) -> StoreResult<()> {
        self.write(|| self.save_clustered_once(clustered)).await
    }

    async fn publish_generation(&self, generation: u64) -> StoreResult<()> {
        self.write(|| self.publish_once(generation)).await
    }

    async fn sweep_communities(&self, generation: u64) -> StoreResult<()> {
        self.remove_past(generation).await?;
        self.remove_past_trees(generation).await
    }

    async fn pending_vectors(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<PendingVector>> {
        self.read_pending_vectors(kind, limit).await
    }

    async fn acknowledge_vectors(&self, kind: VectorKind, done: &[(Id, String)]) -> StoreResult<()> {
        in_parts(done, |part| self.write(|| self.acknowledge_once(kind, part))).await
    }

    async fn examine(&self, check: Check, limit: usize) -> StoreResult<Vec<Id>> {
        self.find_damage(check, limit).await
    }

    async fn mend(&self, check: Check, ids: &[Id]) -> StoreResult<()> {
        self.mend_damage(check, ids).await
    }

    async fn forget_evidence(&self, relationships: &[Id]) -> StoreResult<()> {
        self.empty_evidence(relationships).await
    }

    async fn vector_nodes(
        &self,
        kind: VectorKind,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<VectorNode>> {
        self.read_vector_nodes(kind, after, limit).await
    }

    async fn mark_vectors_pending(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()> {
        self.make_these_pending(kind, ids).await
    }

    async fn mirror_vectors(&self, kind: VectorKind, vectors: &[(Id, Vec<f32>)]) -> StoreResult<()> {
        self.write_mirror(kind, &vectors.iter().map(|(id, vector)| (id, vector.as_slice())).collect()).await
    }

    async fn expire_vectors(&self, kind: VectorKind) -> StoreResult<()> {
        self.make_vectors_pending(kind).await
    }

    async fn tombstones(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<Id>> {
        self.read_tombstones(kind, limit).await
    }

    async fn clear_tombstones(&self, _kind: VectorKind, ids: &[Id]) -> StoreResult<()> {
        in_parts(ids, |part| self.write(|| self.clear_tombstones_once(part))).await
    }

    async fn wipe(&self) -> StoreResult<()> {
        for text in [WIPE_CLAIMS, WIPE_TEXT_UNITS, WIPE_ENTITIES, WIPE_OTHERS] {
            while self.write(|| self.wipe_page_once(text)).await? > 0 {}
        }
        Ok(())
    }
}

impl Neo4jGraph {
    /// A statement that makes the workspace's node where it is missing.
    fn workspace_query(&self, text: &str) -> Query {
        let query = self.connection.query(text).param("schema_version", number(SCHEMA_VERSION));
        query.param("id", self.workspace_id().as_str())
    }

    /// A member that went and came back while its community stayed is linked to it again.
    async fn publish_once(&self, generation: u64) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        let members = self.connection.query(PUBLISH_GENERATION_MEMBERS);
        transaction.run(members.param("generation", number(generation))).await?;
        let publish = self.workspace_query(PUBLISH_GENERATION);
        transaction.run(publish.param("generation", number(generation))).await?;
        self.commit(transaction).await
    }

    /// One statement without `RETURN` in a transaction of its own.
    pub(super) async fn write_query_once(&self, query: Query) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        transaction.run(query).await?;
        self.commit(transaction).await
    }

    async fn wipe_page_once(&self, text: &str) -> StoreResult<u64> {
        let mut transaction = self.connection.begin().await?;
        let query = self.connection.query(text).param("limit", number(WIPED_PER_TRANSACTION));
        let rows: Vec<CountRow> = transaction.rows(query).await?;
        self.commit(transaction).await?;
        Ok(rows.first().map_or(0, |row| row.count))
    }
}
