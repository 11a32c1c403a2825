//! Months and days of the week in English. Lower case.

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The month, from 1, that a word is, whole or shortened to three letters ("sept", too).
pub(crate) fn month_of(word: &str) -> Option<u32> {
    let short = if word == "sept" { "sep" } else { word };
    let is_it = |month: &&str| **month == *word || short.len() == 3 && month.starts_with(short);
    let place = MONTHS.iter().position(is_it)?;
    u32::try_from(place + 1).ok()
}

/// Whether a word is a whole month's name.
pub(crate) fn is_month(word: &str) -> bool {
    MONTHS.contains(&word)
}

/// Whether a stem is that of a month's name: "decemb", "juli".
pub(crate) fn is_stem_of_month(stem: &str) -> bool {
    let root = stem.trim_end_matches('i');
    root.len() >= 3 && MONTHS.iter().any(|month| month.starts_with(root))
}

/// Whether a word shortens a month.
pub(crate) fn is_short_month(word: &str) -> bool {
    !is_month(word) && month_of(word).is_some()
}

/// Whether a word is a day of the week.
pub(crate) fn is_weekday(word: &str) -> bool {
    DAYS.contains(&word)
}

/// Short forms of days of the week, each with its place among [`DAYS`].
const SHORT_DAYS: [(&str, usize); 11] = [
    ("fri", 4),
    ("mon", 0),
    ("sat", 5),
    ("sun", 6),
    ("thu", 3),
    ("thur", 3),
    ("thurs", 3),
    ("tue", 1),
    ("tues", 1),
    ("wed", 2),
    ("weds", 2),
];

/// The day of the week that a short form is of: "mon", "thurs".
pub(crate) fn weekday_of(short: &str) -> Option<&'static str> {
    let (_, place) = SHORT_DAYS.iter().find(|(known, _)| *known == short)?;
    DAYS.get(*place).copied()
}

/// Whether a word shortens a day of the week.
pub(crate) fn is_short_weekday(word: &str) -> bool {
    weekday_of(word).is_some()
}

/// Whether a word is a month, whole or shortened, or a day of the week.
pub(crate) fn is_calendar(word: &str) -> bool {
    month_of(word).is_some() || is_weekday(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_known_whole_and_shortened() {
        for (word, month) in [("january", Some(1)), ("sept", Some(9)), ("may", Some(5)), ("dec", Some(12))] {
            assert_eq!(month_of(word), month, "{word}");
        }
        for word in ["", "ma", "marc", "monday", "sunda"] {
            assert_eq!(month_of(word), None, "{word}");
        }
        assert!(is_short_month("jan") && !is_short_month("may") && !is_short_month("january"));
        assert_eq!(weekday_of("thurs"), Some("thursday"));
        assert!(is_short_weekday("mon") && !is_short_weekday("monday") && !is_short_weekday("mo"));
        assert!(is_calendar("sunday") && is_calendar("oct") && !is_calendar("noon"));
    }
}
