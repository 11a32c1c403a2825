//! Question sets as JSON or CSV files, over a file of passages or over documents.

use super::question_files;
use crate::domain::Document;
use crate::wide_rows;
use anyhow::{Context, Error, Result, bail, ensure};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Columns of a table of questions that hold several values, `;` between them.
const LISTS: [&str; 5] = ["answers", "aliases", "answer_aliases", "gold", "supporting_facts"];

/// A passage of the corpus.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CorpusPassage {
    /// What it is about; several may share one.
    #[serde(default)]
    pub title: String,
    /// The text.
    pub text: String,
}

/// A question with what would answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetQuestion {
    /// As in the file, else its number from 1.
    pub id: String,
    /// The question.
    pub text: String,
    /// Right answers, the main one first; empty where the file has none.
    pub answers: Vec<String>,
    /// For each gold passage the places that stand for it: passages of one title are alike where the file names titles.
    pub gold: Vec<BTreeSet<usize>>,
    /// For each supporting sentence the places of the passages that may hold it.
    pub facts: Vec<BTreeSet<usize>>,
}

/// A corpus with questions.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// The passages, in the order of the file; of documents their keys and fingerprints, in the order of the keys.
    pub passages: Vec<CorpusPassage>,
    /// Places of the documents by their keys; empty where the corpus is a file of passages.
    documents: BTreeMap<String, usize>,
    /// The questions.
    pub questions: Vec<DatasetQuestion>,
}

impl Dataset {
    /// Reads a list of `{title, text}` and a list of `{question, answer or answers, aliases, gold, supporting_facts,
    /// id}`, or a table with these columns (CSV, TSV; `;` between several values); `gold` lists titles or `{title, text}`,
    /// `supporting_facts` pairs of title and sentence number.
    ///
    /// # Errors
    /// A file that cannot be read or has another form; a question whose gold is not in the corpus, by name.
    pub fn read(corpus: &Path, questions: &Path) -> Result<Self> {
        let passages: Vec<CorpusPassage> = json(corpus)?;
        ensure!(!passages.is_empty(), "{} holds no passages", corpus.display());
        let mut by_title: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (place, passage) in passages.iter().enumerate() {
            by_title.entry(&passage.title).or_default().insert(place);
        }
        let questions = read_questions(questions, &passages, &by_title)?;
        Ok(Self { passages, documents: BTreeMap::new(), questions })
    }

    /// Documents that are indexed, in the order of their keys, with questions as in [`Self::read`]. `gold` names a document
    /// by its key, by the last part of its key or by its title.
    ///
    /// # Errors
    /// As [`Self::read`]; no documents.
    pub fn of_documents(documents: &[Document], questions: &Path) -> Result<Self> {
        ensure!(!documents.is_empty(), "the corpus holds no documents");
        let mut names: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (place, document) in documents.iter().enumerate() {
            let parts = document.key.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| at + 1);
            let ends = parts.filter_map(|at| document.key.get(at..));
            for name in ends.chain([document.key.as_str(), document.title.as_str()]) {
                names.entry(name).or_default().insert(place);
            }
        }
        let passages: Vec<CorpusPassage> = documents
            .iter()
            .map(|document| CorpusPassage {
                title: document.key.clone(),
                text: document.content_hash.clone(),
            })
            .collect();
        let questions = read_questions(questions, &passages, &names)?;
        let places = documents.iter().enumerate().map(|(place, document)| (document.key.clone(), place));
        Ok(Self { documents: places.collect(), passages, questions })
    }

    /// The place of the passage that a document of this key holds.
    ///
    /// # Errors
    /// It holds none.
    pub fn place_of(&self, key: &str) -> Result<usize> {
        if let Some(place) = self.documents.get(key) {
            return Ok(*place);
        }
        let number = key.rsplit_once('#').and_then(|(_, number)| number.parse::<usize>().ok());
        match number.and_then(|number| number.checked_sub(1)) {
            Some(place) if self.documents.is_empty() && place < self.passages.len() => Ok(place),
            _ => bail!(
                "the workspace holds {key:?}, which is no passage of the corpus; use an empty --workspace"
            ),
        }
    }
}

fn read_questions(
    path: &Path,
    passages: &[CorpusPassage],
    by_name: &BTreeMap<&str, BTreeSet<usize>>,
) -> Result<Vec<DatasetQuestion>> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let rows: Vec<Value> = match extension.to_ascii_lowercase().as_str() {
        "csv" => table(path, b',')?,
        "tsv" => table(path, b'\t')?,
        _ => json(path)?,
    };
    let read = rows.iter().zip(1..).map(|(row, number)| {
        question(row, number, passages, by_name)
            .with_context(|| format!("question {number} of {}", path.display()))
    });
    let questions: Vec<DatasetQuestion> = read.collect::<Result<_>>()?;
    ensure!(!questions.is_empty(), "the file of questions holds none");
    Ok(questions)
}

/// The rows of a table with a header: `question`, and any of `id`, `answer`, `answers`, `aliases`, `gold`.
fn table(path: &Path, delimiter: u8) -> Result<Vec<Value>> {
    let told = || format!("cannot read {}", path.display());
    let text = question_files::read(path)?;
    wide_rows::check(&text, delimiter).map_err(Error::msg).with_context(told)?;
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text.as_bytes());
    let heads: Vec<String> = reader
        .headers()
        .with_context(told)?
        .iter()
        .map(|head| head.trim().trim_start_matches('\u{feff}').to_lowercase())
        .collect();
    ensure!(
        heads.iter().any(|head| head == "question"),
        "{} has no column \"question\" in its first line; wanted id, question, answer, aliases, gold, \
         those with several values divided by ;",
        path.display()
    );
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.with_context(told)?;
        let mut row = Map::new();
        for (head, cell) in heads.iter().zip(record.iter()).filter(|(_, cell)| !cell.trim().is_empty()) {
            let value = if LISTS.contains(&head.as_str()) {
                cell.split(';').map(str::trim).filter(|part| !part.is_empty()).collect()
            } else {
                Value::from(cell.trim())
            };
            row.insert(head.clone(), value);
        }
        if !row.is_empty() {
            rows.push(Value::Object(row));
        }
    }
    Ok(rows)
}

fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let text = question_files::read(path)?;
    serde_json::from_str(&text).with_context(|| format!("{} is not as a question set's file", path.display()))
}

fn question(
    row: &Value,
    number: usize,
    passages: &[CorpusPassage],
    by_title: &BTreeMap<&str, BTreeSet<usize>>,
) -> Result<DatasetQuestion> {
    let Some(text) = row.get("question").and_then(Value::as_str) else { bail!("has no \"question\"") };
    let mut answers: Vec<String> = Vec::new();
    for key in ["answer", "answers", "aliases", "answer_aliases"] {
        answers.extend(row.get(key).map(texts).unwrap_or_default());
    }
    let of_title = |title: &str| {
        by_title.get(title).cloned().with_context(|| format!("gold passage {title:?} is not in the corpus"))
    };
    let mut gold = Vec::new();
    for item in row.get("gold").and_then(Value::as_array).into_iter().flatten() {
        let title = item.as_str().or_else(|| item.get("title").and_then(Value::as_str));
        let Some(title) = title else { bail!("a gold passage is neither a title nor has one") };
        let mut places = of_title(title)?;
        if let Some(text) = item.get("text").and_then(Value::as_str) {
            places.retain(|place| passages.get(*place).is_some_and(|passage| passage.text == text));
            ensure!(!places.is_empty(), "gold passage {title:?} is not in the corpus with this text");
        }
        gold.push(places);
    }
    let mut facts = Vec::new();
    for fact in row.get("supporting_facts").and_then(Value::as_array).into_iter().flatten() {
        let Some(title) = fact.get(0).and_then(Value::as_str) else {
            bail!("a supporting fact is no pair of title and sentence number")
        };
        facts.push(of_title(title)?);
    }
    Ok(DatasetQuestion {
        id: row.get("id").and_then(Value::as_str).map_or_else(|| number.to_string(), str::to_owned),
        text: text.to_owned(),
        answers,
        gold,
        facts,
    })
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}
