<<<<<<< HEAD
//! stub
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
=======
//! Extraction by a model: one call a text unit, gleanings, and a parser that takes what models really return.

pub mod parser;
mod fields;
//mod extract;

//pub use extract::{ExtractionSettings, extract, fingerprint};
>>>>>>> llm
