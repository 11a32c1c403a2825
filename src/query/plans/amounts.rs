//! Amounts that a text speaks of.

use regex::Regex;
use std::sync::OnceLock;

/// The first amount of a text, in thousandths: "$26.2 billion", "3,500 people", "五万" is none. Percentages, years and
/// numbers inside of words are none.
pub fn amount(text: &str) -> Option<i64> {
    first(text).map(|(amount, _)| amount)
}

/// What that amount is of: a currency's sign, or the word behind the number; empty where neither stands there.
pub fn unit(text: &str) -> String {
    first(text).map(|(_, unit)| unit).unwrap_or_default()
}

fn first(text: &str) -> Option<(i64, String)> {
    static AMOUNT: OnceLock<Option<Regex>> = OnceLock::new();
    let source = r"(?i)([$€£¥]|US\$)?\s?(\d[\d,]*(?:\.\d+)?)(?:\s?(thousand|million|billion|trillion|千|万亿|万|亿))?(\s?%|\w)?";
    let pattern = AMOUNT.get_or_init(|| Regex::new(source).ok()).as_ref()?;
    pattern.captures_iter(text).find_map(|found| {
        let digits = found.get(2)?;
        let before = text.get(..digits.start())?.chars().next_back();
        let behind = found.get(4).map_or("", |part| part.as_str());
        let unit = found.get(3).map(|part| part.as_str().to_lowercase());
        let inside = before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-')
            || behind.starts_with(|c: char| c.is_ascii_alphanumeric());
        let share = behind.contains('%') || text.get(digits.end()..)?.trim_start().starts_with("percent");
        let plain = digits.as_str().replace(',', "");
        let year = found.get(1).is_none()
            && unit.is_none()
            && plain.len() == 4
            && digits.as_str().len() == 4
            && ("1000".."2101").contains(&plain.as_str());
        if inside || share || year || behind.starts_with('年') {
            return None;
        }
        let amount = thousandths(&plain)?.checked_mul(scale(unit.as_deref()))?;
        let end = found.get(3).map_or(digits.end(), |part| part.end());
        let sign = found.get(1).map_or("", |part| part.as_str());
        Some((amount, named_unit(sign, text.get(end..).unwrap_or_default())))
    })
}

/// A currency by its sign or by the word behind the number, else that word.
fn named_unit(sign: &str, behind: &str) -> String {
    const CURRENCIES: [(&str, &[&str]); 4] = [
        ("$", &["$", "us$", "dollar", "dollars", "usd", "美元", "美金"]),
        ("€", &["€", "euro", "euros", "eur", "欧元"]),
        ("£", &["£", "pound", "pounds", "gbp", "英镑"]),
        ("¥", &["¥", "yuan", "rmb", "cny", "元", "人民币"]),
    ];
    let behind = behind.trim_start().to_lowercase();
    let word: String = behind.chars().take_while(|c| c.is_alphabetic()).take(20).collect();
    let word = ["us dollar", "u.s. dollar"]
        .iter()
        .find(|long| behind.starts_with(**long))
        .map_or(word, |_| "usd".to_owned());
    let sign = sign.to_lowercase();
    let of = |text: &str, whole: bool| {
        let same =
            |name: &&&str| if whole || name.is_ascii() { text == **name } else { text.starts_with(**name) };
        CURRENCIES
            .iter()
            .find(|(_, names)| names.iter().any(|name| same(&name)))
            .map(|(sign, _)| (*sign).to_owned())
    };
    of(&sign, true).or_else(|| of(&word, false)).unwrap_or(word)
}

fn scale(unit: Option<&str>) -> i64 {
    match unit {
        Some("thousand" | "千") => 1_000,
        Some("万") => 10_000,
        Some("million") => 1_000_000,
        Some("亿") => 100_000_000,
        Some("billion") => 1_000_000_000,
        Some("trillion" | "万亿") => 1_000_000_000_000,
        _ => 1,
    }
}

/// A decimal number in thousandths; further digits are cut off.
fn thousandths(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let part: String = part.chars().chain("000".chars()).take(3).collect();
    whole.parse::<i64>().ok()?.checked_mul(1000)?.checked_add(part.parse::<i64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::{amount, unit};

    #[test]
    fn an_amount_is_of_a_currency_or_of_what_the_word_behind_it_says() {
        for (text, of) in [
            ("paid $26.2 billion", "$"),
            ("12 million US dollars", "$"),
            ("20 million euros", "€"),
            ("作价 75亿 美元", "$"),
            ("花了 12亿元人民币", "¥"),
            ("hired 3,500 people", "people"),
            ("paid 12", ""),
        ] {
            assert_eq!(unit(text), of, "{text}");
        }
    }

    #[test]
    fn amounts_are_read_with_their_scale() {
        let check =
            |text: &str, whole: Option<i64>| assert_eq!(amount(text), whole.map(|n| n * 1000), "{text}");
        check("bought LinkedIn for $26.2 billion in 2016", Some(26_200_000_000));
        check("in 2016 it grew 26% and hired 3,500 people", Some(3_500));
        check("收购价 75亿 美元", Some(7_500_000_000));
        check("Windows10 grew by 12 percent", None);
        check("建安5年", None);
        assert_eq!(amount("paid 2.5 dollars"), Some(2_500));
    }
}
