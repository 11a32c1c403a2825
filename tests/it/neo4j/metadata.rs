//! Metadata as properties: the most frequent keys, and no name of a property for any other.

use super::fixture::document;
use super::{ask, workspace};
use graphwright::domain::{Document, Ids, TextUnit};
use graphwright::stores::graph::{GraphStore, METADATA_PROPERTIES};
use std::collections::BTreeMap;

const WORKSPACE: &str = "test_metadata";

/// A document with these keys; each value says whose it is.
fn with_keys(ids: &Ids, number: usize, keys: &[String]) -> (Document, Vec<TextUnit>) {
    let key = format!("{number}.txt");
    let (mut document, units) = document(ids, &key, &["Said once."]);
    document.metadata = keys.iter().map(|name| (name.clone(), format!("{name} of {key}"))).collect();
    (document, units)
}

/// Every document has `common`; of eighty keys some are rare among the first documents and others among the last; and each
/// document has a hundred of its own, `<own>…`.
fn corpus(ids: &Ids, documents: usize, own: &str) -> Vec<(Document, Vec<TextUnit>)> {
    let has = |number: usize, rank: usize| {
        if rank.is_multiple_of(2) { number >= rank / 16 } else { number + rank / 16 < 12 }
    };
    let keys_of = |number: usize| {
        let shared = (0..80).filter(move |rank| has(number, *rank)).map(|rank| format!("key{rank:02}"));
        let own = (0..100).map(move |rank| format!("{own}{number}x{rank}"));
        shared.chain(own).chain(["common".to_owned()]).collect::<Vec<_>>()
    };
    (0..documents).map(|number| with_keys(ids, number, &keys_of(number))).collect()
}

/// The properties that documents should have, `key.txt: meta_name=value`.
fn expected(documents: &[(Document, Vec<TextUnit>)]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in documents.iter().flat_map(|(document, _)| document.metadata.keys()) {
        *counts.entry(name).or_default() += 1;
    }
    let mut names: Vec<(&str, usize)> = counts.into_iter().collect();
    names.sort_by_key(|(name, count)| (usize::MAX - count, *name));
    names.truncate(METADATA_PROPERTIES);
    let mut lines: Vec<String> = documents
        .iter()
        .flat_map(|(document, _)| document.metadata.iter().map(|(name, value)| (&document.key, name, value)))
        .filter(|(_, name, _)| names.iter().any(|(frequent, _)| frequent == name))
        .map(|(key, name, value)| format!("{key}: meta_{name}={value}"))
        .collect();
    lines.sort();
    lines
}

async fn properties() -> Vec<String> {
    ask("MATCH (d:Document) WHERE d.workspace = 'test_metadata' UNWIND keys(d) AS name \
         WITH d, name WHERE name STARTS WITH 'meta_' \
         RETURN d.key + ': ' + name + '=' + d[name] AS id ORDER BY id")
    .await
}

async fn store_all(store: &dyn GraphStore, documents: &[(Document, Vec<TextUnit>)]) {
    store.replace_documents(documents).await.unwrap();
    store.project_metadata().await.unwrap();
}

#[tokio::test]
async fn the_most_frequent_keys_of_metadata_are_properties_and_no_others_ever_were() {
    let Some(store) = workspace(WORKSPACE).await else { return };
    let ids = Ids::new(WORKSPACE);
    let all = corpus(&ids, 12, "rare");
    store_all(&*store, &all).await;
    assert_eq!(properties().await, expected(&all));
    let tokens = "CALL db.propertyKeys() YIELD propertyKey WHERE propertyKey STARTS WITH 'meta_rare' RETURN propertyKey AS id";
    assert!(ask(tokens).await.is_empty(), "a name of a property is never forgotten");
    let stored = store.documents(None, 100).await.unwrap();
    assert!(stored.iter().all(|document| document.metadata.len() > 100), "read back whole");

    // what is frequent depends on all documents: after removing some it is as if they had never been
    let gone: Vec<_> = all[6..].iter().map(|(document, _)| document.id.clone()).collect();
    store.remove_documents(&gone).await.unwrap();
    store.project_metadata().await.unwrap();
    assert_eq!(properties().await, expected(&all[..6]));
    // a document that is replaced is shown as it is now
    let mut changed = all[..6].to_vec();
    changed[5].0.metadata.insert("common".to_owned(), "another".to_owned());
    store_all(&*store, &changed[5..]).await;
    assert_eq!(properties().await, expected(&changed));
    store.wipe().await.unwrap();
    store.prepare().await.unwrap();
    store_all(&*store, &changed).await;
    assert_eq!(properties().await, expected(&changed), "as a fresh index");
    store.wipe().await.unwrap();
}

#[tokio::test]
async fn a_database_that_has_all_keys_as_properties_loses_the_rare_ones() {
    let Some(store) = workspace("test_metadata_old").await else { return };
    let ids = Ids::new("test_metadata_old");
    let all = corpus(&ids, 2, "own");
    store.replace_documents(&all).await.unwrap();
    // as it was before the number of properties was bounded; these names stay behind in the test's database
    for old in [
        "MATCH (d:Document) WHERE d.workspace = $workspace \
         UNWIND d.metadata_keys AS key SET d['meta_' + key] = 'as it was'",
        "MATCH (d:Document) WHERE d.workspace = $workspace SET d.metadata_keys = null",
    ] {
        let query = neo4rs::Query::new(old.to_owned()).param("workspace", "test_metadata_old");
        super::driver(&super::config().unwrap()).run(query).await.unwrap();
    }
    store.project_metadata().await.unwrap();
    store.project_metadata().await.unwrap();
    let names = ask("MATCH (d:Document) WHERE d.workspace = 'test_metadata_old' \
        UNWIND keys(d) AS name WITH DISTINCT name WHERE name STARTS WITH 'meta_' RETURN name AS id")
    .await;
    assert_eq!(names.len(), METADATA_PROPERTIES, "{names:?}");
    store.wipe().await.unwrap();
}
