//! Standard answers: the library is asked before anything is searched.

use super::answer::{Answer, AnsweredBy, Proposal, StandardAnswer};
use super::question::{Asks, Question};
use super::request::QueryRequest;
use crate::config::StaleAnswers;
use crate::domain::StaleCitation;
use crate::domain::{Id, LibraryEntry, RecordKind, SourceSentence, StoredUnit};
use crate::language::{Language, language_of, one_line};
use crate::library::asking::{NEAR, proposed};
use crate::library::evidence;
use crate::library::judging::{self, EntryVerdict};
use crate::library::matching::EntryMatch;
use crate::library::memory::{Conditions, Library};
use crate::llm::reply::without_citations;
use crate::prompts::QuestionText;
use crate::services::Services;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// How a note begins that tells of an answer which is held back.
pub const HELD_BACK: &str = "the library's answer";
/// Standard answers that a question about one thing is shown beside the documents.
const RECORDS: usize = 3;
/// The same for a question about a whole theme.
const THEME: usize = 12;
/// Entries that a model is asked about.
const JUDGED: usize = 3;
/// Share of what is left between `accept` and 1 in which a match is in doubt still.
const DOUBT: f64 = 1.0 / 3.0;

/// What the library says to a question.
#[derive(Debug, Default)]
pub(super) struct LibraryReply {
    /// The standard answer, where it is sure enough.
    pub(super) answer: Option<Answer>,
    /// Entries that may be meant.
    pub(super) proposals: Vec<Proposal>,
    /// Entries that an answer may cite.
    pub(super) records: Vec<LibraryEntry>,
    /// Whether the question asks for all of them.
    pub(super) about_a_theme: bool,
    /// What holds an answer back, and which records may be out of date.
    pub(super) notes: Vec<String>,
    /// Keys of the question's filters that entries have.
    pub(super) library_keys: Vec<String>,
    /// For the questions related to an answer of the search.
    around: Option<LibraryContext>,
}

/// Where a question stands in the library.
#[derive(Debug)]
struct LibraryContext {
    library: Arc<Library>,
    conditions: Conditions,
    spoken: Vec<usize>,
    near: Vec<usize>,
}

impl LibraryReply {
    /// Questions to ask after an answer of the search: what follows the nearest entries, then entries about the entities
    /// that the answer is made of.
    pub(super) fn related(&self, entities: &[Id], most: usize) -> Vec<Proposal> {
        let Some(LibraryContext { library, conditions, spoken, near }) = &self.around else {
            return Vec::new();
        };
        let related = library.related_to(near, entities, spoken, conditions, most);
        related.into_iter().map(|entry| proposal(entry, None)).collect()
    }
}

/// What the library has to say below an answer of the search: what is held back; and what may be out of date where the
/// answer cites entries, or proposes that one.
pub(super) fn notes_below(mut notes: Vec<String>, answer: &Answer) -> Vec<String> {
    let cites = answer.citations.iter().any(|citation| citation.kind == RecordKind::Answers);
    notes.retain(|note| {
        let tells_of = |proposal: &Proposal| note.starts_with(&out_of_date(&proposal.id, &[]));
        cites || note.starts_with(HELD_BACK) || answer.did_you_mean.iter().any(tells_of)
    });
    notes
}

/// Asks the library.
///
/// # Errors
/// What the store says, and a model whose budget is used up.
pub(super) async fn ask(services: &Services, request: &QueryRequest) -> Result<LibraryReply> {
    let config = &services.config.qa;
    if request.without_library || !config.enabled {
        return Ok(LibraryReply::default());
    }
    let begun = Instant::now();
    let conditions = Conditions { filters: request.filters.equalities(), ..Conditions::today() };
    let earlier: Vec<&str> = request.history.iter().map(|turn| turn.question.as_str()).collect();
    let limit = config.suggestions.max(RECORDS);
    let mut asked = earlier.clone();
    asked.push(&request.question);
    let opened = Library::open_for(services, &asked, &conditions).await?;
    let Some((library, senses)) = opened else { return Ok(LibraryReply::default()) };
    let spoken = library.spoken(&earlier, &conditions, (config, &senses));
    let mut found = library.ask_after(&request.question, &spoken, &conditions, (config, &senses), limit);
    let calls = judged(services, &library, request.question_text(), &mut found).await?;
    let near: Vec<&EntryMatch> =
        found.iter().filter(|found| found.confidence >= NEAR.max(config.suggest)).collect();
    let proposals: Vec<Proposal> = proposed(&found, config)
        .filter_map(|found| Some(proposal(library.entry(found)?, Some(found.confidence))))
        .collect();
    let library_keys = known_keys(&library, &conditions);
    let sure = found.first().filter(|found| found.confidence >= config.accept);
    let Some((sure, entry)) = sure.and_then(|found| Some((found, library.entry(found)?))) else {
        let calendar = services.config.documents.fiscal_calendar();
        let about_a_theme = library.asks_for_a_theme(&request.question, &conditions)
            || Question::read(&request.question, &[], calendar).asks == Asks::Overview;
        let records = records(&library, &request.question, &near, &conditions, about_a_theme);
        let (records, notes) = dated(services, records).await?;
        // what no entry speaks of is asked of the documents alone
        let about_a_theme = about_a_theme && !records.is_empty();
        let near = near.iter().map(|found| found.place).collect();
        let around = Some(LibraryContext { library, conditions, spoken, near });
        return Ok(LibraryReply {
            proposals,
            records,
            about_a_theme,
            notes,
            library_keys,
            around,
            ..LibraryReply::default()
        });
    };
    let (reader, alone) = (services.graph.as_ref(), std::slice::from_ref(entry));
    let units = evidence::cited_units(reader, alone).await?;
    let (stale, _) = evidence::compare(services, reader, alone, &units).await?;
    let stale: Vec<StaleCitation> = stale.into_iter().flat_map(|entry| entry.citations).collect();
    if !stale.is_empty() && config.stale == StaleAnswers::Hold {
        let notes = vec![held_back(&entry.key)];
        // asked again, it would be held back again
        let proposals = proposals.into_iter().filter(|proposal| proposal.id != entry.key).collect();
        return Ok(LibraryReply { proposals, notes, library_keys, ..LibraryReply::default() });
    }
    let related = library.related(sure.place, &spoken, &conditions, config.related);
    let rests_on = sources(&units, entry);
    let mut answer = Answer {
        // what it cites was numbered elsewhere: nothing of it is a source of this answer
        answer: without_citations(&entry.answer).trim().to_owned(),
        method: request.method,
        answered_by: AnsweredBy::Library,
        sources: rests_on.clone(),
        library: Some(StandardAnswer {
            rests_on,
            entry: proposal(entry, Some(sure.confidence)),
            related: related.into_iter().map(|entry| proposal(entry, None)).collect(),
            stale: stale.clone(),
        }),
        calls,
        ..Answer::default()
    };
    if !stale.is_empty() {
        answer.notes.push(out_of_date(&entry.key, &stale));
    }
    answer.timings_ms.insert("embedding".to_owned(), senses.embedding.as_secs_f64() * 1000.0);
    answer.took("library", begun);
    answer.took("total", begun);
    Ok(LibraryReply { answer: Some(answer), ..LibraryReply::default() })
}

/// With `[qa] judge`, lets a model say which entry is meant where that is in doubt: what it chooses becomes sure, what it
/// refuses is only proposed. Returns how often it was asked.
async fn judged(
    services: &Services,
    library: &Library,
    question: QuestionText<'_>,
    found: &mut [EntryMatch],
) -> Result<u64> {
    let config = &services.config.qa;
    let Some(model) = services.chat.as_ref().filter(|_| config.judge) else { return Ok(0) };
    let sure = config.accept + DOUBT * (1.0 - config.accept);
    let first = found.first().map_or(0.0, |found| found.confidence);
    let least = NEAR.max(config.suggest);
    if first < least || first >= sure {
        return Ok(0);
    }
    let places: Vec<usize> = found
        .iter()
        .enumerate()
        .filter(|(_, found)| found.confidence >= least)
        .map(|(place, _)| place)
        .take(JUDGED)
        .collect();
    let entries: Vec<&LibraryEntry> =
        places.iter().filter_map(|place| library.entry(found.get(*place)?)).collect();
    let verdict = judging::judge(model.as_ref(), &services.prompts, question, &entries).await?;
    if verdict == EntryVerdict::Open {
        return Ok(1);
    }
    for place in &places {
        if let Some(found) = found.get_mut(*place) {
            // only proposed: just below what is given
            found.confidence = found.confidence.min(config.accept * 0.99);
        }
    }
    if let EntryVerdict::Entry(chosen) = verdict
        && let Some(found) = places.get(chosen).and_then(|place| found.get_mut(*place))
    {
        found.confidence = sure;
    }
    found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.place.cmp(&b.place)));
    Ok(1)
}

/// Keys of filters that some entry of the library has: they choose among standard answers.
fn known_keys(library: &Library, conditions: &Conditions) -> Vec<String> {
    let known = |key: &str| {
        matches!(key, "tag" | "language" | "status" | "author")
            || library.entries.iter().any(|entry| entry.metadata.contains_key(key))
    };
    conditions.filters.iter().map(|(key, _)| key.clone()).filter(|key| known(key)).collect()
}

fn held_back(key: &str) -> String {
    format!("{HELD_BACK} {key} is held back: what it rests on has changed (`graphwright qa check`)")
}

/// What a document said and says now, for those who read the answer alone.
fn out_of_date(key: &str, stale: &[StaleCitation]) -> String {
    let changes = stale.iter().map(|cited| {
        let now = cited.now.as_deref().map_or_else(|| "nothing like it".to_owned(), one_line);
        format!("{} said \"{}\", and says now: {now}", cited.document, one_line(&cited.was))
    });
    format!("the standard answer {key} may be out of date: {}", changes.collect::<Vec<_>>().join("; "))
}

/// Records that rest on what has changed are held back, or say so in their text, as `[qa] stale` wants it.
async fn dated(services: &Services, records: Vec<LibraryEntry>) -> Result<(Vec<LibraryEntry>, Vec<String>)> {
    let (mut kept, mut notes) = (Vec::new(), Vec::new());
    for (mut entry, stale) in evidence::beside(services, records).await? {
        if stale.is_empty() {
            kept.push(entry);
            continue;
        }
        if services.config.qa.stale == StaleAnswers::Hold {
            notes.push(held_back(&entry.key));
            continue;
        }
        notes.push(out_of_date(&entry.key, &stale));
        let documents: BTreeSet<&str> = stale.iter().map(|cited| cited.document.as_str()).collect();
        let documents = documents.into_iter().collect::<Vec<_>>().join(", ");
        entry.answer = match language_of(&entry.answer) {
            Language::Chinese => format!("（可能已过时：{documents} 已有改动）{}", entry.answer),
            _ => format!("(May be out of date: {documents} has changed.) {}", entry.answer),
        };
        kept.push(entry);
    }
    Ok((kept, notes))
}

/// The entries that an answer may cite: the nearest ones; for a question about a whole theme, all around it.
fn records(
    library: &Library,
    question: &str,
    near: &[&EntryMatch],
    conditions: &Conditions,
    about_a_theme: bool,
) -> Vec<LibraryEntry> {
    let places: Vec<usize> = near.iter().map(|found| found.place).collect();
    let chosen = if about_a_theme {
        library.neighbourhood(question, &places, conditions, THEME)
    } else {
        places.into_iter().take(RECORDS).collect()
    };
    chosen.into_iter().filter_map(|place| library.entries.get(place)).cloned().collect()
}

fn proposal(entry: &LibraryEntry, confidence: Option<f64>) -> Proposal {
    let confidence = confidence.map(|confidence| (confidence * 10_000.0).round() / 10_000.0);
    Proposal { id: entry.key.clone(), question: entry.question.clone(), confidence }
}

/// The sentences that an answer rests on, at their places in the documents where these still have them.
fn sources(units: &BTreeMap<Id, StoredUnit>, entry: &LibraryEntry) -> Vec<SourceSentence> {
    let source = |cited: &crate::domain::AnswerCitation| {
        let unit = units.get(&cited.text_unit)?;
        Some(SourceSentence::of(unit, (cited.start, cited.end), cited.quote.clone()))
    };
    entry.citations.iter().filter_map(source).collect()
}
