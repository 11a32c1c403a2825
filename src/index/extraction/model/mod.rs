//! stub
pub mod parser;
mod fields;
use super::{Extraction, UnitText};
use crate::llm::{ChatModel, ModelError};
use crate::prompts::Prompts;
/// s
#[derive(Clone, Debug)]
pub struct ModelSettings;
impl ModelSettings {
    /// n
    pub fn new(_: &crate::config::ExtractionConfig) -> Self {
        Self
    }
}
/// e
pub async fn extract(
    _m: &dyn ChatModel,
    _p: &Prompts,
    _s: &ModelSettings,
    _u: &UnitText<'_>,
) -> Result<Extraction, ModelError> {
    Ok(Extraction::default())
}
/// f
pub fn fingerprint(
    _s: &ModelSettings,
    _p: &Prompts,
    _c: &crate::config::ExtractionConfig,
    _m: &str,
) -> String {
    String::new()
}
