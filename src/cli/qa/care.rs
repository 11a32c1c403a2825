//! `qa check`, `qa misses`, `qa record`, `qa forget`: what the library needs from people.

use super::entries::tell_stale;
use crate::cli::{Common, as_writer, failure, print, write_json};
use crate::domain::StaleCitation;
use crate::language::unbroken;
use crate::library::{asking, care, doubts, evidence, misses};
use crate::progress::talk;
use crate::services::Services;
use anyhow::Result;
use serde::Serialize;
use std::process::ExitCode;

/// `qa check --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct Checked {
    /// Entries that were looked at.
    entries: usize,
    /// Citations whose text was found again in another place.
    moved: usize,
    /// Entries whose text has changed or gone.
    stale: Vec<evidence::StaleEntry>,
    /// Ids of entries that do not hold any more, or not yet.
    out_of_date: Vec<String>,
    /// Follow-ups that lead to no entry, as `id -> id`.
    lost_follow_ups: Vec<String>,
    /// Entries that speak of something on which the documents contradict each other.
    doubts: Vec<doubts::EntryInDoubt>,
}

/// `qa misses --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct Misses {
    /// Groups of questions that ask the same, most asked first.
    groups: Vec<misses::MissedGroup>,
}

/// `qa forget --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct Forgotten {
    /// Questions that were forgotten.
    forgotten: u64,
}

pub(super) async fn check(common: &Common) -> Result<ExitCode> {
    let services = common.open_to_change().await?;
    let checked = as_writer(&services, care::check(&services)).await?;
    let doubts = doubts::doubts(&services).await?;
    let checked = Checked {
        entries: checked.entries,
        moved: checked.moved,
        stale: checked.stale,
        out_of_date: checked.out_of_date,
        lost_follow_ups: checked.lost_follow_ups,
        doubts,
    };
    let stale = !checked.stale.is_empty();
    if common.json {
        write_json(&checked)?;
    } else {
        let citations: Vec<StaleCitation> =
            checked.stale.iter().flat_map(|entry| entry.citations.iter().cloned()).collect();
        let gone = evidence::gone(&services, &citations).await?;
        for entry in &checked.stale {
            print::line(&format!("{}: {}", entry.key, entry.question));
            print::line(&format!("  answers: {}", unbroken(&entry.answer)));
            entry.citations.iter().for_each(|stale| tell_stale(stale, &gone));
        }
        for key in &checked.out_of_date {
            print::line(&format!("{key}: outside of its validity today"));
        }
        for lost in &checked.lost_follow_ups {
            print::line(&format!("{lost}: a follow-up that is no entry"));
        }
        checked.doubts.iter().for_each(tell_doubt);
        talk(&format!(
            "{} entries, {} stale, {} in doubt, {} citations found again elsewhere",
            checked.entries,
            checked.stale.len(),
            checked.doubts.len(),
            checked.moved
        ));
    }
    Ok(if stale { ExitCode::from(failure::SOME_FAILED) } else { ExitCode::SUCCESS })
}

/// What the documents say in two ways, both sentences with where they stand.
fn tell_doubt(doubt: &doubts::EntryInDoubt) {
    print::line(&format!("{}: {}", doubt.key, doubt.question));
    for found in &doubt.contradictions {
        print::line(&format!("  in doubt: {}, {}", found.entity, found.about));
        for said in [&found.earlier, &found.later] {
            let (text, document) = (unbroken(&said.source.text), &said.source.document);
            print::line(&format!("    {text} ({document})"));
        }
    }
    if doubt.more > 0 {
        print::line(&format!("  and {} more", doubt.more));
    }
}

/// After documents have changed: brings the library up to the graph and says which standard answers rest on text that is
/// not there any more.
pub(in crate::cli) async fn after_change(services: &Services) -> Result<()> {
    let stale = care::after_change(services).await?;
    if !stale.is_empty() {
        let keys: Vec<&str> = stale.iter().take(5).map(|entry| entry.key.as_str()).collect();
        let more = if stale.len() > keys.len() { ", …" } else { "" };
        talk(&format!(
            "warning: {} standard answers rest on text that has changed: {}{more}; `graphwright qa check` shows old and new",
            stale.len(),
            keys.join(", ")
        ));
    }
    Ok(())
}

/// After documents were removed: [`after_change`], and what a server keeps that rests on them goes with them.
pub(in crate::cli) async fn after_removal(common: &Common, services: &Services) -> Result<()> {
    after_change(services).await?;
    #[cfg(feature = "serve")]
    crate::serve::forget_kept(&common.data, services).await?;
    #[cfg(not(feature = "serve"))]
    let _ = common;
    Ok(())
}

pub(super) async fn misses(common: &Common, limit: usize) -> Result<ExitCode> {
    let services = common.look().await?;
    let (asked, answered) = misses::open_misses(&services).await?;
    let mut groups = misses::grouped(&asked);
    groups.truncate(limit);
    if common.json {
        write_json(&Misses { groups })?;
        return Ok(ExitCode::SUCCESS);
    }
    if answered > 0 {
        talk(&format!("{answered} questions that were noted are answered by now and are left out"));
    }
    if groups.is_empty() {
        talk(if services.config.qa.record {
            "nothing was asked that was not answered"
        } else {
            "nothing is noted; set record = true under [qa] to note what is asked and not answered"
        });
    }
    for group in &groups {
        print::line(&format!("{:>5}  {}", group.count, group.questions.first().map_or("", String::as_str)));
        for other in group.questions.iter().skip(1) {
            print::line(&format!("       {other}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn record(common: &Common, question: &str) -> Result<ExitCode> {
    let question = question.trim();
    if question.is_empty() {
        return Err(failure::wrong(anyhow::anyhow!("the question is empty; write it after `qa record`")));
    }
    let services = common.open_to_write().await?;
    let asked = asking::asked_today(question, "unanswered");
    as_writer(&services, async { Ok(services.graph.add_asked_questions(&[asked]).await?) }).await?;
    talk("noted");
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn forget(common: &Common, questions: &[String], all: bool) -> Result<ExitCode> {
    if questions.is_empty() && !all {
        return Err(failure::wrong(anyhow::anyhow!(
            "nothing to forget; name questions as `qa misses` shows them, or give --all"
        )));
    }
    let services = common.open_to_change().await?;
    let work = async {
        let questions = (!all).then_some(questions);
        Ok(services.graph.forget_asked_questions(questions).await?)
    };
    let forgotten = as_writer(&services, work).await?;
    if common.json {
        write_json(&Forgotten { forgotten })?;
    } else {
        talk(&format!("{forgotten} questions forgotten"));
    }
    Ok(ExitCode::SUCCESS)
}
