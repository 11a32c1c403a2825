//! Edits, by sequence.

use super::SqliteGraph;
use super::rows::{all, count, from_json, id, integer, json, run};
use crate::domain::Edit;
use crate::stores::StoreResult;
use crate::stores::graph::{EditReader, EditStore};
use crate::stores::sqlite_file::Outcome;
use async_trait::async_trait;
use rusqlite::Connection;

#[async_trait]
impl EditReader for SqliteGraph {
    async fn edits(&self) -> StoreResult<Vec<Edit>> {
        self.file.read(edits).await
    }
}

#[async_trait]
impl EditStore for SqliteGraph {
    async fn save_edit(&self, edit: &Edit, undo: bool) -> StoreResult<()> {
        let edit = edit.clone();
        self.file.write(move |transaction| save_edit(transaction, &edit, undo)).await
    }
}

pub(super) fn edits(connection: &Connection) -> Outcome<Vec<Edit>> {
    all(connection, "SELECT id, sequence, kind FROM edits ORDER BY sequence, id", [], |row| {
        Ok(Edit { id: id(row, 0)?, sequence: count(row, 1)?, kind: from_json(row, 2)? })
    })
}

pub(super) fn save_edit(connection: &Connection, edit: &Edit, undo: bool) -> Outcome<()> {
    if undo {
        run(connection, "DELETE FROM edits WHERE id = ?1", [edit.id.as_str()])?;
    } else {
        let statement = "INSERT OR REPLACE INTO edits (id, sequence, kind) VALUES (?1, ?2, ?3)";
        run(connection, statement, (edit.id.as_str(), integer(edit.sequence), json(&edit.kind)?))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stores::graph::{GraphStore, LineageReader};

    /// A workspace after a statement that we would never send.
    async fn damaged(folder: &tempfile::TempDir, statement: &'static str) -> SqliteGraph {
        let graph = SqliteGraph::open(&folder.path().join("w.sqlite"), "w").unwrap();
        graph.prepare().await.unwrap();
        graph.file.write(move |connection| run(connection, statement, [])).await.unwrap();
        graph
    }

    #[tokio::test]
    async fn what_cannot_be_read_is_an_error_and_not_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let newer = "INSERT INTO edits (id, sequence, kind) VALUES ('e', 1, '{\"edit\": \"newer\"}')";
        let error = damaged(&folder, newer).await.edits().await.unwrap_err().to_string();
        assert!(error.contains("newer"), "{error}");
        let newer =
            "INSERT INTO lineage_steps (lineage, generation, period, event, level, size, title, others)
            VALUES ('l', 0, '', 'newer', 0, 1, '', '[]')";
        let error = damaged(&folder, newer).await.lineage_steps().await.unwrap_err().to_string();
        assert!(error.contains("its event is \"newer\""), "{error}");
    }
}
