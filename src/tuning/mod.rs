//! Tuned to the reader's field, by measured gain.
//!
//! ```text
//! sample      passages spread over the corpus: seen, held back, for questions
//! field       what a model says of the seen ones      statistics   what counting says of them
//! examples    worked ones, of the corpus's own text
//! parts       what each part sets                     trial        one reading of the held-back ones, counted
//! proof       each part alone, then beside each other: kept is what gains
//! questions   recall and answers through `eval`       grid         sizes, shares and weights on given questions
//! patch       what is written: as a diff, applied, undone
//! ```

pub mod kit;
pub mod sample;
pub mod field;
mod weakness;
pub mod statistics;
pub mod examples;
pub mod parts;
pub mod trial;
pub mod proof;
pub mod questions;
pub mod grid;
pub mod patch;
pub mod estimate;

use crate::config::Config;
use crate::domain::name_key;
use crate::eval::compare::Difference;
use crate::index::passages::{Passages, UnitPassage};
use anyhow::{Context, Result, bail, ensure};
use estimate::{Besides, Estimate};
use field::Field;
use kit::Kit;
use parts::{FieldFindings, Part};
use patch::Proposal;
use proof::Proof;
use questions::{GoldQuestion, MeasuredParts, Trial};
use sample::{Sample, Sizes, Taken};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use trial::Yardstick;

/// Passages of a corpus that are kept in memory.
pub const MOST_PASSAGES: usize = 4_000;
/// Passages below which nothing can be measured.
const LEAST_SAMPLE: usize = 2;
/// Passages that questions are asked of at least, where a limit makes a tuning smaller.
const LEAST_PASSAGES: usize = 12;
/// Chance up to which a loss in recall counts.
const MOST_CHANCE: f64 = 0.1;

/// What is to be done.
#[derive(Clone, Debug, Default)]
pub struct TuneRequest {
    /// What the graph is for; may be empty.
    pub goal: String,
    /// Passages that are looked at, and as many to measure on.
    pub sample: usize,
    /// Questions whose answers are known.
    pub questions: Option<PathBuf>,
    /// Whether a model writes questions.
    pub generate_questions: bool,
    /// Whether questions are answered, too, besides what is found for them.
    pub answers: bool,
    /// Passages that questions are asked of, at most.
    pub passages: usize,
    /// Whether what reports are told is written, too, which nothing here measures.
    pub reports: bool,
    /// Dollars that it may cost.
    pub max_cost: Option<f64>,
    /// The configuration that a proposal is for.
    pub path: PathBuf,
    /// The day, for the note above what is changed.
    pub day: String,
}

/// Recall and answers before and after.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OnQuestions {
    /// Questions that were asked.
    pub questions: usize,
    /// Passages that they were asked of.
    pub passages: usize,
    /// Scores with the settings as they are (`first`) and with the kept parts (`second`), with significance.
    pub differences: Vec<Difference>,
}

/// What came of a tuning.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tuning {
    /// How the sample was taken.
    pub sample: Taken,
    /// What was found.
    pub field: Field,
    /// What speaks against the types that were found by a model, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Worked examples that were made and passed, and why others did not.
    pub examples: usize,
    /// Why passages gave no example.
    pub no_examples: Vec<String>,
    /// What is kept, and by what gain.
    pub proof: Proof,
    /// On questions, where there are any.
    pub questions: Option<OnQuestions>,
    /// What would be written.
    pub proposal: Proposal,
    /// The same as a diff of the configuration.
    pub diff: String,
    /// Whether it was written.
    pub applied: bool,
    /// Keys that were left alone when it was written, since the user has set them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_alone: Vec<String>,
}

/// A tuning that is ready to begin: nothing has been asked of the chat model.
pub struct TuningPlan {
    sample: Sample,
    asked: Vec<GoldQuestion>,
    by_hand: Vec<Part>,
    /// Passages that questions are asked of, at most.
    passages: usize,
    /// What it would cost.
    pub estimate: Estimate,
}

impl TuningPlan {
    /// How the sample was taken.
    pub fn sample_summary(&self) -> &Taken {
        &self.sample.taken
    }
}

/// Takes the sample and says what the rest would cost; takes a smaller one where that is more than it may.
///
/// # Errors
/// Questions that cannot be read; too little text; a limit that the smallest sample is beyond.
pub async fn plan(kit: &Kit<'_>, passages: &Passages, request: &TuneRequest) -> Result<TuningPlan> {
    let all = &passages.passages;
    let asked = match &request.questions {
        Some(path) => questions::read(path, all)?,
        None => Vec::new(),
    };
    if request.generate_questions && kit.chat.is_none() {
        bail!("--generate-questions needs a model; set [llm] provider, or give --questions FILE");
    }
    let of_questions = questions::passages_of(&asked, all);
    let free: Vec<&UnitPassage> =
        all.iter().filter(|passage| !of_questions.contains(passage.unit.id.as_str())).collect();
    ensure!(
        free.len() >= 2 * LEAST_SAMPLE,
        "{} text units are free to look at, and {} are wanted at least; give more documents{}",
        free.len(),
        2 * LEAST_SAMPLE,
        if asked.is_empty() { "" } else { ", or name the passages of questions by quotes instead of titles" }
    );
    let by_hand = patch::set_by_hand(kit.config, kit.folder)?;
    let choice = sample::choose(&free, kit.embedding.map(AsRef::as_ref), kit.progress).await?;
    let mut wanted = request.sample.max(LEAST_SAMPLE);
    let mut asked_of = request.passages;
    loop {
        let for_questions = if request.generate_questions { wanted.div_ceil(2).max(2) } else { 0 };
        let mut sample = sample::take(&choice, Sizes { sample: wanted, for_questions });
        (sample.taken.documents, sample.taken.text_units) = (passages.documents, passages.all);
        let least = of_questions.len().max(sample.for_questions.len());
        let besides = besides(kit, request, asked.len(), &sample, (all.as_slice(), asked_of.max(least)));
        let estimate = estimate::estimate(kit, &sample, &by_hand, besides);
        match request.max_cost.filter(|most| estimate.cost > *most) {
            None => return Ok(TuningPlan { sample, asked, by_hand, passages: asked_of, estimate }),
            Some(_) if wanted > LEAST_SAMPLE || asked_of > LEAST_PASSAGES => {
                wanted = (wanted * 2 / 3).max(LEAST_SAMPLE);
                asked_of = (asked_of * 2 / 3).max(LEAST_PASSAGES.min(asked_of));
            }
            Some(most) => bail!(
                "--max-cost is ${most}, and the smallest tuning may cost ${:.4}; allow more, {}use a cheaper [llm.extract] model",
                estimate.cost,
                if besides.question_passages > 0 { "ask no questions, or " } else { "or " }
            ),
        }
    }
}

/// What questions cost, asked of so many passages of all: with the settings as they are, with stop names, and with all
/// that is kept.
fn besides(
    kit: &Kit<'_>,
    request: &TuneRequest,
    asked: usize,
    sample: &Sample,
    (all, asked_of): (&[UnitPassage], usize),
) -> Besides {
    if asked == 0 && sample.for_questions.is_empty() {
        return Besides::default();
    }
    let count = asked_of.min(all.len());
    let tokens: u64 = all.iter().map(|passage| u64::from(passage.unit.token_count)).sum();
    let mean = tokens / all.len().max(1) as u64;
    let questions = if asked > 0 { asked } else { 2 * sample.for_questions.len() } as u64;
    Besides {
        // stop names leave the prompts as they are, so that their index is read from kept replies
        question_tokens: 2 * count as u64 * mean,
        question_passages: 2 * count as u64,
        answers: if request.answers { 3 * questions } else { 0 },
        context_tokens: kit.config.search.max_context_tokens as u64,
    }
}

/// Finds, tries and proves; keeps a proposal in the folder. Nothing is written into the configuration.
///
/// # Errors
/// A model that refuses; a budget that is used up; a stop: what was answered is kept, and the same call goes on.
pub async fn tune(
    kit: &Kit<'_>,
    passages: &Passages,
    plan: TuningPlan,
    request: &TuneRequest,
) -> Result<Tuning> {
    let TuningPlan { sample, asked, by_hand, passages: asked_of, .. } = plan;
    let mut tuning = Tuning { sample: sample.taken.clone(), ..Tuning::default() };
    let counted = statistics::find(&free_of_questions(&passages.passages, &sample));
    let field = match kit.chat {
        Some(model) => {
            let said = field::find(kit, model.as_ref(), &sample.seen, &request.goal).await?;
            completed(said, counted)
        }
        None => counted,
    };
    if kit.chat.is_some() {
        tuning.warnings = weakness::warnings(&field.types, sample.seen.len());
    }
    let yardstick = Yardstick {
        types: field.types.iter().map(|found| name_key(&found.kind)).collect(),
        short_forms: statistics::short_forms(&passages.passages),
    };
    let mut found = FieldFindings {
        field,
        claims: kit.config.extraction.claims,
        by_model: kit.chat.is_some(),
        ..FieldFindings::default()
    };
    let mut with_types = kit.config.extraction.clone();
    if found.has(Part::Types) && !by_hand.contains(&Part::Types) {
        found.put(Part::Types, &mut with_types);
    }
    if kit.chat.is_some() && !by_hand.contains(&Part::Examples) {
        (found.examples, tuning.no_examples) = examples::make(kit, &with_types, &sample.seen).await?;
    }
    tuning.examples = found.examples.len();
    tuning.proof = proof::prove(kit, &found, &sample.held_back, &by_hand, &yardstick).await?;
    let by_model = asked.is_empty() && request.generate_questions;
    let asked = if by_model {
        questions::write(kit, &sample.for_questions, &passages.passages).await?
    } else {
        asked
    };
    if !asked.is_empty() {
        let measured = MeasuredParts { answers: request.answers, by_model, context: false };
        let trial = questions::prepare(kit, &asked, &passages.passages, asked_of, measured)?;
        tuning.questions = Some(on_questions(kit, &trial, &found, &by_hand, &mut tuning.proof).await?);
    }
    let unmeasured = format!("{} by `graphwright tune`, not measured", request.day);
    let mut changes =
        found.changes(&noted(request, &tuning.proof), request.reports.then_some(unmeasured.as_str()));
    for key in patch::leave_alone(&mut changes, kit.config, kit.folder)? {
        kit.progress.note(&format!("{key} is set by you, and kept as it is"));
    }
    tuning.proposal = Proposal { path: request.path.clone(), changes };
    let (before, after) = patch::texts(&tuning.proposal)?;
    tuning.diff = patch::diff(before.as_deref().unwrap_or_default(), &after);
    tuning.field = found.field;
    patch::keep(kit.folder, &tuning.proposal)?;
    Ok(tuning)
}

/// What counting may see: everything but what is measured on.
fn free_of_questions(all: &[UnitPassage], sample: &Sample) -> Vec<UnitPassage> {
    let kept: BTreeSet<&str> = sample
        .held_back
        .iter()
        .chain(&sample.for_questions)
        .map(|passage| passage.unit.id.as_str())
        .collect();
    all.iter().filter(|passage| !kept.contains(passage.unit.id.as_str())).cloned().collect()
}

/// What a model said, with what only counting knows.
fn completed(mut said: Field, counted: Field) -> Field {
    said.stop_names = counted.stop_names;
    said.words = counted.words;
    if said.languages.is_empty() {
        said.languages = counted.languages;
    }
    if said.kinds.is_empty() {
        said.kinds = counted.kinds;
    }
    for name in counted.names {
        let known = said.names.iter().any(|other| {
            other.name == name.name
                || name.also.iter().any(|also| *also == other.name || other.also.contains(also))
        });
        if !known {
            said.names.push(name);
        }
    }
    said
}

/// The kept parts, each with the day and what it gained.
fn noted(request: &TuneRequest, proof: &Proof) -> Vec<(Part, String)> {
    let kept = proof.verdicts.iter().filter(|verdict| verdict.kept);
    kept.map(|verdict| (verdict.part, format!("{} by `graphwright tune`: {}", request.day, verdict.reason)))
        .collect()
}

/// Asks the questions with the settings as they are, with what only questions can judge, and with all that is kept. What
/// finds less then is left out, all of it.
async fn on_questions(
    kit: &Kit<'_>,
    trial: &Trial,
    found: &FieldFindings,
    by_hand: &[Part],
    proof: &mut Proof,
) -> Result<OnQuestions> {
    let before = questions::measure(kit, trial, kit.config).await?;
    for part in [Part::StopNames, Part::CommonTypes, Part::Names] {
        let open = proof.verdicts.iter().any(|verdict| verdict.part == part && !verdict.kept);
        if !open || by_hand.contains(&part) || (part == Part::Names && found.by_model) {
            continue;
        }
        let after = questions::measure(kit, trial, &with(kit.config, found, &[part])).await?;
        let differences = questions::compare(&before, &after)?;
        let Some(recall) = questions::recall_of(&differences) else { continue };
        let change = recall.second - recall.first;
        let told =
            format!("{} {:.1} -> {:.1} (p {:.2})", recall.score, recall.first, recall.second, recall.p);
        for verdict in proof.verdicts.iter_mut().filter(|verdict| verdict.part == part) {
            verdict.kept = change > 0.0 && recall.p <= MOST_CHANCE;
            verdict.reason.clone_from(&told);
        }
    }
    let (questions, passages) = trial.counts();
    let mut result = OnQuestions { questions, passages, differences: Vec::new() };
    let kept = proof.kept_parts();
    if kept.is_empty() {
        result.differences = questions::compare(&before, &before)?;
        return Ok(result);
    }
    let after = questions::measure(kit, trial, &with(kit.config, found, &kept)).await?;
    result.differences = questions::compare(&before, &after)?;
    if let Some(recall) = questions::recall_of(&result.differences)
        && recall.second < recall.first
        && recall.p <= MOST_CHANCE
    {
        for verdict in proof.verdicts.iter_mut().filter(|verdict| verdict.kept) {
            verdict.kept = false;
            verdict.reason.push_str("; but with all that gains the questions find less");
        }
    }
    Ok(result)
}

fn with(config: &Config, found: &FieldFindings, parts: &[Part]) -> Config {
    let mut config = config.clone();
    for part in parts {
        found.put(*part, &mut config.extraction);
    }
    config
}

/// Tries sizes, shares and weights on given questions.
///
/// # Errors
/// Questions that cannot be read; what stores and models say; an estimate beyond the limit.
pub async fn search(kit: &Kit<'_>, passages: &Passages, request: &TuneRequest) -> Result<Vec<grid::Tried>> {
    let path = request.questions.as_deref().context("--search needs --questions FILE")?;
    let asked = questions::read(path, &passages.passages)?;
    let measured = MeasuredParts { answers: request.answers, by_model: false, context: true };
    let trial = questions::prepare(kit, &asked, &passages.passages, request.passages, measured)?;
    grid::search(kit, &trial).await
}

/// What a search would ask of models: an index of the questions' passages for every way of cutting and reading them.
///
/// # Errors
/// Questions that cannot be read.
pub fn estimate_of_search(kit: &Kit<'_>, passages: &Passages, request: &TuneRequest) -> Result<Estimate> {
    let path = request.questions.as_deref().context("--search needs --questions FILE")?;
    let asked = questions::read(path, &passages.passages)?;
    let mut estimate = Estimate::default();
    if kit.chat.is_none() {
        return Ok(estimate);
    }
    let all = &passages.passages;
    let tokens: u64 = all.iter().map(|passage| u64::from(passage.unit.token_count)).sum();
    let of_questions = questions::passages_of(&asked, all).len();
    let count = request.passages.max(of_questions).min(all.len()) as u64;
    let of_passages = tokens / all.len().max(1) as u64 * count;
    let indexes = grid::indexes(kit.config, true) as u64;
    estimate.indexing(kit, indexes * count * 2, indexes * of_passages);
    if request.answers {
        let answers = (grid::trials(kit.config, true) * asked.len()) as u64;
        estimate.answering(answers, kit.config.search.max_context_tokens as u64);
    }
    estimate.cost = kit.cost(estimate.input_tokens, estimate.output_tokens);
    Ok(estimate)
}
