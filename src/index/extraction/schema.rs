//! Records held to a schema: types spelled as the schema spells them, and where it is typed, whatever has another
//! type or fits no pattern of relationships left out and counted.

use super::Extraction;
use crate::config::{ExtractionConfig, SchemaConfig};
use crate::domain::{Record, name_key};
use std::collections::{BTreeMap, BTreeSet};

/// What records may say, ready for use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    typed: bool,
    /// Spelling by key.
    types: BTreeMap<String, String>,
    /// Source and target by key, with the phrase's key, empty for any, and its spelling.
    patterns: Vec<Pattern>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    source: String,
    target: String,
    phrase: String,
    spelling: String,
}

impl Schema {
    /// The schema of `[extraction]`: its `entity_types` and `[extraction.schema]`.
    pub fn of(config: &ExtractionConfig) -> Self {
        let named = config.schema.entities.iter().map(|entity| &entity.kind).chain(&config.entity_types);
        let mut types = BTreeMap::new();
        for kind in named {
            types.entry(key(kind)).or_insert_with(|| kind.trim().to_owned());
        }
        let patterns = config.schema.relations.iter().map(|relation| Pattern {
            source: key(&relation.source),
            target: key(&relation.target),
            phrase: key(&relation.kind),
            spelling: relation.kind.trim().to_owned(),
        });
        Self { typed: config.schema.typed, types, patterns: patterns.collect() }
    }

    /// Makes an extraction fit; adds what was left out to its count.
    pub fn apply(&self, extraction: &mut Extraction) {
        if self.types.is_empty() && self.patterns.is_empty() {
            return;
        }
        let kinds = self.spell(&mut extraction.records);
        if !self.typed {
            return;
        }
        let mut pruned = 0_u64;
        extraction.records.retain_mut(|record| {
            let kept = match record {
                Record::Entity(entity) => {
                    let fits = self.types.contains_key(&key(&entity.kind));
                    // an end that nothing is said of was added by us
                    let read = !entity.kind.is_empty() || !entity.description.is_empty();
                    pruned += u64::from(!fits && read);
                    return fits;
                }
                Record::Relationship(relation) => {
                    let ends =
                        [kinds.get(&name_key(&relation.source)), kinds.get(&name_key(&relation.target))];
                    match ends {
                        [Some(source), Some(target)] => self.allows(source, &relation.kind, target),
                        _ => false,
                    }
                }
                Record::Claim(claim) => {
                    claim.object = claim.object.take().filter(|object| kinds.contains_key(&name_key(object)));
                    kinds.contains_key(&name_key(&claim.subject))
                }
            };
            pruned += u64::from(!kept);
            kept
        });
        extraction.records_pruned += pruned;
    }

    /// Spells types and phrases as the schema does. Returns the types that each name has, of those of the schema.
    fn spell(&self, records: &mut [Record]) -> BTreeMap<String, BTreeSet<String>> {
        let mut kinds: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for record in records {
            match record {
                Record::Entity(entity) => {
                    let kind = key(&entity.kind);
                    if let Some(spelling) = self.types.get(&kind) {
                        spelling.clone_into(&mut entity.kind);
                        kinds.entry(name_key(&entity.name)).or_default().insert(kind);
                    }
                }
                Record::Relationship(relation) => {
                    let phrase = key(&relation.kind);
                    let pattern = self.patterns.iter().find(|pattern| pattern.phrase == phrase);
                    if let Some(pattern) = pattern.filter(|_| !phrase.is_empty()) {
                        pattern.spelling.clone_into(&mut relation.kind);
                    }
                }
                Record::Claim(_) => {}
            }
        }
        kinds
    }

    fn allows(&self, source: &BTreeSet<String>, phrase: &str, target: &BTreeSet<String>) -> bool {
        let phrase = key(phrase);
        self.patterns.is_empty()
            || self.patterns.iter().any(|pattern| {
                source.contains(&pattern.source)
                    && target.contains(&pattern.target)
                    && (pattern.phrase.is_empty() || pattern.phrase == phrase)
            })
    }
}

/// Changes when the schema does; empty where there is none.
pub fn fingerprint(schema: &SchemaConfig) -> String {
    if *schema == SchemaConfig::default() {
        return String::new();
    }
    let text = serde_json::to_string(schema).unwrap_or_default();
    crate::domain::fingerprint(&[&text]).chars().take(12).collect()
}

/// `WORKS_FOR`, "Works for" and `works-for` are one.
fn key(text: &str) -> String {
    name_key(&text.replace(['_', '-'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::domain::{ClaimRecord, EntityRecord, RelationshipRecord};

    const SCHEMA: &str = r#"
        [extraction]
        entity_types = ["Event"]
        [extraction.schema]
        typed = true
        [[extraction.schema.entities]]
        type = "Person"
        description = "a human being"
        [[extraction.schema.entities]]
        type = "Company"
        [[extraction.schema.relations]]
        source = "person"
        type = "works for"
        target = "Company"
        [[extraction.schema.relations]]
        source = "Person"
        target = "Person"
    "#;

    fn schema(text: &str) -> Schema {
        let config = Config::parse(text).unwrap();
        config.check().unwrap();
        Schema::of(&config.extraction)
    }

    fn entity(name: &str, kind: &str) -> Record {
        let description = if kind.is_empty() { String::new() } else { "Something.".to_owned() };
        Record::Entity(EntityRecord {
            name: name.into(),
            kind: kind.into(),
            description,
            aliases: Vec::new(),
        })
    }

    fn related(source: &str, kind: &str, target: &str) -> Record {
        Record::Relationship(RelationshipRecord {
            source: source.into(),
            target: target.into(),
            kind: kind.into(),
            ..RelationshipRecord::default()
        })
    }

    fn claim(subject: &str, object: &str) -> Record {
        Record::Claim(ClaimRecord {
            subject: subject.into(),
            object: Some(object.into()),
            ..ClaimRecord::default()
        })
    }

    fn records() -> Vec<Record> {
        vec![
            entity("Bob", "PERSON"),
            entity("Tim", "person"),
            entity("Scrooge & Marley", "company"),
            entity("London", "place"),
            entity("Snow", ""),
            related("Bob", "WORKS_FOR", "Scrooge & Marley"),
            related("Scrooge & Marley", "works for", "Bob"),
            related("Bob", "owns", "Scrooge & Marley"),
            related("Bob", "father of", "TIM"),
            related("Bob", "lives in", "London"),
            claim("Bob", "London"),
            claim("London", "Bob"),
        ]
    }

    #[test]
    fn what_fits_no_type_or_pattern_is_left_out_and_counted() {
        let mut extraction = Extraction { records: records(), ..Extraction::default() };
        schema(SCHEMA).apply(&mut extraction);
        let kept = [
            entity("Bob", "Person"),
            entity("Tim", "Person"),
            entity("Scrooge & Marley", "Company"),
            related("Bob", "works for", "Scrooge & Marley"),
            related("Bob", "father of", "TIM"),
            Record::Claim(ClaimRecord { subject: "Bob".into(), ..ClaimRecord::default() }),
        ];
        assert_eq!(extraction.records, kept);
        assert_eq!(
            extraction.records_pruned, 5,
            "London, three relationships, a claim; not the end that was added"
        );
    }

    #[test]
    fn an_open_schema_only_spells() {
        let mut extraction = Extraction { records: records(), ..Extraction::default() };
        schema(&SCHEMA.replace("typed = true", "typed = false")).apply(&mut extraction);
        assert_eq!((extraction.records.len(), extraction.records_pruned), (records().len(), 0));
        assert_eq!(extraction.records[0], entity("Bob", "Person"));
        assert_eq!(extraction.records[3], entity("London", "place"));
        let mut untouched = Extraction { records: records(), ..Extraction::default() };
        Schema::of(&ExtractionConfig::default()).apply(&mut untouched);
        assert_eq!(untouched.records, records());
    }

    #[test]
    fn a_schema_that_contradicts_itself_is_refused_by_name() {
        let check = |text: &str, told: &str| {
            let error = Config::parse(text).and_then(|config| config.check()).expect_err(text);
            assert!(format!("{error:#}").contains(told), "{error:#}");
        };
        check(
            "[[extraction.schema.relations]]\nsource = \"A\"\ntarget = \"B\"",
            "\"A\" is no type of the schema",
        );
        check("[extraction.schema]\ntyped = true", "there are no types");
        check("[[extraction.schema.entities]]\ntype = \" \"", "has no type");
        check("[[extraction.schema.entities]]\nname = \"x\"", "unknown field `name`");
    }
}
