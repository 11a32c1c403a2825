//! Stable names through changes: a changed community carries on the line of the one it overlaps best.

use crate::domain::{Community, Id};
use std::collections::{BTreeMap, BTreeSet};

/// Least Jaccard overlap that carries a line on, as a fraction: 1/2.
const LEAST: (usize, usize) = (1, 2);

/// Gives every community the lineage of its predecessor: an unchanged one keeps its own; the others take, one to
/// one, that of the old community of greatest Jaccard overlap of members, at least one half; ties by level, then id.
/// Whoever has no predecessor begins a line under its own id.
pub fn carry(old: &[Community], new: &mut [Community]) {
    let by_id: BTreeMap<&Id, &Community> = old.iter().map(|c| (&c.id, c)).collect();
    let mut taken: BTreeSet<Id> = BTreeSet::new();
    let mut open: Vec<usize> = Vec::new();
    for (place, community) in new.iter_mut().enumerate() {
        if let Some(was) = by_id.get(&community.id) {
            community.lineage = was.lineage.clone();
            community.period.clone_from(&was.period);
            taken.insert(was.id.clone());
        } else {
            community.lineage = community.id.clone();
            open.push(place);
        }
    }
    let mut holders: BTreeMap<&Id, Vec<usize>> = BTreeMap::new();
    for (place, community) in old.iter().enumerate().filter(|(_, c)| !taken.contains(&c.id)) {
        for member in &community.members {
            holders.entry(member).or_default().push(place);
        }
    }
    let mut pairs: Vec<CommunityPair> = Vec::new();
    for &place in &open {
        let Some(community) = new.get(place) else { continue };
        let mut common: BTreeMap<usize, usize> = BTreeMap::new();
        for member in &community.members {
            for &holder in holders.get(member).into_iter().flatten() {
                *common.entry(holder).or_default() += 1;
            }
        }
        for (holder, common) in common {
            let Some(was) = old.get(holder) else { continue };
            let union = was.members.len() + community.members.len() - common;
            if common * LEAST.1 >= union * LEAST.0 {
                pairs.push(CommunityPair {
                    common,
                    union,
                    other_level: was.level != community.level,
                    old: holder,
                    new: place,
                });
            }
        }
    }
    pairs.sort_by(|a, b| {
        // a.common / a.union against b's, without rounding
        (b.common * a.union)
            .cmp(&(a.common * b.union))
            .then_with(|| a.other_level.cmp(&b.other_level))
            .then_with(|| old.get(a.old).map(|c| &c.id).cmp(&old.get(b.old).map(|c| &c.id)))
            .then_with(|| new.get(a.new).map(|c| &c.id).cmp(&new.get(b.new).map(|c| &c.id)))
    });
    let mut given: BTreeSet<usize> = BTreeSet::new();
    let mut received: BTreeSet<usize> = BTreeSet::new();
    for pair in pairs {
        if given.contains(&pair.old) || received.contains(&pair.new) {
            continue;
        }
        if let (Some(was), Some(now)) = (old.get(pair.old), new.get_mut(pair.new)) {
            now.lineage = was.lineage.clone();
            given.insert(pair.old);
            received.insert(pair.new);
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct CommunityPair {
    common: usize,
    union: usize,
    other_level: bool,
    old: usize,
    new: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ids, Report};

    fn community(id: &str, members: &[&str]) -> Community {
        let ids = Ids::new("w");
        let mut members: Vec<Id> = members.iter().map(|m| ids.entity(m)).collect();
        members.sort();
        Community {
            id: ids.other("c", &[id]),
            level: 0,
            leaf: true,
            oversized: false,
            parent: None,
            members,
            fingerprint: String::new(),
            report: Report::default(),
            lineage: ids.other("line", &[id]),
            period: "2026-01-01".into(),
        }
    }

    #[test]
    fn lines_go_to_the_best_overlap_one_to_one() {
        let old = [community("a", &["1", "2", "3", "4"]), community("b", &["5", "6"])];
        let mut new = [
            community("b", &["5", "6"]),
            community("c", &["1", "2", "3"]),
            community("d", &["1", "2", "3", "4", "7"]),
            community("e", &["8"]),
        ];
        carry(&old, &mut new);
        let lines: Vec<&Id> = new.iter().map(|c| &c.lineage).collect();
        assert_eq!(lines[0], &old[1].lineage);
        assert_eq!(lines[1], &new[1].id, "three of four lose against four of five");
        assert_eq!(lines[2], &old[0].lineage);
        assert_eq!(lines[3], &new[3].id);
    }
}
