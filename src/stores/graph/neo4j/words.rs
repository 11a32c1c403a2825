//! Names that have changed since the last linking, marked in the transaction that changes them (`:ChangedName`), and the
//! words of text units, as numbers, in a full-text index of their own: the server's analyzers know no word borders of
//! ours. Before the first linking nothing is marked.

use super::connection::{in_batches, map, number, sorted};
use super::names::{KeyRow, NameRow, name_id, name_use};
use super::queries::IdRow;
use super::schema::TEXT_UNIT_WORDS;
use super::{CountRow, Neo4jGraph};
use crate::domain::Id;
use crate::stores::StoreResult;
use crate::stores::graph::{NameUse, WordStore};
use async_trait::async_trait;
use neo4rs::BoltType;
use serde::Deserialize;
use std::collections::BTreeSet;

const CHANGED_NAMES: &str = include_str!("../../../../cypher/store/changed_names.cypher");
const DICTIONARY_LIKE_BEGINNINGS: &str =
    include_str!("../../../../cypher/store/dictionary_like_beginnings.cypher");
const DICTIONARY_LIKE_WHOLE: &str = include_str!("../../../../cypher/store/dictionary_like_whole.cypher");
const FORGET_CHANGED_NAMES: &str = include_str!("../../../../cypher/store/forget_changed_names.cypher");
const FORGET_CHANGED_NAMES_KEPT: &str =
    include_str!("../../../../cypher/store/forget_changed_names_kept.cypher");
const NAMES_BY_KEY: &str = include_str!("../../../../cypher/store/names_by_key.cypher");
const SAVE_WORDS: &str = include_str!("../../../../cypher/store/save_words.cypher");
const UNITS_WITH_WORDS: &str = include_str!("../../../../cypher/store/units_with_words.cypher");
const UNITS_WITHOUT_WORDS: &str = include_str!("../../../../cypher/store/units_without_words.cypher");

/// Marks that are removed in one transaction.
const MARKS_PER_TRANSACTION: usize = 10_000;
/// Texts whose words are kept in one transaction: some two megabytes.
const TEXTS_PER_TRANSACTION: usize = 1_000;
/// Beginnings that are looked up in one statement.
const BEGINNINGS_PER_QUERY: usize = 10_000;
/// Lucene takes at most 1,024 clauses.
const WORDS_PER_QUERY: usize = 500;

#[derive(Deserialize)]
struct ChangedRow {
    kept: bool,
    keys: Vec<String>,
}

#[derive(Deserialize)]
struct TextRow {
    id: Id,
    text: String,
}

#[async_trait]
impl WordStore for Neo4jGraph {
    async fn changed_names(&self, most: usize) -> StoreResult<Option<Vec<String>>> {
        let query = self.connection.query(CHANGED_NAMES).param("limit", number(most + 1));
        let rows: Vec<ChangedRow> = self.connection.read(query).await?;
        let Some(ChangedRow { kept: true, mut keys }) = rows.into_iter().next() else { return Ok(None) };
        keys.sort_unstable();
        Ok((keys.len() <= most).then_some(keys))
    }

    async fn forget_changed_names(&self) -> StoreResult<()> {
        while self.write(|| self.forget_changed_names_once()).await? == MARKS_PER_TRANSACTION as u64 {}
        Ok(())
    }

    async fn names_by_key(&self, keys: &[String]) -> StoreResult<Vec<NameUse>> {
        let ids = sorted(keys.iter().map(|key| name_id(&self.connection.ids, key)));
        let rows: Vec<NameRow> = self.connection.read_all(self.of_ids(NAMES_BY_KEY, &ids)).await?;
        let mut names: Vec<NameUse> = rows.into_iter().map(name_use).collect();
        names.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(names)
    }

    async fn dictionary_like(&self, whole: &[String], beginnings: &[String]) -> StoreResult<Vec<String>> {
        let ids = sorted(whole.iter().map(|key| self.dictionary_id(key)));
        let mut queries = self.of_ids(DICTIONARY_LIKE_WHOLE, &ids);
        queries.extend(beginnings.chunks(BEGINNINGS_PER_QUERY).map(|part| {
            self.connection.query(DICTIONARY_LIKE_BEGINNINGS).param("beginnings", part.to_vec())
        }));
        let rows: Vec<KeyRow> = self.connection.read_all(queries).await?;
        let keys: BTreeSet<String> = rows.into_iter().map(|row| row.key).collect();
        Ok(keys.into_iter().collect())
    }

    async fn units_without_words(&self, limit: usize) -> StoreResult<Vec<(Id, String)>> {
        let query = self.connection.query(UNITS_WITHOUT_WORDS).param("limit", number(limit));
        let rows: Vec<TextRow> = self.connection.read(query).await?;
        Ok(rows.into_iter().map(|row| (row.id, row.text)).collect())
    }

    async fn save_words(&self, words: &[(Id, Vec<u32>)]) -> StoreResult<()> {
        let mut words: Vec<&(Id, Vec<u32>)> = words.iter().collect();
        words.sort_unstable();
        in_batches(&words, TEXTS_PER_TRANSACTION, |part| self.write(move || self.save_words_once(part))).await
    }

    async fn units_with_words(&self, lists: &[Vec<u32>]) -> StoreResult<Vec<Id>> {
        if lists.is_empty() {
            return Ok(Vec::new());
        }
        let index = self.index_name(TEXT_UNIT_WORDS).await?;
        let queries = lucene_queries(lists).into_iter().map(|text| {
            self.connection.query(UNITS_WITH_WORDS).param("index", index.as_str()).param("query", text)
        });
        let rows: Vec<IdRow> = self.connection.read_all(queries.collect()).await?;
        Ok(sorted(rows.into_iter().map(|row| row.id)))
    }
}

impl Neo4jGraph {
    async fn forget_changed_names_once(&self) -> StoreResult<u64> {
        let mut transaction = self.connection.begin().await?;
        let query = self.connection.query(FORGET_CHANGED_NAMES).param("limit", number(MARKS_PER_TRANSACTION));
        let rows: Vec<CountRow> = transaction.rows(query).await?;
        transaction.run(self.connection.query(FORGET_CHANGED_NAMES_KEPT)).await?;
        self.commit(transaction).await?;
        Ok(rows.first().map_or(0, |row| row.count))
    }

    pub(super) async fn save_words_once(&self, words: &[&(Id, Vec<u32>)]) -> StoreResult<()> {
        let rows = words
            .iter()
            .map(|(id, words)| map([("id", id.as_str().into()), ("words", joined(words, " ").into())]));
        let rows: Vec<BoltType> = rows.collect();
        let mut transaction = self.connection.begin().await?;
        transaction.run_rows(SAVE_WORDS, rows).await?;
        self.commit(transaction).await
    }
}

/// Words as the index holds them.
fn joined(words: &[u32], between: &str) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("{word:x}")).collect();
    words.join(between)
}

/// Lucene queries that together find what holds all words of one of the lists.
fn lucene_queries(lists: &[Vec<u32>]) -> Vec<String> {
    let mut queries: Vec<Vec<String>> = Vec::new();
    let mut words = WORDS_PER_QUERY;
    for list in lists.iter().filter(|list| !list.is_empty()) {
        let all = format!("({})", joined(list, " AND "));
        words += list.len();
        match queries.last_mut() {
            Some(query) if words <= WORDS_PER_QUERY => query.push(all),
            _ => {
                words = list.len();
                queries.push(vec![all]);
            }
        }
    }
    queries.into_iter().map(|query| query.join(" OR ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_asks_for_all_words_of_a_list_and_stays_below_the_limit_of_clauses() {
        assert_eq!(lucene_queries(&[vec![1, 255], vec![16]]), ["(1 AND ff) OR (10)"]);
        assert_eq!(lucene_queries(&[Vec::new()]), [""; 0]);
        let many = vec![vec![7, 8, 9]; 400];
        let queries = lucene_queries(&many);
        assert_eq!(queries.iter().map(|query| query.matches('(').count()).sum::<usize>(), 400);
        assert!(queries.iter().all(|query| query.matches("AND").count() * 3 / 2 <= WORDS_PER_QUERY));
    }
}
