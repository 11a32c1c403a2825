//! Question sets as JSON files.

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A passage of the corpus.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Passage {
    /// What it is about; several may share one.
    #[serde(default)]
    pub title: String,
    /// The text.
    pub text: String,
}

/// A question with what would answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
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
    /// The passages, in the order of the file.
    pub passages: Vec<Passage>,
    /// The questions.
    pub questions: Vec<Question>,
}

impl Dataset {
    /// Reads a list of `{title, text}` and a list of `{question, answer or answers, aliases, gold, supporting_facts,
    /// id}`; `gold` lists titles or `{title, text}`, `supporting_facts` pairs of title and sentence number.
    ///
    /// # Errors
    /// A file that cannot be read or has another form; a question whose gold is not in the corpus, by name.
    pub fn read(corpus: &Path, questions: &Path) -> Result<Self> {
        let passages: Vec<Passage> = json(corpus)?;
        ensure!(!passages.is_empty(), "{} holds no passages", corpus.display());
        let mut by_title: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (place, passage) in passages.iter().enumerate() {
            by_title.entry(&passage.title).or_default().insert(place);
        }
        let rows: Vec<Value> = json(questions)?;
        let read = rows.iter().zip(1..).map(|(row, number)| {
            question(row, number, &passages, &by_title)
                .with_context(|| format!("question {number} of {}", questions.display()))
        });
        let questions: Vec<Question> = read.collect::<Result<_>>()?;
        ensure!(!questions.is_empty(), "the file of questions holds none");
        Ok(Self { passages, questions })
    }
}

fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not as a question set's file", path.display()))
}

fn question(
    row: &Value,
    number: usize,
    passages: &[Passage],
    by_title: &BTreeMap<&str, BTreeSet<usize>>,
) -> Result<Question> {
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
    Ok(Question {
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
