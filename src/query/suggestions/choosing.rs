//! Which of many questions are offered: one of each kind in turn, about as many things as there are, and answered.

use super::is_answered;
use super::templates::Proposed;
use crate::domain::Id;
use crate::services::Services;
use anyhow::Result;
use std::collections::BTreeMap;

/// Questions of a kind that are asked in vain before it is the next kind's turn; for the first of it, another kind matters more
/// than another question.
const TRIES: usize = 2;
const FIRST_TRIES: usize = 5;
/// Questions asked for each one that is wanted, at most, and some for a few that are.
const ASKED_FOR_EACH: usize = 4;
const ASKED_BESIDES: usize = 12;

/// Questions that are asked at most to find so many.
pub(super) fn most_asked(count: usize) -> usize {
    ASKED_FOR_EACH * count + ASKED_BESIDES
}

/// Questions that were found answerable so far.
pub(super) struct QuestionSelection<'a> {
    services: &'a Services,
    count: usize,
    questions: Vec<String>,
    /// How many of them are about each thing.
    about: BTreeMap<Id, usize>,
    asked: Vec<String>,
}

impl<'a> QuestionSelection<'a> {
    /// At most `count`.
    pub(super) fn new(services: &'a Services, count: usize) -> Self {
        Self { services, count, questions: Vec::new(), about: BTreeMap::new(), asked: Vec::new() }
    }

    /// The same where some were found before.
    pub(super) fn after(services: &'a Services, questions: Vec<String>, count: usize) -> Self {
        Self { asked: questions.clone(), questions, ..Self::new(services, count) }
    }

    /// Adds one of each kind, then a second of each, until there are enough or none is left.
    pub(super) async fn take(&mut self, mut kinds: Vec<Vec<Proposed>>) -> Result<()> {
        let mut tries = FIRST_TRIES;
        while kinds.iter().any(|kind| !kind.is_empty()) {
            for kind in &mut kinds {
                for _ in 0..tries {
                    if self.is_enough() {
                        return Ok(());
                    }
                    let Some(next) = next_of(kind, &self.about) else { break };
                    if self.offer(next).await? {
                        break;
                    }
                }
            }
            tries = TRIES;
        }
        Ok(())
    }

    /// The questions, in the order of their kinds.
    pub(super) fn questions(self) -> Vec<String> {
        self.questions
    }

    fn is_enough(&self) -> bool {
        self.questions.len() >= self.count || self.asked.len() >= most_asked(self.count)
    }

    async fn offer(&mut self, next: Proposed) -> Result<bool> {
        if self.asked.contains(&next.text) {
            return Ok(false);
        }
        self.asked.push(next.text.clone());
        if !is_answered(self.services, &next.text).await? {
            return Ok(false);
        }
        for id in next.about {
            *self.about.entry(id).or_default() += 1;
        }
        self.questions.push(next.text);
        Ok(true)
    }
}

/// Takes the first of those that are about what is asked about least.
fn next_of(kind: &mut Vec<Proposed>, about: &BTreeMap<Id, usize>) -> Option<Proposed> {
    let often =
        |one: &Proposed| one.about.iter().map(|id| about.get(id).copied().unwrap_or(0)).sum::<usize>();
    let (place, _) = kind.iter().enumerate().min_by_key(|(place, one)| (often(one), *place))?;
    Some(kind.remove(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    #[test]
    fn what_nobody_was_asked_about_yet_comes_first() {
        let ids = Ids::new("w");
        let one = |text: &str, about: &[&str]| Proposed {
            text: text.to_owned(),
            about: about.iter().map(|name| ids.entity(name)).collect(),
        };
        let mut kind = vec![one("first", &["Ann"]), one("second", &["Ann", "Bob"]), one("third", &["Cid"])];
        let about = BTreeMap::from([(ids.entity("Ann"), 1), (ids.entity("Bob"), 1)]);
        let order = std::iter::from_fn(|| next_of(&mut kind, &about)).map(|one| one.text);
        assert_eq!(order.collect::<Vec<_>>(), ["third", "first", "second"]);
    }
}
