//! What makes a prompt of a type: its fields are what its template is filled in with, by the names that it uses.
//!
//! A field is [`Data`](super::Data), which others wrote, or ours: settings, counts, and the question of whoever asks.

use super::names::PromptName;
use serde::Serialize;

/// A prompt with all that it is filled in with.
pub(crate) trait Prompt: Serialize {
    /// Fields that a template must use; the others it may.
    const REQUIRED: &'static [&'static str];

    /// Which prompt it is.
    fn name(&self) -> PromptName;
}
