//! The history of lines of communities, what the last clustering worked on, and clustering by the server itself.

use super::Neo4jGraph;
use super::connection::{id, in_parts, map, number, texts};
use crate::domain::{Id, LineageEvent, LineageStep};
use crate::stores::graph::{GdsRequest, LastClustering, LineageReader, LineageStore, RunReader};
use crate::stores::{StoreError, StoreResult};
use async_trait::async_trait;
use neo4rs::BoltType;
use serde::Deserialize;

const ADD_LINEAGE_STEPS: &str = include_str!("../../../../cypher/store/add_lineage_steps.cypher");
const GDS_COMMUNITIES_DROP: &str = include_str!("../../../../cypher/store/gds_communities_drop.cypher");
const GDS_COMMUNITIES_LEIDEN: &str = include_str!("../../../../cypher/store/gds_communities_leiden.cypher");
const GDS_COMMUNITIES_PROJECT: &str = include_str!("../../../../cypher/store/gds_communities_project.cypher");
const GDS_COMMUNITIES_VERSION: &str = include_str!("../../../../cypher/store/gds_communities_version.cypher");
const LAST_CLUSTERING: &str = include_str!("../../../../cypher/store/last_clustering.cypher");
const LINEAGE_STEPS: &str = include_str!("../../../../cypher/store/lineage_steps.cypher");
const SAVE_CLUSTERING: &str = include_str!("../../../../cypher/store/save_clustering.cypher");
const SAVE_CLUSTERING_REMOVE: &str = include_str!("../../../../cypher/store/save_clustering_remove.cypher");

/// Marks in one node: 160 KB.
const MARKS_PER_NODE: usize = 10_000;
/// Nodes of marks written by one statement.
const NODES_PER_STATEMENT: usize = 10;

#[derive(Deserialize)]
struct StepRow {
    step: StoredStep,
}

#[derive(Deserialize)]
struct StoredStep {
    lineage: Id,
    generation: u64,
    period: String,
    event: String,
    level: u32,
    size: u64,
    title: String,
    others: Vec<Id>,
}

#[derive(Deserialize)]
struct ClusteredRow {
    place: u64,
    generation: u64,
    settings: String,
    keys: Vec<i64>,
    sums: Vec<i64>,
}

#[derive(Deserialize)]
struct LineageNameRow {
    #[expect(dead_code, reason = "that there is a row is the answer")]
    name: String,
}

#[derive(Deserialize)]
struct DroppedRow {
    #[expect(dead_code, reason = "the statement must return something")]
    #[serde(rename = "graphName")]
    graph: String,
}

#[derive(Deserialize)]
struct ProjectedRow {
    count: u64,
}

#[derive(Deserialize)]
struct GdsRow {
    id: Id,
    communities: Vec<i64>,
}

#[async_trait]
impl LineageReader for Neo4jGraph {
    async fn lineage_steps(&self) -> StoreResult<Vec<LineageStep>> {
        let generation = self.state().await?.generation;
        let query = self.connection.query(LINEAGE_STEPS).param("generation", number(generation));
        let rows: Vec<StepRow> = self.connection.read(query).await?;
        let step = |StepRow { step }: StepRow| {
            let event = LineageEvent::named(&step.event).ok_or_else(|| StoreError::Failed {
                service: self.connection.service.clone(),
                reason: format!("cannot read the history of a community: its event is {:?}", step.event),
            })?;
            Ok(LineageStep {
                lineage: step.lineage,
                generation: step.generation,
                period: step.period,
                event,
                level: step.level,
                size: step.size,
                title: step.title,
                others: step.others,
            })
        };
        let mut steps: Vec<LineageStep> = rows.into_iter().map(step).collect::<StoreResult<_>>()?;
        steps.sort_unstable_by(|a, b| (&a.lineage, a.generation).cmp(&(&b.lineage, b.generation)));
        Ok(steps)
    }

    async fn last_clustering(&self) -> StoreResult<LastClustering> {
        let mut rows: Vec<ClusteredRow> =
            self.connection.read(self.connection.query(LAST_CLUSTERING)).await?;
        rows.sort_unstable_by_key(|row| (row.generation, row.place));
        let mut clustered = LastClustering::default();
        let Some(last) = rows.last().map(|row| row.generation) else { return Ok(clustered) };
        // two while a build is not published yet
        if rows.iter().any(|row| row.generation != last) {
            let current = self.state().await?.generation;
            let of_current = rows.iter().any(|row| row.generation == current);
            rows.retain(|row| row.generation == if of_current { current } else { last });
        }
        for row in rows {
            clustered.generation = row.generation;
            clustered.settings = row.settings;
            let marks = row.keys.into_iter().zip(row.sums);
            clustered.marks.extend(marks.map(|(key, sum)| (key.cast_unsigned(), sum.cast_unsigned())));
        }
        Ok(clustered)
    }

    /// Leiden of the Graph Data Science plugin. A projection that a killed run left behind is replaced.
    async fn gds_communities(&self, request: &GdsRequest) -> StoreResult<Vec<(Id, Vec<i64>)>> {
        let connection = &self.connection;
        let found: Vec<LineageNameRow> = connection.read(connection.query(GDS_COMMUNITIES_VERSION)).await?;
        if found.is_empty() {
            return Err(StoreError::Unusable(format!(
                "[communities] engine is \"gds\", and {} has no Graph Data Science plugin (no procedure \
                 gds.leiden.stream); install the plugin on the server (NEO4J_PLUGINS='[\"graph-data-science\"]' in \
                 Docker, dbms.security.procedures.unrestricted=gds.*), or set engine = \"rust\", which needs none",
                connection.service
            )));
        }
        let name = format!("graphwright-{}", connection.ids.workspace());
        let query = |text| connection.query(text).param("graph", name.as_str());
        let _: Vec<DroppedRow> = connection.read(query(GDS_COMMUNITIES_DROP)).await?;
        let project = query(GDS_COMMUNITIES_PROJECT).param("weight", request.weight.as_str());
        let projected: Vec<ProjectedRow> = connection.read(project).await?;
        if projected.iter().all(|row| row.count == 0) {
            return Ok(Vec::new());
        }
        let leiden = query(GDS_COMMUNITIES_LEIDEN)
            .param("resolution", request.resolution)
            .param("seed", number(request.seed));
        let rows: StoreResult<Vec<GdsRow>> = connection.read(leiden).await;
        let _: Vec<DroppedRow> = connection.read(query(GDS_COMMUNITIES_DROP)).await?;
        let mut communities: Vec<(Id, Vec<i64>)> =
            rows?.into_iter().map(|row| (row.id, row.communities)).collect();
        communities.sort_unstable();
        Ok(communities)
    }
}

#[async_trait]
impl LineageStore for Neo4jGraph {
    async fn add_lineage_steps(&self, steps: &[LineageStep]) -> StoreResult<()> {
        in_parts(steps, |part| self.write(|| self.add_lineage_steps_once(part))).await
    }

    async fn save_clustering(&self, clustered: &LastClustering) -> StoreResult<()> {
        self.write(|| self.save_clustering_once(clustered)).await
    }
}

impl Neo4jGraph {
    pub(super) async fn add_lineage_steps_once(&self, steps: &[LineageStep]) -> StoreResult<()> {
        let ids = &self.connection.ids;
        let row = |step: &LineageStep| {
            let properties = map([
                ("lineage", id(&step.lineage)),
                ("generation", number(step.generation)),
                ("period", step.period.as_str().into()),
                ("event", step.event.as_str().into()),
                ("level", number(step.level)),
                ("size", number(step.size)),
                ("title", step.title.as_str().into()),
                ("others", texts(&step.others)),
            ]);
            let step_id = ids.other("lineage_step", &[step.lineage.as_str(), &step.generation.to_string()]);
            map([("id", id(&step_id)), ("properties", properties)])
        };
        let mut transaction = self.connection.begin().await?;
        transaction.run_rows(ADD_LINEAGE_STEPS, steps.iter().map(row).collect()).await?;
        self.commit(transaction).await
    }

    pub(super) async fn save_clustering_once(&self, clustered: &LastClustering) -> StoreResult<()> {
        let current = self.state().await?.generation;
        let mut transaction = self.connection.begin().await?;
        let others = self.connection.query(SAVE_CLUSTERING_REMOVE).param("current", number(current));
        transaction.run(others.param("generation", number(clustered.generation))).await?;
        let row = |(place, marks): (usize, &[(u64, u64)])| {
            let keys: BoltType = marks.iter().map(|mark| mark.0.cast_signed()).collect::<Vec<i64>>().into();
            let sums: BoltType = marks.iter().map(|mark| mark.1.cast_signed()).collect::<Vec<i64>>().into();
            map([
                ("place", number(place)),
                ("generation", number(clustered.generation)),
                ("settings", clustered.settings.as_str().into()),
                ("keys", keys),
                ("sums", sums),
            ])
        };
        let rows: Vec<BoltType> = clustered.marks.chunks(MARKS_PER_NODE).enumerate().map(row).collect();
        for batch in rows.chunks(NODES_PER_STATEMENT) {
            transaction.run_rows(SAVE_CLUSTERING, batch.to_vec()).await?;
        }
        self.commit(transaction).await
    }
}
