//! stub
use crate::stores::graph::NameUse;
/// d
#[derive(Debug)]
pub struct Dictionary;
impl Dictionary {
    /// n
    pub fn new(_keys: impl Iterator<Item = String>) -> Self {
        Self
    }
    /// f
    pub fn find(&self, _text: &str) -> Vec<String> {
        Vec::new()
    }
}
/// l
pub fn linkable(_name: &NameUse) -> bool {
    true
}
