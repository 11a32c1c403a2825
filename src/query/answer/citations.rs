//! The citations of a model's reply, checked against what it was shown: unknown ones are taken out.

use crate::domain::RecordKind;
use crate::llm::reply;

/// Numbers of a kind that one citation keeps.
const CITED_AT_MOST: usize = 5;
/// Bytes after which an open bracket is passed on as it is.
const LONGEST_BRACKET: usize = 1000;

/// A text with citations of unknown records taken out and long lists cut to five with `+more`; and how many numbers
/// were unknown.
pub(in crate::query) fn check_citations(
    text: &str,
    known: &dyn Fn(RecordKind, u32) -> bool,
) -> (String, u64) {
    let mut removed = 0;
    let clean = reply::rewrite(text, |kind, number| {
        if known(kind, number) {
            Some(number.to_string())
        } else {
            removed += 1;
            None
        }
    });
    let mut result = String::with_capacity(clean.len());
    let mut done = 0;
    let groups = reply::find_citations(&clean);
    for bracket in groups.chunk_by(|a, b| a.range == b.range) {
        let Some(range) = bracket.first().map(|group| group.range.clone()) else { continue };
        result.push_str(clean.get(done..range.start).unwrap_or_default());
        done = range.end;
        let shown: Vec<String> = bracket
            .iter()
            .map(|group| {
                let mut numbers: Vec<String> =
                    group.numbers.iter().take(CITED_AT_MOST).map(ToString::to_string).collect();
                if group.more || group.numbers.len() > CITED_AT_MOST {
                    numbers.push("+more".to_owned());
                }
                format!("{} ({})", reply::kind_title(group.kind), numbers.join(", "))
            })
            .collect();
        result.extend([format!("[Data: {}]", shown.join(", "))]);
    }
    result.push_str(clean.get(done..).unwrap_or_default());
    (result, removed)
}

/// Checks a reply as it comes: what may still become a citation is held back until it has closed.
pub(super) struct CitationChecker<'a> {
    known: &'a (dyn Fn(RecordKind, u32) -> bool + Sync),
    pending: String,
    pub(super) checked: String,
    pub(super) removed: u64,
}

impl<'a> CitationChecker<'a> {
    pub(super) fn new(known: &'a (dyn Fn(RecordKind, u32) -> bool + Sync)) -> Self {
        Self { known, pending: String::new(), checked: String::new(), removed: 0 }
    }

    /// The next piece of a reply; returns what may be passed on.
    pub(super) fn push(&mut self, piece: &str) -> String {
        self.pending.push_str(piece);
        let open = self.pending.rfind(['[', '【', '［', '〔']).filter(|at| {
            let rest = self.pending.get(*at..).unwrap_or_default();
            !rest.contains([']', '】', '］', '〕']) && rest.len() < LONGEST_BRACKET
        });
        // white space before a citation goes with it
        let end = self.pending.get(..open.unwrap_or(self.pending.len())).unwrap_or_default().trim_end().len();
        let held = self.pending.split_off(end);
        let ready = std::mem::replace(&mut self.pending, held);
        self.check(&ready)
    }

    /// What was still held back.
    pub(super) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.pending);
        self.check(rest.trim_end())
    }

    fn check(&mut self, text: &str) -> String {
        let (checked, removed) = check_citations(text, self.known);
        self.removed += removed;
        self.checked.push_str(&checked);
        checked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_known(kind: RecordKind, number: u32) -> bool {
        kind == RecordKind::Sources && number <= 8
    }

    #[test]
    fn unknown_numbers_go_and_long_lists_are_cut() {
        let check = |text: &str, expected: &str, removed: u64| {
            assert_eq!(check_citations(text, &is_known), (expected.to_owned(), removed));
        };
        check("He is a clerk [Data: Sources (1, 99)].", "He is a clerk [Data: Sources (1)].", 1);
        check("He is a clerk [Data: Reports (1)].", "He is a clerk.", 1);
        check("So [Data: Sources (1, 2, 3, 4, 5, 6)].", "So [Data: Sources (1, 2, 3, 4, 5, +more)].", 0);
        check("No citation [here].", "No citation [here].", 0);
    }

    proptest! {
        #[test]
        fn a_stream_is_checked_as_the_whole_is(cuts in proptest::collection::vec(0_usize..90, 0..8)) {
            let text = "A clerk [Data: Sources (1, 99)]. 他是[数据：来源（2）] so [x] and [Data: Reports (7)] [Data: Sources (3)].";
            let mut borders: Vec<usize> =
                cuts.into_iter().filter(|at| text.is_char_boundary(*at)).collect();
            borders.sort_unstable();
            let mut checker = CitationChecker::new(&is_known);
            let mut at = 0;
            for border in borders {
                checker.push(&text[at..border]);
                at = border;
            }
            checker.push(&text[at..]);
            checker.finish();
            prop_assert_eq!((checker.checked, checker.removed), check_citations(text, &is_known));
        }
    }
}
