//! Entities' types as labels of Neo4j, so that people find them in its own tools.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Every label that a statement of ours names.
const OURS: [&str; 33] = [
    "Alias",
    "Answer",
    "AskedQuestion",
    "AtomicFact",
    "ChangedName",
    "Chunk",
    "Claim",
    "Clustered",
    "Community",
    "DictionaryName",
    "Document",
    "Edit",
    "Entity",
    "FactChunk",
    "Finding",
    "Graphwright",
    "KeyElement",
    "Leaf",
    "Ledger",
    "LineageStep",
    "Lock",
    "Name",
    "Period",
    "Question",
    "QuestionChange",
    "Summary",
    "TextUnit",
    "TreeNode",
    "VectorTombstone",
    "Verdict",
    "Worker",
    "__Community__",
    "__Entity__",
];

/// A type as a label: letters and digits of any script, `UpperCamelCase`, at most 40 characters; one that the graph uses
/// itself gets the suffix `Entity`.
pub fn type_label(kind: &str) -> String {
    let mut label = String::new();
    for word in kind.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let mut letters = word.chars();
        label.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        label.extend(letters.flat_map(char::to_lowercase));
    }
    let mut label: String = label.chars().take(40).collect();
    if label.starts_with(|c: char| c.is_numeric()) {
        label.insert(0, 'T');
    }
    if reserved_labels().contains(label.as_str()) {
        label.push_str("Entity");
    }
    label
}

/// The labels that our own nodes have; a type never becomes one of them.
pub fn reserved_labels() -> &'static BTreeSet<&'static str> {
    static LABELS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| OURS.into());
    &LABELS
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn type_labels_are_clean_and_never_ours() {
        let check = |kind: &str, expected: &str| assert_eq!(type_label(kind), expected);
        check("person", "Person");
        check("NATURAL disaster", "NaturalDisaster");
        check("人物", "人物");
        check("community", "CommunityEntity");
        check("ledger", "LedgerEntity");
        check("Clustered", "ClusteredEntity");
        check("`) DETACH DELETE n //", "DetachDeleteN");
        check("3d model", "T3dModel");
        check("…", "");
    }

    /// The words that a type would have to be made of to become this label.
    fn words(label: &str) -> String {
        let spaced = label.chars().flat_map(|c| c.is_uppercase().then_some(' ').into_iter().chain([c]));
        spaced.collect::<String>().trim().to_lowercase()
    }

    #[test]
    fn every_label_of_our_statements_is_reserved() {
        let mut labels = BTreeSet::new();
        for text in statements(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cypher")) {
            node_labels(&text, &mut labels);
        }
        for expected in ["Ledger", "Clustered", "TextUnit", "Chunk", "Summary"] {
            assert!(labels.contains(expected), "{expected}: {labels:?}");
        }
        for label in &labels {
            assert!(reserved_labels().contains(label.as_str()), "{label} is not reserved");
        }
        for label in labels.iter().filter(|label| !label.starts_with("__")) {
            assert_eq!(type_label(&words(label)), format!("{label}Entity"));
        }
    }

    /// The statements below a folder, without their comments.
    fn statements(folder: &Path) -> Vec<String> {
        let mut texts = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                texts.extend(statements(&path));
            } else if path.extension().is_some_and(|end| end == "cypher") {
                let text = std::fs::read_to_string(&path).unwrap();
                texts.push(text.lines().filter(|line| !line.trim_start().starts_with("//")).collect());
            }
        }
        texts
    }

    /// The labels behind `(variable:` and `SET variable:`.
    fn node_labels(text: &str, labels: &mut BTreeSet<String>) {
        for (at, _) in text.match_indices(':') {
            let before = text[..at].trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
            let names =
                text[at + 1..].split(|c: char| !(c.is_alphanumeric() || "_|:&!".contains(c))).next().unwrap();
            if before.ends_with('(') || before.ends_with("SET ") {
                let names =
                    names.split(['|', ':', '&', '!']).filter(|name| name.starts_with(char::is_uppercase));
                labels.extend(names.map(str::to_owned));
            }
        }
    }
}
