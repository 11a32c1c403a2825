//! What a run of `index` or `sync` did, for people, and how the program ends after it.

use super::{Common, failure, ledger, write_json};
use crate::domain::{Counts, Stale};
use crate::index::run::{IndexReport, NearDuplicate};
use crate::progress::talk;
use anyhow::Result;
use std::process::ExitCode;

/// Tells what a run did. Returns how the program ends: 4 where something was passed over or failed, 130 where the run
/// was stopped.
pub(super) fn report_run(common: &Common, report: &IndexReport) -> Result<ExitCode> {
    if common.json {
        write_json(report)?;
    } else {
        print_summary(report);
    }
    Ok(exit_code(report))
}

/// 4 where something was passed over or failed, 130 where the run was stopped.
pub(super) fn exit_code(report: &IndexReport) -> ExitCode {
    if report.interrupted {
        ExitCode::from(failure::INTERRUPTED)
    } else if report.failed > 0 || report.stopped.is_some() || !report.problems.is_empty() {
        ExitCode::from(failure::SOME_FAILED)
    } else {
        ExitCode::SUCCESS
    }
}

/// Problems in the order in which they came up, equal ones once with how often: a hundred reports that cannot be written for
/// one reason have one.
pub(super) fn each_once(problems: &[String]) -> Vec<String> {
    let mut told: Vec<(&str, usize)> = Vec::new();
    for problem in problems {
        match told.iter_mut().find(|(known, _)| known == problem) {
            Some((_, count)) => *count += 1,
            None => told.push((problem, 1)),
        }
    }
    let with_count = |(problem, count): (&str, usize)| match count {
        1 => problem.to_owned(),
        _ => format!("{problem} ({count} times)"),
    };
    told.into_iter().map(with_count).collect()
}

/// Tells people what a run did.
pub(super) fn print_summary(report: &IndexReport) {
    if let Some(line) = without_text(report.pages_without_text, report.pages) {
        talk(&line);
    }
    for problem in each_once(&report.problems) {
        talk(&format!("warning: {problem}"));
    }
    if report.failed > 0 {
        talk(
            "note: text units that failed are tried again by the next index or sync; where replies could not be used, \
             index --retry-failed asks with a higher temperature",
        );
    }
    for line in notes(&report.notes) {
        talk(&line);
    }
    for line in alike(&report.near_duplicates) {
        talk(&line);
    }
    if let Some(trees) = &report.trees {
        talk(&format!(
            "summary trees: {} grown, {} kept; {} leaves, {} summaries ({} written)",
            trees.grown, trees.kept, trees.leaves, trees.summaries, trees.summaries_written
        ));
    }
    if let Some(facts) = &report.facts {
        talk(&format!(
            "atomic facts: {} documents read ({} chunks, {} facts), {} kept",
            facts.documents_read, facts.chunks_read, facts.facts, facts.documents_kept
        ));
    }
    let counts = &report.counts;
    talk(&format!(
        "documents: {} new, {} changed, {} unchanged, {} removed",
        report.documents_added,
        report.documents_changed,
        report.documents_unchanged,
        report.documents_removed
    ));
    let work = &report.work;
    let kept = match report.pending {
        0 => format!("{} kept", work.text_units_kept),
        pending => format!("{} kept, {pending} pending", work.text_units_kept),
    };
    talk(&format!(
        "done anew: {} text units read ({kept}), {} communities ({} kept), {} reports by the model, {} vectors",
        work.text_units_read,
        work.communities_added,
        work.communities_kept,
        work.reports_written,
        work.vectors_written
    ));
    if report.records > 0 || report.records_lost > 0 {
        let pruned = match report.records_pruned {
            0 => String::new(),
            pruned => format!(", {pruned} left out by the schema"),
        };
        talk(&format!("records: {} read, {} lost{pruned}", report.records, report.records_lost));
    }
    talk(&format!("stored: {}", stored(counts)));
    for line in ledger::lines(&report.ledger) {
        talk(&line);
    }
    if let Some(reason) = &report.stopped {
        talk(&format!("stopped: {reason}"));
    }
    tell_stale(&report.stale);
}

/// How many pages could not be read, where there are any: the first thing to know.
pub(super) fn without_text(without_text: u64, all: u64) -> Option<String> {
    let have = if without_text == 1 { "has no text and is" } else { "have no text and are" };
    (without_text > 0)
        .then(|| format!("{without_text} of {all} pages {have} not indexed; the warnings name them"))
}

/// What is stored, in words.
pub(super) fn stored(counts: &Counts) -> String {
    format!(
        "{} documents, {} text units, {} entities, {} relationships, {} claims, {} communities, {} reports",
        counts.documents,
        counts.text_units,
        counts.entities,
        counts.relationships,
        counts.claims,
        counts.communities,
        counts.reports
    )
}

/// What is worth knowing and no fault, as people read it: the first of many.
pub(super) fn notes(notes: &[String]) -> Vec<String> {
    const SHOWN: usize = 20;
    let mut lines: Vec<String> = notes.iter().take(SHOWN).map(|note| format!("note: {note}")).collect();
    if let Some(rest @ 1..) = notes.len().checked_sub(SHOWN) {
        lines.push(format!("note: {rest} more notes; --json has them"));
    }
    lines
}

/// Documents that say what others say, as people read it.
fn alike(found: &[NearDuplicate]) -> Vec<String> {
    const SHOWN: usize = 10;
    let line = |pair: &NearDuplicate| {
        let NearDuplicate { document, other, likeness, .. } = pair;
        if *likeness >= 1.0 {
            format!("note: {document} says the same as {other}; both are kept")
        } else {
            format!(
                "note: {document} says nearly the same as {other} ({:.0} %); both are kept",
                100.0 * likeness
            )
        }
    };
    let mut lines: Vec<String> = found.iter().take(SHOWN).map(line).collect();
    if let Some(rest @ 1..) = found.len().checked_sub(SHOWN) {
        lines.push(format!("note: {rest} more documents are like others; --json names them"));
    }
    lines
}

/// Tells people what prompts, models or settings have left behind.
pub(super) fn tell_stale(stale: &Stale) {
    if stale.documents > 0 {
        talk(&format!(
            "stale, read by an earlier version of their format's reader: {} documents; `graphwright index --refresh` \
             reads them again",
            stale.documents
        ));
    }
    if stale.text_units + stale.summaries + stale.reports > 0 {
        talk(&format!(
            "stale, made with another prompt, model or setting: {} text units, {} summaries, {} reports; \
             `graphwright index --refresh` makes them anew",
            stale.text_units, stale.summaries, stale.reports
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_problems_are_told_once() {
        let problems = ["no key", "gone.txt is empty", "no key"].map(str::to_owned);
        assert_eq!(each_once(&problems), ["no key (2 times)", "gone.txt is empty"]);
    }
}
