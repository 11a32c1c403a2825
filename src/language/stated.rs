//! Names that a text itself says belong to one person or thing: 姓刘，名备，字玄德; "Tim Cratchit ("Tiny Tim")"; "also known as".

use super::vocabulary::chinese::{FREQUENT_DOUBLE_SURNAMES, is_frequent_surname, surname_of};
use super::vocabulary::english::PERSON_NOUNS;
use super::vocabulary::gazetteer::is_given_name;
use super::vocabulary::holds;
use super::vocabulary::titles::is_honorific;
use super::words::{is_han, segmenter};
use super::{is_stop_word, sentences};
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
    /// Whether `name` only ends in the full name, and which name of the text that is has to be found out.
    pub(crate) is_open: bool,
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

/// 姓刘，名备，字玄德 and 姓关名羽，字长生，后改云长: surname, given name, courtesy name, a later one; 姓周名大椿 alone is a
/// full name, too.
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
/// 姓周名大椿: surname and given name of somebody who is called so.
static FULL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"姓(\p{Han}{1,2})[，,]?单?名(\p{Han}{1,2})(?:[，。；、,.]|$)").ok());
/// 周树人（笔名鲁迅）; 鲁迅，原名周樟寿，后改名周树人，号…: what else somebody is called, item by item.
static ITEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let said = "人称|世称|又称|别称|又名|别名|曾用名|后改名|改名|更名|原名|本名|乳名|小名|幼名|笔名|艺名|化名|法名|绰号|外号|道号|法号|别号|自号|庙号|谥号|英文名|中文名";
    Regex::new(&format!(
        r"[，,（(、；](?:后来|后)?(?:(?:{said})[为曰是作叫]?[“「『‘]?(?<one>\p{{Han}}{{2,5}}|\p{{Lu}}[\p{{L}} .'-]{{1,30}})[”」』’]?|号[为曰]?(?<two>\p{{Han}}{{2,5}})|表?字(?<three>\p{{Han}}{{2}}))(?<end>[，。；、,.）)]|$)"
    ))
    .ok()
});
/// 孙策人称“小霸王”: what else somebody is called, in quotation marks.
static CALLED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let said = "人称|世称|又称|别称|又名|别名|原名|本名|笔名|艺名|绰号|外号|道号|别号|自号|号";
    Regex::new(&format!(
        r"(?<one>\p{{Han}}{{2,4}})[，,（(]?(?:{said})[为曰是]?[“「『‘](?<two>\p{{Han}}{{2,5}})[”」』’]"
    ))
    .ok()
});
/// 云帆新能源科技股份有限公司（以下简称“云帆新能源”）; 华为技术有限公司，即华为，: the end of `one` is the name.
static SHORT_FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let short = "(?:以下|下文|后文)?(?:简称|下称|合称|统称|称)[为作：]?|即";
    Regex::new(&format!(
        r"(?<one>[\p{{Han}}\w·]{{2,30}})(?:[（(](?:{short})[“「『‘]?(?<two>[\p{{Han}}A-Za-z]{{2,10}})[”」』’]?[）)]|，(?:(?:以下)?简称|即)[为“]?(?<three>\p{{Han}}{{2,8}})”?(?:[，。；、]|$))"
    ))
    .ok()
});
/// 中国科学院（中科院）: `two` has to be an abbreviation of the name that `one` ends in.
static IN_PARENTHESES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?<one>\p{Han}{4,30})[（(](?<two>\p{Han}{2,6})[）)]").ok());
/// 乡人称之为“小太白”, 都唤他周大锤: what people call somebody whom the sentence names before.
static CALLED_BY_OTHERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?:称|唤|叫|呼|誉)(?:(?:之|他|她|其)[为作做]?|[为作做])(?:[“「『‘](?<one>\p{Han}{2,6})[”」』’]|(?<two>\p{Han}{2,4})(?:[，。；]|$))|(?:外号|绰号|诨号|小名|乳名|昵称)(?:[叫是为：:]|叫做)?[“「『‘"](?<three>\p{Han}{1,6})[”」』’"]"#)
        .ok()
});
/// 陈美玲 (Chen Meiling), Chen Meiling (陈美玲): one name in two scripts, the other way round, too: which of both is
/// one of the text's entities is not known here.
static IN_TWO_SCRIPTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let latin = r"\p{Lu}[\w'’-]+(?: \p{Lu}[\w'’-]+){1,3}";
    Regex::new(&format!(
        r"(?:(?<one>\p{{Han}}{{2,12}}) ?[（(](?<two>{latin})[)）]|(?<three>{latin}) ?[（(](?<four>\p{{Han}}{{2,10}})[)）])"
    ))
    .ok()
});
/// "Jane Austen (née Leigh)", "Jane Smith, née Brown": a married name and the surname before it.
static BORN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let word = r"\p{Lu}[\w'’-]+";
    Regex::new(&format!(r"(?<one>{word}(?:[ \n]{word}){{1,3}})[ \n]*[,(][ \n]*n[ée]e[ \n]+(?<two>{word})"))
        .ok()
});
/// "Tim Cratchit ("Tiny Tim")", "X, also known as Y", "X was formerly called Y".
static IN_ENGLISH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let name = r"(?:[A-Z][\w'’-]*\.?(?:[ \n](?:of|the|de|van|von|al)[ \n])?[ \n]?){1,5}";
    let said = r"(?:known[ \n]+as|(?:also|better|best|formerly|previously|originally|commonly|sometimes|widely)[ \n]+(?:known|called|named)(?:[ \n]+as)?|aka|a\.k\.a\.|nicknamed|known[ \n]+to[ \n]+(?:all|everyone|everybody|friends|(?:his|her|its|their)[ \n]+\w+)[ \n]+as)";
    let others = r"(?:everybody|everyone|people|they|we|friends|colleagues|all)[ \n]+calls?";
    Regex::new(&format!(
        "(?<one>{name})[ \\n]*(?:(?:[,(][ \\n]*{said}|(?:is|was|are|were)[ \\n]+{said}|\\([ \\n]*(?:then|now)[ \\n]+(?:known[ \\n]+as|called))[ \\n]+(?:simply[ \\n]+)?(?:[\"“'‘]?(?<two>{name})|[\"“](?<five>[^\"”\\n]{{2,40}})[\"”])|\\([\"“](?<three>{name})[\"”]\\)|\\((?:formerly|originally|previously)[ \\n]+(?<four>{name})\\)|\\([ \\n]*{others}[ \\n]+(?:him|her|it|them)[ \\n]+[\"“]?(?<six>{name})[\"”]?\\)|,[ \\n]+whom[ \\n]+{others}[ \\n]+[\"“]?(?<seven>{name}))"
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
                is_open: false,
                range: whole.range(),
            });
        }
    }
    let apart = |found: &[Stated], range: &Range<usize>| {
        found.iter().all(|known| known.range.end <= range.start || range.end <= known.range.start)
    };
    let chained: Vec<Stated> = items(text).into_iter().filter(|one| apart(&found, &one.range)).collect();
    found.extend(chained);
    for parts in BEHIND.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (Some(before), Some(other), Some(whole)) = (parts.get(1), parts.get(2), parts.get(0)) else {
            continue;
        };
        if let Some(name) = full_name_at_end(before.as_str()) {
            let range = before.end() - name.len()..whole.end();
            if apart(&found, &range) {
                let (name, other) = (name.to_owned(), other.as_str().to_owned());
                found.push(Stated { name, other, courtesy: true, is_open: false, range });
            }
        }
    }
    found.extend(children(text));
    found.extend(called(text));
    found.extend(short_forms(text));
    found.extend(in_english(text));
    found.sort_by_key(|stated| (stated.range.start, stated.range.end));
    found
}

/// Full names of which a text says surname and given name: 姓周名大椿, 姓刘，名备，字玄德.
pub(crate) fn full_names(text: &str) -> Vec<String> {
    let found = FULL.iter().flat_map(|pattern| pattern.captures_iter(text));
    found
        .filter_map(|parts| {
            let (surname, given) = (parts.get(1)?.as_str(), parts.get(2)?.as_str());
            surname.chars().all(is_frequent_surname).then(|| format!("{surname}{given}"))
        })
        .collect()
}

/// What people call somebody whom the text names before.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// Bytes of the statement.
    pub(crate) range: Range<usize>,
    /// Whether the name right before it is meant (罗建国外号“大锤”), or the first of the sentence (乡人称之为“小太白”).
    pub(crate) is_of_nearest: bool,
}

/// What a text says that people call somebody.
pub(crate) fn called_by_others(text: &str) -> Vec<Call> {
    let found = CALLED_BY_OTHERS.iter().flat_map(|pattern| pattern.captures_iter(text));
    found
        .filter_map(|parts| {
            let name = parts
                .name("one")
                .or_else(|| parts.name("two").filter(|name| is_full_name(name.as_str())))
                .or_else(|| parts.name("three"))?;
            Some(Call {
                name: name.as_str().to_owned(),
                range: parts.get(0)?.range(),
                is_of_nearest: parts.name("three").is_some(),
            })
        })
        .collect()
}

/// Whether a word is a full Chinese name by its length and surname.
fn is_full_name(name: &str) -> bool {
    full_name_at_end(name) == Some(name)
}

/// Other names of Chinese persons, one behind the other: all of a chain belong to the name before it.
fn items(text: &str) -> Vec<Stated> {
    let mut found: Vec<Stated> = Vec::new();
    let Some(pattern) = ITEM.as_ref() else { return found };
    let mut bearer: Option<(usize, String)> = None;
    let mut at = 0;
    while let Some(parts) = pattern.captures_at(text, at) {
        let (Some(whole), Some(end)) = (parts.get(0), parts.name("end")) else { break };
        at = end.start().max(whole.start() + 1);
        let before = text.get(..whole.start()).unwrap_or("");
        let chained = bearer.take().filter(|(until, _)| *until == whole.start()).map(|(_, name)| name);
        let name = chained.or_else(|| {
            let run = before.trim_end_matches(['）', ')']);
            let name = full_name_at_end(run)?;
            begins_a_word(last_run(run), name).then(|| name.to_owned())
        });
        let other = ["one", "two", "three"].iter().find_map(|group| parts.name(group));
        let (Some(name), Some(other)) = (name, other) else { continue };
        let courtesy = parts.name("three").is_some();
        let is_order =
            parts.name("two").is_some() && other.as_str().starts_with(['令', '召', '称', '码', '角']);
        bearer = Some((end.start(), name.clone()));
        // a courtesy name right behind the name is read by itself
        if name != other.as_str() && !is_order {
            let (other, range) = (other.as_str().trim().to_owned(), whole.start()..end.start());
            found.push(Stated { name, other, courtesy, is_open: false, range });
        }
    }
    found
}

/// The Chinese characters that a text ends in, at most so many that the segmenter sees the words there.
fn last_run(text: &str) -> &str {
    let start = text
        .char_indices()
        .rev()
        .take(SEEN)
        .take_while(|(_, c)| is_han(*c))
        .last()
        .map_or(text.len(), |(at, _)| at);
    text.get(start..).unwrap_or("")
}

/// Characters before a name's end that are cut into words.
const SEEN: usize = 12;

/// Short forms of a name, and abbreviations in parentheses behind it.
fn short_forms(text: &str) -> Vec<Stated> {
    let mut found = Vec::new();
    let patterns = [&SHORT_FORM, &IN_PARENTHESES];
    for parts in patterns.iter().filter_map(|pattern| pattern.as_ref()).flat_map(|p| p.captures_iter(text)) {
        let other = parts.name("two").or_else(|| parts.name("three"));
        let (Some(one), Some(other), Some(whole)) = (parts.name("one"), other, parts.get(0)) else {
            continue;
        };
        let is_said = parts.len() > IN_PARENTHESES_GROUPS;
        if one.as_str() != other.as_str() && (is_said || abbreviates(other.as_str(), one.as_str())) {
            found.push(Stated {
                name: one.as_str().to_owned(),
                other: other.as_str().to_owned(),
                courtesy: false,
                is_open: true,
                range: whole.range(),
            });
        }
    }
    found
}

/// Groups of [`IN_PARENTHESES`], the whole among them.
const IN_PARENTHESES_GROUPS: usize = 3;

/// Whether a name's characters stand in another one in their order: 中科院 in 中国科学院.
pub(crate) fn abbreviates(short: &str, long: &str) -> bool {
    let mut rest = long.chars();
    short.chars().count() < long.chars().count() && short.chars().all(|c| rest.any(|other| other == c))
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
                is_open: false,
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
        let (Some(before), Some(other), Some(whole)) = (parts.name("one"), parts.name("two"), parts.get(0))
        else {
            continue;
        };
        let named = full_name_at_end(before.as_str()).filter(|name| *name != other.as_str());
        if let Some(name) = named.filter(|name| begins_a_word(before.as_str(), name)) {
            let range = before.end() - name.len()..whole.end();
            let (name, other) = (name.to_owned(), other.as_str().to_owned());
            found.push(Stated { name, other, courtesy: false, is_open: false, range });
        }
    }
    found
}

/// Whether the segmenter cuts a text where the name at its end begins: 国人民 is none in 中国人民.
fn begins_a_word(text: &str, name: &str) -> bool {
    let Some(start) = text.len().checked_sub(name.len()) else { return false };
    let mut at = 0;
    segmenter().cut(text, true).iter().any(|token| {
        let begins = at == start;
        at += token.word.len();
        begins
    })
}

/// "also known as", "formerly", parentheses with a name in quotation marks, "née"; within a sentence.
fn in_english(text: &str) -> Vec<Stated> {
    let mut found = Vec::new();
    for sentence in sentences(text) {
        let words = text.get(sentence.clone()).unwrap_or("");
        if words.is_ascii() || words.contains(|c: char| c.is_ascii_uppercase()) {
            let at = |range: Range<usize>| sentence.start + range.start..sentence.start + range.end;
            let all = other_names(words).into_iter().chain(acronyms(words));
            found.extend(all.map(|one| Stated { range: at(one.range.clone()), ..one }));
        }
    }
    found
}

/// "World Health Organization (WHO)", "IBM (International Business Machines)": the initials of the capitalised words.
fn acronyms(sentence: &str) -> Vec<Stated> {
    let mut found = Vec::new();
    for (open, _) in sentence.match_indices('(') {
        let Some(length) = sentence.get(open..).and_then(|rest| rest.find(')')) else { break };
        let inside = sentence.get(open + 1..open + length).unwrap_or("").trim();
        let before: Vec<&str> = sentence.get(..open).unwrap_or("").split_whitespace().collect();
        let range = open..open + length + 1;
        let pair = if is_acronym(inside) {
            (1..=before.len().min(ACRONYM_WORDS))
                .rev()
                .filter_map(|count| before.get(before.len() - count..))
                .find(|words| has_initials(words, inside))
                .map(|words| (words.join(" "), inside.to_owned()))
        } else {
            let words: Vec<&str> = inside.split_whitespace().collect();
            let short = before.last().copied().filter(|word| is_acronym(word) && has_initials(&words, word));
            short.map(|short| (words.join(" "), short.to_owned()))
        };
        if let Some((name, other)) = pair {
            found.push(Stated { name, other, courtesy: false, is_open: false, range });
        }
    }
    found
}

/// Most words of a name that an acronym stands for.
const ACRONYM_WORDS: usize = 9;

fn is_acronym(word: &str) -> bool {
    (2..=7).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Whether the words begin with the acronym's letters, the small words between them left out, the first and last with a
/// capital.
fn has_initials(words: &[&str], acronym: &str) -> bool {
    let capital = |word: &&&str| word.starts_with(|c: char| c.is_ascii_uppercase());
    let initials: String = words.iter().filter(capital).filter_map(|word| word.chars().next()).collect();
    let small = words.iter().filter(|word| !word.starts_with(|c: char| c.is_ascii_uppercase()));
    let ends =
        words.first().is_some_and(|word| capital(&word)) && words.last().is_some_and(|word| capital(&word));
    initials == acronym
        && ends
        && small
            .into_iter()
            .all(|word| matches!(*word, "of" | "and" | "the" | "for" | "in" | "on" | "de" | "&"))
}

fn other_names(text: &str) -> Vec<Stated> {
    let mut found = Vec::new();
    for parts in IN_ENGLISH.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let other =
            ["two", "three", "four", "five", "six", "seven"].iter().find_map(|group| parts.name(group));
        let (Some(one), Some(other), Some(whole)) = (parts.name("one"), other, parts.get(0)) else {
            continue;
        };
        let (one, other) = (bare(one.as_str()), bare(other.as_str()));
        let is_former = parts.name("four").is_some();
        let says = !one.is_empty() && !other.is_empty() && one != other;
        if says && (!is_former || !is_past(&one, &other)) {
            found.push(Stated { name: one, other, courtesy: false, is_open: false, range: whole.range() });
        }
    }
    for parts in IN_TWO_SCRIPTS.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let pair = |one: &str, other: &str| parts.name(one).zip(parts.name(other));
        let (Some((one, other)), Some(whole)) =
            (pair("one", "two").or_else(|| pair("three", "four")), parts.get(0))
        else {
            continue;
        };
        let han = if one.as_str().starts_with(is_han) { one.as_str() } else { other.as_str() };
        // a person's full name needs no other place of the text to be one
        let is_open = full_name_at_end(han) != Some(han);
        for (name, other) in [(one, other), (other, one)] {
            let (name, other) = (name.as_str().to_owned(), other.as_str().to_owned());
            found.push(Stated { name, other, courtesy: false, is_open, range: whole.range() });
        }
    }
    for parts in BORN.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (Some(one), Some(two), Some(whole)) = (parts.name("one"), parts.name("two"), parts.get(0)) else {
            continue;
        };
        let name = bare(one.as_str());
        if let Some((given, _)) = name.rsplit_once(' ') {
            for other in [format!("{given} {}", two.as_str()), two.as_str().to_owned()] {
                let name = name.clone();
                found.push(Stated { name, other, courtesy: false, is_open: false, range: whole.range() });
            }
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
    let (long, short) = (last(3).filter(single), last(2).filter(single));
    // 曰陆文卿: 文 is a surname as well, but no word begins with it there
    let is_long = long.is_some_and(|long| {
        let run = last_run(text);
        short.is_none_or(|short| begins_a_word(run, long) && !begins_a_word(run, short))
    });
    last(4).filter(double).or_else(|| last(3).filter(double)).or(if is_long { long } else { short })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_call_somebody_is_found() {
        let nicknames = called_by_others("罗建国外号“大锤”，小儿子韩雨泽小名“豆包”。他外号很多。");
        assert_eq!(nicknames.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["大锤", "豆包"]);
        let found: Vec<String> = called_by_others("乡人称之为“小太白”。镇上人都唤他周大锤。他叫她去。")
            .into_iter()
            .map(|call| call.name)
            .collect();
        assert_eq!(found, ["小太白", "周大锤"]);
        assert_eq!(full_names("此人姓周名大椿，好学。"), ["周大椿"]);
    }

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
        check("Jane Smith (née Brown) married.", &[("Jane Smith", "Jane Brown"), ("Jane Smith", "Brown")]);
        check("Accenture (formerly Andersen Consulting) grew.", &[("Accenture", "Andersen Consulting")]);
        check("John Smith (formerly President of Acme) left.", &[]);
        check("Anna Berg (formerly Velmsoft) leads the team.", &[]);
        check("Anna Berg (formerly Anna Hill) leads.", &[("Anna Berg", "Anna Hill")]);
        check("The board dismissed Anna Berg, then named Bob Lee chief executive.", &[]);
        check("She visited Anna Berg, then called Bob Lee.", &[]);
        check("Hope Bay (then called Cold Bay) froze.", &[("Hope Bay", "Cold Bay")]);
        check("Steve Rogers, also known as Captain America, ran.", &[("Steve Rogers", "Captain America")]);
        check("中国人民又称“华夏儿女”。", &[]);
        check("她的丈夫陆文卿，字景明，后官至侍郎。", &[("陆文卿", "景明")]);
        check(
            "鲁迅，原名周樟寿，后改名周树人，字豫才，浙江绍兴人。",
            &[("鲁迅", "周樟寿"), ("鲁迅", "周树人"), ("鲁迅", "豫才")],
        );
        check("沈复，号三白，苏州人。众将听令，号令严明，", &[("沈复", "三白")]);
        check("中国科学院（中科院）位于北京。中国科学院（成立于北京）", &[("中国科学院", "中科院")]);
        check("收购云帆科技股份有限公司（以下简称“云帆科技”）", &[("收购云帆科技股份有限公司", "云帆科技")]);
        check("Kestrel was formerly called Sparrowhawk.", &[("Kestrel", "Sparrowhawk")]);
        check(
            "She works in Basel. Helix Biologics, formerly known as Helix Labs, grew.",
            &[("Helix Biologics", "Helix Labs")],
        );
        check(
            "Nikita Gill, also known as \"the Instagram poet\", came.",
            &[("Nikita Gill", "Instagram poet")],
        );
        check("The World Health Organization (WHO) agreed.", &[("World Health Organization", "WHO")]);
        check("IBM (International Business Machines) agreed.", &[("International Business Machines", "IBM")]);
        check("The Board of Trustees (UK) agreed.", &[]);
        check("江东孙策人称“小霸王”。", &[("孙策", "小霸王")]);
        check("Host: 陈美玲 (Chen Meiling).", &[("陈美玲", "Chen Meiling"), ("Chen Meiling", "陈美玲")]);
        check("Margaret Ashworth (everybody calls her Peg) came.", &[("Margaret Ashworth", "Peg")]);
        check("Amara Bello, whom everybody calls Mo, came.", &[("Amara Bello", "Mo")]);
    }
}
