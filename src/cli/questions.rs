//! `graphwright questions`

use super::{Common, print, write_json};
use crate::query::suggestions::questions;
use anyhow::Result;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// A question asked before; can be given several times, oldest first
    #[arg(long, value_name = "QUESTION")]
    after: Vec<String>,
    /// How many
    #[arg(short = 'n', long, default_value_t = 5)]
    count: usize,
}

/// What could be asked.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Questions {
    /// The questions, the best first.
    questions: Vec<String>,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let services = common.open().await?;
    let found = questions(&services, &arguments.after, arguments.count).await;
    services.keep_ledger().await;
    let found = found?;
    if common.json {
        write_json(&Questions { questions: found })?;
    } else {
        for question in found {
            print::line(&question);
        }
    }
    Ok(ExitCode::SUCCESS)
}
