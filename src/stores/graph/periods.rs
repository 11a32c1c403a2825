//! Periods: what is counted in each, and what text units say for or against entities.

use crate::domain::{Id, Interval, OwnDays, PeriodCount, PeriodTotals, SentimentOf, TextsOfTimes};
use crate::stores::StoreResult;
use async_trait::async_trait;

/// Counts of one entity or relationship, by its id.
pub type CountsOf = (Id, Vec<PeriodCount>);

/// Reads what is counted in each period: sums of evidence, written with those of entities and relationships
/// ([`super::EntityWrite::periods`]).
#[async_trait]
pub trait PeriodReader: Send + Sync {
    /// Every period that has a text unit, by first day, then last day.
    async fn periods(&self) -> StoreResult<Vec<PeriodTotals>>;
    /// The text units of sections that have dates of their own, by text unit.
    async fn own_days(&self) -> StoreResult<Vec<OwnDays>>;
    /// What shares a day with any of these times; nothing where more than `most` documents do. It reads the periods of the
    /// workspace, each once, and the text units of the documents found.
    async fn texts_of_times(&self, times: &[Interval], most: usize) -> StoreResult<Option<TextsOfTimes>>;
    /// The counts of these entities, by id, each by period; those of no period are left out.
    async fn entity_periods(&self, ids: &[Id]) -> StoreResult<Vec<CountsOf>>;
    /// The counts of these relationships, by id, each by period; those of no period are left out.
    async fn relationship_periods(&self, ids: &[Id]) -> StoreResult<Vec<CountsOf>>;
    /// The counts of these entities together, as of a community's members: a document and a text unit counts once,
    /// however many of them it names; the strength is that of the relationships between them. By period.
    async fn periods_together(&self, entities: &[Id]) -> StoreResult<Vec<PeriodCount>>;
    /// What these text units say for or against entities, by entity, then text unit.
    async fn sentiments_in_units(&self, text_units: &[Id]) -> StoreResult<Vec<SentimentOf>>;
    /// What text units say for or against these entities, by entity, then text unit.
    async fn sentiments_of(&self, entities: &[Id]) -> StoreResult<Vec<SentimentOf>>;
}
