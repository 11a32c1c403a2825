//! `communities`: the hierarchy with its reports.

use crate::serve::app::Shared;
use crate::serve::input::{Fields, SearchPlace};
use crate::serve::problem::Outcome;
use crate::serve::reading;
use crate::serve::routes::{About, Routes};
use crate::serve::shapes::{CommunityRow, CommunityShape, Listing};
use crate::serve::tokens::{Caller, Role};
use axum::Json;
use axum::extract::{Path, State};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) fn add_to(routes: &mut Routes) {
    routes.get(
        "/api/v1/workspaces/{ws}/communities",
        list,
        About::new(
            "list_communities",
            Role::Read,
            "Communities of the present generation, by level, largest first.",
        )
        .fields::<ListFields>()
        .reply::<Listing<CommunityRow>>(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/communities/{id}",
        one,
        About::new(
            "get_community",
            Role::Read,
            "A community with its report, findings with their sentences, members.",
        )
        .reply::<CommunityShape>(),
    );
}

/// What of a list is wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct ListFields {
    /// Only those of this level; 0 is the coarsest.
    level: Option<u32>,
    /// What `next` of the page before says.
    after: Option<String>,
    /// Rows of a page: 1 to 500; 50 where absent.
    limit: Option<usize>,
}

async fn list(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
    Fields(fields): Fields<ListFields>,
) -> Outcome<Json<Listing<CommunityRow>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let limit = reading::rows(fields.limit)?;
    Ok(Json(reading::communities(&workspace, fields.level, fields.after.as_deref(), limit).await?))
}

async fn one(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<Json<CommunityShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    Ok(Json(reading::community(&app, &workspace, &id).await?))
}
