//! Titles of notices with the line under them that names a source and a day.

use super::dates::dates;
use super::words::is_han;
use crate::domain::FiscalCalendar;
use std::ops::RangeInclusive;

/// Lines of a title with what stands under it.
const LINES: RangeInclusive<usize> = 2..=4;
/// Words beside its date of a line that only names a source and a day, and Chinese characters.
const WORDS: usize = 5;
const CHARACTERS: usize = 10;
/// Letters of a word from which it is written with a capital in a name.
const LONG_WORD: usize = 4;

/// Whether a text is a title over a line of a name and a date, as newspapers write both; no line of it is a sentence.
pub(crate) fn is_headline_with_dateline(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let ends = ['.', '!', '?', '。', '！', '？', ':', '：', ',', '，', ';', '；'];
    LINES.contains(&lines.len())
        && !lines.iter().any(|line| line.ends_with(ends))
        && lines.iter().skip(1).any(|line| is_dateline(line))
}

/// Whether a text begins with such a title, a paragraph of its own.
pub(crate) fn opens_with_headline(text: &str) -> bool {
    let opening: Vec<&str> =
        text.trim_start().lines().take(LINES.end() + 1).take_while(|line| !line.trim().is_empty()).collect();
    is_headline_with_dateline(&opening.join("\n"))
}

fn is_dateline(line: &str) -> bool {
    let lower = line.to_lowercase();
    let dates = dates(&lower, FiscalCalendar::default());
    let Some(date) = dates.first() else { return false };
    let beside = [lower.get(..date.range.start), lower.get(date.range.end..)];
    let beside: String = beside.into_iter().flatten().collect();
    let characters = beside.chars().filter(|c| is_han(*c)).count();
    let words = beside.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    let is_named = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        bare.len() < LONG_WORD || !bare.starts_with(char::is_lowercase)
    };
    characters <= CHARACTERS && words <= WORDS && line.split_whitespace().all(is_named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_over_a_source_and_a_day_is_a_headline() {
        let check = |text: &str, wanted: bool| assert_eq!(is_headline_with_dateline(text), wanted, "{text}");
        check("Fire in the old mill\nVelm Courier, 3 May 2022", true);
        check("旧磨坊失火\n维尔姆日报 2022年5月3日", true);
        check("Fire in the old mill", false);
        check("The mill burnt down\non 3 May 2022.", false);
        check("The old mill burnt\ndown in the night of 3 May 2022", false);
        check("Two lines\nof a poem", false);
        assert!(opens_with_headline("Fire in the old mill\nVelm Courier, 3 May 2022\n\nIt burnt."));
        assert!(!opens_with_headline("Fire in the old mill\n\nVelm Courier, 3 May 2022\n\nIt burnt."));
    }
}
