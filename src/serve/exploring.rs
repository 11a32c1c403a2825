//! Ways over the graph: what lies around an entity, and how two are linked.

use super::app::App;
use super::problem::{Outcome, Problem};
use super::reading::{self, entity_names, relationship_shapes};
use super::shapes::{End, EntityRow, Neighbourhood, PathShape};
use super::workspaces::Workspace;
use crate::domain::{Entity, Id, Relationship};
use std::collections::{BTreeMap, BTreeSet};

/// Steps from the middle at most.
const DEEPEST: u32 = 3;
/// Hops between two entities at most.
const FARTHEST: u32 = 6;
/// Relationships that are followed from one entity.
const FANOUT: usize = 40;
/// Entities that are visited in search of a way.
const VISITED: usize = 5_000;

/// Entities and relationships around one, heaviest first, at most `limit` entities.
pub(crate) async fn neighbourhood(
    app: &App,
    workspace: &Workspace,
    middle: &Entity,
    depth: u32,
    limit: usize,
) -> Outcome<Neighbourhood> {
    if !(1..=DEEPEST).contains(&depth) {
        return Err(Problem::invalid(format!("depth is {depth}; it must be from 1 to {DEEPEST}")));
    }
    let reader = workspace.services.graph.as_ref();
    let mut order: Vec<Id> = vec![middle.id.clone()];
    let mut known: BTreeSet<Id> = order.iter().cloned().collect();
    let mut edges: BTreeMap<Id, Relationship> = BTreeMap::new();
    let mut truncated = false;
    let mut border = order.clone();
    for _ in 0..depth {
        let mut found = reader.relationships_of(&border, FANOUT.max(limit)).await?;
        found.sort_by(|a, b| (b.weight, &a.id).cmp(&(a.weight, &b.id)));
        border.clear();
        for edge in found {
            for end in [&edge.source, &edge.target] {
                if known.contains(end) {
                    continue;
                }
                if known.len() >= limit {
                    truncated = true;
                    continue;
                }
                known.insert(end.clone());
                order.push(end.clone());
                border.push(end.clone());
            }
            edges.insert(edge.id.clone(), edge);
        }
    }
    edges.retain(|_, edge| known.contains(&edge.source) && known.contains(&edge.target));
    let mut edges: Vec<Relationship> = edges.into_values().collect();
    edges.sort_by(|a, b| (b.weight, &a.id).cmp(&(a.weight, &b.id)));
    let mut entities: BTreeMap<Id, Entity> =
        reader.entities_by_id(&order).await?.into_iter().map(|entity| (entity.id.clone(), entity)).collect();
    let nodes = order
        .iter()
        .filter_map(|id| entities.remove(id))
        .map(|entity| EntityRow {
            id: entity.id.to_string(),
            name: entity.name,
            kind: entity.kind,
            text_units: entity.text_unit_count,
            degree: entity.degree,
        })
        .collect();
    let edges = relationship_shapes(app, workspace, edges, false).await?;
    Ok(Neighbourhood { nodes, edges, truncated })
}

/// The shortest way from one entity to another, along the heaviest relationships where several are as short; each step with
/// the sentence behind it.
pub(crate) async fn path(
    app: &App,
    workspace: &Workspace,
    from: &str,
    to: &str,
    max_hops: u32,
) -> Outcome<PathShape> {
    if !(1..=FARTHEST).contains(&max_hops) {
        return Err(Problem::invalid(format!("max_hops is {max_hops}; it must be from 1 to {FARTHEST}")));
    }
    let (from, to) = (reading::entity(workspace, from).await?, reading::entity(workspace, to).await?);
    let reader = workspace.services.graph.as_ref();
    // from where each entity was reached, and by which relationship
    let mut reached: BTreeMap<Id, Option<(Id, Relationship)>> = BTreeMap::from([(from.id.clone(), None)]);
    let mut border = vec![from.id.clone()];
    for _ in 0..max_hops {
        if reached.contains_key(&to.id) || border.is_empty() || reached.len() > VISITED {
            break;
        }
        let mut found = reader.relationships_of(&border, FANOUT).await?;
        found.sort_by(|a, b| (b.weight, &a.id).cmp(&(a.weight, &b.id)));
        let here: BTreeSet<Id> = border.drain(..).collect();
        for edge in found {
            for (one, other) in [(&edge.source, &edge.target), (&edge.target, &edge.source)] {
                if here.contains(one) && !reached.contains_key(other) {
                    reached.insert(other.clone(), Some((one.clone(), edge.clone())));
                    border.push(other.clone());
                }
            }
        }
    }
    let mut ids = vec![to.id.clone()];
    let mut steps = Vec::new();
    if !reached.contains_key(&to.id) {
        return Ok(PathShape { found: false, nodes: Vec::new(), steps: Vec::new() });
    }
    while let Some(Some((before, edge))) = ids.last().and_then(|last| reached.get(last)) {
        steps.push(edge.clone());
        ids.push(before.clone());
    }
    ids.reverse();
    steps.reverse();
    let names = entity_names(workspace, &ids).await?;
    let nodes = ids
        .iter()
        .map(|id| End { id: id.to_string(), name: names.get(id).cloned().unwrap_or_default() })
        .collect();
    let steps = relationship_shapes(app, workspace, steps, true).await?;
    Ok(PathShape { found: true, nodes, steps })
}
