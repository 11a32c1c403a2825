//! The parts of a tuning, each of which is tried alone: what it sets, and whether the user has set it already.

use super::examples::Example;
use super::field::Field;
use crate::config::{Config, ExtractionConfig};
use serde::Serialize;
use serde_json::{Value, json};

/// A part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The sentence that says what the texts are about.
    Domain,
    /// Types of entities with descriptions.
    Types,
    /// Patterns of relationships; they need the types.
    Relations,
    /// Names that need a list.
    Names,
    /// Worked examples.
    Examples,
    /// What counts as a claim.
    Claims,
    /// Names of the documents' form.
    StopNames,
    /// Types that rules of language see, those below a threshold left out. Without a model alone.
    CommonTypes,
}

impl Part {
    /// All parts, in the order they are tried in.
    pub const ALL: [Self; 8] = [
        Self::Domain,
        Self::Types,
        Self::Relations,
        Self::Names,
        Self::Examples,
        Self::Claims,
        Self::StopNames,
        Self::CommonTypes,
    ];

    /// As people read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Domain => "domain",
            Self::Types => "types",
            Self::Relations => "types with relations",
            Self::Names => "names",
            Self::Examples => "examples",
            Self::Claims => "claims",
            Self::StopNames => "stop names",
            Self::CommonTypes => "common types",
        }
    }

    /// The keys of the configuration that it sets.
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Domain => &["extraction.domain"],
            Self::Types => &["extraction.schema.entities"],
            Self::Relations => &["extraction.schema.entities", "extraction.schema.relations"],
            Self::Names => &["extraction.schema.names"],
            Self::Examples => &["extraction.examples"],
            Self::Claims => &["extraction.claim_description"],
            Self::StopNames => &["extraction.schema.stop_names"],
            Self::CommonTypes => &["extraction.schema.entities", "extraction.schema.typed"],
        }
    }
}

/// One key with the value that it is to have.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Change {
    /// Path in the configuration, with dots.
    pub key: String,
    /// The value.
    pub value: Value,
    /// What stands above it, as a comment.
    pub note: String,
}

/// What was found, ready to be put into settings.
#[derive(Clone, Debug, Default)]
pub struct FieldFindings {
    /// By the model or by statistics.
    pub field: Field,
    /// Worked examples.
    pub examples: Vec<Example>,
    /// Whether claims are read, so that what counts as one can be tried.
    pub claims: bool,
    /// Whether a model reads: types and sentences are for it alone.
    pub by_model: bool,
}

impl FieldFindings {
    /// Whether there is anything to try of a part.
    pub fn has(&self, part: Part) -> bool {
        match part {
            Part::Domain => !self.field.domain.is_empty(),
            Part::Types => self.by_model && !self.field.types.is_empty(),
            Part::Relations => !self.field.types.is_empty() && !self.field.relations.is_empty(),
            Part::Names => !self.field.names.is_empty(),
            Part::Examples => !self.examples.is_empty(),
            Part::Claims => self.claims && !self.field.claims.is_empty(),
            Part::StopNames => !self.field.stop_names.is_empty(),
            Part::CommonTypes => !self.by_model && self.field.has_rare_types(),
        }
    }

    /// Settings with a part in place, which are marked as found: nobody has agreed to them.
    pub fn put(&self, part: Part, config: &mut ExtractionConfig) {
        let (schema, found) = (&mut config.schema, &mut config.found);
        match part {
            Part::Domain => {
                found.domain = true;
                config.domain.clone_from(&self.field.domain);
            }
            Part::Types | Part::Relations => {
                found.types = true;
                schema.entities = self.field.entity_types();
                if part == Part::Relations {
                    found.relations = true;
                    schema.relations.clone_from(&self.field.relations);
                }
            }
            Part::Names => {
                found.names = true;
                schema.names.clone_from(&self.field.names);
            }
            Part::Examples => {
                found.examples = true;
                config.examples = super::examples::joined(&self.examples);
            }
            Part::Claims => {
                found.claims = true;
                config.claim_description = self.field.claims.join("; ");
            }
            Part::StopNames => schema.stop_names.clone_from(&self.field.stop_names),
            Part::CommonTypes => {
                found.types = true;
                schema.entities = self.field.common_types();
                schema.typed = true;
            }
        }
    }

    /// What the kept parts set, each with what is noted of it; with `reports`, what reports are told as well.
    pub fn changes(&self, kept: &[(Part, String)], reports: Option<&str>) -> Vec<Change> {
        let mut tuned = ExtractionConfig::default();
        for (part, _) in kept {
            self.put(*part, &mut tuned);
        }
        let config = Config { extraction: tuned, ..Config::default() };
        let whole = serde_json::to_value(&config).unwrap_or_default();
        let mut changes: Vec<Change> = Vec::new();
        for (key, note) in kept.iter().flat_map(|(part, note)| part.keys().iter().map(move |key| (key, note)))
        {
            if let Some(value) = at(&whole, key).filter(|_| changes.iter().all(|one| one.key != *key)) {
                changes.push(Change { key: (*key).to_owned(), value: value.clone(), note: note.clone() });
            }
        }
        let of_reports = [("reports.audience", &self.field.audience), ("reports.rating", &self.field.rating)];
        for (key, text) in of_reports.into_iter().filter(|(_, text)| !text.is_empty()) {
            let change =
                |note: &str| Change { key: key.to_owned(), value: json!(text), note: note.to_owned() };
            changes.extend(reports.map(change));
        }
        changes
    }
}

/// The value at a path with dots.
pub fn at<'a>(whole: &'a Value, key: &str) -> Option<&'a Value> {
    key.split('.').try_fold(whole, |value, part| value.get(part))
}
