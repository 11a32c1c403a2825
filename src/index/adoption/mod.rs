//! Graphs that were there before: nodes and relationships of another graph as documents of this one.
//!
//! A node becomes a document that says in sentences what the graph says, one statement a paragraph (`statements`). Each
//! has a place in the graph, its [`pattern`]: `(:Person {name: "Ada"})-[:WORKS_FOR]->(:Company {name: "Babbage"})`. So
//! records of such a text unit are a pure function of it ([`records`]), which no extraction reads and nothing can lose:
//! all that follows from records holds for them too.

pub mod pattern;
mod statements;
mod reading;
mod columns;
pub mod tables;
pub mod source;

pub use reading::records;
pub use source::{AdoptedGraph, SameAs};
pub use statements::{GraphNode, GraphRelation, RelationshipEnd, document_of, fingerprint_of};

use super::documents::GRAPH;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// Beginning of the keys of all documents of one graph or table.
pub fn keys_of(source: &str) -> String {
    format!("{GRAPH}{}/", escaped(source, "/.:"))
}

/// The key of what a graph or a table says of one node.
pub fn key(source: &str, parts: &[&str]) -> String {
    let parts: Vec<String> = parts.iter().map(|part| escaped(part, ":")).collect();
    format!("{}{}", keys_of(source), parts.join("/"))
}

/// The last part of a key that [`key`] made, as it was.
pub fn last_part(key: &str) -> Option<String> {
    let (_, part) = key.rsplit_once('/')?;
    percent_decode_str(part).decode_utf8().ok().map(Cow::into_owned)
}

/// A text of others as a part of a key: letters, digits, `-`, `_` and what is `kept` stand as they are.
fn escaped(text: &str, kept: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_alphanumeric() || c == '-' || c == '_' || kept.contains(c) {
            key.push(c);
        } else {
            let mut bytes = [0; 4];
            key.extend(c.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")));
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_no_files_and_leads_back() {
        let check = |parts: &[&str], expected: &str| {
            let key = key("crm", parts);
            assert_eq!(key, expected);
            assert_eq!(last_part(&key).as_deref(), parts.last().copied());
        };
        check(&["Person", "4:8a-b:17"], "graph://crm/Person/4:8a-b:17");
        check(&["report.pdf#1/x"], "graph://crm/report%2Epdf%231%2Fx");
        check(&["曹 操"], "graph://crm/曹%20操");
        assert_eq!(key("data/people.csv", &["1"]), "graph://data/people.csv/1");
        assert_eq!(keys_of("a#b.csv"), "graph://a%23b.csv/");
        assert_eq!(last_part("graph://x/%FF"), None, "no text");
    }
}
