//! Names as units write them: one `:Name` node a name key with the sums over all units' own records, changed by
//! the difference between a unit's old and new records in the transaction that changes the unit. Besides it the
//! dictionary (`:DictionaryName`), the resolution table (`:Alias`) and the verdicts on pairs of names (`:Verdict`).

use super::Neo4jGraph;
use super::connection::{Transaction, in_batches, in_parts, map, number, sorted};
use super::queries::IdRow;
use super::schema::TEXT_UNIT_NAMES;
use crate::domain::{Id, Ids, Record, Verdict, fingerprint};
use crate::stores::StoreResult;
use crate::stores::graph::names::names_of;
use crate::stores::graph::{NameReader, NameStore, NameUse};
use async_trait::async_trait;
use neo4rs::BoltType;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const DICTIONARY: &str = include_str!("../../../../cypher/store/dictionary.cypher");
const NAMES: &str = include_str!("../../../../cypher/store/names.cypher");
const NAMES_CHANGED: &str = include_str!("../../../../cypher/store/names_changed.cypher");
const NAMES_LOCK: &str = include_str!("../../../../cypher/store/names_lock.cypher");
const NAMES_REMOVE: &str = include_str!("../../../../cypher/store/names_remove.cypher");
const NAMES_SAVE: &str = include_str!("../../../../cypher/store/names_save.cypher");
const NAME_KEYS: &str = include_str!("../../../../cypher/store/name_keys.cypher");
const RESOLUTION: &str = include_str!("../../../../cypher/store/resolution.cypher");
const RESOLUTION_OF: &str = include_str!("../../../../cypher/store/resolution_of.cypher");
const SAVE_DICTIONARY_ADD: &str = include_str!("../../../../cypher/store/save_dictionary_add.cypher");
const SAVE_DICTIONARY_REMOVE: &str = include_str!("../../../../cypher/store/save_dictionary_remove.cypher");
const SAVE_RESOLUTION: &str = include_str!("../../../../cypher/store/save_resolution.cypher");
const SAVE_RESOLUTION_REMOVE: &str = include_str!("../../../../cypher/store/save_resolution_remove.cypher");
const SAVE_VERDICTS: &str = include_str!("../../../../cypher/store/save_verdicts.cypher");
const SAVE_VERDICTS_REMOVE: &str = include_str!("../../../../cypher/store/save_verdicts_remove.cypher");
const UNITS_WITH_NAMES: &str = include_str!("../../../../cypher/store/units_with_names.cypher");
const VERDICTS: &str = include_str!("../../../../cypher/store/verdicts.cypher");

/// Lucene takes at most 1,024 clauses.
const NAMES_PER_QUERY: usize = 500;
/// A range index refuses values of more than about 8,000 bytes.
const LONGEST_PAGE_BYTES: usize = 1_000;
/// Names, of which there may be millions, in one transaction.
const NAMES_PER_TRANSACTION: usize = 2_000;

/// One text unit's use of one name: its spellings, and the type of every record that has one.
#[derive(Default)]
pub(super) struct UnitName {
    names: BTreeSet<String>,
    kinds: Vec<String>,
}

#[derive(Default)]
struct NameChange {
    units: i64,
    names: BTreeMap<String, i64>,
    kinds: BTreeMap<String, i64>,
}

/// How the sums of names change.
#[derive(Default)]
pub(super) struct NameChanges(BTreeMap<String, NameChange>);

#[derive(Deserialize)]
struct StoredName {
    id: Id,
    text_unit_count: i64,
    names: Vec<String>,
    name_counts: Vec<i64>,
    kinds: Vec<String>,
    kind_counts: Vec<i64>,
}

#[derive(Deserialize)]
pub(super) struct NameRow {
    key: String,
    text_unit_count: u32,
    names: Vec<String>,
    name_counts: Vec<u32>,
    kinds: Vec<String>,
    kind_counts: Vec<u32>,
}

#[derive(Deserialize)]
pub(super) struct KeyRow {
    pub(super) key: String,
}

#[derive(Deserialize)]
struct AliasRow {
    key: String,
    canonical: String,
}

#[async_trait]
impl NameReader for Neo4jGraph {
    async fn resolution(&self) -> StoreResult<BTreeMap<String, String>> {
        let rows: Vec<AliasRow> = self.connection.read(self.connection.query(RESOLUTION)).await?;
        Ok(rows.into_iter().map(|row| (row.key, row.canonical)).collect())
    }

    async fn resolution_of(&self, keys: &[String]) -> StoreResult<BTreeMap<String, String>> {
        let ids = sorted(keys.iter().map(|key| self.connection.ids.other("alias", &[key])));
        let rows: Vec<AliasRow> = self.connection.read_all(self.of_ids(RESOLUTION_OF, &ids)).await?;
        Ok(rows.into_iter().map(|row| (row.key, row.canonical)).collect())
    }

    async fn name_keys(&self, prefix: &str, shortest: usize, longest: usize) -> StoreResult<Vec<String>> {
        let query = self.connection.query(NAME_KEYS).param("prefix", prefix);
        let query = query.param("shortest", number(shortest)).param("longest", number(longest));
        let rows: Vec<KeyRow> = self.connection.read(query).await?;
        let mut keys: Vec<String> = rows.into_iter().map(|row| row.key).collect();
        keys.sort_unstable();
        Ok(keys)
    }

    async fn verdicts(&self) -> StoreResult<Vec<Verdict>> {
        let mut verdicts: Vec<Verdict> = self.connection.read(self.connection.query(VERDICTS)).await?;
        verdicts.sort_unstable_by(|a, b| (&a.low, &a.high).cmp(&(&b.low, &b.high)));
        Ok(verdicts)
    }
}

#[async_trait]
impl NameStore for Neo4jGraph {
    async fn units_with_names(&self, name_keys: &[String]) -> StoreResult<Vec<Id>> {
        if name_keys.is_empty() {
            return Ok(Vec::new());
        }
        let index = self.index_name(TEXT_UNIT_NAMES).await?;
        let mut found = Vec::new();
        for keys in name_keys.chunks(NAMES_PER_QUERY) {
            let words: Vec<String> =
                keys.iter().map(|key| name_id(&self.connection.ids, key).to_string()).collect();
            let query = self.connection.query(UNITS_WITH_NAMES).param("index", index.as_str());
            let rows: Vec<IdRow> = self.connection.read(query.param("query", words.join(" OR "))).await?;
            found.extend(rows.into_iter().map(|row| row.id));
        }
        Ok(sorted(found))
    }

    async fn names(&self, after: Option<&str>, limit: usize) -> StoreResult<Vec<NameUse>> {
        let query = self.connection.query(NAMES).param("after", page(after.unwrap_or_default()));
        let rows: Vec<NameRow> = self.connection.read(query.param("limit", number(limit))).await?;
        Ok(rows.into_iter().map(name_use).collect())
    }

    async fn dictionary(&self) -> StoreResult<Vec<String>> {
        let rows: Vec<KeyRow> = self.connection.read(self.connection.query(DICTIONARY)).await?;
        let mut keys: Vec<String> = rows.into_iter().map(|row| row.key).collect();
        keys.sort_unstable();
        Ok(keys)
    }

    async fn save_dictionary(&self, added: &[String], removed: &[String]) -> StoreResult<()> {
        // what a run that ends halfway has saved is linked, the rest is found again
        let remove = |part| self.write(move || self.save_dictionary_once(&[], part));
        in_batches(removed, NAMES_PER_TRANSACTION, remove).await?;
        let add = |part| self.write(move || self.save_dictionary_once(part, &[]));
        in_batches(added, NAMES_PER_TRANSACTION, add).await
    }

    async fn save_resolution(&self, changes: &BTreeMap<String, Option<String>>) -> StoreResult<()> {
        let changes: Vec<(&String, &Option<String>)> = changes.iter().collect();
        let save = |part| self.write(move || self.save_resolution_once(part));
        in_batches(&changes, NAMES_PER_TRANSACTION, save).await
    }

    async fn save_verdicts(&self, kept: &[Verdict], gone: &[(String, String)]) -> StoreResult<()> {
        in_parts(gone, |part| self.write(|| self.save_verdicts_once(&[], part))).await?;
        in_parts(kept, |part| self.write(|| self.save_verdicts_once(part, &[]))).await
    }
}

impl Neo4jGraph {
    /// Id of a name's node in the dictionary.
    pub(super) fn dictionary_id(&self, key: &str) -> Id {
        self.connection.ids.other("dictionary", &[key])
    }

    /// Records as a text unit keeps them.
    pub(super) fn stored_records(&self, json: &str) -> StoreResult<Vec<Record>> {
        self.parsed(json, "records of a text unit")
    }

    pub(super) async fn save_dictionary_once(&self, added: &[String], removed: &[String]) -> StoreResult<()> {
        let id = |key: &String| self.dictionary_id(key);
        let mut transaction = self.connection.begin().await?;
        transaction.run_ids(SAVE_DICTIONARY_REMOVE, &sorted(removed.iter().map(id))).await?;
        let added: BTreeMap<Id, &String> = added.iter().map(|key| (id(key), key)).collect();
        let rows =
            added.iter().map(|(id, key)| map([("id", id.as_str().into()), ("key", key.as_str().into())]));
        transaction.run_rows(SAVE_DICTIONARY_ADD, rows.collect()).await?;
        self.commit(transaction).await
    }

    pub(super) async fn save_resolution_once(
        &self,
        changes: &[(&String, &Option<String>)],
    ) -> StoreResult<()> {
        let ids = &self.connection.ids;
        let (mut saved, mut removed) = (BTreeMap::new(), Vec::new());
        for &(key, canonical) in changes {
            let id = ids.other("alias", &[key]);
            match canonical {
                Some(canonical) => drop(saved.insert(id, (key, canonical))),
                None => removed.push(id),
            }
        }
        let rows = saved.iter().map(|(id, (key, canonical))| {
            map([
                ("id", id.as_str().into()),
                ("key", key.as_str().into()),
                ("canonical", canonical.as_str().into()),
            ])
        });
        let mut transaction = self.connection.begin().await?;
        transaction.run_rows(SAVE_RESOLUTION, rows.collect()).await?;
        transaction.run_ids(SAVE_RESOLUTION_REMOVE, &sorted(removed)).await?;
        self.commit(transaction).await
    }

    pub(super) async fn save_verdicts_once(
        &self,
        kept: &[Verdict],
        gone: &[(String, String)],
    ) -> StoreResult<()> {
        let id = |low: &str, high: &str| self.connection.ids.other("verdict", &[low, high]);
        let kept: BTreeMap<Id, &Verdict> =
            kept.iter().map(|verdict| (id(&verdict.low, &verdict.high), verdict)).collect();
        let rows = kept.iter().map(|(id, verdict)| {
            map([
                ("id", id.as_str().into()),
                ("low", verdict.low.as_str().into()),
                ("high", verdict.high.as_str().into()),
                ("evidence", verdict.evidence.as_str().into()),
                ("same", verdict.same.into()),
                ("reason", verdict.reason.as_str().into()),
            ])
        });
        let gone = sorted(gone.iter().map(|(low, high)| id(low, high)));
        let mut transaction = self.connection.begin().await?;
        transaction.run_ids(SAVE_VERDICTS_REMOVE, &gone).await?;
        transaction.run_rows(SAVE_VERDICTS, rows.collect()).await?;
        self.commit(transaction).await
    }
}

impl NameChanges {
    /// Adds (`sign` 1) or takes back (`sign` -1) what one unit's records say.
    pub(super) fn add(&mut self, records: &[Record], sign: i64) {
        for (key, said) in unit_names(records) {
            let change = self.0.entry(key).or_default();
            change.units += sign;
            for name in said.names {
                *change.names.entry(name).or_default() += sign;
            }
            for kind in said.kinds {
                *change.kinds.entry(kind).or_default() += sign;
            }
        }
    }

    pub(super) async fn apply(mut self, ids: &Ids, transaction: &mut Transaction<'_>) -> StoreResult<()> {
        self.0.retain(|_, change| {
            change.units != 0
                || change.names.values().any(|count| *count != 0)
                || change.kinds.values().any(|count| *count != 0)
        });
        let mut by_id: BTreeMap<Id, (String, NameChange)> =
            self.0.into_iter().map(|(key, change)| (name_id(ids, &key), (key, change))).collect();
        let rows = by_id.iter().map(|(id, (key, _))| {
            map([("id", id.as_str().into()), ("key", key.as_str().into()), ("page", page(key).into())])
        });
        let changed = by_id.values().map(|(key, _)| changed_row(ids, key)).collect();
        let stored: Vec<StoredName> = transaction.rows_of(NAMES_LOCK, rows.collect()).await?;
        transaction.run_rows(NAMES_CHANGED, changed).await?;
        let (mut kept, mut gone) = (Vec::new(), Vec::new());
        for mut name in stored {
            let Some((_, change)) = by_id.remove(&name.id) else { continue };
            name.change(change);
            if name.text_unit_count == 0 { gone.push(name.id) } else { kept.push(name.into_row()) }
        }
        transaction.run_rows(NAMES_SAVE, kept).await?;
        transaction.run_ids(NAMES_REMOVE, &gone).await
    }
}

impl StoredName {
    fn change(&mut self, change: NameChange) {
        self.text_unit_count += change.units;
        (self.names, self.name_counts) = merged(&self.names, &self.name_counts, change.names);
        (self.kinds, self.kind_counts) = merged(&self.kinds, &self.kind_counts, change.kinds);
    }

    fn into_row(self) -> BoltType {
        map([
            ("id", self.id.as_str().into()),
            ("text_unit_count", number(self.text_unit_count)),
            ("names", self.names.into()),
            ("name_counts", self.name_counts.into()),
            ("kinds", self.kinds.into()),
            ("kind_counts", self.kind_counts.into()),
        ])
    }
}

/// The names of a unit's own entity records, by name key.
pub(super) fn unit_names(records: &[Record]) -> BTreeMap<String, UnitName> {
    let mut names: BTreeMap<String, UnitName> = BTreeMap::new();
    for record in records {
        let Record::Entity(entity) = record else { continue };
        for (key, spelling, kinds) in names_of(entity) {
            let said = names.entry(key).or_default();
            said.names.insert(spelling);
            said.kinds.extend(kinds);
        }
    }
    names
}

fn merged(names: &[String], counts: &[i64], mut changes: BTreeMap<String, i64>) -> (Vec<String>, Vec<i64>) {
    for (name, count) in names.iter().zip(counts) {
        *changes.entry(name.clone()).or_default() += count;
    }
    changes.into_iter().filter(|(_, count)| *count != 0).unzip()
}

/// Id of a name's node, and the word that stands for the name in a unit's `name_ids`.
pub(super) fn name_id(ids: &Ids, key: &str) -> Id {
    ids.other("name", &[key])
}

fn changed_row(ids: &Ids, key: &str) -> BoltType {
    map([("id", ids.other("changed name", &[key]).as_str().into()), ("key", key.into())])
}

/// What names are paged by: the key, or for a monster its beginning and a hash.
fn page(key: &str) -> String {
    if key.len() <= LONGEST_PAGE_BYTES {
        return key.to_owned();
    }
    let head: String = key.chars().take(LONGEST_PAGE_BYTES / 5).collect();
    format!("{head}{}", fingerprint(&[key]))
}

pub(super) fn name_use(row: NameRow) -> NameUse {
    let most_used = row
        .names
        .iter()
        .zip(&row.name_counts)
        .min_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    let name = most_used.map(|(name, _)| name.clone()).unwrap_or_default();
    NameUse::new(row.key, name, row.kinds.into_iter().zip(row.kind_counts), row.text_unit_count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_fall_to_nothing_go() {
        let (names, counts) = merged(
            &["a".into(), "b".into()],
            &[1, 2],
            [("a".to_owned(), -1), ("b".to_owned(), 1), ("c".to_owned(), 3)].into(),
        );
        assert_eq!((names, counts), (vec!["b".to_owned(), "c".to_owned()], vec![3, 3]));
    }

    #[test]
    fn a_monster_of_a_name_still_fits_an_index() {
        assert_eq!(page("scrooge"), "scrooge");
        assert!(page(&"曹".repeat(9_000)).len() < LONGEST_PAGE_BYTES);
    }
}
