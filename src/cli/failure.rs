//! Errors for people and programs, and exit codes: 0 done · 1 failed · 2 wrong flags or configuration, or something
//! named that is not there · 3 a service cannot be reached · 4 finished, some text units failed · 130 interrupted.

use super::write_json;
use crate::builds::NotInBuild;
use crate::domain::Absent;
use crate::index::run::SettingsDiffer;
use crate::language::unbroken;
use crate::llm::ModelError;
use crate::progress::talk;
use crate::query::InvalidRequest;
use crate::stores::StoreError;
use crate::terminal::harmless;
use clap::error::ErrorKind;
use serde::Serialize;
use std::borrow::Cow;
use std::io;
use std::process::ExitCode;

/// Failed.
const FAILED: u8 = 1;
/// Wrong flags or configuration.
const MISUSED: u8 = 2;
/// A service cannot be reached.
const UNREACHABLE: u8 = 3;
/// Finished, but some text units failed.
pub(super) const SOME_FAILED: u8 = 4;
/// Stopped by Ctrl-C.
pub(super) const INTERRUPTED: u8 = 130;

/// A mistake in flags or configuration.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Wrong(String);

/// Marks an error as a mistake in flags or configuration.
#[expect(clippy::needless_pass_by_value, reason = "taken by map_err")]
pub(super) fn wrong(error: anyhow::Error) -> anyhow::Error {
    let text = error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ");
    Wrong(text).into()
}

/// How errors are shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct ErrorStyle {
    /// As JSON, on stdout.
    pub(super) json: bool,
    /// With every cause.
    pub(super) verbose: bool,
}

/// What `--json` prints where a command fails.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Failure {
    /// What went wrong.
    error: Fault,
}

/// An error.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Fault {
    /// Which kind: `usage`, `unreachable`, `failed`.
    code: &'static str,
    /// What went wrong.
    message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// As the program ends.
    exit_code: u8,
}

impl Fault {
    fn new(text: &str, exit_code: u8) -> Self {
        // every error says what went wrong and then, behind a semicolon, how to mend it
        let (message, hint) = match text.split_once("; ") {
            Some((message, hint)) => (message, Some(hint.to_owned())),
            None => (text, None),
        };
        let code = match exit_code {
            MISUSED => "usage",
            UNREACHABLE => "unreachable",
            _ => "failed",
        };
        Self { code, message: message.to_owned(), hint, exit_code }
    }
}

/// Says what went wrong, with its causes, and gives the exit code.
pub(super) fn exit(error: &anyhow::Error, shown: ErrorStyle) -> ExitCode {
    let code = code(error);
    if shown.json {
        write_fault(Fault::new(&message(error), code));
    } else {
        talk(&format!("error: {}", message(error)));
    }
    if shown.verbose {
        for cause in error.chain().skip(1) {
            talk(&format!("  because: {cause}"));
        }
    }
    ExitCode::from(code)
}

/// The error and its causes in a line, none twice.
fn message(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if told.contains(&cause) {
            continue;
        }
        if !told.is_empty() {
            told.push_str(": ");
        }
        told.push_str(&cause);
    }
    told
}

/// Says what is wrong with the arguments, or gives the help that they ask for.
pub(super) fn misused(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    if wants_json && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let text = error.render().to_string();
        let mut parts = text.trim().trim_start_matches("error: ").splitn(2, "\n\n");
        let line = |part: Option<&str>| part.map(unbroken).filter(|text| !text.is_empty());
        let message = line(parts.next()).unwrap_or_default();
        let fault = Fault { code: "usage", message, hint: line(parts.next()), exit_code: MISUSED };
        write_fault(fault);
    } else if let Cow::Owned(shown) = harmless(&error.render().to_string()) {
        // a word that was given stands in it
        talk(shown.trim_end());
    } else {
        let _ = error.print();
    }
    ExitCode::from(MISUSED)
}

fn write_fault(fault: Fault) {
    // there is nobody left to tell
    let _ = write_json(&Failure { error: fault });
}

fn code(error: &anyhow::Error) -> u8 {
    for cause in error.chain() {
        let is_of_user = cause.is::<Wrong>() || cause.is::<InvalidRequest>() || cause.is::<Absent>();
        if is_of_user || cause.is::<SettingsDiffer>() || cause.is::<NotInBuild>() {
            return MISUSED;
        }
        match cause.downcast_ref::<StoreError>() {
            Some(StoreError::Unreachable { .. } | StoreError::Refused { .. } | StoreError::Busy { .. }) => {
                return UNREACHABLE;
            }
            Some(StoreError::Unusable(_)) => return MISUSED,
            Some(StoreError::Held { .. } | StoreError::TooLarge { .. } | StoreError::Failed { .. }) => {
                return FAILED;
            }
            None => {}
        }
        if cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return MISUSED;
        }
        if let Some(ModelError::NoKey(_)) = cause.downcast_ref::<ModelError>() {
            return MISUSED;
        }
        if let Some(ModelError::Refused { .. } | ModelError::Busy { .. }) = cause.downcast_ref::<ModelError>()
        {
            return UNREACHABLE;
        }
    }
    FAILED
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn what_went_wrong_and_what_to_do_stand_apart() {
        let error = wrong(anyhow!("--level 9: there are levels 0 to 2; give one of these"));
        let fault = Fault::new(&message(&error), code(&error));
        let expected = Fault {
            code: "usage",
            message: "--level 9: there are levels 0 to 2".into(),
            hint: Some("give one of these".into()),
            exit_code: 2,
        };
        assert_eq!(fault, expected);
        let reason = "connection refused".to_owned();
        let error = anyhow::Error::new(StoreError::Unreachable { service: "Qdrant".into(), reason })
            .context("while reading");
        let fault = Fault::new(&message(&error), code(&error));
        assert_eq!((fault.code, fault.exit_code, fault.hint), ("unreachable", 3, None));
        assert_eq!(fault.message, "while reading: cannot reach Qdrant: connection refused");
    }
}
