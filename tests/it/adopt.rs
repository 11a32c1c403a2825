//! Graphs that were there before: tables on every pairing of stores, and graphs of others in Neo4j, of which nothing
//! changes.

use crate::scripted::Endpoint;
use crate::support::{
    Pairing, TestIndex, assert_equal_exports, assert_vectors_follow, fresh_workspace, pairings,
    with_fresh_communities,
};
use graphwright::config::Config;
use graphwright::domain::LocatorKind;
use graphwright::index::adoption::AdoptedGraph;
use graphwright::index::doctor;
use graphwright::index::run::{self, IndexReport, IndexRequest, TableRequest, adopting, adoption};
use graphwright::progress::Progress;
use graphwright::query::{self, Answer, Method, QueryRequest};
use graphwright::services;
use neo4rs::{Graph, Query};
use std::sync::atomic::{AtomicUsize, Ordering};

const PEOPLE: &str = "id,name,type,bio,born\n\
    p1,Ada Lovelace,Person,She wrote the first published program.,1815\n\
    p2,Charles Babbage,Person,,1791\n\
    c1,Babbage & Co,Company,,\n\
    c2,Microsoft Corporation,Company,,\n\
    c3,Activision,Company,,\n";
const WORKS: &str = "from,to,type,since\n\
    p1,c1,WORKS_FOR,1842-01-01\n\
    p2,c1,OWNS,\n\
    c2,c3,ACQUIRED,2023-10-13\n";
const NEWS: &str = "Microsoft bought Activision in 2023. Ada Lovelace wrote to Charles Babbage.";

async fn ask(index: &TestIndex, question: &str, method: Method) -> Answer {
    let request = QueryRequest { question: question.to_owned(), method, ..QueryRequest::default() };
    query::query(&index.services, &request, &mut |_| {}).await.unwrap()
}

/// What an answer cites of a graph: place and sentence.
fn graph_places(answer: &Answer) -> Vec<(String, String)> {
    let sentences = answer.citations.iter().filter_map(|citation| citation.sentence.as_ref());
    let of_graph = sentences.filter_map(|sentence| {
        let locator = sentence.locator.as_ref().filter(|locator| locator.kind == LocatorKind::Graph)?;
        Some((locator.to_string(), sentence.text.clone()))
    });
    of_graph.collect()
}

async fn index_tables(index: &TestIndex, people: &str, works: &str) -> IndexReport {
    index.write("news.txt", NEWS);
    let folder = index.folder.path().join("tables");
    std::fs::create_dir_all(&folder).unwrap();
    let [people, works] = [("people.csv", people), ("works.csv", works)].map(|(name, text)| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    });
    let documents = index.folder.path().join("documents");
    let mut request = IndexRequest {
        paths: vec![documents.display().to_string()],
        tables: TableRequest { nodes: vec![people], edges: vec![works] },
        ..IndexRequest::default()
    };
    request.discover.sources = vec![("docs".to_owned(), documents), ("tables".to_owned(), folder)];
    run::index(&index.services, &request, &Progress::silent()).await.unwrap()
}

fn rows(answer: &Answer) -> Vec<&str> {
    answer.table.iter().flat_map(|table| &table.rows).map(|row| row.name.as_str()).collect()
}

#[tokio::test]
async fn tables_answer_with_their_place_in_the_graph() {
    for pairing in pairings() {
        let index = TestIndex::new(&pairing, &fresh_workspace("tables_of_graph")).await;
        let report = index_tables(&index, PEOPLE, WORKS).await;
        assert_eq!((report.documents_added, report.failed), (9, 0), "{pairing:?} {:?}", report.problems);
        assert!(report.near_duplicates.is_empty(), "{:?}", report.near_duplicates);
        let place =
            "[graph] (:Person {name: \"Ada Lovelace\"})-[:WORKS_FOR]->(:Company {name: \"Babbage & Co\"})";
        let said = "Ada Lovelace works for Babbage & Co (since: 1842-01-01).";
        for method in [Method::Local, Method::Table] {
            let answer = ask(&index, "Who works for Babbage & Co?", method).await;
            let places = graph_places(&answer);
            let found = (place.to_owned(), said.to_owned());
            assert!(places.contains(&found), "{pairing:?} {method:?} {places:?} {}", answer.answer);
            if method == Method::Table {
                assert_eq!(rows(&answer), ["Ada Lovelace"], "{}", answer.answer);
            }
        }
        // the documents' Microsoft and the table's are one
        let acquired = ask(&index, "Which companies did Microsoft acquire?", Method::Table).await;
        assert_eq!(rows(&acquired), ["Activision"], "{}", acquired.answer);
        assert!(!graph_places(&acquired).is_empty(), "{}", acquired.answer);
        let again = index_tables(&index, PEOPLE, WORKS).await;
        assert_eq!(
            (again.documents_added, again.documents_changed, again.documents_unchanged),
            (0, 0, 9),
            "{pairing:?}"
        );
        let examined = doctor::examine(&index.services, &Progress::silent()).await.unwrap();
        assert!(examined.is_sound(), "{pairing:?} {examined:?}");
        index.wipe().await;
    }
}

#[tokio::test]
async fn a_table_of_a_graph_is_no_document_besides() {
    let index = TestIndex::new(&Pairing::embedded(), &fresh_workspace("tables_in_folder")).await;
    index.write("news.txt", NEWS);
    index.write("people.csv", PEOPLE);
    index.write("boats.csv", "boat,built\nDabchick,1911\n");
    let documents = index.folder.path().join("documents");
    let people = documents.join("people.csv").display().to_string();
    let mut request = IndexRequest {
        paths: vec![documents.display().to_string()],
        tables: TableRequest { nodes: vec![people], ..TableRequest::default() },
        ..IndexRequest::default()
    };
    request.discover.sources = vec![("docs".to_owned(), documents)];
    let report = run::index(&index.services, &request, &Progress::silent()).await.unwrap();
    assert_eq!(report.documents_added, 7, "news, boats and five people: {:?}", report.changes);
    // nor in a run that is not given it again
    request.tables = TableRequest::default();
    let report = run::index(&index.services, &request, &Progress::silent()).await.unwrap();
    assert_eq!((report.documents_added, report.documents_unchanged), (0, 2), "{:?}", report.changes);
    index.wipe().await;
}

#[tokio::test]
async fn a_row_that_is_gone_is_gone_and_a_changed_one_is_as_if_it_had_been_so() {
    let people = PEOPLE.replace("p2,Charles Babbage,Person,,1791\n", "").replace("1815", "1816");
    let works = WORKS.replace("p2,c1,OWNS,\n", "p1,c2,OWNS,\n");
    for pairing in pairings() {
        let config = || with_fresh_communities(Config::default());
        let workspace = fresh_workspace("rows_of_graph");
        let changed = TestIndex::with(&pairing, &workspace, config()).await;
        index_tables(&changed, PEOPLE, WORKS).await;
        let report = index_tables(&changed, &people, &works).await;
        assert_eq!(
            (report.documents_added, report.documents_changed, report.documents_removed),
            (0, 2, 2),
            "{pairing:?}"
        );
        assert_vectors_follow(&changed.services, "tables").await;
        let incremental = changed.export().await;
        changed.wipe().await;
        let anew = TestIndex::with(&pairing, &workspace, config()).await;
        index_tables(&anew, &people, &works).await;
        assert_equal_exports(&incremental, &anew.export().await, &format!("{pairing:?}"));
        // a row that cannot be read is not gone
        let broken = index_tables(&anew, &format!("{people}x,y,z,a,b,c,d\n"), "from,to\np1,\"\n").await;
        assert!(
            broken.problems.iter().any(|told| told.contains("people.csv line 6")),
            "{:?}",
            broken.problems
        );
        anew.wipe().await;
    }
}

#[tokio::test]
async fn a_refresh_asks_no_extraction_for_what_a_graph_says() {
    let index = TestIndex::new(&Pairing::embedded(), &fresh_workspace("refreshed_graph")).await;
    index_tables(&index, PEOPLE, WORKS).await;
    let before = index.export().await;
    let refresh = IndexRequest { refresh: true, ..IndexRequest::default() };
    let report = run::index(&index.services, &refresh, &Progress::silent()).await.unwrap();
    assert_eq!(report.work.text_units_read, 0, "{:?}", report.work);
    assert_eq!(report.stale, graphwright::domain::Stale::default());
    assert_equal_exports(&before, &index.export().await, "refreshed");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_model_is_asked_what_a_graph_says() {
    let endpoint = Endpoint::start().await;
    let index =
        TestIndex::with(&Pairing::embedded(), &fresh_workspace("model_graph"), endpoint.config()).await;
    let report = index_tables(&index, PEOPLE, WORKS).await;
    assert_eq!((report.documents_added, report.failed), (9, 0), "{:?}", report.problems);
    let read: Vec<String> = endpoint
        .calls()
        .into_iter()
        .filter(|call| call.task == "extract_graph")
        .map(|call| call.body)
        .collect();
    assert!(!read.is_empty() && read.iter().all(|body| body.contains("wrote to Charles")), "{read:?}");
    let names = index.services.graph.entity_kinds().await.unwrap();
    assert!(names.iter().any(|(kind, count)| kind == "company" && *count == 3), "{names:?}");
    index.wipe().await;
}

/// A graph of somebody else in the test's server, by labels that nobody else uses and that mean a person all the same.
struct Theirs {
    graph: Graph,
    before: String,
    behind: String,
}

/// Property by property, label by label, relationship by relationship, but for ours.
const SNAPSHOT: &str = "MATCH (n) WHERE any(label IN labels(n) WHERE label IN $all)
    RETURN elementId(n) AS id, labels(n) AS labels,
      [key IN keys(n) | key + '=' + coalesce(toStringOrNull(n[key]), toString(size(n[key])))] AS properties,
      COLLECT { MATCH (n)-[r]-() WHERE type(r) <> 'SAME_AS' RETURN elementId(r) + type(r)
        + reduce(all = '', key IN keys(r) | all + key + '=' + toStringOrNull(r[key]))
        + elementId(startNode(r)) + elementId(endNode(r)) } AS relationships
    ORDER BY id";

/// Underscores behind the labels of the next one.
static NEXT: AtomicUsize = AtomicUsize::new(1);

impl Theirs {
    async fn create(uri: &str) -> Self {
        let config = neo4rs::ConfigBuilder::default().uri(uri).user("neo4j").password("").db("neo4j");
        let graph = Graph::connect(config.build().unwrap()).unwrap();
        let before = "_".repeat(1 + std::process::id() as usize % 29);
        let theirs = Self { graph, before, behind: "_".repeat(NEXT.fetch_add(1, Ordering::Relaxed)) };
        theirs
            .run(
                "CREATE (a:$($person):$($other) {name: 'Ada Lovelace', born: date('1815-12-10'),
                   at: point({latitude: 51.5, longitude: -0.1}), tags: ['math', 'notes'],
                   vector: [x IN range(1, 300) | x * 0.1], for: duration('P1Y'), ok: true,
                   bio: 'She wrote the first published program.'}),
                 (b:$($person) {name: 'Charles Babbage', born: 1791}),
                 (c:$($company) {name: 'Babbage & Co', workspace: 'x', id: 7}),
                 (m:$($company) {name: 'Microsoft Corporation'}),
                 (e:$($person) {name: 'Eve`\"}) DETACH DELETE n //\\n\\n(:Person {name: \"x\"})'}),
                 (:$($person)), (:$($person) {name: 42}), (o:$($other) {name: 'Elsewhere'}),
                 (a)-[:WORKS_FOR {since: date('1842-01-01'), weight: 3}]->(c), (b)-[:OWNS]->(c),
                 (e)-[:WORKS_FOR]->(m), (a)-[:WORKS_FOR]->(o), (a)-[:KNOWS]->(b)",
            )
            .await;
        theirs
    }

    fn label(&self, kind: &str) -> String {
        format!("{}{kind}{}", self.before, self.behind)
    }

    fn query(&self, text: &str) -> Query {
        Query::new(text.to_owned())
            .param("all", vec![self.label("Person"), self.label("Company"), self.label("Other")])
            .param("person", self.label("Person"))
            .param("company", self.label("Company"))
            .param("other", self.label("Other"))
    }

    async fn run(&self, text: &str) {
        self.graph.run(self.query(text)).await.unwrap();
    }

    async fn snapshot(&self) -> Vec<String> {
        let mut rows = self.graph.execute(self.query(SNAPSHOT)).await.unwrap();
        let mut all = Vec::new();
        while let Some(row) = rows.next().await.unwrap() {
            let list = |name: &str| {
                let mut list: Vec<String> = row.get(name).unwrap();
                list.sort();
                list
            };
            let id: String = row.get("id").unwrap();
            all.push(format!(
                "{id} {:?} {:?} {:?}",
                list("labels"),
                list("properties"),
                list("relationships")
            ));
        }
        assert!(!all.is_empty());
        all
    }

    /// Names of our entities by those of their nodes.
    async fn joins(&self) -> Vec<(String, String)> {
        let text = "MATCH (e:__Entity__)-[:SAME_AS]->(n) WHERE any(label IN labels(n) WHERE label IN $all)
            RETURN e.name AS ours, toString(n.name) AS theirs ORDER BY theirs, ours";
        let mut rows = self.graph.execute(self.query(text)).await.unwrap();
        let mut all = Vec::new();
        while let Some(row) = rows.next().await.unwrap() {
            all.push((row.get("ours").unwrap(), row.get("theirs").unwrap()));
        }
        all
    }

    fn wanted(&self, address: Option<&str>) -> AdoptedGraph {
        AdoptedGraph {
            name: "crm".into(),
            address: address.map(str::to_owned),
            database: "neo4j".into(),
            labels: vec![self.label("Person"), self.label("Company")],
            name_property: "name".into(),
            relationships: vec!["WORKS_FOR".into(), "OWNS".into()],
            text_property: Some("bio".into()),
            ..AdoptedGraph::default()
        }
    }

    async fn adopt(&self, index: &TestIndex, graph: AdoptedGraph) -> IndexReport {
        let config = &index.services.config;
        let foreign = services::given_graph(config, graph.address.as_deref(), &graph.database).await.unwrap();
        let progress = Progress::silent();
        adopting::adopt(&index.services, graph, foreign.as_ref(), &progress).await.unwrap()
    }

    async fn gone(self) {
        self.run("MATCH (n) WHERE any(label IN labels(n) WHERE label IN $all) DETACH DELETE n").await;
    }
}

fn with_neo4j() -> Option<(Pairing, String)> {
    let pairing = pairings().into_iter().find(|pairing| pairing.graph.is_some())?;
    let uri = pairing.graph.clone()?;
    Some((pairing, uri))
}

async fn run_again(index: &TestIndex) -> IndexReport {
    index.index(&[]).await
}

#[tokio::test]
async fn a_graph_in_the_same_database_is_joined_and_nothing_of_it_changes() {
    let Some((pairing, uri)) = with_neo4j() else { return };
    let theirs = Theirs::create(&uri).await;
    let index =
        TestIndex::with(&pairing, &fresh_workspace("adopting"), with_fresh_communities(Config::default()))
            .await;
    index.write("news.txt", NEWS);
    run_again(&index).await;
    let (before, exported) = (theirs.snapshot().await, index.export().await);

    let report = theirs.adopt(&index, theirs.wanted(None)).await;
    assert_eq!((report.documents_added, report.failed), (6, 0), "{:?}", report.problems);
    assert!(report.notes.iter().any(|note| note.ends_with("left out: 1")), "{:?}", report.notes);
    assert_eq!(theirs.snapshot().await, before, "adopted");
    let joins = theirs.joins().await;
    let joined: Vec<&str> = joins.iter().map(|(_, theirs)| theirs.as_str()).collect();
    assert_eq!(joined.len(), 6, "{joins:?}");
    assert!(joins.contains(&("Ada Lovelace".into(), "Ada Lovelace".into())), "{joins:?}");
    // the documents' Microsoft and theirs are one entity
    let microsoft = joins.iter().find(|(_, theirs)| theirs == "Microsoft Corporation").unwrap();
    let entity = ask(&index, "Who works for Microsoft?", Method::Table).await;
    assert!(rows(&entity).iter().any(|name| name.starts_with("Eve")), "{} {microsoft:?}", entity.answer);

    for method in [Method::Local, Method::Table] {
        let answer = ask(&index, "Who works for Babbage & Co?", method).await;
        let places = graph_places(&answer);
        let pattern = format!(
            "[graph] (:{} {{name: \"Ada Lovelace\"}})-[:WORKS_FOR {{weight: 3}}]->(:{} {{name: \"Babbage & Co\"}})",
            theirs.label("Person"),
            theirs.label("Company")
        );
        assert!(places.iter().any(|(place, _)| *place == pattern), "{method:?} {places:?} {}", answer.answer);
    }
    let examined = doctor::examine(&index.services, &Progress::silent()).await.unwrap();
    assert!(examined.is_sound(), "{examined:?}");

    // what is taken away by hand is found and mended
    theirs.run("MATCH (:__Entity__)-[s:SAME_AS]->(n:$($person) {name: 'Ada Lovelace'}) DELETE s").await;
    let examined = doctor::examine(&index.services, &Progress::silent()).await.unwrap();
    let apart = examined.findings.iter().find(|finding| finding.check == "adopted_not_joined").unwrap();
    assert_eq!(apart.found, 1, "{examined:?}");
    doctor::mend(&index.services, &Progress::silent()).await.unwrap();
    assert_eq!(theirs.joins().await.len(), 6);
    assert_eq!(theirs.snapshot().await, before, "mended");

    let undone = adopting::undo(&index.services, "crm", &Progress::silent()).await.unwrap();
    assert_eq!(undone.documents_removed, 6);
    assert!(theirs.joins().await.is_empty());
    assert_eq!(theirs.snapshot().await, before, "undone");
    assert_equal_exports(&exported, &index.export().await, "as if never adopted");

    // a workspace that goes takes its part along
    theirs.adopt(&index, theirs.wanted(None)).await;
    assert_eq!(theirs.joins().await.len(), 6);
    index.wipe().await;
    assert!(theirs.joins().await.is_empty());
    assert_eq!(theirs.snapshot().await, before, "wiped");
    theirs.gone().await;
}

#[tokio::test]
async fn what_changes_and_vanishes_in_a_graph_is_read_again_by_the_next_run() {
    let Some((pairing, uri)) = with_neo4j() else { return };
    let theirs = Theirs::create(&uri).await;
    let workspace = fresh_workspace("reading_again");
    let config = || with_fresh_communities(Config::default());
    let index = TestIndex::with(&pairing, &workspace, config()).await;
    index.write("news.txt", NEWS);
    run_again(&index).await;
    theirs.adopt(&index, theirs.wanted(None)).await;
    let at_rest = run_again(&index).await;
    assert_eq!(at_rest.documents_unchanged, 7, "{at_rest:?}");
    assert_eq!(at_rest.work.text_units_read + at_rest.documents_changed, 0);

    theirs
        .run(
            "MATCH (a:$($person) {name: 'Ada Lovelace'})-[r:WORKS_FOR]->(:$($company))
             MATCH (m:$($company) {name: 'Microsoft Corporation'})
             MATCH (b:$($person) {name: 'Charles Babbage'})
             MATCH (f:$($person) {name: 42})
             MATCH (e:$($person)) WHERE toString(e.name) STARTS WITH 'Eve'
             DELETE r CREATE (a)-[:WORKS_FOR]->(m) SET b.name = 'C. B.' DETACH DELETE e
             REMOVE f.name CREATE (:$($person) {name: 'Grace Hopper'})",
        )
        .await;
    let before = theirs.snapshot().await;
    let report = run_again(&index).await;
    assert_eq!(
        (report.documents_added, report.documents_changed, report.documents_removed),
        (1, 2, 2),
        "{report:?}"
    );
    let answer = ask(&index, "Who works for Microsoft?", Method::Table).await;
    assert_eq!(rows(&answer), ["Ada Lovelace"], "{}", answer.answer);
    let joined: Vec<String> = theirs.joins().await.into_iter().map(|(_, theirs)| theirs).collect();
    assert_eq!(joined, ["Ada Lovelace", "Babbage & Co", "C. B.", "Grace Hopper", "Microsoft Corporation"]);
    assert_eq!(theirs.snapshot().await, before);
    let incremental = index.export().await;
    index.wipe().await;

    let anew = TestIndex::with(&pairing, &workspace, config()).await;
    anew.write("news.txt", NEWS);
    run_again(&anew).await;
    theirs.adopt(&anew, theirs.wanted(None)).await;
    assert_equal_exports(&incremental, &anew.export().await, "as if it had always been so");
    anew.wipe().await;
    theirs.gone().await;
}

#[tokio::test]
async fn a_graph_in_another_database_is_read_and_asked_again_only_where_the_user_names_it() {
    let Some((_, uri)) = with_neo4j() else { return };
    let theirs = Theirs::create(&uri).await;
    let mut index = TestIndex::new(&Pairing::embedded(), &fresh_workspace("adopting_far")).await;
    index.write("news.txt", NEWS);
    let before = theirs.snapshot().await;
    let plan = {
        let foreign = services::given_graph(&index.services.config, Some(&uri), "neo4j").await.unwrap();
        let graph = theirs.wanted(Some(&uri));
        let missing = AdoptedGraph { labels: vec!["Nowhere".into()], ..graph.clone() };
        let refused = adoption::rehearse(&missing, foreign.as_ref()).await.unwrap_err().to_string();
        assert!(refused.contains("has the label Nowhere"), "{refused}");
        let missing = AdoptedGraph { name_property: "nam`e".into(), ..graph.clone() };
        let refused = adoption::rehearse(&missing, foreign.as_ref()).await.unwrap_err().to_string();
        assert!(refused.contains("has the property \"nam`e\""), "{refused}");
        adoption::rehearse(&graph, foreign.as_ref()).await.unwrap()
    };
    assert_eq!((plan.nodes, plan.named, plan.relationships), (7, 6, 3));
    // of the first five nodes those with a name, by the numbers that the server gave: those of nodes that went are given again
    assert!((4..=5).contains(&plan.examples.len()), "{:?}", plan.examples);
    assert!(plan.examples.iter().all(|example| !example.text.contains("vector")), "{:?}", plan.examples);
    if let Some(ada) = plan.examples.iter().find(|example| example.text.contains("born: 1815-12-10")) {
        assert!(ada.text.contains("tags: math, notes"), "{ada:?}");
    }

    theirs.adopt(&index, theirs.wanted(Some(&uri))).await;
    assert!(theirs.joins().await.is_empty());
    let answer = ask(&index, "Who works for Babbage & Co?", Method::Table).await;
    assert_eq!(rows(&answer), ["Ada Lovelace"], "{}", answer.answer);

    theirs.run("MATCH (a:$($person) {name: 'Ada Lovelace'}) SET a.name = 'Augusta Ada King'").await;
    // whoever wrote the workspace does not decide who is asked
    let untouched = run_again(&index).await;
    assert!(untouched.notes.iter().any(|note| note.contains("NEO4J_ADOPT_URI")), "{:?}", untouched.notes);
    assert_eq!(untouched.documents_changed, 0);
    index.services.config.adopt.url = Some(uri.replace("neo4j://", "bolt://"));
    let other_scheme = run_again(&index).await;
    assert_eq!(other_scheme.documents_changed, 0, "another address is another one");
    index.services.config.adopt.url = Some(uri.clone());
    let report = run_again(&index).await;
    assert_eq!(report.documents_changed, 1, "{:?}", report.notes);
    let answer = ask(&index, "Who works for Babbage & Co?", Method::Table).await;
    assert_eq!(rows(&answer), ["Augusta Ada King"], "{}", answer.answer);

    // one that cannot be reached stays as it is stored
    let nobody = "bolt://127.0.0.1:9";
    let mut stored = index.services.graph.state().await.unwrap().settings;
    AdoptedGraph::store(vec![theirs.wanted(Some(nobody))], &mut stored);
    index.services.graph.save_settings(&stored).await.unwrap();
    index.services.config.adopt.url = Some(nobody.into());
    let report = run_again(&index).await;
    assert!(report.problems.iter().any(|told| told.contains("was not read again")), "{:?}", report.problems);
    assert_eq!(report.documents_removed, 0);
    adopting::undo(&index.services, "crm", &Progress::silent()).await.unwrap();
    assert_eq!(index.services.graph.counts().await.unwrap().documents, 1);
    assert!(adopting::undo(&index.services, "crm", &Progress::silent()).await.is_err());
    assert_eq!(theirs.snapshot().await.len(), before.len());
    index.wipe().await;
    theirs.gone().await;
}

#[tokio::test]
async fn our_entities_bear_no_label_that_others_have_use_for() {
    let Some((pairing, uri)) = with_neo4j() else { return };
    let theirs = Theirs::create(&uri).await;
    let label: String = fresh_workspace("Theirs").chars().filter(|c| c.is_alphanumeric()).collect();
    let run = async |text: String| theirs.graph.run(Query::new(text)).await.unwrap();
    run(format!("CREATE (:{label} {{name: 'Zelda Quill'}})")).await;
    run(format!("CREATE CONSTRAINT {label} FOR (n:{label}) REQUIRE n.name IS UNIQUE")).await;
    let index = TestIndex::new(&pairing, &fresh_workspace("labels_of_others")).await;
    index.write("news.txt", NEWS);
    index_tables(&index, &format!("name,type\nZelda Quill,{label}\n"), "from,to\n").await;
    let labels = async || {
        let text =
            "MATCH (e:__Entity__ {workspace: $workspace, name: 'Zelda Quill'}) RETURN labels(e) AS labels";
        let query = Query::new(text.to_owned()).param("workspace", index.services.ids.workspace());
        let mut rows = theirs.graph.execute(query).await.unwrap();
        let mut labels: Vec<String> = rows.next().await.unwrap().unwrap().get("labels").unwrap();
        labels.retain(|label| label.starts_with("Theirs"));
        labels
    };
    assert_eq!(labels().await, [format!("{label}Entity")], "for the constraint");
    run(format!("DROP CONSTRAINT {label}")).await;
    theirs.adopt(&index, AdoptedGraph { labels: vec![label.clone()], ..theirs.wanted(None) }).await;
    assert_eq!(labels().await, [format!("{label}Entity")], "for the adopted graph");
    adopting::undo(&index.services, "crm", &Progress::silent()).await.unwrap();
    assert_eq!(labels().await, [label.as_str()], "nobody else has use for it");
    index.wipe().await;
    run(format!("MATCH (n:{label}) DETACH DELETE n")).await;
    theirs.gone().await;
}
