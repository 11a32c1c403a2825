//! Records held to a schema: types spelled as the schema spells them, and where it is typed, whatever has another
//! type or fits no pattern of relationships left out and counted.

use super::Extraction;
use crate::config::{ExtractionConfig, KnownName, SchemaConfig};
use crate::domain::{EntityRecord, Record, name_key};
use crate::language::{one_line, sentences};
use std::collections::{BTreeMap, BTreeSet};

/// What records may say, ready for use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    typed: bool,
    /// Spelling by key.
    types: BTreeMap<String, String>,
    /// Source and target by key, with the phrase's key, empty for any, and its spelling.
    patterns: Vec<RelationshipRule>,
    names: Vec<KnownName>,
    /// By key.
    stop_names: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct RelationshipRule {
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
        let patterns = config.schema.relations.iter().map(|relation| RelationshipRule {
            source: key(&relation.source),
            target: key(&relation.target),
            phrase: key(&relation.kind),
            spelling: relation.kind.trim().to_owned(),
        });
        Self {
            typed: config.schema.typed,
            types,
            patterns: patterns.collect(),
            names: config.schema.names.clone(),
            stop_names: config.schema.stop_names.iter().map(|name| name_key(name)).collect(),
        }
    }

    /// Holds what was read of a text to the schema: its names are seen, its stop names are not, types and patterns are as
    /// in [`Self::apply`].
    pub fn hold(&self, text: &str, extraction: &mut Extraction) {
        for known in &self.names {
            see(known, text, &mut extraction.records);
        }
        self.leave_out_stop_names(extraction);
        self.apply(extraction);
    }

    /// Takes stop names out, with what hangs on them; adds what was left out to its count.
    fn leave_out_stop_names(&self, extraction: &mut Extraction) {
        if self.stop_names.is_empty() {
            return;
        }
        let stops = |name: &str| self.stop_names.contains(&name_key(name));
        let before = extraction.records.len();
        extraction.records.retain_mut(|record| match record {
            Record::Entity(entity) => !stops(&entity.name),
            Record::Relationship(relation) => !stops(&relation.source) && !stops(&relation.target),
            Record::Claim(claim) => {
                claim.object = claim.object.take().filter(|object| !stops(object));
                !stops(&claim.subject)
            }
        });
        extraction.records_pruned += (before - extraction.records.len()) as u64;
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

/// Gives the records of a known name its type and its other names, and adds one where the text has it and none is there.
fn see(known: &KnownName, text: &str, records: &mut Vec<Record>) {
    let spellings = || std::iter::once(&known.name).chain(&known.also);
    let written: Vec<&String> = spellings().filter(|name| place_of(text, name).is_some()).collect();
    let Some(first) = written.first() else { return };
    let mut there = false;
    for record in records.iter_mut() {
        let Record::Entity(entity) = record else { continue };
        let name = name_key(&entity.name);
        if !spellings().any(|spelling| name_key(spelling) == name) {
            continue;
        }
        there = true;
        if !known.kind.is_empty() {
            known.kind.clone_into(&mut entity.kind);
        }
        for other in other_names(known, &name, &written) {
            if !entity.aliases.contains(&other) {
                entity.aliases.push(other);
            }
        }
    }
    if !there {
        records.push(Record::Entity(EntityRecord {
            name: (*first).clone(),
            kind: known.kind.clone(),
            description: sentence_of(text, first),
            aliases: other_names(known, &name_key(first), &written),
            sentiment: None,
        }));
    }
}

/// What else a name's entity is called here: the name itself, and the spellings that the text has.
fn other_names(known: &KnownName, key: &str, written: &[&String]) -> Vec<String> {
    let mut others: Vec<String> = Vec::new();
    for other in std::iter::once(&known.name).chain(written.iter().copied()) {
        if name_key(other) != key && !others.contains(other) {
            others.push(other.clone());
        }
    }
    others
}

/// Byte at which a text has a name as a word of its own; Han characters have no borders.
pub(crate) fn place_of(text: &str, name: &str) -> Option<usize> {
    let name = name.trim();
    if name.is_empty() {
        return None;
    }
    let joins = |c: char| c.is_alphanumeric() && !crate::language::words::is_han(c);
    let borders = (name.starts_with(joins), name.ends_with(joins));
    text.match_indices(name).map(|(at, _)| at).find(|&at| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let behind = text.get(at + name.len()..).and_then(|text| text.chars().next());
        let inside = borders.0 && before.is_some_and(joins) || borders.1 && behind.is_some_and(joins);
        !inside
    })
}

fn sentence_of(text: &str, name: &str) -> String {
    let at = place_of(text, name).unwrap_or_default();
    let range = sentences(text).into_iter().find(|range| range.contains(&at));
    one_line(range.and_then(|range| text.get(range)).unwrap_or_default())
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
            sentiment: None,
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
    fn known_names_are_seen_and_stop_names_are_not() {
        let schema = schema(
            "[extraction.schema]\nstop_names = [\"Operator\"]\n[[extraction.schema.names]]\n\
             name = \"Intelligent Cloud\"\ntype = \"segment\"\nalso = [\"IC\"]",
        );
        let mut extraction = Extraction {
            records: vec![
                entity("Operator", "person"),
                entity("Amy", "person"),
                related("Operator", "calls", "Amy"),
            ],
            ..Extraction::default()
        };
        schema.hold("The Operator calls Amy. In IC revenue grew. NICE.", &mut extraction);
        assert_eq!(extraction.records_pruned, 2);
        assert_eq!(
            extraction.records,
            [
                entity("Amy", "person"),
                Record::Entity(EntityRecord {
                    name: "IC".into(),
                    kind: "segment".into(),
                    description: "In IC revenue grew.".into(),
                    aliases: vec!["Intelligent Cloud".into()],
                    sentiment: None,
                })
            ]
        );
        let mut read = Extraction { records: vec![entity("intelligent cloud", "")], ..Extraction::default() };
        schema.hold("Intelligent Cloud (IC) grew.", &mut read);
        let Record::Entity(seen) = &read.records[0] else { panic!("an entity") };
        assert_eq!((seen.kind.as_str(), seen.aliases.clone()), ("segment", vec!["IC".to_owned()]));
        let mut other = Extraction::default();
        schema.hold("NICE.", &mut other);
        assert!(other.records.is_empty(), "no word of its own");
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
