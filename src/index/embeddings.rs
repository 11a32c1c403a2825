//! Stage: embeddings.
