//! What a description is made of: the distinct descriptions of all evidence, joined where no summary is of just these.

use crate::domain::{EntityEvidence, RelationshipEvidence, fingerprint};
use std::collections::BTreeSet;

/// Characters that joined descriptions may have; what is beyond stays in the evidence.
const JOINED_DESCRIPTION_CHARACTERS: usize = 1200;

/// The descriptions of an entity that its description is made of.
pub fn entity_descriptions(evidence: &EntityEvidence) -> Vec<&str> {
    distinct(evidence.mentions.iter().filter(|(_, m)| !m.linked).flat_map(|(_, m)| m.descriptions.iter()))
}

/// The descriptions of a relationship that its description is made of.
pub fn relationship_descriptions(evidence: &RelationshipEvidence) -> Vec<&str> {
    distinct(evidence.items.iter().flat_map(|(_, items)| items.iter()).map(|item| &item.description))
}

/// The distinct, non-empty texts in their first order: what a description is made of.
pub(super) fn distinct<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    texts.map(String::as_str).filter(|text| !text.is_empty() && seen.insert(*text)).collect()
}

/// Fingerprint of the descriptions that a summary was written from.
pub fn descriptions_fingerprint(descriptions: &[&str]) -> String {
    fingerprint(descriptions)
}

/// Whether a summary's fingerprint, `<settings>/<descriptions>`, says that it is of just these descriptions, whatever
/// the settings it was written with.
pub fn is_summary_of(fingerprint: &str, descriptions: &[&str]) -> bool {
    let of = fingerprint.rsplit_once('/').map_or(fingerprint, |(_, of)| of);
    of == descriptions_fingerprint(descriptions)
}

/// The summary where it is of just these descriptions, else the first of them joined.
pub(super) fn description(descriptions: &[&str], summary: Option<&(String, String)>) -> String {
    if let Some((of, text)) = summary
        && is_summary_of(of, descriptions)
    {
        return text.clone();
    }
    let mut joined = String::new();
    let mut characters = 0;
    for description in descriptions {
        let length = description.chars().count();
        if !joined.is_empty() {
            if characters + 1 + length > JOINED_DESCRIPTION_CHARACTERS {
                break;
            }
            joined.push('\n');
            characters += 1;
        }
        joined.extend(description.chars().take(JOINED_DESCRIPTION_CHARACTERS));
        characters += length;
    }
    joined
}
