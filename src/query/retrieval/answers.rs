//! Standard answers of the library among the records of a context.

use super::context::{Candidate, ContextPart};
use crate::domain::RecordKind;
use crate::language::one_line;
use crate::query::request::QueryRequest;

/// Share of the budget that standard answers may fill, before all others.
const SHARE: f64 = 0.2;

/// Puts the standard answers that may have to do with the question before all other records; these share the rest.
pub(in crate::query) fn with_answers(request: &QueryRequest, parts: &mut Vec<ContextPart>) {
    if request.answers.is_empty() {
        return;
    }
    for part in parts.iter_mut() {
        part.share *= 1.0 - SHARE;
    }
    let candidates = request
        .answers
        .iter()
        .enumerate()
        .map(|(rank, entry)| Candidate {
            id: entry.id.clone(),
            name: entry.question.clone(),
            text: format!("{} | {}", one_line(&entry.question), one_line(&entry.answer)),
            score: 1.0 / (1.0 + rank as f64),
        })
        .collect();
    parts.insert(0, ContextPart { kind: RecordKind::Answers, share: SHARE, candidates });
}
