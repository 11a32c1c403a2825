//! `graphwright export`

use super::{Common, write_json_rows};
use crate::exchange::tables::TableFormat;
use crate::exchange::{export, graphrag};
use crate::progress::talk;
use anyhow::Result;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Folder to write to; made where it is missing
    folder: PathBuf,
    /// How tables are written
    #[arg(long, value_name = "FORMAT", default_value = "jsonl", conflicts_with = "to")]
    format: FormatFlag,
    /// Write the tables of another system instead
    #[arg(long, value_name = "SYSTEM")]
    to: Option<To>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FormatFlag {
    /// JSON lines
    Jsonl,
    /// Parquet
    Parquet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum To {
    /// microsoft/graphrag 3.x, parquet tables
    Graphrag,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let services = common.look().await?;
    let working = common.progress().stage("export", 0);
    let rows = match (arguments.to, arguments.format) {
        (Some(To::Graphrag), _) => graphrag::export::write(&services, &arguments.folder).await?,
        (None, FormatFlag::Jsonl) => {
            export::write_all(&services, &arguments.folder, TableFormat::Jsonl).await?
        }
        (None, FormatFlag::Parquet) => {
            export::write_all(&services, &arguments.folder, TableFormat::Parquet).await?
        }
    };
    drop(working);
    if common.json {
        write_json_rows(&rows)?;
    } else {
        for (table, count) in &rows {
            talk(&format!("{table}: {count} rows"));
        }
    }
    Ok(ExitCode::SUCCESS)
}
