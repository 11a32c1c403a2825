//! The graph in one SQLite file a workspace (design 7): nothing to install, the same behaviour as Neo4j.
//!
//! One file a noun holds its traits. All work runs on threads that may block, through [`SqliteFile`]: a method hands a
//! function of its own name a connection.

mod documents;
mod text_units;
mod evidence;
mod claims;
mod names;
mod name_uses;
mod name_sums;
mod words;
mod edits;
mod entities;
mod relationships;
mod periods;
mod communities;
mod unreported;
mod lineage;
mod trees;
mod facts;
mod library;
mod vectors;
mod vector_marks;
mod runs;
mod doctor;
mod lock;
mod generations;
mod rows;
mod schema;

use crate::domain::Ids;
use crate::stores::graph::{AdoptionStore, GraphReader, GraphStore};
use crate::stores::sqlite_file::{Outcome, SqliteFault, SqliteFile};
use crate::stores::{StoreError, StoreResult};
use async_trait::async_trait;
use rows::{first, run};
use rusqlite::{Connection, Transaction};
use schema::TABLES;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// One workspace's graph in an SQLite file.
#[derive(Debug)]
pub struct SqliteGraph {
    file: SqliteFile,
    workspace: String,
    lock: Mutex<Option<lock::WriterLock>>,
}

impl SqliteGraph {
    /// Opens the workspace's file, `.graphwright/<workspace>.sqlite` by custom, and creates it where it is missing.
    ///
    /// # Errors
    /// As [`SqliteFile::open`].
    pub fn open(path: &Path, workspace: &str) -> StoreResult<Self> {
        Ok(Self::new(SqliteFile::open(path)?, workspace))
    }

    /// The graph in a file that is open already, because the vectors are in it too;
    /// [`crate::stores::GraphStore::prepare`] makes its tables.
    pub fn new(file: SqliteFile, workspace: &str) -> Self {
        Self { file, workspace: workspace.to_owned(), lock: Mutex::default() }
    }

    /// Brings a file that an older program wrote up to this one, so that it can be read; any other is left alone.
    ///
    /// # Errors
    /// As [`crate::stores::GraphStore::prepare`].
    pub async fn upgrade(&self) -> StoreResult<()> {
        let statement = "SELECT version FROM schema_parts WHERE part = 'graph'";
        let version: StoreResult<Option<u32>> = self
            .file
            .read(move |connection| rows::first(connection, statement, [], |row| Ok(row.get(0)?)))
            .await;
        match version {
            Ok(Some(version)) if (version as usize) < schema::STEPS.len() => {
                self.file.prepare("graph", schema::STEPS).await
            }
            _ => Ok(()),
        }
    }
}

/// Nobody else has anything in the file.
impl AdoptionStore for SqliteGraph {}

#[async_trait]
impl GraphStore for SqliteGraph {
    async fn snapshot(&self) -> StoreResult<Arc<dyn GraphReader>> {
        Ok(Arc::new(Self::new(self.file.snapshot().await?, &self.workspace)))
    }

    async fn scan(&self) -> StoreResult<Arc<dyn GraphReader>> {
        Ok(Arc::new(Self::new(self.file.scan().await?, &self.workspace)))
    }

    fn let_idle_snapshots_go(&self, after: std::time::Duration, bytes: u64) {
        self.file.let_idle_snapshots_go(after, bytes);
    }

    fn describe(&self) -> String {
        self.file.describe()
    }

    async fn prepare(&self) -> StoreResult<()> {
        self.file.prepare("graph", schema::STEPS).await?;
        self.file.prepare("trees", trees::STEPS).await?;
        self.file.prepare("facts", facts::STEPS).await?;
        self.file.prepare("library", library::STEPS).await?;
        self.file.prepare("runs", runs::STEPS).await?;
        self.file.prepare("reports", unreported::STEPS).await?;
        self.file.prepare("words", words::STEPS).await?;
        self.file.prepare("names", name_sums::STEPS).await?;
        let workspace = self.workspace.clone();
        self.file
            .write(move |transaction| {
                claim_file(transaction, &workspace)?;
                library::complete(transaction, &Ids::new(&workspace))
            })
            .await
    }

    async fn wipe(&self) -> StoreResult<()> {
        self.file
            .write(|transaction| {
                clear(transaction)?;
                run(transaction, "DELETE FROM ledger", [])?;
                Ok(())
            })
            .await
    }

    async fn clear(&self) -> StoreResult<()> {
        self.file.write(clear).await
    }
}

/// Gives the file to its workspace, or makes sure that it is its file.
fn claim_file(connection: &Connection, workspace: &str) -> Outcome<()> {
    let owner: Option<String> = first(connection, "SELECT name FROM workspace", [], |row| Ok(row.get(0)?))?;
    match owner {
        Some(owner) if owner == workspace => Ok(()),
        Some(owner) => Err(SqliteFault::Store(StoreError::Unusable(format!(
            "the file holds workspace {owner}, not {workspace}; each workspace has a file of its own"
        )))),
        None => {
            run(connection, "INSERT INTO workspace (name, generation) VALUES (?1, 0)", [workspace])?;
            Ok(())
        }
    }
}

fn clear(transaction: &Transaction<'_>) -> Outcome<()> {
    trees::wipe(transaction)?;
    facts::wipe(transaction)?;
    library::wipe(transaction)?;
    runs::forget_completed_run(transaction)?;
    unreported::forget(transaction)?;
    words::wipe(transaction)?;
    name_sums::wipe(transaction)?;
    for table in TABLES {
        run(transaction, &format!("DELETE FROM {table}"), [])?;
    }
    run(transaction, "UPDATE workspace SET generation = 0", [])?;
    Ok(())
}
