//! Questions that nothing answers, grouped by what they ask.
//!
//! The groups are communities, found as those of entities are, by Leiden: of the graph in which a question is linked to those
//! that it is like. What must not differ within a group is compared at each link, and once more within each community.

use super::keeping;
use super::matching::words::ParsedQuestion;
use super::matching::{Matcher, ask_for_the_same};
use super::memory::{Conditions, Library};
use super::senses::Senses;
use crate::domain::{AskedQuestion, Ids, LibraryEntry};
use crate::numeric::leiden::{self, Graph, Objective, Settings};
use crate::services::Services;
use anyhow::Result;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Questions that share so much of their words ask the same.
const SAME: f64 = 0.5;
/// From which confidence on a question is like another one.
const LIKE: f64 = 0.55;
/// Questions that each one is compared with by words of one meaning.
const NEIGHBOURS: usize = 8;
/// How like the pairs of a group are on average, at least. With modularity it would hang on all others whether two questions
/// are one group: small groups of a large graph are joined.
const RESOLUTION: f64 = 0.3;

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

/// A noted question, read once.
struct Missed<'a> {
    asked: &'a AskedQuestion,
    read: ParsedQuestion,
    flat: String,
}

impl Missed<'_> {
    /// Whether two of them may be one group: they do not ask in other ways, one does not ask the opposite, and not each of them
    /// names something that the other does not.
    fn may_join(&self, other: &Self) -> bool {
        self.flat == other.flat || ask_for_the_same(&self.read, &other.read)
    }
}

/// Questions in groups that ask the same, the most asked first: communities by Leiden of the graph of questions that are like
/// each other by words of one meaning, or share half of their words.
pub fn grouped(asked: &[AskedQuestion]) -> Vec<MissedGroup> {
    let mut missed: Vec<Missed<'_>> = asked
        .iter()
        .map(|asked| Missed {
            asked,
            read: ParsedQuestion::read(&asked.question),
            flat: keeping::flat(&asked.question),
        })
        .collect();
    missed.sort_by(|a, b| {
        b.asked.count.cmp(&a.asked.count).then_with(|| a.asked.question.cmp(&b.asked.question))
    });
    let mut groups: Vec<MissedGroup> = Vec::new();
    for members in communities(&missed) {
        for members in compatible(&members) {
            groups.push(group_of(&members));
        }
    }
    groups.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.questions.cmp(&b.questions)));
    groups
}

fn group_of(members: &[&Missed<'_>]) -> MissedGroup {
    MissedGroup {
        count: members.iter().map(|missed| missed.asked.count).sum(),
        last: members.iter().map(|missed| missed.asked.last.clone()).max().unwrap_or_default(),
        questions: members.iter().map(|missed| missed.asked.question.clone()).collect(),
    }
}

/// Members that may all be one group with each other, each in the first such one: two that must not be joined may be linked by
/// a third that says too little to differ from either.
fn compatible<'a, 'q>(members: &[&'a Missed<'q>]) -> Vec<Vec<&'a Missed<'q>>> {
    let mut groups: Vec<Vec<&Missed<'_>>> = Vec::new();
    for missed in members {
        let fits = |group: &&mut Vec<&Missed<'_>>| group.iter().all(|known| known.may_join(missed));
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(missed),
            None => groups.push(vec![missed]),
        }
    }
    groups
}

/// The communities of the graph of likeness; members in the order of `missed`.
fn communities<'a, 'q>(missed: &'a [Missed<'q>]) -> Vec<Vec<&'a Missed<'q>>> {
    let links: Vec<(u32, u32, f64)> =
        likeness(missed).into_iter().map(|((one, other), weight)| (one, other, weight)).collect();
    // the question alone tells it apart, so the workspace decides nothing
    let ids = Ids::new("");
    let keys = missed.iter().map(|one| ids.other("asked_question", &[one.asked.question.as_str()]).key());
    let settings = Settings { objective: Objective::Cpm, resolution: RESOLUTION, ..Settings::default() };
    // where a question is given twice there is no graph: each is told by itself then
    let labels = match Graph::from_edges(keys.collect(), &links) {
        Ok(graph) => leiden::partition(&graph, &settings).labels,
        Err(_) => (0..).take(missed.len()).collect(),
    };
    let mut members: BTreeMap<u32, Vec<&Missed<'_>>> = BTreeMap::new();
    for (label, one) in labels.into_iter().zip(missed) {
        members.entry(label).or_default().push(one);
    }
    members.into_values().collect()
}

/// How like questions are to each other, from 0 to 1, of those pairs that may be one group.
fn likeness(missed: &[Missed<'_>]) -> BTreeMap<(u32, u32), f64> {
    let mut links: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    let mut link = |one: usize, other: usize, weight: f64| {
        let joins = missed.get(one).zip(missed.get(other)).is_some_and(|(one, other)| one.may_join(other));
        if let (Ok(one), Ok(other)) = (u32::try_from(one.min(other)), u32::try_from(one.max(other)))
            && one != other
            && joins
        {
            let known = links.entry((one, other)).or_default();
            *known = known.max(weight);
        }
    };
    let questions: Vec<LibraryEntry> = missed
        .iter()
        .map(|one| LibraryEntry { question: one.asked.question.clone(), ..LibraryEntry::default() })
        .collect();
    let matcher = Matcher::new(&questions);
    for (place, one) in missed.iter().enumerate() {
        let others = |other: usize| other != place;
        for like in matcher.matches(&one.asked.question, &[], &others, NEIGHBOURS) {
            if like.confidence >= LIKE {
                link(place, like.place, like.confidence);
            }
        }
    }
    for (one, other, share) in shares(missed) {
        link(one, other, share);
    }
    links
}

/// Pairs that share half of their words or more, or are the same but for signs, with that share.
fn shares(missed: &[Missed<'_>]) -> Vec<(usize, usize, f64)> {
    let mut flat: BTreeMap<&str, usize> = BTreeMap::new();
    let mut of_word: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut sizes: Vec<usize> = Vec::with_capacity(missed.len());
    let mut pairs = Vec::new();
    for (place, one) in missed.iter().enumerate() {
        if let Some(first) = flat.get(one.flat.as_str()) {
            pairs.push((*first, place, 1.0));
        }
        flat.entry(&one.flat).or_insert(place);
        let words: BTreeSet<&str> = one.read.content().map(|token| token.text.as_str()).collect();
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for word in &words {
            let before = of_word.entry(word).or_default();
            for other in before.iter() {
                *shared.entry(*other).or_default() += 1;
            }
            before.push(place);
        }
        sizes.push(words.len());
        for (other, count) in shared {
            let most = sizes.get(other).copied().unwrap_or_default().max(words.len());
            let share = count as f64 / most.max(1) as f64;
            if share >= SAME {
                pairs.push((other, place, share));
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once(questions: &[&str]) -> Vec<AskedQuestion> {
        let asked = questions.iter().map(|question| AskedQuestion {
            question: (*question).to_owned(),
            count: 1,
            last: "2026-11-23".to_owned(),
            outcome: "unanswered".to_owned(),
        });
        asked.collect()
    }

    #[test]
    fn questions_that_ask_the_same_are_one_group() {
        let asked = |question: &str, count: u64| AskedQuestion { count, ..once(&[question]).remove(0) };
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
        let asked = once(&asked);
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
            ("能租双人车吗？", "租双人车一天多少钱？"),
            ("Can I rent a tandem?", "What does renting a tandem cost?"),
        ] {
            assert_eq!(grouped(&once(&[one, other])).len(), 2, "{one} / {other}");
        }
    }

    #[test]
    fn a_question_that_says_little_joins_no_two_that_must_not_be_one_group() {
        let asked = once(&[
            "Can I take my bicycle on the ferry?",
            "bicycle on the ferry",
            "Can I not take my bicycle on the ferry?",
        ]);
        let groups = grouped(&asked);
        let of = |question: &str| {
            groups.iter().position(|group| group.questions.iter().any(|known| known == question))
        };
        assert_ne!(of(&asked[0].question), of(&asked[2].question), "{groups:?}");
    }

    #[test]
    fn the_order_in_which_questions_come_changes_no_group() {
        let mut asked = once(&[
            "Can I rent skis?",
            "ski rental",
            "Is ski hire possible?",
            "Do you deliver to Oslo?",
            "delivery to Oslo",
            "Is there a lift for wheelchairs?",
            "wheelchair lift",
            "能带宠物上船吗？",
            "可以带宠物上船吗？",
        ]);
        let groups = grouped(&asked);
        assert_eq!(groups.len(), 4, "{groups:?}");
        for _ in 0..asked.len() {
            asked.rotate_left(1);
            assert_eq!(grouped(&asked), groups);
        }
    }

    #[test]
    fn what_else_was_asked_parts_no_group() {
        let pair = ["Can I rent skis?", "Is ski hire possible?"];
        let mut asked = once(&pair);
        assert_eq!(grouped(&asked).len(), 1, "{:?}", grouped(&asked));
        // thirty others, each by itself
        let things = ["sauna", "museum", "harbour", "bakery", "chapel", "quarry"];
        let others: Vec<String> = things
            .iter()
            .flat_map(|thing| (1..6).map(move |day| format!("When does the {thing} close on day {day}?")))
            .collect();
        asked.extend(once(&others.iter().map(String::as_str).collect::<Vec<_>>()));
        let groups = grouped(&asked);
        assert!(groups.iter().any(|group| group.questions.len() == 2 && group.questions[0] == pair[0]));
        assert_eq!(groups.len(), 31, "{groups:?}");
    }
}
