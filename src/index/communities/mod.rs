//! Communities: our own Leiden over the pulled graph, written back as a new generation (design 10, 11).
//!
//! [`build`] is the stage. It reads the graph once, clusters it from the stored communities (or, if asked, from nothing,
//! or has Neo4j cluster it), compares them with fresh ones, lets [`reports`](super::reports) write what is
//! told of each community from the finest to the coarsest, and publishes a new generation only where something
//! changed, and only when all of it is stored.

pub mod edge_file;
pub mod warm_start;
pub mod gds;
pub mod lineage;
pub mod history;
pub mod tree;
mod comparison;
mod appraisal;
mod starting;
mod standing;
mod stored;
mod reporting;
mod imported;
mod unfinished;
mod owed;

pub use appraisal::{Appraisal, appraise};
pub use comparison::Comparison;
pub use imported::IMPORTED;
pub use unfinished::{are_due, is_unfinished};

use crate::config::{CommunityEngine, Follow, ReportStyle};
use crate::domain::{Community, Id};
use crate::index::reports::writer::{ReportWriter, everything_but_records};
use crate::index::settings;
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::graph::{EdgeList, LastClustering};
use anyhow::{Context, Result};
use comparison::CommunityShapes;
use edge_file::LevelSummary;
use fail::fail_point;
use owed::OwedReports;
use reporting::{DoneReport, ReportWork};
use standing::Standing;
use starting::ChosenStart;
use std::collections::{BTreeMap, BTreeSet};
use stored::StoredCommunities;
use tree::{Clustered, ClusteringStart, Tree};
use warm_start::ClusteredNow;

/// Communities written at once.
const WRITE_BATCH: usize = 1_000;

/// What a build did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildOutcome {
    /// The generation that is current now.
    pub generation: u64,
    /// Communities that are new in it.
    pub added: usize,
    /// Communities that ended with it.
    pub ended: usize,
    /// Communities that are as they were.
    pub kept: usize,
    /// Reports that a model wrote in this run.
    pub reports_written: usize,
    /// Levels of the hierarchy.
    pub levels: u32,
}

/// A built hierarchy, stored and not yet published.
#[derive(Clone, Debug, Default)]
pub struct StagedHierarchy {
    /// Each level's partition in numbers.
    pub levels: Vec<LevelSummary>,
    /// Why reports could not be written by the model, one sentence each.
    pub problems: Vec<String>,
    /// What was done.
    pub outcome: BuildOutcome,
    /// Whether there is a generation to publish.
    pub changed: bool,
    /// The generation that the clustering started from, if it started from one.
    pub started_from: Option<u64>,
    /// The communities beside fresh ones, where they were compared.
    pub comparison: Option<Comparison>,
    clustered: LastClustering,
}

impl StagedHierarchy {
    /// What to say where more modularity is given away than is allowed.
    pub fn warning(&self, services: &Services) -> Option<String> {
        self.comparison.as_ref()?.warning(services.config.communities.max_loss)
    }
}

/// Clusters the graph and stores the communities as the next generation. [`publish`] makes it current.
///
/// # Errors
/// What the stores say, or a model that refuses.
pub async fn build(
    services: &Services,
    writer: &ReportWriter,
    period: &str,
    progress: &Progress,
) -> Result<StagedHierarchy> {
    let kept = imported::stored(services).await?;
    build_around(services, writer, period, kept, progress).await
}

/// As [`build`], of what these communities do not hold: they stay as they are beside what is found.
///
/// # Errors
/// As [`build`].
pub async fn build_around(
    services: &Services,
    writer: &ReportWriter,
    period: &str,
    kept: Vec<Community>,
    progress: &Progress,
) -> Result<StagedHierarchy> {
    services.graph.sweep_unfinished().await?;
    fail_point!("unfinished-swept");
    match compose(services, writer, period, kept, progress).await? {
        Some(composed) => store(services, composed, period).await,
        // nothing is stored of a hierarchy that is not whole; its reports are in the cache of replies
        None => Ok(StagedHierarchy::default()),
    }
}

/// The hierarchy as it should be now, and as it is stored.
struct Composed {
    generation: u64,
    old: Vec<Community>,
    communities: Vec<Community>,
    levels: Vec<LevelSummary>,
    problems: Vec<String>,
    outcome: BuildOutcome,
    started_from: Option<u64>,
    comparison: Option<Comparison>,
    clustered: LastClustering,
}

/// Clusters the graph and has reports written; nothing where a stop was requested meanwhile.
async fn compose(
    services: &Services,
    writer: &ReportWriter,
    period: &str,
    kept: Vec<Community>,
    progress: &Progress,
) -> Result<Option<Composed>> {
    let graph = services.graph.as_ref();
    let stage = progress.stage("clustering", 0);
    let generation = graph.state().await?.generation;
    // most runs need no more of what is stored than this
    let outlines = async {
        let wanted = writer.trusts_marks() && kept.is_empty();
        if wanted { StoredCommunities::read(graph, generation, false).await.map(Some) } else { Ok(None) }
    };
    let (list, outlines) = futures::join!(graph.edge_list(), outlines);
    let list = imported::without(list.context("while reading the graph for communities")?, &kept);
    let config = services.config.communities.clone();
    let now = warm_start::clustered(&list, &config, generation);
    let unreported = read_unreported(services, writer, &now, &list).await?;
    // where anything may have to be written anew, or came from elsewhere, all is compared
    let mut old = match outlines?.filter(|_| unreported.is_some()) {
        Some(outlines) => outlines,
        None => StoredCommunities::read(graph, generation, unreported.is_none() || !kept.is_empty()).await?,
    };
    let ChosenStart { start, compare } = starting::choose(services, writer, &list, old.all(), &now).await?;
    let (Clustered { mut tree, fresh }, list, start) = tokio::task::spawn_blocking(move || {
        tree::cluster(&list, &config, &start, compare).map(|clustered| (clustered, list, start))
    })
    .await
    .context("the community detection ended early")??;
    stage.advance(list.ids.len() as u64);
    drop(stage);
    if writer.style() == ReportStyle::Paper {
        tree.forget_leaving();
    }
    let started_from = matches!(start, ClusteringStart::Warm(_)).then_some(generation);
    let comparison = match &fresh {
        Some(fresh) => {
            let shapes = CommunityShapes::of_tree(&tree, &list);
            Some(Comparison::of(services, &shapes, &tree.summaries, fresh, &list).await?)
        }
        None => None,
    };
    drop(fresh);
    let mut outcome = BuildOutcome { generation, levels: tree.levels(), ..BuildOutcome::default() };
    let mut problems: Vec<String> = Vec::new();
    let standing = match unreported {
        Some(changed) => Standing::of(&tree, &list, old.all(), &changed),
        None => Standing::none(&tree),
    };
    old.read_findings(graph, &tree, &standing).await?;
    let known = old.by_fingerprint();
    let work = ReportWork {
        services,
        writer,
        tree: &tree,
        list: &list,
        known: &known,
        old: &old,
        standing: &standing,
    };
    let Some(done) = work.done(progress).await? else { return Ok(None) };
    for one in done.iter().flatten() {
        outcome.reports_written += usize::from(one.written);
        problems.extend(one.problem.clone());
    }
    let old = old.into_all();
    let mut communities = assemble(&tree, done, &old, period);
    communities.extend(kept.into_iter().map(|community| imported::dated(community, period)));
    let reports = everything_but_records(services)?;
    let same_as_fresh = comparison.as_ref().is_some_and(|comparison| comparison.changed == 0);
    let clustered = starting::noted(now.noted.with_reports(&reports), &start, same_as_fresh);
    let levels = tree.summaries;
    Ok(Some(Composed {
        generation,
        old,
        communities,
        levels,
        problems,
        outcome,
        started_from,
        comparison,
        clustered,
    }))
}

/// Entities of which something has changed since the reports of this generation were written: those that are marked, those
/// that people made, and those whose relationships are others than they were, whoever changed them. `None` where it may be
/// any, because it is not known, or because reports are written otherwise now.
async fn read_unreported(
    services: &Services,
    writer: &ReportWriter,
    now: &ClusteredNow,
    list: &EdgeList,
) -> Result<Option<Vec<Id>>> {
    let graph = services.graph.as_ref();
    if !writer.trusts_marks() {
        return Ok(None);
    }
    let clustered = graph.last_clustering().await?;
    if clustered.generation != now.noted.generation
        || clustered.reports() != Some(&everything_but_records(services)?)
    {
        return Ok(None);
    }
    let Some(mut unreported) = graph.unreported_entities().await? else { return Ok(None) };
    unreported.extend(graph.made_by_hand().await?);
    unreported.extend(now.changed_since(&clustered, list).cloned());
    unreported.sort_unstable();
    unreported.dedup();
    Ok(Some(unreported))
}

/// Communities of the current generation that the graph would not have now, and those that it would have otherwise or
/// besides; sorted. No model is asked.
///
/// # Errors
/// What the store says.
pub async fn unlike_graph(services: &Services, progress: &Progress) -> Result<Vec<Id>> {
    // a hierarchy that depends on Neo4j's plugin, or on history which the next run ends, is no function of what is stored
    let config = &services.config.communities;
    let stored = services.graph.state().await?.settings;
    let ends_history = config.follow == Follow::Fresh && stored.contains_key(settings::WARM);
    if ends_history || config.engine == CommunityEngine::Gds {
        return Ok(Vec::new());
    }
    let writer = ReportWriter::new(services).examining();
    let kept = imported::stored(services).await?;
    let Some(composed) = compose(services, &writer, "", kept, progress).await? else {
        return Ok(Vec::new());
    };
    let owed = OwedReports::of(&composed.old, &composed.communities);
    let difference = compare_hierarchies(&composed.old, &composed.communities);
    let mut ids: Vec<Id> = difference.added.into_iter().map(|community| community.id).collect();
    ids.extend(difference.ended);
    ids.extend(difference.parents.into_iter().map(|(id, _)| id));
    ids.retain(|id| !owed.explain(id));
    ids.sort();
    ids.dedup();
    Ok(ids)
}

/// Makes the staged generation the one that readers see, and removes what ended before it.
///
/// # Errors
/// What the store says.
pub async fn publish(services: &Services, staged: &StagedHierarchy) -> Result<()> {
    // before the switch, beside what was noted of the current generation: so there is always one that goes with it
    let clustered = LastClustering { generation: staged.outcome.generation, ..staged.clustered.clone() };
    if services.graph.last_clustering().await? != clustered {
        services.graph.save_clustering(&clustered).await?;
        fail_point!("clustering-saved");
    }
    if staged.changed {
        fail_point!("generation-unpublished");
        services.graph.publish_generation(staged.outcome.generation).await?;
        fail_point!("generation-published");
        // a query that began under the generation before may still read it; what ended earlier is swept
        services.graph.sweep_generations(staged.outcome.generation.saturating_sub(1)).await?;
        fail_point!("past-swept");
    }
    services.graph.forget_unreported().await?;
    fail_point!("unreported-forgotten");
    note_start(services, staged).await
}

/// Says in the settings, where `status` shows it, whether the communities hang on their history.
async fn note_start(services: &Services, staged: &StagedHierarchy) -> Result<()> {
    let mut stored = services.graph.state().await?.settings;
    let note = match &staged.comparison {
        Some(comparison) => comparison.note(),
        None => staged.started_from.map(|generation| {
            format!("started from generation {generation} (warm): they depend on the history of the graph")
        }),
    };
    if stored.get(settings::WARM) != note.as_ref() {
        match note {
            Some(note) => stored.insert(settings::WARM.to_owned(), note),
            None => stored.remove(settings::WARM),
        };
        services.graph.save_settings(&stored).await?;
    }
    Ok(())
}

/// Gives every community its parent, its line and its date.
fn assemble(tree: &Tree, done: Vec<Option<DoneReport>>, old: &[Community], period: &str) -> Vec<Community> {
    let ids: Vec<Option<Id>> = done.iter().map(|one| one.as_ref().map(|d| d.community.id.clone())).collect();
    let mut communities: Vec<Community> = Vec::with_capacity(done.len());
    for (branch, one) in tree.branches.iter().zip(done) {
        let Some(one) = one else { continue };
        let mut community = one.community;
        community.parent = branch.parent.and_then(|parent| ids.get(parent).cloned().flatten());
        period.clone_into(&mut community.period);
        communities.push(community);
    }
    lineage::carry(old, &mut communities);
    communities
}

/// What leads from one hierarchy to the next.
struct HierarchyDifference {
    /// New ones, and those that are not stored as their id says.
    added: Vec<Community>,
    ended: Vec<Id>,
    /// Kept ones with the parent that they have from now on.
    parents: Vec<(Id, Option<Id>)>,
}

fn compare_hierarchies(old: &[Community], communities: &[Community]) -> HierarchyDifference {
    let before: BTreeMap<&Id, &Community> = old.iter().map(|c| (&c.id, c)).collect();
    let now: BTreeSet<&Id> = communities.iter().map(|c| &c.id).collect();
    let is_stored = |community: &Community| {
        before.get(&community.id).is_some_and(|was| {
            was.members == community.members
                && was.report == community.report
                && (was.level, was.leaf, was.oversized)
                    == (community.level, community.leaf, community.oversized)
        })
    };
    HierarchyDifference {
        added: communities.iter().filter(|c| !is_stored(c)).cloned().collect(),
        ended: before.keys().filter(|id| !now.contains(**id)).map(|id| (*id).clone()).collect(),
        parents: communities
            .iter()
            .filter(|c| before.get(&c.id).is_some_and(|was| was.parent != c.parent))
            .map(|c| (c.id.clone(), c.parent.clone()))
            .collect(),
    }
}

async fn store(services: &Services, composed: Composed, period: &str) -> Result<StagedHierarchy> {
    let graph = services.graph.as_ref();
    let Composed {
        generation,
        old,
        communities,
        levels,
        problems,
        mut outcome,
        started_from,
        comparison,
        clustered,
    } = composed;
    let HierarchyDifference { added, ended, parents } = compare_hierarchies(&old, &communities);
    outcome.kept = communities.len() - added.len();
    let changed = !(added.is_empty() && ended.is_empty() && parents.is_empty());
    if changed {
        outcome.generation = generation + 1;
        outcome.added = added.len();
        outcome.ended = ended.len();
        for batch in added.chunks(WRITE_BATCH) {
            graph.add_communities(outcome.generation, batch).await?;
            fail_point!("communities-added");
        }
        graph.end_communities(outcome.generation, &ended, &parents).await?;
        fail_point!("communities-ended");
        let steps = history::steps(&old, &communities, outcome.generation, period);
        for batch in steps.chunks(WRITE_BATCH) {
            graph.add_lineage_steps(batch).await?;
        }
    }
    Ok(StagedHierarchy { levels, problems, outcome, changed, started_from, comparison, clustered })
}
