//! `graphwright qa`: the library of questions and answers.

pub(super) mod entries;
pub(super) mod changes;
pub(super) mod measure;
pub(super) mod care;
pub(super) mod review;
mod sheets;

use super::{Common, as_writer};
use crate::index::vectors;
use crate::library::memory::Library;
use crate::services::Services;
use crate::stores::graph::VectorKind;
use anyhow::Result;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: QaAction,
}

#[derive(Debug, clap::Subcommand)]
enum QaAction {
    /// Take entries in from CSV, TSV, JSON lines, Markdown or a spreadsheet; one with a known id replaces it
    Import {
        /// The files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Status of the entries: draft, approved or retired; as the file says where absent
        #[arg(long)]
        status: Option<String>,
        #[command(flatten)]
        hand: HandArguments,
    },
    /// Write the entries: JSON lines to stdout, or the form of a file's name
    Export {
        /// A .jsonl, .csv, .tsv or .md file
        file: Option<PathBuf>,
        #[command(flatten)]
        which: Which,
    },
    /// Add an entry
    Add {
        /// The standard question
        question: String,
        /// The standard answer
        answer: String,
        /// Its id; made from the question where absent
        #[arg(long)]
        id: Option<String>,
        #[command(flatten)]
        fields: FieldArguments,
        #[command(flatten)]
        hand: HandArguments,
    },
    /// Change an entry: what is given replaces what is there
    Edit {
        /// Its id
        id: String,
        /// Another question
        #[arg(long)]
        question: Option<String>,
        /// Another answer
        #[arg(long)]
        answer: Option<String>,
        #[command(flatten)]
        fields: FieldArguments,
        #[command(flatten)]
        hand: HandArguments,
    },
    /// Let entries not be given any more; they stay in the history
    Retire {
        /// Their ids
        #[arg(required = true)]
        ids: Vec<String>,
        #[command(flatten)]
        hand: HandArguments,
    },
    /// The entries
    List {
        #[command(flatten)]
        which: Which,
    },
    /// One entry with everything that leads from it
    Show {
        /// Its id
        id: String,
    },
    /// Tie an entry to the text that its answer rests on, or to the question that comes next
    Link {
        /// Its id
        id: String,
        /// Id of an entry that comes next
        #[arg(long, value_name = "ID")]
        follow_up: Vec<String>,
        /// Id of a text unit that the answer rests on
        #[arg(long, value_name = "TEXT_UNIT")]
        cites: Option<String>,
        /// Key of a document that the answer rests on; needs --quote
        #[arg(long, value_name = "KEY", requires = "quote", conflicts_with = "cites")]
        document: Option<String>,
        /// The words there; of a text unit the nearest sentence where absent
        #[arg(long)]
        quote: Option<String>,
        /// Take these links out; without --cites and --document all citations go
        #[arg(long)]
        remove: bool,
        #[command(flatten)]
        hand: HandArguments,
    },
    /// What was changed, by whom
    History {
        /// Only of this entry
        id: Option<String>,
    },
    /// Take a change back: the last one, or one by its number
    Undo {
        /// As `history` shows it
        change: Option<u64>,
        #[command(flatten)]
        hand: HandArguments,
    },
    /// Ask the library alone: entries with their confidences. "-" reads one question a line from stdin
    Ask {
        /// The question, with or without quotes
        #[arg(required = true)]
        question: Vec<String>,
        /// At most so many entries
        #[arg(long, default_value_t = 5)]
        limit: usize,
        /// Only entries with these: tag=…, language=…, or metadata such as product=Basic
        #[arg(long = "filter", value_name = "KEY=VALUE")]
        filters: Vec<String>,
    },
    /// Measure how the library answers a set of questions: precision, recall, by kind and language
    Test {
        /// JSON lines: entries with paraphrases and `near_misses`, questions with expect, conversations
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Another threshold than [qa] accept
        #[arg(long)]
        accept: Option<f64>,
        /// Show the questions that were answered wrongly
        #[arg(long)]
        wrong: bool,
    },
    /// Set [qa] accept to the lowest threshold that answers so many percent of a set's questions rightly
    Tune {
        /// As for `test`
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Wanted percent of right answers
        #[arg(long, default_value_t = 95.0)]
        precision: f64,
        /// Say the threshold and write nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Let a model draft entries from reports, text units, and what was asked and not answered; `review` approves them
    Generate {
        /// Entries at most
        #[arg(long, default_value_t = 20)]
        limit: usize,
        /// What they are drafted from; all three where absent
        #[arg(long, value_enum, value_name = "SOURCE")]
        from: Vec<review::DraftFrom>,
        /// Stop before models have cost more than so many dollars, by [llm.prices]
        #[arg(long, value_name = "DOLLARS")]
        max_cost: Option<f64>,
        #[command(flatten)]
        hand: HandArguments,
    },
    /// Look at drafts, unanswered questions and stale answers one by one; what was decided stays, so it goes on where it ended
    Review {
        /// Only these; all three where absent
        #[arg(long, value_enum, value_name = "KIND")]
        only: Vec<review::ReviewQueue>,
        #[command(flatten)]
        hand: HandArguments,
    },
    /// Compare answers with the text they rest on; ends with 4 where a text has changed
    Check,
    /// What was asked and not answered, most asked first
    Misses {
        /// Groups shown at most
        #[arg(long, default_value_t = 20)]
        limit: usize,
    },
    /// Note a question that was not answered
    Record {
        /// The question
        question: String,
    },
    /// Forget what was asked: these questions, or everything
    Forget {
        /// The questions
        questions: Vec<String>,
        /// Everything
        #[arg(long, conflicts_with = "questions")]
        all: bool,
    },
}

/// Who does it.
#[derive(Debug, clap::Args)]
struct HandArguments {
    /// Who does it, for the history
    #[arg(long, env = "GRAPHWRIGHT_AUTHOR", default_value = "")]
    author: String,
}

/// Which entries.
#[derive(Debug, clap::Args)]
struct Which {
    /// Only those with these: tag=…, language=…, status=…, author=…, or metadata such as domain=bank
    #[arg(long = "filter", value_name = "KEY=VALUE")]
    filters: Vec<String>,
}

/// Fields of an entry.
#[derive(Debug, clap::Args)]
struct FieldArguments {
    /// Another way of asking it; may be given several times
    #[arg(long, value_name = "TEXT")]
    variant: Vec<String>,
    /// A word to group by; may be given several times
    #[arg(long, value_name = "WORD")]
    tag: Vec<String>,
    /// A name or term that it is about; may be given several times
    #[arg(long, value_name = "NAME")]
    term: Vec<String>,
    /// Id of an entry that comes next; may be given several times
    #[arg(long, value_name = "ID")]
    follow_up: Vec<String>,
    /// Its language: en, zh
    #[arg(long)]
    language: Option<String>,
    /// draft, approved or retired
    #[arg(long)]
    status: Option<String>,
    /// First day that the answer holds on
    #[arg(long, value_name = "DAY")]
    valid_from: Option<String>,
    /// Last day that the answer holds on
    #[arg(long, value_name = "DAY")]
    valid_until: Option<String>,
    /// What else is known; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    metadata: Vec<String>,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.action {
        QaAction::Import { files, status, hand } => {
            changes::import(common, files, status.as_deref(), &hand.author).await
        }
        QaAction::Export { file, which } => entries::export(common, file.as_deref(), &which.filters).await,
        QaAction::Add { question, answer, id, fields, hand } => {
            changes::add(common, (question, answer), id.as_deref(), fields, &hand.author).await
        }
        QaAction::Edit { id, question, answer, fields, hand } => {
            let texts = (question.as_deref(), answer.as_deref());
            changes::edit(common, id, texts, fields, &hand.author).await
        }
        QaAction::Retire { ids, hand } => changes::retire(common, ids, &hand.author).await,
        QaAction::List { which } => entries::list(common, &which.filters).await,
        QaAction::Show { id } => entries::show(common, id).await,
        QaAction::Link { id, follow_up, cites, document, quote, remove, hand } => {
            let evidence = changes::Evidence {
                unit: cites.as_deref(),
                document: document.as_deref(),
                quote: quote.as_deref(),
            };
            let links = changes::EntryLinks { follow_ups: follow_up, evidence, remove: *remove };
            changes::link(common, id, &links, &hand.author).await
        }
        QaAction::History { id } => entries::history(common, id.as_deref()).await,
        QaAction::Undo { change, hand } => changes::undo(common, *change, &hand.author).await,
        QaAction::Ask { question, limit, filters } => measure::ask(common, question, *limit, filters).await,
        QaAction::Test { files, accept, wrong } => measure::test(common, files, *accept, *wrong).await,
        QaAction::Tune { files, precision, dry_run } => {
            measure::tune(common, files, *precision, *dry_run).await
        }
        QaAction::Generate { limit, from, max_cost, hand } => {
            review::generate(common, *limit, from, *max_cost, &hand.author).await
        }
        QaAction::Review { only, hand } => review::run(common, only, &hand.author).await,
        QaAction::Check => care::check(common).await,
        QaAction::Misses { limit } => care::misses(common, *limit).await,
        QaAction::Record { question } => care::record(common, question).await,
        QaAction::Forget { questions, all } => care::forget(common, questions, *all).await,
    }
}

/// Does an editor's work as the writer, and makes the vectors of the questions that it changed.
async fn as_editor<T>(
    common: &Common,
    services: &Services,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    as_writer(services, async {
        let done = work.await?;
        let progress = common.progress();
        vectors::left_pending(
            vectors::sync_kind(services, VectorKind::Questions, &progress).await,
            &progress,
        )?;
        // taken apart now, so that the next question need not wait for it
        Library::open(services).await?;
        Ok(done)
    })
    .await
}

/// Conditions `key=value`.
///
/// # Errors
/// One without `=`.
fn conditions(filters: &[String]) -> Result<Vec<(String, String)>> {
    filters
        .iter()
        .map(|text| match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() && !value.trim().is_empty() => {
                Ok((key.trim().to_owned(), value.trim().to_owned()))
            }
            _ => Err(super::failure::wrong(anyhow::anyhow!(
                "--filter {text:?}: write key=value, such as tag=card or language=en"
            ))),
        })
        .collect()
}
