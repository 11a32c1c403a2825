//! What became of each line of communities from one generation to the next: sizes, splits, merges.

use crate::domain::{Community, Id, LineageEvent, LineageStep};
use std::collections::{BTreeMap, BTreeSet};

/// Least share of an old community's members that went to another for the two to be told of together: 1/4.
const PART: usize = 4;
/// Share from which an old community has been taken in: 1/2.
const MOST: usize = 2;

/// The steps from `old` to `new` communities that carry lines already ([`super::lineage::carry`]); sorted by line.
/// Splits and merges are looked for within each level. Nothing is said of what stayed as it was.
pub fn steps(old: &[Community], new: &[Community], generation: u64, period: &str) -> Vec<LineageStep> {
    let before: BTreeSet<&Id> = old.iter().map(|c| &c.id).collect();
    let after: BTreeSet<&Id> = new.iter().map(|c| &c.id).collect();
    let gone: Vec<&Community> = old.iter().filter(|c| !after.contains(&c.id)).collect();
    let come: Vec<&Community> = new.iter().filter(|c| !before.contains(&c.id)).collect();
    let links = SharedMembers::between(&gone, &come);
    let predecessors: BTreeMap<&Id, usize> = gone.iter().zip(0..).map(|(c, at)| (&c.lineage, at)).collect();
    let step = |community: &Community, event: LineageEvent, others: BTreeSet<Id>, size: u64| LineageStep {
        lineage: community.lineage.clone(),
        generation,
        period: period.to_owned(),
        event,
        level: community.level,
        size,
        title: community.report.title.clone(),
        others: others.into_iter().filter(|other| *other != community.lineage).collect(),
    };
    let mut steps = Vec::new();
    for (place, community) in come.iter().enumerate() {
        let predecessor = predecessors.get(&community.lineage).copied();
        if community.report.composed && predecessor.is_none_or(|at| with_report(&gone, at).is_none()) {
            continue;
        }
        let (event, others) = links.of_new(&gone, &come, place, predecessor);
        steps.push(step(community, event, others, community.members.len() as u64));
    }
    let carried: BTreeSet<&Id> = new.iter().map(|c| &c.lineage).collect();
    for (place, community) in gone.iter().enumerate() {
        if carried.contains(&community.lineage) || community.report.composed {
            continue;
        }
        let heirs = links.heirs(&gone, place, PART);
        let others = heirs.into_iter().filter_map(|heir| come.get(heir)).map(|c| c.lineage.clone());
        steps.push(step(community, LineageEvent::Ended, others.collect(), 0));
    }
    steps.sort_by(|a, b| a.lineage.cmp(&b.lineage));
    steps
}

fn with_report<'a>(gone: &[&'a Community], at: usize) -> Option<&'a Community> {
    gone.get(at).copied().filter(|community| !community.report.composed)
}

/// How many members each pair of an old and a new community of one level share.
#[derive(Default)]
struct SharedMembers {
    of_old: BTreeMap<usize, BTreeMap<usize, usize>>,
    of_new: BTreeMap<usize, BTreeMap<usize, usize>>,
}

impl SharedMembers {
    fn between(gone: &[&Community], come: &[&Community]) -> Self {
        let mut holders: BTreeMap<(u32, &Id), usize> = BTreeMap::new();
        for (place, community) in gone.iter().enumerate() {
            holders.extend(community.members.iter().map(|member| ((community.level, member), place)));
        }
        let mut links = Self::default();
        for (place, community) in come.iter().enumerate() {
            for member in &community.members {
                if let Some(&holder) = holders.get(&(community.level, member)) {
                    *links.of_old.entry(holder).or_default().entry(place).or_default() += 1;
                    *links.of_new.entry(place).or_default().entry(holder).or_default() += 1;
                }
            }
        }
        links
    }

    /// New communities that hold at least one `share`th of an old one.
    fn heirs(&self, gone: &[&Community], old: usize, share: usize) -> Vec<usize> {
        let size = gone.get(old).map_or(0, |community| community.members.len());
        let shared = self.of_old.get(&old).into_iter().flatten();
        shared.filter(|&(_, &common)| common * share >= size).map(|(&new, _)| new).collect()
    }

    fn of_new(
        &self,
        gone: &[&Community],
        come: &[&Community],
        new: usize,
        predecessor: Option<usize>,
    ) -> (LineageEvent, BTreeSet<Id>) {
        let sources = self.of_new.get(&new).into_iter().flatten();
        let size = |old: usize| gone.get(old).map_or(0, |community| community.members.len());
        let taken_in: BTreeSet<Id> = sources
            .clone()
            .filter(|&(&old, &common)| Some(old) != predecessor && common * MOST > size(old))
            .filter_map(|(&old, _)| Some(with_report(gone, old)?.lineage.clone()))
            .collect();
        if let Some(predecessor) = predecessor {
            if !taken_in.is_empty() {
                return (LineageEvent::Merged, taken_in);
            }
            let heirs = self.heirs(gone, predecessor, PART).into_iter().filter(|&heir| heir != new);
            let parts: BTreeSet<Id> = heirs
                .filter_map(|heir| come.get(heir))
                .filter(|heir| !heir.report.composed)
                .map(|heir| heir.lineage.clone())
                .collect();
            let event = if parts.is_empty() { LineageEvent::Changed } else { LineageEvent::Split };
            return (event, parts);
        }
        if taken_in.len() > 1 {
            return (LineageEvent::Merged, taken_in);
        }
        let from = sources
            .filter(|&(&old, &common)| common * PART >= size(old))
            .filter_map(|(&old, _)| Some(with_report(gone, old)?.lineage.clone()));
        (LineageEvent::Began, from.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::lineage;
    use super::*;
    use crate::domain::{Ids, Report};

    /// One community of level 0 for each text; each letter is a member.
    fn communities(texts: &[&str]) -> Vec<Community> {
        let ids = Ids::new("w");
        let community = |text: &&str| {
            let mut members: Vec<Id> = text.chars().map(|letter| ids.entity(&letter.to_string())).collect();
            members.sort();
            let id = ids.community(0, true, &members, text);
            Community {
                level: 0,
                leaf: true,
                oversized: false,
                parent: None,
                members,
                fingerprint: (*text).to_owned(),
                report: Report { title: (*text).to_owned(), composed: text.len() < 3, ..Report::default() },
                lineage: id.clone(),
                period: String::new(),
                id,
            }
        };
        texts.iter().map(community).collect()
    }

    fn check(old: &[&str], new: &[&str], expected: &[(&str, LineageEvent, u64, &[&str])]) {
        let old = communities(old);
        let mut new = communities(new);
        lineage::carry(&old, &mut new);
        let steps = steps(&old, &new, 2, "2026-11-21");
        let line = |text: &str| communities(&[text]).swap_remove(0).id;
        let told: BTreeSet<_> =
            steps.iter().map(|s| (s.lineage.clone(), s.event, s.size, s.others.clone())).collect();
        let expected: BTreeSet<_> = expected
            .iter()
            .map(|&(lineage, event, size, others)| {
                let others: BTreeSet<Id> = others.iter().map(|other| line(other)).collect();
                (line(lineage), event, size, others.into_iter().collect::<Vec<Id>>())
            })
            .collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn lines_begin_change_and_end() {
        use LineageEvent::{Began, Changed, Ended};
        check(&[], &["abc"], &[("abc", Began, 3, &[])]);
        check(&["abc"], &["abc"], &[]);
        check(&["abc"], &["abcd"], &[("abc", Changed, 4, &[])]);
        check(&["abc"], &["xyz"], &[("abc", Ended, 0, &[]), ("xyz", Began, 3, &[])]);
        check(&["ab"], &["yz"], &[]);
    }

    #[test]
    fn splits_and_merges_name_the_other_lines() {
        use LineageEvent::{Began, Ended, Merged, Split};
        check(
            &["abcdefgh"],
            &["abcde", "fgh"],
            &[("abcdefgh", Split, 5, &["fgh"]), ("fgh", Began, 3, &["abcdefgh"])],
        );
        check(
            &["abcde", "fgh"],
            &["abcdefgh"],
            &[("abcde", Merged, 8, &["fgh"]), ("fgh", Ended, 0, &["abcde"])],
        );
        check(
            &["abc", "def", "ghi"],
            &["abcdefghi"],
            &[
                ("abcdefghi", Merged, 9, &["abc", "def", "ghi"]),
                ("abc", Ended, 0, &["abcdefghi"]),
                ("def", Ended, 0, &["abcdefghi"]),
                ("ghi", Ended, 0, &["abcdefghi"]),
            ],
        );
    }
}
