//! What may be a name.

use crate::language::mention::Kind;
use std::ops::Range;

/// A string that may be a name.
pub(super) struct Candidate {
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
    pub(super) is_known: bool,
    pub(super) is_sure: bool,
}
