//! `edits` and `duplicates`: the graph changed by hand, each change with a preview and a way back.

use crate::domain::{Edit, EditKind};
use crate::index::editing::{self, EditPreview, EditWish};
use crate::index::names::resolution;
use crate::serve::app::{App, Shared};
use crate::serve::input::{Body, LimitFields, QueryString, SearchPlace};
use crate::serve::jobs::{self, JobShape, Work};
use crate::serve::problem::{Outcome, Problem};
use crate::serve::reading;
use crate::serve::routes::{About, Routes};
use crate::serve::shapes::Listing;
use crate::serve::tokens::{Caller, Role};
use crate::serve::workspaces::Workspace;
use crate::services::Services;
use crate::stores::StoreResult;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) fn add_to(routes: &mut Routes) {
    routes.get(
        "/api/v1/workspaces/{ws}/edits",
        list,
        About::new("list_edits", Role::Read, "Edits by hand that are in force, in order.")
            .reply::<Listing<EditShape>>()
            .tagged(),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/edits",
        make,
        About::new("edit", Role::Write, "Renames, merges, splits, pins or deletes; with dry_run a preview.")
            .fields::<EditFields>()
            .preview::<EditPreview>()
            .body::<EditWish>()
            .reply::<JobShape>()
            .status(202),
    );
    routes.delete(
        "/api/v1/workspaces/{ws}/edits/{id}",
        undo,
        About::new("undo_edit", Role::Write, "Takes an edit back.").reply::<JobShape>().status(202),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/duplicates",
        duplicates,
        About::new("list_duplicates", Role::Read, "Pairs of names that may be one entity, likeliest first.")
            .fields::<LimitFields>()
            .reply::<Listing<PairShape>>()
            .tagged(),
    );
}

/// An edit in force.
#[derive(Debug, Serialize, JsonSchema)]
struct EditShape {
    /// Its id.
    id: String,
    /// Its place among the edits.
    sequence: u64,
    /// `rename`, `merge`, `split`, `delete` or `pin`.
    edit: String,
    /// The names that it speaks of, as documents write them in lower case.
    names: Vec<String>,
    /// What it sets: a name, or a value.
    to: String,
}

impl EditShape {
    fn of(edit: &Edit) -> Self {
        let (kind, to) = match &edit.kind {
            EditKind::Rename { to, .. } => ("rename", to.clone()),
            EditKind::Merge { shown, into, .. } => {
                ("merge", if shown.is_empty() { into.clone() } else { shown.clone() })
            }
            EditKind::Split { .. } => ("split", String::new()),
            EditKind::Delete { .. } => ("delete", String::new()),
            EditKind::Pin { property, value, .. } => ("pin", format!("{property}: {value}")),
        };
        Self {
            id: edit.id.to_string(),
            sequence: edit.sequence,
            edit: kind.to_owned(),
            names: edit.kind.names().map(str::to_owned).collect(),
            to,
        }
    }
}

/// How an edit is meant.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct EditFields {
    /// Say what it would do, and do nothing.
    dry_run: bool,
}

/// Two names that may be one entity.
#[derive(Debug, Serialize, JsonSchema)]
struct PairShape {
    /// One.
    low: NameShape,
    /// The other.
    high: NameShape,
    /// Likeness from 0 to 1, of pairs close in spelling.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// What they have in common.
    why: String,
    /// What a model said of it, if one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    same: Option<bool>,
    /// Why, in the model's words.
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
}

/// A name and its entity.
#[derive(Debug, Serialize, JsonSchema)]
struct NameShape {
    /// The name, to be named in an edit.
    key: String,
    /// Id of its entity.
    id: String,
    /// Name of its entity.
    name: String,
    /// Type of its entity.
    kind: String,
    /// What is said of it.
    description: String,
    /// Text units that mention it.
    text_units: u32,
    /// Its relationships, in number.
    degree: u32,
}

async fn list(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
) -> Outcome<Json<Listing<EditShape>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let edits = workspace.services.graph.edits().await?;
    Ok(Json(Listing { items: edits.iter().map(EditShape::of).collect(), next: None }))
}

/// A name for an edit: that of the entity where an id is given.
async fn named(workspace: &Workspace, given: &str) -> Outcome<String> {
    let entity = reading::entity(workspace, given).await?;
    Ok(if reading::is_id(given) { entity.name } else { given.to_owned() })
}

async fn by_names(workspace: &Workspace, wish: EditWish) -> Outcome<EditWish> {
    Ok(match wish {
        EditWish::Rename { name, to } => EditWish::Rename { name: named(workspace, &name).await?, to },
        EditWish::Merge { names, into } => {
            let mut found = Vec::new();
            for name in &names {
                found.push(named(workspace, name).await?);
            }
            // what all are to be shown under may be a name that no document uses
            let into = if reading::is_id(&into) { named(workspace, &into).await? } else { into };
            EditWish::Merge { names: found, into }
        }
        EditWish::Split { name, from } => {
            EditWish::Split { name: named(workspace, &name).await?, from: named(workspace, &from).await? }
        }
        EditWish::Delete { name } => EditWish::Delete { name: named(workspace, &name).await? },
        EditWish::Pin { name, property, value } => {
            EditWish::Pin { name: named(workspace, &name).await?, property, value }
        }
    })
}

async fn make(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    QueryString(fields): QueryString<EditFields>,
    Body(wish): Body<EditWish>,
) -> Outcome<Response> {
    let workspace = app.workspace(&caller, &ws).await?;
    let (wish, edit) = checked(&workspace, wish).await?;
    if fields.dry_run {
        let preview: EditPreview = editing::preview(&workspace.services, &edit).await?;
        return Ok(Json(preview).into_response());
    }
    let job = jobs::add(&app, &caller, &ws, &Work::Edit { wish })?;
    Ok((StatusCode::ACCEPTED, Json(job)).into_response())
}

/// Begins an edit that can be made as it is wished.
///
/// # Errors
/// Names that are none, an edit that cannot be made.
pub(in crate::serve) async fn begin(
    app: &App,
    caller: &Caller,
    workspace: &Workspace,
    wish: EditWish,
) -> Outcome<JobShape> {
    let (wish, _) = checked(workspace, wish).await?;
    jobs::add(app, caller, &workspace.name, &Work::Edit { wish })
}

/// A wish by names, and the edit that it comes to.
async fn checked(workspace: &Workspace, wish: EditWish) -> Outcome<(EditWish, Edit)> {
    let wish = by_names(workspace, wish).await?;
    let edit = editing::edit_of(&workspace.services, &wish).await;
    let edit = edit.map_err(|error| match error.downcast_ref::<editing::WrongEdit>() {
        Some(wrong) => Problem::invalid(wrong.to_string()),
        None => error.into(),
    })?;
    Ok((wish, edit))
}

/// Begins to take an edit back.
///
/// # Errors
/// No such edit is in force.
pub(in crate::serve) async fn take_back(
    app: &App,
    caller: &Caller,
    workspace: &Workspace,
    id: &str,
) -> Outcome<JobShape> {
    let edits = workspace.services.graph.edits().await?;
    let edit = editing::find(&edits, id)
        .map_err(|_error| Problem::not_found(format!("no edit {id:?} is in force")))?;
    jobs::add(app, caller, &workspace.name, &Work::Undo { edit: edit.id.to_string() })
}

async fn undo(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<(StatusCode, Json<JobShape>)> {
    let workspace = app.workspace(&caller, &ws).await?;
    Ok((StatusCode::ACCEPTED, Json(take_back(&app, &caller, &workspace, &id).await?)))
}

async fn duplicates(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
    QueryString(fields): QueryString<LimitFields>,
) -> Outcome<Json<Listing<PairShape>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let limit = reading::rows(fields.limit)?;
    let services = &workspace.services;
    let (_, pairs) = resolution::duplicates(services, resolution::PAIRS_PER_NAME).await?;
    let mut items = Vec::new();
    for pair in pairs {
        if items.len() == limit {
            break;
        }
        let (low, high) = (name_shape(services, &pair.low).await?, name_shape(services, &pair.high).await?);
        let (Some(low), Some(high)) = (low, high) else {
            // one of them was deleted
            continue;
        };
        if low.id != high.id {
            let why = pair.why.to_owned();
            items.push(PairShape { low, high, score: pair.score, why, same: pair.same, reason: pair.reason });
        }
    }
    Ok(Json(Listing { items, next: None }))
}

async fn name_shape(services: &Services, key: &str) -> StoreResult<Option<NameShape>> {
    let found = editing::find_entity(services, key).await?;
    Ok(found.map(|(_, entity)| NameShape {
        key: key.to_owned(),
        id: entity.id.to_string(),
        name: entity.name,
        kind: entity.kind,
        description: entity.description,
        text_units: entity.text_unit_count,
        degree: entity.degree,
    }))
}
