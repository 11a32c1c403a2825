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
    RelationshipWrite, UnitWrite, VectorKind, WorkspaceState,
};
use crate::domain::{
    Claim, Community, Counts, Document, DocumentStatus, Edit, Entity, EntityEvidence, Id, Relationship,
    RelationshipEvidence, Stage, StoredUnit, TextUnit,
};
use crate::stores::sqlite_file::{Outcome, SqliteFile};
use crate::stores::{StoreError, StoreResult};
use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// The graph of one workspace in its file. Cloning shares the file.
#[derive(Clone, Debug)]
pub struct SqliteGraph {
    file: SqliteFile,
    workspace: String,
    lock: Arc<Mutex<Option<File>>>,
}

impl SqliteGraph {
    /// The graph in a workspace's file; [`GraphStore::prepare`] makes its tables.
    pub fn new(file: SqliteFile, workspace: &str) -> Self {
        Self { file, workspace: workspace.to_owned(), lock: Arc::default() }
    }

    /// Becomes the only writer among processes until the lock file is dropped, or the process ends.
    fn lock(&self, owner: &str) -> StoreResult<()> {
        let path = self.file.path().with_extension("lock");
        let failed = |error: std::io::Error| {
            StoreError::Unusable(format!(
                "cannot write {}: {error}; make its folder writable or choose another with --data",
                path.display()
            ))
        };
        let mut file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(failed)?;
        if fs4::FileExt::try_lock(&file).is_err() {
            let holder = std::fs::read_to_string(&path).unwrap_or_default();
            let holder = if holder.trim().is_empty() {
                "another process".to_owned()
            } else {
                holder.trim().to_owned()
            };
            return Err(StoreError::Held { workspace: self.workspace.clone(), holder });
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{owner}"))
            .map_err(failed)?;
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
        Ok(())
    }
}

/// A value as JSON text.
fn json<T: Serialize + ?Sized>(value: &T) -> Outcome<String> {
    Ok(serde_json::to_string(value)?)
}

/// A value from the JSON text that [`json`] wrote.
fn from_json<T: DeserializeOwned>(text: &str) -> Outcome<T> {
    Ok(serde_json::from_str(text)?)
}

/// Ids as a JSON list, for `json_each`.
fn id_list(ids: &[Id]) -> String {
    let quoted: Vec<String> = ids.iter().map(|id| format!("\"{id}\"")).collect();
    format!("[{}]", quoted.join(","))
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
        self.file.read(read::state).await
    }
    async fn counts(&self) -> StoreResult<Counts> {
        self.file.read(read::counts).await
    }
    async fn documents(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<Document>> {
        let after = after.unwrap_or("").to_owned();
        self.file.read(move |c| read::documents(c, &after, limit)).await
    }
    async fn documents_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Document>> {
        let ids = id_list(ids);
        self.file.read(move |c| read::documents_by_id(c, &ids)).await
    }
    async fn document_status(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<DocumentStatus>> {
        let after = after.unwrap_or("").to_owned();
        self.file.read(move |c| read::document_status(c, &after, limit)).await
    }
    async fn text_units_of(&self, document: &Id) -> StoreResult<Vec<StoredUnit>> {
        let document = document.clone();
        self.file.read(move |c| read::units(c, "d.id = ?1 ORDER BY u.place", [document.as_str()])).await
    }
    async fn text_units_by_id(&self, ids: &[Id]) -> StoreResult<Vec<StoredUnit>> {
        let ids = id_list(ids);
        self.file
            .read(move |c| read::units(c, "u.id IN (SELECT value FROM json_each(?1)) ORDER BY u.id", [ids]))
            .await
    }
    async fn text_units(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<StoredUnit>> {
        let after = after.map_or_else(String::new, ToString::to_string);
        self.file
            .read(move |c| read::units(c, "u.id > ?1 ORDER BY u.id LIMIT ?2", (after, limited(limit))))
            .await
    }
    async fn entities(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Entity>> {
        let after = after.map_or_else(String::new, ToString::to_string);
        self.file
            .read(move |c| {
                read::entities(c, "id > ?1 AND summed = 1 ORDER BY id LIMIT ?2", (after, limited(limit)))
            })
            .await
    }
    async fn entities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Entity>> {
        let ids = id_list(ids);
        let filter = "id IN (SELECT value FROM json_each(?1)) AND summed = 1 ORDER BY id";
        self.file.read(move |c| read::entities(c, filter, [ids])).await
    }
    async fn relationships(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Relationship>> {
        let after = after.map_or_else(String::new, ToString::to_string);
        let filter = "r.id > ?1 AND r.summed = 1 ORDER BY r.id LIMIT ?2";
        self.file.read(move |c| read::relationships(c, filter, (after, limited(limit)))).await
    }
    async fn edge_list(&self) -> StoreResult<EdgeList> {
        self.file.read(read::edge_list).await
    }
    async fn relationships_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Relationship>> {
        let ids = id_list(ids);
        let filter = "r.id IN (SELECT value FROM json_each(?1)) AND r.summed = 1 ORDER BY r.id";
        self.file.read(move |c| read::relationships(c, filter, [ids])).await
    }
    async fn relationships_of(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<Relationship>> {
        let entities = entities.to_vec();
        self.file.read(move |c| read::relationships_of(c, &entities, limit)).await
    }
    async fn units_of_relationships(&self, ids: &[Id], limit: usize) -> StoreResult<Vec<(Id, Vec<Id>)>> {
        let ids = ids.to_vec();
        self.file.read(move |c| read::units_of_relationships(c, &ids, limit)).await
    }
    async fn mentions_of_entities(&self, entities: &[Id], limit: usize) -> StoreResult<Vec<MentionEdge>> {
        let entities = entities.to_vec();
        self.file.read(move |c| read::mentions_of_entities(c, &entities, limit)).await
    }
    async fn mentions_in_units(&self, text_units: &[Id]) -> StoreResult<Vec<MentionEdge>> {
        let units = id_list(text_units);
        self.file.read(move |c| read::mentions_in_units(c, &units)).await
    }
    async fn claims(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Claim>> {
        let after = after.map_or_else(String::new, ToString::to_string);
        self.file
            .read(move |c| read::claims(c, "id > ?1 ORDER BY id LIMIT ?2", (after, limited(limit))))
            .await
    }
    async fn claims_of(&self, entities: &[Id]) -> StoreResult<Vec<Claim>> {
        let ids = id_list(entities);
        self.file
            .read(move |c| read::claims(c, "subject IN (SELECT value FROM json_each(?1)) ORDER BY id", [ids]))
            .await
    }
    async fn communities(&self, generation: u64) -> StoreResult<Vec<Community>> {
        self.file.read(move |c| hierarchy::communities(c, generation)).await
    }
    async fn communities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Community>> {
        let ids = id_list(ids);
        self.file.read(move |c| hierarchy::communities_by_id(c, &ids)).await
    }
    async fn communities_of(&self, entities: &[Id], generation: u64) -> StoreResult<Vec<(Id, Id)>> {
        let ids = id_list(entities);
        self.file.read(move |c| hierarchy::communities_of(c, &ids, generation)).await
    }
    async fn resolution(&self) -> StoreResult<BTreeMap<String, String>> {
        self.file.read(read::resolution).await
    }
    async fn edits(&self) -> StoreResult<Vec<Edit>> {
        self.file.read(read::edits).await
    }
}

#[async_trait]
impl GraphStore for SqliteGraph {
    async fn snapshot(&self) -> StoreResult<Arc<dyn GraphReader>> {
        let file = self.file.snapshot().await?;
        Ok(Arc::new(Self { file, ..self.clone() }))
    }
    fn describe(&self) -> String {
        self.file.describe()
    }
    async fn prepare(&self) -> StoreResult<()> {
        self.file.prepare("graph", schema::STEPS).await
    }
    async fn lock_writer(&self, owner: &str) -> StoreResult<()> {
        self.lock(owner)
    }
    async fn unlock_writer(&self) -> StoreResult<()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(())
    }
    async fn save_settings(&self, settings: &BTreeMap<String, String>) -> StoreResult<()> {
        let settings = settings.clone();
        self.file
            .write(move |tx| {
                let settings = json(&settings)?;
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
    async fn pending_units(
        &self,
        stage: Stage,
        after: Option<&Id>,
        limit: usize,
    ) -> StoreResult<Vec<StoredUnit>> {
        let after = after.map_or_else(String::new, ToString::to_string);
        let filter = match stage {
            Stage::Extraction => {
                "u.id > ?1 AND u.extraction IS NULL AND u.error IS NULL ORDER BY u.id LIMIT ?2"
            }
            Stage::Linking => {
                "u.id > ?1 AND u.linking_done = 0 AND u.extraction IS NOT NULL ORDER BY u.id LIMIT ?2"
            }
        };
        self.file.read(move |c| read::units(c, filter, (after, limited(limit)))).await
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
        let keys = name_keys.to_vec();
        self.file.read(move |c| read::units_with_names(c, &json(&keys)?)).await
    }
    async fn names(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<NameUse>> {
        let after = after.unwrap_or("").to_owned();
        self.file.read(move |c| read::names(c, &after, limit)).await
    }
    async fn dictionary(&self) -> StoreResult<Vec<String>> {
        self.file.read(|c| read::texts(c, "SELECT key FROM dictionary ORDER BY key")).await
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
                        Some(to) => {
                            tx.execute("INSERT OR REPLACE INTO resolution VALUES (?1, ?2)", (name, to))?
                        }
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
        self.file.read(move |c| sums::dirty_relationships(c, limit)).await
    }
    async fn save_relationships(&self, writes: &[RelationshipWrite]) -> StoreResult<()> {
        let writes = writes.to_vec();
        self.file
            .write(move |tx| writes.iter().try_for_each(|write| sums::save_relationship(tx, write)))
            .await
    }
    async fn dirty_entities(&self, limit: usize) -> StoreResult<Vec<EntityEvidence>> {
        self.file.read(move |c| sums::dirty_entities(c, limit)).await
    }
    async fn save_entities(&self, writes: &[EntityWrite]) -> StoreResult<()> {
        let writes = writes.to_vec();
        self.file.write(move |tx| writes.iter().try_for_each(|write| sums::save_entity(tx, write))).await
    }
    async fn kinds(&self) -> StoreResult<Vec<(String, u64)>> {
        self.file.read(read::kinds).await
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
    async fn end_communities(
        &self,
        generation: u64,
        ended: &[Id],
        parents: &[(Id, Option<Id>)],
    ) -> StoreResult<()> {
        let (ended, parents) = (ended.to_vec(), parents.to_vec());
        self.file.write(move |tx| hierarchy::end(tx, generation, &ended, &parents)).await
    }
    async fn publish_generation(&self, generation: u64) -> StoreResult<()> {
        self.file
            .write(move |tx| {
                tx.execute(
                    "INSERT OR REPLACE INTO meta VALUES ('generation', ?1)",
                    [generation.to_string()],
                )?;
                Ok(())
            })
            .await
    }
    async fn sweep_communities(&self, generation: u64) -> StoreResult<()> {
        self.file.write(move |tx| hierarchy::sweep(tx, generation)).await
    }
    async fn pending_vectors(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<PendingVector>> {
        self.file.read(move |c| vectors::pending(c, kind, limit)).await
    }
    async fn acknowledge_vectors(&self, kind: VectorKind, done: &[(Id, String)]) -> StoreResult<()> {
        let done = done.to_vec();
        self.file.write(move |tx| vectors::acknowledge(tx, kind, &done)).await
    }
    async fn expire_vectors(&self, kind: VectorKind) -> StoreResult<()> {
        self.file.write(move |tx| vectors::expire(tx, kind)).await
    }
    async fn tombstones(&self, kind: VectorKind, limit: usize) -> StoreResult<Vec<Id>> {
        self.file.read(move |c| vectors::tombstones(c, kind, limit)).await
    }
    async fn clear_tombstones(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()> {
        let ids = id_list(ids);
        self.file.write(move |tx| vectors::clear_tombstones(tx, kind, &ids)).await
    }
    async fn wipe(&self) -> StoreResult<()> {
        self.file.write(|tx| Ok(tx.execute_batch(schema::WIPE)?)).await
    }
}
