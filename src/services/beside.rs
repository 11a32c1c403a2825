//! A workspace's embedded file in the making, beside the one that is there, which stays as it is until all is made.

use super::{Services, file};
use crate::stores::graph::sqlite::SqliteGraph;
use crate::stores::sqlite_file::SqliteFile;
use crate::stores::vectors::SqliteVectors;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::sync::Arc;

impl Services {
    /// Whether graph and vectors are both in the workspace's file.
    pub fn is_embedded(&self) -> bool {
        self.config.graph.url.is_none() && self.config.vectors.url.is_none()
    }

    /// The same services over a new, empty file beside the workspace's, of which only the holder of the writer's lock
    /// may make one. What an earlier one left there goes.
    ///
    /// # Errors
    /// The data folder cannot be written.
    pub async fn beside(&self) -> Result<Self> {
        self.remove_beside()?;
        let file = SqliteFile::open(&self.path_beside())?;
        let workspace = self.ids.workspace();
        let services = Self {
            graph: Arc::new(SqliteGraph::new(file.clone(), workspace)),
            vectors: Arc::new(SqliteVectors::new(file, workspace)),
            ..self.clone()
        };
        services.graph.prepare().await?;
        services.prepare_vectors(false).await?;
        Ok(services)
    }

    /// Makes the workspace's file hold what the one beside it holds, in one transaction, and removes that one. Whoever
    /// reads the workspace meanwhile sees one or the other, and so does the next run after one that was killed.
    ///
    /// A transaction, and no renaming: a reader has the log and the index of the old file open under the names that a new
    /// file would look for.
    ///
    /// # Errors
    /// No space for the copy, or somebody who writes and does not end; the workspace is as it was.
    pub async fn take_over_beside(&self) -> Result<()> {
        let here = SqliteFile::open(&file(&self.data_dir, self.ids.workspace()))?;
        here.take_over(&self.path_beside()).await?;
        self.remove_beside()
    }

    /// Removes what was made beside the workspace's file and not taken over.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn remove_beside(&self) -> Result<()> {
        for ending in ["", "-wal", "-shm"] {
            let mut path = self.path_beside().into_os_string();
            path.push(ending);
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("cannot remove {}", path.to_string_lossy()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn path_beside(&self) -> PathBuf {
        // no workspace's name has a dot, so this is no other workspace's file
        file(&self.data_dir, self.ids.workspace()).with_extension("sqlite.import")
    }
}
