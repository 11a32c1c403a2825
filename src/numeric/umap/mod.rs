//! UMAP (`McInnes`, Healy and Melville 2018): rows with many columns laid out in few, neighbours near neighbours.
//!
//! Exact neighbours ([`neighbours`](super::neighbours)), their graph ([`graph`]), a start along the principal
//! components, and gradient descent with negative samples (`layout`). One seed gives one result on every machine,
//! whatever the number of threads.

pub mod curve;
pub mod graph;
mod layout;

use super::matrix::{Matrix, NumericError, to_single};
use super::neighbours::{Metric, nearest};
use super::principal::principal_components;
use super::random::Random;

/// Side of the box that the start fills.
const START_SIDE: f64 = 10.0;
/// Spread of the noise that parts rows which start at one place.
const START_NOISE: f64 = 1e-4;
/// Rows up to which the layout takes [`EPOCHS_FEW`].
const FEW: usize = 10_000;
/// Rounds for few rows, and for more.
const EPOCHS_FEW: usize = 500;
const EPOCHS_MANY: usize = 200;

/// How rows are laid out; the defaults are those of umap-learn.
#[derive(Clone, Debug, PartialEq)]
pub struct UmapSettings {
    /// Columns of the result.
    pub components: usize,
    /// Neighbours of a row, itself counted; small shows what is near, large the whole.
    pub neighbours: usize,
    /// How distances are measured.
    pub metric: Metric,
    /// Distance below which rows are not pulled nearer, in the result.
    pub min_distance: f64,
    /// Scale of the result.
    pub spread: f64,
    /// Rounds of the layout; 500 up to 10,000 rows, 200 beyond, where absent.
    pub epochs: Option<usize>,
    /// Rows that are pushed away for each that is pulled near.
    pub negative_samples: usize,
    /// First step's size.
    pub learning_rate: f64,
    /// Weight of pushing against pulling.
    pub repulsion: f64,
    /// Seed of every random choice.
    pub seed: u64,
}

impl Default for UmapSettings {
    fn default() -> Self {
        Self {
            components: 2,
            neighbours: 15,
            metric: Metric::Cosine,
            min_distance: 0.1,
            spread: 1.0,
            epochs: None,
            negative_samples: 5,
            learning_rate: 1.0,
            repulsion: 1.0,
            seed: 0,
        }
    }
}

/// Lays the rows out: as many rows of `components` columns. Any number of rows will do; a single one is laid at zero.
/// Memory: some 30 bytes a row and neighbour.
///
/// # Errors
/// [`NumericError::NotFinite`]; [`NumericError::Setting`] for fewer than one component or two neighbours, or a
/// distance, spread or rate out of range.
pub fn umap(points: &Matrix, settings: &UmapSettings) -> Result<Matrix, NumericError> {
    check(points, settings)?;
    if points.rows() < 2 {
        return Ok(Matrix::zeros(points.rows(), settings.components));
    }
    let curve = curve::fit(settings.min_distance, settings.spread);
    let near = nearest(points, settings.neighbours - 1, settings.metric);
    let graph = graph::fuzzy_graph(&near);
    let mut places = start(points, settings);
    let epochs = settings.epochs.unwrap_or(if points.rows() <= FEW { EPOCHS_FEW } else { EPOCHS_MANY });
    layout::optimise(&mut places, &graph, curve, epochs, settings);
    Ok(places)
}

fn check(points: &Matrix, settings: &UmapSettings) -> Result<(), NumericError> {
    let wrong = |name, value: String, wanted| Err(NumericError::Setting { name, value, wanted });
    if settings.components == 0 {
        return wrong("components", "0".to_owned(), "at least 1");
    }
    if settings.neighbours < 2 {
        return wrong("neighbours", settings.neighbours.to_string(), "at least 2");
    }
    if !(settings.spread > 0.0 && (0.0..=settings.spread).contains(&settings.min_distance)) {
        return wrong(
            "min_distance",
            settings.min_distance.to_string(),
            "from 0 to spread, which is positive",
        );
    }
    if !(settings.learning_rate > 0.0 && settings.learning_rate.is_finite()) {
        return wrong("learning_rate", settings.learning_rate.to_string(), "a positive number");
    }
    if !(settings.repulsion >= 0.0 && settings.repulsion.is_finite()) {
        return wrong("repulsion", settings.repulsion.to_string(), "at least 0");
    }
    match (0..points.rows()).find(|&row| points.row(row).iter().any(|value| !value.is_finite())) {
        Some(row) => Err(NumericError::NotFinite { row }),
        None => Ok(()),
    }
}

/// The principal components, stretched to a box, with a little noise.
fn start(points: &Matrix, settings: &UmapSettings) -> Matrix {
    let mut places = match settings.metric {
        Metric::Cosine => principal_components(&points.normalised(), settings.components, settings.seed),
        Metric::Euclidean => principal_components(points, settings.components, settings.seed),
    };
    let columns = settings.components;
    let mut random = Random::new(settings.seed ^ 0x5eed);
    for column in 0..columns {
        let along = || places.values().iter().skip(column).step_by(columns);
        let (low, high) =
            along().fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
        let (low, width) = (f64::from(low), f64::from(high) - f64::from(low));
        let scale = if width > 1e-9 { START_SIDE / width } else { 0.0 };
        for row in 0..points.rows() {
            if let Some(value) = places.row_mut(row).get_mut(column) {
                *value = to_single((f64::from(*value) - low) * scale + random.normal() * START_NOISE);
            }
        }
    }
    places
}

#[cfg(test)]
mod tests;
