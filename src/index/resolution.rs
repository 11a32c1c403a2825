//! Stage: resolution.
