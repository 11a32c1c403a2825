//! Stores on servers, where this build has them.

use crate::config::{GraphConfig, VectorsConfig};
use crate::stores::graph::foreign::ForeignGraph;
use crate::stores::{GraphStore, VectorStore};
use anyhow::Result;
use std::sync::Arc;

#[cfg(feature = "neo4j")]
pub(super) async fn neo4j(config: &GraphConfig, workspace: &str) -> Result<Arc<dyn GraphStore>> {
    Ok(Arc::new(crate::stores::graph::neo4j::Neo4jGraph::connect(config, workspace).await?))
}

#[cfg(not(feature = "neo4j"))]
pub(super) async fn neo4j(_: &GraphConfig, _: &str) -> Result<Arc<dyn GraphStore>> {
    Err(crate::builds::lacks("neo4j").into())
}

/// A graph that others made.
#[cfg(feature = "neo4j")]
pub(super) async fn neo4j_of_others(config: &GraphConfig) -> Result<Box<dyn ForeignGraph>> {
    Ok(Box::new(crate::stores::graph::neo4j::foreign::Neo4jForeignGraph::connect(config).await?))
}

#[cfg(not(feature = "neo4j"))]
pub(super) async fn neo4j_of_others(_: &GraphConfig) -> Result<Box<dyn ForeignGraph>> {
    Err(crate::builds::lacks("neo4j").into())
}

#[cfg(feature = "qdrant")]
pub(super) async fn qdrant(config: &VectorsConfig, workspace: &str) -> Result<Arc<dyn VectorStore>> {
    Ok(Arc::new(crate::stores::vectors::QdrantVectors::connect(config, workspace).await?))
}

#[cfg(not(feature = "qdrant"))]
pub(super) async fn qdrant(_: &VectorsConfig, _: &str) -> Result<Arc<dyn VectorStore>> {
    Err(crate::builds::lacks("qdrant").into())
}
