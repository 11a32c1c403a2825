//! Places in the plane.

use super::{Map, SIDE, Vectors, rounded};
use crate::numeric::Matrix;
use crate::numeric::node2vec::{Node2VecSettings, WalkGraph, node2vec};
use crate::numeric::umap::{UmapSettings, umap};
use anyhow::Result;

/// Least distance of what is most alike: more than UMAP's default, so that circles do not hide each other.
const APART: f64 = 0.4;
/// Share of the map's height, at most, where those stand that nothing says a place of.
const SHELF: f64 = 0.2;
/// Least distance on the shelf and most.
const NARROW: f64 = 4.0;
const WIDE: f64 = 24.0;

/// Gives every node a place: by vectors (place of the node, vector), or by the relationships. Nodes without any stand
/// in rows at the foot.
pub(super) fn lay_out(map: &mut Map, vectors: Option<Vectors>, seed: u64) -> Result<()> {
    let (members, points) = match vectors {
        Some(vectors) => {
            let (members, rows): (Vec<usize>, Vec<Vec<f32>>) = vectors.into_iter().unzip();
            (members, Matrix::from_rows(&rows)?)
        }
        None => structure(map, seed)?,
    };
    let laid = umap(&points, &UmapSettings { seed, min_distance: APART, ..UmapSettings::default() })?;
    let alone: Vec<usize> = {
        let mut placed = vec![false; map.nodes.len()];
        for &member in &members {
            placed[member] = true;
        }
        (0..placed.len()).filter(|&node| !placed[node]).collect()
    };
    let foot = if alone.is_empty() { 0.0 } else { shelf(map, &alone, members.is_empty()) };
    let places: Vec<(f64, f64)> = (0..laid.rows())
        .map(|row| {
            let place = laid.row(row);
            let at = |column| f64::from(place.get(column).copied().unwrap_or(0.0));
            (at(0), at(1))
        })
        .collect();
    let (left, right) = extent(places.iter().map(|place| place.0));
    let (low, high) = extent(places.iter().map(|place| place.1));
    let room = SIDE - foot;
    // each axis is stretched on its own, up to a half more than the other: what counts is who is near
    let (wide, tall) = (SIDE / (right - left).max(1e-9), room / (high - low).max(1e-9));
    let (across, up) = (wide.min(tall * 1.5), tall.min(wide * 1.5));
    for (&member, &(x, y)) in members.iter().zip(&places) {
        map.nodes[member].x = rounded(SIDE / 2.0 + (x - left.midpoint(right)) * across);
        map.nodes[member].y = rounded(foot + room / 2.0 + (y - low.midpoint(high)) * up);
    }
    Ok(())
}

/// Nodes that have relationships on the map, and their vectors.
fn structure(map: &Map, seed: u64) -> Result<(Vec<usize>, Matrix)> {
    let edges: Vec<(u32, u32, f64)> = map
        .edges
        .iter()
        .filter_map(|edge| {
            let (source, target) = (u32::try_from(edge.source).ok()?, u32::try_from(edge.target).ok()?);
            Some((source, target, f64::from(edge.weight.max(1))))
        })
        .collect();
    let graph = WalkGraph::new(map.nodes.len(), &edges)?;
    let members: Vec<usize> =
        (0..map.nodes.len()).filter(|&node| !graph.neighbours(node).is_empty()).collect();
    let vectors = node2vec(&graph, &for_a_plane(seed))?;
    let points = vectors.select(&members);
    Ok((members, points))
}

/// Half of Node2Vec's usual columns and walks, which is enough for two dimensions: of 20,000 entities 62 % of the
/// relationships lead to one of the 30 nearest on the map, and 64 % with all of them at more than twice the work.
fn for_a_plane(seed: u64) -> Node2VecSettings {
    Node2VecSettings { seed, dimensions: 32, walks: 6, walk_length: 30, ..Node2VecSettings::default() }
}

/// Puts nodes in rows at the foot, or over all the map; returns the height that they take with a gap above.
fn shelf(map: &mut Map, alone: &[usize], all: bool) -> f64 {
    let height = if all { SIDE } else { SIDE * SHELF };
    let step = (SIDE * height / alone.len() as f64).sqrt().clamp(NARROW, WIDE);
    let mut place = (0.0, 0.0);
    for &node in alone {
        if place.0 > SIDE {
            place = (0.0, place.1 + step);
        }
        map.nodes[node].x = rounded(place.0);
        map.nodes[node].y = rounded(place.1);
        place.0 += step;
    }
    place.1 + step * 2.0
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low <= high { (low, high) } else { (0.0, 0.0) }
}
