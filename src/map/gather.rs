//! Reads what the map shows.

use super::{Map, MapCommunity, MapEdge, MapNode, MapSource, Vectors, colours};
use crate::domain::{Absent, Community, Id, TextUnit, place_shown};
use crate::language::shortened;
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::GraphReader;
use crate::stores::graph::VectorKind;
use crate::stores::pages;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

const PAGE: usize = 2000;
/// Passages of an entity.
const SOURCES: usize = 5;
/// Characters of a passage that are shown.
const PASSAGE: usize = 600;
/// Characters of a description that are shown.
const DESCRIPTION: usize = 2000;

/// Everything but the places.
pub(super) async fn gather(
    services: &Services,
    reader: &dyn GraphReader,
    limit: usize,
    progress: &Progress,
) -> Result<Map> {
    let stage = progress.stage("graph for the map", 0);
    let (nodes, left_out) = nodes(reader, limit).await?;
    stage.advance(nodes.len() as u64);
    let mut map = Map {
        workspace: services.ids.workspace().to_owned(),
        edges: edges(reader, &nodes).await?,
        nodes,
        left_out,
        ..Map::default()
    };
    communities(reader, &mut map).await?;
    sources(reader, &mut map).await?;
    Ok(map)
}

/// The entities of most relationships, by id, and how many are left out.
async fn nodes(reader: &dyn GraphReader, limit: usize) -> Result<(Vec<MapNode>, usize)> {
    let mut nodes = Vec::new();
    let mut pages = pages::entities(reader, PAGE);
    while let Some(page) = pages.next().await? {
        nodes.extend(page.into_iter().map(|entity| MapNode {
            id: entity.id.to_string(),
            name: entity.name,
            kind: entity.kind,
            description: shortened(&entity.description, DESCRIPTION),
            degree: entity.degree,
            ..MapNode::default()
        }));
    }
    let left_out = nodes.len().saturating_sub(limit);
    nodes.sort_by(|a, b| b.degree.cmp(&a.degree).then_with(|| a.id.cmp(&b.id)));
    nodes.truncate(limit);
    nodes.sort_by(|a, b| a.id.cmp(&b.id));
    Ok((nodes, left_out))
}

fn place_of(nodes: &[MapNode], id: &Id) -> Option<usize> {
    nodes.binary_search_by(|node| node.id.as_str().cmp(id.as_str())).ok()
}

async fn edges(reader: &dyn GraphReader, nodes: &[MapNode]) -> Result<Vec<MapEdge>> {
    let mut edges = Vec::new();
    let mut pages = pages::relationships(reader, PAGE);
    while let Some(page) = pages.next().await? {
        for relationship in page {
            let source = place_of(nodes, &relationship.source);
            let (Some(source), Some(target)) = (source, place_of(nodes, &relationship.target)) else {
                continue;
            };
            edges.push(MapEdge {
                source,
                target,
                weight: relationship.weight,
                kind: relationship.kind,
                description: shortened(&relationship.description, PASSAGE),
            });
        }
    }
    Ok(edges)
}

/// The communities, and that of every node at every level.
async fn communities(reader: &dyn GraphReader, map: &mut Map) -> Result<()> {
    let generation = reader.state().await?.generation;
    let mut all: Vec<Community> = reader.communities(generation).await?;
    all.sort_by(|a, b| a.level.cmp(&b.level).then_with(|| a.id.cmp(&b.id)));
    map.levels = all.last().map_or(0, |last| last.level as usize + 1);
    for node in &mut map.nodes {
        node.communities = vec![None; map.levels];
    }
    for (place, community) in all.iter().enumerate() {
        let level = community.level as usize;
        // the partition at a level is its communities and the leaves above
        let levels = if community.leaf { level..map.levels } else { level..level + 1 };
        for member in &community.members {
            if let Some(node) = place_of(&map.nodes, member) {
                for slot in map.nodes[node].communities.get_mut(levels.clone()).unwrap_or_default() {
                    *slot = Some(place);
                }
            }
        }
    }
    let sizes: Vec<(u32, usize)> =
        all.iter().map(|community| (community.level, community.members.len())).collect();
    map.communities = all
        .into_iter()
        .zip(colours::of(&sizes))
        .map(|(community, colour)| MapCommunity {
            level: community.level,
            size: community.members.len(),
            colour,
            title: community.report.title,
            summary: community.report.summary,
            findings: community.report.findings.into_iter().map(|f| (f.summary, f.explanation)).collect(),
        })
        .collect();
    Ok(())
}

/// The passages that say most of each entity.
async fn sources(reader: &dyn GraphReader, map: &mut Map) -> Result<()> {
    let mut of_nodes: Vec<Vec<Id>> = vec![Vec::new(); map.nodes.len()];
    let ids: Vec<Id> = map.nodes.iter().map(|node| Id::from_stored(node.id.clone())).collect();
    for page in ids.chunks(PAGE) {
        for mention in reader.mentions_of_entities(page, SOURCES).await? {
            if let Some(place) = place_of(&map.nodes, &mention.entity) {
                of_nodes[place].push(mention.text_unit);
            }
        }
    }
    let wanted: Vec<Id> = of_nodes.iter().flatten().cloned().collect::<BTreeSet<_>>().into_iter().collect();
    let mut found = BTreeMap::new();
    for page in wanted.chunks(PAGE / 4) {
        for stored in reader.passages_by_id(page).await? {
            let order = (stored.document_key.clone(), stored.unit.index);
            let source = MapSource {
                document: stored.document_title,
                key: stored.document_key,
                place: place_of_unit(&stored.unit),
                headings: stored.unit.headings,
                text: shortened(&stored.unit.text, PASSAGE),
            };
            found.insert(order, (stored.unit.id, source));
        }
    }
    let mut places: BTreeMap<Id, usize> = BTreeMap::new();
    for (place, (id, source)) in found.into_values().enumerate() {
        places.insert(id, place);
        map.sources.push(source);
    }
    for (node, units) in map.nodes.iter_mut().zip(&of_nodes) {
        node.sources = units.iter().filter_map(|unit| places.get(unit).copied()).collect();
    }
    Ok(())
}

/// The embedding of every node that has one, by its place.
pub(super) async fn text_vectors(services: &Services, map: &Map) -> Result<Vectors> {
    let ids: Vec<Id> = map.nodes.iter().map(|node| Id::from_stored(node.id.clone())).collect();
    let mut vectors = Vec::new();
    for page in ids.chunks(PAGE / 4) {
        let dense = services.vectors.dense_of(VectorKind::Entities, page).await?;
        vectors.extend(dense.into_iter().filter(|(_, dense)| !dense.is_empty()));
    }
    let mut placed: Vectors = vectors
        .into_iter()
        .filter_map(|(id, dense)| place_of(&map.nodes, &id).map(|place| (place, dense)))
        .collect();
    placed.sort_by_key(|(place, _)| *place);
    if placed.is_empty() {
        let told = "--layout text needs embeddings of the entities, and there are none; set [embeddings] and index \
                    again, or use --layout structure";
        return Err(Absent(told.to_owned()).into());
    }
    Ok(placed)
}

/// Where in its file a text unit stands; empty where the format has no such places.
fn place_of_unit(unit: &TextUnit) -> String {
    let last = unit.locators.last().map(|mark| &mark.locator);
    unit.locators.first().map(|mark| place_shown(&mark.locator, last)).unwrap_or_default()
}
