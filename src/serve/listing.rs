//! The list of documents: by key as they are stored, or sorted by a column.

use super::problem::{Outcome, Problem};
use super::reading::{document_shape, with_times};
use super::shapes::{DocumentShape, Listing};
use super::workspaces::{Workspace, flat};
use crate::domain::{Document, DocumentStatus};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Documents read at once.
const PAGE: usize = 500;
/// Digits that a number within a title is filled up to, so that part 2 comes before part 10.
const DIGITS: usize = 12;

/// Which documents are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'a> {
    /// Only those whose key or title holds this.
    pub(crate) q: Option<&'a str>,
    /// Only those in this state.
    pub(crate) state: Option<&'a str>,
    /// Their order; by key where absent.
    pub(crate) sort: Option<Sort>,
    /// What `next` of the page before says.
    pub(crate) after: Option<&'a str>,
    /// Rows at most.
    pub(crate) limit: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Key,
    Title,
    State,
    TextUnits,
    Characters,
    Date,
    IndexedAt,
}

const COLUMNS: [(&str, Column); 7] = [
    ("key", Column::Key),
    ("title", Column::Title),
    ("state", Column::State),
    ("text_units", Column::TextUnits),
    ("characters", Column::Characters),
    ("date", Column::Date),
    ("indexed_at", Column::IndexedAt),
];

/// A column, and in which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sort {
    column: Column,
    is_descending: bool,
}

/// Where a row stands in a sorted list: what the column says, so written that texts compare as it does, and the key.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    value: String,
    key: String,
}

impl Sort {
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

    fn place(self, row: &DocumentShape) -> Place {
        let value = match self.column {
            Column::Key => row.key.clone(),
            Column::Title => natural(if row.title.is_empty() { &row.key } else { &row.title }),
            Column::State => match row.state.as_str() {
                "failed" => "0".to_owned(),
                "pending" => "1".to_owned(),
                _ => "2".to_owned(),
            },
            Column::TextUnits => format!("{:020}", row.text_units),
            Column::Characters => format!("{:020}", row.characters),
            Column::Date => row.date.clone().unwrap_or_default(),
            Column::IndexedAt => row.indexed_at.clone().unwrap_or_default(),
        };
        Place { value, key: row.key.clone() }
    }

    /// What has no value comes last in both directions, and equals stand by key.
    fn compare(self, one: &Place, other: &Place) -> Ordering {
        let by_value =
            if self.is_descending { other.value.cmp(&one.value) } else { one.value.cmp(&other.value) };
        one.value.is_empty().cmp(&other.value.is_empty()).then(by_value).then_with(|| one.key.cmp(&other.key))
    }
}

impl Place {
    fn read(text: &str) -> Outcome<Self> {
        let (value, key) = serde_json::from_str(text).map_err(|_error| {
            Problem::invalid(format!(
                "after is {text:?}; give what `next` of the page before says, with the same sort"
            ))
        })?;
        Ok(Self { value, key })
    }

    fn write(&self) -> String {
        serde_json::json!([self.value, self.key]).to_string()
    }
}

/// A text for comparing: without the size of letters, numbers by their value.
fn natural(text: &str) -> String {
    let mut written = String::new();
    let mut digits = String::new();
    for character in flat(text).chars().chain(['\n']) {
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

impl Wanted<'_> {
    fn fits(&self, row: &DocumentShape, q: Option<&str>) -> bool {
        q.is_none_or(|q| flat(&row.key).contains(q) || flat(&row.title).contains(q))
            && self.state.is_none_or(|state| row.state == state)
    }
}

/// Documents behind a key, by key, with how far each has come.
async fn page(workspace: &Workspace, after: Option<&str>, limit: usize) -> Outcome<Vec<DocumentShape>> {
    let reader = workspace.services.graph.as_ref();
    let documents = reader.documents(after, limit).await?;
    let states: BTreeMap<String, DocumentStatus> = reader
        .document_status(after, limit)
        .await?
        .into_iter()
        .map(|status| (status.key.clone(), status))
        .collect();
    let shape = |document: Document| {
        let known = states.get(&document.key).cloned();
        document_shape(document, known.as_ref())
    };
    Ok(documents.into_iter().map(shape).collect())
}

/// A page of the documents that are wanted.
///
/// # Errors
/// `after` is none of this list's; what the store says.
pub(crate) async fn documents(workspace: &Workspace, wanted: &Wanted<'_>) -> Outcome<Listing<DocumentShape>> {
    let q = wanted.q.map(flat).filter(|q| !q.is_empty());
    let mut list = match wanted.sort {
        Some(sort) => sorted(workspace, wanted, q.as_deref(), sort).await?,
        None => by_key(workspace, wanted, q.as_deref()).await?,
    };
    with_times(workspace, &mut list.items).await?;
    Ok(list)
}

async fn by_key(
    workspace: &Workspace,
    wanted: &Wanted<'_>,
    q: Option<&str>,
) -> Outcome<Listing<DocumentShape>> {
    let size = if q.is_some() || wanted.state.is_some() { PAGE } else { wanted.limit + 1 };
    let mut items: Vec<DocumentShape> = Vec::new();
    let mut after = wanted.after.map(str::to_owned);
    loop {
        let rows = page(workspace, after.as_deref(), size).await?;
        let is_last = rows.len() < size;
        after = rows.last().map(|row| row.key.clone());
        for row in rows.into_iter().filter(|row| wanted.fits(row, q)) {
            if items.len() == wanted.limit {
                return Ok(Listing { next: items.last().map(|last| last.key.clone()), items });
            }
            items.push(row);
        }
        if is_last {
            return Ok(Listing { items, next: None });
        }
    }
}

/// Goes through all documents, and holds no more of them than are shown.
async fn sorted(
    workspace: &Workspace,
    wanted: &Wanted<'_>,
    q: Option<&str>,
    sort: Sort,
) -> Outcome<Listing<DocumentShape>> {
    let behind = wanted.after.map(Place::read).transpose()?;
    let is_behind =
        |place: &Place| behind.as_ref().is_none_or(|last| sort.compare(place, last) == Ordering::Greater);
    let mut first: Vec<(Place, DocumentShape)> = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let mut rows = page(workspace, after.as_deref(), PAGE).await?;
        let is_last = rows.len() < PAGE;
        after = rows.last().map(|row| row.key.clone());
        rows.retain(|row| wanted.fits(row, q));
        if sort.column == Column::IndexedAt {
            with_times(workspace, &mut rows).await?;
        }
        let placed = rows.into_iter().map(|row| (sort.place(&row), row));
        first.extend(placed.filter(|(place, _)| is_behind(place)));
        first.sort_by(|(one, _), (other, _)| sort.compare(one, other));
        first.truncate(wanted.limit + 1);
        if is_last {
            break;
        }
    }
    let has_more = first.len() > wanted.limit;
    first.truncate(wanted.limit);
    let next = first.last().filter(|_| has_more).map(|(place, _)| place.write());
    Ok(Listing { items: first.into_iter().map(|(_, row)| row).collect(), next })
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let sort = Sort::read(sort).unwrap();
            let mut places: Vec<Place> = rows.iter().map(|row| sort.place(row)).collect();
            places.sort_by(|one, other| sort.compare(one, other));
            let keys: String = places.iter().map(|place| place.key.as_str()).collect();
            assert_eq!(keys, wanted, "{sort:?}");
            for place in places {
                assert_eq!(Place::read(&place.write()).unwrap(), place);
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
        let told = Sort::read("size").unwrap_err().detail;
        assert!(told.contains("key, title, state, text_units, characters, date, indexed_at"), "{told}");
        assert!(Place::read("docs/a.txt").is_err());
    }
}
