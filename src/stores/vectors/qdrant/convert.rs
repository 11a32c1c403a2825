//! Our terms in Qdrant's and back. Pure functions.

use crate::domain::{Id, PlaceFilter, fingerprint};
use crate::stores::graph::VectorKind;
use crate::stores::vectors::{Filter, Point, SparseVector};
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::vector_output::Vector as Output;
use qdrant_client::qdrant::vectors_config::Config;
use qdrant_client::qdrant::{
    CollectionInfo, Condition, Distance, Filter as QdrantFilter, Modifier, NamedVectors,
    PayloadIncludeSelector, PointId, PointStruct, Query, Range, RetrievedPoint, Value, Vector, VectorInput,
};
use std::collections::HashMap;
use uuid::Uuid;

/// Name of the dense vector.
pub(super) const DENSE: &str = "dense";
/// Name of the sparse vector.
pub(super) const BM25: &str = "bm25";
/// Payload field that puts points in the order of their ids: the id's first bytes as a number.
pub(super) const ORDER: &str = "order";
/// Payload field with the node's id.
const ID: &str = "id";
/// Longest part of a workspace's name that stands in a collection's.
const LONGEST_NAME: usize = 40;

/// `<prefix>_<workspace>_<last>`. No two workspaces share a name: one that is not plain (lower-case letters, digits
/// and `-`) is written as what is plain of it, a full stop and a hash.
pub(super) fn collection_name(prefix: &str, workspace: &str, last: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let plain = !workspace.is_empty() && workspace.len() <= LONGEST_NAME && workspace.chars().all(is_plain);
    let part = if plain {
        workspace.to_owned()
    } else {
        let readable: String =
            workspace.to_lowercase().chars().filter(|c| is_plain(*c)).take(LONGEST_NAME).collect();
        format!("{readable}.{}", fingerprint(&[workspace]))
    };
    format!("{prefix}_{part}_{last}")
}

/// What vectors a collection has.
pub(super) enum VectorLayout {
    /// Ours, with dense vectors of this dimension, if any.
    Ours(Option<usize>),
    /// Others.
    Foreign,
}

/// What vectors a collection has.
pub(super) fn shape(info: &CollectionInfo) -> VectorLayout {
    our_shape(info).map_or(VectorLayout::Foreign, VectorLayout::Ours)
}

#[expect(clippy::option_option, reason = "lets `?` pass over what is not there")]
fn our_shape(info: &CollectionInfo) -> Option<Option<usize>> {
    let params = info.config.as_ref()?.params.as_ref()?;
    let sparse = params.sparse_vectors_config.as_ref()?.map.get(BM25)?;
    if sparse.modifier() != Modifier::Idf {
        return None;
    }
    match params.vectors_config.as_ref().and_then(|config| config.config.as_ref()) {
        None => Some(None),
        Some(Config::Params(_)) => None,
        Some(Config::ParamsMap(named)) => {
            let Some(dense) = named.map.get(DENSE) else { return Some(None) };
            (dense.distance() == Distance::Cosine).then(|| usize::try_from(dense.size).ok())
        }
    }
}

/// A point with its payload.
pub(super) fn point(point: &Point, kind: VectorKind, workspace: &str) -> PointStruct {
    let label = match kind {
        VectorKind::Entities => "Entity",
        VectorKind::TextUnits => "TextUnit",
        VectorKind::Reports => "Community",
        VectorKind::Summaries => "TreeNode",
        VectorKind::Questions => "Question",
    };
    let mut payload: HashMap<String, Value> = HashMap::from([
        (ID.into(), point.id.as_str().into()),
        ("label".into(), label.into()),
        ("workspace".into(), workspace.into()),
        (ORDER.into(), order(&point.id).into()),
    ]);
    let details = &point.payload;
    payload.extend(details.document_id.as_ref().map(|id| ("document_id".into(), id.as_str().into())));
    payload.extend(details.kind.as_deref().map(|kind| ("kind".into(), kind.into())));
    payload.extend(details.level.map(|level| ("level".into(), i64::from(level).into())));
    if let Some(place) = &details.place {
        payload.insert("place_kind".into(), place.kind.as_str().into());
        payload.insert("place_first".into(), whole(place.first).into());
        payload.insert("place_last".into(), whole(place.last).into());
        payload.insert("place_labels".into(), place.labels.clone().into());
    }
    let mut vectors = NamedVectors::default();
    if !point.sparse.indices.is_empty() {
        let sparse = Vector::new_sparse(point.sparse.indices.clone(), point.sparse.values.clone());
        vectors = vectors.add_vector(BM25, sparse);
    }
    if let Some(dense) = &point.dense {
        vectors = vectors.add_vector(DENSE, Vector::new_dense(dense.clone()));
    }
    PointStruct::new(point_id(&point.id), vectors, payload)
}

/// A point without vectors or payload.
pub(super) fn empty_point(id: &Id) -> PointStruct {
    PointStruct::new(point_id(id), NamedVectors::default(), HashMap::<String, Value>::new())
}

/// The point's id: a `UUIDv5` of the node's.
pub(super) fn point_id(id: &Id) -> PointId {
    point_uuid(id).to_string().into()
}

pub(super) fn point_uuid(id: &Id) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("graphwright:{id}").as_bytes())
}

/// The id's first bytes as a number, which orders ids as far as they differ there.
pub(super) fn order(id: &Id) -> i64 {
    let mut bytes = [0; 8];
    for (byte, given) in bytes.iter_mut().zip(id.as_str().bytes()) {
        *byte = given;
    }
    (u64::from_be_bytes(bytes) >> 1).cast_signed()
}

/// The node's id of a payload.
pub(super) fn id_of(payload: &HashMap<String, Value>) -> Option<Id> {
    payload.get(ID)?.as_str().map(Id::from_stored)
}

/// The node's id of a point that stands at the place of this id. Another is somebody else's.
pub(super) fn own_id(place: Option<&PointId>, payload: &HashMap<String, Value>) -> Option<Id> {
    id_of(payload).filter(|id| place == Some(&point_id(id)))
}

/// A point's id in words.
pub(super) fn point_name(id: &PointId) -> Option<String> {
    Some(match id.point_id_options.as_ref()? {
        PointIdOptions::Num(number) => number.to_string(),
        PointIdOptions::Uuid(uuid) => uuid.clone(),
    })
}

/// The id of [`point_name`].
pub(super) fn point_named(name: &str) -> PointId {
    name.parse::<u64>().map_or_else(|_| PointId::from(name), PointId::from)
}

/// Asks for no payload but the id.
pub(super) fn id_only() -> PayloadIncludeSelector {
    vec![ID.to_owned()].into()
}

/// A filter in Qdrant's terms.
pub(super) fn filter(filter: &Filter) -> QdrantFilter {
    let mut conditions = Vec::new();
    if let Some(documents) = &filter.documents {
        let documents: Vec<String> = documents.iter().map(ToString::to_string).collect();
        let of_documents = Condition::matches("document_id", documents);
        conditions.push(if filter.units.is_empty() {
            of_documents
        } else {
            let units = Condition::has_id(filter.units.iter().map(point_id));
            QdrantFilter::should([of_documents, units]).into()
        });
    }
    if let Some(kinds) = &filter.kinds {
        conditions.push(Condition::matches("kind", kinds.clone()));
    }
    if let Some(levels) = &filter.levels {
        let levels: Vec<i64> = levels.iter().copied().map(i64::from).collect();
        conditions.push(Condition::matches("level", levels));
    }
    conditions.extend(filter.places.iter().map(|wanted| QdrantFilter::must(at_places(wanted)).into()));
    let mut wanted = QdrantFilter::must(conditions);
    if !filter.without.is_empty() {
        wanted.must_not.push(Condition::has_id(filter.without.iter().map(point_id)));
    }
    wanted
}

/// What the payload of a text unit at one of these places holds.
fn at_places(wanted: &PlaceFilter) -> [Condition; 2] {
    let reaching = |&(from, to): &(u64, u64)| -> Condition {
        QdrantFilter::must([
            Condition::range("place_first", Range { lte: Some(to as f64), ..Range::default() }),
            Condition::range("place_last", Range { gte: Some(from as f64), ..Range::default() }),
        ])
        .into()
    };
    let mut any: Vec<Condition> = wanted.ranges.iter().map(reaching).collect();
    if !wanted.labels.is_empty() {
        any.push(Condition::matches("place_labels", wanted.labels.clone()));
    }
    let kind = Condition::matches("place_kind", wanted.kind.as_str().to_owned());
    [kind, QdrantFilter::should(any).into()]
}

/// A number as the store's integers hold it.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A query of one of a collection's vectors.
pub(super) struct NearestQuery {
    /// The vector's name.
    pub(super) vector: &'static str,
    pub(super) query: Query,
}

impl NearestQuery {
    /// Asks for the nearest by cosine.
    pub(super) fn dense(vector: &[f32]) -> Self {
        Self { vector: DENSE, query: Query::new_nearest(vector.to_vec()) }
    }

    /// Asks for the highest BM25 score.
    pub(super) fn sparse(vector: &SparseVector) -> Self {
        let input = VectorInput::new_sparse(vector.indices.clone(), vector.values.clone());
        Self { vector: BM25, query: Query::new_nearest(input) }
    }
}

/// The dense vector of a point, if it has one.
pub(super) fn dense_of(point: RetrievedPoint) -> Option<(Id, Vec<f32>)> {
    let id = id_of(&point.payload)?;
    match point.vectors?.get_vector_by_name(DENSE)? {
        Output::Dense(dense) => Some((id, dense.data)),
        _ => None,
    }
}

/// The weight of each token in the sparse vector of a point.
pub(super) fn weights_of(point: RetrievedPoint, tokens: &[u32]) -> Option<(Id, Vec<f32>)> {
    let id = id_of(&point.payload)?;
    let mut weights = vec![0.0; tokens.len()];
    if let Some(Output::Sparse(sparse)) = point.vectors.and_then(|v| v.get_vector_by_name(BM25)) {
        for (token, weight) in sparse.indices.iter().zip(sparse.values) {
            for (_, slot) in tokens.iter().zip(&mut weights).filter(|(wanted, _)| *wanted == token) {
                *slot = weight;
            }
        }
    }
    Some((id, weights))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn plain_workspaces_are_readable_in_names() {
        assert_eq!(
            collection_name("graphwright", "default", VectorKind::TextUnits.as_str()),
            "graphwright_default_text_units"
        );
    }

    #[test]
    fn no_two_workspaces_share_a_name() {
        let long = "x".repeat(200);
        let workspaces = [
            "a",
            "A",
            "a_b",
            "a-b",
            "a b",
            "ab",
            "",
            "三国",
            "三国 ",
            "a/b",
            "..",
            &long,
            &long[1..],
            "a_entities",
        ];
        let mut names = BTreeSet::new();
        for prefix in ["p", "p_a"] {
            for workspace in workspaces {
                for kind in VectorKind::ALL.map(VectorKind::as_str) {
                    let name = collection_name(prefix, workspace, kind);
                    assert!(
                        name.len() < 120
                            && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
                    );
                    assert!(names.insert(name), "{prefix} {workspace} {kind:?}");
                }
            }
        }
        let hashed = collection_name("p", "A", "reports");
        let workspace = hashed.trim_start_matches("p_").trim_end_matches("_reports");
        assert_ne!(collection_name("p", workspace, "reports"), hashed);
    }

    #[test]
    fn the_order_field_follows_the_order_of_ids() {
        let mut ids: Vec<Id> =
            ["", "0", "00f", "0123456789abcdef", "zz", "三国", "a", "ab"].map(Id::from_stored).into();
        ids.sort_unstable();
        assert!(ids.is_sorted_by_key(order));
    }
}
