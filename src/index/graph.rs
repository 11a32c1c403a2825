//! Stage: graph.
