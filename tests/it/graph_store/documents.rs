//! Documents: replaced, removed, and what of their units stays.

use super::fixture::{carol, dirty, document, dump, entities, entity, pair, subjects, write};
use super::sums::sum_up;
use graphwright::domain::{Id, Stage};
use graphwright::stores::graph::{DocumentChange, VectorKind};

#[tokio::test]
async fn a_document_that_is_replaced_by_itself_changes_nothing() {
    for subject in subjects("same_document").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        carol(store, ids).await;
        sum_up(store).await;
        let before = dump(store, store).await;
        let (carol, units) =
            document(ids, "carol.txt", &["Scrooge and Marley.", "Scrooge pays Bob Cratchit."]);
        let change = store.replace_document(&carol, &units).await.unwrap();
        assert_eq!(change, DocumentChange { added: 0, kept: 2, removed: 0 }, "{}", subject.backend);
        assert_eq!(dirty(store).await, (vec![], vec![]), "{}", subject.backend);
        assert_eq!(dump(store, store).await, before, "{}", subject.backend);
        subject.finish().await;
    }
}

#[tokio::test]
async fn units_that_stay_keep_what_was_paid_for() {
    for subject in subjects("kept_units").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let units = carol(store, ids).await;
        sum_up(store).await;
        let kept = store.text_units_by_id(std::slice::from_ref(&units[1].id)).await.unwrap();
        // the first unit goes, a new one comes in front of the second
        let texts = ["Christmas is near.", "It is cold.", "Scrooge pays Bob Cratchit."];
        let (carol, new) = document(ids, "carol.txt", &texts);
        let change = store.replace_document(&carol, &new).await.unwrap();
        assert_eq!(change, DocumentChange { added: 2, kept: 1, removed: 1 }, "{}", subject.backend);
        let stored = store.text_units_of(&carol.id).await.unwrap();
        assert_eq!(stored.iter().map(|unit| unit.unit.clone()).collect::<Vec<_>>(), new);
        assert_eq!(stored[2].state, kept[0].state, "{}", subject.backend);
        // what the moved unit supports is dirty, and what only the gone one supported
        let everybody = entities(ids, &["Scrooge", "Marley", "Bob Cratchit"]);
        let mut both = vec![pair(ids, "Scrooge", "Marley"), pair(ids, "Scrooge", "Bob Cratchit")];
        both.sort();
        assert_eq!(dirty(store).await, (everybody, both), "{}", subject.backend);
        let pending = store.pending_units(Stage::Extraction, None, 10).await.unwrap();
        assert_eq!(pending.len(), 2);
        assert_eq!(store.tombstones(VectorKind::TextUnits, 10).await.unwrap(), [units[0].id.clone()]);
        sum_up(store).await;
        assert_eq!(store.entities_by_id(&entities(ids, &["Marley"])).await.unwrap(), []);
        subject.finish().await;
    }
}

#[tokio::test]
async fn another_title_means_reading_again_and_other_vectors() {
    for subject in subjects("retitled").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let units = carol(store, ids).await;
        let pending = store.pending_vectors(VectorKind::TextUnits, 10).await.unwrap();
        let done: Vec<(Id, String)> = pending.iter().map(|vector| (vector.id.clone(), "f".into())).collect();
        store.acknowledge_vectors(VectorKind::TextUnits, &done).await.unwrap();
        let (mut notes, unit) = document(ids, "notes.txt", &["Bob Cratchit shivers."]);
        notes.title = "Notes on cold".to_owned();
        store.replace_document(&notes, &unit).await.unwrap();
        let pending = store.pending_units(Stage::Extraction, None, 10).await.unwrap();
        assert_eq!(pending.len(), 1, "{}", subject.backend);
        assert_eq!(pending[0].unit.id, units[2].id);
        assert_eq!(pending[0].state.records.len(), 2, "its records stay until it is read again");
        let pending = store.pending_vectors(VectorKind::TextUnits, 10).await.unwrap();
        assert_eq!(pending.len(), 1, "{}", subject.backend);
        assert_eq!(pending[0].text, "Notes on cold › Stave I\nBob Cratchit shivers.");
        assert_eq!(pending[0].document_id, Some(notes.id));
        subject.finish().await;
    }
}

#[tokio::test]
async fn added_and_removed_equals_never_added() {
    for subject in subjects("add_remove").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        carol(store, ids).await;
        sum_up(store).await;
        let before = dump(store, store).await;
        let (other, units) = document(ids, "another.txt", &["Scrooge mourns.", "Fred visits."]);
        store.replace_document(&other, &units).await.unwrap();
        let records = [
            entity("SCROOGE", "ghost", "First in order."),
            entity("Bob Cratchit", "clerk", ""),
            super::fixture::relationship("Bob Cratchit", "SCROOGE", "fears", 3),
        ];
        let fred = [entity("Fred", "person", "A nephew."), super::fixture::claim("Fred", None, "He visits.")];
        let writes = [write(ids, &units[0], &records, &[]), write(ids, &units[1], &fred, &["Scrooge"])];
        store.save_units(&writes).await.unwrap();
        sum_up(store).await;
        assert_ne!(dump(store, store).await, before);
        store.remove_documents(&[other.id.clone(), ids.document("unknown")]).await.unwrap();
        store.remove_documents(&[other.id]).await.unwrap();
        sum_up(store).await;
        assert_eq!(dump(store, store).await, before, "{}", subject.backend);
        subject.finish().await;
    }
}

#[tokio::test]
async fn when_a_document_came_in_can_be_said_again() {
    for subject in subjects("indexed_at").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        carol(store, ids).await;
        let both = [ids.document("carol.txt"), ids.document("notes.txt")];
        let now = store.documents_indexed_at(&both).await.unwrap();
        assert_eq!(now.len(), 2, "{}", subject.backend);
        let long_ago = "2024-02-03T04:05:06Z".to_owned();
        let times = [
            (both[0].clone(), Some(long_ago.clone())),
            (both[1].clone(), None),
            (ids.document("unknown"), Some(long_ago.clone())),
        ];
        store.save_indexed_at(&times).await.unwrap();
        let told = store.documents_indexed_at(&both).await.unwrap();
        assert_eq!(told, [(both[0].clone(), long_ago)], "{}", subject.backend);
        // what the store itself noted is taken back as well
        let again: Vec<(Id, Option<String>)> =
            now.iter().map(|(id, at)| (id.clone(), Some(at.clone()))).collect();
        store.save_indexed_at(&again).await.unwrap();
        assert_eq!(store.documents_indexed_at(&both).await.unwrap(), now, "{}", subject.backend);
        subject.finish().await;
    }
}

#[tokio::test]
async fn a_document_of_no_units_is_a_document() {
    for subject in subjects("empty_document").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let (empty, units) = document(ids, "empty.txt", &[]);
        assert_eq!(store.replace_document(&empty, &units).await.unwrap(), DocumentChange::default());
        assert_eq!(store.documents(None, 10).await.unwrap(), std::slice::from_ref(&empty));
        assert_eq!(store.text_units_of(&empty.id).await.unwrap(), []);
        let status = &store.document_status(None, 10).await.unwrap()[0];
        assert_eq!(
            (status.text_units, status.extracted, status.failed, status.error.clone()),
            (0, 0, 0, None)
        );
        subject.finish().await;
    }
}
