//! Graphs that were there before, taken in and read again: tables that a run is given, and graphs that a workspace has
//! adopted. What they say becomes documents, compared with what is stored of them.

use super::cutting::{ReadDocument, cut_all, storing};
use super::ingestion::remove_documents;
use super::plan::{IndexRequest, TableRequest};
use super::report::{Changes, IndexReport};
use crate::domain::{Document, Id, name_key};
use crate::index::adoption::{self, AdoptedGraph, GraphNode, GraphRelation, RelationshipEnd, SameAs};
use crate::index::documents::{self, DiscoverOptions, ReadOptions, SourceDocument};
use crate::index::graph::Naming;
use crate::progress::Progress;
use crate::services::{self, Services};
use crate::stores::graph::foreign::{
    ELEMENTS_AT_ONCE, ForeignCounts, ForeignGraph, ForeignNode, ForeignRelationship, ForeignWish,
    MOST_RELATIONSHIPS,
};
use crate::stores::graph::reserved_labels;
use anyhow::{Context, Result, bail};
use fail::fail_point;
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::collections::BTreeMap;

/// Documents compared, and stored, at once.
const AT_ONCE: usize = 500;
/// Documents read from the store at once.
const PAGE: usize = 1000;
/// Documents that a rehearsal shows.
const EXAMPLES: usize = 5;

/// What adopting a graph would take in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AdoptionPlan {
    /// Nodes that have one of the labels.
    pub nodes: u64,
    /// Those of them that have a name; the others are left out.
    pub named: u64,
    /// Relationships between them.
    pub relationships: u64,
    /// What the first nodes would say.
    pub examples: Vec<AdoptionExample>,
}

/// What a node would say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AdoptionExample {
    /// The key of its document.
    pub key: String,
    /// Its places in the graph, one a statement.
    pub places: Vec<String>,
    /// The text.
    pub text: String,
}

/// Reads the tables of a request, and every adopted graph again.
pub(super) async fn take_in_all(
    services: &Services,
    request: &IndexRequest,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    take_in_tables(services, &request.tables, &request.discover, report, progress).await?;
    read_again(services, report, progress).await
}

/// Reads the tables of a request: what is new or has changed in them is stored, and what has gone from them goes.
async fn take_in_tables(
    services: &Services,
    request: &TableRequest,
    discover: &DiscoverOptions,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    if request.is_empty() {
        return Ok(());
    }
    let [nodes, edges] =
        [&request.nodes, &request.edges].map(|files| documents::discover_named(files, discover));
    let problems = nodes.problems.iter().chain(&edges.problems).map(ToString::to_string);
    report.problems.extend(problems);
    if nodes.files.is_empty() && edges.files.is_empty() {
        bail!("{}", report.problems.join("\n"));
    }
    if request.nodes.is_empty() {
        report.notes.push("no --nodes were given, so the ends of --edges are taken for names".to_owned());
    } else if !nodes.problems.is_empty() && !edges.files.is_empty() {
        // their ends would not be known, and what is known of them would go
        bail!("{}", report.problems.join("\n"));
    }
    let options = ReadOptions::of(&services.config);
    let read =
        tokio::task::spawn_blocking(move || adoption::tables::read(&nodes.files, &edges.files, &options));
    let read = read.await.context("reading tables ended early")?;
    report.problems.extend(read.problems);
    let stage = progress.stage("tables", read.tables.iter().map(|table| table.documents.len() as u64).sum());
    for table in read.tables {
        let mut seen = FxHashSet::default();
        let mut documents = table.documents;
        while !documents.is_empty() {
            if progress.stop_requested() {
                return Ok(());
            }
            let rest = documents.split_off(documents.len().min(AT_ONCE));
            stage.advance(documents.len() as u64);
            store(services, documents, &mut seen, report).await?;
            documents = rest;
        }
        if table.is_whole {
            remove_gone(services, &adoption::keys_of(&table.source), &seen, report, progress).await?;
        }
    }
    Ok(())
}

/// Reads every adopted graph again. One that cannot be read stays as it is stored, and that is said.
pub(super) async fn read_again(
    services: &Services,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    for graph in AdoptedGraph::stored(&services.graph.state().await?.settings) {
        if progress.stop_requested() {
            return Ok(());
        }
        if graph.is_leaving {
            leave(services, &graph.name, report, progress).await?;
            continue;
        }
        let address = graph.address.as_deref();
        match services::known_graph(&services.config, address, &graph.database).await {
            Ok(Some(foreign)) => take_in(services, &graph, foreign.as_ref(), report, progress).await?,
            Ok(None) => report.notes.push(format!(
                "the adopted graph {} at {} was not read again: set NEO4J_ADOPT_URI to this address, or adopt it again, \
                 to say that it may be asked",
                graph.name,
                address.unwrap_or_default()
            )),
            Err(error) => {
                report.problems.push(format!("the adopted graph {} was not read again: {error:#}", graph.name));
            }
        }
    }
    Ok(())
}

/// What adopting a graph would take in; nothing is written.
///
/// # Errors
/// The graph has nothing of what is asked for; what its server says.
pub async fn rehearse(graph: &AdoptedGraph, foreign: &dyn ForeignGraph) -> Result<AdoptionPlan> {
    let wish = wish_of(graph);
    let ForeignCounts { nodes, named, relationships } = foreign.counts(&wish).await?;
    if nodes == 0 {
        bail!(
            "no node of {} has the label {}; its labels are: {}",
            foreign.describe(),
            graph.labels.join(" or "),
            labels_of(foreign).await?.join(", ")
        );
    }
    let elements = foreign.elements(&wish, "", EXAMPLES).await?;
    let part = read_part(graph, foreign, &wish, &elements).await?;
    if named == 0 {
        bail!(
            "none of {nodes} nodes has the property {:?}; the first one has: {}",
            graph.name_property,
            part.keys.join(", ")
        );
    }
    let examples = part.documents.into_iter().map(|document| AdoptionExample {
        key: document.key,
        places: document.locators.into_iter().map(|mark| mark.locator.to_string()).collect(),
        text: document.text,
    });
    Ok(AdoptionPlan { nodes, named, relationships, examples: examples.collect() })
}

/// Labels of a graph, without those of ours.
async fn labels_of(foreign: &dyn ForeignGraph) -> Result<Vec<String>> {
    let mut labels = foreign.labels().await?;
    labels.retain(|label| !reserved_labels().contains(label.as_str()) && !label.starts_with("__"));
    Ok(labels)
}

/// Joins our entities with the nodes of adopted graphs that lie in our database, as names and edits say now.
///
/// # Errors
/// What the store says.
pub async fn join(services: &Services, naming: &Naming, progress: &Progress) -> Result<()> {
    for graph in graphs_in_ours(services).await? {
        let mut after = adoption::keys_of(&graph.name);
        while let Some(page) = documents_behind(services, &graph.name, &mut after).await? {
            if progress.stop_requested() {
                return Ok(());
            }
            let (missing, wrong) = differences(services, naming, &graph, &page).await?;
            services.graph.remove_same_as(&graph.name, &rows(wrong)).await?;
            services.graph.save_same_as(&graph.name, &rows(missing)).await?;
        }
    }
    Ok(())
}

/// Entities that are not joined with the nodes that they should be joined with, or are with others.
///
/// # Errors
/// What the store says.
pub async fn not_joined(services: &Services, naming: &Naming) -> Result<Vec<Id>> {
    let mut found = Vec::new();
    for graph in graphs_in_ours(services).await? {
        let mut after = adoption::keys_of(&graph.name);
        while let Some(page) = documents_behind(services, &graph.name, &mut after).await? {
            let (missing, wrong) = differences(services, naming, &graph, &page).await?;
            // neither a node that is gone nor an entity that waits for its sum is damage
            let theirs: Vec<Id> = missing.iter().map(|row| row.entity.clone()).collect();
            let there = services.graph.entities_by_id(&theirs).await?;
            found.extend(there.into_iter().map(|entity| entity.id));
            found.extend(wrong.into_iter().map(|row| row.entity));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Takes away what leads from our entities to the nodes that these documents speak of: they are to go.
pub(super) async fn part(services: &Services, documents: &[Document]) -> Result<()> {
    for graph in graphs_in_ours(services).await? {
        let keys = adoption::keys_of(&graph.name);
        let of_graph = documents.iter().filter(|document| document.key.starts_with(&keys));
        let elements: Vec<String> =
            of_graph.filter_map(|document| adoption::last_part(&document.key)).collect();
        for elements in elements.chunks(PAGE) {
            let joined = services.graph.same_as(&graph.name, elements).await?;
            services.graph.remove_same_as(&graph.name, &joined).await?;
        }
    }
    Ok(())
}

/// Takes in what is new or has changed in a graph, and removes what has gone from it.
pub(super) async fn take_in(
    services: &Services,
    graph: &AdoptedGraph,
    foreign: &dyn ForeignGraph,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    let wish = wish_of(graph);
    let stage = progress.stage("graph", foreign.counts(&wish).await?.nodes);
    let mut seen = FxHashSet::default();
    let mut after = String::new();
    let (mut nameless, mut cut) = (0, 0);
    loop {
        let elements = foreign.elements(&wish, &after, ELEMENTS_AT_ONCE).await?;
        let Some(last) = elements.last() else { break };
        after.clone_from(last);
        for part in elements.chunks(AT_ONCE) {
            if progress.stop_requested() {
                return Ok(());
            }
            let read = read_part(graph, foreign, &wish, part).await?;
            (nameless, cut) = (nameless + read.nameless, cut + read.cut);
            store(services, read.documents, &mut seen, report).await?;
            stage.advance(part.len() as u64);
        }
    }
    for (count, what) in [
        (nameless, format!("without the property {}, left out", graph.name_property)),
        (cut, format!("with more than {MOST_RELATIONSHIPS} relationships, the others left out")),
    ] {
        if count > 0 {
            report.notes.push(format!("{}: nodes {what}: {count}", graph.name));
        }
    }
    remove_gone(services, &adoption::keys_of(&graph.name), &seen, report, progress).await
}

/// What some nodes say.
struct NodeBatch {
    documents: Vec<SourceDocument>,
    /// Keys of the first node's properties.
    keys: Vec<String>,
    /// Nodes without a name.
    nameless: usize,
    /// Nodes with more relationships than are read.
    cut: usize,
}

/// Some nodes with what begins at them, as documents.
async fn read_part(
    graph: &AdoptedGraph,
    foreign: &dyn ForeignGraph,
    wish: &ForeignWish,
    elements: &[String],
) -> Result<NodeBatch> {
    let nodes = foreign.nodes(wish, elements).await?;
    let mut relations: BTreeMap<String, Vec<ForeignRelationship>> = BTreeMap::new();
    for relationship in foreign.relationships(wish, elements).await? {
        relations.entry(relationship.element.clone()).or_default().push(relationship);
    }
    let keys = nodes.first().map(|node| node.properties.keys().cloned().collect()).unwrap_or_default();
    let there = nodes.len();
    let cut = relations.values().filter(|all| all.len() >= MOST_RELATIONSHIPS).count();
    let documents = nodes.into_iter().filter_map(|node| {
        let relations = relations.remove(&node.element).unwrap_or_default();
        document_of(graph, node, relations)
    });
    let documents: Vec<SourceDocument> = documents.collect();
    Ok(NodeBatch { nameless: there - documents.len(), documents, keys, cut })
}

/// A node with what begins at it; nothing where it has no name.
fn document_of(
    graph: &AdoptedGraph,
    node: ForeignNode,
    relationships: Vec<ForeignRelationship>,
) -> Option<SourceDocument> {
    let mut properties = node.properties;
    let name = properties.remove(&graph.name_property).filter(|name| !name_key(name).is_empty())?;
    let text = graph.text_property.as_ref().and_then(|key| properties.remove(key)).unwrap_or_default();
    let end = RelationshipEnd { label: graph.label_of(&node.labels), name };
    let key = adoption::key(&graph.name, &[&end.label, &node.element]);
    let mut relations: Vec<GraphRelation> = relationships
        .into_iter()
        .filter_map(|relationship| {
            let mut properties = relationship.properties;
            let weight = properties.get("weight").and_then(|weight| weight.parse().ok());
            if weight.is_some() {
                properties.remove("weight");
            }
            let name = relationship.name.filter(|name| !name_key(name).is_empty())?;
            Some(GraphRelation {
                source: end.clone(),
                kind: relationship.kind,
                target: RelationshipEnd { label: graph.label_of(&relationship.labels), name },
                description: properties.remove("description").unwrap_or_default(),
                properties,
                weight,
            })
        })
        .collect();
    // where they stand in the database says nothing
    relations.sort_by_cached_key(|one| {
        (one.kind.clone(), one.target.clone(), one.description.clone(), format!("{:?}", one.properties))
    });
    let node = GraphNode { end, properties, text };
    Some(adoption::document_of(key, Some(&node), &relations))
}

/// Stores what is new or has changed.
async fn store(
    services: &Services,
    documents: Vec<SourceDocument>,
    seen: &mut FxHashSet<Id>,
    report: &mut IndexReport,
) -> Result<()> {
    let ids: Vec<Id> = documents.iter().map(|document| services.ids.document(&document.key)).collect();
    let stored: BTreeMap<Id, Document> = services
        .graph
        .documents_by_id(&ids)
        .await?
        .into_iter()
        .map(|document| (document.id.clone(), document))
        .collect();
    let mut anew = Vec::new();
    for (source, id) in documents.into_iter().zip(ids) {
        let file_hash = adoption::fingerprint_of(&source);
        let as_stored = |document: &Document| {
            document.origin.as_ref().is_some_and(|origin| origin.file == file_hash)
                && !document.content_hash.is_empty()
        };
        match stored.get(&id) {
            Some(document) if as_stored(document) => report.documents_unchanged += 1,
            Some(_) => {
                report.documents_changed += 1;
                Changes::note(&mut report.changes.changed, std::iter::once(source.key.as_str()));
                anew.push(ReadDocument { source, file_hash, pages_by: String::new() });
            }
            None => {
                report.documents_added += 1;
                Changes::note(&mut report.changes.added, std::iter::once(source.key.as_str()));
                anew.push(ReadDocument { source, file_hash, pages_by: String::new() });
            }
        }
        seen.insert(id);
    }
    if anew.is_empty() {
        return Ok(());
    }
    let documents = cut_all(services, anew).await?;
    services.graph.begin_changes().await?;
    services.graph.replace_documents(&documents).await.with_context(|| storing(&documents))?;
    fail_point!("graph-documents-committed");
    Ok(())
}

/// Removes stored documents of a graph that it does not have any more.
async fn remove_gone(
    services: &Services,
    keys: &str,
    seen: &FxHashSet<Id>,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    let mut gone = Vec::new();
    let mut after = keys.to_owned();
    while let Some(page) = page_behind(services, keys, &mut after).await? {
        gone.extend(page.into_iter().filter(|document| !seen.contains(&document.id)));
    }
    part(services, &gone).await?;
    let gone: Vec<Id> = gone.into_iter().map(|document| document.id).collect();
    remove_documents(services, &gone, report, progress).await
}

/// Removes all that a graph said, and then the note of it.
pub(super) async fn leave(
    services: &Services,
    name: &str,
    report: &mut IndexReport,
    progress: &Progress,
) -> Result<()> {
    services.graph.clear_same_as(name).await?;
    remove_gone(services, &adoption::keys_of(name), &FxHashSet::default(), report, progress).await?;
    if progress.stop_requested() {
        return Ok(());
    }
    let mut settings = services.graph.state().await?.settings;
    let mut graphs = AdoptedGraph::stored(&settings);
    graphs.retain(|graph| graph.name != name);
    AdoptedGraph::store(graphs, &mut settings);
    services.graph.begin_changes().await?;
    services.graph.save_settings(&settings).await?;
    Ok(())
}

/// Notes a graph in the workspace's settings, in the place of one of the same name.
pub(super) async fn keep(services: &Services, graph: AdoptedGraph) -> Result<()> {
    let mut settings = services.graph.state().await?.settings;
    let mut graphs = AdoptedGraph::stored(&settings);
    graphs.retain(|known| known.name != graph.name);
    graphs.push(graph);
    AdoptedGraph::store(graphs, &mut settings);
    services.graph.begin_changes().await?;
    services.graph.save_settings(&settings).await?;
    Ok(())
}

async fn graphs_in_ours(services: &Services) -> Result<Vec<AdoptedGraph>> {
    let mut graphs = AdoptedGraph::stored(&services.graph.state().await?.settings);
    graphs.retain(|graph| graph.is_in_ours && !graph.is_leaving);
    Ok(graphs)
}

/// The next documents of a graph; nothing behind the last one.
async fn documents_behind(
    services: &Services,
    name: &str,
    after: &mut String,
) -> Result<Option<Vec<Document>>> {
    page_behind(services, &adoption::keys_of(name), after).await
}

async fn page_behind(services: &Services, keys: &str, after: &mut String) -> Result<Option<Vec<Document>>> {
    let mut page = services.graph.documents(Some(after), PAGE).await?;
    page.retain(|document| document.key.starts_with(keys));
    let Some(last) = page.last() else { return Ok(None) };
    after.clone_from(&last.key);
    Ok(Some(page))
}

/// Joins that are missing, and that are wrong, of some documents.
async fn differences(
    services: &Services,
    naming: &Naming,
    graph: &AdoptedGraph,
    documents: &[Document],
) -> Result<(Vec<SameAs>, Vec<SameAs>)> {
    let wanted: FxHashSet<(Id, String)> = documents
        .iter()
        .filter_map(|document| {
            let entity = naming.entity(&services.ids, &name_key(&document.title))?;
            Some((entity, adoption::last_part(&document.key)?))
        })
        .collect();
    let elements: Vec<String> =
        documents.iter().filter_map(|document| adoption::last_part(&document.key)).collect();
    let stored: FxHashSet<(Id, String)> =
        services.graph.same_as(&graph.name, &elements).await?.into_iter().collect();
    let sorted = |pairs: Vec<&(Id, String)>| {
        let mut pairs: Vec<SameAs> = pairs
            .into_iter()
            .map(|(entity, element)| SameAs { entity: entity.clone(), element: element.clone() })
            .collect();
        pairs.sort();
        pairs
    };
    Ok((sorted(wanted.difference(&stored).collect()), sorted(stored.difference(&wanted).collect())))
}

fn rows(pairs: Vec<SameAs>) -> Vec<(Id, String)> {
    pairs.into_iter().map(|pair| (pair.entity, pair.element)).collect()
}

fn wish_of(graph: &AdoptedGraph) -> ForeignWish {
    ForeignWish {
        labels: graph.labels.clone(),
        types: graph.relationships.clone(),
        name: graph.name_property.clone(),
        text: graph.text_property.clone(),
    }
}
