//! The tools: what each takes, what it gives, and how much of it at most.

use super::arguments::{
    AddedDocument, AnswerText, CommunityPage, CommunityWanted, DocumentPage, DocumentRemoval, DocumentWanted,
    EditReversal, EntityMerge, EntityPart, EntityQuery, EntityWanted, FetchQuery, ItemPage, JobStatus,
    JobWanted, NeighbourhoodGraph, NeighbourhoodQuery, PathQuery, PathResult, Query, QuestionQuery, RecordId,
    RecordText, SearchResults, TableQuery, TableResult, TextPiece, TimeWanted, TrendLists, read,
};
use super::{checking, schema, writing};
use crate::domain::{EntryStatus, Id, RecordKind, SourceSentence, kind_class};
use crate::language::unbroken;
use crate::query::{Effort, Method, Turn};
use crate::serve::api::answers::PendingAnswer;
use crate::serve::api::trends::{self, TrendFields};
use crate::serve::app::{PendingState, Shared};
use crate::serve::asking::{self, Event, link};
use crate::serve::exploring;
use crate::serve::kept;
use crate::serve::listing::{self, DocumentFilter};
use crate::serve::problem::{Outcome, Problem, ProblemType};
use crate::serve::reading::{self, EntityParts};
use crate::serve::shapes::{
    AnswerReply, AnswerRequest, EntityShape, LibraryShape, QuestionShape, SearchRequest, Sentence,
    TableRowShape,
};
use crate::serve::tokens::{Caller, Role};
use crate::serve::workspaces::Workspace;
use crate::trends::Trend;
use rmcp::model::{Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// Tokens of a reply where nothing is said, and at most.
const TOKENS: u32 = 6_000;
pub(super) const MOST_TOKENS: u32 = 20_000;
/// Passages and entities of a search.
const PASSAGES: usize = 10;
const ENTITIES: usize = 5;
/// Entries of a list of trends.
const TRENDS: usize = 10;
/// Types of entities that are named to whoever asks for another.
const TYPES: usize = 20;
/// Characters of a result's excerpt.
const EXCERPT: usize = 700;
/// How long `ask` holds a client up; most give up after 60 s.
const PATIENCE: Duration = Duration::from_secs(45);

/// Tools that only read.
const READING: [&str; 13] = [
    "search",
    "fetch",
    "ask",
    "query_graph",
    "find_entities",
    "get_entity",
    "get_neighbourhood",
    "find_path",
    "list_communities",
    "get_community",
    "list_documents",
    "read_document",
    "trends",
];

/// Tools that change the workspace, and what follows a change.
const WRITING: [&str; 5] = ["add_document", "remove_document", "merge_entities", "undo_edit", "get_job"];

/// A tool's name as we write it.
pub(super) fn name_of(name: &str) -> Option<&'static str> {
    READING.into_iter().chain(WRITING).find(|known| *known == name)
}

fn tool<I: JsonSchema, O: JsonSchema>(name: &'static str, what: &'static str, ws: bool) -> Tool {
    // whether what changes nothing destroys or may be repeated is no question
    let hints = ToolAnnotations::new().read_only(true).open_world(name == "ask");
    Tool::new(name, what, schema::input::<I>(ws))
        .with_annotations(hints)
        .with_raw_output_schema(schema::output::<O>())
}

/// The tools of a caller, in a fixed order: those that read, and those that write for whoever may.
pub(super) fn list(ws: bool, may_write: bool) -> Vec<Tool> {
    let mut tools = reading_tools(ws);
    if may_write {
        tools.extend(writing_tools(ws));
    }
    tools
}

fn writing_tools(ws: bool) -> Vec<Tool> {
    fn writes<I: JsonSchema>(name: &'static str, what: &'static str, ws: bool, destroys: bool) -> Tool {
        let hints =
            ToolAnnotations::new().read_only(false).destructive(destroys).idempotent(true).open_world(false);
        tool::<I, JobStatus>(name, what, ws).with_annotations(hints)
    }
    vec![
        writes::<AddedDocument>("add_document", "Adds a text; a job, which `get_job` follows.", ws, false),
        writes::<DocumentRemoval>(
            "remove_document",
            "Takes a document out, with all that rests on it alone; a job.",
            ws,
            true,
        ),
        writes::<EntityMerge>("merge_entities", "Makes several names one entity; a job.", ws, true),
        writes::<EditReversal>("undo_edit", "Takes an edit back; a job.", ws, false),
        tool::<JobWanted, JobStatus>("get_job", "How far a job has come.", ws),
    ]
}

fn reading_tools(ws: bool) -> Vec<Tool> {
    vec![
        tool::<Query, SearchResults>(
            "search",
            "Passages and entities on a subject, best first. No model is asked.",
            ws,
        ),
        tool::<FetchQuery, RecordText>("fetch", "The whole of anything by its id.", ws),
        tool::<QuestionQuery, AnswerText>(
            "ask",
            "An answer with numbered citations, each with its sentence and link. What takes long comes back as pending with an id for `fetch`.",
            ws,
        ),
        tool::<TableQuery, TableResult>(
            "query_graph",
            "Rows of the graph with their sentences: counts, lists, rankings. No model is asked; what is refused comes with what can be asked.",
            ws,
        ),
        tool::<EntityQuery, ItemPage>(
            "find_entities",
            "Persons, places and things whose names hold a text.",
            ws,
        ),
        tool::<EntityWanted, RecordId>(
            "get_entity",
            "Who or what something is, with relationships and sentences.",
            ws,
        ),
        tool::<NeighbourhoodQuery, NeighbourhoodGraph>(
            "get_neighbourhood",
            "What lies around an entity, heaviest links first.",
            ws,
        ),
        tool::<PathQuery, PathResult>(
            "find_path",
            "How two entities are linked, with the sentence behind each step.",
            ws,
        ),
        tool::<CommunityPage, ItemPage>(
            "list_communities",
            "Groups of entities with titles: what the whole is about.",
            ws,
        ),
        tool::<CommunityWanted, RecordId>(
            "get_community",
            "The report on a group, its findings with sentences, its members.",
            ws,
        ),
        tool::<DocumentPage, ItemPage>("list_documents", "Documents by key.", ws),
        tool::<DocumentWanted, TextPiece>("read_document", "A document's text from a character on.", ws),
        tool::<TimeWanted, TrendLists>(
            "trends",
            "What is named more, less, first, no more, contradicted; with sentences.",
            ws,
        ),
    ]
}

/// Calls a tool. What is being done is told to `steps`.
pub(super) async fn call(
    app: &Shared,
    caller: &Caller,
    name: &'static str,
    mut arguments: Map<String, Value>,
    steps: UnboundedSender<String>,
) -> Outcome<Value> {
    let wanted = arguments.remove("workspace");
    let workspace = match wanted.as_ref().and_then(Value::as_str).filter(|name| !name.is_empty()) {
        Some(name) => name.to_owned(),
        None => app.default_workspace(caller)?,
    };
    let workspace = app.workspace(caller, &workspace).await?;
    let schema = list(false, true).into_iter().find(|tool| tool.name == name).map(|tool| tool.input_schema);
    let arguments = checking::checked(name, &schema.unwrap_or_default(), arguments)?;
    if WRITING.contains(&name) {
        return writing::call(app, caller, &workspace, name, arguments).await;
    }
    if name == "ask" {
        app.allow(caller, Role::Ask)?;
        return ask(app, caller, &workspace, read(arguments)?, &steps).await;
    }
    let _place = app.limits.search().await?;
    let reply = ToolContext { app, workspace: &workspace };
    match name {
        "search" => reply.search(read(arguments)?).await,
        "fetch" => reply.fetch(read(arguments)?).await,
        "query_graph" => reply.rows(read(arguments)?).await,
        "find_entities" => reply.find_entities(read(arguments)?).await,
        "get_entity" => reply.entity(read(arguments)?).await,
        "get_neighbourhood" => reply.neighbourhood(read(arguments)?).await,
        "find_path" => reply.path(read(arguments)?).await,
        "list_communities" => reply.communities(read(arguments)?).await,
        "get_community" => reply.community(read(arguments)?).await,
        "list_documents" => reply.documents(read(arguments)?).await,
        "trends" => reply.trends(read(arguments)?).await,
        _ => reply.document(read(arguments)?).await,
    }
}

fn method_of(name: &str) -> Outcome<Method> {
    use clap::ValueEnum;
    Method::from_str(name, true).map_err(|_error| {
        Problem::invalid(format!(
            "there is no method {name:?}; there are auto, local, global, basic, drift, raptor, reader, source, table"
        ))
    })
}

/// Answers, or says where the answer will be.
async fn ask(
    app: &Shared,
    caller: &Caller,
    workspace: &Arc<Workspace>,
    asked: QuestionQuery,
    steps: &UnboundedSender<String>,
) -> Outcome<Value> {
    if app.tokens.is_needed() {
        app.limits.asks(caller)?;
    }
    let id = kept::fresh_id()?;
    let request = AnswerRequest {
        question: asked.question,
        method: method_of(&asked.method)?,
        effort: if asked.thorough { Effort::Thorough } else { Effort::Quick },
        filters: asked.filters,
        as_of: Some(asked.as_of),
        history: Vec::<Turn>::new(),
        id: Some(id.clone()),
        ..AnswerRequest::default()
    };
    let place = app.limits.answer().await?;
    let mut asking = PendingAnswer::begin(app, caller.clone(), workspace, request, place);
    let follow = async {
        while let Some(event) = asking.events.recv().await {
            if let Event::Progress { step, .. } = event {
                // nobody need listen
                let _ = steps.send(step);
            }
        }
        asking.finish().await
    };
    let answered = tokio::time::timeout(PATIENCE, follow).await;
    if let Ok(reply) = answered {
        return Ok(answer_shape(workspace, &reply?, asked.max_tokens));
    }
    asking.let_go();
    Ok(json!({
        "id": format!("answer:{id}"),
        "pending": true,
        "text": format!("The answer takes longer; fetch answer:{id} in a while."),
        "citations": [],
        "notes": [],
        "url": "",
    }))
}

fn answer_shape(workspace: &Workspace, reply: &AnswerReply, max_tokens: u32) -> Value {
    let citations: Vec<Value> = reply
        .citations
        .iter()
        .map(|citation| {
            let kind = match citation.kind {
                RecordKind::Sources => "unit",
                RecordKind::Reports => "community",
                RecordKind::Entities => "entity",
                RecordKind::Relationships => "relationship",
                RecordKind::Claims => "claim",
                RecordKind::Answers => "answer",
            };
            let sentence = citation.sentence.as_ref();
            json!({
                "n": citation.n,
                "id": format!("{kind}:{}", citation.id),
                "name": citation.name,
                "sentence": sentence.map(|sentence| &sentence.text),
                "document": sentence.map(|sentence| &sentence.document.key),
                "place": sentence.and_then(|sentence| sentence.place.as_deref()),
                "start": sentence.map(|sentence| sentence.start),
                "end": sentence.map(|sentence| sentence.end),
                "url": sentence.map_or("", |sentence| &sentence.url),
            })
        })
        .collect();
    let citations: Vec<Value> = citations.into_iter().chain(rests_on(reply)).collect();
    let tokens = workspace.services.tokens;
    let limit = usize::try_from(max_tokens).unwrap_or(usize::MAX);
    let text = tokens.truncate(&reply.text, limit);
    let left = limit.saturating_sub(tokens.count(text));
    let (citations, truncated) = fitting(workspace, citations, left);
    let mut notes = reply.notes.clone();
    notes.extend(said_by_the_library(&reply.library));
    if truncated || text.len() < reply.text.len() {
        notes.push(format!("cut to max_tokens; fetch answer:{} gives the whole", reply.id));
    }
    json!({
        "id": format!("answer:{}", reply.id),
        "pending": false,
        "text": text,
        "citations": citations,
        "notes": notes,
        "url": reply.url,
    })
}

/// The sentences that a standard answer rests on.
fn rests_on(reply: &AnswerReply) -> impl Iterator<Item = Value> {
    (1..).zip(&reply.library.rests_on).map(|(n, sentence)| {
        json!({
            "n": n,
            "id": format!("unit:{}", sentence.text_unit),
            "name": sentence.document.key,
            "sentence": sentence.text,
            "document": sentence.document.key,
            "place": sentence.place,
            "start": sentence.start,
            "end": sentence.end,
            "url": sentence.url,
        })
    })
}

/// What a caller has to know of a standard answer, and the questions that the library proposes.
fn said_by_the_library(library: &LibraryShape) -> Vec<String> {
    let questions = |them: &[QuestionShape]| {
        them.iter()
            .map(|one| format!("\"{}\" (answer:{})", one.question, one.id))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut notes = Vec::new();
    if let Some(entry) = &library.entry {
        notes.push(format!("a standard answer of the library, answer:{}: \"{}\"", entry.id, entry.question));
    }
    for stale in &library.stale {
        let now =
            stale.now.as_ref().map_or_else(String::new, |now| format!("; there it says now: \"{now}\""));
        notes.push(format!("stale: {} does not say \"{}\" any more{now}", stale.document, stale.was));
    }
    if !library.did_you_mean.is_empty() {
        notes.push(format!("the library answers: {}", questions(&library.did_you_mean)));
    }
    if !library.related.is_empty() {
        notes.push(format!("may be asked next: {}", questions(&library.related)));
    }
    notes
}

/// As many of the first items as fit, and whether something was left out.
fn fitting(workspace: &Workspace, mut items: Vec<Value>, budget: usize) -> (Vec<Value>, bool) {
    let mut used = 0;
    let count = items
        .iter()
        .take_while(|item| {
            used += workspace.services.tokens.count(&item.to_string());
            used <= budget
        })
        .count();
    let truncated = count < items.len();
    items.truncate(count.max(1));
    (items, truncated)
}

/// What a tool works with.
struct ToolContext<'a> {
    app: &'a Shared,
    workspace: &'a Arc<Workspace>,
}

fn excerpt(text: &str) -> String {
    let flat: String = unbroken(text);
    if flat.chars().count() <= EXCERPT { flat } else { flat.chars().take(EXCERPT).chain(['…']).collect() }
}

fn value<T: serde::Serialize>(shape: &T) -> Outcome<Value> {
    serde_json::to_value(shape).map_err(|error| Problem::failed(error.to_string()))
}

/// A row with its sentences, without what an agent has no use for.
fn row(row: &TableRowShape) -> Value {
    let told = |sentence: &Sentence| {
        json!({"text": sentence.text, "document": sentence.document.key, "start": sentence.start,
               "end": sentence.end, "url": sentence.url})
    };
    let sentences: Vec<Value> = row.sentences.iter().map(|of| told(&of.sentence)).collect();
    let superseded: Vec<Value> = row
        .superseded
        .iter()
        .map(|one| json!({"earlier": told(&one.earlier), "later": told(&one.later)}))
        .collect();
    json!({"id": row.id.as_ref(), "name": row.name, "type": row.kind, "number": row.number, "said": row.said,
           "first": row.first, "last": row.last, "records": row.records, "sentences": sentences,
           "superseded": superseded})
}

/// A sentence as an agent reads it.
fn sentence_json(sentence: &SourceSentence) -> Value {
    let date = sentence.date.as_ref().map(|date| &date.written);
    json!({"text": sentence.text, "document": sentence.document, "date": date, "start": sentence.start,
           "end": sentence.end})
}

/// A curve with the latest sentence of it.
fn trend(of: &Trend) -> Value {
    json!({"name": of.name, "kind": of.kind, "type": of.r#type, "since": of.since, "until": of.until,
           "score": of.score, "curve": of.curve, "sentiment": of.sentiment,
           "sentence": of.sources.last().map(sentence_json)})
}

fn limit_of(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// How many rows stand before a page.
fn begin_of(cursor: Option<&str>) -> Outcome<usize> {
    cursor.map_or(Ok(0), |cursor| {
        cursor.parse().map_err(|_error| {
            Problem::invalid(format!(
                "the argument \"cursor\" is {cursor:?}; give what \"next\" of the page before says"
            ))
        })
    })
}

/// Refuses a type that no entity has, and says which there are.
fn check_type(kind: &str, counts: &BTreeMap<String, usize>) -> Outcome<()> {
    let wanted = kind_class(kind);
    if wanted.is_empty() || counts.keys().any(|known| kind_class(known) == wanted) {
        return Ok(());
    }
    let mut known: Vec<(&String, &usize)> = counts.iter().collect();
    known.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let known: Vec<String> =
        known.into_iter().take(TYPES).map(|(kind, count)| format!("{kind} ({count})")).collect();
    Err(Problem::invalid(format!("no entity is of type {kind:?}; there are {}", known.join(", "))))
}

impl ToolContext<'_> {
    fn entity_link(&self, id: &str) -> String {
        self.app.page(&format!("w/{}/e/{id}", self.workspace.name))
    }

    /// A page with as many items as fit; `next_at` gives the cursor behind so many of them.
    fn page<T: serde::Serialize>(
        &self,
        items: &[T],
        next: Option<String>,
        next_at: impl Fn(usize) -> Option<String>,
    ) -> Outcome<Value> {
        let all = items.iter().map(value).collect::<Outcome<Vec<Value>>>()?;
        if all.is_empty() {
            return Ok(json!({"items": [], "next": "", "truncated": false}));
        }
        let (items, shortened) = fitting(self.workspace, all, TOKENS as usize);
        let next = if shortened { next_at(items.len()) } else { next };
        let truncated = shortened || next.is_some();
        Ok(json!({"items": items, "next": next.unwrap_or_default(), "truncated": truncated}))
    }

    async fn search(&self, query: Query) -> Outcome<Value> {
        let request = SearchRequest { question: query.query, ..SearchRequest::default() };
        let found = asking::search(self.app, self.workspace, &request).await?;
        let of = |kind: RecordKind, most: usize| {
            found.context.items.iter().filter(move |item| item.kind == kind).take(most)
        };
        let ids: Vec<Id> =
            of(RecordKind::Sources, PASSAGES).map(|item| Id::from_stored(item.id.as_str())).collect();
        let units = self.workspace.services.graph.passages_by_id(&ids).await?;
        let mut results = Vec::new();
        for id in &ids {
            let Some(unit) = units.iter().find(|unit| unit.unit.id == *id) else { continue };
            let span = Some(((unit.unit.start_offset, unit.unit.end_offset), unit.unit.text.as_str()));
            let title =
                if unit.document_title.is_empty() { &unit.document_key } else { &unit.document_title };
            let heading =
                unit.unit.headings.last().map(|heading| format!(" › {heading}")).unwrap_or_default();
            results.push(json!({
                "id": format!("unit:{id}"),
                "title": format!("{title}{heading}"),
                "url": link(self.app, &self.workspace.name, unit.unit.document_id.as_str(), span),
                "text": excerpt(&unit.unit.text),
            }));
        }
        for item in of(RecordKind::Entities, ENTITIES) {
            results.push(json!({
                "id": format!("entity:{}", item.id),
                "title": item.name,
                "url": self.entity_link(&item.id),
                "text": excerpt(&item.text),
            }));
        }
        let (results, _) = if results.is_empty() {
            (results, false)
        } else {
            fitting(self.workspace, results, TOKENS as usize)
        };
        Ok(json!({"results": results}))
    }

    async fn fetch(&self, wanted: FetchQuery) -> Outcome<Value> {
        let (kind, id) = match wanted.id.split_once(':') {
            Some((kind @ ("document" | "unit" | "entity" | "community" | "relationship" | "answer"), id)) => {
                (kind, id)
            }
            _ => ("", wanted.id.as_str()),
        };
        let kinds =
            if kind.is_empty() { vec!["document", "unit", "entity", "community"] } else { vec![kind] };
        let mut last = Problem::not_found(String::new());
        for kind in kinds {
            match self.fetch_one(kind, id).await {
                Err(problem) if problem.kind == ProblemType::NotFound => last = problem,
                found => return found,
            }
        }
        if kind.is_empty() {
            return Err(Problem::not_found(format!(
                "nothing has the id {id:?}; an id is what another tool gave, such as unit:… of search, entity:… of \
                 find_entities, document:… of list_documents, community:… of list_communities or answer:… of ask"
            )));
        }
        Err(last)
    }

    async fn fetch_one(&self, kind: &str, id: &str) -> Outcome<Value> {
        let (title, text, url, metadata) = match kind {
            "document" => {
                let found = reading::text(self.workspace, id, None, None).await?;
                let metadata =
                    json!({"key": found.document.key, "characters": found.total, "kind": "document"});
                let url = link(self.app, &self.workspace.name, &found.document.id, None);
                let title =
                    if found.document.title.is_empty() { found.document.key } else { found.document.title };
                (title, found.text, url, metadata)
            }
            "unit" => {
                let found = reading::unit(self.workspace, id).await?;
                let span = Some(((found.span.start, found.span.end), found.text.as_str()));
                let url = link(self.app, &self.workspace.name, &found.document.id, span);
                let metadata = json!({
                    "kind": "unit", "document": found.document.key, "document_id": found.document.id,
                    "start": found.span.start, "end": found.span.end, "headings": found.span.headings,
                });
                (found.document.title, found.text, url, metadata)
            }
            "entity" => {
                let entity = reading::entity(self.workspace, id).await?;
                let found = reading::entity_shape(self.app, self.workspace, entity, EntityParts::ALL).await?;
                let url = self.entity_link(&found.id);
                let metadata = json!({"kind": "entity", "type": found.kind, "aliases": found.aliases});
                (found.name.clone(), entity_text(&found), url, metadata)
            }
            "community" => {
                let found = reading::community(self.app, self.workspace, id).await?;
                let mut text = found.summary.clone();
                for finding in &found.findings {
                    text.push_str(&format!("\n\n{}\n{}", finding.summary, finding.explanation));
                }
                let url = self.app.page(&format!("w/{}/c/{id}", self.workspace.name));
                let metadata = json!({"kind": "community", "level": found.row.level, "size": found.row.size});
                (found.row.title, text, url, metadata)
            }
            "relationship" => {
                let found = self.workspace.services.graph.relationships_by_id(&[Id::from_stored(id)]).await?;
                let mut shapes = reading::relationship_shapes(self.app, self.workspace, found, true).await?;
                let found = shapes
                    .pop()
                    .ok_or_else(|| Problem::not_found(format!("no relationship has the id {id:?}")))?;
                let said = found.sentence.as_ref();
                let quote = said.map(|sentence| format!("\n\n\"{}\"", sentence.text)).unwrap_or_default();
                let url = said.map(|sentence| sentence.url.clone()).unwrap_or_default();
                let metadata = json!({"kind": "relationship", "weight": found.weight});
                let title = format!("{} – {}", found.source.name, found.target.name);
                (title, format!("{}: {}{quote}", found.kind, found.description), url, metadata)
            }
            _ => return self.fetch_answer(id).await,
        };
        let tokens = self.workspace.services.tokens;
        let cut = tokens.truncate(&text, MOST_TOKENS as usize);
        let mut metadata = metadata;
        if cut.len() < text.len() {
            metadata["truncated"] = json!(true);
            metadata["hint"] = json!("read_document reads on from a character");
        }
        Ok(
            json!({"id": format!("{kind}:{id}"), "title": title, "text": cut, "url": url, "metadata": metadata}),
        )
    }

    async fn fetch_answer(&self, id: &str) -> Outcome<Value> {
        if let Some(state) = self.app.pending(id) {
            return match state {
                PendingState::Made => Ok(json!({
                    "id": format!("answer:{id}"), "title": "not ready yet", "text": "The answer is still being made.",
                    "url": "", "metadata": {"kind": "answer", "pending": true},
                })),
                PendingState::Failed(detail) => Err(Problem::new(ProblemType::ModelFailed, detail)),
            };
        }
        let found = match self.app.kept.answer(&self.workspace.name, id) {
            Err(problem) if problem.kind == ProblemType::NotFound => {
                return self.fetch_entry(id, problem).await;
            }
            found => found?,
        };
        let shape = answer_shape(self.workspace, &found, MOST_TOKENS);
        Ok(json!({
            "id": format!("answer:{id}"), "title": found.question, "text": found.text, "url": found.url,
            "metadata": {"kind": "answer", "pending": false, "citations": shape["citations"]},
        }))
    }

    /// A standard answer of the library, by id or by what people call it, where it may be given; else what was said of `id`.
    async fn fetch_entry(&self, id: &str, unknown: Problem) -> Outcome<Value> {
        let services = &self.workspace.services;
        let mut ids = vec![services.ids.question(id)];
        if reading::is_id(id) {
            ids.insert(0, Id::from_stored(id));
        }
        let found = services.graph.library_entries(&ids).await?;
        let entry = found.into_iter().find(|entry| entry.status == EntryStatus::Approved).ok_or(unknown)?;
        let rests_on: Vec<Value> = entry
            .citations
            .iter()
            .map(|cited| {
                json!({"id": format!("unit:{}", cited.text_unit), "document": cited.document, "sentence": cited.quote})
            })
            .collect();
        Ok(json!({
            "id": format!("answer:{id}"), "title": entry.question, "text": entry.answer,
            "url": self.app.page(&format!("w/{}/library", self.workspace.name)),
            "metadata": {
                "kind": "answer", "pending": false, "entry": entry.key, "variants": entry.variants,
                "valid_from": entry.valid_from, "valid_until": entry.valid_until, "rests_on": rests_on,
            },
        }))
    }

    async fn rows(&self, wanted: TableQuery) -> Outcome<Value> {
        let request = SearchRequest {
            question: wanted.question,
            method: Method::Table,
            as_of: Some(wanted.as_of),
            ..SearchRequest::default()
        };
        let found = asking::search(self.app, self.workspace, &request).await?;
        let Some(table) = found.table else {
            return Ok(json!({
                "found": false, "read_as": "", "columns": [], "rows": [], "possible": [], "count": null,
                "total": null, "taken_for": [], "completeness": {}, "truncated": false,
                "refused": found.notes.last().map_or("", String::as_str),
            }));
        };
        let all = |rows: &[TableRowShape]| rows.iter().map(row).collect::<Vec<Value>>();
        let (mut rows, possible) = (all(&table.rows), all(&table.possible));
        let limit = limit_of(wanted.limit);
        let cut = rows.len() > limit;
        rows.truncate(limit);
        let budget = TOKENS as usize;
        let (rows, shortened) =
            if rows.is_empty() { (rows, false) } else { fitting(self.workspace, rows, budget) };
        let (possible, also) = if possible.is_empty() {
            (possible, false)
        } else {
            fitting(self.workspace, possible, budget / 4)
        };
        Ok(json!({
            "found": !table.rows.is_empty(),
            "read_as": table.read_as,
            "columns": table.columns,
            "rows": rows,
            "possible": possible,
            "count": table.count,
            "total": table.total,
            "taken_for": table.taken_for,
            "completeness": table.completeness,
            "truncated": cut || shortened || also || table.completeness.not_shown > 0,
            "refused": "",
        }))
    }

    async fn trends(&self, wanted: TimeWanted) -> Outcome<Value> {
        let filled = |text: String| Some(text).filter(|text| !text.trim().is_empty());
        let fields = TrendFields {
            from: filled(wanted.from),
            to: filled(wanted.to),
            every: filled(wanted.every),
            about: filled(wanted.about),
            top: Some(TRENDS),
            ..TrendFields::default()
        };
        let found = trends::counted(self.workspace, fields).await?;
        let (mut left, mut truncated) = (TOKENS as usize, false);
        let mut list = |items: Vec<Value>| {
            let (items, cut) = if items.is_empty() || left == 0 {
                truncated |= !items.is_empty();
                (Vec::new(), false)
            } else {
                fitting(self.workspace, items, left / 2)
            };
            let used: usize =
                items.iter().map(|item| self.workspace.services.tokens.count(&item.to_string())).sum();
            left = left.saturating_sub(used);
            truncated |= cut;
            items
        };
        let of = |trends: &[Trend]| trends.iter().map(trend).collect::<Vec<Value>>();
        let about = list(of(&found.about));
        let contradictions = found.contradictions.iter().map(|one| {
            json!({"entity": one.entity, "about": one.about, "earlier": sentence_json(&one.earlier.source),
                   "later": sentence_json(&one.later.source)})
        });
        let contradictions = list(contradictions.collect());
        let changes = found.changes.iter().map(|change| {
            json!({"period": change.period, "what": change.what, "name": change.name,
                   "sentence": change.source.as_ref().map(sentence_json)})
        });
        let changes = list(changes.collect());
        let (new, rising) = (list(of(&found.new)), list(of(&found.rising)));
        let (falling, gone) = (list(of(&found.falling)), list(of(&found.gone)));
        let topics = found.topics.iter().map(|topic| {
            json!({"change": topic.change, "members": topic.members, "since": topic.trend.since,
                   "until": topic.trend.until, "curve": topic.trend.curve,
                   "sentence": topic.trend.sources.last().map(sentence_json)})
        });
        let topics = list(topics.collect());
        let periods: Vec<&str> = found.periods.iter().map(|period| period.label.as_str()).collect();
        Ok(json!({
            "every": found.every,
            "periods": periods,
            "lists": {
                "about": about,
                "rising": rising,
                "falling": falling,
                "new": new,
                "gone": gone,
                "topics": topics,
                "changes": changes,
                "contradictions": contradictions,
            },
            "undated": found.undated.count,
            "truncated": truncated,
        }))
    }

    async fn find_entities(&self, query: EntityQuery) -> Outcome<Value> {
        let limit = limit_of(query.limit);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for listed in self.workspace.entities().await?.iter().filter(|listed| !listed.kind.is_empty()) {
            *counts.entry(listed.kind.clone()).or_default() += 1;
        }
        check_type(&query.kind, &counts)?;
        let given = |text: &'_ str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let (kind, after) = (given(&query.kind), given(&query.cursor));
        let begin = begin_of(after.as_deref())?;
        let q = Some(query.query.as_str());
        let found = reading::entities(self.workspace, q, kind.as_deref(), after.as_deref(), limit).await?;
        self.page(&found.items, found.next, |count| Some((begin + count).to_string()))
    }

    async fn entity(&self, wanted: EntityWanted) -> Outcome<Value> {
        let has = |part: EntityPart| wanted.parts.contains(&part);
        let parts = EntityParts {
            relationships: has(EntityPart::Relationships),
            sentences: has(EntityPart::Sentences),
            claims: has(EntityPart::Claims),
            communities: has(EntityPart::Communities),
        };
        let entity = reading::entity(self.workspace, strip(&wanted.name_or_id)).await?;
        let mut found = reading::entity_shape(self.app, self.workspace, entity, parts).await?;
        let tokens = self.workspace.services.tokens;
        let length = if has(EntityPart::Description) { 1_500 } else { 0 };
        found.description = tokens.truncate(&found.description, length).to_owned();
        // what weighs least goes first
        while tokens.count(&value(&found)?.to_string()) > TOKENS as usize {
            let popped = [
                found.claims.pop().is_some(),
                found.relationships.pop().is_some(),
                found.sentences.pop().is_some(),
                found.communities.pop().is_some(),
            ];
            if !popped.contains(&true) {
                break;
            }
        }
        value(&found)
    }

    async fn neighbourhood(&self, wanted: NeighbourhoodQuery) -> Outcome<Value> {
        let entity = reading::entity(self.workspace, strip(&wanted.name_or_id)).await?;
        let limit = limit_of(wanted.limit);
        let found = exploring::neighbourhood(self.app, self.workspace, &entity, wanted.depth, limit).await?;
        let nodes: Vec<Value> = found.nodes.iter().map(value).collect::<Outcome<_>>()?;
        let edges: Vec<Value> = found
            .edges
            .iter()
            .map(|edge| {
                json!({"id": edge.id, "source": edge.source.name, "target": edge.target.name, "kind": edge.kind,
                       "weight": edge.weight})
            })
            .collect();
        let half = TOKENS as usize / 2;
        let (nodes, cut) = fitting(self.workspace, nodes, half);
        let (edges, also_cut) =
            if edges.is_empty() { (edges, false) } else { fitting(self.workspace, edges, half) };
        Ok(json!({"nodes": nodes, "edges": edges, "truncated": found.truncated || cut || also_cut}))
    }

    async fn path(&self, wanted: PathQuery) -> Outcome<Value> {
        let (from, to) = (strip(&wanted.from), strip(&wanted.to));
        value(&exploring::path(self.app, self.workspace, from, to, wanted.max_hops).await?)
    }

    async fn communities(&self, wanted: CommunityPage) -> Outcome<Value> {
        let limit = limit_of(wanted.limit);
        let after = Some(wanted.cursor.as_str()).filter(|cursor| !cursor.is_empty());
        let found = reading::communities(self.workspace, Some(wanted.level), after, limit).await?;
        let begin = begin_of(after)?;
        self.page(&found.items, found.next, |count| Some((begin + count).to_string()))
    }

    async fn community(&self, wanted: CommunityWanted) -> Outcome<Value> {
        let id = wanted.id.strip_prefix("community:").unwrap_or(&wanted.id);
        let mut found = reading::community(self.app, self.workspace, id).await?;
        let tokens = self.workspace.services.tokens;
        while tokens.count(&value(&found)?.to_string()) > TOKENS as usize {
            let half = found.members.len() / 2;
            if half > 0 {
                found.members.truncate(half);
            } else if found.findings.pop().is_none() {
                break;
            }
        }
        value(&found)
    }

    async fn documents(&self, wanted: DocumentPage) -> Outcome<Value> {
        let limit = limit_of(wanted.limit);
        let q = Some(wanted.query.as_str()).filter(|query| !query.is_empty());
        let after = Some(wanted.cursor.as_str()).filter(|cursor| !cursor.is_empty());
        let found = listing::documents(
            self.workspace,
            &DocumentFilter { q, after, limit, ..DocumentFilter::default() },
        )
        .await?;
        self.page(&found.items, found.next, |count| {
            found.items.get(count.saturating_sub(1)).map(|document| document.key.clone())
        })
    }

    async fn document(&self, wanted: DocumentWanted) -> Outcome<Value> {
        let key = wanted.key_or_id.strip_prefix("document:").unwrap_or(&wanted.key_or_id);
        let to = Some(wanted.to).filter(|to| *to > 0);
        let found = reading::text(self.workspace, key, Some(wanted.from), to).await?;
        let most = usize::try_from(wanted.max_tokens).unwrap_or(usize::MAX);
        let text = self.workspace.services.tokens.truncate(&found.text, most);
        let to = found.from + text.chars().count() as u64;
        let url = link(self.app, &self.workspace.name, &found.document.id, Some(((found.from, to), text)));
        let mut piece = json!({
            "document": found.document, "text": text, "from": found.from, "to": to, "total": found.total, "url": url,
        });
        if to < found.total {
            piece["next"] = json!(to);
        }
        Ok(piece)
    }
}

/// An id as other tools give it, or a name.
fn strip(name_or_id: &str) -> &str {
    name_or_id.strip_prefix("entity:").unwrap_or(name_or_id)
}

fn entity_text(entity: &EntityShape) -> String {
    let mut text = entity.description.clone();
    for sentence in &entity.sentences {
        text.push_str(&format!("\n\"{}\" ({})", sentence.text, sentence.document.key));
    }
    for found in &entity.relationships {
        text.push_str(&format!(
            "\n{} – {} → {}: {}",
            found.source.name, found.kind, found.target.name, found.description
        ));
    }
    for claim in &entity.claims {
        text.push_str(&format!("\nClaim ({}): {}", claim.status, claim.description));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standard_answer_says_what_it_is_and_that_it_is_stale() {
        use crate::serve::shapes::StaleShape;
        let question = |id: &str, text: &str| QuestionShape {
            id: id.to_owned(),
            question: text.to_owned(),
            confidence: None,
        };
        let mut library = LibraryShape {
            entry: Some(question("fee-1", "What does a parcel cost?")),
            stale: vec![StaleShape {
                document: "fees.txt".to_owned(),
                was: "It costs 15 pounds.".to_owned(),
                now: Some("It costs 18 pounds.".to_owned()),
            }],
            related: vec![question("fee-2", "And a letter?")],
            ..LibraryShape::default()
        };
        assert_eq!(
            said_by_the_library(&library),
            [
                "a standard answer of the library, answer:fee-1: \"What does a parcel cost?\"",
                "stale: fees.txt does not say \"It costs 15 pounds.\" any more; there it says now: \"It costs 18 pounds.\"",
                "may be asked next: \"And a letter?\" (answer:fee-2)",
            ]
        );
        library = LibraryShape { did_you_mean: library.related, ..LibraryShape::default() };
        assert_eq!(said_by_the_library(&library), ["the library answers: \"And a letter?\" (answer:fee-2)"]);
    }

    #[test]
    fn a_type_that_no_entity_has_is_refused_with_those_there_are() {
        let counts = BTreeMap::from([("Person".to_owned(), 12), ("Place".to_owned(), 3)]);
        for fine in ["", "person", "PLACE"] {
            check_type(fine, &counts).expect("fine");
        }
        let told = check_type("Nope", &counts).expect_err("refused").detail;
        assert!(told.contains("\"Nope\"") && told.contains("Person (12), Place (3)"), "{told}");
    }

    #[test]
    fn the_list_of_tools_is_small_and_says_what_each_does() {
        let tools = list(true, true);
        let names: Vec<&str> = READING.into_iter().chain(WRITING).collect();
        assert_eq!(tools.iter().map(|tool| tool.name.as_ref()).collect::<Vec<_>>(), names);
        assert_eq!(list(true, false).len(), READING.len());
        let text = serde_json::to_string(&list(false, false)).expect("JSON");
        assert!(text.len() <= 8_000, "{} bytes: {text}", text.len());
        for tool in &tools {
            let hints = tool.annotations.as_ref().expect("hints");
            let reads = READING.contains(&tool.name.as_ref()) || tool.name == "get_job";
            assert_eq!(hints.read_only_hint, Some(reads), "{}", tool.name);
            assert!(tool.input_schema.contains_key("properties"), "{}", tool.name);
            let output = tool.output_schema.as_ref().expect("what it gives");
            for schema in [&tool.input_schema, output] {
                let properties = schema["properties"].as_object().expect("properties");
                assert!(
                    properties.values().all(serde_json::Value::is_object),
                    "{}: {properties:?}",
                    tool.name
                );
            }
            let schema = serde_json::to_string(&tool.input_schema).expect("JSON");
            assert!(!schema.contains("null") && !schema.contains("anyOf"), "{schema}");
        }
    }
}
