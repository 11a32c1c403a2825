//! `graphwright export`

use super::{Common, write_json};
use crate::index::export;
use crate::progress::talk;
use anyhow::Result;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Folder to write to; made where it is missing
    folder: PathBuf,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let services = common.open().await?;
    let lines = export::write(services.graph.as_ref(), &arguments.folder).await?;
    if common.json {
        write_json(&lines)?;
    } else {
        for (file, count) in &lines {
            talk(&format!("{file}: {count} lines"));
        }
    }
    Ok(ExitCode::SUCCESS)
}
