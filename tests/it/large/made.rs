//! A graph of any size, written through the interface of the stores: made documents, entities, claims, communities,
//! summary trees and atomic facts. One entity is in everything, so that whatever is read of an entity could be all.

use crate::raptor::{DIMENSION, Words};
use crate::support::{Pairing, TestIndex, fresh_workspace};
use graphwright::config::Config;
use graphwright::domain::{
    AtomicFact, Claim, ClaimStatus, Community, Document, DocumentFacts, Entity, FactChunk, Finding, Id, Ids,
    Mention, RelationEvidence, RelationItem, Relationship, Report, TextUnit, TreeNode, TreePassage,
    UnitEvidence, UnitState, name_key,
};
use graphwright::stores::graph::{EntityWrite, RelationshipWrite, UnitWrite, VectorKind};
use graphwright::stores::vectors::{Payload, Point, bm25};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Text units of a document, and leaves of its summary tree.
const UNITS: usize = 100;
/// Communities of the finest level in one of the coarsest.
const PARTS: usize = 10;
/// The entity that every text unit names and every other one is related to.
pub(super) const EVERYWHERE: &str = "Mary Carter";
/// Words of a text that are taken for the average.
const AVERAGE_LENGTH: f32 = 20.0;

/// An index of so many text units, entities, relationships, claims and communities of the finest level.
pub(super) async fn large(size: usize) -> TestIndex {
    let mut index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("large"), Config::default()).await;
    index.services.embedding = Some(Arc::new(Words));
    index.services.vectors.prepare(Some(DIMENSION)).await.expect("prepared");
    let made = Made { ids: index.services.ids.clone(), size };
    for first in (0..size).step_by(UNITS) {
        made.document(&index, first).await;
    }
    made.sums(&index).await;
    made.communities(&index).await;
    made.top_of_trees(&index).await;
    index
}

/// What everything is made by.
struct Made {
    ids: Ids,
    size: usize,
}

impl Made {
    fn person(number: usize) -> String {
        format!("Person {number}")
    }

    fn text(number: usize) -> String {
        format!("{EVERYWHERE} sold {} a horse of the stable at market {number}.", Self::person(number))
    }

    fn entity(&self, name: &str) -> Id {
        self.ids.entity(&name_key(name))
    }

    fn document_id(&self, first: usize) -> Id {
        self.ids.document(&Self::key(first))
    }

    fn key(first: usize) -> String {
        format!("docs/{first:07}.txt")
    }

    fn range(&self, first: usize) -> std::ops::Range<usize> {
        first..(first + UNITS).min(self.size)
    }

    fn unit(&self, first: usize, number: usize) -> TextUnit {
        let (document_id, text) = (self.document_id(first), Self::text(number));
        let index = u32::try_from(number - first).expect("small");
        let start_offset = u64::from(index) * 80;
        TextUnit {
            id: self.ids.text_unit(&document_id, &text, 0),
            document_id,
            index,
            token_count: 18,
            start_offset,
            end_offset: start_offset + text.chars().count() as u64,
            text,
            headings: Vec::new(),
            sections: None,
            locators: Vec::new(),
            header: String::new(),
            period: None,
        }
    }

    /// A document with its evidence, its vectors, its facts and its summary tree.
    async fn document(&self, index: &TestIndex, first: usize) {
        let units: Vec<TextUnit> = self.range(first).map(|number| self.unit(first, number)).collect();
        let document = Document {
            id: self.document_id(first),
            key: Self::key(first),
            title: format!("Market {first}"),
            content_hash: first.to_string(),
            character_count: units.last().map_or(0, |unit| unit.end_offset),
            text_unit_count: u32::try_from(units.len()).expect("small"),
            date: None,
            origin: None,
            metadata: BTreeMap::new(),
        };
        let graph = &index.services.graph;
        let writes: Vec<UnitWrite> =
            self.range(first).zip(&units).map(|(number, unit)| self.evidence(unit, number)).collect();
        let facts = self.range(first).zip(&units).map(|(number, unit)| FactChunk {
            text_units: vec![unit.id.clone()],
            facts: vec![AtomicFact {
                text: Self::text(number),
                key_elements: vec![EVERYWHERE.to_owned(), Self::person(number)],
            }],
        });
        let facts =
            DocumentFacts { document: document.id.clone(), stamp: String::new(), chunks: facts.collect() };
        let nodes = self.tree(first, &units);
        graph.replace_document(&document, &units).await.expect("a document");
        graph.save_units(&writes).await.expect("evidence");
        graph.save_facts(&facts).await.expect("facts");
        graph.save_tree(0, Some(&document.id), &nodes).await.expect("a tree");
        let found = units.iter().map(|unit| point(&unit.id, &unit.text, Some(&unit.document_id), false));
        let summed = nodes.iter().map(|node| point(&node.id, &node.text, Some(&document.id), true));
        let (found, summed) = (found.collect::<Vec<_>>(), summed.collect::<Vec<_>>());
        upsert(index, VectorKind::TextUnits, found).await;
        upsert(index, VectorKind::Summaries, summed).await;
    }

    fn evidence(&self, unit: &TextUnit, number: usize) -> UnitWrite {
        let (hub, person) = (self.entity(EVERYWHERE), self.entity(&Self::person(number)));
        let mention = |id: &Id, name: String| Mention {
            entity: id.clone(),
            names: vec![name],
            kinds: vec!["person".to_owned()],
            descriptions: vec![Self::text(number)],
            linked: false,
            sentiment: None,
        };
        let mut mentions = vec![mention(&hub, EVERYWHERE.to_owned()), mention(&person, Self::person(number))];
        mentions.sort_by(|a, b| a.entity.cmp(&b.entity));
        let (low, high) = if hub < person { (&hub, &person) } else { (&person, &hub) };
        let relation = RelationEvidence {
            relationship: self.ids.relationship(low, high),
            low: low.clone(),
            high: high.clone(),
            items: vec![RelationItem {
                kind: "sells to".to_owned(),
                description: Self::text(number),
                strength: 5,
                forward: hub < person,
            }],
        };
        let claim = Claim {
            id: self.ids.claim(&unit.id, 0),
            text_unit: unit.id.clone(),
            subject: hub.clone(),
            object: Some(person),
            kind: "sale".to_owned(),
            status: ClaimStatus::True,
            description: Self::text(number),
            start_date: String::new(),
            end_date: String::new(),
            source_text: Self::text(number),
            holder: String::new(),
        };
        UnitWrite {
            text_unit: unit.id.clone(),
            state: UnitState {
                extraction: Some("made".to_owned()),
                linking_done: true,
                ..UnitState::default()
            },
            evidence: UnitEvidence { mentions, relations: vec![relation], claims: vec![claim] },
            replaces: false,
            lease: None,
        }
    }

    /// Leaves and the root above them.
    fn tree(&self, first: usize, units: &[TextUnit]) -> Vec<TreeNode> {
        let document = Some(self.document_id(first));
        let leaf = |unit: &TextUnit| TreeNode {
            id: self.ids.other("leaf", &[unit.id.as_str()]),
            document: document.clone(),
            level: 0,
            text: unit.text.clone(),
            token_count: unit.token_count,
            children: Vec::new(),
            passage: Some(TreePassage {
                text_unit: unit.id.clone(),
                start: 0,
                end: unit.end_offset - unit.start_offset,
            }),
            stamp: None,
        };
        let mut nodes: Vec<TreeNode> = units.iter().map(leaf).collect();
        let children = nodes.iter().map(|node| node.id.clone()).collect();
        nodes.push(summary(self.root(first), document.clone(), 1, children));
        nodes
    }

    fn root(&self, first: usize) -> Id {
        self.ids.other("root", &[&first.to_string()])
    }

    /// The node above the roots of all documents.
    async fn top_of_trees(&self, index: &TestIndex) {
        let generation =
            index.services.graph.snapshot().await.expect("read").state().await.expect("read").generation;
        let roots = (0..self.size).step_by(UNITS).map(|first| self.root(first)).collect();
        let top = summary(self.ids.other("root", &["top"]), None, 2, roots);
        index.services.graph.save_tree(generation, None, std::slice::from_ref(&top)).await.expect("a tree");
        upsert(index, VectorKind::Summaries, vec![point(&top.id, &top.text, None, true)]).await;
    }

    /// Entities and relationships, as the stage of the graph would sum them up.
    async fn sums(&self, index: &TestIndex) {
        let graph = &index.services.graph;
        let hub = self.entity(EVERYWHERE);
        let count = u32::try_from(self.size).expect("small");
        let numbers: Vec<usize> = (0..self.size).collect();
        for page in numbers.chunks(1000) {
            let relationships: Vec<RelationshipWrite> = page
                .iter()
                .map(|number| {
                    let person = self.entity(&Self::person(*number));
                    let id = self.ids.relationship((&hub).min(&person), (&hub).max(&person));
                    let relationship = Relationship {
                        id: id.clone(),
                        source: hub.clone(),
                        target: person,
                        kind: "sells to".to_owned(),
                        description: Self::text(*number),
                        weight: 1,
                        strength: 5,
                        text_unit_count: 1,
                        ..Relationship::default()
                    };
                    RelationshipWrite {
                        id,
                        relationship: Some(relationship),
                        summary: None,
                        periods: Vec::new(),
                    }
                })
                .collect();
            graph.save_relationships(&relationships).await.expect("relationships");
            let mut entities: Vec<EntityWrite> =
                page.iter().map(|number| self.sum(&Self::person(*number), 1)).collect();
            if page.first() == Some(&0) {
                entities.push(self.sum(EVERYWHERE, count));
            }
            graph.save_entities(&entities).await.expect("entities");
            let points = entities.iter().filter_map(|write| {
                let entity = write.entity.as_ref()?;
                let text = format!("{} {}", entity.name, entity.description);
                Some(Point {
                    payload: Payload { kind: Some(entity.kind.clone()), ..Payload::default() },
                    ..point(&entity.id, &text, None, false)
                })
            });
            upsert(index, VectorKind::Entities, points.collect()).await;
        }
    }

    fn sum(&self, name: &str, degree: u32) -> EntityWrite {
        let id = self.entity(name);
        let entity = Entity {
            id: id.clone(),
            name: name.to_owned(),
            kind: "person".to_owned(),
            description: format!("{name} bought a horse of {EVERYWHERE} at the market."),
            aliases: Vec::new(),
            degree,
            text_unit_count: degree,
        };
        EntityWrite {
            id,
            entity: Some(entity),
            summary: None,
            label: "Person".to_owned(),
            periods: Vec::new(),
        }
    }

    /// Communities of two levels, each with the entity that is everywhere.
    async fn communities(&self, index: &TestIndex) {
        let graph = &index.services.graph;
        let generation = graph.snapshot().await.expect("read").state().await.expect("read").generation + 1;
        let parents = (0..self.size.div_ceil(PARTS)).map(|number| self.community(0, number, number * PARTS));
        let children = (0..self.size).map(|number| self.community(1, number, number));
        let all: Vec<Community> = parents.chain(children).collect();
        for page in all.chunks(1000) {
            graph.add_communities(generation, page).await.expect("added");
            let points = page.iter().map(|community| Point {
                payload: Payload { level: Some(community.level), ..Payload::default() },
                ..point(&community.id, &community.report.full_content(), None, false)
            });
            upsert(index, VectorKind::Reports, points.collect()).await;
        }
        graph.publish_generation(generation).await.expect("published");
    }

    fn community(&self, level: u32, number: usize, person: usize) -> Community {
        let id = self.ids.other("community", &[&level.to_string(), &number.to_string()]);
        let mut members = vec![self.entity(EVERYWHERE), self.entity(&Self::person(person))];
        members.sort();
        let person = Self::person(person);
        let finding = |place: usize| Finding {
            summary: format!("{EVERYWHERE} sells {person} horse {place}."),
            explanation: format!("On every day of the week {person} meets {EVERYWHERE} at the market. ")
                .repeat(3),
            citations: Vec::new(),
        };
        let parent = self.ids.other("community", &["0", &(number / PARTS).to_string()]);
        Community {
            lineage: id.clone(),
            id,
            level,
            leaf: level == 1,
            oversized: false,
            parent: (level == 1).then_some(parent),
            members,
            fingerprint: String::new(),
            report: Report {
                title: format!("{EVERYWHERE} and {person}"),
                summary: "They meet at the market and talk of horses.".to_owned(),
                findings: (0..4).map(finding).collect(),
                rank: 5.0,
                ..Report::default()
            },
            period: String::new(),
        }
    }
}

fn summary(id: Id, document: Option<Id>, level: u32, children: Vec<Id>) -> TreeNode {
    TreeNode {
        id,
        document,
        level,
        text: format!("{EVERYWHERE} sells horses to many at the market."),
        token_count: 10,
        children,
        passage: None,
        stamp: Some(String::new()),
    }
}

fn point(id: &Id, text: &str, document: Option<&Id>, dense: bool) -> Point {
    Point {
        id: id.clone(),
        dense: dense.then(|| crate::raptor::vector(text)),
        sparse: bm25::document_vector(text, AVERAGE_LENGTH),
        payload: Payload { document_id: document.cloned(), ..Payload::default() },
    }
}

async fn upsert(index: &TestIndex, kind: VectorKind, points: Vec<Point>) {
    index.services.vectors.upsert(kind, &points).await.expect("vectors");
}
