//! Evidence: replaced as a whole, twice as once.

use super::fixture::{carol, claim, dirty, document, dump, entities, entity, pair, subjects, write};
use super::sums::sum_up;
use graphwright::domain::{Stage, UnitEvidence, UnitState};
use graphwright::stores::graph::UnitWrite;

#[tokio::test]
async fn evidence_is_replaced_exactly() {
    for subject in subjects("replaced").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let units = carol(store, ids).await;
        sum_up(store).await;
        let records = [entity("Scrooge", "person", "Pays little."), claim("Scrooge", None, "He pays.")];
        let new = write(ids, &units[1], &records, &["Marley"]);
        store.save_units(std::slice::from_ref(&new)).await.unwrap();
        let changed = entities(ids, &["Bob Cratchit", "Marley", "Scrooge"]);
        let changed = (changed, vec![pair(ids, "Scrooge", "Bob Cratchit")]);
        assert_eq!(dirty(store).await, changed, "{}: Scrooge for the claim", subject.backend);
        sum_up(store).await;
        let edges = store.mentions_in_units(std::slice::from_ref(&units[1].id)).await.unwrap();
        assert_eq!(edges.iter().map(|edge| edge.records).sum::<u32>(), 1, "{}", subject.backend);
        assert_eq!(edges.len(), 2);
        assert_eq!(store.claims_of(&entities(ids, &["Scrooge"])).await.unwrap(), new.evidence.claims);
        let claim = new.evidence.claims[0].id.clone();
        let asked = [claim.clone(), ids.other("claim", &["unknown"]), claim];
        assert_eq!(
            store.claims_by_id(&asked).await.unwrap(),
            new.evidence.claims[..1],
            "{}",
            subject.backend
        );
        let stored = &store.text_units_by_id(&[units[1].id.clone()]).await.unwrap()[0];
        assert_eq!(stored.state, new.state, "{}", subject.backend);
        // nothing said is nothing held
        let silent = write(ids, &units[1], &[], &[]);
        store.save_units(&[silent]).await.unwrap();
        sum_up(store).await;
        assert_eq!(store.mentions_in_units(std::slice::from_ref(&units[1].id)).await.unwrap(), []);
        assert_eq!(store.claims_of(&entities(ids, &["Scrooge"])).await.unwrap(), []);
        subject.finish().await;
    }
}

#[tokio::test]
async fn saved_twice_is_saved_once() {
    for subject in subjects("twice").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        carol(store, ids).await;
        sum_up(store).await;
        let before = dump(store, store).await;
        carol(store, ids).await;
        assert_eq!(dirty(store).await, (vec![], vec![]), "{}: nothing differs", subject.backend);
        assert_eq!(dump(store, store).await, before, "{}", subject.backend);
        subject.finish().await;
    }
}

#[tokio::test]
async fn a_linked_mention_is_not_a_record() {
    for subject in subjects("linked").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let units = carol(store, ids).await;
        sum_up(store).await;
        // as linked, then as a record of the same words: another evidence
        let records = [entity("Bob Cratchit", "clerk", ""), claim("Bob Cratchit", None, "He shivers.")];
        store.save_units(&[write(ids, &units[2], &records, &["Scrooge"])]).await.unwrap();
        sum_up(store).await;
        let edges = store.mentions_of_entities(&entities(ids, &["Scrooge"]), 10).await.unwrap();
        assert_eq!(
            edges.iter().map(|edge| edge.records).collect::<Vec<_>>(),
            [1, 1, 0],
            "{}",
            subject.backend
        );
        assert_eq!(edges[2].text_unit, units[2].id);
        let scrooge = &store.entities_by_id(&entities(ids, &["Scrooge"])).await.unwrap()[0];
        assert_eq!(scrooge.text_unit_count, 3);
        assert_eq!(store.units_with_names(&["scrooge".to_owned()]).await.unwrap().len(), 3);
        let names = store.names(None, 10).await.unwrap();
        assert_eq!(
            names.iter().find(|name| name.key == "scrooge").unwrap().text_unit_count,
            2,
            "own records only"
        );
        let own = [records[0].clone(), records[1].clone(), entity("Scrooge", "", "")];
        store.save_units(&[write(ids, &units[2], &own, &[])]).await.unwrap();
        assert_eq!(dirty(store).await.0, entities(ids, &["Scrooge"]), "{}", subject.backend);
        let evidence = store.dirty_entities(1).await.unwrap();
        assert!(evidence[0].mentions.iter().all(|(_, mention)| !mention.linked), "{}", subject.backend);
        let edges = store.mentions_of_entities(&entities(ids, &["Scrooge"]), 10).await.unwrap();
        assert!(edges.iter().all(|edge| edge.records == 1), "{}", subject.backend);
        subject.finish().await;
    }
}

#[tokio::test]
async fn stages_are_pending_until_they_are_done() {
    for subject in subjects("stages").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let (document, units) = document(ids, "a.txt", &["one", "two", "three"]);
        store.replace_document(&document, &units).await.unwrap();
        assert_eq!(store.pending_units(Stage::Extraction, None, 10).await.unwrap().len(), 3);
        assert_eq!(store.pending_units(Stage::Linking, None, 10).await.unwrap(), []);
        let mut to_link = write(ids, &units[0], &[entity("Scrooge", "", "")], &[]);
        to_link.state.linking_done = false;
        let failed = UnitWrite {
            text_unit: units[1].id.clone(),
            state: UnitState { error: Some("refused".to_owned()), ..UnitState::default() },
            evidence: UnitEvidence::default(),
            replaces: false,
            lease: None,
        };
        let unknown =
            write(ids, &super::fixture::document(ids, "b.txt", &["x"]).1[0], &[entity("X", "", "")], &[]);
        store.save_units(&[to_link, failed, unknown]).await.unwrap();
        assert_eq!(store.counts().await.unwrap().text_units, 3, "{}: an unknown unit", subject.backend);
        let pending = store.pending_units(Stage::Extraction, None, 10).await.unwrap();
        assert_eq!(pending.iter().map(|unit| &unit.unit.id).collect::<Vec<_>>(), [&units[2].id]);
        let linking = store.pending_units(Stage::Linking, None, 10).await.unwrap();
        assert_eq!(linking.iter().map(|unit| &unit.unit.id).collect::<Vec<_>>(), [&units[0].id]);
        let status = &store.document_status(None, 10).await.unwrap()[0];
        assert_eq!((status.text_units, status.extracted, status.failed), (3, 1, 1));
        assert_eq!(status.error.as_deref(), Some("refused"));
        assert_eq!(store.retry_failed().await.unwrap(), 1);
        assert_eq!(store.pending_units(Stage::Extraction, None, 10).await.unwrap().len(), 2);
        assert_eq!(store.expire_extraction("nlp").await.unwrap(), 0, "{}: nlp/1 is of nlp", subject.backend);
        assert_eq!(store.expire_extraction("nl").await.unwrap(), 1, "{}: and not of nl", subject.backend);
        assert_eq!(store.pending_units(Stage::Extraction, None, 10).await.unwrap().len(), 3);
        assert_eq!(store.pending_units(Stage::Linking, None, 10).await.unwrap(), []);
        subject.finish().await;
    }
}
