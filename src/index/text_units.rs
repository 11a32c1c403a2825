//! Documents into text units (design 5).
