//! Personalised page rank over a pulled neighbourhood of text units and entities (Haveliwala 2002).

use crate::domain::Id;
use rustc_hash::FxHashMap;

/// Rounds of the power iteration.
const ROUNDS: usize = 20;

/// A small weighted undirected graph that is being pulled together.
#[derive(Clone, Debug, Default)]
pub struct SeededGraph {
    place: FxHashMap<Id, usize>,
    ids: Vec<Id>,
    edges: Vec<(usize, usize, f64)>,
    seeds: Vec<(usize, f64)>,
}

impl SeededGraph {
    /// Whether a node is there.
    pub fn contains(&self, id: &Id) -> bool {
        self.place.contains_key(id)
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Adds an edge and its ends; equal edges add up.
    pub fn connect(&mut self, one: &Id, other: &Id, weight: f64) {
        let (a, b) = (self.node(one), self.node(other));
        self.edges.push((a, b, weight));
    }

    /// Lets the walk start at a node, with this weight among the seeds.
    pub fn seed(&mut self, id: &Id, weight: f64) {
        let place = self.node(id);
        self.seeds.push((place, weight));
    }

    fn node(&mut self, id: &Id) -> usize {
        if let Some(&place) = self.place.get(id) {
            return place;
        }
        let place = self.ids.len();
        self.place.insert(id.clone(), place);
        self.ids.push(id.clone());
        place
    }

    /// The share of time that a walker who goes on with probability `damping`, and else starts again at a seed,
    /// spends at each node. Sums to 1 where there are seeds; nodes without edges send the walker back.
    pub fn rank(&self, damping: f64) -> FxHashMap<Id, f64> {
        let n = self.ids.len();
        let total: f64 = self.seeds.iter().map(|(_, weight)| weight).sum();
        if total <= 0.0 {
            return FxHashMap::default();
        }
        let mut start = vec![0.0; n];
        for &(place, weight) in &self.seeds {
            if let Some(slot) = start.get_mut(place) {
                *slot += weight / total;
            }
        }
        let mut out = vec![0.0; n];
        for &(a, b, weight) in &self.edges {
            for end in [a, b] {
                if let Some(slot) = out.get_mut(end) {
                    *slot += weight;
                }
            }
        }
        let mut rank = start.clone();
        for _ in 0..ROUNDS {
            let mut next = vec![0.0; n];
            let mut moved = 0.0;
            for &(a, b, weight) in &self.edges {
                for (from, to) in [(a, b), (b, a)] {
                    let (Some(here), Some(leaving)) = (rank.get(from), out.get(from)) else { continue };
                    if *leaving > 0.0
                        && let Some(slot) = next.get_mut(to)
                    {
                        let flow = damping * here * weight / leaving;
                        *slot += flow;
                        moved += flow;
                    }
                }
            }
            for (slot, s) in next.iter_mut().zip(&start) {
                *slot += (1.0 - moved) * s;
            }
            rank = next;
        }
        self.ids.iter().cloned().zip(rank).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    #[test]
    fn ranks_sum_to_one_and_fall_with_distance() {
        let ids = Ids::new("w");
        let node = |name: &str| ids.entity(name);
        let mut graph = SeededGraph::default();
        graph.connect(&node("a"), &node("b"), 1.0);
        graph.connect(&node("b"), &node("c"), 1.0);
        graph.connect(&node("c"), &node("d"), 1.0);
        graph.seed(&node("a"), 2.0);
        graph.seed(&node("lonely"), 1.0);
        let rank = graph.rank(0.5);
        assert!((rank.values().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(rank[&node("a")] > rank[&node("b")]);
        assert!(rank[&node("b")] > rank[&node("c")]);
        assert!(rank[&node("c")] > rank[&node("d")]);
        assert!(SeededGraph::default().rank(0.5).is_empty());
    }
}
