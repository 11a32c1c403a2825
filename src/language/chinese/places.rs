//! Chinese places that the segmenter does not know: 白鹿｜河, 平江｜路, 浙江绍兴人.

use super::ChineseToken;
use super::candidate::NameCandidate;
use crate::language::mention::NameKind;
use crate::language::vocabulary::chinese::COMMON;
use crate::language::words::{is_han, segmenter, whole_tag};
use std::ops::Range;

/// Single last characters of places that make a name of an unknown word before them.
const ENDINGS: &str = "县市省镇村乡河湖山岛路街巷";

/// "清溪｜县": a word that is no common one and a place's last character behind it.
pub(super) fn beside(tokens: &[ChineseToken<'_>], index: usize) -> Option<NameCandidate> {
    let (name, ending) = (tokens.get(index.checked_sub(1)?)?, tokens.get(index)?);
    let is_ending = ending.character_count == 1 && ending.text.chars().all(|c| ENDINGS.contains(c));
    let is_village = matches!(ending.text, "村" | "镇" | "县" | "河") && name.tag == "nr";
    // 石磨巷17号, 柳家村
    let has_number = matches!(ending.text, "路" | "街" | "巷")
        && name.tag.starts_with('n')
        && tokens.get(index + 1).is_some_and(|next| next.text.starts_with(|c: char| c.is_ascii_digit()));
    let is_of_clan = name.text.ends_with('家') && matches!(ending.text, "村" | "镇" | "湾");
    let is_new = name.tag == "ns"
        || is_village
        || has_number
        || is_of_clan
        || !name.is_known && !name.tag.starts_with('v');
    let is_clean = name.text.chars().all(|c| is_han(c) && !COMMON.contains(c));
    let fits =
        is_ending && is_new && is_clean && name.character_count == 2 && name.range.end == ending.range.start;
    fits.then(|| place(name.range.start..ending.range.end, false))
}

fn place(range: Range<usize>, is_sure: bool) -> NameCandidate {
    NameCandidate { range, kind: NameKind::Place, is_known: true, is_sure }
}

/// "浙江绍兴人": the one or two places that a clause names whose last character is 人.
pub(super) fn natives(text: &str, range: &Range<usize>) -> Vec<NameCandidate> {
    let sentence = text.get(range.clone()).unwrap_or("");
    let mut found = Vec::new();
    for (at, _) in sentence.match_indices('人') {
        let rest = sentence.get(at + '人'.len_utf8()..).unwrap_or("").trim_start_matches('也');
        if rest.chars().next().is_some_and(char::is_alphanumeric) {
            continue;
        }
        let before = sentence.get(..at).unwrap_or("");
        let start =
            before.char_indices().rev().take_while(|(_, c)| is_han(*c)).last().map_or(at, |(start, _)| start);
        let clause = before.get(start..).unwrap_or("");
        let middle = clause.char_indices().nth(2).map_or(clause.len(), |(at, _)| at);
        let (region, town) = clause.split_at(middle);
        let count = town.chars().count();
        if (2..=3).contains(&count) && is_place(region) && segmenter().has_word(town) {
            found.push(place(range.start + start..range.start + start + middle, true));
            found.push(place(range.start + start + middle..range.start + at, true));
        }
    }
    found
}

fn is_place(word: &str) -> bool {
    whole_tag(word) == Some("ns")
}
