//! `[text_units]`: how documents are cut.

use super::{NamedChoice, choice};
use crate::tokens::Tokens;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// `[text_units]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TextUnitsConfig {
    /// Most tokens of a unit.
    pub size: usize,
    /// Tokens that a unit repeats of the one before.
    pub overlap: usize,
    /// `o200k_base` or `cl100k_base`.
    #[serde(with = "choice")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<Tokens>"))]
    pub encoding: Tokens,
}

impl NamedChoice for Tokens {
    const ALL: &'static [(&'static str, Self)] =
        &[("o200k_base", Self::O200kBase), ("cl100k_base", Self::Cl100kBase)];
}

impl Default for TextUnitsConfig {
    fn default() -> Self {
        Self { size: 1200, overlap: 100, encoding: Tokens::O200kBase }
    }
}

impl TextUnitsConfig {
    /// Refuses what cannot work.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(self.size >= 16, "[text_units] size is {}; it must be at least 16 tokens", self.size);
        ensure!(
            self.overlap * 2 <= self.size,
            "[text_units] overlap is {}; it must be at most half of size ({})",
            self.overlap,
            self.size
        );
        Ok(())
    }
}
