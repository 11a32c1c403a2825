//! question → search → context → answer with citations
//!
//! One file a search. Each retrieves records, packs them into one token budget ([`retrieval::context`]) and answers from
//! them: a model where there is one, the best sentences where there is none ([`answer`]).

pub mod question;
pub mod request;
pub mod counting;
pub mod search;
pub mod retrieval;
pub mod answer;
pub mod evidence;
mod clock;
mod rewriting;
pub mod standard;
pub mod searches;
pub mod suggestions;
pub mod forecast;

pub use answer::{Answer, AnsweredBy, Citation, NamedRecord};
pub use evidence::{sentences_behind, sentences_naming};
pub use forecast::{Forecast, forecast};
pub use request::{InvalidRequest, Level, Method, QueryRequest, Turn};
pub use search::Search;

use crate::library;
use crate::services::Services;
use anyhow::{Result, bail};
use question::spelling;
use searches::{basic, drift, global, local, raptor, reader, source};

/// The context of local search without the answer: names put right, everything found, ranked and packed.
///
/// # Errors
/// What the stores and the embedding model say.
pub async fn local_context(services: &Services, request: &QueryRequest) -> Result<Answer> {
    local::context(services, &read(services, request).await?.0).await
}

/// The question as the graph knows its names, and what was put right.
async fn read(
    services: &Services,
    request: &QueryRequest,
) -> Result<(QueryRequest, Vec<spelling::Correction>)> {
    let reader = services.graph.snapshot().await?;
    let (question, read_as) = spelling::correct(services, reader.as_ref(), &request.question).await?;
    for name in &read_as {
        request.progress().say(&format!("reading \"{}\" as \"{}\"", name.written, name.read_as));
    }
    Ok((QueryRequest { question, ..request.clone() }, read_as))
}

/// Answers a question. `on_text` gets the answer piece by piece as it comes, its citations checked.
///
/// # Errors
/// What the stores and the model say.
pub async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    let begun = std::time::Instant::now();
    let said = standard::ask(services, request).await?;
    if let Some(answer) = said.answer {
        on_text(&answer.answer);
        return Ok(answer);
    }
    let asked = request.question.clone();
    let (mut request, read_as) = read(services, request).await?;
    if request.method == Method::Auto {
        let (chosen, reason) = drift::method_for(&request.question);
        request.progress().say(&format!("{chosen:?} search: {reason}").to_lowercase());
        request.method = chosen;
    }
    let rewrites = matches!(request.method, Method::Local | Method::Basic | Method::Auto);
    if request.rewrite && !rewrites {
        bail!(InvalidRequest(format!(
            "--rewrite asks several questions of the graph; it goes with --method local or basic, not with {:?}",
            request.method
        )));
    }
    let request = &request;
    let mut answer = match request.method {
        Method::Local | Method::Auto => local::query(services, request, on_text).await,
        Method::Global => global::query(services, request, on_text).await,
        Method::Basic => basic::query(services, request, on_text).await,
        Method::Drift => drift::query(services, request, on_text).await,
        Method::Raptor => raptor::query(services, request, on_text).await,
        Method::Reader => reader::query(services, request, on_text).await,
        Method::Source => source::query(services, request, on_text).await,
    }?;
    answer.read_as = read_as;
    answer.did_you_mean = said.proposals;
    answer.notes.extend(said.notes);
    let unanswered = !answer.found.0 || answer.citations.is_empty();
    if unanswered && !request.without_library {
        library::asking::record(services, &asked, "unanswered").await?;
    }
    answer.tokens.insert("context".to_owned(), answer.context.tokens as u64);
    answer.took("total", begun);
    Ok(answer)
}

#[cfg(test)]
mod tests;
