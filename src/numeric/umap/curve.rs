//! The curve 1 / (1 + a d^(2b)) by which near and far are told apart in the layout.

use crate::numeric::functions::{exponential, logarithm, power};

/// Distances at which the curve is fitted.
const SAMPLES: u32 = 300;
/// Steps of the fit.
const STEPS: usize = 200;

/// The two constants of the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Factor.
    pub a: f64,
    /// Half the exponent.
    pub b: f64,
}

/// The curve nearest, by least squares up to three times the spread, to 1 below `min_distance` and an exponential
/// fall beyond (Levenberg and Marquardt).
pub fn fit(min_distance: f64, spread: f64) -> Curve {
    let samples: Vec<(f64, f64)> = (0..SAMPLES)
        .map(|place| {
            let x = 3.0 * spread * f64::from(place) / f64::from(SAMPLES - 1);
            let y = if x < min_distance { 1.0 } else { exponential(-(x - min_distance) / spread) };
            (x, y)
        })
        .collect();
    let mut curve = Curve { a: 1.0, b: 1.0 };
    let mut error = squares(&samples, curve);
    let mut damping = 1e-3;
    for _ in 0..STEPS {
        let Some(next) = step(&samples, curve, damping) else { break };
        let next_error = squares(&samples, next);
        if next_error < error {
            let gain = error - next_error;
            (curve, error, damping) = (next, next_error, damping * 0.3);
            if gain < 1e-15 {
                break;
            }
        } else {
            damping *= 4.0;
        }
    }
    curve
}

fn value(x: f64, curve: Curve) -> f64 {
    1.0 / (1.0 + curve.a * power(x, 2.0 * curve.b))
}

fn squares(samples: &[(f64, f64)], curve: Curve) -> f64 {
    samples.iter().map(|&(x, y)| (y - value(x, curve)) * (y - value(x, curve))).sum()
}

fn step(samples: &[(f64, f64)], curve: Curve, damping: f64) -> Option<Curve> {
    let (mut aa, mut ab, mut bb, mut ra, mut rb) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(x, y) in samples.iter().filter(|(x, _)| *x > 0.0) {
        let raised = power(x, 2.0 * curve.b);
        let value = 1.0 / (1.0 + curve.a * raised);
        let slope_a = -raised * value * value;
        let slope_b = slope_a * curve.a * 2.0 * logarithm(x);
        aa += slope_a * slope_a;
        ab += slope_a * slope_b;
        bb += slope_b * slope_b;
        ra += slope_a * (y - value);
        rb += slope_b * (y - value);
    }
    let (aa, bb) = (aa * (1.0 + damping), bb * (1.0 + damping));
    let determinant = aa * bb - ab * ab;
    let next = Curve {
        a: curve.a + (ra * bb - rb * ab) / determinant,
        b: curve.b + (rb * aa - ra * ab) / determinant,
    };
    (next.a.is_finite() && next.b.is_finite()).then_some(Curve { a: next.a.max(1e-6), b: next.b.max(1e-6) })
}
