//! What a Chinese text may say instead of a word of a question.

use super::vocabulary::synonyms;
use super::words::{is_han, words};

/// How much a word counts that says the same as the question's.
const SAME: f64 = 0.85;
/// How much a word counts that a text may say instead.
const TOLD: f64 = 0.6;
/// How much one character of a word of several counts.
pub(crate) const CHARACTER: f64 = 0.3;
/// How much the verb of a word of two counts that also tells how its act ended: 射 of 射死.
const VERB: f64 = 0.6;
/// How it ended, or before what it stands: 设在.
const ENDED: [char; 19] = [
    '死', '走', '掉', '中', '伤', '败', '退', '破', '到', '住', '下', '上', '完', '开', '倒', '杀', '在',
    '于', '给',
];

/// A Chinese word, those that say the same, what a text may say instead, and its characters, each with how much it counts.
pub(crate) fn pieces(of: &str) -> Vec<(String, f64)> {
    let mut all = vec![(of.to_owned(), 1.0)];
    for group in synonyms::CHINESE {
        if group.split(' ').any(|word| word == of) {
            let others = group.split(' ').filter(|other| *other != of);
            all.extend(others.map(|other| (other.to_owned(), SAME)));
        }
    }
    for (_, told) in synonyms::TOLD_AS.iter().filter(|(asked, _)| *asked == of) {
        for told in told.split(' ') {
            if all.iter().all(|(known, _)| known != told) {
                all.push((told.to_owned(), TOLD));
            }
        }
    }
    let letters: Vec<char> = of.chars().collect();
    if let [verb, ended] = letters.as_slice()
        && ENDED.contains(ended)
        && all.iter().all(|(known, _)| !known.chars().eq([*verb]))
    {
        all.push((verb.to_string(), VERB));
    }
    if of.chars().count() > 1 {
        for c in of.chars() {
            if all.iter().all(|(known, _)| !known.starts_with(c) || known.chars().count() > 1) {
                all.push((c.to_string(), CHARACTER));
            }
        }
    }
    all
}

/// Chinese words of a text, the longest that the segmenter gives, without their parts.
pub(crate) fn longest_words(text: &str) -> Vec<String> {
    let words = words(text);
    let is_part = |word: &String| {
        word.chars().all(is_han)
            && words
                .iter()
                .any(|other| other != word && other.contains(word.as_str()) && text.contains(other.as_str()))
            && word.chars().count() < 3
    };
    words.iter().filter(|word| !is_part(word)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn a_verb_before_a_preposition_is_that_verb() {
        let counts = |of: &str, piece: &str| {
            pieces(of).iter().find(|(known, _)| known == piece).map_or(0.0, |(_, weight)| *weight)
        };
        assert!(counts("设在", "设") > 0.5 && counts("设在", "在") < 0.5);
        assert!(counts("位于", "位") > 0.5 && counts("桌子", "桌") < 0.5);
    }
}
