//! Communities that differ from what the graph asks for in nothing but a report that a model still owes: it could not be
//! used, and the next run asks for it again. That is work that waits, and no damage.

use crate::domain::{Community, Id};
use crate::index::reports::writer::UNWRITTEN;
use rustc_hash::FxHashSet;

/// What tells a community but its report.
type Shape<'a> = (u32, bool, &'a [Id]);

/// Ids of communities, stored and as they would be, that owed reports explain: those that hold a community whose report is
/// owed, for their ids and reports hang on it, and their parts, which name them as parent.
pub(super) struct OwedReports(FxHashSet<Id>);

impl OwedReports {
    /// Of the stored communities, and of those that the graph asks for.
    pub(super) fn of(old: &[Community], now: &[Community]) -> Self {
        let owed: Vec<&Community> = old.iter().filter(|one| one.fingerprint.starts_with(UNWRITTEN)).collect();
        // levels nest, so that one member tells whose part it is
        let holds = |one: &Community| {
            owed.iter().any(|part| {
                part.level >= one.level
                    && part.members.first().is_some_and(|id| one.members.binary_search(id).is_ok())
            })
        };
        let [stored, wanted] = [old, now].map(|all| all.iter().map(shape).collect::<FxHashSet<Shape<'_>>>());
        let explained =
            |one: &&Community| holds(one) && stored.contains(&shape(one)) && wanted.contains(&shape(one));
        let mut ids: FxHashSet<Id> =
            old.iter().chain(now).filter(explained).map(|one| one.id.clone()).collect();
        let is_part = |one: &&Community| one.parent.as_ref().is_some_and(|parent| ids.contains(parent));
        let parts: Vec<Id> = old.iter().chain(now).filter(is_part).map(|one| one.id.clone()).collect();
        ids.extend(parts);
        Self(ids)
    }

    /// Whether an owed report is why this community is another one than the graph asks for.
    pub(super) fn explain(&self, id: &Id) -> bool {
        self.0.contains(id)
    }
}

fn shape(one: &Community) -> Shape<'_> {
    (one.level, one.leaf, one.members.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Report;

    fn community(id: &str, level: u32, parent: Option<&str>, members: &[&str]) -> Community {
        Community {
            id: Id::from_stored(id),
            level,
            leaf: level > 0,
            oversized: false,
            parent: parent.map(Id::from_stored),
            members: members.iter().map(|name| Id::from_stored(*name)).collect(),
            fingerprint: "written".into(),
            report: Report::default(),
            lineage: Id::from_stored(id),
            period: String::new(),
        }
    }

    #[test]
    fn an_owed_report_explains_its_community_what_holds_it_and_what_names_that_as_parent() {
        let mut old = vec![
            community("whole", 0, None, &["a", "b", "c", "d"]),
            community("first", 1, Some("whole"), &["a", "b"]),
            community("second", 1, Some("whole"), &["c", "d"]),
            community("other", 0, None, &["e", "f"]),
        ];
        old[1].fingerprint = format!("{UNWRITTEN}extractive-1");
        let mut now = vec![
            community("whole-2", 0, None, &["a", "b", "c", "d"]),
            community("first-2", 1, Some("whole-2"), &["a", "b"]),
            community("second", 1, Some("whole-2"), &["c", "d"]),
            community("other-2", 0, None, &["e", "f"]),
        ];
        let explained = |old: &[Community], now: &[Community]| {
            let owed = OwedReports::of(old, now);
            let all = old.iter().chain(now).filter(|one| owed.explain(&one.id));
            let mut names: Vec<String> = all.map(|one| one.id.as_str().to_owned()).collect();
            names.sort();
            names.dedup();
            names
        };
        assert_eq!(explained(&old, &now), ["first", "first-2", "second", "whole", "whole-2"]);
        // other members are damage, whatever is owed
        now[0].members.pop();
        now[1].members.pop();
        assert_eq!(explained(&old, &now), Vec::<String>::new());
        old[1].fingerprint = "written".into();
        assert_eq!(explained(&old, &old), Vec::<String>::new());
    }
}
