use super::*;
use crate::domain::{
    EntityEvidence, EntityRecord, Ids, Mention, Place, Record, RelationshipRecord, UnitState,
};
use std::collections::BTreeMap;

fn entity(name: &str, kind: &str, description: &str) -> Record {
    Record::Entity(EntityRecord { name: name.into(), kind: kind.into(), description: description.into() })
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
    let naming = Naming::new(&ids, table, &[]);
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
    };
    let place = |index| Place {
        document_key: "a".into(),
        unit_index: index,
        text_unit: ids.other("unit", &[&index.to_string()]),
    };
    let evidence = EntityEvidence {
        id: ids.entity("scrooge"),
        mentions: vec![
            (place(0), mention(&["SCROOGE", "Scrooge"], &["", "Person"], false)),
            (place(1), mention(&["Scrooge", "Mr. Scrooge"], &["Person", "Miser"], false)),
            (place(2), mention(&["scrooge"], &[""], true)),
        ],
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
