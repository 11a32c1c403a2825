//! Workspaces never touch each other; one writer at a time; snapshots stay.

use super::fixture::{carol, document, dump, subjects};
use super::sums::sum_up;
use crate::support::fresh_workspace;
use graphwright::domain::Ids;
use graphwright::stores::StoreError;
use graphwright::stores::graph::VectorKind;
use std::collections::BTreeMap;

#[tokio::test]
async fn nothing_of_one_workspace_is_seen_or_changed_from_another() {
    for subject in subjects("workspaces").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let other_name = fresh_workspace("workspaces_other");
        let other = subject.another(&other_name).await;
        let other_ids = Ids::new(other_name);
        carol(store, ids).await;
        sum_up(store).await;
        store.save_dictionary(&["scrooge".to_owned()], &[]).await.unwrap();
        store.save_settings(&BTreeMap::from([("a".to_owned(), "b".to_owned())])).await.unwrap();
        let before = dump(store, store).await;
        assert_eq!(
            other.counts().await.unwrap(),
            graphwright::domain::Counts::default(),
            "{}",
            subject.backend
        );
        assert!(other.dictionary().await.unwrap().is_empty());
        assert!(other.state().await.unwrap().settings.is_empty());
        assert_eq!(other.entities_by_id(&[ids.entity("scrooge")]).await.unwrap(), []);
        assert_eq!(other.units_with_names(&["scrooge".to_owned()]).await.unwrap(), []);
        other.remove_documents(&[ids.document("carol.txt")]).await.unwrap();
        other.expire_vectors(VectorKind::Entities).await.unwrap();
        assert_eq!(other.expire_extraction("x").await.unwrap(), 0);
        carol(other.as_ref(), &other_ids).await;
        sum_up(other.as_ref()).await;
        other.remove_documents(&[other_ids.document("notes.txt")]).await.unwrap();
        other.publish_generation(9).await.unwrap();
        other.sweep_generations(9).await.unwrap();
        assert_eq!(dump(store, store).await, before, "{}", subject.backend);
        other.wipe().await.unwrap();
        assert_eq!(dump(store, store).await, before, "{}", subject.backend);
        other.unlock_writer().await.unwrap();
        subject.finish().await;
    }
}

#[tokio::test]
async fn a_wiped_workspace_is_as_new() {
    for subject in subjects("wiped").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let new = dump(store, store).await;
        carol(store, ids).await;
        sum_up(store).await;
        store.save_resolution(&BTreeMap::from([("a".to_owned(), Some("b".to_owned()))])).await.unwrap();
        store.remove_documents(&[ids.document("notes.txt")]).await.unwrap();
        store.publish_generation(3).await.unwrap();
        store.wipe().await.unwrap();
        store.prepare().await.unwrap();
        assert_eq!(dump(store, store).await, new, "{}", subject.backend);
        assert_eq!(store.state().await.unwrap(), graphwright::stores::graph::WorkspaceState::default());
        for kind in VectorKind::ALL {
            assert_eq!(store.pending_vectors(kind, 10).await.unwrap(), []);
            assert_eq!(store.tombstones(kind, 10).await.unwrap(), [], "{}", subject.backend);
        }
        carol(store, ids).await;
        sum_up(store).await;
        assert_eq!(store.counts().await.unwrap().entities, 3, "{}: and can be used again", subject.backend);
        subject.finish().await;
    }
}

#[tokio::test]
async fn the_second_writer_is_told_who_the_first_is() {
    for subject in subjects("writers").await {
        let other = subject.another(subject.ids.workspace()).await;
        let refused = other.lock_writer("the second").await.unwrap_err();
        let StoreError::Held { workspace, holder } = &refused else { panic!("{refused}") };
        assert_eq!(workspace, subject.ids.workspace(), "{}", subject.backend);
        assert!(holder.contains(&format!("process {}", std::process::id())), "{}: {holder}", subject.backend);
        subject.store.lock_writer("the same again").await.unwrap();
        subject.store.unlock_writer().await.unwrap();
        other.lock_writer("the second").await.unwrap();
        other.unlock_writer().await.unwrap();
        subject.finish().await;
    }
}

#[tokio::test]
async fn what_is_written_is_seen_by_others_at_once() {
    for subject in subjects("others").await {
        let other = subject.another(subject.ids.workspace()).await;
        let (one, units) = document(&subject.ids, "one.txt", &["a", "b"]);
        subject.store.replace_document(&one, &units).await.unwrap();
        assert_eq!(other.text_units_of(&one.id).await.unwrap().len(), 2, "{}", subject.backend);
        subject.finish().await;
    }
}
