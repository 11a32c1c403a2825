//! The rows of a table that are greatest or least in one of its columns: "Which yarn is the most expensive?", 哪台设备最贵.
//!
//! Only tables of which every row was retrieved are looked at: the greatest of some rows is no answer.

use super::candidates::AnswerCandidate;
use super::cells::HeadedRow;
use super::concepts::{Concept, IndexedSentence, StemsOf};
use crate::language::questions::stem;
use crate::language::{self, words::is_han};
use crate::query::question::{Question, flatten};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Tokens of a text unit below which it was not cut because it was full, so that its table ends in it.
const SHORT_UNIT: u32 = 600;
/// Fewest rows of which one can be the greatest.
const ROWS: usize = 2;
/// How well the name of a column or of a table has to say a word of the question.
const SAYS: f64 = 0.6;

/// Which of the numbers of a column is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Greatest,
    Least,
    /// None left.
    Zero,
}

use Wanted::{Greatest, Least, Zero};

/// Words that only say that what holds now is asked for.
const NOW: [&str; 8] = ["moment", "now", "currently", "today", "present", "现在", "目前", "当前"];

/// Words for the greatest or the least of something, and words in the names of columns that tell how much of it there is.
struct Degree {
    forms: &'static [&'static str],
    wanted: Wanted,
    columns: &'static [&'static str],
}

const PRICES: &[&str] = &[
    "price", "cost", "costs", "fee", "rent", "amount", "paid", "value", "charge", "价", "价格", "费", "金额",
    "租金",
];
const WEIGHTS: &[&str] = &["weight", "kg", "mass", "grams", "重", "重量", "体重"];
const SIZES: &[&str] =
    &["size", "area", "capacity", "acres", "hectares", "m2", "seats", "面积", "大小", "容量", "规模"];
const LENGTHS: &[&str] =
    &["length", "duration", "distance", "miles", "km", "minutes", "长", "长度", "时长", "里程"];
const HEIGHTS: &[&str] = &["height", "altitude", "elevation", "高", "高度", "海拔", "身高"];
const AGES: &[&str] = &["age", "aged", "年龄", "岁"];
const YEARS: &[&str] =
    &["year", "built", "bought", "born", "founded", "opened", "since", "年份", "年", "日期", "时间"];
const SPEEDS: &[&str] = &["speed", "knots", "mph", "速度"];
const DEPTHS: &[&str] = &["depth", "深", "深度"];
const TIMES: &[&str] = &["time", "用时", "成绩"];

const STOCKS: &[&str] = &["stock", "quantity", "left", "available", "库存", "数量"];

const DEGREES: [Degree; 28] = [
    degree(&["not in stock", "out of stock", "sold out", "缺货", "没有库存", "无库存"], Zero, STOCKS),
    degree(&["most expensive", "dearest", "costliest", "priciest", "最贵"], Greatest, PRICES),
    degree(&["cheapest", "least expensive", "most affordable", "最便宜", "最低价"], Least, PRICES),
    degree(&["heaviest", "最重"], Greatest, WEIGHTS),
    degree(&["lightest", "最轻"], Least, WEIGHTS),
    degree(&["biggest", "largest", "最大"], Greatest, SIZES),
    degree(&["smallest", "最小"], Least, SIZES),
    degree(&["longest", "farthest", "furthest", "最长", "最远"], Greatest, LENGTHS),
    degree(&["shortest", "nearest", "最短", "最近"], Least, LENGTHS),
    degree(&["tallest", "最高"], Greatest, HEIGHTS),
    degree(&["最矮", "最低"], Least, HEIGHTS),
    degree(&["oldest", "eldest", "最老", "最年长"], Greatest, AGES),
    degree(&["youngest", "最年轻"], Least, AGES),
    degree(&["oldest", "earliest", "最老", "最旧", "最早"], Least, YEARS),
    degree(&["newest", "latest", "youngest", "最新", "最晚"], Greatest, YEARS),
    degree(&["fastest", "quickest", "最快"], Greatest, SPEEDS),
    degree(&["slowest", "最慢"], Least, SPEEDS),
    degree(&["fastest", "quickest", "最快"], Least, TIMES),
    degree(&["slowest", "最慢"], Greatest, TIMES),
    degree(&["deepest", "最深"], Greatest, DEPTHS),
    degree(&["shallowest", "最浅"], Least, DEPTHS),
    // of what the question says itself: "the most balls in stock", "the highest price", 库存最多
    degree(&["highest", "greatest", "biggest", "largest", "最高", "最大"], Greatest, &[]),
    degree(&["lowest", "smallest", "least", "fewest", "最低", "最小"], Least, &[]),
    degree(&["most", "最多"], Greatest, &[]),
    degree(&["最少"], Least, &[]),
    degree(&["latest", "最晚"], Greatest, &[]),
    degree(&["earliest", "最早"], Least, &[]),
    degree(&["longest", "最长"], Greatest, &[]),
];

const fn degree(forms: &'static [&'static str], wanted: Wanted, columns: &'static [&'static str]) -> Degree {
    Degree { forms, wanted, columns }
}

/// The places among the candidates of the rows that are what a question asks for.
pub(super) fn extremes(
    question: &Question,
    concepts: &[Concept],
    candidates: &[AnswerCandidate<'_>],
) -> BTreeSet<usize> {
    let flat = flatten(&question.text);
    let degrees: Vec<(&Degree, &str)> = DEGREES
        .iter()
        .filter_map(|degree| Some((degree, *degree.forms.iter().find(|form| says(&flat, form))?)))
        .collect();
    if degrees.is_empty() {
        return BTreeSet::new();
    }
    let tables = tables(candidates);
    let mut found = BTreeSet::new();
    for table in &tables {
        let best = degrees
            .iter()
            .find_map(|(degree, form)| table.extreme(degree, (&flat, form), concepts, candidates));
        found.extend(best.into_iter().flatten());
    }
    found
}

/// Whether a flat question says a form: as words, or anywhere in a Chinese one.
fn says(flat: &str, form: &str) -> bool {
    if form.chars().any(is_han) {
        return flat.contains(form);
    }
    flat.match_indices(form).any(|(at, _)| {
        let is_free = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        is_free(flat.get(..at).and_then(|before| before.chars().next_back()))
            && is_free(flat.get(at + form.len()..).and_then(|behind| behind.chars().next()))
    })
}

/// A table with all its rows, each with its place among the candidates.
struct WholeTable<'a> {
    header: Vec<&'a str>,
    rows: Vec<(usize, Vec<&'a str>)>,
}

/// The tables of the candidates of which all rows are there.
fn tables<'a>(candidates: &[AnswerCandidate<'a>]) -> Vec<WholeTable<'a>> {
    // by document and text unit, in the order of the text
    let mut rows: Vec<(usize, HeadedRow<'a>)> = Vec::new();
    for (place, candidate) in candidates.iter().enumerate() {
        rows.extend(HeadedRow::of(candidate).map(|row| (place, row)));
    }
    let start = |place: usize| {
        candidates.get(place).map(|one| (one.unit.document_key.as_str(), one.unit.unit.index, one.quote.0))
    };
    rows.sort_by_key(|(place, _)| start(*place));
    let units: FxHashMap<(&str, u32), &AnswerCandidate<'a>> =
        candidates.iter().map(|one| ((one.unit.document_key.as_str(), one.unit.unit.index), one)).collect();
    let mut tables: Vec<(WholeTable<'a>, bool)> = Vec::new();
    let mut last: Option<(&str, u32, Option<usize>)> = None;
    for (place, row) in rows {
        let Some(candidate) = candidates.get(place) else { continue };
        let (key, index) = (candidate.unit.document_key.as_str(), candidate.unit.unit.index);
        let at = row.begins();
        let continues = match last {
            Some((last_key, last_index, last_at)) if last_key == key => {
                (last_index == index && last_at == at) || last_index + 1 == index && at.is_none()
            }
            _ => false,
        };
        let ends = ends_in(candidate, &units);
        let (header, cells) = row.into_parts();
        match tables.last_mut().filter(|_| continues) {
            Some((table, is_whole)) => {
                table.rows.push((place, cells));
                *is_whole = *is_whole && ends;
            }
            // one that goes on from a text unit that is not there has no beginning
            None => tables.push((WholeTable { header, rows: vec![(place, cells)] }, at.is_some() && ends)),
        }
        last = Some((key, index, at));
    }
    tables.into_iter().filter(|(_, is_whole)| *is_whole).map(|(table, _)| table).collect()
}

/// Whether a table of a text unit ends in it, or goes on in one that is there.
fn ends_in(this: &AnswerCandidate<'_>, units: &FxHashMap<(&str, u32), &AnswerCandidate<'_>>) -> bool {
    let unit = &this.unit.unit;
    let last = unit.text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    !last.trim_start().starts_with('|')
        || unit.token_count < SHORT_UNIT
        || units.contains_key(&(this.unit.document_key.as_str(), unit.index + 1))
}

impl WholeTable<'_> {
    /// The places of the rows that are the greatest or the least by a column of those words, or by one that the question
    /// names; nothing where the table is of something else, or no column tells it.
    fn extreme(
        &self,
        degree: &Degree,
        (flat, form): (&str, &str),
        concepts: &[Concept],
        candidates: &[AnswerCandidate<'_>],
    ) -> Option<Vec<usize>> {
        let mut stems = StemsOf::default();
        let above = candidates.get(self.rows.first()?.0).map(|one| &one.above)?;
        let of_form: Vec<String> = form.split(' ').map(stem).collect();
        let cells: Vec<IndexedSentence> =
            self.rows.iter().map(|(_, cells)| IndexedSentence::of(&cells.join(" "), &mut stems)).collect();
        let header: Vec<IndexedSentence> =
            self.header.iter().map(|name| IndexedSentence::of(name, &mut stems)).collect();
        let mut kept = vec![true; self.rows.len()];
        let mut is_of_it = false;
        // by how far from the form the question names it, in words that may tell it
        let mut nearest: Option<(usize, usize)> = None;
        for (place, concept) in concepts.iter().enumerate() {
            let is_form = of_form.iter().any(|word| stem(&concept.text) == *word)
                || form.contains(&concept.text)
                || concept.text.contains(form);
            // the 台 of 哪台设备 counts and names nothing
            let is_classifier = concept.text.chars().count() == 1 && concept.text.chars().all(is_han);
            let is_now = NOW.contains(&concept.text.as_str());
            if is_form || is_classifier || is_now || concept.is_light {
                continue;
            }
            let column = header.iter().position(|name| concept.find(name, "").strength >= SAYS);
            if let Some(column) = column.filter(|_| degree.columns.is_empty())
                && let Some(distance) = distance(flat, form, &concept.text)
                && nearest.is_none_or(|(least, _)| distance < least)
            {
                nearest = Some((distance, column));
            }
            if column.is_some() || above.get(place).is_some_and(|above| *above >= SAYS) {
                is_of_it = true;
                continue;
            }
            let of_rows: Vec<bool> = cells.iter().map(|row| concept.find(row, "").strength >= SAYS).collect();
            // what neither the table nor a row of it says is of something else
            if !of_rows.contains(&true) {
                return None;
            }
            kept.iter_mut().zip(of_rows).for_each(|(kept, of_row)| *kept = *kept && of_row);
        }
        let is_column = |name: &IndexedSentence| {
            degree.columns.iter().any(|word| {
                if word.chars().any(is_han) {
                    name.flat.contains(word)
                } else {
                    name.flat.split(|c: char| !c.is_alphanumeric()).any(|other| other == *word)
                }
            })
        };
        let column = if degree.columns.is_empty() {
            nearest?.1
        } else {
            header.iter().position(is_column).filter(|_| is_of_it)?
        };
        let mut numbers: Vec<(usize, f64)> = Vec::new();
        let mut unit: Option<String> = None;
        for ((place, row), _) in self.rows.iter().zip(&kept).filter(|(_, kept)| **kept) {
            let Some(cell) = row.get(column) else { continue };
            if is_sum(row.first().copied().unwrap_or_default()) {
                continue;
            }
            let Some((number, sign)) = amount(cell) else { continue };
            // amounts in several units are not compared
            if unit.as_ref().is_some_and(|unit| *unit != sign) {
                return None;
            }
            unit = Some(sign);
            numbers.push((*place, number));
        }
        if numbers.len() < ROWS {
            return None;
        }
        let all = numbers.iter().map(|(_, number)| *number);
        let wanted = match degree.wanted {
            Greatest => all.reduce(f64::max)?,
            Least => all.reduce(f64::min)?,
            Zero => 0.0,
        };
        let is_it = |number: f64| number.total_cmp(&wanted).is_eq();
        let found: Vec<usize> =
            numbers.iter().filter(|(_, number)| is_it(*number)).map(|(place, _)| *place).collect();
        // where all are alike none is the greatest
        (!found.is_empty() && found.len() < numbers.len()).then_some(found)
    }
}

/// How far from a form a question says a word that it may count: behind it in English, before it in Chinese.
fn distance(flat: &str, form: &str, word: &str) -> Option<usize> {
    let at = flat.find(form)?;
    if form.chars().any(is_han) {
        let word_ends = flat.get(..at)?.rfind(word)? + word.len();
        Some(at - word_ends)
    } else {
        flat.get(at + form.len()..)?.find(word)
    }
}

/// Whether a row adds up those above it.
fn is_sum(cell: &str) -> bool {
    const SUMS: [&str; 8] = ["total", "sum", "subtotal", "average", "合计", "总计", "小计", "平均"];
    let cell = cell.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    SUMS.iter().any(|word| cell.starts_with(word))
}

/// The number of a cell and what stands around it: "£14.50" is 14.5 of "£", "18,500" that of nothing. Nothing where the cell
/// holds none or several, or a date.
fn amount(cell: &str) -> Option<(f64, String)> {
    let cell = cell.trim_matches(['*', '_', ' ']);
    let first = cell.find(|c: char| c.is_ascii_digit())?;
    let rest = cell.get(first..)?;
    let length =
        rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | '.' | '，'))).unwrap_or(rest.len());
    let (digits, behind) = rest.split_at(length);
    if behind.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_end_matches(['.', ',', '，']);
    let groups: Vec<&str> = digits.split([',', '，']).collect();
    let is_grouped = groups.len() == 1
        || groups.iter().skip(1).all(|group| group.split('.').next().is_some_and(|whole| whole.len() == 3));
    let number: f64 = is_grouped.then(|| groups.concat().parse().ok())??;
    let before = cell.get(..first)?.trim();
    let sign = if before.ends_with('-') || before.ends_with('−') { -1.0 } else { 1.0 };
    let around = format!("{} {}", before.trim_end_matches(['-', '−']).trim(), behind.trim());
    Some((number * sign, language::one_line(&around.to_lowercase())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_with_their_units() {
        let read = |cell: &str| amount(cell).map(|(number, unit)| (number, unit.trim().to_owned()));
        assert_eq!(read("£14.50"), Some((14.5, "£".to_owned())));
        assert_eq!(read("18,500"), Some((18500.0, String::new())));
        assert_eq!(read("12 kg"), Some((12.0, "kg".to_owned())));
        assert_eq!(read("-3"), Some((-3.0, String::new())));
        assert_eq!(read("**2015**"), Some((2015.0, String::new())));
        for none in ["not yet priced", "3 May 2020", "12–14", "1,2", ""] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn a_form_is_said_as_words() {
        assert!(says("which yarn is the most expensive?", "most expensive"));
        assert!(says("哪台设备最贵", "最贵"));
        assert!(!says("who is almost done?", "most"));
    }
}
