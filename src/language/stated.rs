//! Names that a text itself says belong to one person or thing: 姓刘，名备，字玄德; "Tim Cratchit ("Tiny Tim")"; "also known as".

use super::is_stop_word;
use super::vocabulary::chinese::{FREQUENT_DOUBLE_SURNAMES, is_frequent_surname, surname_of};
use super::vocabulary::english::PERSON_NOUNS;
use super::vocabulary::gazetteer::is_given_name;
use super::vocabulary::holds;
use super::vocabulary::titles::is_honorific;
use super::words::segmenter;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Two names of one, as a text says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stated {
    /// The full or usual name.
    pub(crate) name: String,
    /// The other one.
    pub(crate) other: String,
    /// Whether it is a courtesy name.
    pub(crate) courtesy: bool,
    /// Bytes of the statement.
    pub(crate) range: Range<usize>,
}

impl Stated {
    /// Both names in one, as resolution reads them: 刘备（字玄德）, "Tim Cratchit (also known as Tiny Tim)".
    pub(crate) fn joined(&self) -> String {
        if self.courtesy {
            format!("{}（{COURTESY}{}）", self.name, self.other)
        } else {
            format!("{} ({ALSO} {})", self.name, self.other)
        }
    }
}

/// What stands before the other name in parentheses.
pub(crate) const COURTESY: char = '字';
pub(crate) const ALSO: &str = "also known as";
/// What stands before a part of a full name that a text uses alone.
pub(crate) const SHORT: &str = "for short";

/// A full name and the part of it that its text uses alone, in one: "Satya Nadella (for short Satya)".
pub(crate) fn shortened(full: &str, short: &str) -> String {
    format!("{full} ({SHORT} {short})")
}

/// Whether a name is one that holds two: nothing that anybody writes.
pub(crate) fn holds_two(name: &str) -> bool {
    [" (also known as ", " (for short ", "（字"].iter().any(|mark| name.contains(mark))
}

/// 姓刘，名备，字玄德 and 姓关名羽，字长生，后改云长: surname, given name, courtesy name, a later one.
static IN_PARTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"姓(\p{Han}{1,2})[，,]?单?名(\p{Han}{1,2})[，,]?表?字(\p{Han}{2})(?:[，,]后改(?:字)?(\p{Han}{2}))?",
    )
    .ok()
});
/// 孙坚，字文台: what stands before 字, and the courtesy name.
static BEHIND: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(\p{Han}{2,4})[，,]?表?字(\p{Han}{2})(?:[，。；、,.也者人乃）)]|$)").ok());
/// 孙坚有四子：长子名策，字伯符；次子名权，字仲谋: the father, and behind his name the sons' given and courtesy names.
static FATHER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(\p{Han}{2,4}?)有[一二三四五六七八九十]子").ok());
static CHILD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[子女弟兄]名(\p{Han}{1,2})[，,]字(\p{Han}{2})(?:[，。；、,.也者人乃]|$)").ok()
});
/// Characters behind a father's name in which his children's are looked for.
const CHILDREN_WITHIN: usize = 120;
/// 周树人（笔名鲁迅）; 孙策人称“小霸王”: what else somebody is called, behind a mark or in quotation marks.
static CALLED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let said = "人称|世称|又称|别称|又名|别名|原名|本名|笔名|艺名|绰号|外号|道号|别号|自号";
    Regex::new(&format!(
        r"(?<one>\p{{Han}}{{2,4}})(?:[，,（(](?:{said})[为曰是]?(?<two>\p{{Han}}{{2,5}})(?:[，。；、,.）)]|$)|[，,（(]?(?:{said}|号)[为曰是]?[“「『‘](?<three>\p{{Han}}{{2,5}})[”」』’])"
    ))
    .ok()
});
/// "Jane Austen (née Leigh)", "Jane Smith, née Brown": a married name and the surname before it.
static BORN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let word = r"\p{Lu}[\w'’-]+";
    Regex::new(&format!(r"(?<one>{word}(?:[ \n]{word}){{1,3}})[ \n]*[,(][ \n]*n[ée]e[ \n]+(?<two>{word})"))
        .ok()
});
/// "Tim Cratchit ("Tiny Tim")", "X, also known as Y".
static IN_ENGLISH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let name = r"(?:[A-Z][\w'’-]*\.?(?:[ \n](?:of|the|de|van|von|al)[ \n])?[ \n]?){1,5}";
    let said = r"(?:(?:also|better|best|formerly|previously|originally|commonly|sometimes|widely)[ \n]+(?:known|called|named)(?:[ \n]+as)?|aka|a\.k\.a\.|nicknamed)";
    Regex::new(&format!(
        "(?<one>{name})[ \\n]*(?:(?:[,(][ \\n]*{said}|\\([ \\n]*(?:then|now)[ \\n]+(?:known[ \\n]+as|called))[ \\n]+(?:simply[ \\n]+)?[\"“'‘]?(?<two>{name})|\\([\"“](?<three>{name})[\"”]\\)|\\((?:formerly|originally|previously)[ \\n]+(?<four>{name})\\))"
    ))
    .ok()
});

/// Everything of the kind in a text, in order.
pub(crate) fn stated(text: &str) -> Vec<Stated> {
    let mut found: Vec<Stated> = Vec::new();
    for parts in IN_PARTS.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let part = |at: usize| parts.get(at).map(|part| part.as_str());
        let (Some(surname), Some(given), Some(whole)) = (part(1), part(2), parts.get(0)) else { continue };
        for other in [part(3), part(4)].into_iter().flatten() {
            found.push(Stated {
                name: format!("{surname}{given}"),
                other: other.to_owned(),
                courtesy: true,
                range: whole.range(),
            });
        }
    }
    for parts in BEHIND.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (Some(before), Some(other), Some(whole)) = (parts.get(1), parts.get(2), parts.get(0)) else {
            continue;
        };
        if let Some(name) = full_name_at_end(before.as_str()) {
            let range = before.end() - name.len()..whole.end();
            if found.iter().all(|known| known.range.end <= range.start || range.end <= known.range.start) {
                let (name, other) = (name.to_owned(), other.as_str().to_owned());
                found.push(Stated { name, other, courtesy: true, range });
            }
        }
    }
    found.extend(children(text));
    found.extend(called(text));
    found.extend(in_english(text));
    found.sort_by_key(|stated| (stated.range.start, stated.range.end));
    found
}

/// Sons and brothers that a sentence gives by their given names behind their father's.
fn children(text: &str) -> Vec<Stated> {
    let mut found = Vec::new();
    for father in FATHER.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let name = father.get(1).and_then(|before| full_name_at_end(before.as_str()));
        let Some((name, whole)) = name.zip(father.get(0)) else { continue };
        let Some(surname) = surname_of(name) else { continue };
        let rest = text.get(whole.end()..).unwrap_or("");
        let end = rest.char_indices().nth(CHILDREN_WITHIN).map_or(rest.len(), |(at, _)| at);
        let near = rest.get(..end).unwrap_or(rest);
        let near = near.split(['。', '！', '？', '\n']).next().unwrap_or(near);
        for child in CHILD.iter().flat_map(|pattern| pattern.captures_iter(near)) {
            let (Some(given), Some(other), Some(at)) = (child.get(1), child.get(2), child.get(0)) else {
                continue;
            };
            found.push(Stated {
                name: format!("{surname}{}", given.as_str()),
                other: other.as_str().to_owned(),
                courtesy: true,
                range: whole.end() + at.start()..whole.end() + at.end(),
            });
        }
    }
    found
}

/// Other names in Chinese that are no courtesy names.
fn called(text: &str) -> Vec<Stated> {
    let mut found = Vec::new();
    for parts in CALLED.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let other = parts.name("two").or_else(|| parts.name("three"));
        let (Some(before), Some(other), Some(whole)) = (parts.name("one"), other, parts.get(0)) else {
            continue;
        };
        let named = full_name_at_end(before.as_str()).filter(|name| *name != other.as_str());
        if let Some(name) = named.filter(|name| begins_a_word(before.as_str(), name)) {
            let range = before.end() - name.len()..whole.end();
            let (name, other) = (name.to_owned(), other.as_str().to_owned());
            found.push(Stated { name, other, courtesy: false, range });
        }
    }
    found
}

/// Whether the segmenter cuts a text where the name at its end begins: 国人民 is none in 中国人民.
fn begins_a_word(text: &str, name: &str) -> bool {
    let start = text.len() - name.len();
    let mut at = 0;
    segmenter().cut(text, false).iter().any(|token| {
        let begins = at == start;
        at += token.word.len();
        begins
    })
}

/// "also known as", "formerly", parentheses with a name in quotation marks, "née".
fn in_english(text: &str) -> Vec<Stated> {
    let mut found = Vec::new();
    for parts in IN_ENGLISH.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let other = ["two", "three", "four"].iter().find_map(|group| parts.name(group));
        let (Some(one), Some(other), Some(whole)) = (parts.name("one"), other, parts.get(0)) else {
            continue;
        };
        let (one, other) = (bare(one.as_str()), bare(other.as_str()));
        let is_former = parts.name("four").is_some();
        let says = !one.is_empty() && !other.is_empty() && one != other;
        if says && (!is_former || !is_past(&one, &other)) {
            found.push(Stated { name: one, other, courtesy: false, range: whole.range() });
        }
    }
    for parts in BORN.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (Some(one), Some(two), Some(whole)) = (parts.name("one"), parts.name("two"), parts.get(0)) else {
            continue;
        };
        let name = bare(one.as_str());
        if let Some((given, _)) = name.rsplit_once(' ') {
            let other = format!("{given} {}", two.as_str());
            found.push(Stated { name, other, courtesy: false, range: whole.range() });
        }
    }
    found
}

/// Whether "formerly" says what somebody did and no name: an office, or where a person was employed, which no word of
/// the person's name is in.
fn is_past(one: &str, other: &str) -> bool {
    let first = |name: &str| name.split(' ').next().unwrap_or("").to_lowercase();
    let is_office = holds(PERSON_NOUNS, &first(other)) || is_honorific(&first(other));
    let is_person = one.contains(' ') && is_given_name(&first(one)) || is_honorific(&first(one));
    is_office || is_person && one.split(' ').all(|word| other.split(' ').all(|part| part != word))
}

/// White space squeezed, articles and the like off the beginning; empty where nothing of a name is left.
fn bare(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let first = words.iter().position(|word| !is_stop_word(&word.to_lowercase())).unwrap_or(words.len());
    let words = words.get(first..).unwrap_or_default();
    words.join(" ").trim_end_matches([',', '.', '\'', '’']).to_owned()
}

/// The full Chinese name that a text ends in.
fn full_name_at_end(text: &str) -> Option<&str> {
    let last = |count: usize| {
        let at = text.char_indices().rev().nth(count - 1)?.0;
        text.get(at..)
    };
    let double = |name: &&str| {
        let at = name.char_indices().nth(2).map_or(name.len(), |(at, _)| at);
        name.get(..at).is_some_and(|surname| holds(FREQUENT_DOUBLE_SURNAMES, surname))
    };
    let single = |name: &&str| name.chars().next().is_some_and(is_frequent_surname);
    last(4)
        .filter(double)
        .or_else(|| last(3).filter(double))
        .or_else(|| last(2).filter(single))
        .or_else(|| last(3).filter(single))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_text_joins_are_found() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let found = stated(text);
            let found: Vec<(&str, &str)> =
                found.iter().map(|one| (one.name.as_str(), one.other.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("中山靖王刘胜之后，姓刘，名备，字玄德。", &[("刘备", "玄德")]);
        check("吾姓关名羽，字长生，后改云长，河东解良人也。", &[("关羽", "长生"), ("关羽", "云长")]);
        check("太守陶谦，字恭祖，为人温厚。", &[("陶谦", "恭祖")]);
        check("诸葛亮字孔明。", &[("诸葛亮", "孔明")]);
        check("他写了几个字给你。名绍，字本初，", &[]);
        check("Tim Cratchit (\"Tiny Tim\"), a cripple.", &[("Tim Cratchit", "Tiny Tim")]);
        check("The film stars Marshall Mathers, better known as Eminem.", &[("Marshall Mathers", "Eminem")]);
        check("It is also known as a good idea.", &[]);
        check(
            "孙坚有四子，皆吴夫人所生：长子名策，字伯符；次子名权，字仲谋。",
            &[("孙策", "伯符"), ("孙权", "仲谋")],
        );
        check("周树人（笔名鲁迅）生于绍兴。", &[("周树人", "鲁迅")]);
        check("孙策人称“小霸王”，号令严明。", &[("孙策", "小霸王")]);
        check("众人听孙策号令三军，", &[]);
        check("Jane Smith (née Brown) married.", &[("Jane Smith", "Jane Brown")]);
        check("Accenture (formerly Andersen Consulting) grew.", &[("Accenture", "Andersen Consulting")]);
        check("John Smith (formerly President of Acme) left.", &[]);
        check("Anna Berg (formerly Velmsoft) leads the team.", &[]);
        check("Anna Berg (formerly Anna Hill) leads.", &[("Anna Berg", "Anna Hill")]);
        check("The board dismissed Anna Berg, then named Bob Lee chief executive.", &[]);
        check("She visited Anna Berg, then called Bob Lee.", &[]);
        check("Hope Bay (then called Cold Bay) froze.", &[("Hope Bay", "Cold Bay")]);
        check("Steve Rogers, also known as Captain America, ran.", &[("Steve Rogers", "Captain America")]);
        check("中国人民又称“华夏儿女”。", &[]);
        check("江东孙策人称“小霸王”。", &[("孙策", "小霸王")]);
    }
}
