//! What the rules join and, above all, what they do not.

use super::*;
use crate::domain::{Ids, name_key};
use crate::index::names::resolution::form::tests::name;
use proptest::prelude::*;
use std::borrow::Cow;

/// Names as "name|kind|units"; kind and units may be left out.
fn names(texts: &[&str]) -> Vec<NameUse> {
    texts
        .iter()
        .map(|text| {
            let mut fields = text.split('|');
            let shown = fields.next().unwrap_or_default();
            let kind = fields.next().unwrap_or_default();
            name(shown, kind, fields.next().and_then(|units| units.parse().ok()).unwrap_or(1))
        })
        .collect()
}

fn edit(sequence: u64, kind: EditKind) -> Edit {
    Edit { id: Ids::new("w").other("edit", &[&sequence.to_string()]), sequence, kind }
}

fn merge(sequence: u64, from: &[&str], into: &str) -> Edit {
    let names = from.iter().map(|name| name_key(name)).collect();
    edit(sequence, EditKind::Merge { names, into: name_key(into), shown: String::new() })
}

fn split(sequence: u64, one: &str, other: &str) -> Edit {
    edit(sequence, EditKind::Split { name: name_key(one), from: name_key(other) })
}

/// The groups of more than one name, each sorted, the canonical name first.
fn groups(names: &[NameUse], edits: &[Edit]) -> Vec<Vec<String>> {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, canonical) in resolve(names, edits) {
        groups.entry(canonical.clone()).or_insert_with(|| vec![canonical]).push(name);
    }
    groups.into_values().collect()
}

#[track_caller]
fn joins(texts: &[&str]) {
    let found = groups(&names(texts), &[]);
    assert!(found.len() == 1 && found[0].len() == texts.len(), "{texts:?} are one, got {found:?}");
}

#[track_caller]
fn parts(texts: &[&str]) {
    assert_eq!(groups(&names(texts), &[]), Vec::<Vec<String>>::new(), "{texts:?} stay apart");
}

#[test]
fn quotes_articles_dots_and_brackets_join() {
    joins(&["The Ghost|person", "Ghost|person", "\"Ghost\"|person", "**The Ghost**"]);
    joins(&["U.S.", "US", "United States", "the United States", "U.S.A."]);
    joins(&["St. Paul's", "Saint Paul’s"]);
    joins(&["Marks & Spencer", "Marks and Spencer"]);
    joins(&["《三国演义》", "三国演义"]);
    joins(&["Project Gutenberg™", "Project Gutenberg"]);
    joins(&["Scrooge|person", "Scrooge's|person"]);
    parts(&["US", "us"]);
    parts(&["The Police", "police"]);
    parts(&["The Room|geo", "Room|geo"]);
    parts(&["the area", "area"]);
    parts(&["McDonald|person", "McDonald's|organization"]);
    parts(&["C", "C++", "C#"]);
    parts(&["Cratchit", "Cratchits"]);
    parts(&["-5", "5"]);
}

#[test]
fn hyphens_spaces_and_marks_join() {
    joins(&["e-mail", "email", "e mail"]);
    joins(&["Zürich", "Zurich"]);
    joins(&["counting-house|geo", "counting house|GPE"]);
    joins(&["New York City", "NewYork City"]);
    joins(&["约翰·肯尼迪|人物", "约翰・肯尼迪|人物"]);
    // either may be the one without marks
    parts(&["résume", "resumé", "resume"]);
    parts(&["1-2", "12"]);
}

#[test]
fn an_initial_is_the_only_person_whose_given_name_begins_so() {
    joins(&["M. Ashworth|person|9", "Margaret Ashworth|person|2"]);
    let found = groups(&names(&["M. Ashworth|person|9", "Margaret Ashworth|person|2"]), &[]);
    assert_eq!(found, [["margaret ashworth", "m. ashworth"]], "the fuller name is shown");
    joins(&[
        "R. Holloway|person",
        "R. J. Holloway|person",
        "Rosalind J. Holloway|person",
        "Rosalind Holloway|person",
    ]);
    parts(&["M. Ashworth|person", "Margaret Ashworth|person", "Mary Ashworth|person"]);
    parts(&["D. Ashworth|person", "Margaret Ashworth|person"]);
    parts(&["R. K. Holloway|person", "Rosalind J. Holloway|person"]);
    parts(&["M. Ashworth|organization", "Margaret Ashworth|person"]);
}

#[test]
fn numbers_must_agree() {
    parts(&["Henry IV|person", "Henry V|person", "Henry|person"]);
    parts(&["Chapter 1", "Chapter 2", "Chapter 12"]);
    parts(&["Paragraph 1.E.1", "Paragraph 1.E.7", "Paragraph 1.1"]);
    parts(&["John Smith Jr.|person", "John Smith Sr.|person", "John Smith|person"]);
    joins(&["$1,000,000", "$1000000"]);
    joins(&["5 January 1960", "January 5, 1960", "Jan. 5th, 1960"]);
}

#[test]
fn types_must_not_conflict() {
    parts(&["Mercury|planet", "The Mercury|organization"]);
    joins(&["Mercury|planet", "The Mercury"]);
    joins(&["Paris|city", "\"Paris\"|GPE"]);
    // the one without a type goes with the closest, and not with two at once
    let three = names(&["Mercury|planet", "The Mercury|organization", "\"Mercury\""]);
    assert_eq!(groups(&three, &[]), [["\"mercury\"", "mercury"]]);
    parts(&["Mercury|planet", "Mercury's|organization", "The Mercury|organization"]);
    let kinds = vec![("geo".to_owned(), 1), ("person".to_owned(), 3)];
    let mixed = NameUse { kinds, ..name("The Washington", "", 4) };
    assert_eq!(
        resolve(&[mixed, name("Washington", "person", 1)], &[]).len(),
        1,
        "the majority's type counts"
    );
}

#[test]
fn titles_surnames_and_given_names_join_the_only_person_they_can_mean() {
    joins(&["Mr. Scrooge|person", "Scrooge|person|2", "Ebenezer Scrooge|person", "Ebenezer|person"]);
    joins(&["Mr. Topper|person", "Topper|person"]);
    joins(&["Professor Michael S. Hart|person", "Michael S. Hart|person"]);
    joins(&["Master Peter|person", "Peter Cratchit|person|2"]);
    joins(&["Queen Elizabeth II", "Elizabeth II"]);
    joins(&["Kennedy, John|person", "John Kennedy|person"]);
    parts(&["Bob Cratchit|person|1", "Bob|person"]);
    joins(&["Bob Cratchit|person|2", "Bob|person"]);
    parts(&["Mr. Cratchit|person", "Mrs. Cratchit|person", "Miss Cratchit|person"]);
    parts(&["Bob Cratchit|person", "Martha Cratchit|person", "Cratchit|person"]);
    parts(&["Bob Cratchit|person", "Mrs. Cratchit|person"]);
    parts(&["Bob Cratchit|person", "Bob"]);
    parts(&["Joe Miller|person", "Old Joe|person", "Joe|person"]);
    parts(&["Abraham Lincoln|person", "Abraham|person"]);
    parts(&["President Kennedy|person", "Senator Kennedy|person"]);
    parts(&["Dead Man|person", "Man|person"]);
    parts(&["Scrooge|person", "Scrooge's Nephew|person", "Ghost of Scrooge|person"]);
    parts(&["Scrooge and Marley|organization", "Marley|person"]);
    parts(&["General Electric", "Electric"]);
    parts(&["Mr. John Smith|person", "Mrs. John Smith|person"]);
}

#[test]
fn in_a_large_world_given_names_say_little() {
    let letters = || (b'a'..=b'z').map(char::from);
    let world: Vec<String> = (0..300)
        .zip(letters().flat_map(|a| letters().map(move |b| format!("Egon Family{a}{b}|person"))))
        .map(|(_, name)| name)
        .collect();
    let mut texts: Vec<&str> = world.iter().map(String::as_str).collect();
    texts.extend(["Bob Cratchit|person|9", "Bob|person|3", "Alfred Tarski|person|2", "Tarski|person"]);
    assert_eq!(groups(&names(&texts), &[]), [["alfred tarski", "tarski"]]);
}

#[test]
fn middle_names_join_where_no_other_is_known() {
    joins(&["John F. Kennedy|person", "John Fitzgerald Kennedy|person", "John Kennedy|person"]);
    joins(&["Zachary D. Massey", "Zachary David Massey"]);
    joins(&["J. R. R. Tolkien|person", "J.R.R. Tolkien|person"]);
    parts(&["George W. Bush|person", "George H. W. Bush|person", "George Bush|person"]);
    parts(&["John Taylor|person", "John H. Taylor|person"]);
    parts(&["Anna F. Berg|person", "Anna Frida Berg|person", "Anna Frieda Berg|person"]);
    parts(&["New York City", "New City"]);
}

#[test]
fn companies_join_by_legal_form_and_acronym() {
    joins(&["Acme Widgets Inc.", "Acme Widgets, Inc", "Acme Widgets Incorporated", "Acme Widgets"]);
    joins(&["Apple Inc.|organization", "Apple|organization"]);
    joins(&["International Business Machines|organization", "IBM|organization"]);
    joins(&["World Health Organization (WHO)", "World Health Organization", "WHO"]);
    joins(&["North Atlantic Treaty Organization", "NATO"]);
    joins(&["华为技术有限公司|组织", "华为技术|组织"]);
    parts(&["Apple Inc.|organization", "Apple|fruit"]);
    parts(&["Apple Inc.", "Apple"]);
    parts(&["Sony Corp.|organization", "Sony Ltd.|organization", "Sony|organization"]);
    parts(&["IBM|person", "International Business Machines|organization"]);
    parts(&[
        "Association of Nice Cats|organization",
        "Assembly of New Calves|organization",
        "ANC|organization",
    ]);
    parts(&["石油公司", "石油"]);
}

#[test]
fn parentheses_keep_apart_what_they_tell_apart() {
    parts(&["Mercury (planet)", "Mercury (element)", "Mercury"]);
    parts(&["Mercury (planet)|planet", "Mercury|person"]);
    parts(&["Titanic (1997 film)", "Titanic"]);
    parts(&["Boy (Ignorance)|person", "The Boy|person"]);
    joins(&["Mercury (planet)|planet", "Mercury|planet"]);
}

#[test]
fn chinese_names_join_by_title_and_surname_only() {
    joins(&["刘玄德|人物", "玄德|人物"]);
    joins(&["诸葛孔明|人物", "孔明|人物"]);
    joins(&["丞相曹操|人物", "曹操|人物"]);
    parts(&["刘备|人物", "玄德|人物"]);
    parts(&["曹操|人物", "曹公|人物", "丞相|人物"]);
    parts(&["刘玄德|人物", "李玄德|人物", "玄德|人物"]);
    parts(&["刘夫人|人物", "夫人|人物"]);
    parts(&["刘玄德|人物", "玄德"]);
    // "厚劳玄德" is cut wrongly, and 劳 is a surname, but too rare to count
    let cut_wrongly = names(&["刘玄德|人物|15", "玄德|人物|52", "劳玄德|人物|2"]);
    assert_eq!(groups(&cut_wrongly, &[]), [["玄德", "刘玄德"]]);
}

#[test]
fn the_canonical_name_is_that_of_most_units_then_the_smallest() {
    let check = |texts: &[&str], expected: &str| assert_eq!(groups(&names(texts), &[])[0][0], expected);
    check(&["The Ghost|person|2", "Ghost|person|3"], "ghost");
    check(&["The Ghost|person|3", "Ghost|person|2"], "the ghost");
    check(&["The Ghost|person|2", "Ghost|person|2"], "ghost");
}

#[test]
fn merges_join_and_their_name_wins() {
    let names = names(&["Scrooge|person|9", "Mr. Scrooge|person|3", "The Miser|person|1", "Fan|person|4"]);
    assert_eq!(
        groups(&names, &[merge(1, &["Scrooge"], "The Miser")]),
        [["the miser", "mr. scrooge", "scrooge"]]
    );
    let chain = [merge(1, &["The Miser"], "Scrooge"), merge(2, &["Scrooge"], "Fan")];
    assert_eq!(groups(&names, &chain)[0], ["fan", "mr. scrooge", "scrooge", "the miser"]);
    assert_eq!(groups(&[], &[merge(1, &["a"], "b")]), [["b", "a"]], "without names edits alone count");
}

#[test]
fn splits_keep_apart_and_cut_the_weakest() {
    let names = names(&["The Ghost|person", "Ghost|person", "\"Ghost\"|person"]);
    let found = groups(&names, &[split(1, "The Ghost", "\"Ghost\"")]);
    assert_eq!(found, [["\"ghost\"", "ghost"]], "an article is weaker than quotes");
}

#[test]
fn later_edits_hold_against_earlier_ones() {
    let names = names(&["a1", "b1", "c1"]);
    let merged = merge(1, &["a1", "c1"], "b1");
    assert_eq!(groups(&names, &[merged.clone(), split(2, "a1", "b1")]), [["b1", "c1"]]);
    assert_eq!(groups(&names, &[split(0, "a1", "b1"), merged]), [["b1", "a1", "c1"]]);
}

#[test]
fn verdicts_join_and_part_but_never_against_titles() {
    let names = names(&[
        "Mr. Cratchit|person",
        "Mrs. Cratchit|person",
        "Bob|person",
        "The Clerk|person",
        "Clerk|person",
    ]);
    let verdicts = |pairs: &[(&str, &str, bool)]| {
        pairs
            .iter()
            .map(|(a, b, same)| (((*a).to_owned(), (*b).to_owned()), *same))
            .collect::<BTreeMap<_, _>>()
    };
    let table = resolve_with(&names, &[], &verdicts(&[("mr. cratchit", "mrs. cratchit", true)]));
    assert!(!table.contains_key("mrs. cratchit"));
    let table =
        resolve_with(&names, &[], &verdicts(&[("bob", "mr. cratchit", true), ("clerk", "the clerk", false)]));
    assert_eq!(table, BTreeMap::from([("mr. cratchit".to_owned(), "bob".to_owned())]));
}

#[test]
fn every_merge_is_explained() {
    let names =
        names(&["Mr. Scrooge|person", "Scrooge|person|9", "Ebenezer Scrooge|person", "The Ghost", "Ghost|x"]);
    let merges = explain(&names, &[]);
    let told: BTreeMap<String, String> = merges.iter().map(|m| (m.from.clone(), m.into.clone())).collect();
    assert_eq!(told, resolve(&names, &[]));
    let title = merges.iter().find(|merge| merge.from == "mr. scrooge").expect("joined");
    assert_eq!(title.rule, "title and surname");
    assert!(title.evidence.contains("\"ebenezer scrooge\""), "{}", title.evidence);
}

#[test]
fn doubtful_pairs_are_close_and_undecided() {
    let names = names(&[
        "Fezziwig|person",
        "Mr. Fezziwig|person",
        "Mrs. Fezziwig|person",
        "Muhammed Road",
        "Mohammed Road",
        "London",
    ]);
    let pairs = candidates(&names, &[], 3);
    let has = |low: &str, high: &str| pairs.iter().any(|pair| pair.low == low && pair.high == high);
    assert!(has("fezziwig", "mr. fezziwig") && has("mohammed road", "muhammed road"), "{pairs:?}");
    assert!(!has("mr. fezziwig", "mrs. fezziwig"), "titles veto");
    assert!(pairs.iter().all(|pair| pair.low < pair.high && (0.0..=1.0).contains(&pair.score)));
    let apart = candidates(&names, &[split(1, "Fezziwig", "Mr. Fezziwig")], 3);
    assert!(!apart.iter().any(|pair| pair.high == "mr. fezziwig"));
}

#[test]
fn a_name_that_is_a_part_of_another_is_doubtful_where_it_may_be_the_whole() {
    let names = names(&[
        "Hiroshima|place",
        "Hiroshima, Japan|place",
        "Bergen, Norway|place",
        "Norway|place",
        "Republic of Sri Lanka|place",
        "Sri Lanka|place",
        "Engineers of the Middle Ages|person",
        "Middle Ages",
        "2016",
        "March 2016",
        "border",
        "blue border",
        "nephew|person",
        "Scrooge's nephew|person",
    ]);
    let pairs = candidates(&names, &[], 4);
    let found: Vec<(&str, &str)> = pairs.iter().map(|pair| (pair.low.as_str(), pair.high.as_str())).collect();
    for pair in [
        ("hiroshima", "hiroshima, japan"),
        ("republic of sri lanka", "sri lanka"),
        ("nephew", "scrooge's nephew"),
    ] {
        assert!(found.contains(&pair), "{pair:?} is not in {found:?}");
    }
    for pair in [
        ("bergen, norway", "norway"),
        ("engineers of the middle ages", "middle ages"),
        ("2016", "march 2016"),
        ("blue border", "border"),
    ] {
        assert!(!found.contains(&pair), "{pair:?} is in {found:?}");
    }
}

#[test]
fn pairs_close_in_meaning_are_put_beside_those_close_in_spelling() {
    let names = names(&[
        "United Nations|organization",
        "UNO|organization",
        "Mr. Hill",
        "Mrs. Hill",
        "Room 1",
        "Room 2",
    ]);
    let similar: Vec<(String, String, f64)> = [
        ("united nations", "uno", 0.9),
        ("uno", "united nations", 0.8),
        ("mr. hill", "mrs. hill", 0.95),
        ("room 1", "room 2", 0.99),
        ("uno", "nowhere", 0.9),
    ]
    .map(|(one, other, score)| (one.to_owned(), other.to_owned(), score))
    .to_vec();
    let pairs = candidates_with(&names, &[], 3, &similar);
    let told: Vec<_> = pairs.iter().filter(|pair| pair.why == "close in meaning").collect();
    assert_eq!(told.len(), 1, "titles and numbers veto: {pairs:?}");
    assert_eq!((told[0].low.as_str(), told[0].high.as_str(), told[0].score), ("united nations", "uno", 0.9));
}

#[test]
fn a_verdict_joins_two_names_with_its_reason_and_gives_way_to_a_split() {
    let names = names(&["Katherine Hale", "Katharine Hale", "Mr. Hill", "Mrs. Hill"]);
    let pair = |low: &str, high: &str| (low.to_owned(), high.to_owned());
    let verdicts = BTreeMap::from([
        (pair("katharine hale", "katherine hale"), true),
        (pair("mr. hill", "mrs. hill"), true),
    ]);
    let reasons = BTreeMap::from([(pair("katharine hale", "katherine hale"), "two spellings".to_owned())]);
    let merges = explain_with(&names, &[], &verdicts, &reasons);
    assert_eq!(merges.len(), 1, "titles veto a verdict: {merges:?}");
    assert_eq!((merges[0].rule, merges[0].evidence.ends_with(": two spellings")), ("verdict", true));
    let apart = [split(1, "Katherine Hale", "Katharine Hale")];
    assert!(resolve_with(&names, &apart, &verdicts).is_empty());
}

#[test]
fn many_names_of_few_families_do_not_grow_pairs_with_the_square() {
    let many: Vec<NameUse> = (0..20_000)
        .zip((b'A'..=b'Z').map(char::from).cycle())
        .map(|(i, middle)| name(&format!("John {middle} Smith{}", i / 50), "person", 1))
        .chain((0..400).map(|i| name(&format!("Smith{i}"), "person", 1)))
        .collect();
    let table = resolve(&many, &[]);
    assert!(table.len() < many.len(), "{}", table.len());
    let pairs = candidates(&many, &[], 3);
    assert!(pairs.len() <= many.len() * 3 / 2, "{}", pairs.len());
}

fn any_name() -> impl Strategy<Value = NameUse> {
    let word = prop_oneof![
        proptest::sample::select(vec![
            "the",
            "mr.",
            "mrs.",
            "miss",
            "bob",
            "ebenezer",
            "scrooge",
            "cratchit",
            "john",
            "f.",
            "fitzgerald",
            "kennedy",
            "ibm",
            "international",
            "business",
            "machines",
            "inc.",
            "(ibm)",
            "iv",
            "v",
            "1",
            "2",
            "u.s.",
            "us",
            "刘玄德",
            "玄德",
            "曹操",
            "丞相曹操",
            "ghost",
            "\"ghost\"",
            "zürich",
            "zurich",
            "e-mail",
            "email",
            "scrooge's",
            "old",
        ]),
        Just("Scrooge"),
        Just("IBM"),
    ];
    let kind = proptest::sample::select(vec!["", "person", "place", "organization", "人物"]);
    (proptest::collection::vec(word, 1..4), kind, 1_u32..5)
        .prop_map(|(words, kind, units)| name(&words.join(" "), kind, units))
}

fn any_edit(names: &[NameUse]) -> impl Strategy<Value = (bool, String, String)> + use<> {
    let keys: Vec<String> = names.iter().map(|name| name.key.clone()).collect();
    (any::<bool>(), proptest::sample::select(keys.clone()), proptest::sample::select(keys))
}

fn any_case() -> impl Strategy<Value = (Vec<NameUse>, Vec<Edit>)> {
    proptest::collection::vec(any_name(), 1..25).prop_flat_map(|names| {
        let edits = proptest::collection::vec(any_edit(&names), 0..4);
        (Just(names), edits).prop_map(|(names, edits)| {
            let edits = (1..)
                .zip(edits)
                .filter(|(_, (_, one, other))| one != other)
                .map(
                    |(at, (merges, one, other))| {
                        if merges { merge(at, &[&one], &other) } else { split(at, &one, &other) }
                    },
                )
                .collect();
            (names, edits)
        })
    })
}

proptest! {
    #[test]
    fn the_order_of_names_and_edits_is_of_no_account((names, edits) in any_case()) {
        let table = resolve(&names, &edits);
        let (mut names, mut edits) = (names, edits);
        names.reverse();
        edits.reverse();
        prop_assert_eq!(&resolve(&names, &edits), &table);
        names.rotate_left(1);
        prop_assert_eq!(&resolve(&names, &edits), &table);
    }

    #[test]
    fn canonical_names_are_their_own((names, edits) in any_case()) {
        let table = resolve(&names, &edits);
        for (name, canonical) in &table {
            prop_assert_ne!(name, canonical);
            prop_assert!(!table.contains_key(canonical), "{} goes on", canonical);
        }
        let told: BTreeMap<String, String> =
            explain(&names, &edits).into_iter().map(|merge| (merge.from, merge.into)).collect();
        prop_assert_eq!(told, table);
    }

    #[test]
    fn the_last_edit_holds((names, edits) in any_case()) {
        let table = resolve(&names, &edits);
        let of = |name: &String| table.get(name).unwrap_or(name).clone();
        match edits.last().map(|edit| &edit.kind) {
            Some(EditKind::Merge { names, into, .. }) => prop_assert!(names.iter().all(|name| of(name) == of(into))),
            Some(EditKind::Split { name, from }) => prop_assert_ne!(of(name), of(from)),
            _ => {}
        }
    }

    #[test]
    fn rules_join_neither_types_nor_numbers_that_differ((names, _) in any_case()) {
        let mut distinct = names;
        distinct.sort_by(|a, b| (&a.key, &a.name, &a.kinds, a.text_unit_count).cmp(&(&b.key, &b.name, &b.kinds, b.text_unit_count)));
        distinct.dedup_by(|a, b| a.key == b.key);
        let table = resolve(&distinct, &[]);
        let mut seen: BTreeMap<String, (Cow<str>, Vec<char>)> = BTreeMap::new();
        for used in &distinct {
            let Some(form) = NameForm::new(used) else { continue };
            let digits: Vec<char> = used.key.chars().filter(char::is_ascii_digit).collect();
            let group = table.get(&used.key).unwrap_or(&used.key).clone();
            let known = seen.entry(group).or_insert_with(|| (form.kind.clone(), digits.clone()));
            prop_assert_eq!(&known.1, &digits);
            prop_assert!(known.0.is_empty() || form.kind.is_empty() || known.0 == form.kind);
            if known.0.is_empty() {
                known.0 = form.kind;
            }
        }
    }

    #[test]
    fn any_text_is_a_name_without_harm(texts in proptest::collection::vec("\\PC{0,30}", 1..8)) {
        let names: Vec<NameUse> = texts.iter().map(|text| name(text, "person", 1)).collect();
        resolve(&names, &[]);
        candidates(&names, &[], 2);
    }
}

#[test]
fn what_stands_behind_its_owner_and_courtesy_names_are_asked_about() {
    let check = |one: &str, other: &str, kind: &str, expected: bool| {
        let mut names = vec![name(one, kind, 2), name(other, kind, 2)];
        names.sort_by(|a, b| a.key.cmp(&b.key));
        assert_eq!(candidates(&names, &[], 3).len(), usize::from(expected), "{one}, {other}");
    };
    check("Edge", "Microsoft Edge", "product", true);
    check("E5", "Microsoft 365 E5", "product", true);
    check("edge", "cutting edge", "concept", false);
    check("365", "Microsoft 365", "product", false);
    for (one, other) in [("孙权", "孙仲谋"), ("虞翻", "虞仲翔"), ("诸葛亮", "诸葛孔明")] {
        check(one, other, "person", true);
    }
    check("孙权", "周公瑾", "person", false);
    check("刘备", "刘表", "person", false);
}

#[test]
fn names_that_a_text_joins_itself_are_one() {
    let check = |texts: &[&str], expected: &[&[&str]]| {
        assert_eq!(groups(&names(texts), &[]), expected, "{texts:?}");
    };
    // by the full name, however often the other one stands
    check(&["刘备|人物|3", "玄德|人物|40", "刘备（字玄德）|人物"], &[&["刘备", "刘备(字玄德)", "玄德"]]);
    check(
        &["Tim Cratchit|Person", "Tiny Tim|Person|9", "Tim Cratchit (also known as Tiny Tim)"],
        &[&["tim cratchit", "tim cratchit (also known as tiny tim)", "tiny tim"]],
    );
    // where most units with the short name tell of the full one
    check(
        &["Satya Nadella|Person|20", "Satya|Person|8", "Satya Nadella (for short Satya)|Person|5"],
        &[&["satya nadella", "satya", "satya nadella (for short satya)"]],
    );
    // what is said of two people joins neither
    check(
        &["关羽|人物", "张辽|人物", "文远|人物", "关羽（字文远）|人物", "张辽（字文远）|人物"],
        &[&["关羽", "关羽(字文远)"], &["张辽", "张辽(字文远)"]],
    );
}
