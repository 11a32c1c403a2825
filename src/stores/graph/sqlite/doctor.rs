//! What the file looks for in itself, and mends. The statements say what those under `cypher/doctor/` say.

use super::documents::remove_unit;
use super::evidence::forget_evidence;
use super::rows::{all, behind, first, id, integer, json, run};
use super::{SqliteGraph, facts};
use crate::domain::Id;
use crate::stores::StoreResult;
use crate::stores::graph::{Check, Doctor};
use crate::stores::sqlite_file::Outcome;
use async_trait::async_trait;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

#[async_trait]
impl Doctor for SqliteGraph {
    async fn examine(&self, check: Check, limit: usize) -> StoreResult<Vec<Id>> {
        self.file.read(move |connection| examine(connection, check, limit)).await
    }

    async fn mend(&self, check: Check, ids: &[Id]) -> StoreResult<()> {
        let ids = ids.to_vec();
        self.file.write(move |transaction| mend(transaction, check, &ids)).await
    }

    async fn support(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<(Id, Vec<Id>)>> {
        let after = behind(after);
        self.file.read(move |connection| support(connection, &after, limit)).await
    }
}

/// A file holds one workspace.
const NOTHING: &str = "SELECT id FROM relationships WHERE ?1 < 0";
const MISTYPED_VALUES: &str = "SELECT id FROM (
        SELECT id FROM entities WHERE typeof(name) <> 'text' OR typeof(text_unit_count) <> 'integer'
        UNION SELECT id FROM relationships WHERE typeof(weight) <> 'integer')
    ORDER BY id LIMIT ?1";

const LIVING_TOMBSTONES: &str = "SELECT t.id FROM tombstones t WHERE
       (t.kind = 'text_units' AND EXISTS (SELECT 1 FROM text_units n WHERE n.id = t.id))
       OR (t.kind = 'entities' AND EXISTS (SELECT 1 FROM entities n WHERE n.id = t.id))
       OR (t.kind = 'reports' AND EXISTS (SELECT 1 FROM communities n WHERE n.id = t.id))
    ORDER BY t.id LIMIT ?1";

/// Ids of what a check finds; `?1` is the most of them.
fn finding(check: Check) -> &'static str {
    match check {
        Check::OrphanTextUnits => {
            "SELECT id FROM text_units u WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.node = u.document)
                OR NOT EXISTS (SELECT 1 FROM unit_contents c WHERE c.node = u.node) ORDER BY id LIMIT ?1"
        }
        Check::BrokenChains => {
            "SELECT d.id FROM documents d LEFT JOIN text_units u ON u.document = d.node GROUP BY d.node
             HAVING count(u.node) <> d.text_unit_count OR count(DISTINCT u.position) <> count(u.node)
                OR coalesce(max(u.position), -1) <> count(u.node) - 1 ORDER BY d.id LIMIT ?1"
        }
        Check::UnevenMentions => {
            "SELECT DISTINCT u.id FROM mentions m JOIN text_units u ON u.node = m.unit
             WHERE NOT json_valid(m.items)
                OR json_array_length(m.items, '$[0]') IS NOT json_array_length(m.items, '$[1]')
                OR json_array_length(m.items, '$[0]') IS NOT json_array_length(m.items, '$[2]')
             ORDER BY u.id LIMIT ?1"
        }
        Check::UnevenEvidence => {
            "SELECT DISTINCT r.id FROM relations x JOIN relationships r ON r.node = x.relationship
             WHERE NOT json_valid(x.items) OR EXISTS (
                SELECT 1 FROM json_each(CASE WHEN json_valid(x.items) THEN x.items ELSE '[]' END) item
                WHERE json_array_length(item.value) IS NOT 4)
             ORDER BY r.id LIMIT ?1"
        }
        Check::StaleEntitySums => {
            "SELECT id FROM entities e WHERE summed = 1
                AND NOT EXISTS (SELECT 1 FROM dirty_entities d WHERE d.node = e.node)
                AND node NOT IN (SELECT r.low FROM dirty_relationships d CROSS JOIN relationships r ON r.node = d.node)
                AND node NOT IN (SELECT r.high FROM dirty_relationships d CROSS JOIN relationships r ON r.node = d.node)
                AND (text_unit_count <> (SELECT count(*) FROM mentions m WHERE m.entity = e.node)
                    OR degree <> (SELECT count(*) FROM relationships r WHERE r.low = e.node AND summed = 1)
                        + (SELECT count(*) FROM relationships r WHERE r.high = e.node AND summed = 1)
                    OR (SELECT coalesce(sum(p.text_units), 0) FROM entity_periods p WHERE p.entity = e.node)
                        <> (SELECT count(*) FROM mentions m JOIN text_units u ON u.node = m.unit
                            WHERE m.entity = e.node AND u.period IS NOT NULL)
                    OR (SELECT coalesce(sum(p.claims), 0) FROM entity_periods p WHERE p.entity = e.node)
                        <> (SELECT count(*) FROM claims c JOIN text_units u ON u.node = c.unit
                            WHERE c.subject = e.id AND u.period IS NOT NULL))
             ORDER BY id LIMIT ?1"
        }
        Check::StaleRelationshipSums => {
            "SELECT id FROM relationships r WHERE summed = 1
                AND NOT EXISTS (SELECT 1 FROM dirty_relationships d WHERE d.node = r.node)
                AND ((SELECT coalesce(sum(json_array_length(x.items)), 0) FROM relations x
                      WHERE x.relationship = r.node AND json_valid(x.items)) IS NOT nullif(weight, 0)
                    OR (SELECT coalesce(sum(p.text_units), 0) FROM relationship_periods p WHERE p.relationship = r.node)
                        <> (SELECT count(*) FROM relations x JOIN text_units u ON u.node = x.unit
                            WHERE x.relationship = r.node AND u.period IS NOT NULL))
             ORDER BY id LIMIT ?1"
        }
        Check::UndatedTextUnits => {
            "SELECT u.id FROM text_units u JOIN documents d ON d.node = u.document
             WHERE u.period IS NULL AND d.date IS NOT NULL ORDER BY u.id LIMIT ?1"
        }
        Check::UnsupportedEntities => {
            "SELECT id FROM entities e WHERE summed = 1
                AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity = e.node AND m.linked = 0)
                AND NOT EXISTS (SELECT 1 FROM dirty_entities d WHERE d.node = e.node) ORDER BY id LIMIT ?1"
        }
        Check::CrossingRelationships => NOTHING,
        Check::MistypedValues => MISTYPED_VALUES,
        Check::DanglingClaims => {
            "SELECT id FROM claims c WHERE NOT EXISTS (SELECT 1 FROM text_units u WHERE u.node = c.unit)
                OR NOT EXISTS (SELECT 1 FROM entities e WHERE e.id = c.subject) ORDER BY id LIMIT ?1"
        }
        Check::DuplicateIds => {
            "SELECT id FROM (SELECT id FROM documents UNION ALL SELECT id FROM text_units
                UNION ALL SELECT id FROM entities UNION ALL SELECT id FROM relationships
                UNION ALL SELECT id FROM claims UNION ALL SELECT id FROM communities)
             GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT ?1"
        }
        Check::LostWork => {
            "SELECT id FROM (
                SELECT e.id FROM entities e WHERE e.summed = 0
                    AND NOT EXISTS (SELECT 1 FROM dirty_entities d WHERE d.node = e.node)
                UNION SELECT r.id FROM relationships r WHERE r.summed = 0
                    AND NOT EXISTS (SELECT 1 FROM dirty_relationships d WHERE d.node = r.node))
             ORDER BY id LIMIT ?1"
        }
        Check::LostMembers => {
            // a coarser community holds what its parts hold, and nobody holds a member that the parent has not
            "SELECT DISTINCT c.id FROM communities c JOIN community_parents p ON p.parent = c.id
             JOIN community_members m ON m.community = p.community
             WHERE p.first <= (SELECT generation FROM workspace) AND p.until > (SELECT generation FROM workspace)
                AND EXISTS (SELECT 1 FROM entities e WHERE e.id = m.entity)
                AND NOT EXISTS (SELECT 1 FROM community_members own
                                WHERE own.community = c.node AND own.entity = m.entity)
             ORDER BY c.id LIMIT ?1"
        }
        Check::LivingTombstones => LIVING_TOMBSTONES,
        Check::BrokenFacts => {
            "SELECT document FROM fact_chunks GROUP BY document
             HAVING max(position) <> count(*) - 1 OR sum(json_valid(facts) AND json_valid(text_units)) <> count(*)
                OR NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = document)
             ORDER BY document LIMIT ?1"
        }
    }
}

pub(super) fn examine(connection: &Connection, check: Check, limit: usize) -> Outcome<Vec<Id>> {
    if check == Check::BrokenFacts && !facts::is_there(connection)? {
        return Ok(Vec::new());
    }
    all(connection, finding(check), [integer(limit)], |row| id(row, 0))
}

fn support(connection: &Connection, after: &str, limit: usize) -> Outcome<Vec<(Id, Vec<Id>)>> {
    let statement = "
        SELECT r.id, u.id
        FROM (SELECT node, id FROM relationships WHERE summed = 1 AND id > ?1 ORDER BY id LIMIT ?2) r
        LEFT JOIN relations x ON x.relationship = r.node LEFT JOIN text_units u ON u.node = x.unit
        ORDER BY r.id";
    let rows = all(connection, statement, (after, integer(limit)), |row| {
        let unit = if row.get_ref(1)? == ValueRef::Null { None } else { Some(id(row, 1)?) };
        Ok((id(row, 0)?, unit))
    })?;
    let mut found: Vec<(Id, Vec<Id>)> = Vec::new();
    for (relationship, unit) in rows {
        match found.last_mut() {
            Some((last, units)) if *last == relationship => units.extend(unit),
            _ => found.push((relationship, unit.into_iter().collect())),
        }
    }
    Ok(found)
}

pub(super) fn mend(connection: &Connection, check: Check, ids: &[Id]) -> Outcome<()> {
    match check {
        Check::OrphanTextUnits => {
            for unit in ids {
                let statement = "SELECT node FROM text_units WHERE id = ?1";
                let node = first(connection, statement, [unit.as_str()], |row| Ok(row.get(0)?))?;
                if let Some(node) = node {
                    remove_unit(connection, node, unit)?;
                }
            }
            Ok(())
        }
        Check::BrokenChains => ids.iter().try_for_each(|document| chain(connection, document)),
        Check::UnevenEvidence => forget_evidence(connection, ids),
        // ids are constrained to be unique here
        Check::DuplicateIds => Ok(()),
        _ => {
            for statement in mending(check) {
                run(connection, statement, [json(&ids)?])?;
            }
            Ok(())
        }
    }
}

/// Statements over ids (`?1`, a JSON array).
fn mending(check: Check) -> &'static [&'static str] {
    const DIRTY_ENTITIES: &str = "INSERT OR IGNORE INTO dirty_entities (node)
        SELECT node FROM entities WHERE id IN (SELECT value FROM json_each(?1))";
    const DIRTY_RELATIONSHIPS: &str = "INSERT OR IGNORE INTO dirty_relationships (node)
        SELECT node FROM relationships WHERE id IN (SELECT value FROM json_each(?1))";
    match check {
        Check::UnevenMentions => &[
            "INSERT OR IGNORE INTO dirty_entities (node) SELECT entity FROM mentions m
                JOIN text_units u ON u.node = m.unit WHERE u.id IN (SELECT value FROM json_each(?1))",
            "DELETE FROM mentions WHERE unit IN
                (SELECT node FROM text_units WHERE id IN (SELECT value FROM json_each(?1)))",
        ],
        Check::UndatedTextUnits => &[
            "UPDATE text_units SET period = (
                SELECT json_extract(d.date, '$.from') || '/' || json_extract(d.date, '$.to') FROM documents d
                WHERE d.node = text_units.document)
             WHERE id IN (SELECT value FROM json_each(?1))",
            "INSERT OR IGNORE INTO dirty_entities (node) SELECT m.entity FROM mentions m
                JOIN text_units u ON u.node = m.unit WHERE u.id IN (SELECT value FROM json_each(?1))",
            "INSERT OR IGNORE INTO dirty_relationships (node) SELECT x.relationship FROM relations x
                JOIN text_units u ON u.node = x.unit WHERE u.id IN (SELECT value FROM json_each(?1))",
        ],
        Check::StaleEntitySums | Check::UnsupportedEntities => &[DIRTY_ENTITIES],
        Check::StaleRelationshipSums => &[DIRTY_RELATIONSHIPS],
        Check::LostWork => &[DIRTY_ENTITIES, DIRTY_RELATIONSHIPS],
        Check::MistypedValues => &[
            DIRTY_ENTITIES,
            DIRTY_RELATIONSHIPS,
            "UPDATE entities SET name = CASE typeof(name) WHEN 'text' THEN name ELSE id END,
                text_unit_count = CASE typeof(text_unit_count) WHEN 'integer' THEN text_unit_count ELSE 0 END
             WHERE id IN (SELECT value FROM json_each(?1))",
            "UPDATE relationships SET weight = CASE typeof(weight) WHEN 'integer' THEN weight ELSE 0 END
             WHERE id IN (SELECT value FROM json_each(?1))",
        ],
        Check::DanglingClaims => &["DELETE FROM claims WHERE id IN (SELECT value FROM json_each(?1))"],
        Check::LostMembers => &["INSERT OR IGNORE INTO community_members (community, entity)
            SELECT c.node, m.entity FROM communities c JOIN community_parents p ON p.parent = c.id
            JOIN community_members m ON m.community = p.community
            WHERE c.id IN (SELECT value FROM json_each(?1))
                AND p.first <= (SELECT generation FROM workspace) AND p.until > (SELECT generation FROM workspace)"],
        Check::LivingTombstones => {
            &["DELETE FROM tombstones WHERE id IN (SELECT value FROM json_each(?1))"]
        }
        Check::BrokenFacts => &["DELETE FROM fact_chunks WHERE document IN (SELECT value FROM json_each(?1))"],
        Check::OrphanTextUnits
        | Check::BrokenChains
        | Check::UnevenEvidence
        | Check::DuplicateIds
        | Check::CrossingRelationships => &[],
    }
}

/// Numbers a document's units anew; where some are missing its hash goes, so that it is read again.
fn chain(connection: &Connection, document: &Id) -> Outcome<()> {
    let statement = "UPDATE documents SET content_hash = '', text_unit_count =
            (SELECT count(*) FROM text_units u WHERE u.document = documents.node)
        WHERE id = ?1";
    run(connection, statement, [document.as_str()])?;
    let statement = "
        UPDATE text_units SET position = ranked.place FROM (
            SELECT u.node, row_number() OVER (ORDER BY u.position, u.id) - 1 AS place FROM text_units u
            JOIN documents d ON d.node = u.document WHERE d.id = ?1) ranked
        WHERE ranked.node = text_units.node";
    run(connection, statement, [document.as_str()])?;
    Ok(())
}
