//! The map as GEXF 1.3 (<https://gexf.net>), with places, sizes and colours as Gephi draws them.

use super::xml::XmlWriter;
use super::{Map, radius};
use anyhow::Result;

/// Nodes with type, description, degree and a community a level; relationships with weight, type and description.
pub(super) fn write(map: &Map, level: usize) -> Result<String> {
    let mut xml = XmlWriter::new()?;
    let root =
        [("xmlns", "http://gexf.net/1.3"), ("xmlns:viz", "http://gexf.net/1.3/viz"), ("version", "1.3")];
    xml.open("gexf", &root)?;
    xml.open("meta", &[])?;
    xml.text("creator", &[], "graphwright")?;
    xml.text("description", &[], &map.workspace)?;
    xml.close("meta")?;
    xml.open("graph", &[("defaultedgetype", "undirected")])?;
    xml.open("attributes", &[("class", "node")])?;
    for (id, kind) in [("type", "string"), ("description", "string"), ("degree", "integer")] {
        xml.empty("attribute", &[("id", id), ("title", id), ("type", kind)])?;
    }
    for level in 0..map.levels {
        let id = format!("community_{level}");
        xml.empty("attribute", &[("id", &id), ("title", &id), ("type", "string")])?;
    }
    xml.close("attributes")?;
    xml.open("attributes", &[("class", "edge")])?;
    xml.empty("attribute", &[("id", "description"), ("title", "description"), ("type", "string")])?;
    xml.close("attributes")?;
    nodes(&mut xml, map, level)?;
    edges(&mut xml, map)?;
    xml.close("graph")?;
    xml.close("gexf")?;
    xml.end()
}

fn nodes(xml: &mut XmlWriter, map: &Map, level: usize) -> Result<()> {
    xml.open("nodes", &[])?;
    for node in &map.nodes {
        xml.open("node", &[("id", &node.id), ("label", &node.name)])?;
        xml.open("attvalues", &[])?;
        let degree = node.degree.to_string();
        for (id, value) in [("type", &node.kind), ("description", &node.description), ("degree", &degree)] {
            xml.empty("attvalue", &[("for", id), ("value", value)])?;
        }
        for level in 0..map.levels {
            if let Some(place) = node.communities.get(level).copied().flatten() {
                let title = map.community(node, level).map_or("", |community| community.title.as_str());
                let (id, value) = (format!("community_{level}"), format!("{place}: {title}"));
                xml.empty("attvalue", &[("for", &id), ("value", &value)])?;
            }
        }
        xml.close("attvalues")?;
        let [x, y, size] = [node.x, node.y, radius(node.degree)].map(|value| value.to_string());
        xml.empty("viz:position", &[("x", &x), ("y", &y), ("z", "0")])?;
        xml.empty("viz:size", &[("value", &size)])?;
        xml.empty("viz:color", &[("hex", map.colour(node, level))])?;
        xml.close("node")?;
    }
    xml.close("nodes")
}

fn edges(xml: &mut XmlWriter, map: &Map) -> Result<()> {
    xml.open("edges", &[])?;
    for (place, edge) in map.edges.iter().enumerate() {
        let (Some(one), Some(other)) = (map.nodes.get(edge.source), map.nodes.get(edge.target)) else {
            continue;
        };
        let (id, weight) = (place.to_string(), edge.weight.to_string());
        let attributes = [
            ("id", id.as_str()),
            ("source", &one.id),
            ("target", &other.id),
            ("weight", &weight),
            ("label", &edge.kind),
        ];
        xml.open("edge", &attributes)?;
        xml.open("attvalues", &[])?;
        xml.empty("attvalue", &[("for", "description"), ("value", &edge.description)])?;
        xml.close("attvalues")?;
        xml.close("edge")?;
    }
    xml.close("edges")
}
