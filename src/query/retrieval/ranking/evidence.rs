//! What speaks for one text unit, and for two together.

use super::{NAMED, WORDS};
use crate::domain::{Entity, Id, name_key};
use crate::stores::graph::UnitHeading;

/// A text unit with what speaks for it.
#[derive(Clone, Debug)]
pub(super) struct PooledPassage {
    /// The text unit.
    pub(super) id: Id,
    /// Unit length; empty where there is none.
    pub(super) vector: Vec<f32>,
    /// With the question.
    pub(super) cosine: f64,
    /// Of each of the question's words the share of all their weight that the unit holds; together at most
    /// `[search] words_weight`.
    pub(super) words: Vec<f64>,
    /// Weight of what the question names and the unit is about, from 0 to 1.
    pub(super) named: f64,
    /// Keys of what it is about: title and innermost heading, with and without brackets.
    pub(super) subjects: Vec<String>,
    /// Whether search or the names in the question found it, as opposed to a link.
    pub(super) found: bool,
}

impl PooledPassage {
    /// How well it fits the question by itself.
    pub(super) fn direct(&self) -> f64 {
        self.cosine + WORDS * self.words.iter().sum::<f64>() + NAMED * self.named
    }

    /// How well two passages fit the question together.
    pub(super) fn together(&self, other: &Self) -> f64 {
        let words: f64 = self.words.iter().zip(&other.words).map(|(a, b)| a.max(*b)).sum();
        let both = projection(self.cosine, other.cosine, cosine(&self.vector, &other.vector));
        both + WORDS * words + NAMED * self.named.max(other.named)
    }

    /// Whether it is about something of one of these keys.
    pub(super) fn is_about(&self, keys: &[String]) -> bool {
        self.subjects.iter().any(|subject| keys.contains(subject))
    }

    /// Whether what it is about holds one of these names as words of its own ("Alcohol laws of Indiana").
    pub(super) fn is_titled(&self, keys: &[String]) -> bool {
        self.subjects.iter().any(|subject| keys.iter().any(|key| holds(subject, key)))
    }
}

/// Keys of everything that an entity is called.
pub(super) fn keys_of(entity: &Entity) -> Vec<String> {
    let mut keys: Vec<String> =
        std::iter::once(&entity.name).chain(&entity.aliases).map(|name| name_key(name)).collect();
    keys.retain(|key| !key.is_empty());
    keys
}

/// Keys of what a unit is about.
pub(super) fn subjects_of(unit: &UnitHeading) -> Vec<String> {
    let mut keys = Vec::new();
    for title in std::iter::once(&unit.document_title).chain(unit.headings.last()) {
        let key = name_key(title);
        if let Some((base, _)) = key.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
            keys.push(base.to_owned());
        }
        keys.push(key);
    }
    keys.retain(|key| !key.is_empty());
    keys.sort();
    keys.dedup();
    keys
}

/// Whether a name stands in a title between borders of words; in scripts without spaces anywhere.
fn holds(title: &str, name: &str) -> bool {
    title.match_indices(name).any(|(start, _)| {
        let before = title.get(..start).and_then(|text| text.chars().next_back());
        let behind = title.get(start + name.len()..).and_then(|text| text.chars().next());
        let borders =
            |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() || crate::language::words::is_han(c));
        borders(before) && borders(behind)
    })
}

/// The dot product; 0 where one is missing.
pub(super) fn cosine(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// Length of a unit vector's projection onto the plane of two others, given its cosines with both (`a`, `b`) and
/// theirs (`c`); where one of the two would count negatively, or they are as good as one, the nearer one alone counts.
pub(super) fn projection(a: f64, b: f64, c: f64) -> f64 {
    const SAME: f64 = 1e-6;
    let rest = 1.0 - c * c;
    if rest < SAME || a <= b * c || b <= a * c {
        return a.max(b);
    }
    ((a * a + b * b - 2.0 * a * b * c) / rest).max(0.0).sqrt()
}
