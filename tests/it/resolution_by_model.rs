//! Doubtful names before a model: asked about in batches, kept, explained, undone; nothing lost where it fails.

use crate::by_script::{Endpoint, Said, data, pairs, report};
use crate::support::{Pairing, TestIndex, assert_equal_exports, fresh_workspace};
use graphwright::config::NameResolution;
use graphwright::domain::{Edit, EditKind};
use graphwright::index::names::resolution;
use graphwright::index::run;
use graphwright::progress::Progress;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const TEXT: &str = "Katherine Hale-Brooks wrote it.\n\nKatharine Hale Brooks signed it.\n\nThe Northwind Harbor Trust paid.\n\n\
                    The Northwind Harbour Trust was paid.\n\nPlan Alpha Committee met.\n\nPlan Alfa Committee did not.";

/// An entity for each line's capitalised words.
fn records(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let name: Vec<&str> = line
            .split_whitespace()
            .filter(|word| word.starts_with(|c: char| c.is_uppercase()) && *word != "The")
            .collect();
        lines.push(format!("entity<|>{}<|><|>It says: {}", name.join(" "), line.trim()));
    }
    lines.push("<|COMPLETE|>".to_owned());
    lines.join("\n")
}

/// True for all pairs but those of the Plan.
fn verdicts(messages: &[String]) -> Value {
    let verdicts: Vec<Value> = pairs(messages)
        .into_iter()
        .map(|(pair, one, _)| json!({"pair": pair, "same": !one.contains("Plan"), "reason": "two spellings"}))
        .collect();
    json!({ "verdicts": verdicts })
}

async fn names(index: &TestIndex) -> Vec<String> {
    let entities = index.services.graph.entities(None, 100).await.expect("entities");
    let mut names: Vec<String> = entities.into_iter().map(|entity| entity.name).collect();
    names.sort();
    names
}

/// An endpoint that judges as [`verdicts`] does, and an index that asks it.
async fn judged(workspace: &str) -> (Endpoint, TestIndex) {
    let endpoint = Endpoint::start(|task, messages| match task {
        "extract_graph" => records(&data(messages)).into(),
        "same_entity" => verdicts(messages).to_string().into(),
        _ => report().into(),
    })
    .await;
    let mut config = endpoint.config();
    config.extraction.resolution = NameResolution::Model;
    let index = TestIndex::with(&Pairing::embedded(), &fresh_workspace(workspace), config).await;
    (endpoint, index)
}

#[tokio::test(flavor = "multi_thread")]
async fn doubtful_pairs_are_judged_once_and_every_merge_is_explained_and_undone() {
    let (endpoint, index) = judged("judged").await;
    index.write("a.txt", TEXT);
    let first = index.index(&[]).await;
    assert!(first.problems.is_empty(), "{:?}", first.problems);
    let merged =
        ["Katharine Hale Brooks", "Northwind Harbor Trust", "Plan Alfa Committee", "Plan Alpha Committee"];
    assert_eq!(names(&index).await, merged);
    assert_eq!(endpoint.counts()["same_entity"], 1, "all pairs in one call");
    let question = endpoint.calls().into_iter().find(|call| call.task == "same_entity").expect("asked");
    assert!(question.messages[1].contains("It says: The Northwind Harbour Trust was paid."), "{question:?}");

    let (joined, doubts) = resolution::duplicates(&index.services, 3).await.expect("listed");
    let merge = joined.iter().find(|merge| merge.from == "northwind harbour trust").expect("merged");
    assert_eq!((merge.rule, merge.into.as_str()), ("verdict", "northwind harbor trust"));
    assert!(merge.evidence.ends_with(": two spellings"), "{}", merge.evidence);
    let apart = doubts.iter().find(|doubt| doubt.low == "plan alfa committee").expect("a pair kept apart");
    assert_eq!((apart.same, apart.reason.as_str()), (Some(false), "two spellings"));
    assert!(index.export().await["verdicts.jsonl"].contains("plan alpha committee"));

    index.index(&[]).await;
    assert_eq!(endpoint.counts()["same_entity"], 1, "a verdict is asked for once");

    // a person knows better
    let edit = |kind| Edit { id: index.services.ids.other("edit", &["1"]), sequence: 1, kind };
    let split = edit(EditKind::Split {
        name: "northwind harbour trust".into(),
        from: "northwind harbor trust".into(),
    });
    let before = index.export().await;
    index.services.graph.save_edit(&split, false).await.expect("kept");
    run::apply_edits(&index.services, &Progress::silent()).await.expect("applied");
    assert_eq!(names(&index).await.len(), 5);
    index.services.graph.save_edit(&split, true).await.expect("undone");
    run::apply_edits(&index.services, &Progress::silent()).await.expect("applied");
    assert_equal_exports(&before, &index.export().await, "undone");
    let merge = edit(EditKind::Merge {
        names: vec!["plan alfa committee".into()],
        into: "plan alpha committee".into(),
        shown: String::new(),
    });
    index.services.graph.save_edit(&merge, false).await.expect("kept");
    run::apply_edits(&index.services, &Progress::silent()).await.expect("applied");
    assert_eq!(names(&index).await.len(), 3);
    assert_eq!(endpoint.counts()["same_entity"], 1, "edits cost no call");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_endpoint_loses_no_verdict_and_is_asked_again() {
    let broken = Arc::new(AtomicBool::new(true));
    let script = Arc::clone(&broken);
    let endpoint = Endpoint::start(move |task, messages| match task {
        "extract_graph" => records(&data(messages)).into(),
        "same_entity" if script.load(Ordering::SeqCst) => Said::Status(500),
        "same_entity" => verdicts(messages).to_string().into(),
        _ => report().into(),
    })
    .await;
    let mut config = endpoint.config();
    config.extraction.resolution = NameResolution::Model;
    let index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("broken"), config).await;
    index.write("a.txt", TEXT);
    let report = index.index(&[]).await;
    assert_eq!(names(&index).await.len(), 6, "nothing is merged unasked");
    assert_eq!(report.problems.len(), 1, "{:?}", report.problems);
    assert!(report.problems[0].starts_with("3 pairs of names have no verdict yet"), "{:?}", report.problems);
    let extracted = endpoint.counts()["extract_graph"];
    broken.store(false, Ordering::SeqCst);
    let report = index.index(&[]).await;
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    assert_eq!(names(&index).await.len(), 4);
    assert_eq!(endpoint.counts()["extract_graph"], extracted, "what was done stays done");

    // what was said before holds while the endpoint fails, whatever is shown by now
    broken.store(true, Ordering::SeqCst);
    index.write("0.txt", "The Northwind Harbor Trust was founded.");
    let report = index.index(&[]).await;
    assert_eq!(report.problems.len(), 1, "{:?}", report.problems);
    assert_eq!(names(&index).await.len(), 4);
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_verdicts_are_asked_for_once_more_and_strange_numbers_ignored() {
    let endpoint = Endpoint::start(|task, messages| match task {
        "extract_graph" => records(&data(messages)).into(),
        // the first time prose, then one of three pairs and one that was not asked about, then the rest
        "same_entity" if messages.len() == 2 && pairs(messages).len() == 3 => {
            "I think they are the same.".into()
        }
        "same_entity" if messages.len() > 2 => {
            json!({"verdicts": [{"pair": 1, "same": true}, {"pair": 9, "same": true}]}).to_string().into()
        }
        "same_entity" => verdicts(messages).to_string().into(),
        _ => report().into(),
    })
    .await;
    let mut config = endpoint.config();
    config.extraction.resolution = NameResolution::Model;
    let index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("malformed"), config).await;
    index.write("a.txt", TEXT);
    let report = index.index(&[]).await;
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    assert_eq!(endpoint.counts()["same_entity"], 3);
    assert_eq!(names(&index).await.len(), 4);
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_texts_say_of_a_name_is_shown_once_however_many_pairs_it_is_in() {
    let (endpoint, index) = judged("shown_once").await;
    let text = "The Northwind Harbor Trust paid.\n\nThe Northwind Harbour Trust was paid.\n\nThe Northwind Harbor Truste owed.";
    index.write("a.txt", text);
    index.index(&[]).await;
    let asked = endpoint.calls().into_iter().find(|call| call.task == "same_entity").expect("asked");
    let shown = pairs(&asked.messages);
    assert!(shown.len() > 1, "one name is in several pairs: {shown:?}");
    for line in ["The Northwind Harbor Trust paid.", "The Northwind Harbour Trust was paid.", "Truste owed."]
    {
        assert_eq!(asked.messages[1].matches(line).count(), 1, "{line}: {}", asked.messages[1]);
    }
    index.wipe().await;
}
