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

/// Characters that are looked at.
const SAMPLE: usize = 50_000;

/// The language of a text by its script and, for Latin, its function words. Only the first 50,000 characters count.
/// A Latin text without any function word ("Bob Cratchit") is English unless its letters say otherwise.
///
/// ```
/// # use graphwright::language::{Language, language_of};
/// assert_eq!(language_of("Who is Bob Cratchit?"), Language::English);
/// assert_eq!(language_of("刘备、关羽、张飞是什么关系？"), Language::Chinese);
/// ```
pub fn language_of(text: &str) -> Language {
    let end = text.char_indices().nth(SAMPLE).map_or(text.len(), |(at, _)| at);
    let sample = text.get(..end).unwrap_or(text);
    let letters = Letters::of(sample);
    // a name in kana makes no Japanese of an English sentence
    let is_japanese = letters.kana * 20 > letters.han + letters.kana;
    if is_japanese && (letters.han + letters.kana) * 3 >= letters.latin {
        return Language::Other;
    }
    if letters.han > 0 && letters.han * 3 >= letters.latin.max(letters.other) {
        return Language::Chinese;
    }
    if letters.latin == 0 || letters.other > letters.latin {
        return Language::Other;
    }
    language_of_latin(sample, &letters)
}

/// Letters of a text by script.
#[derive(Default)]
struct Letters {
    han: usize,
    kana: usize,
    latin: usize,
    accented: usize,
    other: usize,
}

impl Letters {
    fn of(text: &str) -> Self {
        let mut letters = Self::default();
        for character in text.chars() {
            match character {
                'a'..='z' | 'A'..='Z' => letters.latin += 1,
                '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                    letters.latin += 1;
                    letters.accented += 1;
                }
                '\u{3041}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9d}' => letters.kana += 1,
                '\u{3400}'..='\u{4dbf}'
                | '\u{4e00}'..='\u{9fff}'
                | '\u{f900}'..='\u{faff}'
                | '\u{20000}'..='\u{3134f}' => letters.han += 1,
                _ if character.is_alphabetic() => letters.other += 1,
                _ => {}
            }
        }
        letters
    }
}

fn language_of_latin(text: &str, letters: &Letters) -> Language {
    let mut english = 0;
    let mut foreign = 0;
    // a capital alone is somebody's initial: "O. Adeyemi" is no Portuguese
    let is_word = |word: &&str| word.len() < 8 && !(word.len() == 1 && word.starts_with(char::is_uppercase));
    for word in text.split(|c: char| !c.is_alphabetic()).filter(is_word) {
        let word = word.to_lowercase();
        english += usize::from(ENGLISH.contains(&word.as_str()));
        foreign += usize::from(FOREIGN.contains(&word.as_str()));
    }
    if english == 0 && foreign == 0 {
        let mostly_plain = letters.accented * 20 <= letters.latin;
        return if mostly_plain { Language::English } else { Language::Other };
    }
    if english >= foreign { Language::English } else { Language::Other }
}

/// Words that are frequent in English and rare in its neighbours.
const ENGLISH: [&str; 44] = [
    "the", "of", "and", "to", "is", "that", "it", "for", "was", "with", "as", "his", "her", "this", "by",
    "are", "be", "have", "has", "not", "from", "which", "they", "their", "you", "what", "who", "how",
    "where", "when", "why", "were", "did", "does", "between", "about", "can", "will", "would", "my", "your",
    "he", "she", "we",
];

/// Words that are frequent in German, French, Spanish, Italian, Portuguese, Dutch or Swedish, and no English ones.
const FOREIGN: [&str; 64] = [
    "der", "das", "und", "ist", "nicht", "ein", "eine", "mit", "auf", "dem", "den", "von", "wer", "wie",
    "le", "la", "les", "des", "et", "est", "une", "un", "que", "qui", "dans", "pour", "du", "au", "el",
    "los", "las", "del", "y", "una", "por", "con", "para", "su", "se", "il", "di", "che", "non", "per",
    "della", "lo", "gli", "o", "os", "da", "do", "em", "um", "uma", "não", "het", "een", "van", "niet",
    "och", "att", "som", "är", "na",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Language) {
        assert_eq!(language_of(text), expected, "{text}");
    }

    #[test]
    fn script_and_function_words_decide() {
        check("Marley was dead, to begin with.", Language::English);
        check("Bob Cratchit", Language::English);
        check("Present: M. Ashworth, O. Adeyemi", Language::English);
        check("Who is François Müller?", Language::English);
        check("话说天下大势，分久必合，合久必分。", Language::Chinese);
        check("GraphRAG 与 Neo4j 有什么关系？", Language::Chinese);
        check("刘备", Language::Chinese);
        check("Apink (Japanese: エーピンク) is a girl group that was formed in Seoul.", Language::English);
        check("吾輩は猫である。名前はまだ無い。", Language::Other);
        check("Der Mann ist nicht zu Hause, und das Kind schläft.", Language::Other);
        check("Le chat est dans la maison avec les enfants.", Language::Other);
        check("Мой дядя самых честных правил", Language::Other);
        check("한국어 문장입니다", Language::Other);
        check("", Language::Other);
        check("1234 !?", Language::Other);
    }

    #[test]
    fn one_quoted_chinese_word_leaves_an_english_text_english() {
        check("The word 天下 means all that is under heaven, and it is an old one.", Language::English);
    }
}
