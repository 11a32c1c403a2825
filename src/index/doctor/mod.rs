//! The graph compared with itself, with its records and with the vector store; and mended (design 8).
//!
//! Records are the truth: mentions, evidence, sums, communities and vectors that are not what follows from them are
//! made anew. Nothing here asks a model for records; units that are pending wait for the next run.

mod evidence;
mod levels;
mod vectors;

pub use vectors::sync as sync_vectors;

use super::communities::{are_due, is_unfinished};
use super::graph::applied_naming;
use super::run::{adoption, manual_edits, stages};
use super::settings;
use crate::domain::{Id, Stage};
use crate::library::keeping;
use crate::progress::Progress;
use crate::services::Services;
use crate::stores::graph::{Check, VectorKind};
use anyhow::Result;
use serde::Serialize;

/// Damaged nodes that are looked at, and mended, at once.
const AT_ONCE: usize = 1000;
/// Damaged nodes that are named.
const NAMED: usize = 5;

/// One kind of damage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// Which; for those of the graph store the name of its statement under `cypher/doctor/`.
    pub check: String,
    /// How many nodes or relationships; for those of the graph store at most 1,000.
    pub found: u64,
    /// Ids of the first ones.
    pub examples: Vec<Id>,
}

impl Finding {
    fn new(check: &str, ids: &[Id]) -> Self {
        let examples = ids.iter().take(NAMED).cloned().collect();
        Self { check: check.to_owned(), found: ids.len() as u64, examples }
    }
}

/// What a run has not come to yet: not damage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[expect(clippy::struct_excessive_bools, reason = "one a stage")]
pub struct Waiting {
    /// Whether text units wait to be read or linked.
    pub text_units: bool,
    /// Whether entities or relationships wait to be summed up.
    pub sums: bool,
    /// Whether communities and reports wait to be made: the last run ended before.
    pub communities: bool,
    /// Whether vectors wait to be made or removed.
    pub vectors: bool,
}

impl Waiting {
    fn is_anything(self) -> bool {
        self.text_units || self.sums || self.communities || self.vectors
    }
}

/// What an examination found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Diagnosis {
    /// Every check, those that found nothing included, in the order in which they are mended.
    pub findings: Vec<Finding>,
    /// What waits for the next run.
    pub waiting: Waiting,
}

impl Diagnosis {
    /// Whether no check found anything.
    pub fn is_sound(&self) -> bool {
        self.findings.iter().all(|finding| finding.found == 0)
    }

    /// What was found.
    fn damages(&self) -> Vec<Finding> {
        self.findings.iter().filter(|finding| finding.found > 0).cloned().collect()
    }
}

/// Looks for all damage; nothing is changed.
///
/// # Errors
/// What the stores say.
pub async fn examine(services: &Services, progress: &Progress) -> Result<Diagnosis> {
    let mut diagnosis = Diagnosis::default();
    let stage = progress.stage("checks of the store", Check::ALL.len() as u64);
    for check in Check::ALL {
        let ids = services.graph.examine(check, AT_ONCE).await?;
        diagnosis.findings.push(Finding::new(check.name(), &ids));
        // nothing else can be read around such values
        if check == Check::MistypedValues && !ids.is_empty() {
            return Ok(diagnosis);
        }
        stage.advance(1);
    }
    drop(stage);
    diagnosis.waiting = waiting(services).await?;
    let unlike = evidence::compare(services, progress).await?;
    diagnosis.findings.push(Finding::new("mentions_unlike_records", &unlike.units));
    // evidence that waits to be summed up is not there yet
    let relationships = if diagnosis.waiting.sums { &[][..] } else { &unlike.relationships };
    diagnosis.findings.push(Finding::new("evidence_unlike_records", relationships));
    diagnosis.findings.push(Finding::new("levels_not_total", &levels::broken(services).await?));
    // a report that is owed explains no other damage
    let due = diagnosis.waiting.communities
        && are_due(services.graph.as_ref(), &services.config.communities).await?;
    if !diagnosis.waiting.sums && !due {
        let outdated = levels::stale(services, progress).await?;
        diagnosis.findings.push(Finding::new("communities_unlike_graph", &outdated));
    }
    if !diagnosis.waiting.sums && !diagnosis.waiting.text_units {
        let naming = applied_naming(services).await?;
        let apart = adoption::not_joined(services, &naming).await?;
        diagnosis.findings.push(Finding::new("adopted_not_joined", &apart));
    }
    diagnosis.findings.push(Finding::new("library_unlike_graph", &keeping::unlike(services).await?));
    for kind in VectorKind::ALL {
        let found = vectors::compare(services, kind, progress).await?;
        for (what, ids) in [
            ("missing", &found.missing),
            ("of_other_text", &found.other_text),
            ("without_node", &found.without_node),
            ("foreign", &found.foreign),
        ] {
            diagnosis.findings.push(Finding::new(&format!("vectors_{what}_{}", kind.as_str()), ids));
        }
    }
    Ok(diagnosis)
}

/// Examines, mends what is found, and examines what came of it. A sound graph is examined once: what no check looks at is
/// brought up to date. Returns what was found before and after.
///
/// # Errors
/// As [`examine`] and [`mend`].
pub async fn fix(services: &Services, progress: &Progress) -> Result<(Diagnosis, Diagnosis)> {
    let before = examine(services, progress).await?;
    if before.is_sound() && !before.waiting.is_anything() && !manual_edits::are_waiting(services).await? {
        begin(services).await?;
        update_derived(services, progress).await?;
        return Ok((before.clone(), before));
    }
    let mut after = before.clone();
    for _ in 0..MENDS {
        let damages = after.damages();
        mend(services, progress).await?;
        after = examine(services, progress).await?;
        // what was mended may have hidden something else
        if after.is_sound() || after.damages() == damages {
            break;
        }
    }
    Ok((before, after))
}

/// How often what is found is mended at most.
const MENDS: usize = 3;

/// Mends what [`examine`] finds, as far as it can be without the documents, and brings sums, communities and vectors
/// up to date.
///
/// # Errors
/// A workspace that a later version wrote; what the stores say; a model that refuses, where reports have to be written
/// anew.
pub async fn mend(services: &Services, progress: &Progress) -> Result<()> {
    begin(services).await?;
    mend_all(services, Check::MistypedValues).await?;
    // what people did is no damage
    for note in manual_edits::adopt(services).await? {
        progress.note(&note);
    }
    for check in Check::ALL.into_iter().filter(|check| *check != Check::MistypedValues) {
        mend_all(services, check).await?;
    }
    let evidence::Unlike { mut units, relationships } = evidence::compare(services, progress).await?;
    for ids in relationships.chunks(AT_ONCE) {
        services.graph.forget_evidence(ids).await?;
    }
    units.extend(evidence::units_that_relate(services, &relationships).await?);
    units.sort();
    units.dedup();
    evidence::project(services, &units).await?;
    update_derived(services, progress).await?;
    vectors::sync(services, progress).await?;
    Ok(())
}

/// Mends what a check finds, until it finds nothing or the same again.
async fn mend_all(services: &Services, check: Check) -> Result<()> {
    let mut before: Vec<Id> = Vec::new();
    loop {
        let ids = services.graph.examine(check, AT_ONCE).await?;
        // what cannot be mended is found again, and told
        if ids.is_empty() || ids == before {
            return Ok(());
        }
        services.graph.mend(check, &ids).await?;
        before = ids;
    }
}

async fn begin(services: &Services) -> Result<()> {
    settings::ensure_known(services.ids.workspace(), &services.graph.state().await?.settings)?;
    Ok(services.graph.begin_changes().await?)
}

/// What follows from the evidence, and the settings of the vectors' collections.
async fn update_derived(services: &Services, progress: &Progress) -> Result<()> {
    stages::update_derived(services, progress).await?;
    keeping::project(services).await?;
    services.vectors.adapt().await?;
    Ok(())
}

async fn waiting(services: &Services) -> Result<Waiting> {
    let graph = services.graph.as_ref();
    let mut waiting = Waiting::default();
    for stage in [Stage::Extraction, Stage::Linking] {
        waiting.text_units |= !graph.pending_units(stage, None, 1).await?.is_empty();
    }
    waiting.sums |= !graph.dirty_relationships(1).await?.is_empty();
    waiting.sums |= !graph.dirty_entities(1).await?.is_empty();
    waiting.communities = is_unfinished(graph, &services.config.communities).await?;
    for kind in VectorKind::ALL {
        waiting.vectors |= !graph.pending_vectors(kind, 1).await?.is_empty();
        waiting.vectors |= !graph.tombstones(kind, 1).await?.is_empty();
    }
    Ok(waiting)
}
