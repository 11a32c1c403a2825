//! The server from the outside: over HTTP as clients call it.

mod support;
mod upkeep;
mod api;
mod security;
mod leaks;
mod leaving;
mod fuzzed;
mod obedient;
mod openai;
mod mcp;
mod tables;
mod jobs;
mod library;
mod description;
