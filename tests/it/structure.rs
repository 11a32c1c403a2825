//! Structural vectors: made where local search weighs them, equal to those of a fresh index, taken away where it does not.

use crate::program::Place;

const BOOK: &str = "Ebenezer Scrooge lives in London. Bob Cratchit works for Ebenezer Scrooge in London. \
    Jacob Marley was the partner of Ebenezer Scrooge. Tiny Tim is the son of Bob Cratchit.\n\n\
    Fezziwig danced in London with Jacob Marley. Bob Cratchit loves Tiny Tim. Fred is the nephew of Ebenezer Scrooge.\n";
const SEQUEL: &str = "Fred met Bob Cratchit and Tiny Tim in Camden Town. Belle danced with Fezziwig.\n";
const WEIGHED: &str = "[search]\nstructure_weight = 2.0\n";
const QUESTION: [&str; 2] = ["query", "Who is Tiny Tim?"];

/// What the question finds, best first.
fn entities(place: &Place) -> serde_json::Value {
    let found = place.json(&QUESTION)["entities"].clone();
    assert!(found.as_array().is_some_and(|found| found.len() > 2), "{found}");
    found
}

fn assert_refused(place: &Place) {
    let run = place.run(&QUESTION);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("there are no structural vectors"), "{}", run.stderr);
}

#[test]
fn they_follow_the_graph_and_the_setting() {
    let place = Place::new();
    place.write("docs/book.txt", BOOK);
    place.json(&["index", "docs"]);
    let plain = entities(&place);
    place.write("graphwright.toml", WEIGHED);
    assert_refused(&place);
    place.json(&["index", "docs"]);
    let weighed = entities(&place);
    assert_ne!(plain, weighed, "the weight counts");
    place.write("docs/sequel.txt", SEQUEL);
    place.json(&["index", "docs"]);
    let fresh = Place::new();
    fresh.write("graphwright.toml", WEIGHED);
    fresh.write("docs/book.txt", BOOK);
    fresh.write("docs/sequel.txt", SEQUEL);
    fresh.json(&["index", "docs"]);
    assert_eq!(entities(&place), entities(&fresh), "as a fresh index");
    place.remove("docs/sequel.txt");
    place.json(&["sync", "docs"]);
    assert_eq!(entities(&place), weighed, "as before the sequel");
    place.write("graphwright.toml", "");
    place.json(&["index", "docs"]);
    assert_eq!(entities(&place), plain);
    place.write("graphwright.toml", WEIGHED);
    assert_refused(&place);
}
