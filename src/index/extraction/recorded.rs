//! Extraction that was done elsewhere and is replayed: entities and triples a passage, as open information extraction
//! by a model leaves them (the files of `HippoRAG`, Gutiérrez et al. 2024), malformed ones included.

use super::{Extraction, UnitText};
use crate::domain::{EntityRecord, Record, RelationshipRecord, fingerprint, name_key};
use crate::language::unbroken;
use anyhow::{Context, Result, ensure};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What was extracted from each text.
#[derive(Debug, Default)]
pub struct Recording {
    by_text: FxHashMap<String, RecordedPassage>,
    fingerprint: String,
}

#[derive(Deserialize)]
struct File {
    docs: Vec<RecordedPassage>,
}

#[derive(Debug, Deserialize)]
struct RecordedPassage {
    #[serde(default)]
    text: String,
    #[serde(default)]
    extracted_entities: Vec<Value>,
    #[serde(default)]
    extracted_triples: Vec<Value>,
}

impl Recording {
    /// Reads `{"docs": [{text, extracted_entities, extracted_triples}]}`.
    ///
    /// # Errors
    /// A file that cannot be read, has another form, or holds nothing.
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let file: File = serde_json::from_str(&without_python_numbers(&text)).with_context(|| {
            format!(
                "{} is no recorded extraction; wanted is {{\"docs\": [{{\"text\", \"extracted_entities\", \
                 \"extracted_triples\"}}]}}",
                path.display()
            )
        })?;
        ensure!(!file.docs.is_empty(), "{} holds no documents", path.display());
        let by_text = file.docs.into_iter().map(|passage| (squeezed(&passage.text), passage)).collect();
        Ok(Self { by_text, fingerprint: fingerprint(&[&text]) })
    }

    /// What records depend on, for people.
    pub fn settings(&self) -> String {
        format!("{REPLAYED}{}", self.fingerprint)
    }

    /// The records of a unit's text: what the document is about, the entities, and the triples. A triple's ends are the
    /// first and the last of its parts that are entities of the passage, else its first and last part where it has
    /// three; a malformed one with a single known part describes that; any other is lost.
    pub fn extract(&self, unit: &UnitText<'_>) -> Extraction {
        let mut extraction = Extraction::default();
        let Some(passage) = self.by_text.get(&squeezed(unit.text)) else {
            extraction.problems.push("the recording does not hold this text".to_owned());
            return extraction;
        };
        let mut entities = RecordedEntities::default();
        entities.add(unit.title, "");
        if let Some((base, _)) = unit.title.strip_suffix(')').and_then(|title| title.rsplit_once(" (")) {
            entities.add(base, "");
        }
        for entity in &passage.extracted_entities {
            match entity.as_str() {
                Some(name) if !name_key(name).is_empty() => entities.add(name, ""),
                _ => extraction.records_lost += 1,
            }
        }
        let mut relationships: BTreeMap<(String, String), RelationshipRecord> = BTreeMap::new();
        for triple in &passage.extracted_triples {
            let parts: Vec<&str> =
                triple.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let statement = parts.join(" ");
            match ends(&parts, &entities) {
                Some((source, target)) => {
                    let (from, to) = (parts[source], parts[target]);
                    entities.add(from, &statement);
                    entities.add(to, "");
                    let kind = parts.get(source + 1..target).unwrap_or_default().join(" ");
                    let (a, b) = (name_key(from), name_key(to));
                    let key = if a < b { (a, b) } else { (b, a) };
                    let known = relationships.entry(key).or_insert_with(|| RelationshipRecord {
                        source: from.to_owned(),
                        target: to.to_owned(),
                        kind,
                        description: String::new(),
                        strength: 1,
                    });
                    if !known.description.is_empty() {
                        known.description.push_str("; ");
                    }
                    known.description.push_str(&statement);
                }
                None => match parts.iter().find(|part| entities.holds(part)) {
                    Some(known) => entities.add(known, &statement),
                    None => extraction.records_lost += 1,
                },
            }
        }
        extraction.records.extend(entities.records.into_iter().map(Record::Entity));
        extraction.records.extend(relationships.into_values().map(Record::Relationship));
        extraction
    }
}

/// Python writes numbers that JSON does not know, and recordings hold them among their averages: null in their stead.
fn without_python_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escaped, mut rest) = (false, false, text);
    while let Some(next) = rest.chars().next() {
        let number = ["NaN", "Infinity", "-Infinity"].into_iter().find(|number| rest.starts_with(number));
        if let Some(number) = number.filter(|_| !in_string) {
            out.push_str("null");
            rest = rest.get(number.len()..).unwrap_or_default();
            continue;
        }
        in_string ^= next == '"' && !escaped;
        escaped = in_string && next == '\\' && !escaped;
        out.push(next);
        rest = rest.get(next.len_utf8()..).unwrap_or_default();
    }
    out
}

/// Entities by their order, one a key.
#[derive(Default)]
struct RecordedEntities {
    records: Vec<EntityRecord>,
    places: BTreeMap<String, usize>,
    told: BTreeSet<(String, String)>,
}

impl RecordedEntities {
    fn holds(&self, name: &str) -> bool {
        self.places.contains_key(&name_key(name))
    }

    fn add(&mut self, name: &str, statement: &str) {
        let key = name_key(name);
        if key.is_empty() {
            return;
        }
        let place = *self.places.entry(key.clone()).or_insert_with(|| {
            self.records.push(EntityRecord { name: name.trim().to_owned(), ..EntityRecord::default() });
            self.records.len() - 1
        });
        if let Some(record) = self.records.get_mut(place)
            && !statement.is_empty()
            && self.told.insert((key, statement.to_owned()))
        {
            if !record.description.is_empty() {
                record.description.push_str("; ");
            }
            record.description.push_str(statement);
        }
    }
}

/// The places of a triple's ends among its parts.
fn ends(parts: &[&str], entities: &RecordedEntities) -> Option<(usize, usize)> {
    let differ = |a: usize, b: usize| {
        let (a, b) = (name_key(parts.get(a)?), name_key(parts.get(b)?));
        (!a.is_empty() && !b.is_empty() && a != b).then_some(())
    };
    if parts.len() == 3 {
        return differ(0, 2).map(|()| (0, 2));
    }
    let known = |place: &usize| parts.get(*place).is_some_and(|part| entities.holds(part));
    let first = (0..parts.len()).find(known)?;
    let last = (0..parts.len()).rev().find(known)?;
    differ(first, last).map(|()| (first, last))
}

fn squeezed(text: &str) -> String {
    unbroken(text)
}

/// What the settings of replayed records begin with.
const REPLAYED: &str = "recorded, ";

/// Whether records of these settings were replayed from a file.
pub(in crate::index) fn is_replayed(settings: &str) -> bool {
    settings.starts_with(REPLAYED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extract(entities: &str, triples: &str) -> Extraction {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("openie.json");
        let file = format!(
            r#"{{"docs": [{{"text": "A  text.", "extracted_entities": {entities}, "extracted_triples": {triples}}}]}}"#
        );
        std::fs::write(&path, file).expect("written");
        let recording = Recording::read(&path).expect("a recording");
        recording.extract(&UnitText {
            title: "Mercury (planet)",
            headings: &[],
            text: "A text. ",
            header: "",
        })
    }

    fn record_lines(extraction: &Extraction) -> Vec<String> {
        let lines = extraction.records.iter().map(|record| match record {
            Record::Entity(entity) => format!("{}: {}", entity.name, entity.description),
            Record::Relationship(one) => {
                format!("{} |{}| {}: {}", one.source, one.kind, one.target, one.description)
            }
            Record::Claim(_) => String::new(),
        });
        lines.collect()
    }

    #[test]
    fn numbers_of_python_are_read_over() {
        let text = r#"{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN \" Infinity \\", "d": NaN}"#;
        let wanted = r#"{"a": null, "b": [null, null], "c": "NaN \" Infinity \\", "d": null}"#;
        assert_eq!(without_python_numbers(text), wanted);
    }

    #[test]
    fn a_real_recording_is_read() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/qa/musique/openie.json");
        if !path.exists() {
            eprintln!("SKIPPED: {} is not there", path.display());
            return;
        }
        let recording = Recording::read(&path).expect("a recording");
        assert_eq!(recording.by_text.len(), 1890);
    }

    #[test]
    fn triples_become_relationships_with_both_ends() {
        let found = extract(
            r#"["Mercury", "Sun"]"#,
            r#"[["Mercury", "orbits", "Sun"], ["Sun", "warms", "mercury"]]"#,
        );
        assert_eq!(
            record_lines(&found),
            [
                "Mercury (planet): ",
                "Mercury: Mercury orbits Sun",
                "Sun: Sun warms mercury",
                "Mercury |orbits| Sun: Mercury orbits Sun; Sun warms mercury",
            ]
        );
        assert_eq!(found.records_lost, 0);
    }

    #[test]
    fn malformed_triples_say_what_they_can() {
        let found = extract(
            r#"["River", "Cairo", 7, ""]"#,
            r#"[["River", "is long"], ["River", "joins", "another", "at", "Cairo"], ["so", "it"], ["x", "is", "x"], "no", []]"#,
        );
        let lines = record_lines(&found);
        assert!(
            lines.contains(&"River: River is long; River joins another at Cairo".to_owned()),
            "{lines:?}"
        );
        assert!(lines.contains(&"River |joins another at| Cairo: River joins another at Cairo".to_owned()));
        assert_eq!(found.records_lost, 6, "two entities and four triples that say nothing");
    }

    #[test]
    fn other_texts_and_files_are_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("openie.json");
        for wrong in ["[]", "{\"docs\": []}", "nothing"] {
            std::fs::write(&path, wrong).expect("written");
            assert!(Recording::read(&path).is_err(), "{wrong}");
        }
        let other = extract("[]", "[]").records.len();
        assert_eq!(other, 2, "the document's title, with and without brackets");
    }
}
