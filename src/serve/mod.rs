//! The server: one way to ask and read (`asking`, `reading`), and the faces that speak it: the API, OpenAI's, MCP.
//!
//! Closed by default: it listens on this machine alone, looks at the host and the origin of every request, and needs a
//! token from whoever comes from elsewhere. Limits are looked at before bodies are read.

mod problem;
mod metrics;
pub mod tokens;
mod shapes;
mod limits;
mod held;
mod ordering;
mod workspaces;
mod kept;
mod queue;
mod drawings;
mod app;
mod tables;
mod asking;
mod summaries;
mod reading;
mod listing;
mod exploring;
mod background;
mod resumed;
mod jobs;
mod paper;
mod input;
mod routes;
mod api;
mod markdown;
mod openai;
mod mcp;
mod compression;
mod page;
mod unread;
mod unchanged;
mod layers;
mod http;

pub use app::ServeSettings;
pub use http::{BoundServer, serve_stdio};
pub(crate) use jobs::forget_kept;
pub(crate) use kept::forget_caller;
