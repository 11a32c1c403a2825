//! `sync` makes the index equal to folders; what prompts, models and settings leave behind is said and made anew.

use crate::program::Place;
use crate::scripted::{self, Endpoint};
use crate::support::{Pairing, TestIndex, assert_equal_exports, fresh_workspace, with_fresh_communities};
use graphwright::index::run::count_stale;
use graphwright::index::run::{self, IndexRequest};
use graphwright::progress::Progress;
use serde_json::json;

const BOOK: &str = "Ebenezer Scrooge lives in London. Bob Cratchit works for Ebenezer Scrooge in London.\n";
const SEQUEL: &str = "Bob Cratchit loves Tiny Tim. Jacob Marley was the partner of Ebenezer Scrooge.\n";
const OTHER: &str = "Fezziwig danced in London with Jacob Marley and Ebenezer Scrooge.\n";

/// What was synced is compared with what is indexed afresh.
const FRESH: &str = "[communities]\nfollow = \"fresh\"\n";

fn place() -> Place {
    let place = Place::new();
    place.write("graphwright.toml", FRESH);
    place.write("docs/book.txt", BOOK);
    place.write("docs/deep/sequel.txt", SEQUEL);
    place.write(
        "docs/rows.csv",
        "title,text\nOne,Tiny Tim met Fezziwig.\nTwo,Bob Cratchit met Jacob Marley.\n",
    );
    place.write("elsewhere.txt", OTHER);
    place
}

#[test]
fn the_index_becomes_equal_to_the_folder_and_what_is_the_same_is_kept() {
    let place = place();
    place.json(&["index", "docs", "elsewhere.txt"]);
    place.write("docs/book.txt", &BOOK.replace("London", "Camden Town"));
    place.remove("docs/deep/sequel.txt");
    place.write("docs/rows.csv", "title,text\nOne,Tiny Tim met Fezziwig.\n");
    place.write("docs/new.md", "# New\n\nTiny Tim met Jacob Marley in London.\n");
    let before = place.export();
    let plan = place.json(&["sync", "docs", "--dry-run"]);
    let gone = json!(["docs/deep/sequel.txt", "docs/rows.csv#2"]);
    assert_eq!((&plan["new"], &plan["changed"]), (&json!(["docs/new.md"]), &json!(["docs/book.txt"])));
    assert_eq!((&plan["gone"], &plan["unchanged"]), (&gone, &json!(1)));
    assert_equal_exports(&before, &place.export(), "a dry run");

    let report = place.json(&["sync", "docs"]);
    for (key, count) in [
        ("documents_added", 1),
        ("documents_changed", 1),
        ("documents_removed", 2),
        ("documents_unchanged", 1),
        ("text_units_read", 2),
        ("text_units_kept", 2),
    ] {
        assert_eq!(report[key], count, "{key} in {report}");
    }
    let kept = place.export();
    let again = place.json(&["sync", "docs"]);
    assert_eq!((&again["text_units_read"], &again["vectors_written"]), (&json!(0), &json!(0)));
    assert_eq!(again["generation"], report["generation"]);
    assert_equal_exports(&kept, &place.export(), "a second sync");

    std::fs::remove_dir_all(place.data()).expect("removed");
    place.json(&["index", "docs", "elsewhere.txt"]);
    assert_equal_exports(&kept, &place.export(), "a fresh index");
    assert_eq!(place.json(&["sync", "docs", "--only"])["documents_removed"], 1);
}

#[test]
fn an_index_names_what_is_gone_from_its_folders_and_leaves_it() {
    let place = place();
    place.json(&["index", "docs", "elsewhere.txt"]);
    assert!(place.json(&["index", "docs"])["notes"].is_null(), "nothing is gone");
    place.remove("docs/deep/sequel.txt");
    assert!(place.json(&["index", "docs"])["notes"].is_null(), "nothing new: no other document is read");
    place.write("docs/book.txt", &BOOK.replace("London", "Paris"));
    assert!(place.json(&["index", "docs/book.txt"])["notes"].is_null(), "a file says nothing of others");
    place.write("docs/book.txt", BOOK);
    assert!(
        place.json(&["index", "docs", "--include", "*.csv"])["notes"].is_null(),
        "others were not looked for"
    );
    let report = place.json(&["index", "docs"]);
    let note = "docs/deep/sequel.txt is gone and its document is still in the index: it goes with `graphwright sync docs`";
    assert_eq!((&report["notes"], &report["documents"]), (&json!([note]), &json!(5)));
    place.json(&["sync", "docs"]);
    place.write("docs/book.txt", SEQUEL);
    assert!(place.json(&["index", "docs"])["notes"].is_null(), "it went");
}

#[test]
fn several_folders_and_named_sources_are_synced_each_for_itself() {
    let place = place();
    place.write("more/a.txt", OTHER);
    place.json(&["sync", "docs", "more", "--source", "mirror=docs/deep"]);
    let keys = |place: &Place| -> Vec<String> {
        let status = place.json(&["status"]);
        let documents = status["document_status"].as_array().expect("a list");
        documents.iter().map(|document| document["key"].as_str().expect("a key").to_owned()).collect()
    };
    let all = ["docs/book.txt", "docs/rows.csv#1", "docs/rows.csv#2", "mirror/sequel.txt", "more/a.txt"];
    assert_eq!(keys(&place), all);
    place.remove("docs/deep/sequel.txt");
    place.remove("more/a.txt");
    // an empty folder is a folder: what was in it is gone, and nothing else is
    place.json(&["sync", "--source", "mirror=docs/deep"]);
    assert_eq!(keys(&place), [all[0], all[1], all[2], all[4]]);
    place.json(&["sync", "more"]);
    assert_eq!(keys(&place), all[..3]);
}

#[test]
fn what_cannot_be_read_is_not_gone() {
    let place = place();
    place.json(&["sync", "docs"]);
    let before = place.export();
    place.write("docs/book.txt", "\u{0}\u{1}\u{2}\u{0}\u{0}");
    let run = place.run(&["sync", "docs"]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stderr.contains("book.txt"), "{}", run.stderr);
    assert_equal_exports(&before, &place.export(), "a file that turned binary");
    for (folder, code, told) in [("nowhere", 2, "nowhere"), ("docs/rows.csv", 1, "is not a folder")] {
        let run = place.run(&["sync", folder]);
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        assert!(run.stderr.contains(told) && run.stderr.contains("nothing was changed"), "{}", run.stderr);
    }
    assert_equal_exports(&before, &place.export(), "no folder");
    // a whole place that cannot be walked keeps what is known of it
    std::fs::remove_dir_all(place.path().join("docs/deep")).expect("removed");
    std::os::unix::fs::symlink("missing", place.path().join("docs/deep")).expect("linked");
    place.write("docs/book.txt", BOOK);
    assert_eq!(place.run(&["sync", "docs"]).code, Some(4));
    assert_equal_exports(&before, &place.export(), "a broken link");
}

#[test]
fn another_size_of_text_units_keeps_headings() {
    let place = Place::new();
    place.write("graphwright.toml", FRESH);
    let text = BOOK.repeat(3);
    let page = format!("<h1>Carol</h1><h2>Stave One</h2><p>{text}</p><h2>Stave Two</h2><p>{text}</p>");
    place.write("docs/page.html", &page);
    place.write(
        "docs/notes.md",
        &format!("---\ntitle: Notes\n# no heading: x\n---\n# One\n\n{BOOK}\n# Two\n\n{SEQUEL}\n"),
    );
    place.json(&["index", "docs"]);
    place.write("graphwright.toml", &format!("{FRESH}[text_units]\nsize = 24\noverlap = 0\n"));
    let refreshed = place.json(&["index", "--refresh"]);
    assert!(refreshed["notes"].is_null(), "{refreshed}");
    let again = place.json(&["sync", "docs"]);
    assert_eq!((&again["documents_changed"], &again["documents_unchanged"]), (&json!(0), &json!(2)));
    let export = place.export();
    std::fs::remove_dir_all(place.data()).expect("removed");
    place.json(&["sync", "docs"]);
    assert_equal_exports(&export, &place.export(), "refreshed and fresh");
    // a refresh that comes by the files reads them at once
    place.write("graphwright.toml", &format!("{FRESH}[text_units]\nsize = 40\noverlap = 0\n"));
    let at_once = place.json(&["sync", "docs", "--refresh"]);
    assert!(at_once["notes"].is_null(), "{at_once}");
    let export = place.export();
    std::fs::remove_dir_all(place.data()).expect("removed");
    place.json(&["sync", "docs"]);
    assert_equal_exports(&export, &place.export(), "refreshed by the files and fresh");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_prompt_makes_stale_what_it_decides_and_a_refresh_redoes_just_that() {
    let endpoint = Endpoint::start().await;
    let workspace = fresh_workspace("stale");
    let mut index =
        TestIndex::with(&Pairing::embedded(), &workspace, with_fresh_communities(endpoint.config())).await;
    index.write("book.txt", scripted::TEXT);
    let built = index.index(&[]).await;
    assert!(built.stale.is_empty() && built.work.reports_written > 0, "{built:?}");
    let (units, reports) = (built.work.text_units_read, built.work.reports_written);
    let prompts = index.folder.path().join("prompts");
    std::fs::create_dir(&prompts).expect("a folder");
    let refresh = IndexRequest { refresh: true, ..IndexRequest::default() };

    // another prompt for reports
    let text = include_str!("../../prompts/community_report.md");
    std::fs::write(prompts.join("community_report.md"), format!("{text}\nBe brief.\n")).expect("written");
    index.use_prompts(&prompts);
    endpoint.forget();
    let kept = index.index(&[]).await;
    assert_eq!(endpoint.tasks(), [""; 0], "nothing is paid for without being asked for");
    assert_eq!((kept.stale.reports, kept.stale.text_units, kept.stale.summaries), (reports, 0, 0));
    let redone = run::index(&index.services, &refresh, &Progress::silent()).await.expect("refreshed");
    assert!(
        endpoint.tasks().iter().all(|task| task.starts_with("community_report")),
        "{:?}",
        endpoint.tasks()
    );
    assert_eq!((redone.work.reports_written, redone.work.text_units_read), (reports, 0));
    assert!(redone.stale.is_empty(), "{redone:?}");

    // another prompt for extraction
    let text = include_str!("../../prompts/extract_graph.md");
    std::fs::write(prompts.join("extract_graph.md"), format!("{text}\nBe thorough.\n")).expect("written");
    index.use_prompts(&prompts);
    endpoint.forget();
    let counted = count_stale(&index.services).await.expect("counted");
    assert_eq!((counted.text_units, counted.reports), (units, 0));
    index.write("other.txt", OTHER);
    let added = index.index(&[]).await;
    assert_eq!((added.stale.text_units, added.work.text_units_read), (units, 1), "the new one is not stale");
    endpoint.forget();
    let redone = run::index(&index.services, &refresh, &Progress::silent()).await.expect("refreshed");
    assert_eq!((redone.work.text_units_read, redone.work.text_units_kept), (units, 1));
    assert!(
        endpoint.tasks().iter().all(|task| !task.starts_with("community_report")),
        "records are as they were"
    );
    assert!(redone.stale.is_empty(), "{redone:?}");

    // what was refreshed is what a fresh index makes
    let export = index.export().await;
    let mut fresh =
        TestIndex::with(&Pairing::embedded(), &workspace, with_fresh_communities(endpoint.config())).await;
    fresh.use_prompts(&prompts);
    fresh.write("book.txt", scripted::TEXT);
    fresh.write("other.txt", OTHER);
    fresh.index(&[]).await;
    assert_equal_exports(&export, &fresh.export().await, "refreshed and fresh");
    fresh.wipe().await;
    index.wipe().await;
}
