//! `graphwright eval`

use super::{Common, as_writer, failure, print, write_json};
use crate::eval::dataset::Dataset;
use crate::eval::run::{self, EvalRequest};
use crate::eval::{
    compare::{self, Difference},
    methods, sentiment, summary,
};
use crate::index::run::{self as index, IndexRequest};
use crate::progress::{Progress, talk};
use crate::query::Method;
use crate::services::{Access, Services};
use anyhow::{Result, bail};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Passages: a JSON list of {title, text}
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present_any = ["compare", "sentiment"],
        requires = "questions"
    )]
    corpus: Option<PathBuf>,
    /// Questions: a JSON list of question, answer, aliases, gold, supporting facts
    #[arg(long, value_name = "FILE", requires = "corpus")]
    questions: Option<PathBuf>,
    /// Replay an extraction that was done elsewhere
    #[arg(long, value_name = "FILE")]
    openie: Option<PathBuf>,
    /// What is measured: local, basic, global, drift, raptor, reader, bm25, dense, local-without-graph (-walk, -dense,
    /// -words, -subjects)
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
    let (Some(corpus), Some(questions)) = (&arguments.corpus, &arguments.questions) else {
        bail!("--corpus and --questions are needed");
    };
    let mut dataset = Dataset::read(corpus, questions).map_err(failure::wrong)?;
    dataset.questions.truncate(arguments.limit.unwrap_or(usize::MAX));
    let workspace = if common.workspace == "default" { "eval" } else { &common.workspace };
    let request = EvalRequest {
        methods: methods::parse(&arguments.methods).map_err(failure::wrong)?,
        ks: arguments.ks.clone(),
        answers: arguments.answers || arguments.rate || arguments.judge > 0,
        rate: arguments.rate,
        judge_repeats: arguments.judge,
        seed: arguments.seed,
        folder: arguments.out.clone().unwrap_or_else(|| common.data.join("eval").join(workspace)),
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
    let services = common.connect_to(workspace, config, Access::Write).await?;
    let progress = common.progress_until_interrupted();
    let build = build(&services, corpus, arguments.openie.as_deref(), &progress);
    let indexed = as_writer(&services, build).await?;
    if !indexed {
        return Ok(ExitCode::from(failure::INTERRUPTED));
    }
    let run = run::run(&services, &dataset, &request, &progress).await?;
    if common.json {
        write_json(&summary::to_json(&run))?;
    } else {
        print::line(summary::table(&run).trim_end());
        talk(&format!("rows and settings are in {}", request.folder.display()));
    }
    Ok(ExitCode::SUCCESS)
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
