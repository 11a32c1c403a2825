//! `[graph]`: where the graph lives.

use super::Secret;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// `[graph]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct GraphConfig {
    /// `neo4j://…`, `bolt://…`, `neo4j+s://…`; absent: embedded SQLite in the data folder.
    #[serde(serialize_with = "crate::address::serialize_option")]
    pub url: Option<String>,
    /// PEM file of the authorities that are trusted instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// Neo4j user.
    pub username: String,
    /// Neo4j password.
    pub password: Secret,
    /// Neo4j database.
    pub database: String,
    /// How many types get a label of their own.
    pub type_labels: usize,
    /// Seconds before a call is given up.
    pub timeout_s: u64,
    /// Whether dense vectors are also written into Neo4j, with vector indexes, for other programs' retrievers.
    pub mirror_vectors: bool,
    /// Seconds after which the place of a writer that died is free again.
    pub lease_s: u32,
}

impl Default for GraphConfig {
    fn default() -> Self {
        Self {
            url: None,
            ca_file: None,
            username: "neo4j".into(),
            password: Secret::default(),
            database: "neo4j".into(),
            type_labels: 30,
            timeout_s: 60,
            mirror_vectors: false,
            lease_s: 30,
        }
    }
}

impl GraphConfig {
    /// Refuses what cannot work.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(
            (1..=3600).contains(&self.lease_s),
            "[graph] lease_s is {}; it must be from 1 to 3600",
            self.lease_s
        );
        Ok(())
    }
}

/// Who reads a graph of others: `NEO4J_ADOPT_URI`, `NEO4J_ADOPT_USERNAME` and `NEO4J_ADOPT_PASSWORD`.
#[derive(Clone, Debug, Default)]
pub struct AdoptAccess {
    /// Where it is.
    pub url: Option<String>,
    /// The user there; absent: that of `[graph]`.
    pub username: Option<String>,
    /// The password there; absent: that of `[graph]`.
    pub password: Option<Secret>,
}

impl AdoptAccess {
    /// The same as an access to a graph; what it does not say is as in `[graph]`.
    pub fn access(&self, graph: &GraphConfig) -> GraphConfig {
        GraphConfig {
            url: self.url.clone(),
            username: self.username.clone().unwrap_or_else(|| graph.username.clone()),
            password: self.password.clone().unwrap_or_else(|| graph.password.clone()),
            ..graph.clone()
        }
    }
}
