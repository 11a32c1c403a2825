//! Periods: nodes that entities are counted in, lists beside relationships, and sentiments beside mentions.

use super::Neo4jGraph;
use super::connection::{Transaction, id, map, number, texts};
use crate::domain::{
    Id, Interval, Mention, MentionSentiment, Opinion, OwnDays, PeriodCount, PeriodTotals, SentimentOf,
    TextsOfTimes,
};
use crate::stores::StoreResult;
use crate::stores::graph::{CountsOf, PeriodReader};
use async_trait::async_trait;
use neo4rs::{BoltType, Query};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const ENTITY_PERIODS: &str = include_str!("../../../../cypher/store/entity_periods.cypher");
const OWN_DAYS: &str = include_str!("../../../../cypher/store/own_days.cypher");
const PERIODS_OF_TEXT_UNITS: &str = include_str!("../../../../cypher/store/periods_of_text_units.cypher");
const TEXTS_OF_TIMES: &str = include_str!("../../../../cypher/store/texts_of_times.cypher");
const TEXTS_OF_TIMES_DOCUMENTS: &str =
    include_str!("../../../../cypher/store/texts_of_times_documents.cypher");
const PERIODS: &str = include_str!("../../../../cypher/store/periods.cypher");
const PERIODS_TOGETHER: &str = include_str!("../../../../cypher/store/periods_together.cypher");
const PERIODS_TOGETHER_SUMS: &str = include_str!("../../../../cypher/store/periods_together_sums.cypher");
const PERIODS_TOGETHER_STRENGTHS: &str =
    include_str!("../../../../cypher/store/periods_together_strengths.cypher");
const RELATIONSHIP_PERIODS: &str = include_str!("../../../../cypher/store/relationship_periods.cypher");
const REMOVE_UNUSED_PERIODS: &str = include_str!("../../../../cypher/store/remove_unused_periods.cypher");
const SAVE_ENTITIES_OLD_PERIODS: &str =
    include_str!("../../../../cypher/store/save_entities_old_periods.cypher");
const SAVE_ENTITIES_PERIODS: &str = include_str!("../../../../cypher/store/save_entities_periods.cypher");
const SAVE_PERIODS: &str = include_str!("../../../../cypher/store/save_periods.cypher");
const SENTIMENTS_IN_UNITS: &str = include_str!("../../../../cypher/store/sentiments_in_units.cypher");
const SENTIMENTS_OF: &str = include_str!("../../../../cypher/store/sentiments_of.cypher");

#[derive(Deserialize)]
struct IntervalRow {
    period: Interval,
}

#[derive(Deserialize)]
struct PeriodKeyRow {
    key: String,
}

/// The text units of a document, of the times that are asked for and of others.
#[derive(Deserialize)]
struct TextsRow {
    document: Id,
    inside: Vec<Id>,
    outside: Vec<Id>,
}

#[derive(Deserialize)]
struct PeriodRow {
    id: Id,
    #[serde(flatten)]
    count: PeriodCount,
}

/// A part of the counts of one period.
#[derive(Default, Deserialize)]
#[serde(default)]
struct CountPart {
    documents: u32,
    text_units: u32,
    mentions: u32,
    strength: u32,
    claims: u32,
    sentiment: i32,
    judged: u32,
}

#[derive(Deserialize)]
struct PartRow {
    period: Interval,
    #[serde(flatten)]
    part: CountPart,
}

/// What stands beside a mention that judges.
#[derive(Deserialize)]
pub(super) struct MentionSentimentRow {
    sentiment: Option<f64>,
    sentiment_words: Option<Vec<String>>,
    opinion_holders: Option<Vec<String>>,
    opinion_scores: Option<Vec<i32>>,
    opinion_quotes: Option<Vec<String>>,
}

impl MentionSentimentRow {
    /// The mention with its sentiment.
    pub(super) fn told_by(self, mention: Mention) -> Mention {
        Mention { sentiment: self.read(), ..mention }
    }

    fn read(self) -> Option<MentionSentiment> {
        // what people wrote there may be any number
        #[expect(clippy::cast_possible_truncation, reason = "it lies between -1000 and 1000")]
        let score = (self.sentiment?.clamp(-1.0, 1.0) * 1000.0).round() as i32;
        let holders = self.opinion_holders.unwrap_or_default().into_iter();
        let rest =
            self.opinion_scores.unwrap_or_default().into_iter().zip(self.opinion_quotes.unwrap_or_default());
        let opinions =
            holders.zip(rest).map(|(holder, (score, quote))| Opinion { holder, score, quote }).collect();
        Some(MentionSentiment { score, words: self.sentiment_words.unwrap_or_default(), opinions })
    }
}

#[derive(Deserialize)]
struct SentimentOfRow {
    entity: Id,
    text_unit: Id,
    #[serde(flatten)]
    sentiment: MentionSentimentRow,
}

#[async_trait]
impl PeriodReader for Neo4jGraph {
    async fn periods(&self) -> StoreResult<Vec<PeriodTotals>> {
        let mut periods: Vec<PeriodTotals> = self.connection.read(self.connection.query(PERIODS)).await?;
        periods.sort_unstable_by_key(|totals| totals.period);
        Ok(periods)
    }

    async fn own_days(&self) -> StoreResult<Vec<OwnDays>> {
        let mut found: Vec<OwnDays> = self.connection.read(self.connection.query(OWN_DAYS)).await?;
        found.sort_unstable_by(|a, b| a.text_unit.cmp(&b.text_unit));
        Ok(found)
    }

    async fn texts_of_times(&self, times: &[Interval], most: usize) -> StoreResult<Option<TextsOfTimes>> {
        let periods: Vec<IntervalRow> =
            self.connection.read(self.connection.query(PERIODS_OF_TEXT_UNITS)).await?;
        let wanted: BoltType = periods
            .into_iter()
            .filter(|row| times.iter().any(|time| row.period.overlaps(*time)))
            .map(|row| row.period.to_string())
            .collect();
        let query = self.connection.query(TEXTS_OF_TIMES_DOCUMENTS).param("periods", wanted.clone());
        let keys: Vec<PeriodKeyRow> =
            self.connection.read(query.param("limit", number(most.saturating_add(1)))).await?;
        if keys.len() > most {
            return Ok(None);
        }
        let keys: BoltType = keys.into_iter().map(|row| row.key).collect();
        let query = self.connection.query(TEXTS_OF_TIMES).param("keys", keys).param("periods", wanted);
        let rows: Vec<TextsRow> = self.connection.read(query).await?;
        let mut found = TextsOfTimes::default();
        for row in rows {
            found.add(row.document, row.inside, row.outside);
        }
        Ok(Some(found.sorted()))
    }

    async fn entity_periods(&self, ids: &[Id]) -> StoreResult<Vec<CountsOf>> {
        self.read_counts(self.of_ids(ENTITY_PERIODS, ids)).await
    }

    async fn relationship_periods(&self, ids: &[Id]) -> StoreResult<Vec<CountsOf>> {
        self.read_counts(self.of_ids(RELATIONSHIP_PERIODS, ids)).await
    }

    async fn periods_together(&self, entities: &[Id]) -> StoreResult<Vec<PeriodCount>> {
        let mut counts: BTreeMap<Interval, PeriodCount> = BTreeMap::new();
        for text in [PERIODS_TOGETHER, PERIODS_TOGETHER_SUMS, PERIODS_TOGETHER_STRENGTHS] {
            let query = self.connection.query(text).param("ids", texts(entities));
            let rows: Vec<PartRow> = self.connection.read(query).await?;
            for PartRow { period, part } in rows {
                let count = counts.entry(period).or_insert_with(|| PeriodCount::new(period));
                count.documents += part.documents;
                count.text_units += part.text_units;
                count.mentions += part.mentions;
                count.strength += part.strength;
                count.claims += part.claims;
                count.sentiment += part.sentiment;
                count.judged += part.judged;
            }
        }
        Ok(counts.into_values().collect())
    }

    async fn sentiments_in_units(&self, text_units: &[Id]) -> StoreResult<Vec<SentimentOf>> {
        self.read_sentiments(self.of_ids(SENTIMENTS_IN_UNITS, text_units)).await
    }

    async fn sentiments_of(&self, entities: &[Id]) -> StoreResult<Vec<SentimentOf>> {
        self.read_sentiments(self.of_ids(SENTIMENTS_OF, entities)).await
    }
}

impl Neo4jGraph {
    async fn read_sentiments(&self, queries: Vec<Query>) -> StoreResult<Vec<SentimentOf>> {
        let rows: Vec<SentimentOfRow> = self.connection.read_all(queries).await?;
        let mut found: Vec<SentimentOf> = rows
            .into_iter()
            .filter_map(|row| {
                let sentiment = row.sentiment.read()?;
                Some(SentimentOf { entity: row.entity, text_unit: row.text_unit, sentiment })
            })
            .collect();
        found.sort_unstable_by(|a, b| (&a.entity, &a.text_unit).cmp(&(&b.entity, &b.text_unit)));
        Ok(found)
    }

    async fn read_counts(&self, queries: Vec<Query>) -> StoreResult<Vec<CountsOf>> {
        let rows: Vec<PeriodRow> = self.connection.read_all(queries).await?;
        let mut counts: BTreeMap<Id, Vec<PeriodCount>> = BTreeMap::new();
        for row in rows {
            counts.entry(row.id).or_default().push(row.count);
        }
        for of_one in counts.values_mut() {
            of_one.sort_unstable_by_key(|count| count.period);
        }
        Ok(counts.into_iter().collect())
    }

    /// Makes the counts of entities what is given; periods that are new come first.
    pub(super) async fn save_periods(
        &self,
        transaction: &mut Transaction<'_>,
        counts: &[(&Id, &[PeriodCount])],
    ) -> StoreResult<()> {
        let periods: BTreeSet<Interval> =
            counts.iter().flat_map(|(_, counts)| counts.iter().map(|count| count.period)).collect();
        let mut rows: Vec<(Id, Interval)> =
            periods.into_iter().map(|period| (self.period_id(period), period)).collect();
        rows.sort_unstable();
        let rows = rows.into_iter().map(|(node, period)| {
            map([
                ("id", id(&node)),
                ("interval", period.to_string().into()),
                ("key", period.key().into()),
                ("from", period.from.to_string().into()),
                ("to", period.to.to_string().into()),
            ])
        });
        transaction.run_rows(SAVE_PERIODS, rows.collect()).await?;
        let old = counts.iter().map(|(entity, counts)| {
            let intervals: Vec<String> = counts.iter().map(|count| count.period.to_string()).collect();
            map([("id", id(entity)), ("intervals", intervals.into())])
        });
        transaction.run_rows(SAVE_ENTITIES_OLD_PERIODS, old.collect()).await?;
        let rows = counts.iter().filter(|(_, counts)| !counts.is_empty()).map(|(entity, counts)| {
            let periods: Vec<BoltType> = counts.iter().map(|count| self.count_row(count)).collect();
            map([("id", id(entity)), ("periods", periods.into())])
        });
        transaction.run_rows(SAVE_ENTITIES_PERIODS, rows.collect()).await
    }

    fn count_row(&self, count: &PeriodCount) -> BoltType {
        map([
            ("period", id(&self.period_id(count.period))),
            (
                "properties",
                map([
                    ("documents", number(count.documents)),
                    ("text_units", number(count.text_units)),
                    ("mentions", number(count.mentions)),
                    ("claims", number(count.claims)),
                    ("sentiment", count.mean_sentiment().into()),
                    ("sentiment_sum", number(count.sentiment)),
                    ("judged", number(count.judged)),
                ]),
            ),
        ])
    }

    fn period_id(&self, period: Interval) -> Id {
        self.connection.ids.other("period", &[&period.to_string()])
    }
}

/// Periods that nothing is counted in any more go.
pub(super) async fn remove_unused_periods(transaction: &mut Transaction<'_>) -> StoreResult<()> {
    let query = transaction.connection.query(REMOVE_UNUSED_PERIODS);
    transaction.run(query).await
}
