//! Numbers as reports tell them.

/// To three digits: what is printed is the same everywhere.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
