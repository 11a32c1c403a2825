//! Citations of every kind, resolved down to the sentence.
//!
//! A source's sentence is looked for in its text unit; that of an entity, a relationship, a claim or a report in the
//! text units that it rests on. It is the sentence that shares most with the one that cites it and names what is cited.

use super::quotes::quotable;
use super::{Answer, Citation};
use crate::domain::{Claim, Community, Entity, Id, RecordKind, Relationship, SourceSentence, StoredUnit};
use crate::language;
use crate::language::questions::stem;
use crate::llm::reply;
use crate::query::question::flatten;
use crate::query::retrieval::context::{Context, Item};
use crate::stores::graph::GraphReader;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// Text units looked through for one cited record.
const UNITS: usize = 12;
/// Records that a report's citation is followed to.
const RECORDS: usize = 8;
/// Weight of the names that a sentence holds beside the words that it shares.
const NAMED: f64 = 1.0;

/// Follows an answer's citations into the context that it was said from, down to their sentences.
///
/// # Errors
/// What the store says.
pub(in crate::query) async fn resolve_answer(reader: &dyn GraphReader, answer: &mut Answer) -> Result<()> {
    answer.citations = resolve(reader, &answer.answer, &answer.context).await?;
    answer.sources = source_sentences(&answer.citations);
    Ok(())
}

/// What the citations of a checked text name, in the order of the text, each record with each sentence once.
///
/// # Errors
/// What the store says.
pub(in crate::query) async fn resolve(
    reader: &dyn GraphReader,
    text: &str,
    context: &Context,
) -> Result<Vec<Citation>> {
    let cited = cited_items(text, context);
    let support = Support::read(reader, &cited).await?;
    let mut citations: Vec<Citation> = Vec::new();
    for (item, claim) in cited {
        let grounds = support.of(item.kind, &item.record.id, claim);
        let sentence = best_sentence(claim, &grounds.units, &grounds.names);
        let known = citations.iter().any(|known| {
            known.kind == item.kind && known.number == item.number && known.sentence == sentence
        });
        if known {
            continue;
        }
        let headings = sentence.as_ref().and_then(|sentence| support.units.get(&sentence.text_unit_id));
        citations.push(Citation {
            kind: item.kind,
            number: item.number,
            id: item.record.id.clone(),
            name: item.record.name.clone(),
            headings: headings.map(|unit| unit.unit.headings.clone()).unwrap_or_default(),
            sentence,
        });
    }
    Ok(citations)
}

/// What the citations of a checked text name, in the order of the text, where a record stands for several passages,
/// each a text unit cut to what counts: the sentence that shares most with the one that cites it.
pub(in crate::query) fn resolve_passages<'a>(
    text: &str,
    context: &Context,
    passages_of: &dyn Fn(&Id) -> &'a [StoredUnit],
) -> Vec<Citation> {
    let mut citations: Vec<Citation> = Vec::new();
    for group in reply::find_citations(text) {
        let claim = sentence_before(text, group.range.start);
        for &number in &group.numbers {
            let Some(item) = usize::try_from(number)
                .ok()
                .and_then(|number| context.of(group.kind).find(|item| item.number == number))
            else {
                continue;
            };
            let passages: Vec<&StoredUnit> = passages_of(&item.record.id).iter().collect();
            let sentence = best_sentence(claim, &passages, &[]);
            let of_sentence =
                |unit: &&&StoredUnit| sentence.as_ref().is_some_and(|s| s.text_unit_id == unit.unit.id);
            let unit = passages.iter().find(of_sentence).or(passages.first());
            let known = citations.iter().any(|known| {
                known.kind == group.kind && known.number == item.number && known.sentence == sentence
            });
            if !known {
                citations.push(Citation {
                    kind: group.kind,
                    number: item.number,
                    id: item.record.id.clone(),
                    name: item.record.name.clone(),
                    headings: unit.map(|unit| unit.unit.headings.clone()).unwrap_or_default(),
                    sentence,
                });
            }
        }
    }
    citations
}

/// The sentences of citations, each once, in their order.
pub(in crate::query) fn source_sentences(citations: &[Citation]) -> Vec<SourceSentence> {
    let mut sentences: Vec<SourceSentence> = Vec::new();
    for sentence in citations.iter().filter_map(|citation| citation.sentence.as_ref()) {
        if !sentences.contains(sentence) {
            sentences.push(sentence.clone());
        }
    }
    sentences
}

/// Each cited item with the sentence that cites it.
fn cited_items<'a>(text: &'a str, context: &'a Context) -> Vec<(&'a Item, &'a str)> {
    let mut cited = Vec::new();
    for group in reply::find_citations(text) {
        let claim = sentence_before(text, group.range.start);
        for number in group.numbers.iter().filter_map(|number| usize::try_from(*number).ok()) {
            cited.extend(context.of(group.kind).find(|item| item.number == number).map(|item| (item, claim)));
        }
    }
    cited
}

/// The sentence of an answer that ends at `end`, earlier citations left out.
fn sentence_before(text: &str, end: usize) -> &str {
    let before = text.get(..end).unwrap_or_default();
    let floor = before.rfind(']').map_or(0, |at| at + 1);
    let before = before.get(floor..).unwrap_or_default();
    let stripped = before.trim_end().trim_end_matches(['.', '。', '!', '！', '?', '？', '"', '”']);
    let start = stripped.rfind(['.', '。', '!', '！', '?', '？', '\n']).map_or(0, |at| {
        at + stripped.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
    });
    let sentence = before.get(start..).unwrap_or_default();
    if language::words(sentence).is_empty() { before } else { sentence }
}

/// A sentence with its first character and one behind its last.
type Quote<'a> = (u64, u64, &'a str);

/// The sentence of some units that shares most with a claim and holds most of the names, each given by its
/// spellings in lower case; the first where none shares anything.
fn best_sentence(claim: &str, units: &[&StoredUnit], names: &[Vec<String>]) -> Option<SourceSentence> {
    let stems = |text: &str| -> BTreeSet<String> {
        language::words(&flatten(text))
            .iter()
            .filter(|word| !language::is_stop_word(word))
            .map(|word| stem(word))
            .collect()
    };
    let wanted = stems(claim);
    let sentences: Vec<(&StoredUnit, Quote<'_>, BTreeSet<String>)> = units
        .iter()
        .flat_map(|unit| quotable(&unit.unit.text).into_iter().map(|quote| (*unit, quote, stems(quote.2))))
        .collect();
    let rarity = |word: &String| {
        let held = sentences.iter().filter(|(_, _, words)| words.contains(word)).count() as f64;
        (1.0 + sentences.len() as f64 / (1.0 + held)).ln()
    };
    let weights: Vec<(&String, f64)> = wanted.iter().map(|word| (word, rarity(word))).collect();
    let mut best: Option<(f64, &StoredUnit, Quote<'_>)> = None;
    for (unit, quote, words) in &sentences {
        let shared: f64 =
            weights.iter().filter(|(word, _)| words.contains(*word)).map(|(_, weight)| weight).sum();
        let flat = flatten(quote.2);
        let held = names.iter().filter(|spellings| spellings.iter().any(|name| flat.contains(name.as_str())));
        let score = shared / (12.0 + words.len() as f64).sqrt()
            + NAMED * held.count() as f64 / names.len().max(1) as f64;
        if best.is_none_or(|(known, ..)| score > known) {
            best = Some((score, unit, *quote));
        }
    }
    let (_, unit, (start, end, text)) = best?;
    Some(SourceSentence {
        document: unit.document_key.clone(),
        text_unit_id: unit.unit.id.clone(),
        start: unit.unit.start_offset + start,
        end: unit.unit.start_offset + end,
        text: reply::without_citations(text).into_owned(),
    })
}

/// Where a record's sentence is looked for, and the names that it should hold.
#[derive(Default)]
struct Grounds<'a> {
    units: Vec<&'a StoredUnit>,
    names: Vec<Vec<String>>,
}

/// All that cited records rest on.
#[derive(Default)]
struct Support {
    communities: BTreeMap<Id, Community>,
    entities: BTreeMap<Id, Entity>,
    relationships: BTreeMap<Id, Relationship>,
    claims: BTreeMap<Id, Claim>,
    units_of: BTreeMap<Id, Vec<Id>>,
    units: BTreeMap<Id, StoredUnit>,
}

impl Support {
    async fn read(reader: &dyn GraphReader, cited: &[(&Item, &str)]) -> Result<Self> {
        let of = |kind: RecordKind| -> BTreeSet<Id> {
            let of_kind = cited.iter().filter(|(item, _)| item.kind == kind);
            of_kind.map(|(item, _)| item.record.id.clone()).collect()
        };
        let mut support = Self::default();
        let (mut entities, mut relationships) = (of(RecordKind::Entities), of(RecordKind::Relationships));
        let reports = list(of(RecordKind::Reports));
        if !reports.is_empty() {
            for community in reader.communities_by_id(&reports).await? {
                support.communities.insert(community.id.clone(), community);
            }
        }
        for (item, claim) in cited.iter().filter(|(item, _)| item.kind == RecordKind::Reports) {
            for (kind, id) in support.report_rests_on(&item.record.id, claim) {
                match kind {
                    RecordKind::Relationships => relationships.insert(id),
                    _ => entities.insert(id),
                };
            }
        }
        let relationships = list(relationships);
        if !relationships.is_empty() {
            for relationship in reader.relationships_by_id(&relationships).await? {
                entities.extend([relationship.source.clone(), relationship.target.clone()]);
                support.relationships.insert(relationship.id.clone(), relationship);
            }
            support.units_of.extend(reader.units_of_relationships(&relationships, UNITS).await?);
        }
        let entities = list(entities);
        if !entities.is_empty() {
            for entity in reader.entities_by_id(&entities).await? {
                support.entities.insert(entity.id.clone(), entity);
            }
            for edge in reader.mentions_of_entities(&entities, UNITS).await? {
                support.units_of.entry(edge.entity).or_default().push(edge.text_unit);
            }
        }
        let claims = list(of(RecordKind::Claims));
        if !claims.is_empty() {
            for claim in reader.claims_by_id(&claims).await? {
                support.claims.insert(claim.id.clone(), claim);
            }
        }
        let mut units = of(RecordKind::Sources);
        units.extend(support.units_of.values().flatten().cloned());
        units.extend(support.claims.values().map(|claim| claim.text_unit.clone()));
        for unit in reader.passages_by_id(&list(units)).await? {
            support.units.insert(unit.unit.id.clone(), unit);
        }
        Ok(support)
    }

    fn of(&self, kind: RecordKind, id: &Id, claim: &str) -> Grounds<'_> {
        match kind {
            RecordKind::Sources => {
                Grounds { units: self.units.get(id).into_iter().collect(), names: Vec::new() }
            }
            RecordKind::Claims => {
                let text_unit = self.claims.get(id).map(|claim| &claim.text_unit);
                let unit = text_unit.and_then(|text_unit| self.units.get(text_unit));
                Grounds { units: unit.into_iter().collect(), names: Vec::new() }
            }
            RecordKind::Entities | RecordKind::Relationships => self.grounds(&[(kind, id.clone())]),
            RecordKind::Reports => self.grounds(&self.report_rests_on(id, claim)),
        }
    }

    fn grounds(&self, records: &[(RecordKind, Id)]) -> Grounds<'_> {
        let mut grounds = Grounds::default();
        let mut seen: BTreeSet<&Id> = BTreeSet::new();
        for (_, id) in records {
            for unit in self.units_of.get(id).into_iter().flatten().filter_map(|unit| self.units.get(unit)) {
                if seen.insert(&unit.unit.id) {
                    grounds.units.push(unit);
                }
            }
            let ends = self
                .relationships
                .get(id)
                .map_or_else(|| vec![id], |relationship| vec![&relationship.source, &relationship.target]);
            for entity in ends.into_iter().filter_map(|end| self.entities.get(end)) {
                let names: Vec<String> =
                    std::iter::once(&entity.name).chain(&entity.aliases).map(|name| flatten(name)).collect();
                if !grounds.names.contains(&names) {
                    grounds.names.push(names);
                }
            }
        }
        grounds
    }

    /// What the finding that shares most with a claim cites; the first members where no finding cites anything.
    fn report_rests_on(&self, id: &Id, claim: &str) -> Vec<(RecordKind, Id)> {
        let Some(community) = self.communities.get(id) else { return Vec::new() };
        let wanted: BTreeSet<String> = content_words(claim);
        let best = community
            .report
            .findings
            .iter()
            .filter(|finding| !finding.citations.is_empty())
            .map(|finding| {
                let words = content_words(&format!("{} {}", finding.summary, finding.explanation));
                (words.intersection(&wanted).count(), finding)
            })
            // of equal ones the first
            .reduce(|best, next| if next.0 > best.0 { next } else { best });
        let records: Vec<(RecordKind, Id)> = match best {
            Some((_, finding)) => finding
                .citations
                .iter()
                .filter(|record| matches!(record.kind, RecordKind::Entities | RecordKind::Relationships))
                .map(|record| (record.kind, record.id.clone()))
                .take(RECORDS)
                .collect(),
            None => Vec::new(),
        };
        if records.is_empty() {
            let members = community.members.iter().take(RECORDS);
            return members.map(|member| (RecordKind::Entities, member.clone())).collect();
        }
        records
    }
}

fn content_words(text: &str) -> BTreeSet<String> {
    language::words(text).into_iter().filter(|word| !language::is_stop_word(word)).collect()
}

fn list(ids: BTreeSet<Id>) -> Vec<Id> {
    ids.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_citing_sentence_is_found() {
        let text = "First thing. He is a clerk. [Data: Sources (1)] 他们是兄弟[Data: Sources (2)]。";
        let groups = reply::find_citations(text);
        assert_eq!(sentence_before(text, groups[0].range.start).trim(), "He is a clerk.");
        assert_eq!(sentence_before(text, groups[1].range.start).trim(), "他们是兄弟");
    }
}
