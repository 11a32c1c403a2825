//! `graphwright init`

use super::Common;
use crate::progress::talk;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::ExitCode;

/// The commented configuration with every default.
pub(super) const TEMPLATE: &str = include_str!("graphwright.toml");

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Replace a configuration that is there
    #[arg(long)]
    force: bool,
}

pub(super) fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let path = common.config.clone().unwrap_or_else(|| PathBuf::from("graphwright.toml"));
    if path.exists() && !arguments.force {
        bail!("{} is there already; use --force to replace it", path.display());
    }
    std::fs::write(&path, TEMPLATE).with_context(|| format!("cannot write {}", path.display()))?;
    talk(&format!("wrote {}; next: graphwright index PATH...", path.display()));
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn the_template_is_a_configuration_of_defaults() {
        let config = Config::parse(TEMPLATE).expect("the template is valid");
        let default = Config::default();
        assert_eq!(
            serde_json::to_value(&config).expect("a configuration is JSON"),
            serde_json::to_value(&default).expect("a configuration is JSON")
        );
    }
}
