//! Community reports, bottom-up, inside a token budget (design 12).
//!
//! [`context`] decides which records a report is written from; [`writer`] has it written: [`extractive`]ly without
//! a model, by a prompt with one.

pub mod claims;
mod repeats;
pub mod context;
pub mod extractive;
mod model;
pub mod price;
pub mod writer;

pub use model::{
    ReportInput, ReportSettings, WrittenFinding, WrittenReport, read_report, report_schema, write_report,
    write_reports,
};
