//! Random sequences of writes, compared with the model after each.

use super::fixture::{Subject, claim, document, entity, relationship, subjects, write};
use super::model::Model;
use super::sums::sum_up;
use fastrand::Rng;
use graphwright::domain::{Document, Id, Record, TextUnit, UnitState};
use graphwright::stores::graph::{UnitWrite, VectorKind};

const NAMES: [&str; 9] = [
    "Scrooge",
    "SCROOGE",
    "Bob Cratchit",
    "bob  cratchit",
    "Marley",
    "刘备",
    "Robert'); DROP TABLE entities;--",
    "`})-[r]-(n) DETACH DELETE n //",
    "İstanbul 🦀",
];
const KINDS: [&str; 4] = ["person", "", "人物", "Entity"];
const KEYS: [&str; 4] = ["a.txt", "B.txt", "中/文.md", "a.txt#2"];
const TEXTS: [&str; 6] = ["one", "two", "three", "four", "five", "two"];

#[tokio::test]
async fn random_writes_leave_what_the_model_says() {
    for seed in 0..12 {
        for subject in subjects("random").await {
            sequence(&subject, seed, 60).await;
            subject.finish().await;
        }
    }
}

async fn sequence(subject: &Subject, seed: u64, steps: usize) {
    let store = subject.store.as_ref();
    let mut random = Rng::with_seed(seed);
    let mut model = Model::default();
    for step in 0..steps {
        let action = random.u8(..12);
        let what = format!("{} seed {seed} step {step} action {action}", subject.backend);
        match action {
            0..3 => {
                let (document, units) = draw_document(subject, &mut random);
                let change = store.replace_document(&document, &units).await.unwrap();
                assert_eq!(change, model.replace_document(&document, &units), "{what}");
            }
            3 => {
                let id = subject.ids.document(KEYS[random.usize(..KEYS.len())]);
                store.remove_documents(std::slice::from_ref(&id)).await.unwrap();
                model.remove_document(&id);
            }
            4..8 => {
                let writes = draw_writes(subject, &model, &mut random);
                store.save_units(&writes).await.unwrap();
                model.save_units(&writes);
            }
            8..10 => {
                sum_up(store).await;
                model.sum_up();
            }
            10 => {
                let settings = ["nlp/1", "nlp", "model"][random.usize(..3)];
                if random.bool() {
                    let changed = store.expire_extraction(settings).await.unwrap();
                    assert_eq!(changed, model.expire_extraction(settings), "{what}");
                } else {
                    assert_eq!(store.retry_failed().await.unwrap(), model.retry_failed(), "{what}");
                }
            }
            _ => acknowledge(store, &mut model, &mut random).await,
        }
        model.assert_equals(store, &what).await;
    }
}

async fn acknowledge(store: &dyn graphwright::stores::GraphStore, model: &mut Model, random: &mut Rng) {
    for kind in [VectorKind::TextUnits, VectorKind::Entities] {
        let pending = store.pending_vectors(kind, random.usize(..9)).await.unwrap();
        let done: Vec<(Id, String)> =
            pending.into_iter().map(|vector| (vector.id, format!("f{}", random.u8(..)))).collect();
        store.acknowledge_vectors(kind, &done).await.unwrap();
        model.acknowledge(kind, &done);
        let gone = store.tombstones(kind, random.usize(..5)).await.unwrap();
        store.clear_tombstones(kind, &gone).await.unwrap();
        model.clear_tombstones(kind, &gone);
    }
}

fn draw_document(subject: &Subject, random: &mut Rng) -> (Document, Vec<TextUnit>) {
    let mut texts: Vec<&str> = TEXTS.into_iter().filter(|_| random.u8(..3) > 0).collect();
    if random.u8(..4) == 0 {
        random.shuffle(&mut texts);
    }
    let key = KEYS[random.usize(..KEYS.len())];
    let (mut document, mut units) = document(&subject.ids, key, &texts);
    if random.u8(..6) == 0 {
        "Another title".clone_into(&mut document.title);
    }
    if random.u8(..6) == 0
        && let Some(unit) = units.last_mut()
    {
        unit.headings = vec!["Stave II".to_owned(), "二".to_owned()];
    }
    (document, units)
}

fn draw_writes(subject: &Subject, model: &Model, random: &mut Rng) -> Vec<UnitWrite> {
    let mut writes = Vec::new();
    for (unit, _) in model.units.values() {
        if random.u8(..3) > 0 {
            continue;
        }
        if random.u8(..8) == 0 {
            let state = UnitState { error: Some("too long".to_owned()), ..UnitState::default() };
            let evidence = graphwright::domain::UnitEvidence::default();
            writes.push(UnitWrite {
                text_unit: unit.id.clone(),
                state,
                evidence,
                replaces: true,
                lease: None,
            });
            continue;
        }
        let records = draw_records(random);
        let mut linked = vec![NAMES[random.usize(..NAMES.len())]];
        linked.retain(|name| random.bool() && !holds(&records, name));
        let mut write = write(&subject.ids, unit, &records, &linked);
        write.state.linking_done = random.bool();
        write.state.extraction = Some(["nlp/1", "nlp/1/x", "model/7"][random.usize(..3)].to_owned());
        writes.push(write);
    }
    writes
}

fn holds(records: &[Record], name: &str) -> bool {
    let key = graphwright::domain::name_key(name);
    records.iter().any(|record| match record {
        Record::Entity(entity) => graphwright::domain::name_key(&entity.name) == key,
        _ => false,
    })
}

/// Entities, relationships between them, a claim; every end has an entity record.
fn draw_records(random: &mut Rng) -> Vec<Record> {
    let names: Vec<&str> = NAMES.into_iter().filter(|_| random.u8(..4) == 0).collect();
    let mut records = Vec::new();
    for name in &names {
        for _ in 0..random.usize(1..3) {
            let description = ["", "A miser.", "他是皇叔。"][random.usize(..3)];
            records.push(entity(name, KINDS[random.usize(..KINDS.len())], description));
        }
    }
    for _ in 0..random.usize(..4) {
        let (Some(source), Some(target)) = (random.choice(&names), random.choice(&names)) else { break };
        if graphwright::domain::name_key(source) != graphwright::domain::name_key(target) {
            records.push(relationship(source, target, KINDS[random.usize(..2)], random.u32(1..10)));
        }
    }
    if let Some(subject) = random.choice(&names) {
        records.push(claim(subject, random.choice(&names).copied(), "He said \"Humbug\"."));
    }
    records
}
