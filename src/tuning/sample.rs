//! Which passages are looked at, and which are held back to measure on: spread over the corpus, told with their method.

use crate::index::passages::UnitPassage;
use crate::language::{is_stop_word, words};
use crate::llm::{EmbeddingModel, EmbeddingPurpose};
use crate::progress::Progress;
use anyhow::{Result, ensure};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Passages that a sample is chosen from.
const CHOOSE_FROM: usize = 400;
/// Rounds in which centres settle.
const ROUNDS: usize = 12;
/// Tokens below which a passage says too little.
const LEAST_TOKENS: u32 = 40;

/// How a sample was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Taken {
    /// Documents of the corpus.
    pub documents: usize,
    /// Text units of the corpus.
    pub text_units: usize,
    /// Text units that the sample was chosen from.
    pub chosen_from: usize,
    /// Text units that were looked at.
    pub looked_at: usize,
    /// Text units that were held back, to measure on.
    pub held_back: usize,
    /// Text units that questions were made of, which nothing else sees.
    pub kept_for_questions: usize,
    /// How they were chosen.
    pub method: String,
}

/// A sample in three parts that share no passage.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// What is looked at.
    pub seen: Vec<UnitPassage>,
    /// What is measured on.
    pub held_back: Vec<UnitPassage>,
    /// What questions are made of.
    pub for_questions: Vec<UnitPassage>,
    /// How it was taken.
    pub taken: Taken,
}

/// How many passages each part is to have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// To be looked at, and as many to measure on.
    pub sample: usize,
    /// To make questions of.
    pub for_questions: usize,
}

/// What a sample is chosen from, embedded once where there is a model for it.
#[derive(Clone, Debug)]
pub struct SampleChoice<'a> {
    from: Vec<&'a UnitPassage>,
    /// One of unit length for each.
    rows: Option<Vec<Vec<f32>>>,
}

/// Chooses the passages that a sample is taken from.
///
/// # Errors
/// The embedding model's; a stop.
pub async fn choose<'a>(
    passages: &[&'a UnitPassage],
    embedding: Option<&dyn EmbeddingModel>,
    progress: &Progress,
) -> Result<SampleChoice<'a>> {
    let mut from: Vec<&UnitPassage> =
        passages.iter().copied().filter(|passage| passage.unit.token_count >= LEAST_TOKENS).collect();
    if from.len() < 4 {
        from = passages.to_vec();
    }
    // ids are hashes: the smallest are a fair mixture
    from.sort_by(|a, b| a.unit.id.cmp(&b.unit.id));
    from.truncate(CHOOSE_FROM);
    let Some(model) = embedding else { return Ok(SampleChoice { from, rows: None }) };
    let stage = progress.stage("vectors of passages", from.len() as u64);
    let texts: Vec<String> = from.iter().map(|passage| passage.unit.text.clone()).collect();
    let mut rows = Vec::with_capacity(texts.len());
    for batch in texts.chunks(model.batch_size().unwrap_or(32).max(1)) {
        ensure!(!progress.stop_requested(), "stopped; run the same command again");
        rows.extend(model.embed(batch, EmbeddingPurpose::Document).await?);
        stage.advance(batch.len() as u64);
    }
    Ok(SampleChoice { from, rows: Some(rows) })
}

/// Takes a sample: nearest to the centres of clusters where there are embeddings, else by the words that are not yet in
/// it, documents in turn. What is chosen first is the most typical; it goes to the parts in turn.
pub fn take(choice: &SampleChoice<'_>, sizes: Sizes) -> Sample {
    let from = &choice.from;
    let wanted = (2 * sizes.sample + sizes.for_questions).min(from.len());
    let (order, method) = match &choice.rows {
        Some(rows) => {
            (nearest_to_centres(rows, wanted), "nearest to the centres of clusters of their embeddings")
        }
        None => (spread(from, wanted), "spread by their words over documents and text"),
    };
    let mut sample = Sample::default();
    for (turn, place) in order.into_iter().enumerate() {
        let Some(&passage) = from.get(place) else { continue };
        let questions = sample.for_questions.len() < sizes.for_questions && turn % 3 == 2;
        let part = if questions {
            &mut sample.for_questions
        } else if sample.seen.len() <= sample.held_back.len() {
            &mut sample.seen
        } else {
            &mut sample.held_back
        };
        part.push(passage.clone());
    }
    sample.taken = Taken {
        chosen_from: from.len(),
        looked_at: sample.seen.len(),
        held_back: sample.held_back.len(),
        kept_for_questions: sample.for_questions.len(),
        method: method.to_owned(),
        ..Taken::default()
    };
    sample
}

/// Passages in the order in which each adds most: words of several passages that no chosen one has, counted by how many
/// passages have them, for its length; passages of a document that has been taken from count less, and the neighbours of
/// a chosen one hardly at all, for they share sentences.
fn spread(from: &[&UnitPassage], wanted: usize) -> Vec<usize> {
    let bags: Vec<BTreeSet<String>> = from
        .iter()
        .map(|passage| {
            let words = words(&passage.unit.text).into_iter().map(|word| word.to_lowercase());
            words.filter(|word| !is_stop_word(word) && !word.chars().all(char::is_numeric)).collect()
        })
        .collect();
    let mut frequency: BTreeMap<&str, usize> = BTreeMap::new();
    for word in bags.iter().flatten() {
        *frequency.entry(word).or_default() += 1;
    }
    let worth = |word: &str| match frequency.get(word) {
        Some(&count) if count > 1 => (1.0 + count as f64).ln(),
        _ => 0.0,
    };
    let (mut chosen, mut covered): (Vec<usize>, BTreeSet<&str>) = (Vec::new(), BTreeSet::new());
    let mut of_document: BTreeMap<&str, usize> = BTreeMap::new();
    while chosen.len() < wanted {
        let best = (0..from.len())
            .filter(|place| !chosen.contains(place))
            .filter_map(|place| {
                let (passage, bag) = (from.get(place)?, bags.get(place)?);
                let fresh: f64 =
                    bag.iter().filter(|word| !covered.contains(word.as_str())).map(|word| worth(word)).sum();
                let taken = of_document.get(passage.document.as_str()).copied().unwrap_or(0);
                let beside = chosen.iter().filter_map(|other| from.get(*other)).any(|other| {
                    other.document == passage.document && other.unit.index.abs_diff(passage.unit.index) <= 1
                });
                let score = (fresh + 0.01) / (1.0 + bag.len() as f64).sqrt() / (1.0 + taken as f64);
                Some((place, if beside { score * 0.01 } else { score }))
            })
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let Some((place, _)) = best else { break };
        if let (Some(passage), Some(bag)) = (from.get(place), bags.get(place)) {
            *of_document.entry(&passage.document).or_default() += 1;
            covered.extend(bag.iter().map(String::as_str));
        }
        chosen.push(place);
    }
    chosen
}

/// For each of so many clusters (Lloyd's algorithm, begun from rows that are far apart) the row nearest to its centre,
/// large clusters first.
fn nearest_to_centres(rows: &[Vec<f32>], wanted: usize) -> Vec<usize> {
    let apart = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(x, y)| f64::from(x - y) * f64::from(x - y)).sum()
    };
    let Some(first) = rows.first() else { return Vec::new() };
    let mut centres: Vec<Vec<f32>> = vec![first.clone()];
    let mut distance: Vec<f64> = rows.iter().map(|row| apart(row, first)).collect();
    while centres.len() < wanted {
        let Some((far, _)) = distance.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)) else { break };
        let Some(row) = rows.get(far) else { break };
        for (known, other) in distance.iter_mut().zip(rows) {
            *known = known.min(apart(other, row));
        }
        centres.push(row.clone());
    }
    let nearest = |row: &[f32], centres: &[Vec<f32>]| {
        let places = centres.iter().enumerate().map(|(place, centre)| (place, apart(row, centre)));
        places.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(place, _)| place)
    };
    for _ in 0..ROUNDS {
        let mut sums: Vec<(Vec<f32>, f32)> = vec![(vec![0.0; first.len()], 0.0); centres.len()];
        for row in rows {
            if let Some((sum, count)) = sums.get_mut(nearest(row, &centres)) {
                *count += 1.0;
                sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            }
        }
        for (centre, (sum, count)) in centres.iter_mut().zip(sums) {
            if count > 0.0 {
                *centre = sum.into_iter().map(|value| value / count).collect();
            }
        }
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); centres.len()];
    for (place, row) in rows.iter().enumerate() {
        if let Some(list) = members.get_mut(nearest(row, &centres)) {
            list.push(place);
        }
    }
    let mut chosen: Vec<(usize, usize)> = Vec::new();
    for (centre, list) in centres.iter().zip(&members) {
        let row = |place: usize| rows.get(place).map_or(f64::MAX, |row| apart(row, centre));
        if let Some(&best) = list.iter().min_by(|a, b| row(**a).total_cmp(&row(**b))) {
            chosen.push((list.len(), best));
        }
    }
    chosen.sort_by_key(|(size, place)| (std::cmp::Reverse(*size), *place));
    chosen.into_iter().map(|(_, place)| place).collect()
}

/// A passage of a made-up document.
#[cfg(test)]
pub(super) fn passage(document: &str, index: u32, text: &str) -> UnitPassage {
    let ids = crate::domain::Ids::new("w");
    let document_id = ids.document(document);
    let unit = crate::domain::TextUnit {
        id: ids.text_unit(&document_id, text, index),
        document_id,
        index,
        text: text.to_owned(),
        token_count: 50,
        start_offset: 0,
        end_offset: text.chars().count() as u64,
        headings: Vec::new(),
        sections: None,
        locators: Vec::new(),
        header: String::new(),
        period: None,
    };
    UnitPassage { document: document.to_owned(), title: document.to_owned(), unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn parts_share_no_passage_and_every_document_has_its_turn() {
        let mut all = Vec::new();
        for document in ["a", "b", "c"] {
            for index in 0..8 {
                let text = format!("harbour ferry {document} cargo item{} shared{}", index % 4, index % 3);
                all.push(passage(document, index, &format!("{text} {index}")));
            }
        }
        let all: Vec<&UnitPassage> = all.iter().collect();
        let choice = choose(&all, None, &Progress::silent()).await.unwrap();
        let sample = take(&choice, Sizes { sample: 4, for_questions: 3 });
        assert_eq!((sample.seen.len(), sample.held_back.len(), sample.for_questions.len()), (4, 4, 3));
        let parts = [&sample.seen, &sample.held_back, &sample.for_questions];
        let ids: BTreeSet<_> = parts.iter().flat_map(|part| part.iter()).map(|p| &p.unit.id).collect();
        assert_eq!(ids.len(), 11);
        let documents: BTreeSet<_> =
            sample.seen.iter().chain(&sample.held_back).map(|p| &p.document).collect();
        assert_eq!(documents.len(), 3);
    }

    #[test]
    fn centres_are_one_of_each_cluster() {
        let rows: Vec<Vec<f32>> = vec![
            vec![0.0, 1.0],
            vec![0.1, 1.0],
            vec![-0.1, 1.0],
            vec![5.0, 0.0],
            vec![5.1, 0.0],
            vec![9.0, 9.0],
        ];
        let mut chosen = nearest_to_centres(&rows, 3);
        chosen.sort_unstable();
        assert_eq!(chosen.len(), 3);
        assert_eq!(chosen[0], 0, "the middle of the largest");
        assert_eq!(chosen[2], 5);
    }
}
