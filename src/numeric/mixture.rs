//! Mixtures of Gaussians, fitted by expectation and maximisation from a k-means++ start (Dempster, Laird and Rubin
//! 1977; Arthur and Vassilvitskii 2007), compared by the Bayesian information criterion.

mod component;
mod start;

use super::functions::{exponential, logarithm};
use super::matrix::{Matrix, NumericError};
use component::Component;
use rayon::prelude::*;

/// Rows whose sums are added up together; fixed, so that sums do not depend on threads.
const CHUNK: usize = 256;
/// Responsibility below which a row counts as nothing in a component's sums.
const NOTHING: f64 = 1e-12;

/// Which shapes a component may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Covariance {
    /// Any ellipsoid.
    #[default]
    Full,
    /// Ellipsoids along the axes.
    Diagonal,
}

/// How a mixture is fitted; the defaults are those of scikit-learn.
#[derive(Clone, Debug, PartialEq)]
pub struct MixtureSettings {
    /// Shapes.
    pub covariance: Covariance,
    /// Added to every variance, so that equal rows do no harm.
    pub regularisation: f64,
    /// Gain of the mean log-likelihood of a row below which the fit ends.
    pub tolerance: f64,
    /// Most rounds.
    pub iterations: usize,
    /// Starts, of which the likeliest is kept.
    pub starts: usize,
    /// Seed of every random choice.
    pub seed: u64,
}

impl Default for MixtureSettings {
    fn default() -> Self {
        Self {
            covariance: Covariance::Full,
            regularisation: 1e-6,
            tolerance: 1e-3,
            iterations: 100,
            starts: 1,
            seed: 0,
        }
    }
}

/// A fitted mixture.
#[derive(Clone, Debug)]
pub struct Mixture {
    components: Vec<Component>,
    covariance: Covariance,
}

impl Mixture {
    /// Fits `components` Gaussians, or as many as there are rows where those are fewer.
    ///
    /// # Errors
    /// [`NumericError::NotFinite`]; [`NumericError::Setting`] for no component, no start, or a regularisation that
    /// is not positive.
    pub fn fit(points: &Matrix, components: usize, settings: &MixtureSettings) -> Result<Self, NumericError> {
        check(points, components, settings)?;
        let mut best: Option<(f64, Self)> = None;
        for attempt in 0..settings.starts {
            let seed = settings.seed.wrapping_add(attempt as u64);
            let labels = start::clusters(points, components.min(points.rows()), seed);
            let (likelihood, mixture) = climb(points, &labels, settings);
            if best.as_ref().is_none_or(|(known, _)| likelihood > *known) {
                best = Some((likelihood, mixture));
            }
        }
        let none = Self { components: Vec::new(), covariance: settings.covariance };
        Ok(best.map_or(none, |(_, mixture)| mixture))
    }

    /// Fits 1 to `most` components and keeps the mixture of the lowest [`Self::bic`]; the search ends where `patience`
    /// mixtures in a row were no better.
    ///
    /// # Errors
    /// As [`Self::fit`].
    pub fn fit_by_bic(
        points: &Matrix,
        most: usize,
        patience: usize,
        settings: &MixtureSettings,
    ) -> Result<Self, NumericError> {
        let mut best = Self::fit(points, 1, settings)?;
        let mut best_bic = best.bic(points);
        let mut worse = 0;
        for components in 2..=most.min(points.rows()) {
            let mixture = Self::fit(points, components, settings)?;
            let bic = mixture.bic(points);
            worse += 1;
            if bic < best_bic {
                (best, best_bic, worse) = (mixture, bic, 0);
            }
            if worse >= patience {
                break;
            }
        }
        Ok(best)
    }

    /// Number of components.
    pub fn len(&self) -> usize {
        self.components.len()
    }

    /// Whether there is none: it was fitted to no row.
    pub fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// Share of each component; they make 1.
    pub fn weights(&self) -> Vec<f64> {
        self.components.iter().map(|component| component.weight).collect()
    }

    /// Centre of each component.
    pub fn means(&self) -> Vec<&[f64]> {
        self.components.iter().map(|component| component.mean.as_slice()).collect()
    }

    /// For each row, from 0 to 1, how much each component accounts for it; they make 1.
    pub fn responsibilities(&self, points: &Matrix) -> Vec<Vec<f64>> {
        let of_row = |row| {
            let mut densities = self.log_densities(points.row(row));
            responsibilities(&mut densities);
            densities
        };
        (0..points.rows()).into_par_iter().map(of_row).collect()
    }

    /// Log-likelihood of all rows together.
    pub fn log_likelihood(&self, points: &Matrix) -> f64 {
        let rows: Vec<f64> = (0..points.rows())
            .into_par_iter()
            .map(|row| responsibilities(&mut self.log_densities(points.row(row))))
            .collect();
        rows.iter().sum()
    }

    /// Bayesian information criterion: fit against number of parameters; lower is better.
    pub fn bic(&self, points: &Matrix) -> f64 {
        let (count, columns) = (self.components.len() as f64, points.columns() as f64);
        let shape = match self.covariance {
            Covariance::Full => columns * (columns + 1.0) / 2.0,
            Covariance::Diagonal => columns,
        };
        let parameters = count * (shape + columns) + count - 1.0;
        parameters * logarithm(points.rows().max(1) as f64) - 2.0 * self.log_likelihood(points)
    }

    fn log_densities(&self, row: &[f32]) -> Vec<f64> {
        self.components.iter().map(|component| component.log_density(row)).collect()
    }
}

/// Turns weighted log-densities into shares; returns the logarithm of their sum.
fn responsibilities(densities: &mut [f64]) -> f64 {
    let most = densities.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for density in densities.iter_mut() {
        *density = exponential(*density - most);
        sum += *density;
    }
    for density in densities.iter_mut() {
        *density /= sum;
    }
    most + logarithm(sum)
}

fn check(points: &Matrix, components: usize, settings: &MixtureSettings) -> Result<(), NumericError> {
    let wrong = |name, value: String, wanted| Err(NumericError::Setting { name, value, wanted });
    if components == 0 {
        return wrong("components", "0".to_owned(), "at least 1");
    }
    if settings.starts == 0 {
        return wrong("starts", "0".to_owned(), "at least 1");
    }
    if !(settings.regularisation > 0.0 && settings.regularisation.is_finite()) {
        return wrong("regularisation", settings.regularisation.to_string(), "a positive number");
    }
    match (0..points.rows()).find(|&row| points.row(row).iter().any(|value| !value.is_finite())) {
        Some(row) => Err(NumericError::NotFinite { row }),
        None => Ok(()),
    }
}

/// Expectation and maximisation from a partition of the rows. Returns the mean log-likelihood of a row too.
fn climb(points: &Matrix, labels: &[usize], settings: &MixtureSettings) -> (f64, Mixture) {
    let count = labels.iter().max().map_or(0, |most| most + 1);
    let hard = |row: usize| {
        let mut shares = vec![0.0; count];
        if let Some(share) = labels.get(row).and_then(|label| shares.get_mut(*label)) {
            *share = 1.0;
        }
        (shares, 0.0)
    };
    let (components, _) = round(points, count, settings, &hard);
    let mut mixture = Mixture { components, covariance: settings.covariance };
    let mut likelihood = f64::NEG_INFINITY;
    for _ in 0..settings.iterations {
        let soft = |row: usize| {
            let mut densities = mixture.log_densities(points.row(row));
            let likelihood = responsibilities(&mut densities);
            (densities, likelihood)
        };
        let (components, sum) = round(points, count, settings, &soft);
        mixture.components = components;
        let next = sum / points.rows().max(1) as f64;
        let gain = next - likelihood;
        likelihood = next;
        if gain.abs() < settings.tolerance {
            break;
        }
    }
    (likelihood, mixture)
}

/// One round: shares of all rows, and the components that fit them best. Returns the sum of log-likelihoods too.
fn round(
    points: &Matrix,
    count: usize,
    settings: &MixtureSettings,
    shares_of: &(dyn Fn(usize) -> (Vec<f64>, f64) + Sync),
) -> (Vec<Component>, f64) {
    let rows = points.rows();
    let starts: Vec<usize> = (0..rows).step_by(CHUNK).collect();
    let chunks: Vec<(Vec<Vec<f64>>, f64)> = starts
        .par_iter()
        .map(|&start| {
            let mut likelihood = 0.0;
            let chunk = (start..(start + CHUNK).min(rows))
                .map(|row| {
                    let (shares, one) = shares_of(row);
                    likelihood += one;
                    shares
                })
                .collect();
            (chunk, likelihood)
        })
        .collect();
    let likelihood = chunks.iter().map(|(_, one)| one).sum();
    let shares: Vec<Vec<f64>> = chunks.into_iter().flat_map(|(chunk, _)| chunk).collect();
    let components = (0..count)
        .into_par_iter()
        .map(|place| {
            let held: Vec<(usize, f64)> = shares
                .iter()
                .enumerate()
                .filter_map(|(row, shares)| Some((row, *shares.get(place)?)))
                .filter(|(_, share)| *share > NOTHING)
                .collect();
            Component::of(points, &held, settings)
        })
        .collect();
    (components, likelihood)
}

#[cfg(test)]
mod tests;
