//! What a run of `index` would ask of models, before it asks (design 18).
//!
//! Documents are read and cut as in a run, and every prompt of extraction is filled in and counted. What a model will
//! write is not known: replies are taken to be as long as those that the workspace's ledger holds of this model, and
//! without any as `Assumptions` says. The graph's size follows from the length of the texts: mentions are
//! proportional to it, distinct names grow as a power of mentions (Heaps' law), communities with the entities.

mod optional;
mod learnt;
mod touched;
mod replies;
pub mod rehearsal;

use super::communities::{are_due, is_unfinished};
use super::documents::{self, PageCounts, Reading, SourceDocument, SourceFile};
use super::extraction::UnitText;
use super::extraction::model::prompt_of;
use super::pages::{self, StoredPages};
use super::reports::price;
use super::run::IndexRequest;
use super::run::ingestion::{FILES_AT_ONCE, all_problems, differs_by_reader, is_same, read_files};
use super::text_units;
use super::text_units::header::{Whole, set_headers};
use crate::config::{Config, PageReading, Provider, ReportStyle};
use crate::domain::{Document, Id, Ids, LedgerRow, TextUnit, stage_of};
use crate::llm::{Message, PICTURE_TOKENS, Usage, cost};
use crate::prompts::{
    CommunityReport, Data, GLEAN_CHECK, GleanContinue, Prompt, Prompts, READ_PAGE, SummariseDescriptions,
};
use crate::stores::GraphStore;
use crate::tokens::Tokens;
use anyhow::{Context, Result, bail};
use learnt::{Learnt, Mean, REPORTS};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use touched::{Extent, Touched};

/// Tokens that frame a message, as endpoints count them.
const FRAME_TOKENS: u64 = 4;
/// Calls below which none is expected.
const SELDOM: f64 = 0.3;
/// How much longer or shorter than the mean of known ones a text is taken to be at most.
const LONGER: (f64, f64) = (0.1, 4.0);
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
    const CLAIMS: (f64, f64) = (1.75, 3.3);
    /// The same of a gleaning's.
    const GLEANED_CLAIMS: (f64, f64) = (5.8, 7.4);
    /// Share of text units that are asked about once more: of Chinese texts, of others.
    const UNITS_GLEANED: (f64, f64) = (0.67, 0.33);
    /// Of each report in the lean style: calls, tokens of its data, tokens that are written.
    const LEAN: (f64, f64, f64) = (0.17, 600.0, 300.0);
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
    /// Tokens of the text of a page that is a picture.
    const PAGE: usize = 500;
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
    /// Whether the last run ended before all communities and reports were made, so that this one makes them.
    pub unfinished: bool,
    /// What was passed over, one sentence each.
    pub problems: Vec<String>,
    /// What is worth knowing and no fault, one sentence each: skipped files, the first 200 of them by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Pages of the files, where they have any.
    pub pages: u64,
    /// How many of them have no text.
    pub pages_without_text: u64,
    /// Whether the change was rehearsed on a copy of the workspace.
    #[serde(skip)]
    pub rehearsed: bool,
    /// Documents that are read and that nothing is stored of.
    #[serde(skip)]
    pub new: u64,
    /// Stored documents that are read again.
    #[serde(skip)]
    pub changed: Vec<Id>,
    /// Stored documents that go.
    #[serde(skip)]
    pub gone: u64,
    /// Whether what is stored is built anew.
    #[serde(skip)]
    pub anew: bool,
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
    estimate_change(config, ids, graph, request, &[]).await
}

/// As [`estimate`], of a run that also removes these documents.
///
/// # Errors
/// As [`estimate`].
pub async fn estimate_change(
    config: &Config,
    ids: &Ids,
    graph: Option<&dyn GraphStore>,
    request: &IndexRequest,
    gone: &[Id],
) -> Result<Estimate> {
    let discover = request.discover.with_pictures_of(&config.documents.ocr);
    let found = documents::discover(&request.paths, &discover);
    let estimate = Estimate {
        problems: found.messages().collect(),
        notes: found.notes(),
        gone: gone.len() as u64,
        anew: request.refresh || request.retry_failed,
        ..Estimate::default()
    };
    if found.files.is_empty() && !request.paths.is_empty() && !found.problems.is_empty() {
        bail!("{}", estimate.problems.join("\n"));
    }
    let history = match graph {
        Some(graph) => graph.ledger().await?,
        None => Vec::new(),
    };
    let prompts = Prompts::load(config.llm.prompts.as_deref())?;
    let touched = match graph {
        Some(graph) => Some(Touched::new(graph, ids, config.reports.min_size).await?),
        None => None,
    };
    let mut asked = Estimation::new(config, &prompts, &history);
    if let Some(graph) = graph {
        asked.read_wanted(graph).await?;
    }
    let mut counting =
        FileCounting { config, ids, graph, request, asked, touched, counted: BTreeSet::new(), estimate };
    let _children = documents::KeptChildren;
    for batch in found.files.chunks(FILES_AT_ONCE) {
        counting.files(batch).await?;
    }
    counting.finish(gone).await
}

/// Files that are read as a run would, and what is counted of them.
struct FileCounting<'a> {
    config: &'a Config,
    ids: &'a Ids,
    graph: Option<&'a dyn GraphStore>,
    request: &'a IndexRequest,
    asked: Estimation<'a>,
    touched: Option<Touched<'a>>,
    /// Documents that were counted.
    counted: BTreeSet<Id>,
    estimate: Estimate,
}

impl FileCounting<'_> {
    /// Reads some files and counts the documents that are new or changed.
    async fn files(&mut self, files: &[SourceFile]) -> Result<()> {
        let (config, ids) = (self.config, self.ids);
        let before = self.graph.map(|graph| Before { graph, ids, config, refresh: self.request.refresh });
        let mut read = read_files(files.to_vec(), documents::ReadOptions::of(config)).await?;
        let mut waiting = match &before {
            Some(before) => before.left_as_it_is(&mut read, &mut self.estimate).await?,
            None => Vec::new(),
        };
        if reads_pages(config) {
            self.asked.pages(&mut read);
        }
        read.iter_mut().for_each(Reading::tell_unread);
        self.estimate.problems.extend(all_problems(&read));
        let pages = PageCounts::of(&read);
        self.estimate.pages += pages.all;
        self.estimate.pages_without_text += pages.without_text;
        let read = read.into_iter().flat_map(|file| {
            let of_file = move |source| (source, file.file_hash.clone());
            file.documents.into_iter().map(of_file)
        });
        let mut changed = match before.as_ref().filter(|before| !before.refresh) {
            Some(before) => before.changed(read.collect(), &mut self.estimate).await?,
            None => read.map(|(source, _)| source).collect(),
        };
        changed.append(&mut waiting);
        for (document, units) in cut_units(changed, ids, config.text_units.encoding, config).await? {
            self.document(&document, &units).await?;
        }
        Ok(())
    }

    async fn document(&mut self, document: &SourceDocument, units: &[TextUnit]) -> Result<()> {
        self.estimate.documents += 1;
        let tokens: Vec<usize> = units.iter().map(|unit| unit.token_count as usize).collect();
        self.asked.document(&tokens);
        let id = self.ids.document(&document.key);
        self.counted.insert(id.clone());
        if let Some(touched) = &mut self.touched {
            let stay = units.iter().map(|unit| &unit.id).collect();
            touched.document(&id, &stay).await?;
        }
        // of a document that waits to be read nothing is known yet
        let is_read = match self.graph {
            Some(graph) => graph.text_units_of(&id).await?.iter().any(|unit| unit.state.extraction.is_some()),
            None => false,
        };
        if is_read {
            self.estimate.changed.push(id);
        } else {
            self.estimate.new += 1;
        }
        let known = already_read(self.graph, units, self.request).await?;
        for unit in units.iter().filter(|unit| !known.contains(unit.id.as_str())) {
            self.estimate.text_units += 1;
            // what a document was asked before tells best what its changed text will be
            let gleaned = self.touched.as_ref().and_then(|touched| touched.gleaned);
            self.asked.unit(document, unit, gleaned)?;
            if let Some(touched) = &mut self.touched {
                touched.text_unit(unit);
            }
        }
        Ok(())
    }

    /// Adds what hangs on all documents together; these are removed.
    async fn finish(self, gone: &[Id]) -> Result<Estimate> {
        let Self { config, graph, mut asked, touched, counted, mut estimate, .. } = self;
        let mut left = 0.0;
        let entities = match graph {
            Some(graph) => {
                asked.stored(graph, &counted, gone).await?;
                estimate.unfinished = is_unfinished(graph, &config.communities).await?;
                let entities = graph.counts().await?.entities;
                if estimate.unfinished {
                    left = if are_due(graph, &config.communities).await? {
                        Assumptions::REPORTS * entities as f64
                    } else {
                        graph.owed_reports().await? as f64
                    };
                }
                entities
            }
            None => 0,
        };
        if let Some(mut touched) = touched {
            for document in gone {
                touched.document(document, &BTreeSet::new()).await?;
            }
            asked.tokens_gone = touched.tokens_gone;
            asked.touched = touched.extent().await?;
        }
        let expected = asked.rest(entities);
        if estimate.unfinished {
            asked.touched = Extent::default();
            asked.reports(left);
        }
        asked.together(expected);
        asked.finish(&mut estimate);
        Ok(estimate)
    }
}

fn reads_pages(config: &Config) -> bool {
    !matches!(config.documents.page_reading(), PageReading::None | PageReading::Unknown)
}

/// What is stored, as a run would find it.
struct Before<'a> {
    graph: &'a dyn GraphStore,
    ids: &'a Ids,
    config: &'a Config,
    refresh: bool,
}

impl Before<'_> {
    /// Leaves out of readings what is stored with the texts of its pages and stays. Returns what of it waits to be read
    /// by a model.
    async fn left_as_it_is(
        &self,
        read: &mut [Reading],
        estimate: &mut Estimate,
    ) -> Result<Vec<SourceDocument>> {
        let wanted = StoredPages { reads_pages: reads_pages(self.config), refresh: self.refresh };
        let mut waiting = Vec::new();
        for document in pages::leave_stored(self.graph, self.ids, read, wanted).await? {
            estimate.documents_unchanged += 1;
            let units = self.graph.text_units_of(&document.id).await?;
            if units.iter().any(|unit| unit.state.extraction.is_none()) {
                waiting.push(SourceDocument {
                    text: text_units::joined(&units),
                    key: document.key,
                    title: document.title,
                    metadata: document.metadata,
                    ..SourceDocument::default()
                });
            }
        }
        Ok(waiting)
    }

    /// The documents that a run would store, of those that were read with the fingerprints of their files.
    async fn changed(
        &self,
        read: Vec<(SourceDocument, String)>,
        estimate: &mut Estimate,
    ) -> Result<Vec<SourceDocument>> {
        let settings = &self.config.documents;
        let wanted: Vec<_> = read.iter().map(|(source, _)| self.ids.document(&source.key)).collect();
        let stored: BTreeMap<_, Document> =
            self.graph.documents_by_id(&wanted).await?.into_iter().map(|d| (d.id.clone(), d)).collect();
        let mut changed = Vec::new();
        for ((source, file_hash), id) in read.into_iter().zip(wanted) {
            match stored.get(&id) {
                Some(document)
                    if is_same(document, &source, settings) || differs_by_reader(document, &file_hash) =>
                {
                    estimate.documents_unchanged += 1;
                    // its units may still wait to be read
                    let units = self.graph.text_units_of(&id).await?;
                    if units.iter().any(|unit| unit.state.extraction.is_none()) {
                        changed.push(source);
                    }
                }
                _ => changed.push(source),
            }
        }
        Ok(changed)
    }
}

pub(super) async fn cut_units(
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
                let date = documents::date_of_document(&source, &dates);
                let sections = documents::dated_sections(&source, date.as_ref(), &dates);
                let starts: Vec<u64> = sections.iter().skip(1).map(|(start, _)| *start).collect();
                let id = ids.document(&source.key);
                let mut units = text_units::split_at(&source, &starts, &id, &ids, tokens, &settings);
                text_units::set_days(&sections, &mut units);
                if with_headers {
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

/// Whether a text has so many Chinese characters that it is Chinese: what is read of it takes more tokens.
fn is_chinese(text: &str) -> bool {
    let han = text.chars().filter(|c| crate::language::words::is_han(*c)).count();
    han as f64 > CHINESE * text.chars().count() as f64
}

/// Tokens of a prompt about a text.
#[derive(Clone, Copy)]
struct PromptTokens {
    all: f64,
    /// Those of the text.
    text: f64,
}

/// What has been counted so far.
struct Estimation<'a> {
    config: &'a Config,
    prompts: &'a Prompts,
    learnt: Learnt<'a>,
    /// Gleanings a text unit, where the ledger tells.
    gleanings: Option<f64>,
    used: BTreeSet<String>,
    sums: BTreeMap<(&'static str, String), Load>,
    /// The system message counted last: it is the same for every unit.
    system: (String, u64),
    /// Tokens of gleaning's questions.
    questions: [u64; 2],
    text_tokens: u64,
    mentions: f64,
    /// Tokens of text units that go.
    tokens_gone: u64,
    /// What of the stored graph is touched.
    touched: Extent,
    units: u64,
    trees: optional::Trees,
    /// Whether the run brings atomic facts up to date.
    facts_wanted: bool,
}

fn count(text: &str) -> u64 {
    Tokens::O200kBase.count(text) as u64
}

impl<'a> Estimation<'a> {
    fn new(config: &'a Config, prompts: &'a Prompts, history: &'a [LedgerRow]) -> Self {
        let tokens = |messages: Result<Vec<Message>>| {
            messages.unwrap_or_default().iter().map(|message| count(&message.content) + FRAME_TOKENS).sum()
        };
        let learnt = Learnt::of(history);
        let more = GleanContinue { missing: Data::text("names"), claims: config.extraction.claims };
        Self {
            config,
            prompts,
            gleanings: learnt.calls_a_unit(&["glean_continue"]),
            learnt,
            used: BTreeSet::new(),
            sums: BTreeMap::new(),
            system: (String::new(), 0),
            questions: [tokens(prompts.render(&GLEAN_CHECK)), tokens(prompts.render(&more))],
            text_tokens: 0,
            mentions: 0.0,
            tokens_gone: 0,
            touched: Extent::default(),
            units: 0,
            trees: optional::Trees::wanted(config.raptor.enabled == Some(true)),
            facts_wanted: config.reader.enabled == Some(true),
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
        self.mean(task, model).map_or(assumed, |mean| mean.output)
    }

    /// Tokens of a reply that is as long as the text that it is about: as in the ledger for each token of text.
    fn reply_of_text(&mut self, task: &'static str, model: &str, assumed: f64, prompt: PromptTokens) -> f64 {
        let Some(mean) = self.mean(task, model) else { return assumed };
        let usual = mean.input - (prompt.all - prompt.text);
        let longer = if usual > 0.0 { prompt.text / usual } else { 1.0 };
        mean.output * longer.clamp(LONGER.0, LONGER.1)
    }

    /// What the ledger says of a task, noted as used.
    fn mean(&mut self, task: &'static str, model: &str) -> Option<Mean> {
        let mean = self.learnt.mean(task, model)?;
        self.used.insert(format!("{task} by {model}"));
        Some(mean)
    }

    /// Pages that something is to read, and texts as long as theirs may be in the place of their documents.
    fn pages(&mut self, read: &mut [Reading]) {
        let is_model = self.config.documents.page_reading() == PageReading::Model;
        let model = self.model(&self.config.llm.ocr);
        for file in read {
            for unread in std::mem::take(&mut file.unread) {
                let pages = unread.numbers().len();
                file.pages_without_text = file.pages_without_text.saturating_sub(pages as u64);
                if is_model {
                    let fixed = self.fixed(&READ_PAGE) + PICTURE_TOKENS as f64;
                    let known = self.mean(READ_PAGE.name().as_str(), model);
                    let (input, output) =
                        known.map_or((fixed, Assumptions::PAGE as f64), |mean| (mean.input, mean.output));
                    self.add(
                        READ_PAGE.name().as_str(),
                        model,
                        TaskLoad { calls: pages as f64, input, output },
                    );
                }
                let text = "word ".repeat(Assumptions::PAGE * pages);
                match file.documents.iter_mut().find(|document| document.key == unread.key) {
                    Some(document) => document.text.push_str(&text),
                    None => file.documents.push(SourceDocument {
                        title: unread.key.clone(),
                        key: unread.key,
                        text,
                        ..SourceDocument::default()
                    }),
                }
            }
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
    fn unit(
        &mut self,
        document: &SourceDocument,
        unit: &TextUnit,
        gleaned_before: Option<f64>,
    ) -> Result<()> {
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
        let assumed = Assumptions::RECORDS * more * text;
        let mut output =
            self.reply_of_text("extract_graph", model, assumed, PromptTokens { all: input, text });
        self.add("extract_graph", model, TaskLoad { calls: 1.0, input, output });
        // a reply that shows nothing missing is asked about no more
        let (chinese, other) = Assumptions::UNITS_GLEANED;
        let assumed = if is_chinese(&unit.text) { chinese } else { other };
        let asked = gleaned_before.or(self.gleanings).unwrap_or(assumed);
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
        // what takes the place of other text brings as many names as go with that
        let read = self.text_tokens as f64;
        let added = (read - self.tokens_gone as f64).max(0.0) / read.max(1.0);
        let mentions = self.mentions * added;
        let a_thousand = self.mentions * 1000.0 / read.max(1.0);
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
            let new = summaries(mentions_before + mentions) - summaries(mentions_before);
            let touched = self.touched.entities * self.learnt.calls(&["summarise_descriptions"]) as f64;
            let calls = new + if touched < SELDOM { 0.0 } else { touched.ceil() };
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

    /// The calls for so many new reports, and for those that are there and tell of something touched.
    fn reports(&mut self, new: f64) {
        if self.config.llm.provider == Provider::None {
            return;
        }
        let model = self.model(&self.config.llm.report);
        let fixed = self.fixed(&CommunityReport {
            language: &self.config.extraction.language,
            max_words: self.config.reports.max_length_words,
            ..CommunityReport::default()
        });
        let mut each = match self.config.reports.style {
            ReportStyle::Lean => Assumptions::LEAN,
            ReportStyle::Paper => (1.0, Assumptions::REPORT_INPUT, Assumptions::REPORT_OUTPUT),
        };
        let Extent { reports: touched, of_reports, .. } = self.touched;
        if let Some(mean) = self.learnt.together(&REPORTS, model) {
            self.used.insert(format!("community_report by {model}"));
            let calls = (self.learnt.calls(&REPORTS) as f64 / (of_reports as f64).max(1.0)).min(1.0);
            each = (calls, (mean.input - fixed).max(0.0) * calls, mean.output * calls);
        }
        let (a_report, data, written) = each;
        let reports = new + touched;
        let calls = (reports * a_report).ceil();
        let share = reports / calls.max(1.0);
        self.add(
            "community_report",
            model,
            TaskLoad { calls, input: fixed + share * data, output: share * written },
        );
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
                let cost = cost(price, Usage { input_tokens, output_tokens, ..Usage::default() });
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
