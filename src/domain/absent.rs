//! What was named and is not there.

/// Something that a user named and that is not there: an entity, a document that meets a filter. It says what is there, or
/// how to see it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Absent(pub String);
