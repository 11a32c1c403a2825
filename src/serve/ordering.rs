//! The orders that documents are listed in, and all documents in those that were asked for.

use super::problem::{Outcome, Problem};
use super::shapes::DocumentShape;
use crate::query::question::flatten;
use std::cmp::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// Digits that a number within a title is filled up to, so that part 2 comes before part 10.
const DIGITS: usize = 12;
/// Orders that are kept.
const ORDERS: usize = 4;

/// All documents of a workspace.
#[derive(Debug, Default)]
pub(crate) struct DocumentList {
    /// By key.
    pub(crate) rows: Vec<DocumentShape>,
    orders: Mutex<Vec<(SortOrder, Arc<Order>)>>,
}

/// Places in an order, each with where its row is.
pub(crate) type Order = Vec<(ListPosition, usize)>;

impl DocumentList {
    /// Takes them, by key.
    pub(crate) fn new(rows: Vec<DocumentShape>) -> Self {
        Self { rows, orders: Mutex::default() }
    }

    /// Their order by a column; sorted once.
    pub(crate) fn order(&self, sort: SortOrder) -> Arc<Order> {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = orders.iter().find(|(known, _)| *known == sort) {
            return Arc::clone(known);
        }
        let mut order: Order = self.rows.iter().enumerate().map(|(at, row)| (sort.place(row), at)).collect();
        order.sort_by(|(one, _), (other, _)| sort.compare(one, other));
        let order = Arc::new(order);
        if orders.len() >= ORDERS {
            orders.remove(0);
        }
        orders.push((sort, Arc::clone(&order)));
        order
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SortKey {
    Key,
    Title,
    State,
    TextUnits,
    Characters,
    Date,
    IndexedAt,
}

const COLUMNS: [(&str, SortKey); 7] = [
    ("key", SortKey::Key),
    ("title", SortKey::Title),
    ("state", SortKey::State),
    ("text_units", SortKey::TextUnits),
    ("characters", SortKey::Characters),
    ("date", SortKey::Date),
    ("indexed_at", SortKey::IndexedAt),
];

/// A column, and in which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SortOrder {
    column: SortKey,
    is_descending: bool,
}

/// Where a row stands in a sorted list: what the column says, so written that texts compare as it does, and the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListPosition {
    value: String,
    key: String,
}

impl SortOrder {
    /// Reads `date`, or `-date` for the latest first.
    ///
    /// # Errors
    /// No column has the name.
    pub(crate) fn read(text: &str) -> Outcome<Self> {
        let name = text.strip_prefix('-').unwrap_or(text);
        let found = COLUMNS.iter().find(|(known, _)| *known == name);
        let (_, column) = found.ok_or_else(|| {
            let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
            Problem::invalid(format!("sort is {text:?}; there are {}, also with - before", names.join(", ")))
        })?;
        Ok(Self { column: *column, is_descending: text.starts_with('-') })
    }

    /// Whether a row's place hangs on when its text came in.
    pub(crate) fn is_by_time_of_indexing(self) -> bool {
        self.column == SortKey::IndexedAt
    }

    /// Where a row stands.
    pub(crate) fn place(self, row: &DocumentShape) -> ListPosition {
        let value = match self.column {
            SortKey::Key => row.key.clone(),
            SortKey::Title => natural(if row.title.is_empty() { &row.key } else { &row.title }),
            SortKey::State => match row.state.as_str() {
                "failed" => "0".to_owned(),
                "pending" => "1".to_owned(),
                _ => "2".to_owned(),
            },
            SortKey::TextUnits => format!("{:020}", row.text_units),
            SortKey::Characters => format!("{:020}", row.characters),
            SortKey::Date => row.date.clone().unwrap_or_default(),
            SortKey::IndexedAt => row.indexed_at.clone().unwrap_or_default(),
        };
        ListPosition { value, key: row.key.clone() }
    }

    /// What has no value comes last in both directions, and equals stand by key.
    pub(crate) fn compare(self, one: &ListPosition, other: &ListPosition) -> Ordering {
        let by_value =
            if self.is_descending { other.value.cmp(&one.value) } else { one.value.cmp(&other.value) };
        one.value.is_empty().cmp(&other.value.is_empty()).then(by_value).then_with(|| one.key.cmp(&other.key))
    }
}

impl ListPosition {
    /// Reads what [`Self::write`] wrote.
    ///
    /// # Errors
    /// Another text.
    pub(crate) fn read(text: &str) -> Outcome<Self> {
        let (value, key) = serde_json::from_str(text).map_err(|_error| {
            Problem::invalid(format!(
                "after is {text:?}; give what `next` of the page before says, with the same sort"
            ))
        })?;
        Ok(Self { value, key })
    }

    /// As `next` and `after` say it.
    pub(crate) fn write(&self) -> String {
        serde_json::json!([self.value, self.key]).to_string()
    }
}

/// A text for comparing: without the size of letters, numbers by their value.
fn natural(text: &str) -> String {
    let mut written = String::new();
    let mut digits = String::new();
    for character in flatten(text).chars().chain(['\n']) {
        if character.is_ascii_digit() {
            digits.push(character);
            continue;
        }
        if !digits.is_empty() {
            written.push_str(&format!("{digits:0>DIGITS$}"));
            digits.clear();
        }
        written.push(character);
    }
    written.truncate(written.len() - 1);
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn row(key: &str, title: &str, units: u64, date: Option<&str>, state: &str) -> DocumentShape {
        DocumentShape {
            id: String::new(),
            key: key.to_owned(),
            title: title.to_owned(),
            characters: units * 100,
            text_units: units,
            state: state.to_owned(),
            error: None,
            indexed_at: None,
            date: date.map(str::to_owned),
            metadata: BTreeMap::new(),
        }
    }

    #[test]
    fn every_column_has_an_order_and_what_is_empty_comes_last() {
        let rows = [
            row("a", "Part 10", 3, Some("2020-05"), "done"),
            row("b", "part 2", 20, None, "failed"),
            row("c", "", 1, Some("2019"), "pending"),
            row("d", "Part 1", 3, None, "done"),
        ];
        let check = |sort: &str, wanted: &str| {
            let sort = SortOrder::read(sort).unwrap();
            let mut places: Vec<ListPosition> = rows.iter().map(|row| sort.place(row)).collect();
            places.sort_by(|one, other| sort.compare(one, other));
            let keys: String = places.iter().map(|place| place.key.as_str()).collect();
            assert_eq!(keys, wanted, "{sort:?}");
            for place in places {
                assert_eq!(ListPosition::read(&place.write()).unwrap(), place);
            }
        };
        check("key", "abcd");
        check("-key", "dcba");
        check("title", "cdba");
        check("-title", "abdc");
        check("state", "bcad");
        check("text_units", "cadb");
        check("-characters", "badc");
        check("date", "cabd");
        check("-date", "acbd");
        check("indexed_at", "abcd");
    }

    #[test]
    fn a_column_that_is_none_is_refused_with_those_that_are() {
        let told = SortOrder::read("size").unwrap_err().detail;
        assert!(told.contains("key, title, state, text_units, characters, date, indexed_at"), "{told}");
        assert!(ListPosition::read("docs/a.txt").is_err());
    }
}
