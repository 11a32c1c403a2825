//! Who writes the reports: a model where there is one and the community is worth a call, else nobody.

use super::context::{ReportContext, SubCommunity};
use super::extractive::{self, Material, sentences_of};
use super::{ReportInput, ReportSettings, WrittenReport, write_report, write_reports};
use crate::config::{NamedChoice, ReportStyle, ReportsConfig};
use crate::domain::{Finding, Id, RecordKind, RecordRef, Relationship, Report, fingerprint};
use crate::index::graph::summaries;
use crate::language::{Language, language_of};
use crate::llm::reply::{find_citations, rewrite};
use crate::llm::{ChatModel, ModelError, ModelRole};
use crate::prompts::{PromptName, Prompts};
use crate::services::Services;
use anyhow::Result;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Version of the extractive report; another one makes all of them stale.
const EXTRACTIVE: &str = "extractive-1";
/// How the fingerprint of a report begins that the model should have written and did not: the next run asks again.
pub const UNWRITTEN: &str = "unwritten-";
/// Changes when reports are written otherwise from the same records and settings.
const FORMAT: &str = "2";
/// Tokens of records up to which a community shares a call with others.
const SMALL: u64 = 2000;
/// A lean report has two words for so many tokens of records, to the nearest step, so many at least, and not many more than
/// searches show of it by default. With a word for six and 75 at least a reader who played the model lost what questions
/// asked for.
const TOKENS_FOR_TWO_WORDS: u64 = 9;
const WORDS_STEP: usize = 25;
const LEAST_WORDS: usize = 100;
const MOST_WORDS: usize = 350;
/// Share of a community that one part must make up for the community to inherit its report.
const INHERITING: (usize, usize) = (2, 3);
/// Sentences that tell what joins a part with the others, in the finding that an inherited report has on it.
const JOINING_SENTENCES: usize = 6;
/// Tokens of records below which a report is not worth asking for.
const LEAST_TOKENS: usize = 200;

/// Writes reports.
#[derive(Clone)]
pub struct ReportWriter {
    config: ReportsConfig,
    model: Option<ReportModel>,
    refresh: bool,
    examine: bool,
    anew: bool,
}

#[derive(Clone)]
struct ReportModel {
    chat: Arc<dyn ChatModel>,
    prompts: Arc<Prompts>,
    language: String,
    settings: String,
    concurrency: usize,
}

/// A report that is settled, or that a model has yet to write.
#[derive(Clone, Debug)]
pub struct ReportDraft {
    /// What decides the report: equal fingerprints, equal reports.
    pub fingerprint: String,
    /// The report where no model is asked.
    pub report: Option<Report>,
    /// What a report of the same records may be kept under that was written with other settings: stale, but paid for.
    pub stale: Vec<String>,
}

/// What the fingerprints of reports begin with that are written with the current settings.
pub fn settings(services: &Services) -> String {
    let Some(chat) = &services.chat else { return format!("{EXTRACTIVE}-") };
    let lean = match services.config.reports.style {
        ReportStyle::Lean => services.prompts.fingerprint(PromptName::CommunityReports),
        ReportStyle::Paper => "",
    };
    let reports = &services.config.reports;
    let length = reports.max_length_words.to_string();
    let model = chat.identity(ModelRole::Report);
    let mut parts = vec![
        &model,
        services.prompts.fingerprint(PromptName::CommunityReport),
        lean,
        &length,
        &services.config.extraction.language,
    ];
    let written_for = format!("{}\n{}", reports.audience, reports.rating);
    if !(reports.audience.is_empty() && reports.rating.is_empty()) {
        parts.push(&written_for);
    }
    let parts = fingerprint(&parts);
    let settings: String = parts.chars().take(16).collect();
    format!("{settings}/")
}

/// Everything that decides reports besides the records of their communities, as a short text.
///
/// # Errors
/// None that the configuration can cause.
pub fn everything_but_records(services: &Services) -> Result<String> {
    let config = &services.config;
    Ok(fingerprint(&[
        FORMAT,
        env!("CARGO_PKG_VERSION"),
        &settings(services),
        &summaries::settings(services),
        &serde_json::to_string(&config.reports)?,
        config.text_units.encoding.name(),
    ]))
}

/// The part of a report's fingerprint that is of its records, where a model wrote it.
pub fn records_of(fingerprint: &str) -> Option<&str> {
    Some(fingerprint.split_once('/')?.1)
}

impl ReportWriter {
    /// The writer that the configuration asks for.
    pub fn new(services: &Services) -> Self {
        let config = services.config.reports.clone();
        let llm = &services.config.llm;
        let model = services.chat.as_ref().map(|chat| ReportModel {
            settings: settings(services),
            chat: Arc::clone(chat),
            prompts: Arc::clone(&services.prompts),
            language: services.config.extraction.language.clone(),
            concurrency: llm.report.concurrency.unwrap_or(llm.concurrency),
        });
        Self { config, model, refresh: false, examine: false, anew: false }
    }

    /// Composes every report, also where nothing says that it has changed.
    #[must_use]
    pub fn anew(self) -> Self {
        Self { anew: true, ..self }
    }

    /// Whether a report may be kept without a look at its records.
    pub fn trusts_marks(&self) -> bool {
        !(self.anew || self.examine || self.refresh)
    }

    /// Whether it is to find out, or to restore, what a sound graph would hold.
    pub fn mends(&self) -> bool {
        self.anew || self.examine
    }

    /// Asks no model: a report that would be written is left empty.
    #[must_use]
    pub fn examining(self) -> Self {
        Self { examine: true, ..self }
    }

    /// Writes anew what was written with other settings, too.
    #[must_use]
    pub fn refreshing(self, refresh: bool) -> Self {
        Self { refresh, ..self }
    }

    /// In which style reports are written; without a model there is nothing to spare.
    pub fn style(&self) -> ReportStyle {
        if self.model.is_some() { self.config.style } else { ReportStyle::Paper }
    }

    /// Whether a community with so many tokens of records shares a call with others.
    pub fn joins(&self, tokens: u64) -> bool {
        self.style() == ReportStyle::Lean && !self.examine && tokens <= SMALL
    }

    /// Has the reports of several small communities written in one call: `None` for each that must be asked for alone.
    ///
    /// # Errors
    /// A model that refuses, or a budget that is used up.
    pub async fn write_together(&self, contexts: &[&ReportContext]) -> Result<Vec<Option<Report>>> {
        let none = vec![None; contexts.len()];
        let Some(model) = &self.model else { return Ok(none) };
        let inputs: Vec<ReportInput<'_>> = contexts.iter().map(|context| self.input(context)).collect();
        let settings = self.settings(model);
        match write_reports(model.chat.as_ref(), &model.prompts, &inputs, settings).await {
            Ok(written) => Ok(written
                .into_iter()
                .zip(contexts)
                .map(|(report, context)| Some(resolved(report?, context)))
                .collect()),
            Err(error @ (ModelError::Refused { .. } | ModelError::Budget(_))) => Err(error.into()),
            Err(_) => Ok(none),
        }
    }

    fn settings<'a>(&'a self, model: &'a ReportModel) -> ReportSettings<'a> {
        ReportSettings {
            style: self.style(),
            language: &model.language,
            audience: &self.config.audience,
            rating: &self.config.rating,
        }
    }

    fn input<'a>(&self, context: &'a ReportContext) -> ReportInput<'a> {
        ReportInput {
            text: &context.text,
            max_words: self.words(context.tokens),
            parts: context.shown.contains_key(&RecordKind::Reports),
        }
    }

    /// Words of a report of so many tokens of records.
    fn words(&self, tokens: u64) -> usize {
        let most = self.config.max_length_words;
        if self.style() == ReportStyle::Paper {
            return most;
        }
        let wanted = usize::try_from(tokens.saturating_mul(2) / TOKENS_FOR_TWO_WORDS).unwrap_or(usize::MAX);
        (wanted.saturating_add(WORDS_STEP / 2) / WORDS_STEP * WORDS_STEP)
            .clamp(LEAST_WORDS, most.clamp(LEAST_WORDS, MOST_WORDS))
    }

    /// The report of a community that one part makes up most of: that part's, what the others are about, and what joins
    /// them with it.
    fn inherited(&self, material: &Material<'_>, children: &[SubCommunity]) -> Option<(Report, String)> {
        let model = self.model.as_ref().filter(|_| self.style() == ReportStyle::Lean)?;
        let large = children.iter().max_by_key(|child| (child.members.len(), Reverse(&child.id)))?;
        let most = material.size * INHERITING.0 <= large.members.len() * INHERITING.1;
        if !most || children.len() < 2 || large.composed {
            return None;
        }
        let mut others: Vec<&SubCommunity> = children.iter().filter(|child| child.id != large.id).collect();
        others.sort_by(|a, b| b.record_tokens.cmp(&a.record_tokens).then_with(|| a.id.cmp(&b.id)));
        let mut report = large.written.clone();
        let mut joining = Joining::between(material, children);
        let mut joined = String::new();
        for other in &others {
            let written = &other.written;
            let cited: BTreeSet<RecordRef> =
                written.findings.iter().flat_map(|finding| finding.citations.iter().cloned()).collect();
            let members =
                other.members.iter().map(|id| RecordRef { kind: RecordKind::Entities, id: id.clone() });
            let mut citations =
                if cited.is_empty() { members.collect() } else { cited.into_iter().collect::<Vec<_>>() };
            let (told, relationships) = joining.of(other, &written.summary);
            joined.push_str(&told);
            citations.extend(relationships);
            report.findings.push(Finding {
                summary: written.title.clone(),
                explanation: format!("{}{told}", written.summary),
                citations,
            });
        }
        let parts: Vec<&str> = std::iter::once("inherited")
            .chain(std::iter::once(large.report.as_str()))
            .chain(others.iter().map(|other| other.report.as_str()))
            .chain(Some(joined.as_str()).filter(|joined| !joined.is_empty()))
            .collect();
        Some((report, format!("{}{}", model.settings, fingerprint(&parts))))
    }

    /// Reports in the making at once.
    pub fn concurrency(&self) -> usize {
        self.model.as_ref().map_or(16, |model| model.concurrency.max(1))
    }

    /// The report's fingerprint, and the report itself where it costs nothing.
    pub fn draft(&self, material: &Material<'_>, children: &[SubCommunity]) -> ReportDraft {
        let composed = material.size < self.config.min_size;
        let records = &material.context.fingerprint;
        let keeps_stale = !composed && !self.refresh;
        let inherited = self.inherited(material, children).filter(|_| !composed);
        match &self.model {
            Some(model) if !composed => ReportDraft {
                fingerprint: inherited
                    .as_ref()
                    .map_or_else(|| format!("{}{records}", model.settings), |(_, mark)| mark.clone()),
                report: inherited.map(|(report, _)| report),
                stale: if keeps_stale {
                    let earlier = material.context.earlier_fingerprint.clone();
                    let extractive = extractive_fingerprint(&extractive::write(material, false));
                    let paper = material.context.paper.iter().cloned();
                    [Some(records.clone()), earlier, Some(extractive)]
                        .into_iter()
                        .flatten()
                        .chain(paper)
                        .collect()
                } else {
                    Vec::new()
                },
            },
            _ => {
                let report = extractive::write(material, composed);
                ReportDraft {
                    fingerprint: extractive_fingerprint(&report),
                    report: Some(report),
                    stale: if keeps_stale { vec![records.clone()] } else { Vec::new() },
                }
            }
        }
    }

    /// Has the report written; where the model cannot take that much, of what `pack` shows in half the tokens. Where
    /// the model gives none that can be used, the extractive one stands in, under a fingerprint of its own, so that
    /// the next run asks again; `Some` reason then.
    ///
    /// # Errors
    /// A model that refuses, or a budget that is used up.
    pub async fn write(
        &self,
        material: &Material<'_>,
        fingerprint: &str,
        pack: &(dyn Fn(usize) -> ReportContext + Sync),
    ) -> Result<(Report, String, Option<String>)> {
        let Some(model) = &self.model else {
            return Ok((extractive::write(material, false), fingerprint.to_owned(), None));
        };
        if self.examine {
            return Ok((Report::default(), fingerprint.to_owned(), None));
        }
        let settings = self.settings(model);
        let mut budget = usize::try_from(material.context.tokens).unwrap_or(usize::MAX);
        let mut smaller: Option<ReportContext> = None;
        loop {
            let context = smaller.as_ref().unwrap_or(material.context);
            let input = self.input(context);
            match write_report(model.chat.as_ref(), &model.prompts, input, settings).await {
                Ok(written) => return Ok((resolved(written, context), fingerprint.to_owned(), None)),
                Err(error @ (ModelError::Refused { .. } | ModelError::Budget(_))) => return Err(error.into()),
                Err(ModelError::TooLong { .. }) if budget / 2 >= LEAST_TOKENS => {
                    budget /= 2;
                    smaller = Some(pack(budget));
                }
                Err(error) => {
                    let report = extractive::write(material, false);
                    let own = format!("{UNWRITTEN}{}", extractive_fingerprint(&report));
                    return Ok((report, own, Some(error.to_string())));
                }
            }
        }
    }
}

/// The relationships that join the parts of a community, each to be told once.
struct Joining<'a> {
    left: Vec<&'a Relationship>,
}

impl<'a> Joining<'a> {
    fn between(material: &Material<'a>, children: &[SubCommunity]) -> Self {
        let part = |id: &Id| children.iter().position(|child| child.members.binary_search(id).is_ok());
        let context = material.context;
        let shown = context.shown.get(&RecordKind::Relationships).into_iter().flatten();
        let inside = shown.filter(|id| !context.leaving.contains(*id));
        let all = inside.filter_map(|id| material.relationships.get(id));
        Self { left: all.filter(|one| part(&one.source) != part(&one.target)).collect() }
    }

    /// What joins a part with others that is not told yet, to stand behind its summary, and the relationships of it.
    fn of(&mut self, part: &SubCommunity, summary: &str) -> (String, Vec<RecordRef>) {
        let holds = |id: &Id| part.members.binary_search(id).is_ok();
        let (own, left): (Vec<&Relationship>, Vec<&Relationship>) = std::mem::take(&mut self.left)
            .into_iter()
            .partition(|one| holds(&one.source) || holds(&one.target));
        self.left = left;
        let language = language_of(&format!("{summary}{}", part.written.title));
        let sentences = sentences_of(&own, JOINING_SENTENCES, language);
        let cited = own.into_iter().take(JOINING_SENTENCES);
        let cited = cited.map(|one| RecordRef { kind: RecordKind::Relationships, id: one.id.clone() });
        let is_apart = !sentences.is_empty() && !summary.is_empty() && language != Language::Chinese;
        (format!("{}{sentences}", if is_apart { " " } else { "" }), cited.collect())
    }
}

/// A written report with its numbers resolved to records; those that were not shown are dropped.
fn resolved(written: WrittenReport, context: &ReportContext) -> Report {
    let findings = written
        .findings
        .into_iter()
        .map(|finding| {
            let text = format!("{}\n{}", finding.summary, finding.explanation);
            let cited: BTreeSet<RecordRef> = find_citations(&text)
                .into_iter()
                .flat_map(|group| group.numbers.into_iter().map(move |number| (group.kind, number)))
                .flat_map(|(kind, number)| context.records(kind, number as usize))
                .collect();
            Finding {
                summary: without_numbers(&finding.summary),
                explanation: without_numbers(&finding.explanation),
                citations: cited.into_iter().collect(),
            }
        })
        .collect();
    Report {
        title: without_numbers(&written.title),
        summary: without_numbers(&written.summary),
        findings,
        rank: written.rating.clamp(0.0, 10.0),
        rank_explanation: written.rating_explanation,
        composed: false,
    }
}

/// Numbers are local to the prompt, so they mean nothing in the stored text.
fn without_numbers(text: &str) -> String {
    rewrite(text, |_, _| None).trim().to_owned()
}

fn extractive_fingerprint(report: &Report) -> String {
    let mut parts = vec![
        EXTRACTIVE.to_owned(),
        report.full_content(),
        report.rank.to_string(),
        report.rank_explanation.clone(),
    ];
    parts.extend(report.findings.iter().flat_map(|f| f.citations.iter()).map(|c| c.id.to_string()));
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    format!("{EXTRACTIVE}-{}", fingerprint(&parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;
    use crate::llm::scripted::{Scripted, reply};
    use std::collections::BTreeMap;

    fn context(text: &str, tokens: u64, entity: &Id) -> ReportContext {
        let shown = BTreeMap::from([(RecordKind::Entities, vec![entity.clone()])]);
        ReportContext { text: text.to_owned(), tokens, shown, ..ReportContext::default() }
    }

    fn writer(style: ReportStyle, chat: Scripted) -> ReportWriter {
        let model = ReportModel {
            chat: Arc::new(chat),
            prompts: Arc::new(Prompts::load(None).unwrap()),
            language: String::new(),
            settings: String::new(),
            concurrency: 1,
        };
        ReportWriter {
            config: ReportsConfig { style, ..ReportsConfig::default() },
            model: Some(model),
            refresh: false,
            examine: false,
            anew: false,
        }
    }

    /// One whose model is not asked.
    fn unasked(style: ReportStyle) -> ReportWriter {
        writer(style, Scripted::new(|_| Ok(reply(""))))
    }

    /// Writes a report of 1,000 tokens of records with a model that takes texts of `fits` only.
    async fn write(fits: &'static str) -> (Report, String, Option<String>) {
        let chat = Scripted::new(move |request| {
            if !request.messages.iter().any(|message| message.content.contains(fits)) {
                return Err(ModelError::TooLong { model: "m".into(), reason: "long".into() });
            }
            Ok(reply(
                r#"{"title": "T", "summary": "S", "rating": 3, "findings":
                    [{"summary": "F", "explanation": "E [Data: Entities (1)]"}]}"#,
            ))
        });
        let writer = writer(ReportStyle::Lean, chat);
        let ids = Ids::new("w");
        let all = context("records 1000", 1000, &ids.entity("all"));
        let material = Material {
            context: &all,
            entities: &BTreeMap::new(),
            relationships: &BTreeMap::new(),
            leading: &[],
            size: 9,
            weight: 1,
        };
        let pack = |budget: usize| {
            context(&format!("records {budget}"), budget as u64, &ids.entity(&budget.to_string()))
        };
        writer.write(&material, "mark", &pack).await.unwrap()
    }

    #[tokio::test]
    async fn records_that_are_too_long_are_halved_and_citations_lead_to_what_was_shown() {
        let (report, mark, problem) = write("records 250").await;
        assert_eq!((mark.as_str(), problem), ("mark", None));
        let cited = RecordRef { kind: RecordKind::Entities, id: Ids::new("w").entity("250") };
        assert_eq!(report.findings[0].citations, [cited]);
        let (_, mark, problem) = write("records 125").await;
        assert!(mark.starts_with("unwritten-") && problem.is_some(), "{mark} {problem:?}");
    }

    /// A part of a community with so many members, and what its report is called.
    fn members_of(title: &str, members: usize) -> Vec<Id> {
        let ids = Ids::new("w");
        let mut all: Vec<Id> = (0..members).map(|number| ids.entity(&format!("{title} {number}"))).collect();
        all.sort();
        all
    }

    fn part(title: &str, members: usize) -> SubCommunity {
        let ids = Ids::new("w");
        SubCommunity {
            id: ids.other("c", &[title]),
            members: members_of(title, members),
            written: Report {
                title: title.to_owned(),
                summary: format!("About {title}."),
                ..Report::default()
            },
            report: title.to_owned(),
            composed: false,
            record_tokens: members as u64,
        }
    }

    #[test]
    fn a_community_that_one_part_makes_up_inherits_its_report_and_tells_of_the_others() {
        let check = |style, sizes: &[usize], size: usize| {
            let parts: Vec<SubCommunity> = sizes
                .iter()
                .zip(["large", "small", "third"])
                .map(|(size, title)| part(title, *size))
                .collect();
            let material = Material {
                context: &context("records", 1000, &Ids::new("w").entity("all")),
                entities: &BTreeMap::new(),
                relationships: &BTreeMap::new(),
                leading: &[],
                size,
                weight: 1,
            };
            unasked(style).draft(&material, &parts).report.map(|report| {
                let told: Vec<String> = report.findings.into_iter().map(|finding| finding.summary).collect();
                (report.title, told)
            })
        };
        let inherited = Some(("large".to_owned(), vec!["small".to_owned()]));
        assert_eq!(check(ReportStyle::Lean, &[9, 3], 12), inherited);
        assert_eq!(check(ReportStyle::Lean, &[8, 4], 12), inherited, "two thirds");
        assert_eq!(check(ReportStyle::Lean, &[7, 5], 12), None, "less is not most of it");
        assert_eq!(check(ReportStyle::Lean, &[9, 9, 2], 20), None, "none of them is the large one");
        assert_eq!(check(ReportStyle::Paper, &[9, 3], 12), None, "as the paper has it each is written");
    }

    #[test]
    fn an_inherited_report_tells_what_joins_the_other_parts_with_the_large_one() {
        let parts = [part("large", 10), part("small", 3), part("third", 2)];
        let ids = Ids::new("w");
        let joins = |one: (usize, usize), other: (usize, usize), description: &str| {
            let end = |(of, number): (usize, usize)| parts[of].members[number].clone();
            let (source, target) = (end(one), end(other));
            let id = ids.relationship(&source, &target);
            let description = description.to_owned();
            Relationship { id, source, target, description, ..Relationship::default() }
        };
        let all = [
            joins((0, 0), (1, 0), "The captain sold the ferry."),
            joins((0, 1), (0, 2), "Told inside the large one."),
            joins((1, 1), (2, 0), "The mayor hired the singer."),
            joins((2, 1), (0, 5), "Out of what is shown."),
        ];
        let shown = all.iter().map(|one| one.id.clone()).collect();
        let context = ReportContext {
            shown: BTreeMap::from([(RecordKind::Relationships, shown)]),
            leaving: BTreeSet::from([all[3].id.clone()]),
            ..ReportContext::default()
        };
        let material = Material {
            context: &context,
            entities: &BTreeMap::new(),
            relationships: &all.iter().map(|one| (one.id.clone(), one.clone())).collect(),
            leading: &[],
            size: 15,
            weight: 1,
        };
        let draft = unasked(ReportStyle::Lean).draft(&material, &parts);
        let report = draft.report.unwrap();
        let told: Vec<&str> = report.findings.iter().map(|finding| finding.explanation.as_str()).collect();
        let small = "About small. The captain sold the ferry. The mayor hired the singer.";
        assert_eq!(told, [small, "About third."], "each is told once");
        let cited = RecordRef { kind: RecordKind::Relationships, id: all[0].id.clone() };
        assert!(report.findings[0].citations.contains(&cited));
        // the mark follows what is told
        let other = ReportContext { shown: BTreeMap::new(), ..context.clone() };
        let without = unasked(ReportStyle::Lean).draft(&Material { context: &other, ..material }, &parts);
        assert_ne!(without.fingerprint, draft.fingerprint);
    }

    #[test]
    fn a_report_is_as_long_as_its_records_ask_for() {
        let lean = unasked(ReportStyle::Lean);
        let most = lean.config.max_length_words;
        for (tokens, words) in [(0, 100), (600, 125), (1300, 300), (3000, 350), (u64::MAX, 350)] {
            assert_eq!(lean.words(tokens), words, "{tokens} tokens");
        }
        let mut short = lean.clone();
        short.config.max_length_words = 100;
        assert_eq!(short.words(3000), 100);
        assert_eq!(unasked(ReportStyle::Paper).words(600), most);
    }
}
