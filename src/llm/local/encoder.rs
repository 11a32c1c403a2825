//! Texts into vectors: tokens, the transformer, pooling, unit length.

use super::super::EmbeddingPurpose;
use super::bert::{Bert, TokenIds};
use super::folder::{Pooling, SentenceModel};
use anyhow::{Context, Result, anyhow, ensure};
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
    model: Bert,
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
        let model = Bert::load(&weights, &from.config)
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
        let tokens: Vec<TokenIds> = texts
            .par_iter()
            .map(|text| {
                let encoding = self.tokenizer.encode(format!("{prompt}{text}"), true);
                let encoding =
                    encoding.map_err(|error| anyhow!("while cutting a text into tokens: {error}"))?;
                ensure!(!encoding.is_empty(), "the tokeniser gives no token for an empty text");
                Ok(TokenIds { ids: encoding.get_ids().to_vec(), kinds: vec![0; encoding.len()] })
            })
            .collect::<Result<_>>()?;
        let groups: Vec<&[TokenIds]> =
            groups(&tokens, TOKENS_AT_ONCE).into_iter().filter_map(|range| tokens.get(range)).collect();
        let found: Vec<Vec<Vec<f32>>> =
            groups.par_iter().map(|group| self.forward(group)).collect::<Result<_>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Some texts at once.
    fn forward(&self, group: &[TokenIds]) -> Result<Vec<Vec<f32>>> {
        let hidden = self.model.forward(&group.iter().collect::<Vec<_>>())?;
        let mut rows = hidden.chunks_exact(self.dimension);
        let vectors = group.iter().map(|text| {
            let mut vector = self.pooled(rows.by_ref().take(text.ids.len()));
            to_unit_length(&mut vector);
            vector
        });
        Ok(vectors.collect())
    }

    /// One vector for those of a text's tokens.
    fn pooled<'a>(&self, mut rows: impl Iterator<Item = &'a [f32]>) -> Vec<f32> {
        let mut pooled = rows.next().map(<[f32]>::to_vec).unwrap_or_default();
        // the first token's stands there; the others are passed over where they do not count
        let mut count = 1.0;
        for row in rows {
            for (pooled, value) in pooled.iter_mut().zip(row) {
                match self.pooling {
                    Pooling::First => {}
                    Pooling::Mean => *pooled += value,
                    Pooling::Max => *pooled = pooled.max(*value),
                }
            }
            count += 1.0;
        }
        if self.pooling == Pooling::Mean {
            for value in &mut pooled {
                *value /= count;
            }
        }
        pooled
    }
}

/// Runs of texts, none of more than `most` tokens but of one text.
pub(super) fn groups(texts: &[TokenIds], most: usize) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let (mut start, mut tokens) = (0, 0);
    for (at, text) in texts.iter().enumerate() {
        if at > start && tokens + text.ids.len() > most {
            groups.push(start..at);
            (start, tokens) = (at, 0);
        }
        tokens += text.ids.len();
    }
    if start < texts.len() {
        groups.push(start..texts.len());
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
