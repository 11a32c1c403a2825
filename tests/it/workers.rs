//! Several `graphwright index` on one workspace in Neo4j, some of which are killed or stopped: one graph, nothing paid
//! for twice but what was in flight, one budget.

use crate::interrupts::signal;
use crate::program::{Place, Run};
use crate::scripted::Endpoint;
use crate::support::{Pairing, assert_equal_exports, assert_vectors_follow, fresh_workspace, pairings};
use graphwright::config::Config;
use graphwright::domain::{Role, Stage, Worker};
use graphwright::services::{self, Access, Services};
use std::fmt::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Calls at once of each worker.
const CONCURRENCY: usize = 2;
/// Tokens of a scripted call, prompt and reply.
const TOKENS_A_CALL: usize = 150;
/// Text units, each of which takes two calls.
const UNITS: usize = 48;
/// How long a call takes while workers come, and when all are there.
const SLOW: Duration = Duration::from_secs(1);
const FAST: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_mins(1);

/// A corpus and a model that takes its time, in a workspace of Neo4j and Qdrant.
struct Scene {
    place: Place,
    endpoint: Endpoint,
    workspace: String,
    stores: [String; 2],
    watcher: Services,
}

impl Scene {
    async fn new(name: &str) -> Option<Self> {
        let pairing = pairings().into_iter().find(|p| p.graph.is_some() && p.vectors.is_some())?;
        let Pairing { graph: Some(graph), vectors: Some(vectors) } = &pairing else { return None };
        let (place, endpoint) = (Place::new(), Endpoint::start().await);
        let people = ["Bob Cratchit", "Ebenezer Scrooge", "Jacob Marley", "Tiny Tim", "Fezziwig", "Liu Bei"];
        for document in 0..UNITS / 8 {
            let mut text = String::new();
            for number in 0..8 {
                let (one, other) = (people[number % 5], people[(number + document) % 5 + 1]);
                let day = document * 8 + number;
                write!(text, "On day {day} it was {one} who met {other} by the river again.\n\n").unwrap();
            }
            place.write(&format!("docs/{document}.txt"), &text);
        }
        let settings = "[text_units]\nsize = 20\noverlap = 0\n[graph]\nlease_s = 3\n";
        place.write("graphwright.toml", &format!("{}{settings}", endpoint.toml(CONCURRENCY)));
        let workspace = fresh_workspace(name);
        let mut config = Config::default();
        (config.graph.url, config.vectors.url) = (Some(graph.clone()), Some(vectors.clone()));
        let services = Box::pin(services::connect(config, &place.data(), &workspace, Access::Write)).await;
        let watcher = services.expect("connected");
        watcher.graph.unlock_writer().await.expect("unlocked");
        let stores = [graph.clone(), vectors.clone()];
        Some(Self { place, endpoint, workspace, stores, watcher })
    }

    /// The arguments of a worker with a cache of its own, as on another machine.
    fn arguments<'a>(&'a self, number: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let place = ["--workspace", &self.workspace, "--data", number];
        let stores = ["--graph", &self.stores[0], "--vectors", &self.stores[1]];
        [&place[..], &stores, more].concat()
    }

    fn start(&self, number: usize, more: &[&str]) -> Child {
        let number = number.to_string();
        let mut command = self.place.command(&self.arguments(&number, &[&["index", "docs"], more].concat()));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    }

    /// Starts so many workers and waits until each has text units, and so calls in flight.
    async fn start_all(&self, count: usize, more: &[&str]) -> Vec<Child> {
        self.endpoint.answer_after(SLOW);
        let mut children: Vec<Child> = (0..count).map(|number| self.start(number, more)).collect();
        until("all have text units", async || {
            assert_running(&mut children);
            let workers = self.workers().await;
            workers.len() == count && workers.iter().all(|worker| worker.text_units > 0)
        })
        .await;
        children
    }

    async fn workers(&self) -> Vec<Worker> {
        self.watcher.graph.workers().await.expect("read")
    }

    /// The export of one worker that nobody disturbs, and how many calls it takes.
    fn undisturbed(&self) -> (std::collections::BTreeMap<String, String>, usize) {
        let alone = self.arguments("alone", &[]);
        let embedded = [&alone[..4], &["--graph", "embedded", "--vectors", "embedded"]].concat();
        self.place.json(&[&embedded[..], &["index", "docs"]].concat());
        let calls = self.endpoint.calls().len();
        self.endpoint.forget();
        (self.place.export_with(&embedded), calls)
    }

    async fn wipe(self) {
        self.watcher.vectors.wipe().await.expect("wiped");
        self.watcher.graph.wipe().await.expect("wiped");
    }
}

/// Waits until something holds.
async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Fails with what one that has ended said.
fn assert_running(children: &mut Vec<Child>) {
    let ended = children.iter_mut().position(|child| child.try_wait().expect("asked").is_some());
    let run = ended.map(|place| Run::of(children.swap_remove(place).wait_with_output().expect("it ended")));
    assert!(run.is_none(), "ended: {run:?}");
}

fn of(children: &mut Vec<Child>, worker: &Worker) -> Child {
    let place =
        children.iter().position(|child| worker.name.starts_with(&format!("process {} ", child.id())));
    children.swap_remove(place.expect("one of ours"))
}

#[tokio::test(flavor = "multi_thread")]
async fn four_workers_two_killed_and_one_stopped_leave_the_graph_of_one() {
    let Some(scene) = Scene::new("workers").await else { return };
    let (expected, calls) = scene.undisturbed();
    let mut children = scene.start_all(4, &[]).await;
    let status = scene.place.json(&scene.arguments("0", &["status"]));
    assert_eq!(status["workers"].as_array().expect("a list").len(), 4, "{}", status["workers"]);
    let workers = scene.workers().await;
    let (leaders, helpers): (Vec<_>, Vec<_>) = workers.iter().partition(|worker| worker.role == Role::Leads);
    assert_eq!((leaders.len(), helpers.len()), (1, 3), "{workers:?}");
    let stopped = of(&mut children, helpers[0]);
    signal(&stopped, "STOP");
    for worker in [leaders[0], helpers[1]] {
        let mut killed = of(&mut children, worker);
        killed.kill().expect("killed");
        killed.wait().expect("it ended");
    }
    scene.endpoint.answer_after(FAST);
    // what the stopped one was told meanwhile comes too late
    until("the last one has read all the others' text units", async || {
        assert_running(&mut children);
        scene.watcher.graph.pending_units(Stage::Extraction, None, 1).await.expect("read").is_empty()
    })
    .await;
    signal(&stopped, "CONT");
    for child in children.into_iter().chain([stopped]) {
        let run = Run::of(child.wait_with_output().expect("it ends"));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let exported = scene.place.export_with(&scene.arguments("0", &[]));
    assert_equal_exports(&expected, &exported, "four workers");
    assert_vectors_follow(&scene.watcher, "four workers").await;
    // two calls a text unit
    let in_flight = 3 * CONCURRENCY * 2;
    let repeated = scene.endpoint.repeated();
    assert!(repeated <= in_flight, "{repeated} calls repeated, at most {in_flight} were in flight");
    assert!(repeated > 0, "somebody was disturbed");
    assert_eq!(scene.endpoint.calls().len() - repeated, calls, "and none is left out");
    assert!(scene.workers().await.is_empty());
    scene.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_binds_all_workers() {
    let Some(scene) = Scene::new("budget").await else { return };
    let budget = 6_000;
    let flags = ["--max-tokens", &budget.to_string()];
    let children = scene.start_all(3, &flags).await;
    scene.endpoint.answer_after(FAST);
    for child in children {
        let run = Run::of(child.wait_with_output().expect("it ends"));
        assert_eq!(run.code, Some(4), "{}", run.stderr);
        assert!(run.stderr.contains("the budget is used up"), "{}", run.stderr);
    }
    // each knows of the others' calls but those of the last quarter of a second and those in flight
    let spent = scene.endpoint.calls().len() * TOKENS_A_CALL;
    assert!(spent > budget / 2 && spent < budget * 3 / 2, "{spent} of {budget} tokens");
    scene.endpoint.answer_after(Duration::ZERO);
    let done = scene.place.json(&scene.arguments("0", &["index", "docs"]));
    assert_eq!((&done["failed"], &done["documents"]), (&0.into(), &(UNITS / 8).into()));
    scene.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_writes_alone_or_with_other_settings_is_kept_out_and_told_why() {
    let Some(scene) = Scene::new("kept_out").await else { return };
    let child = scene.start_all(1, &[]).await.remove(0);
    let removed = scene.place.run(&scene.arguments("9", &["remove", "docs/0.txt"]));
    assert_eq!(removed.code, Some(1), "{}", removed.stderr);
    let holder = format!("is being written by process {}", child.id());
    assert!(removed.stderr.contains(&holder), "{}", removed.stderr);
    let other = scene.place.run(&scene.arguments("9", &["index", "docs", "--warm"]));
    assert_eq!(other.code, Some(2), "{}", other.stderr);
    assert!(other.stderr.contains("[communities.warm]"), "{}", other.stderr);
    signal(&child, "INT");
    let run = Run::of(child.wait_with_output().expect("it ends"));
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    scene.wipe().await;
}
