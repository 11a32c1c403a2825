//! A change or a deletion rehearsed on a copy of the workspace: what stays of the stored records stands in for what a
//! model would read in the new text, reports are as long as the stored ones, and every other step is the run's own. So
//! calls and prompts of a change are counted, where those of new documents are estimated.

use super::learnt::Learnt;
use super::{Estimate, FRAME_TOKENS, StageEstimate, count, whole};
use crate::config::Config;
use crate::domain::{Community, Edit, Id, Record, RecordKind, RecordRef, StoredUnit, name_key, stage_of};
use crate::index::extraction::Extractor;
use crate::index::run::sync::{self, SyncRequest};
use crate::index::run::{self, BuildSettings, IndexRequest};
use crate::language::{one_line, sentences};
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

/// A record as a model writes it, with what must stand in a text that it is read from.
struct ReplyLine {
    written: String,
    stands: Vec<String>,
    /// What it is of: an entity, a pair, a claim. Of several text units the nearest says it.
    of: String,
    unit: usize,
    gleaned: bool,
    /// Name and type, of an entity.
    entity: Option<(String, String)>,
}

/// In the place of the model: says of a text what is known of it.
struct Understudy {
    /// Who would be asked: fingerprints name it.
    model: Arc<dyn ChatModel>,
    lines: Vec<ReplyLine>,
    /// The texts that the lines were read from.
    texts: Vec<String>,
    /// Tokens of records for each token of those texts.
    density: f64,
    summary: f64,
    /// Stored reports as their models wrote them, by the members of their communities.
    reports: BTreeMap<usize, Value>,
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
        Ok(Self {
            model,
            texts,
            density: written as f64 / (read as f64).max(1.0),
            summary: summary.map_or(SUMMARY_OUTPUT, |mean| mean.output),
            reports: communities
                .iter()
                .filter(|community| !community.report.composed)
                .map(|community| (community.members.len(), written_report(community)))
                .collect(),
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
            "same_entity" => (verdicts(shown), 0),
            "summarise_descriptions" => {
                ("word ".repeat(usize::try_from(whole(self.summary)).unwrap_or(0)), 0)
            }
            "community_report" => (format!("{:#}", self.report(shown)), 0),
            "community_reports" => (self.all_reports(shown), 0),
            _ => (String::new(), 0),
        }
    }

    fn records(&self, text: &str, gleaned: bool) -> String {
        let shared: Vec<usize> = self.texts.iter().map(|known| shared(text, known)).collect();
        let most = shared.iter().copied().max().unwrap_or(0) as f64;
        let near = |unit: usize| {
            let of_unit = shared.get(unit).copied().unwrap_or(0);
            (of_unit > 0 && of_unit as f64 >= SHARED * most).then_some(of_unit)
        };
        // of each thing the text unit that says it nearest to the new text
        let mut nearest: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let stands = |line: &&ReplyLine| line.stands.iter().all(|name| text.contains(name.as_str()));
        for line in self.lines.iter().filter(stands) {
            if let Some(of_unit) = near(line.unit) {
                let known = nearest.entry(&line.of).or_insert((of_unit, line.unit));
                *known = (*known).max((of_unit, line.unit));
            }
        }
        let mut lines: Vec<&str> = Vec::new();
        for line in self.lines.iter().filter(stands) {
            let said_here = nearest.get(line.of.as_str()).is_some_and(|(_, unit)| *unit == line.unit);
            if line.gleaned == gleaned && said_here && !lines.contains(&line.written.as_str()) {
                lines.push(&line.written);
            }
        }
        lines.push("<|COMPLETE|>");
        lines.join("\n")
    }

    /// The sentences that no text had before.
    fn fresh_sentences<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let all = sentences(text).into_iter().filter_map(|range| text.get(range)).map(str::trim);
        all.filter(|sentence| !self.texts.iter().any(|known| known.contains(*sentence))).collect()
    }

    /// Tokens of the records of those.
    fn of_fresh_text(&self, text: &str) -> u64 {
        let tokens: u64 = self.fresh_sentences(text).into_iter().map(count).sum();
        whole(tokens as f64 * self.density)
    }

    /// What those say of the entities that they name, once of each, of the first that the text names where they name none: a description
    /// more, and of several a relationship between the first and the others, so that what rests on it is made anew.
    fn told_by_fresh_text(&self, text: &str) -> String {
        let named = |place: &str| -> Vec<&(String, String)> {
            let entities = self.lines.iter().filter_map(|line| line.entity.as_ref());
            let mut named: Vec<_> = entities.filter(|(name, _)| place.contains(name.as_str())).collect();
            named.sort();
            named.dedup_by(|one, other| one.0 == other.0);
            named
        };
        let mut written = String::new();
        let mut known: BTreeSet<&str> = BTreeSet::new();
        for sentence in self.fresh_sentences(text) {
            let mut told = named(sentence);
            if told.is_empty() {
                told = named(text).into_iter().take(1).collect();
            }
            if let Some((one, others)) = told.split_first() {
                for (other, _) in others.iter().take(PAIRS) {
                    let fields = [&one.0, other, &"related".to_owned(), &one_line(sentence), &"5".to_owned()];
                    let fields = with_kind("relationship", &fields);
                    written.push_str(&format!("({})\n", fields.join("<|>")));
                }
            }
            told.retain(|(name, _)| known.insert(name));
            for (name, kind) in told {
                let description = one_line(sentence);
                let fields = with_kind("entity", &[name, kind, &description, &"NONE".to_owned()]);
                written.push_str(&format!("({})\n", fields.join("<|>")));
            }
        }
        written
    }

    /// The stored report of a community that is about as large as the one that is shown.
    fn report(&self, shown: &str) -> Value {
        let rows = shown.lines().skip_while(|line| !line.starts_with("## Entities")).skip(1);
        let rows = rows.take_while(|line| !line.starts_with("## "));
        let members = rows.filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
        let nearest = self.reports.iter().min_by_key(|(known, _)| known.abs_diff(members));
        nearest.map_or_else(|| json!({"title": "x", "summary": "x"}), |(_, report)| report.clone())
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
        if let Some(reply) = self.model.kept(request).await {
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

/// Characters of the sentences of a text that stand in another one.
fn shared(text: &str, other: &str) -> usize {
    let parts = sentences(text).into_iter().filter_map(|range| text.get(range));
    parts.map(str::trim).filter(|one| !one.is_empty() && other.contains(*one)).map(str::len).sum()
}

/// The records of a text unit as a model writes them.
fn lines_of(place_of_unit: usize, unit: &StoredUnit) -> Vec<ReplyLine> {
    let records = &unit.state.records;
    let first = records.len().saturating_sub(unit.state.records_gleaned as usize);
    let line = |(place, record): (usize, &Record)| {
        let (fields, stands): (Vec<String>, Vec<&String>) = match record {
            Record::Entity(entity) => {
                let others =
                    if entity.aliases.is_empty() { "NONE".to_owned() } else { entity.aliases.join("; ") };
                let fields = [&entity.name, &entity.kind, &entity.description, &others];
                (with_kind("entity", &fields), vec![&entity.name])
            }
            Record::Relationship(relation) => {
                let strength = relation.strength.to_string();
                let fields =
                    [&relation.source, &relation.target, &relation.kind, &relation.description, &strength];
                (with_kind("relationship", &fields), vec![&relation.source, &relation.target])
            }
            Record::Claim(claim) => {
                let none = "NONE".to_owned();
                let status = claim.status.as_str().to_owned();
                let or_none = |text: &'_ String| if text.is_empty() { none.clone() } else { text.clone() };
                let (object, start, end, holder) = (
                    claim.object.clone().unwrap_or_else(|| none.clone()),
                    or_none(&claim.start_date),
                    or_none(&claim.end_date),
                    or_none(&claim.holder),
                );
                let fields = [
                    &claim.subject,
                    &object,
                    &claim.kind,
                    &status,
                    &start,
                    &end,
                    &claim.description,
                    &claim.source_text,
                    &holder,
                ];
                (with_kind("claim", &fields), vec![&claim.source_text])
            }
        };
        let of = match record {
            Record::Entity(entity) => name_key(&entity.name),
            Record::Relationship(relation) => {
                let (one, other) = (name_key(&relation.source), name_key(&relation.target));
                if one < other { format!("{one}\n{other}") } else { format!("{other}\n{one}") }
            }
            Record::Claim(claim) => format!("\n{}", claim.description),
        };
        // a name that the text does not spell so is judged by the record's own place
        let stands = stands.into_iter().filter(|name| unit.unit.text.contains(name.as_str()));
        let entity = match record {
            Record::Entity(entity) => Some((entity.name.clone(), entity.kind.clone())),
            _ => None,
        };
        ReplyLine {
            entity,
            written: format!("({})", fields.join("<|>")),
            stands: stands.cloned().collect(),
            of,
            unit: place_of_unit,
            gleaned: place >= first,
        }
    };
    let mut lines: Vec<ReplyLine> = records.iter().enumerate().map(line).collect();
    for line in lines.iter_mut().filter(|line| line.stands.is_empty()) {
        // nothing of it stands there letter for letter: it goes with its text
        line.stands.push(unit.unit.text.clone());
    }
    lines
}

fn with_kind(kind: &str, fields: &[&String]) -> Vec<String> {
    let fields = fields.iter().map(|field| (*field).clone());
    std::iter::once(format!("\"{kind}\"")).chain(fields).collect()
}

/// What stands between the last two lines of number signs: the text that a prompt is about.
fn last_block(shown: &str) -> &str {
    let Some((before, _)) = shown.rsplit_once("\n####") else { return shown };
    let begin =
        before.rfind("############").and_then(|at| before.get(at..)?.find('\n').map(|end| at + end + 1));
    begin.and_then(|begin| before.get(begin..)).unwrap_or(before)
}

/// Every pair is two.
fn verdicts(shown: &str) -> String {
    let pairs = shown.lines().filter_map(|line| line.strip_prefix("Pair "));
    let numbers = pairs.filter_map(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().ok()
    });
    let all: Vec<Value> = numbers
        .map(|pair| json!({"pair": pair, "same": false, "reason": "they differ in what is said of them"}))
        .collect();
    json!({ "verdicts": all }).to_string()
}

/// Citations as long as those that were written: stored ones have ids in the place of numbers.
fn cited(records: &[RecordRef]) -> String {
    let mut kinds: BTreeMap<RecordKind, Vec<String>> = BTreeMap::new();
    for record in records {
        let numbers = kinds.entry(record.kind).or_default();
        numbers.push((10 + numbers.len()).to_string());
    }
    let groups: Vec<String> =
        kinds.into_iter().map(|(kind, numbers)| format!("{kind:?} ({})", numbers.join(", "))).collect();
    if groups.is_empty() { String::new() } else { format!(" [Data: {}]", groups.join("; ")) }
}

fn written_report(community: &Community) -> Value {
    let report = &community.report;
    let findings: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            let explanation = format!("{}{}", finding.explanation, cited(&finding.citations));
            json!({"summary": finding.summary, "explanation": explanation})
        })
        .collect();
    json!({
        "title": report.title, "summary": report.summary, "rating": report.rank,
        "rating_explanation": report.rank_explanation, "findings": findings,
    })
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
            entity: Some(("Ann".to_owned(), "person".to_owned())),
        };
        let understudy = Understudy {
            model: Rehearsal::new(&config.llm, Tokens::O200kBase, &[], "q"),
            lines: vec![line("(first)", false), line("(more)", gleaned)],
            texts: vec!["Ann came. Bob left.".to_owned()],
            density: 1.0,
            summary: 1.0,
            reports: BTreeMap::new(),
            asked: Mutex::default(),
            gleaned: Vec::new(),
            owed: Mutex::default(),
        };
        understudy.gleaning(config)
    }

    fn asked(task: &'static str, text: &str) -> ChatRequest {
        let block = format!("Text:\n############ 1\n{text}\n############ 1\n");
        ChatRequest::new(ModelRole::Extract, task, vec![Message::user(block)])
    }

    #[tokio::test]
    async fn a_text_is_asked_about_once_more_where_the_nearest_stored_one_was() {
        let config = Config::default();
        let calls = async |understudy: Understudy, tasks: &[&'static str]| {
            for task in tasks {
                understudy.chat(&asked(task, "Ann came.")).await.unwrap();
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
    fn a_new_text_says_one_thing_of_each_that_it_names() {
        let understudy = understudy(false, &Config::default());
        let told = understudy.told_by_fresh_text("Ann sings. Ann dances. Zoe rests.");
        assert_eq!(told, "(\"entity\"<|>Ann<|>person<|>Ann sings.<|>NONE)\n");
    }

    #[test]
    fn a_new_sentence_relates_those_that_it_names() {
        let mut understudy = understudy(false, &Config::default());
        understudy.lines.push(ReplyLine {
            written: "(other)".to_owned(),
            stands: vec!["Bob".to_owned()],
            of: "(other)".to_owned(),
            unit: 0,
            gleaned: false,
            entity: Some(("Bob".to_owned(), "person".to_owned())),
        });
        let told = understudy.told_by_fresh_text("Ann met Bob.");
        assert!(told.starts_with("(\"relationship\"<|>Ann<|>Bob<|>related<|>Ann met Bob.<|>5)\n"), "{told}");
        assert_eq!(told.matches("entity").count(), 2);
    }
}
