//! Prompt templates: `prompts/*.md`, minijinja, overridable from a folder.

/// The prompts.
#[derive(Debug, Default)]
pub struct Prompts;
