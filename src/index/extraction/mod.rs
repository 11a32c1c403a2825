//! Text units into records: by natural-language processing, or by a model. Each unit's extraction goes into the
//! graph in one transaction that also marks it as done (design 1).

pub mod nlp;
pub mod recorded;
pub mod model;
pub mod schema;

use super::adoption;
use super::documents::is_graph;
use super::graph::{Naming, project_text, stored_naming};
use crate::config::ExtractionConfig;
use crate::domain::{Id, Record, Stage, StoredUnit, UnitState, fingerprint};
use crate::llm::{ChatModel, ModelError, ModelRole};
use crate::progress::{Progress, StageProgress};
use crate::prompts::Prompts;
use crate::services::Services;
use crate::stores::graph::{LeasedUnit, UnitWrite};
use anyhow::{Context, Result, bail};
use fail::fail_point;
use futures::StreamExt;
use schema::Schema;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// Units read by NLP, and written, at once.
const PAGE: usize = 128;
/// When is looked again for what others have.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// Failed units in a row, none done, after which the endpoint is taken to be out of reach.
const FAILURES_BEFORE_GIVING_UP: u64 = 20;

/// What an extraction sees of a text unit: everything its records may depend on, besides the settings.
#[derive(Clone, Copy, Debug)]
pub struct UnitText<'a> {
    /// Title of the document.
    pub title: &'a str,
    /// Heading path at the unit's start, outermost first.
    pub headings: &'a [String],
    /// The unit's text.
    pub text: &'a str,
    /// What its document says of it ([`crate::domain::TextUnit::header`]); empty where nobody does.
    pub header: &'a str,
}

/// What an extraction read from a text unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extraction {
    /// The records, both ends of every relationship and claim among the entities (design 23).
    pub records: Vec<Record>,
    /// Records that stood in the reply and could not be understood.
    pub records_lost: u64,
    /// Records that were understood and that the schema leaves out.
    pub records_pruned: u64,
    /// Records that asking once more gave.
    pub records_gleaned: u64,
    /// What was wrong with the reply, for people.
    pub problems: Vec<String>,
}

/// Who reads the records.
#[derive(Clone)]
pub enum Extractor {
    /// Natural-language processing, on all cores.
    Nlp(nlp::NlpSettings),
    /// Nobody: what was read elsewhere is replayed.
    Recorded(Arc<recorded::Recording>),
    /// A model, many calls in flight.
    Model {
        /// The model.
        chat: Arc<dyn ChatModel>,
        /// The prompts.
        prompts: Arc<Prompts>,
        /// What to look for.
        config: Box<ExtractionConfig>,
        /// How often failed units have been tried before.
        attempt: u32,
        /// Calls in flight.
        concurrency: usize,
    },
}

impl Extractor {
    /// The one that the configuration asks for.
    pub fn configured(services: &Services) -> Self {
        match &services.chat {
            None => Self::Nlp(nlp::NlpSettings::of(&services.config.extraction)),
            Some(chat) => Self::Model {
                chat: Arc::clone(chat),
                prompts: Arc::clone(&services.prompts),
                config: Box::new(services.config.extraction.clone()),
                attempt: 0,
                concurrency: services
                    .config
                    .llm
                    .extract
                    .concurrency
                    .unwrap_or(services.config.llm.concurrency),
            },
        }
    }

    /// What the records depend on besides the text, as people read it.
    pub fn settings(&self) -> String {
        match self {
            Self::Nlp(settings) => {
                let mut parts = vec![format!("nlp {}", nlp::VERSION)];
                if !settings.entity_types.is_empty() {
                    parts.push(settings.entity_types.join(", "));
                }
                if !settings.schema.is_empty() {
                    parts.push(format!("schema {}", settings.schema));
                }
                parts.join(", ")
            }
            Self::Recorded(recording) => recording.settings(),
            Self::Model { chat, prompts, config, .. } => {
                let model = chat.identity(ModelRole::Extract);
                format!("{model}, {}", model::fingerprint(config, prompts, &model))
            }
        }
    }
}

/// What the stage did.
#[derive(Clone, Debug, Default)]
pub struct ExtractionOutcome {
    /// Units whose records were read.
    pub units: u64,
    /// Records read.
    pub records: u64,
    /// Records that could not be understood.
    pub records_lost: u64,
    /// Records that the schema leaves out.
    pub records_pruned: u64,
    /// Units that failed, with the reason of the first ones.
    pub failed: u64,
    /// Reasons, at most 20.
    pub reasons: Vec<String>,
    /// Why not every unit was asked about: a model that refuses, or a budget that is used up. Those stay pending.
    pub stopped: Option<ModelError>,
}

/// Reads every pending unit, together with other workers where there are some: returns when nobody has any left.
///
/// # Errors
/// As [`take_part`].
pub async fn run(
    services: &Services,
    extractor: &Extractor,
    progress: &Progress,
) -> Result<ExtractionOutcome> {
    let mut outcome = ExtractionOutcome::default();
    let stage = progress.stage("extraction", services.graph.text_counts().await?.text_units);
    loop {
        take_part(services, extractor, &mut outcome, &stage, progress).await?;
        let ended = outcome.stopped.is_some() || progress.stop_requested();
        if ended || services.graph.pending_units(Stage::Extraction, None, 1).await?.is_empty() {
            return Ok(outcome);
        }
        // others have them; those of one who died are free when its lease ends
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// Reads pending units that no other worker has, until there are none.
///
/// # Errors
/// The store's; a model that cannot be reached at all. Units done stay done. Where a model refuses (key, quota,
/// budget) nothing new is begun, what is in flight ends and is saved, and [`ExtractionOutcome::stopped`] says why.
pub async fn take_part(
    services: &Services,
    extractor: &Extractor,
    outcome: &mut ExtractionOutcome,
    stage: &StageProgress,
    progress: &Progress,
) -> Result<()> {
    let schema = Schema::of(&services.config.extraction);
    let settings = extractor.settings();
    let mut saving = Saving { services, settings: &settings, naming: None, outcome, stage };
    match extractor {
        Extractor::Nlp(_) | Extractor::Recorded(_) => {
            let pages = leased(services, PAGE, progress);
            futures::pin_mut!(pages);
            while let Some(page) = pages.next().await {
                let read = read_page(page?, extractor.clone(), schema.clone()).await?;
                saving.save(read).await?;
            }
        }
        Extractor::Model { chat, prompts, config, attempt, concurrency } => {
            let what = model::ExtractionSettings { config, attempt: *attempt };
            let concurrency = (*concurrency).max(1);
            let stopped = AtomicBool::new(false);
            // what others have spent of the budget, and who else uses the endpoint's limits
            services.learn_processes().await;
            services.keep_ledger_now_and_then().await;
            let asked = one_by_one(leased(services, concurrency, progress))
                .take_while(|_| ready(!stopped.load(Ordering::SeqCst) && !progress.stop_requested()))
                .map(|leased| async move {
                    let leased = leased?;
                    if let Some(extraction) = of_graph(&leased.unit) {
                        return Ok((leased, Ok(extraction)));
                    }
                    let reply = model::extract(chat.as_ref(), prompts, what, &unit_text(&leased.unit)).await;
                    Ok::<_, anyhow::Error>((leased, reply))
                })
                .buffer_unordered(concurrency);
            // calls go on while what has come is saved, all of it in one transaction
            let (sender, mut receiver) = mpsc::channel(PAGE);
            let asking = async {
                futures::pin_mut!(asked);
                while let Some(next) = asked.next().await {
                    sender.send(next?).await.context("saving records ended early")?;
                }
                drop(sender);
                Ok(())
            };
            let storing = async {
                let mut replies = Vec::new();
                while receiver.recv_many(&mut replies, PAGE).await > 0 {
                    let mut read: Vec<UnitReading> = Vec::with_capacity(replies.len());
                    for (leased, reply) in replies.drain(..) {
                        match reply {
                            Err(error) if error.stops_the_run() => {
                                stopped.store(true, Ordering::SeqCst);
                                saving.outcome.stopped.get_or_insert(error);
                            }
                            Err(error) => read.push((leased, Err(error.to_string()))),
                            Ok(mut extraction) => {
                                if !is_graph(&leased.unit.document_key) {
                                    schema.hold(&leased.unit.unit.text, &mut extraction);
                                }
                                read.push((leased, Ok(extraction)));
                            }
                        }
                    }
                    saving.save(read).await?;
                    services.keep_ledger_now_and_then().await;
                    let outcome = &*saving.outcome;
                    if outcome.units == 0 && outcome.failed >= FAILURES_BEFORE_GIVING_UP {
                        let reason = outcome.reasons.first().cloned().unwrap_or_default();
                        bail!("{} text units failed and none was read: {reason}", outcome.failed);
                    }
                }
                Ok(())
            };
            futures::try_join!(asking, storing)?;
        }
    }
    Ok(())
}

/// The pending units that are ours, page by page; ends early when a stop is requested.
fn leased<'a>(
    services: &'a Services,
    page: usize,
    progress: &'a Progress,
) -> impl futures::Stream<Item = Result<Vec<LeasedUnit>>> + 'a {
    futures::stream::try_unfold(None, move |after: Option<Id>| async move {
        if progress.stop_requested() {
            return Ok(None);
        }
        // by itself: whoever takes units from here writes others meanwhile, and a lease that stands still holds locks
        let graph = Arc::clone(&services.graph);
        let leasing = tokio::spawn(async move { graph.lease_units(after.as_ref(), page).await });
        let page = leasing.await.context("leasing text units ended early")??;
        fail_point!("units-leased");
        let last = page.last().map(|leased| leased.unit.unit.id.clone());
        Ok(last.map(|last| (page, Some(last))))
    })
}

fn one_by_one<'a>(
    pages: impl futures::Stream<Item = Result<Vec<LeasedUnit>>> + 'a,
) -> impl futures::Stream<Item = Result<LeasedUnit>> + 'a {
    pages.flat_map(|page| match page {
        Ok(units) => futures::stream::iter(units.into_iter().map(Ok).collect::<Vec<_>>()),
        Err(error) => futures::stream::iter(vec![Err(error)]),
    })
}

fn unit_text(unit: &StoredUnit) -> UnitText<'_> {
    UnitText {
        title: &unit.document_title,
        headings: &unit.unit.headings,
        text: &unit.unit.text,
        header: &unit.unit.header,
    }
}

type UnitReading = (LeasedUnit, Result<Extraction, String>);

/// Reads units without a model.
async fn read_page(page: Vec<LeasedUnit>, extractor: Extractor, schema: Schema) -> Result<Vec<UnitReading>> {
    use rayon::prelude::*;
    tokio::task::spawn_blocking(move || {
        page.into_par_iter()
            .map(|leased| {
                let text = unit_text(&leased.unit);
                if let Some(extraction) = of_graph(&leased.unit) {
                    return (leased, Ok(extraction));
                }
                let extraction = match &extractor {
                    Extractor::Nlp(settings) => {
                        let mut extraction = nlp::extract(&text, settings);
                        schema.hold(text.text, &mut extraction);
                        Ok(extraction)
                    }
                    Extractor::Recorded(recording) => Ok(recording.extract(&text)),
                    Extractor::Model { .. } => Err("a model reads units one by one".to_owned()),
                };
                (leased, extraction)
            })
            .collect()
    })
    .await
    .context("extraction ended early")
}

/// What a text unit says that was made of a graph; nothing of any other.
fn of_graph(unit: &StoredUnit) -> Option<Extraction> {
    is_graph(&unit.document_key)
        .then(|| Extraction { records: adoption::records(&unit.unit), ..Extraction::default() })
}

/// Where what was read goes.
struct Saving<'a> {
    services: &'a Services,
    settings: &'a str,
    /// As of which turn. Whoever resolves names waits for all units to be read, so that it stays as it is while a unit is
    /// leased.
    naming: Option<(u64, Naming)>,
    outcome: &'a mut ExtractionOutcome,
    stage: &'a StageProgress,
}

impl Saving<'_> {
    async fn save(&mut self, read: Vec<UnitReading>) -> Result<()> {
        let Some(turn) = read.iter().map(|(leased, _)| leased.turn).max() else { return Ok(()) };
        let naming = match self.naming.take() {
            Some((as_of, naming)) if as_of >= turn => (as_of, naming),
            _ => (turn, stored_naming(self.services).await?),
        };
        let naming = &self.naming.insert(naming).1;
        let outcome = &mut *self.outcome;
        let mut writes = Vec::with_capacity(read.len());
        for (LeasedUnit { unit, fence, .. }, reply) in read {
            self.stage.advance(1);
            let mut anew = UnitState { linked: Vec::new(), linking_done: false, ..unit.state.clone() };
            match reply {
                Ok(extraction) => {
                    outcome.units += 1;
                    outcome.records += extraction.records.len() as u64;
                    outcome.records_lost += extraction.records_lost;
                    outcome.records_pruned += extraction.records_pruned;
                    anew.records_lost = count(extraction.records_lost);
                    anew.records_pruned = count(extraction.records_pruned);
                    anew.records_gleaned = count(extraction.records_gleaned);
                    anew.records = extraction.records;
                    anew.extraction = Some(if is_graph(&unit.document_key) {
                        UnitState::ADOPTED.to_owned()
                    } else {
                        read_by(self.settings, &unit.unit.header)
                    });
                    anew.error = None;
                }
                Err(reason) => {
                    outcome.failed += 1;
                    if outcome.reasons.len() < 20 {
                        outcome
                            .reasons
                            .push(format!("{} unit {}: {reason}", unit.document_key, unit.unit.index));
                    }
                    anew.records = Vec::new();
                    (anew.records_lost, anew.records_pruned, anew.records_gleaned) = (0, 0, 0);
                    anew.error = Some(reason);
                }
            }
            writes.push(UnitWrite {
                evidence: project_text(&self.services.ids, naming, &unit.unit, &anew),
                replaces: !unit.state.records.is_empty() || !unit.state.linked.is_empty(),
                text_unit: unit.unit.id,
                state: anew,
                lease: fence,
            });
        }
        fail_point!("extraction-uncommitted");
        self.services.graph.save_units(&writes).await?;
        fail_point!("extraction-committed");
        Ok(())
    }
}

/// What a unit's records hang on: the settings, and behind them its header where it has one.
fn read_by(settings: &str, header: &str) -> String {
    if header.is_empty() { settings.to_owned() } else { format!("{settings}/{}", fingerprint(&[header])) }
}

fn count(records: u64) -> u32 {
    u32::try_from(records).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_types_asked_for_reach_extraction_and_decide_what_is_stale() {
        let settings = |types: &[&str]| {
            let entity_types = types.iter().map(|kind| (*kind).to_owned()).collect();
            let config = ExtractionConfig { entity_types, ..ExtractionConfig::default() };
            Extractor::Nlp(nlp::NlpSettings::of(&config)).settings()
        };
        assert_eq!(settings(&[]), format!("nlp {}", nlp::VERSION));
        assert_ne!(settings(&["Person"]), settings(&[]));
        assert_ne!(settings(&["Person"]), settings(&["Place"]));
    }
}
