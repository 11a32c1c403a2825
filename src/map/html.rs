//! The map as a page in one file: data, style, sigma.js and what shows them. It asks the network for nothing.
//!
//! The data stands in a block that no browser runs, without any character that could end the block, and the page puts
//! it into text nodes alone. The policy lets only the scripts and the style run that bear a nonce; it is a hash of the
//! data, so nothing in the data can bear it.

use super::{Map, MapCommunity, MapEdge, MapSource, radius};
use anyhow::Result;
use serde::Serialize;

const SIGMA: &str = include_str!("assets/sigma.js");
const PAGE: &str = include_str!("assets/page.js");
const STYLE: &str = include_str!("assets/page.css");
const BODY: &str = include_str!("assets/body.html");

#[derive(Serialize)]
struct PageData<'a> {
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
    let nonce = blake3::hash(data.as_bytes()).to_hex();
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'"
    );
    let parts = [
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta http-equiv=\"Content-Security-Policy\" content=\"",
        &policy,
        "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        "<meta name=\"referrer\" content=\"no-referrer\">\n<title>Map of the graph</title>\n<style nonce=\"",
        &nonce,
        "\">\n",
        STYLE,
        "</style>\n</head>\n",
        BODY,
        "<script type=\"application/json\" id=\"data\">",
        &data,
        "</script>\n<script nonce=\"",
        &nonce,
        "\">\n",
        SIGMA,
        "</script>\n<script nonce=\"",
        &nonce,
        "\">\n",
        PAGE,
        "</script>\n</body>\n</html>\n",
    ];
    Ok(parts.concat())
}

/// JSON that can stand in a page: what could end or open markup, or a line of a script, is written as escapes, which
/// JSON reads as the same characters.
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
    let data = PageData {
        workspace: &map.workspace,
        level,
        levels: map.levels,
        left_out: map.left_out,
        nodes,
        edges: &map.edges,
        communities: &map.communities,
        sources: &map.sources,
    };
    let json = serde_json::to_string(&data)?;
    let mut escaped = String::with_capacity(json.len() + json.len() / 16);
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => escaped.push(c),
        }
    }
    Ok(escaped)
}
