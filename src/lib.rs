//! graphwright turns documents into a live knowledge graph and answers questions over it.
//!
//! `src/ARCHITECTURE.md` is the way in; the modules below stand in reading order.
#![doc = include_str!("ARCHITECTURE.md")]
#![recursion_limit = "256"]
#![cfg_attr(
    not(all(feature = "neo4j", feature = "qdrant", feature = "serve")),
    allow(dead_code, unused_imports, reason = "what only servers use lies idle in a build without them")
)]

pub mod domain;
pub mod language;
pub mod numeric;
pub mod tokens;
pub mod address;
pub mod tls;
pub mod config;
pub mod prompts;
pub mod llm;
pub mod stores;
pub mod trust;
pub mod services;
pub mod contradictions;
pub mod library;
pub mod index;
mod uploads;
pub mod exchange;
pub mod query;
pub mod eval;
pub mod tuning;
mod standalone;
mod builds;
pub mod trends;
pub mod map;
#[cfg(feature = "serve")]
pub mod serve;
pub mod terminal;
pub mod progress;
pub mod cli;
#[cfg(feature = "failpoints")]
mod fail_points;
mod retry;
mod allocator;
mod private;
mod json;
mod small_file;
mod wide_rows;
mod sqlite;
