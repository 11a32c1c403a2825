//! What stands before every route: who may come in, an id for the request, a line in the log, a time in the metrics, and the
//! form in which problems are told.

use super::app::{App, Shared};
use super::problem::{Outcome, Problem, ProblemType};
use super::routes::Roles;
use super::tokens::{Caller, Role};
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;
use tracing::Instrument;

/// Header of a request's id.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// What pages of ours may do: load what we serve, ask us, nothing else.
pub(crate) const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// What the guard works with.
#[derive(Clone)]
pub(crate) struct Guard {
    pub(crate) app: Shared,
    pub(crate) roles: Arc<Roles>,
}

/// The outermost layer.
pub(crate) async fn watch(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let id = request_id(request.headers());
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let speaks_openai = path.contains("/v1/") && !path.contains("/api/v1");
    let trace = traceparent(request.headers());
    let span = tracing::info_span!("request", id = %id, trace = trace.as_deref());
    let active = app.metrics.open("http_server_active_requests");
    let mut response = next.run(request).instrument(span.clone()).await;
    drop(active);
    let template = response.extensions().get::<Template>().cloned();
    if let Some(problem) = problem_of(&mut response) {
        if let Some(cause) = &problem.cause {
            span.in_scope(|| tracing::error!(kind = problem.kind.name(), %cause, "a request failed"));
        }
        response = problem_response(&problem, &path, &id, speaks_openai, response.headers());
    }
    secure(response.headers_mut());
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let route = template.map_or_else(|| "other".to_owned(), |template| template.0);
    let status = response.status().as_u16();
    let took = begun.elapsed();
    let labels = [
        ("http_request_method", method_name(&method)),
        ("http_route", route.as_str()),
        ("http_response_status_code", status_name(status)),
    ];
    app.metrics.took("http_server_request_duration_seconds", &labels, took);
    span.in_scope(|| {
        tracing::info!(method = %method, route, status, ms = (took.as_secs_f64() * 1e6).round() / 1e3, "request");
    });
    response
}

/// The template of the address that was called, kept for metrics and the log.
#[derive(Clone, Debug)]
struct Template(String);

/// Methods that are no word of a caller's own.
fn method_name(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "_OTHER",
    }
}

fn status_name(status: u16) -> &'static str {
    match status {
        200 => "200",
        201 => "201",
        202 => "202",
        204 => "204",
        304 => "304",
        400 => "400",
        401 => "401",
        403 => "403",
        404 => "404",
        409 => "409",
        413 => "413",
        429 => "429",
        500 => "500",
        503 => "503",
        other if other < 300 => "2xx",
        other if other < 400 => "3xx",
        other if other < 500 => "4xx",
        _ => "5xx",
    }
}

/// The problem that a reply is, where it is one.
fn problem_of(response: &mut Response) -> Option<Problem> {
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        return Some(problem);
    }
    let status = response.status();
    let kind =
        response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    // what another layer or library said in its own words stays where those are JSON
    let is_told = kind.starts_with("application/") || kind.starts_with("text/event-stream");
    (status.is_client_error() || status.is_server_error()).then_some(())?;
    (!is_told).then(|| Problem::of_status(status))
}

fn problem_response(
    problem: &Problem,
    path: &str,
    id: &str,
    speaks_openai: bool,
    kept: &HeaderMap,
) -> Response {
    let (kind, body) = if speaks_openai {
        ("application/json", problem.openai())
    } else {
        ("application/problem+json", problem.json(path, id))
    };
    let kind = HeaderValue::from_static(kind);
    let mut response =
        (problem.kind.status(), [(header::CONTENT_TYPE, kind)], body.to_string()).into_response();
    for name in
        [header::RETRY_AFTER, header::WWW_AUTHENTICATE, header::ALLOW, header::ACCESS_CONTROL_ALLOW_ORIGIN]
    {
        if let Some(value) = kept.get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

/// What every reply says to a browser.
fn secure(headers: &mut HeaderMap) {
    let set = |headers: &mut HeaderMap, name: HeaderName, value: &'static str| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    set(headers, header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
    set(headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(headers, header::REFERRER_POLICY, "no-referrer");
    set(headers, HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(headers, HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(headers, header::CACHE_CONTROL, "no-store");
}

/// The id that a request brings, where it is plausible, else a fresh one.
fn request_id(headers: &HeaderMap) -> String {
    let brought = headers.get(&REQUEST_ID).and_then(|value| value.to_str().ok());
    match brought {
        Some(id)
            if (8..=64).contains(&id.len())
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) =>
        {
            id.to_owned()
        }
        _ => format!("{:016x}", fastrand::u64(..)),
    }
}

/// The trace that a request belongs to, by W3C's header.
fn traceparent(headers: &HeaderMap) -> Option<String> {
    let value = headers.get("traceparent")?.to_str().ok()?;
    let parts: Vec<&str> = value.split('-').collect();
    let [_, trace, span, _] = parts.as_slice() else { return None };
    let fine = trace.len() == 32 && span.len() == 16 && trace.bytes().all(|byte| byte.is_ascii_hexdigit());
    fine.then(|| (*trace).to_owned())
}

/// Lets in who may come in, and nobody else.
pub(crate) async fn guard(State(guard): State<Guard>, mut request: Request, next: Next) -> Response {
    let template = request.extensions().get::<MatchedPath>().map(|matched| matched.as_str().to_owned());
    let origin = allowed_origin(&guard.app, request.headers());
    let mut response = match let_in(&guard, template.as_deref(), &mut request) {
        Err(problem) => problem.into_response(),
        Ok(()) if request.method() == Method::OPTIONS => preflight(origin.is_some()),
        Ok(()) => next.run(request).await,
    };
    if let Some(origin) = origin {
        response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("Origin"));
        let exposed = HeaderValue::from_static("x-request-id, retry-after, etag");
        response.headers_mut().insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    }
    if let Some(template) = template {
        response.extensions_mut().insert(Template(template));
    }
    response
}

fn preflight(is_known: bool) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    if is_known {
        for (name, value) in [
            (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
            (
                header::ACCESS_CONTROL_ALLOW_HEADERS,
                "authorization, content-type, if-none-match, last-event-id, mcp-protocol-version, mcp-method, mcp-name, x-request-id",
            ),
            (header::ACCESS_CONTROL_MAX_AGE, "600"),
        ] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
    }
    response
}

fn let_in(guard: &Guard, template: Option<&str>, request: &mut Request) -> Outcome<()> {
    let app = &guard.app;
    let headers = request.headers();
    check_host(app, headers, request.uri().host())
        .and_then(|()| check_origin(app, headers, request.method()))
        .inspect_err(|problem| {
            app.metrics.count("graphwright_rejected_total", &[("reason", problem.kind.name())]);
        })?;
    if request.method() == Method::OPTIONS {
        return Ok(());
    }
    let role = match template {
        // an address that no route has tells nothing
        None => return Ok(()),
        Some(template) => {
            let known = guard.roles.get(&(request.method().to_string(), template.to_owned()));
            known.copied().unwrap_or(Some(Role::Admin))
        }
    };
    let Some(role) = role else { return Ok(()) };
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_string());
    let caller = who(app, headers, address.as_deref().unwrap_or("unknown"))?;
    app.allow(&caller, role)?;
    request.extensions_mut().insert(caller);
    Ok(())
}

/// Who asks, by the token in the header; a token in an address is not looked at.
pub(crate) fn who(app: &App, headers: &HeaderMap, address: &str) -> Outcome<Caller> {
    if !app.tokens.is_needed() {
        if app.settings.listen.ip().is_loopback() && !app.is_public() {
            return Ok(Caller::local(if app.settings.read_only { Role::Ask } else { Role::Admin }));
        }
        return Err(Problem::new(
            ProblemType::Unauthenticated,
            "the server has no tokens and may be reached from elsewhere; make one with `graphwright token add NAME`",
        ));
    }
    let told = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let secret = told.and_then(|told| {
        let (scheme, secret) = told.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(secret.trim())
    });
    let Some(secret) = secret.filter(|secret| !secret.is_empty()) else {
        return Err(Problem::new(
            ProblemType::Unauthenticated,
            "send a token in the header Authorization: Bearer gw_…; `graphwright token add NAME` makes one",
        ));
    };
    // whoever has a token is not kept out by others at the same address
    if let Some(caller) = app.tokens.caller(secret) {
        return Ok(caller);
    }
    app.limits.may_try(address)?;
    app.limits.wrong_token(address);
    app.metrics.count("graphwright_rejected_total", &[("reason", "unauthenticated")]);
    Err(Problem::new(ProblemType::Unauthenticated, "the token is unknown or has ended; ask for a new one"))
}

/// The host of an authority, without its port.
fn host_of(authority: &str) -> &str {
    if let Some(rest) = authority.strip_prefix('[') {
        return rest.split(']').next().unwrap_or_default();
    }
    authority.rsplit_once(':').map_or(authority, |(host, port)| {
        if port.bytes().all(|byte| byte.is_ascii_digit()) { host } else { authority }
    })
}

/// Whether a host is this machine, or one that was allowed: a page elsewhere whose name was made to point here is not.
fn is_known_host(app: &App, host: &str) -> bool {
    let host = host.trim_end_matches('.');
    if host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()) {
        return true;
    }
    if host.parse::<IpAddr>().is_ok_and(|ip| ip == app.settings.listen.ip()) {
        return true;
    }
    let serve = &app.config().serve;
    let public = serve.public_url.as_deref().and_then(|url| url.split("://").nth(1));
    let public = public.map(|rest| host_of(rest.split('/').next().unwrap_or_default()));
    serve.allow_hosts.iter().map(String::as_str).chain(public).any(|known| known.eq_ignore_ascii_case(host))
}

fn check_host(app: &App, headers: &HeaderMap, of_address: Option<&str>) -> Outcome<()> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = match (hosts.next(), hosts.next(), of_address) {
        (Some(host), None, _) => host.to_str().ok().map(host_of),
        (None, None, Some(host)) => Some(host),
        _ => None,
    };
    // a request that is addressed to two hosts means one of them for somebody else
    let agrees = of_address.is_none_or(|address| host == Some(address.trim_matches(['[', ']'])));
    if agrees && host.is_some_and(|host| is_known_host(app, host)) {
        return Ok(());
    }
    Err(Problem::new(
        ProblemType::HostRefused,
        "requests to this host are not served; start the server with --allow-host NAME, or set [serve] allow_hosts",
    ))
}

/// The origin to name in a reply to a page elsewhere that may ask.
fn allowed_origin(app: &App, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    let text = origin.to_str().ok()?;
    let known = &app.config().serve.allow_origins;
    known.iter().any(|known| known.trim_end_matches('/').eq_ignore_ascii_case(text)).then(|| origin.clone())
}

fn check_origin(app: &App, headers: &HeaderMap, method: &Method) -> Outcome<()> {
    let refused = || {
        Err(Problem::new(
            ProblemType::OriginRefused,
            "pages of this origin are not let in; start the server with --allow-origin URL, or set [serve] allow_origins",
        ))
    };
    if allowed_origin(app, headers).is_some() {
        return Ok(());
    }
    if let Some(origin) = headers.get(header::ORIGIN) {
        // our own pages: the origin is the host that the request is addressed to
        let same =
            origin.to_str().ok().and_then(|origin| origin.split_once("://")).is_some_and(|(_, authority)| {
                headers
                    .get(header::HOST)
                    .and_then(|host| host.to_str().ok())
                    .is_some_and(|host| host == authority)
                    || app
                        .public_url
                        .split("://")
                        .nth(1)
                        .is_some_and(|rest| rest.split('/').next() == Some(authority))
            });
        return if same { Ok(()) } else { refused() };
    }
    let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
    // a browser that was sent here by a link elsewhere may look at the page, and nothing more
    let is_visit = method == Method::GET
        && headers.get("sec-fetch-mode").and_then(|value| value.to_str().ok()) == Some("navigate");
    if matches!(site, Some("cross-site" | "same-site")) && !is_visit { refused() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_read_without_its_port() {
        for (authority, host) in [
            ("localhost:8464", "localhost"),
            ("[::1]:80", "::1"),
            ("a.example", "a.example"),
            ("127.0.0.1", "127.0.0.1"),
        ] {
            assert_eq!(host_of(authority), host);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_header_does_harm(bytes in proptest::collection::vec(32_u8..=255, 0..200)) {
            let mut headers = HeaderMap::new();
            let Ok(value) = HeaderValue::from_bytes(&bytes) else { return Ok(()) };
            for name in ["host", "origin", "x-request-id", "traceparent", "authorization"] {
                headers.insert(HeaderName::from_static(name), value.clone());
            }
            let id = request_id(&headers);
            proptest::prop_assert!(id.len() <= 64 && HeaderValue::from_str(&id).is_ok());
            if let Some(trace) = traceparent(&headers) {
                proptest::prop_assert!(trace.len() == 32 && trace.bytes().all(|byte| byte.is_ascii_hexdigit()));
            }
            let text = String::from_utf8_lossy(&bytes);
            proptest::prop_assert!(text.contains(host_of(&text)));
        }
    }

    #[test]
    fn only_plausible_ids_are_taken_over() {
        let id = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_static(value));
            request_id(&headers)
        };
        assert_eq!(id("abcd-1234"), "abcd-1234");
        assert_ne!(id("a\"b\"c\"d\"e"), "a\"b\"c\"d\"e");
        assert_eq!(id("short").len(), 16);
    }
}
