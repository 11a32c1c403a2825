//! `graphwright entities`: looking at entities and correcting them. A correction is an edit: it is kept beside the
//! documents, holds for all later runs and can be undone.

use super::trends::show_opinions;
use super::{Common, as_writer, failure, index, index_report, print, write_json, write_json_rows};
use crate::config::Provider;
use crate::domain::{Claim, Edit, EditKind, Entity, Id, Relationship, kind_class, name_key};
use crate::index::editing::{self, EditPreview, EditWish, WrongEdit};
use crate::index::estimate::{Estimate, rehearsal};
use crate::index::names::resolution::{self, rules};
use crate::index::run::{self, IndexReport};
use crate::language::one_line;
use crate::progress::talk;
use crate::services::Services;
use crate::stores::pages;
use crate::trends::{ToldOpinion, opinions_on};
use anyhow::{Result, anyhow, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Entities read at once.
const PAGE: usize = 2000;
/// Types named where a type is not there.
const KINDS: usize = 20;
/// Relationships shown of an entity.
const RELATIONSHIPS: usize = 20;
/// Claims read of an entity, and those printed.
const CLAIMS: usize = 200;
const CLAIMS_PRINTED: usize = 20;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: EntitiesAction,
    /// Of an edit: only say what it would change and ask of models, and what that would cost
    #[arg(long, global = true)]
    dry_run: bool,
}

#[derive(Debug, clap::Subcommand)]
enum EntitiesAction {
    /// Entities, those of most text units first
    List {
        /// Only those of this type
        #[arg(long)]
        kind: Option<String>,
        /// Only those of which a name holds this; capitals and width do not count
        #[arg(long, value_name = "PART")]
        name: Option<String>,
        /// At most so many
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// One entity with its names, relationships, claims, who thinks what of it, and why names were joined
    Show {
        /// Any of its names
        name: String,
    },
    /// Names that were joined, with the reason, and pairs that may be one
    Duplicates {
        /// Pairs shown at most
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Show an entity under another name
    Rename {
        /// Any of its names
        name: String,
        /// The name to show
        to: String,
    },
    /// Make several names one entity
    Merge {
        /// Names that are the same thing
        #[arg(required = true)]
        names: Vec<String>,
        /// The name that the entity goes by; it may be a new one
        #[arg(long)]
        into: String,
    },
    /// Keep two names apart
    Split {
        /// One name
        name: String,
        /// The other
        #[arg(long)]
        from: String,
    },
    /// Take an entity out of the graph
    Delete {
        /// Any of its names
        name: String,
    },
    /// Fix an entity's kind or description
    Pin {
        /// Any of its names
        name: String,
        /// What to fix
        #[arg(value_parser = ["kind", "description"])]
        property: String,
        /// Its value
        value: String,
    },
    /// Edits in force
    Edits,
    /// Take an edit back
    Undo {
        /// Its id, or the beginning of it
        id: String,
    },
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.action {
        EntitiesAction::List { kind, name, limit } => {
            list(common, kind.as_deref(), name.as_deref(), *limit).await
        }
        EntitiesAction::Show { name } => Box::pin(show(common, name)).await,
        EntitiesAction::Duplicates { limit } => duplicates(common, *limit).await,
        EntitiesAction::Edits => edits(common).await,
        change if arguments.dry_run => Box::pin(foretell(common, change)).await,
        change => Box::pin(edit(common, change)).await,
    }
}

async fn list(common: &Common, kind: Option<&str>, part: Option<&str>, limit: usize) -> Result<ExitCode> {
    let wanted_part = part.map(name_key);
    if let Some(part) = part.filter(|_| wanted_part.as_ref().is_some_and(String::is_empty)) {
        return Err(failure::wrong(anyhow!("--name {part:?}: no name holds this; wanted a part of a name")));
    }
    let services = common.look().await?;
    let wanted = kind.map(kind_class);
    let is_named = |entity: &Entity| {
        let holds = |name: &String| wanted_part.as_ref().is_none_or(|part| name_key(name).contains(part));
        std::iter::once(&entity.name).chain(&entity.aliases).any(holds)
    };
    let mut found: Vec<Entity> = Vec::new();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = 0_usize;
    let mut has_kind = false;
    let mut pages = pages::entities(services.graph.as_ref(), PAGE);
    while let Some(page) = pages.next().await? {
        for entity in page {
            if wanted.as_ref().is_none_or(|kind| kind_class(&entity.kind) == *kind) {
                has_kind = true;
                if is_named(&entity) {
                    found.push(entity);
                    all += 1;
                }
            } else {
                *kinds.entry(entity.kind).or_default() += 1;
            }
        }
        found.sort_by(|a, b| (b.text_unit_count, &a.name, &a.id).cmp(&(a.text_unit_count, &b.name, &b.id)));
        found.truncate(limit);
    }
    if let Some(kind) = kind.filter(|_| !has_kind) {
        return Err(failure::wrong(anyhow!(
            "--kind {kind:?}: no entity is of this type; {}",
            known_kinds(&kinds)
        )));
    }
    if common.json {
        write_json_rows(&found)?;
    } else {
        for entity in &found {
            print::line(&format!(
                "{:6}  {}{}",
                entity.text_unit_count,
                entity.name,
                in_brackets(&entity.kind)
            ));
        }
        if let Some(part) = part.filter(|_| all == 0) {
            talk(&format!("no name of an entity holds {part:?}"));
        }
        if all > found.len() {
            talk(&format!(
                "the {} that most texts name, of {all}; --limit {all} lists them all",
                found.len()
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The types there are, the most frequent first.
fn known_kinds(kinds: &BTreeMap<String, usize>) -> String {
    let mut ranked: Vec<(&String, &usize)> = kinds.iter().filter(|(kind, _)| !kind.is_empty()).collect();
    ranked.sort_by_key(|(kind, count)| (std::cmp::Reverse(**count), *kind));
    let names: Vec<&str> = ranked.iter().take(KINDS).map(|(kind, _)| kind.as_str()).collect();
    if names.is_empty() {
        "the graph has no types yet".to_owned()
    } else {
        format!("there are: {}", names.join(", "))
    }
}

/// An entity with what it rests on.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Shown {
    #[serde(flatten)]
    entity: Entity,
    /// Names that were joined with its own, with the reason.
    merges: Vec<rules::Merge>,
    /// Its heaviest relationships.
    relationships: Vec<Related>,
    /// What is claimed of it, in the order of dates, what has none last; at most 200.
    claims: Vec<ToldClaim>,
    /// Who, as the texts tell, thinks what of it, in the order of time; the newest 200.
    opinions: Vec<ToldOpinion>,
}

/// A relationship with the names of its ends.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Related {
    /// Name of the source.
    source_name: String,
    /// Name of the target.
    target_name: String,
    #[serde(flatten)]
    relationship: Relationship,
}

/// A claim of the entity that is shown.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ToldClaim {
    /// What it concerns, where it concerns another entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    object_name: Option<String>,
    /// Category.
    kind: String,
    /// `TRUE`, `FALSE` or `SUSPECTED`.
    status: &'static str,
    /// What is claimed.
    description: String,
    /// From when it holds: ISO 8601 or empty.
    start_date: String,
    /// Until when: ISO 8601 or empty.
    end_date: String,
    /// The words of the text that it rests on.
    source_text: String,
    /// Who says it; empty where the text itself does.
    holder: String,
    #[serde(skip)]
    line: String,
}

impl ToldClaim {
    fn of(claim: Claim, object_name: Option<String>) -> Self {
        let when = claim.when();
        let brackets = [claim.status.as_str(), when.as_str()].join(" ");
        let line =
            format!("[{}] {}: {}", brackets.trim_end(), one_line(&claim.kind), one_line(&claim.statement()));
        Self {
            object_name,
            kind: claim.kind,
            status: claim.status.as_str(),
            description: claim.description,
            start_date: claim.start_date,
            end_date: claim.end_date,
            source_text: claim.source_text,
            holder: claim.holder,
            line,
        }
    }
}

async fn show(common: &Common, name: &str) -> Result<ExitCode> {
    let services = common.look().await?;
    let (key, entity) = find_entity(&services, name).await?;
    let mut merges = Vec::new();
    if !entity.aliases.is_empty() {
        let (all, _) = resolution::duplicates(&services, 0).await?;
        merges.extend(all.into_iter().filter(|merge| merge.into == key));
    }
    let related = services.graph.relationships_of(std::slice::from_ref(&entity.id), RELATIONSHIPS).await?;
    let mut claims = services.graph.first_claims_of(std::slice::from_ref(&entity.id), CLAIMS).await?;
    let when = |claim: &Claim| {
        let dates = (claim.start_date.clone(), claim.end_date.clone());
        (claim.when().is_empty(), dates, claim.kind.clone(), claim.description.clone())
    };
    claims.sort_by_cached_key(when);
    let objects = claims.iter().filter_map(|claim| claim.object.clone());
    let ids: Vec<_> =
        related.iter().flat_map(|r| [r.source.clone(), r.target.clone()]).chain(objects).collect();
    let names: BTreeMap<_, _> = services
        .graph
        .entities_by_id(&ids)
        .await?
        .into_iter()
        .map(|entity| (entity.id, entity.name))
        .collect();
    let name_of = |id: &Id| names.get(id).cloned().unwrap_or_default();
    let relationships = related
        .into_iter()
        .map(|relationship| Related {
            source_name: name_of(&relationship.source),
            target_name: name_of(&relationship.target),
            relationship,
        })
        .collect();
    let told = |claim: Claim| {
        let object = claim.object.as_ref().and_then(|id| names.get(id).cloned());
        ToldClaim::of(claim, object)
    };
    let claims = claims.into_iter().map(told).collect();
    let opinions = opinions_on(services.graph.as_ref(), &entity).await?;
    let shown = Shown { entity, merges, relationships, claims, opinions };
    if common.json {
        write_json(&shown)?;
    } else {
        tell_shown(&shown);
    }
    Ok(ExitCode::SUCCESS)
}

fn tell_shown(shown: &Shown) {
    let entity = &shown.entity;
    print::line(&format!("{}{}", entity.name, in_brackets(&entity.kind)));
    print::line(&format!("{} text units, {} relationships", entity.text_unit_count, entity.degree));
    if !entity.aliases.is_empty() {
        print::line(&format!("also: {}", entity.aliases.join(", ")));
    }
    if !entity.description.is_empty() {
        print::line(&entity.description);
    }
    for merge in &shown.merges {
        print::line(&format!("  [{}] {}", merge.rule, merge.evidence));
    }
    for related in &shown.relationships {
        let kinds = related.relationship.kinds();
        let what = if kinds.is_empty() { "—" } else { &kinds };
        print::line(&format!(
            "  {} {what} {}  ×{}",
            related.source_name, related.target_name, related.relationship.weight
        ));
    }
    if !shown.claims.is_empty() {
        print::line("\nWhat is claimed:");
    }
    for claim in shown.claims.iter().take(CLAIMS_PRINTED) {
        print::line(&format!("  {}", claim.line));
    }
    if let Some(more) = shown.claims.len().checked_sub(CLAIMS_PRINTED).filter(|more| *more > 0) {
        print::line(&format!("  and {more} more: --json has them"));
    }
    show_opinions(&shown.opinions);
}

/// What was joined, and what may be one.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Duplicates {
    /// Names that go by another, with the reason.
    merges: Vec<rules::Merge>,
    /// Pairs worth a look, with what a model said of them.
    pairs: Vec<resolution::Doubt>,
}

async fn duplicates(common: &Common, limit: usize) -> Result<ExitCode> {
    let services = common.look().await?;
    let (merges, mut pairs) = resolution::duplicates(&services, resolution::PAIRS_PER_NAME).await?;
    let joined_by_model = merges.iter().filter(|merge| merge.rule == "verdict").count();
    pairs.truncate(limit);
    if common.json {
        write_json(&Duplicates { merges, pairs })?;
        return Ok(ExitCode::SUCCESS);
    }
    for merge in &merges {
        print::line(&format!("{} → {}  [{}] {}", merge.from, merge.into, merge.rule, merge.evidence));
    }
    for pair in &pairs {
        let score = pair.score.map_or_else(String::new, |score| format!("{score:.2} "));
        let verdict = match pair.same {
            None => "?",
            Some(true) => "=",
            Some(false) => "≠",
        };
        let reason = if pair.reason.is_empty() { String::new() } else { format!(": {}", pair.reason) };
        print::line(&format!("{} {verdict} {}  {score}{}{reason}", pair.low, pair.high, pair.why));
    }
    let model = if joined_by_model > 0 { format!(" ({joined_by_model} by a model)") } else { String::new() };
    talk(&format!(
        "{} names joined{model}, {} pairs to look at; `entities merge` and `entities split` decide",
        merges.len(),
        pairs.len()
    ));
    Ok(ExitCode::SUCCESS)
}

async fn edits(common: &Common) -> Result<ExitCode> {
    let services = common.look().await?;
    let edits = services.graph.edits().await?;
    if common.json {
        write_json_rows(&edits)?;
    } else {
        for edit in &edits {
            print::line(&format!("{}  {}", short(edit), described(&edit.kind)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// An edit, and the run that brought the graph up to it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Changed {
    /// The edit.
    edit: Edit,
    /// Whether it was taken back.
    undone: bool,
    #[serde(flatten)]
    report: IndexReport,
}

/// What an edit would change, and what it would ask of models.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ForetoldEdit {
    /// The edit.
    edit: Edit,
    /// Whether it would be taken back.
    undone: bool,
    /// What it has to do with; of an edit that is made, not of one that is taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<EditPreview>,
    /// What would be asked; absent without a model, and where the workspace cannot be rehearsed on a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<Estimate>,
}

/// Says what an edit would do; nothing is asked or written.
async fn foretell(common: &Common, action: &EntitiesAction) -> Result<ExitCode> {
    let config = common.config()?;
    let has_model = config.llm.provider != Provider::None;
    let (edit, undone, preview) = {
        let services = common.look().await?;
        let (edit, undone) = wanted(&services, action).await?;
        let preview = if undone { None } else { Some(editing::preview(&services, &edit).await?) };
        (edit, undone, preview)
    };
    let edited = (&edit, undone);
    let estimate = rehearsal::of_edit(&config, &common.data, &common.workspace, edited).await?;
    if common.json {
        write_json(&ForetoldEdit { edit, undone, preview, estimate })?;
        return Ok(ExitCode::SUCCESS);
    }
    let verb = if undone { "would be undone" } else { "would be done" };
    print::line(&format!("{verb}: {}", described(&edit.kind)));
    if let Some(preview) = preview {
        print::line(&format!(
            "it has to do with {} entities, {} text units and {} relationships, {} of which go",
            preview.entities.len(),
            preview.text_units,
            preview.relationships,
            preview.relationships_gone
        ));
    }
    match estimate {
        Some(estimate) => index::asked_for(&estimate).iter().for_each(|line| print::line(line)),
        None if has_model => print::line(
            "what a model would be asked is not known: that is counted on a copy, which only an embedded workspace of \
             20,000 entities at most is given",
        ),
        None => print::line("no model would be asked"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes or undoes an edit, then brings the graph up to it.
async fn edit(common: &Common, action: &EntitiesAction) -> Result<ExitCode> {
    let services = common.open_to_change().await?;
    let progress = common.progress_until_interrupted();
    let work = async {
        let (edit, undone) = wanted(&services, action).await?;
        services.graph.save_edit(&edit, undone).await?;
        let report = run::apply_edits(&services, &progress).await?;
        Ok(Changed { edit, undone, report })
    };
    let changed = as_writer(&services, work).await?;
    if common.json {
        write_json(&changed)?;
    } else {
        let verb = if changed.undone { "undone" } else { "done" };
        talk(&format!("{verb}: {}", described(&changed.edit.kind)));
        if !changed.undone {
            talk(&format!("hint: `graphwright entities undo {}` takes it back", short(&changed.edit)));
        }
        // the exit code tells of them as well
        let report = &changed.report;
        for problem in index_report::each_once(&report.problems).iter().chain(&report.stopped) {
            talk(&format!("warning: {problem}"));
        }
    }
    Ok(index_report::exit_code(&changed.report))
}

/// The edit that an action asks for, and whether it is to be taken back.
async fn wanted(services: &Services, action: &EntitiesAction) -> Result<(Edit, bool)> {
    let wish = match action {
        EntitiesAction::Undo { id } => return Ok((editing::find(&services.graph.edits().await?, id)?, true)),
        EntitiesAction::Rename { name, to } => EditWish::Rename { name: name.clone(), to: to.clone() },
        EntitiesAction::Merge { names, into } => EditWish::Merge { names: names.clone(), into: into.clone() },
        EntitiesAction::Split { name, from } => EditWish::Split { name: name.clone(), from: from.clone() },
        EntitiesAction::Delete { name } => EditWish::Delete { name: name.clone() },
        EntitiesAction::Pin { name, property, value } => {
            EditWish::Pin { name: name.clone(), property: property.clone(), value: value.clone() }
        }
        EntitiesAction::List { .. }
        | EntitiesAction::Show { .. }
        | EntitiesAction::Duplicates { .. }
        | EntitiesAction::Edits => {
            bail!("not an edit");
        }
    };
    let edit = editing::edit_of(services, &wish).await;
    Ok((edit.map_err(|error| if error.is::<WrongEdit>() { failure::wrong(error) } else { error })?, false))
}

/// The key and the entity that a name stands for.
async fn find_entity(services: &Services, name: &str) -> Result<(String, Entity)> {
    editing::find_entity_of_name(services, name).await
}

fn in_brackets(kind: &str) -> String {
    if kind.is_empty() { String::new() } else { format!("  ({kind})") }
}

fn short(edit: &Edit) -> &str {
    edit.id.as_str().get(..8).unwrap_or_default()
}

fn described(kind: &EditKind) -> String {
    match kind {
        EditKind::Rename { name, to } => format!("{name} is shown as {to}"),
        EditKind::Merge { names, into, shown } => {
            let also = if name_key(shown) == *into || shown.is_empty() {
                String::new()
            } else {
                format!(", shown as {shown}")
            };
            format!("{} merged into {into}{also}", names.join(", "))
        }
        EditKind::Split { name, from } => format!("{name} kept apart from {from}"),
        EditKind::Delete { name } => format!("{name} deleted"),
        EditKind::Pin { name, property, value } => format!("{property} of {name} fixed: {value}"),
    }
}
