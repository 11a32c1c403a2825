//! What a run is asked for, and how it goes about it.

use super::settings::BuildSettings;
use crate::domain::Id;
use crate::index::documents::DiscoverOptions;
use crate::index::extraction::Extractor;
use crate::index::extraction::recorded::Recording;
use crate::services::Services;
use anyhow::Result;
use std::sync::Arc;

/// What to index.
#[derive(Clone, Debug, Default)]
pub struct IndexRequest {
    /// Files, folders, globs.
    pub paths: Vec<String>,
    /// Which files count.
    pub discover: DiscoverOptions,
    /// Whether what was built with other settings is built anew.
    pub refresh: bool,
    /// Whether failed text units are tried again.
    pub retry_failed: bool,
    /// File of an extraction that was done elsewhere and is replayed.
    pub openie: Option<std::path::PathBuf>,
}

impl IndexRequest {
    /// How a run goes about it.
    ///
    /// # Errors
    /// A recorded extraction that cannot be read.
    pub(super) fn plan(&self, services: &Services) -> Result<RunPlan> {
        let extractor = match &self.openie {
            Some(path) => Extractor::Recorded(Arc::new(Recording::read(path)?)),
            None => Extractor::configured(services),
        };
        Ok(RunPlan::new(services, extractor, self.refresh, self.retry_failed))
    }
}

/// How a run goes about its work.
pub(super) struct RunPlan {
    pub(super) extractor: Extractor,
    pub(super) settings: BuildSettings,
    pub(super) refresh: bool,
    retry_failed: bool,
    /// Documents that were cut anew without their headings.
    pub(super) without_headings: Vec<Id>,
}

impl RunPlan {
    fn new(services: &Services, mut extractor: Extractor, refresh: bool, retry_failed: bool) -> Self {
        if let (true, Extractor::Model { attempt, .. }) = (retry_failed, &mut extractor) {
            *attempt = 1;
        }
        let settings = BuildSettings::of(services, &extractor);
        Self { extractor, settings, refresh, retry_failed, without_headings: Vec::new() }
    }

    /// Sees to it that the workspace and the configuration agree, and makes pending what is to be done again.
    pub(super) async fn begin(&mut self, services: &Services) -> Result<()> {
        if self.builds_anew() {
            services.graph.begin_changes().await?;
        }
        self.without_headings = self.settings.agree(services, self.refresh).await?;
        if self.retry_failed {
            services.graph.retry_failed().await?;
        }
        Ok(())
    }

    /// Whether the run makes anew what is stored already.
    pub(super) fn builds_anew(&self) -> bool {
        self.refresh || self.retry_failed
    }

    /// As [`Self::begin`], for the extraction that is configured.
    pub(super) async fn begun(services: &Services, refresh: bool, retry_failed: bool) -> Result<Self> {
        let mut plan = Self::new(services, Extractor::configured(services), refresh, retry_failed);
        plan.begin(services).await?;
        Ok(plan)
    }
}
