//! `library`: the questions and answers that people keep, what waits for them, and what nothing answered.

use crate::domain::{AskedQuestion, EntryStatus, LibraryEntry};
use crate::index::vectors;
use crate::library::asking::{Conditions, Library, meets};
use crate::library::care;
use crate::library::drafting::{self, Decision};
use crate::library::evidence;
use crate::library::keeping::{self, Hand};
use crate::library::senses::Senses;
use crate::library::tables::{self, Form};
use crate::progress::Progress;
use crate::serve::app::Shared;
use crate::serve::input::{Body, Fields, SearchPlace};
use crate::serve::problem::{Outcome, Problem};
use crate::serve::reading;
use crate::serve::routes::{About, Routes};
use crate::serve::shapes::{Listing, StaleShape};
use crate::serve::tokens::{Caller, Role};
use crate::services::{self, Access, Services};
use crate::stores::graph::VectorKind;
use anyhow::{Context, Result};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Characters of a question, and of an answer.
const TEXT: usize = 8_000;

pub(super) fn add_to(routes: &mut Routes) {
    routes.get(
        "/api/v1/workspaces/{ws}/library",
        list,
        About::new("list_library", Role::Read, "Entries of the library of questions and answers, by id.")
            .fields::<ListFields>()
            .reply::<Listing<EntryShape>>(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/library/summary",
        summary,
        About::new("library_summary", Role::Read, "How much there is and how much waits for somebody.")
            .reply::<Summary>(),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/library/ask",
        ask,
        About::new("ask_library", Role::Read, "The entries that a question may mean, with confidences.")
            .body::<AskLibrary>()
            .reply::<Asked>(),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/library/entries",
        add,
        About::new("add_entry", Role::Write, "Adds an entry.")
            .body::<NewEntry>()
            .reply::<EntryShape>()
            .status(201),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/library/entries/{id}",
        one,
        About::new("get_entry", Role::Read, "An entry with its history and what comes next.")
            .reply::<EntryDetail>(),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/library/entries/{id}",
        change,
        About::new("change_entry", Role::Write, "Changes what is given of an entry.")
            .body::<EntryChange>()
            .reply::<EntryShape>(),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/library/entries/{id}/decision",
        decide,
        About::new("decide_entry", Role::Write, "Approves, edits, rejects or merges a draft.")
            .body::<DecisionBody>()
            .reply::<EntryShape>(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/library/stale",
        stale,
        About::new("list_stale", Role::Read, "Approved answers whose text has changed or gone.")
            .reply::<Listing<StaleEntryShape>>(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/library/misses",
        misses,
        About::new(
            "list_misses",
            Role::Read,
            "What was asked and not answered, in groups, most asked first.",
        )
        .fields::<LimitFields>()
        .reply::<Listing<MissShape>>(),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/library/misses",
        record,
        About::new("record_miss", Role::Ask, "Notes a question whose answer did not help.")
            .body::<NewMiss>()
            .status(204),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/library/misses/forget",
        forget,
        About::new("forget_misses", Role::Write, "Forgets questions that were noted.")
            .body::<Forget>()
            .reply::<Forgotten>(),
    );
}

/// Which entries.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct ListFields {
    /// `draft`, `approved` or `retired`.
    status: Option<String>,
    /// Only those with this tag.
    tag: Option<String>,
    /// Only those of this language: `en`, `zh`.
    language: Option<String>,
    /// Only those whose question, variants or answer hold this.
    q: Option<String>,
    /// What `next` of the page before says.
    after: Option<String>,
    /// Rows of a page: 1 to 500; 50 where absent.
    limit: Option<usize>,
}

/// How many rows.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct LimitFields {
    /// Rows at most: 1 to 500; 50 where absent.
    limit: Option<usize>,
}

/// An entry.
#[derive(Debug, Serialize, JsonSchema)]
struct EntryShape {
    /// What people call it by.
    id: String,
    /// The standard question.
    question: String,
    /// The standard answer.
    answer: String,
    /// Other ways of asking it.
    variants: Vec<String>,
    /// Words to group by.
    tags: Vec<String>,
    /// Names and terms that it is about.
    terms: Vec<String>,
    /// Ids of entries that come next.
    follow_ups: Vec<String>,
    /// `en`, `zh`, or another tag.
    language: String,
    /// `draft`, `approved` or `retired`.
    status: &'static str,
    /// `manual`, `imported`, `generated` or `asked`.
    source: &'static str,
    /// Who wrote it last.
    author: String,
    /// First day that it holds on.
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_from: Option<String>,
    /// Last day that it holds on.
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<String>,
    /// What else is known of it.
    metadata: BTreeMap<String, String>,
    /// What its answer rests on.
    rests_on: Vec<CitedShape>,
}

/// A place in a document.
#[derive(Debug, Serialize, JsonSchema)]
struct CitedShape {
    /// Key of the document.
    document: String,
    /// The text unit.
    text_unit: String,
    /// What stood there when it was cited.
    text: String,
}

impl EntryShape {
    fn of(entry: &LibraryEntry) -> Self {
        let entry = entry.clone();
        Self {
            id: entry.key,
            question: entry.question,
            answer: entry.answer,
            variants: entry.variants,
            tags: entry.tags,
            terms: entry.terms,
            follow_ups: entry.follow_ups,
            language: entry.language,
            status: entry.status.as_str(),
            source: entry.source.as_str(),
            author: entry.author,
            valid_from: entry.valid_from,
            valid_until: entry.valid_until,
            metadata: entry.metadata,
            rests_on: entry
                .citations
                .into_iter()
                .map(|cited| CitedShape {
                    document: cited.document,
                    text_unit: cited.text_unit.to_string(),
                    text: cited.quote,
                })
                .collect(),
        }
    }
}

/// An entry that is named.
#[derive(Debug, Serialize, JsonSchema)]
struct NextShape {
    /// Its id.
    id: String,
    /// Its question.
    question: String,
}

/// A change of an entry.
#[derive(Debug, Serialize, JsonSchema)]
struct ChangeShape {
    /// Its number.
    sequence: u64,
    /// When.
    at: String,
    /// Who.
    author: String,
    /// What was done.
    action: String,
}

/// An entry and what is around it.
#[derive(Debug, Serialize, JsonSchema)]
struct EntryDetail {
    /// The entry.
    entry: EntryShape,
    /// What may be asked next.
    next: Vec<NextShape>,
    /// What it rests on and is not said any more.
    stale: Vec<StaleShape>,
    /// What was changed, oldest first.
    history: Vec<ChangeShape>,
}

/// How much there is.
#[derive(Debug, Serialize, JsonSchema)]
struct Summary {
    /// Entries that are given.
    approved: usize,
    /// Entries that wait for somebody.
    drafts: usize,
    /// Entries that are not given any more.
    retired: usize,
    /// Groups of questions that nothing answered.
    misses: usize,
    /// Whether such questions are noted: `[qa] record`.
    recording: bool,
}

/// A question for the library alone.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AskLibrary {
    /// The question.
    question: String,
    /// The questions before it, oldest first.
    #[serde(default)]
    earlier: Vec<String>,
    /// Entries at most: 1 to 500; 5 where absent.
    #[serde(default)]
    limit: Option<usize>,
}

/// What the library says.
#[derive(Debug, Serialize, JsonSchema)]
struct Asked {
    /// Whether the first entry is sure enough to be given.
    answered: bool,
    /// The threshold: `[qa] accept`.
    accept: f64,
    /// The entries, surest first.
    ranked: Vec<RankedShape>,
}

/// An entry that a question may mean.
#[derive(Debug, Serialize, JsonSchema)]
struct RankedShape {
    /// Its id.
    id: String,
    /// Its question.
    question: String,
    /// Its answer.
    answer: String,
    /// From 0 to 1.
    confidence: f64,
}

/// An entry to add.
#[derive(Debug, Deserialize, JsonSchema)]
struct NewEntry {
    /// Its id; made from the question where absent.
    #[serde(default)]
    id: Option<String>,
    /// The standard question.
    question: String,
    /// The standard answer.
    answer: String,
    /// All else.
    #[serde(flatten)]
    fields: EntryFields,
}

/// What may be said of an entry.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct EntryFields {
    /// Other ways of asking it.
    #[serde(default)]
    variants: Option<Vec<String>>,
    /// Words to group by.
    #[serde(default)]
    tags: Option<Vec<String>>,
    /// Names and terms that it is about.
    #[serde(default)]
    terms: Option<Vec<String>>,
    /// Ids of entries that come next.
    #[serde(default)]
    follow_ups: Option<Vec<String>>,
    /// `en`, `zh`, or another tag.
    #[serde(default)]
    language: Option<String>,
    /// `draft`, `approved` or `retired`.
    #[serde(default)]
    status: Option<String>,
}

/// What to change of an entry; what is absent stays.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct EntryChange {
    /// Another question.
    #[serde(default)]
    question: Option<String>,
    /// Another answer.
    #[serde(default)]
    answer: Option<String>,
    /// All else.
    #[serde(flatten)]
    fields: EntryFields,
}

/// What becomes of a draft.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DecisionBody {
    /// `approve`, `edit`, `reject` or `merge`.
    decision: DecisionKind,
    /// With `merge`: id of the entry that it becomes a variant of.
    #[serde(default)]
    into: Option<String>,
    /// With `edit`: the question.
    #[serde(default)]
    question: Option<String>,
    /// With `edit`: the answer.
    #[serde(default)]
    answer: Option<String>,
}

/// What becomes of a draft.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum DecisionKind {
    /// It is given from now on.
    Approve,
    /// It is changed, and given from now on.
    Edit,
    /// It is not given.
    Reject,
    /// Its question becomes a variant of another entry.
    Merge,
}

/// An answer whose text has changed.
#[derive(Debug, Serialize, JsonSchema)]
struct StaleEntryShape {
    /// Id of the entry.
    id: String,
    /// Its question.
    question: String,
    /// Its answer.
    answer: String,
    /// What it rested on, and what stands there now.
    stale: Vec<StaleShape>,
}

/// Questions that ask the same.
#[derive(Debug, Serialize, JsonSchema)]
struct MissShape {
    /// How often they were asked.
    count: u64,
    /// The last day.
    last: String,
    /// The questions, most asked first.
    questions: Vec<String>,
}

/// A question that was not answered well.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewMiss {
    /// The question.
    question: String,
}

/// What to forget.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Forget {
    /// These questions.
    questions: Vec<String>,
    /// All of them.
    all: bool,
}

/// What was forgotten.
#[derive(Debug, Serialize, JsonSchema)]
struct Forgotten {
    /// How many questions.
    forgotten: u64,
}

async fn list(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
    Fields(fields): Fields<ListFields>,
) -> Outcome<Json<Listing<EntryShape>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let limit = reading::rows(fields.limit)?;
    let mut filters = Vec::new();
    for (key, value) in [("status", &fields.status), ("tag", &fields.tag), ("language", &fields.language)] {
        filters.extend(value.as_ref().map(|value| (key, value.as_str())));
    }
    if let Some(status) = &fields.status {
        status_of(status)?;
    }
    let held = fields.q.as_deref().unwrap_or_default().to_lowercase();
    let holds = |entry: &LibraryEntry| {
        held.is_empty()
            || entry
                .phrasings()
                .chain([entry.answer.as_str()])
                .any(|text| text.to_lowercase().contains(&held))
    };
    let mut entries = workspace.services.graph.library().await?;
    entries.retain(|entry| {
        filters.iter().all(|(key, value)| meets(entry, key, value))
            && holds(entry)
            && fields.after.as_ref().is_none_or(|after| entry.key > *after)
    });
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    let next = (entries.len() > limit).then(|| entries.get(limit.saturating_sub(1))).flatten();
    let next = next.map(|last| last.key.clone());
    Ok(Json(Listing { items: entries.iter().take(limit).map(EntryShape::of).collect(), next }))
}

async fn summary(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
) -> Outcome<Json<Summary>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let graph = workspace.services.graph.as_ref();
    let entries = graph.library().await?;
    let count = |status: EntryStatus| entries.iter().filter(|entry| entry.status == status).count();
    Ok(Json(Summary {
        approved: count(EntryStatus::Approved),
        drafts: count(EntryStatus::Draft),
        retired: count(EntryStatus::Retired),
        misses: care::grouped(&graph.asked_questions().await?).len(),
        recording: workspace.services.config.qa.record,
    }))
}

async fn ask(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
    Body(wanted): Body<AskLibrary>,
) -> Outcome<Json<Asked>> {
    check_text("question", &wanted.question)?;
    let workspace = app.workspace(&caller, &ws).await?;
    let services = &workspace.services;
    let limit = wanted.limit.map_or(Ok(5), |limit| reading::rows(Some(limit)))?;
    let config = &services.config.qa;
    let mut ranked = Vec::new();
    if let Some(library) = Library::open(services).await? {
        let conditions = Conditions::today();
        let earlier: Vec<&str> = wanted.earlier.iter().map(String::as_str).collect();
        let mut asked = earlier.clone();
        asked.push(&wanted.question);
        let senses = Senses::of(services, &library, &asked, &conditions).await?;
        let found = library.ask(&wanted.question, &earlier, &conditions, (config, &senses), limit);
        ranked.extend(found.iter().filter_map(|found| {
            let entry = library.entry(found)?;
            Some(RankedShape {
                id: entry.key.clone(),
                question: entry.question.clone(),
                answer: entry.answer.clone(),
                confidence: (found.confidence * 10_000.0).round() / 10_000.0,
            })
        }));
    }
    let answered = ranked.first().is_some_and(|first| first.confidence >= config.accept);
    Ok(Json(Asked { answered, accept: config.accept, ranked }))
}

async fn one(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, key)): Path<(String, String)>,
) -> Outcome<Json<EntryDetail>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let services = &workspace.services;
    let entry = known(services, &key).await?;
    let (stale, _) = evidence::check(services, services.graph.as_ref(), std::slice::from_ref(&entry)).await?;
    let mut next = Vec::new();
    if let Some(library) = Library::open(services).await?
        && let Some(place) = library.entries.iter().position(|other| other.id == entry.id)
    {
        let related = library.related(place, &[], &Conditions::today(), 5);
        next.extend(
            related
                .into_iter()
                .map(|entry| NextShape { id: entry.key.clone(), question: entry.question.clone() }),
        );
    }
    let history = services.graph.library_changes(Some(&entry.key)).await?;
    let history = history
        .into_iter()
        .map(|change| ChangeShape {
            sequence: change.sequence,
            at: change.at,
            author: change.author,
            action: change.action,
        })
        .collect();
    let stale = stale.into_iter().flat_map(|entry| entry.citations).map(StaleShape::of).collect();
    Ok(Json(EntryDetail { entry: EntryShape::of(&entry), next, stale, history }))
}

async fn known(services: &Services, key: &str) -> Outcome<LibraryEntry> {
    let found = services.graph.library_entries(&[services.ids.question(key)]).await?;
    found.into_iter().next().ok_or_else(|| {
        Problem::not_found(format!("the library has no entry {key:?}; GET …/library lists them"))
    })
}

fn status_of(name: &str) -> Outcome<EntryStatus> {
    EntryStatus::from_name(name)
        .ok_or_else(|| Problem::invalid(format!("status is {name:?}; there are draft, approved and retired")))
}

fn check_text(field: &str, text: &str) -> Outcome<()> {
    if text.trim().is_empty() {
        return Err(Problem::invalid(format!("the field {field:?} is empty")));
    }
    if text.chars().count() > TEXT {
        return Err(Problem::invalid(format!("the field {field:?} has more than {TEXT} characters")));
    }
    Ok(())
}

/// Takes what is given over into an entry.
fn set(entry: &mut LibraryEntry, fields: &EntryFields) -> Outcome<()> {
    for (list, given) in [
        (&mut entry.variants, &fields.variants),
        (&mut entry.tags, &fields.tags),
        (&mut entry.terms, &fields.terms),
        (&mut entry.follow_ups, &fields.follow_ups),
    ] {
        if let Some(given) = given {
            for text in given {
                check_text("a list", text)?;
            }
            list.clone_from(given);
        }
    }
    for list in [&mut entry.tags, &mut entry.terms] {
        list.sort_unstable();
        list.dedup();
    }
    if let Some(language) = &fields.language {
        entry.language.clone_from(language);
    }
    if let Some(status) = &fields.status {
        entry.status = status_of(status)?;
    }
    Ok(())
}

/// Does an editor's work as the only writer, on a thread of its own, and makes the vectors of what it changed.
async fn write<Work>(app: &Shared, ws: &str, work: Work) -> Outcome<()>
where
    Work: for<'a> FnOnce(&'a Services) -> BoxFuture<'a, Result<()>> + Send + 'static,
{
    let (app, ws) = (Arc::clone(app), ws.to_owned());
    let runtime = tokio::runtime::Handle::current();
    let written = tokio::task::spawn_blocking(move || {
        runtime.block_on(async move {
            let data = app.workspaces.data.clone();
            let services = services::connect(app.config().clone(), &data, &ws, Access::Write).await?;
            let done = async {
                work(&services).await?;
                vectors::sync_kind(&services, VectorKind::Questions, &Progress::silent()).await?;
                anyhow::Ok(())
            }
            .await;
            services.graph.unlock_writer().await?;
            services.keep_ledger().await;
            done
        })
    })
    .await
    .context("while the library was changed");
    written??;
    Ok(())
}

async fn add(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    Body(wanted): Body<NewEntry>,
) -> Outcome<(StatusCode, Json<EntryShape>)> {
    check_text("question", &wanted.question)?;
    check_text("answer", &wanted.answer)?;
    let workspace = app.workspace(&caller, &ws).await?;
    let mut row = serde_json::Map::new();
    row.insert("question".to_owned(), wanted.question.trim().into());
    row.insert("answer".to_owned(), wanted.answer.trim().into());
    row.extend(wanted.id.map(|key| ("id".to_owned(), key.into())));
    let text = serde_json::Value::Object(row).to_string();
    let reading = tables::read(&text, Form::JsonLines, &workspace.services.ids);
    let Some(mut entry) = reading.entries.into_iter().next() else {
        return Err(Problem::invalid(format!("no entry could be made: {}", reading.problems.join("; "))));
    };
    entry.source = crate::domain::EntrySource::Manual;
    entry.author.clone_from(&caller.name);
    set(&mut entry, &wanted.fields)?;
    let there = workspace.services.graph.library_entries(std::slice::from_ref(&entry.id)).await?;
    if !there.is_empty() {
        return Err(Problem::invalid(format!(
            "the library has an entry {:?} already; POST to it to change it",
            entry.key
        )));
    }
    let (key, author) = (entry.key.clone(), caller.name.clone());
    write(&app, &ws, move |services| {
        Box::pin(async move {
            keeping::save(services, vec![(None, Some(entry))], &Hand::now(&author, "add")).await
        })
    })
    .await?;
    Ok((StatusCode::CREATED, Json(EntryShape::of(&known(&workspace.services, &key).await?))))
}

async fn change(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, key)): Path<(String, String)>,
    Body(wanted): Body<EntryChange>,
) -> Outcome<Json<EntryShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let before = known(&workspace.services, &key).await?;
    let mut after = before.clone();
    for (field, slot, given) in
        [("question", &mut after.question, &wanted.question), ("answer", &mut after.answer, &wanted.answer)]
    {
        if let Some(text) = given {
            check_text(field, text)?;
            text.trim().clone_into(slot);
        }
    }
    set(&mut after, &wanted.fields)?;
    if after != before {
        after.author.clone_from(&caller.name);
        let author = caller.name.clone();
        write(&app, &ws, move |services| {
            Box::pin(async move {
                keeping::save(services, vec![(Some(before), Some(after))], &Hand::now(&author, "edit")).await
            })
        })
        .await?;
    }
    Ok(Json(EntryShape::of(&known(&workspace.services, &key).await?)))
}

async fn decide(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, key)): Path<(String, String)>,
    Body(wanted): Body<DecisionBody>,
) -> Outcome<Json<EntryShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let entry = known(&workspace.services, &key).await?;
    let mut shown = key.clone();
    let decision = match wanted.decision {
        DecisionKind::Approve => {
            check_text("answer", &entry.answer)?;
            Decision::Approve
        }
        DecisionKind::Reject => Decision::Reject,
        DecisionKind::Edit => {
            let question = wanted.question.unwrap_or(entry.question).trim().to_owned();
            let answer = wanted.answer.unwrap_or(entry.answer).trim().to_owned();
            check_text("question", &question)?;
            check_text("answer", &answer)?;
            Decision::Edit(question, answer)
        }
        DecisionKind::Merge => {
            let Some(into) = wanted.into else {
                return Err(Problem::invalid("\"merge\" needs \"into\": the id of the entry to merge into"));
            };
            if known(&workspace.services, &into).await?.key == entry.key {
                return Err(Problem::invalid("an entry cannot become a variant of itself"));
            }
            shown.clone_from(&into);
            Decision::Merge(into)
        }
    };
    let author = caller.name.clone();
    write(&app, &ws, move |services| {
        Box::pin(async move { drafting::decide(services, &key, decision, &author).await })
    })
    .await?;
    Ok(Json(EntryShape::of(&known(&workspace.services, &shown).await?)))
}

async fn stale(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
) -> Outcome<Json<Listing<StaleEntryShape>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let services = &workspace.services;
    let mut entries = services.graph.library().await?;
    entries.retain(|entry| entry.status == EntryStatus::Approved && !entry.citations.is_empty());
    let (stale, _) = evidence::check(services, services.graph.as_ref(), &entries).await?;
    let items = stale
        .into_iter()
        .map(|entry| StaleEntryShape {
            id: entry.key,
            question: entry.question,
            answer: entry.answer,
            stale: entry.citations.into_iter().map(StaleShape::of).collect(),
        })
        .collect();
    Ok(Json(Listing { items, next: None }))
}

async fn misses(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
    Fields(fields): Fields<LimitFields>,
) -> Outcome<Json<Listing<MissShape>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let limit = reading::rows(fields.limit)?;
    let groups = care::grouped(&workspace.services.graph.asked_questions().await?);
    let items = groups
        .into_iter()
        .take(limit)
        .map(|group| MissShape { count: group.count, last: group.last, questions: group.questions })
        .collect();
    Ok(Json(Listing { items, next: None }))
}

async fn record(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    Body(wanted): Body<NewMiss>,
) -> Outcome<StatusCode> {
    check_text("question", &wanted.question)?;
    let workspace = app.workspace(&caller, &ws).await?;
    if !workspace.services.config.qa.record {
        return Err(Problem::invalid(
            "questions are not noted here; the server's configuration sets record = true under [qa]",
        ));
    }
    let asked = AskedQuestion {
        question: wanted.question.trim().to_owned(),
        count: 1,
        last: chrono::Local::now().format("%Y-%m-%d").to_string(),
        outcome: "disliked".to_owned(),
    };
    workspace.services.graph.add_asked_questions(&[asked]).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn forget(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    Body(wanted): Body<Forget>,
) -> Outcome<Json<Forgotten>> {
    if wanted.questions.is_empty() && !wanted.all {
        return Err(Problem::invalid("name \"questions\" to forget, or set \"all\" to true"));
    }
    let workspace = app.workspace(&caller, &ws).await?;
    let questions = (!wanted.all).then_some(wanted.questions.as_slice());
    let forgotten = workspace.services.graph.forget_asked_questions(questions).await?;
    Ok(Json(Forgotten { forgotten }))
}
