//! Prints how long a large graph takes: 50,000 units, 100,000 entities, 500,000 relationships, in SQLite. Runs where
//! `GRAPHWRIGHT_BENCH` is set: `GRAPHWRIGHT_BENCH=1 cargo test --release --test it graph_store::speed -- --nocapture`.

use super::fixture::{document, entity, relationship, subjects, write};
use super::sums::{entity_write, relationship_write};
use fastrand::Rng;
use graphwright::domain::{Id, Ids, Record};
use graphwright::stores::GraphStore;
use graphwright::stores::graph::UnitWrite;
use std::time::Instant;

const UNITS: usize = 50_000;
const UNITS_PER_DOCUMENT: usize = 100;
const ENTITIES: f64 = 100_000.0;
/// An English page of 1,200 tokens.
const TEXT: &str = "It was the best of times, it was the worst of times. ";

#[tokio::test]
async fn a_large_graph() {
    if std::env::var_os("GRAPHWRIGHT_BENCH").is_none() {
        return;
    }
    for subject in subjects("speed").await.into_iter().filter(|subject| subject.backend == "SQLite") {
        let store = subject.store.as_ref();
        let mut random = Rng::with_seed(7);
        fill(store, &subject.ids, &mut random).await;
        sum(store).await;
        eprintln!(
            "{:?}, {} MB, {} MB resident",
            store.counts().await.unwrap(),
            subject.size() >> 20,
            resident() >> 20
        );
        for (name, spread) in [("any entities", 1), ("frequent entities", 6)] {
            neighbourhoods(store, &subject.ids, name, spread, &mut random).await;
        }
        let start = Instant::now();
        store.edge_list().await.unwrap();
        eprintln!("edge list {:.0?}", start.elapsed());
    }
}

/// Names of a skewed vocabulary: the greater the power, the more frequent ones.
fn name(random: &mut Rng, power: i32) -> String {
    format!("Name {:.0}", (random.f64().powi(power) * ENTITIES).floor())
}

async fn fill(store: &dyn GraphStore, ids: &Ids, random: &mut Rng) {
    let (mut mention_count, mut saving, mut cutting) = (0, 0.0, 0.0);
    for number in 0..UNITS / UNITS_PER_DOCUMENT {
        let texts: Vec<String> =
            (0..UNITS_PER_DOCUMENT).map(|unit| format!("{number} {unit} {}", TEXT.repeat(90))).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (document, units) = document(ids, &format!("document {number}"), &texts);
        let start = Instant::now();
        store.replace_document(&document, &units).await.unwrap();
        cutting += start.elapsed().as_secs_f64();
        for batch in units.chunks(100) {
            let writes: Vec<UnitWrite> =
                batch.iter().map(|unit| write(ids, unit, &records(random), &[])).collect();
            mention_count += writes.iter().map(|write| write.evidence.mentions.len()).sum::<usize>();
            let start = Instant::now();
            store.save_units(&writes).await.unwrap();
            saving += start.elapsed().as_secs_f64();
        }
    }
    let rate = mention_count as f64 / saving;
    eprintln!("documents {cutting:.1} s; {mention_count} mentions in {saving:.1} s, {rate:.0} a second");
}

fn records(random: &mut Rng) -> Vec<Record> {
    let names: Vec<String> = (0..22).map(|number| name(random, 1 + number % 3)).collect();
    let mut records: Vec<Record> = names
        .iter()
        .map(|name| entity(name, "thing", "It does something in this sentence of some length."))
        .collect();
    for ends in names.windows(2).step_by(2).filter(|ends| ends[0] != ends[1]) {
        records.push(relationship(&ends[0], &ends[1], "stands beside", 1));
    }
    records
}

async fn sum(store: &dyn GraphStore) {
    let start = Instant::now();
    loop {
        let dirty = store.dirty_relationships(2_000).await.unwrap();
        if dirty.is_empty() {
            break;
        }
        store.save_relationships(&dirty.iter().map(relationship_write).collect::<Vec<_>>()).await.unwrap();
    }
    eprintln!("relationships summed up in {:.1?}", start.elapsed());
    let start = Instant::now();
    loop {
        let dirty = store.dirty_entities(2_000).await.unwrap();
        if dirty.is_empty() {
            break;
        }
        store.save_entities(&dirty.iter().map(entity_write).collect::<Vec<_>>()).await.unwrap();
    }
    eprintln!("entities summed up in {:.1?}", start.elapsed());
}

/// What a local search reads: fifty entities, their relationships, mentions and the first units.
async fn neighbourhoods(store: &dyn GraphStore, ids: &Ids, what: &str, power: i32, random: &mut Rng) {
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..200 {
        let wanted: Vec<Id> = (0..50).map(|_| ids.entity(&name(random, power).to_lowercase())).collect();
        let start = Instant::now();
        store.entities_by_id(&wanted).await.unwrap();
        times[0].push(start.elapsed());
        let start = Instant::now();
        store.relationships_of(&wanted, 20).await.unwrap();
        times[1].push(start.elapsed());
        let start = Instant::now();
        let edges = store.mentions_of_entities(&wanted, 20).await.unwrap();
        times[2].push(start.elapsed());
        let units: Vec<Id> = edges.into_iter().take(20).map(|edge| edge.text_unit).collect();
        let start = Instant::now();
        store.text_units_by_id(&units).await.unwrap();
        times[3].push(start.elapsed());
    }
    for (read, mut times) in ["entities", "relationships", "mentions", "text units"].into_iter().zip(times) {
        times.sort();
        eprintln!("{what}: {read} p50 {:.1?}, p95 {:.1?}", times[100], times[190]);
    }
}

/// Bytes of memory that this process holds, where the system says so.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    status.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or_default() * 4096
}
