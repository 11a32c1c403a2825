//! What speaks against types that were found: few passages, names that another type has too, words that fit anything.

use super::field::FoundType;
use crate::domain::name_key;
use std::collections::BTreeSet;

/// Types below which a field is hardly told apart from any other.
const FEW: usize = 5;
/// Passages of a sample from which on one of them is little.
const TELLING_SAMPLE: usize = 6;
/// Names of a type from which on those that it shares with another one tell something.
const TELLING_NAMES: usize = 2;
/// Words that fit anything.
const GENERIC: [&str; 22] = [
    "thing",
    "object",
    "entity",
    "item",
    "other",
    "misc",
    "miscellaneous",
    "unknown",
    "general",
    "name",
    "noun",
    "word",
    "value",
    "data",
    "事物",
    "对象",
    "物体",
    "实体",
    "其他",
    "其它",
    "东西",
    "名词",
];

/// A sentence for each weakness of types that were found in so many passages, in the order of the types.
pub(super) fn warnings(types: &[FoundType], passages: usize) -> Vec<String> {
    let mut told = Vec::new();
    if !types.is_empty() && types.len() < FEW {
        told.push(format!(
            "only {} types were found; look at a larger --sample, or add types of your own",
            types.len()
        ));
    }
    for (place, found) in types.iter().enumerate() {
        let kind = &found.kind;
        if GENERIC.contains(&name_key(kind).as_str()) {
            told.push(format!(
                "type {kind} fits anything; leave it out, or say what it is in a word of the field"
            ));
        }
        if passages >= TELLING_SAMPLE && found.passages <= 1 {
            told.push(format!(
                "type {kind} covers little: {} of {passages} passages hold a name of it",
                found.passages
            ));
        }
        let before = types.iter().take(place);
        told.extend(before.filter_map(|other| overlap(other, found)));
    }
    told
}

/// That most names of a type are of one before it, too.
fn overlap(other: &FoundType, found: &FoundType) -> Option<String> {
    let keys = |one: &FoundType| one.names.iter().map(|name| name_key(name)).collect::<BTreeSet<_>>();
    let (others, own) = (keys(other), keys(found));
    let shared = own.intersection(&others).count();
    let least = own.len().min(others.len());
    (least >= TELLING_NAMES && 2 * shared > least).then(|| {
        format!(
            "types {} and {} overlap: {shared} of {least} names are of both; keep one of them",
            other.kind, found.kind
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: &str, passages: usize, names: &[&str]) -> FoundType {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        FoundType { kind: kind.to_owned(), passages, names, ..FoundType::default() }
    }

    #[test]
    fn types_that_are_poor_are_named_with_the_reason() {
        let types = [
            found("vessel", 9, &["Northern Star", "Olympic", "Velm"]),
            found("ship", 5, &["Olympic", "northern star"]),
            found("thing", 4, &["rope"]),
            found("port", 1, &["Velm"]),
        ];
        let told = warnings(&types, 12);
        let expected = [
            "only 4 types",
            "types vessel and ship overlap: 2 of 2",
            "type thing fits anything",
            "type port covers little: 1 of 12",
        ];
        assert_eq!(told.len(), expected.len(), "{told:?}");
        for (told, expected) in told.iter().zip(expected) {
            assert!(told.starts_with(expected), "{told} / {expected}");
        }
    }

    #[test]
    fn types_of_their_own_are_not_named() {
        let kinds = ["vessel", "port", "person", "cargo", "route"];
        let types: Vec<FoundType> = kinds.iter().map(|kind| found(kind, 4, &[kind])).collect();
        assert_eq!(warnings(&types, 12), Vec::<String>::new());
        assert_eq!(warnings(&[], 12), Vec::<String>::new());
    }
}
