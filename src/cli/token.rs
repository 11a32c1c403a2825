//! `graphwright token`: who may ask the server.

use super::{Common, failure, print, write_json, write_json_rows};
use crate::progress::talk;
use crate::serve;
use crate::serve::tokens::{self, Role, TokenFile, TokenRequest};
use anyhow::{Result, anyhow};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// How long a request may be on its way that was let in with a token just before it ended.
const GRACE: Duration = Duration::from_millis(250);

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// File of tokens [default: tokens.json beside the data]
    #[arg(long, global = true, value_name = "FILE", value_parser = super::project::expand_home)]
    tokens: Option<PathBuf>,
    #[command(subcommand)]
    action: TokenAction,
}

#[derive(Debug, clap::Subcommand)]
enum TokenAction {
    /// Make a token; it is shown once
    Add {
        /// What it is called in lists and logs
        name: String,
        /// What it allows: each role allows what those before it do
        #[arg(long, value_enum, default_value = "ask")]
        role: Role,
        /// Only in these workspaces; in all where absent
        #[arg(long = "in", value_name = "WORKSPACE")]
        workspaces: Vec<String>,
        /// The last day on which it holds
        #[arg(long, value_name = "YYYY-MM-DD")]
        ends: Option<String>,
        /// Dollars that its answers may cost in a day, by [llm.prices]
        #[arg(long, value_name = "DOLLARS")]
        max_cost_per_day: Option<f64>,
        /// Answers that it may ask for in a minute [default: as `[serve] answers_per_minute`]
        #[arg(long, value_name = "N")]
        answers_per_minute: Option<u32>,
    },
    /// Tokens, without their secrets
    List,
    /// Take a token back; it ends within a second
    Remove {
        /// Its name
        name: String,
    },
}

/// A token that was made.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Made {
    /// Its name.
    name: String,
    /// The token itself; it is not kept and can not be shown again.
    token: String,
}

/// A token, without its secret.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Listed {
    /// Its name.
    name: String,
    /// What it allows.
    role: Role,
    /// Where; absent: in every workspace.
    workspaces: Option<Vec<String>>,
    /// The day it was made.
    made: String,
    /// The last day on which it holds; absent: for ever.
    ends: Option<String>,
    /// Whether that day is past.
    has_ended: bool,
    /// Dollars that its answers may cost in a day; absent: as many as those of all.
    max_cost_per_day: Option<f64>,
    /// Answers that it may ask for in a minute; absent: as `[serve]` has it.
    answers_per_minute: Option<u32>,
}

pub(super) fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let path = arguments.tokens.clone().unwrap_or_else(|| common.data.join(tokens::FILE));
    let file = TokenFile::new(path);
    match &arguments.action {
        TokenAction::Add { name, role, workspaces, ends, max_cost_per_day, answers_per_minute } => {
            let wish = TokenRequest {
                name: name.clone(),
                role: *role,
                workspaces: workspaces.clone(),
                ends: ends.clone(),
                max_cost_per_day: *max_cost_per_day,
                answers_per_minute: *answers_per_minute,
            };
            if let Some(day) = ends.as_ref().filter(|day| **day < tokens::today()) {
                return Err(failure::wrong(anyhow!(
                    "--ends {day} is past: the token would never hold; give the last day on which it is to"
                )));
            }
            let token = file.make(&wish).map_err(failure::wrong)?;
            if common.json {
                write_json(&Made { name: name.clone(), token })?;
            } else {
                print::line(&token);
                talk(&format!(
                    "this is shown once; send it as `Authorization: Bearer …`, or set it as the API key of a client. Now \
                     that there are tokens, every request needs one ({})",
                    file.path().display()
                ));
            }
        }
        TokenAction::List => {
            let today = tokens::today();
            let listed: Vec<Listed> = file
                .list()?
                .into_iter()
                .map(|token| Listed {
                    has_ended: token.has_ended(&today),
                    name: token.name,
                    role: token.role,
                    workspaces: token.workspaces,
                    made: token.made,
                    ends: token.ends,
                    max_cost_per_day: token.max_cost_per_day,
                    answers_per_minute: token.answers_per_minute,
                })
                .collect();
            if common.json {
                write_json_rows(&listed)?;
            } else {
                listed.iter().for_each(print_token);
            }
        }
        TokenAction::Remove { name } => {
            file.remove(name).map_err(failure::wrong)?;
            talk(&format!("token {name:?} is taken back"));
            forget(&common.data, name)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Removes what the server keeps for a token that was taken back: another may have its name one day. A server that runs
/// takes the token for a moment still, so what is said meanwhile goes after it.
fn forget(data: &Path, name: &str) -> Result<()> {
    let Some(at_once) = serve::forget_caller(data, name)? else { return Ok(()) };
    std::thread::sleep(tokens::LOOK_AGAIN + GRACE);
    let late = serve::forget_caller(data, name)?.unwrap_or_default();
    talk(&format!("conversations removed with it: {}", at_once + late));
    Ok(())
}

fn print_token(token: &Listed) {
    let role = format!("{:?}", token.role).to_lowercase();
    let place = token.workspaces.as_ref().map_or_else(|| "everywhere".to_owned(), |names| names.join(", "));
    let ends = match (&token.ends, token.has_ended) {
        (None, _) => String::new(),
        (Some(day), false) => format!(", until {day}"),
        (Some(day), true) => format!(", ended {day}"),
    };
    let cost = token.max_cost_per_day.map(|most| format!(", {most} dollars a day")).unwrap_or_default();
    let calls = token.answers_per_minute.map(|most| format!(", {most} answers a minute")).unwrap_or_default();
    print::line(&format!("{}  {role}  {place}  made {}{ends}{cost}{calls}", token.name, token.made));
}
