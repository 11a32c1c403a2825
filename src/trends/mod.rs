//! Trends: what documents name more and more, less and less, for the first time, no more.
//!
//! ```text
//! documents  documents, packed
//! timeline   documents → periods
//! passages   texts → sentences that count: no formulas, no speakers
//! reading    the graph → documents, communities, sentences
//! tally      what is counted of one name
//! counting   sentences → counts by document, with the places to quote
//! judging    counts → chances
//! survey     all that was read and counted
//! topics     communities over time: born, growing, shrinking, ended, what they grew out of
//! reshaping  merges and splits of topics, where chance makes few
//! lists      chances → what rises, falls, begins and ends, strongest first
//! against    a window told against another time
//! report     what is told
//! sums       counts and sentiments of one entity or community, by period, document and relationship
//! opinions   who thinks what of it
//! watch      what is waited for, and whether it has come
//! told       what watches have told
//! drawing    the report as text, Markdown, a picture, a page
//! ```
//!
//! Everything is a function of the stored graph: it is read twice, page by page, and nothing is kept.

mod documents;
mod timeline;
mod passages;
mod tally;
mod relation;
mod counting;
mod judging;
mod topics;
mod reshaping;
mod subject;
mod rounding;
mod report;
mod comparison;
mod sources;
mod sums;
mod opinions;
mod watch;
mod told;
mod focus;
mod reading;
mod survey;
mod lists;
mod against;
pub mod drawing;

pub use comparison::{Compared, TimeReport};
pub use opinions::{ToldOpinion, opinions_on};
pub use report::{Change, ChangeKind, Fired, Tested, Topic, Trend, TrendBurst, Trends, Undated};
pub use reshaping::{Reshaped, Reshaping};
pub use subject::TrendKind;
pub use sums::{PeriodSum, SentimentSum, Sums};
pub use timeline::{Every, TimePeriod};
pub use told::WatchHistory;
pub use topics::{GrownOutOf, TopicChange};

use crate::contradictions::contradictions;
use crate::domain::Period;
use crate::progress::Progress;
use crate::services::Services;
use anyhow::{Result, bail};
use counting::Counter;
use focus::Focus;
use judging::PeriodSpan;
use reading::PeriodParts;
use rustc_hash::FxHashSet;
use survey::Survey;
use timeline::Timeline;

/// Periods before a window that it is compared with, at least: four quarters are a year.
const BASE: usize = 4;
/// Text units that name what is called like its document, at most, where that is only a title.
const OWN_UNITS: u32 = 2;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct TrendRequest {
    /// Begins with the period that holds this.
    pub from: Option<Period>,
    /// Ends with the period that holds this.
    pub to: Option<Period>,
    /// How long a period is; by the documents' dates where absent.
    pub every: Option<Every>,
    /// The entity or community that all is to be about.
    pub about: Option<String>,
    /// Entities of each list at most; a third as many relationships and communities.
    pub top: usize,
    /// Whether the window is told against another time.
    pub report: bool,
    /// The other time; as many periods before the window where absent.
    pub against: Option<Period>,
    /// Whether watches tell of all periods of the window, for a caller who knows what they told before ([`WatchHistory`]); of the
    /// last one else.
    pub watch_all: bool,
}

/// Reads the graph, counts, judges and quotes.
///
/// # Errors
/// What the store says; documents without dates, a time without documents, a name that is not known.
pub async fn trends(services: &Services, request: &TrendRequest, progress: &Progress) -> Result<Trends> {
    let reader = services.graph.scan().await?;
    let reader = reader.as_ref();
    let calendar = services.config.documents.fiscal_calendar();
    let entities = reading::read_entities(reader).await?;
    let (documents, in_a_row) = reading::read_documents(reader, &entities).await?;
    let total = documents.len() as u64;
    if total == 0 {
        bail!("nothing is indexed yet; run `graphwright index` first");
    }
    let timeline = reading::read_timeline(reader, documents, request.every, calendar).await?;
    let (low, high) = timeline.window(request.from.as_ref(), request.to.as_ref())?;
    // what came before a window tells what is usual
    let base = if request.from.is_some() { low.saturating_sub((high - low).max(BASE)) } else { low };
    let span = PeriodSpan { base, low, high };

    let (customs, pieces, axis) = reading::learn(reader, &timeline, progress).await?;
    let communities = reading::leaves(reader).await?;
    let mut titles = timeline.titles();
    // what is called like a numbered title, and named elsewhere as well, may be what the texts are about
    let elsewhere: FxHashSet<String> = entities
        .iter()
        .filter(|entity| entity.text_unit_count > OWN_UNITS)
        .map(|entity| entity.name.to_lowercase())
        .collect();
    titles.extend(in_a_row.into_iter().filter(|title| !elsewhere.contains(title)));
    let named = counting::named(entities, &customs, &communities, &titles);
    let relationships = reading::related(reader, &named).await?;
    let about = request.about.as_deref().map(|name| Focus::find(name, &named, &communities)).transpose()?;
    let asked = about.as_ref().and_then(|about| about.entity);
    let watches = watch::find(&services.config.trends.watch, &named, &communities);
    let judged: FxHashSet<u32> = watches.iter().filter_map(watch::Watch::entity).chain(asked).collect();
    let stage = progress.stage("counting", total);
    let queries = watch::queries(&services.config.trends.watch);
    let counter = Counter::new(&customs, &named, &relationships, &judged, &timeline).waiting_for(&queries);
    let counts = reading::count(reader, counter, &pieces, &timeline).await?;
    stage.advance(total);

    let mut survey = Survey {
        named: &named,
        communities: &communities,
        relationships: &relationships,
        timeline: &timeline,
        axis: &axis,
        span,
        counts: &counts,
        queries: &queries,
        by_id: (0_u32..).zip(&named).map(|(number, one)| (&one.entity.id, number)).collect(),
        wanted: Vec::new(),
    };
    let found = survey.judge(about.as_ref());
    let mut trends = survey.compose(&found, about.as_ref(), request.top);
    trends.topics = survey.topics(&found, about.as_ref(), request.top);
    if about.is_none() {
        trends.reshaping = Some(survey.reshaping());
    }
    trends.watched = watches.iter().flat_map(|watch| survey.watched(watch, &found)).collect();
    let contradicted = survey.contradicting(reader, &watches).await?;
    trends.undated = undated(&timeline, &pieces);
    let wanted = std::mem::take(&mut survey.wanted);
    sources::fill(reader, &mut trends, &wanted, &counts.units, span).await?;
    trends.watched.extend(contradicted);
    trends.watched.retain(|fired| request.watch_all || fired.is_latest);
    if request.report {
        let before = other_time(&timeline, request, (low, high))?;
        trends.report = Some(survey.report(reader, about.as_ref(), before, request.top).await?);
    }
    if let Some(about) = &about {
        let entities = survey.entities_of(about);
        trends.sums =
            Some(sums::sums(reader, &entities, &timeline, (low, high), &|id| survey.is_told(id)).await?);
        trends.opinions = opinions::opinions(reader, &entities, &timeline, (low, high)).await?;
    }
    if let Some(entity) = asked {
        trends.changes =
            sources::changes(reader, &named, entity, &relationships, &counts, &timeline, span).await?;
        if let Some(named) = named.get(entity as usize) {
            trends.contradictions = contradictions(reader, &named.entity).await?;
        }
    }
    Ok(trends)
}

/// The time that a window is told against: the one that is asked for, or as many periods before it.
fn other_time(
    timeline: &Timeline,
    request: &TrendRequest,
    (low, high): (usize, usize),
) -> Result<(usize, usize)> {
    let before = match &request.against {
        Some(time) => timeline.window(Some(time), Some(time))?,
        None => (low.saturating_sub(high - low), low),
    };
    if before.0 >= before.1 {
        let label = timeline.periods.get(low).map_or("", |period| period.label.as_str());
        bail!("nothing lies before {label}; say with --against what to compare it with");
    }
    Ok(before)
}

/// Documents of which no text unit stands in a period.
fn undated(timeline: &Timeline, pieces: &PeriodParts) -> Undated {
    let placed = pieces.documents();
    let documents = (0_u32..).zip(timeline.documents.keys());
    let keys: Vec<String> =
        documents.filter(|(number, _)| !placed.contains(number)).map(|(_, key)| key.to_owned()).collect();
    Undated { count: keys.len(), documents: keys }
}
