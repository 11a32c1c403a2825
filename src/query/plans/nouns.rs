//! What a question's noun means: a class of entities, documents, claims, communities, years.

use crate::domain::{kind_class, name_key};
use crate::language::questions::stem;
use crate::language::vocabulary::things::NOUNS;
use crate::language::words::is_han;
use std::collections::BTreeSet;

/// What rows are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    /// Entities of these classes; of any where none is given.
    Entities(Vec<String>),
    Documents,
    Claims,
    Communities,
    Years,
}

/// What a noun means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) kind: RowKind,
    /// Where the noun says more than its class: what was taken for what.
    pub(super) taken: Option<(String, String)>,
    /// A word that entities are to be described by.
    pub(super) described: Option<String>,
}

impl Meaning {
    fn of(kind: RowKind) -> Self {
        Self { kind, taken: None, described: None }
    }
}

/// Classes that may be asked for by "who".
const WHO: [&str; 5] = ["person", "organization", "group", "family", "army"];
const YEARS: [&str; 4] = ["year", "fiscal year", "年", "年份"];

/// Whether a noun is known without looking at the graph.
pub(super) fn is_known(noun: &str) -> bool {
    let key = singular(noun);
    is_who(noun) || YEARS.contains(&key.as_str()) || NOUNS.iter().any(|known| holds(known.words, &key))
}

/// Whether a noun stands for whoever can do something, an organization as well as a person.
fn is_who(noun: &str) -> bool {
    const ANYBODY: [&str; 4] = ["anyone", "anybody", "someone", "somebody"];
    matches!(noun, "who" | "whom" | "谁" | "who else" | "哪些人或组织") || ANYBODY.contains(&noun)
}

fn holds(words: &[&str], key: &str) -> bool {
    words.contains(&key)
}

/// What a noun means in a graph whose entities have these types.
pub(super) fn read(noun: &str, kinds: &[String]) -> Meaning {
    let noun = name_key(noun);
    let key = singular(&noun);
    if key.is_empty() || key == "what" || key == "什么" {
        return Meaning::of(RowKind::Entities(Vec::new()));
    }
    if is_who(&noun) {
        return Meaning::of(RowKind::Entities(WHO.map(str::to_owned).to_vec()));
    }
    if YEARS.contains(&key.as_str()) {
        return Meaning::of(RowKind::Years);
    }
    // the graph's own types come before what the table takes a word for
    let own: BTreeSet<String> = kinds
        .iter()
        .filter(|kind| !kind.is_empty() && singular(&name_key(kind)) == key)
        .map(|kind| kind_class(kind))
        .collect();
    if !own.is_empty() {
        return Meaning::of(RowKind::Entities(own.into_iter().collect()));
    }
    if let Some(known) = NOUNS.iter().find(|known| holds(known.words, &key)) {
        let kind = match known.class {
            "thing" => RowKind::Entities(Vec::new()),
            "document" => RowKind::Documents,
            "claim" => RowKind::Claims,
            "community" => RowKind::Communities,
            class => RowKind::Entities(vec![kind_class(class)]),
        };
        let taken = known.role.then(|| (noun.clone(), known.class.to_owned()));
        return Meaning { kind, taken, described: None };
    }
    // "game companies": the last word is the class, what stands before describes it
    if let Some((before, last)) = noun.rsplit_once(' ')
        && is_known(last)
    {
        let meaning = read(last, kinds);
        return Meaning { described: Some(before.to_owned()), ..meaning };
    }
    if let Some(meaning) = chinese_tail(&noun, kinds) {
        return meaning;
    }
    Meaning { kind: RowKind::Entities(Vec::new()), taken: None, described: Some(noun) }
}

/// "蜀国将领": the last characters are the class.
fn chinese_tail(noun: &str, kinds: &[String]) -> Option<Meaning> {
    if !noun.chars().all(is_han) {
        return None;
    }
    let places: Vec<usize> = noun.char_indices().map(|(at, _)| at).skip(1).collect();
    places.into_iter().find_map(|at| {
        let (before, last) = noun.split_at(at);
        is_known(last).then(|| Meaning { described: Some(before.to_owned()), ..read(last, kinds) })
    })
}

/// A noun in the singular, English plurals by their endings and by their stems.
fn singular(noun: &str) -> String {
    let noun = noun.trim();
    if !noun.is_ascii() {
        return noun.strip_suffix('们').unwrap_or(noun).to_owned();
    }
    let same_stem = |word: &&&str| word.is_ascii() && stems(word) == stems(noun);
    let known = NOUNS.iter().flat_map(|known| known.words).chain(&YEARS).find(same_stem);
    known.map_or_else(|| stems(noun), |word| (*word).to_owned())
}

fn stems(words: &str) -> String {
    words.split_whitespace().map(stem).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_mean_classes_documents_and_what_the_graph_calls_its_types() {
        let kinds = ["Organization".to_owned(), "cloud service".to_owned()];
        let classes = |noun: &str| read(noun, &kinds).kind;
        assert_eq!(classes("companies"), RowKind::Entities(vec!["organization".into()]));
        assert_eq!(classes("people"), RowKind::Entities(vec!["person".into()]));
        // "not acquired by anyone" is not acquired by a company either
        assert_eq!(classes("anyone"), classes("who"));
        assert_eq!(classes("cloud services"), RowKind::Entities(vec!["cloud service".into()]));
        assert_eq!(classes("earnings calls"), RowKind::Documents);
        assert_eq!(classes("回"), RowKind::Documents);
        assert_eq!(classes("plays"), RowKind::Entities(vec!["work".into()]));
        assert_eq!(classes("years"), RowKind::Years);
        assert_eq!(classes("things"), RowKind::Entities(Vec::new()));
        assert_eq!(read("将领", &kinds).taken, Some(("将领".into(), "person".into())));
        assert_eq!(read("game companies", &kinds).described.as_deref(), Some("game"));
        assert_eq!(read("蜀国将领", &kinds).described.as_deref(), Some("蜀国"));
        assert_eq!(read("languages", &kinds).described.as_deref(), Some("languages"));
    }
}
