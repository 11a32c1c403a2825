//! What an English clause says, by its words.

use super::{SentimentWord, lexicon};

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

/// Stems of what makes a rate, a time or a number a burden: "return rates", "sick days", "response time".
const BURDENED: [&str; 30] = [
    "return",
    "refund",
    "complain",
    "defect",
    "error",
    "fail",
    "fault",
    "accident",
    "injur",
    "incident",
    "sick",
    "absen",
    "wait",
    "respons",
    "repair",
    "lead",
    "delay",
    "queue",
    "churn",
    "vacan",
    "reject",
    "scrap",
    "outage",
    "recall",
    "crime",
    "late",
    "overdue",
    "processing",
    "cancel",
    "mortality",
];
/// What they make one.
const MEASURES: [&str; 22] = [
    "rate", "rates", "time", "times", "volume", "volumes", "day", "days", "hours", "number", "numbers",
    "count", "counts", "ratio", "period", "periods", "payments", "fees", "costs", "list", "lists", "calls",
];
/// What makes goods and services burdens where their number moves: "damaged parcels".
const FAULTY: [&str; 13] = [
    "late",
    "damaged",
    "faulty",
    "defective",
    "broken",
    "failed",
    "missed",
    "overdue",
    "unpaid",
    "delayed",
    "cancelled",
    "rejected",
    "stolen",
];
/// What the verdict of "is a …" and "feels like a …" is.
const LIKENED: [(&str, f64); 14] = [
    ("joke", -2.2),
    ("toy", -1.8),
    ("lemon", -2.0),
    ("dud", -2.2),
    ("brick", -2.0),
    ("nightmare", -2.6),
    ("letdown", -2.0),
    ("relic", -1.6),
    ("gem", 2.2),
    ("dream", 2.0),
    ("breeze", 1.8),
    ("bargain", 1.8),
    ("steal", 1.8),
    ("winner", 2.2),
];
/// What begins a subject that there is none of: "Nothing about it feels cheap".
const NOBODY: [&str; 4] = ["nothing", "nobody", "none", "neither"];
/// What leads to a question inside of a sentence, behind which nothing is said to hold.
const OPEN: [&str; 6] =
    ["whether", "remains to be seen", "too early to", "too soon to", "unclear if", "asked if"];
/// What somebody declines to do who says nothing.
const SILENT: [&str; 9] =
    ["comment", "say", "answer", "confirm", "discuss", "elaborate", "give", "disclose", "respond"];
/// Weight of what should have happened and has not.
const OWED: f64 = -1.5;

/// Whether a clause speaks of what is better when there is less of it.
pub(super) fn has_burden(clause: &str) -> bool {
    let words = words_of(clause);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    burdens(&words).contains(&true)
}

/// Which words are those of a burden.
fn burdens(words: &[&str]) -> Vec<bool> {
    let mut found: Vec<bool> = words.iter().map(|word| BURDENS.contains(word)).collect();
    for (at, pair) in words.windows(2).enumerate() {
        let [stem, measure] = pair else { continue };
        let are_things =
            measure.ends_with('s') && measure.len() > 3 && !crate::language::is_stop_word(measure);
        if let Some(slot) = found.get_mut(at).filter(|_| are_things && FAULTY.contains(stem)) {
            *slot = true;
        }
        if MEASURES.contains(measure) && BURDENED.iter().any(|burden| stem.starts_with(burden)) {
            for slot in found.iter_mut().skip(at).take(2) {
                *slot = true;
            }
        }
    }
    found
}

/// Whether a clause is put between a subject and its verb: "on the other hand".
pub(super) fn is_aside(clause: &str) -> bool {
    let words = words_of(clause);
    let moves = |word: &String| RISES.contains(&word.as_str()) || FALLS.contains(&word.as_str());
    let first = words.first().map(String::as_str).unwrap_or_default();
    words.len() <= 6
        && !words.iter().any(moves)
        && matches!(
            first,
            "on" | "in"
                | "by"
                | "for"
                | "at"
                | "of"
                | "however"
                | "meanwhile"
                | "though"
                | "too"
                | "according"
        )
}

/// Whether a clause says of what was spoken of before that it moves: "they rose", "rose by 12 percent".
pub(super) fn goes_on_measuring(clause: &str) -> bool {
    let words = words_of(clause);
    let moves = |word: &String| RISES.contains(&word.as_str()) || FALLS.contains(&word.as_str());
    words.first().is_some_and(moves) || words.windows(2).any(|pair| {
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

/// What is good to have when a year ends, and what is not.
const GAINS: [&str; 4] = ["profit", "surplus", "black", "gain"];
const SHORTFALLS: [&str; 4] = ["loss", "deficit", "red", "shortfall"];
/// Words between the parts of "from a small profit to a loss", at most.
const SWING: usize = 5;

/// Where a swing from a profit to a loss is told, or back: the place of the first, of the second, and its weight.
fn swing(words: &[&str]) -> Option<(usize, usize, f64)> {
    let find = |from: usize, wanted: &dyn Fn(&str) -> bool| {
        (from..words.len().min(from + SWING)).find(|at| words.get(*at).is_some_and(|word| wanted(word)))
    };
    let from = words.iter().position(|word| *word == "from")?;
    let first = find(from + 1, &|word| GAINS.contains(&word) || SHORTFALLS.contains(&word))?;
    let to = find(first + 1, &|word| matches!(word, "to" | "into"))?;
    let falls = words.get(first).is_some_and(|word| GAINS.contains(word));
    let ends: &[&str] = if falls { &SHORTFALLS } else { &GAINS };
    let second = find(to + 1, &|word| ends.contains(&word))?;
    Some((first, second, if falls { -MOVES } else { MOVES }))
}

/// Whether a word is one of bookkeeping before the next one: "gross margin".
fn is_technical(word: &str, next: &str) -> bool {
    let next = next.to_lowercase();
    let counted =
        ["margin", "profit", "revenue", "sale", "income", "domestic", "product", "proceed", "earning"];
    word == "gross" && counted.iter().any(|stem| next.starts_with(stem))
}

/// Whether a loss is told to be smaller than it was: "lost fewer customers".
fn loses_less(word: &str, next: &str) -> bool {
    matches!(word, "lost" | "lose" | "loses" | "losing") && matches!(next, "fewer" | "less")
}

/// A clause up to where it asks something.
fn before_question(clause: &str) -> &str {
    let lower = clause.to_lowercase();
    let at = OPEN.iter().filter_map(|word| lower.find(word)).min().filter(|_| lower.len() == clause.len());
    at.and_then(|at| clause.get(..at)).unwrap_or(clause)
}

/// "is a joke", "feels like a toy".
fn likened(word: &str, before: &[&str]) -> Option<f64> {
    let (_, weight) = LIKENED.iter().find(|(likeness, _)| *likeness == word)?;
    let own: Vec<&str> = before.iter().rev().copied().take(3).collect();
    let is_verb = |word: &str| {
        matches!(
            word,
            "is" | "was" | "are" | "were" | "like" | "'s" | "it's" | "that's" | "such" | "absolute"
        )
    };
    match own.as_slice() {
        ["a" | "an" | "the", verb, ..] if is_verb(verb) => Some(*weight),
        [_, "a" | "an", verb] if is_verb(verb) => Some(*weight),
        _ => None,
    }
}

/// Whether something is late that was owed to the one who speaks: "still hasn't fixed my line", "has yet to send me one".
fn is_owed(words: &[&str]) -> bool {
    let has = |pair: [&str; 2]| words.windows(2).any(|two| two == pair);
    let not = |word: &str| word == "not" || word.ends_with("n't");
    // what the one who speaks has yet to find is owed by nobody
    let own = words.windows(4).any(|four| matches!(four, ["i" | "we", "have", "yet", "to"]));
    let late = has(["yet", "to"]) && !own
        || words.windows(2).any(|two| matches!(two, ["still", next] if not(next) || *next == "waiting"))
        || words.windows(3).any(|three| matches!(three, ["still", _, next] if not(next)));
    late && words.iter().any(|word| matches!(*word, "me" | "my" | "us" | "our" | "i" | "we"))
}

/// The words of a clause that judge; `goes_on` where it is about a burden of the clause before.
pub(super) fn judge(clause: &str, goes_on: bool) -> Vec<SentimentWord> {
    let clause = before_question(clause);
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
    let burdened = burdens(&lower);
    let burdens = goes_on || burdened.contains(&true);
    let is_nobody = lower.first().is_some_and(|word| NOBODY.contains(word));
    let swing = swing(&lower);
    if is_owed(&lower) {
        found.push(SentimentWord { word: "yet".to_owned(), weight: OWED });
    }
    for (at, (written, word)) in words.iter().enumerate() {
        let before = lower.get(at.saturating_sub(REACH)..at).unwrap_or(&[]);
        let direction = direction(word, before, has_figure || burdens);
        // a burden alone is a word for a figure, not a judgement
        let next = words.get(at + 1).map_or("", |(written, _)| *written);
        let is_burden = burdened.get(at).copied().unwrap_or_default();
        let says_nothing = matches!(word.as_str(), "declined" | "declines" | "refused")
            && lower.get(at + 2).is_some_and(|verb| SILENT.contains(verb));
        let judges = (!has_figure || !is_burden) && !takes_over(word, next) && !is_technical(word, next);
        let weight = if says_nothing || swing.is_some_and(|(first, _, _)| first == at) {
            None
        } else if let Some((_, _, weight)) = swing.filter(|(_, second, _)| *second == at) {
            Some(weight)
        } else if loses_less(word, next) {
            Some(MOVES)
        } else if let Some(weight) = likened(word, before) {
            Some(weight)
        } else if direction == 0.0 {
            let turned = if is_nobody && at >= REACH { NEGATED } else { 1.0 };
            lexicon::english(word).filter(|_| judges).map(|weight| modified(weight, before) * turned)
        } else {
            Some(moved(word, direction, burdens, before))
        };
        let Some(weight) = weight else { continue };
        found.push(SentimentWord { word: (*written).to_owned(), weight });
    }
    one_movement(&mut found);
    if burdens && found.iter().any(is_movement) {
        // what moves is no judgement of its own: "Complaints dropped"
        let is_burden = |one: &SentimentWord| {
            let word = one.word.to_lowercase();
            lower.iter().zip(&burdened).any(|(own, burden)| *burden && *own == word)
        };
        found.retain(|one| is_movement(one) || !is_burden(one));
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
fn one_movement(found: &mut Vec<SentimentWord>) {
    let mut seen = false;
    found.retain(|one| !is_movement(one) || !std::mem::replace(&mut seen, true));
}

fn is_movement(one: &SentimentWord) -> bool {
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
    // "could not be better"
    let is_best = matches!(before, [.., "could", "not", "be"] | [.., "couldn't", "be"]);
    let is_yet_to = before.windows(2).any(|two| two == ["yet", "to"]);
    if (is_yet_to || before.iter().any(|word| negates(word))) && !is_best { sum * NEGATED } else { sum }
}
