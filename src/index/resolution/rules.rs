//! Resolution by rule.

use crate::domain::{Edit, EditKind};
use crate::stores::graph::NameUse;
use std::collections::BTreeMap;

/// Name keys to canonical name keys, only where they differ.
pub fn resolve(_names: &[NameUse], edits: &[Edit]) -> BTreeMap<String, String> {
    let mut table = BTreeMap::new();
    for edit in edits {
        if let EditKind::Merge { names, into } = &edit.kind {
            for name in names.iter().filter(|name| *name != into) {
                table.insert(name.clone(), into.clone());
            }
        }
    }
    table
}
