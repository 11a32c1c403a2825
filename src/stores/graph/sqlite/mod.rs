//! The graph in one SQLite file a workspace (design 7): nothing to install, the same behaviour as Neo4j.
//!
//! `reader` and `writer` are the two traits; what they do stands in one file a subject. All work runs on threads
//! that may block, through [`SqliteFile`].

mod reader;
mod writer;
mod documents;
mod text_units;
mod evidence;
mod names;
mod entities;
mod relationships;
mod claims;
mod communities;
mod trees;
mod facts;
mod lineage;
mod vectors;
mod stale;
mod doctor;
mod tables;
mod ledger;
mod lock;
mod rows;
mod schema;

use crate::stores::StoreResult;
use crate::stores::sqlite_file::SqliteFile;
use std::path::Path;
use std::sync::Mutex;

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
