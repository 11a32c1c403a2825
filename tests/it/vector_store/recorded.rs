//! A server that speaks Qdrant's protocol without an engine: it keeps what it is sent and answers by a script.

use graphwright::config::VectorsConfig;
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{HeaderMap, HeaderValue};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::net::TcpListener;

/// A call as it came.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// "/qdrant.Points/Query"
    pub(super) path: String,
    pub(super) api_key: Option<String>,
    bytes: Vec<u8>,
}

impl Call {
    /// As the published protobuf reads it.
    pub(super) fn message<M: Message + Default>(&self) -> M {
        M::decode(self.bytes.as_slice()).unwrap()
    }
}

/// What is answered.
pub(super) enum Answer {
    Message(Vec<u8>),
    Status(i32, &'static str),
}

impl Answer {
    pub(super) fn of(message: &impl Message) -> Self {
        Self::Message(message.encode_to_vec())
    }
}

/// A server on a port of its own.
pub(super) struct Recorded {
    port: u16,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Recorded {
    /// Starts one that answers every call by what the script says of it.
    pub(super) async fn start(script: impl Fn(&Call) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let calls: Arc<Mutex<Vec<Call>>> = Arc::default();
        let (script, kept) = (Arc::new(script), Arc::clone(&calls));
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (script, kept) = (Arc::clone(&script), Arc::clone(&kept));
                let answer = service_fn(move |request| {
                    let (script, kept) = (Arc::clone(&script), Arc::clone(&kept));
                    async move {
                        let call = read(request).await;
                        let answer = script(&call);
                        kept.lock().unwrap().push(call);
                        Ok::<_, Infallible>(response(answer))
                    }
                });
                tokio::spawn(
                    http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(socket), answer),
                );
            }
        });
        Self { port, calls }
    }

    pub(super) fn config(&self) -> VectorsConfig {
        let url = Some(format!("http://127.0.0.1:{}", self.port));
        VectorsConfig { url, prefix: "p".into(), timeout_s: 5, ..VectorsConfig::default() }
    }

    /// The calls of a path so far.
    pub(super) fn calls(&self, path: &str) -> Vec<Call> {
        self.calls.lock().unwrap().iter().filter(|call| call.path == path).cloned().collect()
    }

    pub(super) fn all_calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }
}

async fn read(request: Request<Incoming>) -> Call {
    let path = request.uri().path().to_owned();
    let api_key = request.headers().get("api-key").map(|key| key.to_str().unwrap().to_owned());
    let mut body = request.into_body();
    let mut bytes = Vec::new();
    while let Some(frame) = futures::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
    {
        if let Ok(data) = frame.unwrap().into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    // one byte says that nothing is compressed, four how long the message is
    Call { path, api_key, bytes: bytes.split_off(5) }
}

fn response(answer: Answer) -> Response<Reply> {
    let mut trailers = HeaderMap::new();
    let (code, message) = match answer {
        Answer::Message(message) => (0, Some(message)),
        Answer::Status(code, words) => {
            trailers.insert("grpc-message", HeaderValue::from_static(words));
            (code, None)
        }
    };
    trailers.insert("grpc-status", HeaderValue::from(code));
    let data = message.map(|message| {
        let length = u32::try_from(message.len()).unwrap();
        Bytes::from([&[0][..], &length.to_be_bytes(), &message].concat())
    });
    let mut response = Response::new(Reply { data, trailers: Some(trailers) });
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
    response
}

/// A message, if any, then the status.
struct Reply {
    data: Option<Bytes>,
    trailers: Option<HeaderMap>,
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let data = self.data.take().map(Frame::data);
        Poll::Ready(data.or_else(|| self.trailers.take().map(Frame::trailers)).map(Ok))
    }
}
