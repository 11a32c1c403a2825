//! One reading of the held-back sample with one set of settings, and what can be counted of it.

use super::kit::{Kit, MeteredModel};
use crate::config::ExtractionConfig;
use crate::domain::{Record, name_key};
use crate::index::extraction::Extraction;
use crate::index::extraction::model::{ExtractionSettings, extract};
use crate::index::extraction::nlp::{self, NlpSettings};
use crate::index::extraction::schema::{Schema, place_of};
use crate::index::passages::UnitPassage;
use crate::llm::{ModelError, side_by_side};
use anyhow::Result;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What was counted of one reading. Numbers a 1,000 tokens are of the passages' text.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Measures {
    /// Whose settings they are.
    pub settings: String,
    /// Passages that were read.
    pub passages: usize,
    /// Passages that could not be read.
    pub failed: usize,
    /// Tokens of their text.
    pub text_tokens: u64,
    /// Sound records a 1,000 tokens: what decides. Entities that the text names, of a type that another entity shares, in
    /// a relationship; relationships whose two ends the text names; and claims whose subject and quote it has. What was
    /// lost and what stands there twice is taken off.
    pub sound: f64,
    /// Entities a 1,000 tokens, each once a passage.
    pub entities: f64,
    /// Relationships a 1,000 tokens, each pair once a passage.
    pub relationships: f64,
    /// Claims a 1,000 tokens.
    pub claims: f64,
    /// Percent of the names that the text does not have.
    pub not_in_text: f64,
    /// Names that differ from another one in case, dots, articles, a plural or a known short form alone.
    pub duplicates: usize,
    /// Percent of the entities that no relationship touches.
    pub isolated: f64,
    /// Types that were used.
    pub types: usize,
    /// Percent of the entities whose type no other entity has.
    pub one_off_types: f64,
    /// Names that were given more than one type.
    pub types_in_doubt: usize,
    /// Percent of the entities whose type is none of those that were found for this corpus.
    pub outside_types: f64,
    /// Records that could not be understood.
    pub lost: u64,
    /// Records that asking once more gave.
    pub gleaned: u64,
    /// Records that a schema or stop names left out.
    pub left_out: u64,
    /// Tokens of prompts, those of kept replies included.
    pub input_tokens: u64,
    /// Tokens of replies.
    pub output_tokens: u64,
    /// Dollars of these tokens by `[llm.prices]`; 0 without a price.
    pub cost: f64,
    /// Sound records a 1,000 tokens of each passage, in their order.
    #[serde(skip)]
    pub by_passage: Vec<f64>,
    /// Why the first of the passages that failed could not be read.
    #[serde(skip)]
    pub problem: Option<String>,
}

/// What every reading of a corpus is held against.
#[derive(Clone, Debug, Default)]
pub(super) struct Yardstick {
    /// Keys of the types that were found.
    pub(super) types: BTreeSet<String>,
    /// Short form and full name, as the corpus itself says.
    pub(super) short_forms: BTreeMap<String, String>,
}

/// Reads passages with some settings, and counts.
///
/// # Errors
/// The budget, or a model that refuses; what was paid for is in the cache. A stop.
pub(super) async fn read(
    kit: &Kit<'_>,
    settings: &str,
    config: &ExtractionConfig,
    passages: &[UnitPassage],
    yardstick: &Yardstick,
) -> Result<Measures> {
    let stage = kit.progress.stage(settings, passages.len() as u64);
    let schema = Schema::of(config);
    let mut readings: Vec<Option<Extraction>> = vec![None; passages.len()];
    let mut measures = Measures { settings: settings.to_owned(), ..Measures::default() };
    if let Some(chat) = kit.chat {
        let counted = MeteredModel::new(Arc::clone(chat));
        let how = ExtractionSettings { config, attempt: 0 };
        let concurrency = kit.config.llm.extract.concurrency.unwrap_or(kit.config.llm.concurrency).max(1);
        let calls = passages.iter().map(|passage| {
            let (model, stage) = (&counted, &stage);
            async move {
                kit.go_on()?;
                let read = extract(model, kit.prompts, how, &passage.input()).await;
                stage.advance(1);
                match read {
                    Ok(extraction) => Ok(Ok(extraction)),
                    Err(error) if error.stops_the_run() => Err(anyhow::Error::from(error)),
                    Err(error @ ModelError::Busy { .. }) => Err(error.into()),
                    Err(error) => Ok(Err(error.to_string())),
                }
            }
        });
        for (slot, read) in readings.iter_mut().zip(side_by_side(calls, concurrency).await?) {
            match read {
                Ok(extraction) => *slot = Some(extraction),
                Err(problem) => measures.problem = measures.problem.or(Some(problem)),
            }
        }
        kit.go_on()?;
        let usage = counted.usage();
        (measures.input_tokens, measures.output_tokens) = (usage.input_tokens, usage.output_tokens);
        measures.cost = kit.cost(usage.input_tokens, usage.output_tokens);
    } else {
        let how = NlpSettings::of(config);
        for (slot, passage) in readings.iter_mut().zip(passages) {
            *slot = Some(nlp::extract(&passage.input(), &how));
            stage.advance(1);
        }
    }
    for (reading, passage) in readings.iter_mut().zip(passages) {
        if let Some(reading) = reading {
            schema.hold(&passage.unit.text, reading);
        }
    }
    count(&mut measures, passages, &readings, yardstick);
    Ok(measures)
}

/// One passage, by keys of names.
struct PassageCounts<'a> {
    text: &'a str,
    tokens: f64,
    entities: BTreeMap<String, (String, bool)>,
    pairs: BTreeSet<(String, String)>,
    /// Whose subject and words the text has.
    sound_claims: i64,
    lost: u64,
}

fn count(
    measures: &mut Measures,
    passages: &[UnitPassage],
    readings: &[Option<Extraction>],
    yardstick: &Yardstick,
) {
    let mut all: Vec<Option<PassageCounts<'_>>> = Vec::new();
    let (mut types_of, mut of_type): (
        BTreeMap<String, BTreeSet<String>>,
        BTreeMap<String, BTreeSet<String>>,
    ) = Default::default();
    let (mut claims, mut names) = (0_u64, BTreeMap::<String, BTreeSet<String>>::new());
    for (passage, reading) in passages.iter().zip(readings) {
        let Some(reading) = reading else {
            measures.failed += 1;
            all.push(None);
            continue;
        };
        let mut one = PassageCounts {
            text: &passage.unit.text,
            tokens: f64::from(passage.unit.token_count.max(1)),
            entities: BTreeMap::new(),
            pairs: BTreeSet::new(),
            sound_claims: 0,
            lost: reading.records_lost,
        };
        measures.passages += 1;
        measures.text_tokens += u64::from(passage.unit.token_count);
        measures.lost += reading.records_lost;
        measures.gleaned += reading.records_gleaned;
        measures.left_out += reading.records_pruned;
        for record in &reading.records {
            match record {
                Record::Entity(entity) => {
                    let key = name_key(&entity.name);
                    let kind = name_key(&entity.kind);
                    if !kind.is_empty() {
                        types_of.entry(key.clone()).or_default().insert(kind.clone());
                        of_type.entry(kind.clone()).or_default().insert(key.clone());
                    }
                    let others = entity.aliases.iter().map(|alias| name_key(alias));
                    names.entry(key.clone()).or_default().extend(others);
                    let written = is_written(one.text, &entity.name);
                    one.entities.entry(key).or_insert((kind, written));
                }
                Record::Relationship(relation) => {
                    let (a, b) = (name_key(&relation.source), name_key(&relation.target));
                    if a != b {
                        one.pairs.insert(if a < b { (a, b) } else { (b, a) });
                    }
                }
                Record::Claim(claim) => {
                    claims += 1;
                    let quoted = !claim.source_text.is_empty() && is_written(one.text, &claim.source_text);
                    one.sound_claims += i64::from(quoted && is_written(one.text, &claim.subject));
                }
            }
        }
        all.push(Some(one));
    }
    let duplicates = duplicates(&names, &yardstick.short_forms);
    measures.duplicates = duplicates.len();
    measures.types = of_type.len();
    measures.types_in_doubt = types_of.values().filter(|types| types.len() > 1).count();
    let shared = |kind: &str| of_type.get(kind).is_some_and(|names| names.len() > 1);
    let (mut entities, mut pairs) = (0_usize, 0_usize);
    let (mut absent, mut isolated, mut lonely, mut outside) = (0, 0, 0, 0);
    for one in &all {
        let Some(one) = one else {
            measures.by_passage.push(0.0);
            continue;
        };
        let touched: BTreeSet<&String> = one.pairs.iter().flat_map(|(a, b)| [a, b]).collect();
        let written = |key: &String| one.entities.get(key).is_some_and(|(_, written)| *written);
        let mut sound = 0_i64;
        for (key, (kind, is_written)) in &one.entities {
            entities += 1;
            absent += usize::from(!is_written);
            isolated += usize::from(!touched.contains(key));
            lonely += usize::from(!shared(kind));
            outside += usize::from(!yardstick.types.contains(kind));
            let is_sound = *is_written && shared(kind) && touched.contains(key);
            sound += i64::from(is_sound) - i64::from(duplicates.contains(key));
        }
        pairs += one.pairs.len();
        sound += one.pairs.iter().map(|(a, b)| i64::from(written(a) && written(b))).sum::<i64>();
        sound += one.sound_claims;
        sound -= i64::try_from(one.lost).unwrap_or(i64::MAX);
        measures.by_passage.push(sound as f64 * 1000.0 / one.tokens);
    }
    let thousands = (measures.text_tokens as f64 / 1000.0).max(f64::MIN_POSITIVE);
    let percent = |part: usize| if entities == 0 { 0.0 } else { 100.0 * part as f64 / entities as f64 };
    measures.entities = entities as f64 / thousands;
    measures.relationships = pairs as f64 / thousands;
    measures.claims = claims as f64 / thousands;
    measures.not_in_text = percent(absent);
    measures.isolated = percent(isolated);
    measures.one_off_types = percent(lonely);
    measures.outside_types = percent(outside);
    measures.sound = measures.by_passage.iter().sum::<f64>() / measures.by_passage.len().max(1) as f64;
}

/// Whether a text has a name, whatever its case and line breaks.
fn is_written(text: &str, name: &str) -> bool {
    place_of(text, name).is_some() || name_key(text).contains(&name_key(name))
}

/// Names that are another one in a different dress, the dress that counts as the other left out. A record that says so
/// itself, by its other names, is none.
fn duplicates(
    names: &BTreeMap<String, BTreeSet<String>>,
    short_forms: &BTreeMap<String, String>,
) -> BTreeSet<String> {
    let mut by_form: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for name in names.keys() {
        by_form.entry(form(name)).or_default().push(name);
    }
    let joined = |one: &String, other: &String| {
        names.get(one).is_some_and(|others| others.contains(other))
            || names.get(other).is_some_and(|others| others.contains(one))
    };
    let mut found = BTreeSet::new();
    for alike in by_form.values() {
        if let Some((first, rest)) = alike.split_first() {
            found.extend(rest.iter().filter(|other| !joined(first, other)).map(|other| (*other).clone()));
        }
    }
    for (short, full) in short_forms {
        let (short, full) = (name_key(short), name_key(full));
        if names.contains_key(&short) && names.contains_key(&full) && !joined(&short, &full) {
            found.insert(short);
        }
    }
    found
}

/// A name without what does not tell it from another: articles, dots, hyphens, a plural's s.
fn form(key: &str) -> String {
    let bare = key.strip_prefix("the ").unwrap_or(key);
    let letters: String = bare.chars().filter(|c| c.is_alphanumeric()).collect();
    match letters.strip_suffix('s') {
        Some(singular) if singular.chars().count() > 3 && !singular.ends_with('s') => singular.to_owned(),
        _ => letters,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::passage;
    use super::*;
    use crate::index::extraction::model::parser;

    fn measured(replies: &[(&str, &str)]) -> Measures {
        let passages: Vec<UnitPassage> =
            (0..).zip(replies).map(|(index, (text, _))| passage("d", index, text)).collect();
        let readings: Vec<Option<Extraction>> = replies
            .iter()
            .map(|(_, reply)| {
                let parsed = parser::parse(reply);
                Some(Extraction {
                    records: parsed.records,
                    records_lost: parsed.records_lost,
                    ..Extraction::default()
                })
            })
            .collect();
        let mut measures = Measures::default();
        let yardstick = Yardstick {
            types: BTreeSet::from(["person".to_owned()]),
            short_forms: BTreeMap::from([("NS".to_owned(), "Northern Star".to_owned())]),
        };
        count(&mut measures, &passages, &readings, &yardstick);
        measures
    }

    #[test]
    fn what_is_sound_is_named_typed_and_related() {
        let measures = measured(&[(
            "Ida met Tom.",
            "(\"entity\"<|>Ida<|>person<|>x.)\n(\"entity\"<|>Tom<|>person<|>x.)\n(\"entity\"<|>Ghost<|>spirit<|>x.)\n\
             (\"relationship\"<|>Ida<|>Tom<|>met<|>x.<|>5)\n(\"relationship\"<|>Ida<|>Ghost<|>saw<|>x.<|>5)\n<|COMPLETE|>",
        )]);
        // two entities and one relationship in 50 tokens
        assert_eq!(measures.by_passage, [60.0]);
        let third = 100.0 / 3.0;
        assert_eq!(
            (measures.not_in_text, measures.one_off_types, measures.outside_types),
            (third, third, third)
        );
        assert_eq!((measures.entities, measures.relationships, measures.types), (60.0, 40.0, 2));
    }

    #[test]
    fn a_name_in_two_dresses_counts_against_a_reading_unless_it_says_so() {
        let two = "(\"entity\"<|>Northern Star<|>ship<|>x.)\n(\"entity\"<|>NS<|>ship<|>x.)\n<|COMPLETE|>";
        let said = two.replace("<|>x.)\n<|C", "<|>x.<|>Northern Star)\n<|C");
        assert_eq!(measured(&[("Northern Star, NS.", two)]).duplicates, 1);
        assert_eq!(measured(&[("Northern Star, NS.", &said)]).duplicates, 0);
        let dressed = "(\"entity\"<|>the ghosts<|>x<|>x.)\n(\"entity\"<|>Ghost<|>x<|>x.)\n<|COMPLETE|>";
        assert_eq!(measured(&[("the ghosts. Ghost.", dressed)]).duplicates, 1);
    }

    #[test]
    fn what_is_lost_is_taken_off() {
        let measures =
            measured(&[("Ida.", "(\"entity\"<|>Ida<|>person<|>x.)\n(\"relationship\"<|>Ida)\n<|COMPLETE|>")]);
        assert_eq!(measures.lost, 1);
        assert!(measures.sound < 0.0);
    }
}
