//! `graphwright query`

use super::{Common, failure, print, write_json};
use crate::domain::{RecordKind, SourceSentence};
use crate::llm::reply::kind_title;
use crate::progress::talk;
use crate::query::question::filters::Filters;
use crate::query::{self, Answer, Level, Method, QueryRequest};
use anyhow::{Context, Result, anyhow};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one a flag")]
pub(super) struct Arguments {
    /// The question, with or without quotes; "-" reads it from stdin
    #[arg(required = true, value_name = "QUESTION")]
    question: Vec<String>,
    /// The search
    #[arg(long, short, value_enum, default_value_t = Method::Local)]
    method: Method,
    /// Level of global search; 0 is the coarsest, "auto" goes down wherever reports have to do with the question
    #[arg(long, value_parser = level_of)]
    level: Option<Level>,
    /// Only from these: document=KEY, path=GLOB, type=KIND, or metadata such as author=Dickens, date>=1843
    #[arg(long = "filter", value_name = "KEY=VALUE")]
    filters: Vec<String>,
    /// Let global search add the model's own knowledge, marked [LLM: verify]
    #[arg(long)]
    general_knowledge: bool,
    /// Let RAPTOR search go down from the roots instead of over all nodes at once
    #[arg(long)]
    traversal: bool,
    /// What the answer should look like
    #[arg(long, default_value = "Multiple Paragraphs")]
    response_type: String,
    /// Split the question (with a model) or expand it by its entities' neighbours, and fuse what all find
    #[arg(long)]
    rewrite: bool,
    /// Show what an agent did (`--method reader`); `--json` always holds it
    #[arg(long)]
    trace: bool,
    /// Show what was packed, with scores and tokens
    #[arg(long)]
    context: bool,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let question = question(&arguments.question)?;
    let services = common.open().await?;
    let request = QueryRequest {
        question,
        method: arguments.method,
        level: arguments.level,
        response_type: arguments.response_type.clone(),
        filters: Filters::parse(&arguments.filters).map_err(failure::wrong)?,
        general_knowledge: arguments.general_knowledge,
        traversal: arguments.traversal.then_some(true),
        rewrite: arguments.rewrite,
        progress: Some(common.progress()),
        ..QueryRequest::default()
    };
    if common.json {
        let answer = query::query(&services, &request, &mut |_| {}).await;
        services.keep_ledger().await;
        let answer = answer?;
        write_json(&answer)?;
        return Ok(ExitCode::SUCCESS);
    }
    let answer = query::query(&services, &request, &mut |text| print::piece(text)).await;
    services.keep_ledger().await;
    let answer = answer?;
    print::line("");
    if let Some(trace) = answer.trace.as_ref().filter(|_| arguments.trace) {
        talk(&trace.to_string());
    }
    if arguments.context {
        talk(&answer.context.to_string());
    }
    show_sources(&answer);
    Ok(ExitCode::SUCCESS)
}

/// The question as it was given: its words, or all of stdin.
fn question(words: &[String]) -> Result<String> {
    let text = match words {
        [word] if word == "-" => {
            std::io::read_to_string(std::io::stdin()).context("cannot read the question from stdin")?
        }
        words => words.join(" "),
    };
    let text = text.trim();
    if text.is_empty() {
        return Err(failure::wrong(anyhow!("the question is empty; write it after `graphwright query`")));
    }
    Ok(text.to_owned())
}

fn level_of(text: &str) -> Result<Level, String> {
    if text == "auto" {
        return Ok(Level::Auto);
    }
    text.parse()
        .map(Level::Fixed)
        .map_err(|error: std::num::ParseIntError| format!("a number or \"auto\": {error}"))
}

/// The sources below an answer.
pub(super) fn show_sources(answer: &Answer) {
    if answer.citations.is_empty() {
        return;
    }
    print::line("\nSources:");
    for citation in &answer.citations {
        let number = citation.number;
        match &citation.sentence {
            Some(SourceSentence { document, start, end, text, .. }) => {
                let cited = match citation.kind {
                    RecordKind::Sources => number.to_string(),
                    kind => format!("{} {number}: {}", kind_title(kind), citation.name),
                };
                let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let place: String =
                    citation.headings.iter().flat_map(|heading| [" › ", heading.as_str()]).collect();
                print::line(&format!("  [{cited}] {document}{place}, characters {start}–{end}: {flat}"));
            }
            None => print::line(&format!("  [{} {number}] {}", kind_title(citation.kind), citation.name)),
        }
    }
    if answer.citations_removed > 0 {
        print::line(&format!(
            "  ({} citations named nothing that was shown and were removed)",
            answer.citations_removed
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_needs_no_quotes_and_may_not_be_empty() {
        let check = |words: &[&str]| question(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(check(&["Who", "is", "Amy Hood?"]).unwrap(), "Who is Amy Hood?");
        assert!(check(&[" "]).unwrap_err().to_string().contains("is empty"));
    }
}
