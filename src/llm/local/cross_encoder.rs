//! Question and passage read together on this machine: a cross-encoder of the BERT kind (Nogueira and Cho 2019).

use super::super::{ModelError, RerankModel};
use super::bert::{Bert, ClassifierHead, TokenIds};
use super::folder::{CrossEncoder, REQUIRED};
use super::hub;
use crate::config::RerankConfig;
use anyhow::{Context, Result, anyhow, bail};
use async_trait::async_trait;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokenizers::{Tokenizer, TruncationParams, TruncationStrategy};

/// Tokens that are run together.
const TOKENS_AT_ONCE: usize = 512;

/// A cross-encoder of this machine.
#[derive(Clone)]
pub struct LocalReranker {
    loaded: Arc<Loaded>,
    folder: PathBuf,
}

struct Loaded {
    name: String,
    size: usize,
    tokenizer: Tokenizer,
    model: Bert,
    head: ClassifierHead,
}

impl LocalReranker {
    /// The model of `[rerank]`: the folder of `path`, else the one that `model` names on the hub.
    ///
    /// # Errors
    /// Neither is given; the folder is none of a cross-encoder, by what it lacks; the hub cannot be reached.
    pub async fn of(config: &RerankConfig) -> Result<Self> {
        let config = config.clone();
        tokio::task::spawn_blocking(move || {
            let folder = match &config.path {
                Some(path) => path.clone(),
                None if config.model.is_empty() => bail!(
                    "[rerank] provider \"local\" needs path, the folder of a cross-encoder ({}), or model, its name on the \
                     hub, such as cross-encoder/ms-marco-MiniLM-L6-v2 or BAAI/bge-reranker-base",
                    REQUIRED.join(", ")
                ),
                None => hub::fetch(&config.model)?,
            };
            Self::open(&folder, config.max_tokens)
        })
        .await
        .context("loading the reranking model ended early")?
    }

    /// Reads a model's folder into memory; question and passage are cut at `max_tokens` tokens together, or at the model's
    /// own limit if that is lower. The passage is cut first.
    ///
    /// # Errors
    /// The folder is none of a cross-encoder, by what it lacks; the model is of a kind that is not built in.
    pub fn open(folder: &Path, max_tokens: usize) -> Result<Self> {
        let from = CrossEncoder::read(folder, max_tokens)?;
        let loaded =
            Loaded::load(&from).with_context(|| format!("in the cross-encoder {}", folder.display()))?;
        Ok(Self { loaded: Arc::new(loaded), folder: folder.to_owned() })
    }

    /// How well each passage answers the question: the sigmoid of the model's number, 0 to 1, in order. Blocks: uses all
    /// cores.
    ///
    /// # Errors
    /// What the tokeniser or the model say.
    pub fn rerank_blocking(&self, question: &str, passages: &[String]) -> Result<Vec<f64>> {
        self.loaded.rerank(question, passages)
    }
}

impl Loaded {
    fn load(from: &CrossEncoder) -> Result<Self> {
        let told = |error: tokenizers::Error| anyhow!("{error}");
        let path = from.folder.join("tokenizer.json");
        let mut tokenizer = Tokenizer::from_file(&path)
            .map_err(told)
            .with_context(|| format!("{} is no tokeniser", path.display()))?;
        tokenizer.with_padding(None);
        // a question that fills the room alone would make cutting the passage an error
        let cut = TruncationParams {
            max_length: from.max_tokens,
            strategy: TruncationStrategy::LongestFirst,
            ..TruncationParams::default()
        };
        tokenizer.with_truncation(Some(cut)).map_err(told)?;
        let path = from.folder.join("model.safetensors");
        let weights = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let misfit = || format!("{} does not fit config.json", path.display());
        Ok(Self {
            name: format!(
                "local cross-encoder {}",
                blake3::hash(&weights).to_hex().get(..12).unwrap_or_default()
            ),
            size: from.config.hidden_size,
            tokenizer,
            model: Bert::load(&weights, &from.config).with_context(misfit)?,
            head: ClassifierHead::load(&weights, &from.config).with_context(misfit)?,
        })
    }

    fn rerank(&self, question: &str, passages: &[String]) -> Result<Vec<f64>> {
        let pairs: Vec<TokenIds> = passages
            .par_iter()
            .map(|passage| {
                let encoding = self.tokenizer.encode((question, passage.as_str()), true);
                let encoding =
                    encoding.map_err(|error| anyhow!("while cutting a passage into tokens: {error}"))?;
                Ok(TokenIds { ids: encoding.get_ids().to_vec(), kinds: encoding.get_type_ids().to_vec() })
            })
            .collect::<Result<_>>()?;
        let groups: Vec<&[TokenIds]> = super::encoder::groups(&pairs, TOKENS_AT_ONCE)
            .into_iter()
            .filter_map(|range| pairs.get(range))
            .collect();
        let scores: Vec<Vec<f64>> =
            groups.par_iter().map(|group| self.forward(group)).collect::<Result<_>>()?;
        Ok(scores.into_iter().flatten().collect())
    }

    fn forward(&self, group: &[TokenIds]) -> Result<Vec<f64>> {
        let hidden = self.model.forward(&group.iter().collect::<Vec<_>>())?;
        let mut start = 0;
        let scores = group.iter().map(|pair| {
            let first = hidden.get(start..start + self.size).context("a pair without a token")?;
            start += pair.ids.len() * self.size;
            Ok(1.0 / (1.0 + (-f64::from(self.head.score(first))).exp()))
        });
        scores.collect()
    }
}

#[async_trait]
impl RerankModel for LocalReranker {
    fn name(&self) -> String {
        self.loaded.name.clone()
    }

    async fn rerank(&self, question: &str, passages: &[String]) -> Result<Vec<f64>, ModelError> {
        let (model, question, passages) = (self.clone(), question.to_owned(), passages.to_vec());
        let done = tokio::task::spawn_blocking(move || model.rerank_blocking(&question, &passages)).await;
        let reason = match done {
            Ok(Ok(scores)) => return Ok(scores),
            Ok(Err(error)) => format!("{error:#}"),
            Err(error) => error.to_string(),
        };
        Err(ModelError::Rejected { endpoint: format!("the local model {}", self.folder.display()), reason })
    }
}
