//! Replies that the stored graph alone decides have a tag of its generation and of its changes since. Whoever brings the tag
//! of the reply that they have is told that nothing has changed, before anything is read.

use super::app::Shared;
use super::held::{StateMark, watched};
use super::tokens::Caller;
use super::workspaces::Workspace;
use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Bytes of a reply whose tag is made of itself, where the store cannot tell changes.
const MOST: u64 = 64 << 20;

/// Which replies have a tag.
#[derive(Clone)]
pub(crate) struct TaggedRoutes {
    pub(crate) app: Shared,
    /// Templates of their addresses.
    pub(crate) templates: Arc<BTreeSet<String>>,
}

/// The layer. It stands behind the guard.
pub(crate) async fn answer(State(tagged): State<TaggedRoutes>, request: Request, next: Next) -> Response {
    let Some((caller, name)) = workspace_of(&tagged, &request) else { return next.run(request).await };
    let Ok(workspace) = tagged.app.workspace(&caller, &name).await else { return next.run(request).await };
    let Ok(mark) = workspace.mark().await else { return next.run(request).await };
    let brought = request.headers().clone();
    if let Some(tag) = tag_of(&workspace, mark).filter(|tag| is_brought(&brought, tag)) {
        return not_modified(&tag);
    }
    let (response, is_old) = watched(next.run(request)).await;
    if response.status() != StatusCode::OK || is_old {
        return response;
    }
    match tag_of(&workspace, mark) {
        Some(tag) => with_tag(response, &tag),
        None => by_itself(response, &brought, mark).await,
    }
}

/// Who asks about which workspace, where the reply has a tag.
fn workspace_of(tagged: &TaggedRoutes, request: &Request) -> Option<(Caller, String)> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let template = request.extensions().get::<MatchedPath>()?.as_str();
    if !tagged.templates.contains(template) {
        return None;
    }
    let place = template.split('/').position(|part| part == "{ws}")?;
    let name = request.uri().path().split('/').nth(place)?;
    let caller = request.extensions().get::<Caller>()?;
    Some((caller.clone(), name.to_owned()))
}

/// The tag of all replies as long as nothing changes; nothing where the store cannot tell.
fn tag_of(workspace: &Workspace, mark: StateMark) -> Option<String> {
    let StateMark { generation, changes } = mark;
    changes.map(|changes| format!("W/\"{generation}-{:x}-{changes:x}\"", workspace.opening))
}

/// Whether a caller has a reply of that tag.
fn is_brought(headers: &HeaderMap, tag: &str) -> bool {
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let wanted = bare(tag);
    let brought = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    brought.flat_map(|value| value.split(',')).any(|one| bare(one) == wanted)
}

fn not_modified(tag: &str) -> Response {
    with_tag(StatusCode::NOT_MODIFIED.into_response(), tag)
}

fn with_tag(mut response: Response, tag: &str) -> Response {
    if let Ok(value) = HeaderValue::from_str(tag) {
        response.headers_mut().insert(header::ETAG, value);
    }
    response
}

/// A reply with a tag of its generation and its bytes.
async fn by_itself(response: Response, brought: &HeaderMap, mark: StateMark) -> Response {
    if response.body().size_hint().exact().is_none_or(|length| length > MOST) {
        return response;
    }
    let (parts, body) = response.into_parts();
    // its length is known: it is there already
    let Ok(bytes) = axum::body::to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let tag = format!("W/\"{}-{}\"", mark.generation, blake3::hash(&bytes).to_hex());
    if is_brought(brought, &tag) {
        return not_modified(&tag);
    }
    with_tag(Response::from_parts(parts, Body::from(bytes)), &tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_known_among_others() {
        for (brought, known) in [
            ("W/\"3-a-1\"", true),
            ("\"3-a-1\"", true),
            ("\"x\", W/\"3-a-1\"", true),
            ("W/\"3-a-2\"", false),
            ("W/\"3-a-11\"", false),
            ("*", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static(brought));
            assert_eq!(is_brought(&headers, "W/\"3-a-1\""), known, "{brought}");
        }
        assert!(!is_brought(&HeaderMap::new(), "W/\"3-a-1\""));
    }

    #[tokio::test]
    async fn a_reply_of_a_store_that_cannot_tell_changes_is_known_by_its_bytes() {
        let mark = StateMark { generation: 3, changes: None };
        let reply = || "the same".into_response();
        let first = by_itself(reply(), &HeaderMap::new(), mark).await;
        assert_eq!(first.status(), StatusCode::OK);
        let mut brought = HeaderMap::new();
        brought.insert(header::IF_NONE_MATCH, first.headers()[header::ETAG].clone());
        assert_eq!(by_itself(reply(), &brought, mark).await.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(by_itself("another".into_response(), &brought, mark).await.status(), StatusCode::OK);
        let next = StateMark { generation: 4, ..mark };
        assert_eq!(by_itself(reply(), &brought, next).await.status(), StatusCode::OK);
    }
}
