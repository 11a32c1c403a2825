//! The library of questions and answers as a user keeps and asks it.

use crate::program::Place;
use serde_json::Value;

const FAQ: &str = "\
id,question,answer,variants,tags,follow_ups,product
open,How do I open a garden account?,Ask at the desk.,How can I set up a garden account?,account,duration,garden
duration,How long does opening a garden account take?,Two days.,,account,,garden
fee,What does a parcel to Norway cost?,It costs 15 pounds.,,post,,post
chinese,花园账户怎么注销？,到柜台办理。,,账户,,garden
";

fn place() -> Place {
    let place = Place::new();
    place.write("faq.csv", FAQ);
    place.write(
        "docs/fees.txt",
        "The post office opens at nine. A parcel to Norway costs 15 pounds. Bring the address.\n",
    );
    place.json(&["index", "docs"]);
    let taken = place.json(&["qa", "import", "faq.csv", "--author", "Ada"]);
    assert_eq!(taken["added"], 4, "{taken}");
    place
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn the_library_answers_first_and_a_question_that_only_looks_alike_goes_to_the_search() {
    let place = place();
    let answer = place.json(&["query", "How can I open a garden account?"]);
    assert_eq!((&answer["answered_by"], &answer["answer"]), (&"library".into(), &"Ask at the desk.".into()));
    assert_eq!(answer["library"]["id"], "open");
    assert_eq!(answer["library"]["related"][0]["id"], "duration", "{answer}");
    for other in
        ["How do I close a garden account?", "花园账户怎么开通？", "What does a parcel to Sweden cost?"]
    {
        let answer = place.json(&["query", other]);
        assert_eq!(answer["answered_by"], "search", "{other}: {answer}");
    }
    let answer = place.json(&["query", "怎么注销花园账户？"]);
    assert_eq!(answer["library"]["id"], "chinese");
    let answer = place.json(&["query", "--no-library", "How can I open a garden account?"]);
    assert_eq!(answer["answered_by"], "search");
    let asked = place.json(&["qa", "ask", "--filter", "product=post", "How can I open a garden account?"]);
    assert_eq!(asked["answered"], false, "{asked}");
}

#[test]
fn entries_are_listed_edited_retired_and_every_change_can_be_undone() {
    let place = place();
    let again = place.json(&["qa", "import", "faq.csv"]);
    assert_eq!((&again["added"], &again["unchanged"]), (&0.into(), &4.into()), "{again}");
    let listed = place.json(&["qa", "list", "--filter", "tag=account"]);
    assert_eq!(listed["entries"].as_array().map(Vec::len), Some(2));
    place.json(&["qa", "edit", "fee", "--answer", "It costs 20 pounds.", "--author", "Bob"]);
    let shown = place.json(&["qa", "show", "fee"]);
    assert_eq!(shown["entry"]["answer"], "It costs 20 pounds.");
    assert_eq!(shown["history"][1]["author"], "Bob", "{shown}");
    place.json(&["qa", "undo"]);
    assert_eq!(place.json(&["qa", "show", "fee"])["entry"]["answer"], "It costs 15 pounds.");
    place.json(&["qa", "retire", "open"]);
    assert_eq!(place.json(&["query", "How do I open a garden account?"])["answered_by"], "search");
    let refused = place.run(&["qa", "edit", "nothing", "--answer", "x"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("no entry \"nothing\""), "{}", refused.stderr);
    place.json(&[
        "qa",
        "add",
        "Is there a gift card?",
        "Yes.",
        "--id",
        "gift",
        "--valid-until",
        "2020-01-01",
    ]);
    assert_eq!(place.json(&["query", "Is there a gift card?"])["answered_by"], "search", "it holds no more");
}

#[test]
fn an_answer_is_in_doubt_where_documents_contradict_each_other_on_what_it_speaks_of() {
    let place = Place::new();
    place.write("docs/2020.txt", "Tarnworks has 400 employees. Tarnworks builds boats in Velm.\n");
    place.write("docs/2024.txt", "Tarnworks employs 650 employees today. Tarnworks builds boats in Velm.\n");
    place.write("docs/other.txt", "Brandt Lines has 12 ferries. Brandt Lines sails to Velm.\n");
    place.json(&["index", "docs"]);
    place.json(&["qa", "add", "How many employees has Tarnworks?", "400.", "--id", "staff"]);
    place.json(&["qa", "add", "How many ferries has Brandt Lines?", "12.", "--id", "ferries"]);
    // of the same firm, and of another matter than the one that the documents disagree on
    place.json(&["qa", "add", "Where does Tarnworks build boats?", "In Velm.", "--id", "boats"]);
    let checked = place.json(&["qa", "check"]);
    let doubts = checked["doubts"].as_array().expect("a list");
    assert_eq!(doubts.len(), 1, "{checked}");
    assert_eq!((&doubts[0]["key"], &doubts[0]["more"]), (&"staff".into(), &0.into()));
    let found = &doubts[0]["contradictions"][0];
    let mut values = [&found["earlier"]["value"], &found["later"]["value"]].map(|value| value.as_str());
    values.sort_unstable();
    assert_eq!(values, [Some("400"), Some("650")], "{checked}");
    let told = place.run(&["qa", "check"]);
    assert_eq!(told.code, Some(0), "a doubt is no error");
    assert!(told.stdout.contains("in doubt: Tarnworks"), "{}", told.stdout);
    assert!(told.stdout.contains("400 employees. (docs/2020.txt)"), "{}", told.stdout);
    place.json(&["qa", "retire", "staff"]);
    assert_eq!(place.json(&["qa", "check"])["doubts"], serde_json::json!([]));
}

#[test]
fn an_answer_knows_when_the_text_that_it_rests_on_has_changed() {
    let place = place();
    let quote = "A parcel to Norway costs 15 pounds.";
    place.json(&["qa", "link", "fee", "--document", "docs/fees.txt", "--quote", quote]);
    let answer = place.json(&["query", "What does a parcel to Norway cost?"]);
    assert_eq!(answer["library"]["rests_on"][0]["text"], quote, "{answer}");
    assert_eq!(place.run(&["qa", "check"]).code, Some(0));

    let text = "Closed on Sundays. A parcel to Norway costs 15 pounds.\n";
    place.write("docs/fees.txt", text);
    place.json(&["sync", "docs"]);
    assert_eq!(place.run(&["qa", "check"]).code, Some(0), "the sentence still stands, elsewhere");
    let answer = place.json(&["query", "What does a parcel to Norway cost?"]);
    let source = &answer["library"]["rests_on"][0];
    let place_of = |name: &str| usize::try_from(source[name].as_u64().expect("a place")).expect("small");
    let cited: String =
        text.chars().skip(place_of("start")).take(place_of("end") - place_of("start")).collect();
    assert_eq!(cited, quote);

    place.write("docs/fees.txt", "Closed on Sundays. A parcel to Norway costs 18 pounds.\n");
    let synced = place.run(&["sync", "docs"]);
    assert!(synced.stderr.contains("rest on text that has changed: fee"), "{}", synced.stderr);
    let checked = place.run(&["qa", "check", "--json"]);
    assert_eq!(checked.code, Some(4));
    let checked: Value = serde_json::from_str(&checked.stdout).expect("JSON");
    let cited = &checked["stale"][0]["citations"][0];
    assert_eq!(cited["was"], quote);
    assert_eq!(cited["now"], "A parcel to Norway costs 18 pounds.");
    let answer = place.json(&["query", "What does a parcel to Norway cost?"]);
    assert_eq!(answer["library"]["stale"][0]["was"], quote, "{answer}");
    // the graph holds what a check finds
    let stored = |entries: &Value| -> Value {
        let entries = entries["entries"].as_array().expect("entries").iter();
        entries.clone().find(|entry| entry["key"] == "fee").expect("the entry")["stale"].clone()
    };
    assert_eq!(stored(&place.json(&["qa", "list"])), *cited_list(&checked), "{checked}");
    assert!(cited["text_unit"].is_string(), "{checked}");
    assert!(place.export()["library.jsonl"].contains("costs 18 pounds"), "exported");
    assert_eq!(place.run(&["doctor"]).code, Some(0));
    place.write("graphwright.toml", "[qa]\nstale = \"hold\"\n");
    let answer = place.json(&["query", "What does a parcel to Norway cost?"]);
    assert_eq!(answer["answered_by"], "search");
    assert!(answer["notes"].to_string().contains("held back"), "{answer}");
}

#[test]
fn a_standard_answer_reads_the_text_that_it_cites_once_and_no_other() {
    let place = place();
    let read = |place: &Place| {
        let statements = place.statements(&["query", "What does a parcel to Norway cost?", "--quiet"]);
        let of_units =
            statements.into_iter().filter(|(statement, _)| statement.contains("SELECT u.id, d.id"));
        of_units.map(|(_, cost)| (cost.rows, cost.steps > 0)).collect::<Vec<_>>()
    };
    assert_eq!(read(&place), [], "nothing is cited");
    let quote = "A parcel to Norway costs 15 pounds.";
    place.json(&["qa", "link", "fee", "--document", "docs/fees.txt", "--quote", quote]);
    assert_eq!(read(&place), [(1, true)]);
}

/// The citations of the first stale entry of `qa check --json`.
fn cited_list(checked: &Value) -> &Value {
    &checked["stale"][0]["citations"]
}

#[test]
fn a_stale_mark_goes_when_the_text_is_as_it_was_and_doctor_mends_a_lost_one() {
    let place = place();
    let quote = "A parcel to Norway costs 15 pounds.";
    place.json(&["qa", "link", "fee", "--document", "docs/fees.txt", "--quote", quote]);
    let before = place.export()["library.jsonl"].clone();
    assert!(!before.contains("\"stale\""), "{before}");
    place.write("docs/fees.txt", "A parcel to Norway costs 18 pounds.\n");
    place.json(&["sync", "docs"]);
    let marked = place.export()["library.jsonl"].clone();
    assert!(marked.contains("\"stale\""), "{marked}");
    let file = rusqlite::Connection::open(place.data().join("default.sqlite")).expect("a file");
    assert_eq!(file.execute("DELETE FROM answer_stale", []).expect("deleted"), 1);
    drop(file);
    let found = place.run(&["doctor"]);
    assert!(found.stdout.contains("library_unlike_graph"), "{}{}", found.stdout, found.stderr);
    place.run(&["doctor", "--fix"]);
    assert_eq!(place.export()["library.jsonl"], marked);
    place.write("docs/fees.txt", &format!("{quote} Closed on Sundays.\n"));
    place.json(&["sync", "docs"]);
    assert!(!place.export()["library.jsonl"].contains("\"stale\""));
}

#[test]
fn what_nothing_answers_is_noted_only_where_it_is_wanted() {
    let place = place();
    let question = "zzz qqq xxx?";
    place.json(&["query", question]);
    assert_eq!(place.json(&["qa", "misses"])["groups"], Value::Array(Vec::new()));
    place.write("graphwright.toml", "[qa]\nrecord = true\n");
    place.json(&["query", question]);
    place.json(&["query", question]);
    let misses = place.json(&["qa", "misses"]);
    assert_eq!(
        (&misses["groups"][0]["count"], &misses["groups"][0]["questions"][0]),
        (&2.into(), &question.into())
    );
    assert_eq!(place.json(&["qa", "forget", "--all"])["forgotten"], 1);
}

#[test]
fn a_set_of_questions_is_measured_and_the_threshold_is_set() {
    let place = place();
    place.write(
        "set.jsonl",
        "{\"id\":\"open\",\"language\":\"en\",\"paraphrases\":[\"How can I open a garden account?\",\"garden acount open\"],\
         \"near_misses\":[{\"question\":\"How do I close a garden account?\",\"expect\":null,\"trap\":\"opposite\"}]}\n\
         {\"id\":\"out\",\"language\":\"en\",\"kind\":\"general\",\"question\":\"Who wrote Hamlet?\",\"expect\":null}\n\
         {\"id\":\"talk\",\"language\":\"en\",\"turns\":[\"How do I open a garden account?\",\"And how long does that take?\"],\
         \"expect\":[\"open\",\"duration\"]}\n",
    );
    let report = place.json(&["qa", "test", "set.jsonl"]);
    assert_eq!(
        (&report["all"]["recall"], &report["all"]["false_answers"]),
        (&100.0.into(), &0.into()),
        "{report}"
    );
    assert_eq!(report["turns"]["later"], serde_json::json!([1, 1]), "{report}");
    let asked = place.run(&["qa", "ask", "How do I open a garden account?", "--json"]);
    assert_eq!(lines(&asked.stdout)[0]["ranked"][0]["id"], "open");
    let tuned = place.json(&["qa", "tune", "set.jsonl"]);
    let text = std::fs::read_to_string(place.path().join("graphwright.toml")).expect("written");
    assert!(text.contains(&format!("[qa]\naccept = {}", tuned["accept"])), "{text}");
}

#[test]
fn follow_ups_of_a_conversation_are_found_and_other_subjects_are_not_taken_for_them() {
    let place = Place::new();
    place.write("entries.jsonl", include_str!("../fixtures/library/talk-entries.jsonl"));
    place.write("talk.jsonl", include_str!("../fixtures/library/talk.jsonl"));
    place.json(&["qa", "import", "entries.jsonl"]);
    let report = place.json(&["qa", "test", "talk.jsonl"]);
    let questions = report["questions"].as_array().expect("questions");
    let later = |is_answerable: bool| {
        let turns = questions.iter().filter(move |asked| asked["kind"] == "later");
        let of_kind: Vec<&Value> =
            turns.filter(|asked| asked["expect"].is_string() == is_answerable).collect();
        (of_kind.iter().filter(|asked| asked["right"] == true).count(), of_kind.len())
    };
    // before the question word decided, 10 of 20 and 13 of 15
    let (answered, open) = (later(true), later(false));
    assert!(answered.0 >= 16 && answered.1 == 20, "{answered:?}");
    assert_eq!(open, (15, 15));
}

#[test]
fn a_library_is_exported_in_every_form_and_comes_back_with_the_workspace() {
    let place = place();
    place.json(&["qa", "link", "fee", "--document", "docs/fees.txt", "--quote", "costs 15 pounds"]);
    for name in ["out.jsonl", "out.csv", "out.tsv", "out.md", "out.xlsx"] {
        assert_eq!(place.run(&["qa", "export", name]).code, Some(0));
        let again = place.json(&["qa", "import", name]);
        assert_eq!((&again["unchanged"], &again["changed"]), (&4.into(), &0.into()), "{name}: {again}");
    }
    place.json(&["export", "whole"]);
    let other = Place::new();
    let from = place.path().join("whole").display().to_string();
    other.json(&["import", &from]);
    let bare = |place: &Place| place.json(&["qa", "list"])["entries"].clone();
    assert_eq!(bare(&place), bare(&other));
    assert_eq!(other.json(&["query", "What does a parcel to Norway cost?"])["library"]["id"], "fee");
    assert_eq!(other.run(&["doctor"]).code, Some(0));
}

#[test]
fn an_import_takes_no_library_away_unless_it_is_told_to() {
    let place = place();
    place.json(&["export", "whole"]);
    let from = place.path().join("whole").display().to_string();
    let other = Place::new();
    other.json(&["qa", "add", "When is the fair?", "In May.", "--id", "fair"]);
    let refused = other.run(&["import", &from]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("holds 1 entry of the library, and an import"), "{}", refused.stderr);
    assert!(refused.stderr.contains("add --replace"), "{}", refused.stderr);
    assert_eq!(other.json(&["qa", "list"])["entries"].as_array().map(Vec::len), Some(1));
    other.json(&["import", "--replace", &from]);
    assert_eq!(other.json(&["qa", "list"])["entries"], place.json(&["qa", "list"])["entries"]);
}

#[test]
fn questions_have_vectors_that_follow_the_library() {
    let place = Place::new();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/embeddings/tiny");
    place.write("graphwright.toml", &format!("[embeddings]\nprovider = \"local\"\npath = \"{model}\"\n"));
    place.write("faq.csv", FAQ);
    place.write("docs/a.txt", "A note about gardens.\n");
    place.json(&["index", "docs"]);
    place.json(&["qa", "import", "faq.csv"]);
    assert_eq!(place.json(&["query", "How can I open a garden account?"])["library"]["id"], "open");
    assert_eq!(place.run(&["doctor"]).code, Some(0), "no vector is missing");
    place.json(&["qa", "edit", "fee", "--question", "What does a letter to Norway cost?"]);
    place.json(&["qa", "undo"]);
    assert_eq!(place.run(&["doctor"]).code, Some(0), "vectors follow what is changed");
    place.json(&["export", "whole"]);
    let other = Place::new();
    other.write("graphwright.toml", &format!("[embeddings]\nprovider = \"local\"\npath = \"{model}\"\n"));
    other.json(&["import", &place.path().join("whole").display().to_string()]);
    assert_eq!(other.run(&["doctor"]).code, Some(0), "vectors come back with the workspace");
}

#[test]
fn drafts_are_reviewed_one_by_one_and_what_was_decided_stays() {
    let place = place();
    let draft = |id: &str, question: &str| {
        place.json(&["qa", "add", question, "Yes.", "--id", id, "--status", "draft"]);
    };
    draft("gift", "Is there a gift card?");
    draft("wifi", "Is there wifi in the hall?");
    draft("dogs", "Are dogs let in?");
    let review = |input: &str| {
        use std::io::Write;
        let mut command = place.command(&["qa", "review", "--only", "drafts", "--author", "Eve"]);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        command.env("EDITOR", "sed -i s/Yes/No/");
        command.env_remove("VISUAL");
        let mut child = command.spawn().expect("started");
        child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("written");
        String::from_utf8(child.wait_with_output().expect("ended").stdout).expect("text")
    };
    let status = |id: &str| place.json(&["qa", "show", id])["entry"]["status"].clone();
    assert!(review("edit\nquit\n").contains("[1 of 3]"));
    assert_eq!((status("dogs"), status("gift")), ("approved".into(), "draft".into()));
    assert_eq!(place.json(&["qa", "show", "dogs"])["entry"]["answer"], "No.");
    assert!(review("approve\nreject\n").contains("[1 of 2]"), "it goes on where it ended");
    assert_eq!((status("gift"), status("wifi")), ("approved".into(), "retired".into()));
    let refused = place.run(&["qa", "generate"]);
    assert!(refused.stderr.contains("written by a model"), "{}", refused.stderr);
}

#[test]
fn a_question_about_a_theme_gathers_its_standard_answers() {
    let place = place();
    let answer = place.json(&["query", "Give me an overview of everything about an account"]);
    let text = answer["answer"].as_str().expect("text");
    assert!(text.contains("Ask at the desk.") && text.contains("Two days."), "{answer}");
    assert_eq!(answer["citations"][0]["kind"], "answers", "{answer}");
    assert!(!text.contains("15 pounds"), "{text}");
}

#[test]
fn questions_of_other_topics_are_answered_rightly_or_not_at_all() {
    let place = Place::new();
    let set = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/library/check.jsonl");
    let text = std::fs::read_to_string(set).expect("a set");
    let entries: Vec<&str> = text.lines().filter(|line| line.contains("\"answer\"")).collect();
    place.write("entries.jsonl", &entries.join("\n"));
    place.write("docs/a.txt", "A note.\n");
    place.json(&["index", "docs"]);
    place.json(&["qa", "import", "entries.jsonl"]);
    let report = place.json(&["qa", "test", set]);
    // each language by itself, at what issue and documentation promise of words alone
    for (language, recall) in [("en", 42.0), ("zh", 45.0)] {
        let parts = report["parts"].as_array().expect("parts");
        let part = parts.iter().find(|part| part["of"] == language).expect("a language");
        let figure = |name: &str| part[name].as_f64().expect("a figure");
        assert!(figure("precision") >= 95.0, "{part}");
        assert!(figure("recall") >= recall && figure("recall_at_3") >= 72.0, "{part}");
    }
}

#[test]
fn an_entry_is_about_the_entities_that_it_names_and_leads_to_others_about_them() {
    let place = Place::new();
    place.write(
        "docs/a.txt",
        "Tarnworks builds boats in Velm. Tarnworks was founded by Ines Marlow in 1950.\n",
    );
    place.write(
        "docs/b.txt",
        "The cost of a day ticket for adults is 5 pounds. The cost of a bag is 2 pounds.\n",
    );
    place.json(&["index", "docs"]);
    place.write(
        "faq.csv",
        "id,question,answer\nfounder,Who founded Tarnworks?,Ines Marlow.\nplace,Where is the yard of Tarnworks?,In Velm.\n\
         ticket,What does a day ticket for adults cost?,5 pounds.\nbag,What does a bag cost?,2 pounds.\n",
    );
    place.json(&["qa", "import", "faq.csv"]);
    let entry = |id: &str| place.json(&["qa", "show", id])["entry"].clone();
    let exported = place.export()["entities.jsonl"].clone();
    let tarnworks =
        lines(&exported).into_iter().find(|entity| entity["name"] == "Tarnworks").expect("an entity");
    assert_eq!(entry("founder")["about"], serde_json::json!([tarnworks["id"]]));
    assert_eq!(entry("founder")["about"], entry("place")["about"]);
    let answer = place.json(&["query", "Who founded Tarnworks?"]);
    assert_eq!(answer["library"]["related"][0]["id"], "place", "{answer}");
    // what both cost is nothing that they share
    let answer = place.json(&["query", "What does a bag cost?"]);
    assert_eq!(answer["library"]["id"], "bag", "{answer}");
    assert_eq!(answer["library"]["related"], serde_json::json!([]), "{answer}");
    assert_eq!(place.run(&["doctor"]).code, Some(0));
}

#[test]
fn misses_and_stale_answers_are_reviewed_and_an_unchanged_answer_stays_stale() {
    let place = place();
    let quote = "A parcel to Norway costs 15 pounds.";
    place.json(&["qa", "link", "fee", "--document", "docs/fees.txt", "--quote", quote]);
    place.write("docs/fees.txt", "The post office opens at nine. A parcel to Norway costs 18 pounds.\n");
    place.json(&["sync", "docs"]);
    for question in
        ["Is there a car park?", "Is there a car park?", "is there a car park", "Are dogs let in?"]
    {
        place.run(&["qa", "record", question]);
    }
    let review = |only: &str, editor: &str, input: &str| {
        use std::io::Write;
        let mut command = place.command(&["qa", "review", "--only", only, "--author", "Eve"]);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        command.env("EDITOR", editor).env_remove("VISUAL");
        let mut child = command.spawn().expect("started");
        child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("written");
        String::from_utf8(child.wait_with_output().expect("ended").stdout).expect("text")
    };
    place.write("editor.sh", "echo Yes. >> \"$1\"\n");
    let said = review("misses", "sh editor.sh", "edit\nquit\n");
    assert!(said.contains("[1 of 2] asked 3 times"), "{said}");
    assert_eq!(place.json(&["query", "Is there a car park?"])["answer"], "Yes.");
    let misses = place.json(&["qa", "misses"]);
    assert_eq!(misses["groups"][0]["questions"], serde_json::json!(["Are dogs let in?"]), "{misses}");
    review("misses", "true", "merge open\n");
    assert_eq!(place.json(&["qa", "misses"])["groups"], serde_json::json!([]));
    assert_eq!(place.json(&["query", "Are dogs let in?"])["library"]["id"], "open");

    let said = review("stale", "true", "edit\nquit\n");
    assert!(said.contains("[1 of 1] stale fee") && said.contains("18 pounds"), "{said}");
    assert_eq!(place.run(&["qa", "check"]).code, Some(4), "nothing was changed");
    review("stale", "sed -i s/15/18/", "edit\n");
    assert_eq!(place.run(&["qa", "check"]).code, Some(0));
    let answer = place.json(&["query", "What does a parcel to Norway cost?"]);
    assert_eq!(answer["answer"], "It costs 18 pounds.", "{answer}");
    assert_eq!(answer["library"]["rests_on"][0]["text"], "A parcel to Norway costs 18 pounds.", "{answer}");
}

#[test]
fn a_list_says_what_an_entry_is_and_a_document_that_is_gone_is_not_said_to_say_otherwise() {
    let place = place();
    place.json(&["qa", "link", "fee", "--document", "docs/fees.txt", "--quote", "costs 15 pounds"]);
    place.json(&["qa", "retire", "open"]);
    place.remove("docs/fees.txt");
    place.write("docs/other.txt", "A note about gardens.\n");
    place.json(&["sync", "docs"]);
    let listed = place.run(&["qa", "list"]).stdout;
    let line = |key: &str| listed.lines().find(|line| line.starts_with(key)).unwrap_or_default().to_owned();
    assert!(line("fee").ends_with("[en; post; stale]"), "{listed}");
    assert!(line("open").ends_with("[en; account; retired]"), "{listed}");
    assert!(line("chinese").ends_with("[zh; 账户]"), "{listed}");
    let checked = place.run(&["qa", "check"]);
    assert_eq!(checked.code, Some(4), "{}", checked.stderr);
    assert!(checked.stdout.contains("and is not there any more"), "{}", checked.stdout);
    assert!(!checked.stdout.contains("nothing like it"), "{}", checked.stdout);
    let shown = place.run(&["qa", "show", "fee"]).stdout;
    assert!(shown.contains("and is not there any more"), "{shown}");
}

#[test]
fn the_threshold_is_written_into_what_init_wrote() {
    let place = place();
    place.run(&["init"]);
    place.write(
        "set.jsonl",
        "{\"id\":\"open\",\"language\":\"en\",\"question\":\"How do I open a garden account?\",\"answer\":\"Ask.\",\
         \"paraphrases\":[\"How can I open a garden account?\"]}\n",
    );
    let tuned = place.run(&["qa", "tune", "set.jsonl", "--precision", "90"]);
    assert_eq!(tuned.code, Some(0), "{}", tuned.stderr);
    assert_eq!(place.run(&["qa", "list"]).code, Some(0), "the configuration is read");
}

#[test]
fn a_part_of_a_sentence_is_cited_as_the_sentence_and_is_stale_where_that_says_another_thing() {
    let place = place();
    place.json(&["qa", "link", "fee", "--document", "docs/fees.txt", "--quote", "costs 15 pounds"]);
    place.write(
        "docs/fees.txt",
        "The post office opens at nine. It is not true that a parcel to Norway costs 15 pounds. Bring the address.\n",
    );
    place.json(&["sync", "docs"]);
    let checked = place.run(&["qa", "check", "--json"]);
    assert_eq!(checked.code, Some(4), "{}", checked.stdout);
    assert!(checked.stdout.contains("\"was\":\"A parcel to Norway costs 15 pounds.\""), "{}", checked.stdout);
}

#[test]
fn what_sums_up_a_theme_holds_it_alone_and_says_what_may_be_out_of_date() {
    let place = place();
    place.write(
        "more.jsonl",
        "{\"id\":\"letter\",\"question\":\"What does a letter to Norway cost?\",\"answer\":\"It costs 2 pounds.\",\
         \"tags\":[\"post\"]}\n\
         {\"id\":\"norway\",\"question\":\"When does the boat to Norway leave?\",\"answer\":\"At noon.\",\"tags\":[\"boat\"]}\n",
    );
    place.json(&["qa", "import", "more.jsonl"]);
    let quote = "A parcel to Norway costs 15 pounds.";
    place.json(&["qa", "link", "fee", "--document", "docs/fees.txt", "--quote", quote]);
    place.write("docs/fees.txt", "The post office opens at nine. A parcel to Norway costs 18 pounds.\n");
    place.json(&["sync", "docs"]);
    let asked = ["query", "Give me an overview of the post"];
    let answer = place.json(&asked);
    let text = answer["answer"].as_str().expect("text");
    assert!(text.contains("It costs 2 pounds"), "{answer}");
    assert!(!text.contains("At noon"), "{answer}");
    assert!(answer["notes"].to_string().contains("fee may be out of date"), "{answer}");
    place.write("graphwright.toml", "[qa]\nstale = \"hold\"\n");
    let answer = place.json(&asked);
    assert!(!answer["answer"].to_string().contains("It costs 15 pounds"), "{answer}");
    assert!(answer["notes"].to_string().contains("fee is held back"), "{answer}");
    let told = place.run(&["query", "What does a parcel to Norway cost?"]);
    assert!(told.stdout.contains("fee is held back"), "{}", told.stdout);
}

#[test]
fn a_filter_that_only_the_library_knows_does_not_end_the_search() {
    let place = place();
    let answer = place.json(&["query", "When does the post office open?", "--filter", "product=post"]);
    assert_eq!(answer["answered_by"], "search", "{answer}");
    assert!(answer["answer"].to_string().contains("opens at nine"), "{answer}");
    assert!(answer["notes"].to_string().contains("no document has product"), "{answer}");
    let refused = place.run(&["query", "When does the post office open?", "--filter", "colour=red"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stdout);
}

#[test]
fn what_no_entry_may_be_is_refused_and_a_retired_one_stays_retired() {
    let place = place();
    let refused = |arguments: &[&str], reason: &str| {
        let refused = place.run(arguments);
        assert_ne!(refused.code, Some(0), "{arguments:?}");
        assert!(refused.stderr.contains(reason), "{}", refused.stderr);
    };
    refused(&["qa", "edit", "fee", "--answer", ""], "has no answer");
    refused(&["qa", "edit", "fee", "--language", "Klingon foo"], "no tag of a language");
    let days = ["--valid-from", "2027-01-01", "--valid-until", "2026-01-01"];
    refused(&[["qa", "add", "Why?", "So."].as_slice(), days.as_slice()].concat(), "no day at all");
    place.json(&["qa", "retire", "fee", "open"]);
    let again = place.json(&["qa", "import", "faq.csv"]);
    assert_eq!((&again["changed"], &again["unchanged"]), (&0.into(), &4.into()), "{again}");
    assert_eq!(place.json(&["qa", "show", "fee"])["entry"]["status"], "retired");
    let undone = place.run(&["qa", "undo"]);
    assert_eq!(undone.stdout.lines().count(), 2, "both are back: {}", undone.stdout);
    assert_eq!(place.json(&["qa", "show", "open"])["entry"]["status"], "approved");
    assert_eq!(place.run(&["qa", "undo"]).stdout.lines().count(), 4, "the import is one change");
    assert_eq!(place.json(&["qa", "list"])["entries"], serde_json::json!([]));
}

#[test]
fn a_question_that_two_entries_have_is_told_and_answered_by_its_own() {
    let place = place();
    let added = place.run(&[
        "qa",
        "add",
        "May I send a parcel to Norway?",
        "Yes.",
        "--id",
        "a-double",
        "--variant",
        "What does a parcel to Norway cost?",
    ]);
    assert!(added.stderr.contains("a-double asks"), "{}", added.stderr);
    let added = place.run(&["qa", "add", "What is the cost of a parcel to Norway?", "15.", "--id", "near"]);
    assert!(added.stderr.contains("near asks almost what fee asks"), "{}", added.stderr);
    let added = place.run(&["qa", "add", "What does a letter to Norway cost?", "2.", "--id", "letter"]);
    assert!(!added.stderr.contains("warning"), "{}", added.stderr);
    place.json(&["qa", "retire", "near"]);
    assert_eq!(place.json(&["query", "What does a parcel to Norway cost?"])["library"]["id"], "fee");
}

#[test]
fn one_answer_to_questions_that_nothing_answered_does_not_answer_their_opposites() {
    let place = place();
    for question in
        ["How do I disable push notes?", "How do I disable push notes?", "How do I enable push notes?"]
    {
        place.run(&["qa", "record", question]);
    }
    let misses = place.json(&["qa", "misses"]);
    assert_eq!(misses["groups"].as_array().map(Vec::len), Some(2), "{misses}");
}

#[test]
fn a_standard_answer_cites_nothing_of_this_answers_sources() {
    let place = Place::new();
    let added =
        place.run(&["qa", "add", "What is the fee?", "It is 5 pounds [Data: Sources (1); Reports (2)]."]);
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let said = place.json(&["query", "What is the fee?"]);
    assert_eq!(
        (&said["answered_by"], &said["answer"]),
        (&"library".into(), &"It is 5 pounds.".into()),
        "{said}"
    );
}
