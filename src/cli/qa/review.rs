//! `qa generate` and `qa review`: drafts come in, and people decide.

use super::as_editor;
use super::entries::tell_stale;
use crate::cli::{Common, failure, print, write_json};
use crate::domain::{EntrySource, EntryStatus, LibraryEntry};
use crate::language::unbroken;
use crate::library::drafting::{self, Decision};
use crate::library::evidence::StaleEntry;
use crate::library::keeping::{self, Hand};
use crate::library::matching::{Matcher, numbers};
use crate::library::{evidence, misses, tables};
use crate::private;
use crate::progress::talk;
use crate::services::{Access, Services};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::io::BufRead;
use std::process::{Command, ExitCode};

/// What drafts are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum DraftFrom {
    /// What was asked and not answered
    Asked,
    /// Reports of communities
    Reports,
    /// Text units that no answer rests on
    TextUnits,
}

/// What waits for somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ReviewQueue {
    /// Drafts
    Drafts,
    /// What was asked and not answered
    Misses,
    /// Answers whose text has changed
    Stale,
}

pub(super) async fn generate(
    common: &Common,
    limit: usize,
    from: &[DraftFrom],
    max_cost: Option<f64>,
    author: &str,
) -> Result<ExitCode> {
    let mut config = common.config()?;
    config.budget.max_cost = max_cost.or(config.budget.max_cost);
    config.check().map_err(failure::wrong)?;
    let wants = |one: DraftFrom| from.is_empty() || from.contains(&one);
    let from = drafting::DraftSources {
        asked: wants(DraftFrom::Asked),
        reports: wants(DraftFrom::Reports),
        text_units: wants(DraftFrom::TextUnits),
    };
    let services = common.connect(config, Access::Write).await?;
    let progress = common.progress();
    let work = drafting::draft(&services, from, limit, author, &progress);
    let drafted = as_editor(common, &services, work).await;
    services.keep_ledger().await;
    let drafted = drafted?;
    if common.json {
        write_json(&drafted)?;
        return Ok(ExitCode::SUCCESS);
    }
    for entry in &drafted.drafts {
        print::line(&format!("{}  {}", entry.key, entry.question));
    }
    talk(&format!(
        "{} drafts from {} calls; {} were left out because the documents do not say what they say, {} because the library \
         asks the same; look at them with `graphwright qa review`",
        drafted.drafts.len(),
        drafted.calls,
        drafted.unfounded,
        drafted.known
    ));
    if let Some(reason) = &drafted.stopped {
        talk(&format!("stopped early: {reason}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// What somebody wants with what they see.
enum ReviewChoice {
    Approve,
    Edit,
    Reject,
    Merge(String),
    Skip,
    Quit,
}

pub(super) async fn run(common: &Common, only: &[ReviewQueue], author: &str) -> Result<ExitCode> {
    let wants = |one: ReviewQueue| only.is_empty() || only.contains(&one);
    let services = common.look().await?;
    let mut entries = services.graph.library().await?;
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    let drafts: Vec<&LibraryEntry> = entries
        .iter()
        .filter(|entry| entry.status == EntryStatus::Draft && wants(ReviewQueue::Drafts))
        .collect();
    let misses = if wants(ReviewQueue::Misses) {
        misses::grouped(&misses::open_misses(&services).await?.0)
    } else {
        Vec::new()
    };
    let approved: Vec<LibraryEntry> =
        entries.iter().filter(|entry| entry.status == EntryStatus::Approved).cloned().collect();
    let stale = if wants(ReviewQueue::Stale) {
        evidence::check(&services, services.graph.as_ref(), &approved).await?.0
    } else {
        Vec::new()
    };
    let all = drafts.len() + misses.len() + stale.len();
    if all == 0 {
        talk("nothing waits: no drafts, no unanswered questions, no stale answers");
        return Ok(ExitCode::SUCCESS);
    }
    talk(&format!(
        "{} drafts, {} groups of unanswered questions, {} stale answers; each decision is kept at once, so stop when you like",
        drafts.len(),
        misses.len(),
        stale.len()
    ));
    let mut place = 0;
    for entry in drafts {
        place += 1;
        if !draft(common, entry, (place, all), author).await? {
            return Ok(ExitCode::SUCCESS);
        }
    }
    for group in &misses {
        place += 1;
        if !missed(common, group, (place, all), author).await? {
            return Ok(ExitCode::SUCCESS);
        }
    }
    for entry in &stale {
        place += 1;
        let gone = evidence::gone(&services, &entry.citations).await?;
        if !outdated(common, entry, &gone, (place, all), author).await? {
            return Ok(ExitCode::SUCCESS);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A draft; false where somebody wants to stop.
async fn draft(
    common: &Common,
    entry: &LibraryEntry,
    (place, all): (usize, usize),
    author: &str,
) -> Result<bool> {
    print::line(&format!(
        "\n[{place} of {all}] draft {}\n  {}\n  {}",
        entry.key,
        entry.question,
        unbroken(&entry.answer)
    ));
    for variant in &entry.variants {
        print::line(&format!("  also: {}", unbroken(variant)));
    }
    for cited in &entry.citations {
        print::line(&format!("  rests on {}: {}", cited.document, unbroken(&cited.quote)));
    }
    loop {
        let decision = match ask("approve, edit, reject, merge ID, skip, quit")? {
            ReviewChoice::Quit => return Ok(false),
            ReviewChoice::Skip => return Ok(true),
            ReviewChoice::Approve if entry.answer.trim().is_empty() => {
                talk("it has no answer; write one with \"edit\"");
                continue;
            }
            ReviewChoice::Approve => Decision::Approve,
            ReviewChoice::Reject => Decision::Reject,
            ReviewChoice::Merge(into) => Decision::Merge(into),
            ReviewChoice::Edit => match edited(common, &entry.question, &entry.answer)? {
                Some((question, answer)) => Decision::Edit(question, answer),
                None => continue,
            },
        };
        let services = common.open_to_change().await?;
        let work = drafting::decide(&services, &entry.key, decision, author);
        if done(as_editor(common, &services, work).await) {
            return Ok(true);
        }
    }
}

/// Questions that nothing answered; false where somebody wants to stop.
async fn missed(
    common: &Common,
    group: &misses::MissedGroup,
    (place, all): (usize, usize),
    author: &str,
) -> Result<bool> {
    let Some(question) = group.questions.first() else { return Ok(true) };
    print::line(&format!(
        "\n[{place} of {all}] asked {} times, last on {}\n  {question}",
        group.count, group.last
    ));
    for other in group.questions.iter().skip(1) {
        print::line(&format!("  also: {}", unbroken(other)));
    }
    loop {
        let choice = ask("edit (write its answer), merge ID, reject (forget it), skip, quit")?;
        let entry = match &choice {
            ReviewChoice::Quit => return Ok(false),
            ReviewChoice::Skip => return Ok(true),
            ReviewChoice::Approve => {
                talk("nothing answers it yet; write an answer with \"edit\"");
                continue;
            }
            ReviewChoice::Reject | ReviewChoice::Merge(_) => None,
            ReviewChoice::Edit => match edited(common, question, "")? {
                Some(texts) => Some(texts),
                None => continue,
            },
        };
        let services = common.open_to_change().await?;
        let work = async {
            let mut settled = vec![question.clone()];
            if matches!(choice, ReviewChoice::Reject) {
                settled.clone_from(&group.questions);
            }
            if let ReviewChoice::Merge(into) = &choice {
                let before = keeping::entry(&services, into).await?;
                let mut after = before.clone();
                if after.phrasings().all(|known| known != question) {
                    after.variants.push(question.clone());
                }
                settled.extend(others(&after, group, &services));
                after.variants.extend(settled.iter().skip(1).cloned());
                keeping::save(&services, vec![(Some(before), Some(after))], &Hand::now(author, "merge"))
                    .await?;
            }
            if let Some((question, answer)) = entry {
                let key = tables::key_of(&question);
                let mut entry = LibraryEntry {
                    id: services.ids.question(&key),
                    language: tables::language_tag(&question).to_owned(),
                    source: EntrySource::Asked,
                    author: author.to_owned(),
                    key,
                    question,
                    answer,
                    ..LibraryEntry::default()
                };
                settled.extend(others(&entry, group, &services));
                entry.variants = settled.iter().filter(|asked| **asked != entry.question).cloned().collect();
                let before = services.graph.library_entries(std::slice::from_ref(&entry.id)).await?;
                let before = before.into_iter().next();
                keeping::save(&services, vec![(before, Some(entry))], &Hand::now(author, "add")).await?;
            }
            services.graph.forget_asked_questions(Some(&settled)).await?;
            let left = group.questions.len().saturating_sub(settled.len());
            if left > 0 {
                talk(&format!(
                    "{left} of these questions may ask something else; they stay for the next review"
                ));
            }
            Ok(())
        };
        if done(as_editor(common, &services, work).await) {
            return Ok(true);
        }
    }
}

/// The questions of a group, without its first, that an entry answers as surely as one that is given: only these
/// become its variants unasked.
fn others(entry: &LibraryEntry, group: &misses::MissedGroup, services: &Services) -> Vec<String> {
    let matcher = Matcher::new(std::slice::from_ref(entry));
    let sure = |asked: &&String| {
        let found = matcher.matches(asked, &[], &|_| true, 1);
        found.first().is_some_and(|found| found.confidence >= services.config.qa.accept)
            || entry.phrasings().any(|known| keeping::flat(known) == keeping::flat(asked))
    };
    let others =
        group.questions.iter().skip(1).filter(|asked| entry.phrasings().all(|known| known != *asked));
    others.filter(sure).cloned().collect()
}

/// An answer whose text has changed; false where somebody wants to stop.
async fn outdated(
    common: &Common,
    stale: &StaleEntry,
    gone: &BTreeSet<String>,
    (place, all): (usize, usize),
    author: &str,
) -> Result<bool> {
    print::line(&format!(
        "\n[{place} of {all}] stale {}\n  {}\n  {}",
        stale.key,
        stale.question,
        unbroken(&stale.answer)
    ));
    stale.citations.iter().for_each(|cited| tell_stale(cited, gone));
    loop {
        let choice = ask("approve (it still holds), edit, reject (retire it), skip, quit")?;
        let texts = match &choice {
            ReviewChoice::Quit => return Ok(false),
            ReviewChoice::Skip => return Ok(true),
            ReviewChoice::Merge(_) => {
                talk("a stale answer is approved, edited or retired");
                continue;
            }
            ReviewChoice::Edit => match edited(common, &stale.question, &stale.answer)? {
                Some((_, answer)) if answer.trim() == stale.answer.trim() => {
                    talk("the answer was not changed; \"approve\" says that it still holds");
                    continue;
                }
                Some(texts) => Some(texts),
                None => continue,
            },
            ReviewChoice::Approve | ReviewChoice::Reject => None,
        };
        if matches!(choice, ReviewChoice::Approve) && says_what_is_gone(stale) {
            talk("the answer says a number that the text does not say any more");
            match ask("approve (it still holds all the same), skip, quit")? {
                ReviewChoice::Approve => {}
                ReviewChoice::Quit => return Ok(false),
                _ => continue,
            }
        }
        let services = common.open_to_change().await?;
        let work = async {
            let before = keeping::entry(&services, &stale.key).await?;
            let mut after = evidence::renewed(&services, &before).await?;
            let mut action = "renew";
            if matches!(choice, ReviewChoice::Reject) {
                after = LibraryEntry { status: EntryStatus::Retired, ..before.clone() };
                action = "retire";
            }
            if let Some((question, answer)) = texts {
                (after.question, after.answer) = (question, answer);
                action = "edit";
            }
            if !author.is_empty() {
                author.clone_into(&mut after.author);
            }
            keeping::save(&services, vec![(Some(before), Some(after))], &Hand::now(author, action)).await
        };
        if done(as_editor(common, &services, work).await) {
            return Ok(true);
        }
    }
}

/// Whether an answer says a number that stood in its text, and does not any more.
fn says_what_is_gone(stale: &StaleEntry) -> bool {
    let answer = numbers(&stale.answer);
    stale.citations.iter().any(|cited| {
        let now = numbers(cited.now.as_deref().unwrap_or_default());
        numbers(&cited.was).iter().any(|number| answer.contains(number) && !now.contains(number))
    })
}

/// Says what could not be done, so that something else may be chosen.
fn done(result: Result<()>) -> bool {
    match result {
        Ok(()) => true,
        Err(error) => {
            talk(&format!("error: {error:#}"));
            false
        }
    }
}

/// Reads a choice: a word or its first letter. The end of the input is the end of the review.
fn ask(choices: &str) -> Result<ReviewChoice> {
    loop {
        print::line(&format!("{choices}?"));
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line).context("cannot read from this terminal")?;
        if read == 0 {
            return Ok(ReviewChoice::Quit);
        }
        if let Some(choice) = read_choice(&line) {
            return Ok(choice);
        }
        talk(&format!("{:?} is none of: {choices}", line.trim()));
    }
}

fn read_choice(line: &str) -> Option<ReviewChoice> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    Some(match word {
        "a" | "approve" => ReviewChoice::Approve,
        "e" | "edit" => ReviewChoice::Edit,
        "r" | "reject" => ReviewChoice::Reject,
        "m" | "merge" if !rest.trim().is_empty() => ReviewChoice::Merge(rest.trim().to_owned()),
        "s" | "skip" | "" => ReviewChoice::Skip,
        "q" | "quit" => ReviewChoice::Quit,
        _ => return None,
    })
}

/// The question and the answer as somebody leaves them in `$VISUAL` or `$EDITOR`; nothing where they are not usable.
fn edited(common: &Common, question: &str, answer: &str) -> Result<Option<(String, String)>> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let Some(program) = words.next() else { bail!("$EDITOR is empty; set it to an editor, such as vi") };
    let path = common.data.join(format!("review-{}.txt", std::process::id()));
    private::write(&path, &format!("{question}\n\n{answer}\n"))
        .with_context(|| format!("cannot write {}", path.display()))?;
    let status = Command::new(program).args(words).arg(&path).status();
    let text = std::fs::read_to_string(&path);
    // what is left of it is in the library, or was not wanted
    let _ = std::fs::remove_file(&path);
    let status =
        status.with_context(|| format!("cannot start {program:?}; set $EDITOR to another editor"))?;
    if !status.success() {
        talk(&format!("{program} ended with an error; nothing is changed"));
        return Ok(None);
    }
    let text = text.context("cannot read what was edited")?;
    let Some((question, answer)) = parts(&text) else {
        talk("the first line is the question and the rest its answer; one of them is empty");
        return Ok(None);
    };
    Ok(Some((question, answer)))
}

/// The first line, and all below it.
fn parts(text: &str) -> Option<(String, String)> {
    let (question, answer) = text.trim_start().split_once('\n')?;
    let (question, answer) = (question.trim(), answer.trim());
    (!question.is_empty() && !answer.is_empty()).then(|| (question.to_owned(), answer.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_a_word_or_its_first_letter() {
        assert!(matches!(read_choice("a\n"), Some(ReviewChoice::Approve)));
        assert!(matches!(read_choice("merge card-1"), Some(ReviewChoice::Merge(into)) if into == "card-1"));
        assert!(read_choice("merge").is_none() && read_choice("x").is_none());
        assert!(matches!(read_choice(""), Some(ReviewChoice::Skip)));
    }

    #[test]
    fn what_was_edited_is_a_question_and_its_answer() {
        assert_eq!(parts("Why?\n\nSo.\nAnd so.\n"), Some(("Why?".into(), "So.\nAnd so.".into())));
        assert_eq!(parts("Why?\n"), None);
    }
}
