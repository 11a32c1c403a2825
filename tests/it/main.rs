//! One integration-test binary.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::print_stderr,
    unreachable_pub,
    reason = "a test fails loudly"
)]

mod support;
mod large;
mod layers;
#[cfg(unix)]
mod checks;
mod statements;
mod graph_store;
mod vector_store;
mod neo4j;
mod tls;
mod trust;
mod adopt;
mod incremental;
mod at_rest;
mod at_size;
mod command_line;
mod communities;
mod steady;
mod services_down;
mod live;
mod by_script;
mod with_model;
mod other_languages;
mod time_limits;
mod raptor;
mod short_model;
mod reader;
#[cfg(unix)]
mod injections;
#[cfg(unix)]
mod obedience;
mod resolution_by_model;
mod incremental_by_model;
mod said_in_chinese;
mod schema;
mod claims;
mod tables;
mod tables_by_model;
mod extraction_by_model;
mod reading_by_model;
mod lean_reports;
mod failing_model;
mod questions;
mod scripted_endpoint;
mod cost;
mod edits;
mod eval;
mod graphrag_import;
mod program;
mod scripted;
mod sync;
mod library;
mod library_by_model;
#[cfg(feature = "failpoints")]
mod crash;
#[cfg(unix)]
mod interrupts;
#[cfg(unix)]
mod words_enough;
mod workers;
mod dates;
mod doctor;
mod by_hand;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod watch;
mod backup;
mod replace;
mod formats;
mod mixed;
mod ocr;
mod fuzzed;
mod limits;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(unix)]
mod private;
mod structure;
mod reranking;
mod docs;
mod trends;
mod tuning;
mod workspace_settings;
mod usage;
mod serve;
