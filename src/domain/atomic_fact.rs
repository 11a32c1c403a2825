//! Atomic facts (GraphReader, Li et al. 2024): the smallest statements of a text, with the key elements they speak of.

use super::{Id, name_key};
use serde::{Deserialize, Serialize};

/// One statement that cannot be divided further.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AtomicFact {
    /// The statement, a sentence.
    pub text: String,
    /// What it speaks of: nouns, verbs and adjectives that matter, as written, each once by its [`element_key`].
    pub key_elements: Vec<String>,
}

/// A run of text units of one document that is read as a whole, with its facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactChunk {
    /// Its text units, in the order of the text.
    pub text_units: Vec<Id>,
    /// Its facts, in the order of the text.
    pub facts: Vec<AtomicFact>,
}

/// A document's facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentFacts {
    /// The document.
    pub document: Id,
    /// Fingerprint of what they were read from and by; other facts are due where it differs.
    pub stamp: String,
    /// Its chunks, in the order of the text.
    pub chunks: Vec<FactChunk>,
}

/// Normalised key element: the key of a name without articles before it, possessive endings and marks around it.
/// Empty where nothing is left.
pub fn element_key(element: &str) -> String {
    let key = name_key(element);
    let mut key = key.trim_matches(|c: char| !c.is_alphanumeric());
    for article in ["the ", "a ", "an "] {
        key = key.strip_prefix(article).unwrap_or(key);
    }
    for ending in ["'s", "’s"] {
        key = key.strip_suffix(ending).unwrap_or(key);
    }
    key.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_elements_are_the_same_without_articles_and_marks() {
        let check = |input: &str, expected: &str| assert_eq!(element_key(input), expected);
        check("The Ghost of  Christmas Past.", "ghost of christmas past");
        check("\"Scrooge's\"", "scrooge");
        check("an  hour", "hour");
        check("曹操", "曹操");
        check("--", "");
        check("The", "the");
    }
}
