//! Steady communities (design 10): from the stored ones on. All else equals a rebuild; they themselves are partitions that
//! are total, nested and connected, say when they fall behind fresh ones, and hang on the documents and their order alone.

use crate::incremental::{draw, edit, small_units};
use crate::support::{
    Pairing, TestIndex, assert_equal_exports, assert_vectors_follow, fresh_workspace, pairings,
    with_fresh_communities,
};
use graphwright::domain::{Community, Id};
use graphwright::index::communities;
use graphwright::index::run::{self, IndexReport};
use graphwright::progress::Progress;
use std::collections::{BTreeMap, BTreeSet};

const ENGLISH: &str = include_str!("../fixtures/sample/a-christmas-carol.txt");
const CHINESE: &str = include_str!("../fixtures/sample/three-kingdoms.txt");

type Export = BTreeMap<String, String>;

/// One way of documents through an index: what is written (`None`: removed) to which name.
fn way(seed: u64, steps: usize) -> Vec<(String, Option<String>)> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut documents: BTreeMap<String, String> = BTreeMap::new();
    let mut way = Vec::new();
    for _ in 0..steps {
        let name = format!("{}.md", random.u8(..6));
        let text = match documents.remove(&name) {
            Some(_) if random.u8(..4) == 0 => None,
            Some(text) => Some(edit(&mut random, &text)),
            None => Some(draw(&mut random)),
        };
        if let Some(text) = &text {
            documents.insert(name.clone(), text.clone());
        }
        way.push((name, text));
    }
    way
}

async fn go(index: &TestIndex, (name, text): &(String, Option<String>)) -> IndexReport {
    if let Some(text) = text {
        index.write(name, text);
        return index.index(&[name]).await;
    }
    std::fs::remove_file(index.folder.path().join("documents").join(name)).expect("removed");
    index.remove(&[name]).await
}

/// All but the communities, the note on them, and how many there are.
fn beside_communities(mut export: Export) -> Export {
    export.remove("communities.jsonl").expect("communities");
    let settings = export.get_mut("settings.jsonl").expect("settings");
    *settings = settings.lines().filter(|line| !line.contains("\"communities\"")).collect();
    export
}

/// Fails where the communities are no hierarchy of connected parts over all entities.
async fn check(index: &TestIndex, what: &str) -> usize {
    let graph = &index.services.graph;
    let all = graph.communities(graph.state().await.expect("read").generation).await.expect("read");
    let list = graph.edge_list().await.expect("read");
    let edges: Vec<(&Id, &Id)> =
        list.edges.iter().map(|edge| (&list.ids[edge.0 as usize], &list.ids[edge.1 as usize])).collect();
    let by_id: BTreeMap<&Id, &Community> = all.iter().map(|one| (&one.id, one)).collect();
    let levels = all.iter().map(|one| one.level + 1).max().unwrap_or(0);
    for level in 0..levels {
        let partition = all.iter().filter(|one| one.level == level || (one.leaf && one.level < level));
        let mut members: Vec<&Id> = partition.flat_map(|one| &one.members).collect();
        members.sort();
        assert!(members.iter().copied().eq(&list.ids), "{what}: level {level} holds each entity once");
    }
    for one in &all {
        assert_eq!(one.parent.is_some(), one.level > 0, "{what}");
        if let Some(parent) = &one.parent {
            let parent = by_id[parent];
            assert!(parent.level + 1 == one.level && !parent.leaf, "{what}");
            assert!(one.members.iter().all(|member| parent.members.binary_search(member).is_ok()), "{what}");
        }
        let mut reached: BTreeSet<&Id> = one.members.iter().take(1).collect();
        loop {
            let held = |end: &Id| one.members.binary_search(end).is_ok();
            let next: Vec<&Id> = edges
                .iter()
                .filter(|(a, b)| held(a) && held(b) && reached.contains(a) != reached.contains(b))
                .flat_map(|&(a, b)| [a, b])
                .collect();
            if next.is_empty() {
                break;
            }
            reached.extend(next);
        }
        assert_eq!(reached.len(), one.members.len(), "{what}: {:?} is connected", one.report.title);
    }
    all.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn they_are_sound_at_each_step_and_the_same_on_every_store_and_all_else_equals_a_rebuild() {
    let workspace = fresh_workspace("steady");
    let mut first: Option<Vec<Export>> = None;
    for pairing in pairings() {
        let steps = way(5, if pairings().len() > 1 { 8 } else { 16 });
        let mut index = TestIndex::with(&pairing, &workspace, small_units()).await;
        let mut exports = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let what = format!("{pairing:?}, step {at}");
            let report = go(&index, step).await;
            let count = check(&index, &what).await;
            assert_eq!(report.counts.communities, count as u64, "{what}");
            let appraisal = communities::appraise(&index.services).await.expect("compared");
            let told = report.notes.iter().any(|note| note.contains("graphwright communities --fresh"));
            let beyond = appraisal.comparison.loss > index.services.config.communities.max_loss;
            assert_eq!(told, beyond, "{what}: {:?}, {:?}", report.notes, appraisal.comparison);
            // once more changes nothing
            let generation = report.generation;
            let again = run::rebuild_communities(&index.services, &Progress::silent()).await.expect("built");
            assert_eq!((again.changed, again.outcome.generation), (false, generation), "{what}");
            exports.push(index.export().await);
        }
        assert_vectors_follow(&index.services, &format!("{pairing:?}")).await;
        match &first {
            None => first = Some(exports.clone()),
            Some(first) => {
                for (at, (one, other)) in first.iter().zip(&exports).enumerate() {
                    assert_equal_exports(one, other, &format!("{pairing:?}: step {at}"));
                }
            }
        }
        let rebuilt = TestIndex::with(&Pairing::embedded(), &workspace, small_units()).await;
        for name in 0..6 {
            let name = format!("{name}.md");
            if let Ok(text) = std::fs::read_to_string(index.folder.path().join("documents").join(&name)) {
                rebuilt.write(&name, &text);
            }
        }
        rebuilt.index(&[]).await;
        let (lived, wanted) = (index.export().await, rebuilt.export().await);
        let what = format!("{pairing:?}: rebuilt");
        assert_equal_exports(&beside_communities(lived), &beside_communities(wanted.clone()), &what);
        // asked for, they are those of the graph alone
        index.services.config = with_fresh_communities(index.services.config.clone());
        run::rebuild_communities(&index.services, &Progress::silent()).await.expect("built");
        assert_equal_exports(&index.export().await, &wanted, &format!("{pairing:?}: fresh"));
        rebuilt.wipe().await;
        index.wipe().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_documents_have_the_same_communities_in_every_workspace() {
    let mut first = None;
    for name in ["one", "another", "third"] {
        let index = TestIndex::with(&Pairing::embedded(), &fresh_workspace(name), small_units()).await;
        for (at, text) in
            [ENGLISH, CHINESE, "Fezziwig met 曹操 and Bob Cratchit in London.\n"].iter().enumerate()
        {
            let name = format!("{at}.txt");
            index.write(&name, text);
            index.index(&[&name]).await;
        }
        let graph = &index.services.graph;
        let names: BTreeMap<Id, String> = graph
            .entities(None, 100_000)
            .await
            .expect("read")
            .into_iter()
            .map(|entity| (entity.id, entity.name))
            .collect();
        let all = graph.communities(graph.state().await.expect("read").generation).await.expect("read");
        let by_names: BTreeSet<(u32, bool, BTreeSet<&String>)> = all
            .iter()
            .map(|one| (one.level, one.leaf, one.members.iter().map(|member| &names[member]).collect()))
            .collect();
        assert!(by_names.len() > 100, "{}", by_names.len());
        let told = format!("{by_names:?}");
        assert_eq!(first.get_or_insert_with(|| told.clone()), &told, "{name}");
        index.wipe().await;
    }
}
