//! How alike two words are.

use super::lexicon;
use super::weights::MatchWeights;
use super::words::{PARTICLES, QuestionToken};
use crate::language::edits_within;

/// From 0 to 1: how alike two words are.
pub(super) fn alike(one: &QuestionToken, other: &QuestionToken, w: &MatchWeights) -> f64 {
    if one.text == other.text {
        return 1.0;
    }
    if one.number || other.number || one.han != other.han || opposite(one, other) {
        return 0.0;
    }
    if !one.han && (is_particle(&one.text) || is_particle(&other.text)) {
        return 0.0;
    }
    let lexicon = if one.han { lexicon::chinese() } else { lexicon::english() };
    if one.groups.iter().any(|group| other.groups.contains(group))
        || lexicon.are_of_one_kind(&one.text, &other.text)
    {
        return w.synonym;
    }
    if one.han { alike_han(one, other, w) } else { alike_latin(one, other, w) }
}

/// Han characters that are opposites: two words that differ by one alone are opposites as well.
const SIDES: [[char; 2]; 12] = [
    ['上', '下'],
    ['入', '出'],
    ['进', '出'],
    ['开', '关'],
    ['前', '后'],
    ['内', '外'],
    ['增', '减'],
    ['新', '旧'],
    ['新', '老'],
    ['加', '减'],
    ['升', '降'],
    ['买', '卖'],
];

fn is_particle(text: &str) -> bool {
    PARTICLES.iter().flatten().any(|particle| *particle == text)
}

/// Whether two words are opposites.
pub(super) fn opposite(one: &QuestionToken, other: &QuestionToken) -> bool {
    if one.han != other.han {
        return false;
    }
    if one.han {
        return lexicon::chinese().are_opposite(&one.text, &other.text)
            || one.groups.iter().all(|group| !other.groups.contains(group))
                && differ_by_side(&one.text, &other.text);
    }
    let particles = PARTICLES
        .iter()
        .any(|[a, b]| (one.text == *a && other.text == *b) || (one.text == *b && other.text == *a));
    particles || lexicon::english().are_opposite(&one.text, &other.text)
}

/// Whether two Han words differ by one character alone, and there by an opposite: 上架 and 下架.
fn differ_by_side(one: &str, other: &str) -> bool {
    let (mut a, mut b) = (one.chars(), other.chars());
    let mut differing = None;
    loop {
        match (a.next(), b.next()) {
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) if differing.is_none() => differing = Some((a, b)),
            (None, None) => break,
            _ => return false,
        }
    }
    let sides = |(a, b): (char, char)| {
        SIDES.iter().any(|[one, other]| (a == *one && b == *other) || (a == *other && b == *one))
    };
    one.chars().nth(1).is_some() && differing.is_some_and(sides)
}

fn alike_han(one: &QuestionToken, other: &QuestionToken, w: &MatchWeights) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (one.text.chars().collect(), other.text.chars().collect());
    if a.len() >= 2 && other.text.contains(one.text.as_str()) {
        return w.part;
    }
    if b.len() >= 2 && one.text.contains(other.text.as_str()) {
        return w.whole;
    }
    // in a word of two characters each says what it is: 金卡 is no 银卡
    if (one.unknown || other.unknown) && a.len() == b.len() && a.len() >= 3 {
        let same = a.iter().zip(&b).filter(|(a, b)| a == b).count();
        if same + 1 == a.len() && same > 0 {
            return w.han_misspelt;
        }
    }
    0.0
}

fn alike_latin(one: &QuestionToken, other: &QuestionToken, w: &MatchWeights) -> f64 {
    let either = [(one, other), (other, one)];
    if let Some((phrase, word)) = either.into_iter().find(|(phrase, _)| phrase.text.contains(' ')) {
        // a word of a fixed phrase
        let alike = |part: &str| {
            let share = if std::ptr::eq(phrase, one) { w.whole } else { w.part };
            if part == word.text { share } else { share * spelt_alike(part, &word.text, word.unknown, w) }
        };
        return phrase.text.split(' ').map(alike).fold(0.0, f64::max);
    }
    spelt_alike(&one.text, &other.text, one.unknown, w)
}

fn spelt_alike(one: &str, other: &str, unknown: bool, w: &MatchWeights) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let shorter = a.len().min(b.len());
    if shorter >= 5 && a.iter().zip(&b).take_while(|(a, b)| a == b).count() == shorter {
        return w.part;
    }
    if unknown && shorter >= 3 && a.first() == b.first() {
        let limit = if shorter >= 8 { 2 } else { 1 };
        let exchanged = || {
            let (mut one, mut other) = (a.clone(), b.clone());
            one.sort_unstable();
            other.sort_unstable();
            one == other
        };
        // in a short word a letter says too much to be replaced
        let long_enough = shorter >= 5 || b.len() >= 4 && (a.len() != b.len() || exchanged());
        if long_enough && edits_within(&a, &b, limit).is_some() {
            return w.misspelt;
        }
    }
    0.0
}
