//! Atomic facts: a document's are made what is given, and go with it.

use super::fixture::{carol, subjects};
use graphwright::domain::{AtomicFact, DocumentFacts, FactChunk};
use graphwright::stores::graph::Check;

fn fact(text: &str, key_elements: &[&str]) -> AtomicFact {
    AtomicFact {
        text: text.to_owned(),
        key_elements: key_elements.iter().map(|&element| element.to_owned()).collect(),
    }
}

#[tokio::test]
async fn facts_are_replaced_as_a_whole_and_go_with_their_document() {
    for subject in subjects("facts").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        carol(store, ids).await;
        let document = store.documents(None, 1).await.unwrap().remove(0).id;
        let unit = store.text_units_of(&document).await.unwrap().remove(0).unit.id;
        assert_eq!(store.facts_of(std::slice::from_ref(&document)).await.unwrap(), []);
        assert!(!store.has_facts().await.unwrap(), "{}", subject.backend);
        let facts = vec![fact("Scrooge \"sat\" é.", &["Scrooge", "sat"]), fact("Bob sat.", &["Bob", "sat"])];
        let one = DocumentFacts {
            document: document.clone(),
            stamp: "first".to_owned(),
            chunks: vec![
                FactChunk { text_units: vec![unit.clone()], facts },
                FactChunk { text_units: vec![unit.clone()], facts: Vec::new() },
            ],
        };
        store.save_facts(&one).await.unwrap();
        store.save_facts(&one).await.unwrap();
        assert!(store.has_facts().await.unwrap(), "{}", subject.backend);
        assert_eq!(store.counts().await.unwrap().atomic_facts, 2, "{}", subject.backend);
        assert_eq!(store.examine(Check::BrokenFacts, 9).await.unwrap(), [], "{}", subject.backend);
        let elsewhere = ids.document("nowhere.txt");
        let both = [document.clone(), elsewhere.clone()];
        assert_eq!(store.facts_of(&both).await.unwrap(), std::slice::from_ref(&one), "{}", subject.backend);
        let other = DocumentFacts {
            stamp: "second".to_owned(),
            chunks: vec![FactChunk {
                text_units: vec![unit],
                facts: vec![fact("Bob ran.", &["Bob", "ran"])],
            }],
            ..one.clone()
        };
        store.save_facts(&other).await.unwrap();
        assert_eq!(store.facts_of(&both).await.unwrap(), std::slice::from_ref(&other), "{}", subject.backend);
        // facts of a document that is not there are not kept
        store.save_facts(&DocumentFacts { document: elsewhere, ..one }).await.unwrap();
        assert_eq!(store.facts_of(&both).await.unwrap(), [other], "{}", subject.backend);
        store.remove_documents(std::slice::from_ref(&document)).await.unwrap();
        assert_eq!(store.facts_of(&both).await.unwrap(), [], "{}", subject.backend);
        assert!(!store.has_facts().await.unwrap(), "{}", subject.backend);
        subject.finish().await;
    }
}
