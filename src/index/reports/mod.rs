//! Stage: reports.

mod model;

pub use model::{ReportSettings, WrittenFinding, WrittenReport, read_report, report_schema, write_report};
