//! `[extraction.schema]`: what a graph may hold, where the user says so.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// `[extraction.schema]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SchemaConfig {
    /// Whether what has another type, or fits no pattern, is left out of the graph and counted; else types and
    /// patterns are what a model is asked to prefer.
    pub typed: bool,
    /// Types of entities.
    pub entities: Vec<EntityType>,
    /// Patterns of relationships; empty: any.
    pub relations: Vec<RelationPattern>,
    /// Names that are of the field and easily missed: products, tickers, abbreviations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<KnownName>,
    /// Names that are of the form of the documents and not of what they say: they are left out, and counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop_names: Vec<String>,
}

/// `[[extraction.schema.names]]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KnownName {
    /// The name, as it is to stand in the graph.
    pub name: String,
    /// Its type; empty: as it is read.
    #[serde(rename = "type", default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// What else the documents call it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
}

/// `[[extraction.schema.entities]]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EntityType {
    /// Its name, as it is to stand in the graph.
    #[serde(rename = "type")]
    pub kind: String,
    /// What belongs to it, for the model.
    #[serde(default)]
    pub description: String,
}

/// `[[extraction.schema.relations]]`: from a type of entities to a type of entities.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RelationPattern {
    /// Type of the source.
    pub source: String,
    /// The short phrase between the two; empty: any.
    #[serde(rename = "type", default)]
    pub kind: String,
    /// Type of the target.
    pub target: String,
    /// When it holds, for the model.
    #[serde(default)]
    pub description: String,
}

impl SchemaConfig {
    /// Refuses a schema that contradicts itself. `entity_types` are those of `[extraction]`.
    ///
    /// # Errors
    /// Names the entry, what was wanted and how to mend it.
    pub(super) fn check(&self, entity_types: &[String]) -> Result<()> {
        const WHERE: &str = "[extraction.schema]";
        let mut known: BTreeSet<String> = entity_types.iter().map(|kind| kind.to_lowercase()).collect();
        for entity in &self.entities {
            ensure!(!entity.kind.trim().is_empty(), "{WHERE} entities: an entry has no type; name it");
            known.insert(entity.kind.to_lowercase());
        }
        for known in &self.names {
            ensure!(!known.name.trim().is_empty(), "{WHERE} names: an entry has no name; name it");
        }
        for relation in &self.relations {
            for end in [&relation.source, &relation.target] {
                ensure!(
                    known.contains(&end.to_lowercase()),
                    "{WHERE} relations: {end:?} is no type of the schema; add [[extraction.schema.entities]] type = {end:?}"
                );
            }
        }
        ensure!(
            !self.typed || !known.is_empty(),
            "{WHERE} typed is true and there are no types; add [[extraction.schema.entities]], or set typed = false"
        );
        Ok(())
    }
}
