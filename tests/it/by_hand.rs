//! Edits by hand in Neo4j Browser are recognised by the next run, searched, never undone by an ingest, listed and
//! undone by command.

use crate::neo4j;
use crate::support::{
    TestIndex, assert_equal_exports, assert_vectors_follow, fresh_workspace, pairings, with_fresh_communities,
};
use graphwright::config::Config;
use graphwright::domain::{Edit, EditKind, Entity, name_key};
use graphwright::index::{doctor, run};
use graphwright::progress::Progress;

const BOOK: &str = "Ebenezer Scrooge lives in London. Bob Cratchit works for Ebenezer Scrooge in London.\n\n\
    Bob Cratchit loves Tiny Tim. Jacob Marley was the partner of Ebenezer Scrooge. Jacob Marley was in London.\n";
const SEQUEL: &str =
    "Bob Cratchit and Tiny Tim met Jacob Marley in London. Ebenezer Scrooge gave Bob Cratchit a goose.\n";

async fn by_hand(index: &TestIndex, cypher: &str) {
    neo4j::change(&index.services, cypher).await;
}

async fn entity(index: &TestIndex, name: &str) -> Option<Entity> {
    let id = index.services.ids.entity(&name_key(name));
    index.services.graph.entities_by_id(&[id]).await.expect("read").into_iter().next()
}

async fn edits(index: &TestIndex) -> Vec<Edit> {
    index.services.graph.edits().await.expect("read")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_people_do_in_neo4j_browser_is_kept_listed_and_undone() {
    for pairing in pairings().into_iter().filter(|pairing| pairing.graph.is_some()) {
        let index =
            TestIndex::with(&pairing, &fresh_workspace("by_hand"), with_fresh_communities(Config::default()))
                .await;
        index.write("book.txt", BOOK);
        index.index(&[]).await;
        assert_eq!(index.index(&[]).await.notes, [""; 0], "{pairing:?}: nothing was done by hand");
        let before = index.export().await;
        by_hand(
            &index,
            "MATCH (e:__Entity__ {name: 'Bob Cratchit'}) WHERE e.workspace = $workspace SET e.name = 'Robert Cratchit'",
        )
        .await;
        by_hand(
            &index,
            "MATCH (e:__Entity__ {name: 'Jacob Marley'}) WHERE e.workspace = $workspace
             SET e.description = 'Dead, to begin with.', e.pinned = ['description']",
        )
        .await;
        by_hand(
            &index,
            "MATCH (e:__Entity__ {name: 'London'}) WHERE e.workspace = $workspace DETACH DELETE e",
        )
        .await;
        // the vectors can be brought up without a run
        let (made, _) = doctor::sync_vectors(&index.services, &Progress::silent()).await.expect("synced");
        assert_eq!(made, 2, "{pairing:?}: the renamed and the described");
        let report = index.index(&[]).await;
        assert_eq!(report.notes.len(), 3, "{pairing:?}: {:?}", report.notes);
        let diagnosis = doctor::examine(&index.services, &Progress::silent()).await.expect("examined");
        assert!(diagnosis.is_sound(), "{pairing:?}: {:?}", diagnosis.findings);
        index.write("sequel.txt", SEQUEL);
        index.index(&[]).await;
        assert_eq!(entity(&index, "Bob Cratchit").await.expect("there").name, "Robert Cratchit");
        assert_eq!(entity(&index, "Jacob Marley").await.expect("there").description, "Dead, to begin with.");
        assert_eq!(
            entity(&index, "London").await,
            None,
            "{pairing:?}: no ingest brings back what was deleted"
        );
        let listed = edits(&index).await;
        let wanted = |kind: &EditKind| match kind {
            EditKind::Rename { name, to } => name == "bob cratchit" && to == "Robert Cratchit",
            EditKind::Pin { name, property, .. } => name == "jacob marley" && property == "description",
            EditKind::Delete { name } => name == "london",
            EditKind::Merge { .. } | EditKind::Split { .. } => false,
        };
        assert!(listed.len() == 3 && listed.iter().all(|edit| wanted(&edit.kind)), "{pairing:?}: {listed:?}");
        assert_vectors_follow(&index.services, "edited by hand").await;

        by_hand(&index, "MATCH (e:__Entity__) WHERE e.workspace = $workspace REMOVE e.pinned").await;
        for edit in listed {
            index.services.graph.save_edit(&edit, true).await.expect("undone");
        }
        std::fs::remove_file(index.folder.path().join("documents/sequel.txt")).expect("removed");
        index.remove(&["sequel.txt"]).await;
        assert_equal_exports(&before, &index.export().await, &format!("{pairing:?}: all undone"));
        index.wipe().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_and_relationships_made_by_hand_are_kept() {
    for pairing in pairings().into_iter().filter(|pairing| pairing.graph.is_some()) {
        let index =
            TestIndex::with(&pairing, &fresh_workspace("manual"), with_fresh_communities(Config::default()))
                .await;
        index.write("book.txt", BOOK);
        index.index(&[]).await;
        by_hand(
            &index,
            "MATCH (e:__Entity__ {name: 'Tiny Tim'}) WHERE e.workspace = $workspace
             CREATE (m:__Entity__ {workspace: $workspace, name: 'Martha Cratchit', type: 'Person', manual: true,
               description: 'The eldest daughter.'})
             CREATE (m)-[:RELATED {manual: true, type: 'sister of', description: 'Martha is his sister.'}]->(e)",
        )
        .await;
        let report = index.index(&[]).await;
        assert_eq!(report.notes.len(), 2, "{pairing:?}: {:?}", report.notes);
        let tim = entity(&index, "Tiny Tim").await.expect("there");
        let martha = entity(&index, "Martha Cratchit").await.expect("there");
        assert_eq!((martha.description.as_str(), martha.degree), ("The eldest daughter.", 1));
        let id = index.services.ids.relationship(&martha.id, &tim.id);
        let related =
            index.services.graph.relationships_by_id(std::slice::from_ref(&id)).await.expect("read");
        assert_eq!(related.first().map(|one| one.kind.as_str()), Some("sister of"));
        assert_vectors_follow(&index.services, "made by hand").await;
        let diagnosis = doctor::examine(&index.services, &Progress::silent()).await.expect("examined");
        assert!(diagnosis.is_sound(), "{pairing:?}: {:?}", diagnosis.findings);
        // documents that name both, and go again, leave them
        index.write(
            "sequel.txt",
            "Martha Cratchit met Tiny Tim in London. Martha Cratchit knows Bob Cratchit.\n",
        );
        index.index(&[]).await;
        index.remove(&["sequel.txt"]).await;
        run::apply_edits(&index.services, &Progress::silent()).await.expect("applied");
        let martha = entity(&index, "Martha Cratchit").await.expect("still there");
        assert_eq!(martha.description, "The eldest daughter.");
        let related = index.services.graph.relationships_by_id(&[id]).await.expect("read");
        assert_eq!(related.len(), 1, "{pairing:?}: the relationship is still there");
        index.wipe().await;
    }
}
