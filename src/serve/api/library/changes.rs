//! Entries are added, changed and decided on. What a change rests on is read as the only writer, so that none is lost.

use super::TEXT;
use super::shapes::{
    DecisionBody, DecisionKind, EntryChange, EntryFields, EntryShape, Forget, Forgotten, NewEntry, NewMiss,
};
use crate::domain::{EntrySource, EntryStatus, LibraryEntry};
use crate::library::asking::asked_today;
use crate::library::drafting::{self, Decision};
use crate::library::keeping::{self, Hand};
use crate::library::tables::{self, FileFormat};
use crate::serve::api::work::as_writer;
use crate::serve::app::Shared;
use crate::serve::input::Body;
use crate::serve::problem::{Outcome, Problem, ProblemType};
use crate::serve::tokens::Caller;
use crate::services::Services;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;

/// An entry by what people call it.
///
/// # Errors
/// No such entry; what the store says.
pub(in crate::serve::api) async fn find_entry(services: &Services, key: &str) -> Outcome<LibraryEntry> {
    let found = services.graph.library_entries(&[services.ids.question(key)]).await?;
    found.into_iter().next().ok_or_else(|| {
        Problem::not_found(format!("the library has no entry {key:?}; GET …/library lists them"))
    })
}

pub(super) fn status_of(name: &str) -> Outcome<EntryStatus> {
    EntryStatus::from_name(name)
        .ok_or_else(|| Problem::invalid(format!("status is {name:?}; there are draft, approved and retired")))
}

pub(super) fn check_text(field: &str, text: &str) -> Outcome<()> {
    if text.trim().is_empty() {
        return Err(Problem::invalid(format!("the field {field:?} is empty")));
    }
    if text.chars().count() > TEXT {
        return Err(Problem::invalid(format!("the field {field:?} has more than {TEXT} characters")));
    }
    Ok(())
}

/// An entry of a question and its answer; its id is made from the question where none is given.
///
/// # Errors
/// What makes no entry: an empty field, an id that is none.
pub(in crate::serve::api) fn new_entry(
    services: &Services,
    question: &str,
    answer: &str,
    id: Option<&str>,
) -> Outcome<LibraryEntry> {
    let mut row = serde_json::Map::new();
    row.insert("question".to_owned(), question.trim().into());
    row.insert("answer".to_owned(), answer.trim().into());
    let id = id.map(str::trim).filter(|id| !id.is_empty());
    row.extend(id.map(|id| ("id".to_owned(), id.into())));
    let reading =
        tables::read(&serde_json::Value::Object(row).to_string(), FileFormat::JsonLines, &services.ids);
    reading.entries.into_iter().next().ok_or_else(|| {
        Problem::invalid(format!("no entry can be made of this: {}", reading.problems.join("; ")))
    })
}

/// Adds an entry that is new.
///
/// # Errors
/// There is one of that id; what the store says.
pub(in crate::serve::api) async fn add_entry(
    services: &Services,
    entry: LibraryEntry,
    author: &str,
) -> Outcome<LibraryEntry> {
    if !services.graph.library_entries(std::slice::from_ref(&entry.id)).await?.is_empty() {
        let told = format!("the library has an entry {:?} already; change that one", entry.key);
        return Err(Problem::new(ProblemType::Exists, told));
    }
    let key = entry.key.clone();
    keeping::save(services, vec![(None, Some(entry))], &Hand::now(author, "add")).await?;
    find_entry(services, &key).await
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
    entry.sort_words();
    if let Some(language) = &fields.language {
        entry.language.clone_from(language);
    }
    if let Some(status) = &fields.status {
        entry.status = status_of(status)?;
    }
    Ok(())
}

pub(super) async fn add(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    Body(wanted): Body<NewEntry>,
) -> Outcome<(StatusCode, Json<EntryShape>)> {
    check_text("question", &wanted.question)?;
    check_text("answer", &wanted.answer)?;
    let workspace = app.workspace(&caller, &ws).await?;
    let mut entry = new_entry(&workspace.services, &wanted.question, &wanted.answer, wanted.id.as_deref())?;
    entry.source = EntrySource::Manual;
    entry.author.clone_from(&caller.name);
    set(&mut entry, &wanted.fields)?;
    let author = caller.name;
    let added = as_writer(&app, &ws, move |services| {
        Box::pin(async move { add_entry(services, entry, &author).await })
    });
    Ok((StatusCode::CREATED, Json(EntryShape::of(&added.await?))))
}

/// An entry as it is to be.
fn changed(before: &LibraryEntry, wanted: &EntryChange) -> Outcome<LibraryEntry> {
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
    Ok(after)
}

pub(super) async fn change(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, key)): Path<(String, String)>,
    Body(wanted): Body<EntryChange>,
) -> Outcome<Json<EntryShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    // what is wrong is said before anybody waits to write
    changed(&find_entry(&workspace.services, &key).await?, &wanted)?;
    let author = caller.name;
    let entry = as_writer(&app, &ws, move |services| {
        Box::pin(async move {
            let before = find_entry(services, &key).await?;
            let mut after = changed(&before, &wanted)?;
            if after != before {
                after.author.clone_from(&author);
                let hand = Hand::now(&author, "edit");
                keeping::save(services, vec![(Some(before), Some(after))], &hand).await?;
            }
            find_entry(services, &key).await
        })
    });
    Ok(Json(EntryShape::of(&entry.await?)))
}

/// What is to become of an entry, and the id of the entry that is there then.
async fn decision(services: &Services, key: &str, wanted: &DecisionBody) -> Outcome<(Decision, String)> {
    let entry = find_entry(services, key).await?;
    let decision = match wanted.decision {
        DecisionKind::Approve => {
            check_text("answer", &entry.answer)?;
            Decision::Approve
        }
        DecisionKind::Reject => Decision::Reject,
        DecisionKind::Edit => {
            let question = wanted.question.clone().unwrap_or(entry.question).trim().to_owned();
            let answer = wanted.answer.clone().unwrap_or(entry.answer).trim().to_owned();
            check_text("question", &question)?;
            check_text("answer", &answer)?;
            Decision::Edit(question, answer)
        }
        DecisionKind::Merge => {
            let Some(into) = wanted.into.clone() else {
                return Err(Problem::invalid("\"merge\" needs \"into\": the id of the entry to merge into"));
            };
            if find_entry(services, &into).await?.key == entry.key {
                return Err(Problem::invalid("an entry cannot become a variant of itself"));
            }
            return Ok((Decision::Merge(into.clone()), into));
        }
    };
    Ok((decision, entry.key))
}

pub(super) async fn decide(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, key)): Path<(String, String)>,
    Body(wanted): Body<DecisionBody>,
) -> Outcome<Json<EntryShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    decision(&workspace.services, &key, &wanted).await?;
    let author = caller.name;
    let entry = as_writer(&app, &ws, move |services| {
        Box::pin(async move {
            let (decision, left) = decision(services, &key, &wanted).await?;
            drafting::decide(services, &key, decision, &author).await?;
            find_entry(services, &left).await
        })
    });
    Ok(Json(EntryShape::of(&entry.await?)))
}

pub(super) async fn record(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    Body(wanted): Body<NewMiss>,
) -> Outcome<StatusCode> {
    check_text("question", &wanted.question)?;
    let workspace = app.workspace(&caller, &ws).await?;
    if app.settings.read_only {
        return Err(Problem::invalid("questions are not noted here: the server only reads"));
    }
    if !workspace.services.config.qa.record {
        return Err(Problem::invalid(
            "questions are not noted here; the server's configuration sets record = true under [qa]",
        ));
    }
    let asked = asked_today(&wanted.question, "disliked");
    workspace.services.graph.add_asked_questions(&[asked]).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn forget(
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
