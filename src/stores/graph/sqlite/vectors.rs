//! Which nodes' vectors are not up to date, and which are gone.

use super::{from_json, id, limited};
use crate::domain::{Id, Report};
use crate::stores::graph::{PendingVector, VectorKind, found_by};
use crate::stores::sqlite_file::Outcome;
use rusqlite::{Connection, Transaction};

fn table(kind: VectorKind) -> &'static str {
    match kind {
        VectorKind::Entities => "entity",
        VectorKind::TextUnits => "unit",
        VectorKind::Reports => "community",
    }
}

pub(super) fn pending(c: &Connection, kind: VectorKind, limit: usize) -> Outcome<Vec<PendingVector>> {
    let sql = format!(
        "SELECT id, vector_fingerprint FROM {} WHERE vector_pending = 1 ORDER BY id LIMIT ?1",
        table(kind)
    );
    let mut pending: Vec<PendingVector> = Vec::new();
    {
        let mut statement = c.prepare_cached(&sql)?;
        let mut rows = statement.query([limited(limit)])?;
        while let Some(row) = rows.next()? {
            pending.push(PendingVector {
                id: id(row.get(0)?),
                text: String::new(),
                stored_fingerprint: row.get(1)?,
                document_id: None,
                level: None,
                kind: None,
            });
        }
    }
    for node in &mut pending {
        match kind {
            VectorKind::Entities => {
                if let Some(entity) =
                    super::read::entities(c, "id = ?1", [node.id.as_str()])?.into_iter().next()
                {
                    node.text = found_by::entity(&entity);
                    node.kind = Some(entity.kind);
                }
            }
            VectorKind::TextUnits => {
                if let Some(unit) = super::read::units(c, "u.id = ?1", [node.id.as_str()])?.into_iter().next()
                {
                    node.text = found_by::text_unit(&unit);
                    node.document_id = Some(unit.unit.document_id);
                }
            }
            VectorKind::Reports => {
                let sql = "SELECT report, level FROM community WHERE id = ?1";
                let (report, level): (String, i64) = c
                    .prepare_cached(sql)?
                    .query_row([node.id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
                node.text = found_by::report(&from_json::<Report>(&report)?);
                node.level = Some(super::small(level));
            }
        }
    }
    Ok(pending)
}

pub(super) fn acknowledge(tx: &Transaction<'_>, kind: VectorKind, done: &[(Id, String)]) -> Outcome<()> {
    let sql = format!("UPDATE {} SET vector_pending = 0, vector_fingerprint = ?2 WHERE id = ?1", table(kind));
    let mut update = tx.prepare_cached(&sql)?;
    for (id, fingerprint) in done {
        update.execute((id.as_str(), fingerprint))?;
    }
    Ok(())
}

pub(super) fn expire(tx: &Transaction<'_>, kind: VectorKind) -> Outcome<()> {
    tx.execute(&format!("UPDATE {} SET vector_pending = 1, vector_fingerprint = NULL", table(kind)), [])?;
    Ok(())
}

pub(super) fn tombstones(c: &Connection, kind: VectorKind, limit: usize) -> Outcome<Vec<Id>> {
    let mut statement = c.prepare_cached("SELECT id FROM tombstone WHERE kind = ?1 ORDER BY id LIMIT ?2")?;
    let rows = statement.query_map((kind.as_str(), limited(limit)), |row| row.get::<_, String>(0))?;
    Ok(rows.map(|row| row.map(id)).collect::<Result<_, _>>()?)
}

pub(super) fn clear_tombstones(tx: &Transaction<'_>, kind: VectorKind, ids: &str) -> Outcome<()> {
    let sql = "DELETE FROM tombstone WHERE kind = ?1 AND id IN (SELECT value FROM json_each(?2))";
    tx.execute(sql, (kind.as_str(), ids))?;
    Ok(())
}
