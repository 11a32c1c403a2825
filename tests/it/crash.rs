//! A run that ends at any named place, as `kill -9` would end it, is completed by the next one to the graph of an
//! undisturbed run, and nothing is paid for twice.

use crate::program::{Place, copy_folder};
use crate::scripted::Endpoint;
use crate::support::{assert_equal_exports, assert_vectors_follow, fresh_workspace, pairings};
use graphwright::config::Config;
use graphwright::services::{self, Access};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const BOOK: &str = "Ebenezer Scrooge lives in London. Bob Cratchit works for Ebenezer Scrooge in London.\n";
const SEQUEL: &str = "Bob Cratchit loves Tiny Tim. Jacob Marley was the partner of Ebenezer Scrooge.\n";
const OTHER: &str = "Fezziwig danced in London with Jacob Marley and Ebenezer Scrooge. Fred met Fezziwig.\n";
const KINGDOMS: &str = "刘备、关羽、张飞三人结为兄弟。曹操与刘备论英雄。\n";

const PEOPLE: &str = "id,name\n1,Bob Cratchit\n2,Ebenezer Scrooge\n3,Tiny Tim\n";
const WORKS: &str = "from,to,type\n1,2,WORKS_FOR\n2,1,EMPLOYS\n";

/// Calls to the model at once, and so the most that can be in flight.
const CONCURRENCY: usize = 2;

/// What a run is asked for, and what completes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Story {
    /// The first run.
    First,
    /// One document is new, one changed, one gone.
    Change,
    /// An entity is deleted by an edit.
    Edit,
    /// Text units are cut otherwise.
    Refresh,
    /// As [`Story::Change`], with summary trees.
    Trees,
    /// Summary trees are given up.
    NoTrees,
    /// An export is brought back.
    Import,
    /// Tables of microsoft/graphrag are taken over.
    Graphrag,
    /// Rows of tables of nodes and relationships are new, changed and gone.
    Tables,
}

impl Story {
    /// The story in which a run comes by a place.
    fn of(place: &str) -> Self {
        match place {
            "settings-committed" => Self::First,
            "projection-committed"
            | "resolution-uncommitted"
            | "resolution-committed"
            | "edits-committed" => Self::Edit,
            "refresh-committed" => Self::Refresh,
            "tree-uncommitted" | "tree-committed" => Self::Trees,
            "tree-removed" => Self::NoTrees,
            "graph-documents-committed" => Self::Tables,
            place if place.starts_with("import-") => Self::Import,
            place if place.starts_with("graphrag-") => Self::Graphrag,
            _ => Self::Change,
        }
    }

    /// What the place is like before the run that is disturbed.
    fn prepare(self, place: &Place, flags: &[&str]) {
        place.write("docs/book.txt", BOOK);
        place.write("docs/sequel.txt", SEQUEL);
        place.write("docs/kingdoms.txt", KINGDOMS);
        match self {
            Self::First => {}
            Self::Graphrag => {
                let tables = place.path().join("tables");
                std::fs::create_dir(&tables).expect("a folder");
                crate::graphrag_import::write_tables(&tables, false);
            }
            Self::Tables => {
                place.write("people.csv", PEOPLE);
                place.write("works.csv", WORKS);
                drop(place.json(&[flags, self.command()].concat()));
            }
            _ => drop(place.json(&[flags, &["sync", "docs"]].concat())),
        }
        if self == Self::Import {
            let run = place.run(&["export", "backup"]);
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            std::fs::remove_dir_all(place.data()).expect("removed");
        }
    }

    /// The configuration.
    fn settings(self, endpoint: &Endpoint) -> String {
        match self {
            Self::Trees | Self::NoTrees | Self::Import => {
                endpoint.embeddings_toml() + "[raptor]\nenabled = true\nleaf_tokens = 16\n"
            }
            _ => String::new(),
        }
    }

    fn change(self, place: &Place) {
        match self {
            Self::First | Self::Edit | Self::Import | Self::Graphrag => {}
            Self::Tables => {
                place.write("people.csv", &PEOPLE.replace("3,Tiny Tim\n", "4,Fred\n"));
                place.write("works.csv", &WORKS.replace("1,2", "2,4"));
            }
            Self::NoTrees => {
                let before =
                    std::fs::read_to_string(place.path().join("graphwright.toml")).expect("settings");
                place.write("graphwright.toml", &before.replace("enabled = true", "enabled = false"));
            }
            Self::Change | Self::Trees => {
                place.write("docs/book.txt", &BOOK.replace("works for", "is the clerk of"));
                place.remove("docs/sequel.txt");
                place.write("docs/other.txt", OTHER);
            }
            Self::Refresh => {
                let before =
                    std::fs::read_to_string(place.path().join("graphwright.toml")).unwrap_or_default();
                place.write("graphwright.toml", &format!("{before}\n[text_units]\nsize = 16\noverlap = 0\n"));
            }
        }
    }

    fn command(self) -> &'static [&'static str] {
        match self {
            Self::First | Self::Change | Self::Trees | Self::NoTrees => &["sync", "docs"],
            Self::Import => &["import", "backup"],
            Self::Graphrag => &["import", "--from", "graphrag", "tables"],
            Self::Tables => &["index", "docs", "--nodes", "people.csv", "--edges", "works.csv"],
            Self::Edit => &["entities", "delete", "London"],
            Self::Refresh => &["index", "--refresh"],
        }
    }

    /// What is run after a crash: the same, or for an edit, which is stored by then, any run; an import may be.
    fn completion(self) -> &'static [&'static str] {
        match self {
            Self::Edit => &["sync", "docs"],
            Self::Import => &["import", "--replace", "backup"],
            _ => self.command(),
        }
    }
}

/// Every place in the source.
pub fn places() -> BTreeSet<String> {
    fn collect(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("a file");
                let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
                for piece in code.flat_map(|line| line.split("fail_point!(\"").skip(1)) {
                    found.extend(piece.split('"').next().map(str::to_owned));
                }
            }
        }
    }
    let mut found = BTreeSet::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 20, "{found:?}");
    found
}

/// Runs a command that must end at the place.
fn end_at(place: &Place, name: &str, arguments: &[&str]) {
    let mut command = place.command(arguments);
    let status = command.env("GRAPHWRIGHT_FAIL_POINT", name).output().expect("it runs");
    assert_eq!(
        status.status.code(),
        None,
        "{arguments:?} comes by {name}: {}",
        String::from_utf8_lossy(&status.stderr)
    );
}

async fn assert_whole(place: &Place, workspace: &str, config: Config, what: &str) {
    let services =
        services::connect(config, &place.data(), workspace, Access::Read).await.expect("connected");
    assert_vectors_follow(&services, what).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_ends_at_any_place_is_completed_by_the_next() {
    let endpoint = Endpoint::start().await;
    let mut prepared: Vec<(Story, Place, BTreeMap<String, String>)> = Vec::new();
    for story in [
        Story::First,
        Story::Change,
        Story::Edit,
        Story::Refresh,
        Story::Trees,
        Story::NoTrees,
        Story::Import,
        Story::Graphrag,
        Story::Tables,
    ] {
        let before = Place::new();
        before.write("graphwright.toml", &story.settings(&endpoint));
        story.prepare(&before, &[]);
        let undisturbed = Place::new();
        copy_folder(before.path(), undisturbed.path());
        story.change(&undisturbed);
        undisturbed.json(story.command());
        prepared.push((story, before, undisturbed.export()));
    }
    for name in places().iter().filter(|name| !WITH_A_MODEL.contains(&name.as_str()) && !is_of_servers(name))
    {
        let story = Story::of(name);
        let (_, before, expected) = prepared.iter().find(|(known, ..)| *known == story).expect("prepared");
        let place = Place::new();
        copy_folder(before.path(), place.path());
        story.change(&place);
        end_at(&place, name, story.command());
        place.json(story.completion());
        assert_equal_exports(expected, &place.export(), name);
        let config = std::fs::read_to_string(place.path().join("graphwright.toml")).expect("settings");
        assert_whole(&place, "default", Config::parse(&config).expect("valid"), name).await;
    }
}

/// Whether only a run on servers comes by a place; `replace.rs` ends one there.
fn is_of_servers(name: &str) -> bool {
    name.starts_with("aside-")
}

/// Places that only a run with a model comes by.
const WITH_A_MODEL: [&str; 3] = ["report-written", "facts-uncommitted", "facts-committed"];

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_paid_for_twice_but_what_was_in_flight() {
    let endpoint = Endpoint::start().await;
    let before = Place::new();
    before.write("graphwright.toml", &(endpoint.toml(CONCURRENCY) + "[reader]\nenabled = true\n"));
    Story::Change.prepare(&before, &[]);
    let undisturbed = Place::new();
    copy_folder(before.path(), undisturbed.path());
    Story::Change.change(&undisturbed);
    endpoint.forget();
    undisturbed.json(Story::Change.command());
    let (expected, paid) = (undisturbed.export(), endpoint.calls().len());
    assert!(endpoint.tasks().contains(&"community_report".to_owned()), "{:?}", endpoint.tasks());
    assert!(expected["atomic_facts.jsonl"].contains("Bob Cratchit is told of."), "{:?}", endpoint.tasks());
    let places = ["extraction-uncommitted", "extraction-committed", "entities-committed"];
    for name in places.into_iter().chain(WITH_A_MODEL) {
        let place = Place::new();
        copy_folder(before.path(), place.path());
        Story::Change.change(&place);
        endpoint.forget();
        end_at(&place, name, Story::Change.command());
        place.json(Story::Change.completion());
        let (calls, repeated) = (endpoint.calls().len(), endpoint.repeated());
        assert!(repeated <= CONCURRENCY, "{name}: {repeated} calls were paid for twice");
        assert_eq!(calls - repeated, paid, "{name}: all that is needed is asked for, and nothing else");
        assert_equal_exports(&expected, &place.export(), name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_holds_on_neo4j_and_qdrant() {
    let Some(pairing) = pairings().into_iter().find(|p| p.graph.is_some() && p.vectors.is_some()) else {
        return;
    };
    let (graph, vectors) = (pairing.graph.unwrap(), pairing.vectors.unwrap());
    let story = Story::Change;
    let workspace = fresh_workspace("crash");
    let undisturbed = Place::new();
    let own = ["--workspace", &workspace];
    story.prepare(&undisturbed, &own);
    story.change(&undisturbed);
    undisturbed.json(&[&own[..], story.command()].concat());
    let expected = undisturbed.export_with(&own);
    for name in [
        "document-committed",
        "extraction-committed",
        "entities-committed",
        "communities-added",
        "generation-published",
        "vectors-written",
        "vectors-forgotten",
    ] {
        let place = Place::new();
        // a dead writer's lease is waited for
        place.write("graphwright.toml", "[graph]\nlease_s = 2\n");
        let flags = ["--graph", &graph, "--vectors", &vectors, "--workspace", &workspace];
        story.prepare(&place, &flags);
        story.change(&place);
        end_at(&place, name, &[&flags[..], story.command()].concat());
        place.json(&[&flags[..], story.completion()].concat());
        assert_equal_exports(&expected, &place.export_with(&flags), name);
        let mut config = Config::default();
        (config.graph.url, config.vectors.url) = (Some(graph.clone()), Some(vectors.clone()));
        assert_whole(&place, &workspace, config.clone(), name).await;
        let services =
            services::connect(config, &place.data(), &workspace, Access::Write).await.expect("connected");
        services.vectors.wipe().await.expect("wiped");
        services.graph.wipe().await.expect("wiped");
        services.graph.unlock_writer().await.expect("unlocked");
    }
}
