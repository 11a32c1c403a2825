//! The library: `(:Question)-[:HAS_ANSWER]->(:Answer)-[:CITES]->(:TextUnit)`, and what leads from question to question.
//!
//! A variant is a `:Question` without a key. Texts are read back from the nodes; lists, metadata and citations from
//! properties, because what they name may not be in the graph: the relationships are for those who explore it.

use super::connection::{id, map, number, sorted, texts};
use super::metadata::property_keys;
use super::queries::IdRow;
use super::vectors::{clear_tombstones, save_tombstones};
use super::{CountRow, Neo4jGraph};
use crate::domain::{
    AnswerCitation, AskedQuestion, EntrySource, EntryStatus, Id, LibraryChange, LibraryEntry, RelatedEntry,
    StaleCitation,
};
use crate::stores::StoreResult;
use crate::stores::graph::library::first_revision;
use crate::stores::graph::{LibraryReader, LibraryStore, METADATA_PROPERTIES, VectorKind};
use async_trait::async_trait;
use neo4rs::{BoltMap, BoltType};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const ADD_ASKED_QUESTIONS: &str = include_str!("../../../../cypher/store/add_asked_questions.cypher");
const ASKED_QUESTIONS: &str = include_str!("../../../../cypher/store/asked_questions.cypher");
const FORGET_ASKED_QUESTIONS: &str = include_str!("../../../../cypher/store/forget_asked_questions.cypher");
const LIBRARY: &str = include_str!("../../../../cypher/store/library.cypher");
const LIBRARY_CHANGES: &str = include_str!("../../../../cypher/store/library_changes.cypher");
const LIBRARY_ENTRIES: &str = include_str!("../../../../cypher/store/library_entries.cypher");
const LIBRARY_NODES: &str = include_str!("../../../../cypher/store/library_nodes.cypher");
const LIBRARY_REVISION: &str = include_str!("../../../../cypher/store/library_revision.cypher");
const SAVE_LIBRARY: &str = include_str!("../../../../cypher/store/save_library.cypher");
const SAVE_LIBRARY_ABOUT: &str = include_str!("../../../../cypher/store/save_library_about.cypher");
const SAVE_LIBRARY_CHANGES: &str = include_str!("../../../../cypher/store/save_library_changes.cypher");
const SAVE_LIBRARY_CITES: &str = include_str!("../../../../cypher/store/save_library_cites.cypher");
const SAVE_LIBRARY_CLEAR: &str = include_str!("../../../../cypher/store/save_library_clear.cypher");
const SAVE_LIBRARY_CLEAR_VARIANTS: &str =
    include_str!("../../../../cypher/store/save_library_clear_variants.cypher");
const SAVE_LIBRARY_FOLLOW_UPS: &str = include_str!("../../../../cypher/store/save_library_follow_ups.cypher");
const SAVE_LIBRARY_GONE: &str = include_str!("../../../../cypher/store/save_library_gone.cypher");
const SAVE_LIBRARY_LAST_CHANGE: &str =
    include_str!("../../../../cypher/store/save_library_last_change.cypher");
const SAVE_LIBRARY_RELATED: &str = include_str!("../../../../cypher/store/save_library_related.cypher");
const SAVE_LIBRARY_REVISION: &str = include_str!("../../../../cypher/store/save_library_revision.cypher");
const SAVE_LIBRARY_STALE: &str = include_str!("../../../../cypher/store/save_library_stale.cypher");
const SAVE_LIBRARY_VARIANTS: &str = include_str!("../../../../cypher/store/save_library_variants.cypher");

#[derive(Deserialize)]
struct ChangeRow {
    sequence: u64,
    json: String,
}

#[derive(Deserialize)]
struct EntryRow {
    id: Id,
    key: String,
    question: String,
    answer: String,
    language: String,
    status: String,
    source: String,
    author: String,
    tags: Vec<String>,
    terms: Vec<String>,
    /// JSON.
    metadata: String,
    follow_ups: Vec<String>,
    about: Vec<Id>,
    related: Vec<Id>,
    weights: Vec<f64>,
    valid_from: Option<String>,
    valid_until: Option<String>,
    /// JSON.
    citations: String,
    /// These four have the same length; empty texts stand for what is absent.
    stale_document: Vec<String>,
    stale_was: Vec<String>,
    stale_now: Vec<String>,
    stale_text_unit: Vec<String>,
    variants: Vec<String>,
}

#[async_trait]
impl LibraryReader for Neo4jGraph {
    async fn library_revision(&self) -> StoreResult<u64> {
        let rows: Vec<CountRow> = self.connection.read(self.connection.query(LIBRARY_REVISION)).await?;
        Ok(rows.first().map_or(0, |row| row.count))
    }

    async fn library(&self) -> StoreResult<Vec<LibraryEntry>> {
        let rows: Vec<EntryRow> = self.connection.read(self.connection.query(LIBRARY)).await?;
        self.read_entries(rows)
    }

    async fn library_entries(&self, ids: &[Id]) -> StoreResult<Vec<LibraryEntry>> {
        let rows: Vec<EntryRow> = self.connection.read_all(self.of_ids(LIBRARY_ENTRIES, ids)).await?;
        self.read_entries(rows)
    }

    async fn library_nodes(&self, ids: &[Id]) -> StoreResult<Vec<Id>> {
        let rows: Vec<IdRow> = self.connection.read_all(self.of_ids(LIBRARY_NODES, ids)).await?;
        Ok(sorted(rows.into_iter().map(|row| row.id)))
    }

    async fn library_changes(&self, key: Option<&str>) -> StoreResult<Vec<LibraryChange>> {
        let query = self.connection.query(LIBRARY_CHANGES).param("key", BoltType::from(key));
        let mut rows: Vec<ChangeRow> = self.connection.read(query).await?;
        rows.sort_unstable_by_key(|row| row.sequence);
        rows.iter().map(|row| self.parsed(&row.json, "a change of the library")).collect()
    }

    async fn asked_questions(&self) -> StoreResult<Vec<AskedQuestion>> {
        let query = self.connection.query(ASKED_QUESTIONS);
        let mut rows: Vec<AskedQuestion> = self.connection.read(query).await?;
        rows.sort_unstable_by(|a, b| a.question.cmp(&b.question));
        Ok(rows)
    }
}

#[async_trait]
impl LibraryStore for Neo4jGraph {
    async fn save_library(
        &self,
        entries: &[LibraryEntry],
        gone: &[Id],
        changes: &[LibraryChange],
    ) -> StoreResult<()> {
        self.write(|| self.save_library_once(entries, gone, changes)).await
    }

    async fn add_asked_questions(&self, asked: &[AskedQuestion]) -> StoreResult<()> {
        self.write(|| self.add_asked_questions_once(asked)).await
    }

    async fn forget_asked_questions(&self, questions: Option<&[String]>) -> StoreResult<u64> {
        self.write(|| self.forget_asked_questions_once(questions)).await
    }
}

impl Neo4jGraph {
    async fn save_library_once(
        &self,
        entries: &[LibraryEntry],
        gone: &[Id],
        changes: &[LibraryChange],
    ) -> StoreResult<()> {
        let mut entries: Vec<&LibraryEntry> = entries.iter().collect();
        entries.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        let saved = sorted(entries.iter().map(|entry| entry.id.clone()));
        let cleared = sorted(saved.iter().chain(gone).cloned());
        let stored = self.library_entries(&cleared).await?;
        let stored: BTreeMap<&Id, &LibraryEntry> = stored.iter().map(|entry| (&entry.id, entry)).collect();
        let ids = &self.connection.ids;
        // what questions are found by, before and after: what stays keeps its vectors
        let same = |entry: &LibraryEntry| {
            stored.get(&entry.id).is_some_and(|before| before.found_by(ids) == entry.found_by(ids))
        };
        let nodes = |entry: &LibraryEntry| entry.found_by(ids).into_iter().map(|(node, _)| node);
        let there: BTreeSet<Id> = entries.iter().flat_map(|entry| nodes(entry)).collect();
        let without = stored.values().flat_map(|entry| nodes(entry)).filter(|node| !there.contains(node));
        let without = sorted(without.collect::<BTreeSet<_>>());
        let kept: BTreeSet<&Id> = entries.iter().filter(|entry| same(entry)).map(|entry| &entry.id).collect();
        let anew = sorted(cleared.iter().filter(|id| !kept.contains(id)).cloned());
        let mut transaction = self.connection.begin().await?;
        transaction.run_ids(SAVE_LIBRARY_CLEAR, &cleared).await?;
        transaction.run_ids(SAVE_LIBRARY_CLEAR_VARIANTS, &anew).await?;
        save_tombstones(&mut transaction, VectorKind::Questions, &without).await?;
        clear_tombstones(&mut transaction, &sorted(there)).await?;
        transaction.run_ids(SAVE_LIBRARY_GONE, &sorted(gone.iter().cloned())).await?;
        let mut links = LinkRows::default();
        let mut rows = Vec::with_capacity(entries.len());
        for entry in &entries {
            let same = kept.contains(&entry.id);
            rows.push(self.entry_row(entry, same)?);
            self.add_links(&mut links, entry, same);
        }
        transaction.run_rows(SAVE_LIBRARY, rows).await?;
        transaction.run_rows(SAVE_LIBRARY_VARIANTS, links.variants).await?;
        transaction.run_rows(SAVE_LIBRARY_CITES, links.cites).await?;
        transaction.run_rows(SAVE_LIBRARY_STALE, links.stale).await?;
        transaction.run_rows(SAVE_LIBRARY_ABOUT, links.about).await?;
        transaction.run_rows(SAVE_LIBRARY_RELATED, links.related).await?;
        transaction.run(self.connection.query(SAVE_LIBRARY_FOLLOW_UPS)).await?;
        if !changes.is_empty() {
            let last: Vec<CountRow> =
                transaction.rows(self.connection.query(SAVE_LIBRARY_LAST_CHANGE)).await?;
            let mut next = last.first().map_or(0, |row| row.count);
            let mut rows = Vec::with_capacity(changes.len());
            for change in changes {
                let sequence = if change.sequence == 0 {
                    next += 1;
                    next
                } else {
                    change.sequence
                };
                rows.push(self.change_row(change, sequence)?);
            }
            transaction.run_rows(SAVE_LIBRARY_CHANGES, rows).await?;
        }
        let revision = self.connection.query(SAVE_LIBRARY_REVISION).param("first", number(first_revision()));
        transaction.run(revision).await?;
        self.commit(transaction).await
    }

    async fn add_asked_questions_once(&self, asked: &[AskedQuestion]) -> StoreResult<()> {
        let mut rows: Vec<(Id, BoltType)> = asked
            .iter()
            .map(|asked| {
                let question = asked.question.trim();
                let row_id = self.connection.ids.other("asked_question", &[question]);
                let row = map([
                    ("id", id(&row_id)),
                    ("question", question.into()),
                    ("count", number(asked.count)),
                    ("last", asked.last.as_str().into()),
                    ("outcome", asked.outcome.as_str().into()),
                ]);
                (row_id, row)
            })
            .collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        let mut transaction = self.connection.begin().await?;
        transaction.run_rows(ADD_ASKED_QUESTIONS, rows.into_iter().map(|(_, row)| row).collect()).await?;
        // whoever asks may note it: no writer's lease is needed
        transaction.commit().await
    }

    async fn forget_asked_questions_once(&self, questions: Option<&[String]>) -> StoreResult<u64> {
        let query = self.connection.query(FORGET_ASKED_QUESTIONS);
        let query = match questions {
            Some(questions) => query.param("questions", questions.to_vec()),
            None => query.param("questions", BoltType::from(None::<&str>)),
        };
        let mut transaction = self.connection.begin().await?;
        let rows: Vec<CountRow> = transaction.rows(query).await?;
        transaction.commit().await?;
        Ok(rows.first().map_or(0, |row| row.count))
    }

    fn read_entries(&self, rows: Vec<EntryRow>) -> StoreResult<Vec<LibraryEntry>> {
        let mut entries = Vec::with_capacity(rows.len());
        for row in rows {
            let metadata = self.parsed(&row.metadata, "metadata of a question")?;
            let citations: Vec<AnswerCitation> = self.parsed(&row.citations, "citations of an answer")?;
            let related = row.related.into_iter().zip(row.weights);
            let now = row.stale_now.into_iter().zip(row.stale_text_unit);
            let stale = row.stale_document.into_iter().zip(row.stale_was).zip(now);
            let stale = stale.map(|((document, was), (now, text_unit))| StaleCitation {
                document,
                was,
                now: (!now.is_empty()).then_some(now),
                text_unit: (!text_unit.is_empty()).then(|| Id::from_stored(text_unit)),
            });
            entries.push(LibraryEntry {
                id: row.id,
                key: row.key,
                question: row.question,
                answer: row.answer,
                variants: row.variants,
                follow_ups: row.follow_ups,
                tags: row.tags,
                terms: row.terms,
                language: row.language,
                status: EntryStatus::from_name(&row.status).unwrap_or(EntryStatus::Draft),
                source: EntrySource::from_name(&row.source).unwrap_or_default(),
                author: row.author,
                valid_from: row.valid_from,
                valid_until: row.valid_until,
                metadata,
                citations,
                about: row.about,
                related: related.map(|(id, weight)| RelatedEntry { id, weight }).collect(),
                stale: stale.collect(),
            });
        }
        entries.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(entries)
    }

    fn answer_id(&self, entry: &LibraryEntry) -> Id {
        self.connection.ids.answer(&entry.id)
    }

    /// A row of an entry; `same` where what it is found by is as it was.
    fn entry_row(&self, entry: &LibraryEntry, same: bool) -> StoreResult<BoltType> {
        let follow_ups: Vec<Id> =
            entry.follow_ups.iter().map(|key| self.connection.ids.question(key)).collect();
        let mut question = BoltMap::new();
        let weights: Vec<BoltType> = entry.related.iter().map(|related| related.weight.into()).collect();
        let related: Vec<Id> = entry.related.iter().map(|related| related.id.clone()).collect();
        let properties: [(&str, BoltType); 14] = [
            ("key", entry.key.as_str().into()),
            ("text", entry.question.as_str().into()),
            ("language", entry.language.as_str().into()),
            ("status", entry.status.as_str().into()),
            ("source", entry.source.as_str().into()),
            ("author", entry.author.as_str().into()),
            ("tags", entry.tags.clone().into()),
            ("terms", entry.terms.clone().into()),
            ("metadata", self.json(&entry.metadata)?.into()),
            ("follow_ups", entry.follow_ups.clone().into()),
            ("follow_up_ids", texts(&follow_ups)),
            ("about", texts(&entry.about)),
            ("related", texts(&related)),
            ("weights", weights.into()),
        ];
        for (name, value) in properties {
            question.put(name.into(), value);
        }
        for key in property_keys(&entry.metadata).take(METADATA_PROPERTIES) {
            let value = entry.metadata.get(key).map(String::as_str);
            question.put(format!("meta_{key}").as_str().into(), BoltType::from(value));
        }
        let stale = |text: &dyn Fn(&StaleCitation) -> String| -> BoltType {
            // no list of properties where there is nothing, as whoever looks at the node expects
            let texts: Vec<String> = entry.stale.iter().map(text).collect();
            BoltType::from((!texts.is_empty()).then_some(texts))
        };
        let answer = map([
            ("stale", BoltType::from((!entry.stale.is_empty()).then_some(true))),
            ("stale_document", stale(&|stale| stale.document.clone())),
            ("stale_was", stale(&|stale| stale.was.clone())),
            ("stale_now", stale(&|stale| stale.now.clone().unwrap_or_default())),
            ("stale_text_unit", stale(&|stale| stale.text_unit.iter().map(Id::to_string).collect())),
            ("text", entry.answer.as_str().into()),
            ("valid_from", entry.valid_from.as_deref().into()),
            ("valid_until", entry.valid_until.as_deref().into()),
            ("citations", self.json(&entry.citations)?.into()),
        ]);
        Ok(map([
            ("id", id(&entry.id)),
            ("same", same.into()),
            ("question", BoltType::Map(question)),
            ("answer_id", id(&self.answer_id(entry))),
            ("answer", answer),
        ]))
    }

    fn add_links(&self, links: &mut LinkRows, entry: &LibraryEntry, same: bool) {
        for (place, text) in entry.variants.iter().enumerate().filter(|_| !same) {
            let variant = self.connection.ids.question_variant(&entry.id, place);
            links.variants.push(map([
                ("id", id(&variant)),
                ("question", id(&entry.id)),
                ("text", text.as_str().into()),
                ("order", number(place)),
            ]));
        }
        for cited in &entry.citations {
            links.cites.push(map([
                ("answer", id(&self.answer_id(entry))),
                ("text_unit", id(&cited.text_unit)),
                ("start", number(cited.start)),
                ("end", number(cited.end)),
            ]));
        }
        for stale in &entry.stale {
            let (Some(now), Some(text_unit)) = (&stale.now, &stale.text_unit) else { continue };
            links.stale.push(map([
                ("answer", id(&self.answer_id(entry))),
                ("text_unit", id(text_unit)),
                ("was", stale.was.as_str().into()),
                ("now", now.as_str().into()),
            ]));
        }
        for entity in &entry.about {
            links.about.push(map([("question", id(&entry.id)), ("entity", id(entity))]));
        }
        for related in &entry.related {
            links.related.push(map([
                ("question", id(&entry.id)),
                ("other", id(&related.id)),
                ("weight", related.weight.into()),
            ]));
        }
    }

    fn change_row(&self, change: &LibraryChange, sequence: u64) -> StoreResult<BoltType> {
        let change = LibraryChange { sequence, ..change.clone() };
        let row_id = self.connection.ids.other("question_change", &[&sequence.to_string()]);
        Ok(map([
            ("id", id(&row_id)),
            ("sequence", number(sequence)),
            ("key", change.key.as_str().into()),
            ("action", change.action.as_str().into()),
            ("author", change.author.as_str().into()),
            ("at", change.at.as_str().into()),
            ("change", self.json(&change)?.into()),
        ]))
    }
}

/// Rows of what leads from questions and answers.
#[derive(Default)]
struct LinkRows {
    variants: Vec<BoltType>,
    cites: Vec<BoltType>,
    stale: Vec<BoltType>,
    about: Vec<BoltType>,
    related: Vec<BoltType>,
}
