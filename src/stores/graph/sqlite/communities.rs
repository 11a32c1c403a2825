//! Communities and the generations they are valid in (design 11).

use super::generations::{OPEN, current_generation};
use super::rows::{all, first, from_packed_json, id, integer, json, packed_json, run};
use super::vector_marks::{entomb, mark_pending, raise, unmark_pending};
use super::{SqliteGraph, lineage, trees, unreported};
use crate::domain::{Community, Id, Report};
use crate::stores::StoreResult;
use crate::stores::graph::{CommunityReader, CommunityStore, VectorKind, found_by};
use crate::stores::sqlite_file::Outcome;
use async_trait::async_trait;
use rusqlite::{Connection, Row};
use rustc_hash::{FxHashMap, FxHashSet};

const COLUMNS: &str = "
    c.node, c.id, c.level, c.leaf, c.oversized, c.fingerprint, c.lineage, c.period, c.title, c.summary,
    c.rank, c.rank_explanation, c.composed,
    (SELECT p.parent FROM community_parents p
     WHERE p.community = c.node AND p.first <= ?1 AND p.until > ?1)";

const VALID: &str = "EXISTS (SELECT 1 FROM community_validity v
    WHERE v.community = c.node AND v.first <= ?1 AND v.until > ?1)";

#[async_trait]
impl CommunityReader for SqliteGraph {
    async fn communities(&self, generation: u64) -> StoreResult<Vec<Community>> {
        self.file.read(move |connection| communities(connection, generation)).await
    }

    async fn community_outlines(&self, generation: u64) -> StoreResult<Vec<Community>> {
        self.file.read(move |connection| outlines(connection, generation)).await
    }

    async fn communities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Community>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| communities_by_id(connection, &json(&ids)?)).await
    }

    async fn reports_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Community>> {
        let ids = ids.to_vec();
        let found = self.file.read(move |connection| without_members(connection, &json(&ids)?)).await?;
        Ok(found.into_iter().map(|(_, community)| community).collect())
    }

    async fn communities_of(&self, entities: &[Id], generation: u64) -> StoreResult<Vec<(Id, Id)>> {
        let ids = entities.to_vec();
        self.file.read(move |connection| communities_of(connection, &json(&ids)?, generation)).await
    }
}

#[async_trait]
impl CommunityStore for SqliteGraph {
    async fn add_communities(&self, generation: u64, communities: &[Community]) -> StoreResult<()> {
        let added = communities.to_vec();
        self.file.write(move |transaction| add_communities(transaction, generation, &added)).await
    }

    async fn end_communities(
        &self,
        generation: u64,
        ended: &[Id],
        parents: &[(Id, Option<Id>)],
    ) -> StoreResult<()> {
        let (ended, parents) = (ended.to_vec(), parents.to_vec());
        self.file.write(move |transaction| end_communities(transaction, generation, &ended, &parents)).await
    }

    async fn unreported_entities(&self) -> StoreResult<Option<Vec<Id>>> {
        self.file.read(unreported::unreported).await.map(Some)
    }

    async fn forget_unreported(&self) -> StoreResult<()> {
        self.file.write(|transaction| unreported::forget(transaction)).await
    }

    async fn publish_generation(&self, generation: u64) -> StoreResult<()> {
        self.file.write(move |transaction| publish_generation(transaction, generation)).await
    }

    async fn sweep_unfinished(&self) -> StoreResult<()> {
        self.file
            .write(|transaction| {
                sweep_unfinished(transaction)?;
                trees::sweep_unfinished(transaction)
            })
            .await
    }

    async fn sweep_generations(&self, generation: u64) -> StoreResult<()> {
        self.file
            .write(move |transaction| {
                sweep(transaction, generation)?;
                trees::sweep(transaction, generation)
            })
            .await
    }
}

fn community(row: &Row<'_>) -> Outcome<(i64, Community)> {
    let (node, mut community) = outline_from(row, 1)?;
    community.report.findings = from_packed_json(row, 0)?;
    Ok((node, community))
}

fn outline(row: &Row<'_>) -> Outcome<(i64, Community)> {
    outline_from(row, 0)
}

/// A community without the findings of its report, from this column on.
fn outline_from(row: &Row<'_>, first: usize) -> Outcome<(i64, Community)> {
    let report = Report {
        title: row.get(first + 8)?,
        summary: row.get(first + 9)?,
        findings: Vec::new(),
        rank: row.get(first + 10)?,
        rank_explanation: row.get(first + 11)?,
        composed: row.get(first + 12)?,
    };
    let community = Community {
        id: id(row, first + 1)?,
        level: row.get(first + 2)?,
        leaf: row.get(first + 3)?,
        oversized: row.get(first + 4)?,
        parent: row.get::<_, Option<String>>(first + 13)?.map(Id::from_stored),
        members: Vec::new(),
        fingerprint: row.get(first + 5)?,
        report,
        lineage: id(row, first + 6)?,
        period: row.get(first + 7)?,
    };
    Ok((row.get(first)?, community))
}

pub(super) fn communities(connection: &Connection, generation: u64) -> Outcome<Vec<Community>> {
    let statement =
        format!("SELECT c.findings, {COLUMNS} FROM communities c WHERE {VALID} ORDER BY c.level, c.id");
    let found = all(connection, &statement, [integer(generation)], community)?;
    with_all_members(connection, found)
}

fn outlines(connection: &Connection, generation: u64) -> Outcome<Vec<Community>> {
    let statement = format!("SELECT {COLUMNS} FROM communities c WHERE {VALID} ORDER BY c.level, c.id");
    let found = all(connection, &statement, [integer(generation)], outline)?;
    with_all_members(connection, found)
}

/// Of all communities of a generation: the table of members is read once.
fn with_all_members(connection: &Connection, mut found: Vec<(i64, Community)>) -> Outcome<Vec<Community>> {
    // each entity is in a community of every level: looked up in the table one by one, they cost more than all the rest
    let entities = all(connection, "SELECT id FROM entities", [], |row| id(row, 0))?;
    let entities: FxHashSet<Id> = entities.into_iter().collect();
    let places: FxHashMap<i64, usize> =
        found.iter().zip(0..).map(|((node, _), place)| (*node, place)).collect();
    let statement = "SELECT community, entity FROM community_members ORDER BY community, entity";
    all(connection, statement, [], |row| {
        let place = places.get(&row.get(0)?);
        if let Some((_, community)) = place.and_then(|&place| found.get_mut(place)) {
            community.members.extend(Some(id(row, 1)?).filter(|member| entities.contains(member)));
        }
        Ok(())
    })?;
    for (_, community) in &mut found {
        community.members.shrink_to_fit();
    }
    Ok(found.into_iter().map(|(_, community)| community).collect())
}

pub(super) fn communities_by_id(connection: &Connection, ids: &str) -> Outcome<Vec<Community>> {
    let found = without_members(connection, ids)?;
    with_members(connection, found)
}

/// The communities of these ids with their nodes.
fn without_members(connection: &Connection, ids: &str) -> Outcome<Vec<(i64, Community)>> {
    let statement = format!(
        "SELECT c.findings, {COLUMNS} FROM communities c
         WHERE {VALID} AND c.id IN (SELECT value FROM json_each(?2)) ORDER BY c.id"
    );
    all(connection, &statement, (current_generation(connection)?, ids), community)
}

pub(super) fn communities_of(connection: &Connection, ids: &str, generation: u64) -> Outcome<Vec<(Id, Id)>> {
    let statement = format!(
        "SELECT e.id, c.id FROM entities e
         JOIN community_members m ON m.entity = e.id JOIN communities c ON c.node = m.community
         WHERE {VALID} AND e.id IN (SELECT value FROM json_each(?2)) ORDER BY e.id, c.level, c.id"
    );
    all(connection, &statement, (integer(generation), ids), |row| Ok((id(row, 0)?, id(row, 1)?)))
}

fn with_members(connection: &Connection, found: Vec<(i64, Community)>) -> Outcome<Vec<Community>> {
    let statement = "SELECT e.id FROM community_members m JOIN entities e ON e.id = m.entity
        WHERE m.community = ?1 ORDER BY e.id";
    found
        .into_iter()
        .map(|(node, mut community)| {
            community.members = all(connection, statement, [node], |row| id(row, 0))?;
            Ok(community)
        })
        .collect()
}

/// Level and report of a community, whatever its generation.
pub(super) fn report_of(connection: &Connection, community_id: &Id) -> Outcome<Option<(u32, Report)>> {
    let statement = format!("SELECT c.findings, {COLUMNS} FROM communities c WHERE c.id = ?2");
    let found = first(connection, &statement, (0, community_id.as_str()), community)?;
    Ok(found.map(|(_, community)| (community.level, community.report)))
}

pub(super) fn add_communities(
    connection: &Connection,
    generation: u64,
    communities: &[Community],
) -> Outcome<()> {
    let generation = integer(generation);
    for community in communities {
        let before = report_of(connection, &community.id)?;
        let node = save_row(connection, community)?;
        save_members(connection, node, &community.members)?;
        make_valid(connection, node, generation)?;
        set_parent(connection, node, generation, community.parent.as_ref())?;
        if before.is_none_or(|(_, report)| found_by::report(&report) != found_by::report(&community.report)) {
            mark_pending(connection, VectorKind::Reports, &community.id)?;
        }
        raise(connection, VectorKind::Reports, &community.id)?;
    }
    Ok(())
}

fn save_row(connection: &Connection, community: &Community) -> Outcome<i64> {
    let statement = "
        INSERT INTO communities (id, level, leaf, oversized, composed, rank, fingerprint, lineage, period, title,
            summary, rank_explanation, findings)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
        ON CONFLICT (id) DO UPDATE SET level = excluded.level, leaf = excluded.leaf,
            oversized = excluded.oversized, composed = excluded.composed, rank = excluded.rank,
            fingerprint = excluded.fingerprint, lineage = excluded.lineage, period = excluded.period,
            title = excluded.title, summary = excluded.summary, rank_explanation = excluded.rank_explanation,
            findings = excluded.findings
        RETURNING node";
    let report = &community.report;
    let node = connection.prepare_cached(statement)?.query_row(
        (
            community.id.as_str(),
            community.level,
            community.leaf,
            community.oversized,
            report.composed,
            report.rank,
            &community.fingerprint,
            community.lineage.as_str(),
            &community.period,
            &report.title,
            &report.summary,
            &report.rank_explanation,
            packed_json(&report.findings)?,
        ),
        |row| row.get(0),
    )?;
    Ok(node)
}

fn save_members(connection: &Connection, node: i64, members: &[Id]) -> Outcome<()> {
    run(connection, "DELETE FROM community_members WHERE community = ?1", [node])?;
    let statement = "INSERT OR IGNORE INTO community_members (community, entity) VALUES (?1, ?2)";
    for member in members {
        run(connection, statement, (node, member.as_str()))?;
    }
    Ok(())
}

/// Valid from this generation on; what an earlier, unfinished build said of later ones is replaced.
fn make_valid(connection: &Connection, node: i64, generation: i64) -> Outcome<()> {
    let statement = "SELECT 1 FROM community_validity WHERE community = ?1 AND first <= ?2 AND until = ?3";
    if first(connection, statement, (node, generation, OPEN), |_| Ok(()))?.is_some() {
        return Ok(());
    }
    let statement = "INSERT OR REPLACE INTO community_validity (community, first, until) VALUES (?1, ?2, ?3)";
    run(connection, statement, (node, generation, OPEN))?;
    Ok(())
}

fn set_parent(connection: &Connection, node: i64, generation: i64, parent: Option<&Id>) -> Outcome<()> {
    let statement = "SELECT parent FROM community_parents WHERE community = ?1 AND until = ?2";
    let stored: Option<String> = first(connection, statement, (node, OPEN), |row| Ok(row.get(0)?))?;
    if stored.as_deref() == parent.map(Id::as_str) {
        return Ok(());
    }
    end_range(connection, "community_parents", node, generation)?;
    if let Some(parent) = parent {
        let statement =
            "INSERT INTO community_parents (community, first, until, parent) VALUES (?1, ?2, ?3, ?4)";
        run(connection, statement, (node, generation, OPEN, parent.as_str()))?;
    }
    Ok(())
}

/// Ends the open range of a community before a generation; one that only began there goes.
fn end_range(connection: &Connection, table: &str, node: i64, generation: i64) -> Outcome<()> {
    let statement = format!("DELETE FROM {table} WHERE community = ?1 AND first >= ?2");
    run(connection, &statement, (node, generation))?;
    let statement = format!("UPDATE {table} SET until = ?2 WHERE community = ?1 AND until = ?3");
    run(connection, &statement, (node, generation, OPEN))?;
    Ok(())
}

pub(super) fn end_communities(
    connection: &Connection,
    generation: u64,
    ended: &[Id],
    parents: &[(Id, Option<Id>)],
) -> Outcome<()> {
    let generation = integer(generation);
    for community in ended {
        if let Some(node) = node_of(connection, community)? {
            end_range(connection, "community_validity", node, generation)?;
            end_range(connection, "community_parents", node, generation)?;
        }
    }
    for (community, parent) in parents {
        if let Some(node) = node_of(connection, community)? {
            set_parent(connection, node, generation, parent.as_ref())?;
        }
    }
    Ok(())
}

fn node_of(connection: &Connection, community: &Id) -> Outcome<Option<i64>> {
    first(connection, "SELECT node FROM communities WHERE id = ?1", [community.as_str()], |row| {
        Ok(row.get(0)?)
    })
}

pub(super) fn publish_generation(connection: &Connection, generation: u64) -> Outcome<()> {
    run(connection, "UPDATE workspace SET generation = ?1", [integer(generation)])?;
    lineage::forget_clusterings(connection, generation)
}

/// As if the unfinished build had never been: what it began goes, what it ended is open again.
pub(super) fn sweep_unfinished(connection: &Connection) -> Outcome<()> {
    let current = current_generation(connection)?;
    let mut gone = 0;
    for table in ["community_validity", "community_parents"] {
        gone += run(connection, &format!("DELETE FROM {table} WHERE first > ?1"), [current])?;
        let statement = format!("UPDATE {table} SET until = ?2 WHERE until > ?1 AND until <> ?2");
        run(connection, &statement, (current, OPEN))?;
    }
    lineage::sweep_unfinished(connection)?;
    // whatever begins is valid from its first row on
    if gone > 0 { remove_invalid(connection) } else { Ok(()) }
}

pub(super) fn sweep(connection: &Connection, generation: u64) -> Outcome<()> {
    let mut gone = 0;
    for table in ["community_validity", "community_parents"] {
        gone += run(connection, &format!("DELETE FROM {table} WHERE until <= ?1"), [integer(generation)])?;
    }
    if gone > 0 { remove_invalid(connection) } else { Ok(()) }
}

/// Removes communities that are not valid in any generation.
fn remove_invalid(connection: &Connection) -> Outcome<()> {
    let statement = "SELECT node, id FROM communities c
        WHERE NOT EXISTS (SELECT 1 FROM community_validity v WHERE v.community = c.node)";
    let gone: Vec<(i64, Id)> = all(connection, statement, [], |row| Ok((row.get(0)?, id(row, 1)?)))?;
    for (node, community) in gone {
        run(connection, "DELETE FROM community_members WHERE community = ?1", [node])?;
        run(connection, "DELETE FROM community_parents WHERE community = ?1", [node])?;
        run(connection, "DELETE FROM communities WHERE node = ?1", [node])?;
        unmark_pending(connection, VectorKind::Reports, &community)?;
        entomb(connection, VectorKind::Reports, &community)?;
    }
    Ok(())
}
