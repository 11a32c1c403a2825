//! The kernel alone, on an edge list: for benchmarks and for graphs from elsewhere.

use crate::config::CommunitiesConfig;
use crate::numeric::leiden::{self, Graph, Hierarchy, Settings};
use crate::numeric::random;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Which files to read and write.
#[derive(Clone, Debug, Default)]
pub struct EdgeFileRequest {
    /// Lines `u v w`, nodes numbered from 0; `w` may be absent and is then 1.
    pub edges: PathBuf,
    /// Number of nodes; else the greatest number in the list, plus one.
    pub nodes: Option<u32>,
    /// Where the level-0 label of each node goes, one a line.
    pub out: Option<PathBuf>,
    /// Where the hierarchy goes: `node cluster level parent final`, parent −1 at level 0.
    pub hierarchy: Option<PathBuf>,
}

/// One level's partition in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LevelSummary {
    /// 0 is the coarsest.
    pub level: u32,
    /// Communities of the level's partition, leaves of coarser levels included.
    pub communities: usize,
    /// Nodes of the largest.
    pub largest: usize,
    /// Nodes of the middle one.
    pub median: usize,
    /// Value of the objective.
    pub modularity: f64,
}

/// Clusters an edge list.
///
/// # Errors
/// A file that cannot be read or written; a line that is no edge, named by its number; a weight that is not
/// positive and finite.
pub fn run(request: &EdgeFileRequest, config: &CommunitiesConfig) -> Result<Vec<LevelSummary>> {
    let (nodes, edges) = read(&request.edges, request.nodes)?;
    let graph = Graph::from_edges((0..nodes).map(node_key).collect(), &edges)
        .with_context(|| format!("in {}", request.edges.display()))?;
    drop(edges);
    let hierarchy = leiden::hierarchical(&graph, &leiden_settings(config));
    if let Some(path) = &request.out {
        write_labels(path, &hierarchy.labels_at(0))?;
    }
    if let Some(path) = &request.hierarchy {
        write_hierarchy(path, &hierarchy)?;
    }
    Ok(summarise(&hierarchy))
}

/// The kernel's settings from the configuration.
pub fn leiden_settings(config: &CommunitiesConfig) -> Settings {
    Settings {
        objective: config.objective,
        resolution: config.resolution,
        iterations: config.iterations,
        max_community_size: config.largest(),
        seed: config.seed,
        split_oversized: config.split_oversized,
    }
}

/// Each level's partition in numbers.
pub fn summarise(hierarchy: &Hierarchy) -> Vec<LevelSummary> {
    (0..hierarchy.levels)
        .map(|level| {
            let mut sizes: Vec<usize> = hierarchy
                .communities
                .iter()
                .filter(|c| c.level == level || (c.leaf && c.level < level))
                .map(|c| c.members.len())
                .collect();
            sizes.sort_unstable();
            LevelSummary {
                level,
                communities: sizes.len(),
                largest: sizes.last().copied().unwrap_or(0),
                median: sizes.get(sizes.len() / 2).copied().unwrap_or(0),
                modularity: hierarchy.modularity_per_level.get(level as usize).copied().unwrap_or(0.0),
            }
        })
        .collect()
}

/// A bijection of the node numbers onto well-spread keys: the words that a generator of seed 0 draws.
fn node_key(node: u32) -> u64 {
    random::nth(u64::from(node))
}

/// Number of nodes, and edges with their weights.
type EdgeFile = (u32, Vec<(u32, u32, f64)>);

fn read(path: &Path, nodes: Option<u32>) -> Result<EdgeFile> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut edges = Vec::new();
    let mut most = 0;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut line = String::new();
    let mut number = 0_u64;
    loop {
        line.clear();
        if reader.read_line(&mut line).with_context(|| format!("cannot read {}", path.display()))? == 0 {
            break;
        }
        number += 1;
        let mut fields = line.split_ascii_whitespace();
        let Some(first) = fields.next() else { continue };
        let edge = (|| {
            let u: u32 = first.parse().ok()?;
            let v: u32 = fields.next()?.parse().ok()?;
            let w: f64 = fields.next().map_or(Some(1.0), |w| w.parse().ok())?;
            fields.next().is_none().then_some((u, v, w))
        })();
        let Some(edge) = edge else {
            bail!(
                "{} line {number} is {:?}; wanted \"u v w\", node numbers from 0 and a weight",
                path.display(),
                line.trim_end()
            );
        };
        most = most.max(edge.0.max(edge.1).saturating_add(1));
        edges.push(edge);
    }
    let nodes = nodes.unwrap_or(most);
    if most > nodes {
        bail!("{} has node {}, but --nodes is {nodes}", path.display(), most - 1);
    }
    Ok((nodes, edges))
}

fn write_labels(path: &Path, labels: &[u32]) -> Result<()> {
    let mut out = BufWriter::new(
        crate::private::create_named(path).with_context(|| format!("cannot write {}", path.display()))?,
    );
    for label in labels {
        writeln!(out, "{label}").with_context(|| format!("cannot write {}", path.display()))?;
    }
    out.flush().with_context(|| format!("cannot write {}", path.display()))
}

fn write_hierarchy(path: &Path, hierarchy: &Hierarchy) -> Result<()> {
    let mut out = BufWriter::new(
        crate::private::create_named(path).with_context(|| format!("cannot write {}", path.display()))?,
    );
    for (cluster, community) in hierarchy.communities.iter().enumerate() {
        let parent = community.parent.map_or(-1, i64::from);
        let last = u8::from(community.leaf);
        for member in &community.members {
            writeln!(out, "{member} {cluster} {} {parent} {last}", community.level)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    out.flush().with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_edge_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("edges.txt");
        std::fs::write(&path, "0 1 2\n1 x 3\n").expect("written");
        let request = EdgeFileRequest { edges: path, ..EdgeFileRequest::default() };
        let error = run(&request, &CommunitiesConfig::default()).expect_err("refused").to_string();
        assert!(error.contains("line 2"), "{error}");
    }

    #[test]
    fn labels_and_hierarchy_are_written_for_every_node() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("edges.txt");
        std::fs::write(&path, "0 1 2\n1 2 3\n3 4 1\n").expect("written");
        let request = EdgeFileRequest {
            edges: path,
            nodes: Some(6),
            out: Some(folder.path().join("labels")),
            hierarchy: Some(folder.path().join("rows")),
        };
        let levels = run(&request, &CommunitiesConfig::default()).expect("clustered");
        assert_eq!(levels[0].communities, 3);
        let labels = std::fs::read_to_string(folder.path().join("labels")).expect("labels");
        assert_eq!(labels.lines().count(), 6);
        let rows = std::fs::read_to_string(folder.path().join("rows")).expect("rows");
        assert_eq!(rows.lines().count(), 6);
    }
}
