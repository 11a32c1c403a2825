//! Prints how long the community stage's reads and writes take on a server: 1,000,000 relationships of 300,000 entities
//! pulled, then 20,000 communities with 50,000 memberships written. Runs where `GRAPHWRIGHT_BENCH` is set:
//! `scripts/bench-neo4j-communities.sh`.

use super::{config, driver, workspace};
use graphwright::domain::{Community, Finding, Id, Ids, RecordKind, RecordRef, Report};
use graphwright::stores::graph::LastClustering;
use neo4rs::Query;
use std::time::Instant;

const WORKSPACE: &str = "test_speed";
const ENTITIES: i64 = 300_000;
const RELATIONSHIPS: i64 = 1_000_000;
const LEAVES: usize = 16_000;
const PARENTS: usize = 4_000;
const MEMBERSHIPS: usize = 50_000;
/// As the community stage writes.
const BATCH: usize = 1_000;

const FILL_ENTITIES: &str = "UNWIND $rows AS row
    CREATE (:__Entity__ {id: row.id, workspace: $workspace, name: row.id, text_unit_count: 1})";
const FILL_RELATIONSHIPS: &str = "UNWIND $rows AS row
    MATCH (a:__Entity__ {id: row.source}) MATCH (b:__Entity__ {id: row.target})
    CREATE (a)-[:RELATED {id: row.id, workspace: $workspace, weight: row.weight, strength: row.weight}]->(b)";

#[tokio::test]
async fn a_million_relationships_and_twenty_thousand_communities() {
    if std::env::var_os("GRAPHWRIGHT_BENCH").is_none() {
        return;
    }
    let Some(store) = workspace(WORKSPACE).await else { return };
    let ids = Ids::new(WORKSPACE);
    let entities = fill(&ids).await;
    let before = resident_mb("VmRSS");
    let start = Instant::now();
    let list = store.edge_list().await.unwrap();
    eprintln!(
        "pulled {} relationships of {} entities in {:.1?}: {:.0} MB before, {:.0} MB after, {:.0} MB at most",
        list.edges.len(),
        list.ids.len(),
        start.elapsed(),
        before,
        resident_mb("VmRSS"),
        resident_mb("VmHWM")
    );
    let communities = communities(&ids, &entities);
    let memberships: usize = communities.iter().filter(|c| c.leaf).map(|c| c.members.len()).sum();
    let start = Instant::now();
    for batch in communities.chunks(BATCH) {
        store.add_communities(1, batch).await.unwrap();
    }
    let added = start.elapsed();
    store.publish_generation(1).await.unwrap();
    eprintln!(
        "wrote {} communities with {memberships} memberships in {added:.1?}, published in {:.1?}",
        communities.len(),
        start.elapsed().saturating_sub(added)
    );
    let start = Instant::now();
    let marks = entities.iter().map(|id| (id.key(), id.key())).collect();
    store.save_clustering(&LastClustering { generation: 1, settings: String::new(), marks }).await.unwrap();
    eprintln!("wrote what was clustered in {:.1?}", start.elapsed());
    let start = Instant::now();
    assert_eq!(store.communities(1).await.unwrap().len(), communities.len());
    eprintln!("read the communities in {:.1?}", start.elapsed());
    store.wipe().await.unwrap();
}

async fn fill(ids: &Ids) -> Vec<Id> {
    let graph = driver(&config().unwrap());
    let mut random = fastrand::Rng::with_seed(3);
    let entities: Vec<Id> = (0..ENTITIES).map(|number| ids.entity(&format!("entity {number}"))).collect();
    let run = async |text: &str, rows: Vec<neo4rs::BoltType>| {
        let query = Query::new(text.to_owned()).param("workspace", WORKSPACE).param("rows", rows);
        graph.run(query).await.unwrap();
    };
    for batch in entities.chunks(20_000) {
        run(FILL_ENTITIES, batch.iter().map(|id| row(&[("id", id.as_str().into())])).collect()).await;
    }
    let mut pairs = std::collections::BTreeSet::new();
    while pairs.len() < usize::try_from(RELATIONSHIPS).unwrap() {
        let (one, other) = (random.usize(..entities.len()), random.usize(..entities.len()));
        if one != other {
            pairs.insert((one.min(other), one.max(other)));
        }
    }
    let pairs: Vec<(usize, usize)> = pairs.into_iter().collect();
    for batch in pairs.chunks(20_000) {
        let rows = batch.iter().map(|&(one, other)| {
            let id = ids.relationship(&entities[one], &entities[other]);
            row(&[
                ("id", id.as_str().into()),
                ("source", entities[one].as_str().into()),
                ("target", entities[other].as_str().into()),
                ("weight", 1_i64.into()),
            ])
        });
        run(FILL_RELATIONSHIPS, rows.collect()).await;
    }
    entities
}

fn row(entries: &[(&str, neo4rs::BoltType)]) -> neo4rs::BoltType {
    let mut map = neo4rs::BoltMap::with_capacity(entries.len());
    for (key, value) in entries {
        map.put((*key).into(), value.clone());
    }
    neo4rs::BoltType::Map(map)
}

/// Parents first; each of the leaves holds three or four entities, each parent four leaves.
fn communities(ids: &Ids, entities: &[Id]) -> Vec<Community> {
    let leaf_members: Vec<Vec<Id>> = (0..LEAVES)
        .map(|leaf| {
            let mut members =
                entities[leaf * MEMBERSHIPS / LEAVES..(leaf + 1) * MEMBERSHIPS / LEAVES].to_vec();
            members.sort();
            members
        })
        .collect();
    let community = |level: u32, parent: Option<Id>, members: Vec<Id>, number: usize| {
        let sentence = "Scrooge knew he was dead? Of course he did. How could it be otherwise? ".repeat(3);
        let finding = |index: usize| Finding {
            summary: format!("Finding {index} of {number}"),
            explanation: sentence.clone(),
            citations: vec![RecordRef { kind: RecordKind::Entities, id: members[0].clone() }],
        };
        let id = ids.community(level, level > 0, &members, &number.to_string());
        Community {
            level,
            leaf: level > 0,
            oversized: false,
            parent,
            fingerprint: number.to_string(),
            report: Report {
                title: format!("Community {number}"),
                summary: sentence.clone(),
                findings: (0..3).map(finding).collect(),
                rank: 5.0,
                rank_explanation: "4 entities".to_owned(),
                composed: false,
            },
            lineage: id.clone(),
            period: "2026-11-21".to_owned(),
            members,
            id,
        }
    };
    let share = LEAVES / PARENTS;
    let mut all = Vec::new();
    for parent in 0..PARENTS {
        let mut members = leaf_members[parent * share..(parent + 1) * share].concat();
        members.sort();
        all.push(community(0, None, members, parent));
    }
    for (leaf, members) in leaf_members.into_iter().enumerate() {
        let parent = all[leaf / share].id.clone();
        all.push(community(1, Some(parent), members, PARENTS + leaf));
    }
    all
}

fn resident_mb(what: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(what)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}
