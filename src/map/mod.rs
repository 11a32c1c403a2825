//! The map: the entity graph laid out in the plane and coloured by community, as a page, a picture or a graph file.
//!
//! `gather` reads everything from one snapshot, `layout` finds the places, `places` keeps them on disk, and one writer a
//! format (`html`, `svg`, `graphml`, `gexf`) makes a text of them. Names, descriptions, reports and sources come from documents
//! and models, so every writer escapes them. Equal graphs give equal bytes.

mod gather;
mod layout;
mod places;
mod colours;
mod html;
mod svg;
mod graphml;
mod gexf;
mod xml;
#[cfg(test)]
mod tests;

use crate::progress::Progress;
use crate::services::Services;
use anyhow::{Result, bail};
use serde::Serialize;
use std::path::Path;

/// Side of the square that the map fills.
pub const SIDE: f64 = 1000.0;

/// Where places come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// The relationships: UMAP of Node2Vec vectors.
    #[default]
    Structure,
    /// The texts: UMAP of the entities' embeddings.
    Text,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapSettings {
    /// Where places come from.
    pub layout: Layout,
    /// Entities at most: those of most relationships.
    pub limit: usize,
    /// Seed of every random choice.
    pub seed: u64,
}

/// The embedding of every node that has one, by its place in [`Map::nodes`].
type Vectors = Vec<(usize, Vec<f32>)>;

/// The kinds of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapFormat {
    /// A page in one file.
    Html,
    /// A picture.
    Svg,
    /// `GraphML`, as yEd, Gephi and networkx read it.
    GraphMl,
    /// GEXF 1.3, as Gephi reads it.
    Gexf,
}

impl MapFormat {
    /// By the name's extension.
    ///
    /// # Errors
    /// An extension that is none of these.
    pub fn of(path: &Path) -> Result<Self> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        Ok(match extension.to_ascii_lowercase().as_str() {
            "html" | "htm" => Self::Html,
            "svg" => Self::Svg,
            "graphml" => Self::GraphMl,
            "gexf" => Self::Gexf,
            _ => bail!(
                "{} is no map that can be written; its name must end in .html, .svg, .graphml or .gexf",
                path.display()
            ),
        })
    }
}

/// An entity on the map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapNode {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its type; empty where unknown.
    pub kind: String,
    /// Its description.
    pub description: String,
    /// Number of its relationships, those that are not drawn counted.
    pub degree: u32,
    /// Place, 0 to [`SIDE`], rightwards.
    pub x: f64,
    /// Place, 0 to [`SIDE`], upwards.
    pub y: f64,
    /// Its community at each level, as a place in [`Map::communities`].
    pub communities: Vec<Option<usize>>,
    /// The text units that say most of it, as places in [`Map::sources`].
    pub sources: Vec<usize>,
}

/// A relationship on the map.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MapEdge {
    /// One end, as a place in [`Map::nodes`].
    pub source: usize,
    /// The other.
    pub target: usize,
    /// Number of records that support it.
    pub weight: u32,
    /// What it is; empty where unknown.
    pub kind: String,
    /// What is told of it.
    pub description: String,
}

/// A community on the map.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MapCommunity {
    /// 0 is the coarsest.
    pub level: u32,
    /// Number of its entities, those that are not drawn counted.
    pub size: usize,
    /// `#rrggbb`.
    pub colour: String,
    /// Its report's title.
    pub title: String,
    /// Its report's summary.
    pub summary: String,
    /// Its report's findings: summary and explanation.
    pub findings: Vec<(String, String)>,
}

/// A passage that says something of an entity.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MapSource {
    /// Title of the document.
    pub document: String,
    /// Key of the document.
    pub key: String,
    /// Headings above it, outermost first.
    pub headings: Vec<String>,
    /// Where in its file it begins: "p. 12"; empty where the format has no such places.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// Its beginning.
    pub text: String,
}

/// All that is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// Name of the workspace.
    pub workspace: String,
    /// Number of levels.
    pub levels: usize,
    /// The entities, by id.
    pub nodes: Vec<MapNode>,
    /// The relationships between them, by id.
    pub edges: Vec<MapEdge>,
    /// The communities, by level, then id.
    pub communities: Vec<MapCommunity>,
    /// The passages, by document and place.
    pub sources: Vec<MapSource>,
    /// Entities that the limit left out.
    pub left_out: usize,
}

impl Map {
    /// The map as a file's text, coloured by the communities of a level (a page can switch).
    ///
    /// # Errors
    /// A level that does not exist.
    pub fn write(&self, format: MapFormat, level: usize) -> Result<String> {
        self.check_level(level)?;
        match format {
            MapFormat::Html => html::write(self, level),
            MapFormat::Svg => svg::write(self, level),
            MapFormat::GraphMl => graphml::write(self, level),
            MapFormat::Gexf => gexf::write(self, level),
        }
    }

    /// Looks whether there is a level.
    ///
    /// # Errors
    /// A level that does not exist.
    pub(crate) fn check_level(&self, level: usize) -> Result<()> {
        if level >= self.levels.max(1) {
            bail!("there is no level {level}; the levels are 0 to {}", self.levels.saturating_sub(1));
        }
        Ok(())
    }

    /// The community of a node at a level.
    fn community(&self, node: &MapNode, level: usize) -> Option<&MapCommunity> {
        node.communities.get(level).copied().flatten().and_then(|place| self.communities.get(place))
    }

    /// The colour of a node at a level.
    fn colour(&self, node: &MapNode, level: usize) -> &str {
        self.community(node, level).map_or(colours::NONE, |community| &community.colour)
    }
}

/// Radius of an entity of so many relationships, on a map of [`SIDE`].
fn radius(degree: u32) -> f64 {
    rounded((2.0 + 1.1 * f64::from(degree).sqrt()).min(16.0))
}

/// To two digits, as it is written.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Reads the graph and lays it out. In the folder `data`, the data folder, its places are kept: an equal graph is not laid
/// out again.
///
/// # Errors
/// What the stores say; an empty graph; [`Layout::Text`] where the entities have no embeddings.
pub async fn map(
    services: &Services,
    settings: MapSettings,
    data: &Path,
    progress: &Progress,
) -> Result<Map> {
    let reader = services.graph.snapshot().await?;
    let mut map = gather::gather(services, reader.as_ref(), settings.limit, progress).await?;
    if map.nodes.is_empty() {
        bail!("workspace \"{}\" has no entities to draw; index documents first", map.workspace);
    }
    let vectors = match settings.layout {
        Layout::Structure => None,
        Layout::Text => Some(gather::text_vectors(services, &map).await?),
    };
    let file = places::file(data, &map.workspace, settings.layout);
    let stage = progress.stage("places on the map", map.nodes.len() as u64);
    tokio::task::spawn_blocking(move || {
        places::place(&mut map, vectors, settings.seed, &file)?;
        stage.advance(map.nodes.len() as u64);
        Ok(map)
    })
    .await?
}
