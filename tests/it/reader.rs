//! GraphReader end to end: facts read once and kept with their documents, and an agent whose model is scripted through
//! every function and every limit, or loops, lies about ids and answers out of format.

use crate::by_script::data_of;
use crate::support::{Pairing, TestIndex, fresh_workspace, pairings};
use async_trait::async_trait;
use graphwright::config::{Config, Provider, Secret};
use graphwright::llm::{ChatModel, ChatReply, ChatRequest, ModelError, ModelRole, Usage};
use graphwright::query::searches::reader::PathTrace;
use graphwright::query::{self, Answer, Method, QueryRequest};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

const CAROL: &str = "Bob Cratchit is the faithful and badly paid clerk of Ebenezer Scrooge.\n\n\
                     Ebenezer Scrooge was for many years the only partner of Jacob Marley.\n\n\
                     Jacob Marley had been dead for seven years on that cold Christmas Eve.\n";
const PEOPLE: [&str; 4] = ["Bob Cratchit", "Ebenezer Scrooge", "Jacob Marley", "Tiny Tim"];

/// Replies of a task in their order, then always the last word on it.
struct Scripted {
    steps: Mutex<VecDeque<(&'static str, String)>>,
    last: fn(&str) -> String,
    calls: Mutex<Vec<(&'static str, String)>>,
}

impl Scripted {
    fn new(steps: &[(&'static str, &str)], last: fn(&str) -> String) -> Arc<Self> {
        let steps = steps.iter().map(|(task, reply)| (*task, (*reply).to_owned())).collect();
        Arc::new(Self { steps: Mutex::new(steps), last, calls: Mutex::default() })
    }

    fn prompts_of(&self, task: &str) -> Vec<String> {
        let calls = self.calls.lock().unwrap();
        calls.iter().filter(|call| call.0 == task).map(|call| call.1.clone()).collect()
    }
}

#[async_trait]
impl ChatModel for Scripted {
    fn describe(&self, _: ModelRole) -> String {
        "scripted".to_owned()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let asked: Vec<&str> = request.messages.iter().map(|message| message.content.as_str()).collect();
        let asked = asked.join("\n");
        self.calls.lock().unwrap().push((request.task, asked.clone()));
        let text = match request.task {
            "extract_facts" => facts_of(&asked),
            "extract_graph" | "glean_continue" => "<|COMPLETE|>".to_owned(),
            "glean_check" => "no".to_owned(),
            task => {
                let mut steps = self.steps.lock().unwrap();
                match steps.iter().position(|step| step.0 == task) {
                    Some(place) => steps.remove(place).expect("a step").1,
                    None => (self.last)(task),
                }
            }
        };
        let usage = Usage { input_tokens: 10, output_tokens: 5, cached_tokens: 0 };
        Ok(ChatReply { text, usage, truncated: false, from_cache: false })
    }
}

/// A fact a line of the text, its people the key elements.
fn facts_of(asked: &str) -> String {
    let text = data_of(asked);
    let text = text.lines().filter(|line| !line.is_empty());
    let facts = text.enumerate().map(|(number, line)| {
        let people: Vec<&str> = PEOPLE.into_iter().filter(|name| line.contains(name)).collect();
        format!("{}. {line} | {}\n", number + 1, people.join(" | "))
    });
    facts.collect()
}

/// What ends everything well.
fn polite(task: &str) -> String {
    match task {
        "reader_plan" => "Find out who Bob Cratchit is.",
        "reader_nodes" => "Node: Bob Cratchit, Score: 90",
        "reader_facts" => {
            r#"{"notebook": "", "rationale": "r", "action": "stop_and_read_neighbor", "arguments": []}"#
        }
        "reader_chunk" | "reader_neighbours" => {
            r#"{"rationale": "r", "action": "termination", "arguments": []}"#
        }
        "reader_answer" => "Analyze: one notebook.\nFinal answer: He is the clerk [Data: Sources (1, 77)].",
        other => unreachable!("unexpected task {other}"),
    }
    .to_owned()
}

fn config() -> Config {
    let mut config = Config::default();
    config.text_units.size = 24;
    config.text_units.overlap = 0;
    config.reader.enabled = Some(true);
    config.reader.chunk_tokens = 24;
    config.search.reader.initial_nodes = 1;
    config
}

async fn index_with(pairing: &Pairing, config: Config, model: &Arc<Scripted>) -> TestIndex {
    let mut index = TestIndex::with(pairing, &fresh_workspace("reader"), config).await;
    index.services.chat = Some(Arc::clone(model) as Arc<dyn ChatModel>);
    index.write("carol.txt", CAROL);
    let report = index.index(&[]).await;
    let facts = report.facts.expect("facts were read");
    assert_eq!((facts.documents_read, facts.chunks_read, facts.facts), (1, 3, 3), "{:?}", report.problems);
    index
}

async fn ask(index: &TestIndex) -> Answer {
    let request = QueryRequest {
        question: "Who is Bob Cratchit?".to_owned(),
        method: Method::Reader,
        ..QueryRequest::default()
    };
    let mut streamed = String::new();
    let answer = query::query(&index.services, &request, &mut |text| streamed.push_str(text))
        .await
        .expect("an answer");
    assert_eq!(streamed, answer.answer);
    answer
}

/// An answer of an index and a model of its own, with the only path.
async fn answer_of(config: Config, model: &Arc<Scripted>) -> (Answer, PathTrace) {
    let index = index_with(&Pairing::embedded(), config, model).await;
    let answer = ask(&index).await;
    index.wipe().await;
    let path = answer.trace.as_ref().expect("a trace").paths[0].clone();
    (answer, path)
}

fn actions(path: &PathTrace) -> Vec<&str> {
    path.steps.iter().map(|step| step.action.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn facts_are_read_once_and_follow_their_documents() {
    for pairing in pairings() {
        let model = Scripted::new(&[], polite);
        let mut index = index_with(&pairing, config(), &model).await;
        let paid = model.prompts_of("extract_facts").len();
        assert_eq!(paid, 3);
        index.services.config.reader.enabled = None;
        let facts = index.index(&[]).await.facts.expect("kept up to date");
        assert_eq!((facts.documents_read, facts.documents_kept), (0, 1));
        assert_eq!(model.prompts_of("extract_facts").len(), paid, "a second run repeats nothing");
        index.write(
            "carol.txt",
            &format!("{CAROL}\nTiny Tim is the youngest and the merriest son of Bob Cratchit.\n"),
        );
        let facts = index.index(&[]).await.facts.expect("kept up to date");
        assert_eq!(
            (facts.documents_read, facts.chunks_read, facts.facts),
            (1, 2, 4),
            "only what is new is read, and the end of the text that it follows"
        );
        let document = index.services.ids.document("docs/carol.txt");
        let stored = index.services.graph.facts_of(std::slice::from_ref(&document)).await.expect("facts");
        assert_eq!(stored[0].chunks[3].facts[0].key_elements, ["Bob Cratchit", "Tiny Tim"]);
        index.services.config.reader.enabled = Some(false);
        index.index(&[]).await;
        assert!(index.services.graph.facts_of(&[document]).await.expect("read").is_empty(), "turned off");
        index.wipe().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_goes_over_facts_chunks_and_neighbours() {
    let model = Scripted::new(
        &[
            (
                "reader_facts",
                r#"{"notebook": "Bob.", "rationale": "near", "action": "read_chunk", "arguments": ["C1"]}"#,
            ),
            (
                "reader_chunk",
                r#"{"notebook": "Bob is the clerk [Data: Sources (1, 3)].", "rationale": "on", "action": "read_subsequent_chunk"}"#,
            ),
            ("reader_chunk", r#"{"rationale": "back", "action": "read_previous_chunk"}"#),
            ("reader_chunk", r#"{"rationale": "more", "action": "search_more"}"#),
            (
                "reader_neighbours",
                r#"{"rationale": "he", "action": "read_neighbor_node(\"the Jacob Marley\")"}"#,
            ),
        ],
        polite,
    );
    let (answer, path) = answer_of(config(), &model).await;
    assert_eq!(
        actions(&path),
        [
            "read_chunk(C1)",
            "read_subsequent_chunk()",
            "search_more()",
            // past Ebenezer Scrooge, whose chunks have been read
            "read_neighbor_node(Jacob Marley)",
            "stop_and_read_neighbor()",
        ]
    );
    assert!(path.steps[2].refused[0].contains("C1, has been read already"), "{:?}", path.steps[2]);
    assert_eq!(path.ended_by, "no neighbour is left");
    assert_eq!(
        path.notebook, "Bob is the clerk [Data: Sources (1)].",
        "C3 was not read, so it cannot be cited"
    );
    assert_eq!(answer.answer, "He is the clerk [Data: Sources (1)].");
    assert_eq!(answer.citations_removed, 2);
    assert!(answer.sources[0].text.contains("badly paid clerk"), "{:?}", answer.sources);
    assert_eq!(answer.context.items.len(), 2, "the chunks that were read");
    assert_eq!(answer.trace.expect("a trace").analysis, "one notebook.");
    let marley = model.prompts_of("reader_facts").pop().expect("asked");
    assert!(marley.contains("C3:\n- Jacob Marley had been dead") && !marley.contains("C2:"), "{marley}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_reads_backwards_and_terminates_and_sources_are_numbered_through() {
    let model = Scripted::new(
        &[
            ("reader_nodes", "Node: Jacob Marley, Score: 80"),
            ("reader_facts", r#"{"notebook": "", "action": "read_chunk", "arguments": ["C3"]}"#),
            (
                "reader_chunk",
                r#"{"notebook": "Marley is dead [Data: Sources (3)].", "action": "read_previous_chunk"}"#,
            ),
            ("reader_answer", "Marley is dead."),
        ],
        polite,
    );
    let (answer, path) = answer_of(config(), &model).await;
    assert_eq!(actions(&path), ["read_chunk(C3)", "read_previous_chunk()", "termination()"]);
    assert_eq!(path.ended_by, "termination");
    assert_eq!(path.notebook, "Marley is dead [Data: Sources (1)].");
    assert_eq!(answer.answer, "Marley is dead.", "a reply out of form is the answer");
    let cited: Vec<usize> = answer.citations.iter().map(|citation| citation.number).collect();
    assert_eq!(cited, [1, 2], "an answer that cites nothing rests on what was read");
    assert!(answer.sources[0].text.contains("seven years"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_exist_is_refused_and_told_once() {
    fn liar(task: &str) -> String {
        match task {
            "reader_plan" => "I cannot plan.",
            "reader_nodes" => "Node: Zanzibar, Score: 100",
            "reader_facts" => r#"{"notebook": "n [Data: Sources (9), Reports (1)]", "action": "read_chunk", "arguments": ["C99"]}"#,
            "reader_neighbours" => r#"{"action": "read_neighbor_node", "arguments": ["Zanzibar"]}"#,
            other => return polite(other),
        }
        .to_owned()
    }
    let model = Scripted::new(&[], liar);
    let (answer, path) = answer_of(config(), &model).await;
    let nodes = model.prompts_of("reader_nodes");
    assert!(nodes.len() == 2 && nodes[1].contains("not on the list: Zanzibar"), "{nodes:?}");
    assert_eq!(path.start, "Bob Cratchit", "search has chosen: the question names him");
    assert!(answer.notes[0].contains("search ranks first"), "{:?}", answer.notes);
    assert_eq!(actions(&path), ["stop_and_read_neighbor()", "termination()"]);
    for step in &path.steps {
        assert_eq!(step.refused.len(), 2, "{step:?}");
    }
    assert!(model.prompts_of("reader_facts")[1].contains("C99 not among the chunks that were shown"));
    assert!(model.prompts_of("reader_neighbours")[1].contains("\"Zanzibar\" is not among the key elements"));
    assert_eq!(path.notebook.trim(), "n", "citations of what was not read are taken out");
    assert_eq!((answer.answer.as_str(), answer.citations.len()), ("He is the clerk.", 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_out_of_format_are_passed_over() {
    fn babbler(task: &str) -> String {
        match task {
            "reader_nodes" => polite(task),
            _ => "I think I should read more.".to_owned(),
        }
    }
    let steps = [("reader_facts", r#"{"action": "read_chunk", "arguments": ["C1", "C7"]}"#)];
    let model = Scripted::new(&steps, babbler);
    let (answer, path) = answer_of(config(), &model).await;
    assert_eq!(actions(&path), ["read_chunk(C1)", "search_more()", "termination()"]);
    assert!(path.steps[0].refused[0].contains("C7 not among"), "{:?}", path.steps);
    assert!(path.steps[1].refused[0].contains("no JSON object"), "{:?}", path.steps);
    assert!(answer.answer.contains("nothing"), "empty notebooks are no answer: {}", answer.answer);
    assert!(model.prompts_of("reader_answer").is_empty());
}

/// Reads and goes on for ever.
fn restless(task: &str) -> String {
    match task {
        "reader_nodes" => {
            "Node: Bob Cratchit, Score: 9\nNode: Jacob Marley, Score: 8\nNode: Ebenezer Scrooge, Score: 7"
        }
        "reader_facts" => r#"{"notebook": "note", "action": "read_chunk", "arguments": ["C1", "C2", "C3"]}"#,
        "reader_chunk" => r#"{"notebook": "note", "action": "read_previous_chunk"}"#,
        "reader_neighbours" => r#"{"action": "read_neighbor_node", "arguments": ["Ebenezer Scrooge"]}"#,
        other => return polite(other),
    }
    .to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_loops_comes_to_an_end_within_every_limit() {
    let check = async |change: fn(&mut Config), ended_by: &str, calls: u64| {
        let mut config = config();
        config.search.reader.initial_nodes = 3;
        change(&mut config);
        let model = Scripted::new(&[], restless);
        let (answer, _) = answer_of(config, &model).await;
        let paths = answer.trace.expect("a trace").paths;
        assert!(paths.iter().any(|path| path.ended_by == ended_by), "{ended_by}: {paths:#?}");
        assert!(answer.calls <= calls, "{ended_by}: {} calls", answer.calls);
        if ended_by.contains(" = ") {
            assert!(answer.notes.iter().any(|note| note.contains(ended_by)), "{:?}", answer.notes);
        }
        paths
    };
    // each text is read before any neighbour is looked at, and behind neighbours nothing is left
    let paths = check(|_| {}, "no neighbour is left", 60).await;
    assert_eq!(paths.len(), 3);
    check(|config| config.search.reader.path_calls = 2, "path_calls = 2", 3 + 3 * 4).await;
    check(|config| config.search.reader.max_calls = 6, "max_calls = 6", 6).await;
    check(|config| config.search.reader.max_tokens = 50, "max_tokens = 50", 3).await;
    let paths = check(|config| config.search.reader.max_seconds = 0, "max_seconds = 0", 0).await;
    assert!(paths.iter().all(|path| path.steps.is_empty()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chunk_is_read_once_and_all_end_where_one_path_has_enough() {
    let nodes =
        "Node: Bob Cratchit, Score: 90\nNode: Ebenezer Scrooge, Score: 80\nNode: Jacob Marley, Score: 70";
    let first = r#"{"notebook": "", "action": "read_chunk", "arguments": ["C1"]}"#;
    let noted = r#"{"notebook": "Bob is the clerk [Data: Sources (1)].", "action": "termination"}"#;
    let steps =
        [("reader_nodes", nodes), ("reader_facts", first), ("reader_facts", first), ("reader_chunk", noted)];
    let model = Scripted::new(&steps, polite);
    let mut config = config();
    config.search.reader.initial_nodes = 3;
    let (answer, path) = answer_of(config, &model).await;
    assert_eq!((path.ended_by.as_str(), model.prompts_of("reader_chunk").len()), ("termination", 1));
    assert_eq!(model.prompts_of("reader_facts").len(), 2, "the third path was not needed");
    assert!(
        model.prompts_of("reader_neighbours").is_empty(),
        "the second path has waited for what the first reads"
    );
    assert_eq!(answer.trace.expect("a trace").paths.len(), 2);
    // where the first goes on, the second is told what it has noted
    let noted = r#"{"notebook": "Bob is the clerk [Data: Sources (1)].", "action": "search_more"}"#;
    let steps =
        [("reader_nodes", nodes), ("reader_facts", first), ("reader_facts", first), ("reader_chunk", noted)];
    let model = Scripted::new(&steps, polite);
    let mut config = self::config();
    config.search.reader.initial_nodes = 3;
    answer_of(config, &model).await;
    let told = "chunk C1: read by another reader; its notes then: Bob is the clerk [Data: Sources (1)].";
    assert!(model.prompts_of("reader_neighbours").iter().any(|asked| asked.contains(told)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chunk_may_lead_to_a_key_element_that_it_names() {
    let steps = [
        ("reader_facts", r#"{"notebook": "", "action": "read_chunk", "arguments": ["C1"]}"#),
        ("reader_chunk", r#"{"action": "read_neighbor_node", "arguments": ["Jacob Marley"]}"#),
        ("reader_facts", r#"{"notebook": "", "action": "read_chunk", "arguments": ["C3"]}"#),
    ];
    let (_, path) = answer_of(config(), &Scripted::new(&steps, polite)).await;
    let expected = ["read_chunk(C1)", "read_neighbor_node(Jacob Marley)", "read_chunk(C3)", "termination()"];
    assert_eq!(actions(&path), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn neighbours_that_lead_to_nothing_unread_are_not_asked_about() {
    let chunk =
        |number: u32| format!(r#"{{"notebook": "", "action": "read_chunk", "arguments": ["C{number}"]}}"#);
    let (first, second) = (chunk(1), chunk(2));
    let steps = [
        ("reader_facts", first.as_str()),
        ("reader_chunk", r#"{"notebook": "note [Data: Sources (1)]", "action": "search_more"}"#),
        ("reader_neighbours", r#"{"action": "read_neighbor_node", "arguments": ["Ebenezer Scrooge"]}"#),
        ("reader_facts", second.as_str()),
        ("reader_chunk", r#"{"action": "read_subsequent_chunk"}"#),
        ("reader_chunk", r#"{"action": "search_more"}"#),
    ];
    let model = Scripted::new(&steps, polite);
    let (_, path) = answer_of(config(), &model).await;
    // Jacob Marley stands in the second chunk and the third
    assert_eq!((path.ended_by.as_str(), path.steps.len()), ("no neighbour is left", 6), "{path:#?}");
    assert_eq!(model.prompts_of("reader_neighbours").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_found_for_the_question_is_read_before_its_neighbours() {
    let nodes =
        "Node: Bob Cratchit, Score: 90\nNode: Ebenezer Scrooge, Score: 80\nNode: Jacob Marley, Score: 70";
    let steps = [
        ("reader_nodes", nodes),
        ("reader_facts", r#"{"notebook": "", "action": "read_chunk", "arguments": ["C1"]}"#),
        ("reader_facts", r#"{"notebook": "", "action": "stop_and_read_neighbor"}"#),
        ("reader_chunk", r#"{"notebook": "note", "action": "search_more"}"#),
        ("reader_facts", r#"{"notebook": "", "action": "read_chunk", "arguments": ["C3"]}"#),
        ("reader_chunk", r#"{"notebook": "note", "action": "termination"}"#),
    ];
    let model = Scripted::new(&steps, polite);
    let mut config = config();
    config.search.reader.initial_nodes = 3;
    let (answer, _) = answer_of(config, &model).await;
    let asked =
        ["reader_facts", "reader_chunk", "reader_neighbours"].map(|task| model.prompts_of(task).len());
    assert_eq!(asked, [3, 2, 0], "{:#?}", answer.trace);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_best_key_elements_are_shown_where_there_are_many() {
    let mut config = config();
    config.search.reader.shown_key_elements = 1;
    let model = Scripted::new(&[], polite);
    answer_of(config, &model).await;
    let asked = model.prompts_of("reader_nodes").remove(0);
    let shown = asked.split("Key elements:").nth(1).expect("a list");
    let shown = shown.split("Question:").next().expect("a list");
    assert!(shown.contains("Bob Cratchit") && !shown.contains("Marley"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_or_facts_it_is_refused_with_a_way_out() {
    let model = Scripted::new(&[], polite);
    let mut index = TestIndex::new(&Pairing::embedded(), &fresh_workspace("no_facts")).await;
    index.write("carol.txt", CAROL);
    index.index(&[]).await;
    let request =
        QueryRequest { question: "Who?".to_owned(), method: Method::Reader, ..QueryRequest::default() };
    let error = query::query(&index.services, &request, &mut |_| {}).await.expect_err("no model").to_string();
    assert!(error.contains("[llm] provider") && error.contains("--method local"), "{error}");
    index.services.chat = Some(model);
    let error = query::query(&index.services, &request, &mut |_| {}).await.expect_err("no facts").to_string();
    assert!(error.contains("no atomic facts") && error.contains("--reader"), "{error}");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_question_is_foretold_to_take_is_near_to_what_it_takes() {
    let model = Scripted::new(&[], polite);
    let mut config = config();
    config.llm.provider = Provider::OpenAi;
    config.llm.model = "scripted".into();
    config.llm.api_key = Secret::new("key");
    let index = index_with(&Pairing::embedded(), config, &model).await;
    let request = QueryRequest {
        question: "Who is Bob Cratchit?".to_owned(),
        method: Method::Reader,
        ..QueryRequest::default()
    };
    let told = query::forecast(&index.services, &request).await.expect("foretold");
    let limits = &index.services.config.search.reader;
    assert!(told.notes.iter().any(|note| note.contains(&limits.max_calls.to_string())), "{told:?}");
    let taken = ask(&index).await.calls;
    // three chunks hold little: no more than each path reading all of them
    assert!(told.calls >= taken && told.calls <= 3 * taken, "{} foretold, {taken} taken", told.calls);
    index.wipe().await;
}

/// Sentences of which neighbouring text units share some.
const WINTER: [&str; 9] = [
    "Bob Cratchit is the clerk of Ebenezer Scrooge in the city.",
    "The fog was thick.",
    "Bob Cratchit copies letters for Ebenezer Scrooge all day.",
    "The fire was small.",
    "Bob Cratchit asked Ebenezer Scrooge for one more coal.",
    "The door stood open.",
    "Bob Cratchit walked home without Ebenezer Scrooge at last.",
    "The lamps were lit.",
    "Bob Cratchit forgot Ebenezer Scrooge over the dinner.",
];

/// What a question over [`WINTER`] is sent of its chunks.
struct Winter {
    /// The texts of the prompts with chunks.
    shown: Vec<String>,
    chunks: usize,
    /// Chunks that share text with the next one, from 1.
    shared: Vec<usize>,
}

impl Winter {
    /// How often each sentence was sent.
    fn sent(&self) -> Vec<usize> {
        let times = |sentence: &&str| self.shown.iter().filter(|text| text.contains(*sentence)).count();
        WINTER.iter().map(times).collect()
    }
}

/// Asks over [`WINTER`] where a model reads on so often.
async fn ask_of_winter(initial_nodes: usize, steps: &[(&'static str, &str)], onward: usize) -> Winter {
    let further = [("reader_chunk", r#"{"notebook": "note", "action": "read_subsequent_chunk"}"#)];
    let steps: Vec<_> = steps.iter().copied().chain(further.into_iter().cycle().take(onward)).collect();
    let model = Scripted::new(&steps, polite);
    let mut config = config();
    config.text_units.size = 30;
    config.text_units.overlap = 10;
    config.search.reader.initial_nodes = initial_nodes;
    let mut index = TestIndex::with(&Pairing::embedded(), &fresh_workspace("overlap"), config).await;
    index.services.chat = Some(Arc::clone(&model) as Arc<dyn ChatModel>);
    index.write("winter.txt", &WINTER.join(" "));
    index.index(&[]).await;
    let document = index.services.ids.document("docs/winter.txt");
    let units = index.services.graph.text_units_of(&document).await.expect("units");
    let facts = index.services.graph.facts_of(&[document]).await.expect("facts");
    let chunks = facts[0].chunks.len();
    assert_eq!(chunks, units.len(), "each is a chunk");
    let share = |at: &usize| units[*at].unit.start_offset < units[*at - 1].unit.end_offset;
    let shared = (1..units.len()).filter(share).collect();
    ask(&index).await;
    index.wipe().await;
    Winter {
        shown: model.prompts_of("reader_chunk").iter().map(|asked| data_of(asked)).collect(),
        chunks,
        shared,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_neighbouring_chunks_share_is_sent_once() {
    let first = ("reader_facts", r#"{"notebook": "", "action": "read_chunk", "arguments": ["C1"]}"#);
    let chunks = ask_of_winter(1, &[first], 0).await.chunks;
    let winter = ask_of_winter(1, &[first], chunks - 1).await;
    assert_eq!(winter.shown.len(), chunks, "{:#?}", winter.shown);
    assert!(winter.shared.len() > 1, "{:#?}", winter.shown);
    assert!(winter.sent().iter().all(|times| *times == 1), "{:#?}", winter.shown);

    // also where another path has read what stands behind
    let at = winter.shared[0];
    let read =
        |chunk: usize| format!(r#"{{"notebook": "", "action": "read_chunk", "arguments": ["C{chunk}"]}}"#);
    let (behind, before) = (read(at + 1), read(at));
    let steps = [
        ("reader_nodes", "Node: Bob Cratchit, Score: 90\nNode: Ebenezer Scrooge, Score: 80"),
        ("reader_facts", behind.as_str()),
        ("reader_chunk", r#"{"notebook": "note", "action": "search_more"}"#),
        ("reader_facts", before.as_str()),
    ];
    let winter = ask_of_winter(2, &steps, 0).await;
    assert_eq!(winter.shown.len(), 2, "{:#?}", winter.shown);
    let sent = winter.sent();
    assert!(sent.iter().all(|times| *times < 2), "{sent:?} {:#?}", winter.shown);
    assert!(sent.iter().sum::<usize>() > 2, "{sent:?} {:#?}", winter.shown);
}
