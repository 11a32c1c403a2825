//! `graphwright map`

use super::{Common, failure, write_json};
use crate::map::{self, Layout, MapFormat, MapSettings};
use crate::private;
use crate::progress::talk;
use anyhow::{Context, Result};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// File to write; its extension says what: .html (a page), .svg, .graphml or .gexf
    #[arg(long, short, value_name = "FILE", default_value = "map.html")]
    out: PathBuf,
    /// Level of the communities that give the colours, 0 is the coarsest; a page can switch
    #[arg(long, value_name = "N", default_value_t = 0)]
    level: usize,
    /// What puts entities near each other
    #[arg(long, value_name = "WHAT", default_value = "structure")]
    layout: LayoutFlag,
    /// Entities at most; those of fewest relationships are left out
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Seed of every random choice
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum LayoutFlag {
    /// Their relationships
    Structure,
    /// Their texts; needs embeddings
    Text,
}

/// The map that was drawn.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Drawn {
    /// The file that holds it.
    file: PathBuf,
    /// Entities in it.
    entities: usize,
    /// Relationships in it.
    relationships: usize,
    /// Communities of all levels.
    communities: usize,
    /// Levels of communities.
    levels: usize,
    /// Entities beyond `--limit`.
    left_out: usize,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let format = MapFormat::of(&arguments.out).map_err(failure::wrong)?;
    let services = common.look().await?;
    let settings = MapSettings {
        layout: match arguments.layout {
            LayoutFlag::Structure => Layout::Structure,
            LayoutFlag::Text => Layout::Text,
        },
        limit: arguments.limit as usize,
        seed: arguments.seed,
    };
    let map = map::map(&services, settings, &common.data, &common.progress()).await?;
    let text = map.write(format, arguments.level).map_err(failure::wrong)?;
    private::write_named(&arguments.out, text.as_bytes())
        .with_context(|| format!("cannot write {}", arguments.out.display()))?;
    let (entities, relationships) = (map.nodes.len(), map.edges.len());
    if common.json {
        write_json(&Drawn {
            file: arguments.out.clone(),
            entities,
            relationships,
            communities: map.communities.len(),
            levels: map.levels,
            left_out: map.left_out,
        })?;
    } else {
        talk(&format!(
            "{}: {entities} entities, {relationships} relationships, {} communities on {} levels",
            arguments.out.display(),
            map.communities.len(),
            map.levels
        ));
        if map.left_out > 0 {
            talk(&format!("{} entities of fewest relationships are left out (--limit)", map.left_out));
        }
    }
    Ok(ExitCode::SUCCESS)
}
