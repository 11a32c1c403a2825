//! The answer to a question from what was retrieved for it: by the model, or by the best sentences.

use super::choices::{asks_which, has_choices};
use super::concepts::other_words;
use super::extractive::answer_by_sentences;
use super::extremes::{asks_extreme, may_cut_table};
use super::generation::AnswerTask;
use super::overview::overview;
use super::quotes::nothing_found;
use super::{Answer, Found, NamedRecord, generation, provenance};
use crate::domain::{Day, Id, Interval, RecordKind, StoredUnit};
use crate::prompts::{AnswerFrom, AnswerQuestion, Data, Prompt};
use crate::query::languages;
use crate::query::question::{Asks, Question};
use crate::query::retrieval::hybrid::{HybridQuery, hybrid_search};
use crate::query::search::Search;
use crate::stores::graph::VectorKind;
use crate::stores::vectors::Filter;
use anyhow::Result;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// What an answer is written from, besides the context.
pub(in crate::query) struct SynthesisInput<'a> {
    /// What the context holds.
    pub(in crate::query) from: AnswerFrom,
    /// The question, taken apart.
    pub(in crate::query) question: &'a Question,
    /// Text units by rank.
    pub(in crate::query) units: Vec<(&'a StoredUnit, f64)>,
    /// Documents of which all text units are among them.
    pub(in crate::query) whole: BTreeSet<Id>,
}

/// Writes the answer: by the model from the context, without one by the best sentences of all units. Returns whether a
/// model wrote it, whose citations are checked and yet to be resolved.
pub(in crate::query) async fn synthesize(
    search: &Search<'_>,
    input: &SynthesisInput<'_>,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<bool> {
    let Some(model) = &search.services.chat else {
        if search.request.about_a_theme && by_standard_answers(result) {
            on_text(&result.answer);
            return Ok(true);
        }
        if input.question.asks == Asks::Overview && overview(search, result, on_text).await? {
            return Ok(false);
        }
        answer_by_sentences(input.question, &input.units, &input.whole, result, on_text);
        return Ok(false);
    };
    if result.context.items.is_empty() {
        let told = languages::nothing_compared(search).await?;
        told.unwrap_or_else(|| nothing_found(input.question.language)).clone_into(&mut result.answer);
        result.found = Found(false);
        on_text(&result.answer);
        return Ok(false);
    }
    let budget = history_budget(search);
    loop {
        let prompt = AnswerQuestion {
            of: input.from,
            context: Data::text(result.context.text()),
            question: search.request.question_text(),
            response_type: generation::response_type(search.request),
            history: Data::items(generation::history_lines(
                &search.request.history,
                search.services.tokens,
                budget,
            )),
        };
        let messages = search.services.prompts.render(&prompt)?;
        let task = AnswerTask::new(search.services, model.as_ref(), prompt.name());
        let shown = result.context.clone();
        let known = |kind, number| shown.shows(kind, number);
        match task.stream(messages, &known, result, on_text).await {
            Err(error) if generation::is_too_long(&error) && result.context.halve() => {
                result.entities = NamedRecord::of(&result.context, RecordKind::Entities);
                result.reports = NamedRecord::of(&result.context, RecordKind::Reports);
            }
            done => return done.map(|()| true),
        }
    }
}

/// Standard answers that a sum of them is made of, without a model.
const SUMMED: usize = 6;

/// Makes the standard answers of a theme the answer, each with its question. Returns whether there are several.
fn by_standard_answers(result: &mut Answer) -> bool {
    let lines: Vec<String> = result
        .context
        .of(RecordKind::Answers)
        .take(SUMMED)
        .filter_map(|item| {
            let (question, answer) = item.record.text.split_once(" | ")?;
            Some(format!("- {question} {answer} [Data: Answers ({})]", item.number))
        })
        .collect();
    if lines.len() < 2 {
        return false;
    }
    result.answer = lines.join("\n");
    true
}

/// Text units that an answer is written from.
pub(in crate::query) struct RankedPassages {
    /// What the context holds.
    pub(in crate::query) from: AnswerFrom,
    /// The question, taken apart.
    pub(in crate::query) question: Question,
    /// Text units by rank.
    pub(in crate::query) ranked: Vec<(Id, f64)>,
    /// The units themselves.
    pub(in crate::query) units: BTreeMap<Id, StoredUnit>,
    /// Text units by their score without the embedding of the question, the best first; empty where it had none.
    pub(in crate::query) by_words: Vec<(Id, f64)>,
}

/// Writes the answer from text units and resolves its citations.
pub(in crate::query) async fn synthesize_from_passages(
    search: &Search<'_>,
    passages: &RankedPassages,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<()> {
    let begun = Instant::now();
    let wider;
    let (ranked, more) = if search.services.chat.is_none() {
        wider = in_other_words(search, passages).await?;
        (&wider.ranked, Some(&wider.units))
    } else {
        wider = WiderPassages::default();
        (&passages.ranked, None)
    };
    let unit_of = |id: &Id| more.and_then(|more| more.get(id)).or_else(|| passages.units.get(id));
    let units: Vec<(&StoredUnit, f64)> =
        ranked.iter().filter_map(|(id, score)| Some((unit_of(id)?, *score))).collect();
    let whole = wider.whole.clone();
    let input = SynthesisInput { from: passages.from, question: &passages.question, units, whole };
    if synthesize(search, &input, result, on_text).await? {
        provenance::resolve_answer(search.services, search.reader.as_ref(), result).await?;
    }
    result.took("answer", begun);
    Ok(())
}

/// Share of a text unit's rank among those that sentences are chosen from that it has with embeddings; the rest is what it
/// has without. With them all units are nearly alike, and sentences of the plain questions came first that answer nothing.
const BY_EMBEDDINGS: f64 = 0.25;
/// Text units that are looked at for their score without embeddings, however far behind they are with these.
const BY_WORDS: usize = 40;

/// Text units with their scores with embeddings and without, each as a share of the best one.
fn by_both(ranked: &[(Id, f64)], by_words: &[(Id, f64)]) -> Vec<(Id, f64)> {
    let share = |scores: &[(Id, f64)]| -> FxHashMap<Id, f64> {
        let most = scores.iter().map(|(_, score)| *score).fold(f64::MIN_POSITIVE, f64::max);
        scores.iter().map(|(id, score)| (id.clone(), score / most)).collect()
    };
    let (embedded, said) = (share(ranked), share(by_words));
    let ids = ranked.iter().map(|(id, _)| id);
    let more = by_words.iter().map(|(id, _)| id).take(BY_WORDS).filter(|id| !embedded.contains_key(*id));
    let score = |id: &Id| match (embedded.get(id), said.get(id)) {
        (Some(embedded), Some(said)) => BY_EMBEDDINGS * embedded + (1.0 - BY_EMBEDDINGS) * said,
        (one, other) => one.or(other).copied().unwrap_or_default(),
    };
    let mut both: Vec<(Id, f64)> = ids.chain(more).map(|id| (id.clone(), score(id))).collect();
    both.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    both
}

/// Text units that the question's words find, and other words for what is asked, each half as good as a first one of its rank would be.
const OTHER_WORDS: usize = 60;
/// The same where a question asks how something went on: each period has to be among them.
const OVER_TIME: usize = 120;

/// Text units by rank, and those that were read for them.
#[derive(Default)]
struct WiderPassages {
    ranked: Vec<(Id, f64)>,
    units: BTreeMap<Id, StoredUnit>,
    /// Documents of which all text units are among the ranked.
    whole: BTreeSet<Id>,
}

/// The ranked text units, with those that say the same in other words; with their records where the question asks who: whom a
/// sentence tells of stands there, and nowhere in what a model is shown.
async fn in_other_words(search: &Search<'_>, passages: &RankedPassages) -> Result<WiderPassages> {
    let mut ranked = match passages.by_words.as_slice() {
        [] => passages.ranked.clone(),
        by_words => by_both(&passages.ranked, by_words),
    };
    let mut known: BTreeSet<Id> = ranked.iter().map(|(id, _)| id.clone()).collect();
    let best = ranked.first().map_or(1.0, |(_, score)| *score);
    let limit = if passages.question.over_time { OVER_TIME } else { OTHER_WORDS };
    let other = other_words(&passages.question);
    let asked = passages.question.text.as_str();
    let anywhere = || search.filters.of_units();
    let mut searches = vec![(asked, anywhere()), (other.as_str(), anywhere())];
    let times: Vec<Interval> = passages.question.periods.iter().map(Interval::from).collect();
    let of_times = if wants_newest(&passages.question) {
        newest_texts(search).await?
    } else {
        texts_of_times(search, &times).await?
    };
    if let Some(of_times) = of_times {
        searches.insert(0, (asked, of_times));
    }
    for (text, filter) in searches.into_iter().filter(|(text, _)| !text.is_empty()) {
        let query = HybridQuery { text, dense: None, limit };
        let hits = hybrid_search(search.services, VectorKind::TextUnits, &query, filter).await?;
        for (rank, hit) in hits.into_iter().enumerate() {
            if known.insert(hit.id.clone()) {
                ranked.push((hit.id, best * 0.5 / (rank as f64 + 1.0)));
            }
        }
    }
    let with_records = passages.question.asks_for_somebody();
    let missing = |id: &&Id| with_records || !passages.units.contains_key(*id);
    let ids: Vec<Id> = ranked.iter().map(|(id, _)| id).filter(missing).cloned().collect();
    let units = if with_records {
        search.reader.text_units_by_id(&ids).await?
    } else {
        search.reader.passages_by_id(&ids).await?
    };
    let cut = units.into_iter().map(|unit| (unit.unit.id.clone(), search.filters.cut(unit)));
    let mut units: BTreeMap<Id, StoredUnit> = cut.collect();
    let mut whole = BTreeSet::new();
    let of_ranked = || ranked.iter().filter_map(|(id, _)| units.get(id).or_else(|| passages.units.get(id)));
    let may_choose = asks_which(&passages.question) && of_ranked().any(|unit| has_choices(&unit.unit));
    if (asks_extreme(&passages.question) || may_choose) && search.filters.places.is_empty() {
        for unit in with_rest_of_tables(search, passages, &ranked, &units).await? {
            whole.insert(unit.unit.document_id.clone());
            if known.insert(unit.unit.id.clone()) {
                ranked.push((unit.unit.id.clone(), 0.0));
                units.insert(unit.unit.id.clone(), unit);
            }
        }
    }
    Ok(WiderPassages { ranked, units, whole })
}

/// Documents whose tables are read as a whole, and the most text units that one of them has.
const WHOLE_DOCUMENTS: usize = 3;
const WHOLE_UNITS: u32 = 60;

/// All text units of the first documents of which a part of a table is among the ranked: the greatest row may be in another
/// part. None of a document that may not be shown as a whole, or is large.
async fn with_rest_of_tables(
    search: &Search<'_>,
    passages: &RankedPassages,
    ranked: &[(Id, f64)],
    units: &BTreeMap<Id, StoredUnit>,
) -> Result<Vec<StoredUnit>> {
    let unit_of = |id: &Id| units.get(id).or_else(|| passages.units.get(id));
    let mut documents: Vec<Id> = Vec::new();
    for unit in ranked.iter().filter_map(|(id, _)| unit_of(id)).filter(|unit| may_cut_table(&unit.unit)) {
        if documents.len() < WHOLE_DOCUMENTS && !documents.contains(&unit.unit.document_id) {
            documents.push(unit.unit.document_id.clone());
        }
    }
    let mut whole = Vec::new();
    for document in search.reader.documents_by_id(&documents).await? {
        if document.text_unit_count <= WHOLE_UNITS {
            let all = search.reader.text_units_of(&document.id).await?;
            if all.iter().all(|unit| search.filters.allows_text(&unit.unit.id, &document.id)) {
                whole.extend(all.into_iter().map(|unit| search.filters.cut(unit)));
            }
        }
    }
    Ok(whole)
}

/// Documents of the time that a question asks about, at most: a search is restricted to no more.
const MOST_DOCUMENTS: usize = 1_000;

/// Whether a question for a number names no time: the newest one is wanted, and many texts that tell older ones have the
/// same words.
fn wants_newest(question: &Question) -> bool {
    question.asks == Asks::Number && question.periods.is_empty() && !question.over_time
}

/// Days up to the last one that has a text in which the newest number is looked for: fewer where there are too many texts.
const NEWEST_DAYS: [i64; 3] = [366, 92, 31];

/// The newest documents and sections; nothing where none has a date or too many are as new.
async fn newest_texts(search: &Search<'_>) -> Result<Option<Filter>> {
    let periods = search.reader.periods().await?;
    let Some(to) = periods.iter().map(|totals| totals.period.to).max() else { return Ok(None) };
    for days in NEWEST_DAYS {
        let times = [Interval { from: Day::of_number(to.number() - days), to }];
        if let Some(found) = texts_of_times(search, &times).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Documents and sections whose dates lie in some times; nothing where there are none, no document does, or too many do.
async fn texts_of_times(search: &Search<'_>, times: &[Interval]) -> Result<Option<Filter>> {
    if times.is_empty() {
        return Ok(None);
    }
    let Some(found) = search.reader.texts_of_times(times, MOST_DOCUMENTS).await? else { return Ok(None) };
    let filter = search.filters.of_units_within(found);
    let count = filter.documents.iter().flatten().count() + filter.units.len();
    Ok(Some(filter).filter(|_| (1..=MOST_DOCUMENTS).contains(&count)))
}

/// Tokens of the conversation in a prompt.
fn history_budget(search: &Search<'_>) -> usize {
    let settings = &search.services.config.search;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a token budget")]
    let budget = (settings.max_context_tokens as f64 * settings.conversation.share) as usize;
    budget
}

#[cfg(test)]
mod tests {
    use super::{BY_EMBEDDINGS, by_both};
    use crate::domain::Id;

    #[test]
    fn what_words_find_first_stays_before_what_embeddings_alone_do() {
        let scores = |of: &[(&str, f64)]| -> Vec<(Id, f64)> {
            of.iter().map(|(name, score)| (Id::from_stored(name), *score)).collect()
        };
        // with embeddings all are nearly alike, and one that words rank second is not among them
        let embedded = scores(&[("b", 1.0), ("a", 0.98), ("c", 0.97)]);
        let by_words = scores(&[("a", 4.0), ("d", 3.0), ("b", 2.0), ("c", 0.0)]);
        let both = by_both(&embedded, &by_words);
        let order: Vec<&str> = both.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(order, ["a", "d", "b", "c"]);
        let score = |name: &str| both.iter().find(|(id, _)| id.as_str() == name).map(|(_, score)| *score);
        assert_eq!(score("d"), Some(0.75));
        let last = score("c").unwrap_or_default();
        assert!((last - BY_EMBEDDINGS * 0.97).abs() < 1e-9, "what embeddings find stays among them: {last}");
    }
}
