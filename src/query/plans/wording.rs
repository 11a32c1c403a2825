//! Whether a record says of two what a question says, in these or other words.
//!
//! Words are compared by their stems, through the table of relations in `language/vocabulary` and, where there is an
//! embedding model, by their vectors ([`Wording::also`]).

use super::nearness::{
    CLAUSES, PASSIVE, Place, is_done_by_another, is_done_by_another_in_chinese, is_of_another,
    is_of_another_in_chinese, is_of_time,
};
use crate::language::questions::stem;
use crate::language::vocabulary::relations::{
    CHINESE_TO_COME, CHINESE_UNDONE, GIVING, RELATIONS, TAKING_ON, UNDONE,
};
use crate::language::words::is_han;
use crate::language::{is_stop_word, one_line};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// First byte of what was found and one behind its last, and whether it is Chinese.
type Found = ((usize, usize), bool);

/// Words before a wording among which one may make it undone.
const BEFORE: usize = 4;
/// Words of a time between a wording and its "by": "on 13 June 2016".
const TIME: usize = 4;
/// Words between names, and in them.
const LINKS: [&str; 14] =
    ["and", "the", "of", "de", "von", "van", "der", "den", "di", "da", "la", "le", "al", "bin"];
/// Words of a question's wording that carry no meaning of their own beside others.
const LIGHT: [&str; 40] = [
    "a", "an", "the", "of", "in", "on", "at", "to", "for", "with", "from", "by", "into", "did", "do", "does",
    "was", "were", "is", "are", "be", "been", "has", "have", "had", "ever", "all", "any", "who", "that",
    "which", "their", "his", "her", "its", "being", "as", "also", "both", "together",
];

/// How well a text says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordingFit {
    /// Whether it says it of the second towards the first.
    pub reversed: bool,
    /// Whether it holds both ways.
    pub symmetric: bool,
    /// Whether it says it as done, in so many words.
    pub sure: bool,
}

/// A wording with all others that say the same.
#[derive(Clone, Debug, Default)]
pub struct Wording {
    /// As the question has it; any relationship where empty.
    pub written: String,
    words: Vec<Phrase>,
    inverse: Vec<Phrase>,
    not: Vec<Phrase>,
    /// The question's own words that carry meaning: all of them say it, wherever they stand.
    own: Vec<String>,
    symmetric: bool,
    /// Whether it says of the first that it was given away to the second.
    given_away: bool,
    also: BTreeSet<String>,
    /// What a record has to say as well, to be sure: 中郎将 of 任命为中郎将.
    office: Option<String>,
}

/// A phrase: the stems of its words with a space on both sides, or Chinese as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    text: String,
    han: bool,
}

impl Phrase {
    pub(super) fn of(text: &str) -> Self {
        let han = text.chars().any(is_han);
        Self { text: if han { text.to_owned() } else { stems(text) }, han }
    }

    pub(super) fn is_chinese(&self) -> bool {
        self.han
    }
}

/// The stems of a text's words in a line, a space before, between and behind them.
fn stems(text: &str) -> String {
    let mut line = " ".to_owned();
    for word in words(text) {
        line.push_str(&stem(&word.to_lowercase()));
        line.push(' ');
    }
    line
}

/// The words of a text, as they are written.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-').filter(|word| !word.is_empty())
}

/// A text in both forms that phrases are looked for in.
pub(super) struct Flat {
    stems: String,
    plain: String,
}

impl Flat {
    pub(super) fn of(text: &str) -> Self {
        Self { stems: stems(&text.replace('’', "'")), plain: one_line(text) }
    }

    /// The stems in a line, a space before, between and behind them.
    pub(super) fn stems(&self) -> &str {
        &self.stems
    }

    /// The text in one line.
    pub(super) fn plain(&self) -> &str {
        &self.plain
    }

    /// The bytes where a phrase stands.
    pub(super) fn find(&self, phrase: &Phrase) -> Option<(usize, usize)> {
        let within = if phrase.han { &self.plain } else { &self.stems };
        within.find(&phrase.text).map(|at| (at, at + phrase.text.len()))
    }
}

impl Wording {
    /// Reads a wording of a question.
    pub fn read(written: &str) -> Self {
        let written = one_line(written);
        let mut wording = Self { written: written.clone(), ..Self::default() };
        if written.is_empty() {
            return wording;
        }
        let flat = Flat::of(&written);
        let longest = |phrases: &[&str]| {
            phrases
                .iter()
                .filter_map(|phrase| flat.find(&Phrase::of(phrase)).map(|(from, to)| to - from))
                .max()
        };
        let found: Vec<_> = RELATIONS
            .iter()
            .filter_map(|relation| {
                let (same, turned) = (longest(relation.words), longest(relation.inverse));
                let denied = longest(relation.not).is_some();
                let length = same.max(turned).filter(|_| !denied)?;
                Some((length, turned > same, relation))
            })
            .collect();
        let most = found.iter().map(|(length, ..)| *length).max().unwrap_or_default();
        for (_, turned, relation) in found.into_iter().filter(|(length, ..)| *length == most) {
            let phrases = |words: &[&str]| words.iter().map(|word| Phrase::of(word)).collect::<Vec<_>>();
            let (same, other) =
                if turned { (relation.inverse, relation.words) } else { (relation.words, relation.inverse) };
            wording.words.extend(phrases(same));
            wording.inverse.extend(phrases(other));
            wording.not.extend(phrases(relation.not));
            wording.symmetric |= relation.symmetric;
        }
        wording.own = own_words(&written);
        wording.given_away = is_given_away(&written);
        let covered = |office: &str| wording.words.iter().any(|phrase| phrase.text.contains(office));
        let office = written.split_once('为').map(|(_, office)| office.to_owned());
        wording.office = office.filter(|office| office.chars().count() > 1 && !covered(office));
        wording
    }

    /// Whether the table knows other words for it.
    pub fn is_known(&self) -> bool {
        !self.words.is_empty()
    }

    /// Words of it that its relation does not cover, and that nothing looks for; none where no relation is known, for then all
    /// of its words are looked for.
    pub fn unread(&self) -> Vec<String> {
        if let Some((one, other)) = split_or(&self.written) {
            return [one, other].iter().flat_map(|part| Self::read(part).unread()).collect();
        }
        let flat = Flat::of(&self.written);
        let phrases: Vec<&Phrase> =
            self.words.iter().chain(&self.inverse).filter(|phrase| flat.find(phrase).is_some()).collect();
        if phrases.is_empty() {
            return Vec::new();
        }
        if self.written.chars().any(is_han) {
            let Some(longest) = phrases.iter().max_by_key(|phrase| phrase.text.len()) else {
                return Vec::new();
            };
            let left = self.written.split(longest.text.as_str()).map(bare_chinese);
            let telling =
                |part: &&str| part.chars().count() > 1 && !TAKING_ON.contains(part) && !self.is_office(part);
            return left.filter(telling).map(str::to_owned).collect();
        }
        let words = self.written.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-');
        let is_telling = |word: &&str| {
            let flat = word.to_lowercase();
            let stemmed = format!(" {} ", stem(&flat));
            !word.is_empty()
                && !LIGHT.contains(&flat.as_str())
                && !is_stop_word(&flat)
                && !phrases.iter().any(|phrase| phrase.text.contains(&stemmed))
        };
        words.filter(is_telling).map(str::to_owned).collect()
    }

    fn is_office(&self, part: &str) -> bool {
        self.office.as_ref().is_some_and(|office| part.contains(office.as_str()))
    }

    /// Whether it says that something is given to a third, and to whom: "sold to", 卖给.
    fn is_to_a_third(&self) -> bool {
        if self.written.chars().any(is_han) {
            return self.written.contains('给');
        }
        self.written.split(' ').any(|word| word == "to")
    }

    /// Adds a type of relationship that means the same by its vector; it is sure only where words find nothing.
    pub fn also(&mut self, kind: &str) {
        self.also.insert(kind.to_owned());
    }

    /// Whether a type of relationship says it.
    pub fn fits(&self, kind: &str) -> Option<WordingFit> {
        if self.written.is_empty() {
            return Some(WordingFit { reversed: false, symmetric: true, sure: true });
        }
        if self.also.contains(kind) {
            return Some(self.fits_by_meaning(kind));
        }
        if self.given_away {
            let fit = WordingFit { reversed: false, symmetric: false, sure: true };
            return is_given_away(kind).then_some(fit);
        }
        let (fit, _) = self.find(&Flat::of(kind), false)?;
        Some(fit)
    }

    /// How a type says it that means the same by its vector. Vectors hardly tell what was done from what was not, so it is
    /// sure only where words know nothing better.
    fn fits_by_meaning(&self, kind: &str) -> WordingFit {
        let flat = Flat::of(kind);
        let han = kind.chars().any(is_han);
        let length = if han { flat.plain.len() } else { flat.stems.len() };
        let passive =
            if han { is_passive(&flat, (length, length), true) } else { flat.stems.ends_with(" by ") };
        let undone = is_undone(&flat, (length, length), han);
        WordingFit { reversed: passive, symmetric: self.symmetric, sure: !undone && !self.is_known() }
    }

    /// Whether a description says it of two, the first of whom is the record's source: for sure where it stands between
    /// their names, so many bytes from each at most.
    pub fn fits_description(
        &self,
        description: &str,
        [source, target]: [&[String]; 2],
        most: usize,
    ) -> Option<WordingFit> {
        if self.written.is_empty() {
            return Some(WordingFit { reversed: false, symmetric: true, sure: true });
        }
        if self.given_away {
            return None;
        }
        let flat = Flat::of(description);
        let (fit, (_, han)) = self.find(&flat, true)?;
        let within = if han { &flat.plain } else { &flat.stems };
        let (at, end) = self.place(&flat)?;
        // phrases of stems share the space between them
        let shared = usize::from(!han);
        // the nearest place of a name on either side, with its distance
        let before = |names: &[String]| {
            let ends = spots(within, names, han).filter(|(_, to)| *to <= at + shared);
            ends.min_by_key(|(_, to)| at + shared - to)
        };
        let behind = |names: &[String]| {
            let starts = spots(within, names, han).filter(|(from, _)| from + shared >= end);
            starts.min_by_key(|(from, _)| from + shared - end)
        };
        let (forward, back) = (before(source).zip(behind(target)), before(target).zip(behind(source)));
        let near = |pair: Option<(Place, Place)>| {
            pair.filter(|((_, to), (from, _))| (at + shared - to).max(from + shared - end) <= most)
        };
        // "sold the mill to N": N is not what was sold
        let giving = gives(&flat, han, (at, end));
        let reaches = |names: &[String]| {
            let first =
                spots(within, names, han).map(|(from, _)| from).filter(|from| from + shared >= end).min();
            let before = first.and_then(|from| within.get(..from + shared)).unwrap_or_default();
            let is_third =
                if han { before.trim_end_matches('了').ends_with('给') } else { before.ends_with(" to ") };
            !giving || is_third == self.is_to_a_third()
        };
        Some(match (near(forward), near(back)) {
            (Some(places), None) => WordingFit {
                sure: fit.sure && reaches(target) && self.is_of(description, &flat, (at, end), han, places),
                ..fit
            },
            (None, Some(places)) => {
                let sure =
                    fit.sure && reaches(source) && self.is_of(description, &flat, (at, end), han, places);
                WordingFit { reversed: !fit.reversed, sure, ..fit }
            }
            (None, None) if self.is_told_of(description, [source, target]) => fit,
            (None, None) if self.is_told_of(description, [target, source]) => {
                WordingFit { reversed: !fit.reversed, ..fit }
            }
            _ => WordingFit { sure: false, ..fit },
        })
    }

    /// Whether two names on either side of it are those that it is said of, and not those of another deed beside it.
    fn is_of(
        &self,
        sentence: &str,
        flat: &Flat,
        (at, end): Place,
        han: bool,
        (one, other): (Place, Place),
    ) -> bool {
        if gives(flat, han, (at, end)) {
            return true;
        }
        if han {
            let part = |from: usize, to: usize| flat.plain.get(from..to).unwrap_or_default();
            return !is_of_another_in_chinese(part(end, other.0))
                && !is_done_by_another_in_chinese(part(0, one.0), part(one.1, at));
        }
        let sentence = sentence.replace('’', "'");
        let words: Vec<&str> = words(&sentence).collect();
        // words before a byte of the stems, which have a space before each
        let count = |to: usize| flat.stems.get(..to).map_or(0, |before| before.split_whitespace().count());
        let (verb, mut behind) = (count(at), count(end));
        if is_passive(flat, (at, end), false) {
            let by = words.get(behind..).and_then(|rest| rest.iter().position(|word| *word == "by"));
            behind += by.map_or(0, |by| by + 1);
        }
        let own: Vec<&str> = self.written.split(' ').collect();
        !is_of_another(&words, behind, count(other.0), &own)
            && !is_done_by_another(&words, (count(one.0), count(one.1)), verb)
    }

    /// Whether a sentence begins with the one, says what it is, and by the other it was done, however many words describe it:
    /// "A (German: B) is a 1963 comedy film written and directed by C".
    fn is_told_of(&self, sentence: &str, [one, other]: [&[String]; 2]) -> bool {
        let sentence = without_brackets(sentence);
        let flat = Flat::of(&sentence);
        let Some((_, ((at, end), false))) = self.find(&flat, true) else { return false };
        if !is_passive(&flat, (at, end), false) {
            return false;
        }
        let words: Vec<&str> = words(&sentence).collect();
        // words before a byte of the stems, which have a space before each
        let count = |to: usize| flat.stems.get(..to).map_or(0, |before| before.split_whitespace().count());
        let (verb, behind) = (count(at), count(end));
        let describes = |named: usize| {
            let between: Vec<&str> = words.get(named..verb).unwrap_or_default().to_vec();
            between.first().is_some_and(|word| PASSIVE.contains(word))
                && !between.iter().any(|word| CLAUSES.contains(word))
        };
        let names_alone = |from: usize, to: usize| {
            let between = words.get(from..to).unwrap_or_default();
            let by = between.iter().position(|word| *word == "by");
            let is_name = |word: &&str| {
                LINKS.contains(word) || word.chars().next().is_some_and(|first| !first.is_lowercase())
            };
            by.is_some_and(|by| between.iter().skip(by + 1).all(is_name))
        };
        spots(&flat.stems, one, false).any(|(from, to)| from == 0 && describes(count(to)))
            && spots(&flat.stems, other, false).any(|(from, _)| names_alone(behind, count(from)))
    }

    fn place(&self, flat: &Flat) -> Option<(usize, usize)> {
        self.words.iter().chain(&self.inverse).find_map(|phrase| flat.find(phrase)).or_else(|| {
            let first = self.own.first()?;
            flat.find(&Phrase { text: first.clone(), han: first.chars().any(is_han) })
        })
    }

    /// How a text says it, where it does, and whether in Chinese. A single Chinese character says little in a sentence.
    fn find(&self, flat: &Flat, in_sentence: bool) -> Option<(WordingFit, Found)> {
        let tells = |phrase: &&Phrase| !in_sentence || !phrase.han || phrase.text.chars().count() > 1;
        // what only looks like it
        if self.not.iter().any(|phrase| flat.find(phrase).is_some()) {
            return None;
        }
        let longest = |phrases: &[Phrase]| {
            let found =
                phrases.iter().filter(tells).filter_map(|phrase| Some((flat.find(phrase)?, phrase.han)));
            found.max_by_key(|((from, to), _)| to - from)
        };
        let (same, turned) = (longest(&self.words), longest(&self.inverse));
        let length = |found: &Option<Found>| found.map_or(0, |((from, to), _)| to - from);
        let turned_round = length(&turned) > length(&same);
        let found = if turned_round { turned } else { same };
        let found = found.or_else(|| self.by_own_words(flat));
        let (place, han) = found?;
        let passive = is_passive(flat, place, han);
        let undone = is_undone(flat, place, han) || !in_sentence && self.is_of_a_third(flat, place, han);
        let named = self.office.as_ref().is_none_or(|office| flat.plain.contains(office));
        let fit = WordingFit {
            reversed: turned_round != passive,
            symmetric: self.symmetric,
            sure: !undone && named,
        };
        Some((fit, (place, han)))
    }

    /// Whether a type goes on from its verb to somebody else before it comes to whom it names: "sold Harrow Mills to".
    fn is_of_a_third(&self, flat: &Flat, (at, end): (usize, usize), han: bool) -> bool {
        const AWAY: [&str; 2] = ["to", "from"];
        let giving = gives(flat, han, (at, end));
        if han {
            let to = flat.plain.get(end..).is_some_and(|behind| behind.starts_with('给'));
            return giving && (is_passive(flat, (at, end), han) && to || to != self.is_to_a_third());
        }
        let behind = flat.stems.get(end.saturating_sub(1)..).unwrap_or_default();
        let words: Vec<&str> = behind.split_whitespace().collect();
        let Some((last, others)) = words.split_last() else { return giving && self.is_to_a_third() };
        if giving {
            // what "was sold to" somebody is not who sold it
            let before = flat.stems.get(..at).unwrap_or_default().split_whitespace().last();
            let was = before.is_some_and(|word| PASSIVE.iter().any(|form| stem(form) == word));
            let to = *last == "to";
            return was && to || *last != "by" && to != self.is_to_a_third() || AWAY[1] == *last;
        }
        AWAY.contains(last)
            && others.iter().any(|word| !LIGHT.contains(word) && !is_of_time(word))
            && !self.written.split(' ').any(|word| word == *last)
    }

    /// The question's own words, all of them.
    fn by_own_words(&self, flat: &Flat) -> Option<Found> {
        let han = self.own.first()?.chars().any(is_han);
        let phrase = |text: &String| Phrase { text: text.clone(), han: text.chars().any(is_han) };
        let places: Option<Vec<_>> = self.own.iter().map(|own| flat.find(&phrase(own))).collect();
        places?.first().map(|place| (*place, han))
    }
}

/// The two wordings of "founded or funded", 创立或投资.
pub(super) fn split_or(written: &str) -> Option<(&str, &str)> {
    let (one, other) = written.split_once(" or ").or_else(|| written.split_once('或'))?;
    let (one, other) = (one.trim(), other.trim());
    (!one.is_empty() && !other.is_empty()).then_some((one, other))
}

/// Whether a type says of its first that it was given away to its second: "was sold to", 被卖给.
pub(super) fn is_given_away(kind: &str) -> bool {
    let flat = Flat::of(kind);
    GIVING_PHRASES.iter().any(|phrase| {
        flat.find(phrase).is_some_and(|(at, end)| {
            if phrase.han {
                let behind = flat.plain.get(end..).unwrap_or_default();
                return is_passive(&flat, (at, end), true)
                    && behind.trim_start_matches('了').starts_with('给');
            }
            let before = flat.stems.get(..at).unwrap_or_default().split_whitespace().last();
            let was = before.is_some_and(|word| PASSIVE.iter().any(|form| stem(form) == word));
            was && !is_undone(&flat, (at, end), false) && flat.stems.split_whitespace().last() == Some("to")
        })
    })
}

static GIVING_PHRASES: LazyLock<Vec<Phrase>> =
    LazyLock::new(|| GIVING.iter().map(|word| Phrase::of(word)).collect());

/// Whether what stands at a place says that something is given away.
fn gives(flat: &Flat, han: bool, (at, end): (usize, usize)) -> bool {
    let within = if han { &flat.plain } else { &flat.stems };
    let found = within.get(at..end).unwrap_or_default();
    GIVING_PHRASES.iter().any(|phrase| phrase.han == han && found.contains(&phrase.text))
}

/// Whether a verb says that something is given away: "sell", 卖.
pub(super) fn is_giving(verb: &str) -> bool {
    let flat = Flat::of(verb);
    GIVING_PHRASES.iter().any(|phrase| flat.find(phrase).is_some())
}

/// Chinese without its particles.
fn bare_chinese(written: &str) -> &str {
    let bare = written.trim_end_matches(['了', '过', '着', '于', '的', '到', '在', '给', '过', '入']);
    bare.trim_start_matches([
        '曾', '被', '所', '向', '给', '与', '和', '为', '对', '把', '将', '同', '跟', '都', '先', '后', '了',
        '过',
    ])
}

/// A Chinese word for who does something, without what says so: 赞助 of 赞助商. What is left has two characters at least.
fn without_agent(word: &str) -> &str {
    let deed = word.strip_suffix(['者', '商', '方', '人']);
    deed.filter(|deed| deed.chars().count() > 1).unwrap_or(word)
}

/// The words of a wording that carry meaning: stems in spaces, or Chinese without its particles.
fn own_words(written: &str) -> Vec<String> {
    if written.chars().any(is_han) {
        let bare = written.trim_end_matches(['了', '过', '着', '于', '的', '到', '在']);
        let bare = bare.trim_start_matches([
            '曾', '被', '所', '向', '给', '与', '和', '为', '对', '把', '将', '同', '跟',
        ]);
        return Some(without_agent(bare).to_owned()).filter(|bare| !bare.is_empty()).into_iter().collect();
    }
    let words = written.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let content: Vec<String> = words
        .filter(|word| !word.is_empty() && !LIGHT.contains(&word.as_str()))
        .map(|word| format!(" {} ", stem(&word)))
        .collect();
    content
}

/// "acquired by", "was killed in 1900 by", "被…杀", "为…所杀".
fn is_passive(flat: &Flat, (at, end): (usize, usize), han: bool) -> bool {
    if han {
        let before = flat.plain.get(..at).unwrap_or_default();
        return before.ends_with("被")
            || before.contains('被')
            || (before.contains('为') && before.ends_with('所'))
            || before == "所";
    }
    let behind = flat.stems.get(end.saturating_sub(1)..).unwrap_or_default();
    let words: Vec<&str> = behind.split_whitespace().take(TIME + 3).collect();
    let of_time = words.iter().take_while(|word| is_of_time(word)).count().min(TIME);
    // "written and directed by": both were done by whoever stands behind
    matches!(words.get(of_time..).unwrap_or_default(), ["by", ..] | ["and", _, "by", ..])
}

/// A text without what stands in round brackets.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::new();
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}

/// Whether words before a wording, or around it, make it one that was not done.
fn is_undone(flat: &Flat, (at, _): (usize, usize), han: bool) -> bool {
    if han {
        let before: Vec<char> = flat.plain.get(..at).unwrap_or_default().chars().rev().take(4).collect();
        let before: String = before.into_iter().rev().collect();
        return CHINESE_UNDONE.iter().any(|word| before.contains(word))
            || CHINESE_TO_COME.contains(&before.as_str());
    }
    let before: Vec<&str> = flat.stems.get(..at).unwrap_or_default().split_whitespace().collect();
    let first = before.len().saturating_sub(BEFORE);
    (first..before.len()).any(|place| {
        let word = before.get(place).copied().unwrap_or_default();
        (UNDONE.contains(&word) || word.ends_with("n't")) && !is_month_of_may(&before, place)
    })
}

/// Whether "may" is the month: behind a preposition of time, or before a number.
fn is_month_of_may(words: &[&str], place: usize) -> bool {
    const BEHIND: [&str; 8] = ["in", "of", "on", "by", "sinc", "until", "from", "earli"];
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).copied().unwrap_or_default();
    word(Some(place)) == "may"
        && (BEHIND.contains(&word(place.checked_sub(1)))
            || word(Some(place + 1)).starts_with(|c: char| c.is_ascii_digit()))
}

/// Every place where one of these names stands.
fn spots<'a>(within: &'a str, names: &'a [String], han: bool) -> impl Iterator<Item = (usize, usize)> + 'a {
    let find = move |name: &String| {
        let name = if han { one_line(name) } else { stems(name) };
        let found: Vec<(usize, usize)> =
            within.match_indices(name.as_str()).map(|(at, text)| (at, at + text.len())).collect();
        found
    };
    names.iter().filter(|name| !name.is_empty()).flat_map(find)
}

/// Whether a text is the word of a relation and nothing else: a name may hold one, as 陈子昂 does.
pub(super) fn is_relation(text: &str) -> bool {
    RELATIONS.iter().any(|relation| relation.words.iter().chain(relation.inverse).any(|word| *word == text))
}

/// Whether a wording says nothing but that two have to do with each other.
pub fn says_nothing(written: &str) -> bool {
    const ANY: [&str; 24] = [
        "relate",
        "related",
        "connect",
        "connected",
        "link",
        "linked",
        "associate",
        "associated",
        "have",
        "has",
        "involve",
        "involved",
        "tie",
        "tied",
        "有关",
        "相关",
        "有关系",
        "联系",
        "关联",
        "有联系",
        "有关联",
        "have to do",
        "do",
        "relation",
    ];
    let flat = written.to_lowercase();
    let words: Vec<&str> =
        flat.split_whitespace().filter(|word| !LIGHT.contains(word) && !is_stop_word(word)).collect();
    // "own" is a word of no weight in a text, and a relation in a question
    if words.is_empty() {
        return !Wording::read(&flat).is_known();
    }
    words.iter().all(|word| ANY.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(written: &str, kind: &str) -> Option<(bool, bool)> {
        Wording::read(written).fits(kind).map(|fit| (fit.reversed, fit.sure))
    }

    #[test]
    fn other_words_for_the_same_fit_in_both_languages() {
        for (written, kind) in [
            ("buy", "acquired"),
            ("bought", "completed the acquisition of"),
            ("acquire", "took over"),
            ("收购", "acquired"),
            ("kill", "斩"),
            ("杀", "刺杀"),
            ("work for", "is an executive at"),
            ("invest in", "was an early investor in"),
        ] {
            assert_eq!(fit(written, kind), Some((false, true)), "{written} / {kind}");
        }
        for (written, kind) in
            [("acquire", "works for"), ("杀", "大败"), ("杀", "杀败"), ("found", "sued"), ("buy", "")]
        {
            assert_eq!(fit(written, kind), None, "{written} / {kind}");
        }
    }

    #[test]
    fn a_passive_and_an_inverse_turn_it_round() {
        assert_eq!(fit("acquire", "was acquired by"), Some((true, true)));
        assert_eq!(fit("杀", "被杀"), Some((true, true)));
        assert_eq!(fit("work for", "employs"), Some((true, true)));
        assert_eq!(fit("义父", "义子"), Some((true, true)));
    }

    #[test]
    fn who_does_it_in_chinese_is_found_by_the_deed() {
        assert_eq!(fit("代理商", "代理"), Some((false, true)));
        assert_eq!(fit("供应方", "供应"), Some((false, true)));
        assert_eq!(fit("商人", "商"), None);
    }

    #[test]
    fn to_be_born_somewhere_is_not_to_be_there() {
        assert_eq!(fit("出生", "位于"), None);
        assert_eq!(fit("born", "is based in"), None);
        assert_eq!(fit("come from", "was born in"), Some((false, true)));
        assert_eq!(fit("home to", "is based in"), Some((true, true)));
        assert_eq!(fit("located in", "is headquartered in"), Some((false, true)));
        assert_eq!(fit("输给", "击败"), Some((true, true)));
    }

    #[test]
    fn a_time_may_stand_before_by() {
        for kind in
            ["was acquired in 2021 by", "was acquired in December 2017 by", "acquired on 13 June 2016 by"]
        {
            assert_eq!(fit("buy", kind), Some((true, true)), "{kind}");
        }
        assert_eq!(fit("buy", "acquired in 2021"), Some((false, true)));
        assert_eq!(fit("buy", "acquired in Italy by"), Some((false, true)));
    }

    #[test]
    fn to_found_is_not_only_to_have_found() {
        for written in ["found", "founded", "co-founded"] {
            for kind in ["founded", "co-founded", "is founder and CEO of", "was co-founder and co-CEO of"] {
                assert!(fit(written, kind).is_some(), "{written} / {kind}");
            }
        }
    }

    #[test]
    fn what_was_done_to_a_third_is_not_sure() {
        assert_eq!(fit("sell", "sold Harrow Mills to"), Some((false, false)));
        assert_eq!(fit("hire", "hired Owen Pryce from"), Some((false, false)));
        assert_eq!(fit("sell", "sold"), Some((false, true)));
        assert_eq!(fit("acquire", "completed the acquisition of"), Some((false, true)));
        assert_eq!(fit("work for", "worked for four years at"), Some((false, true)));
        assert_eq!(fit("professor", "is professor of psychology at"), Some((false, true)));
    }

    #[test]
    fn what_is_given_away_and_whom_it_is_given_to_are_told_apart() {
        for (written, kind, sure) in [
            ("sell", "sold", true),
            ("sell", "was sold by", true),
            ("sell", "sold to", false),
            ("sell", "was sold to", false),
            ("sell to", "sold Harrow Mills to", true),
            ("sell to", "sold", false),
            ("sell to", "was sold to", false),
            ("卖", "卖", true),
            ("卖", "卖给", false),
            ("卖给", "卖给", true),
            ("卖给", "被卖给", false),
        ] {
            assert_eq!(fit(written, kind).map(|(_, sure)| sure), Some(sure), "{written} / {kind}");
        }
        let says = |written: &str, source: &str, target: &str| {
            let fit = Wording::read(written).fits_description(
                "In May Harrow sold Brim Mills to Vantor.",
                [&[source.to_owned()], &[target.to_owned()]],
                40,
            );
            fit.map(|fit| fit.sure)
        };
        assert_eq!(says("sell", "Harrow", "Brim Mills"), Some(true));
        assert_eq!(says("sell", "Harrow", "Vantor"), Some(false));
        assert_eq!(says("sell to", "Harrow", "Vantor"), Some(true));
        assert_eq!(says("sell to", "Harrow", "Brim Mills"), Some(false));
    }

    #[test]
    fn two_wordings_are_told_apart() {
        assert_eq!(split_or("founded or funded"), Some(("founded", "funded")));
        assert_eq!(split_or("创立或投资"), Some(("创立", "投资")));
        assert_eq!(split_or("order"), None);
        assert_eq!(Wording::read("founded or funded cheaply").unread(), ["cheaply"]);
    }

    #[test]
    fn what_was_given_away_is_told_from_what_gives() {
        for kind in ["was sold to", "were sold in 2022 to", "被卖给", "被卖给了", "被出售给"] {
            assert!(is_given_away(kind), "{kind}");
        }
        assert_eq!(fit("was sold to", "was sold in 2022 to"), Some((false, true)));
        assert_eq!(fit("被卖给", "卖给"), None);
        for kind in ["sold to", "was sold by", "was not sold to", "sold", "卖给", "被卖", "was taken to"]
        {
            assert!(!is_given_away(kind), "{kind}");
        }
    }

    #[test]
    fn whoever_belongs_is_owned() {
        assert_eq!(fit("own", "owns"), Some((false, true)));
        assert_eq!(fit("own", "belongs to"), Some((true, true)));
        assert_eq!(fit("own", "is a subsidiary of"), Some((true, true)));
        assert_eq!(fit("own", "is owned by"), Some((true, true)));
        assert_eq!(fit("拥有", "隶属"), Some((true, true)));
        assert_eq!(fit("subsidiary", "is part of"), Some((false, true)));
    }

    #[test]
    fn words_that_a_relation_does_not_cover_are_told() {
        let unread = |written: &str| Wording::read(written).unread().join(" ");
        for (written, left) in [
            ("acquire", ""),
            ("acquire cheaply", "cheaply"),
            ("took over", ""),
            ("work for", ""),
            ("co-founded", ""),
            ("is the chief executive of", ""),
            ("mine silver near", ""),
            ("收购", ""),
            ("秘密收购", "秘密"),
            ("卖给", ""),
        ] {
            assert_eq!(unread(written), left, "{written}");
        }
    }

    #[test]
    fn what_was_not_done_is_not_sure() {
        assert_eq!(fit("acquire", "wanted to acquire"), Some((false, false)));
        assert_eq!(fit("acquire", "may acquire"), Some((false, false)));
        assert_eq!(fit("acquire", "in May 2018 acquired"), Some((false, true)));
        assert_eq!(fit("acquire", "didn’t acquire"), Some((false, false)));
        assert_eq!(fit("杀", "欲杀"), Some((false, false)));
        for (written, kind) in [
            ("acquire", "will acquire"),
            ("acquire", "denied that it acquired"),
            ("work for", "denies that she works for"),
            ("收购", "将收购"),
            ("收购", "否认收购"),
        ] {
            assert_eq!(fit(written, kind), Some((false, false)), "{written} / {kind}");
        }
        assert_eq!(fit("杀", "部将杀"), Some((false, true)));
    }

    #[test]
    fn a_description_tells_who_does_it_by_the_places_of_the_names() {
        let names = |name: &str| vec![name.to_owned()];
        let check = |description: &str, source: &str, target: &str| {
            let (source, target) = (names(source), names(target));
            Wording::read("buy")
                .fits_description(description, [&source, &target], 40)
                .map(|fit| (fit.reversed, fit.sure))
        };
        assert_eq!(
            check("Microsoft acquired LinkedIn in 2016.", "Microsoft", "LinkedIn"),
            Some((false, true))
        );
        assert_eq!(
            check("Microsoft acquired LinkedIn in 2016.", "LinkedIn", "Microsoft"),
            Some((true, true))
        );
        assert_eq!(
            check("After it acquired Nokia, Microsoft spoke to LinkedIn.", "Microsoft", "LinkedIn"),
            Some((false, false))
        );
        assert_eq!(check("Microsoft sued LinkedIn.", "Microsoft", "LinkedIn"), None);
    }

    #[test]
    fn a_name_near_by_may_belong_to_another_deed() {
        let names = |name: &str| vec![name.to_owned()];
        let is_sure = |written: &str, description: &str, source: &str, target: &str| {
            let (source, target) = (names(source), names(target));
            let fit = Wording::read(written).fits_description(description, [&source, &target], 40);
            fit.is_some_and(|fit| fit.sure)
        };
        let film = "Tern is a film directed by Al Reed and starring Jo Lang.";
        assert!(is_sure("directed", film, "Tern", "Al Reed"));
        assert!(!is_sure("directed", film, "Tern", "Jo Lang"));
        assert!(is_sure("directed", "Tern was directed by the acclaimed Jo Lang.", "Tern", "Jo Lang"));
        let deal = "Vantor acquired Nokia and sued Tarn.";
        assert!(is_sure("acquired", deal, "Vantor", "Nokia"));
        assert!(!is_sure("acquired", deal, "Vantor", "Tarn"));
        assert!(!is_sure("acquired", "Vantor sued Tarn and acquired Nokia.", "Tarn", "Nokia"));
        assert!(is_sure("acquired", "Vantor acquired Nokia, Brim and Tarn.", "Vantor", "Tarn"));
        for (text, source, target, sure) in [
            ("远舟资本收购了星桥科技、白鹭航运。", "远舟资本", "白鹭航运", true),
            ("远舟资本收购了星桥科技并起诉了白鹭航运。", "远舟资本", "星桥科技", true),
            ("远舟资本收购了星桥科技并起诉了白鹭航运。", "远舟资本", "白鹭航运", false),
            ("远舟资本起诉星桥科技并收购了白鹭航运。", "星桥科技", "白鹭航运", false),
            ("远舟资本完成收购，白鹭航运上市。", "远舟资本", "白鹭航运", false),
        ] {
            assert_eq!(is_sure("收购", text, source, target), sure, "{text} {target}");
        }
    }

    #[test]
    fn what_a_sentence_says_of_its_first_is_sure_however_it_is_described() {
        let names = |name: &str| vec![name.to_owned()];
        let check = |written: &str, description: &str, source: &str, target: &str| {
            let (source, target) = (names(source), names(target));
            Wording::read(written)
                .fits_description(description, [&source, &target], 40)
                .map(|fit| (fit.reversed, fit.sure))
        };
        let film = "Marrow Hill (German: Der Berg) is a 1967 black horror comedy film, written and directed by Jo Lang.";
        assert_eq!(check("directed", film, "Marrow Hill", "Jo Lang"), Some((true, true)));
        assert_eq!(check("directed", film, "Jo Lang", "Marrow Hill"), Some((false, true)));
        assert_eq!(check("wrote", film, "Marrow Hill", "Jo Lang"), Some((true, true)));
        for other in [
            // what it was made from, by somebody else, and of somebody in another role
            "Marrow Hill is a 1967 West German black horror comedy film that is based on a play directed by Jo Lang.",
            "Marrow Hill is a 1967 West German and Austrian black horror comedy film directed by Al Reed and starring Jo Lang.",
            "Ann Fry says Marrow Hill is a 1967 West German black horror comedy film for children directed by Jo Lang.",
        ] {
            let found = check("directed", other, "Marrow Hill", "Jo Lang");
            assert!(found.is_none_or(|(_, sure)| !sure), "{other}: {found:?}");
        }
        assert_eq!(
            Wording::read("developed").fits("was developed and published by").map(|fit| fit.reversed),
            Some(true)
        );
    }

    #[test]
    fn any_relation_is_asked_for_by_words_that_say_no_more() {
        assert!(says_nothing("is related to") && says_nothing("有关系") && says_nothing(""));
        assert!(!says_nothing("acquired") && !says_nothing("own"));
    }
}
