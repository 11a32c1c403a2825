//! What a model would write again of what is stored: records, reports and verdicts as replies, and how texts share them.

use super::count;
use crate::domain::{Community, Record, RecordKind, RecordRef, StoredUnit, name_key};
use crate::language::sentences;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A record as a model writes it, with what must stand in a text that it is read from.
pub(super) struct ReplyLine {
    pub(super) written: String,
    pub(super) stands: Vec<String>,
    /// What it is of: an entity, a pair, a claim. Of several text units the nearest says it.
    pub(super) of: String,
    pub(super) unit: usize,
    pub(super) gleaned: bool,
    /// The name, of an entity.
    pub(super) entity: Option<String>,
}

/// A stored report as a model writes it.
pub(super) struct StoredReport {
    /// Members of its community.
    pub(super) members: usize,
    pub(super) tokens: u64,
    pub(super) written: Value,
}

/// Characters of the sentences of a text that stand in another one.
pub(super) fn shared(text: &str, other: &str) -> usize {
    sentences_of(text).filter(|one| !one.is_empty() && other.contains(*one)).map(str::len).sum()
}

/// The records of a text unit as a model writes them.
pub(super) fn lines_of(place_of_unit: usize, unit: &StoredUnit) -> Vec<ReplyLine> {
    let records = &unit.state.records;
    let first = records.len().saturating_sub(unit.state.records_gleaned as usize);
    let line = |(place, record): (usize, &Record)| {
        let (fields, stands): (Vec<String>, Vec<&String>) = match record {
            Record::Entity(entity) => {
                let others =
                    if entity.aliases.is_empty() { "NONE".to_owned() } else { entity.aliases.join("; ") };
                let fields = [&entity.name, &entity.kind, &entity.description, &others];
                (with_kind("entity", &fields), vec![&entity.name])
            }
            Record::Relationship(relation) => {
                let strength = relation.strength.to_string();
                let fields =
                    [&relation.source, &relation.target, &relation.kind, &relation.description, &strength];
                (with_kind("relationship", &fields), vec![&relation.source, &relation.target])
            }
            Record::Claim(claim) => {
                let none = "NONE".to_owned();
                let status = claim.status.as_str().to_owned();
                let or_none = |text: &'_ String| if text.is_empty() { none.clone() } else { text.clone() };
                let (object, start, end, holder) = (
                    claim.object.clone().unwrap_or_else(|| none.clone()),
                    or_none(&claim.start_date),
                    or_none(&claim.end_date),
                    or_none(&claim.holder),
                );
                let fields = [
                    &claim.subject,
                    &object,
                    &claim.kind,
                    &status,
                    &start,
                    &end,
                    &claim.description,
                    &claim.source_text,
                    &holder,
                ];
                (with_kind("claim", &fields), vec![&claim.source_text])
            }
        };
        let of = match record {
            Record::Entity(entity) => name_key(&entity.name),
            Record::Relationship(relation) => {
                let (one, other) = (name_key(&relation.source), name_key(&relation.target));
                if one < other { format!("{one}\n{other}") } else { format!("{other}\n{one}") }
            }
            Record::Claim(claim) => format!("\n{}", claim.description),
        };
        // a name that the text does not spell so is judged by the record's own place
        let stands = stands.into_iter().filter(|name| unit.unit.text.contains(name.as_str()));
        let entity = match record {
            Record::Entity(entity) => Some(entity.name.clone()),
            _ => None,
        };
        ReplyLine {
            entity,
            written: format!("({})", fields.join("<|>")),
            stands: stands.cloned().collect(),
            of,
            unit: place_of_unit,
            gleaned: place >= first,
        }
    };
    let mut lines: Vec<ReplyLine> = records.iter().enumerate().map(line).collect();
    for line in lines.iter_mut().filter(|line| line.stands.is_empty()) {
        // nothing of it stands there letter for letter: it goes with its text
        line.stands.push(unit.unit.text.clone());
    }
    lines
}

pub(super) fn with_kind(kind: &str, fields: &[&String]) -> Vec<String> {
    let fields = fields.iter().map(|field| (*field).clone());
    std::iter::once(format!("\"{kind}\"")).chain(fields).collect()
}

/// What stands between the last two lines of number signs: the text that a prompt is about.
pub(super) fn last_block(shown: &str) -> &str {
    let Some((before, _)) = shown.rsplit_once("\n####") else { return shown };
    let begin =
        before.rfind("############").and_then(|at| before.get(at..)?.find('\n').map(|end| at + end + 1));
    begin.and_then(|begin| before.get(begin..)).unwrap_or(before)
}

/// The sentences of a text without the space around them.
pub(super) fn sentences_of(text: &str) -> impl Iterator<Item = &str> {
    sentences(text).into_iter().filter_map(|range| text.get(range)).map(str::trim)
}

/// Every pair is two, but for those that were judged to be one before.
pub(super) fn verdicts(shown: &str, one: &BTreeSet<(String, String)>) -> String {
    let mut all: Vec<Value> = Vec::new();
    let mut first: Vec<String> = Vec::new();
    for line in shown.lines() {
        let line = line.trim_start();
        if let Some(name) = line.strip_prefix("one: ") {
            first = keys_of(name);
        } else if let Some(name) = line.strip_prefix("other: ") {
            let is_one = |(a, b): (&String, &String)| {
                one.contains(&(a.clone(), b.clone())) || one.contains(&(b.clone(), a.clone()))
            };
            let second = keys_of(name);
            let same = first.iter().any(|a| second.iter().any(|b| is_one((a, b))));
            let reason = "so it is by what is said of them";
            all.push(json!({"pair": all.len() + 1, "same": same, "reason": reason}));
        }
    }
    json!({ "verdicts": all }).to_string()
}

/// The keys of a name and its other spellings, as a pair shows them: "Ann (person); also Anna | what is said of her".
fn keys_of(shown: &str) -> Vec<String> {
    let name = shown.split(" | ").next().unwrap_or(shown);
    let (first, others) = name.split_once("; also ").unwrap_or((name, ""));
    let first = first.rsplit_once(" (").map_or(first, |(first, _)| first);
    std::iter::once(first).chain(others.split(", ")).filter(|name| !name.is_empty()).map(name_key).collect()
}

/// Citations as long as those that were written: stored ones have ids in the place of numbers.
fn cited(records: &[RecordRef]) -> String {
    let mut kinds: BTreeMap<RecordKind, Vec<String>> = BTreeMap::new();
    for record in records {
        let numbers = kinds.entry(record.kind).or_default();
        numbers.push((10 + numbers.len()).to_string());
    }
    let groups: Vec<String> =
        kinds.into_iter().map(|(kind, numbers)| format!("{kind:?} ({})", numbers.join(", "))).collect();
    if groups.is_empty() { String::new() } else { format!(" [Data: {}]", groups.join("; ")) }
}

pub(super) fn stored_report(community: &Community) -> StoredReport {
    let written = written_report(community);
    StoredReport { members: community.members.len(), tokens: count(&written.to_string()), written }
}

fn written_report(community: &Community) -> Value {
    let report = &community.report;
    let findings: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            let explanation = format!("{}{}", finding.explanation, cited(&finding.citations));
            json!({"summary": finding.summary, "explanation": explanation})
        })
        .collect();
    json!({
        "title": report.title, "summary": report.summary, "rating": report.rank,
        "rating_explanation": report.rank_explanation, "findings": findings,
    })
}
