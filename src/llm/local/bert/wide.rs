//! What is done to each number, in the widest vectors that the processor has. Nothing is contracted and every sum has a
//! fixed order, so that all processors give the same numbers here.
#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the widest vectors of the processor"
)]

use pulp::Arch;

/// Numbers that are summed side by side.
const LANES: usize = 16;

/// `into` + `from`, in place.
pub(super) fn add(into: &mut [f32], from: &[f32]) {
    Arch::new().dispatch(|| {
        for (into, from) in into.iter_mut().zip(from) {
            *into += from;
        }
    });
}

/// Below zero nothing.
pub(super) fn relu(values: &mut [f32]) {
    for value in values {
        *value = value.max(0.0);
    }
}

/// The Gaussian error linear unit by the error function (Hendrycks and Gimpel 2016), to 1e-7 of its size.
pub(super) fn gelu(values: &mut [f32]) {
    Arch::new().dispatch(|| {
        for value in values.iter_mut() {
            *value *= 0.5 + 0.5 * erf(*value * std::f32::consts::FRAC_1_SQRT_2);
        }
    });
}

/// The same unit by a hyperbolic tangent, as models say that were trained with it.
pub(super) fn gelu_by_tanh(values: &mut [f32]) {
    const FACTOR: f32 = 0.797_884_6;
    Arch::new().dispatch(|| {
        for value in values.iter_mut() {
            let x = *value;
            // tanh(y) = 1 - 2 / (e^2y + 1)
            let tanh = 1.0 - 2.0 / (exp(2.0 * FACTOR * (x + 0.044_715 * x * x * x)) + 1.0);
            *value = 0.5 * x * (1.0 + tanh);
        }
    });
}

/// Each row of `columns` numbers as shares of one.
pub(super) fn softmax(rows: &mut [f32], columns: usize) {
    if columns == 0 {
        return;
    }
    Arch::new().dispatch(|| {
        for row in rows.chunks_exact_mut(columns) {
            let greatest = row.iter().copied().fold(f32::NEG_INFINITY, |a, b| if a > b { a } else { b });
            for value in row.iter_mut() {
                *value = exp(*value - greatest);
            }
            let share = 1.0 / sum(row, |value| value);
            for value in row.iter_mut() {
                *value *= share;
            }
        }
    });
}

/// Each row, as long as `weight`, with mean 0 and variance 1, then times `weight` plus `bias`.
pub(super) fn norm(rows: &mut [f32], weight: &[f32], bias: &[f32], epsilon: f32) {
    #[expect(clippy::cast_precision_loss, reason = "rows are some thousand numbers long")]
    let count = weight.len() as f32;
    Arch::new().dispatch(|| {
        for row in rows.chunks_exact_mut(weight.len()) {
            let mean = sum(row, |value| value) / count;
            let variance = sum(row, |value| (value - mean) * (value - mean)) / count;
            let scale = 1.0 / (variance + epsilon).sqrt();
            for ((value, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
                *value = (*value - mean) * scale * weight + bias;
            }
        }
    });
}

/// The sum of what `of` makes of each number: in lanes first, then over the lanes, then the rest.
#[inline(always)]
fn sum(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += of(*value);
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|value| of(*value)).sum::<f32>()
}

/// The error function to 1.5e-7 (Abramowitz and Stegun 1964, 7.1.26).
#[inline(always)]
fn erf(x: f32) -> f32 {
    let size = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let series =
        t * (0.254_829_6 + t * (-0.284_496_72 + t * (1.421_413_8 + t * (-1.453_152_1 + t * 1.061_405_4))));
    (1.0 - series * exp(-size * size)).copysign(x)
}

/// The exponential function to two units in the last place, of what is between -87 and 88; beyond, as there. Powers of two
/// apart, the rest by the first terms of its series on [-ln 2 / 2, ln 2 / 2].
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// Added to a number it leaves the number's nearest integer in the lowest bits.
    const ROUNDING: f32 = 12_582_912.0;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 88.0 { 88.0 } else { x };
    let rounded = x * std::f32::consts::LOG2_E + ROUNDING;
    let power = rounded - ROUNDING;
    let rest = x - power * LN_2_HIGH - power * LN_2_LOW;
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5
                        + rest
                            * (1.0 / 6.0
                                + rest * (1.0 / 24.0 + rest * (1.0 / 120.0 + rest * (1.0 / 720.0))))));
    series * f32::from_bits((rounded.to_bits() << 23).wrapping_add(0x3f80_0000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_function_is_that_of_the_library() {
        for step in -8700..8800 {
            let x = step as f32 / 100.0;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) - exact).abs() <= 3e-7 * exact, "{x}: {} for {exact}", exp(x));
        }
        assert!(exp(-1e9) < 1e-37 && exp(1e9).is_finite() && exp(f32::NEG_INFINITY) >= 0.0);
    }

    #[test]
    fn gelu_is_that_of_the_definition() {
        // x Φ(x), of a table of the normal distribution
        let known: [(f32, f32); 6] = [
            (-3.0, -0.004_049_69),
            (-1.0, -0.158_655_25),
            (0.0, 0.0),
            (0.5, 0.345_731_23),
            (1.0, 0.841_344_8),
            (6.0, 6.0),
        ];
        for (x, expected) in known {
            let mut exact = [x];
            gelu(&mut exact);
            assert!((exact[0] - expected).abs() < 5e-7, "{x}: {}", exact[0]);
            let mut near = [x];
            gelu_by_tanh(&mut near);
            assert!((near[0] - expected).abs() < 5e-4, "{x}: {}", near[0]);
        }
    }

    #[test]
    fn shares_add_up_to_one_and_norms_have_mean_zero() {
        let mut rows: Vec<f32> = (0..70).map(|at| (at * 13 % 29) as f32 - 40.0).collect();
        softmax(&mut rows, 35);
        for row in rows.chunks(35) {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
        let mut rows: Vec<f32> = (0..74).map(|at| (at * 13 % 29) as f32).collect();
        norm(&mut rows, &[1.0; 37], &[0.0; 37], 1e-12);
        for row in rows.chunks(37) {
            assert!(row.iter().sum::<f32>().abs() < 1e-4);
            assert!((row.iter().map(|value| value * value).sum::<f32>() / 37.0 - 1.0).abs() < 1e-4);
        }
    }
}
