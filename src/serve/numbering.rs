//! Citations as readers see them: every record that an answer cites gets a number, in the order of the text.

use crate::domain::RecordKind;
use crate::llm::reply;

/// The numbers given so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbering {
    cited: Vec<(RecordKind, usize)>,
}

impl Numbering {
    /// A piece of an answer with `[1][2]` in place of its citations; no citation may go beyond the piece.
    pub(crate) fn piece(&mut self, text: &str) -> String {
        let groups = reply::find_citations(text);
        let mut written = String::with_capacity(text.len());
        let mut done = 0;
        for bracket in groups.chunk_by(|a, b| a.range == b.range) {
            let Some(range) = bracket.first().map(|group| group.range.clone()) else { continue };
            written.push_str(text.get(done..range.start).unwrap_or_default());
            done = range.end;
            for group in bracket {
                for number in group.numbers.iter().filter_map(|number| usize::try_from(*number).ok()) {
                    written.push_str(&format!("[{}]", self.of(group.kind, number)));
                }
            }
        }
        written.push_str(text.get(done..).unwrap_or_default());
        written
    }

    /// The number of a record, given now where it had none.
    pub(crate) fn of(&mut self, kind: RecordKind, number: usize) -> usize {
        let known = self.cited.iter().position(|cited| *cited == (kind, number));
        known.unwrap_or_else(|| {
            self.cited.push((kind, number));
            self.cited.len() - 1
        }) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_numbered_in_the_order_of_the_text() {
        let mut numbering = Numbering::default();
        assert_eq!(numbering.piece("A clerk [Data: Sources (4, 2)]."), "A clerk [1][2].");
        assert_eq!(numbering.piece(" 他 [Data: Reports (4), Sources (2)]"), " 他 [3][2]");
        assert_eq!(numbering.piece("plain [x] 𠮷"), "plain [x] 𠮷");
    }
}
