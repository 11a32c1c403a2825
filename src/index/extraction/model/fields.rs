//! The fields of one record: how they are separated, what stands in them.

use crate::domain::ClaimStatus;
use crate::language::unbroken;
use regex::Regex;
use std::sync::LazyLock;

/// `<|>` and what models make of it.
static DELIMITER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[<＜〈《]\s*\\?[|｜¦]+\\?\s*[>＞〉》]|[<＜]\s*\\?[|｜¦]+|[|｜¦]+\\?\s*[>＞]").ok()
});
/// The end of one quoted text and the beginning of the next, the delimiter forgotten.
static QUOTE_BORDER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"["”」]\s+["“「]"#).ok());

/// Replaces every spelling of the field delimiter by a character that stands in no text.
pub(super) fn mark_delimiters(text: &str) -> String {
    let text = text.replace(MARK, " ");
    DELIMITER.as_ref().map_or(text.clone(), |delimiter| delimiter.replace_all(&text, MARK_TEXT).into_owned())
}

/// Stands for a field delimiter.
pub(super) const MARK: char = '\u{1f}';
const MARK_TEXT: &str = "\u{1f}";

/// The raw fields of a record, the kind's word first.
pub(super) fn split(record: &str) -> Vec<String> {
    let record = without_parentheses(record);
    if record.contains(MARK) {
        return record.split(MARK).map(str::to_owned).collect();
    }
    if record.contains(['|', '｜']) {
        return record.trim_matches(['|', '｜', ' ']).split(['|', '｜']).map(str::to_owned).collect();
    }
    if record.contains('\t') {
        return record.split('\t').map(str::to_owned).collect();
    }
    split_at_commas(record)
}

/// Splits fields in which the delimiter between two quoted texts was forgotten.
pub(super) fn split_quoted(fields: &[String]) -> Vec<String> {
    let Some(border) = QUOTE_BORDER.as_ref() else {
        return fields.to_vec();
    };
    fields.iter().flat_map(|field| border.split(field).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// A field as text: entities of HTML resolved, quotes, bold marks and white space around it taken off.
pub(super) fn clean(field: &str) -> String {
    let text = decode_entities(field);
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut text = unbroken(&text);
    loop {
        let bare = without_wrapping(&text);
        if bare.len() == text.len() {
            return text;
        }
        text = bare.to_owned();
    }
}

/// The last field of a record without the parenthesis that closes the record.
pub(super) fn clean_last(field: &str) -> String {
    let mut text =
        field.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '*' | '`' | '#'));
    let count = |text: &str, marks: [char; 2]| text.chars().filter(|c| marks.contains(c)).count();
    let mut surplus = count(text, [')', '）']).saturating_sub(count(text, ['(', '（']));
    while surplus > 0
        && let Some(rest) = text.strip_suffix([')', '）'])
    {
        text = rest.trim_end();
        surplus -= 1;
    }
    clean(text)
}

/// A strength from 1 to 10 out of "8", "8.5", "8/10", "strength: 8"; `None` where there is no number.
pub(super) fn strength(field: &str) -> Option<u32> {
    let digits: String = field
        .chars()
        .map(|c| match c {
            '０'..='９' => char::from_u32(c as u32 - 0xff10 + 0x30).unwrap_or(c),
            other => other,
        })
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .take(12)
        .collect();
    let number: f64 = digits.trim_end_matches('.').parse().ok()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 10")]
    Some(number.round().clamp(1.0, 10.0) as u32)
}

/// Whether a field is a strength and nothing else.
pub(super) fn is_strength(field: &str) -> bool {
    let bare = clean_last(field);
    bare.chars().count() <= 24 && strength(&bare).is_some() && bare.split_whitespace().count() <= 3
}

/// Whether a field says that there is nothing.
pub(super) fn is_nothing(text: &str) -> bool {
    let text = text.trim_matches(['"', '\'', '.', ' ', '<', '>', '|', '(', ')']).to_lowercase();
    matches!(
        text.as_str(),
        "" | "none" | "n/a" | "na" | "null" | "nil" | "-" | "unknown" | "无" | "没有" | "未知"
    )
}

/// Whether a field is a claim's status.
pub(super) fn is_status(text: &str) -> bool {
    let text = clean(text).to_uppercase();
    ClaimStatus::from_text(&text) != ClaimStatus::Suspected || text == "SUSPECTED"
}

/// A date as ISO 8601, or nothing.
pub(super) fn date(text: &str) -> String {
    let text = text.trim();
    let day = text.get(..10).unwrap_or(text);
    let parts: Vec<&str> = day.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let numbers = parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    if numbers && matches!(lengths.as_slice(), [4] | [4, 2] | [4, 2, 2]) {
        day.to_owned()
    } else {
        String::new()
    }
}

fn without_parentheses(record: &str) -> &str {
    record
        .trim()
        .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '(' | '（' | '*' | '`' | '-' | '•'))
}

/// Splits at commas outside quotes; without quotes no more fields than a record can have.
fn split_at_commas(record: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quote: Option<char> = None;
    for c in record.chars() {
        match quote {
            Some(close) if c == close => quote = None,
            None if matches!(c, '"' | '“' | '「') => {
                quote = Some(match c {
                    '“' => '”',
                    '「' => '」',
                    other => other,
                });
            }
            None if matches!(c, ',' | '，' | '、') => {
                fields.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(field) = fields.last_mut() {
            field.push(c);
        }
    }
    fields
}

fn without_wrapping(text: &str) -> &str {
    let text = text.trim();
    for (open, close) in [
        ("**", "**"),
        ("\"", "\""),
        ("“", "”"),
        ("「", "」"),
        ("‘", "’"),
        ("'", "'"),
        ("`", "`"),
        ("『", "』"),
    ] {
        if text.len() >= open.len() + close.len()
            && let Some(inner) = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close))
            && !inner.contains(open)
        {
            return inner.trim();
        }
    }
    // one half of a pair of double quotes or of bold marks
    for mark in ["\"", "**"] {
        if text.matches(mark).count() == 1 {
            return text.strip_prefix(mark).or_else(|| text.strip_suffix(mark)).unwrap_or(text).trim();
        }
    }
    text
}

fn decode_entities(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        result.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
        let end = rest.bytes().take(10).position(|byte| byte == b';');
        match end.and_then(|end| Some((decode_entity(rest.get(..end)?)?, end))) {
            Some((c, end)) => {
                result.push(c);
                rest = rest.get(end + 1..).unwrap_or_default();
            }
            None => result.push('&'),
        }
    }
    result.push_str(rest);
    result
}

fn decode_entity(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" | "rsquo" | "lsquo" => '\'',
        "nbsp" => ' ',
        "ldquo" => '“',
        "rdquo" => '”',
        "mdash" => '—',
        "ndash" => '–',
        "hellip" => '…',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_freed_of_what_models_put_round_them() {
        let check = |field: &str, expected: &str| assert_eq!(clean(field), expected);
        check(" \"Scrooge\" ", "Scrooge");
        check("**Scrooge**", "Scrooge");
        check("**\"Scrooge\"**", "Scrooge");
        check("“刘备”", "刘备");
        check("Marley &amp; Co&#39;s &quot;ledger&quot;", "Marley & Co's \"ledger\"");
        check("a & b &nosuch; c", "a & b &nosuch; c");
        check("\"one\" and \"two\"", "\"one\" and \"two\"");
        check("the Men's", "the Men's");
        check("\"cut", "cut");
    }

    #[test]
    fn the_parenthesis_of_a_record_is_taken_off_and_no_other() {
        let check = |field: &str, expected: &str| assert_eq!(clean_last(field), expected);
        check("a ghost)", "a ghost");
        check("a ghost (of Marley))", "a ghost (of Marley)");
        check("a ghost (of Marley)", "a ghost (of Marley)");
        check("\"a ghost.\"),", "a ghost.");
        check("人物）", "人物");
    }

    #[test]
    fn a_strength_is_a_whole_number_from_1_to_10() {
        let check = |field: &str, expected: Option<u32>| assert_eq!(strength(field), expected, "{field}");
        check("8", Some(8));
        check("8.5", Some(9));
        check("8/10", Some(8));
        check("\"7\")", Some(7));
        check("strength: 6", Some(6));
        check("８", Some(8));
        check("0", Some(1));
        check("250", Some(10));
        check("strong", None);
    }

    #[test]
    fn dates_are_iso_or_nothing() {
        let check = |text: &str, expected: &str| assert_eq!(date(text), expected);
        check("1843-12-24T00:00:00", "1843-12-24");
        check("1843", "1843");
        check("NONE", "");
        check("December 1843", "");
        check("公元一九四九年十月", "");
    }
}
