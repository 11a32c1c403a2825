//! Steady communities beside fresh ones: what they give away, and what fresh ones would change.

use super::edge_file::LevelSummary;
use super::tree::Tree;
use crate::domain::{Community, Id};
use crate::index::reports::price;
use crate::services::Services;
use crate::stores::graph::EdgeList;
use anyhow::Result;
use rustc_hash::{FxHashSet, FxHasher};
use serde::Serialize;
use std::hash::{Hash, Hasher};

/// What fresh communities would be like beside those that there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Greatest share of fresh communities' modularity, of all levels, that those there are do without; 0 where none.
    pub loss: f64,
    /// The level at which they do.
    pub loss_level: u32,
    /// Communities that there are.
    pub communities: usize,
    /// Communities that fresh ones would bring.
    pub changed: usize,
    /// Reports that a model would write for them; 0 without a model.
    pub reports: usize,
    /// Dollars of these reports by `[llm.prices]`; absent without a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl Comparison {
    /// Of communities, with the modularity of their levels, and fresh ones of the same graph.
    pub(super) async fn of(
        services: &Services,
        there: &CommunityShapes,
        levels: &[LevelSummary],
        fresh: &Tree,
        list: &EdgeList,
    ) -> Result<Self> {
        let least = services.config.reports.min_size;
        let news = fresh
            .branches
            .iter()
            .filter(|branch| !there.0.contains(&shape_in(branch.level, branch.leaf, &branch.members, list)));
        let sizes: Vec<usize> = news.map(|branch| branch.members.len()).collect();
        let reports =
            if services.chat.is_some() { sizes.iter().filter(|&&size| size >= least).count() } else { 0 };
        let (loss, loss_level) = loss(levels, &fresh.summaries);
        let cost = if reports > 0 { price::price(services, reports).await? } else { None };
        Ok(Self { loss, loss_level, communities: there.0.len(), changed: sizes.len(), reports, cost })
    }

    /// What to keep in mind of communities that are others than fresh ones; nothing where they are the same.
    pub(super) fn note(&self) -> Option<String> {
        (self.changed > 0).then(|| {
            format!(
                "they depend on the history of the graph: fresh ones would change {} of {}, {}",
                self.changed,
                self.communities,
                if self.loss > 0.0 {
                    format!("with {} more modularity at level {}", share(self.loss), self.loss_level)
                } else {
                    "without more modularity at any level".to_owned()
                }
            )
        })
    }

    /// What to say where more is given away than is allowed.
    pub fn warning(&self, max_loss: f64) -> Option<String> {
        (self.loss > max_loss).then(|| {
            format!(
                "communities do without {} of the modularity that fresh ones have at level {}, and [communities] \
                 max_loss is {}; `graphwright communities --fresh` finds them anew: {}",
                share(self.loss),
                self.loss_level,
                share(max_loss),
                self.price()
            )
        })
    }

    /// What fresh communities would change, and what that costs.
    pub fn price(&self) -> String {
        let Self { changed, communities, reports, cost, .. } = self;
        let cost = match cost {
            Some(cost) => format!(", about ${cost:.2}"),
            None if *reports > 0 => ", at a price that [llm.prices] does not tell".to_owned(),
            None => String::new(),
        };
        match reports {
            0 => format!(
                "{changed} communities would change ({communities} there are), which no model is asked for"
            ),
            _ => format!(
                "{changed} communities would change ({communities} there are), and a model would write {reports} reports{cost}"
            ),
        }
    }
}

fn share(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// The greatest share of modularity that is given away, and the level; where one has fewer levels, its last stands for
/// those behind it.
fn loss(levels: &[LevelSummary], fresh: &[LevelSummary]) -> (f64, u32) {
    let at = |summaries: &[LevelSummary], level: usize| {
        summaries.get(level).or_else(|| summaries.last()).map_or(0.0, |summary| summary.modularity)
    };
    let mut greatest = (0.0, 0);
    for (level, number) in (0..levels.len().max(fresh.len())).zip(0..) {
        let (now, best) = (at(levels, level), at(fresh, level));
        if best > 0.0 && 1.0 - now / best > greatest.0 {
            greatest = (1.0 - now / best, number);
        }
    }
    greatest
}

/// Communities by what they are, whatever their reports.
pub(super) struct CommunityShapes(FxHashSet<u64>);

impl CommunityShapes {
    pub(super) fn of_stored(communities: &[Community]) -> Self {
        Self(communities.iter().map(|one| shape(one.level, one.leaf, one.members.iter())).collect())
    }

    pub(super) fn of_tree(tree: &Tree, list: &EdgeList) -> Self {
        Self(tree.branches.iter().map(|one| shape_in(one.level, one.leaf, &one.members, list)).collect())
    }
}

fn shape_in(level: u32, leaf: bool, members: &[u32], list: &EdgeList) -> u64 {
    shape(level, leaf, members.iter().filter_map(|&member| list.ids.get(member as usize)))
}

fn shape<'a>(level: u32, leaf: bool, members: impl Iterator<Item = &'a Id>) -> u64 {
    let mut hasher = FxHasher::default();
    (level, leaf).hash(&mut hasher);
    members.for_each(|member| member.key().hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(modularities: &[f64]) -> Vec<LevelSummary> {
        let level =
            |(&modularity, level)| LevelSummary { level, communities: 1, largest: 1, median: 1, modularity };
        modularities.iter().zip(0..).map(level).collect()
    }

    #[test]
    fn the_greatest_loss_of_all_levels_counts_and_more_than_fresh_ones_have_is_none() {
        assert_eq!(loss(&levels(&[0.8, 0.6]), &levels(&[0.8, 0.5])), (0.0, 0));
        assert_eq!(loss(&levels(&[0.8, 0.3]), &levels(&[0.4, 0.4, 0.6])), (0.5, 2));
        assert_eq!(loss(&levels(&[]), &levels(&[])), (0.0, 0));
        assert_eq!(loss(&levels(&[-0.1]), &levels(&[0.0])), (0.0, 0), "where nothing is to be had");
    }

    #[test]
    fn what_is_given_away_is_said_with_the_way_to_have_it_back() {
        let same = Comparison { communities: 4, ..Comparison::default() };
        assert_eq!((same.note(), same.warning(0.01)), (None, None));
        let other =
            Comparison { loss: 0.02, loss_level: 1, communities: 9, changed: 5, reports: 3, cost: Some(0.5) };
        assert_eq!(other.warning(0.02), None);
        let warning = other.warning(0.01).expect("beyond");
        for part in ["2.00 %", "level 1", "graphwright communities --fresh", "3 reports", "$0.50"] {
            assert!(warning.contains(part), "{warning}");
        }
        assert!(other.note().expect("others").contains("5 of 9"));
    }
}
