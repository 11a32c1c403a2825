//! `[budget]`: what one run may cost.

use serde::{Deserialize, Serialize};

/// `[budget]`: what one run of `index` may cost; absent: no limit.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BudgetConfig {
    /// Dollars, by `[llm.prices]`.
    pub max_cost: Option<f64>,
    /// Tokens of prompts and replies.
    pub max_tokens: Option<u64>,
}
