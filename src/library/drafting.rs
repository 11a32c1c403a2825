//! Drafts of entries by a model: from reports, from text units, and from what people asked and nothing answered. A draft rests
//! on sentences that stand in the documents word for word, says no number that they do not say, and asks nothing that the
//! library answers or another draft asks. Somebody has to approve it before it is given.

use super::evidence;
use super::keeping::{self, Hand};
use super::matching::{Matcher, numbers};
use super::misses;
use crate::config::QaConfig;
use crate::domain::{AnswerCitation, EntrySource, EntryStatus, Id, LibraryEntry, StoredUnit};
use crate::language::one_line;
use crate::llm::reply::read_json;
use crate::llm::{ChatModel, ChatRequest, EmbeddingPurpose, ModelError, ModelRole};
use crate::progress::Progress;
use crate::prompts::{Data, DraftQuestions, Prompt, record_text};
use crate::services::Services;
use crate::stores::graph::VectorKind;
use crate::stores::vectors::{VectorQuery, bm25};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Text units shown at once.
const PASSAGES: usize = 5;
/// Entries wanted of one call.
const PER_CALL: usize = 3;
/// Entries of the library shown as known.
const KNOWN: usize = 8;
/// From which confidence on two questions are the same.
const SAME: f64 = 0.45;
/// From which confidence on a draft asks what somebody asked, in whatever words.
const ASKED_BY: f64 = 0.15;
/// Groups of questions that people asked.
const ASKED: usize = 40;
/// Text units that are looked through for ones that nothing rests on.
const UNITS: usize = 4_000;

/// What drafts are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DraftSources {
    /// What people asked and nothing answered.
    pub asked: bool,
    /// Reports of communities.
    pub reports: bool,
    /// Text units that no answer rests on.
    pub text_units: bool,
}

/// What came of it.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Drafted {
    /// The drafts, as they were saved.
    pub drafts: Vec<LibraryEntry>,
    /// Drafts that were left out because what they quote stands nowhere, or because they say a number that it does not.
    pub unfounded: usize,
    /// Drafts that ask what another entry asks.
    pub known: usize,
    /// Calls of the model.
    pub calls: usize,
    /// Why it ended early.
    pub stopped: Option<String>,
}

/// What a call is about.
struct Seed {
    /// What passages are looked for with.
    text: String,
    /// A question that somebody asked.
    asked: Option<String>,
    /// The passages themselves, where they are known.
    units: Vec<Id>,
}

#[derive(Deserialize)]
struct DraftReply {
    entries: Vec<Draft>,
}

#[derive(Deserialize)]
struct Draft {
    question: String,
    #[serde(default)]
    variants: Vec<String>,
    answer: String,
    #[serde(default)]
    quotes: Vec<Quote>,
}

#[derive(Deserialize)]
struct Quote {
    passage: usize,
    text: String,
}

/// Drafts at most so many entries and saves each as it comes.
///
/// # Errors
/// No model; what the stores say; a model that refuses. A budget that is used up ends it, and is told.
pub async fn draft(
    services: &Services,
    from: DraftSources,
    most: usize,
    author: &str,
    progress: &Progress,
) -> Result<Drafted> {
    let Some(model) = services.chat.clone() else {
        bail!(
            "drafts are written by a model and [llm] provider is \"none\"; set provider and model under [llm], or write \
             entries with `graphwright qa add`"
        );
    };
    let mut entries = services.graph.library().await?;
    let seeds = seeds(services, from, &entries).await?;
    let mut done = Drafted::default();
    let stage = progress.stage("drafting questions", seeds.len() as u64);
    for seed in seeds {
        if done.drafts.len() >= most || progress.stop_requested() {
            break;
        }
        stage.advance(1);
        let units = passages(services, &seed).await?;
        if units.is_empty() {
            continue;
        }
        let matcher = Matcher::new(&entries);
        let drafts = match ask(services, model.as_ref(), &seed, &units, (&matcher, &entries)).await {
            Ok(drafts) => drafts,
            Err(error) => match error.downcast_ref::<ModelError>() {
                Some(ModelError::Budget(_)) => {
                    done.stopped = Some(format!("{error:#}"));
                    break;
                }
                Some(ModelError::Refused { .. } | ModelError::NoKey(_)) | None => return Err(error),
                Some(_) => {
                    progress.note(&format!("no draft: {error:#}"));
                    continue;
                }
            },
        };
        done.calls += 1;
        let mut fresh = Vec::new();
        for draft in drafts {
            if done.drafts.len() + fresh.len() >= most {
                break;
            }
            let Some(entry) = founded(services, draft, &units, &seed) else {
                done.unfounded += 1;
                continue;
            };
            if is_known(&entry, &entries, &services.config.qa) {
                done.known += 1;
                continue;
            }
            entries.push(entry.clone());
            fresh.push(entry);
        }
        if !fresh.is_empty() {
            let writes = fresh.iter().map(|entry| (None, Some(entry.clone()))).collect();
            keeping::save(services, writes, &Hand::now(author, "generate")).await?;
            done.drafts.extend(fresh);
        }
        services.keep_ledger_now_and_then().await;
    }
    Ok(done)
}

/// What people asked comes first, the most asked at the front; then reports by rank, then text units that nothing rests on,
/// spread over the documents.
async fn seeds(services: &Services, from: DraftSources, entries: &[LibraryEntry]) -> Result<Vec<Seed>> {
    let mut seeds = Vec::new();
    if from.asked {
        for group in misses::grouped(&misses::open_misses(services).await?.0).into_iter().take(ASKED) {
            let asked = group.questions.first().cloned();
            let text = asked.clone().unwrap_or_default();
            seeds.push(Seed { text, asked, units: Vec::new() });
        }
    }
    if from.reports {
        let generation = services.graph.state().await?.generation;
        let mut communities = services.graph.community_outlines(generation).await?;
        communities.retain(|community| !community.report.composed);
        communities.sort_by(|a, b| b.report.rank.total_cmp(&a.report.rank).then_with(|| a.id.cmp(&b.id)));
        for community in communities {
            let report = &community.report;
            let text = format!("{} {}", report.title, report.summary);
            seeds.push(Seed { text, asked: None, units: Vec::new() });
        }
    }
    if from.text_units {
        let cited: BTreeSet<&Id> =
            entries.iter().flat_map(|entry| entry.citations.iter().map(|cited| &cited.text_unit)).collect();
        let mut units = services.vectors.ids(VectorKind::TextUnits, None, UNITS).await?;
        // ids are hashes: their order is a fair mixture of all documents
        units.retain(|unit| !cited.contains(unit));
        for unit in units {
            seeds.push(Seed { text: String::new(), asked: None, units: vec![unit] });
        }
    }
    Ok(seeds)
}

/// The text units that a call is shown.
async fn passages(services: &Services, seed: &Seed) -> Result<Vec<StoredUnit>> {
    let mut ids = seed.units.clone();
    if ids.is_empty() {
        let dense = match &services.embedding {
            Some(model) => {
                let text = [seed.text.clone()];
                model.embed(&text, EmbeddingPurpose::Query).await?.into_iter().next()
            }
            None => None,
        };
        let query = VectorQuery {
            dense,
            sparse: Some(bm25::query_vector(&seed.text)),
            limit: PASSAGES,
            ..VectorQuery::default()
        };
        let hits = services.vectors.search(VectorKind::TextUnits, &query).await?;
        ids.extend(hits.into_iter().map(|hit| hit.id));
    }
    let mut units = services.graph.text_units_by_id(&ids).await?;
    units.sort_by_key(|unit| ids.iter().position(|id| *id == unit.unit.id));
    Ok(units)
}

async fn ask(
    services: &Services,
    model: &dyn ChatModel,
    seed: &Seed,
    units: &[StoredUnit],
    (matcher, entries): (&Matcher, &[LibraryEntry]),
) -> Result<Vec<Draft>> {
    let passages: Vec<String> = (1..)
        .zip(units)
        .map(|(number, unit)| {
            format!("[{number}] {}: {}", one_line(&unit.document_title), record_text(&unit.unit.text))
        })
        .collect();
    let about = if seed.text.is_empty() {
        units.first().map(|unit| unit.unit.text.clone()).unwrap_or_default()
    } else {
        seed.text.clone()
    };
    let known = matcher.matches(&about, &[], &|_| true, KNOWN);
    let known =
        known.iter().filter_map(|found| entries.get(found.place)).map(|entry| entry.question.as_str());
    let prompt = DraftQuestions {
        passages: Data::text(passages.join("\n\n")),
        known: Data::lines(known),
        asked: Data::lines(seed.asked.iter()),
        count: if seed.asked.is_some() { 1 } else { PER_CALL },
    };
    let messages = services.prompts.render(&prompt)?;
    let reply = model.chat(&ChatRequest::new(ModelRole::Report, prompt.name().as_str(), messages)).await?;
    let value = read_json(&reply.text).unwrap_or_default();
    Ok(serde_json::from_value::<DraftReply>(value).map(|reply| reply.entries).unwrap_or_default())
}

/// The entry of a draft whose quotes stand in the passages and whose numbers are said there.
fn founded(services: &Services, draft: Draft, units: &[StoredUnit], seed: &Seed) -> Option<LibraryEntry> {
    let (question, answer) = (one_line(draft.question.trim()), draft.answer.trim().to_owned());
    if question.is_empty() || answer.is_empty() {
        return None;
    }
    let mut citations: Vec<AnswerCitation> = Vec::new();
    let mut said = String::new();
    for quote in &draft.quotes {
        let unit = units.get(quote.passage.checked_sub(1)?)?;
        let cited = evidence::citation(unit, Some(quote.text.trim()), &answer).ok()?;
        said.push_str(&cited.quote);
        said.push(' ');
        if !citations.contains(&cited) {
            citations.push(cited);
        }
    }
    if citations.is_empty() || numbers(&answer).difference(&numbers(&said)).next().is_some() {
        return None;
    }
    let mut entry = LibraryEntry {
        question: question.clone(),
        language: super::tables::language_tag(&question).to_owned(),
        answer,
        status: EntryStatus::Draft,
        source: EntrySource::Generated,
        citations,
        ..LibraryEntry::default()
    };
    let asked = seed.asked.as_ref().filter(|asked| asks_what_was_asked(&entry, asked));
    if asked.is_some() {
        entry.source = EntrySource::Asked;
    }
    let variants = asked.into_iter().cloned().chain(draft.variants).map(|text| one_line(text.trim()));
    for variant in variants {
        if !variant.is_empty() && variant != question && !entry.variants.contains(&variant) {
            entry.variants.push(variant);
        }
    }
    entry.key = super::tables::key_of(&question);
    entry.id = services.ids.question(&entry.key);
    entry.question = question;
    Some(entry)
}

/// Whether a draft asks what somebody asked: a model may return others beside it.
fn asks_what_was_asked(entry: &LibraryEntry, asked: &str) -> bool {
    let found = Matcher::new(std::slice::from_ref(entry)).matches(asked, &[], &|_| true, 1);
    found.first().is_some_and(|found| found.confidence >= ASKED_BY)
}

/// Whether an entry, of whatever status, asks the same.
fn is_known(entry: &LibraryEntry, entries: &[LibraryEntry], config: &QaConfig) -> bool {
    if entries.iter().any(|other| other.id == entry.id) {
        return true;
    }
    let matcher = Matcher::new(entries);
    let found = matcher.matches(&entry.question, &[], &|_| true, 1);
    found.first().is_some_and(|found| found.confidence >= SAME.min(config.accept))
}

/// What becomes of a draft, an unanswered question or a stale answer that somebody has looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// The entry is given from now on, as it is.
    Approve,
    /// It is given from now on, with another question and answer.
    Edit(String, String),
    /// It is not given.
    Reject,
    /// Its question is another way of asking what the entry with this key answers.
    Merge(String),
}

/// Does what was decided of a draft.
///
/// # Errors
/// No entry of that key; what the store says.
pub async fn decide(services: &Services, key: &str, decision: Decision, author: &str) -> Result<()> {
    let before = keeping::entry(services, key).await?;
    let mut after = before.clone();
    if !author.is_empty() {
        author.clone_into(&mut after.author);
    }
    let action = match decision {
        Decision::Approve => {
            after.status = EntryStatus::Approved;
            "approve"
        }
        Decision::Edit(question, answer) => {
            if answer != after.answer {
                // what it rests on is cited anew: the sentences that say most of the new answer
                let mut citations = Vec::new();
                for cited in &after.citations {
                    let units =
                        services.graph.text_units_by_id(std::slice::from_ref(&cited.text_unit)).await?;
                    let unit = units.first();
                    citations.extend(unit.and_then(|unit| evidence::citation(unit, None, &answer).ok()));
                }
                citations.dedup();
                after.citations = citations;
            }
            (after.question, after.answer) = (question, answer);
            after.status = EntryStatus::Approved;
            "edit"
        }
        Decision::Reject => {
            after.status = EntryStatus::Retired;
            "reject"
        }
        Decision::Merge(into) => {
            let target = keeping::entry(services, &into).await.context("the entry to merge it into")?;
            if target.id == before.id {
                bail!("{key} cannot become a variant of itself; name another entry");
            }
            let mut merged = target.clone();
            for text in before.phrasings() {
                if merged.phrasings().all(|known| known != text) {
                    merged.variants.push(text.to_owned());
                }
            }
            let writes = vec![(Some(target), Some(merged)), (Some(before), None)];
            return keeping::save(services, writes, &Hand::now(author, "merge")).await;
        }
    };
    if after != before {
        keeping::save(services, vec![(Some(before), Some(after))], &Hand::now(author, action)).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_the_passages_do_not_say_is_seen() {
        let said = numbers("A parcel costs 15 pounds, or 1,200 in 2026.");
        assert!(numbers("15 pounds").is_subset(&said));
        assert!(!numbers("18 pounds").is_subset(&said));
        assert!(numbers("about 1200").difference(&said).next().is_some());
        let said = numbers("A course has ten lessons. 每期二十五人，分两组，共３次。");
        assert!(numbers("10 lessons, twenty-five people, two groups, 三次").is_subset(&said), "{said:?}");
        assert!(!numbers("A course has twelve lessons.").is_subset(&said));
        assert!(!numbers("每期十二人").is_subset(&said));
        assert!(numbers("one of them, 一起").is_empty());
    }

    #[test]
    fn what_somebody_asked_is_a_variant_of_the_draft_alone_that_asks_it() {
        let draft =
            |question: &str| LibraryEntry { question: question.to_owned(), ..LibraryEntry::default() };
        let asked = "Does the little one pay to swim?";
        assert!(asks_what_was_asked(&draft("Do children pay to swim?"), asked));
        assert!(!asks_what_was_asked(&draft("When is the sauna closed?"), asked));
        assert!(!asks_what_was_asked(&draft("How many lessons has a course?"), asked));
    }

    #[test]
    fn a_draft_that_asks_what_an_entry_asks_is_known() {
        let entry = |key: &str, question: &str| LibraryEntry {
            id: crate::domain::Ids::new("default").question(key),
            key: key.to_owned(),
            question: question.to_owned(),
            ..LibraryEntry::default()
        };
        let entries = [entry("a", "How do I open a garden account?"), entry("b", "What does a parcel cost?")];
        let config = QaConfig::default();
        assert!(is_known(&entry("c", "How can I open a garden account?"), &entries, &config));
        assert!(!is_known(&entry("c", "How do I close a garden account?"), &entries, &config));
    }
}
