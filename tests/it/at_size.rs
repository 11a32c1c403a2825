//! What commands read as the graph grows: four times the documents may cost a little more than four times the work, by
//! the rows that statements of the embedded store give and the steps of its machine, which also count what is only looked
//! at. `scripts/bench-commands.sh` says it of larger graphs, with time and memory.

use crate::program::{Cost, Place};
use std::fmt::Write;

/// The documents of two corpora.
const SIZES: [usize; 2] = [30, 120];
/// n log n grows by 5.6 from the one to the other, a square by 16. A hierarchy of communities gets a level deeper besides.
const MOST_GROWTH: u64 = 11;
/// Steps and rows of a statement that are of no account.
const FEW: u64 = 3_000;

fn person(number: usize) -> String {
    const GIVEN: [&str; 7] = ["Alice", "Robert", "Martha", "Edwin", "Caroline", "Hector", "Beatrice"];
    const FIRST: [&str; 9] = ["Ash", "Bram", "Cran", "Dun", "Ells", "Fair", "Grant", "Hart", "Kens"];
    const LAST: [&str; 8] = ["ford", "well", "ston", "more", "worth", "field", "ham", "ley"];
    const MIDDLE: [&str; 5] = ["", "ing", "er", "bur", "en"];
    let (first, last, middle) = (FIRST[number % 9], LAST[number / 9 % 8], MIDDLE[number / 72 % 5]);
    format!("{} {first}{middle}{last}", GIVEN[number % 7])
}

/// Documents of three persons each, who all know London, and of whom one met somebody from an earlier document.
fn place(documents: usize) -> Place {
    let place = Place::new();
    for number in 0..documents {
        let [one, other, third] = [0, 1, 2].map(|which| person(3 * number + which));
        let earlier = person(number * 31 % (3 * documents));
        let text =
            format!("{one} met {other} in London. {other} wrote to {third}. {third} visited {earlier}.");
        let (year, month) = (2001 + number % 20, 1 + number % 12);
        place.write(&format!("docs/{year}-{month:02}-11 {number}.txt"), &text);
    }
    place.write(
        "more/new.txt",
        "Zebulon Quist met Alice Ashford in London. Ottoline Vance wrote to Zebulon Quist.",
    );
    place
}

/// What grew faster than it may, a line each.
fn too_fast(places: &[Place; 2], arguments: &[&str]) -> String {
    let [few, many] = places.each_ref().map(|place| place.statements(arguments));
    let mut found = String::new();
    for (statement, now) in many {
        let was = few.get(&statement).copied().unwrap_or_default();
        let grew = |now: u64, was: u64| now > MOST_GROWTH * was + FEW;
        if grew(now.rows, was.rows) || grew(now.steps, was.steps) {
            let Cost { rows, steps } = was;
            let _ = writeln!(
                found,
                "{arguments:?}: {rows} -> {} rows, {steps} -> {} steps: {statement}",
                now.rows, now.steps
            );
        }
    }
    found
}

fn check(commands: &[&[&str]]) {
    let places = SIZES.map(place);
    let mut found = too_fast(&places, &["index", "docs"]);
    for command in commands {
        found.push_str(&too_fast(&places, command));
    }
    assert!(found.is_empty(), "{found}");
}

#[test]
fn no_command_that_reads_reads_more_than_its_share_of_a_larger_graph() {
    check(&[
        &["status"],
        &["doctor"],
        &["export", "exported"],
        &["map", "-o", "map.html", "--limit", "20"],
        &["trends"],
        &["communities", "--history"],
        &["communities", "--list"],
        &["communities", "--dry-run"],
        &["entities", "list"],
        &["entities", "show", "London"],
        &["entities", "duplicates"],
        &["questions"],
        &["qa", "check"],
        &["query", "Whom did Alice Ashford meet in London?"],
        &["query", "--method", "global", "Whom did Alice Ashford meet in London?"],
        &["query", "--method", "basic", "Whom did Alice Ashford meet in London?"],
    ]);
}

#[test]
fn no_command_that_changes_reads_more_than_its_share_of_a_larger_graph() {
    check(&[
        &["index", "more"],
        &["remove", "more/new.txt"],
        &["index", "more", "--warm"],
        &["sync", "docs"],
        &["communities", "--fresh"],
        &["entities", "rename", "London", "Greater London"],
        &["entities", "delete", "Alice Ashford"],
        &["index", "docs"],
        &["sync-vectors"],
        &["doctor", "--fix"],
    ]);
}

#[test]
fn a_sound_graph_is_examined_once_by_doctor_with_fix_too() {
    let place = place(SIZES[0]);
    place.statements(&["index", "docs"]);
    let rows = |arguments: &[&str]| place.statements(arguments).values().map(|cost| cost.rows).sum::<u64>();
    let (looks, mends) = (rows(&["doctor"]), rows(&["doctor", "--fix"]));
    assert!(looks > 0 && mends < looks * 3 / 2, "{looks} rows are read, {mends} with --fix");
}

/// What is left of a run with one small document behind the reading of the whole graph for its communities: what is
/// looked at hangs on the document.
#[test]
fn one_small_document_is_linked_by_what_it_names() {
    let places = SIZES.map(place);
    let read = places.each_ref().map(|place| {
        place.statements(&["index", "docs"]);
        let statements = place.statements(&["index", "more", "--warm"]);
        let texts = statements.iter().filter(|(statement, _)| statement.contains("c.text"));
        texts.map(|(_, cost)| cost.rows).sum::<u64>()
    });
    assert_eq!(read[0], read[1], "texts that are read");
}

/// What is dirty is found from its marks: SQLite would rather read all relationships and look each up among the marks.
#[test]
fn what_a_small_document_touched_is_found_without_reading_the_rest() {
    let places = SIZES.map(place);
    let steps = places.each_ref().map(|place| {
        place.statements(&["index", "docs"]);
        let statements = place.statements(&["index", "more", "--warm"]);
        let marks = statements.iter().filter(|(statement, _)| statement.contains("FROM dirty_"));
        marks.map(|(_, cost)| cost.steps).sum::<u64>()
    });
    assert!(steps[0] > 0 && steps[1] <= steps[0] + 100, "{steps:?}");
}
