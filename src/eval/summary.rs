//! Rows into means, a table, and the JSON that other programs read.

use super::run::{EvalRun, ResultRow};
use super::significance::{holm, p_value};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A number of a row, if it has it; shares are turned into percent.
type Score = fn(&ResultRow) -> Option<f64>;

/// Scores that do not depend on a length, by name.
pub const SCORES: [(&str, Score); 6] = [
    ("in_context", |row| row.in_context),
    ("exact_match", |row| row.exact),
    ("f1", |row| row.f1),
    ("f1_star", |row| row.f1_star),
    ("rater_strict", |row| row.ratings.map(super::rater::Ratings::strict_score)),
    ("rater_lenient", |row| row.ratings.map(super::rater::Ratings::lenient_score)),
];

/// Costs a question, by name, as they are.
const COSTS: [(&str, Score); 6] = [
    ("retrieval_ms", |row| row.retrieval_ms),
    ("answer_ms", |row| row.answer_ms),
    ("calls", |row| row.answer.as_ref().map(|_| row.calls as f64)),
    ("input_tokens", |row| row.answer.as_ref().map(|_| row.input_tokens as f64)),
    ("output_tokens", |row| row.answer.as_ref().map(|_| row.output_tokens as f64)),
    ("cost_dollars", |row| row.answer.as_ref().map(|_| row.cost)),
];

/// Methods in the order of the run, each with its rows.
pub fn by_method(run: &EvalRun) -> Vec<(String, Vec<&ResultRow>)> {
    let order = run.settings.get("methods").and_then(Value::as_array).cloned().unwrap_or_default();
    let names = order.iter().filter_map(Value::as_str);
    names.map(|name| (name.to_owned(), run.rows.iter().filter(|row| row.method == name).collect())).collect()
}

/// `{"methods": {"local": {"recall": {"2": …}, …}}, "judge": […], "run": …}`; scores in percent.
pub fn to_json(run: &EvalRun) -> Value {
    let mut methods = Map::new();
    for (name, rows) in by_method(run) {
        let mut method = Map::new();
        for (key, by_k) in [
            ("recall", lengths(&rows, |row| &row.recall)),
            ("all_gold", lengths(&rows, |row| &row.all_gold)),
            ("supporting_facts", lengths(&rows, |row| &row.facts)),
        ] {
            if !by_k.is_empty() {
                let by_k: Map<String, Value> = by_k
                    .into_iter()
                    .map(|(k, share)| (k.to_string(), json!(rounded(100.0 * share))))
                    .collect();
                method.insert(key.to_owned(), Value::Object(by_k));
            }
        }
        for (key, score) in SCORES {
            if let Some(mean) = mean(rows.iter().filter_map(|row| score(row))) {
                method.insert(key.to_owned(), json!(rounded(100.0 * mean)));
            }
        }
        for (key, cost) in COSTS {
            if let Some(mean) = mean(rows.iter().filter_map(|row| cost(row))) {
                method.insert(key.to_owned(), json!(mean));
            }
        }
        for (key, share) in [("retrieval_p50_ms", 0.5), ("retrieval_p95_ms", 0.95)] {
            if let Some(value) = quantile(rows.iter().filter_map(|row| row.retrieval_ms).collect(), share) {
                method.insert(key.to_owned(), json!(value));
            }
        }
        method.insert("questions".to_owned(), json!(rows.len()));
        methods.insert(name, Value::Object(method));
    }
    json!({ "methods": methods, "judge": judged(run), "run": run.settings })
}

/// Win rates by pair and criterion, with the chance that they are chance.
fn judged(run: &EvalRun) -> Vec<Value> {
    let seed = run.settings.get("seed").and_then(Value::as_u64).unwrap_or(0);
    let pairs: BTreeSet<(&(String, String), &String)> =
        run.comparisons.iter().map(|one| (&one.methods, &one.criterion)).collect();
    let shares: Vec<Vec<f64>> = pairs
        .iter()
        .map(|(methods, criterion)| {
            let of =
                run.comparisons.iter().filter(|one| one.methods == **methods && one.criterion == **criterion);
            of.map(|one| one.first).collect()
        })
        .collect();
    let chances: Vec<f64> = shares
        .iter()
        .map(|shares| p_value(&shares.iter().map(|share| share - 0.5).collect::<Vec<_>>(), seed))
        .collect();
    let raised = holm(&chances);
    pairs
        .into_iter()
        .zip(shares)
        .zip(chances.into_iter().zip(raised))
        .map(|(((methods, criterion), shares), (p, raised))| {
            json!({
                "first": methods.0,
                "second": methods.1,
                "criterion": criterion,
                "first_wins": mean(shares.iter().copied()).map(|share| rounded(100.0 * share)),
                "questions": shares.len(),
                "p": p,
                "p_holm": raised,
            })
        })
        .collect()
}

/// The table for people.
pub fn table(run: &EvalRun) -> String {
    let json = to_json(run);
    let mut text = String::new();
    let methods = json.get("methods").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut columns: Vec<Vec<String>> = Vec::new();
    let all: Vec<&str> = vec!["recall", "all_gold", "supporting_facts"];
    for key in all {
        let ks: BTreeSet<usize> = methods
            .values()
            .filter_map(|method| method.get(key)?.as_object())
            .flat_map(|by_k| by_k.keys().filter_map(|k| k.parse().ok()))
            .collect();
        columns.extend(ks.into_iter().map(|k| vec![key.to_owned(), k.to_string()]));
    }
    let single = SCORES.iter().map(|(key, _)| *key).chain(COSTS.iter().map(|(key, _)| *key));
    for key in single.chain(["retrieval_p50_ms", "retrieval_p95_ms"]) {
        if methods.values().any(|method| method.get(key).is_some()) {
            columns.push(vec![key.to_owned()]);
        }
    }
    let heads: Vec<String> = columns.iter().map(|path| path.join("@")).collect();
    let _ = writeln!(text, "| method | {} |", heads.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(heads.len()));
    for (name, _) in by_method(run) {
        let method = methods.get(&name);
        let cells: Vec<String> = columns
            .iter()
            .map(|path| {
                let value = path.iter().try_fold(method?, |value, key| value.get(key));
                value.and_then(Value::as_f64).map(format_value)
            })
            .map(Option::unwrap_or_default)
            .collect();
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    }
    for line in json.get("judge").and_then(Value::as_array).into_iter().flatten() {
        let word = |key: &str| line.get(key).and_then(Value::as_str).unwrap_or_default();
        let number = |key: &str| line.get(key).and_then(Value::as_f64).unwrap_or_default();
        let _ = writeln!(
            text,
            "{} against {}, {}: {:.1} % of {} questions, p {:.4}, by Holm {:.4}",
            word("first"),
            word("second"),
            word("criterion"),
            number("first_wins"),
            number("questions"),
            number("p"),
            number("p_holm")
        );
    }
    text
}

fn format_value(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.05 { format!("{value:.5}") } else { format!("{value:.1}") }
}

/// The mean by length.
fn lengths(rows: &[&ResultRow], of: fn(&ResultRow) -> &BTreeMap<usize, f64>) -> BTreeMap<usize, f64> {
    let ks: BTreeSet<usize> = rows.iter().flat_map(|row| of(row).keys().copied()).collect();
    let at = |k: usize| mean(rows.iter().filter_map(|row| of(row).get(&k).copied()));
    ks.into_iter().filter_map(|k| Some((k, at(k)?))).collect()
}

/// Nothing of nothing.
pub fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn quantile(mut values: Vec<f64>, share: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a list")]
    let place = (share * values.len().saturating_sub(1) as f64).round() as usize;
    values.get(place).copied()
}

/// To a tenth.
fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
