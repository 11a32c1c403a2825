//! `qa ask`, `qa test`, `qa tune`: how the library answers.

use super::changes::read_file;
use super::conditions;
use crate::cli::{Common, failure, print, write_json};
use crate::library::memory::{Conditions, Library};
use crate::library::senses::Senses;
use crate::library::testing::{self, Figures, Part, Ranked, TestQuestion, TestReport};
use crate::private;
use crate::progress::talk;
use crate::services::Services;
use crate::small_file;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use toml_edit::{DocumentMut, Item};

/// Most megabytes of questions from stdin.
const LONGEST_STDIN_MB: u64 = 64;

/// `qa ask --json`, one line a question.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct AskedLine {
    /// The question.
    question: String,
    /// Whether the first entry is sure enough to be given.
    answered: bool,
    /// The standard answer where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    /// The entries, surest first.
    ranked: Vec<Ranked>,
}

/// `qa tune --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct Tuned {
    /// Wanted percent of right answers.
    precision: f64,
    /// The threshold.
    accept: f64,
    /// Percent of paraphrases answered rightly there.
    recall: Option<f64>,
    /// Where it was written; absent with `--dry-run`.
    written_to: Option<String>,
}

/// The services of a measurement: where an embedding model is configured it is waited for, since what words alone find says
/// nothing of it.
async fn measured(common: &Common) -> Result<Services> {
    if common.config()?.embeddings.provider.is_none() { common.look().await } else { common.open().await }
}

async fn library(services: &Services) -> Result<Arc<Library>> {
    if let Some(reason) = &services.unusable_models {
        talk(&format!("compared by words alone: {reason}"));
    }
    match Library::open(services).await? {
        Some(library) => Ok(library),
        None => bail!("the library is empty; take entries in with `graphwright qa import FILE`"),
    }
}

pub(super) async fn ask(
    common: &Common,
    words: &[String],
    limit: usize,
    filters: &[String],
) -> Result<ExitCode> {
    let conditions = Conditions { filters: conditions(filters)?, ..Conditions::today() };
    let services = common.look().await?;
    let library = library(&services).await?;
    let one = |question: &str, senses: &Senses| {
        let config = &services.config.qa;
        let found = library.ask(question, &[], &conditions, (config, senses), limit.max(1));
        let sure = found.first().filter(|found| found.confidence >= config.accept);
        AskedLine {
            question: question.to_owned(),
            answered: sure.is_some(),
            answer: sure.and_then(|found| library.entry(found)).map(|entry| entry.answer.clone()),
            ranked: testing::ranked(&library, &found, config),
        }
    };
    if let [dash] = words
        && dash == "-"
    {
        let text = small_file::read_stdin(LONGEST_STDIN_MB).context("cannot read questions from stdin")?;
        let questions: Vec<&str> =
            text.lines().map(str::trim).filter(|question| !question.is_empty()).collect();
        let senses = Senses::of(&services, &library, &questions, &conditions).await?;
        for question in questions {
            write_json(&one(question, &senses))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let question = words.join(" ");
    let senses = Senses::of(&services, &library, &[&question], &conditions).await?;
    let asked = one(&question, &senses);
    if common.json {
        write_json(&asked)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(answer) = &asked.answer {
        print::line(&format!("{answer}\n"));
    }
    for ranked in &asked.ranked {
        let entry = library.by_key(&ranked.id);
        let question = entry.map(|entry| entry.question.as_str()).unwrap_or_default();
        print::line(&format!("{:>4.0} %  {}  {question}", 100.0 * ranked.confidence, ranked.id));
    }
    if asked.ranked.is_empty() {
        talk("nothing in the library is like it");
    }
    Ok(ExitCode::SUCCESS)
}

fn questions(files: &[PathBuf]) -> Result<Vec<TestQuestion>> {
    let mut questions = Vec::new();
    for file in files {
        let mut paths = vec![file.clone()];
        if file.is_dir() {
            let entries =
                std::fs::read_dir(file).with_context(|| format!("cannot read {}", file.display()))?;
            paths = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
            paths.sort();
        }
        for path in paths {
            questions.extend(testing::read(&read_file(&path)?, &path.display().to_string())?);
        }
    }
    if questions.is_empty() {
        bail!("no test question was found; docs/library.md says how a set of questions looks");
    }
    Ok(questions)
}

pub(super) async fn test(
    common: &Common,
    files: &[PathBuf],
    accept: Option<f64>,
    wrong: bool,
) -> Result<ExitCode> {
    if let Some(accept) = accept.filter(|accept| !(0.0..=1.0).contains(accept)) {
        return Err(failure::wrong(anyhow::anyhow!("--accept {accept}: it goes from 0 to 1")));
    }
    let questions = questions(files)?;
    let services = measured(common).await?;
    let library = library(&services).await?;
    let mut config = services.config.qa.clone();
    config.accept = accept.unwrap_or(config.accept);
    config.suggest = config.suggest.min(config.accept);
    let senses = testing::senses(&services, &library, &questions).await?;
    let report = testing::run(&library, &questions, (&config, &senses), "");
    if common.json {
        write_json(&report)?;
    } else {
        print_report(&report, wrong);
    }
    Ok(ExitCode::SUCCESS)
}

fn print_report(report: &TestReport, wrong: bool) {
    print::line(&format!("threshold {:.2}\n", report.accept));
    print::line(&format!(
        "{:<34}{:>9}{:>9}{:>10}{:>8}{:>8}{:>8}{:>7}",
        "", "questions", "answered", "precision", "recall", "first", "shown", "false"
    ));
    for figures in std::iter::once(&report.all).chain(&report.parts) {
        print::line(&row(figures));
    }
    if let Some(turns) = &report.turns {
        print::line(&format!(
            "\nturns right: {} of {} first, {} of {} later; {} of {} conversations in every turn",
            turns.first.1,
            turns.first.0,
            turns.later.1,
            turns.later.0,
            turns.conversations.1,
            turns.conversations.0
        ));
    }
    print::line("");
    for threshold in &report.thresholds {
        match (threshold.accept, threshold.recall) {
            (Some(accept), recall) => print::line(&format!(
                "precision {:.0} %: threshold {accept:.3}, recall {:.1} %",
                threshold.precision,
                recall.unwrap_or(0.0)
            )),
            (None, _) => {
                print::line(&format!("precision {:.0} %: no threshold gives it", threshold.precision));
            }
        }
    }
    if wrong {
        print::line("");
        for result in report.questions.iter().filter(|result| result.answered && !result.right) {
            let given = result.ranked.first().map(|first| first.id.as_str()).unwrap_or_default();
            let wanted = result.expect.as_deref().unwrap_or("none");
            let part = if result.part == Part::Paraphrase { "paraphrase" } else { "other" };
            print::line(&format!("{given} for {wanted} ({part} {}): {}", result.kind, result.question));
        }
    }
}

fn row(figures: &Figures) -> String {
    let percent = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}"));
    format!(
        "{:<34}{:>9}{:>9}{:>10}{:>8}{:>8}{:>8}{:>7}",
        figures.of,
        figures.questions,
        figures.answered,
        percent(figures.precision),
        percent(figures.recall),
        percent(figures.recall_at_1),
        percent(figures.recall_at_3),
        if figures.unanswerable == 0 {
            "-".to_owned()
        } else {
            format!("{}/{}", figures.false_answers, figures.unanswerable)
        }
    )
}

pub(super) async fn tune(
    common: &Common,
    files: &[PathBuf],
    precision: f64,
    dry_run: bool,
) -> Result<ExitCode> {
    if !(0.0..=100.0).contains(&precision) {
        return Err(failure::wrong(anyhow::anyhow!("--precision {precision}: it goes from 0 to 100")));
    }
    let questions = questions(files)?;
    let services = measured(common).await?;
    let library = library(&services).await?;
    let senses = testing::senses(&services, &library, &questions).await?;
    let report = testing::run(&library, &questions, (&services.config.qa, &senses), "");
    let single: Vec<_> = report.questions.iter().filter(|result| result.part != Part::Turn).collect();
    let threshold = testing::threshold(&single, precision);
    let Some(lowest) = threshold.accept else {
        bail!("no threshold answers {precision} % of these questions rightly; ask for less with --precision");
    };
    // rounded up: never more is answered than was measured
    let accept = (lowest * 1000.0 - 1e-9).ceil() / 1000.0;
    let written_to = if dry_run {
        None
    } else {
        let path = common.config_path().unwrap_or_else(|| PathBuf::from("graphwright.toml"));
        write_accept(&path, accept, services.config.qa.suggest)?;
        Some(path.display().to_string())
    };
    let tuned = Tuned { precision, accept, recall: threshold.recall, written_to };
    if common.json {
        write_json(&tuned)?;
        return Ok(ExitCode::SUCCESS);
    }
    print::line(&format!(
        "[qa] accept = {accept} answers {precision} % rightly, and {:.1} % of the paraphrases",
        tuned.recall.unwrap_or(0.0)
    ));
    if let Some(path) = &tuned.written_to {
        talk(&format!("written to {path}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Sets `accept` in `[qa]` of a configuration file; all else in it stays as it is.
fn write_accept(path: &Path, accept: f64, suggest: f64) -> Result<()> {
    let text = if path.exists() {
        small_file::read_text(path)
            .with_context(|| format!("cannot read configuration {}", path.display()))?
    } else {
        String::new()
    };
    let changed = with_accept(&text, accept, suggest)
        .with_context(|| format!("cannot set [qa] accept in {}", path.display()))?;
    crate::config::Config::parse(&changed).and_then(|config| config.check()).with_context(|| {
        format!("{} would not be right with it; set [qa] accept = {accept} by hand", path.display())
    })?;
    private::write(path, &changed).with_context(|| format!("cannot write {}", path.display()))
}

/// The text with `accept` in its table `qa`, however that is written: `[qa]`, `qa.accept`, `qa = {}`.
///
/// # Errors
/// No TOML; a `qa` that is no table.
fn with_accept(text: &str, accept: f64, suggest: f64) -> Result<String> {
    let mut document: DocumentMut = text.parse().context("it is no TOML")?;
    let table = document.entry("qa").or_insert_with(toml_edit::table);
    let Some(table) = table.as_table_like_mut() else { bail!("qa is no table; write it as [qa]") };
    let mut wanted = vec![("accept", accept)];
    if suggest > accept {
        wanted.push(("suggest", accept));
    }
    for (name, value) in wanted {
        let mut value = toml_edit::Value::from(value);
        // a comment behind the old value stays
        if let Some(old) = table.get(name).and_then(Item::as_value) {
            *value.decor_mut() = old.decor().clone();
        }
        table.insert(name, Item::Value(value));
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_set_and_all_else_stays() {
        let check = |text: &str, suggest: f64, wanted: &str| {
            assert_eq!(with_accept(text, 0.5, suggest).unwrap(), wanted, "{text}");
        };
        check("", 0.1, "[qa]\naccept = 0.5\n");
        check(
            "[llm]\nmodel = \"x\"\n\n[qa]\naccept = 0.7 # by hand\n[search]\n",
            0.1,
            "[llm]\nmodel = \"x\"\n\n[qa]\naccept = 0.5 # by hand\n[search]\n",
        );
        check("[qa]\nsuggest = 0.6\n", 0.6, "[qa]\nsuggest = 0.5\naccept = 0.5\n");
        // as `init` writes it, and however else a table may be written
        check(
            "[qa]   # the library\n# accept = 0.55\n",
            0.1,
            "[qa]   # the library\naccept = 0.5\n# accept = 0.55\n",
        );
        check("qa.stale = \"hold\"\n", 0.1, "qa.stale = \"hold\"\nqa.accept = 0.5\n");
        check("qa = { stale = \"hold\" }\n", 0.1, "qa = { stale = \"hold\" , accept = 0.5 }\n");
        assert!(with_accept("qa = 3\n", 0.5, 0.1).is_err());
    }
}
