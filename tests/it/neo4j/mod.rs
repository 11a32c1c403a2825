//! What only Neo4j has: the lease, errors, labels, statements for Neo4j Browser. Runs where
//! `GRAPHWRIGHT_TEST_NEO4J_URI` names a server; user and password come from `NEO4J_USERNAME` and `NEO4J_PASSWORD`.

#![expect(clippy::unwrap_used, reason = "tests")]

mod fixture;
mod store;
mod speed;
mod differential;
mod edited;
mod errors;
mod explore;
mod follower;
mod gds;
mod labels;
mod metadata;
mod migration;
mod plans;

use graphwright::config::{GraphConfig, Secret};
use graphwright::services::Services;
use graphwright::stores::GraphStore;
use graphwright::stores::graph::neo4j::Neo4jGraph;
use neo4rs::{ConfigBuilder, Graph, Query};

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
pub(crate) async fn workspace(name: &str) -> Option<Box<dyn GraphStore>> {
    let graph = connect(&config()?, name).await;
    graph.prepare().await.unwrap();
    graph.wipe().await.unwrap();
    graph.prepare().await.unwrap();
    Some(graph)
}

/// A process that works on a workspace.
pub(crate) async fn connect(config: &GraphConfig, name: &str) -> Box<dyn GraphStore> {
    Box::new(Neo4jGraph::connect(config, name).await.unwrap())
}

/// A connection of the driver's own, past all that graphwright does.
pub(crate) fn driver(config: &GraphConfig) -> Graph {
    let driver = ConfigBuilder::default().uri(config.url.as_deref().unwrap()).user(&config.username);
    let driver = driver.password(config.password.reveal()).db(config.database.as_str());
    Graph::connect(driver.build().unwrap()).unwrap()
}

/// Changes a workspace by a statement, as people do in Neo4j Browser.
pub(crate) async fn change(services: &Services, cypher: &str) {
    change_in(&services.config.graph, services.ids.workspace(), cypher).await;
}

/// As [`change`], of a workspace that nobody here has open.
pub(crate) async fn change_in(config: &GraphConfig, workspace: &str, cypher: &str) {
    let query = Query::new(cypher.to_owned()).param("workspace", workspace);
    let mut transaction = driver(config).start_txn().await.unwrap();
    transaction.run(query).await.expect(cypher);
    transaction.commit().await.unwrap();
}

/// The ids that a reading statement returns.
pub(crate) async fn ask(text: &str) -> Vec<String> {
    let graph = driver(&config().unwrap());
    let mut stream = graph.execute(Query::new(text.to_owned())).await.unwrap();
    let mut ids = Vec::new();
    while let Some(row) = stream.next().await.unwrap() {
        ids.push(row.get("id").unwrap());
    }
    ids
}
