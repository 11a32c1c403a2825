//! A short name and the full one that it stands for.

use crate::domain::{EntityRecord, Record};

/// A name that stands for a longer one of the unit.
pub(super) struct ShortName {
    pub(super) full: String,
    pub(super) short: String,
    /// What is said of the short one.
    pub(super) description: String,
    pub(super) kind: &'static str,
}

/// The entity that a record is about.
pub(super) fn entity(record: &Record) -> Option<&EntityRecord> {
    match record {
        Record::Entity(entity) => Some(entity),
        Record::Relationship(_) | Record::Claim(_) => None,
    }
}
