//! Extraction with a model.
