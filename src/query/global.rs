//! Global search: map-reduce over the community reports of one level, exactly one partition.

use super::answer;
use super::basic::counting;
use super::context::{Candidate, Context, Part};
use super::local::records_of;
use super::{Answer, Level, Method, QueryRequest};
use crate::domain::{Community, RecordKind};
use crate::services::Services;
use crate::text;
use anyhow::Result;
use std::collections::BTreeSet;
use std::time::Instant;

/// Findings of an extractive answer.
const POINTS: usize = 8;

/// Answers from the reports of a level.
///
/// # Errors
/// What the stores and the model say.
pub async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    let begun = Instant::now();
    let reader = services.graph.snapshot().await?;
    let level = match request.level {
        Some(Level::Fixed(level)) => level,
        _ => services.config.search.level,
    };
    let generation = reader.state().await?.generation;
    let reports = partition(reader.communities(generation).await?, level);
    let candidates = rank(&request.question, &reports);
    let part = Part { kind: RecordKind::Reports, share: 1.0, candidates };
    let context = Context::pack(vec![part], counting(services), services.config.search.max_context_tokens);
    let mut result = Answer { method: Method::Global, ..Answer::default() };
    result.reports = records_of(&context, RecordKind::Reports);
    result.timings_ms.insert("search".to_owned(), begun.elapsed().as_secs_f64() * 1000.0);
    let points: Vec<String> = context
        .of(RecordKind::Reports)
        .take(POINTS)
        .filter_map(|item| {
            let report = reports.iter().find(|c| c.id == item.record.id)?;
            Some(format!(
                "- {}: {} [Data: Reports ({})]",
                report.report.title, report.report.summary, item.number
            ))
        })
        .collect();
    result.answer = if points.is_empty() {
        answer::nothing_found(text::language_of(&request.question)).to_owned()
    } else {
        points.join("\n")
    };
    on_text(&result.answer);
    result.tokens.insert("context".to_owned(), context.tokens as u64);
    result.context = context;
    Ok(result)
}

/// The partition at a level: its communities and the leaves of coarser ones. A level beyond the finest is the finest.
pub fn partition(communities: Vec<Community>, level: u32) -> Vec<Community> {
    communities
        .into_iter()
        .filter(|community| community.level == level || (community.leaf && community.level < level))
        .collect()
}

/// Reports by how many of the question's words they hold, then by rank, small ones last.
fn rank(question: &str, reports: &[Community]) -> Vec<Candidate> {
    let wanted: BTreeSet<String> =
        text::words(question).into_iter().filter(|word| !text::is_stop_word(word)).collect();
    let mut candidates: Vec<Candidate> = reports
        .iter()
        .map(|community| {
            let content = community.report.full_content();
            let words: BTreeSet<String> = text::words(&content).into_iter().collect();
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
