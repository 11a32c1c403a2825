//! The server from the outside: over HTTP as clients call it.

mod support;
mod api;
mod security;
mod openai;
mod mcp;
mod jobs;
mod description;
