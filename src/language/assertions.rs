//! What a sentence asserts of a name that another sentence may contradict: a figure, who holds an office, whether
//! something holds at all. English and Chinese, by forms; plans, questions and conditions assert nothing.

use super::is_stop_word;
use super::words::is_han;
use regex::Regex;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

/// What kind of thing is asserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// What is asserted: "members", "chief executive", "open".
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
        if self.kind != other.kind || !same_subject(&self.about, &other.about) {
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

/// Whether two are about the same thing: word for word, or by most of their words.
fn same_subject(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
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
    if sentence.trim_end().ends_with(['?', '？']) {
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
const HAS: [&str; 24] = [
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
    (&["public"], &["private"]),
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
    found.extend(figure(behind));
    found.extend(status(&words));
    found
}

fn ends_in_condition(before: &str) -> bool {
    let lower = before.to_lowercase();
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

fn year(behind: &str) -> Option<Assertion> {
    let found = YEAR.as_ref()?.captures(behind)?;
    let verb = found.name("verb")?.as_str().to_lowercase();
    let year = found.name("year")?.as_str();
    Some(Assertion::new(AssertionKind::Figure, format!("year {verb}"), year))
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
        if !is_former {
            found.push(Assertion::new(AssertionKind::Role, usual_role(&written), person.as_str()));
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

/// The first amount that a name is said to have.
fn figure(behind: &str) -> Option<Assertion> {
    for found in NUMBER.as_ref()?.captures_iter(behind) {
        let whole = found.get(0)?;
        if whole.start() > NEAR {
            return None;
        }
        let between: Vec<String> = words_of_all(behind.get(..whole.start())?);
        let tail = || between.iter().rev().take(2);
        let has = between.iter().any(|word| HAS.contains(&word.as_str()))
            || behind.starts_with("'s ")
            || behind.starts_with("’s ");
        let moves = tail().any(|word| MOVES.contains(&word.as_str()))
            && !tail().next().is_some_and(|word| word == "to" || word == "of");
        let noun: Vec<&str> =
            found.name("noun")?.as_str().split([' ', '-']).filter(|word| !word.is_empty()).collect();
        let noun: Vec<&str> = noun.iter().copied().take_while(|word| is_of_noun(word)).take(3).collect();
        let stands = noun.iter().any(|word| NO_AMOUNTS.contains(&word.to_lowercase().as_str()));
        if !has || moves || stands || noun.is_empty() || found.name("currency").is_some() {
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
        return Some(Assertion {
            rough: found.name("rough").is_some() || scale > 1.0,
            ..Assertion::new(
                AssertionKind::Figure,
                noun.join(" ").to_lowercase(),
                (number * scale).to_string(),
            )
        });
    }
    None
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

/// "is no longer open", "does not support passwords".
fn status(words: &[String]) -> Option<Assertion> {
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
        return pair.map(|(name, holds)| Assertion::new(AssertionKind::Status, name, yes(holds)));
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

/// "supports", "supported" and "support" are one.
fn base_form(verb: &str) -> &str {
    ["ing", "ed", "es", "s", "d", "e"]
        .iter()
        .find_map(|ending| verb.strip_suffix(ending).filter(|stem| stem.len() > 3))
        .unwrap_or(verb)
}

static CHINESE_FIGURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^[^，。；！]{0,14}?(?:(?P<noun>员工|用户|会员|门店|客户|人口|学生|成员|职工|粉丝|店铺|分店|订户|车辆|床位)(?:总数|人数|数量|数)?(?:已)?(?:有|达到|达|为|超过|约|近|突破)?(?P<number>\d[\d,]*(?:\.\d+)?)(?P<scale>[万亿千百]*)|(?:有|拥有|共有|达|达到|雇用|服务|设有|开设)(?:了|着)?(?:超过|约|近)?(?P<number2>\d[\d,]*(?:\.\d+)?)(?P<scale2>[万亿千百]*)(?:多)?(?:名|个|家|位|间|辆|张)?(?P<noun2>员工|用户|会员|门店|客户|人口|学生|成员|职工|粉丝|店铺|分店|订户|车辆|床位))",
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
    if CHINESE_OPEN.iter().any(|word| head.starts_with(word)) || before.ends_with(['若', '如']) {
        return found;
    }
    found.extend(chinese_figure(behind));
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

fn chinese_figure(behind: &str) -> Option<Assertion> {
    let found = CHINESE_FIGURE.as_ref()?.captures(behind)?;
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
    Some(Assertion { rough, ..Assertion::new(AssertionKind::Figure, noun, number.to_string()) })
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
        check("青山公司", "青山公司拥有300家门店。", "青山公司门店数为300家。", false);
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
