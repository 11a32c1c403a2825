//! What a common noun says of what it defines.

use crate::language::mention::NameKind;
use crate::language::vocabulary::english::{
    EVENT_NOUNS, ORGANIZATION_NOUNS, PERSON_NOUNS, PLACE_NOUNS, PRODUCT_DEFINERS, WORK_NOUNS,
};
use crate::language::vocabulary::holds;

/// What a noun says of what it defines; plurals as well.
pub(crate) fn noun_kind(noun: &str) -> Option<NameKind> {
    let lists = [
        (PERSON_NOUNS, NameKind::Person),
        (WORK_NOUNS, NameKind::Work),
        (ORGANIZATION_NOUNS, NameKind::Organization),
        (PLACE_NOUNS, NameKind::Place),
        (EVENT_NOUNS, NameKind::Event),
        (PRODUCT_DEFINERS, NameKind::Product),
    ];
    let last = noun.rsplit('-').next().unwrap_or(noun);
    let singular = super::terms::singular(last);
    lists.iter().find(|(list, _)| holds(list, last) || holds(list, &singular)).map(|(_, kind)| *kind)
}
