//! The server itself: the router with its layers, connections with limits, and the way it stops.

use super::app::{App, ServeSettings, Shared};
use super::layers::{self, Guard};
use super::problem::Problem;
use super::routes::Routes;
use super::tokens::{Caller, Role};
use super::unchanged::{self, TaggedRoutes};
use super::unread::Watched;
use super::{api, background, compression, jobs, mcp, openai, page};
use crate::config::Config;
use anyhow::{Context, Result, bail};
use axum::extract::{ConnectInfo, DefaultBodyLimit, Request, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Router, middleware};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// Connections at once.
const CONNECTIONS: usize = 2_048;
/// How long the head of a request may take to come.
const HEAD: Duration = Duration::from_secs(30);
/// Bytes of the head of a request.
const HEAD_BYTES: usize = 32 * 1024;
/// Headers of a request.
const HEADERS: usize = 64;
/// How long somebody may take nothing of a reply that waits for them.
const UNREAD: Duration = Duration::from_mins(1);
/// How long replies may go on when the server is asked to stop: longer than answers may.
const GRACE: Duration = Duration::from_secs(7);
/// The same of jobs, which end at a safe point.
const JOB_GRACE: Duration = Duration::from_secs(20);

fn routes() -> Routes {
    let mut routes = Routes::default();
    api::add_to(&mut routes);
    openai::add_to(&mut routes);
    mcp::add_to(&mut routes);
    page::add_to(&mut routes);
    routes
}

/// The description of the API.
fn openapi_text(app: &App) -> String {
    serde_json::to_string_pretty(&routes().openapi(app.before_routes())).unwrap_or_default()
}

/// All routes behind their layers.
pub(crate) fn build_router(app: &Shared) -> Router {
    let described = routes();
    let tagged = TaggedRoutes { app: Arc::clone(app), templates: Arc::new(described.tagged()) };
    let (router, roles) = described.finish();
    // the same text whoever sets it
    let _ = app.describe.set(openapi_text);
    let guard = Guard { app: Arc::clone(app), roles: Arc::new(roles) };
    let router = router
        .fallback(nowhere)
        .layer(middleware::from_fn_with_state(tagged, unchanged::answer))
        .layer(middleware::from_fn(compression::compress))
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn_with_state(guard, layers::guard));
    router.layer(middleware::from_fn_with_state(Arc::clone(app), layers::watch)).with_state(Arc::clone(app))
}

/// Serves the tools of the Model Context Protocol on stdin and stdout until they end.
///
/// # Errors
/// The server's own records cannot be opened; what the transport says.
pub async fn serve_stdio(config: Config, data: PathBuf, settings: ServeSettings) -> Result<()> {
    let app = App::new(config, &data, settings)?;
    let (role, runner) = if app.settings.read_only {
        (Role::Ask, None)
    } else {
        (Role::Write, Some(tokio::spawn(jobs::run_own(Arc::clone(&app)))))
    };
    let done = mcp::stdio(Arc::clone(&app), Caller::local(role)).await;
    app.stopping.cancel();
    if let Some(runner) = runner {
        // a job ends at its next safe point
        let _ = tokio::time::timeout(JOB_GRACE, runner).await;
    }
    for workspace in app.workspaces.all_open().await {
        workspace.services.keep_ledger().await;
    }
    done
}

/// The address is that of the page but for the slash at its end, without which its files would be looked for elsewhere.
#[derive(Clone, Copy, Debug)]
struct WithoutSlash;

async fn nowhere(State(app): State<Shared>, request: Request) -> Response {
    if request.extensions().get::<WithoutSlash>().is_some() {
        let place = format!("{}/", app.settings.base_path);
        return Redirect::permanent(&place).into_response();
    }
    Problem::of_status(StatusCode::NOT_FOUND).into_response()
}

/// Takes away what stands before every address; what does not begin with it is nowhere.
fn without_prefix(request: &mut Request, prefix: &str) {
    if prefix.is_empty() {
        return;
    }
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let inside = path.strip_prefix(prefix).filter(|rest| rest.starts_with('/'));
    if inside.is_none() && path == prefix {
        request.extensions_mut().insert(WithoutSlash);
    }
    let mut parts = request.uri().clone().into_parts();
    parts.path_and_query = inside.unwrap_or("/.nowhere").parse().ok();
    if let Ok(uri) = Uri::from_parts(parts) {
        *request.uri_mut() = uri;
    }
}

/// A server that has its place and waits for requests.
pub struct BoundServer {
    app: Shared,
    listener: TcpListener,
}

impl BoundServer {
    /// Takes the place to listen at. The stores are opened when they are first asked for.
    ///
    /// # Errors
    /// An address beyond this machine without tokens; a place that is taken.
    pub async fn bind(config: Config, data: PathBuf, mut settings: ServeSettings) -> Result<Self> {
        let path = &settings.base_path;
        if !path.is_empty()
            && (!path.starts_with('/') || path.ends_with('/') || path.contains(['{', '}', '?', '#']))
        {
            bail!("--base-path {path:?}: begin it with / and end it without, as in /graph");
        }
        let listener = TcpListener::bind(settings.listen).await.with_context(|| {
            format!("cannot listen at {}; choose another place with --listen", settings.listen)
        })?;
        settings.listen = listener.local_addr().context("while taking a place to listen at")?;
        let app = App::new(config, &data, settings)?;
        Ok(Self { app, listener })
    }

    /// Whether requests of others come here, straight or by a proxy, and there is no token that they need.
    pub fn is_open_to_others(config: &Config, settings: &ServeSettings) -> bool {
        let public = config.serve.public_url.as_deref();
        let is_reached =
            !settings.listen.ip().is_loopback() || public.is_some_and(|url| !crate::address::is_local(url));
        is_reached && !super::tokens::TokenFile::new(&settings.tokens).is_needed()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.app.settings.listen
    }

    /// What stops it, from anywhere.
    pub fn stopper(&self) -> CancellationToken {
        self.app.stopping.clone()
    }

    /// Serves until it is stopped; then ends what is under way, within a bound.
    pub async fn run(self) {
        let Self { app, listener } = self;
        let router = build_router(&app);
        background::leave_a_processor();
        let runner = tokio::spawn(jobs::run_all(Arc::clone(&app)));
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { break };
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = app.stopping.cancelled() => break,
            };
            match accepted {
                Ok((stream, peer)) => {
                    let prefix = app.settings.base_path.clone();
                    let work = connection(stream, peer, router.clone(), prefix, app.stopping.clone());
                    tokio::spawn(async move {
                        work.await;
                        drop(place);
                    });
                }
                Err(error) => {
                    // out of file descriptors, say: others may end meanwhile
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
        drop(listener);
        // all places are free again when all connections have ended
        let all = u32::try_from(CONNECTIONS).unwrap_or(u32::MAX);
        if tokio::time::timeout(GRACE, places.acquire_many(all)).await.is_err() {
            tracing::warn!("some replies did not end in time and were cut off");
        }
        // a job ends at its next safe point
        if tokio::time::timeout(JOB_GRACE, runner).await.is_err() {
            tracing::warn!("a job did not end in time; it is begun again with the next start");
        }
        for workspace in app.workspaces.all_open().await {
            workspace.services.keep_ledger().await;
        }
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    prefix: String,
    stopping: CancellationToken,
) {
    // pieces of an answer are small and should not wait for each other
    let _ = stream.set_nodelay(true);
    let service = router.map_request(move |request: hyper::Request<hyper::body::Incoming>| {
        let mut request = request.map(axum::body::Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        without_prefix(&mut request, &prefix);
        request
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS)
        .serve_connection(TokioIo::new(Watched::new(stream, UNREAD)), TowerToHyperService::new(service));
    let mut connection = std::pin::pin!(connection);
    let done = tokio::select! {
        done = connection.as_mut() => done,
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = done {
        tracing::debug!(%error, "a connection ended");
    }
}
