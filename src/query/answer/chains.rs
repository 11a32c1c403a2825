//! The sentences behind several citations of one source: an answer follows the text, so a sentence near the one before it
//! counts more.

/// What a sentence right behind that of the citation before counts, and how many sentences on this fades.
const NEAR: f64 = 0.45;
const FADES: f64 = 3.0;
/// The same of the same sentence again, and of one before it.
const AGAIN: f64 = 0.6;
const BACK: f64 = 0.6;

/// Of each row, how well every sentence fits one citation, the place of the sentence that fits best together with those of
/// the other rows (Viterbi). Rows are of one length.
pub(super) fn chain(rows: &[Vec<f64>]) -> Vec<usize> {
    let Some((first, rest)) = rows.split_first() else { return Vec::new() };
    let mut scores = first.clone();
    let mut came_from: Vec<Vec<usize>> = Vec::with_capacity(rest.len());
    for row in rest {
        let before: Vec<(usize, f64)> = (0..row.len()).map(|place| best_before(&scores, place)).collect();
        scores = row.iter().zip(&before).map(|(fit, (_, score))| fit + score).collect();
        came_from.push(before.into_iter().map(|(place, _)| place).collect());
    }
    let mut place = best(scores.iter().copied().enumerate()).map_or(0, |(place, _)| place);
    let mut chosen = vec![place];
    for row in came_from.iter().rev() {
        place = row.get(place).copied().unwrap_or(place);
        chosen.push(place);
    }
    chosen.reverse();
    chosen
}

/// The place from which a sentence is reached best, and the score there with what the step counts.
fn best_before(scores: &[f64], place: usize) -> (usize, f64) {
    let steps = scores.iter().enumerate().map(|(from, score)| (from, score + step(from, place)));
    best(steps).unwrap_or((place, 0.0))
}

/// The best of some scores, of equal ones the first.
fn best(scores: impl Iterator<Item = (usize, f64)>) -> Option<(usize, f64)> {
    scores.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// What it counts that one sentence follows another.
fn step(from: usize, to: usize) -> f64 {
    let fading = |sentences: usize| NEAR * (-(sentences.saturating_sub(1) as f64) / FADES).exp();
    match to.cmp(&from) {
        std::cmp::Ordering::Greater => fading(to - from),
        std::cmp::Ordering::Equal => AGAIN * NEAR,
        std::cmp::Ordering::Less => BACK * fading(from - to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weak_fit_gives_way_to_a_sentence_between_its_neighbours() {
        // the middle one fits the last sentence a little better, the others are sure of the first and the third
        let rows = [
            vec![2.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            {
                let mut row = vec![0.0; 10];
                row[1] = 0.5;
                row[9] = 0.6;
                row
            },
            vec![0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        ];
        assert_eq!(chain(&rows), [0, 1, 2]);
    }

    #[test]
    fn a_strong_fit_stays_wherever_it_stands() {
        assert_eq!(chain(&[vec![2.0, 0.0, 0.0], vec![0.0, 0.0, 3.0], vec![2.0, 0.0, 0.0]]), [0, 2, 0]);
        assert_eq!(chain(&[]), Vec::<usize>::new());
    }
}
