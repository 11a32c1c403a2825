//! From a question to a context: what is found, how it is ranked, and what fits.

pub mod walk;
pub mod ranking;
pub(in crate::query) mod selection;
pub(in crate::query) mod structure;
pub mod context;
