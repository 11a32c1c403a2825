//! The program as a user calls it, on embedded stores.

use crate::program;
use std::path::Path;

const CAROL: &str = include_str!("../fixtures/sample/a-christmas-carol.txt");
const KINGDOMS: &str = include_str!("../fixtures/sample/three-kingdoms.txt");

pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Run {
    let output = program::command(folder, arguments).output().expect("it runs");
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

fn corpus() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("docs")).expect("a folder");
    std::fs::write(folder.path().join("docs/carol.txt"), CAROL).expect("written");
    std::fs::write(folder.path().join("docs/kingdoms.txt"), KINGDOMS).expect("written");
    folder
}

#[test]
fn a_run_goes_on_where_nobody_reads_what_it_says() {
    let folder = corpus();
    let mut command = program::command(folder.path(), &["index", "docs"]);
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().expect("it starts");
    drop(child.stderr.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert_eq!(run(folder.path(), &["doctor"]).code, 0);
}

#[test]
fn what_is_named_and_not_there_ends_in_one_exit_code() {
    let folder = corpus();
    let code = |arguments: &[&str]| run(folder.path(), arguments).code;
    for arguments in
        [&["import", "docs"][..], &["import", "nowhere"], &["import", "--from", "graphrag", "docs"]]
    {
        assert_ne!(code(arguments), 0, "{arguments:?}");
        assert_eq!(code(&["status"]), 1, "{arguments:?} made a workspace of nothing");
    }
    assert_eq!(code(&["index", "docs"]), 0);
    assert_eq!(code(&["export", "backup"]), 0);
    let other = |command: &[&str]| code(&[&["--workspace", "other"], command].concat());
    assert_ne!(other(&["import", "backup"]), 0, "its ids are those of another workspace");
    assert_eq!(other(&["status"]), 1, "a failed import made a workspace");
    let question = "Who is Scrooge?";
    for arguments in [
        &["query", question, "--filter", "type=Foo"],
        &["index", "nowhere"][..],
        &["index", "nowhere", "--dry-run"],
        &["sync", "nowhere"],
        &["sync", "nowhere", "--dry-run"],
        &["import", "nowhere"],
        &["import", "--from", "graphrag", "nowhere"],
        &["entities", "show", "Nobody"],
        &["entities", "undo", "0123"],
        &["entities", "list", "--kind", "Foo"],
        &["remove", "nope"],
        &["source", "77"],
        &["query", question, "--filter", "date>=2130"],
        &["query", question, "--level", "99"],
        &["query", question, "--level", "99", "--method", "global"],
        &["help", "nothing"],
    ] {
        assert_eq!(code(arguments), 2, "{arguments:?}");
    }
    assert_eq!(code(&["query", "Who won the 1998 World Cup?"]), 0, "nothing found is an answer");
}

#[test]
fn labels_are_in_the_language_of_the_question() {
    let folder = corpus();
    assert_eq!(run(folder.path(), &["index", "docs"]).code, 0);
    let english = run(folder.path(), &["query", "What are the main themes of these texts?"]);
    assert!(english.stdout.contains("Sources:"), "{}", english.stdout);
    let chinese = run(folder.path(), &["query", "刘备是谁？"]);
    assert!(chinese.stdout.contains("来源："), "{}", chinese.stdout);
}

#[test]
fn an_evaluation_that_could_score_nothing_says_so() {
    let folder = corpus();
    std::fs::write(folder.path().join("q.csv"), "id,question,answers\nq1,Who is Scrooge?,a miser\n")
        .expect("written");
    assert_eq!(run(folder.path(), &["index", "docs"]).code, 0);
    let each = run(folder.path(), &["eval", "--questions", "q.csv", "--each", "--methods", "local"]);
    assert!(each.stderr.contains("add --answers"), "{}", each.stderr);
    let scored =
        run(folder.path(), &["eval", "--questions", "q.csv", "--each", "--methods", "local", "--answers"]);
    assert!(!scored.stderr.contains("add --answers"), "{}", scored.stderr);
}

#[test]
fn documents_in_cited_answers_out() {
    let folder = corpus();
    let index = run(folder.path(), &["index", "docs", "--json"]);
    assert_eq!(index.code, 0, "{}", index.stderr);
    let report: serde_json::Value =
        serde_json::from_str(index.stdout.lines().last().expect("a line")).expect("JSON");
    for key in [
        "documents",
        "text_units",
        "entities",
        "relationships",
        "claims",
        "communities",
        "reports",
        "records",
        "records_lost",
    ] {
        assert!(report[key].is_u64(), "{key} in {report}");
    }
    assert_eq!(report["documents"], 2);
    assert!(index.stdout.starts_with("{\"version\":2,"), "{}", index.stdout);

    for (question, fact) in [("Who is Bob Cratchit?", "clerk"), ("刘备、关羽、张飞是什么关系？", "兄弟")]
    {
        let query = run(folder.path(), &["query", question, "--json"]);
        assert_eq!(query.code, 0, "{}", query.stderr);
        let answer: serde_json::Value = serde_json::from_str(&query.stdout).expect("one JSON object");
        assert_eq!(answer["method"], "local");
        assert!(answer.get("sources").is_none(), "one list: {answer}");
        let citations = answer["citations"].as_array().expect("citations");
        let sources: Vec<_> = citations.iter().map(|citation| &citation["sentence"]).collect();
        assert!(
            sources.iter().any(|s| s["text"].as_str().is_some_and(|t| t.contains(fact))),
            "{fact} in {sources:?}"
        );
        for source in sources {
            let document = source["document"].as_str().expect("a document");
            let text = std::fs::read_to_string(folder.path().join(document)).expect("the document");
            let start = usize::try_from(source["start"].as_u64().expect("a number")).expect("small");
            let end = usize::try_from(source["end"].as_u64().expect("a number")).expect("small");
            let quoted: String = text.chars().skip(start).take(end - start).collect();
            assert_eq!(quoted, source["text"].as_str().expect("a text"), "offsets lead to the sentence");
            assert!(quoted.chars().count() <= 400);
        }
    }
    for method in ["global", "basic"] {
        let query = run(folder.path(), &["query", "What is this about?", "--method", method]);
        assert_eq!(query.code, 0, "{}", query.stderr);
        assert!(query.stdout.len() > 50, "{}", query.stdout);
    }
    let status = run(folder.path(), &["status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&status.stdout).expect("JSON");
    assert_eq!(status["documents"], 2);
    assert_eq!(status["pending"], 0);

    let remove = run(folder.path(), &["remove", "docs/*.txt"]);
    assert_eq!(remove.code, 0, "{}", remove.stderr);
    let status = run(folder.path(), &["status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&status.stdout).expect("JSON");
    for key in ["documents", "text_units", "entities", "relationships", "communities"] {
        assert_eq!(status[key], 0, "{key}");
    }
}

/// Runs a command that must fail with one clear error.
#[test]
fn statements_for_the_browser_stand_in_json_where_they_are_asked_for() {
    let folder = corpus();
    assert_eq!(run(folder.path(), &["index", "docs", "--quiet"]).code, 0);
    let asked = ["query", "Which documents mention Bob Cratchit?", "--method", "table", "--json"];
    let query = |more: &[&str]| -> serde_json::Value {
        let query = run(folder.path(), &[&asked, more].concat());
        assert_eq!(query.code, 0, "{}", query.stderr);
        serde_json::from_str(&query.stdout).expect("one JSON object")
    };
    let plain = query(&[]);
    assert_eq!(plain["table"]["rows"][0]["name"], "docs/carol.txt", "{plain}");
    assert!(plain.get("cypher").is_none(), "{plain}");
    let shown = query(&["--cypher"]);
    assert_eq!(shown["table"], plain["table"]);
    let statements = shown["cypher"]["statements"].as_array().expect("statements");
    assert!(!statements.is_empty(), "{shown}");
    let cited = plain["citations"][0]["id"].as_str().expect("an id");
    assert!(shown["cypher"]["parameters"].to_string().contains(cited), "{shown}");
    assert!(statements.iter().all(|statement| !statement.to_string().contains(cited)), "ids are parameters");
}

fn refused(folder: &Path, arguments: &[&str], code: i32, told: &[&str]) {
    let run = run(folder, arguments);
    assert_eq!(run.code, code, "{arguments:?}: {}", run.stderr);
    for part in told {
        assert!(run.stderr.contains(part), "{arguments:?} should say {part:?}: {}", run.stderr);
    }
    assert_eq!(run.stderr.matches("error:").count(), 1, "one error: {}", run.stderr);
}

#[test]
fn bad_configuration_is_refused_by_name() {
    let folder = corpus();
    std::fs::write(folder.path().join("graphwright.toml"), "[text_units]\nsise = 5\n").expect("written");
    refused(folder.path(), &["index", "docs"], 2, &["sise", "size"]);
    std::fs::write(folder.path().join("graphwright.toml"), "[text_units]\nsize = 5\n").expect("written");
    refused(folder.path(), &["index", "docs"], 2, &["size", "at least"]);
    std::fs::remove_file(folder.path().join("graphwright.toml")).expect("removed");
    refused(folder.path(), &["--workspace", "../x", "status"], 2, &["--workspace"]);
    refused(folder.path(), &["--config", "none.toml", "status"], 2, &["none.toml"]);
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_done() {
    let folder = corpus();
    let docs = folder.path().join("docs");
    refused(folder.path(), &["index", "nowhere"], 2, &["nowhere"]);
    std::fs::create_dir(folder.path().join("empty")).expect("a folder");
    refused(folder.path(), &["index", "empty"], 1, &["empty"]);
    std::fs::write(docs.join("nothing.txt"), "").expect("written");
    std::fs::write(docs.join("binary.txt"), [0_u8, 1, 2, 255, 0, 7].repeat(100)).expect("written");
    std::fs::write(folder.path().join("picture.png"), [137_u8, 80, 78, 71, 13, 10, 26, 10, 0, 0])
        .expect("written");
    let run = run(folder.path(), &["index", "docs", "picture.png", "--json"]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    let report: serde_json::Value =
        serde_json::from_str(run.stdout.lines().last().expect("a line")).expect("JSON");
    assert_eq!(report["documents"], 2, "the rest is done");
    let problems = report["problems"].to_string();
    for name in ["binary.txt", "picture.png"] {
        assert!(problems.contains(name), "{name} in {problems}");
    }
    assert!(report["notes"].to_string().contains("nothing.txt: is empty"), "{report}");
}

#[test]
fn a_query_before_the_first_index_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    refused(folder.path(), &["query", "Who?"], 1, &["graphwright index"]);
}

#[test]
fn reading_by_facts_without_a_model_is_refused_with_a_way_out() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("carol.txt"), "Bob Cratchit is a clerk.").expect("written");
    refused(folder.path(), &["index", "carol.txt", "--reader"], 2, &["[llm] provider", "--reader"]);
    run(folder.path(), &["index", "carol.txt"]);
    refused(
        folder.path(),
        &["query", "Who?", "--method", "reader"],
        2,
        &["[llm] provider", "--method local"],
    );
}

#[test]
fn init_writes_a_configuration_once() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(run(folder.path(), &["init"]).code, 0);
    let written = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("written");
    let configuration = written("graphwright.toml");
    let schema =
        configuration.lines().next().and_then(|line| line.strip_prefix("#:schema ./")).expect("a schema");
    let printed = run(folder.path(), &["config", "schema"]).stdout;
    assert_eq!(written(schema).trim_end(), printed.trim_end());
    let printed: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
    assert!(printed["properties"]["text_units"].is_object());
    refused(folder.path(), &["init"], 1, &["--force"]);
    assert_eq!(run(folder.path(), &["init", "--force"]).code, 0);
}

#[test]
fn entities_are_corrected_and_corrections_undone() {
    let folder = corpus();
    assert_eq!(run(folder.path(), &["index", "docs"]).code, 0);
    let listed = run(folder.path(), &["entities", "list", "--limit", "5", "--json"]);
    let entities: serde_json::Value = serde_json::from_str(&listed.stdout).expect("JSON");
    let (first, second) =
        (entities[0]["name"].as_str().expect("a name"), entities[1]["name"].as_str().expect("a name"));

    let merged = run(folder.path(), &["entities", "merge", second, "--into", first, "--json"]);
    assert_eq!(merged.code, 0, "{}", merged.stderr);
    let merged: serde_json::Value = serde_json::from_str(&merged.stdout).expect("JSON");
    let shown = run(folder.path(), &["entities", "show", second]);
    assert!(shown.stdout.starts_with(first) && shown.stdout.contains("[edit]"), "{}", shown.stdout);
    let duplicates = run(folder.path(), &["entities", "duplicates", "--json"]);
    let duplicates: serde_json::Value = serde_json::from_str(&duplicates.stdout).expect("JSON");
    assert!(duplicates["merges"].as_array().expect("a list").iter().any(|merge| merge["rule"] == "edit"));

    let renamed = run(folder.path(), &["entities", "rename", first, "The Great Unnamed"]);
    assert_eq!(renamed.code, 0, "{}", renamed.stderr);
    let edits = run(folder.path(), &["entities", "edits"]);
    assert_eq!(edits.stdout.lines().count(), 2, "{}", edits.stdout);
    assert!(
        run(folder.path(), &["entities", "show", "the great unnamed"])
            .stdout
            .starts_with("The Great Unnamed")
    );

    let id = merged["edit"]["id"].as_str().expect("an id");
    assert_eq!(run(folder.path(), &["entities", "undo", id]).code, 0);
    assert!(run(folder.path(), &["entities", "show", second]).stdout.starts_with(second));
    assert_eq!(run(folder.path(), &["entities", "show", "nobody at all"]).code, 2);
    assert_eq!(run(folder.path(), &["entities", "merge", first, "--into", first]).code, 2);

    let taken = run(folder.path(), &["entities", "rename", first, second]);
    assert!(taken.code == 2 && taken.stderr.contains("entities merge"), "{}", taken.stderr);
    // a type is written as it is written already
    let all = run(folder.path(), &["entities", "list", "--limit", "500", "--json"]);
    let all: serde_json::Value = serde_json::from_str(&all.stdout).expect("JSON");
    let kinds = all.as_array().expect("a list").iter().filter_map(|one| one["kind"].as_str());
    let kind = kinds.into_iter().find(|kind| !kind.is_empty()).expect("a type");
    assert_eq!(run(folder.path(), &["entities", "pin", second, "kind", &kind.to_uppercase()]).code, 0);
    let listed = run(folder.path(), &["entities", "list", "--limit", "500", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed.stdout).expect("JSON");
    let of_second = listed.as_array().expect("a list").iter().find(|one| one["name"] == second);
    assert_eq!(of_second.expect("still there")["kind"], kind);
}
