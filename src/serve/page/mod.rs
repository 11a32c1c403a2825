//! The page: static files that are part of the program, under a strict policy. It uses the routes of the API and nothing else.

use super::routes::{About, Routes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

pub(super) fn add_to(routes: &mut Routes) {
    routes.get(
        "/",
        || async { file("text/html; charset=utf-8", include_str!("assets/index.html")) },
        page("page"),
    );
    routes.get(
        "/assets/page.js",
        || async { file("text/javascript; charset=utf-8", include_str!("assets/page.js")) },
        page("page_script"),
    );
    routes.get(
        "/assets/page.css",
        || async { file("text/css; charset=utf-8", include_str!("assets/page.css")) },
        page("page_style"),
    );
}

fn page(id: &'static str) -> About {
    About::open(id, "A file of the page.").other("text/html", "the file")
}

fn file(kind: &'static str, text: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        // whoever updates the program sees the new page at once
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, text).into_response()
}
