//! What every vector store does alike.

use super::support::{Backend, DIMENSION, embed, id, point, sparse};
use graphwright::domain::{Id, LocatorKind, PlaceFilter, PlaceSpan};
use graphwright::stores::graph::VectorKind::{self, Entities, Questions, Reports, TextUnits};
use graphwright::stores::vectors::bm25::{query_vector, question_tokens};
use graphwright::stores::vectors::{Filter, Hit, Payload, Point, VectorQuery};
use graphwright::stores::{StoreError, VectorStore};

fn by_words(text: &str, limit: usize) -> VectorQuery {
    VectorQuery { sparse: Some(query_vector(text)), limit, ..VectorQuery::default() }
}

fn by_cosine(text: &str, limit: usize) -> VectorQuery {
    VectorQuery { dense: Some(embed(text)), limit, ..VectorQuery::default() }
}

fn hybrid(text: &str, limit: usize) -> VectorQuery {
    VectorQuery { dense: Some(embed(text)), ..by_words(text, limit) }
}

async fn found(store: &dyn VectorStore, kind: VectorKind, query: &VectorQuery) -> Vec<Id> {
    store.search(kind, query).await.unwrap().into_iter().map(|hit| hit.id).collect()
}

fn ids_of(names: &[&str]) -> Vec<Id> {
    names.iter().map(|name| id(name)).collect()
}

fn sorted(mut ids: Vec<Id>) -> Vec<Id> {
    ids.sort_unstable();
    ids
}

const TEXTS: [(&str, &str); 5] = [
    ("scrooge", "Scrooge was a squeezing, wrenching, grasping old sinner"),
    ("marley", "Marley was dead, to begin with; old Marley was as dead as a door-nail"),
    ("ghost", "The ghost of Marley stood before Scrooge"),
    ("liu", "刘备与关羽、张飞在桃园结为兄弟"),
    ("cao", "曹操起兵讨伐董卓"),
];

fn texts() -> Vec<Point> {
    TEXTS.iter().map(|(name, text)| point(name, text)).collect()
}

#[tokio::test]
async fn hits_are_those_of_the_words_and_scores_those_of_bm25() {
    for backend in Backend::all("words").await {
        let store = backend.open("default").await;
        store.prepare(Some(DIMENSION)).await.unwrap();
        store.upsert(TextUnits, &texts()).await.unwrap();
        let hits = store.search(TextUnits, &by_words("Who was Marley?", 10)).await.unwrap();
        assert_eq!(hits.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>(), ids_of(&["marley", "ghost"]));
        let idf = ((5.0 - 2.0 + 0.5) / (2.0 + 0.5) + 1.0_f64).ln();
        for (hit, (count, length)) in hits.iter().zip([(2.0, 8.0), (1.0, 5.0)]) {
            let weight = count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / 20.0));
            let length_is_guessed = (hit.score - weight * idf).abs() < 0.25;
            assert!(length_is_guessed, "{} {}", hit.score, weight * idf);
        }
        assert_eq!(found(&*store, TextUnits, &by_words("刘备是谁？", 10)).await, ids_of(&["liu"]));
        assert_eq!(found(&*store, TextUnits, &by_words("marley", 1)).await, ids_of(&["marley"]));
        assert!(found(&*store, Entities, &by_words("marley", 10)).await.is_empty());
    }
}

#[tokio::test]
async fn weights_are_those_of_the_points_and_searches_go_together() {
    for backend in Backend::all("weights").await {
        let store = backend.open("default").await;
        let wanted = ids_of(&["marley", "nobody", "cao", "ghost"]);
        let tokens = question_tokens("Was Marley's ghost dead?");
        let both = [by_words("marley", 1), hybrid("ghost", 2), by_words("nothing of the kind", 3)];
        assert_eq!(store.search_each(TextUnits, &both).await.unwrap(), [vec![], vec![], vec![]]);
        assert_eq!(store.weights_of(TextUnits, &wanted, &tokens).await.unwrap(), []);
        store.prepare(Some(DIMENSION)).await.unwrap();
        store.upsert(TextUnits, &texts()).await.unwrap();
        let mut expected: Vec<(Id, Vec<f32>)> = TEXTS
            .iter()
            .filter(|(name, _)| wanted.contains(&id(name)))
            .map(|(name, text)| {
                let vector = point(name, text).sparse;
                let weight = |token| {
                    let place = vector.indices.iter().position(|known| known == token);
                    place.map_or(0.0, |place| vector.values[place])
                };
                (id(name), tokens.iter().map(weight).collect())
            })
            .collect();
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        let found = store.weights_of(TextUnits, &wanted, &tokens).await.unwrap();
        assert_eq!(found, expected);
        assert!(found.iter().any(|(_, weights)| weights.iter().filter(|weight| **weight > 0.0).count() > 1));
        store.delete(TextUnits, &ids_of(&["ghost"])).await.unwrap();
        expected.retain(|(point, _)| *point != id("ghost"));
        assert_eq!(store.weights_of(TextUnits, &wanted, &tokens).await.unwrap(), expected);
        let each = store.search_each(TextUnits, &both).await.unwrap();
        for (query, hits) in both.iter().zip(each) {
            assert_eq!(store.search(TextUnits, query).await.unwrap(), hits);
        }
    }
}

#[tokio::test]
async fn cosine_ignores_length_and_hybrid_sums_reciprocal_ranks() {
    for backend in Backend::all("cosine").await {
        let store = backend.open("default").await;
        store.prepare(Some(DIMENSION)).await.unwrap();
        let mut points = texts();
        for value in points[0].dense.as_mut().unwrap() {
            *value *= 7.0;
        }
        store.upsert(TextUnits, &points).await.unwrap();
        let hits = store.search(TextUnits, &by_cosine(TEXTS[0].1, 10)).await.unwrap();
        assert_eq!(hits.len(), 5);
        assert_eq!(hits[0].id, id("scrooge"));
        assert!((hits[0].score - 1.0).abs() < 1e-5);
        let hits = store.search(TextUnits, &hybrid(TEXTS[1].1, 10)).await.unwrap();
        assert_eq!(hits[0].id, id("marley"));
        assert!((hits[0].score - 2.0 / 61.0).abs() < 1e-9);
        let vectors = store.dense_of(TextUnits, &ids_of(&["scrooge", "nobody", "scrooge"])).await.unwrap();
        assert_eq!(vectors.len(), 1);
        let length: f32 = vectors[0].1.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-5, "stored at unit length");
        // cosines with several vectors at once, of whatever length, are the scores of searches
        let other: Vec<f32> = embed(TEXTS[1].1).iter().map(|value| value * 3.0).collect();
        let named = ids_of(&["scrooge", "nobody", "marley", "scrooge"]);
        let cosines = store.cosines(TextUnits, &named, &[embed(TEXTS[0].1), other]).await.unwrap();
        assert_eq!(cosines.len(), 2, "{cosines:?}");
        assert!(cosines.iter().map(|(id, _)| id).is_sorted());
        for (place, name) in ["scrooge", "marley"].iter().enumerate() {
            let (_, own) = cosines.iter().find(|(found, _)| *found == id(name)).unwrap();
            assert!((own[place] - 1.0).abs() < 1e-5, "{cosines:?}");
            let hits = store.search(TextUnits, &by_cosine(TEXTS[1 - place].1, 10)).await.unwrap();
            let by_search = hits.iter().find(|hit| hit.id == id(name)).unwrap().score;
            assert!((own[1 - place] - by_search).abs() < 1e-5, "{cosines:?} {by_search}");
        }
    }
}

#[tokio::test]
async fn structural_vectors_are_replaced_as_a_whole_and_found_around_others() {
    for backend in Backend::all("structure").await {
        let store = backend.open("default").await;
        assert!(store.near_in_structure(&ids_of(&["a"]), 5).await.unwrap().is_empty());
        store.prepare(Some(DIMENSION)).await.unwrap();
        assert!(store.near_in_structure(&ids_of(&["a"]), 5).await.unwrap().is_empty());
        let vectors = |all: &[(&str, [f32; 3])]| -> Vec<(Id, Vec<f32>)> {
            all.iter().map(|(name, vector)| (id(name), vector.to_vec())).collect()
        };
        let all = vectors(&[
            ("a", [1.0, 0.0, 0.0]),
            ("b", [9.0, 1.0, 0.0]),
            ("c", [0.0, 1.0, 0.0]),
            ("d", [0.1, 4.0, 0.0]),
            ("e", [0.0, 0.0, 1.0]),
        ]);
        store.save_structure(&all).await.unwrap();
        store.save_structure(&all).await.unwrap();
        assert_eq!(store.structure_count().await.unwrap(), 5);
        let near = |hits: Vec<Hit>| hits.into_iter().map(|hit| hit.id).collect::<Vec<Id>>();
        let around = store.near_in_structure(&ids_of(&["a", "nobody"]), 2).await.unwrap();
        assert!((around[0].score - 0.99388).abs() < 1e-4, "{around:?}");
        assert_eq!(near(around), ids_of(&["b", "d"]));
        // around the mean of two
        assert_eq!(near(store.near_in_structure(&ids_of(&["c", "d"]), 1).await.unwrap()), ids_of(&["b"]));
        assert!(store.near_in_structure(&ids_of(&["nobody"]), 5).await.unwrap().is_empty());
        assert_eq!(store.count(Entities).await.unwrap(), 0);
        assert_eq!(backend.open("a").await.structure_count().await.unwrap(), 0);
        store.save_structure(&vectors(&[("a", [1.0, 0.0, 0.0]), ("f", [1.0, 1.0, 0.0])])).await.unwrap();
        assert_eq!(near(store.near_in_structure(&ids_of(&["a"]), 5).await.unwrap()), ids_of(&["f"]));
        store.wipe().await.unwrap();
        assert_eq!(store.structure_count().await.unwrap(), 0);
        store.save_structure(&[]).await.unwrap();
    }
}

#[tokio::test]
async fn writes_may_run_twice_and_the_last_point_counts() {
    for backend in Backend::all("twice").await {
        let store = backend.open("default").await;
        store.prepare(Some(DIMENSION)).await.unwrap();
        store.prepare(Some(DIMENSION)).await.unwrap();
        for _ in 0..3 {
            store.upsert(TextUnits, &texts()).await.unwrap();
        }
        assert_eq!(store.count(TextUnits).await.unwrap(), 5);
        let before = store.search(TextUnits, &hybrid("old Marley", 10)).await.unwrap();
        store.upsert(TextUnits, &[point("ghost", "one"), point("ghost", "Fezziwig's ball")]).await.unwrap();
        assert_eq!(found(&*store, TextUnits, &by_words("fezziwig", 10)).await, ids_of(&["ghost"]));
        assert_eq!(found(&*store, TextUnits, &by_words("marley", 10)).await, ids_of(&["marley"]));
        store.upsert(TextUnits, &texts()).await.unwrap();
        assert_eq!(store.search(TextUnits, &hybrid("old Marley", 10)).await.unwrap(), before);
        store.upsert(TextUnits, &[]).await.unwrap();
        assert_eq!(store.count(TextUnits).await.unwrap(), 5);
    }
}

#[tokio::test]
async fn what_is_deleted_is_gone_and_leaves_no_trace_in_scores() {
    for backend in Backend::all("delete").await {
        let store = backend.open("default").await;
        store.prepare(Some(DIMENSION)).await.unwrap();
        store.upsert(TextUnits, &texts()[..3]).await.unwrap();
        let before = store.search(TextUnits, &by_words("marley scrooge", 10)).await.unwrap();
        store.upsert(TextUnits, &texts()).await.unwrap();
        store.upsert(TextUnits, &[point("more", "Marley and Scrooge")]).await.unwrap();
        store.delete(TextUnits, &ids_of(&["liu", "cao", "more", "nobody"])).await.unwrap();
        store.delete(TextUnits, &ids_of(&["liu"])).await.unwrap();
        store.delete(TextUnits, &[]).await.unwrap();
        assert_eq!(store.count(TextUnits).await.unwrap(), 3);
        assert_same(&store.search(TextUnits, &by_words("marley scrooge", 10)).await.unwrap(), &before);
        assert_eq!(found(&*store, TextUnits, &by_cosine("刘备", 10)).await.len(), 3);
        store.delete(TextUnits, &ids_of(&["scrooge", "marley", "ghost"])).await.unwrap();
        assert_eq!(store.count(TextUnits).await.unwrap(), 0);
        assert!(found(&*store, TextUnits, &hybrid("marley", 10)).await.is_empty());
    }
}

fn assert_same(found: &[Hit], expected: &[Hit]) {
    assert_eq!(found.len(), expected.len());
    for (one, other) in found.iter().zip(expected) {
        assert_eq!(one.id, other.id);
        assert!((one.score - other.score).abs() < 1e-5, "{one:?} {other:?}");
    }
}

#[tokio::test]
async fn filters_hold_all_at_once_and_empty_lists_for_nothing() {
    for backend in Backend::all("filter").await {
        let store = backend.open("default").await;
        store.prepare(Some(DIMENSION)).await.unwrap();
        let mut points = texts();
        for (point, (document, kind, level)) in points.iter_mut().zip([
            (Some("carol"), Some("Person"), Some(0)),
            (Some("carol"), Some("Person"), Some(1)),
            (Some("carol"), Some("Ghost"), Some(2)),
            (Some("三国"), Some("人物"), None),
            (None, None, None),
        ]) {
            point.payload =
                Payload { document_id: document.map(id), kind: kind.map(Into::into), level, place: None };
        }
        store.upsert(TextUnits, &points).await.unwrap();
        let check = async |filter: Filter, expected: &[&str]| {
            for mut query in [by_cosine("Marley", 10), hybrid("Marley Scrooge 刘备 曹操", 10)] {
                query.filter = filter.clone();
                assert_eq!(
                    sorted(found(&*store, TextUnits, &query).await),
                    sorted(ids_of(expected)),
                    "{filter:?}"
                );
            }
        };
        let documents = |names: &[&str]| Filter { documents: Some(ids_of(names)), ..Filter::default() };
        let kinds = |names: &[&str]| Filter {
            kinds: Some(names.iter().map(ToString::to_string).collect()),
            ..Filter::default()
        };
        check(Filter::default(), &["scrooge", "marley", "ghost", "liu", "cao"]).await;
        check(documents(&["carol"]), &["scrooge", "marley", "ghost"]).await;
        check(documents(&["三国", "carol", "nothing"]), &["scrooge", "marley", "ghost", "liu"]).await;
        check(documents(&[]), &[]).await;
        let sorted_ids = |names: &[&str]| sorted(ids_of(names));
        let units = |names: &[&str]| Filter { units: sorted_ids(names), ..documents(&["三国"]) };
        check(units(&["ghost", "marley"]), &["marley", "ghost", "liu"]).await;
        check(Filter { documents: Some(Vec::new()), ..units(&["ghost"]) }, &["ghost"]).await;
        check(Filter { without: sorted_ids(&["marley", "liu"]), ..units(&["ghost"]) }, &["ghost"]).await;
        check(Filter { without: sorted_ids(&["marley"]), ..documents(&["carol"]) }, &["scrooge", "ghost"])
            .await;
        check(kinds(&["Person", "人物"]), &["scrooge", "marley", "liu"]).await;
        check(Filter { levels: Some(vec![0, 2]), ..Filter::default() }, &["scrooge", "ghost"]).await;
        check(Filter { levels: Some(vec![1]), ..kinds(&["Ghost"]) }, &[]).await;
        check(Filter { levels: Some(vec![1]), ..kinds(&["Person"]) }, &["marley"]).await;
        for (point, (first, last, label)) in
            points.iter_mut().zip([(1, 1, "i"), (2, 4, "ii"), (4, 9, ""), (10, 10, ""), (30, 31, "")])
        {
            let labels = [label].into_iter().filter(|label| !label.is_empty()).map(str::to_owned).collect();
            point.payload.place = Some(PlaceSpan { kind: LocatorKind::Page, first, last, labels });
        }
        points[4].payload.place =
            points[4].payload.place.take().map(|place| PlaceSpan { kind: LocatorKind::Slide, ..place });
        store.upsert(TextUnits, &points).await.unwrap();
        let at = |kind, ranges: &[(u64, u64)], labels: &[&str]| Filter {
            places: vec![PlaceFilter {
                kind,
                ranges: ranges.to_vec(),
                labels: labels.iter().map(ToString::to_string).collect(),
            }],
            ..Filter::default()
        };
        check(at(LocatorKind::Page, &[(4, 4)], &[]), &["marley", "ghost"]).await;
        check(at(LocatorKind::Page, &[(5, 9), (1, 1)], &[]), &["scrooge", "ghost"]).await;
        check(at(LocatorKind::Page, &[(9, u64::MAX)], &["ii"]), &["marley", "ghost", "liu"]).await;
        check(at(LocatorKind::Slide, &[(0, 30)], &[]), &["cao"]).await;
        check(at(LocatorKind::Row, &[(0, 99)], &[]), &[]).await;
        check(at(LocatorKind::Page, &[], &[]), &[]).await;
        let both = Filter { documents: Some(ids_of(&["carol"])), ..at(LocatorKind::Page, &[(3, 99)], &[]) };
        check(both, &["marley", "ghost"]).await;
        let mut query = by_words("Marley", 10);
        query.filter = kinds(&["Ghost"]);
        let hits = store.search(TextUnits, &query).await.unwrap();
        query.filter = Filter::default();
        let all = store.search(TextUnits, &query).await.unwrap();
        assert_same(&hits, &all[1..2]); // IDF is that of all points
    }
}

#[tokio::test]
async fn ids_are_paged_in_order() {
    for backend in Backend::all("pages").await {
        let store = backend.open("default").await;
        store.prepare(None).await.unwrap();
        let points: Vec<Point> =
            (0..500).map(|number| Point { dense: None, ..point(&number.to_string(), "one text") }).collect();
        store.upsert(Entities, &points).await.unwrap();
        let expected = sorted(points.into_iter().map(|point| point.id).collect());
        for limit in [1000, 500, 99, 7] {
            let mut all = Vec::new();
            loop {
                let page = store.ids(Entities, all.last(), limit).await.unwrap();
                if page.is_empty() {
                    break;
                }
                assert!(page.len() <= limit);
                all.extend(page);
            }
            assert_eq!(all, expected, "{limit}");
        }
        assert!(store.ids(Entities, None, 0).await.unwrap().is_empty());
        let hits = found(&*store, Entities, &by_words("text", 20)).await;
        assert_eq!(hits, expected[..20], "equal scores are ordered by id");
    }
}

#[tokio::test]
async fn a_collection_of_another_dimension_is_refused() {
    for backend in Backend::all("dimension").await {
        let store = backend.open("default").await;
        store.prepare(Some(32)).await.unwrap();
        store.prepare(Some(DIMENSION)).await.expect("an empty collection is made anew");
        store.upsert(TextUnits, &texts()).await.unwrap();
        let check = |error: StoreError, stored: &str, wanted: &str| match error {
            StoreError::Unusable(message) => {
                assert!(message.contains(stored) && message.contains(wanted), "{message}");
            }
            other => panic!("{other:?}"),
        };
        check(store.prepare(Some(32)).await.unwrap_err(), "64", "32");
        store.prepare(None).await.expect("BM25 goes on without an embedding model");
        let mut wrong = point("wrong", "wrong");
        wrong.dense = Some(vec![1.0; 3]);
        check(store.upsert(TextUnits, &[wrong]).await.unwrap_err(), "64", "3");
        let query = VectorQuery { dense: Some(vec![1.0; 3]), limit: 5, ..VectorQuery::default() };
        check(store.search(TextUnits, &query).await.unwrap_err(), "64", "3");
        let cosines = store.cosines(TextUnits, &ids_of(&["marley"]), &[vec![1.0; 3]]).await;
        check(cosines.unwrap_err(), "64", "3");
        assert_eq!(store.count(TextUnits).await.unwrap(), 5);

        let other = backend.open("a").await;
        other.prepare(None).await.unwrap();
        check(other.upsert(TextUnits, &texts()).await.unwrap_err(), "no dense vectors", "64");
        let plain: Vec<Point> = texts().into_iter().map(|point| Point { dense: None, ..point }).collect();
        other.upsert(TextUnits, &plain).await.unwrap();
        check(other.prepare(Some(DIMENSION)).await.unwrap_err(), "no dense vectors", "64");
        check(other.search(TextUnits, &hybrid("marley", 5)).await.unwrap_err(), "no dense vectors", "64");
        assert!(other.dense_of(TextUnits, &ids_of(&["marley"])).await.unwrap().is_empty());
        let cosines = other.cosines(TextUnits, &ids_of(&["marley"]), &[vec![1.0; DIMENSION]]).await;
        assert!(cosines.unwrap().is_empty());
        assert_eq!(found(&*other, TextUnits, &by_words("scrooge", 5)).await.len(), 2);
    }
}

#[tokio::test]
async fn malformed_vectors_are_refused() {
    for backend in Backend::all("malformed").await {
        let store = backend.open("default").await;
        store.prepare(Some(DIMENSION)).await.unwrap();
        for bad in [sparse(&[(1, 1.0), (1, 2.0)]), sparse(&[(2, 1.0), (1, 1.0)]), sparse(&[(1, f32::NAN)])] {
            let point = Point { sparse: bad.clone(), ..point("bad", "text") };
            assert!(matches!(store.upsert(TextUnits, &[point]).await, Err(StoreError::Failed { .. })));
            let query = VectorQuery { sparse: Some(bad), limit: 3, ..VectorQuery::default() };
            assert!(matches!(store.search(TextUnits, &query).await, Err(StoreError::Failed { .. })));
        }
        let endless = Point { dense: Some(vec![f32::INFINITY; DIMENSION]), ..point("bad", "text") };
        assert!(matches!(store.upsert(TextUnits, &[endless]).await, Err(StoreError::Failed { .. })));
        assert_eq!(store.count(TextUnits).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn two_workspaces_never_touch_each_other() {
    for backend in Backend::all("workspaces").await {
        let (one, two, three) =
            (backend.open("a").await, backend.open("a_b").await, backend.open("三国 / A").await);
        for store in [&one, &two, &three] {
            store.prepare(Some(DIMENSION)).await.unwrap();
        }
        one.upsert(TextUnits, &texts()).await.unwrap();
        two.upsert(TextUnits, &[point("marley", "Marley in another book")]).await.unwrap();
        three.upsert(TextUnits, &texts()[..2]).await.unwrap();
        assert_eq!(found(&*two, TextUnits, &hybrid("marley scrooge", 10)).await, ids_of(&["marley"]));
        one.delete(TextUnits, &ids_of(&["marley"])).await.unwrap();
        one.wipe().await.unwrap();
        assert_eq!(one.count(TextUnits).await.unwrap(), 0);
        assert_eq!(two.ids(TextUnits, None, 10).await.unwrap(), ids_of(&["marley"]));
        assert_eq!(found(&*two, TextUnits, &by_words("another", 10)).await, ids_of(&["marley"]));
        assert_eq!(three.count(TextUnits).await.unwrap(), 2);
    }
}

#[tokio::test]
async fn what_is_missing_reads_as_empty_and_cannot_be_written() {
    for backend in Backend::all("missing").await {
        let store = backend.open("default").await;
        for round in 0..2 {
            assert_eq!(store.count(Reports).await.unwrap(), 0);
            assert!(store.ids(Reports, None, 10).await.unwrap().is_empty());
            assert!(store.search(Reports, &hybrid("marley", 10)).await.unwrap().is_empty());
            assert!(store.dense_of(Reports, &ids_of(&["marley"])).await.unwrap().is_empty());
            let cosines = store.cosines(Reports, &ids_of(&["marley"]), &[vec![1.0; DIMENSION]]).await;
            assert!(cosines.unwrap().is_empty());
            store.delete(Reports, &ids_of(&["marley"])).await.unwrap();
            let error = store.upsert(Reports, &texts()).await.unwrap_err();
            assert!(error.to_string().contains("not prepared"), "{error}");
            if round == 0 {
                store.prepare(Some(DIMENSION)).await.unwrap();
                store.upsert(Reports, &texts()).await.unwrap();
                store.wipe().await.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn empty_questions_and_empty_points_find_nothing() {
    for backend in Backend::all("empty").await {
        let store = backend.open("default").await;
        store.prepare(Some(DIMENSION)).await.unwrap();
        let empty = Point { dense: None, ..point("empty", "the of and") };
        store.upsert(TextUnits, &[empty.clone(), point("marley", "Marley"), empty]).await.unwrap();
        assert_eq!(store.count(TextUnits).await.unwrap(), 2);
        let nothing = VectorQuery { limit: 10, ..VectorQuery::default() };
        for query in
            [nothing, by_words("", 10), by_words("the of", 10), by_words("zebra", 10), hybrid("marley", 0)]
        {
            assert!(found(&*store, TextUnits, &query).await.is_empty(), "{query:?}");
        }
        let hits = store.search(TextUnits, &by_words("marley", 10)).await.unwrap();
        assert!((hits[0].score - f64::midpoint(1.0, 1.0) * hits[0].score).abs() < f64::EPSILON);
        store.upsert(TextUnits, &[Point { sparse: sparse(&[]), ..point("marley", "Marley") }]).await.unwrap();
        assert!(found(&*store, TextUnits, &by_words("marley", 10)).await.is_empty());
        assert_eq!(found(&*store, TextUnits, &by_cosine("marley", 10)).await, ids_of(&["marley"]));
    }
}

#[tokio::test]
async fn unusual_ids_and_payloads_come_back_as_they_were() {
    for backend in Backend::all("unusual").await {
        let store = backend.open("default").await;
        store.prepare(None).await.unwrap();
        let names =
            ["'; DROP TABLE x; --", "三国演义", "a b\tc\n", "🦀", "%_*?", &"long".repeat(200), "\"q\"\\"];
        let points: Vec<Point> = names
            .iter()
            .map(|name| Point {
                id: Id::from_stored(*name),
                dense: None,
                sparse: sparse(&[(7, 1.0), (u32::try_from(i32::MAX).unwrap() + 1, 0.5)]),
                payload: Payload { kind: Some((*name).into()), ..Payload::default() },
            })
            .collect();
        store.upsert(Entities, &points).await.unwrap();
        let expected = sorted(points.iter().map(|point| point.id.clone()).collect());
        assert_eq!(store.ids(Entities, None, 100).await.unwrap(), expected);
        for name in names {
            let query = VectorQuery {
                sparse: Some(sparse(&[(7, 1.0)])),
                filter: Filter { kinds: Some(vec![name.into()]), ..Filter::default() },
                limit: 10,
                ..VectorQuery::default()
            };
            assert_eq!(found(&*store, Entities, &query).await, [Id::from_stored(name)]);
        }
        store.delete(Entities, &expected).await.unwrap();
        assert_eq!(store.count(Entities).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn what_was_written_is_there_when_opened_again() {
    for backend in Backend::all("reopen").await {
        let store = backend.open("default").await;
        store.prepare(Some(DIMENSION)).await.unwrap();
        store.upsert(TextUnits, &texts()).await.unwrap();
        let before = store.search(TextUnits, &hybrid("old Marley", 10)).await.unwrap();
        std::mem::forget(store); // no orderly end
        let again = backend.open("default").await;
        assert_eq!(again.search(TextUnits, &hybrid("old Marley", 10)).await.unwrap(), before);
        again.prepare(Some(DIMENSION)).await.unwrap();
        assert_eq!(again.count(TextUnits).await.unwrap(), 5);
    }
}

#[tokio::test]
async fn questions_are_found_as_they_are_now_whoever_wrote_them() {
    for backend in Backend::all("questions").await {
        // two processes: one writes, the other has searched before
        let (writer, reader) = (backend.open("default").await, backend.open("default").await);
        let vectors = async |names: &[&str]| {
            let mut found = reader.dense_of(Questions, &ids_of(names)).await.unwrap();
            found.sort_by(|(a, _), (b, _)| a.cmp(b));
            found
        };
        writer.prepare(Some(DIMENSION)).await.unwrap();
        let near = by_cosine(TEXTS[0].1, 2);
        assert_eq!(found(reader.as_ref(), Questions, &near).await, []);
        writer.upsert(Questions, &texts()).await.unwrap();
        writer.upsert(TextUnits, &texts()).await.unwrap();
        for limit in [1, 2, 4, 9] {
            let near = by_cosine(TEXTS[0].1, limit);
            let hits = reader.search(Questions, &near).await.unwrap();
            assert_eq!(hits, reader.search(TextUnits, &near).await.unwrap());
        }
        assert_eq!(found(reader.as_ref(), Questions, &near).await[0], id("scrooge"));
        let before = vectors(&["scrooge", "ghost", "nobody"]).await;
        assert_eq!(before, {
            let mut units = reader.dense_of(TextUnits, &ids_of(&["scrooge", "ghost"])).await.unwrap();
            units.sort_by(|(a, _), (b, _)| a.cmp(b));
            units
        });
        // what is written over, taken away and made anew is seen at the next search
        writer.upsert(Questions, &[point("scrooge", TEXTS[4].1), point("cao", TEXTS[0].1)]).await.unwrap();
        assert_eq!(found(reader.as_ref(), Questions, &near).await[0], id("cao"));
        assert_ne!(vectors(&["scrooge"]).await, before[..1]);
        writer.delete(Questions, &ids_of(&["cao"])).await.unwrap();
        assert!(!found(reader.as_ref(), Questions, &near).await.contains(&id("cao")));
        writer.wipe().await.unwrap();
        assert_eq!(found(reader.as_ref(), Questions, &near).await, []);
        assert_eq!(vectors(&["scrooge"]).await, []);
        writer.prepare(Some(DIMENSION)).await.unwrap();
        writer.upsert(Questions, &texts()[..1]).await.unwrap();
        assert_eq!(found(reader.as_ref(), Questions, &near).await, ids_of(&["scrooge"]));
    }
}

#[tokio::test]
async fn many_small_writes_equal_one_large_one() {
    for backend in Backend::all("many").await {
        let (small, large) = (backend.open("a").await, backend.open("default").await);
        small.prepare(Some(DIMENSION)).await.unwrap();
        large.prepare(Some(DIMENSION)).await.unwrap();
        let text = |number: usize| format!("w{} w{} x{} common", number % 7, number % 31, number);
        let points: Vec<Point> = (0..400).map(|number| point(&number.to_string(), &text(number))).collect();
        for (number, one) in points.iter().enumerate() {
            small.upsert(Entities, std::slice::from_ref(one)).await.unwrap();
            if number % 3 == 0 {
                small.upsert(Entities, &[point("passing", "w1 common"), point("other", "w2")]).await.unwrap();
            }
            if number % 50 == 49 {
                let some: Vec<Id> =
                    points[number - 20..number].iter().map(|point| point.id.clone()).collect();
                small.delete(Entities, &some).await.unwrap();
                small.upsert(Entities, &points[number - 20..number]).await.unwrap();
            }
        }
        small.delete(Entities, &ids_of(&["passing", "other"])).await.unwrap();
        large.upsert(Entities, &points).await.unwrap();
        assert_eq!(small.count(Entities).await.unwrap(), 400);
        for question in ["w1 w12 common", "x77", "w3 w6 w30 x9 x399", "common"] {
            for query in [by_words(question, 25), by_cosine(question, 25), hybrid(question, 25)] {
                let expected = large.search(Entities, &query).await.unwrap();
                assert_same(&small.search(Entities, &query).await.unwrap(), &expected);
            }
        }
    }
}
