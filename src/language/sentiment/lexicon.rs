//! The lists of words with their weights.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

type Weights = FxHashMap<&'static str, f64>;

static ENGLISH: LazyLock<Weights> = LazyLock::new(|| read(include_str!("english.tsv")));
static CHINESE: LazyLock<Weights> = LazyLock::new(|| read(include_str!("chinese.tsv")));

fn read(table: &'static str) -> Weights {
    let rows = table.lines().filter_map(|line| line.split_once('\t'));
    rows.filter_map(|(word, weight)| Some((word, weight.parse().ok()?))).collect()
}

/// Weight of an English word, lower case.
pub(super) fn english(word: &str) -> Option<f64> {
    ENGLISH.get(word).copied()
}

/// Weight of a Chinese word.
pub(super) fn chinese(word: &str) -> Option<f64> {
    CHINESE.get(word).copied()
}
