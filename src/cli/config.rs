//! `graphwright config`

use super::print;
use std::process::ExitCode;

/// The JSON schema of `graphwright.toml`; `src/cli/reference/configuration.rs` makes it from the code.
pub(super) const SCHEMA: &str = include_str!("graphwright.schema.json");

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: ConfigAction,
}

#[derive(Clone, Copy, Debug, clap::Subcommand)]
enum ConfigAction {
    /// Print the JSON schema of graphwright.toml, for editors that complete and check it
    Schema,
}

pub(super) fn run(arguments: &Arguments) -> ExitCode {
    match arguments.action {
        ConfigAction::Schema => print::raw(SCHEMA.trim_end()),
    }
    ExitCode::SUCCESS
}
