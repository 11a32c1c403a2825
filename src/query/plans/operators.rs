//! Operators that read nothing: they work on rows alone.

use super::algebra::{GroupMeasure, Succession};
use super::rows::{Cell, PlanRow, RowEvidence, merged};
use crate::domain::{Day, Entity, Id};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Rows of `left` whose cell is in `right`, with what those rest on; sure where both are.
pub(super) fn intersect(left: Vec<PlanRow>, right: &[PlanRow], (one, other): (usize, usize)) -> Vec<PlanRow> {
    let by_cell = by_cell(right, other);
    let kept = left.into_iter().filter_map(|mut row| {
        let found = by_cell.get(row.cells.get(one)?)?;
        row.sure &= found.iter().any(|other| other.sure);
        row.rests_also_on(found.iter().flat_map(|other| other.grounds.clone()));
        Some(row)
    });
    kept.collect()
}

/// Rows of `left` whose cell is not in `right`; unsure where it may be.
pub(super) fn except(left: Vec<PlanRow>, right: &[PlanRow], (one, other): (usize, usize)) -> Vec<PlanRow> {
    let by_cell = by_cell(right, other);
    let kept = left.into_iter().filter_map(|mut row| {
        if let Some(found) = row.cells.get(one).and_then(|cell| by_cell.get(cell)) {
            if found.iter().any(|other| other.sure) {
                return None;
            }
            row.sure = false;
        }
        Some(row)
    });
    kept.collect()
}

/// Rows by what later documents say of them, or by whether they held before or after the row of an entity.
pub(super) fn filter_by_succession(rows: Vec<PlanRow>, column: usize, held: &Succession) -> Vec<PlanRow> {
    match held {
        Succession::Now => rows
            .into_iter()
            .map(|mut row| {
                row.sure &= !row.is_former();
                row
            })
            .collect(),
        Succession::Earlier => rows.into_iter().filter(PlanRow::is_former).collect(),
        Succession::Before(entity) => beside(rows, column, entity, |(_, last), (first, _)| last < first),
        Succession::After(entity) => beside(rows, column, entity, |(first, _), (_, last)| first > last),
    }
}

/// Rows with those of their records alone that name one of these entities; unsure where none does.
pub(super) fn naming(rows: Vec<PlanRow>, entities: &[Arc<Entity>]) -> Vec<PlanRow> {
    let names: Vec<String> = entities
        .iter()
        .flat_map(|entity| std::iter::once(&entity.name).chain(&entity.aliases))
        .map(|name| name.to_lowercase())
        .collect();
    let says = |ground: &RowEvidence| {
        let said = format!("{} {}", ground.kind, ground.said).to_lowercase();
        names.iter().any(|name| said.contains(name))
    };
    rows.into_iter()
        .map(|mut row| {
            if row.grounds.iter().any(says) {
                row.grounds.retain(says);
                row.sure &= row.grounds.iter().any(|ground| ground.sure);
            } else {
                row.sure = false;
            }
            row
        })
        .collect()
}

/// Rows by the days that their records speak of: the earliest or the latest, with those that may be as early or as late;
/// behind them, unsure, those whose records speak of none. Other rows go.
pub(super) fn utmost(rows: Vec<PlanRow>, last: bool) -> Vec<PlanRow> {
    let (mut dated, mut others): (Vec<_>, Vec<_>) =
        rows.into_iter().map(|row| (own_days(&row), row)).partition(|(days, row)| row.sure && days.is_some());
    let days = |(days, _): &(Option<(Day, Day)>, PlanRow)| *days;
    let bound = if last {
        dated.iter().filter_map(days).map(|(from, _)| from).max()
    } else {
        dated.iter().filter_map(days).map(|(_, to)| to).min()
    };
    let reaches = |found: &(Option<(Day, Day)>, PlanRow)| {
        days(found)
            .zip(bound)
            .is_some_and(|((from, to), bound)| if last { to >= bound } else { from <= bound })
    };
    dated.retain(reaches);
    // an unsure row of known days that lie elsewhere is no candidate
    others.retain(|found| days(found).is_none() || bound.is_none() || reaches(found));
    for (_, row) in &mut others {
        row.sure = false;
    }
    let key = |(days, row): &(Option<(Day, Day)>, PlanRow)| (*days, row.cells.clone());
    for rows in [&mut dated, &mut others] {
        rows.sort_by_cached_key(key);
    }
    if last {
        dated.reverse();
    }
    dated.into_iter().chain(others).map(|(_, row)| row).collect()
}

/// First and last day that a row's sure records speak of themselves, and not their documents alone.
fn own_days(row: &PlanRow) -> Option<(Day, Day)> {
    let days = || {
        let grounds = row.grounds.iter().filter(|ground| ground.sure && ground.dated);
        grounds.filter_map(|ground| ground.when)
    };
    days().map(|(from, _)| from).min().zip(days().map(|(_, to)| to).max())
}

/// Rows whose days lie beside those of an entity's row; none where the records give that one no day.
fn beside(
    rows: Vec<PlanRow>,
    column: usize,
    entity: &Id,
    lies: impl Fn((Day, Day), (Day, Day)) -> bool,
) -> Vec<PlanRow> {
    let is_it = |row: &PlanRow| row.cells.get(column).and_then(Cell::id) == Some(entity);
    let Some(own) = rows.iter().find(|row| is_it(row)).and_then(days) else { return Vec::new() };
    rows.into_iter().filter(|row| !is_it(row) && days(row).is_some_and(|days| lies(days, own))).collect()
}

/// First and last day of what a row rests on.
fn days(row: &PlanRow) -> Option<(Day, Day)> {
    let first = row.grounds.iter().filter_map(|ground| ground.when).map(|(from, _)| from).min();
    let last = row.grounds.iter().filter_map(|ground| ground.when).map(|(_, to)| to).max();
    first.zip(last)
}

fn by_cell(rows: &[PlanRow], column: usize) -> BTreeMap<&Cell, Vec<&PlanRow>> {
    let mut by_cell: BTreeMap<&Cell, Vec<&PlanRow>> = BTreeMap::new();
    for row in rows {
        if let Some(cell) = row.cells.get(column) {
            by_cell.entry(cell).or_default().push(row);
        }
    }
    by_cell
}

/// These columns; equal rows become one.
pub(super) fn columns(rows: Vec<PlanRow>, columns: &[usize]) -> Vec<PlanRow> {
    merged(rows.into_iter().map(|row| PlanRow {
        cells: columns.iter().filter_map(|column| row.cells.get(*column).cloned()).collect(),
        ..row
    }))
}

/// One row for each cell of a column, measured by its sure rows; by all where none is sure.
pub(super) fn group(rows: &[PlanRow], by: usize, measure: GroupMeasure) -> Vec<PlanRow> {
    let grouped = by_cell(rows, by).into_iter().map(|(cell, members)| {
        let sure = members.iter().any(|row| row.sure);
        let counted: Vec<&PlanRow> = members.into_iter().filter(|row| row.sure == sure).collect();
        let number = match measure {
            GroupMeasure::Different(column) => {
                let different: BTreeSet<&Cell> =
                    counted.iter().filter_map(|row| row.cells.get(column)).collect();
                Cell::count(different.len())
            }
            GroupMeasure::Sum(column) => {
                let each: BTreeSet<&Vec<Cell>> = counted.iter().map(|row| &row.cells).collect();
                let numbers = each.into_iter().filter_map(|cells| match cells.get(column) {
                    Some(Cell::Number(number)) => Some(*number),
                    _ => None,
                });
                Cell::Number(numbers.fold(0, i64::saturating_add))
            }
            GroupMeasure::Grounds => Cell::count(grounds(&counted)),
        };
        let mut row = PlanRow { cells: vec![cell.clone(), number], grounds: Vec::new(), sure };
        row.rests_also_on(counted.into_iter().flat_map(|row| row.grounds.clone()));
        row
    });
    grouped.collect()
}

/// Different records that rows rest on.
fn grounds(rows: &[&PlanRow]) -> usize {
    let different: BTreeSet<_> = rows.iter().flat_map(|row| &row.grounds).map(RowEvidence::key).collect();
    different.len()
}

/// By a column, equal ones by their cells; unsure rows behind.
pub(super) fn order(mut rows: Vec<PlanRow>, column: usize, descending: bool) -> Vec<PlanRow> {
    if descending {
        rows.sort_by(|a, b| {
            (!a.sure, Reverse(a.cells.get(column)), &a.cells).cmp(&(
                !b.sure,
                Reverse(b.cells.get(column)),
                &b.cells,
            ))
        });
    } else {
        rows.sort_by(|a, b| {
            (!a.sure, a.cells.get(column), &a.cells).cmp(&(!b.sure, b.cells.get(column), &b.cells))
        });
    }
    rows
}

/// The first rows and those that equal the last of them; unsure rows in their order behind, as many at most: of rows that
/// are ordered those that would be among the first if they were sure.
pub(super) fn top(rows: Vec<PlanRow>, count: usize, descending: Option<bool>) -> Vec<PlanRow> {
    let (sure, unsure): (Vec<PlanRow>, Vec<PlanRow>) = rows.into_iter().partition(|row| row.sure);
    let last = count.checked_sub(1).and_then(|last| sure.get(last)).and_then(|row| row.cells.last()).cloned();
    let kept = sure
        .into_iter()
        .enumerate()
        .take_while(|(place, row)| *place < count || last.is_some() && row.cells.last() == last.as_ref());
    let mut kept: Vec<PlanRow> = kept.map(|(_, row)| row).collect();
    let reaches = |row: &PlanRow| match (descending, &last) {
        (Some(true), Some(last)) => row.cells.last() >= Some(last),
        (Some(false), Some(last)) => row.cells.last() <= Some(last),
        _ => true,
    };
    kept.extend(unsure.into_iter().filter(reaches).take(count));
    kept
}

/// Rows whose number lies between two, both included.
pub(super) fn bounded(rows: Vec<PlanRow>, column: usize, (least, most): (u64, Option<u64>)) -> Vec<PlanRow> {
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX).saturating_mul(1000);
    let holds = |cell: Option<&Cell>| match cell {
        Some(Cell::Number(number)) => {
            *number >= whole(least) && most.is_none_or(|most| *number <= whole(most))
        }
        _ => false,
    };
    rows.into_iter().filter(|row| holds(row.cells.get(column))).collect()
}

/// The number of sure rows, which rests on what they rest on.
pub(super) fn count(rows: Vec<PlanRow>) -> Vec<PlanRow> {
    let sure: Vec<PlanRow> = rows.into_iter().filter(|row| row.sure).collect();
    let mut row = PlanRow { cells: vec![Cell::count(sure.len())], grounds: Vec::new(), sure: true };
    row.rests_also_on(sure.into_iter().flat_map(|row| row.grounds));
    vec![row]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RecordKind;

    /// A row of an entity whose record says something, from one day to another; without a day of its own that of its document.
    fn row(name: &str, said: &str, days: Option<(&str, &str)>) -> PlanRow {
        let day = |text: &str| text.parse::<Day>().unwrap();
        let written = Some((day("2020-01-01"), day("2020-01-01")));
        let when = days.map(|(from, to)| (day(from), day(to)));
        let ground = RowEvidence {
            record: RecordKind::Relationships,
            id: Id::from_stored(name),
            text_unit: Id::from_stored("u"),
            kind: "acquired".to_owned(),
            said: said.to_owned(),
            words: String::new(),
            about: Vec::new(),
            when: when.or(written),
            written,
            dated: when.is_some(),
            sure: true,
            former: false,
            superseded: None,
        };
        PlanRow { cells: vec![Cell::Entity(Id::from_stored(name))], grounds: vec![ground], sure: true }
    }

    fn names_and_sureness(rows: &[PlanRow]) -> Vec<(&str, bool)> {
        rows.iter().filter_map(|row| Some((row.cells.first()?.id()?.as_str(), row.sure))).collect()
    }

    #[test]
    fn the_first_and_the_last_go_by_days_and_name_what_has_none() {
        let year = |year: &str| (format!("{year}-01-01"), format!("{year}-12-31"));
        let of = |name: &str, days: (String, String)| row(name, "", Some((&days.0, &days.1)));
        let rows = || {
            vec![
                of("a", year("2013")),
                of("b", year("2018")),
                row("c", "", Some(("2018-05-01", "2018-05-31"))),
                row("d", "", None),
            ]
        };
        assert_eq!(names_and_sureness(&utmost(rows(), false)), [("a", true), ("d", false)]);
        // a month of the year may be later than the year's other deed, or earlier
        assert_eq!(names_and_sureness(&utmost(rows(), true)), [("c", true), ("b", true), ("d", false)]);
        assert_eq!(names_and_sureness(&utmost(vec![row("d", "", None)], false)), [("d", false)]);
    }

    #[test]
    fn a_third_has_to_be_named_by_the_record() {
        let third = Entity { name: "Vantor".to_owned(), ..Entity::default() };
        let rows = vec![row("a", "K sold A to VANTOR.", None), row("b", "K sold B to Tarn.", None)];
        assert_eq!(names_and_sureness(&naming(rows, &[Arc::new(third)])), [("a", true), ("b", false)]);
    }

    #[test]
    fn a_record_that_is_not_sure_keeps_nothing_up() {
        let mut owned = row("a", "K owns A.", None);
        let ends = row("a", "K no longer owns A.", None).grounds;
        owned.grounds[0].superseded = ends.first().cloned().map(Box::new);
        owned.grounds.extend(ends.into_iter().map(|ground| RowEvidence { sure: false, ..ground }));
        assert!(owned.is_former() && owned.is_superseded());
    }
}
