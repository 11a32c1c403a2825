//! Pages, limits, orders, and reads by many ids.

use super::fixture::{document, entity, relationship, subjects, write};
use super::sums::sum_up;
use graphwright::domain::{Entity, Id, Record, Relationship, word};
use graphwright::stores::graph::{EdgeList, GraphReader, MentionEdge, UnitHeading, UnitWrite, WeightedLink};
use std::cmp::Reverse;

/// Thirty people who all know the first, the later ones ever better.
async fn crowd(store: &dyn graphwright::stores::GraphStore, ids: &graphwright::domain::Ids) {
    let texts: Vec<String> = (0..30).map(|number| format!("text {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for (key, texts) in [("one.txt", &texts[..20]), ("two.txt", &texts[20..])] {
        let (document, units) = document(ids, key, texts);
        store.replace_document(&document, &units).await.unwrap();
        let writes: Vec<UnitWrite> = units
            .iter()
            .map(|unit| {
                let name = format!("person {key} {}", unit.index);
                let mut records: Vec<Record> = vec![entity("hub", "", ""), entity(&name, "person", "")];
                records.extend((0..unit.index % 3).map(|_| entity("hub", "place", "again")));
                records.extend((0..=unit.index / 4).map(|_| relationship("hub", &name, "knows", 2)));
                write(ids, unit, &records, &[])
            })
            .collect();
        store.save_units(&writes).await.unwrap();
    }
    sum_up(store).await;
}

#[tokio::test]
async fn pages_together_are_the_whole() {
    for subject in subjects("pages").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        crowd(store, ids).await;
        let all = store.entities(None, 1000).await.unwrap();
        let (mut entities, mut relationships, mut units) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let after: Option<Id> =
                entities.last().map(|entity: &graphwright::domain::Entity| entity.id.clone());
            let page = store.entities(after.as_ref(), 7).await.unwrap();
            assert!(page.len() <= 7);
            if page.is_empty() {
                break;
            }
            entities.extend(page);
        }
        assert_eq!(entities, all, "{}", subject.backend);
        assert_eq!(all.len(), 31);
        assert!(all.iter().map(|entity| &entity.id).is_sorted());
        for _ in 0..5 {
            let after = relationships.last().map(|last: &graphwright::domain::Relationship| last.id.clone());
            relationships.extend(store.relationships(after.as_ref(), 7).await.unwrap());
            let after = units.last().map(|last: &graphwright::domain::StoredUnit| last.unit.id.clone());
            units.extend(store.text_units(after.as_ref(), 7).await.unwrap());
        }
        assert_eq!(relationships, store.relationships(None, 1000).await.unwrap(), "{}", subject.backend);
        assert_eq!(units, store.text_units(None, 1000).await.unwrap(), "{}", subject.backend);
        let documents = store.documents(None, 1).await.unwrap();
        assert_eq!(documents[0].key, "one.txt");
        let rest = store.documents(Some("one.txt"), 10).await.unwrap();
        assert_eq!(rest.iter().map(|document| document.key.as_str()).collect::<Vec<_>>(), ["two.txt"]);
        assert_eq!(store.document_status(Some("one.txt"), 10).await.unwrap().len(), 1);
        assert_eq!(store.document_status(None, 1).await.unwrap()[0].text_units, 20);
        // asked twice, given once, and in the order of ids
        let mut wanted: Vec<Id> = all.iter().rev().map(|entity| entity.id.clone()).collect();
        wanted.extend(wanted.clone());
        wanted.push(ids.entity("nobody"));
        assert_eq!(store.entities_by_id(&wanted).await.unwrap(), all, "{}", subject.backend);
        assert_eq!(store.entities_by_id(&[]).await.unwrap(), []);
        let outlines: Vec<Entity> =
            all.iter().cloned().map(|entity| Entity { description: String::new(), ..entity }).collect();
        assert_eq!(store.entity_outlines(&wanted).await.unwrap(), outlines, "{}", subject.backend);
        assert_eq!(store.entity_outlines(&[]).await.unwrap(), []);
        let headings: Vec<UnitHeading> = units
            .iter()
            .map(|stored| UnitHeading {
                id: stored.unit.id.clone(),
                document_id: stored.unit.document_id.clone(),
                document_title: stored.document_title.clone(),
                headings: stored.unit.headings.clone(),
            })
            .collect();
        let mut wanted: Vec<Id> = headings.iter().rev().map(|unit| unit.id.clone()).collect();
        wanted.push(ids.other("unknown", &[]));
        assert_eq!(store.unit_headings(&wanted).await.unwrap(), headings, "{}", subject.backend);
        subject.finish().await;
    }
}

fn link(relationship: Relationship) -> WeightedLink {
    let Relationship { source, target, weight, .. } = relationship;
    WeightedLink { source, target, weight }
}

#[tokio::test]
async fn neighbourhoods_are_cut_by_weight_and_mentions_by_records() {
    for subject in subjects("neighbourhoods").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        crowd(store, ids).await;
        let hub = ids.entity("hub");
        let mut heaviest = store.relationships(None, 1000).await.unwrap();
        heaviest.sort_by_key(|relationship| (Reverse(relationship.weight), relationship.id.clone()));
        heaviest.truncate(9);
        heaviest.sort_by(|one, other| one.id.cmp(&other.id));
        let found = store.relationships_of(std::slice::from_ref(&hub), 9).await.unwrap();
        assert_eq!(found, heaviest, "{}", subject.backend);
        let neighbour = if found[0].source == hub { &found[0].target } else { &found[0].source };
        let both = store.relationships_of(&[hub.clone(), neighbour.clone()], 9).await.unwrap();
        assert_eq!(both, heaviest, "{}: each once", subject.backend);
        let links: Vec<WeightedLink> = both.into_iter().map(link).collect();
        let of_both = store.links_of(&[hub.clone(), neighbour.clone()], 9).await.unwrap();
        assert_eq!(of_both, links, "{}: each once", subject.backend);

        let units: Vec<Id> =
            store.text_units(None, 1000).await.unwrap().into_iter().map(|unit| unit.unit.id).collect();
        let mut edges = store.mentions_in_units(&units).await.unwrap();
        assert!(edges.is_sorted(), "{}", subject.backend);
        assert_eq!(edges.len(), 60);
        let some = [&units[..9], &[ids.other("unknown", &[])]].concat();
        let pair = [hub.clone(), neighbour.clone(), ids.entity("nobody")];
        let wanted = |edge: &MentionEdge| some.contains(&edge.text_unit) && pair.contains(&edge.entity);
        let expected: Vec<MentionEdge> = edges.iter().filter(|edge| wanted(edge)).cloned().collect();
        let found = store.mentions_between(&some, &pair).await.unwrap();
        assert_eq!(found, expected, "{}", subject.backend);
        assert!(found.len() >= 9);
        let many: Vec<Id> =
            (0..250).map(|number| ids.entity(&number.to_string())).chain(pair.clone()).collect();
        assert_eq!(store.mentions_between(&some, &many).await.unwrap(), expected, "{}", subject.backend);
        assert_eq!(store.mentions_between(&some, &[]).await.unwrap(), []);
        // what a snapshot read along is the same
        let snapshot = store.snapshot().await.unwrap();
        let headings = store.unit_headings(&units[..20]).await.unwrap();
        assert_eq!(
            snapshot.headings_with_mentions(&units[..20]).await.unwrap(),
            headings,
            "{}",
            subject.backend
        );
        assert_eq!(snapshot.mentions_in_units(&units).await.unwrap(), edges, "{}", subject.backend);
        assert_eq!(snapshot.mentions_between(&some, &pair).await.unwrap(), expected, "{}", subject.backend);
        // one unit against the hub of all: fewer mentions stand at the unit
        let of_first: Vec<MentionEdge> =
            expected.iter().filter(|edge| edge.text_unit == units[0]).cloned().collect();
        assert_eq!(
            store.mentions_between(&units[..1], &pair).await.unwrap(),
            of_first,
            "{}",
            subject.backend
        );
        assert!(!of_first.is_empty());
        edges.retain(|edge| edge.entity == hub);
        edges.sort_by_key(|edge| (Reverse(edge.records), edge.text_unit.clone()));
        let found = store.mentions_of_entities(std::slice::from_ref(&hub), 13).await.unwrap();
        assert_eq!(found, edges[..13], "{}", subject.backend);
        let mut two = [hub.clone(), neighbour.clone()];
        two.sort();
        let found = store.mentions_of_entities(&[two[1].clone(), two[0].clone()], 2).await.unwrap();
        let of: Vec<&Id> = found.iter().map(|edge| &edge.entity).collect();
        assert!(of.is_sorted(), "{}: entities by id", subject.backend);
        assert_eq!(of.len(), 3);
        subject.finish().await;
    }
}

#[tokio::test]
async fn a_hubs_mentions_are_exact_before_and_after_it_is_summed_up() {
    for subject in subjects("hubs").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let hub = ids.entity("hub");
        let texts: Vec<String> = (0..80).map(|number| format!("text {number}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        // few of the units are new at a time, none, or the hub is no hub any more
        for (round, size) in [60, 80, 80, 55, 20].into_iter().enumerate() {
            let (document, units) = document(ids, "hubs.txt", &texts[..size]);
            store.replace_document(&document, &units).await.unwrap();
            let writes: Vec<UnitWrite> = units
                .iter()
                .map(|unit| {
                    let times = 1 + (usize::try_from(unit.index).unwrap() + 7 * round) % 5;
                    let records: Vec<Record> = (0..times).map(|_| entity("hub", "", "again")).collect();
                    UnitWrite { replaces: round > 0, ..write(ids, unit, &records, &[]) }
                })
                .collect();
            store.save_units(&writes).await.unwrap();
            for summed in [false, true] {
                if summed {
                    sum_up(store).await;
                }
                let of: Vec<Id> = units.iter().map(|unit| unit.id.clone()).collect();
                let mut edges = store.mentions_in_units(&of).await.unwrap();
                assert_eq!(edges.len(), size);
                edges.sort_by_key(|edge| (Reverse(edge.records), edge.text_unit.clone()));
                for limit in [1, 13, 50, 70, 1000] {
                    let found = store.mentions_of_entities(std::slice::from_ref(&hub), limit).await.unwrap();
                    let limit = limit.min(size);
                    assert_eq!(found, edges[..limit], "{}: round {round}, {summed}", subject.backend);
                }
            }
        }
        subject.finish().await;
    }
}

#[tokio::test]
async fn supporting_units_come_by_place() {
    for subject in subjects("supporting").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let mut expected = Vec::new();
        for key in ["b.txt", "a.txt"] {
            let (document, units) = document(ids, key, &["x", "y", "z"]);
            store.replace_document(&document, &units).await.unwrap();
            let records = [entity("A", "", ""), entity("B", "", ""), relationship("A", "B", "knows", 1)];
            let writes: Vec<UnitWrite> = units.iter().map(|unit| write(ids, unit, &records, &[])).collect();
            store.save_units(&writes).await.unwrap();
            let units: Vec<Id> = units.into_iter().map(|unit| unit.id).collect();
            expected = units.into_iter().chain(expected).collect();
        }
        sum_up(store).await;
        let pair = super::fixture::pair(ids, "A", "B");
        let wanted = [ids.other("unknown", &[]), pair.clone()];
        let all = store.units_of_relationships(&wanted, 100).await.unwrap();
        assert_eq!(all, [(pair.clone(), expected.clone())], "{}", subject.backend);
        let some = store.units_of_relationships(&wanted, 4).await.unwrap();
        assert_eq!(some, [(pair, expected[..4].to_vec())], "{}", subject.backend);
        subject.finish().await;
    }
}

/// The default of the trait, whatever the store makes of it.
async fn edge_list_by_pages(reader: &dyn GraphReader) -> EdgeList {
    let entities = reader.entities(None, 10_000).await.unwrap();
    let names = entities.iter().map(|entity| word(&entity.name)).collect();
    let ids: Vec<Id> = entities.into_iter().map(|entity| entity.id).collect();
    let place = |id: &Id| u32::try_from(ids.binary_search(id).unwrap()).unwrap();
    let mut edges: Vec<(u32, u32, u32, u32)> = Vec::new();
    for edge in reader.relationships(None, 10_000).await.unwrap() {
        let (source, target) = (place(&edge.source), place(&edge.target));
        edges.push((source.min(target), source.max(target), edge.weight, edge.strength));
    }
    edges.sort_unstable();
    EdgeList { ids, names, edges }
}

#[tokio::test]
async fn the_edge_list_is_the_graph() {
    for subject in subjects("edge_list").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        assert_eq!(store.edge_list().await.unwrap(), EdgeList::default());
        crowd(store, ids).await;
        let list = store.edge_list().await.unwrap();
        assert_eq!((list.ids.len(), list.edges.len()), (31, 30));
        assert_eq!(list, edge_list_by_pages(store).await, "{}", subject.backend);
        subject.finish().await;
    }
}
