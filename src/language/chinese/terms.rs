//! Chinese terms: nouns and compounds that recur in the unit.

use super::ChineseToken;
use crate::language::mention::{MentionRank, NameKind, NameMention};
use crate::language::vocabulary::chinese::{FALSE_NAMES, GENERAL_NOUNS_CHINESE, TITLES};
use crate::language::vocabulary::holds;
use crate::language::words::is_han;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Times that a single noun must recur in a unit.
const SINGLE_RECURS: u32 = 3;
/// One term for so many words of the unit.
const WORDS_PER_TERM: usize = 80;

/// The terms of a unit.
pub(crate) struct ChineseTerms {
    chosen: FxHashSet<String>,
}

impl ChineseTerms {
    /// Terms of a unit: nouns that recur and compounds that recur, by score, then first occurrence.
    pub(crate) fn of(sentences: &[Vec<ChineseToken<'_>>]) -> Self {
        let mut counts: FxHashMap<String, (u32, usize, usize)> = FxHashMap::default();
        let mut word_total = 0;
        for tokens in sentences {
            word_total += tokens.len();
            for first in 0..tokens.len() {
                for end in first + 1..=(first + 3).min(tokens.len()) {
                    let Some(part) = tokens.get(first..end) else { continue };
                    if !is_phrase(part) {
                        break;
                    }
                    let place = counts.len();
                    let name: String = part.iter().map(|token| token.text).collect();
                    counts.entry(name).or_insert((0, part.len(), place)).0 += 1;
                }
            }
        }
        let mut ranked: Vec<_> = counts
            .into_iter()
            .filter(|(name, (count, words, _))| {
                let least = if *words > 1 { 2 } else { SINGLE_RECURS };
                *count >= least
                    && !holds(GENERAL_NOUNS_CHINESE, name)
                    && !holds(FALSE_NAMES, name)
                    && !holds(TITLES, name)
            })
            .collect();
        ranked.sort_by_key(|(_, (count, words, place))| (std::cmp::Reverse(*count as usize * words), *place));
        Self {
            chosen: ranked.into_iter().take(3 + word_total / WORDS_PER_TERM).map(|(name, _)| name).collect(),
        }
    }

    /// The chosen terms of a sentence outside what is taken; the longest at each place.
    pub(crate) fn find(
        &self,
        text: &str,
        tokens: &[ChineseToken<'_>],
        taken: &[Range<usize>],
    ) -> Vec<NameMention> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let hit = (at + 1..=(at + 3).min(tokens.len())).rev().find_map(|end| {
                let range = token.range.start..tokens.get(end - 1)?.range.end;
                let name = text.get(range.clone())?;
                self.chosen.contains(name).then_some((end, range))
            });
            let Some((end, range)) = hit else {
                at += 1;
                continue;
            };
            if taken.iter().all(|other| other.end <= range.start || range.end <= other.start) {
                let name = text.get(range.clone()).unwrap_or("");
                found.push(NameMention::new(name, range, MentionRank::Term, vec![(NameKind::Concept, 1)]));
            }
            at = end;
        }
        found
    }
}

/// Whether adjacent words make a noun phrase so far: known nouns of two characters and more.
fn is_phrase(tokens: &[ChineseToken<'_>]) -> bool {
    tokens.iter().all(|token| {
        token.is_known
            && token.character_count > 1
            && token.text.chars().all(is_han)
            && matches!(token.tag, "n" | "nz" | "vn" | "an" | "j")
            && !holds(GENERAL_NOUNS_CHINESE, token.text)
    }) && tokens
        .windows(2)
        .all(|pair| pair.first().map(|t| t.range.end) == pair.last().map(|t| t.range.start))
}
