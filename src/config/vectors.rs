//! `[vectors]`: where the vectors live.

use super::Secret;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// `[vectors]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct VectorsConfig {
    /// `http://host:6334`; absent: embedded SQLite in the data folder.
    #[serde(serialize_with = "crate::address::serialize_option")]
    pub url: Option<String>,
    /// PEM file of the authorities that are trusted instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// Qdrant API key.
    pub api_key: Secret,
    /// First part of collection names.
    pub prefix: String,
    /// Average length of a text in words for BM25, a constant of the collection.
    pub average_length: f32,
    /// Seconds before a call is given up.
    pub timeout_s: u64,
}

impl Default for VectorsConfig {
    fn default() -> Self {
        Self {
            url: None,
            ca_file: None,
            api_key: Secret::default(),
            prefix: "graphwright".into(),
            average_length: 256.0,
            timeout_s: 30,
        }
    }
}

impl VectorsConfig {
    /// Refuses what cannot work.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(
            self.average_length > 0.0 && self.average_length.is_finite(),
            "[vectors] average_length is {}; it must be a positive number",
            self.average_length
        );
        Ok(())
    }
}
