//! Reports without a model: the leading entities as title, the strongest relationships' evidence as summary and
//! findings, each citing its record.

use super::context::ReportContext;
use crate::domain::{Entity, Finding, Id, RecordKind, RecordRef, Relationship, Report};
use crate::language::{Language, language_of, words};
use std::collections::{BTreeMap, BTreeSet};

/// Entities named in a title.
const TITLE_NAMES: usize = 3;
/// Sentences of a summary.
const SUMMARY_SENTENCES: usize = 3;
/// Findings of a report.
const FINDINGS: usize = 6;
/// Sentences of a finding.
const FINDING_SENTENCES: usize = 4;

/// What an extractive report is made of: the community's records that its context shows.
#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    /// What is shown.
    pub context: &'a ReportContext,
    /// Entities by id.
    pub entities: &'a BTreeMap<Id, Entity>,
    /// Relationships by id.
    pub relationships: &'a BTreeMap<Id, Relationship>,
    /// Members in order of rank.
    pub leading: &'a [Id],
    /// Number of members.
    pub size: usize,
    /// Sum of the weights of all relationships inside.
    pub weight: u64,
}

/// Writes a report; `composed` where the community is too small to be worth one.
pub fn write(material: &Material<'_>, composed: bool) -> Report {
    let shown: Vec<&Relationship> = material
        .context
        .shown
        .get(&RecordKind::Relationships)
        .into_iter()
        .flatten()
        .filter(|id| !material.context.leaving.contains(*id))
        .filter_map(|id| material.relationships.get(id))
        .collect();
    let frame = Frame::of(material, &shown);
    let leading: Vec<&Entity> = material.leading.iter().filter_map(|id| material.entities.get(id)).collect();
    let said = leading.iter().filter(|entity| !frame.names.contains(&entity.id));
    let in_order = said.chain(leading.iter().filter(|entity| frame.names.contains(&entity.id)));
    let mut names: Vec<&str> = in_order.map(|entity| entity.name.as_str()).collect();
    names.sort_by_key(|name| is_plain_word(name));
    names.truncate(TITLE_NAMES);
    let language = language_of(&names.join(" "));
    let mut strongest: Vec<&Relationship> =
        shown.iter().copied().filter(|relationship| !frame.holds(relationship)).collect();
    if strongest.is_empty() {
        strongest.clone_from(&shown);
    }
    strongest
        .sort_by(|a, b| (b.weight, b.strength).cmp(&(a.weight, a.strength)).then_with(|| a.id.cmp(&b.id)));
    let mut summary = sentences_of(&strongest, SUMMARY_SENTENCES, language);
    if summary.is_empty() {
        summary = first_description(material);
    }
    let findings = if composed { Vec::new() } else { findings(material, &shown, language) };
    Report {
        title: title(&names, material.size, language),
        summary,
        findings,
        rank: rank(material.size, material.weight),
        rank_explanation: rank_explanation(material.size, material.weight, language),
        composed,
    }
}

/// Whether a name is one word in lower letters: "quarter" tells nothing of a community that holds other names.
fn is_plain_word(name: &str) -> bool {
    name.chars().all(char::is_lowercase)
}

/// What stands around a text and is not said by it: titles of documents and headings, as one is a part of another.
struct Frame<'a> {
    names: BTreeSet<&'a Id>,
}

impl<'a> Frame<'a> {
    /// Known by the relationships that the extraction writes between them: "A Christmas Carol: Stave One".
    fn of(material: &Material<'a>, shown: &[&'a Relationship]) -> Self {
        let name = |id: &Id| material.entities.get(id).map_or("", |entity| entity.name.as_str());
        let is_part = |relationship: &&&Relationship| {
            let (one, other) = (name(&relationship.source), name(&relationship.target));
            relationship.description.lines().any(|line| {
                line.split_once(": ").is_some_and(|ends| ends == (one, other) || ends == (other, one))
            })
        };
        let parts = shown.iter().filter(is_part);
        Self { names: parts.flat_map(|relationship| [&relationship.source, &relationship.target]).collect() }
    }

    /// Whether a relationship only says what stands under which title.
    fn holds(&self, relationship: &Relationship) -> bool {
        self.names.contains(&relationship.source) || self.names.contains(&relationship.target)
    }
}

fn title(names: &[&str], size: usize, language: Language) -> String {
    let more = size > names.len();
    if language == Language::Chinese {
        return format!("{}{}", names.join("、"), if more { "等" } else { "" });
    }
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [init @ .., last] if !more => format!("{} and {last}", init.join(", ")),
        all => format!("{} and others", all.join(", ")),
    }
}

fn findings(material: &Material<'_>, shown: &[&Relationship], language: Language) -> Vec<Finding> {
    let mut told: BTreeSet<&Id> = BTreeSet::new();
    let mut findings = Vec::new();
    for id in material.leading {
        if findings.len() == FINDINGS {
            break;
        }
        let Some(entity) = material.entities.get(id) else { continue };
        let mut own: Vec<&Relationship> = shown
            .iter()
            .copied()
            .filter(|r| (r.source == *id || r.target == *id) && !told.contains(&r.id))
            .collect();
        own.sort_by(|a, b| (b.weight, b.strength).cmp(&(a.weight, a.strength)).then_with(|| a.id.cmp(&b.id)));
        own.truncate(FINDING_SENTENCES);
        if own.is_empty() {
            continue;
        }
        told.extend(own.iter().map(|r| &r.id));
        let partners: Vec<&str> = own
            .iter()
            .filter_map(|r| material.entities.get(if r.source == *id { &r.target } else { &r.source }))
            .map(|e| e.name.as_str())
            .collect();
        let separator = if language == Language::Chinese { "、" } else { ", " };
        let mut citations: Vec<RecordRef> = own
            .iter()
            .map(|r| RecordRef { kind: RecordKind::Relationships, id: r.id.clone() })
            .chain([RecordRef { kind: RecordKind::Entities, id: id.clone() }])
            .collect();
        citations.sort();
        findings.push(Finding {
            summary: format!("{}: {}", entity.name, partners.join(separator)),
            explanation: sentences_of(&own, FINDING_SENTENCES, language),
            citations,
        });
    }
    findings
}

/// The first evidence of each relationship, no sentence twice.
pub(super) fn sentences_of(relationships: &[&Relationship], most: usize, language: Language) -> String {
    let told =
        relationships.iter().filter_map(|r| r.description.lines().find(|line| !line.trim().is_empty()));
    let sentences = each_once(told, most);
    sentences.join(if language == Language::Chinese { "" } else { " " })
}

/// Share of equal words from which two pieces are of one long sentence.
const SAME_SENTENCE: f64 = 0.6;

/// Sentences in their order, of several pieces of one the first.
fn each_once<'a>(sentences: impl Iterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let mut kept: Vec<(&str, BTreeSet<String>)> = Vec::new();
    for sentence in sentences {
        let words: BTreeSet<String> = words(sentence).into_iter().collect();
        let repeats = kept.iter().any(|(other, known)| {
            let both = words.intersection(known).count() as f64;
            let either = words.union(known).count() as f64;
            sentence == *other || sentence.contains('…') && both > SAME_SENTENCE * either
        });
        if !repeats && kept.len() < most {
            kept.push((sentence, words));
        }
    }
    kept.into_iter().map(|(sentence, _)| sentence).collect()
}

fn first_description(material: &Material<'_>) -> String {
    material
        .leading
        .iter()
        .filter_map(|id| material.entities.get(id))
        .filter_map(|entity| entity.description.lines().next())
        .find(|line| !line.is_empty())
        .unwrap_or_default()
        .to_owned()
}

/// One point for each doubling of entities and supporting records, at most 10.
fn rank(size: usize, weight: u64) -> f64 {
    f64::from((size as u64 + weight).max(1).ilog2().min(10))
}

fn rank_explanation(size: usize, weight: u64, language: Language) -> String {
    if language == Language::Chinese {
        format!("{size} 个实体，{weight} 条关系记录")
    } else {
        format!("{size} entities, {weight} supporting records")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_name_the_leading_entities() {
        let check = |names: &[&str], size, language, expected: &str| {
            assert_eq!(title(names, size, language), expected);
        };
        check(&["Scrooge"], 1, Language::English, "Scrooge");
        check(&["Scrooge", "Marley"], 2, Language::English, "Scrooge and Marley");
        check(&["Scrooge", "Marley", "Fred"], 9, Language::English, "Scrooge, Marley, Fred and others");
        check(&["刘备", "关羽"], 5, Language::Chinese, "刘备、关羽等");
        check(&[], 0, Language::English, "");
    }

    #[test]
    fn pieces_of_one_long_sentence_are_told_once() {
        let check = |sentences: &[&str], wanted: &[&str]| {
            assert_eq!(each_once(sentences.iter().copied(), 3), wanted);
        };
        let (one, two) = (
            "There were kings and queens, gods and messengers, …",
            "… kings and queens, gods and messengers, all …",
        );
        check(&[one, two, "It rained."], &[one, "It rained."]);
        check(&["It rained.", "It rained.", "It snowed."], &["It rained.", "It snowed."]);
        check(
            &["Ann met Bob in May.", "Ann met Bob in June."],
            &["Ann met Bob in May.", "Ann met Bob in June."],
        );
    }

    #[test]
    fn plain_words_come_behind_names_in_a_title() {
        assert!(is_plain_word("quarter"));
        for name in ["Scrooge", "surplus population", "刘备", "GPT-4"] {
            assert!(!is_plain_word(name), "{name}");
        }
    }

    #[test]
    fn ranks_grow_with_the_community_and_end_at_ten() {
        assert!((rank(1, 0) - 0.0).abs() < f64::EPSILON);
        assert!(rank(10, 30) > rank(3, 2));
        assert!((rank(1_000_000, 1_000_000_000) - 10.0).abs() < f64::EPSILON);
    }
}
