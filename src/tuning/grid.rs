//! Sizes, shares and weights, each tried alone on given questions: what is worth changing, and what is not.

use super::kit::Kit;
use super::questions::{self, Trial};
use crate::config::{Config, RerankProvider};
use crate::eval::compare::Difference;
use crate::eval::run::EvalRun;
use crate::eval::significance::holm;
use anyhow::Result;
use serde::Serialize;

/// Chance of a difference, raised for the number of trials, up to which it counts.
const MOST_CHANCE: f64 = 0.1;

/// One setting that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tried {
    /// Its key in the configuration.
    pub key: String,
    /// The value that was tried; that of the others is as it was.
    pub value: f64,
    /// Scores with the settings as they are and with this one, in percent.
    pub scores: Vec<Score>,
    /// The chance that recall differs by chance, raised for the number of trials (Holm).
    pub p: f64,
    /// Whether it is worth it: more is found, and not by chance.
    pub worth_it: bool,
}

/// A score before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Score {
    /// `recall@5`, `f1`, …
    pub name: String,
    /// With the settings as they are.
    pub before: f64,
    /// With the tried one.
    pub after: f64,
}

/// What is set by a name.
type Setter = fn(&mut Config, f64);

/// The grid: keys with the values that are tried, those as they are left out.
fn grid(config: &Config, model: bool, answers: bool) -> Vec<(&'static str, f64, Setter)> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small counts")]
    const fn whole(value: f64) -> usize {
        value as usize
    }
    let size = config.text_units.size as f64;
    let search = &config.search;
    let mut all: Vec<(&'static str, f64, &[f64], Setter)> = vec![
        ("text_units.size", size, &[300.0, 600.0, 1200.0, 2400.0], |config, value| {
            config.text_units.size = whole(value);
            config.text_units.overlap = config.text_units.overlap.min(whole(value) / 4);
        }),
        (
            "text_units.overlap",
            config.text_units.overlap as f64,
            &[0.0, 50.0, 100.0, 200.0],
            |config, value| {
                config.text_units.overlap = whole(value).min(config.text_units.size / 2);
            },
        ),
        ("search.top_k_entities", search.top_k_entities as f64, &[5.0, 10.0, 20.0], |config, value| {
            config.search.top_k_entities = whole(value);
        }),
        ("search.top_k_text_units", search.top_k_text_units as f64, &[10.0, 20.0, 40.0], |config, value| {
            config.search.top_k_text_units = whole(value);
        }),
        ("search.damping", search.damping, &[0.3, 0.5, 0.7, 0.85], |config, value| {
            config.search.damping = value;
        }),
        ("search.structure_weight", search.structure_weight, &[0.0, 30.0], |config, value| {
            config.search.structure_weight = value;
        }),
    ];
    if config.rerank.provider != RerankProvider::None {
        all.push(("rerank.weight", config.rerank.weight, &[0.25, 0.5, 1.0, 2.0], |config, value| {
            config.rerank.weight = value;
        }));
        all.push(("rerank.top_k", config.rerank.top_k as f64, &[20.0, 40.0, 80.0], |config, value| {
            config.rerank.top_k = whole(value);
        }));
    }
    if model {
        all.push((
            "extraction.gleanings",
            f64::from(config.extraction.gleanings),
            &[0.0, 1.0, 2.0],
            |config, value| {
                config.extraction.gleanings = u32::try_from(whole(value)).unwrap_or(0);
            },
        ));
    }
    if answers {
        // what is shown to the model, not what is found
        all.push(("search.text_unit_share", search.text_unit_share, &[0.35, 0.5, 0.7], |config, value| {
            config.search.text_unit_share = value;
            config.search.report_share = config.search.report_share.min(1.0 - value);
        }));
        all.push(("search.fit_threshold", search.fit_threshold, &[0.0, 0.35, 0.6], |config, value| {
            config.search.fit_threshold = value;
        }));
    }
    all.into_iter()
        .flat_map(|(key, now, values, set)| {
            values
                .iter()
                .filter(move |value| (**value - now).abs() > 1e-9)
                .map(move |value| (key, *value, set))
        })
        .collect()
}

/// How many indexes a search makes: for its estimate.
pub(super) fn indexes(config: &Config, model: bool) -> usize {
    let cuts = |key: &str| key.starts_with("text_units") || key.starts_with("extraction");
    1 + grid(config, model, false).iter().filter(|(key, _, _)| cuts(key)).count()
}

/// How often a search asks all questions: for its estimate.
pub(super) fn trials(config: &Config, model: bool, answers: bool) -> usize {
    1 + grid(config, model, answers).len()
}

/// Tries every value of the grid.
///
/// # Errors
/// As [`questions::measure`].
pub(super) async fn search(kit: &Kit<'_>, trial: &Trial) -> Result<Vec<Tried>> {
    let before = measured(kit, trial, "as it is", kit.config).await?;
    let mut tried = Vec::new();
    for (key, value, set) in
        grid(kit.config, kit.chat.is_some(), before.rows.iter().any(|row| row.answer.is_some()))
    {
        let mut config = kit.config.clone();
        set(&mut config, value);
        if config.check().is_ok() {
            let after = measured(kit, trial, &format!("{key} = {value}"), &config).await?;
            tried.push(compared(key, value, &before, &after)?);
        }
    }
    let raised = holm(&tried.iter().map(|one| one.p).collect::<Vec<_>>());
    for (one, p) in tried.iter_mut().zip(raised) {
        one.p = p;
        let more = one.scores.iter().any(|score| decides(&score.name) && score.after > score.before);
        one.worth_it = more && p <= MOST_CHANCE;
    }
    Ok(tried)
}

/// One trial, told in one line.
async fn measured(kit: &Kit<'_>, trial: &Trial, name: &str, config: &Config) -> Result<EvalRun> {
    let (asked, _) = trial.counts();
    let stage = kit.progress.stage(name, asked as u64);
    let progress = kit.progress.in_silence();
    let run = questions::measure(&Kit { progress: &progress, ..*kit }, trial, config).await?;
    stage.advance(asked as u64);
    Ok(run)
}

fn decides(name: &str) -> bool {
    name == "recall@5"
}

fn compared(key: &str, value: f64, before: &EvalRun, after: &EvalRun) -> Result<Tried> {
    let differences = questions::compare(before, after)?;
    let score = |one: &Difference| Score { name: one.score.clone(), before: one.first, after: one.second };
    Ok(Tried {
        key: key.to_owned(),
        value,
        p: differences.iter().find(|one| decides(&one.score)).map_or(1.0, |one| one.p),
        scores: differences.iter().map(score).collect(),
        worth_it: false,
    })
}

/// The table, and a line that says what is worth it.
pub fn table(tried: &[Tried]) -> String {
    let mut text = format!("{:26} {:>8}", "setting", "value");
    let names: Vec<&str> = tried
        .first()
        .map(|one| one.scores.iter().map(|score| score.name.as_str()).collect())
        .unwrap_or_default();
    let shown: Vec<&str> = names.into_iter().filter(|name| !name.starts_with("all_gold")).collect();
    for name in &shown {
        text.push_str(&format!(" {name:>16}"));
    }
    text.push_str(&format!(" {:>6}\n", "p"));
    for one in tried {
        text.push_str(&format!("{:26} {:>8}", one.key, one.value));
        for name in &shown {
            let score = one.scores.iter().find(|score| score.name == *name);
            let shown = score.map(|score| format!("{:.1} -> {:.1}", score.before, score.after));
            text.push_str(&format!(" {:>16}", shown.unwrap_or_default()));
        }
        let worth = if one.worth_it { "  worth it" } else { "" };
        text.push_str(&format!(" {:>6.3}{worth}\n", one.p));
    }
    let worth: Vec<String> =
        tried.iter().filter(|one| one.worth_it).map(|one| format!("{} = {}", one.key, one.value)).collect();
    text.push_str(&if worth.is_empty() {
        "none of these is worth it: no difference in recall is more than chance".to_owned()
    } else {
        format!("worth it: {}", worth.join(", "))
    });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_the_grid_is_another_one_that_may_be_set() {
        let mut config = Config::default();
        config.rerank.provider = RerankProvider::Local;
        let whole = serde_json::to_value(&config).unwrap();
        let all = grid(&config, true, true);
        assert!(all.len() > 15);
        for (key, value, set) in all {
            let mut other = config.clone();
            set(&mut other, value);
            other.check().unwrap_or_else(|error| panic!("{key} = {value}: {error}"));
            let now = serde_json::to_value(&other).unwrap();
            assert_eq!(
                super::super::parts::at(&now, key).and_then(serde_json::Value::as_f64),
                Some(value),
                "{key}"
            );
            assert_ne!(now, whole);
        }
    }
}
