// What holds of any text, wherever it comes from: a document, a question, a model's answer, a filter. Included by the test
// that replays the corpus and makes more of it.
fn check_text(text: &str) {
    let ranges = sentences(text);
    for range in &ranges {
        assert!(text.get(range.clone()).is_some(), "{range:?} in {text:?}");
    }
    assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start), "{ranges:?} in {text:?}");
    let _ = language_of(text);
    let calendar = FiscalCalendar::default();
    let _ = (dates::dates(text, calendar), dates::date_in_name(text, calendar), dates::date_of(text, calendar));
    let _ = sentiment::of(text, &["Bob Cratchit", "刘备", ""]);
    let filters: Vec<String> = text.lines().map(str::to_owned).collect();
    if let Ok(filters) = Filters::parse(&filters) {
        let _ = filters.within(Some(text), None, calendar);
    }
    for value in reply::read_all_json(text, 100) {
        assert!(value.is_object() || value.is_array(), "{text}");
    }
    for group in reply::find_citations(text) {
        assert!(!group.numbers.is_empty(), "{text}");
    }
    let without = reply::without_citations(text);
    assert!(reply::find_citations(&without).is_empty(), "{text:?} leaves citations in {without:?}");
}
