//! A graph that somebody edited in Neo4j Browser: relationships that lead into another workspace, values of another type,
//! communities in a circle, a label that is not theirs.

use super::{ask, change, config};
use crate::support::{Pairing, TestIndex, assert_equal_exports, fresh_workspace, with_fresh_communities};
use graphwright::config::Config;
use graphwright::index::doctor;
use graphwright::progress::Progress;
use std::time::Duration;

const MARLEY: &str = "Jacob Marley lent Ebenezer Scrooge ten pounds. Ebenezer Scrooge paid Bob Cratchit.\n";
const MOON: &str = "Neil Armstrong met Buzz Aldrin in Houston. Buzz Aldrin thanked Neil Armstrong.\n";

async fn index(name: &str, text: &str) -> Option<TestIndex> {
    let pairing = Pairing { graph: config()?.url, vectors: None };
    let mut config = with_fresh_communities(Config::default());
    config.communities.max_size = 3;
    let index = TestIndex::with(&pairing, &fresh_workspace(name), config).await;
    index.write("a.txt", text);
    index.write("b.txt", "Tiny Tim sang for Bob Cratchit. Neil Armstrong wrote to Tiny Tim.\n");
    index.index(&[]).await;
    Some(index)
}

async fn damage(index: &TestIndex) -> Vec<String> {
    let diagnosis = doctor::examine(&index.services, &Progress::silent()).await.unwrap();
    diagnosis.findings.into_iter().filter(|found| found.found > 0).map(|found| found.check).collect()
}

async fn fix(index: &TestIndex) {
    let (_, after) = doctor::fix(&index.services, &Progress::silent()).await.unwrap();
    assert!(after.is_sound(), "{after:?}");
    index.index(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn relationships_into_another_workspace_neither_show_nor_remove_what_is_there() {
    let Some(ours) = index("ours", MARLEY).await else { return };
    let theirs = index("theirs", MOON).await.unwrap();
    let (ours_before, theirs_before) = (ours.export().await, theirs.export().await);
    let other = theirs.services.ids.workspace();
    for made in [
        "MATCH (u:TextUnit {workspace: $other}), (d:Document {workspace: $workspace}) MERGE (u)-[:PART_OF]->(d)",
        "MATCH (u:TextUnit {workspace: $other}), (e:__Entity__ {workspace: $workspace}) \
         WITH u, e LIMIT 3 CREATE (u)-[:HAS_ENTITY {record_count: 1, names: ['x'], types: [''], descriptions: [''], linked: false}]->(e)",
        "MATCH (a:__Entity__ {workspace: $workspace}), (b:__Entity__ {workspace: $other}) WITH a, b LIMIT 3 \
         CREATE (a)-[:RELATED {id: a.id + b.id, workspace: $other, weight: 1000, strength: 1000, type: 'knows', \
         description: 'the code of the safe is 4711', text_unit_count: 5, text_unit_ids: [], types: [], \
         descriptions: [], strengths: [], forwards: []}]->(b)",
    ] {
        change(&ours.services, &made.replace("$other", &format!("'{other}'"))).await;
    }
    let document = ours.services.ids.document("docs/a.txt");
    let units = ours.services.graph.text_units_of(&document).await.unwrap();
    assert!(units.iter().all(|unit| MARLEY.contains(unit.unit.text.trim())), "{units:?}");
    let entities = ours.services.graph.entities(None, 100).await.unwrap();
    let ids: Vec<_> = entities.into_iter().map(|entity| entity.id).collect();
    let shown = ours.services.graph.relationships_of(&ids, 50).await.unwrap();
    assert!(shown.iter().all(|relationship| !relationship.description.contains("4711")), "{shown:?}");

    change(&ours.services, "MATCH (e:__Entity__ {workspace: $workspace}) SET e.dirty = e.id").await;
    ours.index(&[]).await;
    let summed = format!("{:?}", ours.services.graph.entities(None, 100).await.unwrap());
    assert!(!summed.contains("\"x\""), "{summed}");

    assert!(damage(&ours).await.contains(&"crossing_relationships".to_owned()));
    ours.remove(&["a.txt"]).await;
    let their_unit = theirs.services.graph.text_units(None, 10).await.unwrap();
    assert_eq!(their_unit.len(), 2, "what is of another workspace stays");
    ours.index(&[]).await;
    for (index, before) in [(&ours, &ours_before), (&theirs, &theirs_before)] {
        fix(index).await;
        assert_equal_exports(before, &index.export().await, "as before");
        assert_eq!(damage(index).await, [""; 0]);
    }
    ours.wipe().await;
    theirs.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn values_of_another_type_are_found_and_mended() {
    let Some(index) = index("mistyped", MARLEY).await else { return };
    let before = index.export().await;
    for set in [
        "MATCH (:__Entity__ {workspace: $workspace})-[r:RELATED]-() WITH r LIMIT 1 SET r.weight = 2.5",
        "MATCH (:__Entity__ {workspace: $workspace})-[r:RELATED]-() WITH r LIMIT 1 SET r.types = [1]",
        "MATCH (e:__Entity__ {workspace: $workspace}) WITH e LIMIT 1 SET e.name = ['x', 'y'], e.dirty = e.id",
        "MATCH (e:__Entity__ {workspace: $workspace}) WITH e LIMIT 1 SET e.degree = 'many', e.aliases = 'none'",
        "MATCH (d:Document {workspace: $workspace}) WITH d LIMIT 1 SET d.title = 7",
        "MATCH (e:__Entity__ {workspace: $workspace}) WITH e LIMIT 1 CREATE (e)-[:RELATED {workspace: $workspace, id: 'zz'}]->(e)",
        "MATCH (u:TextUnit {workspace: $workspace}) WITH u LIMIT 1 SET u.text = ['a', 'b']",
    ] {
        change(&index.services, set).await;
        assert_eq!(damage(&index).await, ["mistyped_values"], "{set}");
        fix(&index).await;
        assert_equal_exports(&before, &index.export().await, set);
    }
    // what cannot be read as metadata keeps nobody from anything, and comes back with the document
    change(&index.services, "MATCH (d:Document {workspace: $workspace}) SET d.metadata = '{broken'").await;
    index.remove(&["b.txt"]).await;
    index.index(&[]).await;
    assert_eq!(damage(&index).await, [""; 0]);
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_names_what_cannot_be_read() {
    let Some(index) = index("named", MARLEY).await else { return };
    change(
        &index.services,
        "MATCH (:__Entity__ {workspace: $workspace})-[r:RELATED]-() WITH r LIMIT 1 SET r.weight = 2.5",
    )
    .await;
    let failed = index.services.graph.relationships(None, 100).await.unwrap_err().to_string();
    assert!(failed.contains("cannot read a row of ") && failed.contains("doctor --fix"), "{failed}");
    // nor in one that many are collected in
    let ids: Vec<_> =
        index.services.graph.entities(None, 100).await.unwrap().into_iter().map(|e| e.id).collect();
    let change_one =
        "MATCH (e:__Entity__ {workspace: $workspace}) WITH e ORDER BY e.id LIMIT 1 SET e.degree = 'x'";
    change(&index.services, change_one).await;
    let failed = index.services.graph.entity_outlines(&ids).await.unwrap_err().to_string();
    let expected = format!("that of {}", ids[0].as_str());
    assert!(failed.contains(&expected) && failed.contains("doctor --fix"), "{failed}");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn communities_in_a_circle_are_read_at_once() {
    let Some(index) = index("circle", MARLEY).await else { return };
    change(
        &index.services,
        "MATCH (a:Community {workspace: $workspace}), (b:Community {workspace: $workspace}) WHERE a.id < b.id \
         UNWIND range(1, 9) AS i CREATE (a)-[:PARENT_COMMUNITY {from: 1}]->(b), (b)-[:PARENT_COMMUNITY {from: 1}]->(a)",
    )
    .await;
    let graph = &index.services.graph;
    let ids: Vec<_> = ask(&format!(
        "MATCH (c:Community) WHERE c.workspace = '{}' RETURN c.id AS id",
        index.services.ids.workspace()
    ))
    .await
    .into_iter()
    .map(graphwright::domain::Id::from_stored)
    .collect();
    assert!(ids.len() > 1, "there is a circle");
    let read = graph.communities_by_id(&ids);
    let read = tokio::time::timeout(Duration::from_secs(20), read).await.expect("it comes to an end");
    assert!(!read.unwrap().is_empty());
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_that_is_ours_is_not_taken_away_as_a_type() {
    let Some(index) = index("label", MARLEY).await else { return };
    let before = index.export().await;
    change(
        &index.services,
        "MATCH (e:__Entity__ {workspace: $workspace}) WHERE e.name STARTS WITH 'Ebenezer' SET e.label = '__Entity__', e.dirty = e.id",
    )
    .await;
    fix(&index).await;
    assert_equal_exports(&before, &index.export().await, "an entity stays one");
    index.wipe().await;
}
