//! A model's verdicts on numbered pairs, as text into data. Untrusted: every reply gives verdicts and problems.

use crate::language::unbroken;
use crate::llm::reply::read_all_json;
use serde_json::Value;
use std::collections::BTreeMap;

/// Characters of a reason that are kept.
const REASON_CHARACTERS: usize = 200;
/// Objects and lists that are looked at in one reply.
const MAX_JSON_VALUES: usize = 200;

/// Whether one pair is the same thing, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairVerdict {
    /// The verdict.
    pub same: bool,
    /// The model's reason on one line; may be empty.
    pub reason: String,
}

/// What a reply says of `count` pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairVerdicts {
    /// One place a pair; `None` where the reply has no verdict, or two that contradict each other.
    pub verdicts: Vec<Option<PairVerdict>>,
    /// What was wrong with the reply, for people and for asking again.
    pub problems: Vec<String>,
}

/// Reads the verdicts on pairs 1 to `count`.
pub fn read_verdicts(reply: &str, count: usize) -> PairVerdicts {
    let mut said: BTreeMap<u64, Vec<PairVerdict>> = BTreeMap::new();
    for value in read_all_json(reply, MAX_JSON_VALUES) {
        gather(&value, &mut said);
    }
    let mut judged = PairVerdicts { verdicts: vec![None; count], problems: Vec::new() };
    if said.is_empty() {
        judged.problems.push("it holds no verdicts".to_owned());
        return judged;
    }
    for (pair, judgements) in said {
        let place = usize::try_from(pair).ok().and_then(|pair| pair.checked_sub(1));
        let Some(slot) = place.and_then(|place| judged.verdicts.get_mut(place)) else {
            judged.problems.push(format!("pair {pair} was not asked about"));
            continue;
        };
        let mut judgements = judgements.into_iter();
        let first = judgements.next();
        if judgements.any(|other| first.as_ref().is_some_and(|first| first.same != other.same)) {
            judged.problems.push(format!("pair {pair} has two verdicts"));
        } else {
            *slot = first;
        }
    }
    let missing = judged.verdicts.iter().filter(|verdict| verdict.is_none()).count();
    if missing > 0 {
        judged.problems.push(format!("{missing} of {count} pairs have no verdict"));
    }
    judged
}

/// Verdicts wherever they stand: in a list, under a name, or one object a line.
fn gather(value: &Value, said: &mut BTreeMap<u64, Vec<PairVerdict>>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| gather(item, said)),
        Value::Object(fields) => {
            let pair = ["pair", "id", "number"].iter().find_map(|name| whole(fields.get(*name)?));
            let same = ["same", "verdict", "is_same"].iter().find_map(|name| yes_or_no(fields.get(*name)?));
            if let (Some(pair), Some(same)) = (pair, same) {
                let reason = fields.get("reason").and_then(Value::as_str).unwrap_or_default();
                said.entry(pair).or_default().push(PairVerdict { same, reason: one_line(reason) });
                return;
            }
            for (name, inner) in fields {
                // {"1": true, "2": {"same": false}}
                let number = name.trim().parse().ok();
                match (number, yes_or_no(inner), inner.get("same").and_then(yes_or_no)) {
                    (Some(pair), Some(same), _) | (Some(pair), None, Some(same)) => {
                        let reason = inner.get("reason").and_then(Value::as_str).unwrap_or_default();
                        said.entry(pair).or_default().push(PairVerdict { same, reason: one_line(reason) });
                    }
                    _ => gather(inner, said),
                }
            }
        }
        _ => {}
    }
}

fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().trim_end_matches('.').parse().ok())
}

fn yes_or_no(value: &Value) -> Option<bool> {
    if let Some(same) = value.as_bool() {
        return Some(same);
    }
    match value.as_str()?.trim().to_lowercase().as_str() {
        "true" | "yes" | "same" | "是" => Some(true),
        "false" | "no" | "different" | "否" => Some(false),
        _ => None,
    }
}

fn one_line(text: &str) -> String {
    let line = unbroken(text);
    line.chars().filter(|c| !c.is_control()).take(REASON_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sames(reply: &str, count: usize) -> (Vec<Option<bool>>, usize) {
        let judged = read_verdicts(reply, count);
        let sames = judged.verdicts.iter().map(|verdict| verdict.as_ref().map(|verdict| verdict.same));
        (sames.collect(), judged.problems.len())
    }

    #[test]
    fn verdicts_are_read_as_models_write_them() {
        let both = (vec![Some(true), Some(false)], 0);
        for reply in [
            r#"{"verdicts": [{"pair": 1, "same": true, "reason": "a nickname"}, {"pair": 2, "same": false}]}"#,
            r#"[{"pair": "1", "same": "yes"}, {"pair": "2.", "same": "no"}]"#,
            r#"{"1": true, "2": {"same": false, "reason": "father and son"}}"#,
            "Here they are:\n```json\n{\"verdicts\": [{\"pair\": 1, \"same\": true,}, {\"pair\": 2, \"same\": false}]\n```",
            "{\"pair\": 1, \"same\": true}\n{\"pair\": 2, \"same\": false}",
            r#"{"verdicts": [{"pair": 1, "same": true}, {"pair": 1, "same": true}, {"pair": 2, "verdict": "different"}]}"#,
        ] {
            assert_eq!(sames(reply, 2), both, "{reply}");
        }
        let judged = read_verdicts(r#"[{"pair": 1, "same": true, "reason": "one\n and\tthe same"}]"#, 1);
        assert_eq!(judged.verdicts[0].as_ref().unwrap().reason, "one and the same");
    }

    #[test]
    fn what_is_wrong_is_told_and_the_rest_kept() {
        assert_eq!(sames("I am not sure.", 2), (vec![None, None], 1));
        assert_eq!(sames("", 1), (vec![None], 1));
        // pairs that were not asked about, none left out
        let beyond = r#"[{"pair": 1, "same": true}, {"pair": 7, "same": true}, {"pair": 0, "same": true}]"#;
        assert_eq!(sames(beyond, 1), (vec![Some(true)], 2));
        // one pair missing, one with two verdicts
        let mixed = r#"[{"pair": 1, "same": true}, {"pair": 1, "same": false}, {"pair": 2, "same": true}]"#;
        assert_eq!(sames(mixed, 3), (vec![None, Some(true), None], 2));
        // a truncated tail
        assert_eq!(
            sames(r#"{"verdicts": [{"pair": 1, "same": true}, {"pair": 2, "sa"#, 2),
            (vec![Some(true), None], 1)
        );
        assert_eq!(
            sames(r#"[{"pair": -1, "same": true}, {"pair": 1e30, "same": true}]"#, 1),
            (vec![None], 1)
        );
    }
}
