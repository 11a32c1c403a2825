//! Edits are data: the same documents and edits make the same graph, no later run undoes them, and undoing one leaves
//! what would be without it (design 3, 6, 17).

use crate::by_script::{self, Endpoint, data};
use crate::program::Place;
use crate::support::{
    Pairing, TestIndex, assert_equal_exports, fresh_workspace, pairings, with_fresh_communities,
};
use graphwright::config::Config;
use graphwright::domain::{Edit, EditKind, Entity, name_key};
use graphwright::index::run;
use graphwright::progress::Progress;

const BOOK: &str = "Ebenezer Scrooge lives in London. Bob Cratchit works for Ebenezer Scrooge in London.\n\n\
    Bob Cratchit loves Tiny Tim. Jacob Marley was the partner of Ebenezer Scrooge.\n\n\
    The ghost of Jacob Marley came to Ebenezer Scrooge. Fezziwig danced in London with Mrs. Fezziwig.\n";
const SEQUEL: &str =
    "Bob Cratchit and Tiny Tim met Jacob Marley in London. Ebenezer Scrooge gave Bob Cratchit a goose.\n";

/// Graphs of other ways are compared, and communities are not to depend on them.
fn fresh() -> Config {
    with_fresh_communities(Config::default())
}

fn edits() -> Vec<EditKind> {
    let key = name_key;
    vec![
        EditKind::Rename { name: key("Ebenezer Scrooge"), to: "The Miser of Cornhill".to_owned() },
        EditKind::Merge { names: vec![key("Tiny Tim")], into: key("Bob Cratchit"), shown: String::new() },
        EditKind::Delete { name: key("London") },
        EditKind::Pin {
            name: key("Jacob Marley"),
            property: "description".to_owned(),
            value: "Dead, to begin with.".to_owned(),
        },
        EditKind::Split { name: key("Bob Cratchit"), from: key("Tiny Tim") },
    ]
}

fn edit(index: &TestIndex, sequence: u64, kind: EditKind) -> Edit {
    let id = index.services.ids.other("edit", &[&serde_json::to_string(&kind).expect("JSON")]);
    Edit { id, sequence, kind }
}

async fn make(index: &TestIndex, edits: &[Edit]) {
    for edit in edits {
        index.services.graph.save_edit(edit, false).await.expect("saved");
    }
    run::apply_edits(&index.services, &Progress::silent()).await.expect("applied");
}

async fn undo(index: &TestIndex, edit: &Edit) {
    index.services.graph.save_edit(edit, true).await.expect("undone");
    run::apply_edits(&index.services, &Progress::silent()).await.expect("applied");
}

async fn entity(index: &TestIndex, name: &str) -> Option<Entity> {
    let id = index.services.ids.entity(&name_key(name));
    index.services.graph.entities_by_id(&[id]).await.expect("read").into_iter().next()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_edit_does_what_it_says_and_undoing_it_restores() {
    for pairing in pairings() {
        let index = TestIndex::with(&pairing, &fresh_workspace("edits"), fresh()).await;
        index.write("book.txt", BOOK);
        index.index(&[]).await;
        let before = index.export().await;
        for (at, kind) in (1..).zip(edits()) {
            let edit = edit(&index, at, kind);
            make(&index, std::slice::from_ref(&edit)).await;
            match &edit.kind {
                EditKind::Rename { name, to } => {
                    assert_eq!(&entity(&index, name).await.expect("it is there").name, to);
                    let led = index.services.graph.resolution().await.expect("read");
                    assert_eq!(led.get(&name_key(to)), Some(name), "the new name leads to it");
                }
                EditKind::Merge { names, into, .. } => {
                    assert_eq!(entity(&index, &names[0]).await, None);
                    assert!(
                        entity(&index, into)
                            .await
                            .expect("it is there")
                            .aliases
                            .contains(&"Tiny Tim".to_owned())
                    );
                }
                EditKind::Delete { name } => assert_eq!(entity(&index, name).await, None),
                EditKind::Pin { name, value, .. } => {
                    assert_eq!(&entity(&index, name).await.expect("it is there").description, value);
                }
                EditKind::Split { .. } => {}
            }
            undo(&index, &edit).await;
            assert_equal_exports(
                &before,
                &index.export().await,
                &format!("{pairing:?}: undone {:?}", edit.kind),
            );
        }
        index.wipe().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_documents_and_edits_make_the_same_graph_in_any_order() {
    let workspace = fresh_workspace("edits_order");
    for pairing in pairings() {
        let early = TestIndex::with(&pairing, &workspace, fresh()).await;
        let made: Vec<Edit> = (1..).zip(edits()).map(|(at, kind)| edit(&early, at, kind)).collect();
        // edits first, one by one, then documents, one of them only for a while
        early.write("book.txt", BOOK);
        early.index(&[]).await;
        for edit in &made {
            make(&early, std::slice::from_ref(edit)).await;
        }
        early.write("other.txt", &SEQUEL.replace("goose", "turkey"));
        early.index(&[]).await;
        std::fs::remove_file(early.folder.path().join("documents/other.txt")).expect("removed");
        early.remove(&["other.txt"]).await;
        early.write("sequel.txt", SEQUEL);
        early.index(&[]).await;
        assert_eq!(entity(&early, "London").await, None, "no ingest brings back what was deleted");
        assert_eq!(entity(&early, "Ebenezer Scrooge").await.expect("there").name, "The Miser of Cornhill");

        let late = TestIndex::with(&Pairing::embedded(), &workspace, fresh()).await;
        late.write("book.txt", BOOK);
        late.write("sequel.txt", SEQUEL);
        late.index(&[]).await;
        make(&late, &made).await;
        assert_equal_exports(&early.export().await, &late.export().await, &format!("{pairing:?}"));
        late.wipe().await;
        early.wipe().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_ended_before_an_edit_was_applied_is_made_good_by_the_next() {
    let workspace = fresh_workspace("edits_crash");
    let index = TestIndex::with(&Pairing::embedded(), &workspace, fresh()).await;
    index.write("book.txt", BOOK);
    index.index(&[]).await;
    let before = index.export().await;
    for (at, kind) in (1..).zip(edits()) {
        index.services.graph.save_edit(&edit(&index, at, kind), false).await.expect("saved");
    }
    index.index(&[]).await;
    assert_eq!(entity(&index, "London").await, None);
    for edit in index.services.graph.edits().await.expect("read") {
        index.services.graph.save_edit(&edit, true).await.expect("undone");
    }
    index.index(&[]).await;
    assert_equal_exports(&before, &index.export().await, "all undone");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn merged_names_go_by_the_name_that_was_asked_for() {
    for pairing in pairings() {
        let index = TestIndex::with(&pairing, &fresh_workspace("merge_names"), fresh()).await;
        index.write("book.txt", BOOK);
        index.index(&[]).await;
        let before = index.export().await;
        let key = name_key;
        // Bob Cratchit stands in more places than Tiny Tim
        for (at, shown, from, into) in [
            (1, "Tiny Tim", "Bob Cratchit", "Tiny Tim"),
            (2, "", "Bob Cratchit", "Tiny Tim"),
            (3, "The Cratchits", "Tiny Tim", "Bob Cratchit"),
        ] {
            let (names, shown) = (vec![key(from)], shown.to_owned());
            let merge = edit(&index, at, EditKind::Merge { names, into: key(into), shown: shown.clone() });
            make(&index, std::slice::from_ref(&merge)).await;
            let entity = entity(&index, into).await.expect("it is there");
            let wanted = if shown.is_empty() { into } else { shown.as_str() };
            assert_eq!(entity.name, wanted, "{pairing:?}");
            assert!(entity.aliases.contains(&from.to_owned()), "{:?}", entity.aliases);
            let led = index.services.graph.resolution().await.expect("read");
            let of = |name: &str| led.get(&key(name)).cloned().unwrap_or(key(name));
            assert_eq!(of(wanted), key(into), "the name leads to it");
            undo(&index, &merge).await;
            assert_equal_exports(&before, &index.export().await, &format!("{pairing:?}: undone {wanted}"));
        }
        index.wipe().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_is_foretold_with_its_price_and_nothing_is_asked_or_changed() {
    let endpoint = Endpoint::start(|task, messages| match task {
        "extract_graph" => {
            let text = data(messages);
            let people: Vec<&str> =
                ["Ann", "Bob", "Cid", "Annie"].into_iter().filter(|one| text.contains(one)).collect();
            let mut lines: Vec<String> =
                people.iter().map(|one| format!("entity<|>{one}<|>person<|>{one} is here.<|>NONE")).collect();
            let pairs = people.iter().zip(people.iter().skip(1));
            lines.extend(pairs.map(|(one, other)| {
                format!("relationship<|>{one}<|>{other}<|>knows<|>{one} knows {other}.<|>5")
            }));
            lines.push("<|COMPLETE|>".to_owned());
            lines.join("\n").into()
        }
        _ => by_script::report().into(),
    })
    .await;
    let place = Place::new();
    let prices = "[llm.prices.scripted]\ninput = 1.0\noutput = 2.0\n";
    place.write("graphwright.toml", &(endpoint.toml() + prices));
    place.write("docs/one.txt", "Ann met Bob and Cid and Annie.");
    place.json(&["index", "docs"]);
    let (asked, export) = (endpoint.calls().len(), place.export());
    let merge = ["entities", "merge", "Annie", "--into", "Ann"];
    let told = place.json(&[&merge[..], &["--dry-run"]].concat());
    assert_eq!(endpoint.calls().len(), asked, "nobody is asked");
    assert!(place.export() == export, "nothing is changed");
    assert_eq!(told["preview"]["entities"].as_array().map(Vec::len), Some(2), "{told}");
    assert!(told["estimate"]["cost"].as_f64().is_some_and(|cost| cost > 0.0), "{told}");
    let shown = place.run(&[&merge[..], &["--dry-run"]].concat());
    assert!(shown.stdout.contains("would be done: ") && shown.stdout.contains("reports"), "{}", shown.stdout);
    place.json(&merge);
    assert_eq!(told["estimate"]["calls"], endpoint.calls().len() - asked, "{told}");
    let wrong = place.run(&["entities", "merge", "Nobody", "--into", "Ann", "--dry-run"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.stderr);
}
