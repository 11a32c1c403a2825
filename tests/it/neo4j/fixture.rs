//! A small graph, built through the store as the stages do.

use graphwright::domain::{
    Claim, ClaimStatus, Community, Document, Entity, EntityRecord, Finding, Id, Ids, Interval, LineageEvent,
    LineageStep, Mention, MentionSentiment, Opinion, Period, Record, RecordKind, RecordRef, RelationEvidence,
    RelationItem, Relationship, RelationshipRecord, Report, TextUnit, UnitEvidence, UnitState, name_key,
};
use graphwright::stores::graph::{EntityWrite, GraphStore, RelationshipWrite, UnitWrite, type_label};
use std::collections::{BTreeMap, BTreeSet};

/// A document of the given sentences, one text unit each.
pub(crate) fn document(ids: &Ids, key: &str, sentences: &[&str]) -> (Document, Vec<TextUnit>) {
    let id = ids.document(key);
    let mut start = 0;
    let [december, later]: [Interval; 2] =
        ["1843-12-01/1843-12-31", "1844-01-01/1844-01-31"].map(|written| written.parse().unwrap());
    let mut units = Vec::new();
    for (index, text) in sentences.iter().enumerate() {
        let end = start + text.chars().count() as u64;
        units.push(TextUnit {
            id: ids.text_unit(&id, text, 0),
            document_id: id.clone(),
            index: u32::try_from(index).unwrap(),
            text: (*text).to_owned(),
            token_count: 7,
            start_offset: start,
            end_offset: end,
            headings: vec!["Stave I".into()],
            sections: None,
            locators: Vec::new(),
            header: String::new(),
            period: Some(if index == 1 { later } else { december }),
        });
        start = end;
    }
    let document = Document {
        id,
        key: key.into(),
        title: format!("Title of {key}"),
        content_hash: "hash".into(),
        character_count: start,
        text_unit_count: u32::try_from(units.len()).unwrap(),
        date: Some(Period::months(1843, 12, 1, "December 1843")),
        metadata: BTreeMap::from([("author".to_owned(), "Dickens".to_owned())]),
        origin: None,
    };
    (document, units)
}

/// What a unit says: names with types, pairs of them with a description, claims as (subject, description).
pub(crate) struct Said<'a> {
    pub(crate) names: &'a [(&'a str, &'a str)],
    pub(crate) pairs: &'a [(&'a str, &'a str, &'a str)],
    pub(crate) claims: &'a [(&'a str, &'a str)],
}

/// What Tim says of Scrooge.
fn sentiment_of(name: &str) -> Option<MentionSentiment> {
    let opinion = Opinion { holder: "Tiny Tim".into(), score: -500, quote: "Scrooge keeps him cold.".into() };
    (name == "Scrooge").then(|| MentionSentiment {
        score: -500,
        words: vec!["cold".into()],
        opinions: vec![opinion],
    })
}

/// The write of a unit that says this; names are entities as they stand.
pub(crate) fn unit_write(ids: &Ids, unit: &TextUnit, said: &Said<'_>) -> UnitWrite {
    let mut records = Vec::new();
    let mut mentions: BTreeMap<Id, Mention> = BTreeMap::new();
    for (name, kind) in said.names {
        let description = format!("{name} as told in {}", unit.index);
        records.push(Record::Entity(EntityRecord {
            name: (*name).into(),
            kind: (*kind).into(),
            description: description.clone(),
            aliases: Vec::new(),
            sentiment: None,
        }));
        let entity = ids.entity(&name_key(name));
        let mention = mentions.entry(entity.clone()).or_insert_with(|| Mention {
            entity,
            names: vec![],
            kinds: vec![],
            descriptions: vec![],
            linked: false,
            sentiment: sentiment_of(name),
        });
        mention.names.push((*name).into());
        mention.kinds.push((*kind).into());
        mention.descriptions.push(description);
    }
    let mut relations: BTreeMap<Id, RelationEvidence> = BTreeMap::new();
    for (source, target, description) in said.pairs {
        records.push(Record::Relationship(RelationshipRecord {
            source: (*source).into(),
            target: (*target).into(),
            kind: "knows".into(),
            description: (*description).into(),
            strength: 2,
        }));
        let (source, target) = (ids.entity(&name_key(source)), ids.entity(&name_key(target)));
        let forward = source < target;
        let (low, high) = if forward { (source, target) } else { (target, source) };
        let relationship = ids.relationship(&low, &high);
        let evidence = relations.entry(relationship.clone()).or_insert_with(|| RelationEvidence {
            relationship,
            low,
            high,
            items: vec![],
        });
        evidence.items.push(RelationItem {
            kind: "knows".into(),
            description: (*description).into(),
            strength: 2,
            forward,
        });
    }
    let claims = said.claims.iter().enumerate().map(|(number, (subject, description))| Claim {
        id: ids.claim(&unit.id, number),
        text_unit: unit.id.clone(),
        subject: ids.entity(&name_key(subject)),
        object: None,
        kind: "habit".into(),
        status: ClaimStatus::True,
        description: (*description).into(),
        start_date: "1843-12-24".into(),
        end_date: String::new(),
        source_text: unit.text.clone(),
        holder: String::new(),
    });
    let mut claims: Vec<Claim> = claims.collect();
    claims.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    UnitWrite {
        text_unit: unit.id.clone(),
        state: UnitState {
            records,
            extraction: Some("nlp/1".into()),
            error: None,
            linked: vec![],
            linking_done: true,
            ..UnitState::default()
        },
        evidence: UnitEvidence {
            mentions: mentions.into_values().collect(),
            relations: relations.into_values().collect(),
            claims,
        },
        replaces: false,
        lease: None,
    }
}

/// Sums up all that is dirty, as the stage does.
pub(crate) async fn sum_up(store: &dyn GraphStore) {
    loop {
        let dirty = store.dirty_relationships(100).await.unwrap();
        if dirty.is_empty() {
            break;
        }
        let writes: Vec<RelationshipWrite> = dirty
            .iter()
            .map(|evidence| {
                let items: Vec<&RelationItem> = evidence.items.iter().flat_map(|(_, items)| items).collect();
                let forward = items.iter().filter(|item| item.forward).count() * 2 >= items.len();
                let (source, target) =
                    if forward { (&evidence.low, &evidence.high) } else { (&evidence.high, &evidence.low) };
                let relationship = items.first().map(|first| Relationship {
                    id: evidence.id.clone(),
                    source: source.clone(),
                    target: target.clone(),
                    kind: first.kind.clone(),
                    description: first.description.clone(),
                    weight: u32::try_from(items.len()).unwrap(),
                    strength: items.iter().map(|item| item.strength).sum(),
                    text_unit_count: u32::try_from(evidence.items.len()).unwrap(),
                    ..Relationship::default()
                });
                RelationshipWrite {
                    id: evidence.id.clone(),
                    relationship,
                    summary: None,
                    periods: evidence.periods(),
                }
            })
            .collect();
        store.save_relationships(&writes).await.unwrap();
    }
    loop {
        let dirty = store.dirty_entities(100).await.unwrap();
        if dirty.is_empty() {
            break;
        }
        let writes: Vec<EntityWrite> = dirty
            .iter()
            .map(|evidence| {
                let mut names: BTreeMap<&str, usize> = BTreeMap::new();
                for name in evidence.mentions.iter().flat_map(|(_, mention)| &mention.names) {
                    *names.entry(name).or_default() += 1;
                }
                let name = names.iter().max_by_key(|(_, count)| **count).map_or("", |(name, _)| name);
                let first = evidence.mentions.first().map(|(_, mention)| mention);
                let kind = first.and_then(|m| m.kinds.first().cloned()).unwrap_or_default();
                let entity = first.map(|first| Entity {
                    id: evidence.id.clone(),
                    name: name.to_owned(),
                    kind: kind.clone(),
                    description: first.descriptions.join(" "),
                    aliases: names.keys().filter(|other| **other != name).map(|n| (*n).to_owned()).collect(),
                    degree: evidence.degree,
                    text_unit_count: u32::try_from(evidence.mentions.len()).unwrap(),
                });
                EntityWrite {
                    id: evidence.id.clone(),
                    entity,
                    summary: None,
                    label: type_label(&kind),
                    periods: evidence.periods(),
                }
            })
            .collect();
        store.save_entities(&writes).await.unwrap();
    }
}

/// Two documents about Scrooge and his clerk, summed up, with two levels of communities in generation 1.
pub(crate) async fn carol(store: &dyn GraphStore, ids: &Ids) {
    let person = |name| (name, "person");
    let (document_a, units_a) = document(
        ids,
        "carol.txt",
        &[
            "Bob Cratchit is the clerk of Scrooge. Scrooge keeps him cold.",
            "Scrooge was the partner of Marley, who is dead.",
            "Bob Cratchit loves Tiny Tim, his son, in Camden Town.",
        ],
    );
    let (document_b, units_b) = document(
        ids,
        "notes.txt",
        &["Scrooge pays Bob Cratchit fifteen shillings.", "Camden Town is in London."],
    );
    store.replace_document(&document_a, &units_a).await.unwrap();
    store.replace_document(&document_b, &units_b).await.unwrap();
    let said = [
        Said {
            names: &[person("Bob Cratchit"), person("Scrooge"), person("SCROOGE")],
            pairs: &[("Bob Cratchit", "Scrooge", "Bob Cratchit is the clerk of Scrooge.")],
            claims: &[("Scrooge", "Scrooge keeps his clerk cold")],
        },
        Said {
            names: &[person("Scrooge"), person("Marley")],
            pairs: &[("Scrooge", "Marley", "Scrooge was the partner of Marley.")],
            claims: &[],
        },
        Said {
            names: &[person("Bob Cratchit"), person("Tiny Tim"), ("Camden Town", "place")],
            pairs: &[
                ("Bob Cratchit", "Tiny Tim", "Bob Cratchit loves Tiny Tim."),
                ("Bob Cratchit", "Camden Town", "They live in Camden Town."),
            ],
            claims: &[],
        },
        Said {
            names: &[person("Scrooge"), person("Bob Cratchit")],
            pairs: &[("Scrooge", "Bob Cratchit", "Scrooge pays Bob Cratchit fifteen shillings.")],
            claims: &[],
        },
        Said {
            names: &[("Camden Town", "place"), ("London", "place")],
            pairs: &[("Camden Town", "London", "Camden Town is in London.")],
            claims: &[],
        },
    ];
    let units = units_a.iter().chain(&units_b);
    let writes: Vec<UnitWrite> = units.zip(&said).map(|(unit, said)| unit_write(ids, unit, said)).collect();
    store.save_units(&writes).await.unwrap();
    sum_up(store).await;
    store.add_communities(1, &communities(ids)).await.unwrap();
    let steps: Vec<LineageStep> = communities(ids)
        .iter()
        .map(|community| LineageStep {
            lineage: community.lineage.clone(),
            generation: 1,
            period: community.period.clone(),
            event: LineageEvent::Began,
            level: community.level,
            size: community.members.len() as u64,
            title: community.report.title.clone(),
            others: Vec::new(),
        })
        .collect();
    store.add_lineage_steps(&steps).await.unwrap();
    store.publish_generation(1).await.unwrap();
}

/// One community of all, above one of the office and one of the home.
pub(crate) fn communities(ids: &Ids) -> Vec<Community> {
    let entity = |name: &str| ids.entity(&name_key(name));
    let office: BTreeSet<Id> = ["Scrooge", "Marley", "Bob Cratchit"].map(entity).into();
    let home: BTreeSet<Id> = ["Tiny Tim", "Camden Town", "London"].map(entity).into();
    let all: BTreeSet<Id> = office.union(&home).cloned().collect();
    let top = community(ids, 0, false, None, &all, "Everyone");
    vec![
        community(ids, 1, true, Some(&top.id), &office, "The office"),
        community(ids, 1, true, Some(&top.id), &home, "The home"),
        top,
    ]
}

/// A community with one finding that cites its first member.
pub(crate) fn community(
    ids: &Ids,
    level: u32,
    leaf: bool,
    parent: Option<&Id>,
    members: &BTreeSet<Id>,
    title: &str,
) -> Community {
    let members: Vec<Id> = members.iter().cloned().collect();
    let id = ids.community(level, leaf, &members, title);
    let finding = Finding {
        summary: format!("{title} is told of"),
        explanation: "At length.".into(),
        citations: vec![RecordRef { kind: RecordKind::Entities, id: members[0].clone() }],
    };
    Community {
        lineage: id.clone(),
        id,
        level,
        leaf,
        oversized: false,
        parent: parent.cloned(),
        members,
        fingerprint: title.into(),
        report: Report {
            title: title.into(),
            summary: format!("About {title}."),
            findings: vec![finding],
            rank: 5.5,
            rank_explanation: "in the middle".into(),
            composed: false,
        },
        period: "2026-01-01".into(),
    }
}
