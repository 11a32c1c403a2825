//! `graphwright query`

use super::{Common, print, write_json};
use crate::domain::SourceSentence;
use crate::progress::talk;
use crate::query::{self, Answer, Method, QueryRequest};
use anyhow::Result;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The question
    question: String,
    /// The search
    #[arg(long, short, value_enum, default_value_t = Method::Local)]
    method: Method,
    /// Level of global search; 0 is the coarsest
    #[arg(long)]
    level: Option<u32>,
    /// What the answer should look like
    #[arg(long, default_value = "Multiple Paragraphs")]
    response_type: String,
    /// Show what was packed, with scores and tokens
    #[arg(long)]
    context: bool,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let services = common.open().await?;
    let request = QueryRequest {
        question: arguments.question.clone(),
        method: arguments.method,
        level: arguments.level,
        response_type: arguments.response_type.clone(),
    };
    if common.json {
        let answer = query::query(&services, &request, &mut |_| {}).await?;
        write_json(&answer)?;
        return Ok(ExitCode::SUCCESS);
    }
    let answer = query::query(&services, &request, &mut |text| print::piece(text)).await?;
    print::line("");
    if arguments.context {
        talk(&answer.context.to_string());
    }
    show_sources(&answer);
    Ok(ExitCode::SUCCESS)
}

/// The sources below an answer.
pub(super) fn show_sources(answer: &Answer) {
    if answer.sources.is_empty() {
        return;
    }
    print::line("\nSources:");
    for (number, SourceSentence { document, start, end, text, .. }) in answer.sources.iter().enumerate() {
        print::line(&format!("  [{}] {document}, characters {start}–{end}: {text}", number + 1));
    }
}
