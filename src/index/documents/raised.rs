//! Raised and lowered text as plain text: `[1]` for the mark of a note, `^6` for an exponent. Formats that know more than
//! how text stands say which it is; here it is told by what stands before.

/// Fewest letters of a word that a raised number is no exponent of: `cm^2`, but `affidavit[2]`.
const WORD: usize = 3;
/// Letters that make a number an ordinal one, as in French, Italian and Spanish.
const ORDINAL: [char; 6] = ['e', 'o', 'a', 'è', 'º', 'ª'];
/// Most characters of a run that is a mark or an exponent.
const LONGEST: usize = 12;

/// How text stands to its line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stance {
    #[default]
    Plain,
    Raised,
    Lowered,
}

/// A text that is put together of pieces, each with how it stands; those of one stance that follow each other are one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    text: String,
    open: String,
    stance: Stance,
}

impl Runs {
    /// Appends a piece.
    pub(super) fn push(&mut self, piece: &str, stance: Stance) {
        if stance != self.stance {
            self.flush();
            self.stance = stance;
        }
        let target = if stance == Stance::Plain { &mut self.text } else { &mut self.open };
        target.push_str(piece);
    }

    /// Appends a piece on the line.
    pub(super) fn push_plain(&mut self, piece: &str) {
        self.push(piece, Stance::Plain);
    }

    /// Whether the text so far ends with a space.
    pub(super) fn ends_with_space(&self) -> bool {
        if self.open.is_empty() { self.text.ends_with(' ') } else { self.open.ends_with(' ') }
    }

    /// The whole text.
    pub(super) fn finish(mut self) -> String {
        self.flush();
        self.text
    }

    fn flush(&mut self) {
        let run = std::mem::take(&mut self.open);
        match self.stance {
            Stance::Plain => {}
            Stance::Raised => push(&mut self.text, &run),
            Stance::Lowered => push_lowered(&mut self.text, &run),
        }
        if run.ends_with(char::is_whitespace) {
            self.text.push(' ');
        }
    }
}

/// Appends raised text.
pub(super) fn push(text: &mut String, run: &str) {
    let run = run.trim();
    let Some(first) = run.chars().next() else { return };
    let has_digits = run.chars().any(|c| c.is_ascii_digit());
    let is_plain = first == '[' || first == '^' || run.chars().count() > LONGEST;
    let before = text.chars().next_back();
    let is_behind_digit = before.is_some_and(|c| c.is_ascii_digit());
    if is_plain {
        text.push_str(run);
    } else if !has_digits {
        // an ordinal number's letters, a trade mark, an asterisk
        let is_exponent = is_behind_digit
            && run.chars().count() == 1
            && first.is_alphabetic()
            && !ORDINAL.contains(&first.to_ascii_lowercase());
        text.push_str(if is_exponent { "^" } else { "" });
        text.push_str(run);
    } else if ['-', '−', '+', '–'].contains(&first) || is_behind_digit || is_unit(text) {
        text.push('^');
        text.push_str(run);
    } else {
        text.push_str(&mark(run));
    }
}

/// The mark of a note in brackets.
pub(super) fn mark(run: &str) -> String {
    let bare = run.trim().trim_matches(['(', ')', '[', ']', '.']);
    format!("[{bare}]")
}

/// Appends lowered text: with nothing between, but where it would become a part of the number before.
pub(super) fn push_lowered(text: &mut String, run: &str) {
    let run = run.trim();
    let ends_in_digit = text.ends_with(|c: char| c.is_ascii_digit());
    if ends_in_digit && run.starts_with(|c: char| c.is_ascii_digit()) {
        text.push('_');
    }
    text.push_str(run);
}

/// Whether a text ends with letters that are too few for a word: a unit, or what a formula counts with.
fn is_unit(text: &str) -> bool {
    let letters = text.chars().rev().take_while(|c| c.is_alphabetic()).take(WORD).count();
    (1..WORD).contains(&letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_raised_or_lowered_changes_no_number() {
        let raised = |before: &str, run: &str| {
            let mut text = before.to_owned();
            push(&mut text, run);
            text
        };
        assert_eq!(raised("rose to 45", "1"), "rose to 45^1");
        assert_eq!(raised("filed in 1843.", "1"), "filed in 1843.[1]");
        assert_eq!(raised("the affidavit", "12"), "the affidavit[12]");
        assert_eq!(raised("41 m", "2"), "41 m^2");
        assert_eq!(raised("10", "−6"), "10^−6");
        assert_eq!(raised("the 1", "st"), "the 1st");
        assert_eq!(raised("le 2", "e"), "le 2e");
        assert_eq!(raised("is 2", "n"), "is 2^n");
        assert_eq!(raised("wiki", "[4]"), "wiki[4]");
        let mut text = "H".to_owned();
        push_lowered(&mut text, "2");
        assert_eq!(text, "H2");
        push_lowered(&mut text, "10");
        assert_eq!(text, "H2_10");
        let mut runs = Runs::default();
        runs.push("45", Stance::Plain);
        runs.push("1", Stance::Raised);
        runs.push("2", Stance::Raised);
        runs.push_plain(" times");
        assert_eq!(runs.finish(), "45^12 times");
    }
}
