//! The ledger: additive over processes, kept apart by workspace.

use super::fixture::subjects;
use graphwright::domain::{Counters, LedgerRow};
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
