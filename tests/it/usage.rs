//! What a new user stumbles over: where the project is, what a wrong call says, how the program ends.

use crate::program::Place;
use std::io::Write;
use std::process::Stdio;

const MODEL_WITHOUT_KEY: &str = "[llm]\nprovider = \"openai\"\nmodel = \"gpt-4o-mini\"\n";

fn place() -> Place {
    let place = Place::new();
    place.write("docs/carol.txt", "Bob Cratchit was the clerk of Ebenezer Scrooge. Scrooge lived in London.");
    place
}

fn indexed() -> Place {
    let place = place();
    assert_eq!(place.run(&["index", "docs"]).code, Some(0));
    place
}

#[test]
fn exit_codes_follow_one_rule() {
    let place = indexed();
    let check = |arguments: &[&str], code: i32, part: &str| {
        let run = place.run(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{arguments:?}: {}", run.stderr);
    };
    check(&["query", "who is Bob Cratchit"], 0, "");
    check(&["query", "Who", "is", "Bob", "Cratchit?"], 0, "");
    check(&["query", ""], 2, "the question is empty");
    check(&["query", "Who?", "--method", "drift"], 2, "--method drift asks a model");
    check(&["query", "Who?", "--method", "reader"], 2, "--method reader has a model");
    check(&["query", "Who?", "--method", "raptor"], 2, "need an embedding model");
    check(&["query", "Who?", "--method", "raptor", "--rewrite"], 2, "--rewrite");
    check(&["query", "Themes?", "--method", "global", "--level", "99"], 2, "have levels 0 to");
    check(&["query", "Who?", "--level", "1"], 2, "--level is for --method global");
    check(&["query", "Who?", "--traversal"], 2, "--traversal is for --method raptor");
    check(&["query", "Who?", "--filter", "nonsense"], 2, "write key=value");
    check(&["query", "Who?", "--graph", "bolt://127.0.0.1:9"], 3, "cannot reach");
    check(&["query", "Who?", "--vectors", "http://127.0.0.1:9"], 3, "cannot reach");
    check(&["query", "Who?", "--workspace", "none"], 1, "nothing is indexed yet");
    check(&["query", "Who?", "--workspace", "none"], 1, "one that is there: default");
    for command in [&["communities"][..], &["sync-vectors"], &["remove", "docs/a.txt"], &["qa", "check"]] {
        check(&[command, &["--workspace", "none"]].concat(), 1, "nothing is indexed yet");
        assert!(!place.data().join("none.sqlite").exists(), "{command:?} makes no workspace");
    }
    check(&["entities", "list", "--kind", "spaceship"], 2, "there are: ");
    for command in ["index", "sync"] {
        check(&[command, "docs/none.txt"], 2, "no such file or folder");
        check(&[command, "docs/none.txt", "--workspace", "none"], 2, "no such file or folder");
        assert!(!place.data().join("none.sqlite").exists(), "{command} of nothing makes no workspace");
    }
    place.write("docs/blob.xyz", "\u{1}\u{2}");
    place.write("docs/void.txt", "");
    check(&["index", "docs/blob.xyz"], 4, "warning: docs/blob.xyz: is of type .xyz, which cannot be indexed");
    check(&["index", "docs/blob.xyz", "docs/carol.txt", "-q"], 4, "docs/blob.xyz: is of type .xyz");
    check(&["index", "docs/void.txt"], 0, "note: docs/void.txt: is empty");
    check(&["index", "docs", "-q"], 0, "note: docs/blob.xyz: is of type .xyz");
    let rehearsed = place.run(&["index", "docs", "--dry-run"]);
    assert!(rehearsed.stdout.contains("note: docs/blob.xyz: is of type .xyz"), "{}", rehearsed.stdout);
    check(&["sync", "docs", "--dry-run"], 0, "note: docs/void.txt: is empty");
    check(&["help", "nonsense"], 2, "no help on");
    check(&["help", "searches"], 0, "");
    check(&["nonsense"], 2, "unrecognized subcommand");
}

#[test]
fn every_skipped_file_stands_in_the_json_with_its_reason() {
    let place = place();
    place.write("docs/blob.xyz", "\u{1}\u{2}");
    place.write("docs/void.txt", "");
    std::fs::hard_link(place.path().join("docs/carol.txt"), place.path().join("docs/copy.txt"))
        .expect("a copy");
    #[cfg(unix)]
    std::os::unix::fs::symlink("carol.txt", place.path().join("docs/alias.txt")).expect("a link");
    for arguments in [&["index", "docs", "--dry-run"][..], &["index", "docs"], &["sync", "docs"]] {
        let report = place.json(arguments);
        let notes: Vec<&str> =
            report["notes"].as_array().expect("a list").iter().filter_map(|note| note.as_str()).collect();
        for part in ["docs/blob.xyz: is of type .xyz", "docs/void.txt: is empty"] {
            assert!(notes.iter().any(|note| note.starts_with(part)), "{arguments:?}: {notes:?}");
        }
        #[cfg(unix)]
        assert!(
            notes.contains(&"docs/alias.txt: is the same file as docs/carol.txt; read once"),
            "{notes:?}"
        );
        assert!(report["problems"].as_array().is_some_and(Vec::is_empty), "{report}");
    }
    let stored = place.json(&["status"]);
    assert_eq!(stored["documents"], 2, "{stored}");
    let named = place.run(&["index", "docs/blob.xyz", "--json"]);
    assert_eq!(named.code, Some(4), "{}", named.stdout);
    assert!(named.stdout.contains("docs/blob.xyz: is of type .xyz"), "{}", named.stdout);
}

#[test]
fn an_unreachable_qdrant_is_told_in_one_sentence() {
    let run = indexed().run(&["query", "Who?", "--vectors", "http://127.0.0.1:9"]);
    for word in ["tonic", "transport error", "Status", "{"] {
        assert!(!run.stderr.contains(word), "{}", run.stderr);
    }
}

#[test]
fn an_error_is_json_where_json_was_asked_for() {
    let place = indexed();
    let check = |arguments: &[&str], code: &str, message: &str| {
        let run = place.run(arguments);
        let error: serde_json::Value = serde_json::from_str(run.stdout.trim()).expect("one JSON object");
        assert_eq!((&error["version"], &error["error"]["code"]), (&2.into(), &code.into()), "{error}");
        assert_eq!(error["error"]["exit_code"], run.code.expect("a code"), "{error}");
        assert!(error["error"]["message"].as_str().expect("a text").contains(message), "{error}");
        assert!(error["error"]["hint"].is_string(), "{error}");
        assert!(!run.stderr.contains("error"), "{}", run.stderr);
    };
    check(&["query", "", "--json"], "usage", "the question is empty");
    check(&["query", "Who?", "--nonsense", "--json"], "usage", "unexpected argument '--nonsense'");
    check(&["query", "Who?", "--workspace", "none", "--json"], "failed", "nothing is indexed yet");
    check(&["status", "--graph", "bolt://127.0.0.1:9", "--json"], "unreachable", "cannot reach Neo4j");
}

#[test]
fn a_question_can_come_from_stdin() {
    let place = indexed();
    let mut command = place.command(&["query", "-", "--json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("stdin").write_all(b"Who is Bob Cratchit?\n").expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("clerk"));
}

#[test]
fn a_folder_inside_the_project_is_in_the_project() {
    let place = indexed();
    place.write("graphwright.toml", "[text_units]\nsize = 300\n");
    place.write("docs/deep/more.txt", "Jacob Marley was the partner of Scrooge.");
    let inside = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        let output = command.current_dir(place.path().join("docs/deep")).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    inside(&["index", "more.txt", "--refresh"]);
    assert!(!place.path().join("docs/deep/.graphwright").exists());
    let status: serde_json::Value = serde_json::from_str(&inside(&["status", "--json"])).expect("JSON");
    let keys: Vec<&str> = status["document_status"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|document| document["key"].as_str().expect("a key"))
        .collect();
    assert_eq!(keys, ["docs/carol.txt", "docs/deep/more.txt"]);
    assert!(status["settings_changed"].as_array().expect("a list").is_empty(), "{status}");
    let again = place.json(&["index", "docs"]);
    assert_eq!((&again["documents_unchanged"], &again["documents_added"]), (&2.into(), &0.into()));
}

/// What a command wants of a configured model.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Model {
    /// It does its work without.
    Unasked,
    /// It is there to ask one.
    Asked,
    /// It goes on until it is ended, and is not started here.
    Lasting,
}

/// Every command, and what it wants of a model.
const COMMANDS: &[(&[&str], Model)] = &[
    (&["init", "--force"], Model::Lasting),
    (&["demo"], Model::Lasting),
    (&["serve"], Model::Lasting),
    (&["mcp"], Model::Lasting),
    (&["trust"], Model::Unasked),
    (&["config", "schema"], Model::Unasked),
    (&["status"], Model::Unasked),
    (&["doctor"], Model::Unasked),
    (&["doctor", "--fix"], Model::Unasked),
    (&["source", "1"], Model::Unasked),
    (&["entities", "list"], Model::Unasked),
    (&["entities", "show", "Scrooge"], Model::Unasked),
    (&["entities", "duplicates"], Model::Unasked),
    (&["entities", "rename", "Bob Cratchit", "Robert Cratchit"], Model::Unasked),
    (&["entities", "undo"], Model::Unasked),
    (&["entities", "merge", "Marley", "Scrooge", "--into", "Scrooge"], Model::Unasked),
    (&["entities", "edits"], Model::Unasked),
    (&["entities", "delete", "Marley"], Model::Unasked),
    (&["export", "out"], Model::Unasked),
    (&["map", "-o", "map.svg"], Model::Unasked),
    (&["trends"], Model::Unasked),
    (&["communities", "--history"], Model::Unasked),
    (&["communities", "--list"], Model::Unasked),
    (&["communities", "--dry-run"], Model::Unasked),
    (&["communities"], Model::Unasked),
    (&["sync-vectors"], Model::Unasked),
    (&["index", "docs", "--dry-run"], Model::Unasked),
    (&["sync", "docs", "--dry-run"], Model::Unasked),
    (&["sync", "docs"], Model::Unasked),
    (&["qa", "list"], Model::Unasked),
    (&["qa", "add", "Who is Bob?", "The clerk of Scrooge.", "--id", "bob"], Model::Unasked),
    (&["qa", "add", "Where did Scrooge live?", "In London.", "--id", "place"], Model::Unasked),
    (&["qa", "show", "bob"], Model::Unasked),
    (&["qa", "edit", "bob", "--answer", "Scrooge's clerk."], Model::Unasked),
    (&["qa", "ask", "Who is Bob?"], Model::Unasked),
    (&["qa", "export"], Model::Unasked),
    (&["qa", "check"], Model::Unasked),
    (&["qa", "misses"], Model::Unasked),
    (&["qa", "record", "Who is Jacob?"], Model::Unasked),
    (&["qa", "forget", "--all"], Model::Unasked),
    (&["qa", "history", "bob"], Model::Unasked),
    (&["qa", "undo"], Model::Unasked),
    (&["remove", "docs/2020-05-01.txt"], Model::Unasked),
    (&["import", "out", "--workspace", "other"], Model::Unasked),
    (&["adopt", "--node", "Person"], Model::Unasked),
    (&["cache"], Model::Unasked),
    (&["prompts"], Model::Unasked),
    (&["tune", "docs", "--dry-run"], Model::Unasked),
    (&["token", "list"], Model::Unasked),
    (&["completions", "bash"], Model::Unasked),
    (&["help"], Model::Unasked),
    (&["index", "docs"], Model::Asked),
    (&["query", "Who is Bob?"], Model::Asked),
    (&["chat"], Model::Asked),
    (&["questions"], Model::Asked),
    (&["tune", "docs"], Model::Asked),
    (&["eval", "--questions", "questions.json"], Model::Asked),
];

#[test]
fn what_needs_no_model_wants_no_key() {
    let place = place();
    place.write("docs/2020-05-01.txt", "Jacob Marley was the partner of Scrooge. Marley was dead.");
    place.write("questions.json", "[{\"question\": \"Who is Bob?\", \"answer\": \"the clerk\"}]");
    assert_eq!(place.run(&["index", "docs"]).code, Some(0));
    assert_eq!(place.run(&["query", "Who is Bob Cratchit?"]).code, Some(0));
    place.write("graphwright.toml", MODEL_WITHOUT_KEY);
    let help = place.run(&["--help"]).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    for command in listed.take_while(|line| !line.is_empty()) {
        let name = command.split_whitespace().next().expect("a name");
        assert!(COMMANDS.iter().any(|(arguments, _)| arguments[0] == name), "{name} is not in the table");
    }
    for (arguments, model) in COMMANDS.iter().filter(|(_, model)| *model != Model::Lasting) {
        let run = place.run(arguments);
        let told = format!("{}{}", run.stdout, run.stderr);
        let wants_key = run.code == Some(2) && told.contains("error: no API key for openai");
        assert_eq!(wants_key, *model == Model::Asked, "{arguments:?} {:?}: {told}", run.code);
    }
    let status = place.json(&["status"]);
    let reason = status["unusable_models"].as_str().expect("a reason");
    assert!(reason.contains("no API key for openai"), "{status}");
    // what a model would have written waits for one
    let change = place.run(&["entities", "rename", "London", "Londinium"]);
    let told = change.stderr.contains("warning: no API key for openai");
    assert!(change.code == Some(0) || change.code == Some(4) && told, "{}", change.stderr);
}

#[test]
fn shells_and_the_manual_know_every_command() {
    let place = Place::new();
    let script = place.run(&["completions", "bash"]);
    assert_eq!(script.code, Some(0));
    assert_eq!(place.run(&["completions", "--man", "man1"]).code, Some(0));
    for command in ["index", "query", "entities"] {
        assert!(script.stdout.contains(command), "{command}");
        assert!(place.path().join(format!("man1/graphwright-{command}.1")).exists(), "{command}");
    }
}
