//! What of a question only tells when its deed was done: "after the flood" of "After the flood, who ran the mill?".

use super::concepts::Concept;
use crate::query::question::{Question, flatten};

/// What a thing counts of what it would else that only tells when.
const SHARE: f64 = 0.4;

/// The weights of concepts, those lowered that a question names only to tell when something was.
pub(super) fn by_circumstance(question: &Question, concepts: &[Concept], weights: Vec<f64>) -> Vec<f64> {
    let flat = flatten(&question.text);
    let Some((told, asked)) = circumstance(&flat) else { return weights };
    let is_only_told =
        |concept: &Concept| told.contains(concept.text.as_str()) && !asked.contains(concept.text.as_str());
    if concepts.iter().all(|concept| is_only_told(concept) || concept.is_light) {
        return weights;
    }
    let lowered = weights.into_iter().zip(concepts);
    lowered.map(|(weight, one)| if is_only_told(one) { weight * SHARE } else { weight }).collect()
}

/// A flat question as the clause before its mark that tells when, and the rest.
fn circumstance(flat: &str) -> Option<(&str, &str)> {
    const ENDS: [&str; 11] =
        ["的时候", "时", "以后", "之后", "后", "以前", "之前", "前", "期间", "当中", "那年"];
    const BEGINS: [&str; 6] = ["when ", "after ", "before ", "while ", "during ", "since "];
    let (clause, rest) = flat.split_once(['，', ',']).filter(|(_, rest)| !rest.is_empty())?;
    let is_time = ENDS.iter().any(|form| clause.ends_with(form))
        || BEGINS.iter().any(|form| clause.strip_prefix(form).is_some_and(|behind| behind.contains(' ')));
    is_time.then_some((clause, rest))
}

#[cfg(test)]
mod tests {
    use super::circumstance;

    #[test]
    fn what_only_tells_when_is_known() {
        let check = |question: &str, told: Option<&str>| {
            assert_eq!(circumstance(question).map(|(told, _)| told), told, "{question}");
        };
        check("修堤坝的时候，谁当了村长？", Some("修堤坝的时候"));
        check("after the flood, who ran the mill?", Some("after the flood"));
        check("when did the mill reopen, and who ran it?", Some("when did the mill reopen"));
        check("who ran the mill after the flood?", None);
        check("老赵、小钱，谁是村长？", None);
    }
}
