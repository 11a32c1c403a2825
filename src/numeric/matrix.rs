//! Rows of floats.

use thiserror::Error;

/// Why numbers cannot be worked on.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NumericError {
    /// Rows of different lengths.
    #[error("row {row} has {found} numbers, the rows before it have {wanted}; all rows must be equally long")]
    Ragged {
        /// Place of the row.
        row: usize,
        /// Its length.
        found: usize,
        /// The others' length.
        wanted: usize,
    },
    /// A number that is none.
    #[error("row {row} holds a number that is not finite; leave such rows out")]
    NotFinite {
        /// Place of the row.
        row: usize,
    },
    /// A setting that cannot be.
    #[error("{name} is {value}; it must be {wanted}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// What it is.
        value: String,
        /// What it must be.
        wanted: &'static str,
    },
}

/// `rows` x `columns` numbers, row after row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f32>,
}

impl Matrix {
    /// All zero.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, values: vec![0.0; rows * columns] }
    }

    /// From rows, which must be equally long and finite.
    ///
    /// # Errors
    /// [`NumericError::Ragged`], [`NumericError::NotFinite`].
    pub fn from_rows<R: AsRef<[f32]>>(rows: &[R]) -> Result<Self, NumericError> {
        let wanted = rows.first().map_or(0, |row| row.as_ref().len());
        let mut values = Vec::with_capacity(rows.len() * wanted);
        for (place, row) in rows.iter().enumerate() {
            let row = row.as_ref();
            if row.len() != wanted {
                return Err(NumericError::Ragged { row: place, found: row.len(), wanted });
            }
            if row.iter().any(|value| !value.is_finite()) {
                return Err(NumericError::NotFinite { row: place });
            }
            values.extend_from_slice(row);
        }
        Ok(Self { rows: rows.len(), columns: wanted, values })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A row; empty where there is none.
    pub fn row(&self, place: usize) -> &[f32] {
        self.values.get(place * self.columns..(place + 1) * self.columns).unwrap_or_default()
    }

    /// A row to be changed; empty where there is none.
    pub fn row_mut(&mut self, place: usize) -> &mut [f32] {
        self.values.get_mut(place * self.columns..(place + 1) * self.columns).unwrap_or_default()
    }

    /// All numbers, row after row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// All numbers, to be changed.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// These rows, in this order; places beyond the end are passed over.
    #[must_use]
    pub fn select(&self, places: &[usize]) -> Self {
        let mut values = Vec::with_capacity(places.len() * self.columns);
        let mut rows = 0;
        for &place in places.iter().filter(|&&place| place < self.rows) {
            values.extend_from_slice(self.row(place));
            rows += 1;
        }
        Self { rows, columns: self.columns, values }
    }

    /// Every row at length 1; rows of zeros stay.
    #[must_use]
    pub fn normalised(&self) -> Self {
        let mut result = self.clone();
        for place in 0..self.rows {
            let row = result.row_mut(place);
            let length = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
            if length > 0.0 {
                for value in row {
                    *value = to_single(f64::from(*value) / length);
                }
            }
        }
        result
    }
}

/// The nearest single.
#[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
pub(super) fn to_single(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_rows_are_named() {
        let ragged = Matrix::from_rows(&[vec![1.0, 2.0], vec![1.0]]).unwrap_err().to_string();
        assert!(ragged.contains("row 1 has 1 numbers"), "{ragged}");
        assert_eq!(Matrix::from_rows(&[[1.0], [f32::NAN]]), Err(NumericError::NotFinite { row: 1 }));
        assert_eq!(Matrix::from_rows::<[f32; 3]>(&[]).unwrap().rows(), 0);
    }

    #[test]
    fn rows_are_normalised_and_selected() {
        let matrix = Matrix::from_rows(&[[3.0, 4.0], [0.0, 0.0]]).unwrap();
        assert_eq!(matrix.normalised().row(0), [0.6, 0.8]);
        assert_eq!(matrix.normalised().row(1), [0.0, 0.0]);
        assert_eq!(matrix.select(&[1, 0, 7]).values(), [0.0, 0.0, 3.0, 4.0]);
    }
}
