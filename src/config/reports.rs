//! `[reports]`: how reports are written.

use serde::{Deserialize, Serialize};

/// `[reports]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ReportsConfig {
    /// Smaller communities get a composed report without a call.
    pub min_size: usize,
    /// Tokens of a report's input.
    pub max_input_tokens: usize,
    /// Words of a report.
    pub max_length_words: usize,
}

impl Default for ReportsConfig {
    fn default() -> Self {
        Self { min_size: 3, max_input_tokens: 8000, max_length_words: 2000 }
    }
}
