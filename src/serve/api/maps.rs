//! `map`: the graph laid out in the plane, as JSON for a page and as files.

use crate::map::{Layout, MapFormat, MapSettings};
use crate::serve::app::Shared;
use crate::serve::input::{QueryString, SearchPlace};
use crate::serve::problem::{Outcome, Problem};
use crate::serve::routes::{About, Routes};
use crate::serve::tokens::{Caller, Role};
use crate::serve::workspaces::GivenMap;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Entities where nothing is said, and at most.
const ENTITIES: usize = 20_000;
/// A page of its own: its script stands in it, it may neither load nor send anything, and it has no origin.
const PAGE_POLICY: &str = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
     img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

pub(super) fn add_to(routes: &mut Routes) {
    routes.get(
        "/api/v1/workspaces/{ws}/map",
        map,
        About::new("get_map", Role::Read, "Entities with places, relationships, communities with colours.")
            .fields::<MapFields>()
            .reply::<MapShape>()
            .tagged(),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/map/{format}",
        file,
        About::new("get_map_file", Role::Read, "The map as html, svg, graphml or gexf.")
            .fields::<MapFields>()
            .other("image/svg+xml", "the file, with svg")
            .other("text/html", "the file, with html")
            .other("application/graphml+xml", "the file, with graphml")
            .other("application/gexf+xml", "the file, with gexf")
            .tagged(),
    );
}

/// What is drawn.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct MapFields {
    /// Level of the communities that give the colours; 0, the coarsest, where absent.
    level: Option<usize>,
    /// What puts entities near each other: `structure`, or `text` where there are embeddings.
    layout: Option<LayoutName>,
    /// Entities at most: 1 to 20,000.
    limit: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum LayoutName {
    Structure,
    Text,
}

/// The map.
#[derive(Debug, Serialize, JsonSchema)]
struct MapShape {
    /// The generation that it shows.
    generation: u64,
    /// Whether the graph has changed since, and a newer map is being laid out: ask again in some seconds.
    is_old: bool,
    /// Levels of communities.
    levels: usize,
    /// The entities.
    nodes: Vec<Node>,
    /// The relationships: places of both ends in `nodes`, and weight.
    edges: Vec<(usize, usize, u32)>,
    /// The communities.
    communities: Vec<CommunityMark>,
    /// Entities that the limit left out.
    left_out: usize,
}

/// An entity on the map.
#[derive(Debug, Serialize, JsonSchema)]
struct Node {
    /// Its id.
    id: String,
    /// Its name.
    name: String,
    /// Its type.
    kind: String,
    /// Its relationships, in number.
    degree: u32,
    /// Place, 0 to 1000, rightwards.
    x: f64,
    /// Place, 0 to 1000, upwards.
    y: f64,
    /// Its community at each level, as a place in `communities`.
    communities: Vec<Option<usize>>,
}

/// A community on the map.
#[derive(Debug, Serialize, JsonSchema)]
struct CommunityMark {
    /// Its level.
    level: u32,
    /// Its entities, in number.
    size: usize,
    /// `#rrggbb`.
    colour: String,
    /// Title of its report.
    title: String,
}

fn settings(fields: &MapFields) -> Outcome<MapSettings> {
    let limit = fields.limit.unwrap_or(ENTITIES);
    if !(1..=ENTITIES).contains(&limit) {
        return Err(Problem::invalid(format!("limit is {limit}; it must be from 1 to {ENTITIES}")));
    }
    let layout = if fields.layout == Some(LayoutName::Text) { Layout::Text } else { Layout::Structure };
    Ok(MapSettings { layout, limit, seed: 0 })
}

fn shape(given: &GivenMap) -> MapShape {
    let map = &given.map;
    let round = |value: f64| (value * 100.0).round() / 100.0;
    MapShape {
        generation: given.generation,
        is_old: given.is_old,
        levels: map.levels,
        nodes: map
            .nodes
            .iter()
            .map(|node| Node {
                id: node.id.clone(),
                name: node.name.clone(),
                kind: node.kind.clone(),
                degree: node.degree,
                x: round(node.x),
                y: round(node.y),
                communities: node.communities.clone(),
            })
            .collect(),
        edges: map.edges.iter().map(|edge| (edge.source, edge.target, edge.weight)).collect(),
        communities: map
            .communities
            .iter()
            .map(|community| CommunityMark {
                level: community.level,
                size: community.size,
                colour: community.colour.clone(),
                title: community.title.clone(),
            })
            .collect(),
        left_out: map.left_out,
    }
}

async fn map(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
    QueryString(fields): QueryString<MapFields>,
) -> Outcome<Json<MapShape>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let given = workspace.map(settings(&fields)?).await?;
    given.map.check_level(fields.level.unwrap_or(0)).map_err(|error| Problem::invalid(error.to_string()))?;
    Ok(Json(shape(&given)))
}

async fn file(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, format)): Path<(String, String)>,
    SearchPlace(_place): SearchPlace,
    QueryString(fields): QueryString<MapFields>,
) -> Outcome<Response> {
    let (format, kind) = match format.as_str() {
        "html" => (MapFormat::Html, "text/html; charset=utf-8"),
        "svg" => (MapFormat::Svg, "image/svg+xml"),
        "graphml" => (MapFormat::GraphMl, "application/graphml+xml"),
        "gexf" => (MapFormat::Gexf, "application/gexf+xml"),
        _ => {
            return Err(Problem::not_found(format!(
                "there is no map/{format}; there are html, svg, graphml, gexf"
            )));
        }
    };
    let workspace = app.workspace(&caller, &ws).await?;
    let map = workspace.map(settings(&fields)?).await?.map;
    let level = fields.level.unwrap_or(0);
    let text = tokio::task::spawn_blocking(move || map.write(format, level))
        .await
        .map_err(|error| Problem::failed(error.to_string()))?
        .map_err(|error| Problem::invalid(error.to_string()))?;
    let mut response = ([(header::CONTENT_TYPE, kind)], text).into_response();
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
    Ok(response)
}
