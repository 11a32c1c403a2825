//! How the tokens of a context are counted.

use crate::tokens::Tokens;

/// How tokens are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenCounting {
    /// By the encoding, whose vocabulary takes a tenth of a second to load.
    Exact(Tokens),
    /// By a rule of thumb, some percent too high on English and Chinese: where no model is going to read it.
    Estimate,
}

impl TokenCounting {
    /// Tokens of a text.
    pub fn count(self, text: &str) -> usize {
        match self {
            Self::Exact(tokens) => tokens.count(text),
            Self::Estimate => estimate(text),
        }
    }
}

/// A word of up to eight letters is a token, and so is any character of a script without spaces and any mark.
fn estimate(text: &str) -> usize {
    let mut count = 0;
    let mut run = 0;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            run += 1;
            if run % 8 == 1 {
                count += 1;
            }
        } else {
            run = 0;
            count += usize::from(!c.is_whitespace());
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_near_and_rather_too_high() {
        for text in [
            "The door of Scrooge's counting-house was open, that he might keep his eye upon his clerk.",
            "念刘备、关羽、张飞，虽然异姓，既结为兄弟，则同心协力，救困扶危。",
        ] {
            let (exact, near) = (Tokens::O200kBase.count(text) as f64, estimate(text) as f64);
            assert!(near >= 0.95 * exact && near <= 1.6 * exact, "{exact} {near} {text}");
        }
    }
}
