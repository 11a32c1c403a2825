//! The vocabulary of an encoding as it lies in the program, and byte pair encoding with it (Sennrich et al. 2016).

use super::layout::hash;
use std::sync::OnceLock;

/// Tokens and their ranks: the lower a token's rank, the earlier its parts are joined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vocabulary {
    /// Where each token begins, and where the last one ends.
    borders: &'static [[u8; 4]],
    slots: &'static [[u8; 4]],
    bytes: &'static [u8],
}

impl Vocabulary {
    /// That of `o200k_base`.
    pub(super) fn o200k() -> Self {
        static TABLE: OnceLock<Vocabulary> = OnceLock::new();
        *TABLE.get_or_init(|| Self::of(include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.table"))))
    }

    /// That of `cl100k_base`.
    pub(super) fn cl100k() -> Self {
        static TABLE: OnceLock<Vocabulary> = OnceLock::new();
        *TABLE.get_or_init(|| Self::of(include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.table"))))
    }

    fn of(table: &'static [u8]) -> Self {
        let (numbers, _) = table.as_chunks::<4>();
        let number = |at: usize| numbers.get(at).map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize);
        let (borders, slots) = (3 + number(0), 3 + number(0) + number(1));
        Self {
            borders: numbers.get(2..borders).unwrap_or_default(),
            slots: numbers.get(borders..slots).unwrap_or_default(),
            bytes: table.get(slots * 4..).unwrap_or_default(),
        }
    }

    /// The rank of a token.
    fn rank(&self, token: &[u8]) -> Option<u32> {
        let mut slot = hash(token) % self.slots.len().max(1);
        loop {
            let rank = u32::from_le_bytes(*self.slots.get(slot)?).checked_sub(1)?;
            if self.token(rank as usize)? == token {
                return Some(rank);
            }
            slot = (slot + 1) % self.slots.len();
        }
    }

    fn token(&self, rank: usize) -> Option<&'static [u8]> {
        let border = |at: usize| Some(u32::from_le_bytes(*self.borders.get(at)?) as usize);
        self.bytes.get(border(rank)?..border(rank + 1)?)
    }

    /// Tokens of a piece. Takes time with the square of its length.
    pub(super) fn count(&self, piece: &[u8]) -> usize {
        if piece.len() < 2 || self.rank(piece).is_some() {
            return piece.len().min(1);
        }
        let mut borders: Vec<usize> = (0..=piece.len()).collect();
        // of each part and the next one joined
        let joined = |borders: &[usize], part: usize| {
            let range = borders.get(part).zip(borders.get(part + 2));
            let bytes = range.and_then(|(start, end)| piece.get(*start..*end));
            bytes.and_then(|bytes| self.rank(bytes)).unwrap_or(u32::MAX)
        };
        let mut ranks: Vec<u32> = (0..piece.len() - 1).map(|part| joined(&borders, part)).collect();
        while let Some((part, _)) =
            ranks.iter().enumerate().min_by_key(|(_, rank)| **rank).filter(|(_, rank)| **rank < u32::MAX)
        {
            borders.remove(part + 1);
            ranks.remove(part);
            for part in [Some(part), part.checked_sub(1)].into_iter().flatten() {
                if let Some(rank) = ranks.get_mut(part) {
                    *rank = joined(&borders, part);
                }
            }
        }
        borders.len() - 1
    }
}
