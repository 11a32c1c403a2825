//! Both stores rank alike: 200 English and 200 Chinese questions, by words, by cosine and both.

use super::support::{Backend, DIMENSION, corpus, point};
use super::support::{embed, id};
use graphwright::language::{sentences, words};
use graphwright::stores::VectorStore;
use graphwright::stores::graph::VectorKind::TextUnits;
use graphwright::stores::vectors::bm25::query_vector;
use graphwright::stores::vectors::{Filter, Payload, Point, VectorQuery};

const QUESTIONS: usize = 200;

/// Pieces of some hundred characters, cut at sentences.
fn units(text: &str, characters: usize) -> Vec<String> {
    let mut units = vec![String::new()];
    for range in sentences(text) {
        if units.last().is_some_and(|unit| unit.chars().count() > characters) {
            units.push(String::new());
        }
        units.last_mut().unwrap().push_str(&text[range]);
        units.last_mut().unwrap().push(' ');
    }
    units
}

/// Sentences, word pairs and single words, spread evenly over the text.
fn questions(text: &str) -> Vec<String> {
    let sentences: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
    let step = sentences.len() / QUESTIONS;
    (0..QUESTIONS)
        .map(|number| {
            let sentence = sentences[number * step];
            let words = words(sentence);
            match number % 4 {
                0 => words.last().cloned().unwrap_or_default(),
                1 => words.iter().rev().take(2).cloned().collect::<Vec<_>>().join(" "),
                _ => sentence.to_owned(),
            }
        })
        .collect()
}

async fn compare(name: &str, file: &str, characters: usize) {
    let Some(text) = corpus(file) else { return };
    let backends = Backend::all(name).await;
    let [one, other] = backends.as_slice() else { return };
    let stores = [one.open("default").await, other.open("default").await];
    let points: Vec<Point> = units(&text, characters)
        .iter()
        .enumerate()
        .map(|(number, unit)| Point {
            payload: Payload { document_id: Some(id(&(number % 3).to_string())), ..Payload::default() },
            ..point(&number.to_string(), unit)
        })
        .collect();
    for store in &stores {
        store.prepare(Some(DIMENSION)).await.unwrap();
        store.upsert(TextUnits, &points).await.unwrap();
    }
    let questions = questions(&text);
    assert_eq!(questions.len(), QUESTIONS);
    let mut hit_count = 0;
    for question in &questions {
        let (dense, sparse) = (Some(embed(question)), Some(query_vector(question)));
        let filter = Filter { documents: Some(vec![id("1")]), ..Filter::default() };
        for query in [
            VectorQuery { sparse: sparse.clone(), limit: 20, ..VectorQuery::default() },
            VectorQuery { dense: dense.clone(), limit: 20, ..VectorQuery::default() },
            VectorQuery { dense: dense.clone(), sparse: sparse.clone(), limit: 20, ..VectorQuery::default() },
            VectorQuery {
                dense: dense.clone(),
                sparse: sparse.clone(),
                words_weight: 0.3,
                limit: 20,
                ..VectorQuery::default()
            },
            VectorQuery { dense, sparse, limit: 20, filter, ..VectorQuery::default() },
        ] {
            hit_count += equal_hits(&stores, &query, question).await;
        }
    }
    assert!(hit_count > QUESTIONS * 40, "{hit_count}");
    eprintln!("{file}: {} units, {hit_count} hits equal on both stores", points.len());
}

async fn equal_hits(
    stores: &[std::sync::Arc<dyn VectorStore>; 2],
    query: &VectorQuery,
    question: &str,
) -> usize {
    let one = stores[0].search(TextUnits, query).await.unwrap();
    let other = stores[1].search(TextUnits, query).await.unwrap();
    let ids = |hits: &[graphwright::stores::vectors::Hit]| {
        hits.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&one), ids(&other), "{question}\n{one:?}\n{other:?}");
    for (one, other) in one.iter().zip(&other) {
        assert!((one.score - other.score).abs() < 1e-4, "{question}: {one:?} {other:?}");
    }
    one.len()
}

#[tokio::test]
async fn english_ranks_alike_on_both_stores() {
    compare("english", "a-christmas-carol.txt", 300).await;
}

#[tokio::test]
async fn chinese_ranks_alike_on_both_stores() {
    compare("chinese", "three-kingdoms-ch1-20.zh.txt", 100).await;
}
