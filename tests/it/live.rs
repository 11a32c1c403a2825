//! Questions are answered while an index run is going on, and see one generation.

use crate::support::{TestIndex, fresh_workspace, pairings};
use graphwright::query::{self, QueryRequest};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const ENGLISH: &str = include_str!("../fixtures/sample/a-christmas-carol.txt");
const CHINESE: &str = include_str!("../fixtures/sample/three-kingdoms.txt");

#[tokio::test(flavor = "multi_thread")]
async fn queries_answer_during_a_run_and_see_one_generation() {
    for pairing in pairings() {
        let index = Arc::new(TestIndex::new(&pairing, &fresh_workspace("live")).await);
        index.write("a.txt", ENGLISH);
        index.index(&["a.txt"]).await;
        index.write("b.txt", CHINESE);
        let over = Arc::new(AtomicBool::new(false));
        let reader = {
            let (index, over) = (Arc::clone(&index), Arc::clone(&over));
            tokio::spawn(async move {
                let mut asked = 0;
                while !over.load(Ordering::SeqCst) || asked == 0 {
                    let snapshot = index.services.graph.snapshot().await.expect("a snapshot");
                    let generation = snapshot.state().await.expect("a state").generation;
                    let communities = snapshot.communities(generation).await.expect("communities");
                    let ids: BTreeSet<_> = communities.iter().map(|c| c.id.clone()).collect();
                    let mut covered: BTreeSet<_> = BTreeSet::new();
                    for community in communities.iter().filter(|c| c.level == 0) {
                        for member in &community.members {
                            assert!(
                                covered.insert(member.clone()),
                                "{member} stands in two communities of level 0"
                            );
                        }
                    }
                    assert!(communities.iter().all(|c| c.parent.as_ref().is_none_or(|p| ids.contains(p))));
                    assert!(!covered.is_empty());
                    let request =
                        QueryRequest { question: "Who is Bob Cratchit?".into(), ..QueryRequest::default() };
                    let answer =
                        query::query(&index.services, &request, &mut |_| {}).await.expect("an answer");
                    assert!(!answer.sources.is_empty());
                    asked += 1;
                }
                asked
            })
        };
        index.index(&["b.txt"]).await;
        over.store(true, Ordering::SeqCst);
        assert!(reader.await.expect("no reader failed") > 0);
        let Ok(index) = Arc::try_unwrap(index) else { panic!("still read") };
        index.wipe().await;
    }
}
