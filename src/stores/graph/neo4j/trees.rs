//! Summary trees: nodes valid from a generation to a generation, `SUMMARIZED_BY` from child to parent.

use super::Neo4jGraph;
use super::connection::{Neo4jConnection, Transaction, id, map, number, sorted, texts};
use super::queries::IdRow;
use super::vectors::{clear_tombstones, save_tombstones};
use crate::domain::{Id, TreeNode, TreePassage};
use crate::stores::StoreResult;
use crate::stores::graph::{RunReader, TreeReader, TreeStore, VectorKind};
use async_trait::async_trait;
use neo4rs::{BoltType, Query};
use serde::Deserialize;
use std::collections::BTreeSet;

const REMOVE_DOCUMENTS_TREE: &str = include_str!("../../../../cypher/store/remove_documents_tree.cypher");
const REMOVE_TREE_NODES: &str = include_str!("../../../../cypher/store/remove_tree_nodes.cypher");
const SAVE_TREE: &str = include_str!("../../../../cypher/store/save_tree.cypher");
const SAVE_TREE_CHILDREN: &str = include_str!("../../../../cypher/store/save_tree_children.cypher");
const SAVE_TREE_END: &str = include_str!("../../../../cypher/store/save_tree_end.cypher");
const SAVE_TREE_LEAVES: &str = include_str!("../../../../cypher/store/save_tree_leaves.cypher");
const SAVE_TREE_OPEN: &str = include_str!("../../../../cypher/store/save_tree_open.cypher");
const SWEEP_GENERATIONS_TREES: &str = include_str!("../../../../cypher/store/sweep_generations_trees.cypher");
const SWEEP_UNFINISHED_TREES_FIND: &str =
    include_str!("../../../../cypher/store/sweep_unfinished_trees_find.cypher");
const SWEEP_UNFINISHED_TREES_REOPEN: &str =
    include_str!("../../../../cypher/store/sweep_unfinished_trees_reopen.cypher");
const TREE_NODES: &str = include_str!("../../../../cypher/store/tree_nodes.cypher");
const TREE_NODES_BY_ID: &str = include_str!("../../../../cypher/store/tree_nodes_by_id.cypher");
const TREE_ROOTS: &str = include_str!("../../../../cypher/store/tree_roots.cypher");

/// Nodes removed in one transaction.
const REMOVED_PER_TRANSACTION: usize = 2_000;
/// Ids asked for in one statement.
const IDS_PER_STATEMENT: usize = 5_000;

#[derive(Deserialize)]
struct TreeNodeRow {
    id: Id,
    /// Empty in the top tree.
    document: String,
    level: u32,
    text: String,
    token_count: u32,
    children: Vec<Id>,
    text_unit: Option<Id>,
    start: Option<u64>,
    end: Option<u64>,
    stamp: Option<String>,
}

#[async_trait]
impl TreeReader for Neo4jGraph {
    async fn tree_roots(&self, generation: u64) -> StoreResult<Vec<TreeNode>> {
        let query = self.connection.query(TREE_ROOTS).param("generation", number(generation));
        let mut roots = read(&self.connection, query).await?;
        roots.sort_unstable_by(|a, b| (&a.document, &a.id).cmp(&(&b.document, &b.id)));
        Ok(roots)
    }

    async fn tree_nodes_by_id(&self, ids: &[Id]) -> StoreResult<Vec<TreeNode>> {
        let generation = self.generation().await?;
        let mut nodes = Vec::new();
        for batch in sorted(ids.iter().cloned()).chunks(IDS_PER_STATEMENT) {
            let query = self.connection.query(TREE_NODES_BY_ID).param("ids", texts(batch));
            nodes.extend(read(&self.connection, query.param("generation", number(generation))).await?);
        }
        nodes.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(nodes)
    }

    async fn tree_nodes(&self, after: Option<&Id>, limit: usize) -> StoreResult<Vec<TreeNode>> {
        let query = self.page(TREE_NODES, after.map(Id::as_str), limit);
        let generation = self.generation().await?;
        let mut nodes = read(&self.connection, query.param("generation", number(generation))).await?;
        nodes.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(nodes)
    }
}

#[async_trait]
impl TreeStore for Neo4jGraph {
    async fn save_tree(&self, generation: u64, document: Option<&Id>, nodes: &[TreeNode]) -> StoreResult<()> {
        self.write(|| self.save_tree_once(generation, document, nodes)).await
    }
}

impl Neo4jGraph {
    pub(super) async fn save_tree_once(
        &self,
        generation: u64,
        document: Option<&Id>,
        nodes: &[TreeNode],
    ) -> StoreResult<()> {
        let mut transaction = self.connection.begin().await?;
        let document = document.map(Id::as_str).unwrap_or_default();
        let open: Vec<IdRow> =
            transaction.rows(self.connection.query(SAVE_TREE_OPEN).param("document", document)).await?;
        let given: BTreeSet<&Id> = nodes.iter().map(|node| &node.id).collect();
        let ended = sorted(open.into_iter().map(|row| row.id).filter(|id| !given.contains(id)));
        for batch in ended.chunks(IDS_PER_STATEMENT) {
            let query = self.connection.query(SAVE_TREE_END).param("generation", number(generation));
            transaction.run(query.param("ids", texts(batch))).await?;
        }
        let mut by_id: Vec<&TreeNode> = nodes.iter().collect();
        by_id.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        let rows = by_id.iter().map(|node| node_row(node, document)).collect();
        let save = self.connection.query(SAVE_TREE).param("generation", number(generation));
        transaction.run_rows_with(save, rows).await?;
        clear_tombstones(&mut transaction, &sorted(given.into_iter().cloned())).await?;
        let children = by_id.iter().flat_map(|node| {
            node.children.iter().map(|child| map([("parent", id(&node.id)), ("child", id(child))]))
        });
        transaction.run_rows(SAVE_TREE_CHILDREN, children.collect()).await?;
        let leaves = by_id.iter().filter_map(|node| {
            let passage = node.passage.as_ref()?;
            Some(map([("id", id(&node.id)), ("text_unit", id(&passage.text_unit))]))
        });
        transaction.run_rows(SAVE_TREE_LEAVES, leaves.collect()).await?;
        self.commit(transaction).await
    }

    /// Removes a document's tree, in every generation.
    pub(super) async fn take_tree_out(
        &self,
        transaction: &mut Transaction<'_>,
        document: &Id,
    ) -> StoreResult<()> {
        let query = self.connection.query(REMOVE_DOCUMENTS_TREE).param("document", document.as_str());
        let nodes: Vec<IdRow> = transaction.rows(query).await?;
        remove(transaction, &sorted(nodes.into_iter().map(|row| row.id))).await
    }

    pub(super) async fn sweep_unfinished_trees(&self) -> StoreResult<()> {
        let generation = self.state().await?.generation;
        self.remove_found(SWEEP_UNFINISHED_TREES_FIND, generation).await?;
        self.write(|| async {
            let mut transaction = self.connection.begin().await?;
            transaction
                .run(
                    self.connection
                        .query(SWEEP_UNFINISHED_TREES_REOPEN)
                        .param("generation", number(generation)),
                )
                .await?;
            self.commit(transaction).await
        })
        .await
    }

    pub(super) async fn sweep_past_trees(&self, generation: u64) -> StoreResult<()> {
        self.remove_found(SWEEP_GENERATIONS_TREES, generation).await
    }

    async fn remove_found(&self, text: &str, generation: u64) -> StoreResult<()> {
        let query = self.connection.query(text).param("generation", number(generation));
        let found: Vec<IdRow> = self.connection.read(query).await?;
        for batch in sorted(found.into_iter().map(|row| row.id)).chunks(REMOVED_PER_TRANSACTION) {
            self.write(|| async {
                let mut transaction = self.connection.begin().await?;
                remove(&mut transaction, batch).await?;
                self.commit(transaction).await
            })
            .await?;
        }
        Ok(())
    }
}

impl TreeNodeRow {
    fn into_node(self) -> TreeNode {
        let (start, end) = (self.start.unwrap_or_default(), self.end.unwrap_or_default());
        TreeNode {
            id: self.id,
            document: (!self.document.is_empty()).then(|| Id::from_stored(self.document)),
            level: self.level,
            text: self.text,
            token_count: self.token_count,
            children: self.children,
            passage: self.text_unit.map(|text_unit| TreePassage { text_unit, start, end }),
            stamp: self.stamp,
        }
    }
}

async fn read(connection: &Neo4jConnection, query: Query) -> StoreResult<Vec<TreeNode>> {
    let rows: Vec<TreeNodeRow> = connection.read(query).await?;
    Ok(rows.into_iter().map(TreeNodeRow::into_node).collect())
}

async fn remove(transaction: &mut Transaction<'_>, nodes: &[Id]) -> StoreResult<()> {
    save_tombstones(transaction, VectorKind::Summaries, nodes).await?;
    transaction.run_ids(REMOVE_TREE_NODES, nodes).await
}

fn node_row(node: &TreeNode, document: &str) -> BoltType {
    let passage = node.passage.as_ref();
    let offset = |at: Option<u64>| at.map_or_else(|| BoltType::from(None::<i64>), number);
    map([
        ("id", id(&node.id)),
        ("label", if passage.is_some() { "Leaf" } else { "Summary" }.into()),
        (
            "properties",
            map([
                ("document_id", document.into()),
                ("level", number(node.level)),
                ("text", node.text.as_str().into()),
                ("token_count", number(node.token_count)),
                ("children", texts(&node.children)),
                ("text_unit_id", passage.map(|passage| passage.text_unit.as_str()).into()),
                ("start_offset", offset(passage.map(|passage| passage.start))),
                ("end_offset", offset(passage.map(|passage| passage.end))),
                ("stamp", node.stamp.as_deref().into()),
            ]),
        ),
    ])
}
