//! What an answer quotes: whole sentences, with the speech that begins in them.

use super::quotes::{QUOTE_CHARACTERS, quotable};
use crate::language::words::is_han;

/// Most characters of Chinese sentences that belong together: some four hundred letters of English.
const HAN_CHARACTERS: usize = 180;

/// Most characters of sentences that are quoted together.
pub(super) fn quoted_together(text: &str) -> usize {
    if text.chars().any(is_han) { HAN_CHARACTERS } else { QUOTE_CHARACTERS }
}

/// Sentences with their places in Unicode scalar values, as [`quotable`] gives them; those between the marks of one
/// quotation, and the parts of a Chinese sentence before and behind `；`, are one where they are short enough together.
pub(super) fn runs(unit: &str) -> Vec<(u64, u64, &str)> {
    let pieces = quotable(unit);
    let mut joined: Vec<(u64, u64, &str)> = Vec::new();
    let mut open: Option<Quotation> = None;
    for (mut start, end, mut text) in pieces {
        // the mark that closes a quotation belongs to the sentence before
        if let Some(rest) = text.strip_prefix(['"', '”', '」', '』']).filter(|_| closes(unit, text)) {
            let mark = text.len() - rest.len();
            if let (Some(_), Some(last)) = (open.take(), joined.last_mut())
                && let Some(longer) = between(unit, last.2, text, mark)
            {
                *last = (last.0, start + 1, longer);
            }
            let trimmed = rest.trim_start();
            start += (text.chars().count() - trimmed.chars().count()) as u64;
            text = trimmed;
        }
        if text.is_empty() {
            continue;
        }
        if let (Some(before), Some(last)) = (&mut open, joined.last_mut()) {
            let limit = quoted_together(text) as u64;
            let whole = between(unit, last.2, text, text.len());
            let fits = |whole: &&str| {
                end.saturating_sub(last.0) <= limit && (before.is_inside() || !whole.contains("\n\n"))
            };
            if let Some(whole) = whole.filter(fits) {
                *last = (last.0, end, whole);
                before.read(text);
                if !before.is_open(text) {
                    open = None;
                }
                continue;
            }
        }
        joined.push((start, end, text));
        let mut quotation = Quotation::default();
        quotation.read(text);
        open = quotation.is_open(text).then_some(quotation);
    }
    joined
}

/// From the beginning of one piece of the unit to so many bytes of a later one.
fn between<'a>(unit: &'a str, first: &str, last: &str, bytes: usize) -> Option<&'a str> {
    unit.get(place_in(unit, first)..place_in(unit, last) + bytes)
}

fn place_in(unit: &str, piece: &str) -> usize {
    (piece.as_ptr() as usize).saturating_sub(unit.as_ptr() as usize)
}

/// Whether the mark that a piece begins with closes a quotation: behind the end of a sentence, or at the beginning of the
/// unit before another opening one. In Chinese a quotation opens behind a colon or a comma.
fn closes(unit: &str, text: &str) -> bool {
    if text.starts_with(['”', '」', '』']) {
        return true;
    }
    let before = unit.get(..place_in(unit, text)).unwrap_or_default();
    let last = before.trim_end().chars().next_back();
    let han = text.chars().take(6).any(is_han);
    han && !matches!(last, Some('：' | ':' | '，' | '、'))
}

/// Marks of quotation seen so far.
#[derive(Clone, Copy, Debug, Default)]
struct Quotation {
    depth: i32,
    straight: usize,
    han: bool,
}

impl Quotation {
    fn read(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '“' | '「' | '『' => self.depth += 1,
                '”' | '」' | '』' => self.depth -= 1,
                '"' => self.straight += 1,
                _ => self.han |= is_han(c),
            }
        }
    }

    /// Whether a quotation is open.
    fn is_inside(self) -> bool {
        self.depth > 0 || self.straight % 2 == 1
    }

    /// Whether what has been read goes on in the next sentence. In English a quotation may run over a page; only in
    /// Chinese, where the speaker stands before the marks, does it belong to its sentence.
    fn is_open(&self, last: &str) -> bool {
        // what stands behind an opening mark does not end with it
        let straight = self.straight % 2 == 1 && !last.ends_with('"');
        self.han && (self.depth > 0 || straight || last.ends_with(['；', '：', '，', '、', ';', ':', ',']))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speech_belongs_to_the_sentence_that_it_begins_in() {
        let texts = |text| runs(text).into_iter().map(|run| run.2).collect::<Vec<_>>();
        let check = |text, wanted: &[&str]| assert_eq!(texts(text), wanted);
        check("操曰：“善。吾去也。”众皆喜。", &["操曰：“善。吾去也。”", "众皆喜。"]);
        check("操曰：\"善。吾去也。\"众皆喜。", &["操曰：\"善。吾去也。\"", "众皆喜。"]);
        check(
            "别图大事。\"坚曰：\"善。吾去。\"众皆喜。",
            &["别图大事。\"", "坚曰：\"善。吾去。\"", "众皆喜。"],
        );
        check("一人出；一人入。众喜。", &["一人出；一人入。", "众喜。"]);
        check("一人出;一人入。众喜。", &["一人出;一人入。", "众喜。"]);
        check("He said: “Go.” She went.", &["He said: “Go.”", "She went."]);
        let long = format!("操曰：“{}”", "甲。".repeat(200));
        assert!(texts(&long).len() > 1, "never longer than may be quoted");
        let places = runs("操曰：“善。吾去也。”众皆喜。");
        assert_eq!(places.iter().map(|run| (run.0, run.1)).collect::<Vec<_>>(), [(0, 11), (11, 15)]);
    }
}
