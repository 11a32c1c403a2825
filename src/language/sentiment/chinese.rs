//! What a Chinese clause says, by its words: at each place the longest word of the list.

use super::{SentimentWord, lexicon};

/// Characters of the longest word of the list.
const LONGEST: usize = 7;
/// How much of its weight a negated word keeps, turned.
const NEGATED: f64 = -0.8;
/// Weight of a figure that rises or falls.
const MOVES: f64 = 2.0;

const NEGATIONS: [&str; 42] = [
    "没法",
    "从没",
    "挑不出",
    "找不到",
    "找不出",
    "看不出",
    "没什么",
    "没啥",
    "并未",
    "尚未",
    "绝非",
    "绝不",
    "毫不",
    "远非",
    "无法",
    "不够",
    "不太",
    "不算",
    "缺少",
    "有失",
    "不见得",
    "不怎么",
    "不",
    "没",
    "没有",
    "未",
    "未能",
    "无",
    "毫无",
    "并非",
    "并不",
    "从不",
    "从未",
    "不再",
    "不会",
    "不能",
    "难以",
    "谈不上",
    "算不上",
    "别",
    "缺乏",
    "称不上",
];
const DAMPENERS: [&str; 9] = ["有点", "有些", "略", "稍", "稍微", "略微", "还算", "勉强", "比较"];
const BOOSTERS: [&str; 33] = [
    "更加",
    "愈发",
    "越来越",
    "颇",
    "颇为",
    "极为",
    "尤为",
    "甚为",
    "绝对",
    "简直",
    "着实",
    "分外",
    "异常",
    "万分",
    "出奇",
    "很",
    "非常",
    "特别",
    "十分",
    "极",
    "极其",
    "太",
    "真",
    "超",
    "超级",
    "格外",
    "相当",
    "最",
    "尤其",
    "实在",
    "确实",
    "完全",
    "无比",
];
const RISES: [&str; 34] = [
    "翻了一番",
    "翻了两番",
    "翻了一倍",
    "翻一番",
    "延长",
    "拉长",
    "飙升",
    "激增",
    "上扬",
    "猛增",
    "上升",
    "上涨",
    "增长",
    "增加",
    "增至",
    "提高",
    "提升",
    "提到",
    "升至",
    "升到",
    "升了",
    "涨了",
    "增了",
    "多了",
    "攀升",
    "走高",
    "扩大",
    "翻倍",
    "翻番",
    "上调",
    "增",
    "涨",
    "升",
    "多",
];
const FALLS: [&str; 26] = [
    "骤降", "锐减", "大减", "压缩", "下降", "下跌", "下滑", "减少", "减至", "降低", "降至", "降到", "降了",
    "跌了", "减了", "少了", "回落", "走低", "收窄", "缩减", "缩短", "下调", "降", "跌", "减", "少",
];
/// What denies all of the clause behind it: 从来不对孩子发火.
const NEVER: [&str; 5] = ["从来不", "从来没", "从不", "从没", "从未"];
/// What stands between a negation and what has not happened: 没出过毛病.
const HAPPENS: [&str; 8] = ["发生过", "出现过", "遇到过", "碰到过", "出过", "有过", "见过", "闹过"];
/// What is better when there is less of it.
const BURDENS: [&str; 40] = [
    "成本",
    "费用",
    "支出",
    "开支",
    "运费",
    "房租",
    "租金",
    "不良率",
    "不良",
    "坏账",
    "亏损",
    "负债",
    "债务",
    "欠款",
    "投诉",
    "退货",
    "退款",
    "故障",
    "差错",
    "事故",
    "伤亡",
    "失误",
    "返修",
    "次品",
    "废品",
    "流失",
    "离职",
    "缺勤",
    "库存",
    "积压",
    "等待",
    "时长",
    "排队",
    "能耗",
    "排放",
    "污染",
    "失业",
    "逾期",
    "违约",
    "死亡",
];

/// The same by a piece of the word.
const BURDEN_STEMS: [&str; 20] = [
    "客诉",
    "退单",
    "退订",
    "退票",
    "病假",
    "工单",
    "拖欠",
    "差评",
    "损耗",
    "停机",
    "报废",
    "缺陷",
    "召回",
    "空置",
    "破损",
    "耗时",
    "积压",
    "事故率",
    "漏检",
    "拥堵",
];
/// What makes a time a burden: 响应时间, 交付周期.
const SLOW: [&str; 11] =
    ["响应", "等待", "交付", "维修", "处理", "审批", "配送", "排队", "办理", "等候", "回款"];
const TIMES: [&str; 4] = ["时间", "周期", "时长", "天数"];
/// What leads to a question inside of a sentence, behind which nothing is said to hold.
const OPEN: [&str; 9] = ["能不能", "是否", "能否", "会否", "可否", "何时", "会不会", "要不要", "有无"];
/// What lets a negation stand behind what it negates: 隔音更是没有.
const BETWEEN: [&str; 9] = ["更是", "完全", "根本", "压根", "一点", "更", "也", "都", "就"];
const BEHIND: [&str; 5] = ["没有", "谈不上", "全无", "不存在", "欠缺"];
/// What should have happened and has not: 迟迟没, 到现在还没.
const OWED: [&str; 10] = [
    "迟迟没",
    "迟迟未",
    "迟迟不",
    "至今还没",
    "到现在还没",
    "到现在都没",
    "到现在也没",
    "至今没有",
    "等到现在",
    "一直没有",
];
const OWED_WEIGHT: f64 = -1.5;

/// Whether a name is that of a figure: "信用卡不良率".
pub(super) fn is_measure(name: &str) -> bool {
    has_burden(name) || name.ends_with(['率', '额', '量', '数'])
}

/// Whether a clause speaks of what is better when there is less of it.
pub(super) fn has_burden(clause: &str) -> bool {
    let holds = |words: &[&str]| words.iter().any(|word| clause.contains(word));
    holds(&BURDENS) || holds(&BURDEN_STEMS) || holds(&TIMES) && holds(&SLOW)
}

/// Whether a byte lies inside of a word of the list: the 可 of 门可罗雀 begins no clause.
pub(super) fn is_inside_of_word(text: &str, at: usize) -> bool {
    let before: Vec<usize> =
        text.get(..at).into_iter().flat_map(str::char_indices).map(|(start, _)| start).collect();
    before.into_iter().rev().take(LONGEST).any(|start| {
        let rest = text.get(start..).unwrap_or_default();
        let ends = rest.char_indices().map(|(end, c)| start + end + c.len_utf8());
        ends.take(LONGEST)
            .filter(|end| *end > at)
            .any(|end| text.get(start..end).is_some_and(|word| lexicon::chinese(word).is_some()))
    })
}

/// Whether the first of two is said to be less than the second one, by what stands between them.
pub(super) fn is_less(between: &str) -> bool {
    let between = between.trim();
    ["没有", "没", "不如", "比不上", "不及", "赶不上", "远不如", "不比"].contains(&between)
}

/// Whether a clause begins with a word that is better when there is less of it: 贵, 吵.
pub(super) fn begins_ill(clause: &str) -> bool {
    let clause = clause.trim_start_matches(['那', '么', '这', '样']);
    let lengths = (1..=4).rev();
    let first = lengths
        .filter_map(|count| {
            clause.char_indices().nth(count).map_or(Some(clause), |(end, _)| clause.get(..end))
        })
        .find_map(lexicon::chinese);
    first.is_some_and(|weight| weight < 0.0)
}

/// Whether a clause says of what was spoken of before that it moves: "反而多了".
pub(super) fn goes_on_measuring(clause: &str) -> bool {
    let clause = clause.trim_start_matches(|c: char| !c.is_alphanumeric());
    let rest = ["反而", "却", "还", "又", "再", "更", "仍"].iter().find_map(|word| clause.strip_prefix(word));
    rest.is_some_and(|rest| RISES.iter().chain(&FALLS).any(|word| rest.starts_with(word)))
}

/// The words of a clause that judge; `goes_on` where it is about a burden of the clause before.
pub(super) fn judge(clause: &str, goes_on: bool) -> Vec<SentimentWord> {
    let asks = OPEN.iter().filter_map(|word| clause.find(word)).min();
    let clause = asks.and_then(|at| clause.get(..at)).unwrap_or(clause);
    let characters: Vec<(usize, char)> = clause.char_indices().collect();
    let burdens = goes_on || has_burden(clause);
    let has_figure =
        clause.chars().any(|c| c.is_ascii_digit() || "一二两三四五六七八九十百千万亿半成倍".contains(c));
    let mut found = Vec::new();
    if OWED.iter().any(|word| clause.contains(word)) {
        found.push(SentimentWord { word: "迟迟".to_owned(), weight: OWED_WEIGHT });
    }
    let mut at = 0;
    while at < characters.len() {
        let Some((word, length)) = longest(clause, &characters, at) else {
            at += 1;
            continue;
        };
        let start = characters.get(at).map_or(0, |(start, _)| *start);
        let before = clause.get(..start).unwrap_or("");
        let moves = direction(word, clause, has_figure);
        let weight = if moves != 0.0 {
            Some(moves * if burdens { -MOVES } else { MOVES })
        } else if BURDENS.contains(&word) && has_figure {
            None
        } else {
            let weight = lexicon::chinese(word).filter(|weight| *weight != 0.0);
            weight.filter(|_| length > 1 || is_stressed(before)).map(|weight| modified(weight, before))
        };
        let end = characters.get(at + length).map_or(clause.len(), |(end, _)| *end);
        let is_turned = moves == 0.0 && is_negated_behind(clause.get(end..).unwrap_or(""));
        if let Some(weight) = weight.map(|weight| if is_turned { weight * NEGATED } else { weight }) {
            found.push(SentimentWord { word: word.to_owned(), weight });
        }
        at += length;
    }
    // what moves is no judgement of its own: 亏损收窄
    let is_movement = |one: &SentimentWord| (one.weight.abs() - MOVES).abs() < f64::EPSILON;
    if burdens && found.iter().any(|one| is_movement(one) && direction(&one.word, clause, has_figure) != 0.0)
    {
        found.retain(|one| !BURDENS.contains(&one.word.as_str()));
    }
    found
}

/// Whether what follows a word says that there is none of it.
fn is_negated_behind(behind: &str) -> bool {
    let rest = BETWEEN.iter().fold(behind, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
    let rest = BEHIND.iter().find_map(|word| rest.strip_prefix(word));
    rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// The longest word of any list that begins here, with its characters.
fn longest<'a>(clause: &'a str, characters: &[(usize, char)], at: usize) -> Option<(&'a str, usize)> {
    let start = characters.get(at)?.0;
    (1..=LONGEST.min(characters.len() - at)).rev().find_map(|length| {
        let end = characters.get(at + length).map_or(clause.len(), |(end, _)| *end);
        let word = clause.get(start..end)?;
        let is_known = lexicon::chinese(word).is_some()
            || RISES.contains(&word)
            || FALLS.contains(&word)
            || BURDENS.contains(&word);
        is_known.then_some((word, length))
    })
}

/// 1 where the word says that something rises, -1 where it falls.
fn direction(word: &str, clause: &str, has_figure: bool) -> f64 {
    let is_single = word.chars().nth(1).is_none();
    if is_single
        && !(has_figure
            && (word != "多" && word != "少" && word != "增" && word != "减" || clause.contains("了")))
    {
        return 0.0;
    }
    if RISES.contains(&word) {
        1.0
    } else if FALLS.contains(&word) {
        -1.0
    } else {
        0.0
    }
}

/// Whether a character alone is meant as a judgement: "真沉", "太慢", "不贵".
fn is_stressed(before: &str) -> bool {
    let often = ["三天两头", "动不动就", "老是", "总是", "经常"];
    let small = ["不", "没", "更", "挺", "有点"];
    BOOSTERS.iter().chain(&small).chain(&often).any(|word| before.ends_with(word))
}

/// A word's weight with what stands right before it.
fn modified(weight: f64, before: &str) -> f64 {
    let tail: String = before.chars().rev().take(5).collect::<Vec<_>>().into_iter().rev().collect();
    let near: String = tail.chars().rev().take(3).collect::<Vec<_>>().into_iter().rev().collect();
    let ends = |words: &[&str]| words.iter().any(|word| near.ends_with(word));
    let boosted = if ends(&DAMPENERS) {
        weight * 0.7
    } else if ends(&BOOSTERS) {
        weight * 1.3
    } else {
        weight
    };
    let without_boosters = BOOSTERS.iter().fold(tail.clone(), |text, word| match text.strip_suffix(word) {
        Some(rest) => rest.to_owned(),
        None => text,
    });
    let happens = HAPPENS.iter().find_map(|word| without_boosters.strip_suffix(word));
    let without_boosters = happens.unwrap_or(&without_boosters);
    let is_negated = NEGATIONS.iter().chain(&NEVER).any(|word| without_boosters.ends_with(word))
        || NEVER.iter().any(|word| before.contains(word))
        || ["没有", "毫无", "谈不上", "算不上", "称不上"].iter().any(|word| tail.contains(word));
    if is_negated { boosted * NEGATED } else { boosted }
}
