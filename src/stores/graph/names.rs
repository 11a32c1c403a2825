//! What one text unit says about names: the part of [`super::NameUse`] that both stores sum up.

use crate::domain::{Record, name_key};
use std::collections::{BTreeMap, BTreeSet};

/// One text unit's use of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitName {
    /// The spellings in the unit's records.
    pub names: BTreeSet<String>,
    /// Types given to it, each with the number of records; unknown ones left out.
    pub kinds: BTreeMap<String, u32>,
}

/// The names of a unit's own entity records, by name key.
pub fn unit_names(records: &[Record]) -> BTreeMap<String, UnitName> {
    let mut names: BTreeMap<String, UnitName> = BTreeMap::new();
    for record in records {
        let Record::Entity(entity) = record else { continue };
        let unit_name = names.entry(name_key(&entity.name)).or_default();
        unit_name.names.insert(entity.name.clone());
        if !entity.kind.is_empty() {
            *unit_name.kinds.entry(entity.kind.clone()).or_default() += 1;
        }
    }
    names
}
