//! Answers for front ends that draw Markdown and HTML. A picture in an answer is an address that the front end loads
//! unasked: what a document made a model write there would carry the conversation away.

/// A text that comes in pieces, with nothing in it that is loaded by itself: a picture's mark becomes that of a link, which
/// somebody has to follow, and what would open an element of HTML is a sign.
#[derive(Debug, Default)]
pub(super) struct UnloadedText {
    /// The last sign that was given on.
    last: char,
    /// A sign that waits for the one behind it.
    opening: bool,
}

impl UnloadedText {
    /// What is to be given on after one more piece.
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut given = String::with_capacity(piece.len() + 8);
        for sign in piece.chars() {
            if std::mem::take(&mut self.opening) {
                given.push('<');
                if sign.is_ascii_alphabetic() || matches!(sign, '!' | '?' | '/') {
                    given.push(' ');
                }
                self.last = '<';
            }
            if sign == '<' {
                self.opening = true;
                continue;
            }
            if sign == '[' && self.last == '!' {
                given.push(' ');
            }
            given.push(sign);
            self.last = sign;
        }
        given
    }

    /// What waits at the end.
    pub(super) fn end(&mut self) -> &'static str {
        if std::mem::take(&mut self.opening) { "<" } else { "" }
    }

    /// A whole text.
    pub(super) fn of(text: &str) -> String {
        let mut unloaded = Self::default();
        let mut given = unloaded.push(text);
        given.push_str(unloaded.end());
        given
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_an_answer_is_loaded_by_itself() {
        for (text, given) in [
            ("He is a miser [1].", "He is a miser [1]."),
            ("It rang![2] 3 < 4 <= 5 <-", "It rang! [2] 3 < 4 <= 5 <-"),
            ("![a](http://x.example/?q=b)", "! [a](http://x.example/?q=b)"),
            ("[![a][b]](c)\n\n[b]: http://x.example", "[! [a][b]](c)\n\n[b]: http://x.example"),
            ("!![a](b) \\![a](b) \\\\![a](b)", "!! [a](b) \\! [a](b) \\\\! [a](b)"),
            ("a <img src=x>, <ImG src=x>", "a < img src=x>, < ImG src=x>"),
            ("<<img src=x>>", "<< img src=x>>"),
            ("\\<img src=x>\\\\<p style=x>", "\\< img src=x>\\\\< p style=x>"),
            ("<!--\n--><svg/onload=x></p><?x", "< !--\n-->< svg/onload=x>< /p>< ?x"),
            ("<![CDATA[x]]> <", "< ! [CDATA[x]]> <"),
            ("他很吝啬！[1]", "他很吝啬！[1]"),
        ] {
            assert_eq!(UnloadedText::of(text), given);
            // however it is cut
            for (cut, _) in text.char_indices() {
                let (one, two) = text.split_at(cut);
                let mut unloaded = UnloadedText::default();
                let pieces = [unloaded.push(one), unloaded.push(two), unloaded.end().to_owned()];
                assert_eq!(pieces.concat(), given, "cut at {cut}");
            }
        }
    }
}
