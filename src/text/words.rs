//! Words of a text, as full-text search knows them.

/// Lower-cased words in order, Chinese ones by the segmenter, punctuation left out.
pub fn words(text: &str) -> Vec<String> {
    use unicode_segmentation::UnicodeSegmentation;
    text.unicode_words().map(str::to_lowercase).collect()
}

/// Whether a lower-cased word carries no meaning of its own, in English or Chinese.
pub fn is_stop_word(word: &str) -> bool {
    matches!(word, "the" | "a" | "an" | "of" | "and" | "的" | "了" | "是")
}
