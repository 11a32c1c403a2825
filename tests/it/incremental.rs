//! Incremental equals rebuild, exactly (design 3): records, links, resolution, sums and summaries, communities, reports
//! and vectors, with and without a model. And a second run writes nothing.

use crate::scripted::{Endpoint, TEXT};
use crate::support::{
    Pairing, TestIndex, assert_equal_exports, assert_vectors_follow, fresh_workspace, pairings,
    with_fresh_communities,
};
use graphwright::config::Config;
use graphwright::stores::graph::VectorKind;
use std::collections::BTreeMap;

const ENGLISH: &str = include_str!("../fixtures/sample/a-christmas-carol.txt");
const CHINESE: &str = include_str!("../fixtures/sample/three-kingdoms.txt");

/// A text of paragraphs drawn from the samples.
pub fn draw(random: &mut fastrand::Rng) -> String {
    let source = if random.u8(..3) == 0 { CHINESE } else { ENGLISH };
    let paragraphs: Vec<&str> = source.split("\n\n").filter(|p| p.trim().len() > 80).collect();
    let count = random.usize(1..8);
    let start = random.usize(..paragraphs.len() - count);
    let mut text = format!("# Piece {}\n\n", random.u8(..6));
    text.push_str(&paragraphs[start..start + count].join("\n\n"));
    text
}

pub fn edit(random: &mut fastrand::Rng, text: &str) -> String {
    let mut paragraphs: Vec<&str> = text.split("\n\n").collect();
    match random.u8(..4) {
        0 if paragraphs.len() > 2 => {
            paragraphs.remove(random.usize(1..paragraphs.len()));
        }
        1 => paragraphs.insert(
            random.usize(1..=paragraphs.len()),
            "Bob Cratchit met Tiny Tim and Mr. Fezziwig in London.",
        ),
        2 if paragraphs.len() > 2 => {
            let (a, b) = (random.usize(1..paragraphs.len()), random.usize(1..paragraphs.len()));
            paragraphs.swap(a, b);
        }
        _ => return draw(random),
    }
    paragraphs.join("\n\n")
}

pub fn small_units() -> Config {
    let mut config = Config::default();
    config.text_units.size = 200;
    config.text_units.overlap = 20;
    config
}

/// What the vectors of units and entities were made from, by id.
async fn vectors_of(index: &TestIndex) -> BTreeMap<String, Option<String>> {
    let mut made_from = BTreeMap::new();
    for kind in [VectorKind::TextUnits, VectorKind::Entities] {
        for node in index.services.graph.vector_nodes(kind, None, 100_000).await.expect("read") {
            made_from.insert(format!("{kind:?} {}", node.id), node.fingerprint);
        }
    }
    made_from
}

/// Random sequences of add, change and remove beside what is always there, compared with indexing what is left from
/// scratch.
async fn sequences(pairing: &Pairing, seed: u64, steps: usize, config: &Config, always: &[(&str, &str)]) {
    let mut random = fastrand::Rng::with_seed(seed);
    let workspace = fresh_workspace("incremental");
    let config = &with_fresh_communities(config.clone());
    let lived = TestIndex::with(pairing, &workspace, config.clone()).await;
    let mut documents: BTreeMap<String, String> = BTreeMap::new();
    for (name, text) in always {
        lived.write(name, text);
        documents.insert((*name).to_owned(), (*text).to_owned());
        lived.index(&[*name]).await;
    }
    for step in 0..steps {
        // half of them have a date, so that there are periods
        let name = [format!("{}.md", random.u8(..3)), format!("2019-0{}.md", random.u8(1..4))]
            [random.usize(..2)]
        .clone();
        match documents.get(&name).cloned() {
            Some(_) if random.u8(..3) == 0 => {
                documents.remove(&name);
                std::fs::remove_file(lived.folder.path().join("documents").join(&name)).expect("removed");
                lived.remove(&[&name]).await;
            }
            before => {
                let text = if let Some(text) = before { edit(&mut random, &text) } else { draw(&mut random) };
                lived.write(&name, &text);
                documents.insert(name.clone(), text);
                lived.index(&[&name]).await;
            }
        }
        if step % 3 == 2 || step + 1 == steps {
            let lived_export = lived.export().await;
            // the same workspace name, so that ids agree, in embedded stores of its own
            let fresh = TestIndex::with(&Pairing::embedded(), &workspace, config.clone()).await;
            for (name, text) in &documents {
                fresh.write(name, text);
            }
            fresh.index(&[]).await;
            let what = format!("{pairing:?}, seed {seed}, step {step}");
            assert_equal_exports(&lived_export, &fresh.export().await, &what);
            assert_vectors_follow(&lived.services, &what).await;
            assert_eq!(vectors_of(&lived).await, vectors_of(&fresh).await, "{what}: vectors");
            fresh.wipe().await;
        }
    }
    lived.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn add_change_and_remove_leave_what_a_fresh_index_would() {
    for seed in 0..3 {
        sequences(&Pairing::embedded(), seed, 9, &small_units(), &[]).await;
    }
    for pairing in pairings().into_iter().filter(|pairing| *pairing != Pairing::embedded()) {
        sequences(&pairing, 7, 6, &small_units(), &[]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_holds_with_a_model() {
    let endpoint = Endpoint::start().await;
    let mut config = endpoint.config();
    config.text_units = small_units().text_units;
    // people whom the scripted model knows, told of twice: summaries and reports are asked for whatever is drawn
    let known =
        [("known.md", TEXT), ("again.md", "Bob Cratchit met Ebenezer Scrooge and Jacob Marley again.\n")];
    for (seed, pairing) in (10..).zip(pairings()) {
        endpoint.forget();
        sequences(&pairing, seed, 6, &config, &known).await;
        let asked = endpoint.tasks();
        for task in ["extract_graph", "summarise_descriptions", "community_report"] {
            assert!(asked.iter().any(|one| one == task), "{pairing:?}: {task} among {} calls", asked.len());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_writes_nothing() {
    for pairing in pairings() {
        let index = TestIndex::new(&pairing, &fresh_workspace("twice")).await;
        index.write("a.txt", ENGLISH);
        index.write("b.txt", CHINESE);
        let first = index.index(&[]).await;
        let export = index.export().await;
        let second = index.index(&[]).await;
        assert_eq!((second.documents_unchanged, second.records), (2, 0));
        assert_eq!(second.generation, first.generation, "no new generation");
        assert_equal_exports(&export, &index.export().await, "second run");
        index.wipe().await;
    }
}

/// Two kings are called the Great, and a third text uses the name: it means nobody in particular, until one of them goes.
#[tokio::test(flavor = "multi_thread")]
async fn a_name_of_several_is_linked_to_nobody() {
    let first =
        "Ferdinand of Lorvale, nicknamed \"the Great\", was a ruler of Castor. He met Bertha of Tyne.";
    let second = "Otto of Brenn, nicknamed \"the Great\", was a ruler of Pollux. He met Clara of Tyne.";
    let third = "Clara of Tyne spoke. Everybody knew the Great and Bertha of Tyne.";
    for pairing in pairings() {
        let workspace = fresh_workspace("ambiguous");
        let config = with_fresh_communities(Config::default());
        let lived = TestIndex::with(&pairing, &workspace, config.clone()).await;
        for (name, text) in [("a.txt", first), ("b.txt", second), ("c.txt", third)] {
            lived.write(name, text);
        }
        lived.index(&[]).await;
        let great = lived.services.ids.entity("great");
        let known = lived.services.graph.entities_by_id(&[great]).await.expect("read");
        assert!(known.is_empty(), "{pairing:?}: {known:?}");
        std::fs::remove_file(lived.folder.path().join("documents/b.txt")).expect("removed");
        lived.remove(&["b.txt"]).await;
        let fresh = TestIndex::with(&Pairing::embedded(), &workspace, config).await;
        for (name, text) in [("a.txt", first), ("c.txt", third)] {
            fresh.write(name, text);
        }
        fresh.index(&[]).await;
        let export = fresh.export().await;
        assert_equal_exports(&lived.export().await, &export, &format!("{pairing:?}"));
        fresh.wipe().await;
        lived.wipe().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_pairings_hold_the_same_graph() {
    let workspace = fresh_workspace("pairings");
    let mut first: Option<BTreeMap<String, String>> = None;
    for pairing in pairings() {
        let index = TestIndex::new(&pairing, &workspace).await;
        index.write("a.txt", ENGLISH);
        index.write("b.txt", CHINESE);
        index.index(&[]).await;
        let export = index.export().await;
        match &first {
            None => first = Some(export),
            Some(first) => assert_equal_exports(first, &export, &format!("{pairing:?}")),
        }
        index.wipe().await;
    }
}
