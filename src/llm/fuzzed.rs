//! Replies as endpoints send them, mutated: the stream, its events, and what stands in them.

use super::body::{self, CHAT};
use super::events::Events;
use super::stream::Visible;
use super::wire;
use proptest::prelude::*;

include!("../../fuzz/fuzz_targets/changes.rs");

/// Reads a stream in pieces as the client does; the text that is seen, and how many events there were.
fn read(stream: &[u8], piece: usize) -> (String, usize) {
    let mut events = Events::new(CHAT.bytes);
    let mut all: Vec<String> =
        stream.chunks(piece).flat_map(|bytes| events.feed(bytes).expect("short")).collect();
    all.extend(events.end());
    let (mut whole, mut seen, mut visible) = (String::new(), String::new(), Visible::default());
    for data in &all {
        let Ok(Some(event)) = body::parse(data.as_bytes(), CHAT) else { continue };
        let _ = wire::read_vectors(&event, 2);
        let _ = event.get("usage").and_then(wire::read_usage);
        if let Some(piece) = wire::read_piece(&event) {
            whole.push_str(&piece.text);
            let fresh = visible.fresh(&whole).to_owned();
            assert!(whole.contains(&fresh), "{fresh:?} in {whole:?}");
            seen.push_str(&fresh);
        }
    }
    (seen, all.len())
}

#[test]
fn the_corpus_of_streams_is_read_alike_in_any_pieces() {
    let mut events = 0;
    for (name, stream) in corpus("streams") {
        let whole = read(&stream, stream.len().max(1));
        for piece in [1, 2, 7] {
            assert_eq!(read(&stream, piece), whole, "{name} in pieces of {piece}");
        }
        events += whole.1;
    }
    assert!(events > 6, "{events}");
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn no_stream_does_harm(place in any::<prop::sample::Index>(), changes in changes(), piece in 1_usize..40) {
        let corpus = corpus("streams");
        let stream = changed(&place.get(&corpus).1, &changes);
        prop_assert_eq!(read(&stream, piece), read(&stream, stream.len().max(1)));
    }
}
