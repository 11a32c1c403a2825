//! What only a service can do: be away, refuse, or listen on another port.

use super::support::{DIMENSION, qdrant_config};
use graphwright::config::{Quantization, Secret, VectorsConfig};
use graphwright::stores::vectors::QdrantVectors;
use graphwright::stores::{StoreError, VectorStore};

async fn connect(config: &VectorsConfig) -> StoreError {
    match QdrantVectors::connect(config, "default").await {
        Ok(_) => panic!("connected"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn a_server_that_is_away_is_named_with_what_to_do() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let config = VectorsConfig { url: Some(format!("http://127.0.0.1:{port}")), ..VectorsConfig::default() };
    let error = connect(&config).await;
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
    let message = error.to_string();
    assert!(message.contains(&port.to_string()) && message.contains("QDRANT_URL"), "{message}");
}

#[tokio::test]
async fn something_that_is_no_qdrant_is_not_waited_for() {
    let server = wiremock::MockServer::start().await;
    let config = VectorsConfig { url: Some(server.uri()), ..VectorsConfig::default() };
    let error = connect(&config).await;
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn an_address_that_is_none_is_unusable() {
    let config = VectorsConfig { url: Some("localhost:6334".into()), ..VectorsConfig::default() };
    assert!(matches!(connect(&config).await, StoreError::Unusable(_)));
}

/// Where a server with a key is given as well.
#[tokio::test]
async fn a_wrong_key_is_refused_and_a_right_one_let_in() {
    let (Ok(url), Ok(key)) =
        (std::env::var("GRAPHWRIGHT_TEST_QDRANT_KEY_URL"), std::env::var("GRAPHWRIGHT_TEST_QDRANT_KEY"))
    else {
        eprintln!("left out: GRAPHWRIGHT_TEST_QDRANT_KEY_URL and GRAPHWRIGHT_TEST_QDRANT_KEY are not set");
        return;
    };
    let with = |api_key| VectorsConfig { url: Some(url.clone()), api_key, ..VectorsConfig::default() };
    for bad in [Secret::default(), Secret::new("wrong")] {
        let error = connect(&with(bad)).await;
        assert!(matches!(error, StoreError::Refused { .. }), "{error:?}");
        assert!(error.to_string().contains("QDRANT_API_KEY"));
    }
    assert!(QdrantVectors::connect(&with(Secret::new(key)), "default").await.is_ok());
    assert!(qdrant_config("key").is_none_or(|config| config.api_key.is_empty()));
}

/// As far as the tests' server can: it tells what a collection was made with, and takes changes.
#[tokio::test]
async fn settings_of_collections_are_made_read_back_and_changed() {
    let Some(plain) = qdrant_config("settings") else {
        eprintln!("left out: GRAPHWRIGHT_TEST_QDRANT_URL is not set");
        return;
    };
    let connected = async |config: &VectorsConfig| QdrantVectors::connect(config, "default").await.unwrap();
    let wanted = VectorsConfig {
        on_disk: Some(true),
        quantization: Some(Quantization::Binary),
        hnsw_m: Some(32),
        hnsw_ef: Some(200),
        ..plain.clone()
    };
    connected(&plain).await.wipe().await.unwrap();
    connected(&plain).await.prepare(Some(DIMENSION)).await.unwrap();
    let differing = ["on_disk", "quantization", "hnsw_m", "hnsw_ef"];
    let store = connected(&wanted).await;
    assert_eq!(store.differing_settings().await.unwrap(), differing);
    store.adapt().await.unwrap();
    assert!(connected(&wanted).await.differing_settings().await.unwrap().is_empty());
    store.wipe().await.unwrap();
    let sharded = VectorsConfig { shards: Some(3), ..wanted };
    connected(&sharded).await.prepare(Some(DIMENSION)).await.unwrap();
    assert!(connected(&sharded).await.differing_settings().await.unwrap().is_empty());
    let other = VectorsConfig { shards: Some(2), ..sharded };
    let store = connected(&other).await;
    store.adapt().await.unwrap();
    assert_eq!(store.differing_settings().await.unwrap(), ["shards"], "only a new collection has others");
    store.wipe().await.unwrap();
}
