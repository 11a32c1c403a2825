//! A graph of schema 1, as a program of that time wrote it, brought up to schema 3; and the lists of schema 2 as what
//! they stand for changes.

use super::fixture::{Said, document, sum_up, unit_write};
use super::{config, connect, driver, workspace};
use graphwright::config::GraphConfig;
use graphwright::domain::{Id, Ids, Relationship};
use graphwright::stores::graph::{Check, GraphStore, RelationshipWrite};
use graphwright::stores::{StoreError, StoreResult};
use neo4rs::{BoltMap, BoltType, Query};
use std::cmp::Reverse;

/// Three documents of our own, indexed without a model: 78 entities, of which one writes to 64 others.
const SCHEMA_1: &str = include_str!("../../fixtures/graphs/neo4j-schema-1.json");
const WORKSPACE: &str = "schema1";

/// A JSON value as the driver takes it.
fn bolt(value: &serde_json::Value) -> BoltType {
    match value {
        serde_json::Value::Null => BoltType::from(None::<String>),
        serde_json::Value::Bool(flag) => (*flag).into(),
        serde_json::Value::Number(number) => {
            number.as_i64().map_or_else(|| number.as_f64().unwrap().into(), BoltType::from)
        }
        serde_json::Value::String(text) => text.as_str().into(),
        serde_json::Value::Array(items) => items.iter().map(bolt).collect::<Vec<_>>().into(),
        serde_json::Value::Object(fields) => {
            let mut map = BoltMap::with_capacity(fields.len());
            for (key, value) in fields {
                map.put(key.as_str().into(), bolt(value));
            }
            BoltType::Map(map)
        }
    }
}

async fn run(config: &GraphConfig, statement: &str, rows: &[BoltType]) {
    let query = Query::new(statement.to_owned()).param("workspace", WORKSPACE).param("rows", rows.to_vec());
    let mut transaction = driver(config).start_txn().await.unwrap();
    transaction.run(query).await.expect(statement);
    transaction.commit().await.unwrap();
}

async fn number(config: &GraphConfig, statement: &str) -> i64 {
    let query = Query::new(statement.to_owned()).param("workspace", WORKSPACE);
    let mut rows = driver(config).execute(query).await.unwrap();
    let row = rows.next().await.unwrap().expect("a row");
    assert!(rows.next().await.unwrap().is_none());
    row.get("number").expect(statement)
}

/// The fixture under its own workspace, past all that graphwright does.
async fn write_schema_1(config: &GraphConfig) {
    let stored: serde_json::Value = serde_json::from_str(SCHEMA_1).unwrap();
    let rows = |kind: &str| -> Vec<BoltType> {
        let rows = stored[kind].as_array().unwrap().iter().enumerate();
        rows.map(|(number, row)| vec![BoltType::from(i64::try_from(number).unwrap()), bolt(row)].into())
            .collect()
    };
    let nodes = "UNWIND $rows AS row CREATE (n:$(row[1][0])) SET n = row[1][1], n.fixture = row[0]";
    run(config, nodes, &rows("nodes")).await;
    let index = "CREATE INDEX fixture IF NOT EXISTS FOR (n:Fixture) ON (n.fixture)";
    driver(config).run(Query::new(index.to_owned())).await.unwrap();
    run(config, "MATCH (n) WHERE n.workspace = $workspace AND n.fixture IS NOT NULL SET n:Fixture", &[])
        .await;
    let edges = "UNWIND $rows AS row WITH row[1] AS row MATCH (a:Fixture {fixture: row[0]}) \
                 MATCH (b:Fixture {fixture: row[2]}) CREATE (a)-[r:$(row[1])]->(b) SET r = row[3]";
    run(config, edges, &rows("relationships")).await;
    run(config, "MATCH (n:Fixture) REMOVE n:Fixture, n.fixture", &[]).await;
    driver(config).run(Query::new("DROP INDEX fixture".to_owned())).await.unwrap();
}

/// The heaviest relationships of an entity by reading all there are, by id.
async fn heaviest(store: &dyn GraphStore, entity: &Id, limit: usize) -> Vec<Relationship> {
    let mut all = store.relationships(None, 10_000).await.unwrap();
    all.retain(|relationship| [&relationship.source, &relationship.target].contains(&entity));
    all.sort_by_key(|relationship| (Reverse(relationship.weight), relationship.id.clone()));
    all.truncate(limit);
    all.sort_by(|one, other| one.id.cmp(&other.id));
    all
}

async fn assert_reads(store: &dyn GraphStore, hub: &Id) {
    let units: Vec<Id> =
        store.text_units(None, 1000).await.unwrap().into_iter().map(|unit| unit.unit.id).collect();
    let mentions = store.mentions_in_units(&units).await.unwrap();
    assert_eq!(mentions, store.mentions_as_stored(&units).await.unwrap());
    assert!(!mentions.is_empty());
    for limit in [1, 20, 60] {
        let found = store.relationships_of(std::slice::from_ref(hub), limit).await.unwrap();
        assert_eq!(found, heaviest(store, hub, limit).await, "{limit}");
    }
    for check in Check::ALL {
        assert_eq!(store.examine(check, 10).await.unwrap(), [], "{check:?}");
    }
}

#[tokio::test]
async fn a_graph_of_schema_1_is_brought_up_to_schema_3() {
    let Some(config) = config() else { return };
    let store = workspace(WORKSPACE).await.unwrap();
    store.wipe().await.unwrap();
    // a workspace that goes leaves its locks, which the fixture holds, too
    run(&config, "MATCH (l:Lock {workspace: $workspace}) DELETE l", &[]).await;
    write_schema_1(&config).await;
    let version = "MATCH (g:Graphwright {workspace: $workspace}) RETURN g.schema_version AS number";
    let unlisted =
        "MATCH (u:TextUnit {workspace: $workspace}) WHERE u.mentioned IS NULL RETURN count(u) AS number";
    let hubs = "MATCH (e:__Entity__ {workspace: $workspace}) WHERE size(e.top_relationships) = 50 RETURN count(e) \
                AS number";
    assert_eq!((number(&config, version).await, number(&config, unlisted).await), (1, 3));
    let hub = Ids::new(WORKSPACE).entity("ada winterbourne");
    // a reader needs no migration
    assert_reads(&*store, &hub).await;
    let before = store.counts().await.unwrap();

    // a process of that time is at work: it would not keep the lists
    let enter = "CREATE (:Worker {id: 'earlier', workspace: $workspace, expires: timestamp() + 60000})";
    run(&config, enter, &[]).await;
    let refused: StoreResult<()> = connect(&config, WORKSPACE).await.prepare().await;
    assert!(matches!(refused, Err(StoreError::Held { .. })), "{refused:?}");
    assert_eq!(number(&config, version).await, 1);
    run(&config, "MATCH (w:Worker {id: 'earlier'}) DELETE w", &[]).await;

    // twice: an interrupted migration is begun again
    for _ in 0..2 {
        connect(&config, WORKSPACE).await.prepare().await.unwrap();
        assert_eq!((number(&config, version).await, number(&config, unlisted).await), (3, 0));
        assert_eq!(store.units_without_words(10).await.unwrap().len(), 3, "their words are still to be kept");
        assert!(number(&config, hubs).await >= 1);
        assert_reads(&*store, &hub).await;
        let again = "MATCH (g:Graphwright {workspace: $workspace}) SET g.schema_version = 1";
        run(&config, again, &[]).await;
    }
    assert_eq!(store.counts().await.unwrap(), before);
    store.wipe().await.unwrap();
}

#[tokio::test]
async fn a_hubs_relationships_are_the_heaviest_while_weights_change_under_it() {
    let Some(store) = workspace("test_hub_lists").await else { return };
    let ids = Ids::new("test_hub_lists");
    let texts: Vec<String> = (0..70).map(|number| format!("The hub meets number {number}.")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (document, units) = document(&ids, "hub.txt", &texts);
    store.replace_document(&document, &units).await.unwrap();
    let others: Vec<String> = (0..70).map(|number| format!("Number {number}")).collect();
    let say = |unit: usize, met: &[usize]| {
        let mut names = vec![("Hub", "person")];
        names.extend(met.iter().map(|other| (others[*other].as_str(), "person")));
        let pairs: Vec<_> = met.iter().map(|other| ("Hub", others[*other].as_str(), "they meet")).collect();
        let mut write = unit_write(&ids, &units[unit], &Said { names: &names, pairs: &pairs, claims: &[] });
        write.replaces = true;
        write
    };
    let writes: Vec<_> = (0..70).map(|unit| say(unit, &[unit])).collect();
    store.save_units(&writes).await.unwrap();
    sum_up(&*store).await;
    let hub = ids.entity("hub");
    assert_reads(&*store, &hub).await;

    // the hub is mentioned as before, so nothing makes it dirty: only its relationships weigh more
    store.save_units(&[say(0, &[0, 60, 61]), say(1, &[1, 60])]).await.unwrap();
    let evidence = store.dirty_relationships(100).await.unwrap();
    let entities = store.dirty_entities(100).await.unwrap();
    assert!(entities.iter().all(|entity| entity.id != hub));
    let writes: Vec<RelationshipWrite> = evidence
        .iter()
        .map(|evidence| {
            let items = evidence.items.iter().map(|(_, items)| items.len()).sum::<usize>();
            let relationship = (items > 0).then(|| Relationship {
                id: evidence.id.clone(),
                source: evidence.low.clone(),
                target: evidence.high.clone(),
                kind: "knows".into(),
                weight: u32::try_from(items).unwrap(),
                text_unit_count: u32::try_from(evidence.items.len()).unwrap(),
                ..Relationship::default()
            });
            RelationshipWrite {
                id: evidence.id.clone(),
                relationship,
                summary: None,
                periods: evidence.periods(),
            }
        })
        .collect();
    store.save_relationships(&writes).await.unwrap();
    let found = store.relationships_of(std::slice::from_ref(&hub), 1).await.unwrap();
    assert_eq!(found, heaviest(&*store, &hub, 1).await);
    assert_eq!(found[0].weight, 3);
    sum_up(&*store).await;
    assert_reads(&*store, &hub).await;
    store.wipe().await.unwrap();
}
