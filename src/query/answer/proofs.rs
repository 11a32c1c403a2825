//! Which clauses of a statement the sentences that it cites leave bare: each of them leads to a sentence of its own.

use super::grounds::{Found, Readings};
use super::passages::{clauses, meaning};
use super::statements::Cited;
use super::verbatim::SaidLetters;
use crate::domain::{Id, RecordKind};
use crate::language::words::is_han;
use std::collections::BTreeSet;

/// Words below which a clause states nothing by itself; the same of pairs of Chinese characters.
const STATES: usize = 2;
const STATES_HAN: usize = 3;
/// Share of a clause's words up to which the sentences that are cited leave it bare.
const BARE: f64 = 0.34;
/// Share of a clause's words from which a sentence proves it.
const PROVES: f64 = 0.6;
/// Share of a statement's words, the names of an entity aside, that its sentence must add to what others prove.
const ADDS: f64 = 0.1;

/// Given the sentences behind the citations of one statement, in the order of `cited`: lets an entity whose sentence says
/// nothing of the statement that the others leave open share the one that says most of it, and returns a sentence more
/// for each clause that all leave bare, with the place of the citation that leads to it.
pub(super) fn completed<'a>(
    readings: &'a Readings<'a>,
    cited: &[Cited<'_>],
    found: &mut [Found],
) -> Vec<(usize, Found)> {
    for (at, (kind, id, statement)) in cited.iter().enumerate() {
        if *kind == RecordKind::Entities
            && let Some(better) = better_sentence(readings, id, statement.sentence, at, cited, found)
            && let Some(place) = found.get_mut(at)
        {
            *place = better;
        }
    }
    let Some((_, _, statement)) = cited.first() else { return Vec::new() };
    let said = SaidLetters::of(statement.sentence);
    if found.iter().any(|found| said.repeats(text_of(found))) {
        return Vec::new();
    }
    let mut known: BTreeSet<String> = BTreeSet::new();
    known.extend(found.iter().flat_map(|found| meaning(text_of(found))));
    let mut more = Vec::new();
    for clause in clauses(statement.sentence).filter(|clause| states(clause)) {
        let proofs = cited.iter().enumerate().filter_map(|(at, (kind, id, _))| {
            let proof = readings.proof((*kind, id), clause, &known)?;
            (proof.known <= BARE && proof.share >= PROVES).then_some((at, proof))
        });
        let best = proofs.reduce(|best, next| if next.1.share > best.1.share { next } else { best });
        if let Some((at, proof)) = best {
            known.extend(meaning(text_of(&proof.found)));
            more.push((at, proof.found));
        }
    }
    more
}

/// What another citation of the statement leads to, where it says more of it than the sentence of an entity and leaves
/// nothing of it to that.
fn better_sentence(
    readings: &Readings<'_>,
    id: &Id,
    said: &str,
    at: usize,
    cited: &[Cited<'_>],
    found: &[Found],
) -> Option<Found> {
    let own = text_of(found.get(at)?);
    let others: Vec<&Found> = cited
        .iter()
        .zip(found)
        .filter(|((kind, ..), other)| *kind != RecordKind::Entities && !text_of(other).is_empty())
        .map(|(_, other)| other)
        .collect();
    let told: Vec<&str> = others.iter().map(|other| text_of(other)).collect();
    let together = told.join("\n");
    let with_own = format!("{together}\n{own}");
    let shares = readings.shares_beside_names(id, said, &[own, &together, &with_own]);
    let [of_own, of_others, of_all] = shares.as_slice() else { return None };
    if of_others <= of_own || of_all - of_others >= ADDS {
        return None;
    }
    let each = readings.shares_beside_names(id, said, &told);
    let best = others.into_iter().zip(each);
    let (best, share) = best.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    (share > *of_own).then(|| best.clone())
}

fn text_of(found: &Found) -> &str {
    found.0.as_ref().map_or("", |sentence| &sentence.text)
}

/// Whether a clause says enough to be proved by itself: a label in bold letters is none.
fn states(clause: &str) -> bool {
    let text = clause.trim();
    let bold = text.contains("**") && !text.starts_with("** ");
    if bold && (text.starts_with("**") || text.ends_with([':', '：'])) {
        return false;
    }
    let words = meaning(clause);
    let pairs = words.iter().filter(|word| word.chars().any(is_han)).count();
    if pairs > 0 { pairs >= STATES_HAN } else { words.len() >= STATES }
}
