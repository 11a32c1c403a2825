//! `graphwright communities --list`: what each community is about.

use super::{Common, failure, print, write_json};
use crate::config::Config;
use crate::domain::{Community, Id};
use crate::language::one_line;
use crate::progress::talk;
use crate::services::Access;
use anyhow::{Result, anyhow};
use serde::Serialize;
use std::cmp::Reverse;
use std::process::ExitCode;

/// Communities shown of a level where no number is given.
const SHOWN: usize = 50;

/// The communities of the generation that readers see.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Listed {
    /// The generation.
    generation: u64,
    /// By level, the largest first.
    communities: Vec<ListedCommunity>,
}

/// A community in a list.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ListedCommunity {
    /// Its id.
    id: Id,
    /// 0 is the coarsest.
    level: u32,
    /// Whether it has no parts.
    leaf: bool,
    /// The community of the level above that holds it.
    parent: Option<Id>,
    /// Its entities.
    size: usize,
    /// Of its report.
    title: String,
    /// Of its report.
    summary: String,
    /// How much it matters, from 0 to 10.
    rank: f64,
}

impl From<Community> for ListedCommunity {
    fn from(community: Community) -> Self {
        Self {
            size: community.members.len(),
            id: community.id,
            level: community.level,
            leaf: community.leaf,
            parent: community.parent,
            title: one_line(&community.report.title),
            summary: one_line(&community.report.summary),
            rank: community.report.rank,
        }
    }
}

/// `level`: only this one. `limit`: at most so many of each level; of JSON, all where none is given.
pub(super) async fn run(
    common: &Common,
    config: Config,
    level: Option<u32>,
    limit: Option<usize>,
) -> Result<ExitCode> {
    let services = common.connect(config, Access::Look).await?;
    let generation = services.graph.state().await?.generation;
    let mut all: Vec<ListedCommunity> =
        services.graph.community_outlines(generation).await?.into_iter().map(Into::into).collect();
    all.sort_by(|a, b| {
        (a.level, Reverse(a.size), &a.title, &a.id).cmp(&(b.level, Reverse(b.size), &b.title, &b.id))
    });
    let levels = all.last().map_or(0, |last| last.level + 1);
    if let Some(level) = level.filter(|level| *level >= levels) {
        return Err(failure::wrong(anyhow!(
            "--level {level}: there is no such level; {}",
            if levels == 0 {
                "there are no communities yet".to_owned()
            } else {
                format!("the finest is {}", levels - 1)
            }
        )));
    }
    all.retain(|one| level.is_none_or(|level| one.level == level));
    if common.json {
        let sizes: Vec<usize> = all.chunk_by(|a, b| a.level == b.level).map(<[_]>::len).collect();
        let mut places = sizes.into_iter().flat_map(|count| 0..count);
        all.retain(|_| places.next().zip(limit).is_none_or(|(place, limit)| place < limit));
        write_json(&Listed { generation, communities: all })?;
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        talk("there are no communities yet");
    }
    for level in all.chunk_by(|a, b| a.level == b.level) {
        print_level(level, limit.unwrap_or(SHOWN));
    }
    Ok(ExitCode::SUCCESS)
}

/// A line for each community of a level, below one that names the level.
fn print_level(communities: &[ListedCommunity], limit: usize) {
    let Some(first) = communities.first() else { return };
    let alone = communities.iter().filter(|one| one.size == 1).count();
    print::line(&format!(
        "level {}: {} communities{}",
        first.level,
        communities.len(),
        if alone == 0 { String::new() } else { format!(", {alone} of one entity") }
    ));
    for one in communities.iter().take(limit) {
        print::line(&format!("{:6}  {}", one.size, one.title));
    }
    if communities.len() > limit {
        talk(&format!("the {limit} largest; --limit {} lists them all", communities.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ids, Report};

    #[test]
    fn a_community_is_listed_with_what_its_report_says() {
        let ids = Ids::new("w");
        let members = vec![ids.entity("a"), ids.entity("b")];
        let listed = ListedCommunity::from(Community {
            id: ids.community(1, true, &members, ""),
            level: 1,
            leaf: true,
            oversized: false,
            parent: None,
            members,
            fingerprint: String::new(),
            report: Report { title: "Ann Lee\nand Tom".to_owned(), rank: 4.0, ..Report::default() },
            lineage: ids.other("line", &["a"]),
            period: String::new(),
        });
        assert_eq!((listed.size, listed.level, listed.title.as_str()), (2, 1, "Ann Lee and Tom"));
    }
}
