//! Every statement under `cypher/explore/` finds something in the small graph.

use super::fixture::carol;
use super::{config, driver, workspace};
use graphwright::domain::Ids;
use neo4rs::{BoltType, Graph, Query};
use std::path::Path;

/// A `:param name => value` line: a text in single quotes or a whole number.
fn parameter(line: &str) -> Option<(String, BoltType)> {
    let (name, value) = line.strip_prefix(":param ")?.trim_end_matches(';').split_once("=>")?;
    let value = value.trim();
    let value = match value.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        Some(text) => text.into(),
        None => value.parse::<i64>().unwrap().into(),
    };
    Some((name.trim().to_owned(), value))
}

async fn row_count(graph: &Graph, text: &str, workspace: &str) -> usize {
    let body: Vec<&str> =
        text.lines().filter(|line| !line.starts_with(":param") && !line.starts_with("//")).collect();
    let mut query = Query::new(body.join("\n").trim_end().trim_end_matches(';').to_owned());
    for (name, value) in text.lines().filter_map(parameter) {
        query = query.param(&name, value);
    }
    let mut stream = graph.execute(query.param("workspace", workspace)).await.unwrap();
    let mut rows = 0;
    while stream.next().await.unwrap().is_some() {
        rows += 1;
    }
    rows
}

#[tokio::test]
async fn every_statement_for_neo4j_browser_finds_something() {
    let Some(store) = workspace("test_explore").await else { return };
    carol(&store, &Ids::new("test_explore")).await;
    let graph = driver(&config().unwrap());
    let refresh = "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()";
    graph.run(Query::new(refresh.to_owned())).await.unwrap();
    let mut count = 0;
    for entry in Path::new(env!("CARGO_MANIFEST_DIR")).join("cypher/explore").read_dir().unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(text.starts_with("// "), "{name} says what it shows");
        assert!(text.contains("\n:param workspace => 'default';\n"), "{name} names the workspace");
        let rows = row_count(&graph, &text, "test_explore").await;
        assert!(rows > 0 || name == "duplicate_candidates", "{name} finds nothing");
        assert!(
            name == "waiting" || row_count(&graph, &text, "test_no_such_workspace").await == 0,
            "{name} filters"
        );
        count += 1;
    }
    assert!(count >= 10);
}
