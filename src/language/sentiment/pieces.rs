//! A text in pieces, each about one of the targets or about none of them.

use super::{chinese, english};
use crate::language::Language;
use crate::language::words::is_han;
use std::ops::Range;

/// A clause.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OpinionClause {
    /// Its words; a target in it is a place holder.
    pub(super) text: String,
    /// Which target it speaks of.
    pub(super) about: Option<usize>,
    /// Whether it says of the target the opposite of what its words say: the target stands behind "than".
    pub(super) is_turned: bool,
    /// Weight of what it says to hold in the end; 0 where its words say it.
    pub(super) verdict: Option<f64>,
    /// Whether it begins with "but".
    pub(super) is_contrast: bool,
    /// Whether it says how much of what was spoken of before it moves: "Costs were high. They rose again."
    pub(super) goes_on_measuring: bool,
    pub(super) language: Language,
}

/// Words that begin a clause of its own, behind a comma or a space.
const BREAKS: [&str; 16] = [
    " but ",
    " while ",
    " whereas ",
    " although ",
    " though ",
    " yet ",
    " however ",
    " unlike ",
    " which is more than ",
    " than ",
    " and hate ",
    " and love ",
    " meanwhile ",
    " because ",
    " whose ",
    " who ",
];
/// What begins a clause on what was spoken of before.
const GOES_ON: [&str; 30] = [
    "it", "its", "they", "their", "them", "he", "she", "his", "her", "this", "that", "these", "those", "and",
    "but", "yet", "so", "never", "not", "still", "also", "which", "who", "whose", "the", "a", "an", "no",
    "i", "you",
];
/// Small words before a place that is only named.
const PLACES: [&str; 9] = ["at", "near", "outside", "opposite", "behind", "inside", "in", "on", "from"];
const CHINESE_BREAKS: [&str; 12] =
    ["但是", "但", "可是", "可", "不过", "然而", "却", "反而", "而", "也是", "虽然", "尽管"];
/// What holds in the end, with its weight; 0 where the words beside it say it.
const VERDICTS: [(&str, f64); 20] = [
    ("not looked back", 2.0),
    ("never looked back", 2.0),
    ("不虚此行", 2.5),
    ("值回票价", 2.5),
    ("never again", -2.5),
    ("would buy", 2.0),
    ("i'd buy", 2.0),
    ("would not buy", -2.0),
    ("wouldn't buy", -2.0),
    ("worth it", 2.0),
    ("in the end", 0.0),
    ("overall", 0.0),
    ("all in all", 0.0),
    ("还是值", 2.0),
    ("值得再来", 2.5),
    ("不会去第二", -2.5),
    ("不会再", -2.5),
    ("再也不", -2.5),
    ("总的来说", 0.0),
    ("总之", 0.0),
];

/// The pieces of a text.
pub(super) fn split(text: &str, targets: &[&str]) -> Vec<OpinionClause> {
    let is_chinese = text.chars().filter(|c| is_han(*c)).count() * 3 > text.chars().count();
    let places = places(text, targets);
    let mut pieces: Vec<OpinionClause> = Vec::new();
    for sentence in sentences(text) {
        let begins = pieces.len();
        let mut about = pieces.last().and_then(|piece| piece.about).filter(|_| begins > 0);
        let mut aside: Option<Option<usize>> = None;
        let clauses = clauses(text, sentence.clone(), &places, is_chinese);
        for (number, clause) in clauses.iter().enumerate() {
            let part = text.get(clause.clone()).unwrap_or("");
            let own =
                places.iter().filter(|(place, _)| clause.start <= place.start && place.end <= clause.end);
            let own: Vec<&(Range<usize>, usize)> = own.collect();
            let first = first_word(part);
            let mut is_turned = false;
            if let Some((place, target)) = own.first() {
                let before = text.get(clause.start..place.start).unwrap_or("");
                let behind = text.get(place.end..sentence.end).unwrap_or("");
                // who is only named as a place, and what is told there of others
                let later =
                    places.iter().any(|(other, _)| other.start >= place.end && other.end <= sentence.end);
                let is_place = if is_chinese {
                    is_chinese_place(before, behind)
                } else {
                    is_place(before) && !(later && number == 0)
                };
                if is_place {
                    about = None;
                    pieces.push(silent(part, is_chinese));
                    continue;
                }
                is_turned = !is_chinese && turns(before) || is_chinese && turns_chinese(before);
                let left = places
                    .iter()
                    .rfind(|(other, _)| other.end <= place.start && sentence.start <= other.start);
                let is_less = is_chinese
                    && left.is_some_and(|(other, _)| {
                        chinese::is_less(text.get(other.end..place.start).unwrap_or(""))
                    });
                let relative = is_less
                    || !is_chinese && number > 0 && matches!(first.as_str(), "which" | "where" | "that");
                aside = relative.then_some(about);
                about = Some(*target);
            } else if let Some(back) = aside.take() {
                about = back;
            } else if !is_chinese
                && has_own_subject(number, begins, &first, part, || {
                    opens_with_participle(text, clauses.first())
                })
            {
                about = None;
            }
            let lower = part.to_lowercase();
            pieces.push(OpinionClause {
                text: without_names(text, clause, &places),
                about: about.filter(|_| !is_question(text, &sentence)),
                is_turned,
                verdict: verdict(&lower),
                is_contrast: is_contrast(part, &first),
                goes_on_measuring: false,
                language: if is_chinese { Language::Chinese } else { Language::English },
            });
        }
        lead(&mut pieces, begins, is_chinese);
    }
    measure_on(&mut pieces);
    pieces
}

/// A clause that says nothing of any target.
fn silent(part: &str, is_chinese: bool) -> OpinionClause {
    OpinionClause {
        text: part.to_owned(),
        about: None,
        is_turned: false,
        verdict: None,
        is_contrast: false,
        goes_on_measuring: false,
        language: if is_chinese { Language::Chinese } else { Language::English },
    }
}

/// Words that say where something was, and nothing of it.
const WHERE: [&str; 8] =
    ["in front of", "outside", "outside of", "next to", "opposite", "across from", "near", "behind"];

/// Whether what stands before a name makes it a place: "right in front of the".
fn is_place(before: &str) -> bool {
    let before = before.to_lowercase();
    let before = before.trim_end();
    let before = ["the", "a", "an", "our", "their"]
        .iter()
        .find_map(|article| before.strip_suffix(article).filter(|rest| rest.ends_with(' ')))
        .unwrap_or(before)
        .trim_end();
    WHERE.iter().any(|place| {
        before.strip_suffix(place).is_some_and(|rest| rest.is_empty() || rest.ends_with(char::is_whitespace))
    })
}

/// Whether a name is where something happens: 在X门口, 在X主办的论坛上.
fn is_chinese_place(before: &str, behind: &str) -> bool {
    let leads = ["在", "从", "到", "路过", "经过", "于"].iter().any(|word| before.ends_with(word));
    let spot = ["门口", "门前", "旁边", "对面", "附近", "楼下", "隔壁", "外面", "边上", "一侧", "门外"];
    let held = ["主办的", "举办的", "举行的", "召开的", "承办的"];
    leads && spot.iter().chain(&held).any(|word| behind.starts_with(word))
}

/// What a clause says to hold in the end.
fn verdict(lower: &str) -> Option<f64> {
    if let Some((_, weight)) = VERDICTS.iter().find(|(words, _)| lower.contains(words)) {
        return Some(*weight);
    }
    // "I'd stand in it again", "we will not stay there again"
    let begins = ["i'd ", "i would ", "we'd ", "we would ", "i'll ", "i will ", "we will ", "we'll "];
    let said = begins.iter().find_map(|word| lower.split_once(word)).map(|(_, said)| said);
    if let Some(said) = said.filter(|said| said.contains("again")) {
        let is_negated = ["not ", "never "].iter().any(|word| said.starts_with(word));
        return Some(if is_negated { -2.5 } else { 2.0 });
    }
    // 没白来, 白跑一趟
    let (before, _) =
        ["白来", "白跑", "白买", "白花", "白等", "白费"].iter().find_map(|word| lower.split_once(word))?;
    Some(if before.ends_with(['没', '不']) || before.ends_with("没有") { 2.0 } else { -2.0 })
}

fn is_contrast(part: &str, first: &str) -> bool {
    let part = part.trim_start_matches(|c: char| !c.is_alphanumeric());
    matches!(first, "but" | "yet" | "though" | "although" | "however")
        || ["但", "可是", "不过", "然而", "却", "就是", "只是"].iter().any(|word| part.starts_with(word))
        || part.starts_with('可') && !["可以", "可能", "可不是"].iter().any(|word| part.starts_with(word))
}

/// Finds the clauses that go on about a burden of the clause before.
fn measure_on(pieces: &mut [OpinionClause]) {
    let mut is_burdened = false;
    for piece in pieces {
        let (has_burden, goes_on) = if piece.language == Language::Chinese {
            (chinese::has_burden(&piece.text), chinese::goes_on_measuring(&piece.text))
        } else {
            (english::has_burden(&piece.text), english::goes_on_measuring(&piece.text))
        };
        piece.goes_on_measuring = !has_burden && is_burdened && goes_on;
        let is_aside = piece.language == Language::English && english::is_aside(&piece.text);
        is_burdened = has_burden || piece.goes_on_measuring || is_burdened && is_aside;
    }
}

/// Whether a text sets two targets against each other: what stands between them, or begins the second one's sentence.
pub(super) fn contrasts(text: &str, targets: &[&str]) -> bool {
    let places = places(text, targets);
    let Some((first, about)) = places.first() else { return false };
    let Some((second, _)) = places.iter().find(|(_, target)| target != about) else { return false };
    let between = text.get(first.end..second.start).unwrap_or("").to_lowercase();
    let before = text.get(..first.start).unwrap_or("").to_lowercase();
    let before = before.trim_end().trim_end_matches(" the").trim_end();
    let sides = between.contains([',', '，']);
    CONTRASTS.iter().any(|word| between.contains(word))
        || sides && STANDARDS.iter().any(|word| before.ends_with(word))
        || sides && is_compared(before, &between)
        || sides && RIVALS.iter().any(|word| between.contains(word))
        || between.contains(" as ") && NOT_SO.iter().any(|word| between.contains(word))
        || CHANGES.iter().any(|(leaves, joins)| before.ends_with(leaves) && between.starts_with(joins))
        || ["can't say that", "cannot say that", "can't say the same", "cannot say the same"]
            .iter()
            .any(|word| between.contains(word))
}

/// Whether the first of two is what the second one is held against: 跟隔壁的X一比，Y….
fn is_compared(before: &str, between: &str) -> bool {
    let compares = ["一比", "相比", "比起来", "一对比", "比，"].iter().any(|word| between.starts_with(word));
    let clause = before.rsplit(['，', '。', '；', '！']).next().unwrap_or(before);
    compares && ["跟", "和", "与", "同"].iter().any(|word| clause.contains(word))
}

/// What leads to the standard that another one is held against: "Next to X, Y …", 跟X比，Y….
const STANDARDS: [&str; 12] = [
    "next to",
    "compared with",
    "compared to",
    "in comparison with",
    "in comparison to",
    "beside",
    "unlike",
    "比起",
    "相比",
    "相较于",
    "跟",
    "和",
];
/// What calls the second one of two the other's rival.
const RIVALS: [&str; 12] = [
    "rival",
    "competitor",
    "counterpart",
    "neighbour",
    "neighbor",
    "同业",
    "同行",
    "同城",
    "对手",
    "隔壁",
    "对面",
    "另一家",
];
/// What says that the first one of two does not come up to the second one: "is not as fast as".
const NOT_SO: [&str; 6] = ["not as ", "n't as ", "nowhere near", "not nearly", "not quite as", "never as "];
/// How somebody goes from one to another: "switched from X to Y", "left X for Y".
const CHANGES: [(&str, &str); 9] = [
    ("switched from", " to "),
    ("moved from", " to "),
    ("changed from", " to "),
    ("migrated from", " to "),
    ("left", " for "),
    ("ditched", " for "),
    ("dropped", " for "),
    ("swapped", " for "),
    ("abandoned", " for "),
];

/// Of two, one of which somebody goes over to or is said to come up to the other: the better one, by number; the first target's
/// name stands before the second one's.
pub(super) fn preferred(text: &str, targets: &[&str]) -> Option<usize> {
    let places = places(text, targets);
    let (first, one) = places.first()?;
    let (second, other) = places.iter().find(|(_, target)| target != one)?;
    let between = text.get(first.end..second.start)?;
    if chinese::is_less(between) {
        let is_ill = chinese::begins_ill(text.get(second.end..)?);
        return Some(if is_ill { *one } else { *other });
    }
    let before = text.get(..first.start)?.to_lowercase();
    let before = before.trim_end();
    CHANGES
        .iter()
        .any(|(leaves, joins)| before.ends_with(leaves) && between.starts_with(joins))
        .then_some(*other)
}

/// Words between two that are set against each other.
const CONTRASTS: [&str; 17] = [
    " but ",
    " while ",
    " whereas ",
    "meanwhile",
    " than ",
    "unlike",
    "; ",
    "instead",
    "outsold",
    "by contrast",
    "却",
    "但",
    "而",
    "可",
    "；",
    "不像",
    "不如",
];

/// Whether a name is written with a capital for its own sake, and not because it begins a sentence.
fn is_proper(text: &str, place: &Range<usize>) -> bool {
    let name = text.get(place.clone()).unwrap_or("");
    let before = text.get(..place.start).unwrap_or("").trim_end();
    let begins = before.is_empty() || before.ends_with(['.', '!', '?', ':', '"', '“']);
    let all = name.split_whitespace().count() > 1
        && name.split_whitespace().all(|word| word.starts_with(|c: char| !c.is_lowercase()));
    name.starts_with(char::is_uppercase) && (!begins || all)
}

/// A clause whose targets are place holders: measures and burdens keep their words, for they say what moves.
fn without_names(text: &str, clause: &Range<usize>, places: &[(Range<usize>, usize)]) -> String {
    let mut out = String::new();
    let mut done = clause.start;
    for (place, _) in
        places.iter().filter(|(place, _)| clause.start <= place.start && place.end <= clause.end)
    {
        out.push_str(text.get(done..place.start).unwrap_or(""));
        let name = text.get(place.clone()).unwrap_or("");
        let is_proper = is_proper(text, place) || name.contains(is_han) && !super::chinese::is_measure(name);
        out.push_str(if is_proper { "X" } else { name });
        done = place.end;
    }
    out.push_str(text.get(done..clause.end).unwrap_or(""));
    out
}

/// Clauses before the first target of a sentence speak of it, where they lead to it: "For the second year running, X …".
fn lead(pieces: &mut [OpinionClause], begins: usize, is_chinese: bool) {
    let Some(sentence) = pieces.get_mut(begins..) else { return };
    let Some(first) = sentence.iter().position(|piece| piece.about.is_some()) else { return };
    let about = sentence.get(first).and_then(|piece| piece.about);
    for piece in sentence.iter_mut().take(first) {
        let leads = is_chinese
            || matches!(
                first_word(&piece.text).as_str(),
                "if" | "after" | "for" | "not" | "although" | "though" | "no" | "while"
            );
        if leads {
            piece.about = about;
        }
    }
}

/// Whether a clause without a target speaks of something else: it begins a sentence that does not go on, or is what an
/// opening participle leads to ("Speaking at X, the minister …").
fn has_own_subject(number: usize, begins: usize, first: &str, part: &str, is_led: impl Fn() -> bool) -> bool {
    if number == 0 { begins > 0 && !goes_on(first, part) } else { first == "the" && is_led() }
}

fn goes_on(first: &str, part: &str) -> bool {
    GOES_ON.contains(&first)
        && !part.trim_start().split(' ').nth(1).is_some_and(|word| word.starts_with(char::is_uppercase))
}

fn opens_with_participle(text: &str, clause: Option<&Range<usize>>) -> bool {
    let first = clause.and_then(|clause| text.get(clause.clone())).map(first_word).unwrap_or_default();
    first.ends_with("ing") || PLACES.contains(&first.as_str())
}

fn turns(before: &str) -> bool {
    let before = before.trim_end().to_lowercase();
    let words: Vec<&str> = before.split_whitespace().collect();
    let tail = words.iter().rev().take(3);
    let than = tail.clone().any(|word| matches!(*word, "than" | "unlike" | "over"));
    let beaten = words.last().is_some_and(|last| BEATS.contains(last))
        || words.len() > 1
            && words.get(words.len() - 2).is_some_and(|word| BEATS.contains(word))
            && words.last() == Some(&"the");
    than || beaten
}

/// Verbs whose object comes off worse.
const BEATS: [&str; 12] = [
    "outsold",
    "outperformed",
    "beat",
    "beats",
    "overtook",
    "surpassed",
    "outpaced",
    "outshone",
    "eclipsed",
    "topped",
    "defeated",
    "replaced",
];

fn turns_chinese(before: &str) -> bool {
    ["比", "不像", "胜过", "超过", "击败", "碾压", "吊打", "完胜", "甩开", "强过", "好过"]
        .iter()
        .any(|word| before.ends_with(word))
}

fn is_question(text: &str, sentence: &Range<usize>) -> bool {
    let end = text.get(sentence.clone()).unwrap_or("").trim_end();
    end.ends_with(['?', '？'])
}

fn first_word(part: &str) -> String {
    part.trim_start_matches(|c: char| !c.is_alphanumeric())
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .next()
        .unwrap_or("")
        .to_lowercase()
}

/// Where the targets stand, by place; of targets inside each other the longer one.
fn places(text: &str, targets: &[&str]) -> Vec<(Range<usize>, usize)> {
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    for (index, target) in targets.iter().enumerate().filter(|(_, target)| !target.is_empty()) {
        found.extend(text.match_indices(target).map(|(at, found)| (at..at + found.len(), index)));
    }
    found.sort_by_key(|(place, _)| (place.start, std::cmp::Reverse(place.end)));
    let mut end = 0;
    found.retain(|(place, _)| {
        let stays = place.start >= end;
        end = if stays { place.end } else { end };
        stays
    });
    found
}

/// Sentences by their marks; a point inside a number or a name ends none.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    for (index, (at, c)) in characters.iter().enumerate() {
        let next = characters.get(index + 1).map(|(_, c)| *c);
        let ends = match c {
            '。' | '！' | '？' | '；' => true,
            '.' | '!' | '?' => {
                next.is_none_or(char::is_whitespace)
                    && !ends_with_abbreviation(text.get(start..*at).unwrap_or(""))
            }
            _ => false,
        };
        if ends {
            let end = at + c.len_utf8();
            found.push(start..end);
            start = end;
        }
    }
    if text.get(start..).is_some_and(|rest| !rest.trim().is_empty()) {
        found.push(start..text.len());
    }
    found
}

fn ends_with_abbreviation(text: &str) -> bool {
    let last = text.rsplit(' ').next().unwrap_or("");
    matches!(last, "Co" | "Mr" | "Mrs" | "Ms" | "Dr" | "Inc" | "Ltd" | "St" | "Corp" | "vs" | "No")
}

/// A sentence cut at its commas and conjunctions, and before each further target.
fn clauses(
    text: &str,
    sentence: Range<usize>,
    places: &[(Range<usize>, usize)],
    is_chinese: bool,
) -> Vec<Range<usize>> {
    let whole = text.get(sentence.clone()).unwrap_or("");
    let lower = whole.to_lowercase();
    let mut cuts: Vec<usize> = Vec::new();
    let inside = |at: usize| places.iter().any(|(place, _)| place.start < at && at < place.end);
    for (at, c) in whole.char_indices() {
        let is_number = |at: usize| whole.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        let comma = c == ',' && !is_number(at + 1);
        if comma || matches!(c, '，' | ';' | ':' | '：' | '—' | '、' if c != '、') {
            cuts.push(at + c.len_utf8());
        }
    }
    if lower.len() == whole.len() {
        let breaks: &[&str] = if is_chinese { &CHINESE_BREAKS } else { &BREAKS };
        let found: Vec<Range<usize>> = breaks
            .iter()
            .flat_map(|word| lower.match_indices(word))
            .map(|(at, word)| at..at + word.len())
            .collect();
        // the second half of 然而 begins no clause of its own
        let is_half = |at: usize| is_chinese && found.iter().any(|other| other.start < at && at < other.end);
        let is_inside = |at: usize| is_chinese && chinese::is_inside_of_word(whole, at);
        cuts.extend(
            found.iter().map(|range| range.start).filter(|at| *at > 0 && !is_half(*at) && !is_inside(*at)),
        );
    }
    cuts.retain(|at| !inside(sentence.start + at) && whole.is_char_boundary(*at));
    // two targets in one clause: it is cut before the second, at the last "and" between them or right there
    let own: Vec<&(Range<usize>, usize)> = places
        .iter()
        .filter(|(place, _)| sentence.start <= place.start && place.end <= sentence.end)
        .collect();
    for pair in own.windows(2) {
        let (Some(left), Some(right)) = (pair.first(), pair.last()) else { continue };
        let (from, to) = (left.0.end - sentence.start, right.0.start - sentence.start);
        if left.1 != right.1 && !cuts.iter().any(|cut| from <= *cut && *cut <= to) {
            let between = whole.get(from..to).unwrap_or("");
            let joint = between.rfind(" and ").map_or(to, |at| from + at);
            cuts.push(joint);
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    let mut found = Vec::new();
    let mut start = 0;
    for cut in cuts.into_iter().chain([whole.len()]) {
        if whole.get(start..cut).is_some_and(|part| !part.trim().is_empty()) {
            found.push(sentence.start + start..sentence.start + cut);
            start = cut;
        }
    }
    found
}
