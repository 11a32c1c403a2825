//! The program as a user starts it, on a folder of documents of its own.

use assert_cmd::cargo::CommandCargoExt;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with `docs/`, in which the program is started.
pub struct Place {
    folder: tempfile::TempDir,
}

/// How a run of the program ended.
#[derive(Debug)]
pub struct Run {
    /// `None` where a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// What a statement of a graph store gave and, in the embedded one, cost in a run of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub rows: u64,
    pub steps: u64,
}

/// The program in a folder, not started yet; what the environment would tell it is left out.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("graphwright").expect("the program is built");
    command.current_dir(folder).args(arguments);
    for name in [
        "NEO4J_URI",
        "QDRANT_URL",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "GRAPHWRIGHT_CONFIG",
        "GRAPHWRIGHT_DATA",
        "GRAPHWRIGHT_WORKSPACE",
        "GRAPHWRIGHT_FAIL_POINT",
        "GRAPHWRIGHT_TRUST",
    ] {
        command.env_remove(name);
    }
    command
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("docs")).expect("a folder");
        Self { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join(".graphwright")
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }

    pub fn remove(&self, name: &str) {
        std::fs::remove_file(self.folder.path().join(name)).expect("removed");
    }

    /// The program with these arguments, not started yet.
    pub fn command(&self, arguments: &[&str]) -> Command {
        command(self.path(), arguments)
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments).output().expect("it runs"))
    }

    /// Runs a command that must end with 0 and print one JSON value.
    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let run = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
        serde_json::from_str(run.stdout.lines().last().expect("a line")).expect("JSON")
    }

    /// The statements of a run, by their beginning, and what they cost.
    pub fn statements(&self, arguments: &[&str]) -> BTreeMap<String, Cost> {
        let mut command = self.command(arguments);
        command.env("GRAPHWRIGHT_LOG", "graphwright::stores::graph=trace");
        let output = command.output().expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {stderr}");
        let mut statements: BTreeMap<String, Cost> = BTreeMap::new();
        for line in stderr.lines() {
            let Some((numbers, statement)) = line.split_once(" statement=") else { continue };
            let number = |name: &str| -> u64 {
                let value = numbers.split(' ').find_map(|word| word.strip_prefix(name));
                value.and_then(|value| value.strip_prefix('=')).expect("a field").parse().expect("a number")
            };
            let cost = statements.entry(statement.to_owned()).or_default();
            cost.rows += number("rows");
            cost.steps += if numbers.contains("steps=") { number("steps") } else { 0 };
        }
        statements
    }

    /// The files of `export`.
    pub fn export(&self) -> BTreeMap<String, String> {
        self.export_with(&[])
    }

    /// The same, with flags that say what to export.
    pub fn export_with(&self, flags: &[&str]) -> BTreeMap<String, String> {
        let run = self.run(&[flags, &["export", "exported"]].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let folder = self.path().join("exported");
        let files = std::fs::read_dir(&folder).expect("a folder").map(|file| {
            let path = file.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("a file"))
        });
        let files = files.collect();
        std::fs::remove_dir_all(folder).expect("removed");
        files
    }
}

impl Run {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

/// Copies a folder with all that is in it.
#[cfg(feature = "failpoints")]
pub fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}
