//! Names, dictionary, resolution, edits, settings.

use super::fixture::{document, entity, relationship, subjects, write};
use graphwright::domain::{Edit, EditKind, Verdict};
use graphwright::stores::graph::NameUse;
use std::collections::BTreeMap;

#[tokio::test]
async fn names_are_summed_over_units() {
    for subject in subjects("names").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let (carol, units) = document(ids, "a.txt", &["one", "two", "three"]);
        store.replace_document(&carol, &units).await.unwrap();
        let writes = [
            write(ids, &units[0], &[entity("SCROOGE", "miser", ""), entity("SCROOGE", "miser", "")], &[]),
            write(ids, &units[1], &[entity("Scrooge", "person", ""), entity("SCROOGE", "", "")], &["Fred"]),
            write(
                ids,
                &units[2],
                &[
                    entity("Scrooge", "person", ""),
                    entity("刘备", "人物", ""),
                    relationship("Scrooge", "刘备", "meets", 1),
                ],
                &[],
            ),
        ];
        store.save_units(&writes).await.unwrap();
        let scrooge = NameUse {
            key: "scrooge".to_owned(),
            // two units each: code point order decides
            name: "SCROOGE".to_owned(),
            kinds: vec![("miser".to_owned(), 2), ("person".to_owned(), 2)],
            alias_of: Vec::new(),
            text_unit_count: 3,
        };
        let names = store.names(None, 10).await.unwrap();
        assert_eq!(names.len(), 2, "{}: linked names are not said", subject.backend);
        assert_eq!(names[0], scrooge, "{}", subject.backend);
        assert_eq!(store.names(None, 1).await.unwrap(), [scrooge]);
        let rest = store.names(Some("scrooge"), 10).await.unwrap();
        assert_eq!(rest.iter().map(|name| name.key.as_str()).collect::<Vec<_>>(), ["刘备"]);
        let keys = |prefix: &'static str, shortest, longest| store.name_keys(prefix, shortest, longest);
        assert_eq!(keys("s", 6, 8).await.unwrap(), ["scrooge"], "{}", subject.backend);
        assert_eq!(keys("刘", 2, 2).await.unwrap(), ["刘备"], "{}: characters, not bytes", subject.backend);
        for (prefix, shortest, longest) in [("s", 8, 20), ("sd", 1, 9), ("f", 1, 9), ("刘", 3, 6)] {
            assert_eq!(
                keys(prefix, shortest, longest).await.unwrap(),
                [""; 0],
                "{}: {prefix}",
                subject.backend
            );
        }
        let mut both = [units[1].id.clone(), units[2].id.clone()];
        both.sort();
        let wanted = ["fred".to_owned(), "刘备".to_owned(), "nobody".to_owned()];
        assert_eq!(store.units_with_names(&wanted).await.unwrap(), both, "{}", subject.backend);
        assert_eq!(store.units_with_names(&[]).await.unwrap(), []);
        store.remove_documents(&[carol.id]).await.unwrap();
        assert_eq!(store.names(None, 10).await.unwrap(), []);
        assert_eq!(store.units_with_names(&wanted).await.unwrap(), []);
        subject.finish().await;
    }
}

/// More units may be found than hold the words, and none less.
#[tokio::test]
async fn names_that_change_are_marked_and_texts_found_by_their_words() {
    for subject in subjects("words").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        assert_eq!(store.changed_names(10).await.unwrap(), None, "{}: any, at first", subject.backend);
        store.forget_changed_names().await.unwrap();
        assert_eq!(store.changed_names(10).await.unwrap().unwrap(), [""; 0], "{}", subject.backend);
        let (carol, units) = document(ids, "a.txt", &["one", "two", "three"]);
        store.replace_document(&carol, &units).await.unwrap();
        assert_eq!(store.units_without_words(2).await.unwrap().len(), 2);
        let words = [vec![1, 7], vec![7, 9], vec![9]];
        let kept: Vec<_> = units.iter().map(|unit| unit.id.clone()).zip(words).collect();
        for _ in 0..2 {
            store.save_words(&kept).await.unwrap();
            assert_eq!(store.units_without_words(2).await.unwrap(), []);
        }
        let mut found = vec![units[0].id.clone(), units[1].id.clone()];
        found.sort();
        assert_eq!(store.units_with_words(&[vec![7]]).await.unwrap(), found);
        assert_eq!(store.units_with_words(&[vec![7, 9], vec![5]]).await.unwrap(), [units[1].id.clone()]);
        assert_eq!(store.units_with_words(&[vec![1, 9]]).await.unwrap(), []);

        store.save_units(&[write(ids, &units[0], &[entity("Scrooge", "", "")], &["Fred"])]).await.unwrap();
        assert_eq!(store.changed_names(10).await.unwrap().unwrap(), ["scrooge"], "linked ones are not said");
        assert_eq!(store.names_by_key(&["scrooge".to_owned(), "fred".to_owned()]).await.unwrap().len(), 1);
        store.forget_changed_names().await.unwrap();
        store.save_units(&[write(ids, &units[0], &[entity("Scrooge", "", "")], &[])]).await.unwrap();
        assert_eq!(store.changed_names(10).await.unwrap().unwrap(), [""; 0], "the same records again");
        store.remove_documents(&[carol.id]).await.unwrap();
        assert_eq!(store.changed_names(10).await.unwrap().unwrap(), ["scrooge"], "gone with its document");
        assert_eq!(store.changed_names(0).await.unwrap(), None, "more than are wanted");
        assert_eq!(store.units_with_words(&[vec![7]]).await.unwrap(), []);

        let keys = ["fred", "scrooge", "scrooge mcduck", "scrooged"].map(str::to_owned);
        store.save_dictionary(&keys, &[]).await.unwrap();
        let like = |whole: &str, beginning: &str| {
            let (whole, beginning) = ([whole.to_owned()], [beginning.to_owned()]);
            async move { store.dictionary_like(&whole, &beginning).await.unwrap() }
        };
        assert_eq!(like("fred", "scrooge m").await, ["fred", "scrooge mcduck"]);
        assert_eq!(like("scrooge", "scrooge").await, ["scrooge", "scrooge mcduck", "scrooged"]);
        assert_eq!(like("nobody", "x").await, [""; 0]);
        store.wipe().await.unwrap();
        assert_eq!(store.changed_names(10).await.unwrap(), None, "any again");
        subject.finish().await;
    }
}

#[tokio::test]
async fn dictionary_resolution_settings_and_edits_are_kept() {
    for subject in subjects("tables").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let text = |text: &str| text.to_owned();
        let before = store.state().await.unwrap();
        assert_eq!(before.generation, 0);
        assert!(before.settings.is_empty());
        for _ in 0..2 {
            store.save_dictionary(&[text("b"), text("中"), text("a'\"`")], &[]).await.unwrap();
            store.save_dictionary(&[text("c")], &[text("b"), text("unknown")]).await.unwrap();
        }
        assert_eq!(store.dictionary().await.unwrap(), ["a'\"`", "c", "中"], "{}", subject.backend);
        let changes = BTreeMap::from([(text("mr. scrooge"), Some(text("scrooge"))), (text("x"), None)]);
        store.save_resolution(&changes).await.unwrap();
        store.save_resolution(&changes).await.unwrap();
        let expected = BTreeMap::from([(text("mr. scrooge"), text("scrooge"))]);
        assert_eq!(store.resolution().await.unwrap(), expected, "{}", subject.backend);
        let asked = [text("mr. scrooge"), text("fred"), text("mr. scrooge")];
        assert_eq!(store.resolution_of(&asked).await.unwrap(), expected, "{}", subject.backend);
        assert!(store.resolution_of(&[text("scrooge")]).await.unwrap().is_empty());
        store
            .save_resolution(&BTreeMap::from([(text("mr. scrooge"), Some(text("ebenezer")))]))
            .await
            .unwrap();
        assert_eq!(store.resolution().await.unwrap()["mr. scrooge"], "ebenezer");
        store.save_resolution(&BTreeMap::from([(text("mr. scrooge"), None)])).await.unwrap();
        assert!(store.resolution().await.unwrap().is_empty());
        let settings = BTreeMap::from([(text("text_units"), text("1200/100"))]);
        store.save_settings(&BTreeMap::from([(text("old"), text("gone"))])).await.unwrap();
        store.save_settings(&settings).await.unwrap();
        assert_eq!(store.state().await.unwrap().settings, settings);
        let edit = |sequence, kind| Edit { id: ids.other("edit", &[&format!("{kind:?}")]), sequence, kind };
        let edits = [
            edit(
                1,
                EditKind::Merge {
                    names: vec![text("bob")],
                    into: text("bob cratchit"),
                    shown: String::new(),
                },
            ),
            edit(2, EditKind::Pin { name: text("bob"), property: text("kind"), value: text("人物") }),
            edit(10, EditKind::Delete { name: text("x") }),
        ];
        for edit in edits.iter().rev() {
            store.save_edit(edit, false).await.unwrap();
            store.save_edit(edit, false).await.unwrap();
        }
        assert_eq!(store.edits().await.unwrap(), edits, "{}", subject.backend);
        store.save_edit(&edits[1], true).await.unwrap();
        store.save_edit(&edits[1], true).await.unwrap();
        assert_eq!(store.edits().await.unwrap(), [edits[0].clone(), edits[2].clone()]);
        subject.finish().await;
    }
}

#[tokio::test]
async fn verdicts_are_kept_by_pair() {
    for subject in subjects("verdicts").await {
        let store = subject.store.as_ref();
        let verdict = |low: &str, high: &str, same: bool| Verdict {
            low: low.to_owned(),
            high: high.to_owned(),
            evidence: format!("{low}{high}{same}"),
            same,
            reason: "because \"of\" 理由".to_owned(),
        };
        assert_eq!(store.verdicts().await.unwrap(), []);
        let kept = [verdict("bob", "robert", true), verdict("a'b", "刘备", false)];
        for _ in 0..2 {
            store.save_verdicts(&kept, &[]).await.unwrap();
        }
        let mut sorted = kept.to_vec();
        sorted.reverse();
        assert_eq!(store.verdicts().await.unwrap(), sorted, "{}", subject.backend);
        let other = verdict("bob", "robert", false);
        let gone = [("a'b".to_owned(), "刘备".to_owned()), ("un".to_owned(), "known".to_owned())];
        store.save_verdicts(std::slice::from_ref(&other), &gone).await.unwrap();
        assert_eq!(store.snapshot().await.unwrap().verdicts().await.unwrap(), [other], "{}", subject.backend);
        store.wipe().await.unwrap();
        assert_eq!(store.verdicts().await.unwrap(), [], "{}", subject.backend);
        subject.finish().await;
    }
}
