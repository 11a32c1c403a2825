//! What earlier runs tell of calls: the means of the workspace's ledger.

use crate::domain::LedgerRow;
use std::collections::BTreeMap;

/// Calls of a task in the ledger from which they are taken as the measure.
const CALLS_TO_LEARN_FROM: u64 = 3;
/// What calls for reports are called: alone, and several in one.
pub(super) const REPORTS: [&str; 2] = ["community_report", "community_reports"];

/// Mean tokens of calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mean {
    /// Of a prompt.
    pub(super) input: f64,
    /// Of a reply.
    pub(super) output: f64,
}

/// The means of a ledger.
pub(super) struct Learnt<'a> {
    history: &'a [LedgerRow],
    means: BTreeMap<(&'a str, &'a str), Mean>,
}

impl<'a> Learnt<'a> {
    pub(super) fn of(history: &'a [LedgerRow]) -> Self {
        let mean = |row: &'a LedgerRow| Some(((row.task.as_str(), row.model.as_str()), mean(&[row])?));
        Self { history, means: history.iter().filter_map(mean).collect() }
    }

    /// Of one task of a model; nothing where too few calls are known.
    pub(super) fn mean(&self, task: &str, model: &str) -> Option<Mean> {
        self.means.get(&(task, model)).copied()
    }

    /// Of some tasks of a model together.
    pub(super) fn together(&self, tasks: &[&str], model: &str) -> Option<Mean> {
        let rows = self.history.iter().filter(|row| row.model == model && tasks.contains(&row.task.as_str()));
        mean(&rows.collect::<Vec<_>>())
    }

    /// Calls of some tasks, those that the cache answered included.
    pub(super) fn calls(&self, tasks: &[&str]) -> u64 {
        let rows = self.history.iter().filter(|row| tasks.contains(&row.task.as_str()));
        rows.map(|row| row.counters.calls + row.counters.cached).sum()
    }

    /// Calls of a task for each first call about a text unit, as any run tells.
    pub(super) fn calls_a_unit(&self, tasks: &[&str]) -> Option<f64> {
        let units = self.calls(&["extract_graph"]);
        (units >= CALLS_TO_LEARN_FROM).then(|| self.calls(tasks) as f64 / units as f64)
    }
}

fn mean(rows: &[&LedgerRow]) -> Option<Mean> {
    let calls: u64 = rows.iter().map(|row| row.counters.calls).sum();
    let of = |tokens: f64| tokens / calls as f64;
    (calls >= CALLS_TO_LEARN_FROM).then(|| Mean {
        input: of(rows.iter().map(|row| row.counters.input_tokens as f64).sum()),
        output: of(rows.iter().map(|row| row.counters.output_tokens as f64).sum()),
    })
}
