//! Structural vectors: a collection of its own, written as a whole.

use super::connection::QdrantFault;
use super::{QdrantVectors, convert};
use crate::domain::Id;
use crate::stores::StoreResult;
use crate::stores::graph::VectorKind;
use crate::stores::vectors::{Filter, Hit, structure};

impl QdrantVectors {
    pub(super) fn structure_collection(&self) -> String {
        convert::collection_name(&self.prefix, &self.workspace, structure::NAME)
    }

    pub(super) async fn replace_structure(&self, vectors: &[(Id, Vec<f32>)]) -> StoreResult<()> {
        let collection = self.structure_collection();
        self.drop_collection(&collection).await?;
        let Some((_, first)) = vectors.first() else { return Ok(()) };
        self.create(&collection, Some(first.len())).await?;
        let points: Vec<_> = structure::points(vectors)
            .iter()
            .map(|point| convert::point(point, VectorKind::Entities, &self.workspace))
            .collect();
        self.upsert_structs(&collection, &points).await
    }

    pub(super) async fn search_structure(&self, around: &[Id], limit: usize) -> StoreResult<Vec<Hit>> {
        let collection = self.structure_collection();
        let search = async {
            let known = self.points_in(&collection, around, convert::DENSE).await?;
            let known: Vec<_> = known.into_iter().filter_map(convert::dense_of).collect();
            let Some(mean) = structure::mean(&known) else { return Ok(Vec::new()) };
            let query = convert::NearestQuery::dense(&mean);
            let wanted = limit + around.len();
            self.nearest(&collection, query, &Filter::default(), wanted).await
        };
        match search.await {
            Ok(hits) => Ok(structure::others(hits, around, limit)),
            Err(QdrantFault::Missing) => Ok(Vec::new()),
            Err(fault) => Err(self.unexpected(fault)),
        }
    }
}
