//! What a question is about, concept by concept, and where a sentence speaks of each.

use crate::language::classical::classical_words;
use crate::language::date_spans::DateSpan;
use crate::language::questions::{self, QuantityKind, stem};
use crate::language::synonymous::{
    CHARACTER, deed_and_object, denied_pieces, is_denied, is_known, longest_words, pieces,
};
use crate::language::vocabulary::calendar::{is_month, weekday_of};
use crate::language::vocabulary::gazetteer::is_given_name;
use crate::language::vocabulary::synonyms;
use crate::language::words::{is_han, whole_tag};
use crate::language::years::{year_of, year_spans};
use crate::language::{self, Language};
use crate::query::question::{Asks, CLASSIFIERS, FiscalSpan, NamePatterns, Question, flatten, kind_of_place};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, LazyLock};

/// How much a word counts that says the same as the question's.
const SAME: f64 = 0.85;
/// How much a word counts that a text may say instead.
const TOLD: f64 = 0.6;
/// Acts that are others with what stands behind or before them: 杀败, 追杀; or none, as in 刺史.
const ACTS: [char; 6] = ['杀', '打', '攻', '射', '刺', '砍'];
const TURNED: [char; 18] = [
    '败', '退', '散', '出', '入', '奔', '来', '过', '到', '向', '开', '透', '史', '客', '探', '听', '扫',
    '算',
];
/// 杀将过去 kills no general.
const ONWARDS: [&str; 5] = ["将过", "将入", "将出", "将来", "将去"];
const JOINED: [char; 7] = ['冲', '厮', '追', '掩', '搦', '赶', '混'];
/// Letters of a word from which longer ones that end in it tell of it.
const SHORTEST_HEAD: usize = 5;
/// How much a part of a name counts: a surname, a given name.
const PART: f64 = 0.55;
/// Positions of one concept in a sentence that are looked at.
const POSITIONS: usize = 6;

/// One thing that the question is about.
#[derive(Clone, Debug)]
pub(super) struct Concept {
    kind: ConceptKind,
    /// Whether it is a name: a sentence about something else does not answer.
    pub(super) is_name: bool,
    /// Whether it stands in any text: a common verb.
    pub(super) is_light: bool,
    /// As it stands in the question.
    pub(super) text: String,
    /// What texts in classical Chinese say instead.
    classical: Vec<&'static str>,
    /// The year that it is, where one told around it will do.
    year: Option<i32>,
}

#[derive(Clone, Debug)]
enum ConceptKind {
    Name(NamePatterns),
    /// Stems, and how much each counts.
    Stems(Vec<(String, f64)>),
    /// Pieces of Chinese text, and how much each counts.
    Pieces(Vec<(String, f64)>),
    /// A date, which is found as a whole: `dated` tells which sentence is of it.
    Date,
}

/// Where a concept stands in a sentence.
#[derive(Clone, Debug, Default)]
pub(super) struct ConceptMatch {
    /// From 0, not at all, to 1, in the question's own words.
    pub(super) strength: f64,
    /// Where, in words from the beginning.
    pub(super) at: Vec<usize>,
}

/// A sentence, ready to be compared.
#[derive(Clone, Debug, Default)]
pub(super) struct IndexedSentence {
    /// Lower case, white space squeezed.
    pub(super) flat: String,
    /// Where each stem stands, in words.
    pub(super) stems: Stems,
    /// Words in all.
    pub(super) length: usize,
    han: bool,
    /// Whether its text is in classical Chinese.
    pub(super) is_classical: bool,
}

/// The stems of words that were met.
pub(super) type StemsOf = FxHashMap<String, Arc<str>>;

/// Where each stem of a sentence stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Stems {
    /// By stem, each with where its places begin.
    stems: Box<[(Arc<str>, usize)]>,
    places: Box<[usize]>,
}

impl Stems {
    /// Takes stems with their places, those of one stem in the order in which they are told.
    fn new(mut found: Vec<(Arc<str>, usize)>) -> Self {
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let places = found.iter().map(|(_, place)| *place).collect();
        let mut stems: Vec<(Arc<str>, usize)> = Vec::new();
        for (at, (stem, _)) in found.into_iter().enumerate() {
            if stems.last().is_none_or(|(last, _)| *last != stem) {
                stems.push((stem, at));
            }
        }
        Self { stems: stems.into(), places }
    }

    /// Where a stem stands.
    pub(super) fn get(&self, stem: &str) -> Option<&[usize]> {
        let at = self.stems.binary_search_by(|(known, _)| (**known).cmp(stem)).ok()?;
        let begin = self.stems.get(at)?.1;
        let end = self.stems.get(at + 1).map_or(self.places.len(), |next| next.1);
        self.places.get(begin..end)
    }

    /// All stems, each once.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.stems.iter().map(|(stem, _)| &**stem)
    }
}

impl IndexedSentence {
    /// Bytes of memory, about.
    pub(super) fn size(&self) -> usize {
        const STEM: usize = size_of::<(Arc<str>, usize)>();
        // many sentences of a text share a stem
        let shared = self.stems.keys().map(|stem| stem.len() + 16).sum::<usize>() / 2;
        size_of::<Self>()
            + self.flat.len()
            + self.stems.stems.len() * STEM
            + self.stems.places.len() * size_of::<usize>()
            + shared
    }

    pub(super) fn of(text: &str, stems_of: &mut StemsOf) -> Self {
        let flat = flatten(text);
        let han = flat.chars().any(is_han);
        let mut stems: Vec<(Arc<str>, usize)> = Vec::new();
        let mut length = 0;
        for word in language::words(&flat) {
            let stemmed = stems_of.entry(word).or_insert_with_key(|word| stem(word).into());
            stems.push((Arc::clone(stemmed), length));
            length += 1;
        }
        let days = short_weekdays(text).into_iter();
        stems.extend(days.map(|(place, day)| (stem(day).into(), place)));
        for (short, long) in synonyms::PHRASES {
            if let Some((at, _)) = questions::find_name(&flat, long) {
                let place = word_place(&flat, at, false);
                stems.push((stem(short).into(), place));
            }
        }
        Self { flat, stems: Stems::new(stems), length, han, is_classical: false }
    }

    /// The same, of a text that is in classical Chinese or not.
    pub(super) fn of_classical(mut self, is_classical: bool) -> Self {
        self.is_classical = is_classical;
        self
    }

    /// Where it has a longer word that ends in a stem: "footbridge" is a bridge.
    fn compound_of(&self, stem: &str) -> Option<&[usize]> {
        // to overpay is not to pay
        const OTHERS: [&str; 12] =
            ["under", "over", "out", "inter", "mis", "dis", "non", "sub", "super", "with", "for", "fore"];
        if self.han || stem.len() < SHORTEST_HEAD || !stem.is_ascii() {
            return None;
        }
        let is_compound = |word: &&str| {
            let ahead = word.strip_suffix(stem).filter(|ahead| ahead.len() > 2);
            ahead.is_some_and(|ahead| {
                !OTHERS.contains(&ahead) && ahead.bytes().all(|byte| byte.is_ascii_lowercase())
            })
        };
        self.stems.keys().find(is_compound).and_then(|word| self.stems.get(word))
    }

    /// Whether it holds Chinese characters.
    pub(super) fn is_han(&self) -> bool {
        self.han
    }

    /// The word that begins at a byte.
    pub(super) fn place(&self, at: usize) -> usize {
        word_place(&self.flat, at, self.han)
    }
}

/// Days of the week that a text writes short and with a capital, each with its word: "Mon", and "Sat" before an hour.
fn short_weekdays(text: &str) -> Vec<(usize, &'static str)> {
    let all: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let day = |(at, word): (usize, &&str)| {
        let is_short = word.len() < 6 && word.starts_with(|c: char| c.is_ascii_uppercase());
        let day = weekday_of(&is_short.then(|| word.to_lowercase())?)?;
        // who "sat down" did so on any day
        let goes_on = all.get(at + 1).is_some_and(|next| next.starts_with(char::is_lowercase));
        (!goes_on || at > 0).then_some((at, day))
    };
    all.iter().enumerate().filter_map(day).collect()
}

/// Words before a byte of flat text; two characters of Chinese are taken for one.
fn word_place(flat: &str, at: usize, han: bool) -> usize {
    let before = flat.get(..at).unwrap_or_default();
    if han { before.chars().count() / 2 } else { before.split(' ').count().saturating_sub(1) }
}

impl Concept {
    /// Where it stands in a sentence of `unit`.
    pub(super) fn find(&self, sentence: &IndexedSentence, unit: &str) -> ConceptMatch {
        let mut found = ConceptMatch::default();
        match &self.kind {
            ConceptKind::Name(name) => find_name(name, sentence, unit, &mut found),
            ConceptKind::Stems(stems) => {
                for (stem, weight) in stems {
                    if let Some(at) = sentence.stems.get(stem) {
                        found.strength = found.strength.max(*weight);
                        found.at.extend(at.iter().take(POSITIONS));
                    }
                }
                // "we meet with CEOs" names none of a company
                if found.strength > 0.0 && self.is_office() && !self.is_in_singular(&sentence.flat) {
                    found.strength = CHARACTER;
                }
                let whole = stems.first().filter(|_| found.strength <= 0.0);
                if let Some(at) = whole.and_then(|(stem, _)| sentence.compound_of(stem)) {
                    found.strength = TOLD;
                    found.at.extend(at.iter().take(POSITIONS));
                }
            }
            ConceptKind::Pieces(pieces) => {
                for (piece, weight) in pieces {
                    for (at, _) in sentence.flat.match_indices(piece.as_str()).take(POSITIONS) {
                        let weight =
                            if is_another_act(&sentence.flat, at, piece) { CHARACTER } else { *weight };
                        found.strength = found.strength.max(weight);
                        found.at.push(sentence.place(at));
                    }
                }
                if sentence.is_classical && found.strength < TOLD {
                    self.find_classical(sentence, &mut found);
                }
            }
            ConceptKind::Date => {}
        }
        if let Some(year) = self.year.filter(|_| found.strength <= CHARACTER) {
            let spans = year_spans(&sentence.flat);
            let span = spans.iter().find(|span| span.holds(year)).map(|span| span.at);
            if let Some(at) = span.or_else(|| find_in_numerals(&sentence.flat, year)) {
                found = ConceptMatch { strength: SAME, at: vec![sentence.place(at)] };
            }
        }
        found
    }

    /// Where a classical text says it in words of its own.
    fn find_classical(&self, sentence: &IndexedSentence, found: &mut ConceptMatch) {
        for word in &self.classical {
            for (at, _) in sentence.flat.match_indices(word).take(POSITIONS) {
                found.strength = TOLD;
                found.at.push(sentence.place(at));
            }
        }
    }

    /// Whether it is a date of more than a year.
    pub(super) fn is_date(&self) -> bool {
        matches!(self.kind, ConceptKind::Date)
    }

    /// Whether it is a year.
    pub(super) fn is_year(&self) -> bool {
        self.year.is_some()
    }

    /// Whether the question names it as something of the graph.
    pub(super) fn is_named(&self) -> bool {
        matches!(self.kind, ConceptKind::Name(_))
    }

    /// Whether it is an office that has a short form: "ceo".
    pub(super) fn is_office(&self) -> bool {
        const OFFICES: [&str; 7] = ["ceo", "cfo", "coo", "cto", "cmo", "cio", "vp"];
        let is = |form: &str| self.text == form;
        synonyms::PHRASES.iter().any(|(short, long)| OFFICES.contains(short) && (is(short) || is(long)))
    }

    /// Whether it is a relative whom a flat English text may mean by a pronoun.
    pub(super) fn is_meant_by(&self, flat: &str) -> bool {
        matches!(self.kind, ConceptKind::Stems(_)) && questions::may_mean_relative(flat, &self.text)
    }

    /// Whether a flat text says an office in the singular, by its short form or a long one.
    fn is_in_singular(&self, flat: &str) -> bool {
        let is_own = |short: &str, long: &str| self.text == short || self.text == long;
        synonyms::PHRASES
            .iter()
            .filter(|(short, long)| is_own(short, long))
            .any(|(short, long)| [short, long].iter().any(|form| questions::find_name(flat, form).is_some()))
    }

    /// From 0 to 1: whether a flat name is one that it names.
    pub(super) fn names(&self, flat: &str) -> f64 {
        let is_word = |word: &str| flat.split(' ').any(|other| other == word);
        match &self.kind {
            ConceptKind::Name(name)
                if name.whole.iter().any(|whole| questions::find_name(flat, whole).is_some()) =>
            {
                1.0
            }
            ConceptKind::Name(name) if name.parts.iter().any(|part| is_word(part)) => PART,
            ConceptKind::Stems(_) if self.is_name && is_word(&self.text) => PART,
            _ => 0.0,
        }
    }

    /// Pieces of Chinese text that say it.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &str> {
        let pieces: &[(String, f64)] =
            if let ConceptKind::Pieces(pieces) = &self.kind { pieces } else { &[] };
        pieces.iter().filter(|(_, weight)| *weight > CHARACTER).map(|(piece, _)| piece.as_str())
    }

    /// Words that say the same, for a search of texts.
    pub(super) fn others(&self) -> impl Iterator<Item = &str> {
        let others: &[(String, f64)] = match &self.kind {
            ConceptKind::Name(_) | ConceptKind::Date => &[],
            ConceptKind::Stems(words) | ConceptKind::Pieces(words) => words,
        };
        others
            .iter()
            .filter(|(_, weight)| *weight > CHARACTER && *weight < 1.0)
            .map(|(word, _)| word.as_str())
    }
}

/// Where a flat text says a year in Chinese numerals.
fn find_in_numerals(flat: &str, year: i32) -> Option<usize> {
    let numeral = |c: char| {
        let place = usize::try_from(c.to_digit(10)?).ok()?;
        "〇一二三四五六七八九".chars().nth(place)
    };
    let numerals: String = year.to_string().chars().map(numeral).collect::<Option<String>>()?;
    flat.find(&format!("{numerals}年")).or_else(|| flat.find(&format!("{}年", numerals.replace('〇', "零"))))
}

/// Whether a verb of one character is part of another act there.
pub(super) fn is_another_act(flat: &str, at: usize, piece: &str) -> bool {
    let mut letters = piece.chars();
    let (Some(verb), None) = (letters.next(), letters.next()) else { return false };
    let behind = flat.get(at + piece.len()..).unwrap_or_default();
    let after = behind.chars().next();
    let before = flat.get(..at).and_then(|rest| rest.chars().next_back());
    ACTS.contains(&verb)
        && (ONWARDS.iter().any(|form| behind.starts_with(form))
            || after.is_some_and(|c| TURNED.contains(&c))
            || before.is_some_and(|c| JOINED.contains(&c)))
}

fn find_name(name: &NamePatterns, sentence: &IndexedSentence, unit: &str, found: &mut ConceptMatch) {
    let flat = &sentence.flat;
    for whole in &name.whole {
        let at = questions::find_name(flat, whole).or_else(|| questions::find_told_name(flat, whole));
        if let Some((at, _)) = at {
            found.strength = 1.0;
            found.at.push(sentence.place(at));
        }
    }
    if found.strength > 0.0 {
        // 王武奔入后园；武慌急，为乱军所杀: a clause of a long sentence goes on with the given name itself
        if let Some(given) = &name.given {
            let begins = |at: usize| {
                let before = flat.get(..at).unwrap_or_default().chars().next_back();
                before.is_some_and(|c| matches!(c, '，' | '；' | '。' | ','))
            };
            let places = flat.match_indices(given.as_str()).map(|(at, _)| at);
            let own = places.filter(|at| begins(*at) && !is_kin_of(flat, at + given.len()));
            found.at.extend(own.take(POSITIONS).map(|at| sentence.place(at)));
        }
        return;
    }
    for part in &name.parts {
        if let Some((at, _)) = questions::find_name(flat, part)
            && name.whole.iter().all(|whole| !questions::is_another(flat, at, whole))
            && !(is_surname(part, name) && is_of_namesake(flat, at, &name.whole))
        {
            found.strength = PART;
            found.at.push(sentence.place(at));
        }
    }
    // a text goes on with the head of a long Chinese name: 大桥 for 云溪大桥
    if let Some(at) = name.whole.iter().find_map(|whole| head_of(whole, flat, unit)) {
        found.strength = found.strength.max(PART);
        found.at.push(sentence.place(at));
    }
    // and with its last character before "in": 站里 for 水文站
    if let Some(at) = name.whole.iter().find_map(|whole| inside_of(whole, flat, unit)) {
        found.strength = found.strength.max(PART);
        found.at.push(sentence.place(at));
    }
    // or points at it by that character: 这座桥 for 青石桥, where that is nobody's given name
    if name.given.is_none()
        && let Some(at) = name.whole.iter().find_map(|whole| pointed_at(whole, flat, unit))
    {
        found.strength = found.strength.max(PART);
        found.at.push(sentence.place(at));
    }
    // classical Chinese goes on with the given name alone: 操 for 曹操
    if let Some(given) = &name.given
        && name.whole.iter().any(|whole| unit.contains(whole.as_str()))
        && let Some(at) =
            flat.match_indices(given.as_str()).map(|(at, _)| at).find(|at| !is_kin_of(flat, at + given.len()))
    {
        found.strength = found.strength.max(PART);
        found.at.push(sentence.place(at));
    }
}

/// Whether a given name of one character that ends at a byte only tells whose relative somebody is: 卓母.
fn is_kin_of(flat: &str, end: usize) -> bool {
    const KIN: &str = "母父妻女弟兄叔侄婿嫂妾";
    flat.get(end..).and_then(|rest| rest.chars().next()).is_some_and(|c| KIN.contains(c))
}

/// Whether a part of a name is the last word of it.
fn is_surname(part: &str, name: &NamePatterns) -> bool {
    name.whole.iter().any(|whole| whole.rsplit_once(' ').is_some_and(|(_, last)| last == part))
}

/// Whether a surname at a byte stands behind the given name of another: "Lowell Bergman" is not Ingmar Bergman.
fn is_of_namesake<'a>(flat: &'a str, at: usize, whole: &[String]) -> bool {
    let bare = |word: &'a str| word.trim_matches(|c: char| !c.is_alphanumeric());
    let mut before =
        flat.get(..at).and_then(|before| before.strip_suffix(' ')).unwrap_or_default().rsplit(' ');
    let (given, first) = (before.next().unwrap_or_default(), before.next().unwrap_or_default());
    // "Ingrid Maria Torvald" has a name more
    let is_asked = |word: &str| whole.iter().flat_map(|whole| whole.split(' ')).any(|asked| asked == word);
    let ends = given.ends_with([',', ';', ':']);
    is_given_name(bare(given)) && !ends && !is_asked(bare(given)) && !is_asked(bare(first))
}

/// Characters of a Chinese name from which its head stands for it, and of its head.
const LONG_NAME: usize = 4;
const HEAD: usize = 2;
/// What stands before the head of a name where no other name ends in it.
const BEFORE_HEAD: &str =
    "，。、；：！？“”（）\" 在到把将对的为由于这该本任是从和与被让给进出离开经过建修请了后前时有";

/// Where a flat sentence names something by the last two characters of its name, which its text unit gives in full.
fn head_of(whole: &str, flat: &str, unit: &str) -> Option<usize> {
    let letters = whole.chars().count();
    if letters < LONG_NAME || !whole.chars().all(is_han) || !unit.contains(whole) {
        return None;
    }
    let head = whole.char_indices().nth(letters - HEAD).and_then(|(at, _)| whole.get(at..))?;
    let stands_alone = |at: &usize| {
        let before = flat.get(..*at).unwrap_or_default().chars().next_back();
        before.is_none_or(|c| BEFORE_HEAD.contains(c) || !is_han(c))
    };
    flat.match_indices(head).map(|(at, _)| at).find(stands_alone)
}

/// Last characters of what people work in or live in, and what stands behind them where a text goes on about it.
const HOUSES: &str = "队站厂校院馆园店社团会村镇县市区局所寺庙庄场部厅行坊铺堂";
const INSIDE: &str = "里中内上";

/// Where a flat sentence names something by the last character of its name, which its text unit gives in full: 队里 for
/// 消防队.
fn inside_of(whole: &str, flat: &str, unit: &str) -> Option<usize> {
    let last = whole.chars().next_back().filter(|c| HOUSES.contains(*c))?;
    if whole.chars().count() < HEAD + 1 || !unit.contains(whole) {
        return None;
    }
    let stands = |at: &usize| {
        let behind = flat.get(at + last.len_utf8()..).and_then(|rest| rest.chars().next());
        let before = flat.get(..*at).unwrap_or_default().chars().next_back();
        behind.is_some_and(|c| INSIDE.contains(c))
            && before.is_none_or(|c| BEFORE_HEAD.contains(c) || !is_han(c))
    };
    flat.match_indices(last).map(|(at, _)| at).find(stands)
}

/// Where a flat sentence points at something by the last character of its name, which its text unit gives in full: 这座桥 or
/// 该桥 for 青石桥.
fn pointed_at(whole: &str, flat: &str, unit: &str) -> Option<usize> {
    let last = whole.chars().next_back().filter(|c| is_han(*c))?;
    if whole.chars().count() < HEAD + 1 || !unit.contains(whole) {
        return None;
    }
    let is_pointed_at = |at: &usize| {
        let before = flat.get(..*at).unwrap_or_default();
        let bare = before.strip_suffix(|c: char| CLASSIFIERS.contains(c)).unwrap_or(before);
        bare.ends_with(['这', '那', '该', '此'])
    };
    flat.match_indices(last).map(|(at, _)| at).find(is_pointed_at)
}

/// What a question is about: its names, then its words that carry meaning, in the order of the question. `by_date`: the
/// words that tell when are left out, for the documents' dates tell it.
pub(super) fn concepts(question: &Question, by_date: bool) -> Vec<Concept> {
    let is_time = |name: &NamePatterns| {
        let words = name.whole.iter().flat_map(|whole| whole.split(' '));
        by_date && words.clone().count() > 0 && words.clone().all(|word| tells_when(word) || word == "year")
    };
    let mut flat = flatten(&question.text);
    let dates: Vec<(&DateSpan, String)> = question
        .dates
        .iter()
        .filter(|date| date.says_month())
        .filter_map(|date| Some((date, flat.get(date.range.clone())?.to_owned())))
        .collect();
    let is_in_date = |name: &NamePatterns| {
        dates.iter().any(|(_, text)| name.whole.first().is_some_and(|whole| text.contains(whole.as_str())))
    };
    let mut found: Vec<Concept> = question
        .names
        .iter()
        .filter(|name| !is_time(name) && !is_in_date(name))
        .filter(|name| {
            !name.whole.first().is_some_and(|word| word.contains(is_han) && says_what_code_is(&flat, word))
        })
        .filter(|name| !(name.is_word && name.whole.first().is_some_and(|word| is_slot(question, word))))
        .map(|name| of_name(name, question, &flat))
        .collect();
    let of_documents = |date: &DateSpan| by_date && date.says_year();
    for (date, text) in dates.iter().rev() {
        if !of_documents(date) {
            let (kind, text, classical) = (ConceptKind::Date, text.clone(), Vec::new());
            found.push(Concept { kind, is_name: true, is_light: false, text, classical, year: None });
        }
        // what tells when a thing was is no word of it
        flat.replace_range(date.range.clone(), " , ");
    }
    let whole = flat.clone();
    for (short, long) in synonyms::PHRASES {
        if let Some((start, end)) = questions::find_name(&flat, long) {
            flat.replace_range(start..end, short);
        }
    }
    let mut rest =
        if question.language == Language::Chinese { questions::without_asking(&flat) } else { flat.clone() };
    // the longest first: 赤兔 leaves 马 of 赤兔马
    let mut wholes: Vec<&String> = question.names.iter().flat_map(|name| &name.whole).collect();
    wholes.sort_by_key(|whole| std::cmp::Reverse(whole.len()));
    for whole in wholes {
        if let Some((start, end)) = questions::find_name(&rest, whole) {
            rest.replace_range(start..end, " , ");
        }
    }
    let capitals = capitals(&question.text);
    let is_price = question.measure == Some(QuantityKind::Money) && asks_price(question);
    let mut seen: FxHashSet<String> = FxHashSet::default();
    let words = carrying_words(question.language, &rest);
    for mut word in words {
        // 走了 is 走
        if word.chars().count() > 1 && word.ends_with(['了', '着', '过']) && word.chars().all(is_han) {
            word.pop();
        }
        let stemmed = stem(&word);
        if language::is_stop_word(&word)
            || questions::is_question_word(&word)
            || !seen.insert(stemmed.clone())
        {
            continue;
        }
        if by_date && tells_when(&word) || is_slot(question, &word) {
            continue;
        }
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let han = word.chars().any(is_han);
        let denied = if is_denied(&flat, &word) { denied_pieces(&word) } else { None };
        let kind = match denied {
            Some(denied) => ConceptKind::Pieces(denied),
            None if han => ConceptKind::Pieces(pieces(&word)),
            None => ConceptKind::Stems(stems(&stemmed)),
        };
        let is_name = is_number || capitals.contains(&word);
        // what is written with a capital is no common verb: the language Go
        let is_light = !is_name
            && (question.asks == Asks::Number && OF_GETTING.contains(&word.as_str())
                || question.asks == Asks::Place && kind_of_place(&whole) == Some(word.as_str())
                || is_price && OF_PRICE.contains(&word.as_str())
                || says_what_code_is(&whole, &word)
                || word == "held" && IS_HELD.iter().any(|form| flat.contains(form))
                || if han {
                    synonyms::CHINESE_LIGHT.contains(&word.as_str())
                } else {
                    LIGHT.contains(&stemmed)
                });
        let classical = classical_words(&word);
        let year = year_of(word.trim_end_matches('年'));
        found.push(Concept { kind, is_name, is_light, text: word, classical, year });
    }
    // what happened in a year is told by that year alone
    if found.iter().all(|concept| concept.year.is_some() || concept.is_light) {
        for concept in &mut found {
            concept.year = None;
        }
    }
    found
}

/// What a name of a flat question asks about.
fn of_name(name: &NamePatterns, question: &Question, flat: &str) -> Concept {
    let kind = kind_of(name, question.asks);
    let is_name = matches!(kind, ConceptKind::Name(_));
    let text = name.whole.first().cloned().unwrap_or_default();
    let is_light = name.is_word && LIGHT.contains(&stem(&text))
        || !is_name && synonyms::CHINESE_LIGHT.contains(&text.as_str())
        || !is_name && says_what_code_is(flat, &text);
    let classical = if is_name { Vec::new() } else { classical_words(&text) };
    let year = year_of(text.trim_end_matches('年'));
    Concept { kind, is_name, is_light, text, classical, year }
}

/// The words of what is left of a question.
fn carrying_words(language: Language, rest: &str) -> Vec<String> {
    if language != Language::Chinese {
        return language::words(rest);
    }
    let is_light = |word: &String| synonyms::CHINESE_LIGHT.contains(&word.as_str());
    let apart = |word: String| match deed_and_object(&word).filter(|_| !is_light(&word)) {
        Some((verb, object)) => vec![verb, object],
        None => vec![word],
    };
    joined(longest_words(rest), rest).into_iter().flat_map(apart).collect()
}

/// Words with those of one character joined that stand side by side and make a known word: 退任.
fn joined(words: Vec<String>, text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in words {
        let is_single = |word: &str| word.chars().count() == 1;
        let whole = all
            .last()
            .filter(|last| is_single(last) && is_single(&word))
            .map(|last| format!("{last}{word}"))
            .filter(|whole| text.contains(whole.as_str()) && is_known(whole));
        if let Some(whole) = whole {
            all.pop();
            all.push(whole);
        } else {
            all.push(word);
        }
    }
    all
}

/// Whether a word only says what is asked for: 几岁, and 姓 of 姓什么.
fn is_slot(question: &Question, word: &str) -> bool {
    word.starts_with("多少")
        || question.over_time && OF_CHANGE.contains(&word)
        || question.compares && OF_COMPARISON.contains(&word)
        || question.is_quantity && questions::GREATER.contains(&word)
        || (question.asks == Asks::Number || question.is_quantity) && OF_SIZE.contains(&word)
        || question.newest && OF_NOW.contains(&word)
        || question.span == Some(FiscalSpan::Year) && ["whole", "full", "entire", "全年"].contains(&word)
        || question.over_time && word.starts_with('近') && word.ends_with('年')
        || question.asks == Asks::Reason && OF_CAUSE.contains(&word)
        || is_only_finally(&flatten(&question.text), word)
        || ["想", "打算"].contains(&word)
        || word.starts_with('几') && word.chars().count() > 1
        || question.measure.is_some_and(|measure| of_measure(measure).contains(&word))
        || is_classifier(question, word)
        || is_text_itself(question, word)
        || question.asks_name && ["姓", "名", "字", "号", "叫", "名字", "name", "called"].contains(&word)
}

/// Whether a word only says that the last state of something is asked for: "in the end".
fn is_only_finally(flat: &str, word: &str) -> bool {
    match word {
        "end" => flat.contains(" in the end"),
        "all" => flat.contains(" after all"),
        word => ["eventually", "finally", "ultimately"].contains(&word),
    }
}

/// Whether a word of a question is the text that is asked itself: "this book", 本书.
fn is_text_itself(question: &Question, word: &str) -> bool {
    const TEXTS: [&str; 12] = [
        "book",
        "text",
        "document",
        "story",
        "novel",
        "report",
        "article",
        "paper",
        "letter",
        "这本书",
        "这篇",
        "本文",
    ];
    TEXTS.contains(&word)
        && (word.chars().any(is_han)
            || questions::find_name(&flatten(&question.text), &format!("this {word}")).is_some())
}

/// Whether a character of a Chinese question only stands between how many and what is counted: 多少名护士.
fn is_classifier(question: &Question, word: &str) -> bool {
    question.asks == Asks::Number
        && word.chars().count() == 1
        && (CLASSIFIERS.contains(word) || "个位次回".contains(word))
        && ["多少", "几"].iter().any(|form| question.text.contains(&format!("{form}{word}")))
}

/// Whether a question asks what something costs: the cost itself may be a thing, as the cost of revenue.
fn asks_price(question: &Question) -> bool {
    let flat = flatten(&question.text);
    question.asks == Asks::Number && !flat.starts_with("what ")
        || ["what did ", "what does ", "what do "].iter().any(|form| flat.starts_with(form))
}

/// Words that say no more than what is counted where a question asks how much of it somebody has: 得到了多少赔偿.
const OF_GETTING: [&str; 4] = ["得到", "拿到", "收到", "获得"];

/// Whether a word only says what kind of thing a code beside it is, which a table has in the name of a column, if anywhere: the error of
/// "error E2", 故障 of 故障代码E2.
fn says_what_code_is(flat: &str, word: &str) -> bool {
    const CODED: [&str; 11] =
        ["error", "errors", "fault", "code", "message", "warning", "alarm", "错误", "故障", "代码", "报错"];
    let is_code = |text: &str| {
        let text = text.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        text.contains(|c: char| c.is_ascii_digit()) && text.contains(|c: char| c.is_ascii_alphabetic())
    };
    let letters = flat.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let is_coded = CODED.contains(&word)
        || word.chars().any(is_han)
            && CODED.iter().fold(word.to_owned(), |left, one| left.replace(one, "")).is_empty();
    is_coded && letters.into_iter().any(is_code)
}

/// Words that only ask for an amount of money.
const OF_PRICE: [&str; 8] = ["cost", "costs", "pay", "paid", "spend", "spent", "花", "花费"];

/// Words that only say that what holds now is asked for.
const OF_NOW: [&str; 10] =
    ["now", "currently", "nowadays", "presently", "today", "现在", "目前", "如今", "当前", "眼下"];

/// Words that only ask to compare.
const OF_COMPARISON: [&str; 13] = [
    "compare",
    "compared",
    "comparison",
    "difference",
    "differences",
    "differ",
    "different",
    "versus",
    "比较",
    "对比",
    "区别",
    "差别",
    "不同",
];

/// Words that only ask for a cause.
const OF_CAUSE: [&str; 5] = ["cause", "caused", "causes", "reason", "导致"];

/// What says of a meeting that it takes place.
const IS_HELD: [&str; 8] =
    ["be held", "is held", "are held", "was held", "were held", "being held", "been held", "held?"];

/// Words that only ask for a number.
const OF_SIZE: [&str; 14] = [
    "large", "extra", "big", "long", "high", "far", "deep", "wide", "thick", "heavy", "often", "count",
    "number", "amount",
];

/// Words that only say that something went on over time.
const OF_CHANGE: [&str; 13] = [
    "change",
    "changed",
    "develop",
    "developed",
    "evolve",
    "evolved",
    "trend",
    "time",
    "变化",
    "发展",
    "趋势",
    "演变",
    "变",
];

/// Words that ask for a kind of number.
fn of_measure(measure: QuantityKind) -> &'static [&'static str] {
    match measure {
        QuantityKind::Money => &["money", "price", "钱", "银子", "银两", "银元", "大洋"],
        QuantityKind::Age => &["old", "age", "年纪", "岁数", "岁"],
        QuantityKind::Length => &["tall", "high", "far", "deep", "wide", "高", "远", "身高"],
        QuantityKind::Weight => &["heavy", "weigh", "重", "斤", "胖", "沉"],
        QuantityKind::Temperature => &["temperature"],
        QuantityKind::Year => &["year", "年"],
        QuantityKind::Version => &["version", "release", "版本"],
        QuantityKind::Share | QuantityKind::Duration => &[],
    }
}

/// What a question is about in all words that say it, for a search of texts; empty where there are no others.
pub(super) fn other_words(question: &Question) -> String {
    let concepts = concepts(question, false);
    let mut words: Vec<&str> = concepts.iter().flat_map(Concept::others).collect();
    // an office stands in texts by its long name as often
    let asked = language::words(&question.text);
    let long = |(short, long): &(&'static str, &'static str)| {
        asked.iter().any(|word| word == short).then_some(*long)
    };
    words.extend(synonyms::PHRASES.iter().filter_map(long));
    if words.is_empty() {
        return String::new();
    }
    words.extend(concepts.iter().map(|concept| concept.text.as_str()));
    words.join(" ")
}

/// What a name of the question is: words that others can say are no name.
fn kind_of(name: &NamePatterns, asks: Asks) -> ConceptKind {
    if let Some(short) = name.short_form() {
        return ConceptKind::Stems(stems(&stem(short)));
    }
    match name.whole.as_slice() {
        [word, ..] if name.is_word => ConceptKind::Stems(stems(&stem(word))),
        [word] if word.chars().all(is_han) && (has_others(word) || is_noun(name, asks)) => {
            ConceptKind::Pieces(pieces(word))
        }
        _ => ConceptKind::Name(name.clone()),
    }
}

/// Whether the dictionary has a Chinese word as a plain one, and neither the graph knows it as somebody nor a question asks
/// who it is.
fn is_noun(name: &NamePatterns, asks: Asks) -> bool {
    let word = name.whole.first().map(String::as_str).unwrap_or_default();
    name.given.is_none()
        && !matches!(asks, Asks::Definition | Asks::Relation)
        && whole_tag(word).is_some_and(|tag| ["n", "v", "vn", "s", "f", "t"].contains(&tag))
}

/// Whether there are other words for a Chinese one.
fn has_others(word: &str) -> bool {
    synonyms::CHINESE_LIGHT.contains(&word)
        || synonyms::CHINESE.iter().any(|group| group.split(' ').any(|other| other == word))
}

/// Words that say the same as one, itself first; stems.
pub(super) fn same(word: &str) -> Vec<String> {
    let all = if word.chars().any(is_han) { pieces(word) } else { stems(&stem(word)) };
    all.into_iter().filter(|(_, weight)| *weight > CHARACTER).map(|(word, _)| word).collect()
}

/// Whether a word is part of a date, or says that the newest counts.
fn tells_when(word: &str) -> bool {
    let year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let named = ["fiscal", "quarter", "first", "second", "third", "fourth", "latest", "newest", "recent"];
    year || named.contains(&word) || word.starts_with("fy") && word.len() < 7 || is_month(word)
}

/// Words of a question written with a capital that does not stand at its beginning; empty where every word has one.
fn capitals(text: &str) -> FxHashSet<String> {
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '&'))
        .filter(|w| !w.is_empty())
        .collect();
    let capital =
        |word: &&&str| word.starts_with(char::is_uppercase) || word.chars().skip(1).any(char::is_uppercase);
    let found: FxHashSet<String> =
        words.iter().skip(1).filter(capital).map(|word| word.trim_end_matches("'s").to_lowercase()).collect();
    if found.len() + 1 >= words.len() && words.len() > 2 { FxHashSet::default() } else { found }
}

static GROUPS: LazyLock<FxHashMap<String, Vec<Vec<String>>>> = LazyLock::new(|| {
    let mut groups: FxHashMap<String, Vec<Vec<String>>> = FxHashMap::default();
    for group in synonyms::ENGLISH {
        let stems: Vec<String> = group.split(' ').map(stem).collect();
        for stem in &stems {
            groups.entry(stem.clone()).or_default().push(stems.clone());
        }
    }
    groups
});

/// What a text may say instead of a stem, and of a Chinese word.
static TOLD_AS: LazyLock<FxHashMap<String, Vec<String>>> = LazyLock::new(|| {
    let form = |word: &str| if word.chars().any(is_han) { word.to_owned() } else { stem(word) };
    let told = synonyms::TOLD_AS.iter();
    told.map(|(asked, told)| (form(asked), told.split(' ').map(form).collect())).collect()
});

/// Adds what a text may say instead.
fn told_as(of: &str, all: &mut Vec<(String, f64)>) {
    for told in TOLD_AS.get(of).into_iter().flatten() {
        if all.iter().all(|(known, _)| known != told) {
            all.push((told.clone(), TOLD));
        }
    }
}

static LIGHT: LazyLock<FxHashSet<String>> =
    LazyLock::new(|| synonyms::LIGHT.iter().map(|word| stem(word)).collect());

/// A stem and those that say the same.
fn stems(of: &str) -> Vec<(String, f64)> {
    let mut all = vec![(of.to_owned(), 1.0)];
    for other in GROUPS.get(of).into_iter().flatten().flatten() {
        if all.iter().all(|(known, _)| known != other) {
            all.push((other.clone(), SAME));
        }
    }
    for (short, long) in synonyms::PHRASES {
        if stem(short) == of && !long.contains(' ') {
            all.push((stem(long), 1.0));
        }
    }
    told_as(of, &mut all);
    all.extend(weekday_of(of).map(|day| (stem(day), 1.0)));
    // who does it is named after the act: visitor, maintainer
    for ending in DOERS {
        let acts = of.strip_suffix(ending).filter(|act| act.len() >= SHORTEST_ACT).map(str::to_owned);
        let doer = Some(format!("{of}{ending}")).filter(|_| of.len() >= SHORTEST_ACT);
        for other in acts.into_iter().chain(doer) {
            if of.is_ascii() && all.iter().all(|(known, _)| *known != other) {
                all.push((other, TOLD));
            }
        }
    }
    all
}

/// Endings that make of an act who does it, and letters of the shortest act.
const DOERS: [&str; 2] = ["or", "er"];
const SHORTEST_ACT: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Entity, FiscalCalendar};

    fn strength(question: &str, sentence: &str) -> Vec<(String, f64)> {
        let indexed = IndexedSentence::of(sentence, &mut FxHashMap::default());
        let question = Question::read(question, &[], FiscalCalendar::default());
        concepts(&question, false)
            .into_iter()
            .filter(|c| !c.is_light)
            .map(|c| (c.text.clone(), c.find(&indexed, sentence).strength))
            .collect()
    }

    #[test]
    fn other_words_for_the_same_are_found() {
        let all =
            |question, sentence| strength(question, sentence).iter().all(|(_, strength)| *strength > 0.5);
        assert!(all("Who is the CEO?", "Satya Nadella, chief executive officer, spoke."));
        assert!(all("Who is the chief executive officer?", "The CEO spoke."));
        assert!(all("When was it bought?", "The acquisition closed in May."));
        assert!(all("When did the purchase close?", "They bought it, and completed the deal."));
        assert!(all("谁偷走了赤兔马？", "侯成盗了那匹赤兔马"));
        assert!(all("茶馆星期几不开门？", "茶馆每周一打烊。"));
        assert!(all("Who drew the bridge?", "The footbridge was drawn by Ann Lee."));
        assert!(all("How much did the oven cost?", "They gave 90 pounds for the oven."));
        assert!(!all("Where is the water?", "They swam underwater."));
        assert!(!all("Who is the CEO?", "The weather was fine."));
    }

    #[test]
    fn an_entity_that_is_a_plain_word_is_no_name() {
        let of = |question: &str, name: &str, sentence: &str| {
            let entity = Entity { name: name.to_owned(), kind: "Concept".to_owned(), ..Entity::default() };
            let question = Question::read(question, &[entity], FiscalCalendar::default());
            let indexed = IndexedSentence::of(sentence, &mut FxHashMap::default());
            let found = concepts(&question, false).into_iter();
            found
                .map(|c| (c.text.clone(), c.is_name, c.find(&indexed, sentence).strength))
                .collect::<Vec<_>>()
        };
        let told = |text: &str, is_name: bool, strength: f64| vec![(text.to_owned(), is_name, strength)];
        assert_eq!(of("What was the growth?", "growth", "It grew."), told("growth", false, SAME));
        assert_eq!(of("What was the growth?", "Growth", "It grew."), told("growth", false, SAME));
        assert_eq!(of("What is Growth?", "Growth", "It grew."), told("growth", true, 0.0));
        // that something changed is what the question asks, and not what it is about
        assert_eq!(of("How did Azure change from 2016 to 2019?", "change", "Azure.").len(), 3);
    }

    #[test]
    fn a_surname_behind_another_given_name_is_of_another() {
        let found = |sentence: &str| {
            let entity =
                Entity { name: "Ingrid Torvald".to_owned(), kind: "Person".to_owned(), ..Entity::default() };
            let question =
                Question::read("Where was Ingrid Torvald born?", &[entity], FiscalCalendar::default());
            let indexed = IndexedSentence::of(sentence, &mut FxHashMap::default());
            concepts(&question, false).first().map(|name| name.find(&indexed, sentence).strength)
        };
        assert_eq!(found("Lowell Torvald was born in Oslo."), Some(0.0));
        assert_eq!(found("Torvald was born in Oslo."), Some(PART));
        assert_eq!(found("In Oslo Dr. Torvald was born."), Some(PART));
        assert_eq!(found("Ingrid Maria Torvald was born in Oslo."), Some(PART));
    }

    #[test]
    fn names_are_known_by_their_capitals() {
        let names = |question| {
            let question = Question::read(question, &[], FiscalCalendar::default());
            concepts(&question, false).into_iter().filter(|c| c.is_name).map(|c| c.text).collect::<Vec<_>>()
        };
        assert_eq!(names("Who is the CEO of Oracle?"), ["ceo", "oracle"]);
        assert_eq!(names("who runs oracle?"), Vec::<String>::new());
        let go = Question::read("Which version of Go is needed?", &[], FiscalCalendar::default());
        assert!(concepts(&go, false).iter().any(|c| c.text == "go" && c.is_name && !c.is_light));
        assert_eq!(names("Who Runs Oracle Now?"), Vec::<String>::new());
    }
}
