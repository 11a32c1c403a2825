//! Errors for people, and exit codes: 0 done · 1 failed · 2 wrong flags or configuration · 3 a service cannot be
//! reached · 4 finished, some text units failed · 130 interrupted.

use crate::index::run::SettingsDiffer;
use crate::llm::ModelError;
use crate::progress::talk;
use crate::stores::StoreError;
use std::process::ExitCode;

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

/// Says what went wrong, with its causes, and gives the exit code.
pub(super) fn exit(error: &anyhow::Error) -> ExitCode {
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
    talk(&format!("error: {told}"));
    ExitCode::from(code(error))
}

fn code(error: &anyhow::Error) -> u8 {
    for cause in error.chain() {
        if cause.is::<Wrong>() || cause.is::<SettingsDiffer>() {
            return 2;
        }
        match cause.downcast_ref::<StoreError>() {
            Some(StoreError::Unreachable { .. } | StoreError::Refused { .. } | StoreError::Busy { .. }) => {
                return 3;
            }
            Some(StoreError::Unusable(_)) => return 2,
            Some(StoreError::Held { .. } | StoreError::TooLarge { .. } | StoreError::Failed { .. }) => {
                return 1;
            }
            None => {}
        }
        if let Some(ModelError::Refused { .. } | ModelError::Busy { .. }) = cause.downcast_ref::<ModelError>()
        {
            return 3;
        }
    }
    1
}
