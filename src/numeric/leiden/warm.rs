//! Clustering from an earlier result, of a graph that has changed a little

use super::Graph;
use super::aggregation::{Contraction, aggregate};
use super::clustering::{ClusteringBuffers, Labelling};
use super::components::{components, separate};
use super::groups::renumber;
use super::network::{Link, Narrow, Network, Wide, index};
use super::task::Task;
use rustc_hash::FxHashMap;

/// Nodes by which the cohesion of communities is judged
const SAMPLE: usize = 4096;

/// What is known of an earlier clustering of the same nodes
#[derive(Clone, Copy, Debug, Default)]
pub struct Earlier<'a> {
    /// From the coarsest level on, the label of each node there; `u32::MAX`, or nothing, for a new node. Each level
    /// covers all nodes and lies within the one before.
    pub levels: &'a [Vec<u32>],
    /// The nodes whose edges or weights have changed since; `None`: any may have. Nodes beyond its end have. Where it is
    /// told, the levels are those of a hierarchy by the same settings, before the changes.
    pub changed: Option<&'a [bool]>,
}

impl Earlier<'_> {
    /// The same for the nodes in the order of the graph's network
    pub(super) fn placed(&self, graph: &Graph) -> PlacedLevels {
        let levels = self.levels.iter().map(|level| {
            let mut labels = vec![u32::MAX; graph.node_count()];
            for (&place, &label) in graph.place_of.iter().zip(level) {
                labels[place as usize] = label;
            }
            labels
        });
        let disturbed = self.changed.map(|changed| {
            let mut disturbed = vec![true; graph.node_count()];
            for (&place, &changed) in graph.place_of.iter().zip(changed) {
                disturbed[place as usize] = changed;
            }
            disturbed
        });
        PlacedLevels { levels: levels.collect(), disturbed, settled: false }
    }
}

/// [`Earlier`] in the order of a network
#[derive(Default)]
pub(super) struct PlacedLevels {
    pub(super) levels: Vec<Vec<u32>>,
    pub(super) disturbed: Option<Vec<bool>>,
    /// What the levels do not divide, these settings do not
    pub(super) settled: bool,
}

/// Where a clustering sets out from
#[derive(Clone, Copy)]
pub(super) struct StartLabels<'a> {
    /// The community of each node; `u32::MAX` for a new one
    pub(super) labels: &'a [u32],
    /// The finest communities of the earlier result, where they are known
    pub(super) finest: Option<&'a [u32]>,
    /// The nodes whose edges or weights have changed; `None`: any may have
    pub(super) disturbed: Option<&'a [bool]>,
}

impl PlacedLevels {
    /// From the coarsest level; `None` where there is no level
    pub(super) fn start(&self) -> Option<StartLabels<'_>> {
        let finest = self.levels.last().map(Vec::as_slice);
        Some(StartLabels { labels: self.levels.first()?, finest, disturbed: self.disturbed.as_deref() })
    }

    /// Whether a community of the top level stood before, and nothing in it has changed
    pub(super) fn keeps(&self, nodes: &[u32]) -> bool {
        let (Some(disturbed), Some(first)) = (&self.disturbed, self.levels.first()) else { return false };
        let label = nodes.first().map_or(u32::MAX, |&node| first[node as usize]);
        let kept = |&node: &u32| !disturbed[node as usize] && first[node as usize] == label;
        self.settled && label != u32::MAX && nodes.iter().all(kept)
    }
}

/// Clusters from earlier labels
///
/// The disturbed nodes (all, if not told) move, and what their moves disturb in turn. Then the parts that the earlier
/// result was made of move as wholes where this has touched them: first the connected parts of its finest communities,
/// if given, then those of the communities. So a community can fall apart and its parts find others, and what nothing has
/// touched stays as it was.
pub(super) fn recluster(
    network: &Network<Narrow>,
    task: Task,
    start: StartLabels<'_>,
    workspace: &mut ClusteringBuffers,
) -> Labelling {
    let StartLabels { labels: earlier, finest, disturbed } = start;
    let mut labels = earlier.to_vec();
    number(&mut labels);
    let before = labels.clone();
    let visited = |node: &u32| disturbed.is_none_or(|disturbed| disturbed[*node as usize]);
    workspace.moving.queue.start(labels.len(), (0..index(labels.len())).filter(visited));
    workspace.moving.run(network, task.factor, &mut labels);
    let stirred: Vec<bool> =
        labels.iter().zip(&before).zip(0..).map(|((is, was), node)| is != was || visited(&node)).collect();
    let (mut fine, mut coarse) =
        (std::mem::take(&mut workspace.next), std::mem::take(&mut workspace.current));
    let mut of_node;
    let mut parts;
    if let Some(finest) = finest.filter(|finest| hold_together(network, finest)) {
        let together = |a: usize, b: usize| labels[a] == labels[b] && finest[a] == finest[b];
        of_node = workspace.merge(network, components(network, together).0, &mut fine);
        parts = TouchedParts::inherit(&of_node, &labels, &stirred);
        parts.travel(&fine, task, workspace);
        let mut of_part = parts.labels.clone();
        separate(&fine, &mut of_part);
        let of_part = workspace.merge(&fine, of_part, &mut coarse);
        parts = TouchedParts::inherit(&of_part, &parts.labels, &parts.stirred);
        for part in &mut of_node {
            *part = of_part[*part as usize];
        }
    } else {
        of_node = labels.clone();
        separate(network, &mut of_node);
        of_node = workspace.merge(network, of_node, &mut coarse);
        parts = TouchedParts::inherit(&of_node, &labels, &stirred);
    }
    parts.travel(&coarse, task, workspace);
    let cross_weight = separate(&coarse, &mut parts.labels);
    labels.iter_mut().zip(&of_node).for_each(|(label, &part)| *label = parts.labels[part as usize]);
    (workspace.next, workspace.current) = (fine, coarse);
    renumber(&mut labels, &mut Vec::new());
    Labelling { labels, cross_weight }
}

/// Whether these communities hold at least half of the weight inside them, by a sample of the nodes: if not, they are no
/// parts that move as wholes
fn hold_together(network: &Network<Narrow>, communities: &[u32]) -> bool {
    let (mut inside, mut whole) = (0.0, 0.0);
    for node in (0..communities.len()).step_by(1 + communities.len() / SAMPLE) {
        for link in network.row(node) {
            whole += link.weight();
            inside += if communities[node] == communities[link.to()] { link.weight() } else { 0.0 };
        }
    }
    2.0 * inside >= whole
}

impl ClusteringBuffers {
    /// Aggregates by `parts`, which are renumbered and returned
    fn merge<L: Link>(
        &mut self,
        network: &Network<L>,
        mut parts: Vec<u32>,
        coarse: &mut Network<Wide>,
    ) -> Vec<u32> {
        self.groups.sort(&mut parts);
        let (order, runs) = (&self.groups.order, &self.groups.starts);
        let contraction = Contraction { order, runs, coarse_of: &parts };
        aggregate(network, &contraction, &mut self.aggregating, coarse);
        parts
    }
}

/// The nodes of an aggregated network: the community of each, and whether anything in it was touched
struct TouchedParts {
    labels: Vec<u32>,
    stirred: Vec<bool>,
}

impl TouchedParts {
    fn inherit(part_of: &[u32], labels: &[u32], stirred: &[bool]) -> Self {
        let count = part_of.iter().map(|&part| part as usize + 1).max().unwrap_or(0);
        let mut parts = Self { labels: vec![0; count], stirred: vec![false; count] };
        for ((&part, &label), &stirred) in part_of.iter().zip(labels).zip(stirred) {
            parts.labels[part as usize] = label;
            parts.stirred[part as usize] |= stirred;
        }
        number(&mut parts.labels);
        parts
    }

    /// Moves what was touched, and notes what has moved
    fn travel(&mut self, network: &Network<Wide>, task: Task, workspace: &mut ClusteringBuffers) {
        let before = self.labels.clone();
        let frontier = (0..index(before.len())).filter(|&part| self.stirred[part as usize]);
        workspace.moving.queue.start(before.len(), frontier);
        workspace.moving.run(network, task.factor, &mut self.labels);
        for ((stirred, was), is) in self.stirred.iter_mut().zip(&before).zip(&self.labels) {
            *stirred |= was != is;
        }
    }
}

/// Renumbers any labels from 0 by first occurrence, each `u32::MAX` on its own
pub(super) fn number(labels: &mut [u32]) {
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut dense = vec![u32::MAX; 4 * labels.len()];
    let mut count = 0;
    for label in labels {
        let number = match *label {
            u32::MAX => count,
            label => match dense.get_mut(label as usize) {
                Some(number) => {
                    if *number == u32::MAX {
                        *number = count;
                    }
                    *number
                }
                None => *numbers.entry(label).or_insert(count),
            },
        };
        count += u32::from(number == count);
        *label = number;
    }
}

/// Which nodes do not stand where most of their earlier community does, and their neighbours
pub(super) fn unsettled<L: Link>(network: &Network<L>, earlier: &[u32], now: &[u32]) -> Vec<bool> {
    let mut shared: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for (&was, &is) in earlier.iter().zip(now) {
        *shared.entry((was, is)).or_default() += 1;
    }
    let mut heirs: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
    for (&(was, is), &count) in &shared {
        let heir = heirs.entry(was).or_default();
        // of equals the one with the greater label: a choice that hangs on no order
        *heir = (*heir).max((count, is));
    }
    let mut unsettled = vec![false; now.len()];
    for (node, (was, &is)) in earlier.iter().zip(now).enumerate() {
        if *was == u32::MAX || heirs[was].1 != is {
            unsettled[node] = true;
            for link in network.row(node) {
                unsettled[link.to()] = true;
            }
        }
    }
    unsettled
}
