//! One tree from its leaves: layer upon layer of summaries until one root is left.

use super::clusters::{clusters, in_order};
use super::summary::{self, WrittenSummary};
use crate::config::{NamedChoice, RaptorConfig};
use crate::domain::{Id, TreeNode, fingerprint};
use crate::index::vectors::embed;
use crate::llm::side_by_side;
use crate::numeric::Matrix;
use crate::services::{Services, no_embeddings};
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Share of a layer that must be gone in the next one; else the order of the text decides.
const LEAST_SHRINKING: f64 = 0.25;

/// A tree that has grown.
#[derive(Debug, Default)]
pub(super) struct Grown {
    /// The summaries, each behind its children.
    pub(super) summaries: Vec<TreeNode>,
    /// The root; none without leaves. It is a leaf where there is one leaf alone.
    pub(super) root: Option<Id>,
    /// Embeddings of leaves and summaries.
    pub(super) vectors: HashMap<Id, Vec<f32>>,
    /// Summaries that were written, not found in the store.
    pub(super) written: u64,
    /// Why the model did not write some.
    pub(super) problems: Vec<String>,
}

/// A node of the layer that is being summed up.
#[derive(Clone, Debug)]
struct Member {
    id: Id,
    text: String,
    token_count: u32,
    level: u32,
    /// Place of its first leaf: the order of the text.
    first: usize,
}

/// Grows a tree over leaves that stand in the order of the text. `document` is the one it belongs to. Ends: every
/// layer is smaller than the one before.
///
/// # Errors
/// What stores and models say.
pub(super) async fn grow(services: &Services, document: Option<&Id>, leaves: &[TreeNode]) -> Result<Grown> {
    let mut grown = Grown::default();
    let mut layer: Vec<Member> = leaves
        .iter()
        .enumerate()
        .map(|(first, leaf)| Member {
            id: leaf.id.clone(),
            text: leaf.text.clone(),
            token_count: leaf.token_count,
            level: leaf.level,
            first,
        })
        .collect();
    embed_members(services, &layer, &mut grown).await?;
    let mut number = 0;
    while layer.len() > 1 {
        let groups = group(services, &layer, &grown, number).await?;
        layer = sum_up(services, document, layer, groups, &mut grown).await?;
        number += 1;
    }
    grown.root = layer.into_iter().next().map(|member| member.id);
    Ok(grown)
}

/// Groups of places in the layer; fewer than it has places.
async fn group(services: &Services, layer: &[Member], grown: &Grown, number: u32) -> Result<Vec<Vec<usize>>> {
    let config = services.config.raptor.clone();
    let tokens: Vec<u32> = layer.iter().map(|member| member.token_count).collect();
    let all: Vec<usize> = (0..layer.len()).collect();
    let total: usize = tokens.iter().map(|count| *count as usize).sum();
    if layer.len() <= config.components + 1 && total <= config.cluster_tokens {
        return Ok(vec![all]);
    }
    if layer.len() <= config.components + 1 || number >= config.max_layers {
        return Ok(in_order(&all, &tokens, &config));
    }
    let rows: Vec<&[f32]> = layer
        .iter()
        .map(|member| grown.vectors.get(&member.id).map(Vec::as_slice).unwrap_or_default())
        .collect();
    let vectors = Matrix::from_rows(&rows).context("while clustering embeddings")?;
    tokio::task::spawn_blocking(move || {
        let found = clusters(&vectors, &tokens, &config).context("while clustering embeddings")?;
        Ok(if shrinks(&found, vectors.rows()) { found } else { in_order(&all, &tokens, &config) })
    })
    .await
    .context("clustering ended early")?
}

/// Whether the layer above is enough smaller: a group of one makes no summary, its member goes up itself.
fn shrinks(groups: &[Vec<usize>], rows: usize) -> bool {
    let summaries = groups.iter().filter(|group| group.len() > 1).count();
    let alone: BTreeSet<usize> = groups.iter().filter(|group| group.len() == 1).flatten().copied().collect();
    (summaries + alone.len()) as f64 <= rows as f64 * (1.0 - LEAST_SHRINKING)
}

/// The next layer: a summary for every group, and whoever is alone.
async fn sum_up(
    services: &Services,
    document: Option<&Id>,
    layer: Vec<Member>,
    groups: Vec<Vec<usize>>,
    grown: &mut Grown,
) -> Result<Vec<Member>> {
    let (by_model, extractive) = summary::settings(services);
    let mut wanted: BTreeMap<Id, Vec<&Member>> = BTreeMap::new();
    let mut next: BTreeMap<Id, Member> = BTreeMap::new();
    for group in &groups {
        let members: Vec<&Member> = group.iter().filter_map(|&place| layer.get(place)).collect();
        match members.as_slice() {
            [] => {}
            [alone] => {
                next.insert(alone.id.clone(), (*alone).clone());
            }
            _ => {
                wanted.insert(summary_id(services, &by_model, &members), members);
            }
        }
    }
    let ids: Vec<Id> = wanted.keys().cloned().collect();
    let known: BTreeMap<Id, TreeNode> = services
        .graph
        .tree_nodes_by_id(&ids)
        .await?
        .into_iter()
        .map(|node| (node.id.clone(), node))
        .collect();
    let llm = &services.config.llm;
    let concurrency = llm.summarise.concurrency.unwrap_or(llm.concurrency).max(1);
    let known = &known;
    let work = wanted.into_iter().map(|(id, members)| async move {
        let written = if let Some(node) = known.get(&id) {
            WrittenSummary { text: node.text.clone(), by_model: true, problem: None }
        } else {
            let texts: Vec<&str> = members.iter().map(|member| member.text.as_str()).collect();
            summary::summarise(services, &texts).await?
        };
        anyhow::Ok((id, members, written))
    });
    let done: Vec<(Id, Vec<&Member>, WrittenSummary)> = side_by_side(work, concurrency).await?;
    let mut new = Vec::new();
    for (id, members, written) in done {
        grown.written += u64::from(!known.contains_key(&id));
        grown.problems.extend(written.problem);
        // what the model could not write is another summary: it is asked again when the tree grows anew
        let fell_back = services.chat.is_some() && !written.by_model;
        let id = if fell_back { summary_id(services, &extractive, &members) } else { id };
        let node = node_of(services, document, id, &members, written.text);
        let member = Member {
            id: node.id.clone(),
            text: node.text.clone(),
            token_count: node.token_count,
            level: node.level,
            first: members.iter().map(|member| member.first).min().unwrap_or_default(),
        };
        grown.summaries.push(node);
        new.push(member);
    }
    embed_members(services, &new, grown).await?;
    next.extend(new.into_iter().map(|member| (member.id.clone(), member)));
    let mut next: Vec<Member> = next.into_values().collect();
    next.sort_by(|a, b| (a.first, &a.id).cmp(&(b.first, &b.id)));
    Ok(next)
}

fn summary_id(services: &Services, settings: &str, members: &[&Member]) -> Id {
    let settings = fingerprint(&[settings]);
    let mut parts: Vec<&str> = vec![&settings];
    parts.extend(members.iter().map(|member| member.id.as_str()));
    services.ids.other("summary", &parts)
}

fn node_of(
    services: &Services,
    document: Option<&Id>,
    id: Id,
    members: &[&Member],
    text: String,
) -> TreeNode {
    TreeNode {
        id,
        document: document.cloned(),
        level: members.iter().map(|member| member.level).max().unwrap_or_default() + 1,
        token_count: u32::try_from(services.tokens.count(&text)).unwrap_or(u32::MAX),
        text,
        children: members.iter().map(|member| member.id.clone()).collect(),
        passage: None,
        stamp: None,
    }
}

/// A function of the texts alone, and so never what the vector store gives back: it may round.
async fn embed_members(services: &Services, members: &[Member], grown: &mut Grown) -> Result<()> {
    let model = services.embedding.as_ref().with_context(no_embeddings)?;
    let new: Vec<&Member> = members.iter().filter(|member| !grown.vectors.contains_key(&member.id)).collect();
    let texts = new.iter().map(|member| member.text.clone()).collect();
    let vectors = embed(model.as_ref(), &services.config.embeddings, texts).await?;
    grown.vectors.extend(new.into_iter().map(|member| member.id.clone()).zip(vectors));
    Ok(())
}

/// What decides the shape of a tree besides its texts.
pub(super) fn shape(config: &RaptorConfig) -> String {
    format!(
        "{} {} {} {} {} {} {} {} {} {}",
        config.leaf_tokens,
        config.cluster_tokens,
        config.max_layers,
        config.components,
        config.neighbours,
        config.max_neighbours,
        config.max_clusters,
        config.threshold,
        config.covariance.name(),
        config.seed
    )
}
