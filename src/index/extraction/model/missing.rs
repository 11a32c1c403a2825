//! What the first reply about a text leaves out: decided from that reply and its text alone.

use crate::domain::{Record, name_key};
use crate::index::extraction::UnitText;
use crate::index::extraction::nlp::{self, NlpSettings};
use crate::language::letters;
use std::collections::BTreeSet;

/// Names of each list that are shown.
const SHOWN: usize = 25;
/// One in so many entities may stand without a relationship: some things are only named in passing.
const ALONE: usize = 7;
/// How often a text has a name that should have a record.
const OFTEN: usize = 2;

/// What a reply leaves out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Missing {
    /// Entities that no relationship joins to another, where they are more than a few.
    alone: Vec<String>,
    /// Names that the text has more than once and no record says anything of.
    unnamed: Vec<String>,
    /// Claims were asked for, and none came.
    claims: bool,
}

impl Missing {
    /// What the records of a text leave out.
    pub(super) fn of(input: &UnitText<'_>, records: &[Record], claims: bool) -> Self {
        let mut known: Vec<String> = Vec::new();
        let mut told = String::new();
        let mut joined: BTreeSet<String> = BTreeSet::new();
        let mut alone: Vec<&str> = Vec::new();
        let mut claimed = false;
        for record in records {
            match record {
                Record::Entity(entity) => {
                    known.push(letters(&entity.name));
                    known.extend(entity.aliases.iter().map(|alias| letters(alias)));
                    told.push_str(&letters(&entity.description));
                    alone.push(&entity.name);
                }
                Record::Relationship(relationship) => {
                    told.push_str(&letters(&relationship.description));
                    joined.extend([&relationship.source, &relationship.target].map(|name| name_key(name)));
                }
                Record::Claim(claim) => {
                    told.push_str(&letters(&claim.description));
                    claimed = true;
                }
            }
            told.push('\n');
        }
        let entities = alone.len();
        alone.retain(|name| !joined.contains(&name_key(name)));
        if alone.len() * ALONE < entities {
            alone.clear();
        }
        // titles and headings are names of the unit, not of its text
        let text = UnitText { title: "", headings: &[], header: "", ..*input };
        let found = nlp::extract(&text, &NlpSettings::default());
        let named = found.records.iter().filter_map(|record| match record {
            Record::Entity(entity) => Some(&entity.name),
            _ => None,
        });
        let covers = |name: &str| {
            let name = letters(name);
            told.contains(&name)
                || known.iter().any(|known| known.contains(&name) || name.contains(known.as_str()))
        };
        let counts = |name: &String| is_proper(name) && input.text.matches(name.as_str()).count() >= OFTEN;
        let unnamed = named.filter(|name| counts(name) && !covers(name));
        Self {
            alone: alone.into_iter().take(SHOWN).map(ToOwned::to_owned).collect(),
            unnamed: unnamed.take(SHOWN).cloned().collect(),
            claims: claims && !claimed,
        }
    }

    /// Whether nothing is.
    pub(super) fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// What is missing, a line each, for the model.
    pub(super) fn lines(&self) -> String {
        let mut lines = Vec::new();
        if !self.alone.is_empty() {
            lines.push(format!("Entities without a relationship: {}", self.alone.join("; ")));
        }
        if !self.unnamed.is_empty() {
            lines.push(format!("Names in the text without a record: {}", self.unnamed.join("; ")));
        }
        if self.claims {
            lines.push("Claims: none has been written".to_owned());
        }
        lines.join("\n")
    }
}

/// Whether something has a name of its own, as far as its script tells: "Azure", not "revenue".
fn is_proper(name: &str) -> bool {
    let has_case = name.chars().any(|c| c.is_uppercase() || c.is_lowercase());
    !has_case || name.split_whitespace().any(|word| word.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{EntityRecord, RelationshipRecord};

    fn entity(name: &str) -> Record {
        Record::Entity(EntityRecord { name: name.to_owned(), ..EntityRecord::default() })
    }

    fn relationship(source: &str, target: &str) -> Record {
        let (source, target) = (source.to_owned(), target.to_owned());
        Record::Relationship(RelationshipRecord { source, target, ..RelationshipRecord::default() })
    }

    fn check(text: &str, records: &[Record], claims: bool, expected: &str) {
        let missing =
            Missing::of(&UnitText { title: "A title", headings: &[], text, header: "" }, records, claims);
        assert_eq!(missing.lines(), expected);
        assert_eq!(missing.is_nothing(), expected.is_empty());
    }

    #[test]
    fn only_what_shows_is_missing() {
        let text = "Bob Cratchit worked for Ebenezer Scrooge in London. Ebenezer Scrooge paid him on Monday.";
        let all = [
            entity("Bob Cratchit"),
            entity("Ebenezer Scrooge"),
            entity("London"),
            relationship("Bob Cratchit", "Ebenezer Scrooge"),
            relationship("Ebenezer Scrooge", "London"),
        ];
        check(text, &all, false, "");
        check(text, &all[..4], false, "Entities without a relationship: London");
        check(text, &all, true, "Claims: none has been written");
        let some = [entity("Bob Cratchit"), entity("London"), relationship("Bob Cratchit", "London")];
        check(text, &some, false, "Names in the text without a record: Ebenezer Scrooge");
        // what a record tells of is not left out, nor is what the text names in passing
        let telling = EntityRecord {
            name: "Bob Cratchit".to_owned(),
            description: "Works for Ebenezer Scrooge.".to_owned(),
            ..EntityRecord::default()
        };
        let told = [Record::Entity(telling), entity("London"), relationship("Bob Cratchit", "London")];
        check(text, &told, false, "");
        // one of many without a relationship is nothing missing, one of few is
        let mut many: Vec<Record> = (0..7).map(|n| relationship("London", &format!("Clerk {n}"))).collect();
        many.extend((0..7).map(|n| entity(&format!("Clerk {n}"))));
        many.extend([entity("London"), entity("Ebenezer Scrooge")]);
        check(text, &many, false, "");
    }
}
