//! Citations as readers see them: every record that an answer cites gets a number, in the order of the text.

use crate::domain::RecordKind;
use crate::llm::reply;
use std::ops::Range;

/// The numbers given so far.
#[derive(Clone, Debug, Default)]
pub struct RecordNumbering {
    cited: Vec<(RecordKind, usize)>,
}

impl RecordNumbering {
    /// A piece of an answer with `[1][2]` in place of its citations; no citation may go beyond the piece.
    pub fn piece(&mut self, text: &str) -> String {
        replaced(text, |records| records.iter().map(|(kind, number)| self.of(*kind, *number)).collect())
    }

    /// The number of a record, given now where it had none.
    pub fn of(&mut self, kind: RecordKind, number: usize) -> usize {
        let known = self.cited.iter().position(|cited| *cited == (kind, number));
        known.unwrap_or_else(|| {
            self.cited.push((kind, number));
            self.cited.len() - 1
        }) + 1
    }
}

/// Numbers for the citations of an answer as it comes, one for each record at each place: where a record leads to is told
/// when the answer is whole, and may be another sentence at another place.
#[derive(Clone, Debug, Default)]
pub struct PlaceNumbering {
    given: usize,
}

impl PlaceNumbering {
    /// A piece of an answer with `[1][2]` in place of its citations; no citation may go beyond the piece.
    pub fn piece(&mut self, text: &str) -> String {
        replaced(text, |records| records.iter().map(|_| self.number()).collect())
    }

    /// The next number.
    pub fn number(&mut self) -> usize {
        self.given += 1;
        self.given
    }
}

/// A text without its numbered citations, `[1]` and `[2, 3]`: they belong to passages that are not shown any more.
pub fn without_numbers(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let mark = after.split_once(']').filter(|(inside, _)| {
            !inside.is_empty() && inside.chars().all(|c| c.is_ascii_digit() || c == ',' || c == ' ')
        });
        rest = if let Some((_, behind)) = mark {
            plain.push_str(before.trim_end_matches(' '));
            behind
        } else {
            plain.push_str(before);
            plain.push('[');
            after
        };
    }
    plain.push_str(rest);
    plain
}

/// A bracket of a text and the records that it cites.
type Bracket = (Range<usize>, Vec<(RecordKind, usize)>);

/// The records that each bracket of a text cites, in order and each once, with the place of the bracket.
pub(super) fn brackets(text: &str) -> Vec<Bracket> {
    let groups = reply::find_citations(text);
    groups
        .chunk_by(|a, b| a.range == b.range)
        .filter_map(|bracket| {
            let range = bracket.first()?.range.clone();
            let mut records: Vec<(RecordKind, usize)> = Vec::new();
            for group in bracket {
                for number in group.numbers.iter().filter_map(|number| usize::try_from(*number).ok()) {
                    if !records.contains(&(group.kind, number)) {
                        records.push((group.kind, number));
                    }
                }
            }
            Some((range, records))
        })
        .collect()
}

/// A text with numbers in place of its citations.
fn replaced(text: &str, mut numbers: impl FnMut(&[(RecordKind, usize)]) -> Vec<usize>) -> String {
    let mut written = String::with_capacity(text.len());
    let mut done = 0;
    for (range, records) in brackets(text) {
        written.push_str(text.get(done..range.start).unwrap_or_default());
        done = range.end;
        written.extend(numbers(&records).iter().map(|number| format!("[{number}]")));
    }
    written.push_str(text.get(done..).unwrap_or_default());
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_kept_without_its_numbers() {
        let check = |text: &str, expected: &str| assert_eq!(without_numbers(text), expected);
        check("Bob is a clerk. [1] He has a son [2, 3].", "Bob is a clerk. He has a son.");
        check("A list [of things] and [", "A list [of things] and [");
        check("\u{66f9}\u{64cd}\u{3002}[1]", "\u{66f9}\u{64cd}\u{3002}");
    }

    #[test]
    fn records_are_numbered_in_the_order_of_the_text() {
        let mut numbering = RecordNumbering::default();
        assert_eq!(numbering.piece("A clerk [Data: Sources (4, 2)]."), "A clerk [1][2].");
        assert_eq!(numbering.piece(" 他 [Data: Reports (4), Sources (2)]"), " 他 [3][2]");
        assert_eq!(numbering.piece("plain [x] 𠮷"), "plain [x] 𠮷");
        let mut counting = PlaceNumbering::default();
        assert_eq!(counting.piece("A clerk [Data: Sources (4, 2, 4)]."), "A clerk [1][2].");
        assert_eq!(counting.piece(" 他 [Data: Sources (2)]"), " 他 [3]");
    }
}
