//! Chinese questions of two steps: they describe somebody or something, and ask something else of it.

use super::{Language, language_of};
use regex::Regex;
use std::sync::LazyLock;

/// A question taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    /// What describes: 把七宝刀借给曹操的那个人.
    pub(crate) described: String,
    /// What is asked of whom it describes: 最后死在谁的手里.
    pub(crate) asked: String,
}

/// A form of asking, and what a text holds where it answers, each with how much it counts.
type Form = (&'static [&'static str], &'static [(&'static str, f64)]);

/// What an answer says that has no word in common with the question.
const FORMS: &[Form] = &[
    (
        &["哪里人", "哪儿人", "何处人", "什么地方人", "籍贯", "老家", "故乡", "家乡"],
        &[("人也", 1.0), ("人氏", 1.0), ("人，姓", 1.0), ("人，名", 1.0), ("人，字", 1.0), ("乃", 0.3)],
    ),
    (&["字什么", "字是什么", "表字"], &[("，字", 1.0), ("表字", 1.0), ("字", 0.6)]),
    (
        &["死在谁", "死于谁", "被谁", "怎么死", "如何死", "死在什么", "死在哪", "死于何"],
        &[
            ("斩", 0.8),
            ("杀", 0.8),
            ("刺", 0.8),
            ("砍", 0.8),
            ("射死", 0.8),
            ("而死", 0.8),
            ("身亡", 0.8),
            ("死", 0.7),
            ("诛", 0.7),
        ],
    ),
    (&["几岁", "多大", "年纪"], &[("岁", 1.0), ("年方", 1.0), ("时年", 1.0)]),
    (
        &["什么官", "何官", "什么职", "官职"],
        &[("封", 0.8), ("拜", 0.8), ("为", 0.3), ("授", 0.8), ("迁", 0.6)],
    ),
    (&["长什么样", "相貌", "长相"], &[("身长", 1.0), ("生得", 1.0), ("面如", 1.0), ("眼", 0.5)]),
];

/// Ways to ask.
const ASKING: [&str; 15] = [
    "谁", "什么", "哪", "几", "多少", "怎么", "怎样", "如何", "为何", "何时", "何处", "何人", "何地", "何故",
    "何年",
];

/// What stands between a description and what is asked, where no mark does: 劝曹操迁都的人｜是哪里人.
static WITHIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(\p{Han}.*的[^的，]{1,7}?)((?:是|当初|后来|最后|最终|曾|在|表字|当时|原先|早先|从前|以前|被|由).*)$",
    )
    .ok()
});
/// A description that names what it describes at its end: …的那位从事官.
static DESCRIPTION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\p{Han}的(?:那|那个|那位|那员|那名|那条|那座)?\p{Han}{1,8}$").ok());

/// The two steps of a Chinese question; nothing where it does not describe before it asks.
pub(crate) fn steps(question: &str) -> Option<Steps> {
    if language_of(question) != Language::Chinese {
        return None;
    }
    // a second question goes on asking
    let question = question.trim().trim_end_matches(['?', '？', '。']).replace(['?', '？', '。'], "，");
    let question = question.as_str();
    let taken =
        |described: &str, asked: &str| Steps { described: described.to_owned(), asked: asked.to_owned() };
    for (at, mark) in question.match_indices(['，', '；', ',']) {
        let (described, asked) = (question.get(..at)?, question.get(at + mark.len()..)?);
        // marks inside of a quotation part nothing
        if described.matches(['"', '“', '”']).count() % 2 == 1 {
            continue;
        }
        let is_description =
            !asks(described) || DESCRIPTION.as_ref().is_some_and(|form| form.is_match(described));
        if is_description && asks(before_mark(asked)) {
            return Some(taken(described, asked));
        }
    }
    let parts = WITHIN.as_ref()?.captures(question)?;
    let (described, asked) = (parts.get(1)?.as_str(), parts.get(2)?.as_str());
    (!asks(described) && asks(asked)).then(|| taken(described, asked))
}

fn asks(part: &str) -> bool {
    ASKING.iter().any(|form| part.contains(form))
}

/// A part up to its first mark.
fn before_mark(part: &str) -> &str {
    part.split(['，', '；', ',']).next().unwrap_or(part)
}

/// What a text holds where it answers what is asked, as the words of a form that is asked in.
pub(crate) fn told_as_answer(asked: &str) -> impl Iterator<Item = &'static [(&'static str, f64)]> {
    let fits = |forms: &&[&str]| forms.iter().any(|form| asked.contains(form));
    FORMS.iter().filter(move |(forms, _)| fits(forms)).map(|(_, told)| *told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_parted_from_what_is_asked() {
        let check = |question: &str, expected: Option<(&str, &str)>| {
            let found = steps(question);
            let found = found.as_ref().map(|found| (found.described.as_str(), found.asked.as_str()));
            assert_eq!(found, expected, "{question}");
        };
        check("把剑送给他的那个人，最后死在谁的手里？", Some(("把剑送给他的那个人", "最后死在谁的手里")));
        check(
            "夜里来报信的人，当初是谁荐来的，又去了哪里？",
            Some(("夜里来报信的人", "当初是谁荐来的，又去了哪里")),
        );
        check(
            "听见鼓声、劝他回去的老人，他的儿子，后来做了什么？",
            Some(("听见鼓声、劝他回去的老人，他的儿子", "后来做了什么")),
        );
        check("问他为什么哭的那位从事，后来去了哪里？", Some(("问他为什么哭的那位从事", "后来去了哪里")));
        check("说\"天下可无我，不可无君\"的人，字什么？", Some(("说\"天下可无我，不可无君\"的人", "字什么")));
        check("劝他迁都的人是哪里人？", Some(("劝他迁都的人", "是哪里人")));
        check("谁杀了董卓？", None);
        check("曹操的长子叫什么名字？", None);
        check("他为什么逃走，后来怎么样了？", None);
        check("Who was the man that gave him the sword, and how did he die?", None);
    }

    #[test]
    fn an_answer_may_share_no_word_with_the_question() {
        assert!(told_as_answer("是哪里人").flatten().any(|(told, _)| *told == "人也"));
        assert_eq!(told_as_answer("去了哪里").count(), 0);
    }
}
