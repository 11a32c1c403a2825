//! Chinese organisations: a name of their own with the last word of a body, a trade, or what only a company has.

use super::ChineseToken;
use super::candidate::NameCandidate;
use crate::language::mention::NameKind;
use crate::language::vocabulary::bodies::{
    CUES_BEFORE, CUES_BEHIND, DOUBTFUL_TRADES, INNER_VERBS, PUBLIC, TAIL_ENDINGS, TAILS, TRADES,
};
use crate::language::vocabulary::chinese::{COMMON, GENERAL_NOUNS_CHINESE, HEAD};
use crate::language::vocabulary::holds;
use crate::language::vocabulary::roles::{NO_GIVEN, ROLES};
use crate::language::words::{is_han, segmenter};

/// What somebody does at an organisation whose name follows.
const WAYS_IN: [&str; 9] = ["毕业", "任职", "就职", "供职", "就读", "任教", "执教", "求学", "留学"];
/// Most words of a name before its last one.
const INNER_WORDS: usize = 7;
/// Characters that a segmenter leaves at the end of a word before a name.
const LEFT_BEFORE: [char; 10] = ['于', '在', '自', '从', '向', '给', '与', '和', '的', '由'];

/// The organisation whose last word stands at `index`.
pub(super) fn organization(tokens: &[ChineseToken<'_>], index: usize) -> Option<NameCandidate> {
    body(tokens, index).or_else(|| trading(tokens, index)).or_else(|| led(tokens, index))
}

/// Bytes of the organisation's last word in a token: 厂 of 纱厂 makes the whole word one, of 小学校长 only 小学 is.
fn tail(token: &ChineseToken<'_>) -> Option<(&'static str, usize)> {
    if let Some(tail) = TAILS.iter().find(|tail| **tail == token.text) {
        return Some((tail, token.text.len()));
    }
    // 有限公司, 科技股份: what a company is by law
    if let Some(kept) = ["公司", "集团", "中心"].iter().find(|kept| token.text.ends_with(**kept)) {
        let general =
            ["子公司", "母公司", "分公司", "总公司", "本公司", "该公司", "市中心"].contains(&token.text);
        return (!general).then_some((*kept, token.text.len()));
    }
    // 小学校长: the body and its head in one word
    let led = TAILS.iter().find(|tail| {
        token.text.strip_prefix(**tail).is_some_and(|rest| {
            holds(ROLES, rest)
                || rest == "长" && holds(ROLES, token.text.get(tail.len() - '校'.len_utf8()..).unwrap_or(""))
        })
    });
    if let Some(tail) = led {
        return Some((tail, tail.len()));
    }
    let ending = TAIL_ENDINGS.iter().find(|ending| token.text.ends_with(**ending))?;
    let is_noun = token.tag.starts_with('n') || !token.is_known;
    ((2..=4).contains(&token.character_count) && is_noun).then_some((*ending, token.text.len()))
}

/// "阿里巴巴集团": the words before an organisation's last word, from the first that is a name.
fn body(tokens: &[ChineseToken<'_>], index: usize) -> Option<NameCandidate> {
    let last = tokens.get(index)?;
    let (tail, length) = tail(last)?;
    // "毕业｜于金陵｜大学": what somebody did at it, with the particle that the segmenter takes for a surname
    let is_way_in = |at: usize| {
        at.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|word| WAYS_IN.contains(&word.text))
    };
    let mut first = index;
    while let Some(before) = first.checked_sub(1).and_then(|at| tokens.get(at)) {
        let adjacent = tokens.get(first).is_some_and(|next| next.range.start == before.range.end);
        if !adjacent || !is_inner(before) || is_way_in(first) || index - first >= INNER_WORDS {
            break;
        }
        first -= 1;
    }
    // words of the sentence before the name: 监理单位｜江陵…公司
    let is_legal = (first..=index).any(|at| {
        tokens
            .get(at)
            .is_some_and(|word| ["有限", "股份", "责任"].iter().any(|form| word.text.contains(form)))
    });
    let own = (first..index)
        .find(|at| tokens.get(*at).is_some_and(|word| is_own(word) || is_seat(word, *at, index, last.text)));
    // 宏远建设有限公司: nothing else has a legal form
    let own =
        own.or_else(|| (is_legal && first < index && !is_legal_form(tokens.get(first)?)).then_some(first))?;
    let head = tokens.get(own)?;
    let between = tokens.get(own + 1..index)?;
    let is_middle = last.text == "中心" && between.is_empty();
    let follows_way_in = is_way_in(own) && head.text.starts_with('于') && head.character_count > 2;
    let is_house = is_titled_person(head) && !follows_way_in && between.is_empty() && !is_company(tail);
    if is_middle || is_house {
        return None;
    }
    let particle = head.text.chars().next().filter(|c| {
        let left = LEFT_BEFORE.contains(c) || HEAD.contains(*c);
        follows_way_in || !head.is_known && left && head.character_count > 2
    });
    let start = head.range.start + particle.map_or(0, char::len_utf8);
    Some(sure(start..last.range.start + length))
}

/// "人民｜银行" and 青石｜小学: a plain noun before a public body, where a clause begins or a place stands before it.
pub(super) fn public(tokens: &[ChineseToken<'_>], index: usize) -> Option<NameCandidate> {
    let last = tokens.get(index)?;
    let (tail, length) = tail(last)?;
    let noun = index.checked_sub(1).and_then(|at| tokens.get(at))?;
    let before = index.checked_sub(2).and_then(|at| tokens.get(at));
    let opens = before.is_none_or(|before| {
        before.range.end < noun.range.start
            || !before.text.chars().all(char::is_alphanumeric)
            || before.tag == "ns"
    });
    let fits = PUBLIC.contains(&tail)
        && matches!(noun.tag, "n" | "s" | "f" | "b" | "j" | "i" | "l")
        && noun.character_count == 2
        && noun.range.end == last.range.start
        && !holds(GENERAL_NOUNS_CHINESE, noun.text)
        && opens;
    let whole = format!("{}{tail}", noun.text);
    (fits && !segmenter().has_word(&whole)).then(|| sure(noun.range.start..last.range.start + length))
}

/// 省｜水利厅, 县｜法律｜援助｜中心: whether a word is the level of government that a body belongs to.
fn is_seat(word: &ChineseToken<'_>, at: usize, tail: usize, body: &str) -> bool {
    matches!(word.text, "省" | "市" | "县" | "区" | "镇" | "乡")
        && (tail - at > 1 || body.ends_with(['厅', '局']))
}

fn is_legal_form(word: &ChineseToken<'_>) -> bool {
    ["有限", "股份", "责任"].iter().any(|form| word.text.starts_with(form))
}

fn is_company(tail: &str) -> bool {
    matches!(tail, "公司" | "集团")
}

/// Whether a word may stand inside an organisation's name.
fn is_inner(token: &ChineseToken<'_>) -> bool {
    let word = token.text.chars().all(char::is_alphanumeric) && !holds(GENERAL_NOUNS_CHINESE, token.text);
    let by_tag = match token.tag.as_bytes().first() {
        Some(b'n' | b'j' | b'b' | b'a' | b'l' | b'i' | b's' | b't' | b'z' | b'g') => true,
        Some(b'v') => token.tag == "vn" || !token.is_known || holds(INNER_VERBS, token.text),
        Some(b'm') => token.text.starts_with('第') || token.character_count == 1,
        _ => token.tag == "eng" || token.tag == "x" || !token.is_known,
    };
    let is_people = matches!(token.text, "村民" | "居民" | "学生" | "工人" | "农民" | "职工");
    let is_role =
        token.is_known && holds(ROLES, token.text) && !is_people || CUES_BEFORE.contains(&token.text);
    word && by_tag && !is_role && !matches!(token.text, "其" | "某" | "该" | "本" | "各" | "家" | "原" | "前")
}

/// Whether a word is a name of its own rather than a common one.
fn is_own(token: &ChineseToken<'_>) -> bool {
    matches!(token.tag, "ns" | "nz" | "nt" | "eng") || !token.is_known || token.tag.starts_with("nr")
}

/// A person of the dictionary, whose house or shop is no body.
fn is_titled_person(token: &ChineseToken<'_>) -> bool {
    token.is_known && token.tag.starts_with("nr")
}

/// "青岚机械": a word that nobody knows, of two or three characters, and a trade behind it; a doubtful trade or a known
/// word asks for what stands around a company.
fn trading(tokens: &[ChineseToken<'_>], index: usize) -> Option<NameCandidate> {
    let (name, trade) = (tokens.get(index.checked_sub(1)?)?, tokens.get(index)?);
    if name.range.end != trade.range.start || !name.text.chars().all(is_han) {
        return None;
    }
    let is_new = !name.is_known && (2..4).contains(&name.character_count) && is_clean(name.text);
    let is_word = name.character_count == 2
        && matches!(name.tag, "ns" | "n" | "nz" | "nr" | "a" | "b" | "s" | "f" | "j" | "t");
    let is_trade = holds(TRADES, trade.text) && !trade.tag.starts_with('v');
    let doubtful = is_trade || holds(DOUBTFUL_TRADES, trade.text) || holds(TRADES, trade.text);
    let alone = holds(TRADES, trade.text) && has_borders(tokens, index - 1, index);
    let joins = is_trade && is_new
        || doubtful && (is_new || is_word) && (alone || is_in_business(tokens, index - 1, index));
    joins.then(|| sure(name.range.start..trade.range.end))
}

/// Whether nothing but the name stands between two marks, or a mark and 和: "…和国药控股。".
fn has_borders(tokens: &[ChineseToken<'_>], first: usize, last: usize) -> bool {
    let is_border = |token: &ChineseToken<'_>| {
        !token.text.chars().all(char::is_alphanumeric) || matches!(token.text, "和" | "与" | "及" | "由")
    };
    let before = first.checked_sub(1).and_then(|at| tokens.get(at));
    before.is_some_and(is_border) && tokens.get(last + 1).is_none_or(is_border)
}

/// "格力电器": a name of the dictionary that ends in a trade or a body.
pub(super) fn listed(token: &ChineseToken<'_>) -> Option<NameCandidate> {
    let ends = |lists: &[&[&str]]| {
        lists.iter().any(|list| {
            list.iter()
                .any(|end| token.text.strip_suffix(end).is_some_and(|name| name.chars().nth(1).is_some()))
        })
    };
    let is_body = token.text.ends_with('院') && token.character_count == 3;
    (token.is_known && token.tag == "nz" && (is_body || ends(&[TAILS, TRADES])))
        .then(|| sure(token.range.clone()))
}

/// Whether a word that nobody knows is no piece of a sentence.
fn is_clean(text: &str) -> bool {
    !text.chars().any(|c| NO_GIVEN.contains(c))
        && !text.chars().all(|c| COMMON.contains(c))
        && !text.starts_with(|c| HEAD.contains(c))
        && !text.ends_with(LEFT_BEFORE)
}

/// "宁德时代发言人", "供应商冰河制冷": whether what only a company has stands behind, or what a company is before.
fn is_in_business(tokens: &[ChineseToken<'_>], first: usize, last: usize) -> bool {
    let before = first.checked_sub(1).and_then(|at| tokens.get(at));
    let is_called = before.is_some_and(|word| {
        word.range.end == tokens.get(first).map_or(0, |token| token.range.start)
            && holds(CUES_BEFORE, word.text)
    });
    is_called || has_members(tokens, last)
}

fn has_members(tokens: &[ChineseToken<'_>], last: usize) -> bool {
    let behind: String = tokens.iter().skip(last + 1).take(3).map(|token| token.text).collect();
    CUES_BEHIND.iter().any(|cue| behind.starts_with(cue))
}

/// "宁德时代发言人": one or two words, one of them no common one, between a border and what only a company has.
fn led(tokens: &[ChineseToken<'_>], index: usize) -> Option<NameCandidate> {
    let last = tokens.get(index)?;
    let first = index.checked_sub(1).and_then(|at| tokens.get(at))?;
    let border = index.checked_sub(2).and_then(|at| tokens.get(at)).is_none_or(|before| {
        before.range.end < first.range.start
            || !before.text.chars().all(char::is_alphanumeric)
            || matches!(before.tag, "p" | "c")
    });
    let count = first.character_count + last.character_count;
    let plain = |token: &ChineseToken<'_>| {
        token.text.chars().all(is_han)
            && !holds(GENERAL_NOUNS_CHINESE, token.text)
            && !holds(ROLES, token.text)
            && tail(token).is_none()
    };
    let fits = border
        && first.range.end == last.range.start
        && (3..=6).contains(&count)
        && plain(first)
        && plain(last)
        && (!first.is_known && is_clean(first.text)
            || matches!(first.tag, "ns" | "nz")
            || is_titled_person(first))
        && last.tag.starts_with('n')
        && !matches!(last.tag, "ns" | "nr")
        && has_members_of_firms(tokens, index);
    fits.then(|| sure(first.range.start..last.range.end))
}

/// Words that only firms have: every body has a 主任.
fn has_members_of_firms(tokens: &[ChineseToken<'_>], last: usize) -> bool {
    tokens.get(last + 1).is_some_and(|next| {
        matches!(
            next.text,
            "董事长"
                | "总裁"
                | "首席执行官"
                | "创始人"
                | "联合创始人"
                | "发言人"
                | "股价"
                | "股东"
                | "董事会"
                | "旗下"
                | "财务总监"
        )
    })
}

fn sure(range: std::ops::Range<usize>) -> NameCandidate {
    NameCandidate { range, kind: NameKind::Organization, is_known: true, is_sure: true }
}
