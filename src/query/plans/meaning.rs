//! Types of relationships that mean what a question's wording means, by their vectors.
//!
//! How near is near differs from model to model. It is measured with the model that is there: of the relations that
//! `language/vocabulary` knows, wordings of two different ones are hardly ever as near each other as what is taken. A model
//! that does not tell its own relations apart is not asked.

use super::wording::Wording;
use crate::language::vocabulary::relations::{RELATIONS, RelationWordings};
use crate::language::words::is_han;
use crate::llm::{EmbeddingModel, EmbeddingPurpose, ModelError};
use crate::stores::vectors::cosine;
use std::collections::BTreeSet;

/// Types of relationships that are looked at.
pub const MOST_KINDS: usize = 200;
/// Those of them that are taken.
const MOST_TAKEN: usize = 8;
/// Wordings of a relation and script that are measured with.
const MEASURED: usize = 3;
/// Thousandths of the pairs of different relations that are less near than what is taken.
const APART: usize = 995;
/// Share of pairs of one relation that must be nearer, or the model does not know what wordings mean.
const TOGETHER: f64 = 0.1;

/// Types of relationships near a wording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimilarTypes {
    /// The types, nearest first.
    pub kinds: Vec<String>,
    /// The cosine above which they are taken.
    pub above: f64,
}

/// The types among `kinds` that mean what the wording means and do not say it in words that are known.
///
/// # Errors
/// What the model says.
pub async fn near(
    model: &dyn EmbeddingModel,
    wording: &Wording,
    kinds: &[String],
) -> Result<SimilarTypes, ModelError> {
    let han = is_chinese(&wording.written);
    let kinds: Vec<&String> =
        kinds.iter().filter(|kind| wording.fits(kind).is_none()).take(MOST_KINDS).collect();
    if kinds.is_empty() {
        return Ok(SimilarTypes::default());
    }
    let scripts: BTreeSet<bool> = kinds.iter().map(|kind| is_chinese(kind)).chain([han]).collect();
    let sample: Vec<(usize, bool, &str)> = scripts.iter().flat_map(|han| sample(*han)).collect();
    let texts: Vec<String> = std::iter::once(wording.written.clone())
        .chain(kinds.iter().map(|kind| (*kind).clone()))
        .chain(sample.iter().map(|(_, _, text)| (*text).to_owned()))
        .collect();
    let vectors = model.embed(&texts, EmbeddingPurpose::Query).await?;
    let (Some((asked, rest)), true) = (vectors.split_first(), vectors.len() == texts.len()) else {
        return Ok(SimilarTypes::default());
    };
    let (of_kinds, of_sample) = rest.split_at(kinds.len());
    let sample: Vec<EmbeddedWording<'_>> = sample
        .into_iter()
        .zip(of_sample)
        .map(|((relation, han, _), vector)| EmbeddedWording { relation, han, vector })
        .collect();
    let mut found: Vec<(f64, &String)> = Vec::new();
    let mut above: f64 = 1.0;
    for other in scripts {
        let Some(threshold) = threshold(&sample, han, other) else { continue };
        let of_script = kinds.iter().zip(of_kinds).filter(|(kind, _)| is_chinese(kind) == other);
        let near = of_script.map(|(kind, vector)| (cosine(asked, vector), *kind));
        let near: Vec<(f64, &String)> = near.filter(|(cosine, _)| *cosine > threshold).collect();
        if !near.is_empty() {
            above = above.min(threshold);
        }
        found.extend(near);
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    Ok(SimilarTypes {
        kinds: found.into_iter().take(MOST_TAKEN).map(|(_, kind)| kind.clone()).collect(),
        above,
    })
}

/// A wording of the vocabulary with its vector.
struct EmbeddedWording<'a> {
    relation: usize,
    han: bool,
    vector: &'a [f32],
}

/// Wordings that the relations of the vocabulary begin with, in one script.
fn sample(han: bool) -> Vec<(usize, bool, &'static str)> {
    let of = |(place, relation): (usize, &'static RelationWordings)| {
        let words = relation.words.iter().filter(move |word| is_chinese(word) == han);
        words.take(MEASURED).map(move |word| (place, han, *word))
    };
    RELATIONS.iter().enumerate().flat_map(of).collect()
}

/// The cosine that wordings of different relations hardly ever reach; none where those of one relation hardly do either.
fn threshold(sample: &[EmbeddedWording<'_>], one: bool, other: bool) -> Option<f64> {
    let (mut same, mut different) = (Vec::new(), Vec::new());
    for (place, left) in sample.iter().enumerate().filter(|(_, left)| left.han == one) {
        let right = sample
            .iter()
            .enumerate()
            .filter(|(at, right)| right.han == other && (one != other || *at > place));
        for (_, right) in right {
            let cosine = cosine(left.vector, right.vector);
            if left.relation == right.relation { same.push(cosine) } else { different.push(cosine) }
        }
    }
    different.sort_by(f64::total_cmp);
    let last = different.len().checked_sub(1)?;
    let threshold = different.get((last * APART).div_ceil(1000)).copied()?;
    let reached = same.iter().filter(|cosine| **cosine > threshold).count();
    (reached as f64 >= TOGETHER * same.len() as f64 && reached > 0).then_some(threshold)
}

fn is_chinese(text: &str) -> bool {
    text.chars().any(is_han)
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;

    /// Vectors by the relation that a text is of: one axis each, and a little of an axis of its own.
    struct Axes {
        /// Whether wordings of one relation have anything in common.
        knows: bool,
    }

    #[async_trait]
    impl EmbeddingModel for Axes {
        fn name(&self) -> String {
            "axes".to_owned()
        }

        fn dimension(&self) -> usize {
            1000
        }

        async fn embed(&self, texts: &[String], _: EmbeddingPurpose) -> Result<Vec<Vec<f32>>, ModelError> {
            let of = |(place, text): (usize, &String)| {
                let mut vector = vec![0.0; 1000];
                let relation = match text.as_str() {
                    "snap up" | "gobbled" => Some(0),
                    "is fond of" => None,
                    text => RELATIONS.iter().position(|relation| relation.words.contains(&text)),
                };
                match relation.filter(|_| self.knows) {
                    Some(relation) => vector[relation] = 2.0,
                    None => vector[999] = 1.0,
                }
                vector[200 + place] = 1.0;
                vector
            };
            Ok(texts.iter().enumerate().map(of).collect())
        }
    }

    async fn kinds(knows: bool, written: &str) -> Vec<String> {
        let kinds = ["gobbled", "is fond of", "works for", "acquired"].map(str::to_owned);
        near(&Axes { knows }, &Wording::read(written), &kinds).await.unwrap().kinds
    }

    #[tokio::test]
    async fn a_type_that_means_the_same_is_taken_where_the_model_tells_relations_apart() {
        assert_eq!(kinds(true, "snap up").await, ["gobbled"]);
        // what words find already is not asked for again
        assert_eq!(kinds(true, "buy").await, ["gobbled"]);
        assert_eq!(kinds(false, "snap up").await, Vec::<String>::new());
    }
}
