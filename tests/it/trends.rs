//! Trends as a user asks for them.

use crate::command_line::run;
use crate::support::{Pairing, TestIndex, fresh_workspace};
use graphwright::domain::FiscalCalendar;
use graphwright::language::dates::date_of;
use graphwright::llm::{ChatModel, ChatReply, ChatRequest, ModelError, ModelRole};
use graphwright::progress::Progress;
use graphwright::query::tell_time;
use graphwright::trends::{TrendRequest, trends};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Twelve calls: Tarn in all of them, Fell in the first five, Beck from the seventh on more and more.
fn calls(folder: &Path) {
    std::fs::create_dir_all(folder.join("calls")).expect("a folder");
    let quarters = (2020..2023).flat_map(|year| (1..=4).map(move |quarter| (year, quarter)));
    for (at, (year, quarter)) in quarters.enumerate() {
        let mut text =
            "Call of Mere Works\n\nANN LEE: Good day, and thank you for joining our call today.\n\n"
                .to_owned();
        text.push_str(&format!("The Tarn Boat sold {} pieces in the harbour towns.\n\n", 90 + at * 7 % 11));
        text.push_str(&format!("Customers of the Tarn Boat wrote {} letters to Mere Works.\n\n", 30 + at));
        if at < 5 {
            text.push_str(&format!("The Fell Sail was sold {} times to old customers.\n\n", 20 + at));
            text.push_str(&format!("Nobody repaired a Fell Sail in harbour {}.\n\n", 8 + at));
        }
        for order in 6..at {
            text.push_str(&format!("The Beck Engine won order number {order}{at} from a shipyard.\n\n"));
        }
        text.push_str("BOB RAY, Fells Bank: What do you expect?\n\nANN LEE: Thanks, Bob Ray.\n\n");
        text.push_str(&format!("BOB RAY, Fells Bank: And the harbour number {at}?\n"));
        std::fs::write(folder.join(format!("calls/Call{year}Q{quarter}.txt")), text).expect("written");
    }
    std::fs::write(folder.join("calls/note.txt"), "The Tarn Boat is blue.").expect("written");
}

/// A sentence at the end of one of them.
fn add(folder: &Path, file: &str, sentence: &str) {
    let path = folder.join("calls").join(file);
    let text = std::fs::read_to_string(&path).expect("a call");
    std::fs::write(&path, format!("{text}\n\n{sentence}\n")).expect("written");
}

fn trends_json(folder: &Path, arguments: &[&str]) -> Value {
    let found = run(folder, &[&["trends", "--json", "-q"], arguments].concat());
    assert_eq!(found.code, 0, "{}", found.stderr);
    serde_json::from_str(&found.stdout).expect("one JSON object")
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().filter_map(|trend| trend["name"].as_str()).collect()
}

#[test]
fn what_begins_ends_and_rises_is_told_with_its_sentences() {
    let folder = tempfile::tempdir().expect("a folder");
    calls(folder.path());
    assert_eq!(run(folder.path(), &["index", "calls", "-q"]).code, 0);
    let trends = trends_json(folder.path(), &[]);
    assert_eq!(trends["every"], "quarter");
    assert_eq!(trends["periods"].as_array().map(Vec::len), Some(12));
    assert_eq!(trends["undated"]["documents"], serde_json::json!(["calls/note.txt"]));
    assert_eq!(names(&trends["new"])[0], "Beck Engine", "{trends}");
    assert_eq!(names(&trends["rising"])[0], "Beck Engine", "{trends}");
    assert_eq!(names(&trends["gone"])[0], "Fell Sail", "{trends}");
    for list in ["rising", "falling", "new", "gone"] {
        let told = names(&trends[list]);
        for name in ["Tarn Boat", "Ann Lee", "Bob Ray", "ANN LEE", "Fells Bank", "Mere Works"] {
            assert!(!told.contains(&name), "{name} in {list}: {told:?}");
        }
    }
    let beck = &trends["new"][0];
    assert_eq!(beck["since"], "2021-Q4");
    assert_eq!(beck["curve"].as_array().map(Vec::len), beck["periods"].as_array().map(Vec::len));
    let sources = beck["sources"].as_array().expect("a list");
    assert_eq!(sources.len(), 5, "one a period: {sources:?}");
    for source in sources {
        let text = std::fs::read_to_string(folder.path().join(source["document"].as_str().expect("a key")))
            .expect("the document");
        let at = |key: &str| usize::try_from(source[key].as_u64().expect("a number")).expect("small");
        let there: String = text.chars().skip(at("start")).take(at("end") - at("start")).collect();
        assert_eq!(there, source["text"].as_str().expect("a text"));
        assert!(there.contains("Beck Engine") && source["date"]["granularity"] == "quarter", "{source}");
    }
}

#[test]
fn a_window_a_name_and_a_report_can_be_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    calls(folder.path());
    assert_eq!(run(folder.path(), &["index", "calls", "-q"]).code, 0);
    // the sail had gone before, and the engine was there
    let trends = trends_json(folder.path(), &["--from", "2022", "--to", "2022"]);
    assert_eq!(trends["periods"][0]["label"], "2022-Q1");
    assert!(!names(&trends["gone"]).contains(&"Fell Sail"), "{trends}");
    assert!(!names(&trends["new"]).contains(&"Beck Engine"), "{trends}");
    let about = trends_json(folder.path(), &["--about", "tarn boat"]);
    assert_eq!(names(&about["about"]), ["Tarn Boat"]);
    assert!(about["about"][0]["sentiment"].as_array().is_some_and(|list| list.len() == 12), "{about}");
    for file in ["t.html", "t.md", "t.svg"] {
        assert_eq!(run(folder.path(), &["trends", "-q", "-o", file]).code, 0);
        let text = std::fs::read_to_string(folder.path().join(file)).expect("a report");
        assert!(text.contains("Beck Engine"), "{file}: {text}");
    }
    for (arguments, code, told) in [
        (["-o", "t.doc"], 2, ".html, .md or .svg"),
        (["--about", "Nobody Known"], 2, "no entity or community is called"),
        (["--from", "2040"], 1, "no document lies in that time"),
    ] {
        let refused = run(folder.path(), &[&["trends"], arguments.as_slice()].concat());
        assert_eq!(refused.code, code, "{}", refused.stderr);
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
    }
    let shown = run(folder.path(), &["trends"]);
    assert!(shown.stdout.contains("Rising") && shown.stdout.contains('█'), "{}", shown.stdout);
}

#[test]
fn chapters_are_a_time_too_and_documents_without_dates_are_told_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut book = String::new();
    for chapter in 1..=12 {
        book.push_str(&format!("# Chapter {chapter}\n\nMara Finch walked to town {chapter} times.\n\n"));
        for day in 0..250 {
            book.push_str(&format!("On day {day} of month {chapter} rain fell on field {day}. "));
        }
        book.push_str("\n\n");
        if chapter > 7 {
            book.push_str(&format!(
                "Otto Brandt came on day {chapter}. Otto Brandt sang {chapter} songs. Nobody stopped Otto Brandt.\n\n"
            ));
        }
    }
    std::fs::write(folder.path().join("book.md"), book).expect("written");
    assert_eq!(run(folder.path(), &["index", "book.md", "-q"]).code, 0);
    let refused = run(folder.path(), &["trends"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("--every chapter"), "{}", refused.stderr);
    let trends = trends_json(folder.path(), &["--every", "chapter"]);
    assert_eq!(trends["periods"].as_array().map(Vec::len), Some(12), "{trends}");
    assert_eq!(names(&trends["new"])[0], "Otto Brandt");
}

#[test]
fn a_watch_says_what_has_come() {
    let folder = tempfile::tempdir().expect("a folder");
    calls(folder.path());
    assert_eq!(run(folder.path(), &["index", "calls", "-q"]).code, 0);
    let watch =
        |when: &str, name: &str| format!("[[trends.watch]]\nentity = \"{name}\"\nwhen = \"{when}\"\n");
    let settings =
        [watch("rising", "Beck Engine"), watch("gone", "Tarn Boat"), watch("new", "Unknown")].concat();
    std::fs::write(folder.path().join("graphwright.toml"), settings).expect("written");
    let trends = trends_json(folder.path(), &[]);
    assert_eq!(names(&trends["watched"]), ["Beck Engine"], "{trends}");
    assert_eq!(trends["watched"][0]["when"], "rising");
    assert!(trends["watched"][0]["source"]["text"].as_str().is_some_and(|text| text.contains("Beck Engine")));

    std::fs::write(folder.path().join("graphwright.toml"), watch("sometimes", "Tarn Boat")).expect("written");
    let refused = run(folder.path(), &["trends"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("sentiment below -0.3"), "{}", refused.stderr);
}

#[test]
fn what_comes_between_two_runs_is_told_once() {
    let folder = tempfile::tempdir().expect("a folder");
    calls(folder.path());
    add(folder.path(), "Call2020Q3.txt", "The Tarn Boat is terrible.");
    let settings = "[[trends.watch]]\nentity = \"Tarn Boat\"\nwhen = \"sentiment below -0.1\"\n\n\
        [[trends.watch]]\nentity = \"Ottermere\"\nwhen = \"new\"\n";
    std::fs::write(folder.path().join("graphwright.toml"), settings).expect("written");
    assert_eq!(run(folder.path(), &["index", "calls", "-q"]).code, 0);
    let periods = || {
        let trends = trends_json(folder.path(), &[]);
        let watched = trends["watched"].as_array().cloned().unwrap_or_default();
        watched.iter().map(|one| one["period"].as_str().expect("a period").to_owned()).collect::<Vec<_>>()
    };
    assert!(periods().is_empty(), "what was there when it was set is known");
    // three periods that are over and that the last run saw otherwise
    add(folder.path(), "Call2021Q2.txt", "Owners hate the Tarn Boat.");
    add(folder.path(), "Call2022Q2.txt", "The Tarn Boat is a horrible failure.");
    add(folder.path(), "Call2021Q4.txt", "Ottermere opened a yard. Ottermere builds hulls.");
    assert_eq!(run(folder.path(), &["index", "calls", "-q"]).code, 0);
    let page = run(folder.path(), &["trends", "--to", "2021-Q1"]);
    assert!(!page.stdout.contains("Watched"), "what lies behind a window waits: {}", page.stdout);
    assert_eq!(periods(), ["2021-Q2", "2022-Q2", "2021-Q4"]);
    assert!(periods().is_empty(), "it was told");
    // a query asks the same records and takes nothing away
    std::fs::remove_file(folder.path().join(".graphwright/default.watches.json")).expect("kept");
    assert_eq!(run(folder.path(), &["query", "What is new since 2022?", "-q"]).code, 0);
    assert!(!folder.path().join(".graphwright/default.watches.json").exists());
}

#[test]
fn what_is_said_otherwise_is_told_with_both_sentences_and_a_report_compares_two_times() {
    let folder = tempfile::tempdir().expect("a folder");
    calls(folder.path());
    let add = |file: &str, sentence: &str| add(folder.path(), file, sentence);
    add(
        "Call2020Q2.txt",
        "The Tarn Boat has 400 owners in total. The Tarn Boat has 30 owners in Wick. Reviewers said the Tarn Boat is slow.",
    );
    add("Call2022Q4.txt", "The Tarn Boat has 950 owners now. The Tarn Boat is wonderful.");
    assert_eq!(run(folder.path(), &["index", "calls", "-q"]).code, 0);
    let about = trends_json(folder.path(), &["--about", "Tarn Boat"]);
    let found = &about["contradictions"][0];
    assert_eq!(
        (found["about"].as_str(), found["kind"].as_str()),
        (Some("owners"), Some("figure")),
        "{about}"
    );
    assert_eq!((&found["earlier"]["value"], &found["later"]["value"]), (&"400".into(), &"950".into()));
    assert!(found["earlier"]["source"]["text"].as_str().is_some_and(|text| text.contains("400 owners")));
    assert_eq!(found["later"]["source"]["document"], "calls/Call2022Q4.txt");

    let report = &trends_json(folder.path(), &["--from", "2022", "--to", "2022", "--report"])["report"];
    assert_eq!(report["of"], serde_json::json!(["2022-Q1", "2022-Q4"]));
    assert_eq!(report["against"], serde_json::json!(["2021-Q1", "2021-Q4"]));
    assert_eq!(names(&report["more"])[0], "Beck Engine", "{report}");
    let text = report["text"].as_str().expect("a text");
    assert!(text.contains("Beck Engine") && text.contains("[1]"), "{text}");
    let refused = run(folder.path(), &["trends", "--report"]);
    assert!(refused.stderr.contains("--against"), "{}", refused.stderr);

    let asked_of = run(folder.path(), &["query", "What is new since 2022?", "-q"]);
    assert!(asked_of.stdout.contains("Beck Engine"), "{}{}", asked_of.stdout, asked_of.stderr);

    let changed = run(folder.path(), &["query", "How did the Tarn Boat change?", "-q"]).stdout;
    assert!(changed.contains("950 owners") && changed.contains("400 owners"), "{changed}");
    // a report mixes all times: with a time, only its own texts are told
    let within =
        run(folder.path(), &["query", "--method", "global", "What is said?", "--from", "2022", "-q"]).stdout;
    assert!(within.contains("Call2022") && !within.contains("Call2021"), "{within}");

    let watches = "[[trends.watch]]\nentity = \"Tarn Boat\"\nwhen = \"claim contradicts\"\n\n\
        [[trends.watch]]\nquery = \"order shipyard\"\nwhen = \"rising\"\n";
    std::fs::write(folder.path().join("graphwright.toml"), watches).expect("written");
    let trends = trends_json(folder.path(), &[]);
    let fired: Vec<&str> = names(&trends["watched"]);
    assert_eq!(fired, ["order shipyard", "Tarn Boat"], "{trends}");
    assert!(!names(&trends["rising"]).contains(&"order shipyard"), "a query is told where it is waited for");
}

/// Gives points for each part that is read, and a report whose last citation nobody was shown.
struct Teller;

#[async_trait::async_trait]
impl ChatModel for Teller {
    fn describe(&self, _: ModelRole) -> String {
        "teller".to_owned()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let shown = request.messages.iter().map(|message| message.content.as_str()).collect::<String>();
        let text = if shown.contains("analysts") {
            "## Engines\n\nThe Beck Engine won orders [Data: Sources (1)], and more [Data: Sources (999)]."
                .to_owned()
        } else {
            assert!(shown.contains("2022-Q1 to 2022-Q4 against 2021-Q1 to 2021-Q4"), "{shown}");
            r#"{"points": [{"description": "The Beck Engine won orders [Data: Sources (1, 999)].", "score": 80}]}"#
                .to_owned()
        };
        Ok(ChatReply { text, ..ChatReply::default() })
    }
}

#[tokio::test]
async fn a_model_tells_a_report_from_what_changed_and_cites_what_is_there() {
    let mut index = TestIndex::new(&Pairing::embedded(), &fresh_workspace("times")).await;
    let folder = tempfile::tempdir().expect("a folder");
    calls(folder.path());
    for file in std::fs::read_dir(folder.path().join("calls")).expect("calls").flatten() {
        let text = std::fs::read_to_string(file.path()).expect("a text");
        index.write(&file.file_name().to_string_lossy(), &text);
    }
    index.index(&[]).await;
    let year = |text: &str| date_of(text, FiscalCalendar::default());
    let request = TrendRequest {
        from: year("2022"),
        to: year("2022"),
        top: 10,
        report: true,
        ..TrendRequest::default()
    };
    let progress = Progress::silent();
    let composed = trends(&index.services, &request, &progress).await.expect("trends");
    let mut told = composed.clone();
    let answer = tell_time(&index.services, &request, &progress, &mut told).await.expect("told");
    assert!(answer.is_none() && told.report.as_ref().is_some_and(|report| !report.by_model));
    index.services.chat = Some(Arc::new(Teller));
    let answer = tell_time(&index.services, &request, &progress, &mut told).await.expect("told");
    let report = told.report.as_ref().expect("a report");
    assert!(report.by_model, "{}", report.text);
    assert!(report.text.contains("The Beck Engine won orders [1], and more"), "{}", report.text);
    assert!(!report.text.contains("999") && !report.text.contains("[Data"), "{}", report.text);
    assert_eq!(report.sources.len(), 1, "{:?}", report.sources);
    assert!(report.sources[0].text.contains("Beck Engine won order"), "{:?}", report.sources);
    assert!(report.text.contains(&format!("[1] {}", report.sources[0].document)), "{}", report.text);
    assert!(answer.is_some_and(|answer| answer.citations_removed > 0));
    index.wipe().await;
}

#[test]
fn what_is_asked_about_is_counted_by_period_document_and_relationship() {
    let folder = tempfile::tempdir().expect("a folder");
    calls(folder.path());
    let add = |file: &str, sentence: &str| add(folder.path(), file, sentence);
    add("Call2020Q2.txt", "Reviewers said the Tarn Boat is terrible and slow.");
    add("Call2020Q2.txt", "Rosa Klein said that the Tarn Boat is a disaster.");
    add("Call2022Q4.txt", "The Tarn Boat is wonderful.");
    assert_eq!(run(folder.path(), &["index", "calls", "-q"]).code, 0);
    let told = trends_json(folder.path(), &["--about", "Tarn Boat"]);
    let opinions = told["opinions"].as_array().expect("opinions");
    let of_rosa: Vec<&Value> = opinions.iter().filter(|one| one["holder"] == "Rosa Klein").collect();
    let [opinion] = of_rosa.as_slice() else { panic!("{opinions:?}") };
    assert_eq!((&opinion["period"], &opinion["target"]), (&"2020-Q2".into(), &"Tarn Boat".into()));
    assert!(opinion["sentiment"].as_f64().expect("a number") < 0.0, "{opinion}");
    assert_eq!(opinion["quote"]["document"], "calls/Call2020Q2.txt", "{opinion}");
    assert!(opinion["quote"]["text"].as_str().is_some_and(|text| text.contains("disaster")), "{opinion}");
    let shown = run(folder.path(), &["trends", "--about", "Tarn Boat", "-q"]).stdout;
    assert!(shown.contains("Who thinks what:") && shown.contains("Rosa Klein on Tarn Boat: -"), "{shown}");
    // the entity says the same of all times
    let shown = run(folder.path(), &["entities", "show", "Tarn Boat", "-q"]).stdout;
    assert!(shown.contains("Rosa Klein on Tarn Boat: -") && shown.contains("is a disaster"), "{shown}");
    let entity = run(folder.path(), &["entities", "show", "Tarn Boat", "-q", "--json"]).stdout;
    let entity: Value = serde_json::from_str(&entity).expect("one JSON object");
    let of_entity = entity["opinions"].as_array().expect("opinions");
    assert_eq!(of_entity.len(), opinions.len(), "{entity}");
    assert!(of_entity.iter().zip(opinions).all(|(one, other)| one["quote"] == other["quote"]), "{entity}");
    assert_eq!(run(folder.path(), &["export", "out", "-q"]).code, 0);
    let mentions = std::fs::read_to_string(folder.path().join("out/mentions.jsonl")).expect("a table");
    assert!(
        mentions.contains("\"holder\":\"Rosa Klein\"") && mentions.contains("\"score\":-0."),
        "{mentions}"
    );
    let sums = &trends_json(folder.path(), &["--about", "Tarn Boat"])["sums"];
    let periods = sums["periods"].as_array().expect("periods");
    assert_eq!(periods.len(), 12, "{sums}");
    assert!(periods.iter().all(|period| period["documents"] == 1), "{sums}");
    let documents = sums["documents"].as_array().expect("documents");
    assert_eq!(documents[0]["name"], "calls/Call2020Q2.txt", "{sums}");
    assert_eq!(documents[documents.len() - 1]["name"], "calls/Call2022Q4.txt", "{sums}");
    let of = |place: usize| documents[place]["sentiment"].as_f64().expect("a number");
    assert!(of(0) < 0.0 && of(documents.len() - 1) > 0.0, "{sums}");
    assert!(sums["relationships"].is_array(), "{sums}");
    let whole = trends_json(folder.path(), &[]);
    assert!(whole.get("sums").is_none(), "only of what is asked about");
}
