//! `workspaces`: which there are, and what each holds.

use crate::serve::app::Shared;
use crate::serve::asking;
use crate::serve::problem::Outcome;
use crate::serve::routes::{About, Routes};
use crate::serve::shapes::{Listing, WorkspaceShape};
use crate::serve::tokens::{Caller, Role};
use crate::services::Services;
use crate::stores::pages;
use axum::Json;
use axum::extract::{Path, State};
use schemars::JsonSchema;
use serde::Serialize;

/// Documents looked at, at once.
const PAGE: usize = 1000;

pub(super) fn add_to(routes: &mut Routes) {
    routes.get(
        "/api/v1/workspaces",
        list,
        About::new("list_workspaces", Role::Read, "The workspaces that you may see.")
            .reply::<Listing<WorkspaceName>>(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}",
        one,
        About::new("get_workspace", Role::Read, "A workspace: what it holds, and how far it has come.")
            .reply::<WorkspaceShape>()
            .tagged(),
    );
}

/// A workspace by name.
#[derive(Debug, Serialize, JsonSchema)]
struct WorkspaceName {
    /// Its name.
    name: String,
    /// Whether it is meant where none is named.
    is_default: bool,
}

async fn list(State(app): State<Shared>, caller: Caller) -> Outcome<Json<Listing<WorkspaceName>>> {
    let default = app.default_workspace(&caller).ok();
    let items = app
        .names_for(&caller)
        .into_iter()
        .map(|name| WorkspaceName { is_default: default.as_ref() == Some(&name), name })
        .collect();
    Ok(Json(Listing { items, next: None }))
}

/// Text units that wait and that failed.
async fn left(services: &Services) -> Outcome<(u64, u64)> {
    let (mut pending, mut failed) = (0, 0);
    let mut pages = pages::document_status(services.graph.as_ref(), PAGE);
    while let Some(page) = pages.next().await? {
        for document in page {
            failed += document.failed;
            pending += document.text_units.saturating_sub(document.extracted + document.failed);
        }
    }
    Ok((pending, failed))
}

async fn one(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
) -> Outcome<Json<WorkspaceShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let services = &workspace.services;
    let left = workspace.left.get(workspace.mark().await?, left(services)).await?;
    let (pending, failed) = *left;
    let ledger = services.graph.ledger().await?;
    Ok(Json(WorkspaceShape {
        name: workspace.name.clone(),
        generation: workspace.generation().await?,
        counts: services.graph.counts().await?,
        methods: asking::methods(services),
        has_model: services.chat.is_some(),
        // why is for whoever runs the server: it may name addresses
        unusable_models: services
            .unusable_models
            .as_ref()
            .map(|_| "the configured models cannot be asked; the server's log says why".to_owned()),
        pending,
        failed,
        // the sum of nothing is -0
        cost: ledger.iter().map(|row| row.counters.cost).fold(0.0, |sum, cost| sum + cost),
    }))
}
