//! Words of a text, as full-text search knows them.
//!
//! A word is a run of letters and digits. Inside a run, Han characters are cut by the segmenter and scripts that write
//! no spaces by UAX #29. English and all else in Latin, Greek or Cyrillic gives exactly the tokens of `qdrant/bm25`
//! before stemming.

use super::folding::fold;
use crate::language::vocabulary::stop_words;
use jieba_rs::Jieba;
use std::borrow::Cow;
use std::sync::OnceLock;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// Lower-cased words in order, Chinese ones by the segmenter and as `fold` reads them, punctuation left out. A Chinese word
/// of three and more characters is preceded by the dictionary's words inside it (`中华`, `人民`, … before `中华人民共和国`).
pub fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for_each_word(&fold(text), |word| all.push(word.into_owned()));
    all
}

/// Whether a lower-cased word carries no meaning of its own, in English or Chinese.
pub fn is_stop_word(word: &str) -> bool {
    let list = if word.is_ascii() { stop_words::ENGLISH } else { stop_words::CHINESE };
    list.binary_search(&word).is_ok()
}

/// Whether a character is a Chinese one (any script that shares them included).
pub fn is_han(character: char) -> bool {
    matches!(character,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{f900}'..='\u{faff}' | '\u{3007}' | '\u{3005}'
        | '\u{20000}'..='\u{3ffff}')
}

/// The Chinese segmenter, loaded when it is first asked for (tens of milliseconds).
pub fn segmenter() -> &'static Jieba {
    static SEGMENTER: OnceLock<Jieba> = OnceLock::new();
    SEGMENTER.get_or_init(Jieba::new)
}

/// The part of speech of a Chinese word that the dictionary has as one: nothing where it is taken for several.
pub(crate) fn whole_tag(word: &str) -> Option<&str> {
    match segmenter().tag(word, false).as_slice() {
        [whole] => Some(whole.tag),
        _ => None,
    }
}

/// Calls `visit` with each word as the text writes it, without an allocation where it already stands in lower case: those of
/// [`words`] where the text is in simplified characters and half width. The index of words is made of these.
pub(crate) fn for_each_word<'a>(text: &'a str, mut visit: impl FnMut(Cow<'a, str>)) {
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        rest = &rest[start..];
        let (length, class) = run_at(rest);
        let (run, behind) = rest.split_at(length);
        rest = behind;
        match class {
            CharacterRun::Han => {
                // Without the hidden Markov model: a name it would guess in one sentence and miss in the next is cut
                // into the same characters everywhere, so question and text agree.
                for token in segmenter().cut_for_search(run, false) {
                    visit(Cow::Borrowed(token.word));
                }
            }
            CharacterRun::Plain => visit(lower_case(run)),
            CharacterRun::Mixed => run.unicode_words().for_each(|word| visit(lower_case(word))),
        }
    }
}

/// What a run of letters and digits is made of.
enum CharacterRun {
    /// Chinese characters.
    Han,
    /// Scripts that put spaces between words: the run is one word.
    Plain,
    /// Some of a script that needs UAX #29.
    Mixed,
}

/// Length in bytes and class of the run that a text begins with.
fn run_at(text: &str) -> (usize, CharacterRun) {
    let bytes = text.as_bytes();
    let ascii = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if bytes.get(ascii).is_none_or(u8::is_ascii) && ascii > 0 {
        return (ascii, CharacterRun::Plain);
    }
    let han = text.find(|c| !is_han(c)).unwrap_or(text.len());
    if han > 0 {
        return (han, CharacterRun::Han);
    }
    let mut mixed = false;
    let end = text.find(|c: char| {
        mixed |= needs_segmentation(c);
        let inside = c.is_alphanumeric() && !is_han(c) || mixed && is_combining_mark(c);
        !inside
    });
    (end.unwrap_or(text.len()), if mixed { CharacterRun::Mixed } else { CharacterRun::Plain })
}

/// Letters from Hebrew to Ethiopic, Khmer and Mongolian, kana, Hangul, and the like.
fn needs_segmentation(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{1dff}' | '\u{3040}'..='\u{33ff}' | '\u{a000}'..='\u{a63f}' | '\u{a800}'..='\u{ab2f}'
        | '\u{ab80}'..='\u{d7ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{ff66}'..='\u{ffdc}')
        && (c.is_alphanumeric() || is_combining_mark(c))
}

fn lower_case(word: &str) -> Cow<'_, str> {
    if !word.is_ascii() {
        return Cow::Owned(word.to_lowercase());
    }
    if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Owned(word.to_ascii_lowercase());
    }
    Cow::Borrowed(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(words(text).join(" "), expected);
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        check("Bob Cratchit's 15-year-old CLERK!", "bob cratchit s 15 year old clerk");
        check("naïve Straße under_score 3.14 ABC123", "naïve straße under score 3 14 abc123");
        check(" \n\t…—", "");
        check("", "");
    }

    #[test]
    fn chinese_words_are_those_of_the_segmenter() {
        check("刘备、关羽、张飞是什么关系？", "刘备 关羽 张飞 是 什么 关系");
        check("我来到北京清华大学", "我 来到 北京 清华 华大 大学 清华大学");
        check("數學老師２０２４年來到圖書館", "数学 老师 数学老师 2024 年 来到 图书 书馆 图书馆");
    }

    #[test]
    fn scripts_are_cut_run_by_run() {
        check("Qdrant向量2024年GPU", "qdrant 向量 2024 年 gpu");
        check("日本タワーへ", "日本 タワー へ");
        check("Привет, МИР", "привет мир");
        check("नमस्ते दुनिया", "नमस्ते दुनिया");
    }

    #[test]
    fn stop_words_are_sorted_and_known() {
        for list in [stop_words::ENGLISH, stop_words::CHINESE] {
            assert!(list.is_sorted_by(|a, b| a < b));
        }
        for word in ["the", "yourselves", "的", "什么"] {
            assert!(is_stop_word(word), "{word}");
        }
        for word in ["scrooge", "cannot", "关系", "", "λ"] {
            assert!(!is_stop_word(word), "{word}");
        }
    }
}
