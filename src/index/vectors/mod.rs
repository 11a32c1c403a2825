//! Vectors follow the graph: what is pending is embedded and put into the vector store, what is gone is taken out
//! of it (design 8).

pub mod structure;

use crate::domain::{Id, fingerprint};
use crate::llm::{EmbeddingModel, EmbeddingPurpose, ModelError, side_by_side};
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::graph::{PendingVector, VectorKind};
use crate::stores::vectors::{Payload, Point, bm25};
use anyhow::{Context, Result};
use fail::fail_point;
use std::collections::BTreeMap;

/// Nodes embedded up to date at once.
const BATCH: usize = 512;

/// Brings the vector store up to the graph. Returns how many points were written.
///
/// # Errors
/// What the stores or the embedding model say; what was acknowledged stays done.
pub async fn sync(services: &Services, progress: &Progress) -> Result<u64> {
    Ok(embed_all_pending(services, &BTreeMap::new(), progress).await?.0)
}

/// As [`sync`], of one kind.
///
/// # Errors
/// As [`sync`].
pub async fn sync_kind(services: &Services, kind: VectorKind, progress: &Progress) -> Result<u64> {
    Ok(embed_pending(services, kind, &BTreeMap::new(), progress).await?.0)
}

/// What was written; where there is no key to ask the embedding model with, that is said and the vectors stay pending: the
/// next run with one makes them.
///
/// # Errors
/// Any other error of `done`.
pub fn left_pending(done: Result<u64>, progress: &Progress) -> Result<u64> {
    left_after(done, |error| matches!(error, ModelError::NoKey(_)), progress)
}

/// As [`left_pending`], whatever is wrong with the embedding model.
///
/// # Errors
/// Those that are not a model's.
pub fn left_waiting(done: Result<u64>, progress: &Progress) -> Result<u64> {
    left_after(done, |_| true, progress)
}

fn left_after(
    done: Result<u64>,
    is_passed_over: impl Fn(&ModelError) -> bool,
    progress: &Progress,
) -> Result<u64> {
    let is_of_model = |error: &anyhow::Error| {
        error.chain().any(|cause| cause.downcast_ref::<ModelError>().is_some_and(&is_passed_over))
    };
    match done {
        Err(error) if is_of_model(&error) => {
            progress.note(&format!("vectors wait for the embedding model: {}", error.root_cause()));
            Ok(0)
        }
        done => done,
    }
}

/// Brings nodes of one kind up to date beside a stage that does not change their texts, so that nobody waits for the
/// calls later. What fails stays pending: [`sync`] tries again and says why.
pub(super) async fn embed_early(services: &Services, kind: VectorKind, progress: &Progress) -> u64 {
    embed_pending(services, kind, &BTreeMap::new(), progress).await.map_or_else(
        |error| {
            tracing::debug!(%error, kind = label(kind), "left pending");
            0
        },
        |(written, _)| written,
    )
}

/// As [`sync`], with these dense vectors for the nodes that have one here. Returns how many of them were used.
///
/// # Errors
/// As [`sync`].
pub async fn sync_given(
    services: &Services,
    given: &BTreeMap<Id, Vec<f32>>,
    progress: &Progress,
) -> Result<u64> {
    if given.is_empty() {
        return Ok(0);
    }
    Ok(embed_all_pending(services, given, progress).await?.1)
}

/// Returns how many points were written, and how many of them have a given vector.
async fn embed_all_pending(
    services: &Services,
    given: &BTreeMap<Id, Vec<f32>>,
    progress: &Progress,
) -> Result<(u64, u64)> {
    let (mut written, mut used) = (0, 0);
    for kind in services.graph.kinds_with_vector_work().await? {
        let embedded = embed_pending(services, kind, given, progress).await?;
        written += embedded.0;
        used += embedded.1;
        if progress.stop_requested() {
            break;
        }
    }
    Ok((written, used))
}

/// As [`embed_all_pending`], of one kind.
async fn embed_pending(
    services: &Services,
    kind: VectorKind,
    given: &BTreeMap<Id, Vec<f32>>,
    progress: &Progress,
) -> Result<(u64, u64)> {
    let (mut written, mut used) = (delete_removed(services, kind).await?, 0);
    let stage = progress.stage(label(kind), 0);
    loop {
        let pending = services.graph.pending_vectors(kind, BATCH).await?;
        if pending.is_empty() {
            return Ok((written, used));
        }
        let count = pending.len() as u64;
        used += pending.iter().filter(|node| given.contains_key(&node.id)).count() as u64;
        bring(services, kind, pending, given).await?;
        written += count;
        stage.advance(count);
        if progress.stop_requested() {
            return Ok((written, used));
        }
    }
}

/// What decides the vectors of a workspace besides the texts: BM25 constants and the embedding model.
pub fn settings(services: &Services) -> String {
    let dense = services.embedding.as_ref().map_or_else(
        || "none".to_owned(),
        |model| match model.dimension() {
            0 => format!("{} (length unknown)", model.name()),
            length => format!("{} ({length})", model.name()),
        },
    );
    let mirrored = if services.config.graph.mirror_vectors { ", mirrored" } else { "" };
    format!("bm25 average length {}, dense {dense}{mirrored}", services.config.vectors.average_length)
}

/// What the payload of vectors says, by its version: from 2 on where in its file a text unit stands.
pub const PAYLOAD: &str = "2";

/// Fingerprint of what a node's vectors are made from.
pub fn fingerprint_of(settings: &str, text: &str) -> String {
    fingerprint(&[settings, text])
}

/// What progress calls a kind.
pub(super) fn label(kind: VectorKind) -> &'static str {
    match kind {
        VectorKind::Entities => "vectors of entities",
        VectorKind::TextUnits => "vectors of text units",
        VectorKind::Reports => "vectors of reports",
        VectorKind::Summaries => "vectors of summaries",
        VectorKind::Questions => "vectors of questions",
    }
}

async fn delete_removed(services: &Services, kind: VectorKind) -> Result<u64> {
    let mut forgotten = 0;
    loop {
        let gone = services.graph.tombstones(kind, BATCH).await?;
        if gone.is_empty() {
            return Ok(forgotten);
        }
        services.vectors.delete(kind, &gone).await?;
        fail_point!("vectors-forgotten");
        services.graph.clear_tombstones(kind, &gone).await?;
        fail_point!("tombstones-cleared");
        forgotten += gone.len() as u64;
    }
}

pub(crate) async fn bring(
    services: &Services,
    kind: VectorKind,
    pending: Vec<PendingVector>,
    given: &BTreeMap<Id, Vec<f32>>,
) -> Result<()> {
    let dense = match &services.embedding {
        Some(model) => Some(embed_new(model.as_ref(), &services.config.embeddings, &pending, given).await?),
        None => None,
    };
    write(services, kind, pending, dense).await
}

/// Writes pending nodes whose dense vectors are known, in parallel, and acknowledges them.
pub(super) async fn write(
    services: &Services,
    kind: VectorKind,
    pending: Vec<PendingVector>,
    dense: Option<Vec<Vec<f32>>>,
) -> Result<()> {
    let settings = settings(services);
    let average_length = services.config.vectors.average_length;
    let (points, done) =
        tokio::task::spawn_blocking(move || points(pending, dense, &settings, average_length))
            .await
            .context("making vectors ended early")?;
    fail_point!("vectors-unwritten");
    services.vectors.upsert(kind, &points).await?;
    fail_point!("vectors-written");
    if services.config.graph.mirror_vectors {
        let dense = points.into_iter().filter_map(|point| Some((point.id, point.dense?)));
        services.graph.mirror_vectors(kind, &dense.collect::<Vec<_>>()).await?;
    }
    services.graph.acknowledge_vectors(kind, &done).await?;
    fail_point!("vectors-acknowledged");
    Ok(())
}

fn points(
    pending: Vec<PendingVector>,
    dense: Option<Vec<Vec<f32>>>,
    settings: &str,
    average_length: f32,
) -> (Vec<Point>, Vec<(Id, String)>) {
    use rayon::prelude::*;
    let mut dense: Vec<Option<Vec<f32>>> =
        dense.map_or_else(|| vec![None; pending.len()], |vectors| vectors.into_iter().map(Some).collect());
    dense.resize(pending.len(), None);
    let done = pending.iter().map(|p| (p.id.clone(), fingerprint_of(settings, &p.text))).collect();
    let points = pending
        .into_par_iter()
        .zip(dense)
        .map(|(node, dense)| Point {
            sparse: bm25::document_vector(&node.text, average_length),
            dense,
            payload: Payload {
                document_id: node.document_id,
                kind: node.kind,
                level: node.level,
                place: node.place,
            },
            id: node.id,
        })
        .collect();
    (points, done)
}

/// The vectors of pending nodes, in order; only what is not given is embedded.
async fn embed_new(
    model: &dyn EmbeddingModel,
    config: &crate::config::EmbeddingsConfig,
    pending: &[PendingVector],
    given: &BTreeMap<Id, Vec<f32>>,
) -> Result<Vec<Vec<f32>>> {
    let missing: Vec<String> =
        pending.iter().filter(|node| !given.contains_key(&node.id)).map(|node| node.text.clone()).collect();
    let mut embedded = embed(model, config, missing).await?.into_iter();
    let all = pending.iter().map(|node| given.get(&node.id).cloned().or_else(|| embedded.next()));
    all.collect::<Option<Vec<_>>>().context("the embedding model gave fewer vectors than texts")
}

/// The vectors of texts, in order.
pub(super) async fn embed(
    model: &dyn EmbeddingModel,
    config: &crate::config::EmbeddingsConfig,
    texts: Vec<String>,
) -> Result<Vec<Vec<f32>>> {
    let size = model.batch_size().unwrap_or(config.batch_size).max(1);
    // texts of like length together, so that no model pads much
    let mut order: Vec<(usize, String)> = texts.into_iter().enumerate().collect();
    order.sort_by_key(|(place, text)| (text.len(), *place));
    let places: Vec<usize> = order.iter().map(|(place, _)| *place).collect();
    let batches: Vec<Vec<String>> =
        order.chunks(size).map(|batch| batch.iter().map(|(_, text)| text.clone()).collect()).collect();
    let work =
        batches.into_iter().map(|batch| async move { model.embed(&batch, EmbeddingPurpose::Document).await });
    let vectors = side_by_side(work, config.concurrency).await.context("while embedding texts")?;
    let vectors: Vec<Vec<f32>> = vectors.into_iter().flatten().collect();
    anyhow::ensure!(
        vectors.len() == places.len(),
        "the embedding model gave {} vectors for {} texts",
        vectors.len(),
        places.len()
    );
    let mut in_order: Vec<(usize, Vec<f32>)> = places.into_iter().zip(vectors).collect();
    in_order.sort_by_key(|(place, _)| *place);
    Ok(in_order.into_iter().map(|(_, vector)| vector).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_wait_for_a_key_and_for_nothing_else() {
        let progress = Progress::silent();
        let lacking =
            anyhow::Error::from(ModelError::NoKey("no API key".into())).context("while embedding texts");
        assert_eq!(left_pending(Err(lacking), &progress).unwrap(), 0);
        assert_eq!(left_pending(Ok(3), &progress).unwrap(), 3);
        let spent =
            || anyhow::Error::from(ModelError::Budget("spent".into())).context("while embedding texts");
        assert!(left_pending(Err(spent()), &progress).is_err());
        assert_eq!(left_waiting(Err(spent()), &progress).unwrap(), 0);
        assert_eq!(left_waiting(Ok(3), &progress).unwrap(), 3);
        assert!(left_waiting(Err(anyhow::anyhow!("the disk is full")), &progress).is_err());
    }
}
