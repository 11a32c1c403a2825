//! A run that finds everything as the last one left it: what it reads from the store, and what wakes it.

use crate::neo4j;
use crate::program::{Cost, Place};
use crate::support::{TestIndex, fresh_workspace, pairings};

/// So many documents that each name persons and places of their own.
fn place(documents: usize) -> Place {
    const GIVEN: [&str; 6] = ["Alice", "Robert", "Martha", "Edwin", "Caroline", "Hector"];
    const FAMILY: [&str; 7] =
        ["Ashford", "Bramwell", "Cranston", "Dunmore", "Ellsworth", "Fairfax", "Grantham"];
    let place = Place::new();
    for number in 0..documents {
        let name =
            |person: usize| format!("{} {}", GIVEN[(number + person) % 6], FAMILY[(number / 6 + person) % 7]);
        let text = format!("{} met {} in the garden. {} wrote to {}.", name(0), name(1), name(1), name(3));
        place.write(&format!("docs/{number}.txt"), &text);
    }
    place
}

/// Tables of the embedded store, and labels of Neo4j, that a run at rest does not read. Of Neo4j's entities and relationships
/// it asks for those that bear a mark of people's hands.
const LEFT_ALONE: [&str; 11] = [
    " entities",
    " relationships",
    " mentions",
    " relations",
    " name_sums",
    " communities",
    " community_",
    " vec_",
    ":RELATED",
    ":Community",
    ":Finding",
];

const BY_HAND: &str = ":RELATED {manual: true}";

/// Rows of documents, and what all other statements cost; of entities and communities none is read.
fn at_rest(documents: usize, command: &[&str]) -> (u64, Cost) {
    let place = place(documents);
    place.json(command);
    read_at_rest(&place, command)
}

/// As [`at_rest`], of a place whose last run left nothing to do.
fn read_at_rest(place: &Place, command: &[&str]) -> (u64, Cost) {
    let (mut given, mut others) = (0, Cost::default());
    for (statement, cost) in place.statements(command) {
        let of_all = statement.replace(BY_HAND, "");
        // what a statement of Neo4j is for stands before it in words
        let is_cypher = statement.contains("// ");
        let names = LEFT_ALONE.iter().filter(|name| name.starts_with(':') == is_cypher);
        let read = names.into_iter().find(|name| of_all.contains(**name));
        assert_eq!(read, None, "{command:?}: {statement}");
        if statement.contains("FROM documents") || statement.contains("(d:Document") {
            given += cost.rows;
        } else {
            others.rows += cost.rows;
            others.steps += cost.steps;
        }
    }
    (given, others)
}

#[test]
fn a_run_without_changes_reads_the_documents_given_and_besides_a_constant() {
    for (command, per_document) in [(["index", "docs"], 1), (["sync", "docs"], 2)] {
        let (few, beside_few) = at_rest(3, &command);
        let (many, beside_many) = at_rest(40, &command);
        assert!(few <= 3 * per_document + 1 && many <= 40 * per_document + 1, "{command:?}: {few} {many}");
        assert_eq!(beside_few.rows, beside_many.rows, "{command:?}");
        // a step more or less hangs on the length of a number
        assert!(beside_many.steps <= beside_few.steps + 50, "{command:?}: {beside_few:?} {beside_many:?}");
    }
}

/// Steady communities are the same with and without what `--warm` leaves out; fresh ones are not.
#[test]
fn the_run_after_a_warm_one_is_at_rest_where_communities_are_steady() {
    let place = place(20);
    place.json(&["index", "docs"]);
    place.write("more/new.txt", "Zebulon Quist met Alice Ashford. Ottoline Vance wrote to Zebulon Quist.");
    place.json(&["index", "more", "--warm"]);
    let (given, _) = read_at_rest(&place, &["index", "docs"]);
    assert!((20..=21).contains(&given), "{given}");
    read_at_rest(&place, &["index", "docs", "--warm"]);
    place.write("graphwright.toml", "[communities]\nfollow = \"fresh\"\n");
    place.json(&["index", "docs", "--warm"]);
    let read = place.statements(&["index", "docs"]);
    assert!(read.keys().any(|statement| statement.contains("FROM relationships")), "{read:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_holds_on_neo4j() {
    let Some(pairing) = pairings().into_iter().find(|p| p.graph.is_some() && p.vectors.is_none()) else {
        return;
    };
    let graph = pairing.graph.clone().expect("a server");
    let workspaces = [fresh_workspace("rest_few"), fresh_workspace("rest_many")];
    let flags =
        |workspace| ["--graph", &graph, "--vectors", "embedded", "--workspace", workspace, "index", "docs"];
    let (few, beside_few) = at_rest(3, &flags(&workspaces[0]));
    let (many, beside_many) = at_rest(40, &flags(&workspaces[1]));
    assert!((3..=4).contains(&few) && (40..=41).contains(&many), "{few} {many}");
    assert!(beside_few.rows > 0 && beside_few == beside_many, "{beside_few:?} {beside_many:?}");
    for workspace in &workspaces {
        TestIndex::new(&pairing, workspace).await.wipe().await;
    }
}

/// Six documents of a family each; no two families have to do with each other.
fn families() -> Place {
    const GIVEN: [&str; 6] = ["Alice", "Robert", "Martha", "Edwin", "Caroline", "Hector"];
    let place = Place::new();
    for (number, family) in
        ["Ashford", "Bramwell", "Cranston", "Dunmore", "Ellsworth", "Fairfax"].iter().enumerate()
    {
        let [one, other, third] = [0, 1, 2].map(|step| format!("{} {family}", GIVEN[(number + step) % 6]));
        let text = format!("{one} met {other} in the garden. {other} wrote to {third}. {third} met {one}.");
        place.write(&format!("docs/{number}.txt"), &text);
    }
    place
}

/// The first family's document says something else.
fn change_the_first(place: &Place) {
    place
        .write("docs/0.txt", "Alice Ashford met Robert Ashford in the garden. Robert Ashford met Zoe Quill.");
}

/// Findings are most of what is stored of communities.
#[test]
fn a_changed_document_reads_the_findings_of_what_changes_alone() {
    let place = families();
    let all = place.json(&["index", "docs"])["communities"].as_u64().expect("a number");
    assert!(all >= 6, "{all}");
    change_the_first(&place);
    let read = place.statements(&["index", "docs"]);
    let rows =
        read.iter().filter(|(statement, _)| statement.contains("c.findings")).map(|(_, cost)| cost.rows);
    let rows: u64 = rows.sum();
    assert!((1..=2).contains(&rows), "{rows} of {all}");
}

/// A new name is looked for in the texts that hold its words.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_name_on_neo4j_reads_the_texts_that_may_hold_it_alone() {
    let Some(pairing) = pairings().into_iter().find(|p| p.graph.is_some() && p.vectors.is_none()) else {
        return;
    };
    let graph = pairing.graph.clone().expect("a server");
    let workspace = fresh_workspace("rest_name");
    let place = families();
    for number in 0..20 {
        place.write(&format!("docs/other{number}.txt"), &format!("Nobody sailed in the year {number}."));
    }
    let flags = ["--graph", &graph, "--vectors", "embedded", "--workspace", &workspace, "index", "docs"];
    place.json(&flags);
    change_the_first(&place);
    let read = place.statements(&flags);
    let rows = |wanted: &str| -> u64 {
        read.iter().filter(|(statement, _)| statement.contains(wanted)).map(|(_, cost)| cost.rows).sum()
    };
    let texts = rows("MATCH (u:TextUnit {id: id})");
    assert!((1..=8).contains(&texts), "{texts} of 26 texts: {read:?}");
    assert_eq!(rows("MATCH (n:DictionaryName) WHERE n.workspace = $workspace AND n.id"), 0, "the dictionary");
    TestIndex::new(&pairing, &workspace).await.wipe().await;
}

/// What reports show is read of what changes, however often people look after the graph by hand: of a relationship that they
/// delete its ends, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_document_on_neo4j_reads_the_relationships_of_what_changes_alone() {
    let Some(pairing) = pairings().into_iter().find(|p| p.graph.is_some() && p.vectors.is_none()) else {
        return;
    };
    let graph = pairing.graph.clone().expect("a server");
    let workspace = fresh_workspace("rest_changed");
    let place = families();
    let flags = ["--graph", &graph, "--vectors", "embedded", "--workspace", &workspace, "index", "docs"];
    let all = place.json(&flags)["relationships"].as_u64().expect("a number");
    assert_eq!(all, 18);
    let read_relationships = || {
        let read = place.statements(&flags);
        let rows = read
            .iter()
            .filter(|(statement, _)| statement.contains("[r:RELATED {id: id}]"))
            .map(|(_, cost)| cost.rows);
        rows.sum::<u64>()
    };
    change_the_first(&place);
    let changed = read_relationships();
    assert!((1..=6).contains(&changed), "{changed}");
    assert_eq!(read_relationships(), 0, "at rest");

    let cut = "MATCH (a {workspace: $workspace})-[r:RELATED]->(b) WHERE a.name ENDS WITH 'Bramwell' WITH r LIMIT 1 DELETE r";
    neo4j::change_in(&neo4j::config().expect("a server"), &workspace, cut).await;
    place.write(
        "docs/0.txt",
        "Alice Ashford met Robert Ashford in the garden. Robert Ashford met Zoe Quince.",
    );
    let with_cut = read_relationships();
    assert!(with_cut > changed && with_cut <= 12, "{with_cut} beside {changed}");
    TestIndex::new(&pairing, &workspace).await.wipe().await;
}

#[test]
fn a_run_at_rest_reports_what_is_stored() {
    let place = place(5);
    let first = place.json(&["index", "docs"]);
    let second = place.json(&["index", "docs"]);
    for count in
        ["documents", "text_units", "entities", "relationships", "communities", "reports", "generation"]
    {
        assert_eq!(first[count], second[count], "{count}");
    }
    assert_eq!(second["documents_unchanged"], 5);
    assert_eq!(second["text_units_kept"], first["text_units"]);
    assert_eq!(second["communities_kept"], first["communities"]);
}

#[test]
fn other_settings_an_edit_and_a_removal_wake_it() {
    let place = place(5);
    let index = ["index", "docs"];
    let works = |what: &str| {
        let read = place.statements(&index);
        assert!(read.keys().any(|statement| statement.contains("FROM relationships")), "{what}: {read:?}");
        let read = place.statements(&index);
        assert!(!read.keys().any(|statement| statement.contains("FROM relationships")), "{what}: {read:?}");
    };
    place.json(&index);
    place.write("graphwright.toml", "[communities]\nresolution = 2.0\n");
    works("a setting");
    place.json(&["communities"]);
    works("a clustering by itself");
    place.json(&["remove", "docs/0.txt"]);
    works("a removal, and the document again");
    let entity = place.json(&["entities", "rename", "Alice Ashford", "Alice Ashford-Hill"]);
    assert!(place.json(&index)["documents_unchanged"] == 5, "{entity}");
    let exported = place.export();
    assert!(exported.values().any(|file| file.contains("Alice Ashford-Hill")));
}
