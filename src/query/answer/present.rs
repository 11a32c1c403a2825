//! Which sentence of a document tells how something is now, where a question asks for that: a text may give the figure of
//! then first, and the one of now later.

use super::candidates::AnswerCandidate;
use crate::language::tenses::{Holds, comes, holds, last_year, only_leaves};
use crate::language::words::is_han;
use crate::query::question::{Asks, Question};
use std::collections::BTreeSet;

/// What a sentence counts that says "now", that tells of a change, and that says that it is no more.
const NOW: f64 = 1.0;
const LATER: f64 = 0.6;
const ONCE: f64 = -0.6;
/// What the last year counts that a document tells where its sentence says no more of that.
const LAST: f64 = 0.8;
/// What all that counts where a question only is in the present tense: "How high is the toll?".
const MEANT: f64 = 0.5;

/// For each candidate, from -0.6 to 1, whether it tells how it is now; all 0 where the question does not ask for that.
pub(super) fn presently(question: &Question, candidates: &[AnswerCandidate<'_>]) -> Vec<f64> {
    if asks_holder(question) {
        return candidates.iter().map(|this| of_office(&this.indexed.flat)).collect();
    }
    if asks_who_is(question) {
        // who was it before is not who it is
        let left = |this: &AnswerCandidate<'_>| if only_leaves(&this.indexed.flat) { ONCE } else { 0.0 };
        return candidates.iter().map(left).collect();
    }
    let share = match (question.newest, is_in_present(question)) {
        _ if !question.periods.is_empty() || question.over_time => 0.0,
        (true, _) => 1.0,
        (false, true) => MEANT,
        (false, false) => 0.0,
    };
    if share <= 0.0 {
        return vec![0.0; candidates.len()];
    }
    let mut told = Vec::with_capacity(candidates.len());
    for document in candidates.chunk_by(|one, other| one.unit.document_key == other.unit.document_key) {
        let year_of = |this: &AnswerCandidate<'_>| {
            let speaks = this.around.iter().any(|around| *around > 0.0);
            if speaks { last_year(&this.indexed.flat) } else { None }
        };
        let years: BTreeSet<i32> = document.iter().filter_map(year_of).collect();
        told.extend(
            document.iter().map(|this| share * value(holds(&this.indexed.flat), year_of(this), &years)),
        );
    }
    told
}

/// What a sentence counts that tells only that somebody leaves an office, where it is asked who holds it now.
const LEAVES: f64 = -1.0;

/// Whether a question asks who holds an office now: "Who is the new treasurer?", 现在的会计是谁.
pub(super) fn asks_holder(question: &Question) -> bool {
    const NEW: [&str; 3] = ["new", "current", "present"];
    if !matches!(question.asks, Asks::Person | Asks::Definition) || question.over_time {
        return false;
    }
    let text = question.text.to_lowercase();
    let says_new = text.split(|c: char| !c.is_alphanumeric()).any(|word| NEW.contains(&word));
    question.newest
        || says_new
        || ["新任", "现任", "新的", "接任", "接替"].iter().any(|form| text.contains(form))
}

/// Whether a question asks who somebody is by what he is: "Who is the treasurer of the club?", 医院的院长是谁.
pub(super) fn asks_who_is(question: &Question) -> bool {
    let text = question.text.to_lowercase();
    matches!(question.asks, Asks::Person | Asks::Definition)
        && question.periods.is_empty()
        && !question.over_time
        && (text.starts_with("who is the ")
            || text.contains('的') && text.trim_end_matches(['？', '?']).ends_with("是谁"))
        && !["former", "before", "after", "前任", "以前", "原来", "之前", "最早", "第一", "当时"]
            .iter()
            .any(|form| text.contains(form))
}

/// From -1 to 1: whether a sentence tells who holds an office now.
fn of_office(flat: &str) -> f64 {
    match holds(flat) {
        _ if only_leaves(flat) => LEAVES,
        Holds::Now => NOW,
        _ if comes(flat) => NOW,
        Holds::Later => LATER,
        Holds::Once => ONCE,
        Holds::Unsaid => 0.0,
    }
}

/// From -0.6 to 1, by what a sentence says and by its place among the years that its document tells.
fn value(holds: Holds, year: Option<i32>, years: &BTreeSet<i32>) -> f64 {
    let by_year = year
        .filter(|_| years.len() > 1)
        .map_or(0.0, |year| LAST * years.range(..year).count() as f64 / (years.len() - 1) as f64);
    match holds {
        Holds::Now => NOW,
        Holds::Later => by_year.max(LATER),
        Holds::Once => ONCE,
        Holds::Unsaid => by_year,
    }
}

/// Whether an English question asks for a number in the present tense.
fn is_in_present(question: &Question) -> bool {
    if question.asks != Asks::Number && !question.is_quantity || question.text.chars().any(is_han) {
        return false;
    }
    let text = question.text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let says = |forms: &[&str]| words.iter().any(|word| forms.contains(word));
    says(&["is", "are", "does", "do", "has", "have"])
        && !says(&["was", "were", "did", "had", "been", "will", "would"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::FiscalCalendar;

    #[test]
    fn who_holds_an_office_now_is_not_who_left_it() {
        assert!(of_office("the treasurer, ann lee, resigned in may.") < 0.0);
        assert!(of_office("ann lee resigned, and ben cole took over.") > 0.5);
        assert!(of_office("the treasurer is ann lee.") >= 0.0);
        let asks = |text: &str| asks_holder(&Question::read(text, &[], FiscalCalendar::default()));
        assert!(asks("Who is the new treasurer?") && asks("现在的会计是谁？"));
        assert!(!asks("Who is the treasurer?") && !asks("What is the new fee?"));
        let is = |text: &str| asks_who_is(&Question::read(text, &[], FiscalCalendar::default()));
        assert!(is("Who is the treasurer of the club?") && is("医院的院长是谁？"));
        assert!(!is("Who was the treasurer?") && !is("医院以前的院长是谁？") && !is("书是谁送的？"));
    }

    #[test]
    fn the_last_year_of_a_document_tells_how_it_is_now() {
        let years = BTreeSet::from([1900, 1921, 1958]);
        let check = |holds, year, expected: f64| {
            assert!((value(holds, year, &years) - expected).abs() < 1e-9, "{year:?}");
        };
        check(Holds::Unsaid, Some(1900), 0.0);
        check(Holds::Unsaid, Some(1921), 0.4);
        check(Holds::Unsaid, Some(1958), 0.8);
        check(Holds::Once, Some(1958), -0.6);
        check(Holds::Now, Some(1900), 1.0);
        check(Holds::Unsaid, None, 0.0);
    }
}
