//! Rows a question: what each method found of it, what it missed, and what it answered.

use super::dataset::{Dataset, DatasetQuestion};
use super::run::{EvalRun, ResultRow};
use crate::language::unbroken;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One question by all methods.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EachQuestion {
    /// Its id.
    pub id: String,
    /// The question.
    pub question: String,
    /// Right answers, the main one first.
    pub answers: Vec<String>,
    /// What each method did, by its name.
    pub methods: BTreeMap<String, EachMethod>,
}

/// One question by one method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EachMethod {
    /// Share of the gold among what was found, from 0 to 1; absent where the question names none, or the method has no list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
    /// Place of the first gold passage in the list, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_gold: Option<usize>,
    /// Gold passages that were not found, by title or key; of several that would do, the first.
    pub missed: Vec<String>,
    /// F1 of the answer's words, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f1: Option<f64>,
    /// The answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

impl EachQuestion {
    /// Whether any method has a score of it.
    pub fn is_scored(&self) -> bool {
        self.methods.values().any(|method| method.recall.is_some() || method.f1.is_some())
    }
}

/// Every question of a run, in order.
pub fn each(run: &EvalRun, dataset: &Dataset) -> Vec<EachQuestion> {
    let of = |(place, question): (usize, &DatasetQuestion)| EachQuestion {
        id: question.id.clone(),
        question: question.text.clone(),
        answers: question.answers.clone(),
        methods: run
            .rows
            .iter()
            .filter(|row| row.question == place)
            .map(|row| (row.method.clone(), method(row, question, dataset)))
            .collect(),
    };
    dataset.questions.iter().enumerate().map(of).collect()
}

fn method(row: &ResultRow, question: &DatasetQuestion, dataset: &Dataset) -> EachMethod {
    let has_list = !row.recall.is_empty();
    let missed = question
        .gold
        .iter()
        .filter(|places| has_list && !row.retrieved.iter().any(|found| places.contains(found)));
    let name = |place: &usize| dataset.passages.get(*place).map(|passage| passage.title.clone());
    EachMethod {
        recall: row.recall.last_key_value().map(|(_, share)| *share),
        first_gold: row
            .retrieved
            .iter()
            .position(|found| question.gold.iter().any(|places| places.contains(found)))
            .map(|place| place + 1),
        missed: missed.filter_map(|places| places.first().and_then(name)).collect(),
        f1: row.f1,
        answer: row.answer.clone(),
    }
}

/// The table for people: a line a question and method.
pub fn table(questions: &[EachQuestion]) -> String {
    let cell = |text: &str| unbroken(text).replace('|', "\\|");
    let share = |share: Option<f64>| share.map(|share| format!("{:.0}", share * 100.0)).unwrap_or_default();
    let mut text = String::from(
        "| question | method | recall | first gold | missed | F1 | answer |\n|---|---|---|---|---|---|---|\n",
    );
    for question in questions {
        for (name, method) in &question.methods {
            let _ = writeln!(
                text,
                "| {} {} | {name} | {} | {} | {} | {} | {} |",
                cell(&question.id),
                cell(&question.question),
                share(method.recall),
                method.first_gold.map(|place| place.to_string()).unwrap_or_default(),
                cell(&method.missed.join("; ")),
                share(method.f1),
                method.answer.as_deref().map(cell).unwrap_or_default(),
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Document, Ids};

    #[test]
    fn a_question_says_what_was_missed() {
        let folder = tempfile::tempdir().unwrap();
        let questions = folder.path().join("q.csv");
        std::fs::write(&questions, "id,question,answers,gold\nq1,Who?,Ann;Anna,a.txt; b.txt\n").unwrap();
        let ids = Ids::new("w");
        let document = |key: &str| Document {
            id: ids.document(key),
            key: key.to_owned(),
            title: key.to_uppercase(),
            content_hash: "h".to_owned(),
            character_count: 1,
            text_unit_count: 1,
            date: None,
            origin: None,
            metadata: BTreeMap::new(),
        };
        let documents = [document("corpus/a.txt"), document("corpus/x/b.txt"), document("corpus/c.txt")];
        let dataset = Dataset::of_documents(&documents, &questions).unwrap();
        assert_eq!(dataset.questions[0].answers, ["Ann", "Anna"]);
        assert_eq!(dataset.place_of("corpus/x/b.txt").unwrap(), 1);
        assert!(dataset.place_of("corpus/none.txt#1").unwrap_err().to_string().contains("no passage"));
        let row = ResultRow {
            method: "local".to_owned(),
            retrieved: vec![2, 1],
            recall: BTreeMap::from([(2, 0.5)]),
            ..ResultRow::default()
        };
        let run = EvalRun { settings: serde_json::Value::Null, rows: vec![row], comparisons: Vec::new() };
        let found = each(&run, &dataset);
        let local = &found[0].methods["local"];
        assert_eq!((local.recall, local.first_gold), (Some(0.5), Some(2)));
        assert_eq!(local.missed, ["corpus/a.txt"]);
        assert!(
            table(&found).contains("| q1 Who? | local | 50 | 2 | corpus/a.txt |  |  |"),
            "{}",
            table(&found)
        );
    }

    #[test]
    fn a_table_of_questions_without_questions_says_what_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let questions = folder.path().join("q.tsv");
        std::fs::write(&questions, "frage\tantwort\nWer?\tAnn\n").unwrap();
        let passages = folder.path().join("c.json");
        std::fs::write(&passages, r#"[{"title": "a", "text": "t"}]"#).unwrap();
        let told = Dataset::read(&passages, &questions).unwrap_err().to_string();
        assert!(told.contains("no column \"question\""), "{told}");
    }
}
