//! The best hits of one query: exactly, or where a collection is large by its index; ties are decided here.

use super::connection::QdrantFault;
use super::convert::NearestQuery;
use super::{QdrantVectors, convert};
use crate::domain::Id;
use crate::stores::vectors::checks::unit;
use crate::stores::vectors::fusion::{best, rank_key};
use crate::stores::vectors::{Filter, Hit};
use futures::future::try_join_all;
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::{Condition, CountPointsBuilder, Filter as QdrantFilter, QueryPointsBuilder};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Hits asked for beyond the limit, so that most ties at the cut are seen at once.
const BEYOND: usize = 32;
/// Most hits asked for beyond the limit at first, however many tied before.
const MOST_BEYOND: usize = 512;
/// Searches of one stretch.
const REMEMBERED: usize = 1000;
/// Points whose cosines one request asks for.
const MEASURED: usize = 1024;
/// How long the size of a collection is believed.
const BELIEVED: Duration = Duration::from_mins(1);

/// Collections and whether they were large when somebody last looked.
#[derive(Default)]
pub(super) struct CollectionSizes(Mutex<HashMap<String, (Instant, bool)>>);

impl CollectionSizes {
    fn is_large(&self, collection: &str) -> Option<bool> {
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

/// How many hits tied at the cut of exact searches, by collection. Where texts are much alike, as questions about a hundred
/// products, a request that asks for a few more cuts them, and has to be sent again.
#[derive(Default)]
pub(super) struct Ties(Mutex<HashMap<String, MostNeeded>>);

/// The most hits beyond the limit that were needed in this stretch of searches and in the one before.
#[derive(Clone, Copy, Default)]
struct MostNeeded {
    now: usize,
    before: usize,
    searches: usize,
}

impl Ties {
    /// How many hits to ask for beyond the limit.
    fn beyond(&self, collection: &str) -> usize {
        let known = self.0.lock().ok().and_then(|known| known.get(collection).copied());
        let known = known.unwrap_or_default();
        known.now.max(known.before).clamp(BEYOND, MOST_BEYOND)
    }

    /// Takes in how many hits beyond the limit were needed.
    fn learn(&self, collection: &str, needed: usize) {
        let Ok(mut known) = self.0.lock() else { return };
        let known = known.entry(collection.to_owned()).or_default();
        known.now = known.now.max(needed);
        known.searches += 1;
        if known.searches == REMEMBERED {
            *known = MostNeeded { before: known.now, ..MostNeeded::default() };
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
                        let id = convert::own_id(point.id.as_ref(), &point.payload)?;
                        Some(Hit { id, score: f64::from(point.score) })
                    })
                    .collect();
                return Ok(best(hits, limit));
            }
            wanted *= 4;
        }
    }

    /// The cosines of points with each of `vectors`, exact at any size.
    pub(super) async fn cosines_in(
        &self,
        collection: &str,
        ids: &[Id],
        vectors: &[Vec<f32>],
    ) -> Result<Vec<(Id, Vec<f64>)>, QdrantFault> {
        let client = &self.connection.client;
        let of_points: BTreeMap<String, &Id> =
            ids.iter().map(|id| (convert::point_uuid(id).to_string(), id)).collect();
        let points: Vec<&String> = of_points.keys().collect();
        let requests =
            points.chunks(MEASURED).flat_map(|chunk| vectors.iter().map(move |vector| (chunk, vector)));
        let requests = requests.map(|(chunk, vector)| {
            let query = NearestQuery::dense(&unit(vector));
            let request = QueryPointsBuilder::new(collection)
                .query(query.query)
                .using(query.vector)
                .filter(QdrantFilter::must([Condition::has_id(chunk.iter().map(|point| point.as_str()))]))
                .params(self.making.search(true))
                .with_payload(false)
                .limit(chunk.len() as u64);
            async move { Ok(self.connection.call(|| client.query(request.clone())).await?.result) }
        });
        let mut found: BTreeMap<&Id, Vec<f64>> = BTreeMap::new();
        for point in try_join_all(requests).await?.into_iter().flatten() {
            if let Some(PointIdOptions::Uuid(uuid)) = point.id.and_then(|id| id.point_id_options)
                && let Some(id) = of_points.get(&uuid)
            {
                found.entry(id).or_default().push(f64::from(point.score));
            }
        }
        Ok(found.into_iter().map(|(id, cosines)| (id.clone(), cosines)).collect())
    }

    /// Whether a collection has so many points that looking at all of them takes too long.
    async fn is_large(&self, collection: &str) -> Result<bool, QdrantFault> {
        if let Some(is_large) = self.sizes.is_large(collection) {
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
        // one that needs many comes now and then: asking for some more costs less than asking again
        for _ in 0..REMEMBERED {
            ties.learn("questions", 1);
        }
        assert_eq!(ties.beyond("questions"), 167);
        for _ in 0..REMEMBERED {
            ties.learn("questions", 1);
        }
        assert_eq!(ties.beyond("questions"), BEYOND);
        ties.learn("questions", 100_000);
        assert_eq!(ties.beyond("questions"), MOST_BEYOND);
    }
}
