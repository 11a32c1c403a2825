//! What a longer text says for or against each of the names in it, and who says so.

use super::{Label, of};
use crate::language::words::is_han;
use crate::language::{Speakers, one_line, sentences};
use std::collections::BTreeMap;
use std::ops::Range;

/// Words kept that carry a judgement.
const WORDS: usize = 12;
/// Opinions kept of one name.
const OPINIONS: usize = 3;
/// Sentences that name more than this are lists.
const MOST_NAMES: usize = 8;
/// Characters of a quoted sentence at most.
const QUOTE: usize = 400;

/// What a text says for or against a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Spoken {
    /// From -1 to 1: the mean over the sentences that judge.
    pub score: f64,
    /// The words that carry it, as written, in order.
    pub words: Vec<String>,
    /// Who says so, where the text tells, in order.
    pub opinions: Vec<SpokenBy>,
}

/// What somebody says of a name.
#[derive(Clone, Debug, PartialEq)]
pub struct SpokenBy {
    /// Who, as written.
    pub holder: String,
    /// From -1 to 1.
    pub score: f64,
    /// The sentence.
    pub quote: String,
}

/// Verbs by which somebody is said to hold something.
const SAYS: [&str; 47] = [
    "say",
    "believe",
    "think",
    "argue",
    "claim",
    "complain",
    "praise",
    "warn",
    "consider",
    "expect",
    "find",
    "write",
    "admit",
    "insist",
    "insists",
    "said",
    "says",
    "believes",
    "believed",
    "thinks",
    "thought",
    "argues",
    "argued",
    "claims",
    "claimed",
    "complained",
    "complains",
    "praised",
    "praises",
    "criticised",
    "criticized",
    "criticises",
    "warned",
    "warns",
    "called",
    "calls",
    "considers",
    "considered",
    "expects",
    "finds",
    "found",
    "noted",
    "told",
    "wrote",
    "writes",
    "admitted",
    "insisted",
];
/// The same in Chinese, the longer ones first.
const SAYS_CHINESE: [&str; 20] = [
    "表示", "认为", "指出", "强调", "抱怨", "批评", "称赞", "赞扬", "坦言", "承认", "警告", "透露", "写道",
    "评价", "觉得", "笑道", "曰", "称", "说", "道",
];

/// What a text says for or against names, each told by its spellings; nothing of one that no sentence judges.
pub fn towards_names(text: &str, names: &[Vec<&str>]) -> Vec<Option<Spoken>> {
    let mut found: Vec<Sum> = names.iter().map(|_| Sum::default()).collect();
    let spellings = spellings(names);
    let mut speakers: Option<Speakers> = None;
    let all = places(text, &spellings);
    let mut rest = all.iter().peekable();
    for range in sentences(text) {
        let Some(sentence) = text.get(range.clone()) else { continue };
        while rest.next_if(|(place, _)| place.start < range.start).is_some() {}
        let mut places: Vec<(Range<usize>, usize)> = Vec::new();
        while let Some((place, name)) = rest.next_if(|(place, _)| place.end <= range.end) {
            places.push((place.start - range.start..place.end - range.start, *name));
        }
        if places.is_empty() {
            continue;
        }
        // whose name stands before the colon speaks, and is not spoken of
        let by = speakers.get_or_insert_with(|| Speakers::of(text));
        let head = sentence.len() - by.said_in(sentence).len();
        places.retain(|(place, _)| place.start >= head);
        let mut told: Vec<usize> = places.iter().map(|(_, name)| *name).collect();
        told.sort_unstable();
        told.dedup();
        if told.is_empty() || told.len() > MOST_NAMES {
            continue;
        }
        let targets: Vec<&str> = told
            .iter()
            .filter_map(|name| places.iter().find(|(_, own)| own == name))
            .filter_map(|(place, _)| sentence.get(place.clone()))
            .collect();
        let judged = of(sentence, &targets);
        if judged.iter().all(|one| one.label == Label::Neutral) {
            continue;
        }
        let speaker = by.at(range.start + head);
        let holder =
            holder(sentence, &places).or_else(|| speaker.map(|speaker| (speaker_name(speaker), None)));
        for ((name, sentiment), target) in told.iter().zip(judged).zip(&targets) {
            let Some(sum) = found.get_mut(*name).filter(|_| sentiment.label != Label::Neutral) else {
                continue;
            };
            sum.score += sentiment.score;
            sum.sentences += 1;
            sum.words.extend(sentiment.words);
            // nobody is asked what he holds of himself
            let by =
                holder.as_ref().filter(|(by, own)| own != &Some(*name) && by != target && !by.is_empty());
            if let Some((by, _)) = by.filter(|_| sum.opinions.len() < OPINIONS) {
                let quote = one_line(sentence).chars().take(QUOTE).collect();
                sum.opinions.push(SpokenBy { holder: by.clone(), score: sentiment.score, quote });
            }
        }
    }
    found.into_iter().map(Sum::end).collect()
}

#[derive(Default)]
struct Sum {
    score: f64,
    sentences: u32,
    words: Vec<String>,
    opinions: Vec<SpokenBy>,
}

impl Sum {
    fn end(mut self) -> Option<Spoken> {
        self.words.truncate(WORDS);
        (self.sentences > 0).then(|| Spoken {
            score: self.score / f64::from(self.sentences),
            words: self.words,
            opinions: self.opinions,
        })
    }
}

/// Every spelling with the number of its name, lower case, the longest first.
fn spellings(names: &[Vec<&str>]) -> Vec<(String, usize)> {
    let mut spellings: Vec<(String, usize)> = names
        .iter()
        .enumerate()
        .flat_map(|(number, own)| own.iter().map(move |name| (name.to_lowercase(), number)))
        .filter(|(name, _)| name.chars().nth(1).is_some() || name.chars().any(is_han))
        .collect();
    spellings.sort_unstable_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
    spellings.dedup();
    spellings
}

/// Where names stand in a text, in order; of names inside each other the longer one.
fn places(text: &str, spellings: &[(String, usize)]) -> Vec<(Range<usize>, usize)> {
    let lower = text.to_lowercase();
    // letters that become longer or shorter would move what is behind
    let within = if lower.len() == text.len() { lower.as_str() } else { text };
    // the longest come first, so that what is taken is known by where it ends
    let mut found: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (name, number) in spellings {
        for (at, part) in within.match_indices(name.as_str()) {
            let place = at..at + part.len();
            let before = found.range(..place.end).next_back();
            let is_free = before.is_none_or(|(_, (end, _))| *end <= place.start);
            if is_free && stands_alone(within, &place) {
                found.insert(place.start, (place.end, *number));
            }
        }
    }
    found.into_iter().map(|(start, (end, number))| (start..end, number)).collect()
}

fn stands_alone(text: &str, place: &Range<usize>) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() && !is_han(c);
    let before = text.get(..place.start).and_then(|text| text.chars().next_back());
    let first = text.get(place.clone()).and_then(|text| text.chars().next());
    let last = text.get(place.clone()).and_then(|text| text.chars().next_back());
    let behind = text.get(place.end..).and_then(|text| text.chars().next());
    let joins =
        |one: Option<char>, other: Option<char>| one.is_some_and(is_letter) && other.is_some_and(is_letter);
    !joins(before, first) && !joins(last, behind)
}

/// Who is said to hold what a sentence says: the name before "said that" or 表示, or behind "according to".
fn holder(sentence: &str, places: &[(Range<usize>, usize)]) -> Option<(String, Option<usize>)> {
    places.iter().find_map(|(place, number)| {
        let behind = sentence.get(place.end..)?;
        let before = sentence.get(..place.start)?.trim_end().to_lowercase();
        let name = sentence.get(place.clone())?;
        let says = if name.chars().any(is_han) {
            let behind = behind.trim_start_matches(['也', '还', '则', '便', '曾']);
            SAYS_CHINESE.iter().any(|verb| {
                let rest = behind.strip_prefix(verb);
                rest.is_some_and(|rest| {
                    verb.chars().nth(1).is_some() || rest.starts_with(['，', ',', '：', ':', '“', '"'])
                })
            })
        } else {
            let verb =
                behind.split_whitespace().next().unwrap_or("").trim_matches(|c: char| !c.is_alphabetic());
            let is_end = behind.starts_with([' ', ',']);
            // "…", said Ann Lee behind a quotation
            let is_quoted = before.rsplit(' ').next().is_some_and(|word| SAYS.contains(&word))
                && before
                    .rsplit_once(' ')
                    .is_some_and(|(text, _)| text.trim_end().ends_with([',', '"', '”', '?', '!']));
            is_quoted
                || is_end && SAYS.contains(&verb.to_lowercase().as_str())
                || behind.trim_matches(['.', '"', '”', ' ']).is_empty()
                    && before.rsplit(' ').next().is_some_and(|word| SAYS.contains(&word))
        };
        let told = before.ends_with("according to") || before.ends_with("据");
        (says || told).then(|| (name.to_owned(), Some(*number)))
    })
}

/// The name of a label or of what leads to a quotation: 孔明笑曰 is 孔明.
fn speaker_name(lead: &str) -> String {
    let lead = lead.trim().trim_end_matches([':', '：', ',', '，']);
    let cut = SAYS_CHINESE.iter().find_map(|verb| lead.strip_suffix(verb)).unwrap_or(lead);
    let cut = cut.trim_end_matches(['笑', '大', '叹', '怒', '喝', '谓', '泣', '急']);
    let is_name = cut.chars().any(is_han) && cut.chars().count() <= 8
        || cut.split_whitespace().all(|word| word.starts_with(char::is_uppercase));
    if is_name { cut.to_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, names: &[&str], expected: &[i32]) {
        let names: Vec<Vec<&str>> = names.iter().map(|name| vec![*name]).collect();
        let signs: Vec<i32> = towards_names(text, &names)
            .into_iter()
            .map(|spoken| spoken.map_or(0, |spoken| if spoken.score > 0.0 { 1 } else { -1 }))
            .collect();
        assert_eq!(signs, expected, "{text}");
    }

    #[test]
    fn each_name_of_a_text_has_the_sign_of_its_sentences() {
        check("The Tarn is wonderful. The Fell opens at noon.", &["tarn", "Fell"], &[1, 0]);
        check(
            "The Tarn is awful and broken. Nobody likes the Tarn. The Fell is great.",
            &["Tarn", "Fell"],
            &[-1, 1],
        );
        check("青山药业的产品很好。白河医药的服务很差。", &["青山药业", "白河医药"], &[1, -1]);
        check("Tarnished silver is awful.", &["Tarn"], &[0]);
    }

    #[test]
    fn who_says_so_is_told_where_the_text_tells() {
        let check = |text: &str, target: &str, others: &[&str], expected: &[&str]| {
            let mut names = vec![vec![target]];
            names.extend(others.iter().map(|name| vec![*name]));
            let found = towards_names(text, &names);
            let holders: Vec<String> = found[0]
                .as_ref()
                .map(|spoken| spoken.opinions.iter().map(|one| one.holder.clone()).collect())
                .unwrap_or_default();
            assert_eq!(holders, expected, "{text}");
        };
        check("Ann Lee said the Tarn is awful.", "Tarn", &["Ann Lee"], &["Ann Lee"]);
        check("The Tarn is awful, according to Ann Lee.", "Tarn", &["Ann Lee"], &["Ann Lee"]);
        check("The Tarn is awful.", "Tarn", &[], &[]);
        check("AMY HOOD: Good morning.\n\nThe Tarn is wonderful.", "Tarn", &[], &["AMY HOOD"]);
        check("王芳认为青山药业的产品很好。", "青山药业", &["王芳"], &["王芳"]);
        check("Ann Lee said Ann Lee is wonderful.", "Ann Lee", &[], &[]);
        check("“The Tarn is awful”, said Ann Lee in May.", "Tarn", &["Ann Lee"], &["Ann Lee"]);
        let chat = "[2025-02-03 18:02] Tom: yes\n[2025-02-03 18:04] Lucy: great, the Tarn is wonderful\n";
        check(chat, "Tarn", &[], &["Lucy"]);
        check(chat, "Lucy", &["Tarn"], &[]);
        check("Engineers warn that the Tarn is awful.", "Tarn", &["Engineers"], &["Engineers"]);
    }

    #[test]
    fn any_text_is_read() {
        for text in ["", "İstanbul is great. İ", "好", "a"] {
            let _ = towards_names(text, &[vec!["i", ""], vec!["İ"], vec!["好"]]);
        }
    }
}
