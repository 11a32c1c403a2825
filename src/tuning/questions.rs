//! Recall and answers on questions, through `eval`: an index of the questions' passages among others for each set of
//! settings, in files of their own.

use super::kit::Kit;
use crate::config::{Config, EmbeddingProvider, NameResolution, Provider, RerankProvider};
use crate::domain::fingerprint;
use crate::eval::compare::{self, Difference};
use crate::eval::dataset::Dataset;
use crate::eval::methods;
use crate::eval::question_files;
use crate::eval::run::{self as eval, EvalRequest, EvalRun};
use crate::index::passages::UnitPassage;
use crate::index::run::{self as index, IndexRequest};
use crate::language::one_line;
use crate::llm::reply::read_json;
use crate::llm::{ChatRequest, ModelRole};
use crate::private;
use crate::prompts::{Data, Prompt, TuneQuestions};
use crate::services::{self, Access, Services};
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Lengths of the lists that recall is measured at.
const KS: [usize; 2] = [2, 5];
/// What retrieval is measured with, for it is what extraction changes.
const METHOD: &str = "local";
/// Questions that a model writes of a passage.
const OF_A_PASSAGE: usize = 2;

/// A question whose passages are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GoldQuestion {
    question: String,
    answers: Vec<String>,
    /// Places of its passages among all: for each gold passage those that stand for it.
    gold: Vec<BTreeSet<usize>>,
}

/// Reads a list of `{question, answer or answers, gold}`: `gold` lists quotes, or titles or keys of documents, or `{title,
/// text}`.
///
/// # Errors
/// A file of another form; gold that no passage has, by name.
pub(super) fn read(path: &Path, passages: &[UnitPassage]) -> Result<Vec<GoldQuestion>> {
    let text = question_files::read(path)?;
    let rows: Vec<Value> = serde_json::from_str(&text)
        .with_context(|| format!("{} is no JSON list of questions", path.display()))?;
    let flat: Vec<String> = passages.iter().map(|passage| one_line(&passage.unit.text)).collect();
    let mut asked = Vec::new();
    for (row, number) in rows.iter().zip(1..) {
        let one = question(row, passages, &flat)
            .with_context(|| format!("question {number} of {}", path.display()))?;
        asked.push(one);
    }
    ensure!(!asked.is_empty(), "{} holds no questions", path.display());
    Ok(asked)
}

fn question(row: &Value, passages: &[UnitPassage], flat: &[String]) -> Result<GoldQuestion> {
    let text = row.get("question").and_then(Value::as_str).context("has no \"question\"")?;
    let mut asked = GoldQuestion { question: text.to_owned(), ..GoldQuestion::default() };
    for key in ["answer", "answers", "aliases"] {
        match row.get(key) {
            Some(Value::String(answer)) => asked.answers.push(answer.clone()),
            Some(Value::Array(answers)) => {
                asked.answers.extend(answers.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    for gold in row.get("gold").and_then(Value::as_array).into_iter().flatten() {
        let said = gold.as_str().or_else(|| gold.get("text").and_then(Value::as_str));
        let said = said.or_else(|| gold.get("title").and_then(Value::as_str));
        let Some(said) = said else { bail!("a gold passage is neither a quote nor a title") };
        let places = places_of(said, passages, flat);
        ensure!(
            !places.is_empty(),
            "gold {said:?} is neither a quote of a passage nor the title of a document"
        );
        let documents: BTreeSet<&str> =
            places.iter().filter_map(|place| passages.get(*place)).map(|one| one.document.as_str()).collect();
        let shown: Vec<&str> = documents.iter().copied().take(3).collect();
        ensure!(
            documents.len() < 2 || titles_of(&places, passages).len() < 2,
            "gold {said:?} stands in {} documents ({}, …); give a quote of one of them alone, or its title",
            documents.len(),
            shown.join(", ")
        );
        asked.gold.push(places);
    }
    ensure!(
        !asked.gold.is_empty(),
        "has no \"gold\"; name the passages that answer it, by a quote or by the title of their document"
    );
    Ok(asked)
}

/// Passages of a document with that title, key or file name, else those that hold the words.
fn places_of(said: &str, passages: &[UnitPassage], flat: &[String]) -> BTreeSet<usize> {
    let is_named = |passage: &UnitPassage| {
        let file = passage.document.rsplit('/').next().unwrap_or_default();
        passage.title == said || passage.document == said || file == said
    };
    let named = (0..).zip(passages).filter(|(_, passage)| is_named(passage));
    let named: BTreeSet<usize> = named.map(|(place, _)| place).collect();
    if !named.is_empty() {
        return named;
    }
    let quote = one_line(said);
    (0..).zip(flat).filter(|(_, text)| text.contains(&quote)).map(|(place, _)| place).collect()
}

/// Titles of the documents that passages are of: those of one title stand for each other.
fn titles_of(places: &BTreeSet<usize>, passages: &[UnitPassage]) -> BTreeSet<String> {
    places.iter().filter_map(|place| passages.get(*place)).map(|passage| title(passage).to_owned()).collect()
}

/// Ids of the passages that questions rest on: nothing else may see them.
pub(super) fn passages_of<'a>(asked: &[GoldQuestion], passages: &'a [UnitPassage]) -> BTreeSet<&'a str> {
    let places = asked.iter().flat_map(|one| &one.gold).flatten();
    places.filter_map(|place| passages.get(*place)).map(|passage| passage.unit.id.as_str()).collect()
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct QuestionsReply {
    questions: Vec<WrittenQuestion>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WrittenQuestion {
    question: String,
    answer: String,
    quote: String,
}

/// Has the model write questions of passages that nothing else sees; those whose quote does not stand there are left out.
/// Where none is left, that is said and the list is empty: the rest of a tuning was paid for and stands.
///
/// # Errors
/// The model's.
pub(super) async fn write(
    kit: &Kit<'_>,
    sources: &[UnitPassage],
    passages: &[UnitPassage],
) -> Result<Vec<GoldQuestion>> {
    let Some(model) = kit.chat else {
        bail!("--generate-questions needs a model; set [llm] provider, or give --questions FILE")
    };
    let stage = kit.progress.stage("writing questions", sources.len() as u64);
    let mut asked = Vec::new();
    for source in sources {
        kit.go_on()?;
        let prompt = TuneQuestions {
            title: Data::line(&source.title),
            passage: Data::text(source.unit.text.as_str()),
            count: OF_A_PASSAGE,
        };
        let messages = kit.prompts.render(&prompt)?;
        let request = ChatRequest::new(ModelRole::Report, prompt.name().as_str(), messages);
        let reply = model.chat(&request).await?;
        let written: QuestionsReply =
            serde_json::from_value(read_json(&reply.text).unwrap_or_default()).unwrap_or_default();
        let text = one_line(&source.unit.text);
        let place = passages.iter().position(|passage| passage.unit.id == source.unit.id);
        for one in written.questions.into_iter().take(OF_A_PASSAGE) {
            let stands = !one.quote.trim().is_empty() && text.contains(&one_line(one.quote.trim()));
            if let Some(place) = place.filter(|_| stands && !one.question.trim().is_empty()) {
                asked.push(GoldQuestion {
                    question: one_line(&one.question),
                    answers: vec![one.answer].into_iter().filter(|answer| !answer.is_empty()).collect(),
                    gold: vec![BTreeSet::from([place])],
                });
            }
        }
        stage.advance(1);
    }
    if asked.is_empty() {
        kit.progress.note(
            "the model wrote no question whose quote stands in its passage, so nothing is measured on questions",
        );
    }
    Ok(asked)
}

/// A corpus with questions in `eval`'s form, in files of its own.
pub(super) struct Trial {
    corpus: PathBuf,
    dataset: Dataset,
    folder: PathBuf,
    name: String,
    measured: MeasuredParts,
}

/// What is measured besides what is found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MeasuredParts {
    /// Answers.
    pub(super) answers: bool,
    /// Whether a model wrote the questions.
    pub(super) by_model: bool,
    /// Whether the gold is among what a model would be shown.
    pub(super) context: bool,
}

impl Trial {
    /// How many questions and passages there are.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.dataset.questions.len(), self.dataset.passages.len())
    }
}

/// Puts the questions' passages among others, at most `limit` of them together.
///
/// # Errors
/// The folder cannot be written.
pub(super) fn prepare(
    kit: &Kit<'_>,
    asked: &[GoldQuestion],
    passages: &[UnitPassage],
    limit: usize,
    measured: MeasuredParts,
) -> Result<Trial> {
    let mut chosen: BTreeSet<usize> = asked.iter().flat_map(|one| &one.gold).flatten().copied().collect();
    let mut others: Vec<usize> = (0..passages.len()).filter(|place| !chosen.contains(place)).collect();
    // ids are hashes: the smallest are a fair mixture
    others.sort_by_key(|place| passages.get(*place).map(|passage| &passage.unit.id));
    chosen.extend(others.into_iter().take(limit.saturating_sub(chosen.len())));
    let passage = |place: &usize| -> Option<Value> {
        let passage = passages.get(*place)?;
        Some(json!({"title": printable(title(passage)), "text": printable(&passage.unit.text)}))
    };
    let corpus: Vec<Value> = chosen.iter().filter_map(passage).collect();
    let questions: Vec<Value> = asked
        .iter()
        .map(|one| {
            // passages that stand for each other share a title; where they do not, the first one is wanted
            let gold: Vec<Value> = one.gold.iter().filter_map(|places| passage(places.first()?)).collect();
            json!({"question": one.question, "answers": one.answers, "gold": gold})
        })
        .collect();
    let (corpus, questions) = (serde_json::to_string(&corpus)?, serde_json::to_string(&questions)?);
    let name: String = fingerprint(&[&corpus, &questions]).chars().take(12).collect();
    let folder = kit.folder.join("questions").join(&name);
    private::refuse_links_between(kit.folder, &folder).context("while keeping the questions")?;
    private::create_dir_all(&folder).with_context(|| format!("cannot make folder {}", folder.display()))?;
    let (corpus_path, questions_path) = (folder.join("corpus.json"), folder.join("questions.json"));
    for (path, text) in [(&corpus_path, &corpus), (&questions_path, &questions)] {
        private::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let dataset = Dataset::read(&corpus_path, &questions_path)?;
    Ok(Trial { corpus: corpus_path, dataset, folder, name, measured })
}

fn title(passage: &UnitPassage) -> &str {
    if passage.title.is_empty() { &passage.document } else { &passage.title }
}

/// A text without what would make a file of it pass for binary, as long as it was.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && !c.is_whitespace() { ' ' } else { c }).collect()
}

/// Indexes the trial's corpus with some settings and asks its questions; both go on where they were stopped.
///
/// # Errors
/// What stores and models say; a stop.
pub(super) async fn measure(kit: &Kit<'_>, trial: &Trial, config: &Config) -> Result<EvalRun> {
    let services = open(kit, trial, config).await?;
    let measured = async {
        let mut request = IndexRequest::default();
        request.discover.sources = vec![("corpus".to_owned(), trial.corpus.clone())];
        let report = index::index(&services, &request, kit.progress).await?;
        if let Some(reason) = report.stopped {
            bail!("{reason}; run the same command again to go on: what was answered is kept");
        }
        ensure!(
            report.counts.text_units > 0,
            "the passages of the questions cannot be indexed: {}",
            report.problems.first().map_or("they hold no text", String::as_str)
        );
        kit.go_on()?;
        // rows of another version or of another measure are none of this run
        let settings = serde_json::to_string(&services.config)?;
        let measured = format!("{:?} {}", trial.measured, env!("CARGO_PKG_VERSION"));
        let of_settings: String = fingerprint(&[&settings, &measured]).chars().take(12).collect();
        let request = EvalRequest {
            methods: methods::parse(&[METHOD.to_owned()])?,
            ks: KS.to_vec(),
            context: trial.measured.context,
            by_model: trial.measured.by_model,
            answers: trial.measured.answers,
            rate: false,
            judge_repeats: 0,
            seed: 0,
            folder: trial.folder.join(of_settings),
            resume: true,
        };
        eval::run(&services, &trial.dataset, &request, kit.progress).await
    };
    let result = measured.await;
    services.graph.unlock_writer().await?;
    result
}

/// A workspace in a file of its own: no report and no summary is asked of a model there, for nothing here reads them.
async fn open(kit: &Kit<'_>, trial: &Trial, config: &Config) -> Result<Services> {
    let mut config = config.clone();
    (config.graph.url, config.vectors.url) = (None, None);
    config.reports.min_size = usize::MAX;
    config.extraction.resolution = NameResolution::Rules;
    config.extraction.summary_threshold_tokens = usize::MAX;
    (config.raptor.enabled, config.reader.enabled) = (Some(false), Some(false));
    let mut without_models = config.clone();
    without_models.llm.provider = Provider::None;
    without_models.embeddings.provider = EmbeddingProvider::Remote(Provider::None);
    without_models.rerank.provider = RerankProvider::None;
    let extraction = serde_json::to_string(&config.extraction)?;
    let cut = serde_json::to_string(&config.text_units)?;
    let vectors = config.search.structure_weight > 0.0;
    let name = fingerprint(&[&extraction, &cut, &trial.name, &vectors.to_string(), kit.model()]);
    let name: String = name.chars().take(16).collect();
    let mut services =
        services::connect(without_models, &kit.folder.join("indexes"), &name, Access::Write).await?;
    services.config = config;
    services.chat = kit.chat.map(Arc::clone);
    services.embedding = kit.embedding.map(Arc::clone);
    services.rerank = kit.rerank.map(Arc::clone);
    services.ledger = Arc::clone(kit.ledger);
    services.prepare_vectors(true).await?;
    Ok(services)
}

/// What differs between two runs, with significance.
///
/// # Errors
/// They asked nothing in common.
pub(super) fn compare(before: &EvalRun, after: &EvalRun) -> Result<Vec<Difference>> {
    compare::compare(before, after)
}

/// The mean of a score that decides, from 0 to 100: recall of the longest list.
pub(super) fn recall_of(differences: &[Difference]) -> Option<&Difference> {
    let last = KS.last().copied().unwrap_or_default();
    differences.iter().find(|one| one.score == format!("recall@{last}"))
}

#[cfg(test)]
mod tests {
    use super::super::sample::passage;
    use super::*;

    #[test]
    fn gold_is_a_quote_or_a_title() {
        let passages = [
            passage("a.txt", 0, "Ida sold\nthe ferry."),
            passage("a.txt", 1, "Tom wept."),
            passage("b.txt", 0, "Snow."),
            passage("c.txt", 0, "Snow."),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("questions.json");
        let check = |row: Value| {
            std::fs::write(&path, json!([row]).to_string()).unwrap();
            read(&path, &passages).map(|mut asked| asked.remove(0))
        };
        let asked = check(json!({"question": "Who?", "answer": "Ida", "gold": ["sold the ferry"]})).unwrap();
        assert_eq!(
            (asked.answers.clone(), asked.gold.clone()),
            (vec!["Ida".to_owned()], vec![BTreeSet::from([0])])
        );
        assert_eq!(passages_of(&[asked], &passages).len(), 1);
        let asked = check(json!({"question": "Who?", "gold": ["a.txt"]})).unwrap();
        assert_eq!(asked.gold, [BTreeSet::from([0, 1])]);
        for (row, told) in [
            (json!({"question": "Who?", "gold": ["rain"]}), "\"rain\" is neither a quote"),
            (json!({"question": "Who?", "gold": ["Snow."]}), "\"Snow.\" stands in 2 documents (b.txt, c.txt"),
            (json!({"question": "Who?"}), "has no \"gold\""),
            (json!({"gold": ["a.txt"]}), "has no \"question\""),
        ] {
            let error = format!("{:#}", check(row).unwrap_err());
            assert!(error.contains(told) && error.contains("question 1 of"), "{error}");
        }
    }
}
