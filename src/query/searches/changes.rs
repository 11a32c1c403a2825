//! What is new, and what has changed: questions about one time against another, answered from the records of trends.

use crate::domain::{Id, Period, RecordKind, StoredUnit};
use crate::language::Language;
use crate::prompts::AnswerFrom;
use crate::query::answer::synthesis::{RankedPassages, synthesize_from_passages};
use crate::query::answer::{Answer, provenance};
use crate::query::question::{Question, names};
use crate::query::request::{Method, QueryRequest};
use crate::query::retrieval::context::{Context, Part};
use crate::query::retrieval::sources::unit_candidate;
use crate::query::search::Search;
use crate::services::Services;
use crate::trends::{self, Compared, TimeReport, TrendRequest};
use anyhow::Result;
use std::collections::BTreeMap;
use std::time::Instant;

/// Entries of each list of the report.
const TOP: usize = 5;
/// Forms that ask what is new or other.
const FORMS: [&str; 14] = [
    "what is new",
    "what's new",
    "what’s new",
    "what changed",
    "what has changed",
    "what have changed",
    "what is different",
    "what's different",
    "what differs",
    "有什么变化",
    "有哪些变化",
    "有何变化",
    "有什么新",
    "有哪些新",
];
/// Words before a time that begins with it.
const SINCE: [&str; 6] = ["since", "after", "from then", "以来", "之后", "自"];

/// The answer to a question what is new or other in a time; nothing where a question is another one, or the graph knows
/// no dates for it.
///
/// # Errors
/// What the stores and the model say.
pub(in crate::query) async fn answered(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Option<Answer>> {
    let flat = request.question.to_lowercase();
    if !FORMS.iter().any(|form| flat.contains(form)) {
        return Ok(None);
    }
    let search = &Search::open(services, request).await?;
    let named = names::named(search.reader.as_ref(), &services.ids, &request.question).await?;
    let question = Question::read(&request.question, &named, search.calendar());
    let Some(wanted) = wanted(&question, named.first().map(|entity| entity.name.clone())) else {
        return Ok(None);
    };
    let begun = Instant::now();
    // a graph without dates, or a time without documents, is for the other searches
    let Ok(found) = trends::trends(services, &wanted, &request.progress()).await else { return Ok(None) };
    let Some(report) = found.report.filter(|report| !report.sources.is_empty()) else { return Ok(None) };
    let mut result = Answer { method: request.method, ..Answer::default() };
    let units = units(search, &report).await?;
    let ranked: Vec<(Id, f64)> = ranked(&report);
    let candidates = ranked.iter().filter_map(|(id, score)| unit_candidate(units.get(id)?, *score)).collect();
    let parts = vec![Part { kind: RecordKind::Sources, share: 1.0, candidates }];
    result.context = Context::pack(parts, search.counting(), services.config.search.max_context_tokens);
    result.took("search", begun);
    if services.chat.is_some() {
        let passages = RankedPassages { from: AnswerFrom::Texts, question, ranked, units };
        synthesize_from_passages(search, &passages, &mut result, on_text).await?;
        return Ok(Some(result));
    }
    result.answer = told(&report, question.language == Language::Chinese, &result);
    on_text(&result.answer);
    provenance::resolve_answer(search.reader.as_ref(), &mut result).await?;
    Ok(Some(result))
}

/// Whether a search leaves such questions to this one.
pub(in crate::query) fn may_answer(method: Method) -> bool {
    matches!(method, Method::Auto | Method::Local | Method::Global)
}

/// One time against another, where the question says a time.
fn wanted(question: &Question, about: Option<String>) -> Option<TrendRequest> {
    let mut periods: Vec<Period> = question.periods.clone();
    periods.sort_by_key(|period| (period.from, period.to));
    let flat = question.text.to_lowercase();
    let first = periods.first()?.clone();
    let request = TrendRequest { top: TOP, report: true, about, ..TrendRequest::default() };
    if let Some(last) = periods.get(1) {
        return Some(TrendRequest {
            from: Some(last.clone()),
            to: Some(last.clone()),
            against: Some(first),
            ..request
        });
    }
    let is_open = SINCE.iter().any(|word| flat.contains(word));
    Some(TrendRequest { to: (!is_open).then(|| first.clone()), from: Some(first), ..request })
}

async fn units(search: &Search<'_>, report: &TimeReport) -> Result<BTreeMap<Id, StoredUnit>> {
    let ids: Vec<Id> = ranked(report).into_iter().map(|(id, _)| id).collect();
    let units = search.reader.passages_by_id(&ids).await?;
    Ok(units.into_iter().map(|unit| (unit.unit.id.clone(), unit)).collect())
}

/// The text units of the report's sentences, in their order.
fn ranked(report: &TimeReport) -> Vec<(Id, f64)> {
    let mut ids: Vec<Id> = Vec::new();
    for source in &report.sources {
        if !ids.contains(&source.text_unit_id) {
            ids.push(source.text_unit_id.clone());
        }
    }
    ids.into_iter().enumerate().map(|(place, id)| (id, 1.0 / (place + 1) as f64)).collect()
}

/// The report as an answer, with citations of the context.
fn told(report: &TimeReport, is_chinese: bool, result: &Answer) -> String {
    let titles = if is_chinese {
        ["新出现：", "提得更多：", "提得更少：", "不再提及：", "说法有变："]
    } else {
        ["New:", "Named more:", "Named less:", "No longer named:", "Said otherwise before:"]
    };
    let cite = |id: &Id| {
        let item = result.context.of(RecordKind::Sources).find(|item| item.record.id == *id);
        item.map(|item| format!(" [Data: Sources ({})]", item.number)).unwrap_or_default()
    };
    let line = |one: &Compared| {
        let said =
            one.source.as_ref().map(|source| format!(": {}{}", source.text, cite(&source.text_unit_id)));
        format!("- {}{}", one.name, said.unwrap_or_default())
    };
    let lists = [&report.new, &report.more, &report.less, &report.gone];
    let mut parts: Vec<String> = Vec::new();
    for (title, list) in titles.iter().zip(lists).filter(|(_, list)| !list.is_empty()) {
        parts.push(
            std::iter::once((*title).to_owned()).chain(list.iter().map(line)).collect::<Vec<_>>().join("\n"),
        );
    }
    if !report.contradictions.is_empty() {
        let both = |found: &crate::contradictions::Contradiction| {
            let side = |said: &crate::contradictions::Said| {
                format!("{}{}", said.source.text, cite(&said.source.text_unit_id))
            };
            format!("- {}: {} / {}", found.entity, side(&found.later), side(&found.earlier))
        };
        let lines = report.contradictions.iter().map(both);
        parts.extend(
            titles.last().map(|title| {
                std::iter::once((*title).to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
            }),
        );
    }
    parts.join("\n\n")
}
