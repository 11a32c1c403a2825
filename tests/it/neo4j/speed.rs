//! Prints how long batches take; run it alone in release: `cargo test --release --test it speed -- --nocapture`.

use super::fixture::{document, sum_up};
use super::workspace;
use graphwright::domain::{
    EntityRecord, Id, Ids, Mention, Record, RelationEvidence, RelationItem, TextUnit, UnitEvidence, UnitState,
};
use graphwright::stores::graph::{GraphReader, GraphStore, UnitWrite};
use std::collections::BTreeMap;
use std::time::Instant;

const UNITS: usize = 200;
const MENTIONS: usize = 80;

/// A unit as the NLP extraction gives: 80 names of a skewed vocabulary, each related to its neighbour.
fn dense_write(ids: &Ids, unit: &TextUnit, random: &mut fastrand::Rng) -> UnitWrite {
    let mut names: Vec<String> = (0..MENTIONS)
        .map(|_| {
            // few names are frequent
            let most = random.u32(1..=20_000);
            let most = random.u32(1..=most);
            format!("Name {}", random.u32(..most))
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut mentions = BTreeMap::new();
    let mut relations: BTreeMap<Id, RelationEvidence> = BTreeMap::new();
    for (index, name) in names.iter().enumerate() {
        let entity = ids.entity(name);
        mentions.insert(
            entity.clone(),
            Mention {
                entity: entity.clone(),
                names: vec![name.clone()],
                kinds: vec!["thing".into()],
                descriptions: vec![format!("{name} does something in this sentence of some length.")],
                linked: false,
            },
        );
        let other = ids.entity(&names[(index + 1) % names.len()]);
        let forward = entity < other;
        let (low, high) = if forward { (entity, other) } else { (other, entity) };
        let relationship = ids.relationship(&low, &high);
        let item = RelationItem {
            kind: String::new(),
            description: "The two stand in one sentence, which is given here as evidence.".into(),
            strength: 1,
            forward,
        };
        relations.entry(relationship.clone()).or_insert(RelationEvidence {
            relationship,
            low,
            high,
            items: vec![item],
        });
    }
    let record = |name: &String| {
        Record::Entity(EntityRecord { name: name.clone(), kind: "thing".into(), description: String::new() })
    };
    UnitWrite {
        text_unit: unit.id.clone(),
        state: UnitState {
            records: names.iter().map(record).collect(),
            extraction: Some("nlp/1".into()),
            error: None,
            linked: vec![],
            linking_done: true,
        },
        evidence: UnitEvidence {
            mentions: mentions.into_values().collect(),
            relations: relations.into_values().collect(),
            claims: vec![],
        },
        replaces: false,
    }
}

#[tokio::test]
async fn batches_of_dense_units() {
    let Some(store) = workspace("test_speed").await else { return };
    let ids = Ids::new("test_speed");
    let texts: Vec<String> =
        (0..UNITS).map(|number| format!("Text {number} {}", "word ".repeat(240))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (book, units) = document(&ids, "book", &texts);
    let timed =
        |what: &str, since: Instant| println!("{what}: {:.0} ms", since.elapsed().as_secs_f64() * 1000.0);
    let start = Instant::now();
    store.replace_document(&book, &units).await.unwrap();
    timed("replace_document of 200 units", start);
    let mut random = fastrand::Rng::with_seed(7);
    let writes: Vec<UnitWrite> = units.iter().map(|unit| dense_write(&ids, unit, &mut random)).collect();
    for batch in writes.chunks(50) {
        let start = Instant::now();
        store.save_units(batch).await.unwrap();
        timed("save_units of 50", start);
    }
    let start = Instant::now();
    store.save_units(&writes[..50]).await.unwrap();
    timed("save_units of the same 50 again", start);
    let start = Instant::now();
    let dirty = store.dirty_relationships(1_000).await.unwrap();
    timed(&format!("dirty_relationships of {}", dirty.len()), start);
    let start = Instant::now();
    let dirty = store.dirty_entities(1_000).await.unwrap();
    timed(&format!("dirty_entities of {}", dirty.len()), start);
    let start = Instant::now();
    sum_up(&store).await;
    timed("all sums, 100 a batch", start);
    let counts = store.counts().await.unwrap();
    println!("{counts:?}");
    let start = Instant::now();
    let all = store.relationships(None, 1_000_000).await.unwrap();
    timed(&format!("all {} relationships", all.len()), start);
    let start = Instant::now();
    let list = store.edge_list().await.unwrap();
    timed(&format!("edge_list of {} edges", list.edges.len()), start);
    let start = Instant::now();
    store.remove_documents(std::slice::from_ref(&book.id)).await.unwrap();
    timed("remove_documents of 200 units", start);
    store.wipe().await.unwrap();
}
