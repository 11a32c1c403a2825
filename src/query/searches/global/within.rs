//! Global search where filters leave some texts out: a report mixes them all, so what each community says is read from the
//! text units that may be shown.

use super::{nearest_reports, partition, rank};
use crate::domain::{Community, Id, RecordKind, StoredUnit};
use crate::language::{self, one_line, sentences};
use crate::prompts::BatchOf;
use crate::query::answer::map_reduce::{FRAME_TOKENS, MapLimits, MapReduce};
use crate::query::answer::quotes::nothing_found;
use crate::query::answer::{Answer, Found};
use crate::query::request::Level;
use crate::query::retrieval::context::{Context, ContextPart, Item};
use crate::query::retrieval::sources::unit_candidate;
use crate::query::search::Search;
use anyhow::Result;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Communities that are looked at.
const LOOKED_AT: usize = 200;
/// Members of a community by whose mentions its text units are found, and mentions of each.
const MEMBERS: usize = 20;
const MENTIONS: usize = 200;
/// Text units of a community that are shown.
const UNITS: usize = 3;
/// Members that a community is called by.
const NAMES: usize = 3;
/// Characters of a quoted sentence at most.
const LONGEST: usize = 400;

/// What a community says in the text units that may be shown.
struct CommunityTexts {
    /// The members that they name most.
    names: Vec<String>,
    /// Those that name most members first.
    units: Vec<StoredUnit>,
}

/// Answers from the text units of the communities that have to do with the question.
///
/// # Errors
/// What the stores and the model say.
pub(super) async fn answer(
    search: &Search<'_>,
    communities: Vec<Community>,
    level: Level,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<()> {
    let &Search { services, request, .. } = search;
    let reports = match level {
        Level::Fixed(level) => partition(communities, level),
        Level::Auto => nearest_reports(search, communities).await?,
    };
    let by_id: BTreeMap<&Id, &Community> =
        reports.iter().map(|community| (&community.id, community)).collect();
    let most = services.config.search.global.told_reports;
    let mut seen: BTreeSet<Id> = BTreeSet::new();
    let mut told: Vec<CommunityTexts> = Vec::new();
    for candidate in rank(&request.sought(), &reports).into_iter().take(LOOKED_AT) {
        if told.len() >= most {
            break;
        }
        let Some(community) = by_id.get(&candidate.id) else { continue };
        told.extend(told_by(search, community, &mut seen).await?);
    }
    let units = || told.iter().flat_map(|one| &one.units);
    if let Some(model) = services.chat.as_ref().filter(|_| !told.is_empty()) {
        let map_reduce = MapReduce {
            services,
            request,
            model: model.as_ref(),
            kind: RecordKind::Sources,
            map_prompt: BatchOf::Sources,
            doing: "reading texts",
            limits: MapLimits {
                max_calls: services.config.search.global.max_calls,
                max_tokens: services.config.search.global.max_tokens,
                until_dry: true,
            },
        };
        map_reduce.run(items(search, units()), result, on_text).await?;
        return Ok(());
    }
    let candidates = units().filter_map(|unit| unit_candidate(unit, 1.0)).collect();
    let parts = vec![ContextPart { kind: RecordKind::Sources, share: 1.0, candidates }];
    result.context = Context::pack(parts, search.counting(), services.config.search.max_context_tokens);
    let lines: Vec<String> = told.iter().filter_map(|one| line(one, result)).collect();
    result.found = Found(!lines.is_empty());
    result.answer = if lines.is_empty() {
        nothing_found(language::language_of(&request.question)).to_owned()
    } else {
        lines.join("\n")
    };
    on_text(&result.answer);
    Ok(())
}

/// The text units of a community that may be shown and were not yet; nothing where there are none.
async fn told_by(
    search: &Search<'_>,
    community: &Community,
    seen: &mut BTreeSet<Id>,
) -> Result<Option<CommunityTexts>> {
    let reader = search.reader.as_ref();
    let members: Vec<Id> = community.members.iter().take(MEMBERS).cloned().collect();
    let mut of_unit: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
    for mention in reader.mentions_of_entities(&members, MENTIONS).await? {
        of_unit.entry(mention.text_unit).or_default().push(mention.entity);
    }
    let ids: Vec<Id> = of_unit.keys().filter(|id| !seen.contains(*id)).cloned().collect();
    let mut units: Vec<StoredUnit> = Vec::new();
    for part in ids.chunks(500) {
        let found = reader.passages_by_id(part).await?;
        units.extend(found.into_iter().filter(|unit| search.filters.allows_unit(&unit.unit)));
    }
    let mentions = |unit: &StoredUnit| of_unit.get(&unit.unit.id).map_or(0, Vec::len);
    units.sort_by(|a, b| mentions(b).cmp(&mentions(a)).then_with(|| a.unit.id.cmp(&b.unit.id)));
    units.truncate(UNITS);
    if units.is_empty() {
        return Ok(None);
    }
    let mut counts: BTreeMap<Id, usize> = BTreeMap::new();
    for unit in &units {
        seen.insert(unit.unit.id.clone());
        for member in of_unit.get(&unit.unit.id).into_iter().flatten() {
            *counts.entry(member.clone()).or_default() += 1;
        }
    }
    let mut entities = reader.entities_by_id(&counts.keys().cloned().collect::<Vec<_>>()).await?;
    entities.sort_by_key(|entity| {
        (Reverse(counts.get(&entity.id).copied()), Reverse(entity.text_unit_count), entity.name.clone())
    });
    let names = entities.into_iter().map(|entity| entity.name).take(NAMES).collect();
    Ok(Some(CommunityTexts { names, units }))
}

/// A community in a line: the sentence of each text unit that names most of it.
fn line(told: &CommunityTexts, result: &Answer) -> Option<String> {
    let said: Vec<String> = told
        .units
        .iter()
        .filter_map(|unit| {
            let mut items = result.context.of(RecordKind::Sources);
            let item = items.find(|item| item.record.id == unit.unit.id)?;
            let sentence = best_sentence(&unit.unit.text, &told.names)?;
            Some(format!("{sentence} [Data: Sources ({})]", item.number))
        })
        .collect();
    (!said.is_empty()).then(|| format!("- {}: {}", told.names.join(", "), said.join(" / ")))
}

/// The sentence that holds most of some names, the first of several.
fn best_sentence(text: &str, names: &[String]) -> Option<String> {
    let held = |sentence: &&str| names.iter().filter(|name| sentence.contains(name.as_str())).count();
    let ranges = sentences(text);
    let all = ranges.iter().filter_map(|range| text.get(range.clone())).filter(|one| !one.trim().is_empty());
    let best = all.rev().max_by_key(held)?;
    Some(one_line(best).chars().take(LONGEST).collect())
}

/// Text units as numbered records.
fn items<'a>(search: &Search<'_>, units: impl Iterator<Item = &'a StoredUnit>) -> Vec<Item> {
    let records = units.filter_map(|unit| unit_candidate(unit, 1.0));
    (1..)
        .zip(records)
        .map(|(number, record)| Item {
            kind: RecordKind::Sources,
            number,
            tokens: search.services.tokens.count(&record.text) + FRAME_TOKENS,
            record,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_quoted_by_the_sentence_that_names_most() {
        let names = ["Ann".to_owned(), "Tarn".to_owned()];
        let text = "Rain fell. Ann came. Ann saw the Tarn. The Tarn froze before Ann.";
        assert_eq!(best_sentence(text, &names).as_deref(), Some("Ann saw the Tarn."));
        assert_eq!(best_sentence("", &names), None);
    }
}
