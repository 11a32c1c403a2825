//! Ctrl-C, with real signals.

use crate::by_script;
use crate::program::{Place, Run};
use crate::scripted::Endpoint;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Starts an index run whose calls take their time, and waits until the model is asked.
async fn started(place: &Place, endpoint: &Endpoint) -> Child {
    place.write("graphwright.toml", &format!("{}\n[text_units]\nsize = 16\noverlap = 0\n", endpoint.toml(2)));
    place.write("docs/book.txt", &crate::scripted::TEXT.repeat(3));
    let mut command = place.command(&["index", "docs"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let begun = Instant::now();
    while endpoint.calls().is_empty() {
        assert!(begun.elapsed() < Duration::from_mins(1), "the model is never asked");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    child
}

pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
}

#[tokio::test(flavor = "multi_thread")]
async fn one_interrupt_ends_after_what_is_in_flight_and_the_next_run_goes_on() {
    for name in ["INT", "TERM"] {
        let (place, endpoint) = (Place::new(), Endpoint::slow(Duration::from_millis(300)).await);
        let child = started(&place, &endpoint).await;
        signal(&child, name);
        let run = Run::of(child.wait_with_output().expect("it ends"));
        assert_eq!(run.code, Some(130), "{}", run.stderr);
        assert!(run.stderr.contains("run the same command again to go on"), "{}", run.stderr);
        let paid = endpoint.calls().len();
        assert!(paid < 12, "{paid} calls: nothing new is begun");
        let report = place.json(&["index", "docs"]);
        assert_eq!(report["interrupted"], false);
        assert_eq!(endpoint.repeated(), 0, "what was in flight was finished and kept");
        assert!(endpoint.calls().len() > paid);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_was_stopped_among_its_reports_is_told_as_unfinished_until_the_next() {
    let (place, endpoint) = (Place::new(), Endpoint::start().await);
    place.write("graphwright.toml", &format!("{}\n[text_units]\nsize = 16\noverlap = 0\n", endpoint.toml(1)));
    place.write("docs/book.txt", &crate::scripted::TEXT.repeat(3));
    let mut command = place.command(&["index", "docs"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let begun = Instant::now();
    while !endpoint.tasks().contains(&"extract_graph".to_owned()) {
        assert!(begun.elapsed() < Duration::from_mins(1), "the model is never asked");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // the reports take their time
    endpoint.slow_down("community_report", Duration::from_secs(3));
    while !endpoint.tasks().contains(&"community_report".to_owned()) {
        assert!(begun.elapsed() < Duration::from_mins(1), "no report is asked for");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    signal(&child, "INT");
    assert_eq!(child.wait_with_output().expect("it ends").status.code(), Some(130));
    let status = place.json(&["status"]);
    assert_eq!((&status["pending"], &status["unfinished"]), (&0.into(), &true.into()));
    assert!(place.run(&["status"]).stdout.contains("run `graphwright index` again"));
    let estimate = place.json(&["index", "docs", "--dry-run"]);
    assert_eq!((&estimate["unfinished"], &estimate["text_units"]), (&true.into(), &0.into()));
    let doctor = place.json(&["doctor"]);
    assert_eq!(
        (&doctor["sound"], &doctor["waiting"]["communities"]),
        (&true.into(), &true.into()),
        "{doctor}"
    );
    endpoint.slow_down("community_report", Duration::ZERO);
    place.json(&["index", "docs"]);
    assert_eq!(place.json(&["status"])["unfinished"], false);
    assert_eq!(place.json(&["doctor"])["waiting"]["communities"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_that_a_failing_model_owes_are_told_alike_until_they_are_written() {
    let fails = Arc::new(AtomicBool::new(false));
    let failing = Arc::clone(&fails);
    let endpoint = by_script::Endpoint::start(move |task, messages| match task {
        "extract_graph" => family(&by_script::data(messages)).into(),
        _ if failing.load(Ordering::SeqCst) => by_script::Said::Status(503),
        _ => by_script::report().into(),
    })
    .await;
    let place = Place::new();
    place.write("graphwright.toml", &endpoint.toml());
    place.write("docs/alm.txt", "Alm is a village.");
    place.json(&["index", "docs"]);
    place.write("docs/birk.txt", "Birk is a village.");
    place.write("graphwright.toml", &(endpoint.toml() + "[communities]\nseed = 7\n"));
    fails.store(true, Ordering::SeqCst);
    assert_eq!(place.run(&["index", "docs"]).code, Some(4));
    let run = place.run(&["communities", "--fresh"]);
    assert_eq!(run.code, Some(4), "{}{}", run.stdout, run.stderr);

    assert_eq!(place.json(&["status"])["unfinished"], true);
    let told = place.run(&["status"]).stdout;
    assert!(told.contains("run `graphwright index` again"), "{told}");
    let estimate = place.json(&["index", "--dry-run"]);
    assert_eq!((&estimate["unfinished"], &estimate["calls"]), (&true.into(), &1.into()), "{estimate}");
    let doctor = place.json(&["doctor"]);
    assert_eq!(
        (&doctor["sound"], &doctor["waiting"]["communities"]),
        (&true.into(), &true.into()),
        "{doctor}"
    );

    // the advice works as it is typed
    fails.store(false, Ordering::SeqCst);
    let run = place.run(&["index"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert_eq!(place.json(&["status"])["unfinished"], false);
    assert_eq!(place.json(&["doctor"])["waiting"]["communities"], false);
    assert_eq!(place.json(&["index", "docs", "--dry-run"])["calls"], 0);
    assert_eq!(place.run(&["communities", "--fresh"]).code, Some(0));
}

/// Three people of one village who know each other.
fn family(text: &str) -> String {
    let name = text.split_whitespace().next().unwrap_or_default().to_owned();
    let people = ["Ann", "Bob", "Cid"].map(|given| format!("{given} {name}"));
    let mut lines: Vec<String> =
        people.iter().map(|one| format!("entity<|>{one}<|>person<|>{one} lives in {name}.<|>NONE")).collect();
    for (one, other) in [(0, 1), (1, 2), (0, 2)] {
        let (one, other) = (&people[one], &people[other]);
        lines.push(format!("relationship<|>{one}<|>{other}<|>knows<|>{one} knows {other}.<|>5"));
    }
    lines.push("<|COMPLETE|>".to_owned());
    lines.join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_interrupt_ends_at_once_and_the_next_run_goes_on() {
    let (place, endpoint) = (Place::new(), Endpoint::slow(Duration::from_mins(10)).await);
    let mut child = started(&place, &endpoint).await;
    signal(&child, "INT");
    let mut said = BufReader::new(child.stderr.take().expect("piped")).lines();
    assert!(said.any(|line| line.expect("UTF-8").contains("Ctrl-C again")), "it says that it is stopping");
    signal(&child, "INT");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let quick = Endpoint::start().await;
    place.write("graphwright.toml", &quick.toml(2));
    let report = place.json(&["index", "--refresh"]);
    assert_eq!((&report["interrupted"], &report["failed"]), (&false.into(), &0.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_has_never_answered_is_not_waited_for() {
    let (place, endpoint) = (Place::new(), Endpoint::slow(Duration::from_mins(1)).await);
    let child = started(&place, &endpoint).await;
    // after some seconds it is said that no answer came yet
    tokio::time::sleep(Duration::from_secs(5)).await;
    signal(&child, "INT");
    let run = Run::of(child.wait_with_output().expect("it ends"));
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert!(run.stderr.contains(" at http://127.0.0.1:"), "it names the endpoint: {}", run.stderr);
    assert!(run.stderr.contains("no answer yet after 3 s, Ctrl-C ends it"), "{}", run.stderr);
    assert!(run.stderr.contains("in 1 s at the latest"), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_import_leaves_an_empty_workspace_and_the_next_one_is_whole() {
    let (place, endpoint) = (Place::new(), Endpoint::slow(Duration::from_millis(300)).await);
    place.write("docs/book.txt", crate::scripted::TEXT);
    place.json(&["index", "docs"]);
    let run = place.run(&["export", "backup"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    std::fs::remove_dir_all(place.data()).expect("removed");
    place.write("graphwright.toml", &(endpoint.embeddings_toml() + "batch_size = 1\nconcurrency = 1\n"));
    let mut command = place.command(&["import", "backup", "--vectors-anew"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let begun = Instant::now();
    while endpoint.embedded() == 0 {
        assert!(begun.elapsed() < Duration::from_mins(1), "no vectors are made");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    signal(&child, "INT");
    let run = Run::of(child.wait_with_output().expect("it ends"));
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert!(run.stderr.contains("the workspace is as it was"), "{}", run.stderr);
    place.write("graphwright.toml", "");
    assert_eq!(place.json(&["status"])["documents"], 0);
    place.json(&["import", "backup"]);
    let export = place.export();
    for (name, text) in export {
        let before = std::fs::read_to_string(place.path().join("backup").join(&name)).expect("a file");
        assert!(before == text, "{name} differs");
    }
}
