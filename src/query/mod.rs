//! question → search → context → answer with citations
//!
//! One file a search. Each retrieves records, packs them into one token budget ([`retrieval::context`]) and answers from
//! them: a model where there is one, the best sentences where there is none ([`answer`]).

pub mod question;
pub mod request;
pub mod counting;
pub mod search;
pub mod retrieval;
mod languages;
pub mod answer;
pub mod evidence;
mod clock;
mod rewriting;
pub mod standard;
mod scope;
pub mod plans;
pub mod searches;
pub mod thorough;
pub mod suggestions;
pub mod forecast;
pub mod cypher;

pub use answer::{Answer, AnsweredBy, Citation, NamedRecord};
pub use evidence::{sentences_behind, sentences_naming};
pub use forecast::{Forecast, forecast};
pub use request::{Effort, InvalidRequest, Level, Method, QueryRequest, Turn};
pub use search::Search;

use crate::config::AnswerScope;
use crate::domain::{Id, Stage};
use crate::language::{Language, language_of};
use crate::library;
use crate::llm::Usage;
use crate::progress::Progress;
use crate::services::Services;
use crate::trends::{TrendRequest, Trends};
use answer::quotes::nothing_found;
use anyhow::{Result, bail};
use question::spelling;
use retrieval::local::{Retrieved, retrieve};
use searches::{basic, changes, drift, global, local, raptor, reader, source, table, times};

/// The context of local search without the answer: names put right, everything found, ranked and packed.
///
/// # Errors
/// What the stores and the embedding model say.
pub async fn local_context(services: &Services, request: &QueryRequest) -> Result<Answer> {
    let mut request = read(services, request).await?.0;
    leave_out_later(services, &mut request)?;
    let usage = with_other_words(services, &mut request).await?;
    let mut answer = local::context(services, &request).await?;
    if let Some(usage) = usage {
        answer.spent(usage);
    }
    Ok(answer)
}

/// Asks for the words that texts in other languages have for a question, where the search looks for words.
async fn with_other_words(services: &Services, request: &mut QueryRequest) -> Result<Option<Usage>> {
    if services.chat.is_none() || matches!(request.method, Method::Table | Method::Source) {
        return Ok(None);
    }
    let asked = languages::other_words(&Search::open(services, request).await?).await?;
    Ok(asked.map(|(words, usage)| {
        request.other_words = words;
        usage
    }))
}

/// What local search finds for a question and for those that `--rewrite` asks beside it, without an answer.
///
/// # Errors
/// As [`local_context`].
pub async fn rewritten(services: &Services, mut request: QueryRequest) -> Result<Retrieved> {
    request.answers = standard::ask(services, &request).await?.records;
    with_other_words(services, &mut request).await?;
    let search = Search::open(services, &request).await?;
    let questions = rewriting::rewrite(&search, &mut Answer::default()).await?;
    rewriting::fuse(&search, retrieve(&search).await?, &questions).await
}

/// Has the model that is configured tell the report of trends; nothing where there is no model or no report.
///
/// # Errors
/// What the stores and the model say.
pub async fn tell_time(
    services: &Services,
    asked: &TrendRequest,
    progress: &Progress,
    trends: &mut Trends,
) -> Result<Option<Answer>> {
    let request = QueryRequest { progress: Some(progress.clone()), ..QueryRequest::default() };
    times::write_report(services, asked, request, trends).await
}

/// Makes the day up to which the question looks a filter: what was written later is not searched.
fn leave_out_later(services: &Services, request: &mut QueryRequest) -> Result<()> {
    if let Some(as_of) = request.as_of.take() {
        let calendar = services.config.documents.fiscal_calendar();
        let filters = std::mem::take(&mut request.filters);
        request.filters = filters.within(None, Some(&as_of.written), calendar)?;
    }
    Ok(())
}

/// The question as the graph knows its names, and what was put right.
async fn read(
    services: &Services,
    request: &QueryRequest,
) -> Result<(QueryRequest, Vec<spelling::Correction>)> {
    let reader = services.graph.snapshot().await?;
    let (question, read_as) = spelling::correct(services, reader.as_ref(), &request.question).await?;
    let is_chinese = language_of(&request.question) == Language::Chinese;
    for name in &read_as {
        let note = if is_chinese {
            format!("“{}”读作“{}”", name.written, name.read_as)
        } else {
            format!("reading \"{}\" as \"{}\"", name.written, name.read_as)
        };
        request.progress().note(&note);
    }
    Ok((QueryRequest { question, ..request.clone() }, read_as))
}

/// Answers a question. `on_text` gets the answer piece by piece as it comes, its citations checked.
///
/// # Errors
/// What the stores and the model say.
#[expect(clippy::too_many_lines, reason = "one step behind another")]
pub async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    if request.effort == Effort::Thorough {
        return thorough::query(services, request, on_text).await;
    }
    let begun = std::time::Instant::now();
    let said = standard::ask(services, request).await?;
    if let Some(answer) = said.answer {
        on_text(&answer.answer);
        return Ok(answer);
    }
    let asked = request.question.clone();
    let (mut request, read_as) = read(services, request).await?;
    request.answers.clone_from(&said.records);
    request.about_a_theme = said.about_a_theme;
    let chosen = chosen_by_library(services, &mut request, &said.library_keys).await?;
    let tried = match request.method {
        Method::Auto => table::sure(services, &request).await?,
        _ => table::TableAttempt::default(),
    };
    // what no sentence answers, records may: nothing is printed before that is known
    let may_be_rows = request.method == Method::Auto && services.chat.is_none();
    let as_asked = may_be_rows.then(|| request.clone());
    let by_table = tried.answer;
    if by_table.is_some() {
        request.progress().note("table search: the question asks for rows");
        request.method = Method::Table;
    }
    if request.method != Method::Table {
        leave_out_later(services, &mut request)?;
    }
    if request.method == Method::Auto {
        let (chosen, reason) = if request.about_a_theme {
            (Method::Local, "standard answers speak of that theme")
        } else {
            drift::method_for(&request.question)
        };
        if !request.is_default || chosen != Method::Local {
            request.progress().note(&format!("{chosen:?} search: {reason}").to_lowercase());
        }
        request.method = chosen;
    }
    let rewrites = matches!(request.method, Method::Local | Method::Basic | Method::Auto);
    if request.rewrite && !rewrites {
        bail!(InvalidRequest(format!(
            "--rewrite asks several questions of the graph; it goes with --method local or basic, not with {:?}",
            request.method
        )));
    }
    let words_usage = with_other_words(services, &mut request).await?;
    let request = &request;
    // what may have to be refused is not shown before that is known
    let in_scope_alone = services.config.answers.scope == AnswerScope::Corpus;
    // without a model an answer is there as a whole
    let held_back = in_scope_alone || services.chat.is_none();
    let unread = unread(services, &asked).await?;
    if let Some(unread) = unread.as_ref().filter(|_| !held_back) {
        request.progress().note(unread);
    }
    let mut unheard = |_: &str| {};
    let on_answer: &mut (dyn for<'a> FnMut(&'a str) + Send) =
        if held_back { &mut unheard } else { &mut *on_text };
    let of_changes = if by_table.is_none() && changes::may_answer(request.method) {
        changes::answered(services, request, on_answer).await?
    } else {
        None
    };
    let mut answer = match request.method {
        _ if of_changes.is_some() => Ok(of_changes.unwrap_or_default()),
        Method::Table if by_table.is_some() => {
            let answer = by_table.unwrap_or_default();
            on_answer(&answer.answer);
            Ok(answer)
        }
        Method::Table => table::query(services, request, on_answer).await,
        Method::Local | Method::Auto => local::query(services, request, on_answer).await,
        Method::Global => global::query(services, request, on_answer).await,
        Method::Basic => basic::query(services, request, on_answer).await,
        Method::Drift => drift::query(services, request, on_answer).await,
        Method::Raptor => raptor::query(services, request, on_answer).await,
        Method::Reader => reader::query(services, request, on_answer).await,
        Method::Source => source::query(services, request, on_answer).await,
    }?;
    if !answer.found.0
        && let Some(as_asked) = as_asked
        && let Some(table) = table::instead(services, &as_asked).await?
    {
        answer = table;
    }
    if services.chat.is_none()
        && answer.found.0
        && matches!(request.method, Method::Local | Method::Basic)
        && let Some(beside) = table::beside_sentences(services, request).await?
    {
        answer.found.0 = false;
        answer.answer = format!("{beside}\n{}", answer.answer);
    }
    if held_back && answer.answer == nothing_found(language_of(&request.question)) {
        let search = Search::open(services, request).await?;
        if let Some(told) = languages::nothing_compared(&search).await? {
            told.clone_into(&mut answer.answer);
        }
    }
    if let Some(unread) = unread {
        if held_back {
            answer.answer = format!("{unread}\n\n{}", answer.answer);
        }
        answer.notes.push(unread);
    }
    answer.read_as = read_as;
    tried.spent.into_iter().chain(words_usage).for_each(|usage| answer.spent(usage));
    if !request.other_words.is_empty() {
        answer.rewritten.push(request.other_words.clone());
    }
    let entities: Vec<Id> = answer.entities.iter().map(|entity| entity.id.clone()).collect();
    answer.related = said.related(&entities, services.config.qa.related);
    answer.did_you_mean = said.proposals;
    let below = standard::notes_below(said.notes, &answer);
    answer.notes.extend(below);
    answer.notes.extend(chosen);
    let unanswered = !answer.found.0 || answer.citations.is_empty();
    scope::apply(&services.config.answers, &asked, unanswered, &mut answer);
    if held_back {
        on_text(&answer.answer);
    }
    if !in_scope_alone && let Some(handover) = scope::handover(&services.config.answers, unanswered) {
        on_text(&handover);
    }
    if unanswered && !request.without_library {
        library::asking::record(services, &asked, "unanswered").await?;
    }
    answer.tokens.insert("context".to_owned(), answer.context.tokens as u64);
    answer.took("total", begun);
    Ok(answer)
}

/// Text units that are counted, of those that are not read yet.
const COUNTED: usize = 100;

/// That the documents are not read to the end, where they are not: what was not found, or a better answer, may be in the
/// rest.
async fn unread(services: &Services, question: &str) -> Result<Option<String>> {
    let pending = services.graph.pending_units(Stage::Extraction, None, COUNTED).await?.len();
    if pending == 0 {
        return Ok(None);
    }
    let chinese = language_of(question) == Language::Chinese;
    let many = if pending == COUNTED { format!("{pending}+") } else { pending.to_string() };
    Ok(Some(if chinese {
        format!("还有 {many} 个文本单元没有读完；请再运行 `graphwright index`（`graphwright status`）。")
    } else {
        format!("{many} text units are not read yet; run `graphwright index` again (`graphwright status`).")
    }))
}

/// Takes out filters by which the library chooses and that no document has, and says so: they chose among standard answers.
async fn chosen_by_library(
    services: &Services,
    request: &mut QueryRequest,
    keys: &[String],
) -> Result<Option<String>> {
    if keys.is_empty() {
        return Ok(None);
    }
    let reader = services.graph.snapshot().await?;
    if request.filters.resolve(reader.as_ref()).await.is_ok() {
        return Ok(None);
    }
    request.filters = request.filters.without(keys);
    let keys = keys.join(", ");
    Ok(Some(format!("no document has {keys}: the filter chose among standard answers alone")))
}

#[cfg(test)]
mod tests;
