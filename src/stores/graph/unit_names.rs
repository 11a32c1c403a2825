//! The names that one text unit's own records hold: what [`super::GraphStore::names`] and
//! [`super::GraphStore::units_with_names`] count. Both graph stores use it.

use crate::domain::{Record, name_key};
use std::collections::BTreeMap;

/// Types given to a name with the number of entity records that give it; unknown (empty) types are left out.
pub type KindCounts = BTreeMap<String, u32>;

/// Every name of the unit's records (entities, ends of relationships, subjects and objects of claims) by key and
/// spelling. Names whose key is empty are left out.
pub fn unit_names(records: &[Record]) -> BTreeMap<(String, String), KindCounts> {
    let mut names: BTreeMap<(String, String), KindCounts> = BTreeMap::new();
    let mut see = |name: &str, kind: &str| {
        let key = name_key(name);
        if key.is_empty() {
            return;
        }
        let seen = names.entry((key, name.to_owned())).or_default();
        if !kind.is_empty() {
            *seen.entry(kind.to_owned()).or_default() += 1;
        }
    };
    for record in records {
        match record {
            Record::Entity(entity) => see(&entity.name, &entity.kind),
            Record::Relationship(relationship) => {
                see(&relationship.source, "");
                see(&relationship.target, "");
            }
            Record::Claim(claim) => {
                see(&claim.subject, "");
                if let Some(object) = &claim.object {
                    see(object, "");
                }
            }
        }
    }
    names
}

/// Sums one name key's uses in all units: spelling and number of units, types with their number of records.
#[derive(Debug, Default)]
pub struct NameSum {
    spellings: BTreeMap<String, u32>,
    kinds: KindCounts,
}

impl NameSum {
    /// Adds one unit's use of one spelling.
    pub fn add(&mut self, spelling: &str, kinds: &KindCounts) {
        *self.spellings.entry(spelling.to_owned()).or_default() += 1;
        for (kind, count) in kinds {
            *self.kinds.entry(kind.clone()).or_default() += count;
        }
    }

    /// The sum; `text_unit_count` is that of distinct units, since one unit may hold several spellings.
    pub fn finish(self, key: String, text_unit_count: u32) -> super::NameUse {
        let mut name = String::new();
        let mut most = 0;
        for (spelling, count) in self.spellings {
            if count > most {
                most = count;
                name = spelling;
            }
        }
        super::NameUse { key, name, kinds: self.kinds.into_iter().collect(), text_unit_count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{EntityRecord, RelationshipRecord};

    #[test]
    fn names_of_all_records_are_seen_with_the_types_of_entity_records() {
        let entity = |name: &str, kind: &str| {
            Record::Entity(EntityRecord { name: name.into(), kind: kind.into(), ..EntityRecord::default() })
        };
        let names = unit_names(&[
            entity("Scrooge", "person"),
            entity("Scrooge", "person"),
            entity("SCROOGE", ""),
            entity(" ", "person"),
            Record::Relationship(RelationshipRecord {
                source: "Scrooge".into(),
                target: "Marley".into(),
                ..RelationshipRecord::default()
            }),
        ]);
        let seen: Vec<(&str, &str, Vec<u32>)> = names
            .iter()
            .map(|((key, name), kinds)| (key.as_str(), name.as_str(), kinds.values().copied().collect()))
            .collect();
        assert_eq!(
            seen,
            [("marley", "Marley", vec![]), ("scrooge", "SCROOGE", vec![]), ("scrooge", "Scrooge", vec![2])]
        );
    }
}
