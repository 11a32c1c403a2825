//! The bound of a plan on rows that it reads, asked before each read.

use thiserror::Error;

/// Rows of the graph that one plan may read: entities, records of relationships, mentions, documents, claims.
pub const MOST_ROWS_READ: u64 = 200_000;

/// More rows than a plan may read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the question asks for more than {most} rows of the graph ({what}); name somebody or something in it, a type, or a time"
)]
pub struct TooManyRows {
    most: u64,
    what: String,
}

/// Counts the rows that a plan reads.
#[derive(Clone, Debug)]
pub struct RowBudget {
    most: u64,
    read: u64,
}

impl Default for RowBudget {
    fn default() -> Self {
        Self::of(MOST_ROWS_READ)
    }
}

impl RowBudget {
    /// So many rows at most.
    pub fn of(most: u64) -> Self {
        Self { most, read: 0 }
    }

    /// Takes rows that are to be read next.
    ///
    /// # Errors
    /// More than are left.
    pub fn take(&mut self, rows: u64, what: &str) -> Result<(), TooManyRows> {
        if rows > self.most - self.read {
            return Err(TooManyRows { most: self.most, what: what.to_owned() });
        }
        self.read += rows;
        Ok(())
    }

    /// Asks whether so many rows could be read; none is taken.
    ///
    /// # Errors
    /// More than are left.
    pub fn ask(&self, rows: u64, what: &str) -> Result<(), TooManyRows> {
        self.clone().take(rows, what)
    }

    /// A bound of its own on a part of what is read: so many rows at most, and no more than are left.
    #[must_use]
    pub fn part(&self, rows: u64) -> Self {
        Self::of(rows.min(self.left()))
    }

    /// Adds what was read under a bound of its own.
    pub fn spend(&mut self, part: &Self) {
        self.read = self.read.saturating_add(part.read).min(self.most);
    }

    /// Rows read so far.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// Rows that may still be read.
    pub fn left(&self) -> u64 {
        self.most - self.read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_can_be_taken_and_no_row_more() {
        let mut budget = RowBudget::of(10);
        budget.take(7, "entities").unwrap();
        assert_eq!(budget.take(4, "mentions").unwrap_err().most, 10);
        assert!(budget.ask(3, "mentions").is_ok() && budget.ask(4, "mentions").is_err());
        budget.take(3, "mentions").unwrap();
        assert_eq!((budget.read(), budget.left()), (10, 0));
    }

    #[test]
    fn a_part_has_a_bound_of_its_own_and_counts() {
        let mut budget = RowBudget::of(10);
        let mut part = budget.part(4);
        assert_eq!(part.take(5, "entities").unwrap_err().most, 4);
        part.take(3, "entities").unwrap();
        budget.spend(&part);
        assert_eq!((budget.read(), budget.left(), budget.part(20).left()), (3, 7, 7));
    }
}
