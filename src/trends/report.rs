//! What is said of trends.

use super::reshaping::Reshaping;
use super::subject::TrendKind;
use super::timeline::{Every, TimePeriod};
use super::topics::{GrownOutOf, TopicChange};
use crate::contradictions::Contradiction;
use crate::domain::SourceSentence;
use serde::Serialize;

/// All that rises, falls, begins and ends.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Trends {
    /// How long a period is.
    pub every: Every,
    /// The periods of the window, the axis of every curve.
    pub periods: Vec<TimePeriod>,
    /// What is named more and more, strongest first.
    pub rising: Vec<Trend>,
    /// What is named less and less, strongest first.
    pub falling: Vec<Trend>,
    /// What was named by no document before, strongest first.
    pub new: Vec<Trend>,
    /// What is named no more, strongest first.
    pub gone: Vec<Trend>,
    /// What is named most, without a trend.
    pub steady: Vec<Trend>,
    /// What `--about` asks for: the entity or community itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<Trend>,
    /// What is counted of what `--about` asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sums: Option<super::sums::Sums>,
    /// What is said of the entity that `--about` names for the first time, or no more, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// What is said of the entity that `--about` names and contradicts what was said before, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<Contradiction>,
    /// Who thinks what of what `--about` asks for, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub opinions: Vec<super::opinions::ToldOpinion>,
    /// Communities that do something over time, the strongest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<Topic>,
    /// Merges and splits of topics between the halves of the time, where chance makes few; absent with `--about`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reshaping: Option<Reshaping>,
    /// The window against another time, where that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<super::comparison::TimeReport>,
    /// What `[[trends.watch]]` waits for and has come.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub watched: Vec<Fired>,
    /// Documents that stand in no period.
    pub undated: Undated,
    /// How many were tested.
    pub tested: Tested,
}

impl Trends {
    /// The trends of all lists, list after list, in the order that they were composed in.
    pub(super) fn each_mut(&mut self) -> impl Iterator<Item = &mut Trend> {
        let Self { rising, falling, new, gone, steady, about, topics, .. } = self;
        let of_topics = topics.iter_mut().map(|topic| &mut topic.trend);
        rising.iter_mut().chain(falling).chain(new).chain(gone).chain(steady).chain(about).chain(of_topics)
    }
}

/// Documents without a date, or with one that is longer than a period.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Undated {
    /// How many.
    pub count: usize,
    /// Their keys.
    pub documents: Vec<String>,
}

/// How many were tested against chance.
#[derive(Clone, Copy, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Tested {
    /// Entities.
    pub entities: usize,
    /// Relationships whose ends one sentence names.
    pub relationships: usize,
    /// Communities.
    pub communities: usize,
}

/// A curve and what chance says of it.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Trend {
    /// The entity, "A – B" of a relationship, or the title of a community's report.
    pub name: String,
    /// What it is.
    pub kind: TrendKind,
    /// Type of the entity, or of the relationship.
    pub r#type: String,
    /// Sentences a document, for each of `periods`.
    pub curve: Vec<f64>,
    /// The periods' labels.
    pub periods: Vec<String>,
    /// How sure: minus the decimal logarithm of its chance; what is no name counts less.
    pub score: f64,
    /// Share of false finds among all that are at least as sure.
    pub false_discovery: f64,
    /// Sentences, for each of `periods`.
    pub sentences: Vec<u32>,
    /// Sentences in the periods before the window that it is compared with; of a window with a beginning alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u32>,
    /// Documents of the window that name it.
    pub documents: usize,
    /// First period that names it; empty where only later documents and those without a period do.
    pub since: String,
    /// Last period that names it; empty where only later documents and those without a period do.
    pub until: String,
    /// Runs of periods that name it much more than the others (Kleinberg).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bursts: Vec<TrendBurst>,
    /// Mean sentiment towards it, for each of `periods`, from -1 to 1; of `--about` alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sentiment: Vec<Option<f64>>,
    /// A sentence for each period that names it, in order.
    pub sources: Vec<SourceSentence>,
}

/// A community over time.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Topic {
    /// What it does.
    pub change: TopicChange,
    /// The members that are named most.
    pub members: Vec<String>,
    /// The older topic that a new one grew out of, where its first sentences tell one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grew_out_of: Option<GrownOutOf>,
    /// Its curve.
    #[serde(flatten)]
    pub trend: Trend,
}

/// A run of periods.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TrendBurst {
    /// First period.
    pub from: String,
    /// Last period.
    pub to: String,
    /// How much more it explains than the common rate.
    pub weight: f64,
}

/// Something that is said of an entity for the first time, or no more.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Change {
    /// The period.
    pub period: String,
    /// Whether it begins or ends.
    pub what: ChangeKind,
    /// With whom or what one sentence names it.
    pub name: String,
    /// The sentence that says it; the last one where it ended.
    pub source: Option<SourceSentence>,
}

/// What happened to something that is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// Said for the first time.
    New,
    /// Said for the last time.
    Ended,
}

/// A watch that has something to say.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Fired {
    /// The entity or community that is watched.
    pub name: String,
    /// What it waits for, as it is set.
    pub when: String,
    /// The period in which that came.
    pub period: String,
    /// What came, in a sentence.
    pub says: String,
    /// Where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceSentence>,
    /// The watch, by its number in the configuration.
    #[serde(skip)]
    pub(super) watch: usize,
    /// What it is known again by in later runs: any of these.
    #[serde(skip)]
    pub(super) marks: Vec<String>,
    /// Whether it is of the last period.
    #[serde(skip)]
    pub(super) is_latest: bool,
    /// The period's number.
    #[serde(skip)]
    pub(super) place: usize,
}
