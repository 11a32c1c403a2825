//! `conversations`: what was asked and answered in turn, of each caller alone.

use crate::serve::app::Shared;
use crate::serve::input::Body;
use crate::serve::kept::Conversation;
use crate::serve::problem::{Outcome, Problem};
use crate::serve::routes::{About, Routes};
use crate::serve::shapes::Listing;
use crate::serve::tokens::{Caller, Role};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;

/// Characters of a title.
const TITLE: usize = 200;

pub(super) fn add_to(routes: &mut Routes) {
    routes.get(
        "/api/v1/workspaces/{ws}/conversations",
        list,
        About::new("list_conversations", Role::Ask, "Your conversations, the latest first.")
            .reply::<Listing<Conversation>>(),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/conversations",
        begin,
        About::new(
            "begin_conversation",
            Role::Ask,
            "Begins a conversation; questions name it to go on with it.",
        )
        .body::<NewConversation>()
        .reply::<Conversation>()
        .status(201),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/conversations/{id}",
        one,
        About::new("get_conversation", Role::Ask, "A conversation with its latest turns.")
            .reply::<Conversation>(),
    );
    routes.delete(
        "/api/v1/workspaces/{ws}/conversations/{id}",
        forget,
        About::new("forget_conversation", Role::Ask, "Forgets a conversation; its answers stay.").status(204),
    );
}

/// A conversation to begin.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct NewConversation {
    /// What it is called; its first question where absent.
    title: String,
}

async fn list(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
) -> Outcome<Json<Listing<Conversation>>> {
    app.workspace(&caller, &ws).await?;
    Ok(Json(Listing { items: app.kept.conversations(&ws, &caller.name)?, next: None }))
}

async fn begin(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    Body(wanted): Body<NewConversation>,
) -> Outcome<(StatusCode, Json<Conversation>)> {
    if wanted.title.chars().count() > TITLE {
        return Err(Problem::invalid(format!("a title has at most {TITLE} characters")));
    }
    app.workspace(&caller, &ws).await?;
    Ok((StatusCode::CREATED, Json(app.kept.begin_conversation(&ws, &caller.name, wanted.title.trim())?)))
}

async fn one(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<Json<Conversation>> {
    app.workspace(&caller, &ws).await?;
    Ok(Json(app.kept.conversation(&ws, &caller.name, &id)?))
}

async fn forget(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<StatusCode> {
    app.workspace(&caller, &ws).await?;
    if app.kept.forget_conversation(&ws, &caller.name, &id)? {
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(Problem::not_found(format!("there is no conversation {id:?} of yours")))
}
