//! The vector store in an SQLite file: the same sparse postings as in Qdrant, its formulas, dense vectors by scan.
//!
//! It shares the file with the embedded graph and stands alone beside Neo4j. Every call is one transaction.

mod dense;
mod points;
mod postings;
mod resident;
mod segments;
mod sparse;

use super::checks::{check_dense, check_point, check_sparse, not_prepared, other_dimension, unit};
use super::fusion::{fuse, prefetch_limit};
use super::structure;
use super::{Hit, Point, VectorQuery, VectorStore};
use crate::domain::Id;
use crate::stores::StoreResult;
use crate::stores::graph::VectorKind;
use crate::stores::sqlite_file::{Outcome, SqliteFile, has_table};
use async_trait::async_trait;
use resident::{Resident, ResidentSlot};
use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Leads from each version of the tables to the next.
const SCHEMA: &[&str] = &[include_str!("schema.sql"), include_str!("places.sql"), include_str!("stamps.sql")];

/// Vectors of one workspace in an SQLite file.
#[derive(Clone)]
pub struct SqliteVectors {
    file: SqliteFile,
    workspace: String,
    /// Vectors of the library's questions.
    questions: ResidentSlot,
    /// How many points each collection had in the state of a stamp.
    counts: Arc<Mutex<FxHashMap<i64, (i64, u64)>>>,
}

/// One workspace's points of one kind.
#[derive(Clone, Copy)]
struct Collection {
    number: i64,
    dimension: Option<usize>,
}

impl SqliteVectors {
    /// The vectors of a workspace; nothing is written before [`VectorStore::prepare`].
    pub fn new(file: SqliteFile, workspace: impl Into<String>) -> Self {
        Self { file, workspace: workspace.into(), questions: ResidentSlot::default(), counts: Arc::default() }
    }

    /// Brings a file that an older program wrote up to this one, so that it can be read; any other is left alone.
    ///
    /// # Errors
    /// As [`VectorStore::prepare`].
    pub async fn upgrade(&self) -> StoreResult<()> {
        let statement = "SELECT version FROM schema_parts WHERE part = 'vectors'";
        let version: StoreResult<Option<u32>> = self
            .file
            .read(move |connection| Ok(connection.query_row(statement, [], |row| row.get(0)).optional()?))
            .await;
        match version {
            Ok(Some(version)) if (version as usize) < SCHEMA.len() => {
                self.file.prepare("vectors", SCHEMA).await
            }
            _ => Ok(()),
        }
    }

    /// Runs on the collection, if it is there, in one snapshot.
    async fn read<T, F>(&self, name: &'static str, run: F) -> StoreResult<Option<T>>
    where
        T: Send + 'static,
        F: FnOnce(&Connection, Collection) -> Outcome<T> + Send + 'static,
    {
        let workspace = self.workspace.clone();
        self.file
            .read(move |connection| {
                let Some(collection) = find(connection, &workspace, name)? else { return Ok(None) };
                Ok(Some(run(connection, collection)?))
            })
            .await
    }

    /// Runs on the collection, if it is there, in one transaction.
    async fn write<T, F>(&self, name: &'static str, run: F) -> StoreResult<Option<T>>
    where
        T: Send + 'static,
        F: FnOnce(&Connection, Collection) -> Outcome<T> + Send + 'static,
    {
        let workspace = self.workspace.clone();
        self.file
            .write(move |connection| {
                let Some(collection) = find(connection, &workspace, name)? else { return Ok(None) };
                let done = run(connection, collection)?;
                points::set_stamp(connection, collection.number)?;
                Ok(Some(done))
            })
            .await
    }

    /// Where the vectors of a kind are held in memory.
    fn resident_slot(&self, kind: VectorKind) -> Option<ResidentSlot> {
        (kind == VectorKind::Questions).then(|| Arc::clone(&self.questions))
    }

    async fn count_of(&self, name: &'static str) -> StoreResult<u64> {
        let counts = Arc::clone(&self.counts);
        let count = self.read(name, move |connection, Collection { number, .. }| {
            // a stamp that was never set says nothing about the state
            let Some(stamp) = points::stamp(connection, number)?.filter(|stamp| *stamp != 0) else {
                return Ok(points::count(connection, number)?);
            };
            let counted = || counts.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, count)) = counted().get(&number).filter(|(of, _)| *of == stamp) {
                return Ok(*count);
            }
            let count = points::count(connection, number)?;
            counted().insert(number, (stamp, count));
            Ok(count)
        });
        Ok(count.await?.unwrap_or_default())
    }

    fn name(&self, kind: VectorKind) -> String {
        format!("{} ({})", self.describe(), kind.as_str())
    }
}

#[async_trait]
impl VectorStore for SqliteVectors {
    fn describe(&self) -> String {
        self.file.describe()
    }

    async fn prepare(&self, dimension: Option<usize>) -> StoreResult<()> {
        self.file.prepare("vectors", SCHEMA).await?;
        let store = self.clone();
        self.file
            .write(move |connection| {
                for kind in VectorKind::ALL {
                    match (find(connection, &store.workspace, kind.as_str())?, dimension) {
                        (None, _) => create(connection, &store.workspace, kind.as_str(), dimension)?,
                        (Some(there), Some(wanted)) if there.dimension != Some(wanted) => {
                            if points::count(connection, there.number)? > 0 {
                                Err(other_dimension(&store.name(kind), there.dimension, wanted))?;
                            }
                            drop_collection(connection, there.number)?;
                            create(connection, &store.workspace, kind.as_str(), dimension)?;
                        }
                        _ => {}
                    }
                }
                Ok(())
            })
            .await
    }

    async fn dimension(&self) -> StoreResult<Option<usize>> {
        let name = VectorKind::TextUnits.as_str();
        Ok(self.read(name, |_, collection| Ok(collection.dimension)).await?.flatten())
    }

    async fn upsert(&self, kind: VectorKind, points: &[Point]) -> StoreResult<()> {
        let (name, points) = (self.name(kind), points.to_vec());
        self.write(kind.as_str(), move |connection, collection| {
            for point in &points {
                check_point(&name, point, collection.dimension)?;
            }
            Ok(replace(connection, collection.number, &points)?)
        })
        .await?
        .ok_or_else(|| not_prepared(self.name(kind)))
    }

    async fn delete(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()> {
        let ids = ids.to_vec();
        let run = move |connection: &Connection, collection: Collection| {
            Ok(remove(connection, collection.number, &ids)?)
        };
        self.write(kind.as_str(), run).await?;
        Ok(())
    }

    async fn search(&self, kind: VectorKind, query: &VectorQuery) -> StoreResult<Vec<Hit>> {
        let hits = self.search_each(kind, std::slice::from_ref(query)).await?;
        Ok(hits.into_iter().next().unwrap_or_default())
    }

    async fn search_each(&self, kind: VectorKind, queries: &[VectorQuery]) -> StoreResult<Vec<Vec<Hit>>> {
        let (name, queries, count) = (self.name(kind), queries.to_vec(), queries.len());
        let held = self.resident_slot(kind);
        let hits = self.read(kind.as_str(), move |connection, collection| {
            let by_meaning = queries.iter().any(|query| query.dense.is_some());
            let held = held.filter(|_| by_meaning);
            let resident = in_memory(held.as_ref(), connection, collection)?;
            let search = |query| search(connection, collection, (&name, resident.as_deref()), query);
            queries.iter().map(search).collect()
        });
        Ok(hits.await?.unwrap_or_else(|| vec![Vec::new(); count]))
    }

    async fn weights_of(
        &self,
        kind: VectorKind,
        ids: &[Id],
        tokens: &[u32],
    ) -> StoreResult<Vec<(Id, Vec<f32>)>> {
        let ids: Vec<Id> = ids.iter().collect::<BTreeSet<_>>().into_iter().cloned().collect();
        let tokens = tokens.to_vec();
        let weights = self.read(kind.as_str(), move |connection, collection| {
            Ok(sparse::weights_of(connection, collection.number, &ids, &tokens)?)
        });
        Ok(weights.await?.unwrap_or_default())
    }

    async fn ids(&self, kind: VectorKind, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Id>> {
        let after = after.cloned();
        let ids = self.read(kind.as_str(), move |connection, collection| {
            Ok(points::ids(connection, collection.number, after.as_ref(), limit)?)
        });
        Ok(ids.await?.unwrap_or_default())
    }

    async fn dense_of(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<Vec<(Id, Vec<f32>)>> {
        let ids: Vec<Id> = ids.iter().collect::<BTreeSet<_>>().into_iter().cloned().collect();
        let held = self.resident_slot(kind);
        let vectors = self.read(kind.as_str(), move |connection, collection| {
            let dimension = collection.dimension.unwrap_or_default();
            if let Some(resident) = in_memory(held.as_ref(), connection, collection)? {
                return Ok(resident.vectors_of(&ids));
            }
            Ok(dense::vectors_of(connection, collection.number, &ids, dimension)?)
        });
        Ok(vectors.await?.unwrap_or_default())
    }

    async fn save_structure(&self, vectors: &[(Id, Vec<f32>)]) -> StoreResult<()> {
        let (store, points) = (self.clone(), structure::points(vectors));
        self.file
            .write(move |connection| {
                let find = || find(connection, &store.workspace, structure::NAME);
                if let Some(before) = find()? {
                    drop_collection(connection, before.number)?;
                }
                let Some(first) = points.first() else { return Ok(()) };
                let dimension = first.dense.as_ref().map(Vec::len);
                create(connection, &store.workspace, structure::NAME, dimension)?;
                let Some(collection) = find()? else { return Ok(()) };
                for point in &points {
                    check_point(structure::NAME, point, dimension)?;
                }
                Ok(replace(connection, collection.number, &points)?)
            })
            .await
    }

    async fn near_in_structure(&self, around: &[Id], limit: usize) -> StoreResult<Vec<Hit>> {
        let around = around.to_vec();
        let hits = self.read(structure::NAME, move |connection, collection| {
            let dimension = collection.dimension.unwrap_or_default();
            let known = dense::vectors_of(connection, collection.number, &around, dimension)?;
            let Some(mean) = structure::mean(&known) else { return Ok(Vec::new()) };
            let hits = dense::search(connection, collection.number, &mean, None, limit + around.len())?;
            Ok(structure::others(hits, &around, limit))
        });
        Ok(hits.await?.unwrap_or_default())
    }

    async fn structure_count(&self) -> StoreResult<u64> {
        self.count_of(structure::NAME).await
    }

    async fn count(&self, kind: VectorKind) -> StoreResult<u64> {
        self.count_of(kind.as_str()).await
    }

    async fn wipe(&self) -> StoreResult<()> {
        for name in VectorKind::ALL.map(VectorKind::as_str).into_iter().chain([structure::NAME]) {
            self.write(name, |connection, collection| Ok(drop_collection(connection, collection.number)?))
                .await?;
        }
        Ok(())
    }
}

fn find(connection: &Connection, workspace: &str, name: &str) -> rusqlite::Result<Option<Collection>> {
    if !has_table(connection, "vec_collection")? {
        return Ok(None);
    }
    let collection = connection
        .prepare_cached("SELECT collection, dimension FROM vec_collection WHERE workspace = ? AND kind = ?")?
        .query_row(params![workspace, name], |row| {
            let dimension: Option<u32> = row.get(1)?;
            Ok(Collection { number: row.get(0)?, dimension: dimension.map(|dimension| dimension as usize) })
        })
        .optional()?;
    Ok(collection)
}

fn in_memory(
    held: Option<&ResidentSlot>,
    connection: &Connection,
    collection: Collection,
) -> rusqlite::Result<Option<Arc<Resident>>> {
    let Some(held) = held else { return Ok(None) };
    resident::of(held, connection, collection.number, collection.dimension.unwrap_or_default())
}

fn create(
    connection: &Connection,
    workspace: &str,
    name: &str,
    dimension: Option<usize>,
) -> rusqlite::Result<()> {
    let dimension = dimension.map(|dimension| u32::try_from(dimension).unwrap_or(u32::MAX));
    connection.execute(
        "INSERT INTO vec_collection (workspace, kind, dimension) VALUES (?, ?, ?)",
        params![workspace, name, dimension],
    )?;
    points::set_stamp(connection, connection.last_insert_rowid())
}

/// Where an id comes twice, its last point counts.
fn replace(connection: &Connection, collection: i64, given: &[Point]) -> rusqlite::Result<()> {
    let distinct: BTreeMap<&Id, &Point> = given.iter().map(|point| (&point.id, point)).collect();
    forget(connection, collection, distinct.keys().copied())?;
    let segment = segments::next_number(connection, collection)?;
    let mut size = 0;
    let mut tokens: BTreeMap<u32, Vec<(u32, f32)>> = BTreeMap::new();
    let mut dense_vectors = Vec::new();
    for point in distinct.into_values() {
        let number = points::insert(connection, collection, point)?;
        if !point.sparse.indices.is_empty() {
            for (token, weight) in point.sparse.indices.iter().zip(&point.sparse.values) {
                tokens.entry(*token).or_default().push((size, *weight));
            }
            points::set_place(connection, number, segment, size)?;
            size += 1;
        }
        dense_vectors.extend(point.dense.as_deref().map(|vector| (number, unit(vector))));
    }
    if size > 0 {
        segments::write(connection, collection, segment, size, &tokens)?;
    }
    let borrowed: Vec<(i64, &[f32])> =
        dense_vectors.iter().map(|(number, v)| (*number, v.as_slice())).collect();
    for ((number, _), (block, slot)) in borrowed.iter().zip(dense::append(connection, collection, &borrowed)?)
    {
        points::set_slot(connection, *number, block, slot)?;
    }
    segments::tidy(connection, collection)
}

fn remove(connection: &Connection, collection: i64, ids: &[Id]) -> rusqlite::Result<()> {
    forget(connection, collection, ids)?;
    segments::tidy(connection, collection)
}

fn forget<'a>(
    connection: &Connection,
    collection: i64,
    ids: impl IntoIterator<Item = &'a Id>,
) -> rusqlite::Result<()> {
    let positions = points::remove(connection, collection, ids)?;
    let places: Vec<(i64, u32)> = positions.iter().filter_map(|position| position.sparse).collect();
    segments::kill(connection, collection, &places)?;
    dense::remove(connection, collection, positions.iter().filter_map(|position| position.dense))
}

fn search(
    connection: &Connection,
    collection: Collection,
    (name, resident): (&str, Option<&Resident>),
    query: &VectorQuery,
) -> Outcome<Vec<Hit>> {
    if query.limit == 0 || query.filter.holds_for_nothing() {
        return Ok(Vec::new());
    }
    let allowed = points::allowed(connection, collection.number, &query.filter)?;
    let by_cosine = |dense: &[f32], limit| {
        check_dense(name, dense, collection.dimension)?;
        let (dense, allowed) = (unit(dense), allowed.as_ref());
        match resident.filter(|_| allowed.is_none()) {
            Some(resident) => Ok(resident.search(&dense, limit)),
            None => Outcome::Ok(dense::search(connection, collection.number, &dense, allowed, limit)?),
        }
    };
    let by_words = |sparse, limit| {
        check_sparse(name, sparse)?;
        Outcome::Ok(sparse::search(connection, collection.number, sparse, allowed.as_ref(), limit)?)
    };
    let prefetch = prefetch_limit(query.limit);
    match (&query.dense, &query.sparse) {
        (None, None) => Ok(Vec::new()),
        (Some(dense), None) => by_cosine(dense, query.limit),
        (None, Some(sparse)) => by_words(sparse, query.limit),
        (Some(dense), Some(sparse)) => {
            let by_words = (by_words(sparse, prefetch)?, query.words_weight);
            Ok(fuse(&[(by_cosine(dense, prefetch)?, 1.0), by_words], query.limit))
        }
    }
}

fn drop_collection(connection: &Connection, collection: i64) -> rusqlite::Result<()> {
    dense::wipe(connection, collection)?;
    for table in ["vec_posting", "vec_segment", "vec_point", "vec_collection"] {
        connection.execute(&format!("DELETE FROM {table} WHERE collection = ?"), [collection])?;
    }
    Ok(())
}
