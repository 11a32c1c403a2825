//! Wordings of one relation, in English and Chinese, so that a question's verb finds the records that say it otherwise.
//! English words stand in any form of theirs; several words are a phrase.

/// Wordings that say the same of two.
pub(crate) struct RelationWordings {
    /// What says it of the first towards the second: "acquire", "收购".
    pub(crate) words: &'static [&'static str],
    /// What says it of the second towards the first: "employ" where `words` say "work for".
    pub(crate) inverse: &'static [&'static str],
    /// Whether it holds both ways.
    pub(crate) symmetric: bool,
    /// Wordings that hold one of the words and say something else.
    pub(crate) not: &'static [&'static str],
}

const fn one_way(words: &'static [&'static str]) -> RelationWordings {
    RelationWordings { words, inverse: &[], symmetric: false, not: &[] }
}

const fn two_ways(words: &'static [&'static str]) -> RelationWordings {
    RelationWordings { words, inverse: &[], symmetric: true, not: &[] }
}

const fn with_inverse(words: &'static [&'static str], inverse: &'static [&'static str]) -> RelationWordings {
    RelationWordings { words, inverse, symmetric: false, not: &[] }
}

/// The relations that most questions ask for; a wording may stand in several.
pub(crate) const RELATIONS: &[RelationWordings] = &[
    one_way(&[
        "acquire",
        "acquisition",
        "buy",
        "purchase",
        "take over",
        "taken over",
        "takeover",
        "收购",
        "并购",
        "买下",
        "购买",
        "购得",
    ]),
    RelationWordings {
        words: &[
            "kill",
            "slay",
            "murder",
            "behead",
            "execute",
            "assassinate",
            "stab to death",
            "put to death",
            "cut down",
            "杀",
            "斩",
            "诛",
            "弑",
            "刺死",
            "刺杀",
            "处死",
            "害死",
            "射死",
            "勒死",
            "枭首",
            "戮",
            "毒死",
            "鸩死",
            "缢死",
        ],
        inverse: &["死于"],
        symmetric: false,
        not: &[
            "execute on",
            "execute strategy",
            "杀败",
            "杀退",
            "杀散",
            "杀入",
            "杀出",
            "杀奔",
            "杀到",
            "杀来",
            "斩关",
            "追杀",
            "厮杀",
            "杀气",
        ],
    },
    RelationWordings {
        words: &[
            "defeat", "beat", "rout", "vanquish", "打败", "击败", "大败", "战败", "杀败", "击破", "大破",
            "攻破", "战胜", "杀退",
        ],
        inverse: &["败于", "输给", "负于", "不敌", "lose to", "defeated at the hands of"],
        symmetric: false,
        not: &[],
    },
    with_inverse(
        &["capture", "seize", "take prisoner", "擒", "俘", "活捉", "捉", "生擒", "缚", "捕"],
        &["captive of", "prisoner of"],
    ),
    with_inverse(
        &["surrender", "submit to", "投降", "归降", "归顺", "降", "投诚", "来降", "请降"],
        &["收降", "招降", "accept the surrender", "纳降"],
    ),
    with_inverse(
        &[
            "serve",
            "follow",
            "work for",
            "subordinate",
            "vassal",
            "retainer",
            "officer of",
            "general of",
            "效力",
            "侍奉",
            "部将",
            "部下",
            "跟随",
            "追随",
            "麾下",
            "随从",
            "属下",
            "投奔",
            "投靠",
            "辅佐",
            "家将",
            "谋士",
            "臣",
        ],
        &["lord", "master", "commander of", "主公", "主人"],
    ),
    with_inverse(
        &[
            "work for",
            "work at",
            "work in",
            "employee",
            "employed by",
            "work",
            "executive",
            "任职",
            "供职",
            "就职",
            "工作",
        ],
        &["employ", "雇用", "聘用"],
    ),
    one_way(&["hire", "recruit", "雇用", "聘请", "招聘", "招募"]),
    one_way(&[
        // the stem of the first is that of "find", whose past it is as well
        "found",
        "founded",
        "founder",
        "co-found",
        "cofounder",
        "establish",
        "创立",
        "创办",
        "创建",
        "成立",
        "建立",
    ]),
    one_way(&[
        "lead",
        "run",
        "head",
        "ceo",
        "chief executive",
        "president",
        "chair",
        "chairman",
        "领导",
        "率领",
        "统领",
        "统率",
    ]),
    one_way(&["ceo", "chief executive officer", "chief executive", "首席执行官"]),
    one_way(&["cfo", "chief financial officer", "首席财务官"]),
    one_way(&["cto", "chief technology officer", "首席技术官"]),
    one_way(&["invest", "investor", "back", "fund", "投资", "入股"]),
    two_ways(&["partner", "partnership", "collaborate", "cooperate", "team up", "work with", "合作", "伙伴"]),
    two_ways(&["compete", "competitor", "rival", "竞争", "对手"]),
    two_ways(&["ally", "alliance", "allied", "结盟", "联盟", "联合", "同盟", "联合讨伐"]),
    two_ways(&["sworn brother", "swear brotherhood", "结拜", "结义", "结为兄弟", "拜为兄弟", "义兄", "义弟"]),
    two_ways(&[
        "fight", "battle", "duel", "war", "clash", "交战", "大战", "战", "厮杀", "交锋", "对阵", "搦战",
        "交马", "斗",
    ]),
    one_way(&[
        "attack", "assault", "invade", "besiege", "攻打", "进攻", "讨伐", "征讨", "攻", "伐", "讨", "征",
        "袭", "围攻", "围困",
    ]),
    two_ways(&["marry", "spouse", "wife", "husband", "娶", "嫁", "妻", "夫人", "成亲", "夫妻", "结婚"]),
    with_inverse(
        &["father", "mother", "parent", "父", "母", "生父"],
        &["son", "daughter", "child", "子", "女", "儿子", "女儿", "长子", "次子"],
    ),
    two_ways(&["brother", "sister", "sibling", "cousin", "兄", "弟", "兄弟", "姐妹", "胞弟", "胞兄", "从弟"]),
    with_inverse(
        &["adopt", "adoptive father", "义父", "收为义子", "认为义子"],
        &["adopted son", "义子", "义儿", "养子", "拜为义父"],
    ),
    two_ways(&["friend", "朋友", "好友", "故友", "旧交", "交好"]),
    two_ways(&["meet", "encounter", "know", "相见", "会见", "拜见", "见", "遇", "结识", "认识"]),
    with_inverse(
        &["teach", "mentor", "advise", "professor of", "教", "师", "老师"],
        &["student", "learn from", "学生", "弟子", "门生", "师从", "受业", "拜师"],
    ),
    one_way(&["study", "graduate", "attend", "degree", "major", "毕业", "就读", "求学"]),
    one_way(&["write", "author", "wrote", "撰写", "著", "作者"]),
    one_way(&["recommend", "推荐", "举荐", "荐", "保举"]),
    one_way(&["advise", "persuade", "counsel", "劝", "谏", "献计", "献策", "说服", "进言"]),
    one_way(&["appoint", "name", "promote", "任命", "封", "拜为", "加封", "表奏", "授", "除"]),
    one_way(&["depose", "dethrone", "废", "废黜", "罢免"]),
    one_way(&["betray", "rebel", "turn on", "背叛", "反叛", "叛", "造反", "谋反", "反"]),
    one_way(&["rescue", "save", "救", "解救", "搭救", "援", "救援"]),
    one_way(&["flee", "escape", "逃", "奔", "逃往", "投奔"]),
    one_way(&["succeed", "replace", "继任", "接替", "代", "继"]),
    one_way(&["scold", "rebuke", "revile", "骂", "叱", "责骂", "责", "怒斥", "斥"]),
    one_way(&["give", "present", "gift", "赠", "送", "赐", "献"]),
    one_way(&["launch", "release", "announce", "introduce", "unveil", "ship", "发布", "推出", "宣布"]),
    one_way(&[
        "develop", "create", "build", "make", "invent", "design", "开发", "研发", "制造", "打造", "发明",
    ]),
    with_inverse(
        &["own", "owner", "拥有", "持有"],
        &["subsidiary", "part of", "belong", "子公司", "属于", "隶属"],
    ),
    one_way(&["use", "adopt", "deploy", "run on", "customer of", "choose", "使用", "采用", "选用"]),
    one_way(&["ask", "question", "提问", "询问", "问"]),
    one_way(&["answer", "respond", "reply", "回答", "答"]),
    one_way(&["speak", "talk", "say", "present at", "speaker", "说", "讲", "谈", "发言"]),
    one_way(&["interview", "host", "采访", "主持"]),
    with_inverse(
        &[
            "live",
            "reside",
            "come from",
            "based",
            "headquartered",
            "locate",
            "situate",
            "住",
            "居",
            "来自",
            "总部位于",
            "总部设在",
            "位于",
            "坐落",
        ],
        &["home to", "home of", "seat of"],
    ),
    with_inverse(&["born", "come from", "native of", "出生", "生于", "来自"], &["birthplace of", "出生地"]),
    one_way(&["win", "winner", "receive", "recipient", "获得", "荣获", "赢得", "得主", "获奖"]),
    one_way(&["sponsor", "赞助"]),
    one_way(&["sue", "lawsuit", "file suit", "take to court", "起诉", "控告", "状告", "告上法庭"]),
    one_way(&[
        "govern", "rule", "governor", "镇守", "据守", "占据", "统治", "太守", "刺史", "驻守", "据", "守",
    ]),
    one_way(&["leave", "quit", "resign", "depart", "离开", "辞职", "离去", "弃"]),
    one_way(&["join", "加入", "投", "入伙"]),
    one_way(&["sell", "divest", "出售", "卖"]),
];

/// Wordings by which something goes from one to another: who got it stands behind "to" or 给.
pub(crate) const GIVING: &[&str] =
    &["sell", "divest", "give", "gift", "award", "transfer", "卖", "出售", "赠", "送", "赐", "献"];

/// Chinese verbs that add nothing to the office or the deed behind them.
pub(crate) const TAKING_ON: &[&str] =
    &["担任", "出任", "就任", "成为", "进行", "完成", "实施", "宣布", "成功", "参与", "负责"];

/// Words that make of a deed one that was not done, or not yet: "planned to acquire", "欲杀". Stems.
pub(crate) const UNDONE: &[&str] = &[
    "not",
    "never",
    "refus",
    "fail",
    "want",
    "plan",
    "tri",
    "attempt",
    "might",
    "may",
    "consid",
    "threaten",
    "without",
    "intend",
    "hope",
    "nearli",
    "almost",
    "declin",
    "would",
    "could",
    "offer",
    "longer",
    "ceas",
    "will",
    "shall",
    "deni",
    "alleg",
    "allegedli",
    "rumor",
    "rumour",
    "reportedli",
    "expect",
    "propos",
    "seek",
    "sought",
    "aim",
    "wish",
    "if",
    "unless",
    "reject",
];

/// The same in Chinese, as they stand before or in a wording.
pub(crate) const CHINESE_UNDONE: &[&str] = &[
    "不", "未", "欲", "想", "要", "拟", "企图", "险些", "几乎", "打算", "计划", "没有", "没", "无意", "差点",
    "劝阻", "试图", "否认", "传闻", "据传", "谣传", "传言", "准备", "预计", "可能", "或许", "拒绝", "考虑",
    "即将", "有意", "据称", "声称",
];

/// What makes of a deed one that is to be done where nothing stands before it: 将收购, not 部将杀.
pub(crate) const CHINESE_TO_COME: &[&str] = &["将", "并将", "也将", "仍将", "或将", "将要", "将会", "将于"];
