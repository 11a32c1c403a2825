// What holds of any list of questions and answers; included by the fuzz target and by the test that replays its corpus.

/// A list of questions and answers is read, and what was read is written and read back the same.
fn check_library(name: &str, bytes: &[u8]) -> usize {
    let form = FileFormat::of(Path::new(name)).expect("a form");
    let ids = Ids::new("fuzz");
    let reading = tables::read(&String::from_utf8_lossy(bytes), form, &ids);
    for entry in &reading.entries {
        assert!(!entry.question.is_empty() && !entry.key.is_empty(), "{entry:?}");
    }
    for form in [FileFormat::Csv, FileFormat::JsonLines] {
        let written = tables::write(&reading.entries, form).expect("written");
        let again = tables::read(&written, form, &ids);
        assert_eq!(again.entries.len(), reading.entries.len(), "{:?} of {written}", again.problems);
    }
    reading.entries.len()
}
