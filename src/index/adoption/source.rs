//! Graphs that a workspace has adopted, as it keeps them among its settings.

use crate::domain::Id;
use crate::index::settings;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A graph of somebody else that is read again with every run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AdoptedGraph {
    /// What it is called here: the beginning of its documents' keys.
    pub name: String,
    /// Where it is, without any secret; absent where it lies in the workspace's own database server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Its database.
    pub database: String,
    /// Labels of the nodes that are adopted. Of several that a node has, the first is its type.
    pub labels: Vec<String>,
    /// The property that says what a node is called.
    pub name_property: String,
    /// Types of the relationships that are adopted.
    pub relationships: Vec<String>,
    /// The property whose text is read with a node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_property: Option<String>,
    /// Whether it lies in the very database that the workspace lies in: then a `SAME_AS` leads from ours to theirs.
    #[serde(default)]
    pub is_in_ours: bool,
    /// Whether it is being given up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_leaving: bool,
}

impl AdoptedGraph {
    /// Those of a workspace's settings, by name.
    pub fn stored(stored: &BTreeMap<String, String>) -> Vec<Self> {
        stored.get(settings::ADOPTED).and_then(|kept| serde_json::from_str(kept).ok()).unwrap_or_default()
    }

    /// Puts graphs into a workspace's settings.
    pub fn store(mut graphs: Vec<Self>, stored: &mut BTreeMap<String, String>) {
        graphs.sort_by(|a, b| a.name.cmp(&b.name));
        match serde_json::to_string(&graphs) {
            Ok(kept) if !graphs.is_empty() => stored.insert(settings::ADOPTED.to_owned(), kept),
            _ => stored.remove(settings::ADOPTED),
        };
    }

    /// The type of a node: the first of the adopted labels that it has.
    pub fn label_of(&self, labels: &[String]) -> String {
        self.labels.iter().find(|label| labels.contains(label)).cloned().unwrap_or_default()
    }
}

/// A node of an adopted graph that is, or is not, joined with our entity as it should be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SameAs {
    /// Our entity.
    pub entity: Id,
    /// The element id of their node.
    pub element: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_as_before_when_the_last_graph_has_left() {
        let before = BTreeMap::from([("x".to_owned(), "y".to_owned())]);
        let mut stored = before.clone();
        let graph = AdoptedGraph {
            name: "crm".into(),
            labels: vec!["Person".into(), "Company".into()],
            ..AdoptedGraph::default()
        };
        AdoptedGraph::store(vec![graph.clone()], &mut stored);
        assert_eq!(AdoptedGraph::stored(&stored), std::slice::from_ref(&graph));
        assert_eq!(graph.label_of(&["Z".into(), "Company".into(), "Person".into()]), "Person");
        AdoptedGraph::store(Vec::new(), &mut stored);
        assert_eq!(stored, before);
    }
}
