//! How much the words of two documents are the same, whatever their formats: `MinHash` sketches (Broder, "On the resemblance
//! and containment of documents", 1997), compared where a band of them is equal (locality-sensitive hashing: Leskovec,
//! Rajaraman and Ullman, "Mining of Massive Datasets", 3.4). Pure: the same text gives the same sketch everywhere.

use crate::language::words::is_han;
use std::collections::{BTreeMap, BTreeSet};

/// Bands of a sketch; documents of which one band is the same are compared.
const BANDS: usize = 20;
/// Values of a band. With 20 bands, documents that share 80 % of their shingles meet in 99.7 % of cases.
const ROWS: usize = 6;
/// Values of a sketch.
const VALUES: usize = BANDS * ROWS;
/// Words of a shingle; as many characters where they are Chinese.
const SHINGLE: usize = 3;
/// Shingles below which a text is too short to say that it is like another.
const FEWEST: usize = 20;
/// Share of common shingles from which on two documents are told to be alike.
const ALIKE: f64 = 0.8;

/// The smallest hash of a text's shingles under each of so many hash functions, 16 bits of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sketch([u16; VALUES]);

impl Sketch {
    /// That of a text; none where it is too short. Only letters and digits count, so that the marks of formats do not.
    pub(super) fn of(text: &str) -> Option<Self> {
        let shingles = hash_shingles(text);
        if shingles.len() < FEWEST {
            return None;
        }
        let mut least = [u64::MAX; VALUES];
        for shingle in shingles {
            for (place, least) in least.iter_mut().enumerate() {
                *least = (*least).min(mixed(shingle ^ mixed(place as u64 + 1)));
            }
        }
        // the highest bits of a minimum are all alike
        Some(Self(least.map(|value| u16::try_from(value & 0xffff).unwrap_or_default())))
    }

    /// As text: four hexadecimal digits a value.
    pub(super) fn written(&self) -> String {
        let written: Vec<String> = self.0.iter().map(|value| format!("{value:04x}")).collect();
        written.concat()
    }

    /// What [`Self::written`] wrote.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut values = [0; VALUES];
        if text.len() != 4 * VALUES {
            return None;
        }
        for (place, value) in values.iter_mut().enumerate() {
            *value = u16::from_str_radix(text.get(4 * place..4 * place + 4)?, 16).ok()?;
        }
        Some(Self(values))
    }

    /// About the share of shingles that are common, 0 to 1: the share of equal values.
    pub(super) fn likeness(&self, other: &Self) -> f64 {
        let same = self.0.iter().zip(&other.0).filter(|(one, other)| one == other).count();
        same as f64 / VALUES as f64
    }

    fn bands(&self) -> impl Iterator<Item = (usize, &[u16])> {
        self.0.chunks(ROWS).enumerate()
    }
}

/// Sketches by their bands.
#[derive(Debug, Default)]
pub(super) struct Sketches {
    sketches: Vec<Sketch>,
    places: BTreeMap<(usize, Vec<u16>), Vec<usize>>,
}

impl Sketches {
    /// One more; its number, from 0.
    pub(super) fn add(&mut self, sketch: Sketch) -> usize {
        let number = self.sketches.len();
        for (band, values) in sketch.bands() {
            self.places.entry((band, values.to_vec())).or_default().push(number);
        }
        self.sketches.push(sketch);
        number
    }

    /// Those that are like a sketch, with how much, by number.
    pub(super) fn like(&self, sketch: &Sketch) -> Vec<(usize, f64)> {
        let meeting = sketch.bands().filter_map(|(band, values)| self.places.get(&(band, values.to_vec())));
        let candidates: BTreeSet<usize> = meeting.flatten().copied().collect();
        candidates
            .into_iter()
            .filter_map(|number| Some((number, self.sketches.get(number)?.likeness(sketch))))
            .filter(|(_, likeness)| *likeness >= ALIKE)
            .collect()
    }
}

/// Hashes of a text's runs of words, none twice.
fn hash_shingles(text: &str) -> BTreeSet<u64> {
    let words = hash_words(text);
    let of_run = |run: &[u64]| run.iter().fold(0, |hash, word| mixed(hash ^ word));
    words.windows(SHINGLE).map(of_run).collect()
}

/// Hashes of a text's words in lower case; each Chinese character is one.
fn hash_words(text: &str) -> Vec<u64> {
    let mut words = Vec::new();
    let mut open: Option<u64> = None;
    for character in text.chars().flat_map(char::to_lowercase) {
        let is_letter = character.is_alphanumeric();
        if !is_letter || is_han(character) {
            words.extend(open.take());
        }
        if is_han(character) {
            words.push(mixed(u64::from(character)));
        } else if is_letter {
            open = Some(mixed(open.unwrap_or(1) ^ u64::from(character)));
        }
    }
    words.extend(open);
    words
}

/// A number with its bits mixed: the finaliser of `SplitMix64`.
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbered sentences, of which every `nth` is another one.
    fn text(nth: usize) -> String {
        let sentences: Vec<String> = (0..400)
            .map(|place| {
                let other = if nth > 0 && place % nth == 0 { "altered" } else { "plain" };
                format!("Sentence {place} is {other} and tells of lamp oil number {}. ", place * 7)
            })
            .collect();
        sentences.concat()
    }

    #[test]
    fn the_likeness_of_sketches_is_that_of_the_texts() {
        let sketch = |text: &str| Sketch::of(text).unwrap();
        let check = |one: &str, other: &str| {
            let (a, b) = (hash_shingles(one), hash_shingles(other));
            let true_share = a.intersection(&b).count() as f64 / a.union(&b).count() as f64;
            let told = sketch(one).likeness(&sketch(other));
            assert!((told - true_share).abs() < 0.12, "{told} for {true_share}");
            told
        };
        assert!(check(&text(0), &text(0)) > 0.999);
        assert!(check(&text(0), &text(20)) > ALIKE);
        assert!(check(&text(0), &text(1)) < ALIKE);
        // marks of formats and line breaks do not count
        let marked = text(0).replace(". ", ".\n\n| **").to_uppercase();
        assert!(check(&text(0), &marked) > 0.999);
        assert!(Sketch::of("Too short to say.").is_none());
        let chinese = "话说天下大势分久必合合久必分周末七国分争并入于秦及秦灭之后楚汉分争又并入于汉";
        assert!(sketch(chinese).likeness(&sketch(&chinese.replace('秦', "秦 "))) > 0.999);
    }

    #[test]
    fn what_is_alike_is_found_by_its_bands_and_nothing_else() {
        let mut sketches = Sketches::default();
        for nth in [0, 20, 1] {
            sketches.add(Sketch::of(&text(nth)).unwrap());
        }
        let found = sketches.like(&Sketch::of(&text(0)).unwrap());
        assert_eq!(found.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 1]);
        let written = Sketch::of(&text(0)).unwrap().written();
        assert_eq!(Sketch::read(&written), Sketch::of(&text(0)));
        assert_eq!(Sketch::read("zz"), None);
    }
}
