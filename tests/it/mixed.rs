//! A folder of everything at once: indexed, asked, synced after a change, on both pairs of stores.

use crate::limits::{rewritten, rewritten_bytes};
use crate::program::Place;
use crate::support::{Pairing, fresh_workspace, pairings};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Files of every format that is read natively, and of every kind that is not.
const FIXTURES: [&str; 18] = [
    "report.pdf",
    "carol-two-columns.pdf",
    "three-kingdoms-ch1.pdf",
    "report-pandoc.docx",
    "report-pandoc.odt",
    "report-pandoc.pptx",
    "report-libreoffice.odp",
    "report-pandoc.epub",
    "stock.ods",
    "mail.eml",
    "mail.mbox",
    "talk.vtt",
    "talk.srt",
    "bundle.zip",
    "report-pandoc.rtf",
    "scan-no-text-layer.pdf",
    "report-damaged-00.pdf",
    "report-encrypted-password-user.pdf",
];

const QUESTION: &str = "what is the stock of lamp oil?";

/// The list of stock, its first row of lamp oil, so much of it.
fn stock(quantity: u32) -> Vec<u8> {
    let named = rewritten("stock.xlsx", "xl/sharedStrings.xml", |text| text.replace("Candles", "Lamp oil"));
    rewritten_bytes(named, "xl/worksheets/sheet1.xml", |text| {
        text.replace("<v>120</v>", &format!("<v>{quantity}</v>"))
    })
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/documents").join(name)
}

fn place(pairing: &Pairing) -> Place {
    let place = Place::new();
    let section = |name: &str, url: Option<&str>| match url {
        Some(url) => format!("[{name}]\nurl = {url:?}\n"),
        None => String::new(),
    };
    let stores = section("graph", pairing.graph.as_deref()) + &section("vectors", pairing.vectors.as_deref());
    place.write("graphwright.toml", &stores);
    for name in FIXTURES {
        std::fs::copy(fixture(name), place.path().join("docs").join(name)).expect("copied");
    }
    std::fs::write(place.path().join("docs/stock.xlsx"), stock(120)).expect("written");
    place.write(
        "docs/notes.md",
        "---\ntitle: Ships\nauthor: Fezziwig\n---\n# Ships\n\nThe barrels come by ship from Hull.\n",
    );
    place.write("docs/rows.csv", "title,text\nOne,Tiny Tim met Fezziwig.\n");
    place.write("docs/page.html", "<h1>Lamps</h1><p>Bob Cratchit trims the lamps every evening.</p>");
    place.write("docs/report.pdf.meta.json", "{\"author\": \"Fezziwig\"}");
    place
}

/// What a run says, which passes over what nobody can read.
fn report(place: &Place, workspace: &str, arguments: &[&str]) -> Value {
    let run = place.run(&[arguments, &["--json", "--workspace", workspace]].concat());
    assert_eq!(run.code, Some(4), "{arguments:?}: {}", run.stderr);
    serde_json::from_str(run.stdout.lines().last().expect("a line")).expect("JSON")
}

/// The answer and where its first source stands: document, sheet, row.
fn answer(place: &Place, workspace: &str, method: &str) -> (String, Value) {
    let asked = place.json(&["query", QUESTION, "--method", method, "--workspace", workspace]);
    let sentence = &asked["citations"][0]["sentence"];
    let place = json!([
        sentence["document"],
        sentence["locator"]["kind"],
        sentence["locator"]["label"],
        sentence["locator"]["number"]
    ]);
    (asked["answer"].as_str().expect("a text").to_owned(), place)
}

/// Indexes, asks and syncs on a pair of stores; gives what both pairs must count alike.
fn check(pairing: &Pairing) -> Vec<Value> {
    let workspace = fresh_workspace("mixed");
    let place = place(pairing);
    let first = report(&place, &workspace, &["index", "docs"]);
    let problems = first["problems"].to_string();
    for part in [
        "evil.txt: leads out of the archive",
        "report-damaged-00.pdf: is damaged",
        "report-encrypted-password-user.pdf: asks for a password",
        "report-pandoc.rtf: is of type rtf",
        "scan-no-text-layer.pdf: page 1 of 1 has no text layer",
        "stock.xlsx: the sheet",
    ] {
        assert!(problems.contains(part), "{pairing:?}: {part} in {problems}");
    }
    let row = json!(["docs/stock.xlsx", "row", "Stock", 2]);
    for method in ["basic", "local"] {
        let (said, stands) = answer(&place, &workspace, method);
        assert!(said.contains("Item: Lamp oil · Quantity: 120"), "{pairing:?}, {method}: {said}");
        assert_eq!(stands, row, "{pairing:?}, {method}");
    }
    let source = place.run(&["source", "1", "--workspace", &workspace]);
    assert!(source.stdout.contains("docs/stock.xlsx, sheet Stock, row 2"), "{pairing:?}: {source:?}");
    let across = "Was it his custom to double lock himself in?";
    let asked = place.run(&["query", across, "--method", "basic", "--workspace", &workspace]);
    let cited = "docs/carol-two-columns.pdf, pp. 5–6";
    assert!(asked.stdout.contains(cited), "a sentence on two pages, {pairing:?}: {asked:?}");
    let source = place.run(&["source", "1", "--workspace", &workspace]);
    assert!(source.stdout.contains(cited), "{pairing:?}: {source:?}");

    let copied = |from: &str, to: &str| {
        std::fs::copy(fixture(from), place.path().join("docs").join(to)).expect("copied");
    };
    std::fs::write(place.path().join("docs/stock.xlsx"), stock(95)).expect("written");
    // another PDF by its content, and one that was only written anew
    copied("kangxi-radicals.pdf", "three-kingdoms-ch1.pdf");
    copied("report.pdf", "report.pdf");
    place.remove("docs/talk.srt");
    place.write("docs/new.md", "# New\n\nJacob Marley bought lamps in London.\n");
    let synced = report(&place, &workspace, &["sync", "docs"]);
    for (key, count) in [("documents_changed", 2), ("documents_removed", 1), ("documents_added", 1)] {
        assert_eq!(synced[key], count, "{pairing:?}: {key} in {synced}");
    }
    for method in ["basic", "local"] {
        let (said, stands) = answer(&place, &workspace, method);
        assert!(said.contains("Quantity: 95") && !said.contains("120"), "{pairing:?}, {method}: {said}");
        assert_eq!(stands, row, "{pairing:?}, {method}");
    }
    let again = report(&place, &workspace, &["sync", "docs"]);
    assert_eq!(again["text_units_read"], 0, "{pairing:?}: {again}");
    let counts = ["documents", "text_units", "entities", "relationships"];
    let counted = counts.into_iter().map(|key| first[key].clone()).collect();
    assert_eq!(place.run(&["remove", "docs/**", "--workspace", &workspace]).code, Some(0), "{pairing:?}");
    counted
}

#[test]
fn a_folder_of_everything_is_indexed_asked_and_synced_on_both_pairs_of_stores() {
    let pairs = pairings().into_iter().filter(|pairing| pairing.graph.is_some() == pairing.vectors.is_some());
    let mut counts = pairs.map(|pairing| check(&pairing));
    let first = counts.next().expect("the embedded pair");
    assert!(first.iter().all(|count| count.as_u64().is_some_and(|count| count > 0)), "{first:?}");
    for other in counts {
        assert_eq!(first, other, "both pairs hold the same");
    }
}
