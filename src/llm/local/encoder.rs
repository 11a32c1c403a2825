//! Texts into vectors: tokens, the transformer, pooling, unit length.

use super::super::EmbeddingPurpose;
use super::folder::{Pooling, SentenceModel};
use anyhow::{Context, Result, anyhow, ensure};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::BertModel;
use rayon::prelude::*;
use std::ops::Range;
use tokenizers::{Tokenizer, TruncationParams};

/// Tokens that are run together: enough for the matrix products, little enough for the caches.
const TOKENS_AT_ONCE: usize = 512;

/// A loaded model.
pub(super) struct Encoder {
    name: String,
    dimension: usize,
    tokenizer: Tokenizer,
    model: BertModel,
    pooling: Pooling,
    query_prompt: String,
    document_prompt: String,
}

impl Encoder {
    /// Reads tokeniser and weights into memory.
    pub(super) fn load(from: &SentenceModel) -> Result<Self> {
        let path = from.folder.join("tokenizer.json");
        let told = |error: tokenizers::Error| anyhow!("{error}");
        let mut tokenizer = Tokenizer::from_file(&path)
            .map_err(told)
            .with_context(|| format!("{} is no tokeniser", path.display()))?;
        tokenizer.with_padding(None);
        let cut = TruncationParams { max_length: from.max_tokens, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(cut)).map_err(told)?;
        let path = from.folder.join("model.safetensors");
        let weights = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let hash = blake3::hash(&weights).to_hex();
        let variables = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)
            .with_context(|| format!("{} is no safetensors file", path.display()))?;
        let model = BertModel::load(variables, &from.config)
            .with_context(|| format!("{} does not fit config.json", path.display()))?;
        Ok(Self {
            // what decides the vectors, so that a model is the same wherever its folder stands
            name: format!(
                "local bert {}, {:?} of {} tokens",
                hash.get(..12).unwrap_or_default(),
                from.pooling,
                from.max_tokens
            )
            .to_lowercase(),
            dimension: from.config.hidden_size,
            tokenizer,
            model,
            pooling: from.pooling,
            query_prompt: from.query_prompt.clone(),
            document_prompt: from.document_prompt.clone(),
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// One vector a text, unit length, in order.
    pub(super) fn embed(&self, texts: &[String], purpose: EmbeddingPurpose) -> Result<Vec<Vec<f32>>> {
        let prompt = match purpose {
            EmbeddingPurpose::Query => &self.query_prompt,
            EmbeddingPurpose::Document => &self.document_prompt,
        };
        let mut tokens: Vec<(usize, Vec<u32>)> = texts
            .par_iter()
            .enumerate()
            .map(|(place, text)| {
                let encoding = self.tokenizer.encode(format!("{prompt}{text}"), true);
                let encoding =
                    encoding.map_err(|error| anyhow!("while cutting a text into tokens: {error}"))?;
                Ok((place, encoding.get_ids().to_vec()))
            })
            .collect::<Result<_>>()?;
        tokens.sort_by_key(|(place, ids)| (ids.len(), *place));
        let groups: Vec<&[(usize, Vec<u32>)]> =
            groups(&tokens).into_iter().filter_map(|range| tokens.get(range)).collect();
        let found: Vec<Vec<Vec<f32>>> =
            groups.par_iter().map(|group| self.forward(group)).collect::<Result<_>>()?;
        let mut vectors = vec![Vec::new(); texts.len()];
        for ((place, _), vector) in groups.into_iter().flatten().zip(found.into_iter().flatten()) {
            if let Some(slot) = vectors.get_mut(*place) {
                *slot = vector;
            }
        }
        Ok(vectors)
    }

    /// Texts of equally many tokens at once.
    fn forward(&self, group: &[(usize, Vec<u32>)]) -> Result<Vec<Vec<f32>>> {
        let length = group.first().map_or(0, |(_, ids)| ids.len());
        ensure!(length > 0, "the tokeniser gives no token for an empty text");
        let ids: Vec<u32> = group.iter().flat_map(|(_, ids)| ids.iter().copied()).collect();
        let ids = Tensor::from_vec(ids, (group.len(), length), &Device::Cpu)?;
        let kinds = ids.zeros_like()?;
        let hidden = self.model.forward(&ids, &kinds, None)?;
        let pooled = match self.pooling {
            Pooling::Mean => hidden.mean(1)?,
            Pooling::First => hidden.narrow(1, 0, 1)?.squeeze(1)?,
            Pooling::Max => hidden.max(1)?,
        };
        let mut vectors: Vec<Vec<f32>> = pooled.to_vec2()?;
        for vector in &mut vectors {
            to_unit_length(vector);
        }
        Ok(vectors)
    }
}

/// Runs of equal length, none of more tokens than run together well.
fn groups(sorted: &[(usize, Vec<u32>)]) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let mut start = 0;
    for (at, (_, ids)) in sorted.iter().enumerate() {
        let first = sorted.get(start).map_or(0, |(_, ids)| ids.len());
        if at > start && (first != ids.len() || (at - start + 1) * first > TOKENS_AT_ONCE) {
            groups.push(start..at);
            start = at;
        }
    }
    if start < sorted.len() {
        groups.push(start..sorted.len());
    }
    groups
}

fn to_unit_length(vector: &mut [f32]) {
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if length > 0.0 {
        for value in vector {
            #[expect(clippy::cast_possible_truncation, reason = "vectors are kept as f32")]
            {
                *value = (f64::from(*value) / length) as f32;
            }
        }
    }
}
