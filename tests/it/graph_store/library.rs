//! The library: entries are written whole, changes are numbered, what was asked is counted.

use super::fixture::{carol, subjects};
use graphwright::domain::{
    AnswerCitation, AskedQuestion, EntrySource, EntryStatus, Ids, LibraryChange, LibraryEntry, RelatedEntry,
    StaleCitation,
};

fn entry(ids: &Ids, key: &str, question: &str) -> LibraryEntry {
    LibraryEntry {
        id: ids.question(key),
        key: key.to_owned(),
        question: question.to_owned(),
        answer: "He is a \"clerk\" — é, 书记员.".to_owned(),
        language: "en".to_owned(),
        ..LibraryEntry::default()
    }
}

fn change(entry: &LibraryEntry, action: &str) -> LibraryChange {
    LibraryChange {
        sequence: 0,
        at: "2026-11-23T10:00:00Z".to_owned(),
        author: "Ada".to_owned(),
        action: action.to_owned(),
        key: entry.key.clone(),
        before: None,
        after: Some(entry.clone()),
    }
}

#[tokio::test]
async fn entries_are_read_back_as_they_were_written_and_replaced_as_a_whole() {
    for subject in subjects("library").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        carol(store, ids).await;
        assert_eq!(store.library_revision().await.unwrap(), 0);
        assert_eq!(store.library().await.unwrap(), []);
        let document = store.documents(None, 1).await.unwrap().remove(0);
        let unit = store.text_units_of(&document.id).await.unwrap().remove(0).unit.id;
        let entity = ids.entity("bob cratchit");
        let other = entry(ids, "b", "Who is Scrooge?");
        let mut one = LibraryEntry {
            variants: vec!["What is Bob's work?".into(), "Bob 做什么？".into()],
            follow_ups: vec!["b".into(), "not-there".into()],
            tags: vec!["people".into()],
            terms: vec!["Bob Cratchit".into(), "clerk".into()],
            status: EntryStatus::Draft,
            source: EntrySource::Generated,
            author: "Ada".into(),
            valid_from: Some("2026-01-01".into()),
            metadata: [("domain".to_owned(), "carol".to_owned()), ("`odd` key".to_owned(), "x".to_owned())]
                .into(),
            citations: vec![AnswerCitation {
                text_unit: unit.clone(),
                document: document.key.clone(),
                start: 2,
                end: 9,
                quote: "a quote".into(),
            }],
            about: vec![entity],
            related: vec![RelatedEntry { id: other.id.clone(), weight: 0.25 }],
            stale: vec![
                StaleCitation {
                    document: document.key.clone(),
                    was: "a quote".into(),
                    now: Some("another quote".into()),
                    text_unit: Some(unit),
                },
                StaleCitation { document: "gone.txt".into(), was: "gone".into(), ..StaleCitation::default() },
            ],
            ..entry(ids, "a", "Who is Bob?")
        };
        for _ in 0..2 {
            store.save_library(&[one.clone(), other.clone()], &[], &[]).await.unwrap();
        }
        let mut both = vec![one.clone(), other.clone()];
        both.sort_by(|a, b| a.id.cmp(&b.id));
        assert_eq!(store.library().await.unwrap(), both, "{}", subject.backend);
        assert_eq!(store.library_entries(std::slice::from_ref(&one.id)).await.unwrap(), [one.clone()]);
        let before = store.library_revision().await.unwrap();
        one.variants = vec!["Only this one".into()];
        one.citations.clear();
        one.stale.clear();
        one.valid_from = None;
        one.metadata.clear();
        store.save_library(std::slice::from_ref(&one), std::slice::from_ref(&other.id), &[]).await.unwrap();
        assert_eq!(store.library().await.unwrap(), [one], "{}", subject.backend);
        assert_eq!(store.library_revision().await.unwrap(), before + 1);
    }
}

#[tokio::test]
async fn changes_are_numbered_in_their_order_and_questions_are_counted() {
    for subject in subjects("library_changes").await {
        let (store, ids) = (subject.store.as_ref(), &subject.ids);
        let (one, other) = (entry(ids, "a", "Who is Bob?"), entry(ids, "b", "Who is Scrooge?"));
        store.save_library(std::slice::from_ref(&one), &[], &[change(&one, "add")]).await.unwrap();
        store
            .save_library(&[one.clone(), other.clone()], &[], &[change(&other, "add"), change(&one, "edit")])
            .await
            .unwrap();
        let told: Vec<(u64, String, String)> = store
            .library_changes(None)
            .await
            .unwrap()
            .into_iter()
            .map(|change| (change.sequence, change.action, change.key))
            .collect();
        let expected = [(1, "add", "a"), (2, "add", "b"), (3, "edit", "a")];
        let expected = expected.map(|(sequence, action, key)| (sequence, action.to_owned(), key.to_owned()));
        assert_eq!(told, expected, "{}", subject.backend);
        let of_one = store.library_changes(Some("a")).await.unwrap();
        assert_eq!(of_one.iter().map(|change| change.sequence).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(of_one[1].after, Some(one.clone()));
        let emptied = LibraryChange { sequence: 1, after: None, ..change(&one, "add") };
        store.save_library(&[], &[], &[emptied.clone(), change(&one, "tag")]).await.unwrap();
        let of_one = store.library_changes(Some("a")).await.unwrap();
        assert_eq!(of_one.iter().map(|change| change.sequence).collect::<Vec<_>>(), [1, 3, 4]);
        assert_eq!(of_one[0], emptied, "it stands in the place of the one before");

        let asked = |question: &str, last: &str| AskedQuestion {
            question: question.to_owned(),
            count: 1,
            last: last.to_owned(),
            outcome: "unanswered".to_owned(),
        };
        store.add_asked_questions(&[asked("Why?", "2026-11-23"), asked("How?", "2026-11-23")]).await.unwrap();
        store.add_asked_questions(&[asked(" Why? ", "2026-11-22")]).await.unwrap();
        let kept = store.asked_questions().await.unwrap();
        let told: Vec<(&str, u64, &str)> =
            kept.iter().map(|asked| (asked.question.as_str(), asked.count, asked.last.as_str())).collect();
        assert_eq!(told, [("How?", 1, "2026-11-23"), ("Why?", 2, "2026-11-23")], "{}", subject.backend);
        assert_eq!(store.forget_asked_questions(Some(&["Why?".to_owned()])).await.unwrap(), 1);
        assert_eq!(store.forget_asked_questions(None).await.unwrap(), 1);
        store.wipe().await.unwrap();
        assert_eq!(store.library().await.unwrap(), []);
        assert_eq!(store.library_changes(None).await.unwrap(), []);
    }
}
