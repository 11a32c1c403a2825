//! The program's own process takes less than 256 MB more for a file while documents are read, whatever the file asks for: what
//! could take more is refused, or read in another process.

use crate::limits::rewritten;
use crate::program::{Place, Run};
use std::fs::File;
use std::process::Stdio;
use std::time::Duration;

/// What docs/security.md promises.
const PROMISED_MB: u64 = 256;

const INDEX: &[&str] = &["index", "docs", "--json"];

/// The most memory that a process has held so far, in MB; `None` where it has ended.
fn peak_mb(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = peak.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes / 1024)
}

/// How a run ended, and the most memory that its process held, in MB. The system keeps that number, so that looks from time to
/// time miss nothing of what was read. Processes that the run starts do not count.
fn measured(place: &Place, arguments: &[&str]) -> (Run, u64) {
    let [stdout, stderr] = ["stdout", "stderr"].map(|name| place.path().join(name));
    let mut command = place.command(arguments);
    // files: nobody has to take meanwhile what is written
    command.stdin(Stdio::null());
    command.stdout(File::create(&stdout).expect("a file")).stderr(File::create(&stderr).expect("a file"));
    let mut process = command.spawn().expect("it starts");
    let mut peak = 0;
    while process.try_wait().expect("it is ours").is_none() {
        peak = peak_mb(process.id()).map_or(peak, |now| now.max(peak));
        std::thread::sleep(Duration::from_millis(2));
    }
    let ended = process.wait().expect("it has ended");
    let [stdout, stderr] = [stdout, stderr].map(|path| std::fs::read_to_string(path).expect("UTF-8"));
    (Run { code: ended.code(), stdout, stderr }, peak)
}

/// A folder with one good file.
fn with_a_good_file() -> Place {
    let place = Place::new();
    // of address space, in which a program that is not optimised takes 180 MB itself
    place.write("graphwright.toml", "[limits]\nreader_mb = 480\n");
    place.write(
        "docs/good.txt",
        "Ebenezer Scrooge lives in London. Bob Cratchit works for Ebenezer Scrooge.\n",
    );
    place
}

/// Fails where files are not one problem each, do harm to the good one beside them, or take more memory than is promised.
fn check(files: &[(&str, Vec<u8>, &str)]) {
    let (run, usual) = measured(&with_a_good_file(), INDEX);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(usual > 0, "no memory was seen");
    for (name, bytes, told) in files {
        let place = with_a_good_file();
        let path = place.path().join("docs").join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("written");
        let (run, peak) = measured(&place, INDEX);
        assert_eq!(run.code, Some(4), "{name}: {}", run.stderr);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
        let problems = report["problems"].as_array().expect("a list");
        assert_eq!(problems.len(), 1, "{name}: {problems:?}");
        let problem = problems[0].as_str().expect("a text");
        assert!(problem.contains(&format!("docs/{name}: ")) && problem.contains(told), "{name}: {problem}");
        let status = place.json(&["status"]);
        assert_eq!((&status["documents"], &status["pending"]), (&1.into(), &0.into()), "{name}: {status}");
        assert!(peak < usual + PROMISED_MB, "{name} ({told}): {peak} MB, {usual} MB without it");
    }
}

/// A page whose every paragraph has three hundred elements made again, with so many attributes each.
fn page(attributes: usize, paragraphs: usize) -> Vec<u8> {
    let attributes: Vec<String> = (0..attributes).map(|number| format!(" a{number}")).collect();
    let attributes = attributes.concat();
    let open: Vec<String> = (0..300).map(|number| format!("<b id={number}{attributes}>")).collect();
    format!("<p>{}{}", open.concat(), "<p>x".repeat(paragraphs)).into_bytes()
}

#[test]
fn a_page_of_few_bytes_does_not_take_much_memory() {
    let attributes = page(100, 700);
    assert!(attributes.len() < 125_000);
    check(&[
        ("elements.html", page(0, 20_000), "[limits] html_nodes"),
        // a gigabyte: in the reader's process it ends at the limit
        ("attributes.html", attributes, "cannot be read within 480 MB of memory"),
    ]);
}

#[test]
fn a_page_that_is_cited_does_not_take_much_memory() {
    let ask: &[&str] = &["query", "Where does Ebenezer Scrooge live?"];
    let text = "<p>Ebenezer Scrooge lives in London.</p>\n";
    let cited = |page: Vec<u8>| {
        let place = Place::new();
        place.write("docs/page.html", "");
        std::fs::write(place.path().join("docs/page.html"), [text.as_bytes(), &page].concat())
            .expect("written");
        let (run, reading) = measured(&place, INDEX);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let (run, answering) = measured(&place, ask);
        assert!(run.stdout.contains("docs/page.html, line 1"), "{}{}", run.stdout, run.stderr);
        (reading, answering)
    };
    let (usual, much) = (cited(b"<p>He is old.</p>".to_vec()), cited(page(100, 400)));
    assert!(much.0 < usual.0 + PROMISED_MB, "while it is read: {much:?} MB, {usual:?} MB without");
    assert!(much.1 < usual.1 + PROMISED_MB, "while it is cited: {much:?} MB, {usual:?} MB without");
}

#[test]
fn an_office_document_that_unpacks_to_much_does_not_take_much_memory() {
    let long = "a".repeat(17 << 20);
    let text = rewritten("report-pandoc.docx", "word/document.xml", |text| {
        text.replacen("two apprentices", &format!("two apprentices{long}"), 1)
    });
    let sheet = "xl/worksheets/sheet1.xml";
    let blanks = " ".repeat(17 << 20);
    let padded = rewritten("stock.xlsx", sheet, |text| {
        text.replacen("</sheetData>", &format!("</sheetData>{blanks}"), 1)
    });
    // one cell in the last row and column that a sheet may have
    let row =
        "<row r=\"1048576\"><c r=\"XFD1048576\" t=\"inlineStr\"><is><t>x</t></is></c></row></sheetData>";
    let wide = rewritten("stock.xlsx", sheet, |text| text.replacen("</sheetData>", row, 1));
    check(&[
        ("long.docx", text, "unpacks to more than 16 MB at word/document.xml"),
        ("padded.xlsx", padded, "unpacks to more than 16 MB at xl/worksheets/sheet1.xml"),
        ("wide.xlsx", wide, "cannot be read within 480 MB of memory"),
    ]);
}

#[test]
fn a_table_of_few_bytes_does_not_take_much_memory() {
    // short of what is read in a process of its own
    let rows = "{\"a\":1}\n".repeat(500_000);
    let names: Vec<String> = (0..998).map(|number| format!(",{number}{}", "n".repeat(2_000))).collect();
    let row = format!("x{}\n", ",y".repeat(998));
    let table = format!("text{}\n{}", names.concat(), row.repeat(1_000));
    // every row is a document whose key is the path
    let folder = "d".repeat(250) + "/";
    let deep = folder.repeat(14) + "deep.csv";
    let many = format!("text\n{}", "x\n".repeat(150_000));
    assert!(rows.len().max(table.len()) < (4 << 20));
    check(&[
        ("rows.jsonl", rows.into_bytes(), "[limits] rows"),
        ("names.csv", table.into_bytes(), "long a path, or names of fields"),
        (deep.as_str(), many.into_bytes(), "long a path, or names of fields"),
    ]);
}
