//! Every statement under `cypher/explore/` finds something in the small graph.

use super::fixture::carol;
use super::{config, driver, workspace};
use crate::support::{Pairing, TestIndex, fresh_workspace};
use graphwright::domain::{
    AtomicFact, DocumentFacts, FactChunk, Ids, LibraryEntry, RecordKind, StaleCitation, TreeNode, TreePassage,
};
use graphwright::query::{self, Answer, Citation, Method, QueryRequest, cypher};
use graphwright::stores::GraphStore;
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

/// A summary tree and atomic facts of the first document.
async fn read_on(store: &dyn GraphStore, ids: &Ids) {
    let document = ids.document("carol.txt");
    let text_unit = store.text_units_of(&document).await.unwrap().remove(0).unit.id;
    let generation = store.state().await.unwrap().generation;
    let leaf = TreeNode {
        id: ids.other("leaf", &["one"]),
        document: Some(document.clone()),
        level: 0,
        text: "Marley was dead.".to_owned(),
        token_count: 4,
        children: Vec::new(),
        passage: Some(TreePassage { text_unit: text_unit.clone(), start: 0, end: 16 }),
        stamp: None,
    };
    let root = TreeNode {
        id: ids.other("summary", &["one"]),
        level: 1,
        children: vec![leaf.id.clone()],
        passage: None,
        stamp: Some("stamp".to_owned()),
        ..leaf.clone()
    };
    store.save_tree(generation, Some(&document), &[leaf, root]).await.unwrap();
    let fact = AtomicFact {
        text: "Scrooge was Marley's partner.".to_owned(),
        key_elements: vec!["Scrooge".to_owned(), "Marley".to_owned()],
    };
    let chunks = vec![FactChunk { text_units: vec![text_unit], facts: vec![fact] }];
    store.save_facts(&DocumentFacts { document, stamp: "stamp".to_owned(), chunks }).await.unwrap();
}

#[tokio::test]
async fn every_statement_for_neo4j_browser_finds_something() {
    let Some(store) = workspace("test_explore").await else { return };
    let ids = Ids::new("test_explore");
    carol(&*store, &ids).await;
    read_on(&*store, &ids).await;
    let entry = LibraryEntry {
        id: ids.question("bob"),
        key: "bob".to_owned(),
        question: "Who is Bob?".to_owned(),
        answer: "A clerk.".to_owned(),
        stale: vec![StaleCitation {
            document: "carol.txt".to_owned(),
            was: "Bob is a clerk.".to_owned(),
            now: Some("Bob was a clerk.".to_owned()),
            text_unit: Some(store.text_units(None, 1).await.unwrap().remove(0).unit.id),
        }],
        ..LibraryEntry::default()
    };
    store.save_library(&[entry], &[], &[]).await.unwrap();
    let graph = driver(&config().unwrap());
    let denied = "MATCH (u:TextUnit)-[:HAS_CLAIM]->(c:Claim {workspace: 'test_explore'})-[:SUBJECT]->(e)
        CREATE (u)-[:HAS_CLAIM]->(:Claim {id: 'denied', workspace: 'test_explore', type: c.type, status: 'FALSE',
            description: c.description, source_text: c.source_text})-[:SUBJECT]->(e)";
    graph.run(Query::new(denied.to_owned())).await.unwrap();
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

#[tokio::test]
async fn what_shows_an_answer_in_browser_finds_what_it_rests_on() {
    let Some(store) = workspace("test_show").await else { return };
    let ids = Ids::new("test_show");
    carol(&*store, &ids).await;
    let relationship = store.relationships(None, 1).await.unwrap().remove(0);
    let unit = store.text_units(None, 1).await.unwrap().remove(0);
    let cite = |kind: RecordKind, id: &graphwright::domain::Id| Citation {
        kind,
        number: 1,
        id: id.clone(),
        name: String::new(),
        headings: Vec::new(),
        sentence: None,
    };
    let mut citations =
        vec![cite(RecordKind::Relationships, &relationship.id), cite(RecordKind::Sources, &unit.unit.id)];
    citations
        .extend(store.claims(None, 1).await.unwrap().iter().map(|claim| cite(RecordKind::Claims, &claim.id)));
    citations.push(cite(RecordKind::Entities, &relationship.source));
    let generation = store.state().await.unwrap().generation;
    let communities = store.communities(generation).await.unwrap();
    citations.extend(communities.first().map(|community| cite(RecordKind::Reports, &community.id)));
    let answer = Answer { citations, ..Answer::default() };
    let shown = cypher::statements_for(&answer, "test_show");
    assert!(shown.statements.len() >= 3);
    let graph = driver(&config().unwrap());
    for (workspace, finds) in [("test_show", true), ("test_no_such_workspace", false)] {
        for statement in &shown.statements {
            assert_eq!(finds_something(&graph, &shown, statement, workspace).await, finds, "{statement}");
        }
    }
}

/// Runs a statement with the parameters that stand beside it.
async fn finds_something(
    graph: &Graph,
    shown: &cypher::Statements,
    statement: &str,
    workspace: &str,
) -> bool {
    let mut query = Query::new(statement.to_owned()).param("workspace", workspace);
    for (name, value) in &shown.parameters {
        let list = value.as_array().into_iter().flatten();
        let list: Vec<String> = list.filter_map(|id| id.as_str()).map(str::to_owned).collect();
        if *name != "workspace" {
            query = query.param(name, list);
        }
    }
    graph.execute(query).await.unwrap().next().await.unwrap().is_some()
}

#[tokio::test]
async fn the_statements_of_every_method_find_what_its_answer_rests_on() {
    let Some(server) = config() else { return };
    let pairing = Pairing { graph: server.url.clone(), vectors: None };
    let workspace = fresh_workspace("shown");
    let index = TestIndex::new(&pairing, &workspace).await;
    index.write(
        "2015-03.txt",
        "Ada Lovelace works for Contoso. Contoso acquired Litware. Litware is based in Oslo.",
    );
    index.write(
        "2016-04.txt",
        "Contoso acquired Fabrikam. Ben Hill works for Fabrikam. Ada Lovelace met Ben Hill.",
    );
    index.index(&[]).await;
    let graph = driver(&server);
    let methods = [Method::Table, Method::Local, Method::Global, Method::Basic, Method::Source, Method::Auto];
    let asked = methods.into_iter().map(|method| match method {
        Method::Global => (method, "What is all of this about?"),
        _ => (method, "Which companies did Contoso acquire?"),
    });
    for (method, question) in asked.chain([(Method::Table, "Which documents mention Contoso?")]) {
        let request = QueryRequest { question: question.to_owned(), method, ..QueryRequest::default() };
        let answer = query::query(&index.services, &request, &mut |_| {}).await.unwrap();
        let shown = cypher::statements_for(&answer, &workspace);
        assert!(!shown.statements.is_empty(), "{method:?}: {}", answer.answer);
        for statement in &shown.statements {
            assert!(finds_something(&graph, &shown, statement, &workspace).await, "{method:?}: {statement}");
            assert!(!finds_something(&graph, &shown, statement, "none").await, "{method:?}: {statement}");
        }
    }
    index.wipe().await;
}
