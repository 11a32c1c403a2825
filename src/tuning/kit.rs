//! What every step of tuning works with.

use crate::config::{Config, Price};
use crate::llm::{
    ChatModel, ChatReply, ChatRequest, EmbeddingModel, Ledger, ModelError, ModelRole, RerankModel, Usage,
};
use crate::progress::Progress;
use crate::prompts::Prompts;
use anyhow::{Result, ensure};
use async_trait::async_trait;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Models, settings and a folder.
#[derive(Clone, Copy)]
pub struct Kit<'a> {
    /// The settings as they are.
    pub config: &'a Config,
    /// The prompts.
    pub prompts: &'a Arc<Prompts>,
    /// The chat model; `None`: statistics alone.
    pub chat: Option<&'a Arc<dyn ChatModel>>,
    /// The embedding model.
    pub embedding: Option<&'a Arc<dyn EmbeddingModel>>,
    /// The reranking model.
    pub rerank: Option<&'a Arc<dyn RerankModel>>,
    /// What calls cost, and the budget.
    pub ledger: &'a Arc<Ledger>,
    /// Where proposals and trial indexes are kept.
    pub folder: &'a Path,
    /// Told as it goes.
    pub progress: &'a Progress,
}

impl Kit<'_> {
    /// Name of the model that reads records; empty without one.
    pub fn model(&self) -> &str {
        let llm = &self.config.llm;
        if self.chat.is_some() { llm.extract.model.as_deref().unwrap_or(&llm.model) } else { "" }
    }

    /// Ends the work where somebody asked for it.
    ///
    /// # Errors
    /// Somebody did.
    pub(super) fn go_on(&self) -> Result<()> {
        ensure!(
            !self.progress.stop_requested(),
            "stopped; run the same command again to go on: what was answered is kept"
        );
        Ok(())
    }

    /// Dollars of tokens of the model that reads records; 0 without a price.
    pub fn cost(&self, input_tokens: u64, output_tokens: u64) -> f64 {
        let zero = Price { input: 0.0, cached_input: 0.0, output: 0.0 };
        let price = self.config.llm.prices.get(self.model()).unwrap_or(&zero);
        (price.input * input_tokens as f64 + price.output * output_tokens as f64) / 1e6
    }
}

/// A model whose tokens are counted, replies of the cache included: a trial that is repeated says the same.
pub(super) struct MeteredModel {
    model: Arc<dyn ChatModel>,
    usage: Mutex<Usage>,
}

impl MeteredModel {
    pub(super) fn new(model: Arc<dyn ChatModel>) -> Self {
        Self { model, usage: Mutex::default() }
    }

    pub(super) fn usage(&self) -> Usage {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ChatModel for MeteredModel {
    fn describe(&self, role: ModelRole) -> String {
        self.model.describe(role)
    }

    fn identity(&self, role: ModelRole) -> String {
        self.model.identity(role)
    }

    async fn chat(&self, request: &ChatRequest) -> std::result::Result<ChatReply, ModelError> {
        let reply = self.model.chat(request).await?;
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        usage.input_tokens = usage.input_tokens.saturating_add(reply.usage.input_tokens);
        usage.output_tokens = usage.output_tokens.saturating_add(reply.usage.output_tokens);
        Ok(reply)
    }
}
