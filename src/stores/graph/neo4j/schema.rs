//! The schema: constraints and indexes, each made once, and the workspace's own node.

use super::connection::{Connection, number};
use super::{Neo4jGraph, OLDEST_SERVER};
use crate::stores::graph::SCHEMA_VERSION;
use crate::stores::{StoreError, StoreResult};
use serde::Deserialize;

const SERVER_VERSION: &str = include_str!("../../../../cypher/schema/server_version.cypher");
const SHOW_INDEXES: &str = include_str!("../../../../cypher/schema/show_indexes.cypher");
const AWAIT_INDEXES: &str = include_str!("../../../../cypher/schema/await_indexes.cypher");
const WORKSPACE: &str = include_str!("../../../../cypher/schema/workspace.cypher");

/// Name of the index that finds text units by the names in them.
pub(super) const TEXT_UNIT_NAMES: &str = "text_unit_names";

/// What stands in the schema: its name, the statement that makes it, and what it is on.
struct Item {
    name: &'static str,
    statement: &'static str,
    kind: &'static str,
    label: &'static str,
    properties: &'static [&'static str],
}

const fn item(
    name: &'static str,
    statement: &'static str,
    kind: &'static str,
    label: &'static str,
    properties: &'static [&'static str],
) -> Item {
    Item { name, statement, kind, label, properties }
}

const RANGE: &str = "RANGE";
const FULLTEXT: &str = "FULLTEXT";

/// Constraints first: without them two writers make two nodes of one id.
const ITEMS: &[Item] = &[
    item("alias_id", include_str!("../../../../cypher/schema/alias_id.cypher"), RANGE, "Alias", &["id"]),
    item("claim_id", include_str!("../../../../cypher/schema/claim_id.cypher"), RANGE, "Claim", &["id"]),
    item(
        "community_id",
        include_str!("../../../../cypher/schema/community_id.cypher"),
        RANGE,
        "Community",
        &["id"],
    ),
    item(
        "dictionary_id",
        include_str!("../../../../cypher/schema/dictionary_id.cypher"),
        RANGE,
        "DictionaryName",
        &["id"],
    ),
    item(
        "document_id",
        include_str!("../../../../cypher/schema/document_id.cypher"),
        RANGE,
        "Document",
        &["id"],
    ),
    item("edit_id", include_str!("../../../../cypher/schema/edit_id.cypher"), RANGE, "Edit", &["id"]),
    item(
        "entity_id",
        include_str!("../../../../cypher/schema/entity_id.cypher"),
        RANGE,
        "__Entity__",
        &["id"],
    ),
    item(
        "finding_id",
        include_str!("../../../../cypher/schema/finding_id.cypher"),
        RANGE,
        "Finding",
        &["id"],
    ),
    item(
        "lineage_step_id",
        include_str!("../../../../cypher/schema/lineage_step_id.cypher"),
        RANGE,
        "LineageStep",
        &["id"],
    ),
    item(
        "graphwright_workspace",
        include_str!("../../../../cypher/schema/graphwright_workspace.cypher"),
        RANGE,
        "Graphwright",
        &["workspace"],
    ),
    item("ledger_id", include_str!("../../../../cypher/schema/ledger_id.cypher"), RANGE, "Ledger", &["id"]),
    item("lock_id", include_str!("../../../../cypher/schema/lock_id.cypher"), RANGE, "Lock", &["id"]),
    item("name_id", include_str!("../../../../cypher/schema/name_id.cypher"), RANGE, "Name", &["id"]),
    item(
        "related_id",
        include_str!("../../../../cypher/schema/related_id.cypher"),
        RANGE,
        "RELATED",
        &["id"],
    ),
    item(
        "text_unit_id",
        include_str!("../../../../cypher/schema/text_unit_id.cypher"),
        RANGE,
        "TextUnit",
        &["id"],
    ),
    item(
        "fact_chunk_id",
        include_str!("../../../../cypher/schema/fact_chunk_id.cypher"),
        RANGE,
        "FactChunk",
        &["id"],
    ),
    item(
        "atomic_fact_id",
        include_str!("../../../../cypher/schema/atomic_fact_id.cypher"),
        RANGE,
        "AtomicFact",
        &["id"],
    ),
    item(
        "key_element_id",
        include_str!("../../../../cypher/schema/key_element_id.cypher"),
        RANGE,
        "KeyElement",
        &["id"],
    ),
    item(
        "tree_node_id",
        include_str!("../../../../cypher/schema/tree_node_id.cypher"),
        RANGE,
        "TreeNode",
        &["id"],
    ),
    item(
        "vector_tombstone_id",
        include_str!("../../../../cypher/schema/vector_tombstone_id.cypher"),
        RANGE,
        "VectorTombstone",
        &["id"],
    ),
    item(
        "verdict_id",
        include_str!("../../../../cypher/schema/verdict_id.cypher"),
        RANGE,
        "Verdict",
        &["id"],
    ),
    item("worker_id", include_str!("../../../../cypher/schema/worker_id.cypher"), RANGE, "Worker", &["id"]),
    item(
        "alias_page",
        include_str!("../../../../cypher/schema/alias_page.cypher"),
        RANGE,
        "Alias",
        &["workspace", "id"],
    ),
    item(
        "claim_page",
        include_str!("../../../../cypher/schema/claim_page.cypher"),
        RANGE,
        "Claim",
        &["workspace", "id"],
    ),
    item(
        "community_from",
        include_str!("../../../../cypher/schema/community_from.cypher"),
        RANGE,
        "Community",
        &["workspace", "from"],
    ),
    item(
        "community_keyword",
        include_str!("../../../../cypher/schema/community_keyword.cypher"),
        FULLTEXT,
        "__Community__",
        &["title", "full_content"],
    ),
    item(
        "community_vector_pending",
        include_str!("../../../../cypher/schema/community_vector_pending.cypher"),
        RANGE,
        "Community",
        &["workspace", "vector_pending"],
    ),
    item(
        "dictionary_page",
        include_str!("../../../../cypher/schema/dictionary_page.cypher"),
        RANGE,
        "DictionaryName",
        &["workspace", "id"],
    ),
    item(
        "document_key",
        include_str!("../../../../cypher/schema/document_key.cypher"),
        RANGE,
        "Document",
        &["workspace", "key"],
    ),
    item(
        "edit_sequence",
        include_str!("../../../../cypher/schema/edit_sequence.cypher"),
        RANGE,
        "Edit",
        &["workspace", "sequence"],
    ),
    item(
        "entities",
        include_str!("../../../../cypher/schema/entities.cypher"),
        FULLTEXT,
        "__Entity__",
        &["name", "aliases", "description"],
    ),
    item(
        "entity_dirty",
        include_str!("../../../../cypher/schema/entity_dirty.cypher"),
        RANGE,
        "__Entity__",
        &["workspace", "dirty"],
    ),
    item(
        "entity_page",
        include_str!("../../../../cypher/schema/entity_page.cypher"),
        RANGE,
        "__Entity__",
        &["workspace", "id"],
    ),
    item(
        "entity_vector_pending",
        include_str!("../../../../cypher/schema/entity_vector_pending.cypher"),
        RANGE,
        "__Entity__",
        &["workspace", "vector_pending"],
    ),
    item("keyword", include_str!("../../../../cypher/schema/keyword.cypher"), FULLTEXT, "Chunk", &["text"]),
    item(
        "name_page",
        include_str!("../../../../cypher/schema/name_page.cypher"),
        RANGE,
        "Name",
        &["workspace", "page"],
    ),
    item(
        "related_dirty",
        include_str!("../../../../cypher/schema/related_dirty.cypher"),
        RANGE,
        "RELATED",
        &["workspace", "dirty"],
    ),
    item(
        "related_page",
        include_str!("../../../../cypher/schema/related_page.cypher"),
        RANGE,
        "RELATED",
        &["workspace", "id"],
    ),
    item(
        "text_unit_names",
        include_str!("../../../../cypher/schema/text_unit_names.cypher"),
        FULLTEXT,
        "TextUnit",
        &["name_ids"],
    ),
    item(
        "text_unit_page",
        include_str!("../../../../cypher/schema/text_unit_page.cypher"),
        RANGE,
        "TextUnit",
        &["workspace", "id"],
    ),
    item(
        "text_unit_todo_extraction",
        include_str!("../../../../cypher/schema/text_unit_todo_extraction.cypher"),
        RANGE,
        "TextUnit",
        &["workspace", "todo_extraction"],
    ),
    item(
        "text_unit_todo_linking",
        include_str!("../../../../cypher/schema/text_unit_todo_linking.cypher"),
        RANGE,
        "TextUnit",
        &["workspace", "todo_linking"],
    ),
    item(
        "text_unit_vector_pending",
        include_str!("../../../../cypher/schema/text_unit_vector_pending.cypher"),
        RANGE,
        "TextUnit",
        &["workspace", "vector_pending"],
    ),
    item(
        "fact_chunk_document",
        include_str!("../../../../cypher/schema/fact_chunk_document.cypher"),
        RANGE,
        "FactChunk",
        &["workspace", "document_id"],
    ),
    item(
        "atomic_fact_document",
        include_str!("../../../../cypher/schema/atomic_fact_document.cypher"),
        RANGE,
        "AtomicFact",
        &["workspace", "document_id"],
    ),
    item(
        "key_element_key",
        include_str!("../../../../cypher/schema/key_element_key.cypher"),
        RANGE,
        "KeyElement",
        &["workspace", "key"],
    ),
    item(
        "tree_node_document",
        include_str!("../../../../cypher/schema/tree_node_document.cypher"),
        RANGE,
        "TreeNode",
        &["workspace", "document_id"],
    ),
    item(
        "tree_node_page",
        include_str!("../../../../cypher/schema/tree_node_page.cypher"),
        RANGE,
        "TreeNode",
        &["workspace", "id"],
    ),
    item(
        "tree_node_stamp",
        include_str!("../../../../cypher/schema/tree_node_stamp.cypher"),
        RANGE,
        "TreeNode",
        &["workspace", "stamp"],
    ),
    item(
        "tree_node_vector_pending",
        include_str!("../../../../cypher/schema/tree_node_vector_pending.cypher"),
        RANGE,
        "TreeNode",
        &["workspace", "vector_pending"],
    ),
    item(
        "vector_tombstone_kind",
        include_str!("../../../../cypher/schema/vector_tombstone_kind.cypher"),
        RANGE,
        "VectorTombstone",
        &["workspace", "kind"],
    ),
    item(
        "verdict_page",
        include_str!("../../../../cypher/schema/verdict_page.cypher"),
        RANGE,
        "Verdict",
        &["workspace", "id"],
    ),
];

#[derive(Deserialize)]
struct Index {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    labels: Vec<String>,
    properties: Vec<String>,
    state: String,
}

impl Index {
    fn is_for(&self, item: &Item) -> bool {
        self.kind == item.kind && self.labels == [item.label] && self.properties == item.properties
    }
}

#[derive(Deserialize)]
struct Version {
    version: String,
}

#[derive(Deserialize)]
struct SchemaVersion {
    schema_version: u32,
}

/// Refuses a server that is too old.
pub(super) async fn check_server(connection: &Connection) -> StoreResult<()> {
    let versions: Vec<Version> = connection.read(connection.query(SERVER_VERSION)).await?;
    let version = versions.into_iter().next().map(|row| row.version).unwrap_or_default();
    if is_new_enough(&version) {
        return Ok(());
    }
    let (major, minor) = OLDEST_SERVER;
    Err(StoreError::Unusable(format!(
        "{} is version {version}, graphwright needs Neo4j {major}.{minor} or later; upgrade the server",
        connection.service
    )))
}

fn is_new_enough(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| {
        part.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u32>().unwrap_or(0)
    });
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= OLDEST_SERVER
}

impl Neo4jGraph {
    pub(super) async fn prepare_schema(&self) -> StoreResult<()> {
        let connection = &self.connection;
        let existing: Vec<Index> = connection.read(connection.query(SHOW_INDEXES)).await?;
        let mut made = false;
        for item in ITEMS {
            if existing.iter().any(|index| index.is_for(item)) && !needs_uniqueness(item, &existing) {
                continue;
            }
            let name = free_name(item, &existing);
            let result = connection.run(connection.query(item.statement).param("name", name)).await;
            if let Err(error) = result {
                // somebody else who prepares the same server at this moment may have been first
                let now: Vec<Index> = connection.read(connection.query(SHOW_INDEXES)).await?;
                if !now.iter().any(|index| index.is_for(item)) {
                    return Err(error);
                }
            }
            made = true;
        }
        if made || existing.iter().any(|index| index.state != "ONLINE") {
            connection.run(connection.query(AWAIT_INDEXES)).await?;
        }
        self.prepare_workspace().await
    }

    async fn prepare_workspace(&self) -> StoreResult<()> {
        let found = self.write(|| self.prepare_workspace_once()).await?;
        if found > SCHEMA_VERSION {
            return Err(StoreError::Unusable(format!(
                "workspace {} in {} was written by a newer graphwright (schema {found}, this one knows \
                 {SCHEMA_VERSION}); use that version, or another --workspace",
                self.connection.ids.workspace(),
                self.connection.service
            )));
        }
        Ok(())
    }

    async fn prepare_workspace_once(&self) -> StoreResult<u32> {
        let mut transaction = self.connection.begin().await?;
        let query = self.connection.query(WORKSPACE).param("schema_version", number(SCHEMA_VERSION));
        let query = query.param("id", self.workspace_id().as_str());
        let rows: Vec<SchemaVersion> = transaction.rows(query).await?;
        transaction.commit().await?;
        Ok(rows.first().map_or(SCHEMA_VERSION, |row| row.schema_version))
    }

    /// Id of the workspace's own node.
    pub(super) fn workspace_id(&self) -> crate::domain::Id {
        self.connection.ids.other("workspace", &[])
    }

    /// Name under which an index of ours stands; a user may have made it under another one.
    pub(super) async fn index_name(&self, name: &str) -> StoreResult<String> {
        let Some(item) = ITEMS.iter().find(|item| item.name == name) else { return Ok(name.to_owned()) };
        let existing: Vec<Index> = self.connection.read(self.connection.query(SHOW_INDEXES)).await?;
        Ok(existing
            .into_iter()
            .find(|index| index.is_for(item))
            .map_or_else(|| name.to_owned(), |index| index.name))
    }
}

/// A constraint's index is a range index like any other: a constraint is left to the server's `IF NOT EXISTS`
/// unless the index bears our name.
fn needs_uniqueness(item: &Item, existing: &[Index]) -> bool {
    item.statement.starts_with("CREATE CONSTRAINT")
        && !existing.iter().any(|index| index.is_for(item) && index.name.ends_with(item.name))
}

/// The item's name, or one with a prefix where something else has taken it.
fn free_name(item: &Item, existing: &[Index]) -> String {
    if existing.iter().any(|index| index.name == item.name && !index.is_for(item)) {
        format!("graphwright_{}", item.name)
    } else {
        item.name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_from_5_26_on_are_new_enough() {
        let check = |input: &str, expected: bool| assert_eq!(is_new_enough(input), expected, "{input}");
        check("5.26.30", true);
        check("2026.08.1", true);
        check("5.25.1", false);
        check("4.4.38", false);
        check("5.26-aura", true);
        check("", false);
    }

    #[test]
    fn a_name_that_is_taken_by_something_else_gets_a_prefix() {
        let entities = ITEMS.iter().find(|item| item.name == "entities").unwrap();
        let other = Index {
            name: "entities".into(),
            kind: RANGE.into(),
            labels: vec!["Foo".into()],
            properties: vec!["bar".into()],
            state: "ONLINE".into(),
        };
        assert_eq!(free_name(entities, &[other]), "graphwright_entities");
        assert_eq!(free_name(entities, &[]), "entities");
    }
}
