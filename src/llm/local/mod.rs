//! Embeddings on this machine: a sentence model of the BERT kind, no service needed.
//!
//! A vector is a function of its text alone: texts are run together without padding, and attention looks at one text, so no
//! neighbour comes into it (floats of a matrix product may still differ in the last bit with its height).

mod bert;
mod folder;
mod encoder;
mod cross_encoder;
mod hub;

use super::{EmbeddingModel, EmbeddingPurpose, ModelError};
use crate::config::EmbeddingsConfig;
use anyhow::{Context, Result, bail};
use async_trait::async_trait;
pub use cross_encoder::LocalReranker;
use encoder::Encoder;
use folder::SentenceModel;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Texts at once: of 1,024 of any length a quarter more are embedded in the same time than of 64.
const BATCH: usize = 1024;

/// A sentence model of this machine.
#[derive(Clone)]
pub struct LocalEmbeddings {
    encoder: Arc<Encoder>,
    folder: PathBuf,
}

impl LocalEmbeddings {
    /// The model of `[embeddings]`: the folder of `path`, else the one that `model` names on the hub, which is fetched
    /// at the first use and kept in the hub's own cache.
    ///
    /// # Errors
    /// Neither is given; the folder is none of a sentence model, by what it lacks; the hub cannot be reached.
    pub async fn of(config: &EmbeddingsConfig) -> Result<Self> {
        let config = config.clone();
        tokio::task::spawn_blocking(move || {
            let folder = match &config.path {
                Some(path) => path.clone(),
                None if config.model.is_empty() => bail!(
                    "[embeddings] provider \"local\" needs path, the folder of a sentence model (config.json, \
                     tokenizer.json, model.safetensors), or model, its name on the hub, such as \
                     sentence-transformers/all-MiniLM-L6-v2"
                ),
                None => hub::fetch(&config.model)?,
            };
            let model = Self::open(&folder, config.max_tokens)?;
            let dimension = model.dimension();
            if config.dimension != 0 && config.dimension != dimension {
                bail!(
                    "[embeddings] dimension is {}; vectors of {} have {dimension}: leave it out",
                    config.dimension,
                    folder.display()
                );
            }
            Ok(model)
        })
        .await
        .context("loading the embedding model ended early")?
    }

    /// Reads a model's folder into memory; texts are cut at `max_tokens` tokens, or at the model's own limit if
    /// that is lower.
    ///
    /// # Errors
    /// The folder is none of a sentence model, by what it lacks; the model is of a kind that is not built in.
    pub fn open(folder: &Path, max_tokens: usize) -> Result<Self> {
        let model = SentenceModel::read(folder, max_tokens)?;
        let encoder =
            Encoder::load(&model).with_context(|| format!("in the sentence model {}", folder.display()))?;
        Ok(Self { encoder: Arc::new(encoder), folder: folder.to_owned() })
    }

    /// One vector a text, unit length, in order. Blocks: uses all cores.
    ///
    /// # Errors
    /// What the tokeniser or the model say.
    pub fn embed_blocking(&self, texts: &[String], purpose: EmbeddingPurpose) -> Result<Vec<Vec<f32>>> {
        self.encoder.embed(texts, purpose)
    }
}

#[async_trait]
impl EmbeddingModel for LocalEmbeddings {
    fn name(&self) -> String {
        self.encoder.name().to_owned()
    }

    fn dimension(&self) -> usize {
        self.encoder.dimension()
    }

    /// The more there are, the more have equally many tokens and are run together.
    fn batch_size(&self) -> Option<usize> {
        Some(BATCH)
    }

    async fn embed(&self, texts: &[String], purpose: EmbeddingPurpose) -> Result<Vec<Vec<f32>>, ModelError> {
        let (model, texts) = (self.clone(), texts.to_vec());
        let done = tokio::task::spawn_blocking(move || model.embed_blocking(&texts, purpose)).await;
        let reason = match done {
            Ok(Ok(vectors)) => return Ok(vectors),
            Ok(Err(error)) => format!("{error:#}"),
            Err(error) => error.to_string(),
        };
        Err(ModelError::Rejected { endpoint: format!("the local model {}", self.folder.display()), reason })
    }
}

#[cfg(test)]
mod tests;
