//! Bursts of a stream of batches (Kleinberg 2002): an automaton with a common and a bursting rate explains how many of
//! each batch are relevant at the least cost.

use super::chance::ln_choose;
use super::functions::logarithm;
use std::ops::Range;

/// How much more frequent the bursting state is.
const SCALING: f64 = 2.0;
/// What entering a burst costs, in logarithms of the number of batches.
const GAMMA: f64 = 1.0;

/// A run of batches with the bursting rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Burst {
    /// Its batches.
    pub batches: Range<usize>,
    /// What it saves over the common rate.
    pub weight: f64,
}

/// The bursts among batches of (relevant, all).
pub fn find_bursts(batches: &[(f64, f64)]) -> Vec<Burst> {
    let (relevant, all) = batches
        .iter()
        .fold((0.0, 0.0), |(relevant, all), batch| (relevant + batch.0, all + batch.1.max(batch.0)));
    if relevant <= 0.0 || all <= relevant {
        return Vec::new();
    }
    let common = relevant / all;
    let bursting = (common * SCALING).min(0.999_9);
    let cost = |rate: f64, batch: (f64, f64)| {
        let (r, n) = (batch.0, batch.1.max(batch.0));
        -(ln_choose(n, r) + r * logarithm(rate) + (n - r) * logarithm(1.0 - rate))
    };
    let enter = GAMMA * logarithm(batches.len().max(2) as f64);
    // the least cost of ending in each state, and from which state
    let mut costs = [0.0, f64::INFINITY];
    let mut came: Vec<[usize; 2]> = Vec::with_capacity(batches.len());
    let mut of_batch: Vec<[f64; 2]> = Vec::with_capacity(batches.len());
    for batch in batches {
        let here = [cost(common, *batch), cost(bursting, *batch)];
        let low = if costs[0] <= costs[1] { (costs[0], 0) } else { (costs[1], 1) };
        let high = if costs[0] + enter < costs[1] { (costs[0] + enter, 0) } else { (costs[1], 1) };
        costs = [low.0 + here[0], high.0 + here[1]];
        came.push([low.1, high.1]);
        of_batch.push(here);
    }
    let mut state = usize::from(costs[1] < costs[0]);
    let mut found: Vec<Burst> = Vec::new();
    for (at, (from, here)) in came.iter().zip(&of_batch).enumerate().rev() {
        if state == 1 {
            let saved = here[0] - here[1];
            match found.last_mut() {
                Some(burst) if burst.batches.start == at + 1 => {
                    burst.batches.start = at;
                    burst.weight += saved;
                }
                _ => found.push(Burst { batches: at..at + 1, weight: saved }),
            }
        }
        state = if state == 1 { from[1] } else { from[0] };
    }
    found.reverse();
    found.retain(|burst| burst.weight > 0.0);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_many_is_a_burst() {
        let mut batches = vec![(2.0, 100.0); 20];
        batches[8..11].fill((20.0, 100.0));
        let found = find_bursts(&batches);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].batches, 8..11);
        assert!(found[0].weight > 10.0);
    }

    #[test]
    fn an_even_stream_has_none() {
        assert_eq!(find_bursts(&[(5.0, 100.0); 30]), []);
        assert_eq!(find_bursts(&[(0.0, 100.0); 30]), []);
        assert_eq!(find_bursts(&[]), []);
        assert_eq!(find_bursts(&[(3.0, 3.0)]), []);
    }
}
