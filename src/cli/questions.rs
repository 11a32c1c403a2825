//! `graphwright questions`

use super::{Common, print, write_json};
use crate::query::suggestions::questions;
use anyhow::Result;
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

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let services = common.open().await?;
    let found = questions(&services, &arguments.after, arguments.count).await;
    services.keep_ledger().await;
    let found = found?;
    if common.json {
        write_json(&serde_json::json!({ "questions": found }))?;
    } else {
        for question in found {
            print::line(&question);
        }
    }
    Ok(ExitCode::SUCCESS)
}
