//! Rows, and what each rests on.

use crate::domain::{Day, Id, RecordKind};
use std::collections::{BTreeMap, BTreeSet};

/// One cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    /// A number, in thousandths.
    Number(i64),
    /// An entity.
    Entity(Id),
    /// A document.
    Document(Id),
    /// A claim.
    Claim(Id),
    /// A community.
    Community(Id),
    /// A text.
    Text(String),
}

impl Cell {
    /// A whole number.
    pub fn count(count: usize) -> Self {
        Self::Number(i64::try_from(count).unwrap_or(i64::MAX / 1000).saturating_mul(1000))
    }

    /// The id behind it, where there is one.
    pub fn id(&self) -> Option<&Id> {
        match self {
            Self::Entity(id) | Self::Document(id) | Self::Claim(id) | Self::Community(id) => Some(id),
            Self::Number(_) | Self::Text(_) => None,
        }
    }
}

/// A record that a row rests on, in one text unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowEvidence {
    /// Its kind: a relationship, a claim, or a source for a mention.
    pub record: RecordKind,
    /// Its id; that of the text unit for a mention.
    pub id: Id,
    /// The text unit that says it.
    pub text_unit: Id,
    /// Its short phrase.
    pub kind: String,
    /// What it says.
    pub said: String,
    /// The words of it that say what was asked for: its short phrase, or the part of what it says.
    pub words: String,
    /// The entities that it speaks of, who does it first.
    pub about: Vec<Id>,
    /// First and last day that it speaks of, else those of its document.
    pub when: Option<(Day, Day)>,
    /// First and last day of its document.
    pub written: Option<(Day, Day)>,
    /// Whether it speaks of its days itself, and not its document alone.
    pub dated: bool,
    /// Whether it says what was asked for, and not only something like it.
    pub sure: bool,
    /// Whether it says itself that it was so before: "is the former CEO of".
    pub former: bool,
    /// The record of a later document by which it holds no more.
    pub superseded: Option<Box<RowEvidence>>,
}

impl RowEvidence {
    /// Whether a relationship's sum says it, so that neither its text unit nor its document was read.
    pub fn is_of_a_sum(&self) -> bool {
        self.text_unit.as_str().is_empty()
    }

    /// What tells it from others.
    pub(super) fn key(&self) -> (&str, &str, &str, &str, &[Id]) {
        (self.id.as_str(), self.text_unit.as_str(), &self.kind, &self.said, &self.about)
    }

    /// First day that it speaks of or was written on.
    pub fn first_day(&self) -> Option<Day> {
        self.when.into_iter().chain(self.written).map(|(from, _)| from).min()
    }

    /// Last day that it speaks of or was written on.
    pub fn last_day(&self) -> Option<Day> {
        self.when.into_iter().chain(self.written).map(|(_, to)| to).max()
    }
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanRow {
    /// A cell a column.
    pub cells: Vec<Cell>,
    /// What it rests on, each once, sure ones first.
    pub grounds: Vec<RowEvidence>,
    /// Whether the records say it; else they only say something like it.
    pub sure: bool,
}

impl PlanRow {
    /// A row that rests on nothing but being stored.
    pub fn stored(cell: Cell) -> Self {
        Self { cells: vec![cell], grounds: Vec::new(), sure: true }
    }

    /// The same row with one more cell and what that rests on.
    #[must_use]
    pub fn with(&self, cell: Cell, ground: Option<RowEvidence>) -> Self {
        let mut row = self.clone();
        row.cells.push(cell);
        row.sure &= ground.as_ref().is_none_or(|ground| ground.sure);
        row.grounds.extend(ground);
        row
    }

    /// Whether nothing that it rests on holds any more, by what later documents say.
    pub fn is_superseded(&self) -> bool {
        let mut sure = self.grounds.iter().filter(|ground| ground.sure).peekable();
        sure.peek().is_some() && sure.all(|ground| ground.superseded.is_some())
    }

    /// Whether the records say that it was so before, and none that it is.
    pub fn is_former(&self) -> bool {
        // a record that only says something like it, as that one which ends it does, keeps nothing up
        let any_sure = self.grounds.iter().any(|ground| ground.sure);
        let mut telling = self.grounds.iter().filter(|ground| ground.sure || !any_sure);
        !self.grounds.is_empty() && telling.all(|ground| ground.former || ground.superseded.is_some())
    }

    /// Takes over what another row rests on.
    pub fn rests_also_on(&mut self, grounds: impl IntoIterator<Item = RowEvidence>) {
        self.grounds.extend(grounds);
        settle(&mut self.grounds);
    }
}

/// Sure ones first, each once.
fn settle(grounds: &mut Vec<RowEvidence>) {
    grounds.sort_by(|a, b| (!a.sure, a.key()).cmp(&(!b.sure, b.key())));
    grounds.dedup_by(|a, b| a.key() == b.key());
}

/// Rows of equal cells become one, which is sure where any of them is; sorted by cells.
pub(super) fn merged(rows: impl IntoIterator<Item = PlanRow>) -> Vec<PlanRow> {
    let mut by_cells: BTreeMap<Vec<Cell>, PlanRow> = BTreeMap::new();
    for row in rows {
        match by_cells.get_mut(&row.cells) {
            Some(known) => {
                known.sure |= row.sure;
                known.grounds.extend(row.grounds);
            }
            None => {
                by_cells.insert(row.cells.clone(), row);
            }
        }
    }
    let mut rows: Vec<PlanRow> = by_cells.into_values().collect();
    for row in &mut rows {
        settle(&mut row.grounds);
    }
    rows
}

/// The ids of a column, each once.
pub(super) fn ids_of(rows: &[PlanRow], column: usize) -> Vec<Id> {
    let ids: BTreeSet<&Id> = rows.iter().filter_map(|row| row.cells.get(column)?.id()).collect();
    ids.into_iter().cloned().collect()
}
