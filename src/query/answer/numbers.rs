//! Numbers of a text by their value, however they are written: "1.5 million", "1,500,000" and "一百五十万" are one.

use crate::language::vocabulary::calendar::is_month;
use std::collections::BTreeSet;

/// Numbers from which one tells more than a word: smaller ones are days, ranks and counts that stand everywhere.
const TELLING: f64 = 100.0;

/// A number as a term: its value, with a percent sign where it has one.
#[derive(Clone, Debug, PartialEq)]
struct Number {
    value: f64,
    percent: bool,
    exact: bool,
}

/// The numbers of a text as terms that begin with "#"; those that tell much begin with "##".
pub(super) fn number_terms(text: &str) -> BTreeSet<String> {
    let characters: Vec<char> = text.chars().collect();
    let mut terms = BTreeSet::new();
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        let rest = characters.get(at..).unwrap_or_default();
        let inside_word = at > 0 && characters.get(at - 1).is_some_and(char::is_ascii_alphanumeric);
        let read = if character.is_ascii_digit() && !inside_word {
            read_digits(rest)
        } else if chinese_digit(character).is_some() || chinese_unit(character).is_some() {
            read_chinese(rest)
        } else {
            None
        };
        match read {
            Some((number, length)) => {
                // the day of a month is no quantity
                if !follows_month(characters.get(..at).unwrap_or_default()) {
                    terms.extend(number.term());
                }
                at += length;
            }
            None => at += 1,
        }
    }
    terms
}

/// Whether the name of a month stands before.
fn follows_month(before: &[char]) -> bool {
    let last: String =
        before.iter().rev().skip_while(|c| **c == ' ').take_while(|c| c.is_ascii_alphabetic()).collect();
    let last: String = last.chars().rev().collect::<String>().to_lowercase();
    is_month(&last)
}

impl Number {
    fn term(&self) -> Option<String> {
        let telling = self.percent || self.exact || self.value >= TELLING;
        let percent = if self.percent { "%" } else { "" };
        (self.value.is_finite())
            .then(|| format!("{}{}{percent}", if telling { "##" } else { "#" }, self.value))
    }
}

/// "21,000", "1.5 million", "13%".
fn read_digits(characters: &[char]) -> Option<(Number, usize)> {
    let mut text = String::new();
    let mut length = 0;
    let digit = |at: usize| characters.get(at).is_some_and(char::is_ascii_digit);
    while let Some(&character) = characters.get(length) {
        match character {
            '0'..='9' => text.push(character),
            ',' if (1..=3).all(|ahead| digit(length + ahead)) && !digit(length + 4) => {}
            '.' if digit(length + 1) && !text.contains('.') => text.push('.'),
            _ => break,
        }
        length += 1;
    }
    let mut value: f64 = text.parse().ok()?;
    let rest: String = characters.iter().skip(length).take(10).collect();
    let word = rest.trim_start_matches([' ', '-', '\u{a0}']).to_lowercase();
    let scale = [
        ("thousand", 1e3),
        ("million", 1e6),
        ("billion", 1e9),
        ("trillion", 1e12),
        ("万", 1e4),
        ("萬", 1e4),
        ("亿", 1e8),
        ("億", 1e8),
    ]
    .iter()
    .find(|(name, _)| word.starts_with(name));
    if let Some((name, scale)) = scale {
        value *= scale;
        if !name.is_ascii() {
            length += rest.chars().take_while(|c| matches!(c, ' ' | '-' | '\u{a0}')).count() + 1;
        }
    }
    let percent = word.starts_with('%') || word.starts_with('％') || word.starts_with("percent");
    Some((Number { value, percent, exact: text.contains('.') }, length))
}

/// 二十万; of 二三十万 (two or three hundred thousand) the greater.
fn read_chinese(characters: &[char]) -> Option<(Number, usize)> {
    let (mut total, mut section, mut digit, mut length) = (0.0, 0.0, None::<f64>, 0);
    while let Some(&character) = characters.get(length) {
        if let Some(value) = chinese_digit(character) {
            digit = Some(value);
        } else if let Some(unit) = chinese_unit(character) {
            if unit >= 1e4 {
                section += digit.unwrap_or(if section == 0.0 { 1.0 } else { 0.0 });
                total += section * unit;
                section = 0.0;
            } else {
                section += digit.unwrap_or(1.0) * unit;
            }
            digit = None;
        } else if !matches!(character, '余' | '餘' | '多' | '几') || length == 0 {
            break;
        }
        length += 1;
    }
    let value = total + section + digit.unwrap_or(0.0);
    // small ones are parts of words more often than numbers
    (value >= TELLING).then_some((Number { value, percent: false, exact: false }, length))
}

fn chinese_digit(character: char) -> Option<f64> {
    "零一二三四五六七八九".chars().position(|known| known == character).map(|place| place as f64).or(
        match character {
            '两' | '兩' => Some(2.0),
            '〇' => Some(0.0),
            _ => None,
        },
    )
}

fn chinese_unit(character: char) -> Option<f64> {
    Some(match character {
        '十' => 10.0,
        '百' => 100.0,
        '千' => 1000.0,
        '万' | '萬' => 1e4,
        '亿' | '億' => 1e8,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(number_terms(text).iter().map(String::as_str).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn numbers_are_equal_however_they_are_written() {
        for text in ["1.5 million men", "1,500,000 men", "一百五十万", "150万", "一百五十余万众"]
        {
            check(text, &["##1500000"]);
        }
        check("曹操就兖州已有青州军二十万", &["##200000"]);
        check("今又得荆州之军二三十万", &["##300000"]);
        check("200–300,000 from Jingzhou", &["##200", "##300000"]);
        check("grew 13% to $18.6 billion", &["##13%", "##18600000000"]);
        check("on October 13, 6 points", &["#6"]);
        check("一日，二人同往；H100 and E5", &[]);
    }
}
