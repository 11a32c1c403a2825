//! Summary trees (RAPTOR, Sarthi et al. 2024): one a document, a function of that document alone, and a top tree over
//! the documents' roots.
//!
//! A document whose text and settings are as they were keeps its tree; the others grow anew, and every summary whose
//! children are the same is taken from the store. So a change pays for what changed and gives what a rebuild would.

mod leaves;
mod clusters;
mod summary;
mod growth;

use super::vectors;
use crate::config::NamedChoice;
use crate::domain::{Document, Id, TreeNode, fingerprint};
use crate::llm::side_by_side;
use crate::progress::Progress;
use crate::services::{Services, no_embeddings};
use crate::stores::graph::VectorKind;
use crate::stores::pages;
use anyhow::{Result, bail};
use fail::fail_point;
use growth::{Grown, grow};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Changes when trees are grown otherwise from the same text and settings.
const FORMAT: &str = "2";
/// Documents read at a time.
const PAGE: usize = 500;
/// Documents whose trees grow at once, and whose trees are held until they are stored.
const TREES_AT_ONCE: usize = 16;
const TREES_HELD: usize = 32;
/// Nodes whose vectors are written at once.
const BATCH: usize = 512;
/// Failures of the model that are told one by one.
const TOLD: usize = 5;

/// What a run did to summary trees.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TreesReport {
    /// Documents whose tree has grown anew.
    pub grown: u64,
    /// Documents whose tree stayed.
    pub kept: u64,
    /// Leaves of the trees that have grown.
    pub leaves: u64,
    /// Summaries of the trees that have grown.
    pub summaries: u64,
    /// Summaries that were written in this run; the others were in the store.
    pub summaries_written: u64,
    /// Why the model did not write some, one sentence each; those are extractive.
    #[serde(skip)]
    pub problems: Vec<String>,
    /// Whether there is something to publish.
    #[serde(skip)]
    pub changed: bool,
}

/// Brings the summary trees to what the documents say, valid from `generation` on; whoever asks publishes it. Does
/// nothing where `[raptor] enabled` is absent and there are no trees; removes them where it is false. `None`: nothing
/// to do with trees.
///
/// # Errors
/// No embedding model; what stores and models say.
pub async fn build(services: &Services, generation: u64, progress: &Progress) -> Result<Option<TreesReport>> {
    let roots = services.graph.tree_roots(generation).await?;
    match services.config.raptor.enabled {
        None | Some(false) if roots.is_empty() => return Ok(None),
        Some(false) => return remove_all(services, generation, roots).await.map(Some),
        _ => {}
    }
    if services.embedding.is_none() {
        bail!(no_embeddings());
    }
    let mut stored: BTreeMap<Option<Id>, TreeNode> =
        roots.into_iter().map(|root| (root.document.clone(), root)).collect();
    let top = stored.remove(&None);
    let mut report = TreesReport::default();
    let mut all: Vec<TreeNode> = Vec::new();
    let stage = progress.stage("summary trees", services.graph.text_counts().await?.documents);
    let mut pages = pages::documents(services.graph.as_ref(), PAGE);
    while let Some(page) = pages.next().await? {
        for documents in page.chunks(TREES_HELD) {
            if progress.stop_requested() {
                return Ok(Some(report));
            }
            let growing = documents.iter().map(|document| {
                let before = stored.remove(&Some(document.id.clone()));
                of_document(services, document, before)
            });
            for (document, tree) in documents.iter().zip(side_by_side(growing, TREES_AT_ONCE).await?) {
                all.extend(match tree {
                    TreeOutcome::None => None,
                    TreeOutcome::Kept(root) => {
                        report.kept += 1;
                        Some(root)
                    }
                    TreeOutcome::Grown(tree) => {
                        report.grown += 1;
                        report.leaves += tree.leaves.len() as u64;
                        save(services, generation, Some(&document.id), tree, &mut report).await?
                    }
                });
                stage.advance(1);
            }
        }
    }
    drop(stage);
    top_tree(services, generation, all, top.as_ref(), &mut report).await?;
    let failed = report.problems.len();
    if failed > TOLD {
        report.problems.truncate(TOLD);
        report.problems.push(format!("{} further summaries are extractive as well", failed - TOLD));
    }
    Ok(Some(report))
}

async fn remove_all(services: &Services, generation: u64, roots: Vec<TreeNode>) -> Result<TreesReport> {
    for root in roots {
        services.graph.save_tree(generation, root.document.as_ref(), &[]).await?;
        fail_point!("tree-removed");
    }
    Ok(TreesReport { changed: true, ..TreesReport::default() })
}

/// What became of a document's tree.
enum TreeOutcome {
    /// It has none and needs none.
    None,
    /// The old one holds; its root.
    Kept(TreeNode),
    /// A new one.
    Grown(NewTree),
}

/// A tree that is to be stored.
struct NewTree {
    leaves: Vec<TreeNode>,
    grown: Grown,
    stamp: String,
}

async fn of_document(
    services: &Services,
    document: &Document,
    before: Option<TreeNode>,
) -> Result<TreeOutcome> {
    let stamp = fingerprint_tree(services, &[&document.content_hash, &text_unit_settings(services)]);
    if let Some(root) = before.clone().filter(|root| root.stamp.as_ref() == Some(&stamp)) {
        return Ok(TreeOutcome::Kept(root));
    }
    let config = &services.config.raptor;
    let units = services.graph.text_units_of(&document.id).await?;
    let leaves = leaves::leaves(&units, &services.ids, services.tokens, config.leaf_tokens);
    drop(units);
    if leaves.is_empty() && before.is_none() {
        return Ok(TreeOutcome::None);
    }
    let grown = grow(services, Some(&document.id), &leaves).await?;
    Ok(TreeOutcome::Grown(NewTree { leaves, grown, stamp }))
}

/// The tree over the documents' roots, where there are two or more.
async fn top_tree(
    services: &Services,
    generation: u64,
    roots: Vec<TreeNode>,
    before: Option<&TreeNode>,
    report: &mut TreesReport,
) -> Result<()> {
    if roots.len() < 2 {
        if before.is_some() {
            services.graph.save_tree(generation, None, &[]).await?;
            report.changed = true;
        }
        return Ok(());
    }
    let ids: Vec<&str> = roots.iter().map(|root| root.id.as_str()).collect();
    let stamp = fingerprint_tree(services, &ids);
    if before.is_some_and(|root| root.stamp.as_ref() == Some(&stamp)) {
        return Ok(());
    }
    let grown = grow(services, None, &roots).await?;
    let tree = NewTree { leaves: Vec::new(), grown, stamp };
    save(services, generation, None, tree, report).await?;
    Ok(())
}

/// Stores a tree and its vectors; returns its root.
async fn save(
    services: &Services,
    generation: u64,
    document: Option<&Id>,
    NewTree { leaves, grown, stamp }: NewTree,
    report: &mut TreesReport,
) -> Result<Option<TreeNode>> {
    report.summaries += grown.summaries.len() as u64;
    report.summaries_written += grown.written;
    report.problems.extend(grown.problems);
    report.changed = true;
    let mut nodes = leaves;
    nodes.extend(grown.summaries);
    let mut root = None;
    for node in nodes.iter_mut().filter(|node| Some(&node.id) == grown.root.as_ref()) {
        node.stamp = Some(stamp.clone());
        root = Some(node.clone());
    }
    fail_point!("tree-uncommitted");
    services.graph.save_tree(generation, document, &nodes).await?;
    fail_point!("tree-committed");
    write_vectors(services, &grown.vectors).await?;
    Ok(root)
}

/// Writes what is pending and whose vectors are at hand, so that nothing is embedded twice; the rest waits for
/// [`vectors::sync`].
async fn write_vectors(services: &Services, vectors: &HashMap<Id, Vec<f32>>) -> Result<()> {
    loop {
        let pending = services.graph.pending_vectors(VectorKind::Summaries, BATCH).await?;
        let (known, unknown): (Vec<_>, Vec<_>) =
            pending.into_iter().partition(|node| vectors.contains_key(&node.id));
        if known.is_empty() {
            return Ok(());
        }
        let dense = known.iter().filter_map(|node| vectors.get(&node.id).cloned()).collect();
        vectors::write(services, VectorKind::Summaries, known, Some(dense)).await?;
        if !unknown.is_empty() {
            return Ok(());
        }
    }
}

/// Fingerprint of all that decides a tree: `parts` say what its leaves are.
fn fingerprint_tree(services: &Services, parts: &[&str]) -> String {
    let (by_model, _) = summary::settings(services);
    let shape = growth::shape(&services.config.raptor);
    let vectors = vectors::settings(services);
    let mut all = vec![FORMAT, &by_model, &shape, &vectors];
    all.extend_from_slice(parts);
    fingerprint(&all)
}

fn text_unit_settings(services: &Services) -> String {
    let units = &services.config.text_units;
    format!("{} {} {}", units.size, units.overlap, units.encoding.name())
}
