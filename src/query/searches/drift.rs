//! DRIFT search: a first answer from the reports nearest to a made-up one, follow-up questions answered by local search, one final
//! answer. Bounded in calls, depth, tokens and time; needs a model.

use crate::config::DriftConfig;
use crate::domain::{FiscalCalendar, Id, RecordKind};
use crate::llm::reply;
use crate::llm::{ChatModel, Usage};
use crate::prompts::{
    Data, DriftHypothetical, DriftLocal, DriftPrimer, DriftReduce, PromptName, record_text, short_line,
};
use crate::query::answer::generation::{AnswerTask, answer_nothing_found, complete, response_type};
use crate::query::answer::map_reduce::read_score;
use crate::query::answer::{Answer, NamedRecord, provenance};
use crate::query::clock::Clock;
use crate::query::question::Question;
use crate::query::request::{InvalidRequest, Method, QueryRequest};
use crate::query::retrieval::context::{Candidate, Context, ContextPart, Item};
use crate::query::retrieval::hybrid::{HybridQuery, embed_question, hybrid_search};
use crate::query::retrieval::leading::leading;
use crate::query::retrieval::local::retrieve;
use crate::query::retrieval::local_context::{context_parts, without_relatives};
use crate::query::rewriting::{self, RewrittenQuestion};
use crate::query::search::Search;
use crate::services::Services;
use crate::stores::graph::VectorKind;
use crate::stores::vectors::Filter;
use anyhow::{Result, bail};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Best records of a kind that a follow-up question is shown although another step shows them, too.
const ALWAYS: usize = 2;
/// The same of text units: a follow-up whose own passage stood with its neighbour was answered with nothing.
const SOURCES_ALWAYS: usize = 3;

/// Share of the best passage's score from which others stay although another step shows them, too.
const NEAR: f64 = 0.5;

/// Records that steps have been shown.
type Shown = BTreeSet<(RecordKind, Id)>;

/// Answers step by step.
///
/// # Errors
/// No model; what the stores and the model say.
pub async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    let Some(model) = &services.chat else {
        bail!(InvalidRequest(
            "--method drift asks a model step by step, and [llm] provider is \"none\"; set one, or use --method local \
             or global"
                .to_owned()
        ));
    };
    let begun = Instant::now();
    let search = &Search::open(services, request).await?;
    let mut result = Answer { method: Method::Drift, ..Answer::default() };
    let mut items = NumberedItems::default();
    let settings = &services.config.search.drift;
    let limits = DriftLimits { settings, clock: Clock::start(settings.max_seconds, &services.config.llm) };
    let look_for = hypothetical(search, model.as_ref(), &mut result).await?;
    let (primer, told) = prime(search, model.as_ref(), &look_for).await?;
    limits.clock.note(true);
    let mut shown: Shown = primer.context_records().chain(told).collect();
    let mut steps = vec![primer.take_into(&mut items, &mut result)];
    let mut asked: Vec<String> = vec![request.question.clone()];
    for _ in 0..limits.settings.depth {
        let mut next = next_questions(&mut steps, &mut asked, limits.settings.follow_ups);
        if next.is_empty() {
            break;
        }
        let (allowed, reached) = limits.allow(services.config.search.max_context_tokens, &result);
        if allowed < next.len() {
            note_limit(request, &mut result, &reached);
            next.truncate(allowed);
        }
        if next.is_empty() {
            break;
        }
        let replies = follow_all(search, model.as_ref(), &next, &limits, &shown).await?;
        let late = replies.len() < next.len();
        shown.extend(replies.iter().flat_map(DriftStep::context_records));
        steps.extend(replies.into_iter().map(|step| step.take_into(&mut items, &mut result)));
        if late {
            note_limit(request, &mut result, &limits.clock.limit());
            break;
        }
    }
    result.took("search", begun);
    result.context = Context::of_items(items.items, services.config.search.max_context_tokens * steps.len());
    reduce(search, model.as_ref(), steps, &mut result, on_text).await?;
    Ok(result)
}

/// What ends a search before its depth does.
struct DriftLimits<'a> {
    settings: &'a DriftConfig,
    clock: Clock,
}

impl DriftLimits<'_> {
    /// How many follow-up questions may still be asked, and which limit says so. Each may take a whole context; one
    /// call is left for the final answer.
    fn allow(&self, context_tokens: usize, spent: &Answer) -> (usize, String) {
        let settings = self.settings;
        let calls = settings.max_calls.saturating_sub(spent.calls + 1);
        let input = spent.tokens.get("input").copied().unwrap_or(0);
        let by_tokens = settings.max_tokens.saturating_sub(input) / (context_tokens as u64).max(1);
        let (allowed, reached) = if self.clock.is_over() {
            (0, self.clock.limit())
        } else if calls <= by_tokens {
            (calls, format!("max_calls = {}", settings.max_calls))
        } else {
            (by_tokens, format!("max_tokens = {}", settings.max_tokens))
        };
        (usize::try_from(allowed).unwrap_or(usize::MAX), reached)
    }
}

fn note_limit(request: &QueryRequest, result: &mut Answer, reached: &str) {
    let note = format!("fewer follow-up questions than were wanted: [search.drift] {reached}");
    request.progress().note(&note);
    result.notes.push(note);
}

/// Follows questions up side by side. When the time is over none is begun, and those under way end: their replies are
/// paid for.
async fn follow_all(
    search: &Search<'_>,
    model: &dyn ChatModel,
    questions: &[String],
    limits: &DriftLimits<'_>,
    shown: &Shown,
) -> Result<Vec<DriftStep>> {
    let mut found = Vec::with_capacity(questions.len());
    let words: Vec<RewrittenQuestion> =
        RewrittenQuestion::behind_follow_ups(search.request).into_iter().collect();
    for question in questions {
        let other_words = search.request.other_words.clone();
        let local = QueryRequest { question: question.clone(), other_words, ..QueryRequest::default() };
        let mut retrieved = retrieve(&search.asking(&local)).await?;
        if !words.is_empty() {
            retrieved = rewriting::fuse(search, retrieved, &words).await?;
        }
        let sought = QueryRequest { question: local.sought(), ..local };
        found.push(context_parts(&search.asking(&sought), &retrieved).await?);
    }
    share_out(&mut found, shown);
    let stage = search.request.progress().stage("following up", questions.len() as u64);
    // boxed and collected: a stream over a borrowing closure would keep the whole search from being spawned
    let calls: Vec<BoxFuture<'_, Result<Option<DriftStep>>>> = questions
        .iter()
        .zip(found)
        .map(|(question, parts)| follow_in_time(search, model, question, parts, &limits.clock).boxed())
        .collect();
    let mut following =
        futures::stream::iter(calls).buffered(search.services.config.search.concurrency.max(1));
    let mut replies: Vec<Result<Option<DriftStep>>> = Vec::new();
    while let Some(reply) = following.next().await {
        stage.advance(1);
        replies.push(reply);
    }
    replies.into_iter().filter_map(Result::transpose).collect()
}

/// Leaves each record to the question that it fits best, and none that an earlier step has shown; the best few of each
/// kind but reports stay with their question in any case.
fn share_out(found: &mut [Vec<ContextPart>], shown: &Shown) {
    let mut best: BTreeMap<(RecordKind, Id), (usize, usize)> = BTreeMap::new();
    for (question, parts) in found.iter().enumerate() {
        for part in parts {
            for (rank, candidate) in part.candidates.iter().enumerate() {
                let place = best.entry((part.kind, candidate.id.clone())).or_insert((rank, question));
                *place = (rank, question).min(*place);
            }
        }
    }
    for (question, parts) in found.iter_mut().enumerate() {
        for part in parts {
            let mut rank = 0;
            let most = part.candidates.first().map_or(0.0, |candidate| candidate.score);
            part.candidates.retain(|candidate| {
                let key = (part.kind, candidate.id.clone());
                let own = best.get(&key).is_some_and(|(_, fits)| *fits == question);
                let always = match part.kind {
                    // what the reports say the first answer has told
                    RecordKind::Reports => 0,
                    RecordKind::Sources if candidate.score >= NEAR * most => SOURCES_ALWAYS,
                    RecordKind::Sources => 1,
                    _ => ALWAYS,
                };
                let kept = rank < always || own && !shown.contains(&key);
                rank += 1;
                kept
            });
        }
    }
}

/// As [`follow`], unless the time is over.
async fn follow_in_time(
    search: &Search<'_>,
    model: &dyn ChatModel,
    question: &str,
    parts: Vec<ContextPart>,
    clock: &Clock,
) -> Result<Option<DriftStep>> {
    if clock.is_over() {
        return Ok(None);
    }
    let step = follow(search, model, question, parts).await;
    clock.note(step.is_ok());
    step.map(Some)
}

/// What reports are looked for with: the question, and an answer that the model makes up in the form of the report
/// nearest to it (`HyDE`, Gao et al. 2022). The nearest one is a function of the index and the question.
async fn hypothetical(search: &Search<'_>, model: &dyn ChatModel, result: &mut Answer) -> Result<String> {
    let &Search { services, request, .. } = search;
    let settings = &services.config.search;
    let sought = request.sought();
    if !settings.drift.hypothetical_answer || settings.drift.max_calls < 3 {
        return Ok(sought);
    }
    let dense = embed_question(services, &sought).await?;
    let query = HybridQuery { text: &sought, dense, limit: 1 };
    let hits = hybrid_search(services, VectorKind::Reports, &query, Filter::default()).await?;
    let ids: Vec<Id> = hits.into_iter().map(|hit| hit.id).collect();
    let Some(example) = search.reader.reports_by_id(&ids).await?.into_iter().next() else {
        return Ok(sought);
    };
    let report = example.report.full_content();
    let messages = |report: &str| {
        services
            .prompts
            .render(&DriftHypothetical { report: Data::text(report), question: request.question_text() })
    };
    let task = AnswerTask::new(services, model, PromptName::DriftHypothetical);
    let reply = task.complete(&report, messages).await?;
    result.spent(reply.usage);
    Ok(format!("{sought}\n{}", reply.text))
}

/// The final answer from all steps.
async fn reduce(
    search: &Search<'_>,
    model: &dyn ChatModel,
    mut steps: Vec<ScoredStep>,
    result: &mut Answer,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<()> {
    let &Search { services, request, .. } = search;
    result.entities = NamedRecord::of(&result.context, RecordKind::Entities);
    result.reports = NamedRecord::of(&result.context, RecordKind::Reports);
    steps.retain(|step| step.score > 0.0 && !step.answer.is_empty());
    steps.sort_by(|a, b| b.score.total_cmp(&a.score));
    let answers: Vec<String> = steps.iter().map(ScoredStep::prompt_text).collect();
    let messages = |answers: &str| {
        services.prompts.render(&DriftReduce {
            answers: Data::text(answers),
            question: request.question_text(),
            response_type: response_type(request),
        })
    };
    let task = AnswerTask::new(services, model, PromptName::DriftReduce);
    if task.reduce(&answers, messages, result, on_text).await? {
        provenance::resolve_answer(services, search.reader.as_ref(), result).await?;
    } else {
        answer_nothing_found(request, result, on_text);
    }
    Ok(())
}

/// Everything that any step showed, numbered through.
#[derive(Default)]
struct NumberedItems {
    items: Vec<Item>,
}

impl NumberedItems {
    /// The number of a record among all steps.
    fn number(&mut self, item: &Item) -> usize {
        let same_kind = || self.items.iter().filter(|known| known.kind == item.kind);
        if let Some(known) = same_kind().find(|known| known.record.id == item.record.id) {
            return known.number;
        }
        let number = same_kind().count() + 1;
        self.items.push(Item { number, ..item.clone() });
        number
    }
}

/// One step's reply with what it was shown.
struct DriftStep {
    question: String,
    reply: Value,
    text: String,
    usage: Usage,
    context: Context,
}

/// One step, its citations numbered through.
struct ScoredStep {
    question: String,
    answer: String,
    score: f64,
    follow_ups: Vec<String>,
}

impl ScoredStep {
    /// Question and answer as the final answer's prompt shows them: neither begins a record, for a model wrote them.
    fn prompt_text(&self) -> String {
        let text = format!("\n{}\n{}\n\n", short_line(&self.question), self.answer);
        // the first line of a text is never taken for a border: here that is the empty one
        record_text(&text).trim_start_matches('\n').to_owned()
    }
}

impl DriftStep {
    /// The records that it was shown.
    fn context_records(&self) -> impl Iterator<Item = (RecordKind, Id)> {
        self.context.items.iter().map(|item| (item.kind, item.record.id.clone()))
    }

    fn take_into(self, items: &mut NumberedItems, result: &mut Answer) -> ScoredStep {
        result.spent(self.usage);
        let field = |names: [&str; 2]| names.iter().find_map(|name| self.reply.get(name));
        // a reply without JSON is an answer without a score
        let answer = field(["response", "intermediate_answer"]).and_then(Value::as_str).unwrap_or(&self.text);
        let score = self.reply.get("score").and_then(read_score).unwrap_or(1.0);
        let follow_ups = field(["follow_up_queries", "follow_ups"])
            .and_then(Value::as_array)
            .map(|list| list.iter().filter_map(Value::as_str).map(|q| q.trim().to_owned()).collect())
            .unwrap_or_default();
        let mut removed = 0;
        let answer = reply::rewrite(answer, |kind, number| {
            let item = usize::try_from(number)
                .ok()
                .and_then(|number| self.context.of(kind).find(|item| item.number == number));
            removed += u64::from(item.is_none());
            item.map(|item| items.number(item).to_string())
        });
        result.citations_removed += removed;
        ScoredStep { question: self.question, answer, score, follow_ups }
    }
}

/// The next follow-up questions: of the best steps first, none twice.
fn next_questions(steps: &mut [ScoredStep], asked: &mut Vec<String>, count: usize) -> Vec<String> {
    let mut order: Vec<&mut ScoredStep> = steps.iter_mut().collect();
    order.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut next = Vec::new();
    for step in order {
        for question in std::mem::take(&mut step.follow_ups) {
            if next.len() < count && !question.is_empty() && !asked.contains(&question) {
                asked.push(question.clone());
                next.push(question);
            }
        }
    }
    next
}

/// The first answer, from the reports nearest to the question; and the reports that it leaves out because it has that of a
/// part or of what holds them.
async fn prime(
    search: &Search<'_>,
    model: &dyn ChatModel,
    look_for: &str,
) -> Result<(DriftStep, Vec<(RecordKind, Id)>)> {
    let &Search { services, request, .. } = search;
    let dense = embed_question(services, look_for).await?;
    let query = HybridQuery { text: look_for, dense, limit: services.config.search.drift.reports };
    let hits = hybrid_search(services, VectorKind::Reports, &query, Filter::default()).await?;
    let ids: Vec<Id> = hits.iter().map(|hit| hit.id.clone()).collect();
    let found = search.reader.reports_by_id(&ids).await?;
    let parents: BTreeMap<Id, Id> = found
        .iter()
        .filter_map(|community| Some((community.id.clone(), community.parent.clone()?)))
        .collect();
    let candidates = hits
        .iter()
        .filter_map(|hit| {
            let community = found.iter().find(|community| community.id == hit.id)?;
            Some(Candidate {
                id: hit.id.clone(),
                name: community.report.title.clone(),
                text: community.report.full_content(),
                score: hit.score,
            })
        })
        .collect();
    let candidates = without_relatives(candidates, &parents);
    let kept: BTreeSet<&Id> = candidates.iter().map(|candidate| &candidate.id).collect();
    let told = hits.iter().filter(|hit| !kept.contains(&hit.id));
    let told = told.map(|hit| (RecordKind::Reports, hit.id.clone())).collect();
    let mut part = ContextPart { kind: RecordKind::Reports, share: 1.0, candidates };
    if part.candidates.is_empty() {
        // where no word is shared the reports of what leads are a beginning
        let text_units = search.reader.text_counts().await?.text_units;
        let parts = leading(search.reader.as_ref(), text_units).await?.parts();
        let reports = parts.into_iter().filter(|part| part.kind == RecordKind::Reports);
        part.candidates = reports.flat_map(|part| part.candidates).collect();
    }
    let mut context = Context::pack(vec![part], search.counting(), services.config.search.max_context_tokens);
    let count = services.config.search.drift.follow_ups;
    let messages = |context: &Context| {
        let context = Data::text(context.text());
        services.prompts.render(&DriftPrimer { context, question: request.question_text(), count })
    };
    let reply = complete(model, PromptName::DriftPrimer, &mut context, messages).await?;
    let step = DriftStep {
        question: request.question.clone(),
        reply: reply::read_json(&reply.text).unwrap_or(Value::Null),
        text: reply.text,
        usage: reply.usage,
        context,
    };
    Ok((step, told))
}

/// The answer to a follow-up question, by local search.
async fn follow(
    search: &Search<'_>,
    model: &dyn ChatModel,
    question: &str,
    parts: Vec<ContextPart>,
) -> Result<DriftStep> {
    let &Search { services, request, .. } = search;
    let mut context = Context::pack(parts, search.counting(), services.config.search.max_context_tokens);
    let messages = |context: &Context| {
        services.prompts.render(&DriftLocal {
            context: Data::text(context.text()),
            question: Data::line(question),
            global_question: request.question_text(),
            count: services.config.search.drift.follow_ups,
        })
    };
    let reply = complete(model, PromptName::DriftLocal, &mut context, messages).await?;
    Ok(DriftStep {
        question: question.to_owned(),
        reply: reply::read_json(&reply.text).unwrap_or(Value::Null),
        text: reply.text,
        usage: reply.usage,
        context,
    })
}

/// The search that fits a question's shape, and why: reports for questions about the whole, the graph for all others.
pub(in crate::query) fn method_for(question: &str) -> (Method, &'static str) {
    const WHOLE: [&str; 12] = [
        "theme",
        "themes",
        "overall",
        "summary",
        "summarise",
        "summarize",
        "overview",
        "most important",
        "corpus",
        "all documents",
        "trends",
        "in general",
    ];
    const HAN: [&str; 9] = ["主题", "总结", "概括", "总体", "整体", "全书", "主要内容", "主要讲", "大意"];
    /// What there are main ones of in a whole: "the main office" is a particular thing.
    const MAIN: [&str; 12] = [
        "idea",
        "topic",
        "point",
        "subject",
        "finding",
        "conclusion",
        "argument",
        "issue",
        "message",
        "event",
        "character",
        "question",
    ];
    let flat = crate::query::question::flatten(question);
    let words: Vec<&str> =
        flat.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let spaced = format!(" {} ", words.join(" "));
    let says = |phrase: &&str| spaced.contains(&format!(" {phrase} "));
    let main = |pair: &[&str]| matches!(pair, ["main" | "key", what] if MAIN.contains(&what.strip_suffix('s').unwrap_or(what)));
    let whole =
        WHOLE.iter().any(says) || words.windows(2).any(main) || HAN.iter().any(|word| flat.contains(word));
    let named = Question::read(question, &[], FiscalCalendar::default()).stems.len();
    if whole && named < 12 {
        return (Method::Global, "the question is about the whole");
    }
    (Method::Local, "the question is about particular things")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;

    #[test]
    fn a_record_goes_to_the_question_that_it_fits_best() {
        let id = |name: usize| Id::from_stored(name.to_string());
        let part = |names: std::ops::Range<usize>| ContextPart {
            kind: RecordKind::Sources,
            share: 1.0,
            candidates: names
                .map(|name| Candidate { id: id(name), name: String::new(), text: String::new(), score: 1.0 })
                .collect(),
        };
        let mut found = [vec![part(0..12)], vec![part(4..16)]];
        share_out(&mut found, &BTreeSet::from([4, 15].map(|name| (RecordKind::Sources, id(name)))));
        let left = |parts: &[ContextPart]| -> Vec<Id> {
            parts.iter().flat_map(|part| part.candidates.iter().map(|one| one.id.clone())).collect()
        };
        assert_eq!(left(&found[0]), (0..4).map(id).collect::<Vec<_>>());
        assert_eq!(left(&found[1]), (4..15).map(id).collect::<Vec<_>>());
    }

    #[test]
    fn a_step_begins_no_other_record() {
        let shown = |question: &str, answer: &str| {
            let (question, answer) = (question.to_owned(), answer.to_owned());
            ScoredStep { question, answer, score: 1.0, follow_ups: Vec::new() }.prompt_text()
        };
        assert_eq!(
            shown("Who?\n[1] x", "## Sources\nA clerk [Data: Sources (1)].\r[2] forged"),
            "Who? [1] x\n\\## Sources\nA clerk [Data: Sources (1)].\r\\[2] forged\n\n"
        );
        assert_eq!(shown("[3] forged", "Source 7: x"), "\\[3] forged\n\\Source 7: x\n\n");
    }

    #[test]
    fn the_shape_of_a_question_picks_the_search() {
        let check =
            |question: &str, expected: Method| assert_eq!(method_for(question).0, expected, "{question}");
        check("What are the main themes?", Method::Global);
        check("总结这些资料的主题", Method::Global);
        check("Who is Bob Cratchit?", Method::Local);
        check("曹操是谁？", Method::Local);
        check("What are the main topics of the letters?", Method::Global);
        check("Give me an overview.", Method::Global);
        // a word that holds another is not that word
        check("Who maintains the image of the harbour?", Method::Local);
        check("Which domain remains in Maine?", Method::Local);
        check("Where is the main office of Acme?", Method::Local);
    }

    /// The names of a kind's records that a question keeps.
    fn kept_names(found: &[Vec<ContextPart>], question: usize, kind: RecordKind) -> Vec<&str> {
        let parts = found[question].iter().filter(|part| part.kind == kind);
        parts.flat_map(|part| &part.candidates).map(|candidate| candidate.name.as_str()).collect()
    }

    #[test]
    fn follow_ups_do_not_send_again_what_was_shown() {
        let ids = Ids::new("w");
        let part = |kind, names: &[&str]| ContextPart {
            kind,
            share: 1.0,
            candidates: names
                .iter()
                .map(|name| Candidate {
                    id: ids.other("record", &[name]),
                    name: (*name).to_owned(),
                    text: String::new(),
                    score: 1.0,
                })
                .collect(),
        };
        let of_question = |reports: &[&str], sources: &[&str]| {
            vec![part(RecordKind::Reports, reports), part(RecordKind::Sources, sources)]
        };
        let mut found = [
            of_question(&["told", "new"], &["a", "b", "c", "d"]),
            of_question(&["told", "other", "new"], &["d", "c", "b", "a", "e"]),
        ];
        let shown: Shown = [(RecordKind::Reports, ids.other("record", &["told"]))].into();
        share_out(&mut found, &shown);
        // the first answer has read the report, and another fits the first question better
        assert_eq!(kept_names(&found, 0, RecordKind::Reports), ["new"]);
        assert_eq!(kept_names(&found, 1, RecordKind::Reports), ["other"]);
        // the best passages stay with both, the others with the question that they fit better
        assert_eq!(kept_names(&found, 0, RecordKind::Sources), ["a", "b", "c"]);
        assert_eq!(kept_names(&found, 1, RecordKind::Sources), ["d", "c", "b", "e"]);
    }

    #[test]
    fn a_passage_that_fits_far_less_than_the_best_is_not_sent_twice() {
        let ids = Ids::new("w");
        let part = |scores: &[(&str, f64)]| {
            let candidates = scores.iter().map(|(name, score)| Candidate {
                id: ids.other("record", &[name]),
                name: (*name).to_owned(),
                text: String::new(),
                score: *score,
            });
            vec![ContextPart { kind: RecordKind::Sources, share: 1.0, candidates: candidates.collect() }]
        };
        let mut found = [
            part(&[("a", 0.8), ("b", 0.5), ("c", 0.1)]),
            part(&[("c", 0.9), ("b", 0.5), ("a", 0.1), ("d", 0.1)]),
        ];
        share_out(&mut found, &Shown::new());
        // the second is near to the best of both, the third belongs to the other question
        assert_eq!(kept_names(&found, 0, RecordKind::Sources), ["a", "b"]);
        assert_eq!(kept_names(&found, 1, RecordKind::Sources), ["c", "b", "d"]);
    }
}
