//! `[limits]`: each is met by a file that goes beyond it, is named with its key, and holds nothing else up. And archives,
//! books and office documents that were made to do harm.

use crate::graphrag_import::write_tables;
use crate::program::Place;
use graphwright::config::{Config, LimitsConfig};
use graphwright::exchange::parquet_rows::{ColumnKind, ParquetTable};
use graphwright::index::documents::{self, ReadOptions, Reading, SourceFile};
use serde_json::json;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(root().join("tests/fixtures/documents").join(name)).expect("a file")
}

/// What comes of a file within limits, in this process.
fn read(name: &str, bytes: &[u8], set: impl Fn(&mut LimitsConfig)) -> Reading {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("written");
    let mut options = ReadOptions::default();
    set(&mut options.limits);
    documents::read(&SourceFile { path, key: name.to_owned() }, &options)
}

fn problem_text(reading: &Reading) -> String {
    reading.problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn zipped(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in files {
        writer.start_file(name.as_str(), options).expect("begun");
        writer.write_all(bytes).expect("written");
    }
    writer.finish().expect("an archive").into_inner()
}

/// An office document with one of its parts rewritten.
pub(crate) fn rewritten(name: &str, part: &str, change: impl Fn(&str) -> String) -> Vec<u8> {
    rewritten_bytes(fixture(name), part, change)
}

/// The same of a document's bytes.
pub(crate) fn rewritten_bytes(bytes: Vec<u8>, part: &str, change: impl Fn(&str) -> String) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut files = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).expect("a file");
        let name = file.name().expect("a name").into_owned();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("read");
        if name == part {
            bytes = change(&String::from_utf8(bytes).expect("text")).into_bytes();
        }
        files.push((name, bytes));
    }
    assert!(files.iter().any(|(name, _)| name == part), "{part}");
    zipped(&files)
}

#[test]
fn every_limit_is_documented_and_refuses_nought() {
    let page = std::fs::read_to_string(root().join("docs/security.md")).expect("the page");
    let defaults = serde_json::to_value(LimitsConfig::default()).expect("JSON");
    for (key, value) in defaults.as_object().expect("an object") {
        assert!(
            page.contains(&format!("| `[limits] {key}` | {value} |")),
            "docs/security.md lacks {key} = {value}"
        );
        let error = Config::parse(&format!("[limits]\n{key} = 0")).and_then(|config| config.check());
        let error = error.expect_err("nought is nothing").to_string();
        assert!(error.contains(&format!("[limits] {key} is 0")), "{error}");
    }
}

#[test]
fn rows_fields_pages_and_markup_have_limits() {
    let check = |name: &str, bytes: &[u8], set: fn(&mut LimitsConfig), key: &str| {
        let reading = read(name, bytes, set);
        assert!(
            problem_text(&reading).contains(&format!("[limits] {key}")),
            "{name}: {}",
            problem_text(&reading)
        );
    };
    check("a.json", br#"["a","b","c"]"#, |limits| limits.rows = 2, "rows");
    check("a.csv", b"text,b,c\nx,y,z\n", |limits| limits.row_fields = 2, "row_fields");
    check("a.jsonl", br#"{"text":"x","b":1,"c":2}"#, |limits| limits.fields = 2, "fields");
    check("a.html", "<p>x".repeat(100).as_bytes(), |limits| limits.html_nodes = 50, "html_nodes");
    check("a.html", "<div>".repeat(100).as_bytes(), |limits| limits.html_depth = 50, "html_depth");
    check("a.html", b"<p>x", |limits| limits.file_s = 0, "file_s");
    let pages = read("a.pdf", &fixture("carol-two-columns.pdf"), |limits| limits.pdf_pages = 2);
    assert!(problem_text(&pages).contains("was read up to page 2 of 6 only"), "{}", problem_text(&pages));
    assert!(problem_text(&pages).contains("[limits] pdf_pages"), "{}", problem_text(&pages));
    assert_eq!(pages.documents.len(), 1, "what was read of it stands");
}

#[test]
fn archives_have_limits_that_they_share_with_those_inside_them() {
    let text = |size: usize| b"The snow lay deep in the court.\n".repeat(size / 32);
    let many: Vec<(String, Vec<u8>)> = (0..30).map(|number| (format!("{number}.txt"), text(64))).collect();
    let reading = read("a.zip", &zipped(&many), |limits| limits.archive_files = 20);
    assert!(problem_text(&reading).contains("[limits] archive_files"), "{}", problem_text(&reading));

    // a bomb: 64 MB of one letter
    let bomb = zipped(&[("good.txt".into(), text(64)), ("z.txt".into(), vec![b'a'; 64 << 20])]);
    assert!(bomb.len() < 100_000);
    let reading = read("a.zip", &bomb, |_| {});
    assert!(
        problem_text(&reading).contains("unpacks to more than 16 MB at z.txt"),
        "{}",
        problem_text(&reading)
    );
    assert_eq!(reading.documents.len(), 1, "the file beside it is read");

    // archives in an archive, of which each is small enough by itself
    let inner = zipped(&[("a.txt".into(), text(900_000))]);
    let outer: Vec<(String, Vec<u8>)> =
        (0..6).map(|number| (format!("{number}.zip"), inner.clone())).collect();
    let outer = zipped(&outer);
    assert_eq!(read("a.zip", &outer, |_| {}).documents.len(), 6);
    let reading = read("a.zip", &outer, |limits| limits.archive_mb = 3);
    assert!(reading.documents.len() < 4, "{} documents", reading.documents.len());
    assert!(problem_text(&reading).contains("[limits] archive_mb"), "{}", problem_text(&reading));

    let mut nested = zipped(&[("a.txt".into(), text(64))]);
    for _ in 0..5 {
        nested = zipped(&[("in.zip".into(), nested)]);
    }
    let reading = read("a.zip", &nested, |_| {});
    assert!(problem_text(&reading).contains("lies in more than 3 archives"), "{}", problem_text(&reading));
    assert!(read("a.zip", &nested, |limits| limits.archive_depth = 6).problems.is_empty());
}

#[test]
fn names_in_archives_lead_nowhere() {
    let names = [
        "../a.txt",
        "/etc/a.txt",
        "a/../../b.txt",
        "..\\..\\c.txt",
        "C:\\d.txt",
        "e\u{202e}.txt",
        "ok/f.txt",
    ];
    let files: Vec<(String, Vec<u8>)> =
        names.iter().map(|name| ((*name).to_owned(), b"The snow lay deep.\n".to_vec())).collect();
    let reading = read("a.zip", &zipped(&files), |_| {});
    for document in &reading.documents {
        let inside = document.key.strip_prefix("a.zip#").expect("inside");
        assert!(!inside.split(['/', '\\']).any(|part| part == "..") && !inside.starts_with('/'), "{inside}");
    }
    assert!(
        reading.documents.iter().any(|document| document.key == "a.zip#ok/f.txt"),
        "{}",
        problem_text(&reading)
    );
}

#[test]
fn of_two_equal_names_in_an_archive_one_is_read_and_both_are_named() {
    let files = ["one.txt", "two.txt", "six.txt"].map(|name| {
        let number = name.split('.').next().unwrap_or_default();
        (name.to_owned(), format!("Sail number {number} was mended.\n").into_bytes())
    });
    let mut bytes = zipped(&files);
    for place in 0..bytes.len() - 7 {
        if &bytes[place..place + 7] == b"two.txt" {
            bytes[place..place + 7].copy_from_slice(b"one.txt");
        }
    }
    let reading = read("a.zip", &bytes, |_| {});
    let texts: Vec<_> =
        reading.documents.iter().map(|document| (document.key.as_str(), document.text.trim())).collect();
    let expected =
        [("a.zip#one.txt", "Sail number two was mended."), ("a.zip#six.txt", "Sail number six was mended.")];
    assert_eq!(texts, expected);
    let problems = problem_text(&reading);
    assert!(problems.contains("one.txt: the archive holds more than one file of this name"), "{problems}");
    assert_eq!(reading.problems.len(), 1, "{problems}");
    assert!(read("a.zip", &zipped(&files), |_| {}).problems.is_empty());
}

#[test]
fn a_workbook_that_repeats_a_long_text_is_refused() {
    let main = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
    let long = "The sails were mended. ".repeat(1_300);
    let shared = format!("<sst {main} count=\"1\" uniqueCount=\"1\"><si><t>{long}</t></si></sst>");
    let text = |rows: usize| {
        let row = |row: usize| format!("<row r=\"{row}\"><c r=\"A{row}\" t=\"s\"><v>0</v></c></row>");
        let rows: String = (1..=rows).map(row).collect();
        let sheet = format!("<worksheet {main}><sheetData>{rows}</sheetData></worksheet>");
        let bytes = rewritten("stock.xlsx", "xl/sharedStrings.xml", |_| shared.clone());
        read("a.xlsx", &rewritten_bytes(bytes, "xl/worksheets/sheet1.xml", |_| sheet.clone()), |_| {})
    };
    let honest = text(20);
    assert_eq!(honest.documents.len(), 1, "{}", problem_text(&honest));
    let grown = problem_text(&text(2_000));
    assert!(grown.contains("MB of text, beyond 16 MB"), "{grown}");
}

#[cfg(unix)]
#[test]
fn a_side_file_that_is_a_link_out_of_its_folder_is_passed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = folder.path().join("keys.json");
    std::fs::write(&elsewhere, r#"{"aws_secret": "nineteen sapphires"}"#).expect("written");
    let docs = folder.path().join("docs");
    std::fs::create_dir(&docs).expect("a folder");
    std::fs::write(docs.join("a.txt"), "The snow lay deep.").expect("written");
    std::os::unix::fs::symlink(&elsewhere, docs.join("a.txt.meta.json")).expect("a link");
    let file = SourceFile { path: docs.join("a.txt"), key: "a.txt".into() };
    let reading = documents::read(&file, &ReadOptions::default());
    assert!(reading.documents[0].metadata.is_empty(), "{reading:?}");
    assert!(
        problem_text(&reading).contains("a link that leads out of its folder"),
        "{}",
        problem_text(&reading)
    );
    // one beside it is as good as the file
    std::fs::remove_file(docs.join("a.txt.meta.json")).expect("removed");
    std::fs::write(docs.join("said.json"), r#"{"author": "Dickens"}"#).expect("written");
    std::os::unix::fs::symlink("said.json", docs.join("a.txt.meta.json")).expect("a link");
    let reading = documents::read(&file, &ReadOptions::default());
    assert_eq!(reading.documents[0].metadata["author"], "Dickens", "{}", problem_text(&reading));
}

#[test]
fn entities_of_xml_are_neither_fetched_nor_multiplied() {
    let folder = tempfile::tempdir().expect("a folder");
    let secret = folder.path().join("secret.txt");
    std::fs::write(&secret, "nineteen sapphires").expect("written");
    let laughs: Vec<String> = (1..10)
        .map(|level| format!("<!ENTITY l{level} \"{}\">", format!("&l{};", level - 1).repeat(10)))
        .collect();
    let laughs = laughs.concat();
    let doctype = format!(
        "<!DOCTYPE d [<!ENTITY l0 \"lol\">{laughs}<!ENTITY x SYSTEM \"file://{}\"><!ENTITY % p SYSTEM \"file:///p\">%p;]>",
        secret.display()
    );
    for (name, part, at) in [
        ("report-pandoc.docx", "word/document.xml", "two apprentices"),
        ("report-pandoc.odt", "content.xml", "two apprentices"),
        ("report-libreoffice.odp", "content.xml", "two apprentices"),
    ] {
        let bytes = rewritten(name, part, |text| {
            let begin = text.find("?>").map_or(0, |at| at + 2);
            let (head, body) = text.split_at(begin);
            format!("{head}{doctype}{}", body.replacen(at, &format!("{at} &x;&l9;"), 1))
        });
        let reading = read(name, &bytes, |_| {});
        let text: String = reading.documents.iter().map(|document| document.text.as_str()).collect();
        assert!(!text.contains("sapphires") && !text.contains("lollol"), "{name}: {text}");
        assert!(text.len() < 10_000, "{name}: {} bytes", text.len());
    }
}

#[test]
fn large_files_are_read_in_a_process_that_may_end_and_their_neighbours_stay() {
    let place = Place::new();
    let rows = "[".to_owned() + &"\"the snow lay deep\",".repeat(100_000) + "\"x\"]";
    place.write("docs/large.json", &rows);
    place.write("docs/good.txt", "Ebenezer Scrooge lives in London.\n");
    // too little for anything: it ends, and is told of
    place.write("graphwright.toml", "[limits]\nhere_mb = 1\nreader_mb = 40\n");
    let run = place.run(&["index", "docs", "--json"]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(report["documents"], 1, "{report}");
    let problems = report["problems"].to_string();
    assert!(problems.contains("docs/large.json") && problems.contains("reader"), "{problems}");

    // a transcript that asks for time
    place.remove("docs/large.json");
    let cue = |second: usize| {
        let at = format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
        format!("{at}.000 --> {at}.900\nThe snow lay deep on day {second}.\n\n")
    };
    let cues: Vec<String> = (0..500_000).map(cue).collect();
    place.write("docs/slow.vtt", &format!("WEBVTT\n\n{}", cues.concat()));
    place.write("graphwright.toml", "[limits]\nhere_mb = 1\nreader_s = 1\n");
    let run = place.run(&["index", "docs", "--json"]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stdout.contains("[limits] reader_s"), "{}", run.stdout);
}

/// Imports with the smallest `table_mb`, which is refused by name, and then as it is by default.
fn assert_held_by_table_mb(place: &Place, arguments: &[&str], told: &str) {
    place.write("graphwright.toml", "[limits]\ntable_mb = 1\n");
    let run = place.run(arguments);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains(told) && run.stderr.contains("raise [limits] table_mb"), "{}", run.stderr);
    place.remove("graphwright.toml");
    // an import wants an empty workspace: nothing of it was written
    assert_eq!(place.json(arguments)["documents"], 2);
}

#[test]
fn a_table_that_unpacks_to_much_is_not_imported() {
    let place = Place::new();
    let folder = place.path().join("tables");
    std::fs::create_dir(&folder).expect("a folder");
    write_tables(&folder, false);
    // a column that nobody reads: one text, which its dictionary holds once, five thousand times in a list
    let path = folder.join("documents.parquet");
    let mut table = ParquetTable::create(
        &path,
        &[
            ("id", ColumnKind::Text),
            ("title", ColumnKind::Text),
            ("text_unit_ids", ColumnKind::Texts),
            ("notes", ColumnKind::Texts),
        ],
    )
    .expect("a table");
    let notes = vec!["snow ".repeat(200); 5_000];
    table
        .push(&json!({"id": "d1", "title": "carol.txt", "text_unit_ids": ["u1"], "notes": notes}))
        .expect("written");
    table.push(&json!({"id": "d2", "title": "letter.txt", "text_unit_ids": ["u2"]})).expect("written");
    table.end().expect("closed");
    assert!(path.metadata().expect("a file").len() < 10_000);
    let told = "documents.parquet: column \"notes.list.item\" would unpack to 4 MB";
    assert_held_by_table_mb(&place, &["import", "--from", "graphrag", "tables"], told);
}

#[test]
fn a_row_of_an_export_that_is_too_long_is_not_imported() {
    let place = Place::new();
    place.write("docs/a.txt", "Ebenezer Scrooge lives in London.\n");
    place.write("docs/b.txt", "Bob Cratchit works for Ebenezer Scrooge.\n");
    place.json(&["index", "docs"]);
    place.json(&["export", "backup"]);
    // by somebody who puts the right hash into the manifest
    let [table, manifest] =
        ["documents.jsonl", "manifest.json"].map(|name| place.path().join("backup").join(name));
    let text = std::fs::read_to_string(&table).expect("a file");
    let padded = text.replacen('\n', &format!("{}\n", " ".repeat(1 << 20)), 1);
    std::fs::write(&table, &padded).expect("written");
    let text = std::fs::read_to_string(&manifest).expect("a file");
    let mut changed: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    changed["tables"]["documents"]["blake3"] = blake3::hash(padded.as_bytes()).to_hex().to_string().into();
    std::fs::write(&manifest, changed.to_string()).expect("written");
    let told = "documents.jsonl: a line is longer than 1 MB";
    assert_held_by_table_mb(&place, &["--data", "elsewhere", "import", "backup"], told);
}

#[test]
fn what_is_built_on_is_pinned_and_brings_one_provider_of_tls() {
    let text = |name: &str| std::fs::read_to_string(root().join(name)).expect("a file");
    let lock = text("Cargo.lock");
    assert!(lock.contains("name = \"ring\"\n"), "the provider that the program installs");
    for other in ["aws-lc-rs", "aws-lc-sys", "openssl-sys", "native-tls"] {
        assert!(!lock.contains(&format!("name = \"{other}\"\n")), "{other} is a second one");
    }
    let is_hex =
        |digest: &str, length: usize| digest.len() == length && digest.bytes().all(|b| b.is_ascii_hexdigit());
    let dockerfile = text("scripts/image/Dockerfile");
    let compose = text("docker-compose.yml");
    let built_on = dockerfile.lines().filter_map(|line| line.strip_prefix("FROM "));
    // the one that is built here has no digest
    let run = compose
        .lines()
        .filter_map(|line| line.trim().strip_prefix("image: "))
        .filter(|image| *image != "graphwright:local");
    for line in built_on.chain(run) {
        let image = line.split(' ').next().and_then(|image| image.split_once("@sha256:"));
        let pinned = image.is_some_and(|(name, digest)| name.contains(':') && is_hex(digest, 64));
        assert!(pinned, "{line}: say which version, and pin it by its digest");
    }
    for entry in std::fs::read_dir(root().join(".github/workflows")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let workflow = std::fs::read_to_string(&path).expect("a file");
        for action in workflow.lines().filter_map(|line| line.trim().strip_prefix("- uses: ")) {
            let commit = action.split('#').next().and_then(|action| action.trim().split_once('@'));
            assert!(commit.is_some_and(|(_, commit)| is_hex(commit, 40)), "{action}: pin it by its commit");
        }
    }
}
