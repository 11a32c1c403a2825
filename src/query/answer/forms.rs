//! Whether a sentence has the form that a question asks for, near what the question is about.

use super::concepts::IndexedSentence;
use crate::domain::{Entity, Record, StoredUnit, is_person};
use crate::language::questions;
use crate::language::speech::says;
use crate::language::vocabulary::gazetteer::is_given_name;
use crate::language::words::is_han;
use crate::query::question::{Asks, NamePatterns, Question, flatten};
use std::cell::LazyCell;

/// Words between what is asked about and the thing of the kind asked for at which half is left.
const HALF_AT: f64 = 7.0;

/// A sentence as the forms see it.
pub(super) struct SentenceShape<'a> {
    /// As it is written.
    pub(super) text: &'a str,
    pub(super) indexed: &'a IndexedSentence,
    pub(super) unit: &'a StoredUnit,
    /// Who speaks, flat, where the text is a talk.
    pub(super) speaker: Option<&'a str>,
    /// Whether a document names here for the first time what the question names.
    pub(super) introduces: bool,
    /// Where the question's concepts stand, in words.
    pub(super) anchors: &'a [usize],
    /// What is counted, in all words that say it; stems behind the first.
    pub(super) counted: &'a [String],
    /// Names of the question that the sentence holds or goes on about.
    pub(super) names: usize,
}

/// From 0 to 1.4: whether the sentence has the form that the question asks for.
pub(super) fn form(question: &Question, this: &SentenceShape<'_>) -> f64 {
    let flat = &this.indexed.flat;
    match question.asks {
        Asks::Definition => definition(question, this),
        Asks::Relation => {
            if is_kin_of_other(question, this) {
                KIN
            } else if this.names > 1 || question.names.len() < 2 {
                questions::relates(flat)
            } else {
                0.0
            }
        }
        Asks::Person => person(question, this),
        // "a question comes from Ann Lee" tells nothing of her home
        Asks::Place if question.asks_origin && comes_from_named(question, flat) => 0.1,
        Asks::Place if question.asks_origin => questions::tells_origin(flat),
        Asks::Place => questions::locates(this.text, flat)
            .max(f64::from(u8::from(flat.split(' ').any(questions::is_path)))),
        Asks::Time => questions::dates(flat) * near(this, &questions::date_places(flat)),
        Asks::Number => number(question, this),
        Asks::Reason => questions::reasons(flat) * 0.8,
        Asks::Thing if question.is_quantity => number(question, this),
        Asks::Thing if question.speaker.is_some() => {
            question.speaker.and_then(|at| question.names.get(at)).map_or(0.0, |name| speech(this, name))
        }
        Asks::Thing if question.compares => {
            questions::compares(flat) * if this.names > 1 { 1.0 } else { 0.4 }
        }
        Asks::Thing | Asks::Overview => 0.0,
    }
}

/// What a sentence counts that tells in so many words whose kin somebody is.
const KIN: f64 = 1.4;

/// Whether a Chinese question asks how two belong together, and a sentence names one of them right behind whose kin they
/// are: 其侄王三 of somebody whom its text unit names.
fn is_kin_of_other(question: &Question, this: &SentenceShape<'_>) -> bool {
    const KIN_OF: [&str; 22] = [
        "父亲", "母亲", "妻子", "丈夫", "儿子", "女儿", "哥哥", "弟弟", "侄子", "义子", "义儿", "女婿", "父",
        "母", "妻", "子", "女", "兄", "弟", "侄", "叔", "婿",
    ];
    let flat = &this.indexed.flat;
    if !this.indexed.is_han() || question.names.len() < 2 {
        return false;
    }
    let told = LazyCell::new(|| flatten(&this.unit.unit.text));
    question.names.iter().enumerate().any(|(place, one)| {
        let others = || question.names.iter().enumerate().filter(|(other, _)| *other != place);
        let is_behind = |at: usize| {
            let ahead = flat.get(..at).unwrap_or_default();
            let owner = KIN_OF.iter().find_map(|kin| ahead.strip_suffix(kin));
            owner.is_some_and(|owner| {
                others().any(|(_, other)| {
                    let mut names = other.whole.iter().chain(&other.given);
                    // a text tells who somebody is by 姓 and other names of theirs, too
                    let is_of_house = |name: &String| {
                        let surname = name.chars().next().filter(|c| is_han(*c));
                        surname.is_some_and(|surname| told.contains(&format!("姓{surname}")))
                    };
                    let is_told = |name: &String| told.contains(name.as_str()) || is_of_house(name);
                    owner.ends_with('其') && other.whole.iter().any(is_told)
                        || names.any(|name| owner.trim_end_matches(['之', '的']).ends_with(name.as_str()))
                })
            })
        };
        let mut places = one.whole.iter().flat_map(|whole| flat.match_indices(whole.as_str()));
        places.any(|(at, _)| is_behind(at))
    })
}

/// Whether an English text says that something comes from whom a question names.
fn comes_from_named(question: &Question, flat: &str) -> bool {
    let mut names = question.names.iter().flat_map(|name| name.whole.iter().chain(&name.parts));
    names.any(|name| flat.contains(&format!(" from {name}")))
}

/// Whether it holds a number of what is counted, or of the kind that is asked for: an amount of money, a share, an age.
fn number(question: &Question, this: &SentenceShape<'_>) -> f64 {
    let flat = &this.indexed.flat;
    let counted = this.counted.iter().map(|counted| questions::counts(flat, counted)).fold(0.0, f64::max);
    // "how large may it be" counts nothing: any number tells it
    let counts_nothing = question.asks == Asks::Number && question.counted.is_empty();
    let counted = match this.counted {
        [] => questions::counts(flat, ""),
        _ if counts_nothing && !questions::number_places(flat).is_empty() => 0.8,
        _ => counted,
    };
    // how something went on is told by several years with a number each
    let counted = if question.over_time && questions::tells_series(flat) { 1.0 } else { counted };
    let of_kind = question
        .measure
        .map_or(counted, |measure| if questions::measures(flat, measure) { 1.0 } else { counted * 0.4 });
    of_kind * near(this, &questions::number_places(flat))
}

fn definition(question: &Question, this: &SentenceShape<'_>) -> f64 {
    let flat = &this.indexed.flat;
    let told = question
        .names
        .iter()
        .flat_map(|name| {
            let whole = name.whole.iter().map(|name| (name, 1.0));
            whole.chain(name.parts.iter().map(|part| (part, 0.5)))
        })
        .map(|(name, share)| {
            let by_form = questions::find_name(flat, name)
                .filter(|at| !is_speaker(flat, at.0))
                .map_or(0.0, |at| questions::defines(flat, at));
            let in_two = if questions::find_told_name(flat, name).is_some() { 1.2 } else { 0.0 };
            share * f64::max(by_form, in_two)
        })
        .fold(0.0, f64::max);
    told + if this.introduces { 0.25 } else { 0.0 }
}

/// Whether a name only tells who speaks: "said Bob".
fn is_speaker(flat: &str, at: usize) -> bool {
    const SPEAKS: [&str; 12] = [
        "said",
        "cried",
        "asked",
        "replied",
        "returned",
        "observed",
        "answered",
        "says",
        "exclaimed",
        "added",
        "whispered",
        "shouted",
    ];
    flat.get(..at)
        .and_then(|before| before.split_whitespace().next_back())
        .is_some_and(|word| SPEAKS.contains(&word))
}

/// Whether somebody else than the question names is told of.
fn person(question: &Question, this: &SentenceShape<'_>) -> f64 {
    if question.asks_who_speaks() && this.speaker.is_some_and(|name| !is_asked(question, name)) {
        return 1.0;
    }
    // "acquired by Smart Eye": who did it stands behind the act
    let by = this.indexed.stems.get("by");
    if by.into_iter().flatten().any(|by| this.anchors.iter().any(|at| by > at && by - at <= 2)) {
        return 1.2;
    }
    let places = people(question, this);
    if places.is_empty() {
        return 0.0;
    }
    // beside its office or its act somebody stands as the one who is asked for
    let beside = places.iter().any(|place| this.anchors.iter().any(|anchor| anchor.abs_diff(*place) <= 3));
    0.9 * near(this, &places) + if beside { 0.3 } else { 0.0 }
}

fn is_asked(question: &Question, name: &str) -> bool {
    question.names.iter().any(|asked: &NamePatterns| asked.whole.iter().any(|whole| whole == name))
}

/// Where persons stand whom the question does not name, in words: those that were read from its text unit, by their names
/// or parts of them, and whom the sentence itself shows to be one.
pub(super) fn people(question: &Question, this: &SentenceShape<'_>) -> Vec<usize> {
    let flat = &this.indexed.flat;
    let mut places = Vec::new();
    let mut others = Vec::new();
    for record in &this.unit.state.records {
        let Record::Entity(entity) = record else { continue };
        let named = Entity { name: entity.name.clone(), kind: entity.kind.clone(), ..Entity::default() };
        let name = NamePatterns::of(&named);
        let is_person = is_person(&entity.kind);
        let parts = name.parts.iter().filter(|part| is_person && !is_part_asked(question, part));
        let found = name.whole.iter().filter(|whole| !is_asked(question, whole)).chain(parts);
        let found =
            found.filter_map(|name| questions::find_name(flat, name)).map(|at| this.indexed.place(at.0));
        if is_person {
            places.extend(found);
        } else {
            others.extend(found);
        }
        // classical Chinese goes on with the given name alone
        let given = name.given.as_ref().filter(|_| this.indexed.is_classical && is_person);
        if let Some(given) = given.filter(|_| !name.whole.iter().any(|whole| is_asked(question, whole))) {
            places.extend(flat.match_indices(given.as_str()).map(|(at, _)| this.indexed.place(at)));
        }
    }
    if flat.chars().any(is_han) {
        places.extend(linked_at_clauses(question, this));
        let by_form = questions::han_people(flat).into_iter();
        places.extend(
            by_form.filter(|(_, name)| !is_asked(question, name)).map(|(at, _)| this.indexed.place(at)),
        );
    } else {
        let runs = full_names(this.text).into_iter().filter(|(at, name)| {
            !others.contains(at) && !question.names.iter().any(|asked| asked.shares_word(name))
        });
        places.extend(runs.map(|(at, _)| at));
    }
    places.sort_unstable();
    places.dedup();
    places
}

/// Where a Chinese clause begins with a name that is known from elsewhere, by another name of somebody as a rule: whoever
/// acts there stands first.
fn linked_at_clauses(question: &Question, this: &SentenceShape<'_>) -> Vec<usize> {
    let flat = &this.indexed.flat;
    let is_name = |key: &&String| (2..=4).contains(&key.chars().count()) && key.chars().all(is_han);
    let linked = this.unit.state.linked.iter().filter(is_name).filter(|key| !is_asked(question, key));
    let begins = |at: usize| {
        let before = flat.get(..at).unwrap_or_default().chars().next_back();
        before.is_none_or(|c| !is_han(c) && !c.is_alphanumeric() && c != '、')
    };
    let places = linked.flat_map(|key| flat.match_indices(key.as_str()));
    places.filter(|(at, _)| begins(*at)).map(|(at, _)| this.indexed.place(at)).collect()
}

fn is_part_asked(question: &Question, part: &str) -> bool {
    let mut asked = question.names.iter().flat_map(|name| name.whole.iter().chain(&name.parts));
    asked.any(|name| name.split(' ').any(|word| word == part))
}

/// What stands before places, and before nobody.
const BEFORE_PLACE: [&str; 8] = ["in", "at", "near", "into", "through", "outside", "across", "around"];

/// Whether words with a capital name a place by the last of them: Hollin Ford, Mill Lane.
fn is_of_place(run: &[&str]) -> bool {
    const KINDS: [&str; 40] = [
        "abbey", "avenue", "bay", "beach", "bridge", "castle", "church", "common", "corner", "court", "farm",
        "fen", "field", "ford", "green", "hall", "harbour", "heath", "hill", "house", "island", "lake",
        "lane", "market", "marsh", "mill", "moor", "mount", "park", "point", "port", "quay", "road", "row",
        "square", "station", "street", "valley", "water", "wood",
    ];
    run.len() > 1 && run.last().is_some_and(|last| KINDS.binary_search(&last.to_lowercase().as_str()).is_ok())
}

/// Runs of two or three words with a capital inside a text, behind none that makes them the name of something else, each
/// with its place in words: as full names of people stand.
fn full_names(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    let mut begins = 0;
    let mut before = "";
    let mut stands_behind = "";
    for (at, word) in text.split_whitespace().chain([""]).enumerate() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_capital = bare.starts_with(char::is_uppercase)
            && bare.chars().skip(1).all(|c| c.is_lowercase() || "-'’".contains(c))
            && bare.chars().nth(1).is_some()
            && !crate::language::is_stop_word(&bare.to_lowercase());
        if is_capital {
            if run.is_empty() {
                begins = at;
                stands_behind = before;
            }
            run.push(bare);
        }
        before = word;
        let ends = !is_capital || word.ends_with(|c: char| !c.is_alphanumeric());
        if ends {
            let holds_time = run.iter().any(|word| questions::dates(&word.to_lowercase()) > 0.0);
            let is_given = run.first().is_some_and(|first| is_given_name(&first.to_lowercase()));
            let is_place = !is_given && (BEFORE_PLACE.contains(&stands_behind) || is_of_place(&run));
            if (2..=3).contains(&run.len()) && !holds_time && !is_place {
                found.push((begins, run.join(" ").to_lowercase()));
            }
            run.clear();
        }
    }
    found
}

/// From 0 to 1: whether the sentence quotes whom the question asks about.
fn speech(this: &SentenceShape<'_>, speaker: &NamePatterns) -> f64 {
    let flat = &this.indexed.flat;
    let names = speaker.whole.iter().chain(&speaker.parts).chain(&speaker.given);
    let says = names.clone().any(|name| says(flat, name));
    let turn =
        this.speaker.is_some_and(|told| names.clone().any(|name| questions::find_name(told, name).is_some()));
    if says {
        1.0
    } else if turn {
        0.7
    } else {
        0.0
    }
}

/// From 0 to 1: how near the kind of thing asked for stands to what is asked about.
fn near(this: &SentenceShape<'_>, places: &[usize]) -> f64 {
    let distance =
        places.iter().flat_map(|place| this.anchors.iter().map(move |anchor| anchor.abs_diff(*place))).min();
    distance.map_or(0.5, |distance| HALF_AT / (HALF_AT + distance as f64))
}

#[cfg(test)]
mod tests {
    use super::full_names;

    #[test]
    fn places_in_capitals_are_nobody() {
        let names = |text| full_names(text).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert!(names("The mill of Hollin Ford was sold in Great Yarrow.").is_empty());
        assert_eq!(names("It was sold to Harrison Ford and Ann Lee."), ["harrison ford", "ann lee"]);
    }
}
