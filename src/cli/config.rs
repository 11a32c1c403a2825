//! `graphwright config`

use super::print;
use std::process::ExitCode;

/// The JSON schema of `graphwright.toml`; `src/cli/reference/configuration.rs` makes it from the code.
pub(super) const SCHEMA: &str = include_str!("graphwright.schema.json");

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Clone, Copy, Debug, clap::Subcommand)]
enum Action {
    /// Print the JSON schema of graphwright.toml, for editors that complete and check it
    Schema,
}

pub(super) fn run(arguments: &Arguments) -> ExitCode {
    match arguments.action {
        Action::Schema => print::raw(SCHEMA.trim_end()),
    }
    ExitCode::SUCCESS
}
