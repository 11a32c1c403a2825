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
    /// Writes vectors beside their nodes, and makes the index of their kind where it is missing. Summary trees have
    /// none: nobody else knows them.
    pub(super) async fn write_mirror(
        &self,
        kind: VectorKind,
        vectors: &BTreeMap<&Id, &[f32]>,
    ) -> StoreResult<()> {
        let (index, statement) = match kind {
            VectorKind::TextUnits => (TEXT_UNIT_VECTORS, MIRROR_TEXT_UNITS),
            VectorKind::Entities => (ENTITY_VECTORS, MIRROR_ENTITIES),
            VectorKind::Reports => (REPORT_VECTORS, MIRROR_REPORTS),
            VectorKind::Summaries => return Ok(()),
        };
        let Some(dimension) = vectors.values().next().map(|vector| vector.len()) else { return Ok(()) };
        let config = map([
            ("vector.dimensions", i64::try_from(dimension).unwrap_or(i64::MAX).into()),
            ("vector.similarity_function", "cosine".into()),
        ]);
        let options = map([("indexConfig", config)]);
        self.connection.run(self.connection.query(index).param("options", options)).await?;
        self.write(|| self.mirror_once(statement, vectors)).await
    }

    async fn mirror_once(&self, statement: &str, vectors: &BTreeMap<&Id, &[f32]>) -> StoreResult<()> {
        let rows: Vec<BoltType> = vectors
            .iter()
            .map(|(id, vector)| {
                let vector: Vec<f64> = vector.iter().map(|value| f64::from(*value)).collect();
                map([("id", id.as_str().into()), ("vector", vector.into())])
            })
            .collect();
        for batch in rows.chunks(VECTORS_PER_TRANSACTION) {
            let mut transaction = self.connection.begin().await?;
            transaction.run_rows(statement, batch.to_vec()).await?;
            self.commit(transaction).await?;
        }
        Ok(())
    }
}
