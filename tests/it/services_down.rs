//! Services that are not there, hold us off, or are held by somebody else: one clear error, the right exit code.

use crate::support::{Pairing, TestIndex, fresh_workspace, pairings};
use std::path::Path;

fn run(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = crate::program::command(folder, arguments).output().expect("it runs");
    (output.status.code().unwrap_or(-1), String::from_utf8(output.stderr).expect("UTF-8"))
}

fn refused(folder: &Path, arguments: &[&str], code: i32, told: &[&str]) {
    let (got, stderr) = run(folder, arguments);
    assert_eq!(got, code, "{arguments:?}: {stderr}");
    for part in told {
        assert!(stderr.contains(part), "{arguments:?} should say {part:?}: {stderr}");
    }
    assert_eq!(stderr.matches("error:").count(), 1, "one error: {stderr}");
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "Bob Cratchit is the clerk of Ebenezer Scrooge.")
        .expect("written");
    folder
}

#[test]
fn stores_that_do_not_answer_are_named() {
    let folder = folder();
    refused(
        folder.path(),
        &["--graph", "neo4j://127.0.0.1:1", "index", "a.txt"],
        3,
        &["Neo4j", "127.0.0.1:1"],
    );
    refused(
        folder.path(),
        &["--vectors", "http://127.0.0.1:1", "index", "a.txt"],
        3,
        &["Qdrant", "127.0.0.1:1"],
    );
    refused(folder.path(), &["--graph", "redis://127.0.0.1:1", "index", "a.txt"], 2, &["redis"]);
}

#[test]
fn a_data_folder_that_cannot_be_made_is_named() {
    let folder = folder();
    std::fs::write(folder.path().join("taken"), "a file").expect("written");
    refused(folder.path(), &["--data", "taken/data", "index", "a.txt"], 2, &["taken", "--data"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_writer_is_told_who_holds_the_workspace() {
    let index = TestIndex::new(&Pairing::embedded(), "default").await;
    let data = index.folder.path().join("data");
    let folder = folder();
    let arguments = ["--data", data.to_str().expect("UTF-8"), "index", "a.txt"];
    refused(folder.path(), &arguments, 1, &["default", &std::process::id().to_string()]);
    index.services.graph.unlock_writer().await.expect("unlocked");
    let (code, stderr) = run(folder.path(), &arguments);
    assert_eq!(code, 0, "{stderr}");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_workspaces_in_the_same_stores_never_touch_each_other() {
    for pairing in pairings() {
        let one = TestIndex::new(&pairing, &fresh_workspace("one")).await;
        let other = TestIndex::new(&pairing, &fresh_workspace("other")).await;
        one.write(
            "a.txt",
            "Bob Cratchit is the clerk of Ebenezer Scrooge. Tiny Tim is the son of Bob Cratchit.",
        );
        other
            .write("a.txt", "Bob Cratchit met Mr. Fezziwig in London. Tiny Tim was there with Bob Cratchit.");
        one.index(&[]).await;
        let before = one.export().await;
        other.index(&[]).await;
        other.remove(&["a.txt"]).await;
        other.wipe().await;
        assert_eq!(before, one.export().await);
        one.wipe().await;
    }
}

/// Passes bytes on to a service until it is told to hold them all; the service then seems to have gone away.
struct Wire {
    address: String,
    held: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

impl Wire {
    async fn to(url: &str) -> Self {
        let (_, service) = url.split_once("://").expect("a URL");
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let held = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let (service, switch) = (service.trim_end_matches('/').to_owned(), std::sync::Arc::clone(&held));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = tokio::net::TcpStream::connect(&service).await else { continue };
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                tokio::spawn(pass_on(from_client, to_server, std::sync::Arc::clone(&switch)));
                tokio::spawn(pass_on(from_server, to_client, std::sync::Arc::clone(&switch)));
            }
        });
        Self { address, held }
    }

    fn hold(&self, held: bool) {
        self.held.store(held, std::sync::atomic::Ordering::SeqCst);
    }
}

async fn pass_on(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    held: std::sync::Arc<std::sync::atomic::AtomicBool>,
) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut bytes = vec![0; 65536];
    while let Ok(count) = from.read(&mut bytes).await {
        if held.load(std::sync::atomic::Ordering::SeqCst) {
            continue;
        }
        if count == 0 || to.write_all(&bytes[..count]).await.is_err() {
            break;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_goes_away_in_the_middle_of_questions_is_named_within_its_limit() {
    for pairing in pairings() {
        let (scheme, url) = match (&pairing.graph, &pairing.vectors) {
            (Some(url), None) => ("neo4j", url.clone()),
            (None, Some(url)) => ("http", url.clone()),
            _ => continue,
        };
        let wire = Wire::to(&url).await;
        let through = Some(format!("{scheme}://{}", wire.address));
        let mut config = graphwright::config::Config::default();
        config.graph.timeout_s = 2;
        config.vectors.timeout_s = 2;
        let pairing = if scheme == "neo4j" {
            Pairing { graph: through, vectors: None }
        } else {
            Pairing { graph: None, vectors: through }
        };
        let index = TestIndex::with(&pairing, &fresh_workspace("away"), config).await;
        index.write("a.txt", "Bob Cratchit is the clerk of Ebenezer Scrooge.");
        index.index(&[]).await;
        let request = graphwright::query::QueryRequest {
            question: "Who is Bob Cratchit?".to_owned(),
            ..graphwright::query::QueryRequest::default()
        };
        let answer =
            graphwright::query::query(&index.services, &request, &mut |_| {}).await.expect("an answer");
        assert!(answer.answer.contains("clerk"), "{}", answer.answer);
        // so that the workspace can be wiped in the end
        index.services.graph.unlock_writer().await.expect("unlocked");
        wire.hold(true);
        let limit = std::time::Duration::from_mins(1);
        let mut ignore = |_: &str| {};
        let late =
            tokio::time::timeout(limit, graphwright::query::query(&index.services, &request, &mut ignore));
        let error = format!("{:#}", late.await.expect("within its limit").expect_err("nothing answers"));
        let named = if scheme == "neo4j" { "Neo4j at" } else { "Qdrant at" };
        assert!(error.contains(named) && error.contains(&wire.address), "{error}");
        wire.hold(false);
        let direct = if scheme == "neo4j" {
            Pairing { graph: Some(url), vectors: None }
        } else {
            Pairing { graph: None, vectors: Some(url) }
        };
        TestIndex::new(&direct, index.services.ids.workspace()).await.wipe().await;
    }
}
