//! A password or key.

use crate::domain::fingerprint;
use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A password or key: prints `***`, never its value.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Takes a secret in.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }
    /// The secret itself; only for handing it to the service it is for.
    pub fn reveal(&self) -> &str {
        &self.0
    }
    /// The variable of the environment that stands for it: `NAME` where it is written as `${NAME}`.
    pub fn variable(&self) -> Option<&str> {
        self.0.trim().strip_prefix("${")?.strip_suffix('}')
    }
    /// The secret with `${NAME}` taken from the environment; `key` says where it is configured.
    ///
    /// # Errors
    /// Names the variable where it is not set or empty.
    pub fn resolved(&self, key: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Self> {
        let Some(name) = self.variable() else { return Ok(self.clone()) };
        match environment(name) {
            Some(value) if !value.trim().is_empty() => Ok(Self::new(value.trim())),
            _ => bail!(
                "{key} names ${{{name}}}, which is not set in the environment; set it, or leave {key} out"
            ),
        }
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Serialize for Secret {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("***")
    }
}

/// Fields that may hold secrets, for what is stored: their names, and of each value what tells it from another one.
pub(super) fn as_fingerprints<S: serde::Serializer>(
    fields: &BTreeMap<String, toml::Value>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(name, value)| {
        let mark: String = fingerprint(&[&value.to_string()]).chars().take(8).collect();
        (name, format!("*** {mark}"))
    }))
}
