//! Connections over TLS: stores and models behind certificates of our own, and the real Neo4j with Bolt over TLS.

mod server;

use graphwright::config::{Config, GraphConfig, VectorsConfig};
use graphwright::llm::{self, Budget, ChatRequest, Ledger, Message, ModelRole};
use graphwright::stores::StoreError;
use graphwright::stores::graph::neo4j::Neo4jGraph;
use graphwright::stores::vectors::QdrantVectors;
use server::{Certificates, Service};
use std::path::{Path, PathBuf};
use std::sync::Arc;

async fn neo4j(url: String, ca_file: Option<&Path>) -> Result<Neo4jGraph, StoreError> {
    let ca_file = ca_file.map(PathBuf::from);
    let config = GraphConfig { url: Some(url), ca_file, timeout_s: 10, ..GraphConfig::default() };
    Neo4jGraph::connect(&config, "tls").await
}

/// The error of a server that lets nobody in: it was asked, so TLS was there.
fn assert_was_asked(error: &str) {
    assert!(error.contains(server::WORDS), "{error}");
}

fn assert_certificate_refused(error: &str, port: u16, section: &str) {
    for part in [&port.to_string(), "its certificate is refused", &format!("ca_file under {section}")] {
        assert!(error.contains(part), "should say {part:?}: {error}");
    }
    assert!(!error.contains(server::WORDS), "nothing was sent: {error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tls_address_of_neo4j_is_connected_to() {
    let certificates = Certificates::signed();
    let port = server::start(&certificates, Service::Bolt).await;
    for scheme in ["neo4j+s", "bolt+s"] {
        let url = format!("{scheme}://localhost:{port}");
        let error = neo4j(url.clone(), None).await.err().unwrap();
        assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
        assert_certificate_refused(&error.to_string(), port, "[graph]");
        assert!(error.to_string().contains("+ssc://"), "{error}");
        let error = neo4j(url, Some(&certificates.authority)).await.err().unwrap();
        assert!(matches!(error, StoreError::Refused { .. }), "{error:?}");
        assert_was_asked(&error.to_string());
    }
    for scheme in ["neo4j+ssc", "bolt+ssc"] {
        let error = neo4j(format!("{scheme}://localhost:{port}"), None).await.err().unwrap();
        assert_was_asked(&error.to_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_signs_itself_is_refused_but_by_ssc() {
    let certificates = Certificates::self_signed();
    let port = server::start(&certificates, Service::Bolt).await;
    let error = neo4j(format!("bolt+s://localhost:{port}"), None).await.err().unwrap();
    assert_certificate_refused(&error.to_string(), port, "[graph]");
    let error = neo4j(format!("bolt+ssc://localhost:{port}"), None).await.err().unwrap();
    assert_was_asked(&error.to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_for_another_name_is_refused() {
    let certificates = Certificates::signed();
    let port = server::start(&certificates, Service::Bolt).await;
    // it is for localhost
    let error =
        neo4j(format!("bolt+s://127.0.0.1:{port}"), Some(&certificates.authority)).await.err().unwrap();
    assert_certificate_refused(&error.to_string(), port, "[graph]");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_without_tls_is_named_as_such() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let _ =
                tokio::io::AsyncWriteExt::write_all(&mut socket, b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let error = neo4j(format!("bolt+s://localhost:{port}"), None).await.err().unwrap();
    assert!(error.to_string().contains("does not speak TLS"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn qdrant_is_reached_over_https_with_an_authority_of_ones_own() {
    let certificates = Certificates::signed();
    let port = server::start(&certificates, Service::Grpc).await;
    let connect = async |ca_file: Option<&Path>| {
        let url = Some(format!("https://localhost:{port}"));
        let ca_file = ca_file.map(PathBuf::from);
        let config = VectorsConfig { url, ca_file, timeout_s: 10, ..VectorsConfig::default() };
        QdrantVectors::connect(&config, "tls").await.err().unwrap()
    };
    let error = connect(None).await;
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
    assert_certificate_refused(&error.to_string(), port, "[vectors]");
    let error = connect(Some(&certificates.authority)).await;
    assert!(matches!(error, StoreError::Refused { .. }), "{error:?}");
    assert_was_asked(&error.to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn models_are_reached_over_https_with_an_authority_of_ones_own() {
    let certificates = Certificates::signed();
    let port = server::start(&certificates, Service::Http).await;
    let authority = format!("ca_file = {:?}", certificates.authority);
    let ask = async |more: &str| {
        let text = format!(
            "[llm]\nprovider='openai'\nmodel='m'\nbase_url='https://localhost:{port}/v1'\ncache=false\n{more}"
        );
        let config = Config::parse(&text).unwrap().llm;
        let ledger = Arc::new(Ledger::new(&config.prices, Budget::default()));
        let model = llm::chat_model(&config, Path::new("unused"), &ledger).unwrap().unwrap();
        let request = ChatRequest::new(ModelRole::Answer, "local_answer", vec![Message::user("hello")]);
        model.chat(&request).await.map(|reply| reply.text).map_err(|error| error.to_string())
    };
    assert_certificate_refused(&ask("").await.unwrap_err(), port, "[llm]");
    assert_eq!(ask(&authority).await.unwrap(), server::WORDS);
    // a role may have its own, and one that has another address does not take over that of [llm]
    let role = format!("[llm.answer]\n{authority}");
    assert_eq!(ask(&role).await.unwrap(), server::WORDS);
    let elsewhere = format!("{authority}\n[llm.answer]\nbase_url='https://localhost:{port}/v1/'");
    assert_certificate_refused(&ask(&elsewhere).await.unwrap_err(), port, "[llm]");
}

#[tokio::test(flavor = "multi_thread")]
async fn embeddings_are_reached_over_https_with_an_authority_of_ones_own() {
    let certificates = Certificates::signed();
    let port = server::start(&certificates, Service::Http).await;
    let folder = tempfile::tempdir().unwrap();
    let connect = async |more: &str| {
        let text = format!(
            "[embeddings]\nprovider='openai'\nmodel='e'\nbase_url='https://localhost:{port}/v1'\n{more}"
        );
        let config = Config::parse(&text).unwrap();
        let ledger = Arc::new(Ledger::new(&config.llm.prices, Budget::default()));
        let model = llm::embedding_model(&config.embeddings, &config.llm, folder.path(), &ledger, None).await;
        model.map(|model| model.unwrap().dimension()).map_err(|error| format!("{error:#}"))
    };
    assert_certificate_refused(&connect("").await.unwrap_err(), port, "[embeddings]");
    assert_eq!(connect(&format!("ca_file = {:?}", certificates.authority)).await.unwrap(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reranking_model_is_reached_over_https_with_an_authority_of_ones_own() {
    let certificates = Certificates::signed();
    let port = server::start(&certificates, Service::Http).await;
    let ask = async |more: &str| {
        let text = format!(
            "[rerank]\nprovider='openai-compatible'\nmodel='m'\nbase_url='https://localhost:{port}/v1'\n{more}"
        );
        let config = Config::parse(&text).unwrap();
        let ledger = Arc::new(Ledger::new(&config.llm.prices, Budget::default()));
        let model = llm::rerank_model(&config.rerank, &ledger).await.unwrap().unwrap();
        model.rerank("Who is let in?", &["Nobody.".to_owned()]).await.map_err(|error| error.to_string())
    };
    assert_certificate_refused(&ask("").await.unwrap_err(), port, "[rerank]");
    assert_eq!(ask(&format!("ca_file = {:?}", certificates.authority)).await.unwrap(), [0.5]);
}

/// Where a server with a certificate is given: the address of its Bolt over TLS, and the authority.
#[tokio::test(flavor = "multi_thread")]
async fn the_real_neo4j_is_reached_over_tls() {
    let (Ok(server), Ok(authority)) =
        (std::env::var("GRAPHWRIGHT_TEST_NEO4J_URI"), std::env::var("GRAPHWRIGHT_TEST_NEO4J_CA"))
    else {
        eprintln!("left out: GRAPHWRIGHT_TEST_NEO4J_URI and GRAPHWRIGHT_TEST_NEO4J_CA are not set");
        return;
    };
    let (_, host) = server.split_once("://").unwrap();
    let mut config = crate::neo4j::config().unwrap();
    for (scheme, ca_file, expected) in [
        ("neo4j+s", Some(&authority), true),
        ("bolt+s", Some(&authority), true),
        ("neo4j+ssc", None, true),
        ("bolt+ssc", None, true),
        ("neo4j+s", None, false),
        ("bolt+s", None, false),
    ] {
        config.url = Some(format!("{scheme}://{host}"));
        config.ca_file = ca_file.map(PathBuf::from);
        match Neo4jGraph::connect(&config, &crate::support::fresh_workspace("tls")).await {
            Ok(graph) => {
                use graphwright::stores::GraphStore;
                use graphwright::stores::graph::RunReader;
                assert!(expected, "{scheme}");
                graph.prepare().await.unwrap();
                assert_eq!(graph.counts().await.unwrap().documents, 0);
                graph.wipe().await.unwrap();
            }
            Err(error) => {
                assert!(!expected, "{scheme}: {error}");
                assert!(error.to_string().contains("its certificate is refused"), "{scheme}: {error}");
            }
        }
    }
}
