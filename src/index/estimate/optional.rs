//! What is asked only where it is switched on: verdicts on doubtful names, summary trees, atomic facts.

use super::{Estimation, TaskLoad};
use crate::config::{NameResolution, Provider};
use crate::domain::Id;
use crate::index::facts::chunk_ranges;
use crate::prompts::{ExtractFacts, SameEntity, SummariseTexts};
use crate::stores::GraphStore;
use anyhow::Result;
use std::collections::BTreeSet;

/// Documents read from the store at once.
const PAGE: usize = 100;

/// What is taken for granted: between what runs of the scripted endpoint on a novella and on podcast transcripts showed.
struct OptionalAssumptions;

impl OptionalAssumptions {
    /// Names for each entity.
    const SPELLINGS: f64 = 1.17;
    /// Doubtful pairs for each name.
    const PAIRS: f64 = 0.085;
    /// Pairs in one call.
    const PAIRS_A_CALL: f64 = 25.0;
    /// Tokens of one pair in a prompt.
    const PAIR_INPUT: f64 = 112.0;
    /// Tokens of a verdict.
    const PAIR_OUTPUT: f64 = 22.0;
    /// Tokens of a name.
    const NAME: f64 = 3.0;
    /// Tokens of a leaf for each token that it may have: it ends with a sentence.
    const LEAF: f64 = 0.81;
    /// Leaves that one summary is of.
    const LEAVES_A_SUMMARY: f64 = 9.9;
    /// Summaries that one summary is of.
    const SUMMARIES_A_SUMMARY: f64 = 6.3;
    /// Summaries that a node of a clustered layer is in.
    const MEMBERSHIPS: f64 = 1.1;
    /// Tokens of a summary for each word asked for.
    const SUMMARY: f64 = 0.9;
    /// Tokens of a chunk's facts for each token of the chunk.
    const FACTS: f64 = 0.8;
}

/// Documents with a summary tree.
#[derive(Debug, Default)]
pub(super) struct Trees {
    /// Those whose tree the run would grow.
    grown: u64,
    /// Those whose tree would stay.
    kept: u64,
    /// Whether the run brings trees up to date.
    wanted: bool,
    /// Whether the tree of a document goes.
    gone: bool,
}

impl Trees {
    pub(super) fn wanted(wanted: bool) -> Self {
        Self { wanted, ..Self::default() }
    }
}

impl Estimation<'_> {
    /// Summary tree and atomic facts of a document that is new or changed, by the tokens of its text units.
    pub(super) fn document(&mut self, units: &[usize]) {
        if self.trees.wanted {
            self.document_tree(units);
        }
        if self.facts_wanted {
            self.facts(units);
        }
    }

    /// Whether the run brings summary trees and atomic facts up to date: as configured, else where there are any.
    pub(super) async fn read_wanted(&mut self, graph: &dyn GraphStore) -> Result<()> {
        let (raptor, reader) = (self.config.raptor.enabled, self.config.reader.enabled);
        self.trees.wanted = match raptor {
            Some(wanted) => wanted,
            None => !graph.tree_roots(graph.state().await?.generation).await?.is_empty(),
        };
        self.facts_wanted = match reader {
            Some(wanted) => wanted,
            None => graph.has_facts().await?,
        };
        Ok(())
    }

    /// Summary trees and atomic facts of the stored documents that have none yet, but for those counted already and those
    /// that go.
    pub(super) async fn stored(
        &mut self,
        graph: &dyn GraphStore,
        counted: &BTreeSet<Id>,
        gone: &[Id],
    ) -> Result<()> {
        let (trees, facts) = (self.trees.wanted, self.facts_wanted);
        if !trees && !facts {
            return Ok(());
        }
        let roots = graph.tree_roots(graph.state().await?.generation).await?;
        let rooted: BTreeSet<Id> = roots.into_iter().filter_map(|root| root.document).collect();
        let mut after: Option<String> = None;
        loop {
            let mut page = graph.documents(after.as_deref(), PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.key.clone());
            let there = page.len();
            page.retain(|document| !gone.contains(&document.id));
            self.trees.gone |= page.len() < there;
            page.retain(|document| !counted.contains(&document.id));
            let ids: Vec<Id> = page.into_iter().map(|document| document.id).collect();
            let read: BTreeSet<Id> =
                graph.facts_of(&ids).await?.into_iter().map(|facts| facts.document).collect();
            for id in ids {
                let (grow, read) = (trees && !rooted.contains(&id), facts && !read.contains(&id));
                self.trees.kept += u64::from(trees && !grow);
                if !grow && !read {
                    continue;
                }
                let units = graph.text_units_of(&id).await?;
                let units: Vec<usize> = units.iter().map(|unit| unit.unit.token_count as usize).collect();
                if grow {
                    self.document_tree(&units);
                }
                if read {
                    self.facts(&units);
                }
            }
        }
    }

    fn document_tree(&mut self, units: &[usize]) {
        let tokens = self.without_overlaps(units);
        if tokens > 0.0 {
            self.trees.grown += 1;
            let leaf = self.config.raptor.leaf_tokens as f64 * OptionalAssumptions::LEAF;
            self.tree((tokens / leaf).ceil(), tokens, true);
        }
    }

    fn facts(&mut self, units: &[usize]) {
        if self.config.llm.provider == Provider::None {
            return;
        }
        let model = self.model(&self.config.llm.extract);
        let fixed = self
            .fixed(&ExtractFacts { max_tokens: self.config.reader.facts_tokens, ..ExtractFacts::default() });
        let most = self.config.reader.facts_tokens as f64;
        for range in chunk_ranges(units.iter().copied(), self.config.reader.chunk_tokens) {
            let text = self.without_overlaps(units.get(range).unwrap_or_default());
            let output = self.reply("extract_facts", model, (OptionalAssumptions::FACTS * text).min(most));
            self.add("extract_facts", model, TaskLoad { calls: 1.0, input: fixed + text, output });
        }
    }

    /// Tokens of consecutive text units, what two share only once.
    fn without_overlaps(&self, units: &[usize]) -> f64 {
        let shared = units.len().saturating_sub(1) * self.config.text_units.overlap;
        units.iter().sum::<usize>().saturating_sub(shared) as f64
    }

    /// What follows from all documents together: the tree over their roots, and doubtful pairs among so many names.
    pub(super) fn together(&mut self, entities: f64) {
        let names = entities * OptionalAssumptions::SPELLINGS;
        let roots = (self.trees.grown + self.trees.kept) as f64;
        if self.trees.wanted && (self.trees.grown > 0 || self.trees.gone) && roots > 1.0 {
            let tokens = roots * OptionalAssumptions::SUMMARY * self.config.raptor.summary_words as f64;
            self.tree(roots, tokens, false);
        }
        let config = self.config;
        if names > 0.0
            && config.resolution() == NameResolution::Model
            && config.llm.provider != Provider::None
        {
            let model = self.model(&config.llm.extract);
            let pairs = OptionalAssumptions::PAIRS * names;
            // text that takes the place of other text brings few names
            let none = pairs < 1.0 && self.tokens_gone > 0;
            let calls = if none { 0.0 } else { (pairs / OptionalAssumptions::PAIRS_A_CALL).ceil() };
            let each = pairs / calls.max(1.0);
            let fixed = self.fixed(&SameEntity::default());
            let output = self.reply("same_entity", model, each * OptionalAssumptions::PAIR_OUTPUT);
            self.add(
                "same_entity",
                model,
                TaskLoad { calls, input: fixed + each * OptionalAssumptions::PAIR_INPUT, output },
            );
            if config.extraction.neighbour_similarity <= 1.0 {
                self.embedded(names, names * OptionalAssumptions::NAME);
            }
        }
    }

    /// A tree over the leaves of a document, or over the roots of documents, by their tokens together.
    fn tree(&mut self, nodes: f64, tokens: f64, of_leaves: bool) {
        let config = self.config;
        let model = self.model(&config.llm.summarise);
        let fixed = self.fixed(&SummariseTexts {
            language: &self.config.extraction.language,
            max_words: self.config.reports.max_length_words,
            ..SummariseTexts::default()
        });
        let assumed = OptionalAssumptions::SUMMARY * config.raptor.summary_words as f64;
        let output = self.reply("summarise_texts", model, assumed);
        let mut a_summary = OptionalAssumptions::SUMMARIES_A_SUMMARY;
        let (mut layer, mut tokens) = (nodes, tokens);
        if of_leaves {
            a_summary = OptionalAssumptions::LEAVES_A_SUMMARY;
            self.embedded(layer, tokens);
        }
        while layer > 1.0 {
            let (summaries, memberships) = if layer <= (config.raptor.components + 1) as f64 {
                (1.0, 1.0)
            } else {
                ((layer / a_summary).round().max(1.0), OptionalAssumptions::MEMBERSHIPS)
            };
            if config.llm.provider != Provider::None {
                let input = fixed + tokens * memberships / summaries;
                self.add("summarise_texts", model, TaskLoad { calls: summaries, input, output });
            }
            (layer, tokens) = (summaries, summaries * output);
            a_summary = OptionalAssumptions::SUMMARIES_A_SUMMARY;
            self.embedded(layer, tokens);
        }
    }
}
