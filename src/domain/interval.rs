//! Spans of days, and what is counted in each: how the graph keeps time.

use super::date::are_whole_months;
use super::{Day, Granularity, Id, Period};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;

/// From a day to a day, both included; written as ISO 8601 does: `2023-07-01/2023-09-30`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    /// First day.
    pub from: Day,
    /// Last day.
    pub to: Day,
}

impl Interval {
    /// Short and sortable: `2023-10-24`, `2023-10`, `2023-Q4`, `2023`; first and last day where it is none of these.
    pub fn key(self) -> String {
        let (from, to) = (self.from, self.to);
        let months = to.months() - from.months() + 1;
        let sign = if from.year() < 0 { "-" } else { "" };
        let year = format!("{sign}{:04}", from.year().abs());
        if from == to {
            return from.to_string();
        }
        match (are_whole_months(from, to), months, from.month()) {
            (true, 1, month) => format!("{year}-{month:02}"),
            (true, 3, month) if month % 3 == 1 => format!("{year}-Q{}", month / 3 + 1),
            (true, 12, 1) => year,
            _ => self.to_string(),
        }
    }

    /// Whether they share a day.
    pub fn overlaps(self, other: Self) -> bool {
        self.from <= other.to && other.from <= self.to
    }

    /// Whether no day of `other` lies outside.
    pub fn contains(self, other: Self) -> bool {
        self.from <= other.from && other.to <= self.to
    }
}

impl From<&Period> for Interval {
    fn from(period: &Period) -> Self {
        Self { from: period.from, to: period.to }
    }
}

impl From<Interval> for Period {
    fn from(days: Interval) -> Self {
        // the days of a chat, say
        let is_odd = days.from != days.to && !are_whole_months(days.from, days.to);
        let granularity = match days.to.months() - days.from.months() + 1 {
            _ if days.from == days.to => Granularity::Day,
            1 | 2 if is_odd => Granularity::Week,
            _ if is_odd => Granularity::Year,
            1 => Granularity::Month,
            3 => Granularity::Quarter,
            _ => Granularity::Year,
        };
        let written = if is_odd { String::new() } else { days.key() };
        Self { from: days.from, to: days.to, granularity, written }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.from, self.to)
    }
}

impl FromStr for Interval {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (from, to) = text
            .split_once('/')
            .ok_or_else(|| format!("{text:?} is no interval; write it as 2023-07-01/2023-09-30"))?;
        Ok(Self { from: from.parse()?, to: to.parse()? })
    }
}

impl Serialize for Interval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Interval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// What the documents of one period say of an entity, a relationship or a community.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeriodCount {
    /// The period.
    pub period: Interval,
    /// Documents that name it.
    pub documents: u32,
    /// Text units that name it.
    pub text_units: u32,
    /// Records of it, one at least for each text unit.
    pub mentions: u32,
    /// Sum of the strengths of its records; 0 of an entity.
    pub strength: u32,
    /// Claims about it; 0 of a relationship.
    #[serde(default)]
    pub claims: u32,
    /// Sum of the sentiments of its text units towards it, in thousandths.
    pub sentiment: i32,
    /// Text units that judge it.
    pub judged: u32,
}

impl PeriodCount {
    /// Nothing yet.
    pub fn new(period: Interval) -> Self {
        Self {
            period,
            documents: 0,
            text_units: 0,
            mentions: 0,
            strength: 0,
            claims: 0,
            sentiment: 0,
            judged: 0,
        }
    }

    /// Mean sentiment, from -1 to 1, where anything judges.
    pub fn mean_sentiment(&self) -> Option<f64> {
        (self.judged > 0).then(|| f64::from(self.sentiment) / 1000.0 / f64::from(self.judged))
    }
}

/// A period, and what stands in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeriodTotals {
    /// The period.
    pub period: Interval,
    /// Documents that have a text unit in it.
    pub documents: u64,
    /// Its text units.
    pub text_units: u64,
    /// Claims of its text units.
    pub claims: u64,
}

/// A text unit of a section that has a date of its own, another one than its document's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnDays {
    /// The text unit.
    pub text_unit: Id,
    /// Its document.
    pub document: Id,
    /// The days of its section.
    pub days: Interval,
}

/// What is of some times: whole documents, and text units of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextsOfTimes {
    /// Documents whose text units are of these times or of none, but for those of `without`; in order.
    pub documents: Vec<Id>,
    /// Text units of other documents, each with its document; in order.
    pub units: Vec<(Id, Id)>,
    /// Text units of `documents` that are of other times, in order.
    pub without: Vec<Id>,
}

impl TextsOfTimes {
    /// Adds a document by its text units of these times and of others: whichever are fewer are listed.
    pub fn add(&mut self, document: Id, inside: Vec<Id>, outside: Vec<Id>) {
        if outside.len() <= inside.len() {
            self.documents.push(document);
            self.without.extend(outside);
        } else {
            self.units.extend(inside.into_iter().map(|unit| (unit, document.clone())));
        }
    }

    /// Everything in the order of its ids.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.documents.sort_unstable();
        self.units.sort_unstable();
        self.without.sort_unstable();
        self
    }
}

/// What one text unit says for or against an entity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MentionSentiment {
    /// From -1000 to 1000.
    pub score: i32,
    /// The words that carry it, as written, in the order of the text.
    pub words: Vec<String>,
    /// Who says so, where the text tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opinions: Vec<Opinion>,
}

impl MentionSentiment {
    /// Several as one: their mean, with all words and opinions, each once.
    pub fn mean(all: Vec<Self>) -> Option<Self> {
        let count = i32::try_from(all.len()).ok().filter(|count| *count > 0)?;
        let sum: i32 = all.iter().map(|one| one.score).sum();
        let mut mean = Self { score: sum / count, ..Self::default() };
        for one in all {
            for word in one.words {
                if !mean.words.contains(&word) {
                    mean.words.push(word);
                }
            }
            for opinion in one.opinions {
                if !mean.opinions.contains(&opinion) {
                    mean.opinions.push(opinion);
                }
            }
        }
        Some(mean)
    }
}

/// What somebody holds of an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Opinion {
    /// Who, as written.
    pub holder: String,
    /// From -1000 to 1000.
    pub score: i32,
    /// The sentence.
    pub quote: String,
}

/// The sentiment of a mention, with where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentimentOf {
    /// The entity.
    pub entity: Id,
    /// The text unit.
    pub text_unit: Id,
    /// What it says.
    pub sentiment: MentionSentiment,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_has_a_short_key_and_is_read_back() {
        let check = |text: &str, key: &str| {
            let interval: Interval = text.parse().unwrap();
            assert_eq!((interval.key().as_str(), interval.to_string().as_str()), (key, text));
            let json = serde_json::to_string(&interval).unwrap();
            assert_eq!(serde_json::from_str::<Interval>(&json).unwrap(), interval);
        };
        check("2023-10-24/2023-10-24", "2023-10-24");
        check("2023-10-01/2023-10-31", "2023-10");
        check("2023-07-01/2023-09-30", "2023-Q3");
        check("2019-01-01/2019-12-31", "2019");
        check("2023-07-01/2024-06-30", "2023-07-01/2024-06-30");
        check("2023-08-01/2023-10-31", "2023-08-01/2023-10-31");
        check("2023-10-02/2023-10-31", "2023-10-02/2023-10-31");
        assert!("2023".parse::<Interval>().is_err());
        let shown = |text: &str| Period::from(text.parse::<Interval>().unwrap()).label();
        assert_eq!(shown("2023-10-02/2023-10-05"), "2023-10-02 to 2023-10-05");
        assert_eq!(shown("2023-01-15/2023-03-10"), "2023-01-15 to 2023-03-10");
        assert_eq!(shown("2023-01-15/2023-12-20"), "2023-01-15 to 2023-12-20");
        assert_eq!(shown("2023-07-01/2023-09-30"), "2023-Q3");
    }
}
