//! `cypher/schema.cypher`, read: each statement makes a constraint or an index, whose name it holds.

use std::sync::LazyLock;

const SCHEMA: &str = include_str!("../../../../cypher/schema.cypher");

/// What the server calls an index of values; a constraint rests on one.
pub(super) const RANGE: &str = "RANGE";
/// What the server calls an index of words.
pub(super) const FULLTEXT: &str = "FULLTEXT";

/// A constraint or an index: its statement, and what it is on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SchemaItem {
    pub(super) name: &'static str,
    /// [`RANGE`] or [`FULLTEXT`].
    pub(super) kind: &'static str,
    /// Label of nodes, or type of relationships.
    pub(super) label: &'static str,
    pub(super) properties: Vec<&'static str>,
    pub(super) on_nodes: bool,
    /// What stands before the name, and behind it.
    parts: (&'static str, &'static str),
}

impl SchemaItem {
    /// Whether it is a constraint, and not only an index.
    pub(super) fn is_constraint(&self) -> bool {
        self.parts.0 == "CREATE CONSTRAINT"
    }

    /// Its statement under a name of ours: the one it has, or one for a database where that is taken.
    pub(super) fn statement(&self, name: &str) -> String {
        let (before, behind) = self.parts;
        format!("{before} {name} {behind}")
    }
}

/// All that the schema holds, in the order of the file.
pub(super) fn items() -> &'static [SchemaItem] {
    static ITEMS: LazyLock<Vec<SchemaItem>> = LazyLock::new(|| SCHEMA.split(';').filter_map(item).collect());
    &ITEMS
}

/// A statement with the comments before it; nothing where there is none.
fn item(mut statement: &'static str) -> Option<SchemaItem> {
    statement = statement.trim();
    while statement.starts_with("//") {
        statement = statement.split_once('\n')?.1.trim_start();
    }
    let making = statement.split_once(" IF NOT EXISTS FOR ")?.0;
    let (before, name) = making.rsplit_once(' ')?;
    let behind = statement.get(making.len() + 1..)?;
    let (head, rest) = behind.split_once(':')?;
    let (_, variable) = head.rsplit_once(['(', '['])?;
    let (label, on) = rest.split_once([')', ']'])?;
    let on = on.split("OPTIONS").next()?;
    let property = format!("{variable}.");
    let properties = on.split(property.as_str()).skip(1);
    let word = |text: &'static str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next();
    Some(SchemaItem {
        name,
        kind: if before.contains(FULLTEXT) { FULLTEXT } else { RANGE },
        label,
        properties: properties.filter_map(word).collect(),
        on_nodes: !head.contains('['),
        parts: (before, behind),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> &'static SchemaItem {
        items().iter().find(|item| item.name == name).unwrap()
    }

    #[test]
    fn every_statement_of_the_schema_is_understood() {
        assert_eq!(items().len(), SCHEMA.lines().filter(|line| line.starts_with("CREATE ")).count());
        for item in items() {
            assert!(!item.properties.is_empty() && !item.label.is_empty(), "{item:?}");
            let statement = item.statement(item.name);
            assert!(SCHEMA.contains(&format!("\n{statement};\n")), "{statement}");
            assert_eq!(items().iter().filter(|other| other.name == item.name).count(), 1, "{}", item.name);
        }
        let first_index = items().iter().position(|item| !item.is_constraint()).unwrap();
        assert!(items()[first_index..].iter().all(|item| !item.is_constraint()), "constraints come first");
    }

    #[test]
    fn a_statement_says_what_it_is_on() {
        let check = |name: &str, kind: &str, label: &str, properties: &[&str], on_nodes: bool| {
            let item = named(name);
            let found = (item.kind, item.label, item.properties.as_slice(), item.on_nodes);
            assert_eq!(found, (kind, label, properties, on_nodes), "{name}");
        };
        check("alias_id", RANGE, "Alias", &["id"], true);
        check("related_dirty", RANGE, "RELATED", &["workspace", "dirty"], false);
        check("entities", FULLTEXT, "__Entity__", &["name", "aliases", "description"], true);
        let taken = named("keyword").statement("graphwright_keyword");
        assert!(
            taken.starts_with("CREATE FULLTEXT INDEX graphwright_keyword IF NOT EXISTS FOR (n:Chunk)"),
            "{taken}"
        );
    }
}
