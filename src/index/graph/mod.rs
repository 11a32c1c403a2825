//! The projection: records, linked names, resolution and edits into evidence, and evidence into sums (design 2, 3).
//!
//! Both directions are pure functions; the store only keeps. [`settle`] sums up whatever is dirty.

mod naming;
mod projection;
mod descriptions;
pub mod summaries;
mod sums;
mod labels;

pub use descriptions::{
    descriptions_fingerprint, entity_descriptions, is_summary_of, relationship_descriptions,
};
pub use labels::label_types;
pub use naming::{Naming, applied_naming, stored_naming};
pub(in crate::index) use naming::{stored_ambiguous, stored_kinds};
pub use projection::{project_text, project_unit, reproject};
pub use sums::{settle, sum_entity, sum_relationship};

#[cfg(test)]
mod tests;
