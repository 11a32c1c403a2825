//! Tables, asked as a user does: of recorded extractions, on every pairing of stores.

use crate::support::{Pairing, TestIndex, fresh_workspace, pairings};
use graphwright::index::run::{self, IndexRequest};
use graphwright::progress::Progress;
use graphwright::query::question::filters::Filters;
use graphwright::query::{self, Answer, Method, QueryRequest};
use serde_json::{Value, json};

/// File, text, triples.
pub type Passage = (&'static str, &'static str, &'static [[&'static str; 3]]);

const PASSAGES: [Passage; 4] = [
    (
        "2015-03 news.txt",
        "In the spring Contoso bought Litware. Contoso also took over Fabrikam.",
        &[["Contoso", "bought", "Litware"], ["Contoso", "took over", "Fabrikam"]],
    ),
    (
        "2017-06 news.txt",
        "Northwind was acquired by Contoso. Contoso wanted to acquire Tailspin, but did not.",
        &[["Northwind", "was acquired by", "Contoso"], ["Contoso", "wanted to acquire", "Tailspin"]],
    ),
    ("2018-01 news.txt", "Adatum partners with Litware.", &[["Adatum", "partners with", "Litware"]]),
    (
        "三国.txt",
        "关羽斩华雄于马下。吕布一戟刺死方悦。关羽、张飞与刘备结为兄弟。",
        &[
            ["关羽", "斩", "华雄"],
            ["吕布", "刺死", "方悦"],
            ["刘备", "结为兄弟", "关羽"],
            ["刘备", "结为兄弟", "张飞"],
        ],
    ),
];

pub async fn indexed(pairing: &Pairing) -> TestIndex {
    indexed_from(pairing, &PASSAGES).await
}

pub async fn indexed_from(pairing: &Pairing, passages: &[Passage]) -> TestIndex {
    let index = TestIndex::new(pairing, &fresh_workspace("tables")).await;
    let docs: Vec<Value> = passages
        .iter()
        .map(|(name, text, triples)| {
            index.write(name, text);
            json!({"text": text, "extracted_entities": [], "extracted_triples": triples})
        })
        .collect();
    // ends are known by being entities of the passage
    let docs: Vec<Value> = docs
        .into_iter()
        .zip(passages)
        .map(|(mut doc, (_, _, triples))| {
            let ends: Vec<&str> = triples.iter().flat_map(|[source, _, target]| [*source, *target]).collect();
            doc["extracted_entities"] = json!(ends);
            doc
        })
        .collect();
    let recording = index.folder.path().join("openie.json");
    std::fs::write(&recording, json!({ "docs": docs }).to_string()).unwrap();
    let documents = index.folder.path().join("documents");
    let mut request = IndexRequest {
        paths: vec![documents.display().to_string()],
        openie: Some(recording),
        ..IndexRequest::default()
    };
    request.discover.sources = vec![("docs".to_owned(), documents)];
    run::index(&index.services, &request, &Progress::silent()).await.unwrap();
    index
}

async fn ask(index: &TestIndex, question: &str, method: Method) -> Answer {
    let request = QueryRequest { question: question.to_owned(), method, ..QueryRequest::default() };
    query::query(&index.services, &request, &mut |_| {}).await.unwrap()
}

/// The names of a table's rows, sure ones and others behind a bar.
pub fn names(answer: &Answer) -> String {
    let Some(table) = &answer.table else { return "no table".to_owned() };
    let of = |rows: &[graphwright::query::answer::table::TableRow]| {
        let mut names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        names.sort_unstable();
        names.join(", ")
    };
    match (of(&table.rows), of(&table.possible)) {
        (rows, possible) if possible.is_empty() => rows,
        (rows, possible) => format!("{rows} | {possible}"),
    }
}

#[tokio::test]
async fn tables_are_the_same_on_every_pairing_and_lead_to_sentences() {
    for pairing in pairings() {
        let index = indexed(&pairing).await;
        for (question, rows) in [
            ("Which companies did Contoso acquire?", "Fabrikam, Litware, Northwind | Tailspin"),
            ("How many companies did Contoso buy since 2016?", "Northwind | Tailspin"),
            ("Which companies were bought by Contoso before 2016?", "Fabrikam, Litware"),
            ("Who acquired Northwind?", "Contoso"),
            ("Which companies did Contoso acquire in 2015 but not in 2017?", "Fabrikam, Litware"),
            ("What do Contoso and Adatum have in common?", "Litware"),
            ("How is Adatum connected to Contoso?", "Adatum → Litware, Litware → Contoso"),
            ("关羽杀了哪些人？", "华雄"),
            ("刘备和谁结拜？", "关羽, 张飞"),
            ("Which companies did Contoso sue?", ""),
        ] {
            let answer = ask(&index, question, Method::Table).await;
            assert_eq!(names(&answer), rows, "{pairing:?} {question}: {}", answer.answer);
            let table = answer.table.as_ref().unwrap();
            assert!(table.rows.iter().all(|row| !row.sources.is_empty()), "{question}: {}", answer.answer);
            assert!(table.rows.iter().all(|row| !row.cited.is_empty()), "{question}");
            assert_eq!(answer.found.0, !rows.is_empty());
        }
        let counted = ask(&index, "How many companies did Contoso acquire?", Method::Table).await;
        assert_eq!(counted.table.as_ref().unwrap().count, Some(3), "{}", counted.answer);
        let sentence = &counted.table.as_ref().unwrap().rows[0].sources[0];
        assert!(sentence.text.contains("Contoso"), "{sentence:?}");
        index.wipe().await;
    }
}

#[tokio::test]
async fn what_was_taken_for_what_and_what_is_refused_is_said() {
    let index = indexed(&Pairing::embedded()).await;
    let answer = ask(&index, "Which companies did Contoso purchase?", Method::Table).await;
    let taken = &answer.table.as_ref().unwrap().taken_for[0];
    assert_eq!(taken.written, "purchase");
    assert_eq!(taken.taken, ["bought", "took over", "was acquired by"]);
    assert!(
        answer.answer.contains("“purchase” was taken for: bought, took over, was acquired by."),
        "{}",
        answer.answer
    );
    let refused = ask(&index, "Why did Contoso do that?", Method::Table).await;
    assert!(refused.table.is_none() && !refused.found.0);
    assert!(refused.answer.contains("Which documents mention Contoso?"), "{}", refused.answer);
    let csv = answer.table.unwrap().csv().unwrap();
    assert!(csv.lines().count() > 3 && csv.contains("In the spring Contoso bought Litware."), "{csv}");
    let mut filtered =
        QueryRequest { question: "Who acquired Northwind?".to_owned(), ..QueryRequest::default() };
    filtered.method = Method::Table;
    filtered.filters = Filters::parse(&["path=docs/*".to_owned()]).unwrap();
    let error = query::query(&index.services, &filtered, &mut |_| {}).await.unwrap_err();
    assert!(error.to_string().contains("--as-of"), "{error}");
    index.wipe().await;
}

const OFFICES: [Passage; 3] = [
    (
        "2021-03 news.txt",
        "Ann Lee is the CEO of Northwind. Northwind employs Ann Lee. Bob Hill works for Northwind. Northwind is based in \
         Oslo. Northwind owns Fabrikam. Northwind acquired Litware.",
        &[
            ["Ann Lee", "is the CEO of", "Northwind"],
            ["Northwind", "employs", "Ann Lee"],
            ["Bob Hill", "works for", "Northwind"],
            ["Northwind", "is based in", "Oslo"],
            ["Northwind", "owns", "Fabrikam"],
            ["Northwind", "acquired", "Litware"],
        ],
    ),
    (
        "2023-06 news.txt",
        "Carl Moss is the CEO of Northwind. Bob Hill left Northwind. Northwind sold Fabrikam. Northwind sold Litware. Dora \
         Finch works for Northwind.",
        &[
            ["Carl Moss", "is the CEO of", "Northwind"],
            ["Bob Hill", "left", "Northwind"],
            ["Northwind", "sold", "Fabrikam"],
            ["Northwind", "sold", "Litware"],
            ["Dora Finch", "works for", "Northwind"],
        ],
    ),
    ("2024-02 news.txt", "Northwind is based in Bergen.", &[["Northwind", "is based in", "Bergen"]]),
];

/// Rows with what supersedes them: name, sentence of before, sentence of later.
fn superseded(answer: &Answer) -> Vec<(&str, &str, &str)> {
    let rows = answer.table.iter().flat_map(|table| table.rows.iter().chain(&table.possible));
    let told = rows.flat_map(|row| {
        row.superseded
            .iter()
            .map(|one| (row.name.as_str(), one.earlier.text.as_str(), one.later.text.as_str()))
    });
    told.collect()
}

#[tokio::test]
async fn what_a_later_document_contradicts_is_shown_with_both_sentences_and_never_dropped() {
    for pairing in pairings() {
        let index = indexed_from(&pairing, &OFFICES).await;
        let answer = ask(&index, "Who is the CEO of Northwind?", Method::Table).await;
        assert_eq!(names(&answer), "Ann Lee, Carl Moss", "{}", answer.answer);
        let both = ("Ann Lee", "Ann Lee is the CEO of Northwind.", "Carl Moss is the CEO of Northwind.");
        assert_eq!(superseded(&answer), [both], "{}", answer.answer);
        assert!(answer.answer.contains("Superseded by a later document"), "{}", answer.answer);
        let answer = ask(&index, "Who works for Northwind?", Method::Table).await;
        let ends: Vec<_> = superseded(&answer).into_iter().map(|(name, _, later)| (name, later)).collect();
        assert!(ends.contains(&("Bob Hill", "Bob Hill left Northwind.")), "{ends:?}: {}", answer.answer);
        assert!(!ends.iter().any(|(name, _)| *name == "Dora Finch"), "{ends:?}");
        let answer = ask(&index, "Which companies does Northwind own?", Method::Table).await;
        let ends = superseded(&answer);
        assert_eq!(ends, [("Fabrikam", "Northwind owns Fabrikam.", "Northwind sold Fabrikam.")]);
        // what was done stays done
        let answer = ask(&index, "Which companies did Northwind acquire?", Method::Table).await;
        assert_eq!((names(&answer).as_str(), superseded(&answer).len()), ("Litware", 0));
        for (question, rows) in [
            ("Who is the CEO of Northwind now?", "Carl Moss | Ann Lee"),
            ("Who was the CEO of Northwind before?", "Ann Lee"),
            ("Who was CEO of Northwind before Carl Moss?", "Ann Lee"),
            ("Who was CEO of Northwind after Ann Lee?", "Carl Moss"),
            ("Who was the CEO of Northwind in 2021?", "Ann Lee"),
            ("Who used to work for Northwind?", "Bob Hill"),
            ("Where is Northwind based?", "Bergen, Oslo"),
            ("Where is Northwind based now?", "Bergen | Oslo"),
        ] {
            let answer = ask(&index, question, Method::Table).await;
            assert_eq!(names(&answer), rows, "{pairing:?} {question}: {}", answer.answer);
        }
        index.wipe().await;
    }
}

const SOLD: [Passage; 4] = [
    ("2017-03 新闻.txt", "周启山担任梅园院长。", &[["周启山", "担任院长", "梅园"]]),
    (
        "2019-03 新闻.txt",
        "周启山辞去梅园院长。林婉担任梅园院长。",
        &[["周启山", "辞去院长", "梅园"], ["林婉", "担任院长", "梅园"]],
    ),
    (
        "2020-03 news.txt",
        "Tern Capital owns Pell Works. Tern Capital owns Gale Motors. Oster Labs belongs to Tern Capital. Grebe Yard built \
         Aurora.",
        &[
            ["Tern Capital", "owns", "Pell Works"],
            ["Tern Capital", "owns", "Gale Motors"],
            ["Oster Labs", "belongs to", "Tern Capital"],
            ["Grebe Yard", "built", "Aurora"],
        ],
    ),
    (
        "2022-03 news.txt",
        "Pell Works was sold to Vantor. Dora Finch founded Vantor. Tern Capital funded Vantor.",
        &[
            ["Pell Works", "was sold to", "Vantor"],
            ["Dora Finch", "founded", "Vantor"],
            ["Tern Capital", "funded", "Vantor"],
        ],
    ),
];

#[tokio::test]
async fn what_was_sold_is_owned_no_more_whoever_sold_it() {
    for pairing in pairings() {
        let index = indexed_from(&pairing, &SOLD).await;
        for (question, rows) in [
            ("What does Tern Capital own?", "Gale Motors, Oster Labs | Pell Works"),
            ("Who owns Pell Works now?", " | Tern Capital"),
            ("What does Pell Works own?", ""),
            ("Who was Pell Works sold to?", "Vantor"),
            ("Who founded or funded Vantor?", "Dora Finch, Tern Capital"),
            // the graph has no types, so that it cannot say what is no ship
            ("Which ships did Grebe Yard build?", "Aurora"),
        ] {
            let answer = ask(&index, question, Method::Table).await;
            assert_eq!(names(&answer), rows, "{pairing:?} {question}: {}", answer.answer);
        }
        for (question, rows) in [("梅园现任院长是谁？", "林婉 | 周启山"), ("梅园的前任院长是谁？", "周启山")]
        {
            let answer = ask(&index, question, Method::Table).await;
            assert_eq!(names(&answer), rows, "{pairing:?} {question}: {}", answer.answer);
        }
        let answer = ask(&index, "Who owns Pell Works now?", Method::Auto).await;
        assert_eq!(answer.method, Method::Table, "{}", answer.answer);
        let answer = ask(&index, "Who owns Pell Works now?", Method::Table).await;
        let both = ("Tern Capital", "Tern Capital owns Pell Works.", "Pell Works was sold to Vantor.");
        assert_eq!(superseded(&answer), [both], "{}", answer.answer);
        index.wipe().await;
    }
}

#[tokio::test]
async fn a_row_cites_the_sentence_of_its_own_record() {
    let index = indexed_from(&Pairing::embedded(), &OFFICES).await;
    for (question, sentence) in [
        ("Who is the CEO of Northwind in 2021?", "Ann Lee is the CEO of Northwind."),
        ("Which people does Northwind employ in 2021?", "Northwind employs Ann Lee."),
        ("Who works for Northwind in 2021?", "Northwind employs Ann Lee."),
    ] {
        let answer = ask(&index, question, Method::Table).await;
        let table = answer.table.as_ref().unwrap();
        let row = table.rows.iter().find(|row| row.name == "Ann Lee");
        let row = row.unwrap_or_else(|| panic!("{question}: {}", answer.answer));
        assert!(row.sources.iter().any(|source| source.text == sentence), "{question}: {:?}", row.sources);
    }
    index.wipe().await;
}

#[tokio::test]
async fn auto_takes_a_table_where_a_question_counts_and_the_graph_has_rows() {
    let index = indexed(&Pairing::embedded()).await;
    for (question, method) in [
        ("How many companies did Contoso acquire?", Method::Table),
        ("Which companies did Contoso acquire since 2016?", Method::Table),
        ("How many companies did Contoso sue?", Method::Local),
        ("Tell me about Contoso.", Method::Local),
        ("What did Contoso say about Litware?", Method::Local),
    ] {
        assert_eq!(ask(&index, question, Method::Auto).await.method, method, "{question}");
    }
    index.wipe().await;
}

/// Nobody is a goal: names beside the word are not what is counted.
#[tokio::test]
async fn a_sentence_that_says_the_number_comes_before_rows_of_a_noun_that_is_no_class() {
    let match_day: &[Passage] = &[(
        "2019-05 match.txt",
        "Priya Nair scored three goals before Beth Lowe came on. Beth Lowe sang.",
        &[["Priya Nair", "scored three goals before", "Beth Lowe"]],
    )];
    let index = indexed_from(&Pairing::embedded(), match_day).await;
    let answer = ask(&index, "How many goals did Priya Nair score?", Method::Auto).await;
    assert!(answer.table.is_none() && answer.answer.contains("three goals"), "{}", answer.answer);
    let answer = ask(&index, "How many goals did Priya Nair score?", Method::Table).await;
    assert!(answer.table.is_some(), "where a table is asked for, it is made: {}", answer.answer);
    let answer = ask(&index, "How many goals did Priya Nair not score?", Method::Auto).await;
    assert_eq!(answer.method, Method::Table, "no sentence says what was not done: {}", answer.answer);
    index.wipe().await;
}

#[tokio::test]
async fn as_of_a_time_later_documents_say_nothing() {
    let index = indexed(&Pairing::embedded()).await;
    let as_of = graphwright::language::dates::date_of("2016", graphwright::domain::FiscalCalendar::default());
    let request = |method| QueryRequest {
        question: "Which companies did Contoso acquire?".to_owned(),
        method,
        as_of: as_of.clone(),
        ..QueryRequest::default()
    };
    let answer = query::query(&index.services, &request(Method::Table), &mut |_| {}).await.unwrap();
    assert_eq!(names(&answer), "Fabrikam, Litware");
    let answer = query::query(&index.services, &request(Method::Local), &mut |_| {}).await.unwrap();
    assert!(answer.sources.iter().all(|source| source.document.contains("2015")), "{:?}", answer.sources);
    index.wipe().await;
}
