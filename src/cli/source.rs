//! `graphwright source`

use super::{Common, failure, print, write_json};
use crate::domain::{Id, Locator, SourceSentence};
use crate::private;
use crate::query::Answer;
use crate::query::answer::printed;
use crate::services;
use anyhow::{Context, Result, anyhow};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Number of a source of the last answer, or the id of a text unit
    #[arg(value_name = "NUMBER|ID")]
    source: String,
}

/// A citation in its surroundings.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Source {
    /// Key of the document.
    document: String,
    /// Title of the document.
    title: String,
    /// Headings above it, outermost first.
    headings: Vec<String>,
    /// Where in its file it begins, where the format has such places.
    #[serde(skip_serializing_if = "Option::is_none")]
    locator: Option<Locator>,
    /// The text unit.
    text_unit_id: Id,
    /// First character of the sentence in the document, in Unicode scalar values.
    start: u64,
    /// One behind its last.
    end: u64,
    /// The text unit up to the sentence.
    before: String,
    /// The sentence; the whole text unit where it was asked for by its id.
    sentence: String,
    /// The text unit behind it.
    after: String,
}

/// A numbered source of the last answer.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    number: usize,
    sentence: SourceSentence,
}

/// Keeps where the sources of an answer stand, so that they can be asked for by their numbers; where nothing is stored on
/// this machine, nothing is kept.
pub(super) fn keep(common: &Common, answer: &Answer) {
    let path = file(common);
    let kept: Vec<Kept> = (1..)
        .zip(printed::numbered_sentences(answer))
        .filter_map(|(number, sentence)| Some(Kept { number, sentence: sentence? }))
        .collect();
    if path.parent().is_some_and(std::path::Path::is_dir)
        && let Ok(text) = serde_json::to_string(&kept)
    {
        // an answer is none the worse for it
        let _ = private::write(&path, &text);
    }
}

fn file(common: &Common) -> PathBuf {
    services::file(&common.data, &common.workspace).with_extension("sources.json")
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let cited = match arguments.source.parse::<usize>() {
        Ok(number) => Some(kept(common, number)?),
        Err(_) => None,
    };
    let id = cited
        .as_ref()
        .map_or_else(|| Id::from_stored(arguments.source.clone()), |cited| cited.text_unit_id.clone());
    let services = common.look().await?;
    let found = services.graph.passages_by_id(std::slice::from_ref(&id)).await?;
    let stored = found.into_iter().next().ok_or_else(|| {
        anyhow!("there is no text unit {id} any more; ask again, or see `graphwright query --json` for ids")
    })?;
    let unit = stored.unit;
    let (start, end) = cited.map_or((unit.start_offset, unit.end_offset), |cited| (cited.start, cited.end));
    let (start, end) = (start.max(unit.start_offset), end.min(unit.end_offset));
    let part = |from: u64, to: u64| -> String {
        let skipped = usize::try_from(from - unit.start_offset).unwrap_or(usize::MAX);
        unit.text
            .chars()
            .skip(skipped)
            .take(usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX))
            .collect()
    };
    let source = Source {
        document: stored.document_key,
        title: stored.document_title,
        headings: unit.headings.clone(),
        locator: unit.locator_at(start).cloned(),
        text_unit_id: unit.id.clone(),
        start,
        end,
        before: part(unit.start_offset, start),
        sentence: part(start, end),
        after: part(end, unit.end_offset),
    };
    if common.json {
        write_json(&source)?;
    } else {
        show(&source);
    }
    Ok(ExitCode::SUCCESS)
}

fn kept(common: &Common, number: usize) -> Result<SourceSentence> {
    let path = file(common);
    let Ok(text) = std::fs::read_to_string(&path) else {
        return Err(failure::wrong(anyhow!(
            "no answer is kept here; ask with `graphwright query` first, or give the id of a text unit"
        )));
    };
    let kept: Vec<Kept> =
        serde_json::from_str(&text).with_context(|| format!("{} is damaged; ask again", path.display()))?;
    let numbers: Vec<String> = kept.iter().map(|source| source.number.to_string()).collect();
    let found = kept.into_iter().find(|source| source.number == number);
    found.map(|source| source.sentence).ok_or_else(|| {
        failure::wrong(anyhow!("the last answer has no source {number}; it has {}", numbers.join(", ")))
    })
}

fn show(source: &Source) {
    let at = source.locator.as_ref().map_or_else(String::new, |locator| format!(", {locator}"));
    let headings: String = source.headings.iter().flat_map(|heading| [" › ", heading.as_str()]).collect();
    print::line(&format!("{}{at}{headings}, characters {}–{}", source.document, source.start, source.end));
    print::line("");
    let whole = source.before.is_empty() && source.after.is_empty();
    if whole {
        print::line(&source.sentence);
    } else {
        print::line(&format!("{}»{}«{}", source.before, source.sentence, source.after));
    }
}
