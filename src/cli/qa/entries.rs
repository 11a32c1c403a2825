//! `qa list`, `qa show`, `qa export`, `qa history`: what is there.

use super::{conditions, sheets};
use crate::cli::{Common, print, write_json, write_json_rows};
use crate::domain::{Entity, EntryStatus, LibraryChange, LibraryEntry, StaleCitation};
use crate::language::unbroken;
use crate::library::memory::{Conditions, Library, meets};
use crate::library::tables::{self, FileFormat};
use crate::library::{evidence, keeping};
use crate::private;
use crate::progress::talk;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

/// `qa list --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct Listed {
    /// The entries, by id.
    entries: Vec<LibraryEntry>,
}

/// `qa show --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct Shown {
    /// The entry.
    entry: LibraryEntry,
    /// Names of the entities that it is about.
    entities: Vec<String>,
    /// Ids of the entries that may be asked next.
    next: Vec<String>,
    /// What it rests on and is not said any more.
    stale: Vec<StaleCitation>,
    /// What was changed in it.
    history: Vec<LibraryChange>,
}

async fn chosen(common: &Common, filters: &[String]) -> Result<Vec<LibraryEntry>> {
    let filters = conditions(filters)?;
    let services = common.look().await?;
    let mut entries = services.graph.library().await?;
    entries.retain(|entry| filters.iter().all(|(key, value)| meets(entry, key, value)));
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(entries)
}

pub(super) async fn list(common: &Common, filters: &[String]) -> Result<ExitCode> {
    let entries = chosen(common, filters).await?;
    if common.json {
        write_json(&Listed { entries })?;
        return Ok(ExitCode::SUCCESS);
    }
    if entries.is_empty() && !filters.is_empty() {
        talk(&format!("no entry meets --filter {}", filters.join(" --filter ")));
    } else if entries.is_empty() {
        talk(
            "no entry; take some in with `graphwright qa import FILE`, or write one with `graphwright qa add`",
        );
    }
    let width = entries.iter().map(|entry| entry.key.chars().count()).max().unwrap_or(0);
    for entry in &entries {
        print::line(&format!("{:width$}  {}  [{}]", entry.key, entry.question, marks(entry)));
    }
    Ok(ExitCode::SUCCESS)
}

/// What a list says of an entry beside its question: its language and tags, and what keeps it from being given.
fn marks(entry: &LibraryEntry) -> String {
    let status = (entry.status != EntryStatus::Approved).then(|| entry.status.as_str().to_owned());
    let stale = (!entry.stale.is_empty()).then(|| "stale".to_owned());
    let tags = (!entry.tags.is_empty()).then(|| entry.tags.join(", "));
    let language = Some(entry.language.clone()).filter(|language| !language.is_empty());
    [language, tags, status, stale].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

pub(super) async fn export(common: &Common, file: Option<&Path>, filters: &[String]) -> Result<ExitCode> {
    let as_sheet = file.is_some_and(sheets::is_written);
    let form = match file {
        Some(_) if as_sheet => Ok(FileFormat::Csv),
        Some(file) => FileFormat::of(file),
        None => Ok(FileFormat::JsonLines),
    };
    let form = form.map_err(crate::cli::failure::wrong)?;
    let entries = chosen(common, filters).await?;
    let text = tables::write(&entries, form)?;
    match file {
        None => {
            for line in text.lines() {
                print::raw(line);
            }
        }
        Some(file) => {
            let bytes = if as_sheet { sheets::of_csv(&text)? } else { text.into_bytes() };
            private::write_named(file, &bytes).with_context(|| format!("cannot write {}", file.display()))?;
            talk(&format!("{} entries written to {}", entries.len(), file.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn show(common: &Common, key: &str) -> Result<ExitCode> {
    let services = common.look().await?;
    let entry = keeping::entry(&services, key).await?;
    let entities = services.graph.entities_by_id(&entry.about).await?;
    let entities: Vec<String> = entities.into_iter().map(|entity: Entity| entity.name).collect();
    let (stale, _) =
        evidence::check(&services, services.graph.as_ref(), std::slice::from_ref(&entry)).await?;
    let stale = stale.into_iter().flat_map(|entry| entry.citations).collect();
    let history = services.graph.library_changes(Some(key)).await?;
    let library = Library::open(&services).await?;
    let next: Vec<String> = library
        .iter()
        .flat_map(|library| {
            let place = library.entries.iter().position(|other| other.id == entry.id);
            let next = place.map(|place| library.related(place, &[], &Conditions::default(), 5));
            next.into_iter().flatten().map(|entry| entry.key.clone()).collect::<Vec<_>>()
        })
        .collect();
    let shown = Shown { entry, entities, next, stale, history };
    if common.json {
        write_json(&shown)?;
    } else {
        print_entry(&shown, &evidence::gone(&services, &shown.stale).await?);
    }
    Ok(ExitCode::SUCCESS)
}

fn print_entry(shown: &Shown, gone: &BTreeSet<String>) {
    let entry = &shown.entry;
    print::line(&entry.question);
    for variant in &entry.variants {
        print::line(&format!("  or: {variant}"));
    }
    print::line(&format!("\n{}\n", entry.answer));
    let field = |name: &str, value: &str| {
        if !value.is_empty() {
            print::line(&format!("{name}: {value}"));
        }
    };
    field("id", &entry.key);
    let (status, source) = (entry.status.as_str(), entry.source.as_str());
    field("status", &format!("{status}, {source}, language {}", entry.language));
    field("author", &entry.author);
    field("tags", &entry.tags.join(", "));
    field("terms", &entry.terms.join(", "));
    field("about", &shown.entities.join(", "));
    field("follow-ups", &entry.follow_ups.join(", "));
    field("may come next", &shown.next.join(", "));
    field("valid from", entry.valid_from.as_deref().unwrap_or_default());
    field("valid until", entry.valid_until.as_deref().unwrap_or_default());
    for (key, value) in &entry.metadata {
        field(key, value);
    }
    for cited in &entry.citations {
        print::line(&format!("rests on {}: {}", cited.document, unbroken(&cited.quote)));
    }
    for stale in &shown.stale {
        tell_stale(stale, gone);
    }
    for change in &shown.history {
        tell_change(change);
    }
}

/// What an answer rests on, and what stands there now; `gone` are documents that are not there any more.
pub(super) fn tell_stale(stale: &StaleCitation, gone: &BTreeSet<String>) {
    print::line(&format!("  {} said: {}", stale.document, unbroken(&stale.was)));
    match &stale.now {
        Some(now) => print::line(&format!("  and says now: {}", unbroken(now))),
        None if gone.contains(&stale.document) => print::line("  and is not there any more"),
        None => print::line("  and says nothing like it now"),
    }
}

fn tell_change(change: &LibraryChange) {
    let author = if change.author.is_empty() { String::new() } else { format!(" by {}", change.author) };
    print::line(&format!("{:>5}  {}  {} {}{author}", change.sequence, change.at, change.action, change.key));
}

pub(super) async fn history(common: &Common, key: Option<&str>) -> Result<ExitCode> {
    let services = common.look().await?;
    let changes = services.graph.library_changes(key).await?;
    if common.json {
        write_json_rows(&changes)?;
        return Ok(ExitCode::SUCCESS);
    }
    if changes.is_empty() {
        talk("no change");
    }
    changes.iter().for_each(tell_change);
    Ok(ExitCode::SUCCESS)
}
