//! `[vectors]`: where the vectors live, and how Qdrant's collections are made.

use super::{NamedChoice, Secret, choice};
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How a collection keeps dense vectors beside the originals, so that a search reads less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantization {
    /// Not at all.
    None,
    /// A byte a number.
    Int8,
    /// A bit a number.
    Binary,
}

impl NamedChoice for Quantization {
    const ALL: &'static [(&'static str, Self)] =
        &[("none", Self::None), ("int8", Self::Int8), ("binary", Self::Binary)];
}

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
    /// Shards that Qdrant cuts a collection into when it makes it; absent: the server's own number.
    pub shards: Option<u32>,
    /// Copies that a cluster keeps of each shard; absent: the server's own number.
    pub replicas: Option<u32>,
    /// Copies that must have a write before it counts; absent: the server's own number.
    pub write_consistency: Option<u32>,
    /// Whether vectors lie on disk and not in memory; absent: as the server does.
    pub on_disk: Option<bool>,
    /// `none`, `int8` or `binary`: small copies of dense vectors, kept in memory; hits are scored again with the
    /// originals. Absent: as the collection is.
    #[serde(with = "choice::optional")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<Quantization>"))]
    pub quantization: Option<Quantization>,
    /// Links of a vector in the index of neighbours (HNSW); absent: the server's own number.
    pub hnsw_m: Option<u64>,
    /// Candidates that the index keeps in sight while it is built and searched; absent: the server's own number.
    pub hnsw_ef: Option<u64>,
    /// Points below which a collection is searched exactly, without the index.
    pub exact_below: u64,
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
            shards: None,
            replicas: None,
            write_consistency: None,
            on_disk: None,
            quantization: None,
            hnsw_m: None,
            hnsw_ef: None,
            exact_below: 200_000,
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
        let counts = [
            ("shards", self.shards.map(u64::from), 1),
            ("replicas", self.replicas.map(u64::from), 1),
            ("write_consistency", self.write_consistency.map(u64::from), 1),
            ("hnsw_m", self.hnsw_m, 2),
            ("hnsw_ef", self.hnsw_ef, 4),
        ];
        for (name, count, least) in counts {
            ensure!(
                count.is_none_or(|count| count >= least),
                "[vectors] {name} is {}; it must be at least {least}",
                count.unwrap_or_default()
            );
        }
        if let (Some(replicas), Some(consistency)) = (self.replicas, self.write_consistency) {
            ensure!(
                consistency <= replicas,
                "[vectors] write_consistency is {consistency} of {replicas} replicas; it cannot be more than there are"
            );
        }
        Ok(())
    }
}
