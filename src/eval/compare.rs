//! Two runs side by side, question by question.

use super::run::{EvalRun, ResultRow};
use super::significance::{holm, p_value};
use super::summary::{SCORES, by_method, mean};
use anyhow::{Result, ensure};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// One score of one method in both runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Difference {
    /// The method.
    pub method: String,
    /// `recall@5`, `f1`, …
    pub score: String,
    /// Mean of the first run in percent.
    pub first: f64,
    /// Mean of the second.
    pub second: f64,
    /// Questions that both hold.
    pub questions: usize,
    /// The chance that they differ by chance.
    pub p: f64,
    /// The same, raised for the number of tests.
    pub p_holm: f64,
}

/// Compares the methods that both runs hold, by the questions that both hold.
///
/// # Errors
/// Runs over other questions; no method in common.
pub fn compare(first: &EvalRun, second: &EvalRun) -> Result<Vec<Difference>> {
    for key in ["corpus", "questions"] {
        ensure!(first.settings.get(key) == second.settings.get(key), "the two runs have other {key}");
    }
    let seed = first.settings.get("seed").and_then(Value::as_u64).unwrap_or(0);
    let others: BTreeMap<String, Vec<&ResultRow>> = by_method(second).into_iter().collect();
    let mut differences = Vec::new();
    for (method, rows) in by_method(first) {
        let Some(other_rows) = others.get(&method) else { continue };
        let mut scores: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
        for row in rows {
            let Some(other) = other_rows.iter().find(|other| other.question == row.question) else {
                continue;
            };
            let theirs = scores_of(other);
            for (name, value) in scores_of(row) {
                if let Some(other) = theirs.get(&name) {
                    scores.entry(name).or_default().push((value, *other));
                }
            }
        }
        for (score, pairs) in scores {
            let apart: Vec<f64> = pairs.iter().map(|(one, other)| other - one).collect();
            differences.push(Difference {
                method: method.clone(),
                score,
                first: 100.0 * mean(pairs.iter().map(|(one, _)| *one)).unwrap_or(0.0),
                second: 100.0 * mean(pairs.iter().map(|(_, other)| *other)).unwrap_or(0.0),
                questions: pairs.len(),
                p: p_value(&apart, seed),
                p_holm: 1.0,
            });
        }
    }
    ensure!(!differences.is_empty(), "the two runs have no method and question in common");
    let raised = holm(&differences.iter().map(|difference| difference.p).collect::<Vec<_>>());
    for (difference, raised) in differences.iter_mut().zip(raised) {
        difference.p_holm = raised;
    }
    Ok(differences)
}

/// What differs between two runs' settings, then a line a score.
pub fn table(first: &EvalRun, second: &EvalRun, differences: &[Difference]) -> String {
    let mut text = String::new();
    for line in changed("", &first.settings, &second.settings) {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "| method | score | first | second | difference | questions | p | p (Holm) |");
    let _ = writeln!(text, "|---|---|---|---|---|---|---|---|");
    for one in differences {
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} | {:.1} | {:+.1} | {} | {:.4} | {:.4} |",
            one.method,
            one.score,
            one.first,
            one.second,
            one.second - one.first,
            one.questions,
            one.p,
            one.p_holm
        );
    }
    text
}

fn scores_of(row: &ResultRow) -> BTreeMap<String, f64> {
    let mut scores = BTreeMap::new();
    for (name, by_k) in
        [("recall", &row.recall), ("all_gold", &row.all_gold), ("supporting_facts", &row.facts)]
    {
        scores.extend(by_k.iter().map(|(k, share)| (format!("{name}@{k}"), *share)));
    }
    scores.extend(SCORES.iter().filter_map(|(name, score)| Some(((*name).to_owned(), score(row)?))));
    scores
}

/// Paths of values that differ.
fn changed(path: &str, one: &Value, other: &Value) -> Vec<String> {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            let deeper = keys.into_iter().flat_map(|key| {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                changed(&path, a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null))
            });
            deeper.collect()
        }
        _ if one == other => Vec::new(),
        _ => vec![format!("{path}: {one} → {other}")],
    }
}
