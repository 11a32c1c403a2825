//! Text units as candidates of a context.

use super::context::Candidate;
use crate::domain::StoredUnit;
use crate::prompts::short_line;

/// A text unit as a candidate source.
pub(in crate::query) fn unit_candidate(unit: &StoredUnit, score: f64) -> Option<Candidate> {
    (!unit.unit.text.trim().is_empty()).then(|| excerpt_candidate(unit, &unit.unit.text, score))
}

/// What a source is headed with: its document's title, and its date where the title does not say it.
pub(in crate::query) fn source_line(unit: &StoredUnit) -> String {
    let title = short_line(&unit.document_title);
    match &unit.document_date {
        Some(date) if !title.contains(&date.written) => format!("{title}, {}", short_line(&date.to_string())),
        _ => title,
    }
}

/// A text unit of which only a part is shown.
pub(in crate::query) fn excerpt_candidate(unit: &StoredUnit, text: &str, score: f64) -> Candidate {
    Candidate {
        id: unit.unit.id.clone(),
        name: unit.document_key.clone(),
        text: format!("({}) {text}", source_line(unit)),
        score,
    }
}
