//! What the library needs from people: stale answers, and questions that nothing answers.

use super::evidence::{self, StaleEntry};
use super::keeping;
use super::matching::{asks_for_the_same, content_words};
use crate::domain::{AskedQuestion, EntryStatus};
use crate::services::Services;
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeSet;

/// Questions that share so much of their words ask the same.
const SAME: f64 = 0.5;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Check {
    /// Entries that were looked at.
    pub entries: usize,
    /// Entries whose citations were found again in another place, and put right.
    pub moved: usize,
    /// Entries whose text has changed or gone.
    pub stale: Vec<StaleEntry>,
    /// Keys of entries that do not hold today.
    pub out_of_date: Vec<String>,
    /// Follow-ups that lead to no entry, as `id -> id`.
    pub lost_follow_ups: Vec<String>,
}

/// Compares every entry that is not retired with the text it rests on; citations whose text only moved are put right, and
/// what follows from the graph is brought up to date.
///
/// # Errors
/// What the store says.
pub async fn check(services: &Services) -> Result<Check> {
    let mut entries = services.graph.library().await?;
    entries.retain(|entry| entry.status != EntryStatus::Retired);
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    let (stale, moved) = evidence::check(services, services.graph.as_ref(), &entries).await?;
    if !moved.is_empty() {
        // no change of what people wrote, so none in the history
        services.graph.save_library(&moved, &[], &[]).await?;
    }
    keeping::project(services).await?;
    let today = chrono::Local::now().format("%Y-%m-%d").to_string();
    let keys: BTreeSet<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
    let out_of_date = entries
        .iter()
        .filter(|entry| entry.status == EntryStatus::Approved && !entry.holds_on(&today))
        .map(|entry| entry.key.clone())
        .collect();
    let lost = |entry: &crate::domain::LibraryEntry| {
        let lost = entry.follow_ups.iter().filter(|key| !keys.contains(key.as_str()));
        lost.map(|key| format!("{} -> {key}", entry.key)).collect::<Vec<_>>()
    };
    let lost_follow_ups = entries.iter().flat_map(lost).collect();
    Ok(Check { entries: entries.len(), moved: moved.len(), stale, out_of_date, lost_follow_ups })
}

/// After documents have changed: brings the library up to the graph; gives the entries that rest on text that is not there
/// any more. Where there is no library nothing is done.
///
/// # Errors
/// What the store says.
pub async fn after_change(services: &Services) -> Result<Vec<StaleEntry>> {
    if services.graph.library_revision().await? == 0 {
        return Ok(Vec::new());
    }
    Ok(check(services).await?.stale)
}

/// Questions that ask the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MissedGroup {
    /// How often they were asked.
    pub count: u64,
    /// The last day, `YYYY-MM-DD`.
    pub last: String,
    /// The questions, most asked first.
    pub questions: Vec<String>,
}

/// Questions in groups that ask the same, the most asked first: each goes to the first group with whose most asked
/// question it shares half of its words, unless each names something that the other does not, or one asks the
/// opposite.
pub fn grouped(asked: &[AskedQuestion]) -> Vec<MissedGroup> {
    let mut asked: Vec<&AskedQuestion> = asked.iter().collect();
    asked.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.question.cmp(&b.question)));
    let mut groups: Vec<(BTreeSet<String>, MissedGroup)> = Vec::new();
    let same = |group: &MissedGroup, question: &str| {
        group.questions.iter().all(|known| asks_for_the_same(known, question))
    };
    for one in asked {
        let words: BTreeSet<String> = content_words(&one.question).into_iter().collect();
        let near = groups.iter_mut().find(|(others, group)| {
            let shared = words.intersection(others).count();
            shared > 0
                && shared as f64 >= SAME * words.len().max(others.len()) as f64
                && same(group, &one.question)
        });
        match near {
            Some((_, group)) => {
                group.count += one.count;
                group.last = group.last.clone().max(one.last.clone());
                group.questions.push(one.question.clone());
            }
            None => groups.push((
                words,
                MissedGroup {
                    count: one.count,
                    last: one.last.clone(),
                    questions: vec![one.question.clone()],
                },
            )),
        }
    }
    let mut groups: Vec<MissedGroup> = groups.into_iter().map(|(_, group)| group).collect();
    groups.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.questions.cmp(&b.questions)));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_that_ask_the_same_are_one_group() {
        let asked = |question: &str, count: u64| AskedQuestion {
            question: question.to_owned(),
            count,
            last: "2026-11-23".to_owned(),
            outcome: "unanswered".to_owned(),
        };
        let groups = grouped(&[
            asked("Do you ship to Norway?", 2),
            asked("shipping to Norway", 1),
            asked("Is there a gift card?", 4),
        ]);
        let told: Vec<(u64, usize)> =
            groups.iter().map(|group| (group.count, group.questions.len())).collect();
        assert_eq!(told, [(4, 1), (3, 2)], "{groups:?}");
    }

    #[test]
    fn questions_that_ask_the_opposite_or_of_something_else_are_no_group() {
        for (one, other) in [
            ("How do I disable push notifications?", "How do I enable push notifications?"),
            ("Can I take a suitcase on the bus?", "Can I take a suitcase on the tram?"),
            ("How do I go from Oak to Elm?", "How do I go from Elm to Oak?"),
            ("Is the pool open on day 3 of the fair?", "Is the pool open on day 4 of the fair?"),
            ("Can I park in the yard?", "Can I not park in the yard?"),
            ("游泳馆今天开门吗？", "游泳馆明天开门吗？"),
            ("What does a parcel to Norway cost?", "What does a letter to Norway cost?"),
        ] {
            let asked = [one, other].map(|question| AskedQuestion {
                question: question.to_owned(),
                count: 1,
                last: "2026-11-23".to_owned(),
                outcome: "unanswered".to_owned(),
            });
            assert_eq!(grouped(&asked).len(), 2, "{one} / {other}");
        }
    }
}
