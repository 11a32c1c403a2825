//! BM25 as sparse vectors, token for token those of `qdrant/bm25` for English.
//!
//! A token is a word that is no stop word, stemmed; its id is the absolute value of its 32-bit Murmur3 hash. A text's
//! weights hold term frequency and length, the store multiplies by IDF when asked.

use super::SparseVector;
use crate::language::folding::{fold, writings};
use crate::language::words::{for_each_word, is_stop_word};
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// Saturation of term frequency.
const K1: f64 = 1.2;
/// How much length counts.
const B: f64 = 0.75;

/// A text's weights. `average_length` is that of the collection's texts in tokens, a constant of the settings.
pub fn document_vector(text: &str, average_length: f32) -> SparseVector {
    let counts = token_counts(text);
    let length: f64 = counts.iter().map(|(_, count)| f64::from(*count)).sum();
    let norm = 1.0 - B + B * length / f64::from(average_length.max(1.0));
    #[expect(clippy::cast_possible_truncation, reason = "weights are stored as f32")]
    let weight = |count: u32| {
        let count = f64::from(count);
        (count * (K1 + 1.0) / K1.mul_add(norm, count)) as f32
    };
    let (indices, values) = counts.into_iter().map(|(id, count)| (id, weight(count))).unzip();
    SparseVector { indices, values }
}

/// A question's weights: 1 for each token it holds, and for each of the other ways to write it.
pub fn query_vector(text: &str) -> SparseVector {
    vector_of(&[question_tokens(text), other_tokens(text)].concat())
}

/// Weight 1 for each of these tokens.
pub fn vector_of(tokens: &[u32]) -> SparseVector {
    let mut indices = tokens.to_vec();
    indices.sort_unstable();
    indices.dedup();
    let values = vec![1.0; indices.len()];
    SparseVector { indices, values }
}

/// A question's tokens in its order, each once.
pub fn question_tokens(question: &str) -> Vec<u32> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut tokens = Vec::new();
    let mut known = FxHashSet::default();
    for_each_word(question, |word| {
        if !is_stop_word(&word) && !is_stop_word(&fold(&word)) {
            let token = token_id(&stemmer.stem(&word));
            if known.insert(token) {
                tokens.push(token);
            }
        }
    });
    tokens
}

/// The tokens of the other ways to write a question (`writings`) that hold a character which it has not, each once: 圖 書 館
/// of 图书馆, and the other way round.
pub fn other_tokens(question: &str) -> Vec<u32> {
    let stemmer = Stemmer::create(Algorithm::English);
    let own = question.to_lowercase();
    let mut tokens = Vec::new();
    let mut known = FxHashSet::default();
    for writing in writings(question) {
        for_each_word(&writing, |word| {
            if word.chars().any(|c| !own.contains(c)) && !is_stop_word(&fold(&word)) {
                let token = token_id(&stemmer.stem(&word));
                if known.insert(token) {
                    tokens.push(token);
                }
            }
        });
    }
    tokens
}

/// A token's weight in a text as a share of the most that it can be: from 0 to 1.
pub fn saturation(weight: f32) -> f64 {
    saturated(f64::from(weight))
}

/// A BM25 score as a share of what it can be where every token is at its most; times the inverse document frequencies of all
/// tokens.
pub fn saturated(score: f64) -> f64 {
    score / (K1 + 1.0)
}

/// How often each token stands in a text, sorted by id; tokens that share an id count as one.
fn token_counts(text: &str) -> Vec<(u32, u32)> {
    let mut word_counts: FxHashMap<Cow<'_, str>, u32> = FxHashMap::default();
    for_each_word(text, |word| *word_counts.entry(word).or_default() += 1);
    let stemmer = Stemmer::create(Algorithm::English);
    let mut counts: Vec<(u32, u32)> = word_counts
        .iter()
        .filter(|(word, _)| !is_stop_word(word))
        .map(|(word, count)| (token_id(&stemmer.stem(word)), *count))
        .collect();
    counts.sort_unstable();
    counts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    counts
}

fn token_id(token: &str) -> u32 {
    murmur3_32(token.as_bytes()).cast_signed().unsigned_abs()
}

/// Murmur3, 32 bits, seed 0 (Austin Appleby's `MurmurHash3_x86_32`).
fn murmur3_32(bytes: &[u8]) -> u32 {
    let scramble = |block: u32| block.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let (blocks, tail) = bytes.as_chunks::<4>();
    let mut hash = blocks.iter().fold(0_u32, |hash, block| {
        (hash ^ scramble(u32::from_le_bytes(*block)))
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64)
    });
    hash ^= scramble(tail.iter().rev().fold(0, |block, byte| block << 8 | u32::from(*byte)));
    #[expect(clippy::cast_possible_truncation, reason = "the hash takes the length modulo 2^32")]
    let length = bytes.len() as u32;
    hash ^= length;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Reference {
        average_length: f32,
        text: String,
        indices: Vec<u32>,
        values: Vec<f32>,
        query_indices: Vec<u32>,
    }

    #[test]
    fn ids_are_murmur3() {
        assert_eq!(token_id("hello"), 613_153_351);
        for (word, hash) in [("", 0), ("a", 0x3c25_69b2), ("abc", 0xb3dd_93fa), ("hello, world", 0x149b_bb7f)]
        {
            assert_eq!(murmur3_32(word.as_bytes()), hash, "{word}");
        }
    }

    /// The fixture is the real engine's (`tests/fixtures/bm25/make.py`).
    #[test]
    fn vectors_are_those_of_the_engine() {
        let references: Vec<Reference> =
            serde_json::from_str(include_str!("../../../tests/fixtures/bm25/reference.json")).unwrap();
        assert!(references.len() > 50);
        for reference in references {
            let vector = document_vector(&reference.text, reference.average_length);
            assert_eq!(vector.indices, reference.indices, "{}", reference.text);
            assert_eq!(vector.values, reference.values, "{}", reference.text);
            let query = query_vector(&reference.text);
            assert_eq!(query.indices, reference.query_indices, "{}", reference.text);
            assert_eq!(query.values, vec![1.0; query.indices.len()]);
        }
    }

    #[test]
    fn tokens_of_a_question_come_once_in_its_order() {
        assert_eq!(question_tokens("Hello, the world says hello!"), ["hello", "world", "say"].map(token_id));
    }

    #[test]
    fn a_saturation_is_at_most_one() {
        let often = document_vector(&"marley ".repeat(500), 500.0);
        let once = document_vector("marley", 500.0);
        let [often, once] = [often, once].map(|vector| saturation(vector.values[0]));
        assert!(often > 0.99 && often < 1.0 && once > 0.5 && once < often, "{often} {once}");
    }

    #[test]
    fn a_text_without_tokens_has_an_empty_vector() {
        for text in ["", "the of and", "？！", "的 了"] {
            assert_eq!(document_vector(text, 256.0), SparseVector::default(), "{text}");
            assert_eq!(query_vector(text), SparseVector::default(), "{text}");
        }
    }

    #[test]
    fn a_question_finds_what_is_written_in_the_other_script_or_width() {
        let shared = |question: &str, text: &str| {
            let (question, text) = (query_vector(question), document_vector(text, 256.0));
            question.indices.iter().filter(|id| text.indices.contains(id)).count()
        };
        assert!(shared("图书馆什么时候开放？", "圖書館於九時開放。") > 3);
        assert!(shared("圖書館什麼時候開放？", "图书馆九点开放。") > 2);
        assert!(shared("2400瓶", "每小时２４００瓶。") > 1 && shared("２４００瓶", "每小时2400瓶。") > 1);
        assert!(shared("HJ机", "ＨＪ－２００型机") > 1 && shared("ＨＪ机", "HJ-200型机") > 1);
        // what both scripts share is looked for as it is written
        assert!(other_tokens("老人与海").iter().all(|token| !question_tokens("老 人 海").contains(token)));
        for plain in ["Who was Jacob Marley in 1843?", "一二三"] {
            assert!(other_tokens(plain).is_empty(), "{plain}");
        }
    }

    #[test]
    fn a_chinese_question_shares_tokens_with_its_answer() {
        let question = query_vector("刘备、关羽、张飞是什么关系？");
        let answer = document_vector("刘备与关羽、张飞在桃园结为兄弟。", 256.0);
        let shared = question.indices.iter().filter(|id| answer.indices.contains(id)).count();
        assert_eq!(shared, 3);
    }
}
