//! The ledger as people read it: a line a stage and model.

use crate::domain::{Counters, LedgerRow, STAGES};
use std::collections::BTreeMap;

/// The sums by stage, in the order of a run, then model.
pub(super) fn by_stage(rows: &[LedgerRow]) -> Vec<(&'static str, &str, Counters)> {
    let mut sums: BTreeMap<(usize, &str), Counters> = BTreeMap::new();
    for row in rows {
        let place = STAGES.iter().position(|stage| *stage == row.stage()).unwrap_or(STAGES.len() - 1);
        sums.entry((place, row.model.as_str())).or_default().add(&row.counters);
    }
    sums.into_iter()
        .filter_map(|((place, model), counters)| Some((*STAGES.get(place)?, model, counters)))
        .collect()
}

/// The table, with its head and a line of sums; nothing where no model was asked.
pub(super) fn lines(rows: &[LedgerRow]) -> Vec<String> {
    let stages = by_stage(rows);
    if stages.is_empty() {
        return Vec::new();
    }
    let mut total = Counters::default();
    for (_, _, counters) in &stages {
        total.add(counters);
    }
    let widest = stages.iter().map(|(_, model, _)| model.chars().count()).max().unwrap_or(0).max(5);
    let head = format!(
        "{:13} {:widest$} {:>8} {:>8} {:>11} {:>11} {:>11} {:>7} {:>8} {:>8} {:>9}",
        "asked for",
        "model",
        "calls",
        "cached",
        "input",
        "of it known",
        "output",
        "retries",
        "failures",
        "seconds",
        "dollars"
    );
    let mut lines = vec![head];
    let sums = stages.len() > 1;
    lines.extend(stages.iter().map(|(stage, model, counters)| line(stage, model, counters, widest)));
    if sums {
        lines.push(line("together", "", &total, widest));
    }
    lines
}

fn line(stage: &str, model: &str, counters: &Counters, widest: usize) -> String {
    format!(
        "{stage:13} {model:widest$} {:>8} {:>8} {:>11} {:>11} {:>11} {:>7} {:>8} {:>8.1} {:>9}",
        counters.calls,
        counters.cached,
        counters.input_tokens,
        counters.cached_tokens,
        counters.output_tokens,
        counters.retries,
        counters.failures,
        counters.time_ms as f64 / 1000.0,
        dollars(counters.cost),
    )
}

/// A price; "-" where nothing is known of it.
pub(super) fn dollars(cost: f64) -> String {
    if cost > 0.0 { format!("{cost:.4}") } else { "-".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(task: &str, model: &str, calls: u64) -> LedgerRow {
        let counters =
            Counters { calls, input_tokens: 1000 * calls, cost: 0.01 * calls as f64, ..Counters::default() };
        LedgerRow { task: task.into(), model: model.into(), counters }
    }

    #[test]
    fn tasks_are_summed_by_stage_in_the_order_of_a_run() {
        let rows = [
            row("community_report", "large", 2),
            row("embed", "e", 5),
            row("extract_graph", "small", 3),
            row("glean_continue", "small", 3),
            row("local_answer", "large", 1),
        ];
        let stages: Vec<(&str, &str, u64)> =
            by_stage(&rows).into_iter().map(|(stage, model, sums)| (stage, model, sums.calls)).collect();
        assert_eq!(
            stages,
            [
                ("extraction", "small", 6),
                ("reports", "large", 2),
                ("embeddings", "e", 5),
                ("answers", "large", 1)
            ]
        );
        let lines = lines(&rows);
        assert_eq!(lines.len(), 6);
        assert!(lines[1].contains("6000") && lines[1].ends_with("0.0600"), "{}", lines[1]);
        assert!(lines[5].starts_with("together") && lines[5].contains(" 14 "), "{}", lines[5]);
        assert!(lines.iter().all(|line| line.chars().count() == lines[0].chars().count()), "{lines:#?}");
        assert!(super::lines(&[]).is_empty());
    }
}
