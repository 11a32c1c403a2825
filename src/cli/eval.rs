//! `graphwright eval`

use super::{Common, as_writer, failure, print, write_json};
use crate::domain::Document;
use crate::eval::dataset::Dataset;
use crate::eval::run::{self, EvalRequest};
use crate::eval::{
    compare::{self, Difference},
    each, methods, sentiment, summary,
};
use crate::index::run::{self as index, IndexRequest};
use crate::private;
use crate::progress::{Progress, talk};
use crate::query::Method;
use crate::services::{Access, Services};
use anyhow::{Result, bail};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Documents that are read at once.
const PAGE: usize = 1_000;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Arguments {
    /// Passages: a JSON list of {title, text}, or a folder of documents; without it, what the workspace holds
    #[arg(long, value_name = "FILE|FOLDER", requires = "questions")]
    corpus: Option<PathBuf>,
    /// Questions: a JSON list of question, answer, aliases, gold, supporting facts, or a CSV or TSV with these columns
    #[arg(long, value_name = "FILE", required_unless_present_any = ["compare", "sentiment"])]
    questions: Option<PathBuf>,
    /// Also show each question: what was found and missed, and the answer
    #[arg(long, requires = "questions")]
    each: bool,
    /// Replay an extraction that was done elsewhere
    #[arg(long, value_name = "FILE")]
    openie: Option<PathBuf>,
    /// What is measured: local, basic, global, drift, raptor, reader, bm25, dense, local-rewritten, local-without-graph
    /// (-walk, -dense, -words, -subjects)
    #[arg(long, value_delimiter = ',', default_value = "local,basic,bm25")]
    methods: Vec<String>,
    /// Lengths of the lists that recall is measured at
    #[arg(long = "k", value_delimiter = ',', default_value = "2,5,8")]
    ks: Vec<usize>,
    /// Only the first so many questions
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Let the methods answer, and score the answers
    #[arg(long)]
    answers: bool,
    /// Let a model rate the answers, strictly and leniently
    #[arg(long)]
    rate: bool,
    /// Let a model judge each pair of methods, so many times in both orders
    #[arg(long, value_name = "TIMES", default_value_t = 0)]
    judge: usize,
    /// Seed of the significance tests
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Folder that keeps the run [default: eval/WORKSPACE in the folder of embedded data]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with the run in the folder
    #[arg(long)]
    resume: bool,
    /// Compare two runs by their folders
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["corpus", "questions", "resume"])]
    compare: Option<Vec<PathBuf>>,
    /// Score targeted sentiment instead, on JSON lines of id, language, text, target, label
    #[arg(long, value_name = "FILE", conflicts_with_all = ["corpus", "questions", "resume", "compare"])]
    sentiment: Option<PathBuf>,
}

/// Two runs beside each other.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Compared {
    /// Of every score that both have.
    differences: Vec<Difference>,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    if let Some([first, second]) = arguments.compare.as_deref() {
        return compared(common, first, second);
    }
    if let Some(items) = &arguments.sentiment {
        return score_sentiment(common, items);
    }
    let Some(questions) = &arguments.questions else { bail!("--questions is needed") };
    // a file of passages is looked at before anything is indexed
    let passages = match &arguments.corpus {
        Some(corpus) if !corpus.is_dir() => Some(Dataset::read(corpus, questions).map_err(failure::wrong)?),
        _ => None,
    };
    let is_own = arguments.corpus.is_none();
    let workspace = if common.workspace == "default" && !is_own { "eval" } else { &common.workspace };
    let own_folder = common.data.join("eval").join(workspace);
    if arguments.out.is_none() {
        private::refuse_links_between(&common.data, &own_folder)
            .map_err(|error| failure::wrong(error.into()))?;
    }
    let request = EvalRequest {
        methods: methods::parse(&arguments.methods).map_err(failure::wrong)?,
        ks: arguments.ks.clone(),
        context: false,
        // the questions are of a file that the user names
        by_model: false,
        answers: arguments.answers || arguments.rate || arguments.judge > 0,
        rate: arguments.rate,
        judge_repeats: arguments.judge,
        seed: arguments.seed,
        folder: arguments.out.clone().unwrap_or(own_folder),
        resume: arguments.resume,
    };
    let mut config = common.config()?;
    for measured in &request.methods {
        match measured.method {
            Some(Method::Raptor) => config.raptor.enabled = Some(true),
            Some(Method::Reader) => config.reader.enabled = Some(true),
            _ => {}
        }
    }
    let access = if is_own { Access::Read } else { Access::Write };
    let services = common.connect_to(workspace, config, access).await?;
    let progress = common.progress_until_interrupted();
    if let Some(corpus) = &arguments.corpus {
        let build = build(&services, corpus, arguments.openie.as_deref(), &progress);
        if !as_writer(&services, build).await? {
            return Ok(ExitCode::from(failure::INTERRUPTED));
        }
    }
    let mut dataset = if let Some(dataset) = passages {
        dataset
    } else {
        let documents = every_document(&services).await?;
        Dataset::of_documents(&documents, questions).map_err(failure::wrong)?
    };
    dataset.questions.truncate(arguments.limit.unwrap_or(usize::MAX));
    let run = run::run(&services, &dataset, &request, &progress).await?;
    let each = arguments.each.then(|| each::each(&run, &dataset));
    if common.json {
        let mut found = summary::to_json(&run);
        if let (Some(each), Some(found)) = (each, found.as_object_mut()) {
            found.insert("questions".to_owned(), serde_json::to_value(each)?);
        }
        write_json(&found)?;
    } else {
        if let Some(each) = each {
            print::line(&each::table(&each));
            if each.iter().all(|question| !question.is_scored()) {
                talk(
                    "no question names passages that hold its answer (a column or key `gold`), and no answers were \
                     asked for: nothing could be scored; add --answers, or the passages",
                );
            }
        }
        print::line(summary::table(&run).trim_end());
        talk(&format!("rows and settings are in {}", request.folder.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// The documents of the workspace, by key.
async fn every_document(services: &Services) -> Result<Vec<Document>> {
    let mut documents: Vec<Document> = Vec::new();
    loop {
        let after = documents.last().map(|last| last.key.clone());
        let page = services.graph.documents(after.as_deref(), PAGE).await?;
        if page.is_empty() {
            return Ok(documents);
        }
        documents.extend(page);
    }
}

/// Brings the workspace up to the corpus; false where it was stopped.
async fn build(
    services: &Services,
    corpus: &Path,
    openie: Option<&Path>,
    progress: &Progress,
) -> Result<bool> {
    let mut request = IndexRequest { openie: openie.map(Path::to_owned), ..IndexRequest::default() };
    // so that keys do not depend on where the file lies
    request.discover.sources = vec![("corpus".to_owned(), corpus.to_owned())];
    let report = index::index(services, &request, progress).await?;
    for problem in &report.problems {
        talk(&format!("warning: {problem}"));
    }
    Ok(!report.interrupted)
}

fn score_sentiment(common: &Common, items: &Path) -> Result<ExitCode> {
    let scores = sentiment::score(items).map_err(failure::wrong)?;
    if common.json {
        write_json(&scores)?;
    } else {
        print::line(sentiment::table(&scores).trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

fn compared(common: &Common, first: &Path, second: &Path) -> Result<ExitCode> {
    let (one, other) = (run::read(first)?, run::read(second)?);
    let differences = compare::compare(&one, &other)?;
    if common.json {
        write_json(&Compared { differences })?;
    } else {
        print::line(compare::table(&one, &other, &differences).trim_end());
    }
    Ok(ExitCode::SUCCESS)
}
