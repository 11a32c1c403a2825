//! Dates written in several ways: "5 January 1960", "January 5th, 1960", "Jan. 5, 1960", "1960-01-05".

use super::form::NameForm;
use super::groups::{GroupRule, NameLink};
use super::spelling::{blocks, link};
use crate::language::vocabulary::calendar::month_of;

/// A day, a month of a year, or a day of any year.
type Date = (Option<u32>, u32, Option<u32>);

/// Links between names that are the same date.
pub(super) fn links(forms: &[Option<NameForm>]) -> Vec<NameLink> {
    let mut links = Vec::new();
    for block in blocks(forms, date) {
        link(forms, &block, GroupRule::Date, &mut links);
    }
    links
}

/// The date that a name is; `None` where any word is no part of one.
fn date(form: &NameForm) -> Option<Date> {
    if form.words.len() > 4 || !form.note.is_empty() {
        return None;
    }
    if let [year, month, day] = form.words.as_slice()
        && year.len() == 4
        && month.len() == 2
        && day.len() == 2
    {
        let (month, day) = (number(month, 12)?, number(day, 31)?);
        return Some((number(year, 9999), month, Some(day)));
    }
    let (mut year, mut month, mut day) = (None, None, None);
    for word in &form.words {
        let slot = if month_of(word).is_some() {
            (&mut month, month_of(word))
        } else if let Some(found) = day_of(word) {
            (&mut day, Some(found))
        } else if word.len() == 4 {
            (&mut year, number(word, 9999))
        } else if word == "of" {
            continue;
        } else {
            return None;
        };
        if slot.0.is_some() || slot.1.is_none() {
            return None;
        }
        *slot.0 = slot.1;
    }
    month.filter(|_| day.is_some() || year.is_some()).map(|month| (year, month, day))
}

fn day_of(word: &str) -> Option<u32> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    (digits.len() < 3).then(|| number(digits, 31)).flatten()
}

fn number(word: &str, most: u32) -> Option<u32> {
    let digits = word.chars().all(|c| c.is_ascii_digit());
    word.parse().ok().filter(|number| digits && (1..=most).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::names::resolution::form::tests::name;

    #[test]
    fn a_date_is_read_from_each_of_its_spellings() {
        let check = |text: &str, expected: Option<Date>| {
            assert_eq!(NameForm::new(&name(text, "", 1)).and_then(|form| date(&form)), expected, "{text}");
        };
        let day = Some((Some(1960), 1, Some(5)));
        check("5 January 1960", day);
        check("January 5th, 1960", day);
        check("Jan. 5, 1960", day);
        check("1960-01-05", day);
        check("January 1960", Some((Some(1960), 1, None)));
        check("the 5th of May", Some((None, 5, Some(5))));
        check("May", None);
        check("1960", None);
        check("January 5, 6", None);
        check("January 32", None);
        check("Battle of May 1960", None);
    }
}
