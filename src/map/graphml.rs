//! The map as `GraphML` (<http://graphml.graphdrawing.org>).

use super::xml::XmlWriter;
use super::{Map, radius};
use anyhow::Result;

/// Nodes with name, type, description, degree, place, size, colour and a community a level; relationships with
/// weight, type and description.
pub(super) fn write(map: &Map, level: usize) -> Result<String> {
    let mut xml = XmlWriter::new()?;
    xml.open("graphml", &[("xmlns", "http://graphml.graphdrawing.org/xmlns")])?;
    let mut keys: Vec<(String, &str, &str, String)> = [
        ("name", "string"),
        ("type", "string"),
        ("description", "string"),
        ("degree", "int"),
        ("x", "double"),
        ("y", "double"),
        ("size", "double"),
        ("color", "string"),
    ]
    .into_iter()
    .map(|(name, kind)| (format!("n_{name}"), "node", kind, name.to_owned()))
    .collect();
    for level in 0..map.levels {
        keys.push((format!("community_{level}"), "node", "int", format!("community_{level}")));
        let title = format!("community_{level}_title");
        keys.push((title.clone(), "node", "string", title));
    }
    for (name, kind) in [("weight", "double"), ("type", "string"), ("description", "string")] {
        keys.push((format!("e_{name}"), "edge", kind, name.to_owned()));
    }
    for (id, of, kind, name) in &keys {
        xml.empty("key", &[("id", id), ("for", of), ("attr.name", name), ("attr.type", kind)])?;
    }
    xml.open("graph", &[("id", &map.workspace), ("edgedefault", "undirected")])?;
    for node in &map.nodes {
        xml.open("node", &[("id", &node.id)])?;
        let mut data = vec![
            ("n_name".to_owned(), node.name.clone()),
            ("n_type".to_owned(), node.kind.clone()),
            ("n_description".to_owned(), node.description.clone()),
            ("n_degree".to_owned(), node.degree.to_string()),
            ("n_x".to_owned(), node.x.to_string()),
            ("n_y".to_owned(), node.y.to_string()),
            ("n_size".to_owned(), radius(node.degree).to_string()),
            ("n_color".to_owned(), map.colour(node, level).to_owned()),
        ];
        for level in 0..map.levels {
            if let Some(place) = node.communities.get(level).copied().flatten() {
                let title = map.community(node, level).map_or(String::new(), |c| c.title.clone());
                data.push((format!("community_{level}"), place.to_string()));
                data.push((format!("community_{level}_title"), title));
            }
        }
        for (key, value) in data.iter().filter(|(_, value)| !value.is_empty()) {
            xml.text("data", &[("key", key)], value)?;
        }
        xml.close("node")?;
    }
    for edge in &map.edges {
        let (Some(one), Some(other)) = (map.nodes.get(edge.source), map.nodes.get(edge.target)) else {
            continue;
        };
        xml.open("edge", &[("source", &one.id), ("target", &other.id)])?;
        let weight = edge.weight.to_string();
        for (key, value) in
            [("e_weight", &weight), ("e_type", &edge.kind), ("e_description", &edge.description)]
        {
            if !value.is_empty() {
                xml.text("data", &[("key", key)], value)?;
            }
        }
        xml.close("edge")?;
    }
    xml.close("graph")?;
    xml.close("graphml")?;
    xml.end()
}
