//! A relationship as trends tell of it.

/// What is told of a relationship.
#[derive(Debug)]
pub(super) struct RelationshipKind {
    pub(super) kind: Box<str>,
    /// Whether the end with the smaller number is its source.
    pub(super) is_of_first: bool,
}
