//! Communities: valid from a generation to a generation, members at the finest, parents with a validity of their own.

use super::Neo4jGraph;
use super::connection::{Transaction, id, in_batches, in_parts, map, number, sorted, texts};
use super::queries::{IdRow, with};
use super::vectors::{clear_tombstones, save_tombstones};
use crate::domain::{Community, Finding, Id, Report};
use crate::stores::StoreResult;
use crate::stores::graph::{CommunityReader, CommunityStore, RunReader, VectorKind};
use async_trait::async_trait;
use neo4rs::{BoltType, Query};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

const ADD_COMMUNITIES: &str = include_str!("../../../../cypher/store/add_communities.cypher");
const ADD_COMMUNITIES_FINDINGS: &str =
    include_str!("../../../../cypher/store/add_communities_findings.cypher");
const ADD_COMMUNITIES_MEMBERS: &str = include_str!("../../../../cypher/store/add_communities_members.cypher");
const ADD_COMMUNITIES_OLD_FINDINGS: &str =
    include_str!("../../../../cypher/store/add_communities_old_findings.cypher");
const COMMUNITIES: &str = include_str!("../../../../cypher/store/communities.cypher");
const COMMUNITIES_BY_ID: &str = include_str!("../../../../cypher/store/communities_by_id.cypher");
const COMMUNITIES_FINDINGS: &str = include_str!("../../../../cypher/store/communities_findings.cypher");
const COMMUNITIES_MEMBERS: &str = include_str!("../../../../cypher/store/communities_members.cypher");
const COMMUNITIES_OF: &str = include_str!("../../../../cypher/store/communities_of.cypher");
const COMMUNITIES_PARENTS: &str = include_str!("../../../../cypher/store/communities_parents.cypher");
const END_COMMUNITIES: &str = include_str!("../../../../cypher/store/end_communities.cypher");
const PARENTS_CLOSE: &str = include_str!("../../../../cypher/store/parents_close.cypher");
const PARENTS_OPEN: &str = include_str!("../../../../cypher/store/parents_open.cypher");
const PUBLISH_GENERATION: &str = include_str!("../../../../cypher/store/publish_generation.cypher");
const PUBLISH_GENERATION_CLUSTERINGS: &str =
    include_str!("../../../../cypher/store/publish_generation_clusterings.cypher");
const PUBLISH_GENERATION_MEMBERS: &str =
    include_str!("../../../../cypher/store/publish_generation_members.cypher");
const REPORTS_BY_ID: &str = include_str!("../../../../cypher/store/reports_by_id.cypher");
const REMOVE_COMMUNITIES: &str = include_str!("../../../../cypher/store/remove_communities.cypher");
const SWEEP_GENERATIONS_COMMUNITIES: &str =
    include_str!("../../../../cypher/store/sweep_generations_communities.cypher");
const SWEEP_UNFINISHED_FIND: &str = include_str!("../../../../cypher/store/sweep_unfinished_find.cypher");
const SWEEP_UNFINISHED_PARENTS: &str =
    include_str!("../../../../cypher/store/sweep_unfinished_parents.cypher");
const SWEEP_UNFINISHED_REOPEN: &str = include_str!("../../../../cypher/store/sweep_unfinished_reopen.cypher");
const SWEEP_UNFINISHED_REOPEN_PARENTS: &str =
    include_str!("../../../../cypher/store/sweep_unfinished_reopen_parents.cypher");
const SWEEP_UNFINISHED_STEPS: &str = include_str!("../../../../cypher/store/sweep_unfinished_steps.cypher");

/// Communities removed in one transaction.
const REMOVED_PER_TRANSACTION: usize = 1_000;
/// Members in one row.
const MEMBERS_PER_ROW: usize = 1_000;
/// Members from which on a statement is sent; each statement costs a round trip.
const MEMBERS_PER_STATEMENT: usize = 20_000;
/// Communities that end or change their parent in one transaction.
const COMMUNITIES_PER_TRANSACTION: usize = 2_000;

#[derive(Deserialize)]
struct StoredCommunity {
    id: Id,
    level: u32,
    leaf: bool,
    oversized: bool,
    fingerprint: String,
    lineage: Id,
    period: String,
    title: String,
    summary: String,
    rank: f64,
    rank_explanation: String,
    composed: bool,
}

#[derive(Deserialize)]
struct StoredRow {
    community: StoredCommunity,
}

#[derive(Deserialize)]
struct StoredFinding {
    summary: String,
    explanation: String,
    /// JSON.
    citations: String,
}

#[derive(Deserialize)]
struct FindingRow {
    community: Id,
    index: u32,
    summary: String,
    explanation: String,
    citations: String,
}

#[derive(Deserialize)]
struct ParentRow {
    id: Id,
    parent: Id,
}

#[derive(Deserialize)]
struct MembersRow {
    id: Id,
    members: Vec<Id>,
}

#[derive(Deserialize)]
struct WholeRow {
    community: StoredCommunity,
    parent: Option<Id>,
    members: Vec<Id>,
    findings: Vec<StoredFinding>,
}

#[derive(Deserialize)]
struct CommunityOfRow {
    entity: Id,
    level: u32,
    community: Id,
}

#[async_trait]
impl CommunityReader for Neo4jGraph {
    async fn communities(&self, generation: u64) -> StoreResult<Vec<Community>> {
        let query = self.connection.query(COMMUNITIES_FINDINGS).param("generation", number(generation));
        let findings: Vec<FindingRow> = self.connection.read(query).await?;
        let mut findings = self.findings_by_community(findings)?;
        let mut communities = self.community_outlines(generation).await?;
        for community in &mut communities {
            community.report.findings = findings.remove(&community.id).unwrap_or_default();
        }
        Ok(communities)
    }

    async fn community_outlines(&self, generation: u64) -> StoreResult<Vec<Community>> {
        let query = |text| self.connection.query(text).param("generation", number(generation));
        let (stored, parents, members): (Vec<StoredRow>, Vec<ParentRow>, Vec<MembersRow>) = futures::try_join!(
            self.connection.read_beside(query(COMMUNITIES)),
            self.connection.read_beside(query(COMMUNITIES_PARENTS)),
            self.connection.read_beside(query(COMMUNITIES_MEMBERS)),
        )?;
        let mut stored: Vec<StoredCommunity> = stored.into_iter().map(|row| row.community).collect();
        let parents: HashMap<Id, Id> = parents.into_iter().map(|row| (row.id, row.parent)).collect();
        let mut members: HashMap<Id, Vec<Id>> =
            members.into_iter().map(|row| (row.id, row.members)).collect();
        stored.sort_unstable_by(|a, b| (b.level, &b.id).cmp(&(a.level, &a.id)));
        let mut communities: Vec<Community> = Vec::with_capacity(stored.len());
        for community in stored {
            let own = members.remove(&community.id).unwrap_or_default();
            let parent = parents.get(&community.id).cloned();
            if let Some(parent) = &parent {
                members.entry(parent.clone()).or_default().extend(own.iter().cloned());
            }
            communities.push(community.into_community(parent, own, Vec::new()));
        }
        communities.reverse();
        Ok(communities)
    }

    async fn communities_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Community>> {
        self.communities_of_ids(COMMUNITIES_BY_ID, ids).await
    }

    async fn reports_by_id(&self, ids: &[Id]) -> StoreResult<Vec<Community>> {
        self.communities_of_ids(REPORTS_BY_ID, ids).await
    }

    async fn communities_of(&self, entities: &[Id], generation: u64) -> StoreResult<Vec<(Id, Id)>> {
        if generation == 0 {
            // before there is any
            return Ok(Vec::new());
        }
        let queries = with(self.of_ids(COMMUNITIES_OF, entities), "generation", &number(generation));
        let mut rows: Vec<CommunityOfRow> = self.connection.read_all(queries).await?;
        rows.sort_unstable_by(|a, b| {
            (&a.entity, a.level, &a.community).cmp(&(&b.entity, b.level, &b.community))
        });
        Ok(rows.into_iter().map(|row| (row.entity, row.community)).collect())
    }
}

#[async_trait]
impl CommunityStore for Neo4jGraph {
    async fn add_communities(&self, generation: u64, communities: &[Community]) -> StoreResult<()> {
        in_parts(communities, |part| self.write(|| self.add_communities_once(generation, part))).await
    }

    async fn end_communities(
        &self,
        generation: u64,
        ended: &[Id],
        parents: &[(Id, Option<Id>)],
    ) -> StoreResult<()> {
        // nothing of it is seen before the generation is published
        let end = |part| self.write(move || self.end_communities_once(generation, part, &[]));
        in_batches(ended, COMMUNITIES_PER_TRANSACTION, end).await?;
        let link = |part| self.write(move || self.end_communities_once(generation, &[], part));
        in_batches(parents, COMMUNITIES_PER_TRANSACTION, link).await
    }

    async fn unreported_entities(&self) -> StoreResult<Option<Vec<Id>>> {
        self.read_unreported().await
    }

    async fn forget_unreported(&self) -> StoreResult<()> {
        self.clear_unreported().await
    }

    async fn publish_generation(&self, generation: u64) -> StoreResult<()> {
        self.known.changing(self.write(|| self.publish_generation_once(generation))).await
    }

    async fn sweep_unfinished(&self) -> StoreResult<()> {
        self.sweep_unfinished_communities().await?;
        self.sweep_unfinished_trees().await
    }

    async fn sweep_generations(&self, generation: u64) -> StoreResult<()> {
        self.sweep_past_communities(generation).await?;
        self.sweep_past_trees(generation).await
    }
}

impl Neo4jGraph {
    async fn communities_of_ids(&self, statement: &'static str, ids: &[Id]) -> StoreResult<Vec<Community>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let ids = sorted(ids.iter().cloned());
        let query = self
            .connection
            .query(statement)
            .param("ids", texts(&ids))
            .param("generation", number(self.generation().await?));
        let rows: Vec<WholeRow> = self.connection.read(query).await?;
        let mut communities: Vec<Community> = rows
            .into_iter()
            .map(|row| {
                let findings: StoreResult<_> =
                    row.findings.into_iter().map(|finding| self.finding(finding)).collect();
                Ok(row.community.into_community(row.parent, row.members, findings?))
            })
            .collect::<StoreResult<_>>()?;
        communities.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(communities)
    }

    fn finding(&self, stored: StoredFinding) -> StoreResult<Finding> {
        let citations = self.parsed(&stored.citations, "citations of a finding")?;
        Ok(Finding { summary: stored.summary, explanation: stored.explanation, citations })
    }

    fn findings_by_community(&self, mut rows: Vec<FindingRow>) -> StoreResult<HashMap<Id, Vec<Finding>>> {
        rows.sort_unstable_by(|a, b| (&a.community, a.index).cmp(&(&b.community, b.index)));
        let mut findings: HashMap<Id, Vec<Finding>> = HashMap::new();
        for FindingRow { community, summary, explanation, citations, .. } in rows {
            let finding = self.finding(StoredFinding { summary, explanation, citations })?;
            findings.entry(community).or_default().push(finding);
        }
        Ok(findings)
    }

    /// A member that went and came back while its community stayed is linked to it again.
    async fn publish_generation_once(&self, generation: u64) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        let members = self.connection.query(PUBLISH_GENERATION_MEMBERS);
        transaction.run(members.param("generation", number(generation))).await?;
        let publish = self.workspace_query(PUBLISH_GENERATION);
        transaction.run(publish.param("generation", number(generation))).await?;
        let clusterings = self.connection.query(PUBLISH_GENERATION_CLUSTERINGS);
        transaction.run(clusterings.param("generation", number(generation))).await?;
        self.commit(transaction).await
    }

    pub(super) async fn add_communities_once(
        &self,
        generation: u64,
        communities: &[Community],
    ) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        let communities: BTreeMap<&Id, &Community> = communities.iter().map(|one| (&one.id, one)).collect();
        let ids: Vec<Id> = communities.keys().map(|id| (*id).clone()).collect();
        let rows = communities.values().map(|community| community_row(community)).collect();
        transaction.run_rows_with(self.in_generation(ADD_COMMUNITIES, generation), rows).await?;
        clear_tombstones(&mut transaction, &ids).await?;
        transaction.run_ids(ADD_COMMUNITIES_OLD_FINDINGS, &ids).await?;
        let rows: StoreResult<Vec<_>> =
            communities.values().map(|community| self.finding_rows(community)).collect();
        transaction.run_rows(ADD_COMMUNITIES_FINDINGS, rows?.concat()).await?;
        let (mut rows, mut held) = (Vec::new(), 0);
        for leaf in communities.values().filter(|community| community.leaf) {
            for members in leaf.members.chunks(MEMBERS_PER_ROW) {
                rows.push(map([("community", id(&leaf.id)), ("members", texts(members))]));
                held += members.len();
                if held >= MEMBERS_PER_STATEMENT {
                    transaction.run_rows(ADD_COMMUNITIES_MEMBERS, std::mem::take(&mut rows)).await?;
                    held = 0;
                }
            }
        }
        transaction.run_rows(ADD_COMMUNITIES_MEMBERS, rows).await?;
        let parents = communities.values().map(|community| (&community.id, community.parent.as_ref()));
        self.set_parents(&mut transaction, generation, parents).await?;
        self.commit(transaction).await
    }

    pub(super) async fn end_communities_once(
        &self,
        generation: u64,
        ended: &[Id],
        parents: &[(Id, Option<Id>)],
    ) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        let ended = sorted(ended.iter().cloned());
        let query = self.in_generation(END_COMMUNITIES, generation).param("ids", texts(&ended));
        transaction.run(query).await?;
        let parents: BTreeMap<&Id, Option<&Id>> =
            parents.iter().map(|(id, parent)| (id, parent.as_ref())).collect();
        self.set_parents(&mut transaction, generation, parents.into_iter()).await?;
        self.commit(transaction).await
    }

    /// Closes what links to another parent and opens what is missing.
    async fn set_parents<'a>(
        &self,
        transaction: &mut Transaction<'_>,
        generation: u64,
        parents: impl Iterator<Item = (&'a Id, Option<&'a Id>)>,
    ) -> StoreResult<()> {
        let (mut all, mut open) = (Vec::new(), Vec::new());
        for (child, parent) in parents {
            let row = map([("id", id(child)), ("parent", parent.map(Id::as_str).into())]);
            if parent.is_some() {
                open.push(row.clone());
            }
            all.push(row);
        }
        transaction.run_rows_with(self.in_generation(PARENTS_CLOSE, generation), all).await?;
        transaction.run_rows_with(self.in_generation(PARENTS_OPEN, generation), open).await
    }

    pub(super) async fn sweep_unfinished_communities(&self) -> StoreResult<()> {
        let generation = self.state().await?.generation;
        let found: Vec<IdRow> =
            self.connection.read(self.in_generation(SWEEP_UNFINISHED_FIND, generation)).await?;
        self.remove_communities(found).await?;
        self.write(|| self.reopen_once(generation)).await
    }

    async fn reopen_once(&self, generation: u64) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        for text in [
            SWEEP_UNFINISHED_REOPEN,
            SWEEP_UNFINISHED_PARENTS,
            SWEEP_UNFINISHED_REOPEN_PARENTS,
            SWEEP_UNFINISHED_STEPS,
        ] {
            transaction.run(self.in_generation(text, generation)).await?;
        }
        self.commit(transaction).await
    }

    pub(super) async fn sweep_past_communities(&self, generation: u64) -> StoreResult<()> {
        let found: Vec<IdRow> =
            self.connection.read(self.in_generation(SWEEP_GENERATIONS_COMMUNITIES, generation)).await?;
        self.remove_communities(found).await
    }

    async fn remove_communities(&self, found: Vec<IdRow>) -> StoreResult<()> {
        let ids = sorted(found.into_iter().map(|row| row.id));
        let remove = |part| self.write(move || self.remove_communities_once(part));
        in_batches(&ids, REMOVED_PER_TRANSACTION, remove).await
    }

    async fn remove_communities_once(&self, ids: &[Id]) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        save_tombstones(&mut transaction, VectorKind::Reports, ids).await?;
        transaction.run_ids(REMOVE_COMMUNITIES, ids).await?;
        self.commit(transaction).await
    }

    fn in_generation(&self, text: &str, generation: u64) -> Query {
        self.connection.query(text).param("generation", number(generation))
    }

    fn finding_rows(&self, community: &Community) -> StoreResult<Vec<BoltType>> {
        let ids = &self.connection.ids;
        let row = |(index, finding): (usize, &Finding)| {
            Ok(map([
                ("community", id(&community.id)),
                ("id", id(&ids.other("finding", &[community.id.as_str(), &index.to_string()]))),
                ("index", number(index)),
                ("summary", finding.summary.as_str().into()),
                ("explanation", finding.explanation.as_str().into()),
                ("citations", self.json(&finding.citations)?.into()),
            ]))
        };
        community.report.findings.iter().enumerate().map(row).collect()
    }
}

impl StoredCommunity {
    fn into_community(self, parent: Option<Id>, members: Vec<Id>, findings: Vec<Finding>) -> Community {
        Community {
            id: self.id,
            level: self.level,
            leaf: self.leaf,
            oversized: self.oversized,
            parent,
            members: sorted(members),
            fingerprint: self.fingerprint,
            report: Report {
                title: self.title,
                summary: self.summary,
                findings,
                rank: self.rank,
                rank_explanation: self.rank_explanation,
                composed: self.composed,
            },
            lineage: self.lineage,
            period: self.period,
        }
    }
}

fn community_row(community: &Community) -> BoltType {
    let report = &community.report;
    // kept beside the relationships, which go with their entities before the next generation is built
    let member_ids = if community.leaf { texts(&community.members) } else { BoltType::from(None::<&str>) };
    let citations: BTreeSet<&str> = report
        .findings
        .iter()
        .flat_map(|finding| &finding.citations)
        .map(|record| record.id.as_str())
        .collect();
    map([
        ("id", id(&community.id)),
        (
            "properties",
            map([
                ("level", number(community.level)),
                ("leaf", community.leaf.into()),
                ("oversized", community.oversized.into()),
                ("size", number(community.members.len())),
                ("member_ids", member_ids),
                ("fingerprint", community.fingerprint.as_str().into()),
                ("lineage", id(&community.lineage)),
                ("period", community.period.as_str().into()),
                ("title", report.title.as_str().into()),
                ("summary", report.summary.as_str().into()),
                ("full_content", report.full_content().into()),
                ("rank", report.rank.into()),
                ("rank_explanation", report.rank_explanation.as_str().into()),
                ("composed", report.composed.into()),
                ("citations", citations.into_iter().collect()),
            ]),
        ),
    ])
}
