//! Which parts are kept: each is tried alone against the settings as they are, over the same held-back sample; then those
//! that gain are put together one by one.

use super::kit::Kit;
use super::parts::{FieldFindings, Part};
use super::trial::{self, Measures, Yardstick};
use crate::eval::significance::p_value;
use crate::index::passages::UnitPassage;
use anyhow::{Result, bail};
use serde::Serialize;

/// Share of the sound records by which a part must gain.
const LEAST_GAIN: f64 = 0.03;
/// Chance that a gain is none, from which it does not count.
const MOST_CHANCE: f64 = 0.1;
/// Rows of the table: name, value, decimals.
type Row = (&'static str, fn(&Measures) -> f64, usize);

/// What became of a part.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Verdict {
    /// The part.
    pub part: Part,
    /// Whether it is kept.
    pub kept: bool,
    /// By how many percent the sound records change, where it was tried.
    pub gain: Option<f64>,
    /// The chance that a change this large comes about by chance.
    pub p: Option<f64>,
    /// Why, in words.
    pub reason: String,
}

/// The proof of a tuning.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Proof {
    /// What became of each part.
    pub verdicts: Vec<Verdict>,
    /// The readings: first with the settings as they are, then each part alone, then those that gain beside each other.
    pub readings: Vec<Measures>,
}

impl Proof {
    /// The kept parts.
    pub fn kept_parts(&self) -> Vec<Part> {
        self.verdicts.iter().filter(|verdict| verdict.kept).map(|verdict| verdict.part).collect()
    }
}

/// Whether a reading gains on another, with the gain in percent and its chance.
///
/// A gain counts from 3 % on, where chance makes one this large in at most one of ten cases; of so few passages that
/// nothing could be as rare, all must gain.
pub(super) fn gain(before: &Measures, after: &Measures) -> (bool, f64, f64) {
    let differences: Vec<f64> =
        after.by_passage.iter().zip(&before.by_passage).map(|(after, before)| after - before).collect();
    let told = differences.iter().filter(|difference| difference.abs() > 1e-12).count();
    let rarest = 2.0 / 2_f64.powi(i32::try_from(told.min(60)).unwrap_or(60));
    let p = p_value(&differences, 0);
    let share = (after.sound - before.sound) / before.sound.abs().max(1.0);
    let read = after.failed <= before.failed;
    let counts = read && share >= LEAST_GAIN && told > 1 && p <= MOST_CHANCE.max(rarest) + 1e-9;
    (counts, 100.0 * share, p)
}

/// Tries every part that there is something of and that the user has not set.
///
/// # Errors
/// As [`trial::read`]; no passage could be read with the settings as they are.
pub(super) async fn prove(
    kit: &Kit<'_>,
    found: &FieldFindings,
    held_back: &[UnitPassage],
    by_hand: &[Part],
    yardstick: &Yardstick,
) -> Result<Proof> {
    let current = &kit.config.extraction;
    let before = trial::read(kit, "as it is", current, held_back, yardstick).await?;
    if let Some(problem) = before.problem.as_deref().filter(|_| before.passages == 0) {
        bail!("none of the passages could be read with the settings as they are: {problem}");
    }
    let mut proof = Proof { readings: vec![before.clone()], ..Proof::default() };
    for part in Part::ALL {
        let mut verdict = Verdict { part, kept: false, gain: None, p: None, reason: String::new() };
        if !found.has(part) {
            if let Some(reason) = nothing_of(part, found) {
                reason.clone_into(&mut verdict.reason);
                proof.verdicts.push(verdict);
            }
            continue;
        }
        if by_hand.contains(&part) {
            "set by you, and kept as it is".clone_into(&mut verdict.reason);
            proof.verdicts.push(verdict);
            continue;
        }
        let mut config = current.clone();
        found.put(part, &mut config);
        let after = trial::read(kit, part.as_str(), &config, held_back, yardstick).await?;
        let (gains, change, p) = gain(&before, &after);
        verdict.kept = gains;
        verdict.gain = Some(change);
        verdict.p = Some(p);
        verdict.reason = reason(gains, change, p, part, &after, &before);
        proof.verdicts.push(verdict);
        proof.readings.push(after);
    }
    together(kit, found, held_back, yardstick, &mut proof).await?;
    Ok(proof)
}

/// Why there is nothing to try of a part that was looked for.
fn nothing_of(part: Part, found: &FieldFindings) -> Option<&'static str> {
    match part {
        Part::Examples if found.by_model => Some("no passage gave one that passes"),
        Part::Claims if found.by_model && !found.field.claims.is_empty() => {
            Some("not tried, for [extraction] claims is false")
        }
        _ => None,
    }
}

fn reason(gains: bool, change: f64, p: f64, part: Part, after: &Measures, before: &Measures) -> String {
    if gains {
        return format!("{change:+.1} % sound records (p {p:.2})");
    }
    if after.failed > before.failed {
        let problem = after.problem.as_deref().unwrap_or_default();
        return format!("{} passages could not be read with it: {problem}", after.failed);
    }
    let same = after.by_passage == before.by_passage;
    if matches!(part, Part::StopNames | Part::CommonTypes) {
        return if same {
            "changes nothing in these passages; questions tell (--questions)".to_owned()
        } else {
            "what it leaves out is not worth less by this table; questions tell (--questions)".to_owned()
        };
    }
    if same {
        return "changes nothing".to_owned();
    }
    let percent = 100.0 * LEAST_GAIN;
    if change < percent {
        format!("{change:+.1} % sound records, and {percent:.0} % are wanted")
    } else {
        format!("{change:+.1} % sound records, and that may be chance (p {p:.2})")
    }
}

/// The parts that gain, put together: the best one first, and each of the others where it gains beside those before it.
async fn together(
    kit: &Kit<'_>,
    found: &FieldFindings,
    held_back: &[UnitPassage],
    yardstick: &Yardstick,
    proof: &mut Proof,
) -> Result<()> {
    let mut candidates: Vec<(Part, Measures)> = Vec::new();
    for part in proof.kept_parts() {
        let alone = proof.readings.iter().find(|reading| reading.settings == part.as_str());
        candidates.extend(alone.map(|reading| (part, reading.clone())));
    }
    // of two that gain alike the one that asks for less
    candidates
        .sort_by(|(_, a), (_, b)| b.sound.total_cmp(&a.sound).then(a.input_tokens.cmp(&b.input_tokens)));
    let mut rest = candidates.into_iter();
    let Some((first, mut so_far)) = rest.next() else { return Ok(()) };
    let mut kept = vec![first];
    let mut config = kit.config.extraction.clone();
    found.put(first, &mut config);
    for (part, _) in rest {
        let beside = kept.iter().map(|part| part.as_str()).collect::<Vec<_>>().join(" + ");
        let mut longer = config.clone();
        found.put(part, &mut longer);
        let name = format!("{beside} + {}", part.as_str());
        let after = trial::read(kit, &name, &longer, held_back, yardstick).await?;
        let (gains, change, p) = gain(&so_far, &after);
        if gains {
            kept.push(part);
            (config, so_far) = (longer, after.clone());
        } else {
            let told = format!("gains alone, but beside {beside} {change:+.1} % sound records (p {p:.2})");
            leave_out(proof, part, &told);
        }
        proof.readings.push(after);
    }
    Ok(())
}

fn leave_out(proof: &mut Proof, part: Part, reason: &str) {
    for verdict in proof.verdicts.iter_mut().filter(|verdict| verdict.part == part) {
        verdict.kept = false;
        reason.clone_into(&mut verdict.reason);
    }
}

/// The rows of the table that hold for a reading by rules, and those that a model's has besides.
const ROWS: [Row; 14] = [
    ("sound records a 1,000 tokens", |m| m.sound, 1),
    ("entities a 1,000 tokens", |m| m.entities, 1),
    ("relationships a 1,000 tokens", |m| m.relationships, 1),
    ("claims a 1,000 tokens", |m| m.claims, 1),
    ("names not in the text, %", |m| m.not_in_text, 1),
    ("duplicates", |m| m.duplicates as f64, 0),
    ("isolated entities, %", |m| m.isolated, 1),
    ("types used", |m| m.types as f64, 0),
    ("types of one entity alone, %", |m| m.one_off_types, 1),
    ("names of several types", |m| m.types_in_doubt as f64, 0),
    ("types outside of those found, %", |m| m.outside_types, 1),
    ("left out by the schema", |m| m.left_out as f64, 0),
    ("passages that failed", |m| m.failed as f64, 0),
    ("records lost", |m| m.lost as f64, 0),
];
const ROWS_OF_MODELS: [Row; 4] = [
    ("records gleaned", |m| m.gleaned as f64, 0),
    ("tokens of prompts", |m| m.input_tokens as f64, 0),
    ("tokens of replies", |m| m.output_tokens as f64, 0),
    ("dollars", |m| m.cost, 4),
];

/// The table of all readings, a column each.
pub fn table(readings: &[Measures]) -> String {
    let with_model = readings.iter().any(|reading| reading.input_tokens > 0);
    let rows = ROWS.iter().chain(ROWS_OF_MODELS.iter().filter(|_| with_model));
    let rows = rows.filter(|(_, value, _)| readings.iter().any(|one| value(one) != 0.0));
    let widths: Vec<usize> = readings.iter().map(|one| one.settings.chars().count().max(9)).collect();
    let mut text = format!("{:33}", "");
    for (reading, width) in readings.iter().zip(&widths) {
        text.push_str(&format!("  {:>width$}", reading.settings));
    }
    text.push('\n');
    for (name, value, decimals) in rows {
        text.push_str(&format!("{name:33}"));
        for (reading, width) in readings.iter().zip(&widths) {
            text.push_str(&format!("  {:>width$.decimals$}", value(reading)));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(by_passage: &[f64]) -> Measures {
        let sound = by_passage.iter().sum::<f64>() / by_passage.len() as f64;
        Measures { by_passage: by_passage.to_vec(), sound, ..Measures::default() }
    }

    #[test]
    fn a_gain_is_large_enough_and_no_chance() {
        let check = |before: &[f64], after: &[f64], expected: bool| {
            assert_eq!(gain(&reading(before), &reading(after)).0, expected, "{before:?} {after:?}");
        };
        check(&[10.0; 6], &[12.0; 6], true);
        check(&[10.0; 6], &[10.2; 6], false);
        check(&[10.0; 6], &[20.0, 9.0, 9.0, 9.0, 12.0, 9.0], false);
        check(&[10.0; 3], &[12.0, 11.0, 11.0], true);
        check(&[10.0; 3], &[14.0, 11.0, 9.0], false);
        check(&[10.0], &[20.0], false);
        check(&[10.0; 6], &[8.0; 6], false);
        let failed = Measures { failed: 1, ..reading(&[12.0; 6]) };
        assert!(!gain(&reading(&[10.0; 6]), &failed).0, "what could not be read proves nothing");
    }
}
