//! The project's own checks say what they leave out, and find what they are there for.

use std::path::Path;
use std::process::{Command, Stdio};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether Python is there, and runs this.
fn python_runs(code: &str) -> bool {
    let status = Command::new("python3").args(["-c", code]).stderr(Stdio::null()).status();
    let runs = status.is_ok_and(|status| status.success());
    if !runs {
        eprintln!("skipped: no python3 that runs `{code}`");
    }
    runs
}

#[test]
fn a_check_that_is_left_out_for_want_of_its_tool_is_told() {
    // scripts/house.sh, which is one of the checks
    if !python_runs("import re") {
        return;
    }
    // functions of the shell: a cargo that builds nothing, and none of the tools
    let hidden = "() { case \"$*\" in '-v typos' | '-v cargo-deny' | '-v shellcheck') return 1 ;; \
                  *) builtin command \"$@\" ;; esac; }";
    let mut command = Command::new("bash");
    command.arg(root().join("scripts/check.sh"));
    command.env("BASH_FUNC_cargo%%", "() { :; }").env("BASH_FUNC_command%%", hidden);
    let output = command.output().expect("it runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    for tool in ["typos", "cargo-deny", "shellcheck"] {
        let line = told.lines().find(|line| line.ends_with(&format!("for want of {tool}")));
        assert!(line.is_some_and(|line| line.contains("SKIPPED: ")), "{tool}: {told}");
    }
}

/// What scripts/advisories.py says of one crate at a version, and its exit code.
fn advised(database: &Path, package: &str, version: &str) -> (Option<i32>, String) {
    let lock = database.join("Cargo.lock");
    // ours comes from no registry, and is none that anybody warns of
    let text = format!(
        "version = 4\n\n[[package]]\nname = \"leaky\"\nversion = \"1.2.2\"\n\n\
         [[package]]\nname = \"{package}\"\nversion = \"{version}\"\n\
         source = \"registry+https://github.com/rust-lang/crates.io-index\"\n"
    );
    std::fs::write(&lock, text).expect("written");
    let output = Command::new("python3")
        .arg(root().join("scripts/advisories.py"))
        .args([database, &lock])
        .output()
        .expect("it runs");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn a_weakness_of_what_is_locked_is_named_and_no_other() {
    if !python_runs("import tomllib") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (id, package, more) in [
        ("RUSTSEC-2026-0001", "leaky", "[versions]\npatched = [\">= 1.2.3\"]\nunaffected = [\"< 1.0.0\"]\n"),
        ("RUSTSEC-2026-0002", "alone", "informational = \"unmaintained\"\n[versions]\npatched = []\n"),
        ("RUSTSEC-2026-0003", "taken-back", "withdrawn = \"2026-02-01\"\n[versions]\npatched = []\n"),
    ] {
        let text = format!(
            "```toml\n[advisory]\nid = \"{id}\"\npackage = \"{package}\"\ndate = \"2026-01-01\"\n{more}```\n\n\
             # What {package} does\n\nMore of it.\n"
        );
        let place = folder.path().join("crates").join(package);
        std::fs::create_dir_all(&place).expect("a folder");
        std::fs::write(place.join(format!("{id}.md")), text).expect("written");
    }
    let check = |package: &str, version: &str, code: i32, named: &[&str]| {
        let (ended, told) = advised(folder.path(), package, version);
        let lines: Vec<&str> = told.lines().collect();
        let (sum, hits) = lines.split_last().expect("a line");
        assert_eq!((ended, hits), (Some(code), named), "{package} {version}: {told}");
        assert_eq!(*sum, format!("1 packages, 3 advisories, {code} weaknesses"), "{package} {version}");
    };
    let hit = "RUSTSEC-2026-0001 leaky 1.2.2 (weakness): What leaky does";
    check("leaky", "1.2.2", 1, &[hit]);
    check("leaky", "1.2.3", 0, &[]);
    check("leaky", "1.10.0", 0, &[]);
    check("leaky", "0.9.9", 0, &[]);
    check("sound", "1.2.2", 0, &[]);
    check("alone", "3.0.0", 0, &["RUSTSEC-2026-0002 alone 3.0.0 (unmaintained): What alone does"]);
    check("taken-back", "1.0.0", 0, &[]);
    // what comes before a release has not been patched
    let hit = "RUSTSEC-2026-0001 leaky 1.2.3-rc.1 (weakness): What leaky does";
    check("leaky", "1.2.3-rc.1", 1, &[hit]);
}
