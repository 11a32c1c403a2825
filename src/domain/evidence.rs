//! Evidence: what one text unit contributes to the graph, and what a store gives back to be summed up.
//!
//! [`UnitEvidence`] is a pure function of a unit's records, linked names, the resolution table and the edits.
//! Stores replace a unit's evidence as a whole and mark what it touched as dirty; entities and relationships are
//! then summed up anew from all their evidence, never incremented.

use super::{Claim, Id, Interval, MentionSentiment, PeriodCount};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All that one text unit says, in terms of the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitEvidence {
    /// Entities that the unit mentions; one a mention, sorted by entity.
    pub mentions: Vec<Mention>,
    /// Pairs that the unit relates; one a relationship, sorted by relationship. Both ends are in `mentions`.
    pub relations: Vec<RelationEvidence>,
    /// Claims of the unit; sorted by id. Subject and object are in `mentions`.
    pub claims: Vec<Claim>,
}

/// One text unit's records of one entity. The three lists run in parallel, in the order of the records; other names that
/// a record gives stand behind it ([`Mention::aliases`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// The entity.
    pub entity: Id,
    /// Names as written; for a linked mention the dictionary's spelling.
    pub names: Vec<String>,
    /// Types, empty where unknown.
    pub kinds: Vec<String>,
    /// Descriptions, empty where none.
    pub descriptions: Vec<String>,
    /// True where only a name known from elsewhere was found.
    pub linked: bool,
    /// What the unit says for or against it, where it does.
    #[serde(skip)]
    pub sentiment: Option<MentionSentiment>,
}

/// Stands for the type of a name that a record gives as another one.
const OTHER_NAME: &str = "\u{1}";

impl Mention {
    /// Adds another name that a record gives the entity: it is no record of its own.
    pub fn add_alias(&mut self, name: &str) {
        self.names.push(name.to_owned());
        self.kinds.push(OTHER_NAME.to_owned());
        self.descriptions.push(String::new());
    }

    /// Names by their types, one a record.
    pub fn own(&self) -> impl Iterator<Item = (&String, &String)> {
        self.names.iter().zip(&self.kinds).filter(|(_, kind)| *kind != OTHER_NAME)
    }

    /// Other names that records give.
    pub fn aliases(&self) -> impl Iterator<Item = &String> {
        self.names.iter().zip(&self.kinds).filter(|(_, kind)| *kind == OTHER_NAME).map(|(name, _)| name)
    }

    /// Number of records.
    pub fn records(&self) -> usize {
        self.own().count()
    }
}

/// One text unit's records of one relationship.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationEvidence {
    /// The relationship.
    pub relationship: Id,
    /// The end with the smaller id.
    pub low: Id,
    /// The end with the greater id.
    pub high: Id,
    /// One a record, in the order of the records.
    pub items: Vec<RelationItem>,
}

/// One relationship record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationItem {
    /// Short phrase, empty where unknown.
    pub kind: String,
    /// What the text says of the two.
    pub description: String,
    /// From 1 to 10.
    pub strength: u32,
    /// True where the record's source is the end with the smaller id.
    pub forward: bool,
}

/// Where evidence stands. The order of all lists of evidence: document key, then unit index, then record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EvidencePlace {
    /// Key of the document.
    pub document_key: String,
    /// Index of the unit in the document.
    pub unit_index: u32,
    /// The unit.
    pub text_unit: Id,
    /// The days that the unit is of.
    #[serde(default)]
    pub period: Option<Interval>,
}

/// Everything known of one entity, sorted by place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityEvidence {
    /// The entity.
    pub id: Id,
    /// What the units say of it; empty where it has lost its last mention.
    pub mentions: Vec<(EvidencePlace, Mention)>,
    /// How many claims its units make about it, by their days; those of no days are left out.
    pub claims: BTreeMap<Interval, u32>,
    /// How many relationships it has.
    pub degree: u32,
    /// The text that its description was summarised to, with the fingerprint of the descriptions summarised.
    pub summary: Option<(String, String)>,
}

impl EntityEvidence {
    /// What each period says of it, by period.
    pub fn periods(&self) -> Vec<PeriodCount> {
        let mut counts = count_periods(self.mentions.iter().map(|(place, mention)| {
            let records = if mention.linked { 1 } else { mention.records().max(1) };
            (
                place,
                PeriodShare {
                    records,
                    strength: 0,
                    sentiment: mention.sentiment.as_ref().map(|one| one.score),
                },
            )
        }));
        // a text unit mentions whatever it makes a claim about
        for count in &mut counts {
            count.claims = self.claims.get(&count.period).copied().unwrap_or_default();
        }
        counts
    }
}

impl RelationshipEvidence {
    /// What each period says of it, by period.
    pub fn periods(&self) -> Vec<PeriodCount> {
        count_periods(self.items.iter().map(|(place, items)| {
            let strength = items.iter().map(|item| item.strength).sum();
            (place, PeriodShare { records: items.len(), strength, sentiment: None })
        }))
    }
}

/// What one text unit adds to the counts of its period.
struct PeriodShare {
    records: usize,
    strength: u32,
    sentiment: Option<i32>,
}

/// Counts of evidence that comes by place.
fn count_periods<'a>(said: impl Iterator<Item = (&'a EvidencePlace, PeriodShare)>) -> Vec<PeriodCount> {
    let mut counts: BTreeMap<Interval, (PeriodCount, &'a str)> = BTreeMap::new();
    for (place, said) in said {
        let Some(period) = place.period else { continue };
        let (count, document) = counts.entry(period).or_insert((PeriodCount::new(period), ""));
        if *document != place.document_key {
            count.documents += 1;
            *document = &place.document_key;
        }
        count.text_units += 1;
        count.mentions += u32::try_from(said.records).unwrap_or(u32::MAX);
        count.strength += said.strength;
        if let Some(score) = said.sentiment {
            count.sentiment += score;
            count.judged += 1;
        }
    }
    counts.into_values().map(|(count, _)| count).collect()
}

/// Everything known of one relationship, sorted by place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationshipEvidence {
    /// The relationship.
    pub id: Id,
    /// The end with the smaller id.
    pub low: Id,
    /// The end with the greater id.
    pub high: Id,
    /// What the units say of it; empty where it has lost its last evidence.
    pub items: Vec<(EvidencePlace, Vec<RelationItem>)>,
    /// The text that its description was summarised to, with the fingerprint of the descriptions summarised.
    pub summary: Option<(String, String)>,
}
