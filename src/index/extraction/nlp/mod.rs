//! Extraction without a model.
