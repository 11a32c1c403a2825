//! What a trend is of.

use serde::Serialize;

/// What is judged: an entity, a pair, a community, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TrendSubject {
    Entity(u32),
    Pair(u32, u32),
    Community(u32),
    /// Words that a watch waits for.
    Query(u32),
}

impl TrendSubject {
    /// What kind of trend it has.
    pub(super) fn kind(self) -> TrendKind {
        match self {
            Self::Entity(_) => TrendKind::Entity,
            Self::Pair(..) => TrendKind::Relationship,
            Self::Community(_) => TrendKind::Community,
            Self::Query(_) => TrendKind::Query,
        }
    }
}

/// What a trend is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrendKind {
    /// An entity.
    Entity,
    /// Two entities in one sentence that a relationship joins.
    Relationship,
    /// A community, named after its report.
    Community,
    /// Words that a watch waits for.
    Query,
}

impl TrendKind {
    /// "entity", "relationship", "community".
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Entity => "entity",
            Self::Relationship => "relationship",
            Self::Community => "community",
            Self::Query => "query",
        }
    }
}
