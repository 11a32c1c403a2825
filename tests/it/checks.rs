//! The project's own checks say what they leave out.

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
