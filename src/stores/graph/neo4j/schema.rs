//! The schema: constraints and indexes, each made once, and the workspace's own node.

use super::connection::{Neo4jConnection, number};
use super::schema_file::{SchemaItem, items};
use super::{Neo4jGraph, OLDEST_SERVER};
use crate::stores::{StoreError, StoreResult};
use serde::Deserialize;

const SERVER_VERSION: &str = include_str!("../../../../cypher/store/server_version.cypher");
const PREPARE_SHOW_INDEXES: &str = include_str!("../../../../cypher/store/prepare_show_indexes.cypher");
const PREPARE_AWAIT_INDEXES: &str = include_str!("../../../../cypher/store/prepare_await_indexes.cypher");
const PREPARE_WORKSPACE: &str = include_str!("../../../../cypher/store/prepare_workspace.cypher");

/// Version of the graph's shape. 2: what a text unit mentions stands on it, in lists, and a hub's weightiest
/// relationships beside the hub.
pub(super) const SCHEMA: u32 = 3;

/// Name of the index that finds text units by the names in them.
pub(super) const TEXT_UNIT_NAMES: &str = "text_unit_names";
/// Full-text index of the words of text units.
pub(super) const TEXT_UNIT_WORDS: &str = "text_unit_words";

#[derive(Deserialize)]
struct IndexRow {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    labels: Vec<String>,
    properties: Vec<String>,
    state: String,
}

impl IndexRow {
    fn is_for(&self, item: &SchemaItem) -> bool {
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
pub(super) async fn check_server(connection: &Neo4jConnection) -> StoreResult<()> {
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
        let existing: Vec<IndexRow> = connection.read(connection.query(PREPARE_SHOW_INDEXES)).await?;
        let mut made = false;
        for item in items() {
            if existing.iter().any(|index| index.is_for(item)) && !needs_uniqueness(item, &existing) {
                continue;
            }
            let name = free_name(item, &existing);
            let result = connection.run(connection.query(&item.statement(&name))).await;
            if let Err(error) = result {
                // somebody else who prepares the same server at this moment may have been first
                let now: Vec<IndexRow> = connection.read(connection.query(PREPARE_SHOW_INDEXES)).await?;
                if !now.iter().any(|index| index.is_for(item)) {
                    return Err(error);
                }
            }
            made = true;
        }
        if made || existing.iter().any(|index| index.state != "ONLINE") {
            connection.run(connection.query(PREPARE_AWAIT_INDEXES)).await?;
        }
        self.prepare_workspace().await
    }

    async fn prepare_workspace(&self) -> StoreResult<()> {
        let found = self.write(|| self.prepare_workspace_once()).await?;
        if found > SCHEMA {
            return Err(StoreError::Unusable(format!(
                "workspace {} in {} was written by a newer graphwright (schema {found}, this one knows \
                 {SCHEMA}); use that version, or another --workspace",
                self.connection.ids.workspace(),
                self.connection.service
            )));
        }
        if found < SCHEMA {
            self.migrate(found).await?;
        }
        Ok(())
    }

    async fn prepare_workspace_once(&self) -> StoreResult<u32> {
        let mut transaction = self.connection.begin().await?;
        let query = self.connection.query(PREPARE_WORKSPACE).param("schema_version", number(SCHEMA));
        let query = query.param("id", self.workspace_id().as_str());
        let rows: Vec<SchemaVersion> = transaction.rows(query).await?;
        transaction.commit().await?;
        Ok(rows.first().map_or(SCHEMA, |row| row.schema_version))
    }

    /// Id of the workspace's own node.
    pub(super) fn workspace_id(&self) -> crate::domain::Id {
        self.connection.ids.other("workspace", &[])
    }

    /// Name under which an index of ours stands; a user may have made it under another one.
    pub(super) async fn index_name(&self, name: &str) -> StoreResult<String> {
        let Some(item) = items().iter().find(|item| item.name == name) else { return Ok(name.to_owned()) };
        let existing: Vec<IndexRow> =
            self.connection.read(self.connection.query(PREPARE_SHOW_INDEXES)).await?;
        Ok(existing
            .into_iter()
            .find(|index| index.is_for(item))
            .map_or_else(|| name.to_owned(), |index| index.name))
    }
}

/// A constraint's index is a range index like any other: a constraint is left to the server's `IF NOT EXISTS`
/// unless the index bears our name.
fn needs_uniqueness(item: &SchemaItem, existing: &[IndexRow]) -> bool {
    item.is_constraint()
        && !existing.iter().any(|index| index.is_for(item) && index.name.ends_with(item.name))
}

/// The item's name, or one with a prefix where something else has taken it.
fn free_name(item: &SchemaItem, existing: &[IndexRow]) -> String {
    if existing.iter().any(|index| index.name == item.name && !index.is_for(item)) {
        format!("graphwright_{}", item.name)
    } else {
        item.name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::schema_file::RANGE;
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
        let entities = items().iter().find(|item| item.name == "entities").unwrap();
        let other = IndexRow {
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
