//! The page: static files that are part of the program, under a strict policy. It uses the routes of the API and nothing else.

use super::compression;
use super::routes::{About, Routes};
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::OnceLock;

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";
/// Fewer bytes are not worth compressing.
const LEAST: usize = 1024;
const TEXT: &str = "text/plain; charset=utf-8";

/// A file of the page.
struct Asset {
    path: &'static str,
    id: &'static str,
    kind: &'static str,
    text: &'static str,
    /// Made when the file is first asked for.
    tag: OnceLock<HeaderValue>,
    /// The same, compressed; nothing where that is not worth it.
    packed: OnceLock<Option<Bytes>>,
}

impl Asset {
    const fn new(path: &'static str, id: &'static str, kind: &'static str, text: &'static str) -> Self {
        Self { path, id, kind, text, tag: OnceLock::new(), packed: OnceLock::new() }
    }
}

static ASSETS: [Asset; 33] = [
    Asset::new("/", "page", HTML, include_str!("assets/index.html")),
    Asset::new("/assets/page.css", "page_style", STYLE, include_str!("assets/page.css")),
    Asset::new("/assets/icon.svg", "page_icon", PICTURE, include_str!("assets/icon.svg")),
    Asset::new("/assets/LICENSES.txt", "page_licenses", TEXT, include_str!("assets/LICENSES.txt")),
    Asset::new("/assets/vendor.js", "page_vendor", SCRIPT, include_str!("assets/vendor.js")),
    Asset::new("/assets/app.js", "page_app", SCRIPT, include_str!("assets/app.js")),
    Asset::new("/assets/first.js", "page_first", SCRIPT, include_str!("assets/first.js")),
    Asset::new("/assets/server.js", "page_server", SCRIPT, include_str!("assets/server.js")),
    Asset::new("/assets/words.js", "page_words", SCRIPT, include_str!("assets/words.js")),
    Asset::new("/assets/en.js", "page_english", SCRIPT, include_str!("assets/en.js")),
    Asset::new("/assets/zh.js", "page_chinese", SCRIPT, include_str!("assets/zh.js")),
    Asset::new("/assets/zh-said.js", "page_said_in_chinese", SCRIPT, include_str!("assets/zh-said.js")),
    Asset::new("/assets/text.js", "page_text", SCRIPT, include_str!("assets/text.js")),
    Asset::new("/assets/marked.js", "page_marked", SCRIPT, include_str!("assets/marked.js")),
    Asset::new("/assets/parts.js", "page_parts", SCRIPT, include_str!("assets/parts.js")),
    Asset::new("/assets/portal.js", "page_portal", SCRIPT, include_str!("assets/portal.js")),
    Asset::new("/assets/reading.js", "page_reading", SCRIPT, include_str!("assets/reading.js")),
    Asset::new("/assets/pane.js", "page_pane", SCRIPT, include_str!("assets/pane.js")),
    Asset::new("/assets/sheet.js", "page_sheet", SCRIPT, include_str!("assets/sheet.js")),
    Asset::new("/assets/ask.js", "page_ask", SCRIPT, include_str!("assets/ask.js")),
    Asset::new("/assets/answer.js", "page_answer", SCRIPT, include_str!("assets/answer.js")),
    Asset::new("/assets/table.js", "page_table", SCRIPT, include_str!("assets/table.js")),
    Asset::new("/assets/documents.js", "page_documents", SCRIPT, include_str!("assets/documents.js")),
    Asset::new("/assets/document.js", "page_document", SCRIPT, include_str!("assets/document.js")),
    Asset::new("/assets/entities.js", "page_entities", SCRIPT, include_str!("assets/entities.js")),
    Asset::new("/assets/communities.js", "page_communities", SCRIPT, include_str!("assets/communities.js")),
    Asset::new("/assets/library.js", "page_library", SCRIPT, include_str!("assets/library.js")),
    Asset::new("/assets/trends.js", "page_trends", SCRIPT, include_str!("assets/trends.js")),
    Asset::new("/assets/status.js", "page_status", SCRIPT, include_str!("assets/status.js")),
    Asset::new("/assets/map.js", "page_map", SCRIPT, include_str!("assets/map.js")),
    Asset::new("/assets/edits.js", "page_edits", SCRIPT, include_str!("assets/edits.js")),
    Asset::new("/assets/drawing.js", "page_drawing", SCRIPT, include_str!("assets/drawing.js")),
    Asset::new("/assets/painter.js", "page_painter", SCRIPT, include_str!("assets/painter.js")),
];

pub(super) fn add_to(routes: &mut Routes) {
    for asset in &ASSETS {
        let about = About::open(asset.id, "A file of the page.").other("text/html", "the file");
        routes.get(asset.path, move |headers: HeaderMap| async move { file(asset, &headers) }, about);
    }
}

/// The file, or that it is as it was.
fn file(asset: &Asset, asked: &HeaderMap) -> Response {
    let tag = asset.tag.get_or_init(|| {
        let hash = blake3::hash(asset.text.as_bytes()).to_hex();
        HeaderValue::from_str(&format!("\"{hash}\"")).unwrap_or(HeaderValue::from_static("\"\""))
    });
    // whoever updates the program sees the new page at once
    let fresh = [(header::CACHE_CONTROL, HeaderValue::from_static("no-cache")), (header::ETAG, tag.clone())];
    if asked.get(header::IF_NONE_MATCH) == Some(tag) {
        return (StatusCode::NOT_MODIFIED, fresh).into_response();
    }
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static(asset.kind))];
    let packed = asset.packed.get_or_init(|| {
        let is_long = asset.text.len() >= LEAST;
        is_long.then(|| compression::gzip(asset.text.as_bytes()).ok()).flatten().map(Bytes::from)
    });
    match packed.as_ref().filter(|_| compression::takes_gzip(asked)) {
        Some(packed) => {
            let encoding = [
                (header::CONTENT_ENCODING, HeaderValue::from_static("gzip")),
                (header::VARY, HeaderValue::from_static("Accept-Encoding")),
            ];
            (fresh, kind, encoding, packed.clone()).into_response()
        }
        None => (fresh, kind, asset.text).into_response(),
    }
}
