//! Places that were found before, on disk: a graph that is the same is not laid out again at the next start.

use super::layout::lay_out;
use super::{Layout, Map, Vectors};
use crate::private;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// Folder beside the workspaces.
const FOLDER: &str = "maps";
/// Graphs whose places a file holds: a map of the first entities and one of all, before a change and after it.
const MOST: usize = 4;
/// Raised whenever equal graphs would be laid out otherwise than before.
const MANNER: u64 = 1;

/// The places of one graph: numbers alone, no text of documents.
#[derive(Serialize, Deserialize)]
struct KeptPlaces {
    /// What the places were found from.
    of: String,
    /// Rightwards and upwards, 0 to [`super::SIDE`], in the order of the nodes.
    places: Vec<(f64, f64)>,
}

/// The file of a workspace in a data folder: one a layout, so that nobody fills the disk by asking for many maps.
pub(super) fn file(data: &Path, workspace: &str, layout: Layout) -> PathBuf {
    let layout = match layout {
        Layout::Structure => "structure",
        Layout::Text => "text",
    };
    data.join(FOLDER).join(format!("{workspace}.{layout}.json"))
}

/// Gives every node the place that is kept for it, or finds places and keeps them. That they cannot be kept is no error.
///
/// # Errors
/// What [`lay_out`] says.
pub(super) fn place(map: &mut Map, vectors: Option<Vectors>, seed: u64, file: &Path) -> Result<()> {
    let of = fingerprint(map, vectors.as_ref(), seed);
    let mut all = read(file);
    if let Some(kept) = all.iter().find(|kept| kept.of == of && kept.places.len() == map.nodes.len()) {
        for (node, &(x, y)) in map.nodes.iter_mut().zip(&kept.places) {
            (node.x, node.y) = (x, y);
        }
        return Ok(());
    }
    lay_out(map, vectors, seed)?;
    let places = map.nodes.iter().map(|node| (node.x, node.y)).collect();
    all.retain(|kept| kept.of != of);
    all.push(KeptPlaces { of, places });
    all.drain(..all.len().saturating_sub(MOST));
    if let Err(error) = write(file, &all) {
        tracing::debug!(%error, file = %file.display(), "the places of the map cannot be kept");
    }
    Ok(())
}

/// All that places depend on: the nodes' number, the relationships, the vectors, the seed. Names do not count.
fn fingerprint(map: &Map, vectors: Option<&Vectors>, seed: u64) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |number: u64| {
        hasher.update(&number.to_le_bytes());
    };
    add(MANNER);
    add(seed);
    add(map.nodes.len() as u64);
    add(u64::from(vectors.is_some()));
    match vectors {
        Some(vectors) => {
            for (node, vector) in vectors {
                add(*node as u64);
                add(vector.len() as u64);
                for value in vector {
                    add(u64::from(value.to_bits()));
                }
            }
        }
        None => {
            for edge in &map.edges {
                add(edge.source as u64);
                add(edge.target as u64);
                add(u64::from(edge.weight));
            }
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// Bytes of places at most.
const LONGEST: u64 = 512 << 20;

/// What a file holds, the latest last; nothing where it cannot be read.
fn read(file: &Path) -> Vec<KeptPlaces> {
    private::read(file, LONGEST)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}

/// Writes it beside and puts it in place, so that nobody reads half of it.
fn write(file: &Path, all: &[KeptPlaces]) -> Result<()> {
    let folder = file.parent().context("a file stands in a folder")?;
    // whoever only looks makes no data folder
    if folder.parent().is_some_and(Path::is_dir) {
        private::create_dir_all(folder)?;
    }
    private::refuse_link(folder)?;
    let beside = file.with_extension(format!("{}.part", std::process::id()));
    private::write(&beside, &serde_json::to_string(all)?)?;
    Ok(fs::rename(&beside, file)?)
}

#[cfg(test)]
mod tests {
    use super::super::{MapEdge, MapNode};
    use super::*;

    /// A ring of entities, and one that stands alone.
    fn ring(size: usize) -> Map {
        let edge = |source| MapEdge { source, target: (source + 1) % size, weight: 1, ..MapEdge::default() };
        Map {
            nodes: vec![MapNode::default(); size + 1],
            edges: (0..size).map(edge).collect(),
            ..Map::default()
        }
    }

    fn placed(mut map: Map, seed: u64, file: &Path) -> Vec<(f64, f64)> {
        place(&mut map, None, seed, file).unwrap();
        map.nodes.iter().map(|node| (node.x, node.y)).collect()
    }

    /// Puts places into a file that no layout would find.
    fn mark(file: &Path) -> Vec<(f64, f64)> {
        let mut all = read(file);
        let latest = all.last_mut().unwrap();
        latest.places.fill((1.5, 2.5));
        let places = latest.places.clone();
        write(file, &all).unwrap();
        places
    }

    #[test]
    fn an_equal_graph_is_not_laid_out_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(folder.path(), "book", Layout::Structure);
        let found = placed(ring(30), 0, &file);
        assert_eq!(placed(ring(30), 0, &file), found, "what is read is what was found");
        let marked = mark(&file);
        assert_eq!(placed(ring(30), 0, &file), marked);
        // a name says nothing of a place
        let mut renamed = ring(30);
        renamed.nodes[3].name = "Somebody".to_owned();
        assert_eq!(placed(renamed, 0, &file), marked);
    }

    #[test]
    fn another_graph_another_seed_and_a_torn_file_are_laid_out() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(folder.path(), "book", Layout::Structure);
        let found = placed(ring(30), 0, &file);
        let marked = mark(&file);
        let mut heavier = ring(30);
        heavier.edges[0].weight = 9;
        assert_ne!(placed(heavier, 0, &file), marked);
        assert_ne!(placed(ring(30), 1, &file), marked);
        assert_eq!(placed(ring(30), 0, &file), marked, "several are kept");
        fs::write(&file, "[{\"of\": \"").unwrap();
        assert_eq!(placed(ring(30), 0, &file), found);
        for size in 31..40 {
            placed(ring(size), 0, &file);
        }
        assert_eq!(read(&file).len(), MOST, "and no more than a few");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FOLDER), "a file").unwrap();
        let within = file(folder.path(), "book", Layout::Structure);
        assert_eq!(placed(ring(30), 0, &within).len(), 31);
        let missing = folder.path().join("missing");
        assert_eq!(placed(ring(30), 0, &file(&missing, "book", Layout::Structure)).len(), 31);
        assert!(!missing.exists(), "whoever looks makes no data folder");
    }
}
