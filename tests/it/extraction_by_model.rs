//! A unit whose reply is unusable: asked once more, then marked as failed with the reason, and taken up again alone.

use crate::by_script::{Endpoint, data, report};
use crate::support::{Pairing, TestIndex, fresh_workspace};
use graphwright::domain::name_key;
use graphwright::index::run::{self, IndexRequest};
use graphwright::progress::Progress;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const BOB: &str = "entity<|>Bob<|>Person<|>A clerk.\nrelationship<|>Bob\n<|COMPLETE|>";

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_without_records_is_named_and_only_it_is_tried_again() {
    let mended = Arc::new(AtomicBool::new(false));
    let script = Arc::clone(&mended);
    let endpoint = Endpoint::start(move |task, messages| match task {
        "extract_graph" | "repair_reply" => {
            let text = data(&messages[..2]);
            let broken = text.contains("cursed") && !script.load(Ordering::SeqCst);
            if broken { "I would rather not.".into() } else { BOB.into() }
        }
        "glean_check" => "no".into(),
        _ => report().into(),
    })
    .await;
    let mut config = endpoint.config();
    config.extraction.gleanings = 3;
    config.extraction.gleaning_check = true;
    config.extraction.domain = "Victorian ledgers".into();
    config.extraction.language = "German".into();
    config.extraction.examples = "Text: Ida sails.\nRecords: none of the built-in ones".into();
    let index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("retry"), config).await;
    index.write("a.txt", "Bob is a clerk.");
    index.write("b.txt", "This page is cursed.");
    let first = index.index(&[]).await;
    assert_eq!((first.records, first.records_lost, first.failed), (1, 1, 1), "{:?}", first.problems);
    assert_eq!(first.problems.len(), 1);
    assert!(first.problems[0].contains("b.txt unit 0") && first.problems[0].contains("it holds no records"));
    let counts = endpoint.counts();
    assert_eq!(
        (counts["extract_graph"], counts["repair_reply"]),
        (2, 1),
        "asked once more, the problem named"
    );
    assert_eq!(counts["glean_check"], 1, "a no ends gleaning, though three rounds are allowed");
    let calls = endpoint.calls();
    let repair = calls.iter().find(|call| call.task == "repair_reply").expect("asked again");
    assert!(repair.messages.last().is_some_and(|last| last.contains("it holds no records")), "{repair:?}");
    let prompt = &calls[0].messages[0];
    for setting in ["Victorian ledgers", "German", "Ida sails."] {
        assert!(prompt.contains(setting), "{setting} is not in the prompt");
    }
    assert!(!prompt.contains("Velm Harbour Board"), "the built-in example gives way");
    let status = index.services.graph.document_status(None, 10).await.expect("status");
    assert_eq!((status[1].failed, status[0].records_lost), (1, 1));
    assert!(status[1].error.as_deref().is_some_and(|error| error.contains("it holds no records")));

    index.index(&[]).await;
    assert_eq!(endpoint.counts()["extract_graph"], 2, "a failed unit waits until it is asked for");

    mended.store(true, Ordering::SeqCst);
    let request = IndexRequest { retry_failed: true, ..IndexRequest::default() };
    let retried = run::index(&index.services, &request, &Progress::silent()).await.expect("indexed");
    assert_eq!((retried.records, retried.failed), (1, 0), "{:?}", retried.problems);
    assert_eq!(endpoint.counts()["extract_graph"], 3, "and only it");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_judges_in_the_same_call_and_rules_where_it_does_not() {
    let endpoint = Endpoint::start(move |task, messages| match task {
        "extract_graph" => {
            let prompt = messages.concat();
            assert!(prompt.contains("(\"sentiment\"<|>ENTITY"), "{prompt}");
            let judged = "(\"sentiment\"<|>Azure<|>-0.4<|>grew slowly<|>Ann Lee<|>Azure grew slowly.)\n";
            let judged = if data(messages).contains("slowly") { judged } else { "" };
            format!("(\"entity\"<|>Azure<|>product<|>A cloud.<|>NONE)\n{judged}<|COMPLETE|>").into()
        }
        _ => report().into(),
    })
    .await;
    let mut config = endpoint.config();
    config.extraction.sentiment = true;
    config.extraction.gleanings = 0;
    let index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("judged"), config).await;
    index.write("a.txt", "Ann Lee said so. Azure grew slowly.");
    index.write("b.txt", "Azure is wonderful.");
    index.index(&[]).await;
    assert_eq!(endpoint.counts()["extract_graph"], 2, "no call more");
    let azure = index.services.ids.entity(&name_key("Azure"));
    let found = index.services.graph.sentiments_of(std::slice::from_ref(&azure)).await.expect("sentiments");
    let mut scores: Vec<i32> = found.iter().map(|one| one.sentiment.score).collect();
    scores.sort_unstable();
    assert_eq!((scores.len(), scores[0]), (2, -400), "{found:?}");
    assert!(scores[1] > 0, "rules judge the text of which the model said nothing: {found:?}");
    let told = found.iter().find(|one| one.sentiment.score == -400).expect("the model's");
    assert_eq!((told.sentiment.words.len(), told.sentiment.opinions[0].holder.as_str()), (1, "Ann Lee"));
    // made anew from the records, without a call
    let documents = index.folder.path().join("documents");
    let mut request = IndexRequest {
        paths: vec![documents.display().to_string()],
        refresh_sentiment: true,
        ..IndexRequest::default()
    };
    request.discover.sources = vec![("docs".to_owned(), documents)];
    run::index(&index.services, &request, &Progress::silent()).await.expect("indexed");
    let again = index.services.graph.sentiments_of(&[azure]).await.expect("sentiments");
    assert_eq!((again, endpoint.counts()["extract_graph"]), (found, 2));
    index.wipe().await;
}
