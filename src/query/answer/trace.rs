//! What the agent did, step by step.

use serde::Serialize;
use std::fmt;

/// The way to an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Trace {
    /// What was to be found out.
    pub plan: String,
    /// Where the paths began, each with the score from 0 to 100 that the model gave it.
    pub nodes: Vec<(String, f64)>,
    /// The paths, in the order of `nodes`.
    pub paths: Vec<PathTrace>,
    /// The thoughts before the answer.
    pub analysis: String,
}

/// One path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PathTrace {
    /// The key element that it began at.
    pub start: String,
    /// What was done.
    pub steps: Vec<Step>,
    /// The notebook at its end; numbers of citations are those of the answer.
    pub notebook: String,
    /// Why it ended: `termination`, or the limit that was reached.
    pub ended_by: String,
}

/// One call of a function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Step {
    /// What was looked at: `facts of Scrooge`, `chunk C3 (carol.txt)`, `neighbours of Scrooge`.
    pub looked_at: String,
    /// The function with its arguments.
    pub action: String,
    /// Why, in the model's words.
    pub rationale: String,
    /// Replies that were refused before, and why.
    pub refused: Vec<String>,
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "plan: {}", self.plan.trim())?;
        for (number, path) in self.paths.iter().enumerate() {
            writeln!(f, "path {} from {}", number + 1, path.start)?;
            for step in &path.steps {
                for refused in &step.refused {
                    writeln!(f, "  refused: {refused}")?;
                }
                writeln!(f, "  {}: {}  ({})", step.looked_at, step.action, step.rationale)?;
            }
            writeln!(f, "  ended by {}; notebook: {}", path.ended_by, path.notebook.trim())?;
        }
        write!(f, "analysis: {}", self.analysis.trim())
    }
}
