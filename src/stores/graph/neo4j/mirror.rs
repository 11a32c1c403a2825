//! Vectors beside the nodes, with vector indexes, for clients of the ecosystem that look for them in Neo4j. Our own
//! search never reads them.

use super::Neo4jGraph;
use super::connection::map;
use crate::domain::Id;
use crate::stores::StoreResult;
use crate::stores::graph::VectorKind;
use neo4rs::BoltType;
use std::collections::BTreeMap;

const MIRROR_TEXT_UNITS: &str = include_str!("../../../../cypher/store/mirror_text_units.cypher");
const MIRROR_ENTITIES: &str = include_str!("../../../../cypher/store/mirror_entities.cypher");
const MIRROR_REPORTS: &str = include_str!("../../../../cypher/store/mirror_reports.cypher");
const TEXT_UNIT_VECTORS: &str = include_str!("../../../../cypher/schema/vector.cypher");
const ENTITY_VECTORS: &str = include_str!("../../../../cypher/schema/entity_vector.cypher");
const REPORT_VECTORS: &str = include_str!("../../../../cypher/schema/community_vector.cypher");

/// Vectors written in one transaction.
const VECTORS_PER_TRANSACTION: usize = 500;

impl Neo4jGraph {
    /// Makes the index of this kind where it is missing.
    pub(super) async fn prepare_mirror(&self, kind: VectorKind, dimension: usize) -> StoreResult<()> {
        let text = match kind {
            VectorKind::TextUnits => TEXT_UNIT_VECTORS,
            VectorKind::Entities => ENTITY_VECTORS,
            VectorKind::Reports => REPORT_VECTORS,
        };
        let config = map([
            ("vector.dimensions", i64::try_from(dimension).unwrap_or(i64::MAX).into()),
            ("vector.similarity_function", "cosine".into()),
        ]);
        self.connection
            .run(self.connection.query(text).param("options", map([("indexConfig", config)])))
            .await
    }

    pub(super) async fn mirror_once(
        &self,
        kind: VectorKind,
        vectors: &BTreeMap<&Id, &[f32]>,
    ) -> StoreResult<()> {
        let text = match kind {
            VectorKind::TextUnits => MIRROR_TEXT_UNITS,
            VectorKind::Entities => MIRROR_ENTITIES,
            VectorKind::Reports => MIRROR_REPORTS,
        };
        let rows: Vec<BoltType> = vectors
            .iter()
            .map(|(id, vector)| {
                let vector: Vec<f64> = vector.iter().map(|value| f64::from(*value)).collect();
                map([("id", id.as_str().into()), ("vector", vector.into())])
            })
            .collect();
        for batch in rows.chunks(VECTORS_PER_TRANSACTION) {
            let mut transaction = self.connection.begin().await?;
            transaction.run_rows(text, batch.to_vec()).await?;
            self.commit(transaction).await?;
        }
        Ok(())
    }
}
