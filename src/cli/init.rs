//! `graphwright init`

use super::{Common, config};
use crate::private;
use crate::progress::talk;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::ExitCode;

/// Name of the schema beside the configuration, as the template gives it to editors.
const SCHEMA_FILE: &str = "graphwright.schema.json";

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
    private::write(&path, TEMPLATE).with_context(|| format!("cannot write {}", path.display()))?;
    let schema = path.with_file_name(SCHEMA_FILE);
    private::write(&schema, config::SCHEMA).with_context(|| format!("cannot write {}", schema.display()))?;
    talk(&format!("wrote {}, and its schema for editors; next: graphwright index PATH...", path.display()));
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn the_template_is_a_configuration_of_defaults() {
        assert!(TEMPLATE.starts_with(&format!("#:schema ./{SCHEMA_FILE}\n")));
        let config = Config::parse(TEMPLATE).expect("the template is valid");
        let default = Config::default();
        assert_eq!(
            serde_json::to_value(&config).expect("a configuration is JSON"),
            serde_json::to_value(&default).expect("a configuration is JSON")
        );
    }
}
