//! What a model is told of a text unit's document, and what it says of names: other ones, types in two languages, who says
//! a claim.

use crate::by_script::{Endpoint, data, pairs, report};
use crate::program::Place;
use crate::support::{Pairing, TestIndex, fresh_workspace};
use graphwright::config::NameResolution;
use graphwright::domain::{UnitState, name_key};
use serde_json::json;

const CALL: &str = "# The call\n\nOctober 24, 2023\n\nAMY HOOD: Good afternoon to everybody who has joined us here for this call. \
    Security Copilot is new and it is growing well in all regions that we serve today.\n\n\
    It has hundreds of customers in every part of the world, and they pay for it every single month without a word of \
    complaint about the price or anything else.\n\n\
    Revenue in this quarter grew by ten percent over the last year, as we had expected it to do when we spoke to you about \
    our plans in the early summer of this year.\n";

/// Prompts of extraction, with what stands in them.
fn prompts(endpoint: &Endpoint) -> Vec<String> {
    let calls = endpoint.calls().into_iter().filter(|call| call.task == "extract_graph");
    calls.map(|call| call.messages[1].clone()).collect()
}

async fn index_of(endpoint: &Endpoint, name: &str) -> TestIndex {
    let mut config = endpoint.config();
    config.text_units.size = 40;
    config.text_units.overlap = 0;
    config.extraction.claims = true;
    config.extraction.resolution = NameResolution::Model;
    TestIndex::with(&Pairing::embedded(), &fresh_workspace(name), config).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_is_read_with_a_header_and_again_when_it_changes() {
    let endpoint = Endpoint::start(|task, messages| match task {
        "extract_graph" => {
            format!("entity<|>Thing {}<|>product<|>It is.<|>NONE\n<|COMPLETE|>", data(messages).len()).into()
        }
        _ => report().into(),
    })
    .await;
    let index = index_of(&endpoint, "header").await;
    index.write("call.md", CALL);
    index.index(&[]).await;
    let asked = prompts(&endpoint);
    let second =
        asked.iter().find(|prompt| data(&[(*prompt).clone()]).starts_with("It has")).expect("a unit");
    for line in [
        "Document: The call",
        "Date: 2023-10-24",
        "Speaker: AMY HOOD",
        "Before: Security Copilot is new and it is growing well in all regions that we serve today.",
    ] {
        assert!(second.contains(line), "{line} is not in {second}");
    }
    assert!(second.matches("############").count() >= 4, "the header is fenced as the text is: {second}");

    index.index(&[]).await;
    assert_eq!(prompts(&endpoint).len(), asked.len(), "nothing has changed");
    index.write("call.md", &CALL.replace("in all regions", "in most regions"));
    index.index(&[]).await;
    let again: Vec<String> = prompts(&endpoint).split_off(asked.len());
    assert!(
        again.iter().any(|prompt| data(std::slice::from_ref(prompt)).starts_with("It has")),
        "its header is another"
    );
    assert!(
        !again.iter().any(|prompt| data(std::slice::from_ref(prompt)).starts_with("Revenue")),
        "further down nothing is: {again:?}"
    );

    // a fresh index of the same says the same
    let fresh = index_of(&endpoint, "header").await;
    fresh.write("call.md", &CALL.replace("in all regions", "in most regions"));
    fresh.index(&[]).await;
    let records = |export: &std::collections::BTreeMap<String, String>| {
        export["text_units.jsonl"]
            .lines()
            .map(|line| {
                let unit: serde_json::Value = serde_json::from_str(line).expect("JSON");
                (
                    unit["unit"]["text"].clone(),
                    unit["unit"]["header"].clone(),
                    unit["state"]["records"].clone(),
                )
            })
            .collect::<Vec<_>>()
    };
    let (mut one, mut other) = (records(&index.export().await), records(&fresh.export().await));
    one.sort_by_key(|unit| unit.0.to_string());
    other.sort_by_key(|unit| unit.0.to_string());
    assert_eq!(one, other);
    index.wipe().await;
    fresh.wipe().await;
}

const CHINESE: &str = "entity<|>诸葛亮<|>人物<|>诸葛亮是刘备的军师。<|>孔明；卧龙\n\
    entity<|>刘备<|>人物<|>刘备是主公。<|>无\n\
    relationship<|>诸葛亮<|>刘备<|>辅佐<|>诸葛亮辅佐刘备。<|>9\n\
    claim<|>诸葛亮<|>NONE<|>谋略<|>TRUE<|>NONE<|>NONE<|>诸葛亮善于用兵。<|>孔明善用兵<|>鲁肃\n<|COMPLETE|>";
const ENGLISH: &str = "entity<|>孔明<|>person<|>孔明 spoke to Lu Su.<|>NONE\n\
    entity<|>Lu Su<|>Person<|>Lu Su listened.<|>NONE\n\
    relationship<|>孔明<|>Lu Su<|>speaks to<|>They spoke.<|>5\n<|COMPLETE|>";

#[tokio::test(flavor = "multi_thread")]
async fn other_names_are_found_and_types_of_one_class_go_by_one_word() {
    let endpoint = Endpoint::start(|task, messages| match task {
        "extract_graph" if data(messages).contains("军师") => CHINESE.into(),
        "extract_graph" => ENGLISH.into(),
        "same_entity" => {
            let same = |one: &str, other: &str| one.contains("孔明") != other.contains("孔明");
            let verdicts: Vec<_> = pairs(messages)
                .into_iter()
                .map(|(pair, one, other)| {
                    json!({"pair": pair, "same": same(&one, &other), "reason": "another name"})
                })
                .collect();
            json!({ "verdicts": verdicts }).to_string().into()
        }
        _ => report().into(),
    })
    .await;
    let index = index_of(&endpoint, "aliases").await;
    index.write("a.txt", "诸葛亮字孔明，号卧龙，刘备的军师。");
    index.write("b.txt", "孔明 spoke to Lu Su.");
    index.write("c.txt", "卧龙先生在此。世人皆知卧龙。");
    let done = index.index(&[]).await;
    assert!(done.problems.is_empty(), "{:?}", done.problems);
    let graph = index.services.graph.as_ref();
    let entities = graph.entities(None, 10).await.expect("entities");
    let sage = entities.iter().find(|one| one.aliases.iter().any(|name| name == "卧龙")).expect("an entity");
    let mut names: Vec<&str> = sage.aliases.iter().map(String::as_str).chain([sage.name.as_str()]).collect();
    names.sort_unstable();
    assert_eq!(names, ["卧龙", "孔明", "诸葛亮"], "a verdict joins one, a record alone the other");
    let kinds: Vec<&str> = entities.iter().map(|one| one.kind.as_str()).collect();
    assert!(
        kinds.iter().all(|kind| *kind == "Person"),
        "of as many records the first by code point: {kinds:?}"
    );
    let resolved = graph.resolution_of(&[name_key("卧龙"), name_key("孔明")]).await.expect("a table");
    assert_eq!(resolved.len() + usize::from(sage.name == "孔明"), 2, "{resolved:?}");
    let claims = graph.claims(None, 10).await.expect("claims");
    assert_eq!(claims[0].holder, "鲁肃");
    assert_eq!(claims[0].statement(), "鲁肃: 诸葛亮善于用兵。");
    index.wipe().await;
}

/// The program with a model that reads one Chinese text, and one English one about the same people.
async fn place_of_two_languages() -> (Place, Endpoint) {
    let endpoint = Endpoint::start(|task, messages| match task {
        "extract_graph" if data(messages).contains("军师") => CHINESE.into(),
        "extract_graph" => ENGLISH.into(),
        _ => report().into(),
    })
    .await;
    let place = Place::new();
    place.write("graphwright.toml", &endpoint.toml());
    place.write("docs/a.txt", "诸葛亮字孔明，号卧龙，刘备的军师。");
    place.write("docs/b.txt", "Lu Su spoke to 孔明 for a long time.");
    assert_eq!(place.run(&["index", "docs"]).code, Some(0));
    (place, endpoint)
}

#[tokio::test(flavor = "multi_thread")]
async fn other_names_lead_to_their_entity_and_a_type_finds_all_in_either_language() {
    let (place, _endpoint) = place_of_two_languages().await;
    let shown = place.json(&["entities", "show", "卧龙"]);
    assert_eq!(shown["name"], "诸葛亮", "{shown}");
    let asked = place.run(&["query", "谁是卧龙？", "--method", "local", "--context"]);
    assert!(asked.stderr.contains("诸葛亮是刘备的军师"), "{} {}", asked.stdout, asked.stderr);
    let listed = ["person", "人物"].map(|kind| place.json(&["entities", "list", "--kind", kind]).to_string());
    assert!(listed[0].contains("诸葛亮") && listed[0].contains("Lu Su"), "{}", listed[0]);
    assert_eq!(listed[0], listed[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn gleaning_is_asked_for_what_is_missing_and_status_tells_what_it_gave() {
    // the first reply says nothing of what the text names twice, the second has it
    let endpoint = Endpoint::start(|task, messages| match task {
        "extract_graph" if data(messages).contains("Dora") => {
            "entity<|>Dora Falk<|>person<|>Dora Falk rows.<|>NONE\nentity<|>Elst<|>place<|>Elst is far.<|>NONE\n\
             relationship<|>Dora Falk<|>Elst<|>rows to<|>She rows there.<|>5\n\
             claim<|>Dora Falk<|>NONE<|>boast<|>TRUE<|>NONE<|>NONE<|>Dora Falk is fast.<|>fast<|>NONE\n<|COMPLETE|>"
        }
        .into(),
        "extract_graph" => "entity<|>Elst<|>place<|>Elst is far.<|>NONE\n<|COMPLETE|>".into(),
        "glean_continue" => "entity<|>Anton Beck<|>person<|>Anton Beck rows.<|>NONE\n\
             relationship<|>Anton Beck<|>Elst<|>rows to<|>He rows there.<|>5\n<|COMPLETE|>"
            .into(),
        _ => report().into(),
    })
    .await;
    let place = Place::new();
    let toml = endpoint.toml().replace("gleanings = 0", "gleanings = 1\nclaims = true");
    place.write("graphwright.toml", &toml);
    place.write("docs/a.txt", "Anton Beck rows to Elst. Nobody rows as Anton Beck does.");
    place.write("docs/b.txt", "Dora Falk rows to Elst.");
    assert_eq!(place.run(&["index", "docs"]).code, Some(0));
    let asked: Vec<_> = endpoint.calls().into_iter().filter(|call| call.task == "glean_continue").collect();
    assert_eq!(asked.len(), 1, "where nothing is missing nobody is asked");
    let last = asked[0].messages.last().expect("a message");
    for wanted in
        ["Names in the text without a record: Anton Beck", "Claims: none has been written", "and claims"]
    {
        assert!(last.contains(wanted), "{wanted}: {last}");
    }
    assert!(!last.to_lowercase().contains("many"), "neutral words: {last}");
    let told = place.run(&["status"]).stdout;
    assert!(told.contains("gleaning       2 records from 1 calls, 150 tokens"), "{told}");
}

#[test]
fn records_of_before_are_read() {
    let state: UnitState = serde_json::from_value(json!({
        "records": [
            {"record": "entity", "name": "Bob", "kind": "person", "description": "A clerk."},
            {"record": "claim", "subject": "Bob", "object": null, "kind": "k", "status": "TRUE",
             "description": "d", "start_date": "", "end_date": "", "source_text": ""}
        ],
        "extraction": "m", "error": null, "linked": [], "linking_done": true
    }))
    .expect("read");
    assert_eq!((state.records.len(), state.records_gleaned), (2, 0));
}
