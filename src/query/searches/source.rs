//! Map-reduce over the source texts themselves: the baseline that needs no graph, and reads everything.
//!
//! With a model each batch of text units gives points with scores, in a random order of the seed. Without one the
//! text units that hold the best sentences of their page are looked through together.

use crate::domain::{Id, RecordKind, StoredUnit};
use crate::llm::ChatModel;
use crate::prompts::BatchOf;
use crate::query::answer::Answer;
use crate::query::answer::extractive::answer_by_sentences;
use crate::query::answer::map_reduce::{FRAME_TOKENS, MapLimits, MapReduce};
use crate::query::answer::provenance;
use crate::query::answer::sentences::best_sentences;
use crate::query::question::Question;
use crate::query::question::names::named;
use crate::query::request::{Method, QueryRequest};
use crate::query::retrieval::context::{Candidate, Context, Item};
use crate::query::retrieval::sources::source_line;
use crate::query::search::Search;
use crate::services::Services;
use crate::stores::graph::GraphReader;
use anyhow::{Context as _, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Text units read at once.
const PAGE: usize = 500;
/// Text units that are looked through together in the end.
const KEPT: usize = 40;

/// Answers from all text units that the filters allow.
///
/// # Errors
/// What the stores and the model say.
pub(in crate::query) async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    let search = &Search::open(services, request).await?;
    let mut result = Answer { method: Method::Source, ..Answer::default() };
    match &services.chat {
        Some(model) => {
            by_model(search, model.as_ref(), &mut result, on_text).await?;
        }
        None => by_sentences(search, &mut result, on_text).await?,
    }
    Ok(result)
}

async fn by_model(
    search: &Search<'_>,
    model: &dyn ChatModel,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<()> {
    let begun = Instant::now();
    let &Search { services, request, .. } = search;
    let settings = &services.config.search;
    let ids = in_random_order(search).await?;
    let (items, all) = (read_within_budget(search, &ids).await?, ids.len());
    let fitting = items.len();
    if fitting < all {
        let note = format!(
            "{} of {all} text units were not read: [search.source] max_tokens = {}",
            all - fitting,
            settings.source.max_tokens
        );
        request.progress().note(&note);
        result.notes.push(note);
    }
    result.took("search", begun);
    let map_reduce = MapReduce {
        services,
        request,
        model,
        kind: RecordKind::Sources,
        map_prompt: BatchOf::Sources,
        doing: "reading text units",
        limits: MapLimits::NONE,
    };
    map_reduce.run(items, result, on_text).await?;
    if fitting < all {
        result.context.left_out.insert(RecordKind::Sources, all - fitting);
    }
    provenance::resolve_answer(services, search.reader.as_ref(), result).await?;
    Ok(())
}

/// All text units that the filters allow, in the random order of the seed.
async fn in_random_order(search: &Search<'_>) -> Result<Vec<Id>> {
    let mut ids: Vec<Id> = Vec::new();
    let mut after: Option<Id> = None;
    while let Some(page) = next_page(search.reader.as_ref(), &mut after).await? {
        let allowed = page.into_iter().filter(|unit| search.filters.allows_unit(&unit.unit));
        ids.extend(allowed.map(|unit| unit.unit.id));
    }
    fastrand::Rng::with_seed(search.services.config.search.seed).shuffle(&mut ids);
    Ok(ids)
}

/// The first of some text units, as many as one question may read: no more of them are held than that.
async fn read_within_budget(search: &Search<'_>, ids: &[Id]) -> Result<Vec<Item>> {
    let services = search.services;
    let mut left = services.config.search.source.max_tokens;
    let mut items = Vec::new();
    for page in ids.chunks(PAGE) {
        let units = search.reader.text_units_by_id(page).await?;
        let mut units: BTreeMap<Id, StoredUnit> =
            units.into_iter().map(|unit| (unit.unit.id.clone(), unit)).collect();
        for unit in page.iter().filter_map(|id| units.remove(id)).map(|unit| search.filters.cut(unit)) {
            let text = format!("({}) {}", source_line(&unit), unit.unit.text);
            let tokens = services.tokens.count(&text) + FRAME_TOKENS;
            let Some(rest) = left.checked_sub(tokens) else { return Ok(items) };
            left = rest;
            items.push(Item {
                kind: RecordKind::Sources,
                number: items.len() + 1,
                tokens,
                record: Candidate { id: unit.unit.id, name: unit.document_key, text, score: 0.0 },
            });
        }
    }
    Ok(items)
}

/// The best sentences: of each page the text units that hold them are kept, and in the end looked through together.
async fn by_sentences(
    search: &Search<'_>,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<()> {
    let begun = Instant::now();
    let &Search { services, request, .. } = search;
    let reader = search.reader.as_ref();
    let entities = named(reader, &services.ids, &request.question).await?;
    let question = Question::read(&request.question, &entities, search.calendar());
    let total = reader.text_counts().await?.text_units;
    let stage = request.progress().stage("reading text units", total);
    let mut kept: Vec<(StoredUnit, f64)> = Vec::new();
    let mut after: Option<Id> = None;
    while let Some(mut page) = next_page(search.reader.as_ref(), &mut after).await? {
        stage.advance(page.len() as u64);
        page.retain(|unit| search.filters.allows_unit(&unit.unit));
        let page: Vec<StoredUnit> = page.into_iter().map(|unit| search.filters.cut(unit)).collect();
        let question = question.clone();
        kept = tokio::task::spawn_blocking(move || {
            kept.extend(page.into_iter().map(|unit| (unit, 0.0)));
            keep_best(&question, kept)
        })
        .await
        .context("while reading text units")?;
    }
    drop(stage);
    // every text unit was read alike: its rank says nothing of it
    let units: Vec<(&StoredUnit, f64)> = kept.iter().map(|(unit, _)| (unit, 1.0)).collect();
    answer_by_sentences(&question, &units, &BTreeSet::new(), result, on_text);
    let items = result.citations.iter().zip(&result.sources).map(|(citation, sentence)| Item {
        kind: RecordKind::Sources,
        number: citation.number,
        tokens: search.counting().count(&sentence.text),
        record: Candidate {
            id: citation.id.clone(),
            name: citation.name.clone(),
            text: sentence.text.clone(),
            score: 0.0,
        },
    });
    result.context = Context::of_items(items.collect(), services.config.search.max_context_tokens);
    result.took("search", begun);
    Ok(())
}

/// The text units that hold the best sentences.
fn keep_best(question: &Question, units: Vec<(StoredUnit, f64)>) -> Vec<(StoredUnit, f64)> {
    let given: Vec<(&StoredUnit, f64)> = units.iter().map(|(unit, _)| (unit, 1.0)).collect();
    let mut best: Vec<Id> = Vec::new();
    for sentence in best_sentences(question, &given) {
        if best.len() >= KEPT {
            break;
        }
        if !best.contains(&sentence.source.text_unit_id) {
            best.push(sentence.source.text_unit_id);
        }
    }
    units.into_iter().filter(|(unit, _)| best.contains(&unit.unit.id)).collect()
}

/// The next page of text units; nothing behind the last one.
async fn next_page(reader: &dyn GraphReader, after: &mut Option<Id>) -> Result<Option<Vec<StoredUnit>>> {
    let page = reader.text_units(after.as_ref(), PAGE).await?;
    let Some(last) = page.last() else { return Ok(None) };
    *after = Some(last.unit.id.clone());
    Ok(Some(page))
}
