//! Citations in replies: `[Data: Sources (15, 16), Reports (1); Claims (2, +more)]` (design 15).

use crate::domain::RecordKind;
use std::borrow::Cow;
use std::ops::Range;

/// Bytes after which an open bracket is not taken for a citation any more.
const MAX_BRACKET_BYTES: usize = 1000;
/// What opens a citation.
const OPENING: [char; 4] = ['[', '【', '［', '〔'];
/// Citations inside each other that are taken out one by one.
const NESTED: usize = 8;
/// Numbers that a range such as "3-7" may stand for.
const MAX_RANGE_NUMBERS: u32 = 20;

/// The records of one kind that one bracket cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitationGroup {
    /// Bytes of the whole bracket; the groups of one bracket share it.
    pub range: Range<usize>,
    /// Kind of the records.
    pub kind: RecordKind,
    /// Their numbers in the prompt, in the order written, each once.
    pub numbers: Vec<u32>,
    /// Whether the group ends in `+more`.
    pub more: bool,
}

/// All citations of a text, in order. Tolerant: singular or plural, any case, Chinese words and punctuation, ranges,
/// parentheses or `Data:` left out. Takes linear time.
pub fn find_citations(text: &str) -> Vec<CitationGroup> {
    brackets(text).into_iter().flat_map(|bracket| bracket.groups).collect()
}

/// The text with every citation in its canonical form and its numbers replaced: `number` gives what to write for a
/// record, or `None` where the record is unknown. A group without numbers is dropped, and a bracket without groups
/// disappears together with the white space before it.
pub fn rewrite(text: &str, mut number: impl FnMut(RecordKind, u32) -> Option<String>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for bracket in brackets(text) {
        result.push_str(text.get(done..bracket.range.start).unwrap_or_default());
        done = bracket.range.end;
        let groups: Vec<String> =
            bracket.groups.iter().filter_map(|group| write_group(group, &mut number)).collect();
        if groups.is_empty() {
            result.truncate(result.trim_end_matches([' ', '\t', '\u{3000}']).len());
        } else {
            result.extend(["[Data: ", &groups.join(", "), "]"]);
        }
    }
    result.push_str(text.get(done..).unwrap_or_default());
    result
}

/// A text of others without what looks like a citation of ours: what it names was numbered elsewhere, or made up.
pub fn without_citations(text: &str) -> Cow<'_, str> {
    if brackets(text).is_empty() {
        return Cow::Borrowed(text);
    }
    // taking one out can bring the ends of another together, so that one in another comes to light
    let mut rest = rewrite(text, |_, _| None);
    for _ in 0..NESTED {
        if brackets(&rest).is_empty() {
            return Cow::Owned(rest);
        }
        rest = rewrite(&rest, |_, _| None);
    }
    Cow::Owned(rest.replace(OPENING, "("))
}

/// The name of a kind as citations and context tables write it.
pub fn kind_title(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Sources => "Sources",
        RecordKind::Reports => "Reports",
        RecordKind::Entities => "Entities",
        RecordKind::Relationships => "Relationships",
        RecordKind::Claims => "Claims",
        RecordKind::Answers => "Answers",
    }
}

struct Bracket {
    range: Range<usize>,
    groups: Vec<CitationGroup>,
}

#[derive(Debug)]
enum CitationToken<'a> {
    Word(&'a str),
    Number(u32),
    Mark(char),
}

fn write_group(
    group: &CitationGroup,
    number: &mut impl FnMut(RecordKind, u32) -> Option<String>,
) -> Option<String> {
    let mut numbers: Vec<String> = Vec::new();
    for &old in &group.numbers {
        if let Some(new) = number(group.kind, old)
            && !numbers.contains(&new)
        {
            numbers.push(new);
        }
    }
    if numbers.is_empty() {
        return None;
    }
    if group.more {
        numbers.push("+more".to_owned());
    }
    Some(format!("{} ({})", kind_title(group.kind), numbers.join(", ")))
}

fn brackets(text: &str) -> Vec<Bracket> {
    let mut found = Vec::new();
    let mut resume = 0;
    for (start, _) in text.char_indices().filter(|(_, c)| OPENING.contains(c)) {
        if start < resume {
            continue;
        }
        if let Some(bracket) = read_bracket(text, start) {
            resume = bracket.range.end;
            found.push(bracket);
        }
    }
    found
}

/// Reads the bracket that opens at `start`; `None` where it is not a citation.
fn read_bracket(text: &str, start: usize) -> Option<Bracket> {
    let rest = text.get(start..)?;
    // most brackets of a text are no citations: look at the first letters before reading on
    let first = rest.chars().skip(1).find(|c| !c.is_whitespace())?;
    if !starts_like_a_citation(first) {
        return None;
    }
    let (tokens, length) = tokens_of_bracket(rest)?;
    let range = start..start + length;
    let mut tokens = tokens.as_slice();
    let mut named_as_data = false;
    if let [CitationToken::Word(word), following @ ..] = tokens
        && is_data_word(word)
    {
        named_as_data = true;
        tokens = following;
    }
    let (groups, unknown_words) = read_groups(tokens, &range);
    let has_numbers = groups.iter().any(|group| !group.numbers.is_empty());
    (named_as_data || (has_numbers && !unknown_words)).then_some(Bracket { range, groups })
}

fn starts_like_a_citation(first: char) -> bool {
    matches!(first.to_ascii_lowercase(), 'd' | 's' | 'r' | 'e' | 'c' | 't')
        || ('\u{3400}'..='\u{9fff}').contains(&first)
}

/// The tokens between an opening bracket and the one that closes it, and the bytes of the whole.
fn tokens_of_bracket(text: &str) -> Option<(Vec<CitationToken<'_>>, usize)> {
    let mut tokens = Vec::new();
    // parentheses are not counted: one left open does not hide the bracket's end
    let mut depth = 0_u32;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        if at > MAX_BRACKET_BYTES {
            return None;
        }
        match c {
            '[' | '【' | '［' | '〔' => depth += 1,
            ']' | '】' | '］' | '〕' => {
                depth -= 1;
                if depth == 0 {
                    return Some((tokens, at + c.len_utf8()));
                }
            }
            _ if c.is_ascii_digit() => {
                let mut end = at + 1;
                while let Some((next, _)) = characters.next_if(|(_, next)| next.is_ascii_digit()) {
                    end = next + 1;
                }
                // a number beyond u32 was not shown in any prompt
                tokens.push(CitationToken::Number(text.get(at..end)?.parse().unwrap_or(u32::MAX)));
            }
            _ if c.is_alphabetic() => {
                let mut end = at + c.len_utf8();
                while let Some((next, letter)) =
                    characters.next_if(|(_, next)| next.is_alphabetic() || *next == '_')
                {
                    end = next + letter.len_utf8();
                }
                tokens.push(CitationToken::Word(text.get(at..end)?));
            }
            _ if c.is_whitespace() => {}
            _ => tokens.push(CitationToken::Mark(c)),
        }
    }
    None
}

/// The groups of a bracket, and whether it holds words that citations do not.
fn read_groups(tokens: &[CitationToken<'_>], range: &Range<usize>) -> (Vec<CitationGroup>, bool) {
    let mut groups: Vec<CitationGroup> = Vec::new();
    let mut known = false;
    let mut unknown_words = false;
    for (position, token) in tokens.iter().enumerate() {
        match token {
            CitationToken::Word(word) if is_filler(word) => {
                if word.eq_ignore_ascii_case("more") || *word == "更多" {
                    mark_more(&mut groups, known);
                }
            }
            CitationToken::Word(word) => {
                known = false;
                match kind_of(word) {
                    Some(kind) => {
                        known = true;
                        if !matches!(groups.last(), Some(last) if last.kind == kind) {
                            groups.push(CitationGroup {
                                range: range.clone(),
                                kind,
                                numbers: Vec::new(),
                                more: false,
                            });
                        }
                    }
                    None => unknown_words = true,
                }
            }
            CitationToken::Number(number) if known => {
                if let Some(group) = groups.last_mut() {
                    add_number(group, *number, tokens.get(..position).unwrap_or_default());
                }
            }
            CitationToken::Number(_) => unknown_words = true,
            CitationToken::Mark(_) => {}
        }
    }
    groups.retain(|group| !group.numbers.is_empty());
    (groups, unknown_words)
}

fn mark_more(groups: &mut [CitationGroup], known: bool) {
    if known && let Some(group) = groups.last_mut() {
        group.more = true;
    }
}

/// Adds a number, and those before it where it ends a range.
fn add_number(group: &mut CitationGroup, number: u32, before: &[CitationToken<'_>]) {
    let first = match before {
        [.., CitationToken::Number(low), CitationToken::Mark('-' | '–' | '—' | '~' | '～')]
            if *low < number && number - low < MAX_RANGE_NUMBERS =>
        {
            *low + 1
        }
        _ => number,
    };
    for number in first..=number {
        if !group.numbers.contains(&number) {
            group.numbers.push(number);
        }
    }
}

fn is_data_word(word: &str) -> bool {
    word.eq_ignore_ascii_case("data") || matches!(word, "数据" | "數據" | "资料" | "資料")
}

fn is_filler(word: &str) -> bool {
    is_data_word(word)
        || ["more", "and", "id", "ids", "no", "nos"].iter().any(|filler| word.eq_ignore_ascii_case(filler))
        || matches!(word, "更多" | "和" | "与" | "及" | "第" | "等")
}

fn kind_of(word: &str) -> Option<RecordKind> {
    let word = word.to_lowercase();
    Some(match word.as_str() {
        "source" | "sources" | "text" | "texts" | "来源" | "來源" | "文本" | "原文" => {
            RecordKind::Sources
        }
        "report" | "reports" | "报告" | "報告" => RecordKind::Reports,
        "entity" | "entities" | "实体" | "實體" => RecordKind::Entities,
        "relationship" | "relationships" | "relation" | "relations" | "关系" | "關係" => {
            RecordKind::Relationships
        }
        "claim" | "claims" | "covariate" | "covariates" | "声明" | "聲明" | "主张" | "断言" => {
            RecordKind::Claims
        }
        "answer" | "answers" | "标准答案" | "答案" | "回答" => RecordKind::Answers,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<(RecordKind, Vec<u32>, bool)> {
        find_citations(text).into_iter().map(|group| (group.kind, group.numbers, group.more)).collect()
    }

    #[test]
    fn citations_are_found_however_they_are_written() {
        use RecordKind::{Claims, Entities, Relationships, Reports, Sources};
        let check = |text: &str, expected: &[(RecordKind, &[u32], bool)]| {
            let expected: Vec<_> = expected.iter().map(|(k, n, m)| (*k, n.to_vec(), *m)).collect();
            assert_eq!(found(text), expected, "{text}");
        };
        check(
            "Bob [Data: Sources (15, 16), Reports (1), Entities (5, 7); Relationships (23); Claims (2, +more)].",
            &[
                (Sources, &[15, 16], false),
                (Reports, &[1], false),
                (Entities, &[5, 7], false),
                (Relationships, &[23], false),
                (Claims, &[2], true),
            ],
        );
        check("[Data: Source (3)]", &[(Sources, &[3], false)]);
        check("[data:entity(1,2)]", &[(Entities, &[1, 2], false)]);
        check("[Data: Sources 4, 5; Reports: 6]", &[(Sources, &[4, 5], false), (Reports, &[6], false)]);
        check("[Sources (2)]", &[(Sources, &[2], false)]);
        check("[Report 9]", &[(Reports, &[9], false)]);
        check(
            "【数据：来源（1、2），实体（3）；关系（4，更多）】",
            &[(Sources, &[1, 2], false), (Entities, &[3], false), (Relationships, &[4], true)],
        );
        check("[Data: Sources (1-3, 3)]", &[(Sources, &[1, 2, 3], false)]);
        check("[Data: Sources [7, 8]]", &[(Sources, &[7, 8], false)]);
        check("[Data: Sources (7, 8]", &[(Sources, &[7, 8], false)]);
        check("[Data: Sources (1), Sources (2)]", &[(Sources, &[1, 2], false)]);
        check("[Data: Weather (1), Sources (2)]", &[(Sources, &[2], false)]);
        check("see [1], [Entities of note] and [text](http://x)", &[]);
        check("[Data: Sources (1", &[]);
    }

    #[test]
    fn unknown_numbers_are_removed() {
        let check = |text: &str, expected: &str| {
            let result = rewrite(text, |_, number| (number < 10).then(|| (number + 100).to_string()));
            assert_eq!(result, expected);
        };
        check("A [Data: Sources (1, 20), Reports (30)]. B", "A [Data: Sources (101)]. B");
        check("A [Data: Reports (30)]. B", "A. B");
        check("A [Data: nothing]. B", "A. B");
        check("甲【数据：来源（1、2）】。", "甲[Data: Sources (101, 102)]。");
        check("A [Sources: 3, +more] [x]", "A [Data: Sources (103, +more)] [x]");
    }

    #[test]
    fn a_text_of_others_loses_what_looks_like_our_citations() {
        let check = |text: &str, expected: &str| assert_eq!(without_citations(text), expected);
        check("Pay him [Data: Sources (1)]. Now 【数据：来源（2）】。", "Pay him. Now。");
        check("Plain [1] text [see Sources].", "Plain [1] text [see Sources].");
        check("[Data: [Data: x] Sources (1)]", "");
        check("[Da[Data: x]ta: Sources (1)]", "");
    }

    #[test]
    fn many_open_brackets_take_linear_time() {
        let text = "[Data: Sources (1, ".repeat(50_000);
        assert_eq!(find_citations(&text), Vec::new());
    }

    proptest! {
        #[test]
        fn a_text_of_others_cites_nothing_afterwards(text in "[\\[\\]【】 ,;Data:Sources0-9()]{0,200}") {
            prop_assert_eq!(find_citations(&without_citations(&text)), Vec::new());
        }

        #[test]
        fn ranges_are_brackets_and_text_outside_them_stays(text in "[\\[\\]()（【】a,;Data:Sources 0-9]{0,120}") {
            for group in find_citations(&text) {
                prop_assert!(text.get(group.range).is_some_and(|bracket| bracket.starts_with(['[', '【'])));
            }
            let same = rewrite(&text, |_, number| Some(number.to_string()));
            prop_assert_eq!(rewrite(&same, |_, number| Some(number.to_string())), same);
        }
    }
}
