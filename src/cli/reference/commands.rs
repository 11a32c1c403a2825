//! `docs/reference/commands.md`: every command with its arguments, from clap; and the commands that the pages show.

use super::{cell, check_page};
use crate::cli::Cli;
use clap::{Arg, Command, CommandFactory, Parser};
use std::path::{Path, PathBuf};

#[test]
fn the_page_of_commands_is_what_clap_knows() {
    check_page("commands.md", &page());
}

fn page() -> String {
    let mut program = Cli::command();
    program.build();
    let mut text = String::from(
        "# Commands\n\nMade from the code. `graphwright COMMAND --help` says the same.\n\n## Flags of every command\n\n",
    );
    let global: Vec<&Arg> = program.get_arguments().filter(|argument| argument.is_global_set()).collect();
    push_arguments(&mut text, &global);
    for command in program.get_subcommands().filter(|command| is_visible(command)) {
        push_command(&mut text, command, "##");
    }
    text
}

fn push_command(text: &mut String, command: &Command, marks: &str) {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage).trim();
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    text.push_str(&format!(
        "\n{marks} {name}\n\n{}.\n\n```text\n{usage}\n```\n",
        about.trim_end_matches('.')
    ));
    let own: Vec<&Arg> = command
        .get_arguments()
        .filter(|argument| {
            !argument.is_global_set() && !argument.is_hide_set() && argument.get_id() != "help"
        })
        .collect();
    if !own.is_empty() {
        text.push('\n');
        push_arguments(text, &own);
    }
    for part in command.get_subcommands().filter(|part| is_visible(part)) {
        push_command(text, part, &format!("{marks}#"));
    }
}

fn is_visible(command: &Command) -> bool {
    command.get_name() != "help" && !command.is_hide_set()
}

fn push_arguments(text: &mut String, arguments: &[&Arg]) {
    text.push_str("| argument | meaning | default |\n|---|---|---|\n");
    for argument in arguments {
        let mut meaning = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let choices = argument.get_possible_values();
        if argument.get_action().takes_values()
            && !choices.is_empty()
            && !argument.is_hide_possible_values_set()
        {
            let names: Vec<String> = choices
                .iter()
                .filter(|choice| !choice.is_hide_set())
                .map(|choice| format!("`{}`", choice.get_name()))
                .collect();
            meaning.push_str(&format!(" [{}]", names.join(", ")));
        }
        if let Some(name) = argument.get_env() {
            meaning.push_str(&format!(" (`{}`)", name.to_string_lossy()));
        }
        let defaults: Vec<String> = argument
            .get_default_values()
            .iter()
            .map(|value| format!("`{}`", value.to_string_lossy()))
            .collect();
        let default = if argument.get_action().takes_values() { defaults.join(", ") } else { String::new() };
        text.push_str(&format!("| `{}` | {} | {default} |\n", spelling(argument), cell(&meaning)));
    }
}

/// `-m, --method <METHOD>`, or `<PATHS>...` of one without a dash.
fn spelling(argument: &Arg) -> String {
    argument.to_string().replace('|', "\\|")
}

/// Pages with commands in blocks of `sh`.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md")];
    let docs =
        std::fs::read_dir(root.join("docs")).expect("docs").map(|entry| entry.expect("an entry").path());
    pages.extend(docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    pages.sort();
    pages
}

#[test]
fn every_command_that_the_pages_show_can_be_parsed() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        for line in blocks(&text) {
            for command in commands_of(line) {
                count += 1;
                if let Err(error) = Cli::try_parse_from(&command)
                    && error.use_stderr()
                {
                    let page = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    wrong.push(format!("{page}: {}: {error}", command.join(" ")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 40, "only {count} commands were found");
}

/// The lines of the blocks of `sh`.
fn blocks(text: &str) -> Vec<&str> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
        } else if inside {
            lines.push(line);
        }
    }
    lines
}

/// The graphwright commands of a line, as words; also those behind `cargo run --release --`.
fn commands_of(line: &str) -> Vec<Vec<String>> {
    let words = words(line);
    let parts = words.split(|word| matches!(word.as_str(), "&&" | "&" | ";" | "|" | ">"));
    parts
        .filter_map(|part| {
            let start = part.iter().position(|word| word == "graphwright" || word == "--")?;
            let program = part.get(start)? == "graphwright" && start == 0;
            let cargo = part.first()? == "cargo" && part.get(1)? == "run";
            (program || cargo).then(|| {
                let mut command = vec!["graphwright".to_owned()];
                command.extend(part.iter().skip(start + 1).cloned());
                command
            })
        })
        .collect()
}

/// The words of a shell line, quotes taken away, up to a comment.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut quoted = false;
    for letter in line.chars() {
        match quote {
            Some(mark) if letter == mark => quote = None,
            None if letter == '"' || letter == '\'' => (quote, quoted) = (Some(letter), true),
            None if letter == '#' && word.is_empty() => break,
            None if letter.is_whitespace() => {
                if quoted || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                    quoted = false;
                }
            }
            _ => word.push(letter),
        }
    }
    if quoted || !word.is_empty() {
        words.push(word);
    }
    words
}
