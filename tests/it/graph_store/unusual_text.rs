//! Text is text: whatever stands in it, it is stored and found, and nothing of it is ever run.

use super::fixture::{claim, document, entity, relationship, subjects, write};
use super::sums::sum_up;
use graphwright::domain::name_key;

const UNUSUAL: [&str; 14] = [
    "O'Brien \"the\" `quick` \\ back\\slash",
    "'; DROP TABLE entities; --",
    "\"}) DETACH DELETE n //",
    "`) MATCH (n) DETACH DELETE n RETURN (`",
    "$workspace {id} ${x} ?1 :name @p",
    "tab\tnew\nline\r\nbell\u{7}escape\u{1b}[31m unit\u{1f}",
    "🦀👨‍👩‍👧‍👦🏳️‍🌈",
    "刘备、关羽、张飞",
    "e\u{301} and é, ﬁ and fi, İ",
    "\u{202e}right to left\u{202c} عربى",
    "zero\u{200b}width\u{feff}",
    "null NULL None undefined",
    "a/b?c=d#e%20&f",
    "__Entity__:Community",
];

#[tokio::test]
async fn unusual_text_comes_back_as_it_went() {
    for subject in subjects("unusual").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let (mut whole, units) = document(ids, UNUSUAL[2], &UNUSUAL);
        for text in UNUSUAL {
            whole.metadata.insert(text.to_owned(), text.to_owned());
        }
        whole.title = UNUSUAL[5].to_owned();
        store.replace_document(&whole, &units).await.unwrap();
        let mut writes = Vec::new();
        for (unit, text) in units.iter().zip(UNUSUAL) {
            let records = [
                entity(text, text, text),
                entity("Scrooge", "", ""),
                relationship("Scrooge", text, text, 1),
                claim(text, Some("Scrooge"), text),
            ];
            writes.push(write(ids, unit, &records, &[]));
        }
        store.save_units(&writes).await.unwrap();
        sum_up(store).await;
        assert_eq!(store.documents(None, 10).await.unwrap(), [whole.clone()], "{}", subject.backend);
        let stored = store.text_units_of(&whole.id).await.unwrap();
        assert_eq!(stored.len(), UNUSUAL.len());
        for (stored, (unit, write)) in stored.iter().zip(units.iter().zip(&writes)) {
            assert_eq!((&stored.unit, &stored.state), (unit, &write.state), "{}", subject.backend);
        }
        for (text, unit) in UNUSUAL.iter().zip(&units) {
            let found = store.entities_by_id(&[ids.entity(&name_key(text))]).await.unwrap();
            assert_eq!(found[0].name, *text, "{}", subject.backend);
            assert_eq!((found[0].kind.as_str(), found[0].description.as_str()), (*text, *text));
            let holding = store.units_with_names(&[name_key(text)]).await.unwrap();
            assert!(holding.contains(&unit.id), "{}: {text:?}", subject.backend);
            let claims = store.claims_of(&[found[0].id.clone()]).await.unwrap();
            assert_eq!(claims[0].description, *text);
        }
        assert_eq!(store.counts().await.unwrap().entities, 15, "{}", subject.backend);
        assert_eq!(store.entity_kinds().await.unwrap().iter().map(|(_, count)| count).sum::<u64>(), 15);
        subject.finish().await;
    }
}

#[tokio::test]
async fn a_megabyte_is_a_text_and_a_long_name_is_a_name() {
    for subject in subjects("large").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let long = "曹操 said: \"好\". ".repeat(60_000);
        let name = "a very long name ".repeat(1_000);
        let (whole, units) = document(ids, "long.txt", &[&long]);
        store.replace_document(&whole, &units).await.unwrap();
        let records = [entity(name.trim(), "person", &long), entity("B", "", "")];
        store.save_units(&[write(ids, &units[0], &records, &[])]).await.unwrap();
        sum_up(store).await;
        let stored = &store.text_units(None, 10).await.unwrap()[0];
        assert_eq!(stored.unit.text, long, "{}", subject.backend);
        let key = name_key(&name);
        let found = &store.entities_by_id(&[ids.entity(&key)]).await.unwrap()[0];
        assert_eq!((found.name.as_str(), found.description.len()), (name.trim(), long.len()));
        assert_eq!(store.names(None, 10).await.unwrap()[0].key, key, "{}", subject.backend);
        assert_eq!(store.units_with_names(&[key]).await.unwrap(), [units[0].id.clone()]);
        assert!(store.pending_vectors(graphwright::stores::graph::VectorKind::Entities, 10).await.is_ok());
        subject.finish().await;
    }
}
