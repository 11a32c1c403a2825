//! Damage done to the stores by hand is found, named, and mended to what it was.

use crate::neo4j;
use crate::program::Place;
use crate::support::{
    Pairing, TestIndex, assert_equal_exports, assert_vectors_follow, fresh_workspace, pairings,
    with_fresh_communities,
};
use graphwright::domain::{Id, name_key};
use graphwright::index::doctor;
use graphwright::progress::Progress;
use graphwright::stores::graph::VectorKind;
use graphwright::stores::vectors::{Hit, Point};
use qdrant_client::qdrant::collections_client::CollectionsClient;
use qdrant_client::qdrant::points_client::PointsClient;
use qdrant_client::qdrant::{
    ListCollectionsRequest, NamedVectors, PointStruct, UpsertPoints, UpsertPointsBuilder, Value, Vector,
};
use std::collections::HashMap;
use tonic::transport::Endpoint;

const BOOK: &str = "Ebenezer Scrooge lives in London. Bob Cratchit works for Ebenezer Scrooge in London. \
    Jacob Marley was the partner of Ebenezer Scrooge. Tiny Tim is the son of Bob Cratchit.\n\n\
    Fezziwig danced in London with Jacob Marley. Bob Cratchit loves Tiny Tim. Fred is the nephew of Ebenezer Scrooge. \
    Fred met Bob Cratchit and Tiny Tim in Camden Town.\n";

const KINGDOMS: &str = include_str!("../fixtures/sample/three-kingdoms.txt");

/// Damage by hand: the check that finds it, and how it is done in SQLite and in Neo4j.
struct Damage {
    check: &'static str,
    sql: &'static str,
    cypher: &'static str,
}

const fn damage(check: &'static str, sql: &'static str, cypher: &'static str) -> Damage {
    Damage { check, sql, cypher }
}

const DAMAGES: [Damage; 18] = [
    damage(
        "broken_facts",
        "INSERT INTO fact_chunks VALUES ('00dd', 0, 'stamp', '[]', '[]')",
        "CREATE (:FactChunk {id: '00dd', workspace: $workspace, document_id: '00ee', position: 0, text_units: []})",
    ),
    damage(
        "orphan_text_units",
        "UPDATE text_units SET document = 99999 WHERE node = (SELECT min(node) FROM text_units)",
        "MATCH (u:TextUnit)-[p:PART_OF]->() WHERE u.workspace = $workspace WITH p LIMIT 1 DELETE p",
    ),
    damage(
        "broken_chains",
        "UPDATE text_units SET position = position + 5",
        "MATCH (u:TextUnit)-[p:NEXT_CHUNK]->() WHERE u.workspace = $workspace DELETE p",
    ),
    damage(
        "uneven_mentions",
        "UPDATE mentions SET items = '[[\"x\"],[],[]]' WHERE linked = 0",
        "MATCH (u:TextUnit)-[h:HAS_ENTITY]->() WHERE u.workspace = $workspace AND NOT h.linked SET h.types = []",
    ),
    damage(
        "uneven_evidence",
        "UPDATE relations SET items = '[[\"x\"]]'",
        "MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace SET r.types = []",
    ),
    damage(
        "stale_entity_sums",
        "UPDATE entities SET degree = 99 WHERE node = (SELECT min(node) FROM entities)",
        "MATCH (e:__Entity__) WHERE e.workspace = $workspace WITH e LIMIT 1 SET e.degree = 99",
    ),
    damage(
        "stale_relationship_sums",
        "UPDATE relationships SET weight = 77",
        "MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace SET r.weight = 77",
    ),
    damage(
        "stale_entity_sums",
        "INSERT INTO entity_periods SELECT min(node), '2020-01-01/2020-01-31', 0, 0, 0, 0, 0, 1 FROM entities",
        "MATCH (e:__Entity__) WHERE e.workspace = $workspace WITH e LIMIT 1
         CREATE (e)-[:IN_PERIOD {documents: 0, text_units: 0, mentions: 0, claims: 1, sentiment_sum: 0, judged: 0}]->
             (:Period {id: '00ff', workspace: $workspace, interval: '2020-01-01/2020-01-31', key: '2020-01'})",
    ),
    damage(
        "stale_relationship_sums",
        "INSERT INTO relationship_periods SELECT min(node), '2020-01-01/2020-01-31', 1, 1, 1, 1 FROM relationships",
        "MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace WITH r LIMIT 1
         SET r.periods = ['2020-01-01/2020-01-31'], r.period_documents = [1], r.period_text_units = [1],
             r.period_mentions = [1], r.period_strengths = [1]",
    ),
    damage(
        "unsupported_entities",
        "INSERT INTO entities (id, summed, name, text_unit_count) VALUES ('00aa', 1, 'Nobody', 0)",
        "CREATE (:__Entity__:Entity {id: '00aa', workspace: $workspace, name: 'Nobody', type: '', description: '',
          aliases: [], degree: 0, text_unit_count: 0})",
    ),
    damage(
        "dangling_claims",
        "INSERT INTO claims VALUES ('00bb', 99999, '00cc', NULL, 'k', 'TRUE', 'd', '', '', 't', '')",
        "CREATE (:Claim {id: '00bb', workspace: $workspace})",
    ),
    damage(
        "lost_work",
        "UPDATE entities SET summed = 0 WHERE node = (SELECT min(node) FROM entities)",
        "MATCH (e:__Entity__) WHERE e.workspace = $workspace WITH e LIMIT 1 SET e.text_unit_count = null",
    ),
    damage(
        "lost_members",
        "DELETE FROM community_members WHERE community IN
            (SELECT c.node FROM communities c JOIN community_validity v ON v.community = c.node
             WHERE c.leaf = 0 AND c.level = 0 AND v.until = 9223372036854775807)",
        "MATCH (e:__Entity__)-[m:IN_COMMUNITY]->(c) WHERE e.workspace = $workspace AND c.to IS NULL
         WITH m LIMIT 2 DELETE m",
    ),
    damage(
        "living_tombstones",
        "INSERT INTO tombstones SELECT 'entities', id FROM entities LIMIT 1",
        "MATCH (e:__Entity__) WHERE e.workspace = $workspace WITH e LIMIT 1
         CREATE (:VectorTombstone {id: e.id, workspace: $workspace, kind: 'entities'})",
    ),
    damage(
        "mentions_unlike_records",
        "DELETE FROM mentions WHERE unit = (SELECT min(unit) FROM mentions)",
        "MATCH (u:TextUnit)-[h:HAS_ENTITY]->() WHERE u.workspace = $workspace WITH h LIMIT 1 DELETE h",
    ),
    damage(
        "evidence_unlike_records",
        "DELETE FROM relations WHERE relationship = (SELECT min(relationship) FROM relations)",
        "MATCH ()-[r:RELATED]->() WHERE r.workspace = $workspace WITH r LIMIT 1 DELETE r",
    ),
    damage(
        "communities_unlike_graph",
        "DELETE FROM community_validity WHERE community =
            (SELECT max(community) FROM community_validity WHERE until = 9223372036854775807)",
        "MATCH (c:Community) WHERE c.workspace = $workspace AND c.leaf AND c.to IS NULL
         WITH c LIMIT 1 DETACH DELETE c",
    ),
    damage(
        "vectors_missing_entities",
        "UPDATE entities SET vector_fingerprint = NULL WHERE node = (SELECT min(node) FROM entities)",
        "MATCH (e:__Entity__) WHERE e.workspace = $workspace WITH e LIMIT 1 SET e.vector_fingerprint = null",
    ),
];

/// Changes the graph as somebody does who knows its store.
pub(crate) async fn change_by_hand(index: &TestIndex, pairing: &Pairing, sql: &str, cypher: &str) {
    let workspace = index.services.ids.workspace();
    match &pairing.graph {
        None => {
            let path = graphwright::services::file(&index.services.data_dir, workspace);
            let connection = rusqlite::Connection::open(path).expect("opened");
            assert!(connection.execute(sql, []).expect(sql) > 0, "{sql} changes something");
        }
        Some(_) => neo4j::change(&index.services, cypher).await,
    }
}

async fn examined(index: &TestIndex) -> Vec<String> {
    let diagnosis = doctor::examine(&index.services, &Progress::silent()).await.expect("examined");
    diagnosis.findings.into_iter().filter(|finding| finding.found > 0).map(|finding| finding.check).collect()
}

async fn mend(index: &TestIndex) {
    doctor::fix(&index.services, &Progress::silent()).await.expect("mended");
}

async fn built(pairing: &Pairing, text: &str, unit_tokens: usize) -> TestIndex {
    // what is read again after damage is a change, which steady communities would be marked by
    let mut config = with_fresh_communities(graphwright::config::Config::default());
    config.text_units.size = unit_tokens;
    config.text_units.overlap = 0;
    config.communities.max_size = 5;
    let index = TestIndex::with(pairing, &fresh_workspace("doctor"), config).await;
    index.write("book.txt", text);
    index.index(&[]).await;
    index
}

fn chosen() -> impl Iterator<Item = Pairing> {
    pairings().into_iter().filter(|pairing| pairing.graph.is_some() == pairing.vectors.is_some())
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_to_the_graph_is_found_and_mended() {
    for pairing in chosen() {
        // enough for a hierarchy
        let text: String = KINGDOMS.chars().take(3000).collect();
        let index = built(&pairing, &text, 200).await;
        let before = index.export().await;
        assert!(before["communities.jsonl"].contains("\"level\":1"), "{pairing:?}: there are levels");
        assert_eq!(examined(&index).await, [""; 0], "{pairing:?}: what was just built is sound");
        for Damage { check, sql, cypher } in DAMAGES {
            change_by_hand(&index, &pairing, sql, cypher).await;
            let found = examined(&index).await;
            assert!(found.iter().any(|name| name == check), "{pairing:?}: {check} is among {found:?}");
            mend(&index).await;
            assert_eq!(examined(&index).await, [""; 0], "{pairing:?}: {check} is mended");
            // where text units were lost, their document is read again
            index.index(&[]).await;
            assert_equal_exports(&before, &index.export().await, &format!("{pairing:?}: {check}"));
            assert_vectors_follow(&index.services, check).await;
        }
        index.wipe().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_vector_store_is_brought_up_to_the_graph() {
    for pairing in chosen() {
        let index = built(&pairing, BOOK, 40).await;
        let services = &index.services;
        let bob = services.ids.entity(&name_key("Bob Cratchit"));
        let lost = services.vectors.ids(VectorKind::TextUnits, None, 1).await.expect("read");
        services.vectors.delete(VectorKind::TextUnits, &lost).await.expect("deleted");
        let stray = Point {
            id: services.ids.other("nobody", &["stray"]),
            dense: None,
            sparse: graphwright::stores::vectors::bm25::document_vector("stray words", 256.0),
            payload: graphwright::stores::vectors::Payload::default(),
        };
        services.vectors.upsert(VectorKind::Entities, &[stray]).await.expect("written");
        change_by_hand(
            &index,
            &pairing,
            "UPDATE entities SET description = 'A clerk in a tank.' WHERE name = 'Bob Cratchit'",
            "MATCH (e:__Entity__ {name: 'Bob Cratchit'}) WHERE e.workspace = $workspace
             SET e.description = 'A clerk in a tank.'",
        )
        .await;
        let found = examined(&index).await;
        for check in
            ["vectors_missing_text_units", "vectors_of_other_text_entities", "vectors_without_node_entities"]
        {
            assert!(found.iter().any(|name| name == check), "{pairing:?}: {check} is among {found:?}");
        }
        let done = doctor::sync_vectors(services, &Progress::silent()).await.expect("synced");
        assert_eq!(done, (2, 1), "{pairing:?}");
        assert_vectors_follow(services, "synced").await;
        let query = graphwright::stores::vectors::VectorQuery {
            sparse: Some(graphwright::stores::vectors::bm25::query_vector("tank")),
            limit: 3,
            ..Default::default()
        };
        let hits = services.vectors.search(VectorKind::Entities, &query).await.expect("searched");
        assert_eq!(hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>(), [bob], "{pairing:?}");
        // the whole store lost
        services.vectors.wipe().await.expect("wiped");
        services.vectors.prepare(None).await.expect("prepared");
        let (made, _) = doctor::sync_vectors(services, &Progress::silent()).await.expect("synced");
        assert!(made > 10, "{pairing:?}: {made}");
        assert_vectors_follow(services, "made anew").await;
        index.wipe().await;
    }
}

/// Puts two points into Qdrant's collection of entities as others may do: one that names the node of ours, and one that
/// names nobody.
async fn put_beside_ours(pairing: &Pairing, workspace: &str, id: &Id) {
    let url = pairing.vectors.clone().expect("a server");
    let channel = Endpoint::from_shared(url).expect("an address").connect_lazy();
    let plain: String = workspace.chars().filter(char::is_ascii_alphanumeric).collect();
    let all = CollectionsClient::new(channel.clone()).list(ListCollectionsRequest {}).await.expect("listed");
    let mut names = all.into_inner().collections.into_iter().map(|collection| collection.name);
    let collection = names.find(|name| name.contains(&plain) && name.ends_with("_entities")).expect("ours");
    let words = graphwright::stores::vectors::bm25::document_vector("Cratchit Cratchit", 2.0);
    let vectors = || {
        NamedVectors::default()
            .add_vector("bm25", Vector::new_sparse(words.indices.clone(), words.values.clone()))
    };
    let payload =
        HashMap::from([("id".to_owned(), Value::from(id.as_str())), ("order".to_owned(), 5_i64.into())]);
    let points = vec![
        PointStruct::new(7_u64, vectors(), payload),
        PointStruct::new(8_u64, vectors(), HashMap::<String, Value>::new()),
    ];
    let request: UpsertPoints = UpsertPointsBuilder::new(collection, points).wait(true).into();
    PointsClient::new(channel).upsert(request).await.expect("written");
}

#[tokio::test]
async fn points_that_somebody_else_put_there_are_found_by_no_search_and_removed() {
    for pairing in chosen().filter(|pairing| pairing.vectors.is_some()) {
        let index = built(&pairing, BOOK, 40).await;
        let services = &index.services;
        let bob = services.ids.entity(&name_key("Bob Cratchit"));
        let query = graphwright::stores::vectors::VectorQuery {
            sparse: Some(graphwright::stores::vectors::bm25::query_vector("Cratchit")),
            limit: 9,
            ..Default::default()
        };
        let search = || services.vectors.search(VectorKind::Entities, &query);
        let ids = |hits: Vec<Hit>| -> Vec<Id> { hits.into_iter().map(|hit| hit.id).collect() };
        let before = ids(search().await.expect("searched"));
        assert!(before.contains(&bob), "{before:?}");
        put_beside_ours(&pairing, services.ids.workspace(), &bob).await;
        assert_eq!(ids(search().await.expect("searched")), before, "{pairing:?}");
        let found = examined(&index).await;
        assert!(found.iter().any(|name| name == "vectors_foreign_entities"), "{found:?}");
        let (_, after) = doctor::fix(services, &Progress::silent()).await.expect("mended");
        assert!(after.is_sound(), "{after:?}");
        assert_vectors_follow(services, "mended").await;
        index.wipe().await;
    }
}

#[test]
fn the_command_says_what_is_damaged_and_its_exit_code_whether_anything_is() {
    let place = Place::new();
    place.write("docs/book.txt", BOOK);
    place.json(&["index", "docs"]);
    let sound = place.json(&["doctor"]);
    assert_eq!(sound["sound"], true, "{sound}");
    let connection = rusqlite::Connection::open(place.data().join("default.sqlite")).expect("opened");
    connection.execute("UPDATE relationships SET weight = 77", []).expect("damaged");
    let run = place.run(&["doctor"]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stdout.contains("damaged  stale_relationship_sums"), "{}", run.stdout);
    assert!(run.stderr.contains("doctor --fix"), "{}", run.stderr);
    let mended = place.json(&["doctor", "--fix"]);
    assert_eq!(mended["sound"], true, "{mended}");
    let named = mended["mended"]["findings"].as_array().expect("a list");
    assert!(named.iter().any(|f| f["check"] == "stale_relationship_sums" && f["found"].as_u64() > Some(0)));
    assert_eq!(place.run(&["doctor"]).code, Some(0));
}
