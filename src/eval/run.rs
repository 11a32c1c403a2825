//! One evaluation: every question by every method, each row kept as soon as it is there.

use super::dataset::{Dataset, DatasetQuestion};
use super::judge::{self, AnswerPair, MethodComparison};
use super::methods::NamedMethod;
use super::rater::{self, Ratings};
use super::scores::{agreement, recall, without_citations};
use crate::domain::{RecordKind, fingerprint};
use crate::private;
use crate::progress::Progress;
use crate::query::{self, QueryRequest};
use crate::services::Services;
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What an answer should look like where it is compared word by word.
const SHORT: &str = "The shortest phrase that answers the question, no sentence";

/// What is to be measured.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what is measured goes together in any way")]
pub struct EvalRequest {
    /// The methods.
    pub methods: Vec<NamedMethod>,
    /// Lengths of lists.
    pub ks: Vec<usize>,
    /// Whether a model wrote the questions, from documents.
    pub by_model: bool,
    /// Whether methods answer, besides retrieving.
    pub answers: bool,
    /// Whether what a model would be shown is looked through for the gold, too; of local search alone.
    pub context: bool,
    /// Whether a model rates the answers.
    pub rate: bool,
    /// Times that each pair of methods is judged in both orders; 0: not at all.
    pub judge_repeats: usize,
    /// Seed of the significance tests.
    pub seed: u64,
    /// Where rows are kept.
    pub folder: PathBuf,
    /// Whether rows that are there already are taken as they are.
    pub resume: bool,
}

/// One question by one method. Scores are shares, from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResultRow {
    /// The method.
    pub method: String,
    /// Place of the question, from 0.
    pub question: usize,
    /// The question's id.
    pub id: String,
    /// Places of the passages found, best first.
    pub retrieved: Vec<usize>,
    /// Share of the gold among the first k, by k.
    pub recall: BTreeMap<usize, f64>,
    /// 1 where all gold is among the first k.
    pub all_gold: BTreeMap<usize, f64>,
    /// Share of the supporting sentences whose passage is among the first k.
    pub facts: BTreeMap<usize, f64>,
    /// Share of the gold that a model would be shown.
    pub in_context: Option<f64>,
    /// The answer, where one was asked for.
    pub answer: Option<String>,
    /// Exact match.
    pub exact: Option<f64>,
    /// F1 of words.
    pub f1: Option<f64>,
    /// F1 where enough of the right words are there.
    pub f1_star: Option<f64>,
    /// What the raters say.
    pub ratings: Option<Ratings>,
    /// Milliseconds of retrieval.
    pub retrieval_ms: Option<f64>,
    /// Milliseconds of the whole answer.
    pub answer_ms: Option<f64>,
    /// Calls of models for the answer.
    pub calls: u64,
    /// Tokens of their prompts.
    pub input_tokens: u64,
    /// Tokens of their replies.
    pub output_tokens: u64,
    /// Dollars.
    pub cost: f64,
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct EvalRun {
    /// Its settings, as saved.
    pub settings: Value,
    /// Its rows, by method and question.
    pub rows: Vec<ResultRow>,
    /// What the judge says.
    pub comparisons: Vec<MethodComparison>,
}

/// Measures. The workspace holds the dataset's corpus: each passage of a file under the key `…#number`, or its documents.
///
/// # Errors
/// A folder with the rows of another run; a method that cannot work here; what the stores and models say.
pub async fn run(
    services: &Services,
    dataset: &Dataset,
    request: &EvalRequest,
    progress: &Progress,
) -> Result<EvalRun> {
    ensure!(
        services.chat.is_some() || !(request.rate || request.judge_repeats > 0),
        "--rate and --judge need a model; set [llm] provider, and [llm.judge] for another one"
    );
    let settings = describe_settings(services, dataset, request);
    let mut kept = open(&request.folder, &settings, request.resume)?;
    let mut file = private::options()
        .append(true)
        .open(request.folder.join("rows.jsonl"))
        .with_context(|| format!("cannot write into {}", request.folder.display()))?;
    for method in &request.methods {
        let stage = progress.stage(&method.name, dataset.questions.len() as u64);
        for (place, question) in dataset.questions.iter().enumerate() {
            if progress.stop_requested() {
                bail!("stopped; the rows so far are in {}; add --resume to go on", request.folder.display());
            }
            if let Entry::Vacant(vacant) = kept.entry((method.name.clone(), place)) {
                let row = measure(services, dataset, request, method, (place, question))
                    .await
                    .with_context(|| format!("{}, question {}", method.name, question.id))?;
                writeln!(file, "{}", serde_json::to_string(&row)?)?;
                vacant.insert(row);
            }
            stage.advance(1);
        }
    }
    let rows: Vec<ResultRow> = kept.into_values().collect();
    let comparisons = judged(services, dataset, request, &rows).await?;
    let run = EvalRun { settings, rows, comparisons };
    let path = request.folder.join("comparisons.json");
    private::write(&path, &serde_json::to_string_pretty(&run.comparisons)?)
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(run)
}

/// Reads a run back.
///
/// # Errors
/// A folder without one.
pub fn read(folder: &Path) -> Result<EvalRun> {
    let told = || format!("{} holds no run of graphwright eval", folder.display());
    let settings = fs::read_to_string(folder.join("run.json")).with_context(told)?;
    let comparisons = fs::read_to_string(folder.join("comparisons.json")).unwrap_or_else(|_| "[]".to_owned());
    Ok(EvalRun {
        settings: serde_json::from_str(&settings).with_context(told)?,
        rows: rows(folder)?.into_values().collect(),
        comparisons: serde_json::from_str(&comparisons).with_context(told)?,
    })
}

/// Everything that decides the rows, secrets left out.
fn describe_settings(services: &Services, dataset: &Dataset, request: &EvalRequest) -> Value {
    let passages = dataset.passages.iter().map(|p| format!("{}\n{}", p.title, p.text)).collect::<Vec<_>>();
    let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
    let questions = format!("{:?}", dataset.questions);
    let embedding = services.embedding.as_ref().map(|model| model.name());
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "corpus": fingerprint(&passages),
        "questions": fingerprint(&[&questions]),
        "methods": request.methods.iter().map(|method| &method.name).collect::<Vec<_>>(),
        "k": request.ks,
        "answers": request.answers,
        "rate": request.rate,
        "judge_repeats": request.judge_repeats,
        "seed": request.seed,
        "graph": services.graph.describe().split(' ').next(),
        "vectors": services.vectors.describe().split(' ').next(),
        "embedding": embedding,
        "configuration": services.config,
    })
}

type RowsByQuestion = BTreeMap<(String, usize), ResultRow>;

/// Makes the folder, or sees to it that what is there is of the same run.
fn open(folder: &Path, settings: &Value, resume: bool) -> Result<RowsByQuestion> {
    private::create_dir_all(folder).with_context(|| format!("cannot make folder {}", folder.display()))?;
    let path = folder.join("run.json");
    let mut kept = RowsByQuestion::new();
    if resume && path.exists() {
        let before: Value = serde_json::from_str(&fs::read_to_string(&path)?)
            .with_context(|| format!("{} is no run's", path.display()))?;
        let same = |key: &str| before.get(key) == settings.get(key);
        for key in ["version", "corpus", "questions", "k", "answers", "rate", "embedding", "configuration"] {
            ensure!(
                same(key),
                "{} was run with another {key}; leave --resume out, or name another folder with --out",
                folder.display()
            );
        }
        kept = rows(folder)?;
    } else if folder.join("rows.jsonl").exists() {
        private::create(&folder.join("rows.jsonl"))?;
    }
    private::write(&path, &serde_json::to_string_pretty(settings)?)
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(kept)
}

/// The rows of a folder; a last line that a killed run left half written is passed over.
fn rows(folder: &Path) -> Result<RowsByQuestion> {
    let path = folder.join("rows.jsonl");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let read = text.lines().filter_map(|line| serde_json::from_str::<ResultRow>(line).ok());
    Ok(read.map(|row| ((row.method.clone(), row.question), row)).collect())
}

async fn measure(
    services: &Services,
    dataset: &Dataset,
    request: &EvalRequest,
    method: &NamedMethod,
    (place, question): (usize, &DatasetQuestion),
) -> Result<ResultRow> {
    let mut row = ResultRow {
        method: method.name.clone(),
        question: place,
        id: question.id.clone(),
        ..ResultRow::default()
    };
    if let Some(retrieval) = method.retrieval {
        let begun = Instant::now();
        let limit = request.ks.iter().copied().max().unwrap_or(0).max(1);
        let keys = retrieval.documents(services, &question.text, limit).await?;
        row.retrieval_ms = Some(begun.elapsed().as_secs_f64() * 1000.0);
        row.retrieved = keys.iter().map(|key| dataset.place_of(key)).collect::<Result<_>>()?;
        for &k in &request.ks {
            if let Some(share) = recall(&row.retrieved, &question.gold, k) {
                row.recall.insert(k, share);
                row.all_gold.insert(k, f64::from(u8::from(share >= 1.0)));
            }
            if let Some(share) = recall(&row.retrieved, &question.facts, k) {
                row.facts.insert(k, share);
            }
        }
    }
    if request.context && method.method == Some(query::Method::Local) {
        row.in_context = context_recall(services, dataset, (question, request.by_model)).await?;
    }
    if let (true, Some(method)) = (request.answers, method.method) {
        answer(services, request, question, method, &mut row).await?;
    }
    Ok(row)
}

/// Share of the gold among the sources of local search's context.
async fn context_recall(
    services: &Services,
    dataset: &Dataset,
    (question, by_model): (&DatasetQuestion, bool),
) -> Result<Option<f64>> {
    let asked = QueryRequest { question: question.text.clone(), by_model, ..QueryRequest::default() };
    let found = query::local_context(services, &asked).await?;
    let sources = found.context.of(RecordKind::Sources);
    let places: Vec<usize> =
        sources.map(|item| dataset.place_of(&item.record.name)).collect::<Result<_>>()?;
    Ok(recall(&places, &question.gold, places.len()))
}

async fn answer(
    services: &Services,
    request: &EvalRequest,
    question: &DatasetQuestion,
    method: query::Method,
    row: &mut ResultRow,
) -> Result<()> {
    let before = services.ledger.total();
    let begun = Instant::now();
    let asked = QueryRequest {
        question: question.text.clone(),
        by_model: request.by_model,
        method,
        response_type: if question.answers.is_empty() { "Multiple Paragraphs" } else { SHORT }.to_owned(),
        ..QueryRequest::default()
    };
    let answer = query::query(services, &asked, &mut |_| {}).await?;
    row.answer_ms = Some(begun.elapsed().as_secs_f64() * 1000.0);
    let after = services.ledger.total();
    row.calls = after.calls.saturating_sub(before.calls);
    row.input_tokens = after.input_tokens.saturating_sub(before.input_tokens);
    row.output_tokens = after.output_tokens.saturating_sub(before.output_tokens);
    row.cost = after.cost - before.cost;
    let plain = without_citations(&answer.answer);
    if let Some(agreement) = agreement(&plain, &question.answers) {
        row.exact = Some(agreement.exact);
        row.f1 = Some(agreement.f1);
        row.f1_star = Some(agreement.f1_star);
    }
    if let (true, Some(model), false) = (request.rate, &services.chat, question.answers.is_empty()) {
        let ratings =
            rater::rate(model.as_ref(), &services.prompts, &question.text, &question.answers, &plain).await?;
        row.ratings = Some(ratings);
    }
    row.answer = Some(plain);
    Ok(())
}

/// Every pair of methods, by every question that both answered.
async fn judged(
    services: &Services,
    dataset: &Dataset,
    request: &EvalRequest,
    rows: &[ResultRow],
) -> Result<Vec<MethodComparison>> {
    let mut comparisons = Vec::new();
    let (Some(model), true) = (&services.chat, request.judge_repeats > 0) else { return Ok(comparisons) };
    let answer = |method: &str, place: usize| {
        rows.iter().find(|row| row.method == method && row.question == place)?.answer.as_deref()
    };
    for (number, one) in request.methods.iter().enumerate() {
        for other in request.methods.iter().skip(number + 1) {
            for (place, question) in dataset.questions.iter().enumerate() {
                let (Some(first), Some(second)) = (answer(&one.name, place), answer(&other.name, place))
                else {
                    continue;
                };
                let pair = AnswerPair {
                    place,
                    question: &question.text,
                    methods: (&one.name, &other.name),
                    answers: (first, second),
                };
                let compared = judge::compare(model.as_ref(), &services.prompts, pair, request.judge_repeats);
                comparisons.extend(compared.await?);
            }
        }
    }
    Ok(comparisons)
}
