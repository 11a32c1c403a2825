//! Many descriptions into one, by a model.
use super::graph::Naming;
use crate::progress::Progress;
use crate::services::Services;
use anyhow::Result;

/// Summarises what is too long to be joined.
///
/// # Errors
/// What the store and the model say.
#[expect(clippy::unused_async, reason = "stub")]
pub async fn run(_services: &Services, _naming: &Naming, _progress: &Progress) -> Result<()> {
    Ok(())
}
