//! `[communities] engine = "gds"` on a server that has the plugin: `scripts/test.sh` starts one and says so by
//! `GRAPHWRIGHT_TEST_GDS`.

use super::driver;
use crate::support::{Pairing, TestIndex, fresh_workspace, pairings};
use graphwright::config::{CommunityEngine, Config};
use graphwright::domain::{Community, Id};
use graphwright::index::{doctor, run};
use graphwright::numeric::leiden::Objective;
use graphwright::progress::Progress;
use neo4rs::Query;
use std::collections::{BTreeMap, BTreeSet};

/// Where there is a server with the plugin.
fn pairing() -> Option<Pairing> {
    std::env::var_os("GRAPHWRIGHT_TEST_GDS")?;
    pairings().into_iter().find(|pairing| pairing.graph.is_some() && pairing.vectors.is_none())
}

/// Four houses whose people meet within, and one bridge between each two neighbours.
fn text() -> String {
    let people = |house: usize| {
        ["Alice", "Robert", "Martha", "Edwin"]
            .map(|given| format!("{given} {}", ["Ashford", "Bramwell", "Cranston", "Dunmore"][house % 4]))
    };
    let mut text = String::new();
    for house in 0..4 {
        let members = people(house);
        for (number, one) in members.iter().enumerate() {
            for other in members.iter().take(number) {
                text.push_str(&format!("{one} met {other} in the garden.\n\n"));
            }
        }
        text.push_str(&format!("{} wrote to {}.\n\n", members[0], people(house + 1)[0]));
    }
    text
}

async fn indexed(pairing: &Pairing, engine: CommunityEngine) -> TestIndex {
    let mut config = Config::default();
    config.communities.engine = engine;
    config.text_units.size = 20;
    config.text_units.overlap = 0;
    let index = TestIndex::with(pairing, &fresh_workspace("gds"), config).await;
    index.write("houses.txt", &text());
    index.index(&[]).await;
    index
}

async fn communities(index: &TestIndex) -> Vec<Community> {
    let graph = index.services.graph.as_ref();
    let generation = graph.state().await.unwrap().generation;
    graph.communities(generation).await.unwrap()
}

#[tokio::test]
async fn the_plugins_communities_are_a_hierarchy_like_ours() {
    let Some(pairing) = pairing() else { return };
    let index = indexed(&pairing, CommunityEngine::Gds).await;
    let found = communities(&index).await;
    let entities: BTreeSet<Id> = index.services.graph.edge_list().await.unwrap().ids.into_iter().collect();
    assert!(entities.len() >= 16, "{} entities", entities.len());

    let leaves: Vec<&Id> = found.iter().filter(|one| one.leaf).flat_map(|one| &one.members).collect();
    assert_eq!(leaves.len(), entities.len(), "each entity is in one leaf");
    assert_eq!(leaves.into_iter().cloned().collect::<BTreeSet<_>>(), entities);
    let by_id: BTreeMap<&Id, &Community> = found.iter().map(|one| (&one.id, one)).collect();
    for community in &found {
        let Some(parent) = &community.parent else { continue };
        let parent = by_id[parent];
        assert!(community.members.iter().all(|member| parent.members.contains(member)), "{community:?}");
    }

    let again = run::rebuild_communities(&index.services, &Progress::silent()).await.unwrap();
    assert_eq!(communities(&index).await, found, "of the same graph the same communities");
    let ours = indexed(&pairing, CommunityEngine::Rust).await;
    let own = run::rebuild_communities(&ours.services, &Progress::silent()).await.unwrap();
    let (theirs, own) = (again.levels[0].modularity, own.levels[0].modularity);
    assert!((theirs - own).abs() < 0.1 && own > 0.1, "{theirs} and {own}");

    let diagnosis = doctor::examine(&index.services, &Progress::silent()).await.unwrap();
    assert!(diagnosis.is_sound(), "{:?}", diagnosis.findings);
    // other tests have projections of their own
    let mine = "CALL gds.graph.list() YIELD graphName WHERE graphName CONTAINS $workspace RETURN graphName";
    let mut left = driver(&index.services.config.graph)
        .execute(Query::new(mine.to_owned()).param("workspace", index.services.ids.workspace()))
        .await
        .unwrap();
    assert!(left.next().await.unwrap().is_none(), "the projection is dropped");
    ours.wipe().await;
    index.wipe().await;
}

#[tokio::test]
async fn what_the_plugin_cannot_do_is_refused_before_anything_is_written() {
    let Some(pairing) = pairing() else { return };
    let index = indexed(&pairing, CommunityEngine::Gds).await;
    let found = communities(&index).await;
    let mut config = index.services.config.clone();
    config.communities.objective = Objective::Cpm;
    let services = graphwright::services::connect(
        config,
        &index.folder.path().join("other"),
        index.services.ids.workspace(),
        graphwright::services::Access::Read,
    )
    .await
    .unwrap();
    let refused = run::rebuild_communities(&services, &Progress::silent()).await.unwrap_err();
    assert!(format!("{refused:#}").contains("modularity"), "{refused:#}");
    assert_eq!(communities(&index).await, found);
    index.wipe().await;
}
