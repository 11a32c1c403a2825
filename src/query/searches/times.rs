//! A report on one time against another, told by a model: map-reduce over the communities that changed.
//!
//! The records of [`crate::trends`] say which communities changed. The text units of both times that name most of their
//! members are read with those that the records quote, and every citation is checked and followed to its sentence.

use crate::domain::{Community, Day, Id, Interval, RecordKind, SourceSentence, StoredUnit};
use crate::language::words::is_han;
use crate::prompts::BatchOf;
use crate::query::answer::map_reduce::{FRAME_TOKENS, MapLimits, MapReduce};
use crate::query::answer::{Answer, provenance};
use crate::query::request::{Method, QueryRequest};
use crate::query::retrieval::context::{Candidate, Item};
use crate::query::retrieval::sources::source_line;
use crate::services::Services;
use crate::stores::graph::GraphReader;
use crate::trends::{TimeReport, TrendKind, TrendRequest, Trends};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Communities that are read.
const COMMUNITIES: usize = 8;
/// Text units of a community in each of the two times.
const UNITS: usize = 5;
/// Members of a community by whose mentions its text units are found, and mentions of each.
const MEMBERS: usize = 20;
const MENTIONS: usize = 200;

/// Has the model that is configured tell the report of trends; it stays as it was composed where there is no model, or
/// where the model says nothing that a sentence bears out.
///
/// # Errors
/// What the store and the model say.
pub(in crate::query) async fn write_report(
    services: &Services,
    asked: &TrendRequest,
    request: QueryRequest,
    trends: &mut Trends,
) -> Result<Option<Answer>> {
    let (Some(model), Some(report)) = (&services.chat, trends.report.as_ref()) else { return Ok(None) };
    let reader = services.graph.snapshot().await?;
    let groups = groups(reader.as_ref(), report, trends, asked).await?;
    if groups.iter().all(|group| group.units.is_empty()) {
        return Ok(None);
    }
    let request = QueryRequest {
        question: question(report),
        method: Method::Global,
        response_type: "a report with a heading for each subject that changed".to_owned(),
        ..request
    };
    let map_reduce = MapReduce {
        services,
        request: &request,
        model: model.as_ref(),
        kind: RecordKind::Sources,
        map_prompt: BatchOf::Sources,
        doing: "reading what changed",
        limits: MapLimits::NONE,
    };
    let mut answer = Answer { method: Method::Global, ..Answer::default() };
    map_reduce.run(items(services, groups), &mut answer, &mut |_| {}).await?;
    provenance::resolve_answer(services, reader.as_ref(), &mut answer).await?;
    if let Some(report) = trends.report.as_mut().filter(|_| !answer.citations.is_empty()) {
        (report.text, report.sources) = numbered(report, &answer);
        report.by_model = true;
    }
    Ok(Some(answer))
}

/// What the model is asked, in the language of the sentences.
fn question(report: &TimeReport) -> String {
    let [now, before] = [&report.of, &report.against].map(time);
    let letters = || report.sources.iter().flat_map(|source| source.text.chars());
    if letters().filter(|c| is_han(*c)).count() * 4 > letters().count() {
        return format!(
            "与{before}相比，{now}有什么新内容、什么变了、什么不再提及？逐个主题说明，并写明时间。"
        );
    }
    format!(
        "What is new in {now} against {before}, what has changed, and what is not said any more? Tell it subject by \
         subject, with the times."
    )
}

fn time([from, to]: &[String; 2]) -> String {
    if from == to { from.clone() } else { format!("{from} to {to}") }
}

/// Text units that belong together, each with the time that it is of.
struct Group {
    title: String,
    units: Vec<(&'static str, StoredUnit)>,
}

/// What the report quotes, then the communities that changed, each text unit once.
async fn groups(
    reader: &dyn GraphReader,
    report: &TimeReport,
    trends: &Trends,
    asked: &TrendRequest,
) -> Result<Vec<Group>> {
    let mut seen: BTreeSet<Id> = BTreeSet::new();
    let quoted: Vec<Id> = report
        .sources
        .iter()
        .filter(|source| seen.insert(source.text_unit_id.clone()))
        .map(|source| source.text_unit_id.clone())
        .collect();
    let spans = spans(trends, asked);
    let units = reader.passages_by_id(&quoted).await?;
    let units = units.into_iter().map(|unit| (time_of(&unit, spans), unit)).collect();
    let mut groups = vec![Group { title: String::new(), units }];
    let Some(spans) = spans else { return Ok(groups) };
    for community in changed(reader, report, trends).await? {
        let units = told_in(reader, &community, spans, &mut seen).await?;
        groups.push(Group { title: community.report.title, units });
    }
    Ok(groups)
}

/// The days of the time that is told of, and of the one before; nothing where chapters are the time.
fn spans(trends: &Trends, asked: &TrendRequest) -> Option<[Interval; 2]> {
    let from = trends.periods.first()?.from?;
    let to = trends.periods.last()?.to?;
    let days = to.number() - from.number() + 1;
    let before = match &asked.against {
        Some(period) => Interval { from: period.from, to: period.to },
        None => Interval { from: Day::of_number(from.number() - days), to: from.previous() },
    };
    Some([Interval { from, to }, before])
}

fn time_of(unit: &StoredUnit, spans: Option<[Interval; 2]>) -> &'static str {
    match (days_of(unit), spans) {
        (Some(days), Some([now, _])) if days.from < now.from => "before",
        (Some(_), Some(_)) => "this time",
        _ => "",
    }
}

fn days_of(unit: &StoredUnit) -> Option<Interval> {
    unit.unit.period.or_else(|| unit.document_date.as_ref().map(Interval::from))
}

/// The communities of the report and of topics, those that changed most first.
async fn changed(reader: &dyn GraphReader, report: &TimeReport, trends: &Trends) -> Result<Vec<Community>> {
    let lists = [&report.new, &report.more, &report.less, &report.gone];
    let mut compared: Vec<(f64, &str)> = lists
        .into_iter()
        .flatten()
        .filter(|one| one.kind == TrendKind::Community)
        .map(|one| (one.score, one.name.as_str()))
        .collect();
    compared.extend(trends.topics.iter().map(|topic| (topic.trend.score, topic.trend.name.as_str())));
    compared.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let mut titles: Vec<&str> = Vec::new();
    for (_, title) in compared {
        if titles.len() < COMMUNITIES && !titles.contains(&title) {
            titles.push(title);
        }
    }
    let generation = reader.state().await?.generation;
    let mut by_title: BTreeMap<String, Community> = BTreeMap::new();
    for community in reader.community_outlines(generation).await? {
        if community.leaf && titles.contains(&community.report.title.as_str()) {
            by_title.entry(community.report.title.clone()).or_insert(community);
        }
    }
    Ok(titles.into_iter().filter_map(|title| by_title.remove(title)).collect())
}

/// The text units of both times that name most of a community's members.
async fn told_in(
    reader: &dyn GraphReader,
    community: &Community,
    [now, before]: [Interval; 2],
    seen: &mut BTreeSet<Id>,
) -> Result<Vec<(&'static str, StoredUnit)>> {
    let members: Vec<Id> = community.members.iter().take(MEMBERS).cloned().collect();
    let mut counts: BTreeMap<Id, usize> = BTreeMap::new();
    for mention in reader.mentions_of_entities(&members, MENTIONS).await? {
        *counts.entry(mention.text_unit).or_default() += 1;
    }
    let ids: Vec<Id> = counts.keys().filter(|id| !seen.contains(*id)).cloned().collect();
    let mut units: Vec<StoredUnit> = Vec::new();
    for part in ids.chunks(500) {
        units.extend(reader.passages_by_id(part).await?);
    }
    units.sort_by(|a, b| {
        let count = |unit: &StoredUnit| counts.get(&unit.unit.id).copied().unwrap_or_default();
        count(b).cmp(&count(a)).then_with(|| a.unit.id.cmp(&b.unit.id))
    });
    let mut told: Vec<(&'static str, StoredUnit)> = Vec::new();
    let mut left = [UNITS, UNITS];
    let [of_now, of_before] = &mut left;
    for unit in units {
        let Some(days) = days_of(&unit) else { continue };
        let inside = |span: Interval| days.from >= span.from && days.to <= span.to;
        let (when, left) = if inside(now) {
            ("this time", &mut *of_now)
        } else if inside(before) {
            ("before", &mut *of_before)
        } else {
            continue;
        };
        if *left > 0 {
            *left -= 1;
            seen.insert(unit.unit.id.clone());
            told.push((when, unit));
        }
    }
    Ok(told)
}

/// The text units as numbered records, those of a community in a row.
fn items(services: &Services, groups: Vec<Group>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for Group { title, units } in groups {
        for (when, unit) in units {
            let of = [title.as_str(), when].into_iter().filter(|part| !part.is_empty());
            let head: Vec<String> = of.map(str::to_owned).chain([source_line(&unit)]).collect();
            let text = format!("({}) {}", head.join("; "), unit.unit.text);
            items.push(Item {
                kind: RecordKind::Sources,
                number: items.len() + 1,
                tokens: services.tokens.count(&text) + FRAME_TOKENS,
                record: Candidate { id: unit.unit.id, name: unit.document_key, text, score: 0.0 },
            });
        }
    }
    items
}

/// The report's text with its sentences numbered, and these sentences.
fn numbered(report: &TimeReport, answer: &Answer) -> (String, Vec<SourceSentence>) {
    let mut sources: Vec<SourceSentence> = Vec::new();
    let mut text = format!(
        "# {} against {}\n\n{} documents, {} before.\n\n",
        time(&report.of),
        time(&report.against),
        report.documents[0],
        report.documents[1]
    );
    let mut at = 0;
    for mark in &answer.marks {
        text.push_str(answer.answer.get(at..mark.start).unwrap_or_default());
        at = mark.end;
        let cited = mark.citations.iter().filter_map(|place| answer.citations.get(*place)?.sentence.as_ref());
        for sentence in cited {
            let known = sources.iter().position(|one| one == sentence);
            let number = known.unwrap_or_else(|| {
                sources.push(sentence.clone());
                sources.len() - 1
            });
            let _ = write!(text, "[{}]", number + 1);
        }
    }
    text.push_str(answer.answer.get(at..).unwrap_or_default());
    text.push('\n');
    for (number, source) in (1..).zip(&sources) {
        let gap = if number == 1 { "\n" } else { "" };
        let (document, start, end) = (&source.document, source.start, source.end);
        let _ = writeln!(text, "{gap}[{number}] {document}, characters {start}–{end}");
    }
    (text, sources)
}
