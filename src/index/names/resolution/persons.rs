//! Names of people: titles, middle names, surnames and given names that stand for the whole.
//!
//! A short name joins a full one only where it is the only one in the corpus that it can mean: "Cratchit" stays by
//! itself where there are a Bob and a Martha Cratchit, "Joe" where there are a Joe Miller and an Old Joe.

use super::form::{Case, NameForm, without_marks};
use super::groups::{GroupRule, NameGroups, NameLink};
use super::spelling::link;
use super::words::{
    is_common, is_epithet, is_frequent_surname, is_function_word, is_whole_name, joins_family_name,
};
use crate::language::vocabulary::genders::{gender_of, is_well_known};
use crate::language::vocabulary::titles::{Gender, Takes, Title, TitleRank, title};
use crate::language::words::is_han;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Distinct middle names of one given and family name beyond which nothing is decided.
const MIDDLE_NAMES: usize = 16;

/// People known by full name up to which a corpus is taken for a small world, where "Bob" is the Bob that everybody
/// knows. In a larger one a given name says little: of seven joined in 1,890 passages of an encyclopedia none was right.
const SMALL_WORLD: usize = 200;
/// Text units that must speak of a person before a bare name is taken to mean him: a given name, or any name in a
/// large world.
const KNOWN_UNITS: u64 = 2;

/// A name read as a person's.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Person {
    place: u32,
    /// Whether its type says that it is a person.
    typed: bool,
    title: Option<Title>,
    /// "Old Joe", "Uncle Ben".
    epithet: bool,
    /// Words of the name without title and number; "jan", "van eyck".
    words: Vec<String>,
    /// "jr", "iv"; empty for none.
    number: String,
}

impl Person {
    /// Reads a name; `None` where it cannot be a person's.
    fn of(place: u32, form: &NameForm) -> Option<Self> {
        if !form.may_be_person() || !form.note.is_empty() || form.article.is_some() || form.comma.is_some() {
            return None;
        }
        let mut words: Vec<&str> = form.parts.iter().map(String::as_str).collect();
        if words.iter().any(|word| !is_name_word(word)) || words.len() > 6 || form.case == Case::Lower {
            return None;
        }
        let mut named: Option<Title> = None;
        while let Some(next) = words.first().and_then(|word| title(word)).filter(|_| words.len() > 1) {
            named = Some(named.filter(|title| title.rank != TitleRank::Neutral).unwrap_or(next));
            words.remove(0);
        }
        let mut number = String::new();
        while let Some(last) = words.last().and_then(|word| number_of(word)).filter(|_| words.len() > 1) {
            words.pop();
            if !last.is_empty() {
                last.clone_into(&mut number);
            }
        }
        let epithet = words.len() > 1 && words.first().is_some_and(|word| is_epithet(word));
        let words = with_particles(&words);
        Some(Self { place, typed: form.is_person(), title: named, epithet, words, number })
    }

    fn given(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    fn last(&self) -> &str {
        self.words.last().map_or("", String::as_str)
    }

    fn middle(&self) -> &[String] {
        self.words.get(1..self.words.len().saturating_sub(1)).unwrap_or_default()
    }

    fn is_full(&self) -> bool {
        self.words.len() > 1 && !self.epithet && !is_common(self.given()) && !is_common(self.last())
    }

    /// "M. Ashworth", "R. J. Holloway".
    fn is_initial(&self) -> bool {
        let is_letter = |word: &String| word.chars().count() == 1;
        self.title.is_none()
            && self.words.len() > 1
            && self
                .words
                .split_last()
                .is_some_and(|(last, rest)| !is_letter(last) && rest.iter().all(is_letter))
    }

    /// Whether so many people have just this given and family name that a middle name tells them apart.
    fn is_frequent(&self) -> bool {
        is_well_known(self.given()) && is_frequent_surname(self.last())
    }

    /// Whether a name without a type still is a person's by its looks.
    fn looks_full(&self) -> bool {
        self.is_full() && (self.typed || is_well_known(self.given()))
    }

    fn gender(&self) -> Option<Gender> {
        self.title.and_then(|title| title.gender).or_else(|| {
            let known = self.typed || self.is_full() && is_well_known(self.given());
            gender_of(self.given()).filter(|_| known && !self.is_short_surname())
        })
    }

    /// Whether its only word is a surname behind a title.
    fn is_short_surname(&self) -> bool {
        self.words.len() == 1 && self.title.is_some_and(|title| title.takes == Takes::Surname)
    }
}

/// The names that can be people's.
pub(super) struct People {
    people: Vec<Person>,
}

impl People {
    /// Reads all names.
    pub(super) fn new(forms: &[Option<NameForm>]) -> Self {
        let people = (0_u32..)
            .zip(forms)
            .filter_map(|(place, form)| form.as_ref().and_then(|form| Person::of(place, form)))
            .collect();
        Self { people }
    }

    /// Tells the groups what titles and given names say, so that they veto.
    pub(super) fn note_traits(&self, groups: &mut NameGroups) {
        for person in self.people.iter().filter(|person| person.typed || person.title.is_some()) {
            groups.note_traits(person.place, person.title, person.gender());
        }
    }

    /// Links between full names: with and without title, with and without middle name, family name first.
    pub(super) fn full_links(&self, forms: &[Option<NameForm>]) -> Vec<NameLink> {
        let mut links = Vec::new();
        self.titles(&mut links);
        self.middle_names(forms, &mut links);
        self.inverted(forms, &mut links);
        links
    }

    /// "Professor Michael S. Hart" and "Michael S. Hart"; "Queen Elizabeth II" and "Elizabeth II".
    fn titles(&self, links: &mut Vec<NameLink>) {
        let mut untitled: FxHashMap<(&[String], &str), &Person> = FxHashMap::default();
        for person in self.people.iter().filter(|person| person.title.is_none() && !person.epithet) {
            untitled.entry((&person.words, &person.number)).or_insert(person);
        }
        for person in &self.people {
            let Some(title) = person.title else { continue };
            let Some(plain) = untitled.get(&(person.words.as_slice(), person.number.as_str())) else {
                continue;
            };
            let numbered = !person.number.is_empty() && title.takes == Takes::Given;
            if !(person.is_full() || numbered) || person.typed != plain.typed {
                continue;
            }
            let by_looks = numbered || title.rank != TitleRank::Office && is_well_known(person.given());
            if (person.typed || by_looks) && fits(title, gender_of(person.given())) {
                links.push(NameLink::new(GroupRule::Title, person.place, plain.place));
            }
        }
    }

    /// "John F. Kennedy", "John Fitzgerald Kennedy" and "John Kennedy".
    fn middle_names(&self, forms: &[Option<NameForm>], links: &mut Vec<NameLink>) {
        let mut blocks: FxHashMap<(&str, &str, &str), Vec<&Person>> = FxHashMap::default();
        for person in self.people.iter().filter(|person| person.title.is_none() && person.looks_full()) {
            if person.given().chars().count() > 1 {
                blocks.entry((person.given(), person.last(), &person.number)).or_default().push(person);
            }
        }
        for block in blocks.into_values().filter(|block| block.len() > 1) {
            for group in same_middle(&block) {
                link(forms, &group, GroupRule::MiddleName, links);
            }
        }
    }

    /// "Kennedy, John" and "John Kennedy".
    fn inverted(&self, forms: &[Option<NameForm>], links: &mut Vec<NameLink>) {
        let mut names: FxHashMap<Vec<&str>, u32> = FxHashMap::default();
        for person in self.people.iter().filter(|person| person.typed && person.title.is_none()) {
            let words: Vec<&str> = person.words.iter().flat_map(|word| word.split(' ')).collect();
            names.entry(words).or_insert(person.place);
        }
        for (place, form) in (0_u32..).zip(forms) {
            let Some(form) = form.as_ref().filter(|form| form.is_person() && form.note.is_empty()) else {
                continue;
            };
            let Some((family, given)) = form.comma.and_then(|comma| form.parts.split_at_checked(comma))
            else {
                continue;
            };
            let words: Vec<&str> = given.iter().chain(family).map(String::as_str).collect();
            if let Some(other) = names.get(&words).filter(|_| !family.is_empty() && !given.is_empty()) {
                links.push(NameLink::new(GroupRule::Inverted, place, *other));
            }
        }
    }

    /// Links from short names to the only person that they can mean. `groups` holds what is joined so far.
    /// `text_unit_counts` are those of the names.
    pub(super) fn short_links(
        &self,
        forms: &[Option<NameForm>],
        text_unit_counts: &[u32],
        groups: &mut NameGroups,
    ) -> Vec<NameLink> {
        let index = NameBearers::new(&self.people, forms);
        let world = World::new(&self.people, text_unit_counts, groups);
        let mut links = Vec::new();
        for person in self.people.iter().filter(|person| person.title.is_some() && person.words.len() == 1) {
            let other =
                index.of_titled(person, groups).filter(|other| world.knows(groups.find(*other), false));
            if let Some(other) = other {
                links.push(NameLink::new(GroupRule::TitledSurname, person.place, other));
            }
        }
        groups.join_all(std::mem::take(&mut links));
        for person in self.people.iter().filter(|person| person.is_initial() && world.is_small) {
            if let Some(other) = index.of_initial(person, groups) {
                links.push(NameLink::new(GroupRule::Initial, person.place, other));
            }
        }
        groups.join_all(std::mem::take(&mut links));
        let world = World::new(&self.people, text_unit_counts, groups);
        for person in self.people.iter().filter(|person| person.title.is_none() && person.words.len() == 1) {
            if let Some(other) = index.of_bare(person, &world, groups) {
                links.push(NameLink::new(GroupRule::ShortName, person.place, other));
            }
        }
        links
    }
}

/// How many people the corpus knows, and how well.
struct World {
    is_small: bool,
    /// Text units of each group's names, by the group's root.
    units: FxHashMap<u32, u64>,
}

impl World {
    fn new(people: &[Person], text_unit_counts: &[u32], groups: &mut NameGroups) -> Self {
        let mut units: FxHashMap<u32, u64> = FxHashMap::default();
        let mut known = FxHashSet::default();
        for person in people {
            let root = groups.find(person.place);
            let count = text_unit_counts.get(person.place as usize).copied().unwrap_or_default();
            *units.entry(root).or_default() += u64::from(count);
            if person.typed && person.is_full() {
                known.insert(root);
            }
        }
        Self { is_small: known.len() <= SMALL_WORLD, units }
    }

    /// Whether a bare name can be taken to mean this group's person.
    fn knows(&self, root: u32, by_given_name: bool) -> bool {
        let well_known = self.units.get(&root).is_some_and(|units| *units >= KNOWN_UNITS);
        if self.is_small { well_known || !by_given_name } else { well_known && !by_given_name }
    }
}

/// Who has a word in the name.
struct NameBearers<'a> {
    /// Full names by each of their words.
    full: FxHashMap<&'a str, Vec<&'a Person>>,
    /// "Mr. Scrooge" by its only word.
    titled: FxHashMap<&'a str, Vec<&'a Person>>,
    /// "Old Joe" by its last word.
    epithets: FxHashMap<&'a str, Vec<&'a Person>>,
    /// Single words that are used with an article, and so are no names.
    common: FxHashSet<&'a str>,
}

impl<'a> NameBearers<'a> {
    fn new(people: &'a [Person], forms: &'a [Option<NameForm>]) -> Self {
        let mut bearers = Self {
            full: FxHashMap::default(),
            titled: FxHashMap::default(),
            epithets: FxHashMap::default(),
            common: FxHashSet::default(),
        };
        for person in people {
            if person.epithet {
                bearers.epithets.entry(person.last()).or_default().push(person);
            } else if person.words.len() > 1 || !person.number.is_empty() {
                for word in &person.words {
                    bearers.full.entry(word).or_default().push(person);
                }
            } else if person.title.is_some() {
                bearers.titled.entry(person.last()).or_default().push(person);
            }
        }
        for form in forms.iter().flatten().filter(|form| form.is_single() && form.article.is_some()) {
            bearers.common.extend(form.words.iter().map(String::as_str));
        }
        bearers
    }

    /// The only full name that "Mr. Scrooge" can mean.
    fn of_titled(&self, person: &Person, groups: &mut NameGroups) -> Option<u32> {
        let title = person.title?;
        let name = person.last();
        let saint = title.word == "saint";
        if is_common(name)
            || !person.number.is_empty()
            || saint
            || title.rank == TitleRank::Office && !person.typed
        {
            return None;
        }
        let mut found: Option<(u32, &Person)> = None;
        for other in self.full.get(name).into_iter().flatten() {
            let there = match title.takes {
                Takes::Given => other.given() == name,
                Takes::Surname => other.last() == name && other.words.len() > 1,
            };
            let root = groups.find(other.place);
            let gender = groups.gender(other.place).or_else(|| gender_of(other.given()));
            if !there || !groups.may_join(person.place, root) || !fits_or_unknown(title, gender) {
                continue;
            }
            match found {
                Some((known, _)) if known != root => return None,
                Some(_) => {}
                None => found = Some((root, other)),
            }
        }
        let (_, other) = found?;
        let gender = groups.gender(other.place).or_else(|| gender_of(other.given()));
        (other.looks_full() && other.is_full() && fits(title, gender)).then_some(other.place)
    }

    /// The only person known by a full name that "M. Ashworth" can mean.
    fn of_initial(&self, person: &Person, groups: &mut NameGroups) -> Option<u32> {
        let fits = |other: &&&Person| {
            let middles = [person.middle(), other.middle()];
            other.last() == person.last()
                && other.given().chars().count() > 1
                && other.given().starts_with(person.given())
                && (middles.iter().any(|middle| middle.is_empty()) || same_initials(middles[0], middles[1]))
        };
        let mut roots = BTreeSet::new();
        let mut best = None;
        for other in self.full.get(person.last()).into_iter().flatten().filter(fits) {
            roots.insert(groups.find(other.place));
            best = best.or((other.typed && other.is_full()).then_some(other.place));
        }
        let joins = person.typed && person.number.is_empty() && !is_common(person.last()) && roots.len() == 1;
        best.filter(|best| joins && groups.may_join(person.place, *best))
    }

    /// The only person that "Scrooge", typed as a person, can mean.
    fn of_bare(&self, person: &Person, world: &World, groups: &mut NameGroups) -> Option<u32> {
        let name = person.last();
        if !person.typed || is_common(name) || is_whole_name(name) || self.common.contains(name) {
            return None;
        }
        if name.chars().count() < 2 || !person.number.is_empty() {
            return None;
        }
        let mut roots = BTreeSet::new();
        let mut best: Option<(bool, u32)> = None;
        for other in self.full.get(name).into_iter().chain(self.titled.get(name)).flatten() {
            roots.insert(groups.find(other.place));
            let full = other.is_full() && (other.given() == name || other.last() == name);
            let good = other.typed && (full || other.words.len() == 1 && other.title.is_some());
            // a full name is the better one to hang on
            if good && best.is_none_or(|best| (other.words.len() < 2, other.place) < best) {
                best = Some((other.words.len() < 2, other.place));
            }
        }
        let (_, best) = best?;
        let is_given = self.full.get(name).into_iter().flatten().any(|other| other.given() == name)
            || self
                .titled
                .get(name)
                .into_iter()
                .flatten()
                .any(|other| other.title.is_some_and(|t| t.takes == Takes::Given));
        if is_given {
            roots.extend(self.epithets.get(name).into_iter().flatten().map(|other| groups.find(other.place)));
        }
        let root = groups.find(best);
        (roots.len() == 1 && world.knows(root, is_given) && groups.may_join(person.place, best))
            .then_some(best)
    }
}

/// Whether a title fits a gender. "Mrs." does not fit an unknown one: it often stands before the husband's name.
fn fits(title: Title, gender: Option<Gender>) -> bool {
    match (title.gender, gender) {
        (None, _) => true,
        (Some(Gender::Male), gender) => gender != Some(Gender::Female),
        (Some(Gender::Female), gender) => gender == Some(Gender::Female),
    }
}

/// Whether a title might fit: a name that it may mean counts when it is asked whether there is only one.
fn fits_or_unknown(title: Title, gender: Option<Gender>) -> bool {
    gender.is_none() || fits(title, gender)
}

/// Groups of a block (one given name, family name and number) that are one person by their middle names. Where a
/// shortened middle name fits two that differ, nothing with middle names is joined; a name without one joins only
/// where all others are one.
fn same_middle(block: &[&Person]) -> Vec<Vec<u32>> {
    let mut by_middle: BTreeMap<&[String], Vec<&Person>> = BTreeMap::new();
    for person in block {
        by_middle.entry(person.middle()).or_default().push(person);
    }
    // two people without a type, or with names that many have, may be grandfather and grandson
    let mut none = by_middle.remove(&[][..]).unwrap_or_default();
    none.retain(|person| person.typed && !person.is_frequent());
    let middles: Vec<&[String]> = by_middle.keys().copied().collect();
    if middles.len() > MIDDLE_NAMES {
        return Vec::new();
    }
    let all_one = middles.iter().all(|one| middles.iter().all(|other| same_initials(one, other)));
    let mut groups: Vec<Vec<u32>> = Vec::new();
    if all_one {
        let known = by_middle.into_values().flatten().chain(none);
        groups.push(known.map(|person| person.place).collect());
    } else {
        for (at, middle) in middles.iter().enumerate() {
            let fitting: Vec<&&[String]> =
                middles.iter().filter(|other| same_initials(middle, other)).collect();
            let is_clique = fitting.iter().all(|one| fitting.iter().all(|other| same_initials(one, other)));
            let is_first = middles.iter().position(|other| same_initials(middle, other)) == Some(at);
            if is_clique && is_first {
                let members = fitting.iter().filter_map(|middle| by_middle.get(**middle)).flatten();
                groups.push(members.map(|person| person.place).collect());
            }
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// "f" and "fitzgerald", "f" and "f", but not "fitzgerald" and "francis".
fn same_initials(one: &[String], other: &[String]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| {
            one == other
                || one.chars().count() == 1 && other.starts_with(one.as_str())
                || other.chars().count() == 1 && one.starts_with(other.as_str())
        })
}

fn is_name_word(word: &str) -> bool {
    !is_function_word(word)
        && !word.contains('\'')
        && word.chars().all(|c| (c.is_alphabetic() && !is_han(c)) || c == '-')
        && word.chars().any(char::is_alphabetic)
}

/// "jr", "iv" and what stands behind a name without being part of it (empty).
fn number_of(word: &str) -> Option<&str> {
    match word {
        "jr" | "junior" => Some("jr"),
        "sr" | "senior" => Some("sr"),
        "esq" | "phd" | "md" => Some(""),
        "i" | "ii" | "iii" | "iv" | "v" | "vi" | "vii" | "viii" | "ix" | "x" | "xi" | "xii" | "xiii"
        | "xiv" | "xv" | "xvi" | "xvii" | "xviii" | "xix" | "xx" | "xxi" | "xxii" | "xxiii" => Some(word),
        _ => None,
    }
}

/// Words without marks, particles joined with what follows: "jan", "van eyck".
fn with_particles(words: &[&str]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::with_capacity(words.len());
    let mut particles = String::new();
    for (at, word) in words.iter().enumerate() {
        if joins_family_name(word) && at > 0 && at + 1 < words.len() {
            particles.push_str(word);
            particles.push(' ');
        } else {
            joined.push(std::mem::take(&mut particles) + &without_marks(word));
        }
    }
    joined
}
