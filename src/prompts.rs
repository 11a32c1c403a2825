//! Prompt templates: `prompts/*.md`, minijinja, overridable from a folder.
