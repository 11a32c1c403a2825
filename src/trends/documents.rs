//! The documents, as much of them as a line of time needs: there may be many, and all are held at once.

use crate::domain::{Document, Id, Interval, Period};
use rustc_hash::{FxHashMap, FxHashSet};

/// Documents whose titles differ by their numbers alone, from which these are a row: "Field report 34".
const ROW: usize = 3;

/// An id in half of its room.
pub(super) type PackedId = (u64, u64);

/// An id as two numbers; one that is no hexadecimal number, as those of its hash.
pub(super) fn pack(id: &Id) -> PackedId {
    let digits = |from: usize| {
        let part = id.as_str().get(from..from + 16).filter(|_| id.as_str().len() == 32)?;
        u64::from_str_radix(part, 16).ok()
    };
    if let (Some(high), Some(low)) = (digits(0), digits(16)) {
        return (high, low);
    }
    let hash = blake3::hash(id.as_str().as_bytes());
    let number = |from: usize| {
        hash.as_bytes().iter().skip(from).take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
    };
    (number(0), number(8))
}

/// A document on the line of time.
#[derive(Debug)]
struct TimedDocument {
    key: Box<str>,
    id: PackedId,
    date: Option<Interval>,
}

/// All documents, numbered in the order of their keys.
#[derive(Debug, Default)]
pub(super) struct TimedDocuments {
    all: Vec<TimedDocument>,
    /// Their numbers in the order of their ids.
    by_id: Vec<u32>,
    is_fiscal: bool,
}

impl TimedDocuments {
    pub(super) fn add(&mut self, document: &Document) {
        let is_fiscal = |date: &Period| {
            let written = date.written.to_lowercase();
            written.contains("fy") || written.contains("fiscal") || written.contains("财")
        };
        self.is_fiscal |= document.date.as_ref().is_some_and(is_fiscal);
        self.all.push(TimedDocument {
            key: document.key.as_str().into(),
            id: pack(&document.id),
            date: document.date.as_ref().map(Interval::from),
        });
    }

    /// Numbers them, once all are there.
    pub(super) fn settle(&mut self) {
        self.all.sort_by(|a, b| a.key.cmp(&b.key));
        self.all.shrink_to_fit();
        self.by_id = (0..u32::try_from(self.all.len()).unwrap_or(u32::MAX)).collect();
        let all = &self.all;
        self.by_id.sort_unstable_by_key(|number| all.get(*number as usize).map(|one| one.id));
    }

    /// A document's number.
    pub(super) fn number(&self, id: &Id) -> Option<u32> {
        let wanted = Some(pack(id));
        let id_of = |number: &u32| self.all.get(*number as usize).map(|one| one.id);
        let at = self.by_id.binary_search_by_key(&wanted, id_of).ok()?;
        self.by_id.get(at).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The date of each, by number.
    pub(super) fn dates(&self) -> impl Iterator<Item = Option<Interval>> {
        self.all.iter().map(|one| one.date)
    }

    /// The key of each, by number.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|one| &*one.key)
    }

    /// Whether any of their dates was written as a fiscal one.
    pub(super) fn is_fiscal(&self) -> bool {
        self.is_fiscal
    }
}

/// The titles and the names of files in a row, which differ by their numbers alone, in small letters: "field report 34". They
/// say which document it is and nothing that a document is about. Only those are held that something is called like.
#[derive(Debug)]
pub(super) struct TitleRows {
    names: FxHashSet<String>,
    rows: FxHashMap<String, TitleRow>,
}

/// Titles that differ by their numbers alone.
#[derive(Debug, Default)]
struct TitleRow {
    /// As many as make a row.
    first: Vec<String>,
    /// Those that are names.
    named: FxHashSet<String>,
}

impl TitleRows {
    /// For names in small letters.
    pub(super) fn new(names: FxHashSet<String>) -> Self {
        Self { names, rows: FxHashMap::default() }
    }

    pub(super) fn add(&mut self, document: &Document) {
        let file = document.key.rsplit('/').next().unwrap_or(&document.key);
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        for title in [document.title.as_str(), stem] {
            let title = title.trim().to_lowercase();
            if !title.contains(|c: char| c.is_ascii_digit()) {
                continue;
            }
            let row = self.rows.entry(without_numbers(&title)).or_default();
            if row.first.len() < ROW && !row.first.contains(&title) {
                row.first.push(title.clone());
            }
            if self.names.contains(&title) {
                row.named.insert(title);
            }
        }
    }

    /// The names that are titles in a row.
    pub(super) fn end(self) -> FxHashSet<String> {
        self.rows.into_values().filter(|row| row.first.len() >= ROW).flat_map(|row| row.named).collect()
    }
}

fn without_numbers(title: &str) -> String {
    let parts: Vec<&str> =
        title.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    parts.join("#")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ids;
    use std::collections::BTreeMap;

    fn document(key: &str, title: &str) -> Document {
        Document {
            id: Ids::new("w").document(key),
            key: key.to_owned(),
            title: title.to_owned(),
            content_hash: String::new(),
            character_count: 0,
            text_unit_count: 0,
            date: None,
            metadata: BTreeMap::new(),
            origin: None,
        }
    }

    #[test]
    fn documents_are_numbered_by_their_keys_and_found_by_their_ids() {
        let keys = ["c", "a", "d", "b"];
        let mut documents = TimedDocuments::default();
        for key in keys {
            documents.add(&document(key, key));
        }
        documents.settle();
        let numbers = keys.map(|key| documents.number(&Ids::new("w").document(key)));
        assert_eq!(numbers, [Some(2), Some(0), Some(3), Some(1)]);
        assert_eq!(documents.number(&Ids::new("w").document("e")), None);
        assert_ne!(pack(&Id::from_stored("u")), pack(&Id::from_stored("v")), "ids of another make");
    }

    #[test]
    fn titles_that_differ_by_their_numbers_are_a_row() {
        let titles = ["Visit 1", "Visit 22", "visit 3", "Boeing 747", "Halvorsen"];
        let names = titles.iter().map(|title| title.to_lowercase()).filter(|name| name != "visit 3");
        let mut rows = TitleRows::new(names.collect());
        for title in titles {
            rows.add(&document("a", title));
        }
        let mut row: Vec<String> = rows.end().into_iter().collect();
        row.sort();
        assert_eq!(row, ["visit 1", "visit 22"], "those that are names");
    }
}
