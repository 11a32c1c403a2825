//! `graphwright query`

use super::cited_files::CitedFiles;
use super::{Common, failure, ledger, print, project, source, write_json};
use crate::domain::StaleCitation;
use crate::domain::{Counters, FiscalCalendar, Period, SourceSentence};
use crate::eval::question_files;
use crate::language::dates::date_of;
use crate::language::language_of;
use crate::language::{Language, unbroken};
use crate::progress::talk;
use crate::query::answer::Proposal;
use crate::query::answer::numbering::PlaceNumbering;
use crate::query::answer::printed::{self, Printed};
use crate::query::question::filters::Filters;
use crate::query::standard::HELD_BACK;
use crate::query::{self, Answer, AnsweredBy, Effort, Forecast, Level, Method, QueryRequest};
use crate::services::Services;
use crate::small_file;
use crate::terminal;
use anyhow::{Context, Result, anyhow};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one a flag")]
pub(super) struct Arguments {
    /// The question, with or without quotes; "-" reads it from stdin
    #[arg(required_unless_present = "file", value_name = "QUESTION")]
    question: Vec<String>,
    /// Answer the questions of a file, one a line, one after the other
    #[arg(long, value_name = "FILE", conflicts_with_all = ["question", "dry_run", "csv", "cypher"])]
    file: Option<PathBuf>,
    /// The search; without a model `auto` where none is named, else `local`
    #[arg(long, short, value_enum)]
    method: Option<Method>,
    /// quick: that search alone; thorough: every search that works here, and the answer with the best proof
    #[arg(long, value_enum, default_value_t = Effort::Quick, value_name = "EFFORT")]
    effort: Effort,
    /// Level of global search; 0 is the coarsest, "auto" goes down wherever reports have to do with the question
    #[arg(long, value_parser = level_of)]
    level: Option<Level>,
    /// Only from these: document=KEY, path=GLOB, type=KIND, page=10-20, sheet=NAME, or metadata such as author=Dickens, date>=1843
    #[arg(long = "filter", value_name = "KEY=VALUE")]
    filters: Vec<String>,
    /// Only from documents of this time on: 2016, 2023-10, "Q3 2019", FY24Q1
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Only from documents up to the end of this time
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
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
    /// Only tell what the question would ask of models: calls, tokens, price
    #[arg(long, conflicts_with_all = ["trace", "context"])]
    dry_run: bool,
    /// As of this time: what was written later is left out; 2023-06, FY16Q4
    #[arg(long, value_name = "DATE", conflicts_with = "to")]
    as_of: Option<String>,
    /// Print the rows of a table as CSV, a line a row and sentence (`--method table`)
    #[arg(long)]
    csv: bool,
    /// Print statements and parameters that show in Neo4j Browser what the answer rests on
    #[arg(long, conflicts_with = "csv")]
    cypher: bool,
    /// Search, whatever the library of standard answers says
    #[arg(long)]
    no_library: bool,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let questions = match &arguments.file {
        Some(file) => questions_of(file)?,
        None => vec![question(&arguments.question)?],
    };
    refuse_idle(arguments).map_err(failure::wrong)?;
    let services = common.open().await?;
    let request = QueryRequest {
        question: questions.first().cloned().unwrap_or_default(),
        method: arguments.method.unwrap_or_else(|| default_method(&services, arguments.rewrite)),
        is_default: arguments.method.is_none(),
        effort: arguments.effort,
        level: arguments.level,
        response_type: arguments.response_type.clone(),
        filters: filters(arguments, services.config.documents.fiscal_calendar()).map_err(failure::wrong)?,
        as_of: as_of(arguments, services.config.documents.fiscal_calendar()).map_err(failure::wrong)?,
        general_knowledge: arguments.general_knowledge,
        traversal: arguments.traversal.then_some(true),
        rewrite: arguments.rewrite,
        // rows are asked for, and the library has none
        without_library: arguments.no_library || arguments.csv,
        progress: Some(common.progress()),
        ..QueryRequest::default()
    };
    if arguments.dry_run && arguments.effort == Effort::Thorough {
        return Err(failure::wrong(anyhow!(
            "--dry-run tells what one search would cost, and --effort thorough asks them all; name each with --method"
        )));
    }
    if arguments.dry_run {
        let forecast = query::forecast(&services, &request).await?;
        if common.json {
            write_json(&forecast)?;
        } else {
            show_forecast(&forecast);
        }
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.file.is_some() {
        return answer_each(common, &services, &request, &questions).await;
    }
    if common.json {
        let answer = query::query(&services, &request, &mut |_| {}).await;
        services.keep_ledger().await;
        let answer = answer?;
        source::keep(common, &printed(&services, &answer, false).await?);
        let cypher =
            arguments.cypher.then(|| query::cypher::statements_for(&answer, services.ids.workspace()));
        write_json(&AnswerWithStatements { answer: &answer, cypher })?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.csv {
        return csv(&services, &request).await;
    }
    let before = services.ledger.total();
    let (answer, printed) = answered(&services, &request).await?;
    if let Some(trace) = answer.trace.as_ref().filter(|_| arguments.trace) {
        talk(&trace.to_string());
    }
    if arguments.context {
        talk(&answer.context.to_string());
    }
    show_sources(&answer, &printed);
    source::keep(common, &printed);
    show_cost(&services, &before);
    show_library(&answer, printed.language);
    if arguments.cypher {
        print::line("");
        print::line(&query::cypher::statements_for(&answer, services.ids.workspace()).text());
    }
    Ok(ExitCode::SUCCESS)
}

/// The search where none is named. Without a model the shape of a question may choose, as that asks nothing of anybody; a
/// model would be asked many times where it is about the whole.
pub(super) fn default_method(services: &Services, rewrites: bool) -> Method {
    if services.chat.is_none() && !rewrites { Method::Auto } else { Method::Local }
}

/// Refuses options that the search asked for does not know.
fn refuse_idle(arguments: &Arguments) -> Result<()> {
    let is_open = arguments.effort == Effort::Thorough || arguments.method == Some(Method::Auto);
    let given = [
        (arguments.level.is_some(), "--level", Method::Global, "global"),
        (arguments.general_knowledge, "--general-knowledge", Method::Global, "global"),
        (arguments.traversal, "--traversal", Method::Raptor, "raptor"),
    ];
    for (is_given, option, method, name) in given {
        if is_given && !is_open && arguments.method != Some(method) {
            return Err(anyhow!("{option} is for --method {name}; add that, or leave {option} out"));
        }
    }
    Ok(())
}

/// An answer with the statements that show what it rests on, where they are asked for.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct AnswerWithStatements<'a> {
    #[serde(flatten)]
    answer: &'a Answer,
    /// Parameters and statements for Neo4j Browser, with `--cypher`.
    #[serde(skip_serializing_if = "Option::is_none")]
    cypher: Option<query::cypher::Statements>,
}

/// Answers one question after the other: each as alone, or as a JSON object a line. One that fails is told and passed over.
async fn answer_each(
    common: &Common,
    services: &Services,
    request: &QueryRequest,
    questions: &[String],
) -> Result<ExitCode> {
    let progress = common.progress_until_interrupted();
    let before = services.ledger.total();
    let (mut missed, mut failed) = (0, 0);
    for question in questions {
        if progress.stop_requested() {
            return Ok(ExitCode::from(failure::INTERRUPTED));
        }
        let request = QueryRequest { question: question.clone(), ..request.clone() };
        if !common.json {
            print::line(&format!("▶ {question}\n"));
        }
        let answer = if common.json {
            query::query(services, &request, &mut |_| {}).await
        } else {
            answered(services, &request).await.map(|(answer, printed)| {
                show_sources(&answer, &printed);
                print::line("");
                answer
            })
        };
        match answer {
            Ok(answer) => {
                missed += usize::from(!answer.found.0);
                if common.json {
                    write_json(&BatchAnswer { question, answer: Some(&answer), error: None })?;
                }
            }
            Err(error) => {
                failed += 1;
                if common.json {
                    write_json(&BatchAnswer { question, answer: None, error: Some(format!("{error:#}")) })?;
                } else {
                    talk(&format!("{question}: {error:#}"));
                }
            }
        }
    }
    services.keep_ledger().await;
    talk(&format!(
        "{} questions: {} answered, {missed} not found, {failed} failed",
        questions.len(),
        questions.len() - missed - failed
    ));
    show_cost(services, &before);
    Ok(if failed > 0 { ExitCode::from(failure::SOME_FAILED) } else { ExitCode::SUCCESS })
}

/// One question of `--file`.
#[derive(Serialize)]
struct BatchAnswer<'a> {
    question: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a Answer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Prints the rows of a table for programs.
async fn csv(services: &Services, request: &QueryRequest) -> Result<ExitCode> {
    let answer = query::query(services, request, &mut |_| {}).await;
    services.keep_ledger().await;
    let answer = answer?;
    let Some(table) = &answer.table else {
        return Err(failure::wrong(anyhow!(
            "--csv prints the rows of a table, and this answer has none; use --method table: {}",
            unbroken(&answer.answer)
        )));
    };
    let rows = table.csv()?;
    let is_shown = std::io::IsTerminal::is_terminal(&std::io::stdout());
    print::raw(if is_shown { terminal::harmless(rows.trim_end()) } else { rows.trim_end().into() }.as_ref());
    Ok(ExitCode::SUCCESS)
}

fn as_of(arguments: &Arguments, calendar: FiscalCalendar) -> Result<Option<Period>> {
    let Some(text) = &arguments.as_of else { return Ok(None) };
    let date = date_of(text, calendar);
    let date = date.with_context(|| {
        format!("--as-of {text:?} is no date; write a year, 2023-10, 2023-10-24, \"Q3 2019\" or FY24Q1")
    })?;
    Ok(Some(date))
}

fn filters(arguments: &Arguments, calendar: FiscalCalendar) -> Result<Filters> {
    Filters::parse(&arguments.filters)?.within(arguments.from.as_deref(), arguments.to.as_deref(), calendar)
}

/// What a question would cost.
fn show_forecast(forecast: &Forecast) {
    if forecast.calls == 0 {
        print::line("No model would be asked.");
        return;
    }
    let method = format!("{:?}", forecast.method).to_lowercase();
    print::line(&format!(
        "{method} search would take {}{}.",
        if forecast.at_most { "at most " } else { "" },
        cost_line(forecast.calls, [forecast.input_tokens, forecast.output_tokens], forecast.cost)
    ));
    if forecast.tasks.len() > 1 {
        for task in &forecast.tasks {
            let tokens = [task.input_tokens, task.output_tokens];
            print::line(&format!(
                "  {} by {}: {}",
                task.task,
                task.model,
                cost_line(task.calls, tokens, 0.0)
            ));
        }
    }
    for note in &forecast.notes {
        print::line(&format!("  {note}"));
    }
    if !forecast.without_price.is_empty() {
        let models = forecast.without_price.join(", ");
        print::line(&format!("  [llm.prices] has no price of {models}"));
    }
}

/// Calls, tokens and dollars in words; dollars only where a price is known.
fn cost_line(calls: u64, [input, output]: [u64; 2], cost: f64) -> String {
    let dollars = if cost > 0.0 { format!(", {} dollars", ledger::dollars(cost)) } else { String::new() };
    let calls = if calls == 1 { "1 call".to_owned() } else { format!("{} calls", grouped(calls)) };
    format!("{calls}, {} tokens read, {} written{dollars}", grouped(input), grouped(output))
}

/// A number with a comma between every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Says what was asked of models since then, where any was.
pub(super) fn show_cost(services: &Services, before: &Counters) {
    let spent = services.ledger.total().since(before);
    if spent.calls == 0 && spent.cached == 0 {
        return;
    }
    let known = match spent.cached {
        0 => String::new(),
        cached => format!("; {} answered from replies on disk", grouped(cached)),
    };
    talk(&format!(
        "{}{known}",
        cost_line(spent.calls, [spent.input_tokens, spent.output_tokens], spent.cost)
    ));
}

/// Answers a question on stdout: on a terminal as the answer comes, each citation numbered when it is complete; else when
/// the answer is whole, its passages numbered.
pub(super) async fn answered(services: &Services, request: &QueryRequest) -> Result<(Answer, Printed)> {
    let as_it_comes = print::is_read_as_it_comes();
    let (mut counting, mut begun) = (PlaceNumbering::default(), false);
    let answer = query::query(services, request, &mut |piece| {
        if as_it_comes {
            begun = true;
            print::piece(&counting.piece(piece));
        }
    })
    .await;
    services.keep_ledger().await;
    if begun {
        print::line("");
    }
    let answer = answer?;
    let mut printed = printed(services, &answer, as_it_comes).await?;
    // sentences that stand for an answer may be in another language than it was asked for in
    if services.chat.is_none() && answer.answered_by == AnsweredBy::Search {
        printed.language = language_of(&request.question);
    }
    if !as_it_comes {
        print::line(&printed.text);
    }
    Ok((answer, printed))
}

/// The answer with numbered citations, and what they stand for.
async fn printed(services: &Services, answer: &Answer, as_it_came: bool) -> Result<Printed> {
    let documents =
        printed::cited_documents(answer).map(|key| (key.to_owned(), services.ids.document(key))).collect();
    let reader = services.graph.snapshot().await?;
    let files =
        CitedFiles::read(&project::root()?, printed::cited_documents(answer), &services.config.limits);
    printed::printed(reader.as_ref(), &documents, answer, as_it_came, &|sentence| files.line_of(sentence))
        .await
}

/// Most megabytes of a question from stdin.
const LONGEST_STDIN_MB: u64 = 1;

/// The question as it was given: its words, or all of stdin.
fn question(words: &[String]) -> Result<String> {
    let text = match words {
        [word] if word == "-" => {
            small_file::read_stdin(LONGEST_STDIN_MB).context("cannot read the question from stdin")?
        }
        words => words.join(" "),
    };
    let text = text.trim();
    if text.is_empty() {
        return Err(failure::wrong(anyhow!("the question is empty; write it after `graphwright query`")));
    }
    Ok(text.to_owned())
}

/// The questions of a file, one a line; blank lines and those that begin with `#` are none.
fn questions_of(file: &Path) -> Result<Vec<String>> {
    let text = question_files::read(file)?;
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let questions: Vec<String> =
        lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect();
    if questions.is_empty() {
        return Err(failure::wrong(anyhow!("{} holds no question; write one a line", file.display())));
    }
    Ok(questions)
}

fn level_of(text: &str) -> Result<Level, String> {
    if text == "auto" {
        return Ok(Level::Auto);
    }
    text.parse()
        .map(Level::Fixed)
        .map_err(|error: std::num::ParseIntError| format!("a number or \"auto\": {error}"))
}

/// The sources below an answer, and what it cost.
pub(super) fn show_sources(answer: &Answer, printed: &Printed) {
    if !printed.passages.is_empty() {
        print::line(&format!("\n{}", printed::sources_label(printed.language)));
        for (passage, numbers) in printed.passages.iter().zip(&printed.numbers) {
            let numbers: Vec<String> = numbers.iter().map(|number| format!("[{number}]")).collect();
            let numbers = numbers.concat();
            let space = if numbers.is_empty() { "" } else { " " };
            print::line(&format!("  {numbers}{space}{}", passage.line_in(printed.language)));
        }
    }
    if answer.citations_removed > 0 {
        print::line(&match printed.language {
            Language::Chinese => format!("  （{} 处引用没有对应的资料，已删去）", answer.citations_removed),
            _ => format!(
                "  ({} citations named nothing that was shown and were removed)",
                answer.citations_removed
            ),
        });
    }
}

/// Which standard answer it is, what it rests on, what may be asked next; or which ones may have been meant.
pub(super) fn show_library(answer: &Answer, language: Language) {
    let words = Words::of(language);
    if let Some(library) = &answer.library {
        let confidence = 100.0 * library.entry.confidence.unwrap_or_default();
        print::line(&format!("\n{}", words.standard(&library.entry.id, confidence, &library.entry.question)));
        for source in &answer.sources {
            print::line(&format!("  {}", words.rests_on(source)));
        }
        for stale in &library.stale {
            print::line(&format!("  {}", words.out_of_date(stale)));
        }
        show_questions(words.related(), library.related.iter());
    }
    let held = |note: &&String| note.starts_with(HELD_BACK);
    let told = |note: &&String| !answer.did_you_mean.is_empty() || held(note);
    for note in answer.notes.iter().filter(|_| answer.answered_by == AnsweredBy::Search).filter(told) {
        print::line(&format!("  ({note})"));
    }
    if !answer.did_you_mean.is_empty() {
        print::line(&format!("\n{}", words.did_you_mean()));
    }
    for proposal in &answer.did_you_mean {
        print::line(&format!("  {}  [{}]", proposal.question, proposal.id));
    }
    let proposed = |id: &str| answer.did_you_mean.iter().any(|proposal| proposal.id == id);
    show_questions(words.related(), answer.related.iter().filter(|related| !proposed(&related.id)));
}

fn show_questions<'a>(label: &str, questions: impl Iterator<Item = &'a Proposal>) {
    for (place, question) in questions.enumerate() {
        if place == 0 {
            print::line(&format!("\n{label}"));
        }
        print::line(&format!("  {}", question.question));
    }
}

/// What stands around a standard answer, in the language of its reader.
#[derive(Clone, Copy)]
struct Words {
    chinese: bool,
}

impl Words {
    fn of(language: Language) -> Self {
        Self { chinese: language == Language::Chinese }
    }

    fn standard(self, id: &str, confidence: f64, question: &str) -> String {
        if self.chinese {
            format!("标准答案 {id}（把握 {confidence:.0} %）：{question}")
        } else {
            format!("Standard answer {id} ({confidence:.0} % sure): {question}")
        }
    }

    fn rests_on(self, source: &SourceSentence) -> String {
        let (document, start, end, text) =
            (&source.document, source.start, source.end, unbroken(&source.text));
        if self.chinese {
            format!("依据 {document}，第 {start}–{end} 字：{text}")
        } else {
            format!("rests on {document}, characters {start}–{end}: {text}")
        }
    }

    fn out_of_date(self, stale: &StaleCitation) -> String {
        let (document, was) = (&stale.document, unbroken(&stale.was));
        let now = stale.now.as_deref().map(unbroken);
        if self.chinese {
            let now = now.unwrap_or_else(|| "没有类似的内容".to_owned());
            format!("可能已过时：{document} 原文“{was}”，现在是：{now}")
        } else {
            let now = now.unwrap_or_else(|| "nothing like it".to_owned());
            format!("may be out of date: {document} said \"{was}\", and says now: {now}")
        }
    }

    fn related(self) -> &'static str {
        if self.chinese { "相关问题：" } else { "Related questions:" }
    }

    fn did_you_mean(self) -> &'static str {
        if self.chinese { "您是不是想问：" } else { "Did you mean:" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_around_an_answer_is_in_its_readers_language() {
        let (english, chinese) = (Words::of(Language::English), Words::of(Language::Chinese));
        assert_eq!(english.standard("a", 100.0, "Why?"), "Standard answer a (100 % sure): Why?");
        assert_eq!(chinese.standard("a", 100.0, "为什么？"), "标准答案 a（把握 100 %）：为什么？");
        assert_eq!((chinese.related(), chinese.did_you_mean()), ("相关问题：", "您是不是想问："));
        let stale =
            StaleCitation {
                document: "费用.md".into(), was: "15元。".into(), now: None, text_unit: None
            };
        assert_eq!(chinese.out_of_date(&stale), "可能已过时：费用.md 原文“15元。”，现在是：没有类似的内容");
    }

    #[test]
    fn a_file_holds_a_question_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("q.txt");
        std::fs::write(&file, "\u{feff}# about Bob\n\nWho is Bob?\n 谁杀了董卓？ \n").unwrap();
        assert_eq!(questions_of(&file).unwrap(), ["Who is Bob?", "谁杀了董卓？"]);
        std::fs::write(&file, "# nothing\n").unwrap();
        assert!(questions_of(&file).unwrap_err().to_string().contains("holds no question"));
    }

    #[test]
    fn a_question_needs_no_quotes_and_may_not_be_empty() {
        let check = |words: &[&str]| question(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(check(&["Who", "is", "Amy Hood?"]).unwrap(), "Who is Amy Hood?");
        assert!(check(&[" "]).unwrap_err().to_string().contains("is empty"));
    }
}
