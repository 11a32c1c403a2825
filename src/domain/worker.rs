//! Who works on a workspace.

use serde::Serialize;

/// A process that may write to a workspace, for as long as its lease lasts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Worker {
    /// Process, host, since when.
    pub name: String,
    /// What it does.
    pub role: Role,
    /// Text units that it has leased and is reading.
    pub text_units: u64,
    /// Milliseconds until its lease ends unless it is renewed.
    pub lease_ms: u64,
}

/// What a process does in a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Writes alone.
    WritesAlone,
    /// Leads a run: what only one may do is done by it.
    Leads,
    /// Takes part in a run: reads text units.
    Helps,
}
