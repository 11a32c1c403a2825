//! The best hits of one query: exactly, or where a collection is large by its index; ties are decided here.

use super::connection::QdrantFault;
use super::convert::NearestQuery;
use super::{QdrantVectors, convert};
use crate::stores::vectors::fusion::{best, rank_key};
use crate::stores::vectors::{Filter, Hit};
use qdrant_client::qdrant::{CountPointsBuilder, QueryPointsBuilder};
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Hits asked for beyond the limit, so that most ties at the cut are seen at once.
const BEYOND: usize = 32;
/// Most hits asked for beyond the limit at first, however many tied before.
const MOST_BEYOND: usize = 512;
/// How long the size of a collection is believed.
const BELIEVED: Duration = Duration::from_mins(1);

/// Collections and whether they were large when somebody last looked.
#[derive(Default)]
pub(super) struct CollectionSizes(Mutex<HashMap<String, (Instant, bool)>>);

impl CollectionSizes {
    fn known(&self, collection: &str) -> Option<bool> {
        let known = self.0.lock().ok()?;
        let (seen, is_large) = known.get(collection)?;
        (seen.elapsed() < BELIEVED).then_some(*is_large)
    }

    fn learn(&self, collection: &str, is_large: bool) {
        if let Ok(mut known) = self.0.lock() {
            known.insert(collection.to_owned(), (Instant::now(), is_large));
        }
    }
}

/// How many hits tied at the cut of the last exact searches, by collection. Where texts are much alike, as questions about a
/// hundred products, a request that asks for a few more cuts them, and has to be sent again.
#[derive(Default)]
pub(super) struct Ties(Mutex<HashMap<String, usize>>);

impl Ties {
    /// How many hits to ask for beyond the limit.
    fn beyond(&self, collection: &str) -> usize {
        let known = self.0.lock().ok().and_then(|known| known.get(collection).copied());
        known.unwrap_or(BEYOND)
    }

    /// Takes in how many hits beyond the limit were needed; fewer ones are believed step by step.
    fn learn(&self, collection: &str, needed: usize) {
        let Ok(mut known) = self.0.lock() else { return };
        let before = known.get(collection).copied().unwrap_or(BEYOND);
        let next = needed.max(before - before.div_ceil(64)).clamp(BEYOND, MOST_BEYOND);
        known.insert(collection.to_owned(), next);
    }
}

impl QdrantVectors {
    /// The best hits of one query; asks for more until no tie is cut.
    pub(super) async fn nearest(
        &self,
        collection: &str,
        query: NearestQuery,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Hit>, QdrantFault> {
        let client = &self.connection.client;
        // the index over words is exact at any size
        let is_dense = query.vector == convert::DENSE;
        let exact = !is_dense || !self.is_large(collection).await?;
        // what an index finds may depend on how much is asked for, so nothing is learned there
        let learns = exact && is_dense;
        let mut wanted = limit + if learns { self.ties.beyond(collection) } else { BEYOND };
        loop {
            let request = QueryPointsBuilder::new(collection)
                .query(query.query.clone())
                .using(query.vector)
                .filter(convert::filter(filter))
                .params(self.making.search(exact))
                .with_payload(convert::id_only())
                .limit(wanted as u64);
            let found = self.connection.call(|| client.query(request.clone())).await?.result;
            let complete = found.len() < wanted || {
                let key = |at: usize| found.get(at).map(|point| rank_key(point.score));
                key(limit - 1) > key(found.len() - 1)
            };
            if complete {
                if learns && let Some(last) = found.get(limit - 1) {
                    let cut = rank_key(last.score);
                    let tied = found.iter().skip(limit).take_while(|point| rank_key(point.score) >= cut);
                    // one more shows that they end there
                    self.ties.learn(collection, tied.count() + 1);
                }
                let hits = found
                    .into_iter()
                    .filter_map(|point| {
                        let id = convert::id_of(&point.payload)?;
                        Some(Hit { id, score: f64::from(point.score) })
                    })
                    .collect();
                return Ok(best(hits, limit));
            }
            wanted *= 4;
        }
    }

    /// Whether a collection has so many points that looking at all of them takes too long.
    async fn is_large(&self, collection: &str) -> Result<bool, QdrantFault> {
        if let Some(is_large) = self.sizes.known(collection) {
            return Ok(is_large);
        }
        let client = &self.connection.client;
        let request = CountPointsBuilder::new(collection).exact(false);
        let response = self.connection.call(|| client.count(request.clone())).await?;
        let count = response.result.map_or(0, |result| result.count);
        let is_large = count >= self.exact_below;
        self.sizes.learn(collection, is_large);
        Ok(is_large)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_that_were_cut_once_are_asked_for_at_once() {
        let ties = Ties::default();
        assert_eq!(ties.beyond("questions"), BEYOND);
        ties.learn("questions", 167);
        assert_eq!(ties.beyond("questions"), 167);
        assert_eq!(ties.beyond("entities"), BEYOND, "of another collection");
        ties.learn("questions", 1);
        assert_eq!(ties.beyond("questions"), 164, "believed step by step");
        for _ in 0..200 {
            ties.learn("questions", 1);
        }
        assert_eq!(ties.beyond("questions"), BEYOND);
        ties.learn("questions", 100_000);
        assert_eq!(ties.beyond("questions"), MOST_BEYOND);
    }
}
