//! What is stored, read for the API and for tools: documents and their text, entities, relationships, claims, communities.

use super::app::App;
use super::asking::{names_of, sentence_of};
use super::problem::{Outcome, Problem, ProblemType};
use super::shapes::{
    ClaimShape, CommunityRow, CommunityShape, ContentsShape, DocumentName, DocumentShape, End, EntityRow,
    EntityShape, FindingShape, HeadingShape, Listing, MentionedShape, PlaceShape, RelationshipShape,
    Sentence, TextShape, UnitShape, UnitSpan,
};
use super::summaries;
use super::workspaces::{ListedEntity, Workspace, flat};
use crate::domain::{
    Claim, Community, Document, DocumentStatus, Entity, Id, LocatorMark, RecordKind, RecordRef, Relationship,
    StoredUnit, kind_class, name_key,
};
use crate::index::documents::headings_of;
use crate::index::text_units;
use crate::query;
use std::collections::{BTreeMap, BTreeSet};

/// Rows of a page at most.
pub(crate) const MOST_ROWS: usize = 500;
/// Rows of a page where nothing is said.
pub(crate) const ROWS: usize = 50;
/// Characters of a document's text at once.
pub(crate) const CHARACTERS: u64 = 200_000;
/// Keys that are named to whoever asks for one that is none, and pages of documents that they are looked for in.
const NEAR: usize = 5;
/// White space between the text units of a document, in characters, that is written out.
const LONGEST_SPACE: usize = 1_000_000;
const NEAR_PAGES: usize = 10;
/// Documents read at once.
const PAGE: usize = 500;
/// Members of a community that are named.
const MEMBERS: usize = 200;
/// Relationships shown with an entity.
pub(crate) const RELATIONSHIPS: usize = 20;
/// Entities named with a document.
const MENTIONED: usize = 500;
/// Sentences shown with an entity.
const SENTENCES: usize = 8;

/// How many rows a caller wants.
pub(crate) fn rows(limit: Option<usize>) -> Outcome<usize> {
    match limit {
        None => Ok(ROWS),
        Some(limit @ 1..=MOST_ROWS) => Ok(limit),
        Some(limit) => Err(Problem::new(
            ProblemType::InvalidRequest,
            format!("limit is {limit}; it must be from 1 to {MOST_ROWS}"),
        )),
    }
}

/// Whether a text has the form of an id.
pub(crate) fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A document as it is shown, with how far it has come.
pub(crate) fn document_shape(document: Document, status: Option<&DocumentStatus>) -> DocumentShape {
    let (state, error) = match status {
        Some(status) if status.failed > 0 => ("failed", status.error.clone()),
        Some(status) if status.extracted < status.text_units => ("pending", None),
        _ => ("done", None),
    };
    DocumentShape {
        id: document.id.to_string(),
        key: document.key,
        title: document.title,
        characters: document.character_count,
        text_units: u64::from(document.text_unit_count),
        state: state.to_owned(),
        error,
        indexed_at: None,
        date: document.date.as_ref().map(ToString::to_string),
        metadata: document.metadata,
    }
}

/// Says when the text of each document came in.
pub(crate) async fn with_times(workspace: &Workspace, documents: &mut [DocumentShape]) -> Outcome<()> {
    let ids: Vec<Id> = documents.iter().map(|document| Id::from_stored(document.id.as_str())).collect();
    let times = workspace.services.graph.documents_indexed_at(&ids).await?;
    let mut times: BTreeMap<String, String> =
        times.into_iter().map(|(id, time)| (id.to_string(), time)).collect();
    for document in documents {
        document.indexed_at = times.remove(&document.id);
    }
    Ok(())
}

/// A document by id or key.
pub(crate) async fn find_document(workspace: &Workspace, key_or_id: &str) -> Outcome<Document> {
    let services = &workspace.services;
    let mut ids = vec![services.ids.document(key_or_id)];
    if is_id(key_or_id) {
        ids.insert(0, Id::from_stored(key_or_id));
    }
    let mut found = services.graph.documents_by_id(&ids).await?;
    if let Some(found) = found.pop() {
        return Ok(found);
    }
    Err(Problem::not_found(if is_id(key_or_id) {
        format!("no document has the id {key_or_id:?}; it may have been removed")
    } else {
        let like = keys_like(workspace, key_or_id).await?;
        let told = if like.is_empty() { String::new() } else { format!("; there are: {}", like.join(", ")) };
        format!("no document has the key {key_or_id:?}{told}")
    }))
}

/// Keys that hold what was asked for, or at least its last part; of the first few thousand documents.
async fn keys_like(workspace: &Workspace, asked: &str) -> Outcome<Vec<String>> {
    let (asked, mut after) = (flat(asked), None::<String>);
    let last = asked.rsplit('/').next().unwrap_or_default().to_owned();
    let mut like: Vec<(bool, String)> = Vec::new();
    for _ in 0..NEAR_PAGES {
        let page = workspace.services.graph.documents(after.as_deref(), PAGE).await?;
        let is_last = page.len() < PAGE;
        after = page.last().map(|document| document.key.clone());
        for document in page {
            let key = flat(&document.key);
            if !last.is_empty() && key.contains(&last) {
                like.push((!key.contains(&asked), document.key));
            }
        }
        if is_last {
            break;
        }
    }
    like.sort();
    Ok(like.into_iter().map(|(_, key)| key).take(NEAR).collect())
}

/// A document by id or key, with how far it has come.
pub(crate) async fn document_with_state(workspace: &Workspace, key_or_id: &str) -> Outcome<DocumentShape> {
    let document = find_document(workspace, key_or_id).await?;
    let units = workspace.services.graph.text_units_of(&document.id).await?;
    let count =
        |wanted: &dyn Fn(&StoredUnit) -> bool| units.iter().filter(|unit| wanted(unit)).count() as u64;
    let status = DocumentStatus {
        key: document.key.clone(),
        title: document.title.clone(),
        text_units: units.len() as u64,
        extracted: count(&|unit| unit.state.extraction.is_some() && unit.state.error.is_none()),
        failed: count(&|unit| unit.state.error.is_some()),
        error: units.iter().find_map(|unit| unit.state.error.clone()),
        records_lost: 0,
        records_pruned: 0,
        records_gleaned: 0,
    };
    let mut shape = document_shape(document, Some(&status));
    with_times(workspace, std::slice::from_mut(&mut shape)).await?;
    Ok(shape)
}

fn name_of(document: &Document) -> DocumentName {
    DocumentName { id: document.id.to_string(), key: document.key.clone(), title: document.title.clone() }
}

fn span_of(unit: &StoredUnit) -> UnitSpan {
    UnitSpan {
        id: unit.unit.id.to_string(),
        index: unit.unit.index,
        start: unit.unit.start_offset,
        end: unit.unit.end_offset,
        headings: unit.unit.headings.clone(),
        places: places_of(unit),
    }
}

fn places_of(unit: &StoredUnit) -> Vec<PlaceShape> {
    let place = |mark: &LocatorMark| PlaceShape { label: mark.locator.to_string(), start: mark.offset };
    unit.unit.locators.iter().map(place).collect()
}

/// A document's headings, places, entities, summaries and facts.
pub(crate) async fn contents(workspace: &Workspace, key_or_id: &str) -> Outcome<ContentsShape> {
    let document = find_document(workspace, key_or_id).await?;
    let reader = workspace.services.graph.as_ref();
    let mut units = reader.text_units_of(&document.id).await?;
    units.sort_by_key(|unit| (unit.unit.start_offset, unit.unit.index));
    let mut places: Vec<PlaceShape> = Vec::new();
    for unit in &units {
        for place in places_of(unit) {
            if places.last().is_none_or(|last| last.label != place.label) {
                places.push(place);
            }
        }
    }
    let ids: Vec<Id> = units.iter().map(|unit| unit.unit.id.clone()).collect();
    let mut counts: BTreeMap<Id, BTreeSet<Id>> = BTreeMap::new();
    for some in ids.chunks(PAGE) {
        for mention in reader.mentions_in_units(some).await? {
            counts.entry(mention.entity).or_default().insert(mention.text_unit);
        }
    }
    let mut ranked: Vec<(usize, Id)> = counts.into_iter().map(|(id, units)| (units.len(), id)).collect();
    ranked.sort_by(|a, b| (b.0, &a.1).cmp(&(a.0, &b.1)));
    ranked.truncate(MENTIONED);
    let wanted: Vec<Id> = ranked.iter().map(|(_, id)| id.clone()).collect();
    let mut known: BTreeMap<Id, Entity> =
        reader.entities_by_id(&wanted).await?.into_iter().map(|entity| (entity.id.clone(), entity)).collect();
    let entities = ranked.into_iter().filter_map(|(count, id)| {
        let entity = known.remove(&id)?;
        Some(MentionedShape {
            id: entity.id.to_string(),
            name: entity.name,
            kind: entity.kind,
            aliases: entity.aliases,
            text_units: count,
        })
    });
    let facts = reader.facts_of(std::slice::from_ref(&document.id)).await?;
    let facts = facts.into_iter().flat_map(|facts| facts.chunks).flat_map(|chunk| chunk.facts);
    Ok(ContentsShape {
        document: name_of(&document),
        headings: outline(&document.key, &units),
        places,
        entities: entities.collect(),
        summaries: summaries::of(workspace, &document.id, &units).await?,
        facts: facts.map(|fact| fact.text).take(MOST_ROWS).collect(),
    })
}

/// The text of some units from `from` to `to`: units overlap by whole sentences, and what lies between two is white space. Of
/// all that space so much is written as a document may have; beyond it whoever edited the units has moved them.
pub(crate) fn joined(units: &[StoredUnit], from: u64, to: u64) -> String {
    let mut text = String::new();
    let mut at = from;
    let mut space = LONGEST_SPACE;
    for unit in units.iter().map(|unit| &unit.unit).filter(|unit| unit.end_offset > from) {
        while at < unit.start_offset.min(to) && space > 0 {
            text.push('\n');
            at += 1;
            space -= 1;
        }
        at = at.max(unit.start_offset);
        if at >= to {
            break;
        }
        let skipped = usize::try_from(at.saturating_sub(unit.start_offset)).unwrap_or(usize::MAX);
        let wanted = usize::try_from(to - at).unwrap_or(usize::MAX);
        for character in unit.text.chars().skip(skipped).take(wanted) {
            text.push(character);
            at += 1;
        }
    }
    text
}

/// All headings of a document, each where it stands: those stored with its text units; of units that an older version cut, as
/// their text shows them, or else the paths that they begin under.
fn outline(key: &str, units: &[StoredUnit]) -> Vec<HeadingShape> {
    let total = units.iter().map(|unit| unit.unit.end_offset).max().unwrap_or(0);
    let stored = text_units::headings_of(units);
    let Some(found) = stored.or_else(|| headings_of(key, &joined(units, 0, total))) else {
        return outline_of_units(units);
    };
    let mut open: Vec<u8> = Vec::new();
    let mut headings = Vec::new();
    for heading in found {
        while open.last().is_some_and(|level| *level >= heading.level) {
            open.pop();
        }
        headings.push(HeadingShape { depth: open.len(), text: heading.title, start: heading.offset });
        open.push(heading.level);
    }
    headings
}

fn outline_of_units(units: &[StoredUnit]) -> Vec<HeadingShape> {
    let (mut headings, mut path): (Vec<HeadingShape>, &[String]) = (Vec::new(), &[]);
    for unit in units {
        let known = path.iter().zip(&unit.unit.headings).take_while(|(old, new)| old == new).count();
        for (depth, text) in unit.unit.headings.iter().enumerate().skip(known) {
            headings.push(HeadingShape { depth, text: text.clone(), start: unit.unit.start_offset });
        }
        path = &unit.unit.headings;
    }
    headings
}

/// The headings that a piece of a text stands under, and those in it.
fn headings_in(outline: Vec<HeadingShape>, from: u64, to: u64) -> Vec<HeadingShape> {
    let mut above: Vec<HeadingShape> = Vec::new();
    let mut inside = Vec::new();
    for heading in outline.into_iter().filter(|heading| heading.start < to) {
        if heading.start >= from {
            inside.push(heading);
        } else {
            above.truncate(heading.depth);
            above.push(heading);
        }
    }
    above.append(&mut inside);
    above
}

/// A document's text from `from` on, at most up to `to`.
pub(crate) async fn text(
    workspace: &Workspace,
    key_or_id: &str,
    from: Option<u64>,
    to: Option<u64>,
) -> Outcome<TextShape> {
    let document = find_document(workspace, key_or_id).await?;
    let mut units = workspace.services.graph.text_units_of(&document.id).await?;
    units.sort_by_key(|unit| (unit.unit.start_offset, unit.unit.index));
    let total = units.iter().map(|unit| unit.unit.end_offset).max().unwrap_or(0);
    let from = from.unwrap_or(0).min(total);
    let to = to.unwrap_or(total).min(total).min(from.saturating_add(CHARACTERS));
    if from > to {
        return Err(Problem::invalid(format!("from is {from} and to is {to}; from must not be greater")));
    }
    let text = joined(&units, from, to);
    let headings = headings_in(outline(&document.key, &units), from, to);
    let text_units = units
        .iter()
        .filter(|unit| unit.unit.end_offset > from && unit.unit.start_offset < to)
        .map(span_of)
        .collect();
    Ok(TextShape {
        document: name_of(&document),
        from,
        to,
        total,
        text,
        next: (to < total).then_some(to),
        headings,
        text_units,
    })
}

/// A text unit.
pub(crate) async fn unit(workspace: &Workspace, id: &str) -> Outcome<UnitShape> {
    let reader = workspace.services.graph.as_ref();
    let id = Id::from_stored(id);
    let found = reader.passages_by_id(std::slice::from_ref(&id)).await?.pop();
    let found = found.ok_or_else(|| Problem::not_found(format!("no text unit has the id {id}")))?;
    let mentions = reader.mentions_in_units(std::slice::from_ref(&id)).await?;
    Ok(UnitShape {
        span: span_of(&found),
        document: DocumentName {
            id: found.unit.document_id.to_string(),
            key: found.document_key,
            title: found.document_title,
        },
        text: found.unit.text,
        entities: mentions.into_iter().map(|mention| mention.entity.to_string()).collect(),
    })
}

pub(crate) fn row_of(listed: &ListedEntity) -> EntityRow {
    EntityRow {
        id: listed.id.to_string(),
        name: listed.name.clone(),
        kind: listed.kind.clone(),
        text_units: listed.text_units,
        degree: listed.degree,
    }
}

/// How well a name fits what is looked for: whole, at its beginning, at the beginning of a word, anywhere.
fn fit(listed: &ListedEntity, wanted: &str) -> Option<u8> {
    listed
        .flat
        .iter()
        .filter_map(|name| {
            if name == wanted {
                Some(0)
            } else if name.starts_with(wanted) {
                Some(1)
            } else if name.contains(&format!(" {wanted}")) {
                Some(2)
            } else {
                name.contains(wanted).then_some(3)
            }
        })
        .min()
}

/// Entities, those of most text units first; with `q` those whose names hold it, the best fit first.
pub(crate) async fn entities(
    workspace: &Workspace,
    q: Option<&str>,
    kind: Option<&str>,
    after: Option<&str>,
    limit: usize,
) -> Outcome<Listing<EntityRow>> {
    let list = workspace.entities().await?;
    let wanted = q.map(flat).filter(|q| !q.is_empty());
    let kind = kind.map(kind_class).filter(|kind| !kind.is_empty());
    let begin: usize = match after {
        None => 0,
        Some(after) => after.parse().map_err(|_error| {
            Problem::invalid(format!("after is {after:?}; give what \"next\" of the page before says"))
        })?,
    };
    let of_kind =
        list.iter().filter(|listed| kind.as_ref().is_none_or(|kind| kind_class(&listed.kind) == *kind));
    let mut found: Vec<(u8, &ListedEntity)> = match &wanted {
        None => of_kind.map(|listed| (0, listed)).collect(),
        Some(wanted) => of_kind.filter_map(|listed| Some((fit(listed, wanted)?, listed))).collect(),
    };
    // what fits alike stays in the order of the list
    found.sort_by_key(|(fit, _)| *fit);
    let items: Vec<EntityRow> =
        found.iter().skip(begin).take(limit).map(|(_, listed)| row_of(listed)).collect();
    let end = begin + items.len();
    Ok(Listing { next: (end < found.len()).then(|| end.to_string()), items })
}

/// An entity by id or by any of its names.
pub(crate) async fn entity(workspace: &Workspace, name_or_id: &str) -> Outcome<Entity> {
    let services = &workspace.services;
    if is_id(name_or_id)
        && let Some(found) = services.graph.entities_by_id(&[Id::from_stored(name_or_id)]).await?.pop()
    {
        return Ok(found);
    }
    let given = name_key(name_or_id);
    let table = services.graph.resolution_of(std::slice::from_ref(&given)).await?;
    let key = table.get(&given).cloned().unwrap_or(given);
    if let Some(found) = services.graph.entities_by_id(&[services.ids.entity(&key)]).await?.pop() {
        return Ok(found);
    }
    let like = entities(workspace, Some(name_or_id), None, None, 5).await?;
    let like: Vec<String> = like.items.into_iter().map(|row| row.name).collect();
    Err(Problem::not_found(if like.is_empty() {
        format!("no entity is named {name_or_id:?}, and no name holds it; look for a part of it")
    } else {
        format!("no entity is named {name_or_id:?}; there are: {}", like.join(", "))
    }))
}

/// The names of entities, by id.
pub(crate) async fn entity_names(workspace: &Workspace, ids: &[Id]) -> Outcome<BTreeMap<Id, String>> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let found = workspace.services.graph.entities_by_id(ids).await?;
    Ok(found.into_iter().map(|entity| (entity.id, entity.name)).collect())
}

/// An end with its name.
fn end(names: &BTreeMap<Id, String>, id: &Id) -> End {
    End { id: id.to_string(), name: names.get(id).cloned().unwrap_or_default() }
}

/// Sentences that say records, in their order; nothing for those without any.
async fn proofs(
    app: &App,
    workspace: &Workspace,
    records: &[(RecordKind, Id, String)],
) -> Outcome<Vec<Option<Sentence>>> {
    let found = query::sentences_behind(&workspace.services, records).await?;
    let names = names_of(workspace, found.iter().flatten()).await?;
    Ok(found
        .iter()
        .map(|sentence| sentence.as_ref().map(|sentence| sentence_of(app, workspace, &names, sentence)))
        .collect())
}

/// Relationships with the names of their ends and, where wanted, the sentence behind each.
pub(crate) async fn relationship_shapes(
    app: &App,
    workspace: &Workspace,
    relationships: Vec<Relationship>,
    with_sentences: bool,
) -> Outcome<Vec<RelationshipShape>> {
    let ids: BTreeSet<Id> =
        relationships.iter().flat_map(|found| [found.source.clone(), found.target.clone()]).collect();
    let names = entity_names(workspace, &ids.into_iter().collect::<Vec<_>>()).await?;
    let mut sentences = if with_sentences {
        let records: Vec<(RecordKind, Id, String)> = relationships
            .iter()
            .map(|found| (RecordKind::Relationships, found.id.clone(), found.description.clone()))
            .collect();
        proofs(app, workspace, &records).await?.into_iter()
    } else {
        Vec::new().into_iter()
    };
    Ok(relationships
        .into_iter()
        .map(|found| RelationshipShape {
            source: end(&names, &found.source),
            target: end(&names, &found.target),
            kind: found.kinds(),
            id: found.id.to_string(),
            description: found.description,
            weight: found.weight,
            text_units: found.text_unit_count,
            sentence: sentences.next().flatten(),
        })
        .collect())
}

/// What of an entity is wanted beside itself.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one a part")]
pub(crate) struct EntityParts {
    pub(crate) relationships: bool,
    pub(crate) sentences: bool,
    pub(crate) claims: bool,
    pub(crate) communities: bool,
}

impl EntityParts {
    /// All of them.
    pub(crate) const ALL: Self =
        Self { relationships: true, sentences: true, claims: true, communities: true };
}

/// An entity with what it rests on.
pub(crate) async fn entity_shape(
    app: &App,
    workspace: &Workspace,
    entity: Entity,
    parts: EntityParts,
) -> Outcome<EntityShape> {
    let reader = workspace.services.graph.as_ref();
    let id = entity.id.clone();
    let of = std::slice::from_ref(&id);
    let relationships = if parts.relationships {
        let found = reader.relationships_of(of, RELATIONSHIPS).await?;
        relationship_shapes(app, workspace, found, false).await?
    } else {
        Vec::new()
    };
    let sentences =
        if parts.sentences { mentions(app, workspace, &entity, SENTENCES).await? } else { Vec::new() };
    let claims =
        if parts.claims { claim_shapes(workspace, reader.claims_of(of).await?).await? } else { Vec::new() };
    let communities = if parts.communities {
        let generation = workspace.generation().await?;
        let found = reader.communities_of(of, generation).await?;
        found.into_iter().map(|(_, community)| community.to_string()).collect()
    } else {
        Vec::new()
    };
    Ok(EntityShape {
        id: id.to_string(),
        name: entity.name,
        kind: entity.kind,
        description: entity.description,
        aliases: entity.aliases,
        text_units: entity.text_unit_count,
        degree: entity.degree,
        relationships,
        sentences,
        claims,
        communities,
    })
}

/// Sentences that name an entity: one a text unit, those that say most of it first, then in the order of the text.
pub(crate) async fn mentions(
    app: &App,
    workspace: &Workspace,
    entity: &Entity,
    limit: usize,
) -> Outcome<Vec<Sentence>> {
    let reader = workspace.services.graph.as_ref();
    let edges = reader.mentions_of_entities(std::slice::from_ref(&entity.id), limit).await?;
    let units: Vec<Id> = edges.into_iter().map(|edge| edge.text_unit).collect();
    let mut found = query::sentences_naming(&workspace.services, entity, &units).await?;
    found.sort_by(|a, b| (&a.document, a.start).cmp(&(&b.document, b.start)));
    let names = names_of(workspace, found.iter()).await?;
    Ok(found.iter().map(|sentence| sentence_of(app, workspace, &names, sentence)).collect())
}

/// Claims with the names of whom they are about.
pub(crate) async fn claim_shapes(workspace: &Workspace, claims: Vec<Claim>) -> Outcome<Vec<ClaimShape>> {
    let ids: BTreeSet<Id> = claims
        .iter()
        .flat_map(|claim| std::iter::once(&claim.subject).chain(&claim.object))
        .cloned()
        .collect();
    let names = entity_names(workspace, &ids.into_iter().collect::<Vec<_>>()).await?;
    Ok(claims
        .into_iter()
        .map(|claim| ClaimShape {
            id: claim.id.to_string(),
            subject: end(&names, &claim.subject),
            object: claim.object.as_ref().map(|object| end(&names, object)),
            kind: claim.kind,
            status: claim.status.as_str().to_lowercase(),
            description: claim.description,
            start_date: claim.start_date,
            end_date: claim.end_date,
            source_text: claim.source_text,
            holder: claim.holder,
            text_unit: claim.text_unit.to_string(),
        })
        .collect())
}

fn community_row(community: &Community) -> CommunityRow {
    CommunityRow {
        id: community.id.to_string(),
        level: community.level,
        parent: community.parent.as_ref().map(ToString::to_string),
        title: community.report.title.clone(),
        size: community.members.len(),
        rank: community.report.rank,
    }
}

/// Communities of the present generation, of a level or of all, the largest first within a level.
pub(crate) async fn communities(
    workspace: &Workspace,
    level: Option<u32>,
    after: Option<&str>,
    limit: usize,
) -> Outcome<Listing<CommunityRow>> {
    let begin: usize = match after {
        None => 0,
        Some(after) => after.parse().map_err(|_error| {
            Problem::invalid(format!("after is {after:?}; give what \"next\" of the page before says"))
        })?,
    };
    let mark = workspace.mark().await?;
    let all = workspace.communities.get(mark, all_communities(workspace, mark.generation)).await?;
    let found: Vec<&CommunityRow> =
        all.iter().filter(|row| level.is_none_or(|level| row.level == level)).collect();
    let items: Vec<CommunityRow> = found.iter().skip(begin).take(limit).map(|row| (*row).clone()).collect();
    let end = begin + items.len();
    Ok(Listing { next: (end < found.len()).then(|| end.to_string()), items })
}

async fn all_communities(workspace: &Workspace, generation: u64) -> Outcome<Vec<CommunityRow>> {
    let mut found = workspace.services.graph.community_outlines(generation).await?;
    found.sort_by(|a, b| (a.level, b.members.len(), &a.id).cmp(&(b.level, a.members.len(), &b.id)));
    Ok(found.iter().map(community_row).collect())
}

/// A community with its report, each finding with the sentences that it rests on.
pub(crate) async fn community(app: &App, workspace: &Workspace, id: &str) -> Outcome<CommunityShape> {
    let reader = workspace.services.graph.as_ref();
    let found = reader.communities_by_id(&[Id::from_stored(id)]).await?.pop();
    let found = found
        .ok_or_else(|| Problem::not_found(format!("no community of this generation has the id {id}")))?;
    let row = community_row(&found);
    let mut findings = Vec::new();
    for finding in &found.report.findings {
        let records: Vec<(RecordKind, Id, String)> = finding
            .citations
            .iter()
            .take(5)
            .map(|RecordRef { kind, id }| (*kind, id.clone(), finding.summary.clone()))
            .collect();
        let mut sentences: Vec<Sentence> = Vec::new();
        for sentence in proofs(app, workspace, &records).await?.into_iter().flatten() {
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
        findings.push(FindingShape {
            summary: finding.summary.clone(),
            explanation: finding.explanation.clone(),
            sentences,
        });
    }
    let mut members = reader.entities_by_id(&found.members).await?;
    members.sort_by(|a, b| (b.degree, &a.name).cmp(&(a.degree, &b.name)));
    Ok(CommunityShape {
        row,
        summary: found.report.summary,
        rank_explanation: found.report.rank_explanation,
        findings,
        composed: found.report.composed,
        members: members
            .into_iter()
            .take(MEMBERS)
            .map(|member| End { id: member.id.to_string(), name: member.name })
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::TextUnit;

    fn unit(index: u32, start: u64, text: &str) -> StoredUnit {
        StoredUnit {
            unit: TextUnit {
                id: Id::from_stored(index.to_string()),
                document_id: Id::from_stored("d"),
                index,
                text: text.to_owned(),
                token_count: 1,
                start_offset: start,
                end_offset: start + text.chars().count() as u64,
                headings: Vec::new(),
                sections: None,
                locators: Vec::new(),
                header: String::new(),
                period: None,
            },
            document_key: "d".into(),
            document_title: "d".into(),
            document_date: None,
            state: crate::domain::UnitState::default(),
        }
    }

    #[test]
    fn units_that_overlap_give_the_text_once() {
        let units = [unit(0, 0, "Eins 𠮷. Zwei. "), unit(1, 8, "Zwei. Drei é."), unit(2, 23, "Vier.")];
        let whole = "Eins 𠮷. Zwei. Drei é.\n\nVier.";
        assert_eq!(joined(&units, 0, 28), whole);
        for from in 0..28 {
            for to in from..=28 {
                let expected: String = whole
                    .chars()
                    .skip(usize::try_from(from).unwrap())
                    .take(usize::try_from(to - from).unwrap())
                    .collect();
                assert_eq!(joined(&units, from, to), expected, "{from} to {to}");
            }
        }
    }

    #[test]
    fn a_unit_that_says_it_stands_far_away_costs_nothing() {
        let far = u64::MAX / 2;
        let units = [unit(0, 0, "Eins."), unit(1, far, "Zwei."), unit(2, far + 9, "Drei.")];
        let whole = joined(&units, 0, u64::MAX);
        assert!(whole.starts_with("Eins.\n") && whole.len() < 2 * LONGEST_SPACE, "{}", whole.len());
        assert!(whole.ends_with("Zwei.Drei."), "what there is to read is read");
        assert_eq!(joined(&units, far + 2, far + 4), "ei");
        let mut turned = unit(0, 100, "Eins.");
        turned.unit.end_offset = 20;
        assert_eq!(joined(&[turned], 10, 200), format!("{}Eins.", "\n".repeat(90)));
    }

    #[test]
    fn an_outline_has_every_heading_where_it_stands() {
        let text = "---\ntitle: X\n---\n# Port\n\nText.\n\n## Cranes\n\nTwo.\n\n### Old\n\nOne.\n\n## Fees\n\nSome.\n";
        // the unit knows the heading at its beginning alone
        let one = unit(0, 0, text);
        let found = outline("port.md", std::slice::from_ref(&one));
        let at = |part: &str| text[..text.find(part).unwrap()].chars().count() as u64;
        let told: Vec<(usize, &str, u64)> =
            found.iter().map(|heading| (heading.depth, heading.text.as_str(), heading.start)).collect();
        assert_eq!(
            told,
            [
                (0, "Port", at("# Port")),
                (1, "Cranes", at("## Cranes")),
                (2, "Old", at("### Old")),
                (1, "Fees", at("## Fees"))
            ]
        );
        let names = |from: u64, to: u64| -> Vec<String> {
            let found = outline("port.md", std::slice::from_ref(&one));
            headings_in(found, from, to).into_iter().map(|heading| heading.text).collect()
        };
        assert_eq!(names(at("One."), at("## Fees")), ["Port", "Cranes", "Old"]);
        assert_eq!(names(at("Some."), at("Some.") + 1), ["Port", "Fees"], "a chapter ends the one before");
        assert_eq!(names(at("Two."), 10_000), ["Port", "Cranes", "Old", "Fees"]);
        // a page of HTML has lost its markup: what its units know is what there is
        let mut page = unit(0, 0, "Text.");
        page.unit.headings = vec!["A".to_owned(), "B".to_owned()];
        let found = outline("page.html", &[page]);
        assert_eq!(found.iter().map(|heading| heading.depth).collect::<Vec<_>>(), [0, 1]);
    }
}
