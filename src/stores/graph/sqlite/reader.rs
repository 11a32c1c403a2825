//! The reads: each takes a connection and asks the file of its subject.

use super::rows::json;
use super::{
    SqliteGraph, claims, communities, documents, entities, facts, ledger, lineage, names, relationships,
    stale, tables, text_units, trees,
};
use crate::domain::{
    Claim, Community, Counts, Document, DocumentFacts, DocumentStatus, Edit, Entity, Id, LedgerRow,
    LineageStep, Relationship, Stale, StaleMarks, StoredUnit, TreeNode, Verdict,
};
use crate::stores::graph::{
    Clustered, EdgeList, GdsRequest, GraphReader, MentionEdge, UnitHeading, WorkspaceState,
};
use crate::stores::{StoreError, StoreResult};
use async_trait::async_trait;
use std::collections::BTreeMap;

/// What pages begin behind; nothing that is paged has an empty key.
pub(super) fn behind(after: Option<&Id>) -> String {
    after.map(Id::to_string).unwrap_or_default()
}

#[async_trait]
impl GraphReader for SqliteGraph {
    async fn state(&self) -> StoreResult<WorkspaceState> {
        self.file.read(tables::state).await
    }

    async fn counts(&self) -> StoreResult<Counts> {
        self.file.read(tables::counts).await
    }

    async fn stale(&self, marks: &StaleMarks) -> StoreResult<Stale> {
        let marks = marks.clone();
        self.file.read(move |connection| stale::count(connection, &marks)).await
    }

    async fn documents(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<Document>> {
        let after = after.unwrap_or_default().to_owned();
        self.file.read(move |connection| documents::page(connection, &after, limit)).await
    }

    async fn documents_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Document>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| documents::by_id(connection, &json(&ids)?)).await
    }

    async fn document_status(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<DocumentStatus>> {
        let after = after.unwrap_or_default().to_owned();
        self.file.read(move |connection| documents::status(connection, &after, limit)).await
    }

    async fn text_units_of(&self, document: &Id) -> StoreResult<Vec<StoredUnit>> {
        let document = document.clone();
        self.file.read(move |connection| text_units::of_document(connection, &document)).await
    }

    async fn text_units_by_id(&self, ids: &[Id]) -> StoreResult<Vec<StoredUnit>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| text_units::by_id(connection, &json(&ids)?)).await
    }

    async fn passages_by_id(&self, ids: &[Id]) -> StoreResult<Vec<StoredUnit>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| text_units::passages(connection, &json(&ids)?)).await
    }

    async fn unit_headings(&self, ids: &[Id]) -> StoreResult<Vec<UnitHeading>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| text_units::headings(connection, &json(&ids)?)).await
    }

    async fn text_units(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<StoredUnit>> {
        let after = behind(after);
        self.file.read(move |connection| text_units::page(connection, &after, limit)).await
    }

    async fn entities(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Entity>> {
        let after = behind(after);
        self.file.read(move |connection| entities::page(connection, &after, limit)).await
    }

    async fn entities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Entity>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| entities::by_id(connection, &json(&ids)?)).await
    }

    async fn relationships(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Relationship>> {
        let after = behind(after);
        self.file.read(move |connection| relationships::page(connection, &after, limit)).await
    }

    async fn edge_list(&self) -> StoreResult<EdgeList> {
        self.file.read(relationships::edge_list).await
    }

    async fn relationships_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Relationship>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| relationships::by_id(connection, &json(&ids)?)).await
    }

    async fn relationships_of(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<Relationship>> {
        let ids = entities.to_vec();
        self.file.read(move |connection| relationships::of_entities(connection, &json(&ids)?, limit)).await
    }

    async fn units_of_relationships(&self, ids: &[Id], limit: usize) -> StoreResult<Vec<(Id, Vec<Id>)>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| relationships::units_of(connection, &json(&ids)?, limit)).await
    }

    async fn mentions_of_entities(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<MentionEdge>> {
        let ids = entities.to_vec();
        self.file.read(move |connection| entities::mentions_of(connection, &json(&ids)?, limit)).await
    }

    async fn mentions_in_units(&self, text_units: &[Id]) -> StoreResult<Vec<MentionEdge>> {
        let ids = text_units.to_vec();
        self.file.read(move |connection| entities::mentions_in(connection, &json(&ids)?)).await
    }

    async fn mentions_between(&self, text_units: &[Id], entities: &[Id]) -> StoreResult<Vec<MentionEdge>> {
        let (units, ids) = (text_units.to_vec(), entities.to_vec());
        let read = move |connection: &_| entities::mentions_between(connection, &json(&units)?, &json(&ids)?);
        self.file.read(read).await
    }

    async fn claims(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Claim>> {
        let after = behind(after);
        self.file.read(move |connection| claims::page(connection, &after, limit)).await
    }

    async fn claims_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Claim>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| claims::by_id(connection, &json(&ids)?)).await
    }

    async fn claims_of(&self, entities: &[Id]) -> StoreResult<Vec<Claim>> {
        let ids = entities.to_vec();
        self.file.read(move |connection| claims::of_entities(connection, &json(&ids)?)).await
    }

    async fn communities(&self, generation: u64) -> StoreResult<Vec<Community>> {
        self.file.read(move |connection| communities::of_generation(connection, generation)).await
    }

    async fn communities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Community>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| communities::by_id(connection, &json(&ids)?)).await
    }

    async fn communities_of(&self, entities: &[Id], generation: u64) -> StoreResult<Vec<(Id, Id)>> {
        let ids = entities.to_vec();
        self.file.read(move |connection| communities::of_entities(connection, &json(&ids)?, generation)).await
    }

    async fn tree_roots(&self, generation: u64) -> StoreResult<Vec<TreeNode>> {
        self.file.read(move |connection| trees::roots(connection, generation)).await
    }

    async fn tree_nodes_by_id(&self, ids: &[Id]) -> StoreResult<Vec<TreeNode>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| trees::by_id(connection, &json(&ids)?)).await
    }

    async fn tree_nodes(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<TreeNode>> {
        let after = behind(after);
        self.file.read(move |connection| trees::page(connection, &after, limit)).await
    }

    async fn facts_of(&self, documents: &[Id]) -> StoreResult<Vec<DocumentFacts>> {
        let ids = documents.to_vec();
        self.file.read(move |connection| facts::of_documents(connection, &json(&ids)?)).await
    }

    async fn lineage_steps(&self) -> StoreResult<Vec<LineageStep>> {
        self.file.read(lineage::steps).await
    }

    async fn clustered(&self) -> StoreResult<Clustered> {
        self.file.read(lineage::clustered).await
    }

    async fn gds_communities(&self, _request: &GdsRequest) -> StoreResult<Vec<(Id, Vec<i64>)>> {
        Err(StoreError::Unusable(
            "[communities] engine is \"gds\", which is a plugin of Neo4j, and the graph is embedded; give a Neo4j \
             server with the Graph Data Science plugin (--graph neo4j://HOST:7687), or set engine = \"rust\""
                .to_owned(),
        ))
    }

    async fn resolution(&self) -> StoreResult<BTreeMap<String, String>> {
        self.file.read(tables::resolution).await
    }

    async fn resolved(&self, keys: &[String]) -> StoreResult<BTreeMap<String, String>> {
        let keys = keys.to_vec();
        self.file.read(move |connection| tables::resolved(connection, &json(&keys)?)).await
    }

    async fn name_keys(&self, prefix: &str, shortest: usize, longest: usize) -> StoreResult<Vec<String>> {
        let prefix = prefix.to_owned();
        self.file.read(move |connection| names::keys(connection, &prefix, shortest, longest)).await
    }

    async fn edits(&self) -> StoreResult<Vec<Edit>> {
        self.file.read(tables::edits).await
    }

    async fn verdicts(&self) -> StoreResult<Vec<Verdict>> {
        self.file.read(tables::verdicts).await
    }

    async fn ledger(&self) -> StoreResult<Vec<LedgerRow>> {
        self.file.read(ledger::ledger).await
    }
}
