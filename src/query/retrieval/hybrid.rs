//! Hybrid search of the vector store for a question.

use crate::domain::{Id, StoredUnit};
use crate::llm::EmbeddingPurpose;
use crate::services::Services;
use crate::stores::graph::{GraphReader, VectorKind};
use crate::stores::vectors::{Filter, Hit, VectorQuery, bm25};
use anyhow::Result;
use std::collections::BTreeMap;

/// What to query for in the vectors.
pub(in crate::query) struct HybridQuery<'a> {
    /// Words.
    pub(in crate::query) text: &'a str,
    /// The question's embedding.
    pub(in crate::query) dense: Option<Vec<f32>>,
    /// Number of hits.
    pub(in crate::query) limit: usize,
}

/// The question's embedding, where there is a model.
pub(in crate::query) async fn embed_question(
    services: &Services,
    question: &str,
) -> Result<Option<Vec<f32>>> {
    Ok(match &services.embedding {
        Some(model) => model.embed(&[question.to_owned()], EmbeddingPurpose::Query).await?.into_iter().next(),
        None => None,
    })
}

/// Hybrid search: dense vectors and words (BM25), fused by the vector store.
pub(in crate::query) async fn hybrid_search(
    services: &Services,
    kind: VectorKind,
    query: &HybridQuery<'_>,
    filter: Filter,
) -> Result<Vec<Hit>> {
    let vectors = VectorQuery {
        dense: query.dense.clone(),
        sparse: Some(bm25::query_vector(query.text)),
        words_weight: services.config.search.words_weight,
        filter,
        limit: query.limit,
    };
    Ok(services.vectors.search(kind, &vectors).await?)
}

/// The units of hits, by id; hits whose unit is gone are left out.
pub(in crate::query) async fn units_of(
    reader: &dyn GraphReader,
    hits: &[Hit],
) -> Result<BTreeMap<Id, StoredUnit>> {
    let ids: Vec<Id> = hits.iter().map(|hit| hit.id.clone()).collect();
    let units = reader.passages_by_id(&ids).await?;
    Ok(units.into_iter().map(|unit| (unit.unit.id.clone(), unit)).collect())
}
