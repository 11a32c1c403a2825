//! The vector store in Qdrant: a collection a kind; ties and fusion decided here as for SQLite.

mod client;
mod connection;
mod convert;
mod collections;
mod search;
mod structure;

use super::checks::{check_dense, check_point, check_sparse, not_prepared, other_dimension, unit};
use super::fusion::{fuse, prefetch_limit};
use super::{Hit, Point, VectorQuery, VectorStore};
use crate::config::VectorsConfig;
use crate::domain::Id;
use crate::stores::graph::VectorKind;
use crate::stores::{StoreError, StoreResult};
use async_trait::async_trait;
use collections::{CollectionSettings, SettingDifference};
use connection::{QdrantConnection, QdrantFault};
use convert::{BM25, DENSE, NearestQuery, VectorLayout};
use futures::future::{OptionFuture, try_join, try_join_all};
use qdrant_client::qdrant::start_from::Value as StartFrom;
use qdrant_client::qdrant::{
    CountPointsBuilder, CreateFieldIndexCollectionBuilder, DeletePointsBuilder, FieldType, GetPointsBuilder,
    OrderByBuilder, PointId, PointStruct, PointsIdsList, RetrievedPoint, ScrollPointsBuilder, UpdateMode,
    UpsertPointsBuilder, VectorsSelector,
};
use search::{CollectionSizes, Ties};
use std::collections::{BTreeMap, BTreeSet};

/// Points a request.
const CHUNK: usize = 256;
/// Points looked at in one request for those that are not ours.
const LOOKED_AT_ONCE: u32 = 1000;
/// Points read beyond a page, so that most of those that begin alike are seen at once.
const BEYOND: usize = 32;
/// Payload fields with an index.
const INDEXED: [(&str, FieldType); 9] = [
    ("document_id", FieldType::Keyword),
    ("kind", FieldType::Keyword),
    ("workspace", FieldType::Keyword),
    ("level", FieldType::Integer),
    ("place_kind", FieldType::Keyword),
    ("place_first", FieldType::Integer),
    ("place_last", FieldType::Integer),
    ("place_labels", FieldType::Keyword),
    (convert::ORDER, FieldType::Integer),
];

/// Vectors of one workspace in Qdrant.
pub struct QdrantVectors {
    connection: QdrantConnection,
    prefix: String,
    workspace: String,
    making: CollectionSettings,
    exact_below: u64,
    sizes: CollectionSizes,
    ties: Ties,
}

/// A collection that is there.
struct There {
    /// Dimension, where there are dense vectors.
    dimension: Option<usize>,
    /// Payload fields with an index.
    indexed: BTreeSet<String>,
    /// Settings that it was not made with.
    differences: Vec<SettingDifference>,
}

impl QdrantVectors {
    /// Connects; nothing is written before [`VectorStore::prepare`].
    ///
    /// # Errors
    /// [`StoreError::Unreachable`], [`StoreError::Refused`] where the key is missing or wrong,
    /// [`StoreError::Unusable`] for an address that is none.
    pub async fn connect(config: &VectorsConfig, workspace: impl Into<String>) -> StoreResult<Self> {
        let connection = QdrantConnection::open(config).await?;
        Ok(Self {
            connection,
            prefix: config.prefix.clone(),
            workspace: workspace.into(),
            making: CollectionSettings::from(config),
            exact_below: config.exact_below,
            sizes: CollectionSizes::default(),
            ties: Ties::default(),
        })
    }

    /// The settings of `[vectors]` that a stored collection was not made with.
    ///
    /// # Errors
    /// What the service says.
    pub async fn differing_settings(&self) -> StoreResult<Vec<&'static str>> {
        let mut settings = Vec::new();
        for kind in VectorKind::ALL {
            let found = self.look_up(kind).await?.map(|there| there.differences).unwrap_or_default();
            settings.extend(found.into_iter().map(|difference| difference.setting));
        }
        let mut seen = BTreeSet::new();
        settings.retain(|setting| seen.insert(*setting));
        Ok(settings)
    }

    fn collection(&self, kind: VectorKind) -> String {
        convert::collection_name(&self.prefix, &self.workspace, kind.as_str())
    }

    /// The collection as messages name it.
    fn name(&self, kind: VectorKind) -> String {
        format!("{} ({})", self.connection, self.collection(kind))
    }

    fn unexpected(&self, fault: QdrantFault) -> StoreError {
        self.connection.unexpected(fault)
    }

    async fn create(&self, collection: &str, dimension: Option<usize>) -> StoreResult<()> {
        let client = &self.connection.client;
        let request = self.making.collection(collection, dimension);
        match self.connection.call(|| client.create_collection(request.clone())).await {
            Ok(_) | Err(QdrantFault::Exists) => Ok(()),
            Err(fault) => Err(self.unexpected(fault)),
        }
    }

    async fn create_indexes(&self, kind: VectorKind, there: &BTreeSet<String>) -> StoreResult<()> {
        let client = &self.connection.client;
        for (field, field_type) in INDEXED.into_iter().filter(|(field, _)| !there.contains(*field)) {
            let request =
                CreateFieldIndexCollectionBuilder::new(self.collection(kind), field, field_type).wait(true);
            self.connection
                .call(|| client.create_field_index(request.clone()))
                .await
                .map_err(|fault| self.unexpected(fault))?;
        }
        Ok(())
    }

    /// The collection; `None` if it is missing.
    async fn look_up(&self, kind: VectorKind) -> StoreResult<Option<There>> {
        let client = &self.connection.client;
        let name = self.collection(kind);
        let info = match self.connection.call(|| client.collection_info(&name)).await {
            Ok(response) => response.result.unwrap_or_default(),
            Err(QdrantFault::Missing) => return Ok(None),
            Err(fault) => return Err(self.unexpected(fault)),
        };
        match convert::shape(&info) {
            VectorLayout::Ours(dimension) => Ok(Some(There {
                dimension,
                differences: self.making.differences(&info),
                indexed: info.payload_schema.into_keys().collect(),
            })),
            VectorLayout::Foreign => Err(StoreError::Unusable(format!(
                "{} was not made by graphwright; choose another prefix under [vectors]",
                self.name(kind)
            ))),
        }
    }

    /// Says what is wrong with a rejected request: mostly a dense vector of another dimension.
    async fn rejected(&self, kind: VectorKind, dense: Option<&[f32]>, reason: String) -> StoreError {
        let dimension = match self.look_up(kind).await {
            Ok(found) => found.and_then(|there| there.dimension),
            Err(error) => return error,
        };
        let problem = dense.map(|dense| check_dense(&self.name(kind), dense, dimension));
        match problem {
            Some(Err(error)) => error,
            _ => StoreError::Failed { service: self.name(kind), reason },
        }
    }

    /// Ids from the one that begins with `order`, in the order of their beginnings, at least `limit` if there are.
    async fn page(&self, kind: VectorKind, order: i64, limit: usize) -> StoreResult<PointPage> {
        let client = &self.connection.client;
        let request = ScrollPointsBuilder::new(self.collection(kind))
            .order_by(OrderByBuilder::new(convert::ORDER).start_from(StartFrom::Integer(order)))
            .with_payload(convert::id_only())
            .limit(u32::try_from(limit).unwrap_or(u32::MAX));
        match self.connection.call(|| client.scroll(request.clone())).await {
            Ok(response) => {
                let ids = response
                    .result
                    .iter()
                    .filter_map(|point| convert::own_id(point.id.as_ref(), &point.payload))
                    .collect();
                Ok(PointPage { ids, points: response.result.len() })
            }
            Err(QdrantFault::Missing) => Ok(PointPage::default()),
            Err(fault) => Err(self.unexpected(fault)),
        }
    }
}

/// Points in the order of their ids.
#[derive(Default)]
struct PointPage {
    /// The ids of those that are ours: somebody else's may have none.
    ids: Vec<Id>,
    /// How many the server sent.
    points: usize,
}

#[async_trait]
impl VectorStore for QdrantVectors {
    fn describe(&self) -> String {
        self.connection.to_string()
    }

    async fn prepare(&self, dimension: Option<usize>) -> StoreResult<()> {
        let mut differing: BTreeMap<SettingDifference, Vec<String>> = BTreeMap::new();
        for kind in VectorKind::ALL {
            let there = self.look_up(kind).await?;
            match (&there, dimension) {
                (None, _) => self.create(&self.collection(kind), dimension).await?,
                (Some(stored), Some(wanted)) if stored.dimension != Some(wanted) => {
                    if self.count(kind).await? > 0 {
                        return Err(other_dimension(&self.name(kind), stored.dimension, wanted));
                    }
                    self.drop_collection(&self.collection(kind)).await?;
                    self.create(&self.collection(kind), dimension).await?;
                    self.create_indexes(kind, &BTreeSet::new()).await?;
                    continue;
                }
                _ => {}
            }
            let (indexed, differences) =
                there.map(|there| (there.indexed, there.differences)).unwrap_or_default();
            for difference in differences {
                differing.entry(difference).or_default().push(self.collection(kind));
            }
            self.create_indexes(kind, &indexed).await?;
        }
        for (difference, collections) in &differing {
            warn_of(difference, collections);
        }
        Ok(())
    }

    async fn dimension(&self) -> StoreResult<Option<usize>> {
        Ok(self.look_up(VectorKind::TextUnits).await?.and_then(|there| there.dimension))
    }

    async fn adapt(&self) -> StoreResult<()> {
        let client = &self.connection.client;
        for kind in VectorKind::ALL {
            let Some(there) = self.look_up(kind).await? else { continue };
            if !there.differences.iter().any(SettingDifference::is_changeable) {
                continue;
            }
            let request = self.making.change(&self.collection(kind), there.dimension.is_some());
            self.connection
                .call(|| client.update_collection(request.clone()))
                .await
                .map_err(|fault| self.unexpected(fault))?;
        }
        Ok(())
    }

    async fn upsert(&self, kind: VectorKind, points: &[Point]) -> StoreResult<()> {
        let Some(There { dimension, .. }) = self.look_up(kind).await? else {
            return Err(not_prepared(self.name(kind)));
        };
        for point in points {
            check_point(&self.name(kind), point, dimension)?;
        }
        let distinct: BTreeMap<&Id, &Point> = points.iter().map(|point| (&point.id, point)).collect();
        let structs: Vec<_> =
            distinct.into_values().map(|point| convert::point(point, kind, &self.workspace)).collect();
        self.upsert_structs(&self.collection(kind), &structs).await
    }

    async fn delete(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()> {
        for chunk in ids.chunks(CHUNK) {
            self.empty(kind, chunk).await?;
            self.delete_points(kind, chunk.iter().map(convert::point_id).collect()).await?;
        }
        Ok(())
    }

    async fn search(&self, kind: VectorKind, query: &VectorQuery) -> StoreResult<Vec<Hit>> {
        let dense = query.dense.as_deref();
        let sparse = query.sparse.as_ref();
        sparse.map_or(Ok(()), |sparse| check_sparse(&self.name(kind), sparse))?;
        if query.limit == 0 || query.filter.holds_for_nothing() {
            return Ok(Vec::new());
        }
        let both = dense.is_some() && sparse.is_some();
        let collection = &self.collection(kind);
        let limit = if both { prefetch_limit(query.limit) } else { query.limit };
        let by_cosine =
            OptionFuture::from(dense.map(|dense| {
                self.nearest(collection, NearestQuery::dense(&unit(dense)), &query.filter, limit)
            }));
        let by_words = OptionFuture::from(
            sparse
                .filter(|sparse| !sparse.indices.is_empty())
                .map(|sparse| self.nearest(collection, NearestQuery::sparse(sparse), &query.filter, limit)),
        );
        let lists = try_join(async { by_cosine.await.transpose().map(Option::unwrap_or_default) }, async {
            by_words.await.transpose().map(Option::unwrap_or_default)
        });
        match lists.await {
            Ok((by_cosine, by_words)) if both => {
                Ok(fuse(&[(by_cosine, 1.0), (by_words, query.words_weight)], query.limit))
            }
            Ok((by_cosine, by_words)) => Ok(if dense.is_some() { by_cosine } else { by_words }),
            Err(QdrantFault::Missing) => Ok(Vec::new()),
            Err(QdrantFault::Rejected(reason)) => Err(self.rejected(kind, dense, reason).await),
            Err(fault) => Err(self.unexpected(fault)),
        }
    }

    async fn search_each(&self, kind: VectorKind, queries: &[VectorQuery]) -> StoreResult<Vec<Vec<Hit>>> {
        try_join_all(queries.iter().map(|query| self.search(kind, query))).await
    }

    async fn weights_of(
        &self,
        kind: VectorKind,
        ids: &[Id],
        tokens: &[u32],
    ) -> StoreResult<Vec<(Id, Vec<f32>)>> {
        let points = self.points_of(kind, ids, BM25).await?;
        Ok(points.into_iter().filter_map(|point| convert::weights_of(point, tokens)).collect())
    }

    async fn ids(&self, kind: VectorKind, after: Option<&Id>, limit: usize) -> StoreResult<Vec<Id>> {
        let first = after.map_or(0, convert::order);
        if limit == 0 {
            return Ok(Vec::new());
        }
        let mut wanted = limit + BEYOND;
        loop {
            let page = self.page(kind, first, wanted).await?;
            let last = page.ids.last().map(convert::order);
            let complete = page.points < wanted;
            // of the ids that begin like the last one, not all may be here
            let sure = page.ids.into_iter().filter(|id| complete || Some(convert::order(id)) != last);
            let mut ids: Vec<Id> = sure.filter(|id| after.is_none_or(|after| id > after)).collect();
            if complete || ids.len() >= limit {
                ids.sort_unstable();
                ids.truncate(limit);
                return Ok(ids);
            }
            wanted *= 4;
        }
    }

    async fn dense_of(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<Vec<(Id, Vec<f32>)>> {
        Ok(self.points_of(kind, ids, DENSE).await?.into_iter().filter_map(convert::dense_of).collect())
    }

    async fn cosines(
        &self,
        kind: VectorKind,
        ids: &[Id],
        vectors: &[Vec<f32>],
    ) -> StoreResult<Vec<(Id, Vec<f64>)>> {
        match self.cosines_in(&self.collection(kind), ids, vectors).await {
            Ok(found) => Ok(found),
            Err(QdrantFault::Missing) => Ok(Vec::new()),
            Err(QdrantFault::Rejected(_)) if self.has_no_dense(kind).await? => Ok(Vec::new()),
            Err(QdrantFault::Rejected(reason)) => {
                Err(self.rejected(kind, vectors.first().map(Vec::as_slice), reason).await)
            }
            Err(fault) => Err(self.unexpected(fault)),
        }
    }

    async fn foreign(&self, kind: VectorKind) -> StoreResult<Vec<String>> {
        let client = &self.connection.client;
        let (mut foreign, mut next) = (Vec::new(), None);
        loop {
            let mut request = ScrollPointsBuilder::new(self.collection(kind))
                .with_payload(convert::id_only())
                .limit(LOOKED_AT_ONCE);
            if let Some(next) = next {
                request = request.offset::<PointId>(next);
            }
            let page = match self.connection.call(|| client.scroll(request.clone())).await {
                Ok(page) => page,
                Err(QdrantFault::Missing) => return Ok(foreign),
                Err(fault) => return Err(self.unexpected(fault)),
            };
            let others = page
                .result
                .iter()
                .filter(|point| convert::own_id(point.id.as_ref(), &point.payload).is_none());
            foreign.extend(others.filter_map(|point| convert::point_name(point.id.as_ref()?)));
            next = page.next_page_offset;
            if next.is_none() {
                return Ok(foreign);
            }
        }
    }

    async fn delete_foreign(&self, kind: VectorKind, points: &[String]) -> StoreResult<()> {
        self.delete_points(kind, points.iter().map(|name| convert::point_named(name)).collect()).await
    }

    async fn save_structure(&self, vectors: &[(Id, Vec<f32>)]) -> StoreResult<()> {
        self.replace_structure(vectors).await
    }

    async fn near_in_structure(&self, around: &[Id], limit: usize) -> StoreResult<Vec<Hit>> {
        self.search_structure(around, limit).await
    }

    async fn structure_count(&self) -> StoreResult<u64> {
        self.count_of(&self.structure_collection()).await
    }

    async fn count(&self, kind: VectorKind) -> StoreResult<u64> {
        self.count_of(&self.collection(kind)).await
    }

    async fn wipe(&self) -> StoreResult<()> {
        for kind in VectorKind::ALL {
            self.drop_collection(&self.collection(kind)).await?;
        }
        self.drop_collection(&self.structure_collection()).await
    }
}

impl QdrantVectors {
    async fn upsert_structs(&self, collection: &str, points: &[PointStruct]) -> StoreResult<()> {
        let client = &self.connection.client;
        for chunk in points.chunks(CHUNK) {
            let request = UpsertPointsBuilder::new(collection, chunk).wait(true);
            self.connection
                .call(|| client.upsert_points(request.clone()))
                .await
                .map_err(|fault| self.unexpected(fault))?;
        }
        Ok(())
    }

    async fn delete_points(&self, kind: VectorKind, ids: Vec<PointId>) -> StoreResult<()> {
        let client = &self.connection.client;
        let request =
            DeletePointsBuilder::new(self.collection(kind)).points(PointsIdsList { ids }).wait(true);
        match self.connection.call(|| client.delete_points(request.clone())).await {
            Ok(_) | Err(QdrantFault::Missing) => Ok(()),
            Err(fault) => Err(self.unexpected(fault)),
        }
    }

    /// The points of these ids that are there, by id, with one of their vectors.
    async fn points_of(
        &self,
        kind: VectorKind,
        ids: &[Id],
        vector: &str,
    ) -> StoreResult<Vec<RetrievedPoint>> {
        match self.points_in(&self.collection(kind), ids, vector).await {
            Ok(points) => Ok(points),
            Err(QdrantFault::Missing) => Ok(Vec::new()),
            Err(QdrantFault::Rejected(_)) if self.has_no_dense(kind).await? => Ok(Vec::new()),
            Err(fault) => Err(self.unexpected(fault)),
        }
    }

    async fn points_in(
        &self,
        collection: &str,
        ids: &[Id],
        vector: &str,
    ) -> Result<Vec<RetrievedPoint>, QdrantFault> {
        let client = &self.connection.client;
        let distinct: Vec<&Id> = ids.iter().collect::<BTreeSet<_>>().into_iter().collect();
        let read = |chunk: &[&Id]| {
            let points: Vec<PointId> = chunk.iter().map(|id| convert::point_id(id)).collect();
            let request = GetPointsBuilder::new(collection, points)
                .with_payload(convert::id_only())
                .with_vectors(VectorsSelector { names: vec![vector.to_owned()] });
            async move { Ok(self.connection.call(|| client.get_points(request.clone())).await?.result) }
        };
        let mut found = try_join_all(distinct.chunks(CHUNK).map(read)).await?.concat();
        found.sort_by_cached_key(|point| convert::id_of(&point.payload));
        Ok(found)
    }

    async fn count_of(&self, collection: &str) -> StoreResult<u64> {
        let client = &self.connection.client;
        let request = CountPointsBuilder::new(collection).exact(true);
        match self.connection.call(|| client.count(request.clone())).await {
            Ok(response) => Ok(response.result.map_or(0, |result| result.count)),
            Err(QdrantFault::Missing) => Ok(0),
            Err(fault) => Err(self.unexpected(fault)),
        }
    }

    async fn drop_collection(&self, collection: &str) -> StoreResult<()> {
        let client = &self.connection.client;
        match self.connection.call(|| client.delete_collection(collection)).await {
            Ok(_) | Err(QdrantFault::Missing) => Ok(()),
            Err(fault) => Err(self.unexpected(fault)),
        }
    }

    /// Takes points out of the sparse index by leaving them without vectors. A deleted point would go on counting in
    /// document frequencies until the server rebuilds its segment.
    async fn empty(&self, kind: VectorKind, ids: &[Id]) -> StoreResult<()> {
        let client = &self.connection.client;
        let points: Vec<_> = ids.iter().map(convert::empty_point).collect();
        let request = UpsertPointsBuilder::new(self.collection(kind), points)
            .update_mode(UpdateMode::UpdateOnly)
            .wait(true);
        match self.connection.call(|| client.upsert_points(request.clone())).await {
            Ok(_) | Err(QdrantFault::Missing) => Ok(()),
            Err(fault) => Err(self.unexpected(fault)),
        }
    }

    async fn has_no_dense(&self, kind: VectorKind) -> StoreResult<bool> {
        Ok(self.look_up(kind).await?.is_none_or(|there| there.dimension.is_none()))
    }
}

/// Tells a setting that collections were not made with, and the way to change it.
fn warn_of(difference: &SettingDifference, collections: &[String]) {
    let SettingDifference { setting, stored, wanted } = difference;
    let collections = collections.join(", ");
    if difference.is_changeable() {
        tracing::warn!(
            "[vectors] {setting} is {wanted}, but these collections of Qdrant have {stored}: {collections}; \
             `graphwright doctor --fix` changes them where they are"
        );
    } else {
        tracing::warn!(
            "[vectors] {setting} is {wanted}, but these collections of Qdrant have {stored}: {collections}; \
             this is decided when a collection is made: delete them there, and `graphwright sync-vectors` makes \
             them anew"
        );
    }
}
