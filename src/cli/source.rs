//! `graphwright source`

use super::cited_files::CitedFiles;
use super::{Common, failure, print, project, write_json};
use crate::domain::{Absent, Id, Locator, SourceSentence, last_page_of, place_shown};
use crate::index::documents::{
    MarkedPage, PageWish, ReadOptions, SameText, SourceFile, file_of, holds_several, marked_pages, member_of,
};
use crate::index::pages::proof_of;
use crate::private;
use crate::progress::talk;
use crate::query::answer::headings::headings_at;
use crate::query::answer::printed::{self, Printed};
use crate::services;
use anyhow::{Context, Result, anyhow};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Number of a source of the last answer, or the id of a text unit
    #[arg(value_name = "NUMBER|ID")]
    source: String,
    /// Write the page of a PDF as PNG with the sentence marked; further pages get -2, -3 behind the name
    #[arg(short, long, value_name = "PAGE.png")]
    output: Option<PathBuf>,
    /// The file, where it no longer lies where it was indexed
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
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
    /// The page it ends on, where that is a later one.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_locator: Option<Locator>,
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
    /// The pages of a PDF on which the sentence stands, with boxes around it; empty for other formats, and where the file
    /// is not there or no longer says this.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pages: Vec<MarkedPage>,
    /// Why the pages of a PDF are not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages_problem: Option<String>,
}

/// A numbered source of the last answer.
#[derive(Debug, Serialize, Deserialize)]
struct KeptSource {
    number: usize,
    sentence: SourceSentence,
}

/// Keeps where the sources of an answer stand, so that they can be asked for by their numbers: in the data folder, which is
/// made where both stores are servers.
pub(super) fn keep(common: &Common, printed: &Printed) {
    let path = file(common);
    let kept: Vec<KeptSource> = printed::numbered_sentences(printed)
        .into_iter()
        .map(|(number, sentence)| KeptSource { number, sentence })
        .collect();
    if path.parent().is_some_and(|folder| private::create_dir_all(folder).is_ok())
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
        Ok(number) => Some(source_of_last_answer(common, number)?),
        Err(_) => None,
    };
    let id = cited
        .as_ref()
        .map_or_else(|| Id::from_stored(arguments.source.clone()), |cited| cited.text_unit_id.clone());
    let services = common.look().await?;
    let found = services.graph.passages_by_id(std::slice::from_ref(&id)).await?;
    let stored = found.into_iter().next().ok_or_else(|| {
        Absent(format!(
            "there is no text unit {id} any more; ask again, or see `graphwright query --json` for ids"
        ))
    })?;
    let unit = &stored.unit;
    let (start, end) = cited.map_or((unit.start_offset, unit.end_offset), |cited| (cited.start, cited.end));
    let start = start.max(unit.start_offset);
    let end = end.min(unit.end_offset).max(start);
    let part = |from: u64, to: u64| -> String {
        let skipped = usize::try_from(from.saturating_sub(unit.start_offset)).unwrap_or(usize::MAX);
        unit.text
            .chars()
            .skip(skipped)
            .take(usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX))
            .collect()
    };
    let sentence = part(start, end);
    // a text unit may hold several sections
    let headings = headings_at(&stored, start);
    let document = services.graph.documents_by_id(std::slice::from_ref(&unit.document_id)).await?;
    let document = document.into_iter().next();
    let by_words = SameText::Stretch(sentence.clone());
    let proof = match &document {
        Some(document) => proof_of(services.graph.as_ref(), document, by_words).await?,
        None => by_words,
    };
    let wanted = Wanted { span: start..end, proof, with_picture: arguments.output.is_some() };
    let pages = pages(common, arguments, &stored.document_key, wanted).await?;
    let (mut pages, pages_problem) = match pages {
        Ok(pages) => (pages, None),
        Err(problem) if arguments.output.is_some() || arguments.file.is_some() => {
            return Err(anyhow!("{problem}"));
        }
        Err(problem) => (Vec::new(), Some(problem)),
    };
    if let Some(output) = &arguments.output {
        write_pictures(output, &mut pages)?;
    }
    let source = Source {
        document: stored.document_key.clone(),
        title: stored.document_title.clone(),
        headings,
        locator: unit.locator_at(start).cloned(),
        last_locator: last_page_of(&unit.locators, start, end).cloned(),
        text_unit_id: unit.id.clone(),
        start,
        end,
        before: part(unit.start_offset, start),
        sentence,
        after: part(end, unit.end_offset),
        pages,
        pages_problem,
    };
    if common.json {
        write_json(&source)?;
    } else {
        let keys = [source.document.as_str()];
        let files = CitedFiles::read(&project::root()?, keys.into_iter(), &common.config()?.limits);
        show(&source, files.line_at(&source.document, source.start, &source.sentence));
    }
    Ok(ExitCode::SUCCESS)
}

/// The stretch of a document whose pages are wanted.
struct Wanted {
    span: Range<u64>,
    proof: SameText,
    with_picture: bool,
}

/// The pages of a PDF that hold a stretch; none for other formats. The inner error says in one sentence why they cannot be
/// shown.
async fn pages(
    common: &Common,
    arguments: &Arguments,
    key: &str,
    wanted: Wanted,
) -> Result<Result<Vec<MarkedPage>, String>> {
    let is_pdf = Path::new(key).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"));
    let needed = wanted.with_picture || arguments.file.is_some();
    if !is_pdf && !needed {
        return Ok(Ok(Vec::new()));
    }
    let path = match &arguments.file {
        Some(path) => path.clone(),
        None => project::root()?.join(file_of(key)),
    };
    if !path.is_file() {
        let problem = format!("{} is not there; name the file with --file to see its page", path.display());
        return Ok(Err(problem));
    }
    let options = ReadOptions::of(&common.config()?);
    // a file that is named is the document itself, or what holds it
    let is_unpacked = arguments.file.is_some() && !holds_several(&path);
    let within = if is_unpacked { member_of(key).map_or(key, |(_, member)| member) } else { key };
    let file = SourceFile { path: path.clone(), key: within.to_owned() };
    let wish = PageWish {
        span: wanted.span,
        proof: wanted.proof,
        pages: Vec::new(),
        with_picture: wanted.with_picture,
        longest_px: None,
    };
    let read = tokio::task::spawn_blocking(move || marked_pages(&file, wish, &options));
    let read = read.await.context("the reader ended")?;
    Ok(read.map(|shown| shown.pages).map_err(|problem| format!("{} {problem}", path.display())))
}

/// Writes the pictures of pages: the first under the name given, others with their place behind it.
fn write_pictures(output: &Path, pages: &mut [MarkedPage]) -> Result<()> {
    for (place, page) in pages.iter_mut().enumerate() {
        let Some(picture) = page.picture.take() else { continue };
        let path = if place == 0 { output.to_path_buf() } else { numbered(output, place + 1) };
        private::write_named(&path, &picture).with_context(|| format!("cannot write {}", path.display()))?;
        let label = if page.label.is_empty() { page.page.to_string() } else { page.label.clone() };
        talk(&format!("page {label} is in {}", path.display()));
    }
    Ok(())
}

/// `page.png` as `page-2.png`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

/// Bytes of the sources of an answer at most.
const LONGEST_SOURCES: u64 = 64 << 20;

fn source_of_last_answer(common: &Common, number: usize) -> Result<SourceSentence> {
    let path = file(common);
    let text = match private::read_text(&path, LONGEST_SOURCES) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(failure::wrong(anyhow!(
                "no answer is kept here; ask with `graphwright query` first, or give the id of a text unit"
            )));
        }
        read => read.with_context(|| format!("cannot read {}; remove it and ask again", path.display()))?,
    };
    let kept: Vec<KeptSource> =
        serde_json::from_str(&text).with_context(|| format!("{} is damaged; ask again", path.display()))?;
    let numbers: Vec<String> = kept.iter().map(|source| source.number.to_string()).collect();
    let found = kept.into_iter().find(|source| source.number == number);
    found.map(|source| source.sentence).ok_or_else(|| {
        let known = if numbers.is_empty() { "none".to_owned() } else { numbers.join(", ") };
        failure::wrong(anyhow!("the last answer has no source {number}; it has {known}"))
    })
}

/// Shows a citation; `line` is the one of its file that it begins on, where that is known.
fn show(source: &Source, line: Option<usize>) {
    let last = source.last_locator.as_ref();
    let at =
        source.locator.as_ref().map_or_else(String::new, |first| format!(", {}", place_shown(first, last)));
    let headings: String = source.headings.iter().flat_map(|heading| [" › ", heading.as_str()]).collect();
    let place = match line {
        Some(line) => format!("line {line}"),
        None => format!("characters {}–{}", source.start, source.end),
    };
    print::line(&format!("{}{at}{headings}, {place}", source.document));
    print::line("");
    let whole = source.before.is_empty() && source.after.is_empty();
    if whole {
        print::line(&source.sentence);
    } else {
        print::line(&format!("{}»{}«{}", source.before, source.sentence, source.after));
    }
    if let Some(problem) = &source.pages_problem {
        talk(&format!("its page cannot be shown: {problem}"));
    }
}
