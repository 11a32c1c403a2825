//! What only Neo4j has: the lease, errors, labels, statements for Neo4j Browser. Runs where
//! `GRAPHWRIGHT_TEST_NEO4J_URI` names a server; user and password come from `NEO4J_USERNAME` and `NEO4J_PASSWORD`.

#![expect(clippy::unwrap_used, reason = "tests")]

mod fixture;
mod store;
mod speed;
mod differential;
mod errors;
mod explore;

use graphwright::config::{GraphConfig, Secret};
use graphwright::stores::GraphStore;
use graphwright::stores::graph::neo4j::Neo4jGraph;

/// The server to test with, if there is one.
pub(crate) fn config() -> Option<GraphConfig> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let mut config =
        GraphConfig { url: Some(variable("GRAPHWRIGHT_TEST_NEO4J_URI")?), ..GraphConfig::default() };
    if let Some(username) = variable("NEO4J_USERNAME") {
        config.username = username;
    }
    config.password = Secret::new(variable("NEO4J_PASSWORD").unwrap_or_default());
    Some(config)
}

/// A fresh workspace, if there is a server.
pub(crate) async fn workspace(name: &str) -> Option<Neo4jGraph> {
    let graph = Neo4jGraph::connect(&config()?, name).await.unwrap();
    graph.prepare().await.unwrap();
    graph.wipe().await.unwrap();
    graph.prepare().await.unwrap();
    Some(graph)
}

/// The ids that a reading statement returns.
pub(crate) async fn ask(text: &str) -> Vec<String> {
    let config = config().unwrap();
    let driver = neo4rs::ConfigBuilder::default()
        .uri(config.url.unwrap())
        .user(config.username)
        .password(config.password.reveal())
        .db(config.database.as_str())
        .build()
        .unwrap();
    let graph = neo4rs::Graph::connect(driver).unwrap();
    let mut stream = graph.execute(neo4rs::Query::new(text.to_owned())).await.unwrap();
    let mut ids = Vec::new();
    while let Some(row) = stream.next().await.unwrap() {
        ids.push(row.get("id").unwrap());
    }
    ids
}
