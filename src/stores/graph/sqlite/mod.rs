//! The embedded graph store: one SQLite file a workspace.

mod schema;
mod read;
mod hierarchy;
mod documents;
mod evidence;
mod sums;
mod vectors;

use super::{
    DocumentChange, EdgeList, EntityWrite, GraphReader, GraphStore, MentionEdge, NameUse, PendingVector,
    RelationshipWrite, SCHEMA_VERSION, UnitWrite, VectorKind, WorkspaceState,
};
use crate::domain::{
    Claim, Community, Counts, Document, DocumentStatus, Edit, Entity, EntityEvidence, Id, Relationship,
    RelationshipEvidence, Stage, StoredUnit, TextUnit,
};
use crate::stores::sqlite_file::SqliteFile;
use crate::stores::{StoreError, StoreResult};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The graph of one workspace in its file. Cloning shares the file.
#[derive(Clone, Debug)]
pub struct SqliteGraph {
    file: SqliteFile,
    workspace: String,
    pinned: Option<Arc<Mutex<Connection>>>,
}

impl SqliteGraph {
    /// Names the file of a workspace; [`GraphStore::prepare`] makes it.
    pub fn new(path: &Path, workspace: &str) -> Self {
        Self { file: SqliteFile::new(path), workspace: workspace.to_owned(), pinned: None }
    }

    async fn read<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> StoreResult<T> + Send + 'static,
    {
        if let Some(pinned) = &self.pinned {
            let pinned = Arc::clone(pinned);
            let joined = tokio::task::spawn_blocking(move || work(&pinned.lock().unwrap_or_else(PoisonError::into_inner)));
            return joined.await.map_err(|error| StoreError::Failed {
                service: self.file.describe(),
                reason: error.to_string(),
            })?;
        }
        self.check_there()?;
        self.file.read(work).await
    }

    fn check_there(&self) -> StoreResult<()> {
        if self.file.exists() {
            return Ok(());
        }
        Err(StoreError::Failed {
            service: format!("workspace {}", self.workspace),
            reason: format!(
                "nothing is indexed yet ({} is not there); run `graphwright index PATH...` first",
                self.file.path().display()
            ),
        })
    }
}

/// A value as JSON text. Our own types always have one.
fn json<T: Serialize + ?Sized>(value: &T) -> StoreResult<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Failed { service: "SQLite".into(), reason: error.to_string() })
}

/// A value from the JSON text that [`json`] wrote.
fn from_json<T: DeserializeOwned>(text: &str) -> StoreResult<T> {
    serde_json::from_str(text)
        .map_err(|error| StoreError::Unusable(format!("the embedded graph holds an unreadable value: {error}")))
}

/// Ids as a JSON list, for `json_each`.
fn id_list(ids: &[Id]) -> StoreResult<String> {
    json(ids)
}

fn id(text: String) -> Id {
    Id::from_stored(text)
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn small(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn limited(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

#[async_trait]
impl GraphReader for SqliteGraph {
    async fn state(&self) -> StoreResult<WorkspaceState> {
        self.read(read::state).await
    }
    async fn counts(&self) -> StoreResult<Counts> {
        self.read(read::counts).await
    }
    async fn documents(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<Document>> {
        let after = after.unwrap_or("").to_owned();
        self.read(move |c| read::documents(c, &after, limit)).await
    }
    async fn documents_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Document>> {
        let ids = id_list(ids)?;
        self.read(move |c| read::documents_by_id(c, &ids)).await
    }
    async fn document_status(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<DocumentStatus>> {
        let after = after.unwrap_or("").to_owned();
        self.read(move |c| read::document_status(c, &after, limit)).await
    }
    async fn text_units_of(&self, document: &Id) -> StoreResult<Vec<StoredUnit>> {
        let document = document.clone();
        self.read(move |c| read::units(c, "d.id = ?1 ORDER BY u.place", [document.as_str()])).await
    }
    async fn text_units_by_id(&self, ids: &[Id]) -> StoreResult<Vec<StoredUnit>> {
        let ids = id_list(ids)?;
        self.read(move |c| read::units(c, "u.id IN (SELECT value FROM json_each(?1)) ORDER BY u.id", [ids])).await
    }
    async fn text_units(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<StoredUnit>> {
        let after = after.map_or_else(String::new, ToString::to_string);
        self.read(move |c| read::units(c, "u.id > ?1 ORDER BY u.id LIMIT ?2", (after, limited(limit)))).await
    }
    async fn entities(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Entity>> {
        let after = after.map_or_else(String::new, ToString::to_string);
        self.read(move |c| read::entities(c, "id > ?1 AND summed = 1 ORDER BY id LIMIT ?2", (after, limited(limit)))).await
    }
    async fn entities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Entity>> {
        let ids = id_list(ids)?;
        let filter = "id IN (SELECT value FROM json_each(?1)) AND summed = 1 ORDER BY id";
        self.read(move |c| read::entities(c, filter, [ids])).await
    }
    async fn relationships(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Relationship>> {
        let after = after.map_or_else(String::new, ToString::to_string);
        let filter = "r.id > ?1 AND r.summed = 1 ORDER BY r.id LIMIT ?2";
        self.read(move |c| read::relationships(c, filter, (after, limited(limit)))).await
    }
    async fn edge_list(&self) -> StoreResult<EdgeList> {
        self.read(read::edge_list).await
    }
    async fn relationships_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Relationship>> {
        let ids = id_list(ids)?;
        let filter = "r.id IN (SELECT value FROM json_each(?1)) AND r.summed = 1 ORDER BY r.id";
        self.read(move |c| read::relationships(c, filter, [ids])).await
    }
    async fn relationships_of(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<Relationship>> {
        let entities = entities.to_vec();
        self.read(move |c| read::relationships_of(c, &entities, limit)).await
    }
    async fn units_of_relationships(&self, ids: &[Id], limit: usize) -> StoreResult<Vec<(Id, Vec<Id>)>> {
        let ids = ids.to_vec();
        self.read(move |c| read::units_of_relationships(c, &ids, limit)).await
    }
    async fn mentions_of_entities(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<MentionEdge>> {
        let entities = entities.to_vec();
        self.read(move |c| read::mentions_of_entities(c, &entities, limit)).await
    }
    async fn mentions_in_units(&self, text_units: &[Id]) -> StoreResult<Vec<MentionEdge>> {
        let units = id_list(text_units)?;
        self.read(move |c| read::mentions_in_units(c, &units)).await
    }
    async fn claims(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Claim>> {
        let after = after.map_or_else(String::new, ToString::to_string);
        self.read(move |c| read::claims(c, "id > ?1 ORDER BY id LIMIT ?2", (after, limited(limit)))).await
    }
    async fn claims_of(&self, entities: &[Id]) -> StoreResult<Vec<Claim>> {
        let ids = id_list(entities)?;
        self.read(move |c| read::claims(c, "subject IN (SELECT value FROM json_each(?1)) ORDER BY id", [ids])).await
    }
    async fn communities(&self, generation: u64) -> StoreResult<Vec<Community>> {
        self.read(move |c| hierarchy::communities(c, generation)).await
    }
    async fn communities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Community>> {
        let ids = id_list(ids)?;
        self.read(move |c| hierarchy::communities_by_id(c, &ids)).await
    }
    async fn communities_of(&self, entities: &[Id], generation: u64) -> StoreResult<Vec<(Id, Id)>> {
        let ids = id_list(entities)?;
        self.read(move |c| hierarchy::communities_of(c, &ids, generation)).await
    }
    async fn resolution(&self) -> StoreResult<BTreeMap<String, String>> {
        self.read(read::resolution).await
    }
    async fn edits(&self) -> StoreResult<Vec<Edit>> {
        self.read(read::edits).await
    }
}

#[async_trait]
impl GraphStore for SqliteGraph {
    async fn snapshot(&self) -> StoreResult<Arc<dyn GraphReader>> {
        self.check_there()?;
        let connection = self.file.pinned().await?;
        Ok(Arc::new(Self { pinned: Some(Arc::new(Mutex::new(connection))), ..self.clone() }))
    }
    fn describe(&self) -> String {
        self.file.describe()
    }
    async fn prepare(&self) -> StoreResult<()> {
        let path = self.file.path().display().to_string();
        self.file
            .write(move |tx| {
                tx.execute_batch(schema::SCHEMA)?;
                let version: Option<String> =
                    tx.query_row("SELECT value FROM meta WHERE key = 'schema_version'", [], |row| row.get(0)).optional()?;
                let version = version.map_or(SCHEMA_VERSION, |v| v.parse().unwrap_or(u32::MAX));
                if version > SCHEMA_VERSION {
                    return Err(StoreError::Unusable(format!(
                        "{path} was written by a newer graphwright (schema {version}, this one knows {SCHEMA_VERSION}); use that one"
                    )));
                }
                let set = "INSERT OR REPLACE INTO meta (key, value) VALUES ('schema_version', ?1)";
                tx.execute(set, [SCHEMA_VERSION.to_string()])?;
                tx.execute("INSERT OR IGNORE INTO meta (key, value) VALUES ('generation', '0')", [])?;
                Ok(())
            })
            .await
    }
    async fn lock_writer(&self, owner: &str) -> StoreResult<()> {
        self.file.lock(&self.workspace, owner)
    }
    async fn unlock_writer(&self) -> StoreResult<()> {
        self.file.unlock();
        Ok(())
    }
    async fn save_settings(&self, settings: &BTreeMap<String, String>) -> StoreResult<()> {
        let settings = json(settings)?;
        self.file
            .write(move |tx| {
                tx.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('settings', ?1)", [settings])?;
                Ok(())
            })
            .await
    }
    async fn replace_document(&self, document: &Document, units: &[TextUnit]) -> StoreResult<DocumentChange> {
        let (document, units) = (document.clone(), units.to_vec());
        self.file.write(move |tx| documents::replace(tx, &document, &units)).await
    }
    async fn remove_documents(&self, ids: &[Id]) -> StoreResult<()> {
        for id in ids.to_vec() {
            self.file.write(move |tx| documents::remove(tx, &id)).await?;
        }
        Ok(())
    }
    async fn pending_units(&self, stage: Stage, after: Option<&Id>, limit: usize) -> StoreResult<Vec<StoredUnit>> {
        let after = after.map_or_else(String::new, ToString::to_string);
        let filter = match stage {
            Stage::Extraction => "u.id > ?1 AND u.extraction IS NULL AND u.error IS NULL ORDER BY u.id LIMIT ?2",
            Stage::Linking => "u.id > ?1 AND u.linking_done = 0 AND u.extraction IS NOT NULL ORDER BY u.id LIMIT ?2",
        };
        self.read(move |c| read::units(c, filter, (after, limited(limit)))).await
    }
    async fn expire_extraction(&self, settings: &str) -> StoreResult<u64> {
        let settings = settings.to_owned();
        self.file
            .write(move |tx| {
                let changed = tx.execute(
                    "UPDATE unit SET extraction = NULL, error = NULL, linking_done = 0 \
                     WHERE error IS NOT NULL OR (extraction IS NOT NULL AND extraction <> ?1)",
                    [settings],
                )?;
                Ok(changed as u64)
            })
            .await
    }
    async fn retry_failed(&self) -> StoreResult<u64> {
        self.file
            .write(|tx| Ok(tx.execute("UPDATE unit SET error = NULL WHERE error IS NOT NULL", [])? as u64))
            .await
    }
    async fn save_units(&self, writes: &[UnitWrite]) -> StoreResult<()> {
        let writes = writes.to_vec();
        self.file.write(move |tx| writes.iter().try_for_each(|write| evidence::save_unit(tx, write))).await
    }
    async fn units_with_names(&self, name_keys: &[String]) -> StoreResult<Vec<Id>> {
        let keys = json(name_keys)?;
        self.read(move |c| read::units_with_names(c, &keys)).await
    }
    async fn names(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<NameUse>> {
        let after = after.unwrap_or("").to_owned();
        self.read(move |c| read::names(c, &after, limit)).await
    }
    async fn dictionary(&self) -> StoreResult<Vec<String>> {
        self.read(|c| read::texts(c, "SELECT key FROM dictionary ORDER BY key")).await
    }
    async fn save_dictionary(&self, added: &[String], removed: &[String]) -> StoreResult<()> {
        let (added, removed) = (added.to_vec(), removed.to_vec());
        self.file
            .write(move |tx| {
                let mut insert = tx.prepare_cached("INSERT OR IGNORE INTO dictionary (key) VALUES (?1)")?;
                added.iter().try_for_each(|key| insert.execute([key]).map(|_| ()))?;
                let mut delete = tx.prepare_cached("DELETE FROM dictionary WHERE key = ?1")?;
                removed.iter().try_for_each(|key| delete.execute([key]).map(|_| ()))?;
                Ok(())
            })
            .await
    }
    async fn save_resolution(&self, changes: &BTreeMap<String, Option<String>>) -> StoreResult<()> {
        let changes = changes.clone();
        self.file
            .write(move |tx| {
                for (name, canonical) in &changes {
                    match canonical {
                        Some(to) => tx.execute("INSERT OR REPLACE INTO resolution VALUES (?1, ?2)", (name, to))?,
                        None => tx.execute("DELETE FROM resolution WHERE name = ?1", [name])?,
                    };
                }
                Ok(())
            })
            .await
    }
    async fn save_edit(&self, edit: &Edit, undo: bool) -> StoreResult<()> {
        let edit = edit.clone();
        self.file
            .write(move |tx| {
                if undo {
                    tx.execute("DELETE FROM edit WHERE id = ?1", [edit.id.as_str()])?;
                } else {
                    let insert = "INSERT OR REPLACE INTO edit (id, sequence, body) VALUES (?1, ?2, ?3)";
                    tx.execute(insert, (edit.id.as_str(), signed(edit.sequence), json(&edit)?))?;
                }
                Ok(())
            })
            .await
    }
    async fn dirty_relationships(&self, limit: usize) -> StoreResult<Vec<RelationshipEvidence>> {
        self.read(move |c| sums::dirty_relationships(c, limit)).await
    }
    async fn save_relationships(&self, writes: &[RelationshipWrite]) -> StoreResult<()> {
        let writes = writes.to_vec();
        self.file.write(move |tx| writes.iter().try_for_each(|write| sums::save_relationship(tx, write))).await
    }
    async fn dirty_entities(&self, limit: usize) -> StoreResult<Vec<EntityEvidence>> {
        self.read(move |c| sums::dirty_entities(c, limit)).await
    }
    async fn save_entities(&self, writes: &[EntityWrite]) -> StoreResult<()> {
        let writes = writes.to_vec();
        self.file.write(move |tx| writes.iter().try_for_each(|write| sums::save_entity(tx, write))).await
    }
    async fn kinds(&self) -> StoreResult<Vec<(String, u64)>> {
        self.read(read::kinds).await
    }
    async fn save_labels(&self, _labels: &BTreeMap<String, String>) -> StoreResult<()> {
        // labels are for people who look at the graph in Neo4j
        Ok(())
    }
    async fn sweep_unfinished(&self) -> StoreResult<()> {
        self.file.write(hierarchy::sweep_unfinished).await
    }
    async fn add_communities(&self, generation: u64, communities: &[Community]) -> StoreResult<()> {
        let communities = communities.to_vec();
        self.file.write(move |tx| hierarchy::add(tx, generation, &communities)).await
    }
    async fn end_communities(&self, generation: u64, ended: &[Id], parents: &[(Id, Option<Id>)]) -> StoreResult<()> {
        let (ended, parents) = (ended.to_vec(), parents.to_vec());
        self.file.write(move |tx| hierarchy::end(tx, generation, &ended, &parents)).await
    }
    async fn publish_generation(&self, generation: u64) -> StoreResult<()> {
        self.file
            .write(move |tx| {
                tx.execute("INSERT OR REPLACE INTO meta VALUES ('generation', ?1)", [generation.to_string()])?;
                Ok(())
            })
            .await
    }
    async fn sweep_communities(&self, generation: u64) -> StoreResult<()> {
        self.file.write(move |tx| hierarchy::sweep(tx, generation)).await
    }
    async fn pending_vectors(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<PendingVector>> {
        self.read(move |c| vectors::pending(c, kind, limit)).await
    }
    async fn acknowledge_vectors(&self, kind: VectorKind, done: &[(Id, String)]) -> StoreResult<()> {
        let done = done.to_vec();
        self.file.write(move |tx| vectors::acknowledge(tx, kind, &done)).await
    }
    async fn expire_vectors(&self, kind: VectorKind) -> StoreResult<()> {
        self.file.write(move |tx| vectors::expire(tx, kind)).await
    }
    async fn tombstones(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<Id>> {
        self.read(move |c| vectors::tombstones(c, kind, limit)).await
    }
    async fn clear_tombstones(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()> {
        let ids = id_list(ids)?;
        self.file.write(move |tx| vectors::clear_tombstones(tx, kind, &ids)).await
    }
    async fn wipe(&self) -> StoreResult<()> {
        if !self.file.exists() {
            return Ok(());
        }
        self.file
            .write(|tx| {
                for table in read::texts(tx, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'vec\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")? {
                    // names of our own schema, not values
                    tx.execute_batch(&format!("DELETE FROM \"{table}\""))?;
                }
                tx.execute("INSERT INTO meta VALUES ('generation', '0')", [])?;
                Ok(())
            })
            .await
    }
}
