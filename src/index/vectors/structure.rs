//! Structural vectors of entities: Node2Vec over the relationships, a function of the graph alone. They are made where
//! local search uses them (`[search] structure_weight`).

use crate::domain::{Id, fingerprint};
use crate::index::settings;
use crate::numeric::node2vec::{Node2VecSettings, WalkGraph, node2vec};
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::graph::EdgeList;
use anyhow::{Context, Result};
use std::fmt::Write;

/// Changes when other vectors are made of the same graph.
const FORMAT: &str = "1";

/// Brings the structural vectors to what the graph says, all anew where it has changed; takes them away where they are
/// not used.
///
/// # Errors
/// What the stores say.
pub(in crate::index) async fn build(services: &Services, progress: &Progress) -> Result<()> {
    let mut stored_settings = services.graph.state().await?.settings;
    if services.config.search.structure_weight <= 0.0 {
        if stored_settings.remove(settings::STRUCTURE).is_some() {
            services.vectors.save_structure(&[]).await?;
            services.graph.save_settings(&stored_settings).await?;
        }
        return Ok(());
    }
    let list = services.graph.edge_list().await?;
    let stamp = fingerprint_edges(&list);
    let stored = services.vectors.structure_count().await?;
    if stored_settings.get(settings::STRUCTURE) == Some(&stamp) && stored == connected(&list) {
        return Ok(());
    }
    let stage = progress.stage("structural vectors", list.ids.len() as u64);
    let count = list.ids.len() as u64;
    let vectors = tokio::task::spawn_blocking(move || vectors(list))
        .await
        .context("making structural vectors ended early")??;
    stage.advance(count);
    // the stamp last: vectors without it are made again
    services.vectors.save_structure(&vectors).await?;
    stored_settings.insert(settings::STRUCTURE.to_owned(), stamp);
    services.graph.save_settings(&stored_settings).await?;
    Ok(())
}

fn fingerprint_edges(list: &EdgeList) -> String {
    let mut text = String::new();
    for id in &list.ids {
        text.push_str(id.as_str());
        text.push(' ');
    }
    for (low, high, weight, _) in &list.edges {
        // writing to a string does not fail
        let _ = write!(text, "{low} {high} {weight};");
    }
    fingerprint(&[FORMAT, &text])
}

/// Number of entities that have a relationship.
fn connected(list: &EdgeList) -> u64 {
    let mut has = vec![false; list.ids.len()];
    for &(low, high, ..) in list.edges.iter().filter(|(low, high, ..)| low != high) {
        for end in [low, high] {
            if let Some(slot) = has.get_mut(end as usize) {
                *slot = true;
            }
        }
    }
    has.into_iter().filter(|has| *has).count() as u64
}

/// The vectors of the entities that have a relationship.
fn vectors(list: EdgeList) -> Result<Vec<(Id, Vec<f32>)>> {
    let edges: Vec<(u32, u32, f64)> =
        list.edges.iter().map(|&(low, high, weight, _)| (low, high, f64::from(weight.max(1)))).collect();
    let graph = WalkGraph::new(list.ids.len(), &edges)?;
    let learned = node2vec(&graph, &Node2VecSettings::default())?;
    let with_place = list.ids.into_iter().enumerate();
    Ok(with_place
        .filter(|(place, _)| !graph.neighbours(*place).is_empty())
        .map(|(place, id)| (id, learned.row(place).to_vec()))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    #[test]
    fn entities_without_relationships_have_no_vector_and_any_change_is_told() {
        let ids = Ids::new("w");
        let mut all: Vec<Id> = ["a", "b", "c", "d"].map(|name| ids.entity(name)).into();
        all.sort();
        let list = EdgeList {
            ids: all.clone(),
            edges: vec![(0, 1, 2, 3), (1, 2, 1, 1), (3, 3, 1, 1)],
            ..EdgeList::default()
        };
        assert_eq!(connected(&list), 3);
        let made = vectors(list.clone()).unwrap();
        assert_eq!(made.iter().map(|(id, _)| id).collect::<Vec<_>>(), all[..3].iter().collect::<Vec<_>>());
        assert_eq!(made, vectors(list.clone()).unwrap());
        let mut heavier = list.clone();
        heavier.edges[0].2 = 3;
        assert_ne!(fingerprint_edges(&heavier), fingerprint_edges(&list));
    }
}
