//! The workspace's settings and the configuration's, and how they come to agree.

use super::cutting::{recut_stored, set_stored_headers};
use crate::domain::Id;
use crate::index::documents;
use crate::index::extraction::Extractor;
use crate::index::extraction::recorded::is_replayed;
use crate::index::graph::summaries;
use crate::index::settings::{self as keys, SettingsDiffer};
use crate::index::vectors;
use crate::services::Services;
use crate::stores::graph::VectorKind;
use anyhow::{Result, bail};
use fail::fail_point;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a workspace was built with; each part a short text that people can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildSettings {
    text_units: String,
    extraction: String,
    vectors: String,
}

/// A setting that is not what the workspace was built with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ChangedSetting {
    /// `text_units`, `extraction` or `vectors`.
    pub key: String,
    /// What it was built with.
    pub built: String,
    /// What is configured.
    pub configured: String,
}

impl BuildSettings {
    /// Those of the current configuration.
    pub fn of(services: &Services, extractor: &Extractor) -> Self {
        Self {
            text_units: keys::text_units(&services.config),
            extraction: extractor.settings(),
            vectors: vectors::settings(services),
        }
    }

    /// What differs from what a workspace was built with.
    pub fn changed_from(&self, stored: &BTreeMap<String, String>) -> Vec<ChangedSetting> {
        self.as_map()
            .into_iter()
            .filter_map(|(key, configured)| {
                let built = stored.get(&key).filter(|built| **built != configured)?.clone();
                Some(ChangedSetting { key, built, configured })
            })
            .collect()
    }

    /// What people are to be told of that: records which were replayed from a file are as they should be.
    pub fn told_from(&self, stored: &BTreeMap<String, String>) -> Vec<ChangedSetting> {
        let mut changed = self.changed_from(stored);
        changed.retain(|changed| changed.key != "extraction" || !is_replayed(&changed.built));
        changed
    }

    /// As the store keeps them.
    pub fn as_map(&self) -> BTreeMap<String, String> {
        BTreeMap::from([
            (keys::TEXT_UNITS.to_owned(), self.text_units.clone()),
            (keys::EXTRACTION.to_owned(), self.extraction.clone()),
            (keys::VECTORS.to_owned(), self.vectors.clone()),
        ])
    }

    /// Sees to it that nothing is mixed that must not be: an empty workspace takes these settings; another one must
    /// have the same where units are cut and vectors made, or all that differs is made pending where `refresh` says
    /// so. Records, summaries and reports carry their settings themselves: those of others are stale, and a refresh
    /// makes them pending. Returns the documents that were cut anew without their headings.
    ///
    /// # Errors
    /// [`SettingsDiffer`] where they do not agree, or where the workspace has settings that are not known; what the
    /// store says.
    pub(super) async fn agree(&self, services: &Services, refresh: bool) -> Result<Vec<Id>> {
        let graph = services.graph.as_ref();
        let stored = graph.state().await?.settings;
        keys::ensure_known(services.ids.workspace(), &stored)?;
        // what the graph was made with besides stays: the stages that set it keep it
        let mut wanted = stored.clone();
        wanted.extend(self.as_map());
        wanted.insert(keys::PAYLOAD.to_owned(), vectors::PAYLOAD.to_owned());
        let empty = graph.documents(None, 1).await?.is_empty();
        let changed = if empty { Vec::new() } else { self.changed_from(&stored) };
        let unmixed: Vec<String> = changed
            .iter()
            .filter(|setting| setting.key != keys::EXTRACTION)
            .map(|setting| {
                format!(
                    "[{}]: built with {:?}, configured is {:?}",
                    setting.key, setting.built, setting.configured
                )
            })
            .collect();
        let mut without_headings = Vec::new();
        if refresh && !empty {
            without_headings = self.expire(services, &changed).await?;
            fail_point!("refresh-committed");
        } else if !unmixed.is_empty() {
            bail!(SettingsDiffer(format!(
                "workspace {} was built with other settings and they are never mixed\n  {}\n\
                 hint: put the settings back, add --refresh to build anew what differs, or use another --workspace",
                services.ids.workspace(),
                unmixed.join("\n  ")
            )));
        }
        if !empty && stored.get(keys::PAYLOAD).map(String::as_str) != Some(vectors::PAYLOAD) {
            renew_payloads(services).await?;
        }
        if stored != wanted {
            graph.save_settings(&wanted).await?;
            fail_point!("settings-committed");
        }
        Ok(without_headings)
    }

    async fn expire(&self, services: &Services, changed: &[ChangedSetting]) -> Result<Vec<Id>> {
        let mut without_headings = Vec::new();
        // whoever reads anew reads with headers
        if services.chat.is_some() {
            set_stored_headers(services).await?;
        }
        services.graph.expire_extraction(&self.extraction).await?;
        services.graph.expire_summaries(&summaries::settings(services)).await?;
        for setting in changed {
            match setting.key.as_str() {
                keys::EXTRACTION => {}
                keys::VECTORS => {
                    for kind in VectorKind::ALL {
                        services.graph.expire_vectors(kind).await?;
                    }
                }
                _ => without_headings = recut_stored(services).await?,
            }
        }
        Ok(without_headings)
    }
}

/// Has the vectors of text units made anew where their payload is that of an older version and lacks what filters ask for:
/// with documents whose files have places.
async fn renew_payloads(services: &Services) -> Result<()> {
    const PAGE: usize = 1000;
    let graph = services.graph.as_ref();
    let mut after: Option<String> = None;
    loop {
        let page = graph.documents(after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        if page.iter().any(|document| documents::have_places(&document.key)) {
            return Ok(graph.expire_vectors(VectorKind::TextUnits).await?);
        }
        after = Some(last.key.clone());
    }
}
