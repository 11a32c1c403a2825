//! Stores to test, and small corpora to put into them.

use crate::support::{fresh_workspace, pairings};
use graphwright::config::Config;
use graphwright::domain::{
    Claim, ClaimRecord, Document, EntityRecord, Heading, Id, Ids, Interval, Locator, LocatorKind,
    LocatorMark, Mention, MentionSentiment, Opinion, Origin, Period, Record, RelationEvidence, RelationItem,
    RelationshipRecord, TextUnit, UnitEvidence, UnitState, fingerprint, name_key,
};
use graphwright::services::{self, Access};
use graphwright::stores::GraphStore;
use graphwright::stores::graph::{GraphReader, UnitWrite};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A graph store with an empty workspace of its own.
pub(crate) struct Subject {
    pub(crate) backend: String,
    pub(crate) store: Arc<dyn GraphStore>,
    pub(crate) ids: Ids,
    config: Config,
    folder: tempfile::TempDir,
}

/// One for every graph store that can be reached.
pub(crate) async fn subjects(name: &str) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for pairing in pairings().into_iter().filter(|pairing| pairing.vectors.is_none()) {
        let mut config = Config::default();
        config.graph.url.clone_from(&pairing.graph);
        // whether a writer lives is seen when it renews its lease
        config.graph.lease_s = 4;
        if let Ok(username) = std::env::var("NEO4J_USERNAME") {
            config.graph.username = username;
        }
        if let Ok(password) = std::env::var("NEO4J_PASSWORD") {
            config.graph.password = graphwright::config::Secret::new(password);
        }
        let folder = tempfile::tempdir().unwrap();
        let workspace = fresh_workspace(name);
        let services = Box::pin(services::connect(config.clone(), folder.path(), &workspace, Access::Write))
            .await
            .unwrap();
        let backend = pairing.graph.unwrap_or_else(|| "SQLite".to_owned());
        subjects.push(Subject { backend, store: services.graph, ids: services.ids, config, folder });
    }
    subjects
}

impl Subject {
    /// Another process's store of a workspace, in the same place; not its writer.
    pub(crate) async fn another(&self, workspace: &str) -> Arc<dyn GraphStore> {
        let access = if workspace == self.ids.workspace() { Access::Read } else { Access::Write };
        let other =
            Box::pin(services::connect(self.config.clone(), self.folder.path(), workspace, access)).await;
        other.unwrap().graph
    }

    /// Bytes on disk, of an embedded store.
    pub(crate) fn size(&self) -> u64 {
        let files = std::fs::read_dir(self.folder.path()).unwrap();
        files.map(|file| file.unwrap().metadata().unwrap().len()).sum()
    }

    /// Leaves nothing behind in a server.
    pub(crate) async fn finish(self) {
        self.store.wipe().await.unwrap();
        self.store.unlock_writer().await.unwrap();
    }
}

/// December 1843, or its Christmas, or no time at all.
fn period_of(unit: usize) -> Option<Interval> {
    [Some("1843-12-01/1843-12-31"), Some("1843-12-25/1843-12-25"), None][unit % 3]
        .map(|written| written.parse().unwrap())
}

/// A document cut into these texts.
pub(crate) fn document(ids: &Ids, key: &str, texts: &[&str]) -> (Document, Vec<TextUnit>) {
    let id = ids.document(key);
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut units: Vec<TextUnit> = Vec::new();
    let mut offset = 0;
    for text in texts {
        let occurrence = seen.entry(text).or_default();
        let length = text.chars().count() as u64;
        units.push(TextUnit {
            id: ids.text_unit(&id, text, *occurrence),
            document_id: id.clone(),
            index: u32::try_from(units.len()).unwrap(),
            text: (*text).to_owned(),
            token_count: u32::try_from(text.split_whitespace().count()).unwrap(),
            start_offset: offset,
            end_offset: offset + length,
            headings: vec!["Stave I".to_owned()],
            // a unit that an older version cut knows none
            sections: (!units.len().is_multiple_of(3)).then(|| {
                vec![Heading { offset: offset.saturating_sub(9), level: 2, title: "Stave I".to_owned() }]
            }),
            locators: vec![LocatorMark {
                offset,
                locator: Locator::new(LocatorKind::Page, offset + 1).labelled("iv"),
            }],
            header: if units.len().is_multiple_of(2) { String::new() } else { format!("Document: {key}") },
            period: period_of(units.len()),
        });
        *occurrence += 1;
        offset += length;
    }
    let document = Document {
        id,
        key: key.to_owned(),
        title: format!("Title of {key}"),
        content_hash: fingerprint(texts),
        character_count: offset,
        text_unit_count: u32::try_from(units.len()).unwrap(),
        date: Some(Period::months(1843, 12, 1, "December 1843")),
        metadata: BTreeMap::from([("author".to_owned(), "Dickens".to_owned())]),
        origin: Some(Origin { file: "f1".to_owned(), reader: "pdf 1".to_owned(), sketch: "0a0b".to_owned() }),
    };
    (document, units)
}

pub(crate) fn entity(name: &str, kind: &str, description: &str) -> Record {
    Record::Entity(EntityRecord {
        name: name.into(),
        kind: kind.into(),
        description: description.into(),
        aliases: Vec::new(),
        sentiment: None,
    })
}

pub(crate) fn relationship(source: &str, target: &str, kind: &str, strength: u32) -> Record {
    Record::Relationship(RelationshipRecord {
        source: source.into(),
        target: target.into(),
        kind: kind.into(),
        description: format!("{source} {kind} {target}."),
        strength,
    })
}

pub(crate) fn claim(subject: &str, object: Option<&str>, description: &str) -> Record {
    Record::Claim(ClaimRecord {
        subject: subject.into(),
        object: object.map(Into::into),
        kind: "deed".into(),
        description: description.into(),
        source_text: format!("“{description}”"),
        ..ClaimRecord::default()
    })
}

/// A unit whose extraction and linking are done.
pub(crate) fn write(ids: &Ids, unit: &TextUnit, records: &[Record], linked: &[&str]) -> UnitWrite {
    let state = UnitState {
        records: records.to_vec(),
        extraction: Some("nlp/1".to_owned()),
        error: None,
        linked: linked.iter().map(|name| name_key(name)).collect(),
        linking_done: true,
        records_lost: u32::try_from(records.len() % 3).unwrap(),
        records_pruned: u32::try_from(linked.len()).unwrap(),
        records_gleaned: u32::try_from(linked.len() % 2).unwrap(),
    };
    let evidence = project(ids, &unit.id, records, linked);
    UnitWrite { text_unit: unit.id.clone(), state, evidence, replaces: true, lease: None }
}

/// What a unit's records and linked names say of the graph, without any resolution.
pub(crate) fn project(ids: &Ids, unit: &Id, records: &[Record], linked: &[&str]) -> UnitEvidence {
    let of = |name: &str| ids.entity(&name_key(name));
    let mut mentions: BTreeMap<Id, Mention> = BTreeMap::new();
    let mut relations: BTreeMap<Id, RelationEvidence> = BTreeMap::new();
    let mut claims = Vec::new();
    for (number, record) in records.iter().enumerate() {
        match record {
            Record::Entity(entity) => {
                let mention = mentions.entry(of(&entity.name)).or_insert_with_key(empty_mention);
                mention.names.push(entity.name.clone());
                mention.kinds.push(entity.kind.clone());
                mention.descriptions.push(entity.description.clone());
            }
            Record::Relationship(record) => {
                let (source, target) = (of(&record.source), of(&record.target));
                let (low, high) = if source < target { (&source, &target) } else { (&target, &source) };
                let relation =
                    relations.entry(ids.relationship(low, high)).or_insert_with_key(|id| RelationEvidence {
                        relationship: id.clone(),
                        low: low.clone(),
                        high: high.clone(),
                        items: Vec::new(),
                    });
                relation.items.push(RelationItem {
                    kind: record.kind.clone(),
                    description: record.description.clone(),
                    strength: record.strength,
                    forward: source < target,
                });
            }
            Record::Claim(record) => claims.push(Claim {
                id: ids.claim(unit, number),
                text_unit: unit.clone(),
                subject: of(&record.subject),
                object: record.object.as_deref().map(of),
                kind: record.kind.clone(),
                status: record.status,
                description: record.description.clone(),
                start_date: record.start_date.clone(),
                end_date: record.end_date.clone(),
                source_text: record.source_text.clone(),
                holder: record.holder.clone(),
            }),
        }
    }
    for name in linked {
        mentions.entry(of(name)).or_insert_with_key(|id| Mention {
            names: vec![(*name).to_owned()],
            kinds: vec![String::new()],
            descriptions: vec![String::new()],
            linked: true,
            ..empty_mention(id)
        });
    }
    claims.sort_by(|one, other| one.id.cmp(&other.id));
    UnitEvidence {
        mentions: mentions.into_values().collect(),
        relations: relations.into_values().collect(),
        claims,
    }
}

/// What is said of every other entity, as far as its id tells.
fn sentiment_of(entity: &Id) -> Option<MentionSentiment> {
    let opinion = Opinion { holder: "Bob".to_owned(), score: 400, quote: "A good \"man\".".to_owned() };
    let even = entity.as_str().bytes().last().is_some_and(|byte| byte.is_multiple_of(2));
    let last = entity.as_str().bytes().next().is_some_and(|byte| byte.is_multiple_of(2));
    even.then(|| MentionSentiment {
        score: -375,
        words: vec!["cold".to_owned(), "坏".to_owned()],
        opinions: if last { vec![opinion] } else { Vec::new() },
    })
}

fn empty_mention(entity: &Id) -> Mention {
    Mention {
        entity: entity.clone(),
        names: Vec::new(),
        kinds: Vec::new(),
        descriptions: Vec::new(),
        linked: false,
        sentiment: sentiment_of(entity),
    }
}

/// Three units of two documents: Scrooge and Marley, Scrooge and Bob Cratchit, Bob alone with a claim.
pub(crate) async fn carol(store: &dyn GraphStore, ids: &Ids) -> Vec<TextUnit> {
    let (carol, mut units) =
        document(ids, "carol.txt", &["Scrooge and Marley.", "Scrooge pays Bob Cratchit."]);
    let (notes, more) = document(ids, "notes.txt", &["Bob Cratchit shivers."]);
    store.replace_document(&carol, &units).await.unwrap();
    store.replace_document(&notes, &more).await.unwrap();
    units.extend(more);
    let records = [
        vec![
            entity("Scrooge", "person", "A miser."),
            entity("Marley", "person", "Dead."),
            relationship("Scrooge", "Marley", "partner of", 9),
        ],
        vec![
            entity("Scrooge", "person", "Pays little."),
            entity("Bob Cratchit", "person", "A clerk."),
            relationship("Scrooge", "Bob Cratchit", "employs", 7),
            relationship("Bob Cratchit", "Scrooge", "works for", 5),
        ],
        vec![entity("Bob Cratchit", "clerk", ""), claim("Bob Cratchit", None, "He shivers.")],
    ];
    let writes: Vec<UnitWrite> =
        units.iter().zip(&records).map(|(unit, records)| write(ids, unit, records, &[])).collect();
    store.save_units(&writes).await.unwrap();
    units
}

/// All ids of dirty entities and relationships.
pub(crate) async fn dirty(store: &dyn GraphStore) -> (Vec<Id>, Vec<Id>) {
    let entities = store.dirty_entities(10_000).await.unwrap();
    let relationships = store.dirty_relationships(10_000).await.unwrap();
    (
        entities.into_iter().map(|evidence| evidence.id).collect(),
        relationships.into_iter().map(|evidence| evidence.id).collect(),
    )
}

/// Ids of entities by their names, sorted.
pub(crate) fn entities(ids: &Ids, names: &[&str]) -> Vec<Id> {
    let mut entities: Vec<Id> = names.iter().map(|name| ids.entity(&name_key(name))).collect();
    entities.sort();
    entities
}

/// The relationship of two names.
pub(crate) fn pair(ids: &Ids, one: &str, other: &str) -> Id {
    ids.relationship(&ids.entity(&name_key(one)), &ids.entity(&name_key(other)))
}

/// One read of everything that does not depend on the order in which it came to be.
pub(crate) async fn dump(reader: &dyn GraphReader, store: &dyn GraphStore) -> String {
    let generation = reader.state().await.unwrap().generation;
    let everything = (
        reader.counts().await.unwrap(),
        reader.documents(None, 10_000).await.unwrap(),
        reader.text_units(None, 10_000).await.unwrap(),
        reader.entities(None, 10_000).await.unwrap(),
        reader.relationships(None, 10_000).await.unwrap(),
        reader.claims(None, 10_000).await.unwrap(),
        reader.communities(generation).await.unwrap(),
        reader.resolution().await.unwrap(),
        reader.document_status(None, 10_000).await.unwrap(),
    );
    let units: Vec<Id> = everything.2.iter().map(|unit| unit.unit.id.clone()).collect();
    let mentions = reader.mentions_in_units(&units).await.unwrap();
    let names = store.names(None, 10_000).await.unwrap();
    let kinds = store.entity_kinds().await.unwrap();
    format!("{everything:#?}\n{mentions:#?}\n{names:#?}\n{kinds:#?}")
}
