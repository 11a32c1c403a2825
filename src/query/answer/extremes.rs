//! The rows of a table that are greatest or least in one of its columns: "Which yarn is the most expensive?", 哪台设备最贵.
//!
//! Only tables of which every row was retrieved are looked at: the greatest of some rows is no answer.

use super::candidates::AnswerCandidate;
use super::cells::{HeadedRow, column_words};
use super::concepts::{Concept, IndexedSentence, StemsOf};
use crate::domain::{Id, TextUnit};
use crate::language::questions::stem;
use crate::language::{self, is_table_rule, words::is_han};
use crate::query::question::{Question, flatten};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Fewest rows of which one can be the greatest.
const ROWS: usize = 2;
/// How well the name of a column or of a table has to say a word of the question.
pub(super) const SAYS: f64 = 0.6;

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
    "price", "rate", "tariff", "cost", "costs", "fee", "rent", "amount", "paid", "value", "charge", "价",
    "价格", "费", "金额", "租金",
];
const WEIGHTS: &[&str] = &["weight", "kg", "mass", "grams", "重", "重量", "体重"];
const SIZES: &[&str] =
    &["size", "area", "capacity", "acres", "hectares", "m2", "seats", "面积", "大小", "容量", "规模"];
const LENGTHS: &[&str] = &[
    "length", "duration", "distance", "miles", "km", "minutes", "days", "长", "长度", "时长", "里程", "天数",
];
const HEIGHTS: &[&str] = &["height", "altitude", "elevation", "高", "高度", "海拔", "身高"];
const AGES: &[&str] = &["age", "aged", "年龄", "岁"];
const YEARS: &[&str] =
    &["year", "date", "built", "bought", "born", "founded", "opened", "since", "年份", "年", "日期", "时间"];
const SPEEDS: &[&str] = &["speed", "knots", "mph", "速度"];
const DEPTHS: &[&str] = &["depth", "深", "深度"];
const TIMES: &[&str] = &["time", "用时", "成绩"];

const STOCKS: &[&str] = &["stock", "quantity", "left", "available", "库存", "数量"];

const DEGREES: [Degree; 31] = [
    degree(&["not in stock", "out of stock", "sold out", "缺货", "没有库存", "无库存"], Zero, STOCKS),
    degree(&["most expensive", "dearest", "costliest", "priciest", "最贵"], Greatest, PRICES),
    degree(&["costs most", "cost most", "costs the most", "cost the most", "最花钱"], Greatest, PRICES),
    degree(&["cheapest", "least expensive", "most affordable", "最便宜", "最低价"], Least, PRICES),
    degree(&["costs least", "cost least", "costs the least", "cost the least", "最省钱"], Least, PRICES),
    degree(&["heaviest", "weighs most", "weighs the most", "最重"], Greatest, WEIGHTS),
    degree(&["lightest", "weighs least", "weighs the least", "最轻"], Least, WEIGHTS),
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
    degree(&["most recently", "most recent", "最近一次"], Greatest, YEARS),
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

/// Verbs that only join whom a row is of with what a column tells of them: "Who pays the highest rent?"
const HAVING: [&str; 18] = [
    "pay", "pays", "paid", "earn", "earns", "weigh", "weighs", "get", "gets", "score", "scored", "receive",
    "receives", "spend", "spends", "付", "交", "拿",
];

/// Words that only say that a table is meant.
const TABLE: [&str; 10] =
    ["list", "table", "catalogue", "catalog", "sheet", "清单", "列表", "名单", "目录", "表格"];

/// Whether a question asks for the greatest or the least of something, or for what is none left of.
pub(super) fn asks_extreme(question: &Question) -> bool {
    says_extreme(question, &question.text)
}

/// Whether a text says itself that something is the greatest or the least, in a word of the question.
pub(super) fn says_extreme(question: &Question, text: &str) -> bool {
    let (asked, flat) = (flatten(&question.text), flatten(text));
    DEGREES.iter().flat_map(|degree| degree.forms).any(|form| says(&asked, form) && says(&flat, form))
}

/// Whether a text unit holds a part of a table of which the rest may stand in another one.
pub(super) fn may_cut_table(unit: &TextUnit) -> bool {
    let begins = unit.text.lines().map(str::trim).filter(|line| !line.is_empty()).take(2);
    let begins: Vec<&str> = begins.collect();
    let is_row = |line: &&str| line.starts_with('|');
    begins.first().is_some_and(is_row) && !begins.iter().any(|line| is_table_rule(line)) || ends_in_row(unit)
}

fn ends_in_row(unit: &TextUnit) -> bool {
    let last = unit.text.lines().rev().find(|line| !line.trim().is_empty());
    last.is_some_and(|line| line.trim_start().starts_with('|'))
}

/// The places among the candidates of the rows that are what a question asks for.
pub(super) fn extremes(
    question: &Question,
    concepts: &[Concept],
    candidates: &[AnswerCandidate<'_>],
    whole: &BTreeSet<Id>,
) -> BTreeSet<usize> {
    let flat = flatten(&question.text);
    let degrees: Vec<(&Degree, &str)> = DEGREES
        .iter()
        .filter_map(|degree| Some((degree, *degree.forms.iter().find(|form| says(&flat, form))?)))
        .collect();
    if degrees.is_empty() {
        return BTreeSet::new();
    }
    let tables = tables(candidates, whole);
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
pub(super) struct WholeTable<'a> {
    pub(super) header: Vec<&'a str>,
    pub(super) rows: Vec<(usize, Vec<&'a str>)>,
}

/// The tables of the candidates of which all rows are there. `whole`: documents of which all text units are.
pub(super) fn tables<'a>(candidates: &[AnswerCandidate<'a>], whole: &BTreeSet<Id>) -> Vec<WholeTable<'a>> {
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
        let ends = whole.contains(&candidate.unit.unit.document_id) || ends_in(candidate, &units);
        // a long list of a file is written as several tables of one header
        let follows = tables.last().is_some_and(|(table, _)| {
            let last = table.rows.last().and_then(|(place, _)| candidates.get(*place));
            last.is_some_and(|last| table.header == *row.header() && goes_on_with(last, candidate, at))
        });
        let (header, cells) = row.into_parts();
        match tables.last_mut().filter(|_| continues || follows) {
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

/// Whether nothing stands between a row and the header, at a byte of its text unit, of the table of the next one.
fn goes_on_with(last: &AnswerCandidate<'_>, next: &AnswerCandidate<'_>, header_at: Option<usize>) -> bool {
    let Some(before) = header_at.and_then(|at| next.unit.unit.text.get(..at)) else { return false };
    let (index, next_index) = (last.unit.unit.index, next.unit.unit.index);
    last.unit.document_key == next.unit.document_key
        && match before.trim_end().lines().last() {
            Some(line) => line.starts_with('|') && (index == next_index || index + 1 == next_index),
            None => index + 1 == next_index && ends_in_row(&last.unit.unit),
        }
}

/// Whether a table of a text unit ends in it, or goes on in one that is there.
fn ends_in(this: &AnswerCandidate<'_>, units: &FxHashMap<(&str, u32), &AnswerCandidate<'_>>) -> bool {
    let unit = &this.unit.unit;
    !ends_in_row(unit) || units.contains_key(&(this.unit.document_key.as_str(), unit.index + 1))
}

impl WholeTable<'_> {
    fn has_cell(&self, word: &str) -> bool {
        self.rows.iter().flat_map(|(_, cells)| cells).any(|cell| is_cell(cell, word))
    }

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
            self.header.iter().map(|name| IndexedSentence::of(&column_words(name), &mut stems)).collect();
        // what a column says of each row chooses among them, be it a word that says little elsewhere: "the most expensive saw"
        let chosen: Vec<&str> = flat
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.chars().count() > 1 && !form.contains(word) && self.has_cell(word))
            .collect();
        let has = |cells: &[&str]| chosen.iter().all(|word| cells.iter().any(|cell| is_cell(cell, word)));
        let mut kept: Vec<bool> = self.rows.iter().map(|(_, cells)| has(cells)).collect();
        let mut is_of_it = !chosen.is_empty();
        // by how far from the form the question names it, in words that may tell it
        let mut nearest: Option<(usize, usize)> = None;
        for (place, concept) in concepts.iter().enumerate() {
            let is_form = of_form.iter().any(|word| stem(&concept.text) == *word)
                || form.contains(&concept.text)
                || concept.text.contains(form);
            // the 台 of 哪台设备 counts and names nothing
            let is_classifier = concept.text.chars().count() == 1 && concept.text.chars().all(is_han);
            let is_now = NOW.contains(&concept.text.as_str());
            let is_table = TABLE.contains(&concept.text.as_str());
            let is_had = HAVING.contains(&concept.text.as_str());
            if is_form || is_classifier || is_now || is_table || is_had || concept.is_light {
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
            // "herb" is what a column says of each plant
            is_of_it = is_of_it || self.has_cell(&concept.text);
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

/// Whether a cell is a word, in one form or another.
fn is_cell(cell: &str, word: &str) -> bool {
    let flat = flatten(cell);
    flat == word || !word.contains(is_han) && stem(&flat) == stem(word)
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
pub(super) fn is_sum(cell: &str) -> bool {
    const SUMS: [&str; 8] = ["total", "sum", "subtotal", "average", "合计", "总计", "小计", "平均"];
    let cell = cell.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    SUMS.iter().any(|word| cell.starts_with(word))
}

/// The number of a cell and what stands around it: "£14.50" is 14.5 of "£", "18,500" that of nothing. Nothing where the cell
/// holds none or several, or a date.
fn amount(cell: &str) -> Option<(f64, String)> {
    let cell = cell.trim_matches(['*', '_', ' ']);
    if let Some(day) = day_number(cell) {
        return Some((day, "day".to_owned()));
    }
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

/// A day as programs write it, 2023-03-08, as a number that grows with it.
fn day_number(cell: &str) -> Option<f64> {
    let parts: Vec<&str> = cell.split('-').collect();
    let is_day = parts.iter().map(|part| part.len()).eq([4, 2, 2]);
    parts.concat().parse::<u32>().ok().filter(|_| is_day).map(f64::from)
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
        assert_eq!(read("2023-03-08"), Some((20_230_308.0, "day".to_owned())));
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
