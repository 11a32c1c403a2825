//! A change or a deletion rehearsed on a copy of the workspace: what stays of the stored records stands in for what a
//! model would read in the new text, reports are as long as the stored ones, and every other step is the run's own. So
//! calls and prompts of a change are counted, where those of new documents are estimated.

use super::learnt::Learnt;
use super::replies::{
    ReplyLine, StoredReport, last_block, lines_of, sentences_of, shared, stored_report, verdicts, with_kind,
};
use super::{Estimate, FRAME_TOKENS, StageEstimate, count, whole};
use crate::config::Config;
use crate::domain::{Edit, Id, StoredUnit, stage_of};
use crate::index::extraction::Extractor;
use crate::index::run::sync::{self, SyncRequest};
use crate::index::run::{self, BuildSettings, IndexRequest};
use crate::language::one_line;
use crate::language::questions::find_name;
use crate::llm::{ChatModel, ChatReply, ChatRequest, ModelError, ModelRole, Usage};
use crate::progress::Progress;
use crate::services::{self, Services};
use crate::stores::{GraphStore, pages};
use anyhow::Result;
use async_trait::async_trait;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Entities beyond which a workspace is not copied for it.
const ENTITIES: u64 = 20_000;
/// New text units, and stored ones, beyond which new documents are not rehearsed: each text is held against every record.
const NEW_UNITS: u64 = 40;
const KNOWN_UNITS: u64 = 2_000;
/// Text units read at once.
const PAGE: usize = 500;
/// Tokens of a summary where none is known.
const SUMMARY_OUTPUT: f64 = 92.0;
/// Stages that are rehearsed; what vectors, trees and facts ask for is estimated.
const STAGES: [&str; 4] = ["extraction", "resolution", "summaries", REPORTS_STAGE];
const REPORTS_STAGE: &str = "reports";

/// What is rehearsed.
#[derive(Clone, Copy, Debug)]
pub enum RehearsedRun<'a> {
    /// As `index`.
    Index(&'a IndexRequest),
    /// As `sync`.
    Sync(&'a SyncRequest),
}

/// Puts what a rehearsal counts into the place of what was estimated, where there is something to rehearse, in an embedded
/// workspace: documents that change or go, and some that are new, whose records stay estimated while the reports of what
/// they name are counted. Nothing is asked of a model, and nothing of the workspace changes.
///
/// # Errors
/// What the stores say.
pub async fn refine(
    estimate: &mut Estimate,
    config: &Config,
    data_dir: &Path,
    workspace: &str,
    run: RehearsedRun<'_>,
) -> Result<()> {
    let nothing = estimate.stages.is_empty() && estimate.gone == 0;
    let adds = estimate.new > 0;
    let too_many = adds && estimate.text_units > NEW_UNITS;
    if nothing || too_many || estimate.unfinished || estimate.anew || estimate.pages_without_text > 0 {
        return Ok(());
    }
    let Some(copy) = services::copied(config, data_dir, workspace).await? else { return Ok(()) };
    let mut services = copy.services.clone();
    let counts = services.graph.counts().await?;
    let worth = !adds || (1..=KNOWN_UNITS).contains(&counts.text_units);
    if let Some(model) = services.chat.take().filter(|_| worth && counts.entities <= ENTITIES) {
        let graph = services.graph.as_ref();
        let units = if adds { all_units(graph).await? } else { units_of(graph, &estimate.changed).await? };
        let understudy = Arc::new(Understudy::new(model, graph, units).await?.gleaning(config));
        services.chat = Some(Arc::<Understudy>::clone(&understudy));
        let rehearsed = perform(&services, run).await;
        services.graph.unlock_writer().await?;
        rehearsed?;
        let counted = understudy.take();
        if !adds {
            estimate.replace(config, &counted, &STAGES);
        } else if estimate.has_fewer_reports(&counted) {
            estimate.replace(config, &counted, &[REPORTS_STAGE]);
        }
        estimate.rehearsed = !adds;
    }
    Ok(())
}

/// What an edit would ask of models, rehearsed as [`refine`] does; nothing where the workspace is not embedded, is too
/// large to be copied, or has no model.
///
/// # Errors
/// What the stores say.
pub async fn of_edit(
    config: &Config,
    data_dir: &Path,
    workspace: &str,
    (edit, undone): (&Edit, bool),
) -> Result<Option<Estimate>> {
    let Some(copy) = services::copied(config, data_dir, workspace).await? else { return Ok(None) };
    let mut services = copy.services.clone();
    let worth = services.graph.counts().await?.entities <= ENTITIES;
    let Some(model) = services.chat.take().filter(|_| worth) else { return Ok(None) };
    let understudy = Arc::new(Understudy::new(model, services.graph.as_ref(), Vec::new()).await?);
    services.chat = Some(Arc::<Understudy>::clone(&understudy));
    let edited = async {
        as_if_built_without_embeddings(&services).await?;
        services.graph.save_edit(edit, undone).await?;
        run::apply_edits(&services, &Progress::silent()).await
    };
    let edited = edited.await;
    services.graph.unlock_writer().await?;
    edited?;
    let mut estimate = Estimate { rehearsed: true, ..Estimate::default() };
    estimate.replace(config, &understudy.take(), &STAGES);
    Ok(Some(estimate))
}

async fn units_of(graph: &dyn GraphStore, documents: &[Id]) -> Result<Vec<StoredUnit>> {
    let mut units = Vec::new();
    for document in documents {
        units.extend(graph.text_units_of(document).await?);
    }
    Ok(units)
}

async fn all_units(graph: &dyn GraphStore) -> Result<Vec<StoredUnit>> {
    let mut units = Vec::new();
    let mut pages = pages::text_units(graph, PAGE);
    while let Some(page) = pages.next().await? {
        units.extend(page);
    }
    Ok(units)
}

/// The copy has no embedding model: it is as if it had been built without.
async fn as_if_built_without_embeddings(services: &Services) -> Result<()> {
    let settings = BuildSettings::of(services, &Extractor::configured(services));
    Ok(services.graph.save_settings(&settings.as_map()).await?)
}

async fn perform(services: &Services, run: RehearsedRun<'_>) -> Result<()> {
    as_if_built_without_embeddings(services).await?;
    let progress = Progress::silent();
    match run {
        RehearsedRun::Index(request) => run::index(services, request, &progress).await?,
        RehearsedRun::Sync(request) => sync::sync(services, request, &progress).await?,
    };
    Ok(())
}

/// What was asked of one task.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TaskSum {
    role: Option<ModelRole>,
    calls: u64,
    input: u64,
    output: u64,
}

impl Estimate {
    /// Whether fewer reports are estimated than a rehearsal of new documents counts: it counts those that are there and have
    /// to be written anew, and knows nothing of names that are new.
    fn has_fewer_reports(&self, counted: &BTreeMap<&'static str, TaskSum>) -> bool {
        let estimated = self.stages.iter().filter(|known| known.stage == REPORTS_STAGE);
        let counted = counted.iter().filter(|(task, _)| stage_of(task) == REPORTS_STAGE);
        estimated.map(|known| known.input_tokens).sum::<u64>() < counted.map(|(_, sum)| sum.input).sum()
    }

    /// Puts what was counted into the place of what was estimated of some stages.
    fn replace(&mut self, config: &Config, sums: &BTreeMap<&'static str, TaskSum>, stages: &[&str]) {
        self.stages.retain(|stage| !stages.contains(&stage.stage));
        for (task, sum) in sums.iter().filter(|(task, _)| stages.contains(&stage_of(task))) {
            let stage = stage_of(task);
            let model = sum.role.map_or(config.llm.model.as_str(), |role| model_of(config, role)).to_owned();
            let place = self.stages.iter().position(|known| known.stage == stage && known.model == model);
            let place = place.unwrap_or_else(|| {
                let empty = StageEstimate {
                    stage,
                    model: model.clone(),
                    calls: 0,
                    input_tokens: 0,
                    output_tokens: 0,
                    cost: 0.0,
                };
                self.stages.push(empty);
                self.stages.len() - 1
            });
            if let Some(known) = self.stages.get_mut(place) {
                known.calls += sum.calls;
                known.input_tokens += sum.input;
                known.output_tokens += sum.output;
                let price = config.llm.prices.get(&model).copied().unwrap_or_default();
                known.cost += (sum.input as f64 * price.input + sum.output as f64 * price.output) / 1e6;
            }
            if !config.llm.prices.contains_key(&model) && !self.without_price.contains(&model) {
                self.without_price.push(model);
            }
        }
        let order = |stage: &str| crate::domain::STAGES.iter().position(|known| *known == stage);
        self.stages.sort_by(|a, b| order(a.stage).cmp(&order(b.stage)).then_with(|| a.model.cmp(&b.model)));
        self.calls = self.stages.iter().map(|stage| stage.calls).sum();
        self.input_tokens = self.stages.iter().map(|stage| stage.input_tokens).sum();
        self.output_tokens = self.stages.iter().map(|stage| stage.output_tokens).sum();
        self.cost = self.stages.iter().map(|stage| stage.cost).sum();
    }
}

fn model_of(config: &Config, role: ModelRole) -> &str {
    let llm = &config.llm;
    let own = match role {
        ModelRole::Extract => &llm.extract,
        ModelRole::Summarise => &llm.summarise,
        ModelRole::Report => &llm.report,
        ModelRole::Answer => &llm.answer,
        ModelRole::Judge => &llm.judge,
        ModelRole::Ocr => &llm.ocr,
    };
    own.model.as_deref().unwrap_or(&llm.model)
}

/// Of the text that the nearest stored unit shares with a new one the part that others must share to say something of it.
const SHARED: f64 = 0.3;

/// Relationships that are taken to be read from one new sentence.
const PAIRS: usize = 3;
/// Stored reports of communities nearest in size of which the one of middle length stands for a new one: a single one may be
/// far longer or shorter than most.
const REPORTS_OF_SIZE: usize = 3;

/// In the place of the model: says of a text what is known of it.
struct Understudy {
    /// Who would be asked: fingerprints name it.
    model: Arc<dyn ChatModel>,
    lines: Vec<ReplyLine>,
    /// The texts that the lines were read from.
    texts: Vec<String>,
    /// Names and types of the whole graph.
    names: Vec<(String, String)>,
    /// Pairs of names that were judged to be one, as keys.
    one: BTreeSet<(String, String)>,
    /// Tokens of records for each token of those texts.
    density: f64,
    summary: f64,
    /// Stored reports, those of small communities first.
    reports: Vec<StoredReport>,
    asked: Mutex<BTreeMap<&'static str, TaskSum>>,
    /// Which of the texts were asked about once more, and what that would add for texts like them that were not, by text.
    gleaned: Vec<bool>,
    owed: Mutex<BTreeMap<String, TaskSum>>,
}

impl Understudy {
    async fn new(model: Arc<dyn ChatModel>, graph: &dyn GraphStore, units: Vec<StoredUnit>) -> Result<Self> {
        let history = graph.ledger().await?;
        let learnt = Learnt::of(&history);
        let summary =
            learnt.together(&["summarise_descriptions"], &model_named(&history, "summarise_descriptions"));
        let lines: Vec<ReplyLine> =
            units.iter().enumerate().flat_map(|(place, unit)| lines_of(place, unit)).collect();
        let texts = units.iter().map(|unit| unit.unit.text.clone()).collect();
        let read: u64 = units.iter().map(|unit| u64::from(unit.unit.token_count)).sum();
        let written: u64 = lines.iter().map(|line| count(&line.written)).sum();
        let generation = graph.state().await?.generation;
        let communities = graph.communities(generation).await?;
        let written_by_model = communities.iter().filter(|community| !community.report.composed);
        let mut reports: Vec<StoredReport> = written_by_model.map(stored_report).collect();
        reports.sort_by_key(|report| (report.members, report.tokens));
        Ok(Self {
            model,
            texts,
            names: all_names(graph).await?,
            one: judged_one(graph).await?,
            density: written as f64 / (read as f64).max(1.0),
            summary: summary.map_or(SUMMARY_OUTPUT, |mean| mean.output),
            reports,
            lines,
            asked: Mutex::default(),
            gleaned: Vec::new(),
            owed: Mutex::default(),
        })
    }

    /// Notes which texts were asked about once more, where new ones would be.
    fn gleaning(self, config: &Config) -> Self {
        let was_gleaned = |place: usize| self.lines.iter().any(|line| line.unit == place && line.gleaned);
        let gleaned = (0..self.texts.len()).map(was_gleaned).collect();
        if config.extraction.gleanings == 0 { self } else { Self { gleaned, ..self } }
    }

    /// What was asked, with what a text is asked about once more whose nearest stored one was.
    fn take(&self) -> BTreeMap<&'static str, TaskSum> {
        let mut asked = std::mem::take(&mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner));
        let owed = std::mem::take(&mut *self.owed.lock().unwrap_or_else(PoisonError::into_inner));
        for more in owed.into_values() {
            let sum = asked.entry("glean_continue").or_default();
            *sum = TaskSum {
                role: more.role,
                calls: sum.calls + more.calls,
                input: sum.input + more.input,
                output: sum.output + more.output,
            };
        }
        asked
    }

    /// Keeps the account of gleaning: of a text that was read, and of one that is asked about once more.
    fn note_gleaning(&self, request: &ChatRequest, (input, output): (u64, u64)) {
        let shown = request.messages.iter().find(|message| message.role == crate::llm::Speaker::User);
        let text = last_block(shown.map_or("", |message| message.content.as_str()));
        let mut owed = self.owed.lock().unwrap_or_else(PoisonError::into_inner);
        match request.task {
            "glean_continue" => {
                owed.remove(text);
            }
            "extract_graph" => {
                let texts = self.texts.iter().zip(&self.gleaned);
                let nearest = texts
                    .map(|(known, gleaned)| (shared(text, known), *gleaned))
                    .max_by_key(|(shared, _)| *shared);
                if nearest.is_some_and(|(shared, gleaned)| shared > 0 && gleaned) {
                    let more = TaskSum {
                        role: Some(request.role),
                        calls: 1,
                        input: input + output + FRAME_TOKENS,
                        output: count(&self.records(text, true)),
                    };
                    owed.insert(text.to_owned(), more);
                }
            }
            _ => {}
        }
    }

    /// The reply, and tokens that it would have besides.
    fn reply(&self, request: &ChatRequest) -> (String, u64) {
        let shown = request.messages.iter().find(|message| message.role == crate::llm::Speaker::User);
        let shown = shown.map_or("", |message| message.content.as_str());
        match request.task {
            "extract_graph" => {
                let text = last_block(shown);
                let fresh = self.told_by_fresh_text(text);
                let besides = self.of_fresh_text(text).saturating_sub(count(&fresh));
                (fresh + &self.records(text, false), besides)
            }
            "glean_continue" => (self.records(last_block(shown), true), 0),
            "glean_check" => ("N".to_owned(), 0),
            "same_entity" => (verdicts(shown, &self.one), 0),
            "summarise_descriptions" => {
                ("word ".repeat(usize::try_from(whole(self.summary)).unwrap_or(0)), 0)
            }
            "community_report" => (format!("{:#}", self.report(shown)), 0),
            "community_reports" => (self.all_reports(shown), 0),
            _ => (String::new(), 0),
        }
    }

    fn records(&self, text: &str, gleaned: bool) -> String {
        let mut lines: Vec<&str> = Vec::new();
        for line in self.said_of(text).filter(|line| line.gleaned == gleaned) {
            if !lines.contains(&line.written.as_str()) {
                lines.push(&line.written);
            }
        }
        lines.push("<|COMPLETE|>");
        lines.join("\n")
    }

    /// What the stored records say of what a text names, of each thing as the text unit has it that is nearest to the text.
    fn said_of(&self, text: &str) -> impl Iterator<Item = &ReplyLine> {
        let shared: Vec<usize> = self.texts.iter().map(|known| shared(text, known)).collect();
        let most = shared.iter().copied().max().unwrap_or(0) as f64;
        let near = |unit: usize| {
            let of_unit = shared.get(unit).copied().unwrap_or(0);
            (of_unit > 0 && of_unit as f64 >= SHARED * most).then_some(of_unit)
        };
        let stands = |line: &&ReplyLine| line.stands.iter().all(|name| text.contains(name.as_str()));
        let standing: Vec<&ReplyLine> = self.lines.iter().filter(stands).collect();
        let mut nearest: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for line in &standing {
            if let Some(of_unit) = near(line.unit) {
                let known = nearest.entry(&line.of).or_insert((of_unit, line.unit));
                *known = (*known).max((of_unit, line.unit));
            }
        }
        standing
            .into_iter()
            .filter(move |line| nearest.get(line.of.as_str()).is_some_and(|(_, unit)| *unit == line.unit))
    }

    /// Whether no text had a sentence before.
    fn is_fresh(&self, sentence: &str) -> bool {
        !self.texts.iter().any(|known| known.contains(sentence))
    }

    /// Tokens of the records of such sentences.
    fn of_fresh_text(&self, text: &str) -> u64 {
        let fresh = sentences_of(text).filter(|sentence| self.is_fresh(sentence));
        whole(fresh.map(count).sum::<u64>() as f64 * self.density)
    }

    /// The names that stand in a text, in their order, longer ones before their parts.
    fn named(&self, place: &str) -> Vec<&(String, String)> {
        let names = self.names.iter();
        let mut found: Vec<(usize, &(String, String))> =
            names.filter_map(|known| Some((find_name(place, &known.0)?.0, known))).collect();
        found.sort_by_key(|(at, (name, _))| (*at, std::cmp::Reverse(name.len())));
        let mut end = 0;
        found.retain(|(at, (name, _))| {
            let is_whole = *at >= end;
            end = if is_whole { at + name.len() } else { end };
            is_whole
        });
        found.into_iter().map(|(_, known)| known).collect()
    }

    /// What fresh sentences say: of who is named first, or goes on to be spoken of, a description, and a relationship with
    /// others that they name; of those a description where their text has none. So what rests on it is made anew.
    fn told_by_fresh_text(&self, text: &str) -> String {
        let mut described: BTreeSet<&str> =
            self.said_of(text).filter_map(|line| line.entity.as_deref()).collect();
        let (mut written, mut spoken_of): (String, Option<&(String, String)>) = (String::new(), None);
        let mut told: BTreeSet<&str> = BTreeSet::new();
        for sentence in sentences_of(text) {
            if !self.is_fresh(sentence) {
                spoken_of = None;
                continue;
            }
            let named = self.named(sentence);
            let begins = named.first().is_some_and(|(name, _)| sentence.starts_with(name.as_str()));
            if begins || spoken_of.is_none() {
                spoken_of = named.first().copied().or_else(|| self.named(text).first().copied());
            }
            let Some(one) = spoken_of else { continue };
            let description = one_line(sentence);
            let others: Vec<&(String, String)> = named.into_iter().filter(|other| other.0 != one.0).collect();
            for other in others.iter().take(PAIRS) {
                let fields = [&one.0, &other.0, &"related".to_owned(), &description, &"5".to_owned()];
                written.push_str(&format!("({})\n", with_kind("relationship", &fields).join("<|>")));
            }
            let of_one = told.insert(&one.0).then_some(one);
            described.insert(&one.0);
            let of_others = others.into_iter().filter(|(name, _)| described.insert(name));
            for (name, kind) in of_one.into_iter().chain(of_others) {
                let fields = with_kind("entity", &[name, kind, &description, &"NONE".to_owned()]);
                written.push_str(&format!("({})\n", fields.join("<|>")));
            }
        }
        written
    }

    /// Of the stored reports of communities that are about as large as the one that is shown the one of middle length.
    fn report(&self, shown: &str) -> Value {
        let rows = shown.lines().skip_while(|line| !line.starts_with("## Entities")).skip(1);
        let rows = rows.take_while(|line| !line.starts_with("## "));
        let members = rows.filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
        let mut nearest: Vec<&StoredReport> = self.reports.iter().collect();
        nearest.sort_by_key(|report| report.members.abs_diff(members));
        nearest.truncate(REPORTS_OF_SIZE);
        nearest.sort_by_key(|report| report.tokens);
        let middle = nearest.get(nearest.len().saturating_sub(1) / 2);
        middle.map_or_else(|| json!({"title": "x", "summary": "x"}), |report| report.written.clone())
    }

    fn all_reports(&self, shown: &str) -> String {
        let mut reports = Vec::new();
        for (number, part) in
            (1..).zip(shown.split("\n# Community ").skip(usize::from(!shown.starts_with("# Community "))))
        {
            let mut report = self.report(part);
            if let Some(fields) = report.as_object_mut() {
                fields.insert("community".to_owned(), json!(number));
            }
            reports.push(report);
        }
        format!("{:#}", json!({ "reports": reports }))
    }
}

#[async_trait]
impl ChatModel for Understudy {
    fn describe(&self, role: ModelRole) -> String {
        self.model.describe(role)
    }

    fn identity(&self, role: ModelRole) -> String {
        self.model.identity(role)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        // what was asked before as it stands is not paid for again
        if let Some(reply) = self.model.cached_reply(request).await {
            return Ok(reply);
        }
        let input = request.messages.iter().map(|message| count(&message.content) + FRAME_TOKENS).sum();
        let (text, besides) = self.reply(request);
        let output = count(&text) + besides;
        self.note_gleaning(request, (input, output));
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = asked.entry(request.task).or_default();
        *sum = TaskSum {
            role: Some(request.role),
            calls: sum.calls + 1,
            input: sum.input + input,
            output: sum.output + output,
        };
        let usage = Usage { input_tokens: input, output_tokens: output, cached_tokens: 0 };
        Ok(ChatReply { text, usage, ..ChatReply::default() })
    }
}

/// The model that most calls of a task went to.
fn model_named(history: &[crate::domain::LedgerRow], task: &str) -> String {
    let of_task = history.iter().filter(|row| row.task == task);
    of_task.max_by_key(|row| row.counters.calls).map(|row| row.model.clone()).unwrap_or_default()
}

/// The names of the whole graph, each with its most frequent type.
async fn all_names(graph: &dyn GraphStore) -> Result<Vec<(String, String)>> {
    let mut names: Vec<(String, String)> = Vec::new();
    let mut pages = pages::names(graph, PAGE);
    while let Some(page) = pages.next().await? {
        names.extend(page.into_iter().filter(|name| name.name.chars().count() > 1).map(|name| {
            let kind = name.kinds.into_iter().max_by_key(|(_, count)| *count);
            (name.name, kind.map(|(kind, _)| kind).unwrap_or_default())
        }));
    }
    Ok(names)
}

/// The pairs of names that a model took for one.
async fn judged_one(graph: &dyn GraphStore) -> Result<BTreeSet<(String, String)>> {
    let verdicts = graph.verdicts().await?.into_iter();
    Ok(verdicts.filter(|verdict| verdict.same).map(|verdict| (verdict.low, verdict.high)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{Message, Rehearsal};
    use crate::tokens::Tokens;

    fn understudy(gleaned: bool, config: &Config) -> Understudy {
        let line = |written: &str, gleaned| ReplyLine {
            written: written.to_owned(),
            stands: vec!["Ann".to_owned()],
            of: written.to_owned(),
            unit: 0,
            gleaned,
            entity: Some("Ann".to_owned()),
        };
        let understudy = Understudy {
            model: Rehearsal::new(&config.llm, Tokens::O200kBase, &[], "q"),
            lines: vec![line("(first)", false), line("(more)", gleaned)],
            texts: vec!["Ann came. Bob left.".to_owned()],
            names: ["Ann", "Bob", "Cora"].map(|name| (name.to_owned(), "person".to_owned())).to_vec(),
            one: BTreeSet::new(),
            density: 1.0,
            summary: 1.0,
            reports: Vec::new(),
            asked: Mutex::default(),
            gleaned: Vec::new(),
            owed: Mutex::default(),
        };
        understudy.gleaning(config)
    }

    fn chat_request(task: &'static str, text: &str) -> ChatRequest {
        let block = format!("Text:\n############ 1\n{text}\n############ 1\n");
        ChatRequest::new(ModelRole::Extract, task, vec![Message::user(block)])
    }

    #[tokio::test]
    async fn a_text_is_asked_about_once_more_where_the_nearest_stored_one_was() {
        let config = Config::default();
        let calls = async |understudy: Understudy, tasks: &[&'static str]| {
            for task in tasks {
                understudy.chat(&chat_request(task, "Ann came.")).await.unwrap();
            }
            let counted = understudy.take();
            counted
                .get("glean_continue")
                .map_or((0, false), |sum| (sum.calls, sum.input > 0 && sum.output > 0))
        };
        assert_eq!(calls(understudy(true, &config), &["extract_graph"]).await, (1, true));
        assert_eq!(calls(understudy(true, &config), &["extract_graph", "glean_continue"]).await, (1, true));
        assert_eq!(calls(understudy(false, &config), &["extract_graph"]).await, (0, false));
        let mut without = Config::default();
        without.extraction.gleanings = 0;
        assert_eq!(calls(understudy(true, &without), &["extract_graph"]).await, (0, false));
    }

    #[test]
    fn a_new_report_is_of_middle_length_among_those_of_its_size() {
        let mut understudy = understudy(false, &Config::default());
        let report = |members: usize, title: &str| {
            let written = json!({"title": title});
            StoredReport { members, tokens: count(&written.to_string()), written }
        };
        let long = "a title that goes on and on and on";
        understudy.reports =
            vec![report(2, "other"), report(7, long), report(8, "two words"), report(9, "x")];
        let shown = |members: usize| {
            let rows: Vec<String> = (1..=members).map(|row| format!("{row} | Ann | person | came")).collect();
            format!("## Entities\nnumber | name\n{}\n## Relationships\n", rows.join("\n"))
        };
        let title = |report: Value| report["title"].as_str().unwrap_or_default().to_owned();
        assert_eq!(title(understudy.report(&shown(7))), "two words");
        understudy.reports.truncate(1);
        assert_eq!(title(understudy.report(&shown(7))), "other");
    }

    #[test]
    fn a_new_text_says_one_thing_of_each_that_it_names() {
        let understudy = understudy(false, &Config::default());
        let told = understudy.told_by_fresh_text("Ann sings. Ann dances. Zoe rests.");
        assert_eq!(told, "(\"entity\"<|>Ann<|>person<|>Ann sings.<|>NONE)\n");
    }

    #[test]
    fn a_new_sentence_relates_those_that_it_names() {
        let understudy = understudy(false, &Config::default());
        let told = understudy.told_by_fresh_text("Ann met Bob.");
        assert!(told.starts_with("(\"relationship\"<|>Ann<|>Bob<|>related<|>Ann met Bob.<|>5)\n"), "{told}");
        assert_eq!(told.matches("entity").count(), 2);
    }

    #[test]
    fn what_goes_on_about_somebody_is_told_of_who_was_named_last() {
        let mut understudy = understudy(false, &Config::default());
        understudy.lines.push(ReplyLine {
            written: "(bob)".to_owned(),
            stands: vec!["Bob".to_owned()],
            of: "bob".to_owned(),
            unit: 0,
            gleaned: false,
            entity: Some("Bob".to_owned()),
        });
        // Cora is known from another document; what is said of Bob stands in the text already
        let told = understudy.told_by_fresh_text("Bob left. Cora stayed. The old singer thanked Bob.");
        let expected = "(\"entity\"<|>Cora<|>person<|>Cora stayed.<|>NONE)\n\
                        (\"relationship\"<|>Cora<|>Bob<|>related<|>The old singer thanked Bob.<|>5)\n";
        assert_eq!(told, expected);
        assert_eq!(understudy.named("Annabel and Bobby came"), Vec::<&(String, String)>::new());
    }

    #[test]
    fn a_verdict_of_before_is_given_again() {
        let one = BTreeSet::from([("ann".to_owned(), "anna holm".to_owned())]);
        let shown = "Pair 1\n  one: Anna Holm (person); also A. Holm | sings\n  other: Ann (person) | came\n\
                     Pair 2\n  one: Ann (person)\n  other: Bob (person) | left";
        let said: Value = serde_json::from_str(&verdicts(shown, &one)).unwrap();
        let same: Vec<_> = said["verdicts"].as_array().unwrap().iter().map(|one| &one["same"]).collect();
        assert_eq!(same, [true, false]);
    }
}
