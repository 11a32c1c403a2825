//! Token counts of the configured encoding.

use anyhow::{Result, bail};
use std::sync::OnceLock;
use tiktoken_rs::CoreBPE;

/// Counts tokens. The vocabulary is loaded at the first count and kept for the life of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// GPT-4o and later.
    O200kBase,
    /// GPT-4 and GPT-3.5.
    Cl100kBase,
}

impl Tokens {
    /// The encoding of that name.
    ///
    /// # Errors
    /// Any other name than `o200k_base` or `cl100k_base`.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "o200k_base" => Ok(Self::O200kBase),
            "cl100k_base" => Ok(Self::Cl100kBase),
            other => bail!(
                "unknown encoding {other:?} in [text_units] encoding; use \"o200k_base\" or \"cl100k_base\""
            ),
        }
    }

    /// Number of tokens of a text, special tokens counted as the text they are.
    pub fn count(self, text: &str) -> usize {
        self.bpe().map_or(text.len() / 4, |bpe| bpe.encode_ordinary(text).len())
    }

    /// The longest prefix of a text (at a character border) of at most `limit` tokens.
    pub fn truncate(self, text: &str, limit: usize) -> &str {
        if text.len() <= limit || self.count(text) <= limit {
            return text;
        }
        let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let fits = borders.partition_point(|&at| self.count(text.get(..at).unwrap_or("")) <= limit);
        borders.get(fits.saturating_sub(1)).and_then(|&at| text.get(..at)).unwrap_or("")
    }

    /// The encoder itself, where a caller needs the tokens; `None` only if the bundled vocabulary cannot be read.
    pub fn bpe(self) -> Option<&'static CoreBPE> {
        static O200K: OnceLock<Option<CoreBPE>> = OnceLock::new();
        static CL100K: OnceLock<Option<CoreBPE>> = OnceLock::new();
        match self {
            Self::O200kBase => O200K.get_or_init(|| tiktoken_rs::o200k_base().ok()).as_ref(),
            Self::Cl100kBase => CL100K.get_or_init(|| tiktoken_rs::cl100k_base().ok()).as_ref(),
        }
    }
}
