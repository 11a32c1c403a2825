//! Pages that are pictures, read by a model or a command: right texts at their pages, what cannot be read, limits, ends in
//! the middle, and nothing paid for twice.

use crate::program::{Place, Run};
use crate::scripted::Endpoint;
use crate::support::{Pairing, TestIndex, fresh_workspace, pairings};
use graphwright::config::Config;
use graphwright::index::estimate;
use graphwright::index::run::sync::{self, SyncRequest};
use graphwright::index::run::{self, IndexRequest};
use graphwright::progress::Progress;
use std::io::{Cursor, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};
use zip::write::SimpleFileOptions;

/// A page of a PDF: words, or a picture that the scripted model knows by the page's width.
#[derive(Clone, Copy)]
enum Page {
    Words(&'static str),
    Picture(u32),
}

/// A PDF of some pages.
fn pdf(pages: &[Page]) -> Vec<u8> {
    let mut objects: Vec<String> = vec![
        "<</Type/Catalog/Pages 2 0 R>>".into(),
        String::new(),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".into(),
        "<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>\n\
         stream\nx\nendstream"
            .into(),
    ];
    let mut kids = String::new();
    for page in pages {
        let number = objects.len() + 1;
        kids.push_str(&format!("{number} 0 R "));
        let (width, height, content) = match page {
            Page::Words(words) => (600, 800, format!("BT /F 12 Tf 50 700 Td ({words}) Tj ET")),
            Page::Picture(kind) => (100 + 10 * kind, 200, "q 50 0 0 50 10 10 cm /I Do Q".to_owned()),
        };
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} {height}]/Contents {} 0 R\
             /Resources<</Font<</F 3 0 R>>/XObject<</I 4 0 R>>>>>>",
            number + 1
        ));
        objects.push(format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()));
    }
    objects[1] = format!("<</Type/Pages/Count {}/Kids[{kids}]>>", pages.len());
    let mut file = String::from("%PDF-1.4\n");
    let mut offsets = Vec::new();
    for (object, number) in objects.iter().zip(1..) {
        offsets.push(file.len());
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let start = file.len();
    file.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    for offset in offsets {
        file.push_str(&format!("{offset:010} 00000 n \n"));
    }
    let size = objects.len() + 1;
    file.push_str(&format!("trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n"));
    file.into_bytes()
}

const FIRST: Page = Page::Words("Jacob Marley was the partner of Ebenezer Scrooge.");

/// An index whose pages the scripted model reads.
async fn index_with(endpoint: &Endpoint, change: impl FnOnce(&mut Config)) -> TestIndex {
    index_on(&Pairing::embedded(), endpoint, change).await
}

async fn index_on(pairing: &Pairing, endpoint: &Endpoint, change: impl FnOnce(&mut Config)) -> TestIndex {
    let mut config = endpoint.config();
    config.documents.ocr = "model".into();
    change(&mut config);
    TestIndex::with(pairing, &fresh_workspace("ocr"), config).await
}

fn put(index: &TestIndex, name: &str, bytes: &[u8]) {
    std::fs::write(index.folder.path().join("documents").join(name), bytes).expect("written");
}

fn read_pages(endpoint: &Endpoint) -> usize {
    endpoint.tasks().iter().filter(|task| *task == "read_page").count()
}

/// The document's text, and the page that a word of it stands on.
async fn text_and_page(index: &TestIndex, name: &str, word: &str) -> (String, u64) {
    let id = index.services.ids.document(&format!("docs/{name}"));
    let units = index.services.graph.text_units_of(&id).await.expect("units");
    let text: String = graphwright::index::text_units::joined(&units);
    let at = text.find(word).map(|byte| text[..byte].chars().count() as u64);
    let page = at.and_then(|at| {
        let unit = units.iter().find(|unit| (unit.unit.start_offset..unit.unit.end_offset).contains(&at))?;
        unit.unit.locator_at(at).map(|place| place.number)
    });
    (text, page.unwrap_or(0))
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_are_pictures_are_read_at_their_places() {
    for pairing in pairings() {
        let endpoint = Endpoint::start().await;
        let index = index_on(&pairing, &endpoint, |_| {}).await;
        let pages = [
            FIRST,
            Page::Picture(2),
            Page::Words("Scrooge was a miser."),
            Page::Picture(6),
            Page::Picture(5),
        ];
        put(&index, "carol.pdf", &pdf(&pages));
        let report = index.index(&[]).await;
        assert_eq!(report.problems, Vec::<String>::new());
        assert_eq!((report.pages, report.pages_without_text), (5, 0));
        assert_eq!(read_pages(&endpoint), 3);
        let row = report.ledger.iter().find(|row| row.task == "read_page").expect("in the ledger");
        assert_eq!((row.stage(), row.counters.calls), ("pages", 3));
        for (word, page) in
            [("Marley", 1), ("Leaf 2", 2), ("of page 2", 2), ("miser", 3), ("Tiny Tim of page 6 met", 4)]
        {
            let (text, found) = text_and_page(&index, "carol.pdf", word).await;
            assert_eq!(found, page, "{word} in {text}");
            assert!(!text.contains(['\0', '\u{1b}', '`', '#']), "{text:?}");
        }
        let first = index.export().await;

        // nothing has changed: nobody is asked, and no page is drawn
        endpoint.forget();
        let again = index.index(&[]).await;
        assert_eq!((again.documents_unchanged, again.documents_changed, again.pages_without_text), (1, 0, 0));
        assert_eq!(endpoint.tasks(), Vec::<String>::new());
        assert_eq!(again.stale, graphwright::domain::Stale::default());

        // read anew of the same replies, it is the same to the last byte
        let fresh = index_on(&pairing, &endpoint, |_| {}).await;
        put(&fresh, "carol.pdf", &pdf(&pages));
        fresh.index(&[]).await;
        assert_eq!(fresh.export().await["documents.jsonl"].len(), first["documents.jsonl"].len());
        fresh.wipe().await;
        index.wipe().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_a_problem_that_names_file_and_page_and_is_tried_again() {
    let endpoint = Endpoint::start().await;
    let index = index_with(&endpoint, |config| config.llm.retries = 0).await;
    put(&index, "carol.pdf", &pdf(&[FIRST, Page::Picture(7), Page::Picture(9), Page::Picture(1)]));
    put(&index, "broken.png", b"\x89PNG\r\n\x1a\n\0\0\0\0 and no more of it than these words here");
    put(&index, "photo.tiff", b"II*\0and some more bytes");
    let report = index.index(&[]).await;
    let problems = report.problems.join("\n");
    for part in [
        "carol.pdf: page 2 could not be read: the model cannot read it",
        "carol.pdf: page 3 could not be read: ",
        "the picture cannot be decoded",
        "broken.png: could not be read: ",
        "photo.tiff: could not be read: models take PNG",
    ] {
        assert!(problems.contains(part), "{part} in {problems}");
    }
    assert_eq!(report.pages_without_text, 4, "{problems}");
    assert_eq!(text_and_page(&index, "carol.pdf", "of page 1").await.1, 4);
    // the next run asks again for what was turned down, and what was read is kept
    endpoint.forget();
    let again = index.index(&[]).await;
    assert_eq!((again.documents_unchanged, again.documents_changed), (1, 0), "{:?}", again.problems);
    assert_eq!(read_pages(&endpoint), 2, "page 3 and the broken picture");
    assert_eq!(again.problems.len(), report.problems.len());
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_model_makes_documents_stale_and_none_keeps_what_was_read() {
    let endpoint = Endpoint::start().await;
    let mut index = index_with(&endpoint, |_| {}).await;
    put(&index, "carol.pdf", &pdf(&[FIRST, Page::Picture(2)]));
    index.index(&[]).await;
    endpoint.forget();

    let with = |index: &TestIndex, ocr: &str, model: &str| {
        let mut config = index.services.config.clone();
        config.documents.ocr = ocr.into();
        config.llm.ocr.model = Some(model.into());
        let ledger = std::sync::Arc::clone(&index.services.ledger);
        let chat =
            graphwright::llm::chat_model(&config.llm, &index.services.data_dir, &ledger).expect("a model");
        (config, chat)
    };
    (index.services.config, index.services.chat) = with(&index, "model", "another");
    let report = index.index(&[]).await;
    assert_eq!((report.stale.documents, report.documents_unchanged, read_pages(&endpoint)), (1, 1, 0));
    let mut request = IndexRequest { refresh: true, ..IndexRequest::default() };
    request.paths = vec![index.folder.path().join("documents").display().to_string()];
    request.discover.sources = vec![("docs".to_owned(), index.folder.path().join("documents"))];
    let refreshed = run::index(&index.services, &request, &Progress::silent()).await.expect("indexed");
    assert_eq!((refreshed.stale.documents, read_pages(&endpoint)), (0, 1));

    // without anything that reads pages, what was read stays
    (index.services.config, index.services.chat) = with(&index, "", "another");
    let report = index.index(&[]).await;
    assert_eq!((report.documents_unchanged, report.documents_changed, report.pages_without_text), (1, 0, 0));
    assert_eq!(text_and_page(&index, "carol.pdf", "of page 2").await.1, 2);
    assert_eq!(report.problems, Vec::<String>::new());
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_counted_before_they_are_asked_about() {
    let endpoint = Endpoint::start().await;
    let index = index_with(&endpoint, |_| {}).await;
    put(&index, "carol.pdf", &pdf(&[FIRST, Page::Picture(2), Page::Picture(3)]));
    put(&index, "scan.pdf", &pdf(&[Page::Picture(4)]));
    let folder = index.folder.path().join("documents");
    let mut request = IndexRequest { paths: vec![folder.display().to_string()], ..IndexRequest::default() };
    request.discover.sources = vec![("docs".to_owned(), folder.clone())];
    let services = &index.services;
    let graph = Some(services.graph.as_ref());
    let estimated =
        estimate::estimate(&services.config, &services.ids, graph, &request).await.expect("estimated");
    let pages = estimated.stages.iter().find(|stage| stage.stage == "pages").expect("a stage");
    assert_eq!((pages.calls, estimated.documents), (3, 2));
    assert!(pages.input_tokens > 4500 && pages.output_tokens >= 1500, "{pages:?}");
    assert!(estimated.stages.iter().any(|stage| stage.stage == "extraction" && stage.calls > 1));
    let mut wanted = SyncRequest { folders: vec![folder.display().to_string()], ..SyncRequest::default() };
    wanted.discover.sources.clone_from(&request.discover.sources);
    let plan = sync::plan(Some(services), &wanted).await.expect("a plan");
    assert_eq!(plan.new, ["docs/carol.pdf", "docs/scan.pdf"]);
    assert_eq!(endpoint.calls().len(), 0, "nobody was asked");

    index.index(&[]).await;
    let estimated =
        estimate::estimate(&services.config, &services.ids, graph, &request).await.expect("estimated");
    assert_eq!((estimated.calls, estimated.documents_unchanged), (0, 2), "{:?}", estimated.stages);
    let plan = sync::plan(Some(services), &wanted).await.expect("a plan");
    assert_eq!((plan.unchanged, plan.new.len(), plan.changed.len()), (2, 0, 0));
    index.wipe().await;
}

/// Two documents, eleven pages to be read.
fn long(place: &Place, endpoint: &Endpoint, more: &str) {
    let toml = format!("{}\n[documents]\nocr = \"model\"\n{more}", endpoint.toml(1));
    place.write("graphwright.toml", &toml);
    for name in ["one.pdf", "two.pdf"] {
        let pages: Vec<Page> = std::iter::once(FIRST)
            .chain([1, 2, 3, 4, 6, 8].map(Page::Picture))
            .take(if name == "one.pdf" { 7 } else { 6 })
            .collect();
        // no page of one is a page of the other
        let extra = if name == "one.pdf" { "%one\n" } else { "" };
        let bytes = [pdf(&pages), extra.as_bytes().to_vec()].concat();
        std::fs::write(place.path().join("docs").join(name), bytes).expect("written");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_ends_the_run_among_the_pages_and_the_next_one_goes_on() {
    let endpoint = Endpoint::start().await;
    let place = Place::new();
    long(&place, &endpoint, "");
    let stopped = place.run(&["index", "docs", "--max-tokens", "7000", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&stopped.stdout).expect(&stopped.stderr);
    assert!(report["stopped"].as_str().is_some_and(|why| why.contains("budget")), "{report}");
    let asked = read_pages(&endpoint);
    assert!((1..6).contains(&asked), "{asked} pages");
    let report = place.json(&["index", "docs"]);
    assert_eq!(report["documents_added"], 2, "{report}");
    assert_eq!(endpoint.repeated(), 0, "no page was paid for twice");
    assert_eq!(read_pages(&endpoint), 6, "equal pages are asked about once");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_run_killed_among_the_pages_leaves_what_a_whole_one_would() {
    let endpoint = Endpoint::start().await;
    let (killed, whole) = (Place::new(), Place::new());
    for signal in ["KILL", "INT"] {
        long(&killed, &endpoint, "");
        endpoint.slow_down("read_page", Duration::from_millis(200));
        let mut command = killed.command(&["index", "docs"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let (begun, before) = (Instant::now(), read_pages(&endpoint));
        while read_pages(&endpoint) < before + 2 {
            assert!(begun.elapsed() < Duration::from_mins(1), "the model is never asked");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        crate::interrupts::signal(&child, signal);
        let ended = Run::of(child.wait_with_output().expect("it ends"));
        assert_eq!(ended.code, if signal == "INT" { Some(130) } else { None }, "{}", ended.stderr);
    }
    endpoint.slow_down("", Duration::ZERO);
    killed.json(&["index", "docs"]);
    assert!(endpoint.repeated() <= 1, "only what was in flight at the kill is asked again");
    long(&whole, &endpoint, "");
    whole.json(&["index", "docs"]);
    let (killed, whole) = (killed.export(), whole.export());
    assert_eq!(killed["text_units.jsonl"], whole["text_units.jsonl"]);
    assert_eq!(killed["documents.jsonl"], whole["documents.jsonl"]);
}

#[cfg(unix)]
#[test]
fn a_command_reads_pages_and_pictures_and_the_cited_page_is_shown() {
    let place = Place::new();
    place.write(
        "read.sh",
        r#"echo x >> "$(dirname "$0")/asked"
head -c 8 "$1" | grep -q PNG || exit 3
if [ $(wc -c < "$1") -lt 100 ]; then echo 'Fezziwig paid for candles.'; exit; fi
echo 'The stock of lamp oil is 139 barrels.'
"#,
    );
    let script = place.path().join("read.sh");
    place.write("graphwright.toml", &format!("[documents]\nocr = \"sh {} {{image}}\"\n", script.display()));
    assert_eq!(place.run(&["trust"]).code, Some(0));
    let scan = pdf(&[FIRST, Page::Picture(2)]);
    let attached = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, &scan);
    place.write(
        "docs/letter.eml",
        &format!(
            "From: fred@example.org\r\nTo: scrooge@example.org\r\nSubject: A scan\r\nMIME-Version: 1.0\r\n\
             Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nSee the scan.\r\n\
             --b\r\nContent-Type: application/pdf; name=scan.pdf\r\nContent-Disposition: attachment; filename=scan.pdf\r\n\
             Content-Transfer-Encoding: base64\r\n\r\n{attached}\r\n--b--\r\n"
        ),
    );
    std::fs::write(place.path().join("docs/receipt.png"), b"\x89PNG\r\n\x1a\nand so on").expect("written");
    let report = place.json(&["index", "docs"]);
    assert_eq!(report["problems"], serde_json::json!([]), "{report}");
    let asked = || std::fs::read_to_string(place.path().join("asked")).expect("asked").lines().count();
    assert_eq!((asked(), &report["documents_added"]), (2, &3.into()), "{report}");
    let again = place.json(&["sync", "docs"]);
    assert_eq!(
        (asked(), &again["documents_unchanged"], &again["documents_removed"]),
        (2, &3.into(), &0.into())
    );

    let question = ["query", "What is the stock of lamp oil?", "--method", "basic"];
    let answer = place.json(&question);
    let citations = answer["citations"].as_array().expect("a list");
    let cited = citations
        .iter()
        .find(|cited| cited["sentence"]["document"] == "docs/letter.eml#scan.pdf")
        .unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(
        (&cited["sentence"]["locator"]["kind"], &cited["sentence"]["locator"]["number"]),
        (&"page".into(), &2.into())
    );
    let id = cited["sentence"]["text_unit_id"].as_str().expect("an id");
    let source = place.json(&["source", id, "-o", "page.png"]);
    let last = source["pages"].as_array().and_then(|pages| pages.last()).expect("a page");
    assert_eq!(
        (&last["page"], &last["boxes"]),
        (&2.into(), &serde_json::json!([[0.0, 0.0, 120.0, 200.0]])),
        "{source}"
    );
    let picture = std::fs::read(place.path().join("page-2.png")).expect("a picture");
    assert!(picture.starts_with(b"\x89PNG"));

    // without the command a picture is no document, and what is stored stays
    place.write("graphwright.toml", "");
    let off = place.run(&["index", "docs/receipt.png"]);
    assert!(
        off.stderr.contains("is a picture (.png), which is read where [documents] ocr"),
        "{}",
        off.stderr
    );
    let kept = place.json(&["index", "docs/letter.eml"]);
    assert_eq!((&kept["documents_unchanged"], &kept["documents_changed"]), (&2.into(), &0.into()), "{kept}");
    let failing = "[documents]\nocr = \"no-such-program {image}\"\n";
    place.write("graphwright.toml", failing);
    place.run(&["trust"]);
    std::fs::write(place.path().join("docs/new.png"), b"\x89PNG\r\n\x1a\nand so on").expect("written");
    let run = place.run(&["index", "docs/new.png"]);
    assert!(
        run.stderr.contains("new.png: could not be read: no-such-program cannot be started"),
        "{}",
        run.stderr
    );
}

#[test]
fn pages_of_what_lies_in_an_archive_are_shown() {
    let place = Place::new();
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/documents");
    let report = std::fs::read(fixtures.join("report.pdf")).expect("a file");
    std::fs::write(place.path().join("docs/bundle.zip"), stored_zip("papers/report.pdf", &report))
        .expect("written");
    place.json(&["index", "docs"]);
    place.json(&["query", "Who was the hostess at the warehouse?", "--method", "basic"]);
    let source = place.json(&["source", "1", "-o", "page.png"]);
    assert_eq!(source["document"], "docs/bundle.zip#papers/report.pdf", "{source}");
    assert!(!source["pages"][0]["boxes"].as_array().expect("boxes").is_empty(), "{source}");
    assert!(std::fs::read(place.path().join("page.png")).expect("a picture").starts_with(b"\x89PNG"));
    let other = stored_zip("papers/other.pdf", &report);
    std::fs::write(place.path().join("docs/bundle.zip"), other).expect("written");
    let gone = place.run(&["source", "1", "-o", "page.png"]);
    assert!(gone.stderr.contains("does not hold it any more"), "{}", gone.stderr);
    std::fs::write(place.path().join("report.pdf"), report).expect("written");
    let named = place.run(&["source", "1", "--file", "report.pdf", "-o", "named.png"]);
    assert_eq!(named.code, Some(0), "{}", named.stderr);
}

/// A zip archive with one file.
fn stored_zip(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file(name, SimpleFileOptions::default()).expect("begun");
    writer.write_all(bytes).expect("written");
    writer.finish().expect("finished").into_inner()
}
