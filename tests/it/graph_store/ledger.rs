//! The ledger: additive over processes, kept apart by workspace.

use super::fixture::{carol, dump, subjects};
use super::sums::sum_up;
use graphwright::domain::{Counters, Edit, EditKind, Id, LedgerRow};
use graphwright::stores::graph::WorkspaceState;
use std::collections::BTreeMap;
use std::sync::Arc;

fn row(task: &str, model: &str, calls: u64) -> LedgerRow {
    let counters = Counters {
        calls,
        cached: 1,
        input_tokens: 1000 * calls,
        cached_tokens: 10 * calls,
        output_tokens: 100 * calls,
        retries: 2,
        failures: 3,
        time_ms: 40 * calls,
        cost: 0.25 * calls as f64,
    };
    LedgerRow { task: task.into(), model: model.into(), counters }
}

#[tokio::test]
async fn what_processes_add_at_the_same_time_is_all_there() {
    for subject in subjects("ledger").await {
        let store = Arc::clone(&subject.store);
        assert_eq!(store.ledger().await.unwrap(), [], "{}", subject.backend);
        store.add_to_ledger(&[]).await.unwrap();
        let other = subject.another(subject.ids.workspace()).await;
        let both = [row("extract_graph", "m", 2), row("embed", "模型'\"", 1)];
        let adding = (0..20).map(|number| {
            // a reader of the workspace spends as well
            let store = if number % 2 == 0 { &store } else { &other };
            store.add_to_ledger(&both)
        });
        for result in futures::future::join_all(adding).await {
            result.unwrap();
        }
        let mut expected = [row("embed", "模型'\"", 20), row("extract_graph", "m", 40)];
        for row in &mut expected {
            (row.counters.cached, row.counters.retries, row.counters.failures) = (20, 40, 60);
        }
        assert_eq!(store.ledger().await.unwrap(), expected, "{}", subject.backend);
        assert_eq!(other.ledger().await.unwrap(), expected);
        let elsewhere = subject.another(&format!("{}_b", subject.ids.workspace())).await;
        assert_eq!(elsewhere.ledger().await.unwrap(), [], "{}", subject.backend);
        elsewhere.unlock_writer().await.unwrap();
        elsewhere.wipe().await.unwrap();
        assert_eq!(store.ledger().await.unwrap().len(), 2);
        let backend = subject.backend.clone();
        subject.finish().await;
        assert_eq!(other.ledger().await.unwrap(), [], "{backend}: gone with the workspace");
    }
}

#[tokio::test]
async fn what_was_spent_stays_where_all_else_is_cleared_away() {
    for subject in subjects("ledger_cleared").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let new = dump(store, store).await;
        carol(store, ids).await;
        sum_up(store).await;
        store.add_to_ledger(&[row("extract_graph", "m", 2)]).await.unwrap();
        store.save_settings(&BTreeMap::from([("a".to_owned(), "b".to_owned())])).await.unwrap();
        store.save_edit(&edit(), false).await.unwrap();
        store.publish_generation(3).await.unwrap();
        store.clear().await.unwrap();
        store.prepare().await.unwrap();
        assert_eq!(dump(store, store).await, new, "{}", subject.backend);
        assert_eq!(store.state().await.unwrap(), WorkspaceState::default(), "{}", subject.backend);
        assert_eq!(store.edits().await.unwrap(), [], "{}", subject.backend);
        assert_eq!(store.ledger().await.unwrap(), [row("extract_graph", "m", 2)], "{}", subject.backend);
        store.add_to_ledger(&[row("extract_graph", "m", 1)]).await.unwrap();
        assert_eq!(store.ledger().await.unwrap()[0].counters.calls, 3, "{}", subject.backend);
        subject.finish().await;
    }
}

fn edit() -> Edit {
    let kind = EditKind::Rename { name: "scrooge".into(), to: "Ebenezer Scrooge".into() };
    Edit { id: Id::from_stored("e".repeat(32)), sequence: 1, kind }
}
