//! `documents` and `units`, reading.

use crate::serve::app::Shared;
use crate::serve::input::{QueryString, SearchPlace};
use crate::serve::listing::{self, DocumentFilter};
use crate::serve::ordering::SortOrder;
use crate::serve::paper;
use crate::serve::problem::{Outcome, Problem};
use crate::serve::reading;
use crate::serve::routes::{About, Routes};
use crate::serve::shapes::{ContentsShape, DocumentShape, Listing, PagesShape, TextShape, UnitShape};
use crate::serve::tokens::{Caller, Role};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) fn add_to(routes: &mut Routes) {
    routes.get(
        "/api/v1/workspaces/{ws}/documents",
        list,
        About::new("list_documents", Role::Read, "Documents by key, or as they are sorted.")
            .fields::<DocumentListFields>()
            .reply::<Listing<DocumentShape>>()
            .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/documents/{id}",
        one,
        About::new("get_document", Role::Read, "A document by id, or by key with its slashes as %2F.")
            .reply::<DocumentShape>()
            .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/documents/{id}/text",
        text,
        About::new("read_document", Role::Read, "A document's text, or a range of its characters.")
            .fields::<TextFields>()
            .reply::<TextShape>()
            .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/documents/{id}/contents",
        contents,
        About::new(
            "get_contents",
            Role::Read,
            "A document's headings and pages with their places, the entities that it mentions, its summaries.",
        )
        .reply::<ContentsShape>()
            .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/documents/{id}/pages",
        pages,
        About::new(
            "get_pages",
            Role::Read,
            "The pages of a PDF that a range of its characters stands on, with boxes around it.",
        )
        .fields::<MarkedPageFields>()
        .reply::<PagesShape>(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/documents/{id}/pages/{page}",
        picture,
        About::new("draw_page", Role::Read, "A page of a PDF as PNG, a range of its characters marked.")
            .fields::<MarkedPageFields>()
            .other("image/png", "the page, two pixels a point"),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/units/{id}",
        unit,
        About::new("get_unit", Role::Read, "A text unit with the entities that it mentions.")
            .reply::<UnitShape>()
            .tagged(),
    );
}

/// What of a list is wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct DocumentListFields {
    /// Only those whose key or title holds this.
    q: Option<String>,
    /// Only those in this state: `done`, `pending` or `failed`.
    state: Option<String>,
    /// What they are sorted by: `key` (where absent), `title`, `state`, `text_units`, `characters`, `date` or `indexed_at`;
    /// with `-` before it the last or the most first. Those that have none of it come last.
    sort: Option<String>,
    /// What `next` of the page before says.
    after: Option<String>,
    /// Rows of a page: 1 to 500; 50 where absent.
    limit: Option<usize>,
}

/// Which characters are wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct TextFields {
    /// First character, in Unicode scalar values.
    from: Option<u64>,
    /// One behind the last; at most 200,000 come at once.
    to: Option<u64>,
}

/// Which characters are marked on a page.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct MarkedPageFields {
    /// First character, in Unicode scalar values.
    from: u64,
    /// One behind the last, at most 20,000 on; absent: none is marked.
    to: Option<u64>,
}

impl MarkedPageFields {
    fn span(&self) -> std::ops::Range<u64> {
        self.from..self.to.unwrap_or(self.from)
    }
}

async fn list(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
    QueryString(fields): QueryString<DocumentListFields>,
) -> Outcome<Json<Listing<DocumentShape>>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let limit = reading::rows(fields.limit)?;
    let state = fields.state.as_deref();
    if let Some(state) = state.filter(|state| !["done", "pending", "failed"].contains(state)) {
        return Err(Problem::invalid(format!("state is {state:?}; there are done, pending and failed")));
    }
    let sort = fields.sort.as_deref().map(SortOrder::read).transpose()?;
    let (q, after) = (fields.q.as_deref(), fields.after.as_deref());
    Ok(Json(listing::documents(&workspace, &DocumentFilter { q, state, sort, after, limit }).await?))
}

async fn one(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<Json<DocumentShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    Ok(Json(reading::document_with_state(&workspace, &id).await?))
}

async fn text(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
    QueryString(fields): QueryString<TextFields>,
) -> Outcome<Json<TextShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    Ok(Json(reading::text(&workspace, &id, fields.from, fields.to).await?))
}

async fn pages(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
    SearchPlace(_place): SearchPlace,
    QueryString(fields): QueryString<MarkedPageFields>,
) -> Outcome<Json<PagesShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    Ok(Json(paper::pages(&app, &workspace, &id, fields.span()).await?))
}

async fn picture(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id, page)): Path<(String, String, String)>,
    SearchPlace(_place): SearchPlace,
    QueryString(fields): QueryString<MarkedPageFields>,
) -> Outcome<Response> {
    let number = page.parse().map_err(|_error| {
        Problem::invalid(format!("{page:?} is no number of a page; give its place in the file, from 1"))
    })?;
    let workspace = app.workspace(&caller, &ws).await?;
    let picture = paper::picture(&app, &workspace, &id, number, fields.span()).await?;
    Ok(([(header::CONTENT_TYPE, "image/png")], picture).into_response())
}

async fn contents(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
    SearchPlace(_place): SearchPlace,
) -> Outcome<Json<ContentsShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    Ok(Json(reading::contents(&workspace, &id).await?))
}

async fn unit(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<Json<UnitShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    Ok(Json(reading::unit(&workspace, &id).await?))
}
