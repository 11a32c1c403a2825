//! Leases of pending text units, by every store; several workers of one run, where a store lets them in.

use super::fixture::{Subject, document, entity, subjects, write};
use graphwright::domain::{Counters, Id, LedgerRow, Role, Stage, TextUnit};
use graphwright::stores::graph::{LeasedUnit, RunPart, UnitWrite};
use graphwright::stores::{GraphStore, StoreError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn settings(value: &str) -> BTreeMap<String, String> {
    BTreeMap::from([("same".to_owned(), "here".to_owned()), ("text_units.size".to_owned(), value.to_owned())])
}

/// A unit's records as a worker would write them.
fn read_by(subject: &Subject, leased: &LeasedUnit, name: &str) -> UnitWrite {
    let read = write(&subject.ids, &leased.unit.unit, &[entity(name, "", "")], &[]);
    UnitWrite { lease: leased.fence, ..read }
}

async fn store_units(subject: &Subject, count: usize) -> Vec<TextUnit> {
    let texts: Vec<String> = (0..count).map(|number| format!("unit {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (document, units) = document(&subject.ids, "a.txt", &texts);
    subject.store.replace_document(&document, &units).await.unwrap();
    units
}

async fn pending(store: &dyn GraphStore) -> usize {
    store.pending_units(Stage::Extraction, None, 1000).await.unwrap().len()
}

#[tokio::test]
async fn units_are_leased_page_by_page_and_saved() {
    for subject in subjects("leases").await {
        let store = subject.store.as_ref();
        store_units(&subject, 5).await;
        let first = store.lease_units(None, 3).await.unwrap();
        let after = first.last().map(|leased| leased.unit.unit.id.clone());
        let second = store.lease_units(after.as_ref(), 3).await.unwrap();
        assert_eq!((first.len(), second.len()), (3, 2), "{}", subject.backend);
        let ids: BTreeSet<&Id> = first.iter().chain(&second).map(|leased| &leased.unit.unit.id).collect();
        assert_eq!(ids.len(), 5, "{}", subject.backend);
        // what a process has it may ask for again
        let again = store.lease_units(None, 10).await.unwrap();
        assert_eq!(again.len(), 5, "{}", subject.backend);
        let writes: Vec<UnitWrite> =
            again.iter().map(|leased| read_by(&subject, leased, "Scrooge")).collect();
        store.save_units(&writes).await.unwrap();
        assert_eq!(pending(store).await, 0, "{}", subject.backend);
        assert_eq!(store.lease_units(None, 10).await.unwrap(), [], "{}", subject.backend);
        subject.finish().await;
    }
}

/// Stores that several processes may write to, each with a run that the first process leads and the second joined.
async fn runs(name: &str) -> Vec<(Subject, Arc<dyn GraphStore>)> {
    let mut runs = Vec::new();
    for subject in subjects(name).await {
        subject.store.unlock_writer().await.unwrap();
        let led = subject.store.join_run("the first", &settings("1200")).await.unwrap();
        assert_eq!(led, RunPart::Leads { complete: false }, "{}", subject.backend);
        let other = subject.another(subject.ids.workspace()).await;
        match other.join_run("the second", &settings("1200")).await {
            Ok(part) => assert_eq!(part, RunPart::Helps, "{}", subject.backend),
            Err(refused) => {
                assert!(
                    matches!(&refused, StoreError::Held { holder, .. } if holder == "the first"),
                    "{refused}"
                );
                assert_eq!(subject.backend, "SQLite", "{refused}");
                subject.store.unlock_writer().await.unwrap();
                subject.finish().await;
                continue;
            }
        }
        runs.push((subject, other));
    }
    runs
}

#[tokio::test]
async fn who_joins_helps_and_leads_when_the_first_has_ended() {
    for (subject, other) in runs("joins").await {
        let names = |workers: Vec<graphwright::domain::Worker>| {
            workers
                .into_iter()
                .map(|worker| (worker.name, worker.role, worker.text_units))
                .collect::<Vec<_>>()
        };
        store_units(&subject, 4).await;
        assert_eq!(other.lease_units(None, 2).await.unwrap(), [], "not before the one who leads");
        assert_eq!(subject.store.lease_units(None, 3).await.unwrap().len(), 3);
        let helped = other.lease_units(None, 3).await.unwrap();
        assert_eq!(helped.len(), 1, "what the first has left");
        let expected = [("the first".to_owned(), Role::Leads, 3), ("the second".to_owned(), Role::Helps, 1)];
        assert_eq!(names(other.workers().await.unwrap()), expected);

        let third = subject.another(subject.ids.workspace()).await;
        let refused = third.lock_writer("the third").await.unwrap_err();
        assert!(matches!(&refused, StoreError::Held { holder, .. } if holder.contains("the ")), "{refused}");
        let refused = third.join_run("the third", &settings("300")).await.unwrap_err();
        assert!(matches!(refused, StoreError::Unusable(_)), "{refused}");
        let refused = refused.to_string();
        assert!(refused.contains("text_units.size") && refused.contains("300"), "{refused}");
        assert!(!refused.contains("[same]"), "only what differs: {refused}");

        let row = |calls: u64| LedgerRow {
            task: "extract_graph".into(),
            model: "m".into(),
            counters: Counters {
                input_tokens: calls * 100,
                output_tokens: 10,
                cost: 0.5,
                ..Counters::default()
            },
        };
        subject.store.add_to_ledger(&[row(1)]).await.unwrap();
        let together = other.add_to_ledger(&[row(2)]).await.unwrap();
        assert_eq!((together.tokens, together.cost), (320, 1.0), "what all workers have spent");
        assert_eq!(third.add_to_ledger(&[row(5)]).await.unwrap().tokens, 0, "who asks only is in no run");

        subject.store.end_run(None).await.unwrap();
        assert_eq!(other.join_run("the second", &settings("1200")).await.unwrap(), RunPart::Helps);
        subject.store.unlock_writer().await.unwrap();
        let led = other.join_run("the second", &settings("1200")).await.unwrap();
        assert_eq!(led, RunPart::Leads { complete: true }, "nothing is left to be done");
        other.unlock_writer().await.unwrap();
        assert_eq!(names(other.workers().await.unwrap()), []);

        third.lock_writer("the third").await.unwrap();
        let refused = other.join_run("the second", &settings("1200")).await.unwrap_err();
        assert!(
            matches!(&refused, StoreError::Held { holder, .. } if holder.contains("the third")),
            "{refused}"
        );
        assert_eq!(names(other.workers().await.unwrap()), [("the third".to_owned(), Role::WritesAlone, 0)]);
        third.unlock_writer().await.unwrap();
        let led = other.join_run("the second", &settings("1200")).await.unwrap();
        assert_eq!(led, RunPart::Leads { complete: false }, "another run");
        let together = other.add_to_ledger(&[]).await.unwrap();
        assert_eq!(together.tokens, 0, "which has spent nothing yet");
        other.unlock_writer().await.unwrap();
        subject.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_unit_is_leased_to_two() {
    for (subject, second) in runs("twice").await {
        let mut workers = vec![Arc::clone(&subject.store), second];
        for number in 2..6 {
            let worker = subject.another(subject.ids.workspace()).await;
            worker.join_run(&format!("number {number}"), &settings("1200")).await.unwrap();
            workers.push(worker);
        }
        store_units(&subject, 200).await;
        workers[0].lease_units(None, 1).await.unwrap();
        let leasing = workers.iter().map(|worker| async move {
            let mut mine: Vec<Id> = Vec::new();
            loop {
                let page = worker.lease_units(mine.last(), 7).await.unwrap();
                if page.is_empty() {
                    return mine;
                }
                mine.extend(page.into_iter().map(|leased| leased.unit.unit.id));
            }
        });
        let leased: Vec<Id> = futures::future::join_all(leasing).await.into_iter().flatten().collect();
        let distinct: BTreeSet<&Id> = leased.iter().collect();
        assert_eq!(distinct.len(), leased.len(), "{}: each once", subject.backend);
        assert!(leased.len() >= 199, "{}: {} of 200", subject.backend, leased.len());
        for worker in &workers {
            worker.unlock_writer().await.unwrap();
        }
        subject.finish().await;
    }
}

#[tokio::test]
async fn units_of_a_worker_that_has_left_are_free_and_its_late_writes_are_passed_over() {
    for (subject, other) in runs("late").await {
        store_units(&subject, 2).await;
        let before = subject.store.lease_units(None, 1).await.unwrap();
        let late = other.lease_units(None, 2).await.unwrap();
        assert_eq!((before.len(), late.len()), (1, 1));
        other.unlock_writer().await.unwrap();
        let taken = subject.store.lease_units(None, 2).await.unwrap();
        assert_eq!(taken.len(), 2);
        assert!(taken.iter().any(|leased| leased.unit == late[0].unit && leased.fence > late[0].fence));
        // as a worker again, but with the token of before
        other.join_run("the second", &settings("1200")).await.unwrap();
        other.save_units(&[read_by(&subject, &late[0], "Marley")]).await.unwrap();
        assert_eq!(pending(subject.store.as_ref()).await, 2, "{}", subject.backend);
        let writes: Vec<UnitWrite> =
            taken.iter().map(|leased| read_by(&subject, leased, "Scrooge")).collect();
        subject.store.save_units(&writes).await.unwrap();
        assert_eq!(pending(subject.store.as_ref()).await, 0);
        other.save_units(&[read_by(&subject, &late[0], "Marley")]).await.unwrap();
        let names = subject.store.names(None, 10).await.unwrap();
        assert_eq!(names.iter().map(|name| name.key.as_str()).collect::<Vec<_>>(), ["scrooge"]);
        // whose document is read anew meanwhile is not saved either
        let (changed, units) = document(&subject.ids, "b.txt", &["one"]);
        subject.store.replace_document(&changed, &units).await.unwrap();
        let late = subject.store.lease_units(None, 1).await.unwrap();
        let retitled = graphwright::domain::Document { title: "Another".into(), ..changed };
        subject.store.replace_document(&retitled, &units).await.unwrap();
        subject.store.save_units(&[read_by(&subject, &late[0], "Marley")]).await.unwrap();
        assert_eq!(pending(subject.store.as_ref()).await, 1, "{}: it was read as of before", subject.backend);
        other.unlock_writer().await.unwrap();
        subject.store.unlock_writer().await.unwrap();
        subject.finish().await;
    }
}
