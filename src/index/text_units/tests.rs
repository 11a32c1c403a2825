use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write;

fn document(text: &str) -> SourceDocument {
    SourceDocument { key: "a.txt".into(), text: text.into(), ..SourceDocument::default() }
}

fn config(size: usize, overlap: usize) -> TextUnitsConfig {
    TextUnitsConfig { size, overlap, encoding: Tokens::O200kBase }
}

fn split_document(document: &SourceDocument, size: usize, overlap: usize) -> Vec<TextUnit> {
    let ids = Ids::new("default");
    let id = ids.document(&document.key);
    split(document, &id, &ids, Tokens::O200kBase, &config(size, overlap))
}

fn split_text(text: &str, size: usize, overlap: usize) -> Vec<TextUnit> {
    split_document(&document(text), size, overlap)
}

fn rebuild(units: &[TextUnit]) -> String {
    let mut text = String::new();
    let mut end = 0;
    for unit in units {
        let repeated = usize::try_from(end - unit.start_offset).unwrap();
        text.extend(unit.text.chars().skip(repeated));
        end = unit.end_offset;
    }
    text
}

/// How many units of one list are not in the other.
fn changed(before: &[TextUnit], after: &[TextUnit]) -> usize {
    let known: BTreeSet<&Id> = before.iter().map(|unit| &unit.id).collect();
    after.iter().filter(|unit| !known.contains(&unit.id)).count()
}

/// A made-up book: paragraphs of numbered sentences.
fn book(paragraphs: usize) -> String {
    let mut text = String::new();
    let mut state = 7_u32;
    for paragraph in 0..paragraphs {
        for sentence in 0..=(paragraph % 7) {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let words = ["stone", "river", "lantern", "harbour", "winter", "ledger", "orchard", "market"];
            let word = words[(state >> 16) as usize % words.len()];
            let _ =
                write!(text, "The {word} of day {} held {} things, and no more. ", state % 997, sentence + 3);
        }
        text += "\n\n";
    }
    text
}

#[test]
fn an_empty_text_has_no_units_and_a_short_one_has_one() {
    assert!(split_text("", 100, 10).is_empty());
    let units = split_text("第一句。第二句。", 100, 10);
    assert_eq!(units.len(), 1);
    assert_eq!((units[0].start_offset, units[0].end_offset, units[0].token_count), (0, 8, 6));
}

#[test]
fn units_end_at_sentences_and_repeat_whole_ones() {
    let text = book(200);
    let units = split_text(&text, 300, 40);
    assert!(units.len() > 20);
    for pair in units.windows(2) {
        assert!(pair[0].text.trim_end().ends_with('.'));
        assert!(pair[1].text.starts_with("The "));
        assert!(pair[1].start_offset < pair[0].end_offset, "an overlap");
    }
    let filling = units.iter().map(|unit| u64::from(unit.token_count)).sum::<u64>() / units.len() as u64;
    assert!(filling > 200, "{filling} tokens a unit");
}

#[test]
fn the_heading_path_is_that_of_the_start_without_the_title() {
    let text = format!("# Book\n\n## One\n\n{}## Two\n\n{}", book(60), book(61));
    let heading = |level, title: &str, at: &str| Heading {
        offset: text.find(at).unwrap() as u64,
        level,
        title: title.into(),
    };
    let document = SourceDocument {
        title: "Book".into(),
        headings: vec![
            heading(1, "Book", "# Book"),
            heading(2, "One", "## One"),
            heading(2, "Two", "## Two"),
        ],
        ..document(&text)
    };
    let units = split_document(&document, 300, 40);
    assert_eq!(units[0].headings, Vec::<String>::new());
    assert_eq!(units[1].headings, ["One"]);
    assert_eq!(units.last().unwrap().headings, ["Two"]);
    let two = units.iter().find(|unit| unit.text.starts_with("## Two")).expect("a section starts a unit");
    assert_eq!(two.headings, ["Two"]);
    let stored: Vec<StoredUnit> = units.into_iter().map(stored).collect();
    assert_eq!(headings_of(&stored), Some(document.headings), "each unit knows its own");
    let mut older = stored;
    older[1].unit.sections = None;
    assert_eq!(headings_of(&older), None);
}

fn stored(unit: TextUnit) -> StoredUnit {
    StoredUnit {
        unit,
        document_key: "a.pdf".to_owned(),
        document_title: "A".to_owned(),
        document_date: None,
        state: crate::domain::UnitState::default(),
    }
}

#[test]
fn code_is_cut_between_its_lines_and_stays_whole_where_it_fits() {
    let line =
        |number: u32| format!("def function_{number}(argument, other={number}): return a.b; c = d. e, f\n");
    let code: String = (0..200).map(line).collect();
    let whole: String = (900..903).map(line).collect();
    let text = format!("Intro. {}\n```python\n{code}```\n\n{}\n```\n{whole}```\nThe end.", book(5), book(5));
    let units = split_text(&text, 300, 40);
    assert_eq!(rebuild(&units), text);
    for unit in &units {
        let begins = unit.text.lines().next().unwrap();
        assert!(!begins.contains("function_") || begins.starts_with("def "), "{begins}");
        let ends = unit.text.lines().last().unwrap();
        assert!(!ends.contains("function_") || ends.ends_with("e, f"), "{ends}");
    }
    assert!(units.iter().any(|unit| unit.text.contains(whole.as_str())), "a short block is not cut");
}

#[test]
fn equal_units_have_ids_of_their_own() {
    let units = split_text(&"Same words here. ".repeat(400), 64, 0);
    let ids: BTreeSet<&Id> = units.iter().map(|unit| &unit.id).collect();
    assert_eq!(ids.len(), units.len());
}

#[test]
fn a_sentence_at_the_start_of_a_book_changes_at_most_three_units() {
    let text = book(400);
    let before = split_text(&text, 300, 40);
    for insertion in
        ["A new first sentence. ", "One.\n\n", "A much longer one that goes on and on and on. It ends.\n"]
    {
        let after = split_text(&format!("{insertion}{text}"), 300, 40);
        assert!(changed(&before, &after) <= 3, "{}", changed(&before, &after));
    }
}

#[test]
fn a_line_without_any_border_is_cut_all_the_same() {
    for unit in ["a", "字", " ", "\n", "7", "👩‍👩‍👧", "🇩🇪", "e\u{301}", "\r\n", "x,", "¡"]
    {
        let text = unit.repeat(60_000 / unit.len());
        let units = split_text(&text, 200, 20);
        assert_eq!(rebuild(&units), text, "{unit:?}");
        assert!(units.iter().all(|unit| unit.token_count <= 200), "{unit:?}");
    }
}

#[test]
fn an_edit_changes_units_near_it_only() {
    let text = book(400);
    let before = split_text(&text, 300, 40);
    let starts: Vec<usize> = text.match_indices("The ").map(|(at, _)| at).collect();
    let mut counts = Vec::new();
    for (place, next) in starts.iter().zip(starts.iter().skip(1)).step_by(23) {
        let (head, rest, tail) = (&text[..*place], &text[*place..], &text[*next..]);
        for edited in
            [format!("{head}A new one. {rest}"), format!("{head}{tail}"), format!("{head}\n\n{rest}")]
        {
            counts.push(changed(&before, &split_text(&edited, 300, 40)));
        }
    }
    let mean = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
    let most = counts.iter().max().copied().unwrap_or(0);
    assert!(mean < 3.0 && most <= 12, "mean {mean}, most {most} of {}", before.len());
}

#[test]
fn a_unit_begins_where_one_is_asked_for() {
    let text = "One fine day. Rain fell.\n\n## 3 May\n\nSnow fell. The road froze.\n\n## 9 May\n\nSun.";
    let starts: Vec<u64> = ["## 3", "## 9"].iter().map(|line| text.find(line).unwrap() as u64).collect();
    let (document, ids) = (document(text), Ids::new("default"));
    let id = ids.document(&document.key);
    let split = |starts: &[u64]| split_at(&document, starts, &id, &ids, Tokens::O200kBase, &config(400, 20));
    let units = split(&starts);
    let begins: Vec<u64> = units.iter().map(|unit| unit.start_offset).collect();
    assert_eq!(begins, [0, starts[0], starts[1]]);
    assert_eq!(rebuild(&units), text);
    assert_eq!(split(&[]).len(), 1);
}

fn any_text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-z]{1,9}( [a-z]{1,9}){0,12}[.!?] ",
        2 => "[\u{4e00}-\u{4e40}]{1,30}[，。！？]",
        1 => Just("\n\n".to_owned()),
        1 => Just("\r\n".to_owned()),
        1 => "\\PC{0,20}",
        1 => "[a-z0-9]{50,120}",
        1 => "(👩‍👩‍👧|e\u{301}|🇩🇪|\u{200d}|\u{301}){1,9}",
        1 => "[ \t]{1,30}",
    ];
    proptest::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn units_cover_the_document_and_fit(text in any_text(), size in 16usize..120, part in 0usize..50) {
        let overlap = size * part / 100;
        let units = split_text(&text, size, overlap);
        prop_assert_eq!(rebuild(&units), text.clone());
        let characters: Vec<char> = text.chars().collect();
        let mut before: Option<&TextUnit> = None;
        for unit in &units {
            let range = usize::try_from(unit.start_offset).unwrap()..usize::try_from(unit.end_offset).unwrap();
            prop_assert_eq!(characters[range].iter().collect::<String>(), unit.text.clone());
            prop_assert_eq!(Tokens::O200kBase.count(&unit.text), unit.token_count as usize);
            prop_assert!(unit.token_count as usize <= size);
            if let Some(before) = before {
                prop_assert!(unit.start_offset <= before.end_offset && unit.start_offset > before.start_offset);
                prop_assert!(unit.end_offset > before.end_offset);
            }
            before = Some(unit);
        }
        prop_assert_eq!(split_text(&text, size, overlap), units);
    }
}
