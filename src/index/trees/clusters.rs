//! Which nodes of a layer belong together (Sarthi et al. 2024, section 3): embeddings reduced by UMAP and clustered
//! softly by Gaussian mixtures whose number BIC chooses, first over all nodes, then inside each cluster.

use crate::config::RaptorConfig;
use crate::numeric::mixture::{Mixture, MixtureSettings};
use crate::numeric::neighbours::Metric;
use crate::numeric::random::Random;
use crate::numeric::umap::{UmapSettings, umap};
use crate::numeric::{Matrix, NumericError};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Rounds of a layout. More (umap-learn: 500 up to 10,000 rows) find the same clusters and take longer.
const EPOCHS: usize = 200;
/// Rows, drawn by the seed, that the number of clusters is chosen with; the mixture itself is fitted to all.
const ROWS_FOR_BIC: usize = 4000;
/// Numbers of clusters tried in a row without a lower BIC before the search ends.
const PATIENCE: usize = 8;
/// Times that a cluster with too many tokens is clustered again.
const MOST_SPLITS: u32 = 3;
/// Nodes that are put together where the order of the text decides.
pub(super) const IN_ORDER: usize = 10;

/// Groups of places in a layer, each sorted, sorted among themselves, none twice. Every place is in one or more; no
/// group of two or more has over `cluster_tokens`, but for pairs where the order of the text decides.
///
/// # Errors
/// Vectors that are not finite.
pub(super) fn clusters(
    vectors: &Matrix,
    tokens: &[u32],
    config: &RaptorConfig,
) -> Result<Vec<Vec<usize>>, NumericError> {
    let all: Vec<usize> = (0..vectors.rows()).collect();
    let found: BTreeSet<Vec<usize>> = split(vectors, tokens, &all, config, 0)?.into_iter().collect();
    Ok(found.into_iter().collect())
}

/// Neighbours in the order of the text, at most [`IN_ORDER`] and, from the third on, `cluster_tokens`.
pub(super) fn in_order(places: &[usize], tokens: &[u32], config: &RaptorConfig) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut used = 0;
    for &place in places {
        let count = tokens_of(tokens, place);
        match groups.last_mut() {
            Some(open)
                if open.len() < 2 || (open.len() < IN_ORDER && used + count <= config.cluster_tokens) =>
            {
                open.push(place);
                used += count;
            }
            _ => {
                groups.push(vec![place]);
                used = count;
            }
        }
    }
    groups
}

fn tokens_of(tokens: &[u32], place: usize) -> usize {
    tokens.get(place).map_or(0, |count| *count as usize)
}

fn split(
    vectors: &Matrix,
    tokens: &[u32],
    places: &[usize],
    config: &RaptorConfig,
    depth: u32,
) -> Result<Vec<Vec<usize>>, NumericError> {
    let fits = |group: &[usize]| {
        group.len() < 2
            || group.iter().map(|&place| tokens_of(tokens, place)).sum::<usize>() <= config.cluster_tokens
    };
    let found = two_steps(vectors, places, config)?;
    let again: Vec<Result<Vec<Vec<usize>>, NumericError>> = found
        .into_par_iter()
        .map(|group| {
            if fits(&group) {
                Ok(vec![group])
            } else if depth < MOST_SPLITS && group.len() > config.components + 1 && group.len() < places.len()
            {
                split(vectors, tokens, &group, config, depth + 1)
            } else {
                Ok(in_order(&group, tokens, config))
            }
        })
        .collect();
    Ok(again.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Global clusters, each clustered again.
fn two_steps(
    vectors: &Matrix,
    places: &[usize],
    config: &RaptorConfig,
) -> Result<Vec<Vec<usize>>, NumericError> {
    let neighbours = places.len().saturating_sub(1).isqrt().clamp(2, config.max_neighbours);
    let coarse = soft_clusters(vectors, places, neighbours, config)?;
    let fine: Vec<Result<Vec<Vec<usize>>, NumericError>> = coarse
        .into_par_iter()
        .map(|group| {
            if group.len() <= config.components + 1 {
                Ok(vec![group])
            } else {
                soft_clusters(vectors, &group, config.neighbours, config)
            }
        })
        .collect();
    Ok(fine.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Groups of places by their probabilities; a place with none above the threshold is in the likeliest.
fn soft_clusters(
    vectors: &Matrix,
    places: &[usize],
    neighbours: usize,
    config: &RaptorConfig,
) -> Result<Vec<Vec<usize>>, NumericError> {
    let (distinct, members) = distinct_rows(vectors, places);
    if distinct.len() < 4 {
        return Ok(vec![places.to_vec()]);
    }
    let reduced = umap(
        &vectors.select(&distinct),
        &UmapSettings {
            components: config.components.min(distinct.len() - 2),
            neighbours,
            metric: Metric::Cosine,
            epochs: Some(EPOCHS),
            seed: config.seed,
            ..UmapSettings::default()
        },
    )?;
    let mixture = fit_mixture(&reduced, config)?;
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); mixture.len()];
    for (shares, members) in mixture.responsibilities(&reduced).iter().zip(&members) {
        let most = shares.iter().copied().fold(0.0, f64::max);
        for (group, share) in groups.iter_mut().zip(shares) {
            if *share > config.threshold || (*share >= most && most <= config.threshold) {
                group.extend(members);
            }
        }
    }
    groups.retain(|group| !group.is_empty());
    for group in &mut groups {
        group.sort_unstable();
    }
    Ok(groups)
}

/// The mixture whose number of components BIC chooses.
fn fit_mixture(reduced: &Matrix, config: &RaptorConfig) -> Result<Mixture, NumericError> {
    let settings =
        MixtureSettings { covariance: config.covariance, seed: config.seed, ..MixtureSettings::default() };
    let most = config.max_clusters.min(reduced.rows()).saturating_sub(1).max(1);
    if reduced.rows() <= ROWS_FOR_BIC {
        return Mixture::fit_by_bic(reduced, most, PATIENCE, &settings);
    }
    let sample = reduced.select(&Random::new(config.seed).sample(reduced.rows(), ROWS_FOR_BIC));
    let count = Mixture::fit_by_bic(&sample, most, PATIENCE, &settings)?.len();
    Mixture::fit(reduced, count, &settings)
}

/// The first place of every distinct vector, and all places that have it: equal embeddings count once.
fn distinct_rows(vectors: &Matrix, places: &[usize]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut numbers: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
    let (mut distinct, mut members): (Vec<usize>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    for &place in places {
        let bits: Vec<u32> = vectors.row(place).iter().map(|value| value.to_bits()).collect();
        let number = *numbers.entry(bits).or_insert(distinct.len());
        if number == distinct.len() {
            distinct.push(place);
            members.push(Vec::new());
        }
        if let Some(same) = members.get_mut(number) {
            same.push(place);
        }
    }
    (distinct, members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blobs(count: usize, each: usize) -> Matrix {
        let mut random = Random::new(4);
        let mut rows: Vec<Vec<f32>> = Vec::new();
        for blob in 0..count {
            for _ in 0..each {
                let near = |axis: usize| if axis == blob { 3.0 } else { 0.0 } + random.unit() * 0.4;
                rows.push((0..8).map(near).map(|x| format!("{x:.4}").parse().unwrap()).collect());
            }
        }
        Matrix::from_rows(&rows).unwrap()
    }

    fn check_cover(groups: &[Vec<usize>], rows: usize) {
        let covered: BTreeSet<usize> = groups.iter().flatten().copied().collect();
        assert_eq!(covered.len(), rows, "every place is in a group");
        assert!(groups.iter().all(|group| group.is_sorted_by(|a, b| a < b)), "{groups:?}");
    }

    #[test]
    fn what_is_alike_comes_together() {
        let config = RaptorConfig { components: 3, ..RaptorConfig::default() };
        let groups = clusters(&blobs(3, 14), &[50; 42], &config).unwrap();
        check_cover(&groups, 42);
        for group in &groups {
            assert!(group.iter().all(|place| place / 14 == group[0] / 14), "{groups:?}");
        }
        assert_eq!(groups, clusters(&blobs(3, 14), &[50; 42], &config).unwrap(), "seeded");
    }

    #[test]
    fn a_cluster_with_too_many_tokens_is_split() {
        let config = RaptorConfig { components: 3, cluster_tokens: 400, ..RaptorConfig::default() };
        let groups = clusters(&blobs(2, 20), &[90; 40], &config).unwrap();
        check_cover(&groups, 40);
        assert!(groups.iter().all(|group| group.len() <= 4), "{groups:?}");
    }

    #[test]
    fn equal_vectors_are_grouped_in_the_order_of_the_text() {
        let equal = Matrix::from_rows(&[[0.6, 0.8]; 30]).unwrap();
        let groups = clusters(&equal, &[400; 30], &RaptorConfig::default()).unwrap();
        check_cover(&groups, 30);
        assert_eq!(groups[0], (0..8).collect::<Vec<_>>());
        assert_eq!(in_order(&[4, 5, 6], &[9000; 7], &RaptorConfig::default()), [vec![4, 5], vec![6]]);
    }
}
