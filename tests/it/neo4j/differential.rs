//! Neo4j and SQLite say the same after the same random calls.

use super::fixture::{Said, community, document, sum_up, unit_write};
use super::workspace;
use graphwright::domain::{Id, Ids, Mention, Stage, TextUnit};
use graphwright::stores::graph::sqlite::SqliteGraph;
use graphwright::stores::graph::{GraphStore, UnitWrite, VectorKind};
use graphwright::stores::sqlite_file::SqliteFile;
use std::collections::BTreeSet;

const NAMES: [&str; 9] =
    ["Scrooge", "SCROOGE", "Marley", "Bob Cratchit", "Tiny Tim", "刘备", "Camden Town", "London", "𠮷野家"];
const KINDS: [&str; 3] = ["person", "place", ""];

fn sentences(random: &mut fastrand::Rng) -> Vec<String> {
    (0..random.usize(1..6)).map(|_| format!("Sentence number {}.", random.u8(..12))).collect()
}

/// Units of equal text in one document get one id here, so each text is taken once.
fn distinct(sentences: &[String]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    sentences.iter().map(String::as_str).filter(|text| seen.insert(*text)).collect()
}

fn random_write(ids: &Ids, unit: &TextUnit, random: &mut fastrand::Rng) -> UnitWrite {
    let names: Vec<(&str, &str)> =
        (0..random.usize(1..6)).map(|_| (NAMES[random.usize(..9)], KINDS[random.usize(..3)])).collect();
    let mut pairs = Vec::new();
    for _ in 0..random.usize(..4) {
        let (a, b) = (names[random.usize(..names.len())].0, names[random.usize(..names.len())].0);
        if a.to_lowercase() != b.to_lowercase() {
            pairs.push((a, b, "stand together"));
        }
    }
    let claims = [(names[0].0, "is claimed of")];
    let said = Said { names: &names, pairs: &pairs, claims: &claims[..random.usize(..2)] };
    let mut write = unit_write(ids, unit, &said);
    write.replaces = true;
    write.state.linking_done = random.bool();
    let linked = ids.entity("fezziwig");
    if random.bool() {
        write.state.linked = vec!["fezziwig".into()];
        let (names, kinds, descriptions) = (vec!["Fezziwig".into()], vec![], vec![]);
        write.evidence.mentions.push(Mention {
            entity: linked,
            names,
            kinds,
            descriptions,
            linked: true,
            sentiment: None,
        });
        write.evidence.mentions.sort_by(|a, b| a.entity.cmp(&b.entity));
    }
    write
}

/// Everything that can be read, as text.
async fn all(store: &dyn GraphStore, ids: &Ids) -> Vec<String> {
    let mut said = Vec::new();
    let entities: Vec<Id> = NAMES
        .iter()
        .chain(&["Fezziwig"])
        .map(|name| ids.entity(&name.to_lowercase()))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let units = store.text_units(None, 1000).await.unwrap();
    let unit_ids: Vec<Id> = units.iter().map(|unit| unit.unit.id.clone()).collect();
    let relationships = store.relationships(None, 1000).await.unwrap();
    let relationship_ids: Vec<Id> = relationships.iter().map(|r| r.id.clone()).collect();
    said.push(format!("{:?}", store.state().await.unwrap()));
    said.push(format!("{:?}", store.counts().await.unwrap()));
    said.push(format!("{:?}", store.documents(None, 100).await.unwrap()));
    said.push(format!("{:?}", store.document_status(None, 100).await.unwrap()));
    said.push(format!("{units:#?}"));
    said.push(format!("{relationships:#?}"));
    said.push(format!("{:#?}", store.entities(None, 100).await.unwrap()));
    said.push(format!("{:?}", store.entities(entities.get(2), 2).await.unwrap()));
    said.push(format!("{:?}", store.edge_list().await.unwrap()));
    said.push(format!("{:?}", store.entity_outlines(&entities).await.unwrap()));
    said.push(format!("{:?}", store.unit_headings(&unit_ids).await.unwrap()));
    said.push(format!("{:?}", store.relationships_of(&entities, 2).await.unwrap()));
    said.push(format!("{:?}", store.links_of(&entities, 2).await.unwrap()));
    said.push(format!("{:?}", store.units_of_relationships(&relationship_ids, 2).await.unwrap()));
    said.push(format!("{:?}", store.mentions_of_entities(&entities, 2).await.unwrap()));
    said.push(format!("{:?}", store.mentions_in_units(&unit_ids).await.unwrap()));
    said.push(format!("{:?}", store.claims(None, 100).await.unwrap()));
    said.push(format!("{:?}", store.claims_of(&entities).await.unwrap()));
    let generation = store.state().await.unwrap().generation;
    said.push(format!("{:#?}", store.communities(generation).await.unwrap()));
    // before there are reports one of them marks nothing
    if generation > 0 {
        said.push(format!("unreported {:?}", store.unreported_entities().await.unwrap()));
    }
    said.push(format!("{:#?}", store.names(None, 100).await.unwrap()));
    said.push(format!("{:?}", store.names(Some("marley"), 2).await.unwrap()));
    for name in ["scrooge", "刘备", "fezziwig", "nobody"] {
        said.push(format!("{:?}", store.units_with_names(&[name.to_owned()]).await.unwrap()));
    }
    said.push(format!("{:?}", store.entity_kinds().await.unwrap()));
    for stage in [Stage::Extraction, Stage::Linking] {
        said.push(format!("{:?}", store.pending_units(stage, None, 100).await.unwrap()));
    }
    for kind in VectorKind::ALL {
        said.push(format!("{:#?}", store.pending_vectors(kind, 100).await.unwrap()));
        let mut tombstones = store.tombstones(kind, 100).await.unwrap();
        tombstones.retain(|id| !unit_ids.contains(id));
        said.push(format!("{kind:?} {tombstones:?}"));
    }
    said
}

async fn same(step: &str, one: &dyn GraphStore, other: &dyn GraphStore, ids: &Ids) {
    let (one, other) = (all(one, ids).await, all(other, ids).await);
    for (left, right) in one.iter().zip(&other) {
        assert_eq!(left, right, "{step}");
    }
}

async fn dirty(store: &dyn GraphStore) -> String {
    let relationships = store.dirty_relationships(1000).await.unwrap();
    format!("{relationships:#?}\n{:#?}", relationships.len())
}

async fn dirty_entities(store: &dyn GraphStore) -> String {
    let mut entities = store.dirty_entities(1000).await.unwrap();
    // relationships not summed up yet may or may not count; they make their ends dirty when they are
    for evidence in &mut entities {
        evidence.degree = 0;
    }
    format!("{entities:#?}")
}

#[tokio::test]
async fn neo4j_and_sqlite_say_the_same_after_the_same_calls() {
    let Some(neo4j) = workspace("test_differential").await else { return };
    let ids = Ids::new("test_differential");
    for seed in 3..6 {
        neo4j.wipe().await.unwrap();
        neo4j.prepare().await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = SqliteFile::open(&folder.path().join("test_differential.sqlite")).unwrap();
        let sqlite = SqliteGraph::new(file, "test_differential");
        sqlite.prepare().await.unwrap();
        let stores: [&dyn GraphStore; 2] = [&*neo4j, &sqlite];
        let mut random = fastrand::Rng::with_seed(seed);
        let mut generation = 0;
        for number in 0..24 {
            let step = format!("seed {seed} step {number}");
            let key = ["a.txt", "b.txt", "文.txt"][random.usize(..3)];
            match random.u8(..8) {
                0 => {
                    for store in stores {
                        store.remove_documents(&[ids.document(key)]).await.unwrap();
                    }
                }
                1..=3 => {
                    let sentences = sentences(&mut random);
                    let (mut given, mut units) = document(&ids, key, &distinct(&sentences));
                    if random.u8(..3) == 0 {
                        given.title = "Another title".into();
                    }
                    for unit in &mut units {
                        unit.headings = vec![format!("Stave {}", random.u8(..2))];
                    }
                    let mut changes = Vec::new();
                    for store in stores {
                        changes.push(store.replace_document(&given, &units).await.unwrap());
                    }
                    assert_eq!(changes[0], changes[1], "{step}");
                }
                4 => {
                    let settings = ["nlp", "nlp/1", "other"][random.usize(..3)];
                    for store in stores {
                        if settings == "nlp" {
                            store.retry_failed().await
                        } else {
                            store.expire_extraction(settings).await
                        }
                        .unwrap();
                    }
                }
                _ => {
                    let units = sqlite_units(&sqlite).await;
                    let mut writes: Vec<UnitWrite> = Vec::new();
                    for unit in &units {
                        if random.u8(..4) > 0 {
                            writes.push(random_write(&ids, unit, &mut random));
                        }
                    }
                    for store in stores {
                        store.save_units(&writes).await.unwrap();
                    }
                }
            }
            assert_eq!(dirty(stores[0]).await, dirty(stores[1]).await, "{step}");
            assert_eq!(dirty_entities(stores[0]).await, dirty_entities(stores[1]).await, "{step}");
            if random.bool() {
                for store in stores {
                    sum_up(store).await;
                }
                same(&step, stores[0], stores[1], &ids).await;
            }
            if random.u8(..4) == 0 {
                for store in stores {
                    sum_up(store).await;
                }
                generation += 1;
                build(stores, generation, &ids).await;
                same(&format!("{step} generation {generation}"), stores[0], stores[1], &ids).await;
            }
            let kind = VectorKind::ALL[random.usize(..3)];
            for store in stores {
                let pending = store.pending_vectors(kind, 3).await.unwrap();
                let done: Vec<(Id, String)> = pending.into_iter().map(|p| (p.id, p.text)).collect();
                store.acknowledge_vectors(kind, &done).await.unwrap();
            }
        }
    }
    neo4j.wipe().await.unwrap();
}

async fn sqlite_units(store: &SqliteGraph) -> Vec<TextUnit> {
    let store: &dyn GraphStore = store;
    store.text_units(None, 1000).await.unwrap().into_iter().map(|stored| stored.unit).collect()
}

/// A top community of all entities above leaves of one or two, published.
async fn build(stores: [&dyn GraphStore; 2], generation: u64, ids: &Ids) {
    let entities = stores[0].entities(None, 100).await.unwrap();
    let before = stores[0].communities(generation - 1).await.unwrap();
    let mut communities = Vec::new();
    if !entities.is_empty() {
        let all: BTreeSet<Id> = entities.iter().map(|entity| entity.id.clone()).collect();
        let top = community(ids, 0, false, None, &all, "Top");
        for pair in entities.chunks(2) {
            let members = pair.iter().map(|entity| entity.id.clone()).collect();
            communities.push(community(ids, 1, true, Some(&top.id), &members, "Leaf"));
        }
        communities.push(top);
    }
    let kept: BTreeSet<&Id> =
        before.iter().map(|c| &c.id).filter(|id| communities.iter().any(|c| c.id == **id)).collect();
    let new: Vec<_> = communities.iter().filter(|c| !kept.contains(&c.id)).cloned().collect();
    let ended: Vec<Id> = before.iter().map(|c| c.id.clone()).filter(|id| !kept.contains(id)).collect();
    let parents: Vec<(Id, Option<Id>)> = communities
        .iter()
        .filter(|c| kept.contains(&c.id) && before.iter().any(|b| b.id == c.id && b.parent != c.parent))
        .map(|c| (c.id.clone(), c.parent.clone()))
        .collect();
    for store in stores {
        store.sweep_unfinished().await.unwrap();
        store.add_communities(generation, &new).await.unwrap();
        store.end_communities(generation, &ended, &parents).await.unwrap();
        store.publish_generation(generation).await.unwrap();
        store.forget_unreported().await.unwrap();
        if generation.is_multiple_of(2) {
            store.sweep_generations(generation).await.unwrap();
        }
    }
    let ids: Vec<Id> = entities.into_iter().map(|entity| entity.id).collect();
    assert_eq!(
        stores[0].communities_of(&ids, generation).await.unwrap(),
        stores[1].communities_of(&ids, generation).await.unwrap()
    );
}
