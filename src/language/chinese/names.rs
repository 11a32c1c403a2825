//! Chinese names: candidates among the segmenter's words, and what the whole unit says of them.

use super::ChineseToken;
use super::candidate::NameCandidate;
use super::organizations::{listed, organization, public};
use super::people::{introduced, listed_beside};
use super::places::{beside, natives};
use crate::language::mention::{MentionRank, NameKind, NameMention};
use crate::language::passages::SentenceSpan;
use crate::language::stated::{full_names, stated};
use crate::language::vocabulary::chinese::{
    COMMON, DOUBLE_SURNAMES, FALSE_NAMES, GENERAL_NOUNS_CHINESE, HEAD, PLACE_TAIL, PLAIN_SURNAMES, SPEECH,
    SURNAMES, TAIL, TITLES,
};
use crate::language::vocabulary::holds;
use crate::language::words::is_han;
use crate::language::words::segmenter;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Most characters of a name that is looked for.
const NAME_CHARACTERS: usize = 16;
/// What the unit says of a candidate.
#[derive(Default)]
struct CandidateTally {
    kind: Option<NameKind>,
    count: u32,
    /// Times that it speaks or acts.
    speaks: u32,
    is_known: bool,
    /// Accepted whatever the rest says: an office with a surname, a name with a dot inside.
    is_sure: bool,
}

/// The names of a unit.
pub(crate) struct ChineseNames {
    accepted: FxHashMap<String, NameKind>,
    longest: usize,
}

impl ChineseNames {
    /// Decides over all sentences of a unit.
    pub(crate) fn of(text: &str, passages: &[&SentenceSpan], sentences: &[Vec<ChineseToken<'_>>]) -> Self {
        let mut tallies: FxHashMap<String, CandidateTally> = FxHashMap::default();
        for (passage, tokens) in passages.iter().zip(sentences) {
            let mut all: Vec<NameCandidate> =
                (0..tokens.len()).flat_map(|index| candidates(tokens, index)).collect();
            all.extend(introduced(text, &passage.range));
            all.extend(natives(text, &passage.range));
            for candidate in all {
                let Some(name) = text.get(candidate.range.clone()) else { continue };
                let after = text.get(candidate.range.end..passage.range.end).unwrap_or("");
                let tally = tallies.entry(name.to_owned()).or_default();
                tally.count += 1;
                tally.speaks += u32::from(speaks(after));
                tally.is_known |= candidate.is_known;
                // what is sure says the kind
                tally.kind = match tally.kind {
                    Some(kind) if tally.is_sure == candidate.is_sure => Some(kind.min(candidate.kind)),
                    Some(kind) if tally.is_sure => Some(kind),
                    _ => Some(candidate.kind),
                };
                tally.is_sure |= candidate.is_sure;
            }
            for work in works(text, &passage.range) {
                let tally =
                    CandidateTally { kind: Some(NameKind::Work), is_sure: true, ..CandidateTally::default() };
                tallies.insert(text.get(work).unwrap_or("").to_owned(), tally);
            }
        }
        let mut accepted: FxHashMap<String, NameKind> = FxHashMap::default();
        for (name, tally) in &tallies {
            if let Some(kind) = tally.kind.filter(|_| is_name(name, tally)) {
                accepted
                    .insert(name.clone(), if kind == NameKind::Concept { NameKind::Person } else { kind });
            }
        }
        take_stated(text, &tallies, &mut accepted);
        take_listed(text, passages, &mut accepted);
        let longest =
            accepted.keys().map(|name| name.chars().count()).max().unwrap_or(0).min(NAME_CHARACTERS);
        Self { accepted, longest }
    }

    /// The names in a sentence, at each place the longest.
    pub(crate) fn find(&self, text: &str, range: &Range<usize>) -> Vec<NameMention> {
        let sentence = text.get(range.clone()).unwrap_or("");
        let mut starts: Vec<usize> = sentence.char_indices().map(|(at, _)| at).collect();
        starts.push(sentence.len());
        let mut found = Vec::new();
        let mut at = 0;
        while at + 1 < starts.len() {
            let longest = self.longest.min(starts.len() - 1 - at);
            let hit = (2..=longest).rev().find_map(|length| {
                let part = starts.get(at)..starts.get(at + length);
                let part = *part.start?..*part.end?;
                let kind = self.accepted.get(sentence.get(part.clone())?)?;
                Some((length, part, *kind))
            });
            let Some((length, part, kind)) = hit else {
                at += 1;
                continue;
            };
            let name = sentence.get(part.clone()).unwrap_or("");
            let place = range.start + part.start..range.start + part.end;
            found.push(NameMention::new(name, place, MentionRank::Name, vec![(kind, 4)]));
            at += length;
        }
        found
    }
}

/// Takes the names that the text itself gives somebody, and leaves out longer guesses that only begin with one of them:
/// 仲文觉 where 仲文 is said to be his name.
fn take_stated(
    text: &str,
    tallies: &FxHashMap<String, CandidateTally>,
    accepted: &mut FxHashMap<String, NameKind>,
) {
    let mut said: Vec<(String, NameKind)> =
        full_names(text).into_iter().map(|name| (name, NameKind::Person)).collect();
    for stated in stated(text) {
        if !stated.other.chars().all(is_han) {
            continue;
        }
        if stated.is_open {
            let kind = accepted
                .iter()
                .filter(|(name, _)| stated.name.ends_with(name.as_str()))
                .max_by_key(|(name, _)| name.len())
                .map(|(_, kind)| *kind);
            said.extend(kind.map(|kind| (stated.other, kind)));
        } else if stated.courtesy
            || accepted.contains_key(&stated.name)
            || !stated.name.chars().any(|c| COMMON.contains(c))
        {
            said.extend([(stated.name, NameKind::Person), (stated.other, NameKind::Person)]);
        }
    }
    for (name, kind) in said {
        let is_guess = |longer: &String| {
            longer.len() > name.len()
                && longer.starts_with(&name)
                && longer.chars().count() == name.chars().count() + 1
                && tallies.get(longer).is_some_and(|tally| !tally.is_sure && !tally.is_known)
        };
        accepted.retain(|longer, _| !is_guess(longer));
        accepted.entry(name).or_insert(kind);
    }
}

/// Rounds in which names of a list are found from those beside them.
const LIST_ROUNDS: usize = 4;

/// Takes what stands in a list beside persons.
fn take_listed(text: &str, passages: &[&SentenceSpan], accepted: &mut FxHashMap<String, NameKind>) {
    for _ in 0..LIST_ROUNDS {
        let is_person = |name: &str| accepted.get(name) == Some(&NameKind::Person);
        let beside: Vec<String> = passages
            .iter()
            .flat_map(|passage| listed_beside(text, &passage.range, is_person))
            .filter_map(|range| text.get(range).map(str::to_owned))
            .filter(|name| !accepted.contains_key(name))
            .collect();
        if beside.is_empty() {
            return;
        }
        accepted.extend(beside.into_iter().map(|name| (name, NameKind::Person)));
    }
}

fn candidates(tokens: &[ChineseToken<'_>], index: usize) -> Vec<NameCandidate> {
    let Some(token) = tokens.get(index) else { return Vec::new() };
    let mut found = Vec::new();
    found.extend(dotted(tokens, index));
    found.extend(organization(tokens, index).or_else(|| public(tokens, index)));
    found.extend(listed(token));
    found.extend(beside(tokens, index));
    found.extend(titled(tokens, index));
    found.extend(split(tokens, index));
    let plain =
        |kind| NameCandidate { range: token.range.clone(), kind, is_known: token.is_known, is_sure: false };
    if token.character_count < 2 || !token.text.chars().all(is_han) {
        return found;
    }
    match token.tag {
        "ns" => {
            let person =
                starts_with_double_surname(token.text) && !token.text.ends_with(|c| PLACE_TAIL.contains(c));
            found.push(plain(if person { NameKind::Person } else { NameKind::Place }));
        }
        "nt" if token.is_known => found.push(plain(NameKind::Organization)),
        tag if tag.starts_with("nr") && token.is_known => {
            found.push(match core(token, tokens.get(index + 1)) {
                Some(range) if range != token.range => {
                    NameCandidate { range, is_known: false, ..plain(NameKind::Person) }
                }
                _ => plain(NameKind::Person),
            });
        }
        "n" if token.is_known && token.character_count < 4 => {
            found.push(NameCandidate { is_known: false, ..plain(NameKind::Concept) });
        }
        _ if !token.is_known => {
            found.extend(
                core(token, tokens.get(index + 1))
                    .map(|range| NameCandidate { range, ..plain(NameKind::Person) }),
            );
        }
        _ => {}
    }
    found
}

/// "查尔斯·狄更斯": words joined by a dot.
fn dotted(tokens: &[ChineseToken<'_>], index: usize) -> Option<NameCandidate> {
    let is_dot = |at: usize| tokens.get(at).is_some_and(|t| matches!(t.text, "·" | "•" | "・" | "‧"));
    let is_part =
        |at: usize| tokens.get(at).is_some_and(|t| t.text.chars().all(is_han) && t.character_count > 1);
    if !is_part(index) || !is_dot(index + 1) || index > 0 && is_dot(index - 1) {
        return None;
    }
    let mut end = index;
    while is_dot(end + 1) && is_part(end + 2) && end < index + 6 {
        end += 2;
    }
    let range = tokens.get(index)?.range.start..tokens.get(end)?.range.end;
    (end > index).then_some(NameCandidate { range, kind: NameKind::Person, is_known: false, is_sure: true })
}

/// "曹丞相", "王司徒": a surname and an office, in one word or two.
fn titled(tokens: &[ChineseToken<'_>], index: usize) -> Option<NameCandidate> {
    let token = tokens.get(index)?;
    let sure = |range| Some(NameCandidate { range, kind: NameKind::Person, is_known: false, is_sure: true });
    if is_surname(token.text) && !HEAD.contains(token.text) {
        let office = tokens.get(index + 1)?;
        let joined =
            office.range.start == token.range.end && holds(TITLES, office.text) && office.character_count > 1;
        return if joined { sure(token.range.start..office.range.end) } else { None };
    }
    let first = token.text.chars().next()?;
    let office = token.text.get(first.len_utf8()..)?;
    let named = token.tag.starts_with("nr") && office.chars().nth(1).is_some() && holds(TITLES, office);
    if named
        && SURNAMES.contains(first)
        && !HEAD.contains(first)
        && !PLAIN_SURNAMES.contains(first)
        && !holds(FALSE_NAMES, token.text)
    {
        sure(token.range.clone())
    } else {
        None
    }
}

/// "李｜傕": a surname and a rare character, which the segmenter leaves apart.
fn split(tokens: &[ChineseToken<'_>], index: usize) -> Option<NameCandidate> {
    let (surname, given) = (tokens.get(index)?, tokens.get(index + 1)?);
    let character = given.text.chars().next()?;
    let is_rare = given.character_count == 1
        && is_han(character)
        && !SURNAMES.contains(character)
        && [COMMON, TAIL, HEAD, PLACE_TAIL].iter().all(|list| !list.contains(character));
    let joins = is_rare && is_surname(surname.text) && surname.range.end == given.range.start;
    let range = surname.range.start..given.range.end;
    joins.then_some(NameCandidate { range, kind: NameKind::Person, is_known: false, is_sure: false })
}

fn is_surname(text: &str) -> bool {
    let mut characters = text.chars();
    let single = characters.next().is_some_and(|c| SURNAMES.contains(c) && !PLAIN_SURNAMES.contains(c));
    single && characters.next().is_none() || holds(DOUBLE_SURNAMES, text) && !holds(TITLES, text)
}

fn starts_with_double_surname(text: &str) -> bool {
    DOUBLE_SURNAMES.iter().any(|surname| text.starts_with(surname) && text.len() > surname.len())
}

/// What remains of a word when verbs and particles at its ends are cut off: two to four characters. The dictionary
/// holds such words as well; of its own names only those are cut that are still in it when cut.
fn core(token: &ChineseToken<'_>, next: Option<&ChineseToken<'_>>) -> Option<Range<usize>> {
    let mut text = token.text;
    for title in TITLES {
        if let Some(rest) = text.strip_prefix(title).filter(|rest| rest.chars().nth(1).is_some()) {
            text = rest;
        }
    }
    let surname_first = |text: &str| text.chars().next().is_some_and(|c| SURNAMES.contains(c));
    let long = |text: &str| text.chars().nth(2).is_some();
    while long(text) && !surname_first(text) && text.starts_with(|c| HEAD.contains(c)) {
        text = after_first(text);
    }
    let cuts =
        |text: &str| !token.is_known || !surname_first(text) || segmenter().has_word(before_last(text));
    while long(text) && text.ends_with(|c| TAIL.contains(c)) && cuts(text) && !ends_given_name(text, next) {
        text = before_last(text);
    }
    let count = text.chars().count();
    let limit = if starts_with_double_surname(text) { 4 } else { 3 };
    if !(2..=limit).contains(&count) || !token.is_known && count == 2 && text.ends_with(|c| TAIL.contains(c))
    {
        return None;
    }
    if !surname_first(text) && text.starts_with(|c| HEAD.contains(c)) {
        return None;
    }
    let offset = text.as_ptr() as usize - token.text.as_ptr() as usize;
    Some(token.range.start + offset..token.range.start + offset + text.len())
}

/// 贺秋生, 王建军: the last character is a verb or a noun elsewhere, and what stands behind it does not go on from it.
fn ends_given_name(text: &str, next: Option<&ChineseToken<'_>>) -> bool {
    let behind = next.and_then(|next| next.text.chars().next());
    let closes = behind.is_none_or(|c| !is_han(c));
    let is_full = text.chars().count() == 3 && text.chars().next().is_some_and(|c| SURNAMES.contains(c));
    is_full
        && match text.chars().next_back() {
            Some('生') => closes || behind.is_some_and(|c| !"于子下有了前病气出长活怕".contains(c)),
            Some('军') => closes,
            _ => false,
        }
}

fn after_first(text: &str) -> &str {
    let mut characters = text.chars();
    characters.next();
    characters.as_str()
}

fn before_last(text: &str) -> &str {
    let mut characters = text.chars();
    characters.next_back();
    characters.as_str()
}

/// Whether what follows a name shows somebody who speaks or acts.
fn speaks(after: &str) -> bool {
    SPEECH.iter().any(|word| after.starts_with(word))
}

/// Whether a candidate is a name, by all that the unit says of it.
fn is_name(name: &str, tally: &CandidateTally) -> bool {
    if holds(FALSE_NAMES, name) && tally.kind != Some(NameKind::Work) || name.is_empty() {
        return false;
    }
    if tally.is_sure {
        return true;
    }
    let has_common = name.chars().any(|c| COMMON.contains(c));
    match tally.kind {
        Some(NameKind::Place) => {
            let tail = name.chars().next_back().is_some_and(|c| PLACE_TAIL.contains(c));
            let body = before_last(name);
            let clean = !body.chars().any(|c| COMMON.contains(c) || HEAD.contains(c));
            let known = tally.is_known && !holds(GENERAL_NOUNS_CHINESE, name) && !holds(TITLES, name);
            !is_way_to_a_place(name) && !is_side_of_a_place(name) && (known || tail && clean)
        }
        Some(NameKind::Person) => is_person(name, tally, has_common),
        // a plain noun that speaks is somebody
        Some(NameKind::Concept) => {
            !has_common && tally.speaks > 1 && !holds(GENERAL_NOUNS_CHINESE, name) && !holds(TITLES, name)
        }
        _ => tally.is_known,
    }
}

/// "入城", "出关": a verb and what it reaches, which the segmenter's dictionary holds as places.
fn is_way_to_a_place(name: &str) -> bool {
    let mut characters = name.chars();
    let (first, last, more) = (characters.next(), characters.next(), characters.next());
    first.is_some_and(|c| "入出进攻守围破屠登弃献".contains(c))
        && last.is_some_and(|c| "城关寨营门".contains(c))
        && more.is_none()
}

/// "馆内", "校外": a place of a place. 河内 is a town.
fn is_side_of_a_place(name: &str) -> bool {
    name.chars().count() == 2 && name.ends_with(['内', '外']) && name != "河内"
}

/// "卓大怒", "太尉杨": a name with what its bearer does, or an office with the beginning of a name.
fn is_cut_wrong(name: &str) -> bool {
    let several = |word: &&&str| word.chars().nth(1).is_some();
    let acts = SPEECH.iter().filter(several).any(|word| name.ends_with(word));
    let office = TITLES.iter().filter(several).filter_map(|title| name.strip_prefix(title));
    acts || office.into_iter().any(|rest| rest.chars().count() == 1)
}

fn is_person(name: &str, tally: &CandidateTally, has_common: bool) -> bool {
    let first = name.chars().next().unwrap_or(' ');
    let count = name.chars().count();
    if starts_with_double_surname(name) {
        return tally.is_known || !has_common || tally.speaks > 0 || tally.count > 1;
    }
    if is_cut_wrong(name) {
        return false;
    }
    let counted = name.chars().any(|c| "二三四五六七八九十百千两数".contains(c));
    if holds(TITLES, name) || holds(GENERAL_NOUNS_CHINESE, name) || counted && !tally.is_known {
        return false;
    }
    let recurs = tally.count > 1;
    if SURNAMES.contains(first) && !PLAIN_SURNAMES.contains(first) {
        let given = after_first(name);
        let given_common = given.chars().any(|c| COMMON.contains(c));
        let trusted = tally.is_known && count < 3 || recurs && tally.speaks > 0;
        return trusted || !given_common || recurs && is_whole_given_name(given);
    }
    if SURNAMES.contains(first) {
        let speaks = tally.speaks > 0 && (recurs || tally.is_known);
        return speaks || recurs && (if tally.is_known { count > 2 } else { !has_common });
    }
    if tally.is_known {
        return recurs && (count > 2 || tally.speaks > 0);
    }
    !has_common && recurs && (tally.speaks > 0 || tally.count > 2)
}

/// 立群: two characters of which one stands in many words, too, that are no word together and do not end as a name is cut.
fn is_whole_given_name(given: &str) -> bool {
    let common = given.chars().filter(|c| COMMON.contains(*c)).count();
    given.chars().count() == 2
        && common < 2
        && !segmenter().has_word(given)
        && (given.ends_with(['生', '军']) || !given.ends_with(|c| TAIL.contains(c) || COMMON.contains(c)))
}

/// What stands in 《…》.
fn works(text: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let sentence = text.get(range.clone()).unwrap_or("");
    let mut found = Vec::new();
    for (open, mark) in sentence.match_indices('《') {
        let start = open + mark.len();
        let Some(length) = sentence.get(start..).and_then(|rest| rest.find('》')) else { break };
        if (1..NAME_CHARACTERS * 3).contains(&length) {
            found.push(range.start + start..range.start + start + length);
        }
    }
    found
}
