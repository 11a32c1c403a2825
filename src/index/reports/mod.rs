//! Stage: reports.
