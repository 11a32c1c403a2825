//! Numbers of sheets as they are shown: `£12.50`, `15.0%`.

/// What a part of a format is.
#[derive(Clone, Debug, PartialEq)]
enum FormatPiece {
    Text(String),
    /// Where the digits stand.
    Digits,
}

/// A part of a format: for numbers above zero, below it, or zero.
#[derive(Clone, Debug, Default)]
struct Section {
    pieces: Vec<FormatPiece>,
    /// Fewest digits before the point, fewest and most behind it.
    whole: usize,
    least: usize,
    most: usize,
    has_groups: bool,
    percents: i32,
    /// Commas behind the digits: each divides by a thousand.
    thousands: i32,
}

/// A number in a format of a sheet's cell; `None` for formats that say nothing of numbers: dates, fractions, text, the
/// general one.
pub(super) fn format_number(value: f64, format: &str) -> Option<String> {
    let sections = sections(format);
    let (section, is_signed) = match sections.as_slice() {
        [one] => (one, value < 0.0),
        [_, below, ..] if value < 0.0 => (below, false),
        [_, _, zero, ..] if value == 0.0 => (zero, false),
        [above, ..] => (above, false),
        [] => return None,
    };
    let section = parsed(section)?;
    let scaled = value.abs() * 100_f64.powi(section.percents) / 1000_f64.powi(section.thousands);
    let digits = digits(scaled, &section)?;
    let is_zero = digits.chars().all(|c| !('1'..='9').contains(&c));
    let mut text = String::from(if is_signed && !is_zero { "-" } else { "" });
    for piece in &section.pieces {
        match piece {
            FormatPiece::Text(literal) => text.push_str(literal),
            FormatPiece::Digits => text.push_str(&digits),
        }
    }
    Some(text.trim().to_owned())
}

/// The parts of a format, divided by `;` outside of quotes.
fn sections(format: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    let (mut in_quotes, mut is_escaped) = (false, false);
    for c in format.chars() {
        if c == ';' && !in_quotes && !is_escaped {
            sections.push(String::new());
            continue;
        }
        in_quotes ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        if let Some(last) = sections.last_mut() {
            last.push(c);
        }
    }
    sections
}

fn parsed(text: &str) -> Option<Section> {
    let mut section = Section::default();
    let mut characters = text.chars().peekable();
    let (mut behind_point, mut commas) = (false, 0);
    while let Some(c) = characters.next() {
        match c {
            '0' | '#' | '?' => {
                if !section.pieces.contains(&FormatPiece::Digits) {
                    section.pieces.push(FormatPiece::Digits);
                }
                section.has_groups |= commas > 0 && !behind_point;
                commas = 0;
                match (behind_point, c == '0') {
                    (false, is_zero) => section.whole += usize::from(is_zero),
                    (true, is_zero) => {
                        section.most += 1;
                        section.least = if is_zero { section.most } else { section.least };
                    }
                }
            }
            '.' => behind_point = true,
            ',' => commas += 1,
            '"' => {
                let literal: String = characters.by_ref().take_while(|c| *c != '"').collect();
                section.pieces.push(FormatPiece::Text(literal));
            }
            '\\' => section.pieces.extend(characters.next().map(|c| FormatPiece::Text(c.to_string()))),
            // as wide as the next one, or filled up with it
            '_' | '*' => drop(characters.next()),
            '[' => {
                let inside: String = characters.by_ref().take_while(|c| *c != ']').collect();
                // a currency with its language; else a colour or a condition
                if let Some(currency) = inside.strip_prefix('$') {
                    let sign = currency.split('-').next().unwrap_or_default();
                    section.pieces.push(FormatPiece::Text(sign.to_owned()));
                } else if inside.starts_with(['h', 'm', 's', 'H', 'M', 'S', '<', '>', '='])
                    && inside.len() < 4
                {
                    return None;
                }
            }
            '%' => {
                section.percents += 1;
                section.pieces.push(FormatPiece::Text("%".into()));
            }
            // dates, exponents, fractions, text
            '@' | '/' => return None,
            c if c.is_ascii_alphabetic() => return None,
            c => section.pieces.push(FormatPiece::Text(c.to_string())),
        }
    }
    section.thousands = commas;
    section.pieces.contains(&FormatPiece::Digits).then_some(section)
}

/// The digits of a number that is not below zero.
fn digits(value: f64, section: &Section) -> Option<String> {
    if !value.is_finite() || value >= 1e15 || section.most > 12 {
        return None;
    }
    // halves are rounded up, of what a sheet computed as well
    let factor = 10_f64.powi(i32::try_from(section.most).ok()?);
    let rounded = (value * factor * (1.0 + f64::EPSILON)).round() / factor;
    let written = format!("{rounded:.*}", section.most);
    let (whole, behind) = written.split_once('.').unwrap_or((written.as_str(), ""));
    let whole = if section.whole == 0 && whole == "0" { "" } else { whole };
    let whole = format!("{whole:0>width$}", width = section.whole);
    let keep = behind.trim_end_matches('0').len().max(section.least);
    let behind = behind.get(..keep).unwrap_or_default();
    let whole = if section.has_groups { grouped(&whole) } else { whole };
    let point = if behind.is_empty() { "" } else { "." };
    let shown = format!("{whole}{point}{behind}");
    Some(if shown.is_empty() { "0".to_owned() } else { shown })
}

fn grouped(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_in_their_formats() {
        let check = |value: f64, format: &str, wanted: Option<&str>| {
            assert_eq!(format_number(value, format).as_deref(), wanted, "{value} as {format}");
        };
        check(12.5, "\"£\"#,##0.00", Some("£12.50"));
        check(45000.0, "[$£-809]#,##0.00", Some("£45,000.00"));
        check(0.15, "0.0%", Some("15.0%"));
        check(0.25, "0%", Some("25%"));
        check(4.5, "0.00", Some("4.50"));
        check(-1234.5, "#,##0.00;[Red](#,##0.00)", Some("(1,234.50)"));
        check(-3.0, "0.0", Some("-3.0"));
        check(7.0, "00000", Some("00007"));
        check(1_234_567.0, "#,##0,\" k\"", Some("1,235 k"));
        check(0.285, "0.##", Some("0.29"));
        check(2.5, "0.##", Some("2.5"));
        check(12.0, "0\" kg\"", Some("12 kg"));
        check(0.0, "0;-0;\"none\"0", Some("none0"));
        check(1.005, "_-* #,##0.00\\ \"€\"_-", Some("1.01 €"));
        for other in ["General", "yyyy-mm-dd", "[h]:mm", "0.00E+00", "# ?/?", "@", ""] {
            check(1.5, other, None);
        }
    }
}
