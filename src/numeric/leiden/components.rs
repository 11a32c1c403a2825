//! Splits communities into their connected components

use super::network::{Link, Network, index};

/// Relabels so that each connected part of a community has its own label, numbered by first occurrence; returns the
/// weight of the links between different labels
pub(super) fn separate<L: Link>(network: &Network<L>, labels: &mut [u32]) -> f64 {
    let (component, cross_weight) = components(network, |a, b| labels[a] == labels[b]);
    labels.copy_from_slice(&component);
    cross_weight
}

/// The parts connected by links whose ends belong `together`, numbered by first occurrence, and the weight of all other
/// links
pub(super) fn components<L: Link>(
    network: &Network<L>,
    together: impl Fn(usize, usize) -> bool,
) -> (Vec<u32>, f64) {
    let node_count = network.node_count();
    let mut component = vec![u32::MAX; node_count];
    // the nodes of each component after one another, as they were met; one more place for what is written past the end
    let mut met = vec![0; node_count + 1];
    let (mut visited, mut end) = (0, 0);
    let mut count = 0;
    let mut cross_weight = 0.0;
    for first in 0..node_count {
        if component[first] != u32::MAX {
            continue;
        }
        component[first] = count;
        met[end] = index(first);
        end += 1;
        while visited < end {
            let node = met[visited] as usize;
            network.look_ahead(&met[..end], visited, &component);
            visited += 1;
            // each neighbour is written, and kept by counting it: whether it belongs here cannot be foretold
            for link in network.row(node) {
                let to = link.to();
                let same = together(node, to);
                cross_weight += if same { 0.0 } else { link.weight() };
                let fresh = same && component[to] == u32::MAX;
                component[to] = if fresh { count } else { component[to] };
                met[end] = index(to);
                end += usize::from(fresh);
            }
        }
        count += 1;
    }
    (component, cross_weight)
}
