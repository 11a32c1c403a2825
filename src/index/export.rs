//! Everything stored as sorted JSON lines: two equal graphs give equal files, whatever store they live in.
//!
//! Left out is what may differ between equal graphs (design 3): times of day, lineage and period, generations,
//! ledger and leases.

use crate::domain::{Community, Id};
use crate::stores::GraphReader;
use crate::stores::graph::GraphStore;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

const PAGE: usize = 2000;

/// Writes `documents.jsonl`, `text_units.jsonl`, `entities.jsonl`, `mentions.jsonl`, `relationships.jsonl`,
/// `claims.jsonl`, `communities.jsonl`, `summary_trees.jsonl`, `resolution.jsonl`, `edits.jsonl` and `settings.jsonl` into a folder.
/// Returns the number of lines of each.
///
/// # Errors
/// What the store says; a folder that cannot be written.
pub async fn write(store: &dyn GraphStore, folder: &Path) -> Result<BTreeMap<String, u64>> {
    let reader = store.snapshot().await?;
    let reader = reader.as_ref();
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make folder {}", folder.display()))?;
    let mut counts = BTreeMap::new();
    let mut out = Lines::create(folder, "documents.jsonl")?;
    let mut after: Option<String> = None;
    loop {
        let page = reader.documents(after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.key.clone());
        out.all(&page)?;
    }
    out.end(&mut counts)?;
    units(reader, folder, &mut counts).await?;
    let mut out = Lines::create(folder, "entities.jsonl")?;
    let mut after: Option<Id> = None;
    loop {
        let page = reader.entities(after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id.clone());
        out.all(&page)?;
    }
    out.end(&mut counts)?;
    let mut out = Lines::create(folder, "relationships.jsonl")?;
    let mut after: Option<Id> = None;
    loop {
        let page = reader.relationships(after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id.clone());
        let ids: Vec<Id> = page.iter().map(|r| r.id.clone()).collect();
        let units: BTreeMap<Id, Vec<Id>> =
            reader.units_of_relationships(&ids, usize::MAX).await?.into_iter().collect();
        for relationship in &page {
            let text_units = units.get(&relationship.id).cloned().unwrap_or_default();
            out.one(&WithUnits { relationship, text_units })?;
        }
    }
    out.end(&mut counts)?;
    let mut out = Lines::create(folder, "claims.jsonl")?;
    let mut after: Option<Id> = None;
    loop {
        let page = reader.claims(after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id.clone());
        out.all(&page)?;
    }
    out.end(&mut counts)?;
    communities(reader, folder, &mut counts).await?;
    let mut out = Lines::create(folder, "summary_trees.jsonl")?;
    let mut after: Option<Id> = None;
    loop {
        let page = reader.tree_nodes(after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id.clone());
        out.all(&page)?;
    }
    out.end(&mut counts)?;
    let mut out = Lines::create(folder, "resolution.jsonl")?;
    for entry in reader.resolution().await? {
        out.one(&entry)?;
    }
    out.end(&mut counts)?;
    let mut out = Lines::create(folder, "edits.jsonl")?;
    out.all(&reader.edits().await?)?;
    out.end(&mut counts)?;
    let mut out = Lines::create(folder, "settings.jsonl")?;
    for entry in reader.state().await?.settings {
        out.one(&entry)?;
    }
    out.end(&mut counts)?;
    Ok(counts)
}

#[derive(Serialize)]
struct WithUnits<'a> {
    #[serde(flatten)]
    relationship: &'a crate::domain::Relationship,
    text_units: Vec<Id>,
}

#[derive(Serialize)]
struct MentionLine<'a> {
    text_unit: &'a Id,
    entity: &'a Id,
    records: u32,
}

async fn units(reader: &dyn GraphReader, folder: &Path, counts: &mut BTreeMap<String, u64>) -> Result<()> {
    let mut out = Lines::create(folder, "text_units.jsonl")?;
    let mut mentions = Lines::create(folder, "mentions.jsonl")?;
    let mut after: Option<Id> = None;
    loop {
        let page = reader.text_units(after.as_ref(), PAGE / 4).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.unit.id.clone());
        out.all(&page)?;
        let ids: Vec<Id> = page.iter().map(|u| u.unit.id.clone()).collect();
        let mut edges = reader.mentions_in_units(&ids).await?;
        edges.sort();
        for edge in &edges {
            mentions.one(&MentionLine {
                text_unit: &edge.text_unit,
                entity: &edge.entity,
                records: edge.records,
            })?;
        }
    }
    out.end(counts)?;
    mentions.end(counts)
}

async fn communities(
    reader: &dyn GraphReader,
    folder: &Path,
    counts: &mut BTreeMap<String, u64>,
) -> Result<()> {
    #[derive(Serialize)]
    struct Line<'a> {
        id: &'a Id,
        level: u32,
        leaf: bool,
        oversized: bool,
        parent: &'a Option<Id>,
        members: &'a [Id],
        fingerprint: &'a str,
        report: &'a crate::domain::Report,
    }
    let generation = reader.state().await?.generation;
    let mut all: Vec<Community> = reader.communities(generation).await?;
    all.sort_by(|a, b| a.id.cmp(&b.id));
    let mut out = Lines::create(folder, "communities.jsonl")?;
    for c in &all {
        out.one(&Line {
            id: &c.id,
            level: c.level,
            leaf: c.leaf,
            oversized: c.oversized,
            parent: &c.parent,
            members: &c.members,
            fingerprint: &c.fingerprint,
            report: &c.report,
        })?;
    }
    out.end(counts)
}

struct Lines {
    name: String,
    path: String,
    file: BufWriter<File>,
    count: u64,
}

impl Lines {
    fn create(folder: &Path, name: &str) -> Result<Self> {
        let path = folder.join(name);
        let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self {
            name: name.to_owned(),
            path: path.display().to_string(),
            file: BufWriter::new(file),
            count: 0,
        })
    }

    fn one<T: Serialize>(&mut self, value: &T) -> Result<()> {
        serde_json::to_writer(&mut self.file, value)
            .with_context(|| format!("cannot write {}", self.path))?;
        self.file.write_all(b"\n").with_context(|| format!("cannot write {}", self.path))?;
        self.count += 1;
        Ok(())
    }

    fn all<T: Serialize>(&mut self, values: &[T]) -> Result<()> {
        values.iter().try_for_each(|value| self.one(value))
    }

    fn end(mut self, counts: &mut BTreeMap<String, u64>) -> Result<()> {
        self.file.flush().with_context(|| format!("cannot write {}", self.path))?;
        counts.insert(self.name, self.count);
        Ok(())
    }
}
