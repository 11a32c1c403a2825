//! The library of questions and answers: a question with its answer a row each, and what leads from them.

use super::SqliteGraph;
use super::rows::{all, count, first, from_json, id, integer, json, run};
use super::vector_marks::{entomb, mark_pending, unmark_pending};
use crate::domain::{
    AskedQuestion, EntrySource, EntryStatus, Id, Ids, LibraryChange, LibraryEntry, RelatedEntry,
    StaleCitation,
};
use crate::stores::StoreResult;
use crate::stores::graph::library::first_revision;
use crate::stores::graph::{LibraryReader, LibraryStore, PendingVector, VectorKind};
use crate::stores::sqlite_file::{Outcome, has_table};
use async_trait::async_trait;
use rusqlite::{Connection, Row};
use std::collections::BTreeMap;

/// The library is a part of the file with a version of its own.
pub(super) const STEPS: &[&str] = &["
CREATE TABLE questions (
    id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE, text TEXT NOT NULL, language TEXT NOT NULL, status TEXT NOT NULL,
    source TEXT NOT NULL, author TEXT NOT NULL, tags TEXT NOT NULL, terms TEXT NOT NULL, metadata TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE answers (
    question TEXT PRIMARY KEY, text TEXT NOT NULL, valid_from TEXT, valid_until TEXT
) WITHOUT ROWID;
CREATE TABLE question_variants (
    question TEXT NOT NULL, position INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (question, position)
) WITHOUT ROWID;
CREATE TABLE question_follow_ups (
    question TEXT NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (question, position)
) WITHOUT ROWID;
CREATE TABLE question_entities (
    question TEXT NOT NULL, entity TEXT NOT NULL, PRIMARY KEY (question, entity)
) WITHOUT ROWID;
CREATE TABLE answer_citations (
    question TEXT NOT NULL, position INTEGER NOT NULL, text_unit TEXT NOT NULL, document TEXT NOT NULL,
    start_offset INTEGER NOT NULL, end_offset INTEGER NOT NULL, quote TEXT NOT NULL, PRIMARY KEY (question, position)
) WITHOUT ROWID;
CREATE TABLE question_relations (
    question TEXT NOT NULL, position INTEGER NOT NULL, other TEXT NOT NULL, weight REAL NOT NULL,
    PRIMARY KEY (question, position)
) WITHOUT ROWID;
CREATE TABLE library_changes (sequence INTEGER PRIMARY KEY, key TEXT NOT NULL, change TEXT NOT NULL);
CREATE INDEX library_changes_of_key ON library_changes (key, sequence);
CREATE TABLE library_state (revision INTEGER NOT NULL);
CREATE TABLE asked_questions (
    question TEXT PRIMARY KEY, count INTEGER NOT NULL, last TEXT NOT NULL, outcome TEXT NOT NULL
) WITHOUT ROWID;
", "
CREATE TABLE question_vectors (
    id TEXT PRIMARY KEY, question TEXT NOT NULL, text TEXT NOT NULL, vector_fingerprint TEXT
) WITHOUT ROWID;
CREATE INDEX question_vectors_of ON question_vectors (question);
", "
CREATE TABLE answer_stale (
    question TEXT NOT NULL, position INTEGER NOT NULL, document TEXT NOT NULL, was TEXT NOT NULL, now TEXT,
    text_unit TEXT, PRIMARY KEY (question, position)
) WITHOUT ROWID;
"];

/// Tables whose rows belong to a question.
const OF_A_QUESTION: [&str; 7] = [
    "answers",
    "question_variants",
    "question_follow_ups",
    "question_entities",
    "answer_citations",
    "answer_stale",
    "question_relations",
];

#[async_trait]
impl LibraryReader for SqliteGraph {
    async fn library_revision(&self) -> StoreResult<u64> {
        self.file.read(revision).await
    }

    async fn library(&self) -> StoreResult<Vec<LibraryEntry>> {
        self.file.read(|connection| entries(connection, None)).await
    }

    async fn library_entries(&self, ids: &[Id]) -> StoreResult<Vec<LibraryEntry>> {
        let ids = ids.to_vec();
        self.file.read(move |connection| entries(connection, Some(&json(&ids)?))).await
    }

    async fn library_nodes(&self, ids: &[Id]) -> StoreResult<Vec<Id>> {
        let ids = ids.to_vec();
        self.file
            .read(move |connection| {
                if !has_table(connection, "question_vectors")? {
                    return Ok(Vec::new());
                }
                let statement = "SELECT id FROM question_vectors
                    WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id";
                all(connection, statement, [json(&ids)?], |row| id(row, 0))
            })
            .await
    }

    async fn library_changes(&self, key: Option<&str>) -> StoreResult<Vec<LibraryChange>> {
        let key = key.map(str::to_owned);
        self.file.read(move |connection| changes(connection, key.as_deref())).await
    }

    async fn asked_questions(&self) -> StoreResult<Vec<AskedQuestion>> {
        self.file.read(read_asked_questions).await
    }
}

#[async_trait]
impl LibraryStore for SqliteGraph {
    async fn save_library(
        &self,
        entries: &[LibraryEntry],
        gone: &[Id],
        changes: &[LibraryChange],
    ) -> StoreResult<()> {
        let (entries, gone, changes) = (entries.to_vec(), gone.to_vec(), changes.to_vec());
        let ids = Ids::new(&self.workspace);
        self.file
            .write(move |transaction| {
                for id in gone.iter().chain(entries.iter().map(|entry| &entry.id)) {
                    remove(transaction, id)?;
                }
                for question in &gone {
                    save_vectors(transaction, question, &[])?;
                }
                for entry in &entries {
                    save(transaction, entry)?;
                    save_vectors(transaction, &entry.id, &entry.found_by(&ids))?;
                }
                for change in &changes {
                    append(transaction, change)?;
                }
                run(
                    transaction,
                    "INSERT INTO library_state SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM library_state)",
                    [integer(first_revision())],
                )?;
                run(transaction, "UPDATE library_state SET revision = revision + 1", [])?;
                Ok(())
            })
            .await
    }

    async fn add_asked_questions(&self, questions: &[AskedQuestion]) -> StoreResult<()> {
        let questions = questions.to_vec();
        self.file
            .write(move |transaction| {
                if !is_there(transaction)? {
                    return Ok(());
                }
                for asked in &questions {
                    let statement = "INSERT INTO asked_questions (question, count, last, outcome)
                        VALUES (?1, ?2, ?3, ?4) ON CONFLICT (question) DO UPDATE SET
                        count = count + excluded.count, last = max(last, excluded.last), outcome = excluded.outcome";
                    let parameters =
                        (asked.question.trim(), integer(asked.count), &asked.last, &asked.outcome);
                    run(transaction, statement, parameters)?;
                }
                Ok(())
            })
            .await
    }

    async fn forget_asked_questions(&self, questions: Option<&[String]>) -> StoreResult<u64> {
        let questions = questions.map(<[String]>::to_vec);
        self.file
            .write(move |transaction| {
                if !is_there(transaction)? {
                    return Ok(0);
                }
                let forgotten = match questions {
                    None => run(transaction, "DELETE FROM asked_questions", [])?,
                    Some(questions) => run(
                        transaction,
                        "DELETE FROM asked_questions WHERE question IN (SELECT value FROM json_each(?1))",
                        [json(&questions)?],
                    )?,
                };
                Ok(forgotten as u64)
            })
            .await
    }
}

/// A file that no writer of this version has prepared has no library.
fn is_there(connection: &Connection) -> Outcome<bool> {
    Ok(has_table(connection, "questions")?)
}

fn revision(connection: &Connection) -> Outcome<u64> {
    if !is_there(connection)? {
        return Ok(0);
    }
    let revision = first(connection, "SELECT revision FROM library_state", [], |row| count(row, 0))?;
    Ok(revision.unwrap_or_default())
}

fn entries(connection: &Connection, ids: Option<&str>) -> Outcome<Vec<LibraryEntry>> {
    if !is_there(connection)? {
        return Ok(Vec::new());
    }
    let statement = "
        SELECT q.id, q.key, q.text, coalesce(a.text, ''), q.language, q.status, q.source, q.author, q.tags, q.terms,
            q.metadata, a.valid_from, a.valid_until
        FROM questions q LEFT JOIN answers a ON a.question = q.id
        WHERE ?1 IS NULL OR q.id IN (SELECT value FROM json_each(?1)) ORDER BY q.id";
    let mut entries = all(connection, statement, [ids], entry)?;
    let places: BTreeMap<Id, usize> =
        entries.iter().enumerate().map(|(place, entry)| (entry.id.clone(), place)).collect();
    let mut each = |statement: &str, take: &dyn Fn(&mut LibraryEntry, &Row<'_>) -> Outcome<()>| {
        all(connection, statement, [ids], |row| {
            match places.get(&id(row, 0)?).and_then(|place| entries.get_mut(*place)) {
                Some(entry) => take(entry, row),
                None => Ok(()),
            }
        })
        .map(|_: Vec<()>| ())
    };
    each(
        "SELECT question, text FROM question_variants
        WHERE ?1 IS NULL OR question IN (SELECT value FROM json_each(?1)) ORDER BY question, position",
        &|entry, row| {
            entry.variants.push(row.get(1)?);
            Ok(())
        },
    )?;
    each(
        "SELECT question, key FROM question_follow_ups
        WHERE ?1 IS NULL OR question IN (SELECT value FROM json_each(?1)) ORDER BY question, position",
        &|entry, row| {
            entry.follow_ups.push(row.get(1)?);
            Ok(())
        },
    )?;
    each(
        "SELECT question, entity FROM question_entities
        WHERE ?1 IS NULL OR question IN (SELECT value FROM json_each(?1)) ORDER BY question, entity",
        &|entry, row| {
            entry.about.push(id(row, 1)?);
            Ok(())
        },
    )?;
    each(
        "SELECT question, text_unit, document, start_offset, end_offset, quote FROM answer_citations
        WHERE ?1 IS NULL OR question IN (SELECT value FROM json_each(?1)) ORDER BY question, position",
        &|entry, row| {
            entry.citations.push(crate::domain::AnswerCitation {
                text_unit: id(row, 1)?,
                document: row.get(2)?,
                start: count(row, 3)?,
                end: count(row, 4)?,
                quote: row.get(5)?,
            });
            Ok(())
        },
    )?;
    each(
        "SELECT question, other, weight FROM question_relations
        WHERE ?1 IS NULL OR question IN (SELECT value FROM json_each(?1)) ORDER BY question, position",
        &|entry, row| {
            entry.related.push(RelatedEntry { id: id(row, 1)?, weight: row.get(2)? });
            Ok(())
        },
    )?;
    // a file that an earlier version wrote, opened to be read
    if has_table(connection, "answer_stale")? {
        each(
            "SELECT question, document, was, now, text_unit FROM answer_stale
            WHERE ?1 IS NULL OR question IN (SELECT value FROM json_each(?1)) ORDER BY question, position",
            &|entry, row| {
                entry.stale.push(StaleCitation {
                    document: row.get(1)?,
                    was: row.get(2)?,
                    now: row.get(3)?,
                    text_unit: row.get::<_, Option<String>>(4)?.map(Id::from_stored),
                });
                Ok(())
            },
        )?;
    }
    Ok(entries)
}

fn entry(row: &Row<'_>) -> Outcome<LibraryEntry> {
    Ok(LibraryEntry {
        id: id(row, 0)?,
        key: row.get(1)?,
        question: row.get(2)?,
        answer: row.get(3)?,
        language: row.get(4)?,
        status: EntryStatus::from_name(&row.get::<_, String>(5)?).unwrap_or(EntryStatus::Draft),
        source: EntrySource::from_name(&row.get::<_, String>(6)?).unwrap_or_default(),
        author: row.get(7)?,
        tags: from_json(row, 8)?,
        terms: from_json(row, 9)?,
        metadata: from_json(row, 10)?,
        valid_from: row.get(11)?,
        valid_until: row.get(12)?,
        ..LibraryEntry::default()
    })
}

fn save(connection: &Connection, entry: &LibraryEntry) -> Outcome<()> {
    let question = entry.id.as_str();
    let statement =
        "INSERT INTO questions (id, key, text, language, status, source, author, tags, terms, metadata)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let parameters = (
        question,
        &entry.key,
        &entry.question,
        &entry.language,
        entry.status.as_str(),
        entry.source.as_str(),
        &entry.author,
        json(&entry.tags)?,
        json(&entry.terms)?,
        json(&entry.metadata)?,
    );
    run(connection, statement, parameters)?;
    let statement = "INSERT INTO answers (question, text, valid_from, valid_until) VALUES (?1, ?2, ?3, ?4)";
    run(connection, statement, (question, &entry.answer, &entry.valid_from, &entry.valid_until))?;
    for (position, text) in entry.variants.iter().enumerate() {
        let statement = "INSERT INTO question_variants (question, position, text) VALUES (?1, ?2, ?3)";
        run(connection, statement, (question, integer(position), text))?;
    }
    for (position, key) in entry.follow_ups.iter().enumerate() {
        let statement = "INSERT INTO question_follow_ups (question, position, key) VALUES (?1, ?2, ?3)";
        run(connection, statement, (question, integer(position), key))?;
    }
    for entity in &entry.about {
        let statement = "INSERT OR IGNORE INTO question_entities (question, entity) VALUES (?1, ?2)";
        run(connection, statement, (question, entity.as_str()))?;
    }
    for (position, cited) in entry.citations.iter().enumerate() {
        let statement = "INSERT INTO answer_citations
            (question, position, text_unit, document, start_offset, end_offset, quote) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let parameters = (
            question,
            integer(position),
            cited.text_unit.as_str(),
            &cited.document,
            integer(cited.start),
            integer(cited.end),
            &cited.quote,
        );
        run(connection, statement, parameters)?;
    }
    for (position, stale) in entry.stale.iter().enumerate() {
        let statement = "INSERT INTO answer_stale (question, position, document, was, now, text_unit)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let text_unit = stale.text_unit.as_ref().map(Id::as_str);
        let parameters = (question, integer(position), &stale.document, &stale.was, &stale.now, text_unit);
        run(connection, statement, parameters)?;
    }
    for (position, related) in entry.related.iter().enumerate() {
        let statement =
            "INSERT INTO question_relations (question, position, other, weight) VALUES (?1, ?2, ?3, ?4)";
        run(connection, statement, (question, integer(position), related.id.as_str(), related.weight))?;
    }
    Ok(())
}

/// Makes the nodes that an entry is found by those that are given: what is new or of another text waits for its vector,
/// what is left is gone.
fn save_vectors(connection: &Connection, question: &Id, texts: &[(Id, String)]) -> Outcome<()> {
    let statement = "SELECT id, text FROM question_vectors WHERE question = ?1";
    let stored = all(connection, statement, [question.as_str()], |row| Ok((id(row, 0)?, row.get(1)?)))?;
    let stored: BTreeMap<Id, String> = stored.into_iter().collect();
    for node in stored.keys().filter(|node| texts.iter().all(|(id, _)| id != *node)) {
        run(connection, "DELETE FROM question_vectors WHERE id = ?1", [node.as_str()])?;
        unmark_pending(connection, VectorKind::Questions, node)?;
        entomb(connection, VectorKind::Questions, node)?;
    }
    for (node, text) in texts.iter().filter(|(node, text)| stored.get(node) != Some(text)) {
        let statement = "INSERT INTO question_vectors (id, question, text) VALUES (?1, ?2, ?3)
            ON CONFLICT (id) DO UPDATE SET text = excluded.text, vector_fingerprint = NULL";
        run(connection, statement, (node.as_str(), question.as_str(), text))?;
        mark_pending(connection, VectorKind::Questions, node)?;
    }
    Ok(())
}

/// Entries of a file that an earlier version wrote get the nodes that they are found by.
pub(super) fn complete(connection: &Connection, ids: &Ids) -> Outcome<()> {
    let statement = "SELECT q.id FROM questions q
        WHERE NOT EXISTS (SELECT 1 FROM question_vectors v WHERE v.id = q.id) ORDER BY q.id";
    let without: Vec<Id> = all(connection, statement, [], |row| id(row, 0))?;
    if !without.is_empty() {
        for entry in entries(connection, Some(&json(&without)?))? {
            save_vectors(connection, &entry.id, &entry.found_by(ids))?;
        }
    }
    Ok(())
}

/// A node whose vector is to be made.
pub(super) fn pending(connection: &Connection, node: &Id) -> Outcome<Option<PendingVector>> {
    let statement = "SELECT text, vector_fingerprint FROM question_vectors WHERE id = ?1";
    first(connection, statement, [node.as_str()], |row| {
        Ok(PendingVector {
            id: node.clone(),
            text: row.get(0)?,
            stored_fingerprint: row.get(1)?,
            document_id: None,
            level: None,
            kind: None,
            place: None,
        })
    })
}

fn remove(connection: &Connection, id: &Id) -> Outcome<()> {
    for table in OF_A_QUESTION {
        run(connection, &format!("DELETE FROM {table} WHERE question = ?1"), [id.as_str()])?;
    }
    run(connection, "DELETE FROM questions WHERE id = ?1", [id.as_str()])?;
    Ok(())
}

fn append(connection: &Connection, change: &LibraryChange) -> Outcome<()> {
    let last =
        first(connection, "SELECT coalesce(max(sequence), 0) FROM library_changes", [], |row| count(row, 0))?;
    let sequence = if change.sequence == 0 { last.unwrap_or_default() + 1 } else { change.sequence };
    let change = LibraryChange { sequence, ..change.clone() };
    let statement = "INSERT OR REPLACE INTO library_changes (sequence, key, change) VALUES (?1, ?2, ?3)";
    run(connection, statement, (integer(sequence), &change.key, json(&change)?))?;
    Ok(())
}

fn changes(connection: &Connection, key: Option<&str>) -> Outcome<Vec<LibraryChange>> {
    if !is_there(connection)? {
        return Ok(Vec::new());
    }
    let statement = "SELECT change FROM library_changes WHERE ?1 IS NULL OR key = ?1 ORDER BY sequence";
    all(connection, statement, [key], |row| from_json(row, 0))
}

fn read_asked_questions(connection: &Connection) -> Outcome<Vec<AskedQuestion>> {
    if !is_there(connection)? {
        return Ok(Vec::new());
    }
    let statement = "SELECT question, count, last, outcome FROM asked_questions ORDER BY question";
    all(connection, statement, [], |row| {
        Ok(AskedQuestion {
            question: row.get(0)?,
            count: count(row, 1)?,
            last: row.get(2)?,
            outcome: row.get(3)?,
        })
    })
}

pub(super) fn wipe(connection: &Connection) -> Outcome<()> {
    if is_there(connection)? {
        for table in OF_A_QUESTION.into_iter().chain([
            "questions",
            "library_changes",
            "library_state",
            "asked_questions",
        ]) {
            run(connection, &format!("DELETE FROM {table}"), [])?;
        }
        if has_table(connection, "question_vectors")? {
            run(connection, "DELETE FROM question_vectors", [])?;
        }
    }
    Ok(())
}
