//! Global search: map-reduce over community reports, exactly one partition.
//!
//! With a model the reports nearest to the question are read first, as far as a budget goes and new points come: each
//! batch gives points with scores, and the best points are brought together. Without one the reports that fit the
//! question best are told by title and summary. Where filters leave texts out, communities are told from the others.

mod budget;
mod rating;
mod selection;
mod within;

use crate::domain::{Community, Finding, RecordKind, Report};
use crate::language::{self, one_line};
use crate::llm::ChatModel;
use crate::llm::reply::without_citations;
use crate::prompts::BatchOf;
use crate::query::answer::map_reduce::{Ended, FRAME_TOKENS, MapLimits, MapReduce};
use crate::query::answer::overview::tells;
use crate::query::answer::quotes::nothing_found;
use crate::query::answer::{Answer, Found, NamedRecord, provenance};
use crate::query::counting::TokenCounting;
use crate::query::request::{InvalidRequest, Level, Method, QueryRequest};
use crate::query::retrieval::context::{Candidate, Context, ContextPart, Item};
use crate::query::retrieval::hybrid::{HybridQuery, embed_question, hybrid_search};
use crate::query::search::Search;
use crate::services::Services;
use crate::stores::graph::VectorKind;
use crate::stores::vectors::Filter;
use crate::tokens::Tokens;
use anyhow::Result;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Instant;

/// Tokens of a report where it is rated.
const SHORT_TOKENS: usize = 90;

/// Answers from community reports.
///
/// # Errors
/// What the stores and the model say.
pub async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    let begun = Instant::now();
    let search = &Search::open(services, request).await?;
    let reader = search.reader.as_ref();
    let generation = reader.state().await?.generation;
    let communities = reader.communities(generation).await?;
    let mut result = Answer { method: Method::Global, ..Answer::default() };
    let level = request.level.unwrap_or(Level::Fixed(services.config.search.level));
    check_level(request.level, &communities)?;
    if search.filters.parts_texts() {
        within::answer(search, communities, level, &mut result, on_text).await?;
        result.took("search", begun);
    } else if let Some(model) = &services.chat {
        by_model(search, model.as_ref(), communities, level, &mut result, on_text).await?;
    } else {
        let reports = match level {
            Level::Fixed(level) => partition(communities, level),
            Level::Auto => nearest_reports(search, communities).await?,
        };
        result.took("search", begun);
        answer_by_summaries(search, &reports, &mut result, on_text);
    }
    provenance::resolve_answer(services, reader, &mut result).await?;
    result.reports = NamedRecord::of(&result.context, RecordKind::Reports);
    Ok(result)
}

/// Reads the reports of a level best first, as far as the budget goes and new points come.
async fn by_model(
    search: &Search<'_>,
    model: &dyn ChatModel,
    communities: Vec<Community>,
    level: Level,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<()> {
    let begun = Instant::now();
    let &Search { services, request, .. } = search;
    let settings = &services.config.search.global;
    let order = budget::order_by_question(search).await?;
    let (reports, level, all) = match level {
        Level::Fixed(wanted) => {
            let insists = request.level.is_some();
            let (reports, level) = budget::level_that_fits(search, communities, wanted, insists);
            if level < wanted && !reports.is_empty() {
                tracing::info!(wanted, level, "a coarser level fits the budget");
            }
            let all = reports.len();
            (budget::best_first(search, model, reports, &order, result).await?, Some(level), all)
        }
        Level::Auto => {
            let calls = settings.max_calls / 2;
            let reports = selection::relevant(search, model, communities, &order, calls, result).await?;
            let all = reports.len();
            (reports, None, all)
        }
    };
    result.took("search", begun);
    let map_reduce = MapReduce {
        services,
        request,
        model,
        kind: RecordKind::Reports,
        map_prompt: BatchOf::Reports,
        doing: "reading reports",
        limits: MapLimits { max_calls: settings.max_calls, max_tokens: settings.max_tokens, until_dry: true },
    };
    let ended = map_reduce.run(numbered(services, &reports, &request.sought()), result, on_text).await?;
    let read = result.context.items.len();
    if read < all {
        let of = match level {
            Some(level) => format!("{all} reports of level {level}"),
            None => format!("{all} reports that have to do with the question"),
        };
        let why = match ended {
            Ended::All => "the others have nothing to do with the question",
            Ended::Dry => "the next ones brought nothing new",
            Ended::Calls => "[search.global] max_calls ends it here",
            Ended::Tokens => "[search.global] max_tokens ends it here",
        };
        let note = format!("read {read} of {of}, the nearest to the question: {why}");
        request.progress().note(&note);
        result.notes.push(note);
        *result.context.left_out.entry(RecordKind::Reports).or_default() += all - read;
    }
    Ok(())
}

/// A level that was asked for must be there; the configured one may be finer than a small graph goes.
fn check_level(level: Option<Level>, communities: &[Community]) -> Result<()> {
    let finest = communities.iter().map(|community| community.level).max();
    match (level, finest) {
        (Some(Level::Fixed(level)), Some(finest)) if level > finest => Err(InvalidRequest(format!(
            "--level {level}: the communities have levels 0 to {finest}; give one of these, or \"auto\""
        ))
        .into()),
        _ => Ok(()),
    }
}

/// The partition at a level: its communities and the leaves of coarser ones. A level beyond the finest is the finest.
pub fn partition(communities: Vec<Community>, level: u32) -> Vec<Community> {
    communities
        .into_iter()
        .filter(|community| community.level == level || (community.leaf && community.level < level))
        .collect()
}

/// The reports nearest to the question, of any level.
async fn nearest_reports(search: &Search<'_>, communities: Vec<Community>) -> Result<Vec<Community>> {
    let &Search { services, request, .. } = search;
    let text = request.sought();
    let dense = embed_question(services, &text).await?;
    let query = HybridQuery { text: &text, dense, limit: services.config.search.global.similar_reports };
    let hits = hybrid_search(services, VectorKind::Reports, &query, Filter::default()).await?;
    let wanted: BTreeSet<_> = hits.into_iter().map(|hit| hit.id).collect();
    Ok(communities.into_iter().filter(|community| wanted.contains(&community.id)).collect())
}

fn answer_by_summaries(
    search: &Search<'_>,
    reports: &[Community],
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) {
    let &Search { services, request, .. } = search;
    let part =
        ContextPart { kind: RecordKind::Reports, share: 1.0, candidates: rank(&request.question, reports) };
    let context = Context::pack(vec![part], search.counting(), services.config.search.max_context_tokens);
    let listed: Vec<(&Item, &Community)> = context
        .of(RecordKind::Reports)
        .filter_map(|item| Some((item, reports.iter().find(|c| c.id == item.record.id)?)))
        .collect();
    let most = services.config.search.global.told_reports;
    let lines = |of: fn(&str) -> bool| -> Vec<String> {
        let told =
            listed.iter().filter_map(|(item, community)| report_line(&community.report, item.number, of));
        let (thin, full): (Vec<_>, Vec<_>) = told.partition(|(is_thin, _)| *is_thin);
        full.into_iter().chain(thin).take(most).map(|(_, line)| line).collect()
    };
    let lines = Some(lines(tells)).filter(|lines| !lines.is_empty()).unwrap_or_else(|| lines(|_| true));
    result.found = Found(!lines.is_empty());
    result.answer = if lines.is_empty() {
        nothing_found(language::language_of(&request.question)).to_owned()
    } else {
        lines.join("\n")
    };
    on_text(&result.answer);
    result.context = context;
}

/// A report in one line, each sentence of its summary that is `of` the kind with the report that it is cited from, so that
/// each leads to where it stands; and whether most of its sentences are of none. Nothing where there is no sentence, as where
/// the summary is but the heading of a document.
fn report_line(report: &Report, number: usize, of: fn(&str) -> bool) -> Option<(bool, String)> {
    let summary = one_line(&report.summary);
    let sentences = language::sentences(&summary).into_iter().filter_map(|range| summary.get(range));
    let sentences: Vec<_> = sentences.map(without_citations).collect();
    let told: Vec<String> = sentences
        .iter()
        .filter(|sentence| !sentence.trim_start().starts_with('#') && of(sentence))
        .map(|sentence| format!("{sentence} [Data: Reports ({number})]"))
        .collect();
    let title = one_line(&report.title);
    let is_thin = told.len() * 2 < sentences.len();
    (!told.is_empty()).then(|| (is_thin, format!("- {}: {}", without_citations(&title), told.join(" "))))
}

/// Reports by how many of the question's words they hold, then by rank, small ones last.
fn rank(question: &str, reports: &[Community]) -> Vec<Candidate> {
    let wanted = content_words(question);
    let mut candidates: Vec<Candidate> = reports
        .iter()
        .map(|community| {
            let content = displayed(community);
            let words: BTreeSet<String> = language::words(&content).into_iter().collect();
            let overlap = wanted.iter().filter(|word| words.contains(*word)).count() as f64;
            let score = if community.report.composed {
                overlap / 10.0 + community.report.rank / 100.0
            } else {
                overlap * 2.0 + community.report.rank
            };
            Candidate { id: community.id.clone(), name: community.report.title.clone(), text: content, score }
        })
        .collect();
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    candidates
}

/// A report as it is shown where there is room: whole, or one line where it was composed without a call.
fn displayed(community: &Community) -> String {
    let report = &community.report;
    if report.composed {
        format!("{}: {}", one_line(&report.title), one_line(&report.summary))
    } else {
        report.full_content()
    }
}

/// As [`displayed`], in at most so many tokens as far as explanations go: title, summary and what each finding says stay,
/// explanations stay as far as they fit, those first that share most of the words asked for. 0: no limit.
fn shortened(community: &Community, tokens: Tokens, limit: usize, asked: &BTreeSet<String>) -> String {
    let whole = displayed(community);
    let report = &community.report;
    if limit == 0 || report.composed || tokens.count(&whole) <= limit {
        return whole;
    }
    let without = Report {
        findings: report
            .findings
            .iter()
            .map(|finding| Finding { explanation: String::new(), ..finding.clone() })
            .collect(),
        ..report.clone()
    };
    let mut used = tokens.count(&without.full_content());
    let mut kept = without;
    let mut by_question: Vec<(&mut Finding, &Finding)> =
        kept.findings.iter_mut().zip(&report.findings).collect();
    by_question.sort_by_cached_key(|(_, finding)| {
        let told = content_words(&format!("{} {}", finding.summary, finding.explanation));
        Reverse(told.intersection(asked).count())
    });
    for (short, finding) in by_question {
        let more = tokens.count(&finding.explanation) + 1;
        if used + more <= limit {
            used += more;
            short.explanation.clone_from(&finding.explanation);
        }
    }
    kept.full_content()
}

/// The words of a text that say something.
fn content_words(text: &str) -> BTreeSet<String> {
    language::words(text).into_iter().filter(|word| !language::is_stop_word(word)).collect()
}

/// Tokens that a report takes in a prompt, about.
fn report_tokens(search: &Search<'_>, community: &Community) -> usize {
    let tokens = TokenCounting::Estimate.count(&displayed(community));
    let shown = match search.services.config.search.global.report_tokens {
        0 => tokens,
        limit => tokens.min(limit),
    };
    shown + FRAME_TOKENS
}

/// What a report is rated by: title and summary, not long.
fn short(community: &Community, tokens: Tokens) -> String {
    let report = &community.report;
    let text = format!("{}: {}", one_line(&report.title), one_line(&report.summary));
    tokens.truncate(&text, SHORT_TOKENS).to_owned()
}

/// Reports as a prompt shows them, numbered from 1 in their order.
fn numbered(services: &Services, reports: &[Community], question: &str) -> Vec<Item> {
    let settings = &services.config.search;
    let asked = content_words(question);
    // what lies beyond the budget is not read: its tokens need not be counted
    let mut left = settings.global.max_tokens.saturating_mul(2);
    reports
        .iter()
        .enumerate()
        .map_while(|(place, community)| {
            let text = shortened(community, services.tokens, settings.global.report_tokens, &asked);
            let tokens = services.tokens.count(&text) + FRAME_TOKENS;
            left = left.checked_sub(tokens as u64)?;
            Some(Item {
                kind: RecordKind::Reports,
                number: place + 1,
                tokens,
                record: Candidate {
                    id: community.id.clone(),
                    name: community.report.title.clone(),
                    text,
                    score: community.report.rank,
                },
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sentence_that_is_told_of_a_report_is_cited() {
        let report = Report {
            title: "Scrooge".to_owned(),
            summary: "Marley was dead. Scrooge knew it. Fred came.".to_owned(),
            ..Report::default()
        };
        assert_eq!(
            report_line(&report, 3, tells).map(|(_, line)| line).as_deref(),
            Some(
                "- Scrooge: Marley was dead. [Data: Reports (3)] Scrooge knew it. [Data: Reports (3)] Fred came. \
                 [Data: Reports (3)]"
            )
        );
        let heading = Report { summary: "# Rules for guides".to_owned(), ..report };
        assert_eq!(report_line(&heading, 3, tells), None, "the heading of a document tells nothing");
        let talk = Report {
            title: "Ann and Bob".to_owned(),
            summary: "BOB LEE: Thanks, Karl. CARL OTT, Acme: Thanks for taking my question. The mill sold more flour than \
                      in any year before."
                .to_owned(),
            ..Report::default()
        };
        let (is_thin, line) = report_line(&talk, 4, tells).unwrap();
        assert!(is_thin, "most of it tells nothing");
        assert_eq!(
            line, "- Ann and Bob: The mill sold more flour than in any year before. [Data: Reports (4)]",
            "courtesies tell nothing"
        );
    }

    #[test]
    fn a_long_report_keeps_its_headlines_and_the_explanations_that_fit() {
        let finding = |number: usize| Finding {
            summary: format!("headline {number}"),
            explanation: "word ".repeat(50),
            citations: Vec::new(),
        };
        let report = Report {
            title: "Title".to_owned(),
            summary: "What it is about.".to_owned(),
            findings: (0..6).map(finding).collect(),
            ..Report::default()
        };
        let community = Community { report, ..community() };
        let whole = community.report.full_content();
        assert_eq!(shortened(&community, Tokens::O200kBase, 0, &BTreeSet::new()), whole);
        assert_eq!(shortened(&community, Tokens::O200kBase, 10_000, &BTreeSet::new()), whole);
        let short = shortened(&community, Tokens::O200kBase, 200, &BTreeSet::new());
        assert!(Tokens::O200kBase.count(&short) <= 200, "{short}");
        assert_eq!(short.matches("headline").count(), 6);
        assert!((1..6).contains(&short.matches(&"word ".repeat(50)).count()), "{short}");
        // what is asked about is explained, wherever it stands
        let asked = shortened(&community, Tokens::O200kBase, 200, &content_words("What of headline 5?"));
        assert!(asked.trim_end().ends_with("word"), "{asked}");
        let shortest = shortened(&community, Tokens::O200kBase, 1, &BTreeSet::new());
        assert!(shortest.contains("headline 5") && !shortest.contains("word"), "{shortest}");
    }

    fn community() -> Community {
        Community {
            id: crate::domain::Id::from_stored("c"),
            level: 0,
            leaf: true,
            oversized: false,
            parent: None,
            members: Vec::new(),
            fingerprint: String::new(),
            report: Report::default(),
            lineage: crate::domain::Id::from_stored("c"),
            period: String::new(),
        }
    }
}
