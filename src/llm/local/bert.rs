//! The transformer of BERT and its kin, forward only, in f32 (Devlin et al. 2018; Liu et al. 2019 for where `RoBERTa`'s
//! positions begin).
//!
//! Texts of any lengths are run together without padding: the products of a layer go over all their tokens at once, and
//! attention over each text alone. What is no matrix product (GELU, softmax, norms) is written so that the compiler uses the
//! widest vectors of the processor; a layer's buffers are taken once a call.

mod products;
mod weights;
mod wide;

use anyhow::{Context, Result, ensure};
use products::{MatrixView, multiply};
use serde::Deserialize;
use weights::{Linear, Norm, Tensors};

/// `config.json`, as far as a forward pass needs it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct BertConfig {
    pub(super) hidden_size: usize,
    pub(super) max_position_embeddings: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    hidden_act: Activation,
    layer_norm_eps: f64,
    vocab_size: usize,
    type_vocab_size: usize,
    #[serde(default)]
    pad_token_id: usize,
    #[serde(default)]
    model_type: ModelType,
}

/// Which of the kin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ModelType {
    #[default]
    Bert,
    Roberta,
    XlmRoberta,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Activation {
    Gelu,
    #[serde(alias = "gelu_approximate", alias = "gelu_pytorch_tanh")]
    GeluNew,
    Relu,
}

impl BertConfig {
    /// Most tokens of a text, the special ones included.
    pub(super) fn longest(&self) -> usize {
        self.max_position_embeddings.saturating_sub(self.first_position())
    }

    pub(super) fn is_roberta(&self) -> bool {
        self.model_type != ModelType::Bert
    }

    /// `RoBERTa`'s positions stand behind that of padding.
    fn first_position(&self) -> usize {
        if self.is_roberta() { self.pad_token_id + 1 } else { 0 }
    }
}

/// A text as the model sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenIds {
    /// Ids of the vocabulary.
    pub(super) ids: Vec<u32>,
    /// Which of two texts a token belongs to, in parallel.
    pub(super) kinds: Vec<u32>,
}

/// A loaded transformer.
pub(super) struct Bert {
    config: BertConfig,
    words: Vec<f32>,
    positions: Vec<f32>,
    kinds: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    /// Queries, keys and values in one product.
    attention: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    inner: Linear,
    output: Linear,
    norm: Norm,
}

/// What a classifier says about a pair of texts: one number.
pub(super) struct ClassifierHead {
    dense: Linear,
    output: Linear,
}

impl ClassifierHead {
    /// Reads the classifier behind the first token.
    ///
    /// # Errors
    /// The file has none, or one of more than one number.
    pub(super) fn load(weights: &[u8], config: &BertConfig) -> Result<Self> {
        let weights = Tensors::read(weights)?;
        let size = config.hidden_size;
        let missing = "it has no classifier of one number, so it is no cross-encoder";
        let names = if config.is_roberta() {
            ["classifier.dense", "classifier.out_proj"]
        } else {
            ["bert.pooler.dense", "classifier"]
        };
        Ok(Self {
            dense: weights.linear(names[0], size, size).context(missing)?,
            output: weights.linear(names[1], size, 1).context(missing)?,
        })
    }

    /// The number for the vector of a text's first token, before any sigmoid.
    pub(super) fn score(&self, first: &[f32]) -> f32 {
        let mut inner = vec![0.0; self.dense.outputs];
        self.dense.apply(first, &mut inner);
        for value in &mut inner {
            *value = value.tanh();
        }
        let mut score = [0.0];
        self.output.apply(&inner, &mut score);
        score[0]
    }
}

impl Bert {
    /// Reads `model.safetensors`, of 32 or 16 bits a number.
    ///
    /// # Errors
    /// It is no such file; a tensor is missing or of another shape than `config` says.
    pub(super) fn load(weights: &[u8], config: &BertConfig) -> Result<Self> {
        let weights =
            Tensors::read(weights)?.below(&["", "bert.", "roberta."], "embeddings.word_embeddings.weight");
        let size = config.hidden_size;
        ensure!(
            config.num_attention_heads > 0 && size > 0 && size.is_multiple_of(config.num_attention_heads),
            "{size} numbers a token cannot be shared by {} heads",
            config.num_attention_heads
        );
        let norm = |name: &str| weights.norm(name, size, config.layer_norm_eps);
        let table = |name: &str, rows: usize| {
            weights.tensor(&format!("embeddings.{name}_embeddings.weight"), &[rows, size])
        };
        let layers = (0..config.num_hidden_layers).map(|layer| {
            let at = format!("encoder.layer.{layer}");
            let own = |part: &str| weights.linear(&format!("{at}.attention.self.{part}"), size, size);
            Ok(Layer {
                attention: Linear::joined([own("query")?, own("key")?, own("value")?]),
                attention_output: weights.linear(&format!("{at}.attention.output.dense"), size, size)?,
                attention_norm: norm(&format!("{at}.attention.output.LayerNorm"))?,
                inner: weights.linear(&format!("{at}.intermediate.dense"), size, config.intermediate_size)?,
                output: weights.linear(&format!("{at}.output.dense"), config.intermediate_size, size)?,
                norm: norm(&format!("{at}.output.LayerNorm"))?,
            })
        });
        Ok(Self {
            words: table("word", config.vocab_size)?,
            positions: table("position", config.max_position_embeddings)?,
            kinds: table("token_type", config.type_vocab_size)?,
            norm: norm("embeddings.LayerNorm")?,
            layers: layers.collect::<Result<_>>()?,
            config: config.clone(),
        })
    }

    /// Vectors of all tokens of all texts, one text behind the other: `hidden_size` numbers a token.
    ///
    /// # Errors
    /// A token that the vocabulary does not have; a text that is longer than the model's positions.
    pub(super) fn forward(&self, texts: &[&TokenIds]) -> Result<Vec<f32>> {
        let mut hidden = self.embedded(texts)?;
        let tokens = hidden.len() / self.config.hidden_size;
        let lengths: Vec<usize> = texts.iter().map(|text| text.ids.len()).collect();
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let mut room = Scratch {
            attention: vec![0.0; tokens * 3 * self.config.hidden_size],
            seen: vec![0.0; hidden.len()],
            output: vec![0.0; hidden.len()],
            inner: vec![0.0; tokens * self.config.intermediate_size],
            scores: vec![0.0; longest * longest],
        };
        for layer in &self.layers {
            self.step(layer, &lengths, &mut hidden, &mut room);
        }
        Ok(hidden)
    }

    fn embedded(&self, texts: &[&TokenIds]) -> Result<Vec<f32>> {
        let size = self.config.hidden_size;
        let first = self.config.first_position();
        let row = |table: &[f32], place: usize| -> Option<Vec<f32>> {
            table.get(place * size..(place + 1) * size).map(<[f32]>::to_vec)
        };
        let mut hidden = Vec::with_capacity(texts.iter().map(|text| text.ids.len()).sum::<usize>() * size);
        for text in texts {
            for (place, (id, kind)) in text.ids.iter().zip(&text.kinds).enumerate() {
                let rows = row(&self.words, *id as usize)
                    .zip(row(&self.positions, first + place))
                    .zip(row(&self.kinds, *kind as usize));
                let Some(((word, position), kind)) = rows else {
                    anyhow::bail!("token {id} at place {place} is none that the model knows");
                };
                hidden.extend(word.iter().zip(&position).zip(&kind).map(|((a, b), c)| a + b + c));
            }
        }
        self.norm.apply(&mut hidden);
        Ok(hidden)
    }

    fn step(&self, layer: &Layer, lengths: &[usize], hidden: &mut [f32], room: &mut Scratch) {
        layer.attention.apply(hidden, &mut room.attention);
        self.attend(lengths, room);
        layer.attention_output.apply(&room.seen, &mut room.output);
        wide::add(hidden, &room.output);
        layer.attention_norm.apply(hidden);
        layer.inner.apply(hidden, &mut room.inner);
        match self.config.hidden_act {
            Activation::Gelu => wide::gelu(&mut room.inner),
            Activation::GeluNew => wide::gelu_by_tanh(&mut room.inner),
            Activation::Relu => wide::relu(&mut room.inner),
        }
        layer.output.apply(&room.inner, &mut room.output);
        wide::add(hidden, &room.output);
        layer.norm.apply(hidden);
    }

    /// Each token of a text looks at all tokens of its text, once a head.
    fn attend(&self, lengths: &[usize], room: &mut Scratch) {
        let size = self.config.hidden_size;
        let wide = size / self.config.num_attention_heads;
        #[expect(clippy::cast_precision_loss, reason = "heads are some hundred numbers wide")]
        let scale = 1.0 / (wide as f32).sqrt();
        let mut start = 0;
        for &length in lengths {
            for head in 0..self.config.num_attention_heads {
                let at = |part: usize| start * 3 * size + part * size + head * wide;
                let block = |part: usize| MatrixView {
                    data: room.attention.get(at(part)..).unwrap_or_default(),
                    rows: length,
                    columns: wide,
                    strides: (3 * size, 1),
                };
                let (queries, keys, values) = (block(0), block(1), block(2));
                let scores = room.scores.get_mut(..length * length).unwrap_or_default();
                multiply(scores, length, &queries, &keys.turned(), scale);
                wide::softmax(scores, length);
                let weights =
                    MatrixView { data: scores, rows: length, columns: length, strides: (length, 1) };
                let seen = room.seen.get_mut(start * size + head * wide..).unwrap_or_default();
                multiply(seen, size, &weights, &values, 1.0);
            }
            start += length;
        }
    }
}

/// What a layer writes into.
struct Scratch {
    attention: Vec<f32>,
    seen: Vec<f32>,
    output: Vec<f32>,
    inner: Vec<f32>,
    scores: Vec<f32>,
}
