//! Names that a question spells wrong, read as the nearest ones that the graph knows.
//!
//! Only a word that stands nowhere in the corpus can be wrong, and only a name that begins alike and is one letter
//! away, two where it is long, can be meant: rather a typing error too few than a question that was not asked.

use super::names::named_at;
use crate::domain::{Entity, Id, is_person, name_key};
use crate::language;
use crate::language::folding::simplify;
use crate::language::questions;
use crate::language::vocabulary::chinese::given_name_of;
use crate::language::vocabulary::synonyms::PHRASES;
use crate::services::Services;
use crate::stores::graph::{GraphReader, VectorKind};
use crate::stores::vectors::{VectorQuery, bm25};
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Words of the longest name looked for.
const LONGEST_WORDS: usize = 4;
/// Letters of the shortest word that can be wrong.
const SHORTEST_WORD: usize = 4;
/// Letters from which two may be wrong.
const LONG_NAME: usize = 8;
/// Letters that a name written in small letters must have in a question without any capital one.
const SHORTEST_SMALL: usize = 6;
/// Characters of a Chinese name that can be wrong: in a shorter one a character says too much.
const HAN: std::ops::RangeInclusive<usize> = 3..=4;

/// Texts that are looked through for a run of Chinese characters.
const LOOKED_THROUGH: usize = 10;

/// A name that was read otherwise than it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Correction {
    /// As the question has it.
    pub written: String,
    /// As the graph has it.
    pub read_as: String,
}

/// The question with its misspelt names put right, and what was put right.
///
/// # Errors
/// What the stores say.
pub(in crate::query) async fn correct(
    services: &Services,
    reader: &dyn GraphReader,
    question: &str,
) -> Result<(String, Vec<Correction>)> {
    let named = named_at(reader, &services.ids, question).await?;
    let mut found: Vec<(Range<usize>, String)> = owners(services, reader, question, &named).await?;
    for word in unknown_words(services, question, &named).await? {
        if found.iter().any(|(span, _)| span.start <= word.start && word.end <= span.end) {
            continue;
        }
        let mut is_named = false;
        for span in spans_around(question, &word) {
            if let Some(name) = nearest_name(services, reader, question, &span).await? {
                found.push((span, name));
                is_named = true;
                break;
            }
        }
        if !is_named && let Some(known) = nearest_word(services, reader, question, &word).await? {
            found.push((word, known));
        }
    }
    for span in han_spans(question) {
        let overlaps = |other: &Range<usize>| span.start < other.end && other.start < span.end;
        let is_name = |other: &Range<usize>| other.start <= span.start && span.end <= other.end;
        if found.iter().any(|(other, _)| overlaps(other)) || named.iter().any(|(other, _)| is_name(other)) {
            continue;
        }
        let known = named.iter().filter(|(other, _)| overlaps(other));
        let known = known.map(|(_, entity)| entity.text_unit_count).max().unwrap_or(0);
        let written = question.get(span.clone()).unwrap_or_default();
        // texts that name several of a family leave its name out: 维珊 for 沈维珊
        let given = given_name_of(written).filter(|given| given.chars().count() > 1);
        if let Some(name) = nearest_person(services, reader, question, &span, known).await?
            && !stands(services, reader, written).await?
            && !given_stands(services, reader, given).await?
        {
            found.push((span, name));
        }
    }
    found.sort_by_key(|(span, _)| span.start);
    let mut corrected = String::with_capacity(question.len());
    let mut corrections = Vec::new();
    let mut done = 0;
    for (span, name) in found {
        let Some(written) = question.get(span.clone()).filter(|_| span.start >= done) else { continue };
        corrected.push_str(question.get(done..span.start).unwrap_or_default());
        corrected.push_str(&name);
        done = span.end;
        corrections.push(Correction { written: written.to_owned(), read_as: name });
    }
    corrected.push_str(question.get(done..).unwrap_or_default());
    Ok((corrected, corrections))
}

/// Names of owners whose mark was left out before what is theirs, each with the mark: "acmes ceo" asks for Acme's.
async fn owners(
    services: &Services,
    reader: &dyn GraphReader,
    question: &str,
    named: &[(Range<usize>, Entity)],
) -> Result<Vec<(Range<usize>, String)>> {
    let mut found = Vec::new();
    for word in hurried_owners(question) {
        let is_known = |other: &Range<usize>| other.start < word.end && word.start < other.end;
        let Some(owner) = question.get(..word.end).and_then(|text| text.strip_suffix(['s', 'S'])) else {
            continue;
        };
        if named.iter().any(|(other, _)| is_known(other)) {
            continue;
        }
        let marked = format!("{owner}'s{}", question.get(word.end..).unwrap_or_default());
        let at = named_at(reader, &services.ids, &marked).await?;
        if let Some((span, entity)) = at.into_iter().find(|(span, _)| span.end == owner.len()) {
            let written = question.get(span.clone()).unwrap_or_default();
            let is_name = name_key(&entity.name) == name_key(written);
            let name = if is_name { entity.name.as_str() } else { written };
            found.push((span.start..word.end, format!("{name}'s")));
        }
    }
    Ok(found)
}

/// Words in s before an office or a relative: there a plural makes no sense.
fn hurried_owners(question: &str) -> Vec<Range<usize>> {
    let words: Vec<(usize, &str)> = question.unicode_word_indices().collect();
    let may_own = |word: &str| {
        word.len() >= SHORTEST_WORD
            && word.ends_with(['s', 'S'])
            && word.chars().all(char::is_alphabetic)
            && !language::is_stop_word(&word.to_lowercase())
            && !questions::is_question_word(&word.to_lowercase())
    };
    let is_theirs = |word: &str| {
        let word = word.to_lowercase();
        questions::is_role(&word) || questions::is_relative(&word) || is_office(&word)
    };
    let pairs = words.windows(2).filter_map(|pair| pair.first().zip(pair.get(1)));
    pairs
        .filter(|((_, owner), (_, theirs))| may_own(owner) && is_theirs(theirs))
        .map(|((start, owner), _)| *start..start + owner.len())
        .collect()
}

/// Whether a word is the short form of an office: "ceo".
fn is_office(word: &str) -> bool {
    PHRASES.iter().any(|(short, long)| *short == word && long.starts_with("chief "))
}

/// Words that look like names, are in none that is known, and stand nowhere in the corpus.
async fn unknown_words(
    services: &Services,
    question: &str,
    named: &[(Range<usize>, Entity)],
) -> Result<Vec<Range<usize>>> {
    let small = has_small_words(question);
    let shortest = if small { SHORTEST_SMALL } else { SHORTEST_WORD };
    let words: Vec<Range<usize>> = question
        .unicode_word_indices()
        .map(|(start, word)| start..start + without_owner(word).len())
        .filter(|span| named.iter().all(|(other, _)| span.end <= other.start || span.start >= other.end))
        .filter(|span| {
            let word = question.get(span.clone()).unwrap_or_default();
            let flat = word.to_lowercase();
            word.chars().all(char::is_alphabetic)
                && !word.chars().any(language::words::is_han)
                && word.chars().count() >= shortest
                && (small || word.starts_with(char::is_uppercase))
                && !language::is_stop_word(&flat)
                && !questions::is_question_word(&flat)
                && !questions::is_title(&flat)
        })
        .collect();
    let look = |span: &Range<usize>| {
        let query = VectorQuery {
            sparse: Some(bm25::query_vector(question.get(span.clone()).unwrap_or_default())),
            limit: 1,
            ..VectorQuery::default()
        };
        async move { services.vectors.search(VectorKind::TextUnits, &query).await }
    };
    let hits = futures::future::try_join_all(words.iter().map(look)).await?;
    Ok(words.into_iter().zip(hits).filter(|(_, hits)| hits.is_empty()).map(|(word, _)| word).collect())
}

/// Whether a question has no capital but that of its first word: what it writes small may be a name.
fn has_small_words(question: &str) -> bool {
    let first = question.trim_start_matches(|c: char| !c.is_alphanumeric()).chars().next();
    let capitals = question.chars().filter(|c| c.is_uppercase()).count();
    capitals == usize::from(first.is_some_and(char::is_uppercase))
}

/// The word of a text that a small one of a question means, where texts on the rest of the question have one alone that
/// begins alike and is as near as a name has to be.
async fn nearest_word(
    services: &Services,
    reader: &dyn GraphReader,
    question: &str,
    span: &Range<usize>,
) -> Result<Option<String>> {
    let written = question.get(span.clone()).unwrap_or_default();
    if written.len() < SHORTEST_SMALL || !written.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Ok(None);
    }
    let rest =
        [question.get(..span.start), question.get(span.end..)].map(Option::unwrap_or_default).join(" ");
    let query = VectorQuery {
        sparse: Some(bm25::query_vector(&rest)),
        limit: LOOKED_THROUGH,
        ..VectorQuery::default()
    };
    let hits = services.vectors.search(VectorKind::TextUnits, &query).await?;
    let ids: Vec<Id> = hits.into_iter().map(|hit| hit.id).collect();
    let units = reader.passages_by_id(&ids).await?;
    Ok(meant_among(written, units.iter().flat_map(|unit| language::words(&unit.unit.text))))
}

/// The one word of some that a misspelt one means: it begins alike, and what differs is no ending, or it would be another
/// form.
fn meant_among(written: &str, words: impl Iterator<Item = String>) -> Option<String> {
    const ENDING: usize = 2;
    let letters: Vec<char> = written.chars().collect();
    let limit = if letters.len() < LONG_NAME { 1 } else { 2 };
    let mut near: Vec<(usize, String)> = Vec::new();
    for word in words.filter(|word| word.chars().next() == letters.first().copied()) {
        let other: Vec<char> = word.chars().collect();
        let alike = letters.iter().zip(&other).take_while(|(one, two)| one == two).count();
        let is_form = alike + ENDING >= letters.len().min(other.len());
        let edits = if is_form { None } else { language::edits_within(&letters, &other, limit) };
        near.extend(edits.filter(|edits| *edits > 0).map(|edits| (edits, word)));
    }
    near.sort();
    near.dedup();
    let least = near.first()?.0;
    let mut nearest = near.into_iter().filter(|(edits, _)| *edits == least);
    let (first, other) = (nearest.next(), nearest.next());
    first.filter(|_| other.is_none()).map(|(_, word)| word)
}

fn without_owner(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// Runs of words that hold a word, longest first; stop words and question words stand inside only.
fn spans_around(question: &str, word: &Range<usize>) -> Vec<Range<usize>> {
    let words: Vec<Range<usize>> = question
        .unicode_word_indices()
        .map(|(start, word)| start..start + without_owner(word).len())
        .collect();
    let Some(place) = words.iter().position(|span| span.start == word.start) else { return Vec::new() };
    let carries = |span: &Range<usize>| {
        let flat = question.get(span.clone()).unwrap_or_default().to_lowercase();
        !language::is_stop_word(&flat) && !questions::is_question_word(&flat)
    };
    let mut spans = Vec::new();
    for first in place.saturating_sub(LONGEST_WORDS - 1)..=place {
        for last in place..(first + LONGEST_WORDS).min(words.len()) {
            if let (Some(from), Some(to)) = (words.get(first), words.get(last))
                && carries(from)
                && carries(to)
            {
                spans.push(from.start..to.end);
            }
        }
    }
    spans.sort_by_key(|span| (std::cmp::Reverse(span.len()), span.start));
    spans
}

/// The known name that a span means, as it is written in the graph.
async fn nearest_name(
    services: &Services,
    reader: &dyn GraphReader,
    question: &str,
    span: &Range<usize>,
) -> Result<Option<String>> {
    let written: Vec<char> = name_key(question.get(span.clone()).unwrap_or_default()).chars().collect();
    let Some(first) = written.first() else { return Ok(None) };
    let limit = if written.len() < LONG_NAME { 1 } else { 2 };
    let (shortest, longest) = (written.len().saturating_sub(limit), written.len() + limit);
    let mut near: Vec<(usize, String)> = reader
        .name_keys(&first.to_string(), shortest, longest)
        .await?
        .into_iter()
        .filter_map(|key| {
            let letters: Vec<char> = key.chars().collect();
            Some((language::edits_within(&written, &letters, limit)?, key))
        })
        .collect();
    let Some(least) = near.iter().map(|(edits, _)| *edits).min().filter(|edits| *edits > 0) else {
        return Ok(None);
    };
    near.retain(|(edits, _)| *edits == least);
    let keys: Vec<String> = near.into_iter().map(|(_, key)| key).collect();
    let best = best_known(services, reader, &keys, |_| true).await?.map(|(name, _)| name);
    Ok(best.filter(|name| may_be_meant(question.get(span.clone()).unwrap_or_default(), name)))
}

/// A word with a capital letter is a name, which is not a misspelt common word: "Slack" is not "stack".
fn may_be_meant(written: &str, name: &str) -> bool {
    !written.starts_with(char::is_uppercase) || name.contains(char::is_uppercase)
}

/// As [`nearest_name`] for Chinese persons: one character is another, the first one is right, and the name stands in
/// more text units than `known`, those of the name that stands there as it is.
async fn nearest_person(
    services: &Services,
    reader: &dyn GraphReader,
    question: &str,
    span: &Range<usize>,
    known: u32,
) -> Result<Option<String>> {
    let written: Vec<char> = name_key(question.get(span.clone()).unwrap_or_default()).chars().collect();
    let Some(first) = written.first() else { return Ok(None) };
    let keys: Vec<String> = reader
        .name_keys(&first.to_string(), written.len(), written.len())
        .await?
        .into_iter()
        .filter(|key| {
            key.chars().zip(&written).filter(|(one, other)| one != *other).count() == 1
                && key.chars().all(language::words::is_han)
        })
        .collect();
    let person = |entity: &Entity| is_person(&entity.kind);
    let best = best_known(services, reader, &keys, person).await?;
    Ok(best.filter(|(_, count)| *count > known).map(|(name, _)| name))
}

async fn given_stands(services: &Services, reader: &dyn GraphReader, given: Option<&str>) -> Result<bool> {
    match given {
        Some(given) => stands(services, reader, given).await,
        None => Ok(false),
    }
}

/// Whether a run of Chinese characters stands in one of the texts that share most of its pairs of characters.
async fn stands(services: &Services, reader: &dyn GraphReader, run: &str) -> Result<bool> {
    let query = VectorQuery {
        sparse: Some(bm25::query_vector(run)),
        limit: LOOKED_THROUGH,
        ..VectorQuery::default()
    };
    let hits = services.vectors.search(VectorKind::TextUnits, &query).await?;
    let ids: Vec<Id> = hits.into_iter().map(|hit| hit.id).collect();
    Ok(reader
        .passages_by_id(&ids)
        .await?
        .iter()
        .any(|unit| simplify(&unit.unit.text).contains(&*simplify(run))))
}

/// Of the entities behind some name keys the one that most text units mention: the name as it is written there.
async fn best_known(
    services: &Services,
    reader: &dyn GraphReader,
    keys: &[String],
    allows: impl Fn(&Entity) -> bool,
) -> Result<Option<(String, u32)>> {
    if keys.is_empty() {
        return Ok(None);
    }
    let resolution = reader.resolution_of(keys).await?;
    let by_id: BTreeMap<Id, &String> =
        keys.iter().map(|key| (services.ids.entity(resolution.get(key).unwrap_or(key)), key)).collect();
    let ids: Vec<Id> = by_id.keys().cloned().collect();
    let mut entities = reader.entities_by_id(&ids).await?;
    entities.retain(&allows);
    entities.sort_by(|a, b| b.text_unit_count.cmp(&a.text_unit_count).then_with(|| a.id.cmp(&b.id)));
    Ok(entities.into_iter().next().map(|entity| {
        let key = by_id.get(&entity.id);
        let spelled = std::iter::once(&entity.name)
            .chain(&entity.aliases)
            .find(|name| key.is_some_and(|key| name_key(name) == **key))
            .unwrap_or(&entity.name);
        (spelled.clone(), entity.text_unit_count)
    }))
}

/// Runs of Chinese characters as long as a name that can be wrong, none of them a word without meaning.
fn han_spans(question: &str) -> Vec<Range<usize>> {
    let characters: Vec<(usize, char)> = question.char_indices().collect();
    let fits = |c: char| language::words::is_han(c) && !language::is_stop_word(&c.to_string());
    let mut spans = Vec::new();
    for length in HAN {
        for run in characters.windows(length) {
            if let (true, Some((start, _)), Some((last, c))) =
                (run.iter().all(|(_, c)| fits(*c)), run.first(), run.last())
            {
                spans.push(*start..last + c.len_utf8());
            }
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_around_a_word_end_in_words_with_a_meaning() {
        let question = "Who is the Ghost of Chrismas Past?";
        let start = question.find("Chrismas").unwrap();
        let spans = spans_around(question, &(start..start + 8));
        let texts: Vec<&str> = spans.iter().map(|span| &question[span.clone()]).collect();
        assert_eq!(texts, ["Ghost of Chrismas Past", "Ghost of Chrismas", "Chrismas Past", "Chrismas"]);
    }

    #[test]
    fn an_owner_without_a_mark_stands_before_an_office_or_a_relative() {
        let owners = |question: &str| -> Vec<String> {
            hurried_owners(question).into_iter().map(|span| question[span].to_owned()).collect()
        };
        assert_eq!(owners("who is acmes ceo"), ["acmes"]);
        assert_eq!(owners("where was Hannahs mother born?"), ["Hannahs"]);
        assert!(owners("who is Acme's ceo").is_empty());
        assert!(owners("which companies have offices in Leeds?").is_empty());
    }

    #[test]
    fn a_small_word_may_be_a_misspelt_one_of_the_texts() {
        let check = |written: &str, words: &[&str], expected: Option<&str>| {
            let words = words.iter().map(|word| (*word).to_owned());
            assert_eq!(meant_among(written, words).as_deref(), expected, "{written}");
        };
        check("futbridge", &["footbridge", "footbridge", "bridge", "footpath"], Some("footbridge"));
        check("resrvoir", &["reservoir", "reserve"], Some("reservoir"));
        // another form, another word, two that are as near
        check("treasurer", &["treasures", "treasury"], None);
        check("harvest", &["harness"], None);
        check("barrels", &["barrows", "bartels", "balrels"], None);
        assert!(has_small_words("Who repaired the futbridge?") && has_small_words("who is it"));
        assert!(!has_small_words("Who is the Mayor?") && !has_small_words("is it Slack"));
    }

    #[test]
    fn a_name_is_no_misspelt_common_word() {
        assert!(!may_be_meant("Slack", "stack"));
        assert!(may_be_meant("Scrouge", "Scrooge"));
        assert!(may_be_meant("scrouge", "Scrooge"));
        assert!(may_be_meant("stakc", "stack"));
    }

    #[test]
    fn chinese_spans_hold_no_word_without_meaning() {
        let question = "诸葛凉是谁";
        let spans = han_spans(question);
        let texts: Vec<&str> = spans.iter().map(|span| &question[span.clone()]).collect();
        assert_eq!(texts, ["诸葛凉"]);
    }
}
