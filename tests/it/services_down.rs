//! Services that are not there, hold us off, or are held by somebody else: one clear error, the right exit code.

use crate::support::{Pairing, TestIndex, fresh_workspace, pairings};
use assert_cmd::Command;
use std::path::Path;

fn run(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::cargo_bin("graphwright").expect("the program is built");
    for name in ["NEO4J_URI", "QDRANT_URL", "GRAPHWRIGHT_DATA", "GRAPHWRIGHT_WORKSPACE"] {
        command.env_remove(name);
    }
    let output = command.current_dir(folder).args(arguments).output().expect("it runs");
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
