//! What a Chinese text may say instead of a word of a question.

use super::vocabulary::synonyms;
use super::words::{is_han, segmenter, words};

/// How much a word counts that says the same as the question's.
const SAME: f64 = 0.85;
/// How much a word counts that a text may say instead.
const TOLD: f64 = 0.6;
/// How much one character of a word of several counts.
pub(crate) const CHARACTER: f64 = 0.3;
/// How much the verb of a word of two counts that also tells how its act ended: 射 of 射死.
const VERB: f64 = 0.6;
/// Kin who share a character with others and nothing else: 祖父 is no 祖母.
const KIN: [&str; 23] = [
    "祖父",
    "祖母",
    "外祖父",
    "外祖母",
    "曾祖父",
    "曾祖母",
    "高祖父",
    "高祖母",
    "岳父",
    "岳母",
    "伯父",
    "伯母",
    "叔父",
    "婶母",
    "舅父",
    "舅母",
    "姑母",
    "姨母",
    "姐夫",
    "妹夫",
    "外公",
    "外婆",
    "父母",
];
/// How it ended, or before what it stands: 设在.
const ENDED: [char; 21] = [
    '死', '走', '掉', '中', '伤', '败', '退', '破', '到', '住', '下', '上', '完', '开', '倒', '杀', '在',
    '于', '给', '好', '坏',
];

/// Of these what stands before a place or a person and changes nothing of the act.
const BEFORE_PLACE: [char; 4] = ['在', '于', '到', '给'];

/// Other words for a Chinese one.
fn others_of(of: &str) -> Vec<String> {
    let groups = synonyms::CHINESE.iter().filter(|group| group.split(' ').any(|word| word == of));
    let told = synonyms::TOLD_AS.iter().filter(|(asked, _)| *asked == of).map(|(_, told)| told);
    groups.chain(told).flat_map(|words| words.split(' ')).map(str::to_owned).collect()
}

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
        let verb = verb.to_string();
        // 死在 is told by 病逝, but 打死 not by 攻打
        let others = if BEFORE_PLACE.contains(ended) { others_of(&verb) } else { Vec::new() };
        for word in std::iter::once(verb).chain(others) {
            if all.iter().all(|(known, _)| *known != word) {
                all.push((word, VERB));
            }
        }
    }
    // 漏水 is told by 漏了水
    if let [verb, object] = letters.as_slice()
        && letters.iter().all(|c| is_han(*c))
    {
        let apart =
            ["了", "过", "了一", "起"].iter().map(|between| (format!("{verb}{between}{object}"), SAME));
        all.extend(apart);
    }
    if of.chars().count() > 1 && !KIN.contains(&of) {
        for c in of.chars() {
            if all.iter().all(|(known, _)| !known.starts_with(c) || known.chars().count() > 1) {
                all.push((c.to_string(), CHARACTER));
            }
        }
    }
    all
}

/// What says that something is not so that a Chinese word tells, each with how much it counts: 闭馆 for 不开门. Nothing
/// where the vocabulary knows no such words.
pub(crate) fn denied_pieces(of: &str) -> Option<Vec<(String, f64)>> {
    let (_, told) = synonyms::DENIED.iter().find(|(words, _)| words.split(' ').any(|word| word == of))?;
    let denied = ["不", "没", "没有", "未"].iter().map(|no| (format!("{no}{of}"), 1.0));
    Some(denied.chain(told.split(' ').map(|word| (word.to_owned(), SAME))).collect())
}

/// Whether a Chinese question denies what a word of it tells: 不开门, 没有参加.
pub(crate) fn is_denied(question: &str, word: &str) -> bool {
    let before = question.match_indices(word).filter_map(|(at, _)| question.get(..at));
    let denies = |before: &str| {
        let before = before.trim_end_matches(['再', '能', '会', '肯', '愿']);
        before.ends_with(['不', '没', '未']) || before.ends_with("没有")
    };
    before.into_iter().any(denies)
}

/// Whether the vocabulary tells other words for a Chinese one, or for its verb before a place or a person: 死在.
pub(crate) fn is_known(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let verb = match letters.as_slice() {
        [verb, ended] if BEFORE_PLACE.contains(ended) => Some(verb.to_string()),
        _ => None,
    };
    !others_of(word).is_empty() || verb.is_some_and(|verb| !others_of(&verb).is_empty())
}

/// A verb that makes, buys or keeps something and what it is done to, where a Chinese word is both: 造桥.
pub(crate) fn deed_and_object(word: &str) -> Option<(String, String)> {
    const MADE: &str = "造建修盖买卖养拆租挖";
    let mut letters = word.chars();
    let (Some(verb), Some(object), None) = (letters.next(), letters.next(), letters.next()) else {
        return None;
    };
    let object = object.to_string();
    let tokens = segmenter().tag(&object, false);
    let is_thing = tokens.first().is_some_and(|token| token.tag.starts_with('n'));
    (MADE.contains(verb) && is_thing && !is_known(word)).then(|| (verb.to_string(), object))
}

/// The longest known word of at least two characters that a Chinese text begins with.
pub(crate) fn known_at_start(text: &str) -> Option<&'static str> {
    let grouped = synonyms::CHINESE.iter().flat_map(|group| group.split(' '));
    let asked = synonyms::TOLD_AS.iter().map(|(asked, _)| *asked);
    grouped
        .chain(asked)
        .filter(|word| word.chars().count() > 1 && text.starts_with(word))
        .max_by_key(|word| word.len())
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
    use super::{deed_and_object, denied_pieces, is_denied, is_known, known_at_start, pieces};

    #[test]
    fn a_verb_and_its_object_may_stand_apart() {
        assert!(pieces("漏水").iter().any(|(piece, weight)| piece == "漏了水" && *weight > 0.5));
    }

    #[test]
    fn what_is_denied_is_told_by_its_contrary() {
        assert!(is_denied("茶馆周几不开门", "开门") && !is_denied("茶馆周几开门", "开门"));
        assert!(is_denied("谁没有参加", "参加") && !is_denied("谁参加了", "参加"));
        assert!(denied_pieces("开门").is_some_and(|all| all.iter().any(|(piece, _)| piece == "打烊")));
        assert!(denied_pieces("石桥").is_none());
    }

    #[test]
    fn a_verb_before_a_preposition_is_that_verb() {
        let counts = |of: &str, piece: &str| {
            pieces(of).iter().find(|(known, _)| known == piece).map_or(0.0, |(_, weight)| *weight)
        };
        assert!(counts("设在", "设") > 0.5 && counts("设在", "在") < 0.5);
        assert!(counts("位于", "位") > 0.5 && counts("桌子", "桌") < 0.5);
        assert!(counts("修好", "修") > 0.5 && counts("摔坏", "摔") > 0.5);
        assert!(counts("死在", "病逝") > 0.5 && counts("打坏", "攻打") < 0.5);
    }

    #[test]
    fn a_deed_is_told_apart_from_what_it_is_done_to() {
        assert_eq!(deed_and_object("造桥"), Some(("造".to_owned(), "桥".to_owned())));
        assert!(deed_and_object("修理").is_none() && deed_and_object("石桥").is_none());
    }

    #[test]
    fn a_word_is_known_by_its_verb() {
        assert!(is_known("偷走") && is_known("辞职") && is_known("送到"));
        assert!(!is_known("不再") && !is_known("褪色") && !is_known("打坏"));
        assert_eq!(known_at_start("退任的"), Some("退任"));
        assert_eq!(known_at_start("搪瓷"), None);
    }
}
