//! What may be a name.

use crate::language::mention::NameKind;
use std::ops::Range;

/// A string that may be a name.
pub(super) struct NameCandidate {
    pub(super) range: Range<usize>,
    pub(super) kind: NameKind,
    pub(super) is_known: bool,
    pub(super) is_sure: bool,
}
