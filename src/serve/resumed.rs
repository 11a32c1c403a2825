//! The report of a job that went on after a restart: what it did before and what it did since.

use serde_json::{Map, Value};

/// What a run counts of its own work: both parts together.
const ADDED: [&str; 16] = [
    "documents_added",
    "documents_changed",
    "documents_removed",
    "text_units_read",
    "text_units_linked",
    "sums_written",
    "communities_added",
    "communities_ended",
    "reports_written",
    "vectors_written",
    "records",
    "records_lost",
    "records_pruned",
    "failed",
    "pages",
    "pages_without_text",
];
/// What the second part found as it is because the first had made it so.
const FOUND: [(&str, &[&str]); 2] = [
    ("documents_unchanged", &["documents_added", "documents_changed"]),
    ("text_units_kept", &["text_units_read"]),
];
/// Lists of both parts.
const LISTS: [&str; 3] = ["problems", "near_duplicates", "notes"];
/// Keys that a report names of each kind at most.
const NAMED: usize = 200;

/// One report of both parts. What the later one says of the state now stands as it is.
pub(super) fn joined(earlier: Value, later: Value) -> Value {
    let (Value::Object(earlier), Value::Object(mut later)) = (earlier, later.clone()) else { return later };
    for (name, made) in FOUND {
        let made: u64 = made.iter().map(|name| number(&earlier, name)).sum();
        if let Some(found) = later.get(name).and_then(Value::as_u64) {
            later.insert(name.to_owned(), found.saturating_sub(made).into());
        }
    }
    for name in ADDED {
        if let Some(count) = later.get(name).and_then(Value::as_u64) {
            later.insert(name.to_owned(), (count + number(&earlier, name)).into());
        }
    }
    for name in LISTS {
        extend(&mut later, &earlier, name, usize::MAX);
    }
    if let Some(Value::Object(before)) = earlier.get("changes") {
        let entry = later.entry("changes").or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(changes) = entry {
            for kind in ["added", "changed", "removed"] {
                extend(changes, before, kind, NAMED);
            }
        }
    }
    add_ledger(&mut later, &earlier);
    for (name, value) in earlier {
        later.entry(name).or_insert(value);
    }
    Value::Object(later)
}

fn number(report: &Map<String, Value>, name: &str) -> u64 {
    report.get(name).and_then(Value::as_u64).unwrap_or_default()
}

/// Puts what an earlier list holds before what a later one does, each once.
fn extend(later: &mut Map<String, Value>, earlier: &Map<String, Value>, name: &str, most: usize) {
    let Some(Value::Array(before)) = earlier.get(name) else { return };
    let mut all = before.clone();
    if let Some(Value::Array(after)) = later.get(name) {
        for one in after {
            if !all.contains(one) {
                all.push(one.clone());
            }
        }
    }
    all.truncate(most);
    later.insert(name.to_owned(), Value::Array(all));
}

/// Adds what models were asked before, by task and model.
fn add_ledger(later: &mut Map<String, Value>, earlier: &Map<String, Value>) {
    let Some(Value::Array(before)) = earlier.get("ledger") else { return };
    let mut rows = before.clone();
    for row in later.get("ledger").and_then(Value::as_array).into_iter().flatten() {
        let same =
            rows.iter_mut().find(|known| known["task"] == row["task"] && known["model"] == row["model"]);
        match same {
            Some(known) => add_numbers(known, row),
            None => rows.push(row.clone()),
        }
    }
    later.insert("ledger".to_owned(), Value::Array(rows));
}

fn add_numbers(to: &mut Value, more: &Value) {
    match (to, more) {
        (Value::Object(to), Value::Object(more)) => {
            for (name, value) in more {
                match to.get_mut(name) {
                    Some(known) => add_numbers(known, value),
                    None => drop(to.insert(name.clone(), value.clone())),
                }
            }
        }
        (to @ Value::Number(_), Value::Number(_)) => {
            *to = match (to.as_u64(), more.as_u64()) {
                (Some(one), Some(two)) => (one + two).into(),
                _ => (to.as_f64().unwrap_or_default() + more.as_f64().unwrap_or_default()).into(),
            };
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_resumed_job_tells_of_both_parts() {
        let earlier = json!({
            "documents": 3, "documents_added": 3, "documents_changed": 0, "documents_unchanged": 1, "text_units_read": 5,
            "text_units_kept": 2, "changes": {"added": ["a", "b", "c"]}, "problems": ["x is empty"], "interrupted": true,
            "generation": 1, "facts": {"read": 1},
            "ledger": [{"task": "t", "model": "m", "calls": 2, "cost": 0.5}, {"task": "u", "model": "m", "calls": 1}],
        });
        let later = json!({
            "documents": 8, "documents_added": 4, "documents_changed": 1, "documents_unchanged": 4, "text_units_read": 9,
            "text_units_kept": 7, "changes": {"added": ["d"], "changed": ["e"]}, "problems": ["x is empty", "y is odd"],
            "interrupted": false, "generation": 2,
            "ledger": [{"task": "t", "model": "m", "calls": 3, "cost": 0.25}],
        });
        assert_eq!(
            joined(earlier, later),
            json!({
                "documents": 8, "documents_added": 7, "documents_changed": 1, "documents_unchanged": 1,
                "text_units_read": 14, "text_units_kept": 2,
                "changes": {"added": ["a", "b", "c", "d"], "changed": ["e"]},
                "problems": ["x is empty", "y is odd"], "interrupted": false, "generation": 2, "facts": {"read": 1},
                "ledger": [
                    {"task": "t", "model": "m", "calls": 5, "cost": 0.75}, {"task": "u", "model": "m", "calls": 1},
                ],
            })
        );
        assert_eq!(joined(json!(null), json!({"records": 1})), json!({"records": 1}));
    }
}
