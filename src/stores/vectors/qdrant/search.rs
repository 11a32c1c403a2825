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
        let exact = query.vector != convert::DENSE || !self.is_large(collection).await?;
        let mut wanted = limit + BEYOND;
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
