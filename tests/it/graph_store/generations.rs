//! Communities and their generations: a reader sees one, an unfinished one leaves nothing.

use super::fixture::{carol, dump, entities, subjects};
use super::sums::sum_up;
use graphwright::domain::{
    Community, Finding, Id, Ids, LineageEvent, LineageStep, RecordKind, RecordRef, Report,
};
use graphwright::stores::graph::{GdsRequest, LastClustering, VectorKind};
use graphwright::stores::{GraphStore, StoreError};

fn community(ids: &Ids, level: u32, parent: Option<&Community>, names: &[&str], title: &str) -> Community {
    let members = entities(ids, names);
    let finding = |summary: &str| Finding {
        summary: summary.to_owned(),
        explanation: format!("{title}: \"{summary}\"\n\n他。"),
        citations: vec![RecordRef { kind: RecordKind::Entities, id: members[0].clone() }],
    };
    let id = ids.community(level, level > 0, &members, title);
    Community {
        level,
        leaf: level > 0,
        oversized: title.len() > 10,
        parent: parent.map(|parent| parent.id.clone()),
        fingerprint: title.to_owned(),
        report: Report {
            title: title.to_owned(),
            summary: format!("About {title}."),
            findings: vec![finding("second in the alphabet"), finding("first in the alphabet")],
            rank: 7.25,
            rank_explanation: "Because.".to_owned(),
            composed: title == "home",
        },
        lineage: id.clone(),
        period: "2026-11-21".to_owned(),
        members,
        id,
    }
}

fn by_level(mut communities: Vec<Community>) -> Vec<Community> {
    communities.sort_by(|one, other| (one.level, &one.id).cmp(&(other.level, &other.id)));
    communities
}

/// Everyone, with the office and the home below, as generation 1.
async fn first_generation(store: &dyn GraphStore, ids: &Ids) -> [Community; 3] {
    carol(store, ids).await;
    sum_up(store).await;
    let all = community(ids, 0, None, &["Scrooge", "Marley", "Bob Cratchit"], "everyone");
    let office = community(ids, 1, Some(&all), &["Scrooge", "Marley"], "office");
    let home = community(ids, 1, Some(&all), &["Bob Cratchit"], "home");
    let communities = [all, office, home];
    store.add_communities(1, &communities).await.unwrap();
    store.publish_generation(1).await.unwrap();
    communities
}

#[tokio::test]
async fn communities_are_read_back_as_they_were_written() {
    for subject in subjects("communities").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let [all, office, home] = first_generation(store, ids).await;
        let expected = by_level(vec![all.clone(), office.clone(), home.clone()]);
        assert_eq!(store.communities(1).await.unwrap(), expected, "{}", subject.backend);
        let mut outlines = expected.clone();
        for community in &mut outlines {
            community.report.findings.clear();
        }
        assert_ne!(outlines, expected);
        assert_eq!(store.community_outlines(1).await.unwrap(), outlines, "{}", subject.backend);
        assert_eq!(store.communities(0).await.unwrap(), []);
        let counts = store.counts().await.unwrap();
        assert_eq!((counts.communities, counts.reports), (3, 2), "{}", subject.backend);
        let wanted = [home.id.clone(), all.id.clone(), ids.other("unknown", &[])];
        let mut found = vec![home.clone(), all.clone()];
        found.sort_by(|one, other| one.id.cmp(&other.id));
        assert_eq!(store.communities_by_id(&wanted).await.unwrap(), found, "{}", subject.backend);
        let alone = |mut community: Community| {
            community.members.clear();
            community
        };
        let reports = store.reports_by_id(&wanted).await.unwrap().into_iter().map(alone);
        let expected: Vec<Community> = found.iter().cloned().map(alone).collect();
        assert_eq!(reports.collect::<Vec<_>>(), expected, "{}", subject.backend);
        let scrooge = ids.entity("scrooge");
        let of = store.communities_of(&[scrooge.clone(), ids.entity("nobody")], 1).await.unwrap();
        assert_eq!(of, [(scrooge.clone(), all.id), (scrooge, office.id)], "{}", subject.backend);
        subject.finish().await;
    }
}

#[tokio::test]
async fn reports_that_a_model_owes_are_counted_in_the_current_generation() {
    for subject in subjects("owed").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let [all, office, _] = first_generation(store, ids).await;
        assert_eq!(store.owed_reports().await.unwrap(), 0, "{}", subject.backend);
        let owed = community(ids, 1, Some(&all), &["Scrooge", "Marley"], "unwritten-office");
        store.add_communities(2, &[owed]).await.unwrap();
        store.end_communities(2, &[office.id], &[]).await.unwrap();
        assert_eq!(store.owed_reports().await.unwrap(), 0, "{}: not published", subject.backend);
        store.publish_generation(2).await.unwrap();
        assert_eq!(store.owed_reports().await.unwrap(), 1, "{}", subject.backend);
        subject.finish().await;
    }
}

#[tokio::test]
async fn a_build_is_not_seen_before_it_is_published() {
    for subject in subjects("published").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let [all, office, home] = first_generation(store, ids).await;
        let before = dump(store, store).await;
        let snapshot = store.snapshot().await.unwrap();
        let new_all = community(ids, 0, None, &["Scrooge", "Marley", "Bob Cratchit"], "everyone anew");
        let new_home = community(ids, 1, Some(&new_all), &["Bob Cratchit"], "home anew");
        let ended = [all.id.clone(), home.id.clone()];
        for _ in 0..2 {
            store.add_communities(2, &[new_all.clone(), new_home.clone()]).await.unwrap();
            store.end_communities(2, &ended, &[(office.id.clone(), Some(new_all.id.clone()))]).await.unwrap();
        }
        assert_eq!(dump(store, store).await, before, "{}: nothing is seen yet", subject.backend);
        assert_eq!(
            store.communities_by_id(std::slice::from_ref(&new_all.id)).await.unwrap(),
            [],
            "{}",
            subject.backend
        );
        let moved = Community { parent: Some(new_all.id.clone()), ..office.clone() };
        let expected = by_level(vec![new_all.clone(), moved.clone(), new_home.clone()]);
        assert_eq!(store.communities(2).await.unwrap(), expected, "{}: its maker sees it", subject.backend);

        store.publish_generation(2).await.unwrap();
        assert_eq!(store.state().await.unwrap().generation, 2);
        assert_eq!(
            store.communities_by_id(std::slice::from_ref(&office.id)).await.unwrap(),
            [moved],
            "{}",
            subject.backend
        );
        assert_eq!(
            store.communities_by_id(&ended).await.unwrap(),
            [],
            "{}: they have ended",
            subject.backend
        );
        assert_eq!(snapshot.state().await.unwrap().generation, 1, "{}", subject.backend);
        assert_eq!(dump(snapshot.as_ref(), store).await, before, "{}: the snapshot stays", subject.backend);
        assert_eq!(store.communities(1).await.unwrap().len(), 3, "{}: until it is swept", subject.backend);

        store.sweep_generations(1).await.unwrap();
        assert_eq!(store.tombstones(VectorKind::Reports, 10).await.unwrap(), [], "{}", subject.backend);
        store.sweep_generations(2).await.unwrap();
        store.sweep_generations(2).await.unwrap();
        assert_eq!(store.communities(2).await.unwrap(), expected, "{}", subject.backend);
        let mut gone = ended.to_vec();
        gone.sort();
        assert_eq!(store.tombstones(VectorKind::Reports, 10).await.unwrap(), gone, "{}", subject.backend);
        let work = store.kinds_with_vector_work().await.unwrap();
        assert!(work.contains(&VectorKind::Reports), "{}: {work:?}", subject.backend);
        assert_eq!(
            store.communities(1).await.unwrap().len(),
            1,
            "{}: the office spans both",
            subject.backend
        );
        subject.finish().await;
    }
}

#[tokio::test]
async fn an_unfinished_build_leaves_nothing() {
    for subject in subjects("unfinished").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let [all, office, home] = first_generation(store, ids).await;
        let expected = by_level(vec![all.clone(), office.clone(), home.clone()]);
        let pending: Vec<(Id, String)> =
            expected.iter().map(|community| (community.id.clone(), "f".to_owned())).collect();
        store.acknowledge_vectors(VectorKind::Reports, &pending).await.unwrap();
        let new_all = community(ids, 0, None, &["Scrooge", "Bob Cratchit"], "without Marley");
        store.add_communities(2, std::slice::from_ref(&new_all)).await.unwrap();
        store
            .end_communities(2, &[all.id], &[(office.id, Some(new_all.id.clone())), (home.id, None)])
            .await
            .unwrap();
        assert_eq!(store.pending_vectors(VectorKind::Reports, 10).await.unwrap().len(), 1);
        for _ in 0..2 {
            store.sweep_unfinished().await.unwrap();
        }
        assert_eq!(store.communities(1).await.unwrap(), expected, "{}", subject.backend);
        assert_eq!(
            store.communities(2).await.unwrap(),
            expected,
            "{}: as if it had never been",
            subject.backend
        );
        assert_eq!(store.pending_vectors(VectorKind::Reports, 10).await.unwrap(), []);
        assert_eq!(
            store.tombstones(VectorKind::Reports, 10).await.unwrap(),
            std::slice::from_ref(&new_all.id)
        );
        // the next try makes it again, and it must not be forgotten by the vectors
        store.add_communities(2, std::slice::from_ref(&new_all)).await.unwrap();
        assert_eq!(store.tombstones(VectorKind::Reports, 10).await.unwrap(), [], "{}", subject.backend);
        assert_eq!(store.pending_vectors(VectorKind::Reports, 10).await.unwrap().len(), 1);
        subject.finish().await;
    }
}

#[tokio::test]
async fn a_member_that_leaves_the_graph_leaves_its_communities() {
    for subject in subjects("members").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        first_generation(store, ids).await;
        store.remove_documents(&[ids.document("carol.txt")]).await.unwrap();
        sum_up(store).await;
        let communities = store.communities(1).await.unwrap();
        let left: Vec<usize> = communities.iter().map(|community| community.members.len()).collect();
        assert_eq!(left.iter().sum::<usize>(), 2, "{}: Bob in everyone and home: {left:?}", subject.backend);
        assert_eq!(store.communities_of(&[ids.entity("scrooge")], 1).await.unwrap(), []);
        subject.finish().await;
    }
}

#[tokio::test]
async fn the_history_of_lines_follows_the_published_generation() {
    for subject in subjects("lineage").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let [all, ..] = first_generation(store, ids).await;
        let step = |generation, event, size| LineageStep {
            lineage: all.lineage.clone(),
            generation,
            period: format!("2026-11-2{generation}"),
            event,
            level: 0,
            size,
            title: "everyone \"and\" 他".to_owned(),
            others: vec![ids.entity("office"), ids.entity("home")],
        };
        let first = step(1, LineageEvent::Began, 3);
        let second = step(2, LineageEvent::Split, 2);
        assert_eq!(store.lineage_steps().await.unwrap(), []);
        for _ in 0..2 {
            store.add_lineage_steps(&[first.clone(), second.clone()]).await.unwrap();
        }
        let seen = store.lineage_steps().await.unwrap();
        assert_eq!(seen, std::slice::from_ref(&first), "{}: not yet published", subject.backend);
        store.sweep_unfinished().await.unwrap();
        store.publish_generation(2).await.unwrap();
        let seen = store.lineage_steps().await.unwrap();
        assert_eq!(seen, std::slice::from_ref(&first), "{}: swept", subject.backend);
        store.add_lineage_steps(std::slice::from_ref(&second)).await.unwrap();
        assert_eq!(store.lineage_steps().await.unwrap(), [first, second], "{}", subject.backend);
        subject.finish().await;
    }
}

#[tokio::test]
async fn what_was_clustered_is_read_back_as_it_was_saved() {
    for subject in subjects("clustered").await {
        let store = subject.store.as_ref();
        assert_eq!(store.last_clustering().await.unwrap(), LastClustering::default(), "{}", subject.backend);
        let many = |generation: u64| LastClustering {
            generation,
            settings: "modularity by count".to_owned(),
            marks: (0..12_345).map(|key| (key << 50 | key, u64::MAX - key * generation)).collect(),
        };
        for saved in [many(3), many(4)] {
            store.save_clustering(&saved).await.unwrap();
            assert!(store.last_clustering().await.unwrap() == saved, "{}", subject.backend);
        }
        subject.finish().await;
    }
}

#[tokio::test]
async fn a_store_that_cannot_cluster_names_the_plugin() {
    for subject in subjects("gds").await {
        let request = GdsRequest { resolution: 1.0, seed: 0, weight: "count".to_owned() };
        match subject.store.gds_communities(&request).await {
            Err(StoreError::Unusable(reason)) => {
                assert!(reason.contains("Graph Data Science plugin"), "{}: {reason}", subject.backend);
                assert!(reason.contains("engine = \"rust\""), "{}: {reason}", subject.backend);
            }
            // a server that has the plugin
            Ok(found) => assert_eq!(found, []),
            Err(error) => panic!("{}: {error}", subject.backend),
        }
        subject.finish().await;
    }
}
