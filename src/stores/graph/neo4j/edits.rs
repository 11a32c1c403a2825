//! Edits, and what people did in Neo4j Browser, which become edits: the statements under `cypher/live/`.

use super::Neo4jGraph;
use super::connection::{id, in_parts, map, number, texts};
use super::queries::IdRow;
use crate::domain::{Edit, EditKind, Entity, Id, Relationship, name_key};
use crate::stores::StoreResult;
use crate::stores::graph::{Adopted, EditReader, EditStore, HandChange, HandMade};
use async_trait::async_trait;
use neo4rs::BoltType;
use serde::Deserialize;
use std::collections::BTreeSet;

const ADOPT_BY_HAND_ENTITIES: &str = include_str!("../../../../cypher/live/adopt_by_hand_entities.cypher");
const ADOPT_BY_HAND_NEW_ENTITIES: &str =
    include_str!("../../../../cypher/live/adopt_by_hand_new_entities.cypher");
const ADOPT_BY_HAND_NEW_RELATIONSHIPS: &str =
    include_str!("../../../../cypher/live/adopt_by_hand_new_relationships.cypher");
const ADOPT_BY_HAND_RELATIONSHIPS: &str =
    include_str!("../../../../cypher/live/adopt_by_hand_relationships.cypher");
const CHANGES_BY_HAND: &str = include_str!("../../../../cypher/live/changes_by_hand.cypher");
const EDITS: &str = include_str!("../../../../cypher/store/edits.cypher");
const HAND_MADE_ENTITIES: &str = include_str!("../../../../cypher/live/hand_made_entities.cypher");
const HAND_MADE_RELATIONSHIPS: &str = include_str!("../../../../cypher/live/hand_made_relationships.cypher");
const MAY_MISS_ENTITIES: &str = include_str!("../../../../cypher/live/may_miss_entities.cypher");
const MISSING_ENTITIES: &str = include_str!("../../../../cypher/live/missing_entities.cypher");
const SAVE_EDIT: &str = include_str!("../../../../cypher/store/save_edit.cypher");
const SAVE_EDIT_UNDO: &str = include_str!("../../../../cypher/store/save_edit_undo.cypher");
const SAVE_HAND_MADE_ENTITIES: &str = include_str!("../../../../cypher/live/save_hand_made_entities.cypher");
const SAVE_HAND_MADE_RELATIONSHIPS: &str =
    include_str!("../../../../cypher/live/save_hand_made_relationships.cypher");

#[derive(Deserialize)]
struct EntityCountsRow {
    now: i64,
    before: i64,
}

#[derive(Deserialize)]
struct NewEntity {
    element: String,
    name: String,
}

#[derive(Deserialize)]
struct NewRelationship {
    element: String,
    source: Id,
    target: Id,
    name: String,
}

#[derive(Deserialize)]
struct EditRow {
    id: Id,
    sequence: u64,
    /// JSON.
    edit: String,
}

#[async_trait]
impl EditReader for Neo4jGraph {
    async fn edits(&self) -> StoreResult<Vec<Edit>> {
        let rows: Vec<EditRow> = self.connection.read(self.connection.query(EDITS)).await?;
        let mut edits = Vec::with_capacity(rows.len());
        for row in rows {
            let kind: EditKind = self.parsed(&row.edit, "an edit")?;
            edits.push(Edit { id: row.id, sequence: row.sequence, kind });
        }
        edits.sort_unstable_by(|a, b| (a.sequence, &a.id).cmp(&(b.sequence, &b.id)));
        Ok(edits)
    }
}

#[async_trait]
impl EditStore for Neo4jGraph {
    async fn save_edit(&self, edit: &Edit, undo: bool) -> StoreResult<()> {
        let query = if undo {
            self.connection.query(SAVE_EDIT_UNDO).param("id", edit.id.as_str())
        } else {
            let query = self.connection.query(SAVE_EDIT).param("id", edit.id.as_str());
            let query = query.param("sequence", number(edit.sequence));
            query.param("edit", self.json(&edit.kind)?)
        };
        self.write(|| self.run_once(query.clone())).await
    }

    async fn changes_by_hand(&self) -> StoreResult<Vec<HandChange>> {
        let mut changes: Vec<HandChange> =
            self.connection.read(self.connection.query(CHANGES_BY_HAND)).await?;
        changes.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(changes)
    }

    async fn has_new_by_hand(&self) -> StoreResult<bool> {
        let entities: Vec<NewEntity> =
            self.connection.read(self.connection.query(ADOPT_BY_HAND_NEW_ENTITIES)).await?;
        // a relationship of a new entity cannot be read before that has its id
        if !entities.is_empty() {
            return Ok(true);
        }
        let relationships: Vec<NewRelationship> =
            self.connection.read(self.connection.query(ADOPT_BY_HAND_NEW_RELATIONSHIPS)).await?;
        Ok(!relationships.is_empty())
    }

    /// Entities first: a relationship's id is made of theirs.
    async fn adopt_by_hand(&self) -> StoreResult<Adopted> {
        let mut adopted = Adopted::default();
        let ids = &self.connection.ids;
        let new: Vec<NewEntity> =
            self.connection.read(self.connection.query(ADOPT_BY_HAND_NEW_ENTITIES)).await?;
        let rows: Vec<(Id, String, String)> =
            new.into_iter().map(|row| (ids.entity(&name_key(&row.name)), row.element, row.name)).collect();
        self.adopt_with(ADOPT_BY_HAND_ENTITIES, &rows, &mut adopted).await?;
        let new: Vec<NewRelationship> =
            self.connection.read(self.connection.query(ADOPT_BY_HAND_NEW_RELATIONSHIPS)).await?;
        let rows: Vec<(Id, String, String)> = new
            .into_iter()
            .map(|row| (ids.relationship(&row.source, &row.target), row.element, row.name))
            .collect();
        self.adopt_with(ADOPT_BY_HAND_RELATIONSHIPS, &rows, &mut adopted).await?;
        Ok(adopted)
    }

    async fn made_by_hand(&self) -> StoreResult<Vec<Id>> {
        self.read_made_by_hand().await
    }

    async fn hand_made(&self) -> StoreResult<HandMade> {
        let mut entities: Vec<Entity> =
            self.connection.read(self.connection.query(HAND_MADE_ENTITIES)).await?;
        let mut relationships: Vec<Relationship> =
            self.connection.read(self.connection.query(HAND_MADE_RELATIONSHIPS)).await?;
        entities.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        relationships.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(HandMade { entities, relationships })
    }

    /// Entities first: relationships are between them.
    async fn save_hand_made(&self, made: &HandMade) -> StoreResult<()> {
        in_parts(&made.entities, |part| self.write(|| self.save_hand_made_entities_once(part))).await?;
        in_parts(&made.relationships, |part| self.write(|| self.save_hand_made_relationships_once(part)))
            .await
    }

    async fn may_miss_entities(&self) -> StoreResult<bool> {
        let rows: Vec<EntityCountsRow> =
            self.connection.read(self.connection.query(MAY_MISS_ENTITIES)).await?;
        Ok(rows.first().is_some_and(|row| row.now != row.before))
    }

    async fn missing_entities(&self, ids: &[Id]) -> StoreResult<Vec<Id>> {
        let query = self.connection.query(MISSING_ENTITIES).param("ids", texts(ids));
        let rows: Vec<IdRow> = self.connection.read(query).await?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }
}

impl Neo4jGraph {
    /// One transaction each, since an id may be asked for twice.
    async fn adopt_with(
        &self,
        text: &str,
        rows: &[(Id, String, String)],
        adopted: &mut Adopted,
    ) -> StoreResult<()> {
        let mut taken: BTreeSet<&Id> = BTreeSet::new();
        for (id, element, name) in rows {
            let row = map([("id", id.as_str().into()), ("element", element.as_str().into())]);
            let done = self.write(|| self.adopt_once(text, row.clone())).await?;
            if done.is_empty() || !taken.insert(id) {
                adopted.refused.push(name.clone());
            } else {
                adopted.names.push(name.clone());
            }
        }
        Ok(())
    }

    async fn save_hand_made_entities_once(&self, entities: &[Entity]) -> StoreResult<()> {
        let rows = entities.iter().map(|entity| (&entity.id, entity_row(entity)));
        self.save_rows_once(SAVE_HAND_MADE_ENTITIES, rows.collect()).await
    }

    async fn save_hand_made_relationships_once(&self, relationships: &[Relationship]) -> StoreResult<()> {
        let rows = relationships.iter().map(|one| (&one.id, relationship_row(one)));
        self.save_rows_once(SAVE_HAND_MADE_RELATIONSHIPS, rows.collect()).await
    }

    async fn adopt_once(&self, text: &str, row: BoltType) -> StoreResult<Vec<IdRow>> {
        let mut transaction = self.connection.begin().await?;
        let rows = transaction.rows_of(text, vec![row]).await?;
        self.commit(transaction).await?;
        Ok(rows)
    }
}

fn entity_row(entity: &Entity) -> BoltType {
    let properties = map([
        ("name", entity.name.as_str().into()),
        ("type", entity.kind.as_str().into()),
        ("description", entity.description.as_str().into()),
        ("aliases", entity.aliases.clone().into()),
    ]);
    map([("id", id(&entity.id)), ("properties", properties)])
}

fn relationship_row(relationship: &Relationship) -> BoltType {
    let properties = map([
        ("type", relationship.kind.as_str().into()),
        ("other_types", relationship.other_kinds.clone().into()),
        ("reverse_types", relationship.reverse_kinds.clone().into()),
        ("description", relationship.description.as_str().into()),
        ("weight", number(relationship.weight)),
        ("strength", number(relationship.strength)),
    ]);
    map([
        ("id", id(&relationship.id)),
        ("source", id(&relationship.source)),
        ("target", id(&relationship.target)),
        ("properties", properties),
    ])
}
