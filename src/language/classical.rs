//! Texts in classical Chinese, and what they say instead of today's words.

use super::folding::simplify;
use super::vocabulary::classical::{CLASSICAL, PARTICLES, PARTICLES_OF_TODAY};

/// Particles that a text has at least to be taken for a classical one, and of how many of them it may have one of today.
const LEAST: usize = 3;
const OF_TODAY: usize = 6;

/// Whether a text is in classical Chinese: hardly any of today's particles among those of old.
pub(crate) fn is_classical(text: &str) -> bool {
    let text = simplify(text);
    let count = |of: &str| text.chars().filter(|c| of.contains(*c)).count();
    let old = count(PARTICLES);
    old >= LEAST && count(PARTICLES_OF_TODAY) * OF_TODAY <= old
}

/// What a classical text says instead of a word of today; empty where the vocabulary knows nothing.
pub(crate) fn classical_words(of: &str) -> Vec<&'static str> {
    let mut all: Vec<&'static str> = Vec::new();
    for (_, told) in CLASSICAL.iter().filter(|(words, _)| words.split(' ').any(|word| word == of)) {
        for word in told.split(' ') {
            if !all.contains(&word) {
                all.push(word);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{classical_words, is_classical};

    #[test]
    fn classical_texts_are_told_from_those_of_today() {
        assert!(is_classical("王生尝夜行，遇一老父，遂与之语。老父曰：“吾居山中久矣。”"));
        assert!(is_classical("王生嘗夜行，遇一老父，遂與之語。老父曰：「吾居山中久矣。」"));
        assert!(!is_classical("王先生晚上走路的时候遇到了一个老人，就和他说话。"));
        assert!(!is_classical("票价十元。"));
        assert!(!is_classical("He walked at night."));
    }

    #[test]
    fn words_of_today_have_others_in_classical_texts() {
        assert!(classical_words("卖").contains(&"鬻"));
        assert!(classical_words("电梯").is_empty());
    }
}
