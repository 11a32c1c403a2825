//! Summary trees: valid from a generation to a generation, gone with their document, their vectors pending.

use super::fixture::{carol, subjects};
use graphwright::domain::{Id, Ids, TreeNode, TreePassage};
use graphwright::stores::GraphStore;
use graphwright::stores::graph::VectorKind;

fn leaf(ids: &Ids, document: &Id, unit: &Id, start: u64, text: &str) -> TreeNode {
    TreeNode {
        id: ids.other("leaf", &[unit.as_str(), &start.to_string()]),
        document: Some(document.clone()),
        level: 0,
        text: text.to_owned(),
        token_count: 3,
        children: Vec::new(),
        passage: Some(TreePassage {
            text_unit: unit.clone(),
            start,
            end: start + text.chars().count() as u64,
        }),
        stamp: None,
    }
}

fn summary(ids: &Ids, children: &[&TreeNode], document: Option<&Id>, stamp: Option<&str>) -> TreeNode {
    // the order of the text, which is not that of ids
    let children: Vec<Id> = children.iter().rev().map(|node| node.id.clone()).collect();
    let parts: Vec<&str> = children.iter().map(Id::as_str).collect();
    TreeNode {
        id: ids.other("summary", &parts),
        document: document.cloned(),
        level: 1,
        text: format!("A summary of {}, \"他\".", children.len()),
        token_count: 7,
        children,
        passage: None,
        stamp: stamp.map(str::to_owned),
    }
}

fn sorted(mut nodes: Vec<TreeNode>) -> Vec<TreeNode> {
    nodes.sort_by(|a, b| a.id.cmp(&b.id));
    nodes
}

async fn all(store: &dyn GraphStore) -> Vec<TreeNode> {
    store.tree_nodes(None, 100).await.unwrap()
}

/// The first document's id with one of its units.
async fn place(store: &dyn GraphStore) -> (Id, Id) {
    let document = store.documents(None, 1).await.unwrap().remove(0).id;
    let unit = store.text_units_of(&document).await.unwrap().remove(0).unit.id;
    (document, unit)
}

#[tokio::test]
async fn trees_are_read_back_and_seen_when_they_are_published() {
    for subject in subjects("trees").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        carol(store, ids).await;
        let (document, unit) = place(store).await;
        let (one, two) = (leaf(ids, &document, &unit, 0, "Eins."), leaf(ids, &document, &unit, 6, "Zwei é."));
        let root = summary(ids, &[&one, &two], Some(&document), Some("first"));
        let tree = [one.clone(), two.clone(), root.clone()];
        store.save_tree(1, Some(&document), &tree).await.unwrap();
        store.save_tree(1, Some(&document), &tree).await.unwrap();
        assert_eq!(all(store).await, [], "not published on {}", subject.backend);
        assert_eq!(store.tree_roots(1).await.unwrap(), std::slice::from_ref(&root), "{}", subject.backend);
        store.publish_generation(1).await.unwrap();
        assert_eq!(all(store).await, sorted(tree.to_vec()), "{}", subject.backend);
        let wanted = [root.id.clone(), one.id.clone(), ids.other("unknown", &[])];
        let found = store.tree_nodes_by_id(&wanted).await.unwrap();
        assert_eq!(found, sorted(vec![one.clone(), root.clone()]), "{}", subject.backend);
        let whole = sorted(tree.to_vec());
        let behind = store.tree_nodes(Some(&whole[0].id), 1).await.unwrap();
        assert_eq!(behind, whole[1..2], "{}", subject.backend);

        // another tree over one leaf less, and a top tree
        let snapshot = store.snapshot().await.unwrap();
        let alone = TreeNode { stamp: Some("second".to_owned()), ..two.clone() };
        let top = summary(ids, &[&alone], None, Some("top"));
        store.save_tree(2, Some(&document), std::slice::from_ref(&alone)).await.unwrap();
        store.save_tree(2, None, std::slice::from_ref(&top)).await.unwrap();
        let ids_of = |nodes: Vec<TreeNode>| nodes.into_iter().map(|node| node.id).collect::<Vec<_>>();
        assert_eq!(ids_of(all(store).await).len(), 3, "{}", subject.backend);
        assert_eq!(store.tree_roots(2).await.unwrap(), [top.clone(), alone.clone()], "{}", subject.backend);
        store.publish_generation(2).await.unwrap();
        assert_eq!(all(store).await, sorted(vec![alone.clone(), top.clone()]), "{}", subject.backend);
        assert_eq!(ids_of(snapshot.tree_nodes(None, 9).await.unwrap()).len(), 3, "{}", subject.backend);
        drop(snapshot);

        // what ended before is swept with a tombstone, and may come back
        store.sweep_generations(2).await.unwrap();
        let mut gone = vec![one.id.clone(), root.id.clone()];
        gone.sort();
        assert_eq!(store.tombstones(VectorKind::Summaries, 9).await.unwrap(), gone, "{}", subject.backend);
        let work = store.kinds_with_vector_work().await.unwrap();
        assert!(work.contains(&VectorKind::Summaries), "{}: {work:?}", subject.backend);
        store.save_tree(3, Some(&document), &tree).await.unwrap();
        assert_eq!(store.tombstones(VectorKind::Summaries, 9).await.unwrap(), [], "{}", subject.backend);
        store.publish_generation(3).await.unwrap();
        assert_eq!(all(store).await.len(), 4, "{}", subject.backend);
        subject.finish().await;
    }
}

#[tokio::test]
async fn an_unfinished_tree_leaves_nothing() {
    for subject in subjects("unfinished_tree").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        carol(store, ids).await;
        let (document, unit) = place(store).await;
        let one = TreeNode { stamp: Some("one".to_owned()), ..leaf(ids, &document, &unit, 0, "Eins.") };
        store.save_tree(1, Some(&document), std::slice::from_ref(&one)).await.unwrap();
        store.publish_generation(1).await.unwrap();
        let other = TreeNode { stamp: Some("two".to_owned()), ..leaf(ids, &document, &unit, 6, "Zwei.") };
        store.save_tree(2, Some(&document), std::slice::from_ref(&other)).await.unwrap();
        store.sweep_unfinished().await.unwrap();
        assert_eq!(store.tree_roots(2).await.unwrap(), std::slice::from_ref(&one), "{}", subject.backend);
        assert_eq!(all(store).await, [one], "{}", subject.backend);
        assert_eq!(
            store.tombstones(VectorKind::Summaries, 9).await.unwrap(),
            [other.id],
            "{}",
            subject.backend
        );
        subject.finish().await;
    }
}

#[tokio::test]
async fn vectors_of_trees_are_pending_and_trees_go_with_their_document() {
    for subject in subjects("tree_vectors").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        carol(store, ids).await;
        let (document, unit) = place(store).await;
        let one = leaf(ids, &document, &unit, 0, "Eins.");
        let root = summary(ids, &[&one], Some(&document), Some("first"));
        store.save_tree(1, Some(&document), &[one.clone(), root.clone()]).await.unwrap();
        let pending = store.pending_vectors(VectorKind::Summaries, 9).await.unwrap();
        assert_eq!(pending.len(), 2, "{}", subject.backend);
        let waiting = pending.iter().find(|waiting| waiting.id == root.id).unwrap();
        assert_eq!((&waiting.text, waiting.level), (&root.text, Some(1)), "{}", subject.backend);
        assert_eq!(waiting.document_id.as_ref(), Some(&document), "{}", subject.backend);
        let done: Vec<(Id, String)> = pending.into_iter().map(|one| (one.id, "made".to_owned())).collect();
        store.acknowledge_vectors(VectorKind::Summaries, &done).await.unwrap();
        store.save_tree(1, Some(&document), &[one.clone(), root.clone()]).await.unwrap();
        assert_eq!(store.pending_vectors(VectorKind::Summaries, 9).await.unwrap(), [], "{}", subject.backend);
        store.expire_vectors(VectorKind::Summaries).await.unwrap();
        assert_eq!(store.pending_vectors(VectorKind::Summaries, 9).await.unwrap().len(), 2);
        store.publish_generation(1).await.unwrap();
        store.remove_documents(std::slice::from_ref(&document)).await.unwrap();
        assert_eq!(all(store).await, [], "{}", subject.backend);
        assert_eq!(store.pending_vectors(VectorKind::Summaries, 9).await.unwrap(), [], "{}", subject.backend);
        let mut gone = vec![one.id, root.id];
        gone.sort();
        assert_eq!(store.tombstones(VectorKind::Summaries, 9).await.unwrap(), gone, "{}", subject.backend);
        subject.finish().await;
    }
}
