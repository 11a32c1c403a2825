//! The tables of a microsoft/graphrag index: 3.x and 2.x names (`entities.parquet`), and those of 0.3 to 1.x
//! (`create_final_entities.parquet`), whose columns differ.

use super::fields::{integer, list, number, optional_text, text, vector};
use crate::domain::Absent;
use crate::exchange::parquet_rows::{self, Row, column};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Folders below the given one that are looked into, as graphrag's own versions write.
const BELOW: [&str; 4] = ["", "output", "artifacts", "output/artifacts"];

/// A whole index as its tables give it, rows in their order.
#[derive(Debug, Default)]
pub(super) struct IndexTables {
    pub(super) documents: Vec<GraphragDocument>,
    pub(super) text_units: Vec<GraphragTextUnit>,
    pub(super) entities: Vec<GraphragEntity>,
    pub(super) relationships: Vec<GraphragRelationship>,
    pub(super) communities: Vec<GraphragCommunity>,
    pub(super) reports: Vec<GraphragReport>,
    pub(super) claims: Vec<GraphragClaim>,
    pub(super) embeddings: Embeddings,
    /// Rows of the communities' table.
    pub(super) community_count: usize,
    /// Rows of claims that say nothing.
    pub(super) claims_broken: u64,
    /// Whether vectors lie in a `LanceDB` folder, which is not read.
    pub(super) lancedb: bool,
}

/// Vectors by the id of the row that they belong to.
#[derive(Debug, Default)]
pub(super) struct Embeddings {
    /// Of `title:description`.
    pub(super) entities: BTreeMap<String, Vec<f32>>,
    /// Of the text.
    pub(super) text_units: BTreeMap<String, Vec<f32>>,
    /// Of a report's full content; by the report's id.
    pub(super) reports: BTreeMap<String, Vec<f32>>,
}

impl Embeddings {
    pub(super) fn is_empty(&self) -> bool {
        self.dimension().is_none()
    }

    /// Length of the vectors.
    pub(super) fn dimension(&self) -> Option<usize> {
        [&self.entities, &self.text_units, &self.reports]
            .into_iter()
            .find_map(|all| Some(all.values().next()?.len()))
    }
}

#[derive(Debug)]
pub(super) struct GraphragDocument {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) text: Option<String>,
    pub(super) text_unit_ids: Vec<String>,
}

#[derive(Debug)]
pub(super) struct GraphragTextUnit {
    pub(super) id: String,
    pub(super) number: Option<i64>,
    pub(super) text: String,
    pub(super) document_ids: Vec<String>,
}

#[derive(Debug)]
pub(super) struct GraphragEntity {
    pub(super) id: String,
    pub(super) number: Option<i64>,
    pub(super) title: String,
    pub(super) kind: String,
    pub(super) description: String,
    pub(super) text_unit_ids: Vec<String>,
}

#[derive(Debug)]
pub(super) struct GraphragRelationship {
    pub(super) number: Option<i64>,
    pub(super) source: String,
    pub(super) target: String,
    pub(super) description: String,
    pub(super) weight: f64,
    pub(super) text_unit_ids: Vec<String>,
}

#[derive(Debug)]
pub(super) struct GraphragCommunity {
    pub(super) number: i64,
    pub(super) level: i64,
    /// `None` at the root, and where the table does not say.
    pub(super) parent: Option<i64>,
    /// Ids of entities, or titles where the table is of nodes.
    pub(super) members: Vec<String>,
}

#[derive(Debug)]
pub(super) struct GraphragReport {
    pub(super) id: String,
    pub(super) community: i64,
    pub(super) title: String,
    pub(super) summary: String,
    pub(super) rank: f64,
    pub(super) rank_explanation: String,
    /// Summary and explanation.
    pub(super) findings: Vec<(String, String)>,
}

#[derive(Debug)]
pub(super) struct GraphragClaim {
    pub(super) number: Option<i64>,
    pub(super) subject: String,
    pub(super) object: String,
    pub(super) kind: String,
    pub(super) status: String,
    pub(super) description: String,
    pub(super) start_date: String,
    pub(super) end_date: String,
    pub(super) source_text: String,
    pub(super) text_unit_id: String,
}

/// Looks whether a folder holds an index.
///
/// # Errors
/// No index there.
pub(super) fn find(folder: &Path) -> Result<()> {
    TableFolder::find(folder, 0).map(|_| ())
}

/// Reads all tables of a folder, no column of which may unpack to more than `most_mb` megabytes.
///
/// # Errors
/// No index there; a table that is missing or damaged; a column that is missing or of another type. All name the
/// file and the column.
pub(super) fn read(folder: &Path, most_mb: u64) -> Result<IndexTables> {
    let place = TableFolder::find(folder, most_mb)?;
    let mut tables = IndexTables {
        text_units: place.needed("text_units", text_unit)?,
        entities: place.needed("entities", entity)?,
        relationships: place.needed("relationships", relationship)?,
        documents: place.optional("documents", document)?,
        claims: place.optional("covariates", claim)?,
        reports: place.optional("community_reports", report)?,
        communities: communities(&place)?,
        embeddings: embeddings(&place)?,
        lancedb: place.folder.join("lancedb").is_dir(),
        community_count: 0,
        claims_broken: 0,
    };
    let rows = tables.claims.len();
    tables.claims.retain(|claim| !claim.description.is_empty() || !claim.source_text.is_empty());
    tables.claims_broken = (rows - tables.claims.len()) as u64;
    Ok(tables)
}

/// Where the tables are, and how they are named there.
struct TableFolder {
    folder: PathBuf,
    prefix: &'static str,
    most_mb: u64,
}

impl TableFolder {
    fn find(folder: &Path, most_mb: u64) -> Result<Self> {
        if !folder.exists() {
            return Err(Absent(format!(
                "{}: no such folder; give the output folder of a microsoft/graphrag index",
                folder.display()
            ))
            .into());
        }
        if !folder.is_dir() {
            bail!("{} is no folder; give the output folder of a microsoft/graphrag index", folder.display());
        }
        for below in BELOW {
            for prefix in ["", "create_final_"] {
                let place = Self { folder: folder.join(below), prefix, most_mb };
                if place.path("entities").is_file() || place.path("text_units").is_file() {
                    return Ok(place);
                }
            }
        }
        bail!(
            "{} holds no microsoft/graphrag index: neither entities.parquet nor create_final_entities.parquet is there \
             or below it in output/; tables must be parquet",
            folder.display()
        )
    }

    fn path(&self, table: &str) -> PathBuf {
        self.folder.join(format!("{}{table}.parquet", self.prefix))
    }

    fn needed<T>(&self, table: &str, read: impl Fn(&Row) -> Result<T>) -> Result<Vec<T>> {
        let path = self.path(table);
        if !path.is_file() {
            bail!("{} is missing; an index needs text_units, entities and relationships", path.display());
        }
        self.optional(table, read)
    }

    fn optional<T>(&self, table: &str, read: impl Fn(&Row) -> Result<T>) -> Result<Vec<T>> {
        let path = self.path(table);
        let mut rows = Vec::new();
        if path.is_file() {
            parquet_rows::read(&path, self.most_mb, |row| {
                let value = read(&row).with_context(|| format!("row {}", rows.len() + 1))?;
                rows.push(value);
                Ok(())
            })?;
        }
        Ok(rows)
    }
}

fn document(row: &Row) -> Result<GraphragDocument> {
    let content = if row.contains_key("text") { "text" } else { "raw_content" };
    Ok(GraphragDocument {
        id: text(row, "id")?,
        title: text(row, "title")?,
        text: optional_text(row, content)?,
        text_unit_ids: if row.contains_key("text_unit_ids") {
            list(row, "text_unit_ids")?
        } else {
            Vec::new()
        },
    })
}

fn text_unit(row: &Row) -> Result<GraphragTextUnit> {
    let document_ids = if row.contains_key("document_ids") {
        list(row, "document_ids")?
    } else {
        vec![text(row, "document_id")?]
    };
    Ok(GraphragTextUnit {
        id: text(row, "id")?,
        number: number(row, "human_readable_id"),
        text: text(row, "text")?,
        document_ids,
    })
}

fn entity(row: &Row) -> Result<GraphragEntity> {
    let title = if row.contains_key("name") && !row.contains_key("title") { "name" } else { "title" };
    Ok(GraphragEntity {
        id: text(row, "id")?,
        number: number(row, "human_readable_id"),
        title: name(row, title)?,
        kind: name(row, "type")?,
        description: text(row, "description")?,
        text_unit_ids: list(row, "text_unit_ids")?,
    })
}

fn relationship(row: &Row) -> Result<GraphragRelationship> {
    Ok(GraphragRelationship {
        number: number(row, "human_readable_id"),
        source: name(row, "source")?,
        target: name(row, "target")?,
        description: text(row, "description")?,
        weight: column(row, "weight")?.as_f64().unwrap_or(1.0),
        text_unit_ids: list(row, "text_unit_ids")?,
    })
}

fn report(row: &Row) -> Result<GraphragReport> {
    let explanation = ["rating_explanation", "rank_explanation"].into_iter().find(|c| row.contains_key(*c));
    Ok(GraphragReport {
        id: text(row, "id")?,
        community: integer(row, "community")?,
        title: text(row, "title")?,
        summary: text(row, "summary")?,
        rank: column(row, "rank")?.as_f64().unwrap_or(0.0),
        rank_explanation: explanation.map(|c| text(row, c)).transpose()?.unwrap_or_default(),
        findings: findings(row)?,
    })
}

/// Findings are records of summary and explanation; early versions also wrote plain texts.
fn findings(row: &Row) -> Result<Vec<(String, String)>> {
    let Some(items) = column(row, "findings")?.as_array() else { return Ok(Vec::new()) };
    let of = |item: &Row, key: &str| item.get(key).and_then(|v| v.as_str()).unwrap_or_default().to_owned();
    items
        .iter()
        .map(|item| match (item.as_object(), item.as_str()) {
            (Some(item), _) => Ok((of(item, "summary"), of(item, "explanation"))),
            (None, Some(text)) => Ok((text.to_owned(), String::new())),
            _ => bail!("column \"findings\" holds neither records nor texts"),
        })
        .collect()
}

fn claim(row: &Row) -> Result<GraphragClaim> {
    Ok(GraphragClaim {
        number: number(row, "human_readable_id"),
        subject: name(row, "subject_id")?,
        object: name(row, "object_id")?,
        kind: text(row, "type")?,
        status: text(row, "status")?,
        description: text(row, "description")?,
        start_date: date(row, "start_date")?,
        end_date: date(row, "end_date")?,
        source_text: text(row, "source_text")?,
        text_unit_id: text(row, "text_unit_id")?,
    })
}

/// Names stand in quotes in early versions.
fn name(row: &Row, column: &str) -> Result<String> {
    let written = text(row, column)?;
    let bare = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(&written);
    Ok(bare.trim().to_owned())
}

fn date(row: &Row, column: &str) -> Result<String> {
    let written = text(row, column)?;
    Ok(if written.eq_ignore_ascii_case("none") { String::new() } else { written })
}

/// Communities with their members: from their own table, or from the nodes' where it does not hold them.
fn communities(place: &TableFolder) -> Result<Vec<GraphragCommunity>> {
    let mut rows = Vec::new();
    let mut without_members = false;
    let path = place.path("communities");
    if path.is_file() {
        parquet_rows::read(&path, place.most_mb, |row| {
            without_members |= !row.contains_key("entity_ids");
            let id = if row.contains_key("community") { "community" } else { "id" };
            rows.push(GraphragCommunity {
                number: integer(&row, id)?,
                level: integer(&row, "level")?,
                parent: number(&row, "parent").filter(|parent| *parent >= 0),
                members: if without_members { Vec::new() } else { list(&row, "entity_ids")? },
            });
            Ok(())
        })?;
    }
    if !rows.is_empty() && !without_members {
        return Ok(rows);
    }
    let nodes = place.path("nodes");
    if !nodes.is_file() {
        if without_members {
            bail!("{} has no column \"entity_ids\" and {} is missing", path.display(), nodes.display());
        }
        return Ok(Vec::new());
    }
    let mut found: BTreeMap<i64, GraphragCommunity> = BTreeMap::new();
    parquet_rows::read(&nodes, place.most_mb, |row| {
        column(&row, "community")?;
        let Some(number) = number(&row, "community").filter(|number| *number >= 0) else { return Ok(()) };
        let level = integer(&row, "level")?;
        let community = found.entry(number).or_insert_with(|| GraphragCommunity {
            number,
            level,
            parent: None,
            members: Vec::new(),
        });
        if community.level == level {
            community.members.push(name(&row, "title")?);
        }
        Ok(())
    })?;
    Ok(found.into_values().collect())
}

fn embeddings(place: &TableFolder) -> Result<Embeddings> {
    let of = |names: [&str; 2]| -> Result<BTreeMap<String, Vec<f32>>> {
        let mut vectors = BTreeMap::new();
        for name in names {
            let path = place.folder.join(format!("embeddings.{name}.parquet"));
            if path.is_file() {
                parquet_rows::read(&path, place.most_mb, |row| {
                    vectors.insert(text(&row, "id")?, vector(&row, "embedding")?);
                    Ok(())
                })?;
            }
        }
        Ok(vectors)
    };
    let mut embeddings = Embeddings {
        entities: of(["entity_description", "entity.description"])?,
        text_units: of(["text_unit_text", "text_unit.text"])?,
        reports: of(["community_full_content", "community.full_content"])?,
    };
    let entities = place.path("entities");
    if embeddings.entities.is_empty() {
        parquet_rows::read(&entities, place.most_mb, |row| {
            if row.get("description_embedding").is_some_and(serde_json::Value::is_array) {
                embeddings.entities.insert(text(&row, "id")?, vector(&row, "description_embedding")?);
            }
            Ok(())
        })?;
    }
    Ok(embeddings)
}

/// Where communities do not say who holds them: the community of the level above that holds their first member.
pub(super) fn find_parents(communities: &mut [GraphragCommunity]) {
    if communities.iter().any(|community| community.parent.is_some()) {
        return;
    }
    let mut holder: BTreeMap<(i64, String), i64> = BTreeMap::new();
    for community in communities.iter() {
        for member in &community.members {
            holder.insert((community.level, member.clone()), community.number);
        }
    }
    for community in communities.iter_mut().filter(|community| community.level > 0) {
        let first = community.members.first();
        community.parent =
            first.and_then(|member| holder.get(&(community.level - 1, member.clone())).copied());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_found_by_the_members_where_no_column_says_them() {
        let community = |number, level, members: &[&str]| GraphragCommunity {
            number,
            level,
            parent: None,
            members: members.iter().map(|m| (*m).to_owned()).collect(),
        };
        let mut all = vec![community(0, 0, &["a", "b"]), community(1, 0, &["c"]), community(2, 1, &["b"])];
        find_parents(&mut all);
        assert_eq!(all.iter().map(|c| c.parent).collect::<Vec<_>>(), [None, None, Some(0)]);
    }

    #[test]
    fn a_folder_without_an_index_is_named_with_what_was_wanted() {
        let folder = tempfile::tempdir().expect("a folder");
        let told = format!("{:#}", read(folder.path(), 256).expect_err("nothing there"));
        assert!(told.contains("entities.parquet") && told.contains("output/"), "{told}");
        std::fs::write(folder.path().join("entities.parquet"), b"PAR1 no").expect("written");
        let told = format!("{:#}", read(folder.path(), 256).expect_err("nothing there"));
        assert!(told.contains("text_units.parquet is missing"), "{told}");
        std::fs::write(folder.path().join("text_units.parquet"), b"PAR1 no").expect("written");
        let told = format!("{:#}", read(folder.path(), 256).expect_err("damaged"));
        assert!(told.contains("text_units.parquet is no readable parquet file"), "{told}");
    }
}
