//! `graphwright prompts`

use super::{Common, failure, print, write_json};
use crate::private;
use crate::progress::talk;
use crate::prompts::{PromptName, Prompts, variables};
use crate::small_file;
use anyhow::{Context, Result};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<PromptsCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum PromptsCommand {
    /// All prompts with their variables, and which are replaced by a file of yours (default)
    List,
    /// The text of one prompt, as it is used
    Show {
        /// Its name
        #[arg(value_enum, hide_possible_values = true)]
        name: PromptName,
    },
    /// Write the built-in prompts into a folder, to be changed and named in [llm] prompts
    Export {
        /// The folder; files that are there are left alone
        folder: PathBuf,
        /// Replace files that are there
        #[arg(long)]
        force: bool,
    },
}

/// All prompts.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Listed {
    /// The prompts, in the order of the data's way.
    prompts: Vec<ListedPrompt>,
}

/// A prompt without its text.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ListedPrompt {
    /// Its name.
    name: &'static str,
    /// What it is for.
    purpose: String,
    /// Variables that it must use.
    required: Vec<String>,
    /// Variables that it may use.
    optional: Vec<String>,
    /// The file of yours that replaces it.
    file: Option<PathBuf>,
}

/// A prompt as it is used.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ShownPrompt {
    /// Its name.
    name: &'static str,
    /// The file of yours that it is from.
    file: Option<PathBuf>,
    /// Its text.
    text: String,
}

pub(super) fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let folder = common.config()?.llm.prompts;
    // what is wrong with a file of the user's is said before anything is shown
    Prompts::load(folder.as_deref()).map_err(failure::wrong)?;
    match arguments.command.as_ref().unwrap_or(&PromptsCommand::List) {
        PromptsCommand::List => list(common, folder.as_deref())?,
        PromptsCommand::Show { name } => show(common, folder.as_deref(), *name)?,
        PromptsCommand::Export { folder, force } => export(folder, *force)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(common: &Common, folder: Option<&Path>) -> Result<()> {
    if common.json {
        let prompts = PromptName::all().iter().map(|&prompt| {
            let (required, optional) = variables(prompt);
            let file = replacing(folder, prompt);
            ListedPrompt { name: prompt.as_str(), purpose: prompt.purpose(), required, optional, file }
        });
        return write_json(&Listed { prompts: prompts.collect() });
    }
    for &prompt in PromptName::all() {
        let from =
            replacing(folder, prompt).map(|file| format!("  [{}]", file.display())).unwrap_or_default();
        print::line(&format!("{:24} {}{from}", prompt.as_str(), prompt.purpose()));
        let (required, optional) = variables(prompt);
        let names: Vec<String> =
            required.into_iter().chain(optional.into_iter().map(|name| format!("{name}?"))).collect();
        if !names.is_empty() {
            print::line(&format!("{:24} variables: {}", "", names.join(", ")));
        }
    }
    Ok(())
}

fn show(common: &Common, folder: Option<&Path>, prompt: PromptName) -> Result<()> {
    let file = replacing(folder, prompt);
    let text = match &file {
        Some(file) => {
            small_file::read_text(file).with_context(|| format!("cannot read prompt {}", file.display()))?
        }
        None => prompt.source().to_owned(),
    };
    if common.json {
        return write_json(&ShownPrompt { name: prompt.as_str(), file, text });
    }
    print::line(text.trim_end());
    Ok(())
}

fn export(folder: &Path, force: bool) -> Result<()> {
    private::create_dir_all(folder).with_context(|| format!("cannot make folder {}", folder.display()))?;
    let (mut written, mut left) = (0, 0);
    for prompt in PromptName::all() {
        let path = folder.join(prompt.as_str()).with_extension("md");
        if path.exists() && !force {
            left += 1;
            continue;
        }
        private::write(&path, prompt.source()).with_context(|| format!("cannot write {}", path.display()))?;
        written += 1;
    }
    let kept = if left > 0 { format!(", {left} that were there left alone") } else { String::new() };
    talk(&format!(
        "wrote {written} prompts into {}{kept}; change them, delete what you do not change, and set [llm] prompts = {:?}",
        folder.display(),
        folder.display().to_string()
    ));
    Ok(())
}

/// The user's file in place of a built-in prompt.
fn replacing(folder: Option<&Path>, prompt: PromptName) -> Option<PathBuf> {
    let file = folder?.join(prompt.as_str()).with_extension("md");
    file.exists().then_some(file)
}
