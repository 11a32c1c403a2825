//! Whether a sentence tells how something is now, how it came to be, or how it once was. Texts are flat: lower case, white
//! space squeezed.

use super::words::is_han;
use std::ops::RangeInclusive;

/// When what a sentence tells holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// By its own words: "now", "since 1921 it has been", 现有.
    Now,
    /// As of a change: "was raised to", 增至.
    Later,
    /// No more: "at first", "until 1920", 当初.
    Once,
    /// It says nothing of that.
    Unsaid,
}

const NOW: &[&str] = &[
    "now",
    "today",
    "currently",
    "nowadays",
    "presently",
    "at present",
    "these days",
    "to this day",
    "as of today",
];
const LATER: &[&str] = &[
    "raised to",
    "rose to",
    "risen to",
    "grew to",
    "grown to",
    "increased to",
    "reduced to",
    "lowered to",
    "cut to",
    "fell to",
    "fallen to",
    "expanded to",
    "went up to",
    "later",
    "has since",
    "have since",
];
const ONCE: &[&str] = &[
    "at first",
    "was first",
    "were first",
    "originally",
    "initially",
    "formerly",
    "used to",
    "until",
    "at that time",
    "in those days",
    "back then",
    "in the beginning",
    "began with",
    "started with",
    "opened with",
    "once",
];
const CHINESE_NOW: &[&str] = &[
    "现有", "现在", "现任", "现为", "现已", "现存", "现年", "现价", "现由", "目前", "如今", "当前", "至今",
    "眼下", "今天", "以来",
];
const CHINESE_LATER: &[&str] = &[
    "后来",
    "增至",
    "增加到",
    "增加至",
    "扩大到",
    "扩至",
    "升至",
    "上升到",
    "涨到",
    "涨至",
    "提高到",
    "提高至",
    "降至",
    "降到",
    "减至",
    "减少到",
    "改为",
    "达到",
];
const CHINESE_ONCE: &[&str] = &[
    "最初",
    "起初",
    "当初",
    "原先",
    "原来",
    "原有",
    "原为",
    "当时",
    "那年",
    "那时",
    "从前",
    "过去",
    "以前",
    "曾",
    "开业时",
    "刚开",
];

/// What says that somebody leaves an office, and that somebody comes into one.
const LEAVES: &[&str] = &[
    "resigned",
    "resigns",
    "resignation",
    "stepped down",
    "stood down",
    "steps down",
    "retires",
    "former",
    "formerly",
    "left",
    "quit",
    "gave up",
    "gives up",
    "is giving up",
    "has given up",
    "stands down",
    "steps back",
    "is leaving",
    "will leave",
    "retiring",
    "handed over",
    "hands over",
    "dismissed",
];
const COMES: &[&str] = &[
    "took over",
    "taken over",
    "takes over",
    "take over",
    "taking over",
    "succeeded",
    "succeeds",
    "replaced",
    "replaces",
    "was elected",
    "were elected",
    "has been elected",
    "was appointed",
    "has been appointed",
    "was chosen",
    "was named",
    "in his place",
    "in her place",
    "his place",
    "her place",
    "successor",
    "new",
    "became",
];
const CHINESE_LEAVES: &[&str] = &[
    "辞去",
    "辞职",
    "辞了",
    "前任",
    "离任",
    "卸任",
    "离职",
    "退位",
    "退下",
    "不再",
    "请辞",
    "调走",
    "去世",
    "调任",
    "不干了",
];
const CHINESE_COMES: &[&str] = &[
    "接替", "接任", "继任", "接班", "接手", "接过", "新任", "新来", "当选", "上任", "选为", "选出", "出任",
    "任命", "现任", "接管", "改由", "交给",
];

/// Whether a sentence tells that somebody leaves an office, and nothing of who comes into one.
pub(crate) fn only_leaves(flat: &str) -> bool {
    (says_any(flat, LEAVES, CHINESE_LEAVES) || retires(flat)) && !comes(flat)
}

/// Whether somebody retires, and is not what he was before: a retired teacher, 退休教师.
fn retires(flat: &str) -> bool {
    const BEHIND: [&str; 8] = [".", ",", ";", " in ", " from ", " as ", " at ", " last "];
    let ends = |form: &str, behind: &[&str]| {
        let mut found = flat.match_indices(form).filter_map(|(at, found)| flat.get(at + found.len()..));
        found.any(|rest| rest.is_empty() || behind.iter().any(|next| rest.starts_with(next)))
    };
    ends("retired", &BEHIND) || ends("退休", &["，", "。", "；", "了", "后"])
}

/// Whether a sentence tells that somebody comes into an office.
pub(crate) fn comes(flat: &str) -> bool {
    says_any(flat, COMES, CHINESE_COMES)
}

fn says_any(flat: &str, english: &[&str], chinese: &[&str]) -> bool {
    if flat.chars().any(is_han) {
        return chinese.iter().any(|form| flat.contains(form));
    }
    english.iter().any(|form| super::questions::find_name(flat, form).is_some())
}

/// When what a sentence tells holds, by its words.
pub(crate) fn holds(flat: &str) -> Holds {
    if flat.chars().any(is_han) {
        return in_chinese(flat);
    }
    let says = |forms: &[&str]| forms.iter().any(|form| super::questions::find_name(flat, form).is_some());
    let goes_on = ["is", "are", "has", "have"];
    if says(NOW) || says(&["since"]) && says(&goes_on) {
        Holds::Now
    } else if says(ONCE) {
        Holds::Once
    } else if says(LATER) {
        Holds::Later
    } else {
        Holds::Unsaid
    }
}

/// Whether a flat sentence tells a plan that was: "the fair was to be on 13 July", 原定.
pub(crate) fn was_planned(flat: &str) -> bool {
    const ENGLISH: &[&str] = &[
        "was due",
        "were due",
        "had been due",
        "was planned",
        "were planned",
        "had been planned",
        "was going to",
        "were going to",
        "was meant to",
        "were meant to",
        "was supposed to",
        "were supposed to",
        "was scheduled",
        "were scheduled",
        "had been scheduled",
    ];
    // "was to skipper the run", but not "was to blame"
    let was_to = ["was to ", "were to "].iter().any(|form| {
        let rest = flat.split_once(form).map(|(_, rest)| rest);
        rest.is_some_and(|rest| {
            !["blame", "the ", "a ", "his ", "her "].iter().any(|other| rest.starts_with(other))
        })
    });
    was_to || says_any(flat, ENGLISH, &["原定", "原计划", "原拟", "本来定", "本来打算", "本应", "本该"])
}

/// Whether a flat sentence takes back, bounds or brings up to date what the one before it says: "But not on Sundays", "Since
/// 1 January it is 4471", 但七十岁以上老人不受此限.
pub(crate) fn amends(flat: &str) -> bool {
    const ENGLISH: &[&str] =
        &["but", "however", "instead", "not", "except", "unless", "exception", "exceptions"];
    const CHINESE: &[&str] = &["但", "不过", "然而", "可是", "只是", "除", "例外", "而今", "后改", "现改"];
    if flat.chars().any(is_han) {
        return CHINESE.iter().any(|form| flat.starts_with(form))
            || begins_now(flat, &["现在", "如今", "自", "从"]);
    }
    let first = flat.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    ENGLISH.contains(&first) || begins_now(flat, &["since ", "now ", "today ", "as of "])
}

/// Whether a flat sentence tells from its beginning on how something is now.
fn begins_now(flat: &str, forms: &[&str]) -> bool {
    forms.iter().any(|form| flat.starts_with(form)) && holds(flat) == Holds::Now
}

fn in_chinese(flat: &str) -> Holds {
    let says = |forms: &[&str]| forms.iter().any(|form| flat.contains(form));
    // 自2003年起
    let since = flat.find('自').is_some_and(|at| flat.get(at..).is_some_and(|rest| rest.contains('起')));
    if says(CHINESE_NOW) || since {
        Holds::Now
    } else if says(CHINESE_ONCE) {
        Holds::Once
    } else if says(CHINESE_LATER) {
        Holds::Later
    } else {
        Holds::Unsaid
    }
}

/// Years that a number of four digits may be.
const YEARS: RangeInclusive<i32> = 1000..=2100;

/// The last year that a sentence names: behind a preposition or a month, or before 年.
pub(crate) fn last_year(flat: &str) -> Option<i32> {
    const BEFORE: [&str; 9] = ["in", "since", "from", "by", "of", "during", "to", "until", "after"];
    let year =
        |digits: &str| digits.parse::<i32>().ok().filter(|year| digits.len() == 4 && YEARS.contains(year));
    if flat.chars().any(is_han) {
        let named = flat.match_indices('年').filter_map(|(at, _)| {
            let digits = flat.get(..at)?.bytes().rev().take_while(u8::is_ascii_digit).count();
            year(flat.get(at - digits..at)?)
        });
        return named.max();
    }
    let mut before = "";
    let mut last = None;
    for word in flat.split(' ') {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_named = BEFORE.contains(&before)
            || super::vocabulary::calendar::is_month(before)
            || before.parse::<u32>().is_ok_and(|day| day < 32);
        if let Some(year) = year(bare).filter(|_| is_named) {
            last = last.max(Some(year));
        }
        before = bare;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_now_is_told_from_what_once_did() {
        let check = |sentence: &str, expected: Holds| assert_eq!(holds(sentence), expected, "{sentence}");
        check("the fare is now seven cents.", Holds::Now);
        check("since 1921 it has been seven cents.", Holds::Now);
        check("since he left, nobody came.", Holds::Unsaid);
        check("it was first set at five cents.", Holds::Once);
        check("it cost five cents until 1920.", Holds::Once);
        check("in 1921 it was raised to seven cents.", Holds::Later);
        check("nobody knows the fare.", Holds::Unsaid);
        check("馆内现有藏书三万册。", Holds::Now);
        check("自2003年起票价为五元。", Holds::Now);
        check("起初只有四百册。", Holds::Once);
        check("1958年增至九百册。", Holds::Later);
        check("馆长是林晓燕。", Holds::Unsaid);
    }

    #[test]
    fn what_was_planned_is_amended_by_what_follows() {
        assert!(was_planned("the summer fair was to be on 13 july.") && was_planned("会议原定三月举行。"));
        assert!(was_planned("ann was to skipper the run.") && !was_planned("the way was to the left."));
        assert!(!was_planned("the fair is on 13 july.") && !was_planned("he was to blame."));
        for amending in [
            "but not on sundays.",
            "however, the pool stays shut.",
            "not on wednesdays.",
            "since 1 january it is 4471.",
            "now it is 4471.",
            "但七十岁以上老人不受此限。",
            "现在是五元。",
        ] {
            assert!(amends(amending), "{amending}");
        }
        for other in [
            "since he left, nobody came.",
            "it is 4471.",
            "nothing else changed.",
            "自己做。",
            "他但求一死。",
        ] {
            assert!(!amends(other), "{other}");
        }
    }

    #[test]
    fn whoever_leaves_an_office_is_not_who_comes() {
        assert!(only_leaves("the treasurer, ann lee, resigned in may."));
        assert!(!only_leaves("ann lee resigned and ben cole took over."));
        assert!(comes("her place was taken by ben cole.") && !comes("ann lee is the treasurer."));
        assert!(only_leaves("前任会计沈月八月辞去了职务。") && comes("接替她的是汤民。"));
    }

    #[test]
    fn years_are_no_other_numbers() {
        assert_eq!(last_year("from 1900 to 1921 it sold 2000 loaves."), Some(1921));
        assert_eq!(last_year("on 3 may 1921 it closed."), Some(1921));
        assert_eq!(last_year("it sold 2000 loaves."), None);
        assert_eq!(last_year("1931年开张，1958年搬家。"), Some(1958));
        assert_eq!(last_year("用了20年。"), None);
    }
}
