//! What the program creates is for its owner alone, and `doctor` names what is not.

use crate::by_script::{Endpoint, report};
use crate::program::Place;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

fn open_to_others(folder: &Path, found: &mut Vec<PathBuf>) -> usize {
    let mut count = 0;
    for path in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if mode(&path) & 0o077 != 0 {
            found.push(path.clone());
        }
        count += 1 + if path.is_dir() { open_to_others(&path, found) } else { 0 };
    }
    count
}

fn mode(path: &Path) -> u32 {
    path.metadata().expect("known").permissions().mode() & 0o777
}

fn open_up(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).expect("opened");
}

/// A model's reply, which is kept.
const RECORDS: &str = "(entity<|>Bob<|>person<|>Bob works for Scrooge.<|>NONE)\n(entity<|>Scrooge<|>person<|>A banker.<|>NONE)\n\
    (relationship<|>Bob<|>Scrooge<|>works for<|>Bob works for Scrooge.<|>5)\n<|COMPLETE|>";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_created_is_for_its_owner_alone_and_what_is_open_is_named() {
    let endpoint = Endpoint::start(|task, _| match task {
        "extract_graph" => RECORDS.into(),
        _ => report().into(),
    })
    .await;
    let place = Place::new();
    place.write("docs/book.txt", "Bob Cratchit works for Ebenezer Scrooge in London.");
    place.write("scripted.toml", &endpoint.toml());
    place.json(&["index", "docs"]);
    for arguments in [
        &["--config", "scripted.toml", "--workspace", "scripted", "index", "docs"][..],
        &["export", "out/lines"],
        &["export", "--format", "parquet", "out/parquet"],
        &["export", "--to", "graphrag", "out/graphrag"],
        &["cache"],
        &["map", "-o", "out/map.html"],
        &["map", "-o", "out/map.svg"],
        &["trends", "--every", "chapter", "-o", "out/trends.md"],
        &["qa", "add", "Who is Bob?", "A clerk."],
        &["qa", "export", "out/library.csv"],
        &["prompts", "export", "out/prompts"],
        &["--config", "out/graphwright.toml", "init"],
    ] {
        let run = place.run(arguments);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let mut found = Vec::new();
    let count = ["out", ".graphwright"].map(|name| open_to_others(&place.path().join(name), &mut found));
    assert!(count[0] > 30 && count[1] > 1, "{count:?}");
    assert_eq!(found, Vec::<PathBuf>::new());
    assert!(place.data().join("llm-cache.sqlite").exists(), "a reply was kept");
    let sound = place.run(&["doctor"]);
    assert!(!sound.stderr.contains("warning"), "{}", sound.stderr);
    open_up(&place.data().join("default.sqlite"));
    for number in 10..40 {
        let name = format!(".graphwright/eval/default/{number}.txt");
        place.write(&name, "theirs");
        open_up(&place.path().join(name));
    }
    let warned = place.run(&["doctor"]);
    assert_eq!(warned.code, Some(0), "{}", warned.stderr);
    for told in [
        "default.sqlite (mode 644); `chmod 600` closes it",
        "default/10.txt (mode 644)",
        "more; `chmod -R go= ",
    ] {
        assert!(warned.stderr.contains(told), "{told}: {}", warned.stderr);
    }
}

/// The same command under a umask that takes away what the owner may write, too.
fn under_strict_umask(command: &Command) -> Command {
    let mut strict = Command::new("sh");
    strict.args(["-c", "umask 0277; exec \"$0\" \"$@\""]).arg(command.get_program()).args(command.get_args());
    strict.current_dir(command.get_current_dir().expect("set"));
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => strict.env(name, value),
            None => strict.env_remove(name),
        };
    }
    strict
}

#[test]
fn a_stricter_umask_is_respected() {
    let place = Place::new();
    place.write("docs/book.txt", "Bob Cratchit works for Ebenezer Scrooge in London.");
    place.json(&["index", "docs"]);
    let run = |arguments: &[&str]| {
        under_strict_umask(&place.command(arguments)).output().expect("it runs").status.success()
    };
    assert!(run(&["--config", "strict.toml", "init"]));
    assert!(run(&["map", "-o", "strict.svg"]));
    // nothing can be written into such a folder, but by who may do anything
    run(&["prompts", "export", "strict"]);
    let modes = ["strict.toml", "strict.svg", "strict"].map(|name| mode(&place.path().join(name)));
    assert_eq!(modes, [0o400, 0o400, 0o500]);
}

#[test]
fn an_export_never_touches_a_folder_that_is_not_ours() {
    let place = Place::new();
    place.write("docs/book.txt", "Bob Cratchit works for Ebenezer Scrooge in London.");
    place.write("theirs/entities.jsonl", "theirs");
    place.json(&["index", "docs"]);
    for to in [&["export", "theirs"][..], &["export", "--to", "graphrag", "theirs"]] {
        let run = place.run(to);
        assert!(run.code != Some(0) && run.stderr.contains("give a folder that is empty"), "{}", run.stderr);
    }
    assert_eq!(
        std::fs::read_to_string(place.path().join("theirs/entities.jsonl")).expect("a file"),
        "theirs"
    );
    let run = place.run(&["export", "ours"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = place.run(&["export", "--to", "graphrag", "ours"]);
    assert!(run.code != Some(0) && run.stderr.contains("give another folder"), "{}", run.stderr);
    let run = place.run(&["export", "--format", "parquet", "ours"]);
    assert_eq!(run.code, Some(0), "an export is replaced: {}", run.stderr);
    assert!(!place.path().join("ours/entities.jsonl").exists());
    let named = place.run(&["--workspace", "llm-cache", "index", "docs"]);
    assert!(
        named.code == Some(2) && named.stderr.contains("cache of replies has this name"),
        "{}",
        named.stderr
    );
}

#[test]
fn the_script_for_the_model_removes_nothing_that_is_there() {
    let place = Place::new();
    place.write("theirs/letter.txt", "theirs");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/embedding-model.sh");
    let output = std::process::Command::new("bash").arg(script).arg(place.path().join("theirs")).output();
    let output = output.expect("it runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && told.contains("give a folder that is empty or missing"), "{told}");
    assert_eq!(std::fs::read_to_string(place.path().join("theirs/letter.txt")).expect("a file"), "theirs");
}

#[test]
fn a_link_out_of_the_folder_is_read_only_when_asked_for() {
    let place = Place::new();
    place.write("docs/book.txt", "Bob Cratchit works for Ebenezer Scrooge in London.");
    place.write("secret.txt", "The password of the vault is swordfish, said Jacob Marley.");
    std::os::unix::fs::symlink("../secret.txt", place.path().join("docs/link.txt")).expect("linked");
    let run = place.run(&["index", "docs"]);
    assert!(run.stderr.contains("docs/link.txt: is a symbolic link out of the folder"), "{}", run.stderr);
    assert_eq!(place.json(&["status"])["documents"], 1);
    place.json(&["index", "docs", "--follow"]);
    assert_eq!(place.json(&["status"])["documents"], 2);
}

#[test]
fn a_name_with_a_line_break_is_told_in_one_line_and_not_read() {
    let place = Place::new();
    let forged = "a, line 1: “ok”\n  [7] official.md, line 9: “Fred is a thief”.md";
    place.write(&format!("docs/{forged}"), "Fred married Clara.");
    place.write("docs/b.md", "Fred married Clara.");
    let run = place.run(&["index", "docs"]);
    assert!(run.stderr.contains("has a line break in its name"), "{}", run.stderr);
    assert!(!run.stderr.contains("\n  [7]"), "{}", run.stderr);
    assert_eq!(place.json(&["status"])["documents"], 1);
}

#[test]
fn a_history_of_chats_that_is_no_file_of_ours_is_left_alone() {
    let place = Place::new();
    place.write("docs/b.md", "Fred married Clara.");
    place.write("theirs.txt", "first\nsecond\n");
    place.run(&["index", "docs"]);
    let chat = |question: &str| {
        place.write("question.txt", &format!("{question}\n"));
        let asked = std::fs::File::open(place.path().join("question.txt")).expect("a file");
        place.command(&["chat"]).stdin(asked).output().expect("it runs").status.code()
    };
    let history = place.path().join(".graphwright/chat-history.txt");
    for question in ["Whom did Fred marry?", "Who is Clara?"] {
        assert_eq!(chat(question), Some(0));
    }
    let kept = std::fs::read_to_string(&history).expect("a history");
    assert!(kept.contains("Whom did Fred marry?\nWho is Clara?"), "{kept}");
    std::fs::remove_file(&history).expect("removed");
    for target in ["../theirs.txt", "/dev/zero"] {
        std::os::unix::fs::symlink(target, &history).expect("linked");
        assert_eq!(chat("Who is Fred?"), Some(0));
        std::fs::remove_file(&history).expect("removed");
    }
    assert_eq!(std::fs::read_to_string(place.path().join("theirs.txt")).expect("a file"), "first\nsecond\n");
}

#[test]
fn a_folder_of_data_that_came_with_somebody_elses_project_opens_nothing_of_ours() {
    let place = Place::new();
    place.write("ours/docs/book.txt", "The password of the vault is swordfish, said Jacob Marley.");
    std::fs::create_dir(place.path().join("theirs")).expect("made");
    let (ours, theirs) = (place.path().join("ours"), place.path().join("theirs"));
    let run = |folder: &Path, arguments: &[&str]| {
        let output = crate::program::command(folder, arguments).output().expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(run(&ours, &["index", "docs"]).0, Some(0));
    // a link to it
    std::os::unix::fs::symlink("../ours/.graphwright", theirs.join(".graphwright")).expect("linked");
    let (code, told) = run(&theirs, &["query", "who is Jacob Marley"]);
    assert!(code == Some(2) && told.contains("is a link to") && told.contains("--data"), "{told}");
    assert_eq!(run(&theirs, &["--data", "../ours/.graphwright", "query", "who is Jacob Marley"]).0, Some(0));
    std::fs::remove_file(theirs.join(".graphwright")).expect("removed");
    // what a tuning would take back
    place.write("innocent.txt", "innocent");
    let innocent = place.path().join("innocent.txt").display().to_string();
    let kept = format!(r#"[{{"path": {innocent:?}, "before": "evil", "after": "innocent", "changes": []}}]"#);
    place.write("theirs/.graphwright/tuning/default/applied.json", &kept);
    let (code, told) = run(&theirs, &["tune", "--undo"]);
    assert!(code == Some(2) && told.contains("name it with --config"), "{told}");
    assert_eq!(std::fs::read_to_string(&innocent).expect("read"), "innocent");
    // tokens, as a checkout leaves them
    place.write("theirs/.graphwright/tokens.json", r#"{"tokens": []}"#);
    open_up(&theirs.join(".graphwright/tokens.json"));
    let (code, told) = run(&theirs, &["serve", "--listen", "127.0.0.1:0"]);
    assert!(code == Some(2) && told.contains("tokens.json may be read by everybody"), "{told}");
}
