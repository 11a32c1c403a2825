//! Against umap-learn: what it makes of the same data stands in `tests/fixtures/numeric/umap.json`.

use super::*;
use crate::numeric::neighbours::Neighbours;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Fixture {
    points: Vec<Vec<f32>>,
    labels: Vec<u32>,
    neighbours: usize,
    /// `min_distance`, spread, a, b.
    curves: Vec<[f64; 4]>,
    metrics: BTreeMap<String, OfMetric>,
}

#[derive(Deserialize)]
struct OfMetric {
    firsts: Vec<f64>,
    scales: Vec<f64>,
    rows: BTreeMap<usize, Vec<(usize, f32)>>,
    weight_sum: f64,
    pairs: usize,
    layouts: BTreeMap<usize, Quality>,
}

#[derive(Debug, Deserialize)]
struct Quality {
    trustworthiness: f64,
    purity: f64,
}

fn fixture() -> Fixture {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/numeric/umap.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn metric_named(name: &str) -> Metric {
    if name == "cosine" { Metric::Cosine } else { Metric::Euclidean }
}

/// Share of neighbours in the layout that have the row's own label.
fn purity(near: &Neighbours, labels: &[u32]) -> f64 {
    let same: usize = (0..labels.len())
        .map(|row| near.of(row).filter(|(other, _)| labels[*other] == labels[row]).count())
        .sum();
    same as f64 / near.places.len() as f64
}

/// How few rows are near in the layout that were far before (Venna and Kaski 2001); 1 is best.
fn trustworthiness(points: &Matrix, near: &Neighbours, metric: Metric) -> f64 {
    let (rows, count) = (points.rows(), near.count);
    let before = nearest(points, rows - 1, metric);
    let mut penalty = 0;
    for row in 0..rows {
        let mut rank = vec![0; rows];
        for (place, (other, _)) in before.of(row).enumerate() {
            rank[other] = place + 1;
        }
        penalty += near.of(row).map(|(other, _)| rank[other].saturating_sub(count)).sum::<usize>();
    }
    let (rows, count) = (rows as f64, count as f64);
    1.0 - penalty as f64 * 2.0 / (rows * count * (2.0 * rows - 3.0 * count - 1.0))
}

#[test]
fn the_curve_is_that_of_umap_learn() {
    for [min_distance, spread, a, b] in fixture().curves {
        let curve = curve::fit(min_distance, spread);
        assert!((curve.a / a - 1.0).abs() < 1e-4 && (curve.b / b - 1.0).abs() < 1e-4, "{curve:?} {a} {b}");
    }
}

#[test]
fn scales_and_graph_are_those_of_umap_learn() {
    let fixture = fixture();
    let points = Matrix::from_rows(&fixture.points).unwrap();
    for (name, expected) in &fixture.metrics {
        let near = nearest(&points, fixture.neighbours - 1, metric_named(name));
        let smooth = graph::smooth_distances(&near);
        assert_eq!(smooth.len(), expected.firsts.len());
        for ((first, scale), (e_first, e_scale)) in
            smooth.iter().zip(expected.firsts.iter().zip(&expected.scales))
        {
            assert!((first - e_first).abs() < 1e-4, "{name} {first} {e_first}");
            assert!((scale / e_scale - 1.0).abs() < 1e-3, "{name} {scale} {e_scale}");
        }
        let found = graph::fuzzy_graph(&near);
        let sum: f64 = found.weights.iter().map(|&weight| f64::from(weight)).sum();
        assert!((sum / expected.weight_sum - 1.0).abs() < 1e-3, "{name} {sum}");
        assert!(found.places.len().abs_diff(expected.pairs) <= 2, "{name} {}", found.places.len());
        for (row, pairs) in &expected.rows {
            let ours: Vec<(usize, f32)> = found.of(*row).collect();
            assert_eq!(ours.len(), pairs.len(), "{name} row {row}");
            for ((place, weight), (e_place, e_weight)) in ours.iter().zip(pairs) {
                assert_eq!(place, e_place);
                assert!((weight - e_weight).abs() < 2e-3, "{name} row {row}: {weight} {e_weight}");
            }
        }
    }
}

#[test]
fn layouts_are_as_good_as_those_of_umap_learn() {
    let fixture = fixture();
    let points = Matrix::from_rows(&fixture.points).unwrap();
    for (name, expected) in &fixture.metrics {
        for (components, theirs) in &expected.layouts {
            let settings = UmapSettings {
                components: *components,
                neighbours: fixture.neighbours,
                metric: metric_named(name),
                epochs: Some(200),
                ..UmapSettings::default()
            };
            let layout = umap(&points, &settings).unwrap();
            let near = nearest(&layout, 10, Metric::Euclidean);
            let ours = Quality {
                trustworthiness: trustworthiness(&points, &near, metric_named(name)),
                purity: purity(&near, &fixture.labels),
            };
            assert!(
                ours.trustworthiness > theirs.trustworthiness - 0.01 && ours.purity > theirs.purity - 0.02,
                "{name}, {components}: {ours:?} against {theirs:?}"
            );
        }
    }
}

#[test]
fn one_seed_gives_one_layout_on_any_number_of_threads() {
    let fixture = fixture();
    let points = Matrix::from_rows(&fixture.points[..100]).unwrap();
    let lay = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let settings = UmapSettings { epochs: Some(50), seed, ..UmapSettings::default() };
        pool.install(|| umap(&points, &settings).unwrap())
    };
    assert_eq!(lay(1, 1), lay(3, 1));
    assert_ne!(lay(1, 1), lay(1, 2));
}

#[test]
fn few_rows_and_equal_rows_are_laid_out() {
    let settings = |components| UmapSettings { components, epochs: Some(30), ..UmapSettings::default() };
    for rows in [0, 1, 2, 3, 5, 40] {
        let layout = umap(&Matrix::from_rows(&vec![[1.0, 2.0, 3.0]; rows]).unwrap(), &settings(10)).unwrap();
        assert_eq!((layout.rows(), layout.columns()), (rows, 10));
        assert!(layout.values().iter().all(|value| value.is_finite()));
    }
    let zero = umap(&Matrix::zeros(6, 2), &settings(3)).unwrap();
    assert!(zero.values().iter().all(|value| value.is_finite()));
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let points = Matrix::zeros(4, 2);
    let check = |settings: UmapSettings, told: &str| {
        assert!(umap(&points, &settings).unwrap_err().to_string().contains(told), "{settings:?}");
    };
    check(UmapSettings { components: 0, ..UmapSettings::default() }, "components is 0");
    check(UmapSettings { neighbours: 1, ..UmapSettings::default() }, "neighbours is 1");
    check(UmapSettings { min_distance: 2.0, ..UmapSettings::default() }, "min_distance is 2");
    check(UmapSettings { learning_rate: f64::NAN, ..UmapSettings::default() }, "learning_rate is NaN");
}
