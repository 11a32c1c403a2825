//! Requests as anybody may send them, mutated: each is answered or cut off, none is a fault of ours, and the server goes on.

use super::support::{Running, With};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

include!("../../../fuzz/fuzz_targets/changes.rs");

/// What comes back for some bytes.
fn send(address: &str, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a time");
    let _ = stream.write_all(request);
    let _ = stream.shutdown(Shutdown::Write);
    let mut reply = Vec::new();
    let _ = stream.take(1 << 20).read_to_end(&mut reply);
    String::from_utf8_lossy(&reply).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_does_harm() {
    let server = Running::start(With::default()).await;
    let address = server.base.strip_prefix("http://").expect("an address").to_owned();
    let requests = corpus("requests");
    let mut runner = crate::fuzzed::runner();
    let strategy = (any::<prop::sample::Index>(), changes());
    let mutations: Vec<Vec<u8>> = (0..cases(200).cases)
        .map(|_| strategy.new_tree(&mut runner).expect("a value").current())
        .map(|(place, changes)| changed(&place.get(&requests).1, &changes))
        .collect();
    let all: Vec<Vec<u8>> = requests.iter().map(|(_, bytes)| bytes.clone()).chain(mutations).collect();
    let count = all.len();
    let answered = tokio::task::spawn_blocking(move || {
        let mut answered = 0;
        for request in all {
            let reply = send(&address, &request);
            let request = String::from_utf8_lossy(&request);
            assert!(reply.is_empty() || reply.starts_with("HTTP/1.1 "), "{request}\n{reply}");
            assert!(!reply.starts_with("HTTP/1.1 5"), "a fault of ours: {request}\n{reply}");
            answered += usize::from(!reply.is_empty());
        }
        answered
    })
    .await
    .expect("all were sent");
    assert!(answered * 2 > count, "{answered} of {count}");
    assert_eq!(server.get(&server.url("/health/live")).await.0, 200);
    let (status, _) = server.get(&server.book("/documents")).await;
    assert_eq!(status, 200);
    server.stop().await;
}
