//! Help: an example for each command, and pages on topics.

use super::{Cli, failure, print};
use crate::builds;
use anyhow::{Result, anyhow};
use clap::{ColorChoice, Command, CommandFactory, FromArgMatches};
use std::ffi::OsString;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// A command, or a topic; without one both are listed
    topic: Vec<String>,
}

/// Name, what it is about, page.
type Topic = (&'static str, &'static str, &'static str);

const TOPICS: &[Topic] = &[
    ("browser", "the graph in Neo4j Browser", include_str!("../../docs/browser.md")),
    ("configuration", "where settings come from", include_str!("../../docs/configuration.md")),
    ("cost", "what models cost, and how to keep within a budget", include_str!("../../docs/cost.md")),
    ("documents", "which files are read, and how", include_str!("../../docs/documents.md")),
    ("graphs", "graphs and tables that were there before", include_str!("../../docs/adopt.md")),
    ("json", "what --json prints", include_str!("../../docs/json.md")),
    ("models", "chat and embedding models", include_str!("../../docs/models.md")),
    ("neo4j", "Neo4j and Qdrant", include_str!("../../docs/neo4j.md")),
    ("recovery", "when a run ends early; exit codes", include_str!("../../docs/recovery.md")),
    ("searches", "which search answers what", include_str!("../../docs/searches.md")),
    ("security", "what is trusted and what is not", include_str!("../../docs/security.md")),
    ("server", "its API, OpenAI's, MCP", include_str!("../../docs/serve.md")),
    ("time", "what rises, falls, begins and ends", include_str!("../../docs/trends.md")),
    ("tuning", "settings of the documents' field, by measured gain", include_str!("../../docs/tuning.md")),
    ("workers", "many processes on one workspace", include_str!("../../docs/workers.md")),
];

/// Command, and lines that show its use. A test parses each.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("", &["graphwright demo", "graphwright index docs", "graphwright query who wrote the report"]),
    ("demo", &["graphwright demo"]),
    ("init", &["graphwright init"]),
    ("trust", &["graphwright trust"]),
    ("config", &["graphwright config schema"]),
    (
        "index",
        &[
            "graphwright index docs notes.md",
            "graphwright index docs --include '*.md' --dry-run",
            "graphwright index --nodes people.csv --edges works_for.csv",
        ],
    ),
    ("sync", &["graphwright sync docs", "graphwright sync docs --dry-run"]),
    ("remove", &["graphwright remove docs/old.md", "graphwright remove 'docs/2019/**'"]),
    (
        "query",
        &[
            "graphwright query who wrote the report",
            "graphwright query \"What are the main themes?\" --method global",
            "echo 'Who is Scrooge?' | graphwright query -",
        ],
    ),
    ("chat", &["graphwright chat --method auto"]),
    ("questions", &["graphwright questions -n 10"]),
    ("source", &["graphwright source 2"]),
    ("qa", &["graphwright qa import faq.csv", "graphwright qa list", "graphwright qa test questions"]),
    ("status", &["graphwright status --unfinished"]),
    ("export", &["graphwright export backup", "graphwright export tables --format parquet"]),
    ("map", &["graphwright map -o map.html", "graphwright map -o graph.gexf --limit 5000"]),
    ("trends", &["graphwright trends", "graphwright trends --about LinkedIn --from 2016 -o trends.html"]),
    ("import", &["graphwright import backup", "graphwright import output --from graphrag --replace"]),
    (
        "adopt",
        &[
            "graphwright adopt --node Person,Company --relationship WORKS_FOR,OWNS --dry-run",
            "graphwright adopt --from neo4j://crm:7687 --node Person --text bio --as crm",
            "graphwright adopt --undo crm",
        ],
    ),
    ("communities", &["graphwright communities"]),
    ("doctor", &["graphwright doctor", "graphwright doctor --fix"]),
    ("sync-vectors", &["graphwright sync-vectors"]),
    ("serve", &["graphwright serve", "graphwright serve --read-only --listen 127.0.0.1:9000"]),
    ("mcp", &["graphwright mcp", "graphwright --workspace papers mcp"]),
    ("token", &["graphwright token add anna --role ask", "graphwright token list"]),
    (
        "entities",
        &[
            "graphwright entities list --kind person",
            "graphwright entities show Scrooge",
            "graphwright entities merge \"E. Scrooge\" Scrooge --into \"Ebenezer Scrooge\"",
            "graphwright entities merge \"E. Scrooge\" --into Scrooge --dry-run",
        ],
    ),
    ("cache", &["graphwright cache"]),
    ("prompts", &["graphwright prompts"]),
    ("eval", &["graphwright eval --corpus passages.json --questions questions.json"]),
    (
        "tune",
        &[
            "graphwright tune docs --dry-run",
            "graphwright tune docs --questions questions.json",
            "graphwright tune --apply",
        ],
    ),
    ("completions", &["graphwright completions bash", "graphwright completions --man man1"]),
    ("help", &["graphwright help query", "graphwright help searches"]),
];

fn examples(command: &str) -> Option<String> {
    let (_, lines) = EXAMPLES.iter().find(|(name, _)| *name == command)?;
    Some(format!("Examples:\n  {}", lines.join("\n  ")))
}

/// The program's commands, each with its examples.
pub(super) fn command() -> Command {
    let mut program = Cli::command();
    let names: Vec<String> = program.get_subcommands().map(|part| part.get_name().to_owned()).collect();
    for name in names {
        if let Some(examples) = examples(&name) {
            program = program.mut_subcommand(name, |part| part.after_help(examples));
        }
    }
    if !builds::has("serve") {
        for name in ["serve", "mcp", "token"] {
            program = program.mut_subcommand(name, |part| {
                let about = part.get_about().map(ToString::to_string).unwrap_or_default();
                part.about(format!("(not in this first look) {about}")).after_help("")
            });
        }
    }
    program.after_help(format!(
        "{}\n\n`graphwright help TOPIC` explains: {}",
        examples("").unwrap_or_default(),
        TOPICS.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ")
    ))
}

/// The arguments read. Whether what is printed about them is coloured stands in them, too.
///
/// # Errors
/// They are wrong, or ask for help.
pub(super) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let matches = command().color(color(&arguments)).try_get_matches_from(arguments)?;
    Cli::from_arg_matches(&matches)
}

fn color(arguments: &[OsString]) -> ColorChoice {
    let given = arguments.iter().enumerate().find_map(|(place, argument)| {
        let argument = argument.to_str()?;
        match argument.strip_prefix("--color") {
            Some("") => arguments.get(place + 1)?.to_str(),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        }
    });
    given.and_then(|when| when.parse().ok()).unwrap_or_default()
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut program = command();
    program.build();
    if arguments.topic.is_empty() {
        print::line(&program.render_long_help().to_string());
        print::line("Topics:");
        for (name, about, _) in TOPICS {
            print::line(&format!("  {name:14} {about}"));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let words: Vec<&str> = arguments.topic.iter().map(String::as_str).collect();
    if let Some(mut command) = find(&program, &words) {
        print::line(&command.render_long_help().to_string());
    } else if let [word] = words[..]
        && let Some((.., page)) = TOPICS.iter().find(|(name, ..)| *name == word)
    {
        print::line(page.trim_end());
    } else {
        return Err(failure::wrong(anyhow!(
            "no help on {:?}; `graphwright help` lists commands and topics",
            arguments.topic.join(" ")
        )));
    }
    Ok(ExitCode::SUCCESS)
}

fn find(program: &Command, words: &[&str]) -> Option<Command> {
    let mut found = program;
    for word in words {
        found = found.find_subcommand(word)?;
    }
    Some(found.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_examples_that_can_be_parsed() {
        let program = Cli::command();
        for part in program.get_subcommands().filter(|part| !part.is_hide_set()) {
            assert!(examples(part.get_name()).is_some(), "{} has no example", part.get_name());
        }
        for (name, lines) in EXAMPLES {
            assert!(name.is_empty() || program.find_subcommand(name).is_some(), "{name}");
            for line in *lines {
                let line = line.rsplit('|').next().unwrap_or_default();
                let words = line.split('"').enumerate().flat_map(|(place, part)| match place % 2 {
                    0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
                    _ => vec![part.to_owned()],
                });
                let words: Vec<OsString> = words.map(OsString::from).collect();
                assert!(parse(words).is_ok(), "{line}");
            }
        }
    }

    #[test]
    fn a_topic_is_none_of_the_commands() {
        let program = Cli::command();
        for (topic, about, page) in TOPICS {
            assert!(program.find_subcommand(topic).is_none(), "{topic}");
            assert!(page.starts_with("# ") && !about.is_empty(), "{topic}");
        }
    }

    #[test]
    fn colour_is_read_before_anything_else() {
        let check = |given: &[&str], expected| {
            let given: Vec<OsString> = given.iter().map(OsString::from).collect();
            assert_eq!(color(&given), expected);
        };
        check(&["graphwright", "status"], ColorChoice::Auto);
        check(&["graphwright", "--color", "never", "status"], ColorChoice::Never);
        check(&["graphwright", "status", "--color=always"], ColorChoice::Always);
        check(&["graphwright", "--color"], ColorChoice::Auto);
    }
}
