//! Workspaces never touch each other; one writer at a time; snapshots stay.

use super::fixture::{carol, document, dump, subjects};
use super::sums::sum_up;
use crate::support::fresh_workspace;
use graphwright::domain::{CompletedRun, Ids};
use graphwright::stores::StoreError;
use graphwright::stores::graph::{VectorKind, WorkspaceState};
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
async fn a_writer_sees_what_it_wrote_and_later_what_others_wrote() {
    for subject in subjects("writers").await {
        let store = subject.store.as_ref();
        let settings = |value: &str| BTreeMap::from([("a".to_owned(), value.to_owned())]);
        for value in ["first", "second"] {
            store.save_settings(&settings(value)).await.unwrap();
            assert_eq!(store.state().await.unwrap().settings, settings(value), "{}", subject.backend);
        }
        store.publish_generation(1).await.unwrap();
        assert_eq!(store.state().await.unwrap().generation, 1, "{}", subject.backend);
        let next = subject.another(subject.ids.workspace()).await;
        store.unlock_writer().await.unwrap();
        next.lock_writer("the next").await.unwrap();
        next.begin_changes().await.unwrap();
        next.save_settings(&settings("third")).await.unwrap();
        next.publish_generation(2).await.unwrap();
        for reader in [store, next.as_ref()] {
            let state = reader.state().await.unwrap();
            assert_eq!((state.generation, state.settings), (2, settings("third")), "{}", subject.backend);
        }
        next.end_run(Some(&CompletedRun::default())).await.unwrap();
        next.unlock_writer().await.unwrap();
        store.lock_writer("the first again").await.unwrap();
        assert_eq!(store.state().await.unwrap().settings, settings("third"), "{}", subject.backend);
        // what another noted is taken away again
        assert!(store.completed_run().await.unwrap().is_some(), "{}", subject.backend);
        for _ in 0..2 {
            store.begin_changes().await.unwrap();
            assert!(store.completed_run().await.unwrap().is_none(), "{}", subject.backend);
            store.end_run(Some(&CompletedRun::default())).await.unwrap();
        }
        store.wipe().await.unwrap();
        assert_eq!(store.state().await.unwrap(), WorkspaceState::default(), "{}", subject.backend);
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
