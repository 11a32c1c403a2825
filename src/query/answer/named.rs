//! Names of Chinese people that a question writes as its texts do, though the graph or the dictionary splits them.

use crate::domain::StoredUnit;
use crate::language::classical::is_classical;
use crate::language::folding::simplify;
use crate::language::vocabulary::chinese::{is_frequent_surname, is_surname};
use crate::language::words::{is_han, segmenter, whole_tag};
use crate::language::{self, Language, questions};
use crate::query::question::{NamePatterns, Question};
use std::borrow::Cow;

/// What stands behind a name that ends there.
const BORDERS: [char; 9] = ['，', '。', '、', '；', '：', '！', '？', '）', '”'];
/// What stands before a name in a question, besides its beginning.
const BEFORE: &str = "是被把给和与跟对向由让替为的";

/// A Chinese question with the names of three characters as one that its texts write as one: 陆静言 where the graph holds
/// 陆静, and 殷若兰 that no dictionary knows.
pub(super) fn with_told_names<'a>(question: &'a Question, units: &[(&StoredUnit, f64)]) -> Cow<'a, Question> {
    if question.language != Language::Chinese {
        return Cow::Borrowed(question);
    }
    let bare = questions::without_asking(&question.text);
    let is_new = |name: &String| {
        let mut known = question.names.iter().flat_map(|name| &name.whole);
        // texts that go on with 仲文 split no 沈仲文
        !known
            .any(|known| known.contains(name.as_str()) || known.chars().count() > 1 && name.ends_with(known))
    };
    let told: Vec<String> =
        may_be_names(&bare).into_iter().filter(is_new).filter(|name| is_one(name, units)).collect();
    let given: Vec<Option<String>> =
        question.names.iter().map(|name| given_in_classical(name, units)).collect();
    if told.is_empty() && given.iter().all(Option::is_none) {
        return Cow::Borrowed(question);
    }
    let mut question = question.clone();
    for (name, given) in question.names.iter_mut().zip(given) {
        name.given = name.given.take().or(given);
    }
    for name in told {
        let begins = |known: &NamePatterns| known.whole.iter().any(|whole| name.contains(whole.as_str()));
        let place = question.names.iter().position(begins);
        match place.and_then(|place| question.names.get_mut(place)) {
            Some(known) => known.whole.insert(0, name),
            None => question.names.push(NamePatterns { whole: vec![name], ..NamePatterns::default() }),
        }
    }
    Cow::Owned(question)
}

/// The given name of a Chinese name that the graph does not know as somebody's, where a classical text has the whole: it goes
/// on with that alone.
fn given_in_classical(name: &NamePatterns, units: &[(&StoredUnit, f64)]) -> Option<String> {
    let whole = name.whole.first().filter(|_| name.given.is_none())?;
    let mut letters = whole.chars();
    let surname = letters.next().filter(|c| is_surname(*c))?;
    let given: String = letters.collect();
    let is_short = (1..NAME).contains(&given.chars().count()) && whole.chars().all(is_han);
    let is_name = whole_tag(whole).is_none_or(|tag| tag.starts_with("nr")) && !given.contains(surname);
    let mut texts = units.iter().map(|(unit, _)| simplify(&unit.unit.text));
    (is_short && is_name && texts.any(|text| text.contains(whole.as_str()) && is_classical(&text)))
        .then_some(given)
}

/// Surnames of a question with the two characters behind them, where they begin no other word.
fn may_be_names(question: &str) -> Vec<String> {
    let mut names = Vec::new();
    let tokens = segmenter().tag(question, false);
    let mut before: Option<char> = None;
    for (place, token) in tokens.iter().enumerate() {
        let rest = tokens.get(place..).unwrap_or_default().iter().flat_map(|token| token.word.chars());
        let name: String = rest.take(NAME).collect();
        let begins = before.is_none_or(|c| !is_han(c) || BEFORE.contains(c));
        before = token.word.chars().next_back();
        let is_word =
            |token: &jieba_rs::Tag<'_>| token.word.chars().count() > 1 && !token.tag.starts_with("nr");
        // 马车夫 is none, nor is 高水平
        let next = tokens.get(place + 1).filter(|_| token.word.chars().count() == 1);
        if begins
            && name.chars().count() == NAME
            && name.chars().all(is_han)
            && name.chars().next().is_some_and(is_frequent_surname)
            && !is_word(token)
            && !next.is_some_and(is_word)
        {
            names.push(name);
        }
    }
    names
}

/// Characters of a name.
const NAME: usize = 3;

/// Whether texts never write the first two characters of a name without the third, which is no verb that they say of
/// somebody.
fn is_one(name: &str, units: &[(&StoredUnit, f64)]) -> bool {
    let Some((last, _)) = name.char_indices().next_back() else { return false };
    let (begun, last) = name.split_at(last);
    if language::is_stop_word(last) {
        return false;
    }
    let is_given =
        segmenter().tag(last, false).first().is_some_and(|token| token.tag.starts_with(['n', 'a', 'z', 'j']));
    let mut is_told = false;
    let mut ends = is_given;
    for (unit, _) in units {
        let text = &*simplify(&unit.unit.text);
        for (at, _) in text.match_indices(begun) {
            let Some(behind) = text.get(at..).and_then(|rest| rest.strip_prefix(name)) else { return false };
            is_told = true;
            ends |= behind.chars().next().is_none_or(|c| BORDERS.contains(&c) || c == '\n');
        }
    }
    is_told && ends
}
