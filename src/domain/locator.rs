//! Where in its file a piece of a document stands: page, slide, row, time, chapter, message.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
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
    /// Statements of a graph that was there before; the label is the node or the relationship as a pattern.
    Graph,
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

    /// Whether what begins here and ends at `last` stands on more than one page.
    fn goes_on_to(&self, last: &Self) -> bool {
        self.kind == LocatorKind::Page && last.kind == LocatorKind::Page && last.number > self.number
    }

    /// What the file calls it: its label, else its number.
    fn name(&self) -> String {
        if self.label.is_empty() { self.number.to_string() } else { self.label.clone() }
    }

    /// Whether another place of its file is of another part than this one whatever stands between: a section goes on over
    /// pages and rows, not over sheets, chapters, slides or messages.
    pub fn is_another_part(&self, other: &Self) -> bool {
        match self.kind {
            LocatorKind::Page | LocatorKind::Time => false,
            LocatorKind::Row => self.label != other.label,
            LocatorKind::Slide | LocatorKind::Chapter | LocatorKind::Message | LocatorKind::Graph => {
                self != other
            }
        }
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
            (LocatorKind::Graph, pattern) => write!(f, "[graph] {pattern}"),
        }
    }
}

/// The place of a stretch as it is shown: `p. 12`, `pp. 12–13`, `pp. iv–1 (4–5)`. Places that are no pages are told by the
/// first.
pub fn place_shown(first: &Locator, last: Option<&Locator>) -> String {
    let Some(last) = last.filter(|last| first.goes_on_to(last)) else { return first.to_string() };
    let (from, to) = (first.number, last.number);
    if first.label.is_empty() && last.label.is_empty() {
        return format!("pp. {from}–{to}");
    }
    format!("pp. {}–{} ({from}–{to})", first.name(), last.name())
}

/// The place of a character by marks in ascending order.
pub fn locator_at(marks: &[LocatorMark], offset: u64) -> Option<&Locator> {
    let behind = marks.partition_point(|mark| mark.offset <= offset);
    behind.checked_sub(1).and_then(|last| marks.get(last)).map(|mark| &mark.locator)
}

/// The page that the last character before `end` stands on, where the stretch from `start` begins on an earlier one.
pub fn last_page_of(marks: &[LocatorMark], start: u64, end: u64) -> Option<&Locator> {
    let first = locator_at(marks, start)?;
    locator_at(marks, end.saturating_sub(1).max(start)).filter(|last| first.goes_on_to(last))
}

/// The marks that hold for the characters from `start` up to `end`: the first one moved to `start` where it begins
/// before it.
pub fn marks_within(marks: &[LocatorMark], start: u64, end: u64) -> Vec<LocatorMark> {
    let first = marks.partition_point(|mark| mark.offset <= start).saturating_sub(1);
    let held = marks.get(first..).unwrap_or_default().iter().take_while(|mark| mark.offset < end);
    held.map(|mark| LocatorMark { offset: mark.offset.max(start), locator: mark.locator.clone() }).collect()
}

/// Where in its file a text unit stands, from its first place to its last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceSpan {
    /// What is counted.
    pub kind: LocatorKind,
    /// The lowest number.
    pub first: u64,
    /// The highest number.
    pub last: u64,
    /// What the file calls these places, in lower case, sorted: "iv", a sheet's name.
    pub labels: Vec<String>,
}

impl PlaceSpan {
    /// That of a text unit's marks; nothing where it has none. A graph has no places in an order.
    pub fn of(marks: &[LocatorMark]) -> Option<Self> {
        let kind = marks.first().map(|mark| mark.locator.kind).filter(|kind| *kind != LocatorKind::Graph)?;
        let places = || marks.iter().map(|mark| &mark.locator).filter(|place| place.kind == kind);
        let labels: BTreeSet<String> =
            places().map(|place| place.label.to_lowercase()).filter(|label| !label.is_empty()).collect();
        Some(Self {
            kind,
            first: places().map(|place| place.number).min()?,
            last: places().map(|place| place.number).max()?,
            labels: labels.into_iter().collect(),
        })
    }
}

/// Places that are asked for: any of these ranges, or any of these names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceFilter {
    /// What is counted.
    pub kind: LocatorKind,
    /// Numbers, from the first to the last of a range.
    pub ranges: Vec<(u64, u64)>,
    /// What files call places, in lower case.
    pub labels: Vec<String>,
}

impl PlaceFilter {
    /// Whether some of what stands there was asked for.
    pub fn holds_for(&self, span: &PlaceSpan) -> bool {
        let in_range = |&(from, to): &(u64, u64)| span.first <= to && span.last >= from;
        let is_named = |label: &String| span.labels.contains(label);
        self.kind == span.kind && (self.ranges.iter().any(in_range) || self.labels.iter().any(is_named))
    }
}

impl LocatorKind {
    /// Its name in payloads of vectors.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Slide => "slide",
            Self::Row => "row",
            Self::Time => "time",
            Self::Chapter => "chapter",
            Self::Message => "message",
            Self::Graph => "graph",
        }
    }

    /// The kind of a name.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Page, Self::Slide, Self::Row, Self::Time, Self::Chapter, Self::Message];
        // nobody asks for places of a graph
        all.into_iter().find(|kind| kind.as_str() == name)
    }
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
        check(Locator::new(LocatorKind::Graph, 2).labelled("(:Person)"), "[graph] (:Person)");
    }

    #[test]
    fn what_stands_on_two_pages_is_shown_with_both() {
        let page = |number| Locator::new(LocatorKind::Page, number);
        let check = |first: &Locator, last: Option<&Locator>, expected: &str| {
            assert_eq!(place_shown(first, last), expected);
        };
        check(&page(12), None, "p. 12");
        check(&page(12), Some(&page(12)), "p. 12");
        check(&page(12), Some(&page(13)), "pp. 12–13");
        check(&page(4).labelled("iv"), Some(&page(5).labelled("v")), "pp. iv–v (4–5)");
        check(&page(4).labelled("iv"), Some(&page(5)), "pp. iv–5 (4–5)");
        let slide = |number| Locator::new(LocatorKind::Slide, number);
        check(&slide(1), Some(&slide(2)), "slide 1");
    }

    #[test]
    fn a_stretch_ends_on_the_page_of_its_last_character() {
        let mark = |offset, number| LocatorMark { offset, locator: Locator::new(LocatorKind::Page, number) };
        let marks = [mark(0, 1), mark(10, 2), mark(20, 3)];
        let last = |start, end| last_page_of(&marks, start, end).map(|page| page.number);
        assert_eq!((last(2, 10), last(2, 11), last(2, 21)), (None, Some(2), Some(3)));
        assert_eq!((last(12, 18), last(12, 12), last(0, 0)), (None, None, None));
        assert_eq!(last_page_of(&marks[1..], 3, 12), None, "it begins before every page");
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

    #[test]
    fn a_unit_meets_a_filter_where_it_stands_on_any_of_its_places() {
        let mark = |number, label: &str| LocatorMark {
            offset: number,
            locator: Locator::new(LocatorKind::Page, number).labelled(label),
        };
        let span = PlaceSpan::of(&[mark(4, "IV"), mark(5, ""), mark(6, "")]).unwrap();
        let check = |kind, range: (u64, u64), label: &str, expected: bool| {
            let labels = if label.is_empty() { vec![] } else { vec![label.to_owned()] };
            let filter = PlaceFilter { kind, ranges: vec![range], labels };
            assert_eq!(filter.holds_for(&span), expected, "{filter:?}");
        };
        check(LocatorKind::Page, (6, 20), "", true);
        check(LocatorKind::Page, (5, 5), "", true);
        check(LocatorKind::Page, (7, 20), "", false);
        check(LocatorKind::Page, (7, 20), "iv", true);
        check(LocatorKind::Slide, (5, 5), "", false);
        assert_eq!(PlaceSpan::of(&[]), None);
    }
}
