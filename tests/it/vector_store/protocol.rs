//! What is sent and what is understood, held to Qdrant's published protobuf field by field: a server of older or later
//! years, a collection that somebody else made, every code of an error. No engine is asked.
#![expect(deprecated, reason = "`on_disk` and `always_ram`, which all servers know")]

use super::recorded::{Answer, Call, Recorded};
use super::support::{id, sparse};
use graphwright::config::{Quantization, Secret, VectorsConfig};
use graphwright::stores::graph::VectorKind::{Entities, TextUnits};
use graphwright::stores::vectors::{Filter, Payload, Point, QdrantVectors, VectorQuery};
use graphwright::stores::{StoreError, VectorStore};
use qdrant_client::qdrant::quantization_config::Quantization as Quantized;
use qdrant_client::qdrant::vectors_config::Config;
use qdrant_client::qdrant::with_payload_selector::SelectorOptions;
use qdrant_client::qdrant::{
    CollectionConfig, CollectionInfo, CollectionOperationResponse, CollectionParams, Condition, CountPoints,
    CountResponse, CountResult, CreateCollection, CreateFieldIndexCollection, DeletePoints, Distance,
    FieldType, Filter as QdrantFilter, GetCollectionInfoResponse, HealthCheckReply, HnswConfigDiff,
    ListCollectionsResponse, Modifier, PointId, PointStruct, PointsOperationResponse, QuantizationConfig,
    QuantizationSearchParams, QuantizationType, Query, QueryPoints, QueryResponse, ScalarQuantization,
    ScoredPoint, SearchParams, SparseIndexConfig, SparseVectorConfig, SparseVectorParams, UpdateCollection,
    UpdateMode, UpsertPoints, VectorParams, VectorParamsMap, VectorsConfig as Vectors,
};
use std::collections::{BTreeSet, HashMap};

const DIMENSION: usize = 4;
const HEALTH: &str = "/qdrant.Qdrant/HealthCheck";
const LIST: &str = "/qdrant.Collections/List";
const GET: &str = "/qdrant.Collections/Get";
const CREATE: &str = "/qdrant.Collections/Create";
const UPDATE: &str = "/qdrant.Collections/Update";
const INDEX: &str = "/qdrant.Points/CreateFieldIndex";
const UPSERT: &str = "/qdrant.Points/Upsert";
const DELETE: &str = "/qdrant.Points/Delete";
const COUNT: &str = "/qdrant.Points/Count";
const QUERY: &str = "/qdrant.Points/Query";

/// A collection as a server tells it, made with a dense vector of [`DIMENSION`] and with BM25.
fn ours() -> CollectionParams {
    let dense = VectorParams { size: 4, distance: Distance::Cosine.into(), ..VectorParams::default() };
    let bm25 = SparseVectorParams { modifier: Some(Modifier::Idf.into()), ..SparseVectorParams::default() };
    CollectionParams {
        shard_number: 1,
        replication_factor: Some(1),
        write_consistency_factor: Some(1),
        vectors_config: Some(named("dense", dense)),
        sparse_vectors_config: Some(SparseVectorConfig { map: HashMap::from([("bm25".into(), bm25)]) }),
        ..CollectionParams::default()
    }
}

fn named(name: &str, params: VectorParams) -> Vectors {
    let map = HashMap::from([(name.to_owned(), params)]);
    Vectors { config: Some(Config::ParamsMap(VectorParamsMap { map })) }
}

fn collection_answer(params: CollectionParams) -> Answer {
    let config = CollectionConfig { params: Some(params), ..CollectionConfig::default() };
    let result = Some(CollectionInfo { config: Some(config), ..CollectionInfo::default() });
    Answer::of(&GetCollectionInfoResponse { result, ..GetCollectionInfoResponse::default() })
}

fn health(version: &str) -> Answer {
    Answer::of(&HealthCheckReply { version: version.into(), ..HealthCheckReply::default() })
}

/// What a server says that has whatever it is asked for.
fn agreeing(call: &Call) -> Answer {
    match call.path.as_str() {
        HEALTH => health("1.18.3"),
        LIST => Answer::of(&ListCollectionsResponse::default()),
        GET => collection_answer(ours()),
        CREATE | UPDATE => Answer::of(&CollectionOperationResponse {
            result: true,
            ..CollectionOperationResponse::default()
        }),
        COUNT => {
            Answer::of(&CountResponse { result: Some(CountResult { count: 10 }), ..CountResponse::default() })
        }
        QUERY => {
            // a point stands at a UUIDv5 of its node's id; another is somebody else's
            let place =
                |node: &str| uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_URL, node.as_bytes()).to_string();
            let point = |node: &str, score| ScoredPoint {
                id: Some(PointId::from(place(&format!("graphwright:{node}")))),
                payload: HashMap::from([("id".to_owned(), node.into())]),
                score,
                ..ScoredPoint::default()
            };
            let foreign = ScoredPoint { id: Some(PointId::from(7)), ..point("node-7", 0.9) };
            let result = vec![foreign, point("node-1", 0.75), point("node-2", 0.5)];
            Answer::of(&QueryResponse { result, ..QueryResponse::default() })
        }
        _ => Answer::of(&PointsOperationResponse::default()),
    }
}

/// Where no collection is there yet.
fn empty(call: &Call) -> Answer {
    if call.path == GET { Answer::Status(5, "Not found: Collection doesn't exist!") } else { agreeing(call) }
}

async fn connect(config: &VectorsConfig) -> QdrantVectors {
    QdrantVectors::connect(config, "w").await.unwrap()
}

async fn refusal(config: &VectorsConfig) -> StoreError {
    match QdrantVectors::connect(config, "w").await {
        Ok(store) => store.prepare(Some(DIMENSION)).await.unwrap_err(),
        Err(error) => error,
    }
}

fn settings(config: VectorsConfig) -> VectorsConfig {
    VectorsConfig {
        shards: Some(3),
        replicas: Some(2),
        write_consistency: Some(1),
        on_disk: Some(true),
        quantization: Some(Quantization::Int8),
        hnsw_m: Some(32),
        hnsw_ef: Some(200),
        exact_below: 5,
        ..config
    }
}

#[tokio::test]
async fn a_collection_is_asked_for_with_every_setting_in_its_field() {
    let server = Recorded::start(empty).await;
    connect(&settings(server.config())).await.prepare(Some(DIMENSION)).await.unwrap();
    let made: Vec<CreateCollection> = server.calls(CREATE).iter().map(Call::message).collect();
    let names: Vec<&str> = made.iter().map(|made| made.collection_name.as_str()).collect();
    assert_eq!(names, ["p_w_text_units", "p_w_entities", "p_w_reports", "p_w_summaries", "p_w_questions"]);
    let index = SparseIndexConfig { on_disk: Some(true), ..SparseIndexConfig::default() };
    let bm25 = SparseVectorParams { index: Some(index), modifier: Some(Modifier::Idf.into()) };
    let dense = VectorParams {
        size: 4,
        distance: Distance::Cosine.into(),
        on_disk: Some(true),
        ..VectorParams::default()
    };
    let int8 = ScalarQuantization {
        r#type: QuantizationType::Int8.into(),
        always_ram: Some(true),
        ..ScalarQuantization::default()
    };
    let expected = CreateCollection {
        collection_name: "p_w_entities".into(),
        hnsw_config: Some(HnswConfigDiff {
            m: Some(32),
            ef_construct: Some(200),
            ..HnswConfigDiff::default()
        }),
        shard_number: Some(3),
        vectors_config: Some(named("dense", dense)),
        replication_factor: Some(2),
        write_consistency_factor: Some(1),
        quantization_config: Some(QuantizationConfig { quantization: Some(Quantized::Scalar(int8)) }),
        sparse_vectors_config: Some(SparseVectorConfig { map: HashMap::from([("bm25".into(), bm25)]) }),
        ..CreateCollection::default()
    };
    assert_eq!(made[1], expected);
    let indexes: Vec<CreateFieldIndexCollection> = server.calls(INDEX).iter().map(Call::message).collect();
    let of_entities = indexes.iter().filter(|index| index.collection_name == "p_w_entities");
    let fields: BTreeSet<(&str, FieldType)> =
        of_entities.map(|index| (index.field_name.as_str(), index.field_type())).collect();
    for (field, expected) in [("workspace", FieldType::Keyword), ("level", FieldType::Integer)] {
        assert!(fields.iter().any(|(name, kind)| *name == field && *kind == expected), "{field}");
    }
    assert!(indexes.iter().all(|index| index.wait == Some(true)));
}

#[tokio::test]
async fn without_settings_the_server_decides() {
    let server = Recorded::start(empty).await;
    connect(&server.config()).await.prepare(None).await.unwrap();
    let made: CreateCollection = server.calls(CREATE)[1].message();
    let bm25 = SparseVectorParams { index: None, modifier: Some(Modifier::Idf.into()) };
    let expected = CreateCollection {
        collection_name: "p_w_entities".into(),
        sparse_vectors_config: Some(SparseVectorConfig { map: HashMap::from([("bm25".into(), bm25)]) }),
        ..CreateCollection::default()
    };
    assert_eq!(made, expected);
}

#[tokio::test]
async fn a_large_collection_is_searched_by_its_index_and_scored_again() {
    let server = Recorded::start(agreeing).await;
    let query = VectorQuery {
        dense: Some(vec![2.0, 0.0, 0.0, 0.0]),
        filter: Filter { kinds: Some(vec!["Person".into()]), ..Filter::default() },
        limit: 1,
        ..VectorQuery::default()
    };
    let asked = async |config: VectorsConfig| {
        let hits = connect(&config).await.search(Entities, &query).await.unwrap();
        assert_eq!(hits[0].id.as_str(), "node-1");
        let asked: QueryPoints = server.calls(QUERY).last().unwrap().message();
        asked
    };
    let filter = QdrantFilter::must([Condition::matches("kind", vec!["Person".to_owned()])]);
    let expected = QueryPoints {
        collection_name: "p_w_entities".into(),
        query: Some(Query::new_nearest(vec![1.0_f32, 0.0, 0.0, 0.0])),
        using: Some("dense".into()),
        filter: Some(filter),
        params: Some(SearchParams { exact: Some(true), ..SearchParams::default() }),
        limit: Some(33),
        with_payload: Some(SelectorOptions::Include(vec!["id".to_owned()].into()).into()),
        ..QueryPoints::default()
    };
    assert_eq!(asked(server.config()).await, expected, "ten points are few");
    let count: CountPoints = server.calls(COUNT)[0].message();
    assert_eq!((count.collection_name.as_str(), count.exact), ("p_w_entities", Some(false)));
    let by_index = SearchParams {
        exact: Some(false),
        hnsw_ef: Some(200),
        quantization: Some(QuantizationSearchParams {
            ignore: Some(false),
            rescore: Some(true),
            oversampling: Some(2.0),
        }),
        ..SearchParams::default()
    };
    let expected = QueryPoints { params: Some(by_index), ..expected };
    assert_eq!(asked(settings(server.config())).await, expected, "ten points are many");
    let words = VectorQuery { sparse: Some(sparse(&[(7, 1.0)])), limit: 1, ..VectorQuery::default() };
    connect(&settings(server.config())).await.search(TextUnits, &words).await.unwrap();
    let asked: QueryPoints = server.calls(QUERY).last().unwrap().message();
    assert_eq!(asked.params.and_then(|params| params.exact), Some(true), "words have no index that guesses");
}

#[tokio::test]
async fn points_come_and_go_as_published() {
    let server = Recorded::start(agreeing).await;
    let store = connect(&server.config()).await;
    let payload = Payload { kind: Some("Person".into()), level: Some(2), ..Payload::default() };
    let point = Point { id: id("a"), dense: None, sparse: sparse(&[(7, 0.5), (9, 1.5)]), payload };
    store.upsert(Entities, &[point]).await.unwrap();
    let sent: UpsertPoints = server.calls(UPSERT)[0].message();
    assert_eq!(
        (sent.collection_name.as_str(), sent.wait, sent.update_mode),
        ("p_w_entities", Some(true), None)
    );
    let PointStruct { id: point_id, payload, vectors } = &sent.points[0];
    let text = |key: &str| payload.get(key).and_then(|value| value.as_str()).map(ToString::to_string);
    assert_eq!(text("id").as_deref(), Some(id("a").as_str()));
    assert_eq!((text("kind").as_deref(), text("label").as_deref()), (Some("Person"), Some("Entity")));
    assert_eq!(payload["level"], 2_i64.into());
    let vectors = format!("{vectors:?}");
    assert!(vectors.contains("bm25") && !vectors.contains("\"dense\""), "{vectors}");
    store.delete(Entities, &[id("a")]).await.unwrap();
    let emptied: UpsertPoints = server.calls(UPSERT)[1].message();
    assert_eq!(emptied.update_mode(), UpdateMode::UpdateOnly, "nothing comes that was not there");
    let deleted: DeletePoints = server.calls(DELETE)[0].message();
    assert_eq!(deleted.wait, Some(true));
    assert!(format!("{:?}", deleted.points).contains(&format!("{:?}", point_id.clone().unwrap())));
}

#[tokio::test]
async fn what_can_be_changed_where_it_is_is_asked_for_once_by_collection() {
    let server = Recorded::start(agreeing).await;
    let store = connect(&settings(server.config())).await;
    store.prepare(Some(DIMENSION)).await.unwrap();
    assert!(server.calls(UPDATE).is_empty(), "a run only tells");
    store.adapt().await.unwrap();
    let changes: Vec<UpdateCollection> = server.calls(UPDATE).iter().map(Call::message).collect();
    assert_eq!(changes.len(), 5);
    let params = changes[0].params.as_ref().unwrap();
    assert_eq!((params.replication_factor, params.write_consistency_factor), (Some(2), Some(1)));
    assert!(changes[0].quantization_config.is_some() && changes[0].vectors_config.is_some());
    let plain = Recorded::start(agreeing).await;
    connect(&plain.config()).await.adapt().await.unwrap();
    let shards = VectorsConfig { shards: Some(3), ..plain.config() };
    connect(&shards).await.adapt().await.unwrap();
    assert!(plain.calls(UPDATE).is_empty(), "nothing to change, or nothing that can be");
}

#[tokio::test]
async fn an_older_server_is_refused_by_its_version_and_a_later_one_believed() {
    let server = async |version: &'static str| {
        Recorded::start(move |call| if call.path == HEALTH { health(version) } else { agreeing(call) }).await
    };
    let old = server("1.9.7").await;
    let error = refusal(&old.config()).await;
    let message = error.to_string();
    assert!(matches!(error, StoreError::Unusable(_)), "{error:?}");
    assert!(message.contains("1.9.7") && message.contains("1.10 or later"), "{message}");
    for version in ["1.10.0", "1.18.3", "2.4.0", "next"] {
        connect(&server(version).await.config()).await;
    }
    let silent = Recorded::start(|call: &Call| {
        if call.path == HEALTH { Answer::Status(12, "no such call") } else { agreeing(call) }
    });
    connect(&silent.await.config()).await;
}

#[tokio::test]
async fn fields_of_later_years_are_passed_over() {
    // field 777, a text of three letters
    let later = |answer| match answer {
        Answer::Message(message) => {
            Answer::Message([message, vec![0xca, 0x30, 3, b'n', b'e', b'w']].concat())
        }
        status @ Answer::Status(..) => status,
    };
    let server = Recorded::start(move |call: &Call| later(agreeing(call))).await;
    let store = connect(&server.config()).await;
    store.prepare(Some(DIMENSION)).await.unwrap();
    assert_eq!(store.count(Entities).await.unwrap(), 10);
    let query = VectorQuery { dense: Some(vec![1.0; DIMENSION]), limit: 2, ..VectorQuery::default() };
    assert_eq!(store.search(Entities, &query).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_collection_that_somebody_else_made_is_left_alone() {
    let unnamed = |params| Vectors { config: Some(Config::Params(params)) };
    let dense = VectorParams { size: 4, distance: Distance::Cosine.into(), ..VectorParams::default() };
    let euclid = VectorParams { distance: Distance::Euclid.into(), ..dense };
    let no_idf = SparseVectorConfig { map: HashMap::from([("bm25".into(), SparseVectorParams::default())]) };
    let foreign = [
        ("an unnamed vector", CollectionParams { vectors_config: Some(unnamed(dense)), ..ours() }),
        ("another distance", CollectionParams { vectors_config: Some(named("dense", euclid)), ..ours() }),
        ("no words", CollectionParams { sparse_vectors_config: None, ..ours() }),
        ("words without frequencies", CollectionParams { sparse_vectors_config: Some(no_idf), ..ours() }),
    ];
    for (what, params) in foreign {
        let server = Recorded::start(move |call: &Call| {
            if call.path == GET { collection_answer(params.clone()) } else { agreeing(call) }
        });
        let server = server.await;
        let error = refusal(&server.config()).await;
        assert!(matches!(error, StoreError::Unusable(_)), "{what}: {error:?}");
        assert!(error.to_string().contains("choose another prefix"), "{what}: {error}");
        let changing = [CREATE, UPDATE, INDEX, UPSERT, DELETE, "/qdrant.Collections/Delete"];
        assert!(changing.iter().all(|path| server.calls(path).is_empty()), "{what}");
    }
}

/// Codes of gRPC and what the caller does next.
#[tokio::test]
async fn every_code_of_an_error_says_what_to_do() {
    let kinds: [(i32, &str); 12] = [
        (1, "Failed"),
        (2, "Failed"),
        (4, "Unreachable"),
        (7, "Refused"),
        (8, "Busy"),
        (9, "Failed"),
        (10, "Busy"),
        (11, "Failed"),
        (12, "Unusable"),
        (13, "Failed"),
        (14, "Unreachable"),
        (16, "Refused"),
    ];
    let checks = kinds.map(|(code, expected)| async move {
        let server = Recorded::start(move |call: &Call| {
            if call.path == COUNT { Answer::Status(code, "the server's words") } else { agreeing(call) }
        });
        // tried again for no longer than a call may take
        let config = VectorsConfig { timeout_s: 1, ..server.await.config() };
        let error = connect(&config).await.count(Entities).await.unwrap_err();
        let found = format!("{error:?}");
        assert!(found.starts_with(expected), "{code}: {found}");
        assert!(found.contains("the server's words"), "{code}: {found}");
    });
    futures::future::join_all(checks).await;
    let missing = Recorded::start(empty).await;
    let store = connect(&missing.config()).await;
    let point = Point { id: id("a"), dense: None, sparse: sparse(&[(1, 1.0)]), payload: Payload::default() };
    let error = store.upsert(Entities, &[point]).await.unwrap_err();
    assert!(error.to_string().contains("p_w_entities"), "{error}");
}

#[tokio::test]
async fn the_key_goes_with_every_call() {
    let server = Recorded::start(empty).await;
    let config = VectorsConfig { api_key: Secret::new("sesame"), ..server.config() };
    connect(&config).await.prepare(Some(DIMENSION)).await.unwrap();
    let calls = server.all_calls();
    assert!(calls.len() > 10);
    assert!(calls.iter().all(|call| call.api_key.as_deref() == Some("sesame")), "{calls:?}");
}
