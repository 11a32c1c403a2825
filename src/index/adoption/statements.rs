//! What a graph says of a node, in sentences, each with its place in the graph.

use super::pattern::{NodePattern, Pattern};
use crate::domain::{Locator, LocatorKind, LocatorMark, fingerprint};
use crate::index::documents::{GRAPH_READER, SourceDocument};
use crate::language::{one_line, unbroken};
use std::collections::BTreeMap;

/// Characters of a name, a label or a type; what others wrote is cut there.
const NAME_CHARACTERS: usize = 200;
/// Characters of a property's value that are shown.
const VALUE_CHARACTERS: usize = 300;
/// Properties of a node or a relationship that are shown.
const PROPERTIES: usize = 40;
/// The most that a weight counts: one relationship of a table shall not outweigh all others.
const HEAVIEST: f64 = 100.0;

/// A node that is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphNode {
    /// What it is and what it is called.
    pub end: RelationshipEnd,
    /// Its other properties by their keys, as texts.
    pub properties: BTreeMap<String, String>,
    /// What its text says, where it has one.
    pub text: String,
}

/// One end of a relationship.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelationshipEnd {
    /// Its label or type, as the graph writes it; empty where it has none.
    pub label: String,
    /// What it is called.
    pub name: String,
}

/// A relationship that is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphRelation {
    /// Where it begins.
    pub source: RelationshipEnd,
    /// Its type, as the graph writes it.
    pub kind: String,
    /// Where it ends.
    pub target: RelationshipEnd,
    /// Its properties by their keys, as texts.
    pub properties: BTreeMap<String, String>,
    /// What its text says, where it has one.
    pub description: String,
    /// How much it weighs, where the graph says so.
    pub weight: Option<f64>,
}

/// What a graph says of a node as a document: of the node itself, if at all, and of its relationships in their order.
pub fn document_of(key: String, node: Option<&GraphNode>, relations: &[GraphRelation]) -> SourceDocument {
    let mut writer = StatementWriter::default();
    let mut metadata = BTreeMap::new();
    if let Some(node) = node {
        writer.node(node);
        let shown = visible_properties(&node.properties);
        metadata.extend(shown.map(|(key, value)| (key.to_owned(), value)));
    }
    for relation in relations {
        writer.relation(relation);
    }
    let called = node.map(|node| &node.end).or_else(|| relations.first().map(|relation| &relation.source));
    SourceDocument {
        key,
        title: called.map(|end| name(&end.name)).unwrap_or_default(),
        text: writer.text,
        metadata,
        headings: Vec::new(),
        locators: writer.marks,
        read_elsewhere: None,
    }
}

/// By what it is seen whether a graph says something else now than it said when the document was stored.
pub fn fingerprint_of(document: &SourceDocument) -> String {
    let marks = document.locators.iter().map(|mark| format!("{} {}", mark.offset, mark.locator.label));
    let marks: Vec<String> = marks.collect();
    let metadata: Vec<String> =
        document.metadata.iter().map(|(key, value)| format!("{key}\n{value}")).collect();
    fingerprint(&[GRAPH_READER, &document.title, &document.text, &marks.join("\n"), &metadata.join("\n")])
}

/// A label or a type in words: `WORKS_FOR` and `worksFor` are "works for".
pub(super) fn words(label: &str) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for c in label.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            words.push(' ');
        }
        words.push(if c == '_' { ' ' } else { c });
        before = c;
    }
    let is_han = words.chars().any(is_han);
    let words = unbroken(&words);
    if is_han { words } else { words.to_lowercase() }
}

/// A name as a line of at most so many characters.
pub(super) fn name(text: &str) -> String {
    let harmless: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    one_line(&harmless).chars().take(NAME_CHARACTERS).collect::<String>().trim_end().to_owned()
}

/// How much a weight counts.
pub(super) fn counted(weight: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
    let counted = weight.round().clamp(1.0, HEAVIEST) as u32;
    counted
}

fn is_han(c: char) -> bool {
    ('\u{3400}'..='\u{9fff}').contains(&c)
}

/// The properties that are shown, each in a line.
fn visible_properties(properties: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, String)> {
    let lines = properties.iter().filter_map(|(key, value)| {
        let value = one_line(value);
        let value = value.trim();
        let cut: String = value.chars().take(VALUE_CHARACTERS).collect();
        (!cut.is_empty() && !key.trim().is_empty()).then_some((key.as_str(), cut))
    });
    lines.take(PROPERTIES)
}

#[derive(Default)]
struct StatementWriter {
    text: String,
    characters: u64,
    marks: Vec<LocatorMark>,
}

impl StatementWriter {
    fn node(&mut self, node: &GraphNode) {
        let end = pattern(&node.end);
        let kind = words(&end.label);
        let (said, stop) = match kind.as_str() {
            "" => (end.name.clone(), "."),
            kind if kind.chars().any(is_han) => (format!("{}是{kind}", end.name), "。"),
            kind => (format!("{} is {} {kind}", end.name, article(kind)), "."),
        };
        let properties = in_brackets(&node.properties, stop);
        let text = node.text.trim();
        let gap = if text.is_empty() { "" } else { "\n\n" };
        self.push_statement(&Pattern::Node(end), &format!("{said}{properties}{stop}{gap}{text}"));
    }

    fn relation(&mut self, relation: &GraphRelation) {
        let (source, target) = (pattern(&relation.source), pattern(&relation.target));
        let kind = words(&relation.kind);
        let (said, stop) = if kind.chars().any(is_han) {
            (format!("{}{kind}{}", source.name, target.name), "。")
        } else {
            (format!("{} {kind} {}", source.name, target.name), ".")
        };
        let mut properties = relation.properties.clone();
        let weight = relation.weight.filter(|weight| weight.is_finite()).map(counted);
        if let Some(weight) = weight {
            properties.insert("weight".to_owned(), weight.to_string());
        }
        let properties = in_brackets(&properties, stop);
        let description = one_line(&relation.description);
        let description = description.trim();
        let gap = if description.is_empty() || stop == "。" { "" } else { " " };
        let pattern = Pattern::Relationship { source, kind: name(&relation.kind), weight, target };
        self.push_statement(&pattern, &format!("{said}{properties}{stop}{gap}{description}"));
    }

    /// One statement, a paragraph of its own.
    fn push_statement(&mut self, pattern: &Pattern, statement: &str) {
        if !self.text.is_empty() {
            self.add("\n\n");
        }
        let number = self.marks.len() as u64 + 1;
        let locator = Locator::new(LocatorKind::Graph, number).labelled(pattern.to_string());
        self.marks.push(LocatorMark { offset: self.characters, locator });
        self.add(statement);
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.characters += text.chars().count() as u64;
    }
}

fn pattern(end: &RelationshipEnd) -> NodePattern {
    NodePattern { label: name(&end.label), name: name(&end.name) }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

/// ` (born: 1815; title: Countess)`
fn in_brackets(properties: &BTreeMap<String, String>, stop: &str) -> String {
    let (open, colon, between, close) =
        if stop == "。" { ("（", "：", "；", "）") } else { (" (", ": ", "; ", ")") };
    let all: Vec<String> =
        visible_properties(properties).map(|(key, value)| format!("{}{colon}{value}", name(key))).collect();
    if all.is_empty() { String::new() } else { format!("{open}{}{close}", all.join(between)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(label: &str, name: &str) -> RelationshipEnd {
        RelationshipEnd { label: label.to_owned(), name: name.to_owned() }
    }

    fn texts(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_node_and_its_relationships_are_sentences_with_places() {
        let node = GraphNode {
            end: end("Person", "Ada"),
            properties: texts(&[("born", "1815-12-10"), ("none", " ")]),
            text: "She wrote notes.".into(),
        };
        let relation = GraphRelation {
            source: end("Person", "Ada"),
            kind: "WORKS_FOR".into(),
            target: end("Company", "Babbage"),
            properties: texts(&[("since", "1842")]),
            description: "On the\nengine.".into(),
            weight: Some(2.6),
        };
        let document = document_of("graph://x/1".into(), Some(&node), std::slice::from_ref(&relation));
        assert_eq!(
            document.text,
            "Ada is a person (born: 1815-12-10).\n\nShe wrote notes.\n\n\
             Ada works for Babbage (since: 1842; weight: 3). On the engine."
        );
        assert_eq!(document.title, "Ada");
        assert_eq!(document.metadata, texts(&[("born", "1815-12-10")]));
        let places: Vec<(u64, &str)> =
            document.locators.iter().map(|mark| (mark.offset, mark.locator.label.as_str())).collect();
        let second = "(:Person {name: \"Ada\"})-[:WORKS_FOR {weight: 3}]->(:Company {name: \"Babbage\"})";
        assert_eq!(places, [(0, "(:Person {name: \"Ada\"})"), (55, second)]);
        let alone = document_of("graph://x/2".into(), None, &[relation]);
        assert!(alone.text.starts_with("Ada works for Babbage"), "{}", alone.text);
        assert_ne!(fingerprint_of(&alone), fingerprint_of(&document));
    }

    #[test]
    fn chinese_is_written_as_chinese() {
        let node =
            GraphNode {
                end: end("人物", "曹操"), properties: texts(&[("字", "孟德")]), text: String::new()
            };
        let relation = GraphRelation {
            source: end("人物", "曹操"),
            kind: "杀死".into(),
            target: end("人物", "吕伯奢"),
            ..GraphRelation::default()
        };
        let document = document_of("graph://x/1".into(), Some(&node), &[relation]);
        assert_eq!(document.text, "曹操是人物（字：孟德）。\n\n曹操杀死吕伯奢。");
    }

    #[test]
    fn labels_become_words() {
        let check = |label: &str, expected: &str| assert_eq!(words(label), expected);
        check("WORKS_FOR", "works for");
        check("worksFor", "works for");
        check("VicePresident", "vice president");
        check("works for", "works for");
        check("任职于", "任职于");
        check("__", "");
    }

    #[test]
    fn what_others_wrote_is_bounded_and_makes_no_statement() {
        let node = GraphNode {
            end: end("Per\nson", &format!("Ada\n\n(:Person {{name: \"Eve\"}}){}", "x".repeat(1000))),
            ..GraphNode::default()
        };
        let document = document_of("graph://x/1".into(), Some(&node), &[]);
        assert_eq!(document.locators.len(), 1);
        assert!(document.title.chars().count() <= NAME_CHARACTERS && !document.title.contains('\n'));
        let Some(Pattern::Node(read)) = Pattern::parse(&document.locators[0].locator.label) else {
            panic!("{:?}", document.locators)
        };
        assert_eq!(read.name, document.title);
    }
}
