//! Pending vectors, acknowledgements and tombstones.

use super::fixture::{carol, entities, entity, relationship, subjects, write};
use super::sums::sum_up;
use graphwright::domain::Id;
use graphwright::stores::GraphStore;
use graphwright::stores::graph::VectorKind;

async fn acknowledge_all(store: &dyn GraphStore, kind: VectorKind, fingerprint: &str) -> usize {
    let pending = store.pending_vectors(kind, 100).await.unwrap();
    let done: Vec<(Id, String)> =
        pending.into_iter().map(|vector| (vector.id, fingerprint.to_owned())).collect();
    store.acknowledge_vectors(kind, &done).await.unwrap();
    done.len()
}

#[tokio::test]
async fn vectors_are_pending_when_what_is_found_by_changed() {
    for subject in subjects("pending").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let units = carol(store, ids).await;
        assert_eq!(store.pending_vectors(VectorKind::Entities, 10).await.unwrap(), [], "no sum, no text");
        sum_up(store).await;
        let pending = store.pending_vectors(VectorKind::Entities, 10).await.unwrap();
        let bob = pending.iter().find(|vector| vector.id == ids.entity("bob cratchit")).unwrap();
        assert_eq!(bob.text, "Bob Cratchit (clerk)\nA clerk.", "{}", subject.backend);
        assert_eq!((bob.kind.as_deref(), bob.stored_fingerprint.as_deref()), (Some("clerk"), None));
        assert!(pending.iter().map(|vector| &vector.id).is_sorted());
        assert_eq!(store.pending_vectors(VectorKind::Entities, 2).await.unwrap(), pending[..2]);
        assert_eq!(acknowledge_all(store, VectorKind::Entities, "one").await, 3);
        assert_eq!(acknowledge_all(store, VectorKind::TextUnits, "one").await, 3);
        // a degree is not found by
        let records = [
            entity("Scrooge", "person", "A miser."),
            entity("Marley", "person", "Dead."),
            relationship("Marley", "Scrooge", "warns", 9),
            entity("Bob Cratchit", "clerk", "A clerk."),
            relationship("Bob Cratchit", "Marley", "remembers", 1),
        ];
        store.save_units(&[write(ids, &units[0], &records, &[])]).await.unwrap();
        sum_up(store).await;
        assert_eq!(store.entities_by_id(&entities(ids, &["Marley"])).await.unwrap()[0].degree, 2);
        assert_eq!(store.pending_vectors(VectorKind::Entities, 10).await.unwrap(), [], "{}", subject.backend);
        // an alias is
        let records = [entity("SCROOGE", "person", "A miser."), entity("Marley", "person", "Dead.")];
        store.save_units(&[write(ids, &units[0], &records, &[])]).await.unwrap();
        sum_up(store).await;
        let pending = store.pending_vectors(VectorKind::Entities, 10).await.unwrap();
        assert_eq!(pending.len(), 1, "{}", subject.backend);
        assert_eq!(pending[0].stored_fingerprint.as_deref(), Some("one"));
        store
            .acknowledge_vectors(VectorKind::Entities, &[(ids.entity("nobody"), "x".to_owned())])
            .await
            .unwrap();
        assert_eq!(store.pending_vectors(VectorKind::Entities, 10).await.unwrap().len(), 1);
        store.expire_vectors(VectorKind::Entities).await.unwrap();
        let pending = store.pending_vectors(VectorKind::Entities, 10).await.unwrap();
        assert_eq!(pending.len(), 3, "{}", subject.backend);
        assert!(pending.iter().all(|vector| vector.stored_fingerprint.is_none()), "{}", subject.backend);
        assert_eq!(store.pending_vectors(VectorKind::TextUnits, 10).await.unwrap(), []);
        subject.finish().await;
    }
}

#[tokio::test]
async fn what_went_leaves_a_tombstone_until_it_comes_back() {
    for subject in subjects("tombstones").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let units = carol(store, ids).await;
        sum_up(store).await;
        acknowledge_all(store, VectorKind::Entities, "one").await;
        acknowledge_all(store, VectorKind::TextUnits, "one").await;
        store.remove_documents(&[ids.document("carol.txt")]).await.unwrap();
        sum_up(store).await;
        let gone = entities(ids, &["Scrooge", "Marley"]);
        assert_eq!(store.tombstones(VectorKind::Entities, 10).await.unwrap(), gone, "{}", subject.backend);
        assert_eq!(store.tombstones(VectorKind::Entities, 1).await.unwrap(), gone[..1]);
        let mut gone_units = vec![units[0].id.clone(), units[1].id.clone()];
        gone_units.sort();
        assert_eq!(
            store.tombstones(VectorKind::TextUnits, 10).await.unwrap(),
            gone_units,
            "{}",
            subject.backend
        );
        store.clear_tombstones(VectorKind::TextUnits, &gone_units[..1]).await.unwrap();
        store.clear_tombstones(VectorKind::TextUnits, &gone_units[..1]).await.unwrap();
        assert_eq!(store.tombstones(VectorKind::TextUnits, 10).await.unwrap(), gone_units[1..]);
        carol(store, ids).await;
        sum_up(store).await;
        for kind in [VectorKind::Entities, VectorKind::TextUnits] {
            assert_eq!(
                store.tombstones(kind, 10).await.unwrap(),
                [],
                "{}: {kind:?} are back",
                subject.backend
            );
            let pending = store.pending_vectors(kind, 10).await.unwrap();
            let new = pending.iter().filter(|vector| vector.stored_fingerprint.is_none());
            assert_eq!(new.count(), 2, "{}: {kind:?} are new", subject.backend);
        }
        subject.finish().await;
    }
}
