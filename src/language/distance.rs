//! How far apart two spellings are.

use rustc_hash::FxHashSet;

/// The fewest letters to add, leave out, replace or swap with their neighbour that make one text of the other, where
/// they are at most `limit` (optimal string alignment; Damerau 1964, Boytsov 2011, section 2.2).
pub fn edits_within(one: &[char], other: &[char], limit: usize) -> Option<usize> {
    if one.len().abs_diff(other.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    for (i, left) in one.iter().enumerate() {
        let mut row = Vec::with_capacity(above.len());
        row.push(i + 1);
        for (j, right) in other.iter().enumerate() {
            let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX / 2);
            let mut least =
                (at(&above, j) + usize::from(left != right)).min(at(&above, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && one.get(i - 1) == Some(right) && other.get(j - 1) == Some(left);
            if swapped {
                least = least.min(at(&before, j - 1) + 1);
            }
            row.push(least);
        }
        if row.iter().all(|edits| *edits > limit) && above.iter().all(|edits| *edits >= limit) {
            return None;
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().filter(|edits| *edits <= limit)
}

/// The share of pieces of `length` letters that two texts have in common (Dice 1945), from 0 to 1.
pub(crate) fn dice_coefficient(one: &[char], other: &[char], length: usize) -> f64 {
    let one: FxHashSet<&[char]> = one.windows(length).collect();
    let other: FxHashSet<&[char]> = other.windows(length).collect();
    let common = one.intersection(&other).count();
    2.0 * common as f64 / (one.len() + other.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn characters(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn letters_added_left_out_replaced_and_swapped_count_one() {
        let check = |one: &str, other: &str, expected: Option<usize>| {
            assert_eq!(edits_within(&characters(one), &characters(other), 2), expected, "{one} {other}");
            assert_eq!(edits_within(&characters(other), &characters(one), 2), expected, "{other} {one}");
        };
        check("cratchit", "cratchit", Some(0));
        check("crachit", "cratchit", Some(1));
        check("cratchti", "cratchit", Some(1));
        check("scrouge", "scrooge", Some(1));
        check("sgrouge", "scrooge", Some(2));
        check("marley", "cratchit", None);
        check("诸葛凉", "诸葛亮", Some(1));
        check("", "ab", Some(2));
        check("abc", "", None);
    }

    proptest! {
        #[test]
        fn what_is_within_a_limit_is_within_a_wider_one(one in "[ab]{0,7}", other in "[ab]{0,7}") {
            let (one, other) = (characters(&one), characters(&other));
            let exact = edits_within(&one, &other, 20).unwrap();
            for limit in 0..9 {
                let expected = (exact <= limit).then_some(exact);
                prop_assert_eq!(edits_within(&one, &other, limit), expected);
            }
        }
    }
}
