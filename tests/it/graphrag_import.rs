//! An index of microsoft/graphrag comes in: small ones that the test writes in every layout, and the real one of the
//! Carol where the shared data lie beside the repository's folder.

use crate::support::{TestIndex, fresh_workspace, pairings};
use graphwright::domain::{Id, UnitState, name_key};
use graphwright::exchange::graphrag;
use graphwright::exchange::parquet_rows::{ColumnKind, ParquetTable};
use graphwright::index::run;
use graphwright::progress::Progress;
use graphwright::query::{self, Method, QueryRequest};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const CAROL: &str = "Scrooge is a miser. His clerk is Bob Cratchit. Marley was his partner.";
const LETTER: &str = "Bob Cratchit writes to Peter. Peter lives far away.";

/// A column: what it holds, a value a row.
type Column = (ColumnKind, Vec<Value>);

fn text(values: &[&str]) -> Column {
    (ColumnKind::Text, values.iter().map(|value| json!(value)).collect())
}

fn lists(values: &[&[&str]]) -> Column {
    (ColumnKind::Texts, values.iter().map(|list| json!(list)).collect())
}

fn whole(values: &[i64]) -> Column {
    (ColumnKind::Whole, values.iter().map(|value| json!(value)).collect())
}

fn real(values: &[f64]) -> Column {
    (ColumnKind::Real, values.iter().map(|value| json!(value)).collect())
}

fn write(folder: &Path, name: &str, columns: &[(&'static str, Column)]) {
    let kinds: Vec<(&'static str, ColumnKind)> =
        columns.iter().map(|(name, (kind, _))| (*name, *kind)).collect();
    let rows = columns.iter().map(|(_, (_, values))| values.len()).max().unwrap_or(0);
    let mut table = ParquetTable::create(&folder.join(format!("{name}.parquet")), Box::leak(kinds.into()))
        .expect("a file");
    for row in 0..rows {
        let cells = columns.iter().map(|(name, (_, values))| ((*name).to_owned(), values[row].clone()));
        table.push(&Value::Object(cells.collect())).expect("written");
    }
    table.end().expect("closed");
}

/// Two documents of one text unit each; Bob is in both.
pub fn write_tables(folder: &Path, old: bool) {
    let prefix = if old { "create_final_" } else { "" };
    let write = |name: &str, columns: Vec<(&'static str, Column)>| {
        write(folder, &format!("{prefix}{name}"), &columns);
    };
    write(
        "documents",
        vec![
            ("id", text(&["d1", "d2"])),
            ("title", text(&["carol.txt", "letter.txt"])),
            (if old { "raw_content" } else { "text" }, text(&[CAROL, LETTER])),
            ("text_unit_ids", lists(&[&["u1"], &["u2"]])),
        ],
    );
    let held_by =
        if old { ("document_ids", lists(&[&["d1"], &["d2"]])) } else { ("document_id", text(&["d1", "d2"])) };
    write(
        "text_units",
        vec![
            ("id", text(&["u1", "u2"])),
            ("human_readable_id", whole(&[0, 1])),
            ("text", text(&[CAROL, LETTER])),
            held_by,
        ],
    );
    write(
        "entities",
        vec![
            ("id", text(&["e1", "e2", "e3", "e4"])),
            ("human_readable_id", whole(&[0, 1, 2, 3])),
            (if old { "name" } else { "title" }, text(&["SCROOGE", "BOB CRATCHIT", "PETER", "MARLEY"])),
            ("type", text(&["PERSON"; 4])),
            ("description", text(&["A miser", "A clerk who writes to Peter", "A friend", "A partner"])),
            ("text_unit_ids", lists(&[&["u1"], &["u1", "u2"], &["u2"], &["u1"]])),
        ],
    );
    write(
        "relationships",
        vec![
            ("human_readable_id", if old { text(&["0", "1"]) } else { whole(&[0, 1]) }),
            ("source", text(&["BOB CRATCHIT", "BOB CRATCHIT"])),
            ("target", text(&["SCROOGE", "PETER"])),
            ("description", text(&["Bob is Scrooge's clerk", "Bob writes to Peter"])),
            ("weight", real(&[9.0, 4.0])),
            ("text_unit_ids", lists(&[&["u1"], &["u2"]])),
        ],
    );
    if old {
        write(
            "nodes",
            vec![
                ("title", text(&["SCROOGE", "BOB CRATCHIT", "PETER", "SCROOGE", "BOB CRATCHIT", "MARLEY"])),
                ("community", text(&["0", "0", "0", "1", "1", "-1"])),
                ("level", whole(&[0, 0, 0, 1, 1, 0])),
            ],
        );
    } else {
        write(
            "communities",
            vec![
                ("community", whole(&[0, 1])),
                ("level", whole(&[0, 1])),
                ("parent", whole(&[-1, 0])),
                ("entity_ids", lists(&[&["e1", "e2", "e3"], &["e1", "e2"]])),
            ],
        );
    }
    let findings =
        lists(&[&["Bob works for Scrooge [Data: Relationships (0), Entities (1)]."], &["They meet."]]);
    write(
        "community_reports",
        vec![
            ("id", text(&["r0", "r1"])),
            ("community", if old { text(&["0", "1"]) } else { whole(&[0, 1]) }),
            ("title", text(&["Bob and his letters", "The counting-house"])),
            ("summary", text(&["Bob, Scrooge and Peter.", "Scrooge and Bob."])),
            ("rank", real(&[7.5, 3.0])),
            (if old { "rank_explanation" } else { "rating_explanation" }, text(&["central", "less so"])),
            ("findings", findings),
        ],
    );
    write(
        "covariates",
        vec![
            ("human_readable_id", whole(&[0])),
            ("type", text(&["CHARACTER"])),
            ("description", text(&["Scrooge is called a miser."])),
            ("subject_id", text(&["SCROOGE"])),
            ("object_id", text(&["NONE"])),
            ("status", text(&["TRUE"])),
            ("start_date", text(&["NONE"])),
            ("end_date", text(&["1843-12-31"])),
            ("source_text", text(&["Scrooge is a miser."])),
            ("text_unit_id", text(&["u1"])),
        ],
    );
}

async fn imported(index: &TestIndex, old: bool) -> graphrag::ImportReport {
    let folder = index.folder.path().join("output");
    std::fs::create_dir_all(&folder).expect("a folder");
    write_tables(&folder, old);
    // the folder above is found too
    graphrag::import(&index.services, index.folder.path(), &Progress::silent()).await.expect("imported")
}

#[tokio::test(flavor = "multi_thread")]
async fn both_layouts_come_in_whole_and_alike() {
    for pairing in pairings() {
        let mut exports = Vec::new();
        for old in [false, true] {
            let index = TestIndex::new(&pairing, "graphrag_layouts").await;
            let report = imported(&index, old).await;
            let counts = report.counts;
            assert_eq!((counts.documents, counts.text_units, counts.entities), (2, 2, 4), "{report:?}");
            assert_eq!((counts.relationships, counts.claims, counts.communities), (2, 1, 4), "{report:?}");
            let graph = &index.services.graph;
            let generation = graph.state().await.unwrap().generation;
            let communities = graph.communities(generation).await.unwrap();
            // Marley stands outside the hierarchy, Peter in no part of his community: both get leaves
            let leaves = communities.iter().filter(|c| c.leaf && c.members.len() == 1).count();
            assert_eq!(leaves, 2, "{communities:?}");
            let first = communities.iter().find(|c| c.report.title == "Bob and his letters").expect("kept");
            assert_eq!(first.report.findings[0].citations.len(), 2, "numbers became records");
            assert_eq!(first.report.findings[0].summary, "Bob works for Scrooge.");
            exports.push(index.export().await);
            index.wipe().await;
        }
        crate::support::assert_equal_exports(&exports[0], &exports[1], "layouts");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_imported_hierarchy_stays_until_communities_are_called_for() {
    for pairing in pairings() {
        let index = TestIndex::new(&pairing, &fresh_workspace("graphrag_stays")).await;
        imported(&index, false).await;
        let before = index.export().await;
        index
            .write("new.txt", "Fred Hollins met Fan Hollins in Camden Town. Fred Hollins likes Camden Town.");
        let report = index.index(&[]).await;
        assert_eq!(report.documents_added, 1);
        let graph = &index.services.graph;
        let titles = || async {
            let generation = graph.state().await.unwrap().generation;
            let all = graph.communities(generation).await.unwrap();
            let held: BTreeSet<Id> =
                all.iter().filter(|c| c.level == 0).flat_map(|c| c.members.clone()).collect();
            assert_eq!(held.len() as u64, graph.counts().await.unwrap().entities, "no entity is outside");
            all.into_iter().map(|c| c.report.title).collect::<BTreeSet<_>>()
        };
        assert!(titles().await.contains("Bob and his letters"));
        index.remove(&["new.txt"]).await;
        crate::support::assert_equal_exports(&before, &index.export().await, "added and removed");
        run::rebuild_communities(&index.services, &Progress::silent()).await.expect("communities");
        assert!(!titles().await.contains("Bob and his letters"), "the community stage took over");
        index.wipe().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn removing_an_imported_document_takes_what_only_it_supports_and_says_what_is_mixed() {
    for pairing in pairings() {
        let index = TestIndex::new(&pairing, &fresh_workspace("graphrag_remove")).await;
        imported(&index, false).await;
        let services = &index.services;
        let id = services.ids.document("letter.txt");
        let report = run::remove(services, &[id], &Progress::silent()).await.expect("removed");
        assert_eq!((report.counts.documents, report.counts.entities), (1, 3), "{report:?}");
        assert_eq!(report.counts.relationships, 1);
        let note = report.notes.join("\n");
        assert!(note.contains("BOB CRATCHIT") && note.contains("1 entities"), "{note}");
        let peter = services.ids.entity(&name_key("PETER"));
        assert!(services.graph.entities_by_id(&[peter]).await.unwrap().is_empty());
        index.wipe().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn imported_records_are_not_stale_when_settings_change() {
    let index =
        TestIndex::new(&crate::support::Pairing::embedded(), &fresh_workspace("graphrag_stale")).await;
    imported(&index, false).await;
    assert_eq!(index.services.graph.expire_extraction("another").await.unwrap(), 0);
    let marks = graphwright::domain::StaleMarks {
        extraction: "another".into(),
        summaries: "another".into(),
        reports: "another".into(),
    };
    assert!(index.services.graph.count_stale(&marks).await.unwrap().text_units == 0);
    let units = index.services.graph.text_units(None, 10).await.unwrap();
    assert!(units.iter().all(|unit| unit.state.extraction.as_deref() == Some(UnitState::IMPORTED)));
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_without_a_column_is_named_and_nothing_is_written() {
    let index = TestIndex::new(&crate::support::Pairing::embedded(), &fresh_workspace("graphrag_bad")).await;
    let folder = index.folder.path().join("output");
    std::fs::create_dir_all(&folder).expect("a folder");
    write_tables(&folder, false);
    write(&folder, "relationships", &[("source", text(&["A"])), ("target", text(&["B"]))]);
    let error = graphrag::import(&index.services, &folder, &Progress::silent()).await.expect_err("no column");
    let told = format!("{error:#}");
    assert!(told.contains("relationships.parquet") && told.contains("\"description\""), "{told}");
    assert_eq!(index.services.graph.counts().await.unwrap().documents, 0);
    assert!(index.services.graph.state().await.unwrap().settings.is_empty());
    index.wipe().await;
}

fn carol() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/msgraphrag/christmas-carol");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: the real index of the Carol is not at {}", folder.display());
    None
}

#[tokio::test(flavor = "multi_thread")]
async fn the_real_index_of_the_carol_comes_in_and_answers() {
    let Some(folder) = carol() else { return };
    let index =
        TestIndex::new(&crate::support::Pairing::embedded(), &fresh_workspace("graphrag_carol")).await;
    let services = &index.services;
    let report = graphrag::import(services, &folder, &Progress::silent()).await.expect("imported");
    assert_eq!(
        (report.rows["entities"], report.rows["relationships"], report.rows["communities"]),
        (529, 978, 122)
    );
    assert_eq!((report.counts.documents, report.counts.text_units), (1, 42), "{report:?}");
    assert!(report.counts.entities >= 529, "{report:?}");
    assert_eq!(report.counts.relationships, 978 - 43, "43 are the reverse of another one");
    for (method, question) in [
        (Method::Local, "Who is Bob Cratchit?"),
        (Method::Global, "What does the story say about Christmas?"),
    ] {
        let request = QueryRequest { question: question.into(), method, ..QueryRequest::default() };
        let answer = query::query(services, &request, &mut |_| {}).await.expect("an answer");
        assert!(!answer.citations.is_empty(), "{method:?} cites: {}", answer.answer);
    }
    index.wipe().await;
}
