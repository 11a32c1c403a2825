//! How a question asks: how, why, when, where, how long, how much, how many, whether.

use serde::{Deserialize, Serialize};
use std::ops::BitOr;

/// Ways of asking, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Kinds(u16);

impl Kinds {
    /// How something is done.
    pub(crate) const HOW: Self = Self(1);
    /// For what reason.
    pub(crate) const WHY: Self = Self(2);
    /// On which day, at what hour.
    pub(crate) const WHEN: Self = Self(4);
    /// Where.
    pub(crate) const WHERE: Self = Self(8);
    /// How long it takes or lasts.
    pub(crate) const DURATION: Self = Self(16);
    /// What it costs.
    pub(crate) const COST: Self = Self(32);
    /// How many, how large.
    pub(crate) const QUANTITY: Self = Self(64);
    /// Whether it is so, or allowed.
    pub(crate) const WHETHER: Self = Self(128);
    /// What happens then.
    pub(crate) const CONSEQUENCE: Self = Self(256);
    /// Who.
    pub(crate) const WHO: Self = Self(512);

    /// Which thing, and in no other way.
    pub(crate) const WHAT: Self = Self(1024);
    /// How often.
    pub(crate) const FREQUENCY: Self = Self(2048);

    const ALL: [Self; 12] = [
        Self::HOW,
        Self::WHY,
        Self::WHEN,
        Self::WHERE,
        Self::DURATION,
        Self::COST,
        Self::QUANTITY,
        Self::WHETHER,
        Self::CONSEQUENCE,
        Self::WHO,
        Self::WHAT,
        Self::FREQUENCY,
    ];

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// From 0 to 1: how well an answer to questions of `stored` kinds serves a question of these kinds. 1 where either
    /// does not say.
    pub(crate) fn served_by(self, stored: Self) -> f64 {
        if self.is_empty() || stored.is_empty() {
            return 1.0;
        }
        // "what will I be charged" beside "how much is it" says nothing more
        let stored = if stored == Self::WHAT { stored } else { Self(stored.0 & !Self::WHAT.0) };
        // "how much is the fee" asks for a number of coins, not of days
        let stored =
            if stored.has(Self::COST) { Self(stored.0 & !Self::QUANTITY.0 | Self::COST.0) } else { stored };
        let each = |set: Self| Self::ALL.into_iter().filter(move |kind| set.has(*kind));
        // a question may ask in two ways; the one that fits worst decides, but "whether" goes along with all
        let strict: Vec<Self> =
            each(self).filter(|kind| *kind != Self::WHETHER && *kind != Self::HOW).collect();
        let asked: Vec<Self> = if strict.is_empty() { each(self).collect() } else { strict };
        let fit = |kind: Self| each(stored).map(|other| fit(kind, other)).fold(0.0, f64::max);
        asked.into_iter().map(fit).fold(1.0, f64::min)
    }
}

impl Kinds {
    /// Whether an entry of these kinds answers how, whether or what: what keywords that ask in no way of their own mean.
    pub(crate) fn tells_in_general(self) -> bool {
        self.is_empty() || self.has(Self::HOW | Self::WHETHER | Self::WHAT | Self::CONSEQUENCE)
    }

    /// Whether it is asked how, and told only that it may be.
    pub(crate) fn asks_more_than(self, stored: Self) -> bool {
        self == Self::HOW && stored == Self::WHETHER
    }
}

impl BitOr for Kinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// How well an answer to one kind serves another.
fn fit(asked: Kinds, stored: Kinds) -> f64 {
    if asked == stored {
        return 1.0;
    }
    let either =
        |one: Kinds, other: Kinds| (asked == one && stored == other) || (asked == other && stored == one);
    if either(Kinds::HOW, Kinds::WHETHER) || either(Kinds::WHEN, Kinds::DURATION) {
        return 0.95;
    }
    if either(Kinds::HOW, Kinds::WHERE) || either(Kinds::CONSEQUENCE, Kinds::WHETHER) {
        return 0.95;
    }
    if either(Kinds::QUANTITY, Kinds::COST) || either(Kinds::CONSEQUENCE, Kinds::HOW) {
        return 0.8;
    }
    if either(Kinds::WHETHER, Kinds::QUANTITY) || either(Kinds::WHETHER, Kinds::COST) {
        return 0.8;
    }
    if either(Kinds::WHETHER, Kinds::WHO) {
        return 0.8;
    }
    // "how many nights" may ask for a duration, "how many shows" does not
    if either(Kinds::DURATION, Kinds::QUANTITY) {
        return 0.65;
    }
    if either(Kinds::FREQUENCY, Kinds::QUANTITY) || either(Kinds::FREQUENCY, Kinds::WHEN) {
        return 0.9;
    }
    if either(Kinds::FREQUENCY, Kinds::WHETHER) {
        return 0.8;
    }
    if asked == Kinds::WHAT || stored == Kinds::WHAT {
        let other = if asked == Kinds::WHAT { stored } else { asked };
        let near = Kinds::HOW | Kinds::WHETHER | Kinds::CONSEQUENCE | Kinds::QUANTITY | Kinds::WHO;
        return if near.has(other) { 0.95 } else { 0.5 };
    }
    0.35
}

/// Phrases that ask, in order of search; each is looked for where none before it stands.
const ENGLISH: [(&str, Kinds); 88] = [
    ("what do you charge", Kinds::COST),
    ("what do they charge", Kinds::COST),
    ("what is charged", Kinds::COST),
    ("what's the way to", Kinds::HOW),
    ("how long", Kinds::DURATION),
    ("how much time", Kinds::DURATION),
    ("how many days", Kinds::DURATION),
    ("how many weeks", Kinds::DURATION),
    ("how many hours", Kinds::DURATION),
    ("how quickly", Kinds::DURATION),
    ("how fast", Kinds::DURATION),
    ("how soon", Kinds::WHEN),
    ("for how long", Kinds::DURATION),
    ("what does it cost", Kinds::COST),
    ("how much does", Kinds::COST),
    ("how much do", Kinds::COST),
    ("how much is", Kinds::COST),
    ("how much are", Kinds::COST),
    ("how much will", Kinds::COST),
    ("how much would", Kinds::COST),
    ("how expensive", Kinds::COST),
    ("how much", Kinds::QUANTITY),
    ("how many", Kinds::QUANTITY),
    ("how often", Kinds::FREQUENCY),
    ("how frequently", Kinds::FREQUENCY),
    ("how regularly", Kinds::FREQUENCY),
    ("at what interval", Kinds::FREQUENCY),
    ("at what intervals", Kinds::FREQUENCY),
    ("at which intervals", Kinds::FREQUENCY),
    ("how early", Kinds::WHEN),
    ("how late", Kinds::WHEN),
    ("how big", Kinds::QUANTITY),
    ("how large", Kinds::QUANTITY),
    ("how high", Kinds::QUANTITY),
    ("how old", Kinds::QUANTITY),
    ("what age", Kinds::QUANTITY),
    ("which age", Kinds::QUANTITY),
    ("minimum age", Kinds::QUANTITY),
    ("number of", Kinds::QUANTITY),
    ("what is the fee", Kinds::COST),
    ("what's the fee", Kinds::COST),
    ("what is the charge", Kinds::COST),
    ("what is the price", Kinds::COST),
    ("what is the cost", Kinds::COST),
    ("what fee", Kinds::COST),
    ("what charge", Kinds::COST),
    ("what would it cost", Kinds::COST),
    ("do i owe", Kinds::COST),
    ("how do i pay", Kinds::HOW),
    ("how do we pay", Kinds::HOW),
    ("do i pay", Kinds::COST),
    ("do we pay", Kinds::COST),
    ("would i pay", Kinds::COST),
    ("will i pay", Kinds::COST),
    ("must i pay", Kinds::COST),
    ("would i owe", Kinds::COST),
    ("set me back", Kinds::COST),
    ("cost me", Kinds::COST),
    ("how come", Kinds::WHY),
    ("why", Kinds::WHY),
    ("what is the reason", Kinds::WHY),
    ("for what reason", Kinds::WHY),
    ("reason", Kinds::WHY),
    ("what causes", Kinds::WHY),
    ("what makes", Kinds::WHY),
    ("could be the cause", Kinds::WHY),
    ("what time", Kinds::WHEN),
    ("what day", Kinds::WHEN),
    ("which day", Kinds::WHEN),
    ("what date", Kinds::WHEN),
    ("which date", Kinds::WHEN),
    ("opening hours", Kinds::WHEN),
    ("by when", Kinds::WHEN),
    ("until when", Kinds::WHEN),
    ("since when", Kinds::WHEN),
    ("deadline", Kinds::WHEN),
    ("what happens", Kinds::CONSEQUENCE),
    ("what will happen", Kinds::CONSEQUENCE),
    ("what if", Kinds::CONSEQUENCE),
    ("where", Kinds::WHERE),
    ("which branch", Kinds::WHERE),
    ("in which place", Kinds::WHERE),
    ("who", Kinds::WHO),
    ("how do", Kinds::HOW),
    ("how can", Kinds::HOW),
    ("how to", Kinds::HOW),
    ("how would", Kinds::HOW),
    ("steps", Kinds::HOW),
];

/// Words that begin a clause which asks whether.
const WHETHER: [&str; 16] = [
    "can", "may", "do", "does", "is", "are", "am", "could", "will", "would", "should", "must", "did", "have",
    "has", "might",
];

const CHINESE: [(&str, Kinds); 141] = [
    ("多久一次", Kinds::FREQUENCY),
    ("多长时间一次", Kinds::FREQUENCY),
    ("隔多久", Kinds::FREQUENCY),
    ("多频繁", Kinds::FREQUENCY),
    ("频率", Kinds::FREQUENCY),
    ("多早", Kinds::WHEN),
    ("多晚", Kinds::WHEN),
    ("多快", Kinds::DURATION),
    ("多长时间", Kinds::DURATION),
    ("多长", Kinds::DURATION),
    ("多久", Kinds::DURATION),
    ("多少时间", Kinds::DURATION),
    ("耗时", Kinds::DURATION),
    ("时长", Kinds::DURATION),
    ("什么时候", Kinds::WHEN),
    ("什么时间", Kinds::WHEN),
    ("啥时候", Kinds::WHEN),
    ("何时", Kinds::WHEN),
    ("哪天", Kinds::WHEN),
    ("哪一天", Kinds::WHEN),
    ("几号", Kinds::WHEN),
    ("几点", Kinds::WHEN),
    ("日期", Kinds::WHEN),
    ("几月", Kinds::WHEN),
    ("星期几", Kinds::WHEN),
    ("周几", Kinds::WHEN),
    ("截止", Kinds::WHEN),
    ("多少钱", Kinds::COST),
    ("多少费用", Kinds::COST),
    ("什么价", Kinds::COST),
    ("怎么收费", Kinds::COST),
    ("如何收费", Kinds::COST),
    ("怎么计费", Kinds::COST),
    ("费多少", Kinds::COST),
    ("费是多少", Kinds::COST),
    ("费要多少", Kinds::COST),
    ("费用多少", Kinds::COST),
    ("费用是多少", Kinds::COST),
    ("费用要多少", Kinds::COST),
    ("价格多少", Kinds::COST),
    ("价格是多少", Kinds::COST),
    ("价格要多少", Kinds::COST),
    ("价钱多少", Kinds::COST),
    ("价钱是多少", Kinds::COST),
    ("价钱要多少", Kinds::COST),
    ("票价多少", Kinds::COST),
    ("票价是多少", Kinds::COST),
    ("票价要多少", Kinds::COST),
    ("租金多少", Kinds::COST),
    ("租金是多少", Kinds::COST),
    ("租金要多少", Kinds::COST),
    ("押金多少", Kinds::COST),
    ("押金是多少", Kinds::COST),
    ("押金要多少", Kinds::COST),
    ("付多少", Kinds::COST),
    ("补多少", Kinds::COST),
    ("掏多少", Kinds::COST),
    ("花多少", Kinds::COST),
    ("收费吗", Kinds::COST),
    ("收费不", Kinds::COST),
    ("要钱吗", Kinds::COST),
    ("收钱吗", Kinds::COST),
    ("花钱吗", Kinds::COST),
    ("掏钱吗", Kinds::COST),
    ("收多少", Kinds::COST),
    ("交多少", Kinds::COST),
    ("要花多少", Kinds::COST),
    ("费用是多少", Kinds::COST),
    ("收费标准", Kinds::COST),
    ("价格", Kinds::COST),
    ("为什么", Kinds::WHY),
    ("为啥", Kinds::WHY),
    ("为何", Kinds::WHY),
    ("什么原因", Kinds::WHY),
    ("啥原因", Kinds::WHY),
    ("原因", Kinds::WHY),
    ("怎么回事", Kinds::WHY),
    ("怎么会", Kinds::WHY),
    ("哪里", Kinds::WHERE),
    ("哪儿", Kinds::WHERE),
    ("在哪", Kinds::WHERE),
    ("地点", Kinds::WHERE),
    ("去哪", Kinds::WHERE),
    ("什么地方", Kinds::WHERE),
    ("哪个窗口", Kinds::WHERE),
    ("几楼", Kinds::WHERE),
    ("会怎么样", Kinds::CONSEQUENCE),
    ("会怎样", Kinds::CONSEQUENCE),
    ("怎么处理", Kinds::CONSEQUENCE),
    ("后果", Kinds::CONSEQUENCE),
    ("处罚", Kinds::CONSEQUENCE),
    ("找谁", Kinds::HOW),
    ("问谁", Kinds::HOW),
    ("跟谁", Kinds::HOW),
    ("向谁", Kinds::HOW),
    ("联系谁", Kinds::HOW),
    ("谁", Kinds::WHO),
    ("哪位", Kinds::WHO),
    ("什么人", Kinds::WHO),
    ("哪些人", Kinds::WHO),
    ("几本", Kinds::QUANTITY),
    ("几个", Kinds::QUANTITY),
    ("几台", Kinds::QUANTITY),
    ("几张", Kinds::QUANTITY),
    ("几人", Kinds::QUANTITY),
    ("几位", Kinds::QUANTITY),
    ("几种", Kinds::QUANTITY),
    ("几份", Kinds::QUANTITY),
    ("几条", Kinds::QUANTITY),
    ("几件", Kinds::QUANTITY),
    ("几门", Kinds::QUANTITY),
    ("几项", Kinds::QUANTITY),
    ("几笔", Kinds::QUANTITY),
    ("几节", Kinds::QUANTITY),
    ("数量", Kinds::QUANTITY),
    ("几次", Kinds::QUANTITY),
    ("几岁", Kinds::QUANTITY),
    ("几册", Kinds::QUANTITY),
    ("几场", Kinds::QUANTITY),
    ("几趟", Kinds::QUANTITY),
    ("几辆", Kinds::QUANTITY),
    ("几间", Kinds::QUANTITY),
    ("几套", Kinds::QUANTITY),
    ("几针", Kinds::QUANTITY),
    ("几顿", Kinds::QUANTITY),
    ("几层", Kinds::QUANTITY),
    ("几站", Kinds::QUANTITY),
    ("多少", Kinds::QUANTITY),
    ("多大", Kinds::QUANTITY),
    ("多高", Kinds::QUANTITY),
    ("多重", Kinds::QUANTITY),
    ("多深", Kinds::QUANTITY),
    ("多宽", Kinds::QUANTITY),
    ("多远", Kinds::QUANTITY),
    ("多厚", Kinds::QUANTITY),
    ("怎么", Kinds::HOW),
    ("怎样", Kinds::HOW),
    ("如何", Kinds::HOW),
    ("咋", Kinds::HOW),
    ("步骤", Kinds::HOW),
    ("流程", Kinds::HOW),
];

const CHINESE_WHETHER: [&str; 13] = [
    "吗",
    "能不能",
    "可不可以",
    "会不会",
    "要不要",
    "是不是",
    "有没有",
    "行不行",
    "是否",
    "能否",
    "可否",
    "收不收",
    "用不用",
];

/// The kind of question that a word names, as keywords do: "renewal limit" asks how often.
pub(crate) fn named_by(word: &str) -> Kinds {
    match word {
        "interv" | "frequenc" | "频率" => Kinds::FREQUENCY,
        "limit" | "maximum" | "max" | "上限" | "限制" | "次数" | "几次" => Kinds::QUANTITY,
        "how much" | "多少钱" | "price" | "cost" | "fee" | "charg" | "fine" | "penalti" | "费用" | "价格"
        | "价钱" | "收费" | "资费" => Kinds::COST,
        "deadlin" | "date" | "截止" | "日期" | "期限" => Kinds::WHEN,
        "durat" | "时长" => Kinds::DURATION,
        "place" | "locat" | "地点" => Kinds::WHERE,
        _ => Kinds::default(),
    }
}

/// How a text in lower case asks.
pub(crate) fn kinds_of(text: &str, chinese: bool) -> Kinds {
    let mut rest = text.to_owned();
    let mut kinds = Kinds::default();
    if chinese {
        for open in CHINESE_WHETHER {
            if rest.contains(open) {
                kinds = kinds | Kinds::WHETHER;
            }
        }
        for long in ["多久", "多长时间"] {
            // 多久换一次
            let interval = rest.find(long).zip(rest.find("一次")).is_some_and(|(long, once)| {
                long < once && rest.get(long..once).is_some_and(|between| between.chars().count() <= 8)
            });
            if interval {
                kinds = kinds | Kinds::FREQUENCY;
                rest = rest.replacen(long, " ", 1);
            }
        }
        for (phrase, kind) in CHINESE {
            if rest.contains(phrase) {
                kinds = kinds | kind;
                rest = rest.replace(phrase, " ");
            }
        }
        if kinds.is_empty() && ["什么", "哪些", "哪几", "啥"].iter().any(|what| rest.contains(what)) {
            return Kinds::WHAT;
        }
        return kinds;
    }
    for (phrase, kind) in ENGLISH {
        if let Some(at) = find_words(&rest, phrase) {
            // "when I leave" tells a time and asks for none
            kinds = kinds | kind;
            rest.replace_range(at..at + phrase.len(), " ");
        }
    }
    for clause in text.split([',', ';', '.', '?', '!', ':']) {
        kinds = kinds | how_in(clause, &rest) | fee_in(clause);
        let mut words =
            clause.split_whitespace().skip_while(|word| matches!(*word, "and" | "so" | "but" | "or"));
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if first == "when" && WHETHER.contains(&second) {
            kinds = kinds | Kinds::WHEN;
        }
        if WHETHER.contains(&first) {
            kinds = kinds | Kinds::WHETHER;
        }
    }
    let trimmed = text.trim_end_matches(['?', ' ', '.']);
    if trimmed.ends_with(" when") {
        kinds = kinds | Kinds::WHEN;
    }
    if trimmed.ends_with(" ok")
        || trimmed.ends_with(" allowed")
        || find_words(text, "is it allowed").is_some()
    {
        kinds = kinds | Kinds::WHETHER;
    }
    if kinds.is_empty() && ["what", "which"].iter().any(|what| find_words(text, what).is_some()) {
        // "what does a ticket to Oak cost"
        let costs = ["cost", "costs"].iter().any(|cost| find_words(text, cost).is_some());
        return if costs { Kinds::COST } else { Kinds::WHAT };
    }
    kinds
}

/// "how" before a verb or at the end asks for a way, before any other word for a measure: how far, how tall, how safe.
/// Phrases that were read before are gone from `rest`.
fn how_in(clause: &str, rest: &str) -> Kinds {
    // what stands behind the measure, or behind "how" where it asks for a way
    const VERBS: [&str; 31] = [
        "do", "does", "did", "can", "could", "to", "would", "will", "should", "shall", "must", "may",
        "might", "is", "are", "am", "was", "were", "has", "have", "had", "i", "you", "we", "they", "the",
        "it", "a", "an", "my", "your",
    ];
    if find_words(rest, "how").is_none() {
        return Kinds::default();
    }
    let mut words = clause.split_whitespace().skip_while(|word| *word != "how");
    if words.next().is_none() {
        return Kinds::default();
    }
    match words.next() {
        Some(
            "come" | "long" | "much" | "many" | "often" | "early" | "late" | "soon" | "fast" | "quickly",
        ) => Kinds::default(),
        Some(next) if !VERBS.contains(&next) && words.next().is_some_and(|word| VERBS.contains(&word)) => {
            Kinds::QUANTITY
        }
        _ => Kinds::HOW,
    }
}

/// "is there a late fee", "do you charge for it", "what is the current fee": what it costs, and whether.
fn fee_in(clause: &str) -> Kinds {
    let is_fee = |word: &str| {
        let bare = word.strip_suffix('s').unwrap_or(word);
        matches!(bare, "fee" | "charge" | "price" | "cost" | "fine" | "penalty" | "surcharge")
    };
    let mut words = clause.split_whitespace().skip_while(|word| matches!(*word, "and" | "so" | "but" | "or"));
    let beginning = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let near = words.clone().take(5).any(is_fee);
    match beginning {
        ("is" | "are", "there") | ("do", "you") | ("what", "is" | "are") | ("is", "any") if near => {
            Kinds::COST
        }
        ("is" | "are", _) if clause.ends_with(" free") => Kinds::COST,
        ("does" | "will" | "would", _) if words.clone().any(|word| word == "cost") => Kinds::COST,
        _ => Kinds::default(),
    }
}

/// Where a phrase stands in a text between borders of words.
fn find_words(text: &str, phrase: &str) -> Option<usize> {
    text.match_indices(phrase).map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + phrase.len()..).and_then(|behind| behind.chars().next());
        !before.is_some_and(char::is_alphanumeric) && !behind.is_some_and(char::is_alphanumeric)
    })
}
