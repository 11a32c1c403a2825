//! Rankings of all entities of a type: those with the greatest sums are looked at first, as long as a sum leaves it open that
//! one of them is among the first.

use super::algebra::{GroupMeasure, Plan};
use super::rows::{Cell, PlanRow};
use crate::domain::Id;
use crate::stores::graph::EntitySum;

/// A plan that groups all entities of some classes and keeps the first groups.
pub(super) struct EntityRanking<'a> {
    /// The classes; all where none is given.
    pub(super) classes: &'a [String],
    /// The sum that no group's number exceeds.
    pub(super) bounded_by: EntitySum,
    group: &'a Plan,
}

impl<'a> EntityRanking<'a> {
    /// Reads what a plan takes the first rows of; nothing where sums do not bound its numbers.
    pub(super) fn of(ordered: &'a Plan) -> Option<Self> {
        let Plan::Order { input: group, column: 1, descending: true } = ordered else { return None };
        let Plan::Group { input, by: 0, measure } = group.as_ref() else { return None };
        let joined = match input.as_ref() {
            Plan::OfType { input, column: 1, .. } => input.as_ref(),
            joined => joined,
        };
        let (input, bounded_by) = match (joined, measure) {
            (Plan::Related { input, column: 0, .. }, GroupMeasure::Different(_)) => {
                (input, EntitySum::Degree)
            }
            (
                Plan::MentionedIn { input, column: 0, .. },
                GroupMeasure::Different(_) | GroupMeasure::Grounds,
            ) => (input, EntitySum::TextUnits),
            _ => return None,
        };
        let Plan::Entities { classes } = input.as_ref() else { return None };
        Some(Self { classes, bounded_by, group })
    }

    /// The groups of these entities alone.
    pub(super) fn over(&self, entities: Vec<Id>) -> Plan {
        let mut plan = self.group.clone();
        let mut at = &mut plan;
        while let Plan::Group { input, .. }
        | Plan::OfType { input, .. }
        | Plan::Related { input, .. }
        | Plan::MentionedIn { input, .. } = at
        {
            at = input.as_mut();
        }
        *at = Plan::Named { entities };
        plan
    }
}

/// The sum below which nothing is among the first `count` of these groups any more; 1 while there are fewer.
pub(super) fn least(groups: &[PlanRow], count: usize) -> u32 {
    let mut numbers: Vec<i64> = groups
        .iter()
        .filter(|row| row.sure)
        .filter_map(|row| match row.cells.last() {
            Some(Cell::Number(number)) => Some(number / 1000),
            _ => None,
        })
        .collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    let last = count.checked_sub(1).and_then(|last| numbers.get(last)).copied();
    last.and_then(|number| u32::try_from(number).ok()).unwrap_or_default().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::plans::Side;
    use crate::query::plans::time::DaySpan;

    fn group(measure: GroupMeasure) -> Plan {
        let all = Box::new(Plan::Entities { classes: vec!["person".to_owned()] });
        let wording = "know".to_owned();
        let side = Side::Object;
        let related = Plan::Related { input: all, column: 0, wording, side, during: DaySpan::default() };
        let typed = Plan::OfType { input: Box::new(related), column: 1, classes: Vec::new() };
        Plan::Group { input: Box::new(typed), by: 0, measure }
    }

    fn ordered(group: Plan, descending: bool) -> Plan {
        Plan::Order { input: Box::new(group), column: 1, descending }
    }

    #[test]
    fn the_first_by_what_a_sum_bounds_is_a_ranking_over_any_entities() {
        let plan = ordered(group(GroupMeasure::Different(1)), true);
        let ranking = EntityRanking::of(&plan).unwrap();
        assert_eq!((ranking.classes, ranking.bounded_by), (&["person".to_owned()][..], EntitySum::Degree));
        let told = format!("{:?}", ranking.over(vec![Id::from_stored("a")]));
        assert!(told.contains("Named") && !told.contains("Entities"), "{told}");
        for other in
            [ordered(group(GroupMeasure::Different(1)), false), ordered(group(GroupMeasure::Grounds), true)]
        {
            assert!(EntityRanking::of(&other).is_none());
        }
    }

    #[test]
    fn a_sum_below_the_last_of_the_first_is_out_of_the_question() {
        let row = |number: usize, sure: bool| PlanRow {
            sure,
            ..PlanRow { cells: vec![Cell::count(number)], ..PlanRow::stored(Cell::count(number)) }
        };
        let rows = [row(7, true), row(9, false), row(3, true), row(5, true)];
        assert_eq!([least(&rows, 1), least(&rows, 3), least(&rows, 4), least(&[], 1)], [7, 3, 1, 1]);
    }
}
