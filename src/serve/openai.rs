//! OpenAI's API: any client of it asks the graph. A model is a method in a workspace; sources come as `url_citation`
//! annotations, and where a client shows none, as a list in the text.

use super::api::answers::PendingAnswer;
use super::app::Shared;
use super::asking::{self, Event, name_of};
use super::input::{AnswerPlace, Body};
use super::kept;
use super::markdown::UnloadedText;
use super::problem::{Outcome, Problem};
use super::routes::{About, Routes};
use super::shapes::{AnswerReply, AnswerRequest, CitationShape, LevelChoice, ReadAs};
use super::tokens::{Caller, Role};
use super::workspaces::Workspace;
use crate::domain::RecordKind;
use crate::language::unbroken;
use crate::llm::reply::kind_title;
use crate::query::{Effort, Method, Turn};
use axum::Json;
use axum::extract::{Path, State};
use axum::response::sse;
use axum::response::{IntoResponse, Response};
use clap::ValueEnum;
use futures::Stream;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

/// What every model's name begins with.
const MODEL: &str = "graphwright";

pub(super) fn add_to(routes: &mut Routes) {
    let models = || {
        About::new("openai_models", Role::Read, "OpenAI's list of models: one a workspace and method.")
            .reply::<Models>()
    };
    let chat = || {
        About::new(
            "openai_chat",
            Role::Ask,
            "OpenAI's chat completions, streaming and not, with url_citation annotations.",
        )
        .body::<ChatRequest>()
        .reply::<Completion>()
        .other("text/event-stream", "with stream: chunks, and data: [DONE] at the end")
    };
    routes.get("/v1/models", models_of_all, models());
    routes.get(
        "/v1/models/{*model}",
        model,
        About::new("openai_model", Role::Read, "One of OpenAI's models.").reply::<Model>(),
    );
    routes.post("/v1/chat/completions", chat_of_all, chat());
    routes.get(
        "/w/{ws}/v1/models",
        models_of_one,
        About::new("openai_models_of", Role::Read, "The same of one workspace.").reply::<Models>(),
    );
    routes.get(
        "/w/{ws}/v1/models/{*model}",
        model_of_one,
        About::new("openai_model_of", Role::Read, "One of OpenAI's models in one workspace.")
            .reply::<Model>(),
    );
    routes.post(
        "/w/{ws}/v1/chat/completions",
        chat_of_one,
        About::new("openai_chat_of", Role::Ask, "The same in one workspace.")
            .body::<ChatRequest>()
            .reply::<Completion>(),
    );
}

/// A model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Model {
    /// `graphwright/local`, or `WORKSPACE:graphwright/local`.
    id: String,
    /// `model`.
    object: &'static str,
    /// 0.
    created: u64,
    /// `graphwright`.
    owned_by: &'static str,
}

/// All models.
#[derive(Debug, Serialize, JsonSchema)]
struct Models {
    /// `list`.
    object: &'static str,
    /// The models.
    data: Vec<Model>,
}

/// A request as OpenAI's clients send it. Fields that are not named here are passed over.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ChatRequest {
    /// `graphwright` (the method by the question's shape), `graphwright/METHOD`, or either behind `WORKSPACE:`.
    model: String,
    /// The conversation: the last message of the user is the question.
    messages: Vec<ChatMessage>,
    /// Send chunks as the answer comes.
    stream: bool,
    /// With `include_usage`, a last chunk says the tokens.
    stream_options: Option<StreamOptions>,
    /// How hard to try: `minimal` and `low` answer without a model, `high` by every method that works; all others as
    /// configured.
    reasoning_effort: Option<String>,
    /// What is ours.
    graphwright: Options,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct StreamOptions {
    /// Whether tokens are told.
    include_usage: bool,
}

/// Options beyond OpenAI's.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Options {
    /// The search, over the model's name.
    method: Option<Method>,
    /// `quick` or `thorough`, over `reasoning_effort`.
    effort: Option<Effort>,
    /// Level of global search.
    level: Option<LevelChoice>,
    /// What may be searched, as in a question.
    filters: Vec<String>,
    /// `annotations` (where absent), or `text`: a list of sources at the end of the answer as well.
    sources: Option<Sources>,
    /// Also send each source with its passage, as Open `WebUI` shows it.
    source_events: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Sources {
    /// As annotations alone.
    Annotations,
    /// As a Markdown list too.
    Text,
}

/// A message.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ChatMessage {
    /// `system`, `developer`, `user` or `assistant`.
    role: String,
    /// Text, or parts of which those of type `text` are read.
    #[schemars(schema_with = "content_schema")]
    content: Value,
}

fn content_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"anyOf": [
        {"type": "string"},
        {"type": "array", "items": {
            "type": "object",
            "properties": {"type": {"type": "string"}, "text": {"type": "string"}},
            "additionalProperties": true,
        }},
        {"type": "null"},
    ]})
}

/// An answer as OpenAI's clients read it.
#[derive(Debug, Serialize, JsonSchema)]
struct Completion {
    /// Its id.
    id: String,
    /// `chat.completion`.
    object: &'static str,
    /// When, in seconds since 1970.
    created: i64,
    /// The model.
    model: String,
    /// One choice: the answer.
    choices: Vec<Choice>,
    /// Tokens.
    usage: CompletionUsage,
    /// What is ours.
    graphwright: OwnPart,
}

/// The answer among the choices, of which there is one.
#[derive(Debug, Serialize, JsonSchema)]
struct Choice {
    /// 0.
    index: u32,
    /// The answer.
    message: AnswerMessage,
    /// Always null.
    logprobs: Option<()>,
    /// `stop`.
    finish_reason: &'static str,
}

/// The answer as a message.
#[derive(Debug, Serialize, JsonSchema)]
struct AnswerMessage {
    /// `assistant`.
    role: &'static str,
    /// The text with citations as numbers: `[1]`.
    content: String,
    /// Always null.
    refusal: Option<()>,
    /// The citations, the first of each number.
    annotations: Vec<Annotation>,
}

/// A citation.
#[derive(Debug, Serialize, JsonSchema)]
struct Annotation {
    /// `url_citation`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Where it leads.
    url_citation: UrlCitation,
}

/// Where a citation leads, and where it stands.
#[derive(Debug, Serialize, JsonSchema)]
struct UrlCitation {
    /// Link to the sentence, marked in its document.
    url: String,
    /// Title of the document and heading of the section.
    title: String,
    /// First character of the number in the text, in Unicode scalar values.
    start_index: usize,
    /// One behind its last character.
    end_index: usize,
}

/// Tokens of an answer.
#[derive(Debug, Serialize, JsonSchema)]
struct CompletionUsage {
    /// Sent.
    prompt_tokens: u64,
    /// Written.
    completion_tokens: u64,
    /// Both.
    total_tokens: u64,
    /// Of those that were sent.
    prompt_tokens_details: PromptDetails,
}

/// More of the tokens that were sent.
#[derive(Debug, Serialize, JsonSchema)]
struct PromptDetails {
    /// Those that the provider had kept.
    cached_tokens: u64,
}

/// What an answer of ours has beyond OpenAI's.
#[derive(Debug, Serialize, JsonSchema)]
struct OwnPart {
    /// Id of the kept answer.
    id: String,
    /// Its link.
    url: String,
    /// The workspace.
    workspace: String,
    /// The generation of the graph that it was read from.
    generation: u64,
    /// The search that gave it.
    method: Method,
    /// Limits that were reached.
    notes: Vec<String>,
    /// Names of the question that were read otherwise than they were written.
    read_as: Vec<ReadAs>,
    /// What the numbers stand for.
    citations: Vec<CitationShape>,
}

impl ChatMessage {
    fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts
                .iter()
                .filter_map(|part| part.get("text").and_then(Value::as_str))
                .collect::<Vec<_>>()
                .join("\n"),
            _ => String::new(),
        }
    }
}

/// What a model's name means: a workspace, where it names one, and a method.
fn read_model(model: &str) -> Outcome<(Option<String>, Method)> {
    let (workspace, name) = match model.rsplit_once(':') {
        Some((workspace, name)) => (Some(workspace.to_owned()), name),
        None => (None, model),
    };
    let unknown = || {
        Problem::not_found(format!(
            "there is no model {model:?}; GET /v1/models lists them, such as {MODEL}/local"
        ))
    };
    let rest = name.strip_prefix(MODEL).ok_or_else(unknown)?;
    let method = match rest.strip_prefix('/') {
        None if rest.is_empty() => Method::Auto,
        None => return Err(unknown()),
        Some(method) => Method::from_str(method, false).map_err(|_error| unknown())?,
    };
    Ok((workspace, method))
}

fn models_in(workspace: &Workspace, with_name: bool) -> Vec<Model> {
    let prefix = if with_name { format!("{}:", workspace.name) } else { String::new() };
    let mut ids = vec![format!("{prefix}{MODEL}")];
    for method in asking::methods(&workspace.services).into_iter().filter(|method| *method != Method::Auto) {
        ids.push(format!("{prefix}{MODEL}/{}", name_of(method)));
    }
    ids.into_iter().map(|id| Model { id, object: "model", created: 0, owned_by: MODEL }).collect()
}

async fn all_models(app: &Shared, caller: &Caller) -> Outcome<Vec<Model>> {
    let names = app.names_for(caller);
    let default = app.default_workspace(caller).ok();
    let mut models = Vec::new();
    if let Some(name) = &default {
        models.extend(models_in(app.workspace(caller, name).await?.as_ref(), false));
    }
    if names.len() > 1 || default.is_none() {
        for name in names {
            // one that cannot be opened hides no other
            match app.workspace(caller, &name).await {
                Ok(workspace) => models.extend(models_in(&workspace, true)),
                Err(problem) => tracing::warn!(workspace = name, cause = problem.cause, "cannot be opened"),
            }
        }
    }
    Ok(models)
}

async fn models_of_all(State(app): State<Shared>, caller: Caller) -> Outcome<Json<Models>> {
    Ok(Json(Models { object: "list", data: all_models(&app, &caller).await? }))
}

async fn model(State(app): State<Shared>, caller: Caller, Path(id): Path<String>) -> Outcome<Json<Model>> {
    let found = all_models(&app, &caller).await?.into_iter().find(|model| model.id == id);
    found
        .map(Json)
        .ok_or_else(|| Problem::not_found(format!("there is no model {id:?}; GET /v1/models lists them")))
}

async fn models_of_one(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
) -> Outcome<Json<Models>> {
    let workspace = app.workspace(&caller, &ws).await?;
    Ok(Json(Models { object: "list", data: models_in(&workspace, false) }))
}

async fn model_of_one(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<Json<Model>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let found = models_in(&workspace, false).into_iter().find(|model| model.id == id);
    found.map(Json).ok_or_else(|| {
        Problem::not_found(format!("there is no model {id:?}; GET /w/{ws}/v1/models lists them"))
    })
}

async fn chat_of_all(
    State(app): State<Shared>,
    caller: Caller,
    place: AnswerPlace,
    Body(request): Body<ChatRequest>,
) -> Outcome<Response> {
    let named = read_model(&request.model)?.0;
    let name = named.map_or_else(|| app.default_workspace(&caller), Ok)?;
    let workspace = app.workspace(&caller, &name).await?;
    chat(app, caller, &workspace, place, request).await
}

async fn chat_of_one(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    place: AnswerPlace,
    Body(request): Body<ChatRequest>,
) -> Outcome<Response> {
    if read_model(&request.model)?.0.is_some_and(|named| named != ws) {
        return Err(Problem::invalid(format!(
            "this address is that of workspace {ws}; the model names another"
        )));
    }
    let workspace = app.workspace(&caller, &ws).await?;
    chat(app, caller, &workspace, place, request).await
}

/// What a conversation asks: question, earlier turns, wishes for the form of the answer.
fn read_messages(messages: &[ChatMessage]) -> Outcome<(String, Vec<Turn>, String)> {
    let mut turns: Vec<Turn> = Vec::new();
    let mut wishes = String::new();
    let mut open: Option<String> = None;
    for message in messages {
        let text = message.text();
        match message.role.as_str() {
            "system" | "developer" => {
                if !wishes.is_empty() {
                    wishes.push('\n');
                }
                wishes.push_str(&text);
            }
            "user" => {
                if let Some(question) = open.replace(text) {
                    turns.push(Turn { question, answer: String::new() });
                }
            }
            "assistant" => turns.push(Turn { question: open.take().unwrap_or_default(), answer: text }),
            _ => {}
        }
    }
    let question = open.ok_or_else(|| {
        Problem::invalid(
            "the last message must be the user's: {\"role\": \"user\", \"content\": \"a question\"}",
        )
    })?;
    Ok((question, turns, wishes))
}

async fn chat(
    app: Shared,
    caller: Caller,
    workspace: &Arc<Workspace>,
    AnswerPlace(place): AnswerPlace,
    request: ChatRequest,
) -> Outcome<Response> {
    let method = read_model(&request.model)?.1;
    let (question, history, wishes) = read_messages(&request.messages)?;
    if question.trim().is_empty() {
        return Err(Problem::invalid(
            "the last message holds no text; write the question into its \"content\" (pictures are not read)",
        ));
    }
    if is_task(&question) {
        return Err(Problem::invalid(
            "this asks for a title, tags or follow-up questions, which need no graph; give the client another model for its \
             tasks",
        ));
    }
    let options = request.graphwright;
    let asked = AnswerRequest {
        question,
        method: options.method.unwrap_or(method),
        effort: match (options.effort, request.reasoning_effort.as_deref()) {
            (Some(effort), _) => effort,
            (None, Some("high" | "xhigh")) => Effort::Thorough,
            (None, _) => Effort::Quick,
        },
        level: options.level,
        filters: options.filters.clone(),
        response_type: (!wishes.trim().is_empty()).then(|| wishes.chars().take(4_000).collect()),
        without_model: matches!(request.reasoning_effort.as_deref(), Some("minimal" | "low" | "none")),
        history,
        ..AnswerRequest::default()
    };
    let style = Style {
        id: format!("chatcmpl-{}", kept::fresh_id()?),
        created: chrono::Utc::now().timestamp(),
        model: request.model,
        with_list: options.sources == Some(Sources::Text),
        with_source_events: options.source_events,
        with_usage: request.stream_options.is_some_and(|options| options.include_usage),
    };
    if request.stream {
        asking::check_request(&app, &caller, workspace, &asked).await?;
        let asking = PendingAnswer::begin(&app, caller, workspace, asked, place);
        return Ok(super::api::events::stream(&app, chunks(style, asking)));
    }
    let reply = asking::answer(&app, &caller, workspace, &asked, None).await?;
    drop(place);
    Ok(Json(style.whole(&reply)).into_response())
}

/// Chat front ends ask for titles, tags and follow-up questions in the same way as users ask.
fn is_task(question: &str) -> bool {
    question.starts_with("### Task:") && question.contains("<chat_history>")
}

/// What all chunks of an answer have in common.
struct Style {
    id: String,
    created: i64,
    model: String,
    with_list: bool,
    with_source_events: bool,
    with_usage: bool,
}

/// What a citation is called, and its link.
fn title_of(citation: &CitationShape) -> String {
    let title = match (&citation.sentence, citation.kind) {
        (Some(sentence), RecordKind::Sources) => {
            let name = document_name(sentence);
            let place = sentence.place.iter().flat_map(|place| [", ", place.as_str()]);
            let heading = citation.headings.last().filter(|heading| *heading != name);
            let heading = heading.into_iter().flat_map(|heading| [" › ", heading.as_str()]);
            std::iter::once(name).chain(place).chain(heading).collect()
        }
        (_, kind) => format!("{}: {}", kind_title(kind), citation.name),
    };
    UnloadedText::of(&title)
}

/// The citations that have a sentence to show, the first of each number.
fn cited_sentences(reply: &AnswerReply) -> Vec<(&CitationShape, &super::shapes::Sentence)> {
    let mut seen = std::collections::BTreeSet::new();
    reply
        .citations
        .iter()
        .filter_map(|citation| Some((citation, citation.sentence.as_ref()?)))
        .filter(|(citation, _)| seen.insert(citation.n))
        .collect()
}

/// The sentences that a standard answer rests on.
fn rests_on(reply: &AnswerReply) -> impl Iterator<Item = &super::shapes::Sentence> {
    reply.library.entry.iter().flat_map(|_| &reply.library.rests_on)
}

fn document_name(sentence: &super::shapes::Sentence) -> &str {
    let document = &sentence.document;
    if document.title.is_empty() { &document.key } else { &document.title }
}

impl Style {
    /// The citations as annotations of the text: where each number stands, counted in characters. A number that stands behind
    /// several sentences leads from each to what proves that one; a standard answer to what it rests on as a whole.
    fn annotations(text: &str, reply: &AnswerReply) -> Vec<Annotation> {
        let characters = |bytes: usize| text.get(..bytes).unwrap_or_default().chars().count();
        let annotation = |url: &str, title: String, bytes: std::ops::Range<usize>| Annotation {
            kind: "url_citation",
            url_citation: UrlCitation {
                url: url.to_owned(),
                title,
                start_index: characters(bytes.start),
                end_index: characters(bytes.end),
            },
        };
        let whole =
            rests_on(reply).map(|one| annotation(&one.url, document_name(one).to_owned(), 0..text.len()));
        if reply.marks.is_empty() {
            let cited = cited_sentences(reply).into_iter().map(|(citation, sentence)| {
                let mark = format!("[{}]", citation.n);
                let at = text.find(&mark);
                let bytes = at.map_or(0..0, |at| at..at + mark.len());
                annotation(&sentence.url, title_of(citation), bytes)
            });
            return cited.chain(whole).collect();
        }
        let mut found = Vec::new();
        let mut begin = 0;
        for mark in &reply.marks {
            let mut end = begin;
            for citation in mark.iter().filter_map(|place| reply.citations.get(*place)) {
                let mark = format!("[{}]", citation.n);
                let at = text.get(begin..).and_then(|rest| rest.find(&mark)).map(|at| begin + at);
                let (Some(at), Some(sentence)) = (at, &citation.sentence) else { continue };
                end = end.max(at + mark.len());
                found.push(annotation(&sentence.url, title_of(citation), at..at + mark.len()));
            }
            begin = end;
        }
        found.into_iter().chain(whole).collect()
    }

    /// What stands behind the answer: that it may be out of date, which a client of this interface reads nowhere else, and
    /// the sources where they are wanted as text.
    fn behind(&self, reply: &AnswerReply) -> String {
        let mut text = String::new();
        if reply.library.entry.is_some() && !reply.library.stale.is_empty() {
            text.push_str(&format!("\n\n({})", reply.notes.join("; ")));
        }
        if self.with_list {
            text.push_str(&Self::list(reply));
        }
        UnloadedText::of(&text)
    }

    /// The sources as a list in Markdown.
    fn list(reply: &AnswerReply) -> String {
        let mut text = String::new();
        for (citation, sentence) in cited_sentences(reply) {
            let title = title_of(citation).replace(['[', ']', '\n'], " ");
            let quote = unbroken(&sentence.text);
            text.push_str(&format!("\n- [{}] [{title}]({}): {quote}", citation.n, sentence.url));
        }
        for sentence in rests_on(reply) {
            let title = document_name(sentence).replace(['[', ']', '\n'], " ");
            text.push_str(&format!("\n- [{title}]({}): {}", sentence.url, unbroken(&sentence.text)));
        }
        if text.is_empty() { text } else { format!("\n\n**Sources**\n{text}") }
    }

    fn usage(reply: &AnswerReply) -> CompletionUsage {
        let of = |name: &str| reply.tokens.get(name).copied().unwrap_or(0);
        let (prompt_tokens, completion_tokens) = (of("input"), of("output"));
        CompletionUsage {
            prompt_tokens,
            completion_tokens,
            total_tokens: prompt_tokens.saturating_add(completion_tokens),
            prompt_tokens_details: PromptDetails { cached_tokens: of("cached") },
        }
    }

    fn ours(reply: &AnswerReply) -> OwnPart {
        OwnPart {
            id: reply.id.clone(),
            url: reply.url.clone(),
            workspace: reply.workspace.clone(),
            generation: reply.generation,
            method: reply.method,
            notes: reply.notes.clone(),
            read_as: reply.read_as.clone(),
            citations: reply.citations.clone(),
        }
    }

    fn whole(self, reply: &AnswerReply) -> Completion {
        let mut content = UnloadedText::of(&reply.text);
        content.push_str(&self.behind(reply));
        let annotations = Self::annotations(&content, reply);
        let message = AnswerMessage { role: "assistant", content, refusal: None, annotations };
        Completion {
            id: self.id,
            object: "chat.completion",
            created: self.created,
            model: self.model,
            choices: vec![Choice { index: 0, message, logprobs: None, finish_reason: "stop" }],
            usage: Self::usage(reply),
            graphwright: Self::ours(reply),
        }
    }

    fn chunk(&self, choices: &Value, usage: &Value) -> Value {
        let mut chunk = json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": choices,
        });
        if self.with_usage {
            chunk["usage"] = usage.clone();
        }
        chunk
    }

    fn delta(&self, delta: &Value, finish: Option<&str>) -> sse::Event {
        data(&self.chunk(
            &json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]),
            &Value::Null,
        ))
    }

    /// What comes behind the text.
    fn last(&self, text: &str, reply: &AnswerReply) -> VecDeque<sse::Event> {
        let mut events = VecDeque::new();
        let behind = self.behind(reply);
        if !behind.is_empty() {
            events.push_back(self.delta(&json!({"content": behind}), None));
        }
        if self.with_source_events {
            for (citation, sentence) in cited_sentences(reply) {
                let name = title_of(citation);
                events.push_back(data(&json!({"event": {"type": "source", "data": {
                    "source": {"name": name, "url": sentence.url},
                    "document": [UnloadedText::of(&sentence.text)],
                    // Open WebUI shows the address of what it takes for its own file
                    "metadata": [{"source": sentence.url, "name": name, "external": true}],
                }}})));
            }
        }
        // a client of source events would list each source a second time
        let annotations = Self::annotations(text, reply);
        if !self.with_source_events && !annotations.is_empty() {
            events.push_back(self.delta(&json!({"annotations": annotations}), None));
        }
        events.push_back(self.delta(&json!({}), Some("stop")));
        if self.with_usage {
            events.push_back(data(&self.chunk(&json!([]), &json!(Self::usage(reply)))));
        }
        events
    }
}

fn data(value: &Value) -> sse::Event {
    sse::Event::default().data(value.to_string())
}

/// The text of an answer that was given so far.
#[derive(Default)]
struct GivenText {
    unloaded: UnloadedText,
    given: String,
}

/// The chunks of an answer, to the last line.
fn chunks(style: Style, asking: PendingAnswer) -> impl Stream<Item = Result<sse::Event, Infallible>> + Send {
    enum ChunkStage {
        Role,
        Text,
        Rest(VecDeque<sse::Event>),
        End,
    }
    futures::stream::unfold(
        (style, asking, GivenText::default(), ChunkStage::Role),
        |(style, mut asking, mut text, next)| async move {
            match next {
                ChunkStage::Role => {
                    let event = style.delta(&json!({"role": "assistant", "content": ""}), None);
                    Some((Ok(event), (style, asking, text, ChunkStage::Text)))
                }
                ChunkStage::Text => loop {
                    match asking.events.recv().await {
                        Some(Event::Progress { .. }) => {}
                        Some(Event::Text(piece)) => {
                            let unloaded = text.unloaded.push(&piece);
                            if unloaded.is_empty() {
                                continue;
                            }
                            let event = style.delta(&json!({"content": unloaded}), None);
                            text.given.push_str(&unloaded);
                            return Some((Ok(event), (style, asking, text, ChunkStage::Text)));
                        }
                        None => {
                            let mut rest = match asking.finish().await {
                                Ok(reply) => {
                                    let end = text.unloaded.end();
                                    text.given.push_str(end);
                                    let mut rest = style.last(&text.given, &reply);
                                    if !end.is_empty() {
                                        rest.push_front(style.delta(&json!({"content": end}), None));
                                    }
                                    rest
                                }
                                Err(problem) => VecDeque::from([data(&problem.openai())]),
                            };
                            let first = rest.pop_front()?;
                            return Some((Ok(first), (style, asking, text, ChunkStage::Rest(rest))));
                        }
                    }
                },
                ChunkStage::Rest(mut rest) => {
                    let (event, next) = match rest.pop_front() {
                        Some(event) => (event, ChunkStage::Rest(rest)),
                        None => (sse::Event::default().data("[DONE]"), ChunkStage::End),
                    };
                    Some((Ok(event), (style, asking, text, next)))
                }
                ChunkStage::End => None,
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: &str, content: Value) -> ChatMessage {
        ChatMessage { role: role.into(), content }
    }

    #[test]
    fn a_conversation_becomes_a_question_with_its_turns() {
        let messages = [
            message("system", json!("In one sentence.")),
            message("user", json!("Who is Scrooge?")),
            message("assistant", json!("A miser.")),
            message("user", json!([{"type": "text", "text": "And his clerk?"}])),
        ];
        let (question, turns, wishes) = read_messages(&messages).expect("a question");
        assert_eq!((question.as_str(), wishes.as_str()), ("And his clerk?", "In one sentence."));
        assert_eq!(turns, [Turn { question: "Who is Scrooge?".into(), answer: "A miser.".into() }]);
        assert!(read_messages(&messages[..3]).is_err());
    }

    #[test]
    fn a_models_name_says_where_and_how() {
        let check = |name: &str, workspace: Option<&str>, method: Method| {
            assert_eq!(read_model(name).expect(name), (workspace.map(str::to_owned), method));
        };
        check("graphwright", None, Method::Auto);
        check("graphwright/basic", None, Method::Basic);
        check("书:graphwright/global", Some("书"), Method::Global);
        for name in ["gpt-4o", "graphwright/", "graphwright/none", "graphwrightx"] {
            assert!(read_model(name).is_err(), "{name}");
        }
    }
}
