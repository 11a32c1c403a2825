//! `import --replace`: what a workspace holds goes only when all that comes in its place is there, whatever ends the run.

use crate::graphrag_import::write_tables;
use crate::program::Place;
use crate::scripted::Endpoint;
use crate::support::{Pairing, assert_equal_exports, fresh_workspace, pairings};
use graphwright::config::Config;
use graphwright::services::{self, Access};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const OLD: &str = "Ebenezer Scrooge lives in London. Bob Cratchit works for Ebenezer Scrooge in London.\n";
const NEW: &str = "Fezziwig danced in London with Jacob Marley. Fred met Fezziwig and Jacob Marley.\n";

/// A place whose workspace holds one book, and whose folder `backup` another.
fn prepared(flags: &[&str]) -> (Place, BTreeMap<String, String>, BTreeMap<String, String>) {
    prepared_with("", flags)
}

/// The same with further settings.
fn prepared_with(
    settings: &str,
    flags: &[&str],
) -> (Place, BTreeMap<String, String>, BTreeMap<String, String>) {
    let place = Place::new();
    place.write("graphwright.toml", &format!("[graph]\nlease_s = 2\n{settings}"));
    place.write("docs/new.txt", NEW);
    place.json(&[flags, &["sync", "docs"]].concat());
    let run = place.run(&[flags, &["export", "backup"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let new = place.export_with(flags);
    place.remove("docs/new.txt");
    place.write("docs/old.txt", OLD);
    place.json(&[flags, &["sync", "docs"]].concat());
    let old = place.export_with(flags);
    assert_ne!(old["documents.jsonl"], new["documents.jsonl"]);
    (place, old, new)
}

/// What names a workspace in a pair of stores.
fn flags_of<'a>(pairing: &'a Pairing, workspace: &'a str) -> Vec<&'a str> {
    let mut flags = vec!["--workspace", workspace];
    for (name, url) in [("--graph", &pairing.graph), ("--vectors", &pairing.vectors)] {
        if let Some(url) = url {
            flags.extend([name, url.as_str()]);
        }
    }
    flags
}

/// Leaves nothing of a workspace behind in servers.
async fn wipe(pairing: &Pairing, place: &Place, workspace: &str) {
    let mut config = Config::default();
    config.graph.url.clone_from(&pairing.graph);
    config.vectors.url.clone_from(&pairing.vectors);
    let services =
        services::connect(config, &place.data(), workspace, Access::Write).await.expect("connected");
    services.vectors.wipe().await.expect("wiped");
    services.graph.wipe().await.expect("wiped");
    services.graph.unlock_writer().await.expect("unlocked");
}

fn copy_of(folder: &Path, name: &str, change: impl Fn(&str) -> String) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        std::fs::copy(&path, copy.path().join(path.file_name().expect("a name"))).expect("copied");
    }
    let text = std::fs::read_to_string(copy.path().join(name)).expect("a file");
    std::fs::write(copy.path().join(name), change(&text)).expect("written");
    copy
}

/// An export whose table was changed by somebody who put the right hash into the manifest.
fn forged(folder: &Path, table: &str, change: impl Fn(&str) -> String) -> tempfile::TempDir {
    let file = format!("{table}.jsonl");
    let copy = copy_of(folder, &file, change);
    let hash = blake3::hash(&std::fs::read(copy.path().join(&file)).expect("a file")).to_hex().to_string();
    let path = copy.path().join("manifest.json");
    let mut manifest: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&path).expect("a file")).expect("JSON");
    manifest["tables"][table]["blake3"] = hash.into();
    std::fs::write(path, manifest.to_string()).expect("written");
    copy
}

#[test]
fn what_cannot_be_imported_leaves_the_workspace_as_it_was() {
    let (place, old, _) = prepared(&[]);
    let backup = place.path().join("backup");
    let half = |text: &str| text.chars().take(text.chars().count() / 2).collect::<String>();
    let without_a_line = |text: &str| text.split_inclusive('\n').skip(1).collect::<String>();
    let foreign = tempfile::tempdir().expect("a folder");
    std::fs::write(foreign.path().join("manifest.json"), "{\"name\": \"a page\"}").expect("written");
    let tables = tempfile::tempdir().expect("a folder");
    write_tables(tables.path(), false);
    let bytes = std::fs::read(tables.path().join("entities.parquet")).expect("a file");
    std::fs::write(tables.path().join("entities.parquet"), &bytes[..bytes.len() / 2]).expect("written");
    let missing = tempfile::tempdir().expect("a folder");

    let ours = [
        (copy_of(&backup, "entities.jsonl", half), "entities.jsonl is damaged"),
        (copy_of(&backup, "manifest.json", half), "manifest.json is damaged"),
        (forged(&backup, "mentions", half), "mentions.jsonl row"),
        (forged(&backup, "relationships", without_a_line), "rows where manifest.json says"),
        (forged(&backup, "text_units", without_a_line), "text_units.jsonl has"),
        (foreign, "is another program's"),
        (missing, "is no export of graphwright"),
    ];
    for (folder, told) in &ours {
        let run = place.run(&["import", "--replace", &folder.path().display().to_string()]);
        assert!(run.code != Some(0) && run.stderr.contains(told), "{told}: {}", run.stderr);
        assert_equal_exports(&old, &place.export(), told);
    }
    for folder in [tables.path(), &place.path().join("nowhere")] {
        let shown = folder.display().to_string();
        let run = place.run(&["import", "--replace", "--from", "graphrag", &shown]);
        assert!(run.code != Some(0), "{}", run.stderr);
        assert_equal_exports(&old, &place.export(), &shown);
    }
}

#[test]
fn what_comes_in_takes_the_place_of_what_was_there_and_leaves_nothing_beside() {
    let (place, _, new) = prepared(&[]);
    place.json(&["import", "--replace", "backup"]);
    assert_equal_exports(&new, &place.export(), "replaced");
    assert_eq!(place.json(&["doctor"])["sound"], true);
    write_tables(place.path(), false);
    place.json(&["import", "--replace", "--from", "graphrag", "."]);
    assert_eq!(place.json(&["status"])["documents"], 2);
    let left: Vec<String> = std::fs::read_dir(place.data())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("import") || name.contains("replaced"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

/// What a workspace has cost.
fn ledger(place: &Place, flags: &[&str]) -> Value {
    place.json(&[flags, &["status"]].concat())["ledger"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_spent_stays_spent_whatever_comes_in() {
    let endpoint = Endpoint::start().await;
    for pairing in pairings() {
        let workspace = fresh_workspace("spent");
        let flags = flags_of(&pairing, &workspace);
        let (place, _, new) = prepared_with(&endpoint.embeddings_toml(), &flags);
        let before = ledger(&place, &flags);
        assert!(before.as_array().is_some_and(|rows| !rows.is_empty()), "{pairing:?}: {before}");
        place.json(&[&flags[..], &["import", "--replace", "backup"]].concat());
        assert_equal_exports(&new, &place.export_with(&flags), &format!("{pairing:?}"));
        assert_eq!(ledger(&place, &flags), before, "{pairing:?}: vectors came along");
        place.json(&[&flags[..], &["import", "--replace", "--vectors-anew", "backup"]].concat());
        assert_ne!(ledger(&place, &flags), before, "{pairing:?}: what an import asks for counts as well");
        wipe(&pairing, &place, &workspace).await;
    }
}

#[cfg(feature = "failpoints")]
mod killed {
    use super::*;
    use crate::program::copy_folder;
    use crate::support::TestIndex;
    use futures::FutureExt;
    use graphwright::exchange::export;
    use graphwright::exchange::replace::{self, Incoming};
    use graphwright::exchange::restore::{Export, Vectors};
    use graphwright::exchange::tables::TableFormat;
    use graphwright::progress::Progress;
    use std::panic::AssertUnwindSafe;

    fn end_at(place: &Place, name: &str, arguments: &[&str]) {
        let mut command = place.command(arguments);
        let output = command.env("GRAPHWRIGHT_FAIL_POINT", name).output().expect("it runs");
        assert_eq!(output.status.code(), None, "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }

    #[test]
    fn an_embedded_workspace_is_the_old_or_the_new_one_wherever_the_run_ends() {
        let (before, old, new) = prepared(&[]);
        for name in [
            "import-begun",
            "import-documents-committed",
            "import-facts-committed",
            "import-uncommitted",
            "import-built",
            "import-replaced",
        ] {
            let place = Place::new();
            copy_folder(before.path(), place.path());
            end_at(&place, name, &["import", "--replace", "backup"]);
            let expected = if name == "import-replaced" { &new } else { &old };
            assert_equal_exports(expected, &place.export(), name);
            place.json(&["import", "--replace", "backup"]);
            assert_equal_exports(&new, &place.export(), name);
        }
    }

    /// The way of stores that are servers, in a file: the same calls on the same seams.
    #[tokio::test(flavor = "multi_thread")]
    async fn what_was_exported_aside_is_brought_back_wherever_the_run_ends() {
        let workspace = fresh_workspace("aside");
        let backup = tempfile::tempdir().expect("a folder");
        let index = TestIndex::new(&Pairing::embedded(), &workspace).await;
        index.write("new.txt", NEW);
        index.index(&[]).await;
        let new = index.export().await;
        export::write_all(&index.services, backup.path(), TableFormat::Jsonl).await.expect("exported");
        index.wipe().await;
        for (name, stays) in [
            ("aside-written", false),
            ("aside-marked", false),
            ("aside-cleared", false),
            ("aside-replaced", true),
        ] {
            let index = TestIndex::new(&Pairing::embedded(), &workspace).await;
            index.write("old.txt", OLD);
            index.index(&[]).await;
            let old = index.export().await;
            fail::cfg(name, "panic").expect("armed");
            let export =
                Export::open(&index.services, backup.path(), Vectors::AsExported).await.expect("an export");
            let incoming = Incoming::Export(Box::new(export));
            let progress = Progress::silent();
            let work = replace::replace_exported(&index.services, &incoming, &progress);
            let ended = AssertUnwindSafe(work).catch_unwind();
            assert!(ended.await.is_err(), "{name} is come by");
            fail::remove(name);
            let kept = index.services.data_dir.join(format!("{workspace}.replaced"));
            assert!(kept.is_dir(), "{name}");
            replace::recover(&index.services).await.expect("recovered");
            assert_equal_exports(if stays { &new } else { &old }, &index.export().await, name);
            assert!(!kept.exists(), "{name}");
            index.wipe().await;
        }
    }

    #[test]
    fn servers_hold_the_old_or_the_new_state_after_the_next_command() {
        let Some(pairing) = pairings().into_iter().find(|p| p.graph.is_some() && p.vectors.is_some()) else {
            return;
        };
        let workspace = fresh_workspace("replace");
        let (graph, vectors) = (pairing.graph.unwrap(), pairing.vectors.unwrap());
        let flags = ["--graph", &graph, "--vectors", &vectors, "--workspace", &workspace];
        let (place, old, new) = prepared(&flags);
        for name in [
            "aside-written",
            "aside-marked",
            "aside-cleared",
            "import-begun",
            "import-documents-committed",
            "import-uncommitted",
            "aside-replaced",
        ] {
            end_at(&place, name, &[&flags[..], &["import", "--replace", "backup"]].concat());
            // a dead writer's lease is waited for
            std::thread::sleep(std::time::Duration::from_secs(3));
            let expected = if name == "aside-replaced" { &new } else { &old };
            assert_equal_exports(expected, &place.export_with(&flags), name);
        }
        place.json(&[&flags[..], &["remove", "docs/new.txt"]].concat());
    }
}
