//! What was made with other settings than are configured now.

use super::communities::current;
use super::rows::{count as number, first, run};
use crate::domain::{Stale, StaleMarks};
use crate::stores::sqlite_file::Outcome;
use rusqlite::Connection;

/// Rows whose summary was written with other settings than `?1`.
const OTHER_SUMMARY: &str =
    "summary_fingerprint IS NOT NULL AND substr(summary_fingerprint, 1, length(?1) + 1) <> ?1 || '/'";

pub(super) fn count(connection: &Connection, marks: &StaleMarks) -> Outcome<Stale> {
    let one = |statement: &str, mark: &str| -> Outcome<u64> {
        Ok(first(connection, statement, [mark], |row| number(row, 0))?.unwrap_or_default())
    };
    let reports = "
        SELECT count(*) FROM community_validity v JOIN communities c ON c.node = v.community
        WHERE v.first <= ?1 AND v.until > ?1 AND c.composed = 0 AND substr(c.fingerprint, 1, length(?2)) <> ?2
            AND substr(c.fingerprint, 1, 10) <> 'unwritten-' AND substr(c.fingerprint, 1, 9) <> 'imported-'";
    let reports = first(connection, reports, (current(connection)?, &marks.reports), |row| number(row, 0))?;
    Ok(Stale {
        text_units: one(
            "SELECT count(*) FROM text_units WHERE extraction IS NOT NULL AND error IS NULL
                AND extraction NOT IN (?1, 'imported') AND substr(extraction, 1, length(?1) + 1) <> ?1 || '/'",
            &marks.extraction,
        )?,
        summaries: one(&format!("SELECT count(*) FROM entities WHERE {OTHER_SUMMARY}"), &marks.summaries)?
            + one(&format!("SELECT count(*) FROM relationships WHERE {OTHER_SUMMARY}"), &marks.summaries)?,
        reports: reports.unwrap_or_default(),
    })
}

pub(super) fn expire_summaries(connection: &Connection, settings: &str) -> Outcome<u64> {
    let mut expired = 0;
    for table in ["entities", "relationships"] {
        let mark = format!(
            "INSERT OR IGNORE INTO dirty_{table} (node) SELECT node FROM {table} WHERE {OTHER_SUMMARY}"
        );
        run(connection, &mark, [settings])?;
        let take =
            format!("UPDATE {table} SET summary_fingerprint = NULL, summary = NULL WHERE {OTHER_SUMMARY}");
        expired += run(connection, &take, [settings])? as u64;
    }
    Ok(expired)
}
