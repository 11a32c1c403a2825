//! Stage: communities.
