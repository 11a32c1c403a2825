//! `answers`, `search`, `compare`, `questions`.

use super::events;
use crate::language::Language;
use crate::query::suggestions;
use crate::serve::app::{PendingState, Shared};
use crate::serve::asking::{self, Event};
use crate::serve::input::{AnswerPlace, Body, SearchPlace};
use crate::serve::kept;
use crate::serve::problem::{Outcome, Problem, ProblemType};
use crate::serve::routes::{About, Routes};
use crate::serve::shapes::{
    AnswerReply, AnswerRequest, CompareRequest, ComparedMethod, Comparison, QuestionLanguage, Questions,
    QuestionsRequest, SearchReply, SearchRequest, ToCome,
};
use crate::serve::tables;
use crate::serve::tokens::{Caller, Role};
use crate::serve::workspaces::{QUESTIONS, Workspace};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse;
use axum::response::{IntoResponse, Response};
use futures::Stream;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Methods that one comparison asks.
const METHODS: usize = 8;

pub(super) fn add_to(routes: &mut Routes) {
    routes.post(
        "/api/v1/workspaces/{ws}/answers",
        answer,
        About::new(
            "ask",
            Role::Ask,
            "Answers a question with citations down to the sentence, whole or as events.",
        )
        .body::<AnswerRequest>()
        .reply::<AnswerReply>()
        .also::<ToCome>(202, "with background: it is being made")
        .other("text/event-stream", "with stream: events meta, progress, text, citation, done, error"),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/answers/{id}",
        kept_answer,
        About::new("get_answer", Role::Read, "An answer that is kept; 202 while it is being made.")
            .reply::<AnswerReply>()
            .also::<ToCome>(202, "it is being made"),
    );
    routes.get(
        "/api/v1/workspaces/{ws}/answers/{id}/table.csv",
        table_of_answer,
        About::new(
            "get_answer_table",
            Role::Read,
            "The rows of an answer by `table` as CSV, a line a row and sentence.",
        )
        .other("text/csv", "the rows"),
    );
    routes.delete(
        "/api/v1/workspaces/{ws}/answers/{id}",
        forget,
        About::new("forget_answer", Role::Ask, "Forgets an answer.").status(204),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/search",
        search,
        About::new("search", Role::Read, "Finds, ranks and packs records without a model.")
            .body::<SearchRequest>()
            .reply::<SearchReply>(),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/compare",
        compare,
        About::new("compare", Role::Ask, "Answers one question by several methods, side by side.")
            .body::<CompareRequest>()
            .reply::<Comparison>(),
    );
    routes.post(
        "/api/v1/workspaces/{ws}/questions",
        questions,
        About::new("suggest_questions", Role::Ask, "Questions worth asking, first or next.")
            .body::<QuestionsRequest>()
            .reply::<Questions>(),
    );
}

async fn answer(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    AnswerPlace(place): AnswerPlace,
    Body(mut request): Body<AnswerRequest>,
) -> Outcome<Response> {
    let workspace = app.workspace(&caller, &ws).await?;
    if request.background {
        if request.stream || request.forget {
            let told =
                "\"background\" keeps an answer that nobody waits for; leave \"stream\" and \"forget\" out";
            return Err(Problem::invalid(told));
        }
        let id = kept::fresh_id()?;
        request.id = Some(id.clone());
        asking::check_request(&app, &caller, &workspace, &request).await?;
        PendingAnswer::begin(&app, caller, &workspace, request, place).let_go();
        return Ok((StatusCode::ACCEPTED, Json(ToCome::of(&app.public_url, &ws, &id))).into_response());
    }
    if request.stream {
        asking::check_request(&app, &caller, &workspace, &request).await?;
        let generation = workspace.generation().await?;
        let asking = PendingAnswer::begin(&app, caller, &workspace, request, place);
        return Ok(events::stream(&app, event_stream(workspace.name.clone(), generation, asking)));
    }
    let reply = asking::answer(&app, &caller, &workspace, &request, None).await?;
    drop(place);
    Ok(Json(reply).into_response())
}

/// An answer that is being made, beside whoever reads it: a slow reader holds nothing up. It ends when this is dropped.
pub(crate) struct PendingAnswer {
    /// What happens.
    pub(crate) events: mpsc::UnboundedReceiver<Event>,
    work: JoinHandle<Outcome<AnswerReply>>,
    is_let_go: bool,
}

impl PendingAnswer {
    /// Begins; the place is free again when the answer is there.
    pub(crate) fn begin(
        app: &Shared,
        caller: Caller,
        workspace: &Arc<Workspace>,
        request: AnswerRequest,
        place: crate::serve::limits::Permit,
    ) -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        let (app, workspace) = (Arc::clone(app), Arc::clone(workspace));
        // whoever has the id may ask for it before the work begins
        let pending = request.id.clone().map(|id| app.begin_pending(id));
        let work = tokio::spawn(async move {
            let reply = asking::answer(&app, &caller, &workspace, &request, Some(sender)).await;
            drop(place);
            if let Some(pending) = pending {
                pending.end(reply.as_ref().err().map(|problem| problem.detail.clone()));
            }
            reply
        });
        Self { events, work, is_let_go: false }
    }

    /// Lets the answer be made to its end with nobody waiting: it is kept under its id.
    pub(crate) fn let_go(&mut self) {
        self.is_let_go = true;
    }

    /// The answer, when the events have ended.
    pub(crate) async fn finish(&mut self) -> Outcome<AnswerReply> {
        match (&mut self.work).await {
            Ok(reply) => reply,
            Err(error) => Err(Problem::failed(format!("an answer ended: {error}"))),
        }
    }
}

impl Drop for PendingAnswer {
    fn drop(&mut self) {
        // whoever asked has left: the call of the model ends with the task
        if !self.is_let_go {
            self.work.abort();
        }
    }
}

/// The events of an answer.
fn event_stream(
    workspace: String,
    generation: u64,
    asking: PendingAnswer,
) -> impl Stream<Item = Result<sse::Event, Infallible>> + Send {
    enum AnswerStage {
        Meta,
        Text,
        End(std::vec::IntoIter<sse::Event>),
    }
    futures::stream::unfold((asking, AnswerStage::Meta), move |(mut asking, next)| {
        let workspace = workspace.clone();
        async move {
            let event = match next {
                AnswerStage::Meta => {
                    let meta = json!({"workspace": workspace, "generation": generation});
                    return Some((Ok(events::event("meta", &meta)), (asking, AnswerStage::Text)));
                }
                AnswerStage::Text => match asking.events.recv().await {
                    Some(Event::Progress { step, done, total }) => {
                        events::event("progress", &json!({"step": step, "done": done, "total": total}))
                    }
                    Some(Event::Text(delta)) => events::event("text", &json!({"delta": delta})),
                    None => {
                        let mut rest = last_events(asking.finish().await).into_iter();
                        let first = rest.next()?;
                        return Some((Ok(first), (asking, AnswerStage::End(rest))));
                    }
                },
                AnswerStage::End(mut rest) => {
                    let event = rest.next()?;
                    return Some((Ok(event), (asking, AnswerStage::End(rest))));
                }
            };
            Some((Ok(event), (asking, AnswerStage::Text)))
        }
    })
}

fn last_events(reply: Outcome<AnswerReply>) -> Vec<sse::Event> {
    match reply {
        Ok(reply) => {
            let mut last: Vec<sse::Event> =
                reply.citations.iter().map(|citation| events::event("citation", citation)).collect();
            last.push(events::event("done", &reply));
            last
        }
        Err(problem) => {
            if let Some(cause) = &problem.cause {
                tracing::warn!(%cause, "an answer failed");
            }
            vec![events::event("error", &problem.json("", ""))]
        }
    }
}

async fn kept_answer(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<Response> {
    if !caller.may_see(&ws) {
        return Err(Problem::not_found(format!("no answer {id:?} is kept in workspace {ws}")));
    }
    match app.pending(&id) {
        Some(PendingState::Made) => {
            Ok((StatusCode::ACCEPTED, Json(ToCome::of(&app.public_url, &ws, &id))).into_response())
        }
        Some(PendingState::Failed(detail)) => Err(Problem::new(ProblemType::ModelFailed, detail)),
        None => Ok(Json(app.kept.answer(&ws, &id)?).into_response()),
    }
}

async fn table_of_answer(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<Response> {
    if !caller.may_see(&ws) {
        return Err(Problem::not_found(format!("no answer {id:?} is kept in workspace {ws}")));
    }
    let answer = app.kept.answer(&ws, &id)?;
    let table = answer.table.as_ref().ok_or_else(|| {
        Problem::not_found(format!("answer {id:?} is no table; ask with the method \"table\" for rows"))
    })?;
    let rows = tables::csv(table)?;
    let kind = HeaderValue::from_static("text/csv; charset=utf-8");
    let name = HeaderValue::from_static("attachment; filename=\"table.csv\"");
    Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, name)], rows).into_response())
}

async fn forget(
    State(app): State<Shared>,
    caller: Caller,
    Path((ws, id)): Path<(String, String)>,
) -> Outcome<StatusCode> {
    if caller.may_see(&ws) && app.kept.forget_answer(&ws, &id)? {
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(Problem::not_found(format!("no answer {id:?} is kept in workspace {ws}")))
}

async fn search(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    SearchPlace(_place): SearchPlace,
    Body(request): Body<SearchRequest>,
) -> Outcome<Json<SearchReply>> {
    let workspace = app.workspace(&caller, &ws).await?;
    Ok(Json(asking::search(&app, &workspace, &request).await?))
}

async fn compare(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    AnswerPlace(_place): AnswerPlace,
    Body(request): Body<CompareRequest>,
) -> Outcome<Json<Comparison>> {
    let workspace = app.workspace(&caller, &ws).await?;
    let methods = if request.methods.is_empty() {
        let mut methods = asking::methods(&workspace.services);
        methods.retain(|method| *method != crate::query::Method::Auto);
        methods
    } else {
        request.methods.clone()
    };
    if methods.len() > METHODS {
        return Err(Problem::new(
            ProblemType::TooLarge,
            format!("one comparison asks {METHODS} methods at most"),
        ));
    }
    let mut answers = Vec::new();
    for method in methods {
        let asked = AnswerRequest {
            question: request.question.clone(),
            method,
            filters: request.filters.clone(),
            without_model: request.without_model,
            forget: true,
            ..AnswerRequest::default()
        };
        answers.push(match asking::answer(&app, &caller, &workspace, &asked, None).await {
            Ok(answer) => ComparedMethod { method, answer: Some(answer), problem: None },
            // a question that is wrong is wrong for all
            Err(problem) if matches!(problem.kind, ProblemType::TooLarge | ProblemType::ShuttingDown) => {
                return Err(problem);
            }
            Err(problem) => ComparedMethod { method, answer: None, problem: Some(problem.detail) },
        });
    }
    Ok(Json(Comparison { question: request.question, answers }))
}

async fn questions(
    State(app): State<Shared>,
    caller: Caller,
    Path(ws): Path<String>,
    AnswerPlace(_place): AnswerPlace,
    Body(request): Body<QuestionsRequest>,
) -> Outcome<Json<Questions>> {
    let n = request.n.unwrap_or(5);
    if !(1..=QUESTIONS).contains(&n) {
        return Err(Problem::invalid(format!("n is {n}; it must be from 1 to {QUESTIONS}")));
    }
    let workspace = app.workspace(&caller, &ws).await?;
    if workspace.services.chat.is_some() {
        app.allow_cost(&caller)?;
    }
    let services = &workspace.services;
    let found = async {
        let language = request.language.map(|language| match language {
            QuestionLanguage::En => Language::English,
            QuestionLanguage::Zh => Language::Chinese,
        });
        let found = suggestions::questions_in(services, &request.after, n, language).await;
        workspace.keep_ledger_behind();
        Ok(found?)
    };
    // what whoever opens the page is offered is the same for all as long as nothing changes
    let row = match request.language {
        None => 0,
        Some(QuestionLanguage::En) => 1,
        Some(QuestionLanguage::Zh) => 2,
    };
    let held = workspace.questions.get(row * QUESTIONS + n - 1);
    let questions = match held.filter(|_| request.after.is_empty()) {
        Some(held) => held.get(workspace.mark().await?, found).await?.to_vec(),
        None => found.await?,
    };
    Ok(Json(Questions { questions }))
}
