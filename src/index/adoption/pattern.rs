//! What a statement of a graph is: a node or a relationship, written as Cypher writes it, and read back.

use std::fmt;

/// A node or a relationship between two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `(:Person {name: "Ada"})`
    Node(NodePattern),
    /// `(:Person {name: "Ada"})-[:WORKS_FOR]->(:Company {name: "Babbage"})`
    Relationship {
        /// Where it begins.
        source: NodePattern,
        /// Its type, as the graph writes it.
        kind: String,
        /// How much it weighs, where the graph says so.
        weight: Option<u32>,
        /// Where it ends.
        target: NodePattern,
    },
}

/// A node by its label and name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodePattern {
    /// As the graph writes it; empty where it has none.
    pub label: String,
    /// What it is called.
    pub name: String,
}

impl Pattern {
    /// Reads what [`Display`](fmt::Display) writes; nothing else is a pattern.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = Rest(text);
        let source = rest.node()?;
        if rest.0.is_empty() {
            return Some(Self::Node(source));
        }
        rest.token("-[:")?;
        let kind = rest.word()?;
        let weight = if rest.token(" {weight: ").is_some() {
            let digits = rest.0.find('}')?;
            let weight = rest.0.get(..digits)?.parse().ok()?;
            rest.0 = rest.0.get(digits + 1..)?;
            Some(weight)
        } else {
            None
        };
        rest.token("]->")?;
        let target = rest.node()?;
        rest.0.is_empty().then_some(Self::Relationship { source, kind, weight, target })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(node) => node.fmt(f),
            Self::Relationship { source, kind, weight, target } => {
                write!(f, "{source}-[:{}", PatternName(kind))?;
                if let Some(weight) = weight {
                    write!(f, " {{weight: {weight}}}")?;
                }
                write!(f, "]->{target}")
            }
        }
    }
}

impl fmt::Display for NodePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        if !self.label.is_empty() {
            write!(f, ":{} ", PatternName(&self.label))?;
        }
        write!(f, "{{name: {}}})", serde_json::Value::from(self.name.as_str()))
    }
}

/// A label or a type, between backticks where it needs them.
struct PatternName<'a>(&'a str);

impl fmt::Display for PatternName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |c: char| c.is_alphanumeric() || c == '_';
        if self.0.starts_with(|c: char| c.is_alphabetic() || c == '_') && self.0.chars().all(plain) {
            f.write_str(self.0)
        } else {
            write!(f, "`{}`", self.0.replace('`', "``"))
        }
    }
}

/// What is still to be read.
struct Rest<'a>(&'a str);

impl Rest<'_> {
    fn token(&mut self, token: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(token)?;
        Some(())
    }

    fn node(&mut self) -> Option<NodePattern> {
        self.token("(")?;
        let label = if self.token(":").is_some() {
            let label = self.word()?;
            self.token(" ")?;
            label
        } else {
            String::new()
        };
        self.token("{name: ")?;
        let mut names = serde_json::Deserializer::from_str(self.0).into_iter::<String>();
        let name = names.next()?.ok()?;
        let read = names.byte_offset();
        self.0 = self.0.get(read..)?;
        self.token("})")?;
        Some(NodePattern { label, name })
    }

    fn word(&mut self) -> Option<String> {
        if self.token("`").is_none() {
            let end = self.0.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.0.len());
            let (word, rest) = self.0.split_at(end);
            self.0 = rest;
            return (!word.is_empty()).then(|| word.to_owned());
        }
        let mut word = String::new();
        loop {
            let end = self.0.find('`')?;
            word.push_str(self.0.get(..end)?);
            self.0 = self.0.get(end + 1..)?;
            if self.token("`").is_none() {
                return (!word.is_empty()).then_some(word);
            }
            word.push('`');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn node(label: &str, name: &str) -> NodePattern {
        NodePattern { label: label.to_owned(), name: name.to_owned() }
    }

    #[test]
    fn patterns_read_as_cypher() {
        let check = |pattern: Pattern, expected: &str| assert_eq!(pattern.to_string(), expected);
        check(Pattern::Node(node("Person", "Ada")), "(:Person {name: \"Ada\"})");
        check(Pattern::Node(node("", "Ada")), "({name: \"Ada\"})");
        let works = |weight| Pattern::Relationship {
            source: node("Person", "Ada \"A\""),
            kind: "WORKS_FOR".into(),
            weight,
            target: node("Big`Co", "B"),
        };
        check(works(None), "(:Person {name: \"Ada \\\"A\\\"\"})-[:WORKS_FOR]->(:`Big``Co` {name: \"B\"})");
        check(
            works(Some(3)),
            "(:Person {name: \"Ada \\\"A\\\"\"})-[:WORKS_FOR {weight: 3}]->(:`Big``Co` {name: \"B\"})",
        );
        assert_eq!(Pattern::parse("(:Person {name: \"Ada\"}) DETACH DELETE n"), None);
        assert_eq!(Pattern::parse(""), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            labels in prop::array::uniform2("\\PC{0,8}"),
            names in prop::array::uniform2(".{0,12}"),
            kind in "\\PC{1,8}",
            weight in prop::option::of(0_u32..1000),
        ) {
            let [source, target] = [0, 1].map(|end: usize| node(&labels[end], &names[end]));
            let pattern = Pattern::Relationship { source: source.clone(), kind, weight, target };
            prop_assert_eq!(Pattern::parse(&pattern.to_string()), Some(pattern.clone()));
            prop_assert_eq!(Pattern::parse(&source.to_string()), Some(Pattern::Node(source)));
        }

        #[test]
        fn any_text_is_read_without_harm(text in ".{0,60}") {
            if let Some(pattern) = Pattern::parse(&text) {
                prop_assert!(Pattern::parse(&pattern.to_string()) == Some(pattern));
            }
        }
    }
}
