//! `graphwright doctor` and `graphwright sync-vectors`

use super::{Common, as_writer, failure, print, write_json};
use crate::domain::Id;
use crate::index::doctor::{self, Diagnosis};
use crate::private;
use crate::progress::talk;
use anyhow::Result;
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;

/// Files and folders of the data folder whose modes are looked at.
const MOST_ENTRIES: usize = 10_000;
/// Those that are named where others may read them.
const MOST_NAMED: usize = 20;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Mend what is found: make it anew from the records, remove orphans, bring the vectors up to the graph
    #[arg(long)]
    fix: bool,
}

/// What an examination found, and what was mended.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Report {
    /// Whether no check finds anything now.
    sound: bool,
    /// What was found before it was mended.
    #[serde(skip_serializing_if = "Option::is_none")]
    mended: Option<Diagnosis>,
    #[serde(flatten)]
    diagnosis: Diagnosis,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let (mended, diagnosis) = if arguments.fix {
        let services = common.open_to_change().await?;
        let progress = common.progress_until_interrupted();
        let (before, after) = as_writer(&services, doctor::fix(&services, &progress)).await?;
        (Some(before), after)
    } else {
        (None, doctor::examine(&common.look().await?, &common.progress()).await?)
    };
    let report = Report { sound: diagnosis.is_sound(), mended, diagnosis };
    if common.json {
        write_json(&report)?;
    } else {
        print_report(&report);
    }
    if common.data.is_dir() {
        for warning in open_warnings(&common.data)? {
            talk(&warning);
        }
    }
    Ok(if report.sound { ExitCode::SUCCESS } else { ExitCode::from(failure::SOME_FAILED) })
}

/// What lies in the data folder is documents, and a lock: others should neither read the one nor hold the other.
fn open_warnings(data: &Path) -> Result<Vec<String>> {
    let open = private::open_to_others(data, MOST_ENTRIES)?;
    let shown = open.entries.iter().take(MOST_NAMED).map(|(path, mode)| {
        let wanted = if path.is_dir() { 700 } else { 600 };
        format!(
            "warning: other users may read or write {} (mode {mode:o}); `chmod {wanted}` closes it",
            path.display()
        )
    });
    let mut warnings: Vec<String> = shown.collect();
    if let Some(rest) = open.entries.len().checked_sub(MOST_NAMED).filter(|rest| *rest > 0) {
        warnings.push(format!("warning: and {rest} more; `chmod -R go= {}` closes all", data.display()));
    }
    if open.has_more {
        warnings.push(format!(
            "warning: {} holds more than {MOST_ENTRIES} entries; whether others may read those behind is not known",
            data.display()
        ));
    }
    Ok(warnings)
}

fn print_report(report: &Report) {
    if let Some(before) = &report.mended {
        for finding in before.findings.iter().filter(|finding| finding.found > 0) {
            print::line(&format!("mended   {:32} {}", finding.check, finding.found));
        }
    }
    for finding in report.diagnosis.findings.iter().filter(|finding| finding.found > 0) {
        let examples: Vec<&str> = finding.examples.iter().map(Id::as_str).collect();
        print::line(&format!("damaged  {:32} {}  {}", finding.check, finding.found, examples.join(" ")));
    }
    let waiting = &report.diagnosis.waiting;
    for (what, waits) in [
        ("text units wait to be read or linked", waiting.text_units),
        ("sums wait to be made", waiting.sums),
        ("the last run is unfinished: communities and reports wait to be made", waiting.communities),
        ("vectors wait to be made or removed", waiting.vectors),
    ] {
        if waits {
            print::line(&format!("waiting  {what}; the next run does that"));
        }
    }
    let checks = report.diagnosis.findings.len();
    match (report.sound, report.mended.is_some()) {
        (true, _) => talk(&format!("{checks} checks, all sound")),
        (false, false) => talk("hint: `graphwright doctor --fix` mends it"),
        (false, true) => {
            talk("hint: what is left needs the documents: run `graphwright sync` or `index --refresh`");
        }
    }
}

/// What was done to vectors.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Synced {
    /// Vectors that were made.
    vectors_written: u64,
    /// Vectors that were removed.
    vectors_removed: u64,
}

/// `graphwright sync-vectors`: the vector store brought up to the graph, after edits by hand or the loss of a store.
pub(super) async fn sync_vectors(common: &Common) -> Result<ExitCode> {
    let services = common.open_to_change().await?;
    let progress = common.progress_until_interrupted();
    let (written, removed) = as_writer(&services, doctor::sync_vectors(&services, &progress)).await?;
    if common.json {
        write_json(&Synced { vectors_written: written, vectors_removed: removed })?;
    } else {
        talk(&format!("{written} vectors made, {removed} removed"));
    }
    Ok(if progress.stop_requested() { ExitCode::from(failure::INTERRUPTED) } else { ExitCode::SUCCESS })
}
