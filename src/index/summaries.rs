//! Stage: summaries.
