use super::fixture::{Said, carol, communities, document, sum_up, unit_write};
use super::{config, connect, workspace};
use graphwright::domain::{Edit, EditKind, Id, Ids, LineageEvent, LineageStep, Stage, name_key};
use graphwright::stores::StoreError;
use graphwright::stores::graph::{HandMade, RunPart, VectorKind};
use neo4rs::Query;
use std::collections::BTreeMap;

#[tokio::test]
async fn a_small_graph_is_read_back_as_it_was_written() {
    let Some(store) = workspace("test_roundtrip").await else { return };
    let ids = Ids::new("test_roundtrip");
    carol(&*store, &ids).await;
    let counts = store.counts().await.unwrap();
    assert_eq!(
        (counts.documents, counts.text_units, counts.entities, counts.relationships, counts.claims),
        (2, 5, 6, 5, 1)
    );
    assert_eq!((counts.communities, counts.reports), (3, 3));
    let documents = store.documents(None, 10).await.unwrap();
    assert_eq!(documents.iter().map(|d| d.key.as_str()).collect::<Vec<_>>(), ["carol.txt", "notes.txt"]);
    assert_eq!(documents[0].metadata["author"], "Dickens");
    let units = store.text_units_of(&documents[0].id).await.unwrap();
    assert_eq!(units.iter().map(|u| u.unit.index).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(store.text_units(None, 100).await.unwrap().len(), 5);

    let scrooge = ids.entity("scrooge");
    let entity = &store.entities_by_id(std::slice::from_ref(&scrooge)).await.unwrap()[0];
    assert_eq!((entity.name.as_str(), entity.degree, entity.text_unit_count), ("Scrooge", 2, 3));
    assert_eq!(entity.aliases, ["SCROOGE"]);
    let bob = ids.entity("bob cratchit");
    let of_bob = store.relationships_of(std::slice::from_ref(&bob), 1).await.unwrap();
    assert_eq!(of_bob.len(), 1);
    assert_eq!(of_bob[0].weight, 2);
    let support = store.units_of_relationships(&[of_bob[0].id.clone()], 10).await.unwrap();
    let keys: Vec<String> =
        store.text_units_by_id(&support[0].1).await.unwrap().into_iter().map(|u| u.document_key).collect();
    assert_eq!(support[0].1.len(), 2);
    assert!(keys.contains(&"carol.txt".to_owned()) && keys.contains(&"notes.txt".to_owned()));
    assert_eq!(
        store.claims_of(std::slice::from_ref(&scrooge)).await.unwrap(),
        store.claims(None, 10).await.unwrap()
    );
    assert_eq!(store.mentions_of_entities(std::slice::from_ref(&scrooge), 1).await.unwrap()[0].records, 2);
    assert_eq!(store.document_status(None, 10).await.unwrap()[0].extracted, 3);

    let mut expected = communities(&ids);
    expected.sort_by(|a, b| (a.level, &a.id).cmp(&(b.level, &b.id)));
    assert_eq!(store.communities(1).await.unwrap(), expected);
    let by_id =
        store.communities_by_id(&expected.iter().map(|c| c.id.clone()).collect::<Vec<_>>()).await.unwrap();
    expected.sort_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(by_id, expected);
    assert_eq!(store.communities_of(&[scrooge], 1).await.unwrap().len(), 2);
    assert_eq!(store.entity_kinds().await.unwrap(), [("person".to_owned(), 4), ("place".to_owned(), 2)]);
    store.save_labels(&BTreeMap::from([("person".to_owned(), "人物".to_owned())])).await.unwrap();
}

#[tokio::test]
async fn mirrored_vectors_are_found_by_the_servers_own_vector_search() {
    let Some(store) = workspace("test_mirror").await else { return };
    let ids = Ids::new("test_mirror");
    carol(&*store, &ids).await;
    let (bob, tim) = (ids.entity("bob cratchit"), ids.entity("tiny tim"));
    let vectors = [
        (bob.clone(), vec![1.0, 0.0, 0.0]),
        (tim, vec![0.0, 1.0, 0.0]),
        (ids.entity("nobody"), vec![0.0; 3]),
    ];
    for _ in 0..2 {
        store.mirror_vectors(VectorKind::Entities, &vectors).await.unwrap();
    }
    for kind in [VectorKind::TextUnits, VectorKind::Reports] {
        store.mirror_vectors(kind, &[]).await.unwrap();
    }
    let found = super::ask(
        "CALL db.awaitIndexes(60) WITH 1 AS ready CALL db.index.vector.queryNodes('entity_vector', 20, [0.9, 0.1, 0.0]) \
         YIELD node, score WHERE node.workspace = 'test_mirror' RETURN node.id AS id ORDER BY score DESC LIMIT 1",
    )
    .await;
    assert_eq!(found, [bob.to_string()]);
    store.wipe().await.unwrap();
}

#[tokio::test]
async fn names_and_the_units_that_hold_them() {
    let Some(store) = workspace("test_names").await else { return };
    let ids = Ids::new("test_names");
    carol(&*store, &ids).await;
    let names = store.names(None, 3).await.unwrap();
    assert_eq!(
        names.iter().map(|n| n.key.as_str()).collect::<Vec<_>>(),
        ["bob cratchit", "camden town", "london"]
    );
    let rest = store.names(Some("london"), 10).await.unwrap();
    assert_eq!(rest.iter().map(|n| n.key.as_str()).collect::<Vec<_>>(), ["marley", "scrooge", "tiny tim"]);
    let scrooge = &rest[1];
    assert_eq!((scrooge.name.as_str(), scrooge.text_unit_count), ("Scrooge", 3));
    assert_eq!(scrooge.kinds, [("person".to_owned(), 4)]);
    assert_eq!(store.units_with_names(&["scrooge".into(), "marley".into()]).await.unwrap().len(), 3);
    store.remove_documents(&[ids.document("notes.txt")]).await.unwrap();
    let names = store.names(None, 100).await.unwrap();
    assert!(!names.iter().any(|name| name.key == "london"));
    assert_eq!(store.units_with_names(&["london".into()]).await.unwrap(), [] as [Id; 0]);
}

#[tokio::test]
async fn added_then_removed_is_never_added() {
    let Some(store) = workspace("test_removal").await else { return };
    let ids = Ids::new("test_removal");
    carol(&*store, &ids).await;
    store.remove_documents(&[ids.document("notes.txt"), ids.document("unknown")]).await.unwrap();
    sum_up(&*store).await;
    assert!(store.entities_by_id(&[ids.entity("london")]).await.unwrap().is_empty());
    assert!(store.tombstones(VectorKind::Entities, 10).await.unwrap().contains(&ids.entity("london")));
    let pair = ids.relationship(&ids.entity("scrooge"), &ids.entity("bob cratchit"));
    let relationship = &store.relationships_by_id(&[pair]).await.unwrap()[0];
    assert_eq!((relationship.weight, relationship.source.clone()), (1, ids.entity("bob cratchit")));
    store.remove_documents(&[ids.document("carol.txt")]).await.unwrap();
    sum_up(&*store).await;
    let counts = store.counts().await.unwrap();
    assert_eq!(
        (counts.documents, counts.text_units, counts.entities, counts.relationships, counts.claims),
        (0, 0, 0, 0, 0)
    );
    assert!(store.names(None, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_changed_document_keeps_the_units_that_stay() {
    let Some(store) = workspace("test_change").await else { return };
    let ids = Ids::new("test_change");
    carol(&*store, &ids).await;
    let (document_a, units) = document(
        &ids,
        "carol.txt",
        &["A new first sentence.", "Another one.", "Scrooge was the partner of Marley, who is dead."],
    );
    let change = store.replace_document(&document_a, &units).await.unwrap();
    assert_eq!((change.added, change.kept, change.removed), (2, 1, 2));
    let dirty = store.dirty_entities(100).await.unwrap();
    let dirty: Vec<&Id> = dirty.iter().map(|evidence| &evidence.id).collect();
    assert!(dirty.contains(&&ids.entity("marley")), "its unit moved");
    let pending = store.pending_units(Stage::Extraction, None, 10).await.unwrap();
    assert_eq!(pending.len(), 2);
    let stored = store.text_units_of(&document_a.id).await.unwrap();
    assert_eq!(stored[2].state.extraction.as_deref(), Some("nlp/1"));
    assert_eq!(store.tombstones(VectorKind::TextUnits, 10).await.unwrap().len(), 2);
    let again = store.replace_document(&document_a, &units).await.unwrap();
    assert_eq!((again.added, again.kept, again.removed), (0, 3, 0));
}

#[tokio::test]
async fn saving_units_twice_equals_saving_them_once() {
    let Some(store) = workspace("test_twice").await else { return };
    let ids = Ids::new("test_twice");
    let (one, units) = document(&ids, "one", &["Scrooge and Marley."]);
    store.replace_document(&one, &units).await.unwrap();
    let said = Said {
        names: &[("Scrooge", "person"), ("Marley", "")],
        pairs: &[("Scrooge", "Marley", "partners"), ("Marley", "Scrooge", "again")],
        claims: &[("Marley", "is dead")],
    };
    let write = unit_write(&ids, &units[0], &said);
    for _ in 0..3 {
        store.save_units(std::slice::from_ref(&write)).await.unwrap();
    }
    let dirty = store.dirty_relationships(10).await.unwrap();
    assert_eq!(dirty.len(), 1);
    assert_eq!(dirty[0].items[0].1, write.evidence.relations[0].items);
    let entities = store.dirty_entities(10).await.unwrap();
    assert_eq!(entities.iter().map(|e| e.mentions.len()).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(store.claims(None, 10).await.unwrap(), write.evidence.claims);
    assert_eq!(store.names(None, 10).await.unwrap()[0].text_unit_count, 1);
    sum_up(&*store).await;
    // other evidence takes the place of the first
    let said = Said { names: &[("Scrooge", "person")], pairs: &[], claims: &[] };
    store.save_units(&[unit_write(&ids, &units[0], &said)]).await.unwrap();
    sum_up(&*store).await;
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.entities, counts.relationships, counts.claims), (1, 0, 0));
    assert_eq!(store.entities(None, 10).await.unwrap()[0].degree, 0);
}

#[tokio::test]
async fn vectors_follow_the_text_to_be_found_by() {
    let Some(store) = workspace("test_vectors").await else { return };
    let ids = Ids::new("test_vectors");
    carol(&*store, &ids).await;
    for (kind, expected) in [(VectorKind::TextUnits, 5), (VectorKind::Entities, 6), (VectorKind::Reports, 3)]
    {
        let pending = store.pending_vectors(kind, 100).await.unwrap();
        assert_eq!(pending.len(), expected);
        let done: Vec<(Id, String)> = pending.iter().map(|p| (p.id.clone(), "f".to_owned())).collect();
        store.acknowledge_vectors(kind, &done).await.unwrap();
        assert!(store.pending_vectors(kind, 100).await.unwrap().is_empty());
    }
    // London goes; Camden Town loses a unit, its text stays
    store.remove_documents(&[ids.document("notes.txt")]).await.unwrap();
    sum_up(&*store).await;
    assert!(store.pending_vectors(VectorKind::Entities, 100).await.unwrap().is_empty());
    store.expire_vectors(VectorKind::Entities).await.unwrap();
    let pending = store.pending_vectors(VectorKind::Entities, 100).await.unwrap();
    assert_eq!(pending.len(), 5);
    assert_eq!(pending[0].stored_fingerprint, None);
    let gone = store.tombstones(VectorKind::TextUnits, 100).await.unwrap();
    store.clear_tombstones(VectorKind::TextUnits, &gone).await.unwrap();
    assert!(store.tombstones(VectorKind::TextUnits, 100).await.unwrap().is_empty());
}

#[tokio::test]
async fn generations_span_what_did_not_change() {
    let Some(store) = workspace("test_generations").await else { return };
    let ids = Ids::new("test_generations");
    carol(&*store, &ids).await;
    let snapshot = store.snapshot().await.unwrap();
    let first = store.communities(1).await.unwrap();
    let office = first.iter().find(|c| c.report.title == "The office").unwrap();
    let home = first.iter().find(|c| c.report.title == "The home").unwrap();
    let members = first[0].members.iter().cloned().collect();
    let top = super::fixture::community(&ids, 0, false, None, &members, "Everyone anew");
    let home_members = home.members.iter().cloned().collect();
    let new_home = super::fixture::community(&ids, 1, true, Some(&top.id), &home_members, "The home anew");
    for _ in 0..2 {
        // a child before its parent, twice: a killed build that is resumed
        store.add_communities(2, std::slice::from_ref(&new_home)).await.unwrap();
        store.add_communities(2, std::slice::from_ref(&top)).await.unwrap();
        let ended = [first[0].id.clone(), home.id.clone()];
        store.end_communities(2, &ended, &[(office.id.clone(), Some(top.id.clone()))]).await.unwrap();
    }
    assert_eq!(store.communities(1).await.unwrap(), first, "nothing changed for readers");
    assert_eq!(store.counts().await.unwrap().communities, 3);

    store.sweep_unfinished().await.unwrap();
    assert_eq!(store.communities(2).await.unwrap(), first, "the unfinished build is gone");
    store.add_communities(2, &[new_home.clone(), top.clone()]).await.unwrap();
    let ended = [first[0].id.clone(), home.id.clone()];
    store.end_communities(2, &ended, &[(office.id.clone(), Some(top.id.clone()))]).await.unwrap();
    store.publish_generation(2).await.unwrap();
    let second = store.communities(2).await.unwrap();
    assert_eq!(second.len(), 3);
    assert_eq!(second[0], top);
    assert!(second.iter().all(|c| c.level == 0 || c.parent.as_ref() == Some(&top.id)));
    assert_eq!(snapshot.state().await.unwrap().generation, 1);
    assert_eq!(snapshot.communities_by_id(&[first[0].id.clone()]).await.unwrap()[0], first[0]);
    store.sweep_generations(2).await.unwrap();
    assert_eq!(store.communities(2).await.unwrap(), second);
    assert_eq!(store.communities_by_id(&[first[0].id.clone()]).await.unwrap(), []);
    assert!(store.tombstones(VectorKind::Reports, 10).await.unwrap().contains(&home.id));
}

#[tokio::test]
async fn settings_edits_dictionary_and_resolution_are_kept() {
    let Some(store) = workspace("test_tables").await else { return };
    let settings = BTreeMap::from([("text_units".to_owned(), "1200/100".to_owned())]);
    store.save_settings(&settings).await.unwrap();
    assert_eq!(store.state().await.unwrap().settings, settings);
    let text = |s: &str| s.to_owned();
    store.save_dictionary(&[text("b"), text("a")], &[]).await.unwrap();
    store.save_dictionary(&[text("c")], &[text("b"), text("x")]).await.unwrap();
    assert_eq!(store.dictionary().await.unwrap(), ["a", "c"]);
    store.save_resolution(&BTreeMap::from([(text("mr. scrooge"), Some(text("scrooge")))])).await.unwrap();
    assert_eq!(store.resolution().await.unwrap().len(), 1);
    store.save_resolution(&BTreeMap::from([(text("mr. scrooge"), None)])).await.unwrap();
    assert!(store.resolution().await.unwrap().is_empty());
    let edit = Edit {
        id: Ids::new("test_tables").other("edit", &["1"]),
        sequence: 1,
        kind: EditKind::Delete { name: name_key("Marley") },
    };
    store.save_edit(&edit, false).await.unwrap();
    assert_eq!(store.edits().await.unwrap(), std::slice::from_ref(&edit));
    store.save_edit(&edit, true).await.unwrap();
    assert!(store.edits().await.unwrap().is_empty());
}

#[tokio::test]
async fn one_writer_at_a_time_and_a_late_one_is_fenced_off() {
    let Some(first) = workspace("test_lease").await else { return };
    let second = connect(&config().unwrap(), "test_lease").await;
    first.lock_writer("first (process 1)").await.unwrap();
    first.lock_writer("first (process 1)").await.unwrap();
    let error = second.lock_writer("second").await.unwrap_err();
    assert!(matches!(&error, StoreError::Held { holder, .. } if holder.contains("process 1")), "{error}");
    first.save_settings(&BTreeMap::new()).await.unwrap();
    first.unlock_writer().await.unwrap();
    second.lock_writer("second").await.unwrap();
    let third = connect(&config().unwrap(), "test_other").await;
    third.lock_writer("another workspace").await.unwrap();
    third.unlock_writer().await.unwrap();
    second.unlock_writer().await.unwrap();
}

#[tokio::test]
async fn workspaces_do_not_see_each_other() {
    let Some(one) = workspace("test_one").await else { return };
    let Some(two) = workspace("test_two").await else { return };
    let ids = Ids::new("test_one");
    carol(&*one, &ids).await;
    assert_eq!(two.counts().await.unwrap().entities, 0);
    assert!(two.entities_by_id(&[ids.entity("scrooge")]).await.unwrap().is_empty());
    assert!(two.text_units(None, 10).await.unwrap().is_empty());
    assert!(two.units_with_names(&["scrooge".into()]).await.unwrap().is_empty());
    two.remove_documents(&[ids.document("carol.txt")]).await.unwrap();
    two.wipe().await.unwrap();
    assert_eq!(one.counts().await.unwrap().entities, 6);
}

#[tokio::test]
async fn who_leads_and_is_late_is_fenced_off_and_so_is_who_helps() {
    let Some(first) = workspace("test_late").await else { return };
    let config = config().unwrap();
    let second = connect(&config, "test_late").await;
    let settings = BTreeMap::new();
    assert_eq!(first.join_run("first", &settings).await.unwrap(), RunPart::Leads { complete: false });
    assert_eq!(second.join_run("second", &settings).await.unwrap(), RunPart::Helps);
    let end = async |name: &str| {
        let end = "MATCH (w:Worker {workspace: 'test_late', name: $name}) SET w.expires = 0";
        super::driver(&config).run(Query::new(end.to_owned()).param("name", name)).await.unwrap();
    };
    end("first").await;
    first.save_settings(&settings).await.expect("nobody has taken over yet");
    assert_eq!(second.join_run("second", &settings).await.unwrap(), RunPart::Leads { complete: false });
    let later = BTreeMap::from([("of".to_owned(), "the second".to_owned())]);
    assert_eq!(first.state().await.unwrap().settings, settings, "what it knows as the writer");
    second.save_settings(&later).await.unwrap();
    let late = first.save_settings(&settings).await.unwrap_err();
    assert!(matches!(&late, StoreError::Held { .. }), "{late}");
    assert_eq!(first.state().await.unwrap().settings, later, "what it tried to change it knows no more");
    assert_eq!(first.join_run("first", &settings).await.unwrap(), RunPart::Helps, "it can go on as a worker");
    first.save_settings(&settings).await.expect("a worker of the run");
    end("first").await;
    second.unlock_writer().await.unwrap();
    let third = connect(&config, "test_late").await;
    third.lock_writer("third").await.unwrap();
    let late = first.save_settings(&settings).await.unwrap_err();
    assert!(matches!(&late, StoreError::Held { .. }), "{late}");
    third.unlock_writer().await.unwrap();
}

#[derive(serde::Deserialize)]
struct Setting {
    value: String,
}

#[tokio::test]
async fn what_is_too_large_for_a_transaction_of_the_server_is_written_in_parts() {
    let Some(store) = workspace("test_large").await else { return };
    let settings = "SHOW SETTINGS 'db.memory.transaction.max' YIELD value RETURN value".to_owned();
    let mut rows = super::driver(&config().expect("a server")).execute(Query::new(settings)).await.unwrap();
    let limit: Setting = rows.next().await.unwrap().expect("a setting").to().unwrap();
    if limit.value.starts_with("0B") {
        println!("skipped: the server has no limit (scripts/test.sh sets one)");
        return;
    }
    let ids = Ids::new("test_large");
    let step = |number: u64| LineageStep {
        lineage: ids.other("line", &[&number.to_string()]),
        generation: 0,
        period: "2026-01-01".to_owned(),
        event: LineageEvent::Began,
        level: 0,
        size: number,
        title: format!("{number} ").repeat(300),
        others: Vec::new(),
    };
    let mut steps: Vec<LineageStep> = (0..20_000).map(step).collect();
    store.add_lineage_steps(&steps).await.unwrap();
    let mut stored = store.lineage_steps().await.unwrap();
    stored.sort_by_key(|step| step.size);
    steps.sort_by_key(|step| step.size);
    assert!(stored == steps, "{} of {} steps", stored.len(), steps.len());

    // one that is too large alone is an error that says what to do, and nothing of it is stored
    let whole = LineageStep { title: "x".repeat(60_000_000), ..step(20_000) };
    let refused = store.add_lineage_steps(&[whole]).await.unwrap_err();
    assert!(matches!(refused, StoreError::TooLarge { .. }), "{refused}");
    assert!(refused.to_string().contains("db.memory.transaction.max"), "{refused}");
    assert_eq!(store.lineage_steps().await.unwrap().len(), 20_000);
    store.wipe().await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_read_is_an_error_and_not_nothing() {
    let Some(store) = workspace("test_unreadable").await else { return };
    let ids = Ids::new("test_unreadable");
    carol(&*store, &ids).await;
    let damage = async |statement: &str| {
        let query = Query::new(statement.to_owned()).param("workspace", "test_unreadable");
        super::driver(&config().unwrap()).run(query).await.unwrap();
    };
    let check = |error: StoreError, expected: &str| {
        assert!(error.to_string().contains(expected), "{error}");
    };
    damage("CREATE (:Edit {id: 'unreadable', workspace: $workspace, sequence: 1, edit: '{\"newer\": {}}'})")
        .await;
    check(store.edits().await.unwrap_err(), "cannot read an edit");
    damage("MATCH (s:LineageStep {workspace: $workspace}) SET s.event = 'newer'").await;
    check(store.lineage_steps().await.unwrap_err(), "its event is \"newer\"");
    damage("MATCH (f:Finding {workspace: $workspace}) SET f.citations = '?'").await;
    check(store.communities(1).await.unwrap_err(), "cannot read citations of a finding");
    damage("MATCH (u:TextUnit {workspace: $workspace}) SET u.records = '?'").await;
    let removed = store.remove_documents(&[ids.document("carol.txt")]).await;
    check(removed.unwrap_err(), "cannot read records of a text unit");
    store.wipe().await.unwrap();
}

#[tokio::test]
async fn what_people_made_by_hand_can_be_put_back() {
    let Some(store) = workspace("test_hand_made").await else { return };
    let ids = Ids::new("test_hand_made");
    carol(&*store, &ids).await;
    assert_eq!(store.hand_made().await.unwrap(), HandMade::default());
    super::change_in(
        &config().unwrap(),
        "test_hand_made",
        "MATCH (e:__Entity__ {name: 'Tiny Tim'}) WHERE e.workspace = $workspace
         CREATE (m:__Entity__ {workspace: $workspace, name: 'Martha Cratchit', type: 'person', manual: true,
           description: 'The eldest daughter.'})
         CREATE (m)-[:RELATED {manual: true, type: 'sister of', description: 'Martha is his sister.'}]->(e)",
    )
    .await;
    assert_eq!(store.adopt_by_hand().await.unwrap().names.len(), 2);
    sum_up(&*store).await;
    let made = store.hand_made().await.unwrap();
    let named: Vec<&str> = made.entities.iter().map(|entity| entity.name.as_str()).collect();
    assert_eq!((named, made.entities[0].degree), (vec!["Martha Cratchit"], 1));
    let kinds: Vec<&str> = made.relationships.iter().map(|one| one.kind.as_str()).collect();
    assert_eq!(kinds, ["sister of"]);

    store.clear().await.unwrap();
    store.prepare().await.unwrap();
    carol(&*store, &ids).await;
    assert_eq!(store.hand_made().await.unwrap(), HandMade::default(), "no document tells of them");
    for _ in 0..2 {
        store.save_hand_made(&made).await.unwrap();
        sum_up(&*store).await;
        assert_eq!(store.hand_made().await.unwrap(), made);
    }
    let pending = store.pending_vectors(VectorKind::Entities, 100).await.unwrap();
    assert!(pending.iter().any(|node| node.id == made.entities[0].id), "found by its words again");
    // what documents tell of as well goes by what people made of it
    let mut tim = store.entities_by_id(&[ids.entity("tiny tim")]).await.unwrap();
    tim[0].description = "Who did NOT die.".into();
    store.save_hand_made(&HandMade { entities: tim.clone(), relationships: Vec::new() }).await.unwrap();
    sum_up(&*store).await;
    assert_eq!(store.entities_by_id(&[ids.entity("tiny tim")]).await.unwrap(), tim);
    store.wipe().await.unwrap();
}
