//! Questions that a text asks in a line of their own and answers below, as a FAQ does.

use super::candidates::AnswerCandidate;
use super::concepts::{Concept, IndexedSentence, StemsOf, same};
use crate::domain::{FiscalCalendar, StoredUnit};
use crate::language::questions::{self, stem};
use crate::language::words::is_han;
use crate::language::{self, dice_coefficient, letters};
use crate::query::question::{Asks, Question, flatten};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Most characters of such a question.
const LONGEST: usize = 200;
/// Sentences of its answer that are quoted.
const QUOTED: usize = 3;
/// Share of what the user asks about that the text's question says, and of the text's that the user's does.
const SAYS: f64 = 0.75;
const SAID: f64 = 0.5;
/// What the very words of the user's question add to how alike two are.
const WORD_BY_WORD: f64 = 0.1;

/// A question of a text with its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TextQuestion {
    /// Without its marks.
    text: String,
    /// Characters of the text unit that hold it.
    asked: Range<u64>,
    /// Those behind it that hold its answer.
    answer: Range<u64>,
}

/// The questions of the texts, and the answer of the one that the user asks.
pub(super) struct Faq<'c, 'a> {
    /// Where questions stand, by document.
    asked: Vec<(&'c str, Range<u64>)>,
    /// What answers the user's, in its order; empty where no text asks it.
    pub(super) answer: Vec<&'c AnswerCandidate<'a>>,
}

impl<'c, 'a> Faq<'c, 'a> {
    pub(super) fn of(
        question: &Question,
        (concepts, weights): (&[Concept], &[f64]),
        candidates: &'c [AnswerCandidate<'a>],
    ) -> Self {
        let mut found = Self { asked: Vec::new(), answer: Vec::new() };
        let mut best: Option<(f64, &str, Range<u64>)> = None;
        let words = words_of(question);
        for of_unit in candidates.chunk_by(|one, other| std::ptr::eq(one.unit, other.unit)) {
            let Some(unit) = of_unit.first().map(|first| first.unit) else { continue };
            let start = unit.unit.start_offset;
            for TextQuestion { text, asked, answer } in questions_of(unit) {
                let key = unit.document_key.as_str();
                found.asked.push((key, start + asked.start..start + asked.end));
                let within = start + answer.start..start + answer.end;
                let below = of_unit.iter().find(|this| within.contains(&this.start()));
                let above = below.map_or(&[][..], |this| &*this.above);
                let likeness = likeness(&text, question, &words, (concepts, weights), above);
                if likeness > best.as_ref().map_or(0.0, |(best, ..)| *best) {
                    best = Some((likeness, key, start + answer.start..start + answer.end));
                }
            }
        }
        if let Some((_, key, place)) = best {
            let holds = |this: &&AnswerCandidate<'_>| {
                this.unit.document_key == key && place.contains(&this.start()) && !this.is_heading
            };
            found.answer = candidates.iter().filter(holds).take(QUOTED).collect();
        }
        found
    }

    /// Whether a sentence is such a question, or a part of one: it answers nothing.
    pub(super) fn asks(&self, this: &AnswerCandidate<'_>) -> bool {
        self.asked.iter().any(|(key, place)| this.unit.document_key == *key && place.contains(&this.start()))
    }
}

/// The stems of a question's words, with those that say the same.
fn words_of(question: &Question) -> FxHashSet<String> {
    let flat = flatten(&question.text);
    language::words(&flat).iter().flat_map(|word| [stem(word)].into_iter().chain(same(word))).collect()
}

/// From 0, another question, to 1.1, the very same. What stands above the text's question, as its title, it need not say itself.
fn likeness(
    text: &str,
    question: &Question,
    words: &FxHashSet<String>,
    (concepts, weights): (&[Concept], &[f64]),
    above: &[f64],
) -> f64 {
    let all: f64 = weights.iter().sum();
    if all <= 0.0 {
        return 0.0;
    }
    let indexed = IndexedSentence::of(text, &mut StemsOf::default());
    let above = above.iter().copied().chain(std::iter::repeat(0.0));
    let found = concepts.iter().zip(above);
    let found = found.map(|(concept, above)| concept.find(&indexed, text).strength.max(above));
    let says = found.zip(weights).map(|(strength, weight)| strength * weight).sum::<f64>() / all;
    let said = if indexed.is_han() {
        let count = |text: &str| text.chars().filter(|c| is_han(*c)).count().max(1) as f64;
        (count(&question.text) / count(text)).min(1.0)
    } else {
        let meant = |word: &&String| !language::is_stop_word(word) && !questions::is_question_word(word);
        let own = language::words(&indexed.flat);
        let own: Vec<String> = own.iter().filter(meant).map(|word| stem(word)).collect();
        let shared = own.iter().filter(|word| words.contains(*word)).count();
        shared as f64 / own.len().max(1) as f64
    };
    if says >= SAYS && said >= SAID && wants_the_same(text, question) {
        says * said * (1.0 + WORD_BY_WORD * pairs_in_common(text, &question.text))
    } else {
        0.0
    }
}

/// What a question wants to be told, where that is plain from how it asks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Kind(Asks),
    /// How something is done.
    Way,
}

impl Wanted {
    fn of(question: &Question) -> Option<Self> {
        let of_way = || ["怎么", "如何", "怎样"].iter().any(|form| question.text.contains(form));
        match question.asks {
            Asks::Person | Asks::Time | Asks::Number | Asks::Reason => Some(Self::Kind(question.asks)),
            Asks::Thing if question.asks_how || of_way() => Some(Self::Way),
            _ => None,
        }
    }
}

/// Whether a text's question may want what the user's does: 物业费怎么交 is not 物业费是多少, "How do I pay?" not "How much?".
fn wants_the_same(text: &str, question: &Question) -> bool {
    let all = |question: &Question| -> Option<Vec<Wanted>> {
        let clauses =
            if question.clauses.is_empty() { std::slice::from_ref(question) } else { &question.clauses };
        clauses.iter().map(Wanted::of).collect()
    };
    let (Some(wanted), Some(of_text)) =
        (all(question), all(&Question::read(text, &[], FiscalCalendar::default())))
    else {
        return true;
    };
    wanted.iter().any(|one| of_text.contains(one))
}

/// The share of pairs of letters that two texts have in common, from 0 to 1.
fn pairs_in_common(one: &str, other: &str) -> f64 {
    let [one, other] = [one, other].map(|text| letters(text).chars().collect::<Vec<char>>());
    dice_coefficient(&one, &other, 2)
}

/// The questions of a text unit that stand in a line of their own with an answer below.
fn questions_of(unit: &StoredUnit) -> Vec<TextQuestion> {
    let mut found: Vec<TextQuestion> = Vec::new();
    let mut open: Option<TextQuestion> = None;
    let mut is_marked = false;
    let (mut place, mut is_behind_blank) = (0, true);
    for line in unit.unit.text.split_inclusive('\n') {
        let start = place;
        place += line.chars().count() as u64;
        let line = line.trim();
        let is_heading = line.starts_with('#');
        let question = question_in(line, is_behind_blank);
        let is_blank = line.is_empty();
        let has_answer = open.as_ref().is_some_and(|open| !open.answer.is_empty());
        if question.is_some() || is_heading || is_blank && has_answer {
            found.extend(open.take().filter(|_| has_answer));
        }
        if let Some((text, has_marks)) = question {
            let text = text.to_owned();
            open = Some(TextQuestion { text, asked: start..place, answer: place..place });
            is_marked = has_marks;
        } else if let Some(open) = open.as_mut().filter(|_| !is_blank) {
            if open.answer.is_empty() {
                open.answer.start = start;
            }
            open.answer.end = place;
        } else if !is_marked {
            // a plain line and a blank one below: somebody speaks
            open = None;
        }
        is_behind_blank = is_blank;
    }
    found.extend(open.filter(|open| !open.answer.is_empty()));
    found
}

/// The question that a line is, without its marks, and whether it has any: a heading, bold, "Q:". A line without has to stand behind a blank one
/// and to be one sentence.
fn question_in(line: &str, is_behind_blank: bool) -> Option<(&str, bool)> {
    const LABELS: [&str; 8] = ["Q:", "Q.", "Q：", "Question:", "问：", "问:", "问题：", "问题:"];
    let mark = |c: char| matches!(c, '#' | '*' | '_' | ' ');
    let bare = line.trim_matches(mark);
    let label = LABELS.iter().find_map(|label| bare.strip_prefix(label));
    let text = label.unwrap_or(bare).trim_matches(mark);
    let is_bold = line.starts_with("**") && line.ends_with("**");
    let is_marked = line.starts_with('#') || is_bold || label.is_some();
    let asks = text.ends_with(['?', '？']) && text.chars().any(char::is_alphabetic);
    let is_spoken = text.starts_with(['"', '“', '\'', '‘', '「', '『', '|', '>']);
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '。' | '！' | '？');
    let is_one = text.matches(ends).count() == 1;
    let is_own = is_marked || is_behind_blank && is_one;
    (asks && !is_spoken && is_own && text.chars().count() <= LONGEST).then_some((text, is_marked))
}

#[cfg(test)]
mod tests {
    use super::super::tests::unit;
    use super::*;

    #[test]
    fn questions_that_want_another_thing_are_other_questions() {
        let check = |text: &str, asked: &str, expected: bool| {
            let asked = Question::read(asked, &[], FiscalCalendar::default());
            assert_eq!(wants_the_same(text, &asked), expected, "{text} / {}", asked.text);
        };
        check("物业费怎么交？", "物业费是多少？", false);
        check("物业费是多少？", "物业费多少钱？", true);
        check("装修押金多少？什么时候退？", "装修押金什么时候退？", true);
        check("How do I pay the service charge?", "How much is the service charge?", false);
        check("How do I pay the service charge?", "How can I pay the service charge?", true);
        check("Where can I buy a filter?", "How do I buy a filter?", true);
        assert!(
            pairs_in_common("物业费是多少？", "物业费多少") > pairs_in_common("物业费怎么交", "物业费多少")
        );
    }

    #[test]
    fn questions_in_lines_of_their_own_have_the_text_below_as_their_answer() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let unit = unit(text);
            let part = |place: &Range<u64>| -> String {
                let skipped = usize::try_from(place.start).unwrap();
                text.chars().skip(skipped).take(usize::try_from(place.end - place.start).unwrap()).collect()
            };
            let found = questions_of(&unit);
            let found: Vec<(String, String)> =
                found.iter().map(|one| (one.text.clone(), part(&one.answer).trim().to_owned())).collect();
            let found: Vec<(&str, &str)> = found.iter().map(|(q, a)| (q.as_str(), a.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "# FAQ\n\n**Is it safe?**\nNo. It is not.\n\n**The lamp blinks. Why?**\n\nIt is hot.\nWait.\n",
            &[("Is it safe?", "No. It is not."), ("The lamp blinks. Why?", "It is hot.\nWait.")],
        );
        check(
            "## 多少钱？\n\n六十元。\n\n## 何时开门？\n九点。",
            &[("多少钱？", "六十元。"), ("何时开门？", "九点。")],
        );
        check("Q: Who is it?\nA: Ann.\nQ: Where?\n", &[("Who is it?", "A: Ann.")]);
        check("Why is it bitter?\nIt is too hot.\n\nMore.", &[("Why is it bitter?", "It is too hot.")]);
        // speech, and lines of a story
        check("“Who are you?”\n\n“Ask me who I was.”\n", &[]);
        check("Who was he?\n\nNobody knew.\n", &[]);
        check("He was merry. Why not?\nHe had reason.\n", &[]);
        check("They asked him to come,\nbut would he?\nHe did not.", &[]);
        check("**Is it safe?**\n\n# Next\n\nText.", &[]);
    }
}
