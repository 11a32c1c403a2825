//! What a question asks for, before names and nouns are looked up: what patterns read, and what a model fills in.

use super::algebra::Side;
use super::wording::Wording;
use crate::language::Language;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Names, conditions and nested conditions that a form may have at most.
pub const MOST_PARTS: usize = 12;

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Form {
    /// What is done with the rows.
    pub ask: Ask,
    /// What the rows are, a noun in the question's words: "companies", "people", "calls", "claims", "years"; empty for
    /// anything.
    pub thing: String,
    /// What holds of every row.
    pub conditions: Vec<Condition>,
    /// What most and fewest go by.
    pub ranking: Option<Ranking>,
}

/// What is done with rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// They are listed.
    #[default]
    List,
    /// They are counted.
    Count,
    /// Those with the greatest number are listed.
    Most,
    /// Those with the smallest.
    Fewest,
    /// The amounts in claims are added up.
    Total,
    /// The earliest of documents, or of what was done.
    First,
    /// The latest.
    Last,
    /// How two names are linked: they stand in the first condition.
    Path,
}

/// What a row has to do with others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Condition {
    /// What the row is to the others.
    pub row: Role,
    /// The relation in the question's words, a verb or a noun: "acquire", "work for", "ceo", "收购"; empty for any.
    pub wording: String,
    /// The others.
    pub others: Other,
    /// Whether it must not hold.
    pub negated: bool,
    /// When it was said.
    pub time: Option<Time>,
    /// Names of a third in the same deed: for "who sold A to B" B, where A is among the others; any of them will do.
    pub third: Vec<String>,
}

/// What a row is to the others of a condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The row does it to the others.
    Subject,
    /// The others do it to the row.
    Object,
    /// Either way.
    #[default]
    Either,
    /// The row is a document that mentions the others.
    Mentions,
    /// The row is mentioned in documents of the time.
    Mentioned,
    /// The row is a claim about the others.
    About,
    /// The row is a community that holds the others.
    Holds,
    /// The row is in a community with the others.
    Beside,
}

impl Role {
    /// Which end of a relationship the row is.
    pub fn side(self) -> Side {
        match self {
            Self::Subject => Side::Subject,
            Self::Object => Side::Object,
            _ => Side::Either,
        }
    }
}

/// Whom a condition names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Other {
    /// Names as the question has them; any of them will do.
    pub names: Vec<String>,
    /// Where no name is given: what they are, a noun; empty for anything.
    pub thing: String,
    /// Where no name is given: what holds of them.
    pub conditions: Vec<Condition>,
}

/// What rows are ranked by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ranking {
    /// What is counted.
    pub by: Counted,
    /// For related things: the relation in the question's words.
    #[serde(default)]
    pub wording: String,
    /// For related things: what the row is to them.
    #[serde(default)]
    pub row: Role,
    /// For related things: what they are, a noun; empty for anything.
    #[serde(default)]
    pub thing: String,
    /// How many rows are wanted.
    pub count: usize,
    /// All rows whose number lies in these bounds are wanted, and not those with the greatest.
    #[serde(default)]
    pub bounds: Option<Bounds>,
}

/// How many a row has to have: "at least two", "fewer than five".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// The least.
    pub least: u64,
    /// The greatest; absent: any.
    #[serde(default)]
    pub most: Option<u64>,
}

/// What a ranking counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// Documents that mention the row.
    Documents,
    /// Text units that mention the row.
    Mentions,
    /// Things that the row is related to.
    Related,
}

/// A time of a condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// How it is meant.
    pub when: When,
    /// A date as the question has it: "2016", "FY17Q1", "June 2016", "建安五年"; behind before and after also a name of
    /// somebody who is a row as well; empty for now and earlier.
    #[serde(default)]
    pub date: String,
    /// For a span: its last date.
    #[serde(default)]
    pub until: Option<String>,
}

/// How a time is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// In it.
    In,
    /// From its beginning on.
    Since,
    /// Behind its end.
    After,
    /// Before its beginning.
    Before,
    /// Up to its end.
    Until,
    /// What no later document contradicts.
    Now,
    /// What was so before, and is not any more.
    Earlier,
}

impl Form {
    /// Whether it is no larger than a question is.
    pub fn is_bounded(&self) -> bool {
        parts(&self.conditions) <= MOST_PARTS && depth(&self.conditions) <= 3
    }

    /// Whether a condition must not hold.
    pub fn is_denied(&self) -> bool {
        self.conditions.iter().any(|condition| condition.negated)
    }

    /// Whether things that something was done to, or that did it, are wanted by when that was.
    pub fn is_by_time(&self) -> bool {
        matches!(self.ask, Ask::First | Ask::Last)
            && self
                .conditions
                .iter()
                .any(|condition| matches!(condition.row, Role::Subject | Role::Object | Role::Either))
    }

    /// The form without what denies its conditions: what the records can say.
    #[must_use]
    pub fn affirmed(&self) -> Self {
        let mut form = self.clone();
        form.conditions.iter_mut().for_each(|condition| condition.negated = false);
        form
    }

    /// Words of its relations that nothing looks for.
    pub fn unread(&self) -> Vec<String> {
        let mut words = Vec::new();
        unread_of(&self.conditions, &mut words);
        words.extend(self.ranking.iter().flat_map(|ranking| Wording::read(&ranking.wording).unread()));
        words
    }

    /// The form in words, for people: what was understood.
    pub fn describe(&self, language: Language) -> String {
        if language == Language::Chinese { told_in_chinese(self) } else { told_in_english(self) }
    }
}

fn unread_of(conditions: &[Condition], words: &mut Vec<String>) {
    for condition in conditions {
        words.extend(Wording::read(&condition.wording).unread());
        unread_of(&condition.others.conditions, words);
    }
}

fn parts(conditions: &[Condition]) -> usize {
    conditions.iter().map(|c| 1 + c.others.names.len() + c.third.len() + parts(&c.others.conditions)).sum()
}

fn depth(conditions: &[Condition]) -> usize {
    conditions.iter().map(|c| 1 + depth(&c.others.conditions)).max().unwrap_or(0)
}

fn or(text: &str, other: &str) -> String {
    if text.is_empty() { other.to_owned() } else { text.to_owned() }
}

fn told_in_english(form: &Form) -> String {
    let thing = or(&form.thing, "things");
    let conditions: Vec<String> = form.conditions.iter().map(condition_in_english).collect();
    let such = if conditions.is_empty() { String::new() } else { format!(" {}", conditions.join(" and ")) };
    let by = form.ranking.as_ref().map_or_else(String::new, |ranking| match ranking.by {
        Counted::Documents => " by the number of documents that name them".to_owned(),
        Counted::Mentions => " by how often they are named".to_owned(),
        Counted::Related => {
            let (wording, thing) = (or(&ranking.wording, "are related to"), or(&ranking.thing, "things"));
            match ranking.row {
                Role::Object => format!(" by the number of {thing} with “{wording}” towards them"),
                _ => format!(" by the number of {thing} that they have “{wording}” towards"),
            }
        }
    });
    let bounds = form.ranking.as_ref().and_then(|ranking| ranking.bounds);
    if let Some(Bounds { least, most }) = bounds {
        let most = most.map_or_else(String::new, |most| format!(" and at most {most}"));
        return format!("{thing}{such} with at least {least}{most},{by}");
    }
    match form.ask {
        Ask::List => format!("list {thing}{such}"),
        Ask::Count => format!("count {thing}{such}"),
        Ask::Most => format!("the first {thing}{such}{by}"),
        Ask::Fewest => format!("the last {thing}{such}{by}"),
        Ask::Total => format!("add up the amounts of {thing}{such}"),
        Ask::First => format!("the earliest {thing}{such}"),
        Ask::Last => format!("the latest {thing}{such}"),
        Ask::Path => match ends_of_path(form) {
            Some([one, other]) => format!("the shortest path between {one} and {other}"),
            None => format!("the shortest path{such}"),
        },
    }
}

fn condition_in_english(condition: &Condition) -> String {
    let others = others_told(&condition.others, " or ", "anything", condition_in_english);
    let wording = or(&condition.wording, "related to");
    let not = if condition.negated { "not " } else { "" };
    let time = condition.time.as_ref().map_or_else(String::new, |time| {
        let until = time.until.as_ref().map_or_else(String::new, |until| format!(" to {until}"));
        let word = match time.when {
            When::In => "in",
            When::Since => "since",
            When::After => "after",
            When::Before => "before",
            When::Until => "until",
            When::Now => return " now".to_owned(),
            When::Earlier => return " before, and not any more".to_owned(),
        };
        format!(" {word} {}{until}", time.date)
    });
    let said = match condition.row {
        Role::Subject => format!("that {not}“{wording}” {others}"),
        Role::Object => format!("that {others} {not}“{wording}”"),
        Role::Either => format!("that are {not}“{wording}” {others}, either way"),
        Role::Mentions => format!("that {not}mention {others}"),
        Role::Mentioned => format!("that are {not}mentioned"),
        Role::About => format!("{not}about {others}, saying “{}”", or(&condition.wording, "anything")),
        Role::Holds => format!("that {not}hold {others}"),
        Role::Beside => format!("that are {not}in a community with {others}"),
    };
    let third = match condition.third.join(" or ") {
        third if third.is_empty() => third,
        third => format!(", with {third} in it,"),
    };
    format!("{said}{third}{time}")
}

/// The two that a path of any relationships leads between.
fn ends_of_path(form: &Form) -> Option<[&String; 2]> {
    let [condition] = form.conditions.as_slice() else { return None };
    let [one, other] = condition.others.names.as_slice() else { return None };
    let is_any = condition.wording.is_empty() && condition.row == Role::Either && !condition.negated;
    (is_any && condition.third.is_empty() && condition.time.is_none()).then_some([one, other])
}

fn told_in_chinese(form: &Form) -> String {
    let thing = or(&form.thing, "事物");
    let such: String = form.conditions.iter().map(condition_in_chinese).collect::<Vec<_>>().join("且");
    let such = if such.is_empty() { such } else { format!("{such}的") };
    let by = form.ranking.as_ref().map_or_else(String::new, |ranking| match ranking.by {
        Counted::Documents => "（按提到的文档数）".to_owned(),
        Counted::Mentions => "（按提到的次数）".to_owned(),
        Counted::Related => {
            format!("（按“{}”的{}数）", or(&ranking.wording, "相关"), or(&ranking.thing, "事物"))
        }
    });
    let bounds = form.ranking.as_ref().and_then(|ranking| ranking.bounds);
    if let Some(Bounds { least, most }) = bounds {
        let most = most.map_or_else(String::new, |most| format!("、至多{most}"));
        return format!("至少{least}{most}的{such}{thing}{by}");
    }
    match form.ask {
        Ask::List => format!("列出{such}{thing}"),
        Ask::Count => format!("计数：{such}{thing}"),
        Ask::Most => format!("最多的{thing}{such}{by}"),
        Ask::Fewest => format!("最少的{thing}{such}{by}"),
        Ask::Total => format!("合计：{such}{thing}的数额"),
        Ask::First => format!("最早的{such}{thing}"),
        Ask::Last => format!("最晚的{such}{thing}"),
        Ask::Path => match ends_of_path(form) {
            Some([one, other]) => format!("{one}和{other}之间的最短路径"),
            None => format!("{such}最短路径"),
        },
    }
}

fn condition_in_chinese(condition: &Condition) -> String {
    let others = others_told(&condition.others, "或", "任何事物", condition_in_chinese);
    let wording = or(&condition.wording, "有关");
    let not = if condition.negated { "未" } else { "" };
    let time = condition.time.as_ref().map_or_else(String::new, |time| {
        let until = time.until.as_ref().map_or_else(String::new, |until| format!("至{until}"));
        match time.when {
            When::In => format!("在{}{until}", time.date),
            When::Since => format!("自{}起", time.date),
            When::After => format!("{}之后", time.date),
            When::Before => format!("{}之前", time.date),
            When::Until => format!("截至{}", time.date),
            When::Now => "现在".to_owned(),
            When::Earlier => "以前（现已不是）".to_owned(),
        }
    });
    let third = match condition.third.join("或") {
        third if third.is_empty() => third,
        third => format!("（其中有{third}）"),
    };
    let said = match condition.row {
        Role::Subject => format!("{time}{not}“{wording}”{others}"),
        Role::Object => format!("{time}被{others}{not}“{wording}”"),
        Role::Either => format!("{time}与{others}{not}“{wording}”"),
        Role::Mentions => format!("{time}{not}提到{others}"),
        Role::Mentioned => format!("{time}{not}被提到"),
        Role::About => format!("{time}关于{others}"),
        Role::Holds => format!("{not}包含{others}"),
        Role::Beside => format!("与{others}{not}同属一个社区"),
    };
    format!("{said}{third}")
}

fn others_told(other: &Other, or_word: &str, anything: &str, told: fn(&Condition) -> String) -> String {
    if !other.names.is_empty() {
        return other.names.join(or_word);
    }
    let such: Vec<String> = other.conditions.iter().map(told).collect();
    let thing = or(&other.thing, anything);
    if such.is_empty() { thing } else { format!("{thing} ({})", such.join("; ")) }
}
