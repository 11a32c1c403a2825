//! What people make of answers: a thumb up or down, a draft of a standard answer, a standard answer that still holds.

use super::library::changes::{add_entry, find_entry, new_entry};
use super::work::as_writer;
use crate::domain::{EntrySource, EntryStatus, Id, LibraryEntry};
use crate::library::asking::asked_today;
use crate::library::evidence;
use crate::library::keeping::{self, Hand};
use crate::query::answer::numbering::without_numbers;
use crate::serve::app::Shared;
use crate::serve::input::Body;
use crate::serve::problem::{Outcome, Problem, ProblemType};
use crate::serve::routes::{About, Routes};
use crate::serve::tokens::{Caller, Role};
use crate::stores::StoreError;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Characters of a comment or an answer.
const CHARACTERS: usize = 20_000;
/// Sentences of an answer that an entry takes along.
const CITATIONS: usize = 20;

pub(super) fn add_to(routes: &mut Routes) {
    routes.post(
        "/api/v1/workspaces/{ws}/answers/{id}/feedback",
        feedback,
        About::new("rate_answer", Role::Ask, "Says whether an answer was good; a bad one counts as a miss.")
            .body::<Feedback>()
            .status(204),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/answers/{id}/keep",
        keep,
        About::new(
            "keep_answer",
            Role::Write,
            "Keeps an answer as a draft of a standard answer, with the sentences that it cites.",
        )
        .body::<NewDraft>()
        .reply::<Kept>()
        .status(201),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/library/entries/{id}/cite",
        cite,
        About::new(
            "cite_again",
            Role::Write,
            "Lets a standard answer rest on what stands now where its text has changed.",
        )
        .body::<Nothing>()
        .reply::<Kept>(),
    );
}

/// What somebody thinks of an answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Feedback {
    /// Whether it was good.
    good: bool,
    /// Why, in their words.
    #[serde(default)]
    comment: String,
}

/// What is kept of an answer.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct NewDraft {
    /// The id of the entry; made of the question where absent.
    id: Option<String>,
    /// The question, where it is to be another one.
    question: Option<String>,
    /// The answer, where it is to be another one; its citation marks are left out.
    answer: Option<String>,
}

/// Nothing more to say.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Nothing {}

/// An entry of the library.
#[derive(Debug, Serialize, JsonSchema)]
struct Kept {
    /// What people call it by.
    id: String,
    /// Its question.
    question: String,
    /// `draft`, `approved` or `retired`.
    status: &'static str,
    /// The sentences that it rests on.
    rests_on: Vec<String>,
}

impl Kept {
    fn of(entry: LibraryEntry) -> Self {
        Self {
            id: entry.key,
            question: entry.question,
            status: entry.status.as_str(),
            rests_on: entry.citations.into_iter().map(|citation| citation.quote).collect(),
        }
    }
}

fn check_length(text: &str, what: &str) -> Outcome<()> {
    if text.trim().is_empty() {
        return Err(Problem::invalid(format!("the {what} is empty; write it")));
    }
    if text.chars().count() > CHARACTERS {
        return Err(Problem::new(
            ProblemType::TooLarge,
            format!("the {what} has at most {CHARACTERS} characters"),
        ));
    }
    Ok(())
}

async fn keep(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
    Body(wanted): Body<NewDraft>,
) -> Outcome<(StatusCode, Json<Kept>)> {
    app.workspace(&caller, &ws).await?;
    let answer = app.kept.answer(&ws, &id)?;
    let question = wanted.question.unwrap_or(answer.question);
    let text = without_numbers(&wanted.answer.unwrap_or(answer.text));
    check_length(&question, "question")?;
    check_length(&text, "answer")?;
    let quotes: Vec<(Id, String)> = answer
        .citations
        .into_iter()
        .filter_map(|citation| citation.sentence)
        .take(CITATIONS)
        .map(|found| (Id::from_stored(found.text_unit), found.text))
        .collect();
    let author = caller.name.clone();
    let entry = as_writer(&app, &ws, move |services| {
        Box::pin(async move {
            let mut entry = new_entry(services, &question, &text, wanted.id.as_deref())?;
            entry.source = EntrySource::Asked;
            entry.status = EntryStatus::Draft;
            entry.author.clone_from(&author);
            for (unit, quote) in &quotes {
                // a sentence that went meanwhile is left out
                if let Ok(citation) = evidence::cite(services, unit, Some(quote), &entry.answer).await
                    && !entry.citations.contains(&citation)
                {
                    entry.citations.push(citation);
                }
            }
            add_entry(services, entry, &author).await
        })
    })
    .await?;
    Ok((StatusCode::CREATED, Json(Kept::of(entry))))
}

async fn cite(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, key)): Path<(String, String)>,
    Body(_nothing): Body<Nothing>,
) -> Outcome<Json<Kept>> {
    let workspace = app.workspace(&caller, &ws).await?;
    find_entry(&workspace.services, &key).await?;
    let author = caller.name;
    let entry = as_writer(&app, &ws, move |services| {
        Box::pin(async move {
            let before = find_entry(services, &key).await?;
            let after = evidence::renewed(services, &before).await?;
            if after != before {
                let hand = Hand::now(&author, "link");
                keeping::save(services, vec![(Some(before), Some(after))], &hand).await?;
            }
            find_entry(services, &key).await
        })
    })
    .await?;
    Ok(Json(Kept::of(entry)))
}

async fn feedback(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
    Body(given): Body<Feedback>,
) -> Outcome<StatusCode> {
    let workspace = app.workspace(&caller, &ws).await?;
    let answer = app.kept.answer(&ws, &id)?;
    if given.comment.chars().count() > CHARACTERS {
        return Err(Problem::new(
            ProblemType::TooLarge,
            format!("a comment has at most {CHARACTERS} characters"),
        ));
    }
    let changed = app.kept.rate_answer(&id, &ws, &caller.name, given.good, given.comment.trim())?;
    if changed && !given.good && !app.settings.read_only {
        let asked = asked_today(&answer.question, "disliked");
        match workspace.services.graph.add_asked_questions(&[asked]).await {
            // somebody writes: the opinion itself is kept
            Ok(()) | Err(StoreError::Held { .. } | StoreError::Busy { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(StatusCode::NO_CONTENT)
}
