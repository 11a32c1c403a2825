//! What the dates of documents make of their sentences: those of the time that a question asks about come first, and
//! where it asks for a number or the newest, the later ones.

use super::dated::{AROUND, TimeFit};
use crate::domain::{Period, StoredUnit};
use crate::query::question::{Asks, Question};

/// How much a document without a date is taken to speak of the time that is asked for.
const UNDATED: f64 = 0.4;

/// What a document counts whose date overlaps the time that is asked for.
const OVERLAPS: f64 = 0.9;

/// Whether newer documents answer better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Newer {
    No,
    /// Of numbers and offices, which change.
    Meant,
    /// "the latest".
    Asked,
}

/// The question's time and the documents' dates.
#[derive(Debug)]
pub(super) struct Times {
    periods: Vec<Period>,
    is_range: bool,
    /// Days of the dates in the pool, sorted.
    days: Vec<i64>,
    newer: Newer,
    /// Whether a document is of exactly a period that is asked about: those around it tell of another then.
    is_held: bool,
    /// Whether the question says a time that most documents have: they have a date.
    pub(super) tells: bool,
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
        let mut dates = units.iter().filter_map(|(unit, _)| unit.document_date.as_ref());
        let is_held = dates.any(|date| question.periods.iter().any(|period| is_of(period, date)));
        let newer = match (question.newest, question.asks) {
            (true, _) => Newer::Asked,
            (false, Asks::Number | Asks::Person | Asks::Definition) if !asked => Newer::Meant,
            (false, Asks::Thing) if !asked && question.is_quantity => Newer::Meant,
            // plans change, too
            (false, Asks::Time) if !asked && question.asks_of_plans() => Newer::Meant,
            _ => Newer::No,
        };
        Self {
            periods: question.periods.clone(),
            is_range: question.over_time && question.periods.len() > 1,
            days,
            newer,
            is_held,
            tells: is_dated && (asked || question.newest),
        }
    }

    /// From 0 to 1: whether a sentence's document, by its date, speaks of the time that is asked for.
    pub(super) fn fit_of(&self, date: Option<&Period>) -> f64 {
        if self.periods.is_empty() || !self.tells {
            return 1.0;
        }
        date.map_or(UNDATED, |date| self.fit(date))
    }

    /// From 0 to 1: how little a sentence speaks of the time that is asked for, by its own date and by its document's.
    pub(super) fn untimely(&self, time: TimeFit, date: Option<&Period>) -> f64 {
        match time {
            TimeFit::Says | TimeFit::Inherits => 0.0,
            TimeFit::Contradicts => 1.0,
            TimeFit::Unsaid => 1.0 - self.fit_of(date),
        }
    }

    /// From 0 to 1: how new a document is, where the question asks for the newest.
    pub(super) fn newest(&self, date: Option<&Period>) -> f64 {
        if self.newer == Newer::Asked && self.periods.is_empty() { self.age(date) } else { 0.0 }
    }

    /// The same where the newest is likely meant: of what changes.
    pub(super) fn newer(&self, date: Option<&Period>) -> f64 {
        if self.newer == Newer::Meant { self.age(date) } else { 0.0 }
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
            if is_of(period, date) {
                return 1.0;
            }
            if period.overlaps(date) {
                return OVERLAPS;
            }
            let gap = (period.from.number() - date.to.number()).max(date.from.number() - period.to.number());
            if gap <= AROUND && !self.is_held { 0.7 } else { 0.0 }
        });
        fits.fold(0.0, f64::max)
    }
}

/// Whether a document is of a period: within it, or of the same fiscal quarter by its name, whenever the company's year
/// begins.
fn is_of(period: &Period, date: &Period) -> bool {
    let name = |written: &str| -> String {
        written.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
    };
    let asked = name(&period.written);
    period.contains(date) || asked.starts_with("fy") && asked == name(&date.written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::FiscalCalendar;

    #[test]
    fn a_sentence_tells_its_time_itself() {
        let periods = vec![Period::months(2022, 1, 12, "2022")];
        let times = Times {
            periods,
            is_range: false,
            days: Vec::new(),
            newer: Newer::No,
            is_held: false,
            tells: true,
        };
        let later = Period::months(2023, 3, 3, "2023-03");
        let untimely = |time: TimeFit| times.untimely(time, Some(&later));
        assert!(untimely(TimeFit::Says) < 0.1);
        assert!(untimely(TimeFit::Inherits) < 0.1);
        assert!(untimely(TimeFit::Contradicts) > 0.9);
        assert!(untimely(TimeFit::Unsaid) > 0.9);
        assert!(times.untimely(TimeFit::Unsaid, None) < 0.9);
    }

    #[test]
    fn a_fiscal_quarter_is_known_by_its_name() {
        let by_july = FiscalCalendar::default().quarter(2024, 1, "FY24 Q1");
        let by_january = FiscalCalendar::new(1).unwrap().quarter(2024, 1, "FY24Q1");
        assert!(is_of(&by_july, &by_january));
        assert!(!is_of(&by_july, &FiscalCalendar::default().quarter(2024, 2, "FY24Q2")));
        assert!(is_of(&Period::months(2024, 1, 12, "2024"), &by_january));
    }
}
