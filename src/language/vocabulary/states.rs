//! What holds for a time: an office, a seat, a membership; what says that it is over, and where there is room for one
//! only. English words stand in any form of theirs; several words are a phrase.

/// Something that holds for a time.
pub(crate) struct State {
    /// Wordings that say it of the first towards the second.
    pub(crate) words: &'static [&'static str],
    /// Wordings that say that it is over.
    pub(crate) over: &'static [&'static str],
    /// How many can have it at a time.
    pub(crate) room: Cardinality,
}

/// How many of the ones can have a state towards the others at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cardinality {
    /// Any number.
    Any,
    /// The second has one first: a company has one chief executive.
    OneFirst,
    /// The first has one second: a company has one seat.
    OneSecond,
}

const fn office(words: &'static [&'static str]) -> State {
    State { words, over: LEAVING, room: Cardinality::OneFirst }
}

const LEAVING: &[&str] = &[
    "leave",
    "resign",
    "step down",
    "quit",
    "retire",
    "depart",
    "dismiss",
    "fire",
    "oust",
    "lay off",
    "离开",
    "离职",
    "辞职",
    "辞去",
    "卸任",
    "退休",
    "解雇",
    "免职",
    "罢免",
];
const MOVING: &[&str] = &["move from", "leave", "relocate from", "move out of", "迁出", "搬离", "离开"];

/// The states that are told of most; a wording may stand in several.
pub(crate) const STATES: &[State] = &[
    office(&["ceo", "chief executive officer", "chief executive", "首席执行官"]),
    office(&["cfo", "chief financial officer", "首席财务官"]),
    office(&["cto", "chief technology officer", "首席技术官"]),
    office(&["coo", "chief operating officer", "首席运营官"]),
    office(&["chairman", "chairwoman", "chairperson", "董事长"]),
    office(&["president", "总裁"]),
    office(&["prime minister", "首相", "总理"]),
    office(&["mayor", "市长"]),
    office(&["headmaster", "headmistress", "校长"]),
    office(&["head coach", "主教练"]),
    office(&["managing director", "总经理"]),
    office(&["dean", "院长"]),
    office(&["governor", "省长"]),
    office(&["captain", "船长", "队长"]),
    office(&["editor-in-chief", "主编"]),
    office(&["馆长"]),
    office(&["会长"]),
    office(&["部长"]),
    office(&["局长"]),
    office(&["所长"]),
    office(&["厂长"]),
    office(&["行长"]),
    office(&["县长"]),
    office(&["社长"]),
    office(&["团长"]),
    State {
        words: &[
            "work for",
            "work at",
            "employ",
            "employee",
            "employed by",
            "executive",
            "member",
            "director",
            "manager",
            "professor",
            "engineer",
            "adviser",
            "任职",
            "供职",
            "就职",
            "雇用",
            "成员",
        ],
        over: LEAVING,
        room: Cardinality::Any,
    },
    State {
        words: &["own", "owner", "subsidiary", "part of", "belong", "拥有", "持有", "子公司", "属于"],
        over: &["sell", "divest", "spin off", "dispose of", "出售", "卖", "剥离", "转让", "出让", "售予"],
        room: Cardinality::Any,
    },
    State {
        words: &["based in", "headquartered in", "headquarters in", "总部设在", "总部位于"],
        over: MOVING,
        room: Cardinality::OneSecond,
    },
    State {
        words: &["live in", "reside in", "居住在", "住在"], over: MOVING, room: Cardinality::OneSecond
    },
    State {
        words: &["marry", "husband", "wife", "spouse", "夫妻", "妻子", "丈夫", "结婚"],
        over: &["divorce", "separate from", "离婚"],
        room: Cardinality::Any,
    },
    State {
        words: &["partner", "partnership", "ally", "alliance", "合作", "结盟", "同盟"],
        over: &["end", "break with", "withdraw from", "terminate", "决裂", "终止"],
        room: Cardinality::Any,
    },
    State {
        words: &["use", "run on", "customer", "使用", "采用"],
        over: &["stop using", "abandon", "switch from", "move away from", "停用", "弃用"],
        room: Cardinality::Any,
    },
    State {
        words: &["sell", "offer", "support", "销售", "提供", "支持"],
        over: &["stop", "discontinue", "drop", "停止", "停售", "下架"],
        room: Cardinality::Any,
    },
];

/// Words that make an office one of several, or one that is no more.
pub(crate) const NOT_ALONE: &[&str] = &[
    "vice",
    "deputy",
    "assistant",
    "co-ceo",
    "co-chairman",
    "co-president",
    "co-founder",
    "former",
    "ex-ceo",
    "acting",
    "interim",
    "senior",
    "副",
    "代理",
    "前",
];

/// Words before a state, or around it, that say that it does not hold.
pub(crate) const NO_MORE: &[&str] =
    &["no longer", "not", "anymore", "any more", "ceased", "不再", "不是", "并非", "已不", "不"];
