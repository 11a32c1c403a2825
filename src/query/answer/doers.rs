//! Who does what to whom, and whether it is told or only wished, where the order of the words says so.

use super::candidates::AnswerCandidate;
use super::concepts::{Concept, is_another_act};
use crate::domain::{Record, is_person};
use crate::language::vocabulary::calendar::is_month;
use crate::language::vocabulary::chinese::{is_frequent_surname, is_surname};
use crate::language::words::is_han;
use crate::language::{Language, is_stop_word, questions};
use crate::query::question::{Asks, Question, flatten};
use std::borrow::Cow;

/// Characters before a Chinese verb that say it is wished, feared, asked for or denied.
const WISHED: &[char] = &[
    '若', '欲', '愿', '可', '请', '当', '须', '恐', '未', '不', '莫', '休', '必', '待', '誓', '宜', '何',
    '将', '要', '无', '没',
];
/// Those of them that say so wherever they stand: 将 also says whom it was done to, 不 begins 不久.
const NOT_DONE: &[char] = &['若', '欲', '愿', '可', '请', '恐', '未', '莫', '誓', '无', '待', '候'];
/// The same words in English.
const WISHES: &[&str] = &[
    "would", "could", "might", "may", "if", "should", "shall", "want", "wants", "wanted", "hope", "wish",
    "never", "not", "cannot", "can", "will", "won't", "didn't", "doesn't", "unless", "whether", "plan",
    "plans",
];

/// How a question begins that asks for the cause of what was, and what tells of what is yet to come.
const PAST: [&str; 4] = ["why did ", "why was ", "why were ", "why had "];
const LATER: &[&str] = &["will", "won't", "shall"];

/// Characters between 被 and the act that was done.
const PASSIVE: usize = 14;
/// Words between an English verb and whom it is done to, and between the doer and the verb.
const BEHIND: usize = 5;
const AHEAD: usize = 3;

/// Who did it to whom, where the order of the words tells it. From −0.8 to 0.6.
pub(super) fn turn(question: &Question, this: &AnswerCandidate<'_>, concepts: &[Concept]) -> f64 {
    if question.asks == Asks::Person && comes_into(question, &this.indexed.flat, concepts) {
        return COMES;
    }
    if question.asks != Asks::Person || question.names.len() != 1 {
        return 0.0;
    }
    match question.language {
        Language::Chinese => in_chinese(question, this, concepts),
        _ => in_english(question, this, concepts),
    }
}

/// What a sentence counts that tells who comes into the office that a question asks for.
const COMES: f64 = 0.6;

/// Whether a Chinese question asks who came into an office, and a sentence tells that somebody did: of 谁当了会长 the one
/// with 推王五为会长.
fn comes_into(question: &Question, flat: &str, concepts: &[Concept]) -> bool {
    const ASKED: [&str; 11] = [
        "谁当",
        "谁做了",
        "谁做的",
        "谁担任",
        "谁成为",
        "谁成了",
        "谁出任",
        "谁就任",
        "谁接任",
        "谁被选为",
        "谁被推为",
    ];
    const TOLD: [&str; 10] = ["为", "作", "任", "当", "做", "是", "成", "拜", "封", "立"];
    let asked = flatten(&question.text);
    let Some(behind) = ASKED.iter().find_map(|form| Some(asked.split_once(form)?.1)) else { return false };
    let office = behind.trim_end_matches(|c: char| !is_han(c) || "的了呢吗".contains(c));
    let offices = concepts.iter().filter(|concept| office.ends_with(concept.text.as_str()));
    offices.filter(|concept| !concept.is_light).flat_map(Concept::pieces).any(|office| {
        let mut places = flat.match_indices(office).map(|(at, _)| at);
        places.any(|at| {
            let before = flat.get(..at).unwrap_or_default();
            TOLD.iter().any(|form| before.ends_with(form)) && !is_not_done(flat, at)
        })
    })
}

/// A Chinese sentence with the characters of names made unreadable, at their places: 若 of 沈若澜 is no "if".
fn without_names<'f>(this: &'f AnswerCandidate<'_>) -> Cow<'f, str> {
    let flat = this.indexed.flat.as_str();
    let may_be_of_name = |(at, c): (usize, char)| {
        (NOT_DONE.contains(&c) || WISHED.contains(&c))
            && flat.get(..at).is_some_and(|ahead| ahead.chars().rev().take(2).any(is_surname))
    };
    if !flat.char_indices().any(may_be_of_name) {
        return Cow::Borrowed(flat);
    }
    let mut names: Vec<String> = Vec::new();
    for record in &this.unit.state.records {
        if let Record::Entity(entity) = record
            && is_person(&entity.kind)
        {
            names.push(flatten(&entity.name));
        }
    }
    names.retain(|name| name.chars().count() > 1 && name.chars().all(is_han));
    let unread = |c: char| if c.len_utf8() == UNREAD.len_utf8() { UNREAD } else { c };
    let mut masked = flat.to_owned();
    for name in names {
        masked = masked.replace(&name, &name.chars().map(unread).collect::<String>());
    }
    // what nobody read as a name begins with a frequent family name: 女儿沈若澜
    let mut before = None;
    let given = masked.chars().map(|c| {
        let ahead = before.replace(c);
        if GIVEN.contains(c) && ahead.is_some_and(is_frequent_surname) { unread(c) } else { c }
    });
    Cow::Owned(given.collect())
}

/// Characters that begin given names more often than they stand behind a family name otherwise.
const GIVEN: &str = "若愿宜";

/// What stands for a character of a name: as many bytes as most Chinese ones.
const UNREAD: char = '＊';

/// Whether the clause of a Chinese text before a byte says that what stands there is only wished, or never was.
fn is_not_done(flat: &str, at: usize) -> bool {
    let ahead = flat.get(..at).unwrap_or_default();
    let before = last_characters(ahead, CLAUSE);
    before.rsplit(CLAUSE_MARKS).next().is_some_and(|clause| clause.contains(NOT_DONE)) || is_thought(ahead)
}

/// Whether a Chinese sentence says the deed that is asked about, and each time that it is only wished or never was:
/// 众人无一敢杀马武 tells nobody who killed him.
pub(super) fn is_never_done(question: &Question, this: &AnswerCandidate<'_>, concepts: &[Concept]) -> bool {
    let flat = &this.indexed.flat;
    if question.language != Language::Chinese || question.text.contains(NOT_DONE) {
        return false;
    }
    let read = without_names(this);
    let deeds =
        concepts.iter().filter(|concept| !concept.is_name && !concept.is_named() && !concept.is_light);
    let mut places = deeds.flat_map(Concept::pieces).flat_map(|deed| flat.match_indices(deed)).peekable();
    places.peek().is_some() && places.all(|(at, _)| is_not_done(&read, at))
}

/// Characters before a Chinese verb in which its clause says whether it is told, and the marks between clauses.
const CLAUSE: usize = 7;
const CLAUSE_MARKS: [char; 8] = ['，', '。', '；', '：', '"', '“', '！', '？'];

/// Whether what stands behind a text is only thought of or planned. 若打破洛阳，杀了董卓: all behind 若 is.
fn is_thought(ahead: &str) -> bool {
    let sentence = ahead.rsplit(['。', '；', '"', '“', '！', '？']).next();
    sentence.is_some_and(|sentence| sentence.contains(['若', '倘']) || plans(sentence))
}

/// Of "Who killed Bob?" the sentence in which somebody killed Bob, or Bob was killed, is told of the right one; that in
/// which Bob killed is not.
fn in_english(question: &Question, this: &AnswerCandidate<'_>, concepts: &[Concept]) -> f64 {
    const PASSIVES: [&str; 8] = ["was", "were", "is", "are", "been", "being", "got", "be"];
    let asked = flatten(&question.text);
    let mut words = asked.split(' ');
    let verb = match (words.next(), words.next()) {
        (Some("who"), Some(verb)) => verb,
        (Some("by"), Some("whom")) => "",
        _ => return 0.0,
    };
    if PASSIVES.contains(&verb) || ["did", "does", "do", "has", "had", "will", "can", "would"].contains(&verb)
    {
        return 0.0;
    }
    let all: Vec<&str> = this.indexed.flat.split(' ').collect();
    let at = |of: &dyn Fn(&Concept) -> bool| -> Vec<usize> {
        let of = this.found.iter().zip(concepts).filter(|(_, concept)| of(concept));
        of.flat_map(|(found, _)| found.at.iter().copied()).collect()
    };
    let names = at(&|concept| concept.is_named());
    let verbs = at(&|concept| !concept.is_name && (verb.is_empty() || concept.text == verb));
    let mut turn: f64 = 0.0;
    for (name, verb) in names.iter().flat_map(|name| verbs.iter().map(move |verb| (*name, *verb))) {
        let between = all.get(name.min(verb)..name.max(verb)).unwrap_or_default();
        let is_passive = between.iter().any(|word| PASSIVES.contains(word));
        let stops = between.iter().any(|word| word.ends_with([',', '.', ';', ':', '!', '?', '"', '”']));
        let distance = name.abs_diff(verb);
        let done_to = name > verb || is_passive;
        if done_to && !stops && distance <= BEHIND {
            turn = turn.max(0.4);
        } else if !done_to && !stops && distance <= AHEAD && turn <= 0.0 {
            turn = -0.5;
        }
    }
    turn
}

/// The same in Chinese: of 谁杀了董卓 the sentence with 杀董卓 or 董卓被杀 is told of the
/// right one, that with 董卓杀 is not.
fn in_chinese(question: &Question, this: &AnswerCandidate<'_>, concepts: &[Concept]) -> f64 {
    let flat = &this.indexed.flat;
    let read = without_names(this);
    let Some(name) = question.names.first() else { return 0.0 };
    let object: Vec<&str> = name.whole.iter().chain(&name.given).map(String::as_str).collect();
    let asked = question.text.as_str();
    // 董卓杀了谁 and 董卓被谁所杀: whom the name did it to, and who did it to the name
    let stands_before = name.whole.iter().any(|whole| {
        asked.find(whole.as_str()).zip(asked.find(['谁', '何'])).is_some_and(|(name, who)| name < who)
    });
    let is_done_to =
        !stands_before || asked.contains('被') || ["为谁", "由谁"].iter().any(|by| asked.contains(by));
    let mut best: f64 = 0.0;
    let mut worst: f64 = 0.0;
    for verb in concepts.iter().flat_map(Concept::pieces) {
        for (at, found) in flat.match_indices(verb).filter(|(at, _)| !is_another_act(flat, *at, verb)) {
            // what was not done tells nobody who did it
            if is_done_to && is_not_done(&read, at) {
                continue;
            }
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
            // 张三之头, 张三首级: whose it was is no doer
            let is_his = verb.starts_with('之') || verb == "首级";
            let (passive, acts) = (passive || is_his && acts, acts && !is_his);
            // 薛兰…却被吕虔飞马赶来，一箭射于马下: done by whom stands behind 被
            let (passive, acts) = match by_whom(flat, at) {
                Some((_, agent)) if object.iter().any(|name| agent.contains(name)) => (false, true),
                Some((whom, _)) => (passive || object.iter().any(|name| whom.contains(name)), acts),
                None => (passive, acts),
            };
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

/// How far what is said of a name that another stands nearer to counts.
const OF_ANOTHER: f64 = 0.35;
/// The same where the name stands before the sentence, which names nobody else; and where it names somebody else first.
const OF_SUBJECT: f64 = 0.85;
const OF_OTHER_SUBJECT: f64 = 0.1;
/// What stands around a sentence of a name so that it goes on about it.
const GOES_ON: f64 = 0.3;

/// From 0 to 1: the share of what the question asks about its names that the sentence says of one of them: in it with no
/// other name between, or as it goes on about it. 0.5 where it names nothing or asks nothing of the name.
pub(super) fn bound(
    question: &Question,
    this: &AnswerCandidate<'_>,
    concepts: &[Concept],
    weights: &[f64],
) -> f64 {
    let all = || this.found.iter().zip(&this.ahead).zip(concepts).zip(weights);
    let names: Vec<usize> = all()
        .filter(|(((_, _), concept), _)| concept.is_name)
        .flat_map(|(((found, _), _), _)| found.at.iter().copied())
        .collect();
    let carried = all()
        .filter(|(((_, _), concept), _)| concept.is_name)
        .map(|(((_, ahead), _), _)| *ahead)
        .fold(0.0, f64::max);
    let mut sum = 0.0;
    let mut held = 0.0;
    let others = others_in(question, this);
    for (((found, _), concept), weight) in all() {
        if concept.is_name || concept.is_light {
            continue;
        }
        sum += weight;
        let of = |act: usize| {
            let between = |name: usize| others.iter().any(|at| *at > name.min(act) && *at < name.max(act));
            let near =
                names.iter().map(|name| if between(*name) { OF_ANOTHER } else { 1.0 }).fold(0.0, f64::max);
            if !names.is_empty() {
                near
            } else if carried < GOES_ON {
                0.0
            } else if others.iter().any(|at| *at < act) {
                OF_OTHER_SUBJECT
            } else {
                OF_SUBJECT * carried.min(1.0)
            }
        };
        held += weight * found.strength * found.at.iter().map(|at| of(*at)).fold(0.0, f64::max);
    }
    let is_named = concepts.iter().any(|concept| concept.is_name);
    if sum > 0.0 && is_named { held / sum } else { 0.5 }
}

/// Where a sentence names somebody or something that the question does not, in words.
pub(super) fn others_in(question: &Question, this: &AnswerCandidate<'_>) -> Vec<usize> {
    let asked = flatten(&question.text);
    let mut places: Vec<usize> = Vec::new();
    if this.indexed.is_han() {
        let is_bearer = |kind: &str| !is_of_kind(kind, &["概念", "concept", "日期", "date"]);
        let bearers = han_bearers(question, this, is_bearer);
        places.extend(bearers.into_iter().map(|at| this.indexed.place(at)));
    } else {
        let mut opens = true;
        for (at, word) in this.quote.2.split_whitespace().enumerate() {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let lower = bare.to_lowercase();
            let own = lower.trim_end_matches("'s").trim_end_matches("’s");
            let is_capital = bare.starts_with(char::is_uppercase) && bare.len() > 1;
            let is_plain =
                opens && (is_stop_word(own) || questions::continues(own)) || is_month(own) || own == "i";
            if is_capital && !is_plain && !asked.contains(own) {
                places.push(at);
            }
            opens = word.ends_with(['.', '!', '?', ':', '"', '”', '“']);
        }
    }
    places
}

fn is_of_kind(kind: &str, kinds: &[&str]) -> bool {
    kinds.contains(&kind.to_lowercase().as_str())
}

/// Bytes where a Chinese sentence names somebody or something that the question does not, of the kinds that fit.
fn han_bearers(question: &Question, this: &AnswerCandidate<'_>, fits: impl Fn(&str) -> bool) -> Vec<usize> {
    let flat = &this.indexed.flat;
    let asked = flatten(&question.text);
    let people = questions::han_people(flat).into_iter().filter(|(_, name)| !asked.contains(*name));
    let mut bytes: Vec<usize> = people.map(|(at, _)| at).collect();
    for record in &this.unit.state.records {
        let Record::Entity(entity) = record else { continue };
        let name = flatten(&entity.name);
        if fits(&entity.kind) && name.chars().count() > 1 && !asked.contains(&name) {
            bytes.extend(flat.match_indices(name.as_str()).map(|(at, _)| at));
        }
    }
    bytes
}

/// Bytes where a Chinese sentence names a person or an organization that the question does not.
pub(super) fn others_who_act(question: &Question, this: &AnswerCandidate<'_>) -> Vec<usize> {
    han_bearers(question, this, |kind| is_of_kind(kind, &["person", "人物", "organization", "组织"]))
}

/// 1 where each act of the question that a sentence holds is wished, feared, asked for or denied there; else 0.
pub(super) fn wished(question: &Question, this: &AnswerCandidate<'_>, concepts: &[Concept]) -> f64 {
    if !matches!(
        question.asks,
        Asks::Person | Asks::Place | Asks::Time | Asks::Number | Asks::Thing | Asks::Reason
    ) {
        return 0.0;
    }
    let flat = &this.indexed.flat;
    let asked = flatten(&question.text);
    let mut told = false;
    let mut wished = false;
    // a cause may lie in what was wished; what is yet to come has none
    let is_reason = question.asks == Asks::Reason;
    if is_reason && !PAST.iter().any(|form| asked.starts_with(form)) {
        return 0.0;
    }
    if question.language == Language::Chinese {
        let read = without_names(this);
        for verb in concepts.iter().filter(|concept| !concept.is_name).flat_map(Concept::pieces) {
            for (at, _) in flat.match_indices(verb) {
                let ahead = read.get(..at).unwrap_or_default();
                let before = last_characters(ahead, CLAUSE);
                let clause = before.rsplit(CLAUSE_MARKS).next();
                let is_wished = is_thought(ahead) || clause.is_some_and(|clause| clause.contains(WISHED));
                wished |= is_wished;
                told |= !is_wished;
            }
        }
        return f64::from(u8::from(wished && !told));
    }
    let words: Vec<&str> =
        flat.split(' ').map(|word| word.trim_matches([',', '.', ';', ':', '"', '“'])).collect();
    if question.asks == Asks::Number && is_only_expected(&question.text, &words) {
        return 1.0;
    }
    // "When will it open?" asks for what is yet to come
    let says: Vec<&str> = asked.split(|c: char| !c.is_alphanumeric() && c != '\'').collect();
    let is_wish = |word: &&str| {
        !says.contains(word) && if is_reason { LATER.contains(word) } else { WISHES.contains(word) }
    };
    for (found, concept) in this.found.iter().zip(concepts) {
        if concept.is_name || concept.is_named() {
            continue;
        }
        let is_wished = |at: &usize| {
            let near = words.get(at.saturating_sub(4)..*at).unwrap_or_default();
            near.iter().any(is_wish)
        };
        let all = !found.at.is_empty() && found.at.iter().all(is_wished);
        // of sales that will fall again the sales are there
        if is_reason && all {
            return 1.0;
        }
        wished |= found.at.iter().any(is_wished);
        told |= !found.at.iter().all(is_wished);
    }
    f64::from(u8::from(wished && !told))
}

/// Whether a text says that something is only planned: 打算建一座, "plans to build".
pub(super) fn plans(flat: &str) -> bool {
    const PLANS: [&str; 6] = ["打算", "计划", "拟建", "准备", "有意", "筹划"];
    const ENGLISH: [&str; 6] =
        ["plans to", "plan to", "planned to", "hopes to", "intends to", "would like to"];
    PLANS.iter().any(|form| flat.contains(form))
        || ENGLISH.iter().any(|form| questions::find_name(flat, form).is_some())
}

/// Whether a sentence tells its first number as what is expected, and the question does not ask for that.
fn is_only_expected(asked: &str, words: &[&str]) -> bool {
    const EXPECTS: [&str; 12] = [
        "expect",
        "expects",
        "expected",
        "anticipate",
        "anticipates",
        "forecast",
        "forecasts",
        "guidance",
        "outlook",
        "estimate",
        "estimates",
        "projected",
    ];
    let expects = |word: &str| EXPECTS.contains(&word) || word == "will";
    let Some(number) = words.iter().position(|word| word.chars().any(|c| c.is_ascii_digit())) else {
        return false;
    };
    let before = words.get(number.saturating_sub(AROUND_NUMBER)..number).unwrap_or_default();
    before.iter().any(|word| expects(word))
        && !asked.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(expects)
}

/// Words before a number that tell whether it is expected only.
const AROUND_NUMBER: usize = 8;

/// What stands before 被 and between it and the act at a place, in one sentence.
fn by_whom(flat: &str, act: usize) -> Option<(&str, &str)> {
    let ahead = flat.get(..act)?;
    let from = ahead.rfind(['。', '！', '？', '；', '"', '“', '”']).unwrap_or(0);
    let (whom, agent) = ahead.get(from..)?.rsplit_once('被')?;
    let length = agent.chars().count();
    (length > 0 && length <= PASSIVE).then_some((whom, agent))
}

fn split_at_name<'t>(text: &'t str, names: &[&str]) -> Option<(&'t str, &'t str)> {
    names.iter().find_map(|name| text.find(name)).map(|at| text.split_at(at))
}

fn last_characters(text: &str, count: usize) -> String {
    let mut last: Vec<char> = text.chars().rev().take(count).collect();
    last.reverse();
    last.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::is_only_expected;

    #[test]
    fn a_number_that_is_expected_only_is_known() {
        let check = |question: &str, sentence: &str| {
            is_only_expected(question, &sentence.split(' ').collect::<Vec<_>>())
        };
        assert!(check("how much revenue did it make?", "we expect revenue between $10.7 and $10.9 billion"));
        assert!(check("how many people work there?", "there will be 300 of them"));
        assert!(!check("how much revenue is expected?", "we expect revenue of $10.7 billion"));
        assert!(!check("how much revenue did it make?", "revenue was $11 billion as we expected"));
    }
}
