//! Against scikit-learn: what it makes of the same data stands in `tests/fixtures/numeric/mixture.json`.

use super::*;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Fixture {
    points: Vec<Vec<f32>>,
    kinds: BTreeMap<String, BTreeMap<usize, Fitted>>,
}

#[derive(Deserialize)]
struct Fitted {
    log_likelihood: f64,
    bic: f64,
    weights: Vec<f64>,
    means: Vec<Vec<f64>>,
    /// Of the first rows.
    responsibilities: Vec<Vec<f64>>,
}

fn fixture() -> Fixture {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/numeric/mixture.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn settings(covariance: Covariance) -> MixtureSettings {
    MixtureSettings { covariance, tolerance: 1e-6, iterations: 500, starts: 4, ..MixtureSettings::default() }
}

const KINDS: [(&str, Covariance); 2] = [("full", Covariance::Full), ("diagonal", Covariance::Diagonal)];

#[test]
fn likelihood_and_bic_are_those_of_scikit_learn() {
    let fixture = fixture();
    let points = Matrix::from_rows(&fixture.points).unwrap();
    for (name, covariance) in KINDS {
        for (count, expected) in &fixture.kinds[name] {
            let mixture = Mixture::fit(&points, *count, &settings(covariance)).unwrap();
            let (likelihood, bic) = (mixture.log_likelihood(&points), mixture.bic(&points));
            // another start may find another hill, never a much lower one
            let lowest = expected.log_likelihood - 0.03 * expected.log_likelihood.abs();
            assert!(likelihood > lowest, "{name} {count}: {likelihood}");
            let by_hand = bic - expected.bic + 2.0 * (likelihood - expected.log_likelihood);
            assert!(by_hand.abs() < 1e-3, "{name} {count}: the number of parameters differs by {by_hand}");
            if *count <= 4 && covariance == Covariance::Full {
                assert!((likelihood - expected.log_likelihood).abs() < 0.05, "{name} {count}: {likelihood}");
            }
        }
    }
}

#[test]
fn weights_means_and_responsibilities_are_those_of_scikit_learn() {
    let fixture = fixture();
    let points = Matrix::from_rows(&fixture.points).unwrap();
    let expected = &fixture.kinds["full"][&4];
    let mixture = Mixture::fit(&points, 4, &settings(Covariance::Full)).unwrap();
    let means = mixture.means();
    let mut order: Vec<usize> = (0..4).collect();
    order.sort_by(|&a, &b| means[a].partial_cmp(means[b]).unwrap());
    let near = |one: f64, other: f64, within: f64| assert!((one - other).abs() < within, "{one} {other}");
    for (&place, (weight, mean)) in order.iter().zip(expected.weights.iter().zip(&expected.means)) {
        near(mixture.weights()[place], *weight, 1e-3);
        means[place].iter().zip(mean).for_each(|(ours, theirs)| near(*ours, *theirs, 5e-3));
    }
    let shares = mixture.responsibilities(&points);
    for (ours, theirs) in shares.iter().zip(&expected.responsibilities) {
        near(ours.iter().sum(), 1.0, 1e-12);
        order.iter().zip(theirs).for_each(|(&place, theirs)| near(ours[place], *theirs, 0.01));
    }
}

#[test]
fn the_lowest_bic_finds_the_number_of_clusters() {
    let fixture = fixture();
    let points = Matrix::from_rows(&fixture.points).unwrap();
    let lowest = fixture.kinds["full"].iter().min_by(|a, b| a.1.bic.total_cmp(&b.1.bic)).unwrap();
    let found = Mixture::fit_by_bic(&points, 7, 7, &settings(Covariance::Full)).unwrap();
    assert_eq!((found.len(), *lowest.0), (4, 4));
    assert!((found.bic(&points) - lowest.1.bic).abs() < 0.1);
}

#[test]
fn equal_rows_and_few_rows_are_fitted() {
    for covariance in [Covariance::Full, Covariance::Diagonal] {
        for rows in [0, 1, 2, 5, 30] {
            let points = Matrix::from_rows(&vec![[1.0, -2.0, 3.0]; rows]).unwrap();
            let mixture = Mixture::fit_by_bic(&points, 10, 3, &settings(covariance)).unwrap();
            assert!(mixture.len() <= 1, "{}", mixture.len());
            let shares = mixture.responsibilities(&points);
            assert!(
                shares.iter().all(|shares| (shares.iter().sum::<f64>() - 1.0).abs() < 1e-12),
                "{shares:?}"
            );
        }
    }
    assert!(Mixture::fit(&Matrix::zeros(3, 2), 0, &settings(Covariance::Full)).is_err());
}

#[test]
fn threads_change_nothing() {
    let fixture = fixture();
    let points = Matrix::from_rows(&fixture.points).unwrap();
    let fit = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            Mixture::fit(&points, 3, &MixtureSettings::default()).unwrap().responsibilities(&points)
        })
    };
    assert_eq!(fit(1), fit(3));
}
