//! Questions that are offered before anybody has asked, without a model: of several kinds, about what the texts tell, in
//! their language, each of them answered by the index.

use crate::program::Place;
use std::collections::BTreeSet;

const ENGLISH: [(&str, &str); 3] = [
    (
        "docs/minutes-may.md",
        "# Minutes of the rowing club, 6 May 2024\n\nPresent: Rosa Lind, Emil Katz, Nora Weiss.\n\n## Boats\n\
         Emil Katz repaired the Heron in the yard of Otto Brandt. The yard of Otto Brandt stands in Lindholm. \
         Rosa Lind sold the Curlew to Nora Weiss.\n\n## Regatta\nThe regatta of Lindholm takes place in June. \
         Nora Weiss invited the Harbour Bank to pay for it. The Harbour Bank lent the club 4,000 pounds in 2023.\n",
    ),
    (
        "docs/history.txt",
        "The rowing club of Lindholm was founded by Clara Lind in 1921. Clara Lind was the grandmother of Rosa Lind. \
         Otto Brandt built the Heron in 1988. In 1954 a storm destroyed the boathouse of Lindholm. The Harbour Bank paid \
         for the new boathouse. Emil Katz wrote a book about the storm.\n",
    ),
    (
        "docs/letter.txt",
        "Dear Rosa,\n\nNora Weiss rowed the Curlew from Lindholm to Marsholm in 1999. Emil Katz came with her. They met \
         Otto Brandt in Marsholm, who showed them the Heron.\n\nYours, Ben\n",
    ),
];
const CHINESE: [(&str, &str); 2] = [
    (
        "docs/记事.md",
        "# 河湾剧社记事\n\n1996年，沈若兰在河湾镇创办了剧社。沈若兰的老师是周景山。周景山写了《渡口》。\n\
         2003年，洪水冲毁了河湾镇的戏台。镇长罗大川请来工匠赵铁生，重建了戏台。\n",
    ),
    (
        "docs/来信.txt",
        "沈若兰把《渡口》带到了省城。罗大川和沈若兰在省城见了周景山。赵铁生是罗大川的表弟，他住在河湾镇。\n",
    ),
];

/// What is offered over some documents, each of which is then asked.
fn offered(documents: &[(&str, &str)], count: &str) -> Vec<String> {
    let place = Place::new();
    for (name, text) in documents {
        place.write(name, text);
    }
    assert_eq!(place.run(&["index", "docs"]).code, Some(0));
    let told = place.json(&["questions", "-n", count]);
    let questions = told["questions"].as_array().expect("a list").iter();
    let questions: Vec<String> = questions.filter_map(|one| one.as_str()).map(str::to_owned).collect();
    for question in &questions {
        let answer = place.json(&["query", question]);
        assert_eq!(answer["found"], true, "{question}: {answer}");
        assert!(answer["citations"].as_array().is_some_and(|all| !all.is_empty()), "{question}: {answer}");
    }
    let once: BTreeSet<&String> = questions.iter().collect();
    assert_eq!(once.len(), questions.len(), "none twice: {questions:?}");
    questions
}

#[test]
fn questions_over_english_texts_are_of_many_kinds_and_each_is_answered() {
    let questions = offered(&ENGLISH, "10");
    assert_eq!(questions.len(), 10, "{questions:#?}");
    let kinds: BTreeSet<String> =
        questions.iter().map(|one| one.split(' ').take(3).collect::<Vec<_>>().join(" ")).collect();
    let of_names = questions.iter().filter(|one| one.starts_with("Who is ")).count();
    assert!(kinds.len() >= 9 && of_names == 1, "{questions:#?}");
    for boilerplate in ["Minutes", "Present", "Boats", "Regatta?", "What is 1", "What is 2", "and others"] {
        assert!(questions.iter().all(|one| !one.contains(boilerplate)), "{boilerplate}: {questions:#?}");
    }
    let about = |name: &str| questions.iter().filter(|one| one.contains(name)).count();
    assert!(
        ["Lindholm", "Emil Katz", "Otto Brandt"].into_iter().all(|name| about(name) <= 5),
        "{questions:#?}"
    );
}

#[test]
fn questions_over_chinese_texts_are_chinese() {
    let questions = offered(&CHINESE, "6");
    assert!(questions.len() >= 4, "{questions:#?}");
    assert!(questions.iter().all(|one| !one.contains(|c: char| c.is_ascii_alphabetic())), "{questions:#?}");
    let ends: BTreeSet<String> = questions.iter().map(|one| one.chars().rev().take(4).collect()).collect();
    assert!(ends.len() >= 3, "{questions:#?}");
    // a title, a file's name, a year, and pieces of 周景山 and 赵铁生
    for boilerplate in ["记事", "来信", "年是什么", "赵铁是", "景山是"] {
        assert!(questions.iter().all(|one| !one.contains(boilerplate)), "{boilerplate}: {questions:#?}");
    }
}

/// A list of plants that several text units hold, the dearest of which stands in the middle and the dearest herb at the end.
#[test]
fn the_greatest_row_of_a_long_list_is_found_whatever_part_of_it_a_search_finds() {
    let place = Place::new();
    let mut rows = "code,plant,kind,height_cm,price_eur,in_stock\n".to_owned();
    for number in 0_u32..180 {
        let kind = if number % 9 == 4 || number == 179 { "herb" } else { "shrub" };
        let (price, stock) = match number {
            90 => ("88.50", 3),
            179 => ("41.20", 7),
            12 | 150 => ("9.90", 0),
            _ => ("8.40", 20 + number),
        };
        rows.push_str(&format!("P{number},Plant {number} of the nursery,{kind},{number},{price},{stock}\n"));
    }
    place.write("docs/nursery.csv", &rows);
    place.write(
        "docs/letter.txt",
        "Dear Rosa,\n\nThe nursery sends its list of plants. A nap is a cheap way to rest.\n\nBen\n",
    );
    assert_eq!(place.run(&["index", "docs"]).code, Some(0));
    assert!(
        place.json(&["status"])["text_units"].as_u64().is_some_and(|count| count >= 4),
        "several text units"
    );
    for (question, wanted) in [
        ("What is the most expensive plant on the list?", vec!["Plant 90 "]),
        ("Which herb costs most?", vec!["Plant 179 "]),
        ("Which plants are out of stock?", vec!["Plant 12 ", "Plant 150 "]),
    ] {
        let answer = place.json(&["query", question]);
        assert_eq!(answer["found"], true, "{question}: {answer}");
        let quoted = answer["citations"].as_array().map_or(0, Vec::len);
        assert_eq!(quoted, wanted.len(), "{question}: {answer}");
        let text = answer["answer"].as_str().unwrap_or_default();
        assert!(wanted.iter().all(|name| text.contains(name)), "{question}: {text}");
    }
}
