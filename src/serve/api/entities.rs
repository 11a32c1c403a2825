//! `entities`, `relationships`, `claims` and `paths`.

use crate::domain::Id;
use crate::serve::app::Shared;
use crate::serve::exploring;
use crate::serve::input::{LimitFields, QueryString, SearchPlace};
use crate::serve::problem::{Outcome, Problem};
use crate::serve::reading::{self, EntityParts};
use crate::serve::routes::{About, Routes};
use crate::serve::shapes::{
    ClaimShape, EntityRow, EntityShape, Listing, Neighbourhood, PathShape, RelationshipShape, Sentence,
};
use crate::serve::tokens::{Caller, Role};
use axum::Json;
use axum::extract::{Path, State};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) fn add_to(routes: &mut Routes) {
    routes.get(
        "/api/v1/workspaces/{ws}/entities",
        list,
        About::new("list_entities", Role::Read, "Entities, those of most text units or the best fit first.")
            .fields::<EntityListFields>()
            .reply::<Listing<EntityRow>>()
            .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/entities/{id}",
        one,
        About::new(
            "get_entity",
            Role::Read,
            "An entity by id or by any of its names, with what it rests on.",
        )
        .reply::<EntityShape>()
        .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/entities/{id}/relationships",
        relationships,
        About::new(
            "relationships_of",
            Role::Read,
            "Relationships of an entity, heaviest first, with sentences.",
        )
        .fields::<LimitFields>()
        .reply::<Listing<RelationshipShape>>()
        .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/entities/{id}/mentions",
        mentions,
        About::new(
            "mentions_of",
            Role::Read,
            "Sentences that name an entity, in the order of the documents.",
        )
        .fields::<LimitFields>()
        .reply::<Listing<Sentence>>()
        .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/entities/{id}/neighbourhood",
        neighbourhood,
        About::new("neighbourhood_of", Role::Read, "Entities and relationships around one.")
            .fields::<NeighbourhoodFields>()
            .reply::<Neighbourhood>()
            .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/paths",
        path,
        About::new(
            "find_path",
            Role::Read,
            "The shortest way between two entities, each step with its sentence.",
        )
        .fields::<PathFields>()
        .reply::<PathShape>()
        .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/relationships",
        all_relationships,
        About::new("list_relationships", Role::Read, "All relationships, by id.")
            .fields::<EntityPageFields>()
            .reply::<Listing<RelationshipShape>>()
            .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/relationships/{id}",
        relationship,
        About::new("get_relationship", Role::Read, "A relationship with the sentence that says it.")
            .reply::<RelationshipShape>()
            .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/claims",
        all_claims,
        About::new("list_claims", Role::Read, "All claims, by id, or those of one entity.")
            .fields::<ClaimFields>()
            .reply::<Listing<ClaimShape>>()
            .tagged(),
    );
}

/// What of a list is wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct EntityListFields {
    /// Only those with a name that holds this.
    q: Option<String>,
    /// Only those of this type.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// What `next` of the page before says.
    after: Option<String>,
    /// Rows of a page: 1 to 500; 50 where absent.
    limit: Option<usize>,
}

/// A page of a list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct EntityPageFields {
    /// What `next` of the page before says.
    after: Option<String>,
    /// Rows of a page: 1 to 500; 50 where absent.
    limit: Option<usize>,
}

/// How far around.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct NeighbourhoodFields {
    /// Steps from the middle: 1 to 3; 1 where absent.
    depth: Option<u32>,
    /// Entities at most: 1 to 500; 50 where absent.
    limit: Option<usize>,
}

/// From where to where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PathFields {
    /// Name or id of the first.
    from: String,
    /// Name or id of the last.
    to: String,
    /// Steps at most: 1 to 6; 4 where absent.
    max_hops: Option<u32>,
}

/// Which claims.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct ClaimFields {
    /// Name or id of whom they are about.
    of: Option<String>,
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
    QueryString(fields): QueryString<EntityListFields>,
) -> Outcome<Json<Listing<EntityRow>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let limit = reading::rows(fields.limit)?;
    let (q, kind, after) = (fields.q.as_deref(), fields.kind.as_deref(), fields.after.as_deref());
    Ok(Json(reading::entities(&workspace, q, kind, after, limit).await?))
}

async fn one(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<Json<EntityShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let entity = reading::entity(&workspace, &id).await?;
    Ok(Json(reading::entity_shape(&app, &workspace, entity, EntityParts::ALL).await?))
}

async fn relationships(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
    SearchPlace(_place): SearchPlace,
    QueryString(fields): QueryString<LimitFields>,
) -> Outcome<Json<Listing<RelationshipShape>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let limit = reading::rows(fields.limit)?;
    let entity = reading::entity(&workspace, &id).await?;
    let found = workspace.services.graph.relationships_of(&[entity.id], limit).await?;
    let items = reading::relationship_shapes(&app, &workspace, found, true).await?;
    Ok(Json(Listing { items, next: None }))
}

async fn mentions(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
    SearchPlace(_place): SearchPlace,
    QueryString(fields): QueryString<LimitFields>,
) -> Outcome<Json<Listing<Sentence>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let limit = reading::rows(fields.limit)?;
    let entity = reading::entity(&workspace, &id).await?;
    let items = reading::mentions(&app, &workspace, &entity, limit).await?;
    Ok(Json(Listing { items, next: None }))
}

async fn neighbourhood(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
    SearchPlace(_place): SearchPlace,
    QueryString(fields): QueryString<NeighbourhoodFields>,
) -> Outcome<Json<Neighbourhood>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let limit = reading::rows(fields.limit)?;
    let entity = reading::entity(&workspace, &id).await?;
    let depth = fields.depth.unwrap_or(1);
    Ok(Json(exploring::neighbourhood(&app, &workspace, &entity, depth, limit).await?))
}

async fn path(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
    QueryString(fields): QueryString<PathFields>,
) -> Outcome<Json<PathShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let hops = fields.max_hops.unwrap_or(4);
    Ok(Json(exploring::path(&app, &workspace, &fields.from, &fields.to, hops).await?))
}

async fn all_relationships(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
    QueryString(fields): QueryString<EntityPageFields>,
) -> Outcome<Json<Listing<RelationshipShape>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let limit = reading::rows(fields.limit)?;
    let after = fields.after.map(Id::from_stored);
    let mut found = workspace.services.graph.relationships(after.as_ref(), limit + 1).await?;
    let next = next_of(&mut found, limit, |last| last.id.to_string());
    let items = reading::relationship_shapes(&app, &workspace, found, false).await?;
    Ok(Json(Listing { items, next }))
}

/// Cuts a page that was read with one row more, and says how the next is asked for.
fn next_of<T>(found: &mut Vec<T>, limit: usize, key: impl Fn(&T) -> String) -> Option<String> {
    if found.len() <= limit {
        return None;
    }
    found.truncate(limit);
    found.last().map(key)
}

async fn relationship(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<Json<RelationshipShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let found = workspace.services.graph.relationships_by_id(&[Id::from_stored(id.as_str())]).await?;
    let shapes = reading::relationship_shapes(&app, &workspace, found, true).await?;
    let shape = shapes.into_iter().next();
    shape.map(Json).ok_or_else(|| Problem::not_found(format!("no relationship has the id {id:?}")))
}

async fn all_claims(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
    QueryString(fields): QueryString<ClaimFields>,
) -> Outcome<Json<Listing<ClaimShape>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let limit = reading::rows(fields.limit)?;
    let reader = workspace.services.graph.as_ref();
    if let Some(of) = fields.of {
        let entity = reading::entity(&workspace, &of).await?;
        let mut found = reader.claims_of(&[entity.id]).await?;
        found.truncate(limit);
        return Ok(Json(Listing { items: reading::claim_shapes(&workspace, found).await?, next: None }));
    }
    let after = fields.after.map(Id::from_stored);
    let mut found = reader.claims(after.as_ref(), limit + 1).await?;
    let next = next_of(&mut found, limit, |last| last.id.to_string());
    Ok(Json(Listing { items: reading::claim_shapes(&workspace, found).await?, next }))
}
