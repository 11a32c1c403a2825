//! What a common noun says of what it defines.

use crate::language::mention::Kind;
use crate::language::vocabulary::english::{
    EVENT_NOUNS, ORGANIZATION_NOUNS, PERSON_NOUNS, PLACE_NOUNS, PRODUCT_DEFINERS, WORK_NOUNS,
};
use crate::language::vocabulary::holds;

/// What a noun says of what it defines; plurals as well.
pub(crate) fn noun_kind(noun: &str) -> Option<Kind> {
    let lists = [
        (PERSON_NOUNS, Kind::Person),
        (WORK_NOUNS, Kind::Work),
        (ORGANIZATION_NOUNS, Kind::Organization),
        (PLACE_NOUNS, Kind::Place),
        (EVENT_NOUNS, Kind::Event),
        (PRODUCT_DEFINERS, Kind::Product),
    ];
    let last = noun.rsplit('-').next().unwrap_or(noun);
    let singular = super::terms::singular(last);
    lists.iter().find(|(list, _)| holds(list, last) || holds(list, &singular)).map(|(_, kind)| *kind)
}
