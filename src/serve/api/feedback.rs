//! What people make of answers: a thumb up or down, a draft of a standard answer, a standard answer that still holds.

use crate::domain::{AskedQuestion, EntrySource, EntryStatus, Id, LibraryEntry};
use crate::library::evidence;
use crate::library::keeping::{self, Hand};
use crate::library::tables::{self, Form};
use crate::serve::app::Shared;
use crate::serve::input::Body;
use crate::serve::problem::{Kind, Outcome, Problem};
use crate::serve::routes::{About, Routes};
use crate::serve::tokens::{Caller, Role};
use crate::services::{self, Access, Services};
use crate::stores::StoreError;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;

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
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Feedback {
    /// Whether it was good.
    good: bool,
    /// Why, in their words.
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

/// Opens a workspace to write, does the work on a thread of its own, and lets others write again.
async fn writing<T, W, F>(app: &Shared, ws: &str, work: W) -> Outcome<T>
where
    T: Send + 'static,
    W: FnOnce(Services) -> F + Send + 'static,
    F: Future<Output = Outcome<T>>,
{
    let (app, ws) = (Arc::clone(app), ws.to_owned());
    let runtime = tokio::runtime::Handle::current();
    let done = tokio::task::spawn_blocking(move || {
        runtime.block_on(async move {
            let data = app.workspaces.data.clone();
            let services = services::connect(app.config().clone(), &data, &ws, Access::Write).await?;
            let done = work(services.clone()).await;
            services.graph.unlock_writer().await?;
            done
        })
    });
    done.await.map_err(|error| Problem::failed(error.to_string()))?
}

fn check_length(text: &str, what: &str) -> Outcome<()> {
    if text.trim().is_empty() {
        return Err(Problem::invalid(format!("the {what} is empty; write it")));
    }
    if text.chars().count() > CHARACTERS {
        return Err(Problem::new(Kind::TooLarge, format!("the {what} has at most {CHARACTERS} characters")));
    }
    Ok(())
}

async fn one(services: &Services, id: &Id) -> Outcome<LibraryEntry> {
    let found = services.graph.library_entries(std::slice::from_ref(id)).await?;
    found.into_iter().next().ok_or_else(|| Problem::failed("an entry that was written is not there"))
}

/// Lets an entry rest on what its documents say now: the changed words in their place, nothing where they are gone.
async fn cite_again(services: &Services, entry: &mut LibraryEntry) -> Outcome<()> {
    let (stale, _) =
        evidence::check(services, services.graph.as_ref(), std::slice::from_ref(&*entry)).await?;
    for citation in stale.into_iter().flat_map(|entry| entry.citations) {
        entry.citations.retain(|known| known.document != citation.document || known.quote != citation.was);
        if let Some(now) = &citation.now
            && let Ok(found) = evidence::cite_document(services, &citation.document, now).await
            && !entry.citations.contains(&found)
        {
            entry.citations.push(found);
        }
    }
    Ok(())
}

/// A text without its citation marks: `[1]`, `[2, 3]`.
fn without_marks(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let mark = after.split_once(']').filter(|(inside, _)| {
            !inside.is_empty() && inside.chars().all(|c| c.is_ascii_digit() || c == ',' || c == ' ')
        });
        rest = if let Some((_, behind)) = mark {
            plain.push_str(before.trim_end_matches(' '));
            behind
        } else {
            plain.push_str(before);
            plain.push('[');
            after
        };
    }
    plain.push_str(rest);
    plain
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
    let text = without_marks(&wanted.answer.unwrap_or(answer.text));
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
    let entry = writing(&app, &ws, move |services| async move {
        let mut row = json!({"question": question.trim(), "answer": text.trim()});
        if let Some(key) = wanted.id.filter(|key| !key.trim().is_empty()) {
            row["id"] = key.trim().into();
        }
        let reading = tables::read(&row.to_string(), Form::JsonLines, &services.ids);
        let Some(mut entry) = reading.entries.into_iter().next() else {
            let told = reading.problems.join("; ");
            return Err(Problem::invalid(format!("no entry can be made of this: {told}")));
        };
        entry.source = EntrySource::Asked;
        entry.status = EntryStatus::Draft;
        entry.author.clone_from(&author);
        for (unit, quote) in &quotes {
            // a sentence that went meanwhile is left out
            if let Ok(citation) = evidence::cite(&services, unit, Some(quote), &entry.answer).await
                && !entry.citations.contains(&citation)
            {
                entry.citations.push(citation);
            }
        }
        if !services.graph.library_entries(std::slice::from_ref(&entry.id)).await?.is_empty() {
            let told = format!("the library has an entry {} already; change that one", entry.key);
            return Err(Problem::new(Kind::Exists, told));
        }
        let id = entry.id.clone();
        keeping::save(&services, vec![(None, Some(entry))], &Hand::now(&author, "add")).await?;
        one(&services, &id).await
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
    let id = workspace.services.ids.question(&key);
    if workspace.services.graph.library_entries(std::slice::from_ref(&id)).await?.is_empty() {
        return Err(Problem::not_found(format!("the library has no entry {key:?}; GET library lists them")));
    }
    let author = caller.name.clone();
    let entry = writing(&app, &ws, move |services| async move {
        let before = one(&services, &id).await?;
        let mut after = before.clone();
        cite_again(&services, &mut after).await?;
        if after != before {
            keeping::save(&services, vec![(Some(before), Some(after))], &Hand::now(&author, "link")).await?;
        }
        one(&services, &id).await
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
        return Err(Problem::new(Kind::TooLarge, format!("a comment has at most {CHARACTERS} characters")));
    }
    let changed = app.kept.rate_answer(&id, &ws, &caller.name, given.good, given.comment.trim())?;
    if changed && !given.good && !app.settings.read_only {
        let asked = AskedQuestion {
            question: answer.question,
            count: 1,
            last: chrono::Local::now().format("%Y-%m-%d").to_string(),
            outcome: "disliked".to_owned(),
        };
        match workspace.services.graph.add_asked_questions(&[asked]).await {
            // somebody writes: the opinion itself is kept
            Ok(()) | Err(StoreError::Held { .. } | StoreError::Busy { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_without_its_marks() {
        let check = |text: &str, expected: &str| assert_eq!(without_marks(text), expected);
        check("Bob is a clerk. [1] He has a son [2, 3].", "Bob is a clerk. He has a son.");
        check("A list [of things] and [", "A list [of things] and [");
        check("\u{66f9}\u{64cd}\u{3002}[1]", "\u{66f9}\u{64cd}\u{3002}");
    }
}
