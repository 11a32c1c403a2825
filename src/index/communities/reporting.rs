//! Reports from the finest communities to the coarsest (the paper, section 2.6): each is written as soon as those of its
//! parts are, so that no level waits for the slowest call of another.

use super::standing::Standing;
use super::stored::StoredCommunities;
use super::tree::{self, Branch, MOST_RELATIONSHIPS, Tree};
use crate::config::ReportStyle;
use crate::domain::{Claim, Community, Entity, Id, Relationship, Report};
use crate::index::graph::summaries::Summariser;
use crate::index::reports::claims::{ShownClaims, shown_claims};
use crate::index::reports::context::{self, CommunityRecords, Costs, ReportContext, SubCommunity};
use crate::index::reports::extractive;
use crate::index::reports::writer::{ReportDraft, ReportWriter};
use crate::progress::{Progress, StageProgress};
use crate::services::Services;
use crate::stores::graph::EdgeList;
use anyhow::{Context, Result, anyhow};
use fail::fail_point;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Communities whose reports one call writes.
const MOST_IN_A_CALL: usize = 8;
/// Tokens of their records: as many as give reports that one reply has room for.
const TOKENS_IN_A_CALL: u64 = 6000;
/// Records read from the store at once.
const RECORDS_AT_ONCE: usize = 20_000;

/// What communities are made from.
#[derive(Clone, Copy)]
pub(super) struct ReportWork<'a> {
    pub(super) services: &'a Services,
    pub(super) writer: &'a ReportWriter,
    pub(super) tree: &'a Tree,
    pub(super) list: &'a EdgeList,
    /// Where the communities of before lie, by what their reports may be kept under.
    pub(super) known: &'a BTreeMap<&'a str, usize>,
    /// The stored communities, and which of them stand.
    pub(super) old: &'a StoredCommunities,
    pub(super) standing: &'a Standing,
}

/// A community with its report.
#[derive(Clone, Debug)]
pub(super) struct DoneReport {
    pub(super) community: Community,
    /// Whether a model wrote the report in this run.
    pub(super) written: bool,
    /// Why the model did not.
    pub(super) problem: Option<String>,
    record_tokens: u64,
}

/// What has to be done for a report.
enum PreparedReport {
    /// Nothing more.
    Done(Box<DoneReport>),
    /// The report of the stored community at this place is kept, once it is read.
    Kept(usize),
    /// A model writes it.
    Open(ReportDraft),
}

/// A community whose parts are all done.
struct Ready {
    place: usize,
    children: Vec<SubCommunity>,
    context: ReportContext,
    /// What has to be done; taken when it is.
    prepared: Option<Result<PreparedReport>>,
}

#[derive(Debug, Default)]
struct BatchRecords {
    entities: BTreeMap<Id, Entity>,
    relationships: BTreeMap<Id, Relationship>,
    claims: ShownClaims,
    costs: Costs,
}

impl ReportWork<'_> {
    /// All communities by their places in the tree; nothing where a stop was requested meanwhile.
    ///
    /// # Errors
    /// What the store says; a model that refuses, or a budget that is used up: what is in flight then ends first, so
    /// that it is kept.
    pub(super) async fn done(&self, progress: &Progress) -> Result<Option<Vec<Option<DoneReport>>>> {
        let places = 0..self.tree.branches.len();
        let mut done: Vec<Option<DoneReport>> = places.map(|place| self.standing(place)).collect();
        let open = done.iter().filter(|one| one.is_none()).count();
        let stage = progress.stage("communities", open as u64);
        let mut costs = Costs::default();
        for batch in batches(self.tree, &done) {
            if progress.stop_requested() {
                return Ok(None);
            }
            let material = self.fetch(&batch, costs).await?;
            self.batch(&batch, &material, &mut done, (progress, &stage)).await?;
            costs = material.costs;
        }
        Ok(done.iter().all(Option::is_some).then_some(done))
    }

    /// A community that stands, unless its records have to be read.
    fn standing(&self, place: usize) -> Option<DoneReport> {
        let stored = self.standing.stored(place, self.old.all()).filter(|_| !self.standing.reads(place))?;
        Some(DoneReport::standing(stored, 0))
    }

    /// Everything of one batch, the finest level first among what is ready.
    async fn batch(
        &self,
        batch: &[usize],
        material: &BatchRecords,
        done: &mut [Option<DoneReport>],
        (progress, stage): (&Progress, &StageProgress),
    ) -> Result<()> {
        let branch_of = |place: usize| self.tree.branches.get(place);
        let mut missing: BTreeMap<usize, usize> = BTreeMap::new();
        for &place in batch {
            let children = branch_of(place).map_or(&[][..], |branch| &branch.children);
            let open = children.iter().filter(|child| done.get(**child).is_none_or(Option::is_none));
            missing.insert(place, open.count());
        }
        let mut free: Vec<usize> =
            batch.iter().copied().filter(|place| missing.get(place) == Some(&0)).collect();
        let mut queue: BTreeMap<(Reverse<u32>, usize), Ready> = BTreeMap::new();
        // small ones with parts wait until nothing is under way: which of them share a call must not hang on which reply
        // comes first, or a run that goes on would ask for what is in the cache in another way
        let mut waiting: BTreeMap<(Reverse<u32>, usize), Ready> = BTreeMap::new();
        let mut under_way = FuturesUnordered::new();
        let mut failed = None;
        loop {
            for ready in self.ready(&std::mem::take(&mut free), material, done) {
                let level = branch_of(ready.place).map_or(0, |branch| branch.level);
                let waits = !ready.children.is_empty() && self.joins(&ready);
                let line = if waits { &mut waiting } else { &mut queue };
                line.insert((Reverse(level), ready.place), ready);
            }
            if queue.is_empty() && under_way.is_empty() {
                queue = std::mem::take(&mut waiting);
            }
            while failed.is_none()
                && !progress.stop_requested()
                && under_way.len() < self.writer.concurrency()
                && let Some((_, ready)) = queue.pop_first()
            {
                let group = self.group(ready, &mut queue);
                under_way.push(self.make_all(group, material));
            }
            let Some(group) = under_way.next().await else { break };
            for (place, made) in group {
                match (made, done.get_mut(place)) {
                    (Ok(made), Some(slot)) => *slot = Some(made),
                    (Ok(_), None) => {}
                    (Err(error), _) => failed = failed.or(Some(error)),
                }
                stage.advance(1);
                let parent = branch_of(place).and_then(|branch| branch.parent);
                let Some((parent, open)) =
                    parent.and_then(|parent| Some((parent, missing.get_mut(&parent)?)))
                else {
                    continue;
                };
                *open = open.saturating_sub(1);
                if *open == 0 {
                    free.push(parent);
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Whether a community's report is to be written, and may come with others in one call.
    fn joins(&self, ready: &Ready) -> bool {
        self.writer.joins(ready.context.tokens) && matches!(ready.prepared, Some(Ok(PreparedReport::Open(_))))
    }

    /// A community with others from the queue that go into the same call: small ones, in the queue's order.
    fn group(&self, first: Ready, queue: &mut BTreeMap<(Reverse<u32>, usize), Ready>) -> Vec<Ready> {
        let most = TOKENS_IN_A_CALL.min(self.services.config.reports.max_input_tokens as u64);
        let mut tokens = first.context.tokens;
        let mut group = vec![first];
        if !group.iter().all(|first| self.joins(first)) {
            return group;
        }
        while group.len() < MOST_IN_A_CALL
            && let Some((key, next)) =
                queue.iter().find(|(_, ready)| self.joins(ready) && tokens + ready.context.tokens <= most)
        {
            let key = *key;
            tokens += next.context.tokens;
            group.extend(queue.remove(&key));
        }
        group
    }

    /// Packs the contexts of communities whose parts are done.
    fn ready(&self, places: &[usize], material: &BatchRecords, done: &[Option<DoneReport>]) -> Vec<Ready> {
        use rayon::prelude::*;
        let budget = self.services.config.reports.max_input_tokens;
        places
            .par_iter()
            .filter_map(|&place| {
                let branch = self.tree.branches.get(place)?;
                let children = parts(branch, done);
                let context = self.pack(branch, &children, material, budget);
                let mut ready = Ready { place, children, context, prepared: None };
                ready.prepared = Some(self.prepare(&ready, material));
                Some(ready)
            })
            .collect()
    }

    /// Reads the records that the reports of these communities may show, and counts the tokens of those that are new.
    async fn fetch(&self, batch: &[usize], costs: Costs) -> Result<BatchRecords> {
        let Self { services, tree, list, .. } = self;
        let mut entity_ids = BTreeSet::new();
        let (mut relationship_ids, mut outside) = (BTreeSet::new(), BTreeSet::new());
        let style = self.writer.style();
        for branch in batch.iter().filter_map(|&place| tree.branches.get(place)) {
            for &edge in branch.report_edges() {
                if let Some((low, high)) = tree::ends(list, edge) {
                    relationship_ids.insert(services.ids.relationship(low, high));
                    entity_ids.insert(low.clone());
                    entity_ids.insert(high.clone());
                }
            }
            for &edge in branch.leaving.iter().filter(|_| style == ReportStyle::Lean) {
                if let Some((low, high)) = tree::ends(list, edge) {
                    relationship_ids.insert(services.ids.relationship(low, high));
                    outside.insert(low.clone());
                    outside.insert(high.clone());
                }
            }
            for &member in branch.leading.iter().take(MOST_RELATIONSHIPS) {
                entity_ids.extend(list.ids.get(member as usize).cloned());
            }
        }
        let outside: Vec<Id> = outside.into_iter().filter(|id| !entity_ids.contains(id)).collect();
        let entity_ids: Vec<Id> = entity_ids.into_iter().collect();
        let relationship_ids: Vec<Id> = relationship_ids.into_iter().collect();
        let mut material = BatchRecords { costs, ..BatchRecords::default() };
        let mut claims: BTreeMap<Id, Vec<Claim>> = BTreeMap::new();
        for ids in entity_ids.chunks(2000) {
            for entity in services.graph.entities_by_id(ids).await? {
                material.entities.insert(entity.id.clone(), entity);
            }
            for claim in services.graph.claims_of(ids).await? {
                claims.entry(claim.subject.clone()).or_default().push(claim);
            }
        }
        material.claims = self.claims(claims, &material.entities).await?;
        for ids in relationship_ids.chunks(2000) {
            for relationship in services.graph.relationships_by_id(ids).await? {
                material.relationships.insert(relationship.id.clone(), relationship);
            }
        }
        let BatchRecords { entities, relationships, claims, costs } = &mut material;
        costs.count(entities, relationships, claims, (services.tokens, style));
        // of those outside only the name is shown, and their claims are not known here
        for ids in outside.chunks(2000) {
            let found = services.graph.entities_by_id(ids).await?;
            material.entities.extend(found.into_iter().map(|entity| (entity.id.clone(), entity)));
        }
        Ok(material)
    }

    /// Claims as reports show them, with the names of what they concern.
    async fn claims(
        &self,
        claims: BTreeMap<Id, Vec<Claim>>,
        entities: &BTreeMap<Id, Entity>,
    ) -> Result<ShownClaims> {
        let Self { services, .. } = self;
        let mut names: BTreeMap<Id, String> =
            entities.values().map(|entity| (entity.id.clone(), entity.name.clone())).collect();
        let objects = claims.values().flatten().filter_map(|claim| claim.object.clone());
        let missing: BTreeSet<Id> = objects.filter(|object| !names.contains_key(object)).collect();
        let missing: Vec<Id> = missing.into_iter().collect();
        for ids in missing.chunks(2000) {
            let found = services.graph.entities_by_id(ids).await?;
            names.extend(found.into_iter().map(|entity| (entity.id, entity.name)));
        }
        let budget = (services.tokens, services.config.reports.max_input_tokens);
        shown_claims(Summariser::new(services).as_ref(), claims, &names, budget).await
    }

    /// Communities with their reports: kept, composed, or written, those that a model has to write in one call.
    async fn make_all(
        &self,
        mut group: Vec<Ready>,
        material: &BatchRecords,
    ) -> Vec<(usize, Result<DoneReport>)> {
        let mut open = Vec::new();
        let mut made = Vec::new();
        let prepared: Vec<_> = group.iter_mut().map(|ready| ready.prepared.take()).collect();
        for (ready, prepared) in group.iter().zip(prepared) {
            match prepared {
                Some(Ok(PreparedReport::Done(done))) => made.push((ready.place, Ok(*done))),
                Some(Ok(PreparedReport::Kept(old))) => made.push((ready.place, self.keep(ready, old).await)),
                Some(Ok(PreparedReport::Open(draft))) => open.push((ready, draft)),
                Some(Err(error)) => made.push((ready.place, Err(error))),
                None => {}
            }
        }
        let contexts: Vec<&ReportContext> = open.iter().map(|(ready, _)| &ready.context).collect();
        let mut together = if contexts.len() > 1 {
            match self.writer.write_together(&contexts).await {
                Ok(written) => written,
                Err(error) => {
                    let why = error.to_string();
                    made.extend(open.iter().skip(1).map(|(ready, _)| (ready.place, Err(anyhow!("{why}")))));
                    made.extend(open.first().map(|(ready, _)| (ready.place, Err(error))));
                    return made;
                }
            }
        } else {
            vec![None; contexts.len()]
        }
        .into_iter();
        for (ready, draft) in open {
            let report = together.next().flatten();
            made.push((ready.place, self.write(ready, draft, report, material).await));
        }
        made
    }

    /// A community whose report costs nothing, or what a model has to write.
    fn prepare(&self, ready: &Ready, material: &BatchRecords) -> Result<PreparedReport> {
        let Ready { place, children, context, .. } = ready;
        let branch = self.branch(*place)?;
        if let Some(stored) = self.standing.stored(*place, self.old.all()) {
            return Ok(PreparedReport::Done(Box::new(DoneReport::standing(stored, context.record_tokens))));
        }
        let (members, leading) = (self.ids(&branch.members), self.ids(&branch.leading));
        let found = gather_material(ready, branch, &leading, material);
        let draft = self.writer.draft(&found, children);
        // what is paid for is kept; one that is stale only where none is up to date
        let mut marks = std::iter::once(&draft.fingerprint).chain(&draft.stale);
        let kept = marks.find_map(|mark| self.known.get(mark.as_str()).copied());
        let is_newest =
            |place: usize| self.old.all().get(place).is_some_and(|old| old.fingerprint == draft.fingerprint);
        Ok(match (draft.report.as_ref(), kept) {
            (Some(report), kept) if kept.is_none_or(is_newest) => {
                let report = (report.clone(), draft.fingerprint);
                PreparedReport::Done(Box::new(self.finished(branch, members, context, report)))
            }
            (_, Some(old)) => PreparedReport::Kept(old),
            (_, None) => PreparedReport::Open(draft),
        })
    }

    /// A community that keeps the report of a stored one.
    async fn keep(&self, ready: &Ready, old: usize) -> Result<DoneReport> {
        let branch = self.branch(ready.place)?;
        let kept = self.old.fetched(self.services.graph.as_ref(), old).await?;
        let members = self.ids(&branch.members);
        Ok(self.finished(branch, members, &ready.context, (kept.report, kept.fingerprint)))
    }

    /// One community whose report a model writes, unless it has done so together with others.
    async fn write(
        &self,
        ready: &Ready,
        draft: ReportDraft,
        together: Option<Report>,
        material: &BatchRecords,
    ) -> Result<DoneReport> {
        let Ready { place, children, context, .. } = ready;
        let branch = self.branch(*place)?;
        let leading = self.ids(&branch.leading);
        let (report, fingerprint, problem) = if let Some(report) = together {
            (report, draft.fingerprint, None)
        } else {
            let found = gather_material(ready, branch, &leading, material);
            let pack = |budget| self.pack(branch, children, material, budget);
            self.writer.write(&found, &draft.fingerprint, &pack).await?
        };
        fail_point!("report-written");
        let done = self.finished(branch, self.ids(&branch.members), context, (report, fingerprint));
        Ok(DoneReport { written: problem.is_none(), problem, ..done })
    }

    fn branch(&self, place: usize) -> Result<&Branch> {
        self.tree.branches.get(place).context("a community without a place in its tree")
    }

    fn ids(&self, members: &[u32]) -> Vec<Id> {
        members.iter().filter_map(|&member| self.list.ids.get(member as usize).cloned()).collect()
    }

    fn finished(
        &self,
        branch: &Branch,
        members: Vec<Id>,
        context: &ReportContext,
        (report, fingerprint): (Report, String),
    ) -> DoneReport {
        let id = self.services.ids.community(branch.level, branch.leaf, &members, &fingerprint);
        DoneReport {
            record_tokens: context.record_tokens,
            written: false,
            problem: None,
            community: Community {
                lineage: id.clone(),
                id,
                level: branch.level,
                leaf: branch.leaf,
                oversized: branch.oversized,
                parent: None,
                members,
                fingerprint,
                report,
                period: String::new(),
            },
        }
    }

    /// What a report is written from, in at most so many tokens.
    fn pack(
        &self,
        branch: &Branch,
        children: &[SubCommunity],
        material: &BatchRecords,
        budget: usize,
    ) -> ReportContext {
        let Self { services, list, .. } = self;
        let relationships: Vec<&Relationship> = branch
            .report_edges()
            .iter()
            .filter_map(|&edge| tree::ends(list, edge))
            .filter_map(|(low, high)| material.relationships.get(&services.ids.relationship(low, high)))
            .collect();
        let loose = branch
            .leading
            .iter()
            .take(if relationships.is_empty() { MOST_RELATIONSHIPS } else { 0 })
            .filter_map(|&member| material.entities.get(list.ids.get(member as usize)?))
            .collect();
        let style = self.writer.style();
        let leaving = branch
            .leaving
            .iter()
            .filter(|_| style == ReportStyle::Lean)
            .filter_map(|&edge| tree::ends(list, edge))
            .filter_map(|(low, high)| material.relationships.get(&services.ids.relationship(low, high)))
            .collect();
        let mut records = CommunityRecords {
            relationships,
            entities: &material.entities,
            loose,
            leaving,
            claims: &material.claims,
            costs: &material.costs,
            cut: branch.has_more_edges(),
            style,
        };
        let mut context = context::pack(&records, children, services.tokens, budget);
        if style == ReportStyle::Lean {
            // what was paid for under the other style is kept
            records.leaving.clear();
            records.style = ReportStyle::Paper;
            let other = context::pack(&records, children, services.tokens, budget);
            context.paper = std::iter::once(other.fingerprint).chain(other.earlier_fingerprint).collect();
        }
        context.stand_for(&material.claims);
        context
    }
}

impl DoneReport {
    /// One that stands as it is stored.
    fn standing(stored: &Community, record_tokens: u64) -> Self {
        Self {
            record_tokens,
            written: false,
            problem: None,
            community: Community { parent: None, ..stored.clone() },
        }
    }
}

/// A community's parts, as their reports stand in for their records.
fn parts(branch: &Branch, done: &[Option<DoneReport>]) -> Vec<SubCommunity> {
    let done = branch.children.iter().filter_map(|&child| done.get(child)?.as_ref());
    done.map(|child| SubCommunity {
        id: child.community.id.clone(),
        members: child.community.members.clone(),
        written: child.community.report.clone(),
        report: child.community.report.full_content(),
        composed: child.community.report.composed,
        record_tokens: child.record_tokens,
    })
    .collect()
}

/// Groups of communities whose records are read together, the finest level first; those that are done are left out.
fn batches(tree: &Tree, done: &[Option<DoneReport>]) -> Vec<Vec<usize>> {
    let mut batches = Vec::new();
    let mut batch = Vec::new();
    let mut size = 0;
    for place in tree.from_the_finest() {
        if done.get(place).is_some_and(Option::is_some) {
            continue;
        }
        let Some(branch) = tree.branches.get(place) else { continue };
        let cost = branch.report_edges().len() * 2 + 1;
        if size + cost > RECORDS_AT_ONCE && !batch.is_empty() {
            batches.push(std::mem::take(&mut batch));
            size = 0;
        }
        size += cost;
        batch.push(place);
    }
    if !batch.is_empty() {
        batches.push(batch);
    }
    batches
}
/// What a report of a community is made of.
fn gather_material<'a>(
    ready: &'a Ready,
    branch: &Branch,
    leading: &'a [Id],
    material: &'a BatchRecords,
) -> extractive::Material<'a> {
    extractive::Material {
        context: &ready.context,
        entities: &material.entities,
        relationships: &material.relationships,
        leading,
        size: branch.members.len(),
        weight: branch.weight,
    }
}
