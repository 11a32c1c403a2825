//! Products of matrices.

use gemm_common::Parallelism;

/// A matrix that lies in a slice.
pub(super) struct MatrixView<'a> {
    pub(super) data: &'a [f32],
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// From a row to the next, and from a column to the next.
    pub(super) strides: (usize, usize),
}

impl MatrixView<'_> {
    /// Rows for columns.
    pub(super) fn turned(&self) -> Self {
        Self {
            data: self.data,
            rows: self.columns,
            columns: self.rows,
            strides: (self.strides.1, self.strides.0),
        }
    }

    /// Numbers from the first to behind the last.
    fn extent(&self) -> usize {
        if self.rows == 0 || self.columns == 0 {
            return 0;
        }
        (self.rows - 1) * self.strides.0 + (self.columns - 1) * self.strides.1 + 1
    }
}

/// Writes `scale` × `left` × `right` into `target`, whose rows are `stride` numbers apart; by one thread.
///
/// # Panics
/// A matrix does not fit its slice or the others.
#[expect(unsafe_code, reason = "the kernels take pointers; all that they reach is checked before")]
pub(super) fn multiply(
    target: &mut [f32],
    stride: usize,
    left: &MatrixView<'_>,
    right: &MatrixView<'_>,
    scale: f32,
) {
    let (rows, inner, columns) = (left.rows, left.columns, right.columns);
    assert_eq!(inner, right.rows, "matrices that fit each other");
    assert!(
        left.data.len() >= left.extent() && right.data.len() >= right.extent(),
        "matrices in their slices"
    );
    if rows == 0 || columns == 0 || inner == 0 {
        return;
    }
    assert!(columns <= stride && target.len() >= (rows - 1) * stride + columns, "a product that has room");
    // slices are shorter than isize::MAX, and so are strides inside of them
    let wide = |stride: usize| isize::try_from(stride).unwrap_or(isize::MAX);
    // SAFETY: the kernel reads `extent` numbers of both matrices and writes rows × columns numbers of the target, `stride`
    // apart, all inside of their slices by the assertions above; the target is borrowed alone, so that none overlap.
    unsafe {
        gemm_f32::gemm::f32::get_gemm_fn()(
            rows,
            columns,
            inner,
            target.as_mut_ptr(),
            1,
            wide(stride),
            false,
            left.data.as_ptr(),
            wide(left.strides.1),
            wide(left.strides.0),
            right.data.as_ptr(),
            wide(right.strides.1),
            wide(right.strides.0),
            0.0,
            scale,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_definition() {
        for (rows, inner, columns) in [(1, 1, 1), (3, 5, 2), (17, 33, 9), (2, 64, 70)] {
            let number = |seed: usize| (seed * 37 % 19) as f32 - 9.0;
            let left: Vec<f32> = (0..rows * inner).map(number).collect();
            let right: Vec<f32> = (0..columns * inner).map(|at| number(at + 5)).collect();
            let mut target = vec![7.0; rows * (columns + 1)];
            multiply(
                &mut target,
                columns + 1,
                &MatrixView { data: &left, rows, columns: inner, strides: (inner, 1) },
                &MatrixView { data: &right, rows: columns, columns: inner, strides: (inner, 1) }.turned(),
                0.5,
            );
            for row in 0..rows {
                for column in 0..columns {
                    let sum: f32 =
                        (0..inner).map(|at| left[row * inner + at] * right[column * inner + at]).sum();
                    assert!(
                        (target[row * (columns + 1) + column] - sum * 0.5).abs() < 1e-3,
                        "{row} {column}"
                    );
                }
                assert!(
                    (target[row * (columns + 1) + columns] - 7.0).abs() < f32::EPSILON,
                    "what is between rows stays"
                );
            }
        }
    }

    #[test]
    #[should_panic(expected = "matrices in their slices")]
    fn what_does_not_fit_is_not_read() {
        let data = [0.0; 5];
        let block = MatrixView { data: &data, rows: 2, columns: 3, strides: (3, 1) };
        multiply(&mut [0.0; 4], 2, &block, &block.turned(), 1.0);
    }
}
