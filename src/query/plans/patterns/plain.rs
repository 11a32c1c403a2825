//! What somebody asks of a whole graph who sees it for the first time, in both languages: how many of a kind there are, which,
//! and the first of them by a measure. No name stands in such a question.

use super::{PatternMatch, group};
use crate::language::numerals;
use crate::query::plans::form::{Ask, Counted, Form, Ranking, Role};
use crate::query::plans::nouns::{self, RowKind};
use regex::Regex;
use std::sync::LazyLock;

/// Rows of "the top persons", which says no number.
const TOP: usize = 10;
/// The most rows that a question may ask for.
const MOST: usize = 1000;

struct PlainPatterns {
    top: Option<Regex>,
    most: Option<Regex>,
    count: Option<Regex>,
    list: Option<Regex>,
    first_of: Option<Regex>,
    whose: Option<Regex>,
    several: Option<Regex>,
}

static PATTERNS: LazyLock<PlainPatterns> = LazyLock::new(|| {
    let number = r"\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten";
    let asking = r"^(?:(?:list|show|name|give)(?: me)? |(?:who|what|which) (?:are|is) )?(?:the )?";
    let by = r"(?: (?:by|with) (?:the )?(?:most )?(?:number of )?(?:their )?(?P<by>[a-z]+))?$";
    let han = "[0-9一二两三四五六七八九十]{1,3}";
    let is = "(?:是(?:谁|哪.{0,3}|什么)|有(?:谁|哪.{0,3}|什么))?$";
    PlainPatterns {
        top: Regex::new(&format!("{asking}top (?:(?P<n>{number}) )?(?P<thing>[a-z][a-z -]*?){by}")).ok(),
        most: Regex::new(&format!(
            "{asking}(?:(?P<n>{number}) )?most (?:often |frequently |highly |well )?(?P<by>[a-z]+)(?: (?P<thing>[a-z][a-z -]*?))?$"
        ))
        .ok(),
        count: Regex::new("^(?:图中|图里|书里|里面|这里|库里)?(?:一共|总共|共)?有?(?:多少|几)[个位名家份篇部种]?(?P<thing>.{1,4})$").ok(),
        list: Regex::new("^(?:图中|图里|书里|里面|这里|库里)?(?:都|一共|总共)?有(?:哪些|哪几[个位名家份篇部种])(?P<thing>.{1,4})$").ok(),
        first_of: Regex::new(&format!(
            "^(?:关系|联系|关联|连接)(?:数量?)?最(?P<which>[多少])的(?:前?(?P<n>{han})[个位名家])?(?P<thing>.{{1,4}}?){is}"
        ))
        .ok(),
        whose: Regex::new("^(?:(?:谁|哪[个位家些](?P<thing>.{1,4}?))的?)(?:关系|联系|关联|连接)(?:数量?)?最(?P<which>[多少])$").ok(),
        several: Regex::new(&format!("最(?P<which>[多少])的前?(?P<n>{han})[个位名家份篇部]")).ok(),
    }
});

/// A number of rows in digits or words; [`TOP`] where none is given.
fn number(written: Option<&str>) -> Option<usize> {
    let Some(written) = written else { return Some(TOP) };
    let count = numerals::english(written).or_else(|| numerals::chinese(written))?;
    usize::try_from(count).ok().filter(|count| (1..=MOST).contains(count))
}

/// What a word of measure counts.
fn measure(word: &str) -> Option<Counted> {
    match word {
        "relationships" | "relationship" | "relations" | "connections" | "links" | "degree" | "connected"
        | "linked" | "related" | "neighbours" | "neighbors" => Some(Counted::Related),
        "documents" | "document" | "files" => Some(Counted::Documents),
        "mentions" | "mention" | "mentioned" | "named" | "discussed" | "cited" | "frequency" | "frequent"
        | "common" | "text" | "passages" => Some(Counted::Mentions),
        _ => None,
    }
}

/// A ranking of all things of a kind; the lowest where `fewest`.
fn ranked(thing: &str, by: Counted, count: usize, fewest: bool) -> Option<PatternMatch> {
    let is_class =
        matches!(nouns::read(thing, &[]), nouns::Meaning { kind: RowKind::Entities(_), described: None, .. });
    let ranking =
        Ranking { by, wording: String::new(), row: Role::Either, thing: String::new(), count, bounds: None };
    let form = Form {
        ask: if fewest { Ask::Fewest } else { Ask::Most },
        thing: thing.to_owned(),
        ranking: Some(ranking),
        ..Form::default()
    };
    is_class.then_some(PatternMatch { form, sure: true })
}

/// What an English question in lower case asks for.
pub(super) fn english(text: &str) -> Option<PatternMatch> {
    if let Some(found) = PATTERNS.top.as_ref()?.captures(text) {
        let by = group(&found, "by").map_or(Some(Counted::Mentions), measure)?;
        return ranked(group(&found, "thing")?, by, number(group(&found, "n"))?, false);
    }
    let found = PATTERNS.most.as_ref()?.captures(text)?;
    let by = measure(group(&found, "by")?)?;
    let who = text.starts_with("who");
    let thing = group(&found, "thing").or(who.then_some("who"))?;
    let written = group(&found, "n");
    // "the most mentioned company" is one, and so is who
    let is_one = if who { written.is_none() } else { !super::is_plural(thing) };
    ranked(thing, by, if is_one { 1 } else { number(written)? }, false)
}

/// What a Chinese question without white space asks for.
pub(super) fn chinese(text: &str) -> Option<PatternMatch> {
    let all = |ask: Ask, thing: &str| {
        let form = Form { ask, thing: thing.to_owned(), ..Form::default() };
        nouns::is_known(thing).then_some(PatternMatch { form, sure: true })
    };
    if let Some(found) = PATTERNS.count.as_ref()?.captures(text) {
        return all(Ask::Count, group(&found, "thing")?);
    }
    if let Some(found) = PATTERNS.list.as_ref()?.captures(text) {
        return all(Ask::List, group(&found, "thing")?);
    }
    let first_of = PATTERNS.first_of.as_ref()?.captures(text);
    let found = first_of.or_else(|| PATTERNS.whose.as_ref()?.captures(text))?;
    let count = group(&found, "n").map_or(Some(1), |written| number(Some(written)))?;
    let fewest = group(&found, "which") == Some("少");
    ranked(group(&found, "thing").unwrap_or("谁"), Counted::Related, count, fewest)
}

/// A Chinese ranking without the number of rows that it asks for, and that: "提到最多的三个人" is "提到最多的人".
pub(super) fn take_several(text: &str) -> (String, Option<usize>) {
    let found = PATTERNS.several.as_ref().and_then(|several| several.captures(text));
    let several = found.as_ref().and_then(|found| {
        let whole = found.get(0)?;
        let (before, behind) = (text.get(..whole.start())?, text.get(whole.end()..)?);
        Some((format!("{before}最{}的{behind}", group(found, "which")?), number(group(found, "n"))?))
    });
    several.map_or((text.to_owned(), None), |(text, count)| (text, Some(count)))
}

#[cfg(test)]
mod tests {
    use crate::language::words::is_han;
    use crate::query::plans::patterns::{PatternMatch, chinese, english};

    fn read(question: &str) -> Option<PatternMatch> {
        let flat = question.to_lowercase();
        if flat.chars().any(is_han) { chinese::read(&flat) } else { english::read(&flat) }
    }

    fn short(question: &str) -> String {
        let Some(asked) = read(question) else { return "-".to_owned() };
        let form = asked.form;
        let ranking = form.ranking.map(|ranking| format!(" {:?} {}", ranking.by, ranking.count));
        let sure = if asked.sure { "" } else { "?" };
        format!("{:?} {}{}{sure}", form.ask, form.thing, ranking.unwrap_or_default())
    }

    #[test]
    fn what_a_newcomer_asks_of_a_whole_graph_is_read() {
        for (question, expected) in [
            ("Top 3 persons by number of relationships", "Most persons Related 3"),
            ("List the top five companies", "Most companies Mentions 5"),
            ("Top people by documents?", "Most people Documents 10"),
            ("Who are the three most mentioned people?", "Most people Mentions 3"),
            ("Who is most connected?", "Most who Related 1"),
            ("What is the most frequently mentioned company?", "Most company Mentions 1"),
            ("关系最多的三个人是谁？", "Most 人 Related 3"),
            ("谁的关系最多？", "Most 谁 Related 1"),
            ("提到最多的前十二个机构有哪些？", "Most 机构 Mentions 12"),
            ("一共有多少个人物？", "Count 人物"),
            ("有多少个文档？", "Count 文档"),
            ("有哪些机构？", "List 机构"),
            ("List all documents", "List documents"),
            ("How many documents are there?", "Count documents"),
        ] {
            assert_eq!(short(question), expected, "{question}");
        }
    }

    #[test]
    fn what_a_text_tells_is_left_to_texts() {
        for question in [
            "What are the top priorities?",
            "Who is the most famous detective?",
            "The three most expensive paintings",
            "有多少钱？",
            "关系最好的人是谁？",
        ] {
            let asked = read(question);
            assert!(asked.is_none_or(|asked| !asked.sure), "{question}");
        }
    }
}
