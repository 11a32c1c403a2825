//! Incremental equals rebuild with a model as well, under one cache (design 3, 6): the scripted model's verdicts depend
//! on where a pair stands in its batch, so that only verdicts that are kept by pair can agree.

use crate::by_script::{Endpoint, data, pairs, report};
use crate::support::{TestIndex, assert_equal_exports, fresh_workspace, with_fresh_communities};
use graphwright::config::{Config, NameResolution};
use graphwright::domain::fingerprint;
use graphwright::services::{self, Access};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const FIRST: [&str; 6] = ["Katherine", "Katharine", "Kathrine", "Stephen", "Steven", "Stefan"];
const LAST: [&str; 6] = ["Hartmann", "Hartman", "Hardmann", "Lindqvist", "Lindquist", "Lindkvist"];
const TOPICS: [&str; 4] = ["Northwind Harbor Trust", "Northwind Harbour Trust", "Trust of Northwind", "NHT"];

fn name(random: &mut fastrand::Rng) -> String {
    match random.u8(..4) {
        0 => (*random.choice(TOPICS.iter()).expect("some")).to_owned(),
        1 => (*random.choice(LAST.iter()).expect("some")).to_owned(),
        _ => format!(
            "{} {}",
            random.choice(FIRST.iter()).expect("some"),
            random.choice(LAST.iter()).expect("some")
        ),
    }
}

fn draw(random: &mut fastrand::Rng) -> String {
    let lines: Vec<String> = (0..random.usize(2..7))
        .map(|_| format!("{} | {} | in the year {}.", name(random), name(random), random.u32(1800..1900)))
        .collect();
    lines.join("\n\n")
}

/// Each line names two and what it says of both.
fn records(text: &str) -> String {
    let mut records = Vec::new();
    for line in text.lines() {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [one, other, what] = parts.as_slice() {
            records.push(format!("entity<|>{one}<|><|>Of {one} it is said {what}"));
            records.push(format!("entity<|>{other}<|><|>With {one} {what}"));
            records.push(format!("relationship<|>{one}<|>{other}<|>knows<|>They met {what}<|>5"));
        }
    }
    records.push("<|COMPLETE|>".to_owned());
    records.join("\n")
}

async fn endpoint() -> Endpoint {
    Endpoint::start(|task, messages| match task {
        "extract_graph" => records(&data(messages)).into(),
        "same_entity" => {
            let asked = pairs(messages);
            let verdicts: Vec<Value> = asked
                .iter()
                .map(|(pair, one, _)| {
                    json!({"pair": pair, "same": (pair + one.len() + asked.len()).is_multiple_of(3), "reason": one.len()})
                })
                .collect();
            json!({ "verdicts": verdicts }).to_string().into()
        }
        "summarise_descriptions" => format!("In short {}.", fingerprint(&[&data(messages)])).into(),
        _ => report().into(),
    })
    .await
}

/// An index whose replies are kept in `cache`.
async fn open(config: &Config, workspace: &str, cache: &Path) -> TestIndex {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    std::fs::create_dir_all(&data).expect("a folder");
    std::os::unix::fs::symlink(cache, data.join("llm-cache.sqlite")).expect("a link");
    let services =
        services::connect(config.clone(), &data, workspace, Access::Write).await.expect("connected");
    std::fs::create_dir_all(folder.path().join("documents")).expect("a folder");
    TestIndex { services, folder }
}

#[tokio::test(flavor = "multi_thread")]
async fn add_change_and_remove_leave_what_a_fresh_index_would_with_a_model_that_resolves() {
    let endpoint = endpoint().await;
    let mut config = with_fresh_communities(endpoint.config());
    config.extraction.resolution = NameResolution::Model;
    config.extraction.summary_threshold_tokens = 40;
    config.text_units.size = 60;
    config.text_units.overlap = 10;
    let caches = tempfile::tempdir().expect("a folder");
    let mut merged = 0;
    for seed in 0..3 {
        let mut random = fastrand::Rng::with_seed(seed);
        let workspace = fresh_workspace("by_model");
        let cache = caches.path().join(format!("{seed}.sqlite"));
        std::fs::write(&cache, "").expect("a file");
        let lived = open(&config, &workspace, &cache).await;
        let mut documents: BTreeMap<String, String> = BTreeMap::new();
        for step in 0..8 {
            let name = format!("{}.txt", random.u8(..4));
            if documents.contains_key(&name) && random.u8(..3) == 0 {
                documents.remove(&name);
                std::fs::remove_file(lived.folder.path().join("documents").join(&name)).expect("removed");
                lived.remove(&[&name]).await;
            } else {
                let text = draw(&mut random);
                lived.write(&name, &text);
                documents.insert(name.clone(), text);
                let report = lived.index(&[&name]).await;
                assert!(report.problems.is_empty(), "{:?}", report.problems);
            }
            if step % 3 == 2 || step == 7 {
                let lived_export = lived.export().await;
                let fresh = open(&config, &workspace, &cache).await;
                for (name, text) in &documents {
                    fresh.write(name, text);
                }
                fresh.index(&[]).await;
                assert_equal_exports(
                    &lived_export,
                    &fresh.export().await,
                    &format!("seed {seed}, step {step}"),
                );
                merged += lived_export["verdicts.jsonl"].matches("\"same\":true").count();
                fresh.wipe().await;
            }
        }
        lived.wipe().await;
    }
    assert!(merged > 20, "the model joined {merged} pairs; the test should join many");
}
