//! The history of lines of communities, and what the last clustering worked on.

use super::SqliteGraph;
use super::generations::current_generation;
use super::rows::{all, first, from_json, id, integer, json, run};
use crate::domain::{Id, LineageEvent, LineageStep};
use crate::stores::graph::{GdsRequest, LastClustering, LineageReader, LineageStore};
use crate::stores::sqlite_file::{Outcome, SqliteFault};
use crate::stores::{StoreError, StoreResult};
use async_trait::async_trait;
use rusqlite::Connection;

#[async_trait]
impl LineageReader for SqliteGraph {
    async fn lineage_steps(&self) -> StoreResult<Vec<LineageStep>> {
        self.file.read(lineage_steps).await
    }

    async fn last_clustering(&self) -> StoreResult<LastClustering> {
        self.file.read(last_clustering).await
    }

    async fn gds_communities(&self, _request: &GdsRequest) -> StoreResult<Vec<(Id, Vec<i64>)>> {
        Err(StoreError::Unusable(
            "[communities] engine is \"gds\", which is a plugin of Neo4j, and the graph is embedded; give a Neo4j \
             server with the Graph Data Science plugin (--graph neo4j://HOST:7687), or set engine = \"rust\""
                .to_owned(),
        ))
    }
}

#[async_trait]
impl LineageStore for SqliteGraph {
    async fn add_lineage_steps(&self, steps: &[LineageStep]) -> StoreResult<()> {
        let steps = steps.to_vec();
        self.file.write(move |transaction| add_lineage_steps(transaction, &steps)).await
    }

    async fn save_clustering(&self, clustered: &LastClustering) -> StoreResult<()> {
        let clustered = clustered.clone();
        self.file.write(move |transaction| save_clustering(transaction, &clustered)).await
    }
}

pub(super) fn lineage_steps(connection: &Connection) -> Outcome<Vec<LineageStep>> {
    let statement = "SELECT lineage, generation, period, event, level, size, title, others FROM lineage_steps
        WHERE generation <= ?1 ORDER BY lineage, generation";
    all(connection, statement, [current_generation(connection)?], |row| {
        Ok(LineageStep {
            lineage: id(row, 0)?,
            generation: unsigned(row.get(1)?),
            period: row.get(2)?,
            event: event(&row.get::<_, String>(3)?)?,
            level: row.get(4)?,
            size: unsigned(row.get(5)?),
            title: row.get(6)?,
            others: from_json(row, 7)?,
        })
    })
}

pub(super) fn add_lineage_steps(connection: &Connection, steps: &[LineageStep]) -> Outcome<()> {
    let statement = "INSERT OR REPLACE INTO lineage_steps
        (lineage, generation, period, event, level, size, title, others) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    for step in steps {
        let values = (
            step.lineage.as_str(),
            integer(step.generation),
            &step.period,
            step.event.as_str(),
            step.level,
            integer(step.size),
            &step.title,
            json(&step.others)?,
        );
        run(connection, statement, values)?;
    }
    Ok(())
}

/// Steps of a build that was not published.
pub(super) fn sweep_unfinished(connection: &Connection) -> Outcome<()> {
    run(connection, "DELETE FROM lineage_steps WHERE generation > ?1", [current_generation(connection)?])?;
    Ok(())
}

pub(super) fn last_clustering(connection: &Connection) -> Outcome<LastClustering> {
    let statement = "SELECT generation, settings, marks FROM clustered
        ORDER BY generation = ?1 DESC, generation DESC LIMIT 1";
    let found = first(connection, statement, [current_generation(connection)?], |row| {
        let bytes: Vec<u8> = row.get(2)?;
        let (words, _) = bytes.as_chunks::<8>();
        let (marks, _) = words.as_chunks::<2>();
        let marks = marks.iter().map(|&[key, sum]| (u64::from_le_bytes(key), u64::from_le_bytes(sum)));
        Ok(LastClustering {
            generation: unsigned(row.get(0)?),
            settings: row.get(1)?,
            marks: marks.collect(),
        })
    })?;
    Ok(found.unwrap_or_default())
}

pub(super) fn save_clustering(connection: &Connection, clustered: &LastClustering) -> Outcome<()> {
    let generation = integer(clustered.generation);
    let others = "DELETE FROM clustered WHERE generation <> ?1 OR generation = ?2";
    run(connection, others, (current_generation(connection)?, generation))?;
    let bytes: Vec<u8> =
        clustered.marks.iter().flat_map(|&(key, sum)| [key, sum]).flat_map(u64::to_le_bytes).collect();
    let values = (generation, &clustered.settings, bytes);
    run(connection, "INSERT INTO clustered (generation, settings, marks) VALUES (?1, ?2, ?3)", values)?;
    Ok(())
}

/// Takes away what was clustered for generations before this one.
pub(super) fn forget_clusterings(connection: &Connection, generation: u64) -> Outcome<()> {
    run(connection, "DELETE FROM clustered WHERE generation < ?1", [integer(generation)])?;
    Ok(())
}

fn event(name: &str) -> Outcome<LineageEvent> {
    LineageEvent::named(name).ok_or_else(|| {
        SqliteFault::Store(StoreError::Failed {
            service: "SQLite graph store".to_owned(),
            reason: format!("cannot read the history of a community: its event is {name:?}"),
        })
    })
}

fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or_default()
}
