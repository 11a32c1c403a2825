//! The note of a run that came to its end.

use super::fixture::subjects;
use graphwright::domain::{CompletedRun, Counts, Stale};

#[tokio::test]
async fn a_completed_run_is_known_until_something_is_to_be_changed() {
    for subject in subjects("completed").await {
        let store = &subject.store;
        assert_eq!(store.completed_run().await.unwrap(), None, "{}", subject.backend);
        store.begin_changes().await.unwrap();
        let run = CompletedRun {
            settings: "a \"fingerprint\" '".to_owned(),
            counts: Counts { entities: 7, ..Counts::default() },
            stale: Stale { reports: 2, ..Stale::default() },
            trees: Some(3),
            facts: None,
        };
        store.end_run(Some(&run)).await.unwrap();
        store.end_run(None).await.unwrap();
        assert_eq!(store.completed_run().await.unwrap().as_ref(), Some(&run), "{}", subject.backend);
        let elsewhere = subject.another(&format!("{}_b", subject.ids.workspace())).await;
        elsewhere.begin_changes().await.unwrap();
        assert_eq!(elsewhere.completed_run().await.unwrap(), None, "{}", subject.backend);
        assert_eq!(store.completed_run().await.unwrap().as_ref(), Some(&run), "{}", subject.backend);
        elsewhere.unlock_writer().await.unwrap();
        elsewhere.wipe().await.unwrap();
        store.begin_changes().await.unwrap();
        assert_eq!(store.completed_run().await.unwrap(), None, "{}", subject.backend);
        store.end_run(Some(&run)).await.unwrap();
        store.wipe().await.unwrap();
        assert_eq!(
            store.completed_run().await.unwrap(),
            None,
            "{}: gone with the workspace",
            subject.backend
        );
        subject.finish().await;
    }
}
