//! Reads of the embedded graph.

use super::{count, from_json, id, json, limited, small};
use crate::domain::{
    Claim, Counts, Document, DocumentStatus, Edit, Entity, Id, Relationship, StoredUnit, TextUnit, UnitState,
};
use crate::stores::graph::{EdgeList, MentionEdge, NameUse, WorkspaceState};
use crate::stores::sqlite_file::Outcome;
use rusqlite::{Connection, OptionalExtension, Params, Row};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn state(c: &Connection) -> Outcome<WorkspaceState> {
    let get = |key: &str| -> Outcome<Option<String>> {
        Ok(c.query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get(0)).optional()?)
    };
    let settings = match get("settings")? {
        Some(text) => from_json(&text)?,
        None => BTreeMap::new(),
    };
    Ok(WorkspaceState { generation: generation(c)?, settings })
}

pub(super) fn generation(c: &Connection) -> Outcome<u64> {
    let text: Option<String> =
        c.query_row("SELECT value FROM meta WHERE key = 'generation'", [], |row| row.get(0)).optional()?;
    Ok(text.and_then(|text| text.parse().ok()).unwrap_or(0))
}

pub(super) fn counts(c: &Connection) -> Outcome<Counts> {
    let one = |sql: &str| -> Outcome<u64> { Ok(count(c.query_row(sql, [], |row| row.get(0))?)) };
    let generation = super::signed(generation(c)?);
    let valid = |more: &str| -> Outcome<u64> {
        let sql = format!(
            "SELECT count(*) FROM community WHERE from_generation <= ?1 AND to_generation > ?1{more}"
        );
        Ok(count(c.query_row(&sql, [generation], |row| row.get(0))?))
    };
    Ok(Counts {
        documents: one("SELECT count(*) FROM document")?,
        text_units: one("SELECT count(*) FROM unit")?,
        entities: one("SELECT count(*) FROM entity WHERE summed = 1")?,
        relationships: one("SELECT count(*) FROM relationship WHERE summed = 1")?,
        claims: one("SELECT count(*) FROM claim")?,
        communities: valid("")?,
        reports: valid(" AND composed = 0")?,
    })
}

pub(super) fn texts(c: &Connection, sql: &str) -> Outcome<Vec<String>> {
    let mut statement = c.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const DOCUMENT: &str =
    "SELECT id, key, title, content_hash, character_count, text_unit_count, metadata FROM document";

fn document(row: &Row<'_>) -> Outcome<Document> {
    Ok(Document {
        id: id(row.get(0)?),
        key: row.get(1)?,
        title: row.get(2)?,
        content_hash: row.get(3)?,
        character_count: count(row.get(4)?),
        text_unit_count: small(row.get(5)?),
        metadata: from_json(&row.get::<_, String>(6)?)?,
    })
}

/// Runs a query and reads every row.
fn all<T, P: Params>(
    c: &Connection,
    sql: &str,
    params: P,
    read: impl Fn(&Row<'_>) -> Outcome<T>,
) -> Outcome<Vec<T>> {
    let mut statement = c.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

pub(super) fn documents(c: &Connection, after: &str, limit: usize) -> Outcome<Vec<Document>> {
    all(c, &format!("{DOCUMENT} WHERE key > ?1 ORDER BY key LIMIT ?2"), (after, limited(limit)), document)
}

pub(super) fn documents_by_id(c: &Connection, ids: &str) -> Outcome<Vec<Document>> {
    all(c, &format!("{DOCUMENT} WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id"), [ids], document)
}

pub(super) fn document_status(c: &Connection, after: &str, limit: usize) -> Outcome<Vec<DocumentStatus>> {
    let sql = "SELECT d.key, d.title, count(u.n), count(u.extraction), count(u.error),
                      (SELECT error FROM unit WHERE document = d.n AND error IS NOT NULL ORDER BY place LIMIT 1)
               FROM document d LEFT JOIN unit u ON u.document = d.n
               WHERE d.key > ?1 GROUP BY d.n ORDER BY d.key LIMIT ?2";
    all(c, sql, (after, limited(limit)), |row| {
        Ok(DocumentStatus {
            key: row.get(0)?,
            title: row.get(1)?,
            text_units: count(row.get(2)?),
            extracted: count(row.get(3)?),
            failed: count(row.get(4)?),
            error: row.get(5)?,
        })
    })
}

pub(super) fn units<P: Params>(c: &Connection, filter: &str, params: P) -> Outcome<Vec<StoredUnit>> {
    let sql = format!(
        "SELECT u.id, d.id, u.place, u.text, u.token_count, u.start_offset, u.end_offset, u.headings, d.key, d.title,
                u.records, u.extraction, u.error, u.linked, u.linking_done
         FROM unit u JOIN document d ON d.n = u.document WHERE {filter}"
    );
    all(c, &sql, params, |row| {
        Ok(StoredUnit {
            unit: TextUnit {
                id: id(row.get(0)?),
                document_id: id(row.get(1)?),
                index: small(row.get(2)?),
                text: row.get(3)?,
                token_count: small(row.get(4)?),
                start_offset: count(row.get(5)?),
                end_offset: count(row.get(6)?),
                headings: from_json(&row.get::<_, String>(7)?)?,
            },
            document_key: row.get(8)?,
            document_title: row.get(9)?,
            state: UnitState {
                records: from_json(&row.get::<_, String>(10)?)?,
                extraction: row.get(11)?,
                error: row.get(12)?,
                linked: from_json(&row.get::<_, String>(13)?)?,
                linking_done: row.get(14)?,
            },
        })
    })
}

pub(super) fn entities<P: Params>(c: &Connection, filter: &str, params: P) -> Outcome<Vec<Entity>> {
    let sql = format!(
        "SELECT id, name, kind, description, aliases, degree, text_unit_count FROM entity WHERE {filter}"
    );
    all(c, &sql, params, |row| {
        Ok(Entity {
            id: id(row.get(0)?),
            name: row.get(1)?,
            kind: row.get(2)?,
            description: row.get(3)?,
            aliases: from_json(&row.get::<_, String>(4)?)?,
            degree: small(row.get(5)?),
            text_unit_count: small(row.get(6)?),
        })
    })
}

pub(super) fn relationships<P: Params>(
    c: &Connection,
    filter: &str,
    params: P,
) -> Outcome<Vec<Relationship>> {
    let sql = format!(
        "SELECT r.id, low.id, high.id, r.forward, r.kind, r.description, r.weight, r.strength, r.text_unit_count
         FROM relationship r JOIN entity low ON low.n = r.low JOIN entity high ON high.n = r.high WHERE {filter}"
    );
    all(c, &sql, params, |row| {
        let (low, high) = (id(row.get(1)?), id(row.get(2)?));
        let forward: bool = row.get(3)?;
        let (source, target) = if forward { (low, high) } else { (high, low) };
        Ok(Relationship {
            id: id(row.get(0)?),
            source,
            target,
            kind: row.get(4)?,
            description: row.get(5)?,
            weight: small(row.get(6)?),
            strength: small(row.get(7)?),
            text_unit_count: small(row.get(8)?),
        })
    })
}

pub(super) fn edge_list(c: &Connection) -> Outcome<EdgeList> {
    let mut list = EdgeList::default();
    let mut place: rustc_hash::FxHashMap<i64, u32> = rustc_hash::FxHashMap::default();
    for (n, entity) in all(c, "SELECT n, id FROM entity WHERE summed = 1 ORDER BY id", [], |row| {
        Ok((row.get::<_, i64>(0)?, id(row.get(1)?)))
    })? {
        place.insert(n, u32::try_from(list.ids.len()).unwrap_or(u32::MAX));
        list.ids.push(entity);
    }
    let mut statement =
        c.prepare_cached("SELECT low, high, weight, strength FROM relationship WHERE summed = 1")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (low, high): (i64, i64) = (row.get(0)?, row.get(1)?);
        if let (Some(&low), Some(&high)) = (place.get(&low), place.get(&high)) {
            list.edges.push((low.min(high), low.max(high), small(row.get(2)?), small(row.get(3)?)));
        }
    }
    list.edges.sort_unstable();
    Ok(list)
}

fn key_of(c: &Connection, table: &str, id: &Id) -> Outcome<Option<i64>> {
    let sql = format!("SELECT n FROM {table} WHERE id = ?1");
    Ok(c.prepare_cached(&sql)?.query_row([id.as_str()], |row| row.get(0)).optional()?)
}

pub(super) fn relationships_of(c: &Connection, entities: &[Id], limit: usize) -> Outcome<Vec<Relationship>> {
    let mut keys: BTreeSet<i64> = BTreeSet::new();
    let sql = "SELECT n FROM (
                 SELECT n, weight, id FROM relationship WHERE low = ?1 AND summed = 1
                 UNION ALL SELECT n, weight, id FROM relationship WHERE high = ?1 AND summed = 1)
               ORDER BY weight DESC, id LIMIT ?2";
    for entity in entities {
        if let Some(n) = key_of(c, "entity", entity)? {
            keys.extend(all(c, sql, (n, limited(limit)), |row| Ok(row.get::<_, i64>(0)?))?);
        }
    }
    let keys = json(&keys.into_iter().collect::<Vec<_>>())?;
    relationships(c, "r.n IN (SELECT value FROM json_each(?1)) ORDER BY r.id", [keys])
}

pub(super) fn units_of_relationships(
    c: &Connection,
    ids: &[Id],
    limit: usize,
) -> Outcome<Vec<(Id, Vec<Id>)>> {
    let sql =
        "SELECT u.id FROM evidence e JOIN relationship r ON r.n = e.relationship JOIN unit u ON u.n = e.unit
               JOIN document d ON d.n = u.document WHERE r.id = ?1 ORDER BY d.key, u.place, u.id LIMIT ?2";
    let mut found = Vec::with_capacity(ids.len());
    for relationship in ids {
        let units = all(c, sql, (relationship.as_str(), limited(limit)), |row| Ok(id(row.get(0)?)))?;
        if !units.is_empty() {
            found.push((relationship.clone(), units));
        }
    }
    Ok(found)
}

fn mention_edge(row: &Row<'_>) -> Outcome<MentionEdge> {
    Ok(MentionEdge { text_unit: id(row.get(0)?), entity: id(row.get(1)?), records: small(row.get(2)?) })
}

pub(super) fn mentions_of_entities(
    c: &Connection,
    entities: &[Id],
    limit: usize,
) -> Outcome<Vec<MentionEdge>> {
    let sql = "SELECT u.id, e.id, m.records FROM entity e JOIN mention m ON m.entity = e.n JOIN unit u ON u.n = m.unit
               WHERE e.id = ?1 ORDER BY m.records DESC, u.id LIMIT ?2";
    let mut edges = Vec::new();
    for entity in entities {
        edges.extend(all(c, sql, (entity.as_str(), limited(limit)), mention_edge)?);
    }
    Ok(edges)
}

pub(super) fn mentions_in_units(c: &Connection, units: &str) -> Outcome<Vec<MentionEdge>> {
    let sql = "SELECT u.id, e.id, m.records FROM unit u JOIN mention m ON m.unit = u.n JOIN entity e ON e.n = m.entity
               WHERE u.id IN (SELECT value FROM json_each(?1)) ORDER BY u.id, e.id";
    all(c, sql, [units], mention_edge)
}

pub(super) fn claims<P: Params>(c: &Connection, filter: &str, params: P) -> Outcome<Vec<Claim>> {
    let sql = format!("SELECT body FROM claim WHERE {filter}");
    all(c, &sql, params, |row| from_json(&row.get::<_, String>(0)?))
}

pub(super) fn resolution(c: &Connection) -> Outcome<BTreeMap<String, String>> {
    Ok(all(c, "SELECT name, canonical FROM resolution", [], |row| Ok((row.get(0)?, row.get(1)?)))?
        .into_iter()
        .collect())
}

pub(super) fn edits(c: &Connection) -> Outcome<Vec<Edit>> {
    all(c, "SELECT body FROM edit ORDER BY sequence, id", [], |row| from_json(&row.get::<_, String>(0)?))
}

pub(super) fn units_with_names(c: &Connection, keys: &str) -> Outcome<Vec<Id>> {
    let sql = "SELECT id FROM unit WHERE n IN (
                 SELECT unit FROM name_use WHERE key IN (SELECT value FROM json_each(?1))
                 UNION SELECT unit FROM name_link WHERE key IN (SELECT value FROM json_each(?1))) ORDER BY id";
    all(c, sql, [keys], |row| Ok(id(row.get(0)?)))
}

/// What one unit's records say of one name: spellings and types with their counts.
pub(super) type Said = (BTreeMap<String, u32>, BTreeMap<String, u32>);

pub(super) fn names(c: &Connection, after: &str, limit: usize) -> Outcome<Vec<NameUse>> {
    let sql = "SELECT key, said FROM name_use WHERE key IN (
                 SELECT DISTINCT key FROM name_use WHERE key > ?1 ORDER BY key LIMIT ?2) ORDER BY key";
    let mut names: Vec<NameUse> = Vec::new();
    let mut spellings: BTreeMap<String, u32> = BTreeMap::new();
    let mut kinds: BTreeMap<String, u32> = BTreeMap::new();
    let close = |names: &mut Vec<NameUse>,
                 spellings: &mut BTreeMap<String, u32>,
                 kinds: &mut BTreeMap<String, u32>| {
        if let Some(last) = names.last_mut() {
            let mut best = 0;
            for (name, units) in std::mem::take(spellings) {
                if units > best {
                    best = units;
                    last.name = name;
                }
            }
            last.kinds = std::mem::take(kinds).into_iter().collect();
        }
    };
    let mut statement = c.prepare_cached(sql)?;
    let mut rows = statement.query((after, limited(limit)))?;
    while let Some(row) = rows.next()? {
        let key: String = row.get(0)?;
        let (said_names, said_kinds): Said = from_json(&row.get::<_, String>(1)?)?;
        if names.last().is_none_or(|last| last.key != key) {
            close(&mut names, &mut spellings, &mut kinds);
            names.push(NameUse { key, name: String::new(), kinds: Vec::new(), text_unit_count: 0 });
        }
        if let Some(last) = names.last_mut() {
            last.text_unit_count += 1;
        }
        for name in said_names.into_keys() {
            *spellings.entry(name).or_default() += 1;
        }
        for (kind, records) in said_kinds {
            *kinds.entry(kind).or_default() += records;
        }
    }
    close(&mut names, &mut spellings, &mut kinds);
    Ok(names)
}

pub(super) fn kinds(c: &Connection) -> Outcome<Vec<(String, u64)>> {
    let sql = "SELECT kind, count(*) AS entities FROM entity WHERE summed = 1 GROUP BY kind ORDER BY entities DESC, kind";
    all(c, sql, [], |row| Ok((row.get(0)?, count(row.get(1)?))))
}
