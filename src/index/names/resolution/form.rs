//! A name taken apart: what the rules look at. Pure text, no judgement.

use crate::language::words::is_han;
use crate::stores::graph::NameUse;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Characters beyond which a text is a sentence and no name; no rule touches it.
const LONGEST: usize = 120;

const TRADE_MARKS: [char; 4] = ['™', '®', '©', '℠'];

/// The article that a name began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Article {
    /// "a", "an".
    Indefinite,
    /// "the".
    Definite,
}

/// How the letters of a name are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Case {
    /// No capital letter, in a script that has them.
    Lower,
    /// Every word of more than three letters begins with a capital; scripts without capitals count here.
    Title,
    /// Nothing but capitals.
    Upper,
    /// Anything else.
    Mixed,
}

/// A name taken apart. All words are lower case.
#[derive(Clone, Debug)]
pub(super) struct NameForm {
    /// Class of its majority type ([`kind_class`]); empty where unknown.
    pub(super) kind: Cow<'static, str>,
    /// Words without article, hyphens and dots; runs of initials are one word: `["ws", "gilbert"]`.
    pub(super) words: Vec<String>,
    /// `words` with single spaces.
    text: String,
    /// Words as `words`, but with hyphens and with each initial by itself: `["w", "s", "gilbert"]`.
    pub(super) parts: Vec<String>,
    /// Words in the parentheses at the end: "planet" of "Mercury (planet)".
    pub(super) note: Vec<String>,
    /// Whether the note is written without a capital.
    pub(super) note_is_lower: bool,
    /// The article it began with.
    pub(super) article: Option<Article>,
    /// Where in `parts` the only comma stands: number of parts before it.
    pub(super) comma: Option<usize>,
    /// Whether a hyphen stands between two words.
    pub(super) hyphenated: bool,
    /// Whether it has initials with dots.
    pub(super) dotted: bool,
    /// How it is written.
    pub(super) case: Case,
}

impl NameForm {
    /// Takes a name apart; `None` where nothing is left or it is too long to be a name.
    pub(super) fn new(name: &NameUse) -> Option<Self> {
        if name.key.chars().nth(LONGEST).is_some() {
            return None;
        }
        // the key holds "™" as the letters "tm"
        let shown = name
            .name
            .contains(TRADE_MARKS)
            .then(|| crate::domain::name_key(&name.name.replace(TRADE_MARKS, "")));
        let key: String = shown
            .as_ref()
            .unwrap_or(&name.key)
            .chars()
            .filter(|c| !is_invisible(*c))
            .map(plain_mark)
            .collect();
        let whole = unwrapped(&key);
        let (base, note) = split_note(whole);
        let read = FormReader::of(base);
        let mut words = read.words;
        let mut parts = read.parts;
        let article = take_article(&mut words, &mut parts);
        expand_first(&mut words);
        expand_first(&mut parts);
        let comma = read.comma.filter(|_| article.is_none());
        let note_shown = name.name.rsplit(['(', '（']).next().unwrap_or_default();
        (!words.is_empty()).then(|| Self {
            kind: majority_class(&name.kinds),
            text: words.join(" "),
            words,
            parts,
            note: note.map(|note| FormReader::of(note).words).unwrap_or_default(),
            note_is_lower: case_of(note_shown) == Case::Lower,
            article,
            comma,
            hyphenated: read.hyphenated,
            dotted: read.dotted,
            case: case_of(&name.name),
        })
    }

    /// The words with single spaces.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The words of the note with single spaces.
    pub(super) fn note_text(&self) -> Cow<'_, str> {
        match self.note.as_slice() {
            [] => Cow::Borrowed(""),
            [one] => Cow::Borrowed(one),
            several => Cow::Owned(several.join(" ")),
        }
    }

    /// Whether it has but one word, and no note.
    pub(super) fn is_single(&self) -> bool {
        self.words.len() == 1 && self.note.is_empty()
    }

    /// Whether it is a person's surname behind one letter: "M. Ashworth".
    pub(super) fn is_initial(&self) -> bool {
        let [given, last] = self.parts.as_slice() else { return false };
        self.is_person() && given.chars().count() == 1 && last.chars().count() > 1
    }

    /// Whether it may be a person's as far as its type says.
    pub(super) fn may_be_person(&self) -> bool {
        self.kind.is_empty() || self.is_person()
    }

    /// Whether it is typed as a person.
    pub(super) fn is_person(&self) -> bool {
        self.kind == PERSON
    }

    /// Whether any word has a digit.
    pub(super) fn has_digit(&self) -> bool {
        self.words.iter().any(|word| word.contains(char::is_numeric))
    }
}

/// Class of persons.
pub(super) const PERSON: &str = "person";
/// Class of places.
pub(super) const PLACE: &str = "place";
/// Class of organisations.
pub(super) const ORGANISATION: &str = "organization";

/// Types that mean the same, under one name; types that say nothing are empty.
pub(super) fn kind_class(kind: &str) -> Cow<'static, str> {
    let kind = crate::domain::name_key(kind);
    Cow::Borrowed(match kind.as_str() {
        "person" | "people" | "per" | "human" | "character" | "人物" | "人" | "角色" => PERSON,
        "place" | "geo" | "gpe" | "loc" | "location" | "city" | "country" | "地点" | "地名" | "地理"
        | "国家" | "城市" => PLACE,
        "organization" | "organisation" | "org" | "company" | "institution" | "组织" | "机构" | "公司" => {
            ORGANISATION
        }
        "event" | "事件" => "event",
        "other" | "others" | "misc" | "miscellaneous" | "unknown" | "entity" | "thing" | "none" | "n/a"
        | "其他" | "未知" => "",
        _ => return Cow::Owned(kind),
    })
}

/// The class that most records give; of equally frequent ones the first in code point order.
fn majority_class(kinds: &[(String, u32)]) -> Cow<'static, str> {
    if let [(kind, _)] = kinds {
        return kind_class(kind);
    }
    let mut counts: BTreeMap<Cow<'static, str>, u64> = BTreeMap::new();
    for (kind, count) in kinds {
        let class = kind_class(kind);
        if !class.is_empty() {
            *counts.entry(class).or_default() += u64::from(*count);
        }
    }
    counts
        .into_iter()
        .max_by_key(|(class, count)| (*count, Reverse(class.clone())))
        .map_or(Cow::Borrowed(""), |(class, _)| class)
}

/// The text without the marks on Latin letters: "zürich" is "zurich", "łódź" is "lodz". Other scripts stay, since
/// there the marks make other letters.
pub(super) fn without_marks(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut latin = false;
    for c in text.nfd() {
        if is_combining_mark(c) {
            if !latin {
                plain.push(c);
            }
            continue;
        }
        match c {
            'ß' => plain.push_str("ss"),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            'ø' => plain.push('o'),
            'ł' => plain.push('l'),
            'đ' | 'ð' => plain.push('d'),
            'þ' => plain.push_str("th"),
            'ı' => plain.push('i'),
            _ => plain.push(c),
        }
        latin = c.is_ascii_alphabetic() || matches!(c, 'ø' | 'æ' | 'œ' | 'ł' | 'đ');
    }
    Cow::Owned(plain.nfc().collect())
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Dashes, apostrophes, middle dots and quotes in one form each.
fn plain_mark(c: char) -> char {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '·' | '•' | '・' | '‧' | '∙' => {
            '-'
        }
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' | '`' | '\u{b4}' | '\u{2bc}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' | '「' | '」' | '『' | '』' => '"',
        '（' => '(',
        '）' => ')',
        '，' | '、' => ',',
        _ => c,
    }
}

/// Takes quotes, brackets and punctuation off both ends.
fn unwrapped(mut text: &str) -> &str {
    const PAIRS: [(char, char); 6] =
        [('(', ')'), ('[', ']'), ('{', '}'), ('《', '》'), ('〈', '〉'), ('【', '】')];
    loop {
        let before = text.len();
        text = text.trim().trim_matches(['*', '_']);
        text = text.trim_end_matches([',', ';', ':', '.', '。', '；', '：']);
        if text.matches('"').count() > 1 || !text.ends_with('"') || !ends_in_inches(text) {
            text = text.trim_matches('"');
        }
        if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
            text = inner;
        }
        for (open, close) in PAIRS {
            if let Some(inner) = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close))
                && !inner.contains(open)
            {
                text = inner;
            }
        }
        if text.len() == before {
            return text;
        }
    }
}

fn ends_in_inches(text: &str) -> bool {
    text.trim_end_matches('"').ends_with(|c: char| c.is_numeric())
}

/// "mercury (planet)" as "mercury" and "planet".
fn split_note(text: &str) -> (&str, Option<&str>) {
    if let Some(inner) = text.strip_suffix(')')
        && let Some((base, note)) = inner.rsplit_once('(')
        && !base.trim().is_empty()
        && !note.trim().is_empty()
    {
        return (base, Some(note));
    }
    (text, None)
}

#[derive(Default)]
struct FormReader {
    words: Vec<String>,
    parts: Vec<String>,
    comma: Option<usize>,
    commas: usize,
    hyphenated: bool,
    dotted: bool,
    /// The word being read.
    word: String,
    /// The part being read: words with hyphens between them.
    part: String,
}

impl FormReader {
    fn of(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let mut read = Self::default();
        for (at, &c) in chars.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|i| chars.get(i)).copied().unwrap_or(' ');
            let after = chars.get(at + 1).copied().unwrap_or(' ');
            read.character(c, before, after, &chars[at..]);
        }
        read.end_part();
        read.comma = read.comma.filter(|_| read.commas == 1);
        read.words = joined_initials(std::mem::take(&mut read.words));
        read
    }

    fn character(&mut self, c: char, before: char, after: char, rest: &[char]) {
        match c {
            _ if c.is_alphanumeric() || is_combining_mark(c) => {
                self.word.push(c);
                self.part.push(c);
            }
            '\'' => self.apostrophe(after, rest),
            '.' if before.is_alphanumeric() && after.is_alphanumeric() && !self.is_initial() => {
                self.word.push(c);
                self.part.push(c);
            }
            '.' => {
                self.dotted |= self.is_initial();
                self.end_part();
            }
            ',' if before.is_numeric() && is_thousands(rest) => {}
            ',' => {
                self.end_part();
                self.commas += 1;
                self.comma = Some(self.parts.len());
            }
            ':' if before.is_numeric() && after.is_numeric() => {
                self.word.push(c);
                self.part.push(c);
            }
            '-' if before.is_alphanumeric() && after.is_alphanumeric() => {
                self.hyphenated = true;
                self.end_word();
                self.part.push('-');
            }
            '-' if before == ' ' && after.is_numeric() => self.symbol("-"),
            '&' => self.symbol("and"),
            '"' | ';' | ':' | '-' | '_' | '*' | '。' | '；' | '：' | '(' | ')' | '[' | ']' | '《' | '》' =>
            {
                self.end_part();
            }
            _ if c.is_whitespace() => self.end_part(),
            _ => self.symbol(c.encode_utf8(&mut [0; 4])),
        }
    }

    /// "o'brien" is "obrien"; the possessive of "scrooge's" stays, or it would be the plural.
    fn apostrophe(&mut self, after: char, rest: &[char]) {
        let possessive = after == 's' && rest.get(2).is_none_or(|c| !c.is_alphanumeric());
        if possessive && !self.word.is_empty() {
            self.word.push('\'');
            self.part.push('\'');
        }
    }

    fn is_initial(&self) -> bool {
        let mut chars = self.word.chars();
        matches!((chars.next(), chars.next()), (Some(c), None) if c.is_alphabetic() && !is_han(c))
    }

    fn symbol(&mut self, symbol: &str) {
        self.end_part();
        self.words.push(symbol.to_owned());
        self.parts.push(symbol.to_owned());
    }

    fn end_word(&mut self) {
        if !self.word.is_empty() {
            self.words.push(std::mem::take(&mut self.word));
        }
    }

    fn end_part(&mut self) {
        self.end_word();
        if !self.part.is_empty() {
            self.parts.push(std::mem::take(&mut self.part));
        }
    }
}

/// Whether a comma is followed by exactly three digits.
fn is_thousands(from_comma: &[char]) -> bool {
    let digits = from_comma.iter().skip(1).take_while(|c| c.is_numeric()).count();
    digits == 3
}

/// Runs of two or more single letters as one word: "j r r tolkien" is "jrr tolkien".
fn joined_initials(words: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::with_capacity(words.len());
    let mut in_run = false;
    for word in words {
        let single = word.chars().count() == 1 && word.chars().all(|c| c.is_alphabetic() && !is_han(c));
        match joined.last_mut() {
            Some(last) if single && in_run => last.push_str(&word),
            _ => joined.push(word),
        }
        in_run = single;
    }
    joined
}

fn take_article(words: &mut Vec<String>, parts: &mut Vec<String>) -> Option<Article> {
    if words.len() < 2 || parts.len() < 2 || words.first() != parts.first() {
        return None;
    }
    let article = match words.first().map(String::as_str) {
        Some("the") => Article::Definite,
        Some("a" | "an") => Article::Indefinite,
        _ => return None,
    };
    words.remove(0);
    parts.remove(0);
    Some(article)
}

/// "st. paul's" is "saint paul's", "mt. everest" is "mount everest".
fn expand_first(words: &mut [String]) {
    if words.len() > 1
        && let Some(first) = words.first_mut()
    {
        match first.as_str() {
            "st" => "saint".clone_into(first),
            "mt" => "mount".clone_into(first),
            "ft" => "fort".clone_into(first),
            _ => {}
        }
    }
}

fn case_of(name: &str) -> Case {
    let letters = || name.chars().filter(|c| c.is_alphabetic());
    if letters().any(char::is_lowercase) {
        if !letters().any(char::is_uppercase) {
            return Case::Lower;
        }
        let titled = name
            .split(|c: char| c.is_whitespace() || c == '-')
            .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 3)
            .all(|word| word.chars().find(|c| c.is_alphabetic()).is_none_or(|c| !c.is_lowercase()));
        return if titled { Case::Title } else { Case::Mixed };
    }
    if letters().any(char::is_uppercase) { Case::Upper } else { Case::Title }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::domain::name_key;

    pub(in crate::index::names::resolution) fn name(text: &str, kind: &str, units: u32) -> NameUse {
        NameUse {
            key: name_key(text),
            name: text.to_owned(),
            kinds: if kind.is_empty() { Vec::new() } else { vec![(kind.to_owned(), units)] },
            alias_of: Vec::new(),
            text_unit_count: units,
        }
    }

    fn form(text: &str) -> NameForm {
        NameForm::new(&name(text, "", 1)).expect("a name")
    }

    #[test]
    fn wrapping_articles_dots_and_hyphens_are_no_part_of_the_words() {
        let check = |text: &str, expected: &str| assert_eq!(form(text).text(), expected, "{text}");
        check("\"Scrooge\"", "scrooge");
        check("The “Ghost”", "ghost");
        check("**Scrooge**", "scrooge");
        check("《三国演义》", "三国演义");
        check("U.S.", "us");
        check("J. R. R. Tolkien", "jrr tolkien");
        check("J.R.R. Tolkien", "jrr tolkien");
        check("e-mail", "e mail");
        check("St. Paul's Churchyard", "saint paul's churchyard");
        check("Marks & Spencer", "marks and spencer");
        check("O’Brien", "obrien");
        check("Paragraph 1.E.8.", "paragraph 1.e.8");
        check("$1,000,000", "$ 1000000");
        check("C++", "c + +");
        check("-5", "- 5");
        check("The The", "the");
        check("A", "a");
        check("约翰·肯尼迪", "约翰 肯尼迪");
        check("Mercury (planet)", "mercury");
        check("Project Gutenberg™", "project gutenberg");
    }

    #[test]
    fn marks_go_from_latin_letters_only() {
        assert_eq!(without_marks("zürich łódź straße"), "zurich lodz strasse");
        assert_eq!(without_marks("がくせい"), "がくせい");
        assert_eq!(without_marks("й"), "й");
    }

    #[test]
    fn initials_notes_and_commas_are_kept_apart() {
        assert_eq!(form("W. S. Gilbert").parts, ["w", "s", "gilbert"]);
        assert_eq!(form("Jean-Luc Picard").parts, ["jean-luc", "picard"]);
        assert_eq!(form("Mercury (planet)").note, ["planet"]);
        assert!(form("Mercury (planet)").note_is_lower);
        assert_eq!(form("Kennedy, John F.").comma, Some(1));
        assert_eq!(form("a, b, c").comma, None);
    }

    #[test]
    fn a_majority_decides_the_class() {
        let kinds = [("geo".to_owned(), 2), ("GPE".to_owned(), 1), ("Person".to_owned(), 2)];
        assert_eq!(majority_class(&kinds), PLACE);
        assert_eq!(majority_class(&[("other".to_owned(), 9)]), "");
    }
}
