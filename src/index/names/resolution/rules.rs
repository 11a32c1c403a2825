//! Resolution by rule: which names are one entity.
//!
//! Everything here is a pure function of the names, their types and counts, the edits and the verdicts; the order in
//! which they are given is of no account. Rules propose pairs; `NameGroups` joins them, the strongest rule first, and
//! leaves out whatever would bring together names of two types, two titles or two genders, or names that an edit
//! keeps apart. So where a split hits a group that others hold together, it is the weakest pairs that give way: the
//! later rule in the order of `Rule`, of the same rule the pair whose names come later. Rules
//! that need a name to be unambiguous ask so of the groups that the stronger rules have made.
//!
//! The guiding rule is that a wrong merge is worse than a missed one. Time and memory are near linear in the names:
//! each rule sorts names into blocks and links within a block in one pass.

use super::form::NameForm;
use super::groups::{GroupRule, NameGroups, NameLink};
use super::persons::People;
use super::{candidates, dates, han, organisations, other_names, spelling, stated};
use crate::domain::{Edit, EditKind};
use crate::stores::graph::NameUse;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub use super::candidates::CandidatePair;

/// One name that goes by another, and why.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Merge {
    /// Key of the name.
    pub from: String,
    /// Key of the name that its entity goes by.
    pub into: String,
    /// The rule that joined it: "title", "acronym", "edit", …
    pub rule: &'static str,
    /// What the rule rests on, in words.
    pub evidence: String,
}

/// Name keys to canonical name keys, only where they differ. The canonical name of a group is that of most text
/// units, then the smallest; where a merge edit joined the group, the one that the last such edit says.
pub fn resolve(names: &[NameUse], edits: &[Edit]) -> BTreeMap<String, String> {
    resolve_with(names, edits, &BTreeMap::new())
}

/// As [`resolve`], with verdicts on pairs (smaller key, greater key): `true` joins two names unless titles, types or
/// edits forbid it, `false` keeps apart what rules would join.
pub fn resolve_with(
    names: &[NameUse],
    edits: &[Edit],
    verdicts: &BTreeMap<(String, String), bool>,
) -> BTreeMap<String, String> {
    let mut resolution = Resolution::new(names, edits, verdicts);
    let canonical = resolution.canonical();
    let mut table = BTreeMap::new();
    for (name, canonical) in (0_u32..).zip(canonical) {
        if name != canonical {
            table.insert(resolution.key(name).to_owned(), resolution.key(canonical).to_owned());
        }
    }
    table
}

/// Every entry of [`resolve`]'s table with the rule and the reason it is there; sorted by `into`, then `from`.
pub fn explain(names: &[NameUse], edits: &[Edit]) -> Vec<Merge> {
    explain_with(names, edits, &BTreeMap::new(), &BTreeMap::new())
}

/// Every entry of [`resolve_with`]'s table with the rule and the reason it is there, that of a verdict from `reasons`;
/// sorted by `into`, then `from`.
pub fn explain_with(
    names: &[NameUse],
    edits: &[Edit],
    verdicts: &BTreeMap<(String, String), bool>,
    reasons: &BTreeMap<(String, String), String>,
) -> Vec<Merge> {
    let mut resolution = Resolution::new(names, edits, verdicts);
    let canonical = resolution.canonical();
    let mut neighbours: BTreeMap<u32, Vec<(u32, GroupRule)>> = BTreeMap::new();
    for link in resolution.groups.accepted() {
        neighbours.entry(link.low).or_default().push((link.high, link.rule));
        neighbours.entry(link.high).or_default().push((link.low, link.rule));
    }
    let mut merges = Vec::new();
    let into: BTreeSet<u32> =
        neighbours.keys().filter_map(|name| canonical.get(*name as usize).copied()).collect();
    for into in into {
        // the accepted pairs are a tree: from the canonical name outwards each name is met once, by its own pair
        let mut seen = BTreeSet::from([into]);
        let mut next = VecDeque::from([into]);
        while let Some(name) = next.pop_front() {
            for &(other, rule) in neighbours.get(&name).into_iter().flatten() {
                if seen.insert(other) {
                    next.push_back(other);
                    merges.push(Merge {
                        from: resolution.key(other).to_owned(),
                        into: resolution.key(into).to_owned(),
                        rule: rule.as_str(),
                        evidence: evidence(
                            [other, name, into].map(|name| resolution.key(name)),
                            rule,
                            reasons,
                        ),
                    });
                }
            }
        }
    }
    merges.sort_by(|a, b| (&a.into, &a.from).cmp(&(&b.into, &b.from)));
    merges
}

/// Pairs that may be one and that no rule decides, the likeliest first: names close in spelling or one within the
/// other, types not in conflict, not yet one and not kept apart. Each is a pair of canonical names; at most
/// `per_name` for each name.
pub fn candidates(names: &[NameUse], edits: &[Edit], per_name: usize) -> Vec<CandidatePair> {
    candidates_with(names, edits, per_name, &[])
}

/// As [`candidates`], with pairs of names that are close in meaning (name key, name key, likeness from 0 to 1).
pub fn candidates_with(
    names: &[NameUse],
    edits: &[Edit],
    per_name: usize,
    similar: &[(String, String, f64)],
) -> Vec<CandidatePair> {
    let mut resolution = Resolution::new(names, edits, &BTreeMap::new());
    let canonical = resolution.canonical();
    let standing: Vec<u32> = (0_u32..)
        .zip(&canonical)
        .filter(|(name, canonical)| name == *canonical)
        .map(|(name, _)| name)
        .collect();
    let similar = resolution.standing_pairs(similar, &canonical);
    let near = candidates::near(&resolution.forms, &standing, &similar, &mut resolution.groups, per_name);
    near.into_iter()
        .map(|near| CandidatePair {
            low: resolution.key(near.low).to_owned(),
            high: resolution.key(near.high).to_owned(),
            score: near.score,
            why: near.why,
        })
        .collect()
}

fn evidence(
    [from, to, into]: [&str; 3],
    rule: GroupRule,
    reasons: &BTreeMap<(String, String), String>,
) -> String {
    let through = if to == into { String::new() } else { format!(", which is {into:?}") };
    let pair = (from.min(to).to_owned(), from.max(to).to_owned());
    let said = reasons.get(&pair).filter(|reason| rule == GroupRule::Verdict && !reason.is_empty());
    let said = said.map_or_else(String::new, |reason| format!(": {reason}"));
    format!("{from:?} is {to:?}{through}: {}{said}", rule.reason())
}

/// Names, what is known of them, and the groups they make.
struct Resolution<'a> {
    /// Sorted by key; behind the names in use those that only edits know, which no rule looks at.
    keys: Vec<&'a str>,
    /// How many of them are in use.
    used: usize,
    text_unit_counts: Vec<u32>,
    forms: Vec<Option<NameForm>>,
    groups: NameGroups,
    /// Names that a text says are the full ones: their groups go by them.
    shown: BTreeSet<u32>,
}

impl<'a> Resolution<'a> {
    fn new(names: &'a [NameUse], edits: &'a [Edit], verdicts: &BTreeMap<(String, String), bool>) -> Self {
        let mut sorted: Vec<&NameUse> = names.iter().collect();
        sorted.sort_by(|a, b| {
            (&a.key, &a.name, &a.kinds, a.text_unit_count).cmp(&(
                &b.key,
                &b.name,
                &b.kinds,
                b.text_unit_count,
            ))
        });
        sorted.dedup_by(|a, b| a.key == b.key);
        let mut keys: Vec<&str> = sorted.iter().map(|name| name.key.as_str()).collect();
        let used = keys.len();
        let unused: BTreeSet<&str> = edited(edits).filter(|key| keys.binary_search(key).is_err()).collect();
        keys.extend(unused);
        let mut forms: Vec<Option<NameForm>> = sorted.iter().map(|name| NameForm::new(name)).collect();
        forms.resize_with(keys.len(), || None);
        let mut text_unit_counts: Vec<u32> = sorted.iter().map(|name| name.text_unit_count).collect();
        text_unit_counts.resize(keys.len(), 0);
        let groups = NameGroups::new(&forms);
        let mut resolution = Self { keys, used, text_unit_counts, forms, groups, shown: BTreeSet::new() };
        resolution.join(&sorted, edits, verdicts);
        resolution
    }

    /// `names` are those in use, sorted by key.
    fn join(&mut self, names: &[&NameUse], edits: &[Edit], verdicts: &BTreeMap<(String, String), bool>) {
        let used = self.used;
        let place_of = |keys: &[&str], key: &str| {
            let (in_use, unused) = keys.split_at(used);
            let place =
                in_use.binary_search(&key).ok().or_else(|| Some(used + unused.binary_search(&key).ok()?))?;
            u32::try_from(place).ok()
        };
        let people = People::new(&self.forms);
        people.note_traits(&mut self.groups);
        let mut in_order: Vec<&Edit> = edits.iter().collect();
        in_order.sort_by(|a, b| (a.sequence, &a.id).cmp(&(b.sequence, &b.id)));
        self.groups.edit(&in_order, |key| place_of(&self.keys, key));

        let mut judged = Vec::new();
        for ((low, high), same) in verdicts {
            if let (Some(low), Some(high)) = (place_of(&self.keys, low), place_of(&self.keys, high)) {
                if *same {
                    judged.push(NameLink::new(GroupRule::Verdict, low, high));
                } else {
                    self.groups.keep_apart(low, high);
                }
            }
        }
        let forms = &self.forms;
        let mut links = spelling::links(forms);
        links.extend(dates::links(forms));
        links.extend(organisations::links(forms));
        links.extend(people.full_links(forms));
        links.extend(han::links(forms));
        let (said, shown) = stated::links(forms, &self.text_unit_counts);
        links.extend(said);
        self.shown = shown;
        self.groups.join_all(links);
        // these ask for the only one: what is one by the rules above counts once
        let links = organisations::acronym_links(forms, &mut self.groups);
        self.groups.join_all(links);
        let mut links = people.short_links(forms, &self.text_unit_counts, &mut self.groups);
        links.extend(han::short_links(forms, &mut self.groups));
        self.groups.join_all(links);
        self.groups.join_all(judged);
        let links = other_names::links(names, &mut self.groups);
        self.groups.join_all(links);
    }

    fn key(&self, name: u32) -> &str {
        self.keys.get(name as usize).copied().unwrap_or_default()
    }

    /// Pairs of names as pairs of the names that their entities go by, the closest of each once.
    fn standing_pairs(&self, pairs: &[(String, String, f64)], canonical: &[u32]) -> Vec<(u32, u32, f64)> {
        let place = |key: &String| {
            let place = self.keys.get(..self.used)?.binary_search(&key.as_str()).ok()?;
            canonical.get(place).copied()
        };
        let mut best: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for (one, other, score) in pairs {
            let (Some(one), Some(other)) = (place(one), place(other)) else { continue };
            if one != other {
                let best = best.entry((one.min(other), one.max(other))).or_insert(*score);
                *best = best.max(*score);
            }
        }
        best.into_iter().map(|((low, high), score)| (low, high, score)).collect()
    }

    /// The name that each name's entity goes by.
    fn canonical(&mut self) -> Vec<u32> {
        let names: Vec<u32> = (0_u32..).zip(&self.keys).map(|(name, _)| name).collect();
        let mut best: FxHashMap<u32, u32> = FxHashMap::default();
        for &name in &names {
            let root = self.groups.find(name);
            let units = |name: u32| self.text_unit_counts.get(name as usize).copied().unwrap_or_default();
            let best = best.entry(root).or_insert(name);
            let shown = |name: u32| self.shown.contains(&name);
            // "M. Ashworth" says less than "Margaret Ashworth", however often it stands
            let full = |name: u32| {
                !self.forms.get(name as usize).and_then(Option::as_ref).is_some_and(NameForm::is_initial)
            };
            if (shown(*best), full(*best), units(*best), self.keys.get(name as usize))
                < (shown(name), full(name), units(name), self.keys.get(*best as usize))
            {
                *best = name;
            }
        }
        names
            .iter()
            .map(|&name| {
                let wanted = self.groups.wanted(name);
                wanted.or_else(|| best.get(&self.groups.find(name)).copied()).unwrap_or(name)
            })
            .collect()
    }
}

/// The names that merges and splits speak of.
fn edited(edits: &[Edit]) -> impl Iterator<Item = &str> {
    edits
        .iter()
        .filter(|edit| matches!(edit.kind, EditKind::Merge { .. } | EditKind::Split { .. }))
        .flat_map(|edit| edit.kind.names())
}

#[cfg(test)]
mod tests;
