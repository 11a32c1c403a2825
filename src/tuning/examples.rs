//! Worked examples from the corpus's own text: read by the model, checked against the text, the most telling ones kept.

use super::kit::Kit;
use crate::config::ExtractionConfig;
use crate::domain::{ClaimStatus, Record, name_key};
use crate::index::extraction::model::{ExtractionSettings, extract};
use crate::index::extraction::schema::place_of;
use crate::index::extraction::{Extraction, UnitText};
use crate::index::passages::UnitPassage;
use crate::language::{sentences, unbroken};
use crate::llm::ModelError;
use crate::prompts::fence;
use crate::tokens::Tokens;
use anyhow::Result;
use std::collections::BTreeSet;

/// Tokens of the text of one example.
const TEXT_TOKENS: usize = 220;
/// Tokens of all examples together.
const BUDGET_TOKENS: usize = 1_500;
/// Examples that are kept.
const MOST: usize = 3;
/// Passages that one is made of.
const TRIED: usize = 6;
/// What an example must hold at least.
const LEAST: (usize, usize) = (3, 2);

/// A worked example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Example {
    /// As the prompt shows it.
    pub text: String,
    /// Its tokens.
    pub tokens: usize,
    /// Types of its entities, by key.
    types: BTreeSet<String>,
    /// Its relationships.
    relationships: usize,
}

/// How many passages examples are made of, for the estimate.
pub(super) const CALLS: usize = TRIED;

/// Makes examples of passages, read with the types that were found. Returns the kept ones and why others were not.
///
/// # Errors
/// A model that refuses, or the budget; another failure leaves its passage out.
pub(super) async fn make(
    kit: &Kit<'_>,
    config: &ExtractionConfig,
    seen: &[UnitPassage],
) -> Result<(Vec<Example>, Vec<String>)> {
    let Some(model) = kit.chat else { return Ok(Default::default()) };
    let tokens = kit.config.text_units.encoding;
    let config = ExtractionConfig { gleanings: 0, ..config.clone() };
    let settings = ExtractionSettings { config: &config, attempt: 0 };
    let stage = kit.progress.stage("making examples", seen.len().min(TRIED) as u64);
    let (mut examples, mut refused) = (Vec::new(), Vec::new());
    for passage in seen.iter().take(TRIED) {
        kit.go_on()?;
        let text = leading_part(&passage.unit.text, tokens);
        let input = UnitText { text, title: "", headings: &[], header: "" };
        match extract(model.as_ref(), kit.prompts, settings, &input).await {
            Ok(extraction) => match checked(text, &extraction, tokens) {
                Ok(example) => examples.push(example),
                Err(reason) => refused.push(reason),
            },
            Err(error) if error.stops_the_run() => return Err(error.into()),
            Err(error @ ModelError::Busy { .. }) => return Err(error.into()),
            Err(error) => refused.push(error.to_string()),
        }
        stage.advance(1);
    }
    Ok((most_telling(examples), refused))
}

/// Whole sentences of a text from its second on, so that none is cut at the border, as far as there is room.
fn leading_part(text: &str, tokens: Tokens) -> &str {
    let ranges = sentences(text);
    let skip = usize::from(ranges.len() > 4);
    let Some(start) = ranges.get(skip).map(|range| range.start) else { return text.trim() };
    let mut part = "";
    for range in ranges.iter().skip(skip) {
        let Some(longer) = text.get(start..range.end) else { break };
        if tokens.count(longer) > TEXT_TOKENS {
            break;
        }
        part = longer;
    }
    let part = part.trim();
    if part.is_empty() { tokens.truncate(text, TEXT_TOKENS).trim() } else { part }
}

/// A reading as an example, if it can be one: nothing lost, every name letter for letter in the text, both ends of every
/// relationship among the entities that were written.
fn checked(text: &str, extraction: &Extraction, tokens: Tokens) -> Result<Example, String> {
    if extraction.records_lost > 0 || !extraction.problems.is_empty() {
        return Err(extraction.problems.first().cloned().unwrap_or_else(|| "records were lost".to_owned()));
    }
    let (mut names, mut types, mut relationships) = (BTreeSet::new(), BTreeSet::new(), 0_usize);
    for record in &extraction.records {
        if let Record::Entity(entity) = record {
            if place_of(text, &entity.name).is_none() {
                return Err(format!("the name {:?} does not stand in the text", entity.name));
            }
            if entity.kind.is_empty() || entity.description.is_empty() {
                return Err(format!("{:?} is an end without a record of its own", entity.name));
            }
            names.insert(name_key(&entity.name));
            types.insert(name_key(&entity.kind));
        }
    }
    let mut lines = Vec::new();
    for record in &extraction.records {
        if let Record::Relationship(relation) = record {
            relationships += 1;
            let ends = [&relation.source, &relation.target].map(|end| names.contains(&name_key(end)));
            if ends.contains(&false) {
                return Err(format!("an end of {:?} is missing", relation.kind));
            }
        }
        lines.push(line(record));
    }
    if names.len() < LEAST.0 || relationships < LEAST.1 {
        return Err(format!("{} entities and {relationships} relationships tell too little", names.len()));
    }
    // the text is of others, also inside of an instruction
    let text = format!("Text:\n{}\n\nRecords:\n{}\n<|COMPLETE|>", fence(text), lines.join("\n"));
    Ok(Example { tokens: tokens.count(&text), text, types, relationships })
}

/// A record as a model is to write it.
fn line(record: &Record) -> String {
    let field = |text: &str| {
        let text = text.replace("<|", "< |").replace("|>", "| >");
        unbroken(&text)
    };
    let or_none = |text: &str| if text.trim().is_empty() { "NONE".to_owned() } else { field(text) };
    match record {
        Record::Entity(entity) => format!(
            "(\"entity\"<|>{}<|>{}<|>{}<|>{})",
            field(&entity.name),
            field(&entity.kind),
            field(&entity.description),
            or_none(&entity.aliases.join("; "))
        ),
        Record::Relationship(relation) => format!(
            "(\"relationship\"<|>{}<|>{}<|>{}<|>{}<|>{})",
            field(&relation.source),
            field(&relation.target),
            field(&relation.kind),
            field(&relation.description),
            relation.strength
        ),
        Record::Claim(claim) => format!(
            "(\"claim\"<|>{}<|>{}<|>{}<|>{}<|>{}<|>{}<|>{}<|>{}<|>{})",
            field(&claim.subject),
            or_none(claim.object.as_deref().unwrap_or_default()),
            field(&claim.kind),
            ClaimStatus::as_str(claim.status),
            or_none(&claim.start_date),
            or_none(&claim.end_date),
            field(&claim.description),
            field(&claim.source_text),
            or_none(&claim.holder)
        ),
    }
}

/// One to three examples within the budget: each adds the most types that the others do not show, then relationships.
fn most_telling(mut all: Vec<Example>) -> Vec<Example> {
    let (mut kept, mut shown, mut room): (Vec<Example>, BTreeSet<String>, usize) =
        (Vec::new(), BTreeSet::new(), BUDGET_TOKENS);
    while kept.len() < MOST {
        all.retain(|example| example.tokens <= room);
        let fresh = |example: &Example| example.types.difference(&shown).count();
        let best = (0..all.len()).max_by_key(|place| {
            all.get(*place).map(|one| (fresh(one), one.relationships, std::cmp::Reverse(one.tokens)))
        });
        let Some(best) = best.filter(|place| all.get(*place).is_some_and(|one| fresh(one) > 0)) else {
            break;
        };
        let example = all.swap_remove(best);
        room -= example.tokens;
        shown.extend(example.types.iter().cloned());
        kept.push(example);
    }
    kept
}

/// Examples as `[extraction] examples` has them.
pub fn joined(examples: &[Example]) -> String {
    examples.iter().map(|example| example.text.as_str()).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::extraction::model::parser;

    const TEXT: &str = "Ida sold the Northern Star to Brandt Lines.";
    const RECORDS: &str = "(\"entity\"<|>Ida<|>person<|>Ida sells.<|>NONE)\n(\"entity\"<|>Northern Star<|>vessel<|>A ferry.<|>NONE)\n\
        (\"entity\"<|>Brandt Lines<|>company<|>It buys.<|>NONE)\n(\"relationship\"<|>Ida<|>Northern Star<|>sells<|>She sells it.<|>8)\n\
        (\"relationship\"<|>Brandt Lines<|>Northern Star<|>buys<|>It buys it.<|>8)\n<|COMPLETE|>";

    fn read(reply: &str) -> Extraction {
        let parsed = parser::parse(reply);
        Extraction {
            records: parsed.records,
            records_lost: parsed.records_lost,
            problems: parsed.problems,
            ..Extraction::default()
        }
    }

    #[test]
    fn an_example_is_read_back_as_it_was() {
        let first = read(RECORDS);
        let example = checked(TEXT, &first, Tokens::O200kBase).unwrap();
        let records = example.text.split("Records:\n").nth(1).unwrap();
        assert_eq!(read(records).records, first.records);
        assert!(example.text.contains(TEXT) && example.text.contains("####"), "fenced: {}", example.text);
    }

    #[test]
    fn what_is_wrong_is_no_example() {
        let check = |reply: &str, told: &str| {
            let refused = checked(TEXT, &read(reply), Tokens::O200kBase).unwrap_err();
            assert!(refused.contains(told), "{refused}");
        };
        check(&RECORDS.replace("Ida", "Ida Rasmussen"), "does not stand");
        check(
            &RECORDS.replace("(\"entity\"<|>Ida<|>person<|>Ida sells.<|>NONE)\n", ""),
            "without a record of its own",
        );
        check(RECORDS.split("(\"relationship\"").next().unwrap(), "tell too little");
    }

    #[test]
    fn those_that_show_other_types_come_first_within_the_budget() {
        let example = |types: &[&str], relationships: usize, tokens: usize| Example {
            text: types.join(" "),
            tokens,
            types: types.iter().map(|&kind| kind.to_owned()).collect(),
            relationships,
        };
        let kept = most_telling(vec![
            example(&["a", "b"], 9, 400),
            example(&["a", "b", "c"], 3, 500),
            example(&["d"], 2, 600),
            example(&["e", "f", "g", "h"], 2, 2_000),
        ]);
        assert_eq!(kept.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["a b c", "d"]);
    }
}
