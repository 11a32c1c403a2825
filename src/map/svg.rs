//! The map as a picture.

use super::xml::XmlWriter;
use super::{Map, MapNode, SIDE, radius};
use anyhow::Result;

/// Space around the map.
const MARGIN: f64 = 60.0;
/// Nodes that are named: those of most relationships, where nothing is in the way.
const NAMED: usize = 60;
/// Height of the names, and how wide a character is, about.
const TYPE: f64 = 12.0;
const CHARACTER: f64 = 6.6;
/// Characters of a name that are shown.
const LONGEST: usize = 40;

/// Relationships as lines, entities as circles with a tooltip, names of the leading ones.
pub(super) fn write(map: &Map, level: usize) -> Result<String> {
    let mut xml = XmlWriter::new()?;
    let all = SIDE + 2.0 * MARGIN;
    let view = format!("0 0 {all} {all}");
    let title = format!("Map of {}", map.workspace);
    xml.open("svg", &[("xmlns", "http://www.w3.org/2000/svg"), ("viewBox", &view), ("role", "img")])?;
    xml.text("title", &[], &title)?;
    xml.empty("rect", &[("width", "100%"), ("height", "100%"), ("fill", "#ffffff")])?;
    xml.open("g", &[("stroke", "#888888"), ("stroke-opacity", "0.18"), ("stroke-width", "0.6")])?;
    for edge in &map.edges {
        let (Some(one), Some(other)) = (map.nodes.get(edge.source), map.nodes.get(edge.target)) else {
            continue;
        };
        let [x1, y1, x2, y2] = [across(one), down(one), across(other), down(other)].map(number);
        xml.empty("line", &[("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)])?;
    }
    xml.close("g")?;
    xml.open("g", &[("stroke", "#ffffff"), ("stroke-width", "0.6")])?;
    let mut order: Vec<&MapNode> = map.nodes.iter().collect();
    order.sort_by(|a, b| b.degree.cmp(&a.degree).then_with(|| a.id.cmp(&b.id)));
    for node in &order {
        let [x, y, r] = [across(node), down(node), radius(node.degree)].map(number);
        let fill = map.colour(node, level);
        xml.open("circle", &[("cx", &x), ("cy", &y), ("r", &r), ("fill", fill)])?;
        let community = map.community(node, level).map(|c| format!("\n{}", c.title)).unwrap_or_default();
        xml.text("title", &[], &format!("{}{community}", node.name))?;
        xml.close("circle")?;
    }
    xml.close("g")?;
    let kind = [
        ("font-family", "system-ui, sans-serif"),
        ("font-size", "12"),
        ("fill", "#222222"),
        ("stroke", "#ffffff"),
        ("stroke-width", "3"),
        ("stroke-linejoin", "round"),
        ("paint-order", "stroke"),
    ];
    xml.open("g", &kind)?;
    for (node, name, x, y) in names(&order) {
        let [x, y] = [x, y].map(number);
        let anchor = if across(node) > SIDE * 0.8 { "end" } else { "start" };
        xml.text("text", &[("x", &x), ("y", &y), ("text-anchor", anchor)], &name)?;
    }
    xml.close("g")?;
    xml.close("svg")?;
    xml.end()
}

/// Names that do not stand on another, the leading nodes' first: node, name, x and y.
fn names<'a>(order: &[&'a MapNode]) -> Vec<(&'a MapNode, String, f64, f64)> {
    let mut taken: Vec<(f64, f64, f64)> = Vec::new();
    let mut names = Vec::new();
    for node in order.iter().copied().take(NAMED * 4) {
        let name: String = node.name.chars().take(LONGEST).collect();
        let width = name.chars().count() as f64 * CHARACTER;
        let right = across(node) > SIDE * 0.8;
        let gap = radius(node.degree) + 2.0;
        let x = if right { across(node) - gap } else { across(node) + gap };
        let y = down(node) + TYPE / 3.0;
        let left = if right { x - width } else { x };
        let clear = taken
            .iter()
            .all(|&(start, end, line)| end < left || start > left + width || (line - y).abs() > TYPE * 1.1);
        if clear && names.len() < NAMED {
            taken.push((left, left + width, y));
            names.push((node, name, x, y));
        }
    }
    names
}

fn across(node: &MapNode) -> f64 {
    node.x + MARGIN
}

fn down(node: &MapNode) -> f64 {
    SIDE - node.y + MARGIN
}

fn number(value: f64) -> String {
    super::rounded(value).to_string()
}
