//! The graph as the tables of microsoft/graphrag 3.x, for its own `query`.

use crate::domain::{Community, Id, RecordKind, RecordRef, StoredUnit};
use crate::exchange::folder::{ExportFor, NewFolder};
use crate::exchange::parquet_rows::{ColumnKind, ParquetTable};
use crate::exchange::tables::MANIFEST;
use crate::llm::reply::kind_title;
use crate::private;
use crate::services::Services;
use crate::stores::graph::{GraphReader, VectorKind};
use crate::stores::pages;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

const PAGE: usize = 2000;
/// Numbers that one citation names of a kind.
const MOST_CITED: usize = 5;

type Columns = &'static [(&'static str, ColumnKind)];

const DOCUMENTS: Columns = &[
    ("id", ColumnKind::Text),
    ("human_readable_id", ColumnKind::Whole),
    ("title", ColumnKind::Text),
    ("text", ColumnKind::Text),
    ("text_unit_ids", ColumnKind::Texts),
    ("creation_date", ColumnKind::Text),
    ("raw_data", ColumnKind::Text),
];
const TEXT_UNITS: Columns = &[
    ("id", ColumnKind::Text),
    ("human_readable_id", ColumnKind::Whole),
    ("text", ColumnKind::Text),
    ("n_tokens", ColumnKind::Whole),
    ("document_id", ColumnKind::Text),
    ("entity_ids", ColumnKind::Texts),
    ("relationship_ids", ColumnKind::Texts),
    ("covariate_ids", ColumnKind::Texts),
];
const ENTITIES: Columns = &[
    ("id", ColumnKind::Text),
    ("human_readable_id", ColumnKind::Whole),
    ("title", ColumnKind::Text),
    ("type", ColumnKind::Text),
    ("description", ColumnKind::Text),
    ("text_unit_ids", ColumnKind::Texts),
    ("frequency", ColumnKind::Whole),
    ("degree", ColumnKind::Whole),
];
const RELATIONSHIPS: Columns = &[
    ("id", ColumnKind::Text),
    ("human_readable_id", ColumnKind::Whole),
    ("source", ColumnKind::Text),
    ("target", ColumnKind::Text),
    ("description", ColumnKind::Text),
    ("weight", ColumnKind::Real),
    ("combined_degree", ColumnKind::Whole),
    ("text_unit_ids", ColumnKind::Texts),
];
const COMMUNITIES: Columns = &[
    ("id", ColumnKind::Text),
    ("human_readable_id", ColumnKind::Whole),
    ("community", ColumnKind::Whole),
    ("level", ColumnKind::Whole),
    ("parent", ColumnKind::Whole),
    ("children", ColumnKind::Wholes),
    ("title", ColumnKind::Text),
    ("entity_ids", ColumnKind::Texts),
    ("relationship_ids", ColumnKind::Texts),
    ("text_unit_ids", ColumnKind::Texts),
    ("period", ColumnKind::Text),
    ("size", ColumnKind::Whole),
];
const REPORTS: Columns = &[
    ("id", ColumnKind::Text),
    ("human_readable_id", ColumnKind::Whole),
    ("community", ColumnKind::Whole),
    ("level", ColumnKind::Whole),
    ("parent", ColumnKind::Whole),
    ("children", ColumnKind::Wholes),
    ("title", ColumnKind::Text),
    ("summary", ColumnKind::Text),
    ("full_content", ColumnKind::Text),
    ("rank", ColumnKind::Real),
    ("rating_explanation", ColumnKind::Text),
    ("findings", ColumnKind::Records(&["explanation", "summary"])),
    ("full_content_json", ColumnKind::Text),
    ("period", ColumnKind::Text),
    ("size", ColumnKind::Whole),
];
const COVARIATES: Columns = &[
    ("id", ColumnKind::Text),
    ("human_readable_id", ColumnKind::Whole),
    ("covariate_type", ColumnKind::Text),
    ("type", ColumnKind::Text),
    ("description", ColumnKind::Text),
    ("subject_id", ColumnKind::Text),
    ("object_id", ColumnKind::Text),
    ("status", ColumnKind::Text),
    ("start_date", ColumnKind::Text),
    ("end_date", ColumnKind::Text),
    ("source_text", ColumnKind::Text),
    ("text_unit_id", ColumnKind::Text),
];
const EMBEDDINGS: Columns = &[("id", ColumnKind::Text), ("embedding", ColumnKind::Vector)];

/// Writes `documents.parquet`, `text_units.parquet`, `entities.parquet`, `relationships.parquet`,
/// `communities.parquet`, `community_reports.parquet`, `covariates.parquet` and, where a model made vectors,
/// `embeddings.*.parquet`. Returns the number of rows of each.
///
/// # Errors
/// What the stores say; a folder that cannot be written, or that holds what no export of ours wrote.
pub async fn write(services: &Services, folder: &Path) -> Result<BTreeMap<String, u64>> {
    let new = NewFolder::begin(folder, ExportFor::Graphrag)?;
    let reader = services.graph.snapshot().await?;
    let mut tables = TableFiles { folder: new.path(), rows: BTreeMap::new() };
    let mut numbers = Numbers::default();
    entities(reader.as_ref(), &mut numbers, &mut tables).await?;
    relationships(reader.as_ref(), &mut numbers, &mut tables).await?;
    claims(reader.as_ref(), &mut numbers, &mut tables).await?;
    documents(reader.as_ref(), &mut numbers, &mut tables).await?;
    communities(reader.as_ref(), &mut numbers, &mut tables).await?;
    embeddings(services, reader.as_ref(), &mut tables).await?;
    let rows = tables.rows;
    // tells the next export that the folder is ours
    let manifest = json!({ "written_by": "graphwright", "for": "graphrag", "tables": rows });
    let path = new.path().join(MANIFEST);
    private::write(&path, &format!("{manifest:#}\n"))
        .with_context(|| format!("cannot write {}", path.display()))?;
    new.finish()?;
    Ok(rows)
}

struct TableFiles<'a> {
    folder: &'a Path,
    rows: BTreeMap<String, u64>,
}

impl TableFiles<'_> {
    fn create(&self, name: &str, columns: Columns) -> Result<ParquetTable> {
        ParquetTable::create(&self.folder.join(format!("{name}.parquet")), columns)
    }

    fn end(&mut self, name: &str, table: ParquetTable, rows: usize) -> Result<()> {
        table.end()?;
        self.rows.insert(name.to_owned(), rows as u64);
        Ok(())
    }
}

/// Numbers and titles that the tables refer to each other by.
#[derive(Default)]
struct Numbers {
    entities: HashMap<Id, NumberedEntity>,
    relationships: HashMap<Id, usize>,
    /// Ends of each relationship, sorted by relationship.
    ends: Vec<(Id, Id, Id)>,
    relationships_of_unit: HashMap<Id, Vec<Id>>,
    claims: HashMap<Id, usize>,
    claims_of_unit: HashMap<Id, Vec<Id>>,
    units: HashMap<Id, usize>,
    communities: HashMap<Id, usize>,
}

struct NumberedEntity {
    number: usize,
    title: String,
    degree: u32,
}

impl Numbers {
    fn title(&self, id: &Id) -> &str {
        self.entities.get(id).map_or("", |entity| entity.title.as_str())
    }

    fn number(&self, record: &RecordRef) -> Option<usize> {
        match record.kind {
            RecordKind::Sources => self.units.get(&record.id).copied(),
            RecordKind::Reports => self.communities.get(&record.id).copied(),
            RecordKind::Entities => self.entities.get(&record.id).map(|entity| entity.number),
            RecordKind::Relationships => self.relationships.get(&record.id).copied(),
            RecordKind::Claims => self.claims.get(&record.id).copied(),
            RecordKind::Answers => None,
        }
    }
}

/// Titles are what its relationships name entities by, so each is given once.
async fn entities(
    reader: &dyn GraphReader,
    numbers: &mut Numbers,
    tables: &mut TableFiles<'_>,
) -> Result<()> {
    let mut table = tables.create("entities", ENTITIES)?;
    let mut titles: BTreeSet<String> = BTreeSet::new();
    let mut pages = pages::entities(reader, PAGE);
    while let Some(page) = pages.next().await? {
        let ids: Vec<Id> = page.iter().map(|entity| entity.id.clone()).collect();
        let mut units: HashMap<Id, Vec<Id>> = HashMap::new();
        for mention in reader.mentions_of_entities(&ids, usize::MAX).await? {
            units.entry(mention.entity).or_default().push(mention.text_unit);
        }
        for entity in page {
            let mut title = entity.name.clone();
            if !titles.insert(title.clone()) {
                title = format!("{} ({})", entity.name, entity.id);
                titles.insert(title.clone());
            }
            let number = numbers.entities.len();
            let mut units = units.remove(&entity.id).unwrap_or_default();
            units.sort();
            table.push(&json!({
                "id": entity.id, "human_readable_id": number, "title": title, "type": entity.kind,
                "description": entity.description, "frequency": units.len(), "text_unit_ids": units,
                "degree": entity.degree,
            }))?;
            numbers.entities.insert(entity.id, NumberedEntity { number, title, degree: entity.degree });
        }
    }
    tables.end("entities", table, numbers.entities.len())
}

async fn relationships(
    reader: &dyn GraphReader,
    numbers: &mut Numbers,
    tables: &mut TableFiles<'_>,
) -> Result<()> {
    let mut table = tables.create("relationships", RELATIONSHIPS)?;
    let mut pages = pages::relationships(reader, PAGE);
    while let Some(page) = pages.next().await? {
        let ids: Vec<Id> = page.iter().map(|relationship| relationship.id.clone()).collect();
        let mut units: BTreeMap<Id, Vec<Id>> =
            reader.units_of_relationships(&ids, usize::MAX).await?.into_iter().collect();
        for relationship in page {
            let units = units.remove(&relationship.id).unwrap_or_default();
            let degree = |id: &Id| numbers.entities.get(id).map_or(0, |entity| entity.degree);
            let number = numbers.relationships.len();
            table.push(&json!({
                "id": relationship.id, "human_readable_id": number,
                "source": numbers.title(&relationship.source), "target": numbers.title(&relationship.target),
                "description": relationship.description, "weight": f64::from(relationship.strength),
                "combined_degree": degree(&relationship.source) + degree(&relationship.target),
                "text_unit_ids": units,
            }))?;
            for unit in units {
                numbers.relationships_of_unit.entry(unit).or_default().push(relationship.id.clone());
            }
            numbers.relationships.insert(relationship.id.clone(), number);
            numbers.ends.push((relationship.id, relationship.source, relationship.target));
        }
    }
    tables.end("relationships", table, numbers.relationships.len())
}

async fn claims(reader: &dyn GraphReader, numbers: &mut Numbers, tables: &mut TableFiles<'_>) -> Result<()> {
    let mut table = tables.create("covariates", COVARIATES)?;
    let mut pages = pages::claims(reader, PAGE);
    while let Some(page) = pages.next().await? {
        for claim in page {
            let number = numbers.claims.len();
            table.push(&json!({
                "id": claim.id, "human_readable_id": number, "covariate_type": "claim", "type": claim.kind,
                "description": claim.description, "subject_id": numbers.title(&claim.subject),
                "object_id": claim.object.as_ref().map_or("NONE", |object| numbers.title(object)),
                "status": claim.status.as_str(), "start_date": claim.start_date, "end_date": claim.end_date,
                "source_text": claim.source_text, "text_unit_id": claim.text_unit,
            }))?;
            numbers.claims_of_unit.entry(claim.text_unit).or_default().push(claim.id.clone());
            numbers.claims.insert(claim.id, number);
        }
    }
    tables.end("covariates", table, numbers.claims.len())
}

async fn documents(
    reader: &dyn GraphReader,
    numbers: &mut Numbers,
    tables: &mut TableFiles<'_>,
) -> Result<()> {
    let mut table = tables.create("documents", DOCUMENTS)?;
    let mut unit_table = tables.create("text_units", TEXT_UNITS)?;
    let mut count = 0;
    let mut pages = pages::documents(reader, PAGE);
    while let Some(page) = pages.next().await? {
        for document in page {
            let units = reader.text_units_of(&document.id).await?;
            let ids: Vec<&Id> = units.iter().map(|unit| &unit.unit.id).collect();
            table.push(&json!({
                "id": document.id, "human_readable_id": count, "title": document.key, "text_unit_ids": ids,
                "text": crate::index::text_units::joined(&units), "creation_date": "", "raw_data": null,
            }))?;
            count += 1;
            text_units(reader, &units, numbers, &mut unit_table).await?;
        }
    }
    tables.end("documents", table, count)?;
    tables.end("text_units", unit_table, numbers.units.len())
}

async fn text_units(
    reader: &dyn GraphReader,
    units: &[StoredUnit],
    numbers: &mut Numbers,
    table: &mut ParquetTable,
) -> Result<()> {
    for batch in units.chunks(PAGE) {
        let ids: Vec<Id> = batch.iter().map(|unit| unit.unit.id.clone()).collect();
        let mut entities: HashMap<Id, Vec<Id>> = HashMap::new();
        for mention in reader.mentions_in_units(&ids).await? {
            entities.entry(mention.text_unit).or_default().push(mention.entity);
        }
        for unit in batch.iter().map(|unit| &unit.unit) {
            let number = numbers.units.len();
            table.push(&json!({
                "id": unit.id, "human_readable_id": number, "text": unit.text, "n_tokens": unit.token_count,
                "document_id": unit.document_id, "entity_ids": entities.remove(&unit.id).unwrap_or_default(),
                "relationship_ids": numbers.relationships_of_unit.get(&unit.id).cloned().unwrap_or_default(),
                "covariate_ids": numbers.claims_of_unit.get(&unit.id).cloned().unwrap_or_default(),
            }))?;
            numbers.units.insert(unit.id.clone(), number);
        }
    }
    Ok(())
}

async fn communities(
    reader: &dyn GraphReader,
    numbers: &mut Numbers,
    tables: &mut TableFiles<'_>,
) -> Result<()> {
    let mut all: Vec<Community> = reader.communities(reader.state().await?.generation).await?;
    all.sort_by(|a, b| (a.level, &a.id).cmp(&(b.level, &b.id)));
    numbers.communities = all.iter().enumerate().map(|(number, c)| (c.id.clone(), number)).collect();
    let mut children: HashMap<&Id, Vec<usize>> = HashMap::new();
    for (number, community) in all.iter().enumerate() {
        if let Some(parent) = &community.parent {
            children.entry(parent).or_default().push(number);
        }
    }
    let mut table = tables.create("communities", COMMUNITIES)?;
    let mut report_table = tables.create("community_reports", REPORTS)?;
    let units = units_of(numbers);
    let inside = relationships_inside(&all, numbers);
    for (number, community) in all.iter().enumerate() {
        let parent = community.parent.as_ref().and_then(|parent| numbers.communities.get(parent));
        let parent = parent.and_then(|parent| i64::try_from(*parent).ok()).unwrap_or(-1);
        let children = children.get(&community.id).cloned().unwrap_or_default();
        let relationships = inside.get(number).map_or(&[][..], Vec::as_slice);
        let text_units: BTreeSet<&Id> =
            relationships.iter().filter_map(|id| units.get(id)).flatten().copied().collect();
        table.push(&json!({
            "id": community.id, "human_readable_id": number, "community": number, "level": community.level,
            "parent": parent, "children": children, "title": format!("Community {number}"),
            "entity_ids": community.members, "relationship_ids": relationships, "text_unit_ids": text_units,
            "period": community.period, "size": community.members.len(),
        }))?;
        report_table.push(&report(community, number, parent, &children, numbers))?;
    }
    tables.end("communities", table, all.len())?;
    tables.end("community_reports", report_table, all.len())
}

/// Text units of every relationship.
fn units_of(numbers: &Numbers) -> HashMap<&Id, Vec<&Id>> {
    let mut units: HashMap<&Id, Vec<&Id>> = HashMap::new();
    for (unit, relationships) in &numbers.relationships_of_unit {
        for relationship in relationships {
            units.entry(relationship).or_default().push(unit);
        }
    }
    units
}

/// Relationships inside each community.
fn relationships_inside(all: &[Community], numbers: &Numbers) -> Vec<Vec<Id>> {
    let mut of_entity: HashMap<&Id, Vec<usize>> = HashMap::new();
    for (number, community) in all.iter().enumerate() {
        for member in &community.members {
            of_entity.entry(member).or_default().push(number);
        }
    }
    let mut inside: Vec<Vec<Id>> = vec![Vec::new(); all.len()];
    for (relationship, source, target) in &numbers.ends {
        let (Some(one), Some(other)) = (of_entity.get(source), of_entity.get(target)) else { continue };
        for number in one.iter().filter(|number| other.contains(number)) {
            if let Some(list) = inside.get_mut(*number) {
                list.push(relationship.clone());
            }
        }
    }
    inside
}

fn report(community: &Community, number: usize, parent: i64, children: &[usize], numbers: &Numbers) -> Value {
    let mut report = community.report.clone();
    for finding in &mut report.findings {
        finding.explanation.push_str(&cited(&finding.citations, numbers));
    }
    let findings: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| json!({"explanation": finding.explanation, "summary": finding.summary}))
        .collect();
    let whole = json!({
        "title": report.title, "summary": report.summary, "findings": findings, "rating": report.rank,
        "rating_explanation": report.rank_explanation,
    });
    json!({
        "id": community.id, "human_readable_id": number, "community": number, "level": community.level,
        "parent": parent, "children": children, "title": report.title, "summary": report.summary,
        "full_content": report.full_content(), "rank": report.rank,
        "rating_explanation": report.rank_explanation, "findings": findings,
        "full_content_json": whole.to_string(), "period": community.period, "size": community.members.len(),
    })
}

/// References as its citations, by the numbers of these tables.
fn cited(records: &[RecordRef], numbers: &Numbers) -> String {
    let mut of_kind: BTreeMap<RecordKind, Vec<usize>> = BTreeMap::new();
    for record in records {
        if let Some(number) = numbers.number(record) {
            of_kind.entry(record.kind).or_default().push(number);
        }
    }
    let groups: Vec<String> = of_kind
        .into_iter()
        .map(|(kind, mut numbers)| {
            numbers.sort_unstable();
            let more = if numbers.len() > MOST_CITED { ", +more" } else { "" };
            let shown: Vec<String> = numbers.iter().take(MOST_CITED).map(ToString::to_string).collect();
            format!("{} ({}{more})", kind_title(kind), shown.join(", "))
        })
        .collect();
    if groups.is_empty() { String::new() } else { format!(" [Data: {}]", groups.join("; ")) }
}

async fn embeddings(
    services: &Services,
    reader: &dyn GraphReader,
    tables: &mut TableFiles<'_>,
) -> Result<()> {
    if services.embedding.is_none() {
        return Ok(());
    }
    for kind in VectorKind::ALL {
        let name = match kind {
            VectorKind::Entities => "embeddings.entity_description",
            VectorKind::TextUnits => "embeddings.text_unit_text",
            VectorKind::Reports => "embeddings.community_full_content",
            VectorKind::Summaries | VectorKind::Questions => continue,
        };
        let mut table = tables.create(name, EMBEDDINGS)?;
        let mut rows = 0;
        let mut pages = pages::vector_ids(services.vectors.as_ref(), kind, PAGE / 4);
        while let Some(ids) = pages.next().await? {
            let ids = crate::exchange::export::nodes_among(reader, kind, &ids).await?;
            let mut dense = services.vectors.dense_of(kind, &ids).await?;
            dense.sort_by(|a, b| a.0.cmp(&b.0));
            for (id, embedding) in &dense {
                table.push(&json!({"id": id, "embedding": embedding}))?;
                rows += 1;
            }
        }
        tables.end(name, table, rows)?;
    }
    Ok(())
}
