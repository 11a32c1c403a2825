//! Turns of a conversation: whether a question goes on with what was spoken of, and whether it names something new.

use super::kinds::Kinds;
use super::words::ParsedQuestion;
use crate::language::questions::stem;
use crate::language::words::{is_han, segmenter};
use std::collections::BTreeSet;
use unicode_segmentation::UnicodeSegmentation;

/// Whether a question goes on where the conversation stands: "and …", "那…".
pub fn is_continuation(question: &str) -> bool {
    const BEGINNINGS: [&str; 16] = [
        "and ",
        "and, ",
        "so ",
        "what about ",
        "how about ",
        "what if ",
        "then ",
        "but ",
        "那",
        "那么",
        "要是",
        "万一",
        "如果",
        "还有",
        "以后",
        "然后",
    ];
    let flat = question.trim().to_lowercase();
    BEGINNINGS.iter().any(|beginning| flat.starts_with(beginning))
}

/// What a question names in place of what was spoken of: "and what about a bicycle?", "那自行车呢？".
pub fn put_instead(question: &str) -> Option<String> {
    let flat = question.trim().to_lowercase();
    let bare = flat.trim_end_matches(['?', '？', '.', '。', ' ']);
    let english = bare.trim_start_matches("and ").trim_start_matches("but ");
    let english =
        ["what about ", "how about ", "what of "].iter().find_map(|begin| english.strip_prefix(begin));
    let chinese = || {
        let named = bare.strip_suffix('呢')?;
        ["那么", "那", "换成", "换"].iter().find_map(|begin| named.strip_prefix(begin))
    };
    english.or_else(chinese).map(str::trim).filter(|named| !named.is_empty()).map(str::to_owned)
}

/// Words that stand for what was spoken of.
const BACK: [&str; 9] = ["it", "that", "this", "they", "them", "these", "those", "there", "one"];
const CHINESE_BACK: [&str; 7] = ["它", "这个", "那个", "这些", "那些", "这样", "那样"];
/// Words behind which an English verb stands.
const BEFORE_VERBS: [&str; 9] = ["i", "you", "we", "they", "it", "he", "she", "not", "to"];

/// Whether a question goes on with what was spoken of: it begins so, or has a word that stands for it.
pub fn goes_on(question: &str) -> bool {
    if is_continuation(question) {
        return true;
    }
    let flat = question.to_lowercase();
    if flat.chars().any(is_han) {
        let bare = flat.trim_end_matches(['?', '？', '。', ' ']);
        return bare.ends_with('呢') || CHINESE_BACK.iter().any(|word| flat.contains(word));
    }
    flat.unicode_words().any(|word| BACK.contains(&word))
}

/// Whether a question asks for one thing that few answers give: how long, how much, when, where, who, why. Others may ask
/// whether or how of anything.
pub fn asks_one_thing(question: &str) -> bool {
    let one = Kinds::DURATION
        | Kinds::COST
        | Kinds::QUANTITY
        | Kinds::WHEN
        | Kinds::WHERE
        | Kinds::WHO
        | Kinds::WHY;
    ParsedQuestion::read(question).kinds.has(one)
}

/// Whether one of these words of a question names something: a subject of its own, in place of what was spoken of. In
/// English that is what stands behind no pronoun; in Chinese a noun or a verb of several characters.
pub fn names_anew(question: &str, words: &BTreeSet<String>) -> bool {
    if words.is_empty() {
        return false;
    }
    let flat = question.to_lowercase();
    if flat.chars().any(is_han) {
        let mut tagged = segmenter().tag(&flat, true).into_iter();
        return tagged.any(|token| {
            let names =
                token.tag.starts_with(['n', 'v', 'a', 'l', 'i', 'j']) && token.word.chars().count() > 1;
            names && words.iter().any(|word| word.contains(token.word) || token.word.contains(word.as_str()))
        });
    }
    let mut before = "";
    flat.unicode_words().any(|word| {
        let follows = BEFORE_VERBS.contains(&before) || BACK.contains(&before);
        before = word;
        !follows && words.contains(&stem(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_is_told_from_what_names_a_subject_of_its_own() {
        let check = |question: &str, on: bool, unsaid: &[&str], anew: bool| {
            let unsaid: BTreeSet<String> = unsaid.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!((goes_on(question), names_anew(question, &unsaid)), (on, anew), "{question}");
        };
        check("And by when will you let me know?", true, &["let", "know"], true);
        check("And when do I hear from you?", true, &["hear"], false);
        check("When do they see that money again?", true, &["money"], false);
        check("And how long does a letter take?", true, &["letter"], true);
        check("And how much is parking?", true, &["park"], true);
        check("How do I cancel my card?", false, &["cancel", "card"], true);
        check("那停车多少钱？", true, &["停车"], true);
        check("那要等多久？", true, &["等"], false);
        check("到期了呢？", true, &[], false);
        check("这个要收费吗？", true, &[], false);
        check("会员卡怎么转让？", false, &["会员卡"], true);
    }

    #[test]
    fn how_and_whether_may_be_asked_of_anything() {
        for question in ["How long is it?", "And by when?", "那多少钱？", "在哪里拿？"] {
            assert!(asks_one_thing(question), "{question}");
        }
        for question in ["And how do I cancel it?", "Can I bring it?", "那怎么解约？", "可以吗？"] {
            assert!(!asks_one_thing(question), "{question}");
        }
    }
}
