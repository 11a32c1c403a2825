//! What a run of `index` would ask of models, before it asks (design 18).
//!
//! Documents are read and cut as in a run, and every prompt of extraction is filled in and counted. What a model will
//! write is not known: replies are taken to be as long as those that the workspace's ledger holds of this model, and
//! without any as `Assumptions` says. The graph's size follows from the length of the texts: mentions are
//! proportional to it, distinct names grow as a power of mentions (Heaps' law), communities with the entities.

mod optional;

use super::communities::is_unfinished;
use super::documents::{self, Pages, SourceDocument};
use super::extraction::UnitText;
use super::extraction::model::prompt_of;
use super::reports::price;
use super::run::IndexRequest;
use super::run::ingestion::{FILES_AT_ONCE, is_same, read_files};
use super::text_units;
use super::text_units::header::{Whole, set_headers};
use crate::config::{Config, DocumentsConfig, Provider, ReportStyle};
use crate::domain::{Document, Ids, LedgerRow, TextUnit, stage_of};
use crate::llm::Message;
use crate::prompts::{
    CommunityReport, Data, GLEAN_CHECK, GleanContinue, Prompt, Prompts, SummariseDescriptions,
};
use crate::stores::GraphStore;
use crate::tokens::Tokens;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Tokens that frame a message, as endpoints count them.
const FRAME_TOKENS: u64 = 4;
/// Calls of a task in the ledger from which its replies are taken as the measure.
const CALLS_TO_LEARN_FROM: u64 = 3;
/// Share of Chinese characters from which a text is Chinese.
const CHINESE: f64 = 0.3;

/// Calls of one task, and the tokens of one.
struct TaskLoad {
    calls: f64,
    input: f64,
    output: f64,
}

/// What all calls of a stage come to.
#[derive(Clone, Copy, Default)]
struct Load {
    calls: f64,
    input: f64,
    output: f64,
}

/// What is taken for granted of models and texts where nothing is known yet: between what runs on a novella and on
/// podcast transcripts asked of the scripted endpoint of `scripts/bench-graphrag.sh` (tests/benches/RESULTS.md). Real
/// models write from half as much (gpt-4o's recorded replies) to half as much again.
struct Assumptions;

impl Assumptions {
    /// Tokens of the first records for each token of text.
    const RECORDS: f64 = 1.07;
    /// Tokens of a gleaning's records for each token of text.
    const GLEANED: f64 = 0.055;
    /// What records with claims take more than those without: of Chinese texts, of others (`scripts/bench-played.sh`).
    const CLAIMS: (f64, f64) = (1.35, 3.1);
    /// The same of a gleaning's.
    const GLEANED_CLAIMS: (f64, f64) = (3.4, 7.0);
    /// Share of text units that are asked about once more.
    const UNITS_GLEANED: f64 = 1.0;
    /// Calls for reports in the lean style, and their tokens, of those in the paper's.
    const LEAN: (f64, f64) = (0.53, 0.65);
    /// Mentions of entities in 1,000 tokens of Chinese text, and of others.
    const MENTIONS_A_THOUSAND: (f64, f64) = (20.6, 45.0);
    /// Distinct names of n mentions: factor and exponent.
    const NAMES: (f64, f64) = (3.05, 0.72);
    /// Communities whose report a model writes, for each entity.
    const REPORTS: f64 = 0.15;
    /// Communities for each entity; the small ones' reports are composed.
    const COMMUNITIES: f64 = 0.44;
    /// Tokens of a report's data.
    const REPORT_INPUT: f64 = price::DATA_TOKENS;
    /// Tokens of a report.
    const REPORT_OUTPUT: f64 = price::REPORT_TOKENS;
    /// Summaries of n thousand tokens of text: factor and exponent. The longer the corpus, the more is said of each.
    const SUMMARIES: (f64, f64) = (0.207, 1.238);
    /// Tokens of the descriptions that a summary is written from.
    const SUMMARY_INPUT: f64 = 295.0;
    /// Tokens of a summary.
    const SUMMARY_OUTPUT: f64 = 92.0;
    /// Tokens of an entity's name and description.
    const ENTITY_TEXT: f64 = 75.0;
}

/// What one stage would ask of one model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StageEstimate {
    /// As in the ledger.
    pub stage: &'static str,
    /// The model.
    pub model: String,
    /// Calls.
    pub calls: u64,
    /// Tokens of prompts.
    pub input_tokens: u64,
    /// Tokens of replies.
    pub output_tokens: u64,
    /// Dollars by `[llm.prices]`; 0 without a price.
    pub cost: f64,
}

/// What a run would do.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Estimate {
    /// Documents that are new or changed.
    pub documents: u64,
    /// Documents that are as they are.
    pub documents_unchanged: u64,
    /// Text units to be read.
    pub text_units: u64,
    /// By stage, in the order of a run.
    pub stages: Vec<StageEstimate>,
    /// Sum of all stages' calls.
    pub calls: u64,
    /// Sum of all stages' tokens of prompts.
    pub input_tokens: u64,
    /// Sum of all stages' tokens of replies.
    pub output_tokens: u64,
    /// Sum of all stages' dollars.
    pub cost: f64,
    /// Models without a price in `[llm.prices]`.
    pub without_price: Vec<String>,
    /// Tasks whose replies are taken to be as long as those in the ledger.
    pub learnt_from_ledger: Vec<String>,
    /// Whether the last run ended before communities and reports were made, so that this one makes them.
    pub unfinished: bool,
    /// What was passed over, one sentence each.
    pub problems: Vec<String>,
    /// Pages of the files, where they have any.
    pub pages: u64,
    /// How many of them have no text.
    pub pages_without_text: u64,
}

/// Estimates a run without asking a model or writing anything. `graph` is the workspace as it is, if there is one.
///
/// # Errors
/// No file can be read; what the store says.
pub async fn estimate(
    config: &Config,
    ids: &Ids,
    graph: Option<&dyn GraphStore>,
    request: &IndexRequest,
) -> Result<Estimate> {
    let found = documents::discover(&request.paths, &request.discover);
    let mut estimate = Estimate {
        problems: found.problems.iter().map(ToString::to_string).collect(),
        ..Estimate::default()
    };
    if found.files.is_empty() && !request.paths.is_empty() && !found.problems.is_empty() {
        bail!("{}", estimate.problems.join("\n"));
    }
    let tokens = config.text_units.encoding;
    let history = match graph {
        Some(graph) => graph.ledger().await?,
        None => Vec::new(),
    };
    let prompts = Prompts::load(config.llm.prompts.as_deref())?;
    let mut asked = Asked::new(config, &prompts, &history);
    let mut counted = BTreeSet::new();
    for batch in found.files.chunks(FILES_AT_ONCE) {
        let (read, problems) = read_files(batch.to_vec(), documents::ReadOptions::of(config)).await?;
        estimate.problems.extend(problems);
        let pages = Pages::of(&read);
        estimate.pages += pages.all;
        estimate.pages_without_text += pages.without_text;
        let read = read.into_iter().flat_map(|file| file.documents).collect();
        let changed = changed(read, &config.documents, ids, graph, request.refresh, &mut estimate).await?;
        let cut = cut(changed, ids, tokens, config).await?;
        for (document, units) in cut {
            estimate.documents += 1;
            let tokens: Vec<usize> = units.iter().map(|unit| unit.token_count as usize).collect();
            asked.document(&tokens);
            counted.insert(ids.document(&document.key));
            let known = already_read(graph, &units, request).await?;
            for unit in units.iter().filter(|unit| !known.contains(unit.id.as_str())) {
                estimate.text_units += 1;
                asked.unit(&document, unit)?;
            }
        }
    }
    let before = match graph {
        Some(graph) => {
            asked.stored(graph, &counted).await?;
            let counts = graph.counts().await?;
            asked.reports_before = counts.reports as f64;
            counts.entities
        }
        None => 0,
    };
    if let Some(graph) = graph {
        estimate.unfinished = is_unfinished(graph, &config.communities).await?;
    }
    let entities = asked.rest(before);
    if estimate.unfinished {
        asked.reports(Assumptions::REPORTS * before as f64);
    }
    asked.together(entities);
    asked.finish(&mut estimate);
    Ok(estimate)
}

/// The documents that a run would store.
async fn changed(
    read: Vec<SourceDocument>,
    settings: &DocumentsConfig,
    ids: &Ids,
    graph: Option<&dyn GraphStore>,
    refresh: bool,
    estimate: &mut Estimate,
) -> Result<Vec<SourceDocument>> {
    let Some(graph) = graph.filter(|_| !refresh) else { return Ok(read) };
    let wanted: Vec<_> = read.iter().map(|source| ids.document(&source.key)).collect();
    let stored: BTreeMap<_, Document> =
        graph.documents_by_id(&wanted).await?.into_iter().map(|d| (d.id.clone(), d)).collect();
    let mut changed = Vec::new();
    for (source, id) in read.into_iter().zip(wanted) {
        match stored.get(&id) {
            Some(document) if is_same(document, &source, settings) => {
                estimate.documents_unchanged += 1;
                // its units may still wait to be read
                if graph.text_units_of(&id).await?.iter().any(|unit| unit.state.extraction.is_none()) {
                    changed.push(source);
                }
            }
            _ => changed.push(source),
        }
    }
    Ok(changed)
}

async fn cut(
    sources: Vec<SourceDocument>,
    ids: &Ids,
    tokens: Tokens,
    config: &Config,
) -> Result<Vec<(SourceDocument, Vec<TextUnit>)>> {
    use rayon::prelude::*;
    let (ids, settings, dates) = (ids.clone(), config.text_units.clone(), config.documents.clone());
    let with_headers = config.llm.provider != Provider::None;
    tokio::task::spawn_blocking(move || {
        sources
            .into_par_iter()
            .map(|source| {
                let mut units =
                    text_units::split(&source, &ids.document(&source.key), &ids, tokens, &settings);
                if with_headers {
                    let date = documents::date_of_document(&source, &dates);
                    let whole = Whole { title: &source.title, date: date.as_ref(), text: &source.text };
                    set_headers(whole, &mut units, tokens);
                }
                (source, units)
            })
            .collect()
    })
    .await
    .context("cutting documents ended early")
}

/// Units that need not be read again.
async fn already_read(
    graph: Option<&dyn GraphStore>,
    units: &[TextUnit],
    request: &IndexRequest,
) -> Result<BTreeSet<String>> {
    let Some(graph) = graph.filter(|_| !request.refresh) else { return Ok(BTreeSet::new()) };
    let ids: Vec<_> = units.iter().map(|unit| unit.id.clone()).collect();
    let new: BTreeMap<_, &TextUnit> = units.iter().map(|unit| (unit.id.clone(), unit)).collect();
    let stored = graph.text_units_by_id(&ids).await?;
    Ok(stored
        .into_iter()
        .filter(|unit| {
            let anew = new.get(&unit.unit.id).is_some_and(|new| new.is_read_anew(&unit.unit.header));
            unit.state.extraction.is_some() && !anew || (unit.state.error.is_some() && request.leave_failed)
        })
        .map(|unit| unit.unit.id.to_string())
        .collect())
}

/// Mean tokens of replies in the ledger, by task and model.
fn learnt(history: &[LedgerRow]) -> BTreeMap<(&str, &str), f64> {
    history
        .iter()
        .filter(|row| row.counters.calls >= CALLS_TO_LEARN_FROM)
        .map(|row| {
            let mean = row.counters.output_tokens as f64 / row.counters.calls as f64;
            ((row.task.as_str(), row.model.as_str()), mean)
        })
        .collect()
}

/// Calls of a task for each first call about a text unit, as the ledger of any run tells.
fn calls_a_unit(history: &[LedgerRow], tasks: &[&str]) -> Option<f64> {
    let calls = |tasks: &[&str]| -> u64 {
        let of_tasks = history.iter().filter(|row| tasks.contains(&row.task.as_str()));
        of_tasks.map(|row| row.counters.calls + row.counters.cached).sum()
    };
    let units = calls(&["extract_graph"]);
    (units >= CALLS_TO_LEARN_FROM).then(|| calls(tasks) as f64 / units as f64)
}

/// Whether a text has so many Chinese characters that it is Chinese: what is read of it takes more tokens.
fn is_chinese(text: &str) -> bool {
    let han = text.chars().filter(|c| crate::language::words::is_han(*c)).count();
    han as f64 > CHINESE * text.chars().count() as f64
}

/// What has been counted so far.
struct Asked<'a> {
    config: &'a Config,
    prompts: &'a Prompts,
    learnt: BTreeMap<(&'a str, &'a str), f64>,
    /// Gleanings a text unit, and calls for reports a text unit, where the ledger tells.
    gleanings: Option<f64>,
    reports_a_unit: Option<f64>,
    used: BTreeSet<String>,
    sums: BTreeMap<(&'static str, String), Load>,
    /// The system message counted last: it is the same for every unit.
    system: (String, u64),
    /// Tokens of gleaning's questions.
    questions: [u64; 2],
    text_tokens: u64,
    mentions: f64,
    /// Reports that are there.
    reports_before: f64,
    units: u64,
    trees: optional::Trees,
}

fn count(text: &str) -> u64 {
    Tokens::O200kBase.count(text) as u64
}

impl<'a> Asked<'a> {
    fn new(config: &'a Config, prompts: &'a Prompts, history: &'a [LedgerRow]) -> Self {
        let tokens = |messages: Result<Vec<Message>>| {
            messages.unwrap_or_default().iter().map(|message| count(&message.content) + FRAME_TOKENS).sum()
        };
        let more = GleanContinue { missing: Data::text("names"), claims: config.extraction.claims };
        Self {
            config,
            prompts,
            learnt: learnt(history),
            gleanings: calls_a_unit(history, &["glean_continue"]),
            reports_a_unit: calls_a_unit(history, &["community_report", "community_reports"]),
            used: BTreeSet::new(),
            sums: BTreeMap::new(),
            system: (String::new(), 0),
            questions: [tokens(prompts.render(&GLEAN_CHECK)), tokens(prompts.render(&more))],
            text_tokens: 0,
            mentions: 0.0,
            reports_before: 0.0,
            units: 0,
            trees: optional::Trees::default(),
        }
    }

    fn model(&self, role: &'a crate::config::RoleConfig) -> &'a str {
        role.model.as_deref().unwrap_or(&self.config.llm.model)
    }

    fn add(&mut self, task: &'static str, model: &str, TaskLoad { calls, input, output }: TaskLoad) {
        let sums = self.sums.entry((stage_of(task), model.to_owned())).or_default();
        sums.calls += calls;
        sums.input += calls * input;
        sums.output += calls * output;
    }

    /// Tokens of a reply: as in the ledger, else as assumed.
    fn reply(&mut self, task: &'static str, model: &str, assumed: f64) -> f64 {
        match self.learnt.get(&(task, model)) {
            Some(mean) => {
                self.used.insert(format!("{task} by {model}"));
                *mean
            }
            None => assumed,
        }
    }

    fn prompt(&mut self, messages: &[Message]) -> u64 {
        let mut sum = 0;
        for message in messages {
            sum += FRAME_TOKENS;
            if message.role == crate::llm::Speaker::System {
                if self.system.0 != message.content {
                    self.system = (message.content.clone(), count(&message.content));
                }
                sum += self.system.1;
            } else {
                sum += count(&message.content);
            }
        }
        sum
    }

    /// Everything that is asked about one text unit.
    fn unit(&mut self, document: &SourceDocument, unit: &TextUnit) -> Result<()> {
        self.units += 1;
        self.text_tokens += u64::from(unit.token_count);
        let (chinese, other) = Assumptions::MENTIONS_A_THOUSAND;
        let density = if is_chinese(&unit.text) { chinese } else { other };
        self.mentions += density * f64::from(unit.token_count) / 1000.0;
        if self.config.llm.provider == Provider::None {
            return Ok(());
        }
        let extraction = &self.config.extraction;
        let model = self.model(&self.config.llm.extract);
        let input = UnitText {
            title: &document.title,
            headings: &unit.headings,
            text: &unit.text,
            header: &unit.header,
        };
        let messages = self.prompts.render(&prompt_of(extraction, &input))?;
        let mut input = self.prompt(&messages) as f64;
        let text = f64::from(unit.token_count);
        let of = |(chinese, other): (f64, f64)| match (extraction.claims, is_chinese(&unit.text)) {
            (false, _) => 1.0,
            (true, true) => chinese,
            (true, false) => other,
        };
        let (more, gleaned) = (of(Assumptions::CLAIMS), of(Assumptions::GLEANED_CLAIMS));
        let mut output = self.reply("extract_graph", model, Assumptions::RECORDS * more * text);
        self.add("extract_graph", model, TaskLoad { calls: 1.0, input, output });
        // a reply that shows nothing missing is asked about no more
        let asked = self.gleanings.unwrap_or(Assumptions::UNITS_GLEANED);
        for round in 0..extraction.gleanings {
            let calls = (asked - f64::from(round)).clamp(0.0, 1.0);
            input += output + FRAME_TOKENS as f64;
            if extraction.gleaning_check {
                self.add(
                    "glean_check",
                    model,
                    TaskLoad { calls, input: input + self.questions[0] as f64, output: 1.0 },
                );
            }
            input += self.questions[1] as f64;
            output = self.reply("glean_continue", model, Assumptions::GLEANED * gleaned * text);
            self.add("glean_continue", model, TaskLoad { calls, input, output });
        }
        Ok(())
    }

    /// Summaries, reports and vectors of the graph that the units would make. Returns the number of new entities.
    fn rest(&mut self, entities_before: u64) -> f64 {
        if self.units == 0 {
            return 0.0;
        }
        let mentions = self.mentions;
        let a_thousand = mentions * 1000.0 / (self.text_tokens as f64).max(1.0);
        let (factor, exponent) = Assumptions::NAMES;
        let names = |mentions: f64| factor * mentions.powf(exponent);
        // names that are there already come again: the curve is followed from where the graph stands
        let mentions_before = (entities_before as f64 / factor).powf(1.0 / exponent);
        let entities = (names(mentions_before + mentions) - names(mentions_before)).min(mentions);
        let reports = Assumptions::REPORTS * entities;
        if self.config.llm.provider != Provider::None {
            let summarise = self.model(&self.config.llm.summarise);
            let output = self.reply("summarise_descriptions", summarise, Assumptions::SUMMARY_OUTPUT);
            let (factor, exponent) = Assumptions::SUMMARIES;
            let summaries = |mentions: f64| factor * (mentions / a_thousand.max(1.0)).powf(exponent);
            let calls = summaries(mentions_before + mentions) - summaries(mentions_before);
            let input = self.fixed(&SummariseDescriptions {
                language: &self.config.extraction.language,
                max_words: self.config.reports.max_length_words,
                names: Data::lines([""]),
                descriptions: Data::lines([""]),
            }) + Assumptions::SUMMARY_INPUT;
            self.add("summarise_descriptions", summarise, TaskLoad { calls, input, output });
            self.reports(reports);
        }
        self.embedded(entities, entities * Assumptions::ENTITY_TEXT);
        self.embedded(self.units as f64, self.text_tokens as f64);
        self.embedded(Assumptions::COMMUNITIES * entities, reports * Assumptions::REPORT_OUTPUT);
        entities
    }

    /// So many reports by a model.
    fn reports(&mut self, calls: f64) {
        if self.config.llm.provider == Provider::None {
            return;
        }
        let model = self.model(&self.config.llm.report);
        let system = self.fixed(&CommunityReport {
            language: &self.config.extraction.language,
            max_words: self.config.reports.max_length_words,
            ..CommunityReport::default()
        });
        // what was made of as many units before tells best
        let lean = match self.config.reports.style {
            ReportStyle::Lean => Assumptions::LEAN.0,
            ReportStyle::Paper => 1.0,
        };
        let made = match self.reports_a_unit.filter(|_| self.units > 0) {
            Some(calls) => calls * self.units as f64,
            None => (calls * lean).ceil(),
        };
        // each mention meets one of the reports that are there, and some meet the same
        let before = self.reports_before;
        let met = before * (1.0 - (-self.mentions / before.max(1.0)).exp());
        let calls = made.max((met * lean).round());
        let short = match self.config.reports.style {
            ReportStyle::Lean => Assumptions::LEAN.1,
            ReportStyle::Paper => 1.0,
        };
        let output = self.reply("community_report", model, short * Assumptions::REPORT_OUTPUT);
        let load = TaskLoad { calls, input: system + Assumptions::REPORT_INPUT, output };
        self.add("community_report", model, load);
    }

    /// Texts of so many tokens that go to the embedding model together.
    fn embedded(&mut self, texts: f64, tokens: f64) {
        if self.config.embeddings.provider.is_remote() && texts > 0.0 {
            let calls = (texts / self.config.embeddings.batch_size.max(1) as f64).ceil();
            self.add(
                "embed",
                self.config.embeddings.model.as_str(),
                TaskLoad { calls, input: tokens / calls, output: 0.0 },
            );
        }
    }

    /// Tokens of a prompt without its data.
    fn fixed(&self, prompt: &impl Prompt) -> f64 {
        let messages = self.prompts.render(prompt).unwrap_or_default();
        messages.iter().map(|message| (count(&message.content) + FRAME_TOKENS) as f64).sum()
    }

    fn finish(self, estimate: &mut Estimate) {
        let prices = &self.config.llm.prices;
        for stage in crate::domain::STAGES {
            for ((_, model), sums) in self.sums.iter().filter(|((of, _), _)| *of == stage) {
                let (calls, input_tokens, output_tokens) =
                    (whole(sums.calls), whole(sums.input), whole(sums.output));
                if calls == 0 {
                    continue;
                }
                let price = prices.get(model).copied().unwrap_or_default();
                if !prices.contains_key(model) && !estimate.without_price.contains(model) {
                    estimate.without_price.push(model.clone());
                }
                let cost =
                    (input_tokens as f64 * price.input + output_tokens as f64 * price.output) / 1_000_000.0;
                estimate.stages.push(StageEstimate {
                    stage,
                    model: model.clone(),
                    calls,
                    input_tokens,
                    output_tokens,
                    cost,
                });
                estimate.calls += calls;
                estimate.input_tokens += input_tokens;
                estimate.output_tokens += output_tokens;
                estimate.cost += cost;
            }
        }
        estimate.learnt_from_ledger = self.used.into_iter().collect();
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts are positive and small")]
fn whole(number: f64) -> u64 {
    number.round().max(0.0) as u64
}
