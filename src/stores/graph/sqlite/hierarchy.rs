//! Communities, valid from a generation to a generation.

use super::{from_json, id, json, signed, small};
use crate::domain::{Community, Id};
use crate::stores::sqlite_file::Outcome;
use rusqlite::{Connection, OptionalExtension, Params, Transaction};

const FOREVER: i64 = i64::MAX;

const COMMUNITY: &str =
    "SELECT c.id, c.level, c.leaf, c.oversized, c.members, c.fingerprint, c.report, c.lineage,
  c.period, p.parent FROM community c LEFT JOIN parent p ON p.child = c.n";

fn select<P: Params>(c: &Connection, filter: &str, params: P) -> Outcome<Vec<Community>> {
    let mut statement = c.prepare_cached(&format!("{COMMUNITY} {filter}"))?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(Community {
            id: id(row.get(0)?),
            level: small(row.get(1)?),
            leaf: row.get(2)?,
            oversized: row.get(3)?,
            members: from_json(&row.get::<_, String>(4)?)?,
            fingerprint: row.get(5)?,
            report: from_json(&row.get::<_, String>(6)?)?,
            lineage: id(row.get(7)?),
            period: row.get(8)?,
            parent: row.get::<_, Option<String>>(9)?.map(id),
        });
    }
    Ok(found)
}

pub(super) fn communities(c: &Connection, generation: u64) -> Outcome<Vec<Community>> {
    let filter = "AND p.from_generation <= ?1 AND p.to_generation > ?1
                  WHERE c.from_generation <= ?1 AND c.to_generation > ?1 ORDER BY c.level, c.id";
    select(c, filter, [signed(generation)])
}

pub(super) fn communities_by_id(c: &Connection, ids: &str) -> Outcome<Vec<Community>> {
    let generation = signed(super::read::generation(c)?);
    let filter = "AND p.from_generation <= ?2 AND p.to_generation > ?2
                  WHERE c.id IN (SELECT value FROM json_each(?1)) ORDER BY c.id";
    select(c, filter, (ids, generation))
}

pub(super) fn communities_of(c: &Connection, entities: &str, generation: u64) -> Outcome<Vec<(Id, Id)>> {
    let mut statement = c.prepare_cached(
        "SELECT m.entity, c.id FROM member m JOIN community c ON c.n = m.community
         WHERE m.entity IN (SELECT value FROM json_each(?1)) AND c.from_generation <= ?2 AND c.to_generation > ?2
         ORDER BY m.entity, c.level, c.id",
    )?;
    let mut rows = statement.query((entities, signed(generation)))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push((id(row.get(0)?), id(row.get(1)?)));
    }
    Ok(found)
}

pub(super) fn add(tx: &Transaction<'_>, generation: u64, communities: &[Community]) -> Outcome<()> {
    let from = signed(generation);
    for community in communities {
        let known: Option<i64> = tx
            .prepare_cached("SELECT n FROM community WHERE id = ?1")?
            .query_row([community.id.as_str()], |row| row.get(0))
            .optional()?;
        if let Some(n) = known {
            // it ended in an earlier generation and comes back as it was
            remove(tx, n)?;
        }
        tx.prepare_cached(
            "INSERT INTO community (id, level, leaf, oversized, fingerprint, report, composed, lineage, period, members,
               from_generation, to_generation) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute((
            community.id.as_str(),
            community.level,
            community.leaf,
            community.oversized,
            &community.fingerprint,
            json(&community.report)?,
            community.report.composed,
            community.lineage.as_str(),
            &community.period,
            json(&community.members)?,
            from,
            FOREVER,
        ))?;
        let n = tx.last_insert_rowid();
        tx.prepare_cached("DELETE FROM tombstone WHERE kind = 'reports' AND id = ?1")?
            .execute([community.id.as_str()])?;
        set_parent(tx, n, from, community.parent.as_ref())?;
        let mut insert =
            tx.prepare_cached("INSERT OR IGNORE INTO member (entity, community) VALUES (?1, ?2)")?;
        for member in &community.members {
            insert.execute((member.as_str(), n))?;
        }
    }
    Ok(())
}

fn set_parent(tx: &Transaction<'_>, child: i64, from: i64, parent: Option<&Id>) -> Outcome<()> {
    tx.prepare_cached("UPDATE parent SET to_generation = ?2 WHERE child = ?1 AND to_generation > ?2")?
        .execute((child, from))?;
    tx.prepare_cached(
        "INSERT OR REPLACE INTO parent (child, from_generation, to_generation, parent) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute((child, from, FOREVER, parent.map(Id::as_str)))?;
    Ok(())
}

pub(super) fn end(
    tx: &Transaction<'_>,
    generation: u64,
    ended: &[Id],
    parents: &[(Id, Option<Id>)],
) -> Outcome<()> {
    let to = signed(generation);
    let mut update = tx.prepare_cached("UPDATE community SET to_generation = ?2 WHERE id = ?1")?;
    for id in ended {
        update.execute((id.as_str(), to))?;
    }
    for (child, parent) in parents {
        let n: Option<i64> = tx
            .prepare_cached("SELECT n FROM community WHERE id = ?1")?
            .query_row([child.as_str()], |row| row.get(0))
            .optional()?;
        if let Some(n) = n {
            set_parent(tx, n, to, parent.as_ref())?;
        }
    }
    Ok(())
}

/// Undoes what a build began for a generation that was never published.
pub(super) fn sweep_unfinished(tx: &Transaction<'_>) -> Outcome<()> {
    let current = signed(super::read::generation(tx)?);
    let unfinished = keys(tx, "SELECT n FROM community WHERE from_generation > ?1", current)?;
    for n in unfinished {
        remove(tx, n)?;
    }
    tx.execute(
        "UPDATE community SET to_generation = ?2 WHERE to_generation > ?1 AND to_generation < ?2",
        (current, FOREVER),
    )?;
    tx.execute("DELETE FROM parent WHERE from_generation > ?1", [current])?;
    tx.execute(
        "UPDATE parent SET to_generation = ?2 WHERE to_generation > ?1 AND to_generation < ?2",
        (current, FOREVER),
    )?;
    Ok(())
}

/// Removes what had ended by a generation.
pub(super) fn sweep(tx: &Transaction<'_>, generation: u64) -> Outcome<()> {
    let generation = signed(generation);
    for n in keys(tx, "SELECT n FROM community WHERE to_generation <= ?1", generation)? {
        remove(tx, n)?;
    }
    tx.execute("DELETE FROM parent WHERE to_generation <= ?1", [generation])?;
    Ok(())
}

fn keys(tx: &Transaction<'_>, sql: &str, generation: i64) -> Outcome<Vec<i64>> {
    let mut statement = tx.prepare_cached(sql)?;
    let rows = statement.query_map([generation], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn remove(tx: &Transaction<'_>, n: i64) -> Outcome<()> {
    tx.prepare_cached(
        "INSERT OR IGNORE INTO tombstone (kind, id) SELECT 'reports', id FROM community WHERE n = ?1",
    )?
    .execute([n])?;
    for sql in [
        "DELETE FROM member WHERE community = ?1",
        "DELETE FROM parent WHERE child = ?1",
        "DELETE FROM community WHERE n = ?1",
    ] {
        tx.prepare_cached(sql)?.execute([n])?;
    }
    Ok(())
}
