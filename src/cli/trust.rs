//! `graphwright trust`

use super::{Common, print, write_json};
use crate::language::unbroken;
use crate::progress::talk;
use crate::trust::{self, UserTrust};
use anyhow::{Result, bail};
use serde_json::json;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Show what is trusted
    #[arg(long)]
    list: bool,
    /// Take the trust back
    #[arg(long, conflicts_with = "list")]
    revoke: bool,
}

pub(super) fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let kept = UserTrust::of_user(&super::environment)?;
    if arguments.list {
        return list(common, &kept);
    }
    let Some(path) = common.config_path() else {
        bail!("there is no graphwright.toml in this folder; name the file by --config");
    };
    if arguments.revoke {
        let was_trusted = kept.revoke(&path)?;
        let what = if was_trusted { "is no longer trusted" } else { "was not trusted" };
        talk(&format!("{} {what}", path.display()));
        return Ok(ExitCode::SUCCESS);
    }
    let file = trust::read_file(&path)?;
    let config = common.read(Some(&file))?;
    let mut exposures = common.exposures(&config);
    exposures.extend(trust::exposures_of_server(&config));
    kept.trust(&file)?;
    if common.json {
        write_json(&json!({ "path": path, "allowed": exposures }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for exposure in &exposures {
        print::line(&unbroken(exposure));
    }
    talk(&format!("{} is trusted until it changes", path.display()));
    Ok(ExitCode::SUCCESS)
}

fn list(common: &Common, kept: &UserTrust) -> Result<ExitCode> {
    let all = kept.list();
    if common.json {
        let rows: Vec<_> = all
            .iter()
            .map(|trusted| json!({ "path": trusted.path, "unchanged": trusted.is_unchanged() }))
            .collect();
        write_json(&json!({ "trusted": rows }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for trusted in &all {
        let state = if trusted.is_unchanged() { "" } else { "  (changed since: no longer trusted)" };
        print::line(&format!("{}{state}", trusted.path.display()));
    }
    Ok(ExitCode::SUCCESS)
}
