//! Rows of tables as answers: a row says little by itself, for the words that tell what its cells are stand in the header.

use super::candidates::AnswerCandidate;
use super::concepts::{Concept, IndexedSentence, StemsOf};
use crate::domain::table_header;
use crate::language::{self, is_table_rule, words::is_han};
use crate::query::question::{Asks, Question};
use std::borrow::Cow;

/// What a row counts more than the same words elsewhere, where it says all that the question is about.
pub(super) const ANSWERS: f64 = 1.6;
/// Share of what the question is about from which a row answers, and how sure that is with all of it.
const ENOUGH: f64 = 0.6;
const SURE: (f64, f64) = (0.55, 0.9);
/// How much a word of the header counts that says the same.
const SAME: f64 = 0.85;
/// Words of headers and questions that say the same of a cell.
const SAME_WORDS: [&[&str]; 3] = [
    &["quantity", "stock", "count", "number", "amount", "units", "pieces", "数量", "库存", "个数"],
    &["price", "cost", "costs", "paid", "charge", "价格", "单价", "价钱", "多少钱"],
    &["date", "bought", "day", "when", "日期", "时间"],
];

/// A row of a table with the header above it.
pub(super) struct HeadedRow<'a> {
    header: Vec<&'a str>,
    cells: Vec<&'a str>,
    /// The byte of its text unit that its table begins at; nothing where it began before.
    begins: Option<usize>,
}

impl<'a> HeadedRow<'a> {
    /// The row that a quotation is; nothing where it is none, or where nobody knows its header.
    pub(super) fn of(this: &AnswerCandidate<'a>) -> Option<Self> {
        let (text, quote) = (this.unit.unit.text.as_str(), this.quote.2);
        if !quote.starts_with('|') || quote.contains('\n') {
            return None;
        }
        let at = (quote.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
        // a table that the text unit begins in was begun before it
        let (mut header, mut begins, mut last) = (table_header(&this.unit.unit.header), None, "");
        for line in text.get(..at)?.lines().map(str::trim) {
            if !line.starts_with('|') {
                header = None;
            } else if is_table_rule(line) {
                header = Some(last);
                begins = (last.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
            }
            last = line;
        }
        if is_frame(this) {
            return None;
        }
        Some(Self { header: cells(header?), cells: cells(quote), begins })
    }

    /// The names of the columns.
    pub(super) fn header(&self) -> &Vec<&'a str> {
        &self.header
    }

    /// The byte of its text unit that its table begins at; nothing where it began before.
    pub(super) fn begins(&self) -> Option<usize> {
        self.begins
    }

    /// The names of the columns, and the cells.
    pub(super) fn into_parts(self) -> (Vec<&'a str>, Vec<&'a str>) {
        (self.header, self.cells)
    }

    /// From 0 to 1: how much of what a question is about the row says, where one of its cells is what the question is about
    /// and another may be what it asks for.
    pub(super) fn fit(
        &self,
        question: &Question,
        concepts: &[Concept],
        weights: &[f64],
        this: &AnswerCandidate<'_>,
    ) -> f64 {
        let mut stems = StemsOf::default();
        let asked = IndexedSentence::of(&question.text, &mut stems);
        let Some(subject) = self.cells.iter().position(|cell| is_asked_about(cell, &asked, &mut stems))
        else {
            return 0.0;
        };
        let header = IndexedSentence::of(&column_words(&self.header.join(" ")), &mut stems);
        let wants_number = question.is_quantity || question.asks == Asks::Number;
        let has_number = self
            .cells
            .iter()
            .enumerate()
            .any(|(place, cell)| place != subject && cell.starts_with(|c: char| c.is_ascii_digit()));
        let tells = |concept: &Concept| {
            concept.find(&header, "").strength.max(if says_the_same(concept, &header) { SAME } else { 0.0 })
        };
        if wants_number && !has_number
            || !wants_number && concepts.iter().all(|concept| tells(concept) <= 0.0)
        {
            return 0.0;
        }
        let has_hours = question.asks == Asks::Time && has_hours(&header.flat);
        let (mut said, mut all) = (0.0, f64::MIN_POSITIVE);
        for (place, concept) in concepts.iter().enumerate() {
            let found = this.found.get(place).map_or(0.0, |found| found.strength);
            let above = this.above.get(place).copied().unwrap_or(0.0);
            let weight = weights.get(place).copied().unwrap_or(1.0);
            let told = found.max(above).max(tells(concept));
            // "When does the gym close?": hours that stand under no name of a place are those of the house
            if has_hours && told <= 0.0 && is_the_house(&asked.flat, &concept.text) {
                continue;
            }
            // the day of something else than what is asked about: bought, and not serviced
            if question.asks == Asks::Time && told <= 0.0 && !concept.is_light && !concept.is_name {
                return 0.0;
            }
            said += weight * told;
            all += weight;
        }
        if said / all >= ENOUGH { said / all } else { 0.0 }
    }

    /// The row with the names of its columns: `Item: Candles · Quantity: 120`.
    pub(super) fn named(&self) -> String {
        let mut named = Vec::new();
        for (place, cell) in self.cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            match self.header.get(place).filter(|name| !name.is_empty()) {
                Some(name) => named.push(format!("{name}: {cell}")),
                None => named.push((*cell).to_owned()),
            }
        }
        named.join(" · ").replace("\\|", "|")
    }
}

/// Whether a table's columns are the hours of something: "Day | Opens | Closes".
fn has_hours(header: &str) -> bool {
    const HOURS: [&str; 7] = ["opens", "closes", "opening", "closing", "open", "close", "hours"];
    const NAMED: [&str; 8] = ["place", "facility", "room", "area", "site", "branch", "shop", "department"];
    let mut words = header.split(|c: char| !c.is_alphanumeric());
    words.clone().any(|word| HOURS.contains(&word)) && !words.any(|word| NAMED.contains(&word))
}

/// Whether a question means the whole place whose documents these are: "the gym", "your shop".
fn is_the_house(asked: &str, word: &str) -> bool {
    const HOUSES: [&str; 26] = [
        "bakery",
        "bookshop",
        "centre",
        "center",
        "cinema",
        "clinic",
        "club",
        "farm",
        "gallery",
        "garage",
        "gym",
        "hotel",
        "inn",
        "library",
        "market",
        "museum",
        "office",
        "pharmacy",
        "practice",
        "pub",
        "restaurant",
        "salon",
        "shop",
        "store",
        "surgery",
        "theatre",
    ];
    let owns = ["the", "your", "our", "this"];
    HOUSES.contains(&word) && owns.iter().any(|own| asked.contains(&format!("{own} {word}")))
}

/// The words of a column's name as programs write it: `price_eur`.
pub(super) fn column_words(name: &str) -> Cow<'_, str> {
    if name.contains('_') { Cow::Owned(name.replace('_', " ")) } else { Cow::Borrowed(name) }
}

/// Whether a quotation is the header of a table or the rule below it, which tell nothing themselves.
pub(super) fn is_frame(this: &AnswerCandidate<'_>) -> bool {
    let (text, quote) = (this.unit.unit.text.as_str(), this.quote.2);
    if !quote.starts_with('|') || quote.contains('\n') {
        return false;
    }
    let place = (quote.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
    let behind = place.and_then(|at| text.get(at + quote.len()..)).unwrap_or_default();
    is_table_rule(quote) || behind.lines().find(|line| !line.trim().is_empty()).is_some_and(is_table_rule)
}

/// How sure a row of that fit is.
pub(super) fn confidence(fit: f64) -> f64 {
    if fit <= 0.0 { 0.0 } else { SURE.0 + (SURE.1 - SURE.0) * (fit - ENOUGH) / (1.0 - ENOUGH) }
}

/// Whether all words of a cell stand in the question.
pub(super) fn is_asked_about(cell: &str, asked: &IndexedSentence, stems: &mut StemsOf) -> bool {
    let cell = IndexedSentence::of(cell, stems);
    if cell.flat.chars().any(is_han) {
        let letters = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
        // 五（2）班 is another than 五（1）班
        if cell.flat.chars().any(|c| c.is_ascii_digit()) {
            return letters(&asked.flat).contains(&letters(&cell.flat));
        }
        let han: String = cell.flat.chars().filter(|c| is_han(*c)).collect();
        return asked.flat.contains(&han);
    }
    let says_something = |word: &str| word.chars().any(char::is_alphabetic) && !language::is_stop_word(word);
    cell.stems.keys().any(says_something) && cell.stems.keys().all(|stem| asked.stems.get(stem).is_some())
}

/// Whether a column's name says in other words what a concept does.
pub(super) fn says_the_same(concept: &Concept, header: &IndexedSentence) -> bool {
    SAME_WORDS.iter().any(|words| {
        let in_header = |word: &&str| {
            header.flat.split(' ').any(|other| other == *word)
                || word.chars().any(is_han) && header.flat.contains(word)
        };
        words.contains(&concept.text.as_str()) && words.iter().any(in_header)
    })
}

/// The cells of a row of Markdown.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim().trim_start_matches('|');
    let mut cells = Vec::new();
    let mut start = 0;
    for (at, _) in line.match_indices('|') {
        if line.get(..at).is_some_and(|before| before.ends_with('\\')) {
            continue;
        }
        cells.push(line.get(start..at).unwrap_or_default().trim());
        start = at + 1;
    }
    let rest = line.get(start..).unwrap_or_default().trim();
    if !rest.is_empty() {
        cells.push(rest);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_falls_into_its_cells() {
        assert_eq!(cells("| Lamp oil | 139 |  | a\\|b |"), ["Lamp oil", "139", "", "a\\|b"]);
        let row = HeadedRow {
            header: vec!["Item", "", "Price"],
            cells: vec!["Candles", "12", "4.5"],
            begins: None,
        };
        assert_eq!(row.named(), "Item: Candles · 12 · Price: 4.5");
    }
}
