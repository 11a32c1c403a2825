use super::*;
use crate::domain::{
    Edit, EditKind, EntityEvidence, EntityRecord, EvidencePlace, Ids, Mention, Record, RelationItem,
    RelationshipEvidence, RelationshipRecord, UnitState, name_key,
};
use std::collections::BTreeMap;

fn entity(name: &str, kind: &str, description: &str) -> Record {
    Record::Entity(EntityRecord {
        name: name.into(),
        kind: kind.into(),
        description: description.into(),
        aliases: Vec::new(),
        sentiment: None,
    })
}

fn related(source: &str, target: &str) -> Record {
    Record::Relationship(RelationshipRecord {
        source: source.into(),
        target: target.into(),
        description: format!("{source} and {target}"),
        strength: 2,
        ..RelationshipRecord::default()
    })
}

fn unit(records: Vec<Record>, linked: &[&str]) -> UnitState {
    UnitState { records, linked: linked.iter().map(|s| (*s).to_owned()).collect(), ..UnitState::default() }
}

#[test]
fn a_unit_is_projected_with_both_ends_and_linked_names() {
    let ids = Ids::new("w");
    let text_unit = ids.other("unit", &["1"]);
    let state = unit(
        vec![
            entity("Scrooge", "Person", "miser"),
            entity("Marley", "", ""),
            related("Marley", "SCROOGE"),
            related("Scrooge", "Nobody"),
        ],
        &["scrooge", "fezziwig"],
    );
    let evidence = project_unit(&ids, &Naming::default(), &text_unit, &state);
    assert_eq!(evidence.mentions.len(), 3);
    assert_eq!(evidence.relations.len(), 1, "an end without a record carries no relationship");
    let fezziwig = ids.entity("fezziwig");
    assert!(evidence.mentions.iter().any(|m| m.entity == fezziwig && m.linked));
    let scrooge = ids.entity("scrooge");
    assert!(evidence.mentions.iter().any(|m| m.entity == scrooge && !m.linked));
}

#[test]
fn resolution_joins_names_and_drops_what_relates_a_thing_to_itself() {
    let ids = Ids::new("w");
    let table = BTreeMap::from([("mr. scrooge".to_owned(), "scrooge".to_owned())]);
    let naming = Naming::new(&ids, table, BTreeMap::new(), &[]);
    let state = unit(
        vec![entity("Mr. Scrooge", "", "a"), entity("Scrooge", "", "b"), related("Mr. Scrooge", "Scrooge")],
        &[],
    );
    let evidence = project_unit(&ids, &naming, &ids.other("unit", &["1"]), &state);
    assert_eq!(evidence.mentions.len(), 1);
    assert!(evidence.relations.is_empty());
}

#[test]
fn an_entity_shows_its_most_frequent_name_and_type() {
    let ids = Ids::new("w");
    let mention = |names: &[&str], kinds: &[&str], linked: bool| Mention {
        entity: ids.entity("scrooge"),
        names: names.iter().map(|s| (*s).to_owned()).collect(),
        kinds: kinds.iter().map(|s| (*s).to_owned()).collect(),
        descriptions: names.iter().map(|s| format!("{s} is mean")).collect(),
        linked,
        sentiment: None,
    };
    let place = |index| EvidencePlace {
        document_key: "a".into(),
        unit_index: index,
        text_unit: ids.other("unit", &[&index.to_string()]),
        period: None,
    };
    let evidence = EntityEvidence {
        id: ids.entity("scrooge"),
        mentions: vec![
            (place(0), mention(&["SCROOGE", "Scrooge"], &["", "Person"], false)),
            (place(1), mention(&["Scrooge", "Mr. Scrooge"], &["Person", "Miser"], false)),
            (place(2), mention(&["scrooge"], &[""], true)),
        ],
        claims: std::collections::BTreeMap::new(),
        degree: 4,
        summary: None,
    };
    let sum = sum_entity(&evidence, &Naming::default()).expect("it has own mentions");
    assert_eq!((sum.name.as_str(), sum.kind.as_str(), sum.text_unit_count), ("Scrooge", "Person", 3));
    assert_eq!(sum.aliases, ["Mr. Scrooge"]);
    assert_eq!(sum.description, "SCROOGE is mean\nScrooge is mean\nMr. Scrooge is mean");
    let only_linked = EntityEvidence { mentions: evidence.mentions[2..].to_vec(), ..evidence };
    assert_eq!(sum_entity(&only_linked, &Naming::default()), None);
}

/// What is shown of an entity whose units use these names, each as often as it stands here.
fn shown(names: &[&str], naming: &Naming) -> (String, Vec<String>) {
    let ids = Ids::new("w");
    let id = ids.entity(&name_key(names[0]));
    let mentions = names.iter().zip(0_u32..).map(|(name, index)| {
        let mention = Mention {
            entity: id.clone(),
            names: vec![(*name).to_owned()],
            kinds: vec![String::new()],
            descriptions: vec![String::new()],
            linked: false,
            sentiment: None,
        };
        let text_unit = ids.other("unit", &[&index.to_string()]);
        (EvidencePlace { document_key: "a".into(), unit_index: index, text_unit, period: None }, mention)
    });
    let mentions = mentions.collect();
    let claims = std::collections::BTreeMap::new();
    let evidence = EntityEvidence { id: id.clone(), mentions, claims, degree: 0, summary: None };
    let sum = sum_entity(&evidence, naming).expect("it has own mentions");
    (sum.name, sum.aliases)
}

#[test]
fn an_initial_is_shown_spelled_out_and_a_name_that_was_split_off_not_at_all() {
    let names = ["R. Holloway", "R. Holloway", "Rosalind", "Rosalind Holloway"];
    let (name, aliases) = shown(&names, &Naming::default());
    assert_eq!(
        (name.as_str(), aliases),
        ("Rosalind Holloway", vec!["R. Holloway".to_owned(), "Rosalind".to_owned()])
    );
    assert_eq!(shown(&["R. Holloway", "R. Holloway", "Rosalind"], &Naming::default()).0, "R. Holloway");
    let kind = EditKind::Split { name: "rosalind".into(), from: "rosalind holloway".into() };
    let ids = Ids::new("w");
    let edit = Edit { id: ids.other("edit", &["1"]), sequence: 1, kind };
    let naming = Naming::new(&ids, BTreeMap::new(), BTreeMap::new(), &[edit]);
    assert_eq!(
        shown(&["Rosalind Holloway", "Rosalind Holloway", "Rosalind"], &naming).1,
        Vec::<String>::new()
    );
}

fn relation_item(kind: &str, forward: bool) -> RelationItem {
    RelationItem { kind: kind.into(), description: format!("{kind} is told"), strength: 3, forward }
}

fn summed(items: Vec<RelationItem>) -> (bool, crate::domain::Relationship) {
    let ids = Ids::new("w");
    let (low, high) = (ids.entity("one"), ids.entity("other"));
    let (low, high) = (low.clone().min(high.clone()), low.max(high));
    let text_unit = ids.other("unit", &["1"]);
    let place = EvidencePlace { document_key: "a".into(), unit_index: 0, text_unit, period: None };
    let evidence = RelationshipEvidence {
        id: ids.relationship(&low, &high),
        low: low.clone(),
        high,
        items: vec![(place, items)],
        summary: None,
    };
    let sum = sum_relationship(&evidence).expect("it has evidence");
    (sum.source == low, sum)
}

#[test]
fn type_direction_and_description_of_a_pair_come_from_the_same_evidence() {
    let check = |items: &[(&str, bool)], source_is_low: bool, kinds: &str, description: &str| {
        let (low, sum) = summed(items.iter().map(|(kind, forward)| relation_item(kind, *forward)).collect());
        assert_eq!((low, sum.kinds().as_str()), (source_is_low, kinds), "{items:?}");
        assert!(sum.description.starts_with(description), "{items:?}: {}", sum.description);
    };
    // as many in both directions: the first record decides all three
    check(&[("托付外事", false), ("举荐", true)], false, "托付外事; ← 举荐", "托付外事 is told");
    check(&[("举荐", true), ("托付外事", false)], true, "举荐; ← 托付外事", "举荐 is told");
    // the majority's direction has the majority's type, not the type that comes first of all
    check(&[("a", true), ("b", false), ("b", false)], false, "b; ← a", "b is told");
    check(
        &[("a", true), ("a", true), ("b", false), ("c", false), ("d", false)],
        false,
        "b; c; d; ← a",
        "b is",
    );
    // what has no type says little of a direction
    check(&[("", true), ("", true), ("pays", false)], false, "pays", "pays is told");
    check(
        &[("is CFO of", true), ("reports results of", true)],
        true,
        "is CFO of; reports results of",
        "is CFO",
    );
}
