//! What the dates of documents make of their sentences: those of the time that a question asks about come first, and
//! where it asks for a number or the newest, the later ones.

use crate::domain::{Period, StoredUnit};
use crate::query::question::{Asks, Question};

/// Days around a period in which a document still speaks of it: figures are told after their quarter.
const AROUND: i64 = 40;
/// What a sentence keeps of its score whose document is of another time, and without a date.
const OTHER_TIME: f64 = 0.5;
const UNDATED: f64 = 0.7;
/// What the newest document adds where the question asks for the newest, and where for a number.
const NEWEST: f64 = 0.6;
const NEWER: f64 = 0.4;

/// The question's time and the documents' dates.
#[derive(Debug)]
pub(super) struct Times {
    periods: Vec<Period>,
    is_range: bool,
    /// Days of the dates in the pool, sorted.
    days: Vec<i64>,
    /// How much newer counts.
    newer: f64,
    /// Whether the question says a time.
    pub(super) is_asked: bool,
    /// Whether most documents have a date.
    pub(super) is_dated: bool,
}

impl Times {
    pub(super) fn of(question: &Question, units: &[(&StoredUnit, f64)]) -> Self {
        let mut days: Vec<i64> = units
            .iter()
            .filter_map(|(unit, _)| unit.document_date.as_ref())
            .map(|date| date.to.number())
            .collect();
        let is_dated = days.len() * 2 > units.len();
        days.sort_unstable();
        days.dedup();
        let asked = !question.periods.is_empty();
        let newer = match (question.newest, question.asks) {
            (true, _) => NEWEST,
            (false, Asks::Number | Asks::Person | Asks::Definition | Asks::Time) if !asked => NEWER,
            _ => 0.0,
        };
        Self {
            periods: question.periods.clone(),
            is_range: question.over_time && question.periods.len() > 1,
            days,
            newer,
            is_asked: asked || question.newest,
            is_dated,
        }
    }

    /// What a sentence's score is multiplied by, from its document's date.
    pub(super) fn factor(&self, date: Option<&Period>) -> f64 {
        if self.periods.is_empty() {
            return 1.0 + self.newer * self.age(date);
        }
        if !self.is_dated {
            return 1.0;
        }
        let Some(date) = date else { return UNDATED };
        OTHER_TIME + (1.0 - OTHER_TIME) * self.fit(date)
    }

    /// From 0, the oldest, to 1, the newest.
    fn age(&self, date: Option<&Period>) -> f64 {
        let Some(date) = date.filter(|_| self.days.len() > 1) else { return 0.0 };
        let place = self.days.partition_point(|day| *day < date.to.number());
        place as f64 / (self.days.len() - 1) as f64
    }

    /// From 0 to 1: whether a document speaks of a time that is asked for.
    fn fit(&self, date: &Period) -> f64 {
        if self.is_range {
            let from = self.periods.iter().map(|period| period.from).min();
            let to = self.periods.iter().map(|period| period.to).max();
            let within = from.is_some_and(|from| from <= date.to) && to.is_some_and(|to| date.from <= to);
            return f64::from(u8::from(within));
        }
        let fits = self.periods.iter().map(|period| {
            if period.contains(date) {
                return 1.0;
            }
            if period.overlaps(date) {
                return 0.9;
            }
            let gap = (period.from.number() - date.to.number()).max(date.from.number() - period.to.number());
            if gap <= AROUND { 0.7 } else { 0.0 }
        });
        fits.fold(0.0, f64::max)
    }
}
