//! What a run is asked for, and how it goes about it.

use super::settings::BuildSettings;
use crate::domain::Id;
use crate::index::documents::DiscoverOptions;
use crate::index::extraction::Extractor;
use crate::index::extraction::recorded::Recording;
use crate::services::Services;
use anyhow::Result;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// What to index.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub struct IndexRequest {
    /// Files, folders, globs.
    pub paths: Vec<String>,
    /// Which files count.
    pub discover: DiscoverOptions,
    /// Named roots beside those of `discover`, in which files that were read by earlier versions are looked for.
    pub homes: Vec<(String, PathBuf)>,
    /// Whether what was built with other settings, and read by earlier versions, is built anew.
    pub refresh: bool,
    /// Whether what text units say for or against entities is judged anew; no model is asked.
    pub refresh_sentiment: bool,
    /// Whether failed text units are tried again another way: with a higher temperature.
    pub retry_failed: bool,
    /// Whether failed text units are left alone, instead of being tried again as they were.
    pub leave_failed: bool,
    /// Tables of nodes and relationships.
    pub tables: TableRequest,
    /// File of an extraction that was done elsewhere and is replayed.
    pub openie: Option<std::path::PathBuf>,
}

/// Tables of nodes and relationships that a run reads.
#[derive(Clone, Debug, Default)]
pub struct TableRequest {
    /// Files of nodes.
    pub nodes: Vec<String>,
    /// Files of relationships between them; without nodes, between names.
    pub edges: Vec<String>,
}

impl TableRequest {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.edges.is_empty()
    }
}

impl IndexRequest {
    /// Where the file of a stored key lies. The database may have come with somebody else's project, so neither a key nor a
    /// link leads out of the folder that it belongs to: what was indexed from elsewhere has to be named again.
    pub(super) fn place_of(&self, key: &str) -> Option<PathBuf> {
        let mut named = self.discover.sources.iter().chain(&self.homes);
        let below = named.find_map(|(name, root)| {
            Some((root.clone(), key.strip_prefix(name.as_str())?.strip_prefix('/')?))
        });
        let beside = || (self.discover.root.clone().unwrap_or_default(), key);
        let (root, name) = below.unwrap_or_else(beside);
        let stays = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        let path = root.join(name);
        let root = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root };
        let real = (path.canonicalize().ok()?, root.canonicalize().ok()?);
        (stays && real.0.starts_with(real.1)).then_some(path)
    }

    /// How a run goes about it.
    ///
    /// # Errors
    /// A recorded extraction that cannot be read.
    pub(super) fn plan(&self, services: &Services) -> Result<RunPlan> {
        let extractor = match &self.openie {
            Some(path) => Extractor::Recorded(Arc::new(Recording::read(path)?)),
            None => Extractor::configured(services),
        };
        let failed = FailedUnits::of(self.retry_failed, self.leave_failed);
        let plan = RunPlan::new(services, extractor, self.refresh, failed);
        Ok(RunPlan { refresh_sentiment: self.refresh_sentiment, ..plan })
    }
}

/// What a run does with text units that failed before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailedUnits {
    /// They stay as they are.
    Left,
    /// They are tried again as they were: an endpoint may answer now.
    Again,
    /// They are tried again with a higher temperature: a reply may be of use then.
    Otherwise,
}

impl FailedUnits {
    pub(super) fn of(retry: bool, leave: bool) -> Self {
        match (retry, leave) {
            (true, _) => Self::Otherwise,
            (false, true) => Self::Left,
            (false, false) => Self::Again,
        }
    }
}

/// How a run goes about its work.
pub(super) struct RunPlan {
    pub(super) extractor: Extractor,
    pub(super) settings: BuildSettings,
    pub(super) refresh: bool,
    pub(super) refresh_sentiment: bool,
    failed: FailedUnits,
    /// Documents that were cut anew without their headings.
    pub(super) without_headings: Vec<Id>,
}

impl RunPlan {
    fn new(services: &Services, mut extractor: Extractor, refresh: bool, failed: FailedUnits) -> Self {
        if let (FailedUnits::Otherwise, Extractor::Model { attempt, .. }) = (failed, &mut extractor) {
            *attempt = 1;
        }
        let settings = BuildSettings::of(services, &extractor);
        Self { extractor, settings, refresh, refresh_sentiment: false, failed, without_headings: Vec::new() }
    }

    /// Sees to it that the workspace and the configuration agree, and makes pending what is to be done again.
    pub(super) async fn begin(&mut self, services: &Services) -> Result<()> {
        if self.builds_anew() {
            services.graph.begin_changes().await?;
        }
        self.without_headings = self.settings.agree(services, self.refresh).await?;
        if self.failed != FailedUnits::Left {
            services.graph.retry_failed().await?;
        }
        Ok(())
    }

    /// Whether the run makes anew what is stored already.
    pub(super) fn builds_anew(&self) -> bool {
        self.refresh || self.refresh_sentiment || self.failed == FailedUnits::Otherwise
    }

    /// As [`Self::begin`], for the extraction that is configured.
    pub(super) async fn begun(services: &Services, refresh: bool, failed: FailedUnits) -> Result<Self> {
        let mut plan = Self::new(services, Extractor::configured(services), refresh, failed);
        plan.begin(services).await?;
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_key_leads_to_no_file_outside_of_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir_all(root.join("docs")).unwrap();
        std::fs::write(root.join("docs/a.md"), "ours").unwrap();
        std::fs::write(folder.path().join("private.md"), "theirs").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("../../private.md", root.join("docs/link.md")).unwrap();
        let discover = DiscoverOptions {
            root: Some(root.clone()),
            sources: vec![("papers".to_owned(), root.join("docs"))],
            ..DiscoverOptions::default()
        };
        let request = IndexRequest { discover, ..IndexRequest::default() };
        for key in ["docs/a.md", "papers/a.md"] {
            assert_eq!(request.place_of(key), Some(root.join("docs/a.md")), "{key}");
        }
        let absolute = folder.path().join("private.md").display().to_string();
        for key in
            [absolute.as_str(), "../private.md", "papers/../../private.md", "docs/link.md", "papers/link.md"]
        {
            assert_eq!(request.place_of(key), None, "{key}");
        }
    }
}
