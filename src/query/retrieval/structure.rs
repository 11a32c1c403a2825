//! Entities that stand in the graph where those of the question stand: one more list for local search.

use crate::domain::{Entity, Id};
use crate::numeric::ranks::reciprocal_ranks;
use crate::services::Services;
use crate::stores::vectors::Hit;
use anyhow::{Result, ensure};

/// Best hits that are looked around where the question names nobody.
const AROUND: usize = 3;

/// The entities that search found, fused by reciprocal rank with those whose structural vectors are nearest to the
/// ones that the question names, these weighing `[search] structure_weight`. As they were where it is 0.
///
/// # Errors
/// No structural vectors; what the vector store says.
pub(in crate::query) async fn fused(
    services: &Services,
    named: &[(Entity, f64)],
    hits: Vec<Hit>,
) -> Result<Vec<Hit>> {
    let (weight, limit) = (services.config.search.structure_weight, services.config.search.top_k_entities);
    if weight <= 0.0 {
        return Ok(hits);
    }
    let mut around: Vec<Id> = named.iter().map(|(entity, _)| entity.id.clone()).collect();
    if around.is_empty() {
        around = hits.iter().take(AROUND).map(|hit| hit.id.clone()).collect();
    }
    let near = services.vectors.near_in_structure(&around, limit).await?;
    if near.is_empty() && services.vectors.structure_count().await? == 0 {
        // where nothing is related to anything there are none to be made
        let relationships = services.graph.counts().await?.relationships;
        ensure!(
            relationships == 0,
            "[search] structure_weight is {weight} and there are no structural vectors; run `graphwright index` with this \
         configuration, or set it to 0"
        );
    }
    let lists = [(hits, 1.0), (near, weight)];
    let ranked = reciprocal_ranks(lists.map(|(list, weight)| (list.into_iter().map(|hit| hit.id), weight)));
    Ok(ranked.into_iter().take(limit).map(|(id, score)| Hit { id, score }).collect())
}
