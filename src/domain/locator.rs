//! Where in its file a piece of a document stands: page, slide, row, time, chapter, message.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a [`Locator`] counts.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum LocatorKind {
    /// Pages of a PDF or of a text that was typeset.
    Page,
    /// Slides of a presentation.
    Slide,
    /// Rows of a sheet; the label names the sheet.
    Row,
    /// Seconds from the start of a recording.
    Time,
    /// Chapters of a book; the label is the chapter's title.
    Chapter,
    /// Messages of a mailbox.
    Message,
}

/// A place in a file, as a reader would look it up.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Locator {
    /// What is counted.
    pub kind: LocatorKind,
    /// Its number from 1; seconds from 0 for a time.
    pub number: u64,
    /// What the file itself calls it, where that differs: "iv", a sheet's name, a chapter's title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
}

/// Where a place begins in a document's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocatorMark {
    /// First character, in Unicode scalar values.
    pub offset: u64,
    /// The place that begins there and ends where the next one begins.
    pub locator: Locator,
}

impl Locator {
    /// A place without a name of its own.
    pub fn new(kind: LocatorKind, number: u64) -> Self {
        Self { kind, number, label: String::new() }
    }

    /// The same with what the file calls it.
    #[must_use]
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
}

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number;
        match (self.kind, self.label.as_str()) {
            (LocatorKind::Page, "") => write!(f, "p. {number}"),
            (LocatorKind::Page, label) => write!(f, "p. {label} ({number})"),
            (LocatorKind::Slide, _) => write!(f, "slide {number}"),
            (LocatorKind::Row, "") => write!(f, "row {number}"),
            (LocatorKind::Row, sheet) => write!(f, "sheet {sheet}, row {number}"),
            (LocatorKind::Time, _) => {
                write!(f, "{:02}:{:02}:{:02}", number / 3600, number / 60 % 60, number % 60)
            }
            (LocatorKind::Chapter, "") => write!(f, "chapter {number}"),
            (LocatorKind::Chapter, title) => write!(f, "chapter {number}, {title}"),
            (LocatorKind::Message, _) => write!(f, "message {number}"),
        }
    }
}

/// The place of a character by marks in ascending order.
pub fn locator_at(marks: &[LocatorMark], offset: u64) -> Option<&Locator> {
    let behind = marks.partition_point(|mark| mark.offset <= offset);
    behind.checked_sub(1).and_then(|last| marks.get(last)).map(|mark| &mark.locator)
}

/// The marks that hold for the characters from `start` up to `end`: the first one moved to `start` where it begins
/// before it.
pub fn marks_within(marks: &[LocatorMark], start: u64, end: u64) -> Vec<LocatorMark> {
    let first = marks.partition_point(|mark| mark.offset <= start).saturating_sub(1);
    let held = marks.get(first..).unwrap_or_default().iter().take_while(|mark| mark.offset < end);
    held.map(|mark| LocatorMark { offset: mark.offset.max(start), locator: mark.locator.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_shown_as_a_reader_looks_it_up() {
        let check = |place: Locator, expected: &str| assert_eq!(place.to_string(), expected);
        check(Locator::new(LocatorKind::Page, 12), "p. 12");
        check(Locator::new(LocatorKind::Page, 4).labelled("iv"), "p. iv (4)");
        check(Locator::new(LocatorKind::Row, 3).labelled("Stock"), "sheet Stock, row 3");
        check(Locator::new(LocatorKind::Time, 3850), "01:04:10");
        check(Locator::new(LocatorKind::Chapter, 2).labelled("The First"), "chapter 2, The First");
    }

    #[test]
    fn marks_lead_from_a_character_to_its_place() {
        let marks: Vec<LocatorMark> = [(0, 1), (10, 2), (20, 3)]
            .map(|(offset, number)| LocatorMark { offset, locator: Locator::new(LocatorKind::Page, number) })
            .into();
        let page = |offset| locator_at(&marks, offset).map(|locator| locator.number);
        assert_eq!((page(0), page(9), page(10), page(99)), (Some(1), Some(1), Some(2), Some(3)));
        assert_eq!(locator_at(&marks[1..], 3), None);
        let within = marks_within(&marks, 12, 21);
        assert_eq!(
            within.iter().map(|m| (m.offset, m.locator.number)).collect::<Vec<_>>(),
            [(12, 2), (20, 3)]
        );
        assert_eq!(marks_within(&marks[1..], 3, 12).first().map(|mark| mark.offset), Some(10));
    }
}
