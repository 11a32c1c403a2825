//! Exponential function, logarithm and powers from IEEE arithmetic alone: the platform's own may differ in the last bit.

/// e^x. Relative error below 1e-13 within ±700; 0 below, e^700 above.
pub fn exponential(x: f64) -> f64 {
    // adding and taking away 1.5 * 2^52 rounds to an integer
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    const HIGH: f64 = 0.693_147_180_369_123_8;
    const LOW: f64 = 1.908_214_929_270_587_7e-10;
    if x < -700.0 {
        return 0.0;
    }
    let x = x.min(700.0);
    let shifted = x * std::f64::consts::LOG2_E + SHIFT;
    let power = shifted - SHIFT;
    let rest = (x - power * HIGH) - power * LOW;
    let mut sum = 1.0 / 479_001_600.0;
    for factor in [
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        sum = sum * rest + factor;
    }
    // the low bits of `shifted` hold the whole power in two's complement
    sum * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// The natural logarithm of a normal positive number. Relative error below 1e-14; negative infinity for what is not
/// positive.
pub fn logarithm(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    if x < f64::MIN_POSITIVE {
        return f64::NEG_INFINITY;
    }
    let bits = x.to_bits();
    let mut power = f64::from(u32::try_from(bits >> 52).unwrap_or(0)) - 1023.0;
    let mut fraction = f64::from_bits((bits & MANTISSA) | (1023 << 52));
    if fraction > std::f64::consts::SQRT_2 {
        fraction *= 0.5;
        power += 1.0;
    }
    // ln f = 2 artanh((f - 1) / (f + 1))
    let t = (fraction - 1.0) / (fraction + 1.0);
    let square = t * t;
    let mut sum = 1.0 / 21.0;
    for factor in [
        1.0 / 19.0,
        1.0 / 17.0,
        1.0 / 15.0,
        1.0 / 13.0,
        1.0 / 11.0,
        1.0 / 9.0,
        1.0 / 7.0,
        1.0 / 5.0,
        1.0 / 3.0,
        1.0,
    ] {
        sum = sum * square + factor;
    }
    power * std::f64::consts::LN_2 + 2.0 * t * sum
}

/// `base` to the power of `exponent`, for a base that is not negative.
pub fn power(base: f64, exponent: f64) -> f64 {
    if base <= 0.0 { 0.0 } else { exponential(exponent * logarithm(base)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_agree_with_the_platform() {
        for step in -6999..7000 {
            let x = f64::from(step) * 0.1;
            let error = (exponential(x) / x.exp() - 1.0).abs();
            assert!(error < 1e-13, "exponential of {x}: {error}");
            let y = x.exp();
            let error = (logarithm(y) - y.ln()).abs() / (1.0 + y.ln().abs());
            assert!(error < 1e-14, "logarithm of {y}: {error}");
        }
        assert!((power(3.7, 0.895) - 3.7_f64.powf(0.895)).abs() < 1e-13);
        assert_eq!((exponential(0.0), logarithm(1.0), power(0.0, 0.5)), (1.0, 0.0, 0.0));
        assert_eq!((exponential(-1e9), logarithm(0.0)), (0.0, f64::NEG_INFINITY));
    }
}
