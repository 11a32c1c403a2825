//! Vectors of an index, taken over where they are those of the configured model.

use super::Index;
use crate::domain::Id;
use crate::llm::EmbeddingPurpose;
use crate::services::Services;
use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// Texts embedded to see whether the vectors are the configured model's.
const SAMPLE: usize = 3;
/// Cosine from which two vectors of one text are taken to be the same model's.
const SAME: f32 = 0.98;

/// Vectors by our ids.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) vectors: BTreeMap<Id, Vec<f32>>,
    /// Why none were taken over, where there are some.
    pub(super) note: Option<String>,
}

/// The vectors that can be used. The tables do not say which model made them: a few texts are embedded anew and
/// compared.
///
/// # Errors
/// What the embedding model says.
pub(super) async fn given(
    services: &Services,
    read: &Index,
    of_report: &BTreeMap<String, Id>,
) -> Result<Given> {
    let embeddings = &read.tables.embeddings;
    let Some(dimension) = embeddings.dimension() else { return Ok(Given::default()) };
    let refused = |why: String| Ok(Given { note: Some(why), ..Given::default() });
    let Some(model) = &services.embedding else {
        return refused(
            "its vectors were left out: no embedding model is configured ([embeddings]), so questions could not be \
             compared with them"
                .to_owned(),
        );
    };
    if model.dimension() != dimension {
        return refused(format!(
            "its vectors were left out: they have {dimension} dimensions and {} has {}; everything was embedded anew",
            model.name(),
            model.dimension()
        ));
    }
    let sample = collect_sample(read);
    let texts: Vec<String> = sample.iter().map(|(text, _)| text.clone()).collect();
    let ours = model
        .embed(&texts, EmbeddingPurpose::Document)
        .await
        .context("while comparing vectors with the configured model's")?;
    let same = !sample.is_empty()
        && sample.len() == ours.len()
        && sample.iter().zip(&ours).all(|((_, theirs), ours)| cosine(theirs, ours) >= SAME);
    if !same {
        return refused(format!(
            "its vectors were left out: they are not those of {}; everything was embedded anew",
            model.name()
        ));
    }
    let mut vectors = BTreeMap::new();
    let mut take = |id: Option<&Id>, vector: Option<&Vec<f32>>| {
        if let (Some(id), Some(vector)) = (id, vector)
            && vector.len() == dimension
        {
            vectors.insert(id.clone(), vector.clone());
        }
    };
    for (row, vector) in &embeddings.entities {
        take(read.records.entities.get(row), Some(vector));
    }
    for (row, vector) in &embeddings.reports {
        take(of_report.get(row), Some(vector));
    }
    for (unit, row) in read.placed.iter().flat_map(|placed| &placed.units) {
        let row = row.and_then(|row| read.tables.text_units.get(row));
        take(Some(&unit.id), row.and_then(|row| embeddings.text_units.get(&row.id)));
    }
    Ok(Given { vectors, note: None })
}

/// Texts as graphrag embeds them, with their vectors: of entities, else of text units.
fn collect_sample(read: &Index) -> Vec<(String, &Vec<f32>)> {
    let embeddings = &read.tables.embeddings;
    let entities = read.tables.entities.iter().filter_map(|entity| {
        Some((format!("{}:{}", entity.title, entity.description), embeddings.entities.get(&entity.id)?))
    });
    let units = read
        .tables
        .text_units
        .iter()
        .filter_map(|unit| Some((unit.text.clone(), embeddings.text_units.get(&unit.id)?)));
    entities.chain(units).take(SAMPLE).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    dot(a, b) / (dot(a, a).sqrt() * dot(b, b).sqrt()).max(f32::MIN_POSITIVE)
}
