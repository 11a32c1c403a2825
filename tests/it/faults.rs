//! Stores that fall silent, break off in the middle of a frame, answer slowly, or have no space left: one clear error
//! at most, and an index that goes on later.

use crate::program::{Place, Run};
use crate::support::{
    Pairing, TestIndex, assert_equal_exports, assert_vectors_follow, fresh_workspace, pairings,
};
use graphwright::config::Config;
use graphwright::index::run::{self, IndexRequest};
use graphwright::progress::Progress;
use graphwright::services::{self, Access};
use graphwright::stores::StoreError;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const BOOK: &str = include_str!("../fixtures/sample/three-kingdoms.txt");

/// Stands between graphwright and a store.
struct Proxy {
    port: u16,
    faults: Arc<Faults>,
}

#[derive(Default)]
struct Faults {
    /// So many bytes of answers come through; then every connection breaks, in the middle of what it says.
    bytes_left: AtomicI64,
    /// Connections that broke.
    cuts: AtomicU64,
    /// How long each piece of an answer is held back.
    delay_ms: AtomicU64,
}

impl Proxy {
    async fn to(target: &str) -> Self {
        let target = target.split("://").last().expect("an address").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let port = listener.local_addr().expect("an address").port();
        let faults = Arc::new(Faults { bytes_left: AtomicI64::new(i64::MAX), ..Faults::default() });
        let shared = Arc::clone(&faults);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (target, faults) = (target.clone(), Arc::clone(&shared));
                tokio::spawn(async move {
                    if let Ok(server) = TcpStream::connect(&target).await {
                        pass_on(client, server, &faults).await;
                    }
                });
            }
        });
        Self { port, faults }
    }

    /// Breaks off after so many bytes more; then all is well again.
    fn cut_after(&self, bytes: i64) {
        self.faults.bytes_left.store(bytes, Ordering::SeqCst);
    }
}

async fn pass_on(mut client: TcpStream, mut server: TcpStream, faults: &Faults) {
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.split();
    let asks = tokio::io::copy(&mut from_client, &mut to_server);
    let answers = async {
        let mut buffer = vec![0; 4096];
        while let Ok(count @ 1..) = from_server.read(&mut buffer).await {
            tokio::time::sleep(Duration::from_millis(faults.delay_ms.load(Ordering::SeqCst))).await;
            let left = faults.bytes_left.fetch_sub(i64::try_from(count).unwrap(), Ordering::SeqCst);
            let passed = usize::try_from(left.max(0)).unwrap().min(count);
            if to_client.write_all(&buffer[..passed]).await.is_err() {
                return;
            }
            if passed < count {
                faults.cuts.fetch_add(1, Ordering::SeqCst);
                faults.bytes_left.store(i64::MAX, Ordering::SeqCst);
                return;
            }
        }
    };
    tokio::select! {
        _ = asks => {}
        () = answers => {}
    }
}

/// A place whose graph and vectors are reached through proxies.
async fn behind_proxies(workspace: &str) -> Option<(TestIndex, Proxy, Proxy)> {
    let pairing = pairings().into_iter().find(|p| p.graph.is_some() && p.vectors.is_some())?;
    let (graph, vectors) = (pairing.graph.unwrap(), pairing.vectors.unwrap());
    let (graph, vectors) = (Proxy::to(&graph).await, Proxy::to(&vectors).await);
    let pairing = Pairing {
        graph: Some(format!("neo4j://127.0.0.1:{}", graph.port)),
        vectors: Some(format!("http://127.0.0.1:{}", vectors.port)),
    };
    let mut config = Config::default();
    config.text_units.size = 200;
    config.text_units.overlap = 0;
    config.graph.lease_s = 2;
    Some((TestIndex::with(&pairing, workspace, config).await, graph, vectors))
}

async fn index(index: &TestIndex) -> anyhow::Result<()> {
    let documents = index.folder.path().join("documents");
    let mut request =
        IndexRequest { paths: vec![documents.display().to_string()], ..IndexRequest::default() };
    request.discover.sources = vec![("docs".to_owned(), documents)];
    run::index(&index.services, &request, &Progress::silent()).await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_break_anywhere_lose_nothing() {
    let workspace = fresh_workspace("cut");
    let Some((cut, graph, vectors)) = behind_proxies(&workspace).await else { return };
    let undisturbed = Config { text_units: cut.services.config.text_units.clone(), ..Config::default() };
    let whole = TestIndex::with(&Pairing::embedded(), &workspace, undisturbed).await;
    let mut random = fastrand::Rng::with_seed(7);
    for round in 0..8 {
        let text = format!("{BOOK}\n\nRound {round}: Bob Cratchit met Tiny Tim in London.\n");
        cut.write("book.txt", &text);
        whole.write("book.txt", &text);
        let (proxy, reach) = if round % 2 == 0 { (&graph, 60_000) } else { (&vectors, 1_000) };
        let cuts = proxy.faults.cuts.load(Ordering::SeqCst);
        proxy.cut_after(random.i64(1..reach));
        if let Err(error) = index(&cut).await {
            let known = error.chain().find_map(|cause| cause.downcast_ref::<StoreError>());
            let known = known.unwrap_or_else(|| panic!("round {round}: {error:#}"));
            assert!(
                matches!(known, StoreError::Unreachable { .. } | StoreError::Busy { .. }),
                "round {round}: a store that breaks off is named as such: {error:#}"
            );
        }
        assert!(proxy.faults.cuts.load(Ordering::SeqCst) > cuts, "round {round}: nothing broke");
        index(&cut).await.expect("the next run goes on");
        whole.index(&[]).await;
        let what = format!("round {round}");
        assert_equal_exports(&whole.export().await, &cut.export().await, &what);
        assert_vectors_follow(&cut.services, &what).await;
    }
    whole.wipe().await;
    cut.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_answers_are_waited_for_up_to_the_time_limit() {
    let workspace = fresh_workspace("slow");
    let Some((slow, graph, vectors)) = behind_proxies(&workspace).await else { return };
    slow.write("book.txt", "Bob Cratchit met Tiny Tim in London.\n");
    for proxy in [&graph, &vectors] {
        proxy.faults.delay_ms.store(30, Ordering::SeqCst);
    }
    index(&slow).await.expect("slow is not broken");
    assert_vectors_follow(&slow.services, "slow").await;
    graph.faults.delay_ms.store(60_000, Ordering::SeqCst);
    let mut config = slow.services.config.clone();
    config.graph.timeout_s = 1;
    let folder = tempfile::tempdir().expect("a folder");
    let refused = Box::pin(services::connect(config, folder.path(), &workspace, Access::Read)).await;
    let told = format!("{:#}", refused.err().expect("silence is an error"));
    assert!(told.contains("no answer in 1 s") && told.contains("Neo4j"), "{told}");
    graph.faults.delay_ms.store(0, Ordering::SeqCst);
    vectors.faults.delay_ms.store(0, Ordering::SeqCst);
    slow.wipe().await;
}

/// Runs the program with a limit on the size of files, as a full disk would stop it.
fn run_with_limit(place: &Place, limit_kb: u32, arguments: &[&str]) -> Run {
    let program = place.command(&[]);
    let script = format!("trap '' XFSZ; ulimit -f {limit_kb}; exec \"$@\"");
    let mut command = std::process::Command::new("bash");
    command
        .current_dir(place.path())
        .args(["-c", &script, "bash"])
        .arg(program.get_program())
        .args(arguments);
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Run::of(command.output().expect("it runs"))
}

#[test]
fn a_disk_without_space_ends_in_one_clear_error_and_the_index_goes_on_later() {
    let place = Place::new();
    place.write("docs/book.txt", BOOK);
    place.write("docs/carol.txt", include_str!("../fixtures/sample/a-christmas-carol.txt"));
    let stopped = run_with_limit(&place, 700, &["index", "docs"]);
    assert!(matches!(stopped.code, Some(1 | 2)), "{:?}: {}", stopped.code, stopped.stderr);
    assert_eq!(stopped.stderr.matches("error:").count(), 1, "{}", stopped.stderr);
    assert!(
        stopped.stderr.contains("default.sqlite") && stopped.stderr.contains("space"),
        "{}",
        stopped.stderr
    );
    place.json(&["index", "docs"]);
    let export = place.export();
    std::fs::remove_dir_all(place.data()).expect("removed");
    place.json(&["index", "docs"]);
    assert_equal_exports(&export, &place.export(), "gone on after the disk was full");
}

#[test]
fn a_store_that_cannot_be_written_is_named_and_still_read() {
    let place = Place::new();
    place.write("docs/book.txt", BOOK);
    place.json(&["index", "docs"]);
    place.write("docs/book.txt", "Bob Cratchit met Tiny Tim in London.\n");
    // nothing may grow: every commit needs its log
    let stopped = run_with_limit(&place, 0, &["index", "docs"]);
    assert!(matches!(stopped.code, Some(1 | 2)), "{:?}: {}", stopped.code, stopped.stderr);
    assert_eq!(stopped.stderr.matches("error:").count(), 1, "{}", stopped.stderr);
    place.json(&["index", "docs"]);
    assert_eq!(place.json(&["status"])["documents"], 1);
}
