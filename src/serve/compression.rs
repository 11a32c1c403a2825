//! Replies that are texts go out compressed where the caller takes that: pages, their scripts, maps. Event streams never
//! do, and neither does what is small or of a length that nobody knows.

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Fewer bytes are not worth it.
const LEAST: u64 = 1024;
/// More bytes are not held for it.
const MOST: u64 = 64 << 20;

/// Whether a caller takes gzip.
pub(super) fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|part| {
        let mut parts = part.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        is_gzip
            && !parts.any(|weight| {
                weight.starts_with("q=0") && !weight.contains(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
            })
    })
}

/// Whether a reply is a text of a fitting length.
fn is_worth_it(response: &Response) -> bool {
    let headers = response.headers();
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_text = kind.starts_with("text/") || kind.contains("json") || kind.contains("xml");
    let length = response.body().size_hint().exact().unwrap_or(0);
    is_text
        && !kind.starts_with("text/event-stream")
        && !headers.contains_key(header::CONTENT_ENCODING)
        && (LEAST..=MOST).contains(&length)
}

/// The bytes, compressed.
///
/// # Errors
/// Only if memory cannot be written to.
pub(super) fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// The layer.
pub(crate) async fn compress(request: Request, next: Next) -> Response {
    let is_taken = takes_gzip(request.headers());
    let mut response = next.run(request).await;
    if !is_worth_it(&response) {
        return response;
    }
    response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if !is_taken {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // its length is known: it is there already
    let Ok(bytes) = axum::body::to_bytes(body, usize::MAX).await else {
        return axum::http::StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let packing = bytes.clone();
    // a map of megabytes takes its time
    let packed = tokio::task::spawn_blocking(move || gzip(&packing)).await;
    let Ok(Ok(packed)) = packed else { return Response::from_parts(parts, Body::from(bytes)) };
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(packed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_taken_by_whoever_says_so() {
        for (said, taken) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip;q=0.0", false),
            ("br", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(said));
            assert_eq!(takes_gzip(&headers), taken, "{said}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
