//! `communities`: the hierarchy with its reports.

use crate::domain::Id;
use crate::serve::app::Shared;
use crate::serve::input::{QueryString, SearchPlace};
use crate::serve::problem::{Outcome, Problem};
use crate::serve::reading;
use crate::serve::routes::{About, Routes};
use crate::serve::shapes::{CommunityRow, CommunityShape, Listing};
use crate::serve::tokens::{Caller, Role};
use axum::Json;
use axum::extract::{Path, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub(super) fn add_to(routes: &mut Routes) {
    routes.get(
        "/api/v1/workspaces/{ws}/communities",
        list,
        About::new(
            "list_communities",
            Role::Read,
            "Communities of the present generation, by level, largest first.",
        )
        .fields::<CommunityListFields>()
        .reply::<Listing<CommunityRow>>()
        .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/communities/{id}",
        one,
        About::new(
            "get_community",
            Role::Read,
            "A community with its report, findings with their sentences, members.",
        )
        .reply::<CommunityShape>()
        .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/communities/{id}/history",
        history,
        About::new(
            "community_history",
            Role::Read,
            "What became of a community from run to run, oldest first.",
        )
        .reply::<Listing<HistoryShape>>()
        .tagged(),
    );
}

/// What became of a community in one run.
#[derive(Debug, Serialize, JsonSchema)]
struct HistoryShape {
    /// The generation that the run made.
    generation: u64,
    /// Day of the run.
    period: String,
    /// `began`, `changed`, `split`, `merged` or `ended`.
    event: &'static str,
    /// Its entities then, in number.
    size: u64,
    /// Title of its report then.
    title: String,
    /// Titles of the communities that it took in, split from, began from or went into.
    others: Vec<String>,
}

/// What of a list is wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct CommunityListFields {
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
    QueryString(fields): QueryString<CommunityListFields>,
) -> Outcome<Json<Listing<CommunityRow>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let limit = reading::rows(fields.limit)?;
    Ok(Json(reading::communities(&workspace, fields.level, fields.after.as_deref(), limit).await?))
}

async fn history(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
    SearchPlace(_place): SearchPlace,
) -> Outcome<Json<Listing<HistoryShape>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let reader = workspace.services.graph.as_ref();
    let found = reader.communities_by_id(&[Id::from_stored(id.as_str())]).await?.pop();
    let found = found
        .ok_or_else(|| Problem::not_found(format!("no community of this generation has the id {id}")))?;
    let steps = reader.lineage_steps().await?;
    let titles: BTreeMap<&Id, &str> = steps.iter().map(|step| (&step.lineage, step.title.as_str())).collect();
    let items = steps
        .iter()
        .filter(|step| step.lineage == found.lineage)
        .map(|step| HistoryShape {
            generation: step.generation,
            period: step.period.clone(),
            event: step.event.as_str(),
            size: step.size,
            title: step.title.clone(),
            others: step
                .others
                .iter()
                .filter_map(|other| titles.get(other))
                .map(ToString::to_string)
                .collect(),
        })
        .collect();
    Ok(Json(Listing { items, next: None }))
}

async fn one(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<Json<CommunityShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    Ok(Json(reading::community(&app, &workspace, &id).await?))
}
