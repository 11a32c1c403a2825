//! What holds for a time, and what a later document says against it: that it is over, or that somebody else has the one
//! place that there is.

use super::rows::RowEvidence;
use super::wording::{Flat, Phrase, Wording};
use crate::domain::{Day, Id};
use crate::language::vocabulary::states::{Cardinality, NO_MORE, NOT_ALONE, STATES};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The phrases of one state, ready to be looked for.
struct Phrases {
    words: Vec<Phrase>,
    over: Vec<Phrase>,
}

struct StateVocabulary {
    own: Wording,
    states: Vec<Phrases>,
    not_alone: Vec<Phrase>,
    no_more: Vec<Phrase>,
}

static VOCABULARY: LazyLock<StateVocabulary> = LazyLock::new(|| {
    let phrases = |words: &[&str]| words.iter().map(|word| Phrase::of(word)).collect::<Vec<_>>();
    StateVocabulary {
        own: Wording::read("own"),
        states: STATES
            .iter()
            .map(|state| Phrases { words: phrases(state.words), over: phrases(state.over) })
            .collect(),
        not_alone: phrases(NOT_ALONE),
        no_more: phrases(NO_MORE),
    }
});

/// What a record says of states, by their places in the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RecordStates {
    /// States that it says hold.
    pub(super) holds: Vec<usize>,
    /// States that it says are over.
    pub(super) over: Vec<usize>,
    /// A state that has room for one.
    room: Option<(usize, Cardinality)>,
    /// Whether it says itself that it was before: "former".
    pub(super) former: bool,
}

/// One place that only one can have, and who has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExclusivePlace {
    state: usize,
    of: Id,
    who: Id,
}

/// What the words of a record say of states.
pub(super) fn states_of(kind: &str) -> RecordStates {
    let flat = Flat::of(kind);
    let vocabulary = &*VOCABULARY;
    let any = |phrases: &[Phrase]| phrases.iter().any(|phrase| flat.find(phrase).is_some());
    let denied = any(&vocabulary.no_more);
    let mut told =
        RecordStates { former: any(&vocabulary.not_alone) && is_former(&flat), ..RecordStates::default() };
    let alone = !any(&vocabulary.not_alone);
    for (number, (phrases, state)) in vocabulary.states.iter().zip(STATES).enumerate() {
        let says = any(&phrases.words);
        if any(&phrases.over) || denied && says {
            told.over.push(number);
        } else if says {
            told.holds.push(number);
            let forward = phrases.words.iter().any(|phrase| is_forward(&flat, phrase));
            if state.room != Cardinality::Any && alone && forward && told.room.is_none() {
                told.room = Some((number, state.room));
            }
        }
    }
    told
}

fn is_former(flat: &Flat) -> bool {
    ["former", "ex-ceo", "前"].iter().any(|word| flat.find(&Phrase::of(word)).is_some())
}

/// Whether a state is that of owning, which records of others end.
fn is_of_owning(state: usize) -> bool {
    STATES.get(state).is_some_and(|state| state.words.contains(&"own"))
}

/// Whether a wording says it of the source towards the target: "is the CEO of", "is based in", 担任首席执行官.
fn is_forward(flat: &Flat, phrase: &Phrase) -> bool {
    const TAKING: [&str; 7] = ["是", "任", "担任", "出任", "为", "总部设在", "总部位于"];
    let Some((at, end)) = flat.find(phrase) else { return false };
    if phrase.is_chinese() {
        let before = flat.plain().get(..at).unwrap_or_default();
        return before.is_empty() || TAKING.iter().any(|word| before.ends_with(word));
    }
    let stems = flat.stems();
    let behind = stems.get(end.saturating_sub(1)..).unwrap_or_default();
    let before = stems.get(..at).unwrap_or_default();
    let first = before.split_whitespace().next().unwrap_or_default();
    let last = stems.split_whitespace().last().unwrap_or_default();
    let holds = ["", "is", "was", "becom", "becam", "serv", "the", "act", "be"].contains(&first);
    holds && (["of", "at", "for", "in"].contains(&last) || behind.trim().is_empty())
}

impl RecordStates {
    /// The place that a record gives away, of those that have room for one.
    pub(super) fn place(&self, source: &Id, target: &Id) -> Option<ExclusivePlace> {
        let (state, room) = self.room?;
        let (of, who) = match room {
            Cardinality::Any => return None,
            Cardinality::OneFirst => (target, source),
            Cardinality::OneSecond => (source, target),
        };
        Some(ExclusivePlace { state, of: of.clone(), who: who.clone() })
    }

    /// Whether nothing of it holds for a time that another record could end.
    pub(super) fn is_of_no_state(&self) -> bool {
        self.room.is_none() && self.over.is_empty() && self.holds.iter().all(|state| !is_of_owning(*state))
    }

    /// Whether a record says that one owns the other, and if so which of its source and target is owned.
    pub(super) fn owned<'a>(&self, kind: &str, [source, target]: [&'a Id; 2]) -> Option<&'a Id> {
        let fit = VOCABULARY.own.fits(kind).filter(|fit| fit.sure && !self.holds.is_empty())?;
        Some(if fit.reversed { source } else { target })
    }

    /// Whether a record says that a state is over which this one says holds.
    pub(super) fn is_ended_by(&self, other: &Self) -> bool {
        self.holds.iter().any(|state| other.over.contains(state))
    }
}

/// What one record of a relationship says in the wording that was asked for.
pub(super) struct StateStatement {
    /// Whether it holds both ways.
    pub(super) symmetric: bool,
    /// What it says is owned.
    pub(super) owned: Option<Id>,
    /// The one place that it gives away, where there is room for one.
    pub(super) place: Option<ExclusivePlace>,
    /// The record; who does it stands first of those that it is about.
    pub(super) ground: RowEvidence,
}

/// Marks what is told to be owned and was given away since, whoever gave it: by whom it was taken is none of the owners that
/// are marked.
pub(super) fn mark_given_away(statements: &mut [StateStatement], given: &[(Id, RowEvidence)]) {
    for statement in statements.iter_mut().filter(|statement| statement.ground.superseded.is_none()) {
        let Some(owned) = &statement.owned else { continue };
        let Some(last) = statement.ground.last_day() else { continue };
        let holder = statement.ground.about.iter().find(|id| *id != owned);
        let since = given.iter().filter(|(what, ground)| {
            let is_taker = ground.about.iter().any(|id| holder == Some(id));
            what == owned && !is_taker && ground.first_day().is_some_and(|day| day > last)
        });
        if let Some((_, next)) = since.min_by_key(|(_, ground)| ground.first_day()) {
            statement.ground.superseded = Some(Box::new(next.clone()));
        }
    }
}

/// First and last day on which somebody is told to have a place.
struct Holder {
    first: Day,
    last: Day,
    ground: RowEvidence,
}

/// Marks what somebody else is told to have since, where there is room for one.
pub(super) fn mark_succeeded(statements: &mut [StateStatement]) {
    let mut places: BTreeMap<(usize, Id), BTreeMap<Id, Holder>> = BTreeMap::new();
    for statement in statements.iter() {
        let Some(place) = &statement.place else { continue };
        let ground = &statement.ground;
        let Some((first, last)) = ground.first_day().zip(ground.last_day()).filter(|_| ground.sure) else {
            continue;
        };
        let holders = places.entry((place.state, place.of.clone())).or_default();
        let known = holders.entry(place.who.clone()).or_insert_with(|| Holder {
            first,
            last,
            ground: ground.clone(),
        });
        if first < known.first {
            (known.first, known.ground) = (first, ground.clone());
        }
        known.last = known.last.max(last);
    }
    for statement in statements.iter_mut().filter(|statement| statement.ground.superseded.is_none()) {
        let Some(place) = &statement.place else { continue };
        let Some(holders) = places.get(&(place.state, place.of.clone())) else { continue };
        let Some(last) = holders.get(&place.who).map(|own| own.last) else { continue };
        let since = holders.iter().filter(|(who, holder)| **who != place.who && holder.first > last);
        if let Some((_, next)) = since.min_by_key(|(_, holder)| holder.first) {
            statement.ground.superseded = Some(Box::new(next.ground.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_says_that_a_state_holds_or_is_over() {
        let ends = |holds: &str, over: &str| states_of(holds).is_ended_by(&states_of(over));
        for (holds, over) in [
            ("is the CEO of", "resigned from"),
            ("works for", "left"),
            ("works for", "no longer works for"),
            ("owns", "sold"),
            ("owns", "does not own any more"),
            ("is based in", "moved from"),
            ("担任首席执行官", "辞去"),
            // what a question asks for: who gave it up is none of those who have it
            ("院长", "辞去院长"),
            ("拥有", "出售"),
        ] {
            assert!(ends(holds, over), "{holds} / {over}");
        }
        for (holds, over) in
            [("acquired", "sold"), ("works for", "joined"), ("owns", "left"), ("owns", "owns")]
        {
            assert!(!ends(holds, over), "{holds} / {over}");
        }
    }

    #[test]
    fn what_was_given_away_is_owned_no_more_but_by_who_took_it() {
        let day = |text: &str| text.parse::<crate::domain::Day>().unwrap();
        let ground = |about: [&str; 2], on: &str| RowEvidence {
            record: crate::domain::RecordKind::Relationships,
            id: Id::from_stored("r"),
            text_unit: Id::from_stored("u"),
            kind: "owns".to_owned(),
            said: String::new(),
            words: String::new(),
            about: about.map(Id::from_stored).to_vec(),
            when: Some((day(on), day(on))),
            written: None,
            dated: false,
            sure: true,
            former: false,
            superseded: None,
        };
        let owns = |who: &str, what: &str, on: &str| StateStatement {
            symmetric: false,
            owned: Some(Id::from_stored(what)),
            place: None,
            ground: ground([who, what], on),
        };
        let mut statements = [
            owns("tern", "pell", "2020-03-01"),
            owns("vantor", "pell", "2020-03-01"),
            owns("tern", "gale", "2020-03-01"),
            owns("tern", "pell", "2023-01-01"),
        ];
        mark_given_away(
            &mut statements,
            &[(Id::from_stored("pell"), ground(["pell", "vantor"], "2022-03-01"))],
        );
        let over: Vec<bool> = statements.iter().map(|one| one.ground.superseded.is_some()).collect();
        assert_eq!(over, [true, false, false, false]);
        let (one, other) = (Id::from_stored("a"), Id::from_stored("b"));
        let owned = |kind: &str| states_of(kind).owned(kind, [&one, &other]).map(Id::as_str);
        assert_eq!([owned("owns"), owned("belongs to"), owned("works for")], [Some("b"), Some("a"), None]);
    }

    #[test]
    fn some_states_have_room_for_one() {
        let (one, other) = (Id::from_stored("a"), Id::from_stored("b"));
        let place = |kind: &str| states_of(kind).place(&one, &other).map(|place| place.of);
        assert_eq!(place("is the CEO of"), Some(other.clone()));
        assert_eq!(place("is ceo of"), Some(other.clone()));
        assert_eq!(place("is based in"), Some(one.clone()));
        assert_eq!(place("是首席执行官"), Some(other.clone()));
        for kind in
            ["is vice president of", "is co-CEO of", "has as CEO", "works for", "is the former CEO of"]
        {
            assert_eq!(place(kind), None, "{kind}");
        }
    }
}
