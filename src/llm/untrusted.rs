//! Whatever an endpoint sends is read without harm: one check for random bytes and for the corpus in
//! `tests/fixtures/replies`, where what once did harm is kept.

use super::events::Events;
use super::reply::{find_citations, read_all_json, rewrite, without_citations};
use super::wire;
use proptest::prelude::*;
use serde_json::Value;

/// What must hold for any bytes.
fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    check_citations(&text);
    read_all_json(&text, 20);
    assert!(text.ends_with(wire::without_thoughts(&text)), "thoughts stand before a reply");
    if let Ok(body) = serde_json::from_slice::<Value>(bytes) {
        check_body(&body);
    }
    let whole = events(bytes, bytes.len().max(1));
    for length in [1, 7] {
        assert_eq!(events(bytes, length), whole, "a stream is read alike however it is cut");
    }
    for data in whole {
        if let Ok(body) = serde_json::from_str::<Value>(&data) {
            check_body(&body);
        }
    }
}

fn check_citations(text: &str) {
    for group in find_citations(text) {
        assert!(
            text.get(group.range.clone()).is_some_and(|bracket| bracket.chars().count() > 2),
            "{group:?}"
        );
    }
    let same = rewrite(text, |_, number| Some(number.to_string()));
    assert_eq!(rewrite(&same, |_, number| Some(number.to_string())), same);
    assert_eq!(find_citations(&without_citations(text)), Vec::new());
}

fn check_body(body: &Value) {
    if let Some(usage) = wire::read_piece(body).and_then(|piece| piece.usage) {
        assert!(usage.cached_tokens <= usage.input_tokens);
    }
    for vector in wire::read_vectors(body, 2).into_iter().flatten() {
        let length: f32 = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 1e-3, "{vector:?}");
    }
}

/// The data of a stream's events that comes in pieces of so many bytes.
fn events(bytes: &[u8], length: usize) -> Vec<String> {
    let mut events = Events::new(1 << 20);
    let mut all: Vec<String> = bytes.chunks(length).flat_map(|piece| events.feed(piece).unwrap()).collect();
    all.extend(events.end());
    all
}

#[test]
fn the_corpus_is_read_without_harm() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/replies");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        check(&std::fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count >= 16, "{count}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        check(&bytes);
    }

    #[test]
    fn what_looks_like_a_reply_is_read_without_harm(
        pieces in proptest::collection::vec(prop::sample::select(vec![
            "{\"choices\":[{\"delta\":{\"content\":\"", "\"}}]}", "data: ", "\n\n", "\r\n", "[Data: Sources (1, ", ")]",
            "【数据：来源（2）】", "<think>", "</think>", "\\u00", "{\"usage\":{\"prompt_tokens\":", "7", "}", "[", "]", ",",
            "{\"data\":[{\"embedding\":[1,2]}", "\"", "'", "[DONE]", "event: ", ":", "\u{feff}", "刘备", "-", "+more",
        ]), 0..24)
    ) {
        check(pieces.concat().as_bytes());
    }
}
