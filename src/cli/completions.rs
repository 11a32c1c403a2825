//! `graphwright completions`: what shells need to complete, and the manual's pages.

use super::help;
use anyhow::{Context, Result};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Which shell
    #[arg(value_enum, required_unless_present = "man")]
    shell: Option<clap_complete::Shell>,
    /// Write the manual's pages to a folder instead, one a command
    #[arg(long, value_name = "DIR", conflicts_with = "shell")]
    man: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut program = help::command();
    if let Some(folder) = &arguments.man {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        clap_mangen::generate_to(program.clone(), folder)
            .with_context(|| format!("cannot write the manual to {}", folder.display()))?;
    }
    if let Some(shell) = arguments.shell {
        // whole before it is written: a reader that goes away is no error
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut program, "graphwright", &mut script);
        let _ = std::io::stdout().lock().write_all(&script);
    }
    Ok(ExitCode::SUCCESS)
}
