//! Who does what to whom, and whether it is told or only wished, where the order of the words says so.

use super::candidates::Candidate;
use super::concepts::Concept;
use crate::language::Language;
use crate::query::question::{Asks, Question};

/// Characters before a Chinese verb that say it is wished, feared, asked for or denied.
const WISHED: &[char] = &[
    '若', '欲', '愿', '可', '请', '当', '须', '恐', '未', '不', '莫', '休', '必', '待', '誓', '宜', '何',
    '将', '要',
];
/// The same words in English.
const WISHES: &[&str] = &[
    "would", "could", "might", "may", "if", "should", "shall", "want", "wants", "wanted", "hope", "wish",
    "never", "not", "cannot", "can", "will", "won't", "didn't", "doesn't", "unless", "whether", "plan",
    "plans",
];

/// Who did it to whom, in Chinese, where the order tells it: of 谁杀了董卓 the sentence with 杀董卓 or 董卓被杀 is told of the
/// right one, that with 董卓杀 is not. From −0.8 to 0.6.
pub(super) fn turn(question: &Question, this: &Candidate<'_>, concepts: &[Concept]) -> f64 {
    if question.language != Language::Chinese || question.asks != Asks::Person || question.names.len() != 1 {
        return 0.0;
    }
    let flat = &this.indexed.flat;
    let Some(name) = question.names.first() else { return 0.0 };
    let object: Vec<&str> = name.whole.iter().chain(&name.given).map(String::as_str).collect();
    let asked = question.text.as_str();
    // 董卓杀了谁 and 董卓被谁所杀: whom the name did it to, and who did it to the name
    let stands_before = name.whole.iter().any(|whole| {
        asked.find(whole.as_str()).zip(asked.find(['谁', '何'])).is_some_and(|(name, who)| name < who)
    });
    let is_done_to = !stands_before || asked.contains('被') || asked.contains("为谁");
    let mut best: f64 = 0.0;
    let mut worst: f64 = 0.0;
    for verb in concepts.iter().flat_map(Concept::pieces) {
        for (at, found) in flat.match_indices(verb) {
            let behind: String = flat.get(at + found.len()..).unwrap_or_default().chars().take(5).collect();
            let before: String = last_characters(flat.get(..at).unwrap_or_default(), 6);
            let mark = |text: &str| text.contains(['，', '。', '；', '：', '"', '“', '！', '？']);
            let after = split_at_name(&behind, &object)
                .is_some_and(|(gap, _)| !mark(gap) && !gap.contains(['败', '退', '散', '向', '到']));
            let passive = split_at_name(&before, &object)
                .is_some_and(|(ahead, rest)| rest.contains(['被', '为']) && !ahead.contains('被'));
            let acts = split_at_name(&before, &object).is_some_and(|(ahead, rest)| {
                !mark(rest) && (!rest.contains(['被', '为']) || ahead.ends_with('被'))
            });
            match (is_done_to, after || passive, acts) {
                (true, true, _) => best = best.max(0.6),
                (false, false, true) => best = best.max(0.4),
                (true, false, true) => worst = 0.8,
                _ => {}
            }
        }
    }
    if best > 0.0 { best } else { -worst }
}

/// 1 where each act of the question that a sentence holds is wished, feared, asked for or denied there; else 0.
pub(super) fn wished(question: &Question, this: &Candidate<'_>, concepts: &[Concept]) -> f64 {
    if !matches!(question.asks, Asks::Person | Asks::Place | Asks::Time | Asks::Number | Asks::Thing) {
        return 0.0;
    }
    let flat = &this.indexed.flat;
    let mut told = false;
    let mut wished = false;
    if question.language == Language::Chinese {
        for verb in concepts.iter().filter(|concept| !concept.is_name).flat_map(Concept::pieces) {
            for (at, _) in flat.match_indices(verb) {
                let before = last_characters(flat.get(..at).unwrap_or_default(), 7);
                let clause = before.rsplit(['，', '。', '；', '：', '"', '“', '！', '？']).next();
                // 若打破洛阳，杀了董卓: all behind 若 is only thought of
                let ahead = flat.get(..at).unwrap_or_default();
                let sentence = ahead.rsplit(['。', '；', '"', '“', '！', '？']).next();
                let is_thought = sentence.is_some_and(|sentence| sentence.contains(['若', '倘']));
                let is_wished = is_thought || clause.is_some_and(|clause| clause.contains(WISHED));
                wished |= is_wished;
                told |= !is_wished;
            }
        }
        return f64::from(u8::from(wished && !told));
    }
    let words: Vec<&str> =
        flat.split(' ').map(|word| word.trim_matches([',', '.', ';', ':', '"', '“'])).collect();
    for (found, concept) in this.found.iter().zip(concepts) {
        if concept.is_name || concept.is_named() {
            continue;
        }
        for at in &found.at {
            let near = words.get(at.saturating_sub(4)..*at).unwrap_or_default();
            let is_wished = near.iter().any(|word| WISHES.contains(word));
            wished |= is_wished;
            told |= !is_wished;
        }
    }
    f64::from(u8::from(wished && !told))
}

fn split_at_name<'t>(text: &'t str, names: &[&str]) -> Option<(&'t str, &'t str)> {
    names.iter().find_map(|name| text.find(name)).map(|at| text.split_at(at))
}

fn last_characters(text: &str, count: usize) -> String {
    let mut last: Vec<char> = text.chars().rev().take(count).collect();
    last.reverse();
    last.into_iter().collect()
}
