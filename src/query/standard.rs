//! Standard answers: the library is asked before anything is searched.

use super::answer::{Answer, AnsweredBy, Proposal, StandardAnswer};
use super::request::QueryRequest;
use crate::config::StaleAnswers;
use crate::domain::{LibraryEntry, SourceSentence};
use crate::library::asking::{Conditions, Library};
use crate::library::evidence::{self, StaleCitation};
use crate::services::Services;
use anyhow::Result;
use std::time::Instant;

/// What the library says to a question.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// The standard answer, where it is sure enough.
    pub(super) answer: Option<Answer>,
    /// Entries that may be meant.
    pub(super) proposals: Vec<Proposal>,
    /// What holds an answer back.
    pub(super) notes: Vec<String>,
}

/// Asks the library.
///
/// # Errors
/// What the store says.
pub(super) async fn ask(services: &Services, request: &QueryRequest) -> Result<Said> {
    let config = &services.config.qa;
    if request.without_library || !config.enabled {
        return Ok(Said::default());
    }
    let begun = Instant::now();
    let Some(library) = Library::open(services).await? else { return Ok(Said::default()) };
    let conditions = Conditions { filters: request.filters.equalities(), ..Conditions::today() };
    let earlier: Vec<&str> = request.history.iter().map(|turn| turn.question.as_str()).collect();
    let limit = config.suggestions.max(1);
    let found = library.ask(&request.question, &earlier, &conditions, config, limit);
    let proposals: Vec<Proposal> = found
        .iter()
        .filter(|found| found.confidence >= config.suggest)
        .filter_map(|found| Some(proposal(library.entry(found)?, Some(found.confidence))))
        .take(config.suggestions)
        .collect();
    let sure = found.first().filter(|found| found.confidence >= config.accept);
    let Some((found, entry)) = sure.and_then(|found| Some((found, library.entry(found)?))) else {
        return Ok(Said { proposals, ..Said::default() });
    };
    let (stale, _) = evidence::check(services, services.graph.as_ref(), std::slice::from_ref(entry)).await?;
    let stale: Vec<StaleCitation> = stale.into_iter().flat_map(|entry| entry.citations).collect();
    if !stale.is_empty() && config.stale == StaleAnswers::Hold {
        let note = format!(
            "the library's answer {} is held back: what it rests on has changed (`graphwright qa check`)",
            entry.key
        );
        return Ok(Said { notes: vec![note], ..Said::default() });
    }
    let related = library.related(found.place, &earlier, &conditions, config.related);
    let mut answer = Answer {
        answer: entry.answer.clone(),
        method: request.method,
        answered_by: AnsweredBy::Library,
        sources: sources(services, entry).await?,
        library: Some(StandardAnswer {
            entry: proposal(entry, Some(found.confidence)),
            related: related.into_iter().map(|entry| proposal(entry, None)).collect(),
            stale,
        }),
        ..Answer::default()
    };
    answer.took("library", begun);
    answer.took("total", begun);
    Ok(Said { answer: Some(answer), ..Said::default() })
}

fn proposal(entry: &LibraryEntry, confidence: Option<f64>) -> Proposal {
    let confidence = confidence.map(|confidence| (confidence * 10_000.0).round() / 10_000.0);
    Proposal { id: entry.key.clone(), question: entry.question.clone(), confidence }
}

/// The sentences that an answer rests on, at their places in the documents where these still have them.
async fn sources(services: &Services, entry: &LibraryEntry) -> Result<Vec<SourceSentence>> {
    let ids: Vec<_> = entry.citations.iter().map(|cited| cited.text_unit.clone()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let units = services.graph.text_units_by_id(&ids).await?;
    let source = |cited: &crate::domain::AnswerCitation| {
        let unit = units.iter().find(|unit| unit.unit.id == cited.text_unit)?;
        Some(SourceSentence::of(unit, (cited.start, cited.end), cited.quote.clone()))
    };
    Ok(entry.citations.iter().filter_map(source).collect())
}
