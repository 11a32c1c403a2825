//! `qa import`, `qa add`, `qa edit`, `qa retire`, `qa link`, `qa undo`: what changes the library.

use super::as_editor;
use super::{FieldArguments, sheets};
use crate::cli::{Common, failure, print, write_json};
use crate::domain::{EntrySource, EntryStatus, Id, LibraryEntry};
use crate::language::unbroken;
use crate::library::evidence;
use crate::library::keeping::{self, Hand};
use crate::library::tables::{self, FileFormat};
use crate::progress::talk;
use crate::services::Services;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// `qa import --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct Taken {
    /// Entries that are new.
    added: usize,
    /// Entries that differ from what was there.
    changed: usize,
    /// Entries that are as they were.
    unchanged: usize,
    /// What could not be taken, a sentence each.
    problems: Vec<String>,
}

/// `qa add --json`, and of all that change an entry.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct Changed {
    /// The entries as they are now.
    entries: Vec<LibraryEntry>,
}

/// The text that an answer rests on.
pub(super) struct Evidence<'a> {
    pub(super) unit: Option<&'a str>,
    pub(super) document: Option<&'a str>,
    pub(super) quote: Option<&'a str>,
}

fn status_of(name: &str) -> Result<EntryStatus> {
    EntryStatus::from_name(name).ok_or_else(|| {
        failure::wrong(anyhow::anyhow!("--status {name:?}: there are draft, approved and retired"))
    })
}

pub(super) async fn import(
    common: &Common,
    files: &[PathBuf],
    status: Option<&str>,
    author: &str,
) -> Result<ExitCode> {
    let status = status.map(status_of).transpose()?;
    let config = common.config()?;
    let texts = files
        .iter()
        .map(|file| {
            if sheets::is_sheet(file) {
                return Ok((file, FileFormat::Csv, sheets::as_csv(file, &config)?));
            }
            let form = FileFormat::of(file).map_err(failure::wrong)?;
            Ok((file, form, read_file(file)?))
        })
        .collect::<Result<Vec<_>>>()?;
    let services = common.open_to_write().await?;
    let work = async {
        let (mut entries, mut problems) = (Vec::new(), Vec::new());
        let mut without_status = BTreeSet::new();
        for (file, form, text) in texts {
            let reading = tables::read(&text, form, &services.ids);
            problems.extend(reading.problems.iter().map(|problem| format!("{}: {problem}", file.display())));
            if status.is_none() {
                without_status.extend(reading.without_status);
            }
            entries.extend(reading.entries);
        }
        for entry in &mut entries {
            entry.status = status.unwrap_or(entry.status);
        }
        let ids: Vec<Id> = entries.iter().map(|entry| entry.id.clone()).collect();
        let hand = Hand::now(author, "import");
        let done = keeping::import(&services, entries, &without_status, &hand).await?;
        tell_doubles(&services, &ids).await?;
        anyhow::Ok(Taken { added: done.added, changed: done.changed, unchanged: done.unchanged, problems })
    };
    let taken = as_editor(common, &services, work).await?;
    for problem in &taken.problems {
        talk(&format!("warning: {problem}"));
    }
    let none = taken.added + taken.changed + taken.unchanged == 0;
    let failed = !taken.problems.is_empty();
    if common.json {
        write_json(&taken)?;
    } else {
        talk(&format!(
            "{} entries are new, {} changed, {} are as they were",
            taken.added, taken.changed, taken.unchanged
        ));
    }
    if none && failed {
        bail!("no entry could be taken in; the warnings say why");
    }
    Ok(if failed { ExitCode::from(failure::SOME_FAILED) } else { ExitCode::SUCCESS })
}

/// Warns of phrasings that another entry has as well.
async fn tell_doubles(services: &Services, ids: &[Id]) -> Result<()> {
    for double in keeping::doubles(services, ids).await? {
        talk(&format!("warning: {double}"));
    }
    Ok(())
}

/// Bytes of a file of entries or test questions.
const LONGEST_FILE: u64 = 64 << 20;

/// The text of a file of entries or test questions.
pub(super) fn read_file(file: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file);
    opened
        .and_then(|opened| opened.take(LONGEST_FILE + 1).read_to_end(&mut bytes))
        .with_context(|| format!("cannot read {}", file.display()))?;
    if bytes.len() as u64 > LONGEST_FILE {
        bail!("{} is larger than {} MB; split it", file.display(), LONGEST_FILE >> 20);
    }
    String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8; save it as UTF-8", file.display()))
}

/// What fields of the command line say over an entry.
fn set(entry: &mut LibraryEntry, fields: &FieldArguments) -> Result<()> {
    let replace = |list: &mut Vec<String>, given: &[String]| {
        if !given.is_empty() {
            *list = given.to_vec();
        }
    };
    replace(&mut entry.variants, &fields.variant);
    replace(&mut entry.tags, &fields.tag);
    replace(&mut entry.terms, &fields.term);
    replace(&mut entry.follow_ups, &fields.follow_up);
    entry.sort_words();
    if let Some(language) = &fields.language {
        entry.language.clone_from(language);
    }
    if let Some(status) = &fields.status {
        entry.status = status_of(status)?;
    }
    for (slot, given, flag) in [
        (&mut entry.valid_from, &fields.valid_from, "--valid-from"),
        (&mut entry.valid_until, &fields.valid_until, "--valid-until"),
    ] {
        if let Some(day) = given {
            let parsed = chrono::NaiveDate::parse_from_str(day, "%Y-%m-%d");
            let day = parsed.map_err(|_wrong| {
                failure::wrong(anyhow::anyhow!("{flag} {day:?} is no day; write it as 2026-11-23"))
            })?;
            *slot = Some(day.format("%Y-%m-%d").to_string());
        }
    }
    for pair in &fields.metadata {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(failure::wrong(anyhow::anyhow!("--metadata {pair:?}: write key=value")));
        };
        entry.metadata.insert(key.trim().to_owned(), value.trim().to_owned());
    }
    tables::check(entry).map_err(|reason| failure::wrong(anyhow::anyhow!("no such entry can be: {reason}")))
}

pub(super) async fn add(
    common: &Common,
    (question, answer): (&str, &str),
    key: Option<&str>,
    fields: &FieldArguments,
    author: &str,
) -> Result<ExitCode> {
    let services = common.open_to_write().await?;
    let work = async {
        let mut row = serde_json::Map::new();
        row.insert("question".to_owned(), question.into());
        row.insert("answer".to_owned(), answer.into());
        row.extend(key.map(|key| ("id".to_owned(), key.into())));
        let text = serde_json::Value::Object(row).to_string();
        let reading = tables::read(&text, FileFormat::JsonLines, &services.ids);
        let Some(mut entry) = reading.entries.into_iter().next() else {
            let reason = reading.problems.join("; ");
            return Err(failure::wrong(anyhow::anyhow!("no entry could be made: {reason}")));
        };
        entry.source = EntrySource::Manual;
        author.clone_into(&mut entry.author);
        set(&mut entry, fields)?;
        if !services.graph.library_entries(std::slice::from_ref(&entry.id)).await?.is_empty() {
            bail!("the library has an entry {} already; change it with `graphwright qa edit {0}`", entry.key);
        }
        let id = [entry.id.clone()];
        keeping::save(&services, vec![(None, Some(entry))], &Hand::now(author, "add")).await?;
        tell_doubles(&services, &id).await?;
        current_entries(&services, &id).await
    };
    report_change(common, &as_editor(common, &services, work).await?, "added")
}

/// Entries as they are now.
async fn current_entries(services: &Services, ids: &[Id]) -> Result<Changed> {
    Ok(Changed { entries: services.graph.library_entries(ids).await? })
}

fn report_change(common: &Common, changed: &Changed, done: &str) -> Result<ExitCode> {
    if common.json {
        write_json(changed)?;
    } else {
        for entry in &changed.entries {
            print::line(&format!("{done} {}: {}", entry.key, entry.question));
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn edit(
    common: &Common,
    key: &str,
    (question, answer): (Option<&str>, Option<&str>),
    fields: &FieldArguments,
    author: &str,
) -> Result<ExitCode> {
    change(common, &[key.to_owned()], ("edit", "changed"), author, |entry| {
        if let Some(question) = question {
            question.trim().clone_into(&mut entry.question);
        }
        if let Some(answer) = answer {
            answer.trim().clone_into(&mut entry.answer);
        }
        if entry.question.is_empty() {
            return Err(failure::wrong(anyhow::anyhow!("--question is empty; an entry needs one")));
        }
        set(entry, fields)
    })
    .await
}

pub(super) async fn retire(common: &Common, keys: &[String], author: &str) -> Result<ExitCode> {
    change(common, keys, ("retire", "retired"), author, |entry| {
        entry.status = EntryStatus::Retired;
        Ok(())
    })
    .await
}

async fn change(
    common: &Common,
    keys: &[String],
    (action, done): (&str, &str),
    author: &str,
    make: impl Fn(&mut LibraryEntry) -> Result<()>,
) -> Result<ExitCode> {
    let services = common.open_to_change().await?;
    let work = async {
        let mut writes = Vec::new();
        for key in keys {
            let before = keeping::entry(&services, key).await?;
            let mut after = before.clone();
            make(&mut after)?;
            if after.answer != before.answer && after.citations == before.citations {
                // what is written anew rests on what the documents say now
                after.citations = evidence::renewed(&services, &before).await?.citations;
            }
            if !author.is_empty() {
                author.clone_into(&mut after.author);
            }
            if after != before {
                writes.push((Some(before), Some(after)));
            }
        }
        let ids: Vec<Id> = keys.iter().map(|key| services.ids.question(key)).collect();
        if !writes.is_empty() {
            keeping::save(&services, writes, &Hand::now(author, action)).await?;
            tell_doubles(&services, &ids).await?;
        }
        current_entries(&services, &ids).await
    };
    report_change(common, &as_editor(common, &services, work).await?, done)
}

/// What an entry is linked with, or no more.
pub(super) struct EntryLinks<'a> {
    pub(super) follow_ups: &'a [String],
    pub(super) evidence: Evidence<'a>,
    pub(super) remove: bool,
}

pub(super) async fn link(
    common: &Common,
    key: &str,
    links: &EntryLinks<'_>,
    author: &str,
) -> Result<ExitCode> {
    let EntryLinks { follow_ups, evidence, remove } = links;
    let services = common.open_to_change().await?;
    let work = async {
        let before = keeping::entry(&services, key).await?;
        let mut after = before.clone();
        if *remove {
            unlink(&mut after, follow_ups, evidence);
        } else {
            for follow_up in *follow_ups {
                keeping::entry(&services, follow_up).await?;
                if !after.follow_ups.contains(follow_up) {
                    after.follow_ups.push(follow_up.clone());
                }
            }
            let cited = match (evidence.unit, evidence.document) {
                (Some(unit), _) => {
                    let unit = Id::from_stored(unit);
                    Some(evidence::cite(&services, &unit, evidence.quote, &after.answer).await?)
                }
                (None, Some(document)) => {
                    let quote = evidence.quote.unwrap_or_default();
                    Some(evidence::cite_document(&services, document, quote).await?)
                }
                (None, None) => None,
            };
            if cited.is_none() && follow_ups.is_empty() {
                return Err(failure::wrong(anyhow::anyhow!(
                    "nothing to link; give --follow-up ID, --cites TEXT_UNIT, or --document KEY --quote TEXT"
                )));
            }
            after.citations.extend(cited.filter(|cited| !before.citations.contains(cited)));
        }
        let id = before.id.clone();
        if after != before {
            keeping::save(&services, vec![(Some(before), Some(after))], &Hand::now(author, "link")).await?;
        }
        current_entries(&services, &[id]).await
    };
    report_change(common, &as_editor(common, &services, work).await?, "linked")
}

/// Takes out what is named, or every citation where nothing is.
fn unlink(entry: &mut LibraryEntry, follow_ups: &[String], evidence: &Evidence<'_>) {
    entry.follow_ups.retain(|key| !follow_ups.contains(key));
    if evidence.unit.is_none() && evidence.document.is_none() && !follow_ups.is_empty() {
        return;
    }
    entry.citations.retain(|cited| {
        let named = evidence.unit.is_none_or(|unit| cited.text_unit.as_str() == unit)
            && evidence.document.is_none_or(|document| cited.document == document)
            && evidence.quote.is_none_or(|quote| unbroken(&cited.quote).contains(&unbroken(quote)));
        !named
    });
}

pub(super) async fn undo(common: &Common, sequence: Option<u64>, author: &str) -> Result<ExitCode> {
    let services = common.open_to_change().await?;
    let undone = as_editor(common, &services, keeping::undo(&services, sequence, author)).await?;
    for change in &undone {
        if common.json {
            write_json(change)?;
        } else {
            print::line(&format!("undone: {} {} ({})", change.action, change.key, change.at));
        }
    }
    Ok(ExitCode::SUCCESS)
}
