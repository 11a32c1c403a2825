//! What a sentence asserts of a name that another sentence may contradict: a figure, who holds an office, whether
//! something holds at all. English and Chinese, by forms; plans, questions, conditions, rumours and denials assert nothing.
//! The place, the time or the part that it is told of is part of what it is about.

use super::words::is_han;
use super::{is_stop_word, scopes};
use regex::Regex;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

/// What kind of thing is asserted.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum AssertionKind {
    /// How many or how much of something it has, or the year of something.
    Figure,
    /// Who holds an office in it.
    Role,
    /// Whether something holds of it.
    Status,
}

/// Something asserted of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// What kind of thing.
    pub kind: AssertionKind,
    /// What is asserted, with its scope: "members", "members in norway", "chief executive", "plant open".
    pub about: String,
    /// What is said of that: a number, a person, yes or no.
    pub value: String,
    /// Whether a figure is told as a bound or roughly: "more than", "about".
    rough: bool,
}

/// Part of a number by which two that are told roughly may differ.
const ROUGH: f64 = 0.1;
/// Part of a number by which two that are told exactly may differ.
const EXACT: f64 = 0.005;
/// Bytes between a name and the figure that is told of it.
const NEAR: usize = 60;

impl Assertion {
    fn new(kind: AssertionKind, about: impl Into<String>, value: impl Into<String>) -> Self {
        Self { kind, about: about.into(), value: value.into(), rough: false }
    }

    /// Whether both cannot hold at one time.
    pub fn contradicts(&self, other: &Self) -> bool {
        if self.kind != other.kind {
            return false;
        }
        // what a figure is of is told word for word, its scope included
        let is_verb = self.kind == AssertionKind::Status;
        if self.about != other.about && !(is_verb && same_subject(&self.about, &other.about)) {
            return false;
        }
        match self.kind {
            AssertionKind::Figure => match (self.value.parse::<f64>(), other.value.parse::<f64>()) {
                (Ok(one), Ok(two)) => {
                    let allowed = if self.about.starts_with("year ") {
                        0.0
                    } else if self.rough || other.rough {
                        ROUGH
                    } else {
                        EXACT
                    };
                    (one - two).abs() > allowed * one.abs().max(two.abs())
                }
                _ => false,
            },
            AssertionKind::Role => !is_part(&self.value, &other.value) && !is_part(&other.value, &self.value),
            AssertionKind::Status => self.value != other.value,
        }
    }
}

/// Whether one person's name is a part of another name: "Nadella" of "Satya Nadella".
fn is_part(short: &str, long: &str) -> bool {
    let (short, long) = (short.to_lowercase(), long.to_lowercase());
    long.contains(&short)
}

/// Whether two are about the same thing by most of their words.
fn same_subject(one: &str, other: &str) -> bool {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<BTreeSet<String>>();
    let (first, second) = (one.split(' ').next(), other.split(' ').next());
    let (one, other) = (words(one), words(other));
    let common = one.intersection(&other).count();
    // a verb and at least two more words of three
    first == second && common >= 3 && common * 3 >= one.union(&other).count() * 2
}

/// What a sentence asserts of a name that stands in it at these bytes.
pub fn assertions(sentence: &str, name: Range<usize>) -> Vec<Assertion> {
    let (Some(before), Some(behind)) = (sentence.get(..name.start), sentence.get(name.end..)) else {
        return Vec::new();
    };
    if sentence.trim_end().ends_with(['?', '？']) || scopes::is_doubted(sentence) {
        return Vec::new();
    }
    let is_chinese = sentence.chars().filter(|c| is_han(*c)).count() * 3 > sentence.chars().count();
    let mut found = if is_chinese { chinese(before, behind) } else { english(before, behind) };
    found.dedup();
    found
}

static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?P<rough>more than|over|nearly|about|around|almost|approximately|at least|some|roughly)?\s*(?P<currency>[$€£])?(?P<number>\d[\d,]*(?:\.\d+)?)(?:\s*(?P<scale>thousand|million|billion|trillion)\b)?(?P<noun>(?:[ -][a-z][a-z-]+){0,4})",
    )
    .ok()
});
static YEAR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^,?\s*(?:was|were|is|has been|had been|,)?\s*(?:first |originally |officially )?(?P<verb>founded|established|born|died|launched|released|opened|built|created|published|incorporated|completed|formed|introduced|dissolved|closed|acquired)\b[^.;,]{0,40}?\bin (?:[A-Z][a-z]+ )?(?P<year>1\d{3}|20\d{2})\b",
    )
    .ok()
});
/// Office, as it is compared, and how texts write it.
static ROLES: LazyLock<Vec<(&'static str, Option<Regex>)>> = LazyLock::new(|| {
    let roles = [
        ("chief executive", r"ceo|chief executive(?: officer)?"),
        ("chief financial officer", r"cfo|chief financial officer|finance chief"),
        ("chief operating officer", r"coo|chief operating officer"),
        ("chief technology officer", r"cto|chief technology officer"),
        ("chairman", r"chairman|chairwoman|chairperson|chair of the board"),
        ("managing director", r"managing director"),
        ("prime minister", r"prime minister"),
        ("president", r"president"),
        ("mayor", r"mayor"),
        ("governor", r"governor"),
        ("head coach", r"head coach"),
        ("captain", r"captain"),
        ("editor-in-chief", r"editor[- ]in[- ]chief"),
        ("headmaster", r"headmaster|headmistress|head ?teacher"),
        ("owner", r"owner"),
    ];
    let person = r"(?P<person>(?:[A-Z][\p{L}.'’-]+ ){0,3}[A-Z][\p{L}'’-]+)";
    let behind = |role: &str| {
        // "'s chief executive, Ann Lee," / " CEO Ann Lee" / " appointed Ann Lee (as) chief executive"
        format!(
            r"^(?:['’]s?)?,? (?:new |current |the )?(?i:{role}),? (?:is |was )?{person}|^ (?:has |had )?(?:appointed|named|hired|elected|promoted) (?P<person2>(?:[A-Z][\p{{L}}.'’-]+ ){{0,3}}[A-Z][\p{{L}}'’-]+) (?:as |to be |to )?(?:its |the |a )?(?:new )?(?i:{role})\b"
        )
    };
    roles.into_iter().map(|(name, forms)| (name, Regex::new(&behind(forms)).ok())).collect()
});
/// The same before the name: "Ann Lee is the chief executive of".
static ROLES_BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?P<person>(?:[A-Z][\p{L}.'’-]+ ){0,3}[A-Z][\p{L}'’-]+)(?:,| is| was| became| has become| serves as| served as| was named| was appointed| has been named)?,? (?:the |its |a )?(?:new |current |then |former )?(?i:(?P<role>ceo|cfo|coo|cto|chief (?:executive|financial|operating|technology)(?: officer)?|finance chief|chairman|chairwoman|chairperson|managing director|prime minister|president|mayor|governor|head coach|captain|editor[- ]in[- ]chief|headmaster|headmistress|owner)) (?:of|at) (?:the )?$",
    )
    .ok()
});

/// Words between a name and a figure that say that it has so many of something.
const HAS: [&str; 28] = [
    "was",
    "were",
    "are",
    "totals",
    "has",
    "have",
    "had",
    "now",
    "counts",
    "employs",
    "employed",
    "serves",
    "reached",
    "surpassed",
    "exceeded",
    "passed",
    "topped",
    "includes",
    "operates",
    "with",
    "grew",
    "to",
    "of",
    "runs",
    "holds",
    "owns",
    "hosts",
    "is",
];
/// Words before a figure that make it a difference, a share or a part.
const MOVES: [&str; 18] = [
    "by",
    "added",
    "adds",
    "adding",
    "another",
    "additional",
    "up",
    "down",
    "gained",
    "lost",
    "extra",
    "new",
    "from",
    "cut",
    "increase",
    "decrease",
    "increased",
    "grew",
];
/// Words behind a figure that make it no standing amount.
const NO_AMOUNTS: [&str; 16] = [
    "percent",
    "percentage",
    "points",
    "point",
    "times",
    "years",
    "year",
    "months",
    "month",
    "weeks",
    "days",
    "hours",
    "minutes",
    "quarters",
    "new",
    "more",
];
/// What makes a sentence a plan, a doubt or a condition, right behind the name.
const OPEN: [&str; 14] = [
    "will", "would", "may", "might", "could", "should", "if", "expects", "plans", "hopes", "intends", "aims",
    "wants", "can",
];
const NEGATIONS: [&str; 16] = [
    "not", "never", "no", "cannot", "can't", "doesn't", "don't", "didn't", "isn't", "wasn't", "aren't",
    "weren't", "hasn't", "haven't", "won't", "longer",
];
const BE: [&str; 10] = ["is", "was", "are", "were", "been", "be", "remains", "remained", "became", "stays"];
/// What is and what is not, in pairs.
const OPPOSITES: [(&[&str], &[&str]); 20] = [
    (&["open", "opened", "reopened"], &["closed", "shut", "shuttered"]),
    (&["alive", "living"], &["dead", "killed", "deceased"]),
    (&["available"], &["unavailable", "discontinued"]),
    (&["active"], &["inactive", "retired", "defunct"]),
    (&["public", "publicly", "listed"], &["private", "privately", "delisted"]),
    (&["profitable"], &["unprofitable", "loss-making", "lossmaking"]),
    (&["approved", "accepted"], &["rejected", "denied", "refused"]),
    (&["supported"], &["unsupported", "deprecated"]),
    (&["married"], &["divorced", "unmarried"]),
    (&["safe"], &["unsafe", "dangerous"]),
    (&["legal", "lawful"], &["illegal", "unlawful"]),
    (&["allowed", "permitted"], &["forbidden", "banned", "prohibited"]),
    (&["required", "mandatory", "compulsory"], &["optional", "voluntary"]),
    (&["enabled"], &["disabled"]),
    (&["guilty"], &["innocent", "acquitted"]),
    (&["true", "correct"], &["false", "wrong", "incorrect"]),
    (&["possible"], &["impossible"]),
    (&["solvent"], &["insolvent", "bankrupt"]),
    (&["free"], &["paid"]),
    (&["independent"], &["acquired"]),
];

fn english(before: &str, behind: &str) -> Vec<Assertion> {
    let mut found = Vec::new();
    found.extend(year(behind));
    found.extend(roles(before, behind));
    let words = words_of(behind);
    if words.iter().take(3).any(|word| OPEN.contains(&word.as_str())) || ends_in_condition(before) {
        return found;
    }
    found.extend(figure(before, behind));
    found.extend(status(behind, &words));
    found
}

fn ends_in_condition(before: &str) -> bool {
    let lower = before.to_lowercase();
    // what holds "if the deal fails" does not hold
    if ["if ", "unless ", "provided ", "in case ", "suppose "]
        .iter()
        .any(|word| lower.trim_start().starts_with(word))
    {
        return true;
    }
    ["if ", "whether ", "unless ", "when ", "without ", "should ", "could ", "will "]
        .iter()
        .any(|word| lower.ends_with(word))
}

/// Lower-case words up to the end of the clause.
fn words_of(text: &str) -> Vec<String> {
    let clause =
        text.find([';', ':', '(', ',']).filter(|at| *at > 0).and_then(|at| text.get(..at)).unwrap_or(text);
    clause
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'"))
        .filter(|word| !word.is_empty())
        .take(12)
        .collect()
}

/// What has one year only.
const ONCE: [&str; 8] =
    ["founded", "established", "born", "died", "incorporated", "formed", "created", "dissolved"];

fn year(behind: &str) -> Option<Assertion> {
    let found = YEAR.as_ref()?.captures(behind)?;
    let (verb, year) = (found.name("verb")?, found.name("year")?);
    let name = verb.as_str().to_lowercase();
    // what begins once has one year, whoever began it and wherever; what is opened or bought may be many things
    let is_once = ONCE.contains(&name.as_str());
    let between = words_of_all(behind.get(verb.end()..year.start())?);
    let object = Some(scopes::head(&between)).filter(|object| !is_once && !object.is_empty());
    let scope = scopes::behind(behind.get(year.end()..)?).filter(|_| !is_once);
    let about: Vec<String> = [format!("year {name}")].into_iter().chain(object).chain(scope).collect();
    Some(Assertion::new(AssertionKind::Figure, about.join(" "), year.as_str()))
}

fn roles(before: &str, behind: &str) -> Vec<Assertion> {
    let mut found: Vec<Assertion> = ROLES
        .iter()
        .filter_map(|(role, form)| {
            let found = form.as_ref()?.captures(behind)?;
            let person = found.name("person").or_else(|| found.name("person2"))?.as_str();
            Some(Assertion::new(AssertionKind::Role, *role, person))
        })
        .collect();
    let form = ROLES_BEFORE.as_ref().and_then(|form| form.captures(before));
    if let Some((person, role)) = form.as_ref().and_then(|found| found.name("person").zip(found.name("role")))
    {
        let written = role.as_str().to_lowercase();
        let is_former = before.get(person.end()..role.start()).is_some_and(|text| text.contains("former"));
        // "of the Tarn foundation" and "of Tarn in Norway" are other offices
        if !is_former && !scopes::goes_on(behind) {
            let place = scopes::place_behind(behind).map(|place| format!(" {place}")).unwrap_or_default();
            let about = format!("{}{place}", usual_role(&written));
            found.push(Assertion::new(AssertionKind::Role, about, person.as_str()));
        }
    }
    found
}

fn usual_role(written: &str) -> String {
    match written {
        "ceo" | "chief executive officer" => "chief executive",
        "cfo" | "finance chief" => "chief financial officer",
        "coo" => "chief operating officer",
        "cto" => "chief technology officer",
        "chairwoman" | "chairperson" => "chairman",
        "headmistress" => "headmaster",
        other => other,
    }
    .to_owned()
}

/// The first amount that a name is said to have, with what it is limited to.
fn figure(before: &str, behind: &str) -> Option<Assertion> {
    for found in NUMBER.as_ref()?.captures_iter(behind) {
        let whole = found.get(0)?;
        if whole.start() > NEAR {
            return None;
        }
        let between: Vec<String> = words_of_all(without_aside(behind.get(..whole.start())?));
        let tail = || between.iter().rev().take(2);
        let verb = between.iter().position(|word| HAS.contains(&word.as_str()));
        let has = verb.is_some() || behind.starts_with("'s ") || behind.starts_with("’s ");
        let moves = tail().any(|word| MOVES.contains(&word.as_str()))
            && !tail().next().is_some_and(|word| word == "to" || word == "of");
        let written = found.name("noun")?;
        let noun = counted(written.as_str());
        let stands = noun.iter().any(|word| NO_AMOUNTS.contains(&word.to_lowercase().as_str()));
        if !has
            || moves
            || stands
            || noun.is_empty()
            || found.name("currency").is_some()
            || scopes::is_past(&between)
        {
            continue;
        }
        let scale = match found.name("scale").map(|scale| scale.as_str().to_lowercase()).as_deref() {
            Some("thousand") => 1e3,
            Some("million") => 1e6,
            Some("billion") => 1e9,
            Some("trillion") => 1e12,
            _ => 1.0,
        };
        let number: f64 = found.name("number")?.as_str().replace(',', "").parse().ok()?;
        if scale < 2.0 && (1900.0..2100.0).contains(&number) {
            continue;
        }
        let head = scopes::head(between.get(..verb.unwrap_or(between.len())).unwrap_or_default());
        let head = (!head.is_empty()).then(|| format!("of {head}"));
        let object = scopes::head(between.get(verb.map_or(0, |verb| verb + 1)..).unwrap_or_default());
        let object = (!object.is_empty()).then(|| format!("of {object}"));
        let limits =
            [head, object, scopes::leading_scope(before), scopes::behind(behind.get(written.start()..)?)];
        let about: Vec<String> =
            [noun.join(" ").to_lowercase()].into_iter().chain(limits.into_iter().flatten()).collect();
        return Some(Assertion {
            rough: found.name("rough").is_some() || scale > 1.0,
            ..Assertion::new(AssertionKind::Figure, about.join(" "), (number * scale).to_string())
        });
    }
    None
}

/// The words right behind a number that say what is counted.
fn counted(behind: &str) -> Vec<&str> {
    let words = behind.split([' ', '-']).filter(|word| !word.is_empty());
    words.take_while(|word| is_of_noun(word)).take(3).collect()
}

/// What stands between a name and a figure, without what is put between two commas behind the name.
fn without_aside(between: &str) -> &str {
    let rest = between.strip_prefix(", ").and_then(|aside| aside.split_once(", "));
    rest.map_or(between, |(_, rest)| rest)
}

/// Whether a word behind a number can be of what is counted: not "in", and not "today".
fn is_of_noun(word: &str) -> bool {
    let word = word.to_lowercase();
    !is_stop_word(&word) && !["today", "now", "currently", "already", "yesterday"].contains(&word.as_str())
}

fn words_of_all(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Nouns of a name that say what of it is open or closed, at most.
const HEADS: usize = 2;

/// "is no longer open", "does not support passwords".
fn status(behind: &str, words: &[String]) -> Option<Assertion> {
    // "The Tarn plant is closed", "Tarn's rival is insolvent": it is told of the plant, of the rival
    let verb = words.iter().position(|word| BE.contains(&word.as_str())).filter(|verb| *verb <= HEADS + 1);
    let head = scopes::head(words.get(..verb.unwrap_or(0)).unwrap_or_default());
    if !head.is_empty() && !words.iter().take(verb.unwrap_or(0)).any(|word| is_stop_word(word)) {
        let words = words.get(verb.unwrap_or(0)..).unwrap_or_default();
        let own = state(behind, words)?;
        return Some(Assertion { about: format!("{head} {}", own.about), ..own });
    }
    state(behind, words)
}

fn state(behind: &str, words: &[String]) -> Option<Assertion> {
    let negated = words.iter().take(4).any(|word| NEGATIONS.contains(&word.as_str()));
    let rest: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !NEGATIONS.contains(word) && *word != "currently")
        .collect();
    let yes = |holds: bool| if holds == negated { "no" } else { "yes" };
    if rest.first().is_some_and(|word| BE.contains(word) || matches!(*word, "has" | "have" | "had")) {
        let is_be = rest.iter().take(2).any(|word| BE.contains(word));
        let said = rest.iter().skip(1).find(|word| !BE.contains(word) && !is_stop_word(word))?;
        let place = rest.iter().position(|word| word == said)?;
        if !is_be || place > 3 {
            return None;
        }
        let pair = OPPOSITES.iter().find_map(|(good, bad)| {
            let name = good.first()?;
            if good.contains(said) {
                Some((*name, true))
            } else {
                bad.contains(said).then_some((*name, false))
            }
        });
        let at = behind.to_lowercase().find(said).map(|at| at + said.len());
        // a company is listed in one place, and no longer private anywhere
        let is_local = pair.is_some_and(|(name, _)| name != "public");
        let place = at.filter(|_| is_local).and_then(|at| behind.get(at..)).and_then(scopes::place_behind);
        let place = place.map(|place| format!(" {place}")).unwrap_or_default();
        return pair.filter(|_| is_owned(&rest, said)).map(|(name, holds)| {
            Assertion::new(AssertionKind::Status, format!("{name}{place}"), yes(holds))
        });
    }
    // a verb with its object: "supports single sign-on"
    let verb =
        rest.iter().find(|word| !matches!(**word, "do" | "does" | "did" | "also" | "now" | "still"))?;
    if is_stop_word(verb) || !verb.chars().all(char::is_alphabetic) {
        return None;
    }
    let at = rest.iter().position(|word| word == verb)?;
    let object: Vec<&str> =
        rest.iter().skip(at + 1).copied().filter(|word| !is_stop_word(word)).take(4).collect();
    if object.is_empty() || at > 2 {
        return None;
    }
    let about = format!("{} {}", base_form(verb), object.join(" "));
    Some(Assertion::new(AssertionKind::Status, about, yes(true)))
}

/// Whether "publicly" and "privately" say who owns, and not how something is done.
fn is_owned(words: &[&str], said: &str) -> bool {
    let at = words.iter().position(|word| *word == said);
    let next = at.and_then(|at| words.get(at + 1));
    !said.ends_with("ly") || next.is_some_and(|word| matches!(*word, "held" | "owned" | "traded" | "listed"))
}

/// "supports", "supported" and "support" are one.
fn base_form(verb: &str) -> &str {
    ["ing", "ed", "es", "s", "d", "e"]
        .iter()
        .find_map(|ending| verb.strip_suffix(ending).filter(|stem| stem.len() > 3))
        .unwrap_or(verb)
}

static CHINESE_FIGURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?P<lead>[^，。；！]{0,14}?)(?:(?P<noun>员工|用户|会员|门店|客户|人口|学生|成员|职工|粉丝|店铺|分店|订户|车辆|床位)(?:总数|人数|数量|数)?(?:已)?(?:有|达到|达|为|超过|约|近|突破|减少到|增加到|增长到|减至|增至|降至|升至)?(?P<number>\d[\d,]*(?:\.\d+)?)(?P<scale>[万亿千百]*)|(?:有|拥有|共有|达|达到|雇用|服务|设有|开设)(?:了|着)?(?:超过|约|近)?(?P<number2>\d[\d,]*(?:\.\d+)?)(?P<scale2>[万亿千百]*)(?:多)?(?:名|个|家|位|间|辆|张)?(?P<noun2>员工|用户|会员|门店|客户|人口|学生|成员|职工|粉丝|店铺|分店|订户|车辆|床位))",
    )
    .ok()
});
static CHINESE_ROLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:公司|集团|银行|大学|中学)?(?:的|现任|新任)?(?P<role>董事长|总裁|首席执行官|总经理|行长|校长|市长|省长|院长|主席|主教练|队长|主编)(?:是|为|由)?(?P<person>\p{Han}{2,3})(?:[，。、；）\s]|表示|说|称|指出|认为|担任|$)",
    )
    .ok()
});
static CHINESE_ROLE_BEFORE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?P<person>\p{Han}{2,3})(?:现任|担任|出任|接任|就任|任|是|为)$").ok());
static CHINESE_ROLE_NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:公司|集团|银行|大学|中学)?(?:的)?(?P<role>董事长|总裁|首席执行官|总经理|行长|校长|市长|省长|院长|主席|主教练|队长|主编)",
    )
    .ok()
});
/// What is and what is not, in Chinese.
const CHINESE_OPPOSITES: [(&[&str], &[&str]); 12] = [
    (&["开放", "开业", "营业", "重开"], &["关闭", "停业", "歇业", "关门"]),
    (&["在售", "上架"], &["停售", "下架", "停产"]),
    (&["获批", "批准"], &["驳回", "否决"]),
    (&["盈利"], &["亏损"]),
    (&["允许"], &["禁止"]),
    (&["免费"], &["收费"]),
    (&["安全"], &["危险"]),
    (&["上市"], &["退市"]),
    (&["合法"], &["违法", "非法"]),
    (&["支持"], &["反对"]),
    (&["健在", "在世"], &["去世", "逝世", "身亡"]),
    (&["必须"], &["不必"]),
];
const CHINESE_NEGATIONS: [&str; 9] = ["不再", "没有", "并未", "尚未", "从未", "不", "没", "未", "无"];
/// What makes a Chinese clause a plan or a doubt.
const CHINESE_OPEN: [&str; 12] =
    ["将", "会", "可能", "拟", "计划", "预计", "如果", "若", "能否", "是否", "希望", "要"];

fn chinese(before: &str, behind: &str) -> Vec<Assertion> {
    let clause = behind.find(['，', '。', '；', '！', ',']).and_then(|at| behind.get(..at)).unwrap_or(behind);
    let head: String = clause.chars().take(10).collect();
    let mut found = Vec::new();
    found.extend(chinese_role(before, behind));
    if CHINESE_OPEN.iter().any(|word| head.starts_with(word))
        || before.ends_with(['若', '如'])
        || ["如果", "假如", "要是", "倘若", "一旦", "若"]
            .iter()
            .any(|word| before.trim_start().starts_with(word))
    {
        return found;
    }
    found.extend(chinese_figure(before, behind));
    let status = CHINESE_OPPOSITES.iter().find_map(|(good, bad)| {
        let name = good.first()?;
        let of = |words: &[&str], holds: bool| {
            words.iter().find_map(|word| {
                let at = clause.find(word).filter(|at| *at <= 24)?;
                let negated = CHINESE_NEGATIONS
                    .iter()
                    .any(|no| clause.get(..at).is_some_and(|text| text.ends_with(no)));
                Some((holds != negated, at))
            })
        };
        let found = of(good, true).or_else(|| of(bad, false))?;
        Some(Assertion::new(AssertionKind::Status, *name, if found.0 { "yes" } else { "no" }))
    });
    found.extend(status);
    found
}

/// A place or time that a Chinese sentence begins with: 在成都，
static CHINESE_OPENING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:在(?P<place>\p{Han}{2,6})|(?P<time>\d{4}年[^，。；]{0,6}))[，,]?$").ok()
});

fn chinese_figure(before: &str, behind: &str) -> Option<Assertion> {
    let found = CHINESE_FIGURE.as_ref()?.captures(behind)?;
    if scopes::is_past_in_chinese(found.get(0)?.as_str()) {
        return None;
    }
    let opening = CHINESE_OPENING.as_ref().and_then(|form| form.captures(before));
    let opening = opening.and_then(|found| found.name("place").or_else(|| found.name("time")));
    let limits = [opening.map_or("", |part| part.as_str()), found.name("lead")?.as_str()];
    let scope: String = limits.iter().map(|lead| scopes::in_chinese(lead)).collect();
    let of = |one: &str, other: &str| found.name(one).or_else(|| found.name(other)).map(|part| part.as_str());
    let mut number: f64 = of("number", "number2")?.replace(',', "").parse().ok()?;
    for scale in of("scale", "scale2").unwrap_or("").chars() {
        number *= match scale {
            '百' => 1e2,
            '千' => 1e3,
            '万' => 1e4,
            _ => 1e8,
        };
    }
    let rough = ["超", "约", "近", "多"]
        .iter()
        .any(|word| found.get(0).is_some_and(|whole| whole.as_str().contains(word)));
    let noun = of("noun", "noun2")?;
    let about = if scope.is_empty() { noun.to_owned() } else { format!("{noun}（{scope}）") };
    Some(Assertion { rough, ..Assertion::new(AssertionKind::Figure, about, number.to_string()) })
}

fn chinese_role(before: &str, behind: &str) -> Option<Assertion> {
    if let Some(found) = CHINESE_ROLE.as_ref()?.captures(behind) {
        let (role, person) = (found.name("role")?.as_str(), found.name("person")?.as_str());
        return Some(Assertion::new(AssertionKind::Role, role, person));
    }
    let person = CHINESE_ROLE_BEFORE.as_ref()?.captures(before)?.name("person")?.as_str();
    let role = CHINESE_ROLE_NAME.as_ref()?.captures(behind)?.name("role")?.as_str();
    Some(Assertion::new(AssertionKind::Role, role, person))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sentence: &str, name: &str) -> Vec<Assertion> {
        let at = sentence.find(name).unwrap();
        assertions(sentence, at..at + name.len())
    }

    #[track_caller]
    fn check(name: &str, one: &str, other: &str, expected: bool) {
        let (one, other) = (of(one, name), of(other, name));
        let contradict = one.iter().any(|one| other.iter().any(|other| one.contradicts(other)));
        assert_eq!(contradict, expected, "{one:?} {other:?}");
    }

    #[test]
    fn figures_of_one_thing_contradict_each_other() {
        check("Tarnworks", "Tarnworks has 400 employees.", "Tarnworks employs 650 employees today.", true);
        check("Tarnworks", "Tarnworks has 400 employees.", "Tarnworks has 400 employees in Wick.", false);
        check("Tarnworks", "Tarnworks has 400 employees.", "Tarnworks has 12 shops.", false);
        check(
            "Tarnworks",
            "Tarnworks has more than 30 million members.",
            "Tarnworks now has 31 million members.",
            false,
        );
        check("Tarnworks", "Tarnworks added 30 members.", "Tarnworks has 500 members.", false);
        check(
            "Tarnworks",
            "Tarnworks was founded in 1975 in Wick.",
            "Tarnworks was founded by Ann Lee in 1981.",
            true,
        );
        check("Tarnworks", "Tarnworks was founded in 1975.", "Tarnworks was closed in 1981.", false);
        check("青山公司", "青山公司有员工3.2万人。", "青山公司员工达5万人。", true);
        check("青山公司", "青山公司有门店120家。", "青山公司门店减少到95家。", true);
        check("青山公司", "青山公司拥有300家门店。", "青山公司门店数为300家。", false);
    }

    #[test]
    fn figures_and_offices_of_another_scope_are_not_compared() {
        let none = |one: &str, other: &str| check("Tarnworks", one, other, false);
        none("Tarnworks employs 420 people.", "Tarnworks employs 85 people in Norway.");
        none("Tarnworks employs 130 people in Spain.", "Tarnworks employs 85 people in Norway.");
        none("Tarnworks employs 420 people.", "In Norway, Tarnworks employs 85 people.");
        none(
            "Tarnworks's revenue was 12 million euros in the first quarter.",
            "Tarnworks's revenue was 14 million euros in the fourth quarter.",
        );
        none("Tarnworks had revenue of 40 million kroner.", "Tarnworks had debts of 44 million kroner.");
        none("Tarnworks has 120 shops.", "Tarnworks's rival has 300 shops.");
        none("Tarnworks has 120 shops.", "The Tarnworks foundation has 3 shops.");
        none("Tarnworks has 120 shops.", "Tarnworks had 200 shops in 1999.");
        none("Tarnworks has 120 shops.", "Tarnworks once had 200 shops.");
        none("Tarnworks has 120 shops.", "Tarnworks's 25 shops in Malmo were repainted.");
        none("Tarnworks has 120 shops.", "According to a rumour, Tarnworks has 12 shops.");
        none("Tarnworks is not solvent.", "Critics deny that Tarnworks is not insolvent.");
        none("Tarnworks opened a shop in Cork in 1990.", "Tarnworks opened a shop in Hull in 1995.");
        none(
            "Bo Dahl is the chairman of Tarnworks.",
            "Lena Berg is the chairwoman of the Tarnworks foundation.",
        );
        none("Ann Lee is the CEO of Tarnworks.", "Bob Ray is the CEO of Tarnworks in Spain.");
        none("Tarnworks is open.", "Tarnworks's rival is closed.");
        none("Tarnworks is privately held.", "If the deal fails, Tarnworks is not privately held.");
        check("青山公司", "青山公司盈利。", "如果失败，青山公司亏损。", false);
        none("Tarnworks is open in Norway.", "Tarnworks is closed in Spain.");
        let some = |one: &str, other: &str| check("Tarnworks", one, other, true);
        some("Tarnworks employs 85 people in Norway.", "In Norway, Tarnworks employs 120 people.");
        some("Tarnworks has 120 shops.", "Tarnworks, a chain of bakers, has 95 shops in total.");
        some("The Tarnworks plant is open.", "The Tarnworks plant is closed.");
        some("Tarnworks is privately held.", "Tarnworks is listed in Amsterdam.");
        check("青山公司", "青山公司有员工3200人。", "青山公司在成都有员工450人。", false);
        check("青山公司", "青山公司在西安有员工600人。", "青山公司在成都有员工450人。", false);
        check("青山公司", "青山公司有员工3200人。", "在成都，青山公司有员工450人。", false);
        check("青山公司", "青山公司有员工3200人。", "青山公司总部有员工80人。", false);
        check("青山公司", "青山公司有员工3200人。", "据传青山公司有员工80人。", false);
        check("青山公司", "青山公司目前共有员工3200人。", "青山公司有员工4100人。", true);
    }

    #[test]
    fn an_office_is_held_by_one() {
        check(
            "Tarnworks",
            "Ann Lee is the CEO of Tarnworks.",
            "Tarnworks appointed Bob Ray as chief executive.",
            true,
        );
        check(
            "Tarnworks",
            "Ann Lee, chief executive of Tarnworks, spoke.",
            "Tarnworks CEO Ann Lee left.",
            false,
        );
        check("Tarnworks", "Ann Lee is the former CEO of Tarnworks.", "Tarnworks CEO Bob Ray left.", false);
        check(
            "Tarnworks",
            "Ann Lee is the CEO of Tarnworks.",
            "Tarnworks's chairman, Bob Ray, agreed.",
            false,
        );
        check("青山集团", "青山集团董事长王芳表示满意。", "李明出任青山集团董事长。", true);
        check("青山集团", "青山集团董事长王芳表示满意。", "青山集团总裁李明表示满意。", false);
    }

    #[test]
    fn what_holds_and_does_not_hold_contradict_each_other() {
        check("Tarn", "The Tarn is open on Sundays.", "The Tarn is closed.", true);
        check("Tarn", "The Tarn is open.", "The Tarn is no longer open.", true);
        check("Tarn", "The Tarn is not closed.", "The Tarn is open.", false);
        check(
            "Tarn",
            "Tarn supports single sign-on accounts.",
            "Tarn does not support single sign-on accounts.",
            true,
        );
        check("Tarn", "Tarn supports single sign-on accounts.", "Tarn does not support old printers.", false);
        check("Tarn", "The Tarn will be closed.", "The Tarn is open.", false);
        check("Tarn", "Is the Tarn closed?", "The Tarn is open.", false);
        check("青山店", "青山店已经关闭。", "青山店正常营业。", true);
        check("青山店", "青山店没有关闭。", "青山店正常营业。", false);
        check("青山店", "青山店将关闭。", "青山店正常营业。", false);
    }

    #[test]
    fn any_text_is_read() {
        for text in ["", "a", "好", "Tarn $", "Tarn has 9,9,9. million"] {
            for start in 0..text.len() {
                let _ = assertions(text, start..start + 1);
            }
        }
    }
}
