//! Questions: the one way that every face of the server asks, so that an answer is the same through the API, OpenAI's and MCP.

use super::app::{App, Shared};
use super::kept::{self, ConversationTurn};
use super::problem::{Outcome, Problem, ProblemType};
use super::shapes::{
    AnswerReply, AnswerRequest, AnsweredByShape, CitationShape, ContextShape, DocumentName, ItemShape,
    LevelChoice, LibraryShape, Named, QuestionShape, ReadAs, SearchReply, SearchRequest, Sentence,
    StaleShape,
};
use super::tables;
use super::tokens::Caller;
use super::workspaces::Workspace;
use crate::domain::{Period, SourceSentence};
use crate::language::dates::date_of;
use crate::progress::{Observer, Progress};
use crate::query::answer::Proposal;
use crate::query::answer::numbering::RecordNumbering;
use crate::query::question::filters::Filters;
use crate::query::{self, Answer, AnsweredBy, Effort, Level, Method, NamedRecord, QueryRequest, Turn};
use crate::services::Services;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Characters of a question.
const QUESTION: usize = 8_000;
/// Turns of a conversation.
const TURNS: usize = 64;
/// Bytes of a conversation.
const HISTORY: usize = 128 * 1024;
/// What the sign of a text is a polynomial of; the page knows it too.
const MARK_BASE: u32 = 16_777_619;
/// How long an answer may go on when the server is asked to stop.
const GRACE: Duration = Duration::from_secs(5);

/// What happens while an answer is made.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// What is being done.
    Progress { step: String, done: u64, total: u64 },
    /// More of the answer, its citations numbered.
    Text(String),
}

/// Who is told of events.
pub(crate) type Events = mpsc::UnboundedSender<Event>;

#[derive(Debug)]
struct ToEvents(Events);

impl Observer for ToEvents {
    fn stage(&self, name: &str, done: u64, total: u64) {
        // nobody may be there any more
        let _ = self.0.send(Event::Progress { step: name.to_owned(), done, total });
    }

    fn note(&self, text: &str) {
        let _ = self.0.send(Event::Progress { step: text.to_owned(), done: 0, total: 0 });
    }
}

/// The methods that work with what is configured.
pub(crate) fn methods(services: &Services) -> Vec<Method> {
    let mut methods = query::thorough::methods(services);
    methods.push(Method::Auto);
    methods
}

/// The name of a method.
pub(crate) fn name_of(method: Method) -> &'static str {
    match method {
        Method::Local => "local",
        Method::Global => "global",
        Method::Basic => "basic",
        Method::Drift => "drift",
        Method::Raptor => "raptor",
        Method::Reader => "reader",
        Method::Source => "source",
        Method::Table => "table",
        Method::Auto => "auto",
    }
}

/// What is wrong with a question itself.
fn check(question: &str, history: &[Turn]) -> Outcome<()> {
    if question.trim().is_empty() {
        return Err(Problem::invalid("the question is empty; write what you want to know"));
    }
    if question.chars().count() > QUESTION {
        return Err(Problem::new(
            ProblemType::TooLarge,
            format!("a question has at most {QUESTION} characters"),
        ));
    }
    let bytes: usize = history.iter().map(|turn| turn.question.len() + turn.answer.len()).sum();
    if history.len() > TURNS || bytes > HISTORY {
        return Err(Problem::new(
            ProblemType::TooLarge,
            format!("a conversation has at most {TURNS} turns and {HISTORY} bytes; leave the oldest out"),
        ));
    }
    Ok(())
}

async fn filters(services: &Services, texts: &[String]) -> Outcome<Filters> {
    let filters = Filters::parse(texts).map_err(|error| Problem::invalid(error.to_string()))?;
    if !filters.is_empty() {
        let reader = services.graph.snapshot().await?;
        if let Err(error) = filters.resolve(reader.as_ref()).await {
            let known = error.chain().any(<dyn std::error::Error>::is::<crate::stores::StoreError>);
            return Err(if known { error.into() } else { Problem::invalid(error.to_string()) });
        }
    }
    Ok(filters)
}

/// The time as of which is answered.
fn as_of(services: &Services, text: Option<&str>) -> Outcome<Option<Period>> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    let date = date_of(text, services.config.documents.fiscal_calendar());
    date.map(Some).ok_or_else(|| {
        Problem::invalid(format!(
            "as_of {text:?} is no date; write a year, 2023-10, 2023-10-24, \"Q3 2019\" or FY24Q1"
        ))
    })
}

fn level_of(level: Option<LevelChoice>) -> Option<Level> {
    level.map(|level| match level {
        LevelChoice::Fixed(level) => Level::Fixed(level),
        LevelChoice::Named(_) => Level::Auto,
    })
}

/// The services without a chat model: answers are made of sentences then.
fn without_model(services: &Services) -> Services {
    Services { chat: None, ..services.clone() }
}

/// Refuses what needs something that is not configured.
fn check_method(services: &Services, method: Method) -> Outcome<()> {
    if methods(services).contains(&method) {
        return Ok(());
    }
    let name = name_of(method);
    let needed = if method == Method::Raptor { "an embedding model" } else { "a chat model" };
    Err(Problem::new(
        ProblemType::NeedsModel,
        format!(
            "method {name} needs {needed} and none can be asked; use local, global or basic, or configure one"
        ),
    ))
}

/// Answers a question. The caller has a place already. Events go to whoever listens; a listener that leaves is nobody's harm.
///
/// # Errors
/// A request that is wrong; what the stores and the models say; too slow; the server stops.
pub(crate) async fn answer(
    app: &Shared,
    caller: &Caller,
    workspace: &Arc<Workspace>,
    request: &AnswerRequest,
    events: Option<Events>,
) -> Outcome<AnswerReply> {
    let begun = Instant::now();
    let method = name_of(request.method);
    // an answer by every method takes their time together
    let times = match request.effort {
        Effort::Quick => 1,
        Effort::Thorough => methods(&workspace.services).len() as u64,
    };
    let work = answer_now(app, caller, workspace, request, events);
    let result = within_time(app, app.config().serve.answer_s * times, work).await;
    let outcome = result.as_ref().map_or_else(|problem| problem.kind.name(), |_| "ok");
    app.metrics.count("graphwright_answers_total", &[("method", method), ("outcome", outcome)]);
    app.metrics.took("graphwright_answer_duration_seconds", &[("method", method)], begun.elapsed());
    result
}

/// Lets work go on for as long as an answer may take, and for a grace when the server is to stop.
async fn within_time<T>(app: &App, seconds: u64, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
    let stopped = async {
        app.stopping.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        done = work => done,
        () = tokio::time::sleep(Duration::from_secs(seconds)) => Err(Problem::new(
            ProblemType::TooSlow,
            format!("the answer was not ready in {seconds} s ([serve] answer_s); ask with a quicker method, such as local"),
        )),
        () = stopped => Err(Problem::new(ProblemType::ShuttingDown, "the server is stopping; ask again in a moment").retry_after(5)),
    }
}

async fn answer_now(
    app: &Shared,
    caller: &Caller,
    workspace: &Arc<Workspace>,
    request: &AnswerRequest,
    events: Option<Events>,
) -> Outcome<AnswerReply> {
    let begun = Instant::now();
    let history = history_of(app, caller, workspace, request)?;
    check(&request.question, &history)?;
    let services = &workspace.services;
    let plain;
    let services = if request.without_model && services.chat.is_some() {
        plain = without_model(services);
        &plain
    } else {
        services
    };
    check_method(services, request.method)?;
    if services.chat.is_some() {
        app.allow_cost(caller)?;
    }
    let asked = QueryRequest {
        question: request.question.trim().to_owned(),
        by_model: false,
        method: request.method,
        is_default: false,
        as_of: as_of(services, request.as_of.as_deref())?,
        effort: request.effort,
        level: level_of(request.level),
        response_type: request.response_type.clone().unwrap_or_else(|| "Multiple Paragraphs".to_owned()),
        history,
        filters: filters(services, &request.filters).await?,
        general_knowledge: request.general_knowledge,
        traversal: request.traversal.then_some(true),
        rewrite: request.rewrite,
        other_words: String::new(),
        answers: Vec::new(),
        about_a_theme: false,
        without_library: false,
        progress: events.clone().map(|events| Progress::observed(Arc::new(ToEvents(events)))),
    };
    let mut numbering = RecordNumbering::default();
    let mut first = true;
    let method = name_of(request.method);
    let mut on_text = |piece: &str| {
        if std::mem::take(&mut first) {
            let labels = [("method", method)];
            app.metrics.took("graphwright_answer_first_text_seconds", &labels, begun.elapsed());
        }
        if let Some(events) = &events {
            let _ = events.send(Event::Text(numbering.piece(piece)));
        }
    };
    // side by side: a server of graphs is asked once less in a row
    let (generation, answer) =
        futures::join!(workspace.generation(), query::query(services, &asked, &mut on_text));
    workspace.keep_ledger_behind();
    let (generation, answer) = (generation?, answer?);
    let mut reply = compose_reply(app, workspace, request, generation, answer).await?;
    account(app, caller, &reply)?;
    keep(app, caller, workspace, request, &mut reply)?;
    Ok(reply)
}

/// The turns before a question: those that it brings, behind them those of its conversation; the latest ones.
fn history_of(
    app: &Shared,
    caller: &Caller,
    workspace: &Workspace,
    request: &AnswerRequest,
) -> Outcome<Vec<Turn>> {
    let mut history = request.history.clone();
    if let Some(id) = &request.conversation {
        let known = app.kept.conversation(&workspace.name, &caller.name, id)?;
        history
            .extend(known.turns.into_iter().map(|turn| Turn { question: turn.question, answer: turn.text }));
        let beyond = history.len().saturating_sub(TURNS);
        history.drain(..beyond);
    }
    Ok(history)
}

/// Counts what an answer took, and what it cost its caller.
fn account(app: &Shared, caller: &Caller, reply: &AnswerReply) -> Outcome<()> {
    if let Some(cost) = reply.cost.filter(|cost| *cost > 0.0) {
        app.kept.spend(&caller.name, cost)?;
        app.metrics.add("graphwright_model_cost_dollars_total", &[], cost);
    }
    app.metrics.add("graphwright_model_calls_total", &[], reply.calls as f64);
    for direction in ["input", "output", "cached"] {
        if let Some(tokens) = reply.tokens.get(direction) {
            app.metrics.add("graphwright_model_tokens_total", &[("direction", direction)], *tokens as f64);
        }
    }
    Ok(())
}

/// Keeps an answer, unless it is to be forgotten, and adds it to its conversation.
fn keep(
    app: &Shared,
    caller: &Caller,
    workspace: &Workspace,
    request: &AnswerRequest,
    reply: &mut AnswerReply,
) -> Outcome<()> {
    if !request.forget {
        reply.id = match &request.id {
            Some(id) => id.clone(),
            None => kept::fresh_id()?,
        };
        reply.url = app.page(&format!("w/{}/a/{}", workspace.name, reply.id));
        app.kept.save_answer(&caller.name, reply, app.config().serve.kept_answers)?;
    }
    if let Some(conversation) = &request.conversation {
        let turn = ConversationTurn {
            // a name of its own, by which its text is found when a document goes that it rests on
            answer: if reply.id.is_empty() { kept::fresh_id()? } else { reply.id.clone() },
            question: reply.question.clone(),
            text: reply.text.clone(),
        };
        app.kept.add_turn(conversation, &turn)?;
        if reply.id.is_empty() {
            app.kept.note_documents(&workspace.name, &turn.answer, reply)?;
        }
    }
    Ok(())
}

/// What is wrong with a request, before anything is begun for it: a stream that has begun cannot say it by its status.
///
/// # Errors
/// No question, a conversation that is not the caller's, a method that does not work, filters and dates that are none.
pub(crate) async fn check_request(
    app: &App,
    caller: &Caller,
    workspace: &Workspace,
    request: &AnswerRequest,
) -> Outcome<()> {
    check(&request.question, &request.history)?;
    if let Some(id) = &request.conversation {
        app.kept.conversation(&workspace.name, &caller.name, id)?;
    }
    let services = &workspace.services;
    if !request.without_model {
        check_method(services, request.method)?;
        if services.chat.is_some() {
            app.allow_cost(caller)?;
        }
    }
    as_of(services, request.as_of.as_deref())?;
    filters(services, &request.filters).await?;
    Ok(())
}

async fn compose_reply(
    app: &App,
    workspace: &Workspace,
    request: &AnswerRequest,
    generation: u64,
    answer: Answer,
) -> Outcome<AnswerReply> {
    let mut numbering = RecordNumbering::default();
    let text = numbering.piece(&answer.answer);
    let names =
        names_of(workspace, answer.citations.iter().filter_map(|citation| citation.sentence.as_ref()))
            .await?;
    let citations = answer
        .citations
        .iter()
        .map(|citation| CitationShape {
            n: numbering.of(citation.kind, citation.number),
            kind: citation.kind,
            number: citation.number,
            id: citation.id.to_string(),
            name: citation.name.clone(),
            headings: citation.headings.clone(),
            sentence: citation
                .sentence
                .as_ref()
                .map(|sentence| sentence_of(app, workspace, &names, sentence)),
        })
        .collect();
    let table = answer.table.as_ref().map(|table| {
        tables::shape(&answer, table, &mut numbering, &|sentence| {
            sentence_of(app, workspace, &names, sentence)
        })
    });
    let library = library_shape(app, workspace, &answer).await?;
    let answered_by = match answer.answered_by {
        AnsweredBy::Search => AnsweredByShape::Search,
        AnsweredBy::Library => AnsweredByShape::Library,
    };
    let mut notes = answer.notes;
    if let Some(reason) = workspace.services.unusable_models.as_ref().filter(|_| answer.calls == 0) {
        tracing::debug!(%reason, "answered without a model");
        notes.push("the configured model cannot be asked; this answer is made of sentences".to_owned());
    }
    Ok(AnswerReply {
        id: String::new(),
        workspace: workspace.name.clone(),
        generation,
        question: request.question.trim().to_owned(),
        found: answer.found.0,
        method: answer.method,
        text,
        answer: answer.answer,
        citations,
        entities: answer.entities.into_iter().map(named).collect(),
        reports: answer.reports.into_iter().map(named).collect(),
        read_as: answer
            .read_as
            .into_iter()
            .map(|read| ReadAs { written: read.written, read_as: read.read_as })
            .collect(),
        rewritten: answer.rewritten,
        table,
        notes,
        cost: cost(&workspace.services, answer.calls, &answer.tokens),
        timings_ms: answer.timings_ms,
        tokens: answer.tokens,
        calls: answer.calls,
        marks: answer.marks.into_iter().map(|mark| mark.citations).collect(),
        context: context_of(&answer.context, false),
        answered_by,
        library,
        trace: answer.trace.and_then(|trace| serde_json::to_value(trace).ok()),
        asked: kept::now(),
        url: String::new(),
    })
}

/// What the library says to a question, with the sentences that its answer rests on.
async fn library_shape(app: &App, workspace: &Workspace, answer: &Answer) -> Outcome<LibraryShape> {
    let question = |proposal: &Proposal| QuestionShape {
        id: proposal.id.clone(),
        question: proposal.question.clone(),
        confidence: proposal.confidence,
    };
    let questions = |proposals: &[Proposal]| proposals.iter().map(question).collect();
    let Some(standard) = &answer.library else {
        return Ok(LibraryShape {
            did_you_mean: questions(&answer.did_you_mean),
            related: questions(&answer.related),
            ..LibraryShape::default()
        });
    };
    let names = names_of(workspace, answer.sources.iter()).await?;
    let rests_on =
        answer.sources.iter().map(|sentence| sentence_of(app, workspace, &names, sentence)).collect();
    Ok(LibraryShape {
        entry: Some(question(&standard.entry)),
        rests_on,
        stale: standard.stale.iter().cloned().map(StaleShape::of).collect(),
        did_you_mean: Vec::new(),
        related: questions(&standard.related),
    })
}

fn named(record: NamedRecord) -> Named {
    Named { id: record.id.to_string(), name: record.name, score: record.score }
}

fn context_of(context: &query::retrieval::context::Context, with_text: bool) -> ContextShape {
    let items = context.items.iter().map(|item| ItemShape {
        kind: item.kind,
        number: item.number,
        id: item.record.id.to_string(),
        name: item.record.name.clone(),
        score: item.record.score,
        tokens: item.tokens,
        text: if with_text { item.record.text.clone() } else { String::new() },
    });
    ContextShape { tokens: context.tokens, budget_tokens: context.budget_tokens, items: items.collect() }
}

/// What an answer has cost by the prices of the configuration; nothing where there is none for its model.
fn cost(services: &Services, calls: u64, tokens: &BTreeMap<String, u64>) -> Option<f64> {
    if calls == 0 {
        return Some(0.0);
    }
    let llm = &services.config.llm;
    let price = llm.prices.get(llm.answer.model.as_deref().unwrap_or(&llm.model))?;
    let of = |direction: &str| tokens.get(direction).copied().unwrap_or(0) as f64;
    let fresh = (of("input") - of("cached")).max(0.0);
    Some((fresh * price.input + of("cached") * price.cached_input + of("output") * price.output) / 1e6)
}

/// The names of the documents that hold sentences, by key.
pub(crate) async fn names_of(
    workspace: &Workspace,
    sentences: impl Iterator<Item = &SourceSentence>,
) -> Outcome<BTreeMap<String, DocumentName>> {
    let services = &workspace.services;
    let keys: BTreeSet<&String> = sentences.map(|sentence| &sentence.document).collect();
    if keys.is_empty() {
        return Ok(BTreeMap::new());
    }
    let ids: Vec<_> = keys.iter().map(|key| services.ids.document(key)).collect();
    let found = services.graph.documents_by_id(&ids).await?;
    let name = |document: crate::domain::Document| DocumentName {
        id: document.id.to_string(),
        key: document.key,
        title: document.title,
    };
    Ok(found.into_iter().map(name).map(|name| (name.key.clone(), name)).collect())
}

/// A sentence with the name of its document and its link.
pub(crate) fn sentence_of(
    app: &App,
    workspace: &Workspace,
    names: &BTreeMap<String, DocumentName>,
    sentence: &SourceSentence,
) -> Sentence {
    let document = names.get(&sentence.document).cloned().unwrap_or_else(|| DocumentName {
        id: workspace.services.ids.document(&sentence.document).to_string(),
        key: sentence.document.clone(),
        title: String::new(),
    });
    Sentence {
        url: link(app, &workspace.name, &document.id, Some(((sentence.start, sentence.end), &sentence.text))),
        text_unit: sentence.text_unit_id.to_string(),
        start: sentence.start,
        end: sentence.end,
        place: sentence.place(),
        text: sentence.text.clone(),
        document,
    }
}

/// The link to a document, with a passage marked: its first and last character, and what its text was, so that whoever
/// opens the link when the document has changed is led to the passage, not to other words.
pub(crate) fn link(
    app: &App,
    workspace: &str,
    document: &str,
    passage: Option<((u64, u64), &str)>,
) -> String {
    let marked = passage.map(|((start, end), text)| {
        let whole = text.chars().count() as u64 == end.saturating_sub(start);
        let mark = if whole { format!("&mark={:08x}", mark_of(text)) } else { String::new() };
        format!("?from={start}&to={end}{mark}")
    });
    app.page(&format!("w/{workspace}/d/{document}{}", marked.unwrap_or_default()))
}

/// A short sign of a text that a page can hold against every stretch of a document in one go: a polynomial over its
/// characters, white space alike, by 32 bits.
fn mark_of(text: &str) -> u32 {
    text.chars().fold(0, |mark: u32, character| {
        let character = if character.is_whitespace() { ' ' } else { character };
        mark.wrapping_mul(MARK_BASE).wrapping_add(u32::from(character))
    })
}

/// Searches without a model. The caller has a place already.
///
/// # Errors
/// A request that is wrong; what the stores say; too slow.
pub(crate) async fn search(
    app: &Shared,
    workspace: &Arc<Workspace>,
    request: &SearchRequest,
) -> Outcome<SearchReply> {
    let begun = Instant::now();
    let found = within_time(app, app.config().serve.answer_s, search_now(app, workspace, request)).await?;
    let labels = [("method", name_of(found.method))];
    app.metrics.took("graphwright_search_duration_seconds", &labels, begun.elapsed());
    Ok(found)
}

async fn search_now(
    app: &Shared,
    workspace: &Arc<Workspace>,
    request: &SearchRequest,
) -> Outcome<SearchReply> {
    check(&request.question, &[])?;
    let services = &workspace.services;
    let asked = QueryRequest {
        question: request.question.trim().to_owned(),
        method: request.method,
        level: level_of(request.level),
        filters: filters(services, &request.filters).await?,
        as_of: as_of(services, request.as_of.as_deref())?,
        ..QueryRequest::default()
    };
    let generation = workspace.generation().await?;
    let answer = if request.method == Method::Local && !request.sentences {
        query::local_context(services, &asked).await?
    } else {
        let services = &without_model(services);
        check_method(services, request.method)?;
        query::query(services, &asked, &mut |_| {}).await?
    };
    let names = names_of(workspace, answer.sources.iter()).await?;
    let mut numbering = RecordNumbering::default();
    let text = numbering.piece(&answer.answer);
    let table = answer.table.as_ref().map(|table| {
        tables::shape(&answer, table, &mut numbering, &|sentence| {
            sentence_of(app, workspace, &names, sentence)
        })
    });
    let mut notes = answer.notes;
    if answer.method == Method::Table && table.is_none() {
        notes.push(text);
    }
    Ok(SearchReply {
        workspace: workspace.name.clone(),
        generation,
        method: answer.method,
        read_as: answer
            .read_as
            .iter()
            .map(|read| ReadAs { written: read.written.clone(), read_as: read.read_as.clone() })
            .collect(),
        text: if request.without_text { String::new() } else { answer.context.text() },
        context: context_of(&answer.context, !request.without_text),
        sentences: answer
            .sources
            .iter()
            .map(|sentence| sentence_of(app, workspace, &names, sentence))
            .collect(),
        table,
        notes,
        timings_ms: answer.timings_ms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_of_a_text_is_the_one_that_the_page_makes() {
        // what tests/browser asks of text.js
        assert_eq!(mark_of("Harriet Blom paints lighthouses on Tuesdays."), 0x76b9_699e);
        assert_eq!(mark_of("𠮷野\tTanaka 🗼"), mark_of("𠮷野 Tanaka\u{a0}🗼"));
        assert_ne!(mark_of("ab"), mark_of("ba"));
    }
}
