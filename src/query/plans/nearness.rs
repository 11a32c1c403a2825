//! Whether a name that stands near a wording belongs to it, or to another deed that stands between or before them: "directed by
//! A and starring B" says nothing of B but that he plays.

use crate::language::questions::stem;
use crate::language::vocabulary::calendar::is_stem_of_month;
use crate::language::vocabulary::relations::RELATIONS;
use crate::language::words::is_han;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words before a verb that turn it round.
pub(super) const PASSIVE: [&str; 8] = ["is", "are", "was", "were", "be", "been", "being", "got"];
/// Words behind which a sentence speaks of something else than what it began with.
pub(super) const CLAUSES: [&str; 20] = [
    "of", "on", "in", "at", "to", "from", "for", "about", "with", "after", "which", "that", "who", "whose",
    "where", "when", "while", "but", "based", "like",
];
/// Words by which a second deed of the same one follows the first.
const AND: [&str; 5] = ["and", "but", "then", "later", "also"];
const HAVE: [&str; 3] = ["has", "have", "had"];
/// Chinese before a second deed of the same one: 甲起诉乙并收购丙.
const CHINESE_AND: [&str; 6] = ["并", "并且", "后", "之后", "而后", "随后"];
/// Pronouns that a deed is done by, or to.
const PRONOUNS: [&str; 9] = ["him", "her", "it", "them", "himself", "herself", "itself", "themselves", "me"];

/// A place in a text: the first word, or byte, and the one behind the last.
pub(super) type Place = (usize, usize);

/// Single English words of relations, and their stems.
static VERBS: LazyLock<(BTreeSet<&str>, BTreeSet<String>)> = LazyLock::new(|| {
    let words = RELATIONS.iter().flat_map(|relation| relation.words.iter().chain(relation.inverse));
    let single: BTreeSet<&str> =
        words.copied().filter(|word| word.is_ascii() && !word.contains(' ')).collect();
    let stems = single.iter().map(|word| stem(word)).collect();
    (single, stems)
});

/// Whether a stem is part of a time: "in", "2021".
pub(super) fn is_of_time(stem: &str) -> bool {
    matches!(stem, "in" | "on" | "earli" | "late")
        || stem.chars().all(|c| c.is_ascii_digit())
        || is_stem_of_month(stem)
}

/// Whether a form of a word can only be that of a verb: "starring", "sued", "bought".
fn is_verb(word: &str) -> bool {
    if word.starts_with(|c: char| !c.is_lowercase()) {
        return false;
    }
    let (words, stems) = &*VERBS;
    let of_form = word.len() > 3 && (word.ends_with("ing") || word.ends_with("ed"));
    of_form || !words.contains(word) && !word.ends_with('s') && stems.contains(&stem(word))
}

/// Whether in an English sentence, given as its words, the name behind a wording belongs to another deed, or to a circumstance: a
/// name stands before it that the wording has taken. Words of the question's own are no others.
pub(super) fn is_of_another(words: &[&str], from: usize, to: usize, own: &[&str]) -> bool {
    let between = words.get(from..to).unwrap_or_default();
    let is_month = |word: &str| is_stem_of_month(&stem(&word.to_lowercase()));
    let is_object =
        |word: &&str| word.starts_with(char::is_uppercase) && !is_month(word) || PRONOUNS.contains(word);
    let Some(taken) = between.iter().position(is_object) else { return false };
    let behind = between.get(taken + 1..).unwrap_or_default();
    behind.iter().enumerate().any(|(place, word)| {
        let next = behind.get(place + 1).map(|next| stem(&next.to_lowercase()));
        let of_time = next.is_some_and(|next| is_of_time(&next));
        let leads_on = CLAUSES.contains(word) && *word != "of" || PASSIVE.contains(word) || *word == "by";
        !own.contains(word) && (leads_on && !of_time || is_verb(word))
    })
}

/// Whether a name before a wording belongs to what stands before the name: "founded by A, acquired", "sued A and acquired".
pub(super) fn is_done_by_another(words: &[&str], (from, to): Place, verb: usize) -> bool {
    let before = from.checked_sub(1).and_then(|at| words.get(at)).copied();
    let between = words.get(to..verb).unwrap_or_default();
    let goes_on = between.first().is_some_and(|word| AND.contains(word));
    let adds_nothing = |word: &&str| {
        AND.contains(word) || PASSIVE.contains(word) || HAVE.contains(word) || word.ends_with("ly")
    };
    before == Some("by") || before.is_some() && goes_on && between.iter().all(adds_nothing)
}

/// As [`is_of_another`] in Chinese: what stands between a wording and a name behind it begins another clause or deed.
pub(super) fn is_of_another_in_chinese(between: &str) -> bool {
    let between = between.trim_start_matches(['了', '过', '的']);
    let ends = |c: char| matches!(c, '，' | ',' | '；' | ';' | '。');
    let goes_on = between.match_indices('并').any(|(at, _)| {
        let behind = between.get(at + '并'.len_utf8()..).unwrap_or_default();
        !behind.starts_with('购') && !behind.is_empty()
    });
    // a list goes on with a comma of its own, but never begins with one
    between.starts_with('、') || between.contains(ends) || goes_on || has_deed(between)
}

/// Whether a text holds a Chinese deed of two characters or more, and not at its beginning: 收购了对手星桥.
fn has_deed(text: &str) -> bool {
    let mut words = RELATIONS.iter().flat_map(|relation| relation.words.iter().chain(relation.inverse));
    words.any(|word| {
        word.starts_with(is_han) && word.chars().count() > 1 && text.rfind(word).is_some_and(|at| at > 0)
    })
}

/// As [`is_done_by_another`] in Chinese: `before` is what stands before the name.
pub(super) fn is_done_by_another_in_chinese(before: &str, between: &str) -> bool {
    let between = between.trim_matches(['，', ',', '、', ' ']);
    before.contains(is_han) && CHINESE_AND.contains(&between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_name_that_the_wording_has_taken_is_of_another() {
        let check = |between: &str, expected: bool| {
            let words: Vec<&str> = between.split(' ').filter(|word| !word.is_empty()).collect();
            assert_eq!(is_of_another(&words, 0, words.len(), &["against"]), expected, "{between}");
        };
        for between in [
            "by Al Reed and starring",
            "Al Reed produced by",
            "Nokia and sued",
            "Nokia and bought",
            "Bethesda from",
            "him and starring",
            "Nokia which is owned by",
        ] {
            check(between, true);
        }
        for between in [
            "",
            "by the acclaimed German director",
            "LinkedIn and the game studio",
            "gaming company",
            "LinkedIn in June 2016 and",
            "November 8 1947 was born in",
            "Bank of",
            "Ann Lee against",
        ] {
            check(between, false);
        }
    }

    #[test]
    fn who_is_told_of_before_does_not_do_what_follows() {
        let check = |text: &str, name: &str, verb: &str, expected: bool| {
            let words: Vec<&str> = text.split(' ').collect();
            let place = |wanted: &str| words.iter().position(|word| *word == wanted).unwrap();
            let at = place(name);
            assert_eq!(is_done_by_another(&words, (at, at + 1), place(verb)), expected, "{text}");
        };
        check("Vantor founded by Gates acquired Nokia", "Gates", "acquired", true);
        check("Vantor sued Tarn and later acquired Nokia", "Tarn", "acquired", true);
        check("Vantor and Tarn acquired Nokia", "Tarn", "acquired", false);
        check("Vantor and Tarn acquired Nokia", "Vantor", "acquired", false);
        check("Vantor and acquired Nokia", "Vantor", "acquired", false);
        check("In 2016 Vantor grew and acquired Nokia", "Vantor", "acquired", false);
    }

    #[test]
    fn chinese_goes_on_with_another_deed() {
        for between in ["了星桥并起诉", "、", "了星桥，起诉了", "了星桥和击败"] {
            assert!(is_of_another_in_chinese(between), "{between}");
        }
        for between in ["", "了", "了星桥、白鹭和", "了北京的星桥", "了对手"] {
            assert!(!is_of_another_in_chinese(between), "{between}");
        }
        assert!(is_done_by_another_in_chinese("林海起诉", "并"));
        assert!(!is_done_by_another_in_chinese("", "并"));
        assert!(!is_done_by_another_in_chinese("2021年", ""));
    }
}
