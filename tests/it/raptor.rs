//! Summary trees end to end: built, kept up to date, searched both ways, cited down to the characters.

use crate::doctor::change_by_hand;
use crate::support::{
    Pairing, TestIndex, assert_equal_exports, fresh_workspace, pairings, with_fresh_communities,
};
use async_trait::async_trait;
use graphwright::config::Config;
use graphwright::domain::TreeNode;
use graphwright::llm::{
    ChatModel, ChatReply, ChatRequest, EmbeddingModel, EmbeddingPurpose, ModelError, ModelRole, Usage,
};
use graphwright::query::{self, Answer, Method, QueryRequest};
use graphwright::stores::graph::VectorKind;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(crate) const DIMENSION: usize = 48;
const TOPICS: [(&str, &[&str]); 4] = [
    ("ships", &["harbour", "sails", "captain", "anchor", "storm", "rigging", "cargo", "lighthouse"]),
    ("bread", &["flour", "oven", "yeast", "crust", "baker", "dough", "butter", "loaf"]),
    ("stars", &["telescope", "comet", "planet", "orbit", "galaxy", "astronomer", "eclipse", "moon"]),
    ("law", &["judge", "court", "witness", "verdict", "statute", "appeal", "lawyer", "jury"]),
];

/// A bag of words, hashed: texts that share words are near each other.
pub(crate) struct Words;

#[async_trait]
impl EmbeddingModel for Words {
    fn name(&self) -> String {
        "words".to_owned()
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    async fn embed(&self, texts: &[String], _: EmbeddingPurpose) -> Result<Vec<Vec<f32>>, ModelError> {
        Ok(texts.iter().map(|text| vector(text)).collect())
    }
}

pub(crate) fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.01_f32; DIMENSION];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3) {
        let hash =
            word.bytes().fold(7_usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(usize::from(byte)));
        vector[hash % DIMENSION] += 1.0;
    }
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.into_iter().map(|x| x / length).collect()
}

/// Sums up by the first sentence; cites the first source in answers. Counts its summaries.
#[derive(Default)]
struct Scribe {
    summaries: AtomicUsize,
}

#[async_trait]
impl ChatModel for Scribe {
    fn describe(&self, _: ModelRole) -> String {
        "scribe".to_owned()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let text = match request.task {
            "summarise_texts" => {
                self.summaries.fetch_add(1, Ordering::SeqCst);
                let shown = request.messages.last().expect("a message").content.clone();
                let words: BTreeSet<&str> = shown.split_whitespace().filter(|word| word.len() > 4).collect();
                format!("About {}.", words.into_iter().take(20).collect::<Vec<_>>().join(" "))
            }
            "basic_answer" => "The captain dropped the anchor [Data: Sources (1, 99)].".to_owned(),
            _ => String::new(),
        };
        Ok(ChatReply { text, usage: Usage::default(), truncated: false, from_cache: false })
    }
}

fn config() -> Config {
    let mut config = with_fresh_communities(Config::default());
    config.raptor.enabled = Some(true);
    config.raptor.leaf_tokens = 16;
    config.raptor.components = 4;
    config.raptor.context_tokens = 300;
    config.raptor.summary_words = 24;
    config
}

/// `count` sentences about each of some topics.
fn text(seed: usize, topics: &[usize], count: usize) -> String {
    let mut text = String::new();
    for &topic in topics {
        let (name, words) = TOPICS[topic];
        for number in 0..count {
            let word = |step: usize| words[(number * step + seed + number / 3) % words.len()];
            text.push_str(&format!(
                "In {name}, the {} of day {seed}{number} met the {} and the {}. ",
                word(1),
                word(3),
                word(5)
            ));
        }
        text.push_str("\n\n");
    }
    text
}

async fn index_with(pairing: &Pairing, name: &str, config: Config) -> TestIndex {
    let mut index = TestIndex::with(pairing, &fresh_workspace(name), config).await;
    index.services.embedding = Some(Arc::new(Words));
    index.services.vectors.prepare(Some(DIMENSION)).await.expect("prepared");
    index
}

async fn nodes(index: &TestIndex) -> Vec<TreeNode> {
    index.services.graph.tree_nodes(None, 10_000).await.expect("nodes")
}

async fn ask(index: &TestIndex, question: &str, traversal: bool) -> Answer {
    let request = QueryRequest {
        question: question.to_owned(),
        method: Method::Raptor,
        traversal: Some(traversal),
        ..QueryRequest::default()
    };
    query::query(&index.services, &request, &mut |_| {}).await.expect("an answer")
}

fn check_citations(index: &TestIndex, answer: &Answer) {
    assert!(!answer.sources.is_empty(), "{answer:?}");
    for source in &answer.sources {
        let file = source.document.trim_start_matches("docs/");
        let text = std::fs::read_to_string(index.folder.path().join("documents").join(file)).expect("read");
        let (start, end) = (usize::try_from(source.start).unwrap(), usize::try_from(source.end).unwrap());
        let shown: String = text.chars().skip(start).take(end - start).collect();
        assert_eq!(shown, source.text, "the citation leads to the characters");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trees_answer_both_ways_with_citations_on_every_pairing() {
    for pairing in pairings() {
        let index = index_with(&pairing, "raptor", config()).await;
        index.write("one.txt", &text(1, &[0, 1], 12));
        index.write("two.txt", &text(2, &[2, 3], 12));
        let report = index.index(&[]).await;
        let trees = report.trees.expect("trees");
        assert_eq!((trees.grown, trees.kept), (2, 0), "{pairing:?}");
        let all = nodes(&index).await;
        let leaves = all.iter().filter(|node| node.passage.is_some()).count();
        assert_eq!(leaves as u64, trees.leaves, "{pairing:?}");
        assert!(leaves > 30 && all.len() > leaves + 4, "{} nodes", all.len());
        let roots: Vec<&TreeNode> = all.iter().filter(|node| node.stamp.is_some()).collect();
        assert_eq!(roots.len(), 3, "one a document and one of all");
        let vectors = index.services.vectors.count(VectorKind::Summaries).await.expect("count");
        assert_eq!(vectors, all.len() as u64, "{pairing:?}");
        for traversal in [false, true] {
            let answer = ask(&index, "Which captain in ships met the anchor?", traversal).await;
            check_citations(&index, &answer);
            assert!(answer.sources.iter().all(|source| source.document == "docs/one.txt"), "{answer:?}");
            let context = &answer.context;
            assert!(context.tokens <= 300 && context.items.len() > 3, "{context:?}");
            if !traversal {
                // nothing that would still fit was passed over
                let taken: BTreeSet<&str> =
                    context.items.iter().map(|item| item.record.id.as_str()).collect();
                let left = context.budget_tokens - context.tokens;
                for node in all.iter().filter(|node| !taken.contains(node.id.as_str())) {
                    let at_most = node.text.chars().filter(|c| !c.is_whitespace()).count() + 12;
                    assert!(at_most > left || left < 8, "{} would fit into {left}", node.text);
                }
            }
        }
        let again = index.index(&[]).await;
        let trees = again.trees.expect("trees");
        assert_eq!((trees.grown, trees.kept, again.generation), (0, 2, report.generation), "{pairing:?}");
        index.wipe().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_pays_for_itself_alone_and_equals_a_rebuild() {
    let mut index = index_with(&Pairing::embedded(), "raptor_change", config()).await;
    let scribe = Arc::new(Scribe::default());
    let paid = || scribe.summaries.load(Ordering::SeqCst);
    index.services.chat = Some(Arc::clone(&scribe) as Arc<dyn ChatModel>);
    index.write("a.txt", &text(1, &[0, 1], 8));
    index.write("b.txt", &text(2, &[1, 2], 8));
    index.write("c.txt", &text(3, &[3], 8));
    index.index(&[]).await;
    let first = paid();
    assert!(first > 6, "{first}");
    index.index(&[]).await;
    assert_eq!(paid(), first, "nothing is written twice");
    index.write("d.txt", &text(4, &[2], 8));
    let trees = index.index(&[]).await.trees.expect("trees");
    assert_eq!((trees.grown, trees.kept), (1, 3));
    let summaries_of = |nodes: &[TreeNode], key: &str| {
        let id = index.services.ids.document(&format!("docs/{key}"));
        nodes.iter().filter(|node| node.document.as_ref() == Some(&id) && node.passage.is_none()).count()
    };
    let top = nodes(&index).await.iter().filter(|node| node.document.is_none()).count();
    let own = summaries_of(&nodes(&index).await, "d.txt");
    assert_eq!(paid(), first + own + top, "the new document's tree and the top tree");
    index.write("b.txt", &text(9, &[1, 3], 8));
    index.index(&[]).await;
    index.remove(&["a.txt"]).await;
    let changed = index.export().await;

    let workspace = index.services.ids.workspace().to_owned();
    index.services.vectors.wipe().await.expect("wiped");
    index.services.graph.wipe().await.expect("wiped");
    std::fs::remove_file(index.folder.path().join("documents/a.txt")).expect("removed");
    index.services.graph.prepare().await.expect("prepared");
    index.services.vectors.prepare(Some(DIMENSION)).await.expect("prepared");
    index.index(&[]).await;
    assert_eq!(workspace, index.services.ids.workspace());
    assert_equal_exports(&changed, &index.export().await, "changed and rebuilt");
    assert!(changed["summary_trees.jsonl"].lines().count() > 30);

    let answer = ask(&index, "Who dropped the anchor?", false).await;
    assert_eq!(answer.citations_removed, 1, "99 was not shown: {}", answer.answer);
    check_citations(&index, &answer);
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn few_leaves_and_equal_leaves_make_trees() {
    let mut config = config();
    config.raptor.cluster_tokens = 200;
    let mut index = index_with(&Pairing::embedded(), "raptor_few", config).await;
    let none = index.index_paths(Vec::new()).await.trees.expect("trees");
    assert_eq!((none.leaves, none.changed), (0, false));
    index.write("empty.txt", "");
    index.write("marks.txt", "* * *\n\n---");
    index.write("one.txt", "Marley was dead to begin with.");
    index.index(&[]).await;
    let all = nodes(&index).await;
    assert_eq!(all.len(), 1, "a leaf alone is the root: {all:?}");
    assert!(all[0].stamp.is_some() && all[0].passage.is_some());
    index.write("five.txt", &text(5, &[0], 5));
    // the words that decide the embedding are the same in all, the numbers are not looked at
    let equal: Vec<String> =
        (0..40).map(|n| format!("Only the same words {n} are here to read now.")).collect();
    index.write("equal.txt", &equal.join(" "));
    let trees = index.index(&[]).await.trees.expect("trees");
    let all = nodes(&index).await;
    assert_eq!(all.iter().filter(|node| node.stamp.is_some()).count(), 4, "three documents and the top");
    assert!(trees.summaries >= 6, "{trees:?}");
    let held: BTreeSet<&str> =
        all.iter().flat_map(|node| node.children.iter().map(graphwright::domain::Id::as_str)).collect();
    let loose: Vec<&TreeNode> = all.iter().filter(|node| !held.contains(node.id.as_str())).collect();
    assert_eq!(loose.len(), 1, "everything hangs from one root: {loose:?}");
    check_citations(&index, &ask(&index, "Was Marley dead?", true).await);

    index.services.config.raptor.enabled = Some(false);
    assert!(index.index(&[]).await.trees.expect("trees").changed);
    assert_eq!(nodes(&index).await, [], "trees go where they are switched off");
    index.wipe().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_that_was_edited_into_a_circle_still_answers() {
    for pairing in pairings() {
        let index = index_with(&pairing, "circle", config()).await;
        index.write("one.txt", &text(1, &[0, 1], 12));
        index.index(&[]).await;
        change_by_hand(
            &index,
            &pairing,
            "UPDATE tree_nodes SET children = (SELECT json_group_array(id) FROM tree_nodes WHERE level > 0) WHERE level > 0",
            "MATCH (n:TreeNode) WHERE n.workspace = $workspace AND n.level > 0 WITH collect(n) AS all \
             WITH all, [n IN all | n.id] AS ids UNWIND all AS n SET n.children = ids",
        )
        .await;
        for traversal in [false, true] {
            let answer = ask(&index, "Which captain in ships met the anchor?", traversal);
            tokio::time::timeout(Duration::from_mins(1), answer).await.expect("it comes to an end");
        }
        index.wipe().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_is_named() {
    let mut index = index_with(&Pairing::embedded(), "raptor_missing", Config::default()).await;
    index.write("one.txt", "Marley was dead to begin with.");
    let report = index.index(&[]).await;
    assert!(report.trees.is_none(), "nobody asked for trees");
    let request = QueryRequest {
        question: "Was Marley dead?".to_owned(),
        method: Method::Raptor,
        ..QueryRequest::default()
    };
    let error = query::query(&index.services, &request, &mut |_| {}).await.expect_err("no trees").to_string();
    assert!(error.contains("--raptor"), "{error}");
    index.services.embedding = None;
    let error = query::query(&index.services, &request, &mut |_| {}).await.expect_err("no model").to_string();
    assert!(error.contains("[embeddings]"), "{error}");
    index.wipe().await;
}
