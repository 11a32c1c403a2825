//! Nothing is paid for twice and nothing is lost: failing endpoints, budgets, the ledger, dry runs, the cache.

use crate::scripted_endpoint::{self, Seen};
use crate::support::{Pairing, TestIndex, assert_equal_exports, fresh_workspace, with_fresh_communities};
use graphwright::config::{Config, EmbeddingProvider, NameResolution, Provider, ReportStyle, Secret};
use graphwright::domain::{Counters, Ids};
use graphwright::index::estimate;
use graphwright::index::run::{self, IndexReport, IndexRequest};
use graphwright::progress::Progress;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The beginning of the Carol: some forty small text units.
fn text() -> String {
    include_str!("../fixtures/sample/a-christmas-carol.txt").chars().take(14_000).collect()
}

fn config(address: &str, more: &str) -> Config {
    let text = format!(
        "[llm]\nprovider='openai'\nmodel='scripted'\nbase_url='{address}'\ntimeout_s=10\n{more}\n\
         [llm.extra_body]\nmetadata = {{ task = \"{{task}}\" }}\n[text_units]\nsize = 96\noverlap = 16\n"
    );
    let mut config = with_fresh_communities(Config::parse(&text).expect("valid"));
    config.llm.api_key = Secret::new("test-key");
    config.extraction.resolution = NameResolution::Rules;
    config.reports.style = ReportStyle::Paper;
    config
}

async fn index(config: Config, workspace: &str) -> TestIndex {
    let index = TestIndex::with(&Pairing::embedded(), workspace, config).await;
    index.write("carol.txt", &text());
    index
}

async fn run(index: &TestIndex, retry_failed: bool) -> IndexReport {
    let mut request = IndexRequest {
        paths: vec![index.folder.path().join("documents").display().to_string()],
        retry_failed,
        ..IndexRequest::default()
    };
    request.discover.sources = vec![("docs".to_owned(), index.folder.path().join("documents"))];
    run::index(&index.services, &request, &Progress::silent()).await.expect("a run that ends")
}

/// Records of every unit that is done, by id.
async fn records(index: &TestIndex) -> BTreeMap<String, String> {
    let units = index.services.graph.text_units(None, 10_000).await.expect("read");
    units
        .into_iter()
        .filter(|unit| unit.state.extraction.is_some() && unit.state.error.is_none())
        .map(|unit| (unit.unit.id.to_string(), format!("{:?}", unit.state.records)))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_endpoint_costs_nothing_twice_and_leaves_the_calm_graph() {
    let (address, seen) = scripted_endpoint::start().await;
    let workspace = fresh_workspace("failing");
    let calm = index(config(&address, "cache = false"), &workspace).await;
    let report = run(&calm, false).await;
    assert!(report.problems.is_empty() && report.counts.text_units > 30, "{report:?}");
    let (expected, calm_records) = (calm.export().await, records(&calm).await);
    let seen_calm = seen.replies();
    calm.wipe().await;

    // few retries: some units are given up, by name
    let (address_again, seen) = (address, again(&seen));
    seen.failing.store(true, Ordering::SeqCst);
    let failing = index(config(&address_again, "retries = 1"), &workspace).await;
    let mut report = run(&failing, false).await;
    let faults = seen.faults();
    for kind in ["429", "500", "dropped", "garbage"] {
        assert!(faults.get(kind).is_some_and(|count| *count > 0), "{kind} never came: {faults:?}");
    }
    assert!(report.failed > 0, "with one retry some units fail: {faults:?}");
    let done = records(&failing).await;
    assert_eq!(done.len() as u64 + report.failed, report.counts.text_units, "each is done or failed");
    assert!(report.problems.iter().any(|problem| problem.starts_with("docs/carol.txt unit ")), "{report:?}");
    assert!(done.iter().all(|(id, records)| calm_records.get(id) == Some(records)), "as in the calm run");
    for _ in 0..20 {
        if report.problems.is_empty() {
            break;
        }
        report = run(&failing, true).await;
    }
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    assert_equal_exports(&expected, &failing.export().await, "after the failures");
    assert_eq!(seen.paid_twice(), 0, "{} replies, calm {seen_calm}", seen.replies());
    failing.wipe().await;
}

/// The calm run's replies do not count against the failing one.
fn again(seen: &Arc<Seen>) -> Arc<Seen> {
    seen.forget();
    Arc::clone(seen)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_stops_cleanly_and_the_next_run_goes_on_without_paying_again() {
    let (address, seen) = scripted_endpoint::start().await;
    let workspace = fresh_workspace("budget");
    // 150 tokens a call, as the endpoint reports them
    let stopped = index(config(&address, "concurrency = 4\n[budget]\nmax_tokens = 3000"), &workspace).await;
    let report = run(&stopped, false).await;
    let reason = report.stopped.clone().expect("stopped");
    assert!(reason.contains("of 3000 tokens are spent") && reason.contains("--max-tokens"), "{reason}");
    let spent: u64 = report.ledger.iter().map(|r| r.counters.input_tokens + r.counters.output_tokens).sum();
    // calls in flight hold back some 700 tokens each, so how much is left over hangs on how late the replies are
    assert!((150..=3000).contains(&spent), "{spent}");
    assert_eq!((report.failed, report.problems.len()), (0, 0), "{:?}", report.problems);
    let done = records(&stopped).await.len() as u64;
    assert!(done > 0 && done < report.counts.text_units, "{done} of {}", report.counts.text_units);
    let mut runs = 1;
    loop {
        // a new process has a new budget
        let services = graphwright::services::connect(
            stopped.services.config.clone(),
            &stopped.services.data_dir,
            &workspace,
            graphwright::services::Access::Write,
        );
        stopped.services.graph.unlock_writer().await.expect("unlocked");
        let next = TestIndexView { services: services.await.expect("connected") };
        let report = next.run(&stopped).await;
        runs += 1;
        next.services.graph.unlock_writer().await.expect("unlocked");
        if report.stopped.is_none() {
            break;
        }
        assert!(runs < 30, "it never ends");
    }
    assert!(runs > 2);
    assert_eq!(seen.paid_twice(), 0);
    let stored = stopped.services.graph.ledger().await.expect("read");
    let mut total = Counters::default();
    for row in &stored {
        total.add(&row.counters);
    }
    assert_eq!(total.calls, seen.replies(), "the ledger holds the calls of all {runs} processes");
    stopped.wipe().await;
}

struct TestIndexView {
    services: graphwright::services::Services,
}

impl TestIndexView {
    async fn run(&self, of: &TestIndex) -> IndexReport {
        let mut request = IndexRequest {
            paths: vec![of.folder.path().join("documents").display().to_string()],
            ..IndexRequest::default()
        };
        request.discover.sources = vec![("docs".to_owned(), of.folder.path().join("documents"))];
        run::index(&self.services, &request, &Progress::silent()).await.expect("a run that ends")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_counts_and_asks_nobody() {
    let (address, seen) = scripted_endpoint::start().await;
    let workspace = fresh_workspace("dry");
    let config = config(&address, "[llm.prices.scripted]\ninput = 1.0\noutput = 2.0");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("carol.txt");
    std::fs::write(&file, text()).expect("written");
    let mut request = IndexRequest { paths: vec![file.display().to_string()], ..IndexRequest::default() };
    request.discover.sources = vec![("docs".to_owned(), folder.path().to_owned())];
    let ids = Ids::new(&workspace);
    let before = estimate::estimate(&config, &ids, None, &request).await.expect("estimated");
    assert_eq!(seen.replies(), 0, "nobody was asked");
    let index = index(config.clone(), &workspace).await;
    let report = run(&index, false).await;
    let calls = |stage: &str| before.stages.iter().find(|s| s.stage == stage).map_or(0, |s| s.calls);
    let ran: u64 = report
        .ledger
        .iter()
        .filter(|row| row.stage() == "extraction")
        .map(|row| row.counters.calls + row.counters.cached)
        .sum();
    assert_eq!(before.text_units, report.counts.text_units);
    // whether a first reply leaves anything out is not known before: that it does is counted
    assert!((ran..=2 * ran).contains(&calls("extraction")), "{} foretold, {ran} made", calls("extraction"));
    assert!(before.cost > 0.0 && before.without_price.is_empty());
    let graph = index.services.graph.as_ref();
    let after = estimate::estimate(&config, &ids, Some(graph), &request).await.expect("estimated");
    assert_eq!((after.text_units, after.calls, after.documents_unchanged), (0, 0, 1));
    let again = IndexRequest { refresh: true, ..request };
    let anew = estimate::estimate(&config, &ids, Some(graph), &again).await.expect("estimated");
    assert_eq!(anew.text_units, before.text_units);
    assert!(!anew.learnt_from_ledger.is_empty(), "its own replies are the measure now");
    index.wipe().await;
}

#[tokio::test]
async fn a_dry_run_counts_what_is_switched_on_besides() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["one.txt", "two.txt"] {
        std::fs::write(folder.path().join(name), format!("Ebenezer Scrooge met {name} in London."))
            .expect("written");
    }
    let request =
        IndexRequest { paths: vec![folder.path().display().to_string()], ..IndexRequest::default() };
    let mut config = config("http://localhost:1", "");
    let calls = async |config: &Config| -> BTreeMap<&'static str, u64> {
        let told = estimate::estimate(config, &Ids::new("besides"), None, &request).await.expect("estimated");
        told.stages.iter().map(|stage| (stage.stage, stage.calls)).collect()
    };
    let plain = calls(&config).await;
    assert!(!plain.contains_key("resolution") && !plain.contains_key("atomic facts"), "{plain:?}");
    config.extraction.resolution = NameResolution::Model;
    config.embeddings.provider = EmbeddingProvider::Remote(Provider::OpenAi);
    config.raptor.enabled = Some(true);
    config.reader.enabled = Some(true);
    let besides = calls(&config).await;
    // a chunk each; a leaf each and so no summary below the one of both roots
    let counted = ["resolution", "atomic facts", "summary trees"].map(|stage| besides.get(stage).copied());
    assert_eq!(counted, [Some(1), Some(2), Some(1)], "{besides:?}");
    assert_eq!(besides.get("extraction"), plain.get("extraction"));
}

mod program {
    //! The program itself, killed and side by side.

    use super::text;
    use crate::program::command;
    use crate::scripted_endpoint;
    use std::path::Path;
    use std::process::{Child, Stdio};
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    fn folder(address: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let configuration = format!(
            "[llm]\nprovider = 'openai'\nmodel = 'scripted'\nbase_url = '{address}'\napi_key = 'k'\nconcurrency = 3\n\
             [llm.extra_body]\nmetadata = {{ task = '{{task}}' }}\n[text_units]\nsize = 96\noverlap = 16\n"
        );
        std::fs::write(folder.path().join("graphwright.toml"), configuration).expect("written");
        std::fs::write(folder.path().join("carol.txt"), text()).expect("written");
        folder
    }

    fn start(folder: &Path, workspace: &str) -> Child {
        command(folder, &["--workspace", workspace, "index", "carol.txt", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started")
    }

    async fn end(child: Child) -> serde_json::Value {
        let output = tokio::task::spawn_blocking(move || child.wait_with_output())
            .await
            .expect("joined")
            .expect("ended");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{told}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_cache_outlives_kill_nine_and_serves_two_processes() {
        let (address, seen) = scripted_endpoint::start().await;
        let folder = folder(&address);
        seen.latency_ms.store(40, Ordering::SeqCst);
        let mut killed = start(folder.path(), "one");
        while seen.replies() < 25 {
            tokio::time::sleep(Duration::from_millis(10)).await;
            assert!(killed.try_wait().expect("asked").is_none(), "it ended before it was killed");
        }
        killed.kill().expect("killed");
        killed.wait().expect("waited");
        let paid = seen.replies();
        let report = end(start(folder.path(), "one")).await;
        assert_eq!((report["failed"].as_u64(), report["stopped"].is_null()), (Some(0), true), "{report}");
        // three calls were under way
        assert!(seen.paid_twice() <= 3, "{} of {paid} paid twice", seen.paid_twice());
        let of_texts =
            || ["extract_graph", "glean_continue", "repair_reply"].map(|task| seen.replies_to(task));
        let before = of_texts();

        // what was extracted is in the cache now: two at once, in workspaces of their own, pay for no text again; only
        // communities, which the ids of a workspace order, may be others and want reports of their own
        let (two, three) = (start(folder.path(), "two"), start(folder.path(), "three"));
        let (two, three) = (end(two).await, end(three).await);
        assert_eq!((&two["entities"], &three["entities"]), (&report["entities"], &report["entities"]));
        assert!(before[0] > 0);
        assert_eq!(of_texts(), before, "nothing is paid for twice");

        // and two at once with an empty one write it together
        let size = |what: &str| {
            let output = command(folder.path(), &["cache", what, "--json"]).output().expect("it runs");
            serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON")
        };
        let kept = size("status")["replies"].as_u64().expect("a number");
        assert_eq!(size("clear")["forgotten"], kept);
        assert_eq!(size("status")["bytes"], 0);
        seen.forget();
        let (four, five) = (start(folder.path(), "four"), start(folder.path(), "five"));
        let (four, five) = (end(four).await, end(five).await);
        assert_eq!((&four["entities"], &five["entities"]), (&report["entities"], &report["entities"]));
        let stored = size("status")["replies"].as_u64().expect("a number");
        assert!(stored >= seen.requests() && stored > 0, "no reply is lost: {stored} of {}", seen.requests());
    }

    fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = command(folder, arguments).output().expect("it runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    #[test]
    fn prompts_are_written_out_changed_and_checked() {
        let folder = tempfile::tempdir().expect("a folder");
        let (code, listed, _) = run(folder.path(), &["prompts"]);
        assert_eq!(code, Some(0));
        assert!(
            ["extract_graph", "variables: text, ", " title?"].iter().all(|part| listed.contains(part)),
            "{listed}"
        );
        let (code, _, told) = run(folder.path(), &["prompts", "export", "mine"]);
        assert_eq!(code, Some(0), "{told}");
        let file = folder.path().join("mine/rate_reports.md");
        let changed = std::fs::read_to_string(&file).expect("written") + "\nBe strict.\n";
        std::fs::write(&file, &changed).expect("written");
        std::fs::write(folder.path().join("graphwright.toml"), "[llm]\nprompts = 'mine'\n").expect("written");
        let (code, shown, told) = run(folder.path(), &["prompts", "show", "rate_reports"]);
        assert_eq!((code, shown.trim_end()), (Some(0), changed.trim_end()), "{told}");
        let (_, _, told) = run(folder.path(), &["prompts", "export", "mine"]);
        assert!(told.contains("that were there left alone"), "{told}");
        assert_eq!(std::fs::read_to_string(&file).expect("still there"), changed);
        std::fs::write(&file, "Rate {{ reports }} for {{ qestion }}").expect("written");
        let (code, _, told) = run(folder.path(), &["prompts"]);
        assert_eq!(code, Some(2), "{told}");
        assert!(told.contains("rate_reports.md") && told.contains("unknown variable qestion"), "{told}");
        let (code, _, told) = run(folder.path(), &["--config", "none.toml", "prompts", "show", "x"]);
        assert!(code != Some(0), "{told}");
    }

    #[test]
    fn a_limit_in_dollars_needs_prices_and_a_dry_run_needs_nothing() {
        let folder = folder("http://127.0.0.1:1/v1");
        let (code, _, told) = run(folder.path(), &["index", "carol.txt", "--max-cost", "1"]);
        assert_eq!(code, Some(2), "{told}");
        assert!(told.contains("[llm.prices.\"scripted\"]"), "{told}");
        let (code, shown, told) = run(folder.path(), &["index", "carol.txt", "--dry-run"]);
        assert_eq!(code, Some(0), "{told}");
        assert!(shown.contains("extraction") && shown.contains("no price for scripted"), "{shown}");
        assert!(!folder.path().join(".graphwright").exists(), "nothing is written");
    }
}
