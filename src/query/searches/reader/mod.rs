//! GraphReader search (Li et al. 2024, section 3.3): agents walk over key elements, facts and chunks, each with a
//! notebook of its own; the answer is written from all notebooks.
//!
//! Bounded in calls, tokens and time; calls and tokens are shared out among the paths before they begin. Paths go in step:
//! what one has read no other reads again, and where one has enough all end. What the model names and does not exist is
//! refused and told to it once.

mod graph;
mod reply;
mod agent;
mod beginning;
mod path;

pub use crate::query::answer::trace::{PathTrace, Step, Trace};

use crate::domain::{Id, RecordKind};
use crate::llm::reply::{find_citations, rewrite};
use crate::prompts::{Data, PromptName, ReaderAnswer, record_text};
use crate::query::answer::citations::check_citations;
use crate::query::answer::generation::{AnswerTask, answer_nothing_found, response_type};
use crate::query::answer::{Answer, provenance};
use crate::query::clock::Clock;
use crate::query::request::{InvalidRequest, Method, QueryRequest};
use crate::query::retrieval::context::{Candidate, Context, Item};
use crate::query::search::Search;
use crate::services::Services;
use agent::Agent;
use anyhow::{Result, bail};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use graph::FactGraph;
use path::{ClaimedChunks, Path, Share, Walked};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Calls beside those of the paths: plan and answer.
const CALLS_BESIDE: u64 = 2;

/// Steps of the first half of the paths before the second half begins: at facts, and at a chunk.
const FIRST_ROUNDS: u32 = 2;
/// Why a path ended that had nothing left to find.
const ENOUGH: &str = "another path has enough";

/// What to say where there is no chat model.
fn no_model() -> String {
    "--method reader has a model walk over atomic facts, and [llm] provider is \"none\"; set one, or use --method local \
     or global"
        .to_owned()
}

/// Answers from what agents find.
///
/// # Errors
/// No model, no atomic facts; what the stores and the models say.
pub async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    let Some(model) = &services.chat else { bail!(InvalidRequest(no_model())) };
    let begun = Instant::now();
    let search = &Search::open(services, request).await?;
    let graph = FactGraph::load(search.reader.as_ref(), &services.ids, &search.filters).await?;
    if graph.elements.is_empty() {
        bail!(
            "workspace {} has no atomic facts{}; read them with `graphwright index PATH... --reader`",
            services.ids.workspace(),
            if request.filters.is_empty() { "" } else { " of the documents that the filter allows" }
        );
    }
    let settings = &services.config.search.reader;
    let mut agent = Agent {
        services,
        model: model.as_ref(),
        reader: search.reader.as_ref(),
        graph: &graph,
        settings,
        request,
        plan: String::new(),
        clock: Clock::start(settings.max_seconds, &services.config.llm),
    };
    let mut result = Answer { method: Method::Reader, ..Answer::default() };
    let (plan, usages, note) = beginning::plan(&agent).await?;
    agent.plan.clone_from(&plan);
    let chosen = beginning::choose(&agent, &search.filters).await?;
    for usage in usages.into_iter().chain(chosen.usages) {
        result.spent(usage);
    }
    result.notes.extend(note.into_iter().chain(chosen.notes));
    let mut trace = Trace { plan, ..Trace::default() };
    trace.nodes =
        chosen.elements.iter().map(|(element, score)| (graph.name_of(*element).to_owned(), *score)).collect();
    let starts: Vec<usize> = chosen.elements.into_iter().map(|(element, _)| element).collect();
    let walked = walk_all(&agent, &starts, &mut result).await?;
    result.took("search", begun);
    result.trace = Some(trace);
    answer(&agent, walked, &mut result, on_text).await?;
    Ok(result)
}

/// Walks the paths side by side, step by step, so that what one of them does depends on the others and not on whose reply
/// comes first: a chunk is read once, and where one notebook answers the question in full the others end. The second half
/// of the paths begins when the first has read.
async fn walk_all(agent: &Agent<'_>, starts: &[usize], result: &mut Answer) -> Result<Vec<Walked>> {
    let stage = agent.request.progress().stage("reading", starts.len() as u64);
    let shares = shares(agent, starts.len(), result);
    let mut waiting = starts.iter().zip(shares).map(|(element, share)| Path::new(agent, *element, share));
    let mut paths: Vec<Path<'_>> = waiting.by_ref().take(starts.len().div_ceil(2)).collect();
    let mut taken = ClaimedChunks::default();
    for round in 0.. {
        if round == FIRST_ROUNDS {
            paths.extend(waiting.by_ref());
        }
        paths.iter_mut().filter(|path| path.goes_on()).for_each(|path| path.prepare(&mut taken));
        // what was found for the question comes before what stands beside it
        if round < FIRST_ROUNDS || paths.iter().any(Path::reads_on) {
            paths.iter_mut().for_each(Path::hold_at_neighbours);
        }
        if round >= FIRST_ROUNDS && !paths.iter().any(Path::goes_on) {
            break;
        }
        let steps: Vec<BoxFuture<'_, Result<Path<'_>>>> =
            paths.into_iter().map(|path| path.advance().boxed()).collect();
        let steps = futures::stream::iter(steps).buffered(agent.services.config.search.concurrency.max(1));
        let ended: Vec<Result<Path<'_>>> = steps.collect().await;
        paths = ended.into_iter().collect::<Result<_>>()?;
        taken.end_of_round(&paths);
        if paths.iter().any(Path::has_enough) {
            for path in &mut paths {
                path.end(ENOUGH);
            }
            break;
        }
    }
    stage.advance(starts.len() as u64);
    let walked: Vec<Walked> = paths.into_iter().map(Path::finish).collect();
    let mut reached: BTreeMap<String, usize> = BTreeMap::new();
    for path in &walked {
        for usage in &path.usages {
            result.spent(*usage);
        }
        result.citations_removed += path.citations_removed;
        if path.trace.ended_by.contains(" = ") {
            *reached.entry(path.trace.ended_by.clone()).or_default() += 1;
        }
    }
    for (limit, paths) in reached {
        let note = format!("{paths} of {} paths ended early: [search.reader] {limit}", walked.len());
        agent.request.progress().note(&note);
        result.notes.push(note);
    }
    Ok(walked)
}

/// What each path may spend: what is left of calls and tokens, less what the answer takes, in equal shares.
fn shares(agent: &Agent<'_>, paths: usize, spent: &Answer) -> Vec<Share> {
    let settings = agent.settings;
    let paths = paths.max(1) as u64;
    let calls = settings.max_calls.saturating_sub(spent.calls.max(CALLS_BESIDE) + 1);
    let notebooks = paths.saturating_mul(settings.window_tokens as u64 / 2);
    let used = spent.tokens.get("input").copied().unwrap_or_default();
    let tokens =
        settings.max_tokens.saturating_sub(used).saturating_sub(notebooks.min(settings.max_tokens / 4));
    (0..paths)
        .map(|path| Share { calls: calls / paths + u64::from(path < calls % paths), tokens: tokens / paths })
        .collect()
}

/// The answer from all notebooks, by chain of thought, conflicts by majority; the text units read are its sources.
async fn answer(
    agent: &Agent<'_>,
    walked: Vec<Walked>,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<()> {
    let begun = Instant::now();
    let numbers = take_sources(agent, &walked, result).await?;
    let renumber = |notes: &str| {
        rewrite(notes, |_, number| numbers.get(&usize::try_from(number).ok()?).map(ToString::to_string))
    };
    let mut notebooks = String::new();
    let mut trace = result.trace.take().unwrap_or_default();
    for (place, path) in walked.into_iter().enumerate() {
        let notebook = renumber(&path.notebook);
        if !notebook.trim().is_empty() {
            let notebook = format!("Notebook {}:\n{}", place + 1, notebook.trim());
            notebooks.extend([&record_text(&notebook), "\n\n"]);
        }
        trace.paths.push(PathTrace { notebook, ..path.trace });
    }
    result.trace = Some(trace);
    if notebooks.is_empty() {
        answer_nothing_found(agent.request, result, on_text);
        return Ok(());
    }
    let messages = |notebooks: &str| {
        agent.services.prompts.render(&ReaderAnswer {
            notebooks: Data::text(notebooks),
            question: agent.request.question_text(),
            response_type: response_type(agent.request),
        })
    };
    let task = AnswerTask::new(agent.services, agent.model, PromptName::ReaderAnswer);
    // what is known becomes the answer, also when the time is over
    let reply = task.complete(&notebooks, messages).await?;
    result.spent(reply.usage);
    let (analysis, answer) = reply::read_answer(&reply.text);
    if let Some(trace) = &mut result.trace {
        trace.analysis = analysis;
    }
    let known = |kind, number| result.context.shows(kind, number);
    let (answer, removed) = check_citations(&answer, &known);
    result.answer = answer;
    result.citations_removed += removed;
    on_text(&result.answer);
    // an answer that cites nothing rests on all that was read
    let all: Vec<String> = result.context.items.iter().map(|item| item.number.to_string()).collect();
    let cited = if find_citations(&result.answer).is_empty() && !all.is_empty() {
        format!("{} [Data: Sources ({})]", result.answer, all.join(", "))
    } else {
        result.answer.clone()
    };
    provenance::resolve_text(agent.services, agent.reader, &cited, result).await?.give_to(result);
    // what was added has no place in the answer
    result.marks.retain(|mark| mark.end <= result.answer.len());
    result.took("answer", begun);
    Ok(())
}

/// Makes the text units of all chunks that were read the answer's sources, in the order of paths and reading. Returns
/// their numbers by the numbers that the notebooks cite them by.
async fn take_sources(
    agent: &Agent<'_>,
    walked: &[Walked],
    result: &mut Answer,
) -> Result<BTreeMap<usize, usize>> {
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    let read: Vec<usize> =
        walked.iter().flat_map(|path| &path.read).copied().filter(|chunk| seen.insert(*chunk)).collect();
    let units = agent.units_of(&read).await?;
    let mut numbers = BTreeMap::new();
    let mut items: Vec<Item> = Vec::new();
    for chunk in read.iter().filter_map(|chunk| agent.graph.chunks.get(*chunk)) {
        for (place, id) in chunk.text_units.iter().enumerate() {
            let Some(unit) = units.get(id) else { continue };
            let number = items.len() + 1;
            numbers.insert(chunk.first_number + place, number);
            items.push(Item {
                kind: RecordKind::Sources,
                number,
                tokens: unit.unit.token_count as usize,
                record: Candidate {
                    id: Id::clone(id),
                    name: unit.document_key.clone(),
                    text: unit.unit.text.clone(),
                    score: 0.0,
                },
            });
        }
    }
    // what was read is shown, however much it is
    let tokens = items.iter().map(|item| item.tokens).sum();
    result.context = Context::of_items(items, tokens);
    Ok(numbers)
}
