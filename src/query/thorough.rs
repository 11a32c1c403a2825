//! Correctness before response time: every method that works here is asked, and the answer with the best proof is given.
//!
//! The proof of a model's answer is how much of it is cited, and how much of what it cites other methods cite too. Answers
//! that are made of sentences say themselves how sure they are.

use super::answer::{Answer, AnsweredBy};
use super::request::{Effort, InvalidRequest, Method, QueryRequest};
use super::searches::drift;
use crate::services::Services;
use anyhow::{Result, bail};

/// What the cited share of an answer counts; the rest is how much of it other methods cite too.
const CITED: f64 = 0.6;

/// The methods that work with what is configured, besides [`Method::Auto`].
pub fn methods(services: &Services) -> Vec<Method> {
    let mut methods = vec![Method::Local, Method::Global, Method::Basic, Method::Source, Method::Table];
    if services.chat.is_some() {
        methods.extend([Method::Drift, Method::Reader]);
    }
    if services.embedding.is_some() {
        methods.push(Method::Raptor);
    }
    methods
}

/// Asks one method after the other. A method that the question does not go with is passed over and noted.
///
/// # Errors
/// As [`super::query`]; no method could be asked.
pub(super) async fn query(
    services: &Services,
    request: &QueryRequest,
    on_text: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Answer> {
    let begun = std::time::Instant::now();
    let mut methods = methods(services);
    // the baseline that reads every text proves no more than what reads the best of them
    methods.retain(|method| *method != Method::Source);
    let (first, _) = drift::method_for(&request.question);
    methods.sort_by_key(|method| *method != first);
    let stage = request.progress().stage("methods", methods.len() as u64);
    let (mut answers, mut passed_over) = (Vec::new(), Vec::new());
    for method in methods {
        let asked = QueryRequest { method, effort: Effort::Quick, ..request.clone() };
        match Box::pin(super::query(services, &asked, &mut |_| {})).await {
            Ok(answer) if answer.answered_by == AnsweredBy::Library => {
                on_text(&answer.answer);
                return Ok(answer);
            }
            Ok(answer) => answers.push(answer),
            Err(error) => match error.downcast_ref::<InvalidRequest>() {
                Some(reason) => passed_over.push(format!("{} was not asked: {reason}", name(method))),
                None => return Err(error),
            },
        }
        stage.advance(1);
    }
    let proofs: Vec<f64> = (0..answers.len()).map(|place| proof(&answers, place)).collect();
    // of equal ones the first: the method that the question's shape asks for
    let best = (0..answers.len()).rev().max_by(|a, b| {
        let of = |place: &usize| proofs.get(*place).copied().unwrap_or_default();
        of(a).total_cmp(&of(b))
    });
    let Some(best) = best else {
        bail!(InvalidRequest(format!("no method goes with this question: {}", passed_over.join("; "))));
    };
    let told: Vec<String> = answers
        .iter()
        .zip(&proofs)
        .map(|(answer, proof)| format!("{} {:.0} %", name(answer.method), 100.0 * proof))
        .collect();
    let spent: Vec<(u64, Vec<(String, u64)>)> =
        answers.iter().map(|answer| (answer.calls, answer.tokens.clone().into_iter().collect())).collect();
    let mut answer = answers.swap_remove(best);
    let context = answer.tokens.get("context").copied();
    (answer.calls, answer.tokens) = (0, std::collections::BTreeMap::new());
    for (calls, tokens) in spent {
        answer.calls += calls;
        for (what, count) in tokens {
            *answer.tokens.entry(what).or_default() += count;
        }
    }
    answer.tokens.extend(context.map(|context| ("context".to_owned(), context)));
    answer.notes.push(format!("asked every method; proof: {}", told.join(", ")));
    answer.notes.extend(passed_over);
    answer.took("total", begun);
    on_text(&answer.answer);
    Ok(answer)
}

/// How well an answer is proven, from 0 to 1.
fn proof(answers: &[Answer], place: usize) -> f64 {
    let Some(answer) = answers.get(place).filter(|answer| answer.found.0) else { return 0.0 };
    if let Some(confidence) = answer.confidence {
        return confidence;
    }
    let others = || answers.iter().enumerate().filter(|(other, _)| *other != place);
    let sentences: Vec<_> =
        answer.citations.iter().filter_map(|citation| citation.sentence.as_ref()).collect();
    if sentences.is_empty() {
        return 0.0;
    }
    let agreed = sentences.iter().filter(|sentence| {
        others().any(|(_, other)| {
            let cited = other.citations.iter().filter_map(|citation| citation.sentence.as_ref());
            cited.into_iter().any(|cited| {
                cited.document == sentence.document
                    && cited.start < sentence.end
                    && sentence.start < cited.end
            })
        })
    });
    let agreed = agreed.count() as f64 / sentences.len() as f64;
    CITED * cited_share(answer) + (1.0 - CITED) * agreed
}

/// Share of the lines of an answer that cite something; headings are none.
fn cited_share(answer: &Answer) -> f64 {
    let (mut at, mut lines, mut cited) = (0, 0_u32, 0_u32);
    for line in answer.answer.split_inclusive('\n') {
        let end = at + line.len();
        let is_heading = line.trim_start().starts_with('#');
        if line.chars().any(char::is_alphanumeric) && !is_heading {
            lines += 1;
            let marked = answer.marks.iter().any(|mark| (at..end).contains(&mark.start));
            cited += u32::from(marked);
        }
        at = end;
    }
    if lines == 0 { 0.0 } else { f64::from(cited) / f64::from(lines) }
}

/// A method as people write it.
fn name(method: Method) -> String {
    format!("{method:?}").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Id, RecordKind, SourceSentence};
    use crate::query::answer::{Citation, Found, Mark};

    fn answer(text: &str, cited: &[(&str, u64, u64)]) -> Answer {
        let marks =
            text.match_indices("[Data").map(|(start, _)| Mark { start, end: start + 1, ..Mark::default() });
        let citations = cited.iter().map(|(document, start, end)| Citation {
            kind: RecordKind::Sources,
            number: 0,
            id: Id::from_stored("u"),
            name: String::new(),
            headings: Vec::new(),
            sentence: Some(SourceSentence {
                document: (*document).to_owned(),
                date: None,
                text_unit_id: Id::from_stored("u"),
                start: *start,
                end: *end,
                locator: None,
                last_locator: None,
                text: String::new(),
            }),
        });
        Answer {
            answer: text.to_owned(),
            marks: marks.collect(),
            citations: citations.collect(),
            ..Answer::default()
        }
    }

    #[test]
    fn what_is_cited_and_agreed_on_is_proven_best() {
        let full = answer(
            "# H\n- one [Data: Sources (0)]\n- two [Data: Sources (1)]\n",
            &[("a", 0, 9), ("b", 5, 9)],
        );
        let half = answer("- one [Data: Sources (0)]\n- two, says nobody\n", &[("a", 3, 7)]);
        let bare = answer("Nothing is cited here.", &[]);
        let gone = Answer { found: Found(false), ..full.clone() };
        let answers = [full, half, bare, gone];
        let proofs: Vec<f64> = (0..4).map(|place| proof(&answers, place)).collect();
        // of the first, both sentences stand in the fourth's citations as well
        assert!((proofs[0] - 1.0).abs() < 1e-9 && (proofs[1] - 0.7).abs() < 1e-9, "{proofs:?}");
        assert_eq!((proofs[2], proofs[3]), (0.0, 0.0));
        let sure = Answer { confidence: Some(0.8), ..answer("x", &[]) };
        assert!((proof(&[sure], 0) - 0.8).abs() < 1e-9);
    }
}
