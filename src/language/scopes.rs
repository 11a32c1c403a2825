//! What limits a statement: the place, the time or the part that it is told of; and whether it is a rumour, a denial or a
//! memory. Two statements of different scope contradict each other as little as two of different names.

use super::is_stop_word;
use super::vocabulary::calendar::is_weekday;

/// Words that lead to a place, a time or a part.
const LEADS: [&str; 16] = [
    "in",
    "at",
    "for",
    "across",
    "within",
    "outside",
    "during",
    "per",
    "under",
    "among",
    "from",
    "of",
    "by",
    "on",
    "between",
    "throughout",
];
/// Those of them that a sentence may begin with.
const OPENS: [&str; 7] = ["in", "at", "for", "across", "within", "outside", "during"];
/// Words between them and what they lead to.
const ARTICLES: [&str; 12] =
    ["the", "a", "an", "its", "their", "our", "his", "her", "this", "that", "these", "those"];
/// What ends a phrase, besides small words.
const ENDS: [&str; 6] = ["since", "until", "although", "while", "whereas", "compared"];
/// What limits nothing: "in total", "around the world", "as of today".
const WHOLE: [&str; 17] = [
    "total",
    "all",
    "world",
    "worldwide",
    "globally",
    "group",
    "company",
    "present",
    "moment",
    "today",
    "now",
    "currently",
    "already",
    "average",
    "overall",
    "altogether",
    "time",
];
/// Parts of time that are told apart.
const TIMES: [&str; 12] = [
    "quarter", "quarters", "half", "year", "years", "month", "months", "season", "week", "day", "summer",
    "winter",
];
/// Stems of words by which a text stands aside from what it tells.
const DOUBTS: [&str; 13] = [
    "rumour",
    "rumor",
    "allege",
    "supposed",
    "reported",
    "deny",
    "denie",
    "disput",
    "doubt",
    "unconfirmed",
    "gossip",
    "claim",
    "speculat",
];
/// Words of what was and is no more.
const PAST: [&str; 5] = ["once", "formerly", "previously", "originally", "used"];
/// Nouns behind a name that mean the whole of it.
const SAME: [&str; 8] = ["group", "company", "firm", "corporation", "workforce", "staff", "total", "number"];
/// Verbs that only report.
const REPORTS: [&str; 8] =
    ["said", "says", "announced", "announces", "states", "stated", "confirmed", "adds"];
/// What a second clause of one subject begins with.
const JOINS: [&str; 5] = ["and", "but", "which", "who", "it"];

const CHINESE_DOUBTS: [&str; 11] =
    ["传闻", "据传", "谣传", "谣言", "否认", "据称", "质疑", "怀疑", "听说", "不实", "辟谣"];
const CHINESE_PAST: [&str; 5] = ["曾", "原有", "一度", "原本", "过去"];
/// What stands before a Chinese figure and limits nothing.
const CHINESE_WHOLE: [&str; 26] = [
    "拥有", "达到", "设有", "有", "目前", "现在", "如今", "现有", "已经", "一共", "总共", "合计", "全国",
    "公司", "集团", "大约", "仍然", "现", "已", "共", "总", "约", "仍", "还", "也", "的",
];

/// Whether a sentence stands aside from what it tells: a rumour, a denial, somebody's claim.
pub(super) fn is_doubted(sentence: &str) -> bool {
    CHINESE_DOUBTS.iter().any(|word| sentence.contains(word))
        || sentence
            .split(|c: char| !c.is_alphanumeric())
            .map(str::to_lowercase)
            .any(|word| DOUBTS.iter().any(|stem| word.starts_with(stem)))
}

/// Whether words tell what was: "once had".
pub(super) fn is_past(words: &[String]) -> bool {
    words.iter().any(|word| PAST.contains(&word.as_str()))
}

/// Whether a Chinese clause tells what was.
pub(super) fn is_past_in_chinese(clause: &str) -> bool {
    CHINESE_PAST.iter().any(|word| clause.contains(word))
}

/// The place, time or part that the words behind a figure limit it to, up to the end of the clause: "in norway".
pub(super) fn behind(text: &str) -> Option<String> {
    limits(clause(text), &LEADS, |_| true)
}

/// The place alone: "in norway" of " in Norway since May".
pub(super) fn place_behind(text: &str) -> Option<String> {
    let first = text.split_whitespace().next()?.to_lowercase();
    matches!(first.as_str(), "in" | "at" | "for").then_some(())?;
    limits(clause(text), &["in", "at", "for"], |phrase| phrase.iter().any(|word| is_proper(word)))
}

/// What a sentence limits itself to before it comes to the name: "In Norway, ", "In the first quarter ".
pub(super) fn leading_scope(text: &str) -> Option<String> {
    let text = text.rsplit(['.', ';', ':']).next().unwrap_or(text).trim();
    let first = text.split_whitespace().next()?.to_lowercase();
    OPENS.contains(&first.as_str()).then_some(())?;
    let is_one = text.trim_end_matches(',').split_whitespace().skip(1).all(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        ARTICLES.contains(&word.as_str()) || LEADS.contains(&word.as_str()) || !is_stop_word(&word)
    });
    let says = |phrase: &[&str]| {
        phrase.iter().any(|word| {
            is_proper(word)
                || word.chars().any(|c| c.is_ascii_digit())
                || TIMES.contains(&word.to_lowercase().as_str())
        })
    };
    limits(text.trim_end_matches(','), &LEADS, says).filter(|_| is_one)
}

/// The nouns between a name and its verb, which a figure is told of instead: "rival" of "'s rival has".
pub(super) fn head(between: &[String]) -> String {
    let from = between.iter().rposition(|word| JOINS.contains(&word.as_str())).map_or(0, |at| at + 1);
    let own = between.get(from..).unwrap_or_default().iter().map(String::as_str);
    let counts = |word: &&str| {
        word.chars().nth(1).is_some()
            && !is_stop_word(word)
            && !word.ends_with("ly")
            && ![WHOLE.as_slice(), &SAME, &REPORTS].iter().any(|list| list.contains(word))
    };
    own.filter(counts).collect::<Vec<_>>().join(" ")
}

/// Whether a name is the first part of what is meant: "CEO of the Nordvik Bank" before " foundation".
pub(super) fn goes_on(behind: &str) -> bool {
    let Some(rest) = behind.strip_prefix(' ') else { return false };
    let word: String = rest.chars().take_while(|c| c.is_alphabetic()).collect();
    let lower = word.to_lowercase();
    let is_verb = lower.ends_with("ed") || lower.ends_with("ly") || lower.ends_with('s');
    !word.is_empty() && !is_stop_word(&lower) && (is_proper(&word) || !is_verb)
}

/// What a Chinese figure is limited to by the words before it: 成都 of 在成都有, 总部.
pub(super) fn in_chinese(lead: &str) -> String {
    let mut scope: String = lead.chars().filter(|c| c.is_alphanumeric()).collect();
    for word in CHINESE_WHOLE {
        scope = scope.replace(word, "");
    }
    scope.strip_prefix('在').map(str::to_owned).unwrap_or(scope)
}

fn clause(text: &str) -> &str {
    let ends = |(at, c): (usize, char)| {
        let is_number = text.get(at + 1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        (matches!(c, ';' | ':' | '(' | ')') || matches!(c, ',' | '.') && !is_number).then_some(at)
    };
    text.char_indices().find_map(ends).and_then(|at| text.get(..at)).unwrap_or(text)
}

fn is_proper(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && !is_weekday(&word.to_lowercase())
}

/// The phrases of a clause that these words lead to and that say something, in small letters.
fn limits(clause: &str, leads: &[&str], says: impl Fn(&[&str]) -> bool) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open: Option<(String, Vec<&str>)> = None;
    let mut end = |open: &mut Option<(String, Vec<&str>)>| {
        if let Some((lead, phrase)) = open.take()
            && !phrase.is_empty()
            && says(&phrase)
        {
            found.push(format!("{lead} {}", phrase.join(" ").to_lowercase()));
        }
    };
    let mut last = String::new();
    for word in clause.split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = word.to_lowercase();
        let is_time = last == "as";
        last.clone_from(&lower);
        if leads.contains(&lower.as_str()) {
            end(&mut open);
            open = (!is_time).then(|| (lower, Vec::new()));
            continue;
        }
        if ARTICLES.contains(&lower.as_str()) || WHOLE.contains(&lower.as_str()) || lower == "as" {
            continue;
        }
        if is_stop_word(&lower) || ENDS.contains(&lower.as_str()) {
            break;
        }
        if let Some((_, phrase)) = &mut open {
            phrase.push(word);
        }
    }
    end(&mut open);
    (!found.is_empty()).then(|| found.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_times_and_parts_limit_a_statement() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(behind(text).as_deref(), expected, "{text}");
        };
        check(" in Norway.", Some("in norway"));
        check(" in the first quarter, and more", Some("in first quarter"));
        check(" in total.", None);
        check(" as of May.", None);
        check(" around the world", None);
        check(" in Malmo were repainted in May", Some("in malmo"));
        assert_eq!(leading_scope("In Norway, ").as_deref(), Some("in norway"));
        assert_eq!(leading_scope("In a letter, ").as_deref(), None);
        assert_eq!(leading_scope("In 1999 ").as_deref(), Some("in 1999"));
        assert_eq!(place_behind(" in Spain since May").as_deref(), Some("in spain"));
        assert_eq!(place_behind(" on Sundays").as_deref(), None);
    }

    #[test]
    fn what_stands_between_a_name_and_its_verb_is_the_subject() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(head(&words("s rival")), "rival");
        assert_eq!(head(&words("group currently")), "");
        assert_eq!(head(&words("opened in bergen and")), "");
        assert!(goes_on(" foundation.") && goes_on(" Spain"));
        assert!(!goes_on(" and") && !goes_on(", said") && !goes_on(" resigned") && !goes_on("."));
        assert_eq!(in_chinese("在成都"), "成都");
        assert_eq!(in_chinese("目前共"), "");
    }

    #[test]
    fn rumours_and_denials_assert_nothing() {
        for text in ["Critics deny that", "According to a rumour, X", "X is allegedly", "他否认公司亏损"]
        {
            assert!(is_doubted(text), "{text}");
        }
        assert!(!is_doubted("X has 40 branches."));
    }
}
