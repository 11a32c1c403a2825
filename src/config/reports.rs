//! `[reports]`: how reports are written.

use super::{NamedChoice, choice};
use serde::{Deserialize, Serialize};

/// What reports are written from, and in how many calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportStyle {
    /// Parts' reports in place of their records, the smallest communities several in a call, as long as the data.
    #[default]
    Lean,
    /// As in the paper: all records as long as they fit, a call for each community.
    Paper,
}

impl NamedChoice for ReportStyle {
    const ALL: &'static [(&'static str, Self)] = &[("lean", Self::Lean), ("paper", Self::Paper)];
}

/// `[reports]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ReportsConfig {
    /// `lean`: parts' reports in place of their records, the smallest communities several in a call, as long as the data
    /// deserves. `paper`: all records as long as they fit, a call and `max_length_words` for each community.
    #[serde(with = "choice")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<ReportStyle>"))]
    pub style: ReportStyle,
    /// Smaller communities get a composed report without a call.
    pub min_size: usize,
    /// Tokens of a report's input.
    pub max_input_tokens: usize,
    /// Words of a report at most; lean reports have 350 at most.
    pub max_length_words: usize,
    /// Whom reports are for, "analysts of the company"; empty: whoever must know the corpus.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub audience: String,
    /// What makes a community important, for its rating; empty: what decides for the audience.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rating: String,
}

impl Default for ReportsConfig {
    fn default() -> Self {
        Self {
            style: ReportStyle::Lean,
            min_size: 3,
            max_input_tokens: 8000,
            max_length_words: 2000,
            audience: String::new(),
            rating: String::new(),
        }
    }
}
