use super::config;
use graphwright::config::GraphConfig;
use graphwright::stores::StoreError;
use graphwright::stores::graph::neo4j::Neo4jGraph;

async fn refusal(config: &GraphConfig) -> StoreError {
    Neo4jGraph::connect(config, "test").await.err().unwrap()
}

#[tokio::test]
async fn a_closed_port_is_unreachable_and_says_how_to_mend() {
    let config = GraphConfig { url: Some("neo4j://127.0.0.1:1".into()), ..GraphConfig::default() };
    let error = refusal(&config).await;
    assert!(matches!(&error, StoreError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("neo4j://127.0.0.1:1"), "{error}");
}

#[tokio::test]
async fn another_scheme_is_refused_by_name() {
    let config = GraphConfig { url: Some("http://127.0.0.1:1".into()), ..GraphConfig::default() };
    let error = refusal(&config).await;
    assert!(matches!(&error, StoreError::Unusable(_)), "{error}");
}

#[tokio::test]
async fn a_database_that_is_not_there_is_named() {
    let Some(mut config) = config() else { return };
    config.database = "nosuchdatabase".into();
    let error = refusal(&config).await;
    assert!(matches!(&error, StoreError::Unusable(text) if text.contains("nosuchdatabase")), "{error}");
}

#[tokio::test]
async fn a_wrong_password_is_refused_and_says_where_to_set_it() {
    // only a server with authentication can refuse
    let Some(mut config) = config() else { return };
    if config.password.is_empty() {
        return;
    }
    config.password = graphwright::config::Secret::new("not the password");
    let error = refusal(&config).await;
    assert!(matches!(&error, StoreError::Refused { .. }), "{error}");
    assert!(error.to_string().contains("NEO4J_PASSWORD"), "{error}");
}
