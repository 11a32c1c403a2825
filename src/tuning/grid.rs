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
    /// The score that decides: `recall@5`; of sizes and of what a model is shown `f1` of the answers, without answers
    /// `in_context`.
    pub decided_by: String,
    /// The chance that this score differs by chance, raised for the number of trials (Holm).
    pub p: f64,
    /// Whether it is worth it: the score rises, and not by chance.
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

/// A value of a setting, to be tried.
struct GridStep {
    key: &'static str,
    value: f64,
    set: Setter,
    /// Whether it is judged by what is shown to a model, not by the list of what is found: shares of the context, and sizes
    /// of text units, of which five small ones hold less than five large ones while the context has room for as much.
    shows: bool,
}

/// A setting with the values that are tried.
struct Dial {
    key: &'static str,
    now: f64,
    values: &'static [f64],
    set: Setter,
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small counts")]
const fn whole(value: f64) -> usize {
    value as usize
}

/// The grid: every setting with its values, those as they are left out.
fn grid(config: &Config, model: bool) -> Vec<GridStep> {
    let mut found = Vec::new();
    if model {
        found.push(Dial {
            key: "extraction.gleanings",
            now: f64::from(config.extraction.gleanings),
            values: &[0.0, 1.0, 2.0],
            set: |config, value| {
                config.extraction.gleanings = u32::try_from(whole(value)).unwrap_or(0);
            },
        });
    }
    found.extend(weights(config));
    let steps = |dials: Vec<Dial>, shows: bool| {
        dials.into_iter().flat_map(move |Dial { key, now, values, set }| {
            let others = values.iter().filter(move |value| (**value - now).abs() > 1e-9);
            others.map(move |value| GridStep { key, value: *value, set, shows })
        })
    };
    steps(cuts(config), true).chain(steps(found, false)).chain(steps(shares(config), true)).collect()
}

/// How texts are cut: each value is an index of its own.
fn cuts(config: &Config) -> Vec<Dial> {
    vec![
        Dial {
            key: "text_units.size",
            now: config.text_units.size as f64,
            values: &[300.0, 600.0, 1200.0, 2400.0],
            set: |config, value| {
                config.text_units.size = whole(value);
                config.text_units.overlap = config.text_units.overlap.min(whole(value) / 4);
            },
        },
        Dial {
            key: "text_units.overlap",
            now: config.text_units.overlap as f64,
            values: &[0.0, 50.0, 100.0, 200.0],
            set: |config, value| {
                config.text_units.overlap = whole(value).min(config.text_units.size / 2);
            },
        },
    ]
}

/// What search begins from, and what weighs how much where its lists are made one.
fn weights(config: &Config) -> Vec<Dial> {
    let search = &config.search;
    let mut all = vec![
        Dial {
            key: "search.top_k_entities",
            now: search.top_k_entities as f64,
            values: &[5.0, 10.0, 20.0],
            set: |config, value| config.search.top_k_entities = whole(value),
        },
        Dial {
            key: "search.top_k_text_units",
            now: search.top_k_text_units as f64,
            values: &[10.0, 20.0, 40.0],
            set: |config, value| config.search.top_k_text_units = whole(value),
        },
        Dial {
            key: "search.words_weight",
            now: search.words_weight,
            values: &[0.4, 0.8, 1.6],
            set: |config, value| config.search.words_weight = value,
        },
        Dial {
            key: "search.walk_weight",
            now: search.walk_weight,
            values: &[0.0, 0.2, 0.5],
            set: |config, value| config.search.walk_weight = value,
        },
        Dial {
            key: "search.damping",
            now: search.damping,
            values: &[0.3, 0.5, 0.7, 0.85],
            set: |config, value| config.search.damping = value,
        },
        Dial {
            key: "search.structure_weight",
            now: search.structure_weight,
            values: &[0.0, 30.0],
            set: |config, value| config.search.structure_weight = value,
        },
    ];
    if config.rerank.provider != RerankProvider::None {
        all.push(Dial {
            key: "rerank.weight",
            now: config.rerank.weight,
            // with 0 it has no say: whether reranking is worth anything at all
            values: &[0.0, 0.25, 0.5, 1.0, 2.0],
            set: |config, value| config.rerank.weight = value,
        });
        all.push(Dial {
            key: "rerank.top_k",
            now: config.rerank.top_k as f64,
            values: &[20.0, 40.0, 80.0],
            set: |config, value| config.rerank.top_k = whole(value),
        });
    }
    all
}

/// What of all that is found a model is shown.
fn shares(config: &Config) -> Vec<Dial> {
    let search = &config.search;
    vec![
        Dial {
            key: "search.text_unit_share",
            now: search.text_unit_share,
            values: &[0.35, 0.5, 0.7],
            set: |config, value| {
                config.search.text_unit_share = value;
                config.search.report_share = config.search.report_share.min(1.0 - value);
            },
        },
        Dial {
            key: "search.top_k_relationships",
            now: search.top_k_relationships as f64,
            values: &[5.0, 10.0, 20.0],
            set: |config, value| config.search.top_k_relationships = whole(value),
        },
        Dial {
            key: "search.fit_threshold",
            now: search.fit_threshold,
            values: &[0.0, 0.35, 0.6],
            set: |config, value| config.search.fit_threshold = value,
        },
    ]
}

/// How many indexes a search makes: for its estimate.
pub(super) fn indexes(config: &Config, model: bool) -> usize {
    let cuts = |key: &str| key.starts_with("text_units") || key.starts_with("extraction");
    1 + grid(config, model).iter().filter(|step| cuts(step.key)).count()
}

/// How often a search asks all questions: for its estimate.
pub(super) fn trials(config: &Config, model: bool) -> usize {
    1 + grid(config, model).len()
}

/// Tries every value of the grid.
///
/// # Errors
/// As [`questions::measure`].
pub(super) async fn search(kit: &Kit<'_>, trial: &Trial) -> Result<Vec<Tried>> {
    let before = measured(kit, trial, "as it is", kit.config).await?;
    let mut tried = Vec::new();
    for step in grid(kit.config, kit.chat.is_some()) {
        let mut config = kit.config.clone();
        (step.set)(&mut config, step.value);
        if config.check().is_ok() {
            let after = measured(kit, trial, &format!("{} = {}", step.key, step.value), &config).await?;
            tried.push(compared(&step, &questions::compare(&before, &after)?));
        }
    }
    let raised = holm(&tried.iter().map(|one| one.p).collect::<Vec<_>>());
    for (one, p) in tried.iter_mut().zip(raised) {
        one.p = p;
        let more = one.scores.iter().any(|score| score.name == one.decided_by && score.after > score.before);
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

/// The score that decides: what is found, or what becomes of what is shown: the answer, or without answers whether the gold
/// is among it.
fn decisive(shows: bool, differences: &[Difference]) -> &'static str {
    let has = |name: &str| differences.iter().any(|one| one.score == name);
    if !shows {
        "recall@5"
    } else if has("f1") {
        "f1"
    } else {
        "in_context"
    }
}

fn compared(step: &GridStep, differences: &[Difference]) -> Tried {
    let decided_by = decisive(step.shows, differences);
    let score = |one: &Difference| Score { name: one.score.clone(), before: one.first, after: one.second };
    Tried {
        key: step.key.to_owned(),
        value: step.value,
        p: differences.iter().find(|one| one.score == decided_by).map_or(1.0, |one| one.p),
        scores: differences.iter().map(score).collect(),
        decided_by: decided_by.to_owned(),
        worth_it: false,
    }
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
    text.push_str(&format!(" {:>6}  decided by\n", "p"));
    for one in tried {
        text.push_str(&format!("{:26} {:>8}", one.key, one.value));
        for name in &shown {
            let score = one.scores.iter().find(|score| score.name == *name);
            let shown = score.map(|score| format!("{:.1} -> {:.1}", score.before, score.after));
            text.push_str(&format!(" {:>16}", shown.unwrap_or_default()));
        }
        let worth = if one.worth_it { ", worth it" } else { "" };
        text.push_str(&format!(" {:>6.3}  {}{worth}\n", one.p, one.decided_by));
    }
    let worth: Vec<String> =
        tried.iter().filter(|one| one.worth_it).map(|one| format!("{} = {}", one.key, one.value)).collect();
    text.push_str(&if worth.is_empty() {
        "none of these is worth it: no rise of the score that decides is more than chance".to_owned()
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
        let all = grid(&config, true);
        assert!(all.len() > 25);
        for GridStep { key, value, set, .. } in all {
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

    #[test]
    fn what_is_shown_is_judged_by_answers_or_by_the_context_and_what_is_found_by_recall() {
        let difference = |score: &str, (first, second): (f64, f64), p: f64| Difference {
            method: "local".into(),
            score: score.into(),
            first,
            second,
            questions: 9,
            p,
            p_holm: 1.0,
        };
        let found = [difference("recall@5", (80.0, 80.0), 1.0), difference("in_context", (60.0, 90.0), 0.01)];
        let answered = [found.as_slice(), &[difference("f1", (50.0, 40.0), 0.02)]].concat();
        let check = |shows: bool, differences: &[Difference], expected: (&str, f64)| {
            let step = GridStep { key: "search.text_unit_share", value: 0.7, set: |_, _| {}, shows };
            let tried = compared(&step, differences);
            assert_eq!((tried.decided_by.as_str(), tried.p), expected);
        };
        check(false, &answered, ("recall@5", 1.0));
        check(true, &found, ("in_context", 0.01));
        check(true, &answered, ("f1", 0.02));
    }
}
