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
