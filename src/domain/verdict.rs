//! What a model said of two names.

use serde::{Deserialize, Serialize};

/// Whether two names are one, as a model judged it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The smaller name key.
    pub low: String,
    /// The greater name key.
    pub high: String,
    /// Fingerprint of what the model was asked and shown: another one, and the pair is asked about again.
    pub evidence: String,
    /// Whether the two are one.
    pub same: bool,
    /// Why, in the model's words.
    pub reason: String,
}
