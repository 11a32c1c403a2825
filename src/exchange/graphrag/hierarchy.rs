//! The hierarchy of an index as our communities, with their reports: total and disjoint at every level, whatever the
//! tables say (design 10).

use super::records::ImportedRecords;
use super::tables::{GraphragCommunity, GraphragReport, find_parents};
use crate::domain::{Community, Finding, Id, Ids, RecordKind, RecordRef, Report, fingerprint};
use crate::index::communities::IMPORTED;
use crate::llm::reply::{find_citations, rewrite};
use std::collections::{BTreeMap, BTreeSet};

/// Names in the title of a community that has no report.
const TITLE_NAMES: usize = 3;

/// The communities, and what of the tables found no place.
#[derive(Debug, Default)]
pub(super) struct ImportedHierarchy {
    pub(super) communities: Vec<Community>,
    /// Our community by the id of its report's row, for vectors.
    pub(super) of_report: BTreeMap<String, Id>,
    /// Communities without a member that is in the graph.
    pub(super) communities_lost: u64,
    /// Memberships beside another community of the same level, or outside the parent.
    pub(super) memberships_lost: u64,
    /// Communities that no report was written for.
    pub(super) without_report: u64,
}

#[derive(Debug)]
struct HierarchyNode {
    number: Option<i64>,
    level: u32,
    parent: Option<usize>,
    leaf: bool,
    members: BTreeSet<Id>,
}

/// Converts. `names` are the entities' titles, leading ones first.
pub(super) fn convert(
    mut rows: Vec<GraphragCommunity>,
    reports: &[GraphragReport],
    records: &ImportedRecords,
    names: &[(Id, String)],
    ids: &Ids,
) -> ImportedHierarchy {
    find_parents(&mut rows);
    let mut hierarchy = ImportedHierarchy::default();
    let nodes = build_nodes(&rows, records, &mut hierarchy);
    let of: BTreeMap<i64, &GraphragReport> =
        reports.iter().rev().map(|report| (report.community, report)).collect();
    let mut communities: Vec<Community> = Vec::with_capacity(nodes.len());
    for node in &nodes {
        let members: Vec<Id> = node.members.iter().cloned().collect();
        let row = node.number.and_then(|number| of.get(&number));
        hierarchy.without_report += u64::from(row.is_none());
        let report = row.map_or_else(|| untold(&node.members, names), |row| bare(row));
        let fingerprint =
            format!("{IMPORTED}{}", fingerprint(&[&report.full_content(), &report.rank.to_string()]));
        let id = ids.community(node.level, node.leaf, &members, &fingerprint);
        if let Some(row) = row {
            hierarchy.of_report.insert(row.id.clone(), id.clone());
        }
        communities.push(Community {
            lineage: id.clone(),
            parent: node.parent.and_then(|parent| communities.get(parent)).map(|parent| parent.id.clone()),
            id,
            level: node.level,
            leaf: node.leaf,
            oversized: false,
            members,
            fingerprint,
            report,
            period: String::new(),
        });
    }
    cite(&nodes, &of, records, &mut communities);
    hierarchy.communities = communities;
    hierarchy
}

/// The communities from the root down, parents before children; each entity once at every level.
fn build_nodes(
    rows: &[GraphragCommunity],
    records: &ImportedRecords,
    hierarchy: &mut ImportedHierarchy,
) -> Vec<HierarchyNode> {
    let numbers: BTreeSet<i64> = rows.iter().map(|row| row.number).collect();
    let mut children: BTreeMap<Option<i64>, Vec<&GraphragCommunity>> = BTreeMap::new();
    for row in rows {
        let parent = row.parent.filter(|parent| numbers.contains(parent) && *parent != row.number);
        children.entry(parent).or_default().push(row);
    }
    for siblings in children.values_mut() {
        siblings.sort_by_key(|row| (row.level, row.number));
    }
    let mut growing =
        HierarchyBuilder { records, seen: BTreeSet::new(), nodes: Vec::new(), memberships_lost: 0 };
    let mut next = 0;
    growing.add(&children.get(&None).cloned().unwrap_or_default(), None);
    while let Some(node) = growing.nodes.get(next) {
        let below = node.number.and_then(|number| children.get(&Some(number))).cloned().unwrap_or_default();
        if !below.is_empty() {
            let before = growing.nodes.len();
            growing.add(&below, Some(next));
            rest(next, before, &mut growing.nodes);
        }
        next += 1;
    }
    hierarchy.communities_lost = (rows.len() as u64).saturating_sub(growing.seen.len() as u64);
    hierarchy.memberships_lost += growing.memberships_lost;
    growing.nodes
}

/// A hierarchy that is read from the root down.
struct HierarchyBuilder<'a> {
    records: &'a ImportedRecords,
    seen: BTreeSet<i64>,
    nodes: Vec<HierarchyNode>,
    memberships_lost: u64,
}

impl HierarchyBuilder<'_> {
    /// Adds the parts of a community, or the roots.
    fn add(&mut self, rows: &[&GraphragCommunity], parent: Option<usize>) {
        let holder = parent.and_then(|parent| self.nodes.get(parent));
        let level = holder.map_or(0, |holder| holder.level + 1);
        let mut free: Option<BTreeSet<Id>> = holder.map(|holder| holder.members.clone());
        let mut taken: BTreeSet<Id> = BTreeSet::new();
        for row in rows {
            if self.seen.contains(&row.number) {
                continue;
            }
            let given: BTreeSet<&Id> =
                row.members.iter().filter_map(|member| self.records.entities.get(member)).collect();
            let members: BTreeSet<Id> = given
                .iter()
                .filter(|id| match &mut free {
                    Some(free) => free.remove(**id),
                    None => taken.insert((**id).clone()),
                })
                .map(|id| (*id).clone())
                .collect();
            self.memberships_lost += (given.len() - members.len()) as u64;
            if members.is_empty() {
                continue;
            }
            self.seen.insert(row.number);
            self.nodes.push(HierarchyNode { number: Some(row.number), level, parent, leaf: true, members });
        }
    }
}

/// Members of a community that none of its parts holds get a part of their own.
fn rest(parent: usize, first_child: usize, nodes: &mut Vec<HierarchyNode>) {
    let held: BTreeSet<Id> = nodes
        .get(first_child..)
        .into_iter()
        .flatten()
        .flat_map(|child| child.members.iter().cloned())
        .collect();
    let Some(holder) = nodes.get_mut(parent) else { return };
    if held.is_empty() {
        return;
    }
    holder.leaf = false;
    let level = holder.level + 1;
    let members: BTreeSet<Id> = holder.members.difference(&held).cloned().collect();
    if !members.is_empty() {
        nodes.push(HierarchyNode { number: None, level, parent: Some(parent), leaf: true, members });
    }
}

/// A report without its citations; [`cite`] adds them when all communities have their ids.
fn bare(row: &GraphragReport) -> Report {
    let clean = |text: &str| rewrite(text, |_, _| None).trim().to_owned();
    Report {
        title: clean(&row.title),
        summary: clean(&row.summary),
        findings: row
            .findings
            .iter()
            .map(|(summary, explanation)| Finding {
                summary: clean(summary),
                explanation: clean(explanation),
                citations: Vec::new(),
            })
            .collect(),
        rank: if row.rank.is_finite() { row.rank.clamp(0.0, 10.0) } else { 0.0 },
        rank_explanation: row.rank_explanation.clone(),
        composed: false,
    }
}

fn untold(members: &BTreeSet<Id>, names: &[(Id, String)]) -> Report {
    let leading: Vec<&str> = names
        .iter()
        .filter(|(id, _)| members.contains(id))
        .map(|(_, name)| name.as_str())
        .take(TITLE_NAMES)
        .collect();
    Report { title: leading.join(", "), composed: true, ..Report::default() }
}

fn cite(
    nodes: &[HierarchyNode],
    reports: &BTreeMap<i64, &GraphragReport>,
    records: &ImportedRecords,
    communities: &mut [Community],
) {
    let own: BTreeMap<i64, Id> = nodes
        .iter()
        .zip(communities.iter())
        .filter_map(|(node, community)| Some((node.number?, community.id.clone())))
        .collect();
    let resolve = |kind: RecordKind, number: u32| match kind {
        RecordKind::Reports => own.get(&i64::from(number)),
        _ => records.numbered.get(&(kind, number)),
    };
    for (node, community) in nodes.iter().zip(communities) {
        let Some(row) = node.number.and_then(|number| reports.get(&number)) else { continue };
        for (finding, (summary, explanation)) in community.report.findings.iter_mut().zip(&row.findings) {
            let cited: BTreeSet<RecordRef> = [summary, explanation]
                .into_iter()
                .flat_map(|text: &String| find_citations(text))
                .flat_map(|group| group.numbers.into_iter().map(move |number| (group.kind, number)))
                .filter_map(|(kind, number)| Some(RecordRef { kind, id: resolve(kind, number)?.clone() }))
                .collect();
            finding.citations = cited.into_iter().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: i64, level: i64, parent: Option<i64>, members: &[&str]) -> GraphragCommunity {
        GraphragCommunity {
            number,
            level,
            parent,
            members: members.iter().map(|m| (*m).to_owned()).collect(),
        }
    }

    fn report(community: i64, finding: &str) -> GraphragReport {
        GraphragReport {
            id: format!("r{community}"),
            community,
            title: format!("Report {community}"),
            summary: "All of it [Data: Entities (7)].".into(),
            rank: 12.0,
            rank_explanation: String::new(),
            findings: vec![("One".into(), finding.into())],
        }
    }

    #[test]
    fn every_entity_is_in_one_community_of_every_level_whatever_the_tables_say() {
        let ids = Ids::new("w");
        let id = |name: &str| ids.entity(name);
        let mut records = ImportedRecords::default();
        for name in ["a", "b", "c", "d"] {
            records.entities.insert(name.to_owned(), id(name));
        }
        records.numbered.insert((RecordKind::Entities, 7), id("a"));
        let rows = vec![
            row(0, 0, None, &["a", "b", "c"]),
            row(1, 0, None, &["c", "d", "gone"]),
            row(2, 1, Some(0), &["a", "d"]),
            row(3, 1, Some(0), &["gone"]),
        ];
        let reports = [report(0, "So [Data: Entities (7, 8), Reports (2)]."), report(2, "x")];
        let found = convert(rows, &reports, &records, &[(id("d"), "D".into())], &ids);
        let shape: Vec<(u32, bool, Vec<Id>)> =
            found.communities.iter().map(|c| (c.level, c.leaf, c.members.clone())).collect();
        let set = |names: &[&str]| {
            let set: BTreeSet<Id> = names.iter().map(|name| id(name)).collect();
            set.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(
            shape,
            [
                (0, false, set(&["a", "b", "c"])),
                (0, true, set(&["d"])),
                (1, true, set(&["a"])),
                (1, true, set(&["b", "c"])),
            ]
        );
        assert_eq!((found.communities_lost, found.memberships_lost, found.without_report), (1, 2, 2));
        let first = &found.communities[0].report;
        assert_eq!((first.summary.as_str(), first.rank), ("All of it.", 10.0));
        assert_eq!(first.findings[0].explanation, "So.");
        let cited: Vec<&Id> = first.findings[0].citations.iter().map(|c| &c.id).collect();
        assert_eq!(cited, [&found.communities[2].id, &id("a")]);
        assert_eq!(found.communities[1].report.title, "D");
        assert_eq!(found.communities[2].parent.as_ref(), Some(&found.communities[0].id));
    }
}
