//! Documents have dates: read, stored, shown with every source, asked for.

use crate::command_line::run;
use std::path::Path;

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(folder.join("docs")).expect("a folder");
    std::fs::write(folder.join("docs").join(name), text).expect("written");
}

fn ask(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let query = run(folder, &[&["query", "How much did Tarn Works sell?", "--json"], arguments].concat());
    assert_eq!(query.code, 0, "{}", query.stderr);
    serde_json::from_str(&query.stdout).expect("one JSON object")
}

fn corpus() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "CallFY23Q4.txt", "Tarn Works sold 100 boats in the quarter.");
    write(folder.path(), "CallFY24Q1.txt", "Tarn Works sold 200 boats in the quarter.");
    write(folder.path(), "plain.txt", "Tarn Works sold 300 boats some time.");
    folder
}

#[test]
fn sources_have_dates_and_questions_ask_of_a_time() {
    let folder = corpus();
    assert_eq!(run(folder.path(), &["index", "docs", "-q"]).code, 0);
    let answer = ask(folder.path(), &["--from", "FY24Q1"]);
    let citations = answer["citations"].as_array().expect("a list");
    assert!(!citations.is_empty(), "{answer}");
    for source in citations.iter().map(|citation| &citation["sentence"]) {
        assert_eq!(source["document"], "docs/CallFY24Q1.txt");
        assert_eq!(source["date"]["from"], "2023-07-01");
        assert_eq!(source["date"]["to"], "2023-09-30");
        assert_eq!(source["date"]["written"], "FY24Q1");
    }
    let answer = ask(folder.path(), &["--to", "June 2023"]);
    assert_eq!(answer["citations"][0]["sentence"]["document"], "docs/CallFY23Q4.txt");
    let answer = ask(folder.path(), &["--filter", "document=docs/plain.txt"]);
    assert!(answer["citations"][0]["sentence"].get("date").is_none(), "{answer}");

    let shown = run(folder.path(), &["query", "How much did Tarn Works sell?", "--from", "FY24Q1"]);
    assert!(shown.stdout.contains("FY24Q1 (2023-Q3)"), "{}", shown.stdout);
    for (arguments, told) in
        [(["--from", "soon"], "--from \"soon\" is no date"), (["--from", "2030"], "no document meets")]
    {
        let refused = run(folder.path(), &[&["query", "Who?"], arguments.as_slice()].concat());
        assert_ne!(refused.code, 0);
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
    }
}

#[test]
fn dates_survive_an_export_and_another_calendar_makes_them_anew() {
    let folder = corpus();
    assert_eq!(run(folder.path(), &["index", "docs", "-q"]).code, 0);
    assert_eq!(run(folder.path(), &["export", "out", "-q"]).code, 0);
    let table = std::fs::read_to_string(folder.path().join("out/documents.jsonl")).expect("a table");
    assert!(table.contains("\"written\":\"FY24Q1\""), "{table}");
    let import = run(folder.path(), &["--data", "copy", "import", "out", "-q"]);
    assert_eq!(import.code, 0, "{}", import.stderr);
    let answer = ask(folder.path(), &["--data", "copy", "--from", "FY24Q1"]);
    assert_eq!(answer["citations"][0]["sentence"]["date"]["from"], "2023-07-01");

    std::fs::write(folder.path().join("graphwright.toml"), "[documents]\nfiscal_first_month = 10\n")
        .expect("written");
    let index = run(folder.path(), &["index", "docs", "--json"]);
    let report: serde_json::Value =
        serde_json::from_str(index.stdout.lines().last().expect("a line")).expect("JSON");
    assert_eq!(report["documents_changed"], 2, "{report}");
    let answer = ask(folder.path(), &["--from", "FY24Q1"]);
    assert_eq!(answer["citations"][0]["sentence"]["date"]["from"], "2023-10-01");
}

#[test]
fn a_section_with_a_date_of_its_own_is_of_that_time() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("docs")).expect("a folder");
    let log = "# Logbook of the crane crew\n\n## 5 February 2022\n\nOsprey Marine rented the long boom.\n\n\
               ## 20 November 2023\n\nOsprey Marine came back for the short boom.\n";
    std::fs::write(folder.path().join("docs/logbook.md"), log).expect("written");
    let note = "---\ndate: 2023-11-02\n---\n\nOsprey Marine bought a barge.\n";
    std::fs::write(folder.path().join("docs/note.md"), note).expect("written");
    assert_eq!(run(folder.path(), &["index", "docs", "-q"]).code, 0);
    let told = |arguments: &[&str]| {
        run(folder.path(), &[&["query", "What did Osprey Marine do?"], arguments].concat()).stdout
    };
    let later = told(&["--from", "2023-11"]);
    assert!(
        later.contains("short boom") && later.contains("barge") && !later.contains("long boom"),
        "{later}"
    );
    assert!(later.contains("2023-11-20"), "{later}");
    let before = told(&["--to", "2022-03"]);
    assert!(before.contains("long boom") && !before.contains("short boom"), "{before}");
    assert!(!before.contains("barge"), "{before}");
    // the logbook itself is of its first date
    let both = told(&["--filter", "date=2023"]);
    assert!(both.contains("short boom") && !both.contains("long boom"), "{both}");
}

/// Where many older texts have the words of a question, the newest number is still found.
#[test]
fn the_newest_number_is_found_behind_many_older_texts() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..130 {
        let text =
            format!("Many people use the reading circle. The reading circle has {} users.", 100 + number);
        write(folder.path(), &format!("2015-03-01 note {number}.txt"), &text);
    }
    let newest = "It was a fine spring, and the garden is open again. The reading circle now has 912 users, \
                  more than anybody had hoped for, and the library has bought new chairs.";
    write(folder.path(), "2019-04-01 note.txt", newest);
    assert_eq!(run(folder.path(), &["index", "docs", "-q"]).code, 0);
    let query = run(folder.path(), &["query", "How many people use the reading circle?", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&query.stdout).expect("one JSON object");
    let first = answer["citations"][0]["sentence"]["text"].as_str().unwrap_or_default();
    assert!(first.contains("912"), "{answer}");
}
