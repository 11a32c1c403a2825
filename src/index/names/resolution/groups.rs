//! Groups of names that are one entity: pairs joined strongest first, each only where nothing speaks against it.

use super::form::NameForm;
use crate::domain::{Edit, EditKind};
use crate::language::vocabulary::titles::{Gender, Title, TitleRank};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Why two names are one. The order is that of strength: where a veto makes a group fall apart, later ones give way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum GroupRule {
    /// A person said so.
    Edit,
    /// The same words: quotes, brackets, hyphens, dots aside.
    Spelling,
    /// The same but for a leading article.
    Article,
    /// The same but for marks on letters.
    Marks,
    /// The same but for spaces and hyphens inside.
    Hyphen,
    /// The same but for the form of the company.
    CompanySuffix,
    /// A full name with its title.
    Title,
    /// "Kennedy, John F."
    Inverted,
    /// A middle name left out or shortened.
    MiddleName,
    /// The text says so: 字, "also known as".
    Stated,
    /// "World Health Organization (WHO)".
    Note,
    /// A number of a kind of things.
    Plural,
    /// Another way to write the same day.
    Date,
    /// The first letters of the only name that has them.
    Acronym,
    /// A title and the surname of the only person it can be.
    TitledSurname,
    /// The surname and the first letter of the given name of the only person who has both.
    Initial,
    /// A part of the only full name beside which it stands.
    Beside,
    /// The surname or given name of the only person who has it.
    ShortName,
    /// A Chinese courtesy or given name of the only person who has it.
    HanShortName,
    /// "Scrooge's".
    Possessive,
    /// The only one whose record gives it as another name.
    OtherName,
    /// A model judged the pair.
    Verdict,
}

impl GroupRule {
    /// Its name, as shown to people.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Spelling => "spelling",
            Self::Article => "article",
            Self::Marks => "diacritics",
            Self::Hyphen => "hyphen",
            Self::CompanySuffix => "company suffix",
            Self::Title => "title",
            Self::Inverted => "inverted name",
            Self::MiddleName => "middle name",
            Self::Stated => "stated",
            Self::Note => "name in parentheses",
            Self::Plural => "plural",
            Self::Date => "date",
            Self::Acronym => "acronym",
            Self::TitledSurname => "title and surname",
            Self::Initial => "initial and surname",
            Self::Beside => "short name beside the full one",
            Self::ShortName => "short name",
            Self::HanShortName => "chinese short name",
            Self::Possessive => "possessive",
            Self::OtherName => "other name",
            Self::Verdict => "verdict",
        }
    }

    /// Why it holds, as shown to people.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Edit => "an edit says so",
            Self::Spelling => "the same words; only quotes, brackets, dots or hyphens differ",
            Self::Article => "the same but for a leading article",
            Self::Marks => "the same but for marks on letters, and no other name comes as close",
            Self::Hyphen => "the same letters; only spaces and hyphens differ",
            Self::CompanySuffix => "the same company; only its legal form differs",
            Self::Title => "the same full name with a title",
            Self::Inverted => "the same name, family name first",
            Self::MiddleName => "the same given and family name, and no other middle name is known",
            Self::Stated => "a text says that both names are one's",
            Self::Note => "the parentheses hold the other name, or say what kind of thing it is",
            Self::Plural => "the same kind of thing in the plural",
            Self::Date => "the same day written otherwise",
            Self::Acronym => "the first letters of the only name that has them",
            Self::TitledSurname => "the only person whom title and name fit",
            Self::Initial => "the only person with this surname whose given name begins so",
            Self::Beside => {
                "in most of its text units it stands beside this full name and no other that it fits"
            }
            Self::ShortName => "the only person who has this name",
            Self::HanShortName => "the only full name that ends in it",
            Self::Possessive => "the same name in the possessive",
            Self::OtherName => "its records give the name as another one, and no other entity's do",
            Self::Verdict => "a model judged the two to be one",
        }
    }
}

/// Two names, as places in the list of names, that a rule holds to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NameLink {
    pub(super) rule: GroupRule,
    pub(super) low: u32,
    pub(super) high: u32,
}

impl NameLink {
    pub(super) fn new(rule: GroupRule, one: u32, other: u32) -> Self {
        Self { rule, low: one.min(other), high: one.max(other) }
    }
}

/// What a group is known to be; two groups that differ in any of it are never joined.
#[derive(Clone, Debug, Default)]
struct Traits {
    kind: Cow<'static, str>,
    gender: Option<Gender>,
    address: Option<&'static str>,
    office: Option<&'static str>,
    /// Places in `NameGroups::vetoes`, sorted: pairs that have one end in this group.
    vetoes: Vec<u32>,
}

/// The groups as they grow.
pub(super) struct NameGroups {
    parents: Vec<u32>,
    traits: Vec<Traits>,
    vetoes: u32,
    accepted: Vec<NameLink>,
    /// The name that an edit wants a group to go by, by root, with the place of the edit.
    into: BTreeMap<u32, (usize, u32)>,
}

impl NameGroups {
    /// Each name by itself.
    pub(super) fn new(forms: &[Option<NameForm>]) -> Self {
        let traits = forms
            .iter()
            .map(|form| Traits {
                kind: form.as_ref().map(|form| form.kind.clone()).unwrap_or_default(),
                ..Traits::default()
            })
            .collect();
        let parents = (0..u32::try_from(forms.len()).unwrap_or(u32::MAX)).collect();
        Self { parents, traits, vetoes: 0, accepted: Vec::new(), into: BTreeMap::new() }
    }

    /// Applies merges and splits. Of edits that contradict each other the later one holds, so they are taken from
    /// the last to the first: a merge is left out where a later split forbids it, a split where later merges have
    /// joined the two.
    pub(super) fn edit(&mut self, edits: &[&Edit], place_of: impl Fn(&str) -> Option<u32>) {
        for (order, edit) in edits.iter().enumerate().rev() {
            match &edit.kind {
                EditKind::Merge { names, into, .. } => {
                    let Some(target) = place_of(into) else { continue };
                    for name in names.iter().filter_map(|name| place_of(name)) {
                        self.join(NameLink::new(GroupRule::Edit, name, target));
                    }
                    let root = self.find(target);
                    let best = self.into.entry(root).or_insert((order, target));
                    *best = (*best).max((order, target));
                }
                EditKind::Split { name, from } => {
                    if let (Some(one), Some(other)) = (place_of(name), place_of(from)) {
                        self.keep_apart(one, other);
                    }
                }
                EditKind::Rename { .. } | EditKind::Delete { .. } | EditKind::Pin { .. } => {}
            }
        }
    }

    /// From now on nothing joins the two, unless they are one already.
    pub(super) fn keep_apart(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        if one == other {
            return;
        }
        for root in [one, other] {
            self.traits[root as usize].vetoes.push(self.vetoes);
        }
        self.vetoes += 1;
    }

    /// What a title or a given name tells of a name.
    pub(super) fn note_traits(&mut self, name: u32, title: Option<Title>, gender: Option<Gender>) {
        let traits = &mut self.traits[name as usize];
        traits.gender = title.and_then(|title| title.gender).or(gender);
        match title {
            Some(Title { rank: TitleRank::Address, word, .. }) => traits.address = Some(word),
            Some(Title { rank: TitleRank::Office, word, .. }) => traits.office = Some(word),
            _ => {}
        }
    }

    /// Joins pairs, the strongest first, equal ones by their names; those that a veto forbids are left out.
    pub(super) fn join_all(&mut self, mut links: Vec<NameLink>) {
        links.sort_unstable();
        links.dedup();
        for link in links {
            self.join(link);
        }
    }

    fn join(&mut self, link: NameLink) {
        let (low, high) = (self.find(link.low), self.find(link.high));
        if low == high || (link.rule != GroupRule::Edit && self.conflict(low, high)) || self.vetoed(low, high)
        {
            return;
        }
        let (root, gone) = (low.min(high), low.max(high));
        let from = std::mem::take(&mut self.traits[gone as usize]);
        let into = &mut self.traits[root as usize];
        if into.kind.is_empty() {
            into.kind = from.kind;
        }
        into.gender = into.gender.or(from.gender);
        into.address = into.address.or(from.address);
        into.office = into.office.or(from.office);
        into.vetoes.extend(from.vetoes);
        into.vetoes.sort_unstable();
        self.parents[gone as usize] = root;
        if let Some(name) = self.into.remove(&gone) {
            let best = self.into.entry(root).or_insert(name);
            *best = (*best).max(name);
        }
        self.accepted.push(link);
    }

    /// The name that stands for a group while it grows.
    pub(super) fn find(&mut self, name: u32) -> u32 {
        let mut root = name;
        while self.parents[root as usize] != root {
            root = self.parents[root as usize];
        }
        let mut at = name;
        while self.parents[at as usize] != root {
            at = std::mem::replace(&mut self.parents[at as usize], root);
        }
        root
    }

    /// The gender that a name's group is known to have.
    pub(super) fn gender(&mut self, name: u32) -> Option<Gender> {
        let root = self.find(name);
        self.traits[root as usize].gender
    }

    /// Whether titles and types allow two names to be one.
    pub(super) fn may_join(&mut self, one: u32, other: u32) -> bool {
        let (one, other) = (self.find(one), self.find(other));
        one == other || !(self.conflict(one, other) || self.vetoed(one, other))
    }

    fn conflict(&self, one: u32, other: u32) -> bool {
        let (one, other) = (&self.traits[one as usize], &self.traits[other as usize]);
        differ((!one.kind.is_empty()).then_some(&one.kind), (!other.kind.is_empty()).then_some(&other.kind))
            || differ(one.gender, other.gender)
            || differ(one.address, other.address)
            || differ(one.office, other.office)
    }

    fn vetoed(&self, one: u32, other: u32) -> bool {
        let (one, other) = (&self.traits[one as usize].vetoes, &self.traits[other as usize].vetoes);
        one.iter().any(|veto| other.contains(veto))
    }

    /// The pairs that joined groups, in the order of their strength.
    pub(super) fn accepted(&self) -> &[NameLink] {
        &self.accepted
    }

    /// The name that the last merge of a name's group wants it to go by.
    pub(super) fn wanted(&mut self, name: u32) -> Option<u32> {
        let root = self.find(name);
        self.into.get(&root).map(|(_, name)| *name)
    }
}

fn differ<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if one != other)
}
