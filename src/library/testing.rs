//! Measuring how the library answers: a set of questions with the entries that are to be found, and those that nothing answers.

use super::asking::proposed;
use super::matching::EntryMatch;
use super::memory::{Conditions, Library};
use super::senses::Senses;
use crate::config::QaConfig;
use crate::json::value_count;
use crate::services::Services;
use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Values of a line at most.
const MOST_VALUES: usize = 10_000;
/// Turns of a conversation at most: each is measured with all before it.
const MOST_TURNS: usize = 64;
/// Entries that are ranked for each question.
const RANKED: usize = 5;
/// How a paraphrase is made, in the order that a set has them in.
const PARAPHRASES: [&str; 4] = ["close", "reworded", "terse", "long"];

/// A question of a set, or the turns of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct TestQuestion {
    /// The questions before it, oldest first.
    pub earlier: Vec<String>,
    /// The question.
    pub question: String,
    /// Its language.
    pub language: String,
    /// What it belongs to: `close`, `opposite`, `in_domain`, `first`, `later`, …
    pub kind: String,
    /// `paraphrase`, `look_alike`, `out_of_scope`, `turn`.
    pub part: Part,
    /// Key of the entry that answers it; absent where none does.
    pub expect: Option<String>,
    /// The conversation that it is a turn of.
    pub conversation: Option<String>,
}

/// Parts of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Another way of asking what an entry answers.
    Paraphrase,
    /// A question that looks like an entry's and asks something else.
    LookAlike,
    /// Nothing that the library speaks of.
    OutOfScope,
    /// A turn of a conversation.
    Turn,
}

/// What came of one question.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestResult {
    /// The question.
    pub question: String,
    /// Its language.
    pub language: String,
    /// Its part of the set.
    pub part: Part,
    /// Its kind.
    pub kind: String,
    /// Key of the entry that answers it; absent where none does.
    pub expect: Option<String>,
    /// Whether the first entry was sure enough to be given.
    pub answered: bool,
    /// Whether that is right: the right entry given, or nothing where nothing answers.
    pub right: bool,
    /// The entries found, surest first.
    pub ranked: Vec<Ranked>,
}

/// An entry that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ranked {
    /// Its key.
    pub id: String,
    /// From 0 to 1.
    pub confidence: f64,
    /// Whether it is shown where it is not the answer: "Did you mean …?"
    pub proposed: bool,
}

/// The figures of a set, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Figures {
    /// Which questions: `all`, `en`, `en close`, …
    pub of: String,
    /// How many.
    pub questions: usize,
    /// How many were answered.
    pub answered: usize,
    /// How many of these rightly.
    pub hits: usize,
    /// Paraphrases among them.
    pub paraphrases: usize,
    /// Percent of answers that are right.
    pub precision: Option<f64>,
    /// Percent of paraphrases that were answered rightly.
    pub recall: Option<f64>,
    /// Percent of paraphrases whose entry came first, however sure.
    pub recall_at_1: Option<f64>,
    /// Percent of paraphrases that were answered rightly, or whose entry was among the first three and was proposed.
    pub recall_at_3: Option<f64>,
    /// Questions that nothing answers.
    pub unanswerable: usize,
    /// How many of these were answered.
    pub false_answers: usize,
}

/// Turns of conversations.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TurnFigures {
    /// First turns, and how many of them are right.
    pub first: (usize, usize),
    /// Later turns, and how many of them are right.
    pub later: (usize, usize),
    /// Conversations, and how many of them are right in every turn.
    pub conversations: (usize, usize),
}

/// What a test found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestReport {
    /// Confidence from which on an entry was given.
    pub accept: f64,
    /// The whole set but the conversations.
    pub all: Figures,
    /// By language, kind, and both.
    pub parts: Vec<Figures>,
    /// Conversations; absent where the set has none.
    pub turns: Option<TurnFigures>,
    /// Wanted precision in percent, and the lowest threshold that gives it, with the recall there.
    pub thresholds: Vec<Threshold>,
    /// Every question.
    pub questions: Vec<TestResult>,
}

/// The lowest threshold that gives a precision.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Threshold {
    /// Wanted precision in percent.
    pub precision: f64,
    /// The threshold; absent where none gives it.
    pub accept: Option<f64>,
    /// Percent of paraphrases answered rightly there.
    pub recall: Option<f64>,
}

/// Reads a set: entries with `paraphrases` and `near_misses`, single questions with `expect`, conversations with `turns`.
///
/// # Errors
/// A line that is none of them.
pub fn read(text: &str, name: &str) -> Result<Vec<TestQuestion>> {
    let mut questions = Vec::new();
    for (line, row) in (1..).zip(text.lines()).filter(|(_, row)| !row.trim().is_empty()) {
        ensure!(
            value_count(row.as_bytes()) <= MOST_VALUES,
            "{name}, line {line}: more than {MOST_VALUES} values"
        );
        let object: Value =
            serde_json::from_str(row).with_context(|| format!("{name}, line {line}: no JSON"))?;
        let before = questions.len();
        let turns = object.get("turns").and_then(Value::as_array).map_or(0, Vec::len);
        ensure!(
            turns <= MOST_TURNS,
            "{name}, line {line}: {turns} turns; a conversation has at most {MOST_TURNS}"
        );
        read_row(&object, &mut questions);
        if questions.len() == before {
            bail!(
                "{name}, line {line}: no test question; wanted an entry with \"paraphrases\" or \"near_misses\", a \
                 \"question\" with \"expect\", or a conversation with \"turns\" and \"expect\""
            );
        }
    }
    Ok(questions)
}

fn read_row(object: &Value, questions: &mut Vec<TestQuestion>) {
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let list = |name: &str| object.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let (id, language) = (text("id"), text("language"));
    let question = |question: &str, kind: &str, part: Part, expect: Option<&str>| TestQuestion {
        earlier: Vec::new(),
        question: question.to_owned(),
        language: language.clone(),
        kind: kind.to_owned(),
        part,
        expect: expect.map(str::to_owned),
        conversation: None,
    };
    let turns = list("turns");
    if !turns.is_empty() {
        let turns: Vec<String> = turns.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        for (place, (turn, expect)) in turns.iter().zip(list("expect")).enumerate() {
            let kind = if place == 0 { "first" } else { "later" };
            questions.push(TestQuestion {
                earlier: turns.iter().take(place).cloned().collect(),
                conversation: Some(id.clone()),
                ..question(turn, kind, Part::Turn, expect.as_str())
            });
        }
        return;
    }
    for (place, paraphrase) in list("paraphrases").iter().enumerate() {
        let kind = PARAPHRASES.get(place).copied().unwrap_or("other");
        if let Some(asked) = paraphrase.as_str() {
            questions.push(question(asked, kind, Part::Paraphrase, Some(&id)));
        }
    }
    for near in list("near_misses") {
        let asked = near.get("question").and_then(Value::as_str);
        let trap = near.get("trap").and_then(Value::as_str).unwrap_or("other");
        let expect = near.get("expect").and_then(Value::as_str);
        questions.extend(asked.map(|asked| question(asked, trap, Part::LookAlike, expect)));
    }
    if object.get("paraphrases").is_none() && object.get("near_misses").is_none() {
        let (asked, kind) = (text("question"), text("kind"));
        if let Some(expect) = object.get("expect").filter(|_| !asked.is_empty()) {
            let part = if expect.is_null() { Part::OutOfScope } else { Part::Paraphrase };
            questions.push(question(&asked, &kind, part, expect.as_str()));
        }
    }
}

/// How near all these questions are to the entries, by their embeddings.
///
/// # Errors
/// What the vector store says.
pub async fn senses(services: &Services, library: &Library, questions: &[TestQuestion]) -> Result<Senses> {
    let texts: Vec<&str> = questions
        .iter()
        .flat_map(|asked| asked.earlier.iter().chain(std::iter::once(&asked.question)).map(String::as_str))
        .collect();
    Senses::of(services, library, &texts, &Conditions::default()).await
}

/// Asks every question.
pub fn run(
    library: &Library,
    questions: &[TestQuestion],
    (config, senses): (&QaConfig, &Senses),
    day: &str,
) -> TestReport {
    let conditions = Conditions { day: day.to_owned(), filters: Vec::new() };
    let results: Vec<TestResult> = questions
        .iter()
        .map(|asked| {
            let earlier: Vec<&str> = asked.earlier.iter().map(String::as_str).collect();
            let found = library.ask(&asked.question, &earlier, &conditions, (config, senses), RANKED);
            let ranked = ranked(library, &found, config);
            let answered = ranked.first().is_some_and(|first| first.confidence >= config.accept);
            let first = ranked.first().map(|first| &first.id);
            let right = if answered { asked.expect.as_ref() == first } else { asked.expect.is_none() };
            TestResult {
                question: asked.question.clone(),
                language: asked.language.clone(),
                part: asked.part,
                kind: asked.kind.clone(),
                expect: asked.expect.clone(),
                answered,
                right,
                ranked,
            }
        })
        .collect();
    let single: Vec<&TestResult> = results.iter().filter(|result| result.part != Part::Turn).collect();
    TestReport {
        accept: config.accept,
        all: figures("all", &single, config.accept),
        parts: by_part(&single, config.accept),
        turns: turns(questions, &results),
        thresholds: [90.0, 95.0, 97.0, 99.0].into_iter().map(|wanted| threshold(&single, wanted)).collect(),
        questions: results,
    }
}

/// What was found, with its keys, and what of it is proposed.
pub fn ranked(library: &Library, found: &[EntryMatch], config: &QaConfig) -> Vec<Ranked> {
    let shown = proposed(found, config).count();
    let keys = found.iter().enumerate().filter_map(|(place, found)| {
        let id = library.entry(found)?.key.clone();
        let confidence = (found.confidence * 10_000.0).round() / 10_000.0;
        Some(Ranked { id, confidence, proposed: place < shown })
    });
    keys.collect()
}

fn by_part(results: &[&TestResult], accept: f64) -> Vec<Figures> {
    let mut parts: BTreeMap<(u8, String), Vec<&TestResult>> = BTreeMap::new();
    for result in results {
        let part = match result.part {
            Part::Paraphrase => "paraphrase",
            Part::LookAlike => "look-alike",
            Part::OutOfScope => "out of scope",
            Part::Turn => "turn",
        };
        let (language, kind) = (&result.language, &result.kind);
        for (order, name) in [
            (0, language.clone()),
            (1, part.to_owned()),
            (2, format!("{part} {kind}")),
            (3, format!("{language} {part} {kind}")),
        ] {
            parts.entry((order, name)).or_default().push(result);
        }
    }
    parts.into_iter().map(|((_, name), results)| figures(&name, &results, accept)).collect()
}

fn is_hit(result: &TestResult) -> bool {
    result.expect.is_some() && result.ranked.first().map(|first| &first.id) == result.expect.as_ref()
}

fn figures(of: &str, results: &[&TestResult], accept: f64) -> Figures {
    let sure = |result: &&&TestResult| result.ranked.first().is_some_and(|first| first.confidence >= accept);
    let answered: Vec<&&TestResult> = results.iter().filter(sure).collect();
    let hits = answered.iter().filter(|result| is_hit(result)).count();
    let paraphrases: Vec<&&TestResult> =
        results.iter().filter(|result| result.part == Part::Paraphrase).collect();
    let percent =
        |part: usize, whole: usize| (whole > 0).then(|| (1000.0 * part as f64 / whole as f64).round() / 10.0);
    let of_paraphrases = |meets: &dyn Fn(&TestResult) -> bool| {
        percent(paraphrases.iter().filter(|result| meets(result)).count(), paraphrases.len())
    };
    let among = |result: &TestResult, most: usize| {
        result.ranked.iter().take(most).any(|ranked| Some(&ranked.id) == result.expect.as_ref())
    };
    // what `query` shows: the answer, or where none is sure what it proposes
    let shown = |result: &TestResult| {
        let mut proposed = result.ranked.iter().take(3).filter(|ranked| ranked.proposed);
        if sure(&&result) {
            is_hit(result)
        } else {
            proposed.any(|ranked| Some(&ranked.id) == result.expect.as_ref())
        }
    };
    Figures {
        of: of.to_owned(),
        questions: results.len(),
        answered: answered.len(),
        hits,
        paraphrases: paraphrases.len(),
        precision: percent(hits, answered.len()),
        recall: of_paraphrases(&|result| is_hit(result) && sure(&&result)),
        recall_at_1: of_paraphrases(&|result| among(result, 1)),
        recall_at_3: of_paraphrases(&|result| shown(result)),
        unanswerable: results.iter().filter(|result| result.expect.is_none()).count(),
        false_answers: answered.iter().filter(|result| result.expect.is_none()).count(),
    }
}

fn turns(questions: &[TestQuestion], results: &[TestResult]) -> Option<TurnFigures> {
    let mut figures = TurnFigures::default();
    let mut conversations: BTreeMap<&str, bool> = BTreeMap::new();
    for (asked, result) in questions.iter().zip(results) {
        let Some(conversation) = &asked.conversation else { continue };
        let turns = if asked.earlier.is_empty() { &mut figures.first } else { &mut figures.later };
        turns.0 += 1;
        turns.1 += usize::from(result.right);
        *conversations.entry(conversation).or_insert(true) &= result.right;
    }
    figures.conversations = (conversations.len(), conversations.values().filter(|right| **right).count());
    (figures.conversations.0 > 0).then_some(figures)
}

/// The lowest threshold at which, and at every higher one that answers as much, so many percent of all answers are right.
pub fn threshold(results: &[&TestResult], wanted: f64) -> Threshold {
    let mut firsts: Vec<(f64, bool, bool)> = results
        .iter()
        .filter_map(|result| {
            let hit = is_hit(result);
            Some((result.ranked.first()?.confidence, hit, hit && result.part == Part::Paraphrase))
        })
        .collect();
    firsts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let paraphrases = results.iter().filter(|result| result.part == Part::Paraphrase).count();
    let (mut hits, mut recalled) = (0, 0);
    let mut found = Threshold { precision: wanted, accept: None, recall: None };
    for (count, (confidence, hit, paraphrase)) in (1..).zip(&firsts) {
        hits += usize::from(*hit);
        recalled += usize::from(*paraphrase);
        let ends = firsts.get(count).is_none_or(|next| next.0 < *confidence);
        if ends && 100.0 * hits as f64 >= wanted * count as f64 {
            found.accept = Some(*confidence);
            found.recall =
                (paraphrases > 0).then(|| (1000.0 * recalled as f64 / paraphrases as f64).round() / 10.0);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ids, LibraryEntry};

    fn library() -> Library {
        let entry = |key: &str, question: &str, follow_ups: &[&str]| LibraryEntry {
            id: Ids::new("default").question(key),
            key: key.to_owned(),
            question: question.to_owned(),
            answer: "So it is.".to_owned(),
            follow_ups: follow_ups.iter().map(|&key| key.to_owned()).collect(),
            language: "en".to_owned(),
            ..LibraryEntry::default()
        };
        Library::new(vec![
            entry("open", "How do I open a garden account?", &["duration"]),
            entry("duration", "How long does opening a garden account take?", &[]),
            entry("fee", "What does a parcel to Norway cost?", &[]),
        ])
    }

    #[test]
    fn a_set_is_scored_as_its_readers_expect() {
        let text = r#"{"id":"open","language":"en","paraphrases":["How can I open a garden account?"],"near_misses":[{"question":"How do I close a garden account?","expect":null,"trap":"opposite"}]}
{"id":"out","language":"en","kind":"general","question":"Who wrote Hamlet?","expect":null}
{"id":"talk","language":"en","turns":["How do I open a garden account?","And how long does that take?"],"expect":["open","duration"]}"#;
        let questions = read(text, "set.jsonl").unwrap();
        assert_eq!(questions.len(), 5);
        let report = run(&library(), &questions, (&QaConfig::default(), &Senses::default()), "2026-11-23");
        assert_eq!((report.all.questions, report.all.paraphrases, report.all.unanswerable), (3, 1, 2));
        assert_eq!((report.all.recall, report.all.false_answers), (Some(100.0), 0), "{report:#?}");
        assert_eq!(report.all.precision, Some(100.0));
        let turns = report.turns.unwrap();
        assert_eq!((turns.first, turns.later, turns.conversations), ((1, 1), (1, 1), (1, 1)));
    }

    #[test]
    fn an_entry_counts_as_proposed_only_where_it_is_shown() {
        let text =
            r#"{"id":"open","language":"en","paraphrases":["What of the garden and of all those trees?"]}"#;
        let questions = read(text, "set.jsonl").unwrap();
        let figure = |config: &QaConfig| {
            run(&library(), &questions, (config, &Senses::default()), "2026-11-23").all.recall_at_3
        };
        assert_eq!(figure(&QaConfig::default()), Some(100.0), "by rank, however unsure");
        assert_eq!(figure(&QaConfig { suggest: 0.5, ..QaConfig::default() }), Some(0.0));
        assert_eq!(figure(&QaConfig { suggestions: 0, ..QaConfig::default() }), Some(0.0));
    }

    #[test]
    fn a_line_that_would_become_very_many_questions_is_refused() {
        let talk = |turns: usize| {
            let row = serde_json::json!({"id": "t", "turns": vec!["a?"; turns], "expect": vec![""; turns]});
            read(&row.to_string(), "set").map(|read| read.len()).map_err(|error| error.to_string())
        };
        assert_eq!(talk(MOST_TURNS), Ok(MOST_TURNS));
        assert_eq!(talk(65), Err("set, line 1: 65 turns; a conversation has at most 64".to_owned()));
        assert_eq!(talk(10_000), Err("set, line 1: more than 10000 values".to_owned()));
    }

    #[test]
    fn a_line_that_is_no_test_question_is_told() {
        let error = read("{\"id\": \"x\"}", "set.jsonl").unwrap_err().to_string();
        assert!(error.contains("set.jsonl, line 1"), "{error}");
    }
}
