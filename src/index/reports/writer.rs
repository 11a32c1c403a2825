//! Who writes the reports: a model where there is one and the community is worth a call, else nobody.

use super::extractive::{self, Material};
use crate::config::ReportsConfig;
use crate::domain::{Report, fingerprint};
use crate::services::Services;
use anyhow::Result;

/// Version of the extractive report; another one makes all of them stale.
const EXTRACTIVE: &str = "extractive-1";

/// Writes reports.
#[derive(Clone, Debug)]
pub struct Writer {
    config: ReportsConfig,
}

/// A report that is settled, or that a model has yet to write.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What decides the report: equal fingerprints, equal reports.
    pub fingerprint: String,
    /// The report where no model is asked.
    pub report: Option<Report>,
}

impl Writer {
    /// The writer that the configuration asks for.
    pub fn new(services: &Services) -> Self {
        Self { config: services.config.reports.clone() }
    }

    /// Reports in the making at once.
    pub fn concurrency(&self) -> usize {
        16
    }

    /// The report's fingerprint, and the report itself where it costs nothing.
    pub fn draft(&self, material: &Material<'_>) -> Draft {
        let composed = material.size < self.config.min_size;
        let report = extractive::write(material, composed);
        Draft { fingerprint: extractive_fingerprint(&report), report: Some(report) }
    }

    /// Has the report written.
    ///
    /// # Errors
    /// A model that refuses.
    pub async fn write(&self, material: &Material<'_>) -> Result<Report> {
        Ok(extractive::write(material, material.size < self.config.min_size))
    }
}

fn extractive_fingerprint(report: &Report) -> String {
    let mut parts = vec![
        EXTRACTIVE.to_owned(),
        report.full_content(),
        report.rank.to_string(),
        report.rank_explanation.clone(),
    ];
    parts.extend(report.findings.iter().flat_map(|f| f.citations.iter()).map(|c| c.id.to_string()));
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    fingerprint(&parts)
}
