//! The community stage as a user meets it: graphs without relationships, warm starts, lines of communities, flags.

use crate::command_line::{Run, run};
use serde_json::Value;
use std::path::Path;

/// A folder with one text a name.
fn corpus(texts: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("docs")).expect("a folder");
    for (name, text) in texts {
        std::fs::write(folder.path().join("docs").join(name), text).expect("written");
    }
    folder
}

fn done(folder: &Path, arguments: &[&str]) -> Run {
    let run = run(folder, arguments);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
    run
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let arguments = [arguments, &["--json"]].concat();
    serde_json::from_str(&done(folder, &arguments).stdout).expect("JSON")
}

/// Families who meet only among themselves, and in the first of the texts with the next family.
fn families(count: usize) -> Vec<(String, String)> {
    const GIVEN: [&str; 5] = ["Alice", "Robert", "Martha", "Edwin", "Caroline"];
    const FAMILY: [&str; 6] = ["Ashford", "Bramwell", "Cranston", "Dunmore", "Ellsworth", "Fairfax"];
    let text = |family: usize| {
        let name = |person: usize| format!("{} {}", GIVEN[person % 5], FAMILY[family % 6]);
        let mut text = String::new();
        for one in 0..5 {
            for other in 0..one {
                text.push_str(&format!("{} met {} in the garden. ", name(one), name(other)));
            }
        }
        text.push_str(&format!("{} wrote to Alice {}. ", name(0), FAMILY[(family + 1) % 6]));
        text
    };
    (0..count).map(|family| (format!("{family}.txt"), text(family))).collect()
}

#[test]
fn a_graph_without_relationships_works_from_end_to_end() {
    let folder = corpus(&[("0.txt", "Ebenezer Scrooge."), ("1.txt", "Jacob Marley.")]);
    let report = json(folder.path(), &["index", "docs"]);
    assert_eq!(report["relationships"], 0, "{report}");
    let levels = json(folder.path(), &["communities"]);
    assert!(levels["levels"].as_array().is_some_and(|levels| levels.len() <= 1), "{levels}");
    for method in ["local", "global", "basic"] {
        let answer = run(folder.path(), &["query", "Who is Scrooge?", "--method", method, "--json"]);
        assert_eq!(answer.code, 0, "{method}: {}", answer.stderr);
    }
    let status = json(folder.path(), &["status"]);
    assert_eq!(status["communities"], report["entities"], "each entity alone: {status}");
}

#[test]
fn one_community_works_from_end_to_end() {
    let folder = corpus(&[("one.txt", "Ebenezer Scrooge met Bob Cratchit. Bob Cratchit met Jacob Marley.")]);
    let report = json(folder.path(), &["index", "docs"]);
    assert_eq!(report["communities"], 1, "{report}");
    let answer = json(folder.path(), &["query", "What is this about?", "--method", "global"]);
    assert!(!answer["answer"].as_str().unwrap_or_default().is_empty(), "{answer}");
}

#[test]
fn a_warm_start_is_said_in_status_and_a_fresh_run_takes_it_back() {
    let texts = families(6);
    let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let folder = corpus(&texts);
    let folder = folder.path();
    done(folder, &["index", "docs", "--warm"]);
    let status = || json(folder, &["status"])["settings"]["communities"].clone();
    assert_eq!(status(), Value::Null, "the first run has nothing to start from");
    let unchanged = json(folder, &["communities", "--warm"]);
    assert_eq!((&unchanged["added"], &unchanged["ended"]), (&Value::from(0), &Value::from(0)), "{unchanged}");
    std::fs::write(
        folder.join("docs/new.txt"),
        "Alice Ashford met Jacob Marley. Jacob Marley met Edwin Ashford.",
    )
    .expect("written");
    done(folder, &["index", "docs", "--warm"]);
    let note = status();
    assert!(note.as_str().is_some_and(|note| note.contains("history")), "{note}");
    assert!(done(folder, &["status"]).stdout.contains("depend on the history"));
    let told = json(folder, &["communities", "--history"]);
    let steps = told.as_array().expect("steps");
    let events = |name: &str| steps.iter().filter(|step| step["event"] == name).count();
    assert!(events("began") > 0 && events("changed") > 0, "{told}");
    assert!(steps.iter().all(|step| step["period"].is_string() && step["size"].is_u64()), "{told}");
    let changed = steps.iter().find(|step| step["event"] == "changed").expect("a change");
    let line: Vec<&Value> = steps.iter().filter(|step| step["lineage"] == changed["lineage"]).collect();
    assert!(line.len() >= 2, "a line has a history: {line:?}");
    assert!(done(folder, &["communities", "--history"]).stdout.contains("began with"));
    json(folder, &["communities", "--fresh"]);
    assert_eq!(status(), Value::Null, "a fresh run depends on the graph alone");
}

/// People who meet in a ring: where it is cut is by chance, so that any change may move all cuts.
fn ring(folder: &Path, people: usize) {
    for one in 0..people {
        let name = |number: usize| {
            const GIVEN: [&str; 8] =
                ["Alice", "Robert", "Martha", "Edwin", "Caroline", "Walter", "Judith", "Oliver"];
            const FAMILY: [&str; 8] =
                ["Ashford", "Bramwell", "Cranston", "Dunmore", "Ellsworth", "Fairfax", "Granger", "Holloway"];
            format!("{} {}", GIVEN[number % 8], FAMILY[number / 8 % 8])
        };
        let text = format!("{} met {}.", name(one), name((one + 1) % people));
        std::fs::write(folder.join(format!("docs/{one:02}.txt")), text).expect("written");
    }
}

#[test]
fn fresh_communities_are_told_with_their_price_before_they_are_made_and_equal_a_rebuild() {
    let folder = corpus(&[]);
    let folder = folder.path();
    ring(folder, 60);
    let first = json(folder, &["index", "docs"]);
    let none = json(folder, &["communities", "--dry-run"]);
    assert_eq!(
        (&none["comparison"]["changed"], &none["comparison"]["loss"]),
        (&0.into(), &0.0.into()),
        "{none}"
    );
    assert_eq!(none["steady"], none["fresh"], "{none}");
    // a chord, so that other cuts are better: few communities move, and fresh ones would be many others
    std::fs::write(
        folder.join("docs/chord.txt"),
        "Alice Ashford met Martha Cranston. Alice Ashford met Edwin Dunmore.",
    )
    .expect("written");
    let steady = json(folder, &["index", "docs"]);
    let least = steady["communities_added"].as_u64().expect("a number");
    let plan = json(folder, &["communities", "--fresh", "--dry-run"]);
    let changed = plan["comparison"]["changed"].as_u64().expect("a number");
    assert!(changed > least, "fresh ones change {changed}, steady ones {least}");
    assert_eq!(plan["comparison"]["reports"], 0, "without a model none is paid for: {plan}");
    let told = json(folder, &["status"])["settings"]["communities"].clone();
    assert!(told.as_str().is_some_and(|told| told.contains(&format!("change {changed} of"))), "{told}");
    let again = json(folder, &["index", "docs"]);
    assert_eq!(again["generation"], steady["generation"], "a dry run writes nothing");
    assert_eq!(first["generation"].as_u64().map(|one| one + 1), steady["generation"].as_u64());

    let run = done(folder, &["communities", "--fresh"]);
    assert!(
        run.stderr.contains(&format!("fresh communities: {changed} communities would change")),
        "{}",
        run.stderr
    );
    done(folder, &["export", "lived"]);
    std::fs::remove_dir_all(folder.join(".graphwright")).expect("removed");
    done(folder, &["index", "docs"]);
    done(folder, &["export", "rebuilt"]);
    let communities =
        |of: &str| std::fs::read_to_string(folder.join(of).join("communities.jsonl")).expect("read");
    assert_eq!(communities("lived"), communities("rebuilt"));
}

#[test]
fn a_run_that_gives_away_more_than_is_allowed_says_so() {
    let folder = corpus(&[]);
    let folder = folder.path();
    ring(folder, 60);
    std::fs::write(folder.join("graphwright.toml"), "[communities]\nmax_loss = 0.0\n").expect("written");
    done(folder, &["index", "docs"]);
    let mut told = 0;
    for chord in 0..12 {
        let text = format!(
            "Alice Ashford met Oliver {}. Edwin Dunmore met Judith Fairfax.",
            ["Granger", "Dunmore"][chord % 2]
        );
        std::fs::write(folder.join(format!("docs/chord{chord}.txt")), text).expect("written");
        let report = json(folder, &["index", "docs"]);
        let plan = json(folder, &["communities", "--dry-run"]);
        let beyond = plan["comparison"]["loss"].as_f64().expect("a number") > 0.0;
        let notes = report["notes"].to_string();
        assert_eq!(notes.contains("graphwright communities --fresh"), beyond, "{notes} {plan}");
        told += usize::from(beyond);
    }
    assert!(told > 0, "somewhere they differ");
    std::fs::write(folder.join("graphwright.toml"), "[communities]\nmax_loss = 1.5\n").expect("written");
    let refused = run(folder, &["communities"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("max_loss"), "{}", refused.stderr);
}

#[test]
fn settings_of_the_stage_can_be_given_as_flags() {
    let texts = families(6);
    let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let folder = corpus(&texts);
    let folder = folder.path();
    done(folder, &["index", "docs"]);
    let first_level = |flags: &[&str]| {
        let told = json(folder, &[&["communities"][..], flags].concat());
        told["levels"][0]["communities"].as_u64().expect("a number")
    };
    let usual = first_level(&[]);
    assert!(first_level(&["--resolution", "20"]) > usual);
    assert!(first_level(&["--objective", "cpm", "--resolution", "0.001"]) <= usual);
    assert_eq!(first_level(&["--seed", "7"]), first_level(&["--seed", "7", "--warm"]));
    let finest = |flags: &[&str]| {
        let told = json(folder, &[&["communities"][..], flags].concat());
        told["levels"].as_array().and_then(|levels| levels.last()?["largest"].as_u64()).expect("a number")
    };
    assert!(finest(&["--max-size", "3"]) <= finest(&["--max-size", "40"]));
    for (flags, wanted) in [
        (["--resolution=-1", "--quiet"], "resolution"),
        (["--max-size", "0"], "max_size"),
        (["--objective", "beauty"], "modularity"),
    ] {
        let refused = run(folder, &[&["communities"][..], &flags[..]].concat());
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains(wanted), "{}", refused.stderr);
    }
    std::fs::write(folder.join("graphwright.toml"), "[communities]\nengine = \"gds\"\n").expect("written");
    let refused = run(folder, &["communities"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("Graph Data Science"), "{}", refused.stderr);
}
