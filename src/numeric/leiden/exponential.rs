//! The exponential function from IEEE arithmetic alone, so that every machine draws the same bytes; shorter than
//! [`crate::numeric::functions::exponential`], because refinement calls it for every candidate.

/// e^x for -700 <= x <= 0, relative error below 1e-9
pub(super) fn exponential(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let shifted = x * std::f64::consts::LOG2_E + SHIFT;
    let power = shifted - SHIFT;
    let rest = x - power * std::f64::consts::LN_2;
    let mut sum = 1.0 / 40_320.0;
    for factor in [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = sum * rest + factor;
    }
    // the low bits of `shifted` hold the whole power in two's complement
    sum * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_agrees_with_the_platform() {
        for step in 0..7000 {
            let x = -f64::from(step) * 0.1;
            let error = (exponential(x) / x.exp() - 1.0).abs();
            assert!(error < 1e-9, "x {x} error {error}");
        }
    }
}
