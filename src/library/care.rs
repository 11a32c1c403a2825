//! What the library needs from people: stale answers, and questions that nothing answers.

use super::asking::{Conditions, Library};
use super::evidence::{self, StaleEntry};
use super::keeping;
use super::matching::{Matcher, asks_for_the_same, content_words};
use super::senses::Senses;
use crate::domain::{AskedQuestion, EntryStatus, LibraryEntry};
use crate::services::Services;
use anyhow::Result;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Questions that share so much of their words ask the same.
const SAME: f64 = 0.5;
/// From which confidence on a question is like another one.
const LIKE: f64 = 0.55;

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

/// What was asked and is not answered by the library by now, and how many of the noted questions are.
///
/// # Errors
/// What the stores say.
pub async fn open_misses(services: &Services) -> Result<(Vec<AskedQuestion>, usize)> {
    let mut asked = services.graph.asked_questions().await?;
    let Some(library) = Library::open(services).await?.filter(|_| !asked.is_empty()) else {
        return Ok((asked, 0));
    };
    let (all, conditions) = (asked.len(), Conditions::today());
    let texts: Vec<&str> = asked.iter().map(|one| one.question.as_str()).collect();
    let senses = Senses::of(services, &library, &texts, &conditions).await?;
    let config = &services.config.qa;
    asked.retain(|one| {
        // what was answered and disliked is open all the same
        let found = library.ask(&one.question, &[], &conditions, (config, &senses), 1);
        one.outcome != "unanswered" || found.first().is_none_or(|found| found.confidence < config.accept)
    });
    let answered = all - asked.len();
    Ok((asked, answered))
}

/// Questions in groups that ask the same, the most asked first. Each goes to the group whose most asked question it is like, by
/// words of one meaning, or with which it shares half of its words; unless they ask in other ways, each names something that
/// the other does not, or one asks the opposite.
pub fn grouped(asked: &[AskedQuestion]) -> Vec<MissedGroup> {
    let mut asked: Vec<&AskedQuestion> = asked.iter().collect();
    asked.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.question.cmp(&b.question)));
    let questions: Vec<LibraryEntry> = asked
        .iter()
        .map(|one| LibraryEntry { question: one.question.clone(), ..LibraryEntry::default() })
        .collect();
    let matcher = Matcher::new(&questions);
    let words: Vec<BTreeSet<String>> =
        asked.iter().map(|one| content_words(&one.question).into_iter().collect()).collect();
    // the group that each question leads
    let mut led: BTreeMap<usize, usize> = BTreeMap::new();
    let mut groups: Vec<MissedGroup> = Vec::new();
    for (place, (one, own)) in asked.iter().zip(&words).enumerate() {
        let leads = |other: usize| led.contains_key(&other);
        let like = matcher.matches(&one.question, &[], &leads, 3).into_iter();
        let like = like.filter(|found| found.confidence >= LIKE).map(|found| found.place);
        let shares = led.keys().copied().filter(|leader| {
            let Some(others) = words.get(*leader) else { return false };
            let shared = own.intersection(others).count();
            shared > 0 && shared as f64 >= SAME * own.len().max(others.len()) as f64
        });
        let same = |group: &MissedGroup| {
            group.questions.iter().all(|known| {
                keeping::flat(known) == keeping::flat(&one.question)
                    || asks_for_the_same(known, &one.question)
            })
        };
        let joined = like
            .chain(shares)
            .filter_map(|leader| led.get(&leader).copied())
            .find(|group| groups.get(*group).is_some_and(same));
        if let Some(group) = joined.and_then(|group| groups.get_mut(group)) {
            group.count += one.count;
            group.last = group.last.clone().max(one.last.clone());
            group.questions.push(one.question.clone());
        } else {
            led.insert(place, groups.len());
            groups.push(MissedGroup {
                count: one.count,
                last: one.last.clone(),
                questions: vec![one.question.clone()],
            });
        }
    }
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
    fn the_same_question_in_other_words_or_signs_is_one_group() {
        let asked =
            ["Can I rent towels?", "towel rental", "Is towel hire possible?", "is towel hire possible"];
        let asked = asked.map(|question| AskedQuestion {
            question: question.to_owned(),
            count: 1,
            last: "2026-11-23".to_owned(),
            outcome: "unanswered".to_owned(),
        });
        assert_eq!(grouped(&asked).len(), 1, "{:?}", grouped(&asked));
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
            ("How much is a swimming course?", "When is the swimming course?"),
            ("Why is there a queue at the slide?", "How long is the queue at the slide?"),
            ("谁教游泳课？", "游泳课一期多少钱？"),
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
