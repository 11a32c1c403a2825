//! Entities whose type is called as the nodes that we make ourselves.

use super::fixture::{Said, carol, document, sum_up, unit_write};
use super::{ask, config, driver, workspace};
use graphwright::domain::{Counters, Ids, LedgerRow};
use graphwright::stores::graph::{Check, GraphStore, LastClustering, reserved_labels, type_label};
use neo4rs::Query;
use std::collections::BTreeMap;

const WORKSPACE: &str = "test_labels";

/// What is kept beside the graph, as text.
async fn house_keeping(store: &dyn GraphStore) -> Vec<String> {
    let mut damaged = Vec::new();
    for check in Check::ALL {
        damaged.extend(store.examine(check, 10).await.unwrap());
    }
    vec![
        format!("{:?}", store.state().await.unwrap()),
        format!("{:?}", store.ledger().await.unwrap()),
        format!("{:?}", store.last_clustering().await.unwrap()),
        format!("{:?}", store.lineage_steps().await.unwrap()),
        format!("{:?}", store.workers().await.unwrap()),
        format!("{:?}", store.edits().await.unwrap()),
        format!("{:?}", store.dictionary().await.unwrap()),
        format!("{damaged:?}"),
    ]
}

/// `TextUnit` as `text unit`.
fn words(label: &str) -> String {
    let spaced = label.chars().flat_map(|c| c.is_uppercase().then_some(' ').into_iter().chain([c]));
    spaced.collect::<String>().trim().to_lowercase()
}

#[tokio::test]
async fn a_type_that_is_called_as_our_own_nodes_stays_a_type() {
    let Some(store) = workspace(WORKSPACE).await else { return };
    let ids = Ids::new(WORKSPACE);
    carol(&*store, &ids).await;
    let row = LedgerRow { task: "answer".into(), model: "m".into(), counters: Counters::default() };
    store.add_to_ledger(&[row]).await.unwrap();
    let clustering = LastClustering { generation: 1, settings: "s".into(), marks: vec![(1, 2)] };
    store.save_clustering(&clustering).await.unwrap();
    let before = house_keeping(&*store).await;

    let kinds: Vec<String> = reserved_labels().iter().map(|label| words(label)).collect();
    let names: Vec<String> = kinds.iter().map(|kind| format!("The {kind} of Scrooge")).collect();
    let entities: Vec<(&str, &str)> =
        names.iter().zip(&kinds).map(|(name, kind)| (name.as_str(), kind.as_str())).collect();
    let (of_types, units) = document(&ids, "types.txt", &["All that Scrooge has."]);
    store.replace_document(&of_types, &units).await.unwrap();
    let said = Said { names: &entities, pairs: &[], claims: &[] };
    store.save_units(&[unit_write(&ids, &units[0], &said)]).await.unwrap();
    sum_up(&*store).await;
    let labels: BTreeMap<String, String> =
        kinds.iter().map(|kind| (kind.clone(), type_label(kind))).collect();
    store.save_labels(&labels).await.unwrap();

    let counts = store.counts().await.unwrap();
    let (documents, entities) = (counts.documents, counts.entities);
    assert_eq!((documents, counts.text_units, entities), (3, 6, 6 + kinds.len() as u64));
    assert_eq!((counts.claims, counts.communities, counts.atomic_facts), (1, 3, 0));
    assert_eq!(house_keeping(&*store).await, before);
    let own = "MATCH (e:__Entity__) WHERE e.workspace = 'test_labels' AND e.type = 'ledger' \
        UNWIND labels(e) AS label RETURN label AS id ORDER BY id";
    assert_eq!(ask(own).await, ["Entity", "LedgerEntity", "__Entity__"]);

    // as an older version has labelled them, or a person
    let old = "MATCH (e:__Entity__) WHERE e.workspace = $workspace \
        SET e:Ledger:Worker:Clustered:LineageStep:FactChunk";
    driver(&config().unwrap()).run(Query::new(old.to_owned()).param("workspace", WORKSPACE)).await.unwrap();
    assert_eq!(house_keeping(&*store).await, before);
    store.lock_writer("first").await.unwrap();
    store.save_clustering(&clustering).await.unwrap();
    store.sweep_unfinished().await.unwrap();
    store.unlock_writer().await.unwrap();
    assert_eq!(store.counts().await.unwrap(), counts, "no entity went");
    store.wipe().await.unwrap();
    let left = "MATCH (n {workspace: 'test_labels'}) WHERE NOT n:Lock RETURN n.id AS id";
    assert!(ask(left).await.is_empty());
}
