//! The writes: each is one transaction and asks the file of its subject.

use super::reader::behind;
use super::rows::json;
use super::{
    SqliteGraph, communities, doctor, documents, entities, evidence, facts, ledger, lineage, lock, names,
    relationships, schema, stale, tables, text_units, trees, vectors,
};
use crate::domain::{
    Community, Document, DocumentFacts, Edit, EntityEvidence, Id, LedgerRow, LineageStep,
    RelationshipEvidence, Spent, Stage, StoredUnit, TextUnit, TreeNode, Verdict,
};
use crate::stores::StoreResult;
use crate::stores::graph::{
    Check, Clustered, DocumentChange, EntityWrite, GraphReader, GraphStore, NameUse, PendingVector,
    RelationshipWrite, UnitWrite, VectorKind, VectorNode,
};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

#[async_trait]
impl GraphStore for SqliteGraph {
    async fn snapshot(&self) -> StoreResult<Arc<dyn GraphReader>> {
        Ok(Arc::new(Self::new(self.file.snapshot().await?, &self.workspace)))
    }

    fn describe(&self) -> String {
        self.file.describe()
    }

    async fn prepare(&self) -> StoreResult<()> {
        self.file.prepare("graph", schema::STEPS).await?;
        self.file.prepare("trees", trees::STEPS).await?;
        self.file.prepare("facts", facts::STEPS).await?;
        let workspace = self.workspace.clone();
        self.file.write(move |transaction| tables::claim_file(transaction, &workspace)).await
    }

    async fn lock_writer(&self, owner: &str) -> StoreResult<()> {
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            *held = Some(lock::WriterLock::take(self.file.path(), &self.workspace, owner)?);
        }
        Ok(())
    }

    async fn unlock_writer(&self) -> StoreResult<()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(())
    }

    async fn save_settings(&self, settings: &BTreeMap<String, String>) -> StoreResult<()> {
        let settings = settings.clone();
        self.file.write(move |transaction| tables::save_settings(transaction, &settings)).await
    }

    async fn replace_document(&self, document: &Document, units: &[TextUnit]) -> StoreResult<DocumentChange> {
        let (document, units) = (document.clone(), units.to_vec());
        self.file.write(move |transaction| documents::replace(transaction, &document, &units)).await
    }

    async fn remove_documents(&self, ids: &[Id]) -> StoreResult<()> {
        for id in ids {
            let id = id.clone();
            self.file
                .write(move |transaction| {
                    trees::remove(transaction, &id)?;
                    facts::remove(transaction, &id)?;
                    documents::remove(transaction, &id)
                })
                .await?;
        }
        Ok(())
    }

    async fn pending_units(
        &self,
        stage: Stage,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<StoredUnit>> {
        let after = behind(after);
        self.file.read(move |connection| text_units::pending(connection, stage, &after, limit)).await
    }

    async fn expire_extraction(&self, settings: &str) -> StoreResult<u64> {
        let settings = settings.to_owned();
        self.file.write(move |transaction| text_units::expire_extraction(transaction, &settings)).await
    }

    async fn expire_summaries(&self, settings: &str) -> StoreResult<u64> {
        let settings = settings.to_owned();
        self.file.write(move |transaction| stale::expire_summaries(transaction, &settings)).await
    }

    async fn retry_failed(&self) -> StoreResult<u64> {
        self.file.write(|transaction| text_units::retry_failed(transaction)).await
    }

    async fn save_units(&self, writes: &[UnitWrite]) -> StoreResult<()> {
        let writes = writes.to_vec();
        self.file.write(move |transaction| evidence::save_units(transaction, &writes)).await
    }

    async fn units_with_names(&self, name_keys: &[String]) -> StoreResult<Vec<Id>> {
        let keys = name_keys.to_vec();
        self.file.read(move |connection| names::units_with_names(connection, &json(&keys)?)).await
    }

    async fn names(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<NameUse>> {
        let after = after.unwrap_or_default().to_owned();
        self.file.read(move |connection| names::page(connection, &after, limit)).await
    }

    async fn dictionary(&self) -> StoreResult<Vec<String>> {
        self.file.read(tables::dictionary).await
    }

    async fn save_dictionary(&self, added: &[String], removed: &[String]) -> StoreResult<()> {
        let (added, removed) = (added.to_vec(), removed.to_vec());
        self.file.write(move |transaction| tables::save_dictionary(transaction, &added, &removed)).await
    }

    async fn save_resolution(&self, changes: &BTreeMap<String, Option<String>>) -> StoreResult<()> {
        let changes = changes.clone();
        self.file.write(move |transaction| tables::save_resolution(transaction, &changes)).await
    }

    async fn add_to_ledger(&self, rows: &[LedgerRow]) -> StoreResult<Spent> {
        let rows = rows.to_vec();
        self.file.write(move |transaction| ledger::add(transaction, &rows)).await?;
        Ok(Spent::default())
    }

    async fn save_edit(&self, edit: &Edit, undo: bool) -> StoreResult<()> {
        let edit = edit.clone();
        self.file.write(move |transaction| tables::save_edit(transaction, &edit, undo)).await
    }

    async fn save_verdicts(&self, kept: &[Verdict], gone: &[(String, String)]) -> StoreResult<()> {
        let (kept, gone) = (kept.to_vec(), gone.to_vec());
        self.file.write(move |transaction| tables::save_verdicts(transaction, &kept, &gone)).await
    }

    async fn dirty_relationships(&self, limit: usize) -> StoreResult<Vec<RelationshipEvidence>> {
        self.file.read(move |connection| relationships::dirty(connection, limit)).await
    }

    async fn save_relationships(&self, writes: &[RelationshipWrite]) -> StoreResult<()> {
        let writes = writes.to_vec();
        self.file.write(move |transaction| relationships::save(transaction, &writes)).await
    }

    async fn dirty_entities(&self, limit: usize) -> StoreResult<Vec<EntityEvidence>> {
        self.file.read(move |connection| entities::dirty(connection, limit)).await
    }

    async fn expire_entities(&self, ids: &[Id]) -> StoreResult<()> {
        let ids = ids.to_vec();
        self.file.write(move |transaction| entities::expire(transaction, &ids)).await
    }

    async fn save_entities(&self, writes: &[EntityWrite]) -> StoreResult<()> {
        let writes = writes.to_vec();
        self.file.write(move |transaction| entities::save(transaction, &writes)).await
    }

    async fn kinds(&self) -> StoreResult<Vec<(String, u64)>> {
        self.file.read(entities::kinds).await
    }

    async fn save_labels(&self, _labels: &BTreeMap<String, String>) -> StoreResult<()> {
        // labels are for people who explore the graph by Cypher; here is no Cypher
        Ok(())
    }

    async fn sweep_unfinished(&self) -> StoreResult<()> {
        self.file
            .write(|transaction| {
                communities::sweep_unfinished(transaction)?;
                trees::sweep_unfinished(transaction)
            })
            .await
    }

    async fn add_communities(&self, generation: u64, communities: &[Community]) -> StoreResult<()> {
        let added = communities.to_vec();
        self.file.write(move |transaction| communities::add(transaction, generation, &added)).await
    }

    async fn end_communities(
        &self,
        generation: u64,
        ended: &[Id],
        parents: &[(Id, Option<Id>)],
    ) -> StoreResult<()> {
        let (ended, parents) = (ended.to_vec(), parents.to_vec());
        self.file.write(move |transaction| communities::end(transaction, generation, &ended, &parents)).await
    }

    async fn save_tree(&self, generation: u64, document: Option<&Id>, nodes: &[TreeNode]) -> StoreResult<()> {
        let (document, nodes) = (document.cloned(), nodes.to_vec());
        self.file
            .write(move |transaction| trees::save(transaction, generation, document.as_ref(), &nodes))
            .await
    }

    async fn save_facts(&self, facts: &DocumentFacts) -> StoreResult<()> {
        let facts = facts.clone();
        self.file.write(move |transaction| facts::save(transaction, &facts)).await
    }

    async fn add_lineage_steps(&self, steps: &[LineageStep]) -> StoreResult<()> {
        let steps = steps.to_vec();
        self.file.write(move |transaction| lineage::add_steps(transaction, &steps)).await
    }

    async fn save_clustered(&self, clustered: &Clustered) -> StoreResult<()> {
        let clustered = clustered.clone();
        self.file.write(move |transaction| lineage::save_clustered(transaction, &clustered)).await
    }

    async fn publish_generation(&self, generation: u64) -> StoreResult<()> {
        self.file.write(move |transaction| communities::publish(transaction, generation)).await
    }

    async fn sweep_communities(&self, generation: u64) -> StoreResult<()> {
        self.file
            .write(move |transaction| {
                communities::sweep(transaction, generation)?;
                trees::sweep(transaction, generation)
            })
            .await
    }

    async fn pending_vectors(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<PendingVector>> {
        self.file.read(move |connection| vectors::pending(connection, kind, limit)).await
    }

    async fn acknowledge_vectors(&self, kind: VectorKind, done: &[(Id, String)]) -> StoreResult<()> {
        let done = done.to_vec();
        self.file.write(move |transaction| vectors::acknowledge(transaction, kind, &done)).await
    }

    async fn examine(&self, check: Check, limit: usize) -> StoreResult<Vec<Id>> {
        self.file.read(move |connection| doctor::examine(connection, check, limit)).await
    }

    async fn mend(&self, check: Check, ids: &[Id]) -> StoreResult<()> {
        let ids = ids.to_vec();
        self.file.write(move |transaction| doctor::mend(transaction, check, &ids)).await
    }

    async fn forget_evidence(&self, relationships: &[Id]) -> StoreResult<()> {
        let ids = relationships.to_vec();
        self.file.write(move |transaction| doctor::forget_evidence(transaction, &ids)).await
    }

    async fn vector_nodes(
        &self,
        kind: VectorKind,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<VectorNode>> {
        let after = behind(after);
        self.file.read(move |connection| doctor::vector_nodes(connection, kind, &after, limit)).await
    }

    async fn mark_vectors_pending(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()> {
        let ids = ids.to_vec();
        self.file.write(move |transaction| doctor::mark_vectors_pending(transaction, kind, &ids)).await
    }

    async fn expire_vectors(&self, kind: VectorKind) -> StoreResult<()> {
        self.file.write(move |transaction| vectors::expire(transaction, kind)).await
    }

    async fn tombstones(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<Id>> {
        self.file.read(move |connection| vectors::tombstones(connection, kind, limit)).await
    }

    async fn clear_tombstones(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()> {
        let ids = ids.to_vec();
        self.file.write(move |transaction| vectors::clear_tombstones(transaction, kind, &ids)).await
    }

    async fn wipe(&self) -> StoreResult<()> {
        self.file
            .write(|transaction| {
                trees::wipe(transaction)?;
                facts::wipe(transaction)?;
                tables::wipe(transaction)
            })
            .await
    }
}
