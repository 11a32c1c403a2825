//! The forms of sentences that answer: what tells a definition, a place, a time, a number, a reason, a relation.
//!
//! All functions look at flat text: lower case, white space squeezed.

use super::numerals;
use super::vocabulary::calendar::{is_month, is_weekday, month_of};
use super::vocabulary::chinese::{CALLS, TITLES, is_frequent_surname, is_surname};
use super::vocabulary::english::DEMONYMS;
use super::vocabulary::roles::ROLES as ROLES_OF_PEOPLE;
use super::vocabulary::titles::{Gender, is_honorific};
use super::words::{is_han, segmenter};
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;

/// What people are to each other and what they do.
#[rustfmt::skip]
const ROLES: &[&str] = &[
    "actor", "admiral", "apprentice", "architect", "artist", "assistant", "aunt", "author",
    "bachelor", "baker", "banker", "bishop", "boy", "brother", "brothers", "captain", "chief",
    "child", "children", "clergyman", "clerk", "colleague", "commander", "companion", "composer",
    "cousin", "creditor", "daughter", "daughters", "dealer", "director", "doctor", "duke", "emperor",
    "employee", "employer", "enemy", "engineer", "executor", "family", "father", "founder", "friend",
    "friends", "general", "girl", "governor", "grandfather", "grandmother", "heir", "host",
    "husband", "inventor", "journalist", "judge", "king", "knight", "lady", "landlord", "lawyer",
    "leader", "lord", "man", "manager", "marriage", "married", "master", "mayor", "merchant",
    "minister", "mother", "musician", "nephew", "niece", "nurse", "officer", "owner", "painter",
    "partner", "partners", "physician", "poet", "politician", "president", "priest", "prince",
    "princess", "professor", "queen", "scientist", "secretary", "servant", "sister", "sisters",
    "soldier", "son", "sons", "student", "surgeon", "teacher", "uncle", "widow", "wife", "woman",
    "writer",
];

/// The same in Chinese: kin, offices, callings.
#[rustfmt::skip]
const CHINESE_ROLES: &[&str] = &[
    "兄弟", "结义", "结拜", "义兄", "义弟", "义父", "义子", "兄长", "为兄", "为弟", "之兄", "之弟", "之子", "之女", "之妻",
    "之父", "之母", "之孙", "之侄", "之后", "长子", "次子", "幼子", "父子", "夫妻", "夫人", "妻子", "丈夫", "父亲", "母亲",
    "儿子", "女儿", "哥哥", "弟弟", "姐姐", "妹妹", "叔父", "叔侄", "外甥", "族弟", "玄孙", "朋友", "故友", "同学",
    "师徒", "弟子", "徒弟", "部下", "部将", "麾下", "手下", "君臣", "盟主", "宗亲", "养女", "歌伎",
    "太守", "刺史", "将军", "丞相", "司徒", "太尉", "校尉", "中郎将", "都尉", "县令", "县尉", "谋士", "大将", "皇帝",
    "太后", "皇后", "宦官", "常侍", "议郎", "侍郎", "州牧", "主簿", "长史", "老师", "医生", "作家", "总统", "主席", "将领",
];

/// Words that only make the question.
const QUESTION_WORDS: &[&str] = &[
    "relationship",
    "relation",
    "relations",
    "related",
    "connection",
    "connected",
    "describe",
    "define",
    "tell",
    "name",
    "called",
    "many",
    "much",
    "old",
    "long",
    "year",
    "关系",
    "關係",
    "谁",
    "誰",
    "什么",
    "何人",
    "哪里",
    "哪个",
    "哪些",
    "哪",
    "几",
    "多少",
    "多",
    "怎么",
    "怎样",
    "如何",
    "为何",
    "为什么",
    "何",
    "何时",
    "何处",
    "时候",
    "人",
    "介绍",
    "原因",
    "what",
    "who",
    "名字",
    "叫",
    "有",
    "是",
    "吗",
    "呢",
    "几个",
    "一下",
    "请",
    "儿",
    "里",
    "到底",
    "究竟",
    "那次",
    "这次",
    "这家",
    "那家",
    "哪条",
    "哪家",
    "哪间",
    "哪种",
    "哪位",
    "哪座",
    "额外",
    "另外",
    "must",
    "something",
    "anything",
    "somebody",
    "someone",
    "anybody",
    "anyone",
    "quickly",
];

/// Irregular forms, and Chinese words that say the same of an act, with the form that stands for them; sorted.
#[rustfmt::skip]
const FIRST_FORMS: &[(&str, &str)] = &[
    ("arisen", "arise"), ("arose", "arise"), ("ate", "eat"), ("awoke", "awake"), ("beaten", "beat"),
    ("became", "become"), ("began", "begin"), ("begun", "begin"), ("bent", "bend"), ("bitten", "bite"),
    ("bled", "bleed"), ("blew", "blow"), ("blown", "blow"), ("born", "birth"), ("bought", "buy"),
    ("bred", "breed"), ("broke", "break"), ("broken", "break"), ("brought", "bring"),
    ("built", "build"), ("burnt", "burn"), ("came", "come"), ("caught", "catch"), ("chose", "choose"),
    ("chosen", "choose"), ("clung", "cling"), ("crept", "creep"), ("dead", "die"), ("dealt", "deal"),
    ("death", "die"), ("drank", "drink"), ("drawn", "draw"), ("dreamt", "dream"), ("drew", "draw"),
    ("driven", "drive"), ("drove", "drive"), ("drunk", "drink"), ("dug", "dig"), ("dwelt", "dwell"),
    ("eaten", "eat"), ("fallen", "fall"), ("fed", "feed"), ("fell", "fall"), ("felt", "feel"),
    ("fled", "flee"), ("flew", "fly"), ("flown", "fly"), ("flung", "fling"), ("forbade", "forbid"),
    ("forbidden", "forbid"), ("forgave", "forgive"), ("forgiven", "forgive"), ("forgot", "forget"),
    ("forgotten", "forget"), ("fought", "fight"), ("found", "find"), ("froze", "freeze"),
    ("frozen", "freeze"), ("gave", "give"), ("given", "give"), ("gone", "go"), ("grew", "grow"),
    ("grown", "grow"), ("heard", "hear"), ("held", "hold"), ("hid", "hide"), ("hidden", "hide"),
    ("hung", "hang"), ("kept", "keep"), ("knew", "know"), ("known", "know"), ("laid", "lay"),
    ("leapt", "leap"), ("learnt", "learn"), ("led", "lead"), ("left", "leave"), ("lent", "lend"),
    ("lit", "light"), ("lost", "lose"), ("made", "make"), ("meant", "mean"), ("met", "meet"),
    ("mistaken", "mistake"), ("overcame", "overcome"), ("overtook", "overtake"), ("paid", "pay"),
    ("proven", "prove"), ("ran", "run"), ("rang", "ring"), ("ridden", "ride"), ("risen", "rise"),
    ("rode", "ride"), ("said", "say"), ("sang", "sing"), ("sank", "sink"), ("saw", "see"),
    ("seen", "see"), ("sent", "send"), ("sewn", "sew"), ("shaken", "shake"), ("shone", "shine"),
    ("shook", "shake"), ("shorn", "shear"), ("shot", "shoot"), ("shown", "show"), ("shrank", "shrink"),
    ("shrunk", "shrink"), ("slain", "slay"), ("slept", "sleep"), ("slew", "slay"), ("slid", "slide"),
    ("slung", "sling"), ("sold", "sell"), ("sought", "seek"), ("sown", "sow"), ("spent", "spend"),
    ("spoke", "speak"), ("spoken", "speak"), ("sprang", "spring"), ("sprung", "spring"),
    ("spun", "spin"), ("stole", "steal"), ("stolen", "steal"), ("stood", "stand"), ("strode", "stride"),
    ("struck", "strike"), ("strung", "string"), ("stuck", "stick"), ("stung", "sting"),
    ("sung", "sing"), ("sunk", "sink"), ("swam", "swim"), ("swept", "sweep"), ("swollen", "swell"),
    ("swore", "swear"), ("sworn", "swear"), ("swum", "swim"), ("swung", "swing"), ("taken", "take"),
    ("taught", "teach"), ("thought", "think"), ("threw", "throw"), ("thrown", "throw"),
    ("told", "tell"), ("took", "take"), ("tore", "tear"), ("torn", "tear"), ("trod", "tread"),
    ("trodden", "tread"), ("understood", "understand"), ("undertaken", "undertake"),
    ("undertook", "undertake"), ("went", "go"), ("wept", "weep"), ("withdrawn", "withdraw"),
    ("withdrew", "withdraw"), ("woke", "wake"), ("woken", "wake"), ("won", "win"), ("wore", "wear"),
    ("worn", "wear"), ("wove", "weave"), ("woven", "weave"), ("written", "write"), ("wrote", "write"),
    ("wrung", "wring"), ("刺死", "杀"), ("害死", "杀"), ("斩", "杀"), ("斩杀", "杀"), ("杀害", "杀"), ("杀死", "杀"),
    ("诛", "杀"),
];

/// Words that tell a number beside the numerals.
const NUMBER_WORDS: &[&str] = &[
    "hundred", "thousand", "million", "billion", "dozen", "dozens", "half", "several", "first", "second",
    "third", "both",
];

const TIME_WORDS: &[&str] = &[
    "years",
    "year",
    "month",
    "months",
    "week",
    "weeks",
    "day",
    "days",
    "hour",
    "hours",
    "minutes",
    "o'clock",
    "ago",
    "yesterday",
    "tomorrow",
    "morning",
    "evening",
    "night",
    "noon",
    "midnight",
    "eve",
    "century",
    "spring",
    "summer",
    "autumn",
    "winter",
];

const CHINESE_TIMES: &[&str] = &[
    "年", "月", "日", "时", "更", "春", "夏", "秋", "冬", "初", "世纪", "之间", "次日", "当夜", "是夜", "岁",
];

const CHINESE_NUMBERS: &str = "一二三四五六七八九十百千万亿两半余数零〇0123456789";

const CHINESE_PLACES: &[&str] = &[
    "郡", "县", "州", "城", "国", "山", "江", "河", "洛阳", "长安", "关", "庄", "寨", "府", "宫", "村", "里",
    "京", "津", "省", "市", "镇", "桥", "园", "人也", "人氏",
];

const PLACE_WORDS: &[&str] = &[
    "house",
    "street",
    "city",
    "town",
    "village",
    "office",
    "room",
    "rooms",
    "chambers",
    "country",
    "island",
    "river",
    "station",
    "building",
    "lane",
    "yard",
    "court",
    "county",
    "church",
    "school",
    "warehouse",
    "dwelling",
    "north",
    "south",
    "east",
    "west",
    "home",
    "corner",
    "born",
    "lived",
    "located",
    "suburb",
];

/// Whether a word makes the question and no part of what it asks about.
pub(crate) fn is_question_word(word: &str) -> bool {
    QUESTION_WORDS.contains(&word)
}

/// The stem of a lower-case word, as full-text search knows it; of an irregular form that of its first form: "bought"
/// is "buy".
pub(crate) fn stem(word: &str) -> String {
    let first = FIRST_FORMS
        .binary_search_by_key(&word, |(form, _)| form)
        .ok()
        .and_then(|place| FIRST_FORMS.get(place))
        .map_or(word, |(_, first)| first);
    Stemmer::create(Algorithm::English).stem(&american(first)).into_owned()
}

/// A word as it is spelt in America, by its ending: colour, centre, organise, licence. One that only looks like such a
/// word is changed alike in question and text.
fn american(word: &str) -> Cow<'_, str> {
    const ENDINGS: [(&str, &str); 18] = [
        ("our", "or"),
        ("ours", "ors"),
        ("oured", "ored"),
        ("ouring", "oring"),
        ("ourless", "orless"),
        ("ise", "ize"),
        ("ised", "ized"),
        ("ises", "izes"),
        ("ising", "izing"),
        ("isation", "ization"),
        ("yse", "yze"),
        ("ysed", "yzed"),
        ("ntre", "nter"),
        ("ntres", "nters"),
        ("eatre", "eater"),
        ("cence", "cense"),
        ("fence", "fense"),
        ("alogue", "alog"),
    ];
    const SHORTEST: usize = 6;
    if !word.is_ascii() || word.len() < SHORTEST {
        return Cow::Borrowed(word);
    }
    let found = ENDINGS.iter().find_map(|(british, own)| Some((word.strip_suffix(british)?, own)));
    found.map_or(Cow::Borrowed(word), |(root, own)| Cow::Owned(format!("{root}{own}")))
}

/// Whether a word of a name only stands before it: a form of address, or "old".
pub(crate) fn is_title(word: &str) -> bool {
    is_honorific(word) || matches!(word, "little" | "old" | "saint" | "st" | "young")
}

/// The first place where a name stands as a whole word; Han names stand anywhere, and ideographs beside a name end it.
pub(crate) fn find_name(flat: &str, name: &str) -> Option<(usize, usize)> {
    let spaced = name.chars().next().is_some_and(|c| !is_han(c));
    let goes_on = |c: char| c.is_alphanumeric() && !is_han(c);
    flat.match_indices(name)
        .find(|(at, found)| {
            !spaced
                || (!flat.get(..*at).is_some_and(|before| before.ends_with(goes_on))
                    && !flat.get(at + found.len()..).is_some_and(|after| after.starts_with(goes_on)))
        })
        .map(|(at, found)| (at, at + found.len()))
}

/// A Chinese name told in two: 姓刘名备, 姓曹，名操.
pub(crate) fn find_told_name(flat: &str, name: &str) -> Option<(usize, usize)> {
    let mut letters = name.chars();
    let surname = letters.next().filter(|c| is_han(*c))?;
    let given: String = letters.collect();
    if given.is_empty() || given.chars().count() > 2 {
        return None;
    }
    [format!("姓{surname}名{given}"), format!("姓{surname}，名{given}"), format!("姓{surname}，单名{given}")]
        .iter()
        .find_map(|form| flat.find(form.as_str()).map(|at| (at, at + form.len())))
}

/// From 0 to 1: whether the sentence tells what stands at `name` in it.
pub(crate) fn defines(flat: &str, name: (usize, usize)) -> f64 {
    let before = flat.get(..name.0).unwrap_or_default();
    let after = flat.get(name.1..).unwrap_or_default();
    if after.chars().chain(before.chars()).any(is_han) {
        return defines_in_chinese(before, after);
    }
    let following: Vec<&str> = words(after).take(6).collect();
    let starts = |list: &[&str]| following.first().is_some_and(|word| list.contains(word));
    let article = |word: Option<&&str>| {
        word.is_some_and(|w| ["a", "an", "the", "his", "her", "their", "my", "one"].contains(w))
    };
    // "is married" tells what one is as little as "is gone"
    let told_of = |word: &&str| is_role(word) && !["married", "marriage", "family"].contains(word);
    let role = following.iter().take(5).position(told_of);
    // "clerk to Ebenezer Scrooge", "Scrooge's nephew", "a baker": what one is, not only "the father"
    let is_told = role.is_some_and(|role| {
        let ahead = following.get(..role).unwrap_or_default();
        let behind = following.get(role + 1);
        behind.is_some_and(|word| ["of", "to", "at", "for", "in"].contains(word))
            || ahead.iter().any(|word| is_owner(word) || ["a", "an", "former"].contains(word))
            || after.matches(',').count() < 2 && role == 0
    });
    let of_role = |all: f64, bare: f64| match (role, is_told) {
        (Some(_), true) => all,
        (Some(_), false) => bare,
        (None, _) => 0.0,
    };
    let mut score: f64 = 0.0;
    if after.starts_with(',') || after.starts_with(" (") || after.starts_with(" -") || after.starts_with("--")
    {
        score = score.max(of_role(1.0, 0.6)).max(if article(following.first()) { 0.5 } else { 0.0 });
    }
    // "Nadia Rahimi, who had trained as a chemist"
    if [", who ", ", whose ", ", whom "].iter().any(|form| after.starts_with(form)) {
        score = score.max(0.6);
    }
    if starts(&["is", "was", "are", "were", "am", "became", "becomes"]) {
        // what was done to somebody tells little of who that is
        let is_done = following.get(1).is_some_and(|word| is_participle(word));
        let told = match (article(following.get(1)), is_done) {
            (true, _) => 0.9,
            (false, true) => 0.15,
            (false, false) => 0.35,
        };
        score = score.max(of_role(1.0, 0.9)).max(told);
    }
    if is_apposition(before) {
        score = score.max(0.9);
    }
    let preceding: Vec<&str> = words(before).collect();
    let last = preceding.last().copied().unwrap_or_default();
    let last_but_one = preceding.iter().rev().nth(1).copied().unwrap_or_default();
    let close = before.ends_with(' ') || before.ends_with('(');
    if close
        && (is_role(last)
            || ["called", "named", "surnamed"].contains(&last)
            || (is_role(last_but_one) && last.len() < 4))
    {
        score = score.max(if is_owner(last_but_one) { 0.95 } else { 0.8 });
    }
    // "to Scrooge's clerk's": somebody's, or of somebody
    let all: Vec<&str> = words(flat).collect();
    let is_somebodys = |pair: &[&str]| match pair {
        [owner, role] if is_role(role) => is_owner(owner),
        [role, of] => is_role(role) && ["of", "to"].contains(of),
        _ => false,
    };
    if score < 0.6 && all.windows(2).any(is_somebodys) {
        score = 0.6;
    } else if score < 0.45 && all.iter().any(|word| is_role(word)) {
        score = 0.45;
    }
    score
}

/// Whether what stands before a name says who it is: "the well-known adventuress, ".
fn is_apposition(before: &str) -> bool {
    const ENDINGS: [&str; 9] = ["er", "or", "ist", "ian", "ess", "man", "woman", "eer", "ant"];
    const ARTICLES: [&str; 8] = ["a", "an", "the", "his", "her", "their", "my", "our"];
    const BEFORE: [&str; 12] =
        ["in", "on", "at", "after", "before", "during", "from", "into", "over", "under", "near", "through"];
    let Some(before) = before.strip_suffix(", ") else { return false };
    let clause = before.rsplit([',', ';', ':', '.', '"', '“', '!', '?']).next().unwrap_or_default();
    let all: Vec<&str> = words(clause).collect();
    let Some((noun, ahead)) = all.split_last() else { return false };
    let Some(article) = ahead.iter().rposition(|word| ARTICLES.contains(word)) else { return false };
    let ends_as_person = |ending: &&str| noun.ends_with(*ending) && !noun.ends_with("ness");
    let is_person = is_role(noun) || ENDINGS.iter().any(ends_as_person);
    // who is "a man of business" is told by what stands before "of"
    let is_of = ahead.get(article..).is_some_and(|phrase| phrase.contains(&"of"));
    let tells_where =
        article.checked_sub(1).and_then(|at| ahead.get(at)).is_some_and(|word| BEFORE.contains(word));
    is_person && !is_of && !is_time(noun) && !tells_where && ahead.len() - article <= 4
}

/// Whether a word says whose something is: "Scrooge's", "his".
fn is_owner(word: &str) -> bool {
    word.ends_with("'s") || word.ends_with("’s") || ["his", "her", "their", "my", "our"].contains(&word)
}

fn defines_in_chinese(before: &str, after: &str) -> f64 {
    // 麻天宝的孙女 is somebody else
    const OF_OTHERS: f64 = 0.25;
    if after.starts_with(['的', '之']) {
        return OF_OTHERS;
    }
    let follows = |forms: &[&str]| forms.iter().any(|form| after.starts_with(form));
    let precedes = |forms: &[&str]| forms.iter().any(|form| before.ends_with(form));
    if follows(&["，字", "字", ",字", "者，", "，乃", "乃", "是", "也，", "，表字"])
        || after.chars().take(16).collect::<String>().contains("人也")
    {
        return 1.0;
    }
    if precedes(&["姓", "名", "乃", "是", "名曰", "唤作", "叫", "叫做", "即"]) || follows(&["也"])
    {
        return 0.9;
    }
    if [TITLES, CALLINGS].iter().any(|list| precedes(list)) {
        return 0.7;
    }
    let near: String = after.chars().take(6).collect();
    let mut ahead: Vec<char> = before.chars().rev().take(6).collect();
    ahead.reverse();
    let ahead: String = ahead.into_iter().collect();
    if CHINESE_ROLES.iter().any(|role| ahead.ends_with(role)) {
        return 0.7;
    }
    if CHINESE_ROLES.iter().any(|role| near.contains(role) || ahead.contains(role)) {
        return 0.5;
    }
    let held = CHINESE_ROLES.iter().any(|role| before.contains(role) || after.contains(role));
    if held { 0.3 } else { 0.0 }
}

/// From 0 to 1: whether the sentence tells a relation.
pub(crate) fn relates(flat: &str) -> f64 {
    let told = CHINESE_ROLES.iter().any(|role| flat.contains(role)) || words(flat).any(is_role);
    let sworn = [
        "结为",
        "结义",
        "结拜",
        "兄弟",
        "义儿",
        "义子",
        "义父",
        "其侄",
        "叔侄",
        "其叔",
        "女婿",
        "其兄",
        "其弟",
        "之子",
        "其子",
        "father of",
        "son of",
        "married",
        "partners",
        "brothers",
    ]
    .iter()
    .any(|form| flat.contains(form));
    match (told, sworn) {
        (_, true) => 1.0,
        // an office is no relation yet
        (true, false) => 0.25,
        _ => 0.0,
    }
}

/// From 0 to 1: whether the sentence names a place, or goes or stands somewhere.
pub(crate) fn locates(original: &str, flat: &str) -> f64 {
    if has_han(flat) {
        let at = ["于", "在", "至", "到", "往", "屯", "居", "住", "投", "入", "出"]
            .iter()
            .any(|form| flat.contains(form));
        let place = CHINESE_PLACES.iter().filter(|form| flat.contains(**form)).count();
        let home = flat.contains("人也") || flat.contains("人氏") || flat.contains("世居");
        return if home {
            1.0
        } else if stands_inside(flat) {
            0.9
        } else if at && place > 0 {
            0.7
        } else if place > 0 {
            0.3
        } else {
            0.0
        };
    }
    let mut words_before = "";
    let mut named = false;
    for word in original.split_whitespace() {
        let capital = word.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(char::is_uppercase);
        named |= capital
            && ["in", "at", "to", "from", "near", "into", "of", "on", "through"].contains(&words_before);
        words_before = word;
    }
    let place = words(flat).any(|word| PLACE_WORDS.contains(&word));
    match (named, place) {
        (true, true) => 1.0,
        (true, false) | (false, true) => 0.6,
        (false, false) if !beside_places(flat).is_empty() => 0.6,
        (false, false) => 0.0,
    }
}

/// Whether a Chinese text says inside, on or beside what something stands or was done: 于井中, 在车棚里.
fn stands_inside(flat: &str) -> bool {
    const WITHIN: usize = 6;
    const SIDES: [char; 8] = ['中', '内', '里', '下', '上', '旁', '侧', '边'];
    ["于", "在"].iter().flat_map(|form| flat.match_indices(form)).any(|(at, form)| {
        let behind = flat.get(at + form.len()..).unwrap_or_default();
        // 于是, 在下
        let clause: Vec<char> = behind.chars().take_while(|c| is_han(*c)).take(WITHIN).collect();
        clause.first().is_some_and(|c| *c != '是' && !SIDES.contains(c))
            && clause.iter().skip(1).any(|c| SIDES.contains(c))
    })
}

/// Where an English text says beside or under what something stands, in words: "below the bridge", "behind a shed".
pub(crate) fn beside_places(flat: &str) -> Vec<usize> {
    const BESIDE: [&str; 14] = [
        "above",
        "behind",
        "below",
        "beneath",
        "beside",
        "between",
        "inside",
        "near",
        "opposite",
        "outside",
        "under",
        "underneath",
        "alongside",
        "beyond",
    ];
    const ARTICLES: [&str; 12] =
        ["the", "a", "an", "his", "her", "their", "our", "my", "its", "this", "that", "two"];
    let all: Vec<&str> = words(flat).collect();
    let is_place = |three: &[&str]| {
        matches!(three, [beside, article, noun]
            if BESIDE.contains(beside) && ARTICLES.contains(article) && !is_time(noun))
    };
    all.windows(3).enumerate().filter(|(_, three)| is_place(three)).map(|(at, _)| at + 2).collect()
}

/// From 0 to 1.4: whether the sentence tells where somebody comes from.
pub(crate) fn tells_origin(flat: &str) -> f64 {
    let home = [
        "人也", "人氏", "世居", "祖居", "家住", "出生", "家在", "来自", "祖籍", "原籍", "籍贯", "老家",
        "故乡", "家乡", "生于", "生在",
    ];
    let beside_name = ["人，姓", "人，名", "人，字", "人,字", "，字"];
    let english = [
        "born in",
        "native of",
        "grew up in",
        "come from",
        "comes from",
        "came from",
        "hails from",
        "originally from",
    ];
    if home.iter().chain(&english).any(|form| flat.contains(form))
        || flat.contains("乃") && flat.contains("人，")
        || is_from(flat)
    {
        1.4
    } else if beside_name.iter().any(|form| flat.contains(form)) || tells_nation(flat) {
        1.0
    } else {
        0.1
    }
}

/// Whether an English text says of somebody of which country he is: "the Swiss astronomer Ann Lee".
fn tells_nation(flat: &str) -> bool {
    let all: Vec<&str> = words(flat).collect();
    all.windows(2).any(|pair| {
        matches!(pair, [nation, calling] if DEMONYMS.binary_search(nation).is_ok()
            && (is_role(calling) || CALLING_ENDINGS.iter().any(|ending| calling.ends_with(ending))))
    })
}

/// How English words end that say what somebody does.
const CALLING_ENDINGS: [&str; 7] = ["er", "or", "ist", "ian", "man", "woman", "ess"];

/// Whether a Chinese text says of somebody that he is of a place: 是常熟人, or between marks 常熟人.
fn is_from(flat: &str) -> bool {
    let mut clauses = flat.split(|c: char| !is_han(c)).filter_map(|clause| clause.strip_suffix('人'));
    clauses.any(|clause| match clause.rsplit_once(['是', '系', '为']) {
        Some((_, home)) => is_home(home),
        None => is_known_place(clause),
    })
}

/// Characters of the longest home: 湖南长沙.
const LONGEST_HOME: usize = 6;

/// Whether what stands between 是 and 人 is a place: one that is known, or a short word that says nothing else of people.
fn is_home(home: &str) -> bool {
    // 负责人, 老实人
    const OTHERS: &str = "主持 负责 创始 发起 候选 继承 代言 经纪 当事 领导 年轻 中年 老年 青年 普通 聪明 残疾 热心 老实 善良 \
                          可怜 生意 读书 庄稼 手艺 介绍 证婚 保证 监护 撰稿 掌门 接班 带头 牵头 联系 管理 合伙 当家 过来 \
                          明白 自己 同龄 中间 勤快 厚道 和气 爽快 精明 能干 出租 承租 出资 受伤 听话 正经 这种 那种 一个";
    let length = home.chars().count();
    let is_other = OTHERS.split(' ').any(|other| home.ends_with(other)) || home.contains('的');
    (2..=LONGEST_HOME).contains(&length) && (is_known_place(home) || length <= SHORT_HOME) && !is_other
}

fn is_known_place(name: &str) -> bool {
    let tokens = segmenter().tag(name, false);
    !tokens.is_empty() && tokens.iter().all(|token| token.tag.starts_with("ns"))
}

/// Characters of a home that no dictionary knows: 柳河县.
const SHORT_HOME: usize = 3;

/// Whether a word names a kind of place: "street".
pub(crate) fn is_place_word(word: &str) -> bool {
    PLACE_WORDS.contains(&word)
}

/// Where a Chinese text tells a place, in characters: behind 于, 在, 至 and the like, and at the words of places.
pub(crate) fn han_locations(flat: &str) -> Vec<usize> {
    let character = |at: usize| flat.get(..at).unwrap_or_default().chars().count();
    let behind = ["于", "在", "至", "到", "往", "屯", "居", "住", "投", "入"];
    let behind = behind.iter().flat_map(|form| flat.match_indices(form)).map(|(at, _)| character(at));
    let named = CHINESE_PLACES.iter().flat_map(|form| flat.match_indices(form)).map(|(at, _)| character(at));
    behind.chain(named).collect()
}

/// Whether a word tells a time; "may" is a verb first.
fn is_time(word: &str) -> bool {
    // on Sundays
    let day = word.strip_suffix('s').unwrap_or(word);
    TIME_WORDS.contains(&word) || is_weekday(day) || is_month(word) && word != "may"
}

/// From 0 to 1: whether the sentence tells a time.
pub(crate) fn dates(flat: &str) -> f64 {
    if has_han(flat) {
        let count = CHINESE_TIMES.iter().filter(|form| flat.contains(**form)).count();
        let numbered = flat.chars().zip(flat.chars().skip(1)).any(|(one, two)| is_han_time(one, two));
        return if numbered || !han_days(flat).is_empty() {
            1.0
        } else if count > 1 {
            0.5
        } else {
            0.0
        };
    }
    let is_year = |word: &str| word.len() == 4 && word.chars().all(|c| c.is_ascii_digit());
    let is_day = |word: &str| is_weekday(word.strip_suffix('s').unwrap_or(word));
    let dated = words(flat).any(|word| is_year(word) || is_day(word) || is_month(word) && word != "may");
    let count = words(flat).filter(|word| is_time(word)).count();
    let season = ["this fall", "next fall", "last fall", "in the fall", " ago", "o'clock", "midnight"]
        .iter()
        .any(|form| flat.contains(form))
        || words(flat).any(|word| ["spring", "summer", "autumn", "winter", "eve", "century"].contains(&word))
        || !hour_places(flat).is_empty();
    if dated {
        1.0
    } else if season {
        0.95
    } else if count > 1 {
        0.6
    } else if count == 1 {
        0.4
    } else {
        0.0
    }
}

/// Whether two Chinese characters tell a time: a number before a unit, a day of the week.
fn is_han_time(one: char, two: char) -> bool {
    CHINESE_NUMBERS.contains(one) && "年月日时更岁点".contains(two)
        || "期拜周".contains(one) && "一二三四五六日天末".contains(two)
}

/// Where a flat text tells a time, in words from its beginning; two characters of Chinese are taken for one word.
pub(crate) fn date_places(flat: &str) -> Vec<usize> {
    const BEFORE_FALL: [&str; 8] = ["this", "next", "last", "coming", "every", "early", "late", "in"];
    if has_han(flat) {
        let mut found = han_places(flat, is_han_time);
        found.extend(han_days(flat));
        return found;
    }
    let year = |word: &str| word.len() == 4 && word.chars().all(|c| c.is_ascii_digit());
    let mut found = places(flat, |word| year(word) || is_time(word));
    found.extend(hour_places(flat));
    // "this fall" is a season, "a fall" none
    let all: Vec<&str> = words(flat).filter(|word| *word != "the").collect();
    if all.windows(2).any(|pair| matches!(pair, [before, "fall"] if BEFORE_FALL.contains(before))) {
        found.extend(places(flat, |word| word == "fall"));
    }
    found
}

/// Where a flat English text tells an hour of the day, as [`date_places`]: "9 am", "7.30 p.m.", "9:15".
fn hour_places(flat: &str) -> Vec<usize> {
    let is_hour = |at: usize| {
        let before = flat.get(..at).unwrap_or_default();
        let rest = flat.get(at..).unwrap_or_default();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let begins =
            !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | ':' | '£' | '$' | '€'));
        let hour = rest.get(..digits).and_then(|hour| hour.parse::<u8>().ok());
        if !begins || hour.is_none_or(|hour| hour > 24) {
            return false;
        }
        let behind = rest.get(digits..).unwrap_or_default();
        let minutes = behind.strip_prefix([':', '.']).filter(|minutes| {
            let count = minutes.bytes().take_while(u8::is_ascii_digit).count();
            count == 2 && minutes.bytes().next().is_some_and(|first| (b'0'..b'6').contains(&first))
        });
        let half = minutes.and_then(|minutes| minutes.get(2..)).unwrap_or(behind);
        let half = half.trim_start_matches(' ');
        let is_half = ["am", "pm", "a.m", "p.m"]
            .iter()
            .any(|form| half.strip_prefix(form).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)));
        is_half || minutes.is_some() && behind.starts_with(':')
    };
    let begins = flat.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at);
    begins.filter(|at| is_hour(*at)).map(|at| words(flat.get(..at).unwrap_or_default()).count()).collect()
}

/// Where a flat text holds a number, as [`date_places`].
pub(crate) fn number_places(flat: &str) -> Vec<usize> {
    if has_han(flat) {
        return han_places(flat, |number, _| CHINESE_NUMBERS.contains(number));
    }
    places(flat, is_number)
}

fn places(flat: &str, is: impl Fn(&str) -> bool) -> Vec<usize> {
    words(flat).enumerate().filter(|(_, word)| is(word)).map(|(at, _)| at).collect()
}

/// The place of a byte, two characters of Chinese taken for one word.
fn han_place(flat: &str, at: usize) -> usize {
    flat.get(..at).unwrap_or_default().chars().count() / 2
}

/// Where a day stands behind its month as 号: 本月二十号. Houses and buses have a 号 as well.
fn han_days(flat: &str) -> Vec<usize> {
    let is_day = |behind: &str| {
        let rest = behind.trim_start_matches(|c: char| CHINESE_NUMBERS.contains(c));
        rest.len() < behind.len() && rest.starts_with(['号', '號'])
    };
    let months = flat.char_indices().enumerate().filter(|(_, (_, c))| *c == '月');
    months
        .filter(|(_, (at, c))| flat.get(at + c.len_utf8()..).is_some_and(is_day))
        .map(|(at, _)| at / 2)
        .collect()
}

fn han_places(flat: &str, is: impl Fn(char, char) -> bool) -> Vec<usize> {
    let pairs = flat.chars().zip(flat.chars().skip(1)).enumerate();
    pairs.filter(|(_, (one, two))| is(*one, *two)).map(|(at, _)| at / 2).collect()
}

/// Where a number stands before one of the units.
fn han_places_before(flat: &str, units: &[&str]) -> Vec<usize> {
    let mut found = Vec::new();
    for (place, (at, number)) in flat.char_indices().enumerate() {
        let behind = flat.get(at + number.len_utf8()..).unwrap_or_default();
        let behind = behind.trim_start_matches([' ', '多', '来', '几', '余', '个', '半']);
        if CHINESE_NUMBERS.contains(number) && units.iter().any(|unit| behind.starts_with(unit)) {
            found.push(place / 2);
        }
    }
    found
}

fn is_number(word: &str) -> bool {
    word != "one"
        && (word.chars().any(|c| c.is_ascii_digit())
            || word.split('-').any(|part| {
                numerals::english(part).is_some_and(|number| number > 1) || NUMBER_WORDS.contains(&part)
            }))
}

/// From 0 to 1: whether the sentence holds a number, at best one of what is `counted`.
pub(crate) fn counts(flat: &str, counted: &str) -> f64 {
    if has_han(flat) {
        // the second is no count: 第二名
        let letters: Vec<char> = without_ordinals(flat).chars().collect();
        let numbered = letters.windows(2).any(|pair| {
            matches!(pair, [number, unit] if CHINESE_NUMBERS.contains(*number)
                && "个人骑万千百斤尺丈寸里年岁次员名军余石匹合两".contains(*unit))
        });
        let wanted: Vec<char> = counted.chars().collect();
        let beside = !wanted.is_empty()
            && letters.windows(wanted.len()).enumerate().any(|(at, window)| {
                let near = letters.get(at.saturating_sub(3)..(at + wanted.len() + 3).min(letters.len()));
                window == wanted.as_slice()
                    && near.is_some_and(|near| near.iter().any(|c| CHINESE_NUMBERS.contains(*c)))
            });
        return if beside {
            1.0
        } else if numbered {
            0.4
        } else {
            0.0
        };
    }
    let all: Vec<&str> = words(flat).collect();
    let counted = stem(counted);
    let beside = !counted.is_empty()
        && all.iter().enumerate().any(|(at, word)| {
            stem(word) == counted
                && all.get(at.saturating_sub(3)..at).is_some_and(|before| before.iter().any(|w| is_number(w)))
        });
    if beside {
        1.0
    } else if all.iter().any(|word| is_number(word)) {
        0.4
    } else {
        0.0
    }
}

/// A Chinese text without its ordinal numbers, and without the 一 of 一个 that counts nothing.
fn without_ordinals(flat: &str) -> String {
    let mut left = String::with_capacity(flat.len());
    let mut is_ordinal = false;
    let mut before = ' ';
    let mut letters = flat.chars().peekable();
    while let Some(c) = letters.next() {
        is_ordinal = c == '第' || is_ordinal && CHINESE_NUMBERS.contains(c);
        let is_article = c == '一'
            && !CHINESE_NUMBERS.contains(before)
            && letters.peek().is_some_and(|next| "个名位只条座家张件台".contains(*next));
        left.push(if is_ordinal || is_article { '第' } else { c });
        before = c;
    }
    left
}

/// Whether a flat text gives a number for each of several years.
pub(crate) fn tells_series(flat: &str) -> bool {
    let digits = flat.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','));
    let numbers: Vec<&str> =
        digits.map(|word| word.trim_matches(['.', ','])).filter(|word| !word.is_empty()).collect();
    let years = numbers.iter().filter(|word| word.len() == 4 && is_year(word)).count();
    years > 1 && numbers.len() >= 2 * years
}

/// Words that ask which of two figures is greater.
pub(crate) const GREATER: [&str; 16] = [
    "faster", "slower", "larger", "smaller", "higher", "lower", "bigger", "cheaper", "greater", "longer",
    "shorter", "older", "younger", "taller", "heavier", "deeper",
];

/// A kind of number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityKind {
    /// An amount of money.
    Money,
    /// A share of a hundred.
    Share,
    /// Years of age.
    Age,
    /// A length of time.
    Duration,
    /// A year.
    Year,
    /// How long, high or far something is.
    Length,
    /// How heavy something is.
    Weight,
    /// Degrees.
    Temperature,
    /// A version: "1.92", "v2".
    Version,
}

/// Whether a lower-case word is the unit of the number before it.
pub(crate) fn is_unit_word(word: &str) -> bool {
    [COINS, SHARES, SPANS, LENGTHS, WEIGHTS, SHORT_UNITS, DEGREES].iter().any(|units| units.contains(&word))
}

/// Whether a flat text holds a number of a kind.
pub(crate) fn measures(flat: &str, measure: QuantityKind) -> bool {
    !measure_places(flat, measure).is_empty()
}

/// Whether a flat text begins with what a kind of number is called, as records do: "Weight 15.6 kg.", 体温：38.9℃.
pub(crate) fn is_labelled_measure(flat: &str, measure: QuantityKind) -> bool {
    let labels: &[&str] = match measure {
        QuantityKind::Money => {
            &["price", "cost", "costs", "fee", "rent", "total", "价格", "费用", "单价", "总价", "租金"]
        }
        QuantityKind::Age => &["age", "aged", "年龄"],
        QuantityKind::Duration => &["duration", "时长", "工期"],
        QuantityKind::Length => {
            &["length", "height", "width", "depth", "长度", "高度", "身高", "宽度", "深度"]
        }
        QuantityKind::Weight => &["weight", "weighs", "weighed", "体重", "重量"],
        QuantityKind::Temperature => &["temperature", "temp", "体温", "温度", "气温"],
        QuantityKind::Version => &["version", "版本"],
        QuantityKind::Share | QuantityKind::Year => &[],
    };
    let first = words(flat).next().unwrap_or_default();
    labels.iter().any(|label| if has_han(label) { flat.starts_with(label) } else { first == *label })
        && measures(flat, measure)
}

/// Where a flat text holds a number of a kind, as [`date_places`].
pub(crate) fn measure_places(flat: &str, measure: QuantityKind) -> Vec<usize> {
    let all: Vec<&str> = flat.split_whitespace().collect();
    let mut found: Vec<usize> = Vec::new();
    for (at, word) in all.iter().enumerate() {
        let bare = word.trim_matches(|c: char| !(c.is_alphanumeric() || "%$€£¥°".contains(c)));
        let numbered = || {
            let before = all.get(at.saturating_sub(2)..at).unwrap_or_default();
            before.iter().any(|word| words(word).any(is_number))
                || bare.starts_with(|c: char| c.is_ascii_digit())
        };
        let is_unit = |units: &[&str]| {
            let unit = bare.trim_start_matches(|c: char| c.is_ascii_digit() || ",.-".contains(c));
            units.binary_search(&unit).is_ok() && numbered()
        };
        let is_one = match measure {
            QuantityKind::Money => {
                let digit = |mark| {
                    word.split(mark).nth(1).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
                };
                ['$', '€', '£', '¥'].into_iter().any(digit) || is_unit(COINS)
            }
            QuantityKind::Share => bare.ends_with('%') || is_unit(SHARES) || MULTIPLES.contains(&bare),
            QuantityKind::Age => false,
            QuantityKind::Duration => is_unit(SPANS),
            QuantityKind::Year => bare.len() == 4 && is_year(bare),
            QuantityKind::Length => is_unit(LENGTHS),
            QuantityKind::Weight => is_unit(WEIGHTS),
            QuantityKind::Temperature => bare.contains('°') || is_unit(DEGREES),
            QuantityKind::Version => !has_han(flat) && is_version(bare),
        };
        if is_one {
            found.push(at);
        }
    }
    if measure == QuantityKind::Age {
        let at = AGES.iter().flat_map(|form| flat.match_indices(form));
        found.extend(at.map(|(at, _)| flat.get(..at).unwrap_or_default().split(' ').count()));
        found.extend((1..all.len()).filter(|at| tells_age(&all, *at)));
    }
    if has_han(flat) {
        found.extend(han_measures(flat, measure));
    }
    found
}

/// Whether a number of an English text is all that is said of somebody, as an age is: "she was 90."
fn tells_age(words: &[&str], at: usize) -> bool {
    const OLDEST: u8 = 120;
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).copied().unwrap_or_default();
    let told = word(Some(at));
    let bare = told.trim_matches(|c: char| !c.is_alphanumeric());
    let is_age = bare.parse::<u8>().is_ok_and(|age| (1..=OLDEST).contains(&age))
        || bare.split('-').all(|part| numerals::english(part).is_some());
    let ends = told.ends_with(['.', ',', ';', '!']) || ["when", "and", "years"].contains(&word(Some(at + 1)));
    let is_said = ["was", "is", "turned", "reached"].contains(&word(at.checked_sub(1)));
    let subject = word(at.checked_sub(2));
    is_age && ends && is_said && !["it", "there", "this", "that", "which", ""].contains(&subject)
}

/// Whether a word is numbers with points between: "1.92", "v2".
fn is_version(word: &str) -> bool {
    let numbers = word.strip_prefix('v').unwrap_or(word);
    !numbers.is_empty()
        && numbers.split('.').all(|one| !one.is_empty() && one.bytes().all(|b| b.is_ascii_digit()))
}

/// Where numbers begin in a Chinese text that are no part of a word.
fn han_digits(flat: &str) -> Vec<usize> {
    let letters: Vec<char> = flat.chars().collect();
    let is_part = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '.';
    let begins = |at: usize| at == 0 || !letters.get(at - 1).is_some_and(is_part);
    let is_digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    (0..letters.len()).filter(|at| is_digit(*at) && begins(*at)).map(|at| at / 2).collect()
}

/// The same in Chinese: a number before a unit, a year by the name of its era.
fn han_measures(flat: &str, measure: QuantityKind) -> Vec<usize> {
    let units: &[&str] = match measure {
        QuantityKind::Money => return han_amounts(flat),
        QuantityKind::Age => &["岁"],
        QuantityKind::Duration => return han_spans(flat),
        QuantityKind::Year => return han_years(flat),
        QuantityKind::Length => &[
            "里", "尺", "丈", "寸", "步", "米", "公里", "千米", "厘米", "毫米", "公分", "英里", "英尺",
            "海里",
        ],
        QuantityKind::Weight => &["斤", "两", "钧", "石", "克", "吨", "公斤", "千克", "毫克", "市斤", "担"],
        QuantityKind::Temperature => &["度"],
        QuantityKind::Version => return han_digits(flat),
        QuantityKind::Share => {
            return ["百分之", "%"]
                .iter()
                .flat_map(|form| flat.match_indices(form))
                .map(|(at, _)| han_place(flat, at))
                .collect();
        }
    };
    let mut found = han_places_before(flat, units);
    if measure == QuantityKind::Age {
        let told = ["年方", "寿止", "年已", "享年", "终年", "时年", "年近", "春秋"];
        found
            .extend(told.iter().flat_map(|form| flat.match_indices(form)).map(|(at, _)| han_place(flat, at)));
    }
    found
}

/// Lengths of time in a Chinese text: no part of a date, as 一九五八年五月十六日.
fn han_spans(flat: &str) -> Vec<usize> {
    const UNITS: [&str; 15] = [
        "年",
        "天",
        "日",
        "载",
        "个月",
        "小时",
        "时辰",
        "钟头",
        "个钟头",
        "分钟",
        "星期",
        "周",
        "昼夜",
        "旬",
        "月",
    ];
    let years = han_years(flat);
    let dated = dated_numbers(flat);
    let mut found = han_places_before(flat, &UNITS);
    found.retain(|at| !years.iter().any(|year| year.abs_diff(*at) <= 1) && !dated.contains(at));
    found
}

/// Places of the numbers of months and of days of months, as [`date_places`].
fn dated_numbers(flat: &str) -> Vec<usize> {
    let letters: Vec<char> = flat.chars().collect();
    let is_number = |at: usize| letters.get(at).is_some_and(|c| CHINESE_NUMBERS.contains(*c));
    let mut found = Vec::new();
    for (at, _) in letters.iter().enumerate().filter(|(_, c)| **c == '月') {
        // 三个月 is a span; 三月 names a month
        let mut before = at;
        while before > 0 && is_number(before - 1) {
            before -= 1;
            found.push(before / 2);
        }
        found.extend((at + 1..letters.len()).take_while(|at| is_number(*at)).map(|at| at / 2));
    }
    found
}

/// Coins, as they stand behind the number of an amount of money in Chinese.
const HAN_COINS: [&str; 22] = [
    "元",
    "圆",
    "金",
    "贯",
    "钱",
    "文",
    "两",
    "银元",
    "银圆",
    "银子",
    "大洋",
    "洋元",
    "铜板",
    "铜钱",
    "美元",
    "英镑",
    "欧元",
    "日元",
    "港元",
    "港币",
    "人民币",
    "卢布",
];

/// Characters of words that say that money is paid, before an amount that names no coin: 花了四十六万.
const PAYS: &str = "花费资价值卖赔挣赚捐付投贷借罚款额出拨薪酬";
/// Characters before an amount in which such a word stands.
const PAID_WITHIN: usize = 4;

/// Amounts of money in a Chinese text: a number before a coin, or a great one without a unit behind a word that pays it.
fn han_amounts(flat: &str) -> Vec<usize> {
    let letters: Vec<char> = flat.chars().collect();
    let letter = |at: usize| letters.get(at).copied();
    let is_number = |at: usize| {
        letter(at).is_some_and(|c| CHINESE_NUMBERS.contains(c))
            || letter(at).is_some_and(|c| ",.".contains(c))
                && at.checked_sub(1).and_then(letter).is_some_and(|c| c.is_ascii_digit())
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let end = (at..letters.len()).find(|at| !is_number(*at)).unwrap_or(letters.len());
        if end == at {
            at += 1;
            continue;
        }
        let number = letters.get(at..end).unwrap_or_default();
        let unit = (end..letters.len()).find(|at| !letter(*at).is_some_and(|c| " 多来几余万亿".contains(c)));
        let unit = unit.unwrap_or(letters.len());
        let behind: String = letters.get(unit..).unwrap_or_default().iter().take(3).collect();
        // 八百两: the coin is a numeral as well
        let ends_in_coin = number.len() > 1 && number.last() == Some(&'两');
        // 八块钱, 十二块一斤, and not 三块石头
        let is_block = letter(unit) == Some('块')
            && letter(unit + 1)
                .is_none_or(|c| !is_han(c) || "钱的半多".contains(c) || CHINESE_NUMBERS.contains(c));
        let before = letters.get(at.saturating_sub(PAID_WITHIN)..at).unwrap_or_default();
        let is_paid = number.last().is_some_and(|c| "百千万亿".contains(*c))
            && behind.chars().next().is_none_or(|c| !is_han(c))
            && before.iter().any(|c| PAYS.contains(*c));
        let has_coin = HAN_COINS.iter().any(|coin| behind.starts_with(coin));
        if ends_in_coin || is_block || is_paid || has_coin {
            found.push(at / 2);
        }
        at = end;
    }
    found
}

/// Years of a Chinese text: four digits, or the name of an era and a number.
fn han_years(flat: &str) -> Vec<usize> {
    let letters: Vec<char> = flat.chars().collect();
    let is_year = |at: usize| {
        let before = letters.get(..at).unwrap_or_default();
        let number =
            before.iter().rev().take_while(|c| "元一二三四五六七八九十廿卅〇零0123456789".contains(**c));
        let digits = number.count();
        let ahead = before.len().saturating_sub(digits);
        let era: String = letters.get(ahead.saturating_sub(2)..ahead).unwrap_or_default().iter().collect();
        let counted = (1..=3).contains(&digits) && super::vocabulary::eras::is_era(&era);
        digits == 4 || counted
    };
    let years = letters.iter().enumerate().filter(|(at, c)| **c == '年' && is_year(*at));
    years.map(|(at, _)| at / 2).collect()
}

fn is_year(word: &str) -> bool {
    word.parse::<u16>().is_ok_and(|year| (1000..2200).contains(&year))
}

/// Units behind a number, sorted.
const COINS: &[&str] = &[
    "bob",
    "cents",
    "crown",
    "crowns",
    "dollar",
    "dollars",
    "euros",
    "francs",
    "guineas",
    "marks",
    "pence",
    "pound",
    "pounds",
    "shilling",
    "shillings",
    "yen",
];
const SHARES: &[&str] = &["per", "percent", "points"];
const MULTIPLES: &[&str] = &["doubled", "tripled", "doubling", "twice"];
const SPANS: &[&str] = &[
    "day", "days", "hour", "hours", "minute", "minutes", "month", "months", "second", "seconds", "week",
    "weeks", "year", "years",
];
const LENGTHS: &[&str] = &[
    "cm",
    "feet",
    "foot",
    "ft",
    "inch",
    "inches",
    "kilometers",
    "kilometres",
    "km",
    "m",
    "meter",
    "meters",
    "metre",
    "metres",
    "mi",
    "mile",
    "miles",
    "mm",
    "yard",
    "yards",
];
const WEIGHTS: &[&str] = &[
    "g",
    "gram",
    "grams",
    "kg",
    "kilograms",
    "kilos",
    "lb",
    "lbs",
    "ounces",
    "pound",
    "pounds",
    "stone",
    "ton",
    "tonnes",
    "tons",
];
/// Short words that stand behind a number of hours or of what is weighed or timed.
const SHORT_UNITS: &[&str] = &["am", "hr", "hrs", "kph", "min", "mph", "oz", "pm", "sec", "st"];
const DEGREES: &[&str] = &["c", "celsius", "degree", "degrees", "f", "fahrenheit", "kelvin"];
const AGES: &[&str] =
    &["years old", "year old", "year-old", "years-old", "years of age", " aged ", "at the age of", "at age"];

/// Whether a Chinese sentence, or what is said in it last, asks: 可乎, 如何.
pub(crate) fn asks_in_chinese(flat: &str) -> bool {
    let bare = flat.trim_end_matches(['。', '"', '”', '」', '』', '\'', '’', ' ']);
    has_han(flat)
        && (bare.ends_with(['乎', '耶', '？', '?', '否', '吗', '呢'])
            || bare.ends_with("如何")
            || bare.ends_with("何如"))
}

/// From 0 to 1: whether the sentence tells a cause or purpose.
pub(crate) fn reasons(flat: &str) -> f64 {
    if has_han(flat) {
        let plain = [
            "因为",
            "由于",
            "原因是",
            "原因：",
            "是因",
            "缘于",
            "起因",
            "惹的",
            "惹出",
            "引起的",
            "造成的",
            "害的",
            "怪",
            "报仇",
            "复仇",
            "雪恨",
        ];
        if plain.iter().any(|form| flat.contains(form)) {
            return 1.0;
        }
        let strong = [
            "因", "故", "为此", "由是", "所以", "是以", "恐", "今", "既", "反", "欲", "由于", "导致", "致使",
            "引起", "怀恨",
        ];
        return if strong.iter().any(|form| flat.contains(form)) { 0.8 } else { 0.0 };
    }
    let strong = [
        "because",
        "reason",
        "since",
        "therefore",
        "in order to",
        "so that",
        "for fear",
        "on account of",
        "due to",
        "driven by",
        "as a result",
        "owing to",
        "caused by",
        "started by",
        "prompted by",
        "triggered by",
        "resulted from",
        "thanks to",
        "in advance of",
        "led to",
    ];
    // behind a comma a clause gives the reason
    let clause = [
        ", for ",
        "; for ",
        ", as ",
        " after a ",
        " after an ",
        " after his ",
        " after her ",
        " after their ",
        // and before one what follows from it
        ", so ",
        "; so ",
    ];
    let weak = ["for ", "as ", "that ", "lest "];
    if strong.iter().any(|form| flat.contains(form)) {
        1.0
    } else if clause.iter().any(|form| flat.contains(form)) {
        0.5
    } else if weak.iter().any(|form| flat.contains(form)) {
        0.2
    } else {
        0.0
    }
}

/// Whether the sentence tells by what means something is done: through, with the help of, by doing something else.
pub(crate) fn tells_means(flat: &str) -> bool {
    if has_han(flat) {
        return ["通过", "用", "靠", "凭", "借助", "趁"].iter().any(|form| flat.contains(form));
    }
    let all: Vec<&str> = words(flat).collect();
    let by_doing = all.windows(2).any(|pair| {
        matches!(pair, [by, doing] if ["by", "with"].contains(by) && doing.len() > 4 && doing.ends_with("ing") && !is_time(doing))
    });
    by_doing
        || all.iter().any(|word| ["through", "via", "using"].contains(word))
        || flat.contains("with the help of")
        || flat.contains("by means of")
}

/// A Chinese question with a space in the place of each superlative, which is a part of no name: the segmenter would find 数最多 in 天数最多.
pub(crate) fn without_superlatives(question: &str) -> String {
    let mut bare = String::with_capacity(question.len());
    let mut is_degree = false;
    for c in question.chars() {
        let ends = is_degree && "多少大小高低长短贵重轻早晚新老旧好差快慢远近深浅".contains(c);
        if ends {
            bare.pop();
        }
        bare.push(if ends { ' ' } else { c });
        is_degree = c == '最';
    }
    bare
}

/// A Chinese question with a space in the place of what only asks: the segmenter would join 狗叫.
pub(crate) fn without_asking(question: &str) -> String {
    const ASKING: [&str; 46] = [
        "该怎么办",
        "怎么办",
        "该怎么处理",
        "怎么处理",
        "的话",
        "多长时间",
        "哪个国家",
        "哪国",
        "星期几",
        "礼拜几",
        "周几",
        "几点钟",
        "几点",
        "几月",
        "是什么意思",
        "什么意思",
        "是干什么的",
        "是做什么的",
        "干什么工作",
        "做什么工作",
        "什么工作",
        "什么职业",
        "干什么",
        "叫什么名字",
        "是什么名字",
        "叫什么名",
        "名叫什么",
        "叫什么",
        "姓什么",
        "叫啥",
        "哪一年",
        "哪年",
        "哪一天",
        "哪天",
        "什么时候",
        "哪里",
        "哪儿",
        "为什么",
        "是谁",
        "多大年纪",
        "多大岁数",
        "多大",
        "多高",
        "多长",
        "多重",
        "多远",
    ];
    // at the end it joins nothing, and 改元为什么 asks for no cause
    let ends = question.trim_end_matches(|c: char| !c.is_alphanumeric()).ends_with("为什么");
    let forms = ASKING.iter().filter(|form| **form != "为什么" || !ends);
    let mut bare = forms.fold(question.to_owned(), |text, form| text.replace(form, " "));
    // 哪种假天数最多 asks of 假, and not of 种假
    for kind in ["种", "类", "款", "样", "门", "台", "项", "批", "份", "辆", "栋", "间", "支", "把"]
    {
        bare = bare.replace(&format!("哪{kind}"), " ").replace(&format!("哪一{kind}"), " ");
    }
    bare
}

/// What a pronoun of a question stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PronounReferent {
    /// Somebody, of that gender where the pronoun tells it.
    Person(Option<Gender>),
    /// Several, or anything that is nobody.
    Other,
}

/// The first pronoun of a question that stands for what was spoken of before: "Where did she come from?", 她从哪里来.
pub(crate) fn pronoun(question: &str) -> Option<PronounReferent> {
    let flat = question.to_lowercase();
    if has_han(&flat) {
        let first = flat.find(['他', '她', '它']).filter(|_| refers_back(&flat) || flat.contains('它'))?;
        return Some(match flat.get(first..)?.chars().next()? {
            '她' => PronounReferent::Person(Some(Gender::Female)),
            '它' => PronounReferent::Other,
            _ => PronounReferent::Person(None),
        });
    }
    words(&flat).find_map(|word| match word {
        "she" | "her" | "hers" => Some(PronounReferent::Person(Some(Gender::Female))),
        "he" | "him" | "his" => Some(PronounReferent::Person(Some(Gender::Male))),
        "it" | "its" | "they" | "them" | "their" => Some(PronounReferent::Other),
        _ => None,
    })
}

/// Whether a flat text says a name in so many words: 名曰, "called".
pub(crate) fn says_name(flat: &str) -> bool {
    const CHINESE: [&str; 15] = [
        "，叫", "名曰", "名唤", "名叫", "名为", "取名", "叫做", "叫作", "改名", "唤作", "称为", "，名",
        "，字", "表字", "人称",
    ];
    if has_han(flat) {
        return CHINESE.iter().any(|form| flat.contains(form));
    }
    ["named", "christened"].iter().any(|form| words(flat).any(|word| word == *form))
        || ["called ", "name is ", "name was ", "known as ", "by the name of "]
            .iter()
            .any(|form| flat.contains(form))
}

/// Whether a sentence goes on about what those before it name.
pub(crate) fn continues(flat: &str) -> bool {
    words(flat)
        .take(4)
        .any(|word| ["he", "she", "it", "they", "his", "her", "their", "its", "him", "them"].contains(&word))
        || ["他", "她", "它", "其", "此", "遂", "乃", "这", "某"].iter().any(|form| flat.starts_with(form))
}

/// Whether a sentence speaks of somebody or something by a pronoun anywhere.
pub(crate) fn refers_back(flat: &str) -> bool {
    if has_han(flat) {
        // 其他 and 其中 mean nobody
        let own = |at: usize| {
            !["其他", "其它", "其中", "其余", "其实", "尤其", "极其"].iter().any(|word| {
                flat.match_indices(word).any(|(from, found)| (from..from + found.len()).contains(&at))
            })
        };
        return flat.match_indices(['他', '她', '其']).any(|(at, _)| own(at));
    }
    words(flat).any(|word| ["he", "she", "his", "her", "him"].contains(&word))
}

/// Whether an English sentence speaks by a pronoun of somebody who may be a relative: "she" of a mother.
pub(crate) fn may_mean_relative(flat: &str, relative: &str) -> bool {
    let pronoun = match RELATIVES.iter().find(|(man, woman)| *man == relative || *woman == relative) {
        Some((man, _)) if *man == relative => "he",
        Some(_) => "she",
        None => return false,
    };
    words(flat).any(|word| word == pronoun)
}

/// Whether an English sentence speaks of something by a pronoun: "the council paid 212 pounds for it".
pub(crate) fn speaks_of_it(flat: &str) -> bool {
    !has_han(flat) && words(flat).any(|word| ["it", "its", "they", "them", "their"].contains(&word))
}

/// Whether a sentence speaks by a pronoun of what stands before it, or of one of those.
pub(crate) fn speaks_back(flat: &str) -> bool {
    continues(flat) || refers_back(flat) || is_one_of_them(flat)
}

/// Whether a Chinese sentence speaks of one of those that the sentence before tells of: 最重的一个, 其中.
pub(crate) fn is_one_of_them(flat: &str) -> bool {
    const ONES: [&str; 5] = ["的一个", "的一位", "的一只", "的一条", "的一家"];
    flat.starts_with("其中") || flat.starts_with('最') && ONES.iter().any(|form| flat.contains(form))
}

/// Whether a sentence leaves open who did what it tells: "somebody took them", 被人偷过.
pub(crate) fn leaves_doer_open(flat: &str) -> bool {
    if has_han(flat) {
        // 有人把门打开了, and not 没有人
        let clauses = flat.split(|c: char| !is_han(c));
        return ["被人", "不知是谁", "不知何人", "让人", "叫人"].iter().any(|form| flat.contains(form))
            || clauses.into_iter().any(|clause| clause.starts_with("有人"));
    }
    words(flat).any(|word| ["somebody", "someone", "unidentified", "unknown"].contains(&word))
}

/// People whom a Chinese sentence shows by its form, each with its byte: behind an office or a calling, a family name and
/// one or two characters more that its speech or deed follows.
pub(crate) fn han_people(flat: &str) -> Vec<(usize, &str)> {
    const ENDS: &str = "，。、；：！？（）“”\" 说道曰问答叹笑表是在将把被已于为和与的担出率领向对从";
    // 由于, 由此, 由高到低
    const NO_GIVEN: &str = "于此是至到而";
    let mut found: Vec<(usize, &str)> = cleft_people(flat);
    // who does it stands behind 由, too: 由沈月娥于1952年创办
    let professions = ROLES_OF_PEOPLE.iter().filter(|role| role.ends_with(PROFESSIONS));
    let offices =
        TITLES.iter().chain(CALLS).chain(CHINESE_ROLES).chain(CALLINGS).chain(professions).chain(&["由"]);
    let offices = offices.flat_map(|office| flat.match_indices(office));
    // most callings end alike: 飞行员, 侨商
    let endings = flat.char_indices().filter(|(at, c)| TRADES.contains(*c) && is_word_before(flat, *at));
    let endings = endings.filter_map(|(at, c)| Some((at, flat.get(at..at + c.len_utf8())?)));
    for (at, office) in offices.chain(endings) {
        let begins = at + office.len();
        let behind = flat.get(begins..).unwrap_or_default();
        let mut letters = behind.char_indices();
        // 外甥小邱, 会计老蒋
        if office.chars().count() > 1
            && let Some(end) = familiar_name(behind)
        {
            if !found.iter().any(|(known, _)| *known == begins) {
                found.push((begins, behind.get(..end).unwrap_or_default()));
            }
            continue;
        }
        let is_given = |c: char| is_han(c) && !ENDS.contains(c) && !NO_GIVEN.contains(c);
        let needs_two = office.chars().count() == 1;
        // 学生于一九三七年入学
        let is_date = |c: char| CHINESE_NUMBERS.contains(c) || "是此今".contains(c);
        let is_family = if office.chars().count() > 1 { is_surname } else { is_frequent_surname };
        if !letters.next().is_some_and(|(_, c)| is_family(c))
            || behind.strip_prefix('于').is_some_and(|rest| needs_two || rest.starts_with(is_date))
            || office == "由" && behind.chars().take(2).any(|c| NO_GIVEN.contains(c))
            || needs_two && office != "由" && !behind.chars().skip(1).take(2).all(is_given)
        {
            continue;
        }
        let given: Vec<(usize, char)> =
            letters.take(2).take_while(|(_, c)| is_han(*c) && !ENDS.contains(*c)).collect();
        let Some((last, c)) = given.last() else { continue };
        let end = begins + last + c.len_utf8();
        let name = flat.get(begins..end).unwrap_or_default();
        if !name.is_empty() && !found.iter().any(|(known, _)| *known == begins) {
            found.push((begins, name));
        }
    }
    let addressed = addressed_people(flat).filter(|(at, _)| !found.iter().any(|(known, _)| known == at));
    let addressed: Vec<(usize, &str)> = addressed.collect();
    found.extend(addressed);
    found
}

/// Where a Chinese sentence calls somebody by a family name and how they are addressed: 倪主任, 王阿姨.
fn addressed_people(flat: &str) -> impl Iterator<Item = (usize, &str)> {
    const ADDRESSES: [&str; 24] = [
        "主任", "老师", "医生", "大夫", "护士", "经理", "师傅", "阿姨", "叔叔", "先生", "女士", "太太",
        "教授", "博士", "律师", "会计", "局长", "校长", "院长", "厂长", "队长", "书记", "奶奶", "爷爷",
    ];
    // what a family name may follow; 担任主任 holds none
    const BEHIND: &str = "的找问由请是和与跟给向对叫被及或归让";
    let found = ADDRESSES.iter().flat_map(|address| flat.match_indices(address));
    found.filter_map(|(at, address)| {
        let ahead = flat.get(..at)?;
        let surname = ahead.chars().next_back().filter(|c| is_surname(*c))?;
        let begins = at - surname.len_utf8();
        let before = flat.get(..begins)?.chars().next_back();
        let is_apart = before.is_none_or(|c| !is_han(c) || BEHIND.contains(c));
        is_apart.then(|| Some((begins, flat.get(begins..at + address.len())?)))?
    })
}

/// Bytes behind 的是, 由 and the like where somebody is told by a familiar name or by all of it: 修水管的是老赵.
fn cleft_people(flat: &str) -> Vec<(usize, &str)> {
    const BEFORE: [&str; 5] = ["的是", "由", "请", "归", "被"];
    const ENDS: &str = "，。；！？、,;";
    let found = BEFORE.iter().flat_map(|form| flat.match_indices(form).map(|(at, form)| at + form.len()));
    let name = |begins: usize| {
        let behind = flat.get(begins..)?;
        let end = behind.find(|c| ENDS.contains(c)).unwrap_or(behind.len());
        let name = behind.get(..end)?;
        let letters: Vec<char> = name.chars().collect();
        match letters.as_slice() {
            ['老' | '小' | '阿', surname] if is_frequent_surname(*surname) => Some((begins, name)),
            // 投反对票的是邱建平, and no word of three characters
            [surname, ..] if letters.len() == 3 && is_surname(*surname) && is_no_word(name) => {
                Some((begins, name))
            }
            _ => None,
        }
    };
    found.filter_map(name).collect()
}

/// Whether three characters are a surname and what is no plain word: 高水平 is none.
fn is_no_word(name: &str) -> bool {
    const PLAIN: [&str; 6] = ["n", "v", "vn", "a", "d", "m"];
    match segmenter().tag(name, false).as_slice() {
        // the dictionary has some given names as words
        [surname, given] => {
            surname.word.chars().count() == 1
                && (surname.tag.starts_with("nr") || !PLAIN.contains(&given.tag))
        }
        [_, _, _] => true,
        [whole] => whole.tag.starts_with("nr"),
        _ => false,
    }
}

/// Bytes of the familiar name that a text begins with, where no word goes on behind it: 小邱, 老赵.
fn familiar_name(text: &str) -> Option<usize> {
    let mut letters = text.char_indices();
    let (_, first) = letters.next()?;
    let (at, surname) = letters.next()?;
    let end = at + surname.len_utf8();
    let goes_on = text
        .get(end..)?
        .chars()
        .next()
        .is_some_and(|c| is_han(c) && !"说道在是把被和与管的一也从开先后".contains(c))
        && !begins_with_verb(text.get(end..)?);
    ("老小阿".contains(first) && is_frequent_surname(surname) && !goes_on).then_some(end)
}

/// Whether a Chinese text begins with a verb of two characters: 保管.
fn begins_with_verb(text: &str) -> bool {
    let begins: String = text.chars().take_while(|c| is_han(*c)).take(4).collect();
    let tokens = segmenter().tag(&begins, false);
    tokens.first().is_some_and(|token| token.tag.starts_with('v') && token.word.chars().count() > 1)
}

/// Characters that those roles end in which are of persons alone: 厂长, and not 代表.
const PROFESSIONS: [char; 7] = ['长', '员', '师', '家', '人', '官', '手'];

/// Characters that a calling of two or more ends in.
const TRADES: &str = "员商师匠医";

/// Whether a character stands before a byte that may begin the word which ends there.
fn is_word_before(flat: &str, at: usize) -> bool {
    let before = flat.get(..at).and_then(|before| before.chars().next_back());
    before.is_some_and(|c| is_han(c) && !"的了是在有和与及、，。先".contains(c))
}

/// Callings and ranks that stand before a name, beside the offices that extraction knows.
const CALLINGS: &[&str] = &[
    "总监",
    "会计",
    "司机",
    "护士",
    "裁缝",
    "厨师",
    "园丁",
    "门卫",
    "保安",
    "邻居",
    "同事",
    "同学",
    "战友",
    "外甥",
    "外甥女",
    "侄女",
    "侄子",
    "女婿",
    "孙子",
    "孙女",
    "姐夫",
    "堂弟",
    "堂兄",
    "老伴",
    "徒弟",
    "邮递员",
    "教师",
    "技术官",
    "财务官",
    "运营官",
    "执行官",
    "掌柜",
    "发言人",
    "创始人",
    "负责人",
    "值班员",
    "秘书",
    "主任",
    "师傅",
    "商人",
    "建筑师",
    "设计师",
    "分析师",
    "店主",
    "主管",
    "助理",
    "教练",
    "船长",
    "学者",
    "作者",
    "学生",
    "千总",
    "知县",
    "知府",
    "巡抚",
    "总督",
    "编修",
    "弟子",
    "门生",
    "长子",
    "次子",
    "其弟",
    "其兄",
    "其妻",
    "其子",
    "其女",
    "其侄",
    "叔父",
    "表弟",
    "表兄",
    "表哥",
    "女儿",
    "儿子",
    "妻子",
    "丈夫",
    "姑母",
    "舅父",
    "铁匠",
    "木匠",
    "猎户",
    "渔夫",
    "医师",
    "郎中",
];

/// From 0 to 1: whether the sentence tells things apart.
pub(crate) fn compares(flat: &str) -> f64 {
    let english = [
        "unlike",
        "while",
        "whereas",
        "than",
        "compared",
        "in contrast",
        "differ",
        "instead of",
        "rather than",
        "but ",
        "both ",
        "similar",
        "equal",
    ];
    let chinese = ["而", "不同", "不像", "比", "相比", "却", "则", "区别", "差别", "不如", "都", "相同"];
    let forms: &[&str] = if has_han(flat) { &chinese } else { &english };
    if forms.iter().any(|form| flat.contains(form)) { 1.0 } else { 0.3 }
}

/// Whether a word has the form of a participle.
pub(crate) fn is_participle(word: &str) -> bool {
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    word.chars().all(char::is_lowercase)
        && (word.len() > 3 && (word.ends_with("ed") || word.ends_with("en"))
            || FIRST_FORMS.binary_search_by_key(&word, |(form, _)| form).is_ok())
}

/// Whether a flat text holds a great number, or says that something costs nothing: an amount without its coin.
pub(crate) fn tells_amount(flat: &str) -> bool {
    const GREAT: [&str; 8] =
        ["million", "billion", "trillion", "thousand", "hundred", "free", "nothing", "each"];
    if has_han(flat) {
        return flat.contains(['万', '亿', '千', '百']) || flat.contains("免费");
    }
    let all: Vec<&str> = words(flat).collect();
    all.iter().enumerate().any(|(at, word)| {
        // "632 rooms" are no money, nor is the year 1513
        let is_coin = |next: &&str| COINS.binary_search(next).is_ok();
        let counts =
            all.get(at + 1).is_some_and(|next| next.len() > 3 && next.ends_with('s') && !is_coin(next));
        let is_year = word.len() == 4 && is_year(word);
        GREAT.contains(word) || word.bytes().filter(u8::is_ascii_digit).count() > 2 && !is_year && !counts
    })
}

/// Whether a flat text holds a number that counts: no ordinal, nor "one".
pub(crate) fn tells_count(flat: &str) -> bool {
    const ORDINALS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];
    has_han(flat) || words(flat).any(|word| is_number(word) && !ORDINALS.contains(&word))
}

/// Whether a word is of what bears a name of its own: a town, a school, a ship.
pub(crate) fn bears_name(word: &str) -> bool {
    const BEARERS: [&str; 31] = [
        "academy",
        "bank",
        "band",
        "book",
        "brewery",
        "church",
        "city",
        "club",
        "college",
        "company",
        "country",
        "firm",
        "hospital",
        "hotel",
        "magazine",
        "newspaper",
        "novel",
        "opera",
        "orchestra",
        "river",
        "school",
        "ship",
        "song",
        "state",
        "street",
        "team",
        "theatre",
        "town",
        "university",
        "village",
        "vessel",
    ];
    BEARERS.contains(&word)
}

/// Relatives, men beside women.
const RELATIVES: [(&str, &str); 8] = [
    ("father", "mother"),
    ("son", "daughter"),
    ("brother", "sister"),
    ("husband", "wife"),
    ("uncle", "aunt"),
    ("nephew", "niece"),
    ("grandfather", "grandmother"),
    ("grandson", "granddaughter"),
];

/// Whether a word says whose relative somebody is.
pub(crate) fn is_relative(word: &str) -> bool {
    RELATIVES.iter().any(|(man, woman)| *man == word || *woman == word)
}

/// Whether a sentence tells of the relative of the other sex than is asked for, and not of the one, nor by a child that
/// has both: a father is no mother.
pub(crate) fn tells_other_relative(flat: &str, asked: &str) -> bool {
    let mut pairs = RELATIVES.iter().filter(|(man, _)| *man != "husband");
    let other = pairs.find_map(
        |(man, woman)| {
            if asked == *man { Some(*woman) } else { (asked == *woman).then_some(*man) }
        },
    );
    let holds = |told: &str| words(flat).any(|word| word == told);
    let is_of_both = ["father", "mother"].contains(&asked)
        && ["son", "daughter", "child", "born", "parents"].into_iter().any(holds);
    other.is_some_and(holds) && !holds(asked) && !is_of_both
}

/// Relatives by what Chinese texts call them, of either sex.
const CHINESE_RELATIVES: [(&[&str], &[&str]); 9] = [
    (&["祖父", "爷爷"], &["祖母", "奶奶"]),
    (&["外祖父", "外公", "姥爷"], &["外祖母", "外婆", "姥姥"]),
    (&["曾祖父"], &["曾祖母"]),
    (&["父亲", "爸爸"], &["母亲", "妈妈"]),
    (&["岳父"], &["岳母"]),
    (&["伯父", "大伯"], &["伯母"]),
    (&["舅舅", "舅父"], &["舅妈", "舅母"]),
    (&["哥哥"], &["姐姐"]),
    (&["弟弟"], &["妹妹"]),
];

/// Whether a Chinese sentence tells of the relative of the other sex than a question asks about, and not of that one: 祖父 is no 祖母.
pub(crate) fn tells_other_chinese_relative(question: &str, flat: &str) -> bool {
    let says = |text: &str, words: &[&str]| {
        words.iter().any(|word| {
            text.match_indices(word).any(|(at, _)| {
                let behind = text.get(at + word.len()..).unwrap_or_default();
                // 祖父母 are both
                !text.get(..at).unwrap_or_default().ends_with(['外', '曾', '高', '太'])
                    && !behind.starts_with('母')
            })
        })
    };
    let is_other = |asked: &[&str], other: &[&str]| {
        says(question, asked) && !says(question, other) && says(flat, other) && !says(flat, asked)
    };
    CHINESE_RELATIVES.iter().any(|(men, women)| is_other(men, women) || is_other(women, men))
}

/// Whether a part of a name at `at` belongs to somebody else: "Mrs. Cratchit" is not Bob.
pub(crate) fn is_another(flat: &str, at: usize, whole: &str) -> bool {
    let before = flat.get(..at).unwrap_or_default();
    let last = words(before).last().unwrap_or_default();
    before.trim_end_matches(['.', ' ']).ends_with(last)
        && ["mrs", "miss", "ms", "master", "lady", "young"].contains(&last)
        && !whole.contains(last)
}

/// Whether a word is the place of a file, as manuals write it: `~/.config`, `.data/`.
pub(crate) fn is_path(word: &str) -> bool {
    let bare = word.trim_start_matches(['(', '"', '\'']);
    let inner = bare.trim_start_matches('`');
    let is_dotted = inner.starts_with('.') && inner.chars().nth(1).is_some_and(char::is_alphanumeric);
    is_dotted || inner.starts_with("~/") || bare.starts_with('`') && inner.contains('/')
}

/// Whether an English text holds a verb that says something of somebody, as far as its form shows it.
pub(crate) fn holds_verb(flat: &str) -> bool {
    const PLAIN: [&str; 17] = [
        "is", "are", "was", "were", "am", "be", "been", "has", "have", "had", "do", "does", "did", "will",
        "would", "can", "must",
    ];
    words(flat).any(|word| {
        PLAIN.contains(&word)
            || word.len() > 4 && word.ends_with("ed")
            || word.ends_with("'s")
                && ["it's", "he's", "she's", "that's", "there's", "here's"].contains(&word)
            || is_irregular_past(word)
    })
}

/// Whether a flat text names a day: by its month, or as one of the week.
pub(crate) fn tells_day(flat: &str) -> bool {
    const WEEK: [&str; 3] = ["星期", "礼拜", "周"];
    if has_han(flat) {
        let numbered = |at: usize, mark: &str| {
            let behind = flat.get(at + mark.len()..).unwrap_or_default();
            behind.starts_with(|c: char| "一二三四五六日天".contains(c))
        };
        return WEEK.iter().any(|mark| flat.match_indices(mark).any(|(at, _)| numbered(at, mark)))
            || flat.match_indices('月').any(|(at, _)| {
                let before = flat.get(..at).and_then(|before| before.chars().next_back());
                before.is_some_and(|c| c.is_ascii_digit() || "一二三四五六七八九十正腊".contains(c))
            });
    }
    let all: Vec<&str> = words(flat).collect();
    let is_number = |at: Option<usize>| {
        at.and_then(|at| all.get(at)).is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()))
    };
    // "may" and "march" are verbs, too
    let is_dated = |(at, word): (usize, &&str)| {
        month_of(word).is_some() && (is_number(at.checked_sub(1)) || is_number(Some(at + 1)))
    };
    all.iter().any(|word| is_weekday(word)) || all.iter().enumerate().any(is_dated)
}

/// Whether a word is a form of an irregular verb that its first form stands for.
pub(crate) fn is_irregular_past(word: &str) -> bool {
    FIRST_FORMS.binary_search_by_key(&word, |(form, _)| form).is_ok()
}

/// Whether a word is a role that people have.
pub(crate) fn is_role(word: &str) -> bool {
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    ROLES.binary_search(&word).is_ok()
}

fn has_han(flat: &str) -> bool {
    flat.chars().take(200).any(is_han)
}

fn words(flat: &str) -> impl Iterator<Item = &str> {
    flat.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '-'))
        .map(|word| word.trim_matches(['\'', '-']))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_times() {
        for told in [
            "open from 9 am to 5 pm.",
            "it begins at 7.30 p.m. in the hall",
            "we met at 9:15.",
            "closed by 10pm",
        ] {
            assert!(dates(told) > 0.9, "{told}");
        }
        for other in
            ["it costs £9.15 a piece", "version 9.15", "chapter 3:1", "it weighs 5 kg", "they won by 101:99"]
        {
            assert!(hour_places(other).is_empty(), "{other}");
        }
        assert_eq!(date_places("open from 9 am to 5 pm"), [2, 5]);
    }

    #[test]
    fn a_record_says_first_what_it_measures() {
        let weighs = |text: &str| is_labelled_measure(text, QuantityKind::Weight);
        assert!(weighs("weight 15.6 kg.") && weighs("体重 15.6 公斤"));
        assert!(
            !weighs("the weight is 15.6 kg.") && !weighs("weight not taken.") && !weighs("height 40 cm.")
        );
    }

    #[test]
    fn a_father_is_no_mother() {
        assert!(tells_other_relative("mikael is the father of elias.", "mother"));
        assert!(!tells_other_relative("elias is a son of the father of the church.", "mother"));
        assert!(!tells_other_relative("his father and his mother were teachers.", "mother"));
        assert!(tells_other_relative("she lived with her brother.", "sister"));
        assert!(!tells_other_relative("her husband was a smith.", "wife"));
    }

    #[test]
    fn an_age_may_be_all_that_is_said_of_somebody() {
        let tells = |text| measures(text, QuantityKind::Age);
        assert!(tells("she was 90.") && tells("ann lee was ninety-one, and blind."));
        assert!(!tells("it was 90.") && !tells("she was 90 miles away.") && !tells("she was here."));
    }

    #[test]
    fn days_of_the_week_and_hours_are_times() {
        for text in ["每周一闭馆。", "星期天休息。", "早上九点开门。", "封箱机本月二十号到货。"]
        {
            assert!(dates(text) > 0.9 && !date_places(text).is_empty(), "{text}");
        }
        assert!(dates("一周之内就好。") < 0.9);
        assert!(dates("三号楼停水。") < 0.9);
    }

    #[test]
    fn ordinals_and_articles_count_nothing() {
        assert!(counts("一个车位也没有。", "车位") < counts("有六十四个车位。", "车位"));
        assert!(counts("得了第二名。", "") < 0.1 && counts("来了二名。", "") > 0.3);
    }

    #[test]
    fn who_it_was_stands_behind_the_cleft() {
        let people =
            |text: &'static str| han_people(text).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(people("投反对票的是邱建平，他认为太贵。"), ["邱建平"]);
        assert_eq!(people("由会计老蒋保管。"), ["老蒋"]);
        assert!(people("想要的是高速路。").is_empty() && people("难得的是方便面。").is_empty());
    }

    #[test]
    fn versions_are_numbers_with_points() {
        let places = |text| measure_places(text, QuantityKind::Version);
        assert_eq!(places("you need rust 1.92 or later"), [3]);
        assert_eq!(places("it is called v2 now"), [3]);
        assert!(places("it was said in may.").is_empty());
        assert_eq!(places("需要neo4j 5.26以上"), [4]);
    }

    #[test]
    fn lists_are_sorted() {
        assert!(FIRST_FORMS.is_sorted_by_key(|(form, _)| form));
        assert!(ROLES.is_sorted_by(|a, b| a < b), "{:?}", ROLES.windows(2).find(|w| w[0] >= w[1]));
    }

    #[test]
    fn british_and_american_spellings_have_one_stem() {
        for (one, other) in [
            ("colour", "color"),
            ("harbours", "harbors"),
            ("centre", "center"),
            ("licence", "license"),
            ("organised", "organized"),
            ("defence", "defense"),
        ] {
            assert_eq!(stem(one), stem(other));
        }
        assert_ne!(stem("hour"), stem("hor"));
    }

    #[test]
    fn people_are_shown_by_their_callings() {
        let people = |flat| han_people(flat).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(people("总经理高文斌已于四月批准本报告。"), ["高文斌"]);
        assert_eq!(people("掌柜钱万利，为人刻薄。"), ["钱万利"]);
        assert_eq!(people("由叔父段怀仁抚养成人。"), ["段怀仁"]);
        assert_eq!(people("茶馆由沈月娥于1952年创办。"), ["沈月娥"]);
        assert_eq!(people("一架钢琴，是侨商林国梁捐赠的。"), ["林国梁"]);
        assert_eq!(people("写信人是飞行员顾长风。"), ["顾长风"]);
        assert_eq!(people("账由退休会计古月英管。"), ["古月英"]);
        assert_eq!(people("接他班的是外甥小邱。"), ["小邱"]);
        assert!(people("大家高兴地走了，学生于是散去，老师于一九三七年回来。").is_empty());
        assert!(people("由于天气，由高到低排列。").is_empty());
        assert!(people("公司总部位于下关。").is_empty());
    }

    #[test]
    fn a_pronoun_tells_whom_it_may_stand_for() {
        assert_eq!(pronoun("Where did she come from?"), Some(PronounReferent::Person(Some(Gender::Female))));
        assert_eq!(pronoun("他什么时候来的？"), Some(PronounReferent::Person(None)));
        assert_eq!(pronoun("How long is it?"), Some(PronounReferent::Other));
        assert_eq!(pronoun("其他人呢？"), None);
        assert_eq!(pronoun("Where is the mill?"), None);
    }

    #[test]
    fn a_home_is_told_in_many_words() {
        for text in [
            "陈大有是常熟人。",
            "陈大有，湖南长沙人，早年当兵。",
            "陈大有祖籍山东。",
            "陈大有原籍泉州。",
            "他是柳河县人。",
        ] {
            assert!(tells_origin(text) > 1.0, "{text}");
        }
        assert!(tells_origin("its first director was the swiss astronomer ann lee.") > 0.9);
        assert!(tells_origin("ann lee bought a french horn.") < 0.9);
        for text in ["陈大有是主持人。", "他是个老实人。", "陈大有当了队长。"] {
            assert!(tells_origin(text) < 1.0, "{text}");
        }
    }

    #[test]
    fn amounts_stand_before_a_coin_or_behind_what_pays_them() {
        let tells = |text| measures(text, QuantityKind::Money);
        for text in [
            "一共两千银元",
            "工钱一天一百五十块。",
            "十二块一斤",
            "造价七十八万元",
            "花了四十六万，",
            "赔了 3.5 万元",
            "捐银八百两。",
            "三十多块钱",
        ] {
            assert!(tells(text), "{text}");
        }
        for text in ["三块石头", "出动六十七次", "队里有两百人", "住着五万人。"] {
            assert!(!tells(text), "{text}");
        }
    }

    #[test]
    fn chinese_units_of_two_characters_are_known() {
        assert!(
            measures("重四十二公斤。", QuantityKind::Weight)
                && measures("长 38 公里。", QuantityKind::Length)
        );
        assert!(
            measures("走了三个小时。", QuantityKind::Duration)
                && measures("前后八个多月。", QuantityKind::Duration)
        );
        assert!(
            !measures("里面有人。", QuantityKind::Length) && !measures("三个人。", QuantityKind::Duration)
        );
    }

    #[test]
    fn who_somebody_is_is_told_of_them() {
        let told = |flat: &str, name: &str| defines(flat, find_name(flat, name).unwrap());
        assert!(
            told("第一任队长叫麻天宝，是撑船的。", "麻天宝")
                > 0.5 + told("队长是麻天宝的孙女麻晓云。", "麻天宝")
        );
        let (trained, given) =
            ("he sold it to ann lee, who had trained as a chemist.", "ann lee was given a medal.");
        assert!(told(trained, "ann lee") > told(given, "ann lee"));
    }

    #[test]
    fn irregular_forms_have_one_stem() {
        assert_eq!(stem("driven"), stem("drives"));
        assert_eq!(stem("stolen"), stem("steal"));
        assert_eq!(stem("sang"), stem("singing"));
    }

    #[test]
    fn whoever_holds_an_office_is_a_person() {
        let people =
            |text: &'static str| han_people(text).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(people("厂长周立群因为与股东意见不合辞职。"), ["周立群"]);
        assert_eq!(people("馆长是林晓燕。"), Vec::<&str>::new());
    }

    #[test]
    fn a_place_before_人_is_a_home() {
        assert!(tells_origin("陈桂芳是绍兴人，早年在上海教书。") > 1.0);
        assert!(tells_origin("陈桂芳是好人。") < 1.0 && tells_origin("陈桂芳是商人。") < 1.0);
    }

    #[test]
    fn ideographs_beside_a_name_end_it() {
        assert!(find_name("琴社2022年的支出为三十一万元", "2022年").is_some());
        assert!(find_name("公司使用azure云", "azure").is_some());
        assert!(find_name("azureus is another", "azure").is_none());
    }

    #[test]
    fn familiar_names_are_people() {
        assert_eq!(
            han_people("修水管的是老赵，收了九百元。").into_iter().map(|(_, name)| name).collect::<Vec<_>>(),
            ["老赵"]
        );
        assert!(han_people("最难得的是老实。").is_empty() && han_people("由小学生组成。").is_empty());
        assert_eq!(han_people("投诉找办公室的倪主任；"), [("投诉找办公室的".len(), "倪主任")]);
        assert!(han_people("办公室主任出差。").is_empty() && han_people("他担任主任。").is_empty());
    }

    #[test]
    fn a_name_is_said_in_so_many_words() {
        assert!(says_name("造桥一座，名曰还恩桥。") && says_name("the dog is called bramble."));
        assert!(!says_name("造桥一座。") && !says_name("he called."));
    }

    #[test]
    fn years_and_what_is_counted_are_no_amounts() {
        assert!(tells_amount("it was sold for 3200 in all.") && tells_amount("it cost a million."));
        assert!(tells_amount("they were fined 400 pounds."));
        assert!(!tells_amount("the map was drawn in 1513.") && !tells_amount("the hotel has 632 rooms."));
    }

    #[test]
    fn what_only_asks_is_no_word() {
        assert_eq!(without_asking("茶馆的狗叫什么名字？"), "茶馆的狗 ？");
        assert_eq!(without_asking("沈文远哪一年去世？"), "沈文远 去世？");
        assert_eq!(without_asking("兴平以后改元为什么？"), "兴平以后改元为什么？");
    }

    #[test]
    fn a_series_gives_each_year_a_number() {
        assert!(tells_series("it had 412 pupils in 2022 and 437 in 2023."));
        assert!(tells_series("2022年产茶310吨，2023年产茶355吨。"));
        assert!(!tells_series("it was built from 2019 to 2022."));
        assert!(!tells_series("412 pupils came in 2022."));
    }

    #[test]
    fn means_are_told_by_their_words() {
        assert!(tells_means("they came in through a skylight."));
        assert!(tells_means("she opened it by turning the key twice."));
        assert!(!tells_means("the door was opened by the keeper by morning."));
        assert!(tells_means("他们用梯子翻过了墙。") && !tells_means("他们翻过了墙。"));
    }

    #[test]
    fn a_clause_behind_a_comma_may_give_the_reason() {
        assert!(reasons("they quarrelled, for the will left all to him.") > 0.4);
        assert!(reasons("they left for good.") < 0.3);
    }

    #[test]
    fn a_pronoun_refers_back_wherever_it_stands() {
        assert!(
            refers_back("许广平是他的妻子。")
                && refers_back("谪其为驿丞。")
                && refers_back("the king sent him.")
        );
        assert!(!refers_back("其中一人走了。") && !refers_back("the king came."));
    }

    #[test]
    fn definitions_are_told_by_their_form() {
        let score = |flat: &str, name: &str| defines(flat, find_name(flat, name).expect("named"));
        assert!(score("bob cratchit, clerk to ebenezer scrooge.", "bob cratchit") > 0.9);
        assert!(score("fred was scrooge's nephew.", "fred") > 0.9);
        assert!(score("it was his clerk, bob cratchit, who came.", "bob cratchit") > 0.7);
        assert!(score("'not coming,' said bob cratchit.", "bob cratchit") < 0.1);
        assert!(score("i met the well-known singer, ada moon.", "ada moon") > 0.8);
        assert!(score("in the winter, ada moon came.", "ada moon") < 0.1);
        assert!(score("you were always a good man of business, ada moon.", "ada moon") < 0.85);
        assert!(score("in the corner, ada moon sat.", "ada moon") < 0.1);
        assert!(score("ada moon is married.", "ada moon") < 0.6);
        assert!(score("孙坚，字文台，吴郡富春人也", "孙坚") > 0.9);
        assert!(score("且说曹操出马", "曹操") < 0.1);
        assert!(find_name("scrooges", "scrooge").is_none());
        assert!(find_told_name("其人曰：某姓关名羽，字长生", "关羽").is_some());
        assert!(find_told_name("姓曹，名操，字孟德", "曹操").is_some());
    }

    #[test]
    fn times_numbers_and_reasons_are_told_by_their_words() {
        assert_eq!(measure_places("出资18.6亿元收购股权。", QuantityKind::Money).len(), 1);
        assert!(reasons("进水是因为电线被咬断。") > reasons("老人因病退休。"));
        assert!(dates("marley died seven years ago this very night.") > 0.9);
        assert!(dates("建宁二年四月望日") > 0.9);
        assert!(dates("scrooge said nothing.") < 0.1);
        assert!(counts("he had fifteen shillings a week", "shillings") > 0.9);
        assert!(counts("重八十二斤", "重") > 0.9);
        assert!(counts("no one came", "") < 0.1);
        assert!(reasons("because it was cold") > 0.9);
        assert!(locates("He lived in Camden Town.", "he lived in camden town.") > 0.5);
    }
}
