//! `[extraction]`: how records are read, and how names become one.

use super::{LlmConfig, NamedChoice, Provider, SchemaConfig, choice};
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// How names become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameResolution {
    /// Only by edits.
    Off,
    /// By rules.
    Rules,
    /// By rules, and by a model where they leave doubt.
    Model,
    /// As [`Self::Model`] where there is a model, else as [`Self::Rules`].
    Auto,
}

impl NamedChoice for NameResolution {
    const ALL: &'static [(&'static str, Self)] =
        &[("off", Self::Off), ("rules", Self::Rules), ("model", Self::Model), ("auto", Self::Auto)];
}

/// Which of the settings that prompts tell a model has found in documents, while nobody has agreed to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one a setting")]
pub struct FoundSettings {
    /// `domain`
    pub domain: bool,
    /// `schema.entities`
    pub types: bool,
    /// `schema.relations`
    pub relations: bool,
    /// `schema.names`
    pub names: bool,
    /// `examples`
    pub examples: bool,
    /// `claim_description`
    pub claims: bool,
}

/// `[extraction]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "one a choice")]
pub struct ExtractionConfig {
    /// Rounds of asking for what was missed.
    pub gleanings: u32,
    /// Whether a forced yes or no is asked before each round; without it a reply without records is the no.
    pub gleaning_check: bool,
    /// Whether claims are read as well.
    pub claims: bool,
    /// What counts as a claim.
    pub claim_description: String,
    /// Whether the model judges in the same call what a text says for or against each thing; rules do otherwise.
    pub sentiment: bool,
    /// Types to look for; empty: any.
    pub entity_types: Vec<String>,
    /// What the graph may hold besides that.
    pub schema: SchemaConfig,
    /// `off`, `rules`, `model`, or `auto`: `model` where there is one, else `rules`.
    #[serde(with = "choice")]
    #[cfg_attr(test, schemars(schema_with = "choice::schema::<NameResolution>"))]
    pub resolution: NameResolution,
    /// Cosine likeness from which names are close in meaning and, with `resolution = "model"` and an embedding model,
    /// put before the model; above 1: none are.
    pub neighbour_similarity: f64,
    /// Whether known names are found again in every text unit.
    pub linking: bool,
    /// What the corpus is about; goes into the prompt.
    pub domain: String,
    /// Examples of a text with its records, in place of the built-in one; empty: the built-in one.
    pub examples: String,
    /// Language of descriptions; empty: that of the text.
    pub language: String,
    /// Language of types, such as `English`; empty: that of the text.
    pub type_language: String,
    /// Tokens of joined descriptions beyond which a model summarises them.
    pub summary_threshold_tokens: usize,
    /// What of this was found: prompts show it as they show what others wrote. No file says so, for what stands in one is
    /// somebody's own.
    #[serde(skip)]
    pub found: FoundSettings,
}

impl Default for ExtractionConfig {
    fn default() -> Self {
        Self {
            gleanings: 1,
            gleaning_check: false,
            claims: false,
            claim_description: "any claim or fact that could matter to someone who investigates the text"
                .into(),
            sentiment: false,
            entity_types: Vec::new(),
            schema: SchemaConfig::default(),
            resolution: NameResolution::Auto,
            neighbour_similarity: 0.8,
            linking: true,
            domain: String::new(),
            examples: String::new(),
            language: String::new(),
            type_language: String::new(),
            summary_threshold_tokens: 300,
            found: FoundSettings::default(),
        }
    }
}

impl ExtractionConfig {
    /// Refuses what cannot work.
    pub(super) fn check(&self, llm: &LlmConfig) -> Result<()> {
        self.schema.check(&self.entity_types)?;
        ensure!(
            self.resolution != NameResolution::Model || llm.provider != Provider::None,
            "[extraction] resolution is \"model\" and there is no model; set [llm] provider, or use \"rules\""
        );
        Ok(())
    }
}
