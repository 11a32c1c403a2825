//! Small words inside names. Lower case.

use super::holds;

/// Words before a family name, in the languages that have them.
#[rustfmt::skip]
const PARTICLES: &[&str] = &[
    "af", "al", "av", "bin", "da", "das", "de", "del", "della", "den", "der", "des", "di", "do", "dos", "du", "el",
    "ibn", "la", "le", "les", "ten", "ter", "van", "von", "y", "zu", "zum", "zur",
];

/// Whether a word belongs to the family name behind it: "van", "de".
pub(crate) fn is_particle(word: &str) -> bool {
    holds(PARTICLES, word)
}

/// Whether a word may stand in lower case inside a name, never at its end.
pub(crate) fn is_connector(word: &str) -> bool {
    is_particle(word) || matches!(word, "ben" | "e" | "for" | "of" | "og" | "the")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_are_sorted_and_without_repetition() {
        assert!(PARTICLES.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(is_connector("van") && is_connector("of") && !is_particle("of"));
    }
}
