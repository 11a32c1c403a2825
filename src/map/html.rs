//! The map as a page in one file: data, style, sigma.js and what shows them. The page puts the data into text nodes alone.

use super::{Map, MapCommunity, MapEdge, MapSource, radius};
use crate::standalone::{StandalonePage, script_data};
use anyhow::Result;
use serde::Serialize;

const SIGMA: &str = include_str!("assets/sigma.js");
const PAGE: &str = include_str!("assets/page.js");
const STYLE: &str = include_str!("assets/page.css");
const BODY: &str = include_str!("assets/body.html");

#[derive(Serialize)]
struct MapPageData<'a> {
    workspace: &'a str,
    level: usize,
    levels: usize,
    left_out: usize,
    nodes: Vec<PageNode<'a>>,
    edges: &'a [MapEdge],
    communities: &'a [MapCommunity],
    sources: &'a [MapSource],
}

#[derive(Serialize)]
struct PageNode<'a> {
    name: &'a str,
    kind: &'a str,
    description: &'a str,
    degree: u32,
    x: f64,
    y: f64,
    size: f64,
    communities: &'a [Option<usize>],
    sources: &'a [usize],
}

/// The page, showing a level first.
pub(super) fn write(map: &Map, level: usize) -> Result<String> {
    let data = to_script_data(map, level)?;
    let page = StandalonePage {
        title: "Map of the graph",
        style: STYLE,
        body: BODY,
        data: &data,
        scripts: &[SIGMA, PAGE],
    };
    Ok(page.html())
}

/// What the page shows.
fn to_script_data(map: &Map, level: usize) -> Result<String> {
    let nodes = map
        .nodes
        .iter()
        .map(|node| PageNode {
            name: &node.name,
            kind: &node.kind,
            description: &node.description,
            degree: node.degree,
            x: node.x,
            y: node.y,
            size: radius(node.degree),
            communities: &node.communities,
            sources: &node.sources,
        })
        .collect();
    let data = MapPageData {
        workspace: &map.workspace,
        level,
        levels: map.levels,
        left_out: map.left_out,
        nodes,
        edges: &map.edges,
        communities: &map.communities,
        sources: &map.sources,
    };
    script_data(&data)
}
