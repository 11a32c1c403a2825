//! Many processes on one workspace: what a store tells those that take part in a run.

use crate::domain::StoredUnit;

/// What a process is in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It does what only one may do.
    Leads {
        /// Whether the run that it helped with was brought to its end by the one who led before.
        complete: bool,
    },
    /// It reads text units while another leads.
    Helps,
}

/// A pending text unit that a process has to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leased {
    /// The unit.
    pub unit: StoredUnit,
    /// Fencing token, for [`super::UnitWrite::lease`]; absent where a store has one writer at a time.
    pub fence: Option<u64>,
    /// Which writer's turn it is. What only a writer changes is the same as long as this is.
    pub turn: u64,
}
