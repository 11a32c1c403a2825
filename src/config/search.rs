//! `[search]`: how questions are answered.

use super::{ConversationConfig, DriftConfig, GlobalConfig, ReaderSearchConfig, SourceConfig};
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// `[search]`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Tokens of the context.
    pub max_context_tokens: usize,
    /// Share of text units in it.
    pub text_unit_share: f64,
    /// Share of community reports in it.
    pub report_share: f64,
    /// Entities that the question is matched with.
    pub top_k_entities: usize,
    /// Text units that hybrid search finds.
    pub top_k_text_units: usize,
    /// Relationships an entity.
    pub top_k_relationships: usize,
    /// Level of global search.
    pub level: u32,
    /// Weight from 0 to 100 of the question's words beside its embedding, in hybrid search and in the order of text units.
    pub words_weight: f64,
    /// Weight from 0 to 100 of the walk over the graph in the order of text units, where 1 is as much as an embedding that
    /// is the question's own.
    pub walk_weight: f64,
    /// Damping of the personalised `PageRank`.
    pub damping: f64,
    /// Seed of the shuffle in source search.
    pub seed: u64,
    /// Calls in flight in global search.
    pub concurrency: usize,
    /// Weight from 0 to 100 of structural vectors (Node2Vec) beside hybrid search among the entities of local search;
    /// above 0, indexing makes them.
    pub structure_weight: f64,
    /// Share of relationships in what text units and reports leave of the context.
    pub relationship_share: f64,
    /// Share of claims in it; entities have the rest.
    pub claim_share: f64,
    /// Share from 0 to 1 of the best score below which entities, relationships, claims and reports of local search are not
    /// shown. 0: all are, as far as they fit.
    pub fit_threshold: f64,
    /// Questions that `--rewrite` makes of one, and names that it expands one by.
    pub rewrites: usize,
    /// With a model: statements of an answer that are in another language than the texts they cite are said once more in that
    /// language, by one short call, so that each citation leads to the sentence that says it.
    pub cite_across_languages: bool,
    /// `[search.conversation]`
    pub conversation: ConversationConfig,
    /// `[search.global]`
    pub global: GlobalConfig,
    /// `[search.drift]`
    pub drift: DriftConfig,
    /// `[search.source]`
    pub source: SourceConfig,
    /// `[search.reader]`
    pub reader: ReaderSearchConfig,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            max_context_tokens: 12_000,
            text_unit_share: 0.5,
            report_share: 0.15,
            top_k_entities: 10,
            top_k_text_units: 20,
            top_k_relationships: 10,
            level: 1,
            words_weight: 0.8,
            walk_weight: 0.2,
            damping: 0.5,
            seed: 0,
            concurrency: 16,
            structure_weight: 0.0,
            relationship_share: 0.5,
            claim_share: 0.1,
            fit_threshold: 0.35,
            rewrites: 4,
            cite_across_languages: true,
            conversation: ConversationConfig::default(),
            global: GlobalConfig::default(),
            drift: DriftConfig::default(),
            source: SourceConfig::default(),
            reader: ReaderSearchConfig::default(),
        }
    }
}

impl SearchConfig {
    /// Refuses what cannot work.
    pub(super) fn check(&self) -> Result<()> {
        self.reader.check()?;
        for (name, value) in [("text_unit_share", self.text_unit_share), ("report_share", self.report_share)]
        {
            ensure!((0.0..=1.0).contains(&value), "[search] {name} is {value}; it must be from 0 to 1");
        }
        ensure!(
            self.text_unit_share + self.report_share <= 1.0,
            "[search] text_unit_share and report_share make {}; together they must be at most 1",
            self.text_unit_share + self.report_share
        );
        self.check_parts()?;
        ensure!(
            (0.0..1.0).contains(&self.damping),
            "[search] damping is {}; it must be from 0 to below 1",
            self.damping
        );
        Ok(())
    }
}
