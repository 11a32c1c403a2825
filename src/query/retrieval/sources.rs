//! Text units as candidates of a context.

use super::context::Candidate;
use crate::domain::StoredUnit;
use crate::prompts::short_line;

/// A text unit as a candidate source.
pub(in crate::query) fn unit_candidate(unit: &StoredUnit, score: f64) -> Option<Candidate> {
    (!unit.unit.text.trim().is_empty()).then(|| excerpt_candidate(unit, &unit.unit.text, score))
}

/// A text unit of which only a part is shown.
pub(in crate::query) fn excerpt_candidate(unit: &StoredUnit, text: &str, score: f64) -> Candidate {
    Candidate {
        id: unit.unit.id.clone(),
        name: unit.document_key.clone(),
        text: format!("({}) {text}", short_line(&unit.document_title)),
        score,
    }
}
