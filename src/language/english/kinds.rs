//! What an English name stands for, by the words in it and around it.

use super::cues;
use super::names::Name;
use super::nouns::noun_kind;
use super::{EnglishToken, TaggedSentence, WordShape};
use crate::language::mention::{MentionRank, NameKind};
use crate::language::vocabulary::english::{
    BODY_AND_KIN, EVENT_HEADS, EVENT_NAMES, HOLIDAYS, ORGANIZATION_HEADS, ORGANIZATION_NOUNS, PERSON_NOUNS,
    PLACE_HEADS, PLACE_NOUNS, PRODUCT_DEFINERS, SEATS, SPEECH_VERBS, SPEECH_VERBS_INVERTED, WORK_HEADS,
    WORK_NOUNS,
};
use crate::language::vocabulary::gazetteer::is_place;
use crate::language::vocabulary::holds;
use crate::language::vocabulary::titles::is_honorific;
use harper_brill::UPOS;

/// The kinds of all names of a sentence. In an enumeration a name of which nothing is said is of the kind of its
/// neighbours: "orders from `TenneT` and Ørsted".
pub(crate) fn of_all(text: &str, sentence: &TaggedSentence<'_>, names: &[Name]) -> Vec<Vec<(NameKind, u32)>> {
    let mut kinds: Vec<Vec<(NameKind, u32)>> = names.iter().map(|name| of(text, sentence, name)).collect();
    let mut start = 0;
    while start < names.len() {
        let mut end = start + 1;
        let mut closed = false;
        while !closed && end - start < ENUMERATED {
            let pair = names.get(end - 1).zip(names.get(end));
            let Some(last) = pair.and_then(|(one, next)| joint(sentence, one, next)) else { break };
            closed = last;
            end += 1;
        }
        if let Some(kind) = kind_of_group(kinds.get(start..end).unwrap_or(&[])).filter(|_| closed) {
            for (name, kinds) in names.iter().zip(&mut kinds).skip(start).take(end - start) {
                let may_be =
                    kind != NameKind::Person || name.tokens(sentence).iter().all(EnglishToken::is_proper);
                if kinds.is_empty() && may_be {
                    kinds.push((kind, 2));
                }
            }
        }
        start = end;
    }
    kinds
}

/// Most names of an enumeration.
const ENUMERATED: usize = 8;
/// Least weight of a kind that its neighbours take over.
const ENOUGH: u32 = 3;

/// Whether "and" or "or" stands between two names, `false` where a comma does; `None` where they are not enumerated.
fn joint(sentence: &TaggedSentence<'_>, one: &Name, next: &Name) -> Option<bool> {
    let between = sentence.tokens.get(one.end..next.first)?;
    let words: Vec<&str> = between.iter().map(|token| token.lower.as_str()).collect();
    match words.as_slice() {
        [","] => Some(false),
        ["and" | "or"] | [",", "and" | "or"] | ["and" | "or", "the"] => Some(true),
        _ => None,
    }
}

/// The kind of all names of an enumeration that have one, where they agree and one of them is sure.
fn kind_of_group(kinds: &[Vec<(NameKind, u32)>]) -> Option<NameKind> {
    let strongest = kinds.iter().filter_map(|kinds| {
        kinds.iter().copied().max_by_key(|(kind, weight)| (*weight, std::cmp::Reverse(*kind)))
    });
    let said: Vec<(NameKind, u32)> = strongest.collect();
    let (first, _) = *said.first()?;
    let agree =
        said.iter().all(|(kind, _)| *kind == first) && said.iter().any(|(_, weight)| *weight >= ENOUGH);
    (agree && first != NameKind::Date).then_some(first)
}

/// Kinds with their weight; the greatest sum over all mentions decides.
fn of(text: &str, sentence: &TaggedSentence<'_>, name: &Name) -> Vec<(NameKind, u32)> {
    if name.rank == MentionRank::Date {
        return vec![(NameKind::Date, 10)];
    }
    let mut kinds = Vec::new();
    if name.is_quoted {
        kinds.push((NameKind::Work, 6));
    }
    kinds.extend(by_own_words(name.tokens(sentence)));
    kinds.extend(cues::by_gazetteer(name.tokens(sentence)));
    kinds.extend(cues::by_spelling(name.tokens(sentence)));
    kinds.extend(by_neighbours(sentence, name));
    kinds.extend(cues::by_use(sentence, name));
    kinds.extend(by_definition(text, sentence, name));
    kinds
}

/// "Mr. Scrooge", "University of Copenhagen", "Camden Town".
fn by_own_words(words: &[EnglishToken<'_>]) -> Option<(NameKind, u32)> {
    let first = words.first()?;
    // the head stands last, or before the first "of"
    let head_end =
        words.iter().position(|t| t.shape == WordShape::Lower && !t.is_possessive()).unwrap_or(words.len());
    let head = words.get(head_end.checked_sub(1)?)?;
    let last = words.last()?;
    // "Christmas-time" is the time of the holiday
    let holiday = last.lower.split_once('-').filter(|(_, rest)| {
        matches!(*rest, "time" | "tide" | "day" | "eve" | "night" | "morning" | "week" | "season")
    });
    if holds(HOLIDAYS, &last.lower) || holiday.is_some_and(|(name, _)| holds(HOLIDAYS, name)) {
        return Some((NameKind::Event, 6));
    }
    if words.len() == 1 {
        let is_bank = first.lower.len() > 6 && first.lower.ends_with("bank") && first.tag.is_none();
        let is_event = holds(EVENT_NAMES, &first.lower).then_some((NameKind::Event, 6));
        return is_event.or(is_bank.then_some((NameKind::Organization, 5)));
    }
    let is_firm = |word: &EnglishToken<'_>| word.text == "&" || word.is_capital() && !is_place(&word.lower);
    if words.iter().any(|word| word.text == "&") && words.iter().all(is_firm) {
        return Some((NameKind::Organization, 3));
    }
    let before_last = words.get(words.len() - 2).map_or("", |word| word.lower.as_str());
    if let Some(kind) = pair_kind(before_last, &last.lower) {
        return Some((kind, 9));
    }
    let is_honorific = is_honorific(&first.lower);
    for (head, weight) in [(head, 8), (last, 5)] {
        let kind = head_kind(&head.lower);
        // "Governor's School" is a school
        if let Some(kind) = kind.filter(|_| !is_honorific || words.iter().any(EnglishToken::is_possessive)) {
            return Some((kind, weight));
        }
    }
    if is_honorific && first.lower != "general" {
        return Some((NameKind::Person, 8));
    }
    // "Carl Rogers", "J. K. Rowling": two or three unknown or proper words with an initial
    let initials = words.iter().filter(|t| t.text.len() == 2 && t.text.ends_with('.')).count();
    (initials > 0 && words.iter().all(EnglishToken::is_capital)).then_some((NameKind::Person, 5))
}

/// What the last two words of a name say together, where the last alone says something else.
fn pair_kind(before: &str, last: &str) -> Option<NameKind> {
    match (before, last) {
        ("publishing" | "auction" | "fashion" | "media" | "record" | "software", "house") => {
            Some(NameKind::Organization)
        }
        ("all-star" | "bowl" | "championship" | "playoff" | "title", "game") => Some(NameKind::Event),
        _ => None,
    }
}

fn head_kind(word: &str) -> Option<NameKind> {
    if holds(ORGANIZATION_HEADS, word) {
        Some(NameKind::Organization)
    } else if holds(PLACE_HEADS, word) {
        Some(NameKind::Place)
    } else if holds(EVENT_HEADS, word) {
        Some(NameKind::Event)
    } else if holds(WORK_HEADS, word) {
        Some(NameKind::Work)
    } else {
        None
    }
}

fn by_neighbours(sentence: &TaggedSentence<'_>, name: &Name) -> Vec<(NameKind, u32)> {
    let tokens = &sentence.tokens;
    let word = |at: Option<usize>| at.and_then(|i| tokens.get(i)).map_or("", |token| token.lower.as_str());
    let tag = |at: Option<usize>| at.and_then(|i| tokens.get(i)).and_then(|token| token.tag);
    let before = word(name.first.checked_sub(1));
    let mut found = Vec::new();
    // over an article: "in the Bronx"
    let preposition = if before == "the" { word(name.first.checked_sub(2)) } else { before };
    let (next, after_next) = (word(Some(name.end)), word(Some(name.end + 1)));

    // "Analysts at Rabobank called": who stands behind a preposition is not who speaks; "asked £34,000" is no speech
    let is_object = is_object(tokens, name.first);
    let is_price = tokens
        .get(name.end + 1)
        .is_some_and(|token| token.shape == WordShape::Number || matches!(token.text, "$" | "£" | "€" | "¥"));
    if holds(SPEECH_VERBS, next) && !is_object && !is_price || holds(SPEECH_VERBS_INVERTED, before) {
        found.push((NameKind::Person, 4));
    }
    if matches!(next, "'s" | "’s") && holds(BODY_AND_KIN, after_next) {
        found.push((NameKind::Person, 4));
    }
    if holds(PERSON_NOUNS, before) {
        found.push((NameKind::Person, 4));
    }
    if next == "(" && (matches!(after_next, "born" | "b." | "né" | "née") || is_life(tokens, name.end + 1))
    {
        found.push((NameKind::Person, 8));
    }
    if next == "was" && after_next == "born" {
        found.push((NameKind::Person, 8));
    }
    if speaks_of_person(tokens.get(name.end..).unwrap_or(&[])) {
        found.push((NameKind::Person, 1));
    }
    if matches!(next, "who" | "whom") || next == "," && matches!(after_next, "who" | "whose" | "whom") {
        found.push((NameKind::Person, 4));
    }
    found.extend(by_preposition(sentence, name, before, preposition));
    // "the law firm De Brauw", not "Ada's firm Acme grew": a noun in lower case that no comma parts from the name
    let is_noun = |at: Option<usize>| {
        tag(at).is_none_or(|tag| matches!(tag, UPOS::NOUN | UPOS::PROPN))
            && at.and_then(|at| tokens.get(at)).is_some_and(|token| token.shape == WordShape::Lower)
    };
    for (list, kind) in [
        (WORK_NOUNS, NameKind::Work),
        (ORGANIZATION_NOUNS, NameKind::Organization),
        (PLACE_NOUNS, NameKind::Place),
        (PRODUCT_DEFINERS, NameKind::Product),
    ] {
        if holds(list, before) && is_noun(name.first.checked_sub(1)) {
            // a firm speaks as well
            found.push((kind, if kind == NameKind::Organization { 6 } else { 4 }));
        }
        if holds(list, next) && kind != NameKind::Product {
            found.push((kind, 2));
        }
    }
    found
}

/// Whether a name stands behind a preposition, an article between them or not.
fn is_object(tokens: &[EnglishToken<'_>], first: usize) -> bool {
    let word =
        |back: usize| first.checked_sub(back).and_then(|at| tokens.get(at)).map_or("", |token| &*token.lower);
    let before = if word(1) == "the" { word(2) } else { word(1) };
    matches!(before, "at" | "of" | "from" | "for" | "in" | "with" | "by" | "against" | "between")
}

/// "in Vienna", "from the Bronx", "by Carl Rogers".
fn by_preposition(
    sentence: &TaggedSentence<'_>,
    name: &Name,
    before: &str,
    preposition: &str,
) -> Vec<(NameKind, u32)> {
    // "in AI" is no place, "in the UK" is
    let is_acronym = name.tokens(sentence).iter().all(|token| token.shape == WordShape::AllCapitals);
    if is_acronym && before != "the" {
        return Vec::new();
    }
    // "founded in Esbjerg in 1981", "the factory in Esbjerg": the phrase ends with the name
    let tokens = &sentence.tokens;
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.lower.as_str());
    let is_dated = word(Some(name.end)) == "in"
        && tokens.get(name.end + 1).is_some_and(|token| token.shape == WordShape::Number);
    let seat = word(name.first.checked_sub(2));
    let is_seat = [SEATS, ORGANIZATION_NOUNS, PLACE_NOUNS].iter().any(|list| holds(list, seat));
    let is_plain =
        matches!(name.tokens(sentence), [word] if word.is_proper() && word.shape == WordShape::Capital);
    let closes = is_plain && (is_dated || is_seat);
    match preposition {
        "in" | "near" | "outside" | "throughout" if closes => vec![(NameKind::Place, 2)],
        "in" | "near" | "outside" | "throughout" => vec![(NameKind::Place, 1)],
        "by" if before == "by" => vec![(NameKind::Person, 1)],
        _ => Vec::new(),
    }
}

/// "Scrooge had often heard … his": a pronoun for a person before another name.
fn speaks_of_person(after: &[EnglishToken<'_>]) -> bool {
    after
        .iter()
        .take(8)
        .take_while(|token| !token.is_capital() && !matches!(token.text, "." | ";" | ","))
        .any(|token| matches!(token.lower.as_str(), "his" | "her" | "himself" | "herself" | "he" | "she"))
}

/// "(12 May 1900 – 3 June 1980)", "(1900-1980)".
fn is_life(tokens: &[EnglishToken<'_>], from: usize) -> bool {
    let inside = tokens.get(from..).unwrap_or(&[]);
    let years = |token: &&EnglishToken<'_>| token.text.len() == 4 && token.shape == WordShape::Number;
    inside.iter().take(12).take_while(|token| token.text != ")").filter(years).count() == 2
}

/// "X is a 2009 Polish film …", "Bob Cratchit, clerk to …", "X (Polish: …) was an American singer".
fn by_definition(text: &str, sentence: &TaggedSentence<'_>, name: &Name) -> Option<(NameKind, u32)> {
    let tokens = &sentence.tokens;
    let mut at = name.end;
    if tokens.get(at)?.text == "(" {
        at += tokens.get(at..)?.iter().take(40).position(|token| token.text == ")")? + 1;
    }
    let copula = tokens.get(at)?;
    let weight = match copula.lower.as_str() {
        "is" | "was" | "are" | "were" => 10,
        "," => 4,
        _ => return None,
    };
    at += 1;
    let article = tokens.get(at).map_or("", |token| token.lower.as_str());
    if weight == 10 && !matches!(article, "a" | "an" | "the" | "one") {
        return None;
    }
    let head = defining_noun(text, tokens, at)?;
    noun_kind(&head.lower).map(|kind| (kind, weight))
}

/// The last noun of the phrase that starts here: "a 2009 Polish *film* directed by", "the *capital* of".
fn defining_noun<'a, 'b>(
    text: &str,
    tokens: &'b [EnglishToken<'a>],
    from: usize,
) -> Option<&'b EnglishToken<'a>> {
    let mut head = None;
    for token in tokens.get(from..)?.iter().take(12) {
        let continues = match token.tag {
            Some(UPOS::DET | UPOS::ADJ | UPOS::NUM | UPOS::ADV) => true,
            Some(UPOS::NOUN | UPOS::PROPN) | None => {
                head = Some(token);
                true
            }
            Some(UPOS::VERB) => head.is_none(),
            _ => {
                matches!(token.lower.as_str(), "-" | "and") && head.is_none()
                || token.lower == "'s"
                // "one of the largest cities"
                || matches!(token.lower.as_str(), "of" | "the") && head.is_none_or(|h: &EnglishToken<'_>| h.lower == "one")
            }
        };
        if !continues {
            break;
        }
        // what is known already is not undone by the words behind it: "film noir", "actor Tom"
        if head.is_some_and(|noun| noun_kind(&noun.lower).is_some() && next_is_end(text, tokens, noun)) {
            break;
        }
    }
    head
}

fn next_is_end(text: &str, tokens: &[EnglishToken<'_>], noun: &EnglishToken<'_>) -> bool {
    let rest = text.get(noun.range.end..).unwrap_or("");
    let index = tokens.partition_point(|token| token.range.start < noun.range.end);
    rest.starts_with(['.', ',', ';']) || tokens.get(index).is_some_and(|next| next.shape != WordShape::Lower)
}
