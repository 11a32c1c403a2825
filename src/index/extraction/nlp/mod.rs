//! stub
use super::{Extraction, UnitText};
/// s
#[derive(Clone, Debug)]
pub struct NlpSettings;
impl From<&crate::config::ExtractionConfig> for NlpSettings {
    fn from(_: &crate::config::ExtractionConfig) -> Self {
        Self
    }
}
/// e
pub fn extract(_u: &UnitText<'_>, _s: &NlpSettings) -> Extraction {
    Extraction::default()
}
/// v
pub const VERSION: u32 = 1;
