//! What runs the server: health, metrics, the description of the API, who asks.

use crate::serve::app::{Shared, StoresDown};
use crate::serve::input;
use crate::serve::problem::{Outcome, ProblemType};
use crate::serve::routes::{About, Routes};
use crate::serve::tokens::{Caller, Role};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long a store may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long what stores said holds.
const LOOK_LASTS: Duration = Duration::from_secs(5);

pub(super) fn add_to(routes: &mut Routes) {
    routes.get(
        "/api/v1",
        about,
        About::new("about", Role::Read, "The program's version, its limits, and what works now.")
            .reply::<Server>(),
    );
    routes.get(
        "/api/v1/me",
        me,
        About::new("me", Role::Read, "Who you are and what you may do.").reply::<Me>(),
    );
    routes.get("/health/live", live, About::open("live", "Whether the process answers.").reply::<Health>());
    routes.get(
        "/health/ready",
        ready,
        About::open("ready", "Whether the stores answer too.").reply::<Health>(),
    );
    routes.get(
        "/metrics",
        metrics,
        About::new("metrics", Role::Read, "What is measured, for Prometheus.")
            .other("text/plain", "the metrics"),
    );
    routes.get(
        "/api/openapi.json",
        openapi,
        About::open("openapi", "This description.").other("application/json", "an OpenAPI 3.1 document"),
    );
    routes.get(
        "/problems/{name}",
        problem,
        About::open("problem", "What a kind of problem means.").reply::<ProblemKind>(),
    );
}

/// The server.
#[derive(Debug, Serialize, JsonSchema)]
struct Server {
    /// `graphwright`.
    name: &'static str,
    /// Its version.
    version: &'static str,
    /// Whether nothing may be changed.
    read_only: bool,
    /// Whether every request needs a token.
    needs_token: bool,
    /// What one request may bring, and how much may be under way.
    limits: BTreeMap<&'static str, u64>,
    /// Names of folders that a sync may be asked for.
    sources: Vec<String>,
    /// Whom to ask where an answer does not help: an address or a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    hand_over: Option<String>,
    /// Where the server is reached, without a slash at its end.
    public_url: String,
}

async fn about(State(app): State<Shared>, caller: Caller) -> Json<Server> {
    let serve = &app.config().serve;
    // names of folders are for those who may read them
    let sources = serve.sources.keys().filter(|_| caller.may_see_all()).cloned().collect();
    Json(Server {
        name: "graphwright",
        version: env!("CARGO_PKG_VERSION"),
        read_only: app.settings.read_only,
        needs_token: app.tokens.is_needed(),
        limits: BTreeMap::from([
            ("body_bytes", input::BODY as u64),
            ("documents_bytes", input::DOCUMENTS as u64),
            ("upload_mb", serve.upload_mb),
            ("question_characters", 8_000),
            ("answers_at_once", serve.answers as u64),
            ("answer_s", serve.answer_s),
            ("answers_per_minute", u64::from(serve.answers_per_minute)),
        ]),
        sources,
        hand_over: serve.hand_over.clone(),
        public_url: app.public_url.clone(),
    })
}

/// Who asks.
#[derive(Debug, Serialize, JsonSchema)]
struct Me {
    /// Name of the token; `local` where none is needed.
    name: String,
    /// What it may do.
    role: Role,
    /// Where; absent: in every workspace.
    workspaces: Option<Vec<String>>,
}

async fn me(caller: Caller) -> Json<Me> {
    Json(Me { name: caller.name, role: caller.role, workspaces: caller.workspaces })
}

/// How the server is.
#[derive(Debug, Serialize, JsonSchema)]
struct Health {
    /// `ok`, `stopping` or `unreachable`.
    status: &'static str,
    /// What is missing, without names and addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
}

async fn live() -> Json<Health> {
    Json(Health { status: "ok", missing: Vec::new() })
}

async fn ready(State(app): State<Shared>) -> (StatusCode, Json<Health>) {
    if app.stopping.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, Json(Health { status: "stopping", missing: Vec::new() }));
    }
    let down = stores_down(&app).await;
    let told = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("the {what} of a workspace")),
        count => Some(format!("the {what}s of {count} workspaces")),
    };
    let missing: Vec<String> =
        told(down.graphs, "graph store").into_iter().chain(told(down.vectors, "vector store")).collect();
    let (status, word) = if missing.is_empty() {
        (StatusCode::OK, "ok")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "unreachable")
    };
    (status, Json(Health { status: word, missing }))
}

/// Which stores do not answer: those of open workspaces; where none is open and a store is another server's, those of the
/// workspace that is meant where a caller names none. Looked at anew after some seconds.
async fn stores_down(app: &Shared) -> StoresDown {
    let mut known = app.stores.lock().await;
    if let Some((_, down)) = known.as_ref().filter(|(looked, _)| looked.elapsed() < LOOK_LASTS) {
        return *down;
    }
    let mut down = StoresDown::default();
    let mut open = tokio::time::timeout(PATIENCE, app.workspaces.all_open()).await.unwrap_or_default();
    let is_elsewhere = app.config().graph.url.is_some() || app.config().vectors.url.is_some();
    let usual = &app.settings.workspace;
    if open.is_empty() && is_elsewhere && app.workspaces.names().contains(usual) {
        match tokio::time::timeout(PATIENCE, app.workspaces.get(usual)).await {
            Ok(Ok(workspace)) => open.push(workspace),
            Ok(Err(problem)) if problem.kind == ProblemType::NotFound => {}
            Ok(Err(_)) | Err(_) => down.graphs += 1,
        }
    }
    for workspace in open {
        let services = &workspace.services;
        if !matches!(tokio::time::timeout(PATIENCE, services.graph.state()).await, Ok(Ok(_))) {
            down.graphs += 1;
        }
        if !matches!(tokio::time::timeout(PATIENCE, services.vectors.dimension()).await, Ok(Ok(_))) {
            down.vectors += 1;
        }
    }
    *known = Some((Instant::now(), down));
    down
}

async fn metrics(State(app): State<Shared>) -> Response {
    let down = stores_down(&app).await;
    for (store, count) in [("graph", down.graphs), ("vectors", down.vectors)] {
        app.metrics.set("graphwright_store_up", &[("store", store)], f64::from(u8::from(count == 0)));
    }
    app.metrics.set("graphwright_workspaces_open", &[], app.workspaces.open_now().await as f64);
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], app.metrics.text()).into_response()
}

async fn openapi(State(app): State<Shared>) -> Response {
    let kind = HeaderValue::from_static("application/json");
    let text = app
        .description
        .get_or_init(|| app.describe.get().map_or_else(|| "{}".to_owned(), |describe| describe(&app)));
    ([(header::CONTENT_TYPE, kind)], text.clone()).into_response()
}

/// A kind of problem.
#[derive(Debug, Serialize, JsonSchema)]
struct ProblemKind {
    /// Its name.
    name: &'static str,
    /// What it means.
    title: &'static str,
    /// The status that it is sent with.
    status: u16,
}

async fn problem(axum::extract::Path(name): axum::extract::Path<String>) -> Outcome<Json<ProblemKind>> {
    let kind = ProblemType::ALL.into_iter().find(|kind| kind.name() == name);
    let kind =
        kind.ok_or_else(|| crate::serve::problem::Problem::not_found("there is no problem of this name"))?;
    Ok(Json(ProblemKind { name: kind.name(), title: kind.title(), status: kind.status().as_u16() }))
}
