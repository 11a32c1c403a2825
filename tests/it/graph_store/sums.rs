//! Summing up: what is dirty, when, and what the sums are.

use super::fixture::{carol, claim, dirty, document, entities, entity, pair, relationship, subjects, write};
use graphwright::domain::{
    Entity, EntityEvidence, Interval, PeriodCount, Relationship, RelationshipEvidence, TextUnit, TextsOfTimes,
};
use graphwright::stores::GraphStore;
use graphwright::stores::graph::{EntityWrite, RelationshipWrite};
use std::collections::BTreeMap;

/// Most frequent, then code point order; empty ones count for nothing.
fn most_frequent<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for text in texts.filter(|text| !text.is_empty()) {
        *counts.entry(text).or_default() += 1;
    }
    counts
        .into_iter()
        .rev()
        .max_by_key(|(_, count)| *count)
        .map(|(text, _)| text.to_owned())
        .unwrap_or_default()
}

fn distinct<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for text in texts.filter(|text| !text.is_empty()) {
        if !kept.contains(&text.as_str()) {
            kept.push(text);
        }
    }
    kept.join("\n")
}

/// A sum that shows every part of the evidence and its order.
pub(crate) fn sum_entity(evidence: &EntityEvidence) -> Option<Entity> {
    let mentions = || evidence.mentions.iter().map(|(_, mention)| mention);
    let name = most_frequent(mentions().flat_map(|mention| &mention.names));
    let mut aliases: Vec<String> =
        mentions().flat_map(|mention| mention.names.clone()).filter(|other| *other != name).collect();
    aliases.sort();
    aliases.dedup();
    (!evidence.mentions.is_empty()).then(|| Entity {
        id: evidence.id.clone(),
        kind: most_frequent(mentions().flat_map(|mention| &mention.kinds)),
        description: distinct(mentions().flat_map(|mention| &mention.descriptions)),
        aliases,
        degree: evidence.degree,
        text_unit_count: u32::try_from(evidence.mentions.len()).unwrap(),
        name,
    })
}

/// As [`sum_entity`].
pub(crate) fn sum_relationship(evidence: &RelationshipEvidence) -> Option<Relationship> {
    let items = || evidence.items.iter().flat_map(|(_, items)| items);
    let forward = items().filter(|item| item.forward).count() * 2 >= items().count();
    let (low, high) = (evidence.low.clone(), evidence.high.clone());
    let (source, target) = if forward { (low, high) } else { (high, low) };
    (!evidence.items.is_empty()).then(|| Relationship {
        id: evidence.id.clone(),
        source,
        target,
        kind: most_frequent(items().map(|item| &item.kind)),
        description: distinct(items().map(|item| &item.description)),
        weight: u32::try_from(items().count()).unwrap(),
        strength: items().map(|item| item.strength).sum(),
        text_unit_count: u32::try_from(evidence.items.len()).unwrap(),
        other_kinds: Vec::new(),
        reverse_kinds: distinct(items().filter(|item| item.forward != forward).map(|item| &item.kind))
            .lines()
            .map(str::to_owned)
            .collect(),
    })
}

/// Brings all sums up to date, a few at a time.
pub(crate) async fn sum_up(store: &dyn GraphStore) {
    loop {
        let dirty = store.dirty_relationships(7).await.unwrap();
        let writes: Vec<RelationshipWrite> = dirty.iter().map(relationship_write).collect();
        if writes.is_empty() {
            break;
        }
        store.save_relationships(&writes).await.unwrap();
    }
    loop {
        let dirty = store.dirty_entities(7).await.unwrap();
        let writes: Vec<EntityWrite> = dirty.iter().map(entity_write).collect();
        if writes.is_empty() {
            break;
        }
        store.save_entities(&writes).await.unwrap();
    }
}

pub(crate) fn entity_write(evidence: &EntityEvidence) -> EntityWrite {
    EntityWrite {
        id: evidence.id.clone(),
        entity: sum_entity(evidence),
        summary: evidence.summary.clone(),
        label: "Person".to_owned(),
        periods: evidence.periods(),
    }
}

pub(crate) fn relationship_write(evidence: &RelationshipEvidence) -> RelationshipWrite {
    RelationshipWrite {
        id: evidence.id.clone(),
        relationship: sum_relationship(evidence),
        summary: evidence.summary.clone(),
        periods: evidence.periods(),
    }
}

#[tokio::test]
async fn all_that_is_new_is_dirty_until_it_is_summed_up() {
    for subject in subjects("new_is_dirty").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        carol(store, ids).await;
        let expected = entities(ids, &["Scrooge", "Marley", "Bob Cratchit"]);
        let mut relationships = [pair(ids, "Scrooge", "Marley"), pair(ids, "Scrooge", "Bob Cratchit")];
        relationships.sort();
        assert_eq!(dirty(store).await, (expected.clone(), relationships.to_vec()), "{}", subject.backend);
        assert_eq!(store.dirty_entities(2).await.unwrap().len(), 2);
        assert_eq!(store.entities(None, 10).await.unwrap(), [], "no sum yet");
        assert_eq!(store.entities_by_id(&expected).await.unwrap(), [], "no sum yet");
        assert_eq!(store.relationships_by_id(&relationships).await.unwrap(), [], "no sum yet");
        assert_eq!(
            store.mentions_of_entities(&expected, 10).await.unwrap().len(),
            5,
            "mentions are seen at once"
        );
        sum_up(store).await;
        assert_eq!(dirty(store).await, (vec![], vec![]), "{}", subject.backend);
        assert_eq!(store.entities(None, 10).await.unwrap().len(), 3);
        let scrooge = &store.entities_by_id(&entities(ids, &["scrooge"])).await.unwrap()[0];
        assert_eq!((scrooge.degree, scrooge.text_unit_count), (2, 2));
        assert_eq!(scrooge.description, "A miser.\nPays little.");
        let employs = &store.relationships_by_id(&[pair(ids, "scrooge", "bob cratchit")]).await.unwrap()[0];
        assert_eq!((employs.weight, employs.strength, employs.text_unit_count), (2, 12, 1));
        subject.finish().await;
    }
}

#[tokio::test]
async fn a_relationship_that_comes_or_goes_makes_both_ends_dirty() {
    for subject in subjects("degree").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let units = carol(store, ids).await;
        sum_up(store).await;
        let both = [entity("Marley", "person", "Dead."), entity("Scrooge", "person", "A miser.")];
        // the entities say the same as before: only the relationship differs
        store.save_units(&[write(ids, &units[0], &[both[1].clone(), both[0].clone()], &[])]).await.unwrap();
        assert_eq!(dirty(store).await, (vec![], vec![pair(ids, "Scrooge", "Marley")]), "{}", subject.backend);
        let gone: Vec<RelationshipWrite> =
            store.dirty_relationships(5).await.unwrap().iter().map(relationship_write).collect();
        assert!(gone[0].relationship.is_none());
        store.save_relationships(&gone).await.unwrap();
        store.save_relationships(&gone).await.unwrap();
        assert_eq!(
            dirty(store).await,
            (entities(ids, &["Scrooge", "Marley"]), vec![]),
            "{}",
            subject.backend
        );
        sum_up(store).await;
        let degrees: Vec<u32> = store
            .entities_by_id(&entities(ids, &["Scrooge", "Marley"]))
            .await
            .unwrap()
            .iter()
            .map(|entity| entity.degree)
            .collect();
        assert_eq!(degrees.iter().sum::<u32>(), 1, "Scrooge keeps Bob, Marley keeps nobody");
        // and it comes back
        let records = [both[1].clone(), both[0].clone(), relationship("Marley", "Scrooge", "haunts", 10)];
        store.save_units(&[write(ids, &units[0], &records, &[])]).await.unwrap();
        sum_up(store).await;
        let marley = &store.entities_by_id(&entities(ids, &["Marley"])).await.unwrap()[0];
        assert_eq!(marley.degree, 1, "{}", subject.backend);
        let haunts = &store.relationships_by_id(&[pair(ids, "Scrooge", "Marley")]).await.unwrap()[0];
        assert_eq!((haunts.source.clone(), haunts.kind.as_str()), (marley.id.clone(), "haunts"));
        subject.finish().await;
    }
}

#[tokio::test]
async fn summaries_are_given_back_with_the_evidence() {
    for subject in subjects("summaries").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let units = carol(store, ids).await;
        let summary = Some(("fingerprint".to_owned(), "A miser who reforms.".to_owned()));
        let relationships: Vec<RelationshipWrite> = store
            .dirty_relationships(10)
            .await
            .unwrap()
            .iter()
            .map(|evidence| RelationshipWrite { summary: summary.clone(), ..relationship_write(evidence) })
            .collect();
        store.save_relationships(&relationships).await.unwrap();
        let sums: Vec<EntityWrite> = store
            .dirty_entities(10)
            .await
            .unwrap()
            .iter()
            .map(|evidence| EntityWrite { summary: summary.clone(), ..entity_write(evidence) })
            .collect();
        store.save_entities(&sums).await.unwrap();
        let records = [
            entity("Scrooge", "person", "Old."),
            entity("Marley", "person", "Dead."),
            relationship("Scrooge", "Marley", "mourns", 1),
        ];
        store.save_units(&[write(ids, &units[0], &records, &[])]).await.unwrap();
        assert_eq!(store.dirty_relationships(10).await.unwrap()[0].summary, summary, "{}", subject.backend);
        assert_eq!(store.dirty_entities(10).await.unwrap()[0].summary, summary, "{}", subject.backend);
        subject.finish().await;
    }
}

#[tokio::test]
async fn evidence_is_sorted_by_document_key_then_index() {
    for subject in subjects("order").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        // keys in code point order: capital letters first, Chinese last
        let keys = ["b.txt", "中.txt", "B.txt", "a.txt"];
        for key in keys {
            let texts: Vec<String> = (0..3).map(|number| format!("{key} {number}")).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let (document, units) = document(ids, key, &texts);
            store.replace_document(&document, &units).await.unwrap();
            for unit in units.iter().rev() {
                let place = format!("{key} {}", unit.index);
                let records = [
                    entity("Scrooge", "", &place),
                    entity("Marley", "", ""),
                    relationship("Scrooge", "Marley", &place, 1),
                    entity("scrooge", "", &format!("{place} again")),
                    relationship("Marley", "Scrooge", &format!("{place} again"), 1),
                ];
                store.save_units(&[write(ids, unit, &records, &[])]).await.unwrap();
            }
        }
        let mut expected = Vec::new();
        for key in ["B.txt", "a.txt", "b.txt", "中.txt"] {
            for index in 0..3 {
                expected.extend([format!("{key} {index}"), format!("{key} {index} again")]);
            }
        }
        let found = store.dirty_entities(10).await.unwrap();
        let scrooge = found.iter().find(|evidence| evidence.id == ids.entity("scrooge")).unwrap();
        let said: Vec<String> =
            scrooge.mentions.iter().flat_map(|(_, mention)| mention.descriptions.clone()).collect();
        assert_eq!(said, expected, "{}", subject.backend);
        let relationships = store.dirty_relationships(10).await.unwrap();
        let said: Vec<String> = relationships[0]
            .items
            .iter()
            .flat_map(|(_, items)| items.iter().map(|item| item.kind.clone()))
            .collect();
        assert_eq!(said, expected, "{}", subject.backend);
        assert!(scrooge.mentions.iter().map(|(place, _)| place).is_sorted());
        subject.finish().await;
    }
}

#[tokio::test]
async fn entities_can_be_made_dirty_without_new_evidence() {
    for subject in subjects("expired_entities").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        carol(store, ids).await;
        sum_up(store).await;
        let marley = entities(ids, &["Marley"]);
        store.expire_entities(&[marley[0].clone(), ids.entity("nobody")]).await.unwrap();
        assert_eq!(dirty(store).await, (marley, vec![]), "{}", subject.backend);
        sum_up(store).await;
        assert_eq!(dirty(store).await, (vec![], vec![]), "{}", subject.backend);
        subject.finish().await;
    }
}

#[tokio::test]
async fn texts_of_some_days_are_found_with_their_documents() {
    let time = |text: &str| -> Interval { text.parse().unwrap() };
    for subject in subjects("days").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        // December, Christmas, no time, and December again
        let (file, units) = document(ids, "a.txt", &["one", "two", "three", "four"]);
        store.replace_document(&file, &units).await.unwrap();
        let of = async |times: &[Interval], most| store.texts_of_times(times, most).await.unwrap();
        let whole = |without: &[&TextUnit]| {
            let without = without.iter().map(|unit| unit.id.clone()).collect();
            Some(TextsOfTimes { documents: vec![file.id.clone()], units: vec![], without })
        };
        let eve = time("1843-12-24/1843-12-24");
        assert_eq!(of(&[eve], 1).await, whole(&[&units[1]]), "{}", subject.backend);
        let christmas = time("1843-12-25/1843-12-25");
        assert_eq!(of(&[christmas, eve], 1).await, whole(&[]), "{}", subject.backend);
        assert_eq!(of(&[time("1844-01-01/1844-12-31")], 1).await, Some(TextsOfTimes::default()));
        assert_eq!(of(&[eve], 0).await, None, "{}", subject.backend);
        // most of another document is of other days than its own
        let (other, mut sections) = document(ids, "b.txt", &["one", "two", "three"]);
        let days = ["1843-12-24/1843-12-24", "1850-01-01/1850-12-31", "1850-01-01/1850-12-31"];
        for (unit, days) in sections.iter_mut().zip(days) {
            unit.period = Some(time(days));
        }
        store.replace_document(&other, &sections).await.unwrap();
        let found = of(&[eve], 2).await.unwrap();
        assert_eq!(found.units, [(sections[0].id.clone(), other.id)], "{}", subject.backend);
        assert_eq!(found.documents, std::slice::from_ref(&file.id), "{}", subject.backend);
        assert_eq!(of(&[eve], 1).await, None, "{}", subject.backend);
    }
}

#[tokio::test]
async fn counts_of_periods_follow_the_evidence() {
    for subject in subjects("periods").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let named = |name: &str| ids.entity(&graphwright::domain::name_key(name));
        // December, Christmas, no time, and December again
        let texts = ["one", "two", "three", "four"];
        let (file, units) = document(ids, "a.txt", &texts);
        store.replace_document(&file, &units).await.unwrap();
        let records = [
            entity("Bob", "Person", ""),
            entity("Tim", "Person", ""),
            relationship("Bob", "Tim", "loves", 3),
            claim("Bob", None, "He waits."),
        ];
        let writes: Vec<_> = units.iter().map(|unit| write(ids, unit, &records, &[])).collect();
        store.save_units(&writes).await.unwrap();
        sum_up(store).await;
        let counted =
            |counts: Vec<graphwright::stores::graph::CountsOf>| -> Vec<(String, u32, u32, u32, u32)> {
                let all = counts.into_iter().flat_map(|(_, counts)| counts);
                all.map(|one| (one.period.key(), one.documents, one.text_units, one.mentions, one.strength))
                    .collect()
            };
        let bob = counted(store.entity_periods(&[named("Bob")]).await.unwrap());
        assert_eq!(bob, [("1843-12".to_owned(), 1, 2, 2, 0), ("1843-12-25".to_owned(), 1, 1, 1, 0)]);
        let pair = ids.relationship(&named("Bob"), &named("Tim"));
        let both = counted(store.relationship_periods(std::slice::from_ref(&pair)).await.unwrap());
        assert_eq!(both, [("1843-12".to_owned(), 1, 2, 2, 6), ("1843-12-25".to_owned(), 1, 1, 1, 3)]);
        let claims = |counts: &[PeriodCount]| -> Vec<u32> { counts.iter().map(|one| one.claims).collect() };
        let (_, of_bob) = store.entity_periods(&[named("Bob")]).await.unwrap().remove(0);
        assert_eq!(claims(&of_bob), [2, 1], "{}", subject.backend);
        // a text unit that names both counts once
        let both = store.periods_together(&[named("Bob"), named("Tim")]).await.unwrap();
        assert_eq!(claims(&both), [2, 1], "{}", subject.backend);
        assert_eq!(
            counted(vec![(pair.clone(), both)]),
            [("1843-12".to_owned(), 1, 2, 4, 6), ("1843-12-25".to_owned(), 1, 1, 2, 3)]
        );
        let alone = store.periods_together(&[named("Bob")]).await.unwrap();
        assert_eq!(alone, of_bob, "{}", subject.backend);
        // a claim that is made no more, with the same mentions
        store.save_units(&[write(ids, &units[0], &records[..3], &[])]).await.unwrap();
        assert_eq!(dirty(store).await, (vec![named("Bob")], vec![]), "{}", subject.backend);
        sum_up(store).await;
        let (_, of_bob) = store.entity_periods(&[named("Bob")]).await.unwrap().remove(0);
        assert_eq!(claims(&of_bob), [1, 1], "{}", subject.backend);
        let totals: Vec<(String, u64, u64)> = store
            .periods()
            .await
            .unwrap()
            .into_iter()
            .map(|one| (one.period.key(), one.documents, one.text_units))
            .collect();
        assert_eq!(totals, [("1843-12".to_owned(), 1, 2), ("1843-12-25".to_owned(), 1, 1)]);
        // the document is of December, and one section of Christmas
        let own = store.own_days().await.unwrap();
        let own: Vec<_> = own.into_iter().map(|one| (one.text_unit, one.document, one.days.key())).collect();
        let christmas = "1843-12-25".to_owned();
        assert_eq!(own, [(units[1].id.clone(), file.id.clone(), christmas)], "{}", subject.backend);
        let read = store.passages_by_id(&[units[0].id.clone(), units[1].id.clone()]).await.unwrap();
        let mut dates: Vec<_> =
            read.iter().filter_map(|unit| Some(unit.document_date.as_ref()?.key())).collect();
        dates.sort_unstable();
        assert_eq!(dates, ["1843-12", "1843-12-25"], "{}", subject.backend);
        let judged = store.sentiments_of(&[named("Bob"), named("Tim")]).await.unwrap();
        let said: Vec<_> = writes.iter().flat_map(|write| &write.evidence.mentions).collect();
        assert_eq!(judged.len(), said.iter().filter(|mention| mention.sentiment.is_some()).count());
        let ids: Vec<_> = units.iter().map(|unit| unit.id.clone()).collect();
        assert_eq!(store.sentiments_in_units(&ids).await.unwrap(), judged, "{}", subject.backend);
        let first = store.sentiments_in_units(&ids[..1]).await.unwrap();
        // an entity's id, another in each run, decides whether the fixture judges it
        let in_first: Vec<_> = judged.iter().filter(|one| one.text_unit == ids[0]).cloned().collect();
        assert_eq!(first, in_first, "{}", subject.backend);
        for one in &judged {
            assert!(
                said.iter()
                    .any(|own| own.entity == one.entity && own.sentiment.as_ref() == Some(&one.sentiment))
            );
        }
        // another time for the same units
        let moved: Vec<_> =
            units.iter().map(|unit| graphwright::domain::TextUnit { period: None, ..unit.clone() }).collect();
        store.replace_document(&file, &moved).await.unwrap();
        sum_up(store).await;
        assert!(store.entity_periods(&[named("Bob")]).await.unwrap().is_empty());
        assert!(store.relationship_periods(&[pair]).await.unwrap().is_empty());
        assert!(store.periods().await.unwrap().is_empty());
    }
}
