//! Whether a sentence says the clause of a question again with somebody or something in the place of "who": of "Who paid for
//! the second pump?" the hotel that "thanked us and paid for a second pump", though no name tells that it is one. And
//! whether the deed that is asked about is told of something else: "wanted to buy a tractor" tells of no house that was bought.

use super::candidates::AnswerCandidate;
use crate::language::questions::{is_participle, stem};
use crate::language::vocabulary::calendar::is_month;
use crate::language::words::is_han;
use crate::query::question::{Asks, Question, flatten};

/// What stands before a noun and says nothing itself.
const DETERMINERS: [&str; 14] =
    ["the", "a", "an", "this", "that", "his", "her", "its", "their", "our", "my", "your", "some", "all"];
/// Forms of "be", behind which a verb is done to what stands before it.
const BE: [&str; 7] = ["was", "were", "is", "are", "been", "being", "be"];
/// Words of a clause that say that its deed was not done, or only might be, or ask who did it.
const UNSURE: [&str; 31] = [
    "not", "never", "nobody", "none", "neither", "nor", "no", "if", "unless", "whether", "would", "could",
    "might", "may", "should", "shall", "will", "can", "cannot", "to", "who", "whoever", "hardly", "almost",
    "nearly", "wants", "wanted", "hoped", "tried", "without", "nothing",
];
/// Subjects that name nobody.
const PRONOUNS: [&str; 8] = ["he", "she", "they", "it", "we", "i", "you", "which"];

/// Whether a sentence answers a question for a person in the question's own words.
pub(super) fn restates(question: &Question, this: &AnswerCandidate<'_>) -> bool {
    if question.asks != Asks::Person || question.compares || question.over_time {
        return false;
    }
    let (asked, told) = (flatten(&question.text), this.indexed.flat.as_str());
    if asked.chars().any(is_han) {
        return restates_in_chinese(&asked, told);
    }
    let asked: Vec<&str> = asked.split(' ').map(bare).filter(|word| !word.is_empty()).collect();
    let words: Vec<&str> = told.split(' ').collect();
    match asked.as_slice() {
        ["who", "was" | "were", verb] if is_participle(verb) => tells_whom(verb, &words),
        ["who", verb, rest @ ..] if !BE.contains(verb) && !UNSURE.contains(verb) => {
            let rest: Vec<String> = content(rest).map(stem).collect();
            rest.len() > 1 && tells_clause(&stem(verb), &rest, &words)
        }
        _ => false,
    }
}

/// A word without the marks around it.
pub(super) fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn content<'a>(words: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    words.iter().copied().filter(|word| !DETERMINERS.contains(word))
}

/// The words of a clause before a place, back to the mark that opens it.
fn clause<'a>(words: &'a [&'a str], at: usize) -> &'a [&'a str] {
    let ends = |word: &&str| word.ends_with([',', '.', ';', ':', '!', '?', '"', '”']);
    let begin = words.get(..at).and_then(|before| before.iter().rposition(ends));
    words.get(begin.map_or(0, |place| place + 1)..at).unwrap_or_default()
}

/// Whether words before a verb are a subject that did it: some, no pronoun alone, none that denies it.
fn is_subject(before: &[&str]) -> bool {
    let is_passive = before.last().is_some_and(|word| BE.contains(word));
    let mut says = before.iter().map(|word| bare(word)).filter(|word| !DETERMINERS.contains(word)).peekable();
    says.peek().is_some()
        && !is_passive
        && is_sure(before)
        && says.any(|word| !PRONOUNS.contains(&word) && word != "and" && word != "then")
}

/// Whether no word of a clause says that its deed was not done, or only might be.
fn is_sure(words: &[&str]) -> bool {
    words.iter().all(|word| !UNSURE.contains(&bare(word)))
}

/// Whether a verb with all that a question has behind it stands in one clause behind a subject.
fn tells_clause(verb: &str, rest: &[String], words: &[&str]) -> bool {
    let is_verb = |at: &usize| words.get(*at).is_some_and(|word| stem(bare(word)) == verb);
    (0..words.len()).filter(is_verb).any(|at| {
        let behind = words.get(at..).unwrap_or_default();
        let end = behind.iter().position(|word| word.ends_with(['.', ',', ';', ':', '!', '?']));
        let behind: Vec<&str> =
            behind.iter().skip(1).take(end.unwrap_or(behind.len())).map(|word| bare(word)).collect();
        let mut told = content(&behind).map(stem);
        is_subject(clause(words, at)) && rest.iter().all(|word| told.next().as_ref() == Some(word))
    })
}

/// Whether a text tells whom or what something was done to: "fined the owner", "the owner was fined".
fn tells_whom(verb: &str, words: &[&str]) -> bool {
    let verb = stem(verb);
    let is_verb = |at: &usize| words.get(*at).is_some_and(|word| stem(bare(word)) == verb);
    (0..words.len()).filter(is_verb).any(|at| {
        let before = clause(words, at);
        let (first, ends) = (words.get(at + 1).copied().unwrap_or_default(), words.get(at).copied());
        let has_object = DETERMINERS.contains(&first) && ends == ends.map(bare);
        let is_passive = before.iter().rev().take(2).any(|word| BE.contains(word));
        match before.iter().rposition(|word| BE.contains(word)) {
            Some(be) if is_passive => is_sure(before) && is_subject(before.get(..be).unwrap_or_default()),
            _ => has_object && is_subject(before),
        }
    })
}

/// Characters of a text before and behind a sentence in which its deed may be told.
const WINDOW: usize = 300;
/// Words behind a verb in which whom it is done to is named.
const OBJECT_WITHIN: usize = 4;

/// Whether a question asks who did something to what it names, and a sentence and what stands around it tell the deed of
/// something else alone, which a name or an indefinite article shows: of "Who bought the Old Mill?" they tell that somebody
/// wanted to buy a tractor.
pub(super) fn tells_of_another_object(question: &Question, this: &AnswerCandidate<'_>) -> bool {
    let asked = flatten(&question.text);
    if question.asks != Asks::Person || asked.chars().any(is_han) {
        return false;
    }
    let words: Vec<&str> = asked.split(' ').map(bare).filter(|word| !word.is_empty()).collect();
    let ["who", verb, rest @ ..] = words.as_slice() else { return false };
    let Some(first) = content(rest).next().filter(|_| !BE.contains(verb) && !UNSURE.contains(verb)) else {
        return false;
    };
    let mut names = question.names.iter().filter(|name| !name.is_word);
    let Some(name) = names.find(|name| name.whole.iter().any(|whole| whole.starts_with(first))) else {
        return false;
    };
    let parts: Vec<&str> = name.whole.iter().chain(&name.parts).flat_map(|whole| whole.split(' ')).collect();
    objects(&stem(verb), around(this))
        .is_some_and(|objects| objects.iter().all(|behind| is_another(behind, &parts)))
}

/// The text around a sentence, with it.
fn around<'a>(this: &AnswerCandidate<'a>) -> &'a str {
    let unit = this.unit.unit.text.as_str();
    let place = (this.quote.2.as_ptr() as usize).checked_sub(unit.as_ptr() as usize);
    let Some(place) = place else { return this.quote.2 };
    let begin = unit.floor_char_boundary(place.saturating_sub(WINDOW));
    let end = unit.ceil_char_boundary((place + this.quote.2.len() + WINDOW).min(unit.len()));
    unit.get(begin..end).unwrap_or(this.quote.2)
}

/// What stands behind each place of a verb; nothing where it has none.
fn objects<'a>(verb: &str, text: &'a str) -> Option<Vec<Vec<&'a str>>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_verb = |at: &usize| words.get(*at).is_some_and(|word| stem(&bare(word).to_lowercase()) == verb);
    let behind = |at: usize| -> Vec<&str> {
        let clause = words.get(at..).unwrap_or_default();
        let end = clause.iter().position(|word| word.ends_with(['.', ',', ';', ':', '!', '?']));
        clause
            .iter()
            .take(end.map_or(clause.len(), |end| end + 1))
            .skip(1)
            .take(OBJECT_WITHIN)
            .copied()
            .collect()
    };
    let all: Vec<Vec<&str>> = (0..words.len()).filter(is_verb).map(behind).collect();
    (!all.is_empty()).then_some(all)
}

/// Whether what stands behind a verb is another object than a name: it is named, or any of its kind.
fn is_another(behind: &[&str], parts: &[&str]) -> bool {
    const ANY: [&str; 5] = ["a", "an", "another", "two", "three"];
    let is_asked = |word: &&str| parts.contains(&bare(word).to_lowercase().as_str());
    if behind.iter().any(is_asked) {
        return false;
    }
    match behind {
        [first, ..] if ANY.contains(first) => true,
        ["the", name, ..] | [name, ..] => {
            bare(name).starts_with(char::is_uppercase)
                && bare(name).len() > 1
                && !is_month(&bare(name).to_lowercase())
        }
        [] => false,
    }
}

/// Whether a Chinese text tells who got something by what it is: of 谁得了第一名 the one with 第一名是王五.
fn restates_in_chinese(asked: &str, told: &str) -> bool {
    const GETS: [&str; 10] = ["获得", "夺得", "赢得", "取得", "得到", "拿到", "拿下", "得", "获", "拿"];
    const TELLS: [&str; 6] = ["是", "为", "由", "归", "属于", "被"];
    let asked = asked.trim_end_matches(|c: char| !is_han(c));
    let Some(got) = GETS.iter().find_map(|verb| asked.strip_prefix('谁')?.strip_prefix(verb)) else {
        return false;
    };
    let got = got.strip_prefix('了').unwrap_or(got).trim_end_matches(['呢', '的']);
    let mut behind = told.match_indices(got).filter_map(|(at, _)| told.get(at + got.len()..));
    got.chars().count() > 1 && behind.any(|behind| TELLS.iter().any(|form| behind.starts_with(form)))
}

#[cfg(test)]
mod tests {
    use super::{is_another, objects, restates_in_chinese, tells_clause, tells_whom};
    use crate::language::questions::stem;

    #[test]
    fn a_clause_is_said_again_by_its_words_in_their_order() {
        let check = |text: &str, expected: bool| {
            let words: Vec<&str> = text.split(' ').collect();
            let rest: Vec<String> = ["for", "second", "pump"].map(stem).to_vec();
            assert_eq!(tells_clause(&stem("paid"), &rest, &words), expected, "{text}");
        };
        check("the hotel thanked us and paid for a second pump.", true);
        check("last year the hotel paid for their second pump, and ann laughed.", true);
        check("the hotel paid for a second lamp.", false);
        check("the hotel paid, for a second pump was needed.", false);
        check("nobody paid for a second pump.", false);
        check("the hotel never paid for a second pump.", false);
        check("he paid for a second pump.", false);
        check("paid for a second pump.", false);
        check("the guest who paid for a second pump left.", false);
    }

    #[test]
    fn what_a_deed_was_done_to_stands_behind_it() {
        let check = |text: &str, expected: bool| {
            let objects = objects(&stem("buy"), text).unwrap_or_default();
            let is_other =
                !objects.is_empty() && objects.iter().all(|behind| is_another(behind, &["old", "mill"]));
            assert_eq!(is_other, expected, "{text}");
        };
        check("She wanted to buy a tractor. The Old Mill stood empty.", true);
        check("Ann Lee bought the Corner House. The Old Mill stood empty.", true);
        check("Ann Lee bought it from the county. The Old Mill stood empty.", false);
        check("Ann Lee bought the Old Mill and a tractor.", false);
        check("The Old Mill was bought by Ann Lee.", false);
        check("Ann Lee bought the ruin in May. The Old Mill stood empty.", false);
        check("The Old Mill stood empty.", false);
    }

    #[test]
    fn whom_it_was_done_to_stands_behind_the_verb_or_before_its_passive() {
        let check = |text: &str, expected: bool| {
            assert_eq!(tells_whom("fined", &text.split(' ').collect::<Vec<_>>()), expected, "{text}");
        };
        check("the warden fined the owner, not the skipper.", true);
        check("last week the owner was fined.", true);
        check("the owner was twice fined for that.", true);
        check("the warden fined nobody.", false);
        check("nobody was fined.", false);
        check("the owner was not fined.", false);
        check("he was fined.", false);
        check("those who were fined complained.", false);
    }

    #[test]
    fn what_somebody_got_is_told_by_what_it_is() {
        assert!(restates_in_chinese("谁得了第一名？", "甲得了第二名，第一名是邻县的乙。"));
        assert!(restates_in_chinese("谁获得一等奖", "一等奖由丙获得。"));
        assert!(!restates_in_chinese("谁得了第一名？", "甲得了第二名。"));
        assert!(!restates_in_chinese("谁拿了钱？", "钱是偷来的。"));
    }
}
