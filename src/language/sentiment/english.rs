//! What an English clause says, by its words.

use super::{Judgement, lexicon};

/// How much of its weight a negated word keeps, turned (VADER).
const NEGATED: f64 = -0.74;
/// What a booster adds (VADER).
const BOOST: f64 = 0.293;
/// Weight of a figure that rises or falls.
const MOVES: f64 = 2.0;
/// Words before a word in which a negation holds.
const REACH: usize = 4;

const NEGATIONS: [&str; 18] = [
    "not", "no", "never", "nothing", "nobody", "none", "neither", "nor", "without", "hardly", "barely",
    "scarcely", "cannot", "lacks", "lack", "nowhere", "few", "little",
];
const BOOSTERS: [&str; 26] = [
    "very",
    "really",
    "so",
    "extremely",
    "absolutely",
    "incredibly",
    "remarkably",
    "hugely",
    "deeply",
    "totally",
    "utterly",
    "completely",
    "exceptionally",
    "particularly",
    "especially",
    "far",
    "much",
    "most",
    "truly",
    "highly",
    "amazingly",
    "enormously",
    "thoroughly",
    "too",
    "ever",
    "well",
];
const DAMPENERS: [&str; 14] = [
    "slightly",
    "somewhat",
    "fairly",
    "a bit",
    "kind",
    "rather",
    "partly",
    "marginally",
    "mildly",
    "sort",
    "almost",
    "nearly",
    "occasionally",
    "bit",
];
const RISES: [&str; 40] = [
    "rose",
    "rise",
    "rises",
    "rising",
    "risen",
    "grew",
    "grow",
    "grows",
    "growing",
    "grown",
    "climbed",
    "climb",
    "climbs",
    "climbing",
    "jumped",
    "jump",
    "jumps",
    "increased",
    "increase",
    "increases",
    "up",
    "doubled",
    "tripled",
    "soared",
    "surged",
    "gained",
    "gain",
    "advanced",
    "expanded",
    "widened",
    "higher",
    "more",
    "spiked",
    "swelled",
    "mounted",
    "accelerated",
    "improved",
    "highest",
    "peaked",
    "longer",
];
const FALLS: [&str; 42] = [
    "fell",
    "fall",
    "falls",
    "falling",
    "fallen",
    "dropped",
    "drop",
    "drops",
    "dropping",
    "declined",
    "decline",
    "declines",
    "declining",
    "decreased",
    "decrease",
    "shrank",
    "shrink",
    "shrunk",
    "shrinking",
    "down",
    "halved",
    "lower",
    "less",
    "fewer",
    "slipped",
    "slid",
    "sank",
    "slumped",
    "plunged",
    "plummeted",
    "dipped",
    "contracted",
    "narrowed",
    "eased",
    "cut",
    "reduced",
    "lost",
    "slowed",
    "shed",
    "lowest",
    "shorter",
    "dwindled",
];
/// What is better when there is less of it.
const BURDENS: [&str; 60] = [
    "cost",
    "costs",
    "expense",
    "expenses",
    "churn",
    "complaint",
    "complaints",
    "claims",
    "loss",
    "losses",
    "debt",
    "debts",
    "deficit",
    "returns",
    "refunds",
    "accidents",
    "accident",
    "injuries",
    "incidents",
    "errors",
    "error",
    "defects",
    "defect",
    "failures",
    "failure",
    "delays",
    "delay",
    "wait",
    "waiting",
    "queues",
    "queue",
    "outages",
    "downtime",
    "cancellations",
    "absences",
    "absenteeism",
    "turnover",
    "attrition",
    "emissions",
    "waste",
    "scrap",
    "inventories",
    "stockpile",
    "backlog",
    "arrears",
    "defaults",
    "delinquencies",
    "unemployment",
    "inflation",
    "write-offs",
    "vacancies",
    "vacancy",
    "fees",
    "rent",
    "bills",
    "crime",
    "bugs",
    "crashes",
    "deaths",
    "overruns",
];

/// Whether a clause speaks of what is better when there is less of it.
pub(super) fn has_burden(clause: &str) -> bool {
    words_of(clause).iter().any(|word| BURDENS.contains(&word.as_str()))
}

/// Whether a clause says of what was spoken of before that it moves: "they rose".
pub(super) fn goes_on_measuring(clause: &str) -> bool {
    let words = words_of(clause);
    let moves = |word: &String| RISES.contains(&word.as_str()) || FALLS.contains(&word.as_str());
    words.windows(2).any(|pair| {
        matches!(pair, [subject, verb] if matches!(subject.as_str(), "they" | "it" | "these") && moves(verb))
    })
}

/// The words of a clause in small letters, without marks.
fn words_of(clause: &str) -> Vec<String> {
    clause
        .split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The words of a clause that judge; `goes_on` where it is about a burden of the clause before.
pub(super) fn judge(clause: &str, goes_on: bool) -> Vec<Judgement> {
    let words: Vec<(&str, String)> = clause
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '.' | '%')))
        .map(|word| word.trim_matches(|c: char| matches!(c, '\'' | '’' | '.' | '-')))
        .filter(|word| !word.is_empty())
        .map(|word| (word, word.to_lowercase().replace('’', "'")))
        .collect();
    let lower: Vec<&str> = words.iter().map(|(_, lower)| lower.as_str()).collect();
    let mut found = Vec::new();
    let has_figure =
        lower.iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit()) || is_amount(word));
    let burdens = goes_on || lower.iter().any(|word| BURDENS.contains(word));
    for (at, (written, word)) in words.iter().enumerate() {
        let before = lower.get(at.saturating_sub(REACH)..at).unwrap_or(&[]);
        let direction = direction(word, before, has_figure || burdens);
        // a burden alone is a word for a figure, not a judgement
        let next = words.get(at + 1).map_or("", |(written, _)| *written);
        let judges = (!has_figure || !BURDENS.contains(&word.as_str())) && !takes_over(word, next);
        let weight = if direction == 0.0 {
            lexicon::english(word).filter(|_| judges).map(|weight| modified(weight, before))
        } else {
            Some(moved(word, direction, burdens, before))
        };
        let Some(weight) = weight else { continue };
        found.push(Judgement { word: (*written).to_owned(), weight });
    }
    one_movement(&mut found);
    if burdens && found.iter().any(is_movement) {
        // what moves is no judgement of its own: "Complaints dropped"
        found.retain(|one| is_movement(one) || !BURDENS.contains(&one.word.to_lowercase().as_str()));
    }
    found
}

/// Whether somebody takes an office over, which is no success: "succeeds Owen Tate".
fn takes_over(word: &str, next: &str) -> bool {
    matches!(word, "succeed" | "succeeds" | "succeeded" | "succeeding")
        && next.starts_with(|c: char| c.is_uppercase())
}

/// What a movement is worth; "did not grow" half of "fell".
fn moved(word: &str, direction: f64, burdens: bool, before: &[&str]) -> f64 {
    let is_comparative =
        matches!(word, "more" | "less" | "fewer" | "higher" | "lower" | "longer" | "shorter" | "up" | "down");
    let is_negated = !is_comparative && before.iter().any(|word| negates(word));
    direction * if burdens { -MOVES } else { MOVES } * if is_negated { -0.5 } else { 1.0 }
}

/// "came down to the lowest": one movement, however many words tell it.
fn one_movement(found: &mut Vec<Judgement>) {
    let mut seen = false;
    found.retain(|one| !is_movement(one) || !std::mem::replace(&mut seen, true));
}

fn is_movement(one: &Judgement) -> bool {
    (one.weight.abs() - MOVES).abs() < f64::EPSILON
}

fn is_amount(word: &str) -> bool {
    matches!(
        word,
        "percent"
            | "half"
            | "third"
            | "quarter"
            | "points"
            | "percentage"
            | "double"
            | "sixth"
            | "fifth"
            | "tenth"
            | "million"
            | "billion"
            | "record"
    )
}

/// 1 where the word says that something rises, -1 where it falls.
fn direction(word: &str, before: &[&str], is_measured: bool) -> f64 {
    let last = before.last().copied().unwrap_or("");
    let sure = !matches!(
        word,
        "up" | "down"
            | "more"
            | "less"
            | "cut"
            | "lost"
            | "fewer"
            | "longer"
            | "shorter"
            | "higher"
            | "lower"
            | "highest"
            | "lowest"
            | "well"
            | "gain"
            | "shed"
            | "advanced"
    );
    if !sure && !is_measured
        || matches!(word, "up" | "down")
            && matches!(last, "hung" | "let" | "set" | "showed" | "ended" | "picked" | "gave")
    {
        return 0.0;
    }
    if RISES.contains(&word) {
        1.0
    } else if FALLS.contains(&word) {
        -1.0
    } else {
        0.0
    }
}

fn negates(word: &str) -> bool {
    NEGATIONS.contains(&word) || word.ends_with("n't")
}

/// A word's weight with what stands before it: boosters near it, and negations.
fn modified(weight: f64, before: &[&str]) -> f64 {
    let mut sum = weight;
    for (distance, word) in before.iter().rev().take(3).enumerate() {
        let scale = [1.0, 0.95, 0.9].get(distance).copied().unwrap_or(0.0);
        if BOOSTERS.contains(word) {
            sum += BOOST * scale * weight.signum();
        } else if DAMPENERS.contains(word) {
            sum -= BOOST * scale * weight.signum();
        }
    }
    if before.iter().any(|word| negates(word)) { sum * NEGATED } else { sum }
}
