//! graphwright turns documents into a live knowledge graph and answers questions over it.
//!
//! `src/ARCHITECTURE.md` is the way in; the modules below stand in reading order.
#![doc = include_str!("ARCHITECTURE.md")]
#![recursion_limit = "256"]

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
pub mod exchange;
pub mod query;
pub mod eval;
pub mod tuning;
mod standalone;
pub mod trends;
pub mod map;
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
