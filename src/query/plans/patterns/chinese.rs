//! Chinese questions: 曹操杀了哪些人？ 哪些人投降了曹操？ 谁杀的人最多？ 哪几回提到吕布？

use super::{PatternMatch, group, marked, plain};
use crate::query::plans::form::{Ask, Condition, Counted, Form, Other, Ranking, Role, Time, When};
use crate::query::plans::nouns;
use crate::query::plans::wording::{Wording, is_giving, says_nothing};
use regex::{Captures, Match, Regex};
use std::sync::LazyLock;

const N: &str = "[\u{E000}-\u{E01F}]";
/// What asks for rows before a noun.
const WHICH: &str = "(?:哪些|哪(?:几|一)?[个位名家回章部本首座艘所条件场支项种]|什么|(?:多少|几)[个位名家部本首座艘所条件场支项种]?)";
const WHO: &str = "(?:谁|何人)";
/// A verb: characters of Chinese that hold none of the words that ask.
const V: &str = "(?:拥有|持有|占有|[^\u{E000}-\u{E01F}哪谁多几什么有被的了过着都但却而最是，。]{1,6}?)";
/// A noun.
const T: &str = "(?:[^\u{E000}-\u{E01F}哪谁多几什么被的了过但却而最，。]{0,5}?)";

/// Shapes of questions, the more telling ones first.
struct Shapes {
    path: Option<Regex>,
    common: Option<Regex>,
    both: Option<Regex>,
    documents: Option<Regex>,
    documents_of: Option<Regex>,
    first: Option<Regex>,
    most_mentioned: Option<Regex>,
    most: Option<Regex>,
    most_passive: Option<Regex>,
    object: Option<Regex>,
    passive: Option<Regex>,
    passive_of: Option<Regex>,
    passive_alone: Option<Regex>,
    both_passive: Option<Regex>,
    made_by: Option<Regex>,
    makers_of: Option<Regex>,
    seat: Option<Regex>,
    at_place: Option<Regex>,
    seated: Option<Regex>,
    all: Option<Regex>,
    not: Option<Regex>,
    with: Option<Regex>,
    toward: Option<Regex>,
    subject: Option<Regex>,
    subject_of_any: Option<Regex>,
    object_of: Option<Regex>,
    subject_of: Option<Regex>,
    noun_of: Option<Regex>,
    died: Option<Regex>,
    is_noun_of: Option<Regex>,
    made: Option<Regex>,
    most_first: Option<Regex>,
    mentioned: Option<Regex>,
    claims: Option<Regex>,
    community: Option<Regex>,
    denied: Option<Regex>,
    span: Option<Regex>,
    time: Option<Regex>,
    now: Option<Regex>,
    earlier: Option<Regex>,
    beside: Option<Regex>,
    given: Option<Regex>,
    utmost: Option<Regex>,
    cleft: Option<Regex>,
    relative: Option<Regex>,
    denied_relative: Option<Regex>,
    both_of_noun: Option<Regex>,
}

static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
    let regex = |source: String| Regex::new(&source).ok();
    let list = format!("{N}(?:[和与及跟、或]{N})*");
    let han = "〇零一二三四五六七八九十廿卅百元";
    let date = format!(
        r"(?:\d{{4}}财年(?:第?[一二三四1-4]季度)?|\d{{4}}年(?:\d{{1,2}}月|第?[一二三四1-4]季度)?|\d{{4}}|[〇零一二三四五六七八九]{{4}}年|[\u{{4E00}}-\u{{9FFF}}]{{2}}[{han}]{{1,3}}年)"
    );
    Shapes {
        path: regex(format!(
            "^(?P<a>{N})[和与跟同](?P<b>{N})(?:之间)?(?:(?:有|是)(?:什么|怎样的|何)(?:关系|联系|关联)|(?:是)?(?:怎么|如何|怎样)(?:认识|联系|关联|联系起来|联系在一起)的?)$"
        )),
        common: regex(format!(
            "^(?P<a>{N})[和与跟同](?P<b>{N})(?:之间)?(?:有(?:什么|哪些|多少)?(?:共同|相同)(?:点|之处|的?(?P<thing>{T}))|的?共同(?:点|之处)?(?:是|有)(?:什么|哪些))$"
        )),
        both: regex(format!(
            "^(?:(?P<a>{N})[和与跟同](?P<b>{N})都(?P<verb>{V})(?:了|过)?(?:{WHO}|{WHICH}(?P<thing>{T}))|(?:{WHO}|(?:有)?{WHICH}(?P<thing2>{T}))(?:既|同时)?(?P<verb2>{V})(?:了|过|于)?(?P<c>{N})(?:又|也|并且|而且|且|并|，又|，也)(?P<verb3>{V})(?:了|过|于)?(?P<d>{N})(?P<office3>{T}))$"
        )),
        documents: regex(format!(
            "^(?:在)?(?:有)?(?P<which>{WHICH}|哪几|哪)(?P<thing>回|章|篇|文档|文件|电话会议|电话会|季度|章节|年份|年|个季度|次电话会)(?:中|里|里面|的文本)?(?:都)?(?:提到|提及|写到|讲到|说到|谈到|出现|涉及|讨论)(?:了|过)?(?P<names>{list})$"
        )),
        documents_of: regex(format!(
            "^(?P<names>{list})(?:一共|总共|共)?(?:在|出现在|被提到在)?(?:了)?(?P<which>{WHICH}|哪几|哪)(?P<thing>回|章|篇|文档|文件|电话会议|电话会|季度|章节|年份|年)(?:中|里|里面)?(?:都)?(?:被)?(?:出现|提到|提及|登场|出场)?(?:过|了)?$"
        )),
        first: regex(format!(
            "^(?P<name>{N})(?P<which>第一次|首次|最早|最先|最后一次|最后|最晚)(?:被)?(?:出现|提到|登场|出场|提及)(?:是)?在?(?:哪|什么)(?P<thing>.{{1,5}})$"
        )),
        most_mentioned: regex(format!(
            "^(?:(?P<who>{WHO})|哪(?:个|一个|位|家|些)?(?P<thing>{T})|(?:被)?提到(?:次数)?最(?P<order>多|少)的(?P<thing2>{T})(?:是(?:谁|哪.{{0,3}}|什么)))(?:被)?(?:提到|提及|出现|出场|登场)?的?(?P<unit>次数|回数|章数|文档|文件|文档数|季度|回|章|电话会)?(?P<order2>最多|最少)?$"
        )),
        most_passive: regex(format!(
            "^(?:(?P<who>{WHO})|哪(?:个|一个|位|家)?(?P<thing>{T}))被最(?P<order>多|少)(?:的)?(?P<other>人|公司|将领|势力)(?P<verb>{V})(?:了|过)?$"
        )),
        most: regex(format!(
            "^(?:(?P<who>{WHO})|哪(?:个|一个|位|家)?(?P<thing>{T}))(?P<verb>{V})(?:了|过)?(?:的?(?P<other>人|公司|将领|武将|人物|敌将|地方|城池|城|企业|次数)|的(?P<another>[^\u{E000}-\u{E01F}哪谁多几什么被的了过最]{{1,5}})|的)?最(?P<order>多|少)(?:的(?:人)?(?:是谁)?)?$"
        )),
        object: regex(format!(
            "^(?P<names>{list})(?:都|曾|曾经|一共|总共|共|先后|又)?(?P<verb>{V})(?:了|过)?(?:{WHO}|(?P<which>{WHICH})(?P<thing>{T}))$"
        )),
        passive: regex(format!(
            "^(?:(?P<who>{WHO})|(?:都)?(?:有)?(?P<which>{WHICH})(?P<thing>{T}))(?:曾|都|曾经|是)?[被为由遭](?P<names>{list})(?:所)?(?P<verb>{V})(?:了|过|的)?$"
        )),
        passive_alone: regex(format!(
            "^(?:(?P<who>{WHO})|(?:都)?(?:有)?(?P<which>{WHICH})(?P<thing>{T}))(?:曾|都|曾经|先后)?被(?P<verb>{V})(?:了|过)?$"
        )),
        both_passive: regex(format!(
            "^(?:(?P<who>{WHO})|(?:有)?(?P<which>{WHICH})(?P<thing>{T}))(?:既|先)?被(?P<a>{N})(?P<verb4>{V})(?:了|过)?[，,]?(?:又|也|且|后来)被(?P<b>{N})(?P<verb5>{V})(?:了|过)?$"
        )),
        made_by: regex(format!(
            "^(?P<names>{list})(?:所|曾)?(?P<inner>{V})(?:了|过)?的(?P<thing>{T})(?:都)?(?:是|由|被)(?:{WHO}|哪.{{0,3}})(?P<verb>{V})的?$"
        )),
        makers_of: regex(format!(
            "^(?P<who>{WHO})(?P<verb>{V})(?:了|过)?(?P<names>{list})(?:所|曾)?(?P<inner>{V})(?:了|过)?的(?P<thing>{T})$"
        )),
        seat: regex(format!(
            "^(?P<names>{list})的?(?:总部|所在地)?(?:在|位于|设在|设于)(?:哪里|哪儿|何处|何地|什么地方|哪(?:个|座)?(?:城市|国家|地方|市|省))$"
        )),
        at_place: regex(format!(
            "^(?P<names>{list})(?:曾|曾经)?[在于从](?:哪里|哪儿|何处|(?P<which>哪些|哪个|哪家|哪几家|哪所|哪座|什么)(?P<thing>{T}))(?P<verb>{V})(?:了|过|的)?$"
        )),
        seated: regex(format!(
            "^(?:有)?(?P<which>{WHICH})(?P<thing>{T})的?总部(?:设)?(?:在|位于|于)(?P<names>{list})$"
        )),
        all: regex("^(?:列出|列举|说出|找出)(?:所有|全部)?的?(?P<thing>.{1,5})$".to_owned()),
        not: regex("(?:从来|从)?(?:没有|未曾|不曾|从未|没|未)".to_owned()),
        passive_of: regex(format!(
            "^(?:列出|列举|说出|找出)?(?:所有|全部)?被(?P<names>{list})(?:所)?(?P<verb>{V})(?:了|过)?的(?P<thing>{T})(?:(?:都|一共|总共|共)?(?:有|是)(?:{WHO}|(?P<which>{WHICH}).{{0,2}}))?$"
        )),
        with: regex(format!(
            "^(?:(?P<who>{WHO})|(?:都)?(?:有)?(?P<which>{WHICH})(?P<thing>{T}))(?:曾|都|曾经)?[向与和同跟为给对替在于](?P<names>{list})(?:有过?)?(?P<verb>{V})(?:了|过|的)?$"
        )),
        toward: regex(format!(
            "^(?P<names>{list})(?:都|曾|曾经)?(?P<prep>[向与和同跟为给对替被由])(?:{WHO}|(?P<which>{WHICH})(?P<thing>{T}))(?P<verb>{V})(?:了|过|的)?$"
        )),
        subject: regex(format!(
            "^(?:(?P<who>{WHO})|(?:都)?(?:有)?(?P<which>{WHICH})(?P<thing>{T}))(?:曾|都|曾经)?(?P<verb>{V})(?:了|过|于)?(?P<names>{list})(?:的)?$"
        )),
        subject_of_any: regex(format!(
            "^(?:(?P<who>{WHO})|(?:都)?(?:有)?(?P<which>{WHICH})(?P<thing>{T}))(?:曾|都|曾经)?(?P<verb>{V})(?:了|过|于)?(?:任何|别的|其他的?|其它的?|另外的)?(?P<others>{T})$"
        )),
        object_of: regex(format!(
            "^(?:列出|列举|说出|找出)?(?:所有|全部)?(?P<names>{list})(?:所|曾)?(?P<verb>{V})(?:了|过)?的(?:所有|全部)?(?P<thing>{T})(?:(?:都|一共|总共|共)?(?:有|是)(?:{WHO}|(?P<which>{WHICH}).{{0,2}}))?$"
        )),
        subject_of: regex(format!(
            "^(?:列出|列举|说出|找出)?(?:所有|全部)?(?P<verb>{V})(?:了|过|于)?(?P<names>{list})的(?:所有|全部)?(?P<thing>{T})(?:(?:都|一共|总共|共)?(?:有|是)(?:{WHO}|(?P<which>{WHICH}).{{0,2}}))?$"
        )),
        noun_of: regex(format!(
            "^(?P<names>{list})的?(?P<noun>[^\u{E000}-\u{E01F}哪谁多几什么有被的了过]{{1,5}}?)(?:都|一共|总共|共)?(?:有|是)(?:{WHO}|(?P<which>{WHICH})(?:.{{0,2}}))$"
        )),
        died: regex(format!(
            "^(?:(?P<who>{WHO})|(?:都)?(?:有)?(?P<which>{WHICH})(?P<thing>{T}))死(?:在|于)(?P<names>{list})(?:的?手下|之手|手里|手中)?$"
        )),
        is_noun_of: regex(format!(
            "^(?P<who>{WHO})(?:曾|曾经)?(?:是|担任|出任)(?:过)?(?P<names>{list})的?(?P<noun>[^\u{E000}-\u{E01F}哪谁多几什么有被的了过]{{1,5}})$"
        )),
        made: regex(format!(
            "^(?:(?P<names>{list})(?P<verb>{V}){WHO}为(?P<office>{V})|{WHO}(?P<verb2>{V})(?P<names2>{list})为(?P<office2>{V}))$"
        )),
        most_first: regex(format!(
            "^(?:被)?(?:提到|提及|出现|出场|登场)的?(?P<unit>次数|回数|章数|文档数)?最[多少]的(?P<thing>{T})(?:是(?:谁|哪.{{0,3}}|什么))?$"
        )),
        mentioned: regex(format!(
            "^(?:有)?(?P<which>{WHICH})(?P<thing>{T})(?:被)?(?:提到|提及|出现|出场|登场)(?:了|过)?$"
        )),
        claims: regex(format!(
            "^(?:有)?(?:关于|对)(?P<names>{list})(?:的)?(?:有)?(?P<which>{WHICH})(?:说法|声明|断言)$"
        )),
        community: regex(format!(
            "^(?:(?P<who>{WHO})|{WHICH}(?P<thing>{T}))[和与跟](?P<names>{list})(?:在|属于|同属)?(?:同一个|一个|同一)(?:社区|群组)$"
        )),
        denied: regex("[，,]?(?:但是|但|却|而)(?:却|又|并)?(?:没有|没|未曾|未|不)(?P<rest>.*)$".to_owned()),
        span: regex(format!("(?:在|从)?(?P<from>{date})(?:到|至|和|与)(?P<to>{date})(?:之间|期间)?(?:的)?")),
        now: regex("现在|目前|如今|当前|现任|至今|眼下|仍然|仍".to_owned()),
        earlier: regex("以前|从前|先前|此前|前任|原先".to_owned()),
        given: regex(format!(
            "^(?:(?:{WHO}|(?:有)?{WHICH}(?P<thing_a>{T}))[把将](?P<what_a>{list})(?P<verb_a>{V})给了?(?P<whom_a>{list})|(?P<b>{list})[把将](?P<what_b>{list})(?P<verb_b>{V})给了?(?:{WHO}|{WHICH}(?P<thing_b>{T}))|(?P<c>{list})[把将](?:{WHICH}(?P<thing_c>{T}))(?P<verb_c>{V})给了?(?P<whom_c>{list})|(?P<d>{list})(?P<verb_d>{V})给了?(?P<whom_d>{list})(?:{WHICH}(?P<thing_d>{T}))|(?P<what_e>{list})被(?P<e>{list})(?P<verb_e>{V})给了?(?:{WHO}|{WHICH}(?P<thing_e>{T}))|(?P<what_f>{list})被(?:{WHO}|{WHICH}(?P<thing_f>{T}))(?P<verb_f>{V})给了?(?P<whom_f>{list})|(?P<what_g>{list})被(?P<verb_g>{V})给了?(?:{WHO}|{WHICH}(?P<thing_g>{T})))的?$"
        )),
        utmost: regex(
            "(?P<first>最早|最先|最初|首先|首次|第一次|第一个|第一家|第一位|第一名|首个|首家|首位)|(?P<last>最近一次|最近一家|最近一个|最后一次|最后一个|最后一家|最后一位|最后|最晚|最新|最近)(?P<behind>.?)"
                .to_owned(),
        ),
        beside: regex(format!("(?:在)?(?P<name>{N})(?P<when>之前|以前|之后|以后)")),
        cleft: regex(format!("^(?P<names>{list})是(?P<rest>[被由遭在从于向与和跟].+)的$")),
        relative: regex(format!(
            "^(?P<clause>.+)的(?P<thing>[^\u{E000}-\u{E01F}哪谁几什么的]{{1,4}}?)(?:都|一共|总共|共)?(?:有|是)(?:{WHO}|(?P<which>{WHICH}).?)$"
        )),
        denied_relative: regex(format!(
            "^(?P<clause>.+?)[，,、]?(?P<denied>(?:但是|但|却|而)(?:却|又|并)?(?:没有|没|未曾|未|不)[^的]+)(?P<head>的[^的]+(?:有|是)(?:{WHO}|{WHICH}).?)$"
        )),
        both_of_noun: regex(format!(
            "^(?:{WHO}|(?:有)?(?P<which>{WHICH})(?P<thing>{T}))(?:既|同时)?(?:(?P<verb>{V})(?:了|过)?(?P<noun>[^\u{E000}-\u{E01F}哪谁多几什么被的了过，]{{1,4}}?)(?:又|也|并且|而且|且|并|，又|，也)(?P<verb2>{V})(?:了|过|于)?(?P<a>{N})|(?P<verb3>{V})(?:了|过|于)?(?P<b>{N})(?:又|也|并且|而且|且|并|，又|，也)(?P<verb4>{V})(?:了|过)?(?P<noun2>[^\u{E000}-\u{E01F}哪谁多几什么被的了过，]{{1,4}}?))$"
        )),
        time: regex(format!(
            "(?P<lead>在|自从|自|从|截至|到)?(?P<date>{date})(?P<tail>以来|之后|以后|后|之前|以前|前|为止|起|期间|间|中|里|时)?(?:的)?"
        )),
    }
});

/// What a question asks for, names marked.
pub(in crate::query::plans) fn read(text: &str) -> Option<PatternMatch> {
    let text = clean(text);
    // why, how and how much money: a text tells
    if ["为什么", "为何", "怎么样", "多少钱", "谈谈", "介绍"].iter().any(|asks| text.contains(asks))
    {
        return None;
    }
    if let Some(understood) = plain::chinese(&text) {
        return Some(understood);
    }
    let (text, several) = plain::take_several(&text);
    let text = with_denial_last(&text).unwrap_or(text);
    let (text, denied) = without_denial(&text);
    let (text, time) = take_time(&text);
    let (text, time) = match time {
        None => take_standing(&text),
        time => (text, time),
    };
    let (text, negated) = without_not(&text);
    let (text, utmost) = take_utmost(&text);
    let mut form = shape(&text).or_else(|| shape(&with_noun_first(&text)?))?;
    if let Some(count) = several {
        form.ranking.as_mut()?.count = count;
    }
    if let Some(ask) = utmost {
        if form.ask != Ask::List || form.ranking.is_some() || form.conditions.is_empty() {
            return None;
        }
        form.ask = ask;
    }
    // what somebody owns is what they own now
    let owns = ["拥有", "持有"].iter().any(|verb| form.conditions.iter().any(|one| one.wording == *verb));
    let is_past = text.contains(['过', '了', '曾']) || time.is_some() || negated || utmost.is_some();
    let time = if owns && !is_past {
        Some(Time { when: When::Now, date: String::new(), until: None })
    } else {
        time
    };
    if negated {
        form.conditions.iter_mut().for_each(|condition| condition.negated = true);
    }
    if let Some(time) = time {
        for condition in &mut form.conditions {
            condition.time = Some(time.clone());
        }
        if form.conditions.is_empty() {
            form.conditions.push(Condition {
                row: Role::Mentioned,
                time: Some(time),
                ..Condition::default()
            });
        }
    }
    if let Some(denied) = denied {
        let condition = denied_condition(&denied, form.conditions.first()?)?;
        form.conditions.push(condition);
    }
    let listed = ["列出", "列举"].iter().any(|list| text.starts_with(list));
    let explicit = listed && form.conditions.is_empty()
        || form.ask != Ask::List
        || form.ranking.is_some()
        || form.conditions.len() > 1;
    let asks_for_one = form.thing == "谁";
    let vague = says_nothing_but(&form);
    let is_known = form.conditions.iter().any(|condition| Wording::read(&condition.wording).is_known());
    let is_given = form.conditions.iter().any(|condition| !condition.third.is_empty());
    let explicit = explicit || is_given || is_known && form.is_denied();
    // "演过哪些戏" asks for a list in so many words, by whatever verb
    let lists = ["哪些", "哪几"].iter().any(|which| text.contains(which)) && !form.thing.is_empty();
    Some(PatternMatch { sure: explicit || !asks_for_one && (lists || !vague), form })
}

/// A question without what asks for the first or the last, and that: "青石最早收购了哪家公司". When something was first
/// mentioned is another question, and 最近三年 is a time.
fn take_utmost(text: &str) -> (String, Option<Ask>) {
    let mentions = ["提到", "提及", "出现", "登场", "出场"].iter().any(|verb| text.contains(verb));
    let found = SHAPES.utmost.as_ref().and_then(|utmost| utmost.captures(text)).filter(|_| !mentions);
    let behind = found.as_ref().and_then(|found| group(found, "behind")).unwrap_or_default();
    let is_span = behind.chars().all(|c| c.is_ascii_digit() || "几一二两三四五六七八九十".contains(c));
    let Some(found) = found.filter(|_| behind.is_empty() || !is_span) else { return (text.to_owned(), None) };
    let (ask, word) = match (found.name("first"), found.name("last")) {
        (Some(first), _) => (Ask::First, first.range()),
        (None, Some(last)) => (Ask::Last, last.range()),
        (None, None) => return (text.to_owned(), None),
    };
    let (before, behind) =
        (text.get(..word.start).unwrap_or_default(), text.get(word.end..).unwrap_or_default());
    (format!("{before}{behind}"), Some(ask))
}

/// "谁把甲卖给了乙", "甲被谁卖给了乙", "丙把甲卖给了谁": what one of the three has to do with the two others.
fn given(text: &str) -> Option<Form> {
    let found = SHAPES.given.as_ref()?.captures(text)?;
    let part = |name: &str, of: char| group(&found, &format!("{name}_{of}"));
    let of = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].into_iter().find(|of| part("verb", *of).is_some())?;
    let verb = part("verb", of)?;
    if !is_giving(verb) {
        return None;
    }
    let who = group(&found, &of.to_string());
    let (row, wording, others, third) = match (who, part("what", of), part("whom", of)) {
        (None, Some(what), Some(whom)) => (Role::Subject, verb.to_owned(), what, whom),
        (Some(who), Some(what), None) => (Role::Object, format!("{verb}给"), who, what),
        (Some(who), None, Some(whom)) => (Role::Object, verb.to_owned(), who, whom),
        (None, Some(what), None) => (Role::Object, format!("被{verb}给"), what, ""),
        _ => return None,
    };
    let thing = part("thing", of).unwrap_or_default().trim_start_matches(['个', '位', '名', '家']).to_owned();
    let what = matches!(of, 'c' | 'd');
    let thing = if thing.is_empty() && !what { "谁".to_owned() } else { thing };
    let condition =
        Condition { row, wording, others: named(others), third: names_of(third), ..Condition::default() };
    Some(Form { thing, conditions: vec![condition], ..Form::default() })
}

/// "甲投资过但没有被乙起诉的公司有哪些" with what is denied behind: "甲投资过的公司有哪些但没有被乙起诉".
fn with_denial_last(text: &str) -> Option<String> {
    let found = SHAPES.denied_relative.as_ref()?.captures(text)?;
    Some(format!("{}{}{}", group(&found, "clause")?, group(&found, "head")?, group(&found, "denied")?))
}

/// "创办了公司又毕业于甲的人有哪些" asks what "哪些人创办了公司又毕业于甲" does.
fn with_noun_first(text: &str) -> Option<String> {
    let found = SHAPES.relative.as_ref()?.captures(text)?;
    let (clause, thing) = (group(&found, "clause")?, group(&found, "thing")?);
    if clause.contains(['哪', '谁', '的']) || !nouns::is_known(thing) {
        return None;
    }
    let counts = group(&found, "which").is_some_and(|which| which.starts_with(['多', '几']));
    Some(format!("{}{thing}{clause}", if counts { "多少" } else { "哪些" }))
}

/// "哪些人创办了公司又毕业于甲": one of the two has no name.
fn both_of_noun(text: &str) -> Option<Form> {
    let found = SHAPES.both_of_noun.as_ref()?.captures(text)?;
    let noun = group(&found, "noun").or(group(&found, "noun2")).filter(|noun| nouns::is_known(noun))?;
    let others = Other { thing: noun.to_owned(), ..Other::default() };
    let condition = |wording: &str, others: Other| Condition {
        row: Role::Subject,
        wording: wording.to_owned(),
        others,
        ..Condition::default()
    };
    let name = named(group(&found, "a").or(group(&found, "b"))?);
    let (thing, first) = noun_and_verb(&found, group(&found, "verb").or(group(&found, "verb3"))?);
    let conditions = match group(&found, "verb2") {
        Some(second) => vec![condition(&first, others), condition(second, name)],
        None => vec![condition(&first, name), condition(group(&found, "verb4")?, others)],
    };
    let is_known = conditions.iter().all(|one| Wording::read(&one.wording).is_known());
    is_known.then(|| Form { ask: ask_of(&found), thing, conditions, ranking: None })
}

/// A question without what denies its verb, and whether something did: "哪些公司没有被甲收购".
fn without_not(text: &str) -> (String, bool) {
    let asks = |found: &Match<'_>| text.get(..found.start()).is_some_and(|before| before.ends_with('有'));
    let found = SHAPES.not.as_ref().and_then(|not| not.find(text)).filter(|found| !asks(found));
    let Some(found) = found else { return (text.to_owned(), false) };
    let (before, behind) =
        (text.get(..found.start()).unwrap_or_default(), text.get(found.end()..).unwrap_or_default());
    (format!("{before}{behind}"), true)
}

/// Whether no relation of the form is one that the table knows.
fn says_nothing_but(form: &Form) -> bool {
    form.conditions.iter().all(|condition| {
        matches!(condition.row, Role::Subject | Role::Object | Role::Either)
            && !crate::query::plans::wording::Wording::read(&condition.wording).is_known()
    })
}

fn clean(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let text = text.trim_end_matches(['?', '？', '。', '.', '!', '！', '呢', '吗']);
    let mut text = text.to_owned();
    if let Some(rest) = text.strip_prefix("是谁") {
        text = format!("谁{rest}");
    }
    for (was, before) in [
        ("曾经是", "以前是"),
        ("曾是", "以前是"),
        ("曾经担任", "以前担任"),
        ("曾担任", "以前担任"),
        ("曾任", "以前担任"),
    ] {
        text = text.replace(was, before);
    }
    if let Some(found) = SHAPES.cleft.as_ref().and_then(|cleft| cleft.captures(&text))
        && let (Some(names), Some(rest)) = (found.name("names"), found.name("rest"))
    {
        // "甲是被谁收购的" asks what "甲被谁收购" does
        text = format!("{}{}", names.as_str(), rest.as_str());
    }
    // "既投资过甲又投资过乙的是谁" asks what "谁既投资过甲又投资过乙" does
    let suffixes = ["的人是谁", "的人有谁", "的都有谁", "的是谁", "的有谁"];
    if text.starts_with('既')
        && let Some(clause) = suffixes.iter().find_map(|suffix| text.strip_suffix(suffix))
    {
        text = format!("谁{clause}");
    }
    for polite in ["请问", "请", "告诉我", "书中", "小说中", "文中", "故事里", "请列出"] {
        if let Some(rest) = text.strip_prefix(polite) {
            text = rest.to_owned();
        }
    }
    text
}

fn without_denial(text: &str) -> (String, Option<String>) {
    let found = SHAPES.denied.as_ref().and_then(|denied| denied.captures(text));
    let Some((whole, rest)) = found.as_ref().and_then(|found| Some((found.get(0)?, found.name("rest")?)))
    else {
        return (text.to_owned(), None);
    };
    (text.get(..whole.start()).unwrap_or_default().to_owned(), Some(rest.as_str().to_owned()))
}

/// "没有跟随曹操", "没有被吕布杀": the same relation where it says none of its own.
fn denied_condition(text: &str, model: &Condition) -> Option<Condition> {
    let (text, time) = take_time(text);
    let names: Vec<String> = names_of(&text);
    let verb: String = text.chars().filter(|c| marked(*c).is_none()).collect();
    let bare = verb.trim_matches(['在', '了', '过', '的', '被', '和', '与', '、', '向', '中', '里']);
    let same = bare.is_empty() || bare.contains("提到") || bare.contains("出现");
    if names.is_empty() {
        time.as_ref()?;
        return Some(Condition { negated: true, time, ..model.clone() });
    }
    let given = text.starts_with('被') && bare.ends_with(['给', '到', '往']);
    let row = if same {
        model.row
    } else if given {
        // "被卖给北溟": whoever it was given to did not do it
        Role::Either
    } else if text.starts_with('被') || text.chars().next().is_some_and(|c| marked(c).is_some()) {
        Role::Object
    } else {
        Role::Subject
    };
    Some(Condition {
        row,
        wording: if same { model.wording.clone() } else { bare.to_owned() },
        others: Other { names, ..Other::default() },
        negated: true,
        time: time.or_else(|| model.time.clone()),
        third: Vec::new(),
    })
}

fn names_of(text: &str) -> Vec<String> {
    text.chars().filter(|c| marked(*c).is_some()).map(String::from).collect()
}

fn named(text: &str) -> Other {
    Other { names: names_of(text), ..Other::default() }
}

/// The noun of a question; "谁" where it asks for somebody.
fn thing_of(found: &Captures<'_>) -> String {
    let thing = group(found, "thing").or(group(found, "thing2")).unwrap_or_default();
    let thing = thing.trim_start_matches(['个', '位', '名', '家', '次']);
    if !thing.is_empty() {
        return thing.to_owned();
    }
    let whole = found.get(0).map_or("", |whole| whole.as_str());
    if whole.contains('谁') || whole.contains("何人") || whole.contains('位') || whole.contains('名') {
        return "谁".to_owned();
    }
    if whole.contains('家') { "公司".to_owned() } else { String::new() }
}

/// The noun and the verb of a question, where "人投降" was read as a verb.
fn noun_and_verb(found: &Captures<'_>, verb: &str) -> (String, String) {
    let no_noun = group(found, "thing").is_none_or(str::is_empty) && group(found, "which").is_some();
    if no_noun {
        let places: Vec<usize> = verb.char_indices().map(|(at, _)| at).skip(1).collect();
        for at in places.into_iter().rev() {
            let (noun, rest) = verb.split_at(at);
            if nouns::is_known(noun) {
                return (noun.to_owned(), rest.to_owned());
            }
        }
    }
    (thing_of(found), verb.to_owned())
}

fn ask_of(found: &Captures<'_>) -> Ask {
    let which = group(found, "which").unwrap_or_default();
    if which.starts_with('多') || which.starts_with('几') { Ask::Count } else { Ask::List }
}

fn single(ask: Ask, thing: String, row: Role, wording: &str, others: Other) -> Form {
    let any = says_nothing(wording);
    let row = if any && matches!(row, Role::Subject | Role::Object) { Role::Either } else { row };
    let wording = if any { String::new() } else { wording.to_owned() };
    Form {
        ask,
        thing,
        conditions: vec![Condition { row, wording, others, ..Condition::default() }],
        ranking: None,
    }
}

fn shape(text: &str) -> Option<Form> {
    two_names(text).or_else(|| documents(text)).or_else(|| most(text)).or_else(|| relation(text))
}

fn two_names(text: &str) -> Option<Form> {
    if let Some(found) = SHAPES.path.as_ref()?.captures(text) {
        let others = named(&format!("{}{}", group(&found, "a")?, group(&found, "b")?));
        return Some(Form { ask: Ask::Path, ..single(Ask::Path, String::new(), Role::Either, "", others) });
    }
    let pair = |found: &Captures<'_>, row: Role, wordings: [&str; 2]| -> Option<Form> {
        let ends = [group(found, "a").or(group(found, "c"))?, group(found, "b").or(group(found, "d"))?];
        let conditions = ends.iter().zip(wordings).map(|(name, wording)| Condition {
            row,
            wording: wording.to_owned(),
            others: named(name),
            ..Condition::default()
        });
        Some(Form { ask: Ask::List, thing: thing_of(found), conditions: conditions.collect(), ranking: None })
    };
    if let Some(found) = SHAPES.common.as_ref()?.captures(text) {
        let mut form = pair(&found, Role::Either, ["", ""])?;
        if form.thing == "谁" {
            form.thing = String::new();
        }
        return Some(form);
    }
    if let Some(found) = SHAPES.both_passive.as_ref()?.captures(text) {
        return pair(&found, Role::Object, [group(&found, "verb4")?, group(&found, "verb5")?]);
    }
    if let Some(form) = both_of_noun(text) {
        return Some(form);
    }
    let found = SHAPES.both.as_ref()?.captures(text)?;
    match (group(&found, "verb"), group(&found, "verb2"), group(&found, "verb3")) {
        (Some(verb), ..) => pair(&found, Role::Object, [verb, verb]),
        (None, Some(one), Some(other)) => {
            // "担任过N院长": the office says it
            let office = group(&found, "office3").filter(|office| !office.is_empty());
            pair(&found, Role::Subject, [one, office.unwrap_or(other)])
        }
        _ => None,
    }
}

fn documents(text: &str) -> Option<Form> {
    for shape in [&SHAPES.documents, &SHAPES.documents_of] {
        if let Some(found) = shape.as_ref()?.captures(text) {
            let thing = group(&found, "thing")?.trim_start_matches(['个', '次']).to_owned();
            return Some(single(ask_of(&found), thing, Role::Mentions, "", named(group(&found, "names")?)));
        }
    }
    if let Some(found) = SHAPES.first.as_ref()?.captures(text) {
        let which = group(&found, "which")?;
        let ask = if which.starts_with("最后") || which == "最晚" { Ask::Last } else { Ask::First };
        let thing = "文档".to_owned();
        return Some(single(ask, thing, Role::Mentions, "", named(group(&found, "name")?)));
    }
    if let Some(found) = SHAPES.mentioned.as_ref()?.captures(text) {
        return Some(single(ask_of(&found), thing_of(&found), Role::Mentioned, "", Other::default()));
    }
    if let Some(found) = SHAPES.claims.as_ref()?.captures(text) {
        return Some(single(
            ask_of(&found),
            "说法".to_owned(),
            Role::About,
            "",
            named(group(&found, "names")?),
        ));
    }
    let found = SHAPES.community.as_ref()?.captures(text)?;
    Some(single(Ask::List, thing_of(&found), Role::Beside, "", named(group(&found, "names")?)))
}

fn most(text: &str) -> Option<Form> {
    if !text.contains('最') {
        return None;
    }
    let ask = |text: &str| if text.contains('少') { Ask::Fewest } else { Ask::Most };
    let ranked = |ask: Ask, thing: String, ranking: Ranking| {
        Some(Form { ask, thing, conditions: Vec::new(), ranking: Some(ranking) })
    };
    if let Some(found) = SHAPES.most_first.as_ref()?.captures(text) {
        let in_documents = group(&found, "unit").is_some_and(|unit| unit != "次数");
        let by = if in_documents { Counted::Documents } else { Counted::Mentions };
        let ranking = Ranking {
            by,
            wording: String::new(),
            row: Role::Either,
            thing: String::new(),
            count: 1,
            bounds: None,
        };
        return ranked(ask(text), thing_of(&found), ranking);
    }
    if let Some(found) = SHAPES.most_mentioned.as_ref()?.captures(text)
        && (text.contains("提到") || text.contains("提及") || text.contains("出现") || text.contains("场"))
    {
        let in_documents = group(&found, "unit").is_some_and(|unit| unit != "次数");
        let by = if in_documents { Counted::Documents } else { Counted::Mentions };
        let ranking = Ranking {
            by,
            wording: String::new(),
            row: Role::Either,
            thing: String::new(),
            count: 1,
            bounds: None,
        };
        return ranked(ask(text), thing_of(&found), ranking);
    }
    let related = |found: &Captures<'_>, row: Role| {
        let wording = group(found, "verb").unwrap_or_default();
        let any = says_nothing(wording);
        let other = group(found, "other").filter(|other| *other != "次数").or(group(found, "another"));
        let other = other.unwrap_or_default();
        Ranking {
            by: Counted::Related,
            wording: if any { String::new() } else { wording.to_owned() },
            row: if any { Role::Either } else { row },
            thing: if other == "敌将" { "人".to_owned() } else { other.to_owned() },
            count: 1,
            bounds: None,
        }
    };
    if let Some(found) = SHAPES.most_passive.as_ref()?.captures(text) {
        return ranked(ask(text), thing_of(&found), related(&found, Role::Object));
    }
    let found = SHAPES.most.as_ref()?.captures(text)?;
    ranked(ask(text), thing_of(&found), related(&found, Role::Subject))
}

fn relation(text: &str) -> Option<Form> {
    if let Some(form) = given(text) {
        return Some(form);
    }
    let form = |found: &Captures<'_>, row: Role, wording: &str| {
        let names = named(group(found, "names").unwrap_or_default());
        let (thing, wording) = noun_and_verb(found, wording);
        single(ask_of(found), thing, row, &wording, names)
    };
    let verb = |found: &Captures<'_>| group(found, "verb").unwrap_or_default().to_owned();
    if let Some(found) = SHAPES.died.as_ref()?.captures(text) {
        return Some(form(&found, Role::Object, "杀"));
    }
    if let Some(found) = SHAPES.is_noun_of.as_ref()?.captures(text) {
        let noun = group(&found, "noun")?;
        let row = if is_mutual(noun) { Role::Either } else { Role::Subject };
        return Some(form(&found, row, noun));
    }
    if let Some(found) = SHAPES.made.as_ref()?.captures(text) {
        // "吕布拜谁为义父", "谁封张昭为长史"
        let verb = group(&found, "verb").or(group(&found, "verb2"))?;
        let wording = format!("{verb}为{}", group(&found, "office").or(group(&found, "office2"))?);
        let row = if group(&found, "verb").is_some() { Role::Object } else { Role::Subject };
        let names = named(group(&found, "names").or(group(&found, "names2"))?);
        return Some(single(Ask::List, "谁".to_owned(), row, &wording, names));
    }
    if let Some(form) = of_makers(text) {
        return Some(form);
    }
    if let Some(found) = SHAPES.passive_alone.as_ref()?.captures(text)
        && crate::query::plans::wording::Wording::read(group(&found, "verb")?).is_known()
    {
        return Some(form(&found, Role::Object, &verb(&found)));
    }
    if let Some(found) = SHAPES.seat.as_ref()?.captures(text) {
        return Some(Form { thing: String::new(), ..form(&found, Role::Object, "位于") });
    }
    if let Some(found) = SHAPES.seated.as_ref()?.captures(text) {
        return Some(form(&found, Role::Subject, "位于"));
    }
    if let Some(found) = SHAPES.at_place.as_ref()?.captures(text) {
        return Some(form(&found, Role::Object, &verb(&found)));
    }
    for (shape, row) in
        [(&SHAPES.passive, Role::Object), (&SHAPES.passive_of, Role::Object), (&SHAPES.with, Role::Subject)]
    {
        if let Some(found) = shape.as_ref()?.captures(text) {
            return Some(form(&found, row, &verb(&found)));
        }
    }
    if let Some(found) = SHAPES.toward.as_ref()?.captures(text) {
        let row =
            if matches!(group(&found, "prep"), Some("被" | "由")) { Role::Subject } else { Role::Object };
        return Some(form(&found, row, &verb(&found)));
    }
    if let Some(found) = SHAPES.object.as_ref()?.captures(text) {
        return Some(form(&found, Role::Object, &verb(&found)));
    }
    if let Some(found) = SHAPES.noun_of.as_ref()?.captures(text) {
        // "曹操的谋士有哪些": the rows are that of him
        let noun = group(&found, "noun")?;
        let row = if is_mutual(noun) { Role::Either } else { Role::Subject };
        return Some(Form { thing: person_or_any(noun), ..form(&found, row, noun) });
    }
    for (shape, row) in [
        (&SHAPES.subject, Role::Subject),
        (&SHAPES.object_of, Role::Object),
        (&SHAPES.subject_of, Role::Subject),
    ] {
        if let Some(found) = shape.as_ref()?.captures(text) {
            return Some(form(&found, row, &verb(&found)));
        }
    }
    // "哪些公司收购过别的公司"
    let found = SHAPES.subject_of_any.as_ref()?.captures(text)?;
    let (thing, wording) = noun_and_verb(&found, group(&found, "verb")?);
    let others = group(&found, "others").filter(|others| nouns::is_known(others))?;
    let is_known = crate::query::plans::wording::Wording::read(&wording).is_known();
    let others = Other { thing: others.to_owned(), ..Other::default() };
    is_known.then(|| single(ask_of(&found), thing, Role::Subject, &wording, others))
}

/// Whether two are that of one another, whichever of them a record names first.
fn is_mutual(noun: &str) -> bool {
    const MUTUAL: [&str; 18] = [
        "同学",
        "朋友",
        "同事",
        "邻居",
        "兄弟",
        "姐妹",
        "夫妻",
        "搭档",
        "战友",
        "盟友",
        "对手",
        "敌人",
        "亲戚",
        "同乡",
        "伙伴",
        "合伙人",
        "竞争对手",
        "合作伙伴",
    ];
    MUTUAL.contains(&noun)
}

/// "甲收购的公司是谁创立的", "谁创立了甲收购的公司", and a list of everything of a kind.
fn of_makers(text: &str) -> Option<Form> {
    // "是哪家" asks for the company itself
    const COUNTING: [char; 6] = ['家', '个', '位', '名', '些', '一'];
    let made = SHAPES.made_by.as_ref()?.captures(text).or(SHAPES.makers_of.as_ref()?.captures(text));
    let made = made.filter(|found| group(found, "verb").is_some_and(|verb| !verb.starts_with(COUNTING)));
    if let Some(found) = made {
        let inner = Condition {
            row: Role::Object,
            wording: group(&found, "inner")?.to_owned(),
            others: named(group(&found, "names")?),
            ..Condition::default()
        };
        let thing = group(&found, "thing").unwrap_or_default().to_owned();
        let others = Other { names: Vec::new(), thing, conditions: vec![inner] };
        return Some(single(Ask::List, "谁".to_owned(), Role::Subject, group(&found, "verb")?, others));
    }
    let found = SHAPES.all.as_ref()?.captures(text)?;
    let thing = group(&found, "thing").filter(|thing| nouns::is_known(thing))?;
    Some(Form { thing: thing.to_owned(), ..Form::default() })
}

fn person_or_any(noun: &str) -> String {
    if nouns::is_known(noun) { noun.to_owned() } else { String::new() }
}

fn take_time(text: &str) -> (String, Option<Time>) {
    let without = |whole: std::ops::Range<usize>| {
        let (before, behind) =
            (text.get(..whole.start).unwrap_or_default(), text.get(whole.end..).unwrap_or_default());
        format!("{before}{}", behind.trim_start_matches(['，', ',']))
    };
    if let Some(found) = SHAPES.span.as_ref().and_then(|span| span.captures(text))
        && let (Some(whole), Some(from), Some(to)) =
            (found.get(0), group(&found, "from"), group(&found, "to"))
    {
        let time = Time { when: When::In, date: from.to_owned(), until: Some(to.to_owned()) };
        return (without(whole.range()), Some(time));
    }
    let Some(found) = SHAPES.time.as_ref().and_then(|time| time.captures(text)) else {
        return (text.to_owned(), None);
    };
    let (Some(whole), Some(date)) = (found.get(0), group(&found, "date")) else {
        return (text.to_owned(), None);
    };
    let (lead, tail) = (group(&found, "lead").unwrap_or_default(), group(&found, "tail").unwrap_or_default());
    let when = match (lead, tail) {
        (_, "之后" | "以后" | "后") => When::After,
        (_, "之前" | "以前" | "前") => When::Before,
        (_, "以来" | "起") | ("自" | "自从" | "从", _) => When::Since,
        (_, "为止") | ("截至" | "到", _) => When::Until,
        _ => When::In,
    };
    (without(whole.range()), Some(Time { when, date: date.to_owned(), until: None }))
}

/// A question without what says that it asks for what holds now, or held before; and that.
fn take_standing(text: &str) -> (String, Option<Time>) {
    let without = |range: std::ops::Range<usize>| {
        let (before, behind) =
            (text.get(..range.start).unwrap_or_default(), text.get(range.end..).unwrap_or_default());
        format!("{before}{}", behind.trim_start_matches(['，', ',']))
    };
    let beside = SHAPES.beside.as_ref().and_then(|beside| beside.captures(text));
    if let Some(found) = beside.filter(|_| names_of(text).len() > 1)
        && let (Some(whole), Some(name), Some(when)) =
            (found.get(0), group(&found, "name"), group(&found, "when"))
    {
        let when = if when.ends_with('前') { When::Before } else { When::After };
        return (without(whole.range()), Some(Time { when, date: name.to_owned(), until: None }));
    }
    // "出现在" is to appear in
    let stands = |found: &Match<'_>| {
        let before = text.get(..found.start()).unwrap_or_default();
        found.as_str() != "现在" || !before.ends_with(['出', '表', '呈', '体', '实', '再'])
    };
    let found = |shape: &Option<Regex>| shape.as_ref().and_then(|shape| shape.find_iter(text).find(stands));
    let standing = found(&SHAPES.now)
        .map(|found| (found, When::Now))
        .or_else(|| found(&SHAPES.earlier).map(|found| (found, When::Earlier)));
    match standing {
        Some((found, when)) => {
            (without(found.range()), Some(Time { when, date: String::new(), until: None }))
        }
        None => (text.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(question: &str) -> String {
        let mut text = String::new();
        let mut known: Vec<String> = Vec::new();
        let mut rest = question;
        while let Some((before, behind)) = rest.split_once('[') {
            let (name, after) = behind.split_once(']').unwrap();
            text.push_str(before);
            text.push(super::super::name_mark(known.len()));
            known.push(name.to_owned());
            rest = after;
        }
        text.push_str(rest);
        let Some(found) = read(&text) else { return "nothing".to_owned() };
        let told = found.form.describe(crate::language::Language::Chinese);
        let named = told.chars().map(|c| match marked(c) {
            Some(place) => known[place].clone(),
            None => c.to_string(),
        });
        format!("{}{}", named.collect::<String>(), if found.sure { "" } else { "？" })
    }

    #[test]
    fn lists_and_counts() {
        for (question, told) in [
            ("[曹操]杀了哪些人？", "列出被曹操“杀”的人"),
            ("[曹操]一共杀了多少人？", "计数：被曹操“杀”的人"),
            ("哪些人投降了[曹操]？", "列出“投降”曹操的人"),
            ("有哪些人向[曹操]投降？", "列出“投降”曹操的人"),
            ("哪些人被[吕布]杀了？", "列出被吕布“杀”的人"),
            ("被[吕布]所杀的人有哪些？", "列出被吕布“杀”的人"),
            ("列出所有[曹操]杀的人", "列出被曹操“杀”的人"),
            ("哪些将领跟随过[刘备]？", "列出“跟随”刘备的将领"),
            ("[微软]在2016年收购了哪些公司？", "列出在2016年被微软“收购”的公司"),
            ("2016年以来[微软]收购了多少家公司？", "计数：自2016年起被微软“收购”的公司"),
            ("[关羽]和谁结拜？", "列出被关羽“结拜”的谁？"),
            ("既投资过[甲]又投资过[乙]的是谁？", "列出“投资”甲且“投资”乙的谁"),
            ("谁现在是[微软]的首席执行官？", "列出现在“首席执行官”微软的谁？"),
            ("谁是[微软]的前任首席执行官？", "列出以前（现已不是）“首席执行官”微软的谁？"),
            ("[甲]之前谁是[微软]的首席执行官？", "列出甲之前“首席执行官”微软的谁？"),
        ] {
            assert_eq!(short(question), told, "{question}");
        }
    }

    #[test]
    fn everyday_wordings_are_read() {
        for (question, told) in [
            ("哪些公司没有被[甲]收购？", "列出被甲未“收购”的公司"),
            ("[甲]没有收购哪些公司？", "列出被甲未“收购”的公司"),
            ("哪些公司没有被收购？", "列出被任何事物未“收购”的公司"),
            ("哪些公司没有收购过别的公司？", "列出未“收购”公司的公司"),
            ("哪些公司收购过其他公司？", "列出“收购”公司的公司"),
            ("哪些公司被[甲]收购但没有被卖给[乙]？", "列出被甲“收购”且与乙未“卖给”的公司"),
            ("2018年之前有哪些公司被收购？", "列出2018年之前被任何事物“收购”的公司"),
            ("[甲]的总部在哪里？", "列出被甲“位于”的事物"),
            ("哪些公司的总部在[甲]？", "列出“位于”甲的公司"),
            ("[甲]现任董事长是谁？", "列出现在“董事长”甲的事物？"),
            ("[甲]收购的公司是谁创立的？", "列出“创立”公司 (被甲“收购”)的谁？"),
            ("谁在[甲]工作？", "列出“工作”甲的谁？"),
            ("[甲]写了几部戏？", "计数：被甲“写”的戏"),
            ("谁毕业于[甲]并且担任过[乙]院长？", "列出“毕业”甲且“院长”乙的谁"),
            ("谁在[丙]之后担任[乙]院长？", "列出丙之后“院长”乙的谁？"),
            ("[甲]演过哪些戏？", "列出被甲“演”的戏"),
            ("[甲]说了什么？", "列出被甲“说”的事物"),
            ("[甲]在哪家公司工作？", "列出被甲“工作”的公司"),
            ("哪些公司既被[甲]收购又被[乙]起诉？", "列出被甲“收购”且被乙“起诉”的公司"),
            ("[甲]是被谁收购的？", "列出“收购”甲的谁？"),
            ("[甲]是由谁创办的？", "列出“创办”甲的谁？"),
            ("[甲]是从哪所学校毕业的？", "列出被甲“毕业”的学校"),
            ("[甲]投资过但没有被[乙]起诉的公司有哪些？", "列出被甲“投资”且被乙未“起诉”的公司"),
            ("[甲]收购过、但没有被卖给[乙]的公司有哪些？", "列出被甲“收购”且与乙未“卖给”的公司"),
            ("创办了公司又毕业于[甲]的人有哪些？", "列出“创办”公司且“毕业”甲的人"),
            ("毕业于[甲]并且创办了公司的人有多少？", "计数：“毕业”甲且“创办”公司的人"),
            ("列出所有公司", "列出公司"),
            ("[甲]的同学是谁？", "列出与甲“同学”的事物？"),
            ("[甲]现在拥有哪些公司？", "列出现在被甲“拥有”的公司"),
            ("谁曾经是[甲]的董事长？", "列出以前（现已不是）“董事长”甲的谁？"),
            ("[甲]为什么辞职？", "nothing"),
            ("[甲]一共花了多少钱收购公司？", "nothing"),
        ] {
            assert_eq!(short(question), told, "{question}");
        }
    }

    #[test]
    fn the_first_the_last_and_deeds_with_three_ends_are_read() {
        for (question, told) in [
            ("[甲]最早收购了哪家公司？", "最早的被甲“收购”的公司"),
            ("[甲]最近收购的公司是哪家？", "最晚的被甲“收购”的公司"),
            ("[甲]收购的第一家公司是哪家？", "最早的被甲“收购”的公司"),
            ("谁最后离开了[甲]？", "最晚的“离开”甲的谁"),
            ("[甲]最近三年收购了哪些公司？", "列出在最近三年被甲“收购”的公司"),
            ("谁把[甲]卖给了[乙]？", "列出“卖”甲（其中有乙）的谁"),
            ("[丙]把[甲]卖给了哪家公司？", "列出被丙“卖给”（其中有甲）的公司"),
            ("[丙]把什么卖给了[乙]？", "列出被丙“卖”（其中有乙）的事物"),
            ("[甲]被卖给了谁？", "列出被甲“被卖给”的谁"),
            ("[甲]被卖给了哪家公司？", "列出被甲“被卖给”的公司"),
            ("[甲]被[丙]卖给了谁？", "列出被丙“卖给”（其中有甲）的谁"),
            ("[甲]持有什么？", "列出现在被甲“持有”的事物"),
            ("[甲]持有过哪些公司？", "列出被甲“持有”的公司"),
            ("谁没有收购[甲]？", "列出未“收购”甲的谁"),
        ] {
            let read = short(question);
            assert_eq!(read.trim_end_matches('？'), told, "{question}");
        }
        assert_eq!(short("谁没有收购[甲]？"), "列出未“收购”甲的谁");
    }

    #[test]
    fn most_common_not_and_documents() {
        for (question, told) in [
            ("谁杀的人最多？", "最多的谁（按“杀”的人数）"),
            ("谁主演的戏最多？", "最多的谁（按“主演”的戏数）"),
            ("哪些公司和[甲]有合作？", "列出“合作”甲的公司"),
            ("哪几回提到[吕布]？", "列出提到吕布的回"),
            ("[吕布]在多少回中出现？", "计数：提到吕布的回"),
            ("谁出现的回数最多？", "最多的谁（按提到的文档数）"),
            ("[曹操]和[袁绍]有什么关系？", "曹操和袁绍之间的最短路径"),
            ("[曹操]和[刘备]有什么共同点？", "列出与曹操“有关”且与刘备“有关”的事物"),
            ("哪些人跟随过[刘备]但没有跟随[曹操]？", "列出“跟随”刘备且未“跟随”曹操的人"),
            ("[吕布]第一次出现在哪一回？", "最早的提到吕布的文档"),
        ] {
            assert_eq!(short(question), told, "{question}");
        }
    }
}
