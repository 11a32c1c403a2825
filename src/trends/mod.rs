//! Trends: what documents name more and more, less and less, for the first time, no more.
//!
//! ```text
//! timeline   documents → periods
//! passages   texts → sentences that count: no formulas, no speakers
//! reading    the graph → documents, communities, sentences
//! counting   sentences → counts by document, with the places to quote
//! judging    counts → chances
//! survey     all that was read and counted
//! topics     communities over time: born, growing, shrinking, ended, what they grew out of
//! reshaping  merges and splits of topics, where chance makes few
//! lists      chances → what rises, falls, begins and ends, strongest first
//! against    a window told against another time
//! report     what is told
//! sums       counts and sentiments of one entity or community, by period, document and relationship
//! drawing    the report as text, Markdown, a picture, a page
//! ```
//!
//! Everything is a function of the stored graph: it is read twice, page by page, and nothing is kept.

mod timeline;
mod passages;
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
mod watch;
mod focus;
mod reading;
mod survey;
mod lists;
mod against;
pub mod drawing;

pub use comparison::{Compared, TimeReport};
pub use report::{Change, ChangeKind, Fired, Tested, Topic, Trend, TrendBurst, Trends, Undated};
pub use reshaping::{Reshaped, Reshaping};
pub use subject::TrendKind;
pub use sums::{PeriodSum, SentimentSum, Sums};
pub use timeline::{Every, TimePeriod};
pub use topics::{GrownOutOf, TopicChange};

use crate::contradictions::contradictions;
use crate::domain::{Document, Id, Period};
use crate::progress::Progress;
use crate::services::Services;
use anyhow::{Result, bail};
use counting::Counter;
use focus::Focus;
use judging::PeriodSpan;
use reading::Pieces;
use rustc_hash::FxHashSet;
use survey::Survey;
use timeline::Timeline;

/// Periods before a window that it is compared with, at least: four quarters are a year.
const BASE: usize = 4;
/// Members from which a community is one.
const MEMBERS: usize = 3;
/// Decimal digits of the natural logarithm of ten.
const LN_TEN: f64 = std::f64::consts::LN_10;
/// A list has one relationship and one community for so many entities.
const OTHERS: usize = 3;
/// Share of a community's sentences that one member names, from which the community says nothing of its own.
const ONE_MEMBER: f64 = 0.8;
/// Sentences of a steady name at least.
const STEADY: u32 = 10;
/// Members of a topic that are told.
const SHOWN_MEMBERS: usize = 6;
/// Text units that name what is called like its document, at most, where that is only a title.
const OWN_UNITS: u32 = 2;
/// Entities of a time that are looked at for what is said otherwise of them, those that are named most.
const LOOKED_AT: usize = 60;
/// Weight of a term of several words.
const TERM: f64 = 0.5;

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
}

/// Reads the graph, counts, judges and quotes.
///
/// # Errors
/// What the store says; documents without dates, a time without documents, a name that is not known.
pub async fn trends(services: &Services, request: &TrendRequest, progress: &Progress) -> Result<Trends> {
    let reader = services.graph.snapshot().await?;
    let reader = reader.as_ref();
    let calendar = services.config.documents.fiscal_calendar();
    let documents = reading::read_documents(reader).await?;
    if documents.is_empty() {
        bail!("nothing is indexed yet; run `graphwright index` first");
    }
    let timeline = reading::read_timeline(reader, &documents, request.every, calendar).await?;
    let (low, high) = timeline.window(request.from.as_ref(), request.to.as_ref())?;
    // what came before a window tells what is usual
    let base = if request.from.is_some() { low.saturating_sub((high - low).max(BASE)) } else { low };
    let span = PeriodSpan { base, low, high };

    let total = documents.len() as u64;
    let (customs, pieces, grid) = learn(reader, &documents, &timeline, progress).await?;
    let communities = leaves(reader).await?;
    let mut entities = Vec::new();
    let mut page = pages::entities(reader, PAGE);
    while let Some(found) = page.next().await? {
        entities.extend(found);
    }
    let mut titles = timeline.titles();
    // what is called like a numbered title, and named elsewhere as well, may be what the texts are about
    let elsewhere: FxHashSet<String> = entities
        .iter()
        .filter(|entity| entity.text_unit_count > OWN_UNITS)
        .map(|entity| entity.name.to_lowercase())
        .collect();
    titles
        .extend(Timeline::titles_in_a_row(&documents).into_iter().filter(|title| !elsewhere.contains(title)));
    let named = counting::named(entities, &customs, &communities, &titles);
    let (related, relationships) = related(reader, &named).await?;
    let about = request.about.as_deref().map(|name| About::find(name, &named, &communities)).transpose()?;
    let asked = about.as_ref().and_then(|about| about.entity);
    let watches = watch::find(&services.config.trends.watch, &named, &communities);
    let judged: FxHashSet<u32> = watches.iter().filter_map(watch::Watch::entity).chain(asked).collect();
    let stage = progress.stage("counting", total);
    let queries = watch::queries(&services.config.trends.watch);
    let counter = Counter::new(&customs, &named, &related, &judged, &timeline).waiting_for(&queries);
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
    trends.watched = watches.iter().filter_map(|watch| survey.watched(watch, &found)).collect();
    let contradicted = survey.contradicting(reader, &watches).await?;
    trends.undated = undated(&documents, &pieces);
    let wanted = std::mem::take(&mut survey.wanted);
    sources::fill(reader, &mut trends, &wanted, &counts.units, span).await?;
    trends.watched.extend(contradicted);
    if request.report {
        let before = other_time(&timeline, request, (low, high))?;
        trends.report = Some(survey.report(reader, about.as_ref(), before, request.top).await?);
    }
    if let Some(about) = &about {
        let entities = told.entities_of(about);
        trends.sums =
            Some(sums::sums(reader, &entities, &timeline, (low, high), &|id| told.is_told(id)).await?);
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
fn undated(documents: &[Document], pieces: &Pieces) -> Undated {
    let placed: FxHashSet<&Id> = pieces.keys().map(|(document, _)| document).collect();
    let keys: Vec<String> = documents
        .iter()
        .filter(|document| !placed.contains(&document.id))
        .map(|document| document.key.clone())
        .collect();
    Undated { count: keys.len(), documents: keys }
}

async fn documents(reader: &dyn GraphReader) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    let mut page = pages::documents(reader, PAGE);
    while let Some(found) = page.next().await? {
        documents.extend(found);
    }
    Ok(documents)
}

async fn timeline(
    reader: &dyn GraphReader,
    documents: &[Document],
    every: Option<Every>,
    calendar: FiscalCalendar,
) -> Result<Timeline> {
    if every != Some(Every::Chapter) {
        let of_documents: BTreeSet<Interval> =
            documents.iter().filter_map(|document| document.date.as_ref().map(Interval::from)).collect();
        let sections = reader.periods().await?.into_iter().map(|totals| totals.period);
        let sections: Vec<Interval> = sections.filter(|days| !of_documents.contains(days)).collect();
        return Timeline::of_dates(documents, &sections, every, calendar);
    }
    let mut units = Vec::new();
    let mut page = pages::text_units(reader, PAGE);
    while let Some(found) = page.next().await? {
        units.extend(found.into_iter().map(|stored| {
            (stored.document_key, stored.unit.index, stored.unit.id, stored.unit.headings.into_iter().next())
        }));
    }
    Timeline::of_chapters(units)
}

/// A document's part in a period, by the document's id and the period.
type Pieces = FxHashMap<(Id, u32), u32>;

/// The first reading: what texts say again and again, who speaks, and which document is of which period.
async fn learn(
    reader: &dyn GraphReader,
    documents: &[Document],
    timeline: &Timeline,
    progress: &Progress,
) -> Result<(Customs, Pieces, Grid)> {
    let keys: FxHashMap<&Id, &str> =
        documents.iter().map(|document| (&document.id, document.key.as_str())).collect();
    let stage = progress.stage("reading", documents.len() as u64);
    let mut customs = Customs::default();
    let mut numbers: FxHashMap<(Id, u32), usize> = FxHashMap::default();
    let mut page = pages::text_units(reader, PAGE);
    while let Some(units) = page.next().await? {
        for unit in units {
            let Some(period) = timeline.place(&unit).and_then(|place| u32::try_from(place).ok()) else {
                continue;
            };
            let next = numbers.len();
            let number = *numbers.entry((unit.unit.document_id.clone(), period)).or_insert(next);
            customs.learn(number, &unit.unit.text);
        }
    }
    stage.advance(documents.len() as u64);
    customs.settle();
    let mut ordered: Vec<(u32, &str, (Id, u32))> =
        numbers.into_keys().map(|key| (key.1, keys.get(&key.0).copied().unwrap_or_default(), key)).collect();
    ordered.sort_unstable();
    let mut grid = Grid { periods: Vec::new(), documents: vec![0; timeline.periods.len()] };
    let mut pieces = Pieces::default();
    for (number, (period, _, key)) in (0_u32..).zip(ordered) {
        grid.periods.push(period);
        if let Some(documents) = grid.documents.get_mut(period as usize) {
            *documents += 1;
        }
        pieces.insert(key, number);
    }
    Ok((customs, pieces, grid))
}

/// The smallest communities of the generation that readers use.
async fn leaves(reader: &dyn GraphReader) -> Result<Vec<Community>> {
    let generation = reader.state().await?.generation;
    let mut communities = reader.communities(generation).await?;
    communities.retain(|community| community.leaf && community.members.len() >= MEMBERS);
    Ok(communities)
}

/// Pairs of entities by their numbers, and the relationships that join them.
type Related = (FxHashSet<(u32, u32)>, FxHashMap<(u32, u32), Relationship>);

async fn related(reader: &dyn GraphReader, named: &[Named]) -> Result<Related> {
    let by_id: FxHashMap<&Id, u32> =
        (0_u32..).zip(named).map(|(number, one)| (&one.entity.id, number)).collect();
    let (mut pairs, mut relationships) = (FxHashSet::default(), FxHashMap::default());
    let mut page = pages::relationships(reader, PAGE);
    while let Some(found) = page.next().await? {
        for mut relationship in found {
            let (Some(&one), Some(&other)) =
                (by_id.get(&relationship.source), by_id.get(&relationship.target))
            else {
                continue;
            };
            relationship.description.clear();
            let pair = (one.min(other), one.max(other));
            pairs.insert(pair);
            relationships.insert(pair, relationship);
        }
    }
    Ok((pairs, relationships))
}

/// The second reading: every sentence that counts.
async fn count(
    reader: &dyn GraphReader,
    mut counter: Counter<'_>,
    pieces: &Pieces,
    timeline: &Timeline,
) -> Result<Counts> {
    let mut page = pages::text_units(reader, PAGE);
    while let Some(units) = page.next().await? {
        let ids: Vec<Id> = units.iter().map(|unit| unit.unit.id.clone()).collect();
        let mentions = reader.mentions_in_units(&ids).await?;
        let mut of_unit: FxHashMap<&Id, Vec<&Id>> = FxHashMap::default();
        for mention in &mentions {
            of_unit.entry(&mention.text_unit).or_default().push(&mention.entity);
        }
        for unit in &units {
            let Some(period) = timeline.place(unit).and_then(|place| u32::try_from(place).ok()) else {
                continue;
            };
            let Some(&piece) = pieces.get(&(unit.unit.document_id.clone(), period)) else { continue };
            let mentioned = of_unit.get(&unit.unit.id).map(Vec::as_slice).unwrap_or_default();
            counter.count(&unit.unit.id, &unit.unit.text, Place { piece, period }, mentioned);
        }
    }
    Ok(counter.end())
}

/// What `--about` names.
#[derive(Debug)]
struct About {
    entity: Option<u32>,
    community: Option<u32>,
}

impl About {
    fn find(name: &str, named: &[Named], communities: &[Community]) -> Result<Self> {
        let key = name_key(name);
        let is_it = |one: &Named| {
            name_key(&one.entity.name) == key || one.entity.aliases.iter().any(|alias| name_key(alias) == key)
        };
        if let Some((number, _)) = (0_u32..).zip(named).find(|(_, one)| is_it(one)) {
            return Ok(Self { entity: Some(number), community: None });
        }
        let mut titled = (0_u32..).zip(communities).filter(|(_, c)| name_key(&c.report.title).contains(&key));
        if let Some((number, _)) = titled.next().filter(|_| !key.is_empty()) {
            return Ok(Self { entity: None, community: Some(number) });
        }
        let number = |one: &Named| named.iter().position(|other| std::ptr::eq(one, other));
        // "Kestrel gearbox" where the graph knows the Kestrel
        let mut inner: Vec<&Named> =
            named.iter().filter(|one| is_word_of(&name_key(&one.entity.name), &key)).collect();
        inner.sort_by_key(|one| {
            (std::cmp::Reverse(one.entity.name.len()), std::cmp::Reverse(one.entity.text_unit_count))
        });
        let is_first = |one: &&&Named| key.starts_with(&name_key(&one.entity.name)) && !one.is_term();
        if let Some(number) = inner.first().filter(is_first).and_then(|one| number(one)) {
            return Ok(Self { entity: u32::try_from(number).ok(), community: None });
        }
        let near: Vec<&str> = named
            .iter()
            .filter(|one| !key.is_empty() && name_key(&one.entity.name).contains(&key))
            .chain(inner)
            .map(|one| one.entity.name.as_str())
            .take(5)
            .collect();
        let hint = if near.is_empty() {
            ", and no name holds that".to_owned()
        } else {
            format!("; did you mean {}?", near.join(", "))
        };
        bail!("no entity or community is called {name:?}{hint}")
    }
}

/// Whether a name stands in a longer one as words of its own.
fn is_word_of(name: &str, longer: &str) -> bool {
    let padded = format!(" {longer} ");
    !name.is_empty() && padded.contains(&format!(" {name} "))
}

/// What is judged: an entity, a pair, a community.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Entity(u32),
    Pair(u32, u32),
    Community(u32),
    /// Words that a watch waits for.
    Query(u32),
}

/// A subject with its chances and the shares of false finds: rising, falling, new, gone.
struct Judged {
    subject: Subject,
    assessment: Assessment,
    shares: [f64; 4],
}

impl Judged {
    fn chances(&self) -> [Option<f64>; 4] {
        let found = &self.assessment;
        [found.rising, found.falling, found.new, found.gone]
    }
}

/// Everything that the report is made of.
struct Telling<'a> {
    named: &'a [Named],
    communities: &'a [Community],
    relationships: &'a FxHashMap<(u32, u32), Relationship>,
    timeline: &'a Timeline,
    grid: &'a Grid,
    span: Span,
    counts: &'a Counts,
    /// The words of watches that wait for words.
    queries: &'a [Vec<String>],
    by_id: FxHashMap<&'a Id, u32>,
    /// The tally of each trend that is told, in their order.
    wanted: Vec<&'a Tally>,
}

impl<'a> Telling<'a> {
    /// Tests all that could have a trend, each kind against its own like.
    fn judge(&self, about: Option<&About>) -> Vec<Judged> {
        let is_told = |entity: u32| self.named.get(entity as usize).is_some_and(|named| !named.is_idle);
        let asked = about.and_then(|about| about.entity);
        let entities = (0_u32..).zip(&self.counts.entities).filter(|(number, _)| is_told(*number));
        let mut all: Vec<Vec<(Subject, &Tally)>> =
            vec![entities.map(|(number, tally)| (Subject::Entity(number), tally)).collect()];
        let pair_is_told = |(one, other): (u32, u32)| {
            is_told(one) && is_told(other) || asked.is_some_and(|asked| asked == one || asked == other)
        };
        let pairs = self.counts.pairs.iter().filter(|(pair, _)| pair_is_told(**pair));
        all.push(pairs.map(|(pair, tally)| (Subject::Pair(pair.0, pair.1), tally)).collect());
        let communities = self.counts.communities.iter();
        all.push(communities.map(|(number, tally)| (Subject::Community(*number), tally)).collect());
        let queries = (0_u32..).zip(&self.counts.queries);
        all.push(queries.map(|(number, tally)| (Subject::Query(number), tally)).collect());
        let mut judged = Vec::new();
        for mut of_kind in all {
            of_kind.sort_by_key(|(subject, _)| *subject);
            let mut found: Vec<Judged> = of_kind
                .into_iter()
                .map(|(subject, tally)| Judged {
                    subject,
                    assessment: self.grid.assess(&tally.counts, self.span),
                    shares: [1.0; 4],
                })
                .filter(|judged| {
                    judged.assessment.sentences > 0 || judged.chances().iter().any(Option::is_some)
                })
                .collect();
            for test in 0..4 {
                // a slope the other way is one that chance explains; what cannot be told is no test
                let tested = |one: &Judged| {
                    let chance = one.chances().get(test).copied().flatten();
                    if test < 2 && one.assessment.sloped { Some(chance.unwrap_or(0.0)) } else { chance }
                };
                let chances: Vec<f64> = found.iter().filter_map(tested).collect();
                let told = found.iter_mut().filter(|one| tested(one).is_some());
                for (one, share) in told.zip(false_discovery(&chances)) {
                    if let Some(slot) = one.shares.get_mut(test) {
                        *slot = share;
                    }
                }
            }
            judged.extend(found);
        }
        judged
    }

    /// The report, its sentences still left out.
    fn tell(&mut self, judged: &[Judged], about: Option<&About>, top: usize) -> Trends {
        let of_kind = |wanted: fn(&Subject) -> bool| judged.iter().filter(|one| wanted(&one.subject)).count();
        let mut periods = self.timeline.periods.clone();
        for (period, documents) in periods.iter_mut().zip(&self.grid.documents) {
            period.documents = *documents;
        }
        let mut trends = Trends {
            every: self.timeline.every,
            periods: periods.get(self.span.low..self.span.high).unwrap_or_default().to_vec(),
            rising: Vec::new(),
            falling: Vec::new(),
            new: Vec::new(),
            gone: Vec::new(),
            steady: Vec::new(),
            about: Vec::new(),
            changes: Vec::new(),
            sums: None,
            watched: Vec::new(),
            contradictions: Vec::new(),
            topics: Vec::new(),
            reshaping: None,
            report: None,
            undated: Undated::default(),
            tested: Tested {
                entities: of_kind(|subject| matches!(subject, Subject::Entity(_))),
                relationships: of_kind(|subject| matches!(subject, Subject::Pair(..))),
                communities: of_kind(|subject| matches!(subject, Subject::Community(_))),
            },
        };
        let lists = [&mut trends.rising, &mut trends.falling, &mut trends.new, &mut trends.gone];
        for (test, list) in lists.into_iter().enumerate() {
            *list = self.list(judged, test, about, top);
        }
        trends.steady = self.steady(judged, about, top);
        let asked = |one: &&Judged| match one.subject {
            Subject::Entity(number) => about.is_some_and(|about| about.entity == Some(number)),
            Subject::Community(number) => about.is_some_and(|about| about.community == Some(number)),
            Subject::Pair(..) | Subject::Query(_) => false,
        };
        if about.is_some() {
            let found = judged.iter().find(asked);
            let subject = about.and_then(|about| {
                about.entity.map(Subject::Entity).or_else(|| about.community.map(Subject::Community))
            });
            if let Some(subject) = subject {
                let tally = self.tally(subject);
                let assessment =
                    tally.map(|tally| self.grid.assess(&tally.counts, self.span)).unwrap_or_default();
                let (score, share) = found.map_or((0.0, 1.0), |one| {
                    let least = one.shares.iter().copied().fold(1.0, f64::min);
                    (
                        one.chances()
                            .iter()
                            .flatten()
                            .fold(0.0, |most: f64, chance| most.max(-chance / LN_TEN)),
                        least,
                    )
                });
                trends.about.extend(self.trend(subject, &assessment, score, share));
            }
        }
        trends
    }

    /// The strongest of a test, so many of each kind.
    fn list(&mut self, judged: &[Judged], test: usize, about: Option<&About>, top: usize) -> Vec<Trend> {
        let mut found: Vec<(f64, String, &Judged, f64)> = judged
            .iter()
            .filter(|one| about.is_none_or(|about| self.concerns(one.subject, about)))
            // what a watch waits for is told there
            .filter(|one| !matches!(one.subject, Subject::Query(_)) && !self.is_one_member(one.subject))
            .filter_map(|one| {
                let is_word = about.is_none() && self.is_word(one.subject);
                // a new word of a single document is how somebody put it
                if is_word && test == NEW && one.assessment.documents < 2 {
                    return None;
                }
                let most = if is_word { FALSE_WORDS } else { FALSE_FINDS };
                let share = one.shares.get(test).copied().filter(|share| *share <= most)?;
                let chance = one.chances().get(test).copied().flatten()?;
                let score = -chance / LN_TEN * self.weight(one.subject);
                Some((score, self.name(one.subject), one, share))
            })
            .collect();
        found.sort_by(|a, b| {
            b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)).then(a.2.subject.cmp(&b.2.subject))
        });
        let mut taken = [0_usize; 3];
        found.retain(|(_, _, one, _)| {
            let (slot, top) = match one.subject {
                Subject::Entity(_) => (0, top),
                Subject::Pair(..) => (1, top.div_ceil(OTHERS)),
                Subject::Community(_) | Subject::Query(_) => (2, top.div_ceil(OTHERS)),
            };
            taken.get_mut(slot).is_some_and(|taken| {
                *taken += 1;
                *taken <= top
            })
        });
        found
            .into_iter()
            .filter_map(|(score, _, one, share)| self.trend(one.subject, &one.assessment, score, share))
            .collect()
    }

    /// Communities that do something over time, the strongest first.
    fn topics(&mut self, judged: &[Judged], about: Option<&About>, top: usize) -> Vec<Topic> {
        let (named, grid, counts) = (self.named, self.grid, self.counts);
        let community = |entity: u32| {
            named.get(entity as usize).filter(|named| !named.is_idle).and_then(Named::community)
        };
        let crossings = Crossings::of(counts, grid, community);
        let mut found: Vec<(f64, usize, &Judged)> = judged
            .iter()
            .filter(|one| matches!(one.subject, Subject::Community(_)))
            .filter(|one| about.is_none_or(|about| self.concerns(one.subject, about)))
            .filter_map(|one| {
                // what begins or ends also rises or falls
                let test = [2, 3, 0, 1].into_iter().find(|test| {
                    one.shares.get(*test).is_some_and(|share| *share <= FALSE_FINDS)
                        && one.chances().get(*test).is_some_and(Option::is_some)
                })?;
                let chance = one.chances().get(test).copied().flatten()?;
                Some((-chance / LN_TEN, test, one))
            })
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.subject.cmp(&b.2.subject)));
        found.truncate(top);
        found
            .into_iter()
            .filter_map(|(score, test, one)| {
                let Subject::Community(number) = one.subject else { return None };
                let change = TopicChange::of_test(test);
                let birth = u32::try_from(one.assessment.first).ok()?;
                let from = (change == TopicChange::Born)
                    .then(|| crossings.grown_from(number, birth, counts, grid))
                    .flatten();
                let share = one.shares.get(test).copied().unwrap_or(1.0);
                let trend = self.trend(one.subject, &one.assessment, score, share)?;
                Some(Topic {
                    change,
                    members: self.strongest(number),
                    grew_out_of: from.map(|from| topics::GrownOutOf {
                        name: self.name(Subject::Community(from.community)),
                        sentences: from.sentences,
                        part: rounded(from.part),
                    }),
                    trend,
                })
            })
            .collect()
    }

    /// The window against another time.
    async fn report(
        &self,
        reader: &dyn GraphReader,
        about: Option<&About>,
        before: (usize, usize),
        top: usize,
    ) -> Result<TimeReport> {
        let now = (self.span.low, self.span.high);
        let mut subjects: Vec<Subject> = (0_u32..)
            .zip(self.named)
            .filter(|(_, named)| !named.is_idle)
            .map(|(number, _)| Subject::Entity(number))
            .chain(self.counts.communities.keys().map(|number| Subject::Community(*number)))
            .chain(
                self.counts
                    .pairs
                    .keys()
                    .filter(|_| about.is_some())
                    .map(|pair| Subject::Pair(pair.0, pair.1)),
            )
            .filter(|subject| about.is_none_or(|about| self.concerns(*subject, about)))
            .filter(|subject| !self.is_one_member(*subject))
            // a word alone says little without its text
            .filter(|subject| {
                about.is_some() || !matches!(subject, Subject::Entity(_)) || self.weight(*subject) >= TERM
            })
            .collect();
        subjects.sort_unstable();
        let mut found: [Vec<(f64, Subject, comparison::Difference)>; 4] = Default::default();
        let differences: Vec<(Subject, comparison::Difference)> = subjects
            .into_iter()
            .filter_map(|subject| Some((subject, self.grid.compare(self.tally(subject)?, now, before)?)))
            .collect();
        let tests = self.sure_of(&differences, now);
        for (at, (subject, difference)) in differences.into_iter().enumerate() {
            let is_new = difference.sentences[1] == 0 && self.first_named(subject) >= now.0;
            let side = usize::from(difference.rates[0] < difference.rates[1]);
            let sure = |test: usize| tests.get(test).and_then(|sure| sure.get(at).copied().flatten());
            let differs = (difference.rates[0] - difference.rates[1]).abs() > f64::EPSILON;
            let goes_on = sure(NEW + 1 + side).filter(|_| differs);
            let told = [sure(side), sure(NEW), goes_on].into_iter().flatten();
            let Some(chance) = told.min_by(f64::total_cmp) else { continue };
            let score = -chance / LN_TEN * self.weight(subject);
            let list = match (is_new, difference.sentences) {
                (true, _) => 2,
                (_, [0, _]) => 3,
                _ => side,
            };
            if let Some(list) = found.get_mut(list) {
                list.push((score, subject, difference));
            }
        }
        let mut lists: Vec<Vec<Compared>> = Vec::new();
        let mut told: Vec<u32> = about.and_then(|about| about.entity).into_iter().collect();
        for (at, mut list) in found.into_iter().enumerate() {
            list.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            self.without_doubles(&mut list);
            list.truncate(top);
            told.extend(list.iter().filter_map(|(_, subject, _)| match subject {
                Subject::Entity(number) => Some(*number),
                _ => None,
            }));
            let time = if at == 3 { before } else { now };
            lists.push(self.compared(reader, &list, time).await?);
        }
        let listed = |number: &u32| told.contains(number);
        let first = self.first_of(about, now, before, listed, top);
        let first = self.compared(reader, &first, now).await?;
        let most = if about.is_none() { self.named_most(now) } else { Vec::new() };
        let others: Vec<u32> = most.into_iter().filter(|number| !listed(number)).collect();
        told.extend(others);
        let mut lists = lists.into_iter();
        let mut next = || lists.next().unwrap_or_default();
        let (more, less, new, gone) = (next(), next(), next(), next());
        let label = |(low, high): (usize, usize)| [self.label(low), self.label(high.saturating_sub(1))];
        let documents = |(low, high): (usize, usize)| {
            self.grid.documents.get(low..high).unwrap_or_default().iter().sum::<u64>()
        };
        let report = TimeReport {
            of: label(now),
            against: label(before),
            documents: [documents(now), documents(before)],
            more,
            less,
            new,
            gone,
            first,
            contradictions: self.contradicted(reader, &told, now).await?,
            by_model: false,
            text: String::new(),
            sources: Vec::new(),
        };
        Ok(report.composed())
    }

    /// Names that no document before has, though too seldom to be sure that they are new, those of most sentences first.
    fn first_of(
        &self,
        about: Option<&About>,
        now: (usize, usize),
        before: (usize, usize),
        is_listed: impl Fn(&u32) -> bool,
        top: usize,
    ) -> Vec<(f64, Subject, comparison::Difference)> {
        let mut found: Vec<(f64, Subject, comparison::Difference)> = (0_u32..)
            .zip(self.named)
            .filter(|(number, named)| !named.is_idle && !named.is_term() && !is_listed(number))
            .map(|(number, _)| Subject::Entity(number))
            .filter(|subject| about.is_none_or(|about| self.concerns(*subject, about)))
            .filter(|subject| self.first_named(*subject) >= now.0)
            .filter_map(|subject| Some((0.0, subject, self.grid.compare(self.tally(subject)?, now, before)?)))
            .filter(|(_, _, difference)| difference.sentences[0] > 0)
            .collect();
        found.sort_by_key(|(_, subject, difference)| (std::cmp::Reverse(difference.sentences[0]), *subject));
        found.truncate(top);
        found
    }

    /// The names that most sentences of a time have.
    fn named_most(&self, (low, high): (usize, usize)) -> Vec<u32> {
        let (from, to) = self.grid.pieces(low, high);
        let mut found: Vec<(u32, u32)> = (0_u32..)
            .zip(self.named)
            .filter(|(_, named)| !named.is_idle && !named.is_term())
            .filter_map(|(number, _)| {
                let tally = self.counts.entities.get(number as usize)?;
                Some((tally.counts.range(from..to).map(|(_, count)| count).sum::<u32>(), number))
            })
            .filter(|(sentences, _)| *sentences > 0)
            .collect();
        found.sort_unstable_by_key(|(sentences, number)| (std::cmp::Reverse(*sentences), *number));
        found.into_iter().take(LOOKED_AT).map(|(_, number)| number).collect()
    }

    /// Leaves out communities of which a member stands in the list.
    fn without_doubles(&self, list: &mut Vec<(f64, Subject, comparison::Difference)>) {
        let entities: Vec<&Id> = list
            .iter()
            .filter_map(|(_, subject, _)| match subject {
                Subject::Entity(number) => self.named.get(*number as usize).map(|named| &named.entity.id),
                _ => None,
            })
            .collect();
        list.retain(|(_, subject, _)| {
            let Subject::Community(number) = subject else { return true };
            let members = self.communities.get(*number as usize).map(|community| &community.members);
            !members.is_some_and(|members| entities.iter().any(|entity| members.contains(entity)))
        });
    }

    /// What is told of differences, with its chance: more, less, against one time; new, against all before; rising, falling
    /// over the periods before and the window.
    fn sure_of(
        &self,
        differences: &[(Subject, comparison::Difference)],
        now: (usize, usize),
    ) -> [Vec<Option<f64>>; 5] {
        let of_side = |side: usize| -> Vec<Option<f64>> {
            differences.iter().map(|(_, one)| one.chances?.get(side).copied()).collect()
        };
        let newness = differences.iter().map(|(subject, one)| self.newness(*subject, one, now)).collect();
        let assessed: Vec<Option<Assessment>> = differences
            .iter()
            .map(|(subject, _)| Some(self.grid.assess(&self.tally(*subject)?.counts, self.span)))
            .collect();
        // a slope the other way is one that chance explains
        let slopes = |slope: fn(&Assessment) -> Option<f64>| -> Vec<Option<f64>> {
            let sloped = assessed.iter().map(|one| one.as_ref().filter(|one| one.sloped));
            sloped.map(|one| one.map(|one| slope(one).unwrap_or(0.0))).collect()
        };
        let (rising, falling) = (slopes(|one| one.rising), slopes(|one| one.falling));
        [of_side(0), of_side(1), newness, rising, falling].map(|chances| sure_ones(&chances))
    }

    /// The chance that what no document before named begins in these periods.
    fn newness(
        &self,
        subject: Subject,
        difference: &comparison::Difference,
        (low, high): (usize, usize),
    ) -> Option<f64> {
        let is_new = difference.sentences[1] == 0 && self.first_named(subject) >= low;
        let tally = self.tally(subject).filter(|_| is_new)?;
        self.grid.assess(&tally.counts, Span { base: low, low, high }).new
    }

    /// The first period that names something.
    fn first_named(&self, subject: Subject) -> usize {
        let first = self.tally(subject).and_then(|tally| tally.counts.keys().next().copied()).unwrap_or(0);
        self.grid.periods.get(first as usize).map_or(0, |period| *period as usize)
    }

    async fn compared(
        &self,
        reader: &dyn GraphReader,
        list: &[(f64, Subject, comparison::Difference)],
        (low, high): (usize, usize),
    ) -> Result<Vec<Compared>> {
        let period = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let quotes: Vec<Option<&counting::Quote>> = list
            .iter()
            .map(|(_, subject, _)| {
                let quotes = self.tally(*subject)?.quotes.range(period(low)..period(high));
                quotes.filter_map(|(_, best)| best.first()).max_by(|a, b| {
                    a.worth.total_cmp(&b.worth).then_with(|| (b.unit, b.start).cmp(&(a.unit, a.start)))
                })
            })
            .collect();
        let sources = sources::sentences(reader, &quotes, &self.counts.units).await?;
        let one =
            |((score, subject, difference), source): (&(f64, Subject, comparison::Difference), _)| Compared {
                name: self.name(*subject),
                kind: match subject {
                    Subject::Entity(_) => TrendKind::Entity,
                    Subject::Pair(..) => TrendKind::Relationship,
                    Subject::Community(_) => TrendKind::Community,
                    Subject::Query(_) => TrendKind::Query,
                },
                sentences: difference.sentences,
                rates: difference.rates.map(rounded),
                score: rounded(*score),
                source,
            };
        Ok(list.iter().zip(sources).map(one).collect())
    }

    /// What is said otherwise of these entities by documents of some periods.
    async fn contradicted(
        &self,
        reader: &dyn GraphReader,
        entities: &[u32],
        (low, high): (usize, usize),
    ) -> Result<Vec<Contradiction>> {
        let of = |at: usize| self.timeline.periods.get(at);
        let (from, to) =
            (of(low).and_then(|period| period.from), of(high.saturating_sub(1)).and_then(|period| period.to));
        let mut all = Vec::new();
        for entity in entities.iter().filter_map(|number| self.named.get(*number as usize)) {
            let found = contradictions(reader, &entity.entity).await?;
            all.extend(found.into_iter().filter(|one| {
                let date = one.later.source.date.as_ref();
                date.is_some_and(|date| Some(date.from) >= from && to.is_none_or(|to| date.to <= to))
            }));
        }
        Ok(all)
    }

    /// The members of a community that are named most.
    fn strongest(&self, community: u32) -> Vec<String> {
        let members = self.communities.get(community as usize).map(|community| community.members.as_slice());
        let mut named: Vec<(u32, u32)> = members
            .unwrap_or_default()
            .iter()
            .filter_map(|member| self.by_id.get(member).copied())
            .filter(|number| self.named.get(*number as usize).is_some_and(|named| !named.is_idle))
            .filter_map(|number| {
                let tally = self.counts.entities.get(number as usize)?;
                Some((tally.counts.values().sum::<u32>(), number))
            })
            .filter(|(sentences, _)| *sentences > 0)
            .collect();
        named.sort_unstable_by_key(|(sentences, number)| (std::cmp::Reverse(*sentences), *number));
        named.into_iter().take(SHOWN_MEMBERS).map(|(_, number)| self.entity_name(number).to_owned()).collect()
    }

    /// Merges and splits between the halves of the window.
    fn reshaping(&self) -> Reshaping {
        let (low, high) = self.grid.pieces(self.span.low, self.span.high);
        let is_idle = |entity: u32| self.named.get(entity as usize).is_none_or(|named| named.is_idle);
        let mut pairs: Vec<reshaping::Pair<'_>> = self
            .counts
            .pairs
            .iter()
            .filter(|((one, other), _)| !is_idle(*one) && !is_idle(*other))
            .map(|(pair, tally)| (*pair, &tally.counts))
            .collect();
        pairs.sort_unstable_by_key(|(pair, _)| *pair);
        let key = |entity: u32| word(self.entity_name(entity));
        let name = |entity: u32| self.entity_name(entity).to_owned();
        let found = reshaping::reshaping(&pairs, (low, low + (high - low) / 2, high), key, name);
        Reshaping { false_share: rounded(found.false_share), ..found }
    }

    /// Whether a community is named by hardly more than one of its members: that one says the same.
    fn is_one_member(&self, subject: Subject) -> bool {
        let Subject::Community(number) = subject else { return false };
        let total = |tally: &Tally| tally.counts.values().sum::<u32>();
        let all = self.tally(subject).map_or(0, total);
        let members = self.communities.get(number as usize).map(|community| community.members.as_slice());
        let most = members
            .unwrap_or_default()
            .iter()
            .filter_map(|member| self.tally(Subject::Entity(*self.by_id.get(member)?)).map(total))
            .max();
        f64::from(most.unwrap_or(0)) >= ONE_MEMBER * f64::from(all)
    }

    /// Entities that are named most and have no trend at all.
    fn steady(&mut self, judged: &[Judged], about: Option<&About>, top: usize) -> Vec<Trend> {
        let mut found: Vec<&Judged> = judged
            .iter()
            .filter(|one| matches!(one.subject, Subject::Entity(_)) && one.assessment.sentences >= STEADY)
            .filter(|one| one.shares.iter().all(|share| *share > 0.2) && self.weight(one.subject) >= 1.0)
            .filter(|one| about.is_none_or(|about| self.concerns(one.subject, about)))
            .collect();
        found.sort_by_key(|one| (std::cmp::Reverse(one.assessment.sentences), one.subject));
        found.truncate(top);
        found.into_iter().filter_map(|one| self.trend(one.subject, &one.assessment, 0.0, 1.0)).collect()
    }

    /// What a watch has to say, if what it waits for has come.
    fn watched(&mut self, watch: &watch::Watch<'_>, judged: &[Judged]) -> Option<Fired> {
        let subject = watch.subject?;
        let one = judged.iter().find(|one| one.subject == subject);
        let assessment = match one {
            Some(one) => one.assessment,
            None => self.grid.assess(&self.tally(subject)?.counts, self.span),
        };
        let trend = self.trend(subject, &assessment, 0.0, 1.0)?;
        let shares =
            one.map_or([1.0; 4], |one| one.shares.map(|share| if share <= FALSE_FINDS { 0.0 } else { 1.0 }));
        let Some(fired) = watch.fired(&trend, shares) else {
            self.wanted.pop();
            return None;
        };
        Some(Fired { name: trend.name.clone(), when: watch.config.when.clone(), ..fired })
    }

    /// What was said in the last period against what was said before, of entities that are watched for it.
    async fn contradicting(
        &self,
        reader: &dyn GraphReader,
        watches: &[watch::Watch<'_>],
    ) -> Result<Vec<Fired>> {
        let last = (self.span.high.saturating_sub(1), self.span.high);
        let mut fired = Vec::new();
        for watch in watches.iter().filter(|watch| watch.config.condition().ok() == Some(When::Contradicts)) {
            let Some(entity) = watch.entity() else { continue };
            let found = self.contradicted(reader, &[entity], last).await?;
            fired.extend(found.into_iter().map(|one| Fired {
                name: one.entity.clone(),
                when: watch.config.when.clone(),
                period: self.label(last.0),
                says: format!("{}: {}, before {}", one.about, one.later.value, one.earlier.value),
                source: Some(one.later.source),
            }));
        }
        Ok(fired)
    }

    /// The entity that is asked about, or the community's members.
    fn entities_of(&self, about: &About) -> Vec<&'a Entity> {
        if let Some(named) = about.entity.and_then(|number| self.named.get(number as usize)) {
            return vec![&named.entity];
        }
        let community = about.community.and_then(|number| self.communities.get(number as usize));
        let members = community.map(|community| community.members.as_slice()).unwrap_or_default();
        members
            .iter()
            .filter_map(|member| self.named.get(*self.by_id.get(member)? as usize))
            .map(|named| &named.entity)
            .collect()
    }

    fn concerns(&self, subject: Subject, about: &About) -> bool {
        match (subject, about.entity, about.community) {
            (Subject::Entity(number), Some(asked), _) => number == asked,
            (Subject::Pair(one, other), Some(asked), _) => one == asked || other == asked,
            (Subject::Community(number), Some(asked), _) => {
                let entity = self.named.get(asked as usize).map(|named| &named.entity.id);
                let members = self.communities.get(number as usize).map(|community| &community.members);
                entity.zip(members).is_some_and(|(entity, members)| members.contains(entity))
            }
            (Subject::Community(number), _, asked) => Some(number) == asked,
            (Subject::Entity(number), _, Some(asked)) => {
                let entity = self.named.get(number as usize).map(|named| &named.entity.id);
                let members = self.communities.get(asked as usize).map(|community| &community.members);
                entity.zip(members).is_some_and(|(entity, members)| members.contains(entity))
            }
            _ => false,
        }
    }

    fn tally(&self, subject: Subject) -> Option<&'a Tally> {
        match subject {
            Subject::Entity(number) => self.counts.entities.get(number as usize),
            Subject::Pair(one, other) => self.counts.pairs.get(&(one, other)),
            Subject::Community(number) => self.counts.communities.get(&number),
            Subject::Query(number) => self.counts.queries.get(number as usize),
        }
    }

    /// Whether an entity is something that a trend could be of.
    fn is_told(&self, id: &Id) -> bool {
        let named = self.by_id.get(id).and_then(|number| self.named.get(*number as usize));
        named.is_none_or(|named| !named.is_idle)
    }

    fn entity_name(&self, number: u32) -> &str {
        self.named.get(number as usize).map_or("", |named| named.entity.name.as_str())
    }

    fn name(&self, subject: Subject) -> String {
        match subject {
            Subject::Entity(number) => self.entity_name(number).to_owned(),
            Subject::Pair(one, other) => {
                let source = self.relationships.get(&(one, other)).map(|relationship| &relationship.source);
                let first = self.named.get(one as usize).map(|named| &named.entity.id);
                let (one, other) = if source == first { (one, other) } else { (other, one) };
                format!("{} – {}", self.entity_name(one), self.entity_name(other))
            }
            Subject::Community(number) => self
                .communities
                .get(number as usize)
                .map(|community| self.title(community))
                .unwrap_or_default(),
            Subject::Query(number) => {
                self.queries.get(number as usize).map(|words| words.join(" ")).unwrap_or_default()
            }
        }
    }

    /// A community's title; one that was put together from names, without those that say nothing.
    fn title(&self, community: &Community) -> String {
        let title = &community.report.title;
        if !community.report.composed {
            return title.clone();
        }
        let idle: Vec<&str> = community
            .members
            .iter()
            .filter_map(|member| self.named.get(*self.by_id.get(member)? as usize))
            .filter(|named| named.is_idle)
            .map(|named| named.entity.name.as_str())
            .collect();
        let ends = [" and others", "等"];
        let end = ends.into_iter().find(|end| title.ends_with(end)).unwrap_or_default();
        let names = title.strip_suffix(end).unwrap_or(title);
        let is_name = |part: &&str| !idle.contains(part);
        for mark in [", ", "、"] {
            let parts: Vec<&str> = names.split(mark).filter(is_name).collect();
            if !parts.is_empty() && parts.len() < names.split(mark).count() {
                return format!("{}{end}", parts.join(mark));
            }
        }
        title.clone()
    }

    /// A name says more than a term, a term of several words more than a word.
    fn weight(&self, subject: Subject) -> f64 {
        let of_entity = |number: u32| {
            let Some(named) = self.named.get(number as usize) else { return 0.0 };
            let name = &named.entity.name;
            match (named.is_term(), name.contains(' ') || name.chars().any(is_han)) {
                (false, _) => 1.0,
                (true, true) => 0.5,
                (true, false) => 0.25,
            }
        };
        match subject {
            Subject::Entity(number) => of_entity(number),
            Subject::Pair(one, other) => 0.5 * of_entity(one).min(of_entity(other)),
            Subject::Community(_) | Subject::Query(_) => 0.3,
        }
    }

    /// Whether it is a word by itself, or a pair with one.
    fn is_word(&self, subject: Subject) -> bool {
        match subject {
            Subject::Entity(_) => self.weight(subject) < TERM,
            Subject::Pair(..) => self.weight(subject) < TERM / 2.0,
            Subject::Community(_) | Subject::Query(_) => false,
        }
    }

    fn label(&self, period: usize) -> String {
        self.timeline.periods.get(period).map(|period| period.label.clone()).unwrap_or_default()
    }

    fn trend(&mut self, subject: Subject, assessment: &Assessment, score: f64, share: f64) -> Option<Trend> {
        let tally = self.tally(subject)?;
        self.wanted.push(tally);
        let Span { base, low, high } = self.span;
        let sentences = self.grid.curve(&tally.counts, low, high);
        let before = (base < low).then(|| self.grid.curve(&tally.counts, base, low).iter().sum());
        let documents: Vec<u64> = self.grid.documents.get(low..high).unwrap_or_default().to_vec();
        let curve = sentences
            .iter()
            .zip(&documents)
            .map(|(sentences, documents)| rounded(f64::from(*sentences) / (*documents).max(1) as f64))
            .collect();
        let all = self.counts.sentences.get(low..high).unwrap_or_default();
        let batches: Vec<(f64, f64)> =
            sentences.iter().zip(all).map(|(sentences, all)| (f64::from(*sentences), *all as f64)).collect();
        let bursts = bursts(&batches)
            .into_iter()
            .map(|burst| TrendBurst {
                from: self.label(low + burst.batches.start),
                to: self.label(low + burst.batches.end.saturating_sub(1)),
                weight: rounded(burst.weight),
            })
            .collect();
        let (kind, of_type) = match subject {
            Subject::Entity(number) => {
                let kind = self.named.get(number as usize).map(|named| named.entity.kind.clone());
                (TrendKind::Entity, kind.unwrap_or_default())
            }
            Subject::Pair(one, other) => {
                let kind =
                    self.relationships.get(&(one, other)).map(|relationship| relationship.kind.clone());
                (TrendKind::Relationship, kind.unwrap_or_default())
            }
            Subject::Community(_) => (TrendKind::Community, String::new()),
            Subject::Query(_) => (TrendKind::Query, String::new()),
        };
        let mean = |period: usize| {
            let (sum, count) = tally.sentiment.get(&u32::try_from(period).ok()?)?;
            Some(rounded(sum / f64::from((*count).max(1))))
        };
        let sentiment = if tally.sentiment.is_empty() { Vec::new() } else { (low..high).map(mean).collect() };
        Some(Trend {
            name: self.name(subject),
            kind,
            r#type: of_type,
            curve,
            periods: (low..high).map(|period| self.label(period)).collect(),
            score: rounded(score),
            false_discovery: share.clamp(exponential(-700.0), 1.0),
            sentences,
            before,
            documents: assessment.documents,
            since: if tally.counts.is_empty() { String::new() } else { self.label(assessment.first) },
            until: if tally.counts.is_empty() { String::new() } else { self.label(assessment.last) },
            bursts,
            sentiment,
            sources: Vec::new(),
        })
    }
}

/// The chances that are told with few enough false finds among them; absent ones are no tests.
fn sure_ones(chances: &[Option<f64>]) -> Vec<Option<f64>> {
    let tested: Vec<f64> = chances.iter().flatten().copied().collect();
    let mut shares = false_discovery(&tested).into_iter();
    chances
        .iter()
        .map(|chance| chance.filter(|_| shares.next().is_some_and(|share| share <= FALSE_FINDS)))
        .collect()
}

/// To three digits: what is printed is the same everywhere.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// The trends of a report, list after list, in the order that [`Telling::tell`] told them in.
fn all_of(trends: &mut Trends) -> impl Iterator<Item = &mut Trend> {
    let Trends { rising, falling, new, gone, steady, about, topics, .. } = trends;
    let of_topics = topics.iter_mut().map(|topic| &mut topic.trend);
    rising.iter_mut().chain(falling).chain(new).chain(gone).chain(steady).chain(about).chain(of_topics)
}
