//! What a name stands for, by lists of names, by how it is spelled, and by what is done with it.

use super::names::Name;
use super::{EnglishToken, TaggedSentence, WordShape};
use crate::language::mention::NameKind;
use crate::language::vocabulary::english::{
    COMPANY_MEMBERS, COMPANY_VERBS, CONSUMPTION_VERBS, DEALINGS, JOIN_VERBS, NO_PRODUCTS, OFFICE_WORDS,
    ORGANIZATION_HEADS, PLACE_HEADS, PRODUCT_HEADS, PRODUCT_NOUNS, RESIDENCE_VERBS, STAFF, USE_VERBS,
    WORK_HEADS,
};
use crate::language::vocabulary::gazetteer::{
    is_given_name, is_known_organization, is_known_product, is_place,
};
use crate::language::vocabulary::holds;
use crate::language::vocabulary::particles::is_particle;

/// Most words of a person's name without a title.
const PERSON_WORDS: usize = 4;

/// "Vienna", "New York", "Kevin", "Larry Page".
pub(super) fn by_gazetteer(words: &[EnglishToken<'_>]) -> Vec<(NameKind, u32)> {
    let words = match words {
        [article, rest @ ..] if article.lower == "the" && !rest.is_empty() => rest,
        words => words,
    };
    let Some(first) = words.first() else { return Vec::new() };
    let whole = words.iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" ");
    // "Van der Meulen": the particle is a given name elsewhere
    let is_given = is_given_name(&first.lower) && !(is_particle(&first.lower) && words.len() > 2);
    if is_known_organization(&whole) {
        return vec![(NameKind::Organization, 4)];
    }
    if is_known_product(&whole) {
        return vec![(NameKind::Product, 4)];
    }
    if let Some(kinds) = made_by_known(words, is_given) {
        return kinds;
    }
    if words.len() == 1 && first.text == "US" {
        return vec![(NameKind::Place, 6)];
    }
    if is_place(&whole) {
        // "Sydney" is both
        let weight = if is_given && words.len() == 1 { 3 } else { 6 };
        return vec![(NameKind::Place, weight)];
    }
    if !is_given || first.shape == WordShape::AllCapitals {
        return Vec::new();
    }
    match words {
        [_] => vec![(NameKind::Person, 3)],
        [_, rest @ ..] if words.len() <= PERSON_WORDS && rest.iter().all(can_be_surname) => {
            vec![(NameKind::Person, 5)]
        }
        _ => Vec::new(),
    }
}

/// "Google Cloud Storage", "Samsung PM9A3", "Apache Kafka": what a known organisation makes, or a product of one's. A hint
/// where no word of it has a digit and the first is no product: "Gucci Mane".
fn made_by_known(words: &[EnglishToken<'_>], is_given: bool) -> Option<Vec<(NameKind, u32)>> {
    let (first, last) = (words.first()?, words.last()?);
    let is_head = |word: &EnglishToken<'_>| {
        [ORGANIZATION_HEADS, PLACE_HEADS, WORK_HEADS, NO_PRODUCTS, OFFICE_WORDS]
            .iter()
            .any(|list| holds(list, &word.lower))
    };
    let is_university = matches!(first.lower.as_str(), "harvard" | "stanford" | "yale" | "princeton");
    let is_plain =
        words.iter().all(|word| !is_head(word) && word.shape != WordShape::Lower && word.text != "&");
    if words.len() < 2 || !is_plain || is_given || is_university || is_place(&last.lower) {
        return None;
    }
    if is_known_product(&first.lower) || is_known_product(&last.lower) {
        return Some(vec![(NameKind::Product, 4)]);
    }
    if !is_known_organization(&first.lower) || first.shape == WordShape::AllCapitals && first.text.len() < 5 {
        return None;
    }
    let has_number = last.text.contains(|c: char| c.is_ascii_digit());
    Some(if has_number { vec![(NameKind::Product, 4)] } else { twice(NameKind::Product) })
}

fn can_be_surname(word: &EnglishToken<'_>) -> bool {
    let is_head = [ORGANIZATION_HEADS, PLACE_HEADS, PRODUCT_HEADS, WORK_HEADS]
        .iter()
        .any(|list| holds(list, &word.lower));
    (word.shape == WordShape::Capital || is_particle(&word.lower) || word.text.ends_with('.')) && !is_head
}

/// "Windows 10", "`SharePoint`", "Xbox One", "Surya Ganguli".
pub(super) fn by_spelling(words: &[EnglishToken<'_>]) -> Vec<(NameKind, u32)> {
    let Some((last, before)) = words.split_last() else { return Vec::new() };
    // "Amazon S3", "Samsung PM9A3"
    let has_number = last.shape == WordShape::AllCapitals && last.text.contains(|c: char| c.is_ascii_digit())
        || last.text.len() == 2 && last.is_capital() && last.text.ends_with(|c: char| c.is_ascii_digit());
    let is_model = !before.is_empty()
        && (has_number
            || last.shape == WordShape::Number && last.text.len() <= 4
            || matches!(last.lower.as_str(), "one" | "ii" | "iii" | "x" | "xp")
            || holds(PRODUCT_HEADS, &last.lower));
    if is_model {
        return vec![(NameKind::Product, 4)];
    }
    if before.is_empty() && has_inner_capital(last.text) {
        return twice(NameKind::Product);
    }
    // two words that stand in no dictionary are mostly a person
    let is_unknown = |word: &EnglishToken<'_>| {
        word.shape == WordShape::Capital && word.is_proper() && !word.text.contains(['.', '-', '&'])
    };
    let is_pair = words.len() == 2 && words.iter().all(is_unknown) && words.iter().all(can_be_surname);
    if is_pair { twice(NameKind::Person) } else { Vec::new() }
}

/// A hint that decides where nothing else is said, however often the name stands there.
fn twice(kind: NameKind) -> Vec<(NameKind, u32)> {
    vec![(kind, 1), (kind, 1)]
}

/// "`LinkedIn`", "iPhone", "`ChatGPT`"; not "`McCartney`", "`DiFranco`", "IBM".
fn has_inner_capital(text: &str) -> bool {
    let is_surname =
        ["Mc", "Mac", "Di", "De", "La", "Le", "O’", "O'"].iter().any(|start| text.starts_with(start));
    let mut previous = ' ';
    let mut inner = false;
    for c in text.chars() {
        inner |= previous.is_lowercase() && c.is_uppercase();
        previous = c;
    }
    inner && !is_surname && text.chars().all(char::is_alphabetic)
}

/// "built on Azure", "Azure workloads", "joined Pixar", "Nike's CEO", "grew up in Revere", "Thanks, Keith.".
pub(super) fn by_use(sentence: &TaggedSentence<'_>, name: &Name) -> Vec<(NameKind, u32)> {
    let around = NameContext::of(sentence, name);
    let mut found = Vec::new();
    found.extend(around.product());
    found.extend(around.organization());
    found.extend(around.place());
    found.extend(around.person(name));
    found.extend(listed(sentence, name));
    let article = matches!(around.before, "the" | "a" | "an");
    if holds(CONSUMPTION_VERBS, around.verb()) {
        found.push((NameKind::Work, 2));
    }
    if matches!(around.second, "during") && article {
        found.push((NameKind::Event, 2));
    }
    found
}

/// Most words of an enumeration before a name.
const LISTED_WORDS: usize = 14;

/// "companies like Nike and Red Bull", "cities such as Graz, Linz and Wels": what the noun before an enumeration says of
/// all that it lists.
fn listed(sentence: &TaggedSentence<'_>, name: &Name) -> Option<(NameKind, u32)> {
    let before = sentence.tokens.get(..name.first)?;
    let lists = |token: &&EnglishToken<'_>| {
        token.is_capital() || matches!(token.lower.as_str(), "," | "and" | "or" | "the")
    };
    let length = before.iter().rev().take(LISTED_WORDS).take_while(lists).count();
    let mut noun = before.len().checked_sub(length + 1)?;
    match before.get(noun)?.lower.as_str() {
        "like" => noun = noun.checked_sub(1)?,
        "as" if before.get(noun.checked_sub(1)?)?.lower == "such" => noun = noun.checked_sub(2)?,
        _ => return None,
    }
    let noun = before.get(noun).filter(|noun| noun.shape == WordShape::Lower && noun.lower.ends_with('s'))?;
    super::nouns::noun_kind(&noun.lower).map(|kind| (kind, 3))
}

/// The words around a name, in lower case; empty beyond the sentence.
struct NameContext<'a> {
    tokens: &'a [EnglishToken<'a>],
    first: usize,
    third: &'a str,
    second: &'a str,
    before: &'a str,
    next: &'a str,
    after_next: &'a str,
}

impl<'a> NameContext<'a> {
    fn of(sentence: &'a TaggedSentence<'a>, name: &Name) -> Self {
        let tokens = sentence.tokens.as_slice();
        let word =
            |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.lower.as_str());
        Self {
            tokens,
            first: name.first,
            third: word(name.first.checked_sub(3)),
            second: word(name.first.checked_sub(2)),
            before: word(name.first.checked_sub(1)),
            next: word(Some(name.end)),
            after_next: word(Some(name.end + 1)),
        }
    }

    /// The word before, over an article or what says how much: "playing way too much Tetris".
    fn verb(&self) -> &str {
        let skipped = |token: &&EnglishToken<'_>| {
            matches!(
                token.lower.as_str(),
                "the"
                    | "a"
                    | "an"
                    | "some"
                    | "way"
                    | "too"
                    | "much"
                    | "lots"
                    | "of"
                    | "more"
                    | "also"
                    | "through"
            )
        };
        let before = self.tokens.get(..self.first).unwrap_or(&[]);
        let skipped = before.iter().rev().take(4).take_while(skipped).count();
        before.iter().rev().nth(skipped).map_or("", |token| token.lower.as_str())
    }

    fn product(&self) -> Option<(NameKind, u32)> {
        let is_base = matches!(self.second, "built" | "based" | "runs" | "running" | "written" | "powered")
            && matches!(self.before, "on" | "in" | "by");
        let is_version = self.before == "of" && matches!(self.second, "version" | "versions");
        // "Kestrel 2.3 handled"
        let has_version = self.next.contains('.')
            && self
                .next
                .split('.')
                .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        if has_version && self.before != "of" {
            return Some((NameKind::Product, 3));
        }
        if matches!(self.next, "supports" | "requires") {
            return Some((NameKind::Product, 2));
        }
        if holds(PRODUCT_NOUNS, self.next) || is_version || is_base || holds(USE_VERBS, self.before) {
            Some((NameKind::Product, 2))
        } else {
            (self.before == "on").then_some((NameKind::Product, 1))
        }
    }

    fn organization(&self) -> Option<(NameKind, u32)> {
        let owns = matches!(self.next, "'s" | "’s") && holds(COMPANY_MEMBERS, self.after_next);
        let staffs = holds(STAFF, self.next) && !matches!(self.before, "," | "and" | "the");
        let is_affiliation = self.next == ":" && self.before == "," && self.opens_with_capitals();
        // "the union at the GMB": over an article
        let (of, members) =
            if self.before == "the" { (self.second, self.third) } else { (self.before, self.second) };
        let of_members = matches!(of, "of" | "at" | "in")
            && (holds(COMPANY_MEMBERS, members) || matches!(members, "professor" | "job" | "career"))
            && !(of == "in" && members != "shares");
        if owns || of_members || is_affiliation {
            Some((NameKind::Organization, 4))
        } else if staffs {
            Some((NameKind::Organization, 2))
        } else if holds(COMPANY_VERBS, self.next)
            || holds(JOIN_VERBS, self.before)
            || self.follows_person()
            || matches!(self.before, "from" | "with") && holds(DEALINGS, self.second)
        {
            Some((NameKind::Organization, 3))
        } else if self.before == "at"
            || matches!(self.before, "for" | "with") && self.second.starts_with("work")
        {
            Some((NameKind::Organization, 2))
        } else {
            None
        }
    }

    /// "KEITH WEISS, Morgan Stanley:": whether a person's name alone stands before the name.
    fn opens_with_capitals(&self) -> bool {
        let before = self.tokens.get(..self.first).unwrap_or(&[]);
        let is_person = before.first().is_some_and(|first| is_given_name(&first.lower))
            || before.iter().all(|token| token.shape == WordShape::AllCapitals || token.text == ",");
        (2..6).contains(&before.len())
            && is_person
            && before.iter().all(|token| token.is_capital() || token.text == ",")
    }

    /// "Keith Weiss with Morgan Stanley", "Amy Hood of Microsoft".
    fn follows_person(&self) -> bool {
        let article = usize::from(self.before == "the");
        let before = if article == 1 { self.second } else { self.before };
        let capital = |back: usize| {
            self.first
                .checked_sub(back + article)
                .and_then(|at| self.tokens.get(at))
                .filter(|token| token.is_capital())
        };
        // an unknown first name is enough where a comma does not make a list of it
        let is_first = |token: &EnglishToken<'_>| {
            is_given_name(&token.lower) || token.tag.is_none() && matches!(before, "of" | "at")
        };
        matches!(before, "with" | "from" | "of" | "at" | ",")
            && !(article == 1 && before == ",")
            && capital(2).is_some_and(EnglishToken::is_proper)
            && capital(3).is_some_and(is_first)
    }

    fn place(&self) -> Option<(NameKind, u32)> {
        let (preposition, verb) =
            if self.before == "the" { (self.second, self.third) } else { (self.before, self.second) };
        let is_there = matches!(preposition, "in" | "to" | "near" | "from" | "outside" | "at" | "into");
        let lives = is_there && preposition != "at" && (holds(RESIDENCE_VERBS, verb) || verb == "up");
        let is_in_place = self.next == "," && self.before != "," && is_place(self.after_next);
        let has_residents = matches!(self.next, "resident" | "residents" | "native" | "natives");
        (lives || is_in_place || has_residents).then_some((NameKind::Place, 4))
    }

    fn person(&self, name: &Name) -> Option<(NameKind, u32)> {
        if name.first == 0 && self.next == ":" {
            return Some((NameKind::Person, 5));
        }
        let greets =
            |word: &str| matches!(word, "thanks" | "you" | "hi" | "hello" | "hey" | "welcome" | "dear");
        let called = self.before == "," && greets(self.second) || greets(self.before);
        let closes = matches!(self.next, "" | "." | "," | "!" | "?");
        (called && closes).then_some((NameKind::Person, 4))
    }
}
