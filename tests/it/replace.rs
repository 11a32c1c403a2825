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
    // inside a row, wherever the middle falls
    let half = |text: &str| {
        let half: String = text.chars().take(text.chars().count() / 2).collect();
        half.trim_end_matches(['\n', '}']).to_owned()
    };
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

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_contradict_one_another_are_refused() {
    let endpoint = Endpoint::start().await;
    let trees = endpoint.embeddings_toml() + "[raptor]\nenabled = true\nleaf_tokens = 16\n";
    let (place, old, _) = prepared_with(&trees, &[]);
    let backup = place.path().join("backup");
    let changed = |table: &str, change: &dyn Fn(&mut Value)| {
        forged(&backup, table, |text: &str| {
            let rows = text.lines().map(|line| {
                let mut row: Value = serde_json::from_str(line).expect("JSON");
                change(&mut row);
                row.to_string() + "\n"
            });
            rows.collect()
        })
    };
    let move_unit = |row: &mut Value, start: u64, end: u64| {
        row["unit"]["start_offset"] = start.into();
        row["unit"]["end_offset"] = end.into();
    };
    let length = |row: &Value| row["unit"]["text"].as_str().expect("a text").chars().count() as u64;
    let cases = [
        (changed("text_units", &|row| move_unit(row, 100, 0)), "is said to stand at 100 to 0"),
        (changed("text_units", &|row| move_unit(row, 0, u64::MAX)), "is said to stand at 0 to"),
        (
            changed("text_units", &|row| move_unit(row, 1_000_000_000_000, 1_000_000_000_000 + length(row))),
            "and its text units end at 1000000",
        ),
        (
            changed("documents", &|row| row["key"] = "docs/a.txt\n[7] b.txt".into()),
            "docs/a.txt [7] b.txt has a line",
        ),
        (changed("documents", &|row| row["key"] = "docs/other.txt".into()), "has the id of another key"),
        (
            changed("summary_trees", &|row| row["children"] = Value::from(vec![row["id"].clone()])),
            "which is not below it",
        ),
    ];
    for (folder, reason) in &cases {
        let run = place.run(&["import", "--replace", &folder.path().display().to_string()]);
        assert!(run.code != Some(0) && run.stderr.contains(reason), "{reason}: {}", run.stderr);
        assert_equal_exports(&old, &place.export(), reason);
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
    use crate::support::{TestIndex, assert_vectors_follow};
    use crate::{crash, neo4j};
    use futures::FutureExt;
    use graphwright::domain::{Counters, Id, LedgerRow, LineageEvent, LineageStep};
    use graphwright::exchange::export;
    use graphwright::exchange::replace::{self, Incoming};
    use graphwright::exchange::restore::{Export, Vectors};
    use graphwright::exchange::tables::TableFormat;
    use graphwright::progress::Progress;
    use graphwright::stores::graph::VectorKind;
    use std::collections::BTreeSet;
    use std::panic::AssertUnwindSafe;
    use std::path::PathBuf;
    use std::time::Duration;
    use tokio::sync::Mutex;

    const MORE: &str = "Bob Cratchit loves Tiny Tim. Bob Cratchit met Jacob Marley in London.\n";

    /// Places that a replacement on servers comes by before anything new is written.
    const BEFORE: [&str; 3] = ["aside-written", "aside-marked", "aside-cleared"];
    /// When all of the new is there.
    const REPLACED: &str = "aside-replaced";
    /// When all of the old is there again.
    const BROUGHT_BACK: &str = "aside-brought-back";

    /// Places are armed for the whole process: those who come by them do so one at a time.
    static ALONE: Mutex<()> = Mutex::const_new(());

    fn end_at(place: &Place, name: &str, arguments: &[&str]) {
        let mut command = place.command(arguments);
        let output = command.env("GRAPHWRIGHT_FAIL_POINT", name).output().expect("it runs");
        assert_eq!(output.status.code(), None, "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }

    #[test]
    fn every_place_of_a_replacement_on_servers_is_one_where_a_run_ends_here() {
        let known: BTreeSet<String> =
            BEFORE.into_iter().chain([REPLACED, BROUGHT_BACK]).map(str::to_owned).collect();
        let there: BTreeSet<String> =
            crash::places().into_iter().filter(|name| name.starts_with("aside-")).collect();
        assert_eq!(known, there);
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

    /// An index of several generations; what exports leave out of it is as no other index would have it.
    async fn with_history(pairing: &Pairing, workspace: &str) -> TestIndex {
        let index = TestIndex::new(pairing, workspace).await;
        for (name, text) in [("old.txt", OLD), ("more.txt", MORE)] {
            index.write(name, text);
            index.index(&[]).await;
        }
        if pairing.graph.is_some() {
            neo4j::change(
                &index.services,
                "MATCH (e:__Entity__ {name: 'Tiny Tim'}) WHERE e.workspace = $workspace
                 CREATE (m:__Entity__ {workspace: $workspace, name: 'Martha Cratchit', type: 'Person', manual: true,
                   description: 'The eldest daughter.'})
                 CREATE (m)-[:RELATED {manual: true, type: 'sister of', description: 'She is his sister.'}]->(e)",
            )
            .await;
            assert!(index.index(&[]).await.notes.len() >= 2, "made by hand");
        }
        let graph = index.services.graph.as_ref();
        let generation = graph.state().await.expect("a state").generation;
        assert!(generation > 1, "{generation}");
        let mut communities = graph.communities(generation).await.expect("communities");
        for community in &mut communities {
            "2024-02-03".clone_into(&mut community.period);
            community.lineage = index.services.ids.other("line", &[community.id.as_str()]);
        }
        graph.add_communities(generation, &communities).await.expect("added");
        let step = LineageStep {
            lineage: communities[0].lineage.clone(),
            generation: 1,
            period: "2024-02-01".to_owned(),
            event: LineageEvent::Began,
            level: 0,
            size: 3,
            title: "Of old".to_owned(),
            others: Vec::new(),
        };
        graph.add_lineage_steps(&[step]).await.expect("added");
        let times: Vec<(Id, Option<String>)> = documents(&index)
            .await
            .into_iter()
            .map(|id| (id, Some("2024-02-03T04:05:06Z".to_owned())))
            .collect();
        graph.save_indexed_at(&times).await.expect("saved");
        let counters = Counters { calls: 7, cost: 0.25, ..Counters::default() };
        let row = LedgerRow { task: "extract_graph".to_owned(), model: "m".to_owned(), counters };
        graph.add_to_ledger(&[row]).await.expect("added");
        index
    }

    async fn documents(index: &TestIndex) -> Vec<Id> {
        let documents = index.services.graph.documents(None, 100).await.expect("documents");
        documents.into_iter().map(|document| document.id).collect()
    }

    /// What exports leave out.
    async fn unexported(index: &TestIndex) -> String {
        let graph = index.services.graph.as_ref();
        let generation = graph.state().await.expect("a state").generation;
        let all = (
            generation,
            graph.ledger().await.expect("a ledger"),
            graph.lineage_steps().await.expect("steps"),
            graph.communities(generation).await.expect("communities"),
            graph.last_clustering().await.expect("a clustering"),
            graph.documents_indexed_at(&documents(index).await).await.expect("times"),
            graph.hand_made().await.expect("what was made by hand"),
        );
        format!("{all:#?}")
    }

    fn aside(index: &TestIndex) -> PathBuf {
        index.services.data_dir.join(format!("{}.replaced", index.services.ids.workspace()))
    }

    async fn incoming(index: &TestIndex, backup: &Path) -> Incoming {
        let export = Export::open(&index.services, backup, Vectors::AsExported).await.expect("an export");
        Incoming::Export(Box::new(export))
    }

    /// A stop is asked for: the new does not come to its end.
    fn stopped() -> Progress {
        let progress = Progress::silent();
        progress.request_stop();
        progress
    }

    /// A replacement in the way of servers that ends at a place as a killed one does.
    async fn die_in(index: &TestIndex, name: &str, backup: &Path, progress: &Progress) {
        let incoming = incoming(index, backup).await;
        fail::cfg(name, "panic").expect("armed");
        let work = replace::replace_exported(&index.services, &incoming, progress);
        let ended = AssertUnwindSafe(work).catch_unwind().await;
        fail::remove(name);
        assert!(ended.is_err(), "{name} is come by");
        assert!(aside(index).is_dir(), "{name}");
    }

    /// The same, and what the next command does first.
    async fn end_in(index: &TestIndex, name: &str, backup: &Path, progress: &Progress) {
        die_in(index, name, backup, progress).await;
        replace::recover(&index.services).await.expect("recovered");
        assert!(!aside(index).exists(), "{name}");
    }

    /// Every pair in the way of servers, the embedded one, too: the same calls on the same seams.
    #[tokio::test(flavor = "multi_thread")]
    async fn all_that_was_kept_aside_is_brought_back_wherever_the_run_ends_and_where_it_fails() {
        let _alone = ALONE.lock().await;
        let workspace = fresh_workspace("aside");
        let backup = tempfile::tempdir().expect("a folder");
        let index = TestIndex::new(&Pairing::embedded(), &workspace).await;
        index.write("new.txt", NEW);
        index.index(&[]).await;
        let new = index.export().await;
        export::write_all(&index.services, backup.path(), TableFormat::Jsonl).await.expect("exported");
        index.wipe().await;
        for pairing in pairings() {
            let index = with_history(&pairing, &workspace).await;
            let (old, held) = (index.export().await, unexported(&index).await);
            let check = async |what: &str| {
                let what = format!("{pairing:?}: {what}");
                assert_equal_exports(&old, &index.export().await, &what);
                let now = unexported(&index).await;
                assert!(held == now, "{what}: {held}\n{now}");
                assert_vectors_follow(&index.services, &what).await;
            };
            for name in BEFORE {
                end_in(&index, name, backup.path(), &Progress::silent()).await;
                check(name).await;
            }
            let incoming = incoming(&index, backup.path()).await;
            let failed = replace::replace_exported(&index.services, &incoming, &stopped()).await;
            let told = format!("{:#}", failed.err().expect("stopped"));
            assert!(told.contains("stopped") && !told.contains("could not be brought back"), "{told}");
            assert!(!aside(&index).exists());
            check("failed").await;
            end_in(&index, BROUGHT_BACK, backup.path(), &stopped()).await;
            check(BROUGHT_BACK).await;
            let ledger = index.services.graph.ledger().await.expect("a ledger");
            end_in(&index, REPLACED, backup.path(), &Progress::silent()).await;
            assert_equal_exports(&new, &index.export().await, &format!("{pairing:?}"));
            assert_eq!(index.services.graph.ledger().await.expect("a ledger"), ledger, "{pairing:?}");
            assert_eq!(index.services.graph.lineage_steps().await.expect("steps"), [], "{pairing:?}");
            index.wipe().await;
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_an_older_program_kept_aside_comes_back_without_what_it_did_not_keep() {
        let _alone = ALONE.lock().await;
        let index = with_history(&Pairing::embedded(), &fresh_workspace("aside_older")).await;
        let old = index.export().await;
        let backup = tempfile::tempdir().expect("a folder");
        export::write_all(&index.services, backup.path(), TableFormat::Jsonl).await.expect("exported");
        die_in(&index, "aside-cleared", backup.path(), &Progress::silent()).await;
        let path = aside(&index).join("manifest.json");
        let mut manifest: Value =
            serde_json::from_str(&std::fs::read_to_string(&path).expect("a file")).expect("JSON");
        let tables = manifest["tables"].as_object_mut().expect("tables");
        let public: BTreeSet<String> = old.keys().map(|name| name.replace(".jsonl", "")).collect();
        tables.retain(|name, _| public.contains(name) || name == "vectors");
        std::fs::write(path, manifest.to_string()).expect("written");
        replace::recover(&index.services).await.expect("recovered");
        assert_equal_exports(&old, &index.export().await, "without history");
        let graph = index.services.graph.as_ref();
        assert_eq!(graph.state().await.expect("a state").generation, 1);
        assert_eq!(graph.lineage_steps().await.expect("steps"), []);
        index.wipe().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_was_changed_by_hand_and_seen_by_no_run_comes_back_as_an_edit() {
        let _alone = ALONE.lock().await;
        for pairing in pairings().into_iter().filter(|pairing| pairing.graph.is_some()) {
            let index = TestIndex::new(&pairing, &fresh_workspace("aside_by_hand")).await;
            index.write("old.txt", OLD);
            index.index(&[]).await;
            let backup = tempfile::tempdir().expect("a folder");
            export::write_all(&index.services, backup.path(), TableFormat::Jsonl).await.expect("exported");
            neo4j::change(
                &index.services,
                "MATCH (e:__Entity__ {name: 'Bob Cratchit'}) WHERE e.workspace = $workspace
                 SET e.name = 'Robert Cratchit'",
            )
            .await;
            let incoming = incoming(&index, backup.path()).await;
            let failed = replace::replace_exported(&index.services, &incoming, &stopped()).await;
            assert!(failed.is_err(), "{pairing:?}");
            let graph = index.services.graph.as_ref();
            assert_eq!(graph.edits().await.expect("edits").len(), 1, "{pairing:?}");
            let id = index.services.ids.entity("bob cratchit");
            let named = graph.entities_by_id(&[id]).await.expect("entities");
            assert_eq!(named[0].name, "Robert Cratchit", "{pairing:?}");
            index.wipe().await;
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_model_that_is_gone_keeps_nothing_from_coming_back() {
        let _alone = ALONE.lock().await;
        let endpoint = Endpoint::start().await;
        let toml = endpoint.embeddings_toml();
        let workspace = fresh_workspace("aside_without_model");
        let config = Config::parse(&toml).expect("valid");
        let mut index = TestIndex::with(&Pairing::embedded(), &workspace, config).await;
        index.write("old.txt", OLD);
        index.index(&[]).await;
        let backup = tempfile::tempdir().expect("a folder");
        export::write_all(&index.services, backup.path(), TableFormat::Jsonl).await.expect("exported");
        let old = index.export().await;
        let waits = [index.services.graph.entities(None, 1).await.expect("entities")[0].id.clone()];
        index.services.vectors.delete(VectorKind::Entities, &waits).await.expect("deleted");
        index.services.graph.mark_vectors_pending(VectorKind::Entities, &waits).await.expect("marked");
        let gone = Config::parse(&toml.replace(&endpoint.url(), "http://127.0.0.1:1/v1")).expect("valid");
        // with a cache of its own, which knows no vector
        let elsewhere = tempfile::tempdir().expect("a folder");
        let (models, _) = services::open_models(&gone, elsewhere.path()).await.expect("models");
        index.services.embedding = models.embedding;

        let incoming = incoming(&index, backup.path()).await;
        let failed = replace::replace_exported(&index.services, &incoming, &stopped()).await;
        let told = format!("{:#}", failed.err().expect("stopped"));
        assert!(!told.contains("could not be brought back"), "{told}");
        assert_equal_exports(&old, &index.export().await, "without a model");
        for kind in VectorKind::ALL {
            let pending = index.services.graph.pending_vectors(kind, 100).await.expect("read");
            let pending: Vec<Id> = pending.into_iter().map(|node| node.id).collect();
            let expected = if kind == VectorKind::Entities { waits.to_vec() } else { Vec::new() };
            assert_eq!(pending, expected, "{kind:?}: the others came along");
        }
        index.wipe().await;
    }

    /// Generation, ledger, and the history of communities, which exports leave out.
    fn told_of(place: &Place, flags: &[&str]) -> (Value, Value, String) {
        let status = place.json(&[flags, &["status"]].concat());
        let history = place.run(&[flags, &["communities", "--history", "--json"]].concat());
        assert_eq!(history.code, Some(0), "{}", history.stderr);
        (status["generation"].clone(), status["ledger"].clone(), history.stdout)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn servers_hold_the_old_or_the_new_state_after_the_next_command() {
        let endpoint = Endpoint::start().await;
        let settings = endpoint.embeddings_toml() + "[reports]\nmin_size = 2\n";
        let on_servers = |pairing: &Pairing| pairing.graph.is_some() || pairing.vectors.is_some();
        for pairing in pairings().into_iter().filter(on_servers) {
            let workspace = fresh_workspace("replace");
            let flags = flags_of(&pairing, &workspace);
            let import = [&flags[..], &["import", "--replace", "backup"]].concat();
            let (place, old, new) = prepared_with(&settings, &flags);
            let held = told_of(&place, &flags);
            assert!(held.2.contains("began"), "{pairing:?}: {}", held.2);
            let end_at = |name: &str, arguments: &[&str]| {
                end_at(&place, name, arguments);
                if pairing.graph.is_some() {
                    // a dead writer's lease is waited for
                    std::thread::sleep(Duration::from_secs(3));
                }
            };
            let check = |what: &str| {
                let what = format!("{pairing:?}: {what}");
                assert_equal_exports(&old, &place.export_with(&flags), &what);
                assert_eq!(told_of(&place, &flags), held, "{what}");
            };
            for name in
                BEFORE.into_iter().chain(["import-begun", "import-documents-committed", "import-uncommitted"])
            {
                end_at(name, &import);
                check(name);
            }
            // what brings it back is killed itself
            for name in ["import-documents-committed", "import-uncommitted", BROUGHT_BACK] {
                end_at("aside-cleared", &import);
                end_at(name, &[&flags[..], &["status"]].concat());
                check(&format!("brought back, {name}"));
            }
            end_at(REPLACED, &import);
            assert_equal_exports(&new, &place.export_with(&flags), REPLACED);
            assert_eq!(told_of(&place, &flags).1, held.1, "{pairing:?}: what was spent stays spent");
            wipe(&pairing, &place, &workspace).await;
        }
    }
}
