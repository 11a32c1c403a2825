//! `graphwright tune`

use super::index::FileArguments;
use super::{Common, failure, ledger, print, project, write_json};
use crate::config::Config;
use crate::domain::Ids;
use crate::index::passages::{self, Passages};
use crate::llm;
use crate::private;
use crate::progress::talk;
use crate::prompts::Prompts;
use crate::services;
use crate::tuning::estimate::Estimate;
use crate::tuning::field::Field;
use crate::tuning::kit::Kit;
use crate::tuning::sample::Taken;
use crate::tuning::{self, MOST_PASSAGES, OnQuestions, TuneRequest, Tuning, grid, patch, proof};
use anyhow::{Result, anyhow, bail};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Tokens of the passages that `--search` cuts itself.
const SEARCHED_TOKENS: usize = 2_400;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Arguments {
    /// Files, folders or globs to tune for
    #[arg(required_unless_present_any = ["from_index", "apply", "undo"])]
    paths: Vec<String>,
    #[command(flatten)]
    files: FileArguments,
    /// Look at what is indexed instead of at files
    #[arg(long, conflicts_with = "paths")]
    from_index: bool,
    /// What the graph is for, in a sentence
    #[arg(long, value_name = "TEXT", default_value = "")]
    goal: String,
    /// Passages to look at, and as many held back to measure on
    #[arg(long, value_name = "N", default_value_t = 12)]
    sample: usize,
    /// Questions to measure recall on: a JSON list of question, answer, gold (quotes, or titles of documents)
    #[arg(long, value_name = "FILE")]
    questions: Option<PathBuf>,
    /// Let the model write questions, of passages that nothing else sees
    #[arg(long, conflicts_with = "questions")]
    generate_questions: bool,
    /// Answer the questions, too, and score the answers
    #[arg(long)]
    answers: bool,
    /// Passages that questions are asked of, at most
    #[arg(long, value_name = "N", default_value_t = 60)]
    passages: usize,
    /// Write whom reports are for and what they rate by, too, which nothing here measures
    #[arg(long)]
    reports: bool,
    /// Try sizes of text units, overlap, gleanings, shares and weights on the questions instead
    #[arg(long, requires = "questions")]
    search: bool,
    /// Write what gains into the configuration; without a path what was proposed last
    #[arg(long, conflicts_with_all = ["dry_run", "undo", "search"])]
    apply: bool,
    /// Take the last applied changes back, as far as nobody has changed them since
    #[arg(long, conflicts_with_all = ["paths", "from_index", "dry_run"])]
    undo: bool,
    /// Only take the sample and say what the rest would cost; no chat model is asked
    #[arg(long)]
    dry_run: bool,
    /// Take a smaller sample, or stop, before it costs more than so many dollars, by [llm.prices]
    #[arg(long, value_name = "DOLLARS")]
    max_cost: Option<f64>,
}

/// What a tuning would look at and cost.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Planned {
    /// How the sample was taken; absent with `--search`.
    sample: Option<Taken>,
    /// What it would cost.
    estimate: Estimate,
}

/// Settings that were tried.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Searched {
    /// Each value of each setting.
    tried: Vec<grid::Tried>,
}

/// What was written into the configuration, or taken back.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Written {
    /// The configuration.
    path: PathBuf,
    /// Whether anything was changed.
    changed: bool,
    /// Keys that were left alone because somebody has changed them since.
    left_alone: Vec<String>,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let folder = common.data.join("tuning").join(&common.workspace);
    private::refuse_links_between(&common.data, &folder).map_err(|error| failure::wrong(error.into()))?;
    if arguments.undo {
        let (path, left_alone) = patch::undo(&folder, &configuration(common)).map_err(failure::wrong)?;
        return tell_written(common, &Written { path, changed: true, left_alone }, "taken back in");
    }
    if arguments.apply && arguments.paths.is_empty() && !arguments.from_index {
        let proposal = patch::proposal(&folder).map_err(failure::wrong)?;
        let patch::Outcome { changed, left_alone } =
            patch::apply(&folder, &proposal, &configuration(common)).map_err(failure::wrong)?;
        let written = Written { path: proposal.path, changed, left_alone };
        return tell_written(common, &written, "written into");
    }
    let mut config = common.config()?;
    config.budget.max_cost = arguments.max_cost.or(config.budget.max_cost);
    config.check().map_err(failure::wrong)?;
    let passages = look(common, arguments, &config).await?;
    for problem in &passages.problems {
        talk(&format!("warning: {problem}"));
    }
    common.announce(&config);
    if !arguments.dry_run {
        llm::ensure_keys(&config)?;
    }
    let (services::ConfiguredModels { chat, embedding, rerank }, ledger) =
        services::open_models(&config, &common.data).await?;
    let prompts = Arc::new(Prompts::load(config.llm.prompts.as_deref()).map_err(failure::wrong)?);
    let progress = common.progress_until_interrupted();
    let kit = Kit {
        config: &config,
        prompts: &prompts,
        chat: chat.as_ref(),
        embedding: embedding.as_ref(),
        rerank: rerank.as_ref(),
        ledger: &ledger,
        folder: &folder,
        progress: &progress,
    };
    let request = request(common, arguments, &config);
    let code = if arguments.search {
        search(common, arguments, &kit, &passages, &request).await
    } else {
        tune(common, arguments, &kit, &passages, &request).await
    };
    if !common.json && !arguments.dry_run {
        for line in ledger::lines(&ledger.snapshot()) {
            talk(&line);
        }
    }
    match code {
        Err(_) if progress.stop_requested() => {
            talk("stopped; run the same command again to go on: what was answered is kept");
            Ok(ExitCode::from(failure::INTERRUPTED))
        }
        code => code,
    }
}

fn request(common: &Common, arguments: &Arguments, config: &Config) -> TuneRequest {
    TuneRequest {
        goal: arguments.goal.clone(),
        sample: arguments.sample,
        questions: arguments.questions.clone(),
        generate_questions: arguments.generate_questions,
        answers: arguments.answers,
        passages: arguments.passages,
        reports: arguments.reports,
        max_cost: config.budget.max_cost,
        path: configuration(common),
        day: chrono::Utc::now().format("%Y-%m-%d").to_string(),
    }
}

/// The configuration of this run, also where there is none yet.
fn configuration(common: &Common) -> PathBuf {
    let root = common.root.clone().unwrap_or_default();
    common.config_path().unwrap_or_else(|| root.join(project::CONFIG))
}

/// The passages of the files, or of what is indexed.
async fn look(common: &Common, arguments: &Arguments, config: &Config) -> Result<Passages> {
    if arguments.from_index {
        let graph = services::open_graph(config, &common.data, &common.workspace).await?;
        let Some(graph) = graph else {
            return Err(failure::wrong(anyhow!(
                "nothing is indexed yet in workspace {}; name files instead of --from-index",
                common.workspace
            )));
        };
        return passages::of_graph(graph.as_ref(), MOST_PASSAGES).await;
    }
    let discover = arguments.files.options(common)?;
    let mut config = config.clone();
    if arguments.search {
        // every size that is tried cuts these again
        (config.text_units.size, config.text_units.overlap) = (SEARCHED_TOKENS, 0);
    }
    let ids = Ids::new(common.workspace.as_str());
    passages::of_paths(&config, &ids, &arguments.paths, &discover, MOST_PASSAGES).await
}

async fn tune(
    common: &Common,
    arguments: &Arguments,
    kit: &Kit<'_>,
    passages: &Passages,
    request: &TuneRequest,
) -> Result<ExitCode> {
    let plan = tuning::plan(kit, passages, request).await.map_err(failure::wrong)?;
    if arguments.dry_run {
        let planned = Planned { sample: Some(plan.sample_summary().clone()), estimate: plan.estimate };
        if common.json {
            write_json(&planned)?;
        } else {
            tell_sample(planned.sample.as_ref());
            tell_estimate(&planned.estimate);
        }
        return Ok(ExitCode::SUCCESS);
    }
    if !common.json {
        tell_sample(Some(plan.sample_summary()));
        if plan.estimate.calls > 0 {
            talk(&format!("at most: {}", in_short(&plan.estimate)));
        }
    }
    let mut tuned = tuning::tune(kit, passages, plan, request).await?;
    if arguments.apply {
        let written = patch::apply(kit.folder, &tuned.proposal, &request.path).map_err(failure::wrong)?;
        (tuned.applied, tuned.left_alone) = (written.changed, written.left_alone);
    }
    if common.json {
        write_json(&tuned)?;
    } else {
        print_tuning(&tuned);
    }
    Ok(ExitCode::SUCCESS)
}

async fn search(
    common: &Common,
    arguments: &Arguments,
    kit: &Kit<'_>,
    passages: &Passages,
    request: &TuneRequest,
) -> Result<ExitCode> {
    let estimate = tuning::estimate_of_search(kit, passages, request).map_err(failure::wrong)?;
    if arguments.dry_run {
        if common.json {
            write_json(&Planned { sample: None, estimate })?;
        } else {
            tell_estimate(&estimate);
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(most) = request.max_cost.filter(|most| estimate.cost > *most) {
        bail!(failure::wrong(anyhow!(
            "--max-cost is ${most}, and this search may cost ${:.4}; allow more, or ask fewer --passages",
            estimate.cost
        )));
    }
    let tried = tuning::search(kit, passages, request).await.map_err(failure::wrong)?;
    if common.json {
        write_json(&Searched { tried })?;
    } else {
        print::line(grid::table(&tried).trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

fn tell_written(common: &Common, written: &Written, what: &str) -> Result<ExitCode> {
    if common.json {
        write_json(written)?;
        return Ok(ExitCode::SUCCESS);
    }
    tell_left_alone(&written.left_alone);
    if written.changed {
        talk(&format!("{what} {}", written.path.display()));
        tell_next();
    } else if written.left_alone.is_empty() {
        talk(&format!("{} says all of it already", written.path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn tell_left_alone(keys: &[String]) {
    for key in keys {
        talk(&format!("left alone, for it was changed since: {key}"));
    }
}

fn tell_next() {
    talk(
        "what is indexed stays as it is; `graphwright index --refresh` reads it anew. A configuration that was trusted is \
         trusted again with `graphwright trust`",
    );
}

fn tell_sample(taken: Option<&Taken>) {
    let Some(taken) = taken else { return };
    let questions = match taken.kept_for_questions {
        0 => String::new(),
        count => format!(", {count} for questions"),
    };
    talk(&format!(
        "sample: {} text units looked at, {} held back to measure on{questions}; of {} documents with {} text units, \
         {} of them to choose from, {}",
        taken.looked_at, taken.held_back, taken.documents, taken.text_units, taken.chosen_from, taken.method
    ));
}

fn in_short(estimate: &Estimate) -> String {
    format!(
        "{} calls, {} tokens of prompts, {} of replies, {} dollars",
        estimate.calls,
        estimate.input_tokens,
        estimate.output_tokens,
        ledger::dollars(estimate.cost)
    )
}

fn tell_estimate(estimate: &Estimate) {
    if estimate.calls == 0 {
        print::line("no chat model is asked: [llm] provider is \"none\"");
        return;
    }
    print::line(&format!("{:34} {:>7} {:>10} {:>10}", "at most", "calls", "prompts", "replies"));
    for step in &estimate.steps {
        print::line(&format!(
            "{:34} {:>7} {:>10} {:>10}",
            step.name, step.calls, step.input_tokens, step.output_tokens
        ));
    }
    print::line(&format!("together: {}", in_short(estimate)));
}

fn print_tuning(tuned: &Tuning) {
    tell_field(&tuned.field);
    for warning in &tuned.warnings {
        talk(&format!("warning: {warning}"));
    }
    if tuned.examples > 0 || !tuned.no_examples.is_empty() {
        print::line(&format!(
            "examples: {} kept, {} passages gave none{}",
            tuned.examples,
            tuned.no_examples.len(),
            tuned.no_examples.first().map(|why| format!(" ({why})")).unwrap_or_default()
        ));
    }
    print::line("");
    print::line(proof::table(&tuned.proof.readings).trim_end());
    print::line("");
    for verdict in &tuned.proof.verdicts {
        let fate = if verdict.kept { "kept" } else { "left out" };
        print::line(&format!("{:20} {fate:9} {}", verdict.part.as_str(), verdict.reason));
    }
    if let Some(questions) = &tuned.questions {
        tell_questions(questions);
    }
    print::line("");
    if tuned.diff.is_empty() {
        print::line("nothing gains, so nothing is proposed");
        return;
    }
    print::line(&format!("{}:", tuned.proposal.path.display()));
    print::line(tuned.diff.trim_end());
    tell_left_alone(&tuned.left_alone);
    if tuned.applied {
        talk(&format!("written into {}; --undo takes it back", tuned.proposal.path.display()));
        tell_next();
    } else {
        talk("`graphwright tune --apply` writes this");
    }
}

fn tell_field(field: &Field) {
    let say = |name: &str, text: &str| {
        if !text.is_empty() {
            print::line(&format!("{name}: {text}"));
        }
    };
    say("field", &field.domain);
    say("languages", &field.languages.join(", "));
    say("kinds of documents", &field.kinds.join(", "));
    say("words", &field.words.join(", "));
    for found in &field.types {
        let names = found.names.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
        let about =
            if found.description.is_empty() { String::new() } else { format!("{} ", found.description) };
        print::line(&format!("type {} ({}): {about}[{names}]", found.kind, found.passages));
    }
    for relation in &field.relations {
        say("relation", &format!("{} {} {}", relation.source, relation.kind, relation.target));
    }
    say("claims", &field.claims.join("; "));
    let names: Vec<String> = field
        .names
        .iter()
        .map(|known| match known.also.join(", ") {
            also if also.is_empty() => known.name.clone(),
            also => format!("{} ({also})", known.name),
        })
        .collect();
    say("names for the list", &names.join(", "));
    say("names of the documents' form", &field.stop_names.join(", "));
    say("reports are for", &field.audience);
    say("they rate by", &field.rating);
}

fn tell_questions(questions: &OnQuestions) {
    print::line("");
    print::line(&format!(
        "{} questions over {} passages, with the settings as they are and with what is kept:",
        questions.questions, questions.passages
    ));
    for one in questions.differences.iter().filter(|one| !one.score.starts_with("all_gold")) {
        print::line(&format!(
            "{:12} {:>6.1} -> {:>6.1}  p {:.3}, raised for all scores {:.3}",
            one.score, one.first, one.second, one.p, one.p_holm
        ));
    }
}
