//! `library`: the questions and answers that people keep, what waits for them, and what nothing answered.

pub(super) mod changes;
mod shapes;

use self::changes::{add, change, check_text, decide, find_entry, forget, record, status_of};
use self::shapes::{
    AskLibrary, Asked, ChangeShape, DecisionBody, EntryChange, EntryDetail, EntryShape, Forget, Forgotten,
    LibraryListFields, MissShape, NewEntry, NewMiss, NextShape, RankedShape, StaleEntryShape, Summary,
};
use crate::domain::{EntryStatus, LibraryEntry};
use crate::library::memory::{Conditions, Library, meets};
use crate::library::senses::Senses;
use crate::library::{evidence, misses};
use crate::serve::app::Shared;
use crate::serve::input::{Body, LimitFields, QueryString, SearchPlace};
use crate::serve::problem::Outcome;
use crate::serve::reading;
use crate::serve::routes::{About, Routes};
use crate::serve::shapes::{Listing, StaleShape};
use crate::serve::tokens::{Caller, Role};
use axum::Json;
use axum::extract::{Path, State};

/// Characters of a question, and of an answer.
const TEXT: usize = 8_000;

pub(super) fn add_to(routes: &mut Routes) {
    routes.get(
        "/api/v1/workspaces/{ws}/library",
        list,
        About::new("list_library", Role::Read, "Entries of the library of questions and answers, by id.")
            .fields::<LibraryListFields>()
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

async fn list(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
    QueryString(fields): QueryString<LibraryListFields>,
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
                .chain([entry.answer.as_str(), entry.key.as_str()])
                .any(|text| text.to_lowercase().contains(&held))
    };
    let library = Library::open(&workspace.services).await?;
    let mut entries: Vec<&LibraryEntry> = library.iter().flat_map(|library| &library.entries).collect();
    entries.retain(|entry| {
        filters.iter().all(|(key, value)| meets(entry, key, value))
            && holds(entry)
            && fields.after.as_ref().is_none_or(|after| entry.key > *after)
    });
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    let next = (entries.len() > limit).then(|| entries.get(limit.saturating_sub(1))).flatten();
    let next = next.map(|last| last.key.clone());
    Ok(Json(Listing { items: entries.into_iter().take(limit).map(EntryShape::of).collect(), next }))
}

async fn summary(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
) -> Outcome<Json<Summary>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let library = Library::open(&workspace.services).await?;
    let entries: &[LibraryEntry] = library.as_ref().map_or(&[], |library| &library.entries);
    let count = |status: EntryStatus| entries.iter().filter(|entry| entry.status == status).count();
    Ok(Json(Summary {
        approved: count(EntryStatus::Approved),
        drafts: count(EntryStatus::Draft),
        retired: count(EntryStatus::Retired),
        misses: misses::grouped(&misses::open_misses(&workspace.services).await?.0).len(),
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
    let entry = find_entry(services, &key).await?;
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

async fn stale(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
) -> Outcome<Json<Listing<StaleEntryShape>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let services = &workspace.services;
    let mut entries: Vec<LibraryEntry> =
        Library::open(services).await?.iter().flat_map(|library| library.entries.iter().cloned()).collect();
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
    QueryString(fields): QueryString<LimitFields>,
) -> Outcome<Json<Listing<MissShape>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let limit = reading::rows(fields.limit)?;
    let groups = misses::grouped(&misses::open_misses(&workspace.services).await?.0);
    let items = groups
        .into_iter()
        .take(limit)
        .map(|group| MissShape { count: group.count, last: group.last, questions: group.questions })
        .collect();
    Ok(Json(Listing { items, next: None }))
}
