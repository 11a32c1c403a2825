//! `graphwright chat`: a conversation, with its history on disk.

use super::query::{answered, default_method, show_cost, show_library, show_sources};
use super::{Common, print};
use crate::private;
use crate::progress::talk;
use crate::query::answer::printed::Printed;
use crate::query::{Answer, Method, QueryRequest, Turn};
use anyhow::{Context, Result};
use clap::ValueEnum;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use std::io::ErrorKind;
use std::process::ExitCode;

const HELP: &str = "/method local|global|basic|drift|raptor|reader|source|table|auto   change the search\n/sources   what the last answer rests on\n\
    /new   forget the conversation\n/quit   leave (also Ctrl-D)";

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The search; without a model `auto` where none is named, else `local`
    #[arg(long, short, value_enum)]
    method: Option<Method>,
    /// What answers should look like
    #[arg(long, default_value = "Multiple Paragraphs")]
    response_type: String,
}

/// What the user wants next.
enum Input {
    Question(String),
    Method(String),
    Sources,
    New,
    Help,
    Unknown(String),
    Quit,
    Nothing,
}

/// Most bytes of the questions of earlier conversations.
const HISTORY_BYTES: u64 = 1 << 20;

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let services = common.open().await?;
    let mut editor = DefaultEditor::new().context("cannot read from this terminal")?;
    let history_file = services.data_dir.join("chat-history.txt");
    // a missing file is the first conversation, and one that is no plain file of ours is left alone
    let is_kept = match private::read(&history_file, HISTORY_BYTES) {
        Ok(_) => editor.load_history(&history_file).is_ok(),
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    talk("Ask; /help tells the commands.");
    let mut chosen = arguments.method;
    let mut turns: Vec<Turn> = Vec::new();
    let mut last: Option<(Answer, Printed)> = None;
    loop {
        let line = match editor.readline("> ") {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(anyhow::Error::new(error).context("cannot read from this terminal")),
        };
        match read(&line) {
            Input::Nothing => {}
            Input::Quit => break,
            Input::Help => talk(HELP),
            Input::Unknown(command) => talk(&format!("{command} is no command; there are:\n{HELP}")),
            Input::New => {
                turns.clear();
                last = None;
                talk("a new conversation");
            }
            Input::Sources => match &last {
                Some((answer, printed)) => show_sources(answer, printed),
                None => talk("nothing has been answered yet"),
            },
            Input::Method(name) => match Method::from_str(&name, true) {
                Ok(named) => chosen = Some(named),
                Err(_) => talk(&format!("no search is called {name:?}; there are: {}", methods())),
            },
            Input::Question(question) => {
                let _ = editor.add_history_entry(&question);
                let request = QueryRequest {
                    question: question.clone(),
                    method: chosen.unwrap_or_else(|| default_method(&services, false)),
                    is_default: chosen.is_none(),
                    response_type: arguments.response_type.clone(),
                    history: turns.clone(),
                    progress: Some(common.progress()),
                    ..QueryRequest::default()
                };
                let before = services.ledger.total();
                match answered(&services, &request).await {
                    Ok((answer, printed)) => {
                        print::line("");
                        show_library(&answer, printed.language);
                        show_cost(&services, &before);
                        turns.push(Turn { question, answer: answer.answer.clone() });
                        last = Some((answer, printed));
                    }
                    // a conversation outlives an endpoint that is down
                    Err(error) => talk(&format!("error: {error:#}")),
                }
            }
        }
    }
    // a history that cannot be kept spoils no conversation
    if is_kept && private::touch(&history_file).is_ok() {
        let _ = editor.save_history(&history_file);
    }
    Ok(ExitCode::SUCCESS)
}

/// The searches, by name.
fn methods() -> String {
    let names = Method::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    names.map(|value| value.get_name().to_owned()).collect::<Vec<_>>().join(", ")
}

fn read(line: &str) -> Input {
    let line = line.trim();
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    match command {
        "" => Input::Nothing,
        "/method" => Input::Method(rest.trim().to_owned()),
        "/sources" => Input::Sources,
        "/new" => Input::New,
        "/quit" | "/exit" => Input::Quit,
        "/help" => Input::Help,
        _ if command.starts_with('/') => Input::Unknown(command.to_owned()),
        _ => Input::Question(line.to_owned()),
    }
}
