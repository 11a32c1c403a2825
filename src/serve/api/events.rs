//! Event streams: one event a line group, a comment while nothing happens, an end when the server stops.

use crate::serve::app::Shared;
use axum::http::{HeaderName, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::Stream;
use serde::Serialize;
use std::convert::Infallible;
use std::time::Duration;

/// How often a comment says that the stream lives.
const COMMENT: Duration = Duration::from_secs(15);

/// An event with a name and JSON.
pub(crate) fn event<T: Serialize>(name: &str, data: &T) -> Event {
    let event = Event::default().event(name);
    event.json_data(data).unwrap_or_else(|_| Event::default().event("error").data("{}"))
}

/// A reply that is a stream of events.
pub(crate) fn stream(
    app: &Shared,
    events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static,
) -> Response {
    use futures::StreamExt;
    let open = app.metrics.open("graphwright_streams_open");
    let events = events.inspect(move |_| {
        // counted as open for as long as the stream is there
        let _ = &open;
    });
    let mut response = Sse::new(events).keep_alive(KeepAlive::new().interval(COMMENT)).into_response();
    // proxies must not collect what is to be seen as it comes
    response
        .headers_mut()
        .insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}
